"""Reads a learning rate range test: the bounds it gives, and whether the learning rate of the training lies between them.

The test (`accucheck lr-range` runs it, or record one by hand) raises the rate step by step; the lower bound is where the accuracy
begins to rise (or the loss to fall), the upper one where that ends. The rate of the training comes from the column of rates in
curves.train, else from the training script; of a schedule the highest counts. It cannot tell whether test and training used the
same optimizer, batch size and data, nor find a best rate. A curve that is a running mean over more than a twentieth of the test is
smoother than its noise, and may seem to rise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Curve, Finding, Fix, Kind, Language, Level, Progress, Verdict, Where
from ..probe import Example

if TYPE_CHECKING:
    from ..readers.curves import Run
    from ._rate_bounds import Array, RangeTest

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("curves.lr_test",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    least_rise: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="a smaller rise of the accuracy, or fall of the loss as a share of its beginning, gives no bounds",
            extra={"unit": "1", "source": "tried on flat curves: benchmarks/lr_range_alarms.py"},
        ),
    ] = 0.05
    noise: Annotated[
        float,
        Meta(
            ge=3,
            le=100,
            description="a rise below so many standard deviations of the smoothed curve gives no bounds",
            extra={"unit": "standard deviations", "source": "tried on flat curves: benchmarks/lr_range_alarms.py"},
        ),
    ] = 8.0
    tolerance: Annotated[
        float,
        Meta(
            gt=0,
            lt=0.5,
            description="the upper bound is the first rate whose accuracy is within this share of the rise of the top",
            extra={"unit": "1", "source": "tried on curves of known bounds: benchmarks/lr_range_alarms.py"},
        ),
    ] = 0.05
    margin: Annotated[
        float,
        Meta(
            ge=1,
            le=10,
            description="a rate above the upper bound by less than this factor is a suspect: as exact as the bound is",
            extra={"unit": "factor", "source": "0.98 to 1.20 of the true bound, tried with 400 points"},
        ),
    ] = 1.25
    slow: Annotated[
        float,
        Meta(
            ge=1,
            le=1000,
            description="a rate below the lower bound by less than this factor is a suspect: a longer training may get there too",
            extra={"unit": "factor", "source": "own choice; examples/digits still learns at half of its lower bound"},
        ),
    ] = 10.0


MESSAGES: Words = {
    "too-high": {
        "en": "Training uses a learning rate of {rate:.3g} ({origin}); in the range test the {what} was at its best at {upper:.3g} and "
        "worse beyond {falls:.3g}.",
        "zh": "训练使用的学习率为 {rate:.3g}（{origin}），而范围实验中{what}在 {upper:.3g} 处达到最好，超过 {falls:.3g} "
        "后变差：学习率偏大。",
    },
    "too-low": {
        "en": "Training uses a learning rate of {rate:.3g} ({origin}); in the range test the {what} did not move below {lower:.3g}.",
        "zh": "训练使用的学习率为 {rate:.3g}（{origin}），而范围实验中学习率低于 {lower:.3g} 时{what}没有变化：学习率偏小。",
    },
    "outside": {
        "en": "Training uses a learning rate of {rate:.3g} ({origin}), outside the range of {lower:.3g} to {upper:.3g} found by the "
        "test, but {why}.",
        "zh": "训练使用的学习率为 {rate:.3g}（{origin}），在实验给出的范围 {lower:.3g} 至 {upper:.3g} 之外，但{why}。",
    },
    "inside": {
        "en": "The training uses a learning rate of {rate:.3g} ({origin}), within the bounds of the range test: {lower:.3g} to "
        "{upper:.3g}.",
        "zh": "训练使用的学习率为 {rate:.3g}（{origin}），在范围实验的上下限之内：{lower:.3g} 至 {upper:.3g}。",
    },
    "bounds": {
        "en": "The range test finds {lower:.3g} to {upper:.3g}, from the {what} at {points:,} points{open}. Which learning rate "
        "training uses cannot be seen in curves.train or the training script.",
        "zh": "范围实验得出的学习率范围为 {lower:.3g} 至 {upper:.3g}（依据 {points:,} 个点的 {what}{open}）。"
        "从 curves.train 和训练脚本中都看不出训练实际使用的学习率。",
    },
    "no-rise": {
        "en": "The {what} does not {move} enough in the range test ({rise:.3g}, threshold {needed:.3g}), so it yields no bounds for "
        "the learning rate. Check the range of rates, that the weights were freshly initialised, and that the network learns at all.",
        "zh": "范围实验中{what}没有明显{move}（变化 {rise:.3g}，小于判定阈值 {needed:.3g}），无法得出学习率上下限。"
        "请确认学习率的范围合适、权重从头开始训练，以及网络确实能学到东西。",
    },
    "no-test": {
        "en": "{path} holds no range test: {why}.",
        "zh": "{path} 不是学习率范围实验的记录：{why}。",
    },
    "several": {
        "en": "{path} holds {count:,} range tests; the last one is judged.",
        "zh": "{path} 中有 {count:,} 次范围实验，以最后一次为准。",
    },
    "unreadable": {
        "en": "Part of what the curves say could not be examined. {problem}",
        "zh": "部分曲线数据未能检查。{problem}",
    },
    "fix-rate": {
        "en": "Set the learning rate between {lower:.3g} and {upper:.3g}; Smith's rule of thumb takes about half of the upper one.",
        "zh": "把学习率设到 {lower:.3g} 与 {upper:.3g} 之间；经验做法是先取上限的一半左右。",
    },
    "fix-test": {
        "en": "Record it with accucheck lr-range --live, or as CSV with the columns step, lr, loss and accuracy.",
        "zh": "可用 accucheck lr-range --live 完成实验并记录，或自行记录为 CSV，列名为 step、lr、loss、accuracy。",
    },
}

WHY: Words = {
    "too-high": {
        "en": "Each step leaps over the minimum: the loss swings or diverges, and the network ends worse than it could.",
        "zh": "每一步都越过最小值，loss 震荡甚至发散，网络达不到应有的精度。",
    },
    "too-low": {
        "en": "The weights hardly move in the available time: training ends before the network has learned what it could.",
        "zh": "权重在规定的训练时间内几乎不动，训练结束时网络还没有学到应学的内容。",
    },
}
_PROOF = {
    "en": "Train a few epochs from the same weights at about half of the upper bound and compare the curves. First make sure that the "
    "test used the optimizer, batch size and data of the training.",
    "zh": "先确认范围实验与训练使用了相同的优化器、batch 大小和数据，再从同一份初始权重出发，用上限一半左右的学习率训练几个 epoch，"
    "比较两条曲线。",
}
PROOF: Words = {"too-high": _PROOF, "too-low": _PROOF}

WORDS: Words = {
    "range-test": {"en": "Learning rate range test", "zh": "学习率范围实验"},
    "learning-rate": {"en": "Learning rate", "zh": "学习率"},
    "accuracy": {"en": "Accuracy", "zh": "准确率"},
    "loss": {"en": "Loss", "zh": "loss"},
    "smoothed": {"en": "smoothed", "zh": "平滑后"},
    "recorded": {"en": "as recorded", "zh": "原始值"},
    "lower": {"en": "lower bound", "zh": "下限"},
    "upper": {"en": "upper bound", "zh": "上限"},
    "current": {"en": "training", "zh": "当前值"},
}

_WHAT = {
    False: {"en": "accuracy", "zh": "准确率"},
    True: {"en": "loss", "zh": "损失值"},
}
_MOVE = {
    False: {"en": "rise", "zh": "上升"},
    True: {"en": "fall", "zh": "下降"},
}
_OUTSIDE: Words = {
    "margin": {
        "en": "by less than the bounds are exact",
        "zh": "超出的幅度小于上下限本身的误差",
    },
    "slow": {
        "en": "a test passes each rate within few steps, and a whole training may well learn at it",
        "zh": "实验在每个学习率上只训练很少几步，完整训练仍可能学到内容",
    },
    "flat": {
        "en": "the test went on as well at that rate: there was nothing left to learn, or the bound is a cautious one",
        "zh": "实验在该学习率下仍保持最好水平：可能已没有提升空间，此时得到的上限偏保守",
    },
    "below": {
        "en": "the curve rises from the first rate of the test on: begin the test lower",
        "zh": "曲线从实验的第一个学习率起就在变化，请从更小的学习率开始实验",
    },
    "above": {
        "en": "the test ends before anything gets worse: let it go higher",
        "zh": "实验结束时结果还没有变差，请把学习率的上端设得更高",
    },
    "written": {
        "en": "that rate was read from a script, where another one may be set at run time",
        "zh": "该学习率读自脚本，运行时可能另有设置",
    },
}
_OPEN: Words = {
    "": {"en": "", "zh": ""},
    "below": {"en": "; the lower bound may lie below the rates tested", "zh": "；下限可能低于实验的范围"},
    "above": {"en": "; what fails may lie above the rates tested", "zh": "；训练失败的学习率可能高于实验的范围"},
    "both": {"en": "; both bounds may lie beyond the rates tested", "zh": "；上下限都可能在实验的范围之外"},
}
_NO_TEST: Words = {
    "columns": {
        "en": "it has no column of learning rates together with one of accuracy or loss",
        "zh": "没有同时给出学习率列和准确率（或 loss）列",
    },
    "points": {
        "en": "it has too few points ({points}, at least {fewest})",
        "zh": "数据点过少（{points} 个，至少需要 {fewest} 个）",
    },
    "rates": {
        "en": "its learning rates do not rise from step to step, by a factor of 3 in all",
        "zh": "学习率没有逐步升高，或总共升高不到 3 倍",
    },
}

#: Points of a chart.
_SHOWN = 500
_RATE = re.compile(r"(^|[^a-z])(lr|learning[ _-]?rate)s?([^a-z]|$)", re.I)
_ACCURACY = re.compile(r"(^|[^a-z])(acc|accuracy|top[ _-]?1(acc|accuracy)?)([^a-z]|$)", re.I)
_LOSS = re.compile(r"(^|[^a-z])loss([^a-z]|$)", re.I)


class _Rate(NamedTuple):
    """The highest rate of the training, the words for where it is from, and whether it is the one in effect."""

    rate: float
    origin: dict[str, str]
    sure: bool


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError when there is no curve at all in what curves.lr_test names."""
    from ..readers import curves
    from . import _rate_bounds

    (path,) = case.paths("curves.lr_test")
    where = Where(case.relative(path))
    read = curves.read(path)
    for problem in read.problems[:20]:
        yield Finding("unreadable", Level.INFO, where, {"problem": _spoken(problem)}, incomplete=True)
    found = [columns for run in read.runs if (columns := _columns(run)) is not None]
    if not found:
        yield _no_test(where, "columns")
        return
    if len(found) > 1:
        yield Finding("several", Level.INFO, where, {"path": where.path, "count": len(found)})
    rates, values, falling = found[-1]
    if len(rates) < _rate_bounds.FEWEST:
        yield _no_test(where, "points", points=len(rates), fewest=_rate_bounds.FEWEST)
        return
    if not _rate_bounds.rising(rates):
        yield _no_test(where, "rates")
        return
    percent = not falling and values.max(initial=0, where=values == values) > 1.5
    least = params.least_rise * (100 if percent else 1)
    test = _rate_bounds.bounds(
        rates, values, falling=falling, least=least, noises=params.noise, tolerance=params.tolerance
    )
    current, problems = _current(case)
    for problem in problems:
        yield Finding("unreadable", Level.INFO, where, {"problem": _spoken(problem)}, incomplete=True)
    yield _judged(where, test, falling, current, params)


