"""Compares the first batches of both scripts, saved as .npy: batches.path against batches.reference, by name or order.

Where they differ, it says what the difference looks like: the same samples in another order, another scale or mean, channels first
or last, RGB or BGR, labels shifted by one or numbered otherwise, another type. It cannot tell which side is right, and sees only the
batches it is given.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example, Skip
from . import layer_outputs
from .layer_outputs import npy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..readers.dump_pairs import Match

    Array = NDArray[Any]

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("batches.path", "batches.reference")


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rtol: Annotated[
        float,
        Meta(
            ge=0,
            description="how far a batch may be off, relative to the root mean square of the benchmark's",
            extra={"unit": "share", "source": "own choice: float32 preprocessing in two libraries agrees to 1e-6"},
        ),
    ] = 1e-4
    close: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="correlation from which differing batches are told to be nearly the same",
            extra={"unit": "correlation", "source": "own choice: decoding and resizing in two libraries keep 0.99"},
        ),
    ] = 0.98
    most: Annotated[
        int,
        Meta(
            ge=1,
            description="bytes of a batch up to which it is examined",
            extra={"unit": "bytes", "source": "own choice: memory stays small"},
        ),
    ] = 256 << 20


MESSAGES: Words = {
    "no-pairs": {
        "en": "No file of {path} could be paired with one of {reference}. Save the batches of both sides under the same names.",
        "zh": "{path} 与 {reference} 中没有能够配对的文件。请把两边的 batch 保存为相同的名称。",
    },
    "unpaired": layer_outputs.MESSAGES["unpaired"],
    "ambiguous": layer_outputs.MESSAGES["ambiguous"],
    "steps": layer_outputs.MESSAGES["steps"],
    "unread": layer_outputs.MESSAGES["unread"],
    "both-nan": layer_outputs.MESSAGES["both-nan"],
    "no-elements": layer_outputs.MESSAGES["no-elements"],
    "same": {
        "en": "{count:,} {count:array|arrays} of the first batches {count:agrees|agree} with the benchmark's, within {relative} "
        "(relative).",
        "zh": "首批数据中的 {count:,} 个数组与标杆一致，最大相对差值 {relative}。",
    },
    "types": {
        "en": "{count:,} {count:array has|arrays have} a different type from the benchmark's, with equal numbers: {names}.",
        "zh": "有 {count:,} 个数组与标杆数据类型不同、数值一致：{names}。",
    },
    "order": {
        "en": "{name} holds the benchmark's samples in a different order ({moved:,} of {count:,} are in a different position).",
        "zh": "{name} 的样本与标杆相同，但顺序不同（{count:,} 个样本中有 {moved:,} 个位置不同）。",
    },
    "layout": {
        "en": "{name} is the benchmark's with its axes in a different order: {shape} here, {other} there (channels first or last?).",
        "zh": "{name} 与标杆只是轴的顺序不同：此处 {shape}，标杆 {other}（通道在前或在后）。",
    },
    "channels": {
        "en": "{name} is the benchmark's with its channels reversed: RGB on one side, BGR on the other.",
        "zh": "{name} 与标杆的通道顺序相反：一侧为 RGB，另一侧为 BGR。",
    },
    "scale": {
        "en": "{name} is the benchmark's times {factor} plus {offset}: the normalisation uses a different scale or mean.",
        "zh": "{name} 等于标杆乘以 {factor} 再加 {offset}：归一化的缩放或均值不同。",
    },
    "channel-scale": {
        "en": "{name} is the benchmark's with a different scale or mean for each channel (factors {factors}, offsets {offsets}): the "
        "normalisation differs.",
        "zh": "{name} 与标杆逐通道只差缩放和均值（系数 {factors}，偏移 {offsets}）：归一化参数不同。",
    },
    "shifted": {
        "en": "{name} is the benchmark's plus {offset}: labels start at a different number.",
        "zh": "{name} 等于标杆加 {offset}：标签的起始编号不同。",
    },
    "shifted-round": {
        "en": "{name} is the benchmark's plus {offset}, modulo {classes}: labels are shifted, with the last class wrapping round to "
        "the first.",
        "zh": "{name} 等于标杆加 {offset} 后对 {classes} 取模：标签整体错位，末尾的类别绕回开头。",
    },
    "renumbered": {
        "en": "{name} names the same classes by other numbers ({count:,} {count:class does|classes do}): {pairs} (benchmark - here).",
        "zh": "{name} 与标杆的类别一一对应但编号不同（{count:,} 个类别不同）：{pairs}（标杆 - 此处）。",
    },
    "flipped": {
        "en": "{name} is the benchmark's mirrored along axis {axis}.",
        "zh": "{name} 是标杆沿第 {axis} 轴的镜像。",
    },
    "near": {
        "en": "{name} is nearly the benchmark's (correlation {correlation}, relative difference {relative}): decoding, resizing or "
        "rounding differs, or some values do.",
        "zh": "{name} 与标杆接近但不相等（相关系数 {correlation}，相对差值 {relative}）：解码、缩放插值或取整方式不同，或部分数值不同。",
    },
    "other": {
        "en": "{name} differs from the benchmark's, and is not a reordered, transposed, scaled or shifted version of it (relative "
        "difference {relative}). Are these the same samples?",
        "zh": "{name} 与标杆不一致，且不是顺序、轴、通道、缩放或平移造成的（相对差值 {relative}）。请确认两边是否为同一批样本。",
    },
    "shape": {
        "en": "{name} has the shape {shape}, the benchmark's {other}: batch size, crop or padding differ.",
        "zh": "{name} 的形状为 {shape}，标杆为 {other}：批大小、裁剪或填充不同。",
    },
    "non-finite": {
        "en": "{name}: NaN and Inf are not where they are in the benchmark's file ({count:,} {count:value|values} differ), so the two "
        "networks are fed different numbers.",
        "zh": "{name}：NaN 和 Inf 的位置与标杆的文件不一致（{count:,} 个值不同），两个网络得到的输入不同。",
    },
    "large": {
        "en": "{name} is larger than {limit:,} bytes and was not examined.",
        "zh": "{name} 超过 {limit:,} 字节，未检查。",
    },
    "align": {
        "en": "Make the processing of both scripts alike step by step, and save the batch after each step; then compare again.",
        "zh": "逐步统一两边的数据处理，每步之后都保存一次 batch 再比对。",
    },
    "align-labels": {
        "en": "Number the classes alike on both sides: fix the list of class names in one file that both scripts read, and look for "
        "a background class that only one side counts.",
        "zh": "统一两边的类别编号：把类别列表固定在一个文件中供两边读取，并检查是否只有一侧多算了背景类。",
    },
    "fix-order": {
        "en": "Fix the order on both sides (cmp.01): no shuffling, one worker, files sorted.",
        "zh": "两边固定数据顺序（cmp.01）：关闭混洗，单线程读取，文件列表排序。",
    },
}

WHY: Words = {
    code: {
        "en": "With different data the network computes a different loss: nothing after the data can be compared until the data agree.",
        "zh": "输入不同，loss 必然不同：数据一致之前，后面的比对都没有意义。",
    }
    for code in (
        "order",
        "layout",
        "channels",
        "scale",
        "channel-scale",
        "shifted",
        "shifted-round",
        "renumbered",
        "flipped",
        "near",
        "other",
        "shape",
        "non-finite",
    )
}
PROOF: Words = {
    code: {
        "en": "Feed the benchmark's saved batch to this network: with the data out of the way, the first losses must come together.",
        "zh": "把标杆保存的 batch 直接喂给本网络：排除数据差异后，首个 loss 应当趋于一致。",
    }
    for code in WHY
}

WORDS: Words = {
    **{
        key: layer_outputs.WORDS[key]
        for key in (
            "unpaired",
            "ambiguous",
            "unread",
            "name",
            "benchmark",
            "problem",
            "side",
            "shape",
            "dtype",
            "relative",
            "largest",
        )
    },
    "arrays": {"en": "Arrays of the first batches", "zh": "首批数据的各数组"},
    "mean": {"en": "Mean", "zh": "均值"},
    "std": {"en": "Standard deviation", "zh": "标准差"},
    "other-mean": {"en": "Benchmark's mean", "zh": "标杆均值"},
    "other-std": {"en": "Benchmark's standard deviation", "zh": "标杆标准差"},
    "looks": {"en": "Looks like", "zh": "差异表现"},
}

_ROWS = 200
_COLUMNS = ["name", "shape", "dtype", "mean", "std", "other-mean", "other-std", "relative", "looks"]
#: What labels look like that are numbered otherwise.
_LABELS = ("shifted", "shifted-round", "renumbered")
#: Classes and labels up to which numbers are looked at as classes.
_CLASSES, _LABELLED = 10_000, 16 << 20
#: Findings of one kind that are told one by one.
_EACH = 20


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError where a side cannot be read at all."""
    from ..readers.dump_comparison import tensor_info
    from ..readers.dump_pairs import match
    from ..readers.dumps import open_dump
    from ..readers.tensors import read

    path, reference = case.paths("batches.path")[0], case.paths("batches.reference")[0]
    left, right = open_dump(path), open_dump(reference)
    found = match(left, right)
    names = {"path": case.relative(path), "reference": case.relative(reference)}
    where = Where(names["path"])
    if not found.found:
        yield from layer_outputs.left_out(found, where, names)
        raise Skip("no-pairs", **names)
    problems: list[ReadError] = [*left.problems, *right.problems]
    rows: list[list[Plain]] = []
    told: list[Finding] = []
    same: list[float] = []
    types: list[str] = []
    nan: list[str] = []
    hollow: list[str] = []
    for done, one in enumerate(found.found, start=1):
        yield Progress(done, len(found.found), "files")
        try:
            infos = [tensor_info(point.tensor) for point in (one.left, one.right)]
            for info in infos:
                if info.obstacle:
                    raise ReadError("dump-type", path=info.path, dtype=info.dtype)
            if max(info.nbytes for info in infos) > params.most:
                large = {"name": one.left.name, "limit": params.most}
                told.append(Finding("large", Level.INFO, _where(where, one), large, incomplete=True))
                continue
            ours, theirs = (read(info) for info in infos)
        except ReadError as error:
            problems.append(error)
            continue
        data: dict[str, Any]
        code, data = look(ours, theirs, params)
        rows.append(_row(one, ours, theirs, infos[0].dtype, infos[1].dtype, code, data))
        if not ours.size:
            hollow.append(one.left.name)
        if code == "same":
            if ours.dtype.kind in "fc" and not (ours == ours).all():
                nan.append(one.left.name)
            same.append(float(data["relative"]))
            if infos[0].dtype != infos[1].dtype:
                types.append(f"{one.left.name} ({infos[0].dtype}, {infos[1].dtype})")
            continue
        data = {key: f"{value:.3g}" if isinstance(value, float) else value for key, value in data.items()}
        fix = Fix({"order": "fix-order", **dict.fromkeys(_LABELS, "align-labels")}.get(code, "align"))
        told.append(Finding(code, Level.PROBLEM, _where(where, one), {"name": one.left.name, **data}, fix=fix))
    evidence: list[Evidence] = [Table("arrays", _COLUMNS, rows[:_ROWS], len(rows))]
    kinds: Counter[str] = Counter()
    for at, finding in enumerate(told):
        kinds[finding.code] += 1
        if kinds[finding.code] <= _EACH:
            yield msgspec.structs.replace(finding, evidence=evidence) if not at and rows else finding
    yield from layer_outputs.without_elements(hollow, where)
    if same:
        data = {"count": len(same), "relative": f"{max(same):.2g}"}
        yield Finding("same", Level.INFO, where, data, [] if told else evidence)
    if types:
        yield Finding("types", Level.INFO, where, {"count": len(types), "names": layer_outputs.shown(types)})
    if nan:
        yield Finding("both-nan", Level.SUSPECT, where, {"count": len(nan), "name": nan[0]})
    yield from layer_outputs.left_out(found, where, names)
    if problems:
        yield layer_outputs.unread(problems, where)


