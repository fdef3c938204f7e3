"""Charts in cells: nothing lost by thinning, told apart without colour, plain characters, and the same in words."""

import math
import random

import pytest
from rich.cells import cell_len

from accucheck import chart_texts
from accucheck.axes import decades, finite, logarithmic, logarithmic_x, ticks
from accucheck.language import Language
from accucheck.model import Curve, Heatmap, Histogram
from accucheck.tui.widgets import chart

STEPS = [float(step) for step in range(300)]
LOSS = [2.3 * math.exp(-step / 60) + 0.1 if not 100 < step < 110 else None for step in range(300)]
EVALUATED = [1.0 if step % 50 == 0 else None for step in range(300)]
CURVE = Curve("t", "步", "损失", STEPS, {"训练": LOSS, "评估": EVALUATED}, {"首次溢出": 100.0, "end": 299.0})


def drawn(lines):
    return [line.plain for line in lines]


@pytest.mark.parametrize("only_ascii", [False, True])
@pytest.mark.parametrize("size", [(30, 7), (56, 10), (76, 14), (118, 20), (196, 40)])
def test_a_chart_fills_its_cells_and_no_more(size, only_ascii):
    lines = drawn(chart.curve(CURVE, str, *size, only_ascii=only_ascii))
    assert 5 < len(lines) <= size[1]
    assert all(cell_len(line) <= size[0] for line in lines)
    if only_ascii:
        assert "".join(lines).translate({ord(letter): None for letter in "损失训练评估首次溢出步"}).isascii()
    assert "训练" in lines[0] and "评估" in lines[0]
    assert lines[-1].endswith("步")


def test_what_has_no_room_or_no_values_is_not_drawn():
    assert chart.curve(CURVE, str, 10, 20) == [] and chart.curve(CURVE, str, 80, 4) == []
    nothing = Curve("t", "x", "y", [1.0, 2.0], {"a": [None, None], "b": [math.nan, math.inf]})
    assert chart.curve(nothing, str, 80, 20) == []
    assert chart_texts.curve(nothing, str, Language.EN) == [f"{name}: nothing that can be drawn" for name in "ab"]
    assert chart.curve(Curve("t", "x", "y", [], {}), str, 80, 20) == []
    assert chart_texts.bars(Histogram("t", [], []), str, Language.ZH) == ["没有可画的值"]


def test_one_spike_among_many_thousand_points_is_seen():
    random.seed(1)
    values = [random.gauss(0, 0.1) for _ in range(20_000)]
    flat = drawn(chart.curve(Curve("t", "x", "y", [float(i) for i in range(20_000)], {"a": values}), str, 80, 20))
    values[10_000] = 30.0
    lines = drawn(chart.curve(Curve("t", "x", "y", [float(i) for i in range(20_000)], {"a": values}), str, 80, 20))
    inside = [line.partition("┤")[2] or line.partition("│")[2] for line in lines[1:-2]]
    top = [column for column, sign in enumerate(inside[0]) if sign.strip()]
    assert len(top) == 1 and abs(top[0] - len(inside[0]) / 2) < 2
    assert all(line[top[0]].strip() for line in inside[:-1])  # and hangs together down to the others
    assert flat != lines


def test_series_are_told_apart_without_colour():
    y = {"a": [1.0] * 50, "b": [2.0] * 50, "c": [3.0] * 50}
    curve = Curve("t", "x", "y", STEPS[:50], y)
    for only_ascii, signs in ((False, chart.SIGNS), (True, chart.ASCII_SIGNS)):
        lines = drawn(chart.curve(curve, str, 80, 16, only_ascii=only_ascii))
        for sign in signs[:3]:
            assert sign in lines[0] and any(sign in line for line in lines[1:-2]), sign
    same = Curve("t", "x", "y", STEPS, {"a": STEPS, "b": STEPS})  # one hides the other, but not its signs
    plot = "".join(drawn(chart.curve(same, str, 80, 16))[1:])
    assert "●" in plot and "+" in plot


def test_gaps_are_crossed_and_told_and_other_steps_are_no_gaps():
    lines = drawn(chart.curve(CURVE, str, 76, 14))
    assert 1 <= lines[-2].count("╳") <= 4
    told = chart_texts.curve(CURVE, str, Language.EN)
    assert "9 places" in told[0] and "first at 步 101" in told[0] and told[0].startswith("训练: 291 points")
    assert told[2:] == ["mark 首次溢出: 步 100", "mark end: 步 299"]
    assert "首 2.4，末" in chart_texts.curve(CURVE, str, Language.ZH)[0]
    lone = Curve("t", "x", "y", [1.0, 2.0, 3.0, 4.0, 5.0], {"a": [1.0, 1.0, None, 3.0, None]})
    assert any("●" in line for line in drawn(chart.curve(lone, str, 60, 12))[1:-2])


