"""polars, where it is installed; else what of it is used here, in plain Python (plain_frames.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
    import polars.selectors as cs
else:
    try:
        import polars as pl
        import polars.selectors as cs
    except ImportError:
        from . import plain_frames as pl
        from .plain_frames import selectors as cs

#: Whether Parquet can be read.
WHOLE = TYPE_CHECKING or pl.__name__ == "polars"

__all__ = ["WHOLE", "cs", "pl"]