def _made_of(ours: Array, theirs: Array, integers: bool, params: Params) -> tuple[str, dict[str, Any]] | None:
    if integers:
        return _renumbered(ours, theirs) or _rearranged(ours, theirs, params)
    return _rearranged(ours, theirs, params) or _rescaled(ours, theirs, params)


def look(ours: Array, theirs: Array, params: Params) -> tuple[str, dict[str, Any]]:
    """What makes the benchmark's array of ours: a code of MESSAGES and its data."""
    import numpy as np

    integers = ours.dtype.kind in "biu" and theirs.dtype.kind in "biu"
    shape = {"shape": layer_outputs.shape(ours.shape), "other": layer_outputs.shape(theirs.shape)}
    ours, theirs = _real(ours), _real(theirs)
    if ours.shape != theirs.shape:
        code, data = _other_shape(ours, theirs, params)
        return code, data or shape
    nan = np.isnan(ours) & np.isnan(theirs)
    apart = (ours != theirs) & ~nan & ~(np.isfinite(ours) & np.isfinite(theirs))
    if apart.any():
        return "non-finite", {"count": int(np.count_nonzero(apart))}
    relative = _relative(ours, theirs)
    if relative <= params.rtol and not (integers and relative):
        return "same", {"relative": relative}
    if not np.isfinite(ours).all() or not ours.size:
        return "other", {"relative": relative}
    made = _made_of(ours, theirs, integers, params)
    if made is not None:
        return made
    correlation = _correlation(ours, theirs)
    if correlation >= params.close:
        return "near", {"correlation": correlation, "relative": relative}
    return "other", {"relative": relative}


