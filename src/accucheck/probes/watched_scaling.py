"""Follows the loss scale through a watched run: the gradients as the pass gave them against those that the optimizer was given.

Catches layers that compute in float16 without any loss scale, gradients that keep the scale, a scale that is taken off twice, one that
has sunk to 1, and gradients that are clipped to a norm while they still carry the scale. Cannot tell how a pass within a compiled graph
is scaled, nor gradients that are added up over several passes, nor clipping by value or layer by layer.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Verdict, Where
from ..model import suggest as usual
from ..probe import Example
from . import _watched_networks
from ._checkpoints import shown, table
from ._watched_examples import recording
from ._watched_networks import WatchedNetworks

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: Annotated[
        str,
        Meta(
            pattern="^(scale|clipping)$",
            description="what the item is about",
            extra={"unit": "word", "source": "the items mp.02 and mp.03"},
        ),
    ] = "scale"
    equal: Annotated[
        float,
        Meta(
            gt=0,
            lt=0.5,
            description="two norms or scales that differ by no more than this share are one",
            extra={
                "unit": "1",
                "source": "own choice: float16 rounds by 5e-4, and a scale is at least doubled or halved",
            },
        ),
    ] = 0.01
    steps: Annotated[
        int,
        Meta(
            ge=2,
            description="in so many steps at least a relation must hold",
            extra={"unit": "steps", "source": "own choice: one step may be one that overflowed"},
        ),
    ] = 3
    most: Annotated[
        float,
        Meta(
            gt=1,
            description="gradients that are clipped in each step, and mostly by more than this factor, are a suspect",
            extra={"unit": "1", "source": "own choice: a norm of 1, as is usual, meets gradients of up to some tens"},
        ),
    ] = 300.0
    least: Annotated[
        float,
        Meta(
            gt=0,
            description="updates that change weights by a larger share do learn: the rate, or an optimizer that divides gradients by "
            "their own size, makes up for the clipping",
            extra={"unit": "1", "source": "as watched_ratios"},
        ),
    ] = 1e-5


MESSAGES: Words = {
    **_watched_networks.MESSAGES,
    "no-scale": {
        "en": "{count:,} {count:layer computes|layers compute} in float16 ({names}), and {kind} gets the gradients as the backward "
        "pass computed them: no loss scale was seen in {steps:,} steps.",
        "zh": "有 {count:,} 层以 float16 计算（{names}），而 {kind} 得到的梯度与反向计算给出的相同：{steps:,} 步中没有出现 loss scale。",
    },
    "keeps-scale": {
        "en": "The loss is multiplied by {scale:g}, and {kind} gets the gradients as the backward pass computed them in all {steps:,} "
        "steps: the scale is never removed.",
        "zh": "损失乘以了 {scale:g}，而 {steps:,} 步中 {kind} 得到的梯度都与反向计算给出的相同：从未还原 loss scale。",
    },
    "unscaled-twice": {
        "en": "Gradients are divided by the loss scale of {scale:g} before {kind} gets them, which divides by loss_scale={divisor:g} once "
        "more.",
        "zh": "梯度交给 {kind} 之前已除以 loss scale（{scale:g}），而它又按 loss_scale={divisor:g} 再除一次。",
    },
    "below-one": {
        "en": "In {steps:the one step|all {steps:,} steps} examined, {kind} gets gradients {times:.4g} times as large as the "
        "backward pass computes them: "
        "the loss is scaled down, by {scale:.3g}, though {count:,} {count:layer|layers} that it trains compute in float16 ({names}).",
        "zh": "在查看的全部 {steps:,} 步中，{kind} 得到的梯度都是反向梯度的 {times:.4g} 倍：loss 被缩小（乘以 {scale:.3g}），"
        "而它训练的 {count:,} 层用 float16 计算（{names}）。",
    },
    "sunk": {
        "en": "The loss scale falls from {first:g} to {last:g} within {steps:,} steps; "
        "{dropped:1 update was|{dropped:,} updates were|no update was} "
        "left out.",
        "zh": "loss scale 在 {steps:,} 步内从 {first:g} 降到 {last:g}，"
        "{dropped:其间略过了 1 次更新|其间略过了 {dropped:,} 次更新|其间没有略过更新}。",
    },
    "scaled": {
        "en": "The loss scale of {scale:g} is removed before {kind} updates, in {steps:the one step|all {steps:,} steps} examined.",
        "zh": "在查看的全部 {steps:,} 步中，loss scale（{scale:g}）都在 {kind} 更新之前还原。",
    },
    "by-optimizer": {
        "en": "{kind} takes the loss scale of {scale:g} off by its own loss_scale={divisor:g}.",
        "zh": "{kind} 通过自身的 loss_scale={divisor:g} 还原 loss scale（{scale:g}）。",
    },
    "no-half": {
        "en": "No layer computed in float16 in the {steps:,} steps examined, and no loss scale was seen.",
        "zh": "在查看的 {steps:,} 步中没有层以 float16 计算，也没有出现 loss scale。",
    },
    "not-told": {
        "en": "How gradients reach {kind} was not seen, as they come from a compiled graph or from several passes.",
        "zh": "未能看到梯度如何到达 {kind}：它们来自编译后的计算图，或由多次反向计算累加而成。",
    },
    "clipped-scaled": {
        "en": "Gradients are clipped to a norm of {norm:g} while they carry the loss scale: {kind} gets them with a norm of {low:.3g} to "
        "{high:.3g}, which goes with the scale.",
        "zh": "梯度仍带着 loss scale 时就被裁剪到范数 {norm:g}：{kind} 得到的梯度范数为 {low:.3g} 到 {high:.3g}，随 loss scale 变化。",
    },
    "clipped-small": {
        "en": "{kind} gets gradients with a norm of {low:.3g} in {steps:the one step|all {steps:,} steps}; multiplied by the loss "
        "scale of {scale:g} that "
        "is {norm:g}. They seem to be clipped before unscaling.",
        "zh": "{steps:,} 步中 {kind} 得到的梯度范数都是 {low:.3g}，乘以 loss scale（{scale:g}）恰为 {norm:g}：似乎先裁剪后还原。",
    },
    "clipped": {
        "en": "Gradients are clipped to a norm of {high:.3g} in {count:,} of {steps:,} steps, after the loss scale is removed.",
        "zh": "{steps:,} 步中有 {count:,} 步的梯度被裁剪到范数 {high:.3g}，且在还原 loss scale 之后。",
    },
    "clips-most": {
        "en": "Gradients are clipped to a norm of {high:.3g} in {steps:the one step|all {steps:,} steps}, from a median of "
        "{raw:.3g}: {kind} gets gradients "
        "{times:,.0f} times smaller, and changes weights by {moved:.1g} of their size.",
        "zh": "全部 {steps:,} 步的梯度都被裁剪到范数 {high:.3g}，而反向计算给出的范数中位数为 {raw:.3g}："
        "{kind} 得到的梯度小了 {times:,.0f} 倍，每步只改变权重大小的 {moved:.1g}。",
    },
    "clipped-alone": {
        "en": "Gradients are clipped to a norm of {high:.3g} in {count:,} of {steps:,} steps; there is no loss scale.",
        "zh": "{steps:,} 步中有 {count:,} 步的梯度被裁剪到范数 {high:.3g}；没有使用 loss scale。",
    },
    "not-clipped": {
        "en": "In {steps:,} steps the norm of the gradients that {kind} gets is unchanged, apart from the loss scale: none was clipped.",
        "zh": "{steps:,} 步中 {kind} 得到的梯度范数除 loss scale 外与反向计算给出的相同：没有裁剪。",
    },
    "unscaled": {
        "en": "There is no loss scale: in {count:,} of {steps:,} steps, gradients reach {kind} as the backward pass computed them.",
        "zh": "没有使用 loss scale：{steps:,} 步中有 {count:,} 步的梯度原样到达 {kind}。",
    },
    "fix-scale": {
        "en": "Multiply the loss by amp.DynamicLossScaler or StaticLossScaler before the gradients are taken, and unscale them before the "
        "update; or train in bfloat16.",
        "zh": "求梯度之前用 amp.DynamicLossScaler 或 StaticLossScaler 放大损失，更新之前再还原；或改用 bfloat16。",
    },
    "fix-unscale": {
        "en": "Divide the gradients by the loss scale before the update: scaler.unscale(grads), or loss_scale of the optimizer.",
        "zh": "更新之前把梯度除以 loss scale：scaler.unscale(grads)，或优化器的 loss_scale。",
    },
    "fix-once": {
        "en": "Unscale only once: leave loss_scale of the optimizer at 1.0 where the step unscales by itself.",
        "zh": "只还原一次：训练步自行还原时，优化器的 loss_scale 保持 1.0。",
    },
    "fix-overflow": {
        "en": "Find the first value that is not finite (accucheck watch --nan); a scale that keeps falling covers an overflow that has "
        "nothing to do with it.",
        "zh": "找出第一个 NaN 或 Inf（accucheck watch --nan）；loss scale 一直下降，掩盖的是与它无关的溢出。",
    },
    "fix-norm": {
        "en": "Clip to a norm that most steps stay below, such as 1 or 5; print the norm before clipping to choose it.",
        "zh": "把裁剪范数设为多数 step 达不到的值（如 1 或 5）；可先打印裁剪前的范数再定。",
    },
    "fix-order": {
        "en": "Unscale the gradients first, then clip them.",
        "zh": "先还原梯度的 loss scale，再裁剪。",
    },
}
_LOST = {
    "en": "Small gradients are 0 in float16 below 6e-8, so that parts of the network do not learn.",
    "zh": "小于 6e-8 的梯度在 float16 中变为 0，网络的一部分学不到东西。",
}
_LARGE = {
    "en": "Updates are as many times too large as the scale, or, with Adam, out of proportion to its epsilon and to weight decay.",
    "zh": "更新量按 loss scale 的倍数放大；对 Adam 而言，则与其 epsilon 和权重衰减不成比例。",
}
_SMALL = {
    "en": "Updates are too small by the loss scale: the network hardly learns.",
    "zh": "更新量缩小到 loss scale 分之一，网络几乎学不到东西。",
}
WHY: Words = {
    **dict.fromkeys(("no-scale", "below-one"), _LOST),
    "keeps-scale": _LARGE,
    "unscaled-twice": _SMALL,
    "sunk": {
        "en": "Each step that overflows is left out, and a scale of 1 is none: small gradients become 0.",
        "zh": "每个溢出的 step 都被略过，而 loss scale 为 1 等于没有：小梯度变为 0。",
    },
    **dict.fromkeys(("clipped-scaled", "clipped-small"), _SMALL),
    "clips-most": {
        "en": "Each update has the same tiny length, however large the gradient is: the network hardly learns.",
        "zh": "无论梯度多大，每次更新都是同样的微小步长：网络几乎学不到东西。",
    },
}
_PRINT = {
    "en": "Print the norm of the gradients before and after each of unscaling, clipping and the update.",
    "zh": "分别打印还原、裁剪、更新前后的梯度范数。",
}
PROOF: Words = {
    "no-scale": {
        "en": "Count the zeros in the gradients of the first layers, with and without a loss scale of 1024.",
        "zh": "分别在有和没有 loss scale（1024）时，统计前几层梯度中 0 的个数。",
    },
    "sunk": {
        "en": "Watch again with --nan: it names the first operator that overflows.",
        "zh": "加上 --nan 再次观察：会给出第一个溢出的算子。",
    },
    **dict.fromkeys(("below-one", "keeps-scale", "unscaled-twice", "clipped-scaled", "clipped-small"), _PRINT),
    "clips-most": _PRINT,
}
WORDS: Words = {
    **_watched_networks.WORDS,
    "norms": {"en": "Norms of the gradients", "zh": "梯度范数"},
    "scale": {"en": "Loss scale", "zh": "loss scale"},
    "of-pass": {"en": "As computed by the backward pass", "zh": "反向计算给出"},
    "given": {"en": "As the optimizer got them", "zh": "优化器得到"},
    "divided": {"en": "Divided by", "zh": "相差倍数"},
}
#: What this probe proves wrong of those that read scripts, where the scale was seen to be taken off.
_SCALED = [
    "no-scale",
    "no-scale-unused",
    "no-scale-partly",
    "kept",
    "kept-own",
    "divided-only",
    "divided-own",
    "divided-twice",
]


#: So many times as large as the pass gave them are gradients of a loss that was scaled down.
_GROWN = 4.0


@dataclass(frozen=True)
class Update:
    """One update that was looked at: the norm of the gradients as the pass gave them and as the optimizer got them, the scale, and the
    share by which it changed weights (median); both None where not seen."""

    step: int
    raw: float
    given: float
    scale: float | None
    moved: float | None

    @property
    def divided(self) -> float:
        return self.raw / self.given


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    seen = _watched_networks.seen(case)
    if not isinstance(seen, WatchedNetworks):
        yield Finding("no-steps", Level.INFO, Where(seen.path), {"path": seen.path}, incomplete=True)
        return
    for optimizer in seen.optimizers:
        updates = _updates(seen, optimizer.number)
        data: dict[str, Any] = {"kind": optimizer.kind.rpartition(".")[2], "steps": len(updates)}
        where = seen.watch.where(list(optimizer.place or []))
        if len(updates) < params.steps:
            yield Finding("not-told", Level.INFO, where, data)
            continue
        evidence = [_table(updates)]
        divisor = _watched_networks.number(optimizer.loss_scale) or 1.0
        if params.about == "clipping":
            yield _clipping(updates, params, where, data, evidence)
        else:
            half = _half(seen)
            trained = _trained(seen, optimizer.number, half)
            data |= {"divisor": divisor, "count": len(trained), "names": shown(trained)}
            yield _scaling(updates, divisor, bool(half), params, where, data, evidence)
            yield from _sunk(seen, optimizer.number, where)


def suggest(findings: Iterable[Finding]) -> Verdict:
    """Without float16 or a scale there is nothing to judge; what was not seen, or did not happen in some steps, proves nothing."""
    findings = list(findings)
    codes = {finding.code for finding in findings}
    if codes and codes <= {"no-half", "unscaled", "clipped-alone"}:
        return Verdict.NOT_APPLICABLE
    verdict = usual(findings)
    return Verdict.UNDECIDED if verdict is Verdict.OK and codes & {"not-clipped", "not-told"} else verdict


def _updates(seen: WatchedNetworks, number: int) -> list[Update]:
    """Those of one optimizer whose norms are both known and finite."""
    column = seen.series(number, "loss_scale")
    scales = {} if column is None else dict(zip(column.steps.tolist(), column.values.tolist(), strict=True))
    norms = seen.series(number, "grad_norm")
    given = {} if norms is None else dict(zip(norms.steps.tolist(), norms.values.tolist(), strict=True))
    moved = {one.step: _middle(one.ratios) for one in seen.changes if one.optimizer == number}
    found = []
    for fact in seen.watch.facts("gradients"):
        raw, step = _watched_networks.number(fact.get("raw")), int(fact.get("step") or 0)
        got = given.get(step)
        if fact.get("optimizer") == number and raw and got and math.isfinite(raw) and math.isfinite(got):
            found.append(Update(step, raw, got, scales.get(step), moved.get(step)))
    return found


def _middle(ratios: Iterable[Any]) -> float | None:
    known = [ratio for ratio in map(_watched_networks.number, ratios) if ratio is not None and math.isfinite(ratio)]
    return statistics.median(known) if known else None


def _half(seen: WatchedNetworks) -> list[str]:
    """The layers that gave float16 in a pass of training."""
    calls = (call for one in seen.passes if one.training for call in seen.calls(one))
    return sorted({call.name for call in calls if any(given.get("type") == "float16" for given in call.gave)})


def _trained(seen: WatchedNetworks, number: int, layers: list[str]) -> list[str]:
    """Those of the layers of which this optimizer holds a parameter."""
    held = {one.layer for one in seen.parameters.values() if number in one.optimizers}
    return [layer for layer in layers if layer in held]


def _scaling(
    updates: list[Update],
    divisor: float,
    half: bool,
    params: Params,
    where: Where,
    data: dict[str, Any],
    evidence: list[Evidence],
) -> Finding:
    scale = max((one.scale for one in updates if one.scale is not None), default=0.0)
    untouched = all(_equal(one.raw, one.given, params) for one in updates)
    taken_off = all(one.divided > 1 + params.equal for one in updates) and (scale > 1 or _doubled(updates, params))
    data["scale"] = scale or updates[-1].divided
    refutes = [Refutes("loss_scale_script", _SCALED)]
    if scale > 1 and untouched and divisor == 1:
        return Finding("keeps-scale", Level.PROBLEM, where, data, evidence, Fix("fix-unscale"))
    if scale > 1 and taken_off and divisor > 1:
        return Finding("unscaled-twice", Level.PROBLEM, where, data, evidence, Fix("fix-once"))
    if untouched and divisor > 1:
        data["scale"] = scale or divisor
        known = scale > 1 and _equal(scale, divisor, params)
        return Finding(
            "by-optimizer", Level.INFO, where, data, evidence, refutes=refutes if known else [], incomplete=not known
        )
    if taken_off:
        return Finding("scaled", Level.INFO, where, data, evidence, refutes=refutes)
    if not half:
        return Finding("no-half", Level.INFO, where, data)
    return _unscaled(updates, untouched, params, where, data, evidence)


def _doubled(updates: list[Update], params: Params) -> bool:
    """Whether what gradients are divided by is one number, or is doubled and halved, as a loss scale is and clipping is not."""
    times = [math.log2(one.divided / updates[0].divided) for one in updates]
    return all(abs(one - round(one)) <= params.equal for one in times)


def _unscaled(
    updates: list[Update], untouched: bool, params: Params, where: Where, data: dict[str, Any], evidence: list[Evidence]
) -> Finding:
    """What is told of float16 where no scale is taken off."""
    times = [one.given / one.raw for one in updates]
    if min(times) >= _GROWN and _all_equal(times, params) and data["count"]:
        data |= {"times": times[-1], "scale": 1 / times[-1]}
        return Finding("below-one", Level.SUSPECT, where, data, evidence, Fix("fix-scale"))
    if untouched and data["count"]:
        return Finding("no-scale", Level.PROBLEM, where, data, evidence, Fix("fix-scale"))
    return Finding("not-told", Level.INFO, where, data, evidence)


def _sunk(seen: WatchedNetworks, number: int, where: Where) -> Iterator[Finding]:
    column = seen.series(number, "loss_scale")
    scales = [] if column is None else [value for value in column.values.tolist() if math.isfinite(value)]
    if scales and scales[0] > 1 >= scales[-1]:
        dropped = sum(fact.get("finite") is False for fact in seen.watch.facts("not-taken"))
        data = {"first": scales[0], "last": scales[-1], "steps": len(scales), "dropped": dropped}
        yield Finding("sunk", Level.SUSPECT, where, data, fix=Fix("fix-overflow"))


def _clipping(
    updates: list[Update], params: Params, where: Where, data: dict[str, Any], evidence: list[Evidence]
) -> Finding:
    scaled = [one for one in updates if one.scale is not None and one.scale > 1]
    if not scaled:
        return _clipped_alone(updates, params, where, data, evidence)
    expected = {one.step: one.raw / one.scale if one.scale else one.raw for one in updates}
    clipped = [one for one in updates if one.given < expected[one.step] * (1 - params.equal)]
    norms = [one.given for one in clipped]
    if len(clipped) < params.steps:
        return Finding("not-clipped", Level.INFO, where, data)
    data |= {"low": min(norms), "high": max(norms), "count": len(clipped)}
    times = [one.given * one.scale for one in clipped if one in scaled and one.scale is not None]
    with_scale = len(times) == len(clipped) and _all_equal(times, params)
    if with_scale and not _all_equal(norms, params):
        data |= {"norm": _rounded(times[0])}
        return Finding("clipped-scaled", Level.PROBLEM, where, data, evidence, Fix("fix-order"))
    if with_scale and len(clipped) == len(updates) and _is_round(times[0]) and not _is_round(norms[0]):
        data |= {"norm": _rounded(times[0]), "scale": scaled[0].scale}
        return Finding("clipped-small", Level.SUSPECT, where, data, evidence, Fix("fix-order"))
    if _all_equal(norms, params):
        refutes = [Refutes("clip_order", ["clip-scaled", "clip-before-optimizer"])] if scaled else []
        return Finding("clipped", Level.INFO, where, data, evidence, refutes=refutes)
    return Finding("not-told", Level.INFO, where, data, evidence)


def _clipped_alone(
    updates: list[Update], params: Params, where: Where, data: dict[str, Any], evidence: list[Evidence]
) -> Finding:
    """What is told of clipping where there is no loss scale."""
    untouched = sum(_equal(one.raw, one.given, params) for one in updates)
    clipped = [one for one in updates if one.given < one.raw * (1 - params.equal)]
    if not _is_clipping(clipped, params):
        return Finding("unscaled" if untouched else "not-told", Level.INFO, where, data | {"count": untouched})
    times = statistics.median(one.divided for one in clipped)
    raw = statistics.median(one.raw for one in clipped)
    moved = _middle(one.moved for one in clipped)
    data |= {
        "high": max(one.given for one in clipped),
        "raw": raw,
        "times": times,
        "count": len(clipped),
        "moved": moved,
    }
    still = moved is not None and moved < params.least
    if len(clipped) == len(updates) and times > params.most and still:
        return Finding("clips-most", Level.SUSPECT, where, data, evidence, Fix("fix-norm"))
    return Finding("clipped-alone", Level.INFO, where, data, evidence)


def _is_clipping(smaller: list[Update], params: Params) -> bool:
    """Whether gradients that got smaller were clipped to one norm, and not divided by a scale."""
    alike = len(smaller) >= params.steps and _all_equal([one.given for one in smaller], params)
    return alike and not _doubled(smaller, params)


def _equal(one: float, other: float, params: Params) -> bool:
    return abs(one - other) <= params.equal * max(abs(one), abs(other))


def _all_equal(values: list[float], params: Params) -> bool:
    return _equal(min(values), max(values), params)


def _rounded(value: float) -> float:
    """The number of two digits that a threshold was probably given as."""
    return float(f"{value:.2g}")


def _is_round(value: float) -> bool:
    """Whether a number has hardly more than one digit, as people write thresholds."""
    return math.isclose(value, float(f"{value:.1g}"), rel_tol=1e-4)


def _table(updates: list[Update]) -> Evidence:
    rows: list[list[Plain]] = [[one.step, one.scale, one.raw, one.given, one.divided] for one in updates]
    return table("norms", ["step", "scale", "of-pass", "given", "divided"], rows)


def _example(name: str, verdict: Verdict, *codes: str, about: str = "scale", **args: Any) -> Example:
    files: dict[str, Any] = {"watch/pynative.jsonl": recording(**args)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes, params={"about": about})


#: A scale that doubles from step 6 on.
_SCALES = [1024.0] * 5 + [2048.0] * 5
_NORMS = [0.9, 0.8, 0.85, 0.7, 0.75, 0.65, 0.6, 0.7, 0.62, 0.6]
_RAW = [norm * scale for norm, scale in zip(_NORMS, _SCALES, strict=True)]
_FIXED = _RAW[:5] * 2
EXAMPLES = [
    _example("single precision", Verdict.NOT_APPLICABLE, "no-half", raw=_NORMS, totals=_NORMS),
    _example("float16 without a scale", Verdict.PROBLEM, "no-scale", raw=_NORMS, totals=_NORMS, half=("first",)),
    _example(
        "a scale that is taken off", Verdict.OK, "scaled", raw=_RAW, totals=_NORMS, scales=_SCALES, half=("first",)
    ),
    _example("a scale that stays", Verdict.PROBLEM, "keeps-scale", raw=_RAW, totals=_RAW, scales=_SCALES),
    _example(
        "taken off by the step and by the optimizer",
        Verdict.PROBLEM,
        "unscaled-twice",
        raw=_RAW,
        totals=_NORMS,
        scales=_SCALES,
        divisor=1024.0,
    ),
    _example(
        "taken off by the optimizer",
        Verdict.OK,
        "by-optimizer",
        raw=_FIXED,
        totals=_FIXED,
        scales=[1024.0] * 10,
        divisor=1024.0,
    ),
    _example(
        "a scale that sinks to 1",
        Verdict.UNDECIDED,
        "sunk",
        raw=_RAW,
        totals=_NORMS,
        scales=[1024.0 / 4**step for step in range(10)],
    ),
    _example(
        "a scale below 1",
        Verdict.UNDECIDED,
        "below-one",
        raw=[norm / 1000 for norm in _NORMS],
        totals=_NORMS,
        half=("first",),
    ),
    _example("gradients of several passes", Verdict.UNDECIDED, "not-told", totals=_NORMS, half=("first",)),
    _example("float16 where nothing is trained", Verdict.UNDECIDED, "not-told", raw=_NORMS, totals=_NORMS, half=("",)),
    _example(
        "clipped and then unscaled",
        Verdict.PROBLEM,
        "clipped-scaled",
        about="clipping",
        raw=_RAW,
        totals=[1.0 / scale for scale in _SCALES],
        scales=_SCALES,
    ),
    _example(
        "clipped under a scale that stays",
        Verdict.UNDECIDED,
        "clipped-small",
        about="clipping",
        raw=_FIXED,
        totals=[1.0 / 1024] * 10,
        scales=[1024.0] * 10,
    ),
    _example(
        "unscaled and then clipped",
        Verdict.OK,
        "clipped",
        about="clipping",
        raw=_RAW,
        totals=[0.1] * 10,
        scales=_SCALES,
    ),
    _example(
        "clipped without a scale",
        Verdict.NOT_APPLICABLE,
        "clipped-alone",
        about="clipping",
        raw=_NORMS,
        totals=[0.1] * 10,
    ),
    _example(
        "clipped to next to nothing",
        Verdict.UNDECIDED,
        "clips-most",
        about="clipping",
        raw=_NORMS,
        totals=[1e-4] * 10,
        ratio=1e-7,
    ),
    _example(
        "clipped to almost nothing, at a rate that makes up for it",
        Verdict.NOT_APPLICABLE,
        "clipped-alone",
        about="clipping",
        raw=_NORMS,
        totals=[1e-4] * 10,
    ),
    _example(
        "clipped without a scale, in single precision", Verdict.NOT_APPLICABLE, "no-half", raw=_NORMS, totals=[0.1] * 10
    ),
    _example(
        "nothing is clipped",
        Verdict.UNDECIDED,
        "not-clipped",
        about="clipping",
        raw=_RAW,
        totals=_NORMS,
        scales=_SCALES,
    ),
]
