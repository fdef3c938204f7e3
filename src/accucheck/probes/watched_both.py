"""Compares what one command did in PyNative mode and in graph mode, watched in both: losses by step, rates in force, which weights move.

Catches a training that fails in one mode alone, a weight that moves in one and stays in the other, a rate that a graph has frozen, and
losses that differ from the first step on, or at once after they agreed to rounding, with the first layer that gives something else.
Passes that begin with other weights, or are given other rows, are not compared; a training that draws numbers on its own (dropout) differs
by that already.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Curve, Evidence, Finding, Fix, Kind, Level, Progress, Verdict, Where
from ..model import suggest as usual
from ..probe import Example, Skip
from . import _watched

if TYPE_CHECKING:
    from ..readers.recordings import Run
    from ..readers.runs import Column

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True):
    rounding: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="relative difference of losses up to which the modes agree; ten times as much in half precision",
            extra={
                "unit": "1",
                "source": "float32 rounds at 6e-8; sums in another order and fused operators stay below 1e-4; own margin",
            },
        ),
    ] = 1e-3
    jump: Annotated[
        float,
        Meta(
            gt=1,
            description="a difference that grows this many times from one step to the next is no rounding",
            extra={"unit": "1", "source": "own choice: rounding grew fifty-fold in a step of a clean pair at most"},
        ),
    ] = 100.0


MESSAGES: Words = {
    "fails-in-graph": {
        "en": "The command trains in PyNative mode ({steps:,} steps) and fails in graph mode (exit code {code}).",
        "zh": "该命令在 PyNative 模式下可以训练（{steps:,} 步），在图模式下却失败（退出码 {code}）。",
    },
    "fails-in-pynative": {
        "en": "The command trains in graph mode ({steps:,} steps) and fails in PyNative mode (exit code {code}).",
        "zh": "该命令在图模式下可以训练（{steps:,} 步），在 PyNative 模式下却失败（退出码 {code}）。",
    },
    "moves-in-one": {
        "en": "{count:,} of {all:,} weights move in {moves} mode and stay as they are in {stays} mode, in the same step: {names}.",
        "zh": "同一步中，{all:,} 个权重里有 {count:,} 个在 {moves} 模式下更新，在 {stays} 模式下不变：{names}。",
    },
    "rates-differ": {
        "en": "From step {step} on, the learning rate in effect is {pynative:.4g} in PyNative mode and {graph:.4g} in graph mode.",
        "zh": "从第 {step} 步起，实际生效的学习率在 PyNative 模式下为 {pynative:.4g}，在图模式下为 {graph:.4g}。",
    },
    "differs-at-once": {
        "en": "With equal weights and rows the loss of the first step is {pynative:.6g} in PyNative mode and {graph:.6g} in graph mode.",
        "zh": "权重和数据相同，第一步的 loss 在 PyNative 模式下为 {pynative:.6g}，在图模式下为 {graph:.6g}。",
    },
    "differs-later": {
        "en": "Losses of both modes agree up to step {before} (to {close:.1g}) and differ at step {step}: {pynative:.6g} in PyNative mode, "
        "{graph:.6g} in graph mode. Something within the graph stays as it was when it was compiled.",
        "zh": "两种模式的 loss 到第 {before} 步为止一致（相差 {close:.1g}），第 {step} 步起不同：PyNative 模式 {pynative:.6g}，"
        "图模式 {graph:.6g}。图中有内容停留在编译时的状态。",
    },
    "first-cell": {
        "en": "Step {step}: the output of {cell} is the first to differ, {pynative} in PyNative mode and {graph} in graph mode; "
        "{before} before it still agrees.",
        "zh": "第 {step} 步：最先出现差异的是 {cell} 的输出，PyNative 模式为 {pynative}，图模式为 {graph}；其前的 {before} 仍然一致。",
    },
    "first-cell-of-all": {
        "en": "Step {step}: the output of {cell}, the first layer that can be compared, differs: {pynative} in PyNative mode and "
        "{graph} in graph mode.",
        "zh": "第 {step} 步：可比较的第一个层 {cell} 的输出就已不同，PyNative 模式为 {pynative}，图模式为 {graph}。",
    },
    "random": {
        "en": "The network draws random numbers while training ({names}), so the losses of the two modes need not agree.",
        "zh": "网络训练时会产生随机数（{names}），两种模式的 loss 不必相同。",
    },
    "not-comparable": {
        "en": "Losses of both modes were not compared: {reason}. accucheck watch --mode both sets the same seed for both.",
        "zh": "未比较两种模式的 loss：{reason}。accucheck watch --mode both 会给两次运行相同的随机种子。",
    },
    "agree": {
        "en": "{steps:,} steps have the same losses in PyNative and graph mode, within {most:.1g}.",
        "zh": "{steps:,} 步的 loss 在 PyNative 和图模式下一致，相差不超过 {most:.1g}。",
    },
    "one-mode": {
        "en": "The run was watched in one mode only: accucheck watch --mode both -- python train.py",
        "zh": "只观察了一种模式：accucheck watch --mode both -- 命令",
    },
    "fix-compile": {
        "en": "The error of the failing pass is in the output of the command. Until it is fixed, train in the mode that works.",
        "zh": "失败原因见该命令的输出。修复之前请用可以运行的模式训练。",
    },
    "fix-frozen": {
        "en": "What Python computes in construct is computed once, as the graph is compiled: numpy, random, time, attributes that are set, "
        "asnumpy(). Draw with mindspore.ops, keep state in a Parameter, or hand it in.",
        "zh": "construct 中由 Python 计算的内容只在编图时计算一次：numpy、random、time、对属性的修改、asnumpy()。"
        "随机数用 mindspore.ops 生成，状态放在 Parameter 中，或在外部算好后传入。",
    },
    "fix-rate": {
        "en": "Give the optimizer the schedule itself (a LearningRateSchedule or a list), or set the rate in a Parameter with ops.assign.",
        "zh": "把调度本身（LearningRateSchedule 或列表）交给优化器，或用 ops.assign 修改存放学习率的 Parameter。",
    },
}
WORDS: Words = {
    "losses": {"en": "Losses in both modes", "zh": "两种模式的 loss"},
    "step": {"en": "step", "zh": "步"},
    "loss": {"en": "loss", "zh": "loss"},
    "pynative": {"en": "PyNative", "zh": "PyNative"},
    "graph": {"en": "graph", "zh": "图"},
}
_ONE_WORKS = {
    "en": "Only one mode can be used: either the speed of graph mode or debugging in PyNative mode is unavailable.",
    "zh": "只有一种模式可用：要么得不到图模式的性能，要么无法用 PyNative 调试。",
}
_OTHER_TRAINING = {
    "en": "Both modes should compute the same. The graph trains something other than what the script says, and results of one mode do "
    "not hold in the other.",
    "zh": "两种模式的计算本应相同。图中训练的内容与脚本所写的不同，一种模式下的结果在另一种模式下不成立。",
}
WHY: Words = {
    **dict.fromkeys(("fails-in-graph", "fails-in-pynative"), _ONE_WORKS),
    **dict.fromkeys(("moves-in-one", "rates-differ", "differs-at-once", "differs-later"), _OTHER_TRAINING),
    **dict.fromkeys(("first-cell", "first-cell-of-all"), _OTHER_TRAINING),
}
_BOTH = {
    "en": "Watch again in both modes after the change: accucheck watch --mode both -- python train.py",
    "zh": "修改后再次在两种模式下观察：accucheck watch --mode both -- 命令",
}
PROOF: Words = dict.fromkeys(WHY, _BOTH)
_REASONS = {
    "weights": {"en": "they begin with other weights", "zh": "两次运行的初始权重不同"},
    "rows": {"en": "they are given other rows", "zh": "两次运行读到的数据行不同"},
    "losses": {"en": "no loss was seen in one of them", "zh": "其中一次没有观察到 loss"},
}
_NAMES = 6
#: What four digits of a number leave open, twice over.
_DIGITS = 1e-3
_MODES = {"pynative": "PyNative", "user": "graph"}
#: The largest watch.json that is read.
_ABOUT = 1 << 20


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    found = {one.mode: one for one in _watched.of_case(case, samples=True, again=True) if not one.rank}
    yield Progress(1, 1, "files")
    failed = list(_failed(case, found))
    yield from failed
    if failed:
        return
    pynative, graph = found.get("pynative"), found.get("user")
    if pynative is None or graph is None or not (pynative.steps and graph.steps) or not _is_graph(graph):
        raise Skip("one-mode")
    yield from _weights(pynative, graph)
    yield from _losses(pynative, graph, found.get("dump"), params)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """That modes agree does not say that the network is the one that was meant."""
    verdict = usual(findings)
    return Verdict.NOT_APPLICABLE if verdict is Verdict.OK else verdict


def _is_graph(watch: _watched.Watch) -> bool:
    modes = watch.facts("mode")
    return any(one.get("graph") is True for one in modes)


def _failed(case: Case, found: dict[str, _watched.Watch]) -> Iterator[Finding]:
    """A command that ends well in one mode and not in the other; one that a signal ended has not failed."""
    for folder in case.paths("watched"):
        path = folder / "watch.json"
        if not path.is_file() or path.stat().st_size > _ABOUT:
            continue
        try:
            passes = json.loads(path.read_bytes())["passes"]
            codes = {one["mode"]: int(one["code"]) for one in passes}
        except (ValueError, KeyError, TypeError):
            continue
        for bad, good in (("user", "pynative"), ("pynative", "user")):
            if codes.get(bad, 0) > 0 and codes.get(good) == 0 and good in found and found[good].steps:
                code = "fails-in-graph" if bad == "user" else "fails-in-pynative"
                data = {"steps": found[good].steps, "code": codes[bad]}
                yield Finding(code, Level.PROBLEM, Where(found[good].path), data, fix=Fix("fix-compile"))


def _weights(pynative: _watched.Watch, graph: _watched.Watch) -> Iterator[Finding]:
    """Weights that the first step moves in one mode and leaves in the other."""
    moved = {"pynative": _moved(pynative), "user": _moved(graph)}
    both = moved["pynative"].keys() & moved["user"].keys()
    for moves, stays in (("pynative", "user"), ("user", "pynative")):
        names = [name for name in moved[moves] if name in both and moved[moves][name] and not moved[stays][name]]
        if names:
            data = {
                "count": len(names),
                "all": len(both),
                "moves": _MODES[moves],
                "stays": _MODES[stays],
                "names": ", ".join(names[:_NAMES]) + ("…" if len(names) > _NAMES else ""),
            }
            yield Finding("moves-in-one", Level.PROBLEM, graph.where(), data, fix=Fix("fix-frozen"))


def _moved(watch: _watched.Watch) -> dict[str, bool]:
    """Of the first optimizer's parameters, whether the first step changed them; those of which it is not known left out."""
    names = watch.first("optimizer").get("parameters") or []
    ratios = watch.first("changes").get("ratios") or []
    return {str(name): ratio != 0 for name, ratio in zip(names, ratios, strict=False) if ratio is not None}


