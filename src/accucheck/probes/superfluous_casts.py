"""Reads from the training scripts the casts within networks that change nothing: to the type that a value has, or there and back.

Only types that the code names count: what automatic mixed precision inserts is for profile_operators to see. A cast to a narrower type and
back rounds on purpose and is left alone. Never imports or runs the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict
from ..probe import Example, script_example
from . import _grades, _training

KIND = Kind.STATIC
NEEDS: tuple[str | tuple[str, ...], ...] = ("scripts.train",)


class Params(msgspec.Struct, frozen=True):
    pass


_LEVELS = {"same-type": Level.SUSPECT, "back-again": Level.SUSPECT}
_FIXES = {"same-type": "fix-leave-out", "back-again": "fix-first"}
MESSAGES: Words = {
    **_training.MESSAGES,
    "same-type": {
        "en": "This value has the type {type} already.",
        "zh": "该值已经是 {type} 类型，此处转换多余。",
    },
    "back-again": {
        "en": "This value is cast to {first}, and right after that to {type}.",
        "zh": "该值刚转换为 {first}，随即又转换为 {type}。",
    },
    "casts": {
        "en": "{count:,} {count:cast|casts} within the networks, this one first.",
        "zh": "网络中共有 {count:,} 处类型转换，此处为第一处。",
    },
    "no-casts": {
        "en": "The networks of {step} cast nothing by themselves.",
        "zh": "{step} 的网络中没有显式的类型转换。",
    },
    "fix-leave-out": {"en": "Leave this cast out.", "zh": "去掉此处的类型转换。"},
    "fix-first": {"en": "Leave the first of the two casts out.", "zh": "去掉两次转换中的前一次。"},
}
WORDS: Words = _grades.WORDS
_MOVES = {
    "en": "A cast reads and writes a whole tensor and computes nothing. It costs time, not accuracy.",
    "zh": "类型转换要把整个张量读写一遍，却不做计算。影响的是速度，不影响精度。",
}
_MEASURED = {
    "en": "Profile both ways and compare the total time of Cast.",
    "zh": "去掉前后各采集一次性能数据，比较 Cast 的总耗时。",
}
WHY: Words = dict.fromkeys(_LEVELS, _MOVES)
PROOF: Words = dict.fromkeys(_LEVELS, _MEASURED)


@_grades.by_road
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..script.speed import recast

    yield from _training.findings(case, recast, _LEVELS, (), _FIXES)


def suggest(findings: Iterable[Finding]) -> Verdict:
    return _training.suggested(findings, ())


_SCRIPT = """
import mindspore as ms
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(32, 32)
        self.cast = ops.Cast()

    def construct(self, x):
        {line}
        return self.dense(x)

net = Net()
model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
net(ms.Tensor([[1.0] * 32], ms.float32))
"""


def _example(name: str, line: str, verdict: Verdict, *codes: str) -> Example:
    return script_example("", name, _SCRIPT.format(line=line), verdict, *codes)


EXAMPLES = [
    _example("none", "x = ops.relu(x)", Verdict.OK, "no-casts"),
    _example("one", "x = self.cast(x, ms.float16)", Verdict.OK, "casts"),
    _example("rounded on purpose", "x = x.astype(ms.float16).astype(ms.float32)", Verdict.OK, "casts"),
    _example("twice the same", "x = ops.cast(self.cast(x, ms.float16), ms.float16)", Verdict.UNDECIDED, "same-type"),
    _example("there and back", "x = ops.cast(x.astype(ms.float32), ms.float16)", Verdict.UNDECIDED, "back-again"),
    _example(
        "a tensor made in that type",
        "x = x + ops.zeros((32,), dtype=ms.float32).astype(ms.float32)",
        Verdict.UNDECIDED,
        "same-type",
    ),
]
