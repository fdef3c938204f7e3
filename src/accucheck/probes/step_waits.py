"""Reads from a training log how long each step waited for its data, and how evenly steps take their time.

Takes the lines of MindSpore's TimeMonitor(data_time=True), and others that tell a step's time and its data time. Cannot tell: anything of
a log without data times; nor whether the waiting overlaps with computing, as it may where batches are sunk.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Curve, Finding, Fix, Kind, Level, Progress, Verdict, Where
from ..probe import Example, Skip

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("curves.train",)
#: Points of the curve that is shown.
POINTS = 500


class Params(msgspec.Struct, frozen=True):
    waits: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="waiting for data above this share of the time of the steps is a suspect",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.1


MESSAGES: Words = {
    "waits": {
        "en": "By the log training waited for data during {share:.0%} of its time: {wait_ms:.3g} ms of {step_ms:.3g} ms a step.",
        "zh": "日志显示训练有 {share:.0%} 的时间在等数据：每步 {step_ms:.3g} ms 中有 {wait_ms:.3g} ms 在等待。",
    },
    "keeps-up": {
        "en": "By the log training waited for data during {share:.1%} of its time; a step took {step_ms:.3g} ms.",
        "zh": "日志显示训练等待数据的时间占 {share:.1%}，每步 {step_ms:.3g} ms。",
    },
    "step-alone": {
        "en": "A step took {step_ms:.3g} ms; the log does not say how much of it was waiting for data; TimeMonitor(data_time=True) "
        "does.",
        "zh": "每步 {step_ms:.3g} ms；日志没有说明其中多少在等数据。可使用 TimeMonitor(data_time=True)。",
    },
    "no-times": {
        "en": "{path} is not a log with the time of each step.",
        "zh": "{path} 不是带有单步耗时的训练日志。",
    },
    "fix-pipeline": {
        "en": "Let pipeline_throughput find the slowest stage of the pipeline, and increase its num_parallel_workers.",
        "zh": "用 pipeline_throughput 找出数据管道最慢的环节，再调大其 num_parallel_workers。",
    },
}
WORDS: Words = {
    "times": {"en": "Times by the log", "zh": "日志中的耗时"},
    "line": {"en": "line with a time", "zh": "第几条耗时记录"},
    "step": {"en": "step (ms)", "zh": "单步（ms）"},
    "wait": {"en": "waiting for data (ms)", "zh": "等待数据（ms）"},
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    import numpy as np

    from ..readers import curves

    path = case.paths("curves.train")[0]
    times = curves.step_times(path)
    if times is None or not len(times.steps):
        raise Skip("no-times", path=case.relative(path))
    yield Progress(1, 1, "files")
    # The first line holds the compiling of the graph and the filling of the queues.
    steps, waits = (values[1:] if len(values) > 1 else values for values in (times.steps, times.waits))
    told = ~np.isnan(waits) & (steps > 0)
    data = {"step_ms": 1000 * float(np.median(steps))}
    where = Where(case.relative(path))
    if not told.any():
        yield Finding("step-alone", Level.INFO, where, data, incomplete=True)
        return
    share = min(1.0, float(waits[told].sum() / steps[told].sum()))
    data = {"share": share, "step_ms": 1000 * float(steps[told].mean()), "wait_ms": 1000 * float(waits[told].mean())}
    every = -(-len(steps) // POINTS)
    series = {"step": 1000 * steps[::every], "wait": 1000 * np.where(told, waits, 0)[::every]}
    axis = [float(place) for place in range(1, len(steps) + 1, every)]
    shown = Curve("times", "line", "ms", axis, {name: values.tolist() for name, values in series.items()})
    evidence = [shown] if len(steps) > 1 else []
    if share > params.waits:
        yield Finding("waits", Level.SUSPECT, where, data, [*evidence], Fix("fix-pipeline"))
    else:
        yield Finding("keeps-up", Level.INFO, where, data, [*evidence])


def _example(name: str, verdict: Verdict, *codes: str, wait: str = "") -> Example:
    lines = [
        f"epoch: {epoch} step: 100, loss is {1 / epoch:.4f}\nTrain epoch time: 1050.000 ms, per step time: 10.500 ms{wait}\n"
        for epoch in range(1, 6)
    ]
    return Example(
        name, files={"train.log": "".join(lines)}, case={"curves": {"train": "train.log"}}, verdict=verdict, codes=codes
    )


EXAMPLES = [
    _example("hardly any waiting", Verdict.OK, "keeps-up", wait=" (data time: 0.200 ms)"),
    _example("waits for half of the time", Verdict.UNDECIDED, "waits", wait=" (data time: 5.200 ms)"),
    _example("no data times", Verdict.UNDECIDED, "step-alone"),
]
