"""Reads from the training scripts whether steps are compiled into a graph, or run operation by operation in PyNative mode.

Knows that MindSpore starts in PyNative mode since 2.0, and in graph mode before. A function under mindspore.jit counts as compiled.
Cannot tell: how large a part of the step such a function is, and how much time a graph would save. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict
from ..probe import Example, script_example
from . import _grades, _speed, _training

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


_LEVELS = {"pynative": Level.SUSPECT, "pynative-default": Level.SUSPECT}
_FIXES = {"pynative": "fix-graph", "pynative-default": "fix-graph"}
MESSAGES: Words = {
    **_training.MESSAGES,
    "graph": {"en": "Training runs in graph mode.", "zh": "训练在图模式下运行。"},
    "jit": {
        "en": "This part is compiled with mindspore.jit.",
        "zh": "此处用 mindspore.jit 编译执行。",
    },
    "pynative": {
        "en": "Training runs in PyNative mode and is not compiled.",
        "zh": "训练在 PyNative 模式下运行，没有任何部分编译成图。",
    },
    "pynative-default": {
        "en": "No mode is set: MindSpore 2 trains in PyNative mode then, and nothing is compiled here.",
        "zh": "没有设置运行模式：MindSpore 2 默认为 PyNative 模式，这里没有任何部分编译成图。",
    },
    "mode-unknown": {
        "en": "Which mode training runs in depends on a condition or on code that was not read.",
        "zh": "运行模式由未检查到的代码或条件决定，看不出来。",
    },
    "fix-graph": {
        "en": "Once the script is debugged: mindspore.set_context(mode=mindspore.GRAPH_MODE), or @mindspore.jit on the training step.",
        "zh": "调试完成后设置 mindspore.set_context(mode=mindspore.GRAPH_MODE)，或给训练步函数加 @mindspore.jit。",
    },
}
WORDS: Words = _grades.WORDS
_SLOWER = {
    "en": "Operation by operation the host launches each one, and nothing is fused; small networks then wait for the host. "
    "It costs time, not accuracy.",
    "zh": "逐算子执行时每个算子都由 host 下发，也无法融合，小网络会一直等 host。影响的是速度，不影响精度。",
}
_MEASURED = {
    "en": "Train some hundred steps each way and compare the time of a step, without the first ones, in which the graph is built.",
    "zh": "两种模式各训练几百步，比较单步耗时（去掉编图的前几步）。",
}
WHY: Words = dict.fromkeys(_LEVELS, _SLOWER)
PROOF: Words = dict.fromkeys(_LEVELS, _MEASURED)


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.execution import compiled

    examine = partial(compiled, old=_speed.old(case))
    yield from _training.findings(case, examine, _LEVELS, ("mode-unknown",), _FIXES)


_HEAD = """
import os
import mindspore as ms
from mindspore import nn
"""
_TRAIN = """
net = nn.Dense(8, 2)
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3))
"""
_LOOP = """
net = nn.Dense(8, 2)
opt = nn.Adam(net.trainable_params(), 1e-3)
grad_fn = ms.value_and_grad(lambda x, y: nn.CrossEntropyLoss()(net(x), y), None, opt.parameters)

@ms.jit
def step(x, y):
    loss, grads = grad_fn(x, y)
    opt(grads)
    return loss
"""
_example = partial(script_example, _HEAD)
_by_default = _example("no mode is set", _TRAIN, Verdict.UNDECIDED, "pynative-default")
EXAMPLES = [
    _example("graph mode", "ms.set_context(mode=ms.GRAPH_MODE)\n" + _TRAIN, Verdict.OK, "graph"),
    _example("a compiled step", "ms.set_context(mode=ms.PYNATIVE_MODE)\n" + _LOOP, Verdict.OK, "jit"),
    _example(
        "PyNative mode", "ms.context.set_context(mode=ms.PYNATIVE_MODE)\n" + _TRAIN, Verdict.UNDECIDED, "pynative"
    ),
    _by_default,
    _example(
        "the environment decides",
        'ms.set_context(mode=int(os.environ["MODE"]))\n' + _TRAIN,
        Verdict.UNDECIDED,
        "mode-unknown",
    ),
    Example(
        "MindSpore 1.x starts in graph mode",
        files=_by_default.files,
        case={**_by_default.case, "runtime": {"mindspore": "1.9.0"}},
        verdict=Verdict.OK,
        codes=["graph"],
    ),
]
