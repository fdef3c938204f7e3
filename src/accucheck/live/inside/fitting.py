"""How the outputs of a network and the labels go together: shapes, and values of labels against the number of outputs."""

from __future__ import annotations

import time
from typing import Any

Array = Any  # a numpy.ndarray

#: Different labels beyond the outputs that are told.
MOST = 8


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
        tell(event="fit", **facts((values.shape[0] if number and values.ndim else shape[0], *shape[1:]), values))
        if number + 1 >= request["batches"] or time.monotonic() > end:
            return
