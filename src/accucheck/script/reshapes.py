"""Reshapes that mix axes: the size of an axis stands at another place afterwards, but the values there no longer lie along that axis.

A reshape leaves elements in their order, so an axis is still itself only where as many elements come before it, and after it, as
did before. (batch, steps, features) to (batch, heads, steps, part) puts pieces of the features of one step into several steps, and
(batch, heads, steps, part) to (batch, steps, features) pieces of several steps into one. Judged where the sizes before it are known, or
where the last axis holds the outputs of a layer, whose number stands at another place afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .analysis import Scripts
from .axes import AxisPosition, rank, width
from .effects import effect, operands
from .networks import Observation, first_of_place, is_parameter, kind_of, outputs, structure_of
from .sizes import NUMBER, ONE, Axis, Shape, Shapes, Size, of, product
from .values import Call, Value


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure, shapes = structure_of(reading), of(reading.trace)
        for call in reading.trace.calls:
            within = structure.in_cell(call.frame)
            axis = (torn(call, shapes) if within else None) or torn_outputs(call, shapes)
            apart = torn_apart(call, shapes) if within and axis is None else None
            if axis is not None:
                data = {"axis": axis[0], "place": axis[1]}
                yield Observation("axis-torn", call.source, call.node, data, certain=False)
            elif apart is not None:
                yield Observation("parts-torn", call.source, call.node, {"place": apart}, certain=False)


def _reshaped(made: Call) -> Value | None:
    """What a call puts into another shape; None for any other call."""
    known = effect(made)
    return next(iter(operands(made)), None) if known is not None and known.operation == "reshape" else None


def torn(made: Call, shapes: Shapes) -> tuple[int, int] | None:
    """The axis that a reshape tears apart, and the place where its size stands then."""
    array = _reshaped(made)
    if array is None or is_parameter(array):
        return None  # the axes of what is learnt are what the network makes of them
    after = shapes.given(made)
    before = _as_many_elements(shapes.of(array), after)
    for place in range(1, len(after.sizes)):
        axis = _alone(after.sizes[place])
        stood = _places(before, axis) if axis is not None else []
        if len(stood) == 1 and _is_torn(before, stood[0], after, place):
            return stood[0], place
    return None


def torn_outputs(made: Call, shapes: Shapes) -> tuple[int, int] | None:
    """As of torn, for the outputs of a layer of which only the number is known."""
    array = _reshaped(made)
    if array is None:
        return None
    sizes = shapes.given(made).sizes
    found = width(array)
    stood = _counted_places(found[0], sizes) if found is not None else []
    if found is None or len(stood) != 1 or _has_twin(array, sizes[stood[0]], shapes):
        return None
    if found[1] == AxisPosition(-1, True):
        return (-1, stood[0]) if _leave_the_end(made, sizes, stood[0]) else None
    exchanged = kind_of(found[0]) == "dense" and found[1].exact  # with a later axis, which comes to lie before them
    return (found[1].high, stood[0]) if exchanged and 0 < stood[0] == len(sizes) - 1 else None


def torn_apart(made: Call, shapes: Shapes) -> int | None:
    """Where the number of parts stands into which a reshape cuts the outputs of a layer, with another axis between it and the parts:
    (batch, heads, -1, part)."""
    array = _reshaped(made)
    found = width(array) if array is not None else None
    if array is None or found is None:
        return None
    sizes, whole = shapes.given(made).sizes, shapes.width(found[0])
    parts = _parts(whole, sizes) if found[1] == AxisPosition(-1, True) else None
    place = sizes.index(parts) if parts is not None and sizes.count(parts) == 1 else len(sizes)
    apart = place < len(sizes) - 2 and any(size is None or _is_rest(size, made) for size in sizes[place + 1 : -1])
    counted = apart and _has_more_axes(array, shapes, place)
    return place if counted and all(map(_alone, sizes[:place])) else None


def _parts(whole: Size | None, sizes: list[Size | None]) -> Size | None:
    """How many parts of the last size make a whole, where these are several."""
    last = sizes[-1] if sizes else None
    parts = whole.over(last) if whole is not None and last is not None else None
    return None if ONE in (parts, last) else parts


def _has_more_axes(array: Value, shapes: Shapes, than: int) -> bool:
    """Whether an array has more axes before its last one than stand before a place: what is left of them is not 1."""
    return max(rank(array).least, shapes.axes(array)) - 1 > than


def _leave_the_end(made: Call, sizes: list[Size | None], place: int) -> bool:
    """Whether more than one element comes behind what lay along the last axis, and whose number stands at a place now."""
    behind = [size for size in sizes[place + 1 :] if size != ONE]
    counted = all(size is not None and not _is_rest(size, made) for size in behind)
    array = next(iter(operands(made)), None)
    leads = place == 0 or (rank(array).least > place + 1 and all(_alone(size) for size in sizes[:place]))
    return bool(behind) and (counted or leads)


def _counted_places(layer: Call, sizes: list[Size | None]) -> list[int]:
    """The places at which the number of a layer's outputs stands, where these are several."""
    count = outputs(layer)
    return [place for place, size in enumerate(sizes) if count not in (None, 1) and size == Size(Counter(), count)]


