"""Compares the order of samples in two epochs of a training as it was recorded, whatever the scripts say.

`accucheck.Recorder` records which samples each step got, and so does a watched run, which tells their classes too. Catches the same order
in both epochs, classes that come one after another, also in a part of an epoch, and orders of a shuffle buffer that is small against the
data, where identities are the numbers 0 to n - 1. Cannot tell: samples without classes that are recorded by their content and augmented,
whose digests never come again, and orders that are meant to stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Curve, Finding, Fix, Kind, Level, Progress, Refutes, Verdict, Where
from ..model import suggest as usual
from ..probe import Example, Skip
from . import _recorded_samples, _watched, shuffle_order

if TYPE_CHECKING:
    from ._recorded_samples import Array, RecordedSamples
    from ._watched import Watch

KIND = Kind.FILE
_SHARED = ("small-buffer", "label-runs", "labels-fixed", "fix-shuffle", "fix-buffer")
NEEDS: tuple[str | tuple[str, ...], ...] = (("curves.train", "watched"),)
#: Steps without which it is not told that they all take one batch.
_STEPS = 10
#: So many of the runs of one class are of one length where a sampler deals them out.
_ALIKE = 0.9


class Params(msgspec.Struct, frozen=True):
    half: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="a buffer below this share of the data is suspect",
            extra={"unit": "1", "source": "measured: rank correlation with the stored order is still 0.37"},
        ),
    ] = 0.5


MESSAGES: Words = {
    **_recorded_samples.MESSAGES,
    **{code: shuffle_order.MESSAGES[code] for code in _SHARED},
    "by-class": {
        "en": "The training reads one class after another: the {count:,} samples watched of epoch {one:,} come in {blocks:,} runs of "
        "one class ({classes:,} classes, {mean:,.0f} samples in a run); shuffled data would have about {mixed:,.0f} runs.",
        "zh": "训练按类别逐类读取样本：第 {one:,} 个 epoch 中观察到的 {count:,} 个样本只有 {blocks:,} 段同类序列（共 {classes:,} 类，"
        "平均每段 {mean:,.0f} 个），而充分混合时约有 {mixed:,.0f} 段。",
    },
    "labels-mixed": {
        "en": "Classes are mixed: {observed:,} of {count:,} neighbours have equal labels, {expected:,.0f} are expected of mixed data.",
        "zh": "类别已混合：{count:,} 对相邻样本中有 {observed:,} 对标签相同，充分混合时约为 {expected:,.0f} 对。",
    },
    "for-evaluation": {
        "en": "{count:,} data {count:set was|sets were} only read for inference; {count:its|their} order says nothing about the training.",
        "zh": "有 {count:,} 个数据集只用于推理，其次序与训练无关。",
    },
    "same-batch": {
        "en": "{steps:The one step|All {steps:,} steps} trained on the same {count:,} samples, of {rows:,} that the source has.",
        "zh": "全部 {steps:,} 步都用同样的 {count:,} 个样本训练，而数据源共有 {rows:,} 个样本。",
    },
    "fix-next": {
        "en": "Make the iterator once for each epoch and take its next batch in each step: for batch in dataset.create_tuple_iterator().",
        "zh": "每个 epoch 只创建一次迭代器，每一步取下一个 batch：for batch in dataset.create_tuple_iterator()。",
    },
    "fixed-order": {
        "en": "Epochs {one:,} and {other:,} of the recorded training read the samples in the same order ({samples:,} compared, "
        "{same:.1%} in the same position).",
        "zh": "所记录的训练中，第 {one:,} 和第 {other:,} 个 epoch 读取样本的顺序相同（比较了 {samples:,} 个，{same:.1%} 位置一致）。",
    },
    "same-shuffle": {
        "en": "Epochs {one:,} and {other:,} come in the same order ({samples:,} compared, {same:.1%} in the same position), though a "
        "shuffled one: an iterator recreated for each epoch restarts from the same seed. A single iterator with num_epochs does not.",
        "zh": "第 {one:,} 和第 {other:,} 个 epoch 顺序相同（比较了 {samples:,} 个，{same:.1%} 位置一致），但该顺序本身是混洗过的："
        "每个 epoch 新建迭代器都会从同一种子开始。用 num_epochs 只建一个迭代器，则每个 epoch 都会重新混洗。",
    },
    "reshuffled": {
        "en": "Epochs {one:,} and {other:,} of the recorded training read the samples in different orders ({samples:,} compared, "
        "{same:.1%} in the same position).",
        "zh": "所记录的训练中，第 {one:,} 和第 {other:,} 个 epoch 读取样本的顺序不同（比较了 {samples:,} 个，{same:.1%} 位置一致）。",
    },
    "other-samples": {
        "en": "Epochs {one:,} and {other:,} have hardly any samples in common ({common:.1%}): augmented samples cannot be identified "
        "by content. Record their indices.",
        "zh": "第 {one:,} 和第 {other:,} 个 epoch 几乎没有相同的样本（{common:.1%}）：增强后的样本无法按内容识别，请记录样本编号。",
    },
    "one-epoch": {
        "en": "{path} holds the samples of one epoch only, or of too few: orders cannot be compared.",
        "zh": "{path} 只有一个 epoch 的样本，或样本过少，无法比较顺序。",
    },
}
WORDS: Words = {
    "order": {"en": "The samples of both epochs in their order", "zh": "两个 epoch 中样本的次序"},
    "place": {"en": "position in the epoch", "zh": "在 epoch 中的次序"},
    "sample": {"en": "number of the sample", "zh": "样本编号"},
    "one": {"en": "first epoch", "zh": "前一个 epoch"},
    "other": {"en": "second epoch", "zh": "后一个 epoch"},
    "classes": {"en": "Classes of the samples in their order", "zh": "样本类别的次序"},
    "class": {"en": "class", "zh": "类别"},
}
_SAME = {
    "en": "Every epoch takes the same steps in the same order: gradients of neighbours go together, and the network follows the order.",
    "zh": "每个 epoch 都按同样的次序走同样的步子：相邻 batch 的梯度相关，网络会受数据次序影响。",
}
_FORGOTTEN = {
    "en": "Steps of one class pull the whole network to it, and the next ones undo that: the loss jumps, and the last class is preferred.",
    "zh": "连续若干步都是同一类，网络会整体偏向该类，随后又被下一类推翻：loss 跳动，且最后出现的类别占优。",
}
WHY: Words = {
    "same-batch": {
        "en": "The network memorises these samples and learns nothing from the others; the loss falls faster than it should.",
        "zh": "网络只会记住这些样本，学不到其余数据；loss 下降得异常快。",
    },
    **dict.fromkeys(("fixed-order", "small-buffer", "labels-fixed"), _SAME),
    **dict.fromkeys(("by-class", "label-runs"), _FORGOTTEN),
}
_PRINT = {
    "en": "Print the numbers of the first samples of two epochs of the training.",
    "zh": "打印训练中两个 epoch 最初若干样本的编号。",
}
PROOF: Words = dict.fromkeys(WHY, _PRINT)


#: What reading the scripts says of a pipeline that gives the samples in their order, and that another order in each epoch proves wrong.
#: How far they move is not seen, so that buffers are not among them.
ONCE = ["shuffle-off", "sampler-in-order", "buffer-one", "shuffle-dropped", "generator-in-order"]
ONCE += ["source-may-shuffle", "off-by-default", "sometimes-off", "role-unknown", "handed-on"]
IN_ORDER = [*ONCE, "reshuffle-off"]


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    recorded = _recorded_samples.of_case(case)
    yield Progress(1, 1, "files")
    if not recorded:
        raise Skip("not-recorded", path=_recorded_samples.shown(case))
    path = case.relative(recorded[0].path)
    watches = _watched.of_case(case) if case.get("watched") else []
    watch = next((one for one in watches if one.path == path), None)
    if watch is not None:
        yield from _for_evaluation(watch)
    yield from _judged(recorded[0], path, params, _Source(path) if watch is None else _source(watch))


class _Source(NamedTuple):
    """The data set that a training read, as a watched run tells it: its nodes, and where it was made."""

    path: str
    nodes: list[dict[str, Any]] = []
    where: Where | None = None

    @property
    def shuffled(self) -> bool:
        """Whether a node shuffles all of the data."""
        kinds = ((str(node.get("node", "")), node.get("shuffle")) for node in self.nodes)
        return any(kind.endswith("RandomSampler") or shuffle == "GLOBAL" for kind, shuffle in kinds)

    @property
    def rows(self) -> int:
        """How many rows its source has, 0 where that is not known."""
        return min((int(node["rows"]) for node in self.nodes if node.get("rows")), default=0)


def _source(watch: Watch) -> _Source:
    number = next((one.get("data") for one in watch.facts("pass") if one.get("training") is True), None)
    nodes = [node for one in watch.facts("dataset") if one.get("number") == number for node in one.get("nodes", [])]
    place = _made(watch).get(number)
    return _Source(watch.path, nodes, watch.where(place) if place else None)


def _made(watch: Watch) -> dict[Any, Any]:
    """The line in which each data set was made, by its number."""
    return {one["number"]: one.get("place") for one in watch.facts("origin") if one.get("of") == "dataset"}


def _for_evaluation(watch: Watch) -> Iterator[Finding]:
    """Data sets whose batches went into passes of inference alone: that these are in order says nothing of the training."""
    made = _made(watch)
    lines: dict[tuple[str, int], bool] = {}
    for one in watch.facts("pass"):
        place = made.get(one.get("data"))
        if place:
            lines[place[0], place[1]] = lines.get((place[0], place[1]), True) and one.get("training") is False
    places: dict[str, list[list[int]]] = {}
    for (file, line), alone in lines.items():
        if alone:
            places.setdefault(file, []).append([line, line])
    if places:
        count = sum(map(len, places.values()))
        refutes = [Refutes("shuffle_settings", shuffle_order.UNSHUFFLED, places=places)]
        yield Finding("for-evaluation", Level.INFO, watch.where(), {"count": count}, refutes=refutes)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """In order only where the buffer was seen too: which samples come next says nothing of how far they moved."""
    found = list(findings)
    verdict = usual(found)
    seen = any(one.code == "reshuffled" and one.data.get("buffer_share") for one in found)
    return Verdict.UNDECIDED if verdict is Verdict.OK and not seen else verdict


def _one_batch(recorded: RecordedSamples) -> set[int]:
    """The samples of the first batch where all steps, and enough of them, train on these alone."""
    import numpy as np

    ids = np.concatenate([recorded.epochs[one] for one in sorted(recorded.epochs)])
    first = {*ids[: recorded.batch].tolist()}
    enough = recorded.batch > 1 and len(ids) >= _STEPS * recorded.batch
    return first if enough and first == {*ids.tolist()} and len(first) * 2 > recorded.batch else set()


def _judged(recorded: RecordedSamples, path: str, params: Params, source: _Source) -> Iterator[Finding]:
    where, rows = source.where or Where(path), source.rows
    epochs = sorted(recorded.epochs)
    from ..live import order

    if rows and (one := _one_batch(recorded)) and len(one) * 2 <= rows:
        data = {
            "count": len(one),
            "rows": rows,
            "steps": sum(len(ids) for ids in recorded.epochs.values()) // recorded.batch,
        }
        yield Finding("same-batch", Level.SUSPECT, where, data, fix=Fix("fix-next"))
        return
    yield from _of_labels(recorded, where, epochs)
    if len(epochs) < 2 or min(len(recorded.epochs[one]) for one in epochs[:2]) < order.FEWEST:
        yield Finding("one-epoch", Level.INFO, where, {"path": path}, incomplete=True)
        return
    yield from _of_identities(recorded, where, path, params, source.shuffled)


def _is_repeated(first: Array, second: Array) -> bool:
    """Whether the classes of two epochs come in one order that chance hardly gives, and are not dealt out in turn."""
    from ..live import order

    if len(second) < order.FEWEST:
        return False
    same, chance = order.agreement(first, second)
    return same == 1 and chance < order.CHANCE and not _dealt(first)


def _of_labels(recorded: RecordedSamples, where: Where, epochs: list[int]) -> Iterator[Finding]:
    """What the classes of the first epoch tell, whole or not, and those of the second, whose samples cannot be told apart."""
    import numpy as np

    from ..live import order

    first = recorded.labels.get(epochs[0])
    runs = None if first is None else order.runs(first)
    if first is None or runs is None:
        return
    blocks = len(first) - runs.observed
    data: dict[str, Any] = {"one": epochs[0], "count": len(first), "classes": runs.classes, "observed": runs.observed}
    data |= {"expected": runs.expected, "z": runs.z, "blocks": blocks, "mean": len(first) / blocks}
    data |= {"mixed": len(first) - runs.expected}
    chart = _classes_chart(first)
    second = recorded.labels.get(epochs[1]) if len(epochs) > 1 else None
    if not runs.clustered:
        yield Finding("labels-mixed", Level.INFO, where, data)
    elif blocks < 2 * runs.classes and data["mean"] >= recorded.batch:
        yield Finding("by-class", Level.PROBLEM, where, data, [chart], Fix("fix-shuffle"))
    elif not _dealt(first):
        yield Finding("label-runs", Level.SUSPECT, where, data, [chart], Fix("fix-shuffle"))
    if second is None or not runs.clustered:
        return
    repeat = np.isin(recorded.epochs[epochs[1]], recorded.epochs[epochs[0]]).mean() > 1 - order.AGREE
    if not repeat and _is_repeated(first, second):
        samples = min(len(first), len(second))
        yield Finding("labels-fixed", Level.PROBLEM, where, data | {"samples": samples}, [chart], Fix("fix-shuffle"))


def _dealt(labels: Array) -> bool:
    """Whether nearly all runs of one class are of one length, as a sampler makes them that takes so many samples of each class."""
    import numpy as np

    ends = np.flatnonzero(np.diff(labels)) + 1
    lengths = np.diff(np.concatenate([[0], ends, [len(labels)]]))
    _, counts = np.unique(lengths, return_counts=True)
    return bool(counts.max() >= _ALIKE * len(lengths))


def _of_identities(
    recorded: RecordedSamples, where: Where, path: str, params: Params, shuffled: bool
) -> Iterator[Finding]:
    """The orders of the first two epochs against each other; `shuffled`: the data set shuffles all of its samples."""
    import numpy as np

    from ..live import order

    epochs = sorted(recorded.epochs)
    first, second = (recorded.epochs[one] for one in epochs[:2])
    count = min(len(first), len(second))  # the second one may not be whole yet
    different = len(np.unique(first))
    data: dict[str, Any] = {
        "path": path,
        "one": epochs[0],
        "other": epochs[1],
        "samples": count,
        "different": different,
    }
    if different * 2 < len(first):
        yield Finding("not-identities", Level.INFO, where, data, incomplete=True)
        return
    common = float(np.isin(second, first).mean())
    if common < 1 - order.AGREE:
        yield Finding("other-samples", Level.INFO, where, data | {"common": common}, incomplete=True)
        return
    same, chance = order.agreement(first, second)
    data["same"] = same
    chart = _chart(first, second)
    if same >= order.AGREE and chance < order.CHANCE and shuffled:
        refutes = [Refutes("shuffle_settings", ONCE)]
        yield Finding("same-shuffle", Level.INFO, where, data, [chart], incomplete=True, refutes=refutes)
        return
    if same >= order.AGREE and chance < order.CHANCE:
        yield Finding("fixed-order", Level.PROBLEM, where, data, [chart], Fix("fix-shuffle"))
        return
    if recorded.whole and len(first) >= order.ENOUGH and {*first.tolist()} == {*range(len(first))}:
        size, small = order.buffer(first, np.arange(len(first)), len(first))
        data |= {"buffer": size, "buffer_share": size / len(first), "of": len(first), "early": size - 1}
        if size / len(first) < params.half and small < order.CHANCE:
            yield Finding("small-buffer", Level.SUSPECT, where, data, [chart], Fix("fix-buffer"))
    moved = [Refutes("shuffle_settings", IN_ORDER)] if same < order.AGREE else []
    yield Finding("reshuffled", Level.INFO, where, data, [chart], refutes=moved)


def _chart(first: Array, second: Array) -> Curve:
    count = min(len(first), len(second), 300)
    lines: dict[str, list[float | None]] = {
        name: [float(one) for one in ids[:count]] for name, ids in (("one", first), ("other", second))
    }
    return Curve("order", "place", "sample", [float(place) for place in range(count)], lines)


def _classes_chart(labels: Array) -> Curve:
    shown = labels[:: -(-len(labels) // 500)]
    step = -(-len(labels) // 500)
    places = [float(at * step) for at in range(len(shown))]
    return Curve("classes", "place", "class", places, {"class": [float(one) for one in shown]})


def _recording(*epochs: list[Any], batch: int = 8, counted: bool = True) -> str:
    """`counted`: whether the recording tells the epochs of its steps."""
    head: dict[str, Any] = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "rank": 0}
    lines, step = [head], 0
    for number, ids in enumerate(epochs, 1):
        for at in range(0, len(ids), batch):
            step += 1
            epoch = number if counted else -1
            lines.append({"step": step, "epoch": epoch, "loss": 1.0, "samples": ids[at : at + batch]})
    return "".join(json.dumps(line) + "\n" for line in lines)


def _example(name: str, verdict: Verdict, code: str, *epochs: list[Any], counted: bool = True) -> Example:
    files: dict[str, Any] = {"run.jsonl": _recording(*epochs, counted=counted)}
    return Example(name, files=files, case={"curves": {"train": "run.jsonl"}}, verdict=verdict, codes=(code,))


def _mixed(factor: int, count: int = 97) -> list[int]:
    """The numbers 0 to 96 in an order without pattern."""
    return [pow(factor, n, 97) - 1 for n in range(1, count)] + [96]


def _part(name: str, verdict: Verdict, codes: tuple[str, ...], *epochs: list[int]) -> Example:
    """A part of an epoch, or of several, whose samples have classes and come with other values each time."""
    head: dict[str, Any] = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "rank": 0}
    lines = [head]
    for epoch, labels in enumerate(epochs, 1):
        for at in range(0, len(labels), 8):
            ids = [f"{epoch}-{n}" for n in range(at, at + 8)]
            some = {"samples": ids, "labels": labels[at : at + 8]}
            lines.append({"step": len(lines), "epoch": epoch, "loss": 1.0, **some})
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes)


def _again(name: str, verdict: Verdict, code: str, rows: int) -> Example:
    """Twelve steps that all read the first eight of so many rows, each with an iterator of its own."""
    head: dict[str, Any] = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "rank": 0}
    data = {"fact": "dataset", "number": 0, "nodes": [{"node": "NumpySlicesDataset", "rows": rows}]}
    lines = [head, data, {"fact": "pass", "step": 1, "training": True, "data": 0}]
    ids = [f"a{n}" for n in range(8)]
    lines += [{"step": step, "epoch": step, "loss": 1.0, "samples": ids} for step in range(1, 13)]
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=(code,))


_RUNS = [n % 3 for n, size in enumerate([5, 3, 7, 6, 4, 8, 5, 6, 9, 3, 7, 5, 8, 4, 6, 10]) for _ in range(size)]


def _anew() -> Example:
    """Two epochs in one shuffled order, of a data set that shuffles."""
    nodes = [{"node": "GeneratorDataset", "depth": 0}, {"node": "RandomSampler", "shuffle": "GLOBAL", "depth": 1}]
    facts = [{"fact": "dataset", "number": 0, "nodes": nodes}, {"fact": "pass", "step": 1, "training": True, "data": 0}]
    told = "".join(json.dumps(one) + "\n" for one in facts)
    files: dict[str, Any] = {"watch/pynative.jsonl": _recording(_mixed(5), _mixed(5)) + told}
    return Example(
        "a new iterator for each epoch",
        files=files,
        case={"watched": "watch"},
        verdict=Verdict.UNDECIDED,
        codes=("same-shuffle",),
    )


EXAMPLES = [
    _anew(),
    _example("in other orders", Verdict.OK, "reshuffled", _mixed(5), _mixed(7)),
    _example(
        "told by words", Verdict.UNDECIDED, "reshuffled", [f"a{n}" for n in _mixed(5)], [f"a{n}" for n in _mixed(7)]
    ),
    _example("in the same order", Verdict.PROBLEM, "fixed-order", _mixed(5), _mixed(5)),
    _example("in the same order, epochs not told", Verdict.PROBLEM, "fixed-order", *[_mixed(5)] * 2, counted=False),
    _example("in other orders, epochs not told", Verdict.OK, "reshuffled", _mixed(5), _mixed(7), counted=False),
    _example(
        *("drawn with replacement, epochs not told", Verdict.UNDECIDED, "one-epoch"),
        *([n * n % 89 for n in range(96)], [n * n % 83 for n in range(96)]),
        counted=False,
    ),
    _example("as they are stored", Verdict.PROBLEM, "fixed-order", list(range(60)), list(range(60))),
    _example(
        "a buffer of four",
        Verdict.UNDECIDED,
        "small-buffer",
        [n ^ 3 for n in range(64)],
        [n ^ 1 for n in range(64)],
    ),
    _example("labels for identities", Verdict.UNDECIDED, "not-identities", [n % 10 for n in range(60)], [0] * 60),
    _example(
        "augmented", Verdict.UNDECIDED, "other-samples", [f"a{n}" for n in range(60)], [f"b{n}" for n in range(60)]
    ),
    _again("one batch in all steps", Verdict.UNDECIDED, "same-batch", 64),
    _again("one batch that is all of the data", Verdict.UNDECIDED, "reshuffled", 8),
    _example("one epoch", Verdict.UNDECIDED, "one-epoch", list(range(60))),
    _part("mixed classes", Verdict.UNDECIDED, ("labels-mixed", "one-epoch"), [n % 3 for n in _mixed(5)[:96]]),
    _part(
        "one class after another", Verdict.PROBLEM, ("by-class", "one-epoch"), [*([0] * 24), *([1] * 40), *([2] * 32)]
    ),
    _part("runs of classes", Verdict.UNDECIDED, ("label-runs", "one-epoch"), _RUNS),
    _part("the same runs again", Verdict.PROBLEM, ("label-runs", "labels-fixed", "other-samples"), _RUNS, _RUNS),
    _part("four of each class in turn", Verdict.UNDECIDED, ("one-epoch",), [n // 4 % 6 for n in range(96)]),
]
