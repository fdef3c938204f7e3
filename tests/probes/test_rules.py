"""Rules that probes decide with, just below, at and above where they turn."""

from __future__ import annotations

import dataclasses
import io
import math
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from accucheck import probe
from accucheck.model import Finding, Level, Verdict
from accucheck.probe import Example
from accucheck.probes import (
    _curve_pairs,
    _divergence,
    _rate_bounds,
    first_batches,
    label_conflicts,
    loss_scale,
    overflow,
    randomness_fixed,
    rank_seeds,
    sharding,
    shuffle_settings,
    updated_weights,
)
from accucheck.probes._curve_pairs import ends, likeness
from accucheck.probes._curves import Series
from accucheck.probes.first_batches import look
from accucheck.probes.layer_outputs import npy
from accucheck.readers import curves
from findings import found_by


@pytest.mark.parametrize(
    ("rates", "exponential"),
    [
        ([1.0, 3.0, 10.0], True),  # just ten times the first
        ([1.0, 3.0, 9.9], False),
        ([0.0, 1.0, 3.0, 10.0], True),  # a rate of 0 is none
        ([1.0, 10.0], False),  # two points are on a line in either way
        ([1.0, 5.5, 10.0], False),
    ],
)
def test_rates_that_grow_by_a_factor(rates: list[float], exponential: bool) -> None:
    assert _rate_bounds.is_exponential(np.array(rates)) is exponential


@pytest.mark.parametrize(
    ("rates", "rising"),
    [
        ([1.0, 3.0], True),
        ([1.0, 2.99], False),
        ([1.0, 1.0, 3.0], True),
        ([1.0, 4.0, 3.0], False),
        ([3.0], False),
        ([0.0, 3.0], False),
    ],
)
def test_rates_of_a_range_test_rise_and_span_three_times_the_first(rates: list[float], rising: bool) -> None:
    assert _rate_bounds.rising(np.array(rates)) is rising


def test_the_place_after_the_last_point_below_a_level() -> None:
    curve = np.array([0.0, 2.0, 1.0, 2.0, 3.0])
    assert _rate_bounds._last_below(curve, 2.0) == 3
    assert _rate_bounds._last_below(curve, 0.0) == 0
    assert _rate_bounds._last_below(curve, 9.0) == 4


def test_a_straight_rise_does_not_wander() -> None:
    assert _rate_bounds._wandering(np.arange(60.0)) == pytest.approx(0, abs=1e-9)
    parts = np.repeat([0.0, 1.0] * 10, 3)
    assert _rate_bounds._wandering(parts) == pytest.approx(2 / (0.6745 * math.sqrt(6)))


def test_the_mean_of_points_is_reflected_at_the_ends() -> None:
    assert _rate_bounds.moving_mean(np.array([0.0, 3.0, 6.0, 9.0]), 3) == pytest.approx([2, 3, 6, 7])
    assert _rate_bounds.moving_mean(np.array([1.0, 1.0]), 21) == pytest.approx([1, 1])


def a_test(points: int = 100, *, end: float = math.inf, factor: float = 10.0) -> tuple[Any, Any]:
    """Rates from 1e-4 on, and an accuracy that is flat, rises from the 30th to the 60th point, and is flat again, to 0.6."""
    rates = 1e-4 * factor ** (3 * np.arange(points) / (points - 1))
    values = 0.1 + 0.5 * np.clip((np.arange(points) - 29.5) / 30, 0, 1)
    return rates, np.where(np.arange(points) < end, values, np.nan)


def judged(rates: Any, values: Any, **other: Any) -> _rate_bounds.RangeTest:
    options = {"falling": False, "least": 0.01, "noises": 3.0, "tolerance": 0.05}
    return _rate_bounds.bounds(rates, values, **{**options, **other})


def test_the_bounds_of_a_rise() -> None:
    rates, values = a_test()
    found = judged(rates, values)
    assert found.exponential and found.rise == pytest.approx(0.5)
    assert found.bounds is not None and not found.bounds.below and found.bounds.above
    assert rates[28] < found.bounds.lower < rates[31]
    assert rates[57] <= found.bounds.upper <= rates[59]
    assert found.bounds.falls == rates[-1]


