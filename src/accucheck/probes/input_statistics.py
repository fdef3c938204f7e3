"""Reads batches of the project's own training pipeline and judges the range and scale of what enters the network.

Catches: floating-point inputs an order of magnitude outside [-1, 1], features of one table on different scales, NaN and
infinite values, channels that are constant, values that were scaled down too often or are far off zero. Labels, masks, boxes,
ids and integer inputs are not judged. Cannot tell: what the network itself does to its inputs, unless the training script
shows it; and which column is the label where neither the case nor a name says so: it is then taken to be the last.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import UserError
from ..language import Words
from ..model import Evidence, Finding, Fix, Histogram, Kind, Level, Plain, Progress, Refutes, Table, Verdict, Where
from ..probe import Example
from . import _live

KIND = Kind.LIVE
NEEDS: tuple[str | tuple[str, ...], ...] = ("pipelines.train",)


class Params(msgspec.Struct, frozen=True):
    samples: Annotated[
        int, Meta(ge=1, description="samples read", extra={"unit": "samples", "source": "own choice"})
    ] = 2000
    seconds: Annotated[
        float, Meta(gt=0, description="time for reading", extra={"unit": "s", "source": "own choice"})
    ] = 30.0
    reach: Annotated[
        float,
        Meta(
            gt=1,
            description="values are out of range when 1 in 100 of a channel is this far from zero",
            extra={"unit": "1", "source": "MindSpore's accuracy guide: an order of magnitude outside [-1, 1]"},
        ),
    ] = 10.0
    ratio: Annotated[
        float,
        Meta(
            gt=1,
            description="features of one table differ in scale from this ratio of their root mean squares on",
            extra={"unit": "ratio", "source": "MindSpore's accuracy guide: an order of magnitude"},
        ),
    ] = 10.0
    tiny: Annotated[
        float,
        Meta(
            gt=0,
            description="a picture whose values all stay below this was scaled down too often",
            extra={"unit": "1", "source": "own choice; pixels divided by 255 twice are below 0.004"},
        ),
    ] = 0.02


#: What the scripts seem to say of an input that comes out of the pipeline on a common scale.
UNSCALED = ["raw", "raw-perhaps", "features-raw", "unit-statistics", "pixel-statistics", "scaled-twice"]
UNSCALED += ["only-in-evaluation"]
MESSAGES: Words = {
    "not-finite": {
        "en": "{nan:,} NaN and {inf:,} infinite values among the {count:,} that enter the network.",
        "zh": "进入网络的 {count:,} 个数值中有 {nan:,} 个 NaN、{inf:,} 个无穷大。",
    },
    "out-of-range": {
        "en": "{input} enters the network with values of {low:.4g} to {high:.4g} (mean {mean:.4g}, standard deviation {std:.4g}), "
        "an order of magnitude outside [-1, 1].",
        "zh": "{input} 进入网络时取值为 {low:.4g} 到 {high:.4g}（均值 {mean:.4g}，标准差 {std:.4g}），超出 [-1, 1] 一个数量级以上。",
    },
    "values-large": {
        "en": "{input} enters the network with values of {low:.4g} to {high:.4g} (mean {mean:.4g}, standard deviation {std:.4g}); "
        "whether that is intended cannot be determined from its shape {shape}.",
        "zh": "{input} 进入网络时取值为 {low:.4g} 到 {high:.4g}（均值 {mean:.4g}，标准差 {std:.4g}）；"
        "仅凭形状 {shape} 无法判断是否有意如此。",
    },
    "scales-differ": {
        "en": "The features of {input} are on different scales: {largest} has a root mean square of {most:.4g}, {smallest} of "
        "{least:.4g}, {ratio:,.0f} times less.",
        "zh": "{input} 的各特征尺度不一：{largest} 的均方根为 {most:.4g}，{smallest} 为 {least:.4g}，相差 {ratio:,.0f} 倍。",
    },
    "small-features": {
        "en": "{count:,} {count:feature|features} of {input} {count:is|are} far smaller than the others: {smallest} "
        "has a root mean square of {least:.4g}, "
        "{largest} of {most:.4g}.",
        "zh": "{input} 中有 {count:,} 个特征远小于其他特征：{smallest} 的均方根为 {least:.4g}，{largest} 为 {most:.4g}。",
    },
    "constant-channel": {
        "en": "Channels without variation in all {samples:,} samples (value in brackets): {names}.",
        "zh": "以下通道在全部 {samples:,} 个样本中取值不变（括号内为取值）：{names}。",
    },
    "constant-input": {
        "en": "{input} has the same value, {low:.4g}, in all {samples:,} samples.",
        "zh": "{input} 在全部 {samples:,} 个样本中取值都是 {low:.4g}。",
    },
    "constant-features": {
        "en": "{count:,} {count:feature|features} of {input} {count:has|have} one value in all {samples:,} samples: {names}.",
        "zh": "{input} 中有 {count:,} 个特征在全部 {samples:,} 个样本中取值不变：{names}。",
    },
    "too-small": {
        "en": "{input} is next to zero: its values stay within {low:.4g} and {high:.4g}, as if scaled down twice.",
        "zh": "{input} 接近 0：取值仅在 {low:.4g} 到 {high:.4g} 之间，像是重复缩小了两次。",
    },
    "off-centre": {
        "en": "{input} lies off zero and hardly varies: mean {mean:.4g}, standard deviation {std:.4g}. Mean and std of the "
        "normalisation may be meant for other values.",
        "zh": "{input} 偏离 0 且几乎不变：均值 {mean:.4g}，标准差 {std:.4g}。归一化所用的 mean、std 可能是按另一取值范围给出的。",
    },
    "network-scales": {
        "en": "{input} enters the network with values of {low:.4g} to {high:.4g}; the training script scales it there ({place}).",
        "zh": "{input} 进入网络时取值为 {low:.4g} 到 {high:.4g}；训练脚本在网络内对其归一化（{place}）。",
    },
    "integer-picture": {
        "en": "{input} is {dtype}, {low:.4g} to {high:.4g}: it is converted to floating point, and perhaps normalised, after the "
        "pipeline, where this probe does not look.",
        "zh": "{input} 的类型为 {dtype}，取值 {low:.4g} 到 {high:.4g}：它在数据管道之后才转为浮点，是否归一化不在本探针的检查范围内。",
    },
    "no-float": {
        "en": "No floating-point input among the columns ({names}): ids and other integers need no normalisation.",
        "zh": "各列（{names}）中没有浮点输入：整数编号无需归一化。",
    },
    "in-range": {
        "en": "{low:.4g} to {high:.4g}, mean {mean:.4g}, standard deviation {std:.4g} over {samples:,} samples.",
        "zh": "取值 {low:.4g} 到 {high:.4g}，均值 {mean:.4g}，标准差 {std:.4g}（{samples:,} 个样本）。",
    },
    "not-judged": {
        "en": "Not judged, as labels, masks, boxes or ids: {names}.",
        "zh": "作为标签、掩码、框或编号而未判断的列：{names}。",
    },
    **_live.NO_SAMPLES,
    "fix-normalise": {
        "en": "Bring the input to about [-1, 1] in the pipeline: vision.Rescale(1/255, 0) or vision.Normalize with the mean and std of "
        "the same range for pictures, standardisation with the statistics of the training data for tables. Use the same in "
        "evaluation and inference.",
        "zh": "请在数据管道中把输入变换到 [-1, 1] 附近：图片用 vision.Rescale(1/255, 0)，"
        "或用与取值范围一致的 mean、std 做 vision.Normalize；"
        "表格用训练集的统计量做标准化。评估与推理须一致。",
    },
    "fix-finite": {
        "en": "Find where they come from: missing values in the files (ds.01), a division by a std of zero, a logarithm of zero.",
        "zh": "请查明来源：文件中的缺失值（ds.01）、除以为零的标准差、对零取对数等。",
    },
    "fix-channel": {
        "en": "Look at some samples after the pipeline: a channel may be lost in decoding, or the layout (HWC, CHW) mixed up.",
        "zh": "请查看数据管道输出的样本：可能是解码时丢失了通道，或 HWC、CHW 布局弄混。",
    },
}
WORDS: Words = {
    **_live.WORDS,
    "statistics": {"en": "What enters the network", "zh": "进入网络的数值"},
    "input": {"en": "input", "zh": "输入"},
    "channel": {"en": "channel", "zh": "通道"},
    "low": {"en": "lowest", "zh": "最小值"},
    "high": {"en": "highest", "zh": "最大值"},
    "mean": {"en": "mean", "zh": "均值"},
    "std": {"en": "std", "zh": "标准差"},
    "top": {"en": "99 % of |x| below", "zh": "|x| 的 99% 分位"},
    "values": {"en": "How the values are spread", "zh": "数值分布"},
    "value": {"en": "value", "zh": "取值"},
    "numbers": {"en": "numbers", "zh": "元素个数"},
}
_SLOW = {
    "en": "Large or uneven inputs saturate activations and make gradients of different sizes; training is slow, unstable or stops.",
    "zh": "输入过大或尺度不一会使激活饱和、梯度大小悬殊，训练缓慢、不稳定甚至停滞。",
}
_FLAT = {
    "en": "Inputs that hardly vary carry almost nothing that the network could learn from.",
    "zh": "几乎不变的输入不含网络可学习的信息。",
}
_TRY = {
    "en": "Normalise the input and train a few hundred steps: the loss falls faster from the first steps on.",
    "zh": "对输入归一化后训练几百步：loss 从最初几步起就应下降更快。",
}
_LOOK = {
    "en": "Draw a few samples as they come out of the pipeline.",
    "zh": "把数据管道输出的几个样本画出来看。",
}
WHY: Words = {
    "not-finite": {
        "en": "One NaN in a batch makes the loss NaN, and with it all weights.",
        "zh": "一个 batch 中只要有一个 NaN，loss 就会变成 NaN，进而毁掉全部权重。",
    },
    "out-of-range": _SLOW,
    "values-large": _SLOW,
    "scales-differ": _SLOW,
    "small-features": _FLAT,
    "constant-channel": _FLAT,
    "constant-input": _FLAT,
    "too-small": _FLAT,
    "off-centre": _FLAT,
}
PROOF: Words = {
    "not-finite": {
        "en": "Check each batch with np.isfinite before it is used.",
        "zh": "在使用每个 batch 之前用 np.isfinite 检查。",
    },
    "out-of-range": _TRY,
    "values-large": _TRY,
    "scales-differ": _TRY,
    "small-features": _TRY,
    "constant-channel": _LOOK,
    "constant-input": _LOOK,
    "too-small": _LOOK,
    "off-centre": _LOOK,
}

#: Columns that are not inputs to be normalised, by name.
_OTHER = re.compile(
    r"(^|_)(masks?|b?box(es)?|rois?|anchors?|ids?|idx|index|indices|tokens?|segments?|positions?|weights?|len(gths?)?|shape|"
    r"size|name|path|file|t|time_?steps?|info|metas?|scales?|factors?|coords?|keypoints?|landmarks?|points?)(_|\d|$)",
    re.I,
)
#: Features that lie within this of zero are of the usual size, whatever the others are.
_USUAL = 2.0
#: More features than this are pixels or a signal in a row: small ones among them are their nature.
_FEW = 64
_ROWS = 200
#: Layouts of pictures: channels first, channels last.
_PICTURES = ("chw", "hwc")


class _Input(msgspec.Struct):
    """A float input: its channels with their names, and whether they are features of a table."""

    name: str
    layout: str
    shape: list[int]
    channels: list[dict[str, Any]]
    names: list[str]
    histogram: dict[str, Any] | None = None

    @property
    def told(self) -> list[dict[str, Any]]:
        """The channels that have finite values."""
        return [channel for channel in self.channels if "low" in channel]

    def facts(self) -> dict[str, Any]:
        """Range, mean and deviation of all channels together."""
        told = self.told
        count = sum(channel["count"] for channel in told)
        mean = sum(channel["mean"] * channel["count"] for channel in told) / count
        squares = sum((channel["std"] ** 2 + (channel["mean"] - mean) ** 2) * channel["count"] for channel in told)
        return {
            "low": min(channel["low"] for channel in told),
            "high": max(channel["high"] for channel in told),
            "mean": mean,
            "std": math.sqrt(squares / count),
        }


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    request = {"pipeline": _live.pipeline_of(case, "train"), "samples": params.samples, "seconds": params.seconds}
    seen: dict[str, Any] = {"samples": 0}
    nodes: list[dict[str, Any]] = []
    for event in events(case, "values", request, params.seconds):
        if event["event"] == "progress":
            yield Progress(event["done"], event["total"], "samples")
        elif event["event"] == "pipeline":
            nodes = event["nodes"]
        elif event["event"] == "values":
            seen = event
    if not seen["samples"]:
        yield Finding("no-samples", Level.INFO, data={"seconds": params.seconds}, incomplete=True)
        return
    yield from judge(case, params, seen, nodes)


def judge(case: Case, params: Params, seen: dict[str, Any], nodes: list[dict[str, Any]]) -> Iterator[Finding]:
    """The findings that the statistics of the columns amount to."""
    from ..live.inside.columns import labels_of

    names: list[str] = seen["order"]
    labels = labels_of(names, case.get("data.train.label"))
    aside = {name for name in names if name in labels or name in seen["others"] or _OTHER.search(name)}
    columns = [column for column in seen["columns"] if column["name"] not in aside]
    floats = [column for column in columns if column["dtype"].startswith("float")]
    pictures = [column for column in columns if column not in floats and _is_picture(column)]
    found = list(_inputs(floats))
    evidence: list[Evidence] = [
        _table(found or list(_inputs(seen["columns"]))),
        *_spread(found),
        _live.nodes_table(nodes),
    ]
    alone = len(found) + len(pictures) == 1
    scaled = _ScaledInput(case, alone=alone)
    beside = any(column["layout"] in _PICTURES for column in columns)
    for entry in found:
        for finding in _of_input(entry, seen["samples"], params, evidence, scaled):
            if beside and entry.layout == "features" and finding.code in ("out-of-range", "scales-differ"):
                finding = msgspec.structs.replace(finding, level=Level.SUSPECT)  # perhaps facts about the picture
            if finding.code == "in-range":
                about: dict[str, Plain] = {} if alone else {"input": entry.name}
                refutes = [Refutes("input_normalization", UNSCALED, data=about)]
                finding = msgspec.structs.replace(finding, refutes=refutes)
            yield finding
    for column in pictures:
        yield _of_picture(column, evidence, scaled)
    if not found and not pictures:
        yield Finding("no-float", Level.INFO, data={"names": names}, evidence=evidence)
    elif left := [name for name in names if name in aside]:
        yield Finding("not-judged", Level.INFO, data={"names": left})


def _is_picture(column: dict[str, Any]) -> bool:
    """Whether a column of integers holds pictures."""
    return bool(column["shape"]) and (column["layout"] in _PICTURES or column["dtype"] == "uint8")


def _of_picture(column: dict[str, Any], evidence: list[Evidence], scaled: _ScaledInput) -> Finding:
    """Whether the network scales a picture of integers that the pipeline hands over."""
    (entry,) = _inputs([column])
    data = {"input": column["name"], "dtype": column["dtype"], **entry.facts()}
    place = Where(field=column["name"])
    if where := scaled.place(entry):
        return Finding("network-scales", Level.INFO, place, {**data, "place": where}, evidence)
    return Finding("integer-picture", Level.INFO, place, data, evidence, incomplete=True)


class _ScaledInput:
    """Where the training script scales an input within the network, as path:line; empty where it does not, or is not known.

    `alone`: the pipeline has no other input, which is then the one of the script, whatever that calls it.
    """

    def __init__(self, case: Case, alone: bool) -> None:
        self.case = case
        self.alone = alone
        self.found: dict[str, str] | None = None

    def place(self, entry: _Input) -> str:
        if self.found is None:
            self.found = self._look() if self.case.spec.scripts.train else {}
        if self.alone and len(self.found) == 1:
            return next(iter(self.found.values()))
        places = [self.found.get(name, "") for name in ([entry.name] if entry.shape else entry.names)]
        return places[0] if all(places) else ""

    def _look(self) -> dict[str, str]:
        from ..script.analysis import read_scripts
        from ..script.normalization import examine
        from ..script.pipelines import of_scripts

        try:
            said = [one for one in examine(of_scripts(read_scripts(self.case))) if one.code == "in-network"]
        except UserError:  # told by the probes that read scripts
            return {}
        return {one.data["input"]: f"{one.made.source.path}:{one.made.line}" for one in reversed(said)}


def _inputs(columns: list[dict[str, Any]]) -> Iterator[_Input]:
    """Each column as an input; columns of single numbers are the features of one table."""
    scalars = [column for column in columns if column["layout"] == "scalar"]
    for column in columns:
        if column not in scalars:
            names = [str(number) for number in range(len(column["channels"]))]
            yield _Input(
                column["name"], column["layout"], column["shape"], column["channels"], names, column.get("histogram")
            )
    if scalars:
        names = [column["name"] for column in scalars]
        channels = [column["channels"][0] for column in scalars]
        name = ", ".join(names[:3]) + (" ..." if len(names) > 3 else "")
        histogram = scalars[0].get("histogram") if len(scalars) == 1 else None
        yield _Input(name, "features", [], channels, names, histogram)


def _of_input(
    entry: _Input, samples: int, params: Params, evidence: list[Evidence], scaled: _ScaledInput
) -> Iterator[Finding]:
    place = Where(field=entry.name)
    data: dict[str, Any] = {"input": entry.name, "samples": samples, "shape": str(tuple(entry.shape))}
    nan, inf = (sum(channel[kind] for channel in entry.channels) for kind in ("nan", "inf"))
    if nan or inf:
        count = nan + inf + sum(channel["count"] for channel in entry.channels)
        bad = {**data, "nan": nan, "inf": inf, "count": count}
        yield Finding("not-finite", Level.PROBLEM, place, bad, evidence, Fix("fix-finite"))
    if not entry.told:
        return
    data |= entry.facts()
    if samples > 1 and data["low"] == data["high"]:
        yield Finding("constant-input", Level.SUSPECT, place, data, evidence, Fix("fix-channel"))
        return
    yield from _constant_channels(entry, samples, data, evidence)
    yield _of_size(entry, data, params, evidence, scaled)


def _constant_channels(
    entry: _Input, samples: int, data: dict[str, Any], evidence: list[Evidence]
) -> Iterator[Finding]:
    """Features or channels of one value only."""
    place = Where(field=entry.name)
    constant = [
        (name, channel["low"])
        for name, channel in zip(entry.names, entry.channels, strict=True)
        if "low" in channel and channel["low"] == channel["high"]
    ]
    if samples > 1 and constant and entry.layout == "features":
        few = {**data, "count": len(constant), "names": [name for name, _ in constant[:20]]}
        yield Finding("constant-features", Level.INFO, place, few, evidence)
    elif constant and entry.layout in _PICTURES:
        flat = {**data, "names": [f"{name} ({value:.4g})" for name, value in constant]}
        yield Finding("constant-channel", Level.SUSPECT, place, flat, evidence, Fix("fix-channel"))


def _picture_fault(entry: _Input, data: dict[str, Any], params: Params) -> str:
    """What is wrong with the values of a picture that lie within the range of inputs."""
    if entry.layout not in _PICTURES:
        return ""
    if max(channel["top"] for channel in entry.told) < params.tiny:
        return "too-small"
    mean = abs(data["mean"])
    return "off-centre" if mean > 1 and mean > params.ratio * data["std"] else ""


def _of_size(
    entry: _Input, data: dict[str, Any], params: Params, evidence: list[Evidence], scaled: _ScaledInput
) -> Finding:
    """Whether the values lie where inputs of a network should: range, scale of the features, mean against spread."""
    place, fix = Where(field=entry.name), Fix("fix-normalise")
    large = any(channel["top"] >= params.reach for channel in entry.told)
    uneven = _scales(entry, params)
    differ = bool(uneven and uneven[0])
    if (large or differ) and (where := scaled.place(entry)):
        return Finding("network-scales", Level.INFO, place, {**data, "place": where}, evidence)
    if uneven and differ:
        return Finding("scales-differ", Level.PROBLEM, place, {**data, **uneven[1]}, evidence, fix)
    if large and entry.layout == "values":
        return Finding("values-large", Level.SUSPECT, place, data, evidence, fix)
    if large:
        return Finding("out-of-range", Level.PROBLEM, place, data, evidence, fix)
    if uneven:
        return Finding("small-features", Level.SUSPECT, place, {**data, **uneven[1]}, evidence, fix)
    if code := _picture_fault(entry, data, params):
        return Finding(code, Level.SUSPECT, place, data, evidence, fix)
    return Finding("in-range", Level.INFO, place, data, evidence)


def _scales(entry: _Input, params: Params) -> tuple[bool, dict[str, Any]] | None:
    """Whether features of a table differ in scale, and then (whether any is large, what to say).

    Features that are constant, or one value most of the time (flags, counts of rare things), are of no scale.
    """
    if entry.layout != "features":
        return None
    sizes = {
        name: math.hypot(channel["mean"], channel["std"])
        for name, channel in zip(entry.names, entry.channels, strict=True)
        if "low" in channel and channel["low"] < channel["high"] and channel["same"] < 0.5
    }
    if len(sizes) < 2:
        return None
    smallest, largest = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    if sizes[largest] < params.ratio * sizes[smallest]:
        return None
    small = [name for name, size in sizes.items() if size * params.ratio <= sizes[largest]]
    large = sizes[largest] > _USUAL
    if not large and len(entry.names) > _FEW:
        return None
    return large, {
        "largest": largest,
        "smallest": smallest,
        "most": sizes[largest],
        "least": sizes[smallest],
        "ratio": sizes[largest] / sizes[smallest],
        "count": len(small),
    }


def _table(inputs: list[_Input]) -> Table:
    rows: list[list[Plain]] = []
    for entry in inputs:
        for name, channel in zip(entry.names, entry.channels, strict=True):
            numbers: list[Plain] = [
                None if channel.get(key) is None else float(f"{channel[key]:.6g}")
                for key in ("low", "high", "mean", "std", "top")
            ]
            rows.append([entry.name, name, *numbers, channel["nan"], channel["inf"]])
    columns = ["input", "channel", "low", "high", "mean", "std", "top", "NaN", "Inf"]
    return Table("statistics", columns, rows[:_ROWS], total=len(rows))


def _spread(inputs: list[_Input]) -> Iterator[Histogram]:
    for entry in inputs[:4]:
        if entry.histogram:
            edges = entry.histogram["edges"]
            middles = [f"{(low + high) / 2:.3g}" for low, high in pairwise(edges)]
            yield Histogram(
                "values" if len(inputs) == 1 else entry.name, middles, entry.histogram["counts"], "value", "numbers"
            )


# --- examples ---------------------------------------------------------------------------------------------------------

_HEAD = """
import numpy as np
import mindspore.dataset as ds
from mindspore.dataset import vision

