"""Reads from the training scripts whether Model.train and Model.fit sink batches to the device, so that it need not wait for the host.

Knows that dataset_sink_mode is off by default since MindSpore 2.0, and on before. Cannot tell: whether it is off on purpose, for
debugging or for callbacks that want each step. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict
from ..probe import script_example
from . import _grades, _speed, _training

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


_LEVELS = {"sink-off": Level.SUSPECT, "sink-default": Level.SUSPECT}
_FIXES = {"sink-off": "fix-sink", "sink-default": "fix-sink"}
MESSAGES: Words = {
    **_training.MESSAGES,
    **_speed.MESSAGES,
    "sink": {"en": "Batches are sunk to the device here.", "zh": "此处使用数据下沉。"},
    "sink-off": {
        "en": "dataset_sink_mode is off here: the host starts each step and hands over each batch.",
        "zh": "此处关闭了 dataset_sink_mode：每一步都由 host 启动并传递数据。",
    },
    "sink-default": {
        "en": "dataset_sink_mode is not set: since MindSpore 2.0 it is off by default, and the host starts each step.",
        "zh": "没有指定 dataset_sink_mode：MindSpore 2.0 起默认关闭，每一步都由 host 启动。",
    },
    "sink-unknown": {
        "en": "Whether batches are sunk to the device depends on a condition or on code that was not read.",
        "zh": "是否数据下沉由未检查到的代码或条件决定，看不出来。",
    },
    "own-loop": {
        "en": "{step} is run by a loop of the script, which feeds each batch itself.",
        "zh": "{step} 由脚本自写的循环驱动，每个 batch 由循环送入。",
    },
    "fix-sink": {
        "en": "Give dataset_sink_mode=True once the script is debugged; callbacks then see one step for each sink_size batches.",
        "zh": "调试完成后传 dataset_sink_mode=True；此时回调函数每 sink_size 个 batch 才触发一次。",
    },
}
WORDS: Words = _grades.WORDS
_WAITS = {
    "en": "Between steps the device waits for the host; the shorter a step, the larger the share. It costs time, not accuracy.",
    "zh": "步与步之间设备要等待 host；单步越短，等待的占比越高。影响的是速度，不影响精度。",
}
_MEASURED = {
    "en": "Train one epoch each way and compare the time it takes.",
    "zh": "开启与关闭各训练一个 epoch，比较耗时。",
}
WHY: Words = dict.fromkeys(_LEVELS, _WAITS)
PROOF: Words = dict.fromkeys(_LEVELS, _MEASURED)


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.execution import sunk

    examine = partial(sunk, old=_speed.old(case), known=_speed.device(case))
    yield from _training.findings(case, examine, _LEVELS, ("sink-unknown", "device-unknown"), _FIXES)


def suggest(findings: Iterable[Finding]) -> Verdict:
    return _training.suggested(findings, {"cpu", "own-loop"})


_HEAD = """
import mindspore as ms
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
net = nn.Dense(8, 2)
opt = nn.Adam(net.trainable_params(), 1e-3)
loss = nn.CrossEntropyLoss()
model = ms.Model(net, loss, opt)
data = ms.dataset.MindDataset("train.mindrecord").batch(32)
"""
_LOOP = """
grad_fn = ms.value_and_grad(lambda x, y: loss(net(x), y), None, opt.parameters)
for x, y in data.create_tuple_iterator():
    value, grads = grad_fn(x, y)
    opt(grads)
"""
_example = partial(script_example, _HEAD)
EXAMPLES = [
    _example("sunk", "model.train(10, data, dataset_sink_mode=True)\n", Verdict.OK, "sink"),
    _example("off", "model.train(10, data, dataset_sink_mode=False)\n", Verdict.UNDECIDED, "sink-off"),
    _example("not given", "model.fit(10, data)\n", Verdict.UNDECIDED, "sink-default"),
    script_example(
        _HEAD.replace("model = ms.Model(net, loss, opt)\n", ""),
        "a loop of the script",
        _LOOP,
        Verdict.NOT_APPLICABLE,
        "own-loop",
    ),
    script_example(
        _HEAD.replace("Ascend", "CPU"), "on a CPU", "model.train(10, data)\n", Verdict.NOT_APPLICABLE, "cpu"
    ),
    script_example(
        _HEAD.replace(', device_target="Ascend"', ""),
        "no device is named",
        "model.train(10, data)\n",
        Verdict.UNDECIDED,
        "device-unknown",
    ),
]
