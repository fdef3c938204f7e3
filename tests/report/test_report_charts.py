"""Charts as pictures: what is drawn, with and without a Chinese font, and input that would break a chart."""

import io
import math
import warnings

import pytest

from accucheck.model import Chart, Curve, Heatmap, Histogram
from accucheck.report import charts
from accucheck.report.parts import ChartPart


def image(content: bytes):
    from PIL import Image

    picture = Image.open(io.BytesIO(content))
    picture.load()
    return picture.convert("RGB")


def part(chart: Chart, english: Chart | None = None) -> ChartPart:
    return ChartPart("title", chart, english or chart)


def has(picture, colour: str) -> int:
    """How many pixels have this colour."""
    wanted = tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return sum(count for count, pixel in picture.getcolors(1 << 24) if pixel == wanted)


def curve(**series: list[float | None]) -> Curve:
    longest = max(map(len, series.values()), default=0)
    return Curve("t", "x", "y", [float(n) for n in range(longest)], dict(series), {"best": 1.0})


def test_every_series_is_drawn() -> None:
    picture = image(charts.draw(part(curve(a=[1.0, 2.0, 3.0], b=[3.0, None, math.inf, 1.0, 2.0]))))
    assert picture.size == (819, 351)
    assert has(picture, charts.COLOURS[0]) > 300 and has(picture, charts.COLOURS[1]) > 100


def test_bars_show_their_counts() -> None:
    picture = image(charts.draw(part(Histogram("t", ["a", "b"], [100.0, 50.0]))))
    tall, low = picture.crop((60, 0, 440, 351)), picture.crop((440, 0, 819, 351))
    assert has(tall, charts.COLOURS[0]) == pytest.approx(2 * has(low, charts.COLOURS[0]), rel=0.05)


@pytest.mark.part(40)
@pytest.mark.parametrize(
    "chart",
    [
        curve(),
        curve(a=[]),
        curve(a=[math.nan, None, math.inf]),
        curve(a=[1e-300, 1e300, 5.0]),
        Curve(
            "t", "$\\frac{", "$x$ ^_{", [0.0, 1.0], {"$\\bad{": [1.0, 2.0], "_hidden": [2.0]}, {"$": math.inf, "m": 0.5}
        ),
        Histogram("t", [], []),
        Histogram("t", ["a", "b"], [math.nan, -1.0]),
        Histogram("t", ["$\\frac{" * 20, "\U0001f600 类别", "b"], [1.0, 2.0]),
        Histogram("t", [f"class {n}" for n in range(50)], [float(n) for n in range(50)]),
    ],
)
def test_odd_input_is_drawn(chart: Curve | Histogram) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert image(charts.draw(part(chart))).width == 819


def test_same_chart_same_bytes() -> None:
    assert charts.draw(part(curve(a=[1.0, 2.0]))) == charts.draw(part(curve(a=[1.0, 2.0])))


def test_without_a_chinese_font_english_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """No empty boxes: the picture is the one that the English words give, and Chinese data is spelt out."""
    monkeypatch.setattr(charts, "chinese_font", lambda: None)
    chinese, english = Histogram("样本数", ["训练集"], [3.0]), Histogram("samples", ["training"], [3.0])
    assert charts.draw(part(chinese, english)) == charts.draw(part(english))
    escaped = Histogram("t", ["\\u6807\\u7b7e"], [3.0])
    assert charts.draw(part(chinese, Histogram("t", ["标签"], [3.0]))) == charts.draw(part(escaped))


@pytest.mark.skipif(charts.chinese_font() is None, reason="no font with Chinese glyphs here")
def test_chinese_glyphs_differ() -> None:
    """Distinct characters give distinct pictures; empty boxes would all be alike."""
    drawn = {charts.draw(part(Histogram("t", [label], [3.0]))) for label in ("训练", "标签", "权重")}
    assert len(drawn) == 3


def test_a_long_curve_is_quick() -> None:
    import time

    values: list[float | None] = [math.sin(n / 1000) for n in range(200_000)]
    began = time.process_time()
    charts.draw(part(curve(loss=values)))
    assert time.process_time() - began < 5


def test_steps_lie_evenly_and_rates_do_not() -> None:
    from matplotlib.figure import Figure

    steps = [float(step) for step in range(1, 3000)]
    rates = [1e-6 * 1.005**step for step in range(3000)]
    for x, scale in ((steps, "linear"), (rates, "log")):
        axes = Figure().add_subplot()
        charts._curve(axes, Curve("t", "x", "y", x, {"loss": [1.0] * len(x)}), True)
        assert axes.get_xscale() == scale
        assert axes.xaxis.get_major_formatter()(0.01, 0) in ("0.01", "")


