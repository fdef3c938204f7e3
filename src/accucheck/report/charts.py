"""Pictures for the reports: charts drawn from evidence (PNG, SVG), and attached pictures made safe to pass on (PNG)."""

from __future__ import annotations

import io
import math
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width
from xml.etree import ElementTree

from .. import chart_texts, lacking
from ..axes import LARGEST, finite, logarithmic, logarithmic_map, logarithmic_x, shades
from ..language import Language, Words, word
from ..model import Curve, Heatmap, Histogram
from .parts import ChartPart

if TYPE_CHECKING:
    from . import Draw

#: Fonts with Chinese glyphs, best first, by the names that Linux, Windows and macOS give them.
CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "Microsoft YaHei",
    "PingFang SC",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "SimHei",
    "Noto Sans SC",
    "Heiti SC",
    "Droid Sans Fallback",
    "SimSun",
    "Noto Sans CJK JP",
    "Noto Serif CJK SC",
    "AR PL UMing CN",
    "AR PL UKai CN",
)
#: Told apart by people with any colour vision, and in grey: Okabe and Ito, "Color Universal Design" (2008).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: Of each series its own, so that they are told apart where there is no colour at all.
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
MARKERS = ("o", "s", "^", "D", "v", "x", "P")
#: Behind the name of a mark, so that no curve runs through it.
_PAPER = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
WIDTH, DPI = 6.3, 130  # inches: the text width of an A4 page with 2 cm margins, less a little
#: Of a heat map, light to dark: even in grey, and to people with any colour vision.
HEAT = "cividis_r"
#: Shades that are told apart; each is one path, so that a page holds no picture that it would have to load.
LEVELS = 32
MAX_PIXELS = 50_000_000
#: Pillow keeps 8 bytes for each line, however short.
MAX_LINES = 1_000_000
MAX_BYTES = 20 << 20
MAX_SIDE = 1600


@cache
def chinese_font() -> str | None:
    """The name of an installed font with Chinese glyphs, or None."""
    from matplotlib import font_manager

    def known() -> str | None:
        names = {font.name for font in font_manager.fontManager.ttflist}
        return next((name for name in CHINESE_FONTS if name in names), None)

    if known() is None:  # matplotlib keeps its list of fonts for good: one that was installed later is not in it
        listed = {font.fname for font in font_manager.fontManager.ttflist}
        for path in sorted(set(font_manager.findSystemFonts()) - listed):
            with suppress(OSError, RuntimeError, ValueError):
                font_manager.fontManager.addfont(path)
    return known()


def draw(part: ChartPart, form: str = "png") -> bytes:
    """A chart as png or svg. Without a Chinese font its English words are used, so that no empty boxes appear."""
    with _style():
        return _saved(_figure(part), form)


def drawn_here() -> bool:
    """Whether charts can be drawn; else they are told in words."""
    return lacking.here("matplotlib")


def in_words(part: ChartPart, language: Language) -> list[str]:
    """What a chart shows, a line for each of its curves or bars, and what to install to see it."""
    told = chart_texts.words(part.chart, str, language)
    return [*told, word(_NOT_DRAWN, "install", language, install=lacking.requirement())]


_NOT_DRAWN: Words = {
    "install": {
        "en": "A drawing of it takes matplotlib: pip install {install}",
        "zh": "绘制图表需要 matplotlib：pip install {install}",
    }
}


def drawer() -> Draw:
    """`draw` for all that is written of one report: each chart is laid out once, and made once in each form."""
    figures: dict[int, Any] = {}
    drawn: dict[tuple[int, str], bytes] = {}

    def draw_once(part: ChartPart, form: str = "png") -> bytes:
        if (id(part), form) not in drawn:
            with _style():
                if id(part) not in figures:
                    figures[id(part)] = _figure(part)
                drawn[id(part), form] = _saved(figures[id(part)], form)
        return drawn[id(part), form]

    return draw_once


