"""What runs under the user's interpreter; see __main__.py."""
