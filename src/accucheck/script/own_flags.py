"""Dropout that an attribute of the project's own switches, where a network is evaluated that has it on: set_train does not reach it.

The attribute is found in the code of the cell, as `if self.flag:` around the dropout or `training=self.flag`, and its value in each cell
that an evaluation runs. A flag that is set by anything but the making of the cell is not judged.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .analysis import Reading, Scripts
from .modes import Account, Event, within
from .syntax import walk
from .values import Call, Instance, Value, frames_around, is_known

#: The attribute that set_train sets.
_OF_FRAMEWORK = "training"
_MADE_IN = "__init__"


@dataclass(frozen=True, eq=False)
class SwitchedDropout:
    """A dropout, and the attribute of the cell that switches it."""

    call: Call
    cell: Instance
    flag: str


@dataclass(frozen=True, eq=False)
class LeftOn:
    """A dropout that is on where a cell is evaluated."""

    dropout: SwitchedDropout
    evaluation: Event


def examine(
    scripts: Scripts, accounts: Iterable[tuple[Reading, Account]], functions: Iterable[str]
) -> Iterator[LeftOn]:
    """`functions`: the dropout functions of the framework, each of which drops unless it is told not to."""
    switched = {
        (dropout.cell.of.source.path, dropout.cell.of.node.lineno): dropout
        for reading in scripts.readings
        for dropout in _switched(reading, frozenset(functions))
    }
    told: set[int] = set()
    for reading, account in accounts if switched else ():
        for event, cell in _evaluated(account):
            dropout = switched.get((cell.of.source.path, cell.of.node.lineno))
            if dropout is None or id(dropout.call.node) in told or not _is_on(cell, dropout.flag, reading):
                continue
            told.add(id(dropout.call.node))
            yield LeftOn(dropout, event)


def _switched(reading: Reading, functions: frozenset[str]) -> Iterator[SwitchedDropout]:
    for call in reading.trace.calls:
        cell = call.frame.owner if call.frame is not None else None
        if call.api in functions and isinstance(cell, Instance) and isinstance(call.node, ast.Call):
            flag = _flag_given(call.node) or _flag_around(call)
            if flag and flag != _OF_FRAMEWORK:
                yield SwitchedDropout(call, cell, flag)


def _flag_given(node: ast.Call) -> str:
    given = next((keyword.value for keyword in node.keywords if keyword.arg == _OF_FRAMEWORK), None)
    return _own_attribute(given)


def _flag_around(call: Call) -> str:
    """The attribute that alone decides whether a call runs, where it is told nothing itself."""
    told = any(keyword.arg == _OF_FRAMEWORK for keyword in getattr(call.node, "keywords", ()))
    if told or call.frame is None:
        return ""
    around = [
        part
        for part in walk(call.frame.function.node)
        if isinstance(part, ast.If) and any(inner is call.node for statement in part.body for inner in walk(statement))
    ]
    return _own_attribute(around[0].test) if len(around) == 1 else ""


def _own_attribute(node: ast.expr | None) -> str:
    """The name behind `self.name`, or "" for anything else."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if is_own and isinstance(node, ast.Attribute) else ""


def _evaluated(account: Account) -> Iterator[tuple[Event, Instance]]:
    """The cells of the project that an evaluation runs, with all within them."""
    for event in [*account.runs, *(model for model in account.models if model.mode is False)]:
        tops: list[Value] = [*event.cells, *(use.cell for use in event.uses)]
        for top in tops:
            yield from ((event, cell) for cell in within(top).values() if isinstance(cell, Instance))


def _is_on(cell: Instance, flag: str, reading: Reading) -> bool:
    """Whether a flag is on from the making of a cell to the end."""
    value = cell.attributes.get(flag)
    stores = (store for store in reading.trace.stores if store.owner is cell and store.attribute == flag)
    later = any(all(frame.function.name != _MADE_IN for frame in frames_around(store.frame)) for store in stores)
    return is_known(value, True) and not value.assumed and not later