@contextmanager
def _style() -> Iterator[None]:
    """The settings under which a figure is made and saved."""
    from matplotlib import rc_context

    font = chinese_font()
    settings = {
        "font.family": ["DejaVu Sans", *([font] if font else [])],
        "font.size": 9,
        "text.parse_math": False,  # a label with $ in it is not a formula
        "axes.unicode_minus": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": "#808080",
        "svg.fonttype": "none",  # text stays text: found, copied, and a tenth of the size of its outlines
        "svg.hashsalt": "accucheck",  # the same chart has the same ids
    }
    with rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # a label may hold signs that no font here has
        warnings.filterwarnings("ignore", "constrained_layout")  # words so long that they leave the plot little room
        yield


def _figure(part: ChartPart) -> Any:
    """The figure of a chart, laid out."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    font, layout = chinese_font(), ConstrainedLayoutEngine()
    chart = part.chart if font else part.english
    if isinstance(chart, Curve):
        figure = Figure(figsize=(WIDTH, 2.7), dpi=DPI, layout=layout)
        _curve(figure.add_subplot(), chart, font is not None)
    elif isinstance(chart, Heatmap):
        figure = Figure(figsize=(WIDTH, min(max(1.8, 0.17 * len(chart.rows) + 0.9), 9.0)), dpi=DPI, layout=layout)
        _heat(figure, chart, font is not None)
    else:
        lying = _lying(chart)
        height = max(1.6, 0.21 * len(chart.labels) + 0.6) if lying else 2.7
        figure = Figure(figsize=(WIDTH, min(height, 9.0)), dpi=DPI, layout=layout)
        _bars(figure.add_subplot(), chart, lying, font is not None)
    FigureCanvasAgg(figure)
    layout.execute(figure)  # half of the time that a picture takes
    figure.set_layout_engine("none")
    return figure


#: Neither who made a picture nor when goes into it.
_SILENT = {"png": {"Software": None}, "svg": dict.fromkeys(("Creator", "Date", "Format", "Type"))}


def _saved(figure: Any, form: str) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format=form, metadata=_SILENT[form])
    return stream.getvalue()


_SVG, _LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
_HUNDREDTHS = re.compile(r"(\.\d\d)\d+")


def within_a_page(content: bytes, prefix: str, name: str) -> str:
    """The svg of `draw` as an <svg> to stand within a page: without prolog, comments and metadata, as wide as the page lets it be.
    Its text is text; every id of it begins with `prefix`; `name` is what a screen reader says of it."""
    root = ElementTree.fromstring(content)  # noqa: S314 - matplotlib has just written it
    used = set(re.findall(rb"""(?:url\(|href=")#([\w-]+)""", content))
    for parent in list(root.iter()):
        for child in list(parent):
            # A style within a page would hold for all of the page.
            if child.tag in (f"{_SVG}metadata", f"{_SVG}style"):
                parent.remove(child)
    for element in root.iter():
        element.tag, attributes = element.tag.removeprefix(_SVG), element.attrib
        element.tail = None
        if element.tag != "text":
            element.text = None
        if (own := attributes.pop("id", None)) is not None and own.encode() in used:
            attributes["id"] = prefix + own
        if (target := attributes.pop(_LINK, None)) is not None:
            attributes["href"] = f"#{prefix}{target[1:]}"
        if "clip-path" in attributes:
            attributes["clip-path"] = attributes["clip-path"].replace("#", f"#{prefix}")
        if "d" in attributes:  # in points: a hundredth is finer than any screen
            attributes["d"] = _HUNDREDTHS.sub(r"\1", " ".join(attributes["d"].split()))
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.attrib |= {"role": "img", "aria-label": name}
    return ElementTree.tostring(root, "unicode")