def test_marks_are_named_above_their_columns():
    lines = drawn(chart.curve(CURVE, str, 76, 14))
    column = next(line for line in lines if "┊" in line).index("┊")
    flags = lines[1]
    assert "▾首次溢出" in flags and flags.rstrip().endswith("end▾")
    assert cell_len(flags[: flags.index("▾")]) == column


def test_axes_over_decades():
    rates = [1e-5 * 10 ** (place / 60) for place in range(300)]
    losses = [10.0 ** (-place / 50) for place in range(300)]
    lines = drawn(chart.curve(Curve("t", "lr", "loss", rates, {"loss": losses}), str, 80, 16))
    assert "1e-05" in lines[-1] and "0.001" in lines[-1] and "0.1" in lines[-1]
    assert any(line.strip().startswith("0.001┤") for line in lines)
    assert logarithmic_x(rates) and not logarithmic_x([float(x) for x in range(1, 10_000)])
    assert logarithmic(losses) and not logarithmic([0.0, 1.0, 1e6]) and not logarithmic([1.0, 1e6])
    assert finite([1, None, 1e200, -math.inf])[:1] == [1.0] and sum(map(math.isnan, finite([None, 1e200]))) == 2


def test_ticks_are_round_and_few():
    assert ticks(0, 99, 5) == [0, 20, 40, 60, 80]
    assert ticks(0.11, 2.4, 3) == [1.0, 2.0]
    assert ticks(5, 5, 3) == [5]
    assert decades(1e-5, 1, 10) == pytest.approx([1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1])
    assert len(decades(1e-30, 1e30, 4)) <= 4
    for most in range(1, 12):
        assert 1 <= len(ticks(-3.7, 1234.5, most)) <= max(1, most)


def test_x_that_goes_back_begins_a_new_line():
    x = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]
    lines = drawn(
        chart.curve(Curve("t", "x", "y", x, {"a": [1.0, 1.0, 1.0, 9.0, 9.0, 9.0]}), str, 60, 12, only_ascii=True)
    )
    plot = [line for line in lines[1:-2] if "*" in line]
    assert len(plot) == 2  # two flat lines, and none across


def test_bars_show_what_is_small_and_what_is_none():
    counts = Histogram(
        "t", ["airplane", "青蛙", "truck", "below", "lost"], [5000, 3, 0, -100, math.nan], "class", "samples"
    )
    lines = drawn(chart.bars(counts, str, 60, 20))
    assert lines[0].endswith(" 5,000") and "█" in lines[0]
    assert lines[1].startswith("青蛙 ") and "▏ 3" in lines[1]
    assert lines[2].split() == ["truck", "0"] and lines[4].split() == ["lost", "nan"]
    assert "░" in lines[3]
    plain = drawn(chart.bars(counts, str, 60, 20, only_ascii=True))
    assert "# 3" in plain[1] and "".join(plain).replace("青蛙", "").isascii()
    assert chart_texts.bars(counts, str, Language.EN) == [
        "4 bars, 4,903 in all, highest airplane (5,000), lowest below (-100)"
    ]


@pytest.mark.parametrize("bins", [30, 64, 500])
@pytest.mark.parametrize("only_ascii", [False, True])
def test_many_bins_of_numbers_stand(bins, only_ascii):
    counts = [1000 * math.exp(-(((place / bins - 0.5) * 8) ** 2)) for place in range(bins)]
    histogram = Histogram("t", [f"{place / bins:.3f}" for place in range(bins)], counts, "value", "numbers")
    lines = drawn(chart.bars(histogram, str, 76, 12, only_ascii=only_ascii))
    assert len(lines) == 12 and all(cell_len(line) <= 76 for line in lines)
    assert lines[-1].split()[0] == "0.000" and "value" in lines[-1]
    assert ("#" if only_ascii else "█") in lines[2]


def test_sparks_keep_spikes_and_gaps():
    assert chart.spark([1, 2, 3, 4, 5, 6, 7, 8], 8) == "▁▂▃▄▅▆▇█"
    values = [0.0] * 1000
    values[500] = 1.0
    assert chart.spark(values, 20).count("█") == 1
    assert chart.spark([1.0, None, 2.0], 3) == "▁ █"
    assert chart.spark([1.0, 1000.0, 4000.0], 3) == "▁▇█"
    assert chart.spark([1.0, 1000.0, 4000.0], 3, counts=True) == "▁▃█"
    assert chart.spark([], 10) == "" and chart.spark([None, math.nan], 10) == ""


