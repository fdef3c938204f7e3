"""What moves a schedule of learning rates against what its length is counted in.

A schedule of nn is read at each update. A length that is the number of turns of the loop around the updates, while they run in a loop
further in, is used up within the first turns of the outer one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..knowledge import api
from . import rows
from .effects import bound_arguments
from .settings import SettingMessage, Settings, plain, written
from .source import Source
from .training_steps import Step, training
from .values import Call, Frame, Instance, KnownValue, Test, Value, options, unseen


@dataclass(frozen=True)
class Update:
    """Where weights are updated: how often each loop around that runs which has a further one within; `inner`: there is one around."""

    path: str
    line: int
    outer: list[Value]
    under: tuple[Test, ...]
    inner: bool = True


def miscounted(settings: Settings) -> Iterator[SettingMessage]:
    """The schedules that last as many updates as the training has epochs, of several updates each."""
    for optimizer, _, bound in settings.optimizers():
        rates = options(plain(bound.get("learning_rate", bound.get("lr"))))
        run = list(updates(settings, optimizer))
        for rate in rates:
            place = place_of(settings, rate, optimizer)
            if not unseen(rate.frame if isinstance(rate, Call) else None):
                found = settings.rates_of(rate)
                counted = rows.length(rate) is not None or (found is not None and found.count is not None)
                yield from _by_epochs(_length(settings, rate), run, place, len(rates) == 1, counted)
        for made in settings.schedules:
            if settings.drives(made, optimizer) and not unseen(made.frame):
                place = RatePlace(made.source, made.node, made.last)
                yield from _by_epochs(_length(settings, made), list(moves(settings, made)), place, True)


@dataclass(frozen=True)
class RatePlace:
    """Where a schedule is made, and what it is called."""

    source: Source
    node: ast.AST
    name: str


def place_of(settings: Settings, rate: Value, optimizer: Call | Instance) -> RatePlace:
    if isinstance(rate, Call) and rate.name != "comprehension":
        within = rate.frame.function.name if rate.frame is not None else written(rate)
        return RatePlace(rate.source, rate.node, rate.last if rate.last.isidentifier() else within)
    for frame in settings.trace.frames:
        if any(option is rate for option in options(frame.returned)) and frame.source is not None:
            return RatePlace(frame.source, frame.node, frame.function.name)
    source = optimizer.source
    assert source is not None and optimizer.node is not None
    return RatePlace(source, optimizer.node, written(rate))


def _by_epochs(
    length: Value | None, updates: list[Update], place: RatePlace, sure: bool, counted: bool = False
) -> Iterator[SettingMessage]:
    """What is to say of a schedule of this length; `counted` is the length of a row of numbers."""
    fast = [one for one in updates if length is not None and any(_same(length, turns, counted) for turns in one.outer)]
    if length is not None and updates and len(fast) == len(updates):
        at = fast[0]
        data = {"schedule": place.name, "length": written(length), "path": at.path, "line": at.line}
        sure = sure and not any(one.under for one in fast)
        yield SettingMessage("schedule-by-epochs", place.source, place.node, data, likely=sure)


def moves(settings: Settings, made: Call) -> Iterator[Update]:
    """The calls that move a schedule of its own: scheduler.step()."""
    counted = turns(settings)
    for call in settings.trace.calls:
        if call.name == ".step" and any(option is made for option in options(call.base)) and not unseen(call.frame):
            counts = [counted[id(loop)] for loop in call.loops[:-1] if id(loop) in counted]
            yield Update(call.source.path, call.line, counts, call.under, len(call.loops) > 1)


def _length(settings: Settings, rate: Value) -> Value | None:
    """The number of updates after which a schedule of the framework, or a row of rates, has come to its end."""
    count = plain(rows.length(rate))
    if count is not None:
        return count if rows.arithmetic(rate) else None
    found = settings.rates_of(rate)
    if found is not None and found.count is not None and found.last != found.highest:
        return KnownValue(found.count)
    known = api.find(rate.api) if isinstance(rate, Call) else None
    if known is None or known.length is None or not isinstance(rate, Call):
        return None
    return plain((bound_arguments(rate) or {}).get(known.length))


def _same(one: Value, other: Value, counted: bool) -> bool:
    """Whether two values are one setting: the same object, or a constant that one place gives both; of a length that is `counted`, the
    same number."""
    if isinstance(one, KnownValue) and isinstance(other, KnownValue) and (one.name or counted):
        alike = (one.name, one.origin) == (other.name, other.origin)
        return one.value == other.value and (alike or counted)
    return one is other


def updates(settings: Settings, optimizer: Call | Instance) -> Iterator[Update]:
    """The updates by an optimizer: those of the project's own steps, of training cells that are called, and of a Model."""
    counted = turns(settings)
    for step in training(settings.reading).steps:
        if not any(option is optimizer for option in options(step.optimizer)):
            continue
        if step.kind == "model":
            for run, _, epochs in settings.trainings():
                if epochs is not None and any(option is step.place for option in options(run.base)):
                    yield Update(run.source.path, run.line, [plain(epochs) or epochs], run.under)
            continue
        for call in runs(settings, step):
            counts = [counted[id(loop)] for loop in call.loops[:-1] if id(loop) in counted]
            line, inner = getattr(call.node, "lineno", 1), len(call.loops) > 1
            yield Update(call.source.path, line, counts, call.under, inner)


def runs(settings: Settings, step: Step) -> Iterator[Call | Frame]:
    """Where a step runs: the place of one's own, and the calls of a training cell."""
    if step.kind == "own" and isinstance(step.place, (Call, Frame)):
        if not unseen(step.frame):
            yield step.place
        return
    for call in settings.trace.calls:
        if call.name == "" and any(option is step.place for option in options(call.base)) and not unseen(call.frame):
            yield call


def turns(settings: Settings) -> dict[int, Value]:
    """How often each loop over range(n) runs, by the loop."""
    found: dict[int, Value] = {}
    ranges = {id(call.node): call for call in settings.trace.calls if call.name == "range" and len(call.args) == 1}
    for call in settings.trace.calls:
        for loop in call.loops:
            over = ranges.get(id(loop.iter)) if isinstance(loop, ast.For) else None
            if over is not None and (count := plain(over.args[0])) is not None:
                found[id(loop)] = count
    return found
