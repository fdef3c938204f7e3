"""Weights that sum up to 1 along one axis and are summed up along another: a softmax of products, and the product that it goes into.

Judged only where the scores are themselves a product of two arrays, as in attention: a softmax over the classes, the experts or the
clusters of each element may well be summed up over the elements. A softmax along an axis of one element is 1 whatever it is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .analysis import Scripts
from .axes import ELEMENTS, Place, axis_of, moved, place, rank, width
from .effects import effect, kept, name_of, operands
from .factors import argument_of
from .networks import Observation, first_of_place, is_parameter, outputs, structure_of
from .values import Call, Known, Many, Value, options

#: So many operations are looked at behind a value.
STEPS = 60
#: The axis of a softmax that is told none.
_LAST = -1


class Weights(NamedTuple):
    """The result of a softmax, perhaps behind an exchange of axes: where the axis of the softmax lies then."""

    softmax: Call
    axis: Place


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure = structure_of(reading)
        for call in reading.trace.calls:
            if structure.in_cell(call.frame):
                yield from _summed(call)
                yield from _of_one(call)


def _summed(made: Call) -> Iterator[Observation]:
    """A product that sums weights of attention up along another axis than that of their softmax."""
    known, given = effect(made), operands(made, (0, 1))
    if known is None or known.operation != "matmul" or len(given) != 2 or not _is_of_matrices(made):
        return
    for value, axis in zip(given, _contracted(made), strict=True):
        for weights in _weights(value):
            if weights.axis.is_not(axis) and _is_of_product(operands(weights.softmax)[:1]):
                data = {"line": made.line, "axis": axis}
                yield Observation(
                    "softmax-other-axis", weights.softmax.source, weights.softmax.node, data, certain=False
                )


def _is_of_matrices(made: Call) -> bool:
    return name_of(made).rsplit(".", 1)[-1].lower() in ("@", "matmul", "batchmatmul", "bmm", "mm")


def _contracted(made: Call) -> tuple[int, int]:
    """The axes, from the end, along which a product of matrices sums up."""
    maker = made.base if made.name == "" and isinstance(made.base, Call) else made
    turned = [
        isinstance(value, Known) and value.value is True
        for value in (
            argument_of(maker, "transpose_a") or argument_of(maker, "transpose_x1"),
            argument_of(maker, "transpose_b") or argument_of(maker, "transpose_x2"),
        )
    ]
    return (-2 if turned[0] else -1), (-1 if turned[1] else -2)


def _weights(value: Value) -> Iterator[Weights]:
    """The softmax whose result a value is, each option of a value by itself."""
    for option in options(value):
        exchanges: list[Call] = []
        for _ in range(STEPS):
            if not isinstance(option, Call):
                break
            axis = softmax_axis(option)
            if axis is not None:
                at: Place | None = axis
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


def softmax_axis(made: Call) -> Place | None:
    """The axis of a softmax; None for anything else, and where it is not seen."""
    known = effect(made)
    if known is None or known.operation != "softmax":
        return None
    axis = axis_of(made)
    if axis is not None:
        return place(axis, rank(next(iter(operands(made)), None)))
    maker = made.base if made.name == "" and isinstance(made.base, Call) else made
    untold = len(maker.args) + len(maker.keywords) <= (maker is made and made.name[:1] != ".")
    return Place(_LAST, True) if untold and not name_of(made).startswith("mint.") else None


def _is_of_product(given: list[Value]) -> bool:
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


def _of_one(made: Call) -> Iterator[Observation]:
    """A softmax along the outputs of a layer that has one."""
    axis, given = softmax_axis(made), operands(made)[:1]
    if axis != Place(_LAST, True):
        return
    for value in given:
        found = width(value)
        if found is not None and outputs(found[0]) == 1 and found[1] == axis:
            layer = found[0]
            yield Observation("softmax-of-one", made.source, made.node, {"layer": layer.last, "at": layer.line})
