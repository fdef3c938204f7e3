"""Reads from the training scripts whether the compiler may fuse operators (graph kernel fusion).

Knows the switch enable_graph_kernel and the level of compilation that took its place, jit_level O1. Cannot tell: what the default of a
device is in a version of MindSpore, and how much time fusion saves. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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


_LEVELS = {"disabled": Level.SUSPECT}
MESSAGES: Words = {
    **_training.MESSAGES,
    "cpu": _speed.MESSAGES["cpu"],
    "pynative": {
        "en": "Training runs in PyNative mode, in which no graph is compiled (perf.01).",
        "zh": "训练在 PyNative 模式下运行，没有编译整图（见 perf.01）。",
    },
    "enabled": {"en": "The compiler may fuse operators.", "zh": "此处允许编译器融合算子。"},
    "disabled": {"en": "Fusion of operators is switched off here.", "zh": "此处关闭了算子融合。"},
    "by-default": {
        "en": "Nothing is set about graph kernel fusion for {step}: the default of the device counts. Try jit_level O1 and compare.",
        "zh": "{step} 没有设置图算融合，按设备默认值执行。可尝试将 jit_level 设为 O1 并比较。",
    },
    "fix-fuse": {
        "en": 'mindspore.set_context(jit_config={{"jit_level": "O1"}}); in earlier versions enable_graph_kernel=True.',
        "zh": 'mindspore.set_context(jit_config={{"jit_level": "O1"}})；较早的版本用 enable_graph_kernel=True。',
    },
}
WORDS: Words = _grades.WORDS
WHY: Words = {
    "disabled": {
        "en": "Each operator then reads its inputs from memory and writes its output back; chains of small ones suffer most. "
        "It costs time, not accuracy.",
        "zh": "每个算子都要从内存读入、再写回，小算子串联时损失最大。影响的是速度，不影响精度。",
    }
}
PROOF: Words = {
    "disabled": {
        "en": "Train some hundred steps each way: compare the time of a step, and the loss.",
        "zh": "开启与关闭各训练几百步，比较单步耗时和 loss。",
    }
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.speed import kernels

    examine = partial(kernels, known=_speed.device(case), old=_speed.old(case))
    yield from _training.findings(case, examine, _LEVELS, ("by-default",), {"disabled": "fix-fuse"})


def suggest(findings: Iterable[Finding]) -> Verdict:
    return _training.suggested(findings, {"cpu", "pynative"})


_SCRIPT = """
import mindspore as ms
from mindspore import nn

ms.set_context({context})
net = nn.Dense(8, 2)
model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3))
"""


def _example(name: str, context: str, verdict: Verdict, *codes: str) -> Example:
    return script_example("", name, _SCRIPT.format(context=context), verdict, *codes)


_ASCEND = 'mode=ms.GRAPH_MODE, device_target="Ascend"'
EXAMPLES = [
    _example("by its switch", _ASCEND + ", enable_graph_kernel=True", Verdict.OK, "enabled"),
    _example("by the level", _ASCEND + ', jit_config={"jit_level": "O1"}', Verdict.OK, "enabled"),
    _example("switched off", _ASCEND + ', jit_config={"jit_level": "O0"}', Verdict.UNDECIDED, "disabled"),
    _example("nothing is set", _ASCEND, Verdict.UNDECIDED, "by-default"),
    _example("PyNative mode", 'mode=ms.PYNATIVE_MODE, device_target="Ascend"', Verdict.NOT_APPLICABLE, "pynative"),
    _example("on a CPU", 'mode=ms.GRAPH_MODE, device_target="CPU"', Verdict.NOT_APPLICABLE, "cpu"),
]
