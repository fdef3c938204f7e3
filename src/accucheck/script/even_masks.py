"""Masks of attention that are the same for all keys of a query: the mask of the queries, where that of the keys is meant.

A softmax takes no notice of what is added to all its scores alike, and where all are filled with one number, all keys get one weight.
Judged where the last axis of a mask is seen to be of size 1 before it is widened, and no other mask is put to the same scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from . import flow, triangles
from .analysis import Reading, Scripts
from .attention import is_of_product
from .axes import ELEMENTS, axis_of, rank
from .effects import effect, kept, operands
from .factors import comparison
from .networks import Observation, first_of_place, structure_of
from .sizes import Shapes, of
from .values import Call, Items, KnownValue, Value, is_known, is_slice, options

#: So many operations are looked at before a softmax, and behind a mask.
STEPS, DEPTH = 60, 24
#: Operations that put a mask to scores -> where the mask stands; None: it is what is no score.
_MASKS = {"add": None, "sub": None, "masked_fill": 1, "where": 0, "where_method": 1}
_LOGIC = ("logical_not", "logical_and", "logical_or", "logical_xor", "invert")
_WIDEN = ("broadcast", "expand_as", "tile", "repeat")


class AppliedMask(NamedTuple):
    """A mask, the operation that puts it to scores, and how many axes these have; None where that is not seen."""

    made: Call
    mask: Value
    rank: int | None


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        for softmax, (first, *_) in find(reading):
            yield Observation("mask-even", first.made.source, first.made.node, {"line": softmax.line}, certain=False)


def find(reading: Reading) -> Iterator[tuple[Call, list[AppliedMask]]]:
    """Each softmax of attention whose masks are all the same for all keys, with these."""
    structure, shapes = structure_of(reading), of(reading.trace)
    for softmax in reading.trace.calls:
        if structure.in_cell(softmax.frame) and triangles.attends(softmax):
            found = [*_masks(softmax, shapes)]
            if found and all(is_even(one.mask, shapes, one.rank) for one in found):
                yield softmax, found


def _masks(softmax: Call, shapes: Shapes) -> Iterator[AppliedMask]:
    """What is put to scores between their product and a softmax, but for numbers and scales."""
    queue = operands(softmax)[:1]
    for _ in range(STEPS):
        value = queue.pop() if queue else None
        ways = options(value)
        if len(ways) > 1:
            queue += ways
        if not isinstance(value, Call):
            continue
        if value.result is not None:
            queue.append(value.result)
            continue
        name = known.operation if (known := effect(value)) is not None else ""
        if name == "matmul":
            continue
        parts = operands(value, (0, 1, 2)) if name in ELEMENTS else kept(value, "same") or []
        scores = [part for part in parts if is_of_product([part])]
        queue += scores
        mask = _mask_of(name, parts, scores) if name in _MASKS else None
        if mask is not None:
            yield AppliedMask(value, mask, _axes(scores[0], shapes) if scores else None)


def _axes(scores: Value, shapes: Shapes) -> int | None:
    """How many axes scores have; None where that is not seen."""
    shape = shapes.of(scores)
    return rank(scores).exact if shape.open else len(shape.sizes)


def _mask_of(name: str, parts: list[Value], scores: list[Value]) -> Value | None:
    """What an operation on scores takes as their mask."""
    place = _MASKS[name]
    if place is not None:
        return parts[place] if len(parts) == 3 else None
    others = [part for part in parts if not any(part is one for one in scores) and not isinstance(part, KnownValue)]
    return others[0] if len(others) == 1 and len(scores) == 1 and _hides(others[0]) else None


def _hides(value: Value) -> bool:
    """Whether what is added to scores is large where a place is to be hidden."""
    numbers = (part.value for part in flow.sources(value) if isinstance(part, KnownValue))
    return any(isinstance(number, (int, float)) and abs(number) >= triangles.LARGE for number in numbers)


def is_even(value: Value, shapes: Shapes, most: int | None = None, depth: int = 0) -> bool:
    """Whether all elements along the last axis of an array are seen to be the same. `most`: it has no more axes than so many."""
    if not isinstance(value, Call) or depth > DEPTH:
        return False
    if value.result is not None:
        return is_even(value.result, shapes, most, depth + 1)
    name = known.operation if (known := effect(value)) is not None else ""
    inner = operands(value, (0, 1, 2))
    if value.name == "[]":
        return _adds_last(value, shapes)
    if name == "expand_dims":
        axis = axis_of(value)
        at = _from_end(axis, inner[0], shapes) if inner else None
        is_last = at == -1 or (axis is not None and axis + 1 == most)
        return is_last or (at is not None and is_even(inner[0], shapes, None, depth + 1))
    arrays = inner[:1] if name in _WIDEN else _each(value, name, inner)
    return bool(arrays) and all(is_even(part, shapes, most, depth + 1) for part in arrays)


def _each(made: Call, name: str, inner: list[Value]) -> list[Value]:
    """The arrays of which a call computes each element by itself."""
    if name in (*ELEMENTS, *_LOGIC) or comparison(made):
        return [part for part in inner if not isinstance(part, KnownValue)]
    return kept(made, "same", "truth", "whole") or []


def _adds_last(made: Call, shapes: Shapes) -> bool:
    """Whether an index adds an axis behind all others, as x[:, :, None] of two axes and x[..., None] do."""
    key = made.args[0] if made.args else None
    parts = key.items if isinstance(key, Items) else []
    if len(parts) < 2 or not is_known(parts[-1], None) or made.base is None:
        return False
    shape = shapes.of(made.base)
    all_axes = not shape.open and len(shape.sizes) == sum(map(is_slice, parts))
    return all_axes or is_known(parts[-2], ...)


def _from_end(axis: int | None, before: Value, shapes: Shapes) -> int | None:
    """Where an axis that is added lies then, from the end."""
    if axis is None or axis < 0:
        return axis
    shape = shapes.of(before)
    return None if shape.open else axis - len(shape.sizes) - 1