random = np.random.default_rng(0)
pixels = random.integers(0, 256, (64, 8, 8, 3)).astype(np.uint8)
labels = (np.arange(64) % 4).astype(np.int32)

def pictures(*steps):
    dataset = ds.NumpySlicesDataset({"image": pixels, "label": labels})
    return dataset.map(list(steps), input_columns="image").batch(16) if steps else dataset.batch(16)

def table(rows):
    return ds.NumpySlicesDataset({"x": rows.astype(np.float32), "label": labels}).batch(16)
"""


def _example(name: str, body: str, verdict: Verdict, *codes: str) -> Example:
    return Example(
        name,
        files={"pipe.py": _HEAD + "\ndef create():\n    " + body + "\n"},
        case={"pipelines": {"train": {"call": "pipe:create"}}},
        verdict=verdict,
        codes=codes,
    )


def _pixels(path: Path) -> None:
    import numpy as np

    np.save(path, np.random.default_rng(0).integers(0, 256, (64, 3, 8, 8)).astype(np.uint8))


_INSIDE = """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def construct(self, image):
        return self.conv(image / 255.0)

def create():
    pixels = np.load("pixels.npy")
    labels = (np.arange(64) % 4).astype(np.int32)
    return ds.NumpySlicesDataset({"image": pixels, "label": labels}).batch(16)

