"""Follows the gradient of each parameter over the first steps of training, in the order in which layers are called.

Catches: gradients that vanish on their way to the first layer, that explode on it, that are NaN or Inf, or exactly 0 (TheDeepChecker, TOSEM
2022; AUTOTRAINER, TDSC 2024). Uses the project's loss and data, and the case's optimizer; without one the weights hardly move. Published
limits are rules of thumb, so that what passes them is suspect, and a problem only what is NaN, Inf or 0 in all weights. Cannot tell:
what later steps bring, clipping in the training script, and mixed precision that the script sets; gradients are those of the loss itself,
without a loss scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Curve, Evidence, Finding, Fix, Kind, Level, Plain, Progress, Verdict, Where
from ..probe import Example
from . import _checkpoints, _gradient_limits, _live
from ._checkpoints import shown, table

KIND = Kind.LIVE
OWN_TRAINING = True
NEEDS = _live.needs("network", "pipelines.train")


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    vanishing: _gradient_limits.Vanishing = _gradient_limits.VANISHING
    small: _gradient_limits.Small = _gradient_limits.SMALL
    exploding: Annotated[
        float,
        Meta(
            gt=1,
            description="a first layer whose gradient has more than so many times the norm of the last one's is suspect",
            extra={"unit": "1", "source": "AUTOTRAINER, TDSC 2024: 70"},
        ),
    ] = _gradient_limits.EXPLODING
    large: _gradient_limits.Large = _gradient_limits.LARGE
    steps: Annotated[
        int,
        Meta(
            ge=2,
            le=1000,
            description="steps; what lies before a layer that starts at zero gets its gradient from the second on",
            extra={"unit": "steps", "source": "own choice"},
        ),
    ] = 5
    seconds: _live.Seconds = 120.0


MESSAGES: Words = {
    "not-finite-first": {
        "en": "On the first batch, before any update, the {count:gradient|gradients} of {count:,} "
        "{count:parameter is|parameters are} NaN or Inf: {names}.",
        "zh": "在第一个 batch 上、尚未更新时，就有 {count:,} 个参数的梯度为 NaN 或 Inf：{names}。",
    },
    "not-finite": {
        "en": "In step {step:,} the {count:gradient|gradients} of {count:,} {count:parameter|parameters} became NaN or Inf: {names}.",
        "zh": "第 {step:,} 步有 {count:,} 个参数的梯度变为 NaN 或 Inf：{names}。",
    },
    "all-zero": {
        "en": "The {count:gradient|gradients} of all {count:,} {count:parameter is|parameters are} exactly 0 in each of "
        "{steps:,} steps: nothing is learned.",
        "zh": "全部 {count:,} 个参数的梯度在 {steps:,} 步中始终恰为 0：网络学不到任何内容。",
    },
    "zero": {
        "en": "The {count:gradient|gradients} of {count:,} of {all:,} parameters {count:is|are} exactly 0 in each of {steps:,} "
        "steps: {names}. {count:It has|They have} no part in the loss, units before {count:it|them} are dead, or the "
        "gradient is cut off (cg.02, cg.03).",
        "zh": "{all:,} 个参数中有 {count:,} 个的梯度在 {steps:,} 步中始终恰为 0：{names}。它们没有参与 loss 的计算、相关单元失活，"
        "或梯度被截断（cg.02、cg.03）。",
    },
    "vanishing": {
        "en": "The gradient vanishes on its way to the first layer: norm {first:.2g} in {first_name}, {last:.2g} in {last_name}, a ratio "
        "of {ratio:.2g}.",
        "zh": "梯度在传到第一层的途中消失：{first_name} 的范数为 {first:.2g}，{last_name} 为 {last:.2g}，比值 {ratio:.2g}。",
    },
    "exploding": {
        "en": "The gradient grows on its way to the first layer: norm {first:.2g} in {first_name}, {last:.2g} in {last_name}, "
        "{ratio:.3g} times as much.",
        "zh": "梯度在传到第一层的途中爆炸：{first_name} 的范数为 {first:.2g}，{last_name} 为 {last:.2g}，是后者的 {ratio:.3g} 倍。",
    },
    "large": {
        "en": "The {count:gradient|gradients} of {count:,} {count:parameter has|parameters have} a norm above {limit:g}: {names}.",
        "zh": "有 {count:,} 个参数的梯度范数大于 {limit:g}：{names}。",
    },
    "few-steps": {
        "en": "Within {seconds:g} s only {steps:,} {steps:step was|steps were} completed, too few to know which gradients stay 0.",
        "zh": "{seconds:g} 秒内只完成了 {steps:,} 步，不足以判断哪些梯度始终为 0。",
    },
    "no-parameters": {
        "en": "The network has no parameter to train.",
        "zh": "网络没有可训练的参数。",
    },
    "examined": {
        "en": "Gradients of {all:,} {all:parameter|parameters} over {steps:,} {steps:step|steps} that this probe trained; norms of the "
        "weights' gradients {low:.2g} to {high:.2g}.",
        "zh": "本探针训练的 {steps:,} 步内 {all:,} 个参数的梯度；权重梯度的范数为 {low:.2g} 至 {high:.2g}。",
    },
    "fix-first": {
        "en": "Check the batch for NaN, and the network for logarithms, roots and divisions of 0 (mp.01).",
        "zh": "检查该 batch 是否含 NaN，以及网络中对 0 的对数、开方和除法（mp.01）。",
    },
    "fix-vanishing": {
        "en": "Add normalisation or residual connections, use ReLU instead of Sigmoid and Tanh, LSTM or GRU for sequences; check the "
        "initialisers.",
        "zh": "加归一化层或残差连接，用 ReLU 代替 Sigmoid、Tanh，序列用 LSTM 或 GRU，并检查初始化。",
    },
    "fix-exploding": {
        "en": "Clip by ops.clip_by_global_norm, add normalisations, a warm-up; see initialisers and the scale of inputs and targets.",
        "zh": "用 ops.clip_by_global_norm 裁剪，加归一化层和预热，并检查初始化以及输入、目标值的量级。",
    },
}
_STILL = {
    "en": "Layers with almost no gradient stay as initialised, and the layers after them learn on random features.",
    "zh": "几乎得不到梯度的层停留在初始值，其后的层只能在随机特征上学习。",
}
_WILD = {
    "en": "Updates follow few huge gradients: weights jump, and the loss swings or becomes NaN.",
    "zh": "更新被少数极大的梯度主导，权重跳变，loss 震荡或变为 NaN。",
}
WHY: Words = {
    **dict.fromkeys(("all-zero", "zero", "vanishing"), _STILL),
    **dict.fromkeys(("not-finite-first", "not-finite", "exploding", "large"), _WILD),
}
_BY_NORM = {
    "en": "Print the norm of each gradient in the training itself over some hundred steps, or use accucheck.Recorder.",
    "zh": "在实际训练中打印几百步内各参数的梯度范数，或使用 accucheck.Recorder 记录。",
}
PROOF: Words = dict.fromkeys(WHY, _BY_NORM)
WORDS: Words = {
    "norms": {"en": "Gradients in the order of layers", "zh": "按层序的梯度"},
    "by-layer": {"en": "Norm of the weights' gradients by layer", "zh": "各层权重的梯度范数"},
    "name": _checkpoints.WORDS["name"],
    "shape": _checkpoints.WORDS["shape"],
    "first-step": {"en": "first step", "zh": "第一步"},
    "last-step": {"en": "last step", "zh": "最后一步"},
    "median": {"en": "Median", "zh": "中位数"},
    "layer": {"en": "layer, as called", "zh": "层（按调用顺序）"},
    "norm": {"en": "norm of the gradient", "zh": "梯度范数"},
}


@_live.by_phase()
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    request = {
        **_live.network_of(case),
        **{"watch": "gradients", "steps": params.steps, "seconds": params.seconds},
    }
    weights: dict[str, Any] = {"names": [], "shapes": [], "called": []}
    steps: list[list[float | None]] = []
    for event in events(case, "watched", request, params.seconds):
        if event["event"] == "progress":
            yield Progress(event["done"], event["total"], "steps")
        elif event["event"] == "weights":
            weights = event
        elif event["event"] == "step":
            steps.append(event["norms"])
    if len(steps) < 2:
        data: dict[str, Any] = {"seconds": params.seconds, "steps": len(steps)}
        yield Finding("few-steps", Level.INFO, data=data, incomplete=True)
    if steps and not weights["names"]:
        yield Finding("no-parameters", Level.INFO, incomplete=True)
    elif steps:
        yield from _judge(params, weights, steps)


def _judge(params: Params, weights: dict[str, Any], steps: list[list[float | None]]) -> Iterator[Finding]:
    names: list[str] = weights["names"]
    columns = list(zip(*steps, strict=True))
    evidence: list[Evidence] = [_table(weights, columns)]
    layers = [place for place, shape in enumerate(weights["shapes"]) if len(shape) > 1 and weights["called"][place]]
    if len(layers) > 1:
        evidence.append(_chart(steps, layers))

    def told(code: str, level: Level, some: list[int], fix: str, **data: Any) -> Finding:
        data |= {"count": len(some), "names": shown(names[place] for place in some), "steps": len(columns[0])}
        return Finding(code, level, Where(name=names[some[0]]), data | {"all": len(names)}, evidence, Fix(fix))

    bad = next((number for number, norms in enumerate(steps, start=1) if None in norms), None)
    if bad is not None:
        some = [place for place, norm in enumerate(steps[bad - 1]) if norm is None]
        if bad == 1:
            yield told("not-finite-first", Level.PROBLEM, some, "fix-first", step=bad)
            return
        yield told("not-finite", Level.SUSPECT, some, "fix-exploding", step=bad)
        columns = [column[: bad - 1] for column in columns]
    zero = [place for place, column in enumerate(columns) if not any(column)]
    several = len(columns[0]) > 1
    if several and len(zero) == len(columns):
        yield told("all-zero", Level.PROBLEM, zero, "fix-vanishing")
        return
    if several and zero:
        # Some are so by design, as the backward direction of a recurrent layer of which the last step alone is used.
        yield told("zero", Level.SUSPECT if 2 * len(zero) > len(columns) else Level.INFO, zero, "fix-vanishing")
    middle = [median(norm or 0.0 for norm in column) for column in columns]
    large = [place for place, norm in enumerate(middle) if norm > params.large]
    if large:
        yield told("large", Level.SUSPECT, large, "fix-exploding", limit=params.large)
    ends = [place for place in layers if place not in zero]
    if len(ends) > 1:
        yield from _across(params, names, middle, ends, evidence)
    shown_norms = [middle[place] for place in layers] or middle
    data = {"all": len(names), "steps": len(columns[0]), "low": min(shown_norms), "high": max(shown_norms)}
    yield Finding("examined", Level.INFO, data=data, evidence=evidence)


def _across(
    params: Params, names: list[str], middle: list[float], layers: list[int], evidence: list[Evidence]
) -> Iterator[Finding]:
    """The gradient of the first layer against that of the last one."""
    first, last = middle[layers[0]], middle[layers[-1]]
    if not last:
        return
    ratio = first / last
    data: dict[str, Any] = {"first": first, "last": last, "ratio": ratio}
    data |= {"first_name": names[layers[0]], "last_name": names[layers[-1]]}
    where = Where(name=names[layers[0]])
    if ratio < params.vanishing and first < params.small:
        yield Finding("vanishing", Level.SUSPECT, where, data, evidence, Fix("fix-vanishing"))
    elif ratio > params.exploding:
        yield Finding("exploding", Level.SUSPECT, where, data, evidence, Fix("fix-exploding"))


def _table(weights: dict[str, Any], columns: list[tuple[float | None, ...]]) -> Evidence:
    rows: list[list[Plain]] = []
    for name, shape, column in zip(weights["names"], weights["shapes"], columns, strict=True):
        found = [norm for norm in column if norm is not None]
        size = "×".join(map(str, shape)) or "-"
        rows.append([name, size, column[0], column[-1], median(found) if found else None])
    return table("norms", ["name", "shape", "first-step", "last-step", "median"], rows)


def _chart(steps: list[list[float | None]], layers: list[int]) -> Curve:
    series = {"first-step": steps[0], "last-step": steps[-1]}
    return Curve(
        "by-layer",
        "layer",
        "norm",
        [float(number) for number in range(1, len(layers) + 1)],
        {name: [norms[place] or None for place in layers] for name, norms in series.items()},
    )


_NET = """
import numpy as np
import mindspore.dataset as ds
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self, depth=3, act="ReLU", unused=False):
        super().__init__()
        self.first, self.head = nn.Dense(8, 32), nn.Dense(32, 2)
        self.unused = nn.Dense(8, 2) if unused else None
        self.layers = nn.SequentialCell([nn.SequentialCell([nn.Dense(32, 32), getattr(nn, act)()]) for _ in range(depth)])

    def construct(self, x):
        return {output}

