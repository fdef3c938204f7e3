"""Task: a learning rate range test. Trains the user's network while the rate rises step by step, then puts all weights back.

Every step is an event: rate, loss, and accuracy where scores and labels are those of classes. It stops where
the loss is no number any more, or has become a multiple of its best.
"""

from __future__ import annotations

import hashlib
import math
import warnings
from typing import Any

import numpy as np

from .network import Batch, Cell, Setup, described, numbers
from .pipeline import EndRun, Tell, blamed
from .targets import paired

#: Steps, where none are given: this many epochs, but enough for a curve and not more than it needs.
EPOCHS, LEAST, MOST = 8, 400, 2000
#: The loss is smoothed and compared with its best as fastai's lr_find does. It must also have come back over half of its beginning:
#: a loss near 0 doubles by chance.
MEMORY, TIMES, BACK = 0.98, 4.0, 0.5


def examine(request: dict[str, Any], tell: Tell) -> None:
    from mindspore import Tensor, ops, value_and_grad

    setup = Setup(request, tell)
    dataset = setup.dataset()
    steps = request["steps"] or default_steps(dataset)
    rates = schedule(request["begin"], request["end"], steps, request["exponential"])
    optimizer = setup.optimizer(**{request["argument"]: float(rates[0])})
    held = rates_of(optimizer)
    if not held:
        raise EndRun(event="no-rate", found=described(optimizer))
    kept = ParameterSnapshot(setup.network, optimizer)
    tell(event="planned", steps=steps)

    def forward(batch: Batch) -> tuple[Tensor, Any]:
        output = setup.network(*setup.columns(batch, setup.inputs))
        return setup.loss_from(output, batch), output

    setup.network.set_train(True)
    step_of = value_and_grad(forward, None, setup.trained(), has_aux=True)
    watch = Watch()
    try:
        batches = setup.endless(dataset)
        for number, rate in enumerate(rates, start=1):
            batch = next(batches)
            with blamed((request.get("loss") or request["network"])["call"], setup.root):
                for parameter in held:  # once an optimizer has run, it no longer sees what set_data gives
                    ops.assign(parameter, Tensor(rate, parameter.dtype))
                (value, output), grads = step_of(batch)
                loss = float(value.asnumpy())
            accuracy = None if setup.loss is None else accuracy_of(output, setup.columns(batch, setup.labels))
            tell(event="step", step=number, lr=float(rate), loss=loss, accuracy=accuracy)
            why = watch.ends(loss)
            if why:
                tell(event="stopped", why=why, step=number)
                break
            with blamed((request.get("optimizer") or request["network"])["call"], setup.root):
                optimizer(grads)
    finally:
        kept.restore()
    tell(event="restored", same=kept.same())


def default_steps(dataset: Any) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            size = int(dataset.get_dataset_size())
        except Exception:  # a generator may not know how much it gives
            return 1000
    return min(max(EPOCHS * size, LEAST), MOST)


def schedule(begin: float, end: float, steps: int, exponential: bool) -> Any:
    """The rate of each step, float64 of shape (steps,)."""
    return np.geomspace(begin, end, steps) if exponential else np.linspace(begin, end, steps)


def rates_of(optimizer: Any) -> list[Any]:
    """The parameters that hold the learning rate of an optimizer: one, or one a group; none where it follows a schedule of its own."""
    from mindspore import Parameter

    groups = getattr(optimizer, "param_groups", None)
    if groups:
        found = [group["lr"] for group in groups]
    else:
        rate = getattr(optimizer, "learning_rate", None)
        found = list(rate) if isinstance(rate, (tuple, list)) else [rate]
    return found if all(isinstance(rate, Parameter) and rate.ndim == 0 for rate in found) else []


def accuracy_of(output: Any, labels: list[Any]) -> float | None:
    """The share of scores that are highest where the labels say; None where these are no classes."""
    pair = paired(output, labels)
    if pair is None or pair[0] != "classes":
        return None
    _, scores, truth = pair
    return float((scores.argmax(axis=1) == truth).mean())


class Watch:
    """The smoothed loss against its best."""

    def __init__(self) -> None:
        self.count, self.mean, self.best, self.start = 0, 0.0, math.inf, math.nan

    def ends(self, loss: float) -> str | None:
        """Why the test is to end after this loss: "not-finite", "diverged" or None."""
        if not math.isfinite(loss):
            return "not-finite"
        self.count += 1
        self.mean = MEMORY * self.mean + (1 - MEMORY) * loss
        smooth = self.mean / (1 - MEMORY**self.count)
        if self.count == 1:
            self.start = smooth
        self.best = min(self.best, smooth)
        return "diverged" if smooth > TIMES * self.best > 0 and smooth > BACK * self.start else None


class ParameterSnapshot:
    """The parameters of network and optimizer as they were, and the digest of them all."""

    def __init__(self, network: Cell, optimizer: Cell) -> None:
        held = {id(parameter): parameter for cell in (network, optimizer) for parameter in cell.get_parameters()}
        self.parameters = list(held.values())
        self.values = [numbers(parameter) for parameter in self.parameters]
        self.digest = self.now()

    def now(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        for parameter in self.parameters:
            digest.update(np.ascontiguousarray(numbers(parameter)).tobytes())
        return digest.hexdigest()

    def restore(self) -> None:
        from mindspore import Tensor, ops

        for parameter, value in zip(self.parameters, self.values):  # noqa: B905
            ops.assign(parameter, Tensor(value, parameter.dtype))

    def same(self) -> bool:
        return self.now() == self.digest