def test_a_rise_that_falls_again_is_bounded_above() -> None:
    rates, values = a_test()
    values[80:] = 0.1
    found = judged(rates, values).bounds
    assert found is not None and not found.above and rates[76] <= found.falls <= rates[80]


def test_what_follows_nan_is_left_out_and_says_that_it_ended() -> None:
    rates, values = a_test(end=90)
    found = judged(rates, values)
    assert len(found.rates) == 90 and found.bounds is not None and not found.bounds.above
    rates, values = a_test(end=20)
    assert judged(rates, values).bounds is None


def test_a_rise_must_exceed_what_is_asked() -> None:
    rates, values = a_test()
    rise = judged(rates, values).rise
    assert judged(rates, values, least=rise).bounds is None
    assert judged(rates, values, least=rise * 0.999).bounds is not None
    assert judged(rates, np.full(100, 0.5)).bounds is None


def test_a_loss_is_judged_upside_down_and_by_its_beginning() -> None:
    rates, values = a_test()
    found = judged(rates, 2 - values, falling=True)
    assert found.rise == pytest.approx(0.5) and found.needed == pytest.approx(0.019, rel=0.05)
    assert judged(rates, 1.9 + values, falling=True).bounds is None, "a loss that grows has no bounds"


def test_rates_that_grow_by_an_amount_are_taken_as_they_are() -> None:
    _, values = a_test()
    rates = np.linspace(0.01, 1.0, 100)
    found = judged(rates, values)
    assert not found.exponential and found.bounds is not None
    assert 0.28 < found.bounds.lower < 0.32 and 0.57 < found.bounds.upper < 0.61


def test_a_rise_from_the_first_point_on_may_begin_below_the_rates() -> None:
    rates, _ = a_test()
    found = judged(rates, 0.1 + 0.5 * np.clip(np.arange(100) / 2, 0, 1)).bounds
    assert found is not None and found.below and found.lower == pytest.approx(rates[0], rel=0.2)


def noisy(points: int = 40, seed: int = 0) -> Any:
    return np.exp(0.1 * np.random.default_rng(seed).normal(size=points))


def test_ups_and_downs_go_together_or_not() -> None:
    ours = noisy()
    assert likeness(ours, ours) == pytest.approx(1)
    assert likeness(ours, 1 / ours) == pytest.approx(-1)
    other = likeness(ours, noisy(seed=1))
    assert other is not None and abs(other) < 0.5


@pytest.mark.parametrize(("points", "told"), [(29, False), (30, True)])
def test_thirty_points_tell_whether_curves_go_together(points: int, told: bool) -> None:
    assert (likeness(noisy(points), noisy(points)) is not None) is told


@pytest.mark.parametrize(("bad", "value"), [(0, 0.0), (0, -0.5), (1, 0.0), (1, -0.5), (0, np.nan), (1, np.inf)])
def test_points_without_a_logarithm_do_not_count(bad: int, value: float) -> None:
    curves = [noisy(30), noisy(30)]
    curves[bad][3] = value
    assert likeness(*curves) is None
    curves = [noisy(31), noisy(31)]
    curves[bad][3] = value
    assert likeness(*curves) == pytest.approx(1)


@pytest.mark.parametrize(("factor", "told"), [(1.9, True), (2.1, False), (1 / 2.1, False)])
def test_a_loss_twice_the_other_has_ups_and_downs_of_its_own(factor: float, told: bool) -> None:
    assert (likeness(noisy(), factor * noisy()) is not None) is told


@pytest.mark.parametrize(("power", "told"), [(1.9, True), (2.1, False), (1 / 2.1, False), (0.001, False)])
def test_ups_and_downs_twice_the_other_ones_are_their_own(power: float, told: bool) -> None:
    assert (likeness(noisy(), noisy() ** power) is not None) is told
    assert likeness(noisy() ** 0.001, noisy() ** 0.001) is None, "without ups and downs"


def test_the_ends_of_two_curves() -> None:
    ours, theirs = np.arange(20.0), np.zeros(20)
    assert ends(ours, theirs) == (17.5, 0.0, pytest.approx(np.std([16, 17, 18, 19], ddof=1) / 2))
    assert ends(ours[:10], theirs[:10]) == (8.5, 0.0, 0.0), "two points have no spread"
    ours[19] = np.nan
    assert ends(ours, theirs)[0] == 17.0