def _losses(
    pynative: _watched.Watch, graph: _watched.Watch, dumped: _watched.Watch | None, params: Params
) -> Iterator[Finding]:
    rates = _paired(pynative.run.series.get("lr"), graph.run.series.get("lr"))
    apart = [(step, one, other) for step, one, other in rates if abs(one - other) > 1e-4 * max(abs(one), abs(other))]
    if apart:
        step, one, other = apart[0]
        data: dict[str, Any] = {"step": step, "pynative": one, "graph": other}
        yield Finding("rates-differ", Level.SUSPECT, graph.where(step=step), data, fix=Fix("fix-rate"))
    pairs = _same_rows(pynative.run, graph.run)
    reason = None if _begin_alike(pynative.run, graph.run) else "weights"
    reason = reason or ("losses" if pairs is None else None if pairs else "rows")
    if reason or not pairs:
        yield Finding("not-comparable", Level.INFO, graph.where(), {"reason": _REASONS[reason or "losses"]})
        return
    drawn = _drawing(pynative.run)
    if drawn:
        yield Finding("random", Level.INFO, graph.where(), {"names": ", ".join(drawn[:_NAMES])})
        return
    told = list(_judged(pairs, _differences(pairs), graph, _rounding(pynative.run, params), params))
    yield from told
    if dumped is not None and any(one.level is Level.SUSPECT for one in told):
        yield from _cell(pynative, dumped, _rounding(pynative.run, params))


