"""Counts the samples of each class in the files of the training data, and names classes that are empty, rare or alone.

Catches: a declared class without samples, labels that are not declared, classes far behind the others, classes that only the
evaluation data have, samples without a label. Reads label columns of CSV, TSV, Parquet, NDJSON, JSON, NPY, NPZ, IDX, CIFAR,
MindRecord and TFRecord, labelled lines of text, WebDataset shards, COCO annotations, and folders named by class, also where
they are compressed with gzip or lie at an fsspec address. Cannot tell: what filters and samplers of the script leave of it, and
whether weights make up for it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import (
    Evidence,
    Finding,
    Fix,
    Histogram,
    Kind,
    Level,
    Plain,
    Progress,
    Sure,
    Table,
    Verdict,
    Where,
)
from ..probe import Example
from . import _declared_padding, _files, _labelled

if TYPE_CHECKING:
    from ..readers.labels import Counts
    from ..readers.places import File

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("data.train.path",)
USES = ("loss", "phases", "design.padding")


#: Thresholds of those who count classes.
Rare = Annotated[
    float,
    Meta(
        gt=0,
        lt=1,
        description="a class is rare below this share of an even part",
        extra={"unit": "ratio", "source": "own choice"},
    ),
]
Ratio = Annotated[
    float,
    Meta(
        gt=1,
        description="largest class over smallest that is worth a look",
        extra={"unit": "ratio", "source": "own choice"},
    ),
]


class Params(msgspec.Struct, frozen=True):
    rare: Rare = 0.1
    ratio: Ratio = 10.0
    enough: Annotated[
        int,
        Meta(
            ge=1,
            description="labelled samples a class that supervised learning wants, as a rule of thumb",
            extra={"unit": "samples", "source": "Goodfellow et al., Deep Learning, 2016, 1.2.2"},
        ),
    ] = 5000


MESSAGES: Words = {
    "classes": {
        "en": "{role} data: {samples:,} labelled {samples:sample|samples} in {classes:,} {classes:class|classes} ({where}): "
        "{mean:,.1f} a class, standard deviation {deviation:,.1f} (coefficient of variation {variation:.2f}), "
        "largest over smallest {ratio:,.1f}, evenness {evenness:.3f} of 1.",
        "zh": "{role}数据：{classes:,} 个类别共 {samples:,} 个带标签样本（{where}），平均每类 {mean:,.1f} 个，标准差 {deviation:,.1f}"
        "（变异系数 {variation:.2f}），最大/最小比 {ratio:,.1f}，均匀度 {evenness:.3f}（满分 1）。",
    },
    "empty-class": {
        "en": "{count:,} declared {count:class has|classes have} no sample in the training data: {names}.",
        "zh": "有 {count:,} 个已声明的类别在训练数据中没有样本：{names}。",
    },
    "listed-class-empty": {
        "en": "{count:,} {count:class|classes} listed in {where} {count:has|have} no sample in the training data: {names}.",
        "zh": "{where} 中列出的 {count:,} 个类别在训练数据中没有样本：{names}。",
    },
    "undeclared-class": {
        "en": "{role} data: {count:,} {count:label is|labels are} not among the declared classes: {names}.",
        "zh": "{role}数据：有 {count:,} 种标签不在已声明的类别中：{names}。",
    },
    "rare-class": {
        "en": "{count:,} {count:class has|classes have} less than {rare:.0%} of an even share of {even:,.1f} samples: {names}.",
        "zh": "有 {count:,} 个类别的样本数不足平均份额（{even:,.1f} 个）的 {rare:.0%}：{names}。",
    },
    "rare-object": {
        "en": "{count:,} {count:class has|classes have} less than {rare:.0%} of an even share of {even:,.1f} labels: {names}.",
        "zh": "有 {count:,} 个类别的标注数不足平均份额（{even:,.1f} 个）的 {rare:.0%}：{names}。",
    },
    "uneven": {
        "en": "The largest class ({largest}) has {ratio:,.1f} times as many samples as the smallest ({smallest}).",
        "zh": "最大的类别（{largest}）的样本数是最小类别（{smallest}）的 {ratio:,.1f} 倍。",
    },
    "one-class": {
        "en": "All {samples:,} labelled training samples are of one class: {names}.",
        "zh": "全部 {samples:,} 个带标签的训练样本都属于同一类：{names}。",
    },
    "only-in-evaluation": {
        "en": "{count:,} {count:class occurs|classes occur} in the evaluation data and not in the training data: {names}.",
        "zh": "有 {count:,} 个类别出现在评估数据中，训练数据却没有：{names}。",
    },
    "unlabelled": {
        "en": "{role} data: {count:,} of {samples:,} {samples:sample|samples} {count:has|have} no label.",
        "zh": "{role}数据：{samples:,} 个样本中有 {count:,} 个没有标签。",
    },
    "left-out": {
        "en": "{role} data: {count:,} {count:label is|labels are} {labels}, which the loss ignores or which mark padding: not counted as a "
        "class.",
        "zh": "{role}数据：有 {count:,} 个标签为 {labels}，它们会被 loss 忽略或用于补齐，不计为类别。",
    },
    "few-samples": {
        "en": "{count:,} of {classes:,} {classes:class|classes} {count:has|have} fewer than {enough:,} samples, a rule "
        "of thumb for training from scratch; fine-tuning needs far fewer.",
        "zh": "{classes:,} 个类别中有 {count:,} 个不足 {enough:,} 个样本（从头训练的经验值，微调所需要少得多）。",
    },
    "not-classes": {
        "en": "{role} data: {where} holds {classes:,} different values in {samples:,} samples; these are unlikely to be classes.",
        "zh": "{role}数据：{where} 在 {samples:,} 个样本中有 {classes:,} 种取值，不像类别标签。",
    },
    **_labelled.MESSAGES,
    "mend-classes": {
        "en": "Resample the rare classes or weigh the loss; bring in samples of the missing ones, or take them out of the classes.",
        "zh": "对少数类重采样或给 loss 加权；缺样本的类别应补齐数据，或从类别表中去掉。",
    },
    "mend-labels": {
        "en": "Declare all classes in data.train.classes, or correct the labels; one mapping must serve training, evaluation "
        "and inference.",
        "zh": "请在 data.train.classes 中声明全部类别，或修正标签；训练、评估与推理须使用同一映射。",
    },
}

WORDS: Words = {
    "by-class": {"en": "Samples by class", "zh": "各类别样本数"},
    "class": {"en": "class", "zh": "类别"},
    "samples": {"en": "samples", "zh": "样本数"},
    "share": {"en": "share", "zh": "占比"},
}

_NOT_LEARNT = {
    "en": "A network cannot learn a class that it never sees; its samples are then taken for other classes.",
    "zh": "网络无法学到从未见过的类别，该类样本会被判为其他类别。",
}
_NEGLECTED = {
    "en": "The loss is dominated by the large classes: the rare ones are hardly learned, and the mean accuracy hides it.",
    "zh": "loss 几乎只由大类决定，少数类基本学不到，而平均精度会掩盖这一点。",
}
_OTHER_IDS = {
    "en": "Labels out of range make the loss wrong or raise an error, or the samples count as another class.",
    "zh": "标签越界会使 loss 出错，或样本被当作别的类别。",
}
WHY: Words = {
    "empty-class": _NOT_LEARNT,
    "listed-class-empty": _NOT_LEARNT,
    "only-in-evaluation": _NOT_LEARNT,
    "one-class": {
        "en": "Always predicting the same class yields a loss near zero; nothing is learned.",
        "zh": "对任何输入都给同一答案即可使 loss 接近 0，网络什么也学不到。",
    },
    "rare-class": _NEGLECTED,
    "rare-object": _NEGLECTED,
    "uneven": _NEGLECTED,
    "undeclared-class": _OTHER_IDS,
    "unlabelled": _OTHER_IDS,
}
_BY_CLASS = {
    "en": "Look at recall class by class on the evaluation data (nn.ConfusionMatrix).",
    "zh": "在评估数据上逐类查看召回率（nn.ConfusionMatrix）。",
}
_COUNT = {
    "en": "Count the labels that come out of the training pipeline, after filters and samplers.",
    "zh": "统计训练数据处理流程最终输出的标签（过滤、采样之后）。",
}
PROOF: Words = {
    "empty-class": _COUNT,
    "listed-class-empty": _COUNT,
    "only-in-evaluation": _BY_CLASS,
    "one-class": _COUNT,
    "rare-class": _BY_CLASS,
    "rare-object": _BY_CLASS,
    "uneven": _BY_CLASS,
    "undeclared-class": _COUNT,
    "unlabelled": _COUNT,
}

#: Rows and bars that are shown, and names in a message.
_ROWS, _BARS, _NAMED = 500, 40, 8
#: A field with more different values than this share of its samples holds no classes.
_CONTINUOUS = 0.5


@dataclass
class Role:
    """What the files of training or evaluation say."""

    files: _labelled.Files
    counts: Counts
    tables: set[str] = field(default_factory=set)  # where labels were found
    left_out: Counter[str] = field(default_factory=Counter)  # labels that are not classes

    def leave_out(self, case: Case) -> None:
        """Take out the labels that stand for nothing; folders are classes, whatever they are called."""
        meant = _declared_padding.of_case(case, self.files.role)
        for text in meant.no_classes(self.counts.column or None, sequences=self.counts.many):
            if number := self.counts.classes.pop(text, 0):
                self.left_out[text] += number

    @property
    def where(self) -> str:
        return ", ".join(sorted(self.tables)[:3]) + (" ..." if len(self.tables) > 3 else "")

    @property
    def place(self) -> Where:
        addresses = self.files.addresses
        return Where(path=addresses[0] if len(addresses) == 1 else None, field=self.counts.column or None)


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    read = {}
    for name in _labelled.ROLES:
        if case.get(f"data.{name}.path") is None:
            continue
        role = yield from read_labels(case, name)
        if not (name == "eval" and not role.counts.samples):
            yield from role.files.gaps(bool(role.counts.samples))
        read[name] = role
    train = read["train"]
    names = declared_names(case, train.counts)
    if train.counts.samples:
        yield from judge(train, names, bool(case.spec.data.train.classes), params)
    evaluation = read.get("eval")
    if evaluation is not None and are_classes(train.counts) and are_classes(evaluation.counts):
        yield from _compare(train, evaluation, names)


# --- reading ----------------------------------------------------------------------------------------------------------


def read_labels(case: Case, name: str) -> Generator[Progress, None, Role]:
    """The labels of all files of a role; returns the Role."""
    from functools import partial

    from ..readers.labels import Counts, by_folder
    from ..scan import PartResult, each

    files = _labelled.files_of(case, name)
    role = Role(files, Counts())
    done = 0
    steps: Iterator[tuple[tuple[File, str, int], float | PartResult[Counts | list[str]]]]
    steps = each(files.todo, partial(_count, files.label), size=lambda file: file[2])
    for (path, kind, size), found in steps:
        if isinstance(found, float):
            yield Progress(done + int(size * found), files.size, "bytes")
            continue
        done += size
        if found.error is not None:
            files.errors.append(found.error)
        if isinstance(found.result, Counts):
            role.counts.merge(found.result)
            role.tables.add(found.result.column)
        elif found.result is not None:
            if kind == "json" and not found.result:
                files.others.append((case.relative(path), "json"))
            files.without(found.result)
    role.leave_out(case)
    if not role.counts.samples:
        for root, pictures in files.images:
            if (folders := by_folder(root, pictures)) is not None:
                role.counts.merge(folders)
                role.tables.add(f"{case.relative(root)}/{folders.column}")
    return role


def _count(label: str | None, file: tuple[File, str, int]) -> Iterator[float | Counts | list[str]]:
    """The share that is done, and at last the counts of one file, or its fields where none holds labels. Raises ReadError."""
    from ..readers.labels import NoLabelField, count

    path, kind, _ = file
    try:
        with _files.readable(path, kind) as (copy, form):
            yield from count(copy, form, label)
    except NoLabelField as error:
        yield error.fields


def declared_names(case: Case, counts: Counts) -> tuple[str, ...]:
    """All classes there should be: as the case declares them, by their numbers where that is what the labels are; else as the
    file lists them."""
    from ..readers.labels import said

    declared = [text for value in case.spec.data.train.classes if (text := said(value)) is not None]
    numbers = [str(number) for number in range(len(declared))]
    if declared and counts.classes and not set(declared) & set(counts.classes) and set(counts.classes) <= set(numbers):
        return tuple(numbers)
    return tuple(declared) or counts.names


# --- judging ----------------------------------------------------------------------------------------------------------


def are_classes(counts: Counts) -> bool:
    """False for what varies too much to be classes."""
    distinct, labelled = len(counts.classes), sum(counts.classes.values())
    return bool(distinct) and not (
        (counts.numbers and not counts.words) or counts.over or (distinct > 20 and distinct > _CONTINUOUS * labelled)
    )


def judge(role: Role, names: tuple[str, ...], declared: bool, params: Params) -> Iterator[Finding]:
    counts = role.counts
    # sorted, so that equal data give equal results: files are counted in no order
    found = Counter(dict(sorted((dict.fromkeys(names, 0) | dict(counts.classes)).items())))
    where = role.where
    said = {"role": _labelled.ROLES[role.files.role], "where": where, "samples": counts.samples, "classes": len(found)}
    place = role.place
    if role.left_out:
        data = {**said, "count": sum(role.left_out.values()), "labels": sorted(role.left_out)}
        yield Finding("left-out", Level.INFO, place, data)
    if counts.missing:
        data = {**said, "count": counts.missing}
        yield Finding("unlabelled", Level.SUSPECT, place, data, fix=Fix("mend-labels"), sure=Sure.CERTAIN)
    if not counts.classes:
        return
    if not are_classes(counts):
        yield Finding("not-classes", Level.INFO, place, said, incomplete=True)
        return
    total, number = sum(found.values()), len(found)
    evidence = by_class(found)
    even = total / number
    deviation = math.sqrt(sum((value - even) ** 2 for value in found.values()) / number)
    largest, most = found.most_common(1)[0]
    smallest, least = min(found.items(), key=lambda item: item[1])
    shares = [value / total for value in found.values() if value]
    evenness = -sum(share * math.log(share) for share in shares) / math.log(number) if number > 1 else 1.0
    figures = {
        **said,
        "samples": total,
        "mean": even,
        "deviation": deviation,
        "variation": deviation / even,
        "ratio": most / max(1, least),
        "evenness": evenness,
        "even": even,
        "rare": params.rare,
    }

    def finding(code: str, level: Level, chosen: list[str], mend: str, sure: Sure = Sure.LIKELY) -> Finding:
        data = {
            **figures,
            "count": len(chosen),
            "names": listed(chosen, found),
            "largest": largest,
            "smallest": smallest,
        }
        return Finding(code, level, place, data, evidence, Fix(mend), sure=sure)

    empty = [name for name in names if not found[name]]
    if empty and declared:
        yield finding("empty-class", Level.PROBLEM, empty, "mend-classes", Sure.CERTAIN)
    elif empty:
        yield finding("listed-class-empty", Level.SUSPECT, empty, "mend-classes", Sure.CERTAIN)
    if declared and (foreign := sorted(set(counts.classes) - set(names))):
        yield finding("undeclared-class", Level.SUSPECT, foreign, "mend-labels", Sure.CERTAIN)
    rare = [name for name, value in found.items() if 0 < value < params.rare * even]
    if len(counts.classes) == 1 and number == 1:
        yield finding("one-class", Level.SUSPECT, [largest], "mend-classes", Sure.CERTAIN)
    elif rare and counts.many:  # objects are uneven by nature
        yield finding("rare-object", Level.SUSPECT, rare, "mend-classes", Sure.POSSIBLE)
    elif rare:
        yield finding("rare-class", Level.PROBLEM, rare, "mend-classes")
    elif least and most / least > params.ratio:
        yield finding("uneven", Level.SUSPECT, [largest, smallest], "mend-classes", Sure.POSSIBLE)
    yield Finding("classes", Level.INFO, place, figures, evidence)
    if few := sum(value < params.enough for value in found.values()):
        yield Finding("few-samples", Level.INFO, place, {**said, "count": few, "enough": params.enough})


def _compare(train: Role, evaluation: Role, names: tuple[str, ...]) -> Iterator[Finding]:
    """Classes of the evaluation data that training does not have."""
    known = {*train.counts.classes, *names}
    foreign = sorted(set(evaluation.counts.classes) - set(train.counts.classes))
    if not foreign or not set(evaluation.counts.classes) & known:  # named in another way altogether
        return
    data = {
        "count": len(foreign),
        "names": listed(foreign, evaluation.counts.classes),
        "role": _labelled.ROLES["eval"],
    }
    place = evaluation.place
    evidence = by_class(evaluation.counts.classes)
    yield Finding("only-in-evaluation", Level.SUSPECT, place, data, evidence, Fix("mend-classes"), sure=Sure.LIKELY)


def listed(names: list[str], found: Counter[str]) -> str:
    """The first names, with how many samples each has."""
    shown = sorted(names, key=lambda name: found[name])[:_NAMED]
    return ", ".join(f"{name} ({found[name]:,})" for name in shown) + (", ..." if len(names) > _NAMED else "")


def by_class(found: Counter[str]) -> list[Evidence]:
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    total = sum(found.values())
    rows: list[list[Plain]] = [[name, value, round(value / total, 6)] for name, value in ordered[:_ROWS]]
    bars = ordered if len(ordered) <= _BARS else [*ordered[: _BARS // 2], *ordered[-_BARS // 2 :]]
    return [
        Histogram("by-class", [name for name, _ in bars], [float(value) for _, value in bars], "class", "samples"),
        Table("by-class", ["class", "samples", "share"], rows, len(ordered)),
    ]


# --- examples ---------------------------------------------------------------------------------------------------------


def _csv(**classes: int) -> str:
    return "x,label\n" + "".join(f"{number},{name}\n" for name, count in classes.items() for number in range(count))


def _pictures(**classes: int) -> dict[str, Any]:
    def write(path: Path) -> None:
        from PIL import Image

        Image.radial_gradient("L").resize((16, 16)).save(path, "PNG")

    return {f"train/{name}/{number}.png": write for name, count in classes.items() for number in range(count)}


def _digits(path: Path) -> None:
    import numpy as np

    np.savez(path, x=np.zeros((90, 8, 8), np.uint8), y=np.arange(90) % 9)


def _example(name: str, table: str, verdict: Verdict, *codes: str, **train: Any) -> Example:
    case = {"data": {"train": {"path": "train.csv", **train}}}
    return Example(name, files={"train.csv": table}, case=case, verdict=verdict, codes=codes or ("classes",))


EXAMPLES = [
    _example("two even classes", _csv(cat=60, dog=70), Verdict.OK, "classes", "few-samples", label="label"),
    _example("the label by its usual name", _csv(cat=60, dog=70), Verdict.OK),
    _example("a rare class", _csv(cat=200, dog=210, emu=6), Verdict.PROBLEM, "rare-class"),
    _example("one class eleven times the other", _csv(cat=220, dog=20), Verdict.UNDECIDED, "uneven"),
    _example("nine to one is no finding", _csv(cat=180, dog=20), Verdict.OK),
    _example(
        "a declared class without samples",
        _csv(cat=60, dog=70),
        Verdict.PROBLEM,
        "empty-class",
        classes=["cat", "dog", "emu"],
    ),
    _example(
        "classes declared by name, labels by number", _csv(**{"0": 60, "1": 70}), Verdict.OK, classes=["cat", "dog"]
    ),
    _example(
        "a number beyond the declared classes",
        _csv(**{"0": 60, "1": 70, "2": 50}),
        Verdict.PROBLEM,
        "empty-class",
        "undeclared-class",
        classes=["0", "1", "3"],
    ),
    _example("a single class", _csv(cat=60), Verdict.UNDECIDED, "one-class"),
    _example("samples without a label", _csv(cat=60, dog=70) + "1,\n2,\n", Verdict.UNDECIDED, "unlabelled"),
    _example(
        "a price is no class",
        "x,target\n" + "".join(f"{n},{n * 1.37 + 0.01}\n" for n in range(90)),
        Verdict.UNDECIDED,
        "not-classes",
    ),
    _example("no field of this name", _csv(cat=60), Verdict.UNDECIDED, "no-labels", label="kind"),
    Example(
        "folders by class",
        files=_pictures(cat=4, dog=5),
        case={"data": {"train": {"path": "train"}}},
        verdict=Verdict.OK,
        codes=("classes",),
    ),
    Example(
        "pictures in one folder",
        files=_pictures(all=4),
        case={"data": {"train": {"path": "train"}}},
        verdict=Verdict.UNDECIDED,
        codes=("no-labels",),
    ),
    Example(
        "lines with the labels of fastText",
        files={"train.txt": "__label__cat it purrs\n__label__dog it barks\n" * 40},
        case={"data": {"train": {"path": "train.txt"}}},
        verdict=Verdict.OK,
        codes=("classes",),
    ),
    Example(
        "a folder with a file of another part",
        files={"data/train.csv": _csv(cat=60, dog=70), "data/test.csv": _csv(cat=9, emu=1)},
        case={"data": {"train": {"path": "data"}}},
        verdict=Verdict.OK,
        codes=("other-part", "classes"),
    ),
    Example(
        "a class of the evaluation data that training lacks",
        files={"train.npz": _digits, "test.csv": _csv(**{"1": 20, "9": 20})},
        case={"data": {"train": {"path": "train.npz", "label": "y"}, "eval": {"path": "test.csv", "label": "label"}}},
        verdict=Verdict.UNDECIDED,
        codes=("only-in-evaluation",),
    ),
    Example(
        "annotations with a category that never occurs",
        files={
            "train.json": msgspec.json.encode(
                {
                    "images": [{"id": n} for n in range(40)],
                    "annotations": [{"id": n, "image_id": n % 40, "category_id": n % 2} for n in range(80)],
                    "categories": [{"id": n, "name": name} for n, name in enumerate(("cat", "dog", "emu"))],
                }
            ),
        },
        case={"data": {"train": {"path": "train.json"}}},
        verdict=Verdict.UNDECIDED,
        codes=("listed-class-empty",),
    ),
]