def an_update(mine: list[float], theirs: list[float], shape: tuple[int, ...] = (4, 4)) -> updated_weights._Update:
    """What _measure sums up, of these updates."""
    one, other = np.array(mine), np.array(theirs)
    info = SimpleNamespace(name="fc.weight", shape=shape)
    moving = (one != 0) & (other != 0)
    return updated_weights._Update(
        SimpleNamespace(left=info, right=info),  # type: ignore[arg-type]
        0.0,
        count=len(one),
        mine=float(one @ one),
        theirs=float(other @ other),
        both=float(one @ other),
        apart=float((one - other) @ (one - other)),
        largest=float(np.abs(other).max()),
        total=float(np.abs(other[moving]).sum()),
        moved=int(moving.sum()),
        opposite=int(((one > 0) != (other > 0))[moving].sum()),
    )


def test_updates_of_one_size_are_those_of_adam() -> None:
    assert an_update([1, -1, 1], [1, -1, 1]).signs
    assert an_update([1, 1], [1, 1]).signs and not an_update([1], [1]).signs, "one element says nothing"
    assert not an_update([1, -1, 1], [1, -0.1, 0.2]).signs


@pytest.mark.parametrize(
    ("mine", "theirs", "code"),
    [
        ([2, 4, 6], [1, 2, 3], "scaled"),
        ([-1, -2, -3], [1, 2, 3], "reversed"),
        ([-2, -4, -6], [1, 2, 3], "reversed"),
        ([1, 2, -3], [1, 2, 3], "updates-differ"),
    ],
)
def test_all_by_one_factor_all_turned_round_or_some(mine: list[float], theirs: list[float], code: str) -> None:
    differing = [an_update(mine, theirs), an_update(mine, theirs)]
    found = updated_weights._kind(
        updated_weights.Params(), differing, [one.cosine or 0.0 for one in differing], differing
    )
    assert found[0] == code
    if code == "scaled":
        assert found[2] == {"factor": 2.0}


def test_a_factor_of_some_parameters_or_another_for_each_is_no_factor() -> None:
    params, one, two = updated_weights.Params(), an_update([2, 4], [1, 2]), an_update([3, 6], [1, 2])
    assert updated_weights._kind(params, [one], [1.0, 1.0], [one, one])[0] == "updates-differ"
    assert updated_weights._kind(params, [one, two], [1.0, 1.0], [one, two])[0] == "updates-differ"
    assert updated_weights._kind(params, [one, one], [0.9, 1.0], [one, one])[0] == "updates-differ"
    assert updated_weights._kind(params, [one, one], [0.91, 1.0], [one, one])[0] == "scaled"
    assert updated_weights._kind(params, [], [], [])[0] == "updates-differ"


def test_what_an_update_agrees_by() -> None:
    params = updated_weights.Params()
    assert updated_weights._agree(params, an_update([1, 2, 3], [1, 2, 3]))
    assert not updated_weights._agree(params, an_update([2, 4, 6], [1, 2, 3]))
    assert updated_weights._agree(params, an_update([1, -1] * 50, [1, -1] * 50))
    assert not updated_weights._agree(params, an_update([-1, 1] * 50, [1, -1] * 50))
    assert not updated_weights._agree(params, an_update([2, -2] * 50, [1, -1] * 50))


def test_only_a_vector_is_updated_by_lot() -> None:
    params = updated_weights.Params()
    by_lot = ([1.0, -1.0] * 10, [1.0] * 20)
    assert updated_weights._by_chance(params, an_update(*by_lot, shape=(20,)))
    assert updated_weights._by_chance(params, an_update(*by_lot, shape=(20, 1)))
    assert not updated_weights._by_chance(params, an_update(*by_lot, shape=(4, 5)))
    assert not updated_weights._by_chance(params, an_update([1.0] * 20, [1.0] * 20, shape=(20,)))
    assert not updated_weights._by_chance(params, an_update([-1.0] * 20, [1.0] * 20, shape=(20,)))
    assert updated_weights._by_chance(params, an_update([1.0, 0.1, 0.2], [1.0, 0.1, 0.2], shape=(3,)))


