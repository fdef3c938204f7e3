"""What the light install leaves out: libraries, what each is for, and the requirement that brings them."""

from __future__ import annotations

from importlib.util import find_spec

#: Modules that the light install lacks, and the names that people know them by.
LIBRARIES = {
    "textual": "Textual",
    "textual_image": "textual-image",
    "rich": "Rich",
    "polars": "polars",
    "matplotlib": "matplotlib",
    "docx": "python-docx",
    "PIL": "Pillow",
}


def of(error: BaseException) -> str | None:
    """The library that an ImportError is about, where it is one that the light install leaves out."""
    return LIBRARIES.get((error.name or "").partition(".")[0]) if isinstance(error, ImportError) else None


def here(module: str) -> bool:
    """Whether a library is installed."""
    return find_spec(module) is not None


def requirement(extra: str = "") -> str:
    """What pip is to install for the rest, or for an extra: of the same distribution, so that no two of them own the same files."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        distribution("accucheck-light")
    except PackageNotFoundError:
        return f"'accucheck[{extra}]'" if extra else "accucheck"
    return f"'accucheck-light[{extra or 'full'}]'"
