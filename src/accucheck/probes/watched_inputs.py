"""Judges the range and scale of what networks of a watched run were given, in training and in inference.

The first layers with a matrix of weights tell it too: what the network itself scales, or normalises first, is in order. Catches pictures
and features an order of magnitude outside [-1, 1], pictures that were scaled down too often or lie far off zero, and inputs of inference
on another scale than those of training. Integers are not judged unless a layer with weights gets them as floating point. Cannot tell
features that differ in scale from each other: ranges are those of a whole tensor.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Table, Verdict, Where
from ..probe import Example, Skip
from . import _watched, input_statistics
from ._watched import Watch

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True):
    about: Annotated[
        str,
        Meta(
            pattern="^(training|inference)$",
            description="whether inputs of training are judged, or those of inference against them",
            extra={"unit": "word", "source": "the items dp.01 and dp.02"},
        ),
    ] = "training"
    reach: Annotated[
        float,
        Meta(
            gt=1,
            description="an input is out of range when its root mean square is this large",
            extra={"unit": "1", "source": "MindSpore's accuracy guide: an order of magnitude outside [-1, 1]"},
        ),
    ] = 10.0
    tiny: Annotated[
        float,
        Meta(
            gt=0,
            description="a picture whose values all stay below this, or lie closer together, was scaled down too often",
            extra={"unit": "1", "source": "own choice; pixels divided by 255 twice are below 0.004"},
        ),
    ] = 0.02
    ratio: Annotated[
        float,
        Meta(
            gt=1,
            description="from this ratio of standard deviations on, training and inference are on different scales",
            extra={"unit": "ratio", "source": "MindSpore's accuracy guide: an order of magnitude"},
        ),
    ] = 10.0
    perhaps: Annotated[
        float,
        Meta(
            gt=1,
            description="and from this one on perhaps",
            extra={"unit": "ratio", "source": "own choice: pixels of 0 to 1 against normalised ones differ by 4"},
        ),
    ] = 3.0
    again: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="from this share on, samples of evaluation that were trained with are no chance",
            extra={
                "unit": "1",
                "source": "own choice: the watched steps may have seen a part of the training data only",
            },
        ),
    ] = 0.5
    shift: Annotated[
        float,
        Meta(
            gt=0,
            description="means of inference and training this many standard deviations of training apart are perhaps on different scales",
            extra={
                "unit": "standard deviations",
                "source": "own choice: pixels whose mean is not subtracted lie about 2 apart",
            },
        ),
    ] = 1.0
    tints: Annotated[
        float,
        Meta(
            gt=0,
            description="means of channels that differ by more than this from those in the other order tell the order",
            extra={"unit": "standard deviations", "source": "own choice: about half of what photographs have, 0.3"},
        ),
    ] = 0.15
    alone: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="samples whose means, and whose standard deviations, lie closer together were standardised each by itself",
            extra={
                "unit": "standard deviations",
                "source": "own choice: 0 but for rounding and a small number in the divisor",
            },
        ),
    ] = 0.005
    varied: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="samples whose means lie further apart than this were not",
            extra={
                "unit": "standard deviations",
                "source": "own choice: about half of what handwritten digits have, 0.1",
            },
        ),
    ] = 0.05
    targets: Annotated[
        float,
        Meta(
            gt=0,
            description="targets whose means lie this many standard deviations of training apart are on different scales",
            extra={
                "unit": "standard deviations",
                "source": "own choice: beyond what any target of the training reaches",
            },
        ),
    ] = 5.0


MESSAGES: Words = {
    "targets-differ": {
        "en": "Evaluation targets have a mean of {mean:.4g} and a standard deviation of {std:.4g}, training targets {trained_mean:.4g} "
        "and {trained:.4g}; in evaluation the network's outputs have a mean of {gave:.4g}.",
        "zh": "评估所比较的目标值均值为 {mean:.4g}、标准差为 {std:.4g}，训练时为 {trained_mean:.4g} 和 {trained:.4g}；"
        "评估时网络输出的均值为 {gave:.4g}。",
    },
    "out-of-range": {
        "en": "{input} of shape {shape} has values of {low:.4g} to {high:.4g} (mean {mean:.4g}, standard deviation {std:.4g}) in {steps:,} "
        "{steps:step|steps}, an order of magnitude outside [-1, 1].",
        "zh": "{input}（形状 {shape}）在 {steps:,} 步中取值为 {low:.4g} 到 {high:.4g}（均值 {mean:.4g}，标准差 {std:.4g}），"
        "超出 [-1, 1] 一个数量级以上。",
    },
    "too-small": {
        "en": "{input} of shape {shape} is next to zero: its values stay within {low:.4g} and {high:.4g}, as if scaled down twice.",
        "zh": "{input}（形状 {shape}）接近 0：取值仅在 {low:.4g} 到 {high:.4g} 之间，像是重复缩小了两次。",
    },
    "off-centre": {
        "en": "{input} of shape {shape} lies off zero and hardly varies: mean {mean:.4g}, standard deviation {std:.4g}. Mean and std of "
        "the normalisation may be meant for other values.",
        "zh": "{input}（形状 {shape}）偏离 0 且几乎不变：均值 {mean:.4g}，标准差 {std:.4g}。"
        "归一化所用的 mean、std 可能是按另一取值范围给出的。",
    },
    "channels-turned": {
        "en": "In inference the three channels of {input} seem to be in reverse order (BGR instead of RGB or vice versa): their means "
        "are {channels}, in training {trained_channels}.",
        "zh": "推理时 {input} 的三个通道似乎与训练时顺序相反（如 BGR 与 RGB）：各通道均值为 {channels}，训练时为 {trained_channels}。",
    },
    "channels-shifted": {
        "en": "The means of the three channels of {input} are {channels} in inference and {trained_channels} in training: they differ "
        "by up to {shift:.2f} standard deviations.",
        "zh": "推理时 {input} 三个通道的均值为 {channels}，训练时为 {trained_channels}：最多相差 {shift:.2f} 个标准差。",
    },
    "standardised-alone": {
        "en": "In {alone}, each sample of {input} is standardised with its own mean and standard deviation; in {varied} it is not: "
        "there the means of samples vary by {spread:.2f} standard deviations.",
        "zh": "{alone}时{input}的每个样本都按自身的均值和标准差做标准化，{varied}时则没有：各样本均值的离散程度为 {spread:.2f} 个标准差。",
    },
    "in-range": {
        "en": "{input} of shape {shape}: {low:.4g} to {high:.4g}, mean {mean:.4g}, standard deviation {std:.4g} in {steps:,} "
        "{steps:step|steps}.",
        "zh": "{input}（形状 {shape}）：取值 {low:.4g} 到 {high:.4g}，均值 {mean:.4g}，标准差 {std:.4g}（{steps:,} 步）。",
    },
    "network-scales": {
        "en": "{input} of shape {shape} has values of {low:.4g} to {high:.4g}, but {layer}, the first layer with a weight matrix, gets "
        "a mean of {mean:.4g} and a standard deviation of {std:.4g}: the network scales the input itself.",
        "zh": "{input}（形状 {shape}）取值为 {low:.4g} 到 {high:.4g}，但首个含权重矩阵的层 {layer} 得到的均值为 {mean:.4g}，"
        "标准差为 {std:.4g}：网络自身做了缩放。",
    },
    "other-scale": {
        "en": "In inference {input} has a standard deviation of {std:.4g} (mean {mean:.4g}), in training {trained:.4g} (mean "
        "{trained_mean:.4g}): they are on different scales.",
        "zh": "推理时{input}的标准差为 {std:.4g}（均值 {mean:.4g}），训练时为 {trained:.4g}（均值 {trained_mean:.4g}）：二者尺度不同。",
    },
    "same-rows": {
        "en": "{same:,} of {rows:,} samples that the network was evaluated with are samples that it was trained with before.",
        "zh": "网络评估所用的 {rows:,} 个样本中，有 {same:,} 个就是此前训练用过的样本。",
    },
    "same-scale": {
        "en": "In inference {input} has a mean of {mean:.4g} and a standard deviation of {std:.4g}, in training {trained_mean:.4g} and "
        "{trained:.4g} ({rows:,} samples of inference).",
        "zh": "推理时{input}的均值为 {mean:.4g}、标准差为 {std:.4g}，训练时为 {trained_mean:.4g} 和 {trained:.4g}"
        "（推理样本 {rows:,} 个）。",
    },
    "no-float": {
        "en": "The networks of the watched run have no multi-dimensional floating-point input: ids need no normalisation.",
        "zh": "所观察的运行中，网络没有多维浮点输入：整数编号无需归一化。",
    },
    "no-inference": {
        "en": "No inference with a floating-point input of a network that was trained was watched. Watch with --steps 0, to the end.",
        "zh": "没有观察到已训练网络使用浮点输入的推理。请用 --steps 0 观察到结束。",
    },
    "fix-normalise": input_statistics.MESSAGES["fix-normalise"],
    "fix-split": {
        "en": "Evaluate with data that the training never reads; see the paths and the bounds of both parts.",
        "zh": "评估应使用训练从不读取的数据；请检查两部分数据的路径和范围。",
    },
    "fix-targets": {
        "en": "Scale evaluation targets as in training, or convert the outputs back to the original units before comparing.",
        "zh": "评估的目标值使用与训练相同的缩放，或先把输出还原到原来的单位再比较。",
    },
    "fix-channels": {
        "en": "Use one channel order for both: OpenCV reads BGR, Pillow and MindSpore's Decode read RGB.",
        "zh": "统一通道顺序：OpenCV 读入为 BGR，Pillow 和 MindSpore 的 Decode 读入为 RGB。",
    },
    "fix-alike": {
        "en": "Give inference the same scaling, mean and std as training.",
        "zh": "推理应使用与训练相同的缩放、mean 和 std。",
    },
}
WORDS: Words = {
    "ranges": {"en": "What networks were given", "zh": "网络得到的输入"},
    **{name: input_statistics.WORDS[name] for name in ("input", "low", "high", "mean", "std")},
    "pass": {"en": "pass", "zh": "过程"},
    "training": {"en": "training", "zh": "训练"},
    "inference": {"en": "inference", "zh": "推理"},
}
WHY: Words = {
    "same-rows": {
        "en": "The metric then measures what the network memorised, not what it learned; overfitting goes unnoticed.",
        "zh": "这样得到的指标反映的是记忆而非所学，过拟合无法显现。",
    },
    **dict.fromkeys(("out-of-range", "off-centre", "too-small"), input_statistics.WHY["out-of-range"]),
    "targets-differ": {
        "en": "The metric measures the difference between two units and says nothing about the network.",
        "zh": "这样得到的指标只是两种单位之差，与网络的好坏无关。",
    },
    "channels-turned": {
        "en": "Filters that learned to respond to red see blue: accuracy in inference drops by several points, and more where colour "
        "matters.",
        "zh": "学会识别红色的卷积核看到的是蓝色：推理精度会下降若干个百分点，颜色越重要下降越多。",
    },
    "channels-shifted": {
        "en": "In inference the network sees colours that it was never trained on: accuracy drops, often by many points.",
        "zh": "网络在推理时看到的颜色是训练中从未出现过的：推理精度会下降，往往下降很多。",
    },
    "standardised-alone": {
        "en": "The difference between bright and dark samples is kept on one side and removed on the other: the network sees values "
        "that it was never trained on.",
        "zh": "样本之间的明暗差别在一方保留、在另一方被消去：网络遇到的取值是从未学过的。",
    },
    "other-scale": {
        "en": "In inference the network sees inputs that it was never trained on: accuracy there is not that of training.",
        "zh": "网络在推理时遇到的是从未学过的取值，精度与训练时不同。",
    },
}
PROOF: Words = {
    "same-rows": {
        "en": "Compare digests of samples of both data sets.",
        "zh": "比较两个数据集样本的摘要。",
    },
    **dict.fromkeys(("out-of-range", "off-centre", "too-small"), input_statistics.PROOF["out-of-range"]),
    "targets-differ": {
        "en": "Print some targets of both data sets beside the outputs of the network.",
        "zh": "对照打印两个数据集的若干目标值和网络的输出。",
    },
    "channels-turned": {
        "en": "Run one picture through both pipelines and compare channel by channel.",
        "zh": "让同一张图片分别经过两种处理，逐通道比较。",
    },
    "channels-shifted": {
        "en": "Run one picture through both pipelines and compare channel by channel.",
        "zh": "让同一张图片分别经过两种处理，逐通道比较。",
    },
    "standardised-alone": {
        "en": "Run one sample through both pipelines: the values must be equal.",
        "zh": "让同一样本分别经过两种处理：结果应完全相同。",
    },
    "other-scale": {
        "en": "Run the network on a training sample through both ways of processing: the outputs must be equal.",
        "zh": "让同一训练样本分别经过两种处理后输入网络：输出应一致。",
    },
}
#: An evaluation comes once in so many steps at most; a teacher, or a target network, runs in each.
_SELDOM = 3
#: Up to this ratio of standard deviations, and as large a part of one between the means, inputs are scaled alike.
_SAME = 1.25
#: Samples of inference without which their spread says nothing; dimensions of batches of pictures, and of rows of features.
_FEWEST = 16
#: Pictures of inference without which the means of their channels say nothing.
_PICTURES = 32
_PICTURE, _TABLE = 4, 2
#: Operations of the framework that change the scale of values; and how a recording writes a function of the user's, or several in one.
_SCALING = {"Normalize", "NormalizePad", "Rescale", "ToTensor"}
_OWN = re.compile(r"\(\S+:\d+\)$|^(Compose|RandomApply|RandomChoice|RandomSelectSubpolicy)\(")


class Range(NamedTuple):
    """One input over the passes that were looked at: numbers of all its elements, and samples."""

    shape: list[int]
    low: float
    high: float
    mean: float
    std: float
    steps: int
    rows: int
    #: The mean of each channel of pictures (N, 3, H, W); nothing for other inputs.
    channels: tuple[float, ...] = ()
    #: How far the means, and the standard deviations, of samples lie apart, in standard deviations of all values: the largest of a pass.
    spread: tuple[float, ...] = ()

    def data(self) -> dict[str, Any]:
        shown = "(" + ", ".join(str(size) for size in self.shape) + ")"
        numbers = {"low": self.low, "high": self.high, "mean": self.mean, "std": self.std}
        return {"shape": shown, **numbers, "steps": self.steps, "rows": self.rows}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    inference = params.about == "inference"
    watches = _watched.of_case(case, samples=inference)
    yield Progress(1, 1, "files")
    watch = watches[0]
    trained = _passes(watch, training=True)
    found = list(_inferred(watch, trained, params) if inference else _trained(watch, trained, params))
    if inference:
        found = [*_evaluated_again(watch, params), *found, *_targets(watch, trained, params)]
    if not found:
        raise Skip("no-inference" if inference else "no-float")
    yield from found


def _passes(watch: Watch, *, training: bool) -> dict[int, list[dict[str, Any]]]:
    """The passes that were looked at, by the number of their network."""
    found: dict[int, list[dict[str, Any]]] = {}
    for one in watch.facts("pass"):
        networks = one.get("networks") or []
        if one.get("training") is training and networks:
            found.setdefault(watch.owners.get(networks[0], networks[0]), []).append(one)
    return found


def _trained(watch: Watch, passes: dict[int, list[dict[str, Any]]], params: Params) -> Iterator[Finding]:
    for number, seen in sorted(passes.items()):
        where = _place(watch, number)
        inputs = _inputs(seen)
        entry, layer = _entry(seen)
        for place, held in sorted(inputs.items()):
            if len(held.shape) < 2:
                continue
            yield _of_input(where, place, held, _scaled(held, entry), layer, params)
        if entry is not None and not inputs and len(entry.shape) >= _TABLE:
            yield _of_input(where, 0, entry, None, layer, params)


def _place(watch: Watch, number: int) -> Where:
    return watch.where(watch.network_place(number))


def _source(watch: Watch, data: Any, network: int) -> Where:
    """Where the data set that a pass read from was made; without one, where its network is defined."""
    made = (one for one in watch.facts("origin") if one.get("of") == "dataset" and one.get("number") == data)
    place = next(made, {}).get("place")
    return watch.where(place) if place else _place(watch, network)


def _inputs(passes: list[dict[str, Any]]) -> dict[int, Range]:
    """The floating-point inputs of a network, by their place among its arguments."""
    count = max((len(one.get("given", [])) for one in passes), default=0)
    found = {}
    for place in range(count):
        held = _range([one["given"][place] for one in passes if len(one.get("given", [])) > place])
        if held is not None:
            found[place] = held
    return found


def _entry(passes: list[dict[str, Any]]) -> tuple[Range | None, str]:
    """What the first layer with a matrix of weights is given as floating point, and its name."""
    for name, _, _ in passes[0].get("entries", []):
        stats = [entry[2][0] for one in passes for entry in one.get("entries", []) if entry[0] == name and entry[2]]
        held = _range(stats)
        if held is not None:
            return held, str(name)
    return None, ""


def _range(stats: list[dict[str, Any]]) -> Range | None:
    """One tensor over several passes; None where it is not floating point, or has no finite numbers."""
    told = [one for one in stats if str(one.get("type", "")).startswith("float") and _finite(one)]
    if not told:
        return None
    mean = sum(one["mean"] for one in told) / len(told)
    squares = sum(one["std"] ** 2 + (one["mean"] - mean) ** 2 for one in told) / len(told)
    low, high = min(one["low"] for one in told), max(one["high"] for one in told)
    rows = sum(one["shape"][0] if one["shape"] else 0 for one in told)
    return Range(told[0]["shape"], low, high, mean, math.sqrt(squares), len(told), rows, _channels(told), _spread(told))


def _channels(told: list[dict[str, Any]]) -> tuple[float, ...]:
    """The mean of each channel over all passes; nothing where a pass does not tell."""
    known = [one.get("channels") or () for one in told]
    if not all(len(one) == 3 and all(isinstance(mean, (int, float)) for mean in one) for one in known):
        return ()
    return tuple(sum(one[place] for one in known) / len(known) for place in range(3))


def _spread(told: list[dict[str, Any]]) -> tuple[float, ...]:
    """How far samples lie apart in the pass where they do most; nothing where a pass does not tell."""
    known = [one.get("spread") or () for one in told]
    if not all(len(one) == 2 and all(isinstance(value, (int, float)) for value in one) for one in known):
        return ()
    return tuple(max(one[place] for one in known) for place in range(2))


def _finite(one: dict[str, Any]) -> bool:
    return all(isinstance(one.get(name), (int, float)) for name in ("low", "high", "mean", "std"))


def _scaled(held: Range, entry: Range | None) -> Range | None:
    """What the first layer is given where that is not the input itself."""
    if entry is None or (abs(entry.low - held.low) + abs(entry.high - held.high)) <= 1e-3 * (held.high - held.low):
        return None
    return entry


def _of_input(where: Where, place: int, held: Range, scaled: Range | None, layer: str, params: Params) -> Finding:
    data: dict[str, Any] = {"input": _named(place), **held.data()}
    evidence: list[Evidence] = [_table([("training", held)])]
    large = math.hypot(held.mean, held.std) >= params.reach
    if scaled is not None and (large or len(held.shape) == _PICTURE):
        seen = {**data, "layer": layer, "mean": scaled.mean, "std": scaled.std}
        if math.hypot(scaled.mean, scaled.std) < params.reach:
            return Finding("network-scales", Level.INFO, where, seen, evidence)
    if large:
        level = Level.PROBLEM if len(held.shape) in (_PICTURE, _TABLE) else Level.SUSPECT
        return Finding("out-of-range", level, where, data, evidence, Fix("fix-normalise"))
    if len(held.shape) == _PICTURE and 0 < max(abs(held.low), abs(held.high)) < params.tiny:
        return Finding("too-small", Level.SUSPECT, where, data, evidence, Fix("fix-normalise"))
    far = abs(held.mean) > 1 or 0 < held.high - held.low < params.tiny
    if len(held.shape) == _PICTURE and far and abs(held.mean) > params.reach * held.std:
        return Finding("off-centre", Level.SUSPECT, where, data, evidence, Fix("fix-normalise"))
    refutes = [Refutes("input_normalization", input_statistics.UNSCALED)] if len(held.shape) == _PICTURE else []
    return Finding("in-range", Level.INFO, where, data, evidence, refutes=refutes)


def _inferred(watch: Watch, trained: dict[int, list[dict[str, Any]]], params: Params) -> Iterator[Finding]:
    """The inputs of inference against those of the same network in training."""
    alike = _processed_alike(watch)
    for number, seen in sorted(_passes(watch, training=False).items()):
        known = _inputs(trained.get(number, []))
        for place, held in sorted(_inputs(seen).items()):
            own = known.get(place)
            if own is None or held.rows < _FEWEST or not own.std or not _alike(held, own):
                continue
            data: dict[str, Any] = {"input": _named(place), **held.data()}
            data |= {"trained": own.std, "trained_mean": own.mean}
            evidence: list[Evidence] = [_table([("training", own), ("inference", held)])]
            ratio = max(held.std / own.std, own.std / max(held.std, 1e-12))
            where = _source(watch, seen[0].get("data"), number)
            if ratio >= params.ratio:
                yield Finding("other-scale", Level.PROBLEM, where, data, evidence, Fix("fix-alike"))
            elif ratio >= params.perhaps or abs(held.mean - own.mean) >= params.shift * own.std:
                yield Finding("other-scale", Level.SUSPECT, where, data, evidence, Fix("fix-alike"))
            elif _turned(held, own, params):
                told = data | _channel_means(held, own)
                yield Finding("channels-turned", Level.SUSPECT, where, told, evidence, Fix("fix-channels"))
            elif (shift := _channel_shift(held, own)) >= params.shift:
                told = data | _channel_means(held, own) | {"shift": shift}
                yield Finding("channels-shifted", Level.SUSPECT, where, told, evidence, Fix("fix-alike"))
            elif alone := _standardised_in_one(held, own, params):
                yield Finding("standardised-alone", Level.SUSPECT, where, data | alone, evidence, Fix("fix-alike"))
            else:
                yield Finding("same-scale", Level.INFO, where, data, evidence, refutes=_same(held, own, ratio, alike))


def _tell_channels(held: Range, own: Range) -> bool:
    """Whether the means of channels are known of both, and of enough pictures."""
    return bool(held.channels and own.channels) and held.rows >= _PICTURES


def _turned(held: Range, own: Range, params: Params) -> bool:
    """Whether the means of three channels are those of training in the other order, and far from those in the same order."""
    if not _tell_channels(held, own):
        return False
    one, other = _off_mean(held.channels), _off_mean(own.channels)
    asymmetry = math.dist(other, other[::-1])
    return asymmetry > params.tints * own.std and math.dist(one, other[::-1]) < 0.5 * math.dist(one, other)


def _channel_shift(held: Range, own: Range) -> float:
    """How far the mean of a channel lies from that of training at most, in standard deviations of the whole input of training."""
    if not _tell_channels(held, own):
        return 0.0
    return max(abs(one - other) for one, other in zip(held.channels, own.channels, strict=True)) / own.std


def _standardised_in_one(held: Range, own: Range, params: Params) -> dict[str, Any]:
    """In which of the two each sample has the same mean and standard deviation, where the means differ in the other; nothing otherwise."""
    if not (held.spread and own.spread):
        return {}
    for alone, one, varied, other in (("inference", held, "training", own), ("training", own, "inference", held)):
        if max(one.spread) < params.alone and other.spread[0] > params.varied:
            return {"alone": {**WORDS[alone]}, "varied": {**WORDS[varied]}, "spread": other.spread[0]}
    return {}


def _channel_means(held: Range, own: Range) -> dict[str, str]:
    return {"channels": _shown(held.channels), "trained_channels": _shown(own.channels)}


def _off_mean(channels: tuple[float, ...]) -> list[float]:
    mean = sum(channels) / len(channels)
    return [one - mean for one in channels]


def _shown(channels: tuple[float, ...]) -> str:
    return ", ".join(f"{one:.3g}" for one in channels)


def _processed_alike(watch: Watch) -> bool:
    """Whether all data sets bring values to a scale by the same operations of the framework, and by nothing else."""
    scaled: list[list[str]] = []
    for fact in watch.facts("dataset"):
        told = [str(one) for node in fact.get("nodes") or () for one in node.get("operations") or ()]
        if any(_OWN.search(one) for one in told):
            return False
        scaled.append([one for one in told if one.partition("(")[0] in _SCALING])
    return len(scaled) > 1 and bool(scaled[0]) and all(one == scaled[0] for one in scaled)


def _same(held: Range, own: Range, ratio: float, alike: bool) -> list[Refutes]:
    """What reading the scripts says of inputs that differ between training and inference, and that these prove wrong."""
    codes = ["size-differs", "slice-differs"] if held.shape[1:] == own.shape[1:] else []
    if ratio < _SAME and abs(held.mean - own.mean) < (_SAME - 1) * own.std:
        codes += ["normalised-in-one", "scale-differs", *(["constants-differ"] if alike else [])]
    return [Refutes("train_infer_transforms", codes)] if codes else []


def _evaluated_again(watch: Watch, params: Params) -> Iterator[Finding]:
    """Evaluations of nothing but samples that were trained with before; one of them alone may be meant to tell the training accuracy."""
    passes = [one for one in watch.facts("pass") if one.get("training") is False and one.get("samples")]
    passes = _without_trained_batches(watch, passes)
    if len({one["step"] for one in passes}) * _SELDOM > watch.steps:
        return
    shares = _trained_before(watch, passes)
    if None in shares or any(len(one) < _FEWEST or sum(one) < params.again * len(one) for one in shares.values()):
        return
    by_place: dict[Where, list[bool]] = {}  # a data set may be made anew for each evaluation
    for number, known in shares.items():
        by_place.setdefault(_source(watch, number, -1), []).extend(known)
    for where, known in by_place.items():
        data = {"same": sum(known), "rows": len(known)}
        yield Finding("same-rows", Level.SUSPECT, where, data, fix=Fix("fix-split"))


def _trained_before(watch: Watch, passes: list[dict[str, Any]]) -> dict[Any, list[bool]]:
    """Of each sample of passes of inference, by the number of its data set, whether it was trained with before."""
    first: dict[Any, int] = {}
    for step, batch in watch.run.samples:
        for row in batch:
            first.setdefault(row, step)
    found: dict[Any, list[bool]] = {}
    for one in passes:
        known = [first.get(row, one["step"] + 1) <= one["step"] for row in one["samples"]]
        found.setdefault(one.get("data"), []).extend(known)
    return found


def _without_trained_batches(watch: Watch, passes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Passes but for those of one batch that a step has just learned from, as of a line that prints the loss: these evaluate nothing."""
    learned = {one.get("data") for one in watch.facts("pass") if one.get("training")}
    batches = {step: set(batch) for step, batch in watch.run.samples}
    together = Counter(one["step"] for one in passes)

    def is_trained_batch(one: dict[str, Any]) -> bool:
        alone = together[one["step"]] == 1 and one.get("data") in learned
        return alone and set(one["samples"]) <= batches.get(one["step"], set())

    return [one for one in passes if not is_trained_batch(one)]