def test_an_update_of_rounding_is_not_judged() -> None:
    usual = an_update([1.0] * 4, [1.0] * 4)
    assert updated_weights._judged([usual, usual, an_update([1e-5] * 4, [1e-5] * 4)]) == [usual, usual]
    small = an_update([2e-4] * 4, [2e-4] * 4)
    assert updated_weights._judged([usual, usual, small]) == [usual, usual, small]
    assert updated_weights._judged([]) == []


@pytest.mark.parametrize(
    ("bad", "settled"),
    [([0, 0, 0], 0), ([1, 0, 0, 0], 1), ([0, 0, 1, 0, 0, 0], 3), ([0, 0, 1, 0, 0], 5), ([0, 0], 0), ([1, 1], 2)],
)
def test_a_scale_has_settled_at_the_first_of_some_steps_without_overflow(bad: list[int], settled: int) -> None:
    assert loss_scale._settled(np.array(bad, bool), 3) == settled


def test_how_many_overflows_are_too_many() -> None:
    params = loss_scale.Params(few=0.1, least=3)
    steps = np.zeros(30, bool)
    steps[:3] = True
    assert loss_scale._many(steps, 0, params) is None, "just the share"
    assert loss_scale._many(steps[:29], 0, params) == {"count": 3, "steps": 29, "share": 3 / 29}
    assert loss_scale._many(steps[1:29], 0, params) is None, "too few to tell"
    assert loss_scale._many(steps[:29], 29, params) == {"count": 3, "steps": 29, "share": 3 / 29}, "it never settled"
    assert loss_scale._many(steps[:29], 1, params) is None


LABELS = np.array([0, 1, 2, 0, 1, 2])


def test_two_rows_are_an_order_and_one_is_none() -> None:
    two = np.arange(24.0).reshape(2, 12)
    assert look(two[::-1], two, first_batches.Params()) == ("order", {"moved": 2, "count": 2})
    assert first_batches._moved(two[:1], two[:1], 1e-3) is None
    assert first_batches._moved(np.array(1.0), np.array(1.0), 1e-3) is None


def test_labels_that_hardly_occur_twice_stand_for_anything() -> None:
    assert first_batches._labels(np.array([2, 0, 1]), np.array([0, 1, 2])) is None
    assert first_batches._labels(np.array([5, 3, 4])[LABELS], LABELS) is not None, "each twice, on the average"
    assert first_batches._labels(np.array([5, 3, 4])[LABELS[:5]], LABELS[:5]) is None
    assert first_batches._labels(LABELS * 0, LABELS) is None, "two of one"
    assert first_batches._labels(LABELS, LABELS * 0) is None, "one of two"


def test_three_are_channels_and_others_an_axis() -> None:
    random = np.random.default_rng(0)
    for channels, code in ((3, "channels"), (4, "flipped")):
        images = random.uniform(0, 255, (6, channels, 8, 8))
        assert look(images[:, ::-1], images, first_batches.Params())[0] == code


def test_a_factor_and_an_offset_are_found_or_not() -> None:
    values = np.arange(10.0)
    assert first_batches._fit(2 * values + 1, values, 1e-6) == pytest.approx((2, 1))
    assert first_batches._fit(values, np.ones(10), 1e-6) is None, "what does not vary"
    assert first_batches._fit(1e-7 * values + 1, values, 1e-3) is None, "hardly of it"
    assert first_batches._fit(values**2, values, 1e-3) is None
    assert first_batches._correlation(-values, values) == pytest.approx(-1)
    assert first_batches._correlation(values, np.ones(10)) == 0.0


def test_how_far_arrays_are_apart() -> None:
    assert first_batches._relative(np.array([3.0, 5.0]), np.array([3.0, 4.0])) == pytest.approx(0.2)
    assert first_batches._relative(np.zeros(2), np.zeros(2)) == 0.0
    assert first_batches._relative(np.ones(2), np.zeros(2)) == math.inf
    assert first_batches._relative(np.array([np.nan, 4.0]), np.array([9.0, 4.0])) == 0.0


def findings_of(
    module: Any, folder: Path, files: dict[str, Any], case: dict[str, Any], **params: Any
) -> dict[str, Finding]:
    example = Example("", files=files, case=case, verdict=Verdict.OK, params=params)
    found = found_by(module, example.lay_out(folder), probe.params(module, params))
    return {finding.code: finding for finding in found}


