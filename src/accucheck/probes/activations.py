"""Trains for a few steps, then looks at what each activation gives over some batches: dead units, saturation, NaN and Inf.

A ReLU unit (a channel of pictures, a feature of rows and sequences) that gives 0 for each sample learns no more; what enters Sigmoid and
Tanh far from 0 has next to no gradient. With checkpoints.current it begins from the trained weights, else from the network as built. Limits
are those of AUTOTRAINER (TDSC 2024) and DeepDiagnosis (ICSE 2022). Sees activations that are cells (nn.ReLU); functions such as
ops.relu and those within recurrent layers are not seen, and a cell that is called several times is examined call by call. A Sigmoid or
Tanh that gives the network's output is meant to be sure of itself, and is not judged. Over few samples a unit may seem dead that others
wake; of Conv1d, positions are looked at in place of channels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Verdict, Where
from ..probe import Example
from . import _checkpoints, _live
from ._checkpoints import shown, table

KIND = Kind.LIVE
OWN_TRAINING = True
NEEDS = _live.needs("network", "pipelines.train")
USES = ("checkpoints.current",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    dead: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="a larger share of dead units of a ReLU is suspect",
            extra={
                "unit": "1",
                "source": "AUTOTRAINER, TDSC 2024, and DeepDiagnosis, ICSE 2022: 0.7; TheDeepChecker's 0.5 is what inputs that are not "
                "centred give by chance: up to half of a first layer",
            },
        ),
    ] = 0.7
    saturated: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="so is a larger share of values before a Sigmoid or Tanh that are 5 or more away from 0",
            extra={"unit": "1", "source": "DeepDiagnosis, ICSE 2022: 0.5"},
        ),
    ] = 0.5
    units: Annotated[
        int,
        Meta(
            ge=1,
            description="layers of fewer units are not judged: a few may well be dead by chance",
            extra={"unit": "units", "source": "own choice"},
        ),
    ] = 16
    steps: Annotated[
        int,
        Meta(ge=0, le=10_000, description="steps of training before", extra={"unit": "steps", "source": "own choice"}),
    ] = 10
    batches: Annotated[
        int,
        Meta(ge=1, le=1000, description="batches looked at", extra={"unit": "batches", "source": "own choice"}),
    ] = 4
    seconds: _live.Seconds = 120.0


MESSAGES: Words = {
    "all-dead": {
        "en": "All {units:,} units of {name} ({kind}) output 0 for every sample of {batches:,} batches after {steps:,} steps: nothing "
        "gets through.",
        "zh": "{name}（{kind}）的全部 {units:,} 个单元在 {steps:,} 步后对 {batches:,} 个 batch 的所有样本都输出 0：信号完全中断。",
    },
    "dead": {
        "en": "{dead:,} of {units:,} units of {name} ({kind}) output 0 for all samples of {batches:,} batches after {steps:,} steps "
        "({count:,} {count:layer is|layers are} like this).",
        "zh": "{name}（{kind}）的 {units:,} 个单元中有 {dead:,} 个在 {steps:,} 步后对 {batches:,} 个 batch 的所有样本都输出 0"
        "（这样的层共 {count:,} 个）。",
    },
    "saturated": {
        "en": "{share:.0%} of the inputs of {name} ({kind}) are 5 or more away from 0, where its gradient is almost zero ({count:,} "
        "{count:layer is|layers are} like this).",
        "zh": "{name}（{kind}）的输入有 {share:.0%} 距 0 达 5 以上，该处几乎没有梯度（这样的层共 {count:,} 个）。",
    },
    "not-finite": {
        "en": "{count:,} {count:activation outputs|activations output} NaN or Inf after {steps:,} steps: {names}.",
        "zh": "{steps:,} 步后有 {count:,} 个激活层输出 NaN 或 Inf：{names}。",
    },
    "no-activations": {
        "en": "No activation of the network is a cell that is called; functions such as ops.relu are not seen.",
        "zh": "网络中没有被调用的激活 Cell；ops.relu 一类函数无法统计。",
    },
    "not-loaded": {
        "en": "The checkpoint {path} is missing {count:,} {count:parameter|parameters} of the network: {names}. "
        "{count:It is|These are} as built.",
        "zh": "checkpoint {path} 缺少网络的 {count:,} 个参数：{names}。它们保持初始值。",
    },
    "no-result": {
        "en": "The activations were not seen within {seconds:g} s.",
        "zh": "{seconds:g} 秒内没有得到激活层的结果。",
    },
    "examined": {
        "en": "{count:,} {count:activation|activations} over {batches:,} batches after {steps:,} steps that this probe trained; the "
        "largest share of dead units is {most:.0%}.",
        "zh": "本探针训练 {steps:,} 步后在 {batches:,} 个 batch 上统计了 {count:,} 个激活层；失活单元的最大占比为 {most:.0%}。",
    },
    "fix-dead": {
        "en": "A lower rate, He's initialisation (HeNormal, HeUniform), nn.LeakyReLU or nn.GELU, normalised inputs.",
        "zh": "降低学习率，用 He 初始化（HeNormal、HeUniform），改用 nn.LeakyReLU 或 nn.GELU，并检查输入归一化。",
    },
    "fix-saturated": {
        "en": "Put a normalisation before it, use Xavier's initialisation, and normalise the inputs.",
        "zh": "在其之前加归一化层，用 Xavier 初始化，并对输入做归一化。",
    },
}
_NOTHING_LEARNED = {
    "en": "Dead or saturated units pass no gradient: they stay as they are, and the network learns with the rest.",
    "zh": "失活或饱和的单元不传递梯度，停留在原处，网络只能用剩余的部分学习。",
}
WHY: Words = dict.fromkeys(("all-dead", "dead", "saturated", "not-finite"), _NOTHING_LEARNED)
_BY_HOOK = {
    "en": "Count over more batches with a register_forward_hook, and train with half the learning rate or a different initialiser.",
    "zh": "用 register_forward_hook 在更多 batch 上统计，并用减半的学习率或其他初始化方式训练对比。",
}
PROOF: Words = dict.fromkeys(WHY, _BY_HOOK)
WORDS: Words = {
    "activations": {"en": "Activations, as called", "zh": "激活层（按调用顺序）"},
    "name": _checkpoints.WORDS["name"],
    "kind": {"en": "Kind", "zh": "类型"},
    "units": {"en": "Units", "zh": "单元数"},
    "dead": {"en": "Dead", "zh": "失活"},
    "zero": {"en": "Share of zeros", "zh": "零值占比"},
    "saturated": {"en": "Share saturated", "zh": "饱和占比"},
}


@_live.by_phase()
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises UserError when the checkpoint is not a file."""
    from ..live.child import events

    checkpoint = _live.checkpoint_of(case)
    request = {
        **_live.network_of(case, checkpoint),
        **{"watch": "activations", "steps": params.steps, "batches": params.batches, "seconds": params.seconds},
    }
    found: dict[str, Any] | None = None
    done = 0
    for event in events(case, "watched", request, params.seconds):
        if event["event"] == "progress":
            done = event["done"]
            yield Progress(done, event["total"], "steps")
        elif event["event"] == "loaded" and event["missing"] and checkpoint:
            path = case.relative(checkpoint)
            data: dict[str, Any] = {"path": path, "count": len(event["missing"]), "names": shown(event["missing"])}
            yield Finding("not-loaded", Level.INFO, Where(path), data, incomplete=True)
        elif event["event"] == "activations":
            found = event
    if found is None:
        yield Finding("no-result", Level.INFO, data={"seconds": params.seconds}, incomplete=True)
    elif not found["found"]:
        yield Finding("no-activations", Level.INFO, incomplete=True)
    else:
        yield from _judge(params, found["found"], {"steps": done, "batches": found["batches"]})


