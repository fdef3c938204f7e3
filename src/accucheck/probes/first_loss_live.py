"""Computes the first training loss, before any update, and compares it with that of guessing: ln(number of classes).

The project's own functions build network, loss and batches; the rules are those of first_loss. Catches also a loss that is summed over
the batch, by the mean cross-entropy of the outputs. The number of classes is that of data.train.classes, else the width of the output
where labels are whole numbers. Cannot tell: what a loss of another kind should be, and whether weights are random that the function
neither loads with MindSpore nor the case names as pretrained.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any

from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict
from ..probe import Example
from . import _curves, _live, first_loss

KIND = Kind.LIVE
NEEDS = _live.needs("network", "pipelines.train")
USES = ("checkpoints.pretrained",)


class Params(first_loss.Params, frozen=True):
    batches: Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            description="batches whose losses are averaged",
            extra={"unit": "batches", "source": "own choice"},
        ),
    ] = 5
    seconds: Annotated[
        float,
        Meta(gt=0, description="time for the batches", extra={"unit": "s", "source": "own choice"}),
    ] = 120.0


_SHARED = ("first-high", "first-low", "first-fits", "pretrained", "other-loss")
MESSAGES: Words = {
    **{code: first_loss.MESSAGES[code] for code in _SHARED},
    **_live.NO_SAMPLES,
    "first-not-finite": {
        "en": "The loss of batch {batch:,} is NaN or Inf, before any update. Item mp.01 traces where such values come from.",
        "zh": "第 {batch:,} 个 batch 的 loss 在任何更新之前就是 NaN 或 Inf，其来源见检查项 mp.01。",
    },
    "summed": {
        "en": "The loss is {loss:.4g}, {rows:,} times the mean cross-entropy of the outputs ({entropy:.4g}): it is summed over the batch.",
        "zh": "loss 为 {loss:.4g}，是输出的平均交叉熵（{entropy:.4g}）的 {rows:,} 倍：它对 batch 求了和。",
    },
    "fix-mean": {
        "en": 'Use reduction="mean", or divide by the number of samples that count.',
        "zh": '使用 reduction="mean"，或除以有效样本数。',
    },
    "no-classes": {
        "en": "The first training loss is {loss:.4g}; the number of classes is not known. List them in data.train.classes.",
        "zh": "首个训练 loss 为 {loss:.4g}；类别数未知，请在 data.train.classes 中列出各类别。",
    },
    "width": {
        "en": "The output has {width:,} classes, data.train.classes lists {classes:,}.",
        "zh": "网络输出有 {width:,} 个类别，而 data.train.classes 列出了 {classes:,} 个。",
    },
    "answers": {
        "en": "Before any update, {share:.0%} of {rows:,} predictions are one class ({answer:,}), and {count:,} of {width:,} classes "
        "are predicted at all. Random weights often prefer one class; by itself this means nothing.",
        "zh": "更新之前，{rows:,} 个预测中有 {share:.0%} 为同一类（{answer:,}），{width:,} 个类别中有 {count:,} 个被预测到。"
        "随机权重常偏向某一类，这本身并不说明问题。",
    },
    "loaded": {
        "en": "The function that builds the network loaded {count:,} {count:parameter|parameters} from a checkpoint: the first loss "
        "need not be that of a random guess.",
        "zh": "构建网络的函数从 checkpoint 加载了 {count:,} 个参数：首个 loss 不必接近随机猜测。",
    },
}
WORDS: Words = {
    **_curves.WORDS,
    "losses": {"en": "Losses before any update", "zh": "更新之前的 loss"},
    "batch": {"en": "batch", "zh": "batch"},
    "entropy": {"en": "cross-entropy of the outputs", "zh": "输出的交叉熵"},
    "guess": first_loss.WORDS["guess"],
}
WHY: Words = {
    **first_loss.WHY,
    "summed": {
        "en": "A sum makes gradients as many times larger as the batch has samples: the learning rate means something else, and "
        "changes its meaning with the batch size.",
        "zh": "求和使梯度放大为样本数倍：学习率的含义随之改变，并随 batch 大小而变。",
    },
}
PROOF: Words = {
    **first_loss.PROOF,
    "summed": {
        "en": "Halve the batch size: a loss that is summed halves too.",
        "zh": "将 batch 大小减半：求和的 loss 也会减半。",
    },
}


@_live.by_phase()
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    request = {**_live.network_of(case), "batches": params.batches, "seconds": params.seconds}
    losses: list[dict[str, Any]] = []
    loaded = 0
    for event in events(case, "first_losses", request, params.seconds):
        if event["event"] == "network":
            loaded = event["loaded"]
        elif event["event"] == "loss":
            losses.append(event)
            yield Progress(len(losses), params.batches, "steps")
    if loaded:
        yield Finding("loaded", Level.INFO, data={"count": loaded})
    if not losses:
        yield Finding("no-samples", Level.INFO, data={"seconds": params.seconds}, incomplete=True)
        return
    yield from _judged(case, params, losses, bool(loaded or case.get("checkpoints.pretrained")))


def _judged(case: Case, params: Params, losses: list[dict[str, Any]], pretrained: bool) -> Iterator[Finding]:
    listed = case.get("data.train.classes")
    width = losses[0].get("width", 0)
    classes = len(listed) if isinstance(listed, list) else width
    evidence = _table(losses, classes)
    broken = [number for number, one in enumerate(losses, start=1) if one["loss"] is None]
    if broken:
        yield Finding("first-not-finite", Level.SUSPECT, data={"batch": broken[0]}, evidence=evidence)
        return
    value = sum(one["loss"] for one in losses) / len(losses)
    data: dict[str, Any] = {"loss": value}
    call = str(case.get("loss.call") or "")
    known = [one for one in losses if "entropy" in one]
    if not (known or not call or first_loss.CROSS_ENTROPY.search(call)):
        yield Finding("other-loss", Level.INFO, data=data | {"call": call}, evidence=evidence, incomplete=True)
    elif known and _all(known, lambda one: one["entropy"] * one["rows"]) and known[0]["rows"] > 1:
        first = {name: known[0][name] for name in ("loss", "rows", "entropy")}
        yield Finding("summed", Level.SUSPECT, data=first, evidence=evidence, fix=Fix("fix-mean"))
    elif not first_loss.CROSS_ENTROPY.search(call) and call and not _all(known, lambda one: one["entropy"]):
        yield Finding("other-loss", Level.INFO, data=data | {"call": call}, evidence=evidence, incomplete=True)
    elif classes < 2:
        yield Finding("no-classes", Level.INFO, data=data, evidence=evidence, incomplete=True)
    else:
        code, level, more = first_loss.compared(value, classes, params, pretrained)
        yield Finding(code, level, data=data | more, evidence=evidence, incomplete=code == "pretrained")
    if width and classes != width:
        yield Finding("width", Level.INFO, data={"width": width, "classes": classes})
    if known and all(one["width"] == width for one in known):
        counts = [sum(part) for part in zip(*(one["answers"] for one in known), strict=True)]
        rows, answer = sum(counts), max(range(width), key=counts.__getitem__)
        data = {"rows": rows, "answer": answer, "share": counts[answer] / rows, "count": sum(map(bool, counts))}
        yield Finding("answers", Level.INFO, data=data | {"width": width})


def _all(losses: list[dict[str, Any]], expected: Any) -> bool:
    """Whether each loss is this, as far as single precision goes."""
    return all(math.isclose(one["loss"], expected(one), rel_tol=1e-3) for one in losses)


def _table(losses: list[dict[str, Any]], classes: int) -> list[Evidence]:
    guess = math.log(classes) if classes > 1 else None
    rows: list[list[Plain]] = [
        [number, one["loss"], one.get("entropy"), guess] for number, one in enumerate(losses, start=1)
    ]
    return [Table("losses", ["batch", "loss", "entropy", "guess"], rows)]


_NET = """
import numpy as np
import mindspore.dataset as ds
from mindspore import nn

