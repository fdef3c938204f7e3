"""Compares the network as the project builds it with what was exported of it (graphs.path, a MindIR) on the same training batches.

Weights, the outputs in inference mode with the network's own weights, and with those of the export: so a file that was exported of other
weights, in training mode, or of a network that computes something else is told from rounding. Cannot tell: whether an export that takes
other inputs, such as pictures that are not normalised, was meant so.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example, Skip
from . import _live

KIND = Kind.LIVE
NEEDS = (*_live.needs("network", "pipelines.train"), "graphs.path")
USES = ("checkpoints.current",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    difference: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="how far outputs may be apart, relative to the largest",
            extra={"unit": "share", "source": "measured: float32 on a CPU differs by less than 1e-5"},
        ),
    ] = 1e-3
    reduced: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="and how far where all answers are the same, as an export in 16 bits has it",
            extra={"unit": "share", "source": "own choice: float16 keeps 3 digits, and sums lose one"},
        ),
    ] = 0.02
    batches: Annotated[
        int,
        Meta(ge=1, le=100, description="batches of training data", extra={"unit": "batches", "source": "own choice"}),
    ] = 2
    seconds: Annotated[
        float,
        Meta(gt=0, description="time for these batches", extra={"unit": "s", "source": "own choice"}),
    ] = 120.0


_APART = {
    "en": "On {batches:,} batches the outputs of the export and of the network differ by {difference:.2g} of the largest",
    "zh": "在 {batches:,} 个 batch 上，导出模型与网络的输出相差最大输出的 {difference:.2g} 倍",
}
MESSAGES: Words = {
    "no-mindir": {
        "en": "graphs.path ({path}) names no MindIR (.mindir); only a MindIR can be run and compared with the network.",
        "zh": "graphs.path（{path}）不是 MindIR 文件（.mindir），无法与网络一起运行比较。",
    },
    "export-fails": {
        "en": "MindSpore does not run {path} on the batches of the training: {error}",
        "zh": "MindSpore 无法在训练数据上运行 {path}：{error}",
    },
    "export-agrees": {"en": _APART["en"] + ".", "zh": _APART["zh"] + "。"},
    "export-activation": {
        "en": "The export outputs {activation} of the network's output, and agrees apart from that.",
        "zh": "导出模型的输出是网络输出的 {activation}，除此之外一致。",
    },
    "export-other-weights": {
        "en": "{other:,} of {matched:,} weights in {path} differ from the network's, {name} by {apart:.2g} of its largest value: the "
        "export was made from another checkpoint, or before weights were loaded.",
        "zh": "{path} 中 {matched:,} 个权重有 {other:,} 个与网络不同，{name} 相差其最大值的 {apart:.2g} 倍：它由另一个 checkpoint 导出，"
        "或在加载权重之前导出。",
    },
    "export-in-training": {
        "en": "The export matches the network in training mode (difference {training:.2g}), not in inference mode ({difference:.2g}): "
        "it was exported without set_train(False).",
        "zh": "导出模型的计算与网络的训练模式一致（相差 {training:.2g}），而与推理模式不一致（{difference:.2g}）："
        "导出前没有调用 set_train(False)。",
    },
    "export-random": {
        "en": "Run twice on the same batches, the export's results differ by {random:.2g}, while the network in inference mode is "
        "deterministic: Dropout was exported in training mode.",
        "zh": "同样的 batch 输入两次，导出模型的结果相差 {random:.2g}，而推理模式的网络没有随机性：导出时 Dropout 处于训练模式。",
    },
    "export-differs": {
        "en": _APART["en"]
        + ", with the same weights: the export computes something else, or expects differently processed inputs (normalisation, "
        "channel order).",
        "zh": _APART["zh"] + "，而权重相同：导出的计算与网络不同，或它要求的输入预处理不同（归一化、通道顺序）。",
    },
    "export-shapes": {
        "en": "The export has outputs of shape {there}, the network {own}: they are not the same network.",
        "zh": "导出模型的输出形状为 {there}，网络为 {own}：两者不是同一个网络。",
    },
    "export-weights-unknown": {
        "en": "Neither checkpoints.current nor the function that builds the network supplies weights, so those of the export were "
        "used; whether they are the right ones is not known.",
        "zh": "checkpoints.current 和构建网络的函数都没有给出权重，因此比较时使用了导出模型中的权重；它们是否正确未知。",
    },
    **_live.NO_SAMPLES,
    "fix-export-mode": {
        "en": "Call net.set_train(False) before export, on a network that was not exported in training mode in the same process.",
        "zh": "导出前调用 net.set_train(False)，并且不要在同一进程中先以训练模式导出该网络。",
    },
    "fix-export-weights": {
        "en": "Load the checkpoint into the network before export, and check the return value of load_param_into_net.",
        "zh": "导出前把 checkpoint 加载到网络，并检查 load_param_into_net 的返回值。",
    },
}
_DEPLOYED = {
    "en": "The deployed model gives different results from the evaluated one, without any error.",
    "zh": "部署的模型与评估过的模型给出不同结果，而不会报错。",
}
WHY: Words = dict.fromkeys(
    ("export-other-weights", "export-in-training", "export-random", "export-differs", "export-shapes"), _DEPLOYED
)
_AGAIN = {
    "en": "Export again as described under Fix, load it with nn.GraphCell(mindspore.load(file)), and compare both outputs on one batch.",
    "zh": "按修复建议重新导出，用 nn.GraphCell(mindspore.load(file)) 加载，在同一个 batch 上比较两者的输出。",
}
PROOF: Words = dict.fromkeys(WHY, _AGAIN)
WORDS: Words = {
    "exported": {"en": "The export against the network", "zh": "导出模型与网络的比较"},
    "against": {"en": "network", "zh": "网络"},
    "difference": {"en": "difference, of the largest output", "zh": "差异（相对最大输出）"},
    "agreement": {"en": "same answers", "zh": "预测相同的比例"},
    "own": {"en": "inference mode, its own weights", "zh": "推理模式，自身权重"},
    "graph": {"en": "inference mode, the weights of the export", "zh": "推理模式，导出模型的权重"},
    "training": {"en": "training mode, the weights of the export", "zh": "训练模式，导出模型的权重"},
}
#: What a mode tells has to be so many times nearer than the other.
_CLEARLY = 10


@_live.by_phase()
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises Skip where graphs.path is not a MindIR, and UserError as the other live probes."""
    from ..live.child import events

    (exported,) = case.paths("graphs.path")
    if not exported.is_file() or exported.suffix != ".mindir":
        raise Skip("no-mindir", path=case.relative(exported))
    request = {
        **_live.network_of(case, _live.checkpoint_of(case)),
        **{"exported": str(exported.resolve()), "batches": params.batches, "seconds": params.seconds},
    }
    where = Where(case.relative(exported))
    found = False
    for event in events(case, "exported", request, params.seconds):
        if event["event"] == "cannot":
            found = True
            data = {"path": where.path, "error": event["error"]}
            yield Finding("export-fails", Level.INFO, where, data, incomplete=True)
        elif event["event"] == "exported":
            found = True
            yield from _judged(params, event, where)
    if not found:
        yield Finding("no-samples", Level.INFO, where, {"seconds": params.seconds}, incomplete=True)