def _has_twin(array: Value, size: Size | None, shapes: Shapes) -> bool:
    """Whether two axes of an array have a size: then the one that a reshape is told may be that of either."""
    return shapes.of(array).sizes.count(size) > 1


def _is_rest(size: Size, made: Call) -> bool:
    """Whether a size is what a reshape is told by -1 and that cannot be computed."""
    return any(array == id(made) for array, _ in size.axes)


def _alone(size: Size | None) -> Axis | None:
    """The axis whose size this is, and nothing else."""
    return next(iter(size.axes)) if size is not None and size.number == 1 and size.axes.total() == 1 else None


def _places(shape: Shape, axis: Axis) -> list[int]:
    return [place for place, size in enumerate(shape.sizes) if _alone(size) == axis]


def _as_many_elements(before: Shape, after: Shape) -> Shape:
    """A shape whose axes that a reshape does not name have one element, as they have where all elements are among those that it names."""
    named, told = product(after.sizes), product(before.sizes)
    left = told.over(named) if named is not None and told is not None and not after.open else None
    if left is None or left == ONE or left.number > 1 or any(place == NUMBER for _, place in left.axes):
        return before
    return Shape([ONE if _alone(size) in left.axes else size for size in before.sizes])


def _is_torn(before: Shape, stood: int, after: Shape, place: int) -> bool:
    """Whether an axis that stood at one place stands at another, with other elements before and after it."""
    earlier, now = product(before.sizes[:stood]), product(after.sizes[:place])
    if earlier is None or now is None or now == earlier:
        return False
    rest = None if after.open else product(after.sizes[place + 1 :])
    if rest is not None and _goes_on(before, stood, rest):
        return False  # then what was put before it is 1
    missing = _lacks(earlier, now) and (rest is not None or not before.open)
    return missing or _has_later(before, stood, now) or _has_more(earlier, now)


def _has_later(before: Shape, stood: int, now: Size) -> bool:
    """Whether sizes of later axes come before it."""
    later = {axis for size in before.sizes[stood + 1 :] if (axis := _alone(size)) is not None}
    return not later.isdisjoint(now.axes)


def _has_more(earlier: Size, now: Size) -> bool:
    """Whether as much comes before it as did, and a number of parts."""
    more = now.over(earlier)
    return more is not None and more != ONE and all(place == NUMBER for _, place in more.axes)


def _lacks(earlier: Size, now: Size) -> bool:
    """Whether less comes before it than did."""
    left = earlier.over(now)
    return left is not None and (left.number > 1 or bool(left.axes))


def _goes_on(before: Shape, stood: int, rest: Size) -> bool:
    """Whether all that follows an axis is what followed it."""
    following = before.sizes[stood + 1 :]
    ends = range(1, len(following) + 1) if before.open else (len(following),)
    return any(product(following[:end]) == rest for end in ends)
