"""Tells what a person found who looked at a sample of the labels: the share of wrong ones, and where they are.

The sample is drawn and marked in the walkthrough (key s on ds.02) or with `accucheck labels`. Catches: labels that are wrong in the
sample. Cannot tell: anything of samples that nobody looked at, beyond the interval that it gives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Sure, Table, Verdict, Where
from ..probe import Example
from . import _labelled

if TYPE_CHECKING:
    from ..marks import Plan, Rate

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("data.train.path",)
#: What a result depends on beside the case: see engine.fingerprint.
OWN_FILES = (".accucheck/labels.json",)


class Params(msgspec.Struct, frozen=True):
    usual: Annotated[
        float,
        Meta(
            ge=0,
            lt=1,
            description="wrong labels are a problem when all samples are marked and the whole interval lies above this share, "
            "else a suspect",
            extra={
                "unit": "1",
                "source": "Northcutt et al. 2021, arXiv:2103.14749: on average 3.3 % in ten public test sets",
            },
        ),
    ] = 0.033
    bound: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="with no error found, ok when the upper end of the interval is at most this (0 of 35 gives 0.099)",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.1
    whole: Annotated[
        int,
        Meta(
            ge=1,
            description="a label of which at least so many samples were looked at, and all are wrong, is a problem by itself",
            extra={"unit": "samples", "source": "own choice"},
        ),
    ] = 2


MESSAGES: Words = {
    "no-plan": {
        "en": "{role} data: no labels have been reviewed yet. Press s on this item in the walkthrough, or run accucheck labels.",
        "zh": "{role}数据：尚未抽样检查标签。请在向导中对本项按 s，或运行 accucheck labels。",
    },
    "not-marked": {
        "en": "{role} data: {left:,} of {samples:,} drawn samples are not marked yet. Press s on this item in the walkthrough, or run "
        "accucheck labels.",
        "zh": "{role}数据：抽取的 {samples:,} 个样本中还有 {left:,} 个未标注。请在向导中对本项按 s，或运行 accucheck labels。",
    },
    "wrong-labels": {
        "en": "{role} data: {wrong:,} of {looked:,} reviewed labels are wrong: {share:.1%}; in the whole data most likely {low:.1%} to "
        "{high:.1%} (95 %, Wilson); {weighted}.",
        "zh": "{role}数据：人工查看的 {looked:,} 个标签中有 {wrong:,} 个有误，占 {share:.1%}，总体错误率的 95% 区间为 "
        "{low:.1%} 至 {high:.1%}（Wilson）；{weighted}。",
    },
    "label-wrong": {
        "en": "{role} data: every reviewed sample of {names} is wrong ({count:,} in all).",
        "zh": "{role}数据：{names} 被抽查的样本全部有误（共 {count:,} 个）。",
    },
    "no-error-found": {
        "en": "{role} data: no error found among {looked:,} reviewed labels; the true rate is most likely below {high:.1%} (95 %, "
        "Wilson). That does not mean that all labels are right.",
        "zh": "{role}数据：人工查看的 {looked:,} 个标签中未发现错误，真实错误率大概率低于 {high:.1%}（95%，Wilson），"
        "但不等于标签全部正确。",
    },
    "too-few": {
        "en": "{role} data: {looked:,} samples are too few to say more than that the rate is below {high:.1%}.",
        "zh": "{role}数据：只看了 {looked:,} 个样本，仅能说明错误率低于 {high:.1%}，样本太少。",
    },
    "unsure": {
        "en": "{role} data: {count:,} of {samples:,} samples were marked unsure, the first is {first}.",
        "zh": "{role}数据：{samples:,} 个样本中有 {count:,} 个标注为不确定，第一个是 {first}。",
    },
    "plan": {
        "en": "{role} data: {samples:,} samples drawn from {strata:,} of {labels:,} labels, seed {seed}, marked by {who}.",
        "zh": "{role}数据：从 {labels:,} 种标签中的 {strata:,} 种抽取 {samples:,} 个样本，随机种子 {seed}，标注人 {who}。",
    },
    "data-changed": {
        "en": "{role} data: {count:,} {count:file|files} changed since the sample was drawn, the first is {first}. Draw again: "
        "accucheck labels --redraw",
        "zh": "{role}数据：抽样之后有 {count:,} 个文件发生变化，第一个是 {first}。请重新抽样：accucheck labels --redraw",
    },
    "sample-gone": {
        "en": "{role} data: {count:,} drawn {count:sample|samples} can no longer be read, the first is {first}: {why} Draw again: "
        "accucheck labels --redraw",
        "zh": "{role}数据：有 {count:,} 个抽取的样本已无法读取，第一个是 {first}：{why} 请重新抽样：accucheck labels --redraw",
    },
    "relabelled": {
        "en": "{role} data: {count:,} drawn {count:sample has|samples have} a different label from when they were drawn, "
        "the first is {first} ({old} then, "
        "{new} now). Their marks do not count. Draw again: accucheck labels --redraw",
        "zh": "{role}数据：有 {count:,} 个抽取的样本标签已变，第一个是 {first}（当时为 {old}，现为 {new}），其标注不再计入。"
        "请重新抽样：accucheck labels --redraw",
    },
    "partial": {
        "en": "{role} data: {count:,} {count:file|files} could not be read when the sample was drawn; nothing is known about them.",
        "zh": "{role}数据：抽样时有 {count:,} 个文件无法读取，结果不包括这些文件。",
    },
    "relabel": {
        "en": "Have the batch that the wrong ones come from labelled again at its source; do not fix only those that were drawn.",
        "zh": "请回到错标样本所在批次的标注来源重新标注，不要只改抽到的这几个。",
    },
}

WORDS: Words = {
    "wrong": {"en": "Wrong labels", "zh": "有误的标签"},
    "doubtful": {"en": "Unsure", "zh": "不确定的样本"},
    "sample": {"en": "sample", "zh": "样本"},
    "label": {"en": "label", "zh": "标签"},
    "note": {"en": "note", "zh": "备注"},
    "by": {"en": "marked by", "zh": "标注人"},
    "by-label": {"en": "By label", "zh": "各标签"},
    "looked": {"en": "looked at", "zh": "已查看"},
    "errors": {"en": "wrong", "zh": "有误"},
    "in-all": {"en": "samples in all", "zh": "样本总数"},
    "changed": {"en": "Changed", "zh": "有变化的样本"},
    "now": {"en": "now", "zh": "现状"},
}

_TAUGHT = {
    "en": "The network is taught the wrong answer for these samples, and the measured accuracy is wrong by as much.",
    "zh": "网络在这些样本上学到的是错误答案，测得的精度也会有同样大小的偏差。",
}
_STALE = {
    "en": "The reviewed labels are not the ones that training reads.",
    "zh": "被查看的内容已不是训练实际读取的内容。",
}
_LOOK = {"en": "Look at more samples of the labels named here.", "zh": "多查看一些此处列出的标签的样本。"}
_AGAIN = {"en": "Draw a new sample and look at it.", "zh": "重新抽样并查看。"}
WHY: Words = {
    "wrong-labels": _TAUGHT,
    "label-wrong": {
        "en": "A label that is wrong throughout is most often an error of the mapping: names and numbers of classes, or order of files.",
        "zh": "某一标签全部有误，多半是映射错误：类别名称与编号不一致，或文件顺序错位。",
    },
    "relabelled": _STALE,
    "sample-gone": _STALE,
}
PROOF: Words = {"wrong-labels": _LOOK, "label-wrong": _LOOK, "relabelled": _AGAIN, "sample-gone": _AGAIN}

_ROWS = 200


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from .. import marks

    record = marks.load(case)
    for role in _labelled.ROLES:
        plan = record.plans.get(role)
        if plan is not None:
            yield Progress(0, len(plan.samples), "samples")
            yield from _judge(case, role, plan, params)
        elif role == "train":
            yield Finding("no-plan", Level.INFO, data={"role": _labelled.ROLES[role]}, incomplete=True)


def _unmarked(plan: Plan, places: Container[int]) -> Plan:
    """The plan without the marks of the samples at some places."""
    samples = [
        msgspec.structs.replace(one, mark=None) if place in places else one for place, one in enumerate(plan.samples)
    ]
    return msgspec.structs.replace(plan, samples=samples)


def _unsure(case: Case, plan: Plan, said: dict[str, Any]) -> Finding:
    from .. import marks

    doubtful = [one for one in plan.samples if one.judgement is marks.Judgement.UNSURE]
    data = {**said, "first": doubtful[0].id}
    evidence = [_listed(case, "doubtful", doubtful)]
    return Finding("unsure", Level.INFO, Where(path=doubtful[0].path), data, [*evidence], incomplete=True)


def _judge(case: Case, role: str, plan: Plan, params: Params) -> Iterator[Finding]:
    from .. import marks

    changes = marks.changes(case, plan)
    void = {*changes.gone, *changes.relabelled}
    plan = _unmarked(plan, changes.relabelled)
    rate = marks.rate(plan)
    said: dict[str, Any] = {
        "role": _labelled.ROLES[role],
        "samples": len(plan.samples),
        **{key: getattr(rate, key) for key in ("looked", "right", "wrong", "left", "share", "low", "high")},
        "weighted": _weighted(rate),
    }
    yield from _stale(said, plan, changes)
    if rate.left > len(changes.relabelled):
        yield Finding(
            "not-marked", Level.INFO, data={**said, "left": rate.left - len(changes.relabelled)}, incomplete=True
        )
    if rate.wrong:
        yield from _wrong(case, said, plan, rate, params)
    elif rate.looked:
        high_enough = rate.high <= params.bound or rate.looked == plan.labelled
        level, code = Level.INFO, "no-error-found"
        yield Finding(code, level, data=said, evidence=_by_label(case, plan), incomplete=bool(void))
        if not high_enough and not rate.left:
            yield Finding("too-few", Level.INFO, data=said, incomplete=True)
    if rate.unsure:
        yield _unsure(case, plan, said | {"count": rate.unsure})
    if plan.gaps:
        yield Finding("partial", Level.INFO, data={**said, "count": plan.gaps}, incomplete=True)
    people = Counter(one.mark.who for one in plan.samples if one.mark is not None)
    data = {
        **said,
        "strata": len(plan.strata) or plan.labels,
        "labels": plan.labels,
        "seed": plan.seed,
        "who": [name for name, _ in people.most_common(5)] or ["-"],
    }
    yield Finding("plan", Level.INFO, data=data)


def _wrong(case: Case, said: dict[str, Any], plan: Plan, rate: Rate, params: Params) -> Iterator[Finding]:
    from .. import marks

    wrong = [one for one in plan.samples if one.judgement is marks.Judgement.WRONG]
    level = (
        Level.PROBLEM if rate.low > params.usual and not said["left"] else Level.SUSPECT
    )  # of a part nothing is decided
    tables = [_listed(case, "wrong", wrong), *_by_label(case, plan)]
    place = Where(path=wrong[0].path)
    yield Finding("wrong-labels", level, place, said, tables, Fix("relabel"), sure=Sure.CERTAIN)
    whole = [(label, looked) for label, (looked, bad) in marks.by_label(plan).items() if bad == looked >= params.whole]
    if whole and len(plan.strata) > 1 and not said["left"]:
        names = [marks.class_name(case, label) for label, _ in whole[:8]]
        data = {**said, "names": names, "count": sum(looked for _, looked in whole)}
        yield Finding(
            "label-wrong", Level.PROBLEM, Where(), data, [*_by_label(case, plan)], Fix("relabel"), sure=Sure.LIKELY
        )


def _stale(said: dict[str, Any], plan: Plan, changes: Any) -> Iterator[Finding]:
    """What changed in the data since the sample was drawn."""
    from ..model import Language

    if changes.relabelled:
        place, now = next(iter(changes.relabelled.items()))
        one = plan.samples[place]
        rows: list[list[Plain]] = [
            [plan.samples[at].id, plan.samples[at].label, label]
            for at, label in list(changes.relabelled.items())[:_ROWS]
        ]
        data = {**said, "count": len(changes.relabelled), "first": one.id, "old": one.label, "new": now or "-"}
        table = Table("changed", ["sample", "label", "now"], rows, len(changes.relabelled), samples=True)
        yield Finding(
            "relabelled", Level.SUSPECT, Where(path=one.path), data, [table], sure=Sure.CERTAIN, incomplete=True
        )
    if changes.gone:
        place, error = next(iter(changes.gone.items()))
        why = {language.value: error.text(language) for language in Language}
        data = {**said, "count": len(changes.gone), "first": plan.samples[place].id, "why": why}
        where = Where(path=plan.samples[place].path)
        yield Finding("sample-gone", Level.SUSPECT, where, data, sure=Sure.CERTAIN, incomplete=True)
    if changes.files and not changes.relabelled and not changes.gone:
        data = {**said, "count": len(changes.files), "first": changes.files[0]}
        yield Finding("data-changed", Level.INFO, Where(path=changes.files[0]), data, incomplete=True)


def _weighted(rate: Rate) -> dict[str, str]:
    if rate.weighted is None:
        return {"en": "not weighted by label", "zh": "未按标签加权"}
    return {"en": f"weighted by label {rate.weighted:.1%}", "zh": f"按标签加权为 {rate.weighted:.1%}"}


def _listed(case: Case, title: str, samples: list[Any]) -> Table:
    from .. import marks

    rows: list[list[Plain]] = [
        [one.id, marks.class_name(case, one.label), one.mark.note, one.mark.who] for one in samples[:_ROWS]
    ]
    return Table(title, ["sample", "label", "note", "by"], rows, len(samples), samples=True)


def _by_label(case: Case, plan: Plan) -> list[Any]:
    """How each label fared; nothing where labels are not classes."""
    from .. import marks

    rows: list[list[Plain]] = [
        [marks.class_name(case, label), looked, wrong, plan.strata[label]]
        for label, (looked, wrong) in marks.by_label(plan).items()
    ]
    return [Table("by-label", ["label", "looked", "errors", "in-all"], rows[:_ROWS], len(rows))] if rows else []


# --- examples ---------------------------------------------------------------------------------------------------------


def _marked(judgements: str, stale: str = "") -> Any:
    """Write a plan of train.csv with so many judgements: r(ight), w(rong), u(nsure), - for none."""

    def write(path: Path) -> None:
        from .. import marks
        from ..readers.drawing import Drawing, labels_of

        data = path.parent.parent / "train.csv"
        drawing = Drawing(0, len(judgements))
        for block in labels_of(data, "csv", None):
            drawing.add(0, data.name, 0, block)
        drawn, status = drawing.drawn(), data.stat()
        samples = [marks.Sample(data.name, row, label) for _, row, label in drawn.samples]
        files = {data.name: marks.File("csv", status.st_size, status.st_mtime_ns)}
        plan = marks.Plan(
            0, len(judgements), "li", "", None, samples, drawn.strata, drawn.labels, drawn.labelled, 0, files
        )
        record = marks.Record(plans={"train": plan})
        known = {"r": marks.Judgement.RIGHT, "w": marks.Judgement.WRONG, "u": marks.Judgement.UNSURE}
        for place, letter in enumerate(judgements):
            if letter in known:
                record = marks.marked(record, "train", place, known[letter], who="li")
        marks.save(Case(root=str(data.parent)), record)
        if stale:
            data.write_text(stale)

    return write


_DATA = "x,label\n" + "".join(f"{n},{'ab'[n % 2]}\n" for n in range(200))


def _example(name: str, judgements: str | None, verdict: Verdict, *codes: str, stale: str = "") -> Example:
    files: dict[str, Any] = {"train.csv": _DATA}
    if judgements is not None:
        files[".accucheck/labels.json"] = _marked(judgements, stale)
    return Example(name, files=files, case={"data": {"train": {"path": "train.csv"}}}, verdict=verdict, codes=codes)


EXAMPLES = [
    _example("50 samples looked at, none wrong", "r" * 50, Verdict.OK, "no-error-found"),
    _example("nothing drawn yet", None, Verdict.UNDECIDED, "no-plan"),
    _example("half of the samples marked", "r" * 25 + "-" * 25, Verdict.UNDECIDED, "not-marked"),
    _example("2 of 50 are wrong", "wr" * 2 + "r" * 46, Verdict.UNDECIDED, "wrong-labels"),
    _example("8 of 50 are wrong", "rw" * 8 + "r" * 34, Verdict.PROBLEM, "wrong-labels"),
    _example("every sample of one label is wrong", "w" * 10 + "r" * 10, Verdict.PROBLEM, "wrong-labels", "label-wrong"),
    _example("some were marked unsure", "r" * 48 + "uu", Verdict.UNDECIDED, "unsure"),
    _example("10 samples are too few", "r" * 10, Verdict.UNDECIDED, "too-few"),
    _example(
        "the labels changed since",
        "r" * 50,
        Verdict.UNDECIDED,
        "relabelled",
        stale=_DATA.replace(",a", ",c").replace("199,b", "1999,b"),
    ),
]
