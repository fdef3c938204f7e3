"""Terms of a loss that are computed of what a network gives and then left out, bound to a name that nothing reads; and what is computed of
an argument of a loss that nothing else makes use of, such as a mask or weights of the samples.

Judged in functions and cells of losses, whose result is minimised; what networks compute and drop is told of their connections.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from . import flow
from .effects import describes, effect, stops_gradient
from .factors import ARITHMETIC, comparison, operation
from .losses import Losses, Observation, applied
from .networks import has_weights, is_cell, is_loss
from .syntax import walk
from .trace import Trace
from .values import Call, Frame, Instance, Items, KnownValue, Value, options

#: How deep an expression is looked into for a sum or mean.
DEPTH = 12


def examine(losses: Losses) -> Iterator[Observation]:
    """Each such term, at its place."""
    minimised = losses.contributing
    for call in losses.trace.calls:
        frame = call.frame
        if frame is None or id(call) in minimised or not call.bound:
            continue
        gives_loss = any(id(value) in minimised for value in _given(frame))
        if not gives_loss or not _is_of_loss(frame) or not _is_lost(call, frame, losses.trace):
            continue
        if _is_term(call) and _is_trained(call):
            yield Observation("term-unused", call, {"name": call.bound[0]}, certain=False)
        elif (argument := _without_effect(call, frame, losses.trace, minimised)) is not None:
            yield Observation("argument-unused", call, {"name": call.bound[0], "argument": argument}, certain=False)


def _without_effect(call: Call, frame: Frame, trace: Trace, minimised: Collection[int]) -> str | None:
    """The argument of a loss that a value is computed of, and that the loss does not hang on."""
    if not any(applied(part) is not None for part in trace.calls if part.frame is frame):
        return None  # no loss by itself, such as what reads the data
    inside = {id(part) for part in flow.sources(call, describes)}
    for name, value in frame.parameters.items():
        computed = not isinstance(value, (KnownValue, Instance)) and id(value) in inside
        if computed and value is not call and id(value) not in minimised:
            return name
    return None


def _is_term(value: Value, depth: int = 0) -> bool:
    """Whether a value is a loss, a sum or a mean, or computed of some with numbers."""
    if not isinstance(value, Call) or depth > DEPTH:
        return False
    known = effect(value)
    if applied(value) is not None or (known is not None and known.reduces):
        return True
    done = operation(value)
    return done.does in ARITHMETIC and any(_is_term(part, depth + 1) for part in done.operands)


def _is_of_loss(frame: Frame) -> bool:
    """Whether a run is not that of a network, whose results are looked at elsewhere."""
    owner = frame.owner
    return not (isinstance(owner, Instance) and is_cell(owner.of) and has_weights(owner) and not is_loss(owner))


def _given(frame: Frame) -> Iterator[Value]:
    """What a function returns, and what is in a tuple of several."""
    for option in options(frame.returned):
        yield from option.items if isinstance(option, Items) else [option]


def _is_lost(call: Call, frame: Frame, trace: Trace) -> bool:
    return _is_never_read(call, frame) or _is_replaced(call, trace)


def _is_never_read(call: Call, frame: Frame) -> bool:
    """Whether the function reads the name nowhere behind, on whichever way; nor before, where a loop may come back to it, nor within
    another function, which may run later."""
    (name, *others) = call.bound
    if others or name.startswith("_") or not name.isidentifier() or not _is_bound_within(call, frame, name):
        return False
    loads = [part for part in walk(frame.function.node) if isinstance(part, ast.Name) and _is_load(part)]
    later = {id(part) for scope in _functions_within(frame.function.node) for part in walk(scope)}
    end = getattr(call.node, "end_lineno", 0), getattr(call.node, "end_col_offset", 0)
    straight = call.loops == frame.loops
    behind = (part for part in loads if not straight or id(part) in later or (part.lineno, part.col_offset) >= end)
    return name not in {part.id for part in behind}


def _is_bound_within(call: Call, frame: Frame, name: str) -> bool:
    """Whether the function itself gives a value the name, and not a caller of it."""
    assigns = (
        part for part in walk(frame.function.node) if isinstance(part, (ast.Assign, ast.AnnAssign, ast.AugAssign))
    )
    targets = (
        target
        for part in assigns
        if part.value is call.node
        for target in (part.targets if isinstance(part, ast.Assign) else [part.target])
    )
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _functions_within(function: ast.AST) -> Iterator[ast.AST]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return (part for part in walk(function) if isinstance(part, kinds) and part is not function)


def _is_replaced(call: Call, trace: Trace) -> bool:
    """Whether nothing uses a value before its name stands for another one, outside loops whose next turn might."""
    frame = call.frame
    if frame is None or call.loops != frame.loops or len({*call.bound}) != 1 or flow.users(trace).get(id(call)):
        return False
    later = (one for one in trace.calls if one.frame is frame and one.order > call.order and call.bound[0] in one.bound)
    return any(one.tests == call.tests and one.loops == call.loops for one in later)


def _is_load(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _is_trained(call: Call) -> bool:
    """Whether a gradient would go through a term into layers with weights."""
    for part in flow.sources(call, _ends_gradient):
        if isinstance(part, Call) and part.name == "" and part.base is not None and has_weights(part.base):
            return True
    return False


def _ends_gradient(value: Value) -> bool:
    known = effect(value) if isinstance(value, Call) else None
    counts = known is not None and known.kind in ("truth", "index", "count", "whole", "description")
    return counts or (isinstance(value, Call) and (stops_gradient(value) or bool(comparison(value))))
