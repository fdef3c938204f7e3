"""Tells whether the moving averages of BatchNorm layers had arrived when a watched run evaluated, and whether training moves them at all.

In training mode such a layer gives values of its own mean and deviation; in inference mode it takes the moving averages, which begin at
mean 0 and variance 1. Where they are still next to that, the layer passes on what it is given, and an evaluation scores another network
than the one that is trained. Cannot tell averages that have arrived and belong to other data, nor layers that compiled graphs hide.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Table, Verdict, Where
from ..model import suggest as usual
from ..probe import Example
from . import _watched_networks
from ._checkpoints import shown
from ._watched_networks import Call, Parameter, WatchedNetworks, number

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    way: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="a layer passes on what it is given where its deviation goes at most this share of the way to that of training, "
            "as ratios",
            extra={"unit": "1", "source": "own choice: scales that are learned change it a little"},
        ),
    ] = 0.25
    apart: Annotated[
        float,
        Meta(
            gt=1,
            description="and that matters where the deviation in training is larger or smaller by more than this factor",
            extra={"unit": "1", "source": "own choice: batches of some samples differ by less"},
        ),
    ] = 1.5
    kept: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="a momentum that still keeps more than this share of where the averages began is too slow; one that keeps more "
            "than half of it is on its way",
            extra={"unit": "1", "source": "own choice: 0.99, as EfficientNets have it, keeps 0.6 after 50 steps"},
        ),
    ] = 0.9
    steps: Annotated[
        int,
        Meta(
            ge=2,
            description="with fewer steps of training nothing is told",
            extra={"unit": "steps", "source": "own choice: 0.9 keeps 4 % after them, 0.99 still 74 %"},
        ),
    ] = 30


_EVALUATED = (
    "When the run evaluated after step {step:,}, {count:,} of {of:,} BatchNorm layers output their input almost unchanged: {names}. "
    "The input of {first} has a standard deviation of {given:.3g}, its output {gave:.3g} (in training: {trained:.3g}): its moving "
    "averages are still close to their initial mean of 0 and variance of 1",
    "第 {step:,} 步之后的评估中，{of:,} 个 BatchNorm 层有 {count:,} 个原样输出其输入：{names}。{first} 的输入标准差为 {given:.3g}，"
    "输出为 {gave:.3g}，而训练时为 {trained:.3g}：其滑动平均仍接近初始的均值 0、方差 1",
)
MESSAGES: Words = {
    **_watched_networks.MESSAGES,
    "too-slow": {
        "en": _EVALUATED[0]
        + ". With a momentum of {momentum:g} they retain {kept:.0%} of that after {step:,} steps, and need {needed:,} steps to "
        "converge.",
        "zh": _EVALUATED[1]
        + "。momentum 为 {momentum:g} 时，{step:,} 步之后仍保留初始值的 {kept:.0%}，约需 {needed:,} 步才能跟上。",
    },
    "on-the-way": {
        "en": _EVALUATED[0] + ". With a momentum of {momentum:g} they retain {kept:.0%} of that after {step:,} steps.",
        "zh": _EVALUATED[1] + "。momentum 为 {momentum:g} 时，{step:,} 步之后仍保留初始值的 {kept:.0%}。",
    },
    "not-arrived": {"en": _EVALUATED[0] + ".", "zh": _EVALUATED[1] + "。"},
    "still": {
        "en": "The moving averages of {count:,} of {of:,} BatchNorm {of:layer|layers} are bitwise unchanged after {step:,} steps, "
        "although these layers ran in training mode: {names}.",
        "zh": "{of:,} 个 BatchNorm 层中有 {count:,} 个的滑动平均在 {step:,} 步之后与开始时逐位相同，而这些层是以训练模式运行的：{names}。",
    },
    "arrived": {
        "en": "When the run evaluated after step {step:,}, the {of:,} BatchNorm {of:layer|layers} did normalise their inputs: their "
        "moving averages have moved away from the initial values.",
        "zh": "第 {step:,} 步之后的评估中，{of:,} 个 BatchNorm 层都没有原样输出其输入：滑动平均已离开初始值。",
    },
    "not-compared": {
        "en": "No BatchNorm layer was seen in training and in an evaluation after at least {least:,} steps.",
        "zh": "没有观察到既参与训练、又在至少 {least:,} 步之后参与评估的 BatchNorm 层。",
    },
    "fix-momentum": {
        "en": "nn.BatchNorm keeps the share `momentum` of the average at each step (PyTorch: 1 - momentum): with 0.9 it converges "
        "within a few dozen steps. Choose one that suits the number of training steps, and evaluate only after the averages have "
        "converged.",
        "zh": "nn.BatchNorm 每步保留滑动平均的 momentum 倍（PyTorch 为 1 - momentum）：0.9 几十步即可跟上。请按训练步数选择。",
    },
    "fix-move": {
        "en": "Check momentum (1 never updates the averages), whether some code resets them, and whether the evaluated network is the "
        "trained one.",
        "zh": "检查 momentum（为 1 时滑动平均永不更新）、是否有代码重置滑动平均，以及评估的网络与训练的网络是否同一个。",
    },
}
_OTHER = {
    "en": "In inference, the layers after it receive values of a different scale from those in training: metrics say nothing about the "
    "weights.",
    "zh": "推理时其后的层得到的数值与训练时的量级不同，评估指标无法反映权重的好坏。",
}
WHY: Words = dict.fromkeys(("too-slow", "not-arrived", "still"), _OTHER)
_BOTH = {
    "en": "Run one training batch in training mode and in inference mode, and compare the losses.",
    "zh": "用同一个训练 batch 分别以训练模式和推理模式运行，比较 loss。",
}
PROOF: Words = dict.fromkeys(WHY, _BOTH)
WORDS: Words = {
    **_watched_networks.WORDS,
    "norms": {"en": "Deviations at BatchNorm layers", "zh": "BatchNorm 层的标准差"},
    "given": {"en": "Given in evaluation", "zh": "评估时输入"},
    "gave": {"en": "Output in evaluation", "zh": "评估时输出"},
    "trained": {"en": "Output in training", "zh": "训练时输出"},
}
#: Classes of MindSpore that normalise by moving averages, and of these the module in which momentum is the share of the new batch.
_NORM, _NEW_SHARE = ("BatchNorm", "SyncBatchNorm"), "mindspore.mint."


#: Averages that keep more than this of where they began have not arrived; after so many times 1 / (1 - momentum) steps they keep 5 %.
_HALF, _ARRIVED = 0.5, 3


class _Norm(NamedTuple):
    """One layer in an evaluation: deviations of what it was given and gave there, and gave in training."""

    name: str
    place: tuple[str, int] | None
    momentum: float | None
    given: float
    gave: float
    trained: float


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    seen = _watched_networks.seen(case)
    yield Progress(1, 1, "files")
    if not isinstance(seen, WatchedNetworks):
        yield Finding("no-steps", Level.INFO, Where(seen.path), {"path": seen.path}, incomplete=True)
        return
    if (still := _still(seen, params)) is not None:
        yield still
        return
    step, norms = _evaluated(seen, params)
    if not norms:
        data = {"least": params.steps}
        yield Finding("not-compared", Level.INFO, seen.watch.where(), dict(data), incomplete=True)
        return
    slow = [one for one in norms if _passes_on(one, params)]
    yield _told(seen, step, norms, slow, params)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """That averages have left where they began does not say that both modes agree."""
    verdict = usual(findings)
    return Verdict.UNDECIDED if verdict is Verdict.OK else verdict


def _is_norm(kind: str) -> bool:
    name = kind.rpartition(".")[2]
    return kind.startswith("mindspore.") and name.rstrip("123d") in _NORM


def _momentum(kind: str, given: dict[str, Any]) -> float | None:
    """The share of its averages that a layer keeps in each step."""
    found = given.get("momentum")
    if not isinstance(found, (int, float)) or isinstance(found, bool):
        return None
    return 1.0 - found if kind.startswith(_NEW_SHARE) else float(found)


def _still(seen: WatchedNetworks, params: Params) -> Finding | None:
    """Layers that ran in training mode and whose averages no step moved."""
    layers = _averages(seen)
    still = {key: some for key, some in layers.items() if all(one.start == one.end for one in some)}
    if not still or seen.watch.steps < params.steps:
        return None
    first = next(iter(still.values()))[0]
    data = {"count": len(still), "of": len(layers), "step": seen.watch.steps, "names": shown(name for _, name in still)}
    where = seen.watch.where(list(first.place or []), name=first.path)
    return Finding("still", Level.SUSPECT, where, data, fix=Fix("fix-move"))


def _averages(seen: WatchedNetworks) -> dict[tuple[int, str], list[Parameter]]:
    """The averages of norms that ran in training mode alone, by layer; those that are told to use them as they are, left out."""
    chosen = _awake(seen) - _as_they_are(seen)
    layers: dict[tuple[int, str], list[Parameter]] = {}
    for one in seen.parameters.values():
        known = not one.trained and one.start and one.end
        if known and _is_norm(one.kind) and (one.network, one.layer) in chosen:
            layers.setdefault((one.network, one.layer), []).append(one)
    return layers


def _awake(seen: WatchedNetworks) -> set[tuple[int | None, str]]:
    """The cells that ran in training mode in every pass of training."""
    called = [call for one in seen.passes if one.training for call in seen.calls(one)]
    asleep = {(call.network, call.name) for call in called if not call.training}
    return {(call.network, call.name) for call in called} - asleep


def _as_they_are(seen: WatchedNetworks) -> set[tuple[int | None, str]]:
    """The cells that are told not to take the batch's own statistics."""
    made = ((network.number, name, given) for network in seen.networks.values() for name, _, _, given in network.cells)
    return {(number, name) for number, name, given in made if given.get("use_batch_statistics") is False}


