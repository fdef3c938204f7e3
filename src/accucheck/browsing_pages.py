"""The rows of a data file as a web page that needs nothing beside it, and the boxes on their pictures."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .browsing import LONG, WORDS, Page, RenderedValue, fields, gathered, misfits, shortened, shown, title
from .language import Language, visible, word
from .readers.boxes import boxes_of
from .readers.rows import Row

if TYPE_CHECKING:
    from PIL.Image import Image

    from .readers.vocabulary import Vocabulary

_STYLE = (
    "body{font:14px/1.45 system-ui,sans-serif;margin:2em;color:#222;background:#fff}table{border-collapse:collapse;margin:1em 0}"
    "td,th{border:1px solid #ccc;padding:.3em .6em;text-align:left;vertical-align:top}th{background:#f3f3f3}"
    "img{image-rendering:pixelated;min-width:96px;max-width:256px}pre{white-space:pre-wrap;margin:0;max-width:60em}"
)


def web_page(found: Page, vocabulary: Vocabulary | None, language: Language) -> str:
    """The page as HTML that needs nothing beside it."""
    heading = html.escape(title(found, language))
    found = gathered(found)
    table = fields(found.rows, language)
    names = ("field", "type", "shape", "range")
    parts = [
        f'<!doctype html><html lang="{language.value}"><meta charset="utf-8"><title>{heading}</title><style>{_STYLE}</style>',
        f"<h1>{heading}</h1>",
        _html_row([word(WORDS, name, language) for name in names], "th", "<table>"),
        *(_html_row([str(one[key]) for key in ("name", "type", "shape", "range")]) for one in table),
        "</table>",
        *(f"<p>{html.escape(line)}</p>" for line in (*found.notes, *misfits(found, vocabulary, language))),
        _html_row(["", *(str(one["name"]) for one in table)], "th", "<table>"),
    ]
    for row in found.rows:
        cells = [f"<td>{html.escape(visible(row.path.name) if row.alone else f'{row.number:,}')}</td>"]
        for one in table:
            value = row.fields.get(one["name"])
            cells.append(f"<td>{_html_value(shown(value, row.fields, vocabulary, language), row)}</td>")
        parts.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*parts, "</table></html>"])


def _html_row(cells: Sequence[str], tag: str = "td", before: str = "") -> str:
    return f"{before}<tr>{''.join(f'<{tag}>{html.escape(visible(cell))}</{tag}>' for cell in cells)}</tr>"


def _html_value(one: RenderedValue, row: Row) -> str:
    text = f"<pre>{html.escape(shortened(visible(one.text), LONG))}</pre>"
    if one.picture is not None:
        kept = io.BytesIO()
        with_boxes(one.picture, row).save(kept, "PNG")
        return f'<img alt="" src="data:image/png;base64,{base64.b64encode(kept.getvalue()).decode()}">{text}'
    return _svg(one.curve) + text if one.curve is not None else text


def _svg(values: np.ndarray[Any, Any], width: int = 300, height: int = 60) -> str:
    """A sequence as the lowest and highest of each part."""
    clean = np.nan_to_num(values.astype(np.float64))
    low, high = float(clean.min()), float(clean.max())
    scale = (height - 2) / ((high - low) or 1.0)
    strokes = []
    for at, part in enumerate(np.array_split(clean, min(width, clean.size))):
        top, bottom = height - 1 - (part.max() - low) * scale, height - 1 - (part.min() - low) * scale
        strokes.append(f"M{at} {top:.1f}V{max(bottom, top + 1):.1f}")
    return f'<svg width="{width}" height="{height}" role="img"><path d="{"".join(strokes)}" stroke="#27c" fill="none"/></svg>'


def with_boxes(picture: Image, row: Row) -> Image:
    """A picture with the boxes of its row."""
    from PIL import ImageDraw

    drawn = picture.copy()
    for box in boxes_of(row, picture):
        scaled = [round(share * side) for share, side in zip(box, drawn.size * 2, strict=True)]
        ImageDraw.Draw(drawn).rectangle(scaled, outline=(255, 40, 40), width=1 if drawn.width < 64 else 2)
    return drawn
