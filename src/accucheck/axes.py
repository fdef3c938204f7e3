"""How the axis of a chart lies, in reports and on the screen: which values it can hold, linear or logarithmic, and its ticks."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise

#: The largest number that an axis can hold.
LARGEST = 1e100
#: An axis whose values spread over more than this is logarithmic.
DECADES = 1e3
#: So are the shades of a map, which are few, where most values lie below this share of the highest, and spread over its inverse at least.
FAINT = 0.1


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


def logarithmic_map(values: Iterable[float]) -> bool:
    """The same for a map, of which 0 is as light as the least: also where one row would leave all others in the lightest shade."""
    known = [value for value in values if not math.isnan(value)]
    positive = sorted(value for value in known if value > 0)
    if len(positive) < 3 or min(known) < 0:
        return False
    faint = positive[len(positive) // 2] < FAINT * positive[-1] and positive[0] <= FAINT * FAINT * positive[-1]
    return faint or logarithmic(positive)


def some(count: int, most: int, first: Collection[int] = ()) -> list[int]:
    """At most `most` of the places from 0 to `count`, in order: those of `first`, the rest evenly, with both ends."""
    if count <= most:
        return [*range(count)]
    chosen = sorted(first)[:most]
    room = min(most - len(chosen), count)
    even = [round(number * (count - 1) / max(1, room - 1)) for number in range(room)]
    return sorted({*chosen, *even})


def within(marked: Iterable[Sequence[int]], rows: int, columns: int) -> list[list[int]]:
    """Of cells of a map, [row, column], those that it has."""
    return [[*cell] for cell in marked if len(cell) == 2 and 0 <= cell[0] < rows and 0 <= cell[1] < columns]


def told(value: float | None, marked: bool = False) -> str:
    """A cell of a map in text: a sign where it is marked, a dash where there is nothing."""
    known = finite([value])[0]
    return ("×" if marked else "") + (
        "–" if math.isnan(known) and not marked else "" if math.isnan(known) else f"{known:.3g}"
    )


def shades(values: Iterable[float | None]) -> Callable[[float | None], float | None]:
    """Of a value of a map its shade from 0 to 1, None where there is none: along the logarithm where that shows more
    (logarithmic_map)."""
    known = [value for value in finite(values) if not math.isnan(value)]
    log = logarithmic_map(known)
    positive = [value for value in known if value > 0]
    low, high = (min(positive), max(positive)) if log else (min(known, default=0.0), max(known, default=0.0))

    def at(value: float) -> float:
        return math.log10(max(value, low)) if log else value

    def shade(value: float | None) -> float | None:
        place = finite([value])[0]
        if math.isnan(place):
            return None
        return (at(place) - at(low)) / (at(high) - at(low)) if high > low else 0.5

    return shade


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
