"""Makes the training pipeline once for each device and tells whether the parts are disjoint, complete and of one size.

Catches: devices that all read the whole, parts that overlap or leave samples out, an order of files that differs by rank, parts
of different sizes. Each rank runs in a process of its own, which is told its rank by the arguments that pipelines.shard_args
names, by RANK_ID and RANK_SIZE, by get_rank() and get_group_size(), and by the context. The few repeats by which MindSpore
makes the parts equal are normal. Samples are told apart by their index at the source where all ranks see the same source, else
by a digest of their content. Cannot tell: an order that differs only between machines, and sources whose content differs at
every reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Histogram, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..model import suggest as usual
from ..probe import Example
from . import _live

if TYPE_CHECKING:
    from ..live.shards import Classes, Shards

KIND = Kind.LIVE
NEEDS: tuple[str | tuple[str, ...], ...] = (
    "pipelines.train",
    ("pipelines.shard_args", "runtime.distributed.devices"),
)


#: Chance gives a chi-square so many standard deviations above its mean less than once in ten million tables.
_SIGMAS = 6.0


Apart = Annotated[
    float,
    Meta(
        gt=0,
        le=1,
        description="the classes of a device are suspect when they are so far from those of all (total variation), and chance does not "
        "explain it (Pearson's chi-square, 6 standard deviations)",
        extra={"unit": "1", "source": "own choice; half of what two devices of one of two classes each have is 0.25"},
    ),
]
APART = 0.25


class Params(msgspec.Struct, frozen=True):
    shards: Annotated[
        int,
        Meta(
            ge=2,
            le=64,
            description="parts to make where runtime.distributed.devices does not say how many devices there are",
            extra={"unit": "devices", "source": "own choice"},
        ),
    ] = 4
    samples: Annotated[
        int,
        Meta(
            ge=64,
            le=800_000,
            description="samples read of the whole, and of each part",
            extra={"unit": "samples", "source": "own choice"},
        ),
    ] = 400_000
    apart: Apart = APART
    seconds: Annotated[
        float, Meta(gt=0, description="time for all parts", extra={"unit": "s", "source": "own choice"})
    ] = 180.0


MESSAGES: Words = {
    "not-sharded": {
        "en": "All {count} devices read the same {each:,} samples: the training data are not divided.",
        "zh": "{count} 个设备读到的都是同样的 {each:,} 个样本：训练数据没有分片。",
    },
    "arguments-unknown": {
        "en": "All {count} devices read the same {each:,} samples; but {call} has arguments about ranks ({names}). Name them in "
        "pipelines.shard_args to have them filled.",
        "zh": "{count} 个设备读到的都是同样的 {each:,} 个样本；但 {call} 有与 rank 有关的参数（{names}）。"
        "请在 pipelines.shard_args 中写明，以便逐个 rank 传入。",
    },
    "overlap": {
        "en": "The parts of {count} devices overlap: {repeated:,} samples are read more often than the data have them, of {total} in all.",
        "zh": "{count} 个设备的分片有重叠：共 {total} 个样本中有 {repeated:,} 个被多读。",
    },
    "missing": {
        "en": "{missing:,} of {total} samples are read by none of the {count} devices.",
        "zh": "共 {total} 个样本中有 {missing:,} 个没有被 {count} 个设备中的任何一个读到。",
    },
    "order-differs": {
        "en": "The ranks do not see the same data in the same order: the same index leads to different samples.",
        "zh": "各 rank 看到的数据顺序不同：同一索引对应的样本不一样。",
    },
    "unequal-steps": {
        "en": "The devices take different numbers of steps in an epoch: {least:,} to {most:,}. Those that are done wait for the others "
        "forever, or epochs drift apart.",
        "zh": "各设备每个 epoch 的步数不同：{least:,} 到 {most:,}。先结束的设备会一直等待，或各设备的 epoch 逐渐错开。",
    },
    "unequal": {
        "en": "The devices get different numbers of samples: {least:,} to {most:,}.",
        "zh": "各设备分到的样本数不同：{least:,} 到 {most:,}。",
    },
    "evened": {
        "en": "{missing:,} of {total} samples are left out so that all {count} devices get {each:,}; without shuffling these are never "
        "trained on.",
        "zh": "为使 {count} 个设备各得 {each:,} 个样本，共 {total} 个样本中舍去了 {missing:,} 个；若不混洗，它们永远不会参与训练。",
    },
    "filled": {
        "en": "{repeated:,} {repeated:sample is|samples are} read twice so that all {count} devices get {each:,} of {total}, which is "
        "MindSpore's behaviour.",
        "zh": "有 {repeated:,} 个样本被读两次，使 {count} 个设备各得 {each:,} 个（共 {total} 个），这是 MindSpore 的正常行为。",
    },
    "divided": {
        "en": "{total} samples are divided among {count} devices without overlap or loss ({each:,} each). {alike}",
        "zh": "{total} 个样本分给 {count} 个设备，无重叠、无遗漏（每个 {each:,} 个）。{alike}",
    },
    "classes-apart": {
        "en": "The devices get different classes: the class distribution of rank {rank} differs by {distance:.0%} from the overall one "
        "(total variation; {labelled:,} labels of {classes:,} classes).",
        "zh": "各设备的类别分布不同：rank {rank} 的类别与全体相差 {distance:.0%}（总变差；共 {classes:,} 类，"
        "读取了 {labelled:,} 个标签）。",
    },
    "whole-batch": {
        "en": "All devices take the same input by design (full_batch, or a strategy for the data set).",
        "zh": "按设计各设备输入相同（设置了 full_batch 或数据集切分策略）。",
    },
    "one-device": {
        "en": "The case names a single device and no arguments of shards: there is nothing to divide.",
        "zh": "项目为单卡且没有分片参数，无需分片。",
    },
    "sampled": {
        "en": "Only the first {samples:,} samples of each part were read; missing samples were not checked.",
        "zh": "每个分片只读取了前 {samples:,} 个样本，未检查是否有遗漏。",
    },
    "no-identity": {
        "en": "The content of the samples differs at every reading, so the samples of different ranks cannot be distinguished.",
        "zh": "样本内容每次读取都不同，无法比较各 rank 读到的样本。",
    },
    "other-whole": {
        "en": "A single device reads different samples from the {count} devices together ({strange:,} of theirs are not in its data), "
        "so whether any are missing cannot be decided.",
        "zh": "单设备读取的数据与 {count} 个设备合起来的不同（有 {strange:,} 个样本不在其中），无法判断是否有遗漏。",
    },
    "unknown-node": {
        "en": "The pipeline has a node of an unknown kind ({nodes}); it may change what is read.",
        "zh": "数据管道中有未知类型的节点（{nodes}），它可能改变读取的内容。",
    },
    "late": {
        "en": "The time ({seconds:g} s) was over after {ranks:,} of {count:,} ranks.",
        "zh": "时限（{seconds:g} 秒）内只完成了 {count:,} 个 rank 中的 {ranks:,} 个。",
    },
    **_live.NO_SAMPLES,
    "fix-shards": {
        "en": "Pass num_shards=get_group_size(), shard_id=get_rank() to the data set, and let nothing else choose samples by rank.",
        "zh": "请为数据集传入 num_shards=get_group_size(), shard_id=get_rank()，不要再用其他方式按 rank 选取样本。",
    },
    "fix-classes": {
        "en": "Shuffle before the data are divided, with one seed on all devices, or deal them out in turn instead of in blocks.",
        "zh": "请在分片之前用各设备相同的种子打乱数据，或按轮转而非按块分配。",
    },
    "fix-order": {
        "en": "Sort lists of files, and shuffle them on all ranks with the same seed, or leave shuffling to the data set.",
        "zh": "请对文件列表排序；如需打乱，各 rank 使用相同的种子，或交给数据集混洗。",
    },
    "fix-equal": {
        "en": "Let num_shards divide the data, which makes the parts equal, or use drop_remainder=True and the same number of samples.",
        "zh": "请用 num_shards 分片（会自动补齐），或保证各设备样本数相同并使用 drop_remainder=True。",
    },
}
WORDS: Words = {
    **_live.WORDS,
    "ranks": {"en": "What each device reads", "zh": "各设备读取的样本"},
    "rank": {"en": "rank", "zh": "rank"},
    "samples": {"en": "samples", "zh": "样本数"},
    "steps": {"en": "steps", "zh": "步数"},
    "first": {"en": "first samples", "zh": "前几个样本"},
    "classes": {"en": "Labels by rank and class", "zh": "各 rank 各类别的标签数"},
    "pairs": {"en": "Devices that share samples", "zh": "有相同样本的设备"},
    "other": {"en": "other rank", "zh": "另一 rank"},
    "shared": {"en": "shared", "zh": "相同样本数"},
    "sizes": {"en": "Samples by rank", "zh": "各 rank 样本数"},
}
_TWICE = {
    "en": "Samples read by several devices weigh more, and an epoch is not a real epoch; accuracy is lower than on one device.",
    "zh": "被多个设备读到的样本权重变大，epoch 也不再完整，精度会低于单卡。",
}
_NEVER = {
    "en": "Samples that no device reads are not learned.",
    "zh": "没有任何设备读到的样本学不到。",
}
_WAIT = {
    "en": "Devices exchange gradients at each step; one that has no more samples keeps the others waiting.",
    "zh": "各设备每步都要交换梯度，样本先用完的设备会让其他设备一直等待。",
}
_PRINT = {
    "en": "Print the ids of the samples on every rank of a real run: the sets must be disjoint and together cover all samples.",
    "zh": "真实多卡运行时在每个 rank 打印样本编号：各集合应互不相交，合起来等于全集。",
}
WHY: Words = {
    "not-sharded": _TWICE,
    "arguments-unknown": _TWICE,
    "overlap": _TWICE,
    "order-differs": _TWICE,
    "missing": _NEVER,
    "evened": _NEVER,
    "unequal-steps": _WAIT,
    "unequal": _WAIT,
    "classes-apart": {
        "en": "Each device normalises its batches over its own classes, and with shards of unequal size the average gradient is biased "
        "towards some classes.",
        "zh": "各设备的 BatchNorm 只见到自己的类别，各部分大小不等时平均梯度也会偏向某些类别。",
    },
}
PROOF: Words = dict.fromkeys(WHY, _PRINT)


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    devices, arguments = case.spec.runtime.distributed.devices, case.spec.pipelines.shard_args
    if devices is not None and devices < 2 and arguments is None:
        yield Finding("one-device", Level.INFO)
        return
    count = min(devices, 64) if devices and devices > 1 else params.shards
    request = {
        "pipeline": _live.pipeline_of(case, "train"),
        "shard_args": None if arguments is None else {"count": arguments.count, "index": arguments.index},
        "count": count,
        "samples": params.samples,
        "seconds": params.seconds,
        "label": case.get("data.train.label"),
    }
    ranks: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = []
    for event in events(case, "shards", request, params.seconds):
        if event["event"] == "progress":
            yield Progress(event["done"], event["total"], "steps")
        elif event["event"] == "pipeline":
            nodes = event["nodes"]
        elif event["event"] == "rank":
            ranks.append(event)
        elif event["event"] in ("late", "timeout"):
            data = {"seconds": params.seconds, "ranks": max(0, event.get("ranks", 1) - 1), "count": count}
            yield Finding("late", Level.INFO, data=data, incomplete=True)
            return
    yield from judge(case, ranks, nodes, params)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """A single device, or the same input for all by design, needs no parts."""
    found = list(findings)
    verdict = usual(found)
    if verdict is Verdict.OK and any(finding.code in ("one-device", "whole-batch") for finding in found):
        return Verdict.NOT_APPLICABLE
    return verdict


def _are_identified(whole: dict[str, Any], parts: list[dict[str, Any]]) -> bool:
    """Whether samples are told apart: each comes alike each time, or by its index from files that all ranks read whole."""
    if all(part["steady"] for part in (whole, *parts)):
        return True
    return whole["indexed"] and all(part["sizes"] == whole["sizes"] for part in parts)


def judge(case: Case, ranks: list[dict[str, Any]], nodes: list[dict[str, Any]], params: Params) -> Iterator[Finding]:
    """The findings that what the ranks read amounts to; the first entry of `ranks` is what one device alone reads."""
    import numpy as np

    from ..live import shards

    whole, parts = ranks[0], ranks[1:]
    if not whole["ids"]:
        yield Finding("no-samples", Level.INFO, data={"seconds": params.seconds}, incomplete=True)
        return
    if unknown := sorted({name for part in ranks for name in part["unknown"]}):
        yield Finding("unknown-node", Level.INFO, data={"nodes": unknown}, incomplete=True)
    if any(part["whole"] for part in parts):
        yield Finding("whole-batch", Level.INFO, evidence=[_live.nodes_table(nodes)])
        return
    if not _are_identified(whole, parts):
        yield Finding("no-identity", Level.INFO, evidence=[_live.nodes_table(nodes)], incomplete=True)
        return
    complete = whole["complete"] and all(part["complete"] for part in parts)
    ids = [np.array(part["ids"], np.int64) for part in parts]
    labels = dict(whole["labels"]) if whole["indexed"] is parts[0]["indexed"] else {}
    dealt = shards.classes(ids, labels)
    yield from of_classes(dealt, params.apart)
    found = shards.measure(ids, np.array(whole["ids"], np.int64) if complete else None)
    yield from _of_shards(case, found, ranks, nodes, complete, dealt)


_UNSEEN = {
    "en": "Whether they get the same classes was not seen: too few labels were read.",
    "zh": "各设备的类别是否一致未能判断：读到的标签太少。",
}


def alike(found: Classes | None) -> dict[str, str]:
    """How alike the classes of the devices are, in words for both languages."""
    if found is None:
        return _UNSEEN
    return {
        "en": f"Their classes are at most {found.distance:.1%} apart (total variation, {found.samples:,} labels).",
        "zh": f"各设备的类别分布最多相差 {found.distance:.1%}（总变差，{found.samples:,} 个标签）。",
    }


def of_classes(found: Classes | None, apart: float) -> Iterator[Finding]:
    """Parts that hold other classes."""
    if found is None or found.distance < apart or found.z <= _SIGMAS:
        return
    data: dict[str, Any] = {"rank": found.rank, "distance": found.distance}
    data |= {"labelled": found.samples, "classes": found.classes}
    shown = min(found.classes, 20)
    rows: list[list[Plain]] = [[rank, *counts[:shown]] for rank, counts in enumerate(found.table)]
    evidence: list[Evidence] = [Table("classes", ["rank", *found.names[:shown]], rows)]
    yield Finding("classes-apart", Level.SUSPECT, Where(), data, evidence, Fix("fix-classes"))


def _of_shards(
    case: Case,
    found: Shards,
    ranks: list[dict[str, Any]],
    nodes: list[dict[str, Any]],
    complete: bool,
    dealt: Classes | None,
) -> Iterator[Finding]:
    parts = ranks[1:]
    count = len(parts)
    evidence = _evidence(found, parts, nodes)
    data: dict[str, Any] = {
        "count": count,
        "total": "?" if found.total is None else f"{found.total:,}",
        "each": max(found.sizes),
        "least": min(found.sizes),
        "most": max(found.sizes),
        "repeated": found.repeated,
        "missing": found.missing or 0,
        "strange": found.strange,
        "identity": "index" if parts[0]["indexed"] else "content",
    }

    def finding(code: str, level: Level, fix: str | None = None, **more: Any) -> Finding:
        return Finding(code, level, Where(), data | more, evidence, Fix(fix) if fix else None)

    if found.identical and found.repeated and not found.filled:
        pipeline = case.spec.pipelines.train
        assert pipeline is not None
        names = parts[0]["parameters"]
        if names and case.spec.pipelines.shard_args is None:
            yield finding("arguments-unknown", Level.SUSPECT, names=names, call=pipeline.call)
        else:
            yield finding("not-sharded", Level.PROBLEM, "fix-shards")
        return
    if found.repeated and _index_differs(ranks):
        yield finding("order-differs", Level.PROBLEM, "fix-order")
    if found.repeated and not found.filled:
        yield finding("overlap", Level.PROBLEM, "fix-shards")
    if found.strange:
        yield Finding("other-whole", Level.INFO, Where(), data, evidence, incomplete=True)
    elif found.missing and not found.evened:
        yield finding("missing", Level.PROBLEM, "fix-shards")
    elif found.evened:
        yield finding("evened", Level.SUSPECT, "fix-shards")
    steps = [part["steps"] for part in parts]
    if None not in steps and len(set(steps)) > 1:
        yield finding("unequal-steps", Level.PROBLEM, "fix-equal", least=min(steps), most=max(steps))
    elif found.unequal and complete:
        yield finding("unequal", Level.SUSPECT, "fix-equal")
    if not complete:
        yield Finding("sampled", Level.INFO, Where(), data | {"samples": data["each"]}, evidence, incomplete=True)
    elif found.filled:
        yield finding("filled", Level.INFO)
    elif not (found.repeated or found.missing or found.strange or found.unequal):
        yield finding("divided", Level.INFO, alike=alike(dealt))


def _index_differs(ranks: list[dict[str, Any]]) -> bool:
    """Whether rows are known by content although all ranks share a source with an index: their sources do not agree on it."""
    parts = ranks[1:]
    shared = bool(parts[0]["sizes"]) and all(part["sizes"] == ranks[0]["sizes"] for part in parts)
    return shared and not parts[0]["indexed"]


def _evidence(found: Shards, parts: list[dict[str, Any]], nodes: list[dict[str, Any]]) -> list[Evidence]:
    rows: list[list[Plain]] = [
        [part["rank"], len(part["ids"]), part["steps"], " ".join(str(value) for value in part["ids"][:8])]
        for part in parts
    ]
    evidence: list[Evidence] = [
        Table("ranks", ["rank", "samples", "steps", "first"], rows),
        Histogram(
            "sizes", [str(part["rank"]) for part in parts], [float(size) for size in found.sizes], "rank", "samples"
        ),
    ]
    if found.pairs:
        pairs: list[list[Plain]] = [list(pair) for pair in found.pairs]
        evidence.append(Table("pairs", ["rank", "other", "shared"], pairs))
    return [*evidence, _live.nodes_table(nodes)]


# --- examples ---------------------------------------------------------------------------------------------------------

_HEAD = """
import os, random
import numpy as np
import mindspore.dataset as ds
from mindspore.communication import get_group_size, get_rank, init

