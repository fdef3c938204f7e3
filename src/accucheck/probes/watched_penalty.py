"""Follows in a watched run the gradients that are taken within the loss, as a gradient penalty needs them, and the scale that they carry.

Catches: gradients of a scaled loss, or with a scale as sens, that make up a penalty as they are: the loss then goes with their square.
Cannot tell: gradients within a compiled graph, and a scale that the script multiplies by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Verdict, Where
from ..model import suggest as usual
from ..probe import Example
from . import _watched_networks, gradient_penalty
from ._checkpoints import table
from ._watched_examples import recording
from ._watched_networks import WatchedNetworks

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


MESSAGES: Words = {
    **_watched_networks.MESSAGES,
    "penalty-scaled": {
        "en": "The gradients computed here inside the loss include a scale of {scale:g} in {steps:the one step|all {steps:,} steps}, "
        "and the loss is "
        "{low:.3g} to {high:.3g} times the mean square of their norms: the penalty is computed without unscaling them.",
        "zh": "{steps:,} 步中，此处在损失内部求得的梯度都带有缩放倍数 {scale:g}，而 loss 是其范数平方均值的 {low:.3g} 至 {high:.3g} 倍："
        "梯度惩罚直接使用了这些梯度。",
    },
    "penalty-open": {
        "en": "The gradients that are taken here within the loss carry a scale of {scale:g} in {steps:,} steps; whether it is divided out "
        "before the penalty was not seen.",
        "zh": "{steps:,} 步中，此处在损失内部求得的梯度带有缩放倍数 {scale:g}；未能看到它是否在计算惩罚之前还原。",
    },
    "penalty-clean": {
        "en": "The gradients that are taken here within the loss carry no loss scale in {steps:,} steps.",
        "zh": "{steps:,} 步中，此处在损失内部求得的梯度都不带 loss scale。",
    },
    "penalty-unscaled": {
        "en": "The gradients that are taken here within the loss are divided by the scaler in {steps:the one step|all {steps:,} steps}.",
        "zh": "{steps:,} 步中，此处在损失内部求得的梯度都由 scaler 还原。",
    },
    "no-inner": {
        "en": "In {steps:,} steps of the watched training no gradient was taken within the loss.",
        "zh": "所观察训练的 {steps:,} 步中，没有在损失内部求梯度。",
    },
    "not-told": {
        "en": "Whether gradients are taken within the loss is not recorded, as the watched run was compiled into a graph.",
        "zh": "所观察的运行编译成了计算图，看不出是否在损失内部求梯度。",
    },
    "fix-unscale": gradient_penalty.MESSAGES["fix-unscale"],
}
WHY: Words = {"penalty-scaled": gradient_penalty.WHY["penalty-scaled"]}
PROOF: Words = {"penalty-scaled": gradient_penalty.PROOF["penalty-scaled"]}
WORDS: Words = {
    **_watched_networks.WORDS,
    "inner": {"en": "Gradients within the loss", "zh": "损失内部的梯度"},
    "scale": {"en": "Scale", "zh": "缩放倍数"},
    "norm": {"en": "Norm of all", "zh": "总范数"},
    "rows": {"en": "Rows", "zh": "行数"},
    "loss": {"en": "Loss", "zh": "loss"},
    "ratio": {"en": "Loss against the mean square", "zh": "loss 与平方均值之比"},
}
#: Steps in which a relation must hold, and how far the norms must vary for it to be one.
_STEPS, _VARIES = 3, 1.03
#: A penalty is so many times the mean square of the norms at least, and always the same but for so much. Where the scale were divided out,
#: its weight would have to be larger by the square of the scale.
_WEIGHT, _STEADY, _SCALE = 0.01, 1.1, 256.0


@dataclass(frozen=True)
class Inner:
    """Gradients of one step that were taken within the loss; `loss` is that of the step, without its scale."""

    step: int
    place: tuple[Any, ...]
    scale: float
    norm: float
    rows: int
    unscaled: bool
    loss: float

    @property
    def ratio(self) -> float:
        return abs(self.loss) * self.rows / self.norm**2 if self.norm else 0.0


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    seen = _watched_networks.seen(case)
    if not isinstance(seen, WatchedNetworks):
        yield Finding("no-steps", Level.INFO, Where(seen.path), {"path": seen.path}, incomplete=True)
        return
    passes = sum(one.training for one in seen.passes)
    places: dict[tuple[Any, ...], list[Inner]] = {}
    for one in _inner(seen):
        places.setdefault(one.place, []).append(one)
    if not places:
        yield Finding("no-inner" if passes else "not-told", Level.INFO, seen.watch.where(), {"steps": passes})
    for place, some in places.items():
        yield _judged(seen.watch.where(list(place)), some)


def suggest(findings: Iterable[Finding]) -> Verdict:
    findings = list(findings)
    codes = {finding.code for finding in findings}
    if codes == {"no-inner"}:
        return Verdict.NOT_APPLICABLE
    verdict = usual(findings)
    return Verdict.UNDECIDED if verdict is Verdict.OK and codes & {"not-told"} else verdict


def _inner(seen: WatchedNetworks) -> Iterator[Inner]:
    column = seen.series(0, "loss")
    losses = {} if column is None else dict(zip(column.steps.tolist(), column.values.tolist(), strict=True))
    for fact in seen.watch.facts("inner"):
        step = int(fact.get("step") or 0)
        norm, loss = _watched_networks.number(fact.get("norm")), losses.get(step)
        if norm is None or loss is None or not (math.isfinite(norm) and math.isfinite(loss)):
            continue
        scale = (_watched_networks.number(fact.get("scale")) or 1.0) * (
            _watched_networks.number(fact.get("sens")) or 1.0
        )
        place, rows = tuple(fact.get("place") or ()), int(fact.get("rows") or 1)
        yield Inner(step, place, scale, norm, rows, fact.get("unscaled") is True, loss)


def _judged(where: Where, some: list[Inner]) -> Finding:
    scaled = [one for one in some if one.scale > 1]
    data: dict[str, Any] = {"steps": len(some)}
    rows: list[list[Plain]] = [[one.step, one.scale, one.norm, one.rows, one.loss, one.ratio] for one in some]
    evidence: list[Evidence] = [table("inner", ["step", "scale", "norm", "rows", "loss", "ratio"], rows)]
    if not scaled:
        return Finding("penalty-clean", Level.INFO, where, data, evidence)
    if all(one.unscaled for one in scaled):
        refutes = [Refutes("gradient_penalty", ["penalty-scaled"])]
        return Finding("penalty-unscaled", Level.INFO, where, data, evidence, refutes=refutes)
    data |= {"scale": max(one.scale for one in scaled), "low": min(one.ratio for one in some)}
    data |= {"high": max(one.ratio for one in some)}
    if len(scaled) == len(some) and _goes_with(some):
        return Finding("penalty-scaled", Level.PROBLEM, where, data, evidence, Fix("fix-unscale"))
    return Finding("penalty-open", Level.INFO, where, data, evidence, incomplete=True)


def _goes_with(some: list[Inner]) -> bool:
    """Whether the loss is a multiple of the mean square of scaled norms, in steps in which these vary."""
    ratios, norms = [one.ratio for one in some], [one.norm for one in some]
    steady = len(some) >= _STEPS and min(ratios) >= _WEIGHT and max(ratios) <= _STEADY * min(ratios)
    return steady and max(norms) >= _VARIES * min(norms) and all(one.scale >= _SCALE for one in some)


def _example(name: str, verdict: Verdict, code: str, scale: float | None, losses: float = 0.0, **told: Any) -> Example:
    """`losses`: how many times the loss is the mean square of the norms; as it is in the recording where 0."""
    facts: list[dict[str, Any]] = []
    for step in range(1, 11):
        norm = math.sqrt(16 * 2.0 * 0.98**step / losses) if losses else 4.0
        about = {"place": ["fit.py", 20], "norm": norm, "rows": 16, "scale": scale, "sens": None}
        facts.append({"fact": "inner", "step": step, **about, "unscaled": False, **told})
    files: dict[str, Any] = {"watch/pynative.jsonl": recording(more=facts)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=(code,))


EXAMPLES = [
    _example("a loss that goes with scaled gradients", Verdict.PROBLEM, "penalty-scaled", 1024.0, losses=10.0),
    _example("a scale that the step may divide out", Verdict.UNDECIDED, "penalty-open", 1024.0),
    _example("a scale that the scaler divides out", Verdict.OK, "penalty-unscaled", 1024.0, unscaled=True),
    _example("gradients without a scale", Verdict.OK, "penalty-clean", None),
    Example(
        "no gradient within the loss",
        files={"watch/pynative.jsonl": recording()},
        case={"watched": "watch"},
        verdict=Verdict.NOT_APPLICABLE,
        codes=("no-inner",),
    ),
]
