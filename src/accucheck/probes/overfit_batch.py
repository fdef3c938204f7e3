"""Trains the network as built on one batch of its own data until it is learnt by heart, or shows that it cannot be.

The project's own functions build network, loss and batches; Dropout is off, BatchNorm in training mode, the optimizer is Adam without
weight decay. What fails at one learning rate is tried again at a higher and a lower one. Measured is how much is learnt of what no
constant answer gets: of the accuracy, or of the variance of values; where labels and output do not go together, how far the loss falls.
Catches: losses that never move, outputs that stay the same for all samples, NaN, equal inputs with different labels. A network that learns
slowly is told and not called a problem. Cannot tell: faults of augmentation, of the optimizer and rates of the training itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Curve, Evidence, Finding, Fix, Kind, Level, Progress, Verdict
from ..probe import Example
from . import _curves, _live

KIND = Kind.LIVE
OWN_TRAINING = True
NEEDS = _live.needs("network", "pipelines.train")

_OWN = "own choice"


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    samples: Annotated[
        int,
        Meta(
            ge=2,
            le=1024,
            description="samples of the batch, at most",
            extra={"unit": "samples", "source": "TheDeepChecker, TOSEM 2022, fits a batch of 16"},
        ),
    ] = 32
    steps: Annotated[
        int,
        Meta(ge=100, description="steps at each learning rate, at most", extra={"unit": "steps", "source": _OWN}),
    ] = 300
    rate: Annotated[
        float,
        Meta(
            gt=0,
            description="learning rate of Adam; ten times more and less are tried where it fails",
            extra={"unit": "1", "source": "the default of Adam (Kingma and Ba, 2015)"},
        ),
    ] = 1e-3
    least: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="memorised: this share of what no constant answer gets",
            extra={"unit": "1", "source": _OWN + ": with 10 classes, 3 of 32 samples may be wrong"},
        ),
    ] = 0.9
    nothing: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="less than so much of it is nothing",
            extra={"unit": "1", "source": _OWN},
        ),
    ] = 0.1
    constant: Annotated[
        float,
        Meta(
            ge=0,
            description="outputs that differ by less than this share of the largest are the same for all samples",
            extra={"unit": "1", "source": "own choice: a hundred times what single precision rounds"},
        ),
    ] = 1e-5
    seconds: Annotated[
        float,
        Meta(gt=0, description="time for all steps", extra={"unit": "s", "source": _OWN}),
    ] = 180.0


MESSAGES: Words = {
    "fitted": {
        "en": "One batch of {samples:,} samples is memorised in {steps:,} steps at a learning rate of {rate:g}: the loss went from "
        "{first:.4g} to {last:.4g}, closing {learnt:.0%} of the gap left by a constant prediction.",
        "zh": "{samples:,} 个样本的 batch 在学习率 {rate:g} 下 {steps:,} 步即被拟合："
        "loss 从 {first:.4g} 到 {last:.4g}，学到了常数预测之外的 {learnt:.0%}。",
    },
    "fitted-elsewhere": {
        "en": "Adam with {tried:g} did not fit the batch, with {rate:g} it did.",
        "zh": "Adam 学习率为 {tried:g} 时未能拟合该 batch，为 {rate:g} 时可以。",
    },
    "never-moved": {
        "en": "The loss stays at {first:.6g} in {steps:,} steps on one batch; {zero:,} of {trainable:,} trainable parameters get a "
        "gradient of 0.",
        "zh": "在同一个 batch 上训练 {steps:,} 步，loss 始终为 {first:.6g}；{trainable:,} 个可训练参数中有 {zero:,} 个的梯度为 0。",
    },
    "not-finite": {
        "en": "The loss on one batch becomes NaN or Inf at each learning rate that was tried ({rates}), by step {step:,} at the latest.",
        "zh": "在同一个 batch 上，每个尝试过的学习率（{rates}）下 loss 都变成 NaN 或 Inf，最迟在第 {step:,} 步。",
    },
    "not-finite-at-once": {
        "en": "The loss on one batch is NaN or Inf before the first update.",
        "zh": "在第一次更新之前，该 batch 的 loss 就是 NaN 或 Inf。",
    },
    "same-output": {
        "en": "After {steps:,} steps on one batch the output is still the same for all {samples:,} samples: only the distribution of "
        "the labels is learned, and the input is not used (loss {first:.4g} to {last:.4g}; learning rates tried: {rates}).",
        "zh": "在同一个 batch 上训练 {steps:,} 步后，{samples:,} 个样本的输出仍完全相同：只学到了标签的分布，输入没有起作用"
        "（loss 从 {first:.4g} 到 {last:.4g}，尝试过的学习率：{rates}）。",
    },
    "stuck": {
        "en": "One batch cannot be memorised: only {learnt:.0%} of the gap left by a constant prediction is closed after {steps:,} "
        "steps at the best of {rates} (loss {first:.4g} to {last:.4g}).",
        "zh": "一个 batch 未能拟合：在 {rates} 中最好的学习率下训练 {steps:,} 步，只学到常数预测之外的 {learnt:.0%}"
        "（loss 从 {first:.4g} 到 {last:.4g}）。",
    },
    "slow": {
        "en": "One batch is learned slowly: {learnt:.0%} after {steps:,} steps at the best of {rates} (loss {first:.4g} to "
        "{last:.4g}). Whether it can be memorised is not known; increase the parameters steps and seconds.",
        "zh": "一个 batch 学得较慢：在 {rates} 中最好的学习率下 {steps:,} 步学到 {learnt:.0%}（loss 从 {first:.4g} 到 {last:.4g}）。"
        "能否完全拟合尚不清楚，可增大参数 steps 和 seconds。",
    },
    "unmeasured": {
        "en": "The loss went from {first:.4g} to {last:.4g} in {steps:,} steps; what it would be once the batch is learned is not "
        "known.",
        "zh": "{steps:,} 步中 loss 从 {first:.4g} 到 {last:.4g}；完全拟合时它应为多少并不清楚。",
    },
    "no-time": {
        "en": "No training on a batch came to an end within {seconds:g} s.",
        "zh": "{seconds:g} 秒内没有完成一次 batch 上的训练。",
    },
    "conflicts": {
        "en": "{count:,} of the {samples:,} samples have equal inputs with different labels: no network can learn them all.",
        "zh": "{samples:,} 个样本中有 {count:,} 个输入相同而标签不同：任何网络都无法全部学会。",
    },
    "same-inputs": {
        "en": "All {samples:,} samples of the batch have equal inputs.",
        "zh": "该 batch 的 {samples:,} 个样本输入完全相同。",
    },
    "one-label": {
        "en": "All samples of the batch have the same label: learning it means little.",
        "zh": "该 batch 的样本标签全部相同：能拟合说明不了什么。",
    },
    "nothing-trainable": {
        "en": "None of the {count:,} parameters of the network is trainable.",
        "zh": "网络的 {count:,} 个参数没有一个可训练。",
    },
    "no-parameters": {"en": "The network has no parameters.", "zh": "网络没有参数。"},
    "fix-gradient": {
        "en": "Follow the gradient from the loss back: stop_gradient, argmax or a conversion to integers cut it off, and a loss may not "
        "depend on the output (cg.02, cg.04, san.03).",
        "zh": "从 loss 往回检查梯度：stop_gradient、argmax、转成整数都会截断梯度，loss 也可能没有用到输出（cg.02、cg.04、san.03）。",
    },
    "fix-input": {
        "en": "Print the standard deviation of each layer's output over the batch: the input gets lost in the first layer where it is "
        "0 (san.06, san.09).",
        "zh": "打印各层输出在 batch 内的标准差，第一个为 0 的层就是输入丢失之处（san.06、san.09）。",
    },
    "fix-labels": {
        "en": "Check whether labels still belong to their samples, and what in the input distinguishes these samples (ds.02).",
        "zh": "检查标签是否仍与样本对应，以及输入中区分这些样本的信息是否丢失（ds.02）。",
    },
}
WORDS: Words = {
    **_curves.WORDS,
    "attempts": {"en": "Training on one batch, by learning rate", "zh": "在一个 batch 上训练（按学习率）"},
}
_LEARNS_NOTHING = {
    "en": "A network that cannot memorise one batch cannot learn the whole data set either.",
    "zh": "连一个 batch 都学不会的网络，也学不会整个数据集。",
}
WHY: Words = {
    "never-moved": _LEARNS_NOTHING,
    "same-output": _LEARNS_NOTHING,
    "not-finite": _LEARNS_NOTHING,
    "not-finite-at-once": _LEARNS_NOTHING,
    "stuck": _LEARNS_NOTHING,
    "nothing-trainable": _LEARNS_NOTHING,
    "conflicts": {
        "en": "Such samples pull the weights both ways; training can at best learn a mean.",
        "zh": "这样的样本会把权重往两个方向拉，训练最多只能学到平均值。",
    },
}
_AGAIN = {
    "en": "Repeat it by hand with your own training step on one batch of 16 samples: the loss must come close to 0.",
    "zh": "用自己的训练步骤在一个 16 样本的 batch 上重复训练：loss 应降到接近 0。",
}
PROOF: Words = {
    **dict.fromkeys(WHY, _AGAIN),
    "same-output": {
        "en": "Print the output for two different samples.",
        "zh": "打印两个不同样本的输出。",
    },
    "nothing-trainable": {"en": "Print net.trainable_params().", "zh": "打印 net.trainable_params()。"},
    "conflicts": {"en": "Compare the inputs of these samples.", "zh": "比较这些样本的输入。"},
}
#: Steps of an attempt that time ended after which it says something.
_ENOUGH = 100


@_live.by_phase()
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    request = {
        **_live.network_of(case),
        "samples": params.samples,
        "steps": params.steps,
        "rates": [params.rate, 10 * params.rate, params.rate / 10],
        "least": params.least,
        "seconds": params.seconds,
    }
    batch: dict[str, Any] = {}
    attempts: list[dict[str, Any]] = []
    for event in events(case, "memorizing", request, params.seconds):
        if event["event"] == "batch":
            batch = event
        elif event["event"] == "progress":
            yield Progress(event["done"], event["total"], "steps")
        elif event["event"] == "attempt":
            attempts.append(event)
    yield from judged(params, batch, attempts)


def judged(params: Params, batch: dict[str, Any], attempts: list[dict[str, Any]]) -> Iterator[Finding]:
    """What the events "batch" and "attempt" of inside/memorizing.py mean."""
    if batch and not batch["trainable"]:
        count = batch["parameters"]
        code = "nothing-trainable" if count else "no-parameters"
        level = Level.SUSPECT if count else Level.INFO
        yield Finding(code, level, data={"count": count}, incomplete=not count)
        return
    if not attempts:
        yield Finding("no-time", Level.INFO, data={"seconds": params.seconds}, incomplete=True)
        return
    data = {"samples": batch["samples"], "trainable": batch["trainable"]}
    if batch["conflicts"]:
        yield Finding("conflicts", Level.SUSPECT, data=data | {"count": batch["conflicts"]}, fix=Fix("fix-labels"))
    elif not batch["differ"]:
        yield Finding("same-inputs", Level.INFO, data=data, incomplete=True)
    if any(one.get("constant") for one in attempts):
        yield Finding("one-label", Level.INFO, data=data, incomplete=True)
    yield from _outcome(params, batch, attempts, data)


def _outcome(
    params: Params, batch: dict[str, Any], attempts: list[dict[str, Any]], data: dict[str, Any]
) -> Iterator[Finding]:
    chart = _chart(attempts)
    data |= {"rates": [f"{one['rate']:g}" for one in attempts]}
    last = attempts[-1]
    if last["end"] == "fitted":
        if len(attempts) > 1:
            yield Finding("fitted-elsewhere", Level.INFO, data={"tried": attempts[0]["rate"], "rate": last["rate"]})
        code = "fitted" if last.get("learnt") is not None else "unmeasured"
        yield Finding(code, Level.INFO, data=data | _numbers(last), evidence=chart)
        return
    if all(one["end"] == "not-finite" for one in attempts):
        steps = [len(one["losses"]) - 1 for one in attempts]
        code = "not-finite" if max(steps) else "not-finite-at-once"
        yield Finding(code, Level.PROBLEM, data=data | {"step": max(steps)}, evidence=chart)
        return
    best = max((one for one in attempts if one["end"] != "not-finite"), key=_reached)
    data |= _numbers(best)
    long = all(
        one["end"] in ("steps", "still", "same", "not-finite") or len(one["losses"]) > _ENOUGH for one in attempts
    )
    finite = [[value for value in one["losses"] if value is not None] for one in attempts]
    moved = max(max(values) - min(values) for values in finite if values)
    if data["first"] and (last["end"] == "still" or (long and moved <= 1e-6 * abs(data["first"]))):
        fix = Fix("fix-gradient")
        yield Finding("never-moved", Level.PROBLEM, data=data | {"zero": best["zero"]}, evidence=chart, fix=fix)
    elif data["learnt"] is None:
        yield Finding("unmeasured", Level.INFO, data=data, evidence=chart, incomplete=True)
    elif not long or data["learnt"] >= 0.5 or _falling(best["losses"]):
        yield Finding("slow", Level.INFO, data=data, evidence=chart, incomplete=True)
    elif data["learnt"] < params.nothing and batch["differ"] and all(_same(one, params) for one in attempts):
        yield Finding("same-output", Level.PROBLEM, data=data, evidence=chart, fix=Fix("fix-input"))
    else:
        yield Finding("stuck", Level.SUSPECT, data=data, evidence=chart)


def _reached(attempt: dict[str, Any]) -> float:
    learnt = attempt.get("learnt")
    return -1.0 if learnt is None else float(learnt)


def _same(attempt: dict[str, Any], params: Params) -> bool:
    """Whether the output is one for all samples; an attempt that diverged does not count."""
    if attempt["end"] == "not-finite":
        return True
    return attempt.get("spread") is not None and bool(attempt["spread"] <= params.constant)


def _falling(losses: list[float | None]) -> bool:
    """Whether the mean loss of the last fifth is clearly below that of the fifth before."""
    values = [value for value in losses if value is not None]
    part = max(1, len(values) // 5)
    before, after = sum(values[-2 * part : -part]) / part, sum(values[-part:]) / part
    return after < before - 0.02 * abs(values[0])


def _numbers(attempt: dict[str, Any]) -> dict[str, Any]:
    losses = [value for value in attempt["losses"] if value is not None]
    return {
        "rate": attempt["rate"],
        "steps": len(attempt["losses"]) - 1,
        "first": losses[0],
        "last": losses[-1],
        "learnt": attempt.get("learnt"),
    }


def _chart(attempts: list[dict[str, Any]]) -> list[Evidence]:
    longest = max(len(one["losses"]) for one in attempts)
    if longest < 2:
        return []
    series: dict[str, list[float | None]] = {}
    for one in attempts:
        series[f"{one['rate']:g}"] = one["losses"] + [None] * (longest - len(one["losses"]))
    return [Curve("attempts", "step", "loss", [float(step) for step in range(longest)], series)]


_NET = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self, how="", width=3):
        super().__init__()
        self.how, self.one, self.drop, self.two = how, nn.Dense(8, 64), nn.Dropout(p=0.5), nn.Dense(64, width)
        self.normal = nn.BatchNorm1d(64)

    def construct(self, x):
        if self.how == "blank":
            x = x * 0
        x = self.two(self.drop(ops.relu(self.normal(self.one(x)))))
        if self.how == "cut":
            x = ops.stop_gradient(x)
        return ops.log(x - x.max() - 1) if self.how == "log" else x

def create(values=False, doubles=False):
    random = np.random.default_rng(0)
    x, y = random.standard_normal((64, 8)).astype(np.float32), random.integers(0, 3, 64).astype(np.int32)
    if doubles:
        x[1::2] = x[::2]
    if values:
        y = random.standard_normal((64, 1)).astype(np.float32)
    return ds.NumpySlicesDataset({"x": x, "label": y}, shuffle=False).batch(64)
"""


def _example(
    name: str,
    verdict: Verdict,
    *codes: str,
    net: dict[str, Any] | None = None,
    loss: str = "CrossEntropyLoss",
    **data: Any,
) -> Example:
    case = {
        "network": {"call": "net:Net", "args": net or {}},
        "loss": {"call": f"mindspore.nn:{loss}"},
        "pipelines": {"train": {"call": "net:create", "args": data}},
    }
    return Example(name, files={"net.py": _NET}, case=case, verdict=verdict, codes=codes, params={"steps": 100})


EXAMPLES = [
    _example("classes with random labels", Verdict.OK, "fitted"),
    _example("values", Verdict.OK, "fitted", net={"width": 1}, loss="MSELoss", values=True),
    _example("an input that is overwritten", Verdict.PROBLEM, "same-output", net={"how": "blank"}),
    _example("a gradient that is cut off", Verdict.PROBLEM, "never-moved", net={"how": "cut"}),
    _example("the logarithm of negative values", Verdict.PROBLEM, "not-finite-at-once", net={"how": "log"}),
    _example("equal inputs with different labels", Verdict.UNDECIDED, "conflicts", "fitted", doubles=True),
]
