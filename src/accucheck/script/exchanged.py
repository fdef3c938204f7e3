"""Losses that are given labels in the place of the prediction and the prediction in that of the labels.

The prediction is what weights compute; labels are data. A loss that treats its two arguments differently is used wrongly where the first
is seen to be data alone, and a gradient reaches weights through the second.
"""

from __future__ import annotations

from collections.abc import Iterator

from .freezing import may_hold_weights, reach
from .losses import Application, Losses, Observation, known_name


def examine(losses: Losses) -> Iterator[Observation]:
    """Each such application of a loss."""
    for one in losses.applications:
        prediction, labels = one.prediction, one.labels
        if prediction is None or labels is None or not _tells_them_apart(one):
            continue
        swapped = bool(reach(labels, stop=True)[0]) and not reach(prediction, stop=False)[0]
        if swapped and not may_hold_weights(prediction, stop=False, since=_differentiated_at(losses, one)):
            names = [*one.known.inputs, *one.known.positional][:2]
            yield Observation("arguments-exchanged", one.place, {"loss": known_name(one), "first": names[0]})


def _tells_them_apart(application: Application) -> bool:
    """Whether a loss wants scores or probabilities and labels. A divergence is used both ways round."""
    known = application.known
    return known.expects in ("logits", "probabilities") or known.labels == "classes"


def _differentiated_at(losses: Losses, application: Application) -> int:
    """When the function began to run whose gradient is taken and that applies a loss; 0 where that is not seen. What was there before
    is data to it."""
    nodes = {id(call.node) for call, _ in losses.trained}
    time = application.place.order
    runs = (run for run in losses.trace.frames if id(run.node) in nodes and run.order <= time <= run.end)
    return max((run.order for run in runs), default=0)