def test_an_array_that_is_too_large_is_left_out_and_the_next_is_not(tmp_path: Path) -> None:
    case = {"batches": {"path": "ours", "reference": "theirs"}}
    files = {
        f"{side}/{name}.npy": npy([1.0, 2.0] * size)
        for side in ("ours", "theirs")
        for name, size in (("a", 2), ("b", 1))
    }
    found = findings_of(first_batches, tmp_path, files, case, most=8)
    assert found["large"].incomplete and found["large"].data["name"] == "a" and found["same"].data["count"] == 1
    assert "large" not in findings_of(first_batches, tmp_path, files, case, most=16), "just as large"


@pytest.mark.parametrize(("end", "overflows"), [(1.0, 1), (0.5, 1), (0.0, 0)])
def test_a_scale_that_falls_to_zero_was_not_lowered_for_an_overflow(tmp_path: Path, end: float, overflows: int) -> None:
    scales = [2 * end or 1.0] * 30 + [end] * 30
    log = "".join(f"step: {step}, loss: 2.0, loss_scale: {scale}\n" for step, scale in enumerate(scales))
    (run,) = curves.read(written(tmp_path / "train.log", log)).runs
    told = overflow._overflow_steps(run)
    assert told is not None and int(told[1].sum()) == overflows


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def a_layer(name: str, direction: str, rank: int = 0, step: int = 0) -> Any:
    return SimpleNamespace(name=name, direction=direction, rank=rank, step=step)


@pytest.mark.parametrize(
    ("layers", "begins"),
    [
        ([a_layer("net.fc", "forward"), a_layer("net.fc", "backward")], True),
        ([a_layer("net.fc", "forward"), a_layer("net.fcs", "backward")], False),
        ([a_layer("net", "forward"), a_layer("net.fc", "backward")], True),
        ([a_layer("net.fc", "forward"), a_layer("net", "backward")], True),
        ([a_layer("net.fc", "forward"), a_layer("net.conv", "backward")], False),
        ([a_layer("net.fc", "forward"), a_layer("net.fc", "forward")], False),
        ([a_layer("net.fc", "backward"), a_layer("net.fc", "backward")], False),
        ([a_layer("net.fc", "forward"), a_layer("net.fc", "backward", step=1)], False),
        ([a_layer("net.fc", "forward", rank=1), a_layer("net.fc", "backward")], False),
        ([a_layer("net.fc", "backward")], False),
    ],
)
def test_where_the_backward_pass_begins_there_is_the_loss(layers: list[Any], begins: bool) -> None:
    assert _divergence._begins_backward(layers) is begins


def test_names_are_shortened_beyond_three_dots() -> None:
    for name, short in (("a.b.c.d", "a.c.d"), ("a.b.c.d.e", "a.d.e")):
        assert randomness_fixed._short(SimpleNamespace(name=name)).startswith(short)
    assert randomness_fixed._short(SimpleNamespace(name="numpy.random.seed")) == "numpy.random.seed"


def test_statistics_that_moved_here_alone_have_no_factor() -> None:
    def told(
        code: str, level: Level, some: list[Any], fix: str | None = None, **data: Any
    ) -> Iterator[tuple[str, Level]]:
        if some:
            yield code, level

    def statistics(*some: updated_weights._Update) -> list[tuple[str, Level]]:
        for one in some:
            one.pair.right.name = "bn.running_mean"
        return list(updated_weights._statistics(told, Level.PROBLEM, list(some)))  # type: ignore[arg-type]

    assert statistics(an_update([1, 2], [0, 0])) == [("statistics-differ", Level.SUSPECT)]
    assert statistics(an_update([0, 0], [1, 2])) == [("statistics-still", Level.PROBLEM)]
    assert statistics(an_update([2, 4], [1, 2])) == [("statistics-factor", Level.PROBLEM)]
    assert statistics(an_update([2, 4], [1, 2]), an_update([3, 6], [1, 2])) == [("statistics-differ", Level.SUSPECT)]
    assert statistics(an_update([-2, -4], [1, 2])) == [("statistics-differ", Level.SUSPECT)]