def test_untrusted_names_are_text():
    hostile = "[red]a\x1b[2J\u202e[/]"
    curve = Curve(hostile, hostile, hostile, STEPS, {hostile: LOSS, "b": LOSS}, {hostile: 3.0})
    text = "\n".join(drawn(chart.curve(curve, str, 100, 20)))
    assert "\x1b" not in text and "\u202e" not in text and "[red]a\\x1b" in text
    bars = "\n".join(drawn(chart.bars(Histogram("t", [hostile], [1.0]), str, 100, 20)))
    assert "\x1b" not in bars and "[red]" in bars


LAYERS = [f"backbone.layer{number}.weight" for number in range(24)]
HEAT = Heatmap(
    *("t", "步", "层", "梯度范数"),
    LAYERS,
    [str(step) for step in range(1, 81)],
    [[10.0 ** (-row / 4) if (row, step) != (3, 0) else None for step in range(80)] for row in range(24)],
    [[20, 79]],
)


@pytest.mark.parametrize("only_ascii", [False, True])
@pytest.mark.parametrize("width", [40, 76, 118, 196])
def test_a_heat_map_fills_its_width_and_no_more(width, only_ascii):
    lines = drawn(chart.heat(HEAT, str, width, only_ascii=only_ascii))
    assert len(lines) == 24 + 2
    assert all(cell_len(line) <= width for line in lines)
    assert sum(("x" if only_ascii else "×") in line[-8:] for line in lines) == 1
    assert "步" in lines[-2] and "梯度范数" in lines[-1]
    darkest, lightest = ("#", ".") if only_ascii else ("█", "·")
    first, last = lines[0].removeprefix("backbone.layer0"), lines[23].removeprefix("backbone.layer23.")
    assert darkest in first and lightest in last and darkest not in last
    few = drawn(chart.heat(HEAT, str, width, only_ascii=only_ascii, most=6))
    assert len(few) == 6 + 2 and any("layer20" in line or "×" in line or line.endswith("x") for line in few)


def test_one_row_of_large_values_does_not_hide_the_others():
    """Shades are few: along the logarithm, where most values would be the lightest of them."""
    rows = [[0.5] * 6, [0.04] * 6, [0.014] * 6, [0.004] * 6]
    lines = drawn(chart.heat(Heatmap("t", "x", "y", "v", list("abcd"), list("123456"), rows), str, 60))
    assert len({line[2:] for line in lines[:4]}) == 4
    even = [[float(row)] * 6 for row in range(1, 5)]
    assert (
        "v  · 1  █ 4" in drawn(chart.heat(Heatmap("t", "x", "y", "v", list("abcd"), list("123456"), even), str, 60))[-1]
    )


def test_the_name_of_the_only_series_has_the_whole_line():
    name = "runs/2026/12/01/a-long-name-of-a-run"
    one = Curve("t", "step", "loss", [1.0, 2.0, 3.0], {name: [1.0, 2.0, 3.0]})
    assert name in drawn(chart.curve(one, str, 60, 12))[0]


def test_a_heat_map_in_words():
    lines = chart_texts.heat(HEAT, str, Language.EN)
    assert lines[0].startswith("24 rows of 80 columns, lowest 1.77828e-06 (backbone.layer23.weight, 步 1), highest 1 (")
    assert lines[1:3] == ["1 cell marked, first backbone.layer20.weight, 步 80", "no value in 1 cell"]
    assert lines[3] == "backbone.layer0.weight: 1  1  1  1  1"
    assert lines[23].endswith("×1e-05")
    assert len(lines) == 27
    assert chart_texts.heat(Heatmap("t", "x", "y", "v", [], [], []), str, Language.ZH) == ["没有可画的值"]
    assert chart.heat(Heatmap("t", "x", "y", "v", [], [], []), str, 80) == []


def test_a_heat_map_from_elsewhere_breaks_nothing():
    """Rows and values of other lengths, marks outside, what is no number, markup."""
    odd = Heatmap(
        "t", "[b]x", "y", "v", ["[red]a\x1b[31m", "b"], ["1", "2"], [[1.0], [2.0, 3.0, math.inf], []], [[9, 9], [0]]
    )
    lines = drawn(chart.heat(odd, str, 60))
    assert len(lines) == 4 and "\x1b" not in "".join(lines) and "[red]a" in lines[0]
    assert chart_texts.heat(odd, str, Language.EN)
