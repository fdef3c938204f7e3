"""The learning rates that a schedule gives, as far as they can be computed from the script: the first, the highest and the last."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Any

from .computation import Computation, NotComputed
from .syntax import kept
from .trace import Trace
from .values import Call, Instance, Value, options

#: What numbers out of sight are taken for, such as the batches of a data set: what differs between them is not told.
STAND_INS = (4, 7)
#: Rates that differ by no more are the same.
_CLOSE = 0.03
#: The share of the highest rate below which others are small.
SMALL = 0.03
#: Rates below are 0.
_ZERO = 1e-12
#: Below this share of the highest, a rate trains nothing. A row is at its lowest from where it is this near to that.
FADED, _LOWEST = 1e-3, 1.001
#: A row that goes on rising behind this share of it ends where it is highest; one that rises by less counts as constant.
_LATE, _RISE = 0.9, 1.01
#: A row comes back that has been below the first share of its highest, and ends above the second.
_LOW, _HIGH = 0.1, 0.9
#: What fewer rates do is not told.
_SHORT = 8
#: A schedule that gives the rate at a step is asked at so many steps between its turns, and none of those is later.
_ASKED, _LAST = 60, 1_000_000
#: Long after them it is asked at so many times the last, and by so much a rate grows that goes on growing.
_LATER, _GROWTH = (1, 4, 16), 1.5


@dataclass(frozen=True)
class Rates:
    """The rates of a schedule. `first` and `last` are None where they hang on something that the script does not tell; `last` as well
    for a schedule without an end. `settled`: they are made of nothing that may be another at run time, such as an option. `epochs`: how
    many epochs a row of rates lasts, where its length is that many times the number of batches of a data set, which alone is unknown.
    `small`: which of "first" and "last" is at most SMALL times the highest. `count`: how many rates a row has, whatever is unknown.
    `lowest_from`: the update from which on a row is at its lowest, or next to 0, where that is the same however many batches an epoch has,
    and the row is longer the more these are. `rises`: a row that does not fall anywhere, and rises to its end. `peak`: the epochs until the
    highest of a row that rises before. `returns`: a row that falls far below its highest, and ends near that. `grows`: a schedule without
    an end that gives ever larger rates."""

    highest: float
    first: float | None
    last: float | None
    settled: bool
    epochs: float | None = None
    small: frozenset[str] = frozenset()
    count: int | None = None
    lowest_from: int | None = None
    rises: bool = False
    peak: float | None = None
    returns: bool = False
    grows: bool = False


@dataclass(frozen=True)
class _Row:
    """What is computed with one stand-in: a row of rates, of which the `course` is known, or a schedule that is asked at steps."""

    highest: float
    first: float
    last: float | None
    settled: bool
    course: list[float] = field(default_factory=list)
    beyond: list[float] = field(default_factory=list)  # what a schedule gives long after the last of its turns

    @property
    def count(self) -> int | None:
        return len(self.course) or None


@kept
def compute(trace: Trace, rate: Value | None) -> Rates | None:
    """The rates behind what an optimizer is given, whichever it is of several; None where they cannot be computed."""
    computed = _computed(trace, rate)
    if computed is None:
        return None
    found, by_batches = computed
    highest = _same([one.highest for one in found])
    if highest is None:
        return None
    firsts, lasts = [one.first for one in found], [one.last for one in found]
    first, last = _same(firsts), _same(lasts)
    small = frozenset(name for name, rates in (("first", firsts), ("last", lasts)) if _are_small(rates, highest))
    epochs = _epochs([one.count for one in found]) if by_batches else None
    rates = Rates(highest, first, last, all(one.settled for one in found), epochs, small)
    return _with_course(rates, found, by_batches)


def _with_course(rates: Rates, found: list[_Row], by_batches: bool) -> Rates:
    """The same with what is told of the course of rows."""
    counts = {one.count for one in found}
    rises, returns = (all(told(one.course) for one in found) for told in (_rises, _returns))
    rates = replace(rates, rises=rises, returns=returns, grows=all(_grows(one.beyond) for one in found))
    if len(counts) == 1:
        return replace(rates, count=counts.pop())
    lowest = _lowest_from(found) if rates.epochs is not None else None
    return replace(rates, lowest_from=lowest, peak=_peak(found) if by_batches else None)


def _computed(trace: Trace, rate: Value | None) -> tuple[list[_Row], bool] | None:
    """The rates for each stand-in, and whether it stands for nothing but batches; None where they cannot be computed."""
    found: list[_Row] = []
    by_batches = True
    for stand_in in STAND_INS:
        computation = Computation(trace, stand_in)
        try:
            found += [_rates(computation, option) for option in options(rate)]
        except (NotComputed, RecursionError):
            return None
        by_batches = by_batches and bool(computation.unseen) and all(map(_is_size, computation.unseen))
    return found, by_batches


def _lowest_from(found: list[_Row]) -> int | None:
    """The place from which on rows of different lengths are at their lowest, where it is the same in all of them."""
    places = {_first_lowest(one.course) for one in found}
    place = places.pop() if len(places) == 1 else None
    return place if place is not None and all(place < len(one.course) - 1 for one in found) else None


def _first_lowest(course: list[float]) -> int | None:
    highest = max(course, default=0.0)
    behind = course[course.index(highest) :] if course else []
    low = max(min(behind, default=0.0) * _LOWEST, FADED * highest)
    if not behind or low >= highest:
        return None
    return len(course) - len(behind) + next(place for place, rate in enumerate(behind) if rate <= low)


def _rises(course: list[float]) -> bool:
    """Whether a row never falls, and rises to its end."""
    if len(course) < _SHORT or any(later < rate for rate, later in pairwise(course)):
        return False
    return course[-1] > course[0] * _RISE and course[-1] > course[int(len(course) * _LATE)]


def _grows(beyond: list[float]) -> bool:
    """Whether a schedule gives ever larger rates long after it was to come down or to stay."""
    return bool(beyond) and all(later > rate * _GROWTH for rate, later in pairwise(beyond))


def _returns(course: list[float]) -> bool:
    """Whether a row falls far below its highest, and ends near that."""
    highest = max(course, default=0.0)
    behind = course[course.index(highest) :] if course else []
    return bool(behind) and min(behind) <= _LOW * highest and behind[-1] >= _HIGH * highest


def _peak(found: list[_Row]) -> float | None:
    """How many epochs rows rise until they are highest, by the number of batches that stands for those of an epoch."""
    if len(found) != len(STAND_INS) or not all(one.course for one in found):
        return None
    places = [one.course.index(one.highest) for one in found]
    parts = [one.course[: place + 1] for one, place in zip(found, places, strict=True)]
    peaks = [(place + 1) / batches for place, batches in zip(places, STAND_INS, strict=True)]
    return min(peaks) if all(map(_rises, parts)) and max(peaks) - min(peaks) < 1 else None


def rates_at(trace: Trace, schedule: Value, steps: list[int]) -> list[float] | None:
    """What an object gives at steps, of the framework or the project; None where that cannot be computed, or hangs on what is unknown."""
    found = []
    for stand_in in STAND_INS:
        computation = Computation(trace, stand_in)
        try:
            made = computation.of(schedule)
            asked = schedule if isinstance(schedule, Call) else made
            found.append([_single(computation.call(asked, [step], {})) for step in steps])
        except (NotComputed, RecursionError):
            return None
    return found[0] if all(row == found[0] for row in found) else None


def _is_size(value: Value) -> bool:
    """Whether a number is that of the batches of a data set."""
    return isinstance(value, Call) and value.name == ".get_dataset_size"


def _epochs(counts: list[int | None]) -> float | None:
    """How many epochs rows of rates last whose lengths are `counts`, one for each stand-in for the batches of an epoch."""
    if len(counts) != len(STAND_INS) or None in counts:
        return None
    (epochs, *others) = [count / batches for count, batches in zip(counts, STAND_INS, strict=True) if count is not None]
    return epochs if all(other == epochs for other in others) else None


def _same(rates: Sequence[float | None]) -> float | None:
    """A rate that is the same for both stand-ins, but for where steps of an epoch happen to fall: the last of those given."""
    numbers = [rate for rate in rates if rate is not None]
    close = len(numbers) == len(rates) > 0 and all(math.isclose(one, numbers[-1], rel_tol=_CLOSE) for one in numbers)
    return numbers[-1] if close else None


def _are_small(rates: Sequence[float | None], highest: float) -> bool:
    """Whether rates are next to nothing beside the highest."""
    return all(rate is not None and abs(rate) <= SMALL * highest for rate in rates)


def _rates(computation: Computation, rate: Value | None) -> _Row:
    found = computation.of(rate)
    ends = isinstance(found, (list, int, float))
    later: list[float] = []
    if not ends:  # an object that gives the rate at a step
        steps = _steps(list(_turns(computation, rate)))
        asked = rate if isinstance(rate, Call) else found
        found = [computation.call(asked, [step], {}) for step in steps]
        later = [_single(computation.call(asked, [steps[-1] * times], {})) for times in _LATER]
    row = [_single(computation.number_of(one)) for one in found] if isinstance(found, list) else [_single(found)]
    if not row:
        raise NotComputed
    course = row if isinstance(found, list) and ends else []
    return _Row(max(row), row[0], row[-1] if ends else None, computation.settled, course, later)


def _single(rate: Any) -> float:
    """A rate, also where it is an array of one; what rounding leaves of 0 is 0."""
    one = rate[0] if isinstance(rate, list) and len(rate) == 1 else rate
    if not isinstance(one, (int, float)) or isinstance(one, bool) or not math.isfinite(one):
        raise NotComputed
    return 0.0 if abs(one) < _ZERO else one


def _steps(turns: list[int]) -> list[int]:
    """Steps at which a schedule is asked, up to the last of its turns: what it gives after that no training may reach."""
    last = max(turns, default=0)
    if last < 1:
        raise NotComputed
    between = (round(last ** (place / (_ASKED - 1))) - 1 for place in range(_ASKED))
    return sorted({*between, *turns})


def _turns(computation: Computation, schedule: Value | None) -> Iterator[int]:
    """The steps at which a schedule may turn: the numbers that it and its parts were made with, and those before."""
    parts = list(schedule.attributes.values()) if isinstance(schedule, Instance) else [schedule]
    made = (run for run in computation.trace.frames if run.owner is schedule and run.function.name == "__init__")
    parts += [value for run in made for value in run.parameters.values() if value is not schedule]
    given = (chain(part.args, part.keywords.values()) if isinstance(part, Call) else [part] for part in parts)
    for value in chain.from_iterable(given):
        step = _number(computation, value)
        if step is not None and 1 <= step <= _LAST:
            yield from (round(step) - 1, round(step))


def _number(computation: Computation, value: Any) -> float | None:
    try:
        return _single(computation.of(value))
    except NotComputed:
        return None
