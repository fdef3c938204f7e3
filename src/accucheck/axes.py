"""How the axis of a chart lies, in reports and on the screen: which values it can hold, linear or logarithmic, and its ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

#: The largest number that an axis can hold.
LARGEST = 1e100
#: An axis whose values spread over more than this is logarithmic.
DECADES = 1e3


def finite(values: Iterable[float | None]) -> list[float]:
    """Values as drawn; NaN where there is none, or none that an axis can hold."""
    return [math.nan if value is None or not abs(value) < LARGEST else float(value) for value in values]


def recorded_apart(values: Sequence[float]) -> bool:
    """Whether a series has no two values side by side: it was recorded at other places than the rest of a chart, and has no gaps."""
    return not any(not (math.isnan(one) or math.isnan(other)) for one, other in pairwise(values))


def logarithmic(values: Iterable[float]) -> bool:
    """Whether a logarithmic axis shows more: all positive, and spread over DECADES. NaN counts for nothing."""
    known = [value for value in values if not math.isnan(value)]
    return len(known) > 2 and min(known) > 1 / LARGEST and max(known) / min(known) >= DECADES


def logarithmic_x(values: Sequence[float]) -> bool:
    """The same for x, where it must not be of even steps: steps from 1 to 10,000 lie evenly, learning rates of a range test do not."""
    known = sorted(value for value in values if not math.isnan(value))
    return logarithmic(known) and known[len(known) // 2] < 0.1 * known[-1]


def ticks(low: float, high: float, most: int) -> list[float]:
    """At most `most` round numbers from `low` to `high`: 1, 2 or 5 times a power of ten apart."""
    if not low < high or most < 1:
        return [low]
    step = 10.0 ** math.floor(math.log10((high - low) / most))
    for times in (1, 2, 5, 10, 20):
        first = math.ceil(low / (step * times) - 1e-9)
        last = math.floor(high / (step * times) + 1e-9)
        if last - first < most:
            return [number * step * times for number in range(first, last + 1)]
    return [low]


def decades(low: float, high: float, most: int) -> list[float]:
    """At most `most` powers of ten from `low` to `high`, both positive, evenly apart."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    by = max(1, -(-(last - first + 1) // max(1, most)))
    return [10.0**power for power in range(first, last + 1, by)] or [low]
