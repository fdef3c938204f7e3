"""Holds the loss against its definition in float64, on what the project's own network and pipeline give it: value and gradient.

Knows the losses of mindspore.nn and mindspore.mint, with their weights, smoothing and reductions; one of the project's own where
design.loss names what it should compute. The gradient of any other is compared with finite differences of the loss itself, which a
stop_gradient that is meant changes too. Also catches: labels that are no classes, shapes that are spread over each other, a loss that
depends neither on labels nor on outputs. Cannot tell: whether the loss suits the task, and losses of several outputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict
from ..probe import Example
from . import _live

KIND = Kind.LIVE
NEEDS = _live.needs("network", "loss", "pipelines.train")


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tolerance: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="relative difference from the reference that is allowed, of outputs in float32",
            extra={"unit": "1", "source": "own choice: a thousand times the resolution of float32, 1.2e-7"},
        ),
    ] = 1e-4
    half_tolerance: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="the same, of outputs in float16 and bfloat16",
            extra={"unit": "1", "source": "own choice: some times the resolution of bfloat16, 7.8e-3"},
        ),
    ] = 0.03
    gradient_tolerance: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="relative difference between a gradient and finite differences of the loss itself that is allowed",
            extra={"unit": "1", "source": "TheDeepChecker compares with 0.01; five times that, for float32"},
        ),
    ] = 0.05
    seconds: Annotated[
        float,
        Meta(gt=0, description="time for computing the loss", extra={"unit": "s", "source": "own choice"}),
    ] = 120.0


MESSAGES: Words = {
    **_live.LACKS,
    "value-differs": {
        "en": "The loss is {value:.6g}, but {reference} in float64 is {expected:.6g} on the same outputs and labels (relative difference "
        "{error:.2g}, allowed {tolerance:g}).",
        "zh": "损失值为 {value:.6g}，而在相同输出和标签上，float64 的 {reference} 为 {expected:.6g}"
        "（相对差 {error:.2g}，容差 {tolerance:g}）。",
    },
    "gradient-differs": {
        "en": "The gradient of the loss differs from that of {reference} in float64 by {error:.2g} of the largest one (allowed "
        "{tolerance:g}).",
        "zh": "损失的梯度与 float64 的 {reference} 不同，差异为最大梯度的 {error:.2g} 倍（容差 {tolerance:g}）。",
    },
    "not-its-gradient": {
        "en": "The gradient of the loss differs from finite differences of the loss itself by {error:.2g} of the largest one (allowed "
        "{tolerance:g}). An intended stop_gradient inside the loss has the same effect.",
        "zh": "损失的梯度与其自身的有限差分不同，差异为最大梯度的 {error:.2g} 倍（容差 {tolerance:g}）。"
        "损失内部有意使用 stop_gradient 时也会如此。",
    },
    "ignores-labels": {
        "en": "The loss stays the same, bit by bit, when the labels are dealt out to other samples: it does not depend on them.",
        "zh": "把标签换给其他样本后，损失逐位不变：它不依赖标签。",
    },
    "ignores-outputs": {
        "en": "The loss stays the same, bit by bit, when the outputs of the network change: it does not depend on them.",
        "zh": "改变网络输出后，损失逐位不变：它不依赖网络的输出。",
    },
    "softmax-twice": {
        "en": "The softmax is applied twice: the network outputs probabilities that sum to 1, but the loss applies a softmax itself "
        "(adding a number to a whole row does not change it).",
        "zh": "网络输出的是和为 1 的概率，而损失函数接受的是未归一化的分数（整行加同一个数，损失不变，说明其内部有 softmax）："
        "softmax 被执行了两次。",
    },
    "fix-softmax": {
        "en": "Leave the softmax out of the network, or take a loss that expects probabilities.",
        "zh": "请去掉网络末尾的 softmax，或改用以概率为输入的损失函数。",
    },
    "broadcast": {
        "en": "The outputs have the shape {outputs}, the labels {labels}: they are broadcast against each other, so outputs are "
        "compared with labels of other samples.",
        "zh": "输出形状为 {outputs}，标签形状为 {labels}：两者被广播，输出会与其他样本的标签比较。",
    },
    "labels-out-of-range": {
        "en": "Labels run from {low:,} to {high:,}, but the network has {classes:,} classes, 0 to {last:,}.",
        "zh": "标签取值为 {low:,} 至 {high:,}，而网络只输出 {classes:,} 个类别（0 至 {last:,}）。",
    },
    "not-finite": {
        "en": "The loss or its gradient is NaN or Inf on outputs of shape {shape}.",
        "zh": "在形状为 {shape} 的输出上，损失或其梯度为 NaN 或 Inf。",
    },
    "random": {
        "en": "The loss differs each time for the same outputs and labels, so nothing can be compared.",
        "zh": "在相同的输出和标签上，损失每次都不同，无法比较。",
    },
    "several-outputs": {
        "en": "The network has several outputs; only losses of one tensor are examined.",
        "zh": "网络有多个输出；只检查单个张量上的损失。",
    },
    "no-reference": {
        "en": "There is no reference for this loss, so only its gradient was examined. Name the intended loss in design.loss.",
        "zh": "该损失没有可对照的标杆，只检查了梯度。可在 design.loss 中写明它应当计算的内容。",
    },
    "unknown-reference": {
        "en": "design.loss names {name}, which is not known here. Known: {known}.",
        "zh": "design.loss 中的 {name} 无法识别。可用：{known}。",
    },
    "no-result": {
        "en": "The loss was not computed within {seconds:g} s.",
        "zh": "{seconds:g} 秒内没有完成损失的计算。",
    },
    "examined": {
        "en": "The loss was computed on {points:,} sets of outputs of shape {shape} ({dtype}), and {compared}. Whether this loss suits the "
        "task was not examined.",
        "zh": "已在 {points:,} 组形状为 {shape}（{dtype}）的输出上计算损失，{compared}。该损失是否适合任务未作检查。",
    },
    "fix-loss": {
        "en": "Compare the loss term by term with its definition: log and softmax, signs, weights, reduction. Where MindSpore has the "
        "loss, use it.",
        "zh": "请逐项与定义核对：log 与 softmax、符号、权重、reduction。MindSpore 已有的损失请直接使用。",
    },
    "fix-shapes": {
        "en": "Give both the same shape, e.g. outputs.squeeze(-1), or labels.reshape(outputs.shape).",
        "zh": "请让两者形状一致，例如 outputs.squeeze(-1)，或 labels.reshape(outputs.shape)。",
    },
    "fix-labels": {
        "en": "Let labels begin at 0 and the last layer have as many outputs as there are classes.",
        "zh": "标签应从 0 开始，且最后一层的输出数等于类别数。",
    },
}
_WRONG = {
    "en": "Training minimises what the loss computes, not what was intended: it may fall while accuracy does not rise.",
    "zh": "训练降低的是损失实际计算的值，而不是设计的目标：loss 可能下降而精度不升。",
}
_BY_HAND = {
    "en": "Compute the loss of one batch by hand in numpy, from saved outputs and labels.",
    "zh": "保存一个 batch 的输出和标签，用 numpy 手工计算损失并比较。",
}
WHY: Words = dict.fromkeys(
    (
        *("value-differs", "gradient-differs", "not-its-gradient", "ignores-labels", "ignores-outputs", "broadcast"),
        *("labels-out-of-range", "not-finite", "softmax-twice"),
    ),
    _WRONG,
)
PROOF: Words = dict.fromkeys(WHY, _BY_HAND)
WORDS: Words = {
    "points": {"en": "The loss on each set of outputs", "zh": "各组输出上的损失"},
    "value": {"en": "Loss", "zh": "损失"},
    "expected": {"en": "Reference", "zh": "标杆"},
    "error": {"en": "Relative difference", "zh": "相对差"},
    "gradient": {"en": "Difference of gradients", "zh": "梯度差异"},
}


@_live.by_phase("loss")
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events
    from ..live.inside.references import NAMES

    name = case.spec.design.loss
    if name is not None and name not in NAMES:
        data: dict[str, Any] = {"name": name, "known": list(NAMES)}
        yield Finding("unknown-reference", Level.INFO, data=data, incomplete=True)
        name = None
    request = {**_live.network_of(case), "reference": name}
    found: dict[str, Any] = {}
    for event in events(case, "loss", request, params.seconds):
        if event["event"] == "loss":
            found = event
    if not found:
        yield Finding("no-result", Level.INFO, data={"seconds": params.seconds}, incomplete=True)
    elif found["several"]:
        yield Finding("several-outputs", Level.INFO, incomplete=True)
    else:
        yield from _judge(params, found)


def _shape(sizes: list[int]) -> str:
    return "×".join(map(str, sizes)) or "-"


def _judge(params: Params, found: dict[str, Any]) -> Iterator[Finding]:
    shape = _shape(found["shape"])
    if found["range"]:
        low, high, classes = found["range"]
        data: dict[str, Any] = {"low": low, "high": high, "classes": classes, "last": classes - 1}
        yield Finding("labels-out-of-range", Level.PROBLEM, data=data, fix=Fix("fix-labels"))
        return
    points = found["points"]
    rows: list[list[Plain]] = [[one[key] for key in ("value", "expected", "error", "gradient")] for one in points]
    table = Table("points", ["value", "expected", "error", "gradient"], rows)
    if found["broadcast"] is not None:
        data = {"outputs": shape, "labels": _shape(found["broadcast"])}
        yield Finding("broadcast", Level.PROBLEM, data=data, fix=Fix("fix-shapes"))
    if found["random"]:
        yield Finding("random", Level.INFO, incomplete=True)
        return
    if any(one["value"] is None for one in points):
        yield Finding("not-finite", Level.SUSPECT, data={"shape": shape}, evidence=[table])
    if not found["outputs"]:
        yield Finding("ignores-outputs", Level.PROBLEM, fix=Fix("fix-loss"))
    elif found["squashed"] and all(found["squashed"]):
        yield Finding("softmax-twice", Level.PROBLEM, data={"shape": shape}, fix=Fix("fix-softmax"))
    elif found["labels"] is False and found["broadcast"] is None:
        yield Finding("ignores-labels", Level.PROBLEM, fix=Fix("fix-loss"))
    exact = params.half_tolerance if "16" in found["dtype"] else params.tolerance
    yield from _differences(params, exact, found["reference"], points, table)
    data = {"points": len(points), "shape": shape, "dtype": found["dtype"], "compared": _compared(found["reference"])}
    yield Finding("examined", Level.INFO, data=data, evidence=[table])


def _compared(reference: str | None) -> dict[str, str]:
    """What the loss was compared with, in words for both languages."""
    if reference is None:
        return {
            "en": "its gradient compared with finite differences of the loss itself",
            "zh": "并将其梯度与自身的有限差分比较",
        }
    return {
        "en": f"its value and gradient compared with {reference} in float64",
        "zh": f"并将其值和梯度与 float64 的 {reference} 比较",
    }


def _differences(
    params: Params, exact: float, reference: str | None, points: list[dict[str, Any]], table: Table
) -> Iterator[Finding]:
    wrong = [one for one in points if one["error"] is not None and one["error"] > exact]
    if wrong:
        worst = max(wrong, key=lambda one: one["error"])
        data: dict[str, Any] = {key: worst[key] for key in ("value", "expected", "error")}
        data |= {"reference": reference, "tolerance": exact}
        yield Finding("value-differs", Level.PROBLEM, data=data, evidence=[table], fix=Fix("fix-loss"))
    if reference is None:
        yield Finding("no-reference", Level.INFO, incomplete=True)
    tolerance = params.gradient_tolerance if reference is None else max(exact, 1e-3)
    error = max((one["gradient"] for one in points if one["gradient"] is not None), default=0.0)
    if error > tolerance:
        data = {"error": error, "tolerance": tolerance, "reference": reference or "-"}
        code, level = ("not-its-gradient", Level.SUSPECT) if reference is None else ("gradient-differs", Level.PROBLEM)
        if not wrong:  # what is computed otherwise has another gradient too
            yield Finding(code, level, data=data, evidence=[table], fix=Fix("fix-loss"))


_NET = """
import numpy as np
import mindspore.dataset as ds
from mindspore import nn, ops, Tensor

