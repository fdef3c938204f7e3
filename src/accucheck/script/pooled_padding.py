"""Averages over the places of a sequence that count its padding: of what a network makes of each place, with no mask before the average.

Which axis the places lie along is told by the layers: the features are the last, and the places come before them, behind the samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .axes import axis_of, rank
from .effects import effect, kept, operands
from .networks import kind_of
from .values import Call, Value

if TYPE_CHECKING:
    from .padded_columns import Graph

#: So many operations are looked at between an average and the layer that gave what it is of.
STEPS = 24
#: Layers that work on each place by itself, or on all with what is known of the padding.
_LAYERS = ("dense", "recurrent", "embedding", "normalization", "attention")


def averages(graph: Graph, read: list[Value]) -> Iterator[Call]:
    """The averages over all places of what is made of a column, by the values that are read of it."""
    above = graph.above(read)
    for made in graph.made:
        known = effect(made)
        if known is None or known.operation != "mean" or id(made) not in above or not operands(made):
            continue
        given = operands(made)[0]
        of, layer = rank(given), _layer(given)
        of_places = layer == "embedding" or (
            of.least >= 3 and of.exact in (None, 3)
        )  # of a sequence of words for each sample
        if layer and of_places and axis_of(made) in (1, -2):
            yield made


def _layer(value: Value | None) -> str:
    """The kind of layer that gave something for each place, where nothing but changes of type, or dropout, was done to it; "" for none."""
    for _ in range(STEPS):
        if not isinstance(value, Call):
            return ""
        made = value.base if value.name == "[]" else value
        kind = kind_of(made.base) if isinstance(made, Call) and made.name == "" else ""
        if kind == "recurrent" or (kind in _LAYERS and made is value):
            return kind
        inner = [value.result] if value.result is not None else kept(value, "same", "filled")
        value = inner[0] if inner is not None and len(inner) == 1 else None
    return ""
