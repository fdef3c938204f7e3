"""Schedules of learning rates that a script makes and does not use: those of the framework and of the project, schedulers that nothing
moves, and rows of numbers for each update that are computed with the rate of an optimizer."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Protocol, cast

from ..knowledge.methods import PARAMETERS
from . import rows
from .effects import kept
from .flow import sources
from .settings import RATE_NAME, SettingMessage, Settings, given_rate, plain
from .source import Source
from .syntax import mentioned
from .values import (
    Call,
    Frame,
    Instance,
    Items,
    KnownValue,
    Mapping,
    Value,
    ValueOrigin,
    deciders_of,
    frames_around,
    is_slice,
    options,
    unseen,
)

#: Where MindSpore's schedules come from.
_SCHEDULES = ("mindspore.nn.", "mindspore.experimental.", "mindspore.mint.")


class _Named(Protocol):
    """Something that the script makes and gives a name."""

    bound: tuple[str, ...]
    source: Source
    node: ast.AST


def examine(settings: Settings) -> Iterator[SettingMessage]:
    """The schedules that nothing uses."""
    if settings.optimizer_rates:
        look = _Unused(settings)
        yield from look.of_framework()
        yield from look.of_functions()
        yield from look.beside()


class _Unused:
    """`constant`: the rates of all optimizers, `rates`, stay as they are."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.trace = settings, settings.trace
        made = settings.optimizer_rates
        self.constant = all(one.is_constant for one in made)
        rates = (given_rate(one.given) for one in made) if self.constant else ()
        self.rates = [rate for rate in rates if rate is not None]
        self.reached = {id(part) for one in made for value in one.given.values() for part in sources(value)}
        self.returned = Counter(id(o) for f in self.trace.frames for o in _spread(f.returned))

    def message(self, sure: bool, source: Source, node: ast.AST, name: str) -> SettingMessage:
        code = "schedule-ignored" if sure else "schedule-unused"
        return SettingMessage(code, source, node, {"schedule": name}, likely=True)

    def is_taken(self, value: object) -> bool:
        """Whether a value is used by a call, held by an object, or returned."""
        return id(value) in self.held or bool(self.settings.uses.get(id(value))) or bool(self.returned[id(value)])

    @cached_property
    def held(self) -> set[int]:
        """The ids of what optimizers and functions are given, and of what objects hold."""
        frames = self.trace.frames
        given = (value for frame in frames for value in frame.parameters.values() if value is not frame.owner)
        attributes = (value for made in self.trace.instances for value in made.attributes.values())
        stored = (store.value for store in self.trace.stores)
        return self.reached | {id(option) for value in (*given, *attributes, *stored) for option in _spread(value)}

    # --- of the framework ---------------------------------------------------------------------------------------------

    def of_framework(self) -> Iterator[SettingMessage]:
        for made in self.settings.schedules:
            if not made.name.startswith(_SCHEDULES) or self.is_taken(made) or unseen(made.frame):
                continue
            driven = [one for one, _, _ in self.settings.optimizers() if self.settings.drives(made, one)]
            if not driven or self.trains(driven, made):
                sure = self.constant or bool(driven) or self.is_beside_constant(made)
                yield self.message(sure, made.source, made.node, made.last)

    def is_beside_constant(self, schedule: Call) -> bool:
        """Whether all optimizers that the same run of a function makes keep their rates, whatever optimizers are made elsewhere."""
        beside = [one for one in self.settings.optimizer_rates if one.place.frame is schedule.frame]
        return schedule.frame is not None and bool(beside) and all(one.is_constant for one in beside)

    def trains(self, optimizers: list[Call | Instance], besides: Call) -> bool:
        """Whether one of several optimizers is used by something else."""
        return any(user is not besides for one in optimizers for user, _ in self.settings.uses.get(id(one), ()))

    # --- of the project -----------------------------------------------------------------------------------------------

    def of_functions(self) -> Iterator[SettingMessage]:
        """Calls of the project's functions for schedules that nothing uses."""
        for frame in self.trace.frames:
            if frame.owner is not None or unseen(frame):
                continue
            made_here = [one for one in options(frame.returned) if isinstance(one, (Call, Items))]
            unused = [one for one in made_here if self.is_unused(one, frame)]
            if unused:
                row = any(_is_row(value) or rows.length(value) is not None for value in unused)
                yield self.message(self.constant and row, frame.source, frame.node, frame.function.name)

    def is_unused(self, value: Call | Items, frame: Frame) -> bool:
        """Whether nothing uses a schedule that a function gives, nor the numbers in it."""
        if self.returned[id(value)] > 1 or id(value) in self.held or self.settings.uses.get(id(value)):
            return False
        if any(id(rate) in self.reached for rate in _computed(value, frame)):
            return False
        return _is_schedule(value, frame, self.rates) or self.is_for_updates(value, frame)

    def beside(self) -> Iterator[SettingMessage]:
        """Rows of rates, and schedules of the project's own classes, that a name stands for where they are made."""
        for one in (*self.own_rows(), *self.own_schedules()):
            if not self.is_taken(one) and not _is_read(one.bound, one.source):
                yield self.message(self.constant, one.source, one.node, one.bound[0])

    def own_rows(self) -> Iterator[Call]:
        for made in self.trace.calls:
            row = made.name == "comprehension" or made.name.startswith("numpy.")
            if row and made.bound and not unseen(made.frame) and self.is_for_updates(made, made.frame):
                yield made

    def own_schedules(self) -> Iterator[_Named]:
        for own in self.trace.instances:
            if not own.bound or own.source is None or own.node is None or unseen(own.frame):
                continue
            if any("LearningRateSchedule" in base for base in own.of.beyond()):
                yield cast("_Named", own)

    def is_for_updates(self, value: Call | Items, frame: Frame | None) -> bool:
        """Whether a value is a number for each update, or each epoch, that is computed with the rate of an optimizer."""
        count = rows.length(value)
        if count is None or not rows.arithmetic(value) or not self.counts_training(count):
            return False
        return self.speaks_of_rate(value, frame) or self.is_given_rate(frame)

    def speaks_of_rate(self, value: Call | Items, frame: Frame | None) -> bool:
        """Whether the code that computes a value names what an optimizer is given as its rate."""
        called = {one.name for rate in self.rates for one in options(rate) if isinstance(one, KnownValue)} - {""}
        code = frame.function.node if frame is not None else getattr(value, "node", None)
        return isinstance(code, ast.AST) and not called.isdisjoint(mentioned(code))

    def is_given_rate(self, frame: Frame | None) -> bool:
        given = frame.parameters.values() if frame is not None else ()
        held = {id(part) for each in given for part in sources(each)}
        return any(id(rate) in held for rate in self.rates)

    def counts_training(self, count: Value) -> bool:
        """Whether a number is that of the updates or epochs of the training."""
        if any(isinstance(part, Call) and part.last == "get_dataset_size" for part in sources(count)):
            return True
        return any(_alike(plain(count), one) for one in self.epochs)

    @cached_property
    def epochs(self) -> list[Value | None]:
        """What says how many epochs there are, in each training of the script."""
        given = [*(one for _, _, one in self.settings.trainings()), *(one for _, _, one, _ in self.settings.loops())]
        return [plain(one) for one in given]


