"""Computes anew what the evaluations of a watched run report, from the outputs and labels of each batch, and compares what Model reports.

Catches metrics of the project that are the mean of the shares of batches, divide by the number of batches or of rows where the other is
meant, or count on from the evaluations before; and an accuracy that is none of these. Precision, recall, F1, IoU, kappa, errors, PSNR, loss
and perplexity are compared with each usual way to take them over classes: one that agrees is right; the mean of those of batches and a
count of all evaluations are told by their values, as is a number that is another one than its name means. What is right refutes what
metric_script says of the lines of the metric's class. Cannot tell metrics of other
kinds (of boxes, of texts), evaluations that do not go through Model, outputs that belong to no column of the data, and evaluations that
the watch cut off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..knowledge import metric_names
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Sure, Table, Verdict
from ..probe import Example, Skip
from . import _watched
from ._watched import Watch

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


#: Bounds that watched_printed has as well.
Rows = Annotated[
    int,
    Meta(ge=2, description="evaluations of fewer rows tell nothing", extra={"unit": "rows", "source": "own choice"}),
]
Apart = Annotated[
    float,
    Meta(
        gt=0,
        lt=1,
        description="a metric that is wrong by less is no problem",
        extra={"unit": "1", "source": "own choice: what is reported with one decimal of a percent"},
    ),
]


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rows: Rows = 16
    equal: Annotated[
        float,
        Meta(
            gt=0,
            lt=0.1,
            description="numbers that differ by no more are the same",
            extra={"unit": "1", "source": "own choice: ten times the rounding of float32 near 1"},
        ),
    ] = 1e-6
    apart: Apart = 0.001


MESSAGES: Words = {
    "metric-mean": {
        "en": "{name} was {value:.4f}: that is the mean of the accuracies of {batches:,} batches. Over all {rows:,} rows it is "
        "{expected:.4f}.",
        "zh": "{name} 为 {value:.4f}：这是 {batches:,} 个 batch 正确率的平均。按全部 {rows:,} 行计算应为 {expected:.4f}。",
    },
    "metric-by-batches": {
        "en": "{name} was {value:.4f}: that is the number of correct predictions divided by the {batches:,} batches. Over all {rows:,} "
        "rows it is {expected:.4f}.",
        "zh": "{name} 为 {value:.4f}：这是预测正确的行数除以 {batches:,} 个 batch。按全部 {rows:,} 行计算应为 {expected:.4f}。",
    },
    "metric-by-rows": {
        "en": "{name} was {value:.4f}: that is the sum of the shares of batches divided by the {rows:,} rows. Over all rows it is "
        "{expected:.4f}.",
        "zh": "{name} 为 {value:.4f}：这是各 batch 正确率之和除以 {rows:,} 行。按全部行计算应为 {expected:.4f}。",
    },
    "metric-counts-on": {
        "en": "{name} was {value:.4f} after step {step:,}: that covers all evaluations so far. For this one alone it is {expected:.4f}.",
        "zh": "第 {step:,} 步后 {name} 为 {value:.4f}：这是到目前为止所有评估合在一起的结果。仅这一次评估应为 {expected:.4f}。",
    },
    "metric-differs": {
        "en": "{name} was {value:.4f} after step {step:,}, but {expected:.4f} of the {rows:,} predictions were correct.",
        "zh": "第 {step:,} 步后 {name} 为 {value:.4f}，而 {rows:,} 个预测的正确率为 {expected:.4f}。",
    },
    "number-of-batches": {
        "en": "{name} was {value:.4f}: that is the mean of the {family} ({way}) of {batches:,} batches. Over all {rows:,} rows "
        "it is {expected:.4f}.",
        "zh": "{name} 为 {value:.4f}：这是 {batches:,} 个 batch 各自的 {family}（{way}）的平均。"
        "按全部 {rows:,} 行计算应为 {expected:.4f}。",
    },
    "number-counts-on": {
        "en": "{name} was {value:.4f} after step {step:,}: that is the {family} ({way}) of all evaluations so far. For this one alone "
        "it is {expected:.4f}.",
        "zh": "第 {step:,} 步后 {name} 为 {value:.4f}：这是到目前为止所有评估合在一起的 {family}（{way}）。"
        "仅这一次评估应为 {expected:.4f}。",
    },
    "number-differs": {
        "en": "{name} was {value:.4f} after step {step:,}, but no usual definition of {family} yields that for the {rows:,} rows; the "
        "nearest ({way}) yields {expected:.4f}.",
        "zh": "第 {step:,} 步后 {name} 为 {value:.4f}，与 {rows:,} 行按各种常用定义计算的 {family} 都不一致；"
        "最接近的（{way}）为 {expected:.4f}。",
    },
    "number-of-another": {
        "en": "{name} was {value:.4f} after step {step:,}: that is the {other} ({other_way}) of the {rows:,} rows. "
        "Their {family} ({way}) is {expected:.4f}.",
        "zh": "第 {step:,} 步后 {name} 为 {value:.4f}：这是 {rows:,} 行的 {other}（{other_way}），"
        "而 {family}（{way}）应为 {expected:.4f}。",
    },
    "number-agrees": {
        "en": "{name} matches the recomputed {family} ({way}) in {evaluations:,} {evaluations:evaluation|evaluations} of {rows:,} rows.",
        "zh": "{evaluations:,} 次评估（每次 {rows:,} 行）中，{name} 与重新计算的 {family}（{way}）一致。",
    },
    "metric-agrees": {
        "en": "{name} matches a recount in {evaluations:,} {evaluations:evaluation|evaluations} of {rows:,} rows.",
        "zh": "{evaluations:,} 次评估（每次 {rows:,} 行）中，{name} 与重新统计的结果一致。",
    },
    "metric-other": {
        "en": "{name} is none of the numbers that were recomputed, so it was not compared.",
        "zh": "{name} 不是重新计算的指标之一，未作比较。",
    },
    "no-metric": {
        "en": "No evaluation by Model with outputs that match labels was watched until it finished: watch with --steps 0.",
        "zh": "没有完整观察到输出与标签相对应的 Model 评估：请使用 --steps 0。",
    },
    "fix-samples": {
        "en": "In update(), sum the correct predictions and the samples; divide once in eval().",
        "zh": "在 update() 中累加正确数和样本数，在 eval() 中只除一次。",
    },
    "fix-clear": {
        "en": "Set every count to 0 in clear(), which Model calls before each evaluation.",
        "zh": "在 clear() 中把所有计数清零，Model 每次评估前都会调用它。",
    },
    "fix-gather": {
        "en": "In update(), collect counts or sums, or predictions and labels, over all batches; compute the metric once in eval().",
        "zh": "在 update() 中累积全部 batch 的计数、总和或预测与标签，在 eval() 中只计算一次指标。",
    },
    "fix-name": {
        "en": "Compute the metric that its name says, or rename it after what it computes.",
        "zh": "按名称所指的指标计算，或按实际计算的内容命名。",
    },
    "fix-compare": {
        "en": "Compute the metric of a few rows by hand: check the axis, ignored labels, and the divisor.",
        "zh": "手工计算几行的指标：检查轴、被略去的标签和分母。",
    },
}
_WRONG = {
    "en": "The reported number is not the metric that its name says, so it cannot be compared with published results.",
    "zh": "报告的数字不是其名称所指的网络指标，不能与其他结果比较。",
}
_LAGS = {
    "en": "From the second evaluation on, the metric lags behind the network, and the best checkpoint is not recognised.",
    "zh": "从第二次评估起，指标落后于网络的真实状态，最好的 checkpoint 选不出来。",
}
_BY_HAND = {
    "en": "Keep the predictions and labels of one evaluation and compute the metric from all of them at once: it must match what is "
    "reported.",
    "zh": "保存一次评估的全部预测和标签，一次性计算指标：结果应与报告值相同。",
}
_FIXES = {
    "metric-mean": "fix-samples",
    "metric-by-batches": "fix-samples",
    "metric-by-rows": "fix-samples",
    "metric-counts-on": "fix-clear",
    "metric-differs": "fix-compare",
    "number-of-batches": "fix-gather",
    "number-counts-on": "fix-clear",
    "number-differs": "fix-compare",
    "number-of-another": "fix-name",
}
_LAGGING = ("metric-counts-on", "number-counts-on")
#: What a metric is told to be right by; what metric_script says of the mistakes that other numbers would show.
_RIGHT = ("metric-agrees", "number-agrees")
SAID = {
    "mean-of-batches": "metric-mean",
    "hits-by-batches": "metric-by-batches",
    "shares-by-rows": "metric-by-rows",
    "counts-on": "metric-counts-on",
    "left-in-state": "metric-counts-on",
    "ratio-of-batches": "number-of-batches",
    "errors-of-batches": "number-of-batches",
}
WHY: Words = {code: _LAGS if code in _LAGGING else _WRONG for code in _FIXES}
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
#: Numbers of which none but the usual ways are meant where classes of whole samples are guessed; errors may be of other units, texts and
#: boxes are judged as such.
_PLAIN = ("precision", "recall", "f1", "iou", "kappa")
#: Classes that the further guesses are too few for.
_AMONG = 6
SHOWN = 20


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watch = _watched.of_case(case)[0]
    yield Progress(1, 1, "files")
    facts = [one for one in watch.facts("metric") if one["rows"] >= params.rows and one["batches"]]
    names = dict.fromkeys(name for one in facts for name in one["values"])
    told = {name: [one for one in facts if name in one["values"]] for name in names}
    found = {name: _judged(watch, name, each, params) for name, each in told.items()}
    if not found:
        raise Skip("no-metric")
    for name, finding in found.items():
        refuted = _refuted(name, finding, told, found, params)
        yield msgspec.structs.replace(finding, refutes=refuted) if refuted else finding


def _refuted(
    name: str, finding: Finding, told: dict[str, list[dict[str, Any]]], found: dict[str, Finding], params: Params
) -> list[Refutes]:
    """What scripts are said to do wrong in the methods of a metric that is right: mistakes that give another number in an evaluation, or
    none that is another one at all. Lines that serve a metric that is not right stay accused."""
    wrong = [each for other, one in found.items() if one.code not in _RIGHT for each in _lines(other, told[other])]
    places: dict[str, list[list[int]]] = {}
    for path, first, last in _lines(name, told[name]):
        if [path, first, last] not in wrong:
            places.setdefault(path, []).append([first, last])
    if finding.code not in _RIGHT or not places:
        return []
    codes = [code for code, mistake in SAID.items() if _is_not(mistake, finding, name, told[name], params)]
    return [Refutes("metric_script", codes, places=places)] if codes else []


def _lines(name: str, facts: list[dict[str, Any]]) -> list[list[Any]]:
    """The lines of the methods of a metric: [file, first, last]."""
    return list((facts[0].get("lines") or {}).get(name, ()))


def _is_not(mistake: str, finding: Finding, name: str, facts: list[dict[str, Any]], params: Params) -> bool:
    """Whether a number that is right did not come about by a mistake: that gives another number, or is none as all batches are of one
    size. Counts that go on are seen only where evaluations differ."""
    forms: dict[str, Callable[[dict[str, Any]], Any]] = dict(_FORMS)
    if finding.code == "number-agrees":
        kept = {"number-of-batches": "of_batches", "metric-counts-on": "so_far"}
        family, way = finding.data["family"], finding.data["way"]
        forms = {code: partial(_kept_number, key, family, way) for code, key in kept.items()}
    if mistake not in forms:
        return False
    given = [(fact["values"][name], forms[mistake](fact)) for fact in facts]
    if any(number is None for _, number in given):
        return False
    return mistake != "metric-counts-on" or any(not _same_number(value, number, params) for value, number in given)


def _kept_number(kept: str, family: str, way: str, one: dict[str, Any]) -> Any:
    return (one.get(kept) or {}).get(family, {}).get(way)


def _kind(one: dict[str, Any]) -> str:
    return str(one.get("rows_are", "classes"))


def _as_number(watch: Watch, name: str, facts: list[dict[str, Any]], own: bool, params: Params) -> Finding | None:
    """What is said of a metric by the usual numbers that were computed anew; None where it is none of them by value and by name."""
    meant = metric_names.families(name)
    right = _agreeing("numbers", name, facts, params)
    if right:
        family, way = next((pair for pair in right if pair[0] in meant), right[0])
        told = {"name": name, "family": family, "way": way, "evaluations": len(facts), "rows": facts[0]["rows"]}
        return Finding("number-agrees", Level.INFO, watch.where(facts[0].get("place")), told)
    if not own:
        return None
    found = _known_mistake(name, meant, facts, params)
    if found is not None:
        code, number, telling = found
        return _number_wrong(watch, code, name, number, telling, facts)
    family = _meant_plainly(name, facts)
    if not family:
        return None
    nearest = _nearest(facts[0]["values"][name], facts[0]["numbers"][family])
    return _number_wrong(watch, "number-differs", name, (family, nearest), facts[0], facts)


def _known_mistake(
    name: str, meant: tuple[str, ...], facts: list[dict[str, Any]], params: Params
) -> tuple[str, tuple[str, str], dict[str, Any]] | None:
    """The mean of the numbers of batches, or a number of all evaluations so far: its code, family and way, and an evaluation that shows
    it to be another one than the right one."""
    for code, kept in (("number-of-batches", "of_batches"), ("number-counts-on", "so_far")):
        for family, way in _agreeing(kept, name, facts, params):
            telling = [one for one in facts if _apart(one, kept, family, way, params)]
            if telling and family in meant:
                return code, (family, way), telling[0]
    return None


def _meant_plainly(name: str, facts: list[dict[str, Any]]) -> str:
    """The number that a metric over classes of whole samples is called by, where it is called nothing more."""
    family = metric_names.meant(name)
    known = family in _PLAIN and all(_kind(one) == "classes" and _has(one, family) for one in facts)
    return family if known else ""


def _of_another_name(watch: Watch, name: str, facts: list[dict[str, Any]], params: Params) -> Finding | None:
    """A metric whose name means one number and whose value is another one in every evaluation; None where it is not seen to be that."""
    family = metric_names.meant(name)
    if not all(family in (numbers := _every_number(one)) and len(numbers) > 1 for one in facts):
        return None
    if _known_mistake(name, (family,), facts, params) or (
        family == "accuracy" and _as_accuracy(watch, name, facts, params)
    ):
        return None
    others = [pair for pair in _all_agreeing(name, facts, params) if pair[0] != family]
    telling = [one for one in facts if _far(one["values"][name], _ways_of(family, one), params)]
    if not others or not telling:
        return None
    ways = _ways_of(family, telling[0])
    nearest = _nearest(telling[0]["values"][name], ways)
    lines: list[list[Plain]] = [
        [one["step"], one["values"][name], _ways_of(family, one).get(nearest), one["rows"]] for one in facts[:SHOWN]
    ]
    evidence: list[Evidence] = [Table("evaluations", ["step", "reported", "counted", "rows"], lines, len(facts))]
    data = {"name": name, "value": telling[0]["values"][name], "step": telling[0]["step"], "rows": telling[0]["rows"]}
    data |= {
        "other": others[0][0],
        "other_way": others[0][1],
        "family": family,
        "way": nearest,
        "expected": ways[nearest],
    }
    where, fix = watch.where(telling[0].get("place")), Fix(_FIXES["number-of-another"])
    return Finding("number-of-another", Level.SUSPECT, where, data, evidence, fix, sure=Sure.POSSIBLE)


def _every_number(one: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The numbers of an evaluation, its accuracy among them."""
    found = dict(one.get("numbers") or {})
    return found if _kind(one) == "errors" else {"accuracy": {"right/rows": _accuracy(one)}, **found}


