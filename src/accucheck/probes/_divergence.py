"""Where two dumps part: the layer whose inputs agree and whose output differs, against those that carry the difference on.

Layers are what the names of tensors tell: modules, or operations; each with the inputs and outputs that stand on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..model import Branch, Tree

if TYPE_CHECKING:
    from ..readers.dump_comparison import TensorComparison
    from ..readers.dump_pairs import Match

Row = tuple["Match", "TensorComparison"]

#: More branches are not read by a person, nor kept in a session.
MAX_BRANCHES = 300


@dataclass
class Layer:
    """One run of a module or an operation."""

    name: str
    direction: str
    rank: int | None
    step: int | None
    inputs: list[Row] = field(default_factory=list)
    outputs: list[Row] = field(default_factory=list)

    @property
    def told(self) -> list[Row]:
        """What tells of the layer itself: its outputs, or all that is there."""
        return self.outputs or self.inputs

    @property
    def compared(self) -> bool:
        return any(outcome.differs is not None for _, outcome in self.told)

    @property
    def differs(self) -> bool:
        return any(outcome.differs for _, outcome in self.told)

    @property
    def attributes(self) -> list[Row]:
        """Inputs of one number that differ: attributes, as MindSpore dumps them in graph mode."""
        return [row for row in self.inputs if row[1].differs and row[1].shapes[0] in ((), (1,))]

    @property
    def relative(self) -> float | None:
        """The largest relative difference of its outputs."""
        return max((outcome.relative for _, outcome in self.told if outcome.relative is not None), default=None)

    def worst(self) -> Row:
        """The output that differs most."""
        bad = [row for row in self.told if row[1].differs] or self.told
        return max(bad, key=lambda row: row[1].relative if row[1].relative is not None else -1.0)


@dataclass
class Divergence:
    """The first layer that differs; `kind` is origin (its inputs agree), alone (no input is known), fed (an input differs already),
    or loss (the gradient of the last output, where all outputs agree).

    `before` is the last layer in front of it that agrees, `carriers` are the layers behind it that differ.
    """

    layer: Layer
    kind: str
    before: Layer | None
    carriers: list[Layer]


def layers(rows: Iterable[Row], by_name: bool = False) -> list[Layer]:
    """The layers in the order in which they first stand in the dump; gradients after all outputs of a step where names alone order."""
    found: dict[tuple[object, ...], Layer] = {}
    for row in rows:
        point = row[0].left
        spot = point.spot
        key = (point.rank, point.step, spot.module, spot.direction, spot.run)
        layer = found.get(key)
        if layer is None:
            layer = found[key] = Layer(spot.module or point.name, spot.direction, point.rank, point.step)
        (layer.inputs if spot.io == "input" else layer.outputs).append(row)
    if not by_name:
        return list(found.values())
    steps = {(layer.rank, layer.step): at for at, layer in enumerate(found.values())}
    return sorted(found.values(), key=lambda layer: (steps[layer.rank, layer.step], layer.direction != "forward"))


def locate(found: Sequence[Layer]) -> Divergence | None:
    """Where the layers part, None where none differs."""
    compared = [layer for layer in found if layer.compared]
    at = next((at for at, layer in enumerate(compared) if layer.differs), None)
    if at is None:
        return None
    first = compared[at]
    # Names in the order of the alphabet put a module before its parts: the first part that differs is the finer answer.
    while inner := next((layer for layer in compared if layer.differs and _within(layer, first)), None):
        first = inner
    at = compared.index(first)
    before = next((layer for layer in reversed(compared[:at]) if not layer.differs and not _within(first, layer)), None)
    carriers = [layer for layer in compared if layer.differs and layer is not first and not _within(first, layer)]
    known = [outcome for _, outcome in first.inputs if outcome.differs is not None] if first.outputs else []
    # In graph mode MindSpore dumps attributes as inputs: another epsilon makes no other input of a layer.
    told = [outcome.differs for outcome in known if outcome.shapes[0] not in ((), (1,))] or [
        outcome.differs for outcome in known
    ]
    kind = "alone" if not told else "fed" if any(told) else "origin"
    if kind != "origin" and _begins_backward(compared[: at + 1]):
        kind = "loss"
    return Divergence(first, kind, before, carriers)


def _begins_backward(found: Sequence[Layer]) -> bool:
    """Whether the last of these layers is the gradient of the output in front of it: from the outputs to it there is the loss only."""
    if len(found) < 2 or found[-1].direction == "forward" or found[-2].direction != "forward":
        return False
    last, output = found[-1], found[-2]
    if (last.rank, last.step) != (output.rank, output.step):
        return False
    return f"{last.name}.".startswith(f"{output.name}.") or output.name.startswith(f"{last.name}.")


def jump(found: Sequence[Layer], times: float, least: float) -> Layer | None:
    """The first layer that is off by `times` as much as all before it, and by `least` at least; None where none is."""
    floor: float | None = None
    for layer in found:
        relative = layer.relative
        if relative is None:
            continue
        if floor is not None and relative >= max(least, times * floor):
            return layer
        floor = max(floor or 0.0, relative)
    return None


def _within(inner: Layer, outer: Layer) -> bool:
    same = (inner.rank, inner.step, inner.direction) == (outer.rank, outer.step, outer.direction)
    return same and inner.name.startswith(f"{outer.name}.")


def _modules(found: Sequence[Layer]) -> dict[tuple[str, ...], tuple[float | None, bool]]:
    """The modules of forward layers by their path: the largest relative difference in each, and whether any layer in it differs."""
    nodes: dict[tuple[str, ...], tuple[float | None, bool]] = {}
    for layer in found:
        if layer.direction != "forward" or not layer.compared:
            continue
        words = tuple(layer.name.split("."))
        for depth in range(1, len(words) + 1):
            largest, differs = nodes.get(words[:depth], (None, False))
            known = [one for one in (largest, layer.relative) if isinstance(one, float)]
            nodes[words[:depth]] = max(known, default=None), differs or layer.differs
    return nodes


def tree(found: Sequence[Layer], title: str, value: str) -> Tree:
    """The forward layers by module, coarse to fine, each with the largest relative difference in it; those that differ are marked."""
    nodes = _modules(found)
    children: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for path in nodes:
        children.setdefault(path[:-1], []).append(path)
    depth = max((len(path) for path in nodes), default=0)
    while depth > 1 and sum(len(path) <= depth for path in nodes) > MAX_BRANCHES:
        depth -= 1
    branches: list[Branch] = []
    waiting = list(reversed(children.get((), [])))
    while waiting:
        path = waiting.pop()
        branches.append(Branch(len(path) - 1, path[-1], *nodes[path]))
        if len(path) < depth:
            waiting += reversed(children.get(path, []))
    return Tree(title, value, branches[:MAX_BRANCHES], len(nodes))
