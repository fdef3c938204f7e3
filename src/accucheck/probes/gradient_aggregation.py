"""Reads from the training scripts whether gradients of several devices are brought together before the update.

Catches: a training step of one's own that updates with its own device's gradients in a data parallel run, a reduction whose result
nothing uses, and communication that is started without a parallel mode, so that the framework's steps reduce nothing either.
Knows that semi-auto and auto parallel modes reduce by themselves. Cannot tell: whether the script is really started on several
devices, nor whether sum or mean fits the learning rate. Never imports or runs the scripts.
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


_LEVELS = {
    "not-reduced": Level.PROBLEM,
    "reduced-dropped": Level.PROBLEM,
    "mode-unset": Level.PROBLEM,
    "not-reduced-maybe": Level.SUSPECT,
    "mode-unset-maybe": Level.SUSPECT,
    "reducer-idle": Level.SUSPECT,
}
#: Info that leaves the probe undecided.
_OPEN = ("mode-unknown", "unresolved")

MESSAGES: Words = {
    **_training.MESSAGES,
    "not-reduced": {
        "en": "The script trains on several devices, but {step} updates with only the gradients of its own device.",
        "zh": "脚本在多卡上训练，但 {step} 只用本卡的梯度更新。",
    },
    "not-reduced-maybe": {
        "en": "Communication is initialised, but {step} updates with only the gradients of its own device.",
        "zh": "脚本初始化了通信，而 {step} 只用本卡的梯度更新。",
    },
    "reduced-dropped": {
        "en": "The result of this reduction is not used: {step} continues with the gradients of its own device.",
        "zh": "此处聚合的返回值没有使用：{step} 继续使用本卡的梯度。",
    },
    "reducer-idle": {
        "en": "{step} makes a reducer for several devices (line {line}) and never applies it: the script trains on one device, on several "
        "each would update with its own gradients.",
        "zh": "{step} 为多卡训练创建了聚合算子（第 {line} 行），却从未使用：脚本目前在单卡上训练，一旦换成多卡，各卡只会用自己的梯度更新。",
    },
    "mode-unset": {
        "en": "Communication is started here, the data are sharded, but no parallel mode is set: {step} takes each device for the "
        "only one and reduces nothing.",
        "zh": "此处初始化了通信，数据也做了分片，但没有设置并行模式：{step} 按单卡处理，不会聚合梯度。",
    },
    "mode-unset-maybe": {
        "en": "Communication is started here, but no parallel mode is set: {step} reduces nothing.",
        "zh": "此处初始化了通信，但没有设置并行模式：{step} 不会聚合梯度。",
    },
    "mode-unknown": {
        "en": "The parallel mode under which {step} trains cannot be seen here.",
        "zh": "看不出 {step} 训练时的并行模式。",
    },
    "unresolved": {
        "en": "What happens to the gradients of {step} before the update cannot be seen here.",
        "zh": "看不出 {step} 的梯度在更新之前经过了哪些处理。",
    },
    "reduced": {
        "en": "{step} reduces gradients across devices before the update.",
        "zh": "{step} 在更新之前聚合了各卡的梯度。",
    },
    "reduced-by-framework": {
        "en": "{step} reduces gradients across devices by itself.",
        "zh": "{step} 会自行聚合各卡的梯度。",
    },
    "compiler": {
        "en": "In semi-auto and auto parallel modes the compiler reduces gradients.",
        "zh": "半自动、自动并行模式下由编译器聚合梯度。",
    },
    "one-device": {
        "en": "The script trains on one device.",
        "zh": "脚本在单卡上训练。",
    },
    "fix-reduce": {
        "en": "Before the update: grads = grad_reducer(grads), with grad_reducer = nn.DistributedGradReducer(optimizer.parameters).",
        "zh": "在更新之前加 grads = grad_reducer(grads)，其中 grad_reducer = nn.DistributedGradReducer(optimizer.parameters)。",
    },
    "fix-assign": {
        "en": "Keep the result: grads = grad_reducer(grads)",
        "zh": "保留返回值：grads = grad_reducer(grads)",
    },
    "fix-mode": {
        "en": "Before the network is created: mindspore.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL, "
        "gradients_mean=True)",
        "zh": "在建网络之前设置 mindspore.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL, "
        "gradients_mean=True)",
    },
}
WORDS: Words = _grades.WORDS

_APART = {
    "en": "Each device then trains its own network on its own part of the data: weights drift apart, and the saved network has seen "
    "only a fraction of the data with a fraction of the batch.",
    "zh": "各卡实际上各自训练一个网络，权重逐渐分叉；保存下来的那一份只见过一部分数据，有效 batch 也只有单卡大小。",
}
WHY: Words = dict.fromkeys(_LEVELS, _APART)
_CHECKPOINTS = {
    "en": "Save a checkpoint on each device after some steps: apart from moving statistics of BatchNorm, all must be equal.",
    "zh": "训练若干步后各卡分别保存 checkpoint：除 BatchNorm 的滑动统计量外应当完全相同。",
}
PROOF: Words = dict.fromkeys(_LEVELS, _CHECKPOINTS)
_FIXES = {
    "not-reduced": "fix-reduce",
    "not-reduced-maybe": "fix-reduce",
    "reduced-dropped": "fix-assign",
    "mode-unset": "fix-mode",
    "mode-unset-maybe": "fix-mode",
    "reducer-idle": "fix-reduce",
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.aggregation import examine

    yield from _training.findings(case, examine, _LEVELS, _OPEN, _FIXES)


def suggest(findings: Iterable[Finding]) -> Verdict:
    return _training.suggested(findings, {"one-device", "compiler"})


_HEAD = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops
from mindspore.communication import init, get_rank, get_group_size

net = nn.Dense(8, 2)
loss_fn = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), 1e-3)
"""
_PARALLEL = """
init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
"""
_LOOP = """
reducer = nn.DistributedGradReducer(opt.parameters)
data = ds.MindDataset("train.mindrecord", num_shards=get_group_size(), shard_id=get_rank())

def forward(x, y):
    return loss_fn(net(x), y)

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    grads = reducer(grads)
    opt(grads)
    return loss
"""


