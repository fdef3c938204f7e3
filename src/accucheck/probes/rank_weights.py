"""Tells whether all devices start from the same weights: compares the initial checkpoints of the ranks, bit by bit.

Each checkpoint of checkpoints.ranks is compared with the first; a single folder of them (rank_0, rank_1, ...) will do. A checkpoint
does not say whether it holds a part of a tensor, nor whether the weights are made alike later. Weights that differ are therefore a
problem only where the scripts say that each device holds the whole network and nothing broadcasts it; undecided elsewhere, and where
names or shapes differ. Name tensors that are split by design, as in model parallel training, in the parameter `split`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Verdict, Where
from ..probe import Example, Skip
from . import _checkpoints
from ._checkpoints import (
    DIFFERENCE,
    STATISTICS,
    Threads,
    ckpt,
    difference,
    drawn,
    not_compared,
    shape,
    shown,
    table,
    unreadable,
)

if TYPE_CHECKING:
    from ..readers.tensor_comparison import Comparison
    from ..readers.tensors import TensorInfo

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("checkpoints.ranks",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    split: Annotated[
        tuple[str, ...],
        Meta(
            description="patterns (* and ?) of names of which each device holds a part by design; they are left out",
            extra={"unit": "names", "source": "own choice: data parallel training splits none"},
        ),
    ] = ()
    threads: Threads = 2


MESSAGES: Words = {
    **_checkpoints.MESSAGES,
    **_checkpoints.UNREADABLE,
    "one-rank": {
        "en": "checkpoints.ranks lists only one checkpoint, {path}. Save the weights of each device before the first step and list "
        "them all.",
        "zh": "checkpoints.ranks 只给出了一个 checkpoint：{path}。请在第一步之前保存每张卡的权重，并全部给出。",
    },
    "weights-differ": {
        "en": "{count:,} {count:weight|weights} of {path} {count:differs|differ} from those of {first}, by up to "
        "{largest:.3g}: {names}.",
        "zh": "{path} 中有 {count:,} 个权重与 {first} 不同，最大差值 {largest:.3g}：{names}。",
    },
    "statistics-differ": {
        "en": "{count:,} moving {count:statistic|statistics} of {path} {count:differs|differ} from those of {first}: {names}. Each "
        "device keeps its own during training; were these checkpoints saved before the first step?",
        "zh": "{path} 中有 {count:,} 个滑动统计量与 {first} 不同：{names}。训练开始后各卡的滑动统计量各自更新，"
        "请确认这些 checkpoint 保存于第一步之前。",
    },
    "shapes-differ": {
        "en": "{count:,} {count:tensor has|tensors have} one shape in {first} and another in {path}: {names}. Tensors split by design "
        "cannot be distinguished from wrong ones.",
        "zh": "有 {count:,} 个张量在 {first} 与 {path} 中形状不同：{names}。无法区分是有意切分还是错误。",
    },
    "types-differ": {
        "en": "{count:,} {count:tensor has|tensors have} one type in {first} and another in {path}, and "
        "{count:differs|differ} by no more than rounding: {names}.",
        "zh": "有 {count:,} 个张量在 {first} 与 {path} 中数据类型不同，差异未超出舍入误差：{names}。",
    },
    "signs-differ": {
        "en": "{count:,} {count:tensor|tensors} of {path} and {first} {count:holds|hold} equal numbers in different "
        "bits (signs of zeros, kinds of NaN): "
        "{names}.",
        "zh": "{path} 与 {first} 中有 {count:,} 个张量数值相等而二进制不同（正负零、不同编码的 NaN）：{names}。",
    },
    "names-differ": {
        "en": "{count:,} {count:weight is|weights are} in only one of {first} and {path}: {names}. That is right if each device holds "
        "some of the layers.",
        "zh": "有 {count:,} 个权重只存在于 {first} 与 {path} 之一：{names}。仅当各卡分别持有不同的层时才合理。",
    },
    "state-differs": {
        "en": "{count:,} {count:tensor|tensors} of training state or integers {count:differs|differ} between {path} "
        "and {first}: {names}.",
        "zh": "{path} 与 {first} 中有 {count:,} 个训练状态张量或整数张量不同：{names}。",
    },
    "nothing-compared": {
        "en": "No weight of {path} could be compared with {first}.",
        "zh": "{path} 中没有可与 {first} 比较的权重。",
    },
    "examined": {
        "en": "{ranks:,} {ranks:checkpoint was|checkpoints were} compared with {first}; {equal:,} of them {equal:has|have} "
        "the same weights ({count:,} "
        "{count:tensor|tensors}).",
        "zh": "已将 {ranks:,} 个 checkpoint 与 {first} 比较，其中 {equal:,} 个权重完全相同（{count:,} 个张量）。",
    },
    "split": {
        "en": "{count:,} {count:tensor|tensors} that {count:is|are} split by design {count:was|were} left out: "
        "{names}.",
        "zh": "有 {count:,} 个声明为有意切分的张量未参与比较：{names}。",
    },
    "fix-seed": {
        "en": "Call mindspore.set_seed with the same number on all devices before the network is created, or load the same checkpoint "
        "on all of them.",
        "zh": "所有卡都在创建网络之前用同一个数调用 mindspore.set_seed，或都加载同一份 checkpoint。",
    },
}

WHY: Words = {
    "weights-differ": {
        "en": "Data parallel training reduces gradients only: weights that start out different stay different, the devices train different "
        "networks, and the shared gradients fit none of them.",
        "zh": "数据并行只聚合梯度：初始权重不同就会一直不同，各卡训练的其实是不同的网络，聚合得到的梯度对谁都不准确。",
    },
    "names-differ": {
        "en": "Devices that hold different networks reduce gradients that do not belong together, or wait for each other.",
        "zh": "各卡网络不一致时，聚合的梯度彼此对不上，或互相等待。",
    },
    "shapes-differ": {
        "en": "Devices that hold different networks reduce gradients that do not belong together, or wait for each other.",
        "zh": "各卡网络不一致时，聚合的梯度彼此对不上，或互相等待。",
    },
}
PROOF: Words = {
    "weights-differ": {
        "en": "Save again before the first step, with one mindspore.set_seed on all devices: all tensors must be equal. Name tensors "
        "that are split by design (model parallel) in the parameter `split`.",
        "zh": "所有卡设置相同的 mindspore.set_seed，在第一步之前重新保存：各张量应完全相同。"
        "若张量为有意切分（模型并行），请写入参数 `split`。",
    },
    "names-differ": {
        "en": "Print the names of net.parameters_and_names() on both devices; in data parallel training they must be the same.",
        "zh": "在两张卡上打印 net.parameters_and_names() 的名称；数据并行训练中应完全相同。",
    },
    "shapes-differ": {
        "en": "Print the shapes of these parameters on both devices, and the parallel mode; in data parallel training they must be "
        "the same.",
        "zh": "在两张卡上打印这些参数的形状和并行模式；数据并行训练中形状应完全相同。",
    },
}

WORDS: Words = {
    **_checkpoints.WORDS,
    "weights-differ": {"en": "Weights that differ", "zh": "不同的权重"},
    "statistics-differ": {"en": "Moving statistics that differ", "zh": "不同的滑动统计量"},
    "state-differs": {"en": "State that differs", "zh": "不同的训练状态"},
    "types-differ": {"en": "Types that differ", "zh": "数据类型不同的张量"},
    "signs-differ": {"en": "Equal numbers, different bits", "zh": "数值相等而二进制不同的张量"},
    "shapes-differ": {"en": "Shapes that differ", "zh": "形状不同的张量"},
    "names-differ": {"en": "In one checkpoint only", "zh": "只存在于一侧的权重"},
    "ranks": {"en": "Checkpoints", "zh": "各卡 checkpoint"},
    "compared": {"en": "Compared", "zh": "比较的张量数"},
    "differing": {"en": "Differing weights", "zh": "不同的权重数"},
}

_LEVELS = {
    "weights-differ": Level.SUSPECT,
    "statistics-differ": Level.SUSPECT,
    "types-differ": Level.SUSPECT,
    "state-differs": Level.INFO,
    "signs-differ": Level.INFO,
}

_Row = tuple["TensorInfo", "TensorInfo", "Comparison"]


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    """Raises ReadError when the first checkpoint or all others cannot be read, Skip when there is only one."""
    from ..readers.checkpoints import open_checkpoint

    # A file that is given twice would be equal to itself.
    paths = list({path.resolve(): path for path in case.paths("checkpoints.ranks")}.values())
    tensors = open_checkpoint(paths[0]).tensors
    first = _parts(tensors) if len(paths) == 1 else {str(paths[0]): tensors}
    (base_path, base), *rest = first.items()
    base_name = case.relative(base_path)
    if len(paths) == 1 and not rest:
        raise Skip("one-rank", path=case.relative(paths[0]))
    failed: list[ReadError] = []
    overview: list[list[Plain]] = []
    others: list[tuple[str, list[TensorInfo] | None]] = [*rest, *((str(path), None) for path in paths[1:])]
    yield Progress(0, len(others), "files")
    for path, part in others:
        name = case.relative(path)
        try:
            tensors = open_checkpoint(path).tensors if part is None else part
            compared, differing = yield from _rank(case, params, base_name, base, name, tensors)
            overview.append([name, compared, differing])
        except ReadError as error:
            failed.append(error)
            yield unreadable(name, error)
        yield Progress(len(overview) + len(failed), len(others), "files")
    if not overview:
        raise failed[0]
    data = {
        "first": base_name,
        "ranks": len(overview),
        "equal": sum(not row[2] for row in overview),
        "count": len(base),
    }
    evidence = [table("ranks", ["path", "compared", "differing"], overview)]
    yield Finding("examined", Level.INFO, Where(base_name), data, list(evidence))


def _parts(tensors: list[TensorInfo]) -> dict[str, list[TensorInfo]]:
    """The tensors by file, or all under one when no name repeats: then the files are parts of one checkpoint."""
    files: dict[str, list[TensorInfo]] = {}
    for info in tensors:
        files.setdefault(info.path, []).append(info)
    if len({info.name for info in tensors}) == len(tensors):
        return {tensors[0].path if tensors else "": tensors}
    return files


def _rank(
    case: Case, params: Params, first: str, base: list[TensorInfo], name: str, tensors: list[TensorInfo]
) -> Generator[Finding, None, tuple[int, int]]:
    """The findings about one checkpoint; returns how many weights were compared, and how many of them differ."""
    from ..readers.tensor_comparison import compare, pair

    where, common = Where(name), {"path": name, "first": first}

    def kept(infos: list[TensorInfo]) -> list[TensorInfo]:
        return [info for info in infos if not any(fnmatchcase(info.name, pattern) for pattern in params.split)]

    pairs = pair(kept(base), kept(tensors))
    if left_out := sorted({info.name for info in base} - {info.name for info in kept(base)}):
        yield Finding("split", Level.INFO, where, {"count": len(left_out), "names": shown(left_out)})
    found: dict[str, list[_Row]] = {code: [] for code in _LEVELS}
    weights = 0
    for row in compare(pairs.same, params.threads):
        weights += row[0].role == "weight" and row[0].floating
        if code := _judge(*row):
            found[code].append(row)
    alone = [info for info in pairs.left + pairs.right if info.role == "weight"]
    # Devices that hold parts of the network may hold parts of these tensors too.
    sure = found["weights-differ"] and not alone and not pairs.shapes and _replicas(case)
    levels = _LEVELS | {"weights-differ": Level.PROBLEM if sure else Level.SUSPECT}
    for code, rows in found.items():
        if rows:
            rows.sort(key=lambda row: -row[2].largest)
            data = common | {"count": len(rows), "names": shown(row[0].name for row in rows)}
            data["largest"] = min(rows[0][2].largest, 1e300)
            evidence = [table(code, DIFFERENCE, [difference(*row) for row in rows])]
            fix = Fix("fix-seed") if code == "weights-differ" else None
            yield Finding(code, levels[code], Where(name, name=rows[0][0].name), data, list(evidence), fix)
    if pairs.shapes:
        cells: list[list[Plain]] = [[info.name, shape(info), shape(other)] for info, other in pairs.shapes]
        data = common | {"count": len(cells), "names": shown(info.name for info, _ in pairs.shapes)}
        evidence = [table("shapes-differ", ["name", "shape", "other-shape"], cells)]
        yield Finding("shapes-differ", Level.SUSPECT, where, data, list(evidence))
    if alone:
        cells = [[info.name, shape(info), case.relative(info.path)] for info in alone]
        data = common | {"count": len(alone), "names": shown(info.name for info in alone)}
        evidence = [table("names-differ", ["name", "shape", "path"], cells)]
        yield Finding("names-differ", Level.SUSPECT, where, data, list(evidence))
    yield from not_compared(pairs, where, {})
    if not weights:
        yield Finding("nothing-compared", Level.INFO, where, common, incomplete=True)
    return weights, len(found["weights-differ"]) + len(found["types-differ"])


def _replicas(case: Case) -> bool:
    """Whether the scripts say that each device holds the whole network, and that nothing makes the weights alike later."""
    from ..script import ranks
    from ..script.analysis import read_scripts

    found = [ranks.deployment(reading.trace) for reading in read_scripts(case).training]
    parted = any(one.broadcasts or set(one.modes()) - {"data_parallel", "stand_alone"} for one in found)
    return any(one.distributed for one in found) and not parted


def _judge(left: TensorInfo, right: TensorInfo, found: Comparison) -> str | None:
    if found.equal == found.count and left.dtype == right.dtype:
        return None if found.identical else "signs-differ"
    if left.role != "weight" or not left.floating:
        return "state-differs"
    if left.dtype != right.dtype and not found.outside:
        return "types-differ"
    return "statistics-differ" if STATISTICS.search(left.name) else "weights-differ"


_WEIGHTS = {
    "conv.weight": drawn(4, 3, 3, 3),
    "bn.moving_mean": ([4], [0.0] * 4),
    "fc.weight": drawn(2, 4),
    "moments.fc.weight": ([2, 4], [0.0] * 8),
}


def _example(
    name: str, second: dict[str, Any], verdict: Verdict, *codes: str, mode: str = "data_parallel", **params: Any
) -> Example:
    files = [_WEIGHTS, _WEIGHTS | second, _WEIGHTS]
    script = f"""import mindspore as ms
