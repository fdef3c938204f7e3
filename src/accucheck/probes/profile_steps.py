"""Reads from the output of mindspore.profiler on Ascend what the device did in each step: computing, communication, nothing.

Catches: communication that no computing hides. Tells, and does not judge, how long the device was idle: what it waits for (data, the host,
other devices) is not seen here; profile_data may tell. Runs on a CPU write no such table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example
from . import _profiles

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("profiler.path",)


class Params(msgspec.Struct, frozen=True):
    communication: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="communication that no computing hides, above this share of the time, is a suspect",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.1


MESSAGES: Words = {
    **_profiles.MESSAGES,
    "communication-open": {
        "en": "The device communicated and computed nothing meanwhile during {communication:.0%} of {steps:one step|{steps:,} steps} "
        "of {ms:.3g} ms.",
        "zh": "{steps:,} 步（平均每步 {ms:.3g} ms）中，有 {communication:.0%} 的时间只在通信而没有计算。",
    },
    "device-time": {
        "en": "A step takes {ms:.3g} ms: {computing:.0%} computing, {communication:.0%} communication that nothing hides, "
        "{free:.0%} idle ({steps:,} {steps:step|steps}).",
        "zh": "平均每步 {ms:.3g} ms：计算占 {computing:.0%}，未被掩盖的通信占 {communication:.0%}，空闲占 {free:.0%}（共 {steps:,} 步）。",
    },
    "no-steps": {
        "en": "This profile says nothing about steps: step_trace_time.csv is written on Ascend.",
        "zh": "该性能数据中没有按步统计的耗时：step_trace_time.csv 在 Ascend 上生成。",
    },
    "fix-fusion": {
        "en": "Split the reduction of gradients so that it overlaps the backward pass: comm_fusion or all_reduce_fusion_config.",
        "zh": "用 comm_fusion 或 all_reduce_fusion_config 切分梯度的 AllReduce，使其与反向计算并行。",
    },
}
WORDS: Words = {
    "steps": {"en": "Time of the device by step (ms)", "zh": "设备每步耗时（ms）"},
    "step": {"en": "step", "zh": "步"},
    "computing": {"en": "computing", "zh": "计算"},
    "communication": {"en": "communication that nothing hides", "zh": "未被掩盖的通信"},
    "free": {"en": "idle", "zh": "空闲"},
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    profiles, problems = _profiles.read(case)
    yield from problems
    for profile in profiles:
        where = Where(case.relative(profile.path))
        total = sum(step.ms for step in profile.steps)
        if total <= 0:
            yield Finding("no-steps", Level.INFO, where, incomplete=True)
            continue
        count = len(profile.steps)
        data = {
            "steps": count,
            "ms": total / count,
            "computing": sum(step.computing for step in profile.steps) / total,
            "communication": sum(step.communication for step in profile.steps) / total,
            "free": sum(step.free for step in profile.steps) / total,
        }
        rows: list[list[Plain]] = [
            [step.number, *(round(ms, 6) for ms in (step.computing, step.communication, step.free))]
            for step in profile.steps[:200]
        ]
        table = Table("steps", ["step", "computing", "communication", "free"], rows, total=count)
        yield Finding("device-time", Level.INFO, where, data, [table])
        if data["communication"] > params.communication:
            yield Finding("communication-open", Level.SUSPECT, where, data, fix=Fix("fix-fusion"))


_HEAD = "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,Preparing\n"


def _example(name: str, verdict: Verdict, *codes: str, text: str) -> Example:
    return Example(
        name,
        files={"profiler/run_ascend_ms/ASCEND_PROFILER_OUTPUT/step_trace_time.csv": text},
        case={"profiler": {"path": "profiler"}},
        verdict=verdict,
        codes=codes,
    )


EXAMPLES = [
    _example(
        "hidden behind computing",
        Verdict.OK,
        "device-time",
        text=_HEAD + "0,90000.5,1000.25,8000,9000.25,500,0,0,0\n1,90010,900,8100,9000,510,0,0,0\n",
    ),
    _example("all at once", Verdict.UNDECIDED, "communication-open", text=_HEAD + "0,90000,20000,0,20000,500,0,0,0\n"),
    _example("no step", Verdict.UNDECIDED, "no-steps", text=_HEAD),
]
