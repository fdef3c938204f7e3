"""Compares the first training loss with that of guessing: ln(number of classes) for cross-entropy over random weights.

A network that knows nothing gives each class about the same probability. A loss far above says that inputs or first weights are too
large, or labels and outputs do not belong together; one far below, that the weights are not random or the loss is another one. Neither is
wrong by itself, so that both are suspects (TheDeepChecker checks the same, TOSEM 2022). A BatchNorm behind the inputs, and very small first
weights, hide inputs that are too large. Only for cross-entropy of one label a sample, averaged over the batch; the number of classes is
that of data.train.classes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Kind, Level, Progress, Verdict
from ..probe import Example
from . import _curves

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("curves.train",)


class Params(msgspec.Struct, frozen=True):
    above: Annotated[
        float,
        Meta(
            gt=0,
            description="a first loss of more than ln(classes) and so much is suspect",
            extra={
                "unit": "nat",
                "source": "measured: up to 4.2 with normalised inputs (5 networks, 4 initialisers, 2 to 1000 classes), from 7.9 with "
                "pixels up to 255 where they show at all",
            },
        ),
    ] = 6.0
    below: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="a first loss of less than this share of ln(classes) is suspect",
            extra={"unit": "1", "source": "own choice; measured: never less than 0.95 for random weights"},
        ),
    ] = 0.5


_SAID = (
    "The first training loss is {loss:.4g}; a random guess among {classes:,} classes has ln({classes:,}) = {expected:.4g} ({ratio:.2f} "
    "times)",
    "首个训练 loss 为 {loss:.4g}；在 {classes:,} 个类别中随机猜测时应约为 ln({classes:,}) = {expected:.4g}（{ratio:.2f} 倍）",
)
MESSAGES: Words = {
    **_curves.MESSAGES,
    "first-high": {
        "en": _SAID[0]
        + ": inputs that are not normalised, first weights that are too large, or labels that do not fit the outputs.",
        "zh": _SAID[1] + "：可能输入未归一化、初始权重过大，或标签与输出不对应。",
    },
    "first-low": {
        "en": _SAID[0]
        + ": the weights are not random, the loss is not the mean cross-entropy over these classes, or nearly all samples "
        "of the batch are of one class.",
        "zh": _SAID[1] + "：可能权重并非随机初始化、loss 不是这些类别上的平均交叉熵，或该 batch 几乎只有一个类别。",
    },
    "first-fits": {"en": _SAID[0] + ".", "zh": _SAID[1] + "。"},
    "first-not-finite": {
        "en": "The first training loss is NaN or Inf. Item mp.01 traces where such values come from.",
        "zh": "首个训练 loss 即为 NaN 或 Inf，其来源见检查项 mp.01。",
    },
    "pretrained": {
        "en": _SAID[0] + ". accucheck.yaml names pretrained weights, with which training may start lower.",
        "zh": _SAID[1] + "。accucheck.yaml 给出了预训练权重，由此开始的 loss 可以更低。",
    },
    "no-classes": {
        "en": "The first training loss is {loss:.4g}; the number of classes is not known. List them in data.train.classes.",
        "zh": "首个训练 loss 为 {loss:.4g}；类别数未知，请在 data.train.classes 中列出各类别。",
    },
    "not-first": {
        "en": "The first recorded training loss ({loss:.4g}) is that of {unit} {at:,.12g}: the network has already learned by then, or "
        "continues an earlier training run. Record from the first step.",
        "zh": "最早记录的训练 loss（{loss:.4g}）属于第 {at:,.12g} 个 {unit}：网络此时已经学过，或是接着之前的训练。请从第一步开始记录。",
    },
    "mean-of-epoch": {
        "en": "{path} has one training loss per epoch ({loss:.4g} for the first): the loss before anything was learned is not known. "
        "Record each step.",
        "zh": "{path} 每个 epoch 只给出一个训练 loss（第一个为 {loss:.4g}）：学习之前的 loss 未知，请每步都记录。",
    },
    "other-loss": {
        "en": "accucheck.yaml names {call} as the loss: only a mean cross-entropy starts at about ln(number of classes).",
        "zh": "accucheck.yaml 的 loss 为 {call}：只有平均交叉熵在随机猜测时才约为 ln(类别数)。",
    },
    "no-loss": {
        "en": "No column of {path} is known as a training loss.",
        "zh": "{path} 中没有可识别为训练 loss 的列。",
    },
}
WORDS: Words = {
    **_curves.WORDS,
    "first": {"en": "The first training losses", "zh": "最初的训练 loss"},
    "guess": {"en": "guessing", "zh": "随机猜测"},
}
_SURE_OF_ITSELF = {
    "en": "A network that is sure of wrong answers before it has seen anything spends its first steps on unlearning them, and may saturate "
    "or diverge.",
    "zh": "网络还没学习就对错误答案过于自信，最初的训练只是在纠正它，并可能饱和或发散。",
}
WHY: Words = {
    "first-high": _SURE_OF_ITSELF,
    "first-low": {
        "en": "A loss that is not computed as intended, or over labels that are nearly all the same, does not train what it should.",
        "zh": "loss 的计算与预期不符，或标签几乎全部相同，训练的目标就不是想要的目标。",
    },
}
_BY_HAND = {
    "en": "With fresh weights, print the outputs of the network and the labels of one batch, and compute the mean cross-entropy by hand.",
    "zh": "用新初始化的权重打印一个 batch 的网络输出和标签，手工计算平均交叉熵进行核对。",
}
PROOF: Words = {"first-high": _BY_HAND, "first-low": _BY_HAND}

#: Names of losses whose value for guessing is ln(classes).
CROSS_ENTROPY = re.compile(r"cross_?entropy|nll", re.IGNORECASE)
#: Points of the chart.
_FIRST = 100


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    logs = _curves.Logs(case, "curves.train")
    yield Progress(1, 1, "files")
    found = list(_judged(case, params, logs))
    yield from logs.findings()
    yield from found


def _judged(case: Case, params: Params, logs: _curves.Logs) -> Iterator[Finding]:
    loss = logs.series("loss")
    if loss is None:
        paths = [case.relative(path) for path in case.paths("curves.train")]
        yield Finding("no-loss", Level.INFO, data={"path": paths}, incomplete=True)
        return
    value = float(loss.values[0])
    data: dict[str, Any] = {"loss": value if math.isfinite(value) else None, "path": loss.path}
    classes = case.get("data.train.classes")
    count = len(classes) if isinstance(classes, list) else 0
    evidence = _chart(loss, count)
    call = str(case.get("loss.call") or "")
    if not math.isfinite(value):
        yield Finding("first-not-finite", Level.SUSPECT, loss.where, {}, evidence)
    elif (late := _late(loss)) is not None:
        unit, at = late
        yield Finding(
            "not-first", Level.INFO, loss.where, data | {"unit": _curves.UNITS[unit], "at": at}, incomplete=True
        )
    elif loss.unit == "epoch" and loss.steps[0] != 1:
        yield Finding("mean-of-epoch", Level.INFO, loss.where, data, incomplete=True)
    elif call and not CROSS_ENTROPY.search(call):
        yield Finding("other-loss", Level.INFO, loss.where, data | {"call": call}, incomplete=True)
    elif count < 2:
        yield Finding("no-classes", Level.INFO, loss.where, data, incomplete=True)
    else:
        code, level, more = compared(value, count, params, bool(case.get("checkpoints.pretrained")))
        data |= more
        yield Finding(code, level, loss.where, data, evidence)


def compared(value: float, classes: int, params: Params, pretrained: bool) -> tuple[str, Level, dict[str, Any]]:
    """Code, level and data of a finite first loss, against that of guessing among `classes`."""
    expected = math.log(classes)
    data = {"classes": classes, "expected": expected, "ratio": value / expected}
    if value - expected > params.above:
        return "first-high", Level.SUSPECT, data
    if data["ratio"] < params.below:
        return ("pretrained", Level.INFO, data) if pretrained else ("first-low", Level.SUSPECT, data)
    return "first-fits", Level.INFO, data


def _chart(loss: _curves.Series, classes: int) -> list[Evidence]:
    """The first losses, and beside them that of guessing."""
    import numpy as np

    if len(loss.x) < 2:
        return []
    series = {"training-loss": loss.values[:_FIRST]}
    if classes > 1:
        series["guess"] = np.full(len(series["training-loss"]), math.log(classes))
    return [_curves.chart("first", loss.unit, "loss", loss.x[:_FIRST], series)]


def _late(loss: _curves.Series) -> tuple[str, float] | None:
    """Where the first point lies, when that is not the beginning of a training; counting begins with 0 or 1."""
    if loss.epochs[0] > 1:
        return "epoch", float(loss.epochs[0])
    if loss.unit != "epoch" and loss.steps[0] > 1:
        return "step", float(loss.steps[0])
    return None


def _log(first: float, step: int = 1) -> str:
    """A log that LossMonitor printed."""
    return "".join(f"epoch: 1 step: {step + n}, loss is {first * 0.97**n:.4f}\n" for n in range(30))


def _example(name: str, log: str, verdict: Verdict, *codes: str, classes: int = 10, **more: Any) -> Example:
    case = {"curves": {"train": "train.log"}, "data": {"train": {"classes": list(range(classes))}}, **more}
    return Example(name, files={"train.log": log}, case=case, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("as guessing among ten", _log(2.36), Verdict.OK, "first-fits"),
    _example("as guessing among a thousand", _log(6.95), Verdict.OK, classes=1000),
    _example("inputs from 0 to 255", _log(41.7), Verdict.UNDECIDED, "first-high"),
    _example("far below", _log(0.31), Verdict.UNDECIDED, "first-low"),
    _example("pretrained weights", _log(0.31), Verdict.OK, "pretrained", checkpoints={"pretrained": "base.ckpt"}),
    _example("NaN at once", _log(float("nan")), Verdict.UNDECIDED, "first-not-finite"),
    _example("classes that are not listed", _log(2.3), Verdict.UNDECIDED, "no-classes", classes=0),
    _example("another loss", _log(41.0), Verdict.UNDECIDED, "other-loss", loss={"call": "mindspore.nn:MSELoss"}),
    _example("logged every hundred steps", _log(0.4, 100), Verdict.UNDECIDED, "not-first"),
    _example("one loss an epoch", "epoch,loss\n1,0.9\n2,0.5\n", Verdict.UNDECIDED, "mean-of-epoch"),
    _example("no loss", "step: 1, acc: 0.5\n", Verdict.UNDECIDED, "no-loss"),
]