def _spoken(problem: ReadError) -> dict[str, str]:
    return {language.value: problem.text(language) for language in Language}


def _no_test(where: Where, why: str, **data: Any) -> Finding:
    said = {language: text.format(**data) for language, text in _NO_TEST[why].items()}
    return Finding(
        "no-test", Level.INFO, where, {"path": where.path, "why": said}, fix=Fix("fix-test"), incomplete=True
    )


def _columns(run: Run) -> tuple[Array, Array, bool] | None:
    """The rates of a run and its accuracies, else its losses, both by step; and whether it is losses. None without both.

    The column with most points counts: of the accuracies of batches and of evaluations the former show more of the range.
    """
    import numpy as np

    def most(pattern: re.Pattern[str]) -> str | None:
        names = [name for name in run.columns if pattern.search(name)]
        return max(names, key=lambda name: len(run.columns[name].values), default=None)

    rate, accuracy = most(_RATE), most(_ACCURACY)
    chosen = accuracy or most(_LOSS)
    if rate is None or chosen is None:
        return None
    rates, values = run.columns[rate], run.columns[chosen]
    usable = np.isfinite(rates.values) & (rates.values >= 0)
    if not usable.any():
        return None
    at = np.searchsorted(rates.steps[usable], values.steps, "right") - 1
    return rates.values[usable][at[at >= 0]], values.values[at >= 0], accuracy is None


