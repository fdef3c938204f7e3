"""`python -m accucheck`, with the current folder kept off the import path: a project may hold a click.py."""

import sys

if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    del sys.path[0]

from accucheck.cli import console

console()
