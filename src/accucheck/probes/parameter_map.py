"""Tells which parameters of the network are which of the benchmark's, and what either has that the other lacks.

Compares checkpoints.initial, or checkpoints.current, with checkpoints.reference by names, shapes and order; no value is read, so that
two layers of one shape that changed places are not seen (initial_weights sees them). Structure without parameters (activations,
pooling, the order of calls) leaves no trace in a checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example
from . import _checkpoints, _parameters
from ._checkpoints import ckpt, drawn, of_tensors, shape, shown, table

if TYPE_CHECKING:
    from ..parameter_map import Pair, ParameterMap
    from ..readers.tensors import TensorInfo

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (("checkpoints.initial", "checkpoints.current"), "checkpoints.reference")
USES = ("checkpoints.map",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


MESSAGES: Words = {
    **_parameters.MESSAGES,
    "shapes-differ": {
        "en": "{count:,} {count:parameter has|parameters have} different shapes in {source} and {target}: {names}.",
        "zh": "有 {count:,} 个参数在 {source} 与 {target} 中形状不同：{names}。",
    },
    "lacking": {
        "en": "{count:,} {count:parameter|parameters} of the benchmark {count:is|are} missing in layers that both have: {names}.",
        "zh": "两边都有的层中，本网络缺少标杆的 {count:,} 个参数：{names}。",
    },
    "lacking-before-norm": {
        "en": "{count:,} {count:bias|biases} of the benchmark {count:is|are} missing: {names}. A normalisation follows, which takes a "
        "bias out again.",
        "zh": "本网络缺少标杆的 {count:,} 个偏置：{names}。其后紧接归一化层，偏置会被抵消。",
    },
    "additional": {
        "en": "{count:,} {count:parameter|parameters} of {source} {count:is|are} not in the benchmark, though the layer is: {names}.",
        "zh": "两边都有的层中，{source} 比标杆多出 {count:,} 个参数：{names}。",
    },
    "layers-lacking": {
        "en": "{count:,} {count:parameter|parameters} of {target} {count:was|were} not found in {source}: {names}.",
        "zh": "{target} 中有 {count:,} 个参数在 {source} 中没有找到对应：{names}。",
    },
    "layers-additional": {
        "en": "{count:,} {count:parameter|parameters} of {source} {count:was|were} not found in {target}: {names}.",
        "zh": "{source} 中有 {count:,} 个参数在 {target} 中没有找到对应：{names}。",
    },
    "buffers": {
        "en": "{count:,} {count:tensor that is|tensors that are} not trained {count:is|are} on one side only: {names}.",
        "zh": "有 {count:,} 个不参与训练的张量只存在于一侧：{names}。",
    },
    "ambiguous": {
        "en": "{count:,} {count:parameter|parameters} of {source} could be several of the benchmark's, and {count:was|were} not paired: "
        "{names}.",
        "zh": "{source} 中有 {count:,} 个参数在标杆中有多个同样合适的对应，未作配对：{names}。",
    },
    "by-order": {
        "en": "{count:,} {count:parameter was|parameters were} paired by shape and order, since the names have nothing in common; look "
        "over the table.",
        "zh": "有 {count:,} 个参数名称毫无共同之处，按形状和先后次序配对，请核对表格。",
    },
    "nothing-paired": {
        "en": "Not one parameter of {source} could be paired with one of {target}. Are these checkpoints of the same network?",
        "zh": "{source} 与 {target} 没有一个参数能够配对。这两个 checkpoint 是同一个网络的吗？",
    },
    "mapped": {
        "en": "{pairs:,} parameters are paired. All: {tensors:,} ({numbers:,} numbers) here, {other_tensors:,} ({other_numbers:,}) in the "
        "benchmark; trainable: {trainable:,} ({trainable_numbers:,}) and {other_trainable:,} ({other_trainable_numbers:,}).",
        "zh": "已配对 {pairs:,} 个参数。参数总数：本网络 {tensors:,} 个（{numbers:,} 个元素），"
        "标杆 {other_tensors:,} 个（{other_numbers:,} 个元素）；可训练参数：本网络 {trainable:,} 个（{trainable_numbers:,} 个元素），"
        "标杆 {other_trainable:,} 个（{other_trainable_numbers:,} 个元素）。",
    },
    "fix-structure": {
        "en": "Compare the constructors of the two networks at these layers: has_bias (False in Conv2d by default), widths, depths, "
        "affine.",
        "zh": "对照两个网络在这些层的构造参数：has_bias（Conv2d 默认 False）、通道数、层数、affine 等。",
    },
}

_STRUCTURE: Words = {
    "why": {
        "en": "Networks with different parameters compute different functions: their first losses cannot agree, and neither need "
        "their accuracies.",
        "zh": "参数不同的网络是不同的函数：首步 loss 不可能一致，最终精度也不必一致。",
    },
    "proof": {
        "en": "Print names and shapes on both sides (net.parameters_and_names(), model.named_parameters()) and put these rows side by "
        "side. If the pairing is wrong, correct it in a mapping file.",
        "zh": "在两边打印名称与形状（net.parameters_and_names()、model.named_parameters()），逐行对照。若配对有误，请在映射文件中改正。",
    },
}
_CODES = (
    "shapes-differ",
    "lacking",
    "lacking-before-norm",
    "additional",
    "layers-lacking",
    "layers-additional",
    "ambiguous",
)
WHY: Words = dict.fromkeys((*_CODES, "nothing-paired"), _STRUCTURE["why"])
PROOF: Words = dict.fromkeys((*_CODES, "nothing-paired"), _STRUCTURE["proof"])

WORDS: Words = {
    **_checkpoints.WORDS,
    **_parameters.WORDS,
    "shapes-differ": {"en": "Shapes that differ", "zh": "形状不同的参数"},
    "lacking": {"en": "Missing here", "zh": "本网络缺少的参数"},
    "lacking-before-norm": {"en": "Missing here", "zh": "本网络缺少的参数"},
    "additional": {"en": "Missing in the benchmark", "zh": "标杆没有的参数"},
    "layers-lacking": {"en": "Missing here", "zh": "本网络缺少的参数"},
    "layers-additional": {"en": "Missing in the benchmark", "zh": "标杆没有的参数"},
    "buffers": {"en": "Not trained, on one side only", "zh": "只存在于一侧的非训练张量"},
    "ambiguous": {"en": "Several are possible", "zh": "有多种可能的配对"},
    "pairs": {"en": "Pairs", "zh": "配对结果"},
    "candidates": {"en": "Could be", "zh": "可能对应"},
    "why": {"en": "Why", "zh": "原因"},
    "how": {"en": "Found by", "zh": "依据"},
    "transform": {"en": "Transform", "zh": "变换"},
    "name-rule": {"en": "name", "zh": "名称"},
    "prefix": {"en": "name without its prefix", "zh": "去掉前缀的名称"},
    "words": {"en": "words that mean the same", "zh": "同义的名称"},
    "shape-rule": {"en": "the only one of its shape", "zh": "唯一的形状"},
    "order": {"en": "order of the layers", "zh": "层的先后次序"},
    "names": {"en": "the names contradict the order", "zh": "名称与次序矛盾"},
    "state": {"en": "state of the optimizer", "zh": "优化器状态"},
    "map-file": {"en": "mapping file", "zh": "映射文件"},
    "reshape": {"en": "reshape", "zh": "变形"},
    "transpose": {"en": "transpose", "zh": "转置"},
    "rows": {"en": "some of its rows", "zh": "其中若干行"},
}

#: What a row says a pair rests on, where the word alone is a column of the table too.
_BOTH = ["name", "shape", "reference-name", "reference-shape"]
_HOW = {"name": "name-rule", "shape": "shape-rule", "file": "map-file"}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError when either checkpoint cannot be read, UserError for a file that is not a mapping file."""
    from ..parameter_map import counts

    role = "initial" if case.get("checkpoints.initial") else "current"
    ours, theirs, found, wrong = _parameters.sides(case, role)
    yield from wrong
    where = Where(case.relative(ours.path))
    common: dict[str, Any] = {"source": where.path, "target": case.relative(theirs.path)}

    told = partial(of_tensors, where, common)
    pairs = [pair for pair in found.pairs if pair.left.role == "weight"]
    if not pairs:
        yield Finding("nothing-paired", Level.SUSPECT, where, common, fix=Fix("fix-map"))
    cells = [[one.name, shape(one), other.name, shape(other)] for one, other in found.shapes]
    yield from told("shapes-differ", Level.PROBLEM, _BOTH, cells, "fix-structure")
    yield from _unpaired(found, pairs, _before_norms(theirs.tensors), told)
    groups = [group for group in found.ambiguous if group.why != "state"]
    cells = [
        [info.name, shape(info), ", ".join(shown(one.name for one in group.right)), group.why]
        for group in groups
        for info in group.left
    ]
    yield from told("ambiguous", Level.SUSPECT, ["name", "shape", "candidates", "why"], cells, "fix-map")
    ordered = sum(pair.how in ("order", "shape") for pair in pairs)
    if ordered:
        yield Finding("by-order", Level.INFO, where, common | {"count": ordered})
    here, there = counts(ours.tensors), counts(theirs.tensors)
    data = common | {"pairs": len(pairs)} | here | {f"other_{key}": value for key, value in there.items()}
    yield Finding("mapped", Level.INFO, where, data, [_listed(pairs)] if pairs else [])