def _targets(watch: Watch, trained: dict[int, list[dict[str, Any]]], params: Params) -> Iterator[Finding]:
    """The targets of an evaluation that computes its loss itself, against those of training of the same network."""
    for number, seen in sorted(_passes(watch, training=False).items()):
        own, held = _target(trained.get(number, [])), _target(seen)
        gave = None if held is None else _given_back(seen, held)
        if own is None or held is None or gave is None or held.rows < _FEWEST or not own.std:
            continue
        apart = abs(held.mean - own.mean) >= params.targets * own.std or held.std >= params.ratio * own.std
        back = abs(gave.mean - held.mean) <= params.shift * max(held.std, gave.std)
        if apart and not back:
            data = {"mean": held.mean, "std": held.std, "trained": own.std, "trained_mean": own.mean, "gave": gave.mean}
            evidence: list[Evidence] = [_table([("training", own), ("inference", held)])]
            where = _source(watch, seen[0].get("data"), number)
            yield Finding("targets-differ", Level.SUSPECT, where, dict(data), evidence, Fix("fix-targets"))


def _target(passes: list[dict[str, Any]]) -> Range | None:
    """The one floating-point tensor that a pass is given and its network is not, which outputs are compared with."""
    rest = [[held for held in one.get("batch") or () if held not in (one.get("given") or ())] for one in passes]
    return _range([one[0] for one in rest]) if rest and all(len(one) == 1 for one in rest) else None