def first_apart(pynative: Run, graph: Run) -> int | None:
    """The step from which on losses differ, where all before agree and both modes began alike and drew nothing; it was looked at."""
    params = Params()
    pairs = _same_rows(pynative, graph)
    if not pairs or not _begin_alike(pynative, graph) or _drawing(pynative):
        return None
    at = _parted(_differences(pairs), _rounding(pynative, params), params)
    step = None if at is None else pairs[at][0]
    looked_at = {one.get("step") for one in pynative.facts.get("pass", ()) if one.get("calls")}
    return step if step in looked_at else None


def _differences(pairs: list[tuple[int, float, float]]) -> Any:
    """Of the losses of each step, against their size."""
    import numpy as np

    values = np.array([[one, other] for _, one, other in pairs])
    with np.errstate(all="ignore"):
        differences = np.abs(values[:, 0] - values[:, 1]) / np.maximum(np.abs(values).max(axis=1), 1e-12)
    differences[~np.isfinite(values).any(axis=1)] = 0
    differences[~np.isfinite(differences)] = np.inf
    return differences


def _parted(differences: Any, rounding: float, params: Params) -> int | None:
    """Where losses that come to differ by more than rounding part: at once, or with a jump that rounding does not make."""
    far = [at for at, value in enumerate(differences) if value > rounding]
    if not far or far[0] == 0:
        return far[0] if far else None
    jumps = (
        at
        for at in range(1, far[0] + 1)
        if differences[at] > max(rounding / 10, params.jump * max(differences[at - 1], 1e-7))
    )
    return next(jumps, None)


