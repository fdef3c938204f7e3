"""The domain of triangles: what a mask over the places of a sequence looks like, worked out for three places, and which places a softmax of
attention lets each place see.

A mask is built of ones, zeros and numbers, cut to a triangle, negated, scaled and compared, or of the numbers of the places, once along
the rows and once along the columns; three places tell all triangles apart. Whatever else goes into it makes it unknown.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class Line:
    """One number for each place, in an array of `rank` axes of which all but this one are of size 1."""

    at: tuple[float, ...]
    axis: int = 0
    rank: int = 1

    def square(self) -> Square | None:
        """What it is among squares: the same in all rows, or in all columns."""
        if self.rank - self.axis == 1:
            return _square(lambda row, column: self.at[column])
        return _square(lambda row, column: self.at[row]) if self.rank - self.axis == 2 else None


Shape = Square | Line | float | None
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


#: What a place sees of the sequence: itself and what was before it, only what was.
PAST = _square(lambda row, column: column <= row)
BEFORE = _square(lambda row, column: column < row)
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
            if (_is_of_the_future(what) and not both_ways) or what == AHEAD:
                yield Observation("future-seen", call.source, call.node, {}, certain=False)
            elif what == BEFORE:
                yield Observation("itself-hidden", call.source, call.node, {}, certain=False, possible=True)


def _is_of_the_future(what: Square | None) -> bool:
    """Whether a place sees later places and no earlier one."""
    cells = [(column - row) for row in PLACES for column in PLACES if what is not None and what[row][column]]
    return max(cells, default=0) > 0 and min(cells) >= 0


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
        elif known.operation in _CHOICES and not _is_open(value, known.operation, is_padding):
            return None
        else:
            value = _scores(value)
    return None


def _is_open(made: Call, name: str, is_padding: Callable[[Value], bool]) -> bool:
    """Whether the mask of an operation is seen to hold nothing back, or hides nothing but padding."""
    mask, *filled = _mask_and_filled(made, name)
    if mask is None:
        return False
    if is_padding(mask):
        return True
    shape = shape_of(mask)
    same_everywhere = isinstance(shape, tuple) and _is_even(shape)
    return shape is not None and (same_everywhere or any(map(_stays, filled)))


def _mask_and_filled(made: Call, name: str) -> list[Value | None]:
    """The mask of an operation that chooses by one, and what it puts where."""
    order = {"masked_fill": (1, 0, 2), "where": (0, 1, 2), "where_method": (1, 0, 2)}[name]
    given = operands(made, order)
    return [*given] if len(given) == 3 else [None]


def _stays(value: Value | None) -> bool:
    """Whether it is a number that leaves a score its weight behind a softmax."""
    number = _number_of(value)
    return number is not None and number > -LARGE


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
    if known.operation in ("add", "sub", "mul", "div", *_CHOICES):
        places = _CHOICES.get(known.operation, (0, 1))
        parts = [part for part in operands(made, places) if shape_of(part) is None]
        return parts[0] if len(parts) == 1 else None
    same = kept(made, "same")
    return same[0] if same else None


def _hidden_by(made: Call) -> Square | None:
    """The places that stay in sight behind an operation that hides the others."""
    known = effect(made)
    hides = _HIDES.get(known.operation) if known is not None else None
    found = hides(known.operation, _given(made, known.operation)) if hides is not None and known is not None else None
    square = _widened(found)
    return square if square is not None and not _is_even(square) else None


def _given(made: Call, name: str) -> list[Value]:
    return operands(made, (1, 0, 2) if name == "where_method" else (0, 1, 2))


def _is_even(shape: Square) -> bool:
    """Whether it is one number everywhere."""
    return len({cell for row in shape for cell in row}) == 1


def _by_sum(name: str, given: list[Value]) -> Square | Line | None:
    """Of scores to which a large negative number is added where a place is to be hidden."""
    sign = 1 if name == "add" else -1
    added = next((shape for shape in map(shape_of, reversed(given)) if isinstance(shape, (tuple, Line))), None)
    return _each(added, lambda number: sign * number > -LARGE)


def _by_fill(_: str, given: list[Value]) -> Square | Line | None:
    return _turned(shape_of(given[1])) if len(given) == 3 and _vanishes(given[2]) else None


def _by_choice(_: str, given: list[Value]) -> Square | Line | None:
    if len(given) != 3:
        return None
    chosen = shape_of(given[0])
    if _vanishes(given[1]):
        return _turned(chosen)
    return _each(chosen, bool) if _vanishes(given[2]) else None


_HIDES = {"add": _by_sum, "sub": _by_sum, "masked_fill": _by_fill, "where": _by_choice, "where_method": _by_choice}
#: Operations that choose by a mask -> where the scores may stand that they choose of.
_CHOICES = {"masked_fill": (0,), "where": (1, 2), "where_method": (0, 2)}


def _number_of(value: Value | None) -> float | None:
    """The number that a value is, or that all elements of an array are."""
    shape = shape_of(value)
    if isinstance(shape, tuple) and _is_even(shape):
        return shape[0][0]
    return shape if isinstance(shape, float) else None


def _vanishes(value: Value) -> bool:
    number = _number_of(value)
    return number is not None and number <= -LARGE


def _turned(shape: Shape) -> Square | Line | None:
    return _each(shape, operator.not_)


def _each(shape: Shape, change: Callable[[float], Any]) -> Square | Line | None:
    if isinstance(shape, Line):
        return replace(shape, at=tuple(float(change(cell)) for cell in shape.at))
    if not isinstance(shape, tuple):
        return None
    return tuple(tuple(float(change(cell)) for cell in row) for row in shape)


def _widened(shape: Shape) -> Square | None:
    """A square of what is put beside one."""
    if isinstance(shape, float):
        return _square(lambda row, column: shape)
    return shape.square() if isinstance(shape, Line) else shape


def shape_of(value: Value | None, depth: int = 0) -> Shape:
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


def _of_call(made: Call, depth: int) -> Shape:
    name = _name(made)
    if made.name == "[]":
        return _of_index(made, depth)
    if name == "arange":
        return _counted(made)
    if name in _FILLS:
        filled = _filled_with(made, depth) if name.startswith("full") else _FILLS[name]
        return _square(lambda row, column: filled) if filled is not None else None
    if name in _TRIANGLES:
        return _cut(made, _TRIANGLES[name], depth)
    if name in _JOINS:
        return _of_joined(made, depth)
    if name in _SUMS or comparison(made):
        return _of_two(made, name, depth)
    return _of_one(made, name, depth)


#: What an array is made full of.
_FILLS = {"ones": 1.0, "ones_like": 1.0, "zeros": 0.0, "zeros_like": 0.0, "full": 0.0, "full_like": 0.0}
#: Whether both of two masks have to hold, or either.
_JOINS = {"logical_and": True, "bitwise_and": True, "and": True, "logical_or": False, "bitwise_or": False, "or": False}
_OPPOSITES = ("logical_not", "invert", "bitwise_not", "~")


def _of_one(made: Call, name: str, depth: int) -> Shape:
    """Of what keeps a mask as it is, or turns it to its opposite or negative."""
    if name in _OPPOSITES:
        return _turned(shape_of(next(iter(operands(made)), None), depth + 1))
    if made.name == "neg":
        inner = shape_of(next(iter(made.args), None), depth + 1)
        return -inner if isinstance(inner, float) else _each(inner, operator.neg)
    if name in ("to_bool", "broadcast"):
        inner = shape_of(next(iter(operands(made)), None), depth + 1)
        return inner if name == "broadcast" else _each(inner, bool)
    same = kept(made, "same", "order") or []
    inner = shape_of(same[0], depth + 1) if len(same) == 1 else None
    return _laid(made, name, inner) if isinstance(inner, Line) else inner


def _counted(made: Call) -> Line | None:
    """The numbers of the places, from 0 on or from another number, in steps of 1."""
    ends = operands(made, (0, 1, 2))
    begin = shape_of(ends[0]) if len(ends) == 2 else 0.0
    return (
        Line(tuple(begin + place for place in PLACES)) if ends and len(ends) < 3 and isinstance(begin, float) else None
    )


def _laid(made: Call, name: str, line: Line) -> Line | None:
    """A line whose array gets another form."""
    if name == "expand_dims":
        given = made.keywords.get("axis", made.keywords.get("dim", next(iter(operands(made, (1,))), None)))
        place = given.value if isinstance(given, KnownValue) and type(given.value) is int else None
        return None if place is None else _with_axis(line, place + (line.rank + 1) * (place < 0))
    if name == "reshape":
        sizes = _sizes(made)
        long = [axis for axis, size in enumerate(sizes) if not (isinstance(size, KnownValue) and size.value == 1)]
        return Line(line.at, long[0], len(sizes)) if len(long) == 1 else None
    return line if kept(made, "same") else None


def _sizes(made: Call) -> list[Value]:
    """The sizes of the axes that a reshape makes."""
    given = operands(made, tuple(range(1, len(made.args) + 2)))
    return list(given[0].items) if len(given) == 1 and isinstance(given[0], Items) else given


def _with_axis(line: Line, place: int) -> Line:
    """A line with a further axis of size 1 at this place."""
    return replace(line, axis=line.axis + (place <= line.axis), rank=line.rank + 1)


def _of_index(made: Call, depth: int) -> Shape:
    key = made.args[0] if made.args else None
    inner = shape_of(made.base, depth + 1) if _from_the_start(key) else None
    if not isinstance(inner, Line):
        return inner
    parts = key.items if isinstance(key, Items) else [key]
    if any(isinstance(part, KnownValue) and part.value is not None for part in parts):
        return None  # one place, or `...`, of which the rank is to be told
    for place, part in enumerate(parts):
        inner = _with_axis(inner, place) if isinstance(part, KnownValue) else inner
    return inner


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


def _is_mask(shape: Shape) -> bool:
    return isinstance(shape, tuple) and {cell for row in shape for cell in row} == {0.0, 1.0}


def _of_joined(made: Call, depth: int) -> Shape:
    """Of two masks that both hold, or either of which does: where one of them is not seen, as that of the padding, the triangle that the
    other is still tells which way the sequence is looked at."""
    pair = [shape_of(part, depth + 1) for part in operands(made, (0, 1))]
    squares = [square for shape in pair if shape is not None and (square := _widened(shape)) is not None]
    if len(pair) != 2 or not squares:
        return None
    if len(squares) == 1:
        return squares[0]
    joins = min if _JOINS[_name(made)] else max
    first, second = squares
    return _square(lambda row, column: joins(first[row][column], second[row][column]))


def _of_two(made: Call, name: str, depth: int) -> Shape:
    """Of a sum, a product or a comparison of masks and numbers."""
    pair = [shape_of(part, depth + 1) for part in operands(made, (0, 1))]
    if name == "mul" and None in pair:  # of a mask and that of the padding
        return next(filter(_is_mask, pair), None)
    compares = COMPARES.get(comparison(made))
    if len(pair) != 2 or None in pair or (compares is None and name not in _SUMS):
        return None
    work: Callable[[float, float], float] = _SUMS[name] if compares is None else compares
    return _worked_out(work, pair[0], pair[1])


def _worked_out(work: Callable[[float, float], float], first: Shape, second: Shape) -> Shape:
    """What an operation gives of each element of the one and that of the other beside it."""
    if isinstance(first, float) and isinstance(second, float):
        return float(work(first, second))
    if isinstance(second, float):
        return _each(first, lambda cell: work(cell, second))
    if isinstance(first, float):
        return _each(second, lambda cell: work(first, cell))
    one, other = _widened(first), _widened(second)
    if one is None or other is None or _are_alike(first, second):
        return None
    return _square(lambda row, column: float(work(one[row][column], other[row][column])))


def _are_alike(first: Shape, second: Shape) -> bool:
    """Whether two lines lie along one axis, which makes no square."""
    return isinstance(first, Line) and isinstance(second, Line) and first.rank - first.axis == second.rank - second.axis
