"""Compares the loss of a watched run with what its outputs and labels amount to, by number.

Where labels are classes, the cross entropy of each looked-at step is computed from outputs and labels, with outputs taken for scores, for
probabilities and for logarithms of them: the one that the loss is equal to was computed. Catches a softmax before a loss that has one of
its own, scores where logarithms belong, a loss that never changes, and labels that the network need only copy from its input. Cannot tell
losses of other forms (smoothed, weighted, sums of several parts), nor whether the form suits the task.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Table, Verdict, Where
from ..model import suggest as usual
from ..probe import Example, Skip
from . import _curves, _watched
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
    apart: Annotated[
        float,
        Meta(
            gt=0,
            description="relative difference from which on two forms can be told apart",
            extra={"unit": "1", "source": "own choice: five times that of equal ones"},
        ),
    ] = 0.01


MESSAGES: Words = {
    "softmax-twice": {
        "en": "Softmax is applied twice: rows of the outputs sum to 1, and in {steps:the one step|all {steps:,} steps} examined the "
        "loss ({loss:.4g}) is "
        "the cross-entropy that treats them as logits ({own:.4g}); as probabilities it would be {nll:.4g}.",
        "zh": "softmax 做了两次：输出每行之和为 1，而在查看的全部 {steps:,} 步中，loss（{loss:.4g}）等于把这些输出当作未归一化得分时的"
        "交叉熵（{own:.4g}）；当作概率时应为 {nll:.4g}。",
    },
    "not-logarithms": {
        "en": "In {steps:the one step|all {steps:,} steps} examined, the loss ({loss:.4g}) is minus the mean of the outputs at the "
        "labels ({log:.4g}), but "
        "the outputs are not log-probabilities: the exponentials of a row sum to {low:.4g} to {high:.4g}. Such a loss falls without "
        "limit.",
        "zh": "在查看的全部 {steps:,} 步中，loss（{loss:.4g}）等于标签处输出均值的相反数（{log:.4g}），但输出并不是对数概率："
        "每行的指数之和为 {low:.4g} 至 {high:.4g}。这样的 loss 会无止境地下降。",
    },
    "negated": {
        "en": "In {steps:the one step|all {steps:,} steps} examined, the loss ({loss:.4g}) is minus the cross-entropy of outputs and "
        "labels ({own:.4g}): "
        "each step makes the outputs worse ({right:.0%} of the samples correct).",
        "zh": "在查看的全部 {steps:,} 步中，loss（{loss:.4g}）都等于输出与标签交叉熵的相反数（交叉熵为 {own:.4g}）：每一步都使输出变差"
        "（{right:.0%} 的样本正确）。",
    },
    "summed": {
        "en": "In {steps:the one step|all {steps:,} steps} examined, the loss ({loss:.4g}) is the sum of the cross-entropy over "
        "{count:,} labels, not its "
        "mean ({own:.4g}): gradients are {count:,} times as large.",
        "zh": "在查看的全部 {steps:,} 步中，loss（{loss:.4g}）等于 {count:,} 个标签的交叉熵之和而非均值（{own:.4g}）：梯度是取均值时的 "
        "{count:,} 倍。",
    },
    "against-labels": {
        "en": "The loss falls from {first:.4g} to {loss:.4g} while the cross entropy of outputs and labels rises from {before:.4g} to "
        "{own:.4g}, above that of random guessing ({guess:.4g}): it drives outputs away from their labels.",
        "zh": "loss 从 {first:.4g} 降到 {loss:.4g}，而输出与标签的交叉熵从 {before:.4g} 升到 {own:.4g}，高于随机猜测（{guess:.4g}）："
        "该 loss 使输出远离标签。",
    },
    "constant-loss": {
        "en": "The loss is {loss:.6g} in {steps:the one step|all {steps:,} steps}, although their batches differ: it does not depend "
        "on the network's "
        "output.",
        "zh": "{steps:,} 步的 loss 全都是 {loss:.6g}，而各步的 batch 并不相同：loss 与网络输出无关。",
    },
    "labels-copied": {
        "en": "In {steps:the one step|all {steps:,} steps} examined, the labels equal the network's input at the same positions: it "
        "only has to copy its "
        "input, and {right:.0%} are correct after the last step. A language model should predict the next token.",
        "zh": "在查看的全部 {steps:,} 步中，标签与网络在同一位置得到的输入完全相同：网络只需照抄输入，最后一步已有 {right:.0%} 正确。"
        "语言模型应当预测下一个 token。",
    },
    "cross-entropy": {
        "en": "In {steps:the one step|all {steps:,} steps} examined, the loss is the cross-entropy of outputs and labels (last "
        "{loss:.4g}, computed "
        "{own:.4g}; {right:.0%} of the samples correct).",
        "zh": "在查看的全部 {steps:,} 步中，loss 都等于输出与标签的交叉熵（最后为 {loss:.4g}，计算值 {own:.4g}；{right:.0%} 的样本正确）。",
    },
    "of-probabilities": {
        "en": "The outputs are probabilities, and in {steps:the one step|all {steps:,} steps} examined the loss is their "
        "cross-entropy (last {loss:.4g}, "
        "computed {nll:.4g}).",
        "zh": "输出为概率，在查看的全部 {steps:,} 步中 loss 都等于其交叉熵（最后为 {loss:.4g}，计算值 {nll:.4g}）。",
    },
    "other-form": {
        "en": "The loss, {loss:.4g}, is not the plain cross entropy of outputs and labels ({own:.4g}): it has other terms or weights, "
        "or too few steps to identify its form.",
        "zh": "loss（{loss:.4g}）不等于输出与标签的普通交叉熵（{own:.4g}）：含有其他项或权重，或目前还无法区分各种形式。",
    },
    "no-classes": {
        "en": "Outputs with a class as label were not seen in the watched run: losses of other kinds are not computed again.",
        "zh": "所观察的运行中没有以类别为标签的输出：其他类型的损失不做复算。",
    },
    "fix-shift": {
        "en": "Feed the network all tokens but the last, and use all but the first as labels; if reconstruction is the goal, nothing "
        "needs to change.",
        "zh": "把除最后一个以外的 token 送入网络，以除第一个以外的 token 作为标签；若训练目标就是复原输入，则无需修改。",
    },
    "fix-softmax": {
        "en": "Remove the softmax from the network or from the input of the loss; apply it only in inference.",
        "zh": "去掉网络中（或损失输入处）的 softmax，仅在推理时使用。",
    },
    "fix-logarithms": {
        "en": "Apply log_softmax first, or use the cross-entropy that takes logits.",
        "zh": "先做 log_softmax，或改用以得分为输入的交叉熵。",
    },
    "fix-mean": {
        "en": 'Use reduction="mean", or make sure that the learning rate was chosen for a sum.',
        "zh": '改用 reduction="mean"，或确认学习率是按求和设定的。',
    },
    "fix-sign": {
        "en": "Check the sign of the loss and of its terms, and which labels it gets; the optimizer makes it smaller.",
        "zh": "检查 loss 及其各项的符号以及传入的标签；优化器总是使 loss 变小。",
    },
    "fix-connect": {
        "en": "Print the inputs of the loss: outputs may be replaced, rounded, cut off, or compared with themselves.",
        "zh": "打印损失函数的输入：输出可能被替换、取整、截断，或与自身比较。",
    },
}
WORDS: Words = {
    "losses": {"en": "The loss, and what outputs and labels amount to", "zh": "loss 与由输出和标签复算的值"},
    "step": {"en": "step", "zh": "步"},
    "loss": {"en": "loss", "zh": "loss"},
    "own": {"en": "of scores", "zh": "按得分计算"},
    "nll": {"en": "of probabilities", "zh": "按概率计算"},
    "log": {"en": "of logarithms", "zh": "按对数概率计算"},
    "right": {"en": "right", "zh": "正确率"},
}
_FLAT = {
    "en": "Probabilities lie between 0 and 1, so the second softmax is nearly even: the loss stays above a bound, and gradients are small.",
    "zh": "概率都在 0 到 1 之间，第二次 softmax 几乎均匀：loss 降不到某个下界以下，梯度很小。",
}
_ENDLESS = {
    "en": "What lowers the loss is the size of outputs, not whether they are right: weights grow until they overflow.",
    "zh": "使 loss 下降的是输出的大小而不是对错：权重不断增大直至溢出。",
}
_TIMES = {
    "en": "A learning rate that suits a mean is too large as many times, and a smaller last batch counts less than others.",
    "zh": "按均值设定的学习率相当于放大了同样的倍数，且末尾较小的 batch 权重更低。",
}
_APART = {"en": "Nothing is learned from a loss that is always the same.", "zh": "恒定的 loss 学不到任何东西。"}
_AWAY = {
    "en": "The right classes become less likely with each step, while a falling loss looks like learning.",
    "zh": "每一步都使正确类别的概率降低，而下降的 loss 看上去像是在学习。",
}
WHY: Words = {
    **dict.fromkeys(("negated", "against-labels"), _AWAY),
    "softmax-twice": _FLAT,
    "summed": _TIMES,
    "not-logarithms": _ENDLESS,
    "constant-loss": _APART,
    "labels-copied": {
        "en": "The loss falls to almost nothing, but the network has learned nothing about which token follows which.",
        "zh": "loss 会降到接近 0，但网络没有学到前后文之间的任何规律。",
    },
}
_PRINT = {
    "en": "For one batch, print the row sums of the outputs, and compare the loss with its formula.",
    "zh": "对一个 batch 打印输出的逐行之和，并按公式复算 loss 进行对照。",
}
PROOF: Words = dict.fromkeys(WHY, _PRINT)
#: What reading the scripts says of the only loss, and that its value proves wrong, by the form that it has.
_NOT_NEGATED = ["loss-negated", "loss-negated-perhaps", "likelihood-minimised", "sum-reduction", "none-reduction"]
_NOT_NEGATED += ["none-reduction-perhaps", "double-softmax", "no-logarithm", "regression-on-classes"]
#: Of a cross entropy of scores and classes: each of these would give it another value.
_PLAIN = ["classes-for-distributions", "arguments-exchanged", "weight-per-position", "value-as-loss"]
REFUTED = {
    "cross-entropy": [*_NOT_NEGATED, *_PLAIN, "no-log-softmax"],
    "of-probabilities": [*_NOT_NEGATED, "logits-for-probabilities"],
}
#: Steps without which a loss that stays the same says nothing.
_STEPS = 10
#: So many times the cross entropy of guessing is worse than that.
_WORSE = 2.0
#: The loss of one row that float32 rounds away from scores of some tens: below it, no form can be told from another.
_ROUNDING = 1e-6
_FIXES = {"softmax-twice": "fix-softmax", "not-logarithms": "fix-logarithms"}
_FIXES["summed"] = "fix-mean"
_FIXES |= dict.fromkeys(("negated", "against-labels"), "fix-sign")
#: How near to 1 the sums of rows of probabilities are.
_ONE = 2e-3


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watch = _watched.of_case(case)[0]
    yield Progress(1, 1, "files")
    found = [*_constant(watch), *_of_outputs(watch, params)]
    if not found:
        raise Skip("no-classes")
    yield from found


def suggest(findings: Iterable[Finding]) -> Verdict:
    """A loss of another form is not told to be right."""
    found = list(findings)
    verdict = usual(found)
    return Verdict.UNDECIDED if verdict is Verdict.OK and any(one.code == "other-form" for one in found) else verdict


def _constant(watch: Watch) -> Iterator[Finding]:
    losses = watch.run.series.get("loss")
    if losses is None or len(losses.values) < _STEPS:
        return
    value = float(losses.values[0])
    if value and (losses.values == value).all() and _batches_differ(watch):
        data = {"loss": value, "steps": len(losses.values)}
        x = losses.steps.astype(float)
        charted = _curves.chart("losses", "step", "loss", x, {"loss": losses.values})
        yield Finding(
            "constant-loss", Level.PROBLEM, watch.where(watch.network_place()), data, [charted], Fix("fix-connect")
        )


def _batches_differ(watch: Watch) -> bool:
    """Whether the numbers of the first tensor of the looked-at batches are not always the same."""
    seen = [one["batch"][0] for one in watch.facts("pass") if one.get("training") is True and one.get("batch")]
    return len({(one.get("mean"), one.get("std")) for one in seen}) > 1


def _of_outputs(watch: Watch, params: Params) -> Iterator[Finding]:
    told = [one for one in watch.facts("outputs") if _told(one)]
    if not told:
        return
    last = told[-1]
    sums = [one["rows"]["exp"] for one in told]
    data: dict[str, Any] = {
        "steps": len(told),
        **{name: last.get(name) for name in ("loss", "own", "log", "nll", "right", "count")},
    }
    data |= {"low": min(low for low, _ in sums), "high": max(high for _, high in sums)}
    evidence: list[Evidence] = [_table(told)]
    where: Where = watch.where(watch.network_place())
    code = _form(told, params)
    if code == "other-form" and _away(told):
        code = "against-labels"
        data |= {"first": told[0]["loss"], "before": told[0]["own"], "guess": math.log(last["classes"])}
    fix = _FIXES.get(code)
    refuted = _refuted(code, told)
    refutes = [Refutes("loss_function", refuted)] if refuted and watch.is_only_loss(told) else []
    yield Finding(code, _level(watch, code), where, data, evidence, Fix(fix) if fix else None, refutes=refutes)
    if _copied(told):
        yield Finding("labels-copied", Level.SUSPECT, where, data, fix=Fix("fix-shift"))


def _refuted(code: str, told: list[dict[str, Any]]) -> list[str]:
    """What reading the scripts says of the loss, and that its form proves wrong."""
    free = code == "cross-entropy" and _free(told)
    return [*REFUTED.get(code, []), *(["activation-for-logits"] if free else [])]


def _copied(told: list[dict[str, Any]]) -> bool:
    """Whether all labels are what the network was given at the same places."""
    return all(one.get("copied") == 1 for one in told)


def _level(watch: Watch, code: str) -> Level:
    """A turned loss may be meant where another optimizer works against it; one of unknown form may have other ends, and a rate may be meant
    for a sum."""
    if code in ("against-labels", "summed") or (code == "negated" and len(watch.facts("optimizer")) > 1):
        return Level.SUSPECT
    return Level.PROBLEM if code in _FIXES else Level.INFO


def _free(told: list[dict[str, Any]]) -> bool:
    """Whether scores lie on both sides of what a ReLU, a sigmoid or a tanh would leave of them."""
    return bool(min(one["rows"]["low"] for one in told) < -1 and max(one["rows"]["high"] for one in told) > 1)


def _form(told: list[dict[str, Any]], params: Params) -> str:
    """Which form the loss has in all of the steps, where the others can be told from it."""

    def equal(name: str) -> bool:
        return all(one.get(name) is not None and _near(one["loss"], one[name], params.near) for one in told)

    def apart(name: str, other: str) -> bool:
        return any(not _near(one[name], one[other], params.apart) for one in told)

    if all(_probabilities(one) for one in told):
        if equal("log"):
            return "not-logarithms"
        if equal("own") and apart("own", "nll"):
            return "softmax-twice"
        return "of-probabilities" if equal("nll") and apart("own", "nll") else "other-form"
    if equal("own"):
        return "cross-entropy"
    if _summed(told, params):
        return "summed"
    if all(_near(-one["loss"], one["own"], params.near) for one in told) and told[-1]["own"] > told[0]["own"]:
        return "negated"
    return "not-logarithms" if equal("log") and apart("own", "log") else "other-form"


def _summed(told: list[dict[str, Any]], params: Params) -> bool:
    return all(_near(one["loss"] / one.get("count", 1), one["own"], params.near) for one in told)


def _away(told: list[dict[str, Any]]) -> bool:
    """Whether the loss falls while outputs get worse than guessing would be."""
    first, last = told[0], told[-1]
    classes = last.get("classes")
    if len(told) < _STEPS or not isinstance(classes, int) or classes < 2:
        return False
    worse = last["own"] > max(_WORSE * math.log(classes), first["own"]) and (last.get("right") or 0.0) < 1 / classes
    return bool(worse and last["loss"] < first["loss"])


def _near(one: float, other: float, share: float) -> bool:
    return abs(one - other) <= share * max(abs(one), abs(other)) + _ROUNDING


def _probabilities(one: dict[str, Any]) -> bool:
    low, high = one["rows"]["sum"]
    return bool(one["rows"]["low"] >= 0 and abs(low - 1) <= _ONE and abs(high - 1) <= _ONE)


def _told(one: dict[str, Any]) -> bool:
    """Whether a step has all numbers, and they are finite."""
    rows = one.get("rows")
    if not isinstance(rows, dict):
        return False
    numbers = [
        *rows.get("sum", ["?"]),
        *rows.get("exp", ["?"]),
        rows.get("low"),
        *(one.get(n) for n in ("loss", "own", "log")),
    ]
    return all(isinstance(number, (int, float)) for number in numbers)


def _table(told: list[dict[str, Any]]) -> Table:
    columns = ["step", "loss", "own", "nll", "log", "right"]
    rows: list[list[Plain]] = [[one.get(name) for name in columns] for one in told[:200]]
    return Table("losses", columns, rows, total=len(told))


def _example(
    name: str, verdict: Verdict, code: str, *outputs: dict[str, Any], losses: list[float] | None = None
) -> Example:
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    lines: list[dict[str, Any]] = [head]
    for number, one in enumerate(outputs, 1):
        lines.append({"fact": "outputs", "step": number, "right": 0.4, **one})
    for number, loss in enumerate(losses or [], 1):
        batch = [{"shape": [8, 4], "mean": 0.1 * number, "std": 1.0}]
        lines.append({"fact": "pass", "step": number, "training": True, "batch": batch, "networks": [0], "calls": []})
        lines.append({"step": number, "epoch": 1, "loss": loss, "seconds": 0.1})
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    copied = ("cross-entropy",) if code == "labels-copied" else ()
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=(*copied, code))


def _rows(low: float, total: float, exponentials: float) -> dict[str, Any]:
    return {"rows": {"sum": [total, total], "low": low, "high": 1.0, "exp": [exponentials, exponentials]}}


_SCORES, _ODDS, _LOGS = _rows(-1.0, 0.4, 4.2), _rows(0.01, 1.0, 4.1), _rows(-3.0, -6.0, 1.0)
EXAMPLES = [
    _example("cross entropy", Verdict.OK, "cross-entropy", {**_SCORES, "own": 1.2, "log": -0.3, "loss": 1.2}),
    _example("logarithms", Verdict.OK, "cross-entropy", {**_LOGS, "own": 0.9, "log": 0.9, "loss": 0.9}),
    _example(
        "softmax twice", Verdict.PROBLEM, "softmax-twice", {**_ODDS, "own": 1.2, "log": -0.4, "nll": 0.9, "loss": 1.2}
    ),
    _example(
        "of probabilities", Verdict.OK, "of-probabilities", {**_ODDS, "own": 1.2, "log": -0.4, "nll": 0.9, "loss": 0.9}
    ),
    _example(
        "even outputs", Verdict.UNDECIDED, "other-form", {**_ODDS, "own": 1.2, "log": -0.4, "nll": 1.201, "loss": 1.2}
    ),
    _example(
        "scores for logarithms", Verdict.PROBLEM, "not-logarithms", {**_SCORES, "own": 1.2, "log": -0.3, "loss": -0.3}
    ),
    _example(
        *("labels that are the inputs", Verdict.UNDECIDED, "labels-copied"),
        {**_SCORES, "own": 1.2, "log": -0.3, "loss": 1.2, "copied": 1.0},
    ),
    _example("with a penalty", Verdict.UNDECIDED, "other-form", {**_SCORES, "own": 1.2, "log": -0.3, "loss": 1.4}),
    _example(
        "the sign is turned",
        Verdict.PROBLEM,
        "negated",
        *({**_SCORES, "own": 2.3 + number, "log": -0.3, "loss": -2.3 - number} for number in range(3)),
    ),
    _example(
        "a loss that falls while outputs get worse",
        Verdict.UNDECIDED,
        "against-labels",
        *(
            {**_SCORES, "own": 2.3 + number, "log": -0.3, "loss": 1.0 - number, "right": 0.0, "classes": 10}
            for number in range(12)
        ),
    ),
    _example(
        *("summed over the batch", Verdict.UNDECIDED, "summed"),
        *(
            {**_SCORES, "own": 1.2 - 0.1 * number, "log": -0.3, "loss": 19.2 - 1.6 * number, "count": 16}
            for number in range(3)
        ),
    ),
    _example("always the same", Verdict.PROBLEM, "constant-loss", losses=[0.693] * 12),
]