def _rounding(pynative: Run, params: Params) -> float:
    return params.rounding * (10 if _is_half(pynative) else 1)


def _cell(pynative: _watched.Watch, dumped: _watched.Watch, rounding: float) -> Iterator[Finding]:
    """The first cell whose output differs in the step that was dumped in graph mode, and the lines between it and the last that agrees."""
    fact = dumped.first("graph-outputs")
    step = fact.get("step")
    seen = next((one for one in pynative.facts("pass") if one.get("step") == step and one.get("training")), {})
    calls = [str(one[0]) for one in seen.get("calls", ())]
    inner = {name for name in calls if any(other.startswith(f"{name}.") for other in calls) or not name}
    before: str | None = None
    after = -1
    for name, kind, _, gave in seen.get("calls", ()):
        graph = (
            _named(fact.get("cells") or (), str(name)) if calls.count(str(name)) == 1 and name not in inner else None
        )
        if graph is None or not gave:
            continue
        if _agrees(gave[0], graph[3], rounding):
            before, after = str(name), int(graph[2])
            continue
        lines = [place for _, place in fact["operations"][after + 1 : graph[1]] if place]
        place = lines[0] if lines else _place(pynative, str(name))
        data = {"step": step, "cell": f"{name} ({str(kind).rpartition('.')[2]})", "before": before or "-"}
        data |= {"pynative": _range(gave[0]), "graph": _range(graph[3])}
        code = "first-cell" if before is not None else "first-cell-of-all"
        yield Finding(code, Level.SUSPECT, pynative.where(place, step=step), data, fix=Fix("fix-frozen"))
        return


def _named(cells: Iterable[list[Any]], name: str) -> list[Any] | None:
    """The cell of a graph whose whole name ends in this one, where there is one only."""
    found = [one for one in cells if one[0] == name or str(one[0]).endswith(f".{name}")]
    return found[0] if len(found) == 1 else None


def _agrees(one: dict[str, Any], other: dict[str, Any], rounding: float) -> bool:
    """Whether two tensors have the same range and mean, to rounding and the four digits of a recording; what is not known agrees."""
    names = [name for name in ("low", "high", "mean") if isinstance(one.get(name), float | int) and name in other]
    if one.get("shape") != other.get("shape") or not names:
        return True
    size = max(abs(one[name]) for name in names)
    return all(abs(one[name] - other[name]) <= (rounding + _DIGITS) * size for name in names)


def _range(told: dict[str, Any]) -> str:
    return f"{told['low']:.4g} … {told['high']:.4g}"


def _place(watch: _watched.Watch, name: str) -> Any:
    """Where a cell was made."""
    cells = [one for fact in watch.facts("network") for one in fact.get("cells") or () if one[0] == name]
    return cells[0][2] if cells else None


def _judged(
    pairs: list[tuple[int, float, float]], differences: Any, graph: _watched.Watch, rounding: float, params: Params
) -> Iterator[Finding]:
    steps = [float(step) for step, _, _ in pairs]
    series: dict[str, list[float | None]] = {
        "pynative": [one for _, one, _ in pairs],
        "graph": [other for _, _, other in pairs],
    }
    evidence: list[Evidence] = [Curve("losses", "step", "loss", steps, series)]
    at = _parted(differences, rounding, params)
    before = float(differences[at - 1]) if at else 0.0
    step, one, other = pairs[at or 0]
    data: dict[str, Any] = {"pynative": one, "graph": other, "step": step}
    if at == 0 and step == 1:
        yield Finding("differs-at-once", Level.SUSPECT, graph.where(step=step), data, evidence, Fix("fix-frozen"))
    elif at:
        data |= {"before": pairs[at - 1][0], "close": max(before, 1e-7)}
        yield Finding("differs-later", Level.SUSPECT, graph.where(step=step), data, evidence, Fix("fix-frozen"))
    else:
        data = {"steps": len(pairs), "most": max(float(differences.max()), 1e-7)}
        yield Finding("agree", Level.INFO, graph.where(), data, evidence)


