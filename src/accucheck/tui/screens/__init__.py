"""The screens of the walkthrough."""