def _all_agreeing(name: str, facts: list[dict[str, Any]], params: Params) -> list[tuple[str, str]]:
    """As `_agreeing`, with the accuracy."""
    every = [{"values": one["values"], "every": _every_number(one)} for one in facts]
    return _agreeing("every", name, every, params)


def _ways_of(family: str, one: dict[str, Any]) -> dict[str, Any]:
    """The ways to take a number. Of two classes, "micro" is the accuracy whatever it is called."""
    ways = _every_number(one)[family]
    return {way: number for way, number in ways.items() if way != "micro" or one["classes"] > 2}


def _far(value: float, ways: dict[str, Any], params: Params) -> bool:
    """Whether a value is none of these numbers, as a share or in percent, by more than rounding."""
    return all(
        min(abs(number - value), abs(number - value / 100)) > params.apart
        for number in ways.values()
        if isinstance(number, (int, float))
    )


def _agreeing(kept: str, name: str, facts: list[dict[str, Any]], params: Params) -> list[tuple[str, str]]:
    """The numbers, by family and way, that a metric is in every evaluation."""
    first = facts[0].get(kept) or {}
    return [
        (family, way)
        for family, ways in first.items()
        for way in ways
        if all(
            _same_number(one["values"][name], (one.get(kept) or {}).get(family, {}).get(way), params) for one in facts
        )
    ]


