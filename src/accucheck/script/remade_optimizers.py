"""Optimizers that are made again in each turn of a training: what they hold of earlier updates is lost each time.

A turn takes a batch, or goes once through the data. The optimizer belongs to it where it is made whenever the turn updates weights, and
these are older than the loop. Rounds that begin with weights of their own, as folds, clients and stages do, are not meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from ..knowledge import api, optimizers
from ..knowledge.methods import PARAMETERS
from .flow import sources
from .freezing import assigns, is_setting
from .schedules import runs
from .settings import SCHEDULED, OptimizerRate, SettingMessage, Settings, given_rate, plain
from .syntax import counted
from .training_steps import Step, training
from .values import Call, Frame, Instance, KnownValue, Many, Value, is_known, options, unseen


def examine(settings: Settings) -> Iterator[SettingMessage]:
    """The optimizers that are made again in each step, or each epoch."""
    look = _Remade(settings)
    for rate in settings.optimizer_rates:
        made = rate.place
        if isinstance(made, Call) and (turn := look.turn(made)) and _loses(made, rate):
            code = "optimizer-each-step" if id(turn) in look.steps else "optimizer-each-epoch"
            likely = _is_settled(given_rate(rate.given), turn)
            data = {"optimizer": rate.told.data["optimizer"], "line": getattr(turn, "lineno", 1)}
            yield SettingMessage(code, made.source, made.node, data, likely=likely)


class _Remade:
    def __init__(self, settings: Settings) -> None:
        self.settings, self.trace = settings, settings.trace

    @cached_property
    def turns(self) -> list[Call]:
        """What takes the batches of the training data."""
        return self.settings.data.training_turns()

    @cached_property
    def steps(self) -> set[int]:
        """The loops that do so, by id."""
        return {id(turn.node) for turn in self.turns}

    @cached_property
    def epochs(self) -> set[int]:
        return {id(node) for node, _, _, _ in self.settings.loops()}

    def turn(self, optimizer: Call) -> ast.AST | None:
        """The loop in each of whose turns an optimizer is made, and updates weights that are older."""
        if not optimizer.loops or unseen(optimizer.frame):
            return None
        loop = optimizer.loops[-1]
        updates = [update for update in self.updates(optimizer) if loop in update.loops]
        if not updates or not all(self.is_turn(loop, update.loops) for update in updates):
            return None
        given = {id(test.node) for update in updates for test in update.under}
        always = all(id(test.node) in given for test in optimizer.under)
        return loop if always and _is_older(optimizer, loop) and not self.is_reset(loop) else None

    def is_turn(self, loop: ast.AST, around: tuple[ast.AST, ...]) -> bool:
        """Whether a loop takes a batch in each turn, or is the innermost of the loops over epochs around an update: one that counts, around
        the loop that takes the batches of the same data, or by its name."""
        if id(loop) in self.steps:
            return True
        within = around[around.index(loop) + 1 :]
        if counted(loop) is not None and len(within) == 1 and id(within[0]) in self.steps:
            return not any(_is_chosen_in(loop, turn) for turn in self.turns if turn.node is within[0])
        return id(loop) in self.epochs and not any(id(inner) in self.epochs for inner in within)

    def updates(self, optimizer: Call) -> Iterator[Call | Frame]:
        """Where an optimizer updates weights: by a step of the project's own, a training cell, or a Model that trains for one epoch."""
        for step in training(self.settings.reading).steps:
            if any(option is optimizer for option in options(step.optimizer)):
                yield from self.of_model(step) if step.kind == "model" else runs(self.settings, step)

    def of_model(self, step: Step) -> Iterator[Call]:
        for run, _, epochs in self.settings.trainings():
            if any(option is step.place for option in options(run.base)) and is_known(plain(epochs), 1):
                yield run

    def is_reset(self, loop: ast.AST) -> bool:
        """Whether something in a loop may give networks other weights."""
        return any(loop in call.loops and _writes_weights(call) for call in self.trace.calls)


def _loses(made: Call, rate: OptimizerRate) -> bool:
    """Whether an optimizer holds something of earlier updates, such as moments, or how far its schedule has come."""
    known = api.find(made.api)
    momentum = rate.given.get("momentum", KnownValue(known.defaults.get("momentum") if known is not None else None))
    plain_descent = any(isinstance(one, KnownValue) and not one.value for one in options(momentum))
    return optimizers.holds_moments(made.api) or not plain_descent or rate.told.code in SCHEDULED


def _is_chosen_in(loop: ast.AST, turn: Call) -> bool:
    """Whether each turn of a loop may have data of its own, as where each client has: those out of a list of several."""
    parts = list(sources(turn.base, lambda part: isinstance(part, Call) and part.api.startswith("dataset.")))
    several = (part for part in parts if isinstance(part, Many))
    taken = (part for part in parts if isinstance(part, Call) and loop in part.loops)
    return any(several) or any(part.name in ("[]", ".each", ".get") for part in taken)


def _is_older(optimizer: Call, loop: ast.AST) -> bool:
    """Whether all networks whose weights an optimizer is given are made before a loop."""
    lists = (part for arg in optimizer.args[:1] for part in sources(arg))
    keywords = (part for value in optimizer.keywords.values() for part in sources(value))
    given = [part for part in (*lists, *keywords) if isinstance(part, Call) and part.name in PARAMETERS]
    networks = [option for part in given for option in options(part.base)]
    return bool(networks) and all(isinstance(one, (Call, Instance)) and loop not in one.loops for one in networks)


def _writes_weights(call: Call) -> bool:
    """Whether a call gives a network other weights, as an optimizer's own updates do not."""
    sets = call.name == ".set_data" or assigns(call)
    target = call.base if call.name == ".set_data" else next(iter(call.args), None)
    return call.api == "load_param_into_net" or (sets and not any(map(is_setting, options(target))))


def _is_settled(rate: Value | None, loop: ast.AST) -> bool:
    """Whether a rate is the same in each turn of a loop."""
    return all(_is_same(option, loop) for option in options(rate))


def _is_same(value: Value, loop: ast.AST) -> bool:
    if isinstance(value, KnownValue):
        return True
    if not isinstance(value, (Call, Instance)):
        return False
    if loop not in value.loops:
        return True
    if isinstance(value, Instance):
        return False
    if value.name[:1] == "@" and value.base is not None:
        return _is_settled(value.base, loop)
    given = (*value.args, *value.keywords.values())
    return api.find(value.api) is not None and all(_is_settled(one, loop) for one in given)
