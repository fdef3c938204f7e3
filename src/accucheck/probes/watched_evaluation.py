"""Tells what the evaluations of a watched run read: the same rows each time, all rows of their source, and none that were trained with.

Catches random changes of samples in evaluation, rows that are left out because the last batch is dropped, and data sets of both that have
one source. All are suspects: an evaluation may draw some samples on purpose. Cannot tell how many rows an evaluation has
that the end of the watch cuts off. Of one that comes once, whether its first rows change is seen by reading them again, and only where a
label or another column shows that they are the same rows. Of sources whose rows cannot be had by their place, nothing is told but the
rows that were read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Refutes, Verdict, Where
from ..probe import Example, Skip
from . import _watched
from ._checkpoints import shown
from ._watched import Watch

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: Annotated[
        str,
        Meta(
            pattern="^(rows|classes)$",
            description="what the item is about",
            extra={"unit": "word", "source": "the items dp.02 and ds.03"},
        ),
    ] = "rows"
    rows: Annotated[
        int,
        Meta(
            ge=2, description="evaluations of fewer rows tell nothing", extra={"unit": "rows", "source": "own choice"}
        ),
    ] = 16
    other: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="a larger share of rows that the evaluation before did not read is suspect",
            extra={"unit": "1", "source": "own choice: a few rows may be equal, or a batch be read ahead"},
        ),
    ] = 0.05
    left: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="a larger share of the rows of a source that is not evaluated is suspect",
            extra={
                "unit": "1",
                "source": "own choice: less than that seldom changes a metric that is read to two digits",
            },
        ),
    ] = 0.1
    known: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="where so large a share of the rows of each evaluation lies in the source of the training, that is suspect",
            extra={"unit": "1", "source": "own choice: some duplicates are usual in public data"},
        ),
    ] = 0.95


MESSAGES: Words = {
    "rows-change": {
        "en": "Each evaluation of this data set reads {rows:,} rows, and {share:.0%} of them were not in the previous evaluation "
        "({evaluations:,} evaluations): samples are changed at random, or different ones are drawn each time.",
        "zh": "对该数据集的每次评估读取 {rows:,} 行，其中 {share:.0%} 在上一次评估中没有出现（共 {evaluations:,} 次评估）："
        "样本被随机改变，或每次抽取的样本不同。",
    },
    "rows-change-when-read-again": {
        "en": "{changed:,} of the first {rows:,} rows of this data set have different values when read again: evaluation samples are "
        "changed at random.",
        "zh": "该数据集的前 {rows:,} 行再次读取时，有 {changed:,} 行取值不同：评估样本被随机改变。",
    },
    "rows-left-out": {
        "en": "{rows:,} of the {source:,} rows of the source are evaluated, and {left:,} are left out each time.",
        "zh": "数据源共 {source:,} 行，每次只评估 {rows:,} 行，有 {left:,} 行从未参与评估。",
    },
    "trained-with": {
        "en": "{same:,} of {count:,} source rows of this data set are also in the source of the training data: the network is "
        "evaluated on data it was trained on.",
        "zh": "该数据集的数据源中抽查的 {count:,} 行里，有 {same:,} 行也在训练数据的数据源中：评估用的就是训练过的样本。",
    },
    "never-trained": {
        "en": "{count:,} of {of:,} classes that are evaluated never occur in {epochs:,} {epochs:epoch|epochs} of the training: {names}.",
        "zh": "参与评估的 {of:,} 个类别中，有 {count:,} 个在训练的 {epochs:,} 个 epoch 里从未出现：{names}。",
    },
    "all-trained": {
        "en": "{of:The one evaluated class occurs|All {of:,} evaluated classes occur} in training.",
        "zh": "参与评估的 {of:,} 个类别在训练中都出现过。",
    },
    "classes-unseen": {
        "en": "No classes of a whole epoch of training and of an evaluation were watched: watch the training to the end of its first "
        "evaluation, with one number of a class as the label of a row.",
        "zh": "没有同时观察到训练一个完整 epoch 和一次评估的类别：请观察到首次评估结束，并以每行一个类别编号作为标签。",
    },
    "evaluated": {
        "en": "{evaluations:,} {evaluations:evaluation|evaluations} of {rows:,} rows were watched; at most {share:.1%} of the rows "
        "differ between any two.",
        "zh": "观察到 {evaluations:,} 次评估，每次 {rows:,} 行；相邻两次之间最多有 {share:.1%} 的行不同。",
    },
    "once": {
        "en": "One evaluation of {rows:,} rows was watched: whether another reads the same rows is not known.",
        "zh": "只观察到一次评估（{rows:,} 行）：无法得知再次评估是否读取相同的行。",
    },
    "no-evaluation": {
        "en": "No evaluation was watched until it finished: watch with --steps 0.",
        "zh": "没有完整观察到一次评估：请使用 --steps 0。",
    },
    "fix-fixed": {
        "en": "Give the data set for evaluation no random operation, and read it in order and to its end; draw its samples once.",
        "zh": "评估数据集不做随机操作，按顺序读到末尾；需要抽样时只抽一次。",
    },
    "fix-classes": {
        "en": "See which filter, sampler, split or table of labels leaves these classes out of the training.",
        "zh": "检查是哪个过滤、采样、划分或标签映射使这些类别没有进入训练。",
    },
    "fix-rest": {
        "en": "batch(..., drop_remainder=False) in evaluation, and average over samples instead of batches.",
        "zh": "评估时用 batch(..., drop_remainder=False)，并按样本而不是按 batch 求平均。",
    },
    "fix-split": {
        "en": "Evaluate on samples held out from training; if the training accuracy is intended here, evaluate on others as well.",
        "zh": "用没有参与训练的样本评估；若本意是训练集精度，请另外评估留出的样本。",
    },
}
_NOISE = {
    "en": 'The metric changes by chance from one evaluation to the next, and the "best" checkpoint is just the luckiest draw.',
    "zh": "指标在各次评估之间随机波动，选出的“最佳”checkpoint 只是运气最好的一次。",
}
WHY: Words = {
    "rows-change": _NOISE,
    "rows-change-when-read-again": _NOISE,
    "never-trained": {
        "en": "The network cannot learn classes that it never sees: every sample of these classes is wrong.",
        "zh": "从未见过的类别无法学会：这些类别的样本必然全错。",
    },
    "rows-left-out": {
        "en": "The metric covers only part of the data: it cannot be compared with others, and the samples left out may be the hardest.",
        "zh": "指标只反映部分数据：无法与他人比较，被略去的可能恰是最难的样本。",
    },
    "trained-with": {
        "en": "The metric then measures what the network memorised, not what it learned; overfitting goes unnoticed.",
        "zh": "这样得到的指标反映的是记忆而非所学，过拟合无法显现。",
    },
}
_TWICE = {
    "en": "Evaluate twice in a row without training: the metric must be the same.",
    "zh": "不训练，连续评估两次：指标应完全相同。",
}
PROOF: Words = {
    "rows-change": _TWICE,
    "rows-change-when-read-again": _TWICE,
    "rows-left-out": {
        "en": "Count the samples that the metric is divided by.",
        "zh": "核对计算指标时作为分母的样本数。",
    },
    "never-trained": {
        "en": "Count the labels of one epoch of both data sets.",
        "zh": "分别统计两个数据集一个 epoch 的标签。",
    },
    "trained-with": {
        "en": "Compare digests of samples of both data sets.",
        "zh": "比较两个数据集样本的摘要。",
    },
}
WORDS: Words = {}
#: What scripts seem to say of data sets for evaluation, and rows that stay the same prove wrong.
RANDOM = ["random-in-evaluation", "random-perhaps"]
#: Nodes that leave out no row of their source.
_PLAIN = {"BatchDataset", "MapDataset", "ShuffleDataset", "ProjectDataset", "RenameDataset"}
_ORDERS = {"RandomSampler", "SequentialSampler"}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watch = _watched.of_case(case, samples=params.about == "classes")[0]
    yield Progress(1, 1, "files")
    if params.about == "classes":
        yield from _never_trained(watch)
        return
    learned = _learned(watch)
    by_data: dict[int, list[dict[str, Any]]] = {}
    for fact in watch.facts("evaluation"):
        if fact["rows"] >= params.rows and fact["data"] not in learned:
            by_data.setdefault(fact["data"], []).append(fact)
    found = [*_trained_with(watch, params)]
    for number, facts in by_data.items():
        found += _of_data(watch, number, facts, params)
    compared = {number for number, facts in by_data.items() if any(one.get("common") is not None for one in facts)}
    found += _read_again(watch, compared, params)
    if not found:
        raise Skip("no-evaluation")
    # A data set that is made anew for each evaluation is told once.
    first: dict[tuple[str, Where], Finding] = {}
    for one in found:
        first.setdefault((one.code, one.where), one)
    yield from first.values()


def _learned(watch: Watch) -> set[int]:
    """The data sets that passes of training read from."""
    return {one["data"] for one in watch.facts("pass") if one.get("training") is True and one.get("data") is not None}


def _of_data(watch: Watch, number: int, facts: list[dict[str, Any]], params: Params) -> Iterator[Finding]:
    where = _made(watch, number)
    rows = max(one["rows"] for one in facts)
    later = [one for one in facts if one.get("common") is not None and one["distinct"]]
    shares = [1 - one["common"] / one["distinct"] for one in later]
    data: dict[str, Any] = {"rows": rows, "evaluations": len(facts), "share": min(shares, default=0.0)}
    if shares and min(shares) > params.other:
        yield Finding("rows-change", Level.SUSPECT, where, data, fix=Fix("fix-fixed"))
    elif shares:
        data["share"] = max(shares)
        refutes = [] if any(shares) else _unchanged(where)
        yield Finding("evaluated", Level.INFO, where, data, refutes=refutes)
    else:
        yield Finding("once", Level.INFO, where, data, incomplete=True)
    source = _whole(watch, number)
    same = len({one["rows"] for one in facts}) == 1
    if source is not None and rows < source * (1 - params.left) and same:
        left = {"rows": rows, "source": source, "left": source - rows}
        yield Finding("rows-left-out", Level.SUSPECT, where, left, fix=Fix("fix-rest"))


def _read_again(watch: Watch, compared: set[int], params: Params) -> Iterator[Finding]:
    """Data sets whose first batch was read twice after the run, and had other values in more rows than by chance; without those of which
    two evaluations were compared."""
    for one in watch.facts("read_twice"):
        if one["data"] not in compared and one["changed"] > params.other * one["rows"]:
            data = {"rows": one["rows"], "changed": one["changed"]}
            where = _made(watch, one["data"])
            yield Finding("rows-change-when-read-again", Level.SUSPECT, where, data, fix=Fix("fix-fixed"))


def _unchanged(where: Where) -> list[Refutes]:
    """What rows that stay the same prove wrong of the line that makes their data set."""
    if where.path is None or where.line is None:
        return []
    return [Refutes("train_infer_transforms", RANDOM, places={where.path: [[where.line, where.line]]})]


def _trained_with(watch: Watch, params: Params) -> Iterator[Finding]:
    """Evaluations of nothing but what was trained with; one of them alone may be meant to tell the training accuracy."""
    facts = watch.facts("among")
    evaluated = {one["data"] for one in watch.facts("evaluation")} - _learned(watch)
    told = {one["data"]: one for one in facts if one["rows"] >= params.rows}
    if not evaluated or not evaluated <= told.keys():
        return
    if all(told[number]["known"] >= params.known * told[number]["rows"] for number in evaluated):
        for number in sorted(evaluated):
            data = {"same": told[number]["known"], "count": told[number]["rows"]}
            yield Finding("trained-with", Level.SUSPECT, _made(watch, number), data, fix=Fix("fix-split"))


def _never_trained(watch: Watch) -> Iterator[Finding]:
    """Classes that are evaluated and that no batch of at least one whole epoch held."""
    epochs = {one for one in watch.run.sample_epochs if one > 0}
    learned = {label for labels in watch.run.sample_labels for label in labels}
    trained = _learned(watch)
    facts = [one for one in watch.facts("evaluation") if one["data"] not in trained]
    evaluated = {label for one in facts for label in one.get("classes", ())}
    if len(epochs) < 2 or not learned or not evaluated:
        raise Skip("classes-unseen")
    lacking = sorted(evaluated - learned)
    if not lacking:
        raise Skip("all-trained", of=len(evaluated))
    data = {"count": len(lacking), "of": len(evaluated), "epochs": len(epochs) - 1, "names": shown(map(str, lacking))}
    yield Finding("never-trained", Level.SUSPECT, _made(watch, min(trained, default=-1)), data, fix=Fix("fix-classes"))


def _made(watch: Watch, number: int) -> Where:
    """Where a data set is made, or read where that is not known."""
    made = (one for one in watch.facts("origin") if one.get("of") == "dataset" and one.get("number") == number)
    read = (one for one in watch.facts("dataset") if one.get("number") == number)
    return watch.where(next(made, {}).get("place") or next(read, {}).get("place"))


def _whole(watch: Watch, number: int) -> int | None:
    """How many rows the source of a data set has, where its nodes leave none of them out on purpose."""
    nodes = next((one.get("nodes") or [] for one in watch.facts("dataset") if one.get("number") == number), [])
    sources = [one for one in nodes if one.get("rows") is not None]
    others = {one.get("node") for one in nodes if one not in sources}
    return int(sources[0]["rows"]) if len(sources) == 1 and others <= _PLAIN | _ORDERS else None


def _example(
    name: str,
    verdict: Verdict,
    *codes: str,
    evaluations: tuple[tuple[int, int | None], ...],
    known: int = 0,
    changed: int = 0,
    classes: tuple[int, ...] = (),
    about: str = "rows",
) -> Example:
    """`evaluations`: of each the rows that it reads, and how many of them the one before read. The training is given classes 0 to 2."""
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    nodes = [{"node": "BatchDataset", "depth": 0, "batch_size": 16}, {"node": "NumpySlicesDataset", "rows": 100}]
    lines: list[dict[str, Any]] = [head, {"fact": "dataset", "number": 1, "place": ["train.py", 30], "nodes": nodes}]
    lines.append({"fact": "pass", "step": 1, "training": True, "data": 0, "batch": [], "networks": [0], "calls": []})
    for number, (rows, common) in enumerate(evaluations, 1):
        told = {"rows": rows, "distinct": rows, "common": common, "classes": list(classes)}
        rows_of = {"samples": [f"{number}-{at}" for at in range(6)], "labels": [at % 3 for at in range(6)]}
        lines += [{"step": number, "epoch": number, "loss": 1.0, "seconds": 0.1, **rows_of}]
        lines += [{"fact": "evaluation", "step": number, "data": 1, **told}]
    lines.append({"fact": "among", "data": 1, "rows": 100, "known": known})
    lines.append({"fact": "read_twice", "data": 1, "rows": 16, "changed": changed})
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes, params={"about": about})


EXAMPLES = [
    _example("the same rows each time", Verdict.OK, "evaluated", evaluations=((100, None), (100, 100), (100, 100))),
    _example(
        "samples that are changed at random", Verdict.UNDECIDED, "rows-change", evaluations=((100, None), (100, 3))
    ),
    _example("the last batch is dropped", Verdict.UNDECIDED, "rows-left-out", evaluations=((64, None), (64, 64))),
    _example(
        *("samples that were trained with", Verdict.UNDECIDED, "trained-with"),
        evaluations=((100, None), (100, 100)),
        known=100,
    ),
    _example(
        *("a class that is only evaluated", Verdict.UNDECIDED, "never-trained"),
        evaluations=((100, None), (100, 100)),
        classes=(0, 1, 2, 3),
        about="classes",
    ),
    _example("one evaluation", Verdict.UNDECIDED, "once", evaluations=((100, None),)),
    _example(
        *("samples that change when they are read again", Verdict.UNDECIDED, "once", "rows-change-when-read-again"),
        evaluations=((100, None),),
        changed=14,
    ),
]
