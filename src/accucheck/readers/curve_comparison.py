"""Compares two curves of one training, step by step: from where on they differ by more than rounding and noise. Judges nothing.

pairs = align(ours.x, ours.values, theirs.x, theirs.values)
found = compare(pairs.ours, pairs.theirs)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

#: Float64 or int64, one entry a point.
Array = np.ndarray[Any, Any]
#: Points that say together whether a difference stays.
_WINDOW = 10
#: A loss that falls far below its beginning is compared at this share of it: its rounding does not fall with it.
_SCALE = 0.1
#: Steps without growth after which a new jump is one of its own.
_PLATEAU = 5


@dataclass(frozen=True)
class Limits:
    """From when a difference counts; all are shares of the loss.

    `visible`: the usual tolerance of losses, 1 in 1,000. `rounding`: float32 in two frameworks, the same weights and batches: at most
    6e-7 in measured networks. `jump`: so many times what was seen before is no growth from step to step. `noise`: so many times the
    difference of two runs of one script is none of the code's.
    """

    visible: float = 1e-3
    rounding: float = 1e-6
    jump: float = 10.0
    noise: float = 3.0


@dataclass(frozen=True)
class AlignedCurves:
    """The points that two curves share; all arrays of shape (points,). `x` are steps of the first.

    `shift` is what the second counts more for the same step; `ours_alone` and `theirs_alone` are points without a counterpart.
    """

    x: Array
    ours: Array
    theirs: Array
    shift: int
    ours_alone: int
    theirs_alone: int


def without_torn(points: AlignedCurves, ours_end: float | None, theirs_end: float | None) -> AlignedCurves:
    """Without the last point, where a number stands that was cut short.

    The ends are those of curves whose file ends within a line; None for others.
    """
    if not len(points.x):
        return points
    ours, theirs, end = float(points.ours[-1]), float(points.theirs[-1]), float(points.x[-1])
    if (end == ours_end and _cut_short(ours, theirs)) or (
        theirs_end is not None and end + points.shift == theirs_end and _cut_short(theirs, ours)
    ):
        return replace(points, x=points.x[:-1], ours=points.ours[:-1], theirs=points.theirs[:-1])
    return points


def _cut_short(value: float, whole: float) -> bool:
    """Whether a number may be the beginning of another: 0.033 of 0.0333333."""
    digits = [len(repr(number).removesuffix(".0").partition(".")[2]) for number in (value, whole)]
    return digits[0] < digits[1] and abs(whole - value) < 1.5 * 10.0 ** -digits[0]


@dataclass(frozen=True)
class Comparison:
    """Two curves against each other; arrays of shape (points,), the others are indices of points, None where there is none.

    `relative`: the size of each difference as a share of the loss, NaN where one is not finite. `bound`: what it may be there.
    `printed`: what the last digit of the coarser log amounts to.
    `visible`: from here on it stays beyond the bound. `origin`: where that began, `jump` times what was seen before; None where it
    grew from rounding step by step. `early`: the first jump, also where the curves never part visibly. `lone`: points beyond the bound of
    a difference that does not stay. `ours_bad` and `theirs_bad`: the first NaN or Inf.
    """

    relative: Array
    bound: Array
    printed: Array
    visible: int | None
    origin: int | None
    jump: float
    early: int | None
    lone: list[int]
    ours_bad: int | None
    theirs_bad: int | None


def align(ours_x: Array, ours: Array, theirs_x: Array, theirs: Array) -> AlignedCurves:
    """The points of equal steps; both axes rise strictly. A count from 0 and one from 1 are told by where they begin."""
    shifts = [0]
    if len(ours_x) and len(theirs_x):
        starts = (ours_x[0], theirs_x[0])
        if starts in ((0, 1), (1, 0)):
            shifts = [int(theirs_x[0] - ours_x[0]), 0]
        elif not np.isin(ours_x, theirs_x).any():
            shifts = [0, 1, -1]
    both = {
        shift: np.intersect1d(ours_x + shift, theirs_x, assume_unique=True, return_indices=True) for shift in shifts
    }
    shift = max(shifts, key=lambda one: len(both[one][0]))  # the first of equals
    steps, first, second = both[shift]
    alone = len(ours_x) - len(steps), len(theirs_x) - len(steps)
    return AlignedCurves(steps - shift, ours[first], theirs[second], shift, *alone)


def resolution(values: Array) -> Array:
    """The last digit that a log printed, of each value (points,): by decimals or by digits in all; 0 where no rounding shows."""
    known = values[np.isfinite(values)]
    known = known[np.abs(known) < 1e9][:2000]
    if len(known) < 3:
        return np.zeros(len(values))
    step = np.zeros(len(values))
    for decimals in range(9):
        scaled = known * 10**decimals
        if (np.abs(scaled - np.round(scaled)) < 1e-6 * np.maximum(1, np.abs(known))).all():
            step[:] = 10.0**-decimals
            break
    sizes = 10 ** np.floor(np.log10(np.where(known == 0, 1.0, np.abs(known))))
    for digits in range(1, 8):
        scaled = known / sizes * 10 ** (digits - 1)
        if (np.abs(scaled - np.round(scaled)) < 1e-7 * 10 ** (digits - 1)).all():
            size = np.abs(np.where(np.isfinite(values) & (values != 0), values, 1.0))
            return np.maximum(step, 10 ** (np.floor(np.log10(size)) - digits + 1))
    return step


def relative(ours: Array, theirs: Array) -> Array:
    """The size of each difference as a share of the loss (points,), NaN where one is not finite."""
    found: Array = np.abs(ours - theirs) / _scale(ours, theirs)
    return found


def _scale(ours: Array, theirs: Array) -> Array:
    sizes: Array = np.maximum(np.abs(ours), np.abs(theirs))
    known = sizes[np.isfinite(sizes) & (sizes > 0)]
    start = _SCALE * float(np.median(known[:_PLATEAU])) if len(known) else 1.0
    return np.maximum(sizes, start)


def spread(differences: Array) -> Array:
    """How far runs of one script are apart at each point and before it, from `relative` of two of them (points,), NaN where not known."""
    known = np.isfinite(differences)
    squares = np.where(known, differences, 0.0) ** 2
    counts = np.concatenate([[0], np.cumsum(known)])
    sums = np.concatenate([[0.0], np.cumsum(squares)])
    ends = np.minimum(np.arange(len(differences)) + _WINDOW, len(differences))
    starts = np.maximum(ends - _WINDOW, 0)
    means = (sums[ends] - sums[starts]) / np.maximum(counts[ends] - counts[starts], 1)
    return np.maximum.accumulate(np.sqrt(np.maximum(means, 0)))


def compare(ours: Array, theirs: Array, noise: Array | None = None, limits: Limits | None = None) -> Comparison:
    """Two curves of the same steps; `noise` is the `spread` of runs of one script at these points."""
    limits = limits or Limits()
    count = len(ours)
    noise = np.zeros(count) if noise is None else noise
    bad = [np.flatnonzero(~np.isfinite(values)) for values in (ours, theirs)]
    ours_bad, theirs_bad = (int(found[0]) if len(found) else None for found in bad)
    differences = relative(ours, theirs)
    # Rounding of what was printed: each side may be half a digit off, which is as much as one digit in all.
    printed = np.nan_to_num(np.maximum(resolution(ours), resolution(theirs)) / _scale(ours, theirs))
    floor = np.maximum(np.maximum(limits.rounding, printed), limits.noise * noise / limits.jump)
    bound = np.maximum(np.maximum(limits.visible, limits.noise * noise), 1.5 * printed)
    kept = np.flatnonzero(np.isfinite(differences))
    known, bounds, floors = differences[kept], bound[kept], floor[kept]
    beyond = known > bounds
    stays = _stays(beyond)
    apart = np.flatnonzero(stays & beyond)
    visible = int(apart[0]) if len(apart) else None
    jumps, ratios = _jumps(known, floors, limits)
    lone = [int(kept[at]) for at in np.flatnonzero(beyond) if visible is None or at < visible]
    origin = None if visible is None else _origin(known, jumps, visible)
    ratio = ratios[origin] if origin is not None else 0.0
    if visible is not None and origin is None and limits.noise * noise[kept][visible] >= limits.visible:
        origin, ratio = (
            visible,
            float(known[visible] / bounds[visible]),
        )  # above the noise, below which nothing can be seen
    if origin is not None:
        lone = [at for at in lone if at < kept[origin]]

    def place(at: int | None) -> int | None:
        return None if at is None else int(kept[at])

    early = jumps[0] if jumps else None
    return Comparison(
        differences, bound, printed, place(visible), place(origin), ratio, place(early), lone, ours_bad, theirs_bad
    )


def _stays(beyond: Array) -> Array:
    """Whether more than half of each point and those after it are beyond, as many as decide."""
    counts = np.concatenate([[0], np.cumsum(beyond)])
    starts = np.arange(len(beyond))
    ends = np.minimum(starts + _WINDOW, len(beyond))
    found: Array = 2 * (counts[ends] - counts[starts]) > ends - starts
    return found


def _jumps(differences: Array, floors: Array, limits: Limits) -> tuple[list[int], dict[int, float]]:
    """Where a difference becomes so many times what was seen before, and stays there; with that factor."""
    before = np.maximum(np.concatenate([[0.0], np.maximum.accumulate(differences)[:-1]]), floors)
    found = {}
    for at in np.flatnonzero(differences > 3 * before):  # a few: each is more than all before it
        ratio = float(np.median(differences[at : at + _WINDOW]) / before[at])
        if ratio > limits.jump:
            found[int(at)] = ratio
    return list(found), found


def _origin(differences: Array, jumps: list[int], visible: int) -> int | None:
    """The jump that the visible difference began with: the last one, or one before it from which it went on growing."""
    earlier = [at for at in jumps if at <= visible]
    if not earlier:
        return None
    origin = earlier.pop()
    while earlier and not _is_plateau(differences[earlier[-1] : origin]):
        origin = earlier.pop()
    return origin


def _is_plateau(values: Array) -> bool:
    half = len(values) // 2
    return len(values) >= _PLATEAU and bool(np.median(values[half:]) <= 3 * np.median(values[:half]))
