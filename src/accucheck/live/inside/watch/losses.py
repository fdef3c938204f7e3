"""What the loss got: outputs of the network against labels, and the loss of each row where that can be told."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..fitting import against, counted_from, facts, log_softmax, pairs, spread_over
from ..measures import Array, short

#: The largest output that is looked at row by row, in elements.
LARGEST = 1 << 20


def compared(outputs: Array, labels: Array, loss: float | None, *, unchanged: bool = False) -> dict[str, Any]:
    """How outputs and labels go together; where labels are classes or shares of them, also what the rows of outputs are, and losses by row.

    `unchanged`: whether a loss of MindSpore's own was seen to take these very labels.
    `rows` of outputs: the least and greatest sum of a row, and of its exponentials: 1 for probabilities, or for their logarithms.
    `classes`: how many columns of scores. `losses` of rows are the cross entropy with outputs taken for scores, `own` the mean of them,
    `count` of these,
    `log` that of outputs taken for logarithms of probabilities, `nll` for probabilities: the one that the loss is equal to was computed.
    `pairs`: the losses of values and labels of the same shape.
    """
    found: dict[str, Any] = {"fit": facts(tuple(outputs.shape), labels)}
    if spread_over(outputs.shape, labels.shape):
        found["fit"]["against"] = "" if loss is None else against(outputs, labels, loss)
    classes = found["fit"]["classes"]
    counts_from_one = classes > 1 and found["fit"]["low"] >= 1 and found["fit"]["high"] == classes
    if counts_from_one and not unchanged:
        found["fit"]["against"] = "" if loss is None else counted_from(outputs, labels, loss)
    if outputs.size > LARGEST or outputs.dtype.kind != "f":
        return found
    if found["fit"]["classes"] <= 1 and (told := pairs(outputs, labels, loss)):
        found["pairs"] = told
    rows = _by_class(outputs, labels, found["fit"])
    if rows is None or not np.isfinite(rows[0]).all():
        return found
    scores, truth = rows
    logs = log_softmax(scores)
    sums = scores.sum(axis=1)
    found["rows"] = {
        "sum": [short(sums.min()), short(sums.max())],
        "low": short(scores.min()),
        "high": short(scores.max()),
        "exp": [short(value) for value in _exponentials(scores)],
    }
    found["own"] = short(-_expected(logs, truth))
    found["log"] = short(-_expected(scores, truth))
    if scores.min() >= 0:
        found["nll"] = short(-_expected(np.log(np.maximum(scores, 1e-12)), truth))
    found["classes"], found["count"] = scores.shape[1], len(truth)
    found["loss"] = None if loss is None else short(loss)
    best = truth if truth.ndim == 1 else truth.argmax(axis=1)
    found["right"] = short(float((scores.argmax(axis=1) == best).mean()))
    if labels.ndim == 1:
        found["losses"] = [short(value) for value in -logs[np.arange(len(truth)), truth]]
    return found


def _by_class(outputs: Array, labels: Array, fit: dict[str, Any]) -> tuple[Array, Array] | None:
    """Scores (rows, classes) in float64, and of each row its class or, where labels are shares of classes, these (rows, classes)."""
    classes = fit["classes"]
    if classes > 1 and not fit["beyond"]:
        apart = outputs.shape[1] == classes and outputs.shape[:1] + outputs.shape[2:] == labels.shape
        scores = np.moveaxis(outputs.astype(np.float64), 1 if apart else -1, -1)
        return scores.reshape(-1, classes), labels.reshape(-1)
    if outputs.shape != labels.shape or outputs.ndim < 2 or labels.min(initial=0) < 0:
        return None
    axis = next((one for one in (1, -1) if _shares(labels, one)), None)
    if axis is None:
        return None
    scores, truth = (np.moveaxis(one.astype(np.float64), axis, -1) for one in (outputs, labels))
    return scores.reshape(-1, scores.shape[-1]), truth.reshape(-1, scores.shape[-1])


def _shares(labels: Array, axis: int) -> bool:
    """Whether labels along an axis of two or more are shares of a whole, as one-hot ones are."""
    return labels.shape[axis] > 1 and bool(np.isclose(labels.sum(axis=axis, dtype=np.float64), 1, atol=1e-4).all())


def _expected(values: Array, truth: Array) -> float:
    """The mean over rows of the values (rows, classes) at the classes of the rows, or weighted by their shares."""
    if truth.ndim == 1:
        return float(values[np.arange(len(truth)), truth].mean())
    return float((values * truth).sum(axis=1).mean())


def _exponentials(scores: Array) -> tuple[float, float]:
    sums = np.exp(np.minimum(scores, 50)).sum(axis=1)
    return float(sums.min()), float(sums.max())
