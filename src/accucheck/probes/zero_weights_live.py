"""Finds weights that cannot learn in the network as the project's own function builds it, before any training.

The rules are those of zero_weights: all zero, constant, or the same in every output unit; and NaN and Inf. It sees what the function
loads or initialises itself, and nothing that the training script does afterwards. Quantised weights are named, not examined.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Refutes, Verdict
from ..probe import Example
from ..store import scratch
from . import _live, zero_weights

KIND = Kind.LIVE
NEEDS = _live.needs("network")


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    known: Annotated[
        tuple[str, ...],
        Meta(
            description="patterns (* and ?, any case) of names that are zero, constant or repeated by design",
            extra={"unit": "names", "source": "those of zero_weights"},
        ),
    ] = zero_weights.KNOWN
    seconds: Annotated[
        float,
        Meta(gt=0, description="time for looking at the network", extra={"unit": "s", "source": "own choice"}),
    ] = 60.0


#: Of files alone.
_FILES = ("unreadable", "checksum", "examined", "no-weights")
#: What the scripts seem to say of layers that are neither zero nor constant once the network is built. What is written into weights
#: after that is not seen here.
CONSTANT = [
    "zero-weights",
    "constant-weights",
    "flag-as-initial",
    "zero-possible",
    "constant-possible",
    "zero-parameter",
    "constant-parameter",
    "zero-parameter-possible",
    "constant-parameter-possible",
]
MESSAGES: Words = {
    code: {
        "en": text["en"].replace("the {role_name} checkpoint", "the network as built"),
        "zh": text["zh"].replace("{role_name} checkpoint ", "刚构建的网络"),
    }
    for code, text in zero_weights.MESSAGES.items()
    if code not in _FILES
} | {
    "no-weights": {
        "en": "The network has no floating-point weights.",
        "zh": "网络中没有浮点类型的权重。",
    },
    "examined": {
        "en": "The network as built was examined: {weights:,} weights, {bytes:,} bytes.",
        "zh": "已检查刚构建的网络：{weights:,} 个权重，共 {bytes:,} 字节。",
    },
    "initialise": {
        "en": "Give the parameter a random initialiser (HeUniform, XavierUniform, Normal ...), through weight_init or "
        "parameter.set_data(initializer(...)).",
        "zh": "请为该参数设置随机初始化（如 HeUniform、XavierUniform、Normal），可通过 weight_init 或 "
        "parameter.set_data(initializer(...)) 设置。",
    },
}
WORDS: Words = zero_weights.WORDS
WHY, PROOF = zero_weights.WHY, zero_weights.PROOF


@_live.by_phase(pipeline=False)
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from pathlib import Path

    from ..live.child import events
    from ..readers.checkpoints import open_checkpoint

    with scratch() as folder:
        path = Path(folder, "built.ckpt")
        request = {**_live.network_of(case), "loss": None, "save": str(path)}
        built = [event for event in events(case, "built", request, params.seconds) if event["event"] == "parameters"]
        if not any(event["found"] for event in built):
            yield Finding("no-weights", Level.INFO, incomplete=True)
            return
        rules = zero_weights.Params(known=params.known)
        lines = next(event["lines"] for event in built)
        fine = True
        for found in zero_weights.judge(open_checkpoint(path), rules, {}, lambda _: None):
            fine = fine and (not isinstance(found, Finding) or (found.level is Level.INFO and not found.incomplete))
            if isinstance(found, Finding) and found.code == "examined" and fine and lines:
                found = msgspec.structs.replace(found, refutes=[Refutes("zero_weights_script", CONSTANT, places=lines)])
            yield found


_NET = """
import numpy as np
from mindspore import nn, Parameter, Tensor

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)
        self.cls_token = Parameter(Tensor(np.zeros((1, 1, 8), np.float32)), name="cls_token")
        self.head = nn.Dense(8, 4{head})
{more}
    def construct(self, x):
        return self.head(self.norm(self.conv(x)).mean((2, 3)))
"""


def _example(name: str, verdict: Verdict, *codes: str, head: str = "", more: str = "", **params: Any) -> Example:
    body = _NET.replace("{head}", head).replace("{more}", f"        {more}\n" if more else "")
    case = {"network": {"call": "net:Net"}}
    return Example(name, files={"net.py": body}, case=case, verdict=verdict, codes=codes, params=params)


EXAMPLES = [
    _example("MindSpore's own initial values", Verdict.OK, "known-initialisation"),
    _example("an output layer of zeros", Verdict.PROBLEM, "all-zero", head=", weight_init='zeros'"),
    _example(
        "an output layer of zeros, by design",
        Verdict.OK,
        head=", weight_init='zeros'",
        known=["head.weight", "cls_token"],
    ),
    _example("an output layer of ones", Verdict.PROBLEM, "constant", head=", weight_init='ones'"),
    _example(
        "a scale that starts at zero",
        Verdict.UNDECIDED,
        "zero-gamma",
        more="self.norm = nn.BatchNorm2d(8, gamma_init='zeros')",
    ),
]
