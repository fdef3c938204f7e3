"""Charts in words, for who does not see them: what is copied, what a screen reader reads, what stands below a chart."""

from __future__ import annotations

import math
from collections.abc import Callable

from .axes import finite, recorded_apart, some, told, within
from .language import Language, Words, word
from .model import Chart, Curve, Heatmap, Histogram

#: Series, marks and bars beyond these are only counted.
MOST = 30
WORDS: Words = {
    "series": {
        "zh": "{name}：共 {count:,} 个点，首 {first:.6g}，末 {last:.6g}，最小 {low:.6g}（{axis} = {low_at:.6g}），"
        "最大 {high:.6g}（{axis} = {high_at:.6g}）",
        "en": "{name}: {count:,} {count:point|points}, first {first:.6g}, last {last:.6g}, lowest {low:.6g} at {axis} {low_at:.6g}, "
        "highest {high:.6g} at {axis} {high_at:.6g}",
    },
    "gaps": {
        "zh": "；{count:,} 处没有可画的值（NaN、Inf 或未记录），首处 {axis} = {at:.6g}",
        "en": "; no value to draw at {count:,} {count:place|places} (NaN, Inf or not recorded), first at {axis} {at:.6g}",
    },
    "empty": {"zh": "{name}：没有可画的值", "en": "{name}: nothing that can be drawn"},
    "mark": {"zh": "标记 {name}：{axis} = {at:.6g}", "en": "mark {name}: {axis} {at:.6g}"},
    "bars": {
        "zh": "共 {count:,} 项，合计 {total:,.6g}，最大 {high_name}（{high:,.6g}），最小 {low_name}（{low:,.6g}）",
        "en": "{count:,} {count:bar|bars}, {total:,.6g} in all, highest {high_name} ({high:,.6g}), lowest {low_name} ({low:,.6g})",
    },
    "heat": {
        "zh": "{rows:,} 行 × {columns:,} 列，最小 {low:.6g}（{low_at}），最大 {high:.6g}（{high_at}）",
        "en": "{rows:,} {rows:row|rows} of {columns:,} {columns:column|columns}, lowest {low:.6g} ({low_at}), "
        "highest {high:.6g} ({high_at})",
    },
    "heat-none": {"zh": "{count:,} 格没有值", "en": "no value in {count:,} {count:cell|cells}"},
    "heat-marked": {"zh": "标记 {count:,} 格，首个在 {at}", "en": "{count:,} {count:cell|cells} marked, first {at}"},
    "no-bars": {"zh": "没有可画的值", "en": "nothing that can be drawn"},
    "more": {"zh": "另有 {count:,} 项", "en": "{count:,} more"},
}


def curve(chart: Curve, label: Callable[[str], str], language: Language) -> list[str]:
    """A line for each series and each mark; `label` gives the words of a name."""

    def say(key: str, **data: object) -> str:
        return word(WORDS, key, language, axis=label(chart.x_label) or "x", **data)

    lines = []
    for name, values in list(chart.series.items())[:MOST]:
        x, y = finite(chart.x), finite(values)
        pairs = [(a, b) for a, b in zip(x, y, strict=False) if not math.isnan(a)]
        known = [(a, b) for a, b in pairs if not math.isnan(b)]
        if not known:
            lines.append(say("empty", name=label(name)))
            continue
        (low_at, low), (high_at, high) = min(known, key=lambda point: point[1]), max(known, key=lambda point: point[1])
        said = {"first": known[0][1], "last": known[-1][1], "low": low, "low_at": low_at, "high": high}
        text = say("series", name=label(name), count=len(known), high_at=high_at, **said)
        gaps = [] if len(known) > 1 and recorded_apart(y) else [a for a, b in pairs if math.isnan(b)]
        lines.append(text + (say("gaps", count=len(gaps), at=gaps[0]) if gaps else ""))
    lines += [say("mark", name=label(name), at=at) for name, at in list(chart.marks.items())[:MOST]]
    more = max(0, len(chart.series) - MOST) + max(0, len(chart.marks) - MOST)
    return [*lines, *([say("more", count=more)] if more else [])]


def bars(chart: Histogram, label: Callable[[str], str], language: Language) -> list[str]:
    """One line on all bars."""
    known = [(b, a) for a, b in zip(chart.labels, finite(chart.counts), strict=False) if not math.isnan(b)]
    if not known:
        return [word(WORDS, "no-bars", language)]
    low, high = min(known, key=lambda bar: bar[0]), max(known, key=lambda bar: bar[0])
    said = {"high": high[0], "high_name": label(high[1]), "low": low[0], "low_name": label(low[1])}
    return [word(WORDS, "bars", language, count=len(known), total=sum(count for count, _ in known), **said)]


def heat(chart: Heatmap, label: Callable[[str], str], language: Language) -> list[str]:
    """What a map spans, what is marked in it, and some of its rows, a line each."""

    def at(row: int, column: int) -> str:
        return f"{label(chart.rows[row])}, {label(chart.x_label)} {label(chart.columns[column])}"

    marked = {(row, column) for row, column in within(chart.marked, len(chart.rows), len(chart.columns))}
    cells = [
        (value, row, column)
        for row, values in enumerate(chart.values[: len(chart.rows)])
        for column, value in enumerate(finite(values)[: len(chart.columns)])
    ]
    known = [cell for cell in cells if not math.isnan(cell[0])]
    lines = []
    if known:
        low, high = min(known), max(known, key=lambda cell: cell[0])
        said = {"low": low[0], "low_at": at(*low[1:]), "high": high[0], "high_at": at(*high[1:])}
        lines = [word(WORDS, "heat", language, rows=len(chart.rows), columns=len(chart.columns), **said)]
    if marked:
        first = min(marked, key=lambda cell: (cell[1], cell[0]))
        lines.append(word(WORDS, "heat-marked", language, count=len(marked), at=at(*first)))
    if none := sum(math.isnan(value) and (row, column) not in marked for value, row, column in cells):
        lines.append(word(WORDS, "heat-none", language, count=none))
    columns = some(len(chart.columns), 5)
    for row in some(min(len(chart.rows), len(chart.values)), MOST, {row for row, _ in marked}):
        values = [*chart.values[row], *[None] * len(chart.columns)]
        shown = "  ".join(told(values[column], (row, column) in marked) for column in columns)
        lines.append(f"{label(chart.rows[row])}: {shown}")
    return lines or [word(WORDS, "no-bars", language)]


def words(chart: Chart, label: Callable[[str], str], language: Language) -> list[str]:
    """A chart in words, a line each; `label` gives the words of a name."""
    if isinstance(chart, Curve):
        return curve(chart, label, language)
    return heat(chart, label, language) if isinstance(chart, Heatmap) else bars(chart, label, language)
