"""Compares a training with a baseline of a small batch size: whether its validation results stay below beyond the noise.

Both curves are read at the same epoch, the last that both have; where a log tells no epochs, each at its end. What two trainings of the
same script differ by is known only where the case names such a rerun; without it a gap must exceed the noise along both curves and a
least one. Cannot tell the batch size from other causes: the two trainings must differ in nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Progress, Verdict
from ..probe import Example
from . import _curves

if TYPE_CHECKING:
    from ._curves import Logs, Series

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("curves.baseline", ("curves.train", "curves.eval"))


class Params(msgspec.Struct, frozen=True):
    accuracy: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="an accuracy that is lower by no more than this is on a par",
            extra={
                "unit": "1",
                "source": "own choice: repeated runs of one script commonly differ by some tenths of a per cent",
            },
        ),
    ] = 0.01
    loss: Annotated[
        float,
        Meta(
            ge=0,
            description="a loss that is higher by no more than this share is on a par",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.05
    noise: Annotated[
        float,
        Meta(
            ge=0,
            description="a gap below so many standard deviations of the difference of single evaluations is noise",
            extra={"unit": "1", "source": "99.9 % on one side, of normal noise"},
        ),
    ] = 3.0
    points: Annotated[
        int,
        Meta(
            ge=5,
            description="with fewer evaluations of one of them the noise is not known",
            extra={"unit": "evaluations", "source": "own choice"},
        ),
    ] = 5


_GAP = (
    "at {unit} {at:,.12g} the {what} is {value:.4g}, the baseline's {baseline:.4g}",
    "第 {at:,.12g} 个 {unit} 时，{what}为 {value:.4g}，基线为 {baseline:.4g}",
)
MESSAGES: Words = {
    **_curves.MESSAGES,
    "below-baseline": {
        "en": "Worse than the small-batch baseline: "
        + _GAP[0]
        + " (a gap of {gap:.3g}, {sigmas:.1f} standard deviations of the noise).",
        "zh": "不如小 batch 基线：" + _GAP[1] + "（相差 {gap:.3g}，为波动标准差的 {sigmas:.1f} 倍）。",
    },
    "maybe-below": {
        "en": "Perhaps worse than the small-batch baseline: "
        + _GAP[0]
        + ", but they have too few evaluations ({points:,} and {others:,}) to know their noise.",
        "zh": "可能不如小 batch 基线：" + _GAP[1] + "；但评估次数太少（{points:,} 次与 {others:,} 次），无法估计波动。",
    },
    "training-above": {
        "en": "The training loss stays above the small-batch baseline's: "
        + _GAP[0]
        + ". No validation result was found in both.",
        "zh": "训练 loss 高于小 batch 基线：" + _GAP[1] + "。两者没有共同的验证结果。",
    },
    "on-par": {
        "en": "On a par with the small-batch baseline: " + _GAP[0] + ".",
        "zh": "与小 batch 基线相当：" + _GAP[1] + "。",
    },
    "within-noise": {
        "en": "Not below the small-batch baseline beyond noise: "
        + _GAP[0]
        + " (a gap of {gap:.3g}; less than {least:.3g} counts as noise).",
        "zh": "与小 batch 基线的差距未超出波动：" + _GAP[1] + "（相差 {gap:.3g}，小于 {least:.3g} 视为波动）。",
    },
    "training-alone": {
        "en": "Only training losses are found in both: "
        + _GAP[0]
        + ". They say little about accuracy: record an evaluation each epoch.",
        "zh": "两者只有训练 loss 可比：" + _GAP[1] + "。它不足以说明准确率，请每个 epoch 评估一次。",
    },
    "cut": {
        "en": "One training is shorter: they are compared up to {unit} {at:,.12g} ({last:,.12g} and {others_last:,.12g} were recorded).",
        "zh": "两次训练长度不同：只比较到第 {at:,.12g} 个 {unit}（分别记录到 {last:,.12g} 和 {others_last:,.12g}）。",
    },
    "no-epochs": {
        "en": "At least one log has no epochs: each run is judged at its end, as if both had trained for the same number of epochs.",
        "zh": "日志没有都给出 epoch：按两次训练的 epoch 数相同处理，各取训练结束时的结果。",
    },
    "rate-same": {
        "en": "An epoch has {ratio:.3g} times as many steps in the baseline, so the batch here is that many times larger, but the "
        "highest learning rate is {rate:.3g} against {others_rate:.3g}: it was not scaled accordingly.",
        "zh": "基线每个 epoch 的步数是此处的 {ratio:.3g} 倍，即此处 batch 大了相应倍数，"
        "而最大学习率为 {rate:.3g}（基线为 {others_rate:.3g}），没有随之增大。",
    },
    "not-comparable": {
        "en": "{path} and {baseline_path} have no accuracy and no loss in common over epochs or steps.",
        "zh": "{path} 与 {baseline_path} 没有可按 epoch 或 step 对照的共同准确率或 loss。",
    },
    "fix-batch": {
        "en": "Go back to the batch size of the baseline, then grow step by step, the learning rate in proportion and with a warm-up; a "
        "very large batch needs nn.LARS or nn.Lamb.",
        "zh": "先回到基线的 batch 大小，再逐步放大，同时按比例提高学习率并加预热；batch 必须很大时使用 nn.LARS 或 nn.Lamb。",
    },
}
WORDS: Words = {
    **_curves.WORDS,
    "comparison": {"en": "This training and the small-batch baseline", "zh": "本次训练与小 batch 基线"},
    "this": {"en": "this training", "zh": "本次训练"},
    "baseline": {"en": "small-batch baseline", "zh": "小 batch 基线"},
}
_LARGE = {
    "en": "A larger batch makes fewer updates an epoch, and tends to end in minima that do less well on new samples.",
    "zh": "batch 越大，每个 epoch 的更新次数越少，也更容易收敛到泛化较差的极小值。",
}
WHY: Words = {"below-baseline": _LARGE, "rate-same": _LARGE}
_TWICE = {
    "en": "Repeat both trainings with another seed: the gap must remain, and exceed the difference between two runs of one script.",
    "zh": "换一个随机种子各重复一次：差距应仍然存在，且大于同一脚本两次运行之间的差别。",
}
PROOF: Words = {
    "below-baseline": _TWICE,
    "rate-same": {
        "en": "Train with the learning rate scaled in proportion, and a warm-up: the gap must shrink.",
        "zh": "按比例提高学习率并加预热后重新训练：差距应缩小。",
    },
}
_WHAT: Words = {
    "accuracy": {"en": "validation accuracy", "zh": "验证准确率"},
    "loss": {"en": "validation loss", "zh": "验证 loss "},
    "training": {"en": "training loss", "zh": "训练 loss "},
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    own, baseline = _curves.Logs(case, "curves.train", "curves.eval"), _curves.Logs(case, "curves.baseline")
    rerun = _curves.Logs(case, "curves.rerun") if case.get("curves.rerun") else None
    yield Progress(1, 1, "files")
    found = list(_judged(case, params, own, baseline, rerun))
    for logs in (own, baseline, rerun):
        if logs is not None:
            yield from logs.findings()
    yield from found


def _judged(case: Case, params: Params, own: Logs, baseline: Logs, rerun: Logs | None) -> Iterator[Finding]:
    for what in ("accuracy", "loss", "training"):
        first, second = _of(own, what, False), _of(baseline, what, True)
        if first is not None and second is not None:
            one, other = _aligned(first, second)
            if len(one.x) and len(other.x):
                break
    else:
        paths = {
            key: [case.relative(path) for name in names for path in case.paths(name)]
            for key, names in (("path", ("curves.train", "curves.eval")), ("baseline_path", ("curves.baseline",)))
        }
        yield Finding("not-comparable", Level.INFO, data=paths, incomplete=True)
        return
    data: dict[str, Any] = {
        "what": _WHAT[what],
        "unit": _curves.UNITS[first.unit],
        "at": float(one.x[-1]),
        "points": len(one.x),
    }
    data |= {"others": len(other.x), "last": float(first.x[-1]), "others_last": float(second.x[-1])}
    if not first.unit == second.unit == "epoch":
        yield Finding("no-epochs", Level.INFO, first.where, data)
    elif data["last"] != data["others_last"]:
        yield Finding("cut", Level.INFO, first.where, data)
    finding = _compared(params, what, one, other, data, _of(rerun, what, True) if rerun is not None else None)
    yield finding
    yield from _rates(own, baseline, first, second, finding.level)


def _of(logs: Logs, what: str, unsaid: bool) -> Series | None:
    """The finite points of a curve, and of an accuracy in per cent its share of 1."""
    from dataclasses import replace

    evaluated = what != "training"
    found = logs.series("accuracy" if what == "accuracy" else "loss", evaluated=evaluated, unsaid=unsaid and evaluated)
    if found is None or not len((found := found.finite()).x):
        return None
    if what == "accuracy" and found.values.max() > 1.5:
        found = replace(found, values=found.values / 100)
    return _curves.by_epoch(found)


def _aligned(first: Series, second: Series) -> tuple[Series, Series]:
    """Both up to the last epoch that both have; whole where one of them tells none."""
    if not first.unit == second.unit == "epoch":
        return first, second
    end = min(first.x[-1], second.x[-1])
    return first.only(first.x <= end), second.only(second.x <= end)


def _chart(what: str, one: Series, other: Series) -> Evidence:
    """Both curves, the other one stretched to the length of the first where they do not count epochs."""
    import numpy as np

    scale = 1.0 if one.unit == other.unit == "epoch" else one.x[-1] / other.x[-1]
    at = np.interp(one.x, other.x * scale, other.values, left=np.nan)
    label = "accuracy" if what == "accuracy" else "loss"
    return _curves.chart("comparison", one.unit, label, one.x, {"this": one.values, "baseline": at})


def _compared(
    params: Params, what: str, one: Series, other: Series, data: dict[str, Any], rerun: Series | None
) -> Finding:
    import numpy as np

    value, window = _end(one)
    baseline, others = _end(other)
    gap = baseline - value if what == "accuracy" else value - baseline
    data |= {"value": value, "baseline": baseline, "gap": gap}
    least = params.accuracy if what == "accuracy" else params.loss * abs(baseline)
    known = min(len(one.x), len(other.x)) >= params.points
    spread = 0.0
    if known:
        spread = float(np.hypot(_curves.noise(one.values, window), _curves.noise(other.values, others)))
        least = max(least, params.noise * spread)
    if rerun is not None:
        again, same = _aligned(rerun, one)  # it may be shorter
        if len(again.x) and len(same.x):
            least = max(least, 2 * abs(_end(again)[0] - _end(same)[0]))
    data |= {"least": least, "sigmas": min(gap / spread, 999.0) if spread > 0 else 999.0}
    evidence = [_chart(what, one, other)] if len(one.x) > 1 and len(other.x) > 1 else []
    code, level, fix = "on-par", Level.INFO, None
    if gap > least:
        fix = Fix("fix-batch")
        code, level = ("below-baseline", Level.PROBLEM) if known else ("maybe-below", Level.SUSPECT)
        if what == "training":
            code, level = "training-above", Level.SUSPECT
    elif what == "training":
        code = "training-alone"
    elif gap > 0:
        code = "within-noise"
    return Finding(code, level, one.where, data, evidence, fix, incomplete=code == "training-alone")


def _end(series: Series) -> tuple[float, int]:
    """The mean of the last fifth of the points, at most 21, and how many these are; an odd number."""
    count = min(max(1, len(series.x) // 5) | 1, 21)
    return float(series.values[-count:].mean()), max(3, count)


def _rates(own: Logs, baseline: Logs, first: Series, second: Series, level: Level) -> Iterator[Finding]:
    """Whether the learning rate grew with the batch, where both trainings recorded steps, epochs and rates."""
    found = []
    for logs, beside in ((own, first), (baseline, second)):
        loss, rate = logs.series("loss", beside=beside), logs.series("lr", beside=beside)
        if loss is None or rate is None or not len(rates := rate.finite().values):
            return
        if min(loss.steps.min(), loss.epochs.min()) < 0:
            return
        found.append((_steps_an_epoch(loss), float(rates.max())))
    (steps, highest), (others_steps, others_highest) = found
    if steps <= 0 or others_highest <= 0:
        return
    ratio = others_steps / steps
    if ratio >= 2 and highest < 1.2 * others_highest:
        data = {"ratio": ratio, "rate": highest, "others_rate": others_highest}
        yield Finding("rate-same", Level.INFO if level is Level.INFO else Level.SUSPECT, first.where, data)


def _steps_an_epoch(loss: Series) -> float:
    """How many steps an epoch has. A training that was resumed does not begin with step 1, and not each step is recorded."""
    import numpy as np

    steps = np.unique(loss.steps)
    apart = float(np.median(np.diff(steps))) if len(steps) > 1 else float(steps[0])
    epochs = int(loss.epochs.max() - loss.epochs.min()) + 1
    return (float(steps[-1] - steps[0]) + apart) / epochs


def _table(epochs: int, best: float, pace: float = 3.0, noise: float = 0.002) -> str:
    """A CSV of an evaluation each epoch."""
    from math import exp, sin

    rows = (
        (epoch, best * (1 - exp(-epoch / pace)) + noise * sin(7.3 * epoch * epoch)) for epoch in range(1, epochs + 1)
    )
    return "epoch,accuracy\n" + "".join(f"{epoch},{value:.5f}\n" for epoch, value in rows)


def _log(epochs: int, steps: int, rate: float, end: float) -> str:
    """A log of training losses."""
    return "".join(
        f"epoch: {epoch} step: {step}, loss is {end + 2 / (epoch * steps + step):.4f}, lr: {rate}\n"
        for epoch in range(1, epochs + 1)
        for step in range(1, steps + 1)
    )


def _example(name: str, baseline: str, evaluation: str, verdict: Verdict, *codes: str, train: str = "") -> Example:
    files: dict[str, Any] = {"baseline.csv": baseline, "eval.csv": evaluation}
    curves = {"baseline": "baseline.csv", "eval": "eval.csv"}
    if train:
        files["train.log"] = train
        curves["train"] = "train.log"
    return Example(name, files=files, case={"curves": curves}, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("as good as the baseline", _table(30, 0.92), _table(30, 0.918), Verdict.OK),
    _example("better than the baseline", _table(30, 0.90), _table(30, 0.92), Verdict.OK, "on-par"),
    _example(
        "a gap within the noise", _table(30, 0.92, noise=0.03), _table(30, 0.90, noise=0.03), Verdict.OK, "within-noise"
    ),
    _example("five points below", _table(30, 0.92), _table(30, 0.87), Verdict.PROBLEM, "below-baseline"),
    _example("in per cent on one side", _table(30, 92, noise=0.1), _table(30, 0.87), Verdict.PROBLEM, "below-baseline"),
    _example(
        "a shorter training is compared where it ends",
        _table(60, 0.92, pace=10),
        _table(20, 0.92, pace=10),
        Verdict.OK,
        "cut",
    ),
    _example("two evaluations each", _table(2, 0.92), _table(2, 0.82), Verdict.UNDECIDED, "maybe-below"),
    _example(
        "training losses alone, as low as those of the baseline",
        _log(5, 20, 0.1, 0.2),
        "epoch,time\n1,1\n",
        Verdict.UNDECIDED,
        "training-alone",
        train=_log(5, 20, 0.1, 0.2),
    ),
    _example(
        "training losses alone, and the learning rate did not grow with the batch",
        _log(5, 20, 0.1, 0.2),
        "epoch,time\n1,1\n",
        Verdict.UNDECIDED,
        "training-above",
        "rate-same",
        train=_log(5, 5, 0.1, 0.9),
    ),
    _example("nothing in common", "epoch,accuracy\n1,0.5\n", "step,loss\n1,2\n", Verdict.UNDECIDED, "not-comparable"),
]
