"""Dense layers one behind the other with nothing between them that bends: two of them compute no more than one.

A product of two matrices is a matrix, so that where the layer between is no narrower than either end, the two are one layer in all that
they can compute. A narrower one is a choice: it holds the matrix down to a lower rank. Judged where both are made in one place: a layer in
front may come with its weights from elsewhere; and where other dense layers of the script have an activation between them, or the cell
makes one that it never applies. What normalises between them, as the neck of an embedding does, is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .analysis import Scripts
from .effects import bound_arguments, describes, effect, kept, operands
from .networks import Observation, Structure, first_of_place, kind_of, structure_of
from .values import Call, Instance, KnownValue, Value, integer_of, is_known

#: So many operations are looked at between two layers.
STEPS = 8


class Widths(NamedTuple):
    """The sizes of a linear layer; None for one that is not seen."""

    inputs: int | None
    outputs: int | None


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training:
        structure = structure_of(reading)
        layers = [call for call in reading.trace.calls if widths(call) is not None]
        elsewhere = any(map(_is_behind_activation, layers))
        for call in layers:
            if elsewhere or _leaves_activation_idle(call, structure):
                yield from _twice(call, structure)


def _is_behind_activation(call: Call) -> bool:
    """Whether a linear layer works on what an activation makes of another one."""
    value: Value | None = call.args[0] if call.args else None
    for _ in range(STEPS):
        known = effect(value) if isinstance(value, Call) else None
        if not isinstance(value, Call):
            return False
        given = operands(value)
        if known is not None and (known.rises or known.gives == "activation") and given and isinstance(given[0], Call):
            return widths(given[0]) is not None
        value = value.result or _untouched(value)
    return False


def _leaves_activation_idle(call: Call, structure: Structure) -> bool:
    """Whether the cell that applies a layer holds an activation that nothing applies."""
    owner = call.frame.owner if call.frame is not None else None
    held = owner.attributes.values() if isinstance(owner, Instance) else ()
    return any(kind_of(value) == "activation" and id(value) not in structure.applied for value in held)


def _twice(call: Call, structure: Structure) -> Iterator[Observation]:
    """A layer that works on what another one gives, as it is."""
    after = widths(call)
    before = _layer_before(call, structure) if after is not None else None
    first = widths(before) if before is not None else None
    if after is None or before is None or first is None or before.applied is call.applied:
        return
    layer, middle = before.applied, first.outputs
    ends = [end for end in (first.inputs, after.outputs) if end is not None]
    together = layer is not None and call.applied is not None and layer.frame is call.applied.frame
    if together and middle is not None and any(end <= middle for end in ends):
        data = {"line": before.line, "path": before.source.path, "width": middle}
        yield Observation("linear-twice", call.source, call.node, data, certain=False)


def widths(call: Call | None) -> Widths | None:
    """The sizes that a linear layer which is applied here has; None for any other call."""
    layer = call.applied if call is not None else None
    given = bound_arguments(layer) if layer is not None else None
    if layer is None or given is None or not _is_linear(layer, given):
        return None
    sizes = [given.get(f"{end}_channels") or given.get(f"{end}_features") for end in ("in", "out")]
    return Widths(*map(integer_of, sizes))


def _is_linear(layer: Call, given: dict[str, Value]) -> bool:
    """Whether a layer is a product with a matrix and nothing else."""
    bends = not is_known(given.get("activation", KnownValue(None)), None)
    return kind_of(layer) == "dense" and layer.last in ("Dense", "Linear") and not layer.unpacked and not bends


def _layer_before(call: Call, structure: Structure) -> Call | None:
    """The linear layer whose result, as it is, this one and nothing else works on."""
    value: Value | None = call.args[0] if call.args else None
    user: Call = call
    for _ in range(STEPS):
        if not isinstance(value, Call) or not _goes_only_into(value, user, structure):
            return None
        if value.result is not None:
            value = value.result
            continue
        if widths(value) is not None:
            return value
        user, value = value, _untouched(value)
    return None


def _goes_only_into(value: Value, user: Call, structure: Structure) -> bool:
    users = [one for one, _ in structure.users.get(id(value), ()) if one is not user and not describes(one)]
    return not any(one.result is not value for one in users)


def _untouched(made: Call) -> Value | None:
    """What a call gives as it is, or drops elements of."""
    known = effect(made)
    if known is not None and known.operation in ("dropout", "dropout_function"):
        return made.args[0] if made.args else None
    same = kept(made, "same")
    return same[0] if same and len(same) == 1 else None
