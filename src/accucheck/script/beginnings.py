"""What a list begins with: the elements whose places are known though more follow, as the special words of a vocabulary do."""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from .values import Call, Items, KnownValue, Members, Value, same

#: So many elements are followed one by one.
LIMIT = 200


class Beginning(NamedTuple):
    """`items`: the first elements, in order; `whole`: there are no others."""

    items: list[Value]
    whole: bool

    def __bool__(self) -> bool:
        return bool(self.items) or self.whole


NOTHING = Beginning([], False)


def beginning(value: Value) -> Beginning:
    """What a list, or what goes over lists, gives first; nothing where that is not known."""
    if isinstance(value, Items):
        return _of_written(value)
    if not isinstance(value, Call) or value.keywords or value.fed:
        return NOTHING
    if value.name == "+" and len(value.args) == 2:
        first = beginning(value.args[0])
        if not first.whole:
            return first
        second = beginning(value.args[1])
        return _limited([*first.items, *second.items], second.whole)
    if value.name in ("list", "tuple") and len(value.args) == 1:
        return beginning(value.args[0])
    if value.name == "enumerate" and value.args:
        return _numbered(*value.args)
    return _side_by_side(value.args) if value.name == "zip" and value.args else NOTHING


def place_of(listed: Value, wanted: Value) -> KnownValue | None:
    """Where a list holds a constant first; None where that is not known."""
    for place, item in enumerate(beginning(listed).items):
        if not isinstance(item, KnownValue):
            return None
        if same(item, wanted):
            return KnownValue(place)
    return None


def _of_written(listed: Items) -> Beginning:
    if isinstance(listed, Members) and len(listed.items) > 1:
        return NOTHING
    return _limited(listed.items[: listed.start] if listed.open else listed.items, not listed.open)


def _limited(items: list[Value], whole: bool) -> Beginning:
    return Beginning(items[:LIMIT], whole and len(items) <= LIMIT)


def _numbered(listed: Value, number: Value | None = None, *more: Value) -> Beginning:
    """What enumerate gives: pairs of a number and an element."""
    first = number.value if isinstance(number, KnownValue) else 0 if number is None else None
    if type(first) is not int or more:
        return NOTHING
    inner = beginning(listed)
    pairs: list[Value] = [Items([KnownValue(place), item], fixed=True) for place, item in enumerate(inner.items, first)]
    return Beginning(pairs, inner.whole)


def _side_by_side(lists: list[Value]) -> Beginning:
    """What zip gives. A range counts on for as long as the other lists go."""
    parts = [None if _counts(each) else beginning(each) for each in lists]
    known = [part for part in parts if part is not None]
    if not known:
        return NOTHING
    length = min(len(part.items) for part in known)
    turns = zip(*(part.items if part is not None else map(KnownValue, count()) for part in parts), strict=False)
    rows: list[Value] = [Items(list(turn), fixed=True) for turn, _ in zip(turns, range(length), strict=False)]
    return Beginning(rows, all(part.whole and len(part.items) == length for part in known))


def _counts(value: Value) -> bool:
    """Whether a value is range(...) from 0 on."""
    return isinstance(value, Call) and value.name == "range" and len(value.args) == 1
