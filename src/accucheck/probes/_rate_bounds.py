"""The two bounds that a learning rate range test gives, from its recorded rates and accuracies or losses. Pure numpy.

The method is Smith's (2017, "Cyclical learning rates", section 3.3), whose bounds are read by eye from the plot: the lower one
is where the accuracy begins to rise, the upper one where it rises no more. What stands in for the eye is in `bounds`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Float64, one entry a point.
Array = np.ndarray[Any, Any]
#: Fewer points than this show no bounds, and a larger moving mean than `_WIDEST` points blurs them.
FEWEST, _WIDEST = 40, 101
#: Into how many parts a curve is cut to see how far it wanders by itself.
_PARTS = 20
#: The part of the rise to which the line is fitted.
_FOOT, _MIDDLE = 0.15, 0.5
#: A value beyond this is none: sums of such are infinite.
_HUGE = 1e100
#: A test whose rates span less than this factor ranges over nothing.
SPAN = 3.0


@dataclass(frozen=True)
class RateBounds:
    """`lower` and `upper` are rates, and `falls` is the last one at which the curve is still near its top: where there is nothing left
    to learn it stays there beyond `upper`. `below`: the curve rises from its first point on, so the lower bound may lie below the
    rates tested; `above`: it is near its top up to its last, so training may fail only above them."""

    lower: float
    upper: float
    falls: float
    below: bool
    above: bool


@dataclass(frozen=True)
class RangeTest:
    """A range test as it is judged: `rates` rising, `values` finite, `smoothed` their moving mean; all of shape (points,).

    `bounds` is None where the curve does not rise by more than `needed`, in units of `values`; `rise` is what it rises by.
    """

    rates: Array
    values: Array
    smoothed: Array
    exponential: bool
    rise: float
    needed: float
    bounds: RateBounds | None


def is_exponential(rates: Array) -> bool:
    """Whether rates grow by a factor rather than by an amount, from one point to the next."""
    rates = rates[rates > 0]
    if len(rates) < 3 or rates[-1] < 10 * rates[0]:
        return False
    steps = np.arange(len(rates))
    return bool(np.corrcoef(steps, np.log(rates))[0, 1] > np.corrcoef(steps, rates)[0, 1])


def rising(rates: Array) -> bool:
    """Whether rates never fall, and span enough to be a range test."""
    some = rates[rates > 0]
    return len(some) > 1 and bool((np.diff(rates) >= 0).all()) and bool(some[-1] >= SPAN * some[0])


def moving_mean(values: Array, window: int) -> Array:
    """The mean of `window` points around each, an odd number, reflected at the ends: a flat curve stays flat there."""
    half = min(window // 2, len(values) - 1)
    padded = np.pad(values, half, mode="reflect")
    return np.convolve(padded, np.full(2 * half + 1, 1 / (2 * half + 1)), "valid")


def bounds(rates: Array, values: Array, *, falling: bool, least: float, noises: float, tolerance: float) -> RangeTest:
    """Judge a range test. `rates`, not falling, and `values`, both of shape (points,), at least FEWEST.

    `falling` for a loss, which is judged upside down and, where it exceeds its beginning, counts as its beginning: how far it
    diverges says nothing. What follows the first value that is not finite is left out. Without a rise of `noises` standard
    deviations of the smoothed curve, and of `least` (of the beginning, for a loss), there are no bounds.
    The lower one is where the line fitted to the lower half of the rise meets the base line; the upper one the first rate within
    `tolerance` of the rise, or two standard deviations, of the top. The noise is taken from the differences of neighbours, which
    the rise itself hardly moves.
    """
    finite = np.abs(values) < _HUGE  # neither is NaN
    whole = bool(finite.all())
    end = len(values) if whole else int(np.argmin(finite))
    exponential = is_exponential(rates)
    if exponential:  # a rate of 0 has no place on a logarithmic scale
        begin = int(np.argmax(rates > 0))
        rates, values, end = rates[begin:], values[begin:], end - begin
    rates, values = rates[:end], values[:end]
    if end < FEWEST:
        return RangeTest(rates, values, values, exponential, 0.0, least, None)
    x = np.log(rates) if exponential else rates
    window = min(_WIDEST, max(3, end // 20)) | 1
    curve = values
    if falling:
        least *= abs(float(values[:window].mean()))
        curve = -np.minimum(values, values[:window].max())
    smoothed = moving_mean(curve, window)
    noise = float(np.std(np.diff(curve))) / math.sqrt(2 * window)
    peak = int(np.argmax(smoothed))
    top = float(smoothed[peak])
    base = float(curve[:window].mean())
    # The first points alone are a noisy base line: all that lie below the foot of the rise make a better one.
    foot = _last_below(smoothed[: peak + 1], base + _FOOT / 2 * (top - base))
    base = float(curve[: max(window, foot - window)].mean())
    rise, needed = top - base, max(noises * max(noise, _wandering(curve)), least)
    shown = -smoothed if falling else smoothed
    if not rise > needed:
        return RangeTest(rates, values, shown, exponential, max(rise, 0.0), needed, None)
    first = _last_below(smoothed[: peak + 1], base + _FOOT * rise)
    last = first + int(np.argmax(smoothed[first : peak + 1] >= base + _MIDDLE * rise))
    last = max(last, min(first + 2, end - 1))
    slope, offset = np.polyfit(x[first : last + 1] - x[first], smoothed[first : last + 1], 1)
    start = x[first] + (base - offset) / slope if slope > 0 else x[first]
    near = top - max(tolerance * rise, 2 * noise)
    upper = int(np.argmax(smoothed >= near))
    falls = end - 1 - int(np.argmax(smoothed[::-1] >= near - tolerance * rise))
    lower = float(min(max(start, x[0]), x[upper]))
    found = RateBounds(
        lower=math.exp(lower) if exponential else lower,
        upper=float(rates[upper]),
        falls=float(rates[falls]),
        below=bool(first <= window // 2 or start <= x[0]),
        # Values that end in NaN did not stay near the top for want of a higher rate.
        above=whole and end - falls <= window // 2,
    )
    return RangeTest(rates, values, shown, exponential, rise, needed, found)


def _wandering(curve: Array) -> float:
    """The standard deviation of the means of the parts of a curve, from what each differs by from its two neighbours.

    Running means have little noise from point to point, and wander from part to part. What rises evenly differs by nothing, and where
    it bends it does so in few parts, which the median leaves out.
    """
    length = len(curve) // _PARTS
    means = curve[: _PARTS * length].reshape(_PARTS, length).mean(axis=1)
    return float(np.median(np.abs(np.diff(means, 2)))) / (0.6745 * math.sqrt(6))


def _last_below(smoothed: Array, level: float) -> int:
    """The place after the last one that lies below a level: where the rise to the end begins for good."""
    below = np.flatnonzero(smoothed < level)
    return min(int(below[-1]) + 1, len(smoothed) - 1) if len(below) else 0
