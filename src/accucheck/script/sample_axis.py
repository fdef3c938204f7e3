"""Weights that sum up to 1 over the samples of a batch: a softmax along the first axis of what a network computes of each sample.

Judged where the samples are seen to lie along the first axis: in batches that a data set makes, and behind operations that leave this axis
where it is. What compares samples with each other, as contrastive losses do, goes through a product and is not followed.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import flow
from .analysis import Reading, Scripts
from .axes import DEPTH, ELEMENTS, axis_of, rank
from .effects import effect, kept, operands
from .factors import argument_of
from .networks import Observation, first_of_place, kind_of, structure_of
from .training_data import given
from .values import Call, KnownValue, UnknownValue, Value, frames_around

#: Layers that are given the samples along the first axis, and leave them there.
_SAMPLES_FIRST = ("dense", "embedding", "normalization", "dropout", "activation", "convolution", "pooling")


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure, axis = structure_of(reading), _SampleAxis(reading)
        for call in reading.trace.calls:
            if structure.in_cell(call.frame) and _runs_along_first(call) and axis.leads(operands(call)[0]):
                yield Observation("softmax-over-samples", call.source, call.node, {}, certain=False)


def _runs_along_first(made: Call) -> bool:
    """Whether this is a softmax along the first axis of what is not seen to have a single one."""
    known, scores = effect(made), next(iter(operands(made)), None)
    if known is None or known.operation != "softmax" or scores is None:
        return False
    axis, of = axis_of(made), rank(scores)
    first = axis == 0 or (of.exact is not None and axis == -of.exact)
    return first and of.exact != 1


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

    def leads(self, value: Value | None, depth: int = 0) -> bool:
        """Whether the samples of a batch are seen to lie along the first axis of a value."""
        if isinstance(value, UnknownValue):
            return self._model_is_fed_batches and id(value) in self._inputs
        if not isinstance(value, Call) or depth > DEPTH:
            return False
        if value.result is not None:
            return self.leads(value.result, depth + 1)
        if value.name == "[]" and isinstance(value.base, Call):
            return self._part_leads(value.base, value.args[0] if value.args else None, depth)
        if value.name == "":
            return self._layer_leads(value, depth)
        return self._operation_leads(value, depth)

    def _part_leads(self, base: Call, key: Value | None, depth: int) -> bool:
        """Of a column of a batch, and of the outputs that a recurrent layer gives beside its state."""
        if base.name == ".each":
            return _is_batched(base)
        first = base.base
        if not isinstance(first, Call) or base.name != "" or kind_of(first) != "recurrent":
            return False
        batches = argument_of(first, "batch_first")
        samples_first = isinstance(batches, KnownValue) and batches.value is True
        is_output = isinstance(key, KnownValue) and key.value == 0
        return samples_first and is_output and bool(base.args) and self.leads(base.args[0], depth + 1)

    def _layer_leads(self, made: Call, depth: int) -> bool:
        if kind_of(made.base) in _SAMPLES_FIRST:
            return bool(made.args) and self.leads(made.args[0], depth + 1)
        return self._operation_leads(made, depth)

    def _operation_leads(self, made: Call, depth: int) -> bool:
        known, parts = effect(made), operands(made, (0, 1, 2))
        if known is None or not parts:
            return False
        if known.operation in ELEMENTS:
            return self._joined_lead(parts, depth)
        if known.operation in ("squeeze", "expand_dims") or known.reduces:
            return _is_behind_first(axis_of(made), parts[0]) and self.leads(parts[0], depth + 1)
        each = known.rises or known.operation == "softmax" or kept(made, "same", "whole", "truth")
        return bool(each) and self.leads(parts[0], depth + 1)

    def _joined_lead(self, parts: list[Value], depth: int) -> bool:
        """Of what is put together element by element: what has fewer axes is put to the last ones."""
        arrays = [part for part in parts if not isinstance(part, KnownValue)]
        most = max((rank(part).least for part in arrays), default=0)
        return any(rank(part).least == most and self.leads(part, depth + 1) for part in arrays)


def _is_behind_first(axis: int | None, array: Value) -> bool:
    return axis is not None and (axis > 0 or (axis == -1 and rank(array).least > 1))


def _is_batched(value: Value) -> bool:
    """Whether a data set joins samples to batches, as they are."""
    joins = [part for part in flow.sources(value) if isinstance(part, Call) and part.name == ".batch"]
    return bool(joins) and not any("per_batch_map" in join.keywords for join in joins)
