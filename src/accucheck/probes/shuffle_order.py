"""Reads two epochs of the project's own training pipeline and tells whether, and how far, the data are shuffled.

Catches: no shuffling, the same order in every epoch, a shuffle buffer that is small against the data, shuffling of whole
blocks (after batch(), or of files), labels that come in runs. The project's function is run, its samples are not augmented:
rows are told apart by their index at the source, or by a digest of their raw columns.
Cannot tell: orders that a training loop changes from outside (another dataset each epoch, a seed set before each), and
samples whose content differs at every reading and that have no label; those are left undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Curve, Evidence, Finding, Fix, Kind, Level, Note, Plain, Progress, Refutes, Table, Verdict, Where
from ..probe import Example
from . import _live

if TYPE_CHECKING:
    from ..live.order import Array, Order, Runs

KIND = Kind.LIVE
NEEDS: tuple[str | tuple[str, ...], ...] = ("pipelines.train",)


class Params(msgspec.Struct, frozen=True):
    samples: Annotated[
        int,
        Meta(
            ge=8,
            le=100_000,
            description="samples read of each epoch",
            extra={"unit": "samples", "source": "own choice"},
        ),
    ] = 20_000
    seconds: Annotated[
        float,
        Meta(gt=0, description="time for reading both epochs", extra={"unit": "s", "source": "own choice"}),
    ] = 60.0
    little: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="a buffer below this share of the data is too small",
            extra={"unit": "1", "source": "measured: rank correlation with the stored order is still 0.95"},
        ),
    ] = 0.1
    half: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="a buffer below this share of the data is suspect",
            extra={"unit": "1", "source": "measured: rank correlation with the stored order is still 0.37"},
        ),
    ] = 0.5


#: What the scripts seem to say of a pipeline that gives another order in each epoch.
UNSHUFFLED = [
    "shuffle-off",
    "sampler-in-order",
    "buffer-one",
    "shuffle-dropped",
    "reshuffle-off",
    "small-buffer",
    "split-in-order",
    "generator-in-order",
    "source-may-shuffle",
    "files-only",
    "off-by-default",
    "sometimes-off",
    "role-unknown",
    "handed-on",
]
MESSAGES: Words = {
    "source-order": {
        "en": "The training data are read in the order in which they are stored: {samples:,} samples checked, none of them moved.",
        "zh": "训练数据按存储顺序读取，没有混洗：检查了 {samples:,} 个样本，顺序均未改变。",
    },
    "fixed-order": {
        "en": "Both epochs read the training data in the same order ({samples:,} samples compared, {same:.1%} in the same position).",
        "zh": "两个 epoch 读取训练数据的顺序相同（比较了 {samples:,} 个样本，{same:.1%} 位置一致）。",
    },
    "reshuffle-off": {
        "en": "{node} shuffles once and then repeats that order: reshuffle_each_epoch is False ({samples:,} samples compared, "
        "{same:.1%} in the same position in both epochs).",
        "zh": "{node} 只混洗一次，之后每个 epoch 重复同一顺序：reshuffle_each_epoch 为 False"
        "（比较了 {samples:,} 个样本，两个 epoch 中 {same:.1%} 位置一致）。",
    },
    "blocks": {
        "en": "The data are shuffled in whole blocks only: {sequential:.1%} of the samples are followed by the sample that follows "
        "them in storage.",
        "zh": "数据只是整块混洗：{sequential:.1%} 的样本之后仍是存储顺序中的下一个样本。",
    },
    "small-buffer": {
        "en": "The order looks like that of a shuffle buffer of {buffer:,} samples, {buffer_share:.1%} of the {of:,}: no sample comes "
        "out more than {early:,} positions early.",
        "zh": "读取顺序相当于缓冲区大小为 {buffer:,} 的混洗，仅为 {of:,} 个样本的 {buffer_share:.1%}："
        "没有样本提前超过 {early:,} 个位置出现。",
    },
    "labels-fixed": {
        "en": "Both epochs have the same sequence of labels ({samples:,} samples). The samples themselves cannot be identified: their "
        "content differs at every reading, or repeats.",
        "zh": "两个 epoch 的标签序列完全相同（{samples:,} 个样本）。由于样本内容每次读取都不同或大量重复，无法逐个识别样本。",
    },
    "label-runs": {
        "en": "Equal labels come in runs: {observed:,} neighbours agree, while {expected:,.0f} would be expected in shuffled data (z = "
        "{z:.1f}).",
        "zh": "相同标签成段出现：有 {observed:,} 对相邻样本标签相同，而充分混合时约为 {expected:,.0f} 对（z = {z:.1f}）。",
    },
    "order-unconfirmed": {
        "en": "The pipeline requests the same indices in both epochs, but the source returns different content for the same index each "
        "time: it may shuffle, or only augment.",
        "zh": "两个 epoch 向数据源请求的索引顺序相同，但同一索引每次返回的内容不同：可能是数据源内部混洗，也可能只是数据增强。",
    },
    "source-reorders": {
        "en": "The pipeline requests the same indices in both epochs, but the source returns samples in a different order each time.",
        "zh": "两个 epoch 请求的索引顺序相同，但数据源内部每次返回的顺序不同。",
    },
    "no-identity": {
        "en": "The samples cannot be identified: their content differs at every reading or repeats, and there is no label column to go "
        "by. Name one in data.train.label.",
        "zh": "无法识别样本：其内容每次读取都不同或大量重复，且没有可用的标签列。可在 data.train.label 中指定标签列。",
    },
    "unknown-node": {
        "en": "The pipeline has a node of a kind that is not known here ({nodes}); it may change the order.",
        "zh": "数据管道中有未知类型的节点（{nodes}），它可能改变读取顺序。",
    },
    "too-few": {
        "en": "Only {samples:,} samples: too few to judge their order.",
        "zh": "只有 {samples:,} 个样本，无法从顺序判断是否混洗。",
    },
    "second-missing": {
        "en": "The time was over before the second epoch; only the first {samples:,} samples of one epoch were seen.",
        "zh": "时限内未读到第二个 epoch，只检查了一个 epoch 的前 {samples:,} 个样本。",
    },
    "not-bounded": {
        "en": "Of {total} samples the first {samples:,} were read; they show no buffer below {buffer:,}, which is less than half "
        "of the data. Read more with the parameter samples.",
        "zh": "共 {total} 个样本，只读取了前 {samples:,} 个；未见小于 {buffer:,} 的缓冲区，但这不足总量的一半。可调大参数 samples 再检查。",
    },
    "sampled": {
        "en": "The first {samples:,} of {total} samples of each epoch were checked.",
        "zh": "每个 epoch 共 {total} 个样本，检查了前 {samples:,} 个。",
    },
    "shuffled": {
        "en": "Shuffled again in each epoch ({samples:,} samples: {same:.2%} in the same position in both epochs).",
        "zh": "每个 epoch 都重新混洗（{samples:,} 个样本，两个 epoch 中 {same:.2%} 位置一致）。",
    },
    **_live.NO_SAMPLES,
    "fix-shuffle": {
        "en": "Pass shuffle=True to the dataset (or leave it out: a source with random access shuffles by default), or add "
        ".shuffle(buffer_size) before batch().",
        "zh": "为数据集传入 shuffle=True（支持随机访问的数据源不写该参数时默认混洗），或在 batch() 之前加 .shuffle(buffer_size)。",
    },
    "fix-buffer": {
        "en": "Raise buffer_size towards the number of samples, or let the source itself shuffle (shuffle=True).",
        "zh": "把 buffer_size 增大到接近样本总数，或让数据源自身混洗（shuffle=True）。",
    },
    "fix-blocks": {
        "en": "Shuffle before batch(), and with shuffle=True (global) rather than by files.",
        "zh": "在 batch() 之前混洗，并使用 shuffle=True（全局混洗）而不是只混洗文件顺序。",
    },
    "fix-reshuffle": {
        "en": "Leave reshuffle_each_epoch at True; after split() add .shuffle() to the training part.",
        "zh": "保持 reshuffle_each_epoch 为 True；使用 split() 之后，请对训练部分再调用 .shuffle()。",
    },
}
WORDS: Words = {
    "order": {"en": "Where in storage the samples of an epoch come from", "zh": "各 epoch 样本在存储中的位置"},
    "place": {"en": "position in the epoch", "zh": "在 epoch 中的次序"},
    "position": {"en": "position in storage", "zh": "存储位置"},
    "epoch-1": {"en": "epoch 1", "zh": "第 1 个 epoch"},
    "epoch-2": {"en": "epoch 2", "zh": "第 2 个 epoch"},
    "first": {
        "en": "The first samples of both epochs, by position in storage",
        "zh": "两个 epoch 的前若干样本（存储位置）",
    },
    **_live.WORDS,
    "label-order": {
        "en": "The labels of the first samples, numbered as they appear",
        "zh": "前若干样本的标签（按首次出现编号）",
    },
}


class _ChildResult(msgspec.Struct):
    """What the child told."""

    nodes: list[dict[str, Any]] = []
    identity: str = "index"
    unknown: list[str] = []
    rows: int | None = None
    stride: int = 1
    reference: dict[str, Any] | None = None
    epochs: dict[int, dict[str, Any]] = {}
    labels: dict[str, list[int]] = {}
    twice: dict[str, Any] | None = None

    @property
    def epoch_labels(self) -> list[int]:
        """The labels of the first epoch, in the order in which they came."""
        return self.labels.get("epoch") or self.epochs[1]["labels"]

    @property
    def stored_labels(self) -> list[int]:
        """The labels in the order of storage; empty where they were not read."""
        return self.labels.get("source") or (self.reference or {}).get("labels") or []

    def take(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "pipeline":
            self.nodes = event["nodes"]
        elif kind == "built":
            self.identity, self.unknown = event["identity"], event["unknown"]
            self.rows, self.stride = event["rows"], event["stride"]
        elif kind == "reference":
            self.reference = event
        elif kind == "epoch":
            self.epochs[event["number"]] = event
        elif kind == "labels":
            self.labels[event["of"]] = event["labels"]
        elif kind == "twice":
            self.twice = event


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    request = {
        "pipeline": _live.pipeline_of(case, "train"),
        "samples": params.samples,
        "seconds": params.seconds,
        "label": case.get("data.train.label"),
    }
    seen = _ChildResult()
    for event in events(case, "order", request, params.seconds):
        if event["event"] == "progress":
            yield Progress(event["done"], event["total"], "samples")
        else:
            seen.take(event)
    yield from judge(seen, params)


def judge(seen: _ChildResult, params: Params) -> Iterator[Finding]:
    """The findings that what was seen amounts to."""
    import numpy as np

    from ..live import order as orders

    if 1 not in seen.epochs or not seen.epochs[1]["ids"]:
        yield Finding("no-samples", Level.INFO, data={"seconds": params.seconds}, incomplete=True)
        return
    first = np.array(seen.epochs[1]["ids"], np.int64)
    second = np.array(seen.epochs[2]["ids"], np.int64) if seen.epochs.get(2, {}).get("ids") else None
    complete = bool(seen.epochs[1]["complete"])
    total = len(first) if complete else seen.rows
    if seen.unknown:
        yield Finding("unknown-node", Level.INFO, data={"nodes": sorted(set(seen.unknown))}, incomplete=True)
    if len(first) < orders.FEWEST:
        yield Finding("too-few", Level.INFO, data={"samples": len(first)}, incomplete=True)
        return
    where, beyond = positions(seen, first, second, complete)
    order = orders.measure(first, second, total, where, beyond)
    yield from _of_order(seen, params, order, first, second, where, beyond is not None, complete)


def positions(seen: _ChildResult, ids: Array, second: Array | None, complete: bool) -> tuple[Array, int | None]:
    """The place in storage of each sample (-1: unknown), and the place that stands for "there or further on", if any."""
    import numpy as np

    unknown = np.full(len(ids), -1, np.int64)
    if seen.identity == "index":
        values, ranks = np.unique(ids, return_inverse=True)
        if len(values) < 0.99 * len(ids):  # drawn with replacement: the order of storage cannot be compared
            return unknown, None
        return (ranks.astype(np.int64) if complete else ids // seen.stride), None
    reference = seen.reference or {"ids": [], "complete": False}
    place: dict[int, int] = {}
    for position, value in enumerate(reference["ids"]):
        place[value] = -1 if value in place else position  # the same content twice tells nothing
    values, counts = np.unique(ids, return_counts=True)
    often = set(values[counts > 1].tolist())
    end = -1 if reference["complete"] else len(place)
    found = np.array([-1 if value in often else place.get(value, end) for value in ids.tolist()], np.int64)
    if end < 0 or not (found == end).any():
        return found, None
    if not (found < end).any() and (second is None or not np.isin(second, ids).any()):
        return unknown, None  # no sample is ever seen again: its content differs at every reading
    return found, end


def _of_order(
    seen: _ChildResult,
    params: Params,
    order: Order,
    first: Array,
    second: Array | None,
    where: Array,
    clipped: bool,
    complete: bool,
) -> Iterator[Finding]:
    import numpy as np

    from ..live import order as orders

    epoch_labels = seen.epoch_labels
    label_runs = orders.runs(np.array(epoch_labels, np.int64))
    stored_runs = orders.runs(np.array(seen.stored_labels, np.int64))
    clustered = any(found is not None and found.clustered for found in (label_runs, stored_runs))
    evidence = _evidence(seen, first, second, where, epoch_labels)
    data = orders.facts(order) | {"identity": seen.identity, "clustered": clustered}
    data["total"] = order.total if order.total is not None else "?"
    strong = Level.PROBLEM if clustered else Level.SUSPECT

    def finding(code: str, level: Level, fix: str | None = None, **more: Any) -> Finding:
        return Finding(code, level, Where(), data | more, evidence, Fix(fix) if fix else None)

    if order.repeats or (order.as_stored and second is None):
        yield _of_same_order(seen, order.as_stored, finding)
        return
    if order.buffer is None and seen.identity == "content":
        yield from _of_labels(seen, label_runs, finding)
        return
    if order.in_blocks:
        yield finding("blocks", strong, "fix-blocks")
        return
    share = 1.0 if order.buffer_share is None else order.buffer_share
    small = share < params.half
    by_chance = (order.buffer_chance or 0.0) >= orders.CHANCE
    if order.samples >= orders.ENOUGH and small and not by_chance and not clipped:
        level = strong if share < params.little else Level.SUSPECT
        size = order.buffer or 1
        yield finding("small-buffer", level, "fix-buffer", early=size - 1, of=order.total or order.samples)
        return
    if label_runs is not None and label_runs.clustered:
        yield finding("label-runs", Level.SUSPECT, **_run_facts(label_runs))
    if second is None:
        yield Finding("second-missing", Level.INFO, data=data, evidence=evidence, incomplete=True)
        return
    if not complete and not _bounded(order, params, clipped):
        yield Finding("not-bounded", Level.INFO, data=data, evidence=evidence, incomplete=True)
        return
    if not complete:
        yield Finding("sampled", Level.INFO, data=data)
    refutes = [Refutes("shuffle_settings", UNSHUFFLED)]
    yield msgspec.structs.replace(finding("shuffled", Level.INFO), refutes=refutes)


def _of_same_order(seen: _ChildResult, in_order: bool, finding: Callable[..., Finding]) -> Finding:
    """Why the samples come in the same order each epoch, or in that of storage: what the nodes of the pipeline tell."""
    inner = _behind_the_index(seen)
    if inner == "reorders":
        return finding("source-reorders", Level.INFO)
    if inner == "unknown":
        return finding("order-unconfirmed", Level.SUSPECT)
    if in_order:
        return finding("source-order", Level.PROBLEM, "fix-shuffle")
    once = next((entry for entry in seen.nodes if entry.get("reshuffle_each_epoch") is False), None)
    if once:
        return finding("reshuffle-off", Level.PROBLEM, "fix-reshuffle", node=once["node"])
    return finding("fixed-order", Level.PROBLEM, "fix-shuffle")


def _bounded(order: Order, params: Params, clipped: bool) -> bool:
    """Whether the part that was read bounds how far samples are moved."""
    if order.buffer is None:
        return True
    if order.total is None:
        return False
    return not clipped or order.buffer / order.total >= params.half


def _behind_the_index(seen: _ChildResult) -> str:
    """Whether a source of the user's own gives the same row for the same index: "same", "reorders" or "unknown"."""
    twice = seen.twice
    if twice is None or not twice["rows"] or twice["same"] >= 0.9 * twice["rows"]:
        return "same"
    if twice["reordered"]:
        return "reorders"
    labels = seen.labels.get("epoch") or []
    if twice["same_label"] is None or len(set(labels)) < 2:
        return "unknown"
    return "same" if twice["same_label"] >= 0.99 * twice["rows"] else "reorders"


