"""Attention without a mask in a model that is trained to predict what comes next: each place sees the word that it is to predict.

Judged where queries and keys are both made of the sequence that the labels are cut out of, one place later; keys of another sequence, as of
an encoder, hold no such words.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from . import flow, triangles
from .analysis import Scripts
from .effects import MOVED, effect, kept, operands
from .factors import comparison, operation
from .networks import Observation, first_of_place
from .unshifted import Prediction, predictions
from .values import Call, KnownValue, Value

#: Values within values are looked into so far.
DEPTH = 24


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    for one in predictions(scripts):
        if one.ahead != 1 or any(triangles.seen(call) == triangles.PAST for call in one.onward):
            continue
        for call in one.onward:
            hides_padding = partial(_is_padding, one)
            if triangles.attends(call) and _looks_at_itself(triangles.open_product(call, hides_padding), one):
                data = {"line": one.loss.line, "path": one.loss.source.path}
                yield Observation("future-open", call.source, call.node, data, certain=False)


def _is_padding(one: Prediction, mask: Value, depth: int = 0) -> bool:
    """Whether a mask is made of comparisons of the words that are looked up with a number, and of nothing else."""
    if not isinstance(mask, Call) or depth > DEPTH:
        return False
    if mask.result is not None:
        return _is_padding(one, mask.result, depth + 1)
    known = effect(mask)
    if comparison(mask) in ("==", "!=", ">"):
        sides = [side for side in operands(mask, (0, 1)) if not isinstance(side, KnownValue)]
        words = [looked_up.args[0] for looked_up in one.looked_up]
        return len(sides) == 1 and any(sides[0] is word for word in words)
    name = known.operation if known is not None else operation(mask).name
    joined = name in ("logical_and", "logical_or", "logical_not", "bitwise_and", "and", "or", "~")
    inner = operands(mask, (0, 1)) if joined else kept(mask, *MOVED, "same", "values") or []
    return bool(inner) and all(_is_padding(one, part, depth + 1) for part in inner)


def _looks_at_itself(product: Call | None, one: Prediction) -> bool:
    """Whether queries and keys are both made of what is looked up."""
    pair = operands(product, (0, 1)) if product is not None else []
    return len(pair) == 2 and all(any(flow.derives(side, word) for word in one.looked_up) for side in pair)
