"""What a screen of textual shows, as SVG: one picture, or several that follow each other by CSS alone.

Textual's own pictures ask a server for their font. These use the fonts of the reader's machine; every run of letters is placed on the
grid of cells by itself, so that a font of other widths, or one for Chinese alone, cannot shift what stands beside it. Blocks are drawn,
not written: bars and pictures have no gaps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from rich.cells import cell_len
from rich.color import Color
from rich.style import Style
from rich.terminal_theme import TerminalTheme

CELL, LINE, SIZE = 12, 24, 20  # width and height of a cell, size of the letters, in px
MARGIN, BAR = 12, 36  # around the screen; height of the bar above it
FOREGROUND, BACKGROUND = (228, 230, 232), (20, 23, 26)  # those of our dark theme: what has them needs no rectangle
FONTS = "'DejaVu Sans Mono',Menlo,Consolas,'Noto Sans Mono CJK SC','PingFang SC','Microsoft YaHei',monospace"
#: Characters drawn as rectangles: x, y, width and height as shares of the cell.
BLOCKS: dict[str, tuple[float, float, float, float]] = {
    "█": (0, 0, 1, 1),
    "▀": (0, 0, 1, 0.5),
    "▔": (0, 0, 1, 0.125),
    "▐": (0.5, 0, 0.5, 1),
    "▕": (0.875, 0, 0.125, 1),
    **{character: (0, 1 - n / 8, 1, n / 8) for n, character in enumerate("▁▂▃▄▅▆▇", start=1)},
    **{character: (0, 0, n / 8, 1) for n, character in enumerate("▏▎▍▌▋▊▉", start=1)},
}
#: What stands together: ASCII with single blanks; Chinese and its punctuation, whose letters are all as wide as each other; lines.
_RUN = re.compile(
    r"[\x21-\x7e]+(?: [\x21-\x7e]+)*|[\u3001-\u303f\u4e00-\u9fff\uff01-\uff60]+|([\u2500-\u257f\u2591-\u2593])\1+"
)
BASE = 18  # of the letters, below the top of a line


class Shot(NamedTuple):
    """One picture of a series: the lines as `lines` gives them, how long it stays in seconds, and what is told of it above."""

    lines: list[str]
    seconds: float
    caption: str


class Palette:
    """The styles of the letters in one file, each a class of its CSS."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self, style: Style, colour: str) -> str:
        rules = [f"fill:{colour}"]
        rules += ["font-weight:bold"] if style.bold else []
        rules += ["font-style:italic"] if style.italic else []
        lines = [name for name, on in (("underline", style.underline), ("line-through", style.strike)) if on]
        rules += [f"text-decoration:{' '.join(lines)}"] if lines else []
        return self._names.setdefault(";".join(rules), f"s{len(self._names)}")

    def css(self) -> str:
        return "".join(f".{name}{{{rules}}}\n" for rules, name in self._names.items())


def lines(app: Any, palette: Palette) -> list[str]:
    """What the app shows now, as a piece of SVG for each line of the terminal."""
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens, simplify=True)
    return [_line([segment for strip in line for segment in strip], palette, app.ansi_theme) for line in update.strips]


