"""Layers in a list of cells that is only indexed with constants: the elements that are never indexed.

Where another place of the list is called twice in one method, that is the slip `self.norms[1]` for `self.norms[0]`. A list of which a loop,
a slice or code outside of its class takes something is left alone, and so is one whose length is not seen. And loops over a list that call
one place of it in each turn.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from . import models
from .analysis import Scripts
from .networks import Observation, Structure, has_weights, leaves, of_training, structure_of, uses
from .source import Source
from .syntax import apart, walk
from .values import Call, Class, Function, Instance, Items, KnownValue, Value

#: Longer lists are stacks, of which a place may be left over.
LONGEST = 6

#: Where a method asks for each place of a list.
Asks = dict[int, list[tuple[Function, ast.Subscript]]]


def examine(scripts: Scripts) -> Iterator[Observation]:
    told: set[tuple[str, int, int, str]] = set()
    for reading in scripts.training:
        structure = structure_of(reading)
        if not any(map(of_training, reading.trace.calls)):
            continue
        for said in _of_structure(structure, scripts.sources):
            place = (said.source.path, said.line, getattr(said.node, "col_offset", 0), said.data["name"])
            if place not in told:
                told.add(place)
                yield said


def _of_structure(structure: Structure, sources: list[Source]) -> Iterator[Observation]:
    for cell in structure.cells:
        loops = [
            (method, node) for method in cell.of.methods() for node in walk(method.node) if isinstance(node, ast.For)
        ]
        for name, value in cell.attributes.items():
            size = _length(value) if has_weights(value) else None
            asks = _asks(cell, name, size, sources) if size is not None else {}
            idle = sorted(set(range(size or 0)) - set(asks)) if asks else []
            if len(idle) == 1:
                yield _observation(cell, name, idle[0], asks, value)
            if loops and has_weights(value):
                yield from _one_for_all(cell, name, loops)


def _one_for_all(cell: Instance, name: str, loops: list[tuple[Function, ast.For]]) -> Iterator[Observation]:
    """Loops over a list of cells that call one and the same place of it in each turn, and make no use of what they go through."""
    for method, loop in loops:
        place = _fixed_place(loop, name) if _mentions(loop.iter, name) else None
        if place is not None:
            data = {"name": name, "of": cell.of.node.name, "text": ast.unparse(place.func)}
            yield Observation("loop-calls-one", method.source, place, data, certain=False)


def _mentions(node: ast.expr, name: str) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr == name for part in ast.walk(node))


def _fixed_place(loop: ast.For, name: str) -> ast.Call | None:
    """The call of a constant place of a list in a loop that makes no use of what it goes through."""
    inside = [part for statement in loop.body for part in ast.walk(statement)]
    counted = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
    if any(isinstance(part, ast.Name) and part.id in counted for part in inside):
        return None
    return next((part for part in inside if isinstance(part, ast.Call) and _is_fixed_place(part.func, name)), None)


def _is_fixed_place(function: ast.expr, name: str) -> bool:
    """Whether a call is one of self.name[0], or another constant place."""
    if not isinstance(function, ast.Subscript):
        return False
    place = function.slice.operand if isinstance(function.slice, ast.UnaryOp) else function.slice
    taken = function.value
    return isinstance(place, ast.Constant) and isinstance(taken, ast.Attribute) and taken.attr == name


def _length(value: Value) -> int | None:
    """How many layers a list of cells holds, where that is seen; None for what is none."""
    held = models.cells(value)
    if isinstance(held, Call) and held.name == "comprehension" and not getattr(value, "fed", None):
        over = held.args[-1]
        ends = over.args if isinstance(over, Call) and over.name == "range" else []
        size = ends[0].value if len(ends) == 1 and isinstance(ends[0], KnownValue) else None
    else:
        size = len(held.items) if isinstance(held, Items) and not held.open else None
    return size if type(size) is int and 2 <= size <= LONGEST else None


def _asks(cell: Instance, name: str, size: int, sources: list[Source]) -> Asks:
    """The places that are asked for; none where something else is asked of the list."""
    use = uses(cell.of)
    if use.any or name not in use.loaded or _asked_elsewhere(cell.of, name, sources):
        return {}
    found: Asks = defaultdict(list)
    for method in cell.of.methods():
        for node in _loads(method, name):
            place = _place(method, node, size)
            if place is None or method.name == "__init__":
                return {}
            found[place[0]].append((method, place[1]))
    return found


def _loads(method: Function, name: str) -> Iterator[ast.Attribute]:
    """Where a method asks for an attribute of its own object."""
    for node in walk(method.node):
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load):
            yield node


def _place(method: Function, node: ast.Attribute, size: int) -> tuple[int, ast.Subscript] | None:
    """The constant place that is taken of a list where it is asked for, counted from its start."""
    outer = next((part for part in walk(method.node) if isinstance(part, ast.Subscript) and part.value is node), None)
    if outer is None or not isinstance(outer.ctx, ast.Load):
        return None
    place = outer.slice
    turned = isinstance(place, ast.UnaryOp) and isinstance(place.op, ast.USub)
    number = place.operand if isinstance(place, ast.UnaryOp) else place
    if not isinstance(number, ast.Constant) or type(number.value) is not int:
        return None
    return (size - number.value if turned else number.value), outer


def _asked_elsewhere(of: Class, name: str, sources: list[Source]) -> bool:
    """True where code outside of a class, and of those that it derives from, asks for an attribute of this name."""
    own = {id(node) for part in of.lineage() for node in walk(part.node)}
    nodes = (node for source in sources for node in source.nodes_of(ast.Attribute) if id(node) not in own)
    return any(node.attr == name and _beyond(node) for node in nodes)


def _beyond(node: ast.Attribute) -> bool:
    """True for an attribute that may be one of an object of another class: self is the other one."""
    return not (isinstance(node.value, ast.Name) and node.value.id == "self")


def _observation(cell: Instance, name: str, idle: int, asks: Asks, value: Value) -> Observation:
    node, method = uses(cell.of).stored[name]
    layer = next((leaf for _, leaf in leaves(value)), None)
    what = layer.api if isinstance(layer, Call) else ""
    data: dict[str, Any] = {"name": f"{name}[{idle}]", "of": (method.of or cell.of).node.name, "what": what}
    twice = _called_twice(asks)
    if twice is None:
        return Observation("unused-layer", method.source, node, data, certain=False, possible=True)
    place, (where, first), (_, last) = twice
    data |= {"twin": f"{name}[{place}]", "lines": sorted({first.lineno, last.lineno})}
    return Observation("twin-used-twice", where.source, last, data, certain=False)


def _called_twice(
    asks: Asks,
) -> tuple[int, tuple[Function, ast.Subscript], tuple[Function, ast.Subscript]] | None:
    """A place that one run of a method asks for twice, with both."""
    for place, asked in sorted(asks.items()):
        for one, other in combinations(sorted(asked, key=lambda each: (each[1].lineno, each[1].col_offset)), 2):
            if one[0] is other[0] and not apart(one[0].node, one[1], other[1]):
                return place, one, other
    return None
