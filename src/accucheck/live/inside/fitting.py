"""How the outputs of a network and the labels go together: shapes, and values of labels against the number of outputs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

Array = Any  # a numpy.ndarray

#: Different labels beyond the outputs that are told.
MOST = 8
#: Values of a batch up to which each is set against all: tables of 8 MB.
MANY = 1024
#: How close a loss must be to one that was computed in float64, as a share of it: one in 16 bits is not told.
CLOSE = 1e-5


def facts(outputs: tuple[int, ...], labels: Array) -> dict[str, Any]:
    """What is to be said of one batch: outputs of this shape, labels as an array. JSON-plain.

    `classes` is the number of outputs where each label is the number of one of them, else 0; `beyond` are the labels that none stands for.
    """
    import numpy

    whole = labels.dtype.kind in "iu" and bool(labels.size)
    found: dict[str, Any] = {"outputs": list(outputs), "labels": list(labels.shape), "whole": whole, "classes": 0}
    if whole:
        found |= {"low": int(labels.min()), "high": int(labels.max()), "beyond": []}
        found["classes"] = count = classes_of(outputs, labels.shape)
        if count:
            found["beyond"] = numpy.unique(labels[(labels < 0) | (labels >= count)])[:MOST].tolist()
    return found


def spread_over(outputs: Sequence[int], labels: Sequence[int]) -> list[int]:
    """The shape that both spread to where neither has it already, as (N, 1) and (N,) do; [] where they do not."""
    wide = max(len(outputs), len(labels))
    one, other = ([1] * (wide - len(shape)) + list(shape) for shape in (outputs, labels))
    if any(a != b and 1 not in (a, b) for a, b in zip(one, other, strict=True)):
        return []
    both = [max(a, b) for a, b in zip(one, other, strict=True)]
    return both if both not in (list(outputs), list(labels)) else []


def against(outputs: Array, labels: Array, loss: float) -> str:
    """How a loss set two arrays against each other that spread over each other and have as many values, as (N, 1) and (N,).

    "each" where the loss is that of each sample with its own label, "all" where it is that of each sample with the labels of all, ""
    where it is neither or both: a mean or sum of squares, absolute differences, Huber's loss or a binary cross entropy.
    """
    import numpy

    if outputs.size != labels.size or outputs.size > MANY:
        return ""
    given, truth = (array.astype(numpy.float64).reshape(-1) for array in (outputs, labels))
    ways = {"each": (given, truth), "all": (given[:, None], truth[None, :])}
    with numpy.errstate(all="ignore"):
        losses = {
            name: [one for kind in PAIRWISE.values() for one in _reduced(kind(*pair))] for name, pair in ways.items()
        }
    found = [name for name, values in losses.items() if numpy.isclose(values, loss, rtol=CLOSE, atol=0).any()]
    return found[0] if len(found) == 1 and numpy.isfinite(loss) else ""


def pairs(outputs: Array, labels: Array, loss: float | None) -> dict[str, Any]:
    """What a batch of outputs and labels of as many values amounts to: ranges, and by name of the loss its mean and its sum.

    `against`: whether a loss of one value by row is that of each with its own label or with the labels of all, as against() tells.
    `zeros`: the share of outputs that are exactly 0. `under`, `over`: the shares of labels below and above all outputs. {} where the shapes
    differ in more than axes of length 1, or values are not finite.
    """
    import numpy

    from .measures import short

    lengths = [[length for length in array.shape if length > 1] for array in (outputs, labels)]
    if lengths[0] != lengths[1] or outputs.dtype.kind != "f" or not outputs.size:
        return {}
    given, truth = (array.astype(numpy.float64).reshape(-1) for array in (outputs, labels))
    if not (numpy.isfinite(given).all() and numpy.isfinite(truth).all()):
        return {}
    with numpy.errstate(all="ignore"):
        losses = {name: _reduced(kind(given, truth)) for name, kind in PAIRWISE.items()}
    low, high = float(given.min()), float(given.max())
    return {
        "outputs": [short(low), short(high)],
        "labels": [short(float(truth.min())), short(float(truth.max()))],
        "zeros": short(float((given == 0).mean())),
        "under": short(float((truth < low).mean())),
        "over": short(float((truth > high).mean())),
        "count": int(given.size),
        "loss": None if loss is None else short(loss),
        "against": against(outputs, labels, loss) if loss is not None and outputs.size == len(outputs) else "",
        "losses": {name: [short(one) for one in values] for name, values in losses.items()},
    }


def log_softmax(scores: Array) -> Array:
    """The logarithms of the probabilities that scores of shape (N, K) stand for."""
    import numpy

    top = scores.max(axis=1, keepdims=True)
    logs: Array = scores - top - numpy.log(numpy.exp(scores - top).sum(axis=1, keepdims=True))
    return logs


def counted_from(outputs: Array, labels: Array, loss: float) -> str:
    """How a loss takes labels that run from 1 to the number of outputs.

    "one" where it is the cross entropy with labels less 1, "nought" where it is that with labels as they are and nothing for those without
    an output, as one_hot makes of them; "" where it is neither or both: means and sums over the rows of float outputs (N, K).
    """
    import numpy

    if outputs.ndim != 2 or outputs.size > MANY**2 or not numpy.isfinite(outputs).all():
        return ""
    logs = log_softmax(outputs.astype(numpy.float64))
    rows, count = numpy.arange(len(labels)), outputs.shape[1]
    inside = labels < count
    by_way = {
        "one": -logs[rows, labels - 1],
        "nought": numpy.where(inside, -logs[rows, numpy.where(inside, labels, 0)], 0.0),
    }
    found = [
        way
        for way, losses in by_way.items()
        if numpy.isclose([losses.mean(), losses.sum()], loss, rtol=1e-4, atol=0).any()
    ]
    return found[0] if len(found) == 1 else ""


def _reduced(table: Array) -> tuple[float, float]:
    return float(table.mean()), float(table.sum())


def _square(given: Array, truth: Array) -> Array:
    return (given - truth) ** 2


def _difference(given: Array, truth: Array) -> Array:
    return abs(given - truth)


def _huber(given: Array, truth: Array) -> Array:
    import numpy

    off = numpy.abs(given - truth)
    return numpy.where(off < 1, 0.5 * off**2, off - 0.5)


def _cross_entropy(given: Array, truth: Array) -> Array:
    """Of probabilities; not a number beyond them."""
    import numpy

    return -(truth * numpy.log(given) + (1 - truth) * numpy.log(1 - given))


def _cross_entropy_of_logits(given: Array, truth: Array) -> Array:
    import numpy

    return numpy.maximum(given, 0) - given * truth + numpy.log1p(numpy.exp(-numpy.abs(given)))


#: Losses of one value and its label, as most are that take both in one shape.
PAIRWISE = {
    "square": _square,
    "difference": _difference,
    "huber": _huber,
    "of-probabilities": _cross_entropy,
    "of-logits": _cross_entropy_of_logits,
}


def classes_of(outputs: tuple[int, ...], labels: tuple[int, ...]) -> int:
    """The length of the axis of outputs that labels lack: the second (N, K, ...), else the last; 0 where they lack none."""
    if len(outputs) != len(labels) + 1 or len(outputs) < 2:
        return 0
    if outputs[:1] + outputs[2:] == tuple(labels):
        return outputs[1]
    return outputs[-1] if outputs[:-1] == tuple(labels) else 0


def examine(request: dict[str, Any], tell: Any) -> None:
    """Tells "fit" with the facts of each batch, "own-loss" where the network takes the labels itself, "not-one" where there is no pair of
    one tensor of outputs and one column of labels. The network is run on the first batch alone."""
    import mindspore

    from .columns import labels_of
    from .network import Setup

    setup = Setup(request, tell)
    end = time.monotonic() + request["seconds"]
    shape: tuple[int, ...] = ()
    for number, batch in enumerate(setup.each_batch()):
        names = setup.labels or [
            name
            for name in setup.names
            if name in labels_of(setup.names, request.get("label")) and name not in setup.inputs
        ]
        if not names:
            tell(event="own-loss")
            return
        labels = setup.columns(batch, names)
        if not number:
            setup.network.set_train(False)
            output = setup.output(batch)
            shape = output.shape if isinstance(output, mindspore.Tensor) else ()
        if len(labels) != 1 or not shape or not hasattr(labels[0], "asnumpy"):
            tell(event="not-one")
            return
        values = labels[0].asnumpy()
        told = facts((values.shape[0] if number and values.ndim else shape[0], *shape[1:]), values)
        if not number and setup.loss is not None and spread_over(shape, values.shape):
            told["against"] = against(output.asnumpy(), values, float(setup.loss_from(output, batch).asnumpy()))
        tell(event="fit", **told)
        if number + 1 >= request["batches"] or time.monotonic() > end:
            return
