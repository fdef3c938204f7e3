"""Sets runs of one script against each other: whether their losses agree, and if not, from which step on and how often.

With one further run it is told whether and where the two part; with several, whether that comes in each of them and always at one step.
Cannot tell what the source of randomness is, nor see what the digits of a log do not show.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict
from ..probe import Example
from . import _curve_pairs, _curves
from .loss_comparison import _csv, _losses

if TYPE_CHECKING:
    from ..readers.curve_comparison import Comparison
    from ._curve_pairs import Pair

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("curves.train", "curves.rerun")


class Params(msgspec.Struct, frozen=True):
    tolerance: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="share of the loss by which two runs of one script may differ",
            extra={"unit": "1", "source": "MindSpore's guide to fixing randomness: the first two losses within 1e-3"},
        ),
    ] = 0.001


MESSAGES: Words = {
    **_curve_pairs.MESSAGES,
    "reproducible": {
        "en": "{runs:,} {runs:run agrees|runs agree} with this one over all {points:,} {units} compared; the "
        "largest difference is {largest:.2e} "
        "of the loss.",
        "zh": "{runs:,} 次重跑与本次在对比的全部 {points:,} 个 {units} 上一致，最大相对差异 {largest:.2e}。",
    },
    "first-steps": {
        "en": "Two runs already differ in their first two losses ({relative:.2e} of the loss at {unit} {step:,.12g}): "
        "initial weights, data or "
        "operators are still random.",
        "zh": "同一脚本两次运行的前两步 loss 就不同（第 {step:,.12g} 个 {unit} 相对差异 {relative:.2e}）：初始权重、数据或算子仍有随机性。",
    },
    "random-step": {
        "en": "The runs diverge at different steps ({steps}): something random acts now and then.",
        "zh": "各次运行在不同的位置分叉（{steps}）：有随机因素不定期起作用。",
    },
    "fixed-sometimes": {
        "en": "{apart:,} of {runs:,} runs {apart:diverges|diverge} from this one, always at {unit} {step:,.12g}; the others agree.",
        "zh": "{runs:,} 次重跑中有 {apart:,} 次与本次分叉，都在第 {step:,.12g} 个 {unit}，其余一致。",
    },
    "fixed-always": {
        "en": "All {runs:,} runs diverge from this one at {unit} {step:,.12g}: from there on something random acts, such "
        "as the order of a new epoch.",
        "zh": "{runs:,} 次重跑全部在第 {step:,.12g} 个 {unit} 与本次分叉：从该处起有随机因素起作用，例如新一个 epoch 的数据顺序。",
    },
    "forks": {
        "en": "The two runs agree up to {unit} {last:,.12g} and diverge at {unit} {step:,.12g}. With more runs "
        "(curves.rerun takes a list) it shows "
        "whether that is always so.",
        "zh": "两次运行到第 {last:,.12g} 个 {unit} 为止一致，在第 {step:,.12g} 个 {unit} 分叉。再多跑几次（curves.rerun 可填列表）"
        "才能看出是否必现、是否固定在该步。",
    },
    "drift": {
        "en": "The difference of two runs grows from rounding and is visible from {unit} {step:,.12g} on: operators "
        "that add in no fixed order do "
        "so. Switch deterministic computing on for the comparison.",
        "zh": "两次运行的差异从舍入误差开始逐步增大，从第 {step:,.12g} 个 {unit} "
        "起可见：累加次序不定的算子会这样。对比时请打开确定性计算。",
    },
    "fix-random": {
        "en": "Go through item cmp.01: seeds, order of the data, augmentation, Dropout, initial weights; then "
        "mindspore.set_deterministic(True).",
        "zh": "按 cmp.01 逐项检查：种子、数据顺序、数据增强、Dropout、初始权重；再打开 mindspore.set_deterministic(True)。",
    },
}
WORDS: Words = {
    **_curve_pairs.WORDS,
    "this": {"en": "this run", "zh": "本次运行"},
    "again": {"en": "further run", "zh": "重跑"},
    "runs": {"en": "Runs", "zh": "各次运行"},
    "path": {"en": "File", "zh": "文件"},
    "parts": {"en": "Parts at", "zh": "分叉位置"},
    "largest": {"en": "Largest difference", "zh": "最大相对差异"},
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    ours = _curves.Logs(case, "curves.train")
    again, wrong = _curve_pairs.logs(case, "curves.rerun")
    yield Progress(1 + len(again), 1 + len(again), "files")
    found = list(_judged(case, params, ours, again))
    yield from ours.findings()
    for logs in again:
        yield from logs.findings()
    yield from wrong
    yield from found


def _judged(case: Case, params: Params, ours: _curves.Logs, again: list[_curves.Logs]) -> Iterator[Finding]:
    from ..readers.curve_comparison import Limits, compare

    if same := _curve_pairs.same_file(case, "curves.train", "curves.rerun"):
        yield same
        return
    runs: list[tuple[Pair, Comparison]] = []
    for logs in again:
        losses = _curve_pairs.losses({"curves.train": ours, "curves.rerun": logs})
        if isinstance(losses, Finding):
            yield losses
            continue
        pair = losses[2]
        yield from pair.told()
        runs.append((pair, compare(pair.points.ours, pair.points.theirs, None, Limits(visible=params.tolerance))))
    if runs:
        yield _verdict(runs)
    for pair, compared in runs[:1]:
        if nan := _curve_pairs.both_nan(pair, compared, Level.INFO):
            yield nan


def _table(pairs: list[Pair], starts: list[int | None], largest: list[float]) -> Table:
    rows: list[list[Plain]] = [
        [pair.theirs.path, None if start is None else float(pair.points.x[start]), most]
        for pair, start, most in zip(pairs, starts, largest, strict=True)
    ]
    return Table("runs", ["path", "parts", "largest"], rows[:200], len(rows))


def _verdict(runs: list[tuple[Pair, Comparison]]) -> Finding:
    """What the runs say together, from where each parts from the first."""
    import numpy as np

    starts = [_start(found) for _, found in runs]
    apart = {which: at for which, at in enumerate(starts) if at is not None}
    shown = min(apart, key=lambda which: apart[which]) if apart else 0
    pair, found = runs[shown]
    where, charts = pair.theirs.where, _curve_pairs.charts(pair, found, ("this", "again"))
    largest = [float(np.nanmax(one.relative, initial=0.0)) for _, one in runs]
    if len(runs) > 1:
        charts.append(_table([one for one, _ in runs], starts, largest))
    data: dict[str, Any] = pair.data | {"runs": len(runs), "apart": len(apart)}
    start = starts[shown]
    if start is None:
        data |= {"points": min(len(one.points.x) for one, _ in runs), "largest": max(largest)}
        return Finding("reproducible", Level.INFO, where, data, charts)
    steps = sorted({float(runs[which][0].points.x[at]) for which, at in apart.items()})
    data |= {"step": steps[0], "relative": _size(found.relative[start])}
    if start:
        data["last"] = float(pair.points.x[start - 1])
    code, level = _kind(runs, pair, start, len(steps), len(apart))
    if code == "random-step":
        data["steps"] = _curve_pairs.shown([f"{step:,.12g}" for step in steps])
    return Finding(code, level, where, data, charts, Fix("fix-random"))


def _kind(runs: list[tuple[Pair, Comparison]], pair: Pair, start: int, steps: int, apart: int) -> tuple[str, Level]:
    """How the runs part: code and level. `start` is where `pair` does, `steps` at how many steps `apart` of the runs do."""
    if start == 0 or (pair.first and start == 1):
        return "first-steps", Level.PROBLEM
    if all(one.origin is None and _one_sided(one) is None for _, one in runs):
        return "drift", Level.SUSPECT
    if len(runs) == 1:
        return "forks", Level.PROBLEM
    if steps > 1:
        return "random-step", Level.PROBLEM
    return ("fixed-always" if apart == len(runs) else "fixed-sometimes"), Level.PROBLEM


def _start(found: Comparison) -> int | None:
    """The first point at which two runs differ, or at which one of them alone is not finite."""
    differs = found.origin if found.origin is not None else found.visible
    return min((at for at in (differs, _one_sided(found)) if at is not None), default=None)


def _one_sided(found: Comparison) -> int | None:
    """The first NaN or Inf of one run alone."""
    if found.ours_bad == found.theirs_bad:
        return None
    return min(at for at in (found.ours_bad, found.theirs_bad) if at is not None)


def _size(relative: Any) -> float:
    """A difference as a share of the loss; a number against NaN differs by all of it."""
    import math

    return float(relative) if math.isfinite(relative) else 1.0


def _forked(start: int, seed: int = 4) -> str:
    return _csv(loss=_losses()[:start] + _losses(seed=seed)[start:])


def _example(name: str, verdict: Verdict, code: str, *runs: str) -> Example:
    files = {f"run{number}.csv": text for number, text in enumerate(runs, 2)}
    return Example(
        name,
        files={"train.csv": _csv(loss=_losses()), **files},
        case={"curves": {"train": "train.csv", "rerun": list(files)}},
        verdict=verdict,
        codes=[code],
    )


EXAMPLES = [
    _example("two equal runs", Verdict.OK, "reproducible", _csv(loss=_losses())),
    _example("nothing is fixed", Verdict.PROBLEM, "first-steps", _forked(0)),
    _example("one run diverges at step 21", Verdict.PROBLEM, "forks", _forked(20)),
    _example("both diverge at step 21", Verdict.PROBLEM, "fixed-always", _forked(20), _forked(20, 5)),
    _example("one of two diverges at step 21", Verdict.PROBLEM, "fixed-sometimes", _forked(20), _csv(loss=_losses())),
    _example("each parts somewhere else", Verdict.PROBLEM, "random-step", _forked(20), _forked(33)),
    _example("NaN in one run", Verdict.PROBLEM, "first-steps", _csv(loss=[float("nan")] * 60)),
    _example(
        "sums in no fixed order",
        Verdict.UNDECIDED,
        "drift",
        _csv(loss=[loss * (1 + min(1e-7 * 1.3**at, 0.01)) for at, loss in enumerate(_losses())]),
    ),
    Example(
        "one file twice",
        files={"train.csv": _csv(loss=_losses())},
        case={"curves": {"train": "train.csv", "rerun": "train.csv"}},
        verdict=Verdict.UNDECIDED,
        codes=["same-file"],
    ),
]
