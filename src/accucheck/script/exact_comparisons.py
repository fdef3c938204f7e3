"""Masks that compare computed features with a number: what a layer gives is hardly ever equal to one, so that the mask hides nothing.

Judged where a layer with weights gives what is compared, as it is. A table whose row of padding is told may be compared with 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from .analysis import Scripts
from .effects import TAKEN, kept, operands, stops_gradient
from .factors import argument_of, comparison
from .networks import Observation, first_of_place, kind_of, structure_of
from .values import Call, KnownValue, Value

#: So many operations are looked at between a layer and a comparison.
STEPS = 8


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for reading in scripts.training or scripts.readings:
        structure = structure_of(reading)
        for call in reading.trace.calls:
            if comparison(call) in ("==", "!=") and structure.in_cell(call.frame):
                pair = operands(call, (0, 1))
                numbers = [
                    part for part in pair if isinstance(part, KnownValue) and isinstance(part.value, (int, float))
                ]
                arrays = [part for part in pair if not isinstance(part, KnownValue)]
                layer = _layer_of(arrays[0]) if len(numbers) == len(arrays) == 1 else None
                if layer is not None:
                    data = {
                        "value": numbers[0].value,
                        "layer": layer.last,
                        "line": layer.line,
                        "path": layer.source.path,
                    }
                    yield Observation("features-compared", call.source, call.node, data, certain=False)


def _layer_of(value: Value | None) -> Call | None:
    """The layer whose outputs a value holds as they are. Numbers that are read out of the network are no mask."""
    for _ in range(STEPS):
        if not isinstance(value, Call) or stops_gradient(value):
            return None
        layer = value.applied
        if layer is not None and kind_of(layer) in ("dense", "embedding", "normalization", "convolution"):
            told = argument_of(layer, "activation") or argument_of(layer, "padding_idx")
            return layer if told is None else None
        value = value.result or next(iter(kept(value, *TAKEN) or []), None)
    return None