def _same_number(value: float, number: Any, params: Params) -> bool:
    """As it is, or in percent; of large numbers within their rounding."""
    if not isinstance(number, (int, float)):
        return False
    near = params.equal * max(1.0, 10 * abs(number))
    return abs(value - number) <= near or abs(value / 100 - number) <= near


def _has(one: dict[str, Any], family: str) -> bool:
    return bool((one.get("numbers") or {}).get(family))


def _apart(one: dict[str, Any], kept: str, family: str, way: str, params: Params) -> bool:
    """Whether a wrong number is seen to be another one than the right one."""
    right = (one.get("numbers") or {}).get(family, {}).get(way)
    wrong = one[kept][family][way]
    known = isinstance(right, (int, float)) and isinstance(wrong, (int, float))
    return known and abs(right - wrong) > params.apart


def _nearest(value: float, ways: dict[str, Any]) -> str:
    known = {way: number for way, number in ways.items() if isinstance(number, (int, float))}
    return min(known, key=lambda way: min(abs(known[way] - value), abs(known[way] - value / 100)))


def _number_wrong(
    watch: Watch, code: str, name: str, number: tuple[str, str], one: dict[str, Any], facts: list[dict[str, Any]]
) -> Finding:
    family, way = number
    lines: list[list[Plain]] = [
        [each["step"], each["values"][name], each["numbers"][family].get(way), each["rows"]] for each in facts[:SHOWN]
    ]
    evidence: list[Evidence] = [Table("evaluations", ["step", "reported", "counted", "rows"], lines, len(facts))]
    data = {"name": name, "value": one["values"][name], "expected": one["numbers"][family][way], "step": one["step"]}
    data |= {"rows": one["rows"], "batches": one["batches"], "family": family, "way": way}
    where, fix = watch.where(one.get("place")), Fix(_FIXES[code])
    if code == "number-differs":
        return Finding(code, Level.SUSPECT, where, data, evidence, fix, sure=Sure.POSSIBLE)
    return Finding(code, Level.PROBLEM, where, data, evidence, fix, sure=Sure.LIKELY)


