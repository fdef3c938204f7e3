"""Counts the classes of the samples that a recorded training was given, whatever its files and scripts say.

A watched run records the class of each row where labels are numbers of classes. Catches labels that are all alike, as a lookup, a cast or
a join may leave them, and classes far behind the others after all filters and samplers. Cannot tell labels of pixels or words, nor, of less
than an epoch, what comes later.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Histogram, Kind, Level, Progress, Sure, Table, Verdict, Where
from ..model import suggest as usual
from ..probe import Example, Skip
from . import _recorded_samples, class_balance

if TYPE_CHECKING:
    from ._recorded_samples import Array, RecordedSamples

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (("curves.train", "watched"),)


class Params(msgspec.Struct, frozen=True):
    about: Annotated[
        Literal["balance", "labels"],
        Meta(description="what is judged: how many samples each class has, or whether labels tell anything", extra={}),
    ] = "balance"
    rare: class_balance.Rare = 0.1
    ratio: class_balance.Ratio = 10.0


MESSAGES: Words = {
    **_recorded_samples.MESSAGES,
    "one-class": {
        "en": "All {samples:,} samples used in training have the label {label}, although the network has {outputs:,} outputs: whatever "
        "a sample shows, the answer is the same.",
        "zh": "训练用到的全部 {samples:,} 个样本的标签都是 {label}，而网络对每个样本输出 {outputs:,} 个数："
        "无论样本内容如何，答案都一样。",
    },
    "one-class-so-far": {
        "en": "The first {samples:,} samples of the training all have the label {label}, although the network has {outputs:,} outputs: "
        "either labels are wrong, or data come class by class.",
        "zh": "训练的前 {samples:,} 个样本的标签都是 {label}，而网络对每个样本输出 {outputs:,} 个数："
        "要么标签有误，要么数据按类别逐类读取。",
    },
    "uneven": {
        "en": "In epoch {epoch:,} training used {most:,} samples of class {largest} and {least:,} of class {smallest}, a ratio of "
        "{ratio:,.1f}.",
        "zh": "第 {epoch:,} 个 epoch 中，训练得到类别 {largest} 的样本 {most:,} 个、类别 {smallest} 的样本 {least:,} 个，"
        "相差 {ratio:,.1f} 倍。",
    },
    "classes": {
        "en": "In epoch {epoch:,} training used {samples:,} samples of {classes:,} classes, {least:,} to {most:,} of each; the network "
        "has {outputs:,} outputs.",
        "zh": "第 {epoch:,} 个 epoch 中，训练得到 {classes:,} 个类别共 {samples:,} 个样本，每类 {least:,} 至 {most:,} 个；"
        "网络对每个样本输出 {outputs:,} 个数。",
    },
    "classes-so-far": {
        "en": "The first {samples:,} samples of the training are of {classes:,} classes, {least:,} to {most:,} of each; no further epoch "
        "was seen.",
        "zh": "训练的前 {samples:,} 个样本分属 {classes:,} 个类别，每类 {least:,} 至 {most:,} 个；没有看到下一个 epoch。",
    },
    "no-classes": {
        "en": "{path} does not record the class of each sample: watch the training, with one number of a class as the label of a row.",
        "zh": "{path} 没有记录每个样本的类别：请观察训练（accucheck watch），并以每行一个类别编号作为标签。",
    },
    "fix-labels": {
        "en": "Print the labels where they are read, looked up, converted and joined: the first place where they are all the same is "
        "at fault.",
        "zh": "在读取、查表、类型转换、拼接标签的各处打印标签：最先变得全都相同的地方就是出错处。",
    },
    "mend-classes": class_balance.MESSAGES["mend-classes"],
}
WORDS: Words = {
    "counts": {"en": "Samples of each class used in training", "zh": "训练得到的各类样本数"},
    "class": {"en": "class", "zh": "类别"},
    "samples": {"en": "samples", "zh": "样本数"},
}
_NOTHING = {
    "en": "Always predicting the same class yields a loss near zero; nothing is learned.",
    "zh": "对任何输入都给同一答案即可使 loss 接近 0，网络什么也学不到。",
}
WHY: Words = {
    "one-class": _NOTHING,
    "one-class-so-far": _NOTHING,
    "uneven": class_balance.WHY["uneven"],
}
_LOOK = {
    "en": "Count the labels of one epoch of the training pipeline.",
    "zh": "统计训练数据处理流程一个 epoch 的标签。",
}
PROOF: Words = {"one-class": _LOOK, "one-class-so-far": _LOOK, "uneven": class_balance.PROOF["uneven"]}
#: Samples without which labels that are all alike may be chance.
_ENOUGH = 32
#: Samples a class that make its number more than chance.
_EACH = 20


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    recorded = _recorded_samples.of_case(case)
    yield Progress(1, 1, "files")
    if not recorded or not recorded[0].labels or recorded[0].classes < 2:
        raise Skip("no-classes", path=_recorded_samples.shown(case))
    yield from _judged(recorded[0], Where(case.relative(recorded[0].path)), params)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """In order where a whole epoch is even; labels that differ may be wrong all the same."""
    found = list(findings)
    verdict = usual(found)
    even = any(one.code == "classes" and one.data["about"] == "balance" for one in found)
    return Verdict.UNDECIDED if verdict is Verdict.OK and not even else verdict


def _judged(recorded: RecordedSamples, where: Where, params: Params) -> Iterator[Finding]:
    import numpy as np

    epoch = min(recorded.labels)
    labels: Array = recorded.labels[epoch]
    whole = len(recorded.epochs) > 1  # another one has begun
    classes, counts = np.unique(labels, return_counts=True)
    most, least = int(counts.argmax()), int(counts.argmin())
    data: dict[str, Any] = {
        "epoch": epoch,
        "samples": len(labels),
        "classes": len(classes),
        "outputs": recorded.classes,
        "label": int(classes[0]),
        "most": int(counts[most]),
        "least": int(counts[least]),
        "largest": str(classes[most]),
        "smallest": str(classes[least]),
        "ratio": float(counts[most] / counts[least]),
        "about": params.about,
    }
    evidence: list[Evidence] = [_table(classes, counts)]
    if len(classes) == 1 and len(labels) >= _ENOUGH:
        code, level = ("one-class", Level.PROBLEM) if whole else ("one-class-so-far", Level.SUSPECT)
        yield Finding(code, level, where, data, evidence, Fix("fix-labels"))
        return
    behind = counts[least] < params.rare * len(labels) / len(classes) and data["ratio"] >= params.ratio
    if params.about == "balance" and whole and behind and len(labels) >= _EACH * len(classes):
        yield Finding("uneven", Level.SUSPECT, where, data, evidence, Fix("mend-classes"), sure=Sure.POSSIBLE)
        return
    yield Finding("classes" if whole else "classes-so-far", Level.INFO, where, data, evidence, incomplete=not whole)


def _table(classes: Array, counts: Array) -> Evidence:
    if 1 < len(classes) <= 64:
        return Histogram("counts", [str(one) for one in classes], [float(one) for one in counts])
    order = counts.argsort()[::-1][:50]
    return Table(
        "counts", ["class", "samples"], [[str(classes[at]), int(counts[at])] for at in order], total=len(classes)
    )


def _example(name: str, verdict: Verdict, code: str, *epochs: list[int], about: str = "balance") -> Example:
    head: dict[str, Any] = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "rank": 0}
    lines: list[dict[str, Any]] = [head]
    for number, labels in enumerate(epochs, 1):
        for at in range(0, len(labels), 8):
            part = labels[at : at + 8]
            fit = {"outputs": [8, 4], "labels": [8], "whole": True, "classes": 4, "low": min(part), "high": max(part)}
            ids = [f"a{n}" for n in range(at, at + len(part))]
            told = {"loss": 1.0, "samples": ids, "labels": part, "fit": {**fit, "beyond": []}}
            lines.append({"step": len(lines), "epoch": number, **told})
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(
        name, files=files, case={"watched": "watch"}, verdict=verdict, codes=(code,), params={"about": about}
    )


_EVEN, _ONE = [n % 4 for n in range(96)], [2] * 64
EXAMPLES = [
    _example("four classes alike", Verdict.OK, "classes", _EVEN, _EVEN),
    _example("less than an epoch", Verdict.UNDECIDED, "classes-so-far", _EVEN),
    _example("one label for all", Verdict.PROBLEM, "one-class", _ONE, _ONE),
    _example("one label for all so far", Verdict.UNDECIDED, "one-class-so-far", _ONE),
    _example("a class far behind", Verdict.UNDECIDED, "uneven", [*([0] * 100), *([1] * 90), 2, 2], _EVEN),
    _example("few samples", Verdict.OK, "classes", [*([0] * 11), 1], _EVEN),
    _example("labels that differ", Verdict.UNDECIDED, "classes", _EVEN, _EVEN, about="labels"),
    _example("labels that are one", Verdict.PROBLEM, "one-class", _ONE, _ONE, about="labels"),
]
