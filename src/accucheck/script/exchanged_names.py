"""Arguments in each other's places: what is called as one parameter is given for another one, and that one's namesake for it.

Only the script's own names are compared with each other. A function that is elsewhere given the two in their own order, as a loss that is
taken both ways round, or that calls itself, exchanges them on purpose, and so does what makes an object: a layer back from the number of
outputs to that of inputs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from .analysis import Scripts
from .networks import Observation, first_of_place
from .syntax import walk
from .values import Frame, Instance


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        for frame in reading.trace.frames:
            computes = not frame.unseen and frame.function.name != "__init__"
            pair = _exchanged(frame) if computes else None
            if pair is not None and not _is_meant(frame, pair):
                data = {"function": _full_name(frame), "first": pair[0], "second": pair[1]}
                yield Observation("names-exchanged", frame.source, frame.node, data, certain=False)


def _exchanged(frame: Frame) -> tuple[str, str] | None:
    """The names of two arguments of the call that made a run, each of which is the parameter that gets the other."""
    given = _given(frame, frame.node)
    for (first, one), (second, other) in combinations(given, 2):
        if first == other and second == one and first != second:
            return one, other
    return None


def _given(frame: Frame, call: ast.AST) -> list[tuple[str, str]]:
    """The parameters of the function that a call runs, each with the name of what is given for it."""
    if not isinstance(call, ast.Call) or any(isinstance(part, ast.Starred) for part in call.args):
        return []
    takes = [part.arg for part in (*frame.function.node.args.posonlyargs, *frame.function.node.args.args)]
    bound = takes[len(takes) > 0 and frame.function.owner is not None :]
    pairs = [*zip(bound, map(_name, call.args), strict=False)]
    pairs += [(part.arg, _name(part.value)) for part in call.keywords if part.arg is not None]
    return [(parameter, name) for parameter, name in pairs if name]


def _name(given: ast.expr) -> str:
    """What the script calls an argument: a variable, an attribute, a column by its name."""
    if isinstance(given, ast.Name):
        return given.id
    if isinstance(given, ast.Attribute):
        return given.attr
    key = given.slice if isinstance(given, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def _is_meant(frame: Frame, pair: tuple[str, str]) -> bool:
    """Whether the function that calls is the one that is called, or gives the two in their own order as well."""
    caller = frame.parent.function.node if frame.parent is not None else frame.source.tree
    if caller is frame.function.node:
        return True
    called = ast.dump(frame.node.func) if isinstance(frame.node, ast.Call) else ""
    others = (node for node in walk(caller) if isinstance(node, ast.Call) and ast.dump(node.func) == called)
    straight = {(name, name) for name in pair}
    return any(straight <= {*_given(frame, other)} for other in others)


def _full_name(frame: Frame) -> str:
    of = f"{frame.owner.of.node.name}." if isinstance(frame.owner, Instance) else ""
    return of + frame.function.name