def _given_back(passes: list[dict[str, Any]], target: Range) -> Range | None:
    """What the network gives in passes, where that has the shape of its target."""
    calls = [call for one in passes for call in one.get("calls") or () if call[0] == ""]
    found = _range([call[3][0] for call in calls if call[3]])
    return found if found is not None and found.shape[1:] == target.shape[1:] else None


def _alike(one: Range, other: Range) -> bool:
    return len(one.shape) == len(other.shape) >= _TABLE


def _named(place: int) -> dict[str, str]:
    return {"en": f"input {place + 1} of the network", "zh": f"网络的第 {place + 1} 个输入"}


def _table(ranges: list[tuple[str, Range]]) -> Table:
    rows: list[list[Plain]] = [[name, one.low, one.high, one.mean, one.std] for name, one in ranges]
    return Table("ranges", ["pass", "low", "high", "mean", "std"], rows)


def _stats(mean: float, std: float, shape: tuple[int, ...] = (32, 1, 8, 8)) -> dict[str, Any]:
    numbers = {"low": mean - 2 * std, "high": mean + 2 * std, "mean": mean, "std": std}
    return {"shape": list(shape), "type": "float32", **numbers}


def _example(
    name: str,
    verdict: Verdict,
    codes: str | tuple[str, ...],
    given: Any,
    entry: Any = None,
    inference: Any = None,
    samples: tuple[str, ...] = (),
    targets: tuple[Any, Any] | None = None,
    source: int = 1,
    **params: Any,
) -> Example:
    """`targets`: those of training and of inference, where the network gives around 0; `source`: the data set of inference."""
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    network = {
        "fact": "network",
        "number": 0,
        "class": "net.Net",
        "defined": ["net.py", 12],
        "cells": [],
        "parameters": [],
    }
    layers = [["stem", "mindspore.nn.layer.conv.Conv2d", [entry or given]]]
    told = {"fact": "pass", "step": 1, "networks": [0], "data": 0, "batch": [], "calls": []}
    told["calls"] = [["", "net.Net", True, [_stats(0.0, 0.3, (32, 1))]]] if targets else []
    batches: list[dict[str, Any]] = [{"batch": [given, one]} for one in targets or ()] or [{}, {}]
    lines = [head, network, {**told, "training": True, "given": [given], "entries": layers, **batches[0]}]
    if inference is not None:
        trained = [f"a{number}" for number in range(32)]
        lines += [
            {"step": step, "epoch": step, "loss": 1.0, "seconds": 0.1, "samples": trained} for step in range(1, 4)
        ]
        more = {"given": [inference], "entries": [], "data": source, "samples": list(samples), **batches[1]}
        lines.append({**told, "training": False, **more})
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(
        name,
        files=files,
        case={"watched": "watch"},
        verdict=verdict,
        codes=tuple([codes] if isinstance(codes, str) else codes),
        params=params,
    )


