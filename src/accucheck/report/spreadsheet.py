"""Tables as CSV for spreadsheets: UTF-8 with the mark by which Excel knows it, and no cell that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

MARK = b"\xef\xbb\xbf"
#: What opens a formula; the wide forms do so in Excel of East Asia.
_OPENING = tuple("=+-@\t\r＝＋－＠")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")


def harmless(cell: object) -> object:
    """A cell that is shown and not run: text that would open a formula gets an apostrophe; numbers stay."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_OPENING) and not _NUMBER.fullmatch(cell) else cell


def plain(cell: str) -> str:
    """What a person meant by a cell: without the apostrophe of `harmless`."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_OPENING) else cell


def text(rows: Iterable[Sequence[object]]) -> str:
    """Rows of harmless cells as the text of a CSV; None is an empty cell."""
    stream = io.StringIO()
    csv.writer(stream).writerows(rows)
    return stream.getvalue()


def encode(rows: Iterable[Sequence[object]], body: str = "") -> bytes:
    """The CSV file of `rows` of any cells, and of `body`, which `text` made."""
    return MARK + (text([harmless(cell) for cell in row] for row in rows) + body).encode("utf-8", "backslashreplace")
