"""How much of its input a network passes on at first: the product of what each layer multiplies the spread of its input by.

A layer whose weights are drawn with a spread s and that adds up n inputs multiplies by s * sqrt(n), and an activation by its slope at
most. Only a chain of layers without normalisation or direct connections is judged, from the loss backwards as far as it is followed;
layers with another start count as 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod, sqrt

from ..knowledge import initializers
from .analysis import Scripts
from .effects import bound_arguments, effect, kept, operands
from .initial_weights import LaterValues, Observation, later_values
from .losses import losses_of
from .networks import kind_of, structure_of
from .values import Call, Items, KnownValue, Value

#: A network of at least so many layers with weights that are drawn too narrowly, which leaves less than this of its input.
LAYERS, LEAST = 4, 1e-5
#: What such a layer multiplies the spread of its input by, at most.
NARROW = 0.5
#: So many operations are looked at.
STEPS = 400


def examine(scripts: Scripts) -> Iterator[Observation]:
    """Each network that passes next to nothing on, at its first layer."""
    told: set[tuple[str, int]] = set()
    for reading in scripts.training:
        later = later_values(structure_of(reading))
        for application in losses_of(reading).applications:
            gains = _gains(application.prediction, later)
            total = prod(gain for _, gain in gains)
            narrow = [layer for layer, gain in gains if gain < NARROW and kind_of(layer) != "activation"]
            if len(narrow) < LAYERS or total >= LEAST:
                continue
            first = narrow[-1]
            if (first.source.path, first.line) not in told:
                told.add((first.source.path, first.line))
                data = {"count": len(narrow), "left": f"{total:.0e}"}
                yield Observation("signal-vanishes", first.source, first.node, data)


def _gains(value: Value | None, later: LaterValues) -> list[tuple[Call, float]]:
    """The layers that a value comes through, the last first, and by what each multiplies the spread of its input at most."""
    found: list[tuple[Call, float]] = []
    for _ in range(STEPS):
        if isinstance(value, Call) and value.result is not None:
            value = value.result
        if not isinstance(value, Call):
            break
        layer = value.maker
        kind = kind_of(layer)
        if kind in ("dense", "convolution"):
            found.append((layer, 1.0 if later.given(layer) or later.perhaps(layer) else _gain(layer)))
        elif not _passes(value, kind):
            break
        elif (known := effect(value)) is not None and known.steepest < 1:
            found.append((layer, known.steepest))
        value = next(iter(operands(value)), None)
    return found


def _passes(made: Call, kind: str) -> bool:
    """Whether what a call gives spreads no more than its operand, and comes of that alone."""
    known = effect(made)
    if kind in ("pooling", "dropout", "activation"):
        return True
    return known is not None and (
        known.rises or kept(made, "same", "order", "values", "between", "limited") is not None
    )


def _gain(layer: Call) -> float:
    """What a layer multiplies the spread of its input by at first; 1 where that is not seen."""
    bound = bound_arguments(layer)
    spread = _spread(bound.get("weight_init")) if bound is not None else None
    inputs = _inputs(bound) if bound is not None else None
    return 1.0 if spread is None or inputs is None else spread * sqrt(inputs)


def _inputs(bound: dict[str, Value]) -> int | None:
    """How many numbers each output of a layer is the sum of; None where that is not seen, or where channels come in groups."""
    width = bound.get("in_channels") or bound.get("in_features")
    if "group" in bound or "groups" in bound or not isinstance(width, KnownValue) or type(width.value) is not int:
        return None
    if "kernel_size" not in bound:
        return width.value
    kernel = bound["kernel_size"]
    parts = kernel.items if isinstance(kernel, Items) else [kernel, kernel]
    sizes = [part.value for part in parts if isinstance(part, KnownValue) and type(part.value) is int]
    return width.value * prod(sizes) if len(sizes) == len(parts) == 2 else None


def _spread(initial: Value | None) -> float | None:
    """The spread of what an initializer draws; None for one that looks at the size of the layer, or is not seen."""
    if isinstance(initial, Call) and initial.api == "initializer":
        initial = next(iter(initial.args), None)
    if isinstance(initial, KnownValue) and isinstance(initial.value, str):
        known = initializers.by_alias(initial.value)
        return known.spread if known is not None else None
    known = initializers.find(initial.api) if isinstance(initial, Call) else None
    if known is None or not isinstance(initial, Call):
        return None
    given = initial.argument(known.parameters, known.of) or KnownValue(known.default)
    if not isinstance(given, KnownValue) or type(given.value) not in (int, float):
        return None
    return known.factor * given.value if given.value > 0 else None
