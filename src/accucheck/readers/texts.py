"""Plain text, a sample a line, as batches of rows: "text" alone, or with the "label" that stands before or after it.

Labels are those of fastText (`__label__a __label__b words`), one side of a tab where it repeats itself as classes do, or what
follows the name of a picture, which is then the "file".
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ..errors import ReadError

_FASTTEXT = "__label__"
#: A picture and its label, as lists of pictures have them.
_LISTED = r"^\s*(\S+\.(?i:jpe?g|png|bmp|gif|tiff?|webp|ppm|pgm))[\s,;]+([^\s,;]+)\s*$"
#: Characters of one block; a longer line is cut into samples of that length.
_BLOCK = 4 << 20
#: Lines that settle whether one side of a tab holds classes, and the largest share of different ones among them.
_LEAST, _DISTINCT = 10, 0.2


@dataclass(frozen=True)
class Layout:
    """`labels`: "" for none, "fasttext", "listed" pictures, or "first" or "second" side of a tab."""

    encoding: str
    labels: str


def layout(head: bytes) -> Layout:
    """How a file is written, from its first bytes."""
    encoding = _encoding(head)
    text = head.decode(encoding, "replace")
    lines = text.split("\n")
    if len(lines) > 1:
        lines.pop()  # blank, or cut off by the end of the head
    filled = [line.strip("\r\ufeff") for line in lines if line.strip()]
    most = 0.9 * len(filled)
    # Most files are tables, thousands of them: a count, or one line, rules each kind out before every line is looked at.
    if filled and text.count(_FASTTEXT) >= most and sum(line.startswith(_FASTTEXT) for line in filled) >= most:
        return Layout(encoding, "fasttext")
    listed = re.compile(_LISTED).match
    if filled and listed(filled[0]) and sum(map(bool, map(listed, filled))) >= most:  # with a header it is a table
        return Layout(encoding, "listed")
    # blank lines between groups of pairs: the tokens of sentences with their tags, which are no samples
    if len(filled) < _LEAST or len(filled) < 0.98 * len(lines) or text.count("\t") < most:
        return Layout(encoding, "")
    pairs = [line.split("\t") for line in filled]
    if sum(len(pair) == 2 for pair in pairs) < most:
        return Layout(encoding, "")
    from .labels import USUAL

    if any(USUAL.match(cell.strip()) for cell in pairs[0]):  # the header of a table
        return Layout(encoding, "")
    few = [_are_classes([pair[side].strip() for pair in pairs if len(pair) == 2]) for side in (0, 1)]
    return Layout(encoding, "first" if few == [True, False] else "second" if few == [False, True] else "")


def _are_classes(cells: list[str]) -> bool:
    distinct = {cell for cell in cells if cell}
    return len(distinct) <= max(2, _DISTINCT * len(cells)) and all(len(cell) <= 50 for cell in distinct)


def _encoding(head: bytes) -> str:
    """utf-16 by its mark; gb18030 where that explains what is no UTF-8; else utf-8, in which damage shows as U+FFFD."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head.isascii():
        return "utf-8-sig"
    proper = chinese = 0
    for line in head.split(b"\n")[:-1] or [head]:
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
            proper += 1
        except UnicodeDecodeError:
            try:
                line.decode("gb18030")
                chinese += 1
            except UnicodeDecodeError:
                pass
    return "gb18030" if chinese > proper else "utf-8-sig"


def batches(path: Path) -> Iterator[pl.DataFrame]:
    """The lines in batches, without the blank ones at the end; None for what is blank. Raises ReadError for an empty file."""
    with path.open("rb") as file:
        head = file.read(1 << 16)
    if not head:
        raise ReadError("empty", path=str(path))
    known = layout(head)
    blank = 0
    for lines in _lines(path, known.encoding):
        filled = next((place for place in range(len(lines), 0, -1) if lines[place - 1].strip()), 0)
        if filled:
            yield _frame([*[""] * blank, *lines[:filled]], known.labels)
            blank = 0
        blank += len(lines) - filled


def _lines(path: Path, encoding: str) -> Iterator[list[str]]:
    rest = ""
    with path.open(encoding=encoding, errors="replace", newline=None) as file:
        while block := file.read(_BLOCK):
            lines = (rest + block).split("\n")
            rest = lines.pop()
            if len(rest) > _BLOCK:
                lines.append(rest)
                rest = ""
            yield lines
    if rest:
        yield [rest]


def _frame(lines: list[str], labels: str) -> pl.DataFrame:
    text = pl.Series("text", lines, pl.String)
    if labels == "fasttext":
        frame = text.to_frame().select(
            label=pl.col("text").str.extract_all(_FASTTEXT + r"\S+").list.eval(pl.element().str.slice(len(_FASTTEXT))),
            text=pl.col("text").str.replace_all(_FASTTEXT + r"\S*\s*", ""),
        )
    elif labels == "listed":
        found = pl.col("text").str.extract_groups(_LISTED).struct
        frame = text.to_frame().select(file=found.field("1").fill_null(pl.col("text")), label=found.field("2"))
    elif labels:
        parts = pl.col("text").str.splitn("\t", 2).struct
        first, second = parts.field("field_0"), parts.field("field_1")
        frame = text.to_frame().select(
            label=(first if labels == "first" else second).str.strip_chars(),
            text=second if labels == "first" else first,
        )
    else:
        frame = text.to_frame()
    if labels == "fasttext":
        frame = frame.with_columns(pl.when(pl.col("label").list.len() > 0).then(pl.col("label")))
    blank = pl.col(pl.String).str.strip_chars() == ""
    return frame.with_columns(pl.when(~blank).then(pl.col(pl.String)).name.keep())
