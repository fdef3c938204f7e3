"""The domain of axes: how many an array has at least, and at which place, counted from the end, one of them lies.

Networks are given arrays of which a script tells little; what is done with them tells more: who exchanges axes 1 and 2 has three.
"""

from __future__ import annotations

from typing import NamedTuple

from .effects import effect, kept, name_of, operands
from .factors import argument_of, operation
from .networks import kind_of
from .syntax import kept as once
from .values import Call, Items, KnownValue, Many, NamedValue, Value, integer_of, is_slice

#: Values within values are looked into so far.
DEPTH = 24
#: Operations on several arrays, element by element or matrix by matrix: what has fewer axes is broadcast.
ELEMENTS = ("add", "sub", "mul", "div", "where", "where_method", "masked_fill")
TOGETHER = (*ELEMENTS, "matmul")
#: Operations behind which there may be more or fewer axes, or the same in another order.
_CHANGING = (
    *("concat", "stack", "reshape", "flatten", "ravel", "tile", "broadcast", "transpose", "swapaxes"),
    *("expand_dims", "squeeze"),
)
#: Layers that take arrays of so many axes, by the last part of their name.
_SPATIAL = {"1d": 3, "2d": 4, "3d": 5}


class Rank(NamedTuple):
    """How many axes: at least so many, and exactly how many where that is known."""

    least: int = 1
    exact: int | None = None


class AxisPosition(NamedTuple):
    """Where an axis lies from the end, -1 being the last: at `high` or, where its array may have further axes, before that."""

    high: int
    exact: bool

    def is_not(self, place: int) -> bool:
        """Whether it is seen to be another axis than that at a place."""
        return self.high != place if self.exact else self.high < place


UNKNOWN = Rank()


@once
def rank(value: Value | None, depth: int = 0) -> Rank:
    """The number of axes of a value."""
    if isinstance(value, Many):
        found = [rank(option, depth + 1) for option in value.options] if depth < DEPTH else []
        exact = {each.exact for each in found}
        return Rank(min((each.least for each in found), default=1), exact.pop() if len(exact) == 1 else None)
    if isinstance(value, KnownValue) and isinstance(value.value, (int, float)):
        return Rank(0, 0)
    if not isinstance(value, Call) or depth > DEPTH:
        return UNKNOWN
    if value.result is not None:
        return rank(value.result, depth + 1)
    if value.name == "[]":
        return _of_item(value, depth)
    return _of_layer(value, depth) or _of_operation(value, depth)


def _of_item(made: Call, depth: int) -> Rank:
    """Of a part of an array: an index drops its axis, a slice keeps it, None adds one."""
    key = made.args[0] if made.args else None
    parts = key.items if isinstance(key, Items) else [key]
    kinds = [_kind_of_index(part) for part in parts]
    numbers, added, slices = (kinds.count(kind) for kind in ("number", "None", "slice"))
    if numbers + added + slices != len(parts):
        return UNKNOWN
    if _of_recurrent(made.base):
        first = isinstance(key, KnownValue) and key.value == 0
        return rank(made.base, depth + 1) if first else UNKNOWN
    before = rank(made.base, depth + 1)
    least = max(before.least, numbers + slices) + added - numbers
    return Rank(max(least, 0), None if before.exact is None else before.exact + added - numbers)


def _kind_of_index(part: Value | None) -> str:
    if isinstance(part, KnownValue):
        return "None" if part.value is None else "number" if type(part.value) is int else ""
    return "slice" if is_slice(part) else ""


def _of_recurrent(value: Value | None) -> bool:
    """Whether this is what a recurrent layer gives: its outputs, and its last states beside them."""
    return isinstance(value, Call) and value.name == "" and kind_of(value.base) == "recurrent"


def _of_layer(made: Call, depth: int) -> Rank | None:
    if made.name != "" or not isinstance(made.base, Call):
        return None
    kind = kind_of(made.base)
    if kind in ("normalization", "dropout", "activation"):
        return rank(made.args[0] if made.args else None, depth + 1)
    if kind in ("convolution", "pooling"):
        axes = _SPATIAL.get(made.base.last.removesuffix("Transpose")[-2:])
        return None if axes is None else Rank(axes, axes)
    if kind == "recurrent" and not made.base.last.endswith("Cell"):
        return Rank(3, 3)
    if kind not in ("embedding", "dense"):
        return None
    inner = rank(made.args[0] if made.args else None, depth + 1)
    if kind == "dense":
        return Rank(max(2, inner.least), inner.exact)
    return Rank(inner.least + 1, None if inner.exact is None else inner.exact + 1)