def _of_labels(seen: _ChildResult, label_runs: Runs | None, finding: Any) -> Iterator[Finding]:
    """What can be said when the samples cannot be told apart."""
    import numpy as np

    from ..live import order as orders

    if label_runs is not None and 2 in seen.epochs:
        first, second = (np.array(seen.epochs[number]["labels"], np.int64) for number in (1, 2))
        same, chance = orders.agreement(first, second)
        if same >= 0.999 and chance < orders.CHANCE:
            # a sampler that deals out the classes in turn does this too, but not in runs
            level = Level.PROBLEM if label_runs.clustered else Level.SUSPECT
            yield finding("labels-fixed", level, "fix-shuffle", **_run_facts(label_runs))
            return
        if label_runs.clustered:
            yield finding("label-runs", Level.SUSPECT, **_run_facts(label_runs))
            return
    yield Finding("no-identity", Level.INFO, data={"samples": len(seen.epochs[1]["ids"])}, incomplete=True)


def _run_facts(found: Runs) -> dict[str, Any]:
    return {"classes": found.classes, "observed": found.observed, "expected": found.expected, "z": found.z}


def _evidence(
    seen: _ChildResult, first: Array, second: Array | None, where: Array, labels: list[int]
) -> list[Evidence]:
    import numpy as np

    evidence: list[Evidence] = []
    place = dict(zip(first.tolist(), where.tolist(), strict=True))
    other = [] if second is None else [place.get(value, -1) for value in second.tolist()]
    if (where >= 0).any():
        step = max(1, len(where) // 400)
        x = list(range(0, len(where), step))

        def series(found: list[int]) -> list[float | None]:
            return [float(found[i]) if i < len(found) and found[i] >= 0 else None for i in x]

        lines = {"epoch-1": series(where.tolist())}
        if other:
            lines["epoch-2"] = series(other)
        evidence.append(Curve("order", "place", "position", [float(i) for i in x], lines))
        rows: list[list[Plain]] = [
            [i, int(where[i]) if where[i] >= 0 else None, other[i] if i < len(other) and other[i] >= 0 else None]
            for i in range(min(20, len(where)))
        ]
        evidence.append(Table("first", ["place", "epoch-1", "epoch-2"], rows, total=len(where)))
    if any(code >= 0 for code in labels) and len(np.unique(labels)) > 1:
        evidence.append(Note("label-order", " ".join(str(code) for code in labels[:200])))
    return [*evidence, _live.nodes_table(seen.nodes)]


_SORTED = """
import numpy as np
import mindspore.dataset as ds

def data(n=600):
    labels = np.repeat(np.arange(6), n // 6).astype(np.int32)
    images = np.arange(n * 4, dtype=np.float32).reshape(n, 4)
    return images, labels
"""


def _example(name: str, body: str, verdict: Verdict, *codes: str, **args: Any) -> Example:
    return Example(
        name,
        files={"pipe.py": _SORTED + body},
        case={"pipelines": {"train": {"call": "pipe:create_dataset", "args": args}}},
        verdict=verdict,
        codes=codes,
    )


_DIRECT = """
def create_dataset(training):
    images, labels = data()
    dataset = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=training)
    dataset = dataset.map(lambda image: image + np.float32(np.random.rand()), input_columns="image")
    return dataset.batch(32, drop_remainder=True)
"""
_BUFFER = """
def create_dataset(buffer_size):
    images, labels = data()
    dataset = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=False)
    return dataset.shuffle(buffer_size).batch(32)
"""

EXAMPLES = [
    _example("shuffled, with a random map above", _DIRECT, Verdict.OK, "shuffled", training=True),
    _example("not shuffled, hidden behind a random map", _DIRECT, Verdict.PROBLEM, "source-order", training=False),
    _example("a buffer as large as the data", _BUFFER, Verdict.OK, "shuffled", buffer_size=600),
    _example("a small buffer over sorted labels", _BUFFER, Verdict.PROBLEM, "small-buffer", buffer_size=20),
    _example(
        "shuffled once by split()",
        """
def create_dataset():
    images, labels = data()
    dataset = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=False)
    train, _ = dataset.split([0.8, 0.2])
    return train.batch(32)
""",
        Verdict.PROBLEM,
        "reshuffle-off",
    ),
    _example(
        "a generator that nobody shuffles",
        """
def create_dataset():
    images, labels = data()
    return ds.GeneratorDataset(lambda: zip(images, labels), ["image", "label"]).batch(32)
""",
        Verdict.PROBLEM,
        "source-order",
    ),
]
