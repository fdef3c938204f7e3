"""Compares outputs of a watched run with labels of the same shape, by number: ranges, and the loss that they amount to.

The mean and the sum of squares, absolute differences, Huber's loss and the binary cross entropies of probabilities and of logits are
computed for each looked-at step: the one that the loss equals was computed. Catches a sigmoid before a loss that has one of its own, a
loss with its sign turned, labels that a binary cross entropy is not defined for, and targets that the last activation cannot give. Cannot
tell losses of other forms (weighted, sums of several parts).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Refutes, Table, Verdict
from ..model import suggest as usual
from ..probe import Example, Skip
from . import _watched
from ._watched import Watch

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True):
    near: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="relative difference up to which two losses are equal",
            extra={"unit": "1", "source": "own choice: they are recorded with four digits, and computed in float32"},
        ),
    ] = 2e-3
    beyond: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="share of targets that outputs cannot reach from which on it is told",
            extra={"unit": "1", "source": "own choice: single outliers stay below it"},
        ),
    ] = 0.05


MESSAGES: Words = {
    "sigmoid-twice": {
        "en": "Sigmoid is applied twice: outputs lie between {low:.4g} and {high:.4g} in {steps:the one step|all {steps:,} steps} "
        "examined, and the loss "
        "({loss:.4g}) is the binary cross-entropy that treats them as logits ({logits:.4g}); as probabilities it would be {odds:.4g}.",
        "zh": "sigmoid 做了两次：在查看的全部 {steps:,} 步中，输出都在 {low:.4g} 与 {high:.4g} 之间，而 loss（{loss:.4g}）等于把这些输出"
        "当作 logits 时的二元交叉熵（{logits:.4g}）；当作概率时应为 {odds:.4g}。",
    },
    "labels-beyond": {
        "en": "The loss ({loss:.4g}) is the binary cross-entropy, but labels range from {least:.4g} to {most:.4g}: it is defined only "
        "for 0 to 1, and for other labels it falls without limit.",
        "zh": "loss（{loss:.4g}）是二元交叉熵，但标签的范围是 {least:.4g} 到 {most:.4g}：它只对 0 到 1 的标签有定义，"
        "对其他标签会一直下降、没有下界。",
    },
    "negated": {
        "en": "The sign of the loss is flipped: in {steps:the one step|all {steps:,} steps} examined, the loss ({loss:.4g}) is minus "
        "{form} of outputs and "
        "labels ({value:.4g}), which grows.",
        "zh": "loss 的符号反了：在查看的全部 {steps:,} 步中，loss（{loss:.4g}）等于输出与标签的{form}（{value:.4g}）的相反数，"
        "而后者在增大。",
    },
    "all-with-all": {
        "en": "In {steps:the one step|all {steps:,} steps} examined, the loss ({loss:.4g}) compares each sample with the labels of "
        "all samples in its "
        "batch: inside the loss, a column (N, 1) and a row (N,) are broadcast to N×N.",
        "zh": "在查看的全部 {steps:,} 步中，loss（{loss:.4g}）等于每个样本与 batch 内所有样本的标签逐一比较的结果："
        "在损失内部，形状 (N, 1) 与 (N,) 相遇，被广播成 N×N。",
    },
    "no-negatives": {
        "en": "The outputs never fall below 0, and {zeros:.0%} of them are exactly 0, as after a ReLU; {under:.0%} of the targets are "
        "negative ({least:.4g} to {most:.4g}), which such outputs cannot reach.",
        "zh": "输出从不小于 0，其中 {zeros:.0%} 恰为 0，与最后一层是 ReLU 时一样；而 {under:.0%} 的目标值为负"
        "（{least:.4g} 到 {most:.4g}），这样的输出达不到。",
    },
    "out-of-reach": {
        "en": "The outputs stay between {low:.4g} and {high:.4g} in {steps:the one step|all {steps:,} steps} examined, as after a "
        "sigmoid or tanh, and "
        "crowd at the bound; {over:.0%} of the targets lie beyond it ({least:.4g} to {most:.4g}).",
        "zh": "在查看的全部 {steps:,} 步中，输出始终在 {low:.4g} 与 {high:.4g} 之间，并顶在边界上，与最后一层是 sigmoid 或 tanh 时一样；而 "
        "{over:.0%} 的目标值在边界之外（{least:.4g} 到 {most:.4g}）。",
    },
    "fits": {
        "en": "In {steps:the one step|all {steps:,} steps} examined, the loss is {form} of outputs and labels ({value:.4g}), and "
        "outputs can reach the "
        "labels.",
        "zh": "在查看的全部 {steps:,} 步中，loss 等于输出与标签的{form}（{value:.4g}），且输出能达到标签的取值。",
    },
    "other-form": {
        "en": "The loss ({loss:.4g}) is none of the usual losses of outputs and labels alone (binary cross-entropy of logits: "
        "{logits:.4g}, squared error: {squares:.4g}).",
        "zh": "loss（{loss:.4g}）不等于仅由输出与标签算出的任何一种常见损失（logits 的二元交叉熵：{logits:.4g}，"
        "均方误差：{squares:.4g}）。",
    },
    "no-pairs": {
        "en": "No step was seen in which the network has as many outputs as there are labels.",
        "zh": "没有见到网络输出与标签形状相同的训练步。",
    },
    "fix-sigmoid": {
        "en": "Remove the sigmoid from the network or from the input of the loss; apply it only in inference.",
        "zh": "去掉网络中（或损失输入处）的 sigmoid，仅在推理时使用。",
    },
    "fix-labels": {
        "en": "Scale the labels to 0 to 1 for the loss, for example (labels > 0) or labels / 255.",
        "zh": "把标签换算到 0 到 1 再交给损失，例如 (labels > 0) 或 labels / 255。",
    },
    "fix-shape": {
        "en": "Give both the same shape first: labels.reshape(logits.shape).",
        "zh": "在两者运算之前使形状一致：labels.reshape(logits.shape)。",
    },
    "fix-sign": {"en": "Minimise the loss itself, not minus it.", "zh": "应最小化 loss 本身，而不是其相反数。"},
    "fix-activation": {
        "en": "End the network without an activation, or scale the targets into its range and back.",
        "zh": "网络最后不加激活函数，或把目标值缩放到激活函数的值域内，并在推理时还原。",
    },
}
_HELD = {
    "en": "The error on these targets cannot fall, and beyond the bound the gradient is almost zero.",
    "zh": "这些目标值的误差无法下降，且越过边界处的梯度几乎为 0。",
}
WHY: Words = {
    "sigmoid-twice": {
        "en": "The second sigmoid gets values from 0 to 1 and outputs 0.5 to 0.73: no sample can be classified as negative, and "
        "gradients are small.",
        "zh": "第二次 sigmoid 的输入只有 0 到 1，输出只有 0.5 到 0.73：任何样本都无法被判为负类，梯度也很小。",
    },
    "labels-beyond": {
        "en": "The loss falls below 0 and keeps falling, and outputs grow until they overflow.",
        "zh": "loss 会降到 0 以下且不会停止，输出不断增大直至溢出。",
    },
    "all-with-all": {
        "en": "The network can only learn the mean of the labels: every output is pulled towards all of them.",
        "zh": "每个输出都被拉向所有标签，网络只能学到标签的均值。",
    },
    "negated": {
        "en": "Each step moves outputs away from their labels, while the falling loss looks like learning.",
        "zh": "每一步都使输出远离标签，而下降的 loss 看上去像是在学习。",
    },
    **dict.fromkeys(("no-negatives", "out-of-reach"), _HELD),
}
_PRINT = {
    "en": "Print the smallest and largest output and label of one batch, and compare the loss with its formula.",
    "zh": "对一个 batch 打印输出与标签的最小值、最大值，并按公式复算 loss 进行对照。",
}
PROOF: Words = dict.fromkeys(WHY, _PRINT)
WORDS: Words = {
    **_watched.LOSSES,
    "losses": {"en": "The loss, and what outputs and labels amount to", "zh": "loss 与由输出和标签复算的值"},
    "step": {"en": "step", "zh": "步"},
    "loss": {"en": "loss", "zh": "loss"},
    "low": {"en": "least output", "zh": "最小输出"},
    "high": {"en": "greatest output", "zh": "最大输出"},
}
_FIXES = {
    "sigmoid-twice": "fix-sigmoid",
    "labels-beyond": "fix-labels",
    "all-with-all": "fix-shape",
    "negated": "fix-sign",
    "no-negatives": "fix-activation",
    "out-of-reach": "fix-activation",
}
#: What reading the scripts says of the only loss, and that its value proves wrong.
_REFUTED = ["loss-negated", "loss-negated-perhaps", "none-reduction", "none-reduction-perhaps", "value-as-loss"]
_OF_LOGITS = ["double-sigmoid", "activation-for-logits"]
_CROSS_ENTROPIES = ("of-probabilities", "of-logits")
#: Losses that are 0 where outputs equal labels, whatever these are.
_ERRORS = ("square", "difference", "huber")
_FORMS = (*_ERRORS, *_CROSS_ENTROPIES)
#: Steps without which ranges say nothing, and values without which 0 to 1 may be chance.
_STEPS, _VALUES = 3, 100
#: Relative difference from which on two forms can be told apart.
_APART = 0.01
#: How near to a bound, relative to it, the outermost outputs of an activation come that holds targets back.
_PRESSED = 0.05


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watch = _watched.of_case(case)[0]
    yield Progress(1, 1, "files")
    told = [{**one["pairs"], "step": one.get("step")} for one in watch.facts("outputs") if _is_whole(one.get("pairs"))]
    if not told:
        raise Skip("no-pairs")
    where = watch.where(watch.network_place())
    data = _data(told)
    form = _form(told, params)
    if name := form.lstrip("-"):
        data |= {"form": _watched.LOSSES[name], "value": told[-1]["losses"][name][0]}
    bounded = _bounded(told, params)
    for code in (_fault(form, told), bounded):
        if code and not (code == "fits" and bounded):
            refutes = (
                [Refutes("loss_function", _refuted(form, told))] if code == "fits" and watch.is_only_loss(told) else []
            )
            level = _level(watch, code, form)
            fix = _FIXES.get(code)
            yield Finding(code, level, where, data, [_table(told)], Fix(fix) if fix else None, refutes=refutes)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """A loss of another form is not told to be right."""
    found = list(findings)
    verdict = usual(found)
    return Verdict.UNDECIDED if verdict is Verdict.OK and any(one.code == "other-form" for one in found) else verdict


def _fault(form: str, told: list[dict[str, Any]]) -> str:
    """What is wrong with the form of the loss, or that nothing is."""
    if all(one.get("against") == "all" for one in told):
        return "all-with-all"
    if not form:
        return "other-form"
    if form.startswith("-"):
        return "negated"
    labels = _range(told, "labels")
    if form in _CROSS_ENTROPIES and not (labels[0] >= 0 and labels[1] <= 1):
        return "labels-beyond"
    if form == "of-logits" and labels[0] < labels[1] and _are_probabilities(told):
        return "sigmoid-twice"
    return "fits"


def _are_probabilities(told: list[dict[str, Any]]) -> bool:
    """Whether enough outputs lie between 0 and 1, and none is cut off at 0 as by a ReLU."""
    low, high = _range(told, "outputs")
    many = sum(one["count"] for one in told) >= _VALUES
    return many and low >= 0 and high <= 1 and not any(one["zeros"] for one in told)


def _bounded(told: list[dict[str, Any]], params: Params) -> str:
    """Which bound of the outputs, as of an activation at the end of the network, keeps them from the targets; "" where none does."""
    if len(told) < _STEPS:
        return ""
    low, high = _range(told, "outputs")
    labels = _range(told, "labels")
    if low == 0 and all(one["zeros"] >= params.beyond and one["under"] >= params.beyond for one in told):
        return "no-negatives"
    pressed = [
        one for one in told if any(abs(bound - 1) <= _PRESSED for bound in (one["outputs"][1], -one["outputs"][0]))
    ]
    within = low >= -1 and high <= 1 and max(labels[1], -labels[0]) > 1
    beyond = all(one["over"] + one["under"] >= params.beyond for one in told)
    return "out-of-reach" if within and beyond and len(pressed) * 2 >= len(told) else ""


def _form(told: list[dict[str, Any]], params: Params) -> str:
    """The name of the loss that its mean or sum equals in all steps, behind "-" where it is minus that and grows; "" where none does."""
    for sign in (1, -1):
        for name in told[0]["losses"]:
            for way in (0, 1):
                values = [one["losses"].get(name, ["", ""])[way] for one in told]
                equal = all(
                    _near(sign * one["loss"], value, params.near) for one, value in zip(told, values, strict=True)
                )
                if equal and not _ambiguous(told, name, way) and (sign == 1 or values[-1] > values[0]):
                    return name if sign == 1 else f"-{name}"
    return ""


def _ambiguous(told: list[dict[str, Any]], name: str, way: int) -> bool:
    """Whether another of the losses has the same values in all steps."""
    others = [other for other in told[0]["losses"] if other != name]
    return any(
        all(_near(one["losses"][name][way], one["losses"][other][way], _APART) for one in told) for other in others
    )


def _near(one: Any, other: Any, share: float) -> bool:
    """Whether two numbers are; values that are not finite are recorded as text."""
    both = isinstance(one, (int, float)) and isinstance(other, (int, float))
    return both and abs(one - other) <= share * max(abs(one), abs(other))


def _refuted(form: str, told: list[dict[str, Any]]) -> list[str]:
    low, high = _range(told, "outputs")
    return [*_REFUTED, *(_OF_LOGITS if form == "of-logits" and low < 0 and high > 1 else [])]


def _level(watch: Watch, code: str, form: str) -> Level:
    """A turned loss may be meant where another optimizer works against it; a bound that no output passes may be chance, and signs as
    labels of a margin are no targets."""
    margin = code == "no-negatives" and form not in _ERRORS
    if margin or code == "out-of-reach" or (code == "negated" and len(watch.facts("optimizer")) > 1):
        return Level.SUSPECT
    return Level.PROBLEM if code in _FIXES else Level.INFO


def _range(told: list[dict[str, Any]], name: str) -> tuple[float, float]:
    return min(one[name][0] for one in told), max(one[name][1] for one in told)


def _data(told: list[dict[str, Any]]) -> dict[str, Any]:
    last = told[-1]
    (low, high), (least, most) = _range(told, "outputs"), _range(told, "labels")
    return {
        "steps": len(told),
        "loss": last["loss"],
        "logits": last["losses"]["of-logits"][0],
        "odds": last["losses"]["of-probabilities"][0],
        "squares": last["losses"]["square"][0],
        "low": low,
        "high": high,
        "least": least,
        "most": most,
        "zeros": min(one["zeros"] for one in told),
        "under": min(one["under"] for one in told),
        "over": min(one["over"] + one["under"] for one in told),
    }


def _is_whole(pairs: Any) -> bool:
    """Whether a step has all numbers, and the ranges and the loss are finite."""
    if not isinstance(pairs, dict) or not isinstance(pairs.get("losses"), dict) or set(pairs["losses"]) != {*_FORMS}:
        return False
    ranges = [*pairs.get("outputs", []), *pairs.get("labels", [])]
    numbers = [*ranges, *(pairs.get(name) for name in ("loss", "zeros", "under", "over", "count"))]
    return len(ranges) == 4 and all(isinstance(number, (int, float)) for number in numbers)


def _table(told: list[dict[str, Any]]) -> Table:
    columns = ["step", "loss", "low", "high", *_FORMS]
    rows: list[list[Plain]] = [
        [one["step"], one["loss"], *one["outputs"], *(one["losses"][name][0] for name in _FORMS)] for one in told
    ]
    return Table("losses", columns, rows[:200], total=len(told))


def _example(name: str, verdict: Verdict, code: str, **told: Any) -> Example:
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    losses = {"square": 0.31, "difference": 0.52, "huber": 0.16, "of-probabilities": 0.86, "of-logits": 0.71}
    usual = {
        "outputs": [0.1, 0.9],
        "labels": [0.0, 1.0],
        "zeros": 0.0,
        "under": 0.4,
        "over": 0.4,
        "count": 64,
        "loss": 0.71,
    }
    lines: list[dict[str, Any]] = [head]
    for step in (1, 2, 3):
        found = {key: value[step - 1] if isinstance(value, tuple) else value for key, value in told.items()}
        computed = {key: [value, value * 64] for key, value in (losses | found.pop("losses", {})).items()}
        lines.append({"fact": "outputs", "step": step, "pairs": {**usual, **found, "losses": computed}})
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=(code,))


_WIDE: dict[str, Any] = {"labels": [-2.0, 2.0], "loss": 0.31}
EXAMPLES = [
    _example("a sigmoid before the loss that has one", Verdict.PROBLEM, "sigmoid-twice"),
    _example("logits", Verdict.OK, "fits", outputs=[-2.1, 1.8], under=0.0, over=0.0),
    _example("probabilities", Verdict.OK, "fits", loss=0.86),
    _example("masks from 0 to 255", Verdict.PROBLEM, "labels-beyond", outputs=[-2.1, 1.8], labels=[0.0, 255.0]),
    _example(
        "minus the squares",
        Verdict.PROBLEM,
        "negated",
        loss=(-0.31, -0.41, -0.51),
        outputs=[-2.0, 2.0],
        losses=tuple({"square": value} for value in (0.31, 0.41, 0.51)),
    ),
    _example("a column against a row", Verdict.PROBLEM, "all-with-all", loss=0.44, against="all"),
    _example("a ReLU at the end", Verdict.PROBLEM, "no-negatives", **_WIDE, outputs=[0.0, 1.8], zeros=0.4),
    _example(
        *("signs that a margin is asked of", Verdict.UNDECIDED, "no-negatives"),
        **{**_WIDE, "loss": 0.77, "outputs": [0.0, 1.8], "zeros": 0.4},
    ),
    _example("a tanh at the end", Verdict.UNDECIDED, "out-of-reach", **_WIDE, outputs=[-0.99, 0.98]),
    _example("far below the targets at first", Verdict.OK, "fits", **_WIDE, outputs=[-0.3, 0.4]),
    _example("with a penalty", Verdict.UNDECIDED, "other-form", loss=0.77),
]
