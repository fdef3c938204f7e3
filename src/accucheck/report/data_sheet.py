"""The rows of a data file as a sheet of pictures: the picture or curve of each, with its other fields as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..browsing import Page, RenderedValue, shown
from ..browsing_pages import with_boxes
from ..language import Language
from .sheet import cut, drawable, font

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..readers.vocabulary import Vocabulary

#: Of the text, in pixels.
_SIZE = 12


def sheet(found: Page, vocabulary: Vocabulary | None, language: Language) -> Image:
    """The pictures and curves of the rows with their other fields as text, four in a line."""
    from PIL import Image as pillow
    from PIL import ImageDraw

    side, text, across = 256, 112, 4
    drawn = any(
        one.picture is not None or one.curve is not None
        for row in found.rows
        for one in (shown(value, row.fields, vocabulary, language) for value in row.fields.values())
    )
    high = (side if drawn else 0) + text + 8  # rows of text alone have no room for pictures
    down = -(-len(found.rows) // across)
    made = pillow.new("RGB", (across * (side + 8) + 8, down * high + 8), "white")
    pen = ImageDraw.Draw(made)
    for at, row in enumerate(found.rows):
        left, top = 8 + at % across * (side + 8), 8 + at // across * high
        values = {name: shown(value, row.fields, vocabulary, language) for name, value in row.fields.items()}
        pictures = [one.picture for one in values.values() if one.picture is not None]
        curves = [one.curve for one in values.values() if one.curve is not None]
        if pictures:
            made.paste(_fitted(with_boxes(pictures[0], row), side), (left, top))
        elif curves:
            _draw_curve(pen, curves[0], left, top + side // 4, side, side // 2)
        top += high - text - 8
        pen.text((left, top), f"{row.number}", fill="black", font=font(_SIZE)[0])
        for line, (name, one) in enumerate(list(values.items())[:6], 1):
            pen.text(
                (left, top + line * 15),
                cut(pen, _line(name, one), _SIZE, side),
                fill=(60, 60, 60),
                font=font(_SIZE)[0],
            )
    return made


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