def _paired(one: Column | None, other: Column | None) -> list[tuple[int, float, float]]:
    """Values of the same steps."""
    if one is None or other is None:
        return []
    known = dict(zip(other.steps.tolist(), other.values.tolist(), strict=True))
    found = zip(one.steps.tolist(), one.values.tolist(), strict=True)
    return [(step, value, known[step]) for step, value in found if step in known]


def _same_rows(pynative: Run, graph: Run) -> list[tuple[int, float, float]] | None:
    """Losses of both up to the first step that was given other rows; None where there are none at all."""
    pairs = _paired(pynative.series.get("loss"), graph.series.get("loss"))
    if not pairs:
        return None
    rows, others = dict(pynative.samples), dict(graph.samples)
    kept = []
    for pair in pairs:
        if rows.get(pair[0]) != others.get(pair[0]):
            break
        kept.append(pair)
    return kept


def _begin_alike(pynative: Run, graph: Run) -> bool:
    """Whether the weights hold the same at the start; of one of the passes fewer may be known."""
    one, other = _digests(pynative), _digests(graph)
    return bool(one and other) and (one <= other or other <= one)


def _digests(run: Run) -> set[str]:
    """Of what the weights of all networks hold at the start."""
    return {str(one.get("digest")) for fact in run.facts.get("network", ()) for one in fact.get("parameters") or ()}


def _drawing(run: Run) -> list[str]:
    """Cells of MindSpore's own that draw numbers: dropout with a chance above 0."""
    found = []
    for fact in run.facts.get("network", ()):
        for cell in fact.get("cells") or ():
            name, kind, _, given = cell[:4]
            given = given if isinstance(given, dict) else {}
            keep = given.get("keep_prob") or 1.0
            if ".Dropout" in str(kind) and (given.get("p") is None or given["p"] > 0 or keep < 1):
                found.append(str(name))
    return found


def _is_half(run: Run) -> bool:
    """Whether something is computed in half precision."""
    return any("float16" in json.dumps(one.get("calls")) for one in run.facts.get("pass", ())[:2])


def _recording(
    losses: Iterable[Any],
    graph: bool,
    *,
    rates: Iterable[float] = (),
    ratios: Iterable[float] = (0.01, 0.02),
    digest: str = "a",
    drop: float = 0.0,
    more: Iterable[dict[str, Any]] = (),
) -> str:
    head = (
        '{"recording": 1, "accucheck": "0.1.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}'
    )
    losses = list(losses)
    rates = list(rates) or [0.1] * len(losses)
    cells = [["", "train.Net", ["train.py", 9], {}], ["drop", "mindspore.nn.layer.basic.Dropout", None, {"p": drop}]]
    facts: list[dict[str, Any]] = [
        {"fact": "mode", "graph": graph, "place": ["train.py", 7]},
        {"fact": "network", "number": 0, "cells": cells, "parameters": [{"name": "fc.weight", "digest": digest}]},
        {"fact": "optimizer", "number": 0, "parameters": ["fc.weight", "fc.bias"]},
        {"fact": "changes", "step": 1, "optimizer": 0, "ratios": list(ratios)},
        *more,
    ]
    steps = [
        {"step": at, "epoch": 1, "seconds": 0.1, "loss": loss, "lr": rate, "samples": [at, at + 1]}
        for at, (loss, rate) in enumerate(zip(losses, rates, strict=True), 1)
    ]
    return "\n".join([head, *(json.dumps(one) for one in [*facts, *steps])]) + "\n"


def _example(
    name: str, pynative: str, graph: str, verdict: Verdict, *codes: str, about: str = "", dump: str = ""
) -> Example:
    files = {"watch/pynative.jsonl": pynative, "watch/user.jsonl": graph, "watch/dump.jsonl": dump}
    given: dict[str, Any] = {f"{path}": text for path, text in files.items() if text}
    if about:
        given["watch/watch.json"] = about
    return Example(name, files=given, case={"watched": "watch"}, verdict=verdict, codes=codes)


