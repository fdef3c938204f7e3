"""CSV as frames where polars is not installed: as it reads them, row by row."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from . import plain_frames

if TYPE_CHECKING:
    from .tables import Csv

#: Stands for a cell that is written as two quotes, which is an empty text and no missing value; of the private use area.
_EMPTY = "\ue0fe"


class Odd(Exception):
    """Rows of several lengths, bytes that are no UTF-8, or what csv refuses."""


def rows(layout: Csv, together: int) -> Iterator[plain_frames.DataFrame]:
    """The rows of a CSV in UTF-8, without blank lines but of a single column. Raises Odd."""
    part: list[list[str | None]] = []
    try:
        with layout.path.open(encoding="utf-8-sig", newline="") as file:
            lines = _with_empty_texts(file, layout.separator) if layout.quote else file
            found = csv.reader(
                lines, delimiter=layout.separator, quoting=csv.QUOTE_MINIMAL if layout.quote else csv.QUOTE_NONE
            )
            names = plain_frames.told_apart(layout.header or [f"column_{place}" for place in range(layout.columns)])
            if layout.header is not None:
                next((row for row in found if row), None)
            for row in found:
                if not row and layout.columns > 1:
                    continue
                if len(row) != layout.columns and row:
                    raise Odd(f"line {found.line_num}: {len(row)} fields")
                part.append([None if cell == "" else cell.replace(_EMPTY, "") for cell in row] or [None])
                if len(part) >= together:
                    yield plain_frames.of_rows(names, part)
                    part = []
    except (csv.Error, UnicodeDecodeError) as error:
        raise Odd(str(error)) from None
    if part:
        yield plain_frames.of_rows(names, part)


def _with_empty_texts(lines: Iterable[str], separator: str) -> Iterator[str]:
    """Lines in which a cell of two quotes holds _EMPTY: csv does not tell it from one that holds nothing."""
    within = False  # quotes that an earlier line has opened
    for line in lines:
        if '""' in line:
            line = _marked(line, separator, within)
        within ^= line.count('"') % 2 == 1
        yield line


def _marked(line: str, separator: str, within: bool) -> str:
    """Where as many quotes stand before it as to be outside of a cell's, and a cell begins and ends around it."""
    place = line.find('""')
    while place >= 0:
        outside = (line.count('"', 0, place) % 2 == 1) == within
        begins = place == 0 or line[place - 1] == separator
        if outside and begins and line[place + 2 : place + 3] in (separator, "\n", "\r", ""):
            line = f"{line[: place + 1]}{_EMPTY}{line[place + 1 :]}"
        place = line.find('""', place + 2)
    return line
