"""Reads from the training scripts whether steps compute in half precision, for which Ascend and GPU have units of their own.

Counts float16 and bfloat16 by amp_level, to_float, types of layers and parameters, casts, and precision_mode of Ascend. Cannot tell:
whether a network stands half precision, and how much time it would save. Never imports or runs the scripts.
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


_LEVELS = {"all-float32": Level.SUSPECT}
MESSAGES: Words = {
    **_training.MESSAGES,
    **_speed.MESSAGES,
    "mixed": {"en": "Half precision is used here.", "zh": "此处使用了半精度。"},
    "all-float32": {
        "en": "{step} computes everything in float32.",
        "zh": "{step} 全部用 float32 计算。",
    },
    "precision-unknown": {
        "en": "Whether {step} computes in half precision depends on a condition or on code that was not read.",
        "zh": "{step} 是否使用半精度由未检查到的代码或条件决定，看不出来。",
    },
    "fix-mixed": {
        "en": 'Once it is accurate, try amp_level="O2" with a loss scale, or bfloat16, and compare accuracy and time.',
        "zh": '精度达标后可尝试 amp_level="O2" 并配合 loss scale，或使用 bfloat16，再比较精度与耗时。',
    },
}
WORDS: Words = _grades.WORDS
WHY: Words = {
    "all-float32": {
        "en": "Matrix units of Ascend and GPU are several times faster in half precision, and half as much memory is moved. "
        "It costs time, not accuracy.",
        "zh": "Ascend 和 GPU 的矩阵单元在半精度下快数倍，访存量也减半。影响的是速度，不影响精度。",
    }
}
PROOF: Words = {
    "all-float32": {
        "en": "Train some hundred steps each way: compare the time of a step, and the loss curves.",
        "zh": "开启与关闭各训练几百步，比较单步耗时和 loss 曲线。",
    }
}


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.execution import precise

    examine = partial(precise, known=_speed.device(case))
    opened = ("precision-unknown", "device-unknown")
    yield from _training.findings(case, examine, _LEVELS, opened, {"all-float32": "fix-mixed"})


def suggest(findings: Iterable[Finding]) -> Verdict:
    return _training.suggested(findings, {"cpu"})


_HEAD = """
import os
import mindspore as ms
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_device("Ascend")
net = nn.Dense(8, 2)
opt = nn.Adam(net.trainable_params(), 1e-3)
loss = nn.CrossEntropyLoss()
"""
_MODEL = "model = ms.Model(net, loss, opt{})\n"
_example = partial(script_example, _HEAD)
EXAMPLES = [
    _example("amp_level O2", _MODEL.format(', amp_level="O2"'), Verdict.OK, "mixed"),
    _example("bfloat16", "net.to_float(ms.bfloat16)\n" + _MODEL.format(""), Verdict.OK, "mixed"),
    _example(
        "by precision_mode",
        'ms.set_context(ascend_config={"precision_mode": "allow_mix_precision"})\n' + _MODEL.format(""),
        Verdict.OK,
        "mixed",
    ),
    _example("float32 alone", _MODEL.format(""), Verdict.UNDECIDED, "all-float32"),
    _example("level O0", _MODEL.format(', amp_level="O0"'), Verdict.UNDECIDED, "all-float32"),
    _example(
        "the environment decides",
        _MODEL.format(', amp_level=os.environ["AMP"]'),
        Verdict.UNDECIDED,
        "precision-unknown",
    ),
    script_example(_HEAD.replace("Ascend", "CPU"), "on a CPU", _MODEL.format(""), Verdict.NOT_APPLICABLE, "cpu"),
    script_example(
        _HEAD.replace('ms.set_device("Ascend")\n', ""),
        "no device is named",
        _MODEL.format(""),
        Verdict.UNDECIDED,
        "device-unknown",
    ),
]