def _colours(*channels: float) -> dict[str, Any]:
    """Pictures with these means of channels."""
    return {**_stats(sum(channels) / 3, 0.5, (32, 3, 8, 8)), "channels": [*channels]}


_NORMAL = _stats(0.01, 0.99)
_STANDARDISED = {**_NORMAL, "spread": [0.0, 0.0001]}
EXAMPLES = [
    _example("normalised pictures", Verdict.OK, "in-range", _NORMAL),
    _example("divided by the std of other units", Verdict.PROBLEM, "out-of-range", _stats(209.0, 258.0)),
    _example("pixels that the network scales", Verdict.OK, "network-scales", _stats(120.0, 70.0), entry=_NORMAL),
    _example("divided by 255 twice", Verdict.UNDECIDED, "too-small", _stats(0.002, 0.001)),
    _example("far off zero", Verdict.UNDECIDED, "off-centre", _stats(-2.1, 0.01)),
    _example("statistics of pixels for values up to 1", Verdict.UNDECIDED, "off-centre", _stats(-0.81, 0.003)),
    _example("a sequence of large numbers", Verdict.UNDECIDED, "out-of-range", _stats(40.0, 9.0, (32, 50, 4))),
    _example("inference alike", Verdict.OK, "same-scale", _NORMAL, inference=_stats(0.05, 0.9), about="inference"),
    _example(
        "pixels in inference", Verdict.PROBLEM, "other-scale", _NORMAL, inference=_stats(120.0, 70.0), about="inference"
    ),
    _example(
        "not normalised in inference",
        Verdict.UNDECIDED,
        "other-scale",
        _NORMAL,
        inference=_stats(0.4, 0.25),
        about="inference",
    ),
    _example(
        "an evaluation of samples that were trained with",
        Verdict.UNDECIDED,
        ("same-rows", "same-scale"),
        _NORMAL,
        inference=_NORMAL,
        samples=tuple(f"a{number}" for number in range(32)),
        about="inference",
    ),
    _example(
        "the batch of a step, run once more",
        Verdict.OK,
        "same-scale",
        _NORMAL,
        inference=_NORMAL,
        source=0,
        samples=tuple(f"a{number}" for number in range(32)),
        about="inference",
    ),
    _example(
        "an evaluation of other samples",
        Verdict.OK,
        "same-scale",
        _NORMAL,
        inference=_NORMAL,
        samples=tuple(f"b{number}" for number in range(32)),
        about="inference",
    ),
    _example(
        "targets that are scaled in training alone",
        Verdict.UNDECIDED,
        ("same-scale", "targets-differ"),
        _NORMAL,
        inference=_NORMAL,
        targets=(_stats(0.1, 1.0, (32, 1)), _stats(240.0, 70.0, (32, 1))),
        about="inference",
    ),
    _example(
        "targets alike",
        Verdict.OK,
        "same-scale",
        _NORMAL,
        inference=_NORMAL,
        targets=(_stats(0.1, 1.0, (32, 1)), _stats(-0.2, 1.1, (32, 1))),
        about="inference",
    ),
    _example(
        *("channels in the other order in inference", Verdict.UNDECIDED, "channels-turned", _colours(0.1, 0.0, -0.1)),
        inference=_colours(-0.08, 0.01, 0.11),
        about="inference",
    ),
    _example(
        *(
            "constants of other channels in inference",
            Verdict.UNDECIDED,
            "channels-shifted",
            _colours(0.01, 0.0, -0.02),
        ),
        inference=_colours(0.7, 0.0, -0.71),
        about="inference",
    ),
    _example(
        *("each sample standardised by itself in inference", Verdict.UNDECIDED, "standardised-alone"),
        {**_NORMAL, "spread": [0.3, 0.2]},
        inference=_STANDARDISED,
        about="inference",
    ),
    _example(
        *("each sample standardised by itself in both", Verdict.OK, "same-scale", _STANDARDISED),
        inference=_STANDARDISED,
        about="inference",
    ),
    _example(
        *("channels in the same order", Verdict.OK, "same-scale", _colours(0.1, 0.0, -0.1)),
        inference=_colours(0.03, 0.0, -0.01),
        about="inference",
    ),
    _example(
        "the mean not subtracted in inference",
        Verdict.UNDECIDED,
        "other-scale",
        _NORMAL,
        inference=_stats(2.1, 0.99),
        about="inference",
    ),
]