def _unpaired(
    found: ParameterMap, pairs: list[Pair], normed: set[str], told: Callable[..., Iterator[Finding]]
) -> Iterator[Finding]:
    """What one side alone has: within layers that both have, as whole layers, and as buffers. `normed` are biases before norms."""
    from ..parameter_map import trainable, unneeded

    layers = [{_layer(info) for info in side} for side in ([p.left for p in pairs], [p.right for p in pairs])]
    left, right = ([info for info in side if info.role == "weight"] for side in (found.left, found.right))

    def alone(code: str, level: Level, infos: list[TensorInfo], *fix: str) -> Iterator[Finding]:
        return told(code, level, ["name", "shape", "dtype"], _cells(infos), *fix)

    inside = [info for info in right if trainable(info) and _layer(info) in layers[1]]
    lacking = [info for info in inside if info.name not in normed]
    yield from alone("lacking", Level.PROBLEM, lacking, "fix-structure")
    lacking = [info for info in inside if info.name in normed]
    yield from alone("lacking-before-norm", Level.SUSPECT, lacking, "fix-structure")
    inside = [info for info in left if trainable(info) and _layer(info) in layers[0]]
    yield from alone("additional", Level.SUSPECT, inside, "fix-structure")
    if not pairs:
        return
    for code, side, known in (("layers-lacking", right, layers[1]), ("layers-additional", left, layers[0])):
        whole = [info for info in side if trainable(info) and _layer(info) not in known]
        yield from alone(code, Level.SUSPECT, whole, "fix-structure")
    buffers = [info for info in (*left, *right) if not trainable(info) and not unneeded(info)]
    yield from alone("buffers", Level.INFO, buffers)