def _other_shape(ours: Array, theirs: Array, params: Params) -> tuple[str, dict[str, Any]]:
    """Whether arrays of two shapes hold the same values: transposed, or in the same order."""
    from ..readers.dump_comparison import transposition

    axes = transposition(ours.shape, theirs.shape)
    if axes is not None and _relative(ours.transpose(axes), theirs) <= params.rtol:
        return "layout", {}
    if ours.size == theirs.size:
        relative = _relative(ours.reshape(theirs.shape), theirs)
        if relative <= params.rtol:
            return "same", {"relative": relative}
    return "shape", {}


def _renumbered(ours: Array, theirs: Array) -> tuple[str, dict[str, Any]] | None:
    """Whether integers differ by one offset, or by how classes are numbered."""
    import numpy as np

    offsets = np.unique(ours - theirs)
    return ("shifted", {"offset": int(offsets[0])}) if offsets.size == 1 else _labels(ours, theirs)


def _rearranged(ours: Array, theirs: Array, params: Params) -> tuple[str, dict[str, Any]] | None:
    """Whether samples come in another order, or an axis is reversed."""
    import numpy as np

    if (moved := _moved(ours, theirs, params.rtol)) is not None:
        return "order", {"moved": moved, "count": len(ours)}
    for axis in range(1, ours.ndim):
        if _relative(np.flip(ours, axis), theirs) <= params.rtol:
            return ("channels", {}) if ours.shape[axis] == 3 else ("flipped", {"axis": axis})
    return None


