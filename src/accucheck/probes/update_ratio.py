"""Trains for some steps with the project's own optimizer, loss and data, and sets each step's updates against the weights.

Update ratio = mean |change of a step| / mean |weight|, of each tensor of two dimensions and more; usually 1e-4 to 1e-1
(TheDeepChecker, TOSEM 2022; the watchpoints of MindSpore Insight). The weights count as they were before the first step, since a rate
that is too high makes them grow, which would hide it. Rows that did not move in a step, such as words that did not occur,
are left out, and so are weights that start at zero. Told as suspect, since published limits are rules of thumb; a problem only where
weights are replaced at each step. A rate that is still to rise (warm-up) is taken at its later height for what is too small. Cannot
tell: clipping, a schedule and a mixed precision that the training script applies outside the optimizer; where the optimizer divides by
a loss scale, gradients are multiplied by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import median
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Curve, Evidence, Finding, Fix, Kind, Level, Plain, Progress, Verdict
from ..probe import Example
from . import _checkpoints, _live
from ._checkpoints import shown, table

KIND = Kind.LIVE
OWN_TRAINING = True
NEEDS = _live.needs("network", "optimizer", "pipelines.train")


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    most: Annotated[
        float,
        Meta(
            gt=0,
            description="a larger update ratio of most weights is suspect",
            extra={"unit": "1", "source": "TheDeepChecker, TOSEM 2022; MindSpore Insight's watchpoint: 0.1"},
        ),
    ] = 0.1
    replaced: Annotated[
        float,
        Meta(
            gt=0,
            description="a larger one of most weights is a problem",
            extra={"unit": "1", "source": "the value that MindSpore Insight recommends for its watchpoint: 1"},
        ),
    ] = 1.0
    least: Annotated[
        float,
        Meta(
            gt=0,
            description="a smaller one of most weights is suspect",
            extra={"unit": "1", "source": "TheDeepChecker, TOSEM 2022; MindSpore Insight's watchpoint: 1e-4"},
        ),
    ] = 1e-4
    steps: Annotated[
        int,
        Meta(ge=5, le=10_000, description="steps; the median counts", extra={"unit": "steps", "source": "own choice"}),
    ] = 20
    seconds: _live.Seconds = 120.0


MESSAGES: Words = {
    **_live.LACKS,
    "replaced": {
        "en": "{count:,} of {all:,} weights change by more than {limit:g} times their own size in a step (median of {steps:,} steps: "
        "{middle:.2g}): each step overwrites what training has learned.",
        "zh": "{all:,} 个权重中有 {count:,} 个每步的更新量超过自身大小的 {limit:g} 倍（{steps:,} 步的中位数：{middle:.2g}）："
        "每一步都在覆盖已学到的内容。",
    },
    "too-large": {
        "en": "{count:,} of {all:,} weights have an update ratio above {limit:g} (median of {steps:,} steps: {middle:.2g}): the "
        "learning rate is high for them, or their initial values are small.",
        "zh": "{all:,} 个权重中有 {count:,} 个的更新比大于 {limit:g}（{steps:,} 步的中位数：{middle:.2g}）：学习率偏大，或初始权重偏小。",
    },
    "too-small": {
        "en": "{count:,} of {all:,} weights have an update ratio below {limit:g} (median of {steps:,} steps: {middle:.2g}{height}): they "
        "hardly move.",
        "zh": "{all:,} 个权重中有 {count:,} 个的更新比小于 {limit:g}（{steps:,} 步的中位数：{middle:.2g}{height}）：权重几乎不动。",
    },
    "some-large": {
        "en": "{count:,} of {all:,} weights have an update ratio above {limit:g}: {names}.",
        "zh": "{all:,} 个权重中有 {count:,} 个的更新比大于 {limit:g}：{names}。",
    },
    "some-small": {
        "en": "{count:,} of {all:,} weights have an update ratio below {limit:g}: {names}.",
        "zh": "{all:,} 个权重中有 {count:,} 个的更新比小于 {limit:g}：{names}。",
    },
    "schedule-unknown": {
        "en": "The learning rate follows a schedule whose later rates could not be computed: small updates may be due to a warm-up.",
        "zh": "学习率随调度变化，其后续取值无法计算：更新偏小可能只是预热。",
    },
    "not-finite": {
        "en": "Updates or weights became NaN or Inf in step {step:,}: {names}.",
        "zh": "第 {step:,} 步的更新或权重出现 NaN 或 Inf：{names}。",
    },
    "started-at-zero": {
        "en": "{count:,} {count:weight starts|weights start} at zero and {count:has|have} no ratio: {names}.",
        "zh": "有 {count:,} 个权重从 0 开始，没有更新比：{names}。",
    },
    "loss-scale": {
        "en": "The optimizer divides gradients by a loss scale of {scale:g}; they were multiplied by it, as the training is to do.",
        "zh": "优化器会把梯度除以 loss scale {scale:g}；这里已按训练应有的做法先乘以该值。",
    },
    "no-weights": {
        "en": "The optimizer holds no weight of two dimensions and more that does not start at zero.",
        "zh": "优化器中没有二维及以上且初始值非零的权重。",
    },
    "few-steps": {
        "en": "Within {seconds:g} s only {steps:,} steps were completed, too few to judge.",
        "zh": "{seconds:g} 秒内只完成了 {steps:,} 步，不足以判断。",
    },
    "examined": {
        "en": "Update ratios of {all:,} weights over {steps:,} steps that this probe trained: {low:.2g} to {high:.2g}, median "
        "{middle:.2g}.",
        "zh": "{all:,} 个权重在本探针训练的 {steps:,} 步内的更新比：{low:.2g} 至 {high:.2g}，中位数 {middle:.2g}。",
    },
    "fix-lower": {
        "en": "Lower the learning rate (hp.01), add a warm-up or clipping, and see the initialisers of these weights.",
        "zh": "降低学习率（hp.01），加预热或梯度裁剪，并检查这些权重的初始化。",
    },
    "fix-higher": {
        "en": "Raise the learning rate (hp.01); see loss_scale, weight decay and vanishing gradients (san.09).",
        "zh": "提高学习率（hp.01），并检查 loss_scale、权重衰减和梯度消失（san.09）。",
    },
}
_TOO_LARGE = {
    "en": "Steps that are large relative to the weights overshoot the minimum: the loss oscillates or diverges.",
    "zh": "相对权重过大的更新会越过最优点，loss 震荡甚至发散。",
}
WHY: Words = {
    "replaced": _TOO_LARGE,
    "too-large": _TOO_LARGE,
    "too-small": {
        "en": "Weights that hardly move learn nothing in the available time.",
        "zh": "权重几乎不动，在规定的训练时间内学不到内容。",
    },
}
_BY_RATE = {
    "en": "Train at some rates around the present one, or run accucheck lr-range --live, and compare the losses.",
    "zh": "用当前值附近的几个学习率训练，或运行 accucheck lr-range --live，比较 loss。",
}
PROOF: Words = dict.fromkeys(WHY, _BY_RATE)
WORDS: Words = {
    "ratios": {"en": "Update ratios, largest first", "zh": "更新比，从大到小"},
    "by-step": {"en": "Update ratios by step", "zh": "各步的更新比"},
    "name": _checkpoints.WORDS["name"],
    "shape": _checkpoints.WORDS["shape"],
    "median": {"en": "Median", "zh": "中位数"},
    "lowest": {"en": "Lowest", "zh": "最小"},
    "highest": {"en": "Highest", "zh": "最大"},
    "step": {"en": "step", "zh": "step"},
    "ratio": {"en": "update ratio", "zh": "更新比"},
}

#: Fewer steps tell nothing: an optimizer with moments takes some to settle.
_FEWEST = 5


@_live.by_phase("optimizer")
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    request = {
        **_live.network_of(case),
        **{"watch": "updates", "steps": params.steps, "seconds": params.seconds},
    }
    steps: list[list[float | None]] = []
    last: dict[str, dict[str, Any]] = {}
    for event in events(case, "watched", request, params.seconds):
        last[event["event"]] = event
        if event["event"] == "progress":
            yield Progress(event["done"], event["total"], "steps")
        elif event["event"] == "step":
            steps.append(event["ratios"])
    weights = last.get("weights", {"names": [], "shapes": [], "zero": []})
    rises = last.get("schedule", {}).get("rises")
    scale = last.get("over", {}).get("loss_scale", 1)
    if scale != 1:
        yield Finding("loss-scale", Level.INFO, data={"scale": scale})
    if weights["zero"]:
        data: dict[str, Any] = {"count": len(weights["zero"]), "names": shown(weights["zero"])}
        yield Finding("started-at-zero", Level.INFO, data=data)
    bad = next((number for number, ratios in enumerate(steps, start=1) if None in ratios), None)
    if bad is not None:
        names = [name for name, ratio in zip(weights["names"], steps[bad - 1], strict=True) if ratio is None]
        yield Finding("not-finite", Level.SUSPECT, data={"step": bad, "names": shown(names)})
        steps = steps[: bad - 1]
    if len(steps) < _FEWEST:
        data = {"seconds": params.seconds, "steps": len(steps)}
        if bad is None:
            yield Finding("few-steps", Level.INFO, data=data, incomplete=True)
    elif not weights["names"]:
        yield Finding("no-weights", Level.INFO, incomplete=True)
    else:
        yield from judge(params, weights, steps, rises)


def _median(ratios: Iterable[float | None]) -> float:
    return median(ratio for ratio in ratios if ratio is not None)


def judge(
    params: Params, weights: dict[str, Any], steps: list[list[float | None]], rises: float | None
) -> Iterator[Finding]:
    """What ratios by step and weight amount to; `rises`: how many times higher the rate will be, None where that is not known."""
    ratios = [_median(column) for column in zip(*steps, strict=True)]
    order = sorted(range(len(ratios)), key=ratios.__getitem__, reverse=True)
    evidence: list[Evidence] = [_table(weights, steps, ratios, order), _chart(steps)]
    later = max(rises or 1.0, 1.0)
    large = [place for place in order if ratios[place] > params.most]
    small = [place for place in reversed(order) if ratios[place] * later < params.least]
    common: dict[str, Any] = {"all": len(ratios), "steps": len(steps), "middle": median(ratios)}

    def told(code: str, level: Level, some: list[int], limit: float, fix: str | None = None, **data: Any) -> Finding:
        names = shown(weights["names"][place] for place in some)
        data |= common | {"count": len(some), "limit": limit, "names": names}
        return Finding(code, level, data=data, evidence=evidence if fix else [], fix=Fix(fix) if fix else None)

    replaced = [place for place in large if ratios[place] > params.replaced]
    if 2 * len(replaced) > len(ratios):
        yield told("replaced", Level.PROBLEM, replaced, params.replaced, "fix-lower")
    elif 2 * len(large) > len(ratios):
        yield told("too-large", Level.SUSPECT, large, params.most, "fix-lower")
    elif large:
        yield told("some-large", Level.INFO, large, params.most)
    if small and rises is None:
        yield Finding("schedule-unknown", Level.INFO, incomplete=True)
    elif 2 * len(small) > len(ratios):
        height = {"en": f"; the rate rises {later:.3g} times later", "zh": f"；学习率之后会升高到 {later:.3g} 倍"}
        data = {"height": height if later > 1 else ""}
        yield told("too-small", Level.SUSPECT, small, params.least, "fix-higher", **data)
    elif small:
        yield told("some-small", Level.INFO, small, params.least)
    data = common | {"low": min(ratios), "high": max(ratios)}
    yield Finding("examined", Level.INFO, data=data, evidence=evidence)


def _table(weights: dict[str, Any], steps: list[list[float | None]], ratios: list[float], order: list[int]) -> Evidence:
    rows: list[list[Plain]] = []
    for place in order:
        column = [ratios[place] for ratios in steps]
        found = [ratio for ratio in column if ratio is not None]
        shape = "×".join(map(str, weights["shapes"][place]))
        rows.append([weights["names"][place], shape, ratios[place], min(found), max(found)])
    return table("ratios", ["name", "shape", "median", "lowest", "highest"], rows)


def _chart(steps: list[list[float | None]]) -> Curve:
    found = [[ratio for ratio in ratios if ratio is not None] for ratios in steps]
    series: dict[str, list[float | None]] = {
        "highest": [max(ratios) for ratios in found],
        "median": [median(ratios) for ratios in found],
        "lowest": [min(ratios) for ratios in found],
    }
    return Curve("by-step", "step", "ratio", [float(step) for step in range(1, len(steps) + 1)], series)


_NET = """
import numpy as np
import mindspore.dataset as ds
from mindspore import nn

