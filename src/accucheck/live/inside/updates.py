"""A few steps of training with the user's loss, optimizer and data: which parameters get a gradient, and which of them move."""

from __future__ import annotations

import time
from typing import Any

from .network import Setup, numbers
from .pipeline import Tell, blamed


class ParameterUpdate:
    """Of one Parameter: the largest gradient seen, and whether it was finite."""

    def __init__(self, parameter: Any, held: bool) -> None:
        self.parameter, self.held = parameter, held
        self.before = numbers(parameter)
        self.gradient: float | None = None
        self.finite = True

    def see(self, gradient: Any) -> None:
        import numpy

        values = numbers(getattr(gradient, "values", gradient))  # of an embedding that takes sparse gradients
        most = float(numpy.abs(values).max()) if values.size else 0.0
        self.finite &= bool(numpy.isfinite(most))
        if numpy.isfinite(most):
            self.gradient = max(most, self.gradient or 0.0)

    def told(self) -> dict[str, Any]:
        import numpy

        after, before = numbers(self.parameter), self.before
        moved = bool((after != before).any())
        floating = before.dtype.kind == "f"
        change = float(numpy.abs(after - before).max()) if moved and floating else 0.0
        return {
            "name": self.parameter.name,
            "shape": list(self.parameter.shape),
            "floating": floating,
            "trainable": bool(self.parameter.requires_grad),
            "held": self.held,
            "gradient": self.gradient,
            "finite": self.finite,
            "moved": moved,
            "change": change if numpy.isfinite(change) else None,
        }


def examine(request: dict[str, Any], tell: Tell) -> None:
    setup = Setup(request, tell)
    batches = setup.batches(request["steps"])
    with blamed(request["network"]["call"], request["root"]):
        setup.network.init_parameters_data()
        setup.network.set_train(True)
    optimizer = setup.optimizer()
    held, weights = setup.weights(optimizer)
    known = {id(one) for one in held}
    every = {id(one): one for one in (*setup.network.get_parameters(), *held)}
    changes = {key: ParameterUpdate(one, key in known) for key, one in every.items()}
    deadline = time.monotonic() + request["seconds"]
    losses: list[float] = []
    for step in range(request["steps"]):
        loss, gradients = setup.gradients(batches[step % len(batches)], weights)
        losses.append(float(loss))
        for one, gradient in zip(weights, gradients):  # noqa: B905  (Python 3.9)
            changes[id(one)].see(gradient)
        with blamed((request.get("optimizer") or request["network"])["call"], request["root"]):
            optimizer(tuple(gradients[: len(held)]))
        tell(event="progress", done=len(losses), total=request["steps"])
        if time.monotonic() > deadline:
            break
    tell(event="updates", steps=len(losses), found=[change.told() for change in changes.values()])
