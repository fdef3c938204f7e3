"""Compares the samples that the ranks of a training read, as each recorded them.

`accucheck.Recorder` writes a file for each rank beside that of rank 0 (run.rank1.jsonl). Catches ranks that read the same samples,
parts that overlap by more than what fills them up to one size, and, where data.train.path has the label of each sample that was
recorded by its row or file, parts of other classes. Cannot tell whether a sample is read by none, nor samples that are
recorded by their content and augmented.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..errors import ReadError
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Refutes, Table, Verdict, Where
from ..model import suggest as usual
from ..probe import Example, Skip
from . import _labelled, _recorded_samples, shard_overlap

if TYPE_CHECKING:
    from ._labelled import OrderedLabels
    from ._recorded_samples import Array, RecordedSamples

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (("curves.train", "watched"),)
USES = ("scripts.train", "data.train.path", "data.train.label", "loss")
_SHARED = ("unequal", "classes-apart", "fix-shards", "fix-classes", "fix-equal")


class Params(msgspec.Struct, frozen=True):
    apart: shard_overlap.Apart = shard_overlap.APART


MESSAGES: Words = {
    **_recorded_samples.MESSAGES,
    **{code: shard_overlap.MESSAGES[code] for code in _SHARED},
    "one-rank": {
        "en": "Only rank {rank:,} has recorded its samples ({path}).",
        "zh": "只有 rank {rank:,} 记录了样本（{path}）。",
    },
    "not-sharded": {
        "en": "All {count:,} ranks of the recorded training read the same {each:,} samples in epoch {epoch:,}: the data are not divided.",
        "zh": "所记录的训练中，{count:,} 个 rank 在第 {epoch:,} 个 epoch 读到的都是同样的 {each:,} 个样本：数据没有分片。",
    },
    "overlap": {
        "en": "{repeated:,} of {samples:,} samples of epoch {epoch:,} were read by more than one of {count:,} ranks.",
        "zh": "第 {epoch:,} 个 epoch 的 {samples:,} 个样本中，有 {repeated:,} 个被 {count:,} 个 rank 中的多个读取。",
    },
    "filled": {
        "en": "{repeated:,} {repeated:sample was|samples were} read twice by {count:,} ranks: parts are made equal, as MindSpore does.",
        "zh": "{count:,} 个 rank 中有 {repeated:,} 个样本被读两次，使各分片大小相等，这是 MindSpore 的正常行为。",
    },
    "apart": {
        "en": "No sample of epoch {epoch:,} was read by two of {count:,} ranks ({samples:,} samples). {alike} The recording does not "
        "show whether some are read by none.",
        "zh": "第 {epoch:,} 个 epoch 中没有样本被两个 rank 同时读取（{count:,} 个 rank，共 {samples:,} 个样本）。{alike}"
        "是否有样本没有被读取，记录中没有。",
    },
}
WORDS: Words = {
    name: shard_overlap.WORDS[name] for name in ("pairs", "rank", "other", "shared", "ranks", "samples", "classes")
}
_TWICE = {
    "en": "All devices compute the same gradients: the effective batch is no larger than on one device, and each epoch reads every "
    "sample once per device.",
    "zh": "各设备计算的是同样的梯度：等效 batch 并没有变大，每个 epoch 中样本被重复学习。",
}
_WHY_SHARED = {code: shard_overlap.WHY[code] for code in ("unequal", "classes-apart")}
WHY: Words = {"not-sharded": _TWICE, "overlap": _TWICE, **_WHY_SHARED}
_PRINT = {"en": "Print the numbers of the first samples on each rank.", "zh": "在每个 rank 上打印最初若干样本的编号。"}
PROOF: Words = dict.fromkeys(WHY, _PRINT)
#: Where one of these is set, all ranks may be meant to read the same.
_ALIKE = ("full_batch", "dataset_strategy", "pipeline_stages", "model_parallel")


#: What reading the scripts says of data that every rank reads, and that parts of a whole epoch prove wrong.
UNDIVIDED = ["no-shards", "no-shards-here", "shards-on-one-kind", "constant-shard"]


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    recorded = _recorded_samples.of_case(case)
    yield Progress(1, 1, "files")
    if not recorded:
        raise Skip("not-recorded", path=_recorded_samples.shown(case))
    if len({one.rank for one in recorded}) < 2:
        raise Skip("one-rank", rank=recorded[0].rank, path=case.relative(recorded[0].path))
    yield from _judged(case, recorded, params)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """Parts that lie apart need not be the whole."""
    verdict = usual(findings)
    return Verdict.UNDECIDED if verdict is Verdict.OK else verdict


def _judged(case: Case, recorded: list[RecordedSamples], params: Params) -> Iterator[Finding | Progress]:
    import numpy as np

    from ..live import shards

    path = case.relative(recorded[0].path)
    where, count = Where(path), len(recorded)
    common = sorted(set.intersection(*(set(one.epochs) for one in recorded)))
    parts = [one.epochs[common[0]] for one in recorded] if common else []
    if not parts:
        raise Skip("not-recorded", path=path)
    for one, ids in zip(recorded, parts, strict=True):
        different = len(np.unique(ids))
        if different * 2 < len(ids):
            data: dict[str, Any] = {"path": case.relative(one.path), "different": different, "samples": len(ids)}
            yield Finding("not-identities", Level.INFO, Where(data["path"]), data, incomplete=True)
            return
    dealt = shards.classes(parts, (yield from _labels(case, recorded, parts)))
    yield from shard_overlap.of_classes(dealt, params.apart)
    found = shards.measure(parts, None)
    data = {"count": count, "each": found.sizes[0], "epoch": common[0], "repeated": found.repeated}
    data |= {"samples": len(np.unique(np.concatenate(parts))), "least": min(found.sizes), "most": max(found.sizes)}
    rows: list[list[Plain]] = [list(pair) for pair in found.pairs]
    table = Table("pairs", ["rank", "other", "shared"], rows)
    level = Level.SUSPECT if _may_be_alike(case) else Level.PROBLEM
    if found.identical:
        yield Finding("not-sharded", level, where, data, [table], Fix("fix-shards"))
    elif found.repeated >= count:
        yield Finding("overlap", level, where, data, [table], Fix("fix-shards"))
    else:
        code = "filled" if found.repeated else "apart"
        whole = len(common) > 1  # a part of an epoch may lie apart by chance
        refutes = [Refutes("sharding", UNDIVIDED)] if whole and not found.repeated else []
        yield Finding(code, Level.INFO, where, data | {"alike": shard_overlap.alike(dealt)}, refutes=refutes)
    if found.unequal:
        yield Finding("unequal", Level.SUSPECT, where, data, fix=Fix("fix-equal"))


def _places(recorded: list[RecordedSamples], labels: OrderedLabels, ids: Array, count: int) -> dict[int, int]:
    """The place of each recorded sample among all that have labels."""
    if all(one.whole for one in recorded):
        # Numbers of rows, and no others: they lie within one file, of which more than half was read.
        rows = len(labels.starts) == 1 and len(ids) * 2 > count and ids[0] >= 0 and ids[-1] < count
        return {int(one): int(one) for one in ids} if rows else {}
    names = {number: name for one in recorded for number, name in one.names.items()}
    files = _by_name(labels)
    found = ((number, _place(names[number], files)) for number in ids.tolist())
    return {number: at for number, at in found if at is not None}


def _labels(
    case: Case, recorded: list[RecordedSamples], parts: list[Array]
) -> Generator[Progress, None, dict[int, str]]:
    """The class of each sample that was recorded, as far as the data of the case tell it: by the number of its row, or its file."""
    import numpy as np

    if case.get("data.train.path") is None:
        return {}
    try:
        labels = yield from _labelled.in_order(case, "train")
    except ReadError:  # the items about labels tell it
        return {}
    codes = np.concatenate([*labels.codes, np.zeros(0, np.int64)])
    ids = np.unique(np.concatenate(parts))
    places = _places(recorded, labels, ids, len(codes))
    classes = list(labels.names)
    return {number: classes[codes[at]] for number, at in places.items() if codes[at] >= 0}


def _by_name(labels: OrderedLabels) -> dict[str, int]:
    """Where the label of a file stands, by its name and by its folder and name, unless several have that."""
    found: dict[str, set[int]] = {}
    for at, path, alone in labels.starts:
        for depth in (1, 2) if alone else ():
            found.setdefault(_tail(path, depth), set()).add(at)
    return {name: next(iter(places)) for name, places in found.items() if len(places) == 1}


def _place(name: str, files: dict[str, int]) -> int | None:
    return files.get(_tail(name, 2), files.get(_tail(name, 1)))


def _tail(path: str, depth: int) -> str:
    return "/".join(path.split("/")[-depth:])


def _may_be_alike(case: Case) -> bool:
    """Whether the scripts set something that lets all ranks read the same."""
    from ..script.analysis import read_scripts

    return bool(case.get("scripts.train")) and read_scripts(case).mentions(*_ALIKE)


def _recording(rank: int, ids: list[Any]) -> str:
    head: dict[str, Any] = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "rank": rank}
    lines = [
        head,
        *({"step": n + 1, "epoch": 1, "loss": 1.0, "samples": ids[n * 8 : n * 8 + 8]} for n in range(len(ids) // 8)),
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def _example(
    name: str, verdict: Verdict, code: str, *ranks: list[Any], script: str = "", labels: list[int] | None = None
) -> Example:
    files: dict[str, Any] = {
        f"run.rank{rank}.jsonl" if rank else "run.jsonl": _recording(rank, ids) for rank, ids in enumerate(ranks)
    }
    case: dict[str, Any] = {"curves": {"train": "run.jsonl"}}
    if labels:
        files["data.csv"] = "x,label\n" + "".join(f"{row},{label}\n" for row, label in enumerate(labels))
        case["data"] = {"train": {"path": "data.csv"}}
    if script:
        files["train.py"] = script
        case["scripts"] = {"train": "train.py"}
    return Example(name, files=files, case=case, verdict=verdict, codes=(code,))


_ALL = list(range(64))
_FULL = "import mindspore as ms\nms.set_auto_parallel_context(full_batch=True)\n"
EXAMPLES = [
    _example("divided", Verdict.UNDECIDED, "apart", _ALL[0::2], _ALL[1::2]),
    _example(
        "data in order of their class, cut in two",
        *(Verdict.UNDECIDED, "classes-apart", _ALL[:32], _ALL[32:]),
        labels=[row // 16 for row in _ALL],
    ),
    _example(
        "data in order of their class, dealt out in turn",
        *(Verdict.UNDECIDED, "apart", _ALL[0::2], _ALL[1::2]),
        labels=[row // 16 for row in _ALL],
    ),
    _example("filled up to one size", Verdict.UNDECIDED, "filled", _ALL[:32], _ALL[31:63]),
    _example("all read the same", Verdict.PROBLEM, "not-sharded", _ALL, _ALL[::-1]),
    _example("half is read twice", Verdict.PROBLEM, "overlap", _ALL[:32], _ALL[16:48]),
    _example("all read the same, as is meant", Verdict.UNDECIDED, "not-sharded", _ALL, _ALL, script=_FULL),
    _example("parts of different sizes", Verdict.UNDECIDED, "unequal", _ALL[:24], _ALL[24:]),
    _example(
        "labels for identities", Verdict.UNDECIDED, "not-identities", [n % 4 for n in _ALL], [n % 4 for n in _ALL]
    ),
]
