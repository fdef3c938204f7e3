"""Results of layers that are joined with themselves, added to themselves, or taken off themselves, where another one was meant.

A layer behind concat((x, x)) along the features gets nothing that it does not get from x alone; x + x is x in another size, and x - x
is nothing, as in a loss that compares samples with themselves. What a comprehension makes stands for each of its elements: two of them
are not one thing. Squares and products of a thing with itself are meant. Along the first
axis, samples may be repeated for another pass.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from . import flow
from .analysis import Scripts
from .effects import MOVED, kept, operands
from .factors import operation
from .freezing import applies, scan_of
from .networks import WITH_MATRIX, Observation, Structure, first_of_place, kind_of, structure_of
from .syntax import walk
from .values import Call, Items, KnownValue, Many, Value, is_known

#: So many terms of a sum are looked at.
_TERMS = 16
#: Steps between a join and the layer behind it.
_NEAR = 4


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure = structure_of(reading)
        each = {id(call.args[0]) for call in reading.trace.calls if call.name == "comprehension" and call.args}
        for call in reading.trace.calls:
            found = _twice(call, each)
            if found is None or id(found[0]) in each or not _counts(call, *found, structure):
                continue
            data = {"text": ast.unparse(call.node)[:80] if call.node is not None else ""}
            if operation(call).does == "concat":
                if _reaches_layer(call, flow.users(reading.trace)):
                    yield Observation("joined-with-itself", call.source, call.node, data, certain=False)
            else:
                meant = _given_apart(call) or bool(call.tests)
                code = "added-to-itself" if found[1] else "added-to-itself-once"
                yield Observation(code, call.source, call.node, data, certain=False, possible=meant)


@first_of_place
def tables(scripts: Scripts) -> Iterator[Observation]:
    """Rows of several tables that the same numbers look up, and that are added: the tables are one."""
    for reading in scripts.training or scripts.readings:
        structure = structure_of(reading)
        for call in reading.trace.calls:
            names = _looked_up_alike(call) if structure.in_cell(call.frame) else []
            if names:
                yield Observation("tables-added", call.source, call.node, {"tables": names}, certain=False)


def _looked_up_alike(made: Call) -> list[str]:
    """The tables of which a sum adds rows that the same numbers look up."""
    found: dict[int, list[Call]] = {}
    queue: list[Value] = [made] if operation(made).does == "add" else []
    for _ in range(_TERMS):
        value = queue.pop() if queue else None
        if not isinstance(value, Call):
            continue
        if operation(value).does == "add":
            queue += operation(value).operands
        elif value.applied is not None and kind_of(value.applied) == "embedding" and value.args:
            found.setdefault(id(value.args[0]), []).append(value)
    several = [each for each in found.values() if len({id(one.applied) for one in each}) > 1]
    return [_written(one) for one in several[0]] if several else []


def _written(made: Call) -> str:
    return ast.unparse(made.node.func) if isinstance(made.node, ast.Call) else made.last


def _counts(made: Call, twice: Value, always: bool, structure: Structure) -> bool:
    """Whether what an operand is twice is seen to be one thing, in a place where that matters."""
    if _takes_items(made):
        return False
    of_layers = not always or _is_computed(twice)  # what it is on other ways, a layer makes of it
    return (structure.in_cell(made.frame) and of_layers) or (always and _in_loss(made, structure))


def _in_loss(made: Call, structure: Structure) -> bool:
    """Whether a difference, of whatever, is part of a loss that is trained: it is 0 in each step, and asks nothing of the network."""
    if operation(made).does != "sub":
        return False
    return any(flow.derives(step.loss, made) for step in scan_of(structure).steps)


def _takes_items(made: Call) -> bool:
    """Whether an operand is written as an item of something: what stands there may be another one in another turn or run."""
    node = made.node
    written: list[ast.AST] = [] if node is None else [node]
    if isinstance(node, ast.Call):  # but not of what is known, as an axis in a dictionary of settings
        given: list[tuple[ast.AST, Value | None]] = [*zip(node.args, made.args, strict=False)]
        given += [(one.value, made.keywords.get(one.arg or "")) for one in node.keywords]
        written = [part for part, value in given if not isinstance(value, KnownValue)]
    items = [part for one in written for part in walk(one) if isinstance(part, ast.Subscript)]
    return any(not isinstance(item.slice, ast.Constant) for item in items)


def _twice(made: Call, each: set[int]) -> tuple[Value, bool] | None:
    """What both operands of a sum, a difference or a join of features are, and whether that is so on each way. `each`: the ids of what
    stands for each element that a comprehension makes."""
    done = operation(made)
    if done.does == "concat":
        parts = operands(made)
        joined = parts[0].items if parts and isinstance(parts[0], Items) else []
        return (
            (joined[0], True)
            if len(joined) == 2 and _is_one(joined[0], joined[1], each) and _along_features(made)
            else None
        )
    pair = done.operands if done.does in ("add", "sub") else []
    if len(pair) != 2:
        return None
    if _is_one(pair[0], pair[1], each):
        return pair[0], True
    return next(((one, False) for one, other in (pair, pair[::-1]) if _is_one_way_of(one, other)), None)


def _is_one_way_of(one: Value, other: Value) -> bool:
    """Whether a value is one of those that another may be, of which all others are computed with it by a layer, as a shortcut is that
    has to change the number of channels."""
    ways = [way for way in other.options if not _is_of_none(way)] if isinstance(other, Many) else []
    changed = [way for way in ways if way is not one]
    return 0 < len(changed) < len(ways) and all(_is_layer_of(way, one) for way in changed)


def _is_of_none(value: Value) -> bool:
    """Whether this is a call of None, which is there where the layer is not made."""
    return isinstance(value, Call) and is_known(value.base, None)


def _is_layer_of(value: Value, of: Value) -> bool:
    applied = isinstance(value, Call) and applies(value) and kind_of(value.base) in WITH_MATRIX
    return applied and flow.derives(value, of)


def _is_one(one: Value, other: Value, each: set[int]) -> bool:
    """Whether two values are the same thing, the same item of it by a number that is written down, or what one layer gives twice."""
    if one is other or _is_one_layer_of_one(one, other, each):
        return True
    pair = [part for part in (one, other) if isinstance(part, Call) and part.name == "[]" and part.args]
    if len(pair) != 2 or pair[0].base is not pair[1].base:
        return False
    first, second = (part.args[0] for part in pair)
    return isinstance(first, KnownValue) and isinstance(second, KnownValue) and first.value == second.value


def _is_one_layer_of_one(one: Value, other: Value, each: set[int]) -> bool:
    """Whether one layer, which has no part in chance, gives two results of one thing."""
    if not (isinstance(one, Call) and isinstance(other, Call) and applies(one) and applies(other)):
        return False
    pairs = [*zip(one.args, other.args, strict=False)]
    of_one = bool(pairs) and all(a is b and id(a) not in each for a, b in pairs)
    return one.base is other.base and kind_of(one.base) in WITH_MATRIX and of_one


def _given_apart(made: Call) -> bool:
    """Whether the function that adds has two parameters for what one of its callers has only one thing for: positions that are
    added to the queries they were made of, the first layer of several."""
    names = {node.id for node in ast.walk(made.node) if isinstance(node, ast.Name)} if made.node is not None else set()
    given = made.frame.parameters if made.frame is not None else {}
    return len(names & given.keys()) > 1


def _along_features(made: Call) -> bool:
    """Whether a join is seen to be along another axis than the first."""
    layer = made.applied
    given = [*(layer.args[:1] if layer is not None else made.args[1:2])]
    given += [
        value
        for call in (made, layer)
        if call is not None
        for name, value in call.keywords.items()
        if name in ("axis", "dim")
    ]
    return bool(given) and isinstance(given[0], KnownValue) and given[0].value not in (0, None)


def _is_computed(value: Value) -> bool:
    """Whether a layer with weights gives it."""
    return (
        flow.find(
            value,
            lambda made: applies(made) and kind_of(made.base) in WITH_MATRIX,
        )
        is not None
    )


def _reaches_layer(joined: Call, users: dict[int, list[tuple[Call, str]]]) -> bool:
    level: list[Call] = [joined]
    for _ in range(_NEAR):
        level = [user for made in level for user, _ in users.get(id(made), ())]
        if any(applies(user) and kind_of(user.base) in ("dense", "convolution") for user in level):
            return True
        level = [user for user in level if kept(user, *MOVED) or applies(user)]
    return False
