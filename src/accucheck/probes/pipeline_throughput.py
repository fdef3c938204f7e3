"""Measures how fast the training pipeline gives batches, and compares that with the time of a training step.

The step is that of a recording of the training (curves.train by accucheck.Recorder) or of its log (the lines of TimeMonitor and alike);
without them, the project's network is trained for a few steps in PyNative mode on this machine. Finds the first stage up to which the
pipeline is as slow as the whole, and tries twice the workers there. Cannot tell: how the pipeline fares while the training needs the same
processors, nor what an accelerator that is not here would need.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict
from ..probe import Example
from . import _live

KIND = Kind.LIVE
NEEDS: tuple[str | tuple[str, ...], ...] = ("pipelines.train",)
USES = ("curves.train",)


class Params(msgspec.Struct, frozen=True):
    share: Annotated[
        float,
        Meta(
            gt=0,
            description="a batch that takes more than this share of the time of a step is a problem: a step that was recorded "
            "contains the waiting for its batch",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.9
    gain: Annotated[
        float,
        Meta(
            gt=1,
            description="twice the workers are advised where they make the pipeline so many times faster",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 1.3
    margin: Annotated[
        float,
        Meta(
            ge=1,
            description="a step timed in PyNative mode must take so many times as long as a batch to be ok: graph mode is faster",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 3.0
    seconds: _live.Seconds = 60.0


MESSAGES: Words = {
    **_live.NO_SAMPLES,
    "slower": {
        "en": "On this machine the pipeline needs {batch_ms:.3g} ms for a batch, a step takes {step_ms:.3g} ms: "
        "training waits for its data.",
        "zh": "在本机上数据管道每个 batch 需要 {batch_ms:.3g} ms，而训练一步需要 {step_ms:.3g} ms：训练在等数据。",
    },
    "keeps-up": {
        "en": "The pipeline needs {batch_ms:.3g} ms for a batch, a step takes {step_ms:.3g} ms.",
        "zh": "数据管道每个 batch 需要 {batch_ms:.3g} ms，训练一步需要 {step_ms:.3g} ms。",
    },
    "close": {
        "en": "The pipeline needs {batch_ms:.3g} ms for a batch, a step {step_ms:.3g} ms in PyNative mode: compiled into a graph it may be "
        "faster than its data. Record a training with accucheck.Recorder, or log it with TimeMonitor, and name that in curves.train.",
        "zh": "数据管道每个 batch 需要 {batch_ms:.3g} ms，PyNative 模式下训练一步需要 {step_ms:.3g} ms：编译成图后可能快于数据处理。"
        "请用 accucheck.Recorder 记录一次训练（或用 TimeMonitor 打印日志）并填到 curves.train。",
    },
    "timed": {
        "en": "The step was timed in PyNative mode on one batch, on this machine's {device}.",
        "zh": "单步耗时是在本机的 {device} 上、PyNative 模式下用一个 batch 测得的。",
    },
    "no-step": {
        "en": "The pipeline needs {batch_ms:.3g} ms for a batch; how long a step takes is not known. Record a training with "
        "accucheck.Recorder, or log it with TimeMonitor, and name that in curves.train; or name network, loss and optimizer.",
        "zh": "数据管道每个 batch 需要 {batch_ms:.3g} ms；单步耗时未知。请用 accucheck.Recorder 记录一次训练（或用 TimeMonitor 打印日志）"
        "并填到 curves.train，或填写 network、loss 和 optimizer。",
    },
    "throughput": {
        "en": "The pipeline delivers {rate:,.4g} samples/s, in batches of {batch:,}.",
        "zh": "数据管道每秒输出 {rate:,.4g} 个样本，batch 大小为 {batch:,}。",
    },
    "slowest": {
        "en": "The stage that holds the pipeline up is {stage}: {rate:,.4g} samples/s up to there.",
        "zh": "拖慢数据管道的环节是 {stage}：到此为止每秒 {rate:,.4g} 个样本。",
    },
    "workers-help": {
        "en": "With num_parallel_workers={workers} at {stage} the pipeline delivers {rate:,.4g} samples/s, {times:.1f} times as many.",
        "zh": "将 {stage} 的 num_parallel_workers 设为 {workers} 后，每秒 {rate:,.4g} 个样本，是原来的 {times:.1f} 倍。",
    },
    "workers-help-not": {
        "en": "num_parallel_workers={workers} at {stage} does not help: {rate:,.4g} samples/s.",
        "zh": "将 {stage} 的 num_parallel_workers 设为 {workers} 没有帮助：每秒 {rate:,.4g} 个样本。",
    },
    "fix-workers": {
        "en": "Set num_parallel_workers={workers} at {stage}.",
        "zh": "将 {stage} 的 num_parallel_workers 设为 {workers}。",
    },
    "fix-stage": {
        "en": "Do the work of {stage} once beforehand, let MindSpore's own operations do it, or store the data as MindRecord.",
        "zh": "把 {stage} 的处理事先离线完成，或改用 MindSpore 自带的数据处理算子，或将数据转成 MindRecord。",
    },
}
WORDS: Words = {
    "stages": {"en": "The pipeline, from its source to its end", "zh": "数据管道（从数据源到末端）"},
    "stage": {"en": "stage", "zh": "环节"},
    "workers": {"en": "workers", "zh": "并行数"},
    "rate": {"en": "samples/s up to here", "zh": "到此为止每秒样本数"},
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    recorded = _recorded(case)
    request: dict[str, Any] = {"pipeline": _live.pipeline_of(case, "train"), "seconds": params.seconds}
    if (
        recorded is None and case.spec.network is not None and not case.spec.phases
    ):  # of which each has a step of its own
        request |= _live.network_of(case)
    told: dict[str, dict[str, Any]] = {}
    for event in events(case, "throughput", request, params.seconds):
        told[event["event"]] = event
        yield Progress(len(told), None, "steps")
    rate = told.get("rate", {}).get("rate")
    if rate is None:
        yield Finding("no-samples", Level.INFO, data={"seconds": params.seconds}, incomplete=True)
        return
    batch = told["rate"]["batch"]
    step = recorded if recorded is not None else told.get("step", {}).get("seconds")
    slowest, gained = _slowest(told), _gained(told, params)
    yield Finding("throughput", Level.INFO, data={"rate": rate, "batch": batch}, evidence=_stages(told))
    data: dict[str, Any] = {"batch_ms": 1000 * batch / rate}
    if step is None:
        yield Finding("no-step", Level.INFO, data=data, incomplete=True)
    else:
        data["step_ms"] = 1000 * step
        slow = batch / rate > params.share * step
        close = not slow and recorded is None and params.margin * batch / rate > step
        fix = None
        if slow and slowest is not None:
            data |= {"stage": slowest["stage"]} | ({"workers": gained["workers"]} if gained else {})
            fix = Fix("fix-workers" if gained else "fix-stage")
        level, code = (Level.PROBLEM, "slower") if slow else (Level.INFO, "close" if close else "keeps-up")
        yield Finding(code, level, data=data, fix=fix, incomplete=close)
        if recorded is None:
            yield Finding("timed", Level.INFO, data={"device": told["step"]["device"]})
    if slowest is not None:
        yield Finding("slowest", Level.INFO, data=slowest)
        tried = told.get("workers", {})
        if tried.get("rate") is not None:
            shown = {"stage": slowest["stage"], "workers": tried["workers"], "rate": tried["rate"]}
            code = "workers-help" if gained else "workers-help-not"
            yield Finding(code, Level.INFO, data=shown | {"times": tried["rate"] / rate})


def _recorded(case: Case) -> float | None:
    """The median time of a step in s, by the last run of a recording of the training, or by its log; None without one.

    The first step or line is left out, since compiling the graph takes part of it.
    """
    from math import isfinite
    from statistics import median

    from ..readers import curves

    paths = case.paths("curves.train")
    try:
        runs = curves.read(paths[0]).runs if paths else []
    except ReadError:  # the probes of curves tell that
        return None
    for found in reversed(runs):
        column = found.columns.get("seconds")
        times: list[float] = column.values.tolist()[1:] if column is not None else []
        if times := [one for one in times if isfinite(one) and one > 0]:
            return median(times)
    logged = curves.step_times(paths[0]) if paths else None
    times = [one for one in logged.steps.tolist()[1:] if one > 0] if logged is not None else []
    return median(times) if times else None


def _slowest(told: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    found = told.get("stages", {})
    if found.get("slowest") is None:
        return None
    stage: dict[str, Any] = found["stages"][found["slowest"]]
    return {"stage": stage["stage"], "rate": stage["rate"]}


def _gained(told: dict[str, dict[str, Any]], params: Params) -> dict[str, Any] | None:
    """The trial with more workers, where it helped."""
    tried = told.get("workers", {})
    return tried if (tried.get("rate") or 0) > params.gain * told["rate"]["rate"] else None


def _stages(told: dict[str, dict[str, Any]]) -> list[Evidence]:
    stages = told.get("stages", {}).get("stages", [])
    rows: list[list[Plain]] = [[one["stage"], one["workers"], one["rate"]] for one in stages]
    return [Table("stages", ["stage", "workers", "rate"], rows)] if rows else []


_PIPELINE = """
import time
import numpy as np
import mindspore.dataset as ds
from mindspore import nn