_FALLS = [2.3, 2.1, 1.9, 1.8]
_OTHER = [2.9, 2.5, 2.2, 2.1]
_NEAR = [2.3, 2.1000001, 1.9000004, 1.8000011]
_DENSE = "mindspore.nn.layer.basic.Dense"
_GAVE: dict[str, Any] = {"shape": [8, 4], "low": -1.5, "high": 1.25, "mean": 0.125}


def _pass(*cells: str) -> dict[str, Any]:
    """What layers gave in the second step in PyNative mode."""
    calls = [["", "train.Net", True, [_GAVE]], *([name, _DENSE, True, [_GAVE]] for name in cells)]
    return {"fact": "pass", "step": 2, "training": True, "networks": [0], "data": 0, "batch": [], "calls": calls}


def _dump(**scales: float) -> str:
    """What they gave in graph mode, so many times as much, each by one operation with a line of the network's own behind it."""
    cells = [
        [f"network.{name}", 2 * at, 2 * at, {**_GAVE, **{key: _GAVE[key] * scale for key in ("low", "high", "mean")}}]
        for at, (name, scale) in enumerate(scales.items())
    ]
    operations = [one for name in scales for one in ([f"network.{name}", None], ["", ["train.py", 17]])]
    fact = {"fact": "graph-outputs", "step": 2, "operations": operations, "cells": cells}
    return _recording(_FALLS[:2], True, more=[fact])


_ABOUT_FAILED = '{"passes": [{"mode": "pynative", "code": 0}, {"mode": "user", "code": 1}]}'
EXAMPLES = [
    _example("both modes agree", _recording(_FALLS, False), _recording(_NEAR, True), Verdict.NOT_APPLICABLE, "agree"),
    _example(
        "another loss at once", _recording(_FALLS, False), _recording(_OTHER, True), Verdict.UNDECIDED, "differs-at-once"
    ),
    _example("frozen noise", _recording(_FALLS, False), _recording([2.3, 2.15, 2.0, 1.7], True), Verdict.UNDECIDED, "differs-later"),
    _example(
        "frozen noise that hardly matters",
        _recording(_FALLS, False),
        _recording([2.3, 2.1005, 1.9004, 1.81], True),
        Verdict.UNDECIDED,
        "differs-later",
    ),
    _example(
        "frozen noise between two layers",
        _recording(_FALLS, False, more=[_pass("fc", "head")]),
        _recording([2.3, 2.15, 2.0, 1.7], True),
        Verdict.UNDECIDED,
        "differs-later",
        "first-cell",
        dump=_dump(fc=1.0, head=1.3),
    ),
    _example(
        "the first layer differs",
        _recording(_FALLS, False, more=[_pass("fc", "head")]),
        _recording([2.3, 2.15, 2.0, 1.7], True),
        Verdict.UNDECIDED,
        "differs-later",
        "first-cell-of-all",
        dump=_dump(fc=0.9, head=1.3),
    ),
    _example(
        "a weight that a graph leaves",
        _recording(_FALLS, False),
        _recording(_FALLS, True, ratios=[0.01, 0.0]),
        Verdict.PROBLEM,
        "moves-in-one",
    ),
    _example(
        "a rate that a graph has frozen",
        _recording(_FALLS, False, rates=[0.1, 0.09, 0.08, 0.07]),
        _recording(_FALLS, True),
        Verdict.UNDECIDED,
        "rates-differ",
    ),
    _example(
        "dropout",
        _recording(_FALLS, False, drop=0.5),
        _recording(_OTHER, True, drop=0.5),
        Verdict.NOT_APPLICABLE,
        "random",
    ),
    _example(
        "no seed", _recording(_FALLS, False), _recording(_OTHER, True, digest="b"), Verdict.NOT_APPLICABLE, "not-comparable"
    ),
    _example("a graph that cannot be compiled", _recording(_FALLS, False), "", Verdict.PROBLEM, "fails-in-graph", about=_ABOUT_FAILED),
    _example(
        "what a graph alone can run",
        "",
        _recording(_FALLS, True),
        Verdict.PROBLEM,
        "fails-in-pynative",
        about=_ABOUT_FAILED.replace("user", "-").replace("pynative", "user").replace("-", "pynative"),
    ),
]  # fmt: skip
