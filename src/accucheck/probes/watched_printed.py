"""Computes anew what a loop of the user's own prints after its evaluations in a watched run, and compares as many digits as are printed.

Looks at accuracies, those among the k best, precision, recall, F1, IoU, kappa, errors and R2. Tells the mean of batches of unequal size, a
count of all evaluations so far, of the last batch alone or without a smaller last one, what is divided by batches, by as many full ones,
or by rows that were not evaluated, guesses compared with the labels of other rows, the k lowest scores, and labels without a class that
are counted. Says so only where no right definition gives the numbers and one such mistake gives all of them. Cannot tell what is not
printed with its name, evaluations whose labels lie neither in the data set nor in one array beside that of the inputs, batches that are
given to several networks, and evaluations that the watch cut off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..knowledge import metric_names
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Sure, Table, Verdict
from ..probe import Example, Skip
from . import _watched, watched_metric
from ._watched import Watch

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rows: watched_metric.Rows = 16
    equal: Annotated[
        float,
        Meta(
            gt=0,
            lt=0.1,
            description="numbers that differ by no more than this, beside the rounding of what is printed, are the same",
            extra={"unit": "1", "source": "own choice: ten times the rounding of float32 near 1"},
        ),
    ] = 1e-6
    apart: watched_metric.Apart = 0.001
    digits: Annotated[
        int,
        Meta(
            ge=1,
            description="decimals of a share, of all evaluations together, from which a mistake that gives them is no chance",
            extra={
                "unit": "digits",
                "source": "own choice: one of a million numbers; with two digits less it is suspect",
            },
        ),
    ] = 6


_WAS = {
    "en": "{name} was printed as {shown}: that is {form}. Over all {rows:,} rows it is {expected:.4f}.",
    "zh": "{name} 打印为 {shown}：这是{form}。按全部 {rows:,} 行计算应为 {expected:.4f}。",
}
_FORM: Words = {
    "printed-mean": {"en": "the mean accuracy of {batches:,} batches", "zh": "{batches:,} 个 batch 正确率的平均"},
    "printed-counts-on": {"en": "the accuracy over all evaluations so far", "zh": "到目前为止所有评估合在一起的结果"},
    "printed-by-batches": {
        "en": "the number of correct predictions divided by the {batches:,} batches",
        "zh": "正确数除以 {batches:,} 个 batch",
    },
    "printed-by-rows": {
        "en": "the sum of the batch accuracies divided by the number of rows",
        "zh": "各 batch 正确率之和除以行数",
    },
    "printed-by-size": {
        "en": "the number of correct predictions divided by {batches:,} × {size:,}, although the last batch is smaller",
        "zh": "正确数除以 {batches:,}×{size:,}，而最后一个 batch 较小",
    },
    "printed-by-source": {
        "en": "the number of correct predictions divided by the {source:,} rows of the source, not all of which are evaluated",
        "zh": "正确数除以数据源的 {source:,} 行，而并非所有行都参与评估",
    },
    "printed-without-rest": {
        "en": "the value over full batches only, without the smaller last one",
        "zh": "只含完整 batch、略去末尾较小 batch 的结果",
    },
    "printed-last-batch": {"en": "the value of the last batch alone", "zh": "仅最后一个 batch 的结果"},
    "printed-pairs": {
        "en": "the share of matches when each prediction is compared with the labels of all rows in its batch (a column broadcast "
        "against a row)",
        "zh": "每个预测与同一 batch 所有行标签两两比较的相等比例（一列与一行比较时广播所致）",
    },
    "printed-lowest": {
        "en": "the share of labels found among the lowest scores",
        "zh": "标签落在得分最低的几个之中的比例",
    },
    "printed-ignored": {
        "en": "the number of correct predictions divided by all {places:,} positions, including those whose label is not a class",
        "zh": "正确数除以全部 {places:,} 个位置，其中包括标签不属于任何类别的位置",
    },
    "printed-padding": {
        "en": "the accuracy including positions with label {label}, which fills the ends of rows as padding does",
        "zh": "把标签为 {label} 的位置也计入的正确率，而该标签像填充一样只出现在各行末尾",
    },
    "printed-number-of-batches": {
        "en": "the mean of the {family} ({way}) of {batches:,} batches",
        "zh": "{batches:,} 个 batch 各自的 {family}（{way}）的平均",
    },
    "printed-number-counts-on": {
        "en": "the {family} ({way}) of all evaluations so far",
        "zh": "到目前为止所有评估合在一起的 {family}（{way}）",
    },
}
MESSAGES: Words = {
    **{code: {language: _WAS[language].replace("{form}", form[language]) for language in _WAS} for code, form in _FORM.items()},
    "printed-agrees": {
        "en": "{name} was printed as {shown} in the last of {evaluations:,} {evaluations:evaluation|evaluations}; recomputed from the "
        "{rows:,} rows ({way}): the same each time.",
        "zh": "{name} 在 {evaluations:,} 次评估的最后一次打印为 {shown}；由 {rows:,} 行重新计算（{way}），每次都一致。",
    },
    "printed-other": {
        "en": "{name} was printed as {shown} after an evaluation of {rows:,} rows; recomputed from them it is {expected:.4f} ({way}). "
        "Whether both are the same metric is not known.",
        "zh": "{name} 在一次 {rows:,} 行的评估后打印为 {shown}；由这些行重新计算为 {expected:.4f}（{way}）。两者是否同指一个指标未知。",
    },
    "calls-unseen": {
        "en": "{calls:,} {calls:call|calls} of the network between the examined steps may have been evaluations and were not watched: "
        "call network.set_train(False) before an evaluation and set_train() after it, not in each step.",
        "zh": "在仔细观察的训练步之间，有 {calls:,} 次网络调用可能属于评估，但没有观察到：请在评估前调用 network.set_train(False)，"
        "评估后再调用 set_train()，不要在每一步都调用。",
    },
    "no-printed": {
        "en": "No evaluation loop of the script itself was watched until it finished, with outputs that match labels and a metric "
        "printed by name afterwards: watch with --steps 0.",
        "zh": "没有完整观察到这样的自写评估循环：输出与标签相对应，且随后按名称打印了指标。请使用 --steps 0。",
    },
    "nothing-printed": {
        "en": "{evaluations:,} {evaluations:evaluation was|evaluations were} recomputed; the last, of {rows:,} rows, gives {numbers}. "
        "Nothing with a number is printed or logged after it, so following stopped there: print the metric as accuracy: 0.91.",
        "zh": "已重新计算 {evaluations:,} 次评估，最后一次（{rows:,} 行）为 {numbers}。"
        "脚本在其后没有打印或记录任何数字，因此无法比较：请打印指标，形如 accuracy: 0.91。",
    },
    "nothing-named": {
        "en": "{evaluations:,} {evaluations:evaluation was|evaluations were} recomputed; the last, of {rows:,} rows, gives {numbers}. "
        "What is printed after it names none of these, so following stopped there (last: “{text}”, {place}): print the metric as "
        "accuracy: 0.91.",
        "zh": "已重新计算 {evaluations:,} 次评估，最后一次（{rows:,} 行）为 {numbers}。其后打印的内容没有写出这些指标的名称"
        "（最后一行为“{text}”，{place}），因此无法比较：请打印指标，形如 accuracy: 0.91。",
    },
    "few-rows": {
        "en": "{evaluations:,} {evaluations:evaluation was|evaluations were} recomputed, the largest of {rows:,} rows: too few to "
        "tell how a metric is computed ({least:,} at least).",
        "zh": "已重新计算 {evaluations:,} 次评估，最多 {rows:,} 行：行数太少（至少需要 {least:,} 行），看不出指标的算法。",
    },
    "not-matched": {
        "en": "{evaluations:,} {evaluations:evaluation was|evaluations were} seen, the last of {rows:,} rows, but following stopped at "
        "the labels: nothing that the data set gives beside the inputs, and no array beside them, fits the outputs. Have the data "
        "set give the labels too, and watch with --steps 0.",
        "zh": "看到了 {evaluations:,} 次评估，最后一次 {rows:,} 行，但没有找到标签：数据集在输入之外给出的列，"
        "以及与输入并列的数组，都与输出不相符。请让数据集一并给出标签，并使用 --steps 0。",
    },
    "fix-whole": {
        "en": "In each evaluation, start from zero, sum correct predictions and rows over all batches, and divide once.",
        "zh": "每次评估从零开始，对全部 batch 累加正确数与行数，最后只除一次。",
    },
    "fix-shape": {
        "en": "Give predictions and labels the same shape before comparing them: squeeze the last axis of the predictions.",
        "zh": "比较前把预测与标签变为同一形状：去掉预测的最后一维。",
    },
    "fix-largest": {"en": "Take the k largest scores.", "zh": "取得分最高的 k 个。"},
    "fix-mask": {
        "en": "Exclude positions without a class from both the count of correct predictions and the divisor.",
        "zh": "把没有类别的位置从正确数和分母中都去掉。",
    },
    "fix-gather": {
        "en": "Collect counts or sums, or predictions and labels, over all batches; compute the metric once.",
        "zh": "累积全部 batch 的计数、总和或预测与标签，只计算一次指标。",
    },
}  # fmt: skip
_FIXES = {
    **dict.fromkeys(_FORM, "fix-whole"),
    "printed-pairs": "fix-shape",
    "printed-lowest": "fix-largest",
    "printed-ignored": "fix-mask",
    "printed-padding": "fix-mask",
    "printed-number-of-batches": "fix-gather",
}
_WRONG = {
    "en": "The printed number is not the metric that its name says: it cannot be compared with published results, and choosing the "
    "best checkpoint by it may go wrong.",
    "zh": "打印的数字不是其名称所指的指标：不能与其他结果比较，据此也可能选错 checkpoint。",
}
_BY_HAND = {
    "en": "Keep the predictions and labels of one evaluation and compute the metric from all of them at once: it must match what is "
    "printed.",
    "zh": "保存一次评估的全部预测和标签，一次性计算指标：结果应与打印值相同。",
}
WHY: Words = dict.fromkeys(_FORM, _WRONG)
PROOF: Words = dict.fromkeys(_FORM, _BY_HAND)
WORDS: Words = {
    "evaluations": {"en": "Evaluations", "zh": "评估"},
    "step": {"en": "After step", "zh": "步数"},
    "printed": {"en": "Printed", "zh": "打印值"},
    "counted": {"en": "Recounted", "zh": "重新统计"},
    "rows": {"en": "Rows", "zh": "行数"},
}
#: What metric_script says of a script, and the mistake of a number that it is.
_SAID = {
    "mean-of-batches": "printed-mean",
    "hits-by-batches": "printed-by-batches",
    "shares-by-rows": "printed-by-rows",
    "counts-on": "printed-counts-on",
    "ratio-of-batches": "printed-number-of-batches",
    "errors-of-batches": "printed-number-of-batches",
}
#: Numbers that are told to be right, and never to be wrong: labels may be smoothed, and the mean of batches is usual.
_LOSSES = ("loss", "perplexity")
_DECIMALS = 7
SHOWN = 20
#: Numbers, and letters of a line, that are told of what was not compared.
_NUMBERS, _LETTERS = 5, 60

Form = Callable[[dict[str, Any]], float | None]
#: Family, way and number; of a mistake its code, family, way, what it gives, and the right number.
Right = tuple[str, str, Form]
Wrong = tuple[str, str, str, Form, Form]


@dataclass(frozen=True)
class Shown:
    """A number that was printed after an evaluation, as it is written."""

    token: str
    after: int

    @property
    def value(self) -> float:
        return float(self.token)

    @property
    def decimals(self) -> int:
        """Digits behind the point; as many as are compared where it is written with an exponent."""
        return _DECIMALS if "e" in self.token.lower() else min(len(self.token.partition(".")[2]), _DECIMALS)

    def is_(self, number: float | None, scale: float, equal: float) -> bool:
        """Whether a number, times the scale, is printed like this."""
        if number is None or not isinstance(number, int | float):
            return False
        rounding = 0.5 * 10.0**-self.decimals if self.decimals < _DECIMALS else 0.0
        return abs(number * scale - self.value) <= rounding + equal * max(scale, abs(self.value))


@dataclass(frozen=True)
class Series:
    """What one line of the script prints under one name, beside the evaluations of one data set before it."""

    name: str
    place: Any
    shown: list[Shown]
    counted: list[dict[str, Any]]

    def scale_of(self, form: Form, scales: tuple[float, ...], equal: float) -> float | None:
        """As a share or in percent: the scale with which the form is what is printed each time; None where it is not."""
        for scale in scales:
            if all(one.is_(form(fact), scale, equal) for one, fact in zip(self.shown, self.counted, strict=True)):
                return scale
        return None


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watch = _watched.of_case(case)[0]
    yield Progress(1, 1, "files")
    found: dict[tuple[str, str], list[Finding]] = {}
    for series in _series(watch, params):
        judged = _judged(watch, series, params)
        if judged is not None:
            found.setdefault((series.name, json.dumps(series.place)), []).append(judged)
    unseen = watch.first("unseen").get("calls")
    if unseen:
        yield Finding("calls-unseen", Level.INFO, watch.where(), {"calls": unseen}, incomplete=True)
    elif not found:
        raise _unread(watch, params)
    for each in found.values():
        yield _of_one_data_set(each)


def _unread(watch: Watch, params: Params) -> Skip:
    """Why nothing was compared: what was seen of evaluations, and where following them stopped."""
    counted, seen = watch.facts("counted"), [one for one in watch.facts("evaluation") if one.get("rows")]
    if not counted:
        return Skip("not-matched", evaluations=len(seen), rows=seen[-1]["rows"]) if seen else Skip("no-printed")
    enough = [one for one in counted if one["rows"] >= params.rows]
    if not enough:
        return Skip("few-rows", evaluations=len(counted), rows=max(one["rows"] for one in counted), least=params.rows)
    last = enough[-1]
    told = {"evaluations": len(enough), "rows": last["rows"], "numbers": ", ".join(_recomputed(last)[:_NUMBERS])}
    lines = [line for fact in watch.facts("printed") for line in fact["lines"] if line[2] == last["number"]]
    if not lines:
        return Skip("nothing-printed", **told)
    text, where = lines[-1][0], watch.where(lines[-1][1])
    text = text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"
    return Skip("nothing-named", **told, text=text, place=f"{where.path}:{where.line}")


def _recomputed(one: dict[str, Any]) -> list[str]:
    """What an evaluation gives: each metric by its first way."""
    numbers = {family: next(iter(ways.values())) for family, ways in (one.get("numbers") or {}).items() if ways}
    if one["rows_are"] != "errors":
        numbers = {"accuracy": one["right"] / one["rows"], **numbers}
    return [f"{name} {value:.4f}" for name, value in numbers.items() if isinstance(value, int | float)]


def _of_one_data_set(found: list[Finding]) -> Finding:
    """What is said of a number that may be of several data sets: it is of the one that explains it."""
    agrees = [one for one in found if one.code == "printed-agrees"]
    wrong = [one for one in found if one.level is not Level.INFO]
    other = [one for one in found if one.code == "printed-other"]
    if agrees or len(wrong) < 2:
        return (agrees or wrong or other)[0]
    return msgspec.structs.replace(wrong[0], level=Level.SUSPECT, sure=Sure.POSSIBLE)


# --- which numbers were printed after which evaluation ------------------------------------------------------------------------


def _series(watch: Watch, params: Params) -> Iterator[Series]:
    counted = {one["number"]: one for one in _summed(watch) if one["rows"] >= params.rows}
    learned = {one.get("data") for one in watch.facts("pass") if one.get("training") is True}
    known = sorted({one["data"] for one in counted.values()}, key=str)
    for (name, _), (place, shown) in _printed(watch, counted).items():
        for data in known:
            if data not in learned and metric_names.is_of_training(name):
                continue
            found = _before(counted, [one.after for one in shown], data)
            if found is not None:
                yield Series(name, place, shown, found)


def _before(counted: dict[int, dict[str, Any]], ends: list[int], data: Any) -> list[dict[str, Any]] | None:
    """The evaluation of a data set before each number that was printed, by the number of the last one of all before it; None where it is
    not one evaluation each."""
    if sorted(set(ends)) != ends:
        return None
    found = [_only(counted, low, high, data) for low, high in zip([-1, *ends], ends, strict=False)]
    whole = [one for one in found if one is not None]
    return whole if len(whole) == len(found) else None


def _only(counted: dict[int, dict[str, Any]], low: int, high: int, data: Any) -> dict[str, Any] | None:
    """The one evaluation of a data set after the one with the number `low`, up to `high`; None where it is not one."""
    within = [counted[at] for at in range(low + 1, high + 1) if at in counted and counted[at]["data"] == data]
    return within[0] if len(within) == 1 else None


def _printed(watch: Watch, counted: dict[int, dict[str, Any]]) -> dict[tuple[str, str], tuple[Any, list[Shown]]]:
    """By name and line of the script: what was printed after the last pass of an evaluation, and never before that: what tells how far
    an evaluation is may be of a batch alone."""
    from ..readers.training_log import named_numbers

    found: dict[tuple[str, str], tuple[Any, list[Shown]]] = {}
    early: set[tuple[str, str]] = set()
    for fact in watch.facts("printed"):
        for text, place, after, passes in fact["lines"]:
            if passes and after not in counted:
                continue
            is_early = passes and passes != counted[after]["passes"]
            for name, token in named_numbers(text):
                key = name, json.dumps(place)
                if is_early:
                    early.add(key)
                elif token.lower().strip("+-")[:1] not in "in":  # inf and nan
                    found.setdefault(key, (place, []))[1].append(Shown(token, after))
    return {
        key: value for key, value in found.items() if key not in early and metric_names.is_of_one_evaluation(key[0])
    }


def _summed(watch: Watch) -> Iterator[dict[str, Any]]:
    """The evaluations, each with the sums of those of its data set up to it, and the rows of its source."""
    sums: dict[Any, list[Any]] = {}
    sources = {
        one["number"]: next((node["rows"] for node in one.get("nodes") or () if node.get("rows") is not None), None)
        for one in watch.facts("dataset")
    }
    for one in watch.facts("counted"):
        right, rows, ahead = sums.get(one["data"], [0, 0, [0] * len(one.get("ahead", ()))])
        total = [
            right + one["right"],
            rows + one["rows"],
            [a + b for a, b in zip(ahead, one.get("ahead", ()), strict=False)],
        ]
        sums[one["data"]] = total
        yield one | {"sums": total, "source": sources.get(one["data"])}


# --- what they are --------------------------------------------------------------------------------------------------------


def _judged(watch: Watch, series: Series, params: Params) -> Finding | None:
    """None where the name is that of no number that was recomputed."""
    families, top = metric_names.families(series.name), metric_names.among_best(series.name)
    right, wrong = _forms(series.counted[0], families, top)
    if not right:
        return None
    for _, way, form in right:
        if series.scale_of(form, _scales(families, top), params.equal) is not None:
            told = _told(watch, "printed-agrees", series, way, form)
            return msgspec.structs.replace(told, refutes=_refuted(told, series, wrong, families, top, params))
    fitting = _fitting(series, wrong, families, top, params)
    if len({one[0] for one in fitting}) == 1:
        return _accused(watch, series, fitting[0], _scales(families, top), params)
    named = top or metric_names.meant(series.name) not in ("", *_LOSSES)
    return _told(watch, "printed-other", series, right[0][1], right[0][2]) if named else None


def _refuted(
    told: Finding, series: Series, wrong: list[Wrong], families: tuple[str, ...], top: int, params: Params
) -> list[Refutes]:
    """What the script is said to do wrong with a number that is right: unless the mistake would have given other numbers that are printed
    alike."""
    scales = _scales(families, top)
    alike = {
        one[0]
        for one in wrong
        if series.scale_of(one[3], scales, params.equal) is not None
        and any(_apart(one[3](fact), one[4](fact), params) for fact in series.counted)
    }
    made = {one[0] for one in wrong}
    several = len(series.shown) > 1
    codes = [
        code
        for code, mistake in _SAID.items()
        if mistake in made and mistake not in alike and (several or not mistake.endswith("counts-on"))
    ]
    place = f"{told.where.path}:{told.where.line}"
    return [Refutes("metric_script", codes, data={"shown": place})] if codes and told.where.line is not None else []


def _forms(first: dict[str, Any], families: tuple[str, ...], top: int) -> tuple[list[Right], list[Wrong]]:
    """What a number of such a name may be, and the mistakes with it."""
    right: list[Right] = []
    wrong: list[Wrong] = []
    if first["rows_are"] != "errors" and ("accuracy" in families or top):
        right += _right_shares(first, top)
        wrong += [
            (code, "accuracy", one[1], form, one[2]) for one in right[:1] for code, form in _wrong_shares(first, top)
        ]
    for family in families:
        for way in (first.get("numbers") or {}).get(family, {}):
            own, of_batches = _of("numbers", family, way), _of("of_batches", family, way)
            right.append((family, way, own))
            if family in _LOSSES:
                right.append((family, "mean(batches)", of_batches))
            elif not top:
                wrong.append(("printed-number-of-batches", family, way, of_batches, own))
                wrong.append(("printed-number-counts-on", family, way, _of("so_far", family, way), own))
    return right, wrong


def _scales(families: tuple[str, ...], top: int) -> tuple[float, ...]:
    return (1.0, 100.0) if top or any(one in metric_names.SHARES for one in families) else (1.0,)


def _of(kept: str, family: str, way: str) -> Form:
    def number(one: dict[str, Any]) -> float | None:
        found = (one.get(kept) or {}).get(family, {}).get(way)
        return float(found) if isinstance(found, int | float) else None

    return number


def _right_shares(first: dict[str, Any], top: int) -> list[Right]:
    """What an accuracy may be, the first of them the one that it is compared with."""
    if top > 1:
        return (
            [("accuracy", f"top-{top}", lambda one: sum(one["ahead"][:top]) / one["rows"])]
            if top <= len(first["ahead"])
            else []
        )
    own: list[Right] = [
        ("accuracy", "right/rows", lambda one: one["right"] / one["rows"]),
        ("accuracy", "wrong/rows", lambda one: 1 - one["right"] / one["rows"]),
    ]
    if "above_zero" in first:
        own.append(
            ("accuracy", "score > 0", lambda one: one["above_zero"] / one["rows"] if "above_zero" in one else None)
        )
    if "ends" in first:
        without = "accuracy", f"labels != {first['ends']['label']}", _without_ends
        own = [without, *own[1:]]
    return own


def _without_ends(one: dict[str, Any]) -> float | None:
    ends = one.get("ends")
    rows = one["rows"] - ends["rows"] if ends else 0
    return (one["right"] - ends["right"]) / rows if ends and rows else None


def _wrong_shares(first: dict[str, Any], top: int) -> list[tuple[str, Form]]:
    """The usual mistakes with an accuracy."""
    if top > 1:
        return [
            ("printed-lowest", lambda one: sum(one["behind"][:top]) / one["rows"]),
            ("printed-counts-on", lambda one: sum(one["sums"][2][:top]) / one["sums"][1]),
            ("printed-by-size", lambda one: sum(one["ahead"][:top]) / (one["batches"] * one["size"])),
            ("printed-by-batches", lambda one: sum(one["ahead"][:top]) / one["batches"]),
        ]
    found: list[tuple[str, Form]] = [
        ("printed-mean", lambda one: one["shares"] / one["batches"]),
        ("printed-counts-on", lambda one: one["sums"][0] / one["sums"][1]),
        ("printed-by-batches", lambda one: one["right"] / one["batches"]),
        ("printed-by-rows", lambda one: one["shares"] / one["rows"]),
        ("printed-without-rest", lambda one: one["full"][0] / one["full"][1]),
        ("printed-last-batch", lambda one: one["last"][0] / one["last"][1]),
    ]
    if first["rows_are"] == "places":
        found.append(
            ("printed-ignored", lambda one: one["right"] / one["places"] if one["places"] > one["rows"] else None)
        )
        if "ends" in first:
            found.append(("printed-padding", lambda one: one["right"] / one["rows"]))
        return found
    return [
        *found,
        ("printed-by-size", lambda one: one["right"] / (one["batches"] * one["size"])),
        ("printed-by-source", lambda one: one["right"] / one["source"] if one["source"] else None),
        ("printed-pairs", lambda one: one["pair_shares"] / one["batches"]),
        ("printed-pairs", lambda one: one["pairs"] / one["rows"]),
    ]


def _fitting(
    series: Series,
    wrong: list[Wrong],
    families: tuple[str, ...],
    top: int,
    params: Params,
) -> list[Wrong]:
    """The mistakes that give what is printed each time, and are seen to be another number than the right one."""
    return [
        one
        for one in wrong
        if not (one[0].endswith("counts-on") and metric_names.may_cover_several(series.name))
        and series.scale_of(one[3], _scales(families, top), params.equal) is not None
        and any(_apart(one[3](fact), one[4](fact), params) for fact in series.counted)
    ]


def _apart(wrong: float | None, right: float | None, params: Params) -> bool:
    return wrong is not None and right is not None and abs(wrong - right) > params.apart


def _accused(watch: Watch, series: Series, found: Wrong, scales: tuple[float, ...], params: Params) -> Finding:
    code, family, way, form, right = found
    scale = series.scale_of(form, scales, params.equal) or 1.0
    digits = sum(one.decimals + (2 if scale > 1 else 0) for one in series.shown)
    pairs = zip(series.shown, series.counted, strict=True)
    shown, one = next(pair for pair in pairs if _apart(form(pair[1]), right(pair[1]), params))
    data: dict[str, Any] = {"name": series.name, "shown": shown.token, "expected": right(one), "rows": one["rows"]}
    data |= {"batches": one["batches"], "family": family, "way": way, "evaluations": len(series.shown)}
    data |= {key: one.get(key) for key in ("size", "source", "places") if one.get(key) is not None}
    if code == "printed-padding":
        data["label"] = one["ends"]["label"]
    sure = digits >= params.digits and code != "printed-padding"
    where = watch.where(series.place)
    evidence, fix = _table(series, right), Fix(_FIXES[code])
    if sure:
        return Finding(code, Level.PROBLEM, where, data, evidence, fix, sure=Sure.LIKELY)
    if digits < params.digits - 2:
        return _told(watch, "printed-other", series, way, right)
    return Finding(code, Level.SUSPECT, where, data, evidence, fix, sure=Sure.POSSIBLE)


def _table(series: Series, form: Form) -> list[Evidence]:
    lines: list[list[Plain]] = [
        [one["step"], shown.token, form(one), one["rows"]]
        for shown, one in zip(series.shown[:SHOWN], series.counted[:SHOWN], strict=True)
    ]
    return [Table("evaluations", ["step", "printed", "counted", "rows"], lines, len(series.shown))]


def _told(watch: Watch, code: str, series: Series, way: str, form: Form) -> Finding:
    last = series.counted[-1]
    data = {
        "name": series.name,
        "shown": series.shown[-1].token,
        "evaluations": len(series.shown),
        "rows": last["rows"],
    }
    data |= {"way": way, "expected": form(last)}
    incomplete = code == "printed-other"
    evidence = _table(series, form) if incomplete else []
    return Finding(code, Level.INFO, watch.where(series.place), data, evidence, incomplete=incomplete)


# --- examples ---------------------------------------------------------------------------------------------------------------


def _example(name: str, verdict: Verdict, *codes: str, texts: tuple[str, ...], **more: Any) -> Example:
    """Evaluations of 40 rows in batches of 16, 16 and 8, of which 8, 12 and 8 are right in the first, and one more in each that follows;
    after each of them a text is printed. `more` changes what was counted."""
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    lines: list[dict[str, Any]] = [head]
    lines.append({"fact": "dataset", "number": 1, "place": ["train.py", 9], "nodes": [{"node": "Source", "rows": 50}]})
    lines += [{"fact": "unseen", "calls": calls}] if (calls := more.pop("unseen", 0)) else []
    before = [0, 0]
    for number, text in enumerate(texts):
        right = 28 + number
        f1 = {"numbers": 0.68 + number / 40, "of_batches": 0.72 + number / 40, "so_far": 0.68 + number / 80}
        told = {
            **{"right": right, "among": 40, "rows": 40, "batches": 3, "classes": 12, "rows_are": "classes"},
            **{"shares": (8 + number) / 16 + 12 / 16 + 1.0, "size": 16, "full": [20 + number, 32], "last": [7, 8]},
            **{"ahead": [right, 4, 2, *[0] * 7], "behind": [1, 0, 1, *[0] * 7], "places": 40},
            **{
                "pairs": 150 + number,
                "pair_shares": 0.9 + number / 100,
                "before": before,
                "number": number,
                "passes": 3,
            },
            **{kept: {"f1": {"macro": value}} for kept, value in f1.items()},
            **more,
        }
        lines.append({"step": number + 1, "epoch": number, "loss": 1.0, "seconds": 0.1})
        lines.append({"fact": "counted", "step": number + 1, "data": 1, **told})
        lines.append({"fact": "printed", "step": number + 1, "lines": [[text, ["train.py", 30], number, 3]]})
        before = [before[0] + right, before[1] + 40]
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes)


_PLACES = {"rows_are": "places", "places": 50}
_PADDED = {"rows_are": "places", "ends": {"label": 0, "right": 10, "rows": 12}}
EXAMPLES = [
    _example("as counted anew", Verdict.OK, "printed-agrees", texts=("epoch 1 acc 0.7000", "epoch 2 acc 0.7250")),
    _example("in percent", Verdict.OK, "printed-agrees", texts=("Accuracy: 70.0%", "Accuracy: 72.5%")),
    _example("the mean of batches", Verdict.PROBLEM, "printed-mean", texts=("acc 0.7500", "acc 0.7708")),
    _example("all evaluations so far", Verdict.PROBLEM, "printed-counts-on", texts=("acc 0.7000", "acc 0.7125")),
    _example("divided by batches", Verdict.PROBLEM, "printed-by-batches", texts=("acc 9.3333", "acc 9.6667")),
    _example("shares divided by rows", Verdict.PROBLEM, "printed-by-rows", texts=("acc 0.0562", "acc 0.0578")),
    _example("divided by full batches", Verdict.PROBLEM, "printed-by-size", texts=("acc 0.5833", "acc 0.6042")),
    _example(
        "divided by the source", Verdict.PROBLEM, "printed-by-source", texts=("acc 0.5600", "acc 0.5800"), size=15
    ),
    _example("without the last batch", Verdict.PROBLEM, "printed-without-rest", texts=("acc 0.6250", "acc 0.6562")),
    _example("the last batch alone", Verdict.PROBLEM, "printed-last-batch", texts=("acc 0.8750", "acc 0.8750")),
    _example("a column against a row", Verdict.PROBLEM, "printed-pairs", texts=("acc 0.3000", "acc 0.3033")),
    _example("the lowest three", Verdict.PROBLEM, "printed-lowest", texts=("top3 acc 0.0500", "top3 acc 0.0500")),
    _example("the best three", Verdict.OK, "printed-agrees", texts=("top3 acc 0.8500", "top3 acc 0.8750")),
    _example("ignored labels", Verdict.PROBLEM, "printed-ignored", texts=("acc 0.5600", "acc 0.5800"), **_PLACES),
    _example("padding", Verdict.UNDECIDED, "printed-padding", texts=("acc 0.7000", "acc 0.7250"), **_PADDED),
    _example("without padding", Verdict.OK, "printed-agrees", texts=("acc 0.6429", "acc 0.6786"), **_PADDED),
    _example("F1 of batches", Verdict.PROBLEM, "printed-number-of-batches", texts=("f1: 0.7200", "f1: 0.7450")),
    _example("F1 so far", Verdict.PROBLEM, "printed-number-counts-on", texts=("f1: 0.6800", "f1: 0.6925")),
    _example("two digits once", Verdict.UNDECIDED, "printed-other", texts=("acc 0.75",)),
    _example("calls between the steps", Verdict.UNDECIDED, "calls-unseen", texts=("acc 0.7000",), unseen=8),
    _example("a number that is none", Verdict.UNDECIDED, "printed-other", texts=("acc 0.3100", "acc 0.3300")),
]
