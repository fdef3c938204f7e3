"""Reads from a watched run which share of its steps was waiting for data.

Counts the steps that were not looked at closely, as looking takes time itself: from the eleventh on, all but each tenth. Cannot tell: what
a pipeline does meanwhile, nor how long single operations take, as MindSpore runs them one behind the other and watching waits for each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Curve, Finding, Fix, Kind, Level, Progress, Verdict
from ..probe import Example, Skip
from . import _watched, step_waits
from ._watched import Watch

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    waits: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="waiting for data above this share of the time of the steps is a suspect",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.1
    steps: Annotated[
        int,
        Meta(ge=2, description="with fewer steps nothing is told", extra={"unit": "steps", "source": "own choice"}),
    ] = 10


MESSAGES: Words = {
    "waits": {
        "en": "The watched training waited for data during {share:.0%} of {steps:,} steps: {wait_ms:.3g} ms of {step_ms:.3g} ms a step.",
        "zh": "所观察的训练在 {steps:,} 步中有 {share:.0%} 的时间在等数据：每步 {step_ms:.3g} ms 中有 {wait_ms:.3g} ms 在等待。",
    },
    "keeps-up": {
        "en": "The watched training waited for data during {share:.1%} of {steps:,} steps; a step took {step_ms:.3g} ms.",
        "zh": "所观察的训练在 {steps:,} 步中等待数据的时间占 {share:.1%}，每步 {step_ms:.3g} ms。",
    },
    "few-steps": {
        "en": "Only {steps:,} steps were watched without close examination: watch 30 or more.",
        "zh": "未做细看的 step 只有 {steps:,} 步：请至少观察 30 步。",
    },
    "fix-pipeline": step_waits.MESSAGES["fix-pipeline"],
}
WHY: Words = {
    "waits": {
        "en": "While the training waits, the device idles: more steps in the same time would be possible. It costs time, not accuracy.",
        "zh": "等待数据时设备空闲，同样的时间本可多训练若干步。影响的是速度，不影响精度。",
    }
}
PROOF: Words = {
    "waits": {
        "en": "Train some hundred steps on one batch that is kept in memory, and compare the time of a step.",
        "zh": "用一个常驻内存的 batch 训练几百步，比较单步耗时。",
    }
}
WORDS: Words = {
    "times": {"en": "Times of steps", "zh": "各步耗时"},
    "at": {"en": "step", "zh": "step"},
    "step": step_waits.WORDS["step"],
    "wait": step_waits.WORDS["wait"],
}
#: Steps that the watch looks at closely: the first ones, and then one in so many.
_FIRST, _EVERY = 10, 10


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watch = _watched.of_case(case)[0]
    yield Progress(1, 1, "files")
    pairs = _times(watch)
    if len(pairs) < params.steps:
        raise Skip("few-steps", steps=len(pairs))
    total, waited = (sum(one[at] for one in pairs.values()) for at in (0, 1))
    data: dict[str, Any] = {"share": min(1.0, waited / total), "steps": len(pairs)}
    data |= {"step_ms": 1000 * total / len(pairs), "wait_ms": 1000 * waited / len(pairs)}
    shown = list(pairs.items())[:: -(-len(pairs) // step_waits.POINTS)]
    series: dict[str, list[float | None]] = {
        "step": [1000 * value for _, (value, _) in shown],
        "wait": [1000 * wait for _, (_, wait) in shown],
    }
    evidence = Curve("times", "at", "ms", [float(step) for step, _ in shown], series)
    place = next((one.get("place") for one in watch.facts("dataset")), None)
    if data["share"] > params.waits:
        yield Finding("waits", Level.SUSPECT, watch.where(place), data, [evidence], Fix("fix-pipeline"))
    else:
        yield Finding("keeps-up", Level.INFO, watch.where(place), data, [evidence])


def _times(watch: Watch) -> dict[int, tuple[float, float]]:
    """By step that was not looked at closely: its seconds, and those of them that it waited."""
    seconds, waits = (watch.run.series.get(name) for name in ("seconds", "data_seconds"))
    if seconds is None or waits is None:
        return {}
    known = dict(zip(waits.steps.tolist(), waits.values.tolist(), strict=True))
    taken = zip(seconds.steps.tolist(), seconds.values.tolist(), strict=True)
    return {
        step: (value, known[step])
        for step, value in taken
        if step > _FIRST and step % _EVERY and step in known and value > 0
    }


def _example(name: str, verdict: Verdict, code: str, *, wait: float) -> Example:
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    lines: list[dict[str, Any]] = [head]
    lines += [{"step": step, "epoch": 1, "loss": 1.0, "seconds": 0.02, "data_seconds": wait} for step in range(1, 31)]
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=(code,))


EXAMPLES = [
    _example("hardly any waiting", Verdict.OK, "keeps-up", wait=0.0004),
    _example("waits for half of the time", Verdict.UNDECIDED, "waits", wait=0.01),
]
