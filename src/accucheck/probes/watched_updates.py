"""Tells which parameters a watched training moved: of those that its optimizers hold, and of the network's others.

Catches, in the user's own training: an optimizer that moves nothing, weights that it holds and that get no gradient, weights of a
network in training that no optimizer holds, weights that design.frozen names and that move, and two optimizers that update the same
parameters in the same steps. Parameters are compared by identity, not by name, and changes by digests of all values. Cannot tell: what
happens after the watched steps, such as layers that are unfrozen later.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Verdict, Where
from ..probe import Example
from . import _watched_networks
from ._checkpoints import shown, table
from ._watched_examples import recording
from ._watched_networks import Parameter, Seen
from .frozen_weights import fits

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    steps: Annotated[
        int,
        Meta(
            ge=2,
            description="steps that must have been looked at before a gradient counts as always 0: what lies before a layer that starts "
            "at zero gets its gradient from the second on",
            extra={"unit": "steps", "source": "own choice"},
        ),
    ] = 5


MESSAGES: Words = {
    **_watched_networks.MESSAGES,
    "nothing-moves": {
        "en": "{kind} changed none of its {count:,} parameters in {steps:,} steps, though their gradients were not 0 and its learning rate "
        "was up to {rate:.3g}.",
        "zh": "{kind} 在 {steps:,} 步中没有改变其 {count:,} 个参数中的任何一个，而梯度不为 0，学习率最高为 {rate:.3g}。",
    },
    "no-gradient": {
        "en": "{count:,} of {all:,} parameters that the optimizers hold are not trained: {names}. Their layers run in training, and their "
        "gradient was missing or exactly 0 in all {steps:,} steps that were looked at.",
        "zh": "优化器持有的 {all:,} 个参数中有 {count:,} 个没有得到训练：{names}。它们所在的层参与了训练，但所查看的 {steps:,} 步中"
        "梯度缺失或始终恰为 0。",
    },
    "lost-updates": {
        "en": "{count:,} {count:weight has|weights have} gradients and {count:does|do} not change in {steps:,} steps: {names}. Either the "
        "updates are lost in rounding, or something writes the old values back.",
        "zh": "有 {count:,} 个权重有梯度，但在 {steps:,} 步中没有变化：{names}。可能是更新量淹没在舍入误差中，"
        "也可能有代码把旧值写了回去。",
    },
    "not-given": {
        "en": "{count:,} {count:parameter|parameters} of the network in training {count:has|have} requires_grad=True, but no optimizer "
        "holds {count:it|them}, and {count:it|they} did not change in {steps:,} steps: {names}.",
        "zh": "参与训练的网络中有 {count:,} 个参数的 requires_grad 为 True，但没有任何优化器持有它们，"
        "{steps:,} 步中也没有变化：{names}。",
    },
    "not-given-loaded": {
        "en": "No optimizer holds {count:,} {count:parameter|parameters} that a checkpoint was loaded into, that began as "
        "{count:a copy|copies} of trained ones, or whose layers were not called: {names}.",
        "zh": "有 {count:,} 个参数没有交给任何优化器：它们已从 checkpoint 加载、初值与受训练的参数相同，"
        "或所在的层未被调用：{names}。",
    },
    "moved-otherwise": {
        "en": "{count:,} {count:parameter|parameters} changed without an optimizer that holds {count:it|them}: {names}.",
        "zh": "有 {count:,} 个参数不在任何优化器中，但发生了变化：{names}。",
    },
    "frozen": {
        "en": "{count:,} {count:parameter is|parameters are} frozen (requires_grad=False) and {count:stays|stay} as {count:it is|they "
        "are}: {names}.",
        "zh": "有 {count:,} 个参数被冻结（requires_grad=False），没有变化：{names}。",
    },
    "frozen-random": {
        "en": "{count:,} {count:weight is|weights are} frozen (requires_grad=False) at random first values: {names}. No checkpoint was "
        "loaded into {count:it|them} in this run, and design.frozen does not name {count:it|them}.",
        "zh": "有 {count:,} 个权重在随机初值上被冻结（requires_grad=False）：{names}。本次运行没有为其加载 checkpoint，"
        "design.frozen 中也没有声明。",
    },
    "declared-moves": {
        "en": "design.frozen names {count:,} {count:parameter that changes|parameters that change} in the watched training: {names}.",
        "zh": "design.frozen 声明冻结的参数中有 {count:,} 个在所观察的训练中发生了变化：{names}。",
    },
    "in-two": {
        "en": "Two optimizers update the same {count:,} {count:parameter|parameters} in the same steps, all that {kind} number {optimizer} "
        "holds: {names}.",
        "zh": "两个优化器在相同的步中更新同样的 {count:,} 个参数，即第 {optimizer} 个优化器（{kind}）持有的全部参数：{names}。",
    },
    "shared-part": {
        "en": "Several optimizers hold {count:,} {count:parameter|parameters}: {names}.",
        "zh": "有 {count:,} 个参数同时在多个优化器中：{names}。",
    },
    "still": {
        "en": "{count:,} {count:parameter|parameters} did not change in {steps:,} steps: {names}. Their layers were not called, their "
        "learning rate or loss was 0, or they are scales and shifts with gradients next to 0.",
        "zh": "有 {count:,} 个参数在 {steps:,} 步中没有变化：{names}。它们所在的层未被调用，学习率或 loss 为 0，"
        "或者是梯度接近 0 的缩放、平移参数。",
    },
    "moved": {
        "en": "{moved:,} of {all:,} parameters that the optimizers hold changed in {steps:,} steps of the watched training.",
        "zh": "在所观察训练的 {steps:,} 步中，优化器持有的 {all:,} 个参数里有 {moved:,} 个发生了变化。",
    },
    "no-end": {
        "en": "The recording breaks off; whether parameters changed is known of the steps that were looked at only.",
        "zh": "记录中途中断，只能根据所查看的步判断参数是否变化。",
    },
    "fix-graph": {
        "en": "See cg.03 for where the gradient stops. Weights that are meant to stay: name them in design.frozen, and leave them out of "
        "the optimizer.",
        "zh": "梯度在何处中断见 cg.03。如果这些权重本应冻结，请写进 design.frozen，并且不要传给优化器。",
    },
    "fix-give": {
        "en": "Give the optimizer net.trainable_params() of the whole network; what is meant to stay gets requires_grad=False and a line "
        "in design.frozen.",
        "zh": "把整个网络的 net.trainable_params() 交给优化器；本应保持不变的参数请设 requires_grad=False，并写进 design.frozen。",
    },
    "fix-unfreeze": {
        "en": "Load trained weights before freezing, take requires_grad=False away, or name them in design.frozen.",
        "zh": "冻结之前先加载训练好的权重，或去掉 requires_grad=False；如果本应如此，请写进 design.frozen。",
    },
    "fix-part": {
        "en": "Give each optimizer the parameters of its own network.",
        "zh": "每个优化器只传入各自网络的参数。",
    },
    "fix-rounding": {
        "en": "Keep weights in float32 where updates are small (mp.02), and look for set_data, assign and load_param_into_net in the loop.",
        "zh": "更新量很小时权重应保持 float32（mp.02），并检查循环中是否有 set_data、assign、load_param_into_net。",
    },
    "fix-frozen": {
        "en": "Set requires_grad=False before the optimizer is made, or take them out of design.frozen.",
        "zh": "在创建优化器之前设置 requires_grad=False，或从 design.frozen 中去掉。",
    },
}
_STILL = {
    "en": "What does not move keeps its random first values, and the rest of the network must get along with them.",
    "zh": "不更新的参数停留在随机初值，网络的其余部分只能迁就它们。",
}
WHY: Words = dict.fromkeys(("nothing-moves", "no-gradient", "lost-updates", "not-given", "frozen-random"), _STILL) | {
    "in-two": {
        "en": "Each of the two losses pulls the parameters its way; in a GAN the discriminator learns to please the generator.",
        "zh": "两个 loss 各自拉动同一组参数；在 GAN 中，判别器会被训练成迎合生成器。",
    },
    "declared-moves": {
        "en": "Weights that were to be kept drift away from what was loaded into them.",
        "zh": "本应保留的权重会逐渐偏离加载的值。",
    },
}
_AGAIN = {
    "en": "Watch again after the change; the table of what moved tells each parameter.",
    "zh": "修改后再次运行 accucheck watch，表中列出每个参数是否变化。",
}
PROOF: Words = dict.fromkeys(WHY, _AGAIN)
WORDS: Words = {
    **_watched_networks.WORDS,
    "parameters": {"en": "Parameters", "zh": "参数"},
    "all": {"en": "Parameters and their updates", "zh": "参数及其更新"},
    "changed": {"en": "Changed", "zh": "有变化"},
    "ratio": {"en": "Largest update ratio", "zh": "最大更新比"},
    "gradient": {"en": "Largest gradient norm", "zh": "最大梯度范数"},
}
_COLUMNS = ["parameter", "shape", "kind", "place"]
#: What reading the scripts says of weights that are not trained, and that the run proves wrong: where all moved.
FROZEN = [
    *("all-frozen", "nothing-trained", "part-cut-off", "part-cut-off-loaded", "random-frozen", "head-frozen"),
    "unfreezes-nothing",
]


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    seen = _watched_networks.seen(case)
    if isinstance(seen, Seen):
        yield from _Updates(seen, params, case.spec.design.frozen).judge()
    else:
        yield Finding("no-steps", Level.INFO, Where(seen.path), {"path": seen.path}, incomplete=True)


class _Updates:
    def __init__(self, seen: Seen, params: Params, frozen: list[str]) -> None:
        self.seen, self.params, self.frozen = seen, params, frozen
        self.steps = seen.watch.steps
        parameters = seen.parameters.values()
        self.held = [one for one in parameters if one.optimizers]
        self.others = [one for one in parameters if not one.optimizers and one.network in seen.trained]
        #: The largest update ratio and gradient norm of each parameter.
        self.ratios: dict[int, float] = {}
        ids = {one.number: one.ids for one in seen.optimizers}
        for fact in seen.changes:
            for key, ratio in zip(ids.get(fact.optimizer, ()), fact.ratios, strict=False):
                self.ratios[key] = max(self.ratios.get(key, 0.0), _watched_networks.number(ratio) or 0.0)
        self.norms = {key: max((norm or 0.0 for _, _, norm in some), default=0.0) for key, some in seen.norms.items()}
        self.called = {(call.network, call.name) for one in seen.passes if one.training for call in seen.calls(one)}
        loaded = [key for fact in seen.watch.facts("taken") for key in fact.get("ids", ())]
        self.loaded = {*loaded}

    def judge(self) -> Iterator[Finding]:
        parts = [self._still(), self._others(), self._declared(), self._twice()]
        for part in parts:
            yield from part
        if not self.seen.end.digests:
            yield Finding(
                "no-end", Level.INFO, self.seen.watch.where(), incomplete=self.seen.watch.steps < self.params.steps
            )
        moved = [one for one in self.held if self.moved(one)]
        data = {"moved": len(moved), "all": len(self.held), "steps": self.steps}
        everything = all(self.moved(one) for one in self.held if one.matrix) and not any(map(self._dead, self.held))
        lone = [one for one in self.others if one.trained and one.matrix]
        refutes = [Refutes("frozen_weights_script", FROZEN)] if moved and everything and not lone else []
        rows: list[list[Plain]] = [
            [one.path, one.size, self.moved(one), self.ratios.get(one.id), self.norms.get(one.id)]
            for one in (*self.held, *self.others)
        ]
        evidence = [table("all", ["parameter", "shape", "changed", "ratio", "gradient"], rows)]
        yield Finding("moved", Level.INFO, self.seen.watch.where(), data, [*evidence], refutes=refutes)

    def moved(self, one: Parameter) -> bool:
        if one.start and one.end:
            return one.start != one.end
        return self.ratios.get(one.id, 0.0) > 0

    def _dead(self, one: Parameter) -> bool:
        """Whether its gradient was missing or 0 in all of enough steps."""
        norms = self.seen.norms.get(one.id, [])
        return len(norms) >= self.params.steps and not any(norm for _, _, norm in norms)

    def _meant(self, one: Parameter) -> bool:
        return any(fits(one.path, pattern) for pattern in self.frozen)

    def _idle(self, one: Parameter) -> bool:
        """Whether its gradient is 0 for a reason that lies elsewhere: its layer is not called, or the loss is 0."""
        if one.network >= 0 and (one.network, one.layer) not in self.called:
            return True
        losses = [
            self.seen.watch.run.series.get(f"opt{number}.loss" if number else "loss") for number in one.optimizers
        ]
        return any(some is not None and len(some.values) and not some.values.any() for some in losses)

    def _still(self) -> Iterator[Finding]:
        """What optimizers hold and do not train."""
        stuck: set[int] = set()
        for optimizer in self.seen.optimizers:
            mine = [self.seen.parameters[key] for key in optimizer.ids]
            rate = self._rate(optimizer.number)
            pulled = any(self.norms.get(one.id) for one in mine)
            if mine and rate and pulled and self.steps >= self.params.steps and not any(map(self.moved, mine)):
                stuck.update(optimizer.ids)
                kind = optimizer.kind.rpartition(".")[2]
                yield self._told(
                    "nothing-moves", Level.PROBLEM, mine, "fix-rounding", optimizer.place, kind=kind, rate=rate
                )
        rest = [one for one in self.held if one.id not in stuck and not self._meant(one)]
        dead = [one for one in rest if self._dead(one) and not self._idle(one)]
        alive = {(one.network, one.layer) for one in rest if not self._dead(one)}
        cut = [one for one in dead if (one.network, one.layer) not in alive]
        cut = cut if any(one.matrix for one in cut) else []
        if cut:
            looked = min(len(self.seen.norms[one.id]) for one in cut)
            yield self._told("no-gradient", Level.SUSPECT, cut, "fix-graph", all=len(self.held), steps=looked)
        quiet = [one for one in rest if one not in cut and not self.moved(one)]
        lost = [one for one in quiet if one.matrix and self.norms.get(one.id) and self._rates_of(one)]
        lost = lost if self.steps >= self.params.steps else []
        if lost:
            yield self._told("lost-updates", Level.SUSPECT, lost, "fix-rounding")
        if left := [one for one in quiet if one not in lost]:
            yield self._told("still", Level.INFO, left)

    def _rate(self, number: int) -> float:
        """The highest learning rate of an optimizer, of several groups that of the lowest one; 0 where it is not known."""
        prefix = f"opt{number}.lr" if number else "lr"
        series = self.seen.watch.run.series.items()
        rates = [some.values for name, some in series if name == prefix or name.startswith(f"{prefix}.")]
        return min((float(some.max()) for some in rates if len(some)), default=0.0)

    def _rates_of(self, one: Parameter) -> bool:
        return any(self._rate(number) > 0 for number in one.optimizers)

    def _others(self) -> Iterator[Finding]:
        """What no optimizer holds."""
        if not self.seen.optimizers:
            return
        frozen = [one for one in self.others if not one.trained and not self.moved(one) and not self._statistic(one)]
        random = [one for one in frozen if one.matrix and not self._known(one) and not self._meant(one)]
        random = [one for one in random if one.kind.startswith("mindspore.") and not one.constant]
        if random:
            yield self._told("frozen-random", Level.SUSPECT, random, "fix-unfreeze")
        if kept := [one for one in frozen if one not in random]:
            yield self._told("frozen", Level.INFO, kept)
        free = [one for one in self.others if one.trained and not self._meant(one)]
        if elsewhere := [one for one in free if self.moved(one)]:
            yield self._told("moved-otherwise", Level.INFO, elsewhere)
        left = [one for one in free if one not in elsewhere]
        # Scales and shifts all begin alike, so that those of a copy are known by its weights.
        copied = any(self._known(one) for one in left if one.matrix)
        lacking = [one for one in left if not (copied and one.constant) and not self._known(one)]
        if lacking:
            place = self.seen.optimizers[0].place
            yield self._told("not-given", Level.SUSPECT, lacking, "fix-give", place)
        if rest := [one for one in left if one not in lacking]:
            yield self._told("not-given-loaded", Level.INFO, rest)

    def _statistic(self, one: Parameter) -> bool:
        """Whether its layer keeps it up by itself: what is not trained in one that the mode changes, as the means of BatchNorm."""
        return one.network in self.seen.networks and one.layer in self.seen.networks[one.network].modes

    def _known(self, one: Parameter) -> bool:
        """Whether a parameter need not be trained: it was loaded, is a copy of a trained one, as in a target network, or never runs."""
        copy = not one.constant and one.start in {held.start for held in self.held}
        return one.id in self.loaded or copy or (one.network, one.layer) not in self.called

    def _declared(self) -> Iterator[Finding]:
        known = [one for one in self.held if one.start and one.end]
        if moving := [one for one in known if self._meant(one) and self.moved(one)]:
            yield self._told("declared-moves", Level.PROBLEM, moving, "fix-frozen")

    def _twice(self) -> Iterator[Finding]:
        """Parameters that several optimizers hold, which update them in the same steps."""
        some = [one for one in self.held if len({*one.optimizers}) > 1]
        if not some:
            return
        ids = {one.id for one in some}
        active = {
            one.number: {fact.step for fact in self.seen.gradients if fact.optimizer == one.number}
            for one in self.seen.optimizers
        }
        whole = [one for one in self.seen.optimizers if {*one.ids} <= ids]
        for inner in whole[-1:]:
            beside = {number for key in inner.ids for number in self.seen.parameters[key].optimizers} - {inner.number}
            if any(len(active[inner.number] & active[number]) > 1 for number in beside):
                data = {"kind": inner.kind.rpartition(".")[2], "optimizer": inner.number}
                mine = [self.seen.parameters[key] for key in inner.ids]
                yield self._told("in-two", Level.SUSPECT, mine, "fix-part", inner.place, **data)
                return
        yield self._told("shared-part", Level.INFO, some)

    def _told(
        self, code: str, level: Level, some: list[Parameter], fix: str | None = None, place: Any = None, **data: Any
    ) -> Finding:
        data = {"count": len(some), "names": shown(one.path for one in some), "steps": self.steps} | data
        made = place or next((one.place for one in some if one.place), None)
        where = self.seen.watch.where(list(made or []), name=some[0].path)
        evidence: list[Evidence] = [table("parameters", _COLUMNS, [_watched_networks.row(one) for one in some])]
        return Finding(code, level, where, data, evidence, Fix(fix) if fix else None)


def _example(
    name: str, verdict: Verdict, *codes: str, frozen_by_design: list[str] | None = None, **args: Any
) -> Example:
    case: dict[str, Any] = {"watched": "watch"}
    if frozen_by_design:
        case["design"] = {"frozen": frozen_by_design}
    return Example(name, files={"watch/pynative.jsonl": recording(**args)}, case=case, verdict=verdict, codes=codes)


_FIRST, _NORM = ("first.weight", "first.bias"), ("norm.gamma", "norm.beta")
_REST = ("second.weight", "second.bias", "head.weight", "head.bias")
_EVERY = (*_FIRST, *_NORM, *_REST)
EXAMPLES = [
    _example("all parameters move", Verdict.OK, "moved"),
    _example("nothing moves", Verdict.PROBLEM, "nothing-moves", still=_EVERY),
    _example("a layer without a gradient", Verdict.UNDECIDED, "no-gradient", norms={"first": 0.0}, still=_FIRST),
    _example(
        *("a layer without a gradient, by design", Verdict.OK, "moved"),
        norms={"first": 0.0},
        still=_FIRST,
        frozen_by_design=["first.*"],
    ),
    _example("a layer that is not called", Verdict.OK, "still", norms={"first": 0.0}, still=_FIRST, idle=("first",)),
    _example("a layer that the optimizer is not given", Verdict.UNDECIDED, "not-given", groups=[(*_NORM, *_REST)]),
    _example(
        *("a layer that is loaded and not given", Verdict.OK, "not-given-loaded"),
        groups=[(*_NORM, *_REST)],
        more=[{"fact": "taken", "place": ["train.py", 9], "ids": [1, 2], "not_loaded": [], "not_used": [], "of": 9}],
    ),
    _example(
        *("a layer frozen at random values", Verdict.UNDECIDED, "frozen-random"),
        groups=[(*_NORM, *_REST)],
        frozen=_FIRST,
        still=_FIRST,
    ),
    _example(
        *("a layer that is frozen by design", Verdict.OK, "frozen"),
        groups=[(*_NORM, *_REST)],
        frozen=_FIRST,
        still=_FIRST,
        frozen_by_design=["first.*"],
    ),
    _example("scales that the optimizer is not given", Verdict.UNDECIDED, "not-given", groups=[(*_FIRST, *_REST)]),
    _example("frozen by design, and moving", Verdict.PROBLEM, "declared-moves", frozen_by_design=["first.weight"]),
    _example("two optimizers with parts", Verdict.OK, "moved", groups=[(*_FIRST, *_NORM), _REST]),
    _example("two optimizers for the same", Verdict.UNDECIDED, "in-two", groups=[_EVERY, _EVERY]),
    _example(
        "a part that two optimizers share", Verdict.OK, "shared-part", groups=[(*_FIRST, *_NORM), (*_NORM, *_REST)]
    ),
    _example("weights whose updates are lost", Verdict.UNDECIDED, "lost-updates", still=("second.weight",)),
]
