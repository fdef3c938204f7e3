"""A picture in the terminal: as pixels where the terminal is known to draw them, else half blocks, else ASCII.

The terminal is never asked: its answer would be taken for keys, and may never come (tmux, a slow line). What it can do is told by its
name, or by ACCUCHECK_PICTURES.
"""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

if TYPE_CHECKING:
    from PIL.Image import Image

#: How pictures may be drawn, best first.
WAYS = ("kitty", "sixel", "blocks", "ascii")
#: From dark to light.
_RAMP = " .:-=+*#%@"
_SIXEL_TERMS = ("foot", "mlterm", "contour", "yaft")
_SIXEL_PROGRAMS = ("WezTerm", "iTerm.app", "mlterm")
_importing = threading.Lock()


def way(environment: Mapping[str, str], *, only_ascii: bool) -> str:
    """One of WAYS for a terminal that its environment describes. A multiplexer passes no pixels on."""
    if only_ascii:
        return "ascii"
    coloured = (
        "ascii" if environment.get("NO_COLOR") is not None else "blocks"
    )  # blocks are drawn by nothing but colours
    wished = environment.get("ACCUCHECK_PICTURES", "")
    if wished in WAYS:
        return wished
    term = environment.get("TERM", "")
    if "TMUX" in environment or term.startswith(("tmux", "screen", "linux")):
        return coloured
    if term in ("xterm-kitty", "xterm-ghostty"):
        return "kitty"
    if term.startswith(_SIXEL_TERMS) or environment.get("TERM_PROGRAM") in _SIXEL_PROGRAMS:
        return "sixel"
    return coloured


def library() -> Any:
    """textual_image.widget, imported without its questions to the terminal, which Textual is listening to. Takes 0.2 s the first time."""
    with _importing:  # who comes meanwhile would get a half of it
        return _library()


def _library() -> Any:
    import fcntl
    import struct
    import termios

    known = sys.modules.get("textual_image.widget")
    if known is not None:
        return known
    terminal, sys.__stdout__ = sys.__stdout__, io.StringIO()  # type: ignore[misc, assignment]  # no terminal: nothing is asked
    try:
        import textual_image.widget as drawers
    finally:
        sys.__stdout__ = terminal  # type: ignore[misc]
    try:  # the kernel knows the size of a cell where the terminal has told it
        packed = fcntl.ioctl(terminal.fileno(), termios.TIOCGWINSZ, bytes(8)) if terminal is not None else bytes(8)
        rows, columns, width, height = struct.unpack("HHHH", packed)
        if rows and columns and width >= columns and height >= rows:
            from textual_image._terminal import CellSize, get_cell_size

            vars(get_cell_size)["_result"] = CellSize(width // columns, height // rows)
    except (OSError, ValueError):
        pass
    return drawers


def cells(picture: Image, width: int, height: int) -> tuple[int, int]:
    """The columns and rows that a picture fills within these, with cells twice as high as wide."""
    scale = min(width / picture.width, 2 * height / picture.height)
    return max(1, min(width, round(picture.width * scale))), max(1, min(height, round(picture.height * scale / 2)))


def drawn(picture: Image, width: int, height: int, how: str) -> Widget:
    """A widget of at most `width` columns and `height` rows."""
    from PIL import Image as pillow

    columns, rows = cells(picture, width, height)
    if how == "ascii":
        return Static("\n".join(ascii_lines(picture, columns, rows)), markup=False)
    drawers = library()
    kinds = {"kitty": drawers.TGPImage, "sixel": drawers.SixelImage, "blocks": drawers.HalfcellImage}
    if max(picture.size) < 256:  # pixels of small pictures stay squares
        by = -(-256 // max(picture.size))
        picture = picture.resize((picture.width * by, picture.height * by), pillow.Resampling.NEAREST)
    widget: Widget = kinds[how](picture)
    widget.styles.width, widget.styles.height = columns, rows
    return widget


def ascii_lines(picture: Image, columns: int, rows: int) -> list[str]:
    """A picture in characters, light ones for light pixels on a dark ground."""
    from PIL import Image as pillow

    how = pillow.Resampling.NEAREST if columns > picture.width else pillow.Resampling.BOX
    small = picture.convert("L").resize((columns, rows), how)
    levels = list(small.tobytes())
    lines = [levels[row * columns : (row + 1) * columns] for row in range(rows)]
    return ["".join(_RAMP[level * len(_RAMP) // 256] for level in line) for line in lines]


def block_lines(picture: Image, columns: int, rows: int) -> list[Content]:
    """A picture in half blocks, two pixels a cell."""
    from PIL import Image as pillow

    how = pillow.Resampling.NEAREST if columns > picture.width else pillow.Resampling.BOX
    small = picture.convert("RGB").resize((columns, 2 * rows), how)
    pixels = small.tobytes()
    colours = [f"rgb({pixels[at]},{pixels[at + 1]},{pixels[at + 2]})" for at in range(0, len(pixels), 3)]
    lines = []
    for row in range(rows):
        upper, lower = (colours[(2 * row + half) * columns : (2 * row + half + 1) * columns] for half in (0, 1))
        lines.append(Content.assemble(*(("▀", f"{top} on {low}") for top, low in zip(upper, lower, strict=True))))
    return lines


def environment_way(*, only_ascii: bool) -> str:
    return way(os.environ, only_ascii=only_ascii)
