"""Reads what gradients the optimizers of a watched run were given: which layers get none, where they stop, and their norms by layer.

Catches, in the user's own training: layers that run and whose gradient is missing or exactly 0 in every step that was looked at, as
behind asnumpy() or stop_gradient(); a table of which one row alone is ever used; an optimizer that is given nothing but zeros;
gradients that are NaN or Inf, vanish or explode from layer to layer. Cannot tell: steps that were not looked at (all of the first ten,
then each tenth), and gradients of parameters that no optimizer holds (watched_updates names them).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Curve, Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Verdict, Where
from ..probe import Example
from . import _gradient_limits, _watched, _watched_networks
from ._checkpoints import shown, table
from ._watched_examples import recording
from ._watched_networks import Call, Parameter, WatchedNetworks

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: Annotated[
        Literal["connection", "norms"],
        Meta(
            description="whether to tell which layers gradients reach, or how large they are",
            extra={"unit": "", "source": "the item"},
        ),
    ] = "connection"
    steps: Annotated[
        int,
        Meta(
            ge=2,
            description="steps that must have been looked at before a gradient counts as always 0: what lies before a layer that starts "
            "at zero gets its gradient from the second on",
            extra={"unit": "steps", "source": "own choice"},
        ),
    ] = 5
    vanishing: _gradient_limits.Vanishing = _gradient_limits.VANISHING
    small: _gradient_limits.Small = _gradient_limits.SMALL
    exploding: Annotated[
        float,
        Meta(
            gt=1,
            description="a first layer whose gradient has more than so many times the norm of the last one's is suspect, where the loss "
            "has not fallen",
            extra={"unit": "1", "source": "AUTOTRAINER, TDSC 2024: 70"},
        ),
    ] = _gradient_limits.EXPLODING
    large: _gradient_limits.Large = _gradient_limits.LARGE


MESSAGES: Words = {
    **_watched_networks.MESSAGES,
    "cut-off": {
        "en": "{layers:,} {layers:layer runs|layers run} in training but {layers:gets|get} no gradient: {names}. It is exactly 0 in "
        "{steps:the one step|all {steps:,} steps} examined. {how}() at {cut} detaches their output from the graph; {next} comes after it.",
        "zh": "有 {layers:,} 层参与了训练的前向计算，却得不到梯度：{names}。所查看的 {steps:,} 步中其梯度始终恰为 0。"
        "{cut} 处的 {how}() 使其输出脱离了计算图，其后是 {next}。",
    },
    "no-gradient": {
        "en": "{layers:,} {layers:layer runs|layers run} in training but {layers:gets|get} no gradient: {names}. It is missing or "
        "exactly 0 in {steps:the one step|all {steps:,} steps} examined. The first layer after them that gets a gradient is {next}.",
        "zh": "有 {layers:,} 层参与了训练的前向计算，却得不到梯度：{names}。所查看的 {steps:,} 步中其梯度缺失或始终恰为 0。"
        "其后第一个得到梯度的层是 {next}。",
    },
    "behind-zeros": {
        "en": "{layers:,} {layers:layer gets|layers get} no gradient in {steps:,} steps: {names}. All outputs of {zeros} are 0, so "
        "nothing passes there.",
        "zh": "有 {layers:,} 层在 {steps:,} 步中得不到梯度：{names}。{zeros} 的输出全为 0，梯度无法通过。",
    },
    "loss-is-zero": {
        "en": "The loss of optimizer {optimizer} ({kind}) was 0 in {steps:the one step|all {steps:,} steps}, and so was every "
        "gradient that it got.",
        "zh": "优化器 {optimizer}（{kind}）对应的 loss 在 {steps:,} 步中都是 0，其梯度也全部为 0。",
    },
    "meant": {
        "en": "{layers:,} {layers:layer gets|layers get} no gradient, as design.frozen says: {names}.",
        "zh": "有 {layers:,} 层得不到梯度，与 design.frozen 的声明一致：{names}。",
    },
    "not-run": {
        "en": "{count:,} {count:parameter|parameters} of layers that were not called in training got no gradient: {names}.",
        "zh": "有 {count:,} 个参数所在的层在训练中没有被调用，因此没有梯度：{names}。",
    },
    "some-zero": {
        "en": "The {count:gradient|gradients} of {count:,} {count:parameter|parameters} {count:is|are} exactly 0 in all {steps:,} "
        "steps, although others of the same layers are not, or the layers have only scales and shifts: {names}.",
        "zh": "有 {count:,} 个参数的梯度在 {steps:,} 步中始终恰为 0，而同一层的其他参数并非如此，或该层只有缩放和平移：{names}。",
    },
    "one-row": {
        "en": "Of the {rows:,} rows of {name}, only row {row} gets a gradient in {steps:the one step|all {steps:,} steps} examined: "
        "the layer receives the "
        "same index at all positions, or none of its other units is active.",
        "zh": "{name} 共 {rows:,} 行，所查看的 {steps:,} 步中只有第 {row} 行得到梯度：该层在所有位置得到的都是同一个索引，"
        "或其余单元都未被激活。",
    },
    "few-steps": {
        "en": "Gradients were examined in only {steps:,} {steps:step|steps}, too few to know which stay 0.",
        "zh": "只查看了 {steps:,} 步的梯度，不足以判断哪些梯度始终为 0。",
    },
    "reached": {
        "en": "In the watched training, gradients reached {count:,} of {all:,} parameters in {layers:,} {layers:layer|layers}; "
        "{steps:,} steps were examined.",
        "zh": "在所观察的训练中，梯度到达了 {layers:,} 层的 {count:,} 个参数（共 {all:,} 个）；查看了 {steps:,} 步。",
    },
    "not-finite": {
        "en": "From step {step:,} on, the optimizer updates with gradients that are NaN or Inf: {count:,} of {all:,} parameters, "
        "{names}.{begun}",
        "zh": "从第 {step:,} 步起，优化器用 NaN 或 Inf 的梯度更新参数：{all:,} 个参数中有 {count:,} 个，{names}。{begun}",
    },
    "not-finite-once": {
        "en": "In step {step:,} {count:,} {count:gradient was|gradients were} NaN or Inf: {names}. Later gradients are finite again.",
        "zh": "第 {step:,} 步有 {count:,} 个梯度为 NaN 或 Inf：{names}；之后的梯度恢复为有限值。",
    },
    "dead": {
        "en": "{fed} receives only zeros, and the gradient of its weights is exactly 0 in {steps:the one step|all {steps:,} steps} "
        "examined: {before} "
        "outputs {low:.3g} to {high:.3g}, never above 0, so its activation is 0 for every sample.",
        "zh": "{fed} 的输入全为 0，所查看的 {steps:,} 步中其权重的梯度始终恰为 0：{before} 的输出为 {low:.3g} 至 {high:.3g}，从不大于 0，"
        "其后的激活对所有样本都输出 0。",
    },
    "vanishing": {
        "en": "The gradient vanishes on its way to the first layer: norm {first:.2g} in {first_name}, {last:.2g} in {last_name}, a ratio "
        "of {ratio:.2g}.",
        "zh": "梯度在传到第一层的途中消失：{first_name} 的范数为 {first:.2g}，{last_name} 为 {last:.2g}，比值 {ratio:.2g}。",
    },
    "exploding": {
        "en": "The gradient grows on its way to the first layer: norm {first:.2g} in {first_name}, {last:.2g} in {last_name}, "
        "{ratio:.3g} times as much, and the loss does not fall.",
        "zh": "梯度在传到第一层的途中爆炸：{first_name} 的范数为 {first:.2g}，{last_name} 为 {last:.2g}，是后者的 {ratio:.3g} 倍，"
        "且 loss 没有下降。",
    },
    "large": {
        "en": "The {count:gradient|gradients} of {count:,} {count:parameter has|parameters have} a norm above {limit:g}: {names}.",
        "zh": "有 {count:,} 个参数的梯度范数大于 {limit:g}：{names}。",
    },
    "norms": {
        "en": "Norms of the gradients of {all:,} parameters in {steps:,} steps of the watched training: {low:.2g} to {high:.2g}.",
        "zh": "所观察的训练中，{all:,} 个参数的梯度范数（{steps:,} 步）为 {low:.2g} 至 {high:.2g}。",
    },
    "fix-graph": {
        "en": "Stay with Tensors: do not use asnumpy() or Tensor(...) on the way to the loss, nor stop_gradient() where these layers "
        "should learn. List layers that should stay fixed in design.frozen, and leave them out of the optimizer.",
        "zh": "全程使用 Tensor 运算：参与 loss 计算的路径上不要使用 asnumpy() 和 Tensor(...)，需要学习的层不要使用 stop_gradient()。"
        "如果这些层本应冻结，请写进 design.frozen，并且不要传给优化器。",
    },
    "fix-index": {
        "en": "Print the input of this layer: positions must be 0, 1, 2, … rather than all 0, and ids must differ between samples.",
        "zh": "打印该层的输入：位置编号应为 0、1、2……而不是全 0，编号应随样本变化。",
    },
    "fix-first": {
        "en": "Find the first operator that produces NaN or Inf in that step (mp.01), and skip the update when gradients are not "
        "finite.",
        "zh": "找出该步中最先产生 NaN 或 Inf 的算子（mp.01），并在梯度非有限时跳过更新。",
    },
    "fix-dead": {
        "en": "Check the bias and initialiser of that layer, what is subtracted before the activation, and the learning rate; "
        "LeakyReLU and GELU still pass gradients.",
        "zh": "检查该层的 bias 与初始化、激活之前减去的量以及学习率；LeakyReLU、GELU 仍能传递梯度。",
    },
    "fix-vanishing": {
        "en": "Add normalisation or residual connections, use ReLU instead of Sigmoid and Tanh, LSTM or GRU for sequences; check the "
        "initialisers.",
        "zh": "加归一化层或残差连接，用 ReLU 代替 Sigmoid、Tanh，序列用 LSTM 或 GRU，并检查初始化。",
    },
    "fix-exploding": {
        "en": "Clip by ops.clip_by_global_norm, add normalisations, a warm-up; see initialisers and the scale of inputs and targets.",
        "zh": "用 ops.clip_by_global_norm 裁剪，加归一化层和预热，并检查初始化以及输入、目标值的量级。",
    },
}
_STILL = {
    "en": "These layers stay as initialised, however long training runs, and the layers after them learn on random features.",
    "zh": "无论训练多久，这些层都停留在初始值，其后的层只能在随机特征上学习。",
}
_THROWN = {
    "en": "Steps along such gradients throw weights far from what they had learned: the loss jumps or becomes NaN.",
    "zh": "沿这样大的梯度更新，权重会远离已学到的取值：loss 剧烈跳动，甚至变为 NaN。",
}
WHY: Words = dict.fromkeys(("cut-off", "no-gradient", "behind-zeros", "dead", "vanishing"), _STILL) | {
    "not-finite": {
        "en": "An update with NaN or Inf makes the weights NaN, and every later loss with them.",
        "zh": "用 NaN 或 Inf 更新后权重变为 NaN，之后的 loss 也都是 NaN。",
    },
    **dict.fromkeys(("exploding", "large"), _THROWN),
    "one-row": {
        "en": "The table adds the same vector everywhere: what it should distinguish, such as positions, looks the same to the network.",
        "zh": "该表在各处给出同一个向量：它本应区分的内容（如位置）在网络看来完全相同。",
    },
}
_AGAIN = {
    "en": "Watch again after the fix: accucheck watch names the layers that gradients reach.",
    "zh": "修改后再次运行 accucheck watch，查看梯度到达了哪些层。",
}
PROOF: Words = dict.fromkeys(WHY, _AGAIN)
WORDS: Words = {
    **_watched_networks.WORDS,
    "without": {"en": "Parameters without a gradient", "zh": "没有梯度的参数"},
    "by-layer": {"en": "Norms of gradients, in the order in which layers run", "zh": "各层的梯度范数（按运行顺序）"},
    "by-layer-and-step": {
        "en": "Norm of the gradient by layer and step; × is NaN or Inf",
        "zh": "各层各步的梯度范数；× 为 NaN 或 Inf",
    },
    "by-step": {"en": "Norm of the gradient by step", "zh": "各步的梯度范数"},
    "first": {"en": "First", "zh": "首步"},
    "median": {"en": "Median", "zh": "中位数"},
    "last": {"en": "Last", "zh": "末步"},
    "norm": {"en": "norm of the gradient", "zh": "梯度范数"},
}
#: Curves in one chart.
_CURVES = 6
#: What reading the scripts says of layers that are not used, or cut off, and that a gradient proves wrong.
UNUSED = ["unused-layer", "unused-parameter"]
#: And of cells that are never called, which a call proves wrong.
UNCALLED = ["unused-layer", "unused-cell", "unused-dropout", "twin-used-twice"]


#: And of lines whose results are dropped, which a gradient that goes through them proves wrong.
DROPPED = ["result-unused", "result-overwritten", "result-perhaps-replaced", "result-discarded", "result-ignored"]
DROPPED += ["result-underscore", "asked-and-dropped", "call-discarded"]
#: And of an input of a cell, with which its output was seen to move.
IGNORED = ["input-ignored", "input-perhaps-ignored"]
#: Outputs that move by more than this share of the largest have moved.
_MOVED = 1e-6
#: Lines from the head of a construct in which its inputs stand.
_HEAD = 2


def _read(watch: _watched.Watch) -> list[Refutes]:
    """The inputs of cells with which their outputs move, by the heads of their constructs."""
    found = []
    for one in watch.first("inputs").get("inputs") or ():
        place = one.get("place")
        for name, moved in one["moved"].items() if place else ():
            if isinstance(moved, (int, float)) and moved > _MOVED:
                lines = {place[0]: [[place[1], place[1] + _HEAD]]}
                found.append(Refutes("graph_connectivity_script", IGNORED, data={"name": name}, places=lines))
    return found


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    seen = _watched_networks.seen(case)
    if not isinstance(seen, WatchedNetworks):
        yield Finding("no-steps", Level.INFO, Where(seen.path), {"path": seen.path}, incomplete=True)
    elif params.about == "norms":
        yield from _Norms(seen, params, _watched.begun(case)).judge()
    else:
        yield from _Connection(case, seen, params).judge()


def _places(lines: dict[tuple[str, int], bool]) -> dict[str, list[list[int]]]:
    """Those of which something holds, by file, as Refutes has them."""
    found: dict[str, list[list[int]]] = {}
    for (path, line), holds in lines.items():
        if holds:
            found.setdefault(path, []).append([line, line])
    return found


class _Connection:
    """Which parameters gradients reach."""

    def __init__(self, case: Case, seen: WatchedNetworks, params: Params) -> None:
        self.seen, self.params = seen, params
        self.frozen = case.spec.design.frozen
        self.steps = len({one.step for one in seen.gradients})
        self.looked = {key: norms for key, norms in seen.norms.items() if len(norms) >= params.steps}
        self.zero = [key for key, norms in self.looked.items() if all(not norm for _, _, norm in norms)]
        #: Of each cell by its network and name the place of its last call in a pass of training, and the name of what comes after it.
        self.order: dict[tuple[int | None, str], int] = {}
        self.dark: dict[tuple[int | None, str], str] = {}
        for one in seen.passes:
            if one.training:
                self._follow(one)

    def _follow(self, one: Any) -> None:
        calls = list(self.seen.calls(one))
        self.order.update({(call.network, call.name): place for place, call in enumerate(calls)})
        dark = ""
        for call in reversed(calls):
            if call.gave and all(given.get("zero") == 1 for given in call.gave):
                dark = call.name or call.kind
            self.dark[call.network, call.name] = dark

    def _silent(self, losses: dict[int, str]) -> Iterator[Finding]:
        for number, kind in losses.items():
            data = {"optimizer": number, "kind": kind, "steps": self.steps}
            yield Finding("loss-is-zero", Level.INFO, self.seen.watch.where(), data, incomplete=True)

    def judge(self) -> Iterator[Finding]:
        watch, parameters = self.seen.watch, self.seen.parameters
        if not self.looked:
            yield Finding("few-steps", Level.INFO, watch.where(), {"steps": self.steps}, incomplete=True)
            return
        silent = self._losses_of_zero()
        yield from self._silent(silent)
        zero = [parameters[key] for key in self.zero if not set(parameters[key].optimizers) <= silent.keys()]
        run = [one for one in zero if (one.network, one.layer) in self.order]
        if idle := [one for one in zero if one not in run]:
            yield self._told("not-run", Level.INFO, idle)
        layers = self._whole(run)
        whole = [one for some in layers.values() for one in some]
        if part := [one for one in run if one not in whole]:
            yield self._told("some-zero", Level.INFO, part)
        if layers:
            yield self._cut(layers)
        yield from self._one_row()
        yield self._reached()

    def _one_row(self) -> Iterator[Finding]:
        """Tables of which the same row alone got a gradient in all steps that were looked at."""
        held = {one.number: one.ids for one in self.seen.optimizers}
        rows: dict[int, list[tuple[int, int]]] = {}
        for fact in self.seen.gradients:
            ids = held.get(fact.optimizer, [])
            for place, row, count in fact.only:
                if place < len(ids):
                    rows.setdefault(ids[place], []).append((row, count))
        for key, told in rows.items():
            if key in self.looked and len(told) == len(self.looked[key]) and len(set(told)) == 1:
                one, (row, count) = self.seen.parameters[key], told[0]
                yield self._told("one-row", Level.SUSPECT, [one], None, "fix-index", name=one.path, row=row, rows=count)

    def _reached(self) -> Finding:
        some = [self.seen.parameters[key] for key in self.looked if key not in self.zero]
        data = {"count": len(some), "all": len(self.looked), "steps": self.steps}
        data["layers"] = len({(one.network, one.layer) for one in some})
        lines = _watched_networks.lines(some)
        refutes = [Refutes("graph_connectivity_script", UNUSED, places=lines)] if lines else []
        called = self._called()
        refutes += [Refutes("graph_connectivity_script", UNCALLED, places=called)] if called else []
        used = self._used()
        refutes += [Refutes("graph_connectivity_script", DROPPED, places=used)] if used else []
        refutes += _read(self.seen.watch)
        evidence: list[Evidence] = [_chart(self.seen, some)]
        return Finding("reached", Level.INFO, self.seen.watch.where(), data, evidence, refutes=refutes)

    def _used(self) -> dict[str, list[list[int]]]:
        """The lines that call layers whose results all reach the loss: each gave one tensor in one call, and its weights, which are
        no other layer's, get a gradient."""
        fact = self.seen.watch.first("lines")
        one = next((one for one in self.seen.passes if one.training and one.step == fact.get("step")), None)
        places = fact.get("places") or []
        if one is None or len(places) != len(one.calls):
            return {}
        calls = list(self.seen.calls(one))
        often = Counter((call.network, call.name) for call in calls)
        reach = self._reaching()
        lines: dict[tuple[str, int], bool] = {}
        for call, place in zip(calls, places, strict=True):
            key = (call.network, call.name)
            if place is None or key not in reach:
                continue
            used = reach[key] and often[key] == 1 and len(call.gave) == 1
            lines[place[0], place[1]] = lines.get((place[0], place[1]), True) and used
        return _places(lines)

    def _reaching(self) -> dict[tuple[int | None, str], bool]:
        """Of each layer with weights whether gradients reach one that no other layer shares."""
        shared = {path for network in self.seen.networks.values() for group in network.shared for path in group}
        found: dict[tuple[int | None, str], bool] = {}
        for key, one in self.seen.parameters.items():
            layer = (one.network, one.layer)
            reached = key in self.looked and key not in self.zero and one.path not in shared
            found[layer] = found.get(layer, False) or reached
        return found

    def _called(self) -> dict[str, list[list[int]]]:
        """The lines in which cells are made that were all called in passes of training, by file."""
        made: dict[tuple[str, int], bool] = {}
        for number in self.seen.trained & self.seen.networks.keys():
            for name, _, place, _ in self.seen.networks[number].cells:
                if place is not None:
                    made[place] = made.get(place, True) and (number, name) in self.order
        return _places(made)

    def _losses_of_zero(self) -> dict[int, str]:
        """Optimizers whose loss was exactly 0 all the time, as one has that begins later, and their classes."""
        found = {}
        for one in self.seen.optimizers:
            losses = self.seen.series(one.number, "loss")
            if losses is not None and len(losses.values) and not losses.values.any():
                found[one.number] = one.kind.rpartition(".")[2]
        return found

    def _whole(self, run: list[Parameter]) -> dict[tuple[int, str], list[Parameter]]:
        """Of the layers that have weights and none of whose trained parameters gets a gradient: these parameters."""
        groups: dict[tuple[int, str], list[Parameter]] = {}
        for one in run:
            groups.setdefault((one.network, one.layer), []).append(one)
        reached = {
            (one.network, one.layer)
            for key, one in self.seen.parameters.items()
            if key in self.looked and key not in self.zero
        }
        ordered = sorted(groups.items(), key=lambda entry: self.order[entry[0]])
        whole = {key: some for key, some in ordered if key not in reached}
        return whole if any(one.matrix for some in whole.values() for one in some) else {}

    def _cut(self, layers: dict[tuple[int, str], list[Parameter]]) -> Finding:
        """Layers that run and get nothing: by what, as far as that was seen."""
        some = [one for found in layers.values() for one in found]
        last = max(self.order[key] for key in layers)
        after = self._after({key[0] for key in layers}, last)
        names: dict[str, Any] = {
            "layers": len(layers),
            "names": shown(name or "." for _, name in layers),
            "next": after or "-",
        }
        if all(_watched_networks.meant(one.path, self.frozen) for one in some):
            return self._told("meant", Level.INFO, some, **names)
        dark = next((self.dark[key] for key in layers if self.dark.get(key)), "")
        cut = _cut_after(self.seen.watch.facts("cut"), last)
        if cut is not None:
            names |= {"how": cut["how"], "cut": ":".join(map(str, cut["place"]))}
            level = Level.PROBLEM if cut["how"] == "asnumpy" else Level.SUSPECT
            return self._told("cut-off", level, some, cut["place"], "fix-graph", **names)
        if dark:
            return self._told("behind-zeros", Level.SUSPECT, some, None, "fix-vanishing", **names, zeros=dark)
        return self._told("no-gradient", Level.SUSPECT, some, None, "fix-graph", **names)

    def _after(self, networks: set[int], last: int) -> str:
        """The first layer called after a place in the order that gets a gradient."""
        found = [
            (self.order[key], one.layer)
            for number, one in self.seen.parameters.items()
            if number in self.looked and number not in self.zero
            if (key := (one.network, one.layer)) in self.order and self.order[key] > last and one.network in networks
        ]
        return min(found)[1] if found else ""

    def _told(
        self,
        code: str,
        level: Level,
        some: list[Parameter],
        place: Any = None,
        fix: str | None = None,
        **data: Any,
    ) -> Finding:
        data = {"count": len(some), "names": shown(one.path for one in some), "steps": self.steps} | data
        made = next((one.place for one in some if one.place), None)
        where = self.seen.watch.where(list(place or made or []), name=some[0].path)
        evidence: list[Evidence] = [_watched_networks.listed("without", some)]
        return Finding(code, level, where, data, evidence, Fix(fix) if fix else None)


