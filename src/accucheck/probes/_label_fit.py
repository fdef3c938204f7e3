"""How outputs and labels go together, for the probes that see both: in a recording, or in a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..case import Case
from ..language import Words
from ..live.inside.fitting import spread_over
from ..model import Finding, Fix, Level, Verdict
from ..model import suggest as usual
from . import _declared_padding

if TYPE_CHECKING:
    from ..knowledge.api import Api

MESSAGES: Words = {
    "beyond": {
        "en": "Labels run from {low:,} to {high:,}, but the network has {classes:,} outputs, for 0 to {last:,}: none is for {labels}.",
        "zh": "标签取值为 {low:,} 至 {high:,}，而网络只有 {classes:,} 个输出，对应 0 至 {last:,}：{labels} 没有对应的输出。",
    },
    "from-one": {
        "en": "Labels run from 1 to {high:,}, the {classes:,} outputs of the network are for 0 to {last:,}: labels count from 1.",
        "zh": "标签取值为 1 至 {high:,}，网络有 {classes:,} 个输出，对应 0 至 {last:,}：标签从 1 开始，而输出从 0 开始。",
    },
    "from-one-perhaps": {
        "en": "Labels of a batch run from 1 to {high:,}, while the {classes:,} outputs of the network stand for classes 0 to {last:,}. "
        "Unless 1 is subtracted before the loss, labels start at 1.",
        "zh": "一个 batch 的标签取值为 1 至 {high:,}，网络有 {classes:,} 个输出，对应 0 至 {last:,}。若计算损失之前没有减 1，"
        "标签就是从 1 开始的。",
    },
    "less-one": {
        "en": "Labels of a batch run from 1 to {high:,}; the loss equals the one computed with labels minus 1, which fit the "
        "{classes:,} outputs.",
        "zh": "一个 batch 的标签取值为 1 至 {high:,}；loss 等于标签减 1 后计算的结果，减 1 后的标签均在 {classes:,} 个输出的范围之内。",
    },
    "left-out-perhaps": {
        "en": "The label {labels} has no output among {classes:,}. Where the loss leaves it out, name it in the loss (ignore_index).",
        "zh": "标签 {labels} 在 {classes:,} 个输出中没有对应项。如果损失函数会忽略它，请在损失中写明（ignore_index）。",
    },
    "spread": {
        "en": "Outputs have the shape {outputs}, labels {shape}. The loss broadcasts both to {spread}, so each output is compared with "
        "the labels of all samples in the batch.",
        "zh": "网络输出的形状为 {outputs}，标签的形状为 {shape}。计算 loss 时两者会广播为 {spread}，"
        "每个输出都会与同一 batch 所有样本的标签比较。",
    },
    "fits": {
        "en": "Labels from {low:,} to {high:,} lie within the {classes:,} outputs ({batches:,} {batches:batch|batches}).",
        "zh": "标签 {low:,} 至 {high:,} 均在 {classes:,} 个输出的范围之内（{batches:,} 个 batch）。",
    },
    "same-shape": {
        "en": "Outputs and labels have the same shape, {outputs} ({batches:,} {batches:batch|batches}).",
        "zh": "输出与标签形状相同，均为 {outputs}（{batches:,} 个 batch）。",
    },
    "each-with-its-own": {
        "en": "Outputs have the shape {outputs}, labels {shape}: the loss of the first step compares each output with its own label.",
        "zh": "输出形状为 {outputs}，标签形状为 {shape}：第一步的 loss 等于各输出与其自身标签计算的结果。",
    },
    "not-compared": {
        "en": "Outputs of shape {outputs} and labels of shape {shape} go together in a way that only the loss knows.",
        "zh": "输出形状为 {outputs}，标签形状为 {shape}，二者如何对应只有损失函数知道。",
    },
    "fix-labels": {
        "en": "Let labels begin at 0, and the last layer have as many outputs as there are classes.",
        "zh": "标签从 0 开始，最后一层的输出数等于类别数。",
    },
    "fix-shapes": {
        "en": "Give both one shape, e.g. outputs.squeeze(-1), or labels.reshape(outputs.shape).",
        "zh": "让两者形状一致，例如 outputs.squeeze(-1)，或 labels.reshape(outputs.shape)。",
    },
}
_NO_CLASS = {
    "en": "A label without an output raises an error on some devices; on others it is ignored, yields NaN or counts as another class.",
    "zh": "没有对应输出的标签，在有的设备上报错，在另一些设备上则不起作用、得到 NaN 或被当作其他类别。",
}
WHY: Words = {
    **dict.fromkeys(("beyond", "from-one", "from-one-perhaps", "left-out-perhaps"), _NO_CLASS),
    "spread": {
        "en": "The network learns the mean of the labels of a batch, whatever the input: the loss falls a little and then stays.",
        "zh": "网络学到的只是一个 batch 标签的平均值，与输入无关：loss 稍降之后便停住。",
    },
}
_PRINT = {
    "en": "Print the shapes of both and the lowest and highest label where the loss is called.",
    "zh": "在调用损失函数处打印两者的形状，以及标签的最小值和最大值。",
}
PROOF: Words = dict.fromkeys(WHY, _PRINT)


@dataclass
class LabelObservation:
    """What was seen of all batches: shapes of the first, labels of all."""

    first: dict[str, Any] = field(default_factory=dict)
    batches: int = 0
    low: int | None = None
    high: int | None = None
    beyond: set[int] = field(default_factory=set)
    #: How the loss takes labels, of the first batch that tells of it.
    against: str | None = None

    def add(self, facts: dict[str, Any]) -> None:
        """Of one batch, as live/inside/fitting.py tells it."""
        self.first = self.first or facts
        self.batches += 1
        self.against = facts.get("against") if self.against is None else self.against
        if facts.get("low") is not None:
            self.low = facts["low"] if self.low is None else min(self.low, facts["low"])
            self.high = facts["high"] if self.high is None else max(self.high, facts["high"])
            self.beyond |= set(facts["beyond"])


def judged(case: Case, seen: LabelObservation) -> Finding:
    """What there is to say of the pair."""
    first = seen.first
    outputs, labels, classes = first["outputs"], first["labels"], first["classes"]
    data: dict[str, Any] = {"outputs": shown(outputs), "shape": shown(labels), "batches": seen.batches}
    spread = spread_over(outputs, labels)
    if spread and (classes <= 1):
        return _spread(case, seen.against, data | {"spread": shown(spread)})
    if classes > 1:
        assert seen.low is not None and seen.high is not None
        beyond = sorted(seen.beyond - ignored(case))
        within = {one for one in (seen.low, seen.high) if 0 <= one < classes}
        data |= {"low": seen.low, "high": seen.high, "classes": classes, "last": classes - 1, "labels": beyond}
        if not beyond:
            known = {"low": min(within, default=0), "high": max(within, default=classes - 1)}
            return Finding("fits", Level.INFO, data=data | known)
        if beyond == [classes] and seen.low == 1:
            return _from_one(seen.against, data)
        if _loss(case) is not None:  # of which it is known what it leaves out
            return Finding("beyond", Level.PROBLEM, data=data, fix=Fix("fix-labels"))
        code = "left-out-perhaps" if beyond[-1] < 0 or (len(beyond) == 1 and beyond != [classes]) else "beyond"
        return Finding(code, Level.SUSPECT, data=data, fix=Fix("fix-labels"))
    if outputs == labels:
        return Finding("same-shape", Level.INFO, data=data)
    return Finding("not-compared", Level.INFO, data=data, incomplete=True)


def _from_one(against: str | None, data: dict[str, Any]) -> Finding:
    """Of labels from 1 on: those that the loss gets, or, where only those of the batch were seen, what the loss itself says of them."""
    if against == "one":
        return Finding("less-one", Level.INFO, data=data)
    if against == "":
        return Finding("from-one-perhaps", Level.SUSPECT, data=data, fix=Fix("fix-labels"))
    return Finding("from-one", Level.PROBLEM, data=data, fix=Fix("fix-labels"))


def _spread(case: Case, against: str | None, data: dict[str, Any]) -> Finding:
    """Of shapes that spread over each other: the loss itself says whether they did. A loss of one's own may bring both into one shape."""
    if against == "each":
        return Finding("each-with-its-own", Level.INFO, data=data)
    loss = _loss(case)
    takes_both_as_they_are = loss is not None and loss.labels == "same-shape"
    if against == "all" or takes_both_as_they_are:
        return Finding("spread", Level.PROBLEM, data=data, fix=Fix("fix-shapes"))
    if against is None:
        return Finding("spread", Level.SUSPECT, data=data, fix=Fix("fix-shapes"))
    return Finding("not-compared", Level.INFO, data=data, incomplete=True)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """That both go together does not say that the loss is right."""
    verdict = usual(findings)
    return Verdict.UNDECIDED if verdict is Verdict.OK else verdict


def ignored(case: Case) -> set[float]:
    """Labels that stand for nothing: what the loss leaves out, and the value that pads."""
    return _declared_padding.of_case(case).labels()


def _loss(case: Case) -> Api | None:
    """The loss of the case, where it is MindSpore's."""
    from ..knowledge import api, names

    loss = case.spec.loss
    known = api.find(names.canonical(loss.call.replace(":", "."))) if loss is not None else None
    return known if known is not None and known.kind == "loss" else None


def shown(shape: list[int]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