def _judge(params: Params, found: list[dict[str, Any]], common: dict[str, Any]) -> Iterator[Finding]:
    evidence = [_table(found)]
    wrong = [one for one in found if not one["finite"]]
    if wrong:
        data = common | {"count": len(wrong), "names": shown(one["name"] for one in wrong)}
        yield Finding("not-finite", Level.SUSPECT, Where(name=wrong[0]["name"]), data, evidence)
    relus = [one for one in found if one["family"] == "relu" and one["finite"] and one["units"] >= params.units]
    dying = sorted(
        (one for one in relus if one["dead"] > params.dead * one["units"]), key=lambda one: -one["dead"] / one["units"]
    )
    if dying:
        worst = dying[0]
        code, level = ("all-dead", Level.PROBLEM) if worst["dead"] == worst["units"] else ("dead", Level.SUSPECT)
        data = common | {key: worst[key] for key in ("name", "kind", "units", "dead")} | {"count": len(dying)}
        yield Finding(code, level, Where(name=worst["name"]), data, evidence, Fix("fix-dead"))
    flat = [
        one
        for one in found
        if one["family"] == "sigmoid" and one["finite"] and not one["last"] and one["saturated"] > params.saturated
    ]
    if flat:
        worst = max(flat, key=lambda one: one["saturated"])
        data = common | {"name": worst["name"], "kind": worst["kind"], "share": worst["saturated"], "count": len(flat)}
        yield Finding("saturated", Level.SUSPECT, Where(name=worst["name"]), data, evidence, Fix("fix-saturated"))
    most = max((one["dead"] / one["units"] for one in relus), default=0.0)
    yield Finding("examined", Level.INFO, data=common | {"count": len(found), "most": most}, evidence=evidence)