def _cut_after(cuts: list[dict[str, Any]], last: int) -> dict[str, Any] | None:
    """What takes a result out of the graph after all of some layers have run: asnumpy() before stop_gradient(), which may be meant."""
    able = [one for one in cuts if one["calls"] > last and one.get("place")]
    return next((one for how in ("asnumpy", "stop_gradient") for one in able if one["how"] == how), None)


class _Norms:
    """How large gradients are, from layer to layer."""

    def __init__(self, seen: WatchedNetworks, params: Params, begun: dict[str, Any]) -> None:
        """`begun`: the first operator whose result was not finite, where it is known."""
        self.seen, self.params, self.begun = seen, params, begun
        self.steps = len({one.step for one in seen.gradients})
        order: dict[tuple[int | None, str], int] = {}
        for one in seen.passes:
            if one.training and not order:
                order = {(call.network, call.name): place for place, call in reversed([*enumerate(seen.calls(one))])}
        self.layers = sorted(
            (
                one
                for key, one in seen.parameters.items()
                if one.matrix and (one.network, one.layer) in order and seen.norms.get(key)
            ),
            key=lambda one: order[one.network, one.layer],
        )
        self.middle = {
            key: median(finite)
            for key, norms in seen.norms.items()
            if (finite := [norm for _, _, norm in norms if norm is not None and math.isfinite(norm)])
        }

    def judge(self) -> Iterator[Finding]:
        watch = self.seen.watch
        if not self.middle:
            yield Finding("few-steps", Level.INFO, watch.where(), {"steps": self.steps}, incomplete=True)
            return
        evidence = self._evidence()
        yield from self._not_finite(evidence)
        large = [self.seen.parameters[key] for key, norm in self.middle.items() if norm > self.params.large]
        if large:
            data: dict[str, Any] = {
                "count": len(large),
                "names": shown(one.path for one in large),
                "limit": self.params.large,
            }
            place = watch.where(list(large[0].place or []), name=large[0].path)
            yield Finding("large", Level.SUSPECT, place, data, evidence, Fix("fix-exploding"))
        if (dead := self._dead(evidence)) is not None:
            yield dead
        for number in {one.optimizers[0] for one in self.layers}:
            ends = [one for one in self.layers if one.optimizers[0] == number and self.middle.get(one.id)]
            yield from self._across(ends, number, evidence)
        norms = [norm for norm in self.middle.values() if norm]
        data = {
            "all": len(self.middle),
            "steps": self.steps,
            "low": min(norms, default=0.0),
            "high": max(norms, default=0.0),
        }
        yield Finding("norms", Level.INFO, watch.where(), data, evidence)

    def _dead(self, evidence: list[Evidence]) -> Finding | None:
        """The first layer that is given nothing but zeros, because the layer before it never gives anything above 0."""
        calls, given = self._first()
        weights = {(one.network, one.layer): key for key, one in self.seen.parameters.items() if one.matrix}
        mixing = [at for at, call in enumerate(calls) if (call.network, call.name) in weights]
        for before, at in pairwise(mixing):
            fed = calls[at]
            zeros = bool(given[at]) and all(one.get("zero") == 1 for one in given[at])
            if zeros and self._never_fed(weights[fed.network or 0, fed.name]):
                told = self._told_dead(fed.name, before, calls, evidence)
                if told is not None:
                    return told
        return None

    def _first(self) -> tuple[list[Call], list[list[dict[str, Any]]]]:
        """The calls of the first pass of training, and what each was given."""
        fact = next((one for one in self.seen.watch.facts("given") if one.get("training") is True), {})
        first = next((one for one in self.seen.passes if one.training and one.step == fact.get("step")), None)
        given = fact.get("calls") or []
        return (list(self.seen.calls(first)), given) if first and len(first.calls) == len(given) else ([], [])

    def _never_fed(self, key: int) -> bool:
        """Whether the gradient of a weight is exactly 0 in all steps that were looked at, though its layer's bias gets one."""
        one = self.seen.parameters[key]
        norms = self.seen.norms.get(key, [])
        layer = [
            each.id for each in self.seen.parameters.values() if (each.network, each.layer) == (one.network, one.layer)
        ]
        fed = any(norm for each in layer if each != key for _, _, norm in self.seen.norms.get(each, ()))
        return fed and len(norms) >= self.params.steps and all(norm == 0 for _, _, norm in norms)

    def _told_dead(self, fed: str, at: int, calls: list[Call], evidence: list[Evidence]) -> Finding | None:
        """None where the layer, the call of that number, ever gives anything above 0."""
        one = calls[at]
        bounds = self._bounds(one)
        if not bounds or None in bounds:
            return None
        low, high = min(one for one in bounds if one is not None), max(one for one in bounds if one is not None)
        if high > 0 or not low:
            return None
        data = {"fed": fed, "before": one.name, "low": low, "high": high, "steps": self.steps}
        where = self.seen.watch.where(self._called_at(at, calls), name=one.name)
        return Finding("dead", Level.SUSPECT, where, data, evidence, Fix("fix-dead"))

    def _bounds(self, one: Call) -> list[float | None]:
        """The least and the greatest value that a layer gave in each pass of training; None where they were not recorded."""
        gave = [
            told
            for each in self.seen.passes
            if each.training
            for call in self.seen.calls(each)
            if (call.network, call.name) == (one.network, one.name)
            for told in call.gave
        ]
        return [_watched_networks.number(told.get(side)) for told in gave for side in ("low", "high")]

    def _called_at(self, at: int, calls: list[Call]) -> Any:
        """The line that calls a layer, where that was told of these calls; else the one in which it is made."""
        places = self.seen.watch.first("lines").get("places") or []
        if len(places) == len(calls) and places[at]:
            return places[at]
        cells = self.seen.networks[calls[at].network or 0].cells
        return next((list(place) for name, _, place, _ in cells if name == calls[at].name and place), None)

    def _not_finite(self, evidence: list[Evidence]) -> Iterator[Finding]:
        """The first step in which an optimizer was given NaN or Inf, and whether that went by."""
        bad: dict[int, list[int]] = {}
        last: dict[int, int] = {}
        for key, norms in self.seen.norms.items():
            for step, _, norm in norms:
                last[key] = step
                if norm is not None and not math.isfinite(norm):
                    bad.setdefault(step, []).append(key)
        if not bad:
            return
        step = min(bad)
        some = [self.seen.parameters[key] for key in bad[step]]
        stays = max(last.values()) in bad
        data = {"step": step, "count": len(some), "all": len(last), "names": shown(one.path for one in some)}
        where = self.seen.watch.where(list(some[0].place or []), name=some[0].path, step=step)
        if stays:
            data["begun"] = _watched.begun_at(self.begun)
            yield Finding("not-finite", Level.PROBLEM, where, data, evidence, Fix("fix-first"))
        else:
            yield Finding("not-finite-once", Level.INFO, where, data, evidence)

    def _across(self, ends: Sequence[Parameter], number: int, evidence: list[Evidence]) -> Iterator[Finding]:
        """The gradient of the first layer of an optimizer against that of the last one."""
        if len(ends) < 3:
            return
        first, last = self.middle[ends[0].id], self.middle[ends[-1].id]
        ratio = first / last
        data: dict[str, Any] = {"first": first, "last": last, "ratio": ratio}
        data |= {"first_name": ends[0].path, "last_name": ends[-1].path}
        where = self.seen.watch.where(list(ends[0].place or []), name=ends[0].path)
        if ratio < self.params.vanishing and first < self.params.small:
            yield Finding("vanishing", Level.SUSPECT, where, data, evidence, Fix("fix-vanishing"))
        elif ratio > self.params.exploding and not self._falls(number):
            yield Finding("exploding", Level.SUSPECT, where, data, evidence, Fix("fix-exploding"))

    def _falls(self, number: int) -> bool:
        """Whether the loss of an optimizer is lower in the last third of the steps than in the first, or not known."""
        losses = self.seen.series(number, "loss")
        if losses is None or len(losses.values) < 3:
            return True
        third = len(losses.values) // 3
        return float(losses.values[-third:].mean()) < float(losses.values[:third].mean())

    def _evidence(self) -> list[Evidence]:
        rows: list[list[Plain]] = []
        for one in self.layers:
            norms = [norm for _, _, norm in self.seen.norms[one.id]]
            rows.append([one.path, one.made, _finite(norms[0]), _finite(self.middle.get(one.id)), _finite(norms[-1])])
        columns = ["parameter", "place", "first", "median", "last"]
        by_step = [(one.path, {step: norm for step, _, norm in self.seen.norms[one.id]}) for one in self.layers]
        heat = _watched_networks.heat("by-layer-and-step", "norm", by_step)
        return [heat, table("by-layer", columns, rows)] if rows else []


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _chart(seen: WatchedNetworks, some: Sequence[Parameter]) -> Curve:
    """The norms of some of the parameters, drawn evenly, by step."""
    weights = [one for one in some if one.matrix] or list(some)
    chosen = weights[:: -(-len(weights) // _CURVES) or 1]
    steps = sorted({fact.step for fact in seen.gradients})
    series = {}
    for one in chosen:
        norms = {step: norm for step, _, norm in seen.norms[one.id]}
        series[one.path] = [_finite(norms.get(step)) or None for step in steps]
    return Curve("by-step", "step", "norm", [float(step) for step in steps], series)


def _example(name: str, verdict: Verdict, *codes: str, about: str = "connection", **args: Any) -> Example:
    files: dict[str, Any] = {"watch/pynative.jsonl": recording(**args)}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes, params={"about": about})


_CUT = {"fact": "cut", "step": 0, "place": ["net.py", 12], "how": "asnumpy", "calls": 3}
_STOP = {**_CUT, "how": "stop_gradient"}
_SPREAD, _ZEROS = {"zero": 0.0, "std": 0.8}, {"zero": 1.0, "std": 0.0}
#: What each cell of the example is given, in the order of calls.
_FED = {"fact": "given", "step": 1, "training": True, "calls": [[_SPREAD]] * 4 + [[_ZEROS]]}
EXAMPLES = [
    _example("gradients everywhere", Verdict.OK, "reached"),
    _example("two layers behind asnumpy()", Verdict.PROBLEM, "cut-off", norms={"first": 0.0}, more=[_CUT]),
    _example("two layers behind stop_gradient()", Verdict.UNDECIDED, "cut-off", norms={"first": 0.0}, more=[_STOP]),
    _example("layers that get nothing", Verdict.UNDECIDED, "no-gradient", norms={"first": None}),
    _example(
        *("a layer that gives nothing but zeros", Verdict.UNDECIDED, "behind-zeros"),
        norms={"first": 0.0, "second": 0.0},
        dark=("second",),
    ),
    _example("a layer that is not called", Verdict.OK, "not-run", norms={"first": 0.0}, idle=("first",)),
    _example("a table of which one row is used", Verdict.UNDECIDED, "one-row", only=[[0, 0, 64]]),
    _example("too few steps", Verdict.UNDECIDED, "few-steps", steps=3),
    _example("norms of all layers", Verdict.OK, "norms", about="norms"),
    _example("NaN from step 4 on", Verdict.PROBLEM, "not-finite", about="norms", broken=4),
    _example(
        *("a layer below 0 before an activation", Verdict.UNDECIDED, "dead"),
        about="norms",
        norms={"second": 0.0, "head.weight": 0.0},
        below=("second",),
        more=[_FED],
    ),
    _example(
        *("a gradient that vanishes", Verdict.UNDECIDED, "vanishing"),
        about="norms",
        norms={"first": 1e-7, "second": 1e-4},
    ),
    _example(
        *("a gradient that explodes", Verdict.UNDECIDED, "exploding"),
        about="norms",
        norms={"first": 200.0, "second": 20.0, "head": 2.0},
        growth=1.0,
    ),
    _example("gradients beyond a million", Verdict.UNDECIDED, "large", about="norms", norms={"head": 3e6}),
]
