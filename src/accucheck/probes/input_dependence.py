"""Shows what the output of the network depends on: each of its inputs, its own sample, and no other sample of the batch.

The project's own functions build network, loss and batches; checkpoints.current is loaded where the case gives it. All in inference mode:
other values in place of an input must change the output, different samples must give different outputs, another first or last sample must
leave the outputs of the others as they are, and the loss must have a gradient with respect to its inputs. A network whose output does not
react as built is looked at again after ten steps of training, since a last layer may start at zero. Cannot tell: whether training on zeros
would do as well, and what networks that give only their loss do with single samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example
from . import _live

KIND = Kind.LIVE
NEEDS = _live.needs("network", "pipelines.train")
USES = ("checkpoints.current",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    same: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="outputs that differ by no more than this share of the largest are the same",
            extra={"unit": "1", "source": "own choice: ten times what single precision rounds"},
        ),
    ] = 1e-6
    mixed: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="a larger change in samples that stayed as they were is one sample acting on another",
            extra={"unit": "1", "source": "own choice: a thousand times what single precision rounds"},
        ),
    ] = 1e-4
    half: Annotated[
        float,
        Meta(
            ge=1,
            description="both are so many times larger in half precision",
            extra={
                "unit": "1",
                "source": "own choice: bfloat16 rounds 65,536 times coarser, and seldom all of it adds up",
            },
        ),
    ] = 1000.0
    seconds: Annotated[
        float,
        Meta(gt=0, description="time for looking", extra={"unit": "s", "source": "own choice"}),
    ] = 120.0


MESSAGES: Words = {
    "no-time": {
        "en": "Nothing was measured within {seconds:g} s.",
        "zh": "{seconds:g} 秒内没有得到任何测量结果。",
    },
    "depends": {
        "en": "The output changes with each input that could be changed, by {least:.2g} of its largest value or more "
        "({samples:,} samples).",
        "zh": "每个可替换的输入改变时输出都会变化，幅度至少为最大输出值的 {least:.2g}（{samples:,} 个样本）。",
    },
    "apart": {
        "en": "Samples do not affect each other: outputs of unchanged samples change by at most {mixed:.2g} of the largest value.",
        "zh": "样本之间互不影响：未改动的样本，其输出变化不超过最大输出值的 {mixed:.2g}。",
    },
    "after-training": {
        "en": "As built the output does not react to all of its inputs; after {steps:,} {steps:step|steps} of training it does, "
        "as with a layer that starts at zero.",
        "zh": "刚构建时输出对部分输入没有反应，训练 {steps:,} 步后有反应，与从 0 开始的层相符。",
    },
    "independent-as-built": {
        "en": "As built the output does not depend on the input: neither other samples nor other values change it ({samples:,} samples); "
        "whether training changes that was not seen.",
        "zh": "刚构建时输出与输入无关：换样本、换取值都不改变输出（{samples:,} 个样本）；未能观察训练后是否改变。",
    },
    "independent": {
        "en": "The output does not depend on the input: neither other samples nor other values change it ({samples:,} samples, "
        "after {steps:,} steps of training too).",
        "zh": "输出与输入无关：换样本、换取值都不改变输出（{samples:,} 个样本，训练 {steps:,} 步后仍如此）。",
    },
    "faint": {
        "en": "The output hardly depends on the input: by at most {most:.2g} of its largest value, barely above the rounding error of "
        "float32.",
        "zh": "输出几乎不随输入变化：幅度至多为最大输出值的 {most:.2g}，单精度下几乎分辨不出。",
    },
    "same-for-all": {
        "en": "The output is the same for all {samples:,} different samples, although it changes when their values are replaced.",
        "zh": "{samples:,} 个不同样本的输出完全相同，而替换输入取值时输出会变化。",
    },
    "unused-input": {
        "en": "The output does not depend on the input {name}.",
        "zh": "输出与输入 {name} 无关。",
    },
    "mixing": {
        "en": "Samples affect each other in inference mode: when the first or last sample is replaced, the outputs of the others "
        "change by {mixed:.2g} of the largest value.",
        "zh": "推理模式下样本之间互相影响：更换第一个或最后一个样本后，其他样本的输出变化达最大输出值的 {mixed:.2g}。",
    },
    "together": {
        "en": "The network has layers, inputs or outputs in which samples may belong together: {names}.",
        "zh": "网络中有样本之间可能本就相关的层、输入或输出：{names}。",
    },
    "no-gradient": {
        "en": "The gradient of the loss with respect to the inputs is 0 throughout, and {zero:,} trainable "
        "{zero:parameter gets|parameters get} none either.",
        "zh": "loss 对输入的梯度恒为 0，另有 {zero:,} 个可训练参数也没有梯度。",
    },
    "gradient-ends": {
        "en": "The gradient of the loss with respect to the inputs is 0 throughout; all trainable parameters get one.",
        "zh": "loss 对输入的梯度恒为 0，而所有可训练参数都有梯度。",
    },
    "random": {
        "en": "In inference mode two runs of one batch differ by {noise:.2g} of the largest value: what the output depends on cannot "
        "be determined.",
        "zh": "推理模式下同一 batch 两次计算相差最大输出值的 {noise:.2g}，无法判断输出依赖于什么。",
    },
    "not-finite": {
        "en": "The output holds NaN or Inf before any training. Item mp.01 traces where such values come from.",
        "zh": "训练之前的输出就含有 NaN 或 Inf，其来源见检查项 mp.01。",
    },
    "no-output": {
        "en": "The output holds no floating-point tensor.",
        "zh": "输出中没有浮点张量。",
    },
    "no-sample-axis": {
        "en": "Samples cannot be distinguished: the batch has one sample, or inputs and outputs do not begin with an axis of "
        "{samples:,} samples.",
        "zh": "无法区分样本：batch 只有一个样本，或输入、输出的第一维不是 {samples:,} 个样本。",
    },
    "untested": {
        "en": "The values of the input {name} could not be replaced.",
        "zh": "无法为输入 {name} 换上其他取值。",
    },
    "lacking": {
        "en": "{path} is missing {count:,} {count:parameter|parameters} of the network.",
        "zh": "{path} 中缺少网络的 {count:,} 个参数。",
    },
    "fix-input": {
        "en": "Print the standard deviation of each layer's output over the batch: the input gets lost in the first layer where it is "
        "0.",
        "zh": "打印各层输出在 batch 内的标准差，第一个为 0 的层就是输入丢失之处。",
    },
    "fix-axis": {
        "en": "Keep the batch axis 0 throughout; set batch_first=True on recurrent layers; where axes are swapped, transpose instead "
        "of reshaping.",
        "zh": "batch 维始终保持在第 0 维；序列层设置 batch_first=True；交换维度用 transpose，不要用 reshape。",
    },
}
WORDS: Words = {
    "inputs": {"en": "What replacing an input changes", "zh": "替换各输入引起的变化"},
    "input": {"en": "input", "zh": "输入"},
    "dtype": {"en": "data type", "zh": "数据类型"},
    "change": {"en": "largest change ÷ largest output", "zh": "最大变化 ÷ 最大输出值"},
}
_BLIND = {
    "en": "An output cannot learn from an input that it does not depend on.",
    "zh": "输出不依赖的内容，训练也无从学习。",
}
WHY: Words = {
    "independent-as-built": _BLIND,
    "independent": _BLIND,
    "faint": _BLIND,
    "same-for-all": _BLIND,
    "unused-input": _BLIND,
    "mixing": {
        "en": "A sample's output then depends on what else is in the batch: accuracy changes with the batch size and the order, and "
        "labels are learned from the wrong samples.",
        "zh": "样本的输出取决于同一 batch 中恰好有谁：准确率随 batch 大小和顺序而变，标签也会与错误的样本对应。",
    },
    "no-gradient": {
        "en": "Layers before the point where the gradient stops are not trained.",
        "zh": "梯度中断处之前的层得不到训练。",
    },
}
_TWO = {
    "en": "Send two different samples through the network, each alone, and compare the outputs.",
    "zh": "将两个不同样本分别单独送入网络，比较输出。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _TWO),
    "unused-input": {
        "en": "Look for the argument in construct().",
        "zh": "查看 construct() 中是否用到该参数。",
    },
    "mixing": {
        "en": "Send one sample alone through the network, and within a batch: both outputs must agree.",
        "zh": "将同一样本单独以及放在 batch 中各计算一次，两次输出应一致。",
    },
    "no-gradient": {
        "en": "List the gradients of all parameters with their names.",
        "zh": "逐个列出各参数的名称与梯度。",
    },
}


@_live.by_phase()
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises UserError when the checkpoint is not a file."""
    from ..live.child import events

    checkpoint = _live.checkpoint_of(case)
    request = {**_live.network_of(case, checkpoint), "seconds": params.seconds}
    network: dict[str, Any] = {}
    looks: dict[int, dict[str, Any]] = {}
    for event in events(case, "dependence", request, params.seconds):
        if event["event"] == "network":
            network = event
        elif event["event"] == "looked":
            looks[event["steps"]] = event
            yield Progress(event["steps"], None, "steps")
    if not looks:
        yield Finding("no-time", Level.INFO, data={"seconds": params.seconds}, incomplete=True)
        return
    if checkpoint and network["lacking"]:
        data = {"path": case.relative(checkpoint), "count": network["lacking"]}
        yield Finding("lacking", Level.INFO, data=data, incomplete=True)
    yield from judged(params, network, list(looks.values()))