def _judged(params: Params, event: dict[str, Any], where: Where) -> Iterator[Finding]:
    evidence: list[Evidence] = [_table(event)]
    weights, graph = event["weights"], event["graph"]
    if weights["other"] and event["known"]:
        data = {"path": where.path, "apart": weights["difference"]}
        data |= {key: weights[key] for key in ("other", "matched", "name")}
        yield Finding("export-other-weights", Level.SUSPECT, where, data, evidence, Fix("fix-export-weights"))
    elif weights["other"]:
        yield Finding("export-weights-unknown", Level.INFO, where, incomplete=True)
    if event["activation"] is not None:
        yield Finding("export-activation", Level.INFO, where, {"activation": event["activation"]}, evidence)
    elif graph["difference"] is None:
        there, own = (", ".join(map(str, event["graph"]["shapes"][at])) or "-" for at in (1, 0))
        yield Finding("export-shapes", Level.SUSPECT, where, {"there": there, "own": own}, evidence)
    else:
        yield _compared(params, event, where, evidence)


def _compared(params: Params, event: dict[str, Any], where: Where, evidence: list[Evidence]) -> Finding:
    """The computation alone: the network holds the weights of the export."""
    graph, training = event["graph"]["difference"], event["training"]["difference"]
    data: dict[str, Any] = {"difference": graph, "training": training, "random": event["random"]}
    data["batches"] = event["batches"]
    if graph <= params.difference or (graph <= params.reduced and event["graph"]["agreement"] == 1):
        return Finding("export-agrees", Level.INFO, where, data, evidence)
    fix = Fix("fix-export-mode")
    if (event["random"] or 0) > params.difference:
        return Finding("export-random", Level.PROBLEM, where, data, evidence, fix)
    in_training = training is not None and training <= params.difference and training * _CLEARLY < graph
    if in_training and event["modes"] > params.difference:
        return Finding("export-in-training", Level.PROBLEM, where, data, evidence, fix)
    return Finding("export-differs", Level.SUSPECT, where, data, evidence)