def _alike(one: Value | None, other: Value | None) -> bool:
    """Whether two values are one, or the same number."""
    if isinstance(one, KnownValue) and isinstance(other, KnownValue):
        return bool(one.value == other.value)
    return one is other


def _is_read(names_: tuple[str, ...], source: Source) -> bool:
    """Whether a file reads one of these names anywhere."""
    return any(part.id in names_ and isinstance(part.ctx, ast.Load) for part in source.nodes_of(ast.Name))


def _is_of(value: Value, rates: list[Value]) -> bool:
    """Whether numbers are computed from the very setting that an optimizer is given as its rate."""
    of_optimizer = {mark for rate in rates for option in options(rate) if (mark := _mark(option)) is not None}
    return any(_mark(part) in of_optimizer for part in sources(value))


def _mark(value: Value) -> tuple[float, tuple[ValueOrigin, ...]] | None:
    """What tells a setting of the run from others."""
    by = deciders_of([value]) if isinstance(value, KnownValue) and type(value.value) is float else ()
    return (value.value, by) if by and isinstance(value, KnownValue) else None


def _is_schedule(value: Call | Items, frame: Frame, rates: list[Value]) -> bool:
    """True for what a function gives that is called a rate, or that is a row of numbers computed from one of the rates in use."""
    named = [frame.function.name, *(value.bound if isinstance(value, Call) else ())]
    if any(isinstance(part, Call) and part.name in PARAMETERS for part in sources(value)):
        return False  # a group of parameters
    return any(map(RATE_NAME.search, named)) or (_is_row(value) and _is_of(value, rates))


def _is_row(value: Value, depth: int = 0) -> bool:
    """True for several numbers, one for each step or epoch: a list that was filled, or an array, whole or a part of it. A tuple as
    written is several results of one function."""
    if isinstance(value, Items):
        return _is_filled(value)
    if not isinstance(value, Call) or depth > _DEEP:
        return False
    if value.name.startswith("numpy.") or value.name == "comprehension" or value.api == "Tensor":
        return True
    whole = [value.base] if _is_part(value) else kept(value, "same", "order") or []
    return any(_is_row(option, depth + 1) for of in whole for option in options(of))


def _is_filled(row: Items) -> bool:
    """True for a list of several numbers, or one that a loop fills."""
    held = (option for item in row.items for option in options(item))
    several = row.open or len(row.items) > 1
    return several and not row.fixed and not any(isinstance(one, Mapping) for one in held)


#: How many operations on a row are followed back: rates.astype(…)[begin:].
_DEEP = 6


def _is_part(value: Call) -> bool:
    """True for a part of a row that is a row itself: rates[begin:end]."""
    key = value.args[0] if value.name == "[]" and value.args else None
    return is_slice(key)


def _computed(value: Call | Items, frame: Frame) -> list[Call]:
    """The numbers of a row that a function computes: where these go on, the row does, in whatever list they are put."""
    items = value.items if isinstance(value, Items) else []
    numbers_ = [option for item in items for option in options(item)]
    return [one for one in numbers_ if isinstance(one, Call) and frame in frames_around(one.frame)]


def _spread(value: Value | None) -> Iterator[Value]:
    for option in options(value):
        yield option
        inner = option.items if isinstance(option, (Items, Mapping)) else []
        yield from (inner.values() if isinstance(inner, dict) else inner)
