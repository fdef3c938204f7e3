"""Weights that sum up to 1 along one axis and are summed up along another: a softmax of products, and the product that it goes into;
and products that are multiplied by the root of their length, where they are to be divided by it.

Judged only where the scores are themselves a product of two arrays, as in attention: a softmax over the classes, the experts or the
clusters of each element may well be summed up over the elements. A softmax along an axis of one element is 1 whatever it is given.
A root of the length is looked for behind layers alone: arrays that were normalised before have products below 1, which may be made larger.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from . import flow
from .analysis import Scripts
from .axes import ELEMENTS, AxisPosition, axis_of, moved, place, rank, width
from .effects import TAKEN, describes, effect, kept, name_of, operands
from .factors import Operation, operation
from .networks import Observation, first_of_place, is_parameter, kind_of, outputs, structure_of
from .sizes import Shapes, Size, contracted, is_product, of
from .values import Call, KnownValue, Many, Value, options

#: So many operations are looked at behind a value.
STEPS = 60
#: Numbers are taken for the same that differ by less than this share.
NEAR = 1e-3
#: The axis of a softmax that is told none.
_LAST = -1


class Weights(NamedTuple):
    """The result of a softmax, perhaps behind an exchange of axes: where the axis of the softmax lies then."""

    softmax: Call
    axis: AxisPosition


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure = structure_of(reading)
        for call in reading.trace.calls:
            if structure.in_cell(call.frame):
                yield from _summed(call)
                yield from _of_another(call)
                yield from _of_one(call, structure.users)
                yield from _scaled_up(call, of(reading.trace))


def _summed(made: Call) -> Iterator[Observation]:
    """A product that sums weights of attention up along another axis than that of their softmax."""
    given = operands(made, (0, 1))
    if len(given) != 2 or not is_product(made):
        return
    for value, axis in zip(given, contracted(made), strict=True):
        for weights in weights_behind(value):
            if weights.axis.is_not(axis) and is_of_product(operands(weights.softmax)[:1]):
                data = {"line": made.line, "axis": axis}
                yield Observation(
                    "softmax-other-axis", weights.softmax.source, weights.softmax.node, data, certain=False
                )


def _of_another(made: Call) -> Iterator[Observation]:
    """Keys and values that belong to different sequences, one of which is that of the queries."""
    scores = _scores_behind(made) if is_product(made) else None
    pair = operands(scores, (0, 1)) if scores is not None else []
    query, key, value = map(_projected, (*pair, operands(made, (0, 1))[1])) if len(pair) == 2 else (None, None, None)
    if scores is None or query is None or key is None or value is None:
        return
    one_is_own = key is not value and query in (key, value)
    if one_is_own and not flow.derives(key, value) and not flow.derives(value, key):
        yield Observation("keys-of-another", made.source, made.node, {"line": scores.line}, certain=False)


def _scores_behind(made: Call) -> Call | None:
    """The product of queries and keys whose softmax a product weighs its second operand by."""
    pair = operands(made, (0, 1))
    weights = next(weights_behind(pair[0]), None) if len(pair) == 2 else None
    for part in operands(weights.softmax)[:1] if weights is not None else []:
        scores = _unscaled(part)[1]
        return scores if isinstance(scores, Call) and is_product(scores) else None
    return None


def _projected(side: Value) -> Value | None:
    """What a dense layer makes the queries, keys or values of."""
    made = _unscaled(side)[1]
    value: Value | None = made.args[0] if isinstance(made, Call) and _is_of_layer(made) and made.args else None
    for _ in range(STEPS):
        inner = kept(value, "same") if isinstance(value, Call) else None
        if not isinstance(value, Call) or not (value.result or inner):
            break
        value = value.result or next(iter(inner or []), None)
    return value


def weights_behind(value: Value) -> Iterator[Weights]:
    """The softmax whose result a value is, each option of a value by itself."""
    for option in options(value):
        exchanges: list[Call] = []
        for _ in range(STEPS):
            if not isinstance(option, Call):
                break
            axis = softmax_axis(option)
            if axis is not None:
                at: AxisPosition | None = axis
                for exchange in reversed(exchanges):
                    at = moved(at, exchange) if at is not None else None
                if at is not None:
                    yield Weights(option, at)
                break
            known = effect(option)
            if known is not None and known.operation in ("transpose", "swapaxes"):
                exchanges.append(option)
            elif not (known is not None and known.operation == "dropout") and kept(option, "same") is None:
                break
            inner = operands(option)
            option = option.result or (inner[0] if inner else option)


def softmax_axis(made: Call, *others: str) -> AxisPosition | None:
    """The axis of a softmax, or of one of the other operations; None for anything else, and where it is not seen."""
    known = effect(made)
    if known is None or known.operation not in ("softmax", *others):
        return None
    axis = axis_of(made)
    if axis is not None:
        return place(axis, rank(next(iter(operands(made)), None)))
    maker = made.maker
    untold = len(maker.args) + len(maker.keywords) <= (maker is made and made.name[:1] != ".")
    return AxisPosition(_LAST, True) if untold and not name_of(made).startswith("mint.") else None


def is_of_product(given: list[Value]) -> bool:
    """Whether scores are the product of two arrays that the network computes, perhaps scaled and with something added."""
    queue = list(given)
    seen: set[int] = set()
    while queue and len(seen) < STEPS:
        value = queue.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Many):
            queue += value.options
        if not isinstance(value, Call):
            continue
        known = effect(value)
        name = known.operation if known is not None else ""
        if name == "matmul":
            return not any(is_parameter(one) for one in operands(value, (0, 1)))
        if value.result is not None:
            queue.append(value.result)
        elif name in ELEMENTS:
            queue += operands(value, (0, 1, 2))
        else:
            queue += kept(value, "same") or []
    return False


def _of_one(made: Call, users: dict[int, list[tuple[Call, str]]]) -> Iterator[Observation]:
    """A softmax along the outputs of a layer that has one, unless that one is all that a sum along this axis mixes."""
    axis, given = softmax_axis(made), operands(made)[:1]
    if axis != AxisPosition(_LAST, True) or _mixes(made, users):
        return
    for value in given:
        found = width(value)
        if found is not None and outputs(found[0]) == 1 and found[1] == axis:
            layer = found[0]
            yield Observation("softmax-of-one", made.source, made.node, {"layer": layer.last, "at": layer.line})


def _mixes(made: Call, users: dict[int, list[tuple[Call, str]]]) -> bool:
    """Whether weights that lie along the last axis are multiplied with values and summed up along that axis."""
    products = [user for user, _ in users.get(id(made), ()) if operation(user).does == "mul"]
    sums = [user for one in products for user, _ in users.get(id(one), ()) if operation(user).does == "sum"]
    return any(axis_of(one) == _LAST for one in sums)


class Scaling(NamedTuple):
    """A factor, and the call that multiplies by it (`way` 1) or divides by it (-1)."""

    factor: Value
    way: int
    by: Call


def _scaled_up(made: Call, shapes: Shapes) -> Iterator[Observation]:
    """A softmax of products of layers' outputs that are multiplied by the root of as many numbers as each is the sum of."""
    known = effect(made)
    if known is None or known.operation != "softmax":
        return
    for value in operands(made)[:1]:
        scalings, scores = _unscaled(value)
        pair = operands(scores, (0, 1)) if isinstance(scores, Call) and is_product(scores) else []
        sides = [_unscaled(side) for side in pair]
        if not isinstance(scores, Call) or len(sides) != 2 or not all(_is_of_layer(side) for _, side in sides):
            continue
        length = _length(scores, shapes)
        every = [*scalings, *sides[0][0], *sides[1][0]]
        powers = [0.0 if length is None else one.way * _power_of(one.factor, length, shapes) for one in every]
        if sum(powers) > 0:
            by = every[powers.index(max(powers))].by
            yield Observation("scores-scaled-up", by.source, by.node, {"line": scores.line}, certain=False)