def _current(case: Case) -> tuple[_Rate | None, list[ReadError]]:
    """The learning rate of the training: the highest one in its curve, else what the script says."""
    import numpy as np

    from ..readers import curves
    from ._script_rates import of_script

    problems = []
    for path in case.paths("curves.train"):
        try:
            runs = curves.read(path).runs
        except ReadError as error:
            problems.append(error)
            continue
        for run in reversed(runs):
            for name, column in run.columns.items():
                rates = column.values[np.isfinite(column.values)]
                if _RATE.search(name) and len(rates) and rates.max() > 0:
                    place = case.relative(path)
                    return _Rate(
                        float(rates.max()), {"en": f"highest in {place}", "zh": f"{place} 中的最大值"}, True
                    ), problems
    written = of_script(case) if case.get("scripts.train") else None
    if written is None:
        return None, problems
    return _Rate(
        written.rate, {"en": written.place, "zh": written.place}, written.sure and not written.scheduled
    ), problems


def _judged(where: Where, test: RangeTest, falling: bool, current: _Rate | None, params: Params) -> Finding:
    data: dict[str, Any] = {"what": _WHAT[falling], "points": len(test.rates)}
    if current is not None:
        data |= {"rate": current.rate, "origin": current.origin}
    found = test.bounds
    chart = _chart(test, falling, current)
    if found is None:
        data |= {"move": _MOVE[falling], "rise": _bounded(test.rise), "needed": _bounded(test.needed)}
        return Finding("no-rise", Level.INFO, where, data, [chart], incomplete=True)
    data |= {"lower": found.lower, "upper": found.upper, "falls": found.falls}
    if current is None:
        ends = {(True, True): "both", (True, False): "below", (False, True): "above"}
        data["open"] = _OPEN[ends.get((found.below, found.above), "")]
        return Finding("bounds", Level.INFO, where, data, [chart], incomplete=True)
    rate, high = current.rate, current.rate > found.upper
    if found.lower <= rate <= found.upper:
        return Finding("inside", Level.INFO, where, data, [chart])
    if high:
        reason = (
            "margin"
            if rate <= found.upper * params.margin
            else "above"
            if found.above
            else "flat"
            if rate <= found.falls * params.margin
            else None
        )
    else:
        reason = "below" if found.below else "slow" if rate * params.slow >= found.lower else None
    if reason is None and not current.sure:
        reason = "written"
    if reason is not None:
        return Finding("outside", Level.SUSPECT, where, data | {"why": _OUTSIDE[reason]}, [chart], Fix("fix-rate"))
    return Finding("too-high" if high else "too-low", Level.PROBLEM, where, data, [chart], Fix("fix-rate"))