def _line(segments: Sequence[Any], palette: Palette, ansi: TerminalTheme) -> str:
    below: list[str] = []
    above: list[str] = []
    x = 0
    for segment in segments:
        if segment.control:
            continue
        style = segment.style or Style()
        front, back = _rgb(style.color, FOREGROUND, ansi), _rgb(style.bgcolor, BACKGROUND, ansi)
        if style.reverse:
            front, back = back, front
        if style.dim:
            front = tuple((a + b) // 2 for a, b in zip(front, back, strict=True))
        width = cell_len(segment.text)
        if back != BACKGROUND:
            below.append(_cells(x, 0, width, 1, _hex(back)))
        above += _letters(segment.text, x, style, _hex(front), palette)
        x += width
    return "".join(_joined(below) + _joined(above))


def _letters(text: str, x: int, style: Style, colour: str, palette: Palette) -> Iterator[str]:
    """Texts and rectangles: runs together, any other character by itself."""
    at = 0
    while at < len(text):
        run = _RUN.match(text, at)
        piece = run[0] if run else text[at]
        width = cell_len(piece)
        if piece in BLOCKS:
            left, top, wide, high = BLOCKS[piece]
            repeated = len(text[at:]) - len(text[at:].lstrip(piece)) if wide == 1 else 1
            yield _cells(x + left, top, wide * repeated, high, colour)
            piece, width = piece * repeated, width * repeated
        elif not piece.isspace():
            wide = width == 2 * len(piece)  # as wide as they are high: a blank beside each fills its two cells
            name = palette.name(style, colour) + " w" * wide
            length = f' textLength="{width * CELL}"' if len(piece) > 1 and not wide else ""
            yield f'<text class="{name}" x="{x * CELL}"{length}>{escape(piece, quote=False)}</text>'
        x, at = x + width, at + len(piece)


def _cells(x: float, top: float, width: float, height: float, colour: str) -> str:
    """A rectangle in cells, from the top of its line."""
    return _rect(x * CELL, top * LINE - BASE, width * CELL, height * LINE, colour)


def _rect(x: float, y: float, width: float, height: float, colour: str) -> str:
    numbers = [f"{value:.6g}" for value in (x, y, width, height)]
    return '<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>'.format(*numbers, colour)


_RECT = re.compile(r'<rect x="([\d.]+)" y="([-\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="(#\w+)"/>')


def _joined(pieces: list[str]) -> list[str]:
    """Rectangles of one colour beside each other as one."""
    joined: list[str] = []
    for piece in pieces:
        new, last = _RECT.fullmatch(piece), _RECT.fullmatch(joined[-1]) if joined else None
        if (
            new
            and last
            and new.group(2, 4, 5) == last.group(2, 4, 5)
            and float(last[1]) + float(last[3]) == float(new[1])
        ):
            joined[-1] = _rect(float(last[1]), float(new[2]), float(last[3]) + float(new[3]), float(new[4]), new[5])
        else:
            joined.append(piece)
    return joined


def _rgb(colour: Color | None, otherwise: tuple[int, ...], ansi: TerminalTheme) -> tuple[int, ...]:
    return otherwise if colour is None or colour.is_default else tuple(colour.get_truecolor(ansi))


def _hex(colour: tuple[int, ...]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


# --- files ----------------------------------------------------------------------------------------------------------------


def still(shown: list[str], columns: int, palette: Palette, title: str) -> str:
    names: dict[str, str] = {}
    body = f"{_caption(title, columns)}{_screen(shown, names)}"
    return _picture(columns, len(shown), palette.css(), names, body, title)


def moving(shots: Sequence[Shot], columns: int, palette: Palette, title: str) -> str:
    """One shot after the other, for ever. Lines that several shots share stand in the file once.

    A reader who asked for no motion, and a program that knows no animations, show the last one.
    """
    names: dict[str, str] = {}
    body = []
    rules = []
    total = sum(shot.seconds for shot in shots)
    begin = 0.0
    for number, shot in enumerate(shots):
        body.append(f'<g class="f f{number}">{_caption(shot.caption, columns)}{_screen(shot.lines, names)}</g>\n')
        first, last = begin / total * 100, (begin + shot.seconds) / total * 100
        hidden = f"0%{{visibility:hidden}}{first:.3f}%{{visibility:visible}}" if number else "0%{visibility:visible}"
        hidden += f"{last:.3f}%{{visibility:hidden}}" if number < len(shots) - 1 else ""
        rules.append(f"@keyframes k{number}{{{hidden}}}\n.f{number}{{animation-name:k{number}}}\n")
        begin += shot.seconds
    rules.insert(0, f".f{{visibility:hidden;animation:{total:g}s step-end infinite}}\n")
    rules.append(f".f{len(shots) - 1}{{visibility:visible}}\n")
    rules.append("@media (prefers-reduced-motion:reduce){.f{animation:none}}\n")
    return _picture(columns, len(shots[0].lines), palette.css() + "".join(rules), names, "".join(body), title)


def _caption(text: str, columns: int) -> str:
    middle = (columns * CELL + 2 * MARGIN) // 2
    return f'<text class="title" x="{middle}" y="24">{escape(text, quote=False)}</text>\n'


def _screen(shown: list[str], names: dict[str, str]) -> str:
    """Lines by the names under which they stand in the file; a new line gets one."""
    uses = "".join(
        f'<use href="#{names.setdefault(line, f"l{len(names)}")}" y="{y * LINE + BASE}"/>'
        for y, line in enumerate(shown)
        if line
    )
    return f'<g transform="translate({MARGIN} {BAR})">{uses}</g>'


def _picture(columns: int, rows: int, styles: str, names: dict[str, str], body: str, title: str) -> str:
    defined = "".join(f'<g id="{name}">{line}</g>\n' for line, name in names.items())
    width, height = columns * CELL + 2 * MARGIN, rows * LINE + BAR + MARGIN
    dots = "".join(
        f'<circle cx="{20 + 20 * n}" cy="18" r="6" fill="{c}"/>'
        for n, c in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">\n'
        f"<title>{escape(title, quote=False)}</title>\n<style>\n"
        f"rect{{shape-rendering:crispEdges}}\n"
        f"text{{font-family:{FONTS};font-size:{SIZE}px;fill:{_hex(FOREGROUND)}}}\n"
        f".w{{letter-spacing:{2 * CELL - SIZE}px}}\n"
        f".title{{font-family:sans-serif;font-size:16px;text-anchor:middle}}\n{styles}</style>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="#292929"/>{dots}\n'
        f'<rect x="{MARGIN}" y="{BAR}" width="{columns * CELL}" height="{rows * LINE}" fill="{_hex(BACKGROUND)}"/>\n'
        f"<defs>{defined}</defs>{body}</svg>\n"
    )
