"""What the loss got: outputs of the network against labels, and the loss of each row where that can be told."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..fitting import against, counted_from, facts, log_softmax, spread_over
from ..measures import Array, short

#: The largest output that is looked at row by row, in elements.
LARGEST = 1 << 20


def compared(outputs: Array, labels: Array, loss: float | None, *, unchanged: bool = False) -> dict[str, Any]:
    """How outputs and labels go together; where labels are classes, also what the rows of outputs are, and losses by row.

    `unchanged`: whether a loss of MindSpore's own was seen to take these very labels.
    `rows` of outputs: the least and greatest sum of a row, and of its exponentials: 1 for probabilities, or for their logarithms.
    `classes`: how many columns of scores. `losses` of rows are the cross entropy with outputs taken for scores, `own` the mean of them,
    `count` of these,
    `log` that of outputs taken for logarithms of probabilities, `nll` for probabilities: the one that the loss is equal to was computed.
    """
    found: dict[str, Any] = {"fit": facts(tuple(outputs.shape), labels)}
    if spread_over(outputs.shape, labels.shape):
        found["fit"]["against"] = "" if loss is None else against(outputs, labels, loss)
    classes = found["fit"]["classes"]
    counts_from_one = classes > 1 and found["fit"]["low"] >= 1 and found["fit"]["high"] == classes
    if counts_from_one and not unchanged:
        found["fit"]["against"] = "" if loss is None else counted_from(outputs, labels, loss)
    fits = classes > 1 and not found["fit"]["beyond"] and outputs.size <= LARGEST and outputs.dtype.kind == "f"
    if not fits:
        return found
    axis = 1 if outputs.shape[1] == classes and outputs.shape[:1] + outputs.shape[2:] == labels.shape else -1
    scores = np.moveaxis(outputs.astype(np.float64), axis, -1).reshape(-1, classes)
    truth = labels.reshape(-1)
    if not np.isfinite(scores).all():
        return found
    logs = log_softmax(scores)
    picked = np.arange(len(truth)), truth
    sums = scores.sum(axis=1)
    found["rows"] = {
        "sum": [short(sums.min()), short(sums.max())],
        "low": short(scores.min()),
        "high": short(scores.max()),
        "exp": [short(value) for value in _exponentials(scores)],
    }
    found["own"] = short(float(-logs[picked].mean()))
    found["log"] = short(float(-scores[picked].mean()))
    if scores.min() >= 0:
        found["nll"] = short(float(-np.log(np.maximum(scores[picked], 1e-12)).mean()))
    found["classes"], found["count"] = int(classes), len(truth)
    found["loss"] = None if loss is None else short(loss)
    found["right"] = short(float((scores.argmax(axis=1) == truth).mean()))
    if labels.ndim == 1:
        found["losses"] = [short(value) for value in -logs[picked]]
    return found


def _exponentials(scores: Array) -> tuple[float, float]:
    sums = np.exp(np.minimum(scores, 50)).sum(axis=1)
    return float(sums.min()), float(sums.max())