def _of_operation(made: Call, depth: int) -> Rank:
    known = effect(made)
    if known is None:
        return UNKNOWN
    inner = [rank(part, depth + 1) for part in operands(made, (0, 1, 2))]
    first = inner[0] if inner else UNKNOWN
    if known.operation in TOGETHER:
        return _largest(inner)
    if known.operation in _CHANGING and (changed := _changed(made, known.operation, first, depth)) is not None:
        return changed
    if known.reduces:
        return _reduced(made, first)
    stays = (
        known.operation in ("softmax", "log_softmax", "dropout", "negate")
        or known.rises
        or kept(made, "same") is not None
    )
    return first if stays else UNKNOWN


def _changed(made: Call, how: str, before: Rank, depth: int) -> Rank | None:
    """Behind an operation that changes or exchanges axes; None for a squeeze of those that hold one element."""
    if how in ("concat", "stack"):
        return _joined(made, how, depth)
    if how in ("reshape", "flatten", "ravel"):
        return _reshaped(made, how)
    if how in ("tile", "broadcast"):
        sizes = _numbers_given(made)
        return _largest([before, UNKNOWN if sizes is None else Rank(sizes, sizes)])
    if how in ("transpose", "swapaxes"):
        return _exchanged(made, before)
    if how == "expand_dims":
        return _with_more(before, 1)
    return _with_more(before, -1) if axis_of(made) is not None else None


def _joined(made: Call, how: str, depth: int) -> Rank:
    """Of arrays that are put one behind the other, which all have as many axes, or along an axis of their own."""
    found = [rank(part, depth + 1) for part in joined(made)]
    exact = next((each.exact for each in found if each.exact is not None), None)
    one = Rank(max((each.least for each in found), default=1), exact)
    return _with_more(one, 1) if how == "stack" else one


def joined(made: Call) -> list[Value]:
    """The arrays that a call joins, which all have the same axes: those of a list, as far as they are seen, or the one that stands for
    all that a comprehension makes."""
    given = next(iter(operands(made)), None)
    if isinstance(given, Items):
        return given.items
    return given.args[:1] if isinstance(given, Call) and given.name == "comprehension" else []


def _reshaped(made: Call, how: str) -> Rank:
    if how != "reshape":
        return _flattened(made, 0 if how == "ravel" else 1)
    sizes = _numbers_given(made)
    return UNKNOWN if sizes is None else Rank(sizes, sizes)


def _flattened(made: Call, usual: int) -> Rank:
    """Behind one axis in place of those from `start_dim` on, which is `usual` where it is not given."""
    maker = made.maker
    behind = operation(made).operands[1:] if maker is made else maker.args
    axes = [part for part in behind if not (isinstance(part, KnownValue) and isinstance(part.value, str))]  # "C"
    if "end_dim" in maker.keywords or len(axes) > 1:
        return UNKNOWN
    given = maker.keywords.get("start_dim") or next(iter(axes), None)
    start = usual if given is None else integer_of(given)
    return UNKNOWN if start is None or start < 0 else Rank(start + 1, start + 1)


def _with_more(before: Rank, axes: int) -> Rank:
    return Rank(max(1, before.least + axes), None if before.exact is None else before.exact + axes)


def _reduced(made: Call, before: Rank) -> Rank:
    """Behind a reduction along axes that it names, which are dropped unless it says that they are kept."""
    done = operation(made)
    maker = made.maker
    keeps = (
        any(name in (*done.keywords, *maker.keywords) for name in ("keepdims", "keep_dims", "keepdim"))
        or maker is not made
    )
    given = done.operand(1, "axis", "dim")
    axes = given.items if isinstance(given, Items) else [given]
    if (
        keeps
        or len(done.operands) > 2
        or not all(isinstance(axis, KnownValue) and type(axis.value) is int for axis in axes)
    ):
        return UNKNOWN
    return Rank(max(1, before.least - len(axes)), None if before.exact is None else before.exact - len(axes))


def _largest(of: list[Rank]) -> Rank:
    """What has fewer axes is broadcast."""
    exact = [each.exact for each in of if each.exact is not None]
    return Rank(max((each.least for each in of), default=1), max(exact) if exact and len(exact) == len(of) else None)


def _numbers_given(made: Call) -> int | None:
    """How many sizes or axes a call is given behind its operand, one by one or as one tuple."""
    given = operation(made).operands[1:]
    if len(given) == 1:
        return len(given[0].items) if isinstance(given[0], Items) and not given[0].open else None
    return len(given) or None


