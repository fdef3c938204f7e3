"""Reads from the training scripts what a graph computes only once, as it is compiled: random numbers and times of Python within
construct or a function under mindspore.jit, and numbers of a cell that a loop or a callback sets between the steps.

Knows that MindSpore starts in PyNative mode since 2.0, and in graph mode before. Cannot tell: containers and global names that compiled
code reads, and code that is compiled where nobody sees it. Never imports or runs the scripts.
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


_LEVELS = {"frozen-random": Level.PROBLEM, "set-outside": Level.PROBLEM, "frozen-time": Level.SUSPECT}
_FIXES = {"frozen-random": "fix-random", "set-outside": "fix-given", "frozen-time": "fix-given"}
MESSAGES: Words = {
    **_training.MESSAGES,
    "frozen-random": {
        "en": "{of} is compiled into a graph: {name} draws random numbers once, at compile time, and returns the same ones in each "
        "step.",
        "zh": "{of} 会编译成图：{name} 只在编译时取一次随机数，之后每一步都是同样的值。",
    },
    "frozen-time": {
        "en": "{of} is compiled into a graph: {name} is called once, at compile time, and its result is used in every step.",
        "zh": "{of} 会编译成图：{name} 只在编译时调用一次，之后每一步都使用同一结果。",
    },
    "time-once": {
        "en": "{of} is compiled into a graph: {name} is called once, at compile time. No output of {of} depends on it.",
        "zh": "{of} 会编译成图：{name} 只在编译时调用一次。{of} 的返回值与它无关。",
    },
    "set-outside": {
        "en": "{name} of {of} is set between the steps, but {function}, which reads it, is compiled into a graph: it keeps the number "
        "that it found as it was compiled.",
        "zh": "{of} 的 {name} 在各步之间会被修改，但读取它的 {function} 已编译成图，其中始终是编译时的值。",
    },
    "computed": {
        "en": "{count:,} {count:function|functions} {count:that is|that are} compiled into a graph {count:was|were} followed: "
        "none takes random numbers or times of Python, or numbers of a cell that change between the steps.",
        "zh": "检查了会编译成图的 {count:,} 个函数：其中没有 Python 的随机数或时间，也没有在各步之间被修改的 cell 属性。",
    },
    "not-compiled": {
        "en": "Training runs in PyNative mode and is not compiled: Python runs every step itself.",
        "zh": "训练在 PyNative 模式下运行，没有任何部分编译成图，每一步都由 Python 重新计算。",
    },
    "mode-unknown": {
        "en": "In graph mode, whatever Python computes in construct stays as it was at compile time. Which mode training runs in "
        "depends on a condition or on code that was not read.",
        "zh": "若在图模式下训练，construct 中由 Python 计算的内容会停留在编译时的值。而运行模式由未检查到的代码或条件决定。",
    },
    "fix-random": {
        "en": "Draw with operators of MindSpore (ops.rand, ops.randn, nn.Dropout), or draw outside and hand the numbers in as Tensors.",
        "zh": "用 MindSpore 的算子产生随机数（ops.rand、ops.randn、nn.Dropout），或在外部产生后以 Tensor 传入。",
    },
    "fix-given": {
        "en": "Keep it in a Parameter (requires_grad=False) and set that with set_data() or ops.assign, or hand it in as a Tensor.",
        "zh": "把它放在 Parameter（requires_grad=False）中，用 set_data() 或 ops.assign 修改；或以 Tensor 传入。",
    },
}
WORDS: Words = _grades.WORDS
_STAYS = {
    "en": "The network is trained with one number for all steps: noise that never changes, or a schedule that never moves.",
    "zh": "所有训练步用的都是同一个数：噪声从不变化，或者调度毫无作用。",
}
_BOTH = {
    "en": "accucheck watch --mode both -- python train.py: if it matters, the losses of the two modes differ. Or print the value "
    "inside construct for a few steps.",
    "zh": "运行 accucheck watch --mode both -- python train.py：若有影响，两种模式的 loss 会不同。也可在 construct 中打印几步。",
}
WHY: Words = dict.fromkeys(_LEVELS, _STAYS)
PROOF: Words = dict.fromkeys(_LEVELS, _BOTH)


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.graph_constants import constants

    examine = partial(constants, old=_speed.old(case))
    yield from _training.findings(case, examine, _LEVELS, ("mode-unknown",), _FIXES)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """What is computed in each step says nothing about how layers are connected."""
    verdict = _training.suggested(findings, ("not-compiled", "computed", "time-once"))
    return Verdict.NOT_APPLICABLE if verdict is Verdict.OK else verdict


_HEAD = """
import random
import time
import numpy as np
import mindspore as ms
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 2)
        self.scale = 1.0

    def construct(self, x):
        return noisy(self.fc(x) * self.scale)
"""
_NOISE = """
def noisy(x):
    return x * float(np.random.rand())
