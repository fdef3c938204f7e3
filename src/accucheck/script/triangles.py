"""The domain of triangles: what a mask over the places of a sequence looks like, worked out for three places, and which places a softmax of
attention lets each place see.

A mask is built of ones, zeros and numbers, cut to a triangle, negated, scaled and compared; three places tell all triangles apart. Whatever
else goes into it makes it unknown.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from .analysis import Scripts
from .attention import is_of_product, softmax_axis
from .axes import AxisPosition
from .effects import effect, kept, operands
from .factors import COMPARES, comparison, operation
from .networks import Observation, first_of_place, structure_of
from .values import Call, Items, KnownValue, NamedValue, Value, is_slice

#: The places of the sequence.
PLACES = range(3)
#: A score that falls by more than this is 0 behind a softmax.
LARGE = 1e3
#: Values within values are looked into so far.
DEPTH = 24

Square = tuple[tuple[float, ...], ...]
_SUMS: dict[str, Callable[[float, float], float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": lambda one, other: (
        0.0 if 0 in (one, other) else one * other
    ),  # 0 times infinity, which does not give a triangle
    "div": lambda one, other: one / other if other else 0.0,
}


def _square(cell: Callable[[int, int], float]) -> Square:
    return tuple(tuple(cell(row, column) for column in PLACES) for row in PLACES)


#: What a place sees of the sequence: itself and what was before it, itself and what comes, only what was, only what comes.
PAST = _square(lambda row, column: column <= row)
FUTURE = _square(lambda row, column: column >= row)
BEFORE = _square(lambda row, column: column < row)
AFTER = _square(lambda row, column: column > row)
#: Itself, what was before it, and the next one.
AHEAD = _square(lambda row, column: column <= row + 1)


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    """Attention by a triangle that is turned, or that leaves out the place itself."""
    for reading in scripts.training or scripts.readings:
        structure = structure_of(reading)
        found = [(call, seen(call)) for call in reading.trace.calls if structure.in_cell(call.frame) and attends(call)]
        both_ways = any(what == PAST for _, what in found)
        for call, what in found:
            if (what in (FUTURE, AFTER) and not both_ways) or what == AHEAD:
                yield Observation("future-seen", call.source, call.node, {}, certain=False)
            elif what == BEFORE:
                yield Observation("itself-hidden", call.source, call.node, {}, certain=False, possible=True)


def attends(made: Call) -> bool:
    """Whether a call is a softmax over the keys of products of queries and keys."""
    return softmax_axis(made) == AxisPosition(-1, True) and is_of_product(operands(made)[:1])


def open_product(softmax: Call, is_padding: Callable[[Value], bool] = lambda mask: False) -> Call | None:
    """The product that a softmax is taken of, where each place is seen to see all places: no mask lies between the two, one that holds
    nothing back, or one of which `is_padding` says that it hides nothing but padding."""
    value: Value | None = next(iter(operands(softmax)), None)
    for _ in range(DEPTH):
        while isinstance(value, Call) and value.result is not None:
            value = value.result
        known = effect(value) if isinstance(value, Call) else None
        if not isinstance(value, Call) or known is None or _hidden_by(value) is not None:
            return None
        if known.operation == "matmul":
            return value
        if known.operation in ("mul", "div"):
            value = next((part for part in operands(value, (0, 1)) if is_of_product([part])), None)
        elif known.operation in ("masked_fill", "where") and not _is_open(value, known.operation, is_padding):
            return None
        else:
            value = _scores(value)
    return None


def _is_open(made: Call, name: str, is_padding: Callable[[Value], bool]) -> bool:
    """Whether the mask of an operation is seen, or hides nothing but padding."""
    masks = operands(made, (1,) if name == "masked_fill" else (0,))
    return bool(masks) and (shape_of(masks[0]) is not None or is_padding(masks[0]))


def seen(softmax: Call) -> Square | None:
    """The places that a softmax of scores lets each place see; None where it hides none, or that is not seen."""
    value: Value | None = next(iter(operands(softmax)), None)
    for _ in range(DEPTH):
        while isinstance(value, Call) and value.result is not None:
            value = value.result
        if not isinstance(value, Call):
            return None
        found = _hidden_by(value)
        if found is not None:
            return found
        value = _scores(value)
    return None


def _scores(made: Call) -> Value | None:
    """The scores that a call changes element by element: the operand that is neither a mask nor a number."""
    known = effect(made)
    if known is None or known.operation == "matmul":
        return None
    if known.operation in ("where", "add", "sub", "mul", "div", "masked_fill"):
        places = (1, 2) if known.operation == "where" else (0, 1)
        parts = [part for part in operands(made, places) if shape_of(part) is None]
        return parts[0] if parts and (len(parts) == 1 or known.operation == "masked_fill") else None
    same = kept(made, "same")
    return same[0] if same else None


def _hidden_by(made: Call) -> Square | None:
    """The places that stay in sight behind an operation that hides the others."""
    known = effect(made)
    hides = _HIDES.get(known.operation) if known is not None else None
    found = hides(known.operation, operands(made, (0, 1, 2))) if hides is not None and known is not None else None
    return found if found is not None and len({cell for row in found for cell in row}) == 2 else None


def _by_sum(name: str, given: list[Value]) -> Square | None:
    """Of scores to which a large negative number is added where a place is to be hidden."""
    sign = 1 if name == "add" else -1
    added = next((shape for shape in map(shape_of, reversed(given)) if isinstance(shape, tuple)), None)
    return _each(added, lambda number: sign * number > -LARGE)


def _by_fill(_: str, given: list[Value]) -> Square | None:
    return _turned(shape_of(given[1])) if len(given) == 3 and _vanishes(given[2]) else None


def _by_choice(_: str, given: list[Value]) -> Square | None:
    if len(given) != 3:
        return None
    chosen = shape_of(given[0])
    if _vanishes(given[1]):
        return _turned(chosen)
    return _each(chosen, bool) if _vanishes(given[2]) else None


_HIDES = {"add": _by_sum, "sub": _by_sum, "masked_fill": _by_fill, "where": _by_choice}


def _vanishes(value: Value) -> bool:
    number = shape_of(value)
    return isinstance(number, float) and number <= -LARGE


def _turned(shape: Square | float | None) -> Square | None:
    return _each(shape, operator.not_)


def _each(shape: Square | float | None, change: Callable[[float], Any]) -> Square | None:
    return tuple(tuple(float(change(cell)) for cell in row) for row in shape) if isinstance(shape, tuple) else None


def shape_of(value: Value | None, depth: int = 0) -> Square | float | None:
    """A mask as it is for three places, a number, or None for anything else."""
    if isinstance(value, KnownValue):
        return float(value.value) if type(value.value) in (int, float, bool) else None
    if isinstance(value, NamedValue):
        return float("inf") if value.name.rpartition(".")[2].lower() in ("inf", "infty") else None
    if isinstance(value, Items) and len(value.items) == 1:
        return shape_of(value.items[0], depth + 1)
    if not isinstance(value, Call) or depth > DEPTH:
        return None
    return shape_of(value.result, depth + 1) if value.result is not None else _of_call(value, depth)


def _name(made: Call) -> str:
    known = effect(made)
    return known.operation if known is not None else operation(made).name


def _of_call(made: Call, depth: int) -> Square | float | None:
    name = _name(made)
    if made.name == "[]":
        return shape_of(made.base, depth + 1) if _from_the_start(made.args[0] if made.args else None) else None
    if name in _FILLS:
        filled = _FILLS[name] if name != "full" else _filled_with(made, depth)
        return _square(lambda row, column: filled) if filled is not None else None
    if name in _TRIANGLES:
        return _cut(made, _TRIANGLES[name], depth)
    if name in _JOINS:
        return _of_joined(made, depth)
    if name in _SUMS or comparison(made):
        return _of_two(made, name, depth)
    return _of_one(made, name, depth)


#: What an array is made full of.
_FILLS = {"ones": 1.0, "zeros": 0.0, "full": 0.0}
#: Whether both of two masks have to hold, or either.
_JOINS = {"logical_and": True, "bitwise_and": True, "logical_or": False, "bitwise_or": False}
_OPPOSITES = ("logical_not", "invert", "bitwise_not")


def _of_one(made: Call, name: str, depth: int) -> Square | float | None:
    """Of what keeps a mask as it is, or turns it to its opposite or negative."""
    if name in _OPPOSITES:
        return _turned(shape_of(next(iter(operands(made)), None), depth + 1))
    if made.name == "neg":
        inner = shape_of(next(iter(made.args), None), depth + 1)
        return -inner if isinstance(inner, float) else _each(inner, operator.neg)
    same = kept(made, "same", "order") or []
    return shape_of(same[0], depth + 1) if len(same) == 1 else None


def _from_the_start(key: Value | None) -> bool:
    """An index that takes the first places of some axes, or adds one: [:length, :length], [None]."""
    parts = key.items if isinstance(key, Items) else [key]
    for part in parts:
        begins = part.args[0] if is_slice(part) and part.args else part
        if not (isinstance(begins, KnownValue) and (begins.value is None or begins.value is ... or begins.value == 0)):
            return False
    return True


def _filled_with(made: Call, depth: int) -> float | None:
    known = effect(made)
    given = made.keywords.get(known.keyword) if known is not None else None
    found = shape_of(given if given is not None else next(iter(operands(made, (1,))), None), depth + 1)
    return found if isinstance(found, float) else None


#: Which places of a square a triangle keeps, by their distance to the right of its diagonal and the diagonal that is given.
_TRIANGLES: dict[str, Callable[[float, float], bool]] = {"lower triangle": operator.le, "upper triangle": operator.ge}


def _cut(made: Call, keeps: Callable[[float, float], bool], depth: int) -> Square | None:
    """A triangle of a square: below its diagonal, or above it."""
    inner = shape_of(next(iter(operands(made)), None), depth + 1)
    named = [made.keywords[name] for name in ("diagonal", "k") if name in made.keywords]
    by = shape_of(next(iter([*named, *operands(made, (1,))]), KnownValue(0)), depth + 1)
    if not isinstance(inner, tuple) or not isinstance(by, float):
        return None
    kept_at = _square(lambda row, column: keeps(column - row, by))
    return tuple(
        tuple(cell if here else 0.0 for cell, here in zip(*rows, strict=True))
        for rows in zip(inner, kept_at, strict=True)
    )


def _is_mask(shape: Square | float | None) -> bool:
    return isinstance(shape, tuple) and {cell for row in shape for cell in row} == {0.0, 1.0}


def _of_joined(made: Call, depth: int) -> Square | float | None:
    """Of two masks that both hold, or either of which does: where one of them is not seen, as that of the padding, the triangle that the
    other is still tells which way the sequence is looked at."""
    pair = [shape_of(part, depth + 1) for part in operands(made, (0, 1))]
    squares = [shape for shape in pair if isinstance(shape, tuple)]
    if len(pair) != 2 or not squares:
        return None
    if len(squares) == 1:
        return squares[0]
    joins = min if _JOINS[_name(made)] else max
    first, second = squares
    return _square(lambda row, column: joins(first[row][column], second[row][column]))


def _of_two(made: Call, name: str, depth: int) -> Square | float | None:
    """Of a sum, a product or a comparison of masks and numbers."""
    pair = [shape_of(part, depth + 1) for part in operands(made, (0, 1))]
    if name == "mul" and None in pair:  # of a mask and that of the padding
        return next(filter(_is_mask, pair), None)
    compares = COMPARES.get(comparison(made))
    if len(pair) != 2 or None in pair or (compares is None and name not in _SUMS):
        return None
    work: Callable[[float, float], float] = _SUMS[name] if compares is None else compares
    first, second = pair
    if isinstance(first, float) and isinstance(second, float):
        return float(work(first, second))
    at = [(lambda r, c, s=shape: s[r][c] if isinstance(s, tuple) else s) for shape in (first, second)]
    return _square(lambda row, column: float(work(at[0](row, column), at[1](row, column))))