class Net(nn.Cell):
    def __init__(self, scale=1.0):
        super().__init__()
        self.scale, self.one, self.two = scale, nn.Dense(8, 32), nn.Dense(32, 10)

    def construct(self, x):
        return self.two(nn.ReLU()(self.one(x * self.scale)))

def create():
    random = np.random.default_rng(0)
    x, y = random.standard_normal((64, 8)).astype(np.float32), (np.arange(64) % 10).astype(np.int32)
    return ds.NumpySlicesDataset({"x": x, "label": y}, shuffle=False).batch(16)

def hinge():
    return lambda scores, label: nn.ReLU()(1 - scores[:, :1]).mean()
"""


def _example(
    name: str, verdict: Verdict, *codes: str, loss: str = "mindspore.nn:CrossEntropyLoss", **more: Any
) -> Example:
    case: dict[str, Any] = {
        "network": {"call": "net:Net", "args": more.pop("net", {})},
        "loss": {"call": loss, "args": more.pop("args", {})},
        "pipelines": {"train": {"call": "net:create"}},
        **more,
    }
    return Example(name, files={"net.py": _NET}, case=case, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("fresh weights", Verdict.OK, "first-fits", "answers"),
    _example("inputs of a thousand", Verdict.UNDECIDED, "first-high", net={"scale": 1000.0}),
    _example("summed over the batch", Verdict.UNDECIDED, "summed", args={"reduction": "sum"}),
    _example("a loss of another kind", Verdict.UNDECIDED, "other-loss", loss="net:hinge"),
    _example("fewer classes than the output has", Verdict.OK, "width", data={"train": {"classes": list(range(5))}}),
]
