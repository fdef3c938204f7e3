"""Weights that sum up to 1 over the samples of a batch: a softmax along the axis of the samples in what a network computes of each.

Judged where that axis is seen: in batches that a data set makes it is the first, and behind operations whose axes are seen it is followed.
What compares samples with each other, as contrastive losses do, goes through a product and is not followed.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import flow
from .analysis import Reading, Scripts
from .axes import DEPTH, ELEMENTS, axes_of, axis_of, is_order, is_pair, rank
from .effects import effect, kept, operands
from .factors import argument_of, operation
from .networks import Observation, first_of_place, kind_of, structure_of
from .training_data import given
from .values import Call, Items, KnownValue, UnknownValue, Value, frames_around, is_known, is_slice

#: Layers that are given the samples along the first axis, and leave them there.
_SAMPLES_FIRST = ("dense", "embedding", "normalization", "dropout", "activation", "convolution", "pooling")


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure, samples = structure_of(reading), _SampleAxis(reading)
        for call in reading.trace.calls:
            if structure.in_cell(call.frame) and _runs_along(call, samples):
                yield Observation("softmax-over-samples", call.source, call.node, {}, certain=False)


def _runs_along(made: Call, samples: _SampleAxis) -> bool:
    """Whether this is a softmax along the axis of the samples, which is not seen to be the only one."""
    known, scores = effect(made), next(iter(operands(made)), None)
    if known is None or known.operation != "softmax" or scores is None:
        return False
    axis = _from_start(axis_of(made), scores)
    return axis is not None and rank(scores).exact != 1 and axis == samples.of(scores)


def _from_start(axis: int | None, of: Value) -> int | None:
    """An axis counted from the first one; None where it is counted from the last and there may be any number."""
    if axis is None or axis >= 0:
        return axis
    exact = rank(of).exact
    return None if exact is None else axis + exact


class _SampleAxis:
    """Where the samples lie in the values of one reading."""

    def __init__(self, reading: Reading) -> None:
        runs = [values for call, values in given(reading) if call.name in (".train", ".fit")]
        self._model_is_fed_batches = bool(runs) and all(_is_batched(value) for values in runs for value in values)
        inputs = (
            value
            for call in reading.trace.calls
            if call.frame is not None
            for value in list(frames_around(call.frame))[-1].parameters.values()
        )
        self._inputs = {id(value) for value in inputs if isinstance(value, UnknownValue)}

    def of(self, value: Value | None, depth: int = 0) -> int | None:
        """The axis along which the samples of a batch are seen to lie, counted from the first; None where that is not seen."""
        if isinstance(value, UnknownValue):
            return 0 if self._model_is_fed_batches and id(value) in self._inputs else None
        if not isinstance(value, Call) or depth > DEPTH:
            return None
        if value.result is not None:
            return self.of(value.result, depth + 1)
        if value.name == "[]" and isinstance(value.base, Call):
            return self._of_part(value, value.base, depth)
        if value.name == "" and kind_of(value.base) in _SAMPLES_FIRST:
            return 0 if value.args and self.of(value.args[0], depth + 1) == 0 else None
        return self._of_operation(value, depth)

    def _of_part(self, made: Call, base: Call, depth: int) -> int | None:
        """Of a column of a batch, of the outputs that a recurrent layer gives beside its state, of a piece or a slice of an array."""
        key = made.args[0] if made.args else None
        known = effect(base)
        if base.name == ".each":
            return 0 if _is_batched(base) else None
        if base.name == "" and kind_of(base.base) == "recurrent":
            return self._of_outputs(base, key, depth)
        if known is not None and known.pieces:
            is_one = isinstance(key, KnownValue) and type(key.value) is int
            return self._of_pieces(base, known.operation, depth) if is_one else None
        parts: list[Value | None] = [*key.items] if isinstance(key, Items) else [key]
        return _behind_index(self.of(base, depth + 1), base, parts)

    def _of_outputs(self, run: Call, key: Value | None, depth: int) -> int | None:
        batches = argument_of(run.base, "batch_first") if isinstance(run.base, Call) else None
        samples_first = is_known(batches, True)
        is_output = isinstance(key, KnownValue) and key.value == 0
        return 0 if samples_first and is_output and run.args and self.of(run.args[0], depth + 1) == 0 else None

    def _of_pieces(self, made: Call, name: str, depth: int) -> int | None:
        array = next(iter(operands(made)), None)
        at = self.of(array, depth + 1)
        if name in ("split", "chunk"):
            return at
        return _without(at, axis_of(made), array) if name == "unstack" else None

    def _of_operation(self, made: Call, depth: int) -> int | None:
        known, parts = effect(made), operands(made, (0, 1, 2))
        if known is None or not parts:
            return None
        if known.operation in ELEMENTS:
            return self._of_elements(parts, depth)
        if known.operation in ("concat", "stack"):
            return self._of_joined(made, known.operation, parts[0], depth)
        at = self.of(parts[0], depth + 1)
        if known.operation == "expand_dims":
            return _with_one_more(at, axis_of(made), parts[0])
        if known.operation == "squeeze":
            return _without(at, axis_of(made), parts[0])
        if known.reduces:
            return _behind_reduction(at, made, parts[0])
        if known.operation in ("transpose", "swapaxes", "t"):
            return _exchanged(at, made, parts[0])
        stays = known.rises or known.operation == "softmax" or kept(made, "same", "whole", "truth")
        return at if stays else None

    def _of_elements(self, parts: list[Value], depth: int) -> int | None:
        """Of what is put together element by element: what has fewer axes is put to the last ones."""
        arrays = [part for part in parts if not isinstance(part, KnownValue)]
        most = max((rank(part).least for part in arrays), default=0)
        found = (self.of(part, depth + 1) for part in arrays if rank(part).least == most)
        return next((at for at in found if at is not None), None)

    def _of_joined(self, made: Call, name: str, given: Value, depth: int) -> int | None:
        """Of arrays that all have the samples along one axis, put one behind the other, or along an axis of their own."""
        joined = _joined(given)
        found = {self.of(part, depth + 1) for part in joined}
        at = found.pop() if len(found) == 1 else None
        if name == "concat":
            return at
        told = operation(made).operand(1, "axis", "dim") is not None or made.name == ""
        return _with_one_more(at, axis_of(made) if told else 0, joined[0] if joined else None)


def _joined(given: Value) -> list[Value]:
    """The arrays in a list, or the one that stands for all that a comprehension makes."""
    if isinstance(given, Items):
        return [] if given.open else given.items
    return given.args[:1] if isinstance(given, Call) and given.name == "comprehension" else []


def _behind_index(at: int | None, base: Value, parts: list[Value | None]) -> int | None:
    """Where an axis lies behind an index: numbers drop their axes, None adds one, slices keep theirs."""
    if at is None:
        return None
    kinds = [_kind_of_index(part) for part in parts]
    axis = behind = 0
    for place, kind in enumerate(kinds):
        if kind == "other" or (kind == "number" and axis == at):
            return None
        if kind == "rest":
            is_before = rank(base).least - len(kinds[place + 1 :]) > at  # the axes that the rest of the index is about
            return behind + at - axis if is_before else None
        if kind == "slice" and axis == at:
            break
        axis, behind = axis + (kind != "new"), behind + (kind != "number")
    return behind + at - axis


def _kind_of_index(part: Value | None) -> str:
    if isinstance(part, KnownValue):
        kinds = ((part.value is None, "new"), (part.value is ..., "rest"), (type(part.value) is int, "number"))
        return next((kind for holds, kind in kinds if holds), "other")
    return "slice" if is_slice(part) else "other"


def _with_one_more(at: int | None, axis: int | None, before: Value | None) -> int | None:
    """Where an axis lies behind the insertion of another one."""
    if at is None or axis is None:
        return None
    if axis >= 0:
        return at + (axis <= at)
    return at if rank(before).least + 1 + axis > at else None


def _without(at: int | None, axis: int | None, before: Value | None) -> int | None:
    """Where an axis lies when another one is dropped."""
    if at is None or axis is None or axis == at:
        return None
    if axis >= 0:
        return at - (axis < at)
    return at if rank(before).least + axis > at else None


def _behind_reduction(at: int | None, made: Call, before: Value) -> int | None:
    """Where an axis lies behind a reduction along axes that come after it, whether these are kept or not."""
    told = operation(made).operand(1, "axis", "dim")
    axes = (
        [part.value for part in told.items if isinstance(part, KnownValue)]
        if isinstance(told, Items)
        else [axis_of(made)]
    )
    return at if axes and all(_without(at, axis, before) == at for axis in axes) else None


def _exchanged(at: int | None, made: Call, before: Value) -> int | None:
    """Where an axis lies behind an exchange of axes."""
    named, axes = axes_of(made), rank(before).exact
    if at is None or (named is None and axes != 2):
        return None
    if named is None:
        return 1 - at  # the two of a matrix
    if is_order(made, named):
        return [axis % len(named) for axis in named].index(at) if at < len(named) else None
    pair = [_from_start(axis, before) for axis in named]
    if not is_pair(made, named) or None in pair:
        return None
    return {pair[0]: pair[1], pair[1]: pair[0]}.get(at, at)


def _is_batched(value: Value) -> bool:
    """Whether a data set joins samples to batches, as they are."""
    joins = [part for part in flow.sources(value) if isinstance(part, Call) and part.name == ".batch"]
    return bool(joins) and not any("per_batch_map" in join.keywords for join in joins)
