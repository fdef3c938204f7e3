"""Judges the experiment of training on one batch alone, where that is what was watched: its loss must go to nearly nothing.

Takes runs all of whose steps were given the same samples. Cannot tell: runs that see more than one batch (overfit_batch makes the
experiment itself), and losses that cannot reach 0, as with label smoothing or a penalty, which fall less.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Verdict
from ..probe import Example, Skip
from . import _curves, _watched, overfit_batch
from ._watched import Watch

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    steps: Annotated[
        int,
        Meta(ge=10, description="with fewer steps nothing is told", extra={"unit": "steps", "source": "own choice"}),
    ] = 50
    learnt: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="a loss that is at most this share of the first one is learnt by heart",
            extra={"unit": "1", "source": "own choice, as overfit_batch: nine tenths are learnt"},
        ),
    ] = 0.1
    stuck: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="a loss that is still more than this share of the first one is suspect",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.8


MESSAGES: Words = {
    "fitted": {
        "en": "One batch of {samples:,} samples is memorised: in {steps:,} steps the loss goes from {first:.4g} to {last:.4g}.",
        "zh": "{samples:,} 个样本的同一个 batch 被拟合：{steps:,} 步内 loss 从 {first:.4g} 降到 {last:.4g}。",
    },
    "partly": {
        "en": "On one batch of {samples:,} samples the loss goes from {first:.4g} to {last:.4g} in {steps:,} steps: train it longer.",
        "zh": "在 {samples:,} 个样本的同一个 batch 上，loss 在 {steps:,} 步内从 {first:.4g} 降到 {last:.4g}：请继续训练。",
    },
    "stuck": {
        "en": "On one batch of {samples:,} samples the loss stays near {last:.4g} ({first:.4g} at first) for {steps:,} steps: even "
        "this one batch cannot be memorised.",
        "zh": "在 {samples:,} 个样本的同一个 batch 上训练 {steps:,} 步，loss 仍在 {last:.4g} 左右（最初 {first:.4g}）："
        "本可以记住的内容没有学到。",
    },
    "other-batches": {
        "en": "The watched training used more than one batch, or fewer than {steps:,} steps were watched.",
        "zh": "所观察的训练用了不止一个 batch，或观察的 step 不足 {steps:,} 步。",
    },
    "fix-learn": {
        "en": "See loss and labels (cg.04), gradients (cg.03), frozen weights (cg.02) and the rate (hp.01).",
        "zh": "检查 loss 与标签（cg.04）、梯度（cg.03）、冻结的权重（cg.02）和学习率（hp.01）。",
    },
}
WHY: Words = {"stuck": overfit_batch.WHY["stuck"]}
PROOF: Words = {"stuck": overfit_batch.PROOF["stuck"]}
WORDS: Words = {
    "losses": {"en": "Loss on one batch", "zh": "同一个 batch 上的 loss"},
    "step": {"en": "step", "zh": "step"},
    "loss": {"en": "loss", "zh": "loss"},
}
#: Of the last losses the median counts, of so large a share of the steps.
_LAST = 0.1


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watch = _watched.of_case(case, samples=True)[0]
    yield Progress(1, 1, "files")
    losses, samples = watch.run.series.get("loss"), _only_batch(watch)
    if losses is None or samples is None or len(losses.values) < params.steps:
        raise Skip("other-batches", steps=params.steps)
    count = max(1, int(_LAST * len(losses.values)))
    first, last = float(losses.values[0]), statistics.median(losses.values[-count:].tolist())
    data: dict[str, Any] = {"samples": samples, "steps": len(losses.values), "first": first, "last": last}
    chart = _curves.chart("losses", "step", "loss", losses.steps.astype(float), {"loss": losses.values})
    where = watch.where(watch.network_place())
    if last <= params.learnt * first:
        yield Finding("fitted", Level.INFO, where, data, [chart])
    elif last > params.stuck * first:
        yield Finding("stuck", Level.SUSPECT, where, data, [chart], Fix("fix-learn"))
    else:
        yield Finding("partly", Level.INFO, where, data, [chart], incomplete=True)


def _only_batch(watch: Watch) -> int | None:
    """How many samples the batch has that all steps were given; None where they were given others."""
    seen = {tuple(sorted(map(str, batch))) for _, batch in watch.run.samples}
    return len(seen.pop()) if len(seen) == 1 else None


def _example(name: str, verdict: Verdict, *codes: str, falls: float) -> Example:
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    lines: list[dict[str, Any]] = [head]
    for step in range(60):
        told = {"loss": 2.3 * falls**step, "samples": [f"a{at}" for at in range(8)]}
        lines.append({"step": step + 1, "epoch": 1, "seconds": 0.1, **told})
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("learnt by heart", Verdict.OK, "fitted", falls=0.9),
    _example("not long enough", Verdict.UNDECIDED, "partly", falls=0.98),
    _example("nothing is learnt", Verdict.UNDECIDED, "stuck", falls=0.9999),
]
