"""Sets the updates of a watched run against the weights that they change.

Update ratio = mean |change of a step| / mean |weight|, of each tensor of two dimensions and more that gets gradients, in the steps that are
looked at closely and whose learning rate is at least half of the highest one seen; the median counts. Catches rates that are far too
high or low for the weights, whatever makes them so: the rate itself, clipping, a loss scale, gradients that are summed or rounded away.
Told as suspect, since limits are rules of thumb, and as a problem only where weights are replaced at each step. Cannot tell small
updates of a rate that is still to rise, nor those that a compiled graph makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Kind, Level, Progress, Verdict, Where
from ..probe import Example
from . import _watched_networks, update_ratio
from ._watched_examples import recording
from ._watched_networks import Parameter, WatchedNetworks, _Optimizer

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: Annotated[
        str,
        Meta(
            pattern="^(ratio|rate)$",
            description="what the item is about: usual ratios do not tell that a rate is the best one",
            extra={"unit": "word", "source": "the items san.08 and hp.01"},
        ),
    ] = "ratio"
    most: Annotated[
        float,
        Meta(
            gt=0,
            description="a larger update ratio of most weights is suspect",
            extra={"unit": "1", "source": "TheDeepChecker, TOSEM 2022; MindSpore Insight's watchpoint: 0.1"},
        ),
    ] = 0.1
    replaced: Annotated[
        float,
        Meta(
            gt=0,
            description="a larger one of most weights is a problem",
            extra={"unit": "1", "source": "the value that MindSpore Insight recommends for its watchpoint: 1"},
        ),
    ] = 1.0
    least: Annotated[
        float,
        Meta(
            gt=0,
            description="a smaller one of most weights is suspect",
            extra={
                "unit": "1",
                "source": "own choice: a tenth of TheDeepChecker's (TOSEM 2022), as fine-tuning takes small rates on purpose",
            },
        ),
    ] = 1e-5
    steps: Annotated[
        int,
        Meta(ge=3, description="with fewer steps nothing is told", extra={"unit": "steps", "source": "own choice"}),
    ] = 5


MESSAGES: Words = {
    **{
        code: update_ratio.MESSAGES[code]
        for code in ("replaced", "too-large", "too-small", "some-large", "some-small", "fix-lower", "fix-higher")
    },
    **_watched_networks.MESSAGES,
    "examined": {
        "en": "Update ratios of {all:,} weights in {steps:,} steps of the watched training: {low:.2g} to {high:.2g}, median {middle:.2g}.",
        "zh": "{all:,} 个权重在所观察训练的 {steps:,} 步中的更新比：{low:.2g} 至 {high:.2g}，中位数 {middle:.2g}。",
    },
    "schedule-unknown": {
        "en": "The learning rate is not known, or was still rising when the watch ended: small updates may be due to a warm-up.",
        "zh": "学习率未知，或观察结束时仍在上升：更新偏小可能只是预热。",
    },
    "few-steps": {
        "en": "Updates of {kind} were examined in {steps:,} steps, too few to judge.",
        "zh": "只查看了 {kind} 的 {steps:,} 步更新，不足以判断。",
    },
}
WHY: Words = update_ratio.WHY
PROOF: Words = update_ratio.PROOF
WORDS: Words = {**_watched_networks.WORDS, **update_ratio.WORDS}
#: What watched_groups tells of a rate, where the loss does not fall.
_TOLD = ("replaced", "too-large", "some-large")
#: Of the highest rate seen, the least at which a step counts.
_HIGH = 0.5


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    seen = _watched_networks.seen(case)
    yield Progress(1, 1, "files")
    if not isinstance(seen, WatchedNetworks):
        yield Finding("no-steps", Level.INFO, Where(seen.path), {"path": seen.path}, incomplete=True)
        return
    for optimizer in seen.optimizers:
        yield from _of_optimizer(seen, optimizer, params)


def _of_optimizer(seen: WatchedNetworks, optimizer: _Optimizer, params: Params) -> Iterator[Finding]:
    rates = _rates(seen, optimizer.number)
    held = [seen.parameters[key] for key in optimizer.ids]
    chosen = [at for at, one in enumerate(held) if _counts(seen, one)]
    steps = _steps(seen, optimizer, chosen, rates)
    where = seen.watch.where(list(optimizer.place or []))
    if not chosen or len(steps) < params.steps:
        data = {"kind": optimizer.kind.rpartition(".")[2], "steps": len(steps)}
        yield Finding("few-steps", Level.INFO, where, data, incomplete=True)
        return
    weights = {"names": [held[at].path for at in chosen], "shapes": [held[at].shape for at in chosen]}
    limits = update_ratio.Params(most=params.most, replaced=params.replaced, least=params.least)
    for finding in update_ratio.judge(limits, weights, steps, None if _rises(rates) else 1.0):
        if params.about == "rate" and finding.code in _TOLD:
            continue
        open_still = finding.incomplete or (params.about == "rate" and finding.code == "examined")
        yield msgspec.structs.replace(finding, where=where, incomplete=open_still)


def _counts(seen: WatchedNetworks, one: Parameter) -> bool:
    """Whether it is a weight with a size of its own, that gets gradients."""
    return one.matrix and not one.zero and any(norm for _, _, norm in seen.norms.get(one.id, ()))


def _rates(seen: WatchedNetworks, number: int) -> dict[int, float]:
    """The highest rate in force of an optimizer by step; empty where it is not known."""
    prefix = f"opt{number}.lr" if number else "lr"
    found: dict[int, float] = {}
    for name, some in seen.watch.run.series.items():
        if name == prefix or name.startswith(f"{prefix}."):
            for step, rate in zip(some.steps.tolist(), some.values.tolist(), strict=True):
                found[step] = max(found.get(step, 0.0), rate)
    return found


def _rises(rates: dict[int, float]) -> bool:
    """Whether later rates may be higher than those seen."""
    values = list(rates.values())
    return not values or (values[-1] == max(values) and values[-1] > min(values))


def _steps(
    seen: WatchedNetworks, optimizer: _Optimizer, chosen: list[int], rates: dict[int, float]
) -> list[list[float | None]]:
    """The ratios of the chosen parameters by step, until one is not finite."""
    least = _HIGH * max(rates.values(), default=0.0)
    found: list[list[float | None]] = []
    for fact in seen.changes:
        if fact.optimizer != optimizer.number or rates.get(fact.step, least) < least:
            continue
        ratios = [_watched_networks.number(fact.ratios[at]) if at < len(fact.ratios) else None for at in chosen]
        if any(ratio is None or not ratio < float("inf") for ratio in ratios):
            break
        found.append(ratios)
    return found


def _example(name: str, verdict: Verdict, *codes: str, about: str = "ratio", **args: Any) -> Example:
    files: dict[str, Any] = {"watch/pynative.jsonl": recording(**args)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes, params={"about": about})


EXAMPLES = [
    _example("usual updates", Verdict.OK, "examined"),
    _example("usual updates of a rate", Verdict.UNDECIDED, "examined", about="rate"),
    _example("a rate with large updates", Verdict.UNDECIDED, "examined", about="rate", ratio=0.3),
    _example("a rate that moves nothing", Verdict.UNDECIDED, "too-small", about="rate", ratio=1e-7),
    _example("weights that are replaced", Verdict.PROBLEM, "replaced", ratio=2.0),
    _example("large updates", Verdict.UNDECIDED, "too-large", ratio=0.3),
    _example("updates that are next to nothing", Verdict.UNDECIDED, "too-small", ratio=1e-7),
    _example("too few steps", Verdict.UNDECIDED, "few-steps", steps=2),
]