def net():
    return nn.SequentialCell([nn.Dense(8, 32), nn.ReLU(), nn.Dense(32, 32), nn.ReLU(), nn.Dense(32, 2)])

def data():
    random = np.random.default_rng(0)
    x = random.standard_normal((128, 8)).astype(np.float32)
    return ds.NumpySlicesDataset({"x": x, "label": (x[:, 0] > 0).astype(np.int32)}, shuffle=False).batch(32)

def warm_up(params):
    return nn.Adam(params, [1e-3 * min(1, step / 10_000) for step in range(20_000)])
"""


def _example(name: str, optimizer: str, verdict: Verdict, *codes: str, **args: Any) -> Example:
    case = {
        "network": {"call": "net:net"},
        "loss": {"call": "mindspore.nn:CrossEntropyLoss"},
        "optimizer": {"call": optimizer, "args": args},
        "pipelines": {"train": {"call": "net:data"}},
    }
    return Example(name, files={"net.py": _NET}, case=case, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("Adam at 1e-3", "mindspore.nn:Adam", Verdict.OK, "examined", learning_rate=1e-3),
    _example("a long warm-up", "net:warm_up", Verdict.OK),
    _example("Adam at 0.03", "mindspore.nn:Adam", Verdict.UNDECIDED, "too-large", learning_rate=0.03),
    _example("Adam at 10", "mindspore.nn:Adam", Verdict.PROBLEM, "replaced", learning_rate=10.0),
    _example("a rate of 1e-6", "mindspore.nn:Adam", Verdict.UNDECIDED, "too-small", learning_rate=1e-6),
]
