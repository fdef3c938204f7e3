"""`python -m accucheck`, with the current folder kept off the import path: a project may hold a numpy.py."""

import sys

sys.path[:] = [entry for entry in sys.path if entry not in ("", ".")]

from accucheck.cli import console  # noqa: E402

console()