def _label(text: str, chinese: bool, limit: int = 40) -> str:
    """A label that this machine can draw."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return short if chinese else "".join(c if ord(c) < 0x250 or c == "…" else f"\\u{ord(c):04x}" for c in short)


def _curve(axes: Any, curve: Curve, chinese: bool) -> None:
    x, everything = finite(list(curve.x)), []
    for number, (name, series) in enumerate(curve.series.items()):
        y = finite(series)
        length = min(len(x), len(y))
        everything += y[:length]
        colour, dashes = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
        # Some markers on a long curve: more would hide it. A point between two gaps is seen by its marker alone.
        marker = MARKERS[number % len(MARKERS)]
        style = {"marker": marker, "markersize": 3.5, "markevery": max(1, length // 40)}
        lone = [at for at in range(length) if _alone(y, at, length)]
        axes.plot(
            x[:length], y[:length], color=colour, linestyle=dashes, linewidth=1.3, label=_label(name, chinese), **style
        )
        axes.plot([x[at] for at in lone], [y[at] for at in lone], marker, color=colour, markersize=3.5)
    if logarithmic_x(x):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    if logarithmic(everything):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    if curve.x and {*curve.marks.values()} == {*curve.x}:  # the places have names, and are no numbers
        axes.set_xticks([*curve.marks.values()], [_label(name, chinese) for name in curve.marks])
    else:
        _marks(axes, curve, chinese)
    axes.set_xlabel(_label(curve.x_label, chinese))
    axes.set_ylabel(_label(curve.y_label, chinese))
    axes.grid(True, color="#e0e0e0", linewidth=0.6)
    if len(curve.series) > 1:
        # Above the plot, where it hides neither curves nor names of marks.
        aside = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1}
        axes.legend(frameon=False, fontsize=8, ncols=min(4, len(curve.series)), **aside)


def _marks(axes: Any, curve: Curve, chinese: bool) -> None:
    """Dotted lines, each with its name in the first of a few rows where it hides no other; a name without room is left out."""
    rows = [-math.inf] * 4
    across = WIDTH * 72 * 0.9  # points, about
    place = axes.transData + axes.transAxes.inverted()
    for name, value in sorted(curve.marks.items(), key=lambda mark: mark[1]):
        if not abs(value) < LARGEST:
            continue
        axes.axvline(value, color="#606060", linewidth=0.9, linestyle=(0, (1, 1.5)))
        text, at = _label(name, chinese), place.transform((value, 1))[0] * across
        length = sum(8.5 if east_asian_width(sign) in "WF" else 4.8 for sign in text) + 6
        late = at + length > across
        start = at - length if late else at
        row = next((number for number, end in enumerate(rows) if end <= start), None)
        if row is not None:
            rows[row] = start + length
            aside = {"xytext": (-3 if late else 3, -9 - 11 * row), "ha": "right" if late else "left"}
            where = {"xy": (value, 1), "xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            axes.annotate(text, **where, **aside, fontsize=8, color="#202020", bbox=_PAPER)


def _alone(values: list[float], at: int, length: int) -> bool:
    """Whether a point has no neighbour to draw a line to."""
    beside = [values[place] for place in (at - 1, at + 1) if 0 <= place < length]
    return not math.isnan(values[at]) and all(map(math.isnan, beside))


def _lying(bars: Histogram) -> bool:
    """Bars lie where their labels would not fit below standing ones."""
    return sum(len(label) + 2 for label in bars.labels) > 90 or max(map(len, bars.labels), default=0) > 14


def _bars(axes: Any, bars: Histogram, lying: bool, chinese: bool) -> None:
    labels = [_label(label, chinese, 30) for label in bars.labels]
    counts = [0.0 if math.isnan(count) else count for count in finite(list(bars.counts))][: len(labels)]
    places = list(range(len(counts)))
    if lying:
        drawn = axes.barh(places, counts, color=COLOURS[0], height=0.72)
        axes.set_yticks(places, labels[: len(counts)])
        axes.invert_yaxis()
    else:
        drawn = axes.bar(places, counts, color=COLOURS[0], width=0.72)
        axes.set_xticks(places, labels[: len(counts)])
    if len(counts) <= 40:
        axes.bar_label(drawn, [f"{count:,.6g}" for count in counts], padding=2, fontsize=7.5, color="#404040")
    axes.grid(True, axis="x" if lying else "y", color="#e0e0e0", linewidth=0.6)
    across, up = (bars.y_label, bars.x_label) if lying else (bars.x_label, bars.y_label)
    axes.set_xlabel(_label(across, chinese))
    axes.set_ylabel(_label(up, chinese))
    axes.set_axisbelow(True)
    axes.margins(**{"x" if lying else "y": 0.12})


def _heat(figure: Any, heat: Heatmap, chinese: bool) -> None:
    """Shades from light to dark, which stay in order in grey; what has no value is dashed, what is marked is crossed."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm, Normalize

    axes, rows, columns = figure.add_subplot(), len(heat.rows), len(heat.columns)
    shade, every = (
        shades(value for row in heat.values for value in row),
        [value for row in heat.values for value in row],
    )
    known = [value for value in finite(every) if not math.isnan(value)]
    axes.set_facecolor("#f4f4f4")
    axes.spines[:].set_visible(False)
    grid = [[math.nan if (place := shade(value)) is None else place for value in row] for row in heat.values]
    colours = colormaps[HEAT].resampled(LEVELS)
    _squares(axes, grid, colours)
    crossed = {(row, column) for row, column in heat.marked}
    empty = [
        (row, column)
        for row in range(rows)
        for column in range(columns)
        if math.isnan(grid[row][column]) and (row, column) not in crossed
    ]
    for marker, colour, cells in (("_", "#b0b0b0", empty), ("x", COLOURS[1], sorted(crossed))):
        style = {"marker": marker, "color": colour, "linestyle": "none", "markersize": 5, "markeredgewidth": 1.4}
        axes.plot([column for _, column in cells], [row for row, _ in cells], **style)
    axes.set_yticks(range(rows), [_label(row, chinese, 30) for row in heat.rows], fontsize=7.5)
    each = -(-columns // 12) or 1
    axes.set_xticks(range(0, columns, each), [_label(column, chinese, 10) for column in heat.columns[::each]])
    axes.set_xlabel(_label(heat.x_label, chinese))
    axes.set_ylabel(_label(heat.y_label, chinese))
    if known and min(known) < max(known):
        positive = [value for value in known if value > 0]
        norm = LogNorm(min(positive), max(positive)) if logarithmic_map(known) else Normalize(min(known), max(known))
        bar = figure.colorbar(ScalarMappable(norm, colours), ax=axes, fraction=0.04, pad=0.02)
        bar.set_label(_label(heat.value_label, chinese), fontsize=8)
        bar.ax.yaxis.set_major_formatter("{x:g}")
        bar.ax.tick_params(labelsize=7.5)
        bar.outline.set_visible(False)


def _squares(axes: Any, grid: list[list[float]], colours: Any) -> None:
    """A square for each number from 0 to 1, those of one shade in one path, neighbours in a row together."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    corners: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for row, values in enumerate(grid):
        levels = [None if math.isnan(value) else min(int(value * LEVELS), LEVELS - 1) for value in values]
        begin = 0.0
        for level, alike in groupby(levels):
            end = begin + len(list(alike))
            if level is not None:
                left, right, top, bottom = begin - 0.5, end - 0.5, row - 0.5, row + 0.5
                corners[level] += [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
            begin = end
    codes = [Outline.MOVETO, Outline.LINETO, Outline.LINETO, Outline.LINETO, Outline.CLOSEPOLY]
    for level, points in sorted(corners.items()):
        outline = Outline(points, codes * (len(points) // len(codes)))
        shade = "#{:02x}{:02x}{:02x}".format(*colours(level, bytes=True)[:3])
        axes.add_patch(PathPatch(outline, facecolor=shade, linewidth=0, antialiased=False))
    axes.set_xlim(-0.5, max(map(len, grid), default=1) - 0.5)
    axes.set_ylim(max(len(grid), 1) - 0.5, -0.5)


def picture(path: Path) -> bytes | None:
    """An attached picture as PNG: decoded, at most MAX_SIDE pixels wide and high, without its metadata (camera, place, author).

    None when it is no picture, or one beyond MAX_BYTES or MAX_PIXELS.
    """
    from PIL import Image, ImageOps

    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        with Image.open(path, formats=("PNG", "JPEG", "BMP", "GIF", "WEBP")) as image:
            if image.width * image.height > MAX_PIXELS or image.height > MAX_LINES:
                return None
            upright = ImageOps.exif_transpose(image).convert("RGBA")
        upright.thumbnail((MAX_SIDE, MAX_SIDE))
        paper = Image.new("RGB", upright.size, "white")
        paper.paste(upright, mask=upright.getchannel("A"))
        stream = io.BytesIO()
        paper.save(stream, "PNG", optimize=True)
        return stream.getvalue()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
