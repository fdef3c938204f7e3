"""Probabilities that a softmax is taken of once more: a loss of the project's own takes the logarithm of a softmax by itself.

What a network gives is followed into the loss that is called with it, and into the loss cell that a Model puts behind it.
"""

from __future__ import annotations

from collections.abc import Iterator

from .effects import effect, name_of, operands
from .losses import Head, Losses, Observation, heads
from .models import FORWARD
from .values import Call, Frame, Instance, Value, options

_MODEL = ["network", "loss_fn", "optimizer"]


def examine(losses: Losses) -> Iterator[Observation]:
    """Each such logarithm."""
    for call in losses.trace.calls:
        known = effect(call)
        if known is None or known.gives != "log-probabilities" or not operands(call):
            continue
        found = [one for head in heads(operands(call)[0]) for one in handed_on(losses, call.frame, head)]
        if found and all(head.gives == "probabilities" for head in found):
            data = {"loss": name_of(call).rsplit(".", 1)[-1], "layer": found[0].name}
            also = found[0].made
            yield Observation("double-softmax", call, data, also if isinstance(also, Call) else call)


def handed_on(losses: Losses, frame: Frame | None, head: Head) -> list[Head]:
    """Where a prediction comes from, for what the loss cell of a Model is given: what its network gives."""
    given = next((value for value in frame.parameters.values() if value is not frame.owner), None) if frame else None
    if frame is None or given is None or head.made is not given:
        return [head]
    return [one for network in _judged_by(losses, frame.owner) for one in _given_by(losses, network)] or [head]


def _judged_by(losses: Losses, loss: Value | None) -> Iterator[Value]:
    """The networks that Models put a loss cell behind."""
    for call in losses.trace.calls:
        if call.api == "Model" and any(option is loss for option in options(call.argument(_MODEL, "loss_fn"))):
            yield from options(call.argument(_MODEL, "network"))


def _given_by(losses: Losses, network: Value) -> list[Head]:
    runs = (one for one in losses.trace.frames if one.owner is network and isinstance(network, Instance))
    return [head for run in runs if run.function.name in FORWARD for head in heads(run.returned)]