def _is_of_layer(value: Value) -> bool:
    layer = isinstance(value, Call) and value.name == "" and kind_of(value.base) in ("dense", "embedding")
    return layer and isinstance(value, Call) and not is_product(value)


def _length(product: Call, shapes: Shapes) -> Size | None:
    """How many numbers each element of a product is the sum of, in terms of lengths."""
    shape, axis = shapes.of(operands(product)[0]), contracted(product)[0]
    if not shape.open and len(shape.sizes) > 1:
        return shape.sizes[axis]
    for side, at in zip(operands(product, (0, 1)), contracted(product), strict=False):
        made = width(side)
        if made is not None and made[1] == AxisPosition(at, True):
            return shapes.width(made[0])
    return None


def _unscaled(value: Value) -> tuple[list[Scaling], Value]:
    """What a value is but for factors that are numbers, for masks, and for where its elements lie; and these factors."""
    found: list[Scaling] = []
    for _ in range(STEPS):
        if not isinstance(value, Call):
            break
        scaling = _scaling(value)
        if scaling is not None:
            found.append(scaling[0])
        inner = scaling[1] if scaling is not None else _moved(value)
        if inner is None:
            break
        value = inner
    return found, value


def _scaling(made: Call) -> tuple[Scaling, Value] | None:
    """The factor of a product or quotient that is a number, and what is scaled by it."""
    done = operation(made)
    if done.does not in ("mul", "div") or len(done.operands) != 2:
        return None
    first, second = done.operands
    if _is_number(second):
        return Scaling(second, 1 if done.does == "mul" else -1, made), first
    return (Scaling(first, 1, made), second) if done.does == "mul" and _is_number(first) else None