def data():
    random = np.random.default_rng(0)
    x = random.standard_normal((128, 8)).astype(np.float32)
    return ds.NumpySlicesDataset({"x": x, "label": (x[:, 0] > 0).astype(np.int32)}, shuffle=False).batch(32)
"""
_OUTPUT = "self.head(self.layers(self.first(x)))"


def _example(name: str, verdict: Verdict, *codes: str, output: str = _OUTPUT, **args: Any) -> Example:
    case = {
        "network": {"call": "net:Net", "args": args},
        "loss": {"call": "mindspore.nn:CrossEntropyLoss"},
        "pipelines": {"train": {"call": "net:data"}},
    }
    return Example(name, files={"net.py": _NET.replace("{output}", output)}, case=case, verdict=verdict, codes=codes)


_SHARP = "self.head(ops.sin(1000 * self.first(x)))"
EXAMPLES = [
    _example("a few layers", Verdict.OK, "examined"),
    _example("eight layers of Sigmoid", Verdict.UNDECIDED, "vanishing", depth=8, act="Sigmoid"),
    _example(
        "a factor of 1000 within a function that is bounded", Verdict.UNDECIDED, "exploding", output=_SHARP, depth=0
    ),
    _example("a layer without a use", Verdict.OK, "zero", unused=True),
    _example(
        "most layers cut off",
        Verdict.UNDECIDED,
        "zero",
        output=_OUTPUT.replace("self.head(", "self.head(ops.stop_gradient(") + ")",
    ),
    _example(
        "a root of zero", Verdict.PROBLEM, "not-finite-first", output="self.head(ops.sqrt(0 * self.first(x)))", depth=0
    ),
    _example("outputs that are cut off", Verdict.PROBLEM, "all-zero", output=f"ops.stop_gradient({_OUTPUT})"),
]
