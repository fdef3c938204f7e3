"""A graph that MindSpore wrote as a tree: layers by the scopes of their operations, these operations, and who reads which weight."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import ReadError
from ..probes._graphs import ASSIGN, HANDS_ON, PLUMBING, UPDATE, apart, parameter, plain
from ..readers.checkpoints import state_names
from ..readers.graphs import Graph, Node, Parameter, files, format_of, graphs
from .stored import kept_beside
from .tree import MAX_WEIGHTS, STATE, Builder, Cell, Network, Note, Tensor, Weight, in_order

#: Operations of a graph that are listed one by one; those of a larger one are counted by layer.
LISTED = 100_000
#: A part of a scope: the name of the layer and its class.
_PART = re.compile(r"(.*)-([A-Za-z_]\w*)")
#: Inputs of an operation that are named.
_INPUTS = 64


def read(path: Path, name: str) -> Network:
    """The largest graph of a file, or of a folder of dumps. Raises ReadError: graph-no-graph where there is none."""
    problems: list[ReadError] = []
    found: list[Graph] = []
    for file in files(path, problems.append):
        try:
            if file == path or format_of(file):
                found += graphs(file, outputs=True)
                found = [max(found, key=lambda graph: (graph.whole, len(graph.nodes)))] if found else []
        except ReadError as error:
            if file == path:
                raise
            problems.append(error)
    if not found:
        raise problems[0] if problems else ReadError("graph-no-graph", path=name)
    return of_graph(found[0], name)


def of_graph(graph: Graph, name: str) -> Network:
    """What only hands values on, or settles an order, is left out of the tree, and looked through."""
    builder = Builder(name, Path(name).name)
    listed = len(graph.nodes) <= LISTED
    hands = {node.name: node for node in graph.nodes if node.op in HANDS_ON}
    parameters = {one.name: one for one in graph.parameters}
    if len(parameters) > MAX_WEIGHTS:
        raise ReadError("graph-too-large", path=name, limit=MAX_WEIGHTS)
    readers: dict[str, list[tuple[Cell, Cell, Node]]] = {key: [] for key in parameters}  # the layer and the operation
    trained: dict[str, str] = {}
    shown: dict[str, Cell] = {}
    layers: dict[str, Cell] = {}  # by scope: those of a large graph have thousands of operations each
    for node in graph.nodes:
        if node.op in PLUMBING:
            continue
        if node.scope not in layers:
            layers[node.scope] = _layer(builder, node.scope)
        cell = layer = layers[node.scope]
        if listed:
            cell = shown[node.name] = _operation(builder, node)
        else:
            layer.operations[node.op] = layer.operations.get(node.op, 0) + 1
        reads = [
            found
            for each in node.inputs
            if (each in parameters or each in hands) and (found := parameter(each, hands, parameters))
        ]
        if reads and UPDATE.fullmatch(node.op):
            trained.update(dict.fromkeys(reads if node.op.startswith("Fused") else reads[:1], node.op))
        for each in dict.fromkeys(reads):
            readers[each].append((layer, cell, node))
    nodes = {node.name: node for node in graph.nodes} if listed else {}
    for key, cell in shown.items():
        cell.inputs = [told for each in nodes[key].inputs[:_INPUTS] if (told := _taken(each, nodes, shown, parameters))]
    states = state_names(map(plain, parameters))
    weights = [
        weight
        for key, held in parameters.items()
        if (weight := _weight(builder, graph, held, readers[key], trained.get(key), plain(key) in states))
    ]
    for number, weight in enumerate(weights):
        builder.cells[weight.cell].weights.append(number)
    cells, weights = in_order(builder.cells, weights)
    network = Network(Path(name).name, name, graph.format, cells, weights)
    if not listed:
        network.notes.append(Note("graph-counted", {"count": len(graph.nodes), "limit": LISTED}))
    if not graph.whole:
        network.notes.append(Note("graph-partial", {}))
    network.settle()
    return network


def _weight(
    builder: Builder,
    graph: Graph,
    held: Parameter,
    readers: list[tuple[Cell, Cell, Node]],
    update: str | None,
    state: bool,
) -> Weight | None:
    """A parameter, in the layer that computes with it; one that none does, by its name; None for an input of the network."""
    name = plain(held.name)
    layers = [layer for layer, _, node in readers if not apart(node)]
    if "." not in name and update is None and not kept_beside(name) and graph.format != "MindIR":
        return None
    front = [STATE] if state else []
    cell = layers[0] if layers and not state else builder.cell([*front, *(name.split(".")[:-1] or ["-"])])
    weight = Weight(name, held.shape, held.dtype, cell.number)
    weight.state, weight.of_optimizer = kept_beside(name), state
    weight.users = list(dict.fromkeys(user.number for _, user, _ in readers))
    weight.optimizers = [update] if update else []
    weight.trained = True if update else None
    updates = [node for _, _, node in readers if UPDATE.fullmatch(node.op) or ASSIGN.fullmatch(node.op)]
    if graph.whole and not weight.state and len(updates) == len(readers):
        weight.marks.append("unused")
    if len(set(map(id, layers))) > 1:
        weight.marks.append("shared")
    return weight


def _operation(builder: Builder, node: Node) -> Cell:
    """The cell of an operation, called by what tells it apart in its layer."""
    own = f"{node.op}:{node.name.rpartition(':')[2]}"
    path = _path(node.scope)
    cell = builder.cell([*path, own if (*path, own) not in builder.known else f"{node.op}:{node.name}"], node.op)
    cell.leaf = True
    if node.output is not None:
        cell.gave = Tensor(node.output.shape, node.output.dtype)
    return cell


def _taken(name: str, nodes: dict[str, Node], shown: dict[str, Cell], parameters: dict[str, Parameter]) -> str:
    """What an operation takes: another one or a parameter, through what only hands it on; empty for a constant."""
    for _ in range(_INPUTS):
        if name in shown:
            return shown[name].name
        if name in parameters:
            return plain(name)
        node = nodes.get(name)
        if node is None or not node.inputs:
            return ""
        name = node.inputs[0]
    return ""


def _layer(builder: Builder, scope: str) -> Cell:
    cell = builder.cell(())
    path: list[str] = []
    for part in scope.split("/"):
        if part and part != "Default":
            split = _PART.fullmatch(part)
            path.append(split[1] if split else part)
            cell = builder.cell(path, split[2] if split else "")
    return cell


def _path(scope: str) -> list[str]:
    return [
        split[1] if (split := _PART.fullmatch(part)) else part
        for part in scope.split("/")
        if part not in ("", "Default")
    ]
