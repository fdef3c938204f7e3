"""Tells in which mode the layers that depend on it ran in a watched training: BatchNorm, Dropout, own cells that read self.training.

Catches: a network that trains in inference mode, from the first step or from the step after something switched it, with the line that
did; an evaluation in training mode; a function or operator that drops values in an evaluation in inference mode. Layers that are kept in
inference mode on purpose (a normalisation alone, a part that no optimizer updates) are information. Cannot tell: what later steps bring,
and noise of one's own that does not ask for the mode.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from ..case import Case
from ..language import Words
from ..model import Evidence, Finding, Fix, Kind, Level, Plain, Progress, Refutes, Verdict, Where
from ..probe import Example
from . import _watched_networks
from ._checkpoints import shown, table
from ._watched_examples import recording
from ._watched_networks import WatchedNetworks

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


MESSAGES: Words = {
    **_watched_networks.MESSAGES,
    "never-in-training": {
        "en": "{network} trains in inference mode from the first step on, {steps:,} of {all:,} steps: {count:,} {count:layer|layers} that "
        "{count:depends|depend} on the mode {count:works|work} as at inference ({names}).",
        "zh": "{network} 从第一步起就在推理模式下训练（{all:,} 步中的 {steps:,} 步）：{count:,} 个随模式改变行为的层按推理方式工作"
        "（{names}）。",
    },
    "left-in-inference": {
        "en": "From step {step:,} on {network} trains in inference mode, {steps:,} of {all:,} steps: {count:,} {count:layer|layers} that "
        "{count:depends|depend} on the mode {count:works|work} as at inference ({names}).",
        "zh": "从第 {step:,} 步起 {network} 在推理模式下训练（{all:,} 步中的 {steps:,} 步）：{count:,} 个随模式改变行为的层按推理方式工作"
        "（{names}）。",
    },
    "own-in-inference": {
        "en": "{network} trains in inference mode in {steps:,} of {all:,} steps. Only cells of your own read the mode: {names}.",
        "zh": "{network} 在 {all:,} 步中的 {steps:,} 步里以推理模式训练。读取该模式的只有自定义的 Cell：{names}。",
    },
    "kept-in-inference": {
        "en": "{count:,} {count:layer is|layers are} kept in inference mode while the network around {count:it|them} trains: {names}.",
        "zh": "有 {count:,} 层保持在推理模式，而其余部分在训练：{names}。",
    },
    "part-never-in-training": {
        "en": "{part} runs in inference mode from the first step on, {steps:,} of {all:,} steps, while the network around it trains and an "
        "optimizer updates it: {count:,} {count:layer|layers} in it {count:depends|depend} on the mode ({names}), and nothing was loaded "
        "into it.",
        "zh": "{part} 从第一步起就处于推理模式（{all:,} 步中的 {steps:,} 步），而其余部分在训练，且优化器在更新它：其中有 {count:,} 个"
        "随模式改变行为的层（{names}），也没有为它加载权重。",
    },
    "part-in-inference": {
        "en": "{part} runs in inference mode in all passes of training, with {count:,} {count:layer|layers} that {count:depends|depend} on "
        "the mode: {names}. No optimizer updates it, or it was loaded and is kept so from the first step.",
        "zh": "{part} 在训练的前向计算中始终处于推理模式，其中有 {count:,} 个随模式改变行为的层：{names}。"
        "没有优化器更新这一部分，或它加载了权重并从第一步起保持如此。",
    },
    "statistics-kept": {
        "en": "{count:,} {count:layer normalises|layers normalise} with initial statistics that never change in "
        "{steps:the one step|all {steps:,} steps}: "
        "{names}. Nothing was loaded into {count:it|them}, so nothing is normalised there.",
        "zh": "有 {count:,} 层归一化所用的统计量在全部 {steps:,} 步中都停留在创建时的初始值：{names}。也没有为其加载权重，"
        "这些层实际上没有做归一化。",
    },
    "evaluated-in-training": {
        "en": "{network} is evaluated in training mode: {count:,} {count:layer|layers} that {count:depends|depend} on the mode "
        "{count:works|work} as in training ({names}) in {passes:,} {passes:pass|passes} without a gradient, over data that it is not "
        "trained with.",
        "zh": "{network} 在训练模式下评估：{passes:,} 次不求梯度的前向计算使用了训练之外的数据，其中 {count:,} 个随模式改变行为的层"
        "仍按训练方式工作（{names}）。",
    },
    "drops-in-inference": {
        "en": "{network} is evaluated in inference mode, but {name} still drops {share:%} of the values, in {passes:,} forward "
        "{passes:pass|passes} without a gradient: its argument `training` is true, or the operator ignores the mode.",
        "zh": "{network} 在推理模式下评估，但其中的 {name} 仍丢弃 {share:%} 的值（{passes:,} 次不求梯度的前向计算）："
        "它的参数 `training` 为真，或者它是不区分模式的算子。",
    },
    "runs-in-training": {
        "en": "{passes:,} {passes:pass|passes} without a gradient ran in training mode; they may belong to the training.",
        "zh": "有 {passes:,} 次不求梯度的前向计算处于训练模式，它们可能是训练的一部分。",
    },
    "only-inference": {
        "en": "Nothing was trained. In the {passes:only pass|{passes:,} passes} examined, no layer that depends on the mode ran in "
        "training mode.",
        "zh": "本次运行没有训练。所查看的 {passes:,} 次前向计算中，没有随模式改变行为的层处于训练模式。",
    },
    "nothing-depends": {
        "en": "No layer that ran in {all:,} steps of the watched training depends on the mode.",
        "zh": "在所观察训练的 {all:,} 步中，没有运行随模式改变行为的层。",
    },
    "in-order": {
        "en": "{count:,} {count:layer|layers} that {count:depends|depend} on the mode ran in training mode in "
        "{all:the one step|all {all:,} steps} of the "
        "watched training; {passes:1 pass|{passes:,} passes|no pass} of inference mode {passes:was|were|was} seen.",
        "zh": "在所观察训练的 {all:,} 步中，{count:,} 个随模式改变行为的层始终处于训练模式；"
        "{passes:另见 1 次推理模式的前向计算|另见 {passes:,} 次推理模式的前向计算|未见推理模式的前向计算}。",
    },
    "fix-switch-on": {
        "en": "Call set_train() on the network at the start of each epoch, and again after each evaluation.",
        "zh": "在每个 epoch 开始时、每次评估之后对网络调用 set_train()。",
    },
    "fix-statistics": {
        "en": "Leave out use_batch_statistics=False and have these layers in training mode while they train, or load statistics first.",
        "zh": "去掉 use_batch_statistics=False，训练时让这些层处于训练模式；或先加载训练好的统计量。",
    },
    "fix-ask-for-mode": {
        "en": "Pass training=self.training to it, or use nn.Dropout, which follows the mode.",
        "zh": "为它传入 training=self.training，或改用会区分模式的 nn.Dropout。",
    },
    "fix-switch-off": {
        "en": "Call set_train(False) before evaluating, and set_train() after it.",
        "zh": "评估之前调用 set_train(False)，之后再调用 set_train()。",
    },
}
_INFERENCE = {
    "en": "In inference mode Dropout does nothing, and BatchNorm uses its moving mean and variance and never updates them: the network "
    "trains without its regularisation, and the statistics used in evaluation are wrong.",
    "zh": "推理模式下 Dropout 不起作用，BatchNorm 使用滑动均值和方差且从不更新：训练缺少了应有的正则化，"
    "之后评估所用的统计量也是错的。",
}
_PRINT = {
    "en": "Print network.training right before the step; watch again after the fix.",
    "zh": "在训练步之前打印 network.training；修改后再次运行 accucheck watch。",
}
WHY: Words = dict.fromkeys(
    ("never-in-training", "left-in-inference", "own-in-inference", "part-never-in-training"), _INFERENCE
) | {
    "statistics-kept": {
        "en": "With a mean of 0 and a variance of 1 a normalisation is a scale and a shift: values grow or vanish from layer to layer.",
        "zh": "均值为 0、方差为 1 时，归一化只剩缩放和平移：数值会逐层放大或消失。",
    },
    "drops-in-inference": {
        "en": "Evaluation results understate the network and differ each time.",
        "zh": "评估结果比网络的真实水平差，而且每次都不同。",
    },
    "evaluated-in-training": {
        "en": "Dropout keeps dropping, and BatchNorm normalises by the current batch and updates its statistics: results understate "
        "the network, and evaluation changes it.",
        "zh": "Dropout 仍在丢弃，BatchNorm 按当前 batch 归一化并更新统计量：结果比网络的真实水平差，评估还会改变网络。",
    },
}
PROOF: Words = dict.fromkeys(WHY, _PRINT)
WORDS: Words = {
    **_watched_networks.WORDS,
    "modes": {"en": "Layers that depend on the mode", "zh": "随模式改变行为的层"},
    "steps": {"en": "Steps in inference mode", "zh": "处于推理模式的步数"},
    "from": {"en": "From step", "zh": "起始步"},
}
#: What reading the scripts says of the mode of a training, and that the run proves wrong: before it, and after an evaluation that was seen.
BEFORE = ["no-set-train", "no-set-train-plain", "no-set-train-unknown", "set-to-inference", "inference-chosen"]
AFTER = ["not-set-back", "callback-leaves-inference", "callback-may-leave-inference"]
#: And of a line that evaluates.
EVALUATED = ["evaluated-in-training", "evaluated-perhaps", "evaluated-by-batch"]
#: An evaluation comes once in so many steps at most; passes without a gradient that come more often belong to the training.
_SELDOM = 3
#: Steps without which statistics that stay say nothing.
_STEPS = 5


_LEVELS = {
    "never-in-training": Level.PROBLEM,
    "left-in-inference": Level.PROBLEM,
    "part-never-in-training": Level.SUSPECT,
    "part-in-inference": Level.INFO,
    "kept-in-inference": Level.INFO,
}


#: Faults of layers in inference mode.
_FAULTS = [code for code, level in _LEVELS.items() if level is not Level.INFO]


class _Layer(NamedTuple):
    """A cell that depends on the mode: its network, its name, and what it is called in facts about modes of a pass."""

    network: int
    name: str
    told: str


class _WrongMode(NamedTuple):
    """A layer that ran in inference mode in passes of training: in which steps, and the outermost cell around it that did."""

    layer: _Layer
    steps: list[int]
    outer: str


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    seen = _watched_networks.seen(case)
    if isinstance(seen, WatchedNetworks):
        yield from _Modes(seen).judge()
    elif seen.facts("pass"):
        yield from _Modes(WatchedNetworks(seen)).judge_inference()
    else:
        yield Finding("no-steps", Level.INFO, Where(seen.path), {"path": seen.path}, incomplete=True)


class _Modes:
    def __init__(self, seen: WatchedNetworks) -> None:
        self.seen = seen
        self.steps = seen.watch.steps
        self.training = [one for one in seen.passes if one.training]
        self.inference = [one for one in seen.passes if not one.training]
        self.called: dict[tuple[int, ...], set[tuple[int | None, str]]] = defaultdict(set)
        for one in self.training:
            self.called[tuple(one.networks)].update((call.network, call.name) for call in seen.calls(one))
        updated = [one for one in seen.parameters.values() if (one.optimizers if seen.optimizers else one.trained)]
        self.updated = {(one.network, one.path, one.id) for one in updated}
        self.loaded = _watched_networks.loaded(seen)

    def layers(self, networks: Iterable[int]) -> list[_Layer]:
        """The cells of some networks that the mode changes; those whose arguments say that nothing does are left out."""
        found = []
        for place, number in enumerate(networks):
            network = self.seen.networks.get(number)
            if network is None:
                continue
            given = {name: args for name, _, _, args in network.cells}
            top = f"{network.kind.rpartition('.')[2]}:" if place else ""
            found += [_Layer(number, name, f"{top}{name}") for name in network.modes if not _inert(given.get(name, {}))]
        return found

    def judge(self) -> Iterator[Finding]:
        wrong = self._wrong()
        groups: dict[tuple[str, str, int], list[_WrongMode]] = defaultdict(list)
        for one in wrong:
            groups[self._code(one), one.outer, one.layer.network].append(one)
        for (code, outer, number), some in groups.items():
            yield self._told(code, outer, number, some)
        yield from self._kept({one.layer for some in groups.values() for one in some if self._code(one) in _FAULTS})
        yield from self._evaluated()
        yield from self._dropping()
        clean = self._ran() - {one.layer for one in wrong}
        where = self.seen.watch.where()
        if clean:
            switched = [one for one in self.inference if "" in one.inference]
            back = any(one.step < self.steps - 1 for one in switched)
            refutes = [Refutes("train_mode", [*BEFORE, *(AFTER if back else [])])] if not wrong else []
            refutes += self._asleep()
            data = {"count": len(clean), "all": self.steps, "passes": len(switched)}
            yield Finding("in-order", Level.INFO, where, data, refutes=refutes)
        elif not wrong:
            refutes = [Refutes("train_mode", [*BEFORE, *AFTER])] if self.training else []
            yield Finding("nothing-depends", Level.INFO, where, {"all": self.steps}, refutes=refutes)

    def _asleep(self) -> list[Refutes]:
        """What is said of lines that evaluate in training mode, where all passes that were seen there were in inference mode."""
        lines: dict[tuple[str, int], bool] = {}
        for one in self.inference:
            if one.place is not None:
                lines[one.place] = lines.get(one.place, True) and not self._awake(one)
        places: dict[str, list[list[int]]] = {}
        for (path, line), asleep in lines.items():
            if asleep:
                places.setdefault(path, []).append([line, line])
        return [Refutes("train_mode", EVALUATED, places=places)] if places else []

    def judge_inference(self) -> Iterator[Finding]:
        """Of a run that only evaluates."""
        awake = [one for one in self.inference if "" not in one.inference and self._awake(one)]
        if awake:
            yield self._in_training(awake)
        elif dropping := list(self._dropping()):
            yield from dropping
        else:
            data = {"passes": len(self.inference)}
            yield Finding("only-inference", Level.INFO, self.seen.watch.where(), data)

    def _kept(self, told: set[_Layer]) -> Iterator[Finding]:
        """Layers that train with statistics as they were made: vectors like the trained ones, constant, which nothing changes."""
        called = {key for keys in self.called.values() for key in keys} - {(one.network, one.name) for one in told}
        some = [
            (number, name)
            for number, network in self.seen.networks.items()
            for name in network.modes
            if (number, name) in called and self._unmoved(number, name)
        ]
        if some and self.steps >= _STEPS:
            number, name = some[0]
            place = next((made for key, _, made, _ in self.seen.networks[number].cells if key == name), None)
            data: dict[str, Any] = {"count": len(some), "names": shown(name for _, name in some), "steps": self.steps}
            where = self.seen.watch.where(list(place or []), name=name)
            yield Finding("statistics-kept", Level.SUSPECT, where, data, fix=Fix("fix-statistics"))

    def _unmoved(self, number: int, name: str) -> bool:
        """Whether a layer whose scale or shift is trained has vectors of their shape that are not, and that are as they were made."""
        mine = [one for one in self.seen.parameters.values() if (one.network, one.layer) == (number, name)]
        trained = [one.shape for one in mine if (one.network, one.path, one.id) in self.updated]
        vectors = [one for one in mine if not one.trained and not one.optimizers and one.shape in trained]
        return bool(vectors) and all(
            one.constant and one.id not in self.loaded and one.built == one.start == one.end for one in vectors
        )

    def _ran(self) -> set[_Layer]:
        """The layers that depend on the mode and ran in a pass of training that was looked at."""
        return {
            layer
            for networks, called in self.called.items()
            for layer in self.layers(networks)
            if (layer.network, layer.name) in called
        }

    # --- passes of training ----------------------------------------------------------------------------------------------

    def _wrong(self) -> list[_WrongMode]:
        """Layers that ran in inference mode in passes of training, unless others of the same step ran them in training mode."""
        steps: dict[_Layer, list[int]] = defaultdict(list)
        outer: dict[_Layer, str] = {}
        right: dict[int, set[int]] = defaultdict(set)
        ids: dict[_Layer, int] = {}
        for networks, states in self._states().items():
            for layer in self.layers(networks):
                ids[layer] = self._id(layer)
                ran = (layer.network, layer.name) in self.called[networks]
                for step, asleep in states:
                    if layer.told in asleep:
                        steps[layer].append(step)
                        outer.setdefault(layer, _outermost(layer.told, asleep))
                    elif ran:
                        right[ids[layer]].add(step)
        found = []
        for layer, some in steps.items():
            bad = sorted({*some} - right[ids[layer]])
            if bad:
                found.append(_WrongMode(layer, bad, outer[layer]))
        return found

    def _states(self) -> dict[tuple[int, ...], list[tuple[int, set[str]]]]:
        """By the networks of a pass: for each step which cells were in inference mode."""
        told: dict[tuple[int, ...], dict[int, set[str]]] = defaultdict(dict)
        for fact in self.seen.modes:
            told[tuple(fact.networks)][fact.step] = {*fact.inference}
        found: dict[tuple[int, ...], list[tuple[int, set[str]]]] = {}
        for networks, changes in told.items():
            now: set[str] = set()
            states = []
            for step in range(min(changes), max(self.steps, max(changes)) + 1):
                now = changes.get(step, now)
                states.append((step, now))
            found[networks] = states
        return found

    def _id(self, layer: _Layer) -> int:
        network = self.seen.networks[layer.network]
        names = [name for name, *_ in network.cells]
        place = names.index(layer.name) if layer.name in names else -1
        return network.ids[place] if 0 <= place < len(network.ids) else hash(layer)

    def _code(self, one: _WrongMode) -> str:
        """What kind of a fault, if any, a layer in inference mode is."""
        if one.outer == one.layer.told and one.layer.name:
            return "kept-in-inference"
        inner = one.outer.rpartition(":")[2]
        prefix = f"{inner}." if inner else ""
        updated = {key for number, path, key in self.updated if number == one.layer.network and path.startswith(prefix)}
        first = one.steps[0] <= min((fact.step for fact in self.seen.modes), default=1)
        if not updated or (inner and first and updated & self.loaded):
            return "part-in-inference"
        if inner and first:
            return "part-never-in-training"
        return "never-in-training" if first else "left-in-inference"

    def _told(self, code: str, outer: str, number: int, some: list[_WrongMode]) -> Finding:
        network = self.seen.networks[number]
        cells = {name: (kind, place) for name, kind, place, _ in network.cells}
        inner = outer.rpartition(":")[2]
        kind, made = cells.get(inner, (network.kind, None))
        steps = sorted({step for one in some for step in one.steps})
        level = _LEVELS[code]
        if level is Level.PROBLEM and not any(_is_mindspores(cells, one.layer.name) for one in some):
            code, level = "own-in-inference", Level.SUSPECT
        faulty = level is not Level.INFO
        place = (self._switched(steps[0]) if faulty else None) or made
        name = kind.rpartition(".")[2]
        data: dict[str, Any] = {"count": len(some), "names": shown(one.layer.name or "." for one in some)}
        data |= {"network": name, "part": inner or name, "step": steps[0], "steps": len(steps), "all": self.steps}
        where = self.seen.watch.where(list(place or []), name=some[0].layer.name or None, step=steps[0])
        evidence: list[Evidence] = [_table(cells, some)]
        return Finding(code, level, where, data, evidence, Fix("fix-switch-on") if faulty else None)

    def _switched(self, step: int) -> Any:
        """The last line of the user's before a step that switched to inference mode."""
        facts = [one for one in self.seen.watch.facts("switched") if not one["training"] and one["step"] < step]
        return facts[-1]["place"] if facts else None

    # --- passes of inference ---------------------------------------------------------------------------------------------

    def _evaluated(self) -> Iterator[Finding]:
        """Evaluations in training mode: passes without a gradient over other data, which come seldom."""
        awake = [one for one in self.inference if "" not in one.inference and self._awake(one)]
        other = self._over_other_data(awake)
        seldom = len({one.step for one in awake}) * _SELDOM <= self.steps
        if other and seldom:
            yield self._in_training(other)
        elif awake:
            yield Finding("runs-in-training", Level.INFO, self.seen.watch.where(), {"passes": len(awake)})

    def _dropping(self) -> Iterator[Finding]:
        """What drops values in passes of inference mode."""
        passes = [one for one in self.inference if "" in one.inference and one.drops]
        passes = [one for one in passes if {*one.networks[:1]} & {*self.seen.networks}]
        places = dict.fromkeys((name, share, tuple(place or ())) for one in passes for name, share, place in one.drops)
        for name, share, place in places:
            network = self.seen.networks[passes[0].networks[0]].kind.rpartition(".")[2]
            data = {"network": network, "name": name, "share": share, "passes": len(passes)}
            where = self.seen.watch.where(list(place), step=passes[0].step)
            yield Finding("drops-in-inference", Level.PROBLEM, where, data, fix=Fix("fix-ask-for-mode"))

    def _in_training(self, passes: list[Any]) -> Finding:
        """Passes that are evaluation and ran in training mode."""
        layers = {layer.name or "." for one in passes for layer in self._awake(one)}
        first = passes[0]
        name = self.seen.networks[first.networks[0]].kind.rpartition(".")[2]
        data = {"network": name, "passes": len(passes), "count": len(layers), "names": shown(sorted(layers))}
        sets = {one["number"]: one["place"] for one in self.seen.watch.facts("dataset")}
        where = self.seen.watch.where(list(first.place or sets.get(first.data) or []), step=first.step)
        return Finding("evaluated-in-training", Level.SUSPECT, where, data, fix=Fix("fix-switch-off"))

    def _over_other_data(self, passes: list[Any]) -> list[Any]:
        """Those over data sets and batches that no pass of training was given."""
        fed = {one.data for one in self.training} | {None}
        batches = [one.batch[:1] for one in self.training]
        return [one for one in passes if one.data not in fed and one.batch[:1] not in batches]

    def _awake(self, one: Any) -> list[_Layer]:
        """The layers of a pass that depend on the mode and ran in training mode."""
        ran = {(call.network, call.name) for call in self.seen.calls(one) if call.training}
        return [layer for layer in self.layers(one.networks) if (layer.network, layer.name) in ran]


