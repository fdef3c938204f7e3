"""Tells which parameters a watched training moved: of those that its optimizers hold, and of the network's others.

Catches, in the user's own training: an optimizer that moves nothing, weights that it holds and that get no gradient, weights of a
network in training that no optimizer holds, weights that design.frozen names and that move, gradients that are taken for those of other
parameters, two optimizers that update the same parameters in the same steps, and an average of the weights that is evaluated and never
follows them. Parameters are compared by identity, not by name, and changes by digests of all values. Cannot tell: what happens after the
watched steps, such as layers that are unfrozen later.
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
from . import _watched, _watched_networks
from ._checkpoints import shown, table
from ._watched_examples import recording
from ._watched_networks import Parameter, WatchedNetworks
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
        "en": "{kind} changed none of its {count:,} parameters in {steps:,} steps, although their gradients were not 0 and its "
        "learning rate was up to {rate:.3g}.",
        "zh": "{kind} 在 {steps:,} 步中没有改变其 {count:,} 个参数中的任何一个，而梯度不为 0，学习率最高为 {rate:.3g}。",
    },
    "no-gradient": {
        "en": "{count:,} of {all:,} parameters that the optimizers hold are not trained: {names}. Their layers run in training, and "
        "their gradient was missing or exactly 0 in {steps:the one step|all {steps:,} steps} examined.",
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
        "en": "{count:,} {count:weight is|weights are} frozen (requires_grad=False) at random initial values: {names}. No checkpoint "
        "was loaded into {count:it|them} in this run, and design.frozen does not list {count:it|them}.",
        "zh": "有 {count:,} 个权重在随机初值上被冻结（requires_grad=False）：{names}。本次运行没有为其加载 checkpoint，"
        "design.frozen 中也没有声明。",
    },
    "declared-moves": {
        "en": "design.frozen names {count:,} {count:parameter that changes|parameters that change} in the watched training: {names}.",
        "zh": "design.frozen 声明冻结的参数中有 {count:,} 个在所观察的训练中发生了变化：{names}。",
    },
    "crossed": {
        "en": "In step {step}, {kind} updates {count:,} {count:parameter|parameters} with the gradient of a different one: {pairs}. "
        "The gradients are not in the order of the optimizer's parameters.",
        "zh": "第 {step} 步中，{kind} 用其他参数的梯度更新了 {count:,} 个参数：{pairs}。传入梯度的顺序与优化器中参数的顺序不一致。",
    },
    "turned": {
        "en": "In all {looked:,} updates examined, {kind} receives the gradients of the loss with the opposite sign ({share:.4g} times "
        "what was computed), and the loss is {form} of outputs and labels: each step increases it.",
        "zh": "在查看的全部 {looked:,} 次更新中，传给 {kind} 的梯度与计算得到的符号相反（{share:.4g} 倍），"
        "而 loss 是输出与标签的{form}：每一步都在使它增大。",
    },
    "turned-perhaps": {
        "en": "In all {looked:,} updates examined, {kind} receives the gradients with the opposite sign ({share:.4g} times what was "
        "computed): each step increases the differentiated value. That is right for an objective to be maximised, not for a loss.",
        "zh": "在查看的全部 {looked:,} 次更新中，传给 {kind} 的梯度与计算得到的符号相反（{share:.4g} 倍）：每一步都在使求梯度的值增大。"
        "只有最大化某个目标时才应如此，loss 则不应。",
    },
    "in-two": {
        "en": "Two optimizers update the same {count:,} {count:parameter|parameters} in the same steps, all that {kind} number {optimizer} "
        "holds: {names}.",
        "zh": "两个优化器在相同的步中更新同样的 {count:,} 个参数，即第 {optimizer} 个优化器（{kind}）持有的全部参数：{names}。",
    },
    "evaluated-still": {
        "en": "The network {network} that is evaluated here after {steps:,} {steps:step|steps} still has the values that the trained "
        "one started with, in all {count:,} {count:parameter|parameters} that training has changed since: {names}.",
        "zh": "第 {steps:,} 步之后在此处评估的网络 {network} 仍是训练开始时的权重："
        "训练已改变的 {count:,} 个参数在其中都没有变化：{names}。",
    },
    "shared-part": {
        "en": "Several optimizers hold {count:,} {count:parameter|parameters}: {names}.",
        "zh": "有 {count:,} 个参数同时在多个优化器中：{names}。",
    },
    "still": {
        "en": "{count:,} {count:parameter|parameters} did not change in {steps:,} steps: {names}. Their layers were not called, their "
        "learning rate or loss was 0, or they are scales and shifts with gradients close to 0.",
        "zh": "有 {count:,} 个参数在 {steps:,} 步中没有变化：{names}。它们所在的层未被调用，学习率或 loss 为 0，"
        "或者是梯度接近 0 的缩放、平移参数。",
    },
    "moved": {
        "en": "{moved:,} of {all:,} parameters that the optimizers hold changed in {steps:,} steps of the watched training.",
        "zh": "在所观察训练的 {steps:,} 步中，优化器持有的 {all:,} 个参数里有 {moved:,} 个发生了变化。",
    },
    "no-end": {
        "en": "The recording breaks off; whether parameters changed is known only for the examined steps.",
        "zh": "记录中途中断，只能根据所查看的步判断参数是否变化。",
    },
    "fix-graph": {
        "en": "See cg.03 for where the gradient stops. List weights that should stay fixed in design.frozen, and leave them out of the "
        "optimizer.",
        "zh": "梯度在何处中断见 cg.03。如果这些权重本应冻结，请写进 design.frozen，并且不要传给优化器。",
    },
    "fix-give": {
        "en": "Pass net.trainable_params() of the whole network to the optimizer; set requires_grad=False on weights that should stay "
        "fixed, and list them in design.frozen.",
        "zh": "把整个网络的 net.trainable_params() 交给优化器；本应保持不变的参数请设 requires_grad=False，并写进 design.frozen。",
    },
    "fix-unfreeze": {
        "en": "Load trained weights before freezing, remove requires_grad=False, or name them in design.frozen.",
        "zh": "冻结之前先加载训练好的权重，或去掉 requires_grad=False；如果本应如此，请写进 design.frozen。",
    },
    "fix-sign": {
        "en": "Pass the gradients to the optimizer unchanged: it steps against them itself.",
        "zh": "把梯度原样传给优化器：优化器自己会沿梯度的反方向更新。",
    },
    "fix-order": {
        "en": "Compute the gradients of optimizer.parameters: parameter groups change the order.",
        "zh": "对 optimizer.parameters 求梯度：参数分组会改变参数的顺序。",
    },
    "fix-part": {
        "en": "Pass the parameters of its own network to each optimizer.",
        "zh": "每个优化器只传入各自网络的参数。",
    },
    "fix-follow": {
        "en": "Write the average back after each update: parameter.set_data(...) or ops.assign(parameter, ...); a name that is bound again "
        "changes no parameter.",
        "zh": "每次更新之后把平均值写回参数：parameter.set_data(...) 或 ops.assign(parameter, ...)；给变量重新赋值不会改变参数。",
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
    "en": "Weights that do not move keep their random initial values, and the rest of the network has to cope with them.",
    "zh": "不更新的参数停留在随机初值，网络的其余部分只能迁就它们。",
}
_AWAY = {
    "en": "Training moves away from its goal: the longer it runs, the worse the network gets.",
    "zh": "训练朝着与目标相反的方向进行，运行越久网络越差。",
}
WHY: Words = dict.fromkeys(("nothing-moves", "no-gradient", "lost-updates", "not-given", "frozen-random"), _STILL) | {
    "evaluated-still": {
        "en": "The metric is that of an untrained network, however long training runs; so is the saved checkpoint.",
        "zh": "无论训练多久，指标都是未经训练的网络的；由它保存的权重也是如此。",
    },
    "crossed": {
        "en": "As far as the loss is concerned, these parameters move at random.",
        "zh": "对 loss 而言，这些参数相当于在随机移动。",
    },
    **dict.fromkeys(("turned", "turned-perhaps"), _AWAY),
    "in-two": {
        "en": "Each of the two losses pulls the parameters its way; in a GAN the discriminator learns to please the generator.",
        "zh": "两个 loss 各自拉动同一组参数；在 GAN 中，判别器会被训练成迎合生成器。",
    },
    "declared-moves": {
        "en": "Weights that should stay fixed drift away from the loaded values.",
        "zh": "本应保留的权重会逐渐偏离加载的值。",
    },
}
_AGAIN = {
    "en": "Watch again after the fix; the table of changes lists every parameter.",
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
#: An evaluation comes once in so many steps at most; a teacher, or a target network, runs in each.
_SELDOM = 3
#: What reading the scripts says of weights that are not trained, and that the run proves wrong: where all moved.
FROZEN = [
    *("all-frozen", "nothing-trained", "part-cut-off", "part-cut-off-loaded", "random-frozen", "head-frozen"),
    *(
        "unfreezes-nothing",
        "made-frozen-loaded",
        "gradients-dropped",
        "computed-before",
        "layers-unheld",
        "optimizer-part",
    ),
]
#: The same of weights that no optimizer has.
LEFT_OUT = ["left-out", "left-out-maybe", "added-later", "list-forgotten"]


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    seen = _watched_networks.seen(case)
    if isinstance(seen, WatchedNetworks):
        yield from _Updates(seen, params, case.spec.design.frozen).judge()
    else:
        yield Finding("no-steps", Level.INFO, Where(seen.path), {"path": seen.path}, incomplete=True)


class _Updates:
    def __init__(self, seen: WatchedNetworks, params: Params, frozen: list[str]) -> None:
        self.seen, self.params, self.frozen = seen, params, frozen
        self.steps = seen.watch.steps
        parameters = seen.parameters.values()
        self.held = [one for one in parameters if one.optimizers]
        self.others = [one for one in parameters if not one.optimizers and one.network in seen.trained]
        #: The largest update ratio and gradient norm of each parameter.
        self.ratios = _largest(seen)
        self.norms = {key: max((norm or 0.0 for _, _, norm in some), default=0.0) for key, some in seen.norms.items()}
        self.called = {(call.network, call.name) for one in seen.passes if one.training for call in seen.calls(one)}
        self.loaded = _watched_networks.loaded(seen)
        self.starts = {one.start for one in self.held}

    def judge(self) -> Iterator[Finding]:
        parts = [self._still(), self._others(), self._declared(), self._crossed(), self._turned(), self._twice()]
        for part in (*parts, self._evaluated()):
            yield from part
        if not self.seen.end.digests:
            yield Finding(
                "no-end", Level.INFO, self.seen.watch.where(), incomplete=self.seen.watch.steps < self.params.steps
            )
        moved = [one for one in self.held if self.moved(one)]
        data = {"moved": len(moved), "all": len(self.held), "steps": self.steps}
        everything = all(self.moved(one) for one in self.held if one.matrix) and not any(map(self._dead, self.held))
        refutes = self._refuted() if moved and everything else []
        rows: list[list[Plain]] = [
            [one.path, one.size, self.moved(one), self.ratios.get(one.id), self.norms.get(one.id)]
            for one in (*self.held, *self.others)
        ]
        evidence = [table("all", ["parameter", "shape", "changed", "ratio", "gradient"], rows)]
        yield Finding("moved", Level.INFO, self.seen.watch.where(), data, [*evidence], refutes=refutes)

    def _refuted(self) -> list[Refutes]:
        """What reading the scripts says of weights that are left as they are, where no weight is."""
        left = [one for one in self.others if one.matrix and not self.moved(one)]
        if any(one.trained for one in left):
            return []
        held = [Refutes("optimizer_parameters", LEFT_OUT)]
        return held if any(not self._known(one) for one in left) else [Refutes("frozen_weights_script", FROZEN), *held]

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
        losses = [self.seen.series(number, "loss") for number in one.optimizers]
        return any(some is not None and len(some.values) and not some.values.any() for some in losses)

    def _still(self) -> Iterator[Finding]:
        """What optimizers hold and do not train."""
        stuck = [one for one in self.seen.optimizers if self._moves_nothing(one)]
        for one in stuck:
            data = {"kind": one.kind.rpartition(".")[2], "rate": self._rate(one.number)}
            mine = [self.seen.parameters[key] for key in one.ids]
            yield self._told("nothing-moves", Level.PROBLEM, mine, "fix-rounding", one.place, **data)
        told = {key for one in stuck for key in one.ids}
        rest = [one for one in self.held if one.id not in told and not self._meant(one)]
        cut = self._cut_off(rest)
        if cut:
            looked = min(len(self.seen.norms[one.id]) for one in cut)
            yield self._told("no-gradient", Level.SUSPECT, cut, "fix-graph", all=len(self.held), steps=looked)
        yield from self._unmoved([one for one in rest if one not in cut and not self.moved(one)])

    def _unmoved(self, quiet: list[Parameter]) -> Iterator[Finding]:
        """What did not change, though gradients may have reached it."""
        lost = [one for one in quiet if self._is_lost(one)]
        if lost:
            yield self._told("lost-updates", Level.SUSPECT, lost, "fix-rounding")
        left = [one for one in quiet if one not in lost]
        if left:
            yield self._told("still", Level.INFO, left)

    def _moves_nothing(self, optimizer: Any) -> bool:
        """Whether an optimizer changes none of its parameters, though it has gradients and a rate."""
        mine = [self.seen.parameters[key] for key in optimizer.ids]
        pulled = any(self.norms.get(one.id) for one in mine)
        long = self.steps >= self.params.steps
        return pulled and long and self._rate(optimizer.number) > 0 and not any(map(self.moved, mine))

    def _cut_off(self, some: list[Parameter]) -> list[Parameter]:
        """The parameters of layers that run and none of whose parameters gets a gradient; none where these are scales and shifts alone."""
        alive = {(one.network, one.layer) for one in some if not self._dead(one)}
        dead = [
            one for one in some if self._dead(one) and (one.network, one.layer) not in alive and not self._idle(one)
        ]
        return dead if any(one.matrix for one in dead) else []

    def _is_lost(self, one: Parameter) -> bool:
        """Whether a weight that did not change has a gradient and a rate."""
        long = self.steps >= self.params.steps
        return long and one.matrix and bool(self.norms.get(one.id)) and any(map(self._rate, one.optimizers))

    def _rate(self, number: int) -> float:
        """The highest learning rate of an optimizer, of several groups that of the lowest one; 0 where it is not known."""
        prefix = f"opt{number}.lr" if number else "lr"
        series = self.seen.watch.run.series.items()
        rates = [some.values for name, some in series if name == prefix or name.startswith(f"{prefix}.")]
        return min((float(some.max()) for some in rates if len(some)), default=0.0)

    def _others(self) -> Iterator[Finding]:
        """What no optimizer holds."""
        if not self.seen.optimizers:
            return
        # Scales and shifts all begin alike, so that those of a copy are known by its weights.
        copied = any(one.trained and one.matrix and self._known(one) for one in self.others)
        groups: dict[str, list[Parameter]] = {}
        for one in self.others:
            groups.setdefault(self._frozen(one) if not one.trained else self._free(one, copied), []).append(one)
        place = self.seen.optimizers[0].place
        for code, level, fix, made in (
            ("frozen-random", Level.SUSPECT, "fix-unfreeze", None),
            ("frozen", Level.INFO, None, None),
            ("moved-otherwise", Level.INFO, None, None),
            ("not-given", Level.SUSPECT, "fix-give", place),
            ("not-given-loaded", Level.INFO, None, None),
        ):
            if some := groups.get(code):
                yield self._told(code, level, some, fix, made)

    def _frozen(self, one: Parameter) -> str:
        """What a parameter is that has requires_grad=False; "" for what its layer keeps up by itself, as the means of BatchNorm."""
        network = self.seen.networks.get(one.network)
        if self.moved(one) or (network is not None and one.layer in network.modes):
            return ""
        settled = self._known(one) or self._meant(one) or one.constant
        return "frozen-random" if one.matrix and one.kind.startswith("mindspore.") and not settled else "frozen"

    def _free(self, one: Parameter, copied: bool) -> str:
        """What a parameter is that has requires_grad=True."""
        if self._meant(one):
            return ""
        if self.moved(one):
            return "moved-otherwise"
        return "not-given-loaded" if self._known(one) or (copied and one.constant) else "not-given"

    def _known(self, one: Parameter) -> bool:
        """Whether a parameter need not be trained: it was loaded, is a copy of a trained one, as in a target network, or never runs."""
        copy = not one.constant and one.start in self.starts
        return copy or one.id in self.loaded or (one.network, one.layer) not in self.called

    def _declared(self) -> Iterator[Finding]:
        known = [one for one in self.held if one.start and one.end]
        if moving := [one for one in known if self._meant(one) and self.moved(one)]:
            yield self._told("declared-moves", Level.PROBLEM, moving, "fix-frozen")

    def _crossed(self) -> Iterator[Finding]:
        """Gradients that an optimizer takes for those of other parameters."""
        known = {one.number: one for one in self.seen.optimizers}
        parameters = self.seen.parameters
        for fact in self.seen.watch.facts("crossed"):
            optimizer = known.get(fact.get("optimizer", -1))
            pairs = [[parameters[key] for key in pair if key in parameters] for pair in fact.get("pairs") or ()]
            pairs = [pair for pair in pairs if len(pair) == 2]
            if optimizer is not None and pairs:
                told = shown(f"{one.path} ← {other.path}" for one, other in pairs)
                data = {
                    "step": fact["step"],
                    "kind": optimizer.kind.rpartition(".")[2],
                    "count": fact["count"],
                    "pairs": told,
                }
                yield self._told(
                    "crossed", Level.PROBLEM, [one for one, _ in pairs], "fix-order", optimizer.place, **data
                )

    def _turned(self) -> Iterator[Finding]:
        """Optimizers that are given gradients with their sign turned."""
        watch = self.seen.watch
        for optimizer in self.seen.optimizers:
            told = [
                one for one in watch.facts("gradients") if one.get("optimizer") == optimizer.number and "share" in one
            ]
            shares = [_watched_networks.number(one.get("share")) for one in told]
            if len(shares) < self.params.steps or not all(share is not None and share < 0 for share in shares):
                continue
            form = _watched.loss_form(watch) if len(self.seen.optimizers) == 1 else None
            mine = [self.seen.parameters[key] for key in optimizer.ids if key in self.seen.parameters]
            data = {"kind": optimizer.kind.rpartition(".")[2], "looked": len(shares), "share": shares[-1], "form": form}
            code, level = ("turned", Level.PROBLEM) if form else ("turned-perhaps", Level.SUSPECT)
            yield self._told(code, level, mine, "fix-sign", optimizer.place, **data)

    def _twice(self) -> Iterator[Finding]:
        """Parameters that several optimizers hold, which update them in the same steps."""
        some = [one for one in self.held if len({*one.optimizers}) > 1]
        if not some:
            return
        ids = {one.id for one in some}
        whole = [one for one in self.seen.optimizers if {*one.ids} <= ids and self._beside(one)]
        if whole:
            inner = whole[-1]
            mine = [self.seen.parameters[key] for key in inner.ids]
            data = {"kind": inner.kind.rpartition(".")[2], "optimizer": inner.number}
            yield self._told("in-two", Level.SUSPECT, mine, "fix-part", inner.place, **data)
        else:
            yield self._told("shared-part", Level.INFO, some)

    def _evaluated(self) -> Iterator[Finding]:
        """Networks that only inference runs, and that still hold what the trained one began with: averages that do not follow it."""
        began = {one.path: one for one in self.held if one.matrix and one.start and self.moved(one)}
        for number, network in self.seen.networks.items():
            late = self._late(number)
            if late is not None and began and self._holds(network, began):
                data = {"network": network.kind.rpartition(".")[2], "steps": late.step}
                yield self._told("evaluated-still", Level.SUSPECT, [*began.values()], "fix-follow", late.place, **data)

    def _late(self, number: int) -> Any:
        """The last pass of a network that is evaluated now and then, where that comes late enough; None where it takes part in training."""
        ran = [one for one in self.seen.passes if number in one.networks]
        late = [one for one in ran if one.step >= self.params.steps]
        seldom = _SELDOM * len({one.step for one in ran}) <= self.steps
        return late[-1] if late and seldom and number not in self.seen.trained else None

    def _holds(self, network: Any, began: dict[str, Parameter]) -> bool:
        """Whether a network with parameters of its own holds at the end what others began with."""
        end = self.seen.end.networks.get(str(network.number))
        digests = end.digests if end is not None else [one.digest for one in network.parameters]
        mine = {one.path: digest for one, digest in zip(network.parameters, digests, strict=False)}
        apart = not {one.id for one in self.held} & {one.id for one in network.parameters}
        return apart and all(mine.get(path) == one.start for path, one in began.items())

    def _beside(self, inner: Any) -> bool:
        """Whether another optimizer updates parameters of one in the same steps."""
        steps: dict[int, set[int]] = {}
        for fact in self.seen.gradients:
            steps.setdefault(fact.optimizer, set()).add(fact.step)
        mine = steps.get(inner.number, set())
        others = {number for key in inner.ids for number in self.seen.parameters[key].optimizers} - {inner.number}
        return any(len(mine & steps.get(number, set())) > 1 for number in others)

    def _told(
        self, code: str, level: Level, some: list[Parameter], fix: str | None = None, place: Any = None, **data: Any
    ) -> Finding:
        data = {"count": len(some), "names": shown(one.path for one in some), "steps": self.steps} | data
        made = place or next((one.place for one in some if one.place), None)
        where = self.seen.watch.where(list(made or []), name=some[0].path)
        evidence: list[Evidence] = [_watched_networks.listed("parameters", some)]
        return Finding(code, level, where, data, evidence, Fix(fix) if fix else None)


def _largest(seen: WatchedNetworks) -> dict[int, float]:
    """The largest update ratio of each parameter that an optimizer holds."""
    found: dict[int, float] = {}
    ids = {one.number: one.ids for one in seen.optimizers}
    for fact in seen.changes:
        for key, ratio in zip(ids.get(fact.optimizer, ()), fact.ratios, strict=False):
            found[key] = max(found.get(key, 0.0), _watched_networks.number(ratio) or 0.0)
    return found


def _example(
    name: str, verdict: Verdict, *codes: str, frozen_by_design: list[str] | None = None, **args: Any
) -> Example:
    case: dict[str, Any] = {"watched": "watch"}
    if frozen_by_design:
        case["design"] = {"frozen": frozen_by_design}
    return Example(name, files={"watch/pynative.jsonl": recording(**args)}, case=case, verdict=verdict, codes=codes)


def _evaluated(digests: dict[str, str]) -> list[dict[str, Any]]:
    """The facts of a second network that is evaluated after 8 steps: of its layers, whether they hold what training began with."""
    held = [
        {"id": 50 + number, "path": f"{name}.weight", "name": f"copy.{name}.weight", "shape": [16, 16]}
        | {"trained": True, "digest": f"{begins}-{name}.weight"}
        for number, (name, begins) in enumerate(digests.items())
    ]
    network = {"number": 1, "at": 1, "class": "__main__.Net", "cells": [], "ids": [201], "parameters": held}
    run = {"step": 8, "training": False, "networks": [1], "calls": [], "place": ["train.py", 40]}
    return [{"fact": "network", **network}, {"fact": "pass", **run}]


_FIRST, _NORM = ("first.weight", "first.bias"), ("norm.gamma", "norm.beta")
_REST = ("second.weight", "second.bias", "head.weight", "head.bias")
_EVERY = (*_FIRST, *_NORM, *_REST)
_TURNED: list[dict[str, Any]] = [
    {"fact": "gradients", "step": step, "optimizer": 0, "norms": [0.5], "zeros": [0.0], "share": -1.0}
    for step in range(1, 11)
]
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
    _example(
        *("an average that does not follow", Verdict.UNDECIDED, "evaluated-still"),
        more=_evaluated({"first": "start", "second": "start", "head": "start"}),
    ),
    _example(*("an average that follows", Verdict.OK, "moved"), more=_evaluated({"first": "mean", "second": "mean"})),
    _example(
        *("gradients in the order of other parameters", Verdict.PROBLEM, "crossed"),
        more=[{"fact": "crossed", "step": 1, "optimizer": 0, "count": 2, "pairs": [[3, 4], [4, 3]]}],
    ),
    _example(*("what is meant to be maximised, or a turned sign", Verdict.UNDECIDED, "turned-perhaps"), more=_TURNED),
    _example(
        *("gradients of a cross entropy with their sign turned", Verdict.PROBLEM, "turned"),
        more=[*_TURNED, {"fact": "outputs", "step": 1, "loss": 1.2, "own": 1.2}],
    ),
    _example("weights whose updates are lost", Verdict.UNDECIDED, "lost-updates", still=("second.weight",)),
]