def _evaluated(seen: WatchedNetworks, params: Params) -> tuple[int, list[_Norm]]:
    """The norms of the first evaluation of which it is told what each layer was given, and the steps before it."""
    told = next((one for one in seen.watch.facts("given") if one.get("training") is False), {})
    step, given = told.get("step", 0), told.get("calls") or []
    first = next((one for one in seen.passes if not one.training and one.step == step), None)
    if step < params.steps or first is None or len(first.calls) != len(given):
        return step, []
    called = zip(seen.calls(first), given, strict=True)
    norms = [(call, taken[0]) for call, taken in called if taken and call.gave and not call.training]
    return step, list(_norms(seen, step, norms))


def _norms(seen: WatchedNetworks, step: int, calls: list[tuple[Call, dict[str, Any]]]) -> Iterator[_Norm]:
    """The norms among calls of an evaluation after some step, each with what it was given."""
    made, trained = _made(seen), _trained(seen, step)
    for call, taken in calls:
        key = (_owner(seen, call.network), call.name)
        if key in made and key in trained:
            found = _norm(call.name, made[key], taken, call.gave[0], trained[key])
            if found is not None:
                yield found


def _made(seen: WatchedNetworks) -> dict[tuple[int | None, str], tuple[tuple[str, int] | None, float | None]]:
    """Where each norm was made, and its momentum."""
    return {
        (_owner(seen, network.number), name): (place, _momentum(kind, given))
        for network in seen.networks.values()
        for name, kind, place, given in network.cells
        if _is_norm(kind)
    }


