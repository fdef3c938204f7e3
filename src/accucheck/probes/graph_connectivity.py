"""Finds layers that are not connected in graphs that MindSpore wrote: IR dumps, MindIR and Summary files (`graphs.path`).

Catches: weights that the optimizer updates though neither the loss nor an output depends on them; layers whose result goes nowhere;
and weights of a checkpoint that the graph does not have. Lists the layers with their operations and weights. Cannot tell: connections
to the wrong tensor that leave everything in use, and layers that MindSpore removed before it wrote the graph, unless the graph
is of a training step or a checkpoint of the network is given.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example, Skip
from . import _graphs
from ._graphs import ASSIGN, HANDS_ON, UPDATE, apart, ir, parameter, plain

if TYPE_CHECKING:
    from ..readers.graphs import Graph, Node, Parameter

KIND = Kind.FILE
CHECKPOINTS = ("checkpoints.initial", "checkpoints.current")
#: The checkpoints need not be given; they stand here so that a change of them makes a result stale.
NEEDS: tuple[str | tuple[str, ...], ...] = ("graphs.path", ("graphs.path", *CHECKPOINTS))

MAX_ROWS = 200
#: No person reads more.
MAX_FINDINGS = 100


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    known: Annotated[
        tuple[str, ...],
        Meta(
            description="patterns (* and ?, any case) of names of weights that are unused by design",
            extra={"unit": "names", "source": "none is by default"},
        ),
    ] = ()
    same_network: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="a checkpoint that has less than this share of the graph's weights is of another network",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.5


MESSAGES: Words = {
    **_graphs.MESSAGES,
    "unused-layer": {
        "en": "{layer} is not connected: {updates} updates its weights ({names}; {count:,} in all), but neither the loss nor any "
        "output depends on them.",
        "zh": "{layer} 没有接入网络：{updates} 在更新它的 {count:,} 个权重（{names}），但损失和输出都不依赖这些权重。",
    },
    "maybe-unused-layer": {
        "en": "{layer} is perhaps not connected: as far as was read, neither the loss nor any output depends on its weights "
        "({names}; {count:,} in all).",
        "zh": "{layer} 可能没有接入网络：就已读取的图而言，损失和输出都不依赖它的 {count:,} 个权重（{names}）。",
    },
    "result-unused": {
        "en": "{layer} is computed, but its result goes nowhere: neither the loss nor any output depends on {operation} and these "
        "weights ({names}; {count:,} in all).",
        "zh": "{layer} 参与了计算，但结果没有去向：损失和输出都不依赖 {operation} 及这 {count:,} 个权重（{names}）。",
    },
    "not-in-graph": {
        "en": "{layer} of the checkpoint {checkpoint} is not in the graph (weights: {names}; {count:,} in all). A layer that is not "
        "connected is removed when the graph is created; so is one that only training needs.",
        "zh": "checkpoint {checkpoint} 中的 {layer} 不在图中（{count:,} 个权重：{names}）。"
        "没有接入的层会在生成图时被删除，只在训练时使用的层也是如此。",
    },
    "more": {
        "en": "{count:,} more {count:layer has|layers have} such faults.",
        "zh": "还有 {count:,} 层存在同类问题。",
    },
    "connect": {
        "en": "Call the layer in construct and use its result, or delete it from __init__.",
        "zh": "请在 construct 中调用该层并使用其结果；若确实不需要，请从 __init__ 中删除。",
    },
    "known": {
        "en": "Unused by design, as the parameter `known` says: {names} ({count:,} in all).",
        "zh": "有 {count:,} 个权重按参数 `known` 的设定有意不使用：{names}。",
    },
    "removed": {
        "en": "No graph here is of a training step, so MindSpore may have removed unused layers before writing it. Give a graph of "
        "training (SummaryCollector, MS_DEV_SAVE_GRAPHS), or a checkpoint in checkpoints.initial.",
        "zh": "这些图都不是训练图，未使用的层可能在写出之前已被 MindSpore 删除。请提供训练图（SummaryCollector 或 "
        "MS_DEV_SAVE_GRAPHS），或在 checkpoints.initial 中给出 checkpoint。",
    },
    "nothing-reaches": {
        "en": "No weight leads to an output of the graphs, so what is connected cannot be determined.",
        "zh": "图中没有任何权重通向输出，无法判断各层是否接入。",
    },
    "other-network": {
        "en": "The checkpoint {checkpoint} seems to belong to a different network: it has {shared:,} of the graph's {count:,} weights. "
        "It was not compared.",
        "zh": "checkpoint {checkpoint} 像是另一个网络的：只含有图中 {count:,} 个权重里的 {shared:,} 个，未作比较。",
    },
    "examined": {
        "en": "Graphs examined: {graphs:,}; operations: {nodes:,}; layers: {layers:,}. Weights that lead to the loss or an output: "
        "{used:,} of {weights:,}. Whether the layers are in the right order and get the right inputs was not examined.",
        "zh": "已检查 {graphs:,} 个图，共 {nodes:,} 个算子、{layers:,} 层；{weights:,} 个权重中有 {used:,} 个通向损失或输出。"
        "各层的顺序和输入是否正确未作检查。",
    },
}

WHY: Words = {
    "unused-layer": {
        "en": "The network is smaller than designed, and its unused weights learn nothing while weight decay still changes them.",
        "zh": "实际网络比设计的小；这些权重得不到梯度，却仍受权重衰减影响。",
    },
    "maybe-unused-layer": {
        "en": "If so, the network is smaller than designed, and these weights learn nothing.",
        "zh": "若确实如此，实际网络比设计的小，这些权重学不到任何东西。",
    },
    "result-unused": {
        "en": "What the layer computes is lost, so the network differs from its design.",
        "zh": "该层的计算结果被丢弃，网络与设计不一致。",
    },
    "not-in-graph": {
        "en": "A layer that is not connected learns nothing, and its contribution is missing.",
        "zh": "没有接入的层学不到任何东西，它应有的作用也随之缺失。",
    },
}
PROOF: Words = {
    "unused-layer": {
        "en": "Compare the weights in two checkpoints of a training without weight decay: they do not change.",
        "zh": "关闭权重衰减训练，比较两个 checkpoint：这些权重不会变化。",
    },
    "maybe-unused-layer": {
        "en": "Compute the gradient for one batch: it is zero for these weights.",
        "zh": "用一个 batch 计算梯度：这些权重的梯度为 0。",
    },
    "result-unused": {
        "en": "Change the weights of the layer and compute the loss again: it stays the same.",
        "zh": "改动该层的权重后重新计算损失：结果不变。",
    },
    "not-in-graph": {
        "en": "Change these weights and compute the output again: it stays the same.",
        "zh": "改动这些权重后重新计算输出：结果不变。",
    },
}

WORDS: Words = {
    "layers": {"en": "Layers", "zh": "网络层"},
    "weights": {"en": "Weights", "zh": "权重"},
    "files": {"en": "Graphs", "zh": "计算图"},
    "layer": {"en": "Layer", "zh": "层"},
    "operations": {"en": "Operations", "zh": "算子"},
    "name": {"en": "Name", "zh": "名称"},
    "shape": {"en": "Shape", "zh": "形状"},
    "dtype": {"en": "Type", "zh": "数据类型"},
    "file": {"en": "File", "zh": "文件"},
    "format": {"en": "Format", "zh": "格式"},
    "nodes": {"en": "Operations", "zh": "算子数"},
    "parameters": {"en": "Parameters", "zh": "参数数"},
    "whole": {"en": "Whole", "zh": "是否完整"},
}

#: Operations whose result does not depend on the values that go in.
_SHAPE_ONLY = frozenset(
    {"UpdateState", "ZerosLike", "OnesLike", "ZerosLikeExt", "OnesLikeExt", "Shape", "TensorShape", "DType", "Rank"}
)
#: Operations that are there for what they do, not for a result.
_EFFECT = re.compile(r"\w*Summary|Print|TensorDump")
#: What is kept beside the weights and updated, and need not lead anywhere.
_KEPT = re.compile(r"(^|\.)(moving_|running_)\w+$|num_batches|queue|(^|[._])ema([._]|$)|(^|[._])(step|counter)$", re.I)


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError when nothing of what is given can be read."""
    graphs, problems = yield from _graphs.read(case)
    if not graphs:
        if problems:
            raise problems[0]
        raise Skip("no-graphs", path=case.relative(case.paths("graphs.path")[0]))
    yield from _judge(case, params, list(map(_use, graphs)), problems)


