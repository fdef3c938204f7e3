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
from typing import Any

from ..errors import ReadError
from .frames import pl

_FASTTEXT = "__label__"
#: A label as words, and with the spaces behind it.
_IN_FRONT, _WITH_SPACES = re.compile(_FASTTEXT + r"(\S+)"), re.compile(_FASTTEXT + r"\S*\s*")
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
    """The lines as columns of text; None for what is blank."""
    columns: dict[str, list[Any]] = {"text": lines}
    if labels == "fasttext":
        columns = {
            "label": [_IN_FRONT.findall(line) or None for line in lines],
            "text": [_WITH_SPACES.sub("", line) for line in lines],
        }
    elif labels == "listed":
        listed = [re.match(_LISTED, line) for line in lines]
        columns = {
            "file": [match[1] if match else line for match, line in zip(listed, lines, strict=True)],
            "label": [match and match[2] for match in listed],
        }
    elif labels:
        pairs = [line.partition("\t") for line in lines]
        first, second = [pair[0] for pair in pairs], [pair[2] if pair[1] else None for pair in pairs]
        told, text = (first, second) if labels == "first" else (second, first)
        columns = {"label": [one and one.strip() for one in told], "text": text}
    kinds = {name: pl.List(pl.String) if labels == "fasttext" and name == "label" else pl.String for name in columns}
    return pl.DataFrame([pl.Series(name, _filled(values), kinds[name]) for name, values in columns.items()])


def _filled(values: list[Any]) -> list[Any]:
    """Texts, None for what is blank; lists as they are."""
    return [one if not isinstance(one, str) or one.strip() else None for one in values]