def _owner(seen: WatchedNetworks, network: int | None) -> int | None:
    """The number under which a network was seen first."""
    return None if network is None else seen.watch.owners.get(network, network)


def _trained(seen: WatchedNetworks, until: int) -> dict[tuple[int | None, str], dict[str, Any]]:
    """What each layer gave in the last step of training that was looked at before an evaluation."""
    return {
        (_owner(seen, call.network), call.name): call.gave[0]
        for one in seen.passes
        if one.training and one.step <= until
        for call in seen.calls(one)
        if call.training and call.gave
    }


def _norm(
    name: str,
    made: tuple[tuple[str, int] | None, float | None],
    given: dict[str, Any],
    gave: dict[str, Any],
    trained: dict[str, Any],
) -> _Norm | None:
    """None where deviations are not known, or 0."""
    spreads = [number(side.get("std")) for side in (given, gave, trained)]
    known = [one for one in spreads if one is not None and 0 < one < math.inf]
    return _Norm(name, *made, *known) if len(known) == len(spreads) else None


def _passes_on(one: _Norm, params: Params) -> bool:
    whole = math.log(one.trained / one.given)
    return abs(whole) > math.log(params.apart) and abs(math.log(one.gave / one.given)) <= params.way * abs(whole)


def _told(seen: WatchedNetworks, step: int, norms: list[_Norm], slow: list[_Norm], params: Params) -> Finding:
    evidence: list[Evidence] = [_table(norms)]
    data: dict[str, Any] = {"step": step, "of": len(norms)}
    if 2 * len(slow) <= len(norms):
        return Finding("arrived", Level.INFO, seen.watch.where(), data, evidence)
    one = slow[0]
    where = seen.watch.where(list(one.place or []), name=one.name)
    data |= {"count": len(slow), "names": shown(each.name for each in slow), "first": one.name}
    data |= {"given": one.given, "gave": one.gave, "trained": one.trained}
    kept = None if one.momentum is None else one.momentum**step
    if one.momentum is None or kept is None or not _HALF < kept < 1:
        return Finding("not-arrived", Level.SUSPECT, where, data, evidence, Fix("fix-move"))
    data |= {"momentum": one.momentum, "kept": kept, "needed": round(_ARRIVED / (1 - one.momentum))}
    if kept <= params.kept:
        return Finding("on-the-way", Level.INFO, where, data, evidence)
    return Finding("too-slow", Level.SUSPECT, where, data, evidence, Fix("fix-momentum"))