from mindspore.communication import init

init()
ms.set_auto_parallel_context(parallel_mode="{mode}", gradients_mean=True)
"""
    return Example(
        name,
        files={"train.py": script, **{f"rank{rank}.ckpt": ckpt(weights) for rank, weights in enumerate(files)}},
        case={
            "scripts": {"train": "train.py"},
            "checkpoints": {"ranks": [f"rank{rank}.ckpt" for rank in range(len(files))]},
        },
        verdict=verdict,
        codes=codes,
        params=params,
    )


EXAMPLES = [
    _example("three equal ranks", {}, Verdict.OK),
    _example("a rank with weights of its own", {"fc.weight": drawn(2, 4, seed=1)}, Verdict.PROBLEM, "weights-differ"),
    _example(
        *(
            "ranks that hold slices of one shape",
            {"fc.weight": drawn(2, 4, seed=1)},
            Verdict.UNDECIDED,
            "weights-differ",
        ),
        mode="semi_auto_parallel",
    ),
    _example("a rank with half of a tensor", {"fc.weight": drawn(1, 4)}, Verdict.UNDECIDED, "shapes-differ"),
    _example("a rank with a layer more", {"head.weight": drawn(2, 2)}, Verdict.UNDECIDED, "names-differ"),
    _example("tensors split by design", {"fc.weight": drawn(2, 4, seed=1)}, Verdict.OK, "split", split=["fc.*"]),
]