def _moved(made: Call) -> Value | None:
    """The array whose elements a call gives, some perhaps masked, or the scores that it adds a mask to."""
    known = effect(made)
    name = known.operation if known is not None else ""
    if name in ELEMENTS:
        of_product = [part for part in operands(made, (0, 1, 2)) if is_of_product([part])]
        return of_product[0] if len(of_product) == 1 and name not in ("mul", "div") else None
    inner = kept(made, *TAKEN)
    return made.result or (inner[0] if inner and len(inner) == 1 else None)


def _is_number(value: Value) -> bool:
    """Whether a value is a number that is written down, or computed of the lengths of axes."""
    if isinstance(value, KnownValue):
        return type(value.value) in (int, float)
    if not isinstance(value, Call) or describes(value):
        return isinstance(value, Call)
    if value.name == "[]" and isinstance(value.base, Call):
        return _is_number(value.base)
    computes = operation(value).does in ("pow", "sqrt", "rsqrt", "div")
    parts = operation(value).operands if computes else kept(value, "same")
    return bool(parts) and all(map(_is_number, parts or ()))


def _power_of(value: Value, length: Size, shapes: Shapes) -> float:
    """Of which power of a length a number is; 0 where it is none."""
    if isinstance(value, KnownValue):
        known = [power for power in (-1.0, -0.5, 0.5, 1.0) if not length.axes and _is_near(value.value, length, power)]
        return known[0] if known and length.number > 1 else 0.0
    if not isinstance(value, Call):
        return 0.0
    if shapes.size(value) == length:
        return 1.0
    done, same = operation(value), kept(value, "same")
    if same is not None:
        return sum(_power_of(inner, length, shapes) for inner in same[:1])
    return sum(times * _power_of(part, length, shapes) for part, times in _powers_in(done))


def _powers_in(done: Operation) -> list[tuple[Value, float]]:
    """What a number is computed from, each with the power that it is taken to."""
    first, second = done.operand(0), done.operand(1)
    if first is not None and done.does in ("sqrt", "rsqrt"):
        return [(first, 0.5 if done.does == "sqrt" else -0.5)]
    if first is not None and done.does == "pow" and isinstance(second, KnownValue):
        return [(first, float(second.value))]
    if first is not None and second is not None and done.does == "div":
        return [(first, 1.0), (second, -1.0)]
    return []


def _is_near(number: float, length: Size, power: float) -> bool:
    return bool(abs(number - float(length.number**power)) < NEAR * number)
