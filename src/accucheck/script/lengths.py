"""The domain of padding: which places of an array hold data, which are filled up, with what, and what lengths are measured of.

A value of a trace is looked at, whatever it is called and in whichever function it was made: a row and a fill put together, a
buffer into which a row is written, a transform that pads, ones for the length of something, a comparison with what was filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from . import effects, flow
from .factors import COMPARES, comparison
from .padding_facts import END, START
from .values import (
    Call,
    Index,
    Instance,
    Items,
    KnownValue,
    Many,
    NamedValue,
    UnknownValue,
    Value,
    Write,
    is_known,
    is_none,
    is_slice,
    options,
)

#: So deep a value is looked into.
DEPTH = 24
#: Comparisons with their sides exchanged.
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True, eq=False)
class Form:
    """An array whose places at one `side` are filled up: those for data hold the elements of `of` (`real` None) or a number, the
    others `fill`. `looked`: it was compared with this number, which is not what was filled in. `cuts`: slices since it was made.
    `at` is where it was filled, or made full of that; `also` where the data were written into it then. `span`: the first place for data,
    and by how many these are more than `of` has elements. `length`: what the places were compared with. `partly`: something else says
    at which places the padding is told apart."""

    of: Value
    real: float | None
    fill: Value
    side: str
    at: Call | Write
    looked: Any = None
    cuts: tuple[Value, ...] = ()
    changed: bool = False
    also: Write | None = None
    span: tuple[int, int] = (0, 0)
    length: Length | None = None
    partly: bool = False

    @property
    def number(self) -> float | None:
        return number(self.fill)

    @property
    def hides_by_zero(self) -> bool:
        """Whether a factor leaves the data as they are and takes out the padding."""
        return self.real == 1.0 and self.number == 0.0

    @property
    def mask(self) -> bool:
        """Numbers that tell data from padding."""
        return self.real is not None and self.looked is None and self.number is not None and self.real != self.number

    @property
    def tells_all_padding(self) -> bool:
        """Whether all of the padding is told from data, and not only some of it."""
        return self.mask and not self.partly


@dataclass(frozen=True, eq=False)
class ConstantArray:
    """An array that is one number throughout; as long as `of`, where that is a sequence."""

    value: Value
    size: Value | None
    of: Value | None
    made: Call


@dataclass(frozen=True, eq=False)
class Length:
    """How many elements `of` has; a number `computed` of that, as of the steps that a layer with a stride leaves."""

    of: Value
    made: Call
    computed: bool = False


Shape = Form | ConstantArray | Length
#: What stands for a value that was read from a data set, None for any other.
Column = Callable[[Value], "Value | None"]


def number(value: Value | None) -> float | None:
    if isinstance(value, KnownValue) and isinstance(value.value, (int, float)):
        return float(value.value)
    return None


class Shapes:
    """Looks at values, each once. `column` gives what a value read from a data set holds there."""

    def __init__(self, column: Column = lambda value: None) -> None:
        self.column = column
        self.known: dict[int, tuple[Value, Shape | None]] = {}
        self.depth = 0

    def of(self, value: Value | None) -> Shape | None:
        """What is known of the places of a value."""
        if value is None or self.depth > DEPTH:
            return None
        if id(value) in self.known:
            return self.known[id(value)][1]
        self.known[id(value)] = value, None  # as long as it is looked at
        self.depth += 1
        try:
            found = self._of(value)
        finally:
            self.depth -= 1
        self.known[id(value)] = value, found
        return found

    def form(self, value: Value | None) -> Form | None:
        found = self.of(value)
        return found if isinstance(found, Form) else None

    def _of(self, value: Value) -> Shape | None:
        held = self.column(value)
        if held is not None:
            return self.of(held)
        if isinstance(value, Many):
            return self.joined([self.of(option) for option in value.options if not is_none(option)])
        if isinstance(value, Items):
            return self.listed(value)
        if not isinstance(value, Call):
            return None
        found = self.made(value)
        for write in value.writes:
            found = self.written(value, found, write)
        return found

    @staticmethod
    def joined(found: list[Shape | None]) -> Shape | None:
        """Of several ways: one on which nothing is filled up says nothing against the others; two that differ are unclear."""
        forms = [each for each in found if isinstance(each, Form)]
        if forms:
            one = forms[0]
            agree = (
                (each.side, each.real, each.looked) == (one.side, one.real, one.looked) and alike(each.fill, one.fill)
                for each in forms
            )
            return one if all(agree) else None
        return found[0] if found and all(type(each) is type(found[0]) for each in found) else None

    def listed(self, items: Items) -> Shape | None:
        """A list: filled up by a loop, or of rows that are all filled up the same way."""
        for write in items.writes:
            if (filled := _filling(write)) is not None:
                return Form(filled[1], None, write.value, filled[0], write)
        if not 0 < len(items.items) <= 8 or items.fixed:
            return None
        found = [self.of(item) for item in items.items]
        forms = [each for each in found if isinstance(each, Form)]
        return self.joined([*forms]) if items.open and len(forms) == len(found) else None

    # --- calls --------------------------------------------------------------------------------------------------------

    def made(self, made: Call) -> Shape | None:
        if (same := self.constant(made) or self.reckoned(made)) is not None:
            return same
        if (length := self.length(made)) is not None:
            return length
        if made.name == "comprehension" and made.args:
            inner = self.of(made.args[0])
            return None if isinstance(inner, ConstantArray) else inner
        if (pair := self.joined_pair(made)) is not None:
            return self.filled(made, *pair)
        if (padded := self.padded(made)) is not None:
            return padded
        if made.name == "[]":
            return self.item(made)
        compared = self.compared(made)
        if compared is not None:
            return compared
        return self.passed_on(made)

    def passed_on(self, made: Call) -> Shape | None:
        """The shape of what an operation leaves as it is, or moves to other places."""
        passed = effects.kept(made, "same", "order", "whole", "truth")
        known = effects.effect(made)
        if passed is None and known is not None and known.operation in _MOVED:
            passed = effects.operands(made)[:1]
        if passed is not None and len(passed) == 1:
            found = self.of(passed[0])
            if isinstance(found, Form) and known is not None and known.operation in _REORDERED:
                return replace(found, side="")
            return found
        return self.of(made.result) if made.result is not None else None

    def item(self, made: Call) -> Shape | None:
        """A part of an array: the places are those of before, less what was cut off."""
        found, key = self.of(made.base), made.args[0] if made.args else None
        if not isinstance(found, Form):
            return None
        slices = [part for part in _keys(key) if is_slice(part)]
        picks = [part for part in _keys(key) if not is_slice(part)]
        if not all(is_known(part, None) or is_known(part, ...) for part in picks):
            return None
        cuts = tuple(part for part in slices if not _all(part))
        backwards = any(number(part.args[2]) == -1 for part in slices)
        return replace(found, cuts=(*found.cuts, *cuts), side="" if backwards else found.side)

    @staticmethod
    def constant(made: Call) -> ConstantArray | None:
        """np.zeros(n), [v] * n, np.full(n, v), [v for _ in range(n)]."""
        known = effects.effect(made)
        if made.name == "*" and len(made.args) == 2:
            return _repeated(made)
        if made.name == "comprehension" and len(made.args) == 2 and isinstance(made.args[0], KnownValue):
            over = made.args[1]
            if isinstance(over, Call) and over.name == "range":
                size = over.args[0] if len(over.args) == 1 else None
                return ConstantArray(made.args[0], size, measured(size), made)
            return ConstantArray(made.args[0], None, over, made)
        operation = known.operation if known is not None else made.last
        if operation in ("full", "full_like"):
            held = made.argument(["shape", "fill_value"], "fill_value")
            return None if held is None else ConstantArray(held, _first(made), _spread(made), made)
        if operation in ("zeros", "zeros_like", "ones", "ones_like", "empty", "empty_like"):
            return ConstantArray(KnownValue(int("ones" in operation)), _first(made), _spread(made), made)
        return None

    def reckoned(self, made: Call) -> ConstantArray | None:
        """np.ones(n) * v, v - np.zeros(n), -np.ones(n): a number throughout, again."""
        operation = _SYMBOLS.get(made.name)
        if operation is None:
            return None
        numbers = [number(arg) for arg in made.args]
        places = [place for place, each in enumerate(numbers) if each is None]
        same = self.of(made.args[places[0]]) if len(places) == 1 else None
        if not isinstance(same, ConstantArray) or (before := number(same.value)) is None:
            return None
        numbers[places[0]] = before
        sides = [each for each in numbers if each is not None]
        result = _COMPUTED[operation](*sides) if len(sides) == 2 else -before
        return replace(same, value=KnownValue(int(result) if float(result).is_integer() else result), made=made)

    @staticmethod
    def length(made: Call) -> Length | None:
        if made.name in ("//", "/", "+", "-") and len(made.args) == 2 and number(made.args[1]) is not None:
            inner = _length(made.args[0])
            return None if inner is None else replace(inner, computed=True)
        counted = made.args[0] if made.name == "len" and made.args else made.base if made.name == "@size" else None
        if (array := counted or _first_axis_of(made)) is not None:
            return Length(array, made)
        if made.last in ("min", "minimum", "int", "int32", "int64", "array", "Tensor", "asarray", "float32"):
            found = [length for arg in _spread_out(made) if (length := _length(arg)) is not None]
            return replace(found[0], made=made) if len(found) == 1 else None
        return None

    def joined_pair(self, made: Call) -> tuple[Value, Value] | None:
        """Two arrays that are put behind each other."""
        parts: list[Value] = made.args if made.name == "+" else []
        known = effects.effect(made)
        if known is not None and known.operation in ("concat", "append"):
            first = made.args[0] if made.args else None
            parts = first.items if isinstance(first, Items) else made.args[:2]
        return (parts[0], parts[1]) if len(parts) == 2 else None

    def filled(self, made: Call, one: Value, other: Value) -> Form | None:
        """One of two is as long as what is missing to a size: the other one is filled up by it."""
        for whole, fill, side in ((one, other, END), (other, one, START)):
            same = self.of(fill)
            root = missing(same.size) if isinstance(same, ConstantArray) else None
            if root is None or not isinstance(same, ConstantArray):
                continue
            inside = self.of(whole)
            if isinstance(inside, ConstantArray):  # ones for the data, and zeros for the rest
                return Form(inside.of or root, number(inside.value), same.value, side, made)
            return Form(root, None, same.value, side, made)
        return None

    def padded(self, made: Call) -> Form | None:
        """np.pad(x, (0, n - len(x))), transforms.PadEnd([n], v)."""
        if made.name == "" and isinstance(made.base, Call) and made.base.last == "PadEnd" and made.args:
            value = made.base.argument(["pad_shape", "pad_value"], "pad_value")
            return Form(made.args[0], None, value or KnownValue(0), END, made.base)
        known = effects.effect(made)
        if known is None or known.operation != "pad_function" or not made.args:
            return None
        width = made.argument(["x", "pad_width"], "pad_width") or made.keywords.get("padding")
        value = next(
            (made.keywords[name] for name in ("constant_values", "value") if name in made.keywords), KnownValue(0)
        )
        found = _padded_sides(width)
        if len(found) != 1 or isinstance(value, Items):
            return None
        inside = self.of(made.args[0])
        real = number(inside.value) if isinstance(inside, ConstantArray) else None
        return Form(found[0][1], real, value, found[0][0], made)

    # --- what is written into a buffer ----------------------------------------------------------------------------------

    def written(self, buffer: Call, before: Shape | None, write: Write) -> Shape | None:
        """After x[:n] = row, x[:n] = 1, x[n:] = 0, x[k] = 1 for each k below n, or x.append(0) up to a size."""
        if isinstance(write.key, str):
            if (filled := _filling(write)) is None:
                return before
            real = number(before.value) if isinstance(before, ConstantArray) else None
            return Form(filled[1], real, write.value, filled[0], write)
        keys = _keys(write.key)
        if isinstance(before, ConstantArray) and _covers(keys, before.made):
            return None
        slices = [key for key in keys if is_slice(key) and not _all(key)]
        # Beside a slice, the number of the row in a batch bounds nothing.
        bounds = [bound for key in slices or keys if (bound := self.bound(key, write.value)) is not None]
        if isinstance(before, Form):
            return replace(before, changed=True)
        if (
            not bounds
            and isinstance(before, ConstantArray)
            and (moved := self.moved(slices, write, before)) is not None
        ):
            return moved
        if len(bounds) != 1:
            return None if bounds or isinstance(before, Length) else self.touched(before)
        side, root, rest = bounds[0]
        inside = self.of(write.value)
        constant = number(write.value)
        if isinstance(inside, ConstantArray):
            constant, root = number(inside.value), inside.of or root
        if not isinstance(before, ConstantArray):
            fill = constant is not None and rest
            return Form(root, None, write.value, side, write) if fill else None
        if rest:  # the rest is written, and what was there before stays
            return Form(root, number(before.value), write.value, side, write)
        return Form(root, constant, before.value, side, before.made, also=write)

    def moved(self, slices: list[Call], write: Write, before: ConstantArray) -> Form | None:
        """After x[1:n + 1] = 1: a number at as many places as something has elements, give or take some, from some place on."""
        inside = self.of(write.value)
        constant = number(inside.value) if isinstance(inside, ConstantArray) else number(write.value)
        if constant is None or len(slices) != 1 or not _once(slices[0].args[2]):
            return None
        low, high = slices[0].args[:2]
        first = 0.0 if is_none(low) else number(low)
        end, more = plus(high)
        root = measured(end)
        if root is None or first is None or not first.is_integer() or first < 0:
            return None
        return Form(root, constant, before.value, END, before.made, also=write, span=(int(first), more))

    @staticmethod
    def touched(before: Shape | None) -> Shape | None:
        """After a single element was written: the values are no longer all ones."""
        return None if isinstance(before, ConstantArray) else before

    def bound(self, key: Value, stored: Value) -> tuple[str, Value, bool] | None:
        """(the side of the data, what measures it, whether the rest is what is written) of a place that is written to."""
        if isinstance(key, Index) and key.of is not None:
            return END, key.of, False
        if not isinstance(key, Call):
            return None
        if key.name == ".each" and isinstance(key.base, Call) and key.base.name == "range" and len(key.base.args) == 1:
            root = measured(key.base.args[0])
            return None if root is None else (END, root, False)
        if key.name != "slice" or not _once(key.args[2]):
            return None
        low, high = key.args[:2]
        if is_none(high) and is_none(low):
            return None
        if _zero(low) and (root := measured(high)) is not None:
            return END, root, False
        if _zero(low) and (root := missing(high)) is not None:
            return START, root, True
        if not is_none(high):
            return None
        if isinstance(low, Call) and low.name == "neg" and (root := measured(low.args[0])) is not None:
            return START, root, False
        if (root := missing(low)) is not None:
            return START, root, False
        root = measured(low)
        return None if root is None else (END, root, True)

    # --- comparisons ----------------------------------------------------------------------------------------------------

    def compared(self, made: Call) -> Shape | None:
        """A comparison with a number, 1 - x, x * c: numbers for data and for padding."""
        operands = effects.operands(made, (0, 1))
        name = comparison(made)
        if name and len(operands) == 2:
            return self.comparison(made, name, operands[0], operands[1])
        known = effects.effect(made)
        if known is not None and known.operation in ("mul", "logical_and", "logical_or") and len(operands) == 2:
            met = self.met(known.operation, operands)
            if met is not None:
                return met
        if known is not None and known.operation in ("sub", "mul", "add", "logical_not", "negate"):
            return self.computed(known.operation, operands or made.args[:1])
        if made.name in ("~", "not") and made.args:
            return self.computed("logical_not", made.args[:1])
        return None

    def met(self, operation: str, operands: list[Value]) -> Form | None:
        """A mask of the padding beside one that no data are in, as that of later places. All of the padding stays apart where it is 0 in a
        product, or 1 in an alternative."""
        for mask, other in (operands, operands[::-1]):
            found = self.form(mask)
            if found is not None and found.mask and number(other) is None and self.is_without_data(other):
                return replace(found, partly=found.partly or found.number != (operation == "logical_or"))
        return None

    def is_without_data(self, value: Value) -> bool:
        """Whether an array is made of constants, and of the lengths of others at most."""
        parts = list(flow.sources(value, lambda part: isinstance(part, Call) and effects.describes(part)))
        made = any(isinstance(part, Call) and effects.effect(part) is not None for part in parts)
        return made and not any(isinstance(part, UnknownValue) or self.column(part) is not None for part in parts)

    def comparison(self, made: Call, name: str, left: Value, right: Value) -> Shape | None:
        if isinstance(left, KnownValue):
            left, right, name = right, left, _TURNED[name]
        found, wanted = self.of(left), number(right)
        if not isinstance(found, Form):
            return self.of_length(made, name, left, right)
        same = alike(found.fill, right)
        if found.real is not None and wanted is not None and found.number is not None:
            compare = COMPARES[name]
            return replace(
                found, real=float(compare(found.real, wanted)), fill=KnownValue(int(compare(found.number, wanted)))
            )
        if found.real is not None:
            return None
        if name in ("==", "!="):
            equal = name == "=="
            if same:
                return replace(found, real=float(not equal), fill=KnownValue(int(equal)))
            if wanted is None or found.number is None:
                return None
            return replace(found, real=float(not equal), fill=KnownValue(int(not equal)), looked=right)
        return self.above(found, name, wanted)

    @staticmethod
    def above(found: Form, name: str, wanted: float | None) -> Form | None:
        """ids > 0, labels >= 0: real are those above what was filled in."""
        if found.number is None or wanted is None or wanted > found.number + 1:
            return None
        over = COMPARES[name](found.number, wanted)
        if name in (">", ">=") and not over:
            return replace(found, real=1.0, fill=KnownValue(0))
        return replace(found, real=0.0, fill=KnownValue(1)) if name in ("<", "<=") and over else None

    def of_length(self, made: Call, name: str, left: Value, right: Value) -> Form | None:
        """np.arange(n) < length: a mask of the places before it."""
        for places, length, sign in ((left, right, name), (right, left, _TURNED[name])):
            known = self.of(length)
            if not isinstance(known, Length) or known.computed or not _in_a_row(places):
                continue
            inside = float(sign in ("<", "<="))
            if sign in ("<", ">=", "<=", ">"):
                more = int(sign in ("<=", ">"))
                fill = KnownValue(int(1 - inside))
                return Form(known.of, inside, fill, END, made, span=(0, more), length=known)
        return None

    def computed(self, operation: str, operands: list[Value]) -> Form | None:
        """What a formula with a number makes of the numbers of a mask; of two masks, the one that is known."""
        shapes = [self.of(operand) for operand in operands]
        place = next((place for place, shape in enumerate(shapes) if _is_of_numbers(shape)), None)
        if place is None:
            return None
        found = shapes[place]
        assert isinstance(found, Form)
        if found.real is None or found.number is None:
            return None
        if operation in ("logical_not", "negate"):
            turn = _TURNS[operation]
            return replace(found, real=turn(found.real), fill=KnownValue(turn(found.number)))
        other = operands[1 - place] if len(operands) == 2 else None
        by = number(other)
        if by is None:
            return found if operation == "mul" and found.hides_by_zero else None
        real, fill = (_COMPUTED[operation](each, by) for each in (found.real, found.number))
        turned = -1 if operation == "sub" and place == 1 else 1
        return replace(found, real=turned * real, fill=KnownValue(turned * fill))


_COMPUTED: dict[str, Callable[[float, float], float]] = {
    "mul": lambda a, b: a * b,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
}
_SYMBOLS = {"*": "mul", "+": "add", "-": "sub", "neg": "negate"}
_TURNS: dict[str, Callable[[float], float]] = {"logical_not": lambda x: float(not x), "negate": lambda x: -x}
#: Operations that move the axes, not the elements along the axis of the sequence; and those that change the order there.
_MOVED = frozenset(("transpose", "swapaxes", "t", "tile", "broadcast", "expand_as", "stack", "roll", "flip", "repeat"))
_REORDERED = frozenset(("roll", "flip"))


# --- values -----------------------------------------------------------------------------------------------------------


def measured(value: Value | None) -> Value | None:
    """What a value is the length of: len(x), x.shape[0], the smaller one of that and a limit."""
    found = _length(value)
    return None if found is None or found.computed else found.of


def _spread_out(made: Call) -> list[Value]:
    """What a call is given, one by one or in a list."""
    return made.args[0].items if made.args and isinstance(made.args[0], Items) else made.args


def _length(value: Value | None) -> Length | None:
    """The first of several ways to make a value, where that is a length."""
    first = next((option for option in options(value) if isinstance(option, Call)), None)
    return None if first is None else Shapes.length(first)


def plus(value: Value) -> tuple[Value, int]:
    """A value without the number that is added to it, or taken off."""
    if isinstance(value, Call) and value.name in ("+", "-") and len(value.args) == 2:
        sides = [value.args, value.args[::-1]] if value.name == "+" else [value.args]
        for inner, by in sides:
            if isinstance(by, KnownValue) and type(by.value) is int:
                return inner, by.value if value.name == "+" else -by.value
    return value, 0


def missing(value: Value | None) -> Value | None:
    """What is short of a size by this: n - len(x), max(0, n - len(x))."""
    for option in options(value):
        if not isinstance(option, Call):
            continue
        if option.name == "-" and len(option.args) == 2:
            left, right = option.args
            if (root := measured(right)) is not None:
                return root
            return missing(left) if isinstance(right, KnownValue) else None
        if option.last in ("max", "maximum", "int", "abs") and option.args:
            return next((root for arg in option.args if (root := missing(arg)) is not None), None)
    return None


def total(form: Form) -> Value | None:
    """The size that something is filled up to, where it is told where that is done."""
    made = form.at
    if not isinstance(made, Call):
        return None
    known = effects.effect(made)
    if known is not None and known.new:
        return _first(made)
    short = next((inner for inner in _within(made) if missing(inner) is not None), None)
    return short.args[0] if short is not None and short.name == "-" else None


def _within(value: Value, depth: int = 0) -> Iterator[Call]:
    """The calls in what an expression is written of."""
    if isinstance(value, Items):
        for item in value.items:
            yield from _within(item, depth + 1)
    elif isinstance(value, Call) and depth < DEPTH:
        yield value
        for part in (*value.args, *value.keywords.values()):
            yield from _within(part, depth + 1)


def _padded_sides(width: Value | None) -> list[tuple[str, Value]]:
    """The sides that are filled up, of each axis."""
    pairs: list[Value | None] = [*_nested(width)] or [width]
    return [side for pair in pairs if (side := _one_sided(pair)) is not None]


def _cuts_end(made: Call) -> bool:
    """Whether a sequence is cut to at most a length: x[:n]."""
    key = made.args[0] if made.name == "[]" and made.args else None
    return is_slice(key) and _zero(key.args[0]) and _once(key.args[2])


def _first_axis_of(made: Call) -> Value | None:
    """The array x of x.shape[0]."""
    shape = made.base if made.name == "[]" else None
    first = isinstance(shape, Call) and shape.name == "@shape" and number(made.args[0]) == 0
    return shape.base if isinstance(shape, Call) and first else None


def _repeated(made: Call) -> ConstantArray | None:
    """[v] * n, or n * [v]."""
    for listed, count in (made.args, made.args[::-1]):
        if isinstance(listed, Items) and len(listed.items) == 1 and not listed.open:
            return ConstantArray(listed.items[0], count, measured(count), made)
    return None


def _is_of_numbers(shape: Shape | None) -> bool:
    """Whether the places for data hold a number each."""
    return isinstance(shape, Form) and shape.real is not None


def root(value: Value) -> Value:
    """The sequence behind a copy of it, its form as an array, and its cut to at most a length."""
    for _ in range(20):
        if isinstance(value, Many):
            roots = [root(option) for option in value.options if not is_none(option)]
            return roots[0] if roots and all(alike(roots[0], other) for other in roots) else value
        if not isinstance(value, Call):
            return value
        passed = effects.kept(value, "same", "order", "whole")
        if value.base is not None and _cuts_end(value):
            passed = [value.base]
        if passed is None or len(passed) != 1:
            return value
        value = passed[0]
    return value


def alike(one: Value | None, other: Value | None, depth: int = 10) -> bool:
    """True for what is the same value, also where an expression stands twice."""
    if one is other:
        return True
    if depth < 0 or one is None or other is None:
        return False
    if isinstance(one, KnownValue) and isinstance(other, KnownValue):
        return bool(one.value == other.value)
    if isinstance(one, NamedValue) and isinstance(other, NamedValue):
        return one.name == other.name
    if isinstance(one, Items) and isinstance(other, Items):
        return len(one.items) == len(other.items) and all(
            alike(a, b, depth - 1) for a, b in zip(one.items, other.items, strict=True)
        )
    return isinstance(one, Call) and isinstance(other, Call) and _are_alike(one, other, depth)


def _are_alike(one: Call, other: Call, depth: int) -> bool:
    """The same of two calls."""
    if one.name != other.name or _random(one):
        return False
    if len(one.args) != len(other.args) or one.keywords.keys() != other.keywords.keys() or one.writes or other.writes:
        return False
    pairs = [(one.base, other.base), *zip(one.args, other.args, strict=True)]
    pairs += [(one.keywords[name], other.keywords[name]) for name in one.keywords]
    return all((a is None and b is None) or alike(a, b, depth - 1) for a, b in pairs)


def _random(made: Call) -> bool:
    known = effects.effect(made)
    return (known is not None and known.kind == "random") or "random" in made.name


def _filling(write: Write) -> tuple[str, Value] | None:
    """(side, what is brought to a size) of a loop up to a length that adds one value again and again; None for any other loop."""
    head = write.head
    if (
        not isinstance(write.key, str)
        or not isinstance(head, Call)
        or isinstance(write.value, (Items, UnknownValue, Instance))
    ):
        return None
    if isinstance(write.value, Call) and write.value.loops == write.loops:
        return None  # made anew in each turn
    found: Value | None = None
    if head.name in ("<", "<=", "!=", ">", ">=") and len(head.args) == 2:
        found = measured(head.args[0]) or measured(head.args[1])
    elif head.name == "range" and head.args:
        found = missing(head.args[0]) or (measured(head.args[0]) if len(head.args) == 2 else None)
    if found is None:
        return None
    return (END if write.key == "append" else START), found


def _keys(key: Value | str | None) -> list[Value]:
    if key is None or isinstance(key, str):
        return []
    return key.items if isinstance(key, Items) else [key]


def _covers(keys: list[Value], made: Call) -> bool:
    """Whether a loop writes to each place of an array along one axis: x[:, k] for each k below the size that x has there."""
    shape = made.argument(["shape"], "shape")
    sizes = shape.items if isinstance(shape, Items) else [] if shape is None else [shape]
    whole = (is_slice(key) and _all(key) for key in keys)
    if not all(every or _counted(key) is not None for every, key in zip(whole, keys, strict=True)):
        return False
    pairs = [(size, _counted(key)) for size, key in zip(sizes, keys, strict=False)]
    return any(count is not None and alike(size, count) for size, count in pairs)


def _counted(key: Value) -> Value | None:
    """How many numbers a key goes through, from 0 on, in a loop over range(n)."""
    ranged = key.base if isinstance(key, Call) and key.name == ".each" else None
    counts = isinstance(ranged, Call) and ranged.name == "range" and len(ranged.args) == 1
    return ranged.args[0] if counts and isinstance(ranged, Call) else None


def _nested(width: Value | None) -> list[Value]:
    """((0, n), (0, 0)) as its pairs."""
    items = width.items if isinstance(width, Items) else []
    return items if items and all(isinstance(item, Items) for item in items) else []


def _one_sided(pair: Value | None) -> tuple[str, Value] | None:
    if not isinstance(pair, Items) or len(pair.items) != 2:
        return None
    before, behind = pair.items
    if _zero(before) and not is_none(before) and (root_ := missing(behind)) is not None:
        return END, root_
    if _zero(behind) and not is_none(behind) and (root_ := missing(before)) is not None:
        return START, root_
    return None


def _first(made: Call) -> Value | None:
    """The first size of a new array."""
    shape = made.args[0] if made.args else made.keywords.get("shape") or made.keywords.get("size")
    return shape.items[0] if isinstance(shape, Items) and shape.items else shape


def _spread(made: Call) -> Value | None:
    """What a new array is as long as."""
    first = _first(made)
    return first if made.last.lower().endswith(("_like", "like")) else measured(first)


def _in_a_row(value: Value) -> bool:
    """np.arange(n), also with an axis added."""
    for _ in range(6):
        if not isinstance(value, Call):
            return False
        known = effects.effect(value)
        if known is not None and known.operation == "arange":
            return True
        passed = effects.kept(value, "same", "order")
        if passed is None or len(passed) != 1:
            return value.name == "range"
        value = passed[0]
    return False


def _zero(value: Value | None) -> bool:
    return is_none(value) or number(value) == 0


def _once(value: Value | None) -> bool:
    return is_none(value) or number(value) == 1


def _all(part: Value) -> bool:
    return isinstance(part, Call) and all(is_none(bound) for bound in part.args)
