"""Training on one fixed batch until it is learnt by heart, from the weights as built and at one or more learning rates.

Dropout is off, BatchNorm in training mode; Adam without weight decay updates the trainable parameters in memory. No file is written.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from typing import Any

from .network import Batch, Setup
from .pipeline import Tell, blamed
from .targets import first_scores, learnt, paired

#: Steps between looks at the output.
EVERY = 10
#: Steps without a gradient and without a change of the loss after which there will be none.
STILL = 30
#: Steps over which all samples have had one and the same output, bit by bit, after which they will keep it at any rate.
SAME = 100
#: Layers that are random in training.
RANDOM = re.compile(r"drop_?(out|path|connect|block)|stochastic_?depth", re.I)


def examine(request: dict[str, Any], tell: Tell) -> None:
    """Tells "batch", then "attempt" for each rate until one of them has learnt request["least"]."""
    import mindspore

    setup = Setup(request, tell)
    deadline = time.monotonic() + request["seconds"]
    call = request["network"]["call"]
    with blamed(call, setup.root):
        setup.network.init_parameters_data()
        start = [(one, one.asnumpy().copy()) for one in setup.network.get_parameters()]
        mode(setup)
    trainable = len(setup.trained())
    batch = cut(setup, setup.batches(1)[0], request["samples"])
    facts = described(setup, batch)
    tell(event="batch", parameters=len(start), trainable=trainable, **facts)
    if not trainable:
        return
    rates = request["rates"]
    for number, rate in enumerate(rates):
        left = deadline - time.monotonic()
        if left <= 0:
            return
        for one, value in start:
            one.set_data(mindspore.Tensor(value, one.dtype))
        until = time.monotonic() + left / min(2, len(rates) - number)
        if attempt(setup, batch, rate, {**request, "best": facts["best"]}, until, tell) in ("fitted", "still", "same"):
            return


def mode(setup: Setup) -> None:
    setup.network.set_train(True)
    for _, cell in setup.network.cells_and_names():
        if RANDOM.search(type(cell).__name__):
            cell.set_train(False)


def cut(setup: Setup, batch: Batch, samples: int) -> Batch:
    """The first samples of a batch; the whole one where the network wants its number of samples."""
    rows = len(setup.columns(batch, setup.inputs)[0])
    part = [one[:samples] if one.shape and len(one) == rows else one for one in batch]
    if rows <= samples:
        return batch
    try:
        setup.loss_of(part).asnumpy()
    except Exception:
        return batch
    return part


def described(setup: Setup, batch: Batch) -> dict[str, Any]:
    """The size of a batch, whether its inputs differ, and equal inputs that have different labels."""
    inputs, labels = setup.columns(batch, setup.inputs), setup.columns(batch, setup.labels)
    rows = len(inputs[0]) if inputs[0].shape else 1
    told: dict[str, Any] = {"samples": rows, "conflicts": 0, "best": 1.0, "differ": True}
    if not all(hasattr(one, "asnumpy") and one.shape and len(one) == rows for one in inputs + labels):
        return told
    keys = [b"".join(one[row].asnumpy().tobytes() for one in inputs) for row in range(rows)]
    told["differ"] = len(set(keys)) > 1
    if labels:
        answers = [b"".join(one[row].asnumpy().tobytes() for one in labels) for row in range(rows)]
        groups: dict[bytes, Counter[bytes]] = {}
        for key, answer in zip(keys, answers):  # noqa: B905  (Python 3.9)
            groups.setdefault(key, Counter())[answer] += 1
        told["conflicts"] = sum(sum(group.values()) for group in groups.values() if len(group) > 1)
        told["best"] = sum(max(group.values()) for group in groups.values()) / rows
    return told


def attempt(setup: Setup, batch: Batch, rate: float, request: dict[str, Any], deadline: float, tell: Tell) -> str:
    """Tells "attempt" and gives how it ended: fitted, still, same, not-finite, steps or seconds."""
    import numpy
    from mindspore import nn

    with blamed(request["network"]["call"], setup.root):
        optimizer = nn.Adam(setup.trained(), learning_rate=rate)
    losses: list[float] = []
    zero: list[int] = []
    state: dict[str, Any] = {}
    steps, end, one_output = request["steps"], "steps", True
    for step in range(steps + 1):
        loss, grads = setup.gradients(batch)
        losses.append(float(loss.asnumpy()))
        if not numpy.isfinite(losses[-1]):
            end = "not-finite"
            break
        if step % EVERY == 0 or step == steps:
            state = looked(setup, batch)
            tell(event="progress", done=step, total=steps)
            if state["learnt"] is None and losses[0] > 0:
                state["learnt"] = 1 - losses[-1] / losses[0]
            if fitted(state, request):
                end = "fitted"
                break
            one_output = one_output and state["spread"] == 0
            if one_output and step >= SAME:
                end = "same"
                break
        if step in (0, STILL):
            zero.append(sum(not grad.asnumpy().any() for grad in grads))
        if step == STILL and min(zero) == len(grads) and len(set(losses)) == 1:
            end = "still"
            break
        if time.monotonic() > deadline:
            end = "seconds"
            break
        optimizer(grads)
    finite = [value if numpy.isfinite(value) else None for value in losses]
    tell(event="attempt", rate=rate, end=end, losses=finite, zero=zero[0] if zero else 0, **state)
    return end


def fitted(state: dict[str, Any], request: dict[str, Any]) -> bool:
    """Whether the batch is learnt; where equal inputs have different labels, as far as it can be."""
    if state["accuracy"] is not None and request["best"] < 1:
        return bool(state["accuracy"] >= request["least"] * request["best"])
    return state["learnt"] is not None and bool(state["learnt"] >= request["least"])


def looked(setup: Setup, batch: Batch) -> dict[str, Any]:
    """What the output has got of the labels, and how much it differs by sample, as a share of its largest value."""
    import numpy

    state: dict[str, Any] = {"kind": None, "learnt": None, "accuracy": None, "spread": None}
    if setup.loss is None:
        return state
    output = setup.output(batch)
    pair = paired(output, setup.columns(batch, setup.labels))
    if pair is not None:
        state["kind"] = pair[0]
        state["learnt"], state["accuracy"] = learnt(*pair)
        state["constant"] = state["learnt"] is None
    values = first_scores(output)
    if values is not None and values.ndim and len(values) > 1 and numpy.isfinite(values).all():
        highest = float(numpy.abs(values).max())
        state["spread"] = float(numpy.ptp(values, axis=0).max()) / highest if highest else 0.0
    return state
