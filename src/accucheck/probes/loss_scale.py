"""Reads the loss scale and the overflows that a training recorded: whether the scale held and overflows stayed rare.

Takes both from a log or recording, or the overflows from where the scale fell. The overflows in a row with which a dynamic scale
finds its value at the start are normal, and so is one whenever it has doubled. Cannot see gradients that underflow, nor steps
between two records.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Progress, Verdict
from ..probe import Example, Skip
from . import _curves

if TYPE_CHECKING:
    from ._curves import Array, Series

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("curves.train",)


class Params(msgspec.Struct, frozen=True):
    most: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="overflow in more than this share of the steps is a problem",
            extra={"unit": "1", "source": "own choice: 100 times what a window of 2000 steps costs"},
        ),
    ] = 0.05
    few: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="overflow in more than this share of the steps is suspect",
            extra={
                "unit": "1",
                "source": "own choice: a window of 100 steps, the smallest in common use, costs as much",
            },
        ),
    ] = 0.01
    settled: Annotated[
        int,
        Meta(
            ge=1,
            description="steps in a row without overflow after which the scale has found its value",
            extra={"unit": "steps", "source": "own choice"},
        ),
    ] = 10
    least: Annotated[
        int,
        Meta(
            ge=1,
            description="overflows after that, fewer decide nothing",
            extra={"unit": "steps", "source": "own choice"},
        ),
    ] = 5


_AFTER = (
    "{count:,} of {steps:,} recorded steps overflowed after the scale had settled at step {from_step:,} ({share:.2%}), the last at "
    "step {last:,}",
    "loss scale 在第 {from_step:,} 步稳定之后，{steps:,} 个记录步中仍有 {count:,} 步溢出（{share:.2%}），最后一次在第 {last:,} 步",
)
MESSAGES: Words = {
    **_curves.MESSAGES,
    "collapsed": {
        "en": "The loss scale fell from {first:,.8g} to {end:,.8g}, where it scales nothing; it reached 1 at step {step:,}.",
        "zh": "loss scale 从 {first:,.8g} 跌到 {end:,.8g}，已不起放大作用；在第 {step:,} 步跌至 1。",
    },
    "falling": {
        "en": "The loss scale falls through the whole training: from {settled:,.8g} after it had settled to {end:,.8g}, {falls:,} times "
        "down and {rises:,} times up.",
        "zh": "loss scale 在整个训练中持续下降：稳定后为 {settled:,.8g}，最终为 {end:,.8g}，下调 {falls:,} 次，上调 {rises:,} 次。",
    },
    "many-overflows": {"en": _AFTER[0] + ".", "zh": _AFTER[1] + "。"},
    "some-overflows": {
        "en": _AFTER[0] + ": more than a dynamic scale needs to keep its value.",
        "zh": _AFTER[1] + "：多于动态 loss scale 维持正常取值所需的次数。",
    },
    "never-settled": {
        "en": "{count:,} of {steps:,} recorded steps overflowed ({share:.2%}), the last at step {last:,}; the scale never settled.",
        "zh": "{steps:,} 个记录步中有 {count:,} 步溢出（{share:.2%}），最后一次在第 {last:,} 步；loss scale 始终未稳定。",
    },
    "not-settled": {
        "en": "Only {steps:,} steps were recorded, {count:,} of them overflowed, and the scale has not settled yet.",
        "zh": "只记录了 {steps:,} 步，其中 {count:,} 步溢出，loss scale 尚未稳定。",
    },
    "scale-one": {
        "en": "The loss scale is {end:,.8g} in all {steps:,} recorded steps: nothing is scaled. float32 and bfloat16 need no more, but "
        "small float16 gradients become 0.",
        "zh": "记录的 {steps:,} 步中 loss scale 始终为 {end:,.8g}，没有放大：float32 和 bfloat16 无需放大，"
        "但 float16 下较小的梯度会变为 0。",
    },
    "settled": {
        "en": "The loss scale held: {first:,.8g} at first, {end:,.8g} at the end, {falls:,} times down and {rises:,} times up; {start:,} "
        "overflows while it settled and {count:,} in the {steps:,} recorded steps after ({share:.2%}).",
        "zh": "loss scale 保持正常：最初 {first:,.8g}，最终 {end:,.8g}，下调 {falls:,} 次，上调 {rises:,} 次；稳定前溢出 {start:,} 次，"
        "稳定后的 {steps:,} 个记录步中溢出 {count:,} 次（{share:.2%}）。",
    },
    "fixed": {
        "en": "The loss scale is fixed at {end:,.8g}; {count:,} of {steps:,} recorded steps overflowed. Without any overflow, a larger "
        "one is worth trying if many gradients are 0.",
        "zh": "loss scale 固定为 {end:,.8g}；{steps:,} 个记录步中 {count:,} 步溢出。若从不溢出而有大量梯度为 0，可以试着调大。",
    },
    "overflows-rare": {
        "en": "No loss scale was recorded; {count:,} of {steps:,} recorded steps overflowed ({share:.2%}) once {start:,} at the start "
        "had passed.",
        "zh": "没有记录 loss scale；除开头的 {start:,} 次外，{steps:,} 个记录步中 {count:,} 步溢出（{share:.2%}）。",
    },
    "from-scale": {
        "en": "Overflows were not recorded; each fall of the scale counts as one.",
        "zh": "没有记录是否溢出，loss scale 每下调一次按一次溢出计。",
    },
    "no-scale": {
        "en": "{path} contains neither a loss scale nor overflows. Record them: accucheck.Recorder accepts both.",
        "zh": "{path} 中既没有 loss scale 也没有是否溢出。请加以记录，accucheck.Recorder 两者均可记录。",
    },
    "fix-origin": {
        "en": "Look for the operator that overflows by itself and keep it in float32 (item mp.01), lower the learning rate or clip "
        "gradients: a smaller scale no longer helps.",
        "zh": "scale 再小也无济于事：找出自身溢出的算子并改用 float32（见 mp.01），或降低学习率、裁剪梯度。",
    },
    "fix-halve": {
        "en": "Halve a fixed scale until overflows are rare; with a dynamic one lower the initial value or enlarge scale_window.",
        "zh": "固定 loss scale 时除以 2，直到溢出很少；动态时降低初值，或加大 scale_window。",
    },
    "fix-double": {
        "en": "Double the scale until steps begin to overflow now and then, or use amp.DynamicLossScaleManager.",
        "zh": "逐次乘以 2，直到偶尔出现溢出为止；或改用 amp.DynamicLossScaleManager。",
    },
}
WORDS: Words = {
    **_curves.WORDS,
    "scale": {"en": "Loss scale", "zh": "loss scale"},
    "log2": {"en": "log2 of the loss scale", "zh": "loss scale 的以 2 为底的对数"},
    "loss-scale": {"en": "loss scale", "zh": "loss scale"},
    "overflows": {"en": "Share of steps that overflow, along the training", "zh": "训练各阶段的溢出步占比"},
    "share": {"en": "share of steps", "zh": "步数占比"},
    "overflow": {"en": "overflow", "zh": "溢出"},
}
_SKIPPED = {
    "en": "A step that overflows is skipped: the network does not learn from its batch, and gradients of a scale that is too small "
    "become 0 in float16.",
    "zh": "溢出的步会被跳过，该 batch 不参与学习；而 scale 过小时，较小的 float16 梯度又会变为 0。",
}
_CODES = ("collapsed", "falling", "many-overflows", "some-overflows", "never-settled")
WHY: Words = dict.fromkeys(_CODES, _SKIPPED)
_FLOAT32 = {
    "en": "Train some hundred steps in float32 from the same weights: the loss must then fall further. If it overflows there too, the "
    "scale is not the cause.",
    "zh": "从同一份权重出发用 float32 训练几百步：loss 应下降得更好。若仍有溢出，则与 loss scale 无关。",
}
PROOF: Words = dict.fromkeys(_CODES, _FLOAT32)

#: Overflows marked one by one; of more a chart tells the share.
_MARKS = 20


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    logs = _curves.Logs(case, "curves.train")
    yield Progress(1, 1, "files")
    scale = logs.series("scale")
    overflow = logs.series("overflow", beside=scale)
    if scale is not None:
        scale = scale.finite()
    if overflow is not None:
        overflow = overflow.finite()
    scale = scale if scale is not None and len(scale.x) else None
    if scale is None and (overflow is None or not len(overflow.x)):
        logs.require_whole()
        raise Skip("no-scale", path=[case.relative(path) for path in case.paths("curves.train")])
    found = list(_judged(case, params, scale, overflow))
    yield from logs.findings()
    yield from found


def _judged(case: Case, params: Params, scale: Series | None, overflow: Series | None) -> Iterator[Finding]:
    import numpy as np

    if overflow is not None and len(overflow.x):
        steps, bad = overflow.x, overflow.values > 0
    else:
        assert scale is not None
        steps, bad = scale.x, np.concatenate([[False], np.diff(scale.values) < 0])
        yield Finding("from-scale", Level.INFO, scale.where)
    series = scale if scale is not None else overflow
    assert series is not None
    begin = _settled(bad, params.settled)
    after = bad[begin:]
    data: dict[str, Any] = {
        "start": int(bad[:begin].sum()),
        "count": int(after.sum()),
        "steps": len(after),
        "share": float(after.mean()) if len(after) else 0.0,
        "from_step": int(steps[min(begin, len(steps) - 1)]),
        "last": int(steps[bad][-1]) if bad.any() else 0,
    }
    where, evidence = series.where, _charts(series, scale, steps, bad)
    if scale is not None:
        values = scale.values
        later = values[scale.x >= data["from_step"]] if begin < len(steps) else values[-1:]
        later = later if len(later) else values[-1:]  # the scale was last told before
        data |= {"first": float(values[0]), "end": float(values[-1]), "settled": float(later[0])}
        data |= {"falls": int((np.diff(later) < 0).sum()), "rises": int((np.diff(later) > 0).sum())}
        if values[-1] <= 1 < values[0]:
            data["step"] = int(scale.x[values <= 1][0])
            yield Finding("collapsed", Level.PROBLEM, where, data, evidence, Fix("fix-origin"))
            return
        if values.max() <= 1:
            level = Level.INFO if case.facts()["mixed_precision"] is False else Level.SUSPECT
            yield Finding("scale-one", level, where, data | {"steps": len(values)}, evidence, Fix("fix-double"))
            return
        third = later[-max(1, len(later) // 3) :]
        if data["falls"] >= params.least and 2 * data["rises"] < data["falls"] and third[-1] < third[0]:
            yield Finding("falling", Level.PROBLEM, where, data, evidence, Fix("fix-origin"))
            return
    fixed = scale is not None and len(scale.x) > 1 and bool((scale.values == scale.values[0]).all())
    if begin == len(bad) and bad.any() and len(bad) < 10 * params.settled:
        yield Finding(
            "not-settled",
            Level.INFO,
            where,
            data | {"count": int(bad.sum()), "steps": len(bad)},
            evidence,
            incomplete=True,
        )
    elif (many := _many(bad, begin, params)) is not None:
        data |= many
        much = data["share"] > params.most
        code = "never-settled" if begin == len(bad) else "many-overflows" if much else "some-overflows"
        level = Level.PROBLEM if much else Level.SUSPECT
        yield Finding(code, level, where, data, evidence, Fix("fix-halve"))
    elif fixed:
        yield Finding("fixed", Level.INFO, where, data | {"count": int(bad.sum()), "steps": len(bad)}, evidence)
    else:
        yield Finding("settled" if scale is not None else "overflows-rare", Level.INFO, where, data, evidence)


def _settled(bad: Array, length: int) -> int:
    """The first of `length` steps in a row without overflow; the number of steps where there are none."""
    run = 0
    for at, one in enumerate(bad):
        run = 0 if one else run + 1
        if run == length:
            return at + 1 - length
    return 0 if not bad.any() else len(bad)


def _many(bad: Array, begin: int, params: Params) -> dict[str, Any] | None:
    """How many overflows there are after the start, where that is too many; those of a scale that never settles are all."""
    after = bad[begin:] if begin < len(bad) else bad
    count = int(after.sum())
    if count < params.least or count <= params.few * len(after):
        return None
    return {"count": count, "steps": len(after), "share": count / len(after)}


def _charts(series: Series, scale: Series | None, steps: Array, bad: Array) -> list[Evidence]:
    """The scale with the overflows, one by one where they are few, else their share along the training."""
    import numpy as np

    charts: list[Evidence] = []
    places = steps[bad]
    if scale is not None:
        marks = {f"{place:,.0f}": float(place) for place in places} if len(places) <= _MARKS else {}
        height = np.log2(np.maximum(scale.values, 1e-30))
        charts.append(_curves.chart("scale", scale.unit, "log2", scale.x, {"loss-scale": height}, marks))
    if len(places) > _MARKS or (scale is None and len(places)):
        parts = np.array_split(np.arange(len(bad)), min(50, len(bad)))
        middles = np.array([steps[part].mean() for part in parts])
        shares = np.array([bad[part].mean() for part in parts])
        charts.append(_curves.chart("overflows", series.unit, "share", middles, {"overflow": shares}))
    return charts


def _log(scales: list[float], overflows: list[int] | None = None, loss: float = 2.0) -> str:
    """The lines of a log, in the style of a toolkit for language models."""
    said = [f", overflow cond: {bool(one)}" for one in overflows] if overflows else [""] * len(scales)
    return "".join(
        f"{{ Epoch:[  1/  1], step:[{step:5}/ 9000], loss: {loss}{word}, loss_scale: {scale} }}\n"
        for step, (scale, word) in enumerate(zip(scales, said, strict=True), 1)
    )


def _dynamic(
    steps: int, first: float, overflowing: set[int], window: int = 50, least: float = 0.0
) -> tuple[list[float], list[int]]:
    """What a dynamic scale does: halved by an overflow, doubled after `window` steps without one."""
    scale, good, scales = first, 0, []
    for step in range(steps):
        good = 0 if step in overflowing else good + 1
        scale = max(scale / 2, least) if not good else scale * 2 if good % window == 0 else scale
        scales.append(scale)
    return scales, [int(step in overflowing) for step in range(steps)]


def _example(name: str, log: str, verdict: Verdict, *codes: str) -> Example:
    return Example(
        name, files={"train.log": log}, case={"curves": {"train": "train.log"}}, verdict=verdict, codes=codes
    )


EXAMPLES = [
    _example("overflows while it settles", _log(*_dynamic(300, 2.0**24, {0, 1, 2, 3, 4, 5})), Verdict.OK, "settled"),
    _example(
        "an overflow now and then",
        _log(*_dynamic(600, 2.0**16, {0, 1, 110, 480})),
        Verdict.OK,
        "settled",
    ),
    _example("a fixed scale without overflow", _log([1024.0] * 100, [0] * 100), Verdict.OK, "fixed"),
    _example(
        "overflows alone, one of 200",
        "".join(f"step: {n}, loss: 1.0, overflow: {n == 1}\n" for n in range(200)),
        Verdict.OK,
    ),
    _example(
        "it falls to 1",
        _log(*_dynamic(200, 2.0**16, set(range(0, 200, 6)), least=1.0)),
        Verdict.PROBLEM,
        "collapsed",
    ),
    _example(
        "it falls all the time",
        _log(*_dynamic(900, 2.0**30, set(range(20, 900, 45)), window=1000)),
        Verdict.PROBLEM,
        "falling",
    ),
    _example(
        "only the scale was recorded, and it falls all the time",
        _log(_dynamic(900, 2.0**30, set(range(20, 900, 45)), window=1000)[0]),
        Verdict.PROBLEM,
        "falling",
        "from-scale",
    ),
    _example(
        "a fixed scale that is too large",
        _log([65536.0] * 200, [int(n % 9 == 8) for n in range(200)]),
        Verdict.PROBLEM,
        "never-settled",
    ),
    _example(
        "every step overflows",
        _log([65536.0] * 200, [1] * 200),
        Verdict.PROBLEM,
        "never-settled",
    ),
    _example(
        "a fixed scale that is too large for most batches after the start",
        _log([65536.0] * 200, [int(n >= 20 and n % 5 == 0) for n in range(200)]),
        Verdict.PROBLEM,
        "many-overflows",
    ),
    _example(
        "it doubles too often",
        _log(*_dynamic(900, 2.0**16, set(range(30, 900, 40)), window=30)),
        Verdict.UNDECIDED,
        "some-overflows",
    ),
    _example("a scale of 1", _log([1.0] * 100, [0] * 100), Verdict.UNDECIDED, "scale-one"),
    _example("the first steps alone", _log(*_dynamic(8, 2.0**24, set(range(8)))), Verdict.UNDECIDED, "not-settled"),
]
