"""A softmax along another axis than that of the classes: over the samples of a batch, or the places of a picture.

Judged where its logarithm is taken, or a loss takes the same scores as those of classes, and where the scores are seen to be the outputs
of a layer, whose axis the layer tells. Candidates that share one output each, as in ranking, are left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from . import flow
from .attention import softmax_axis
from .axes import axis_of, place, rank, width
from .double_softmax import handed_on
from .effects import effect, name_of, operands
from .losses import Application, Head, Losses, Observation, heads
from .networks import outputs
from .values import Call, Instance, Value, unseen


def examine(losses: Losses) -> Iterator[Observation]:
    """Each such softmax."""
    told: set[int] = set()
    classified = {_layer(head) for one in losses.applications if _takes_scores(one) for head in one.heads}
    for call in losses.trace.calls:
        logged = _logged(call)
        for made in logged or _beside_loss(losses, call, classified):
            layer = _layer_along_another(losses, made, classes=not logged)
            if layer is not None and id(made.node) not in told and not (_made_up(made) or _ranks(losses, made)):
                told.add(id(made.node))
                data = {"softmax": name_of(made).rsplit(".", 1)[-1], "layer": layer.last}
                yield Observation("classes-along-another", made, data, layer, certain=False)


def _logged(call: Call) -> list[Call]:
    """The softmax whose logarithm a call gives: itself, or what the probabilities come from that it is given."""
    known = effect(call)
    if known is None:
        return []
    if known.operation == "log_softmax":
        return [call]
    given = operands(call)[:1] if known.gives == "log" else []
    found = [head.made for value in given for head in heads(value) if head.gives == "probabilities"]
    return [made for made in found if isinstance(made, Call)]


def _takes_scores(application: Application) -> bool:
    """Whether a loss takes scores of classes, along the axis of the outputs of a layer."""
    known = application.known
    return known.expects == "logits" and known.labels in ("classes", "classes or probabilities")


def _layer(head: Head) -> int:
    """The id of the layer that a prediction comes from, which may be followed in several runs of its network."""
    return id(head.made.base if isinstance(head.made, Call) and head.made.base is not None else head.made)


def _beside_loss(losses: Losses, call: Call, classified: set[int]) -> list[Call]:
    """A softmax of scores that a loss takes as those of classes."""
    known = effect(call)
    if known is None or known.operation != "softmax":
        return []
    return [call] if any(_layer(head) in classified for value in _scores(losses, call) for head in heads(value)) else []


def _made_up(made: Call) -> bool:
    """True for code in a function without a visible caller; construct of an instantiated cell is called by Model and does not count."""
    owner = made.frame.owner if made.frame is not None else None
    is_made = isinstance(owner, Instance) and not isinstance(owner.node, ast.ClassDef)
    return unseen(made.frame) and not is_made


def _ranks(losses: Losses, made: Call) -> bool:
    """Whether the logarithms are weighed by what sums up to 1 along their own axis: a list of samples is ranked by each output."""
    for call in losses.trace.calls:
        known, given = effect(call), operands(call, (0, 1))
        if known is None or known.operation != "mul" or len(given) != 2:
            continue
        for logs, weights in (given, given[::-1]):
            shares = (head.made for head in heads(weights) if head.gives == "probabilities")
            along = [axis_of(share) for share in shares if isinstance(share, Call) and share is not made]
            if along and flow.derives(logs, made) and all(axis == axis_of(made) for axis in along):
                return True
    return False


def _layer_along_another(losses: Losses, made: Call, *, classes: bool) -> Call | None:
    """The layer whose several outputs lie along another axis than that of a softmax over them. `classes`: a loss takes these outputs as
    scores of classes, which are several."""
    for scores in _scores(losses, made):
        told, found = axis_of(made), width(scores)
        axis = place(told, rank(scores)) if told is not None else softmax_axis(made, "log_softmax")
        if found is None or axis is None:
            continue
        layer, at = found
        several = classes or outputs(layer) not in (None, 1)
        if at.exact and several and axis.is_not(at.high):
            return layer
    return None


def _scores(losses: Losses, made: Call) -> list[Value]:
    """What a softmax is taken of; for what a loss cell is given by the Model that it is for, what the network gives."""
    given = operands(made)[:1]
    return [head.made for value in given for head in handed_on(losses, made.frame, Head("", "", value))]