def _bounded(value: float) -> float:
    return min(value, 1e300)


def _chart(test: RangeTest, falling: bool, current: _Rate | None) -> Curve:
    """The curve over the rates, thinned to what a chart shows."""
    import numpy as np

    at = np.unique(np.linspace(0, len(test.rates) - 1, _SHOWN).astype(int)) if len(test.rates) else np.zeros(0, int)
    marks = {"lower": test.bounds.lower, "upper": test.bounds.upper} if test.bounds is not None else {}
    if current is not None:
        marks["current"] = current.rate
    ceiling = (
        float(np.percentile(test.values, 95)) * 2 if falling and len(at) else math.inf
    )  # a loss that explodes hides the rest
    series: dict[str, list[float | None]] = {
        name: [float(value) if abs(value) <= max(ceiling, 1e-9) else None for value in values[at]]
        for name, values in (("recorded", test.values), ("smoothed", test.smoothed))
    }
    label = "loss" if falling else "accuracy"
    return Curve("range-test", "learning-rate", label, [float(rate) for rate in test.rates[at]], series, marks)


def _csv(what: str = "accuracy", rises: bool = True, high: float = 0.5, points: int = 300) -> str:
    """A range test of 300 steps from 1e-5 up: it learns from 0.001 on, best from 0.03, and fails beyond 0.15."""
    lines = [f"step,lr,{what}"]
    state = 1
    for step in range(points):
        rate = 1e-5 * (high / 1e-5) ** (step / (points - 1))
        share = min(max(math.log(rate / 0.001) / math.log(30), 0.0), 1.0) if rises else 0.0
        share *= min(max(1 - math.log(max(rate, 0.15) / 0.15) / math.log(2), 0.0), 1.0)
        state = state * 48271 % 2147483647  # Lehmer's generator: the same curve on every machine
        chance = 0.1 * (state / 2147483647 - 0.5)
        value = 0.15 + 0.8 * share + chance if what == "accuracy" else 2.3 - 2.0 * share + chance
        lines.append(f"{step + 1},{rate:.8g},{value:.6f}")
    return "\n".join(lines) + "\n"