_example = partial(script_example, _HEAD)

EXAMPLES = [
    _example("a loop with a reducer", _PARALLEL + _LOOP, Verdict.OK, "reduced"),
    _example(
        "a loop without one",
        _PARALLEL + _LOOP.replace("    grads = reducer(grads)\n", ""),
        Verdict.PROBLEM,
        "not-reduced",
    ),
    _example(
        "a reducer whose result is dropped",
        _PARALLEL + _LOOP.replace("grads = reducer(grads)", "reducer(grads)"),
        Verdict.PROBLEM,
        "reduced-dropped",
    ),
    _example(
        "reduced by hand, in a helper",
        _PARALLEL
        + """
all_reduce = ops.AllReduce()

def together(gradients):
    return [all_reduce(g) / get_group_size() for g in gradients]
"""
        + _LOOP.replace("reducer(grads)", "together(grads)"),
        Verdict.OK,
        "reduced",
    ),
    _example("one device", _LOOP.replace("    grads = reducer(grads)\n", ""), Verdict.NOT_APPLICABLE, "one-device"),
    _example(
        "a cell that makes a reducer and does not apply it",
        """
class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)
        self.many = ms.get_auto_parallel_context("parallel_mode") == ms.ParallelMode.DATA_PARALLEL
        if self.many:
            self.reducer = nn.DistributedGradReducer(optimizer.parameters)

    def construct(self, x, y):
        grads = self.grad(self.network, self.weights)(x, y)
        return self.optimizer(grads)

step = Step(nn.WithLossCell(net, loss_fn), opt)
""",
        Verdict.UNDECIDED,
        "reducer-idle",
    ),
    _example(
        "the compiler reduces",
        _PARALLEL.replace("DATA_PARALLEL", "SEMI_AUTO_PARALLEL") + _LOOP.replace("    grads = reducer(grads)\n", ""),
        Verdict.NOT_APPLICABLE,
        "compiler",
    ),
    _example(
        "Model in data parallel mode",
        _PARALLEL + "model = ms.Model(net, loss_fn, opt)\n",
        Verdict.OK,
        "reduced-by-framework",
    ),
    _example(
        "Model without a parallel mode",
        """
init()
data = ds.MindDataset("train.mindrecord", num_shards=get_group_size(), shard_id=get_rank())
model = ms.Model(net, loss_fn, opt)
""",
        Verdict.PROBLEM,
        "mode-unset",
    ),
    _example(
        "two ways to train, of which one is for a single device",
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--distribute", type=bool, default=False)
args = parser.parse_args()
if args.distribute:
    init()
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL)
    model = ms.Model(net, loss_fn, opt)
else:
    def forward(x, y):
        return loss_fn(net(x), y)

    loss, grads = ms.value_and_grad(forward, None, opt.parameters)(data, label)
    opt(grads)
""",
        Verdict.OK,
        "reduced-by-framework",
    ),
]
