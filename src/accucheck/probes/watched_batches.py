"""Compares what a watched training was given with the benchmark's saved batches: shape, range, mean and deviation of each tensor.

Needs no saved batches of MindSpore's side, and no equal order of samples, so that it says less than first_batches: another layout, another
scale or mean, labels that are numbered from elsewhere. Tensors are paired by dimensions and kind of numbers; what pairs with several is
left out. Cannot tell single samples that differ.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict
from ..probe import Example, Skip
from . import _watched, first_batches
from ._watched import Watch
from .layer_outputs import npy

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched", "batches.reference")


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ratio: Annotated[
        float,
        Meta(
            gt=1,
            description="deviations that differ by more than this factor are another scale",
            extra={"unit": "1", "source": "own choice: batches of some samples differ by less"},
        ),
    ] = 1.5
    shift: Annotated[
        float,
        Meta(
            gt=0,
            description="means that differ by more than this share of the deviation are another mean",
            extra={"unit": "1", "source": "own choice: batches of some samples differ by less"},
        ),
    ] = 0.5


MESSAGES: Words = {
    "layout": {
        "en": "{name} has the shape {shape} in the watched training, the benchmark's {other}: the axes are in a different order.",
        "zh": "所观察训练中 {name} 的形状为 {shape}，标杆为 {other}：各维度的次序不同。",
    },
    "shape": {
        "en": "{name} has the shape {shape} in the watched training, the benchmark's {other}.",
        "zh": "所观察训练中 {name} 的形状为 {shape}，标杆为 {other}。",
    },
    "scale": {
        "en": "{name} has a mean of {mean:.4g} and a deviation of {std:.4g} in the watched training, the benchmark's {other_mean:.4g} and "
        "{other_std:.4g}.",
        "zh": "所观察训练中 {name} 的均值为 {mean:.4g}、标准差为 {std:.4g}，标杆为 {other_mean:.4g} 和 {other_std:.4g}。",
    },
    "numbered": {
        "en": "{name} goes from {low:g} to {high:g} in the watched training, and from {other_low:g} to {other_high:g} in the benchmark: "
        "classes are numbered {offset:+g}.",
        "zh": "所观察训练中 {name} 的取值为 {low:g} 至 {high:g}，标杆为 {other_low:g} 至 {other_high:g}：类别编号相差 {offset:+g}。",
    },
    "alike": {
        "en": "{names} of the watched training have shapes and ranges like the benchmark's; samples were not compared one by one.",
        "zh": "所观察训练中 {names} 的形状和取值范围与标杆相近；没有逐个样本比较。",
    },
    "no-pairs": {
        "en": "No tensor of the watched training matches exactly one array of {path}.",
        "zh": "所观察训练的张量与 {path} 中的数组无法一一对应。",
    },
    "align": {
        "en": "Make the processing of both sides alike, step by step from the raw sample.",
        "zh": "从原始样本开始逐步对齐两边的数据处理。",
    },
}
_DIFFER = first_batches.WHY["scale"]
WHY: Words = dict.fromkeys(("layout", "shape", "scale", "numbered"), _DIFFER)
_SAVE = {
    "en": "Save the first batches on both sides and compare them element by element (batches.path).",
    "zh": "两边都保存前几个 batch，逐元素比较（batches.path）。",
}
PROOF: Words = dict.fromkeys(WHY, _SAVE)
WORDS: Words = {
    "tensors": {"en": "Tensors of a batch", "zh": "一个 batch 的张量"},
    "name": {"en": "Tensor", "zh": "张量"},
    "side": {"en": "Side", "zh": "来源"},
    "watched": {"en": "watched training", "zh": "所观察的训练"},
    "benchmark": {"en": "benchmark", "zh": "标杆"},
    "shape": {"en": "Shape", "zh": "形状"},
    "low": {"en": "Lowest", "zh": "最小"},
    "high": {"en": "Highest", "zh": "最大"},
    "mean": {"en": "Mean", "zh": "均值"},
    "std": {"en": "Standard deviation", "zh": "标准差"},
}
#: Arrays of the benchmark that are read, and elements of one.
_ARRAYS, _ELEMENTS = 64, 1 << 24


class Side(NamedTuple):
    """A tensor of batches: the shape of a sample, and numbers of all elements that were seen."""

    shape: tuple[int, ...]
    whole: bool
    low: float
    high: float
    mean: float
    std: float

    @property
    def kind(self) -> tuple[int, bool]:
        return len(self.shape), self.whole

    @property
    def shown(self) -> str:
        return "×".join(map(str, self.shape)) or "-"


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watch = _watched.of_case(case)[0]
    path = case.paths("batches.reference")[0]
    pairs = list(_pairs(_given(watch), list(_saved(path))))
    yield Progress(1, 1, "files")
    if not pairs:
        raise Skip("no-pairs", path=case.relative(path))
    where = watch.where(watch.first("dataset").get("place"))
    evidence: list[Evidence] = [_table(pairs)]
    alike = []
    for at, one, other in pairs:
        found = _differs(one, other, params)
        if found is None:
            alike.append(_named(at))
            continue
        code, data = found
        yield Finding(code, Level.SUSPECT, where, {"name": _named(at), **data}, evidence, Fix("align"))
    if alike:
        names = {word: ", ".join(one[word] for one in alike) for word in ("en", "zh")}
        yield Finding("alike", Level.INFO, where, {"names": names}, evidence, incomplete=True)


def _given(watch: Watch) -> list[Side | None]:
    """The tensors of the batches of training that were looked at, in their order."""
    passes = [one["batch"] for one in watch.facts("pass") if one.get("training") is True and one.get("batch")]
    count = len(passes[0]) if passes else 0
    return [_pooled([batch[at] for batch in passes if len(batch) == count]) for at in range(count)]


def _pairs(ours: list[Side | None], theirs: list[Side]) -> Iterator[tuple[int, Side, Side]]:
    """Each tensor with the benchmark's, where no other of either side is of its kind."""
    for at, one in enumerate(ours):
        if one is None or sum(other is not None and other.kind == one.kind for other in ours) > 1:
            continue
        known = [other for other in theirs if other.kind == one.kind]
        if len({other.shape for other in known}) == 1:
            yield at, one, _joined(known)


