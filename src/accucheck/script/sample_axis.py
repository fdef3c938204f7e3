"""Weights that sum up to 1 over the samples of a batch: a softmax along the axis of the samples in what a network computes of each; and
vectors whose length is taken along that axis. And losses that pair the rows of one sample with those of another.

Judged where that axis is seen: in batches that a data set makes it is the first, and behind operations whose axes are seen it is followed.
What compares samples with each other, as contrastive losses do, goes through a product and is not followed.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import flow
from .analysis import Reading, Scripts
from .axes import DEPTH, ELEMENTS, axes_of, axis_of, is_order, is_pair, joined, rank
from .effects import MOVED, describes, effect, kept, operands
from .factors import argument_of, operation
from .losses import applied
from .networks import Observation, Structure, first_of_place, kind_of, structure_of
from .sizes import contracted, is_product
from .training_data import given
from .values import Call, Items, KnownValue, UnknownValue, Value, is_known, is_slice

#: Steps between weights and the sum that they go into.
_NEAR = 4
#: Layers that are given the samples along the first axis, and leave them there.
_SAMPLES_FIRST = ("dense", "embedding", "normalization", "dropout", "activation", "convolution", "pooling")


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure, samples = structure_of(reading), _SampleAxis(reading)
        for call in reading.trace.calls:
            along = _runs_along(call, samples) if structure.in_cell(call.frame) else None
            if along == "softmax" and not _is_pooled(call, structure):
                yield Observation("softmax-over-samples", call.source, call.node, {}, certain=False)
            if along == "l2_normalize":
                yield Observation("norm-over-samples", call.source, call.node, {}, certain=False)
            if structure.in_cell(call.frame) and _steps_through(call, samples):
                data = {
                    "layer": call.applied.last if call.applied is not None else "",
                    "line": call.applied.line if call.applied else 0,
                }
                yield Observation("samples-as-steps", call.source, call.node, data, certain=False)
            if _pairs_others(call, samples):
                yield Observation("rows-paired-otherwise", call.source, call.node, {}, certain=False)


def _pairs_others(made: Call, samples: _SampleAxis) -> bool:
    """Whether a loss is given predictions and labels whose axes were joined in different orders: row by row, they belong to different
    samples."""
    application = applied(made)
    if application is None:
        return False
    places = [_joined_at(value, samples) for value in (application.prediction, application.labels)]
    return None not in places and places[0] != places[1]


def _joined_at(value: Value | None, samples: _SampleAxis) -> int | None:
    """Where the axis of the samples lay among those that a reshape joins into rows, the first or the one behind; None for what is no
    such reshape."""
    for _ in range(_NEAR):
        if not isinstance(value, Call):
            return None
        known, told = effect(value), _told(value)
        if value.result is None and known is not None and known.operation == "reshape":
            array = next(iter(operands(value)), None)
            joins = bool(told) and is_known(told[0], -1) and array is not None and rank(array).least > len(told)
            at = samples.of(array) if joins else None
            return at if at in (0, 1) else None
        inner = [value.result] if value.result is not None else kept(value, "same")
        value = inner[0] if inner else None
    return None


def _steps_through(made: Call, samples: _SampleAxis) -> bool:
    """Whether a recurrent layer that steps along the first axis is given the samples there."""
    layer = made.applied
    if layer is None or kind_of(layer) != "recurrent" or _is_cell(layer) or not made.args:
        return False
    told = argument_of(layer, "batch_first")
    return (told is None or is_known(told, False)) and not layer.unpacked and samples.of(made.args[0]) == 0


def _runs_along(made: Call, samples: _SampleAxis) -> str | None:
    """The operation of a call that brings an array to a sum or a length of 1 along the axis of the samples, which is not seen to be the
    only one; None for any other call."""
    known = effect(made)
    if known is None or known.operation not in ("softmax", "l2_normalize"):
        return None
    array = next(iter(operands(made)), None)
    if array is None:
        return None
    axis = _from_start(axis_of(made), array)
    is_along = axis is not None and rank(array).exact != 1 and axis == samples.of(array)
    return known.operation if is_along else None


def _is_pooled(softmax: Call, structure: Structure) -> bool:
    """Whether what the weights weigh is summed up along the axis of the softmax: rows of one bag, which are no samples then."""
    axis, level = axis_of(softmax), [softmax]
    for _ in range(_NEAR):
        users = [(user, made) for made in level for user, _ in structure.users.get(id(made), ())]
        if any(_sums_up(user, made, axis) for user, made in users):
            return True
        level = [user for user, _ in users if kept(user, *MOVED) or operation(user).does == "mul"]
    return False


def _sums_up(user: Call, made: Call, axis: int | None) -> bool:
    """Whether a call sums an array up along an axis, which is told from the start or from the end."""
    known = effect(user)
    if is_product(user):
        pair = operands(user, (0, 1))
        places = [at for one, at in zip(pair, contracted(user), strict=False) if one is made]
        return axis in places or any(_from_start(at, made) == axis for at in places)
    told = operation(user).operand(1, "axis", "dim")
    return known is not None and known.reduces and (told is None or axis_of(user) == axis)


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
        outermost = [frame for frame in reading.trace.frames if frame.parent is None]
        inputs = (value for frame in outermost for value in frame.parameters.values())
        self._inputs = {id(value) for value in inputs if isinstance(value, UnknownValue)}
        self._rows = {id(_whole(value)) for call in reading.trace.calls for value in _rows_of(call)}

    def of(self, value: Value | None, depth: int = 0) -> int | None:
        """The axis along which the samples of a batch are seen to lie, counted from the first; None where that is not seen."""
        if value is not None and id(_whole(value)) in self._rows:
            return 0
        if isinstance(value, UnknownValue):
            return 0 if self._model_is_fed_batches and id(value) in self._inputs else None
        return self._of_call(value, depth) if isinstance(value, Call) and depth <= DEPTH else None

    def _of_call(self, value: Call, depth: int) -> int | None:
        if value.result is not None:
            return self.of(value.result, depth + 1)
        if value.name == "[]" and isinstance(value.base, Call):
            return self._of_part(value, value.base, depth)
        if value.name == "" and _is_cell(value.base):
            return 0
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
            return self._of_outputs(base, key)
        if known is not None and known.pieces:
            is_one = isinstance(key, KnownValue) and type(key.value) is int
            return self._of_pieces(base, known.operation, depth) if is_one else None
        parts: list[Value | None] = [*key.items] if isinstance(key, Items) else [key]
        return _behind_index(self.of(base, depth + 1), base, parts)

    def _of_outputs(self, run: Call, key: Value | None) -> int | None:
        """Of what a recurrent layer gives: a cell one row for each sample, a layer the outputs of all steps and the last states."""
        if _is_cell(run.base):
            return 0
        batches = argument_of(run.base, "batch_first") if isinstance(run.base, Call) else None
        return 0 if is_known(batches, True) and is_known(key, 0) else None

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
            return self._of_joined(made, known.operation, depth)
        at = self.of(parts[0], depth + 1)
        if known.operation == "expand_dims":
            return _with_one_more(at, axis_of(made), parts[0])
        if known.operation == "squeeze":
            return _without(at, axis_of(made), parts[0])
        if known.reduces:
            return _behind_reduction(at, made, parts[0])
        if known.operation in ("broadcast", "tile", "reshape"):
            keeps = _keeps_first if known.operation == "reshape" else _keeps_size
            return at if keeps(made, at, parts[0]) else None
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

    def _of_joined(self, made: Call, name: str, depth: int) -> int | None:
        """Of arrays that have the samples along one axis, as far as they are seen to, put one behind the other, or along an axis of
        their own."""
        parts = joined(made)
        found = [self.of(part, depth + 1) for part in parts]
        places = {*found} - {None}
        at = places.pop() if len(places) == 1 else None
        told = operation(made).operand(1, "axis", "dim") is not None or made.name == ""
        axis = axis_of(made) if told else 0
        if name == "stack":
            return _with_one_more(at, axis, parts[0] if parts else None)
        return at if None not in found or _without(at, axis, made) is not None else None


def _is_cell(layer: Value | None) -> bool:
    """Whether this is a cell that takes one step of a recurrent layer."""
    return isinstance(layer, Call) and kind_of(layer) == "recurrent" and layer.last.endswith("Cell")


def _rows_of(made: Call) -> list[Value]:
    """What a call is given that has samples along its first axis, whatever it is: the input and the state of a recurrent cell."""
    if made.name != "" or not _is_cell(made.base):
        return []
    given = [*made.args, *(value for name, value in made.keywords.items() if name == "hx")]
    return [part for value in given for part in (value.items if isinstance(value, Items) else [value])]


def _whole(value: Value) -> Value:
    """The array of which the first rows are taken: x of x[:n]."""
    while (
        isinstance(value, Call)
        and value.name == "[]"
        and value.base is not None
        and value.args
        and is_slice(value.args[0])
    ):
        value = value.base
    return value


def _told(made: Call) -> list[Value]:
    """The sizes that a call is told, one by one or as a tuple."""
    told = operation(made).operands[1:]
    return told[0].items if len(told) == 1 and isinstance(told[0], Items) else told


def _keeps_size(made: Call, axis: int | None, array: Value) -> bool:
    """Whether an array that is widened keeps all its axes in their places: it is told no more sizes than it has axes."""
    return axis is not None and 0 < len(_told(made)) <= rank(array).least


def _keeps_first(made: Call, axis: int | None, array: Value) -> bool:
    """Whether the axis is the first one, and its size the first that a reshape is told."""
    first = next(iter(_told(made)), None)
    asked = isinstance(first, Call) and first.name == "[]" and bool(first.args) and is_known(first.args[0], 0)
    shape = first.base if asked and isinstance(first, Call) else None
    return axis == 0 and isinstance(shape, Call) and describes(shape) and next(iter(operands(shape)), None) is array


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