class Net(nn.Cell):
    def __init__(self, outputs=3):
        super().__init__()
        self.layers = nn.SequentialCell([nn.Dense(6, 16), nn.ReLU(), nn.Dense(16, outputs)])

    def construct(self, x):
        return self.layers(x)

def data(labels="classes"):
    random = np.random.default_rng(0)
    x = random.standard_normal((32, 6)).astype(np.float32)
    y = random.integers(0, 3, 32).astype(np.int32) if labels == "classes" else x[:, 0] ** 2
    return ds.NumpySlicesDataset({"x": x, "label": y}, shuffle=False).batch(16)

def own():
    def loss(logits, labels):
        return {body}
    return loss
"""
_CE = "-ops.log_softmax(logits)[ops.arange(logits.shape[0]), labels].mean()"


def _example(
    name: str,
    verdict: Verdict,
    *codes: str,
    loss: str = "net:own",
    body: str = _CE,
    outputs: int = 3,
    labels: str = "classes",
    design: str | None = None,
    **args: Any,
) -> Example:
    case: dict[str, Any] = {
        "network": {"call": "net:Net", "args": {"outputs": outputs}},
        "loss": {"call": loss, "args": args},
        "pipelines": {"train": {"call": "net:data", "args": {"labels": labels}}},
    }
    if design:
        case["design"] = {"loss": design}
    return Example(name, files={"net.py": _NET.replace("{body}", body)}, case=case, verdict=verdict, codes=codes)


_NN = "mindspore.nn:"
EXAMPLES = [
    _example("cross entropy with smoothing", Verdict.OK, loss=_NN + "CrossEntropyLoss", label_smoothing=0.1),
    _example(
        "the mean of sparse labels",
        Verdict.OK,
        loss=_NN + "SoftmaxCrossEntropyWithLogits",
        sparse=True,
        reduction="mean",
    ),
    _example("a cross entropy of one's own", Verdict.OK, design="cross_entropy"),
    _example("one's own, and not said what it is", Verdict.UNDECIDED, "no-reference"),
    _example(
        "a softmax too many",
        Verdict.PROBLEM,
        "value-differs",
        body=_CE.replace("(logits)[", "(ops.softmax(logits))["),
        design="cross_entropy",
    ),
    _example(
        "a loss without labels", Verdict.PROBLEM, "ignores-labels", body="ops.square(logits).mean() + 0 * labels.sum()"
    ),
    _example(
        "one column against a row",
        Verdict.PROBLEM,
        "broadcast",
        loss=_NN + "MSELoss",
        outputs=1,
        labels="values",
    ),
    _example(
        "fewer outputs than classes", Verdict.PROBLEM, "labels-out-of-range", loss=_NN + "CrossEntropyLoss", outputs=2
    ),
    _example(
        "a gradient that is stopped",
        Verdict.UNDECIDED,
        "not-its-gradient",
        body=_CE.replace("(logits)[", "(logits - ops.stop_gradient(0.5 * logits))["),
    ),
]