def drawn(chart: Curve):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(charts.WIDTH, 2.7), dpi=charts.DPI, layout="constrained")
    axes = figure.add_subplot()
    charts._curve(axes, chart, True)
    FigureCanvasAgg(figure).draw()
    return axes


def test_series_differ_without_colour() -> None:
    axes = drawn(curve(**{f"s{n}": [1.0, 2.0, 3.0] for n in range(7)}))
    lines = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
    kinds = {
        (str(line.get_linestyle()), line._dash_pattern[1] and tuple(line._dash_pattern[1]), line.get_marker())
        for line in lines[:7]
    }
    assert len(kinds) == 7


def test_a_point_between_gaps_is_seen() -> None:
    picture = image(charts.draw(part(curve(a=[None if n % 10 else 1.0 + n / 7 for n in range(400)]))))
    assert has(picture, charts.COLOURS[0]) > 500


def test_names_of_marks_hide_no_other() -> None:
    steps = [float(n) for n in range(300)]
    marks = {str(n): float(n) for n in (1, 2, 3, 4, 5, 6)} | {"best epoch": 290.0, "first NaN": 295.0, "end": 299.0}
    axes = drawn(Curve("t", "step", "loss", steps, {"loss": [1.0] * 300}, marks))
    boxes = [text.get_window_extent() for text in axes.texts]
    assert len(boxes) >= 5
    assert not [(a, b) for at, a in enumerate(boxes) for b in boxes[at + 1 :] if a.overlaps(b)]
    edge = axes.get_figure().bbox
    assert all(box.x0 >= 0 and box.x1 <= edge.x1 for box in boxes)


HEAT = Heatmap(
    *("t", "step", "layer", "norm"),
    ["first.weight", "second.weight", "head.weight"],
    ["1", "2", "3"],
    [[1e-7, 1e-6, 1e-5], [1e-3, None, 1e-2], [1.0, 2.0, None]],
    [[2, 2]],
)


def test_a_heat_map_has_shades_and_crosses_what_is_marked() -> None:
    from matplotlib import colormaps

    picture = image(charts.draw(part(HEAT)))
    assert picture.width == 819
    lightest, darkest = (
        "#{:02x}{:02x}{:02x}".format(*colormaps[charts.HEAT](end, bytes=True)[:3]) for end in (0.0, 1.0)
    )
    assert has(picture, lightest) > 1000 and has(picture, darkest) > 1000
    assert has(picture, charts.COLOURS[1]) > 10
    page = charts.within_a_page(charts.draw(part(HEAT), "svg"), "c1-", "name")
    assert "data:" not in page and "<image" not in page  # a page loads nothing
    assert "first.weight" in page and len(page) < 40_000
    many = Heatmap(
        "t",
        "x",
        "y",
        "v",
        ["layer"] * 60,
        ["1"] * 60,
        [[(n * 37 + m * 91) % 97 + 1.0 for m in range(60)] for n in range(60)],
    )
    assert len(charts.within_a_page(charts.draw(part(many), "svg"), "c1-", "name")) < 400_000


@pytest.mark.parametrize(
    "heat",
    [
        Heatmap("t", "x", "y", "v", [], [], []),
        Heatmap("t", "x", "y", "v", ["a"], ["1"], [[None]], [[0, 0]]),
        Heatmap("t", "x", "y", "v", ["a", "b"], ["1", "2"], [[0.0, 0.0], [0.0, 0.0]]),
        Heatmap("t", "$x_{", "y", "v", ["$\\frac{", "\U0001f600"], ["1", "2"], [[-1.0, 1e300], [math.nan, math.inf]]),
        Heatmap(
            "t", "x", "y", "v", [f"layer {n}" for n in range(60)], ["1"] * 60, [[float(n)] * 60 for n in range(60)]
        ),
    ],
)
def test_an_odd_heat_map_is_drawn(heat: Heatmap) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert image(charts.draw(part(heat))).width == 819


def test_places_that_all_have_names_are_no_numbers() -> None:
    """Settings beside each other stood on an axis of 0.00, 0.25, 0.50, and their names over the lines."""
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    settings = Curve("t", "setting", "position", [0.0, 1.0], {"trial 1": [0.2, 0.9]}, {"lr": 0.0, "accuracy": 1.0})
    charts._curve(axes, settings, False)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["lr", "accuracy"] and not axes.texts
    axes = Figure().subplots()
    charts._curve(axes, curve(a=[1.0, 2.0, 3.0]), False)
    assert [text.get_text() for text in axes.texts] == ["best"], "a place among others is marked as before"