def _listed(pairs: list[Pair]) -> Table:
    """All pairs, those first that rest on the least."""
    rank = ["order", "shape", "words", "prefix", "name", "file"]
    rows: list[list[Plain]] = [
        [
            pair.left.name,
            shape(pair.left),
            pair.right.name,
            shape(pair.right),
            _HOW.get(pair.how, pair.how),
            pair.transform,
        ]
        for pair in sorted(pairs, key=lambda pair: rank.index(pair.how))
    ]
    return table("pairs", [*_BOTH, "how", "transform"], rows)


def _layer(info: TensorInfo) -> str:
    return info.name.rpartition(".")[0]


def _cells(tensors: Iterable[TensorInfo]) -> list[list[Plain]]:
    return [[info.name, shape(info), info.dtype] for info in tensors]


def _before_norms(tensors: list[TensorInfo]) -> set[str]:
    """The names of biases that a BatchNorm of as many channels follows."""
    layers: dict[str, list[TensorInfo]] = {}
    for info in tensors:
        layers.setdefault(_layer(info), []).append(info)
    order = list(layers.values())
    found: set[str] = set()
    for layer, after in pairwise(order):
        sizes = {info.size for info in after if info.name.endswith(("running_mean", "moving_mean"))}
        found.update(info.name for info in layer if info.name.endswith("bias") and info.size in sizes)
    return found


