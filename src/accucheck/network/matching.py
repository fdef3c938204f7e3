"""Two networks side by side: which weight of one is which of the other, and from these which cell."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ..parameter_map import pair_parameters
from ..readers.tensors import TensorInfo
from .tree import Network, Weight


class NetworkMatch(NamedTuple):
    """The other network, and of cells and weights of the first by their numbers those of the other. `only_there`: weights of the other
    without a counterpart."""

    other: Network
    cells: dict[int, int]
    weights: dict[int, int]
    only_there: list[int]


def put(network: Network, other: Network) -> NetworkMatch:
    """Pair them, and mark in `network` what the other lacks (only-here) and what has another shape there (other-shape)."""
    left, right = _infos(network), _infos(other)
    found = pair_parameters([info for info, _ in left.values()], [info for info, _ in right.values()])
    weights = {left[id(pair.left)][1]: right[id(pair.right)][1] for pair in found.pairs}
    differing = {left[id(one)][1]: right[id(another)][1] for one, another in found.shapes}
    unsure = {id(info) for each in found.ambiguous for info in (*each.left, *each.right)}
    for info, number in left.values():
        if number in differing:
            network.weights[number].marks.append("other-shape")
        elif number not in weights and id(info) not in unsure and not network.weights[number].state:
            network.weights[number].marks.append("only-here")
    paired = {**differing, **weights}
    taken = set(paired.values())
    only_there = [
        number
        for info, number in right.values()
        if number not in taken and id(info) not in unsure and not other.weights[number].state
    ]
    network.settle()
    return NetworkMatch(other, _cells(network, other, paired), paired, only_there)


def _infos(network: Network) -> dict[int, tuple[TensorInfo, int]]:
    """Each weight as the pairing takes it, and its number, by the identity of the former; state of optimizers is left out. A parameter's
    name that those of several networks have does not tell them apart: the name in the tree does."""
    named = Counter(weight.own_name or weight.name for weight in network.weights)
    infos = [
        (TensorInfo(_pairing_name(weight, named), weight.type, weight.shape, network.source), number)
        for number, weight in enumerate(network.weights)
        if not weight.of_optimizer
    ]
    return {id(info): (info, number) for info, number in infos}


def _pairing_name(weight: Weight, named: Counter[str]) -> str:
    own = weight.own_name or weight.name
    return own if named[own] == 1 else weight.name


def _cells(network: Network, other: Network, weights: dict[int, int]) -> dict[int, int]:
    """Cells that hold what is paired, and the innermost ones around these; without weights, those of one name below paired ones."""
    above: dict[int, list[int]] = {}
    for number, counterpart in weights.items():
        holder, there = network.weights[number].cell, other.weights[counterpart].cell
        _join(above, holder, other.above(there))
    for cell in reversed(network.cells):
        if cell.number in above and cell.parent >= 0:
            way = above[cell.number]
            _join(above, cell.parent, way[:-1] or way)
    found = {number: way[-1] for number, way in above.items()}
    for cell in network.cells:
        if cell.number not in found and cell.parent in found:
            near = {other.cells[each].label: each for each in other.cells[found[cell.parent]].children}
            if cell.label in near:
                found[cell.number] = near[cell.label]
    return found


def _join(above: dict[int, list[int]], cell: int, way: list[int]) -> None:
    """Of several ways from the root the part that they have in common."""
    known = above.get(cell, way)
    length = next((at for at, (one, another) in enumerate(zip(known, way, strict=False)) if one != another), None)
    above[cell] = known[: min(len(known), len(way)) if length is None else length] or [0]