def _table(norms: list[_Norm]) -> Table:
    rows: list[list[Plain]] = [[one.name, one.given, one.gave, one.trained] for one in norms]
    return Table("norms", ["layer", "given", "gave", "trained"], rows[:200], total=len(rows))


def _example(name: str, code: str, gave: float, momentum: float | None = 0.9, still: bool = False) -> Example:
    """An evaluation after 50 steps, in which the norm is given a deviation of 0.6 and gives `gave`; 1 in training."""
    kind = "mindspore.nn.layer.normalization.BatchNorm1d"
    cells = [["", "__main__.Net", ["net.py", 20], {}], ["norm", kind, ["net.py", 6], {"momentum": momentum}]]
    average = {"id": 5, "path": "norm.moving_mean", "name": "norm.moving_mean", "shape": [16], "trained": False}
    weight = {"id": 6, "path": "norm.gamma", "name": "norm.gamma", "shape": [16], "trained": True, "digest": "g"}
    held = [{**average, "digest": "start"}, weight]
    network = {"fact": "network", "number": 0, "class": "__main__.Net", "cells": cells, "ids": [1, 2]}
    optimizer = {"fact": "optimizer", "number": 0, "class": "mindspore.nn.SGD", "place": ["train.py", 9]}

    def told(training: bool, std: float, step: int) -> dict[str, Any]:
        given = {"mean": 0.02, "std": std, "zero": 0.0}
        calls = [["norm", kind, training, [given]]]
        return {"fact": "pass", "step": step, "training": training, "networks": [0], "calls": calls}

    lines: list[dict[str, Any]] = [
        {"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0},
        {**network, "parameters": held},
        {**optimizer, "parameters": ["norm.gamma"], "ids": [6]},
        told(True, 1.0, 50),
        *({"step": step, "epoch": 1, "loss": 1.0, "seconds": 0.1} for step in range(1, 51)),
        told(False, gave, 50),
        {"fact": "given", "step": 50, "training": False, "calls": [[{"mean": 0.0, "std": 0.6}]]},
    ]
    ends = {"trained": [False, True], "digests": ["start" if still else "end", "h"], "alike": [False, False]}
    lines.append({"fact": "end", "why": "exit", "steps": 50, "networks": {"0": ends}})
    files: dict[str, Any] = {"watch/pynative.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=Verdict.UNDECIDED, codes=(code,))


EXAMPLES = [
    _example("averages that have arrived", "arrived", 1.04),
    _example("a momentum for ten thousand steps", "too-slow", 0.604, momentum=0.9999),
    _example("a momentum that takes its time", "on-the-way", 0.604, momentum=0.99),
    _example("averages that do not follow", "not-arrived", 0.59),
    _example("averages that nothing moves", "still", 0.59, momentum=1.0, still=True),
]