values = np.arange({samples}, dtype=np.float32)

class Part:
    def __init__(self, values):
        self.values = values
    def __len__(self):
        return len(self.values)
    def __getitem__(self, index):
        return (self.values[index],)
"""
_ARGS = {"count": "num_shards", "index": "shard_id"}


def _example(
    name: str, body: str, verdict: Verdict, *codes: str, samples: int = 202, arguments: bool = False, devices: int = 4
) -> Example:
    head = _HEAD.replace("{samples}", str(samples))
    pipelines: dict[str, Any] = {"train": {"call": "pipe:create"}}
    if arguments:
        pipelines["shard_args"] = _ARGS
    case = {"pipelines": pipelines, "runtime": {"distributed": {"devices": devices}}}
    return Example(name, files={"pipe.py": head + body}, case=case, verdict=verdict, codes=codes)


_SHARDED = """
def create(num_shards, shard_id):
    return ds.NumpySlicesDataset(values, ["x"], num_shards=num_shards, shard_id=shard_id).batch(8)
"""
_OWN_PART = """
def create():
    init()
    rank, size = get_rank(), get_group_size()
    mine = {part}
    return ds.GeneratorDataset(Part(mine), ["x"]).batch(8)
"""

EXAMPLES = [
    _example("num_shards and shard_id", _SHARDED, Verdict.OK, "filled", arguments=True),
    _example("that can be divided", _SHARDED, Verdict.OK, "divided", arguments=True, samples=200),
    _example(
        "the ranks asked for, the parts cut by hand",
        _OWN_PART.format(part="values[rank::size]"),
        Verdict.OK,
        "divided",
        samples=200,
    ),
    _example(
        "not divided",
        "\ndef create():\n    return ds.NumpySlicesDataset(values, ['x'])\n",
        Verdict.PROBLEM,
        "not-sharded",
    ),
    _example(
        "arguments that the case does not name",
        _SHARDED.replace("num_shards, shard_id)", "num_shards=None, shard_id=None)"),
        Verdict.UNDECIDED,
        "arguments-unknown",
    ),
    _example(
        "each rank shuffles the list for itself",
        _OWN_PART.format(part="np.random.default_rng(rank).permutation(values)[rank::size]"),
        Verdict.PROBLEM,
        "overlap",
        "missing",
        samples=200,
    ),
    _example(
        "the last part forgotten",
        _OWN_PART.format(part="values[rank * 40:rank * 40 + 40] if size > 1 else values"),
        Verdict.PROBLEM,
        "missing",
        samples=200,
    ),
    _example(
        "parts of different sizes",
        _OWN_PART.format(part="values[rank * 40:rank * 40 + 40 if rank < size - 1 else None]"),
        Verdict.PROBLEM,
        "unequal-steps",
        samples=200,
    ),
    _example("one device", _SHARDED, Verdict.NOT_APPLICABLE, "one-device", devices=1),
]
