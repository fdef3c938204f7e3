"""Sets outputs against labels as a training recorded them: shapes, and labels against the number of outputs.

`accucheck.Recorder.step(outputs=..., labels=...)` records both, and a watched run does: what the loss gets in the project's own
training. Catches labels that no output stands for, labels that count from 1, and shapes that spread over each other, as (N, 1) and
(N,) do. A watched run tells too whether the loss counts places whose label is no class. Cannot tell what
else a loss of one's own makes of both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Progress, Verdict, Where
from ..probe import Example, Skip
from . import _curves, _label_fit

if TYPE_CHECKING:
    from ..readers.recordings import Run

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (("curves.train", "watched"),)
USES = ("loss", "design.padding")


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_label_fit.MESSAGES,
    "left-out": {
        "en": "The label {labels} has no output among {classes:,}, and the loss ignores it: replacing the outputs at its {places:,} "
        "positions changes the loss by {there:.2%}, replacing those elsewhere by {elsewhere:.2%}.",
        "zh": "标签 {labels} 在 {classes:,} 个输出中没有对应项，损失函数忽略了它：改变这 {places:,} 处的输出使 loss 变化 {there:.2%}，"
        "改变其他位置的输出变化 {elsewhere:.2%}。",
    },
    "counted": {
        "en": "The label {labels} has no output among {classes:,}, but the loss counts its {places:,} positions: replacing the outputs "
        "there changes it by {there:.2%}, replacing those elsewhere by {elsewhere:.2%}.",
        "zh": "标签 {labels} 在 {classes:,} 个输出中没有对应项，但损失函数计入了这 {places:,} 处：改变这些位置的输出使 loss "
        "变化 {there:.2%}，改变其他位置的输出变化 {elsewhere:.2%}。",
    },
    "fix-left-out": {
        "en": "Exclude these positions: use ignore_index of the loss, or a weight of 0 there and a mean over the others.",
        "zh": "排除这些位置：使用损失函数的 ignore_index，或将其权重设为 0 并对其余位置求平均。",
    },
    "not-recorded": {
        "en": "{path} does not record the inputs of the loss: record them with Recorder.step(outputs=..., labels=...).",
        "zh": "{path} 没有记录损失函数的输入，请用 Recorder.step(outputs=..., labels=...) 记录。",
    },
}
WORDS: Words = {}
WHY: Words = {**_label_fit.WHY, "counted": _label_fit.WHY["left-out-perhaps"]}
PROOF: Words = {**_label_fit.PROOF, "counted": _label_fit.PROOF["left-out-perhaps"]}
#: A loss that moved by more of its size has moved.
_MOVED = 1e-4
suggest = _label_fit.suggest


def _first_beyond(case: Case, run: Run) -> int:
    """The first step with a label that the network has no output for; of none, the first step."""
    ignored = _label_fit.ignored(case)
    beyond = (step for step, facts in run.fits if set(facts.get("beyond", ())) - ignored)
    return next(beyond, run.fits[0][0])


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..readers import recordings
    from ..readers.places import head_of

    paths = [path for key in ("watched", "curves.train") if case.get(key) for path in _curves.paths(case, key)]
    shown = [case.relative(path) for path in paths]
    found = False
    for path, name in zip(paths, shown, strict=True):
        if not path.is_file() or not recordings.looks_like(head_of(path)):
            continue
        runs = [run for run in recordings.read(path).runs if run.fits]
        if not runs:
            continue
        seen, found = _label_fit.LabelObservation(), True
        for _, facts in runs[-1].fits:
            seen.add(facts)
        finding = _tried(_label_fit.judged(case, seen), runs[-1])
        where = Where(name, step=_first_beyond(case, runs[-1]))
        yield msgspec.structs.replace(finding, where=_place(runs[-1], where))
    if not found:
        raise Skip("not-recorded", path=shown)
    yield Progress(1, 1, "files")


def _tried(finding: Finding, run: Run) -> Finding:
    """Of labels that are not classes: whether the loss moved with outputs at their places, where that was tried."""
    told = next((one for one in run.facts.get("beyond", ()) if "reason" not in one), None)
    if told is None or finding.code not in ("left-out-perhaps", "beyond") or finding.level is not Level.SUSPECT:
        return finding
    if told["elsewhere"] < _MOVED:
        return finding
    data = finding.data | {key: told[key] for key in ("places", "there", "elsewhere")}
    if told["there"] < _MOVED:
        return Finding("left-out", Level.INFO, data=data)
    return Finding("counted", Level.SUSPECT, data=data, fix=Fix("fix-left-out"))


def _place(run: Run, where: Where) -> Where:
    """The line in which the user's own loss is made, else that of the network's class, where a watched run tells it."""
    around = [one for one in run.facts.get("origin", ()) if one.get("of") == "around" and not one.get("public")]
    made = [*(one.get("place") for one in around), *(one.get("defined") for one in run.facts.get("network", ()))]
    place = next((one for one in made if one), None)
    return Where(place[0], line=place[1], step=where.step) if place else where


def _recording(*batches: tuple[list[int], list[int], int, int, list[int]], against: str | None = None) -> str:
    head: dict[str, Any] = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "rank": 0}
    lines = [
        {
            "step": n,
            "loss": 1.1,
            "fit": {"outputs": out, "labels": shape, "whole": True, "classes": out[-1] if len(out) > len(shape) else 0}
            | {"low": low, "high": high, "beyond": beyond, "against": against},
        }
        for n, (out, shape, low, high, beyond) in enumerate(batches, 1)
    ]
    return "".join(json.dumps(line) + "\n" for line in [head, *lines])


def _example(name: str, verdict: Verdict, code: str, *batches: Any, against: str | None = None, **case: Any) -> Example:
    files: dict[str, Any] = {"run.jsonl": _recording(*batches, against=against)}
    return Example(name, files=files, case={"curves": {"train": "run.jsonl"}, **case}, verdict=verdict, codes=(code,))


def _watched(name: str, verdict: Verdict, code: str, there: float) -> Example:
    """A segmentation whose label 255 is not a class; other outputs at its places move the loss by `there`."""
    told = {"fact": "beyond", "step": 1, "values": [255], "places": 8, "there": there, "elsewhere": 0.2}
    text = _recording(([4, 3, 4, 4], [4, 4, 4], 0, 255, [255])).replace('"classes": 0', '"classes": 3')
    text = text.replace('"classes": 4', '"classes": 3') + json.dumps(told) + "\n"
    return Example(
        name, files={"watch/pynative.jsonl": text}, case={"watched": "watch"}, verdict=verdict, codes=(code,)
    )


_LATER: tuple[Any, ...] = (([8, 3], [8], 0, 2, []), ([8, 3], [8], 0, 3, [3]))
EXAMPLES = [
    _example("within the outputs", Verdict.UNDECIDED, "fits", ([8, 3], [8], 0, 2, []), ([8, 3], [8], 0, 1, [])),
    _example("one label too high", Verdict.PROBLEM, "beyond", *_LATER, loss={"call": "mindspore.nn:CrossEntropyLoss"}),
    _example("one label too high, loss not known", Verdict.UNDECIDED, "beyond", *_LATER),
    _example("labels from 1", Verdict.PROBLEM, "from-one", ([8, 3], [8], 1, 3, [3])),
    _example("labels from 1 less 1", Verdict.UNDECIDED, "less-one", ([8, 3], [8], 1, 3, [3]), against="one"),
    _example("labels from 1 as they are", Verdict.PROBLEM, "from-one", ([8, 3], [8], 1, 3, [3]), against="nought"),
    _example(
        "labels from 1, loss not told", Verdict.UNDECIDED, "from-one-perhaps", ([8, 3], [8], 1, 3, [3]), against=""
    ),
    _example("padding of labels", Verdict.UNDECIDED, "fits", ([8, 5, 30], [8, 5], -100, 29, [-100])),
    _example(
        *("a label that is no class, loss not known", Verdict.UNDECIDED, "left-out-perhaps"),
        ([4, 3, 8], [4, 8], 0, 255, [255]),
    ),
    _watched("a label that the loss leaves out", Verdict.UNDECIDED, "left-out", 0.0),
    _watched("a label that is no class and counts", Verdict.UNDECIDED, "counted", 0.3),
    _example("one column against a row", Verdict.UNDECIDED, "spread", ([8, 1], [8], 0, 2, [])),
    _example("the loss is that of all pairs", Verdict.PROBLEM, "spread", ([8, 1], [8], 0, 2, []), against="all"),
    _example(
        "each with its own label", Verdict.UNDECIDED, "each-with-its-own", ([8, 1], [8], 0, 2, []), against="each"
    ),
    _example("a loss that may do either", Verdict.UNDECIDED, "not-compared", ([8, 1], [8], 0, 2, []), against=""),
]
