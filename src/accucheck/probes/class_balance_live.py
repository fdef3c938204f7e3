"""Counts the labels that one epoch of the project's own training pipeline gives out, beside those in the files.

Catches: classes that a filter, a sampler or a cut leaves out, and what class_balance catches in files, here after filters,
samplers, skip, take and repeat. An epoch that is not read to its end is told and not judged. Cannot tell: weights of a loss;
which file class a number stands for, unless the folders or data.train.classes say so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..probe import Example
from . import _labelled, _live, class_balance

KIND = Kind.LIVE
NEEDS: tuple[str | tuple[str, ...], ...] = ("pipelines.train",)


class Params(class_balance.Params, frozen=True):
    samples: Annotated[
        int, Meta(ge=1, description="samples read", extra={"unit": "samples", "source": "own choice"})
    ] = 2_000_000
    seconds: Annotated[
        float, Meta(gt=0, description="time for reading", extra={"unit": "s", "source": "own choice"})
    ] = 60.0
    shrunk: Annotated[
        float,
        Meta(
            gt=1,
            description="a class is cut down when its share falls to this part of that in the files",
            extra={"unit": "ratio", "source": "own choice"},
        ),
    ] = 10.0


MESSAGES: Words = {
    **class_balance.MESSAGES,
    "classes": {
        "en": "{samples:,} samples in {classes:,} classes come out of the training pipeline ({where}): {mean:,.1f} a class, largest "
        "over smallest {ratio:,.1f}, evenness {evenness:.3f} of 1.",
        "zh": "训练数据管道输出 {classes:,} 个类别共 {samples:,} 个样本（{where}），平均每类 {mean:,.1f} 个，最大/最小比 {ratio:,.1f}，"
        "均匀度 {evenness:.3f}（满分 1）。",
    },
    "empty-class": {
        "en": "{count:,} declared {count:class never comes|classes never come} out of the training pipeline: {names}.",
        "zh": "有 {count:,} 个已声明的类别从未出现在训练数据管道的输出中：{names}。",
    },
    "class-lost": {
        "en": "{count:,} {count:class|classes} that the files have never {count:comes|come} out of the training pipeline: "
        "{names} (samples in the files).",
        "zh": "有 {count:,} 个类别在文件中有样本，却从未出现在训练数据管道的输出中：{names}（括号内为文件中的样本数）。",
    },
    "classes-fewer": {
        "en": "The files have {files:,} classes, the training pipeline yields {classes:,}.",
        "zh": "文件中有 {files:,} 个类别，训练数据管道只输出 {classes:,} 个。",
    },
    "class-shrunk": {
        "en": "{count:,} {count:class has|classes have} a share at least {shrunk:g} times smaller after the pipeline than in the "
        "files: {names} (samples after the pipeline).",
        "zh": "有 {count:,} 个类别经过数据管道后占比缩小到文件中的 1/{shrunk:g} 以下：{names}（括号内为管道输出的样本数）。",
    },
    "beside-files": {
        "en": "{kept:,} samples an epoch come out of the pipeline, {total:,} labelled samples are in the files.",
        "zh": "数据管道每个 epoch 输出 {kept:,} 个样本，文件中共有 {total:,} 个带标签的样本。",
    },
    "repeated": {
        "en": "An epoch of the pipeline goes through its data {times:,} times.",
        "zh": "数据管道的一个 epoch 会遍历数据 {times:,} 遍。",
    },
    "soft-labels": {
        "en": "{soft:,} of {samples:,} labels are mixed or smoothed; each counts for its largest class.",
        "zh": "{samples:,} 个标签中有 {soft:,} 个是混合或平滑标签，按其最大分量计类。",
    },
    "partial": {
        "en": "Only the first {samples:,} samples of the epoch were counted, which says nothing about classes that come later.",
        "zh": "只统计了该 epoch 的前 {samples:,} 个样本，无法判断之后的类别。",
    },
    "no-label": {
        "en": "The pipeline has no column for labels ({names}). Name it in data.train.label.",
        "zh": "数据管道没有标签列（{names}）。请在 data.train.label 中指定。",
    },
    "label-shape": {
        "en": "{where} has the shape {shape}, so there are no classes to count.",
        "zh": "{where} 的形状为 {shape}，不是可计数的类别。",
    },
    **_live.NO_SAMPLES,
    "mend-pipeline": {
        "en": "Look at the filters, samplers, skip, take and split of the training pipeline; a sampler must be able to reach all classes.",
        "zh": "请检查训练数据管道中的 filter、sampler、skip、take、split；采样器须能取到全部类别。",
    },
}
WORDS: Words = {
    **class_balance.WORDS,
    **_live.WORDS,
    "beside": {"en": "In the files and after the pipeline", "zh": "文件中与管道输出的对比"},
    "files": {"en": "in the files", "zh": "文件中"},
    "after": {"en": "after the pipeline", "zh": "管道输出"},
}
WHY: Words = {
    **class_balance.WHY,
    "class-lost": class_balance.WHY["empty-class"],
    "classes-fewer": class_balance.WHY["empty-class"],
    "class-shrunk": class_balance.WHY["rare-class"],
}
PROOF: Words = dict.fromkeys(WHY, class_balance.PROOF["rare-class"])
_ROWS = 200


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    request = {
        "pipeline": _live.pipeline_of(case, "train"),
        "samples": params.samples,
        "seconds": params.seconds,
        "label": case.get("data.train.label"),
    }
    seen: dict[str, Any] = {"samples": 0}
    nodes: list[dict[str, Any]] = []
    for event in events(case, "classes", request, params.seconds):
        if event["event"] == "progress":
            yield Progress(event["done"], event["total"], "samples")
        elif event["event"] == "pipeline":
            nodes = event["nodes"]
        elif event["event"] == "classes":
            seen = event
        elif event["event"] == "no-label":
            yield Finding("no-label", Level.INFO, data={"names": event["names"]}, incomplete=True)
            return
    if not seen["samples"]:
        yield Finding("no-samples", Level.INFO, data={"seconds": params.seconds}, incomplete=True)
        return
    yield from _of_labels(case, params, seen, nodes)


def _of_labels(
    case: Case, params: Params, seen: dict[str, Any], nodes: list[dict[str, Any]]
) -> Iterator[Finding | Progress]:
    from ..readers.labels import Counts

    place = Where(field=seen["label"])
    if seen["shape"] is not None:
        data = {"where": seen["label"], "shape": str(tuple(seen["shape"]))}
        yield Finding("label-shape", Level.INFO, place, data, [_live.nodes_table(nodes)], incomplete=True)
        return
    found = Counter({name: count for name, count in seen["found"].items() if count})
    counts = Counts(
        seen["label"], found, seen["samples"], many=seen["many"], numbers=seen["numbers"], over=seen["over"]
    )
    role = class_balance.Role(_labelled.Files("train", [], seen["label"]), counts, {seen["label"]})
    if not seen["many"]:  # of vectors the names are places
        role.leave_out(case)
    if not seen["complete"]:
        evidence = [*class_balance.by_class(found), _live.nodes_table(nodes)]
        yield Finding("partial", Level.INFO, place, {"samples": seen["samples"]}, evidence, incomplete=True)
        return
    names = class_balance.declared_names(case, counts)
    for finding in class_balance.judge(role, names, bool(case.spec.data.train.classes), params):
        if finding.code != "few-samples":  # told of the files
            yield finding
    if seen["soft"]:
        yield Finding("soft-labels", Level.INFO, place, {"soft": seen["soft"], "samples": seen["samples"]})
    if seen["repeats"] > 1:
        yield Finding("repeated", Level.INFO, place, {"times": seen["repeats"]})
    if class_balance.are_classes(counts) and case.get("data.train.path") is not None:
        files = yield from class_balance.read_labels(case, "train")
        if files.counts.samples and class_balance.are_classes(files.counts):
            yield from _beside(case, params, counts, files, seen["repeats"], nodes)


def _beside(
    case: Case, params: Params, counts: Any, files: class_balance.Role, repeats: int, nodes: list[dict[str, Any]]
) -> Iterator[Finding]:
    """What the pipeline leaves of the classes in the files."""
    place = Where(field=counts.column)
    stored = files.counts.classes
    total, kept = sum(stored.values()), counts.samples // repeats
    after = _renamed(case, counts.classes, files)
    if after is None:
        if len(counts.classes) < len(stored):
            data: dict[str, Any] = {"files": len(stored), "classes": len(counts.classes)}
            evidence: list[Evidence] = [*class_balance.by_class(stored), _live.nodes_table(nodes)]
            yield Finding("classes-fewer", Level.SUSPECT, place, data, evidence, Fix("mend-pipeline"))
        return
    evidence = [_table(stored, after), _live.nodes_table(nodes)]
    lost = [name for name in stored if not after[name]]
    if lost:
        data = {"count": len(lost), "names": class_balance.listed(lost, stored)}
        yield Finding("class-lost", Level.PROBLEM, place, data, evidence, Fix("mend-pipeline"))
    whole = sum(after.values())
    small = [name for name in stored if 0 < after[name] * params.shrunk * total < stored[name] * whole]
    if small:
        data = {"count": len(small), "names": class_balance.listed(small, after), "shrunk": params.shrunk}
        yield Finding("class-shrunk", Level.SUSPECT, place, data, evidence, Fix("mend-pipeline"))
    yield Finding("beside-files", Level.INFO, place, {"kept": kept, "total": total}, evidence)


def _renamed(case: Case, found: Counter[str], files: class_balance.Role) -> Counter[str] | None:
    """The labels of the pipeline by the names that the files have; None when it cannot be told which is which."""
    from ..readers.labels import said

    stored = files.counts.classes
    declared = [said(value) for value in case.spec.data.train.classes]
    folders = sorted(stored) if files.where.endswith("*") else []  # numbered as ImageFolderDataset does
    if folders and all(name.isdecimal() for name in folders) and folders != sorted(folders, key=int):
        return None  # "10" comes before "2" there: a number may be a name or the place of another name
    if set(found) <= set(stored):
        return found
    for names in (declared, folders):
        numbers = {str(number): name for number, name in enumerate(names) if name is not None}
        if names and set(found) <= set(numbers) and set(stored) & set(numbers.values()):
            return Counter({numbers[number]: count for number, count in found.items()})
    return None


def _table(stored: Counter[str], after: Counter[str]) -> Table:
    names = sorted({*stored, *after}, key=lambda name: (after[name] * 10**9 // max(1, stored[name]), name))
    rows: list[list[Plain]] = [[name, stored[name], after[name]] for name in names[:_ROWS]]
    return Table("beside", ["class", "files", "after"], rows, total=len(names))


# --- examples ---------------------------------------------------------------------------------------------------------

_CSV = "x,label\n" + "".join(f"{number},{number % 4}\n" for number in range(400))
_HEAD = """
import numpy as np
import mindspore.dataset as ds

