"""What is wrong with the course of learning rates over a training: rates that are at their end after a few updates, however many batches an
epoch has, that rise until the training ends, or come back to their highest by then, and schedules that each update moves on by a factor
meant for an epoch.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..knowledge import api
from .computed_rates import FADED, Rates, rates_at
from .effects import bound_arguments
from .factors import operation
from .flow import sources
from .schedules import Update, moves, place_of, turns, updates
from .settings import SettingMessage, Settings, given_rate, number, plain
from .values import Call, Index, Instance, Items, KnownValue, Value, options, unseen

#: A schedule that is over after so many times the number of epochs, in updates, is meant for epochs.
FEW = 10
#: So few batches hardly any epoch has.
RARE = 5
#: A warm-up that takes this share of the training or more never lets the rate come down.
MOST_OF = 0.9
#: Of fewer epochs no end is told.
LEAST = 4


def examine(settings: Settings) -> Iterator[SettingMessage]:
    for optimizer, _, bound in settings.optimizers():
        if settings.idle(optimizer):
            continue
        run = list(updates(settings, optimizer))
        for rate in options(given_rate(bound)):
            if not unseen(rate.frame if isinstance(rate, Call) else None):
                yield from _of_rates(settings, optimizer, rate, run)
        for made in settings.schedules:
            if settings.drives(made, optimizer) and not unseen(made.frame):
                yield from _of_moved(settings, made)
        yield from _of_assigned(settings, optimizer)


# --- rates that are computed ------------------------------------------------------------------------------------------


def _of_rates(
    settings: Settings, optimizer: Call | Instance, rate: Value, run: list[Update]
) -> Iterator[SettingMessage]:
    found = settings.rates_of(rate)
    if found is None:
        return
    place, epochs = place_of(settings, plain(rate) or rate, optimizer), trained_epochs(run)
    data: dict[str, Any] = {"schedule": place.name, "highest": f"{found.highest:.3g}"}
    if (over := _over(settings, rate, found, epochs)) is not None:
        yield SettingMessage("rate-over", place.source, place.node, data | over.shown, likely=over.likely)
    elif found.rises or found.grows or _warms_up(found, epochs):
        yield SettingMessage("rate-rises", place.source, place.node, data, likely=found.settled or found.grows)
    elif found.returns:
        named = optimizer.last if isinstance(optimizer, Call) else optimizer.of.node.name
        data = {"optimizer": named, "highest": f"{found.highest:.3g}"}
        yield SettingMessage("rate-returns", place.source, place.node, data, likely=found.settled)
    elif _is_own(rate) and epochs and all(one.inner for one in run) and _ends_with_epochs(settings, rate, epochs):
        data = {"schedule": place.name, "length": f"{epochs:g}", "path": run[0].path, "line": run[0].line}
        yield SettingMessage("schedule-by-epochs", place.source, place.node, data, likely=not run[0].under)


class _Over(NamedTuple):
    """After how many updates rates are over, and for how many epochs they are."""

    shown: dict[str, str]
    likely: bool


def _over(settings: Settings, rate: Value, found: Rates, epochs: float | None) -> _Over | None:
    """Whether rates are over after a few updates, however many batches an epoch has."""
    if found.lowest_from is not None and found.epochs is not None:
        steps, epochs = found.lowest_from, found.epochs
    elif not epochs or (faded := _fades(settings, rate, epochs)) is None:
        return None
    else:
        steps = faded
    shown = {"steps": str(steps), "epochs": f"{epochs:g}"}
    return _Over(shown, found.settled and steps <= RARE * epochs) if steps < FEW * epochs else None


def _fades(settings: Settings, rate: Value, epochs: float) -> int | None:
    """After how many updates next to nothing is left of a rate that falls by a factor again and again, where that is soon; None for
    schedules that have a length, and of which it is not seen."""
    known = api.find(rate.api) if isinstance(rate, Call) else None
    if known is None or known.kind != "schedule" or known.length is not None:
        return None
    steps = list(range(0, round(RARE * epochs) + 1, max(1, round(epochs / 10))))
    rates = rates_at(settings.trace, rate, steps) or [0.0]
    if rates[0] <= 0:  # it warms up
        return None
    return next((step for step, now in zip(steps, rates, strict=True) if now <= FADED * rates[0]), None)


def _is_own(rate: Value) -> bool:
    """Whether a rate is an object of a class of the project, which gives one at each step."""
    return isinstance(rate, Instance)


def _warms_up(found: Rates, epochs: float | None) -> bool:
    """Whether rates rise until the training is over or nearly so."""
    return found.peak is not None and epochs is not None and epochs > 1 and found.peak >= MOST_OF * epochs


def trained_epochs(run: list[Update]) -> float | None:
    """How many epochs there are, by the loops around the updates; None where that is not seen."""
    counts = {number(count.value) for one in run for count in one.outer[-1:] if isinstance(count, KnownValue)}
    return counts.pop() if len(counts) == 1 else None


# --- rates that are moved on ------------------------------------------------------------------------------------------


def _of_moved(settings: Settings, made: Call) -> Iterator[SettingMessage]:
    """A schedule that falls by a factor with each call of step(), which comes with each update."""
    lasts = _fades_after(made)
    run = list(moves(settings, made))
    if lasts is None or not run or not all(one.inner for one in run):
        return
    epochs = trained_epochs(run)
    if lasts < FEW * (epochs or FEW):
        at = run[0]
        data = {"schedule": made.last, "steps": str(lasts), "path": at.path, "line": at.line}
        yield SettingMessage("rate-fades", made.source, made.node, data, likely=bool(epochs and lasts <= RARE * epochs))


def _fades_after(made: Call) -> int | None:
    """The number of moves after which a schedule that multiplies the rate again and again has next to nothing left of it."""
    known = api.find(made.api)
    given = bound_arguments(made) or {}
    defaults = known.defaults if known is not None else {}
    factor = _number(given.get("gamma"), defaults.get("gamma"))
    if factor is None or not 0 < factor < 1:
        return None
    times = _times(factor)
    if "milestones" in given:
        return _last_milestone(given["milestones"], times)
    size = _number(given.get("step_size"), None if known is not None and "step_size" in known.parameters else 1.0)
    return None if size is None else round(size * times)


def _times(factor: float) -> int:
    """How often a rate is multiplied until next to nothing is left."""
    return math.ceil(math.log(FADED) / math.log(factor))


def _last_milestone(milestones: Value, times: int) -> int | None:
    places = (
        [number(item.value) for item in milestones.items if isinstance(item, KnownValue)]
        if isinstance(milestones, Items)
        else []
    )
    known = [place for place in places if place is not None]
    return round(sorted(known)[times - 1]) if len(known) >= times and len(known) == len(places) else None


def _number(value: Value | None, default: object) -> float | None:
    given = plain(value)
    if given is None:
        return float(default) if isinstance(default, (int, float)) else None
    return number(given.value) if isinstance(given, KnownValue) else None


# --- rates that the training sets by hand -----------------------------------------------------------------------------


def _of_assigned(settings: Settings, optimizer: Call | Instance) -> Iterator[SettingMessage]:
    """A rate that is multiplied by a factor within the loop over the batches, and put into the optimizer."""
    for made in settings.assigned:
        value = plain(made.args[-1]) if made.args and settings.sets_rate(made, optimizer) else None
        lasts = _lasts_by_hand(value) if isinstance(value, Call) and len(value.loops) > 1 else None
        epochs = _turns_around(settings, value) if isinstance(value, Call) else None
        if isinstance(value, Call) and lasts is not None and epochs is not None and lasts < FEW * epochs:
            data = {"schedule": value.bound[0], "steps": str(lasts), "path": made.source.path, "line": made.line}
            yield SettingMessage("rate-fades", value.source, value.node, data, likely=lasts <= RARE * epochs)


def _turns_around(settings: Settings, value: Call) -> float | None:
    """How often the nearest loop of known turns around the innermost one runs."""
    counted = turns(settings)
    known = [plain(counted[id(loop)]) for loop in value.loops[:-1] if id(loop) in counted]
    return number(known[-1].value) if known and isinstance(known[-1], KnownValue) else None


def _lasts_by_hand(value: Call) -> int | None:
    """After how many turns of the innermost loop next to nothing is left of a rate that is multiplied by a factor there."""
    every, factor = _turns_between(value), _factor_again(value)
    return None if every is None or factor is None else round(every * _times(factor))


def _factor_again(value: Call) -> float | None:
    """The factor by which a name is multiplied of what it stood for before."""
    done = operation(value)
    if done.does not in ("mul", "div") or len(done.operands) != 2 or len(value.bound) != 1:
        return None
    again = any(isinstance(part, ast.Name) and part.id == value.bound[0] for part in ast.walk(value.node))
    given = done.operands[1] if done.does == "div" or isinstance(done.operands[1], KnownValue) else done.operands[0]
    by = number(given.value) if isinstance(given, KnownValue) else None
    factor = (1 / by if done.does == "div" else by) if by else None
    return factor if again and factor is not None and 0 < factor < 1 else None


def _turns_between(value: Call) -> float | None:
    """Every how many turns of the innermost loop a line runs: 1, or n of `turn % n == 0`; None where that is not seen."""
    inside = [test for test in value.tests if test not in (value.frame.tests if value.frame is not None else ())]
    if not inside:
        return 1
    found = [_every(test.value, value) for test in inside]
    return found[0] if len(found) == 1 else None


def _every(test: Value | None, value: Call) -> float | None:
    """n of `turn % n == 0`, where that counts the turns of the innermost loop around a value."""
    rest = test.args[0] if isinstance(test, Call) and test.name == "==" and test.args else None
    by = rest.args[1] if isinstance(rest, Call) and rest.name == "%" and len(rest.args) == 2 else None
    if not isinstance(rest, Call) or not isinstance(by, KnownValue):
        return None
    counts = any(_counts_turns(part, value.loops[-1]) for part in sources(rest.args[0]))
    return number(by.value) if counts else None


def _counts_turns(value: Value, loop: ast.AST) -> bool:
    """Whether a value is the number of the turn of a loop, of range() or enumerate()."""
    if isinstance(value, Call):
        return value.name == ".each" and value.node is loop
    over = getattr(loop, "iter", None)
    counted = over.args[:1] if isinstance(over, ast.Call) else []
    return isinstance(value, Index) and isinstance(value.of, Call) and value.of.node in counted


# --- schedules of the project's own classes ---------------------------------------------------------------------------


def _ends_with_epochs(settings: Settings, rate: Value, epochs: float) -> bool:
    """Whether a schedule that is asked at each update comes to its end at the one whose number is that of the epochs."""
    last = round(epochs)
    rates = rates_at(settings.trace, rate, [0, last - 1, last, last + 1, 2 * last]) if last >= LEAST else None
    if rates is None:
        return False
    first, before, at, after, later = rates
    over = max(at, after, later) <= FADED * first or at == after == later
    return over and before > at and first > at