_OURS = {
    "conv.weight": drawn(4, 3, 3, 3),
    "bn.moving_mean": drawn(4),
    "bn.moving_variance": drawn(4),
    "bn.gamma": drawn(4),
    "bn.beta": drawn(4),
    "fc.weight": drawn(2, 4),
    "fc.bias": drawn(2),
}
_THEIRS = {
    "features.0.weight": drawn(4, 3, 3, 3),
    "features.1.weight": drawn(4),
    "features.1.bias": drawn(4),
    "features.1.running_mean": drawn(4),
    "features.1.running_var": drawn(4),
    "features.1.num_batches_tracked": ([], [1.0]),
    "classifier.weight": drawn(2, 4),
    "classifier.bias": drawn(2),
}


def _alike(names: str) -> dict[str, Any]:
    return {
        f"{name}.{leaf}": drawn(4, 4) if leaf == "weight" else drawn(4) for name in names for leaf in ("weight", "bias")
    }


def _example(
    name: str, ours: dict[str, Any], theirs: dict[str, Any], verdict: Verdict, *codes: str, file: str | None = None
) -> Example:
    case = {"initial": "init.ckpt", "reference": "ref.ckpt"}
    if file:
        return Example(
            name,
            files={"init.ckpt": ckpt(ours), "ref.ckpt": ckpt(theirs), "map.yaml": file},
            case={"checkpoints": case | {"map": "map.yaml"}},
            verdict=verdict,
            codes=codes,
        )
    return Example(
        name,
        files={"init.ckpt": ckpt(ours), "ref.ckpt": ckpt(theirs)},
        case={"checkpoints": case},
        verdict=verdict,
        codes=codes,
    )


def _without(weights: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: values for name, values in weights.items() if name not in names}


EXAMPLES = [
    _example("other names for the same layers", _OURS, _THEIRS, Verdict.OK, "by-order"),
    _example("a head without its bias", _without(_OURS, "fc.bias"), _THEIRS, Verdict.PROBLEM, "lacking", "by-order"),
    _example(
        "a bias less before a BatchNorm",
        _OURS,
        {"features.0.weight": drawn(4, 3, 3, 3), "features.0.bias": drawn(4)} | _THEIRS,
        Verdict.UNDECIDED,
        "lacking-before-norm",
        "by-order",
    ),
    _example(
        "a bias more than the benchmark",
        _OURS,
        _without(_THEIRS, "classifier.bias"),
        Verdict.UNDECIDED,
        "additional",
        "by-order",
    ),
    _example(
        "another number of classes",
        _OURS,
        _OURS | {"fc.weight": drawn(3, 4), "fc.bias": drawn(3)},
        Verdict.PROBLEM,
        "shapes-differ",
    ),
    _example("a layer less", _OURS, _OURS | {"extra.weight": drawn(7, 7)}, Verdict.UNDECIDED, "layers-lacking"),
    _example(
        "two layers, and three of their shape",
        _alike("ab"),
        _alike("xyz"),
        Verdict.UNDECIDED,
        "nothing-paired",
        "ambiguous",
    ),
    _example(
        "the same settled by a mapping file",
        _alike("ab"),
        _alike("xyz"),
        Verdict.UNDECIDED,
        "layers-lacking",
        file="parameters: {a.weight: y.weight, a.bias: y.bias, b.weight: x.weight, b.bias: x.bias}\n",
    ),
]
