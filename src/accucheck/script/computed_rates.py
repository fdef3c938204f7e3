"""The learning rates that a schedule gives, as far as they can be computed from the script: the first, the highest and the last."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from .computation import Computation, NotComputed
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
#: A schedule that gives the rate at a step is asked at so many steps between its turns, and none of those is later.
_ASKED, _LAST = 60, 1_000_000


@dataclass(frozen=True)
class Rates:
    """The rates of a schedule. `first` and `last` are None where they hang on something that the script does not tell; `last` as well
    for a schedule without an end. `settled`: they are made of nothing that may be another at run time, such as an option. `epochs`: how
    many epochs a row of rates lasts, where its length is that many times the number of batches of a data set, which alone is unknown.
    `small`: which of "first" and "last" is at most SMALL times the highest."""

    highest: float
    first: float | None
    last: float | None
    settled: bool
    epochs: float | None = None
    small: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Row:
    """What is computed with one stand-in: a row of rates, of which `count` is known, or a schedule that is asked at steps."""

    highest: float
    first: float
    last: float | None
    settled: bool
    count: int | None


def compute(trace: Trace, rate: Value | None) -> Rates | None:
    """The rates behind what an optimizer is given, whichever it is of several; None where they cannot be computed."""
    found: list[_Row] = []
    by_batches = True
    for stand_in in STAND_INS:
        computation = Computation(trace, stand_in)
        try:
            found += [_rates(computation, option) for option in options(rate)]
        except (NotComputed, RecursionError):
            return None
        by_batches = by_batches and bool(computation.unseen) and all(map(_is_size, computation.unseen))
    highest = _same([one.highest for one in found])
    if highest is None:
        return None
    firsts, lasts = [one.first for one in found], [one.last for one in found]
    first, last = _same(firsts), _same(lasts)
    small = frozenset(name for name, rates in (("first", firsts), ("last", lasts)) if _are_small(rates, highest))
    epochs = _epochs([one.count for one in found]) if by_batches else None
    return Rates(highest, first, last, all(one.settled for one in found), epochs, small)


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
    if not ends:  # an object that gives the rate at a step
        steps = _steps(list(_turns(computation, rate)))
        found = [computation.call(rate if isinstance(rate, Call) else found, [step], {}) for step in steps]
    row = [_single(computation.number_of(one)) for one in found] if isinstance(found, list) else [_single(found)]
    if not row:
        raise NotComputed
    count = len(row) if isinstance(found, list) and ends else None
    return _Row(max(row), row[0], row[-1] if ends else None, computation.settled, count)


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