def _table(found: list[dict[str, Any]]) -> Evidence:
    rows: list[list[Plain]] = []
    for one in found:
        relu, sigmoid = one["family"] == "relu", one["family"] == "sigmoid"
        rows.append(
            [
                *(one["name"], one["kind"], one["units"], one["dead"] if relu else None, one["zero"]),
                one["saturated"] if sigmoid else None,
            ]
        )
    return table("activations", ["name", "kind", "units", "dead", "zero", "saturated"], rows)


_NET = """
import numpy as np
import mindspore.dataset as ds
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self, act="ReLU", bias=0.0, factor=1.0):
        super().__init__()
        self.first, self.second, self.head = nn.Dense(8, 32), nn.Dense(32, 32), nn.Dense(32, 2)
        self.act, self.last, self.bias, self.factor = getattr(nn, act)(), getattr(nn, act)(), bias, factor

    def construct(self, x):
        x = self.act(self.first(x * self.factor) + self.bias)
        return self.head(self.last(self.second(x)))

class Functional(Net):
    def construct(self, x):
        return self.head(ops.relu(self.first(x)))

def data():
    random = np.random.default_rng(0)
    x = random.standard_normal((128, 8)).astype(np.float32)
    return ds.NumpySlicesDataset({"x": x, "label": (x[:, 0] > 0).astype(np.int32)}, shuffle=False).batch(32)
"""


def _example(name: str, verdict: Verdict, *codes: str, network: str = "net:Net", **args: Any) -> Example:
    case = {
        "network": {"call": network, "args": args},
        "loss": {"call": "mindspore.nn:CrossEntropyLoss"},
        "optimizer": {"call": "mindspore.nn:Adam", "args": {"learning_rate": 1e-3}},
        "pipelines": {"train": {"call": "net:data"}},
    }
    return Example(name, files={"net.py": _NET}, case=case, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("ReLU", Verdict.OK, "examined"),
    _example("Tanh", Verdict.OK, act="Tanh"),
    _example("biases that keep units below zero", Verdict.PROBLEM, "all-dead", bias=-100.0),
    _example("some units that still get through", Verdict.UNDECIDED, "dead", bias=-2.2),
    _example("inputs from far away", Verdict.UNDECIDED, "saturated", act="Sigmoid", factor=100.0),
    _example("a function in place of a cell", Verdict.UNDECIDED, "no-activations", network="net:Functional"),
]
