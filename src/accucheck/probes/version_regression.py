"""Sets the training of one script on two MindSpore versions against each other: where the losses part, and which ends better.

The end counts, beyond the noise of single points and, where there is one, of a second run. Cannot tell one version from another by a
log: that both are of the same script, data and seed is for the person to see to.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Verdict
from ..probe import Example
from . import _curve_pairs
from .loss_comparison import _csv, _losses

if TYPE_CHECKING:
    from ._curve_pairs import Pair
    from ._curves import Logs, Series

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("curves.train", "curves.previous_version")


class Params(msgspec.Struct, frozen=True):
    tolerance: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="share of the loss by which two versions may differ at a step",
            extra={"unit": "1", "source": "MindSpore's guide to network debugging: about 1 in 1,000"},
        ),
    ] = 0.001
    end: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="share by which the ends of two curves may differ",
            extra={"unit": "1", "source": "MindFormers' guide to accuracy: mean within 0.01 or 1 %"},
        ),
    ] = 0.01
    noise: Annotated[
        float,
        Meta(
            ge=1,
            description="ends that differ by fewer standard deviations of their mean are alike",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 3.0


_ENDS = (
    "At the end the {what} is {value:.5g} here and was {other:.5g} with the previous version ({change:+.2%}; "
    "{allowed:.2%} would be usual)",
    "结束时的{what}为 {value:.5g}，旧版本为 {other:.5g}（{change:+.2%}，通常在 {allowed:.2%} 以内）",
)
MESSAGES: Words = {
    **_curve_pairs.MESSAGES,
    "agrees": {
        "en": "The losses of both versions agree over all {points:,} {units} compared (largest difference "
        "{largest:.2e}).",
        "zh": "两个版本的 loss 在对比的全部 {points:,} 个 {units} 上一致（最大相对差异 {largest:.2e}）。",
    },
    "parts": {
        "en": "The losses of the two versions diverge at {unit} {step:,.12g} ({relative:.2e} of the loss).",
        "zh": "两个版本的 loss 在第 {step:,.12g} 个 {unit} 处分叉（相对差异 {relative:.2e}）。",
    },
    "nan-now": {
        "en": "The loss is NaN or Inf from {unit} {step:,.12g} on; with the previous version it was not. Item mp.01 traces where it "
        "comes from.",
        "zh": "loss 在第 {step:,.12g} 个 {unit} 变为 NaN 或 Inf，旧版本没有。其来源见检查项 mp.01。",
    },
    "nan-then": {
        "en": "With the previous version the loss was NaN or Inf from {unit} {step:,.12g} on; now it is not.",
        "zh": "旧版本的 loss 在第 {step:,.12g} 个 {unit} 变为 NaN 或 Inf，当前版本没有。",
    },
    "ends-nan": {
        "en": "At the end the {what} is NaN or Inf; with the previous version it was not. Item mp.01 traces where it comes from.",
        "zh": "结束时的{what}为 NaN 或 Inf，旧版本没有。其来源见检查项 mp.01。",
    },
    "ended-nan": {
        "en": "With the previous version the {what} was NaN or Inf at the end; now it is not.",
        "zh": "旧版本结束时的{what}为 NaN 或 Inf，当前版本没有。",
    },
    "ends-alike": {
        "en": _ENDS[0] + ": alike within the noise.",
        "zh": _ENDS[1] + "：在波动范围内相当。",
    },
    "ends-worse": {
        "en": _ENDS[0] + ": worse beyond the noise.",
        "zh": _ENDS[1] + "：变差，且超出波动。",
    },
    "ends-better": {
        "en": _ENDS[0] + ": better.",
        "zh": _ENDS[1] + "：更好。",
    },
    "maybe-worse": {
        "en": _ENDS[0]
        + ": worse, but the two runs differ from the first loss on and no second run (curves.rerun) shows how far runs "
        "of one version differ.",
        "zh": _ENDS[1]
        + "：有所变差，但两次运行从第一个 loss 起就不同，又没有重跑（curves.rerun）可供判断同一版本自身的波动。",
    },
    "fix-version": {
        "en": "Fix the randomness, run both versions again with the same script, weights and data, and compare "
        "layer outputs at the step where "
        "they diverge; then file an issue with both versions, the script and both logs.",
        "zh": "固定随机性后，用相同的脚本、权重和数据在两个版本上重跑，在分叉的那一步逐层对比输出；再附上两个版本号、"
        "脚本和两份日志提交 issue。",
    },
}
WORDS: Words = {
    **_curve_pairs.WORDS,
    "this": {"en": "this version", "zh": "当前版本"},
    "previous": {"en": "previous version", "zh": "旧版本"},
}
_WHAT: Words = {
    "training-loss": {"en": "training loss", "zh": "训练 loss "},
    "loss": {"en": "validation loss", "zh": "验证 loss "},
    "accuracy": {"en": "validation accuracy", "zh": "验证准确率"},
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    yield from _curve_pairs.judged(case, "curves.previous_version", partial(_judged, case, params))


def _judged(
    case: Case, params: Params, ours: Logs, before: Logs, one: Series, other: Series, pair: Pair
) -> Iterator[Finding]:
    import numpy as np

    from ..readers.curve_comparison import Limits, compare

    again, wrong = _curve_pairs.logs(case, "curves.rerun")
    yield from wrong
    yield from pair.told()
    reruns = [_curve_pairs.pair(one, series) for logs in again if (series := logs.series("loss")) is not None]
    noise = _curve_pairs.noise(reruns, pair)
    found = compare(pair.points.ours, pair.points.theirs, noise, Limits(visible=params.tolerance))
    charts = _curve_pairs.charts(pair, found, ("this", "previous"))
    start = found.origin if found.origin is not None else found.visible
    bad = (found.ours_bad, found.theirs_bad)
    if start is None and bad[0] == bad[1]:
        known = np.isfinite(found.relative)
        data = pair.data | {"points": int(known.sum()), "largest": float(found.relative[known].max(initial=0.0))}
        if data["points"]:
            yield Finding("agrees", Level.INFO, pair.ours.where, data, charts)
        if nan := _curve_pairs.both_nan(pair, found, Level.SUSPECT):
            yield nan
    else:
        at = min(place for place in (start, *bad) if place is not None)
        relative = float(found.relative[at])
        data = pair.data | {"step": float(pair.points.x[at]), "relative": relative if np.isfinite(relative) else None}
        if data["relative"] is None:
            code = "nan-now" if bad[0] == at else "nan-then"
            level = Level.PROBLEM if bad[0] == at else Level.INFO
            yield Finding(code, level, pair.ours.where, data, charts, Fix("fix-version"))
        else:
            yield Finding("parts", Level.INFO, pair.ours.where, data, charts)
    alike = start is None or start > 0 or bool(reruns)
    for what, evaluated in (("training-loss", False), ("loss", True), ("accuracy", True)):
        first, second = (
            (one, other)
            if not evaluated
            else (ours.series(what, evaluated=True), before.series(what, evaluated=True, beside=other))
        )
        if first is None or second is None:
            continue
        both = _curve_pairs.pair(first, second)
        if len(both.points.x) >= 5:
            runs = [logs.series(what.removeprefix("training-"), evaluated=evaluated) for logs in again]
            apart = [_apart(_curve_pairs.pair(first, run_)) for run_ in runs if run_ is not None]
            if (start is not None or evaluated) and (
                ended := _ended(params, what, both, max(apart, default=0.0), alike)
            ):
                yield ended


def _apart(pair: Pair) -> float:
    """How far the ends of two runs of one version are apart."""
    found = _curve_pairs.ends(pair.points.ours, pair.points.theirs)
    return abs(found[0] - found[1]) if found else 0.0


def _ended(params: Params, what: str, pair: Pair, apart: float, alike: bool) -> Finding | None:
    """The end of a curve against that of the previous version; None where that is told already, or not one point is known of both."""
    curves = pair.points.ours, pair.points.theirs
    now, before = (_curve_pairs.lost(one, other) is not None for one, other in (curves, curves[::-1]))
    if now or before:
        if what == "training-loss":
            return None
        code, level, fix = ("ends-nan", Level.PROBLEM, Fix("fix-version")) if now else ("ended-nan", Level.INFO, None)
        return Finding(code, level, pair.ours.where, {"what": _WHAT[what]}, fix=fix)
    found = _curve_pairs.ends(pair.points.ours, pair.points.theirs)
    if found is None:
        return None
    value, other, spread = found
    scale = max(abs(other), 1e-12)
    allowed = max(params.end * scale, params.noise * spread, 2 * apart)
    gap = (other - value) if what == "accuracy" else (value - other)
    data: dict[str, Any] = {
        "what": _WHAT[what],
        "value": value,
        "other": other,
        "change": (value - other) / scale,
        "allowed": allowed / scale,
    }
    where = pair.ours.where
    if gap > allowed:
        if not alike:
            return Finding("maybe-worse", Level.SUSPECT, where, data, fix=Fix("fix-version"))
        return Finding("ends-worse", Level.PROBLEM, where, data, fix=Fix("fix-version"))
    return Finding("ends-better" if gap < -allowed else "ends-alike", Level.INFO, where, data)


def _example(name: str, ours: str, before: str, verdict: Verdict, *codes: str, **more: str) -> Example:
    rerun = {"rerun": "rerun.csv"} if more else {}
    return Example(
        name,
        files={"train.csv": ours, "old.csv": before, **more},
        case={"curves": {"train": "train.csv", "previous_version": "old.csv", **rerun}},
        verdict=verdict,
        codes=codes,
    )


_BEFORE = _csv(loss=_losses())
_WORSE = [loss + (0.4 if at >= 30 else 0) for at, loss in enumerate(_losses())]
EXAMPLES = [
    _example("two versions agree", _csv(loss=_losses()), _BEFORE, Verdict.OK, "agrees"),
    _example("worse from step 31 on", _csv(loss=_WORSE), _BEFORE, Verdict.PROBLEM, "parts", "ends-worse"),
    _example("better", _BEFORE, _csv(loss=_WORSE), Verdict.OK, "parts", "ends-better"),
    _example("other batches, alike at the end", _csv(loss=_losses(seed=4)), _BEFORE, Verdict.OK, "ends-alike"),
    _example(
        "other batches, worse, one run alone",
        _csv(loss=[loss + 0.4 for loss in _losses(seed=4)]),
        _BEFORE,
        Verdict.UNDECIDED,
        "maybe-worse",
    ),
    _example(
        "worse than two runs of this version differ",
        _csv(loss=[loss + 0.9 for loss in _losses(seed=4)]),
        _BEFORE,
        Verdict.PROBLEM,
        "ends-worse",
        **{"rerun.csv": _csv(loss=[loss + 0.9 for loss in _losses(seed=2)])},
    ),
    _example(
        "NaN since the upgrade",
        _csv(loss=[*_losses()[:40], *[float("nan")] * 20]),
        _BEFORE,
        Verdict.PROBLEM,
        "nan-now",
    ),
    _example(
        "an evaluation that became NaN",
        _csv(loss=_losses(), val_loss=[*_losses()[:40], *[float("nan")] * 20]),
        _csv(loss=_losses(), val_loss=_losses()),
        Verdict.PROBLEM,
        "agrees",
        "ends-nan",
    ),
    _example(
        "one evaluation is worse",
        _csv(loss=_losses(), val_accuracy=[0.8] * 60),
        _csv(loss=_losses(), val_accuracy=[0.9] * 60),
        Verdict.PROBLEM,
        "agrees",
        "ends-worse",
    ),
]
