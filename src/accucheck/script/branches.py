"""Ways of one shape through a network that meet again: two inputs that pass the same layers, but for one of them.

Where one way applies a layer twice in the place of the layer that the other applies next, the two no longer describe the same thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from .analysis import Scripts
from .effects import effect, kept, operands
from .networks import Observation, first_of_place, has_weights, is_layer, structure_of
from .values import Call, Items, KnownValue, NamedValue, Value

#: So many layers of a way are followed, and so many values that meet at one place are compared.
LONG, MEET = 40, 8


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure = structure_of(reading)
        for call in reading.trace.calls:
            if not structure.in_cell(call.frame):
                continue
            ways = [way for way in map(_way, _met(call)[:MEET]) if len(way) > 1]
            for one, other in combinations(ways, 2):
                if (said := _compared(one, other) or _compared(other, one)) is not None:
                    yield said


def _met(call: Call) -> list[Value]:
    """What an operation takes together."""
    given = [*call.args, *call.keywords.values()]
    return [part for value in given for part in (value.items if isinstance(value, Items) else [value])]


def _way(value: Value) -> list[Call]:
    """The calls of layers with weights that a value comes through, the last first; what lies between leaves the numbers what they are,
    or counts each alone."""
    found: list[Call] = []
    while isinstance(value, Call) and len(found) < LONG:
        if value.name == "" and isinstance(value.base, Call) and is_layer(value.base):
            if has_weights(value.base):
                found.append(value)
            inner = value.args
        else:
            inner = _worked_on(value)
        if len(inner) != 1:
            break
        value = inner[0]
    return found


def _worked_on(made: Call) -> list[Value]:
    """What a function works on that takes nothing else: an activation, an average, another form. None where it may take more."""
    passed = kept(made, "same", "order", "factor", "limited")
    if passed:
        return passed
    known = effect(made)
    given = [*made.args, *made.keywords.values(), made.base if made.name[:1] == "." else None]
    alone = known is not None and len([value for value in given if not _is_setting(value)]) == 1
    return operands(made) if alone else []


def _is_setting(value: Value | None) -> bool:
    """A number, a name, or several of them, as the axes of an average."""
    parts = value.items if isinstance(value, Items) else [value]
    return all(part is None or isinstance(part, (KnownValue, NamedValue)) for part in parts)


def _compared(one: list[Call], other: list[Call]) -> Observation | None:
    """`one` applies a layer again where `other` applies another layer, and both are alike in all else."""
    layers, others = ([id(call.base) for call in way] for way in (one, other))
    if len(layers) != len(others):
        return None
    apart = [place for place, (mine, its) in enumerate(zip(layers, others, strict=True)) if mine != its]
    if len(apart) != 1 or len(set(others)) != len(others):
        return None
    (place,) = apart
    again = layers[place] in layers[max(0, place - 1) : place] + layers[place + 1 : place + 2]
    if not again or layers[place] not in others:
        return None
    call, instead = one[place], other[place]
    data = {"name": _named(call), "other": _named(instead), "line": instead.line, "path": instead.source.path}
    return Observation("branches-differ", call.source, call.node, data, certain=False)


def _named(call: Call) -> str:
    layer = call.base
    assert isinstance(layer, Call)
    return layer.bound[0] if layer.bound else layer.api
