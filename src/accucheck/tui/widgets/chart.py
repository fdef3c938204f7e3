"""Curves and bars drawn in cells: in braille dots and eighths of a block, or with plain characters where only these are to be had.

Series differ by colour and by a sign of their own, so that they are told apart without colours too. Many points become, for each column,
all that lies between the lowest and the highest: no spike is lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from ...axes import (
    decades,
    finite,
    logarithmic,
    logarithmic_map,
    logarithmic_x,
    recorded_apart,
    shades,
    some,
    ticks,
    within,
)
from ...language import visible
from ...model import Curve, Heatmap, Histogram

Label = Callable[[str], str]
#: Of each series its own, by turns.
COLOURS = ("$text-primary", "$text-warning", "$text-success", "$text-error", "$text-accent", "$text-secondary")
SIGNS, ASCII_SIGNS = "●+×○■◇▲", "*+xo#%@"
#: Further series only make a thicket; the text below the chart names them.
MOST_SERIES = 12
#: Columns between two signs of a series.
APART = 14
#: A plot smaller than this shows nothing.
LEAST_WIDTH, LEAST_HEIGHT = 12, 3
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_EIGHTHS_ACROSS, _EIGHTHS_UP = " ▏▎▍▌▋▊▉█", " ▁▂▃▄▅▆▇█"
#: From the least to the most.
_SHADES, _ASCII_SHADES = "·░▒▓█", ".:=*#"
_DIM = "$text-muted"


class _Frame(NamedTuple):
    """The characters around a plot."""

    side: str
    tick: str
    corner: str
    floor: str
    mark: str
    flag: str
    gap: str


_DRAWN = _Frame("│", "┤", "└", "─", "┊", "▾", "╳")
_PLAIN = _Frame("|", "+", "+", "-", ":", "v", "X")


class _Axis:
    """Values to places from 0 to 1."""

    def __init__(self, values: Sequence[float], *, log: bool) -> None:
        self.log = log
        low, high = min(values), max(values)
        if low == high:
            away = abs(low) * 0.1 or 1.0
            low, high = (low / 2, high * 2) if log else (low - away, high + away)
        self.low, self.high = low, high
        self._base, self._span = self._at(low), self._at(high) - self._at(low)

    def _at(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def place(self, value: float) -> float:
        if self.log and value <= 0:
            return -1.0
        return (self._at(value) - self._base) / self._span

    def ticks(self, most: int) -> list[float]:
        found = decades(self.low, self.high, most) if self.log else ticks(self.low, self.high, most)
        return [value for value in found if -1e-9 <= self.place(value) <= 1 + 1e-9]


def cut(text: str, width: int, *, only_ascii: bool = False) -> str:
    """Untrusted text in at most `width` cells."""
    text, dots = visible(text), ".." if only_ascii else "…"
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - len(dots))).rstrip() + dots[: max(0, width)]


def sign(number: int, *, only_ascii: bool) -> str:
    """What stands for the series of this number."""
    signs = ASCII_SIGNS if only_ascii else SIGNS
    return signs[number % len(signs)]


# --- curves -----------------------------------------------------------------------------------------------------------


def curve(chart: Curve, label: Label, width: int, height: int, *, only_ascii: bool = False) -> list[Content]:
    """The lines of a chart of at most these cells; none where there is no room or nothing that can be drawn."""
    x = finite(chart.x)
    series = [(name, finite(values)[: len(x)]) for name, values in list(chart.series.items())[:MOST_SERIES]]
    points = [(a, b) for _, y in series for a, b in zip(x, y, strict=False) if not (math.isnan(a) or math.isnan(b))]
    marks = {name: at for name, at in chart.marks.items() if abs(at) < math.inf}
    rows = height - 3 - bool(marks)
    if not points or rows < LEAST_HEIGHT:
        return []
    up = _Axis([b for _, b in points], log=logarithmic([b for _, b in points]))
    known = [a for a in x if not math.isnan(a)]
    along = _Axis(known, log=logarithmic_x(known))
    numbers = {
        min(rows - 1, int((1 - up.place(value)) * rows)): f"{value:.6g}" for value in up.ticks(max(2, rows // 3))
    }
    margin = max(map(len, numbers.values()))
    columns = width - margin - 1
    if columns < LEAST_WIDTH:
        return []
    frame = _PLAIN if only_ascii else _DRAWN
    canvas = _Canvas(columns, rows, only_ascii=only_ascii)
    places = [along.place(value) if not math.isnan(value) else math.nan for value in x]
    for number, (_, y) in enumerate(series):
        heights = [math.nan if math.isnan(value) else up.place(value) for value in y]
        canvas.draw(number, len(series), places, heights)
    at = [(name, int(along.place(value) * (columns - 1) + 0.5)) for name, value in marks.items()]
    shown = [(name, column) for name, column in at if 0 <= column < columns]
    lines = _legend(chart, label, [name for name, _ in series], width, only_ascii=only_ascii)
    if marks:
        lines.append(Content.assemble(" " * (margin + 1), (_flags(shown, label, columns, frame), "$text-warning")))
    for row in range(rows):
        number_here = numbers.get(row, "")
        edge = f"{number_here:>{margin}}{frame.tick if number_here else frame.side}"
        lines.append(Content.assemble((edge, _DIM), *canvas.line(row, {column for _, column in shown}, frame.mark)))
    lines += _floor(along, label(chart.x_label), canvas.gaps, margin, columns, frame)
    return lines


class _Canvas:
    """Series as dots: two by four in a cell, or one where only plain characters are to be had."""

    def __init__(self, columns: int, rows: int, *, only_ascii: bool) -> None:
        self.columns, self.rows, self.only_ascii = columns, rows, only_ascii
        self._wide, self._high = (1, 1) if only_ascii else (2, 4)
        self._bits = [[0] * columns for _ in range(rows)]
        self._owner = [[-1] * columns for _ in range(rows)]
        self._signs: dict[tuple[int, int], int] = {}
        #: Columns in which a series has no value.
        self.gaps: set[int] = set()

    def draw(self, number: int, count: int, x: list[float], y: list[float]) -> None:
        """A series; places from 0 to 1, NaN for what is not there. Where x goes back, as after a restart, a new line begins.

        One that was recorded at other places than the rest has no gaps.
        """
        width, height = self.columns * self._wide, self.rows * self._high
        apart = recorded_apart(y)
        spans: dict[int, list[int]] = {}
        before: tuple[int, int] | None = None  # column and dot of the point to draw a line from
        alone, last = True, -math.inf
        for place, value in zip(x, y, strict=False):
            if math.isnan(place) or (math.isnan(value) and apart):
                continue
            column = min(width - 1, int(place * (width - 1) + 0.5))
            if math.isnan(value):
                self.gaps.add(column // self._wide)
                self._lone(number, before, alone)
                before = None
                continue
            if place < last:
                self._lone(number, before, alone)
                self._fill(number, spans)
                spans, before = {}, None
            last = place
            dot = min(height - 1, max(0, int((1 - value) * (height - 1) + 0.5)))
            alone = before is None
            if before is not None:
                _join(spans, before, (column, dot))
            else:
                _touch(spans, column, dot)
            before = column, dot
        self._lone(number, before, alone)
        self._fill(number, spans)
        if count > 1 and not self.only_ascii:
            self._put_signs(number, count, spans)

    def _lone(self, number: int, point: tuple[int, int] | None, alone: bool) -> None:
        """A point between two gaps is seen by its sign alone."""
        if point is not None and alone:
            self._signs[point[1] // self._high, point[0] // self._wide] = number

    def _fill(self, number: int, spans: dict[int, list[int]]) -> None:
        for column, (low, high, _) in spans.items():
            for dot in range(low, high + 1):
                row, cell = dot // self._high, column // self._wide
                self._bits[row][cell] |= 1 if self.only_ascii else _DOTS[dot % 4][column % 2]
                self._owner[row][cell] = number

    def _put_signs(self, number: int, count: int, spans: dict[int, list[int]]) -> None:
        last = -APART
        for column in sorted(spans):
            cell = column // self._wide
            if cell >= last + APART and cell % APART >= number * APART // count:
                self._signs[spans[column][2] // self._high, cell] = number
                last = cell - (cell % APART - number * APART // count)

    def line(self, row: int, marks: set[int], mark: str) -> list[tuple[str, str]]:
        """A row as pieces of one style."""
        pieces: list[tuple[str, str]] = []
        for cell in range(self.columns):
            number = self._signs.get((row, cell), -1)
            if number >= 0:
                piece = sign(number, only_ascii=self.only_ascii), COLOURS[number % len(COLOURS)] + " bold"
            elif self._bits[row][cell]:
                owner = self._owner[row][cell]
                dots = sign(owner, only_ascii=True) if self.only_ascii else chr(0x2800 + self._bits[row][cell])
                piece = dots, COLOURS[owner % len(COLOURS)]
            else:
                piece = (mark, _DIM) if cell in marks else (" ", "")
            if pieces and pieces[-1][1] == piece[1]:
                pieces[-1] = pieces[-1][0] + piece[0], piece[1]
            else:
                pieces.append(piece)
        return pieces


def _touch(spans: dict[int, list[int]], column: int, *dots: int) -> None:
    """Draw a column over these dots; the last of them is where the line is."""
    low, high, _ = spans.get(column, (dots[0], dots[0], 0))
    spans[column] = [min(low, *dots), max(high, *dots), dots[-1]]


def _join(spans: dict[int, list[int]], start: tuple[int, int], end: tuple[int, int]) -> None:
    """A line without holes between two points: half of a step up or down stands in each of two columns."""
    (first, dot), (last, goal) = start, end
    if first == last:
        _touch(spans, last, goal)
    begin = dot
    for column in range(first, last):
        following = begin + round((goal - begin) * (column + 1 - first) / (last - first))
        middle = (dot + following) // 2
        _touch(spans, column, middle, dot)
        _touch(spans, column + 1, middle, following)
        dot = following


def _legend(chart: Curve, label: Label, names: list[str], width: int, *, only_ascii: bool) -> list[Content]:
    """What goes up, and each series with its sign, in one line."""
    line = Content.styled(cut(label(chart.y_label), max(8, width // 3), only_ascii=only_ascii), _DIM)
    if len(names) == 1 and label(names[0]) == label(chart.y_label):
        return [line]
    each = width - line.cell_length - 4 if len(names) == 1 else width // 2
    for number, name in enumerate(names):
        text = cut(label(name), max(6, each), only_ascii=only_ascii)
        style = COLOURS[number % len(COLOURS)] + " bold"
        told = len(names) > 1 or only_ascii  # a single line of dots needs no sign
        piece = Content.assemble("  ", (sign(number, only_ascii=only_ascii) + " " if told else "", style), text)
        more = f"  +{len(chart.series) - number}"
        if line.cell_length + piece.cell_length + len(more) > width:
            return [Content.assemble(line, (more, _DIM))]
        line += piece
    return [line]


def _flags(marks: list[tuple[str, int]], label: Label, columns: int, frame: _Frame) -> str:
    """The names of the marks above their columns; one without room is a flag alone."""
    line, used = [" "] * columns, 0
    for name, column in sorted(marks, key=lambda mark: mark[1]):
        text = cut(label(name), columns, only_ascii=frame is _PLAIN)
        room = cell_len(text)
        if column + 1 + room <= columns and column >= used:
            start, line[column] = column + 1, frame.flag
            end = column + room + 1
        elif column >= columns // 2 and column - room >= used:
            start, line[column] = column - room, frame.flag
            end = column + 1
        else:
            line[column] = frame.flag if column >= used else line[column]
            continue
        line[start : start + room] = [text, *[""] * (room - 1)] if room else []
        used = end + 1
    return "".join(line)


def _floor(along: _Axis, name: str, gaps: set[int], margin: int, columns: int, frame: _Frame) -> list[Content]:
    """The line below the plot, on which gaps are crossed, and its numbers, with the name of the axis at the right end."""
    floor = [frame.floor] * columns
    numbers, used = [" "] * columns, -1
    name = cut(name, columns // 3, only_ascii=frame is _PLAIN)
    room = columns - cell_len(name) - 2
    for value in along.ticks(max(2, columns // 12)):
        text, column = f"{value:.6g}", int(along.place(value) * (columns - 1) + 0.5)
        start = max(0, column - len(text) // 2)
        if start > used and start + len(text) <= room:
            numbers[start : start + len(text)] = text
            used = start + len(text)
            floor[column] = "+" if frame is _PLAIN else "┬"
    for column in gaps:
        floor[column] = frame.gap
    below = Content.assemble((" " * margin + frame.corner, _DIM))
    for piece in _pieces(floor, gaps):
        below += piece
    end = "".join(numbers[: columns - cell_len(name)]) + name
    return [below, Content.styled(" " * (margin + 1) + end, _DIM)]


def _pieces(floor: list[str], gaps: set[int]) -> list[Content]:
    pieces, start = [], 0
    for column in range(1, len(floor) + 1):
        if column == len(floor) or (column in gaps) is not (start in gaps):
            pieces.append(Content.styled("".join(floor[start:column]), "$text-error bold" if start in gaps else _DIM))
            start = column
    return pieces


def spark(values: Sequence[float | None], width: int, *, counts: bool = False) -> str:
    """A series in one line of at most `width` cells: of each stretch the value farthest from the one drawn before; a gap is a blank.

    counts: they are drawn from zero up, in proportion.
    """
    y = finite(values)
    known = [value for value in y if not math.isnan(value)]
    if not known or width < 1:
        return ""
    axis = _Axis([0.0, *known], log=False) if counts else _Axis(known, log=logarithmic(known))
    count = min(width, len(y))
    line, before = [], axis.place(known[0])
    for number in range(count):
        part = y[number * len(y) // count : (number + 1) * len(y) // count]
        here = [axis.place(value) for value in part if not math.isnan(value)]
        if here:
            before = max(here, key=lambda place: abs(place - before))
            line.append(_EIGHTHS_UP[1 + min(7, int(before * 8))])
        else:
            line.append(" ")
    return "".join(line)


# --- maps --------------------------------------------------------------------------------------------------------------


def heat(
    chart: Heatmap, label: Label, width: int, *, only_ascii: bool = False, most: int | None = None
) -> list[Content]:
    """A line a row, of at most `most` of them: its name, and its cells from light to dark, of several in one the darkest; × stands for
    those that are marked. Last comes what the shades mean."""
    count = min(len(chart.rows), len(chart.values))
    marked = {(row, column) for row, column in within(chart.marked, count, len(chart.columns))}
    rows = some(count, most if most is not None else count, {row for row, _ in marked})
    names = {row: cut(label(chart.rows[row]), max(6, min(28, width // 3)), only_ascii=only_ascii) for row in rows}
    longest = max(map(cell_len, names.values()), default=0)
    room = width - longest - 1
    if not rows or not chart.columns or room < LEAST_WIDTH:
        return []
    fit = min(len(chart.columns), room)
    each = min(4, room // fit)
    shade = shades(value for row in chart.values for value in row)
    lines = []
    for row in rows:
        line = Content(f"{names[row]}{' ' * (longest - cell_len(names[row]))} ")
        values = [*chart.values[row], *[None] * len(chart.columns)]
        for number in range(fit):
            columns = range(number * len(chart.columns) // fit, (number + 1) * len(chart.columns) // fit)
            places = [place for column in columns if (place := shade(values[column])) is not None]
            bad = any((row, column) in marked for column in columns)
            line += _patch(max(places, default=None), bad, each, only_ascii=only_ascii)
        lines.append(line)
    return [*lines, *_heat_legend(chart, label, longest, fit * each, width, only_ascii=only_ascii)]


def _patch(place: float | None, bad: bool, each: int, *, only_ascii: bool) -> Content:
    """A cell of a map, `each` wide."""
    if bad:
        return Content.styled(("x" if only_ascii else "×") * each, "$text-error bold")
    if place is None:
        return Content.styled(" " * (each - 1) + "-", _DIM)
    signs = _ASCII_SHADES if only_ascii else _SHADES
    return Content.styled(signs[min(len(signs) - 1, int(place * len(signs)))] * each, COLOURS[0])


def _heat_legend(
    chart: Heatmap, label: Label, margin: int, across: int, width: int, *, only_ascii: bool
) -> list[Content]:
    """The first and last column with the name of the axis, and the values of the lightest and the darkest shade."""
    ends = [cut(label(text), across // 3, only_ascii=only_ascii) for text in (chart.columns[0], chart.columns[-1])]
    room = across - sum(map(cell_len, ends))
    name = cut(label(chart.x_label), max(0, room - 2), only_ascii=only_ascii)
    left = (room - cell_len(name)) // 2
    below = f"{' ' * (margin + 1)}{ends[0]}{' ' * left}{name}{' ' * (room - cell_len(name) - left)}{ends[1]}"
    known = [value for value in finite(value for row in chart.values for value in row) if not math.isnan(value)]
    if not known:
        return [Content.styled(below, _DIM)]
    signs = _ASCII_SHADES if only_ascii else _SHADES
    log = logarithmic_map(known)
    least = min((value for value in known if value > 0), default=0.0) if log else min(known)
    text = f"{signs[0]} {least:.3g}  {signs[-1]} {max(known):.3g}"
    value = cut(label(chart.value_label), max(0, width - len(text) - 2), only_ascii=only_ascii)
    return [Content.styled(below, _DIM), Content.assemble((f"{value}  ", _DIM), (text, COLOURS[0]))]


# --- bars -------------------------------------------------------------------------------------------------------------


def bars(chart: Histogram, label: Label, width: int, height: int, *, only_ascii: bool = False) -> list[Content]:
    """Standing bars for many bins of numbers, else lying ones, which may be more than `height` lines."""
    if len(chart.labels) > max(8, height) and numeric(chart.labels):
        standing = columns(chart, label, width, height, only_ascii=only_ascii)
        if standing:
            return standing
    return lying(chart.labels, chart.counts, label, width, only_ascii=only_ascii)


def numeric(labels: Sequence[str]) -> bool:
    """Whether all labels are numbers, as those of bins are."""
    try:
        return all(math.isfinite(float(text)) for text in labels)
    except ValueError:
        return False


def lying(
    labels: Sequence[str],
    counts: Sequence[float],
    label: Label,
    width: int,
    *,
    only_ascii: bool = False,
    beside: Sequence[float] = (),
) -> list[Content]:
    """A line a bar: label, bar, number. What is not zero has a bar that can be seen; one below zero is drawn hollow.

    beside: all numbers, where only some of their bars are drawn.
    """
    values = finite(counts)[: len(labels)]
    names = [cut(label(text), max(6, min(24, width // 3)), only_ascii=only_ascii) for text in labels[: len(values)]]
    longest = max(map(cell_len, names), default=0)
    numbers = [f"{count:,.6g}" for count in counts[: len(values)]]
    room = max(4, width - longest - max(map(len, numbers), default=0) - 2)
    top = max((abs(value) for value in [*values, *finite(beside)] if not math.isnan(value)), default=0) or 1
    lines = []
    for name, value, number in zip(names, values, numbers, strict=True):
        length = 0.0 if math.isnan(value) else room * abs(value) / top
        if only_ascii:
            bar = ("#" if value > 0 else "=") * (max(1, round(length)) if length else 0)
        elif value < 0:
            bar = "░" * max(1, round(length))
        else:
            eighths = max(1, round(8 * length)) if length else 0
            bar = "█" * (eighths // 8) + _EIGHTHS_ACROSS[eighths % 8].strip()
        padding = " " * (longest - cell_len(name))
        lines.append(Content.assemble(f"{name}{padding} ", (bar, COLOURS[0]), (f" {number}" if bar else number, "")))
    return lines


def columns(chart: Histogram, label: Label, width: int, height: int, *, only_ascii: bool = False) -> list[Content]:
    """Standing bars, each as wide as there is room; where bins are more than columns, the highest of those in one."""
    values = [0.0 if math.isnan(value) or value < 0 else value for value in finite(chart.counts)][: len(chart.labels)]
    rows, top = height - 3, max(values, default=0.0)
    margin = max(len(f"{top:,.6g}"), 1)
    room = width - margin - 1
    if rows < LEAST_HEIGHT or room < LEAST_WIDTH or not top:
        return []
    each = max(1, room // len(values))
    fit = min(len(values), room // each)
    of = [(number * len(values) // fit, (number + 1) * len(values) // fit) for number in range(fit)]
    eighths = [max(1, round(8 * rows * high / top)) if (high := max(values[a:b])) else 0 for a, b in of]
    frame = _PLAIN if only_ascii else _DRAWN
    lines = [Content.styled(cut(label(chart.y_label), width, only_ascii=only_ascii), _DIM)]
    for row in range(rows):
        edge = f"{top:,.6g}{frame.tick}" if row == 0 else f"{'':>{margin}}{frame.side}"
        floor = 8 * (rows - 1 - row)
        cells = [max(0, min(8, eighth - floor)) for eighth in eighths]
        drawn = "".join(("#" if cell >= 4 or (cell and not row) else "." if cell else " ") * each for cell in cells)
        if not only_ascii:
            drawn = "".join(_EIGHTHS_UP[cell] * each for cell in cells)
        lines.append(Content.assemble((edge, _DIM), (drawn, COLOURS[0])))
    lines.append(Content.styled(" " * margin + frame.corner + frame.floor * (each * fit), _DIM))
    below = [label(chart.labels[0]), label(chart.x_label), label(chart.labels[-1])]
    first, middle, last = (cut(text, room // 3, only_ascii=only_ascii) for text in below)
    between = max(2, each * fit - cell_len(first) - cell_len(last) - (cell_len(middle) - len(middle)))
    lines.append(Content.styled(f"{' ' * (margin + 1)}{first}{middle.center(between)}{last}", _DIM))
    return lines