class _ParameterUses(NamedTuple):
    """What a graph says of its parameters; names without the mark of a graph that was cut into parts."""

    graph: Graph
    parameters: dict[str, Parameter]
    reached: set[str]  # parameters that an output depends on
    updated: dict[str, str]  # by which optimizer
    lost: dict[str, Node]  # parameters that are computed with, and an operation whose result goes nowhere
    layers: dict[str, tuple[Counter[str], dict[str, None]]]  # of the forward pass: operations and parameters


def _use(graph: Graph) -> _ParameterUses:
    nodes = {node.name: node for node in graph.nodes}
    parameters = {each.name: each for each in graph.parameters}
    reached = _closure(graph.outputs, nodes)
    updated, updating = _updates(graph, nodes, parameters)
    lost = _lost(graph, nodes, reached, updating)
    return _ParameterUses(
        graph,
        {plain(name): value for name, value in parameters.items()},
        {plain(name) for name in parameters if name in reached},
        {plain(name): op for name, op in updated.items()},
        {plain(name): lost[name] for name in parameters if name in lost},
        _layers(graph, nodes, parameters),
    )


def _updates(
    graph: Graph, nodes: dict[str, Node], parameters: dict[str, Parameter]
) -> tuple[dict[str, str], list[str]]:
    """Which optimizer updates each parameter, and what goes into updates and assignments."""
    updated: dict[str, str] = {}
    updating: list[str] = []
    for node in graph.nodes:
        if UPDATE.fullmatch(node.op):
            targets = [found for name in node.inputs if (found := parameter(name, nodes, parameters))]
            # What is updated comes first; fused ones may have a loss scale or a weight decay before it.
            updated.update(dict.fromkeys(targets if node.op.startswith("Fused") else targets[:1], node.op))
            updating += node.inputs
        elif ASSIGN.fullmatch(node.op):
            updating += node.inputs
    return updated, updating


