"""Rows whose columns come out of step: each column is the same place of another list, and chance, or a folder, orders the lists apart.

Judged where a source of the project gives row i from what lies at place i of several lists. What is shuffled together, as pairs or by one
permutation, or again from the same seed, stays in step.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ..knowledge.random_numbers import DRAWS_ONCE, IN_PLACE
from .flow import sources
from .pipelines import Pipeline, Pipelines
from .shuffling import LISTINGS, Observation
from .values import Call, Items, UnknownValue, Value, options

#: What sets or restores the state that draws come from.
_SEEDS = frozenset(("seed", "set_seed", "setstate", "set_state"))


def examine(pipelines: Pipelines) -> Iterator[Observation]:
    """What is to be said of the rows that a script trains or is evaluated with, once of each place."""
    told: set[tuple[str, str, int]] = set()
    for pipeline in pipelines.found:
        if pipeline.leaf is None:
            continue
        for said in _Rows(pipelines, pipeline).say():
            place = said.code, said.source.path, said.line
            if place not in told:
                told.add(place)
                yield said


class _Rows:
    def __init__(self, pipelines: Pipelines, pipeline: Pipeline) -> None:
        self.calls = pipelines.reading.trace.calls
        columns = pipelines.columns.get(id(pipeline.leaf))
        values = columns.values if columns is not None else {}
        held = {name: [*_lists(value)] for name, value in values.items()}
        #: What each column is taken from by the place of the row, and all that this is made of, each once.
        self.held = {name: [*sources(Items(lists))][1:] for name, lists in held.items() if lists}

    def say(self) -> Iterator[Observation]:
        names = [*self.held]
        for place, one in enumerate(names):
            for other in names[place + 1 :]:
                said = self.shuffled_apart(one, other) or self.listed_apart(one, other)
                if said is not None:
                    yield said
                    return

    def shuffled_apart(self, one: str, other: str) -> Observation | None:
        """By a draw that orders the list of one column alone."""
        mine, theirs = self.draws(one), self.draws(other)
        alone = [call for key, call in mine.items() if key not in theirs and not self.is_of(call, one, other)]
        alone += [call for key, call in theirs.items() if key not in mine and not self.is_of(call, other, one)]
        if not alone or self.seeded_again(alone):
            return None
        return _observation("shuffled-apart", max(alone, key=lambda call: call.order), one, other)

    def is_of(self, draw: Call, column: str, other: str) -> bool:
        """Whether a column is another one in the order that a draw gives, as partners of samples are: no label is meant to fit it."""
        held = set(map(id, self.held[other]))
        taken = [part for part in self.held[column] if isinstance(part, Call)]
        orders = (part.base for part in taken if part.name == "[]" and any(arg is draw for arg in _within(part.args)))
        return any(id(base) in held for base in (*orders, *draw.args) if isinstance(base, Call))

    def seeded_again(self, draws: list[Call]) -> bool:
        first, last = min(call.order for call in draws), max(call.order for call in draws)
        return any(call.last in _SEEDS and (first < call.order < last) for call in self.calls)

    def draws(self, column: str) -> dict[int, Call]:
        """What brings the list of a column into an order of chance, by id; not generators of one's own, which may have one seed."""
        held = self.held[column]
        found = {id(part): part for part in held if isinstance(part, Call) and part.name in DRAWS_ONCE}
        ids = set(map(id, held))
        return found | {id(call): call for call, shuffled in self.shuffles if not shuffled.isdisjoint(ids)}

    @cached_property
    def shuffles(self) -> list[tuple[Call, set[int]]]:
        """The calls that shuffle in place, each with the ids of what they may shuffle."""
        calls = (call for call in self.calls if call.name in IN_PLACE)
        return [(call, {id(part) for arg in call.args[:1] for part in options(arg)}) for call in calls]

    def listed_apart(self, one: str, other: str) -> Observation | None:
        """By the listings of two folders, one of which at least nothing sorts; if the other one is sorted, only chance lets them match."""
        listings = [self.listings(name) for name in (one, other)]
        if not all(listings) or set(listings[0]) & set(listings[1]):
            return None
        unsorted = [[call for call, is_sorted in found.values() if not is_sorted] for found in listings]
        if not any(unsorted):
            return None
        code = "listed-apart" if all(unsorted) else "sorted-alone"
        return _observation(code, [*unsorted[0], *unsorted[1]][-1], one, other)

    def listings(self, column: str) -> dict[int, tuple[Call, bool]]:
        """The listings of folders that a column is taken from, by id, each with whether something sorts it."""
        held = [part for part in self.held[column] if isinstance(part, Call)]
        is_sorted = any("sort" in part.last.lower() or id(part) in self.in_order for part in held)
        return {id(part): (part, is_sorted) for part in held if part.name in LISTINGS}

    @cached_property
    def in_order(self) -> set[int]:
        """The ids of what is sorted in place."""
        return {id(part) for call in self.calls if call.name == ".sort" for part in options(call.base)}


def _within(values: list[Value]) -> Iterator[Value]:
    return (part for value in values for part in sources(value))


def _lists(value: Value) -> Iterator[Value]:
    """The lists of which a value holds the element at the place that a row was asked for."""
    elements = (part for part in sources(value) if isinstance(part, Call) and part.name == "[]")
    for element in elements:
        if element.base is not None and [type(key) for key in element.args] == [UnknownValue]:
            yield element.base


def _observation(code: str, at: Call, one: str, other: str) -> Observation:
    last = at.last_line
    column = getattr(at.node, "col_offset", 0)
    return Observation(code, at.source, at.line, column, last, {"one": one, "other": other}, assumed=True)