def _is_mindspores(cells: dict[str, tuple[str, Any]], name: str) -> bool:
    return cells.get(name, ("", None))[0].startswith("mindspore.")


def _table(cells: dict[str, tuple[str, Any]], some: list[_WrongMode]) -> Evidence:
    rows: list[list[Plain]] = []
    for one in some:
        kind, made = cells.get(one.layer.name, ("", None))
        place = f"{made[0]}:{made[1]}" if made else ""
        rows.append([one.layer.name, kind.rpartition(".")[2], place, one.steps[0], len(one.steps)])
    return table("modes", ["layer", "kind", "place", "from", "steps"], rows)


def _outermost(name: str, asleep: set[str]) -> str:
    """The outermost cell around one, or itself, that ran in inference mode too."""
    top, colon, inner = name.rpartition(":")
    parts = inner.split(".") if inner else []
    around = [f"{top}{colon}{'.'.join(parts[:count])}" for count in range(len(parts) + 1)]
    return next((one for one in around if one in asleep), name)


def _inert(given: dict[str, Any]) -> bool:
    """Whether the arguments of a layer say that the mode changes nothing: it drops nothing, or always uses one kind of statistics."""
    if given.get("use_batch_statistics") is not None:
        return True
    drops = [
        value
        for key, value in given.items()
        if (key == "p" or "drop" in key) and isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    keeps = given.get("keep_prob") if not drops else None
    return keeps == 1 or (bool(drops) and not any(drops))


def _example(name: str, verdict: Verdict, *codes: str, within: str = "", **args: Any) -> Example:
    """`within`: the layer that holds the normalisation."""
    text = recording(**args)
    files: dict[str, Any] = {"watch/pynative.jsonl": text.replace('"norm', f'"{within}.norm') if within else text}
    return Example(name, files=files, case={"watched": "watch"}, verdict=verdict, codes=codes)


_ALL = ["", "first", "norm", "second", "head"]
_CALLS = [[name, "x", True, []] for name in _ALL]
_PASS = {
    "fact": "pass",
    "step": 5,
    "training": False,
    "networks": [0],
    "cells": 5,
    "batch": [{"mean": 1.0}],
    "output": [],
}
_TRUE = {"fact": "switched", "step": 0, "place": ["train.py", 40], "class": "__main__.Net", "training": True}
_FALSE = {**_TRUE, "step": 1, "place": ["train.py", 17], "training": False}
EXAMPLES = [
    _example("training mode throughout", Verdict.OK, "in-order", more=[_TRUE]),
    _example("inference mode from the first step", Verdict.PROBLEM, "never-in-training", modes={1: _ALL}),
    _example("left in inference mode", Verdict.PROBLEM, "left-in-inference", modes={1: [], 3: _ALL}, more=[_FALSE]),
    _example(
        *("a part that stays in inference mode", Verdict.UNDECIDED, "part-never-in-training"),
        within="second",
        modes={1: ["second", "second.norm"]},
    ),
    _example(
        *("inference mode where only a cell of one's own reads it", Verdict.UNDECIDED, "own-in-inference"),
        kinds={"norm": "__main__.Norm"},
        modes={1: _ALL},
    ),
    _example("a normalisation that is kept as it is", Verdict.OK, "kept-in-inference", modes={1: ["norm"]}),
    _example(
        *("statistics that stay as they were made", Verdict.UNDECIDED, "statistics-kept"),
        weights={"norm.moving_mean": {"constant": True, "digest": "end-norm.moving_mean"}},
    ),
    _example(
        *("evaluated in training mode", Verdict.UNDECIDED, "evaluated-in-training"),
        more=[{**_PASS, "data": 1, "inference": [], "calls": _CALLS}],
    ),
    _example(
        *("evaluated in inference mode", Verdict.OK, "in-order"),
        more=[{**_PASS, "data": 1, "inference": _ALL, "calls": [[name, kind, False, []] for name, kind, *_ in _CALLS]}],
    ),
    _example(
        *("a function that drops in an evaluation", Verdict.PROBLEM, "drops-in-inference"),
        more=[{**_PASS, "data": 1, "inference": _ALL, "drops": [["dropout", 0.5, ["train.py", 12]]], "calls": []}],
    ),
    _example(
        *("an evaluation alone, in inference mode", Verdict.OK, "only-inference"),
        steps=0,
        more=[{**_PASS, "data": 1, "inference": _ALL, "calls": [[name, kind, False, []] for name, kind, *_ in _CALLS]}],
    ),
    _example(
        *("an evaluation alone, in training mode", Verdict.UNDECIDED, "evaluated-in-training"),
        steps=0,
        more=[{**_PASS, "data": 1, "inference": [], "calls": _CALLS}],
    ),
]
