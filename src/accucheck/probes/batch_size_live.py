"""Measures the gradient noise scale: about how many samples a batch needs before more of them hardly speed a training up.

McCandlish et al. 2018, appendix A: the gradients of single batches against the gradient of several together give the variance of the
gradients of samples, tr(S), and the square of the true gradient, |G|²; the noise scale is tr(S) / |G|². Taken of the network as built, and
with checkpoints.current loaded where the case gives it. Advice only: it predicts speed and not how well a training generalises, it grows
while a network learns, and it wants batches that are drawn at random. Never a problem and never ok.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict
from ..probe import Example
from . import _live

KIND = Kind.LIVE
NEEDS = _live.needs("network", "pipelines.train")
USES = ("checkpoints.current",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    group: Annotated[
        int,
        Meta(
            ge=2,
            le=64,
            description="batches whose gradients are taken together",
            extra={"unit": "batches", "source": "own choice"},
        ),
    ] = 4
    groups: Annotated[
        int,
        Meta(ge=4, le=1000, description="such groups, at most", extra={"unit": "groups", "source": "own choice"}),
    ] = 25
    far: Annotated[
        float,
        Meta(
            gt=1,
            description="a batch so many times larger or smaller than the noise scale is told as such",
            extra={
                "unit": "1",
                "source": "McCandlish et al. 2018, eq. 2.8: at 4 times the scale a step is worth 80 % of the best one",
            },
        ),
    ] = 4.0
    seconds: Annotated[
        float,
        Meta(gt=0, description="time for all gradients", extra={"unit": "s", "source": "own choice"}),
    ] = 120.0


_STAGES = {
    "built": {"en": "as built", "zh": "刚构建时"},
    "current": {"en": "with checkpoints.current", "zh": "加载 checkpoints.current 后"},
}
_SCALE = (
    "The gradient noise scale, {stage}, is about {scale:,.3g} samples ({low:,.3g} to {high:,.3g}; {batches:,} batches of {size:,})",
    "梯度噪声尺度（{stage}）约为 {scale:,.3g} 个样本（{low:,.3g} 到 {high:,.3g}；{batches:,} 个 batch，每个 {size:,} 个样本）",
)
MESSAGES: Words = {
    "far-above": {
        "en": _SCALE[0]
        + ": a batch of {size:,} is far above it, and a smaller one would lose little speed for each step.",
        "zh": _SCALE[1] + "：batch 大小 {size:,} 远大于它，改小后每一步的进展几乎不变。",
    },
    "far-below": {
        "en": _SCALE[0] + ": with a batch of {size:,}, a larger one would take fewer steps nearly in proportion.",
        "zh": _SCALE[1] + "：batch 大小为 {size:,}，增大后所需步数几乎成比例减少。",
    },
    "near": {
        "en": _SCALE[0] + ", of the order of the batch of {size:,}.",
        "zh": _SCALE[1] + "，与 batch 大小 {size:,} 同一数量级。",
    },
    "at-least": {
        "en": "The gradient noise scale, {stage}, is {low:,.3g} samples or more: {batches:,} batches of {size:,} are too few to "
        "separate the gradient from its noise.",
        "zh": "梯度噪声尺度（{stage}）不小于 {low:,.3g} 个样本：{batches:,} 个大小为 {size:,} 的 batch 还不足以从噪声中分辨出梯度。",
    },
    "no-noise": {
        "en": "The gradients of all {batches:,} batches, {stage}, are the same or 0: no noise scale can be determined.",
        "zh": "全部 {batches:,} 个 batch 的梯度（{stage}）相同或为 0，无法得出噪声尺度。",
    },
    "cancelling": {
        "en": "The gradients of the {batches:,} batches, {stage}, cancel each other: such batches are not drawn at random (for "
        "example, when classes alternate), and no noise scale can be determined.",
        "zh": "{batches:,} 个 batch 的梯度（{stage}）相互抵消：这样的 batch 不是随机抽取的（例如各类别轮流出现），无法得出噪声尺度。",
    },
    "not-finite": {
        "en": "The gradients, {stage}, hold NaN or Inf.",
        "zh": "梯度（{stage}）中含有 NaN 或 Inf。",
    },
    "too-few": {
        "en": "The noise scale needs {least:,} groups of {group:,} full batches within the time; there were {count:,}.",
        "zh": "计算噪声尺度需要在时限内得到 {least:,} 组、每组 {group:,} 个完整的 batch，实际为 {count:,} 组。",
    },
    "speed-only": {
        "en": "The noise scale predicts speed and not generalisation, and grows while a network learns; with batches that are not drawn at "
        "random it means nothing.",
        "zh": "噪声尺度只预测训练速度，不预测泛化效果，且会随训练增大；如果 batch 不是随机抽取的，它没有意义。",
    },
}
WORDS: Words = {}
#: Groups without which an interval says nothing.
_LEAST = 4


def suggest(findings: Iterable[Finding]) -> Verdict:
    """Advice decides nothing."""
    return Verdict.UNDECIDED


@_live.by_phase()
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises UserError when the checkpoint is not a file."""
    from ..live.child import events

    request = {**_live.network_of(case, _live.checkpoint_of(case)), "group": params.group, "groups": params.groups}
    told = seen = False
    for event in events(case, "gradient_noise", {**request, "seconds": params.seconds}, params.seconds):
        if event["event"] == "progress":
            yield Progress(params.group * event["done"], None, "steps")
        elif event["event"] == "noise":
            found, seen = judged(params, event), True
            told |= found.code in ("far-above", "far-below", "near", "at-least")
            yield found
    if told:
        yield Finding("speed-only", Level.INFO)
    elif not seen:
        yield Finding("too-few", Level.INFO, data={"least": _LEAST, "group": params.group, "count": 0}, incomplete=True)