def _named(at: int) -> dict[str, str]:
    return {"en": f"tensor {at + 1} of the batch", "zh": f"batch 的第 {at + 1} 个张量"}


def _differs(one: Side, other: Side, params: Params) -> tuple[str, dict[str, Any]] | None:
    shapes = {"shape": one.shown, "other": other.shown}
    if one.shape != other.shape:
        return ("layout" if sorted(one.shape) == sorted(other.shape) else "shape"), shapes
    if one.whole:
        offset = one.low - other.low
        if offset and offset == one.high - other.high and not one.shape:
            numbers = {"low": one.low, "high": one.high, "other_low": other.low, "other_high": other.high}
            return "numbered", {**numbers, "offset": offset}
        return None
    spread = max(one.std, other.std)
    apart = spread > params.ratio * min(one.std, other.std) or abs(one.mean - other.mean) > params.shift * spread
    numbers = {"mean": one.mean, "std": one.std, "other_mean": other.mean, "other_std": other.std}
    return ("scale", numbers) if spread and apart else None


def _pooled(stats: list[dict[str, Any]]) -> Side | None:
    """A tensor over all batches that were looked at; None where it has no finite numbers, or samples of several shapes."""
    names = ("low", "high", "mean", "std")
    told = [one for one in stats if all(isinstance(one.get(name), (int, float)) for name in names) and one.get("shape")]
    shapes = {tuple(one["shape"][1:]) for one in told}
    if len(shapes) != 1:
        return None
    whole = not str(told[0].get("type", "")).startswith("float")
    return _joined([Side(shapes.copy().pop(), whole, *(float(one[name]) for name in names)) for one in told])


def _joined(some: list[Side]) -> Side:
    mean = sum(one.mean for one in some) / len(some)
    squares = sum(one.std**2 + (one.mean - mean) ** 2 for one in some) / len(some)
    low, high = min(one.low for one in some), max(one.high for one in some)
    return Side(some[0].shape, some[0].whole, low, high, mean, math.sqrt(squares))


def _saved(path: Any) -> Iterator[Side]:
    """The benchmark's arrays. Raises ReadError."""
    import numpy as np

    from ..readers.dump_comparison import tensor_info
    from ..readers.dumps import open_dump
    from ..readers.tensors import read

    tensors = [tensor for one in open_dump(path).operations for tensor in one.tensors][:_ARRAYS]
    for tensor in tensors:
        info = tensor_info(tensor)
        if info.obstacle or info.size > _ELEMENTS or not info.shape:
            continue
        values = read(info)
        if values.dtype.kind not in "biuf" or not values.size or not np.isfinite(values).all():
            continue
        wide = values.astype(np.float64)
        numbers = (float(wide.min()), float(wide.max()), float(wide.mean()), float(wide.std()))
        yield Side(tuple(values.shape[1:]), values.dtype.kind != "f", *numbers)


def _table(pairs: list[tuple[int, Side, Side]]) -> Table:
    rows: list[list[Plain]] = []
    for at, one, other in pairs:
        for side, held in (("watched", one), ("benchmark", other)):
            rows.append([str(at + 1), side, held.shown, held.low, held.high, held.mean, held.std])
    return Table("tensors", ["name", "side", "shape", "low", "high", "mean", "std"], rows)


def _example(name: str, *codes: str, images: dict[str, Any], labels: tuple[int, int] = (0, 9)) -> Example:
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    label = {"shape": [8], "type": "int32", "low": labels[0], "high": labels[1], "mean": 4.5, "std": 2.9}
    told = {"fact": "pass", "step": 1, "training": True, "data": 0, "networks": [0], "calls": []}
    lines: list[dict[str, Any]] = [
        head,
        {**told, "batch": [{"type": "float32", **images}, label]},
        {"step": 1, "epoch": 1, "loss": 1.0, "seconds": 0.1},
    ]
    values = [((at * 37) % 101) / 100 - 0.5 for at in range(8 * 3 * 4 * 4)]
    files: dict[str, Any] = {
        "watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines),
        "theirs/0_image.npy": npy(values, (8, 3, 4, 4)),
        "theirs/0_label.npy": npy([0, 1, 2, 3, 4, 5, 6, 9], kind="i"),
    }
    case = {"watched": "watch", "batches": {"reference": "theirs"}}
    return Example(name, files=files, case=case, verdict=Verdict.UNDECIDED, codes=codes)


_LIKE = {"shape": [8, 3, 4, 4], "low": -0.5, "high": 0.5, "mean": 0.0, "std": 0.29}
EXAMPLES = [
    _example("like the benchmark's", "alike", images=_LIKE),
    _example("not divided by 255", "scale", "alike", images={**_LIKE, "low": 0, "high": 255, "mean": 128, "std": 74}),
    _example("channels last", "layout", "alike", images={**_LIKE, "shape": [8, 4, 4, 3]}),
    _example("larger pictures", "shape", "alike", images={**_LIKE, "shape": [8, 3, 8, 8]}),
    _example("labels from 1 on", "numbered", "alike", images=_LIKE, labels=(1, 10)),
]