if __name__ == "__main__":
    ms.Model(Net(), nn.SoftmaxCrossEntropyWithLogits(sparse=True)).train(1, create())
"""
_MEAN = "[0.485 * 255, 0.456 * 255, 0.406 * 255], [0.229 * 255, 0.224 * 255, 0.225 * 255]"

EXAMPLES = [
    _example(
        "pictures with mean and std of 0 to 255",
        f"return pictures(vision.Normalize({_MEAN}), vision.HWC2CHW())",
        Verdict.OK,
        "in-range",
    ),
    _example("pictures divided by 255", "return pictures(vision.ToTensor())", Verdict.OK, "in-range"),
    _example(
        "pixels as floats",
        "return pictures(lambda image: image.astype(np.float32).transpose(2, 0, 1))",
        Verdict.PROBLEM,
        "out-of-range",
    ),
    _example("pixels as they were read", "return pictures()", Verdict.UNDECIDED, "integer-picture"),
    _example(
        "divided by 255 twice",
        "return pictures(vision.Rescale(1 / 255, 0), vision.Rescale(1 / 255, 0), vision.HWC2CHW())",
        Verdict.UNDECIDED,
        "too-small",
    ),
    _example(
        "statistics of 0 to 255 on values of 0 to 1",
        f"return pictures(vision.Rescale(1 / 255, 0), vision.Normalize({_MEAN}), vision.HWC2CHW())",
        Verdict.UNDECIDED,
        "off-centre",
    ),
    _example(
        "a standardised table with one-hot columns",
        "return table(np.c_[random.standard_normal((64, 3)), np.eye(4)[labels], random.random(64) < 0.05])",
        Verdict.OK,
        "in-range",
    ),
    _example(
        "age beside income",
        "return table(np.c_[random.normal(40, 12, 64), random.normal(52000, 9000, 64)])",
        Verdict.PROBLEM,
        "scales-differ",
    ),
    _example(
        "a NaN",
        "return table(np.where(np.arange(256).reshape(64, 4) == 7, np.nan, random.standard_normal((64, 4))))",
        Verdict.PROBLEM,
        "not-finite",
    ),
    _example(
        "token ids",
        "return ds.NumpySlicesDataset({'input_ids': random.integers(0, 30000, (64, 12)).astype(np.int32), 'label': labels}).batch(16)",
        Verdict.OK,
        "no-float",
    ),
    Example(
        "normalised within the network",
        files={"train.py": _INSIDE, "pixels.npy": _pixels},
        case={"pipelines": {"train": {"call": "train:create"}}, "scripts": {"train": "train.py"}},
        verdict=Verdict.OK,
        codes=("network-scales",),
    ),
]