def _lost(graph: Graph, nodes: dict[str, Node], reached: set[str], updating: list[str]) -> dict[str, Node]:
    """What only leads to an operation whose result goes nowhere, with that operation."""
    used = {name for node in graph.nodes for name in _depends_on(node)}
    # What is computed for an update, weight decay for instance, is not lost.
    kept = used | reached | _closure(updating, nodes)
    lost: dict[str, Node] = {}
    for end in graph.nodes:
        if end.name in kept or apart(end) or _EFFECT.fullmatch(end.op):
            continue
        waiting = [end.name]
        while waiting:
            name = waiting.pop()
            if name not in lost and name not in reached:
                lost[name] = end
                waiting += _depends_on(nodes[name]) if name in nodes else ()
    return lost


def _layers(
    graph: Graph, nodes: dict[str, Node], parameters: dict[str, Parameter]
) -> dict[str, tuple[Counter[str], dict[str, None]]]:
    """Operations and parameters of the forward pass, by the scope of the layer."""
    layers: dict[str, tuple[Counter[str], dict[str, None]]] = {}
    for node in graph.nodes:
        if not apart(node):
            operations, weights = layers.setdefault(node.scope.removeprefix("Default/"), (Counter(), {}))
            operations[node.op] += 1
            found = (parameter(name, nodes, parameters) for name in node.inputs)
            weights.update({plain(name): None for name in found if name})
    return layers


def _depends_on(node: Node) -> tuple[str, ...]:
    """The inputs whose values the result depends on."""
    if node.op in _SHAPE_ONLY or UPDATE.fullmatch(node.op):
        return ()
    return node.inputs[:1] if node.op in HANDS_ON else node.inputs


def _closure(start: Iterable[str], nodes: dict[str, Node]) -> set[str]:
    """These names and all whose values they depend on."""
    seen, waiting = set(start), list(start)
    while waiting:
        node = nodes.get(waiting.pop())
        for name in _depends_on(node) if node else ():
            if name not in seen:
                seen.add(name)
                waiting.append(name)
    return seen


