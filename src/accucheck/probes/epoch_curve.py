"""Reads the validation loss over the epochs of a training: whether it ended too early, too late, or near its best.

Judges the loss of the evaluations that a log, table or recording holds, else their accuracy, after smoothing, and only what goes
beyond its noise. Fewer than five evaluations decide nothing, and neither does a training loss alone. Cannot know which
checkpoint is used in the end, unless its name says best, nor that a schedule of the learning rate was too short: where the rate was
recorded and ran out, that is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Verdict
from ..probe import Example
from . import _curves

if TYPE_CHECKING:
    from ._curves import Array, Logs, Series

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (("curves.train", "curves.eval"),)


class Params(msgspec.Struct, frozen=True):
    points: Annotated[
        int,
        Meta(
            ge=5, description="fewer evaluations decide nothing", extra={"unit": "evaluations", "source": "own choice"}
        ),
    ] = 5
    late: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="a best evaluation after this share of the training is not too early",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.7
    change: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="a smaller rise since the best evaluation, or fall over the last fifth, is of no matter",
            extra={"unit": "1", "source": "measured: benchmarks/epoch_curve_alarms.py"},
        ),
    ] = 0.02
    noise: Annotated[
        float,
        Meta(
            ge=0,
            description="a rise or fall of fewer standard deviations of single evaluations is noise",
            extra={"unit": "1", "source": "measured: benchmarks/epoch_curve_alarms.py"},
        ),
    ] = 2.5
    trend: Annotated[
        float,
        Meta(
            ge=0,
            description="z of Mann and Kendall's test from which evaluations count as rising or falling",
            extra={"unit": "1", "source": "99.5 % on one side; six evaluations that all go one way have 2.6"},
        ),
    ] = 2.6
    short: Annotated[
        int,
        Meta(
            ge=5,
            description="with fewer evaluations a fall at the end is a suspect",
            extra={"unit": "evaluations", "source": "measured: benchmarks/epoch_curve_alarms.py"},
        ),
    ] = 12
    over: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="a learning rate at the end below this share of its highest has run out",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.05


#: Mann and Kendall's z of five values that all go one way.
_FIVE = 2.2
_BEST = (
    "The best {what} was at {unit} {best:,.12g} of {last:,.12g} ({lowest:.4g} after smoothing)",
    "{what}在第 {best:,.12g} 个 {unit} 最好（共 {last:,.12g} 个，平滑后为 {lowest:.4g}）",
)
MESSAGES: Words = {
    **_curves.MESSAGES,
    "too-many": {
        "en": _BEST[0]
        + "; since then it has worsened to {end:.4g} ({change:.1%}, {sigmas:.1f} standard deviations of its noise).",
        "zh": _BEST[1] + "，此后变差到 {end:.4g}（{change:.1%}，为波动标准差的 {sigmas:.1f} 倍）。",
    },
    "best-kept": {
        "en": _BEST[0]
        + " and has worsened to {end:.4g} since; the checkpoint examined is called {name}, so it may well be the one of the best "
        "evaluation.",
        "zh": _BEST[1] + "，此后变差到 {end:.4g}；所检查的 checkpoint 名为 {name}，可能正是最优处的权重。",
    },
    "accuracy-holds": {
        "en": _BEST[0]
        + " and has worsened to {end:.4g} since, but the validation accuracy is as high as ever ({accuracy:.4g}): the "
        "network becomes too sure of itself rather than worse.",
        "zh": _BEST[1]
        + "，此后变差到 {end:.4g}，但验证准确率仍处于最高水平（{accuracy:.4g}）：网络只是过于自信，分类并未变差。",
    },
    "both-worse": {
        "en": _BEST[0]
        + " and has worsened to {end:.4g} since, but the training loss does not fall either: the cause is more likely the learning "
        "rate or the data than the number of epochs.",
        "zh": _BEST[1] + "，此后变差到 {end:.4g}，但训练 loss 也没有继续下降：更可能是学习率或数据的问题，而不是轮数。",
    },
    "too-few": {
        "en": "At the end, {unit} {last:,.12g}, the {what} still improves: from {start:.4g} to {end:.4g} over the last {tail:,} "
        "evaluations ({sigmas:.1f} standard deviations of its noise).",
        "zh": "训练结束时（第 {last:,.12g} 个 {unit}）{what}仍在明显改善：最后 {tail:,} 次评估从 {start:.4g} 变为 {end:.4g}"
        "（变化为波动标准差的 {sigmas:.1f} 倍）。",
    },
    "rate-ended": {
        "en": "Over the last {tail:,} evaluations the {what} still improves ({start:.4g} to {end:.4g}) while the learning rate "
        "runs out ({rate:.3g}, {rate_share:.2%} of its highest): more epochs help only with a longer schedule.",
        "zh": "最后 {tail:,} 次评估中{what}仍在改善（{start:.4g} 到 {end:.4g}），而学习率已接近耗尽"
        "（{rate:.3g}，为最高值的 {rate_share:.2%}）：增加轮数须同时拉长学习率调度。",
    },
    "never-better": {
        "en": "The {what} never improved beyond its noise ({points:,} evaluations, {first:.4g} at first, {lowest:.4g} at best): the "
        "number of epochs cannot be judged.",
        "zh": "{what}没有明显改善（{first:.4g} → 最好 {lowest:.4g}，共 {points:,} 次评估，变化在波动范围内），无法判断轮数是否合适。",
    },
    "fits": {
        "en": _BEST[0] + ", {end:.4g} at the end: neither still improving nor worsened beyond its noise.",
        "zh": _BEST[1] + "，结束时为 {end:.4g}：既没有明显继续改善，也没有超出波动的变差。",
    },
    "rate-over": {
        "en": "The learning rate ran out at the end ({rate:.3g}, {rate_share:.2%} of its highest): that the loss is flat there does not "
        "show that a longer schedule would bring nothing.",
        "zh": "训练末尾学习率已接近耗尽（{rate:.3g}，为最高值的 {rate_share:.2%}）：此时曲线走平，并不说明拉长调度没有收益。",
    },
    "by-accuracy": {
        "en": "There is no validation loss in {path}; its accuracy ({name}) was judged instead.",
        "zh": "{path} 中没有验证 loss，改为判断其准确率（{name}）。",
    },
    "not-finite": {
        "en": "{count:,} of {points:,} evaluations produced NaN or Inf, the first at {unit} {first:,.12g}; the others were judged. "
        "Item mp.01 traces where such values come from.",
        "zh": "{points:,} 次评估中有 {count:,} 次结果为 NaN 或 Inf，首次在第 {first:,.12g} 个 {unit}；其余照常判断。其来源见检查项 mp.01。",
    },
    "few-points": {
        "en": "Only {points:,} evaluations with a number: at least {least:,} are needed to distinguish a trend from noise.",
        "zh": "只有 {points:,} 次有效的评估，至少需要 {least:,} 次才能区分趋势与波动。",
    },
    "no-validation": {
        "en": "No validation loss or accuracy was found; the training loss {how}, but by itself it does not show when a network begins "
        "to overfit. Record an evaluation each epoch, and name the log in curves.eval.",
        "zh": "没有找到验证 loss 或准确率；仅有的训练 loss {how}，由此看不出何时开始过拟合。"
        "请每个 epoch 评估一次，并把日志填到 curves.eval。",
    },
    "no-curve-known": {
        "en": "No column of {path} is known as a loss or an accuracy.",
        "zh": "{path} 中没有可识别为 loss 或准确率的列。",
    },
    "fix-fewer": {
        "en": "Stop early, with mindspore.train.EarlyStopping(monitor='eval_loss', patience=5, restore_best_weights=True), or use the "
        "checkpoint of the best evaluation; against strong overfitting first augment data or add weight_decay.",
        "zh": "用 mindspore.train.EarlyStopping(monitor='eval_loss', patience=5, restore_best_weights=True) 提前停止，或使用最优评估处的"
        " checkpoint；过拟合严重时先加数据增强或 weight_decay。",
    },
    "fix-more": {
        "en": "Train longer, and stretch the schedule of the learning rate with it.",
        "zh": "增加 epoch，并同步拉长学习率调度。",
    },
}
WORDS: Words = {
    **_curves.WORDS,
    "curves": {"en": "Training and validation", "zh": "训练与验证曲线"},
    "smoothed": {"en": "smoothed", "zh": "平滑后"},
    "best": {"en": "best", "zh": "最优"},
}
WHY: Words = {
    "too-many": {
        "en": "The network memorises the training samples and gets worse on other samples.",
        "zh": "网络开始死记训练样本，在其他样本上的效果比之前更差。",
    },
    "too-few": {
        "en": "The network had not reached its potential: training stopped before its results were at their best.",
        "zh": "训练在效果达到最好之前就停止了，网络没有学到应有的程度。",
    },
}
PROOF: Words = {
    "too-many": {
        "en": "Evaluate the checkpoint saved at {unit} {best:,.12g} and the last one on the same data: the first must be better.",
        "zh": "用同一份数据评估第 {best:,.12g} 个 {unit} 的 checkpoint 和最后一个 checkpoint：前者应更好。",
    },
    "too-few": {
        "en": "Train half as long again, with the schedule stretched alike: the result must become better.",
        "zh": "训练时长增加一半，学习率调度同比拉长：效果应当更好。",
    },
}
_WHAT: Words = {
    "loss": {"en": "validation loss", "zh": "验证 loss "},
    "accuracy": {"en": "validation accuracy", "zh": "验证准确率"},
}
_HOW: Words = {
    "falls": {"en": "still falls at the end", "zh": "结束时仍在下降"},
    "flat": {"en": "is flat at the end", "zh": "结束时已走平"},
    "rises": {"en": "rises at the end", "zh": "结束时在上升"},
    "unclear": {"en": "has too few points for a trend", "zh": "点数太少，看不出趋势"},
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    logs = _curves.Logs(case, "curves.train", "curves.eval")
    yield Progress(1, 1, "files")
    found = list(_judged(case, params, logs))
    yield from logs.findings()
    yield from found


def _judged(case: Case, params: Params, logs: Logs) -> Iterator[Finding]:
    import numpy as np

    loss = logs.series("loss", evaluated=True)
    accuracy = logs.series("accuracy", evaluated=True, beside=loss)
    validation = loss or accuracy
    train = logs.series("loss", beside=validation)
    if validation is None:
        yield _training_alone(logs, train, case)
        return
    if loss is None:
        yield Finding("by-accuracy", Level.INFO, validation.where, {"path": validation.path, "name": validation.name})
    curve = validation.finite()
    if bad := len(validation.x) - len(curve.x):
        first = float(validation.x[~np.isfinite(validation.values)][0])
        data = {"count": bad, "points": len(validation.x), "first": first, "unit": _curves.UNITS[validation.unit]}
        yield Finding("not-finite", Level.INFO, validation.where, data, incomplete=True)
    seen = _seen(curve, "loss" if loss else "accuracy", train)
    if len(curve.x) < params.points:
        data = {"points": len(curve.x), "least": params.points}
        evidence = [seen.chart()] if len(curve.x) > 1 else []
        yield Finding("few-points", Level.INFO, curve.where, data, list(evidence), incomplete=True)
        return
    yield from _verdict(case, params, seen, accuracy if loss else None, logs)


@dataclass(frozen=True)
class _JudgedCurve:
    """What is judged: `costs` (points,) is the loss, or the accuracy with its sign turned, so that less is better."""

    curve: Series
    what: str
    train: Array | None
    costs: Array
    smooth: Array
    window: int
    noise: float

    def data(self) -> dict[str, Any]:
        """What every message may name. Values are as measured: an accuracy has its own sign."""
        sign = 1 if self.what == "loss" else -1
        best = int(self.smooth.argmin())
        start = max(0, best - self.window // 2)  # smoothing moves a minimum, at an end of the curve most
        lowest = start + int(self.costs[start : best + self.window // 2 + 1].argmin())
        return {
            "what": _WHAT[self.what],
            "unit": _curves.UNITS[self.curve.unit],
            "best": float(self.curve.x[lowest]),
            "first": float(self.curve.values[0]),
            "last": float(self.curve.x[-1]),
            "lowest": sign * float(self.smooth[best]),
            "end": sign * float(self.costs[-self.window :].mean()),
            "points": len(self.curve.x),
        }

    def chart(self) -> Any:
        import numpy as np

        series = {} if self.train is None else {"training-loss": self.train}
        series[f"validation-{self.what}"] = self.curve.values
        if len(self.curve.x) > 20:
            half, whole = self.window // 2, self.smooth if self.what == "loss" else -self.smooth
            series["smoothed"] = np.concatenate([np.full(half, np.nan), whole[half:-half], np.full(half, np.nan)])
        label = "loss" if self.what == "loss" else "accuracy"
        return _curves.chart("curves", self.curve.unit, label, self.curve.x, series, {"best": self.data()["best"]})


def _seen(curve: Series, what: str, train: Series | None) -> _JudgedCurve:
    """The curve smoothed."""
    count = len(curve.x)
    window = _window(count)
    costs = curve.values if what == "loss" else -curve.values
    smooth = _curves.smoothed(costs, window) if count >= window else costs
    spread = _curves.noise(costs, window) if count >= 5 else 0.0
    trained = _curves.means_at(train, curve) if train is not None and what == "loss" else None
    return _JudgedCurve(curve, what, trained, costs, smooth, window, spread)


def _window(count: int) -> int:
    """Over how many of `count` points a curve is smoothed: about a fifth, at most 21; an odd number."""
    return min(max(3, count // 5 | 1), 21)


def _verdict(case: Case, params: Params, seen: _JudgedCurve, accuracy: Series | None, logs: Logs) -> Iterator[Finding]:
    costs, smooth, data, where = seen.costs, seen.smooth, seen.data(), seen.curve.where
    evidence = [seen.chart()]
    count, best = len(costs), int(smooth.argmin())
    end = float(costs[-seen.window :].mean())
    rise = end - float(smooth[best])
    scale = abs(float(smooth[best]))
    rate = _rate(logs, seen.curve)
    spent = {} if rate is None else {"rate": rate[0], "rate_share": rate[1]}
    if (
        best + 1 < params.late * count
        and rise > max(params.noise * seen.noise, params.change * scale)
        and _curves.trend(costs[best:]) >= params.trend
    ):
        data |= _size(rise, scale, seen.noise)
        kept = case.get("checkpoints.current")
        if seen.train is not None and _curves.trend(_known(seen.train[best:])) >= params.trend:
            yield Finding("both-worse", Level.SUSPECT, where, data, list(evidence))
        elif accuracy is not None and (holds := _holds(accuracy, params)) is not None:
            yield Finding(
                "accuracy-holds", Level.SUSPECT, where, data | {"accuracy": holds}, list(evidence), Fix("fix-fewer")
            )
        elif kept and "best" in Path(kept).name.lower():
            yield Finding(
                "best-kept", Level.SUSPECT, where, data | {"name": Path(kept).name}, list(evidence), Fix("fix-fewer")
            )
        else:
            yield Finding("too-many", Level.PROBLEM, where, data, list(evidence), Fix("fix-fewer"))
        return
    last = costs[-max(6, -(-count // 5)) :]
    half = len(last) // 2
    fall = _fall(last)
    scale = abs(float(costs[-1]))
    travelled = float(smooth[0] - smooth.min())
    falls = (
        fall > max(params.noise * seen.noise, params.change * scale, params.change * travelled)
        and _curves.trend(last) <= -(params.trend if count >= params.short else _FIVE)
        # A fall that has come to its end is none: the last half of it goes on at no less than half the pace.
        and _fall(last[half:]) / (len(last) - half - 1) > 0.5 * _fall(last[: half + 1]) / half
    )
    if falls:
        sign = 1 if seen.what == "loss" else -1
        data |= _size(fall, scale, seen.noise)
        data |= {"tail": len(last), "start": sign * float(last[0]), "end": sign * float(last[-1])}
        if rate is not None and rate[1] < params.over:
            yield Finding("rate-ended", Level.SUSPECT, where, data | spent, list(evidence), Fix("fix-more"))
        else:
            level = Level.PROBLEM if count >= params.short else Level.SUSPECT
            yield Finding("too-few", level, where, data, list(evidence), Fix("fix-more"))
        return
    if float(costs[0]) - float(smooth[best]) <= max(params.noise * seen.noise, params.change * abs(float(costs[0]))):
        yield Finding("never-better", Level.SUSPECT, where, data, list(evidence))
        return
    yield Finding("fits", Level.INFO, where, data, list(evidence))
    if rate is not None and rate[1] < params.over:
        yield Finding("rate-over", Level.INFO, where, spent)


def _fall(values: Array) -> float:
    """How far a straight line through the values falls from the first to the last."""
    import numpy as np

    return -float(np.polyfit(np.arange(len(values)), values, 1)[0]) * (len(values) - 1)


def _size(change: float, scale: float, spread: float) -> dict[str, float]:
    return {"change": change / scale if scale else 0.0, "sigmas": min(change / spread, 999.0) if spread > 0 else 999.0}


def _known(values: Array) -> Array:
    import numpy as np

    found: Array = values[np.isfinite(values)]
    return found


def _holds(accuracy: Series, params: Params) -> float | None:
    """The accuracy at the end, where it is as high as it ever was, within its noise."""
    values = accuracy.finite().values
    if len(values) < params.points:
        return None
    window = _window(len(values))  # it may be recorded less often than the loss
    smooth = _curves.smoothed(values, window)
    end = float(values[-window:].mean())
    return end if end >= float(smooth.max()) - params.noise * _curves.noise(values, window) else None


def _rate(logs: Logs, beside: Series) -> tuple[float, float] | None:
    """The learning rate at the end, and what share of its highest that is."""
    found = logs.series("lr", beside=beside)
    if found is None or len(values := found.finite().values) < 2 or not values.max() > 0:
        return None
    return float(values[-1]), float(values[-1] / values.max())


def _training_alone(logs: Logs, train: Series | None, case: Case) -> Finding:
    if train is None:
        paths = [case.relative(path) for key in ("curves.train", "curves.eval") for path in case.paths(key)]
        return Finding("no-curve-known", Level.INFO, data={"path": paths}, incomplete=True)
    curve = train.finite()
    how = "unclear"
    if len(curve.x) >= 10:
        z = _curves.trend(curve.values[-max(5, len(curve.x) // 5) :])
        how = "falls" if z <= -_FIVE else "rises" if z >= _FIVE else "flat"
    evidence = []
    if len(curve.x) > 1:
        evidence.append(_curves.chart("curves", curve.unit, "loss", curve.x, {"training-loss": curve.values}))
    return Finding("no-validation", Level.INFO, curve.where, {"how": _HOW[how]}, list(evidence), incomplete=True)


def _table(**columns: list[float]) -> str:
    """A CSV with the epochs from 1."""
    count = len(next(iter(columns.values())))
    rows = [",".join(["epoch", *columns])]
    rows += [",".join([str(at + 1), *(f"{column[at]:g}" for column in columns.values())]) for at in range(count)]
    return "\n".join(rows) + "\n"


def _decay(epochs: int, pace: float, noise: float = 0.01) -> list[float]:
    """From 2.3 towards 0.3 by the factor e in `pace` epochs, with a little noise."""
    from math import exp, sin

    return [0.3 + 2 * exp(-epoch / pace) + noise * sin(7.3 * epoch * epoch) for epoch in range(epochs)]


def _overfitted(epochs: int = 30, best: int = 10) -> list[float]:
    return [loss + 0.03 * max(0, epoch - best) for epoch, loss in enumerate(_decay(epochs, 3))]


def _example(name: str, train: str, evaluation: str, verdict: Verdict, *codes: str, **checkpoints: str) -> Example:
    files: dict[str, Any] = {"train.csv": train, "eval.csv": evaluation}
    case: dict[str, Any] = {"curves": {"train": "train.csv", "eval": "eval.csv"}, "checkpoints": checkpoints}
    return Example(name, files=files, case=case, verdict=verdict, codes=codes)


_RATES = [0.1 * (1 - epoch / 30) + 1e-5 for epoch in range(30)]
_FALLING = _table(loss=_decay(30, 5))
EXAMPLES = [
    _example("trained to its plateau", _FALLING, _table(loss=_decay(30, 4)), Verdict.OK, "fits"),
    _example(
        "flat where the learning rate ran out",
        _table(loss=_decay(30, 5), lr=[0.1] * 25 + [1e-5] * 5),
        _table(loss=_decay(30, 4)),
        Verdict.OK,
        "rate-over",
    ),
    _example("worse since the tenth of 30 epochs", _FALLING, _table(loss=_overfitted()), Verdict.PROBLEM, "too-many"),
    _example("still improving at the end", _FALLING, _table(loss=_decay(30, 20)), Verdict.PROBLEM, "too-few"),
    _example(
        "eight epochs, improving in all",
        _FALLING,
        _table(loss=_decay(8, 10)),
        Verdict.UNDECIDED,
        "too-few",
    ),
    _example(
        "still improving while the learning rate runs out",
        _table(loss=_decay(30, 20), lr=_RATES),
        _table(loss=_decay(30, 20)),
        Verdict.UNDECIDED,
        "rate-ended",
    ),
    _example(
        "one log of the whole training",
        "".join(
            f"epoch: {epoch} step: 100, loss is {loss:.4f}\nEval result: epoch {epoch}, metrics: {{'loss': {other:.4f}}}\n"
            for epoch, loss, other in zip(range(1, 31), _decay(30, 5), _overfitted(), strict=True)
        ),
        "epoch,time\n1,2\n",
        Verdict.PROBLEM,
        "too-many",
    ),
    _example(
        "worse, and the examined checkpoint is called best",
        _FALLING,
        _table(loss=_overfitted()),
        Verdict.UNDECIDED,
        "best-kept",
        current="best.ckpt",
    ),
    _example(
        "the loss rises and the accuracy does not fall",
        _FALLING,
        _table(loss=_overfitted(), accuracy=[1 - loss / 4 for loss in _decay(30, 4)]),
        Verdict.UNDECIDED,
        "accuracy-holds",
    ),
    _example(
        "training and validation become worse together",
        _table(loss=_overfitted()),
        _table(loss=_overfitted()),
        Verdict.UNDECIDED,
        "both-worse",
    ),
    _example(
        "accuracy alone, on its plateau",
        _FALLING,
        _table(accuracy=[1 - loss / 4 for loss in _decay(30, 4)]),
        Verdict.OK,
        "by-accuracy",
    ),
    _example(
        "accuracy alone, lost again",
        _FALLING,
        _table(accuracy=[1 - loss / 4 for loss in _overfitted(60)]),
        Verdict.PROBLEM,
        "too-many",
    ),
    _example("nothing was learned", _FALLING, _table(loss=[2.3] * 20), Verdict.UNDECIDED, "never-better"),
    _example(
        "NaN at the end",
        _FALLING,
        _table(loss=[*_decay(30, 4), float("nan")]),
        Verdict.UNDECIDED,
        "not-finite",
    ),
    _example("three evaluations", _FALLING, _table(loss=_decay(3, 1)), Verdict.UNDECIDED, "few-points"),
    _example("no evaluation", _FALLING, "epoch,time\n1,2\n", Verdict.UNDECIDED, "no-validation"),
    _example("no column that is known", "step,a\n1,2\n", "step,b\n1,2\n", Verdict.UNDECIDED, "no-curve-known"),
]
