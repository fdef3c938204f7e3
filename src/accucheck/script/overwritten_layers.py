"""Loops over layers of which each turn overwrites the result of the one before: all layers but the last work for nothing.

`y = layer(x)` in a loop, where neither x nor anything else in the loop uses y.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .analysis import Scripts
from .networks import Observation, first_of_place, has_weights, structure_of
from .syntax import walk
from .trace import Trace
from .values import Call, Instance, options

#: What may lead past a turn, or out of the loop, so that one turn is chosen.
_WAYS = (ast.If, ast.IfExp, ast.Break, ast.Continue, ast.Return, ast.Try, ast.Match, ast.While)


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure, layers = structure_of(reading), _applied(reading.trace)
        for frame in (frame for frame in reading.trace.frames if structure.in_cell(frame)):
            for name, made in _of_function(frame.function.node):
                if id(made) in layers:
                    yield Observation("loop-overwrites", frame.source, made, {"name": name}, certain=False)


def _applied(trace: Trace) -> set[int]:
    """The ids of the nodes that apply something with weights."""
    layers = {id(call.node) for call in trace.calls if call.name == "" and _is_layer(call)}
    return layers | {id(run.node) for run in trace.frames if isinstance(run.owner, Instance) and has_weights(run.owner)}


def _is_layer(call: Call) -> bool:
    return any(has_weights(option) for option in options(call.base))


def _of_function(function: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for loop in (node for node in walk(function) if isinstance(node, ast.For)):
        yield from _overwritten(loop)


def _overwritten(loop: ast.For) -> Iterator[tuple[str, ast.Call]]:
    """The names that a loop gives the result of what it goes through, and of which nothing in the loop reads the one before."""
    nodes = [part for statement in loop.body for part in walk(statement)]
    if loop.orelse or any(isinstance(node, _WAYS) for node in nodes):
        return
    turns = _names(loop.target)
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for statement in loop.body:
        named = _named(statement)
        if named is None or named[0] in read:
            continue
        if _names(named[1].func) & turns and not _given(named[1]) & turns:
            yield named


def _named(statement: ast.stmt) -> tuple[str, ast.Call] | None:
    """The one name that a statement gives the result of a call."""
    if (
        not isinstance(statement, ast.Assign)
        or not isinstance(statement.value, ast.Call)
        or len(statement.targets) != 1
    ):
        return None
    target = statement.targets[0]
    return (target.id, statement.value) if isinstance(target, ast.Name) else None


def _given(made: ast.Call) -> set[str]:
    """The names among the arguments of a call."""
    return {name for part in (*made.args, *made.keywords) for name in _names(part)}


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in walk(node) if isinstance(part, ast.Name)}