def a_series(steps: list[int], unit: str = "epoch", torn: bool = False) -> Series:
    x, steps_ = np.arange(1.0, len(steps) + 1), np.array(steps)
    return Series("a.log", "a.log", "loss", unit, x, steps_, np.full(len(steps), -1), np.ones(len(steps)), torn)


@pytest.mark.parametrize(
    ("steps", "told"),
    [([0, 10, 20], True), ([-1, 10, 20], False), ([0, 10, 10], False), ([10, 5, 20], False), ([], False)],
)
def test_steps_that_are_known_and_rise_are_those_of_a_curve(steps: list[int], told: bool) -> None:
    found = _curve_pairs._by_step(a_series(steps))
    assert (found is not None) is told
    if found is not None:
        assert found.unit == "step" and list(found.x) == steps
    by_step = a_series(steps, unit="step")
    assert _curve_pairs._by_step(by_step) is by_step


def test_a_last_value_that_may_lack_digits_is_left_out() -> None:
    whole, torn = a_series([1, 2, 3]), dataclasses.replace(a_series([1, 2, 3], torn=True), path="torn.log")
    whole.values[-1], torn.values[-1] = 0.3333, 0.33
    assert len(_curve_pairs._aligned(whole, whole, "epoch").points.x) == 3
    for pair in ((whole, torn), (torn, whole)):
        found = _curve_pairs._aligned(*pair, "epoch")
        assert len(found.points.x) == 2 and found.torn == "torn.log"
    assert _curve_pairs._aligned(whole, whole, "epoch").torn is None


def test_a_script_without_data_leaves_the_shuffling_open(tmp_path: Path) -> None:
    files = {"train.py": "import mindspore\nfrom mindspore import nn\n\nnet = nn.Dense(2, 2)\n"}
    found = findings_of(shuffle_settings, tmp_path, files, {"scripts": {"train": "train.py"}})
    assert found["no-dataset"].level is Level.INFO and found["no-dataset"].incomplete


@pytest.mark.parametrize("module", [sharding, rank_seeds])
@pytest.mark.parametrize(("devices", "single"), [(None, True), (1, True), (2, False), (8, False)])
def test_a_script_without_ranks_runs_on_one_device_unless_the_case_says_otherwise(
    tmp_path: Path, module: Any, devices: int | None, single: bool
) -> None:
    files = {"train.py": "import mindspore.dataset as ds\n\ntrain = ds.MindDataset('a').batch(2)\n"}
    case = {"scripts": {"train": "train.py"}, "runtime": {"distributed": {"devices": devices}}}
    found = findings_of(module, tmp_path, files, case)
    assert (found.keys() - {"data-made", "no-step"} == {"single"}) == single


def test_one_device_or_whole_batches_are_no_case_for_sharding() -> None:
    found = [Finding(code, Level.INFO) for code in ("single", "whole-batch")]
    for some in (found, found[:1], found[1:]):
        assert sharding.suggest(some) is Verdict.NOT_APPLICABLE
    assert sharding.suggest([]) is not Verdict.NOT_APPLICABLE
    assert sharding.suggest([*found, Finding("sharded", Level.INFO)]) is Verdict.OK
    assert sharding.suggest([*found, Finding("unsharded", Level.PROBLEM)]) is Verdict.PROBLEM


@pytest.mark.parametrize(("several", "told"), [(1, "rows-conflict"), (2, None)])
def test_a_list_gives_more_than_a_hundredth_of_its_pictures_several_labels_on_purpose(
    tmp_path: Path, several: int, told: str | None
) -> None:
    rows = [(number, number % 2) for number in range(100)] + [(number, 1 - number % 2) for number in range(several)]
    files = {f"train/{number}.png": picture(number) for number in range(100)}
    files["train/labels.csv"] = "file,label\n" + "".join(f"{number}.png,{label}\n" for number, label in rows)
    found = findings_of(label_conflicts, tmp_path, files, {"data": {"train": {"path": "train"}}})
    assert {code for code in found if found[code].level is not Level.INFO} == ({told} if told else set())


def picture(number: int) -> bytes:
    """A .png of its own for each number."""
    content = io.BytesIO()
    Image.new("L", (4, 4), number).save(content, "png")
    return content.getvalue()