def judged(params: Params, network: dict[str, Any], looks: list[dict[str, Any]]) -> Iterator[Finding]:
    """What the events "network" and "looked" of inside/dependence.py mean."""
    times = params.half if network["half"] else 1.0
    same, limit = min(params.same * times, 0.5), min(params.mixed * times, 0.5)
    last = looks[-1]
    samples = {"samples": last["samples"], "steps": last["steps"]}
    if not last["outputs"]:
        yield Finding("no-output", Level.INFO, incomplete=True)
        return
    if not looks[0]["finite"]:
        yield Finding("not-finite", Level.SUSPECT)
        return
    noise = max(look["noise"] for look in looks)
    if noise > same:
        yield Finding("random", Level.INFO, data={"noise": noise}, incomplete=True)
        return
    yield from _inputs(last, same, samples, trained=len(looks) > 1)
    yield from _samples(network, looks, limit, samples)
    if last["gradient"] == 0 and any((one["change"] or 0) > same for one in last["inputs"]):
        if last["zero"]:
            yield Finding("no-gradient", Level.SUSPECT, data={"zero": last["zero"]})
        else:
            yield Finding("gradient-ends", Level.INFO)


def _inputs(last: dict[str, Any], same: float, samples: dict[str, Any], *, trained: bool) -> Iterator[Finding]:
    """Whether the output reacts to its inputs, and differs by sample."""
    known = {one["name"]: one["change"] for one in last["inputs"] if one["change"] is not None}
    rows: list[list[Plain]] = [[one["name"], one["dtype"], one["change"]] for one in last["inputs"]]
    evidence: list[Evidence] = [Table("inputs", ["input", "dtype", "change"], rows[:200], total=len(rows))]
    for one in last["inputs"]:
        if one["change"] is None:
            yield Finding("untested", Level.INFO, Where(name=one["name"]), {"name": one["name"]}, incomplete=True)
    spread = last["spread"] if last["differ"] else None
    most = max([*known.values(), spread or 0.0], default=0.0)
    if not known and spread is None:
        return
    if most <= same:
        if last["gradient"]:
            yield Finding(
                "faint", Level.SUSPECT, data=samples | {"most": most}, evidence=evidence, fix=Fix("fix-input")
            )
        else:
            code, level = "independent", Level.PROBLEM
            if not last["steps"]:  # a last layer of zeros has not been ruled out
                code, level = "independent-as-built", Level.SUSPECT
            yield Finding(code, level, data=samples, evidence=evidence, fix=Fix("fix-input"))
        return
    unused = [name for name, change in known.items() if change <= same]
    for name in unused if len(known) > 1 else []:
        yield Finding("unused-input", Level.SUSPECT, Where(name=name), {"name": name}, evidence)
    if spread is not None and spread <= same:
        yield Finding("same-for-all", Level.SUSPECT, data=samples, evidence=evidence, fix=Fix("fix-input"))
    elif not unused and known:
        if trained and last["gradient"] != 0:
            yield Finding("after-training", Level.INFO, data=samples)
        yield Finding("depends", Level.INFO, data=samples | {"least": min(known.values())}, evidence=evidence)


