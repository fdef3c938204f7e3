"""The domain of sizes: how long each axis of an array is, in terms of the arrays whose shapes a script asks for, and of numbers.

A script says little about sizes; what it asks of one array and gives to another tells which axes are equally long. The axes of an array
of which nothing else is known are as long as they are: each is a size of its own.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from .axes import ELEMENTS, axes_of, axis_of, is_order, is_pair
from .effects import describes, effect, kept, name_of, operands
from .factors import argument_of, comparison, operation
from .networks import kind_of, width_of
from .syntax import kept as once
from .trace import Trace
from .values import Call, Items, KnownValue, UnknownValue, Value, is_known, is_slice

#: Values within values are looked into so far.
DEPTH = 40
#: An axis of an array of which no more is known: the id of that array, and the place of the axis.
Axis = tuple[int, int]
#: The place of what is no axis but a number that is not written down, such as one of a configuration.
NUMBER = -1


class Size(NamedTuple):
    """A product of the lengths of axes and a number."""

    axes: Counter[Axis]
    number: int

    def times(self, other: Size) -> Size:
        return Size(self.axes + other.axes, self.number * other.number)

    def over(self, other: Size) -> Size | None:
        """The quotient; None where the value is not such a product."""
        if self.number % other.number or any(self.axes[axis] < count for axis, count in other.axes.items()):
            return None
        return Size(self.axes - other.axes, self.number // other.number)


ONE = Size(Counter(), 1)


class Shape(NamedTuple):
    """The sizes of the first axes of an array, None where one is not seen; `open`: there may be more axes, and are so many at `least`."""

    sizes: list[Size | None]
    open: bool = False
    least: int = 0


def product(sizes: list[Size | None]) -> Size | None:
    found = ONE
    for size in sizes:
        if size is None:
            return None
        found = found.times(size)
    return found


@once
def of(trace: Trace) -> Shapes:
    """The shapes of the arrays of a script."""
    return Shapes(trace)


class Shapes:
    def __init__(self, trace: Trace) -> None:
        self._found: dict[int, Shape] = {}
        self._asked: dict[int, int] = defaultdict(int)
        self._taken_apart: set[int] = set()  # arrays whose shape is taken apart into all its axes
        self._numbers: dict[Hashable, int] = {}
        self._quotients: dict[Hashable, dict[Hashable, Call]] = defaultdict(dict)
        for call in trace.calls:
            if call.name == "//" and len(call.args) == 2:
                self._quotients[_key(call.args[0])].setdefault(_key(call.args[1]), call)
            asked = _asked(call)
            if asked is not None and asked[1] >= 0:
                arrays = [id(array) for array in _as_many_axes(asked[0])]
                for array in arrays:
                    self._asked[array] = max(self._asked[array], asked[1] + 1)
                self._taken_apart |= {*arrays} if _takes_all(call) else set()

    def of(self, value: Value, depth: int = 0) -> Shape:
        """The shape of an array, as far as it is seen."""
        root = _root(value)
        if id(root) not in self._found:
            made = self._computed(root, depth) if isinstance(root, Call) and depth < DEPTH else None
            self._found[id(root)] = self._own(root, made or Shape([], True))
        return self._found[id(root)]

    def axes(self, value: Value) -> int:
        """How many axes an array has at least."""
        return _axes(self.of(value))

    def _own(self, root: Value, shape: Shape) -> Shape:
        """A shape with the axes that a script asks for and of which no more is known."""
        places = range(len(shape.sizes), self._asked[id(root)]) if shape.open else ()
        more = [Size(Counter([(id(root), place)]), 1) for place in places]
        if shape.open and id(root) in self._taken_apart:
            return Shape([*shape.sizes, *more])
        return Shape([*shape.sizes, *more], shape.open, max(0, shape.least - len(more)))

    def size(self, value: Value, depth: int = 0) -> Size | None:
        """A length that a script computes, as a product."""
        if isinstance(value, KnownValue):
            return Size(Counter(), value.value) if type(value.value) is int and value.value > 0 else None
        if isinstance(value, Call) and value.name == "*" and len(value.args) == 2:
            return product([self.size(part, depth) for part in value.args])
        asked = _asked(value) if isinstance(value, Call) else None
        if asked is None:
            return self._number(value, depth) if _is_number(value) else None
        shape, place = self.of(asked[0], depth + 1), asked[1]
        seen = -len(shape.sizes) <= place < len(shape.sizes) and not (place < 0 and shape.open)
        return shape.sizes[place] if seen else None

    def _number(self, value: Value, depth: int) -> Size:
        """A number that is not written down: as a product where one other number divides it, as the heads do the features."""
        key = _key(value)
        by = list(self._quotients.get(key, {}).values())
        if len(by) == 1 and depth < DEPTH:
            parts = product([self.size(by[0].args[1], depth + 1), self._one(by[0])])
            if parts is not None:
                return parts
        return self._one(value)

    def _one(self, value: Value) -> Size:
        return Size(Counter([(self._numbers.setdefault(_key(value), id(value)), NUMBER)]), 1)

    def given(self, made: Call, depth: int = 0) -> Shape:
        """The shape that a reshape is told, with what is told by -1 where that can be computed."""
        told = operation(made).operands[1:]
        whole = told[0] if len(told) == 1 else None
        if isinstance(whole, Call) and (described := _described(whole)) is not None:
            return self.of(described, depth + 1)
        if whole is not None and not isinstance(whole, KnownValue):  # a tuple, or a shape that is not seen
            told = whole.items if isinstance(whole, Items) and not whole.open else []
        sizes = [self.size(part, depth) for part in told]
        place, rest = _left_open(told, sizes)
        if place is not None:
            sizes[place] = self._rest(made, sizes, place, depth) or sizes[place]
        if rest and place is not None and sizes[place] is None:
            sizes[place] = Size(Counter([(id(made), place)]), 1)
        return Shape(sizes, not sizes)

    def _rest(self, made: Call, sizes: list[Size | None], place: int, depth: int) -> Size | None:
        """The size at a place, as the others leave it."""
        others = [*sizes[:place], *sizes[place + 1 :]]
        of = next(iter(operands(made)), None)
        before = self.of(of, depth + 1) if of is not None else Shape([], True)
        whole, taken = None if before.open else product(before.sizes), product(others)
        return whole.over(taken) if whole is not None and taken is not None else None

    def _computed(self, made: Call, depth: int) -> Shape | None:
        """The shape of what an operation or layer gives; None where that is not known."""
        if made.result is not None:
            return self.of(made.result, depth + 1)
        if _is_dense(made):
            return self._dense(made, depth)
        if made.name == "" and kind_of(made.base) == "embedding" and made.args:
            return self._looked_up(made, depth)
        if made.name == "[]":
            return self._item(made, depth)
        if (inner := _unchanged(made)) is not None:
            return self.of(inner, depth + 1)
        known, given = effect(made), operands(made, (0, 1, 2))
        return None if known is None or not given else self._of_operation(made, known.operation, given, depth)

    def _of_operation(self, made: Call, name: str, given: list[Value], depth: int) -> Shape | None:
        if name == "reshape":
            return self.given(made, depth)
        if name in ("transpose", "swapaxes"):
            return _exchanged(made, self.of(given[0], depth + 1))
        if is_product(made):
            return self._multiplied(made, depth)
        return self._together(given, depth) if name in ELEMENTS or comparison(made) else None

    def _dense(self, made: Call, depth: int) -> Shape:
        shape = self.of(made.args[0], depth + 1)
        if not shape.open:
            return Shape([*shape.sizes[:-1], self.width(made.base, depth)])
        kept_ = shape.sizes if shape.least else shape.sizes[:-1]
        return Shape([*kept_], True, len(shape.sizes) - len(kept_) + shape.least)

    def _looked_up(self, made: Call, depth: int) -> Shape:
        words = self.of(made.args[0], depth + 1)
        last = [] if words.open else [self.width(made.base, depth)]
        return Shape([*words.sizes, *last], words.open, words.least + words.open)

    def width(self, layer: Value | None, depth: int = 0) -> Size | None:
        """How many outputs a layer has."""
        width = width_of(layer)
        return None if width is None else self.size(width, depth + 1)

    def _item(self, made: Call, depth: int) -> Shape | None:
        key = made.args[0] if made.args else None
        keys = [key] if key is not None and not isinstance(key, Items) else key.items if key is not None else []
        of = effect(made.base) if isinstance(made.base, Call) else None
        if of is not None and of.operation == "unstack" and isinstance(made.base, Call):
            return self._unstacked(made.base, depth)
        pieces = of is not None and (of.several or of.pieces or of.kind == "description")
        if made.base is None or not keys or pieces:
            return None
        return _behind_index(self.of(made.base, depth + 1), keys)

    def _unstacked(self, made: Call, depth: int) -> Shape | None:
        """Of one of the arrays that an array is taken apart into along an axis."""
        before, axis = self.of(operands(made)[0], depth + 1), axis_of(made) or 0
        seen = axis < len(before.sizes) if axis >= 0 else not before.open and -axis <= len(before.sizes)
        left = [*before.sizes]
        if seen:
            left.pop(axis)
        return Shape(left, before.open, before.least) if seen else None

    def _multiplied(self, made: Call, depth: int) -> Shape | None:
        """Of a product of matrices: the axes before the last two are those of both."""
        pair = operands(made, (0, 1))
        shapes = [self.of(part, depth + 1) for part in pair]
        if len(shapes) != 2 or any(shape.open or len(shape.sizes) < 2 for shape in shapes):
            return None
        left, right = (shape.sizes for shape in shapes)
        axes = contracted(made)
        if len(left) != len(right):
            return None
        return Shape([*left[:-2], left[-3 - axes[0]], right[-3 - axes[1]]])

    def _together(self, given: list[Value], depth: int) -> Shape | None:
        """Of arrays that are put together element by element: an axis of length 1 takes that of the others."""
        shapes = [self.of(part, depth + 1) for part in given if not isinstance(part, KnownValue)]
        closed = [shape.sizes for shape in shapes if not shape.open]
        if not closed:
            return shapes[0] if len(shapes) == 1 else Shape([], True, max(map(_axes, shapes), default=0))
        longest = max(closed, key=len)
        alike = [sizes for sizes in closed if len(sizes) == len(longest)]
        sizes = [next((size for size in each if size != ONE), ONE) for each in zip(*alike, strict=True)]
        certain = len(closed) == len(shapes)
        return Shape([size if certain or size != ONE else None for size in sizes])


def _axes(shape: Shape) -> int:
    return len(shape.sizes) + shape.least


def _key(value: Value) -> Hashable:
    """What stands for a number: the same where it is read from one place twice."""
    if isinstance(value, KnownValue):
        return "known", repr(value.value)
    read = value.args[0] if isinstance(value, Call) and value.name == "[]" and value.args else None
    if isinstance(value, Call) and value.base is not None and (value.name[:1] == "@" or isinstance(read, KnownValue)):
        return value.name, _key(value.base), repr(read.value) if isinstance(read, KnownValue) else ""
    return id(value)


def _is_number(value: Value) -> bool:
    """Whether a value that a shape is made of is a number of the network, and none that is computed of arrays."""
    if isinstance(value, Call):
        return value.name in ("//", "[]") or value.name[:1] == "@"
    return isinstance(value, UnknownValue)


def _behind_index(shape: Shape, keys: list[Value]) -> Shape | None:
    """Of an array behind an index: a number drops its axis, None adds one, a whole slice leaves it. None for any other index."""
    left, sizes = list(shape.sizes), list[Size | None]()
    for key in keys:
        if is_known(key, None):
            sizes.append(ONE)
        elif not left:
            return None
        elif isinstance(key, KnownValue) and type(key.value) is int:
            left.pop(0)
        elif is_slice(key):
            size = left.pop(0)
            sizes.append(size if all(is_known(end, None) for end in key.args) else None)
        else:
            return None
    return Shape([*sizes, *left], shape.open)


def _is_dense(made: Call) -> bool:
    return made.name == "" and kind_of(made.base) == "dense" and bool(made.args) and not is_product(made)


def _unchanged(made: Call) -> Value | None:
    """The operand whose shape a result has."""
    if made.name == "" and kind_of(made.base) in ("normalization", "dropout", "activation"):
        return next(iter(made.args), None)
    known = effect(made)
    each = known is not None and (known.rises or known.keeps in ("truth", "whole"))
    alone = each or (known is not None and known.operation in ("softmax", "dropout", "dropout_function", "logical_not"))
    return next(iter(operands(made)), None) if alone and known is not None and not known.reduces else None


def _as_many_axes(value: Value) -> Iterator[Value]:
    """An array and those behind it that are sure to have as many axes."""
    for _ in range(DEPTH):
        value = _root(value)
        yield value
        inner = (
            (_unchanged(value) or (value.args[0] if _is_dense(value) else None)) if isinstance(value, Call) else None
        )
        if inner is None:
            break
        value = inner


def is_product(made: Call) -> bool:
    """A product of two arrays of matrices."""
    known = effect(made)
    matrices = name_of(made).rsplit(".", 1)[-1].lower() in ("@", "matmul", "batchmatmul", "bmm", "mm")
    return known is not None and known.operation == "matmul" and matrices


def contracted(made: Call) -> tuple[int, int]:
    """The axes, from the end, along which a product of matrices sums up."""
    maker = made.maker
    turned = [
        is_known(value, True)
        for value in (
            argument_of(maker, "transpose_a") or argument_of(maker, "transpose_x1"),
            argument_of(maker, "transpose_b") or argument_of(maker, "transpose_x2"),
        )
    ]
    return (-2 if turned[0] else -1), (-1 if turned[1] else -2)


def _exchanged(made: Call, before: Shape) -> Shape | None:
    named, sizes = axes_of(made), list(before.sizes)
    if named is None:
        return None
    if is_order(made, named):
        order = [axis % len(named) for axis in named]
        sizes += [None] * (len(named) - len(sizes) if before.open else 0)
        return Shape([sizes[place] for place in order]) if len(sizes) == len(named) else None
    if not is_pair(made, named) or (before.open and min(named) < 0):
        return None
    sizes += [None] * (max(named) + 1 - len(sizes) if before.open else 0)
    if not all(-len(sizes) <= axis < len(sizes) for axis in named):
        return None
    one, other = named
    sizes[one], sizes[other] = sizes[other], sizes[one]
    return Shape(sizes, before.open)


def _root(value: Value) -> Value:
    """What a value is but for its type and the like."""
    for _ in range(DEPTH):
        inner = kept(value, "same") if isinstance(value, Call) else None
        if inner is None or len(inner) != 1:
            break
        value = inner[0]
    return value


def _asked(value: Call) -> tuple[Value, int] | None:
    """The array and the place of its axis whose length a value is."""
    key = value.args[0] if value.args else None
    if value.name == "[]" and isinstance(value.base, Call) and isinstance(key, KnownValue) and type(key.value) is int:
        described = _described(value.base)
        return (described, key.value) if described is not None else None
    return None


def _left_open(told: list[Value], sizes: list[Size | None]) -> tuple[int | None, bool]:
    """The one place whose size the others leave, and whether that is what -1 stands for."""
    rest = [place for place, part in enumerate(told) if is_known(part, -1)]
    unknown = [place for place, size in enumerate(sizes) if size is None or _is_number_alone(size)]
    places = rest or unknown
    return (places[0] if len(places) == 1 else None), bool(rest)


def _is_number_alone(size: Size) -> bool:
    """Whether a size is a number that is not written down, and nothing else."""
    return size.number == 1 and size.axes.total() == 1 and next(iter(size.axes))[1] == NUMBER


def _takes_all(value: Call) -> bool:
    """Whether this is a part of b, n, c = x.shape."""
    targets = value.node.elts if isinstance(value.node, (ast.Tuple, ast.List)) else []
    return bool(targets) and not any(isinstance(target, ast.Starred) for target in targets)


def _described(shape: Call) -> Value | None:
    """The array whose shape a value is."""
    is_shape = describes(shape) and shape.maker.last.lower().endswith("shape")
    return next(iter(operands(shape)), None) if is_shape else None
