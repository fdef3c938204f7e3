"""Terms of a loss that are computed with a network and through which no gradient gets back to it, as of predictions that were rounded or
compared with a threshold. What is held back with stop_gradient is meant so, but for the scores that a loss compares with labels."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .direction import Directions, minimised, trained_layers
from .effects import effect
from .freezing import reach
from .losses import Losses, Observation, applied
from .training_steps import training
from .values import Call, Value


def examine(losses: Losses) -> Iterator[Observation]:
    """Each such term beside one that a gradient gets through."""
    trained = trained_layers(losses)
    if not trained:
        return
    directions = Directions(trained)
    told: set[int] = set()
    for value in minimised(losses, training(losses.reading)):
        terms = list(directions.parts(value))
        if not any(reach(term, stop=True)[0] & trained for term in terms):
            continue  # nothing is trained at all, which is told elsewhere
        for term in terms:
            stop = _stop(term, trained)
            if stop is not None and id(stop.node) not in told:
                told.add(id(stop.node))
                place = term if isinstance(term, Call) else stop
                yield Observation("term-without-gradient", place, {"what": _written(stop)}, stop, certain=False)


def _written(stop: Call) -> str:
    return stop.source.segment(stop.node, 60) if isinstance(stop.node, ast.expr) else stop.last


def _stop(term: Value, trained: set[int]) -> Call | None:
    """What keeps the gradient of a term from all trained weights that it is computed with, where that is not meant; the term itself where
    scores of a network that is not trained are compared with labels."""
    reached, stops = reach(term, stop=True)
    behind = reach(term, stop=False)[0]
    judged = term if isinstance(term, Call) and _judges_scores(term) else None
    if reached & trained:
        return None
    if not behind & trained:
        return judged if behind else None
    meant = any((known := effect(stop)) is not None and known.operation == "stop_gradient" for stop in stops)
    return stops[0] if stops and (judged is not None or not meant) else None


def _judges_scores(term: Call) -> bool:
    """Whether a term is a loss of scores of classes."""
    loss = applied(term)
    return loss is not None and loss.known.expects == "logits"
