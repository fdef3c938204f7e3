"""The weights of a checkpoint as a tree, by their names: which layers there are is known, but not what they do."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..errors import ReadError
from ..knowledge import parameter_names as facts
from ..readers.checkpoints import open_checkpoint, state_names
from ..readers.tensors import TensorInfo
from .tree import MAX_WEIGHTS, STATE, Builder, Network, Note, Tensor, Weight, in_order

#: Bytes of a checkpoint whose values are read for their ranges.
READ = 1 << 30


def read(path: Path, name: str, *, values: bool = True) -> Network:
    """The weights of a checkpoint of any framework; `values`: their ranges too, where it is no larger than READ. Raises ReadError."""
    checkpoint = open_checkpoint(path, most=MAX_WEIGHTS)
    tensors = checkpoint.tensors
    if len(tensors) > MAX_WEIGHTS:  # of torch
        raise ReadError("checkpoint-tensors", path=name, limit=MAX_WEIGHTS)
    network = of_tensors(tensors, name, checkpoint.format)
    size = sum(info.nbytes for info in tensors)
    if values and size <= READ:
        _ranges(network, tensors)
    elif values:
        network.notes.append(Note("graph-no-ranges", {"size": size, "limit": READ}))
    network.notes.append(Note("graph-weights-only", {}))
    network.settle()
    return network


def of_tensors(tensors: Iterable[TensorInfo], name: str, format: str) -> Network:
    """Tensors as a tree, by the parts of their names; those of an optimizer stand under STATE."""
    builder = Builder(name, Path(name).name)
    weights: list[Weight] = []
    for info in tensors:
        parts = info.name.split(".")
        front = [STATE] if info.role == "state" else []
        cell = builder.cell([*front, *parts[:-1]])
        weight = Weight(info.name, info.shape, info.dtype, cell.number, [cell.number])
        weight.of_optimizer, weight.state = info.role == "state", kept_beside(info.name)
        cell.weights.append(len(weights))
        weights.append(weight)
    ordered, weights = in_order(builder.cells, weights)
    network = Network(Path(name).name, name, format, ordered, weights)
    network.settle()
    return network


def kept_beside(name: str) -> bool:
    """Whether a name is that of a moving statistic or another number that is kept beside the weights, and not trained."""
    leaf = name.rpartition(".")[2]
    leaf = facts.LEAVES.get(leaf, leaf)
    return leaf in (*facts.BUFFERS, *facts.TABLES, facts.UNNEEDED) or bool(state_names([name]))


def _ranges(network: Network, tensors: list[TensorInfo]) -> None:
    """The range of each weight; what is not finite is marked."""
    from ..readers.tensor_statistics import statistics

    readable = [at for at, info in enumerate(tensors) if info.obstacle is None and info.size]
    for at, (_, seen) in zip(readable, statistics([tensors[at] for at in readable]), strict=True):
        weight, bad = network.weights[at], (seen.nan + seen.inf) / seen.count if seen.count else 0.0
        zero = seen.zeros / seen.count if seen.count else None
        weight.values = Tensor(
            weight.shape, weight.type, seen.minimum, seen.maximum, seen.mean, seen.std, zero, bad or None
        )
        if bad:
            weight.marks.append("bad")
