"""What runs the user's own code: child.py drives their interpreter, inside/ is what runs there, and the rest judges what it tells."""
