"""Counts anew what the evaluations of a watched run get right, from the scores and labels of each batch, and compares what Model reports.

Catches metrics of the project that are the mean of the shares of batches, divide by the number of batches or of rows where the other is
meant, or count on from the evaluations before; and an accuracy that is none of these. Cannot tell other metrics than accuracy, evaluations
that do not go through Model, outputs that are not one score for each class, and evaluations that the watch cut off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict
from ..probe import Example, Skip
from . import _watched
from ._watched import Watch

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rows: Annotated[
        int,
        Meta(
            ge=2, description="evaluations of fewer rows tell nothing", extra={"unit": "rows", "source": "own choice"}
        ),
    ] = 16
    equal: Annotated[
        float,
        Meta(
            gt=0,
            lt=0.1,
            description="numbers that differ by no more are the same",
            extra={"unit": "1", "source": "own choice: ten times the rounding of float32 near 1"},
        ),
    ] = 1e-6
    apart: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="a metric that is wrong by less is no problem",
            extra={"unit": "1", "source": "own choice: what is reported with one decimal of a percent"},
        ),
    ] = 0.001


MESSAGES: Words = {
    "metric-mean": {
        "en": "{name} was {value:.4f}: that is the mean of the shares of {batches:,} batches. Over all {rows:,} rows it is {expected:.4f}.",
        "zh": "{name} 为 {value:.4f}：这是 {batches:,} 个 batch 正确率的平均。按全部 {rows:,} 行计算应为 {expected:.4f}。",
    },
    "metric-by-batches": {
        "en": "{name} was {value:.4f}: that is the number of right guesses divided by the {batches:,} batches. Over all {rows:,} rows "
        "it is {expected:.4f}.",
        "zh": "{name} 为 {value:.4f}：这是预测正确的行数除以 {batches:,} 个 batch。按全部 {rows:,} 行计算应为 {expected:.4f}。",
    },
    "metric-by-rows": {
        "en": "{name} was {value:.4f}: that is the sum of the shares of batches divided by the {rows:,} rows. Over all rows it is "
        "{expected:.4f}.",
        "zh": "{name} 为 {value:.4f}：这是各 batch 正确率之和除以 {rows:,} 行。按全部行计算应为 {expected:.4f}。",
    },
    "metric-counts-on": {
        "en": "{name} was {value:.4f} after step {step:,}: that covers all evaluations so far. This one got {expected:.4f} right.",
        "zh": "第 {step:,} 步后 {name} 为 {value:.4f}：这是到目前为止所有评估合在一起的结果。仅这一次评估应为 {expected:.4f}。",
    },
    "metric-differs": {
        "en": "{name} was {value:.4f} after step {step:,}, and {expected:.4f} of the {rows:,} guesses were right.",
        "zh": "第 {step:,} 步后 {name} 为 {value:.4f}，而 {rows:,} 个预测的正确率为 {expected:.4f}。",
    },
    "metric-agrees": {
        "en": "{name} matches a recount in {evaluations:,} {evaluations:evaluation|evaluations} of {rows:,} rows.",
        "zh": "{evaluations:,} 次评估（每次 {rows:,} 行）中，{name} 与重新统计的结果一致。",
    },
    "metric-other": {
        "en": "{name} does not look like an accuracy, so it was not recomputed.",
        "zh": "{name} 看来不是准确率，未重新计算。",
    },
    "no-metric": {
        "en": "No evaluation by Model with one score for each class was watched to its end: watch with --steps 0.",
        "zh": "没有完整观察到输出为各类得分的 Model 评估：请使用 --steps 0。",
    },
    "fix-samples": {
        "en": "In update() add the number of right guesses and of samples; divide once in eval().",
        "zh": "在 update() 中累加正确数和样本数，在 eval() 中只除一次。",
    },
    "fix-clear": {
        "en": "Set every count to 0 in clear(), which Model calls before each evaluation.",
        "zh": "在 clear() 中把所有计数清零，Model 每次评估前都会调用它。",
    },
    "fix-compare": {
        "en": "Compute the metric of a few rows by hand: look at axis, labels that are left out, and what it divides by.",
        "zh": "手工计算几行的指标：检查轴、被略去的标签和分母。",
    },
}
_WRONG = {
    "en": "The number that is reported is not the accuracy of the network, and cannot be compared with others.",
    "zh": "报告的数字不是网络的准确率，不能与其他结果比较。",
}
_LAGS = {
    "en": "From the second evaluation on the metric lags behind the network, and the best checkpoint is not seen as that.",
    "zh": "从第二次评估起，指标落后于网络的真实状态，最好的 checkpoint 选不出来。",
}
_BY_HAND = {
    "en": "Keep guesses and labels of one evaluation and count: the share of equal ones must be the metric.",
    "zh": "保存一次评估的预测和标签并统计：相等的比例应等于该指标。",
}
_FIXES = {
    "metric-mean": "fix-samples",
    "metric-by-batches": "fix-samples",
    "metric-by-rows": "fix-samples",
    "metric-counts-on": "fix-clear",
    "metric-differs": "fix-compare",
}
WHY: Words = {code: _LAGS if code == "metric-counts-on" else _WRONG for code in _FIXES}
PROOF: Words = dict.fromkeys(_FIXES, _BY_HAND)
WORDS: Words = {
    "evaluations": {"en": "Evaluations", "zh": "评估"},
    "step": {"en": "After step", "zh": "步数"},
    "reported": {"en": "Reported", "zh": "报告值"},
    "counted": {"en": "Recounted", "zh": "重新统计"},
    "rows": {"en": "Rows", "zh": "行数"},
}
#: What a metric may be by mistake: of the counts of an evaluation, in the order in which they are tried.
_FORMS: dict[str, Callable[[dict[str, Any]], float]] = {
    "metric-mean": lambda one: one["shares"] / one["batches"],
    "metric-counts-on": lambda one: (one["before"][0] + one["right"]) / (one["before"][1] + one["rows"]),
    "metric-by-batches": lambda one: one["right"] / one["batches"],
    "metric-by-rows": lambda one: one["shares"] / one["rows"],
}
#: A name that says accuracy: it makes a number that is nothing else suspicious, and decides nothing more.
_ACCURACY = re.compile(r"(?i)acc|hit.?rate|top.?1|精度|准确")
#: Classes that the further guesses are too few for.
_AMONG = 6
SHOWN = 20


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watch = _watched.of_case(case)[0]
    yield Progress(1, 1, "files")
    facts = [one for one in watch.facts("metric") if one["rows"] >= params.rows and one["batches"]]
    names = dict.fromkeys(name for one in facts for name in one["values"])
    found = [_judged(watch, name, [one for one in facts if name in one["values"]], params) for name in names]
    if not found:
        raise Skip("no-metric")
    yield from found


def _accuracy(one: dict[str, Any]) -> float:
    return float(one["right"] / one["rows"])


def _judged(watch: Watch, name: str, facts: list[dict[str, Any]], params: Params) -> Finding:
    where = watch.where(facts[0].get("place"))
    told = {"name": name, "evaluations": len(facts), "rows": facts[0]["rows"]}
    if all(_is_right(one["values"][name], one, params) for one in facts):
        return Finding("metric-agrees", Level.INFO, where, told)
    for code, form in _FORMS.items():
        telling = [one for one in facts if abs(form(one) - _accuracy(one)) > params.apart]
        if telling and all(_same(one["values"][name], form(one), params) for one in facts):
            return _wrong(watch, code, name, telling[0], facts)
    own = not any(str(one["kinds"].get(name, "")).startswith("mindspore.") for one in facts)
    telling = [one for one in facts if not _is_right(one["values"][name], one, params)]
    if own and _ACCURACY.search(name):
        return _wrong(watch, "metric-differs", name, telling[0], facts)
    return Finding(
        "metric-other", Level.INFO, where, {"name": name}, incomplete=own
    )  # the framework's own need no check


def _is_right(value: float, one: dict[str, Any], params: Params) -> bool:
    """Whether a number is the accuracy of an evaluation, the share of errors, or that of labels among the first guesses."""
    forms = [_accuracy(one), 1 - _accuracy(one)]
    if one["classes"] >= _AMONG:
        forms.append(one["among"] / one["rows"])
    return any(_same(value, form, params) for form in forms)


def _same(value: float, form: float, params: Params) -> bool:
    """As a share or in percent."""
    return abs(value - form) <= params.equal or abs(value / 100 - form) <= params.equal


def _wrong(watch: Watch, code: str, name: str, one: dict[str, Any], facts: list[dict[str, Any]]) -> Finding:
    lines: list[list[Plain]] = [
        [each["step"], each["values"][name], _accuracy(each), each["rows"]] for each in facts[:SHOWN]
    ]
    evidence: list[Evidence] = [Table("evaluations", ["step", "reported", "counted", "rows"], lines, len(facts))]
    data = {"name": name, "value": one["values"][name], "expected": _accuracy(one), "step": one["step"]}
    data |= {"rows": one["rows"], "batches": one["batches"]}
    where, fix = watch.where(one.get("place")), Fix(_FIXES[code])
    if code == "metric-differs":
        return Finding(code, Level.SUSPECT, where, data, evidence, fix, sure=Sure.POSSIBLE)
    return Finding(code, Level.PROBLEM, where, data, evidence, fix, sure=Sure.LIKELY)


def _example(name: str, verdict: Verdict, *codes: str, values: tuple[float, ...], called: str = "accuracy") -> Example:
    """Evaluations of 40 rows in batches of 16, 16 and 8, of which 8, 12 and 8 are right in the first, and one more in each that follows."""
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    lines: list[dict[str, Any]] = [head]
    before = [0, 0]
    for number, value in enumerate(values):
        right = 28 + number
        told = {
            "right": right,
            "among": 40,
            "rows": 40,
            "batches": 3,
            "classes": 4,
            "shares": (8 + number) / 16 + 12 / 16 + 1.0,
        }
        lines.append({"step": number + 1, "epoch": number, "loss": 1.0, "seconds": 0.1})
        metric = {"values": {called: value}, "kinds": {called: "metrics.Own"}, "place": ["train.py", 30], "data": 1}
        lines.append({"fact": "metric", "step": number + 1, **metric, **told, "before": before})
        before = [before[0] + right, before[1] + 40]
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("as counted anew", Verdict.OK, "metric-agrees", values=(28 / 40, 29 / 40)),
    _example("in percent", Verdict.OK, "metric-agrees", values=(70.0, 72.5)),
    _example("the mean of batches", Verdict.PROBLEM, "metric-mean", values=(2.25 / 3, 2.3125 / 3)),
    _example("divided by batches", Verdict.PROBLEM, "metric-by-batches", values=(28 / 3, 29 / 3)),
    _example("shares divided by rows", Verdict.PROBLEM, "metric-by-rows", values=(2.25 / 40, 2.3125 / 40)),
    _example("of all evaluations so far", Verdict.PROBLEM, "metric-counts-on", values=(28 / 40, 57 / 80)),
    _example("an accuracy that is none", Verdict.UNDECIDED, "metric-differs", values=(0.31, 0.33)),
    _example("another metric", Verdict.UNDECIDED, "metric-other", values=(0.31, 0.33), called="kappa"),
]