def noise_scale(size: int, group: int, sums: list[list[float]]) -> tuple[float, float]:
    """tr(S) and |G|² of groups of `group` batches of `size` samples: each a row of mean |g|² and |mean of g|².

    Unbiased, each averaged by itself; |G|² may come out below 0 where noise prevails.
    """
    small, large = (sum(column) / len(sums) for column in zip(*sums, strict=True))
    big = group * size
    return (small - large) / (1 / size - 1 / big), (big * large - size * small) / (big - size)


def judged(params: Params, event: dict[str, Any]) -> Finding:
    """What one event "noise" of inside/gradient_noise.py means."""
    sums, size = event["groups"], event["size"]
    count = len(sums)
    data: dict[str, Any] = {"stage": _STAGES[event["stage"]], "size": size, "batches": count * params.group}
    if not all(math.isfinite(value) for row in sums for value in row):
        return Finding("not-finite", Level.INFO, data=data, incomplete=True)
    if count < _LEAST:
        data |= {"least": _LEAST, "group": params.group, "count": count}
        return Finding("too-few", Level.INFO, data=data, incomplete=True)
    variance, square = noise_scale(size, params.group, sums)
    if variance <= 0:
        return Finding("no-noise", Level.INFO, data=data)
    # The inverse |G|² / tr(S) is finite where noise prevails: its spread by leaving out one group at a time (jackknife).
    without = [noise_scale(size, params.group, sums[:out] + sums[out + 1 :]) for out in range(count)]
    inverse = [above / below if below > 0 else 0.0 for below, above in without]
    mean = sum(inverse) / count
    error = 2 * math.sqrt((count - 1) / count * sum((one - mean) ** 2 for one in inverse))
    value = square / variance
    if value + error <= 0:  # less is left of the gradients together than noise alone would leave
        return Finding("cancelling", Level.INFO, data=data)
    data["low"] = 1 / (value + error)
    if value - error <= 0:
        return Finding("at-least", Level.INFO, data=data)
    data |= {"scale": 1 / value, "high": 1 / (value - error)}
    code = "near"
    if size > params.far * data["high"]:
        code = "far-above"
    elif params.far * size < data["low"]:
        code = "far-below"
    return Finding(code, Level.INFO, data=data)


_NET = """
import numpy as np
import mindspore.dataset as ds
from mindspore import nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 1, weight_init="zeros")

    def construct(self, x):
        return self.fc(x)

def create(rows=2048, noise=0.1, batch=64):
    random = np.random.default_rng(0)
    x = random.standard_normal((rows, 8)).astype(np.float32)
    y = x.sum(1, keepdims=True) + noise * random.standard_normal((rows, 1))
    return ds.NumpySlicesDataset({"x": x, "label": y.astype(np.float32)}, shuffle=False).batch(batch)
"""


def _example(name: str, *codes: str, **data: Any) -> Example:
    case = {
        "network": {"call": "net:Net"},
        "loss": {"call": "mindspore.nn:MSELoss"},
        "pipelines": {"train": {"call": "net:create", "args": data}},
    }
    return Example(name, files={"net.py": _NET}, case=case, verdict=Verdict.UNDECIDED, codes=codes)


EXAMPLES = [
    _example("a batch of the order of the noise scale", "near", "speed-only", batch=16),
    _example("a batch far above the noise scale", "far-above", rows=16384, batch=512),
    _example("labels that are nearly all noise", "at-least", noise=100.0),
    _example("few batches", "too-few", rows=300),
]