def _samples(
    network: dict[str, Any], looks: list[dict[str, Any]], limit: float, samples: dict[str, Any]
) -> Iterator[Finding]:
    """Whether one sample acts on another."""
    seen = [look["mixed"] for look in looks if look["mixed"] is not None]
    if not seen:
        yield Finding("no-sample-axis", Level.INFO, data=samples, incomplete=True)
        return
    names = [*network["together"], *(["N × N"] if looks[0]["square"] else [])]
    data = {"mixed": max(seen)}
    if data["mixed"] <= limit:
        yield Finding("apart", Level.INFO, data=data)
        return
    if names:
        yield Finding("together", Level.INFO, data={"names": names})
    yield Finding("mixing", Level.SUSPECT if names else Level.PROBLEM, data=data, fix=Fix("fix-axis"))


_NET = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self, how="", head="normal"):
        super().__init__()
        self.how, self.one, self.two = how, nn.Dense(6, 16), nn.Dense(16, 3, weight_init=head)
        self.rnn = nn.LSTM(6, 16, batch_first=how != "time first")

    def construct(self, x, more=None):
        if self.how == "blank":
            x = ops.ones_like(x)
        out, _ = self.rnn(x)
        if self.how == "both":
            out = out + more[:, None]
        return self.two(ops.relu(out[:, -1] + self.one(x[:, 0])))

def create(more=False):
    random = np.random.default_rng(0)
    x, y = random.standard_normal((32, 5, 6)).astype(np.float32), random.integers(0, 3, 32).astype(np.int32)
    more = {"more": random.standard_normal((32, 16)).astype(np.float32)} if more else {}
    return ds.NumpySlicesDataset({"x": x, **more, "label": y}, shuffle=False).batch(16)
"""


def _example(name: str, verdict: Verdict, *codes: str, more: bool = False, **net: Any) -> Example:
    case = {
        "network": {"call": "net:Net", "args": net},
        "loss": {"call": "mindspore.nn:CrossEntropyLoss"},
        "pipelines": {"train": {"call": "net:create", "args": {"more": more}}},
    }
    return Example(name, files={"net.py": _NET}, case=case, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("each output from its own input", Verdict.OK, "depends", "apart"),
    _example("a last layer that starts at zero", Verdict.OK, "after-training", "depends", "apart", head="zeros"),
    _example("two inputs", Verdict.OK, "depends", how="both", more=True),
    _example("two inputs, one of them unused", Verdict.UNDECIDED, "unused-input", more=True),
    _example("an input that is overwritten", Verdict.PROBLEM, "independent", how="blank"),
    _example("a layer that takes the samples for time", Verdict.PROBLEM, "mixing", how="time first"),
]
