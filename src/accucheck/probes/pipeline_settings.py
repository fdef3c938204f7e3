"""Reads from the training scripts which settings of the data pipeline leave processors idle.

Catches: one worker for a map, or for a source of the project's own that opens files; threads instead of processes for such a source; a
queue of one. Whether the pipeline keeps up, only a measurement tells (pipeline_throughput, profile_data). Never imports or runs the
scripts.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Sure, Verdict, Where
from ..probe import Example, script_example
from . import _gaps

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


_CODES = ("one-worker", "one-reader", "threads-only", "config-one")
MESSAGES: Words = {
    **_gaps.MESSAGES,
    "one-worker": {
        "en": "{stage} has one worker here.",
        "zh": "此处 {stage} 只有一个并行线程。",
    },
    "one-reader": {
        "en": "This source opens a file for each sample but has one worker: {stage} uses one unless num_parallel_workers is set.",
        "zh": "该数据源每取一个样本都要打开文件，却只有一个 worker：{stage} 不设 num_parallel_workers 时默认为 1。",
    },
    "threads-only": {
        "en": "The workers of {stage} are threads here, which share one Python interpreter.",
        "zh": "此处 {stage} 用多线程而非多进程，受限于 Python 的全局锁。",
    },
    "config-one": {
        "en": "{setting}(1) leaves no pipeline room to work ahead.",
        "zh": "{setting}(1) 使数据管道无法提前准备数据。",
    },
    "settings": {
        "en": "No setting of the training pipelines slows them down by itself ({count:,} checked). Only a measurement shows whether "
        "they keep up.",
        "zh": "训练数据管道的设置没有明显拖慢速度（共 {count:,} 条）。能否跟上训练，需实测判断。",
    },
    "no-pipeline": {"en": "No training pipeline was found.", "zh": "没有看到训练数据管道。"},
    "fix-workers": {
        "en": "Set num_parallel_workers to as many as there are processors to spare, with python_multiprocessing for functions of Python.",
        "zh": "按可用核数设置 num_parallel_workers；Python 函数再配合 python_multiprocessing=True。",
    },
}
WORDS: Words = {}
_IDLE = {
    "en": "Samples are prepared one after the other while other processors do nothing. It costs time, not accuracy.",
    "zh": "样本只能逐个处理，其他核空闲。影响的是速度，不影响精度。",
}
_MEASURED = {
    "en": "The live probe pipeline_throughput measures the pipeline as it is and with twice the workers.",
    "zh": "用实测探针 pipeline_throughput 测量现状以及 worker 加倍后的速度。",
}
WHY: Words = dict.fromkeys(_CODES, _IDLE)
PROOF: Words = dict.fromkeys(_CODES, _MEASURED)


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script import pipelines
    from ..script.analysis import read_scripts
    from ..script.speed import queue_settings, settings
    from ..script.training_steps import training

    scripts = read_scripts(case)
    yield from _gaps.findings(scripts)
    trained = [p for found in pipelines.of_scripts(scripts) for p in found.found if p.role == "train" and p.chain]
    remarks = [remark for pipeline in trained for remark in settings(pipeline)]
    remarks += [remark for reading in scripts.training for remark in queue_settings(training(reading))]
    said = set()
    for one in remarks:
        if (one.code, one.source.path, one.line) in said:
            continue
        said.add((one.code, one.source.path, one.line))
        code, where = one.source.code(one.line, one.last), Where(path=one.source.path, line=one.line)
        yield Finding(one.code, Level.SUSPECT, where, one.data, [code], Fix("fix-workers"), sure=Sure.POSSIBLE)
    if not said:
        data = {"count": len(trained)} if trained else {}
        yield Finding("settings" if trained else "no-pipeline", Level.INFO, data=data, incomplete=True)


_SCRIPT = """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

class Files:
    def __len__(self):
        return 100

    def __getitem__(self, index):
        return np.load(f"data/{{index}}.npy"), np.int32(index % 4)

{settings}
train_set = ds.GeneratorDataset(Files(), ["x", "label"]{source})
train_set = train_set.map(lambda x: x / 255, "x"{map}).batch(32)
net = nn.Dense(8, 4)
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params()))
model.train(10, train_set)
"""


def _example(
    name: str, *codes: str, settings: str = "", source: str = ", num_parallel_workers=8", map: str = ""
) -> Example:
    script = _SCRIPT.format(settings=settings, source=source, map=map)
    return script_example("", name, script, Verdict.UNDECIDED, *codes)


EXAMPLES = [
    _example("several workers", "settings"),
    _example("one reader", "one-reader", source=""),
    _example("threads", "threads-only", source=", num_parallel_workers=8, python_multiprocessing=False"),
    _example("one worker", "one-worker", map=", num_parallel_workers=1"),
    _example("a queue of one", "config-one", settings="ds.config.set_prefetch_size(1)"),
]