def _rescaled(ours: Array, theirs: Array, params: Params) -> tuple[str, dict[str, Any]] | None:
    """Whether all values, or those of each channel, differ by a factor and an offset."""
    import numpy as np

    whole = _fit(ours, theirs, params.rtol)
    if whole is not None:
        return "scale", {"factor": whole[0], "offset": whole[1]}
    for axis in (1, ours.ndim - 1) if ours.ndim >= 3 else ():
        if not 1 < ours.shape[axis] <= 4:
            continue
        fits = [_fit(np.take(ours, at, axis), np.take(theirs, at, axis), params.rtol) for at in range(ours.shape[axis])]
        known = [fit for fit in fits if fit is not None]
        if len(known) == len(fits):
            factors, offsets = ([f"{one:.3g}" for one in each] for each in zip(*known, strict=True))
            return "channel-scale", {"factors": factors, "offsets": offsets}
    return None


def _real(values: Array) -> Array:
    import numpy as np

    if values.dtype.kind == "c":
        values = np.stack([values.real, values.imag], -1)
    return values.astype(np.float64)


def _relative(ours: Array, theirs: Array) -> float:
    """‖ours - theirs‖ / ‖theirs‖ of what is finite on both sides."""
    import numpy as np

    finite = np.isfinite(ours) & np.isfinite(theirs)
    apart, norm = np.linalg.norm(ours[finite] - theirs[finite]), np.linalg.norm(theirs[finite])
    return float(apart / norm) if norm else (0.0 if not apart else math.inf)


def _moved(ours: Array, theirs: Array, rtol: float) -> int | None:
    """How many rows stand elsewhere, where one side is the other with its rows in another order; else None."""
    import numpy as np

    if ours.ndim < 1 or len(ours) < 2:
        return None
    rows = [side.reshape(len(side), -1) for side in (ours, theirs)]
    # Sorted by a projection that the rounding of both libraries hardly moves; then compared row by row.
    weights = np.cos(np.arange(rows[0].shape[1]) + 1.0)
    orders = [np.argsort(side @ weights, kind="stable") for side in rows]
    if _relative(rows[0][orders[0]], rows[1][orders[1]]) > rtol:
        return None
    return int(np.count_nonzero(orders[0] != orders[1]))


