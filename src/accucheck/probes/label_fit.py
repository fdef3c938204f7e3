"""Sets outputs against labels as a training recorded them: shapes, and labels against the number of outputs.

`accucheck.Recorder.step(outputs=..., labels=...)` records both, and a watched run does: what the loss gets in the project's own
training. Catches labels that no output stands for, labels that count from 1, and shapes that spread over each other, as (N, 1) and
(N,) do. Cannot tell what a loss of one's own makes of both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Progress, Verdict, Where
from ..probe import Example, Skip
from . import _curves, _label_fit

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = (("curves.train", "watched"),)
USES = ("loss", "design.padding")


class Params(msgspec.Struct, frozen=True):
    pass


MESSAGES: Words = {
    **_label_fit.MESSAGES,
    "not-recorded": {
        "en": "{path} does not tell what the loss gets: record it with Recorder.step(outputs=..., labels=...).",
        "zh": "{path} 没有记录损失函数的输入，请用 Recorder.step(outputs=..., labels=...) 记录。",
    },
}
WORDS: Words = {}
WHY: Words = _label_fit.WHY
PROOF: Words = _label_fit.PROOF
suggest = _label_fit.suggest


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
        seen, found = _label_fit.Seen(), True
        for _, facts in runs[-1].fits:
            seen.add(facts)
        finding = _label_fit.judged(case, seen)
        first = next(
            (step for step, facts in runs[-1].fits if set(facts.get("beyond", ())) - _label_fit.ignored(case)), None
        )
        yield msgspec.structs.replace(
            finding, where=Where(name, step=first if first is not None else runs[-1].fits[0][0])
        )
    if not found:
        raise Skip("not-recorded", path=shown)
    yield Progress(1, 1, "files")


def _recording(*batches: tuple[list[int], list[int], int, int, list[int]]) -> str:
    head: dict[str, Any] = {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "rank": 0}
    lines = [
        {
            "step": n,
            "loss": 1.1,
            "fit": {"outputs": out, "labels": shape, "whole": True, "classes": out[-1] if len(out) > len(shape) else 0}
            | {"low": low, "high": high, "beyond": beyond},
        }
        for n, (out, shape, low, high, beyond) in enumerate(batches, 1)
    ]
    return "".join(json.dumps(line) + "\n" for line in [head, *lines])


def _example(name: str, verdict: Verdict, code: str, *batches: Any, **case: Any) -> Example:
    files: dict[str, Any] = {"run.jsonl": _recording(*batches)}
    return Example(name, files=files, case={"curves": {"train": "run.jsonl"}, **case}, verdict=verdict, codes=(code,))


_LATER: tuple[Any, ...] = (([8, 3], [8], 0, 2, []), ([8, 3], [8], 0, 3, [3]))
EXAMPLES = [
    _example("within the outputs", Verdict.UNDECIDED, "fits", ([8, 3], [8], 0, 2, []), ([8, 3], [8], 0, 1, [])),
    _example("one label too high", Verdict.PROBLEM, "beyond", *_LATER, loss={"call": "mindspore.nn:CrossEntropyLoss"}),
    _example("one label too high, loss not known", Verdict.UNDECIDED, "beyond", *_LATER),
    _example("labels from 1", Verdict.PROBLEM, "from-one", ([8, 3], [8], 1, 3, [3])),
    _example("padding of labels", Verdict.UNDECIDED, "fits", ([8, 5, 30], [8, 5], -100, 29, [-100])),
    _example("one column against a row", Verdict.UNDECIDED, "spread", ([8, 1], [8], 0, 2, [])),
]