rows = np.genfromtxt("train.csv", delimiter=",", skip_header=1)
x, labels = rows[:, 0].astype(np.float32), rows[:, 1].astype(np.int32)

def create():
    dataset = ds.NumpySlicesDataset({"x": x, "label": labels}, {how})
"""


def _example(name: str, steps: str, verdict: Verdict, *codes: str, how: str = "shuffle=True") -> Example:
    body = _HEAD.replace("{how}", how) + f"    return dataset{steps}\n"
    case = {"pipelines": {"train": {"call": "pipe:create"}}, "data": {"train": {"path": "train.csv", "label": "label"}}}
    return Example(name, files={"pipe.py": body, "train.csv": _CSV}, case=case, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("as in the files", ".batch(16)", Verdict.OK, "classes", "beside-files"),
    _example("repeated", ".batch(16, drop_remainder=True).repeat(3)", Verdict.OK, "classes", "repeated"),
    _example(
        "a filter that drops a class",
        ".filter(lambda label: bool(label > 0), ['label']).batch(16)",
        Verdict.PROBLEM,
        "class-lost",
    ),
    _example(
        "a sampler that hardly reaches a class",
        ".batch(16)",
        Verdict.PROBLEM,
        "rare-class",
        "class-shrunk",
        how="sampler=ds.SubsetSampler([i for i in range(400) if i % 4 or i < 8])",
    ),
    _example(
        "rare classes drawn more often",
        ".batch(16)",
        Verdict.OK,
        "classes",
        how="sampler=ds.WeightedRandomSampler([1.0] * 400, 400)",
    ),
]