def _example(
    name: str, test: str, verdict: Verdict, *codes: str, rate: float | None = None, script: str | None = None
) -> Example:
    files: dict[str, Any] = {"lr.csv": test}
    case: dict[str, Any] = {"curves": {"lr_test": "lr.csv"}}
    if rate is not None:
        files["train.csv"] = "step,lr,loss\n" + "".join(f"{n},{rate * n / 20:.8g},{3 - n / 10}\n" for n in range(1, 21))
        case["curves"]["train"] = "train.csv"
    if script is not None:
        files["train.py"] = (
            "import mindspore as ms\nfrom mindspore import nn\n\nnet = nn.Dense(4, 2)\n"
            + script
            + "ms.Model(net, nn.MSELoss(), opt).train(10, data)\n"
        )
        case["scripts"] = {"train": "train.py"}
    return Example(name, files=files, case=case, verdict=verdict, codes=codes)


_SGD = "opt = nn.SGD(net.trainable_params(), learning_rate={})\n"
EXAMPLES = [
    _example("the rate lies between the bounds", _csv(), Verdict.OK, "inside", rate=0.01),
    _example("the rate is ten times too high", _csv(), Verdict.PROBLEM, "too-high", rate=0.3),
    _example("the rate is far too low", _csv(), Verdict.PROBLEM, "too-low", rate=0.00001),
    _example("below the bound, where patience may do", _csv(), Verdict.UNDECIDED, "outside", rate=0.0003),
    _example("a rate within, in the script", _csv(), Verdict.OK, "inside", script=_SGD.format(0.01)),
    _example("a rate too low, in the script", _csv(), Verdict.PROBLEM, "too-low", script=_SGD.format(0.00001)),
    _example("by the loss", _csv("loss"), Verdict.OK, "inside", rate=0.01),
    _example("by the loss, too high", _csv("loss"), Verdict.PROBLEM, "too-high", rate=0.4),
    _example("beyond the bound, where all was learned already", _csv(), Verdict.UNDECIDED, "outside", rate=0.1),
    _example("a test that ends before anything gets worse", _csv(high=0.1), Verdict.UNDECIDED, "outside", rate=0.3),
    _example("no rate to compare with", _csv(), Verdict.UNDECIDED, "bounds"),
    _example("nothing rises", _csv(rises=False), Verdict.UNDECIDED, "no-rise", rate=0.01),
    _example("a constant rate is no test", _csv(high=1e-5), Verdict.UNDECIDED, "no-test"),
    _example("ten points are too few", _csv(points=10), Verdict.UNDECIDED, "no-test"),
]
