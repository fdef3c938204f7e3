"""Reshapes that tear an axis apart: its size stands at another place afterwards, and what lies there is no longer that axis.

A reshape leaves elements in their order, so an axis is still itself only where as many elements come before it, and after it, as
did before. (batch, steps, features) to (batch, heads, steps, part) puts pieces of the features of one step into several steps. Judged
where the sizes before it are those of the very array, or numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from .analysis import Scripts
from .effects import effect, kept, operands
from .factors import operation
from .networks import Observation, first_of_place, structure_of
from .values import Call, Items, Known, Value

#: Changes of type and the like are looked through so far.
STEPS = 12


class Sizes(NamedTuple):
    """A product of sizes: of the axes of the array that is reshaped, by their places, and a number."""

    axes: Counter[int]
    number: int

    def times(self, other: Sizes) -> Sizes:
        return Sizes(self.axes + other.axes, self.number * other.number)


ONE = Sizes(Counter(), 1)


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure = structure_of(reading)
        for call in reading.trace.calls:
            axis = torn(call) if structure.in_cell(call.frame) else None
            if axis is not None:
                data = {"axis": axis[0], "place": axis[1]}
                yield Observation("axis-torn", call.source, call.node, data, certain=False)


def torn(made: Call) -> tuple[int, int] | None:
    """The axis that a reshape tears apart, and the place where its size stands then."""
    known = effect(made)
    if known is None or known.operation != "reshape":
        return None
    of, sizes = next(iter(operands(made)), None), _sizes(made)
    if of is None or len(sizes) < 2:
        return None
    given = [_size(size, _root(of)) for size in sizes]
    for place in range(1, len(given)):
        axis = _alone(given[place])
        before = _product(given[:place])
        if axis is None or before is None:
            continue
        rest = _product(given[place + 1 :])
        if _is_elsewhere(axis, before) and not (rest is not None and _goes_on(axis, rest)):
            return axis, place
    return None


def _sizes(made: Call) -> list[Value]:
    given = operation(made).operands[1:]
    if len(given) == 1:
        return given[0].items if isinstance(given[0], Items) and not given[0].open else []
    return given


def _root(value: Value) -> Value:
    """What a value is but for its type and the like."""
    for _ in range(STEPS):
        inner = kept(value, "same") if isinstance(value, Call) else None
        if inner is None or len(inner) != 1:
            break
        value = inner[0]
    return value


def _size(value: Value, of: Value) -> Sizes | None:
    """A size as a product; None where it is made of something else."""
    if isinstance(value, Known):
        return Sizes(Counter(), value.value) if type(value.value) is int and value.value > 0 else None
    if not isinstance(value, Call):
        return None
    if value.name == "*" and len(value.args) == 2:
        return _product([_size(part, of) for part in value.args])
    axis = _axis(value, of)
    return None if axis is None else Sizes(Counter([axis]), 1)


def _axis(value: Call, of: Value) -> int | None:
    """Of which axis of an array a value is the size."""
    shape, key = value.base, value.args[0] if value.args else None
    if value.name != "[]" or not isinstance(shape, Call) or not isinstance(key, Known) or type(key.value) is not int:
        return None
    known = effect(shape)
    described = next(iter(operands(shape)), None)
    is_shape = known is not None and known.kind == "description" and shape.last.lower().endswith("shape")
    return key.value if is_shape and key.value >= 0 and described is not None and _root(described) is of else None


def _product(sizes: list[Sizes | None]) -> Sizes | None:
    product = ONE
    for size in sizes:
        if size is None:
            return None
        product = product.times(size)
    return product


def _alone(size: Sizes | None) -> int | None:
    """The axis whose size this is, and nothing else."""
    return next(iter(size.axes)) if size is not None and size.number == 1 and size.axes.total() == 1 else None


def _is_elsewhere(axis: int, before: Sizes) -> bool:
    """Whether more comes before an axis than did: sizes of later axes, or a number beside all that came before."""
    earlier = Counter(range(axis))
    later = any(other > axis for other in before.axes)
    return later or (before.number > 1 and before.axes == earlier)


def _goes_on(axis: int, rest: Sizes) -> bool:
    """Whether all that follows an axis is what followed it: then what was put before it is 1."""
    return rest.number == 1 and bool(rest.axes) and min(rest.axes) == axis + 1 and max(rest.axes.values()) == 1