def _judge(case: Case, params: Params, uses: list[_ParameterUses], problems: list[ReadError]) -> Iterator[Finding]:
    parameters = {name: parameter for use in uses for name, parameter in use.parameters.items()}
    reached = set().union(*(use.reached for use in uses))
    updated = {name: op for use in uses for name, op in use.updated.items()}
    weights = _weights_among(parameters, updated)
    unused = [name for name in weights if name not in reached]
    known = [name for name in unused if _is_known(name, params)]
    cut = [use.graph for use in uses if not use.graph.whole]
    if weights and len(unused) == len(weights):
        yield Finding("nothing-reaches", Level.INFO, incomplete=True)
    else:
        layers = _by_layer([name for name in unused if name not in known], weights)
        yield from _bounded(list(_of_layers(case, uses, layers, parameters, updated)))
    if known:
        yield Finding("known", Level.INFO, data=_names(known), evidence=[_weights(known, parameters)])
    compared, about = _against_checkpoints(case, params, set(parameters), weights, problems)
    yield from about
    yield from _graphs.unreadable(case, problems)
    if cut:
        shown = _names(sorted({case.relative(graph.path) for graph in cut})) | {"count": len(cut)}
        yield Finding("partial", Level.INFO, data=shown, incomplete=True)
    if not updated and not compared:
        yield Finding("removed", Level.INFO, incomplete=True)
    yield _examined(case, uses, len(weights), len(weights) - len(unused))


def _weights_among(parameters: dict[str, Parameter], updated: dict[str, str]) -> list[str]:
    """The names of weights: no states of an optimizer, no statistics, no inputs."""
    from ..readers.checkpoints import state_names

    states = state_names(parameters) | {name for name in parameters if _KEPT.search(name)}
    # In an IR dump inputs are parameters too; names of weights have a layer's before them, unless an optimizer tells.
    return [
        name
        for name in parameters
        if name not in states and ("." in name or name in updated) and not name.startswith("Parameter_")
    ]


def _of_layers(
    case: Case,
    uses: list[_ParameterUses],
    layers: list[tuple[str, list[str]]],
    parameters: dict[str, Parameter],
    updated: dict[str, str],
) -> Iterator[Finding]:
    """A finding for each layer that no output depends on."""
    lost: dict[str, Node] = {}
    path: dict[str, str] = {}
    for use in reversed(uses):
        lost = use.lost | lost
        path |= dict.fromkeys(use.parameters, use.graph.path)
    whole = all(use.graph.whole for use in uses)
    for layer, names in layers:
        trained = [name for name in names if name in updated]
        certain = bool(trained) and whole
        node = next((lost[name] for name in names if name in lost), None)
        code = "result-unused" if node else "unused-layer" if certain else "maybe-unused-layer"
        data = _names(names) | {"layer": layer}
        if node:
            data["operation"] = node.op
        elif trained:
            data["updates"] = updated[trained[0]]
        where = Where(case.relative(path[names[0]]), name=layer)
        level = Level.PROBLEM if certain else Level.SUSPECT
        yield Finding(code, level, where, data, [_weights(names, parameters)], Fix("connect"))


def _bounded(findings: list[Finding]) -> Iterator[Finding]:
    """The first MAX_FINDINGS of these, and one more that counts the others, as bad as the worst of them."""
    yield from findings[:MAX_FINDINGS]
    if rest := findings[MAX_FINDINGS:]:
        worst = Level.PROBLEM if any(finding.level is Level.PROBLEM for finding in rest) else Level.SUSPECT
        yield Finding("more", worst, data={"count": len(rest)})


def _is_known(name: str, params: Params) -> bool:
    return any(fnmatchcase(name.lower(), pattern.lower()) for pattern in params.known)