def _labels(ours: Array, theirs: Array) -> tuple[str, dict[str, Any]] | None:
    """What numbers the classes otherwise, where each number of the benchmark stands for one of ours; else None."""
    import numpy as np

    if ours.size > _LABELLED:
        return None
    pairs, often = np.unique(np.stack([theirs.ravel(), ours.ravel()]), axis=1, return_counts=True)
    known, here = pairs
    # Among labels that hardly occur twice, anything stands for one thing.
    if len(known) > _CLASSES or often.max() < 2 or ours.size < 2 * len(known):
        return None
    if len(np.unique(known)) < len(known) or len(np.unique(here)) < len(here):
        return None
    steps = np.unique(here - known)
    classes = int(steps[-1] - steps[0])
    if len(steps) == 2 and min(known.min(), here.min()) >= 0 and max(known.max(), here.max()) < classes:
        # The fewer ones went round.
        low = bool(np.count_nonzero(here - known == steps[0]) * 2 > len(known))
        return "shifted-round", {"offset": int(steps[0] if low else steps[1]), "classes": classes}
    other = [f"{int(one)} - {int(two)}" for one, two in zip(known, here, strict=True) if one != two]
    return "renumbered", {"count": len(other), "pairs": layer_outputs.shown(other)}


def _fit(ours: Array, theirs: Array, rtol: float) -> tuple[float, float] | None:
    """(factor, offset) where ours is the benchmark's times one number plus another; else None."""
    ours, theirs = ours.ravel(), theirs.ravel()
    centred = theirs - theirs.mean()
    spread = float(centred @ centred)
    if not spread:
        return None
    factor = float(centred @ (ours - ours.mean())) / spread
    offset = float(ours.mean() - factor * theirs.mean())
    if abs(factor) < 1e-6:
        return None
    return (factor, offset) if _relative(factor * theirs + offset, ours) <= rtol else None


def _correlation(ours: Array, theirs: Array) -> float:
    import numpy as np

    one, other = ours.ravel() - ours.mean(), theirs.ravel() - theirs.mean()
    norm = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / norm if norm else 0.0


def _where(where: Where, one: Match) -> Where:
    return Where(where.path, name=one.left.name)


def _row(
    one: Match, ours: Array, theirs: Array, dtype: str, other: str, code: str, data: dict[str, Any]
) -> list[Plain]:
    import numpy as np

    numbers: list[Plain] = []
    for side in (ours, theirs):
        values = _real(side)
        values = values[np.isfinite(values)]
        numbers += [float(values.mean()), float(values.std())] if values.size else [None, None]
    relative = data.get("relative")
    shown = relative if isinstance(relative, float) and math.isfinite(relative) else None
    dtypes = dtype if dtype == other else f"{dtype} / {other}"
    return [one.left.name, layer_outputs.shape(ours.shape), dtypes, *numbers, shown, code]


def _example(name: str, ours: bytes, theirs: bytes, verdict: Verdict, *codes: str) -> Example:
    files: dict[str, Any] = {"ours/batch0.npy": ours, "theirs/batch0.npy": theirs}
    return Example(
        name, files=files, case={"batches": {"path": "ours", "reference": "theirs"}}, verdict=verdict, codes=codes
    )


def _images(order: tuple[int, ...] = (0, 1, 2, 3), factor: float = 1.0, offset: float = 0.0) -> list[float]:
    """Four images of 3 channels of 2 x 2, drawn."""
    import random

    values: list[float] = []
    for image in order:
        generator = random.Random(image)
        values += [generator.uniform(0, 255) * factor + offset for _ in range(12)]
    return values


_SHAPE = (4, 3, 2, 2)
EXAMPLES = [
    _example("equal", npy(_images(), _SHAPE), npy(_images(), _SHAPE), Verdict.OK, "same"),
    _example("another order", npy(_images((2, 0, 1, 3)), _SHAPE), npy(_images(), _SHAPE), Verdict.PROBLEM, "order"),
    _example(
        "not divided by 255", npy(_images(), _SHAPE), npy(_images(factor=1 / 255), _SHAPE), Verdict.PROBLEM, "scale"
    ),
    _example(
        "labels off by one",
        npy([1, 2, 0, 0, 1, 2, 1, 1], kind="i"),
        npy([0, 1, 2, 2, 0, 1, 0, 0], kind="i"),
        Verdict.PROBLEM,
        "shifted-round",
    ),
    _example("another shape", npy(_images()[:36], (3, 3, 2, 2)), npy(_images(), _SHAPE), Verdict.PROBLEM, "shape"),
    _example("half written", npy(_images(), _SHAPE)[:150], npy(_images(), _SHAPE), Verdict.UNDECIDED, "unread"),
]