def _accuracy(one: dict[str, Any]) -> float:
    return float(one["right"] / one["rows"])


def _judged(watch: Watch, name: str, facts: list[dict[str, Any]], params: Params) -> Finding:
    own = not any(str(one["kinds"].get(name, "")).startswith("mindspore.") for one in facts)
    if own and (judged := _of_another_name(watch, name, facts, params)) is not None:
        return judged
    guesses = all(_kind(one) != "errors" for one in facts)
    if guesses and (judged := _as_accuracy(watch, name, facts, params)) is not None:
        return judged
    if (judged := _as_number(watch, name, facts, own, params)) is not None:
        return judged
    if own and "accuracy" in metric_names.families(name) and all(_kind(one) == "classes" for one in facts):
        telling = next(one for one in facts if not _is_right(one["values"][name], one, params))
        return _wrong(watch, "metric-differs", name, telling, facts)
    where = watch.where(facts[0].get("place"))
    return Finding(
        "metric-other", Level.INFO, where, {"name": name}, incomplete=own
    )  # the framework's own need no check


def _as_accuracy(watch: Watch, name: str, facts: list[dict[str, Any]], params: Params) -> Finding | None:
    """What is said of a metric that is the share of right guesses, or one of the usual mistakes of it; None where it is neither."""
    if all(_is_right(one["values"][name], one, params) for one in facts):
        told = {"name": name, "evaluations": len(facts), "rows": facts[0]["rows"]}
        return Finding("metric-agrees", Level.INFO, watch.where(facts[0].get("place")), told)
    for code, form in _FORMS.items():
        telling = [one for one in facts if abs(form(one) - _accuracy(one)) > params.apart]
        if telling and all(_same(one["values"][name], form(one), params) for one in facts):
            return _wrong(watch, code, name, telling[0], facts)
    return None


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
    """Evaluations of 40 rows in batches of 16, 16 and 8, of which 8, 12 and 8 are right in the first, and one more in each that follows;
    and their F1, the mean of that of the batches, and that of all evaluations."""
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
        metric: dict[str, Any] = {
            "values": {called: value},
            "kinds": {called: "metrics.Own"},
            "place": ["train.py", 30],
            "data": 1,
        }
        f1 = {"numbers": 0.68 + number / 40, "of_batches": 0.72 + number / 40, "so_far": 0.68 + number / 80}
        metric |= {kept: {"f1": {"macro": value}} for kept, value in f1.items()}
        metric["numbers"]["recall"] = {"macro": 0.6 + number / 40}
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
    _example("F1 as computed anew", Verdict.OK, "number-agrees", values=(0.68, 0.705), called="f1"),
    _example("the mean of F1 of batches", Verdict.PROBLEM, "number-of-batches", values=(0.72, 0.745), called="f1"),
    _example("F1 of all evaluations so far", Verdict.PROBLEM, "number-counts-on", values=(0.68, 0.6925), called="f1"),
    _example("an F1 that is none", Verdict.UNDECIDED, "number-differs", values=(0.31, 0.33), called="f1"),
    _example("an F1 that is the recall", Verdict.UNDECIDED, "number-of-another", values=(0.6, 0.625), called="f1"),
    _example("a number of its own name", Verdict.UNDECIDED, "metric-other", values=(0.31, 0.33), called="f1@5"),
    _example("another metric", Verdict.UNDECIDED, "metric-other", values=(0.31, 0.33), called="kappa"),
]
