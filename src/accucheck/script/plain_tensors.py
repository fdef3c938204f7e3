"""Weights that a cell makes with initializer() and keeps as plain tensors: no optimizer has them, and no checkpoint."""

from __future__ import annotations

from collections.abc import Iterator

from .analysis import Scripts
from .networks import FORWARD, Observation, Structure, first_of_place, structure_of, uses
from .values import Call, Frame, Value, frames_around, options

_MAKES = "initializer"


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training:
        structure = structure_of(reading)
        for cell in structure.cells:
            stored = uses(cell.of).stored
            for name in stored.keys() & cell.attributes.keys():
                if _is_used_as_it_is(structure, cell.attributes[name]):
                    node, method = stored[name]
                    data = {"name": name, "of": cell.of.node.name}
                    yield Observation("plain-tensor", method.source, node, data, certain=False)


def _is_used_as_it_is(structure: Structure, value: Value) -> bool:
    """Whether what initializer() gives is computed with, and never made a Parameter."""
    made = list(options(value))
    if not all(isinstance(option, Call) and option.api == _MAKES for option in made):
        return False
    users = [user for one in made for user, _ in structure.users.get(id(one), ())]
    return any(map(_computes, users)) and not any(user.api == "Parameter" for user in users)


def _computes(user: Call) -> bool:
    """Whether a call is made by a network that runs."""
    return any(_is_forward(frame) for frame in frames_around(user.frame))


def _is_forward(frame: Frame) -> bool:
    return frame.function.name in FORWARD
