"""What a batch asks of the network's output: a class, yes or no, or values; and how much of it the output has got."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fitting import log_softmax

Array = Any  # a numpy.ndarray


def first_scores(value: Any) -> Array | None:
    """A floating-point tensor, or the first one of several, as float64; None where there is none."""
    import mindspore

    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        value = value[0] if value else None
    if not isinstance(value, mindspore.Tensor) or not value.is_floating_point():
        return None
    return value.astype(mindspore.float32).asnumpy().astype("float64")


def paired(output: Any, labels: Sequence[Any]) -> tuple[str, Array, Array] | None:
    """Answers and labels in one form; None where the output does not go with one column of labels.

    "classes": scores (M, K) and classes (M,) int; "binary": scores (M,) and bool (M,); "values": (M, D) and (M, D) float64.
    M counts all that has a label of its own, as the tokens of texts; what lies outside of 0 to K - 1 is left out.
    """
    import numpy

    scores = first_scores(output)
    if scores is None or len(labels) != 1 or not hasattr(labels[0], "asnumpy"):
        return None
    truth = labels[0].asnumpy()
    if not truth.size or not scores.ndim:
        return None
    whole = truth.dtype.kind in "iub"
    for side in (truth, scores):
        if truth.ndim != scores.ndim and side.ndim > 1 and side.shape[-1] == 1:
            truth, scores = (truth[..., 0], scores) if side is truth else (truth, scores[..., 0])
    if whole and scores.ndim == truth.ndim and truth.shape[-1] == 1 < scores.shape[-1]:
        truth = truth[..., 0]
    if whole and scores.ndim == truth.ndim + 1:
        if scores.shape[:-1] != truth.shape:
            scores = numpy.moveaxis(scores, 1, -1)  # (N, K, H, W)
        if scores.shape[:-1] != truth.shape:
            return None
        scores, truth = scores.reshape(-1, scores.shape[-1]), truth.reshape(-1).astype(numpy.int64)
        kept = (truth >= 0) & (truth < scores.shape[1])
        return ("classes", scores[kept], truth[kept]) if kept.any() else None
    if scores.shape != truth.shape:
        return None
    if numpy.isin(truth, (0, 1)).all():
        if truth.ndim == 2 and truth.shape[1] > 1 and (truth.sum(axis=1) == 1).all():
            return "classes", scores, truth.argmax(axis=1)
        return "binary", scores.reshape(-1), truth.reshape(-1) > 0
    return (
        None if whole else ("values", *(side.reshape(len(side), -1).astype(numpy.float64) for side in (scores, truth)))
    )


def learnt(kind: str, answers: Array, truth: Array) -> tuple[float | None, float | None]:
    """How much is learnt of what no constant answer gets, at most 1, and the accuracy. None where a constant answer gets all.

    The accuracy of "binary" is that of the best threshold, since the output may be a probability or not; "values" have none.
    """
    import numpy

    if kind == "values":
        left, spread = ((answers - truth) ** 2).mean(), truth.var(axis=0).mean()
        return (float(1 - left / spread) if spread > 0 else None), None
    if kind == "classes":
        accuracy, base = (answers.argmax(axis=1) == truth).mean(), numpy.bincount(truth).max() / len(truth)
    else:
        order = numpy.argsort(answers)
        values, right = answers[order], truth[order]
        # Right answers when all above a place are called true, at places between different values.
        above = numpy.append(right[::-1].cumsum()[::-1], 0)
        below = numpy.append(0, (~right).cumsum())
        between = numpy.concatenate([[True], values[1:] > values[:-1], [True]])
        accuracy, base = (above + below)[between].max() / len(truth), max(truth.mean(), 1 - truth.mean())
    return (float((accuracy - base) / (1 - base)) if base < 1 else None), float(accuracy)


def cross_entropy(scores: Array, truth: Array) -> float:
    """The mean over rows of scores (M, K) as logits, in nat."""
    import numpy

    logs = log_softmax(scores)
    return float(-logs[numpy.arange(len(truth)), truth].mean())
