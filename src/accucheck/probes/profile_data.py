"""Reads from the output of mindspore.profiler how long training waited for data, and which stage of the pipeline holds it up.

Where the host hands batches over, the waits are compared with the time of the steps. Where batches are sunk, the share of the steps that
found the queue empty is known, but not how long the device waited. The stage is the one before which queues are fuller than behind it.
Cannot tell: anything of a run that was profiled without data_process=True.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example
from . import _profiles

if TYPE_CHECKING:
    from ..readers.profiles import Profile

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("profiler.path",)
#: Fewer batches say nothing.
FEWEST = 10


class Params(msgspec.Struct, frozen=True):
    waits: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="waiting for data above this share of the time of the steps is a problem",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.1
    empty: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="share of the steps that find the queue empty, above which the pipeline is a suspect where batches are sunk",
            extra={"unit": "1", "source": "bottleneck analysis of MindData profiles in MindSpore 2.10"},
        ),
    ] = 0.6


MESSAGES: Words = {
    **_profiles.MESSAGES,
    "waits": {
        "en": "Training waited for data during {share:.0%} of its time: {wait:.3g} ms of {step:.3g} ms in each of {batches:,} steps.",
        "zh": "训练有 {share:.0%} 的时间在等数据：共 {batches:,} 步，每步 {step:.3g} ms 中有 {wait:.3g} ms 在等待。",
    },
    "queue-empty": {
        "en": "The queue of batches was empty at {empty:.0%} of {batches:,} steps: the device may have waited for data.",
        "zh": "{batches:,} 步中有 {empty:.0%} 的步数据队列为空：设备可能在等数据。",
    },
    "bottleneck": {
        "en": "The stage that holds the pipeline up is {stage} (num_parallel_workers={workers}): its own queue is filled to {filled:.0%}.",
        "zh": "拖慢数据管道的环节是 {stage}（num_parallel_workers={workers}）：它输出队列的平均占用率为 {filled:.0%}。",
    },
    "keeps-up": {
        "en": "Training waited for data during {share:.1%} of its time ({batches:,} steps).",
        "zh": "训练等待数据的时间占 {share:.1%}（{batches:,} 步）。",
    },
    "queue-filled": {
        "en": "The queue of batches was empty at {empty:.0%} of {batches:,} steps.",
        "zh": "{batches:,} 步中数据队列为空的占 {empty:.0%}。",
    },
    "too-few": {
        "en": "Only {batches:,} batches were profiled; profile {fewest:,} or more.",
        "zh": "只采集了 {batches:,} 个 batch，请至少采集 {fewest:,} 个。",
    },
    "no-data": {
        "en": "This profile says nothing about the data pipeline. Profile with data_process=True, without a schedule.",
        "zh": "该性能数据中没有数据管道的信息。请以 data_process=True 采集，且不要设置 schedule。",
    },
    "fix-stage": {
        "en": "Give {stage} more num_parallel_workers, do its work once beforehand, or let MindSpore's own operations do it.",
        "zh": "为 {stage} 调大 num_parallel_workers，或事先离线处理，或改用 MindSpore 自带的数据处理算子。",
    },
}
WORDS: Words = {
    "stages": {"en": "The data pipeline, from its end to its source", "zh": "数据管道（从末端到数据源）"},
    "stage": {"en": "stage", "zh": "环节"},
    "workers": {"en": "workers", "zh": "并行数"},
    "filled": {"en": "queue after it, fill level (%)", "zh": "输出队列平均占用率（%）"},
    "empty": {"en": "empty (% of the time)", "zh": "队列为空的时间（%）"},
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    profiles, problems = _profiles.read(case)
    yield from problems
    for profile in profiles:
        yield from _judged(profile, params, Where(case.relative(profile.path)))


def _judged(profile: Profile, params: Params, where: Where) -> Iterator[Finding]:
    waiting = profile.waiting
    if waiting is None or waiting.ms <= 0:
        yield Finding("no-data", Level.INFO, where, incomplete=True)
        return
    batches = len(waiting.waits)
    if batches < FEWEST:
        yield Finding("too-few", Level.INFO, where, {"batches": batches, "fewest": FEWEST}, incomplete=True)
        return
    share = min(1.0, sum(waiting.waits) / waiting.ms)
    slow = waiting.empty > params.empty if waiting.sunk else share > params.waits
    stage = profile.bottleneck if slow else None
    data: dict[str, Plain] = {"share": share, "batches": batches, "empty": waiting.empty}
    fix = Fix("fix-stage") if stage else None
    if stage:
        data |= {"stage": stage.name}
    if not slow:
        code, level = ("queue-filled" if waiting.sunk else "keeps-up"), Level.INFO
    elif waiting.sunk:
        code, level = "queue-empty", Level.SUSPECT
    else:
        code, level = "waits", Level.PROBLEM
        data |= {"wait": sum(waiting.waits) / batches, "step": waiting.ms / batches}
    yield Finding(code, level, where, data, _stages(profile), fix)
    if stage:
        named = {"stage": stage.name, "workers": stage.workers, "filled": stage.filled}
        yield Finding("bottleneck", Level.INFO, where, named)


def _stages(profile: Profile) -> list[Evidence]:
    if not profile.stages:
        return []
    rows: list[list[Plain]] = [
        [one.name, one.workers, *(None if part is None else round(100 * part, 1) for part in (one.filled, one.empty))]
        for one in profile.stages[:200]
    ]
    return [Table("stages", ["stage", "workers", "filled", "empty"], rows, total=len(profile.stages))]


def _lines(wait: int, step: int, depth: int, batches: int = 50) -> str:
    """As MindSpore writes it: `wait` of each `step` ms until the batch is there, and batches in the queue then."""
    lines = []
    for batch in range(1, batches + 2):
        stamp = 1000 + batch * step
        times = [f"0 {which} {batch} {value} {stamp}" for which, value in ((1, 0), (2, wait), (0, wait))]
        lines += [*times, f"1 16 {batch} {depth} {stamp}"]
    return "\n".join(lines) + "\n"


def _pipeline(batch: int, mapped: int) -> str:
    def queue(size: int) -> str:
        return f'{{"output_queue":{{"length":16,"size":[{size},{size}]}}}}'

    return (
        '{"op_info":['
        f'{{"children":[1],"metrics":{queue(batch)},"num_workers":2,"op_id":0,"op_type":"BatchOp"}},'
        f'{{"children":[2],"metrics":{queue(mapped)},"num_workers":2,"op_id":1,"op_type":"MapOp"}},'
        f'{{"metrics":{queue(16)},"num_workers":1,"op_id":2,"op_type":"GeneratorOp"}}],"sampling_interval":10}}'
    )


def _example(name: str, verdict: Verdict, *codes: str, **files: str) -> Example:
    named = {
        f"profiler/run_ascend_ms/FRAMEWORK/{place.replace('_txt', '_0.txt')}": text for place, text in files.items()
    }
    named = {place.replace("pipeline_json", "pipeline_profiling_0.json"): text for place, text in named.items()}
    return Example(name, files={**named}, case={"profiler": {"path": "profiler"}}, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("fast enough", Verdict.OK, "keeps-up", dataset_iterator_profiling_txt=_lines(0, 20, 16)),
    _example(
        "a slow map",
        Verdict.PROBLEM,
        "waits",
        "bottleneck",
        dataset_iterator_profiling_txt=_lines(15, 20, 0),
        pipeline_json=_pipeline(0, 0),
    ),
    _example("sunk, the queue is empty", Verdict.UNDECIDED, "queue-empty", device_queue_profiling_txt=_lines(5, 20, 0)),
    _example("sunk, the queue is full", Verdict.OK, "queue-filled", device_queue_profiling_txt=_lines(5, 20, 9)),
    _example("a few steps", Verdict.UNDECIDED, "too-few", dataset_iterator_profiling_txt=_lines(15, 20, 0, 3)),
    _example("no data_process", Verdict.UNDECIDED, "no-data", pipeline_json=_pipeline(0, 0)),
]