def _exchanged(made: Call, before: Rank) -> Rank:
    """Behind an exchange of axes: it names some, or all of them."""
    named = axes_of(made)
    if named is None:
        return before
    if is_order(made, named):
        return Rank(len(named), len(named))
    return Rank(max(before.least, *(axis + 1 if axis >= 0 else -axis for axis in named)), before.exact)


def axes_of(made: Call) -> list[int] | None:
    """The axes that a call names behind its operand."""
    given = operation(made).operands[1:]
    parts = given[0].items if len(given) == 1 and isinstance(given[0], Items) else given
    numbers = [part.value for part in parts if isinstance(part, KnownValue) and type(part.value) is int]
    return numbers if numbers and len(numbers) == len(parts) else None


def axis_of(made: Call) -> int | None:
    """The axis that a call, or the object that it calls, is told by name or as the first number behind its operand."""
    return integer_of(axes_given(made))


def axes_given(made: Call) -> Value | None:
    """What a call, or the object that it calls, is told as its axis or axes: by name, or first behind its operand."""
    named = (argument_of(made.maker, name) for name in ("axis", "dim"))
    return next((value for value in named if value is not None), operation(made).operand(1, "axis", "dim"))


def is_order(made: Call, named: list[int]) -> bool:
    """Whether an exchange of axes is told the order of all, and not two that change places."""
    known = effect(made)
    two_of_more = len(named) == 2 and min(named) < 0  # counted from the end, it exchanges these
    every = sorted(axis + len(named) * (axis < 0) for axis in named) == [*range(len(named))] and not two_of_more
    return known is not None and known.operation == "transpose" and name_of(made) != "mint.transpose" and every


def is_pair(made: Call, named: list[int]) -> bool:
    one_each = name_of(made).rsplit(".", 1)[-1] in ("swapaxes", "swapdims", "transpose")
    return one_each and len(named) == 2 and not is_order(made, named)


def place(axis: int, of: Rank) -> AxisPosition:
    """Where an axis lies that an operation names."""
    if axis < 0:
        return AxisPosition(axis, True)
    if of.exact is not None:
        return AxisPosition(axis - of.exact, True)
    return AxisPosition(axis - of.least, False)


def moved(axis: AxisPosition, made: Call) -> AxisPosition | None:
    """Where an axis lies behind an exchange of axes; None where that is not seen."""
    named = axes_of(made)
    if named is None or not axis.exact:
        return None
    if is_order(made, named):
        order, at = [each % len(named) for each in named], axis.high + len(named)
        return AxisPosition(order.index(at) - len(named), True) if at in order else None
    if not is_pair(made, named):
        return None
    of = rank(operands(made)[0] if operands(made) else None)
    ends = [place(each, of) for each in named]
    if not all(end.exact for end in ends):
        return None
    one, other = (end.high for end in ends)
    return AxisPosition({one: other, other: one}.get(axis.high, axis.high), True)


def width(value: Value | None) -> tuple[Call, AxisPosition] | None:
    """The layer whose outputs a value holds, each changed by itself, and along which axis they lie."""
    exchanges: list[Call] = []
    for _ in range(DEPTH):
        if isinstance(value, Call) and value.result is not None:
            value = value.result
        if not isinstance(value, Call):
            return None
        if value.name == "" and isinstance(value.base, Call):
            last = _outputs_at(value.base)
            if last is not None:
                at: AxisPosition | None = AxisPosition(last, True)
                for exchange in reversed(exchanges):
                    at = moved(at, exchange) if at is not None else None
                return None if at is None else (value.base, at)
        inner = _alone(value, exchanges)
        if inner is None:
            return None
        value = inner
    return None


def _outputs_at(layer: Call) -> int | None:
    """Where the outputs of a layer lie, from the end."""
    kind = kind_of(layer)
    if kind == "convolution":
        axes = _SPATIAL.get(layer.last.removesuffix("Transpose")[-2:])
        return None if axes is None else 1 - axes
    return -1 if kind == "dense" else None


def _alone(made: Call, exchanges: list[Call]) -> Value | None:
    """The operand of what changes each element by itself, or exchanges axes, which is noted."""
    known = effect(made)
    if known is None:
        return None
    inner = [part for part in operands(made, (0, 1, 2)) if not isinstance(part, (KnownValue, NamedValue))]
    if known.operation in ("transpose", "swapaxes"):
        exchanges.append(made)
        return inner[0] if inner else None
    alone = (
        known.rises or known.operation in (*ELEMENTS, "dropout", "softmax", "negate") or kept(made, "same") is not None
    )
    return inner[0] if alone and len(inner) == 1 else None
