"""Reads from a watched run which layers the time of the forward pass goes to.

Times each layer by itself, in PyNative, for a few steps after the first. Watching waits for the result of each, so nothing overlaps.
Cannot tell: what overlaps or is fused in an unwatched run, what the backward pass and the update take, nor why a layer is slow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Plain, Progress, Verdict
from ..probe import Example, Skip
from . import _watched
from ._checkpoints import table
from ._watched import Watch
from ._watched_examples import recording

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


MESSAGES: Words = {
    "slowest": {
        "en": "Of the watched forward pass of {total_ms:,.3g} ms, {name} ({kind}) takes the most time by itself: {share:.0%}, "
        "{ms:,.3g} ms.",
        "zh": "所观察的一次前向计算为 {total_ms:,.3g} ms，其中 {name}（{kind}）自身耗时最多：{share:.0%}，{ms:,.3g} ms。",
    },
    "no-times": {
        "en": "No layer was timed: that takes two training steps in PyNative mode.",
        "zh": "没有层的耗时：需要在 PyNative 模式下观察至少两个训练 step。",
    },
}
#: It accuses nobody.
WHY: Words = {}
WORDS: Words = {
    "times": {"en": "Layers by time of the forward pass", "zh": "各层前向耗时排序"},
    "layer": {"en": "Layer", "zh": "层"},
    "kind": {"en": "Class", "zh": "类"},
    "place": {"en": "Made at", "zh": "创建位置"},
    "calls": {"en": "calls", "zh": "调用次数"},
    "ms": {"en": "by itself (ms)", "zh": "自身耗时（ms）"},
    "share": {"en": "share (%)", "zh": "占比（%）"},
}


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    watch = _watched.of_case(case)[0]
    yield Progress(1, 1, "files")
    layers, passes = _times(watch)
    total = 1000 * sum(seconds for _, seconds in layers.values())
    if not total:
        raise Skip("no-times")
    places = {name: place for fact in watch.facts("network") for name, _, place, *_ in fact.get("cells") or ()}
    ranked = sorted(layers.items(), key=lambda one: -one[1][1])
    rows: list[list[Plain]] = [
        [
            name or "·",
            kind.rpartition(".")[2],
            ":".join(map(str, places.get(name) or ())),
            round(calls / passes, 3),
            round(1000 * seconds / passes, 6),
            round(100_000 * seconds / total, 2),
        ]
        for (name, kind), (calls, seconds) in ranked
    ]
    (name, kind), (_, seconds) = ranked[0]
    data = {"name": name or "construct", "kind": kind.rpartition(".")[2], "share": 1000 * seconds / total}
    data |= {"ms": 1000 * seconds / passes, "total_ms": total / passes}
    evidence = table("times", ["layer", "kind", "place", "calls", "ms", "share"], rows)
    yield Finding("slowest", Level.INFO, watch.where(places.get(name)), data, [evidence], incomplete=True)


def _times(watch: Watch) -> tuple[dict[tuple[str, str], tuple[int, float]], int]:
    """By name and class of a cell: how often it was called and the seconds that it took by itself; and in how many passes."""
    calls = {one.get("step"): one.get("calls") or [] for one in watch.facts("pass") if one.get("training")}
    found: dict[tuple[str, str], tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    passes = 0
    for fact in watch.facts("times"):
        own, called = fact.get("own") or [], calls.get(fact.get("step"), [])
        if not own or len(own) != len(called):
            continue  # two passes in one step, as of a GAN
        passes += 1
        for (name, kind, *_), seconds in zip(called, own, strict=True):
            count, before = found[name, kind]
            found[name, kind] = count + 1, before + seconds
    return found, passes


def _examples() -> Iterator[Example]:
    more = [{"fact": "times", "step": step, "own": [0.001, 0.002, 0.0005, 0.02, 0.0005]} for step in (2, 3)]
    files: dict[str, Any] = {"watch/pynative.jsonl": recording(more=more)}
    case = {"watched": "watch"}
    yield Example("the second layer takes most", files=files, case=case, verdict=Verdict.UNDECIDED, codes=("slowest",))


EXAMPLES = [*_examples()]
