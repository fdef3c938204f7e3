"""Tells rows of the training data whose labels are those of other rows, from what a watched run read of the source, in its order.

Rows with similar inputs mostly have the same label. Where the label that similar rows agree on stands a few places before or after a row
all along a stretch, inputs and labels were joined out of step: rolled, cut, or put together in another order. Where small inputs, as rows
of a table, tell nothing of any label and the training is no better than guessing either, labels may be those of another column or order.
Of data from elsewhere, the rows of the first batches are looked at. Cannot tell anything else where similar inputs do not tell the label,
as raw pixels of photographs hardly do, nor single wrong labels.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict
from ..model import suggest as usual
from ..probe import Example, Skip
from . import _watched
from ._watched import Watch

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True):
    tells: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="similar inputs tell the labels of a stretch when they agree with them this far above the share of its most "
            "frequent label, towards all",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.5
    chance: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="up to this far above it, they tell nothing",
            extra={
                "unit": "1",
                "source": "own choice: labels of other rows, in a data set of digits whose order is no chance, reach 0.25",
            },
        ),
    ] = 0.3
    near: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="rows follow each other in time when each is this near to the next, against the distance of any two",
            extra={"unit": "ratio", "source": "own choice: 0.97 for digits, 0.1 for windows of a series"},
        ),
    ] = 0.5
    numbers: Annotated[
        int,
        Meta(
            ge=1,
            description="inputs of at most so many numbers should tell something of their labels",
            extra={"unit": "numbers", "source": "own choice: a row of a table, or a picture of 16 x 16"},
        ),
    ] = 256
    nothing: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="and tell nothing where they agree with them by no more than this above the share of the most frequent label",
            extra={
                "unit": "1",
                "source": "own choice: 30 trainings whose labels belong to their inputs reach 0.18, two others stay below 0",
            },
        ),
    ] = 0.03
    guessing: Annotated[
        float,
        Meta(
            gt=0,
            description="a cross entropy of at least this share of that of guessing by the shares of classes is no better",
            extra={"unit": "1", "source": "own choice"},
        ),
    ] = 0.98
    steps: Annotated[
        int,
        Meta(ge=3, description="with fewer steps that is not told", extra={"unit": "steps", "source": "own choice"}),
    ] = 40


MESSAGES: Words = {
    "unrelated": {
        "en": "In all {rows:,} rows that were read, the inputs ({numbers:,} numbers each) do not predict the labels: rows with similar "
        "inputs agree with the row's own label in {own:.0%} of cases, and the most frequent label alone makes up {most:.0%}. After "
        "{steps:,} steps the loss is {loss:.3g}; predicting class frequencies gives {guess:.3g}. The labels may come from a different "
        "column, or be in a different order from the inputs.",
        "zh": "在读取的全部 {rows:,} 行中，从输入（每行 {numbers:,} 个数）都看不出标签：输入相近的行与本行标签一致的有 {own:.0%}，"
        "而最常见的标签就占 {most:.0%}。训练 {steps:,} 步后 loss 为 {loss:.3g}，只按类别占比猜测为 {guess:.3g}。"
        "标签可能取自别的列，或与输入次序不同。",
    },
    "shifted": {
        "en": "From row {first:,} to {last:,}{of_source}, the label that fits an input is that of the row {distance:,} {way}: rows "
        "with similar inputs agree with that label in {told:.0%} of these rows, and with the row's own in {own:.0%}. Elsewhere they "
        "agree with the row's own label in {elsewhere:.0%}.",
        "zh": "{of_source}第 {first:,} 行到第 {last:,} 行，与输入相符的是{way} {distance:,} 行的标签：输入相近的行有 {told:.0%} 与之一致，"
        "与本行标签一致的只有 {own:.0%}；其他各处与本行标签一致的有 {elsewhere:.0%}。",
    },
    "all-shifted": {
        "en": "In all {rows:,} rows that were read, the label that fits an input is that of the row {distance:,} {way}: rows with "
        "similar inputs agree with that label in {told:.0%} of the rows, and with the row's own in {own:.0%}.",
        "zh": "在读取的全部 {rows:,} 行中，与输入相符的都是{way} {distance:,} 行的标签：输入相近的行有 {told:.0%} 与之一致，"
        "与本行标签一致的只有 {own:.0%}。",
    },
    "no-relation": {
        "en": "From row {first:,} to {last:,}{of_source}, inputs do not predict the labels: rows with similar inputs agree with the "
        "row's own label in {own:.0%} of cases, no more than with labels of other rows. Elsewhere they agree in {elsewhere:.0%}.",
        "zh": "{of_source}第 {first:,} 行到第 {last:,} 行，从输入看不出标签：输入相近的行与本行标签一致的只有 {own:.0%}，"
        "不高于与其他行标签的一致率；其他各处则有 {elsewhere:.0%}。",
    },
    "in-step": {
        "en": "In the {rows:,} rows that were read, similar inputs predict the label in {own:.0%} of cases: no section is out of step "
        "with its labels. Individual wrong labels cannot be seen this way.",
        "zh": "在读取的 {rows:,} 行中，由相近的输入可推知 {own:.0%} 的标签：没有哪一段与标签错位。个别错误标签无法由此看出。",
    },
    "in-time": {
        "en": "The rows that were read are consecutive in time, so their labels resemble those of the rows before: whether they are "
        "out of step cannot be determined.",
        "zh": "所读取的各行在时间上前后相接，标签与前几行本就相近，无法判断二者是否错位。",
    },
    "tell-little": {
        "en": "Similar inputs predict the labels of only {own:.0%} of {rows:,} rows, as is normal for photographs or text: whether "
        "labels are out of step with their inputs cannot be determined this way.",
        "zh": "由相近的输入只能推知 {rows:,} 行中 {own:.0%} 的标签（照片、文本通常如此），无法据此判断标签是否与输入错位。",
    },
    "not-read": {
        "en": "The watched run trained on fewer than 128 different rows with one class each.",
        "zh": "所观察的运行中，每行对应一个类别的训练数据不足 128 个不同的行。",
    },
    "fix-column": {
        "en": "Print some rows of the source with their labels and see which column these come from, and whether inputs and labels are "
        "in the same order. If the labels are unpredictable by nature, the data are fine, but training is pointless.",
        "zh": "打印数据源的若干行及其标签，查看标签取自哪一列、输入与标签的次序是否一致。标签本就无从预测时数据无误，但训练没有意义。",
    },
    "fix-join": {
        "en": "Join inputs and labels before anything changes their order, and change it for both alike; look at some rows of the part "
        "that is named here.",
        "zh": "先把输入与标签合在一起，再改变顺序，且两者一同改变；请查看此处所指部分的若干行。",
    },
}
WORDS: Words = {
    "stretches": {"en": "How often similar inputs predict the label", "zh": "由相近的输入推知标签的比例"},
    "row": {"en": "from row", "zh": "起始行"},
    "own": {"en": "own label", "zh": "本行标签"},
    "best": {"en": "best other row", "zh": "其他行中最高"},
    "place": {"en": "how many rows on", "zh": "相隔行数"},
}
_NOISE = {
    "en": "The labels of these rows are noise to the network: it memorises or ignores them, and they undo what other rows teach.",
    "zh": "这些行的标签对网络而言只是噪声：要么死记硬背，要么学不会，还会抵消其他行所教的内容。",
}
WHY: Words = dict.fromkeys(("shifted", "all-shifted", "no-relation", "unrelated"), _NOISE)
_SHOW = {
    "en": "Show ten inputs of this section with their own labels and with those of the neighbouring rows.",
    "zh": "取这一部分的十个输入，分别与本行及相邻行的标签一起显示。",
}
PROOF: Words = dict.fromkeys(WHY, _SHOW)
_SOURCE, _BATCHES = (
    {"en": " of the source", "zh": "数据源"},
    {"en": " in the order of the batches", "zh": "按 batch 的顺序"},
)
_EARLIER, _LATER = {"en": "before it", "zh": "往前第"}, {"en": "after it", "zh": "往后第"}
#: Stretches without a relation that say something beside others, and alone.
_FEWEST, _ALL = 2, 4
#: Relative difference of losses that are equal, and a share of the most frequent class up to which there is something to tell apart.
_NEAR, _MOST = 2e-3, 0.8


class RowRun(NamedTuple):
    """Rows that follow each other: the share of their most frequent label, and how often similar rows tell the label at each shift."""

    first: int
    most: float
    told: dict[int, float]

    def gain(self, shift: int) -> float:
        return (self.told[shift] - self.most) / max(1e-9, 1 - self.most)

    @property
    def other(self) -> int:
        """The shift, not 0, whose labels are told best."""
        return max((shift for shift in self.told if shift), key=lambda shift: self.told[shift])


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watches = _watched.of_case(case, samples=True)
    yield Progress(1, 1, "files")
    told = [(watch, fact) for watch in watches[:1] for fact in watch.facts("order") if fact.get("stretches")]
    if not told:
        raise Skip("not-read")
    for watch, fact in told:
        yield _judged(watch, fact, params)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """Labels that are in step may still be wrong."""
    verdict = usual(findings)
    return Verdict.UNDECIDED if verdict is Verdict.OK else verdict


def _judged(watch: Watch, fact: dict[str, Any], params: Params) -> Finding:
    stretches = [_stretch(one) for one in fact["stretches"]]
    own = [one for one in stretches if one.gain(0) >= params.tells]
    shifted = [one for one in stretches if one.gain(one.other) >= max(params.tells, one.gain(0) + params.tells / 2)]
    alike = Counter(one.other for one in shifted).most_common(1)
    shifted = [one for one in shifted if one.other == alike[0][0]]
    unrelated = [one for one in stretches if one.gain(0) <= min(params.chance, one.gain(one.other))]
    unrelated = [one for one in unrelated if one.gain(one.other) < params.tells]
    in_time = fact["near"] <= params.near
    where, length = watch.where(fact.get("place")), fact["length"]
    of_source = _SOURCE if fact.get("dataset") is not None else _BATCHES
    data: dict[str, Any] = {
        "of_source": of_source,
        "rows": len(stretches) * length,
        "own": _share(stretches, 0),
        "elsewhere": _share(own, 0),
    }
    evidence = [_table(stretches)]
    if shifted and (own or not in_time):
        shift = shifted[0].other
        data |= {"distance": abs(shift), "way": _LATER if shift > 0 else _EARLIER, "told": _share(shifted, shift)}
        data |= _reach(shifted, length)
        level = Level.PROBLEM if own and not in_time else Level.SUSPECT
        return Finding("shifted" if own else "all-shifted", level, where, data, [*evidence], Fix("fix-join"))
    if shifted:
        return Finding("in-time", Level.INFO, where, data, [*evidence], incomplete=True)
    if len(unrelated) >= _FEWEST and len(own) >= _FEWEST and len(unrelated) + len(own) == len(stretches):
        data |= _reach(unrelated, length)
        return Finding("no-relation", Level.SUSPECT, where, data, [*evidence], Fix("fix-join"))
    if len(own) == len(stretches):
        return Finding("in-step", Level.INFO, where, data, [*evidence])
    if (found := _unrelated(watch, stretches, params)) is not None:
        return Finding("unrelated", Level.SUSPECT, where, data | found, [*evidence], Fix("fix-column"))
    return Finding("tell-little", Level.INFO, where, data, [*evidence], incomplete=True)


def _unrelated(watch: Watch, stretches: list[RowRun], params: Params) -> dict[str, Any] | None:
    """What shows that small inputs tell nothing of the labels, and that the training does not either; else None."""
    gains = [one.gain(0) for one in stretches]
    most = sum(one.most for one in stretches) / max(1, len(stretches))
    numbers = _numbers(watch)
    small = numbers is not None and 1 < numbers <= params.numbers
    apart = len(stretches) < _ALL or max(gains) > params.chance / 2 or sum(gains) / len(gains) > params.nothing
    if apart or not small or most > _MOST:
        return None
    losses, guess = _losses(watch), _guessing(watch)
    if guess is None or len(losses) < params.steps:
        return None
    late = losses[-len(losses) // 3 :]
    loss = sum(late) / len(late)
    if not params.guessing * guess <= loss < math.inf:
        return None
    return {"numbers": numbers, "most": most, "loss": loss, "guess": guess, "steps": len(losses)}


def _numbers(watch: Watch) -> int | None:
    """Of how many numbers the inputs of a row are, where they are one tensor of real numbers."""
    one = next((one for one in watch.facts("pass") if one.get("training") is True), {})
    given = [each for each in one.get("batch") or () if str(each.get("type", "")).startswith("float")]
    return math.prod(given[0]["shape"][1:]) if len(given) == 1 and len(given[0].get("shape") or ()) > 1 else None


def _losses(watch: Watch) -> list[float]:
    """The losses of all steps, where those that were looked at are the plain cross entropy of outputs and labels."""
    told = [(one.get("loss"), one.get("own")) for one in watch.facts("outputs")]
    known = [(loss, own) for loss, own in told if isinstance(loss, (int, float)) and isinstance(own, (int, float))]
    plain = bool(known) and len(known) == len(told) and all(abs(a - b) <= _NEAR * abs(b) for a, b in known)
    column = watch.run.series.get("loss")
    return column.values.tolist() if plain and column is not None else []


def _guessing(watch: Watch) -> float | None:
    """The cross entropy of guessing by the shares of the classes, as batches had them; None where their labels are not known."""
    classes = Counter(label for some in watch.run.sample_labels for label in some)
    total = sum(classes.values())
    return -sum(count / total * math.log(count / total) for count in classes.values()) if len(classes) > 1 else None


def _stretch(told: list[Any]) -> RowRun:
    reach = len(told[2]) // 2
    return RowRun(told[0], told[1], dict(zip(range(-reach, reach + 1), told[2], strict=True)))


def _share(stretches: list[RowRun], shift: int) -> float:
    return sum(one.told[shift] for one in stretches) / max(1, len(stretches))


def _reach(stretches: list[RowRun], length: int) -> dict[str, Any]:
    own = _share(stretches, 0)
    return {"first": stretches[0].first, "last": stretches[-1].first + length - 1, "own": own}


def _table(stretches: list[RowRun]) -> Table:
    rows: list[list[Plain]] = [[one.first, one.told[0], one.told[one.other], one.other] for one in stretches]
    return Table("stretches", ["row", "own", "best", "place"], rows)


def _example(
    name: str,
    verdict: Verdict,
    code: str,
    *told: dict[int, float],
    near: float = 0.97,
    size: int = 0,
    loss: float = 0.0,
    dataset: int | None = 0,
) -> Example:
    """`told`: by stretch, how often the label at a shift is told; 0.2 where nothing is said. `size`: numbers of an input, whose loss stays
    at `loss`. `dataset`: the source that the rows were read of; None for batches."""
    head = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}
    stretches = [
        [number * 200, 0.11, [one.get(shift, 0.2) for shift in range(-8, 9)]] for number, one in enumerate(told)
    ]
    fact = {"fact": "order", "dataset": dataset, "place": ["data.py", 12], "rows": 200 * len(told), "classes": 10}
    lines = [head, {**fact, "near": near, "length": 128, "stretches": stretches}]
    if size:
        batch = [{"shape": [10, size], "type": "float32"}, {"shape": [10], "type": "int32"}]
        lines += [
            {"fact": "pass", "step": 1, "training": True, "batch": batch},
            {"fact": "outputs", "step": 1, "loss": loss, "own": loss},
        ]
        step = {"epoch": 1, "loss": loss, "seconds": 0.1, "labels": [*range(10)]}
        lines += [{"step": n, **step, "samples": [*range(10 * n, 10 * n + 10)]} for n in range(1, 51)]
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=(code,))


_OWN: dict[int, float] = {0: 0.96}
EXAMPLES = [
    _example("labels in step", Verdict.UNDECIDED, "in-step", _OWN, _OWN, _OWN),
    _example("labels of a part are rolled by one", Verdict.PROBLEM, "shifted", _OWN, _OWN, {1: 0.95}, {1: 0.97}),
    _example("all labels are rolled", Verdict.UNDECIDED, "all-shifted", {-2: 0.94}, {-2: 0.95}),
    _example("windows of a series", Verdict.UNDECIDED, "in-time", {-1: 0.99}, {-1: 0.98}, near=0.1),
    _example("a part in another order", Verdict.UNDECIDED, "no-relation", _OWN, _OWN, {}, {}),
    _example(
        *("labels of another column", Verdict.UNDECIDED, "unrelated", {0: 0.11}, {0: 0.1}, {0: 0.12}, {0: 0.09}),
        size=5,
        loss=2.31,
    ),
    _example(
        *("a table that is learned all the same", Verdict.UNDECIDED, "tell-little", *({0: 0.11},) * 4), size=5, loss=1.9
    ),
    _example(
        *("a part of the batches", Verdict.UNDECIDED, "no-relation", _OWN, _OWN, {}, {}),
        dataset=None,
    ),
    _example("pictures", Verdict.UNDECIDED, "tell-little", {0: 0.11}, {0: 0.1}, {}, {}, size=3072, loss=2.31),
    _example("photographs", Verdict.UNDECIDED, "tell-little", {0: 0.35}, {0: 0.3}, {0: 0.33}),
]