def _table(event: dict[str, Any]) -> Table:
    rows: list[list[Plain]] = [
        [key, event[key]["difference"], event[key]["agreement"]] for key in ("own", "graph", "training")
    ]
    return Table("exported", ["against", "difference", "agreement"], rows)


_NET = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import Tensor, nn, ops

class Net(nn.Cell):
    def __init__(self, p=0.0):
        super().__init__()
        self.first, self.norm, self.last = nn.Dense(8, 16), nn.BatchNorm1d(16), nn.Dense(16, 3)
        self.drop = nn.Dropout(p=p) if p else nn.Identity()

    def construct(self, x):
        return self.last(self.drop(ops.relu(self.norm(self.first(x)))))

class Deployed(nn.Cell):
    def __init__(self, net, scale=1.0, softmax=False):
        super().__init__()
        self.net, self.scale, self.softmax = net, scale, softmax

    def construct(self, x):
        out = self.net(x * self.scale)
        return ops.softmax(out, -1) if self.softmax else out

def data():
    random = np.random.default_rng(0)
    x = 1 + 2 * random.standard_normal((64, 8)).astype(np.float32)
    return ds.NumpySlicesDataset({"x": x, "label": (np.arange(64) % 3).astype(np.int32)}, shuffle=False).batch(16)
"""
_EXPORT = """
import sys
from net import *

ms.set_context(pynative_synchronize=True)
ms.set_seed(1)
net = Net(p={p})
net.set_train(False)
ms.save_checkpoint(net, "net.ckpt")
{before}
ms.export({what}, Tensor(np.zeros(({rows}, 8), np.float32)), file_name="net", file_format="MINDIR")
"""


def _example(
    name: str, verdict: Verdict, *codes: str, before: str = "", what: str = "net", p: float = 0.0, rows: int = 16
) -> Example:
    def export(path: Path) -> None:
        import subprocess
        import sys

        code = _EXPORT.format(before=before, what=what, p=p, rows=rows)
        subprocess.run([sys.executable, "-B", "-c", code], cwd=path.parent, check=True, capture_output=True)

    case: dict[str, Any] = {
        "network": {"call": "net:Net", "args": {"p": p}},
        "loss": {"call": "mindspore.nn:CrossEntropyLoss"},
        "pipelines": {"train": {"call": "net:data"}},
        "graphs": {"path": "net.mindir"},
        "checkpoints": {"current": "net.ckpt"},
    }
    return Example(name, files={"net.py": _NET, "net.mindir": export}, case=case, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("exported in inference mode, with Dropout", Verdict.OK, "export-agrees", p=0.5),
    _example("exported with a softmax at its end", Verdict.OK, "export-activation", what="Deployed(net, 1.0, True)"),
    _example("exported in training mode", Verdict.PROBLEM, "export-in-training", before="net.set_train(True)"),
    _example("Dropout that was exported", Verdict.PROBLEM, "export-random", before="net.set_train(True)", p=0.5),
    _example(
        *("exported before the weights were loaded", Verdict.UNDECIDED, "export-other-weights", "export-agrees"),
        before="ms.set_seed(2); net = Net(); net.set_train(False)",
    ),
    _example("exported for inputs of 0 to 255", Verdict.UNDECIDED, "export-differs", what="Deployed(net, 1 / 255)"),
]