def _by_layer(names: list[str], weights: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Weights by the outermost layer of which none is used, in their order."""
    within: Counter[str] = Counter()
    without: Counter[str] = Counter()
    for counter, given in ((within, weights), (without, names)):
        for name in given:
            counter.update(_prefixes(name))
    found: dict[str, list[str]] = {}
    for name in names:
        layer = next((prefix for prefix in _prefixes(name) if within[prefix] == without[prefix]), name)
        found.setdefault(layer, []).append(name)
    return list(found.items())


def _prefixes(name: str) -> list[str]:
    """block.conv.weight: block, block.conv."""
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, min(len(parts), 32))]


def _names(names: list[str]) -> dict[str, Any]:
    return {"count": len(names), "names": names[:5] + ["…"] * (len(names) > 5)}


def _weights(names: list[str], parameters: dict[str, Parameter]) -> Table:
    rows: list[list[Plain]] = [
        [name, "×".join(map(str, parameters[name].shape)) or "-", parameters[name].dtype] for name in names[:MAX_ROWS]
    ]
    return Table("weights", ["name", "shape", "dtype"], rows, len(names))


def _against_checkpoints(
    case: Case, params: Params, present: set[str], weights: list[str], problems: list[ReadError]
) -> tuple[bool, list[Finding]]:
    """Whether a checkpoint was compared, and what of the checkpoints the graphs do not have."""
    from ..readers.checkpoints import open_checkpoint

    compared = False
    found: dict[str, Finding] = {}
    for path in dict.fromkeys(path for key in CHECKPOINTS for path in case.paths(key)):
        try:
            names = [info.name for info in open_checkpoint(path).weights]
        except ReadError as error:
            problems.append(error)
            continue
        names = [name for name in dict.fromkeys(names) if not _KEPT.search(name)]
        where, shared = Where(case.relative(path)), len(set(weights) & set(names))
        data: dict[str, Any] = {"checkpoint": where.path}
        if not weights or shared < params.same_network * len(weights):
            data |= {"shared": shared, "count": len(weights)}
            found[str(path)] = Finding("other-network", Level.INFO, where, data, incomplete=True)
            continue
        compared = True
        absent = [name for name in names if name not in present and not _is_known(name, params)]
        for layer, lacking in _by_layer(absent, names)[:MAX_FINDINGS]:
            finding = Finding(
                "not-in-graph",
                Level.SUSPECT,
                Where(where.path, name=layer),
                data | _names(lacking) | {"layer": layer},
                fix=Fix("connect"),
            )
            found.setdefault(layer, finding)
    return compared, list(found.values())


def _examined(case: Case, uses: list[_ParameterUses], weights: int, used: int) -> Finding:
    layers: dict[str, tuple[Counter[str], dict[str, None]]] = {}
    for use in uses:
        for scope, (operations, names) in use.layers.items():
            most, all_names = layers.setdefault(scope, (Counter(), {}))
            most |= operations
            all_names.update(names)
    rows: list[list[Plain]] = [
        [
            scope,
            ", ".join(f"{op} ×{count}" if count > 1 else op for op, count in list(operations.items())[:20]),
            ", ".join(list(names)[:20]),
        ]
        for scope, (operations, names) in list(layers.items())[:MAX_ROWS]
    ]
    graphs = [use.graph for use in uses]
    files: list[list[Plain]] = [
        [case.relative(graph.path), graph.format, len(graph.nodes), len(graph.parameters), graph.whole]
        for graph in graphs[:MAX_ROWS]
    ]
    evidence = [
        Table("layers", ["layer", "operations", "weights"], rows, len(layers)),
        Table("files", ["file", "format", "nodes", "parameters", "whole"], files, len(graphs)),
    ]
    nodes = sum(len(graph.nodes) for graph in graphs)
    data = {"graphs": len(graphs), "nodes": nodes, "layers": len(layers), "weights": weights, "used": used}
    return Finding("examined", Level.INFO, data=data, evidence=list(evidence))


def _step(second: str) -> bytes:
    """A training step of two layers, of which the second gets this weight."""
    weights = ["fc1.weight", "fc2.weight"]
    return ir(
        [
            ("Default/net-Net/fc1-Dense", "MatMul", ["x", "fc1.weight"]),
            ("Default/net-Net/fc2-Dense", "MatMul", ["1", second]),
            ("Default/net-Net", "ReduceMean", ["2"]),
            ("Gradients/Default/net-Net/fc1-Dense/Grad_MatMul", "MatMul", ["2", "x"]),
            *(("Default/optimizer-Momentum", "ApplyMomentum", [name, f"moments.{name}", "4"]) for name in weights),
            ("Default", "UpdateState", ["5", "6"]),
            ("Default", "Depend", ["3", "7"]),
        ],
        weights + [f"moments.{name}" for name in weights],
    )


def _example(name: str, content: bytes, verdict: Verdict, *codes: str, **params: Any) -> Example:
    files: dict[str, Any] = {"graphs/ms_output_optimize.pb": content}
    return Example(name, files=files, case={"graphs": {"path": "graphs"}}, verdict=verdict, codes=codes, params=params)


EXAMPLES = [
    _example("two layers, both connected", _step("fc2.weight"), Verdict.OK),
    _example("the first layer used twice, the second not at all", _step("fc1.weight"), Verdict.PROBLEM, "unused-layer"),
    _example("a layer that is unused by design", _step("fc1.weight"), Verdict.OK, known=["fc2.*"]),
    _example(
        "a graph without an update: what was unused is gone",
        ir([("Default/fc1-Dense", "MatMul", ["x", "fc1.weight"])], ["fc1.weight"]),
        Verdict.UNDECIDED,
    ),
]
