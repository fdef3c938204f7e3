"""Attention without a mask in a model that is trained to predict what comes next: each place sees the word that it is to predict.

Judged where queries and keys are both made of the sequence that the labels are cut out of, one place later; keys of another sequence, as of
an encoder, hold no such words.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import flow, triangles
from .analysis import Scripts
from .effects import operands
from .networks import Observation, first_of_place
from .unshifted import Prediction, predictions
from .values import Call


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for one in predictions(scripts):
        if one.ahead != 1 or any(triangles.seen(call) == triangles.PAST for call in one.onward):
            continue
        for call in one.onward:
            if triangles.attends(call) and _looks_at_itself(triangles.open_product(call), one):
                data = {"line": one.loss.line, "path": one.loss.source.path}
                yield Observation("future-open", call.source, call.node, data, certain=False)


def _looks_at_itself(product: Call | None, one: Prediction) -> bool:
    """Whether queries and keys are both made of what is looked up."""
    pair = operands(product, (0, 1)) if product is not None else []
    return len(pair) == 2 and all(any(flow.derives(side, word) for word in one.looked_up) for side in pair)
