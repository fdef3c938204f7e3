"""Sums over gradients of single batches, from which the gradient noise scale follows; no update, no file written."""

from __future__ import annotations

import time
from typing import Any

from .network import Batch, Setup, Tensor
from .pipeline import Tell


def examine(request: dict[str, Any], tell: Tell) -> None:
    """Tells "noise" for the network as built, and again with request["checkpoint"] in it."""
    setup = Setup(request, tell)
    setup.network.init_parameters_data()
    stages = ["built", *(["current"] if request.get("checkpoint") else [])]
    for number, stage in enumerate(stages):
        if stage == "current":
            tell(event="lacking", count=len(setup.load(request["checkpoint"])))
        elif not setup.trained():
            return
        deadline = time.monotonic() + request["seconds"] / len(stages)
        setup.network.set_train(True)
        size, groups = measured(setup, request["group"], request["groups"], deadline, tell, number * request["groups"])
        tell(event="noise", stage=stage, size=size, groups=groups)


def measured(
    setup: Setup, group: int, most: int, deadline: float, tell: Tell, before: int
) -> tuple[int, list[list[float]]]:
    """The samples of a batch; and of each group of batches the mean of |g|² and |mean of g|², g the gradient of one batch."""
    size, found = 0, []
    small: list[float] = []
    total: list[Any] = []
    for batch in setup.each_batch():
        rows = samples(setup, batch)
        size = size or rows
        if rows != size:
            continue  # the rest of an epoch
        _, grads = setup.gradients(batch)
        parts = [flat(one) for one in grads]
        small.append(sum(float(part @ part) for part in parts))
        total = [one + part for one, part in zip(total, parts)] if total else parts  # noqa: B905  (Python 3.9)
        if len(small) == group:
            large = sum(float(part @ part) for part in total) / group**2
            found.append([sum(small) / group, large])
            small, total = [], []
            tell(event="progress", done=before + len(found))
        if len(found) == most or time.monotonic() > deadline:
            break
    return size, found


def samples(setup: Setup, batch: Batch) -> int:
    first = setup.columns(batch, setup.inputs)[0]
    return int(first.shape[0]) if first.shape else 1


def flat(grad: Tensor) -> Any:
    import mindspore

    return grad.astype(mindspore.float32).asnumpy().astype("float64").reshape(-1)
