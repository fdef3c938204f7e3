"""Where the command begins, as `accucheck` and as `python -m accucheck`. Nothing is imported before the project is off the import path."""

from accucheck.imports import keep_out

keep_out()

from accucheck.cli import console  # noqa: E402

if __name__ == "__main__":
    console()
