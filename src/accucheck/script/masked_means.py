"""Losses of places that a mask leaves out, averaged over all places: the divisor counts the padding that the sum leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .effects import effect, kept, operands
from .factors import operation
from .values import Call

if TYPE_CHECKING:
    from .padded_columns import Graph

#: So many operations are looked at behind a product with a mask.
STEPS = 40


def mean_of_all(graph: Graph, masked: Call) -> Call | None:
    """The average over all places of what was multiplied by a mask, where nothing else made of the data makes up for it."""
    made = masked
    for _ in range(STEPS):
        users = graph.users.get(id(made), ())
        if len(users) != 1 or not isinstance(users[0], Call):
            return None
        made = users[0]
        known = effect(made)
        if known is not None and known.operation == "mean":
            return None if operation(made).operand(1, "axis", "dim") is not None or _is_rescaled(graph, made) else made
        if made.result is None and kept(made, "same", "order") is None:
            return None
    return None


def _is_rescaled(graph: Graph, mean: Call) -> bool:
    """Whether the average meets something else that is made of the data, as in mean(loss * mask) / mean(mask)."""
    above = graph.above([mean])
    data = graph.above([node for nodes in graph.read.values() for node in nodes]) - above
    met = (part for made in graph.made if id(made) in above and made is not mean for part in operands(made, (0, 1, 2)))
    return any(id(part) in data for part in met)