"""
_CLEAN = """
def noisy(x):
    return x + ops.randn_like(x)
"""
_GRAPH, _PYNATIVE = "ms.set_context(mode=ms.GRAPH_MODE)\n", "ms.set_context(mode=ms.PYNATIVE_MODE)\n"
_LOOP = """
net = Net()
loss_fn = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), 1e-3)
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)
for epoch in range(3):
    for x, y in data:
        step(x, y)
"""
_SET = _LOOP.replace("    for x", "    net.scale = 1.0 / (epoch + 1)\n    for x")
_WEIGHED = """
class Weighed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 2)
        self.scale = ms.Parameter(ms.Tensor(1.0), name="scale", requires_grad=False)

    def construct(self, x):
        return self.fc(x) * self.scale

"""
_BLOCKS = """
class Block(nn.Cell):
    def __init__(self, width, size):
        super().__init__()
        self.fc = nn.Dense(8, 8)
        self.size = width
        if size < width:
            self.size = size
        self.part = int(self.size / 2)

    def construct(self, x):
        return self.fc(x) * self.size + self.part

class Stack(nn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = nn.SequentialCell([Block(8, 4 * (i + 1)) for i in range(3)])
        self.head = nn.Dense(8, 2)

    def construct(self, x):
        return self.head(self.blocks(x))

"""
_JIT = """
net = nn.Dense(8, 2)
opt = nn.Adam(net.trainable_params(), 1e-3)

def forward(x, y):
    return ops.cross_entropy(net(x) * random.random(), y)

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

@ms.jit
def step(x, y):
    loss, grads = grad_fn(x, y)
    opt(grads)
    return loss

for x, y in data:
    step(x, y)
"""
_BY_MODE = """
from mindspore.train import Callback

class Check(Callback):
    def __init__(self, network, held_out):
        super().__init__()
        self.network, self.held_out = network, held_out

    def epoch_end(self, run_context):
        self.network.scale = 0.5
        self.network.set_train(False)
        for x, y in self.held_out:
            print(self.network(x))
        self.network.scale = 1.0
        self.network.set_train(True)

net = Net()
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3))
model.train(3, data, callbacks=[Check(net, held_out)])
"""
_example = partial(script_example, _HEAD)
EXAMPLES = [
    _example("noise of numpy in a graph", _NOISE + _GRAPH + _LOOP, Verdict.PROBLEM, "frozen-random"),
    _example("noise of numpy in PyNative mode", _NOISE + _PYNATIVE + _LOOP, Verdict.NOT_APPLICABLE, "not-compiled"),
    _example("noise of an operator", _CLEAN + _GRAPH + _LOOP, Verdict.NOT_APPLICABLE, "computed"),
    _example("random numbers under jit", _JIT, Verdict.PROBLEM, "frozen-random"),
    _example("a number that the loop sets", _CLEAN + _GRAPH + _SET, Verdict.PROBLEM, "set-outside"),
    _example(
        "a number that the loop sets, in PyNative mode",
        _CLEAN + _PYNATIVE + _SET,
        Verdict.NOT_APPLICABLE,
        "not-compiled",
    ),
    _example(
        "a number that each of several cells sets as it is made",
        _CLEAN.replace("def noisy", _BLOCKS + "def noisy") + _GRAPH + _LOOP.replace("Net()", "Stack()"),
        Verdict.NOT_APPLICABLE,
        "computed",
    ),
    _example(
        "a Parameter that the loop sets",
        _WEIGHED
        + _GRAPH
        + _SET.replace("Net()", "Weighed()").replace("1.0 / (epoch + 1)", "ms.Tensor(1.0 / (epoch + 1))"),
        Verdict.NOT_APPLICABLE,
        "computed",
    ),
    _example(
        "a number for each mode: each mode has a graph of its own",
        _CLEAN + _GRAPH + _BY_MODE,
        Verdict.NOT_APPLICABLE,
        "computed",
    ),
    _example(
        "another number for evaluation in the mode of training",
        _CLEAN + _GRAPH + _BY_MODE.replace("set_train(False)", "set_train(True)"),
        Verdict.PROBLEM,
        "set-outside",
    ),
    _example(
        "the time",
        "def noisy(x):\n    return x * (time.time() % 2)\n" + _GRAPH + _LOOP,
        Verdict.UNDECIDED,
        "frozen-time",
    ),
    _example(
        "a time that is only printed",
        "def noisy(x):\n    print(time.time())\n    return x\n" + _GRAPH + _LOOP,
        Verdict.NOT_APPLICABLE,
        "time-once",
    ),
    _example(
        "the environment decides the mode",
        "import os\n" + _NOISE + 'ms.set_context(mode=int(os.environ["MODE"]))\n' + _LOOP,
        Verdict.UNDECIDED,
        "mode-unknown",
    ),
]
