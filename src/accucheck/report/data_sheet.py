"""The rows of a data file as a sheet of pictures: the picture or curve of each, with its other fields as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..browsing import WORDS, Page, RenderedValue, gathered, shown
from ..browsing_pages import with_boxes
from ..language import Language, word
from .sheet import cut, drawable, font

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..readers.rows import Row
    from ..readers.vocabulary import Vocabulary

#: Pixels of a letter, of a picture and of the text below; pictures in a line, of one row at most, and lines of text.
_SIZE, _SIDE, _TEXT, _ACROSS, _BESIDE, _LINES = 12, 256, 112, 4, 12, 6


def sheet(found: Page, vocabulary: Vocabulary | None, language: Language) -> Image:
    """The pictures and curves of the rows with their fields as text, four in a line; those of one row side by side."""
    from PIL import Image as pillow
    from PIL import ImageDraw

    found = gathered(found)
    rows = [
        {name: shown(value, row.fields, vocabulary, language) for name, value in row.fields.items()}
        for row in found.rows
    ]
    beside = min(_BESIDE, max((len(_drawn(values)) for values in rows), default=0))
    high = (_SIDE if beside else 0) + _TEXT + 8  # rows of text alone have no room for pictures
    across, wide = max(1, _ACROSS // max(1, beside)), max(1, beside) * (_SIDE + 8)
    made = pillow.new("RGB", (max(_ACROSS, beside) * (_SIDE + 8) + 8, -(-len(rows) // across) * high + 8), "white")
    pen = ImageDraw.Draw(made)
    for at, (row, values) in enumerate(zip(found.rows, rows, strict=True)):
        left, top = 8 + at % across * wide, 8 + at // across * high
        drawn = _drawn(values)[:beside]
        for number, name in enumerate(drawn):
            _draw(made, pen, values[name], row, (left + number * (_SIDE + 8), top))
        top += high - _TEXT - 8
        heads = drawn if len(drawn) > 1 else [""]
        for number, name in enumerate(heads):
            head = " ".join(filter(None, ["" if number else row.path.name if row.alone else f"{row.number}", name]))
            told = cut(pen, drawable(head, _SIZE), _SIZE, _SIDE)
            pen.text((left + number * (_SIDE + 8), top), told, fill="black", font=font(_SIZE)[0])
        for line, text in enumerate(_texts(values, language), 1):
            told = cut(pen, text, _SIZE, wide - 8)
            pen.text((left, top + line * 15), told, fill=(60, 60, 60), font=font(_SIZE)[0])
    return made


def _texts(values: Mapping[str, RenderedValue], language: Language) -> list[str]:
    """The fields of a row as lines, with how many there is no room for."""
    fields = [_line(name, one) for name, one in values.items()]
    if len(fields) <= _LINES:
        return fields
    more = word(WORDS, "more-fields", language, count=len(fields) - _LINES + 1)
    return [*fields[: _LINES - 1], drawable(more, _SIZE)]


def _drawn(values: Mapping[str, RenderedValue]) -> list[str]:
    """The fields of a row that are drawn: its pictures, or else its curves."""
    pictures = [name for name, one in values.items() if one.picture is not None]
    return pictures or [name for name, one in values.items() if one.curve is not None]


def _draw(made: Image, pen: Any, one: RenderedValue, row: Row, place: tuple[int, int]) -> None:
    if one.picture is not None:
        made.paste(_fitted(with_boxes(one.picture, row), _SIDE), place)
    elif one.curve is not None:
        _draw_curve(pen, one.curve, place[0], place[1] + _SIDE // 4, _SIDE, _SIDE // 2)


def _fitted(picture: Image, side: int) -> Image:
    """A picture in a square of this side: small ones with their pixels to be seen."""
    from PIL import Image as pillow

    scale = side / max(picture.size)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    return picture.resize(size, pillow.Resampling.NEAREST if scale > 1 else pillow.Resampling.LANCZOS)


def _draw_curve(pen: Any, values: np.ndarray[Any, Any], left: int, top: int, width: int, height: int) -> None:
    clean = np.nan_to_num(values.astype(np.float64))
    low, high = float(clean.min()), float(clean.max())
    scale = (height - 1) / ((high - low) or 1.0)
    for at, part in enumerate(np.array_split(clean, min(width, clean.size))):
        ends = [top + height - 1 - (edge - low) * scale for edge in (part.max(), part.min())]
        pen.line([(left + at, ends[0]), (left + at, max(ends[1], ends[0] + 1))], fill=(32, 112, 204))


def _line(name: str, one: RenderedValue) -> str:
    """A field in letters that the font has."""
    text = one.text.replace("█", "#").replace("░", ".").replace("\n", " ")
    return drawable(f"{name}: {text[:200]}", _SIZE)
