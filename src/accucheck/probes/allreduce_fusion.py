"""Reads from the training scripts in how many parts the gradients of several devices are reduced.

Catches: an AllReduce of its own for each gradient. Knows the settings that split the reduction, so that it runs beside the backward pass.
Cannot tell: whether another split would be faster, which the profile of a run tells. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict
from ..probe import script_example
from . import _grades, _training

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


_LEVELS = {"each-alone": Level.SUSPECT}
MESSAGES: Words = {
    **_training.MESSAGES,
    "fusion-set": {
        "en": "How gradients are put together for the reduction is set here.",
        "zh": "此处设置了梯度聚合的融合方式。",
    },
    "each-alone": {
        "en": "{step} reduces each gradient with a separate AllReduce.",
        "zh": "{step} 对每个梯度单独做 AllReduce。",
    },
    "all-at-once": {
        "en": "{step} does not configure AllReduce fusion. Only a profile of the run shows whether another split is faster.",
        "zh": "{step} 没有设置 AllReduce 融合。换一种切分是否更快，需采集性能数据来判断。",
    },
    "one-device": {"en": "The script trains on one device.", "zh": "脚本在单卡上训练。"},
    "fix-reducer": {
        "en": "Use nn.DistributedGradReducer(optimizer.parameters), which puts gradients together.",
        "zh": "改用 nn.DistributedGradReducer(optimizer.parameters)，它会合并梯度。",
    },
}
WORDS: Words = _grades.WORDS
WHY: Words = {
    "each-alone": {
        "en": "Many small messages take longer than a few large ones. It costs time, not accuracy.",
        "zh": "许多小消息比少数大消息慢。影响的是速度，不影响精度。",
    }
}
PROOF: Words = {
    "each-alone": {
        "en": "Profile a run: communication that no computing hides, in step_trace_time.csv (probe profile_steps).",
        "zh": "采集性能数据，看 step_trace_time.csv 中未被掩盖的通信时间（探针 profile_steps）。",
    }
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.speed import fused

    yield from _training.findings(case, fused, _LEVELS, ("all-at-once",), {"each-alone": "fix-reducer"})


def suggest(findings: Iterable[Finding]) -> Verdict:
    return _training.suggested(findings, {"one-device"})


_HEAD = """
import mindspore as ms
from mindspore import nn, ops
from mindspore.communication import init, get_group_size

net = nn.Dense(8, 2)
loss_fn = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), 1e-3)
"""
_PARALLEL = """
init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
"""
_MODEL = "model = ms.Model(net, loss_fn, opt)\n"
_LOOP = """
all_reduce = ops.AllReduce()
grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    opt([all_reduce(g) / get_group_size() for g in grads])
    return loss
"""
_example = partial(script_example, _HEAD)
EXAMPLES = [
    _example(
        "split in two",
        _PARALLEL + "ms.set_auto_parallel_context(all_reduce_fusion_config=[1, 2])\n" + _MODEL,
        Verdict.OK,
        "fusion-set",
    ),
    _example("nothing is set", _PARALLEL + _MODEL, Verdict.UNDECIDED, "all-at-once"),
    _example("each by itself", _PARALLEL + _LOOP, Verdict.UNDECIDED, "each-alone"),
    _example("one device", _MODEL, Verdict.NOT_APPLICABLE, "one-device"),
]