def slowly(row):
    time.sleep(0.02)
    return row

def create(slow=False):
    rows = np.random.default_rng(0).normal(size=(512, 8)).astype(np.float32)
    data = ds.NumpySlicesDataset({"x": rows, "label": np.arange(512, dtype=np.int32) % 4}, shuffle=False)
    return (data.map(slowly, "x", num_parallel_workers=1) if slow else data).batch(16)

def net():
    return nn.Dense(8, 4)
"""


def _record(seconds: float) -> str:
    head = '{"recording":1,"accucheck":"0","time":"2026-01-01T00:00:00+00:00","mindspore":"2.10.0","rank":0}\n'
    return head + "".join(f'{{"step":{step},"epoch":1,"seconds":{seconds},"loss":1.0}}\n' for step in range(1, 30))


def _example(name: str, verdict: Verdict, *codes: str, slow: bool = False, step: float | None = None) -> Example:
    case: dict[str, Any] = {"pipelines": {"train": {"call": "pipe:create", "args": {"slow": slow}}}}
    files = {"pipe.py": _PIPELINE}
    if step is not None:
        files["train.jsonl"] = _record(step)
        case["curves"] = {"train": "train.jsonl"}
    return Example(
        name, files={**files}, case=case, verdict=verdict, codes=codes, params={"seconds": 8.0 if slow else 3.0}
    )


EXAMPLES = [
    _example("a step takes longer than a batch", Verdict.OK, "keeps-up", step=0.5),
    _example("a map that is slow", Verdict.PROBLEM, "slower", "slowest", "workers-help", slow=True, step=0.2),
    _example("no step is known", Verdict.UNDECIDED, "no-step"),
]
