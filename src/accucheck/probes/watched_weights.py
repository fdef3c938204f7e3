"""Looks at the weights of a watched run as they were before its first step: their values, what was loaded into them, and which are one.

Catches weights that are zero or constant and stay so, or whose output units stay alike, or that keep every gradient from the layers before
them; checkpoints that fit nothing, that are loaded and reach no network, or whose values are gone when training begins; weights that
design.shared declares to be one and that are two. What begins at zero and learns, as the last layer of a residual branch, is
information. Cannot tell weights that are random and of a wrong size, nor loads after the watched steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

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
from ._watched_networks import Parameter, WatchedNetworks
from .weight_sharing import fitting
from .weight_sharing_live import APART
from .zero_weights_live import CONSTANT

KIND = Kind.FILE
NEEDS: tuple[str | tuple[str, ...], ...] = ("watched",)


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: Annotated[
        Literal["initial", "loading", "sharing"],
        Meta(description="what to tell of the weights", extra={"unit": "", "source": "the item"}),
    ] = "initial"
    steps: Annotated[
        int,
        Meta(
            ge=2,
            description="steps after which a weight that is still constant counts as one that stays so",
            extra={
                "unit": "steps",
                "source": "own choice: what lies before a layer of zeros gets its gradient from the second on",
            },
        ),
    ] = 5
    part: Annotated[
        float,
        Meta(
            gt=0,
            lt=1,
            description="share of a checkpoint and of a network above which what does not fit, or is gone, is no exception",
            extra={"unit": "1", "source": "own choice: a new head, or a backbone alone, leaves out one side"},
        ),
    ] = 0.5


MESSAGES: Words = {
    **_watched_networks.MESSAGES,
    "units-alike": {
        "en": "{count:,} {count:weight starts|weights start} constant, and all {count:its|their} output units are still alike after "
        "{steps:,} steps: {names}. Each learns the same as the others.",
        "zh": "有 {count:,} 个权重初始为常数，{steps:,} 步之后其各输出单元仍完全相同：{names}。各单元学到的内容都一样。",
    },
    "stays-constant": {
        "en": "{count:,} {count:weight starts|weights start} at zero or constant, and {count:gets|get} no gradient in {steps:,} steps: "
        "{names}.",
        "zh": "有 {count:,} 个权重初始为零或常数，且 {steps:,} 步中没有梯度：{names}。",
    },
    "blocks": {
        "en": "{name} starts at zero and lies on the only way of the gradient: in step 1 nothing reaches the "
        "{before:weight|{before:,} weights} before it.",
        "zh": "{name} 初始为零，且位于梯度的唯一通路上：第 1 步中它之前的 {before:,} 个权重得不到梯度。",
    },
    "constant-layer": {
        "en": "The weight of {name} ({kind}) starts as one constant everywhere: all its units start the same.",
        "zh": "{name}（{kind}）的权重初始为同一个常数：各单元起点相同。",
    },
    "starts-constant": {
        "en": "{count:,} {count:weight starts|weights start} at zero or constant: {names}. Gradients pass, or nothing is trained there.",
        "zh": "有 {count:,} 个权重初始为零或常数：{names}。梯度可以通过，或该处不训练。",
    },
    "set-later": {
        "en": "{count:,} {count:weight was|weights were} changed between the first check and the first step: {names}.",
        "zh": "有 {count:,} 个权重在首次查看之后、第一步之前被赋予其他值：{names}。",
    },
    "varied": {
        "en": "{count:,} weights of two or more dimensions were checked before the first step; those not named above are not constant.",
        "zh": "已查看 {count:,} 个二维及以上的权重在第一步之前的取值；除上面列出的以外都不是常数。",
    },
    "nothing-loaded": {
        "en": "The watched run loaded no checkpoint.",
        "zh": "所观察的运行没有加载 checkpoint。",
    },
    "fits-nothing": {
        "en": "The checkpoint has {given:,} entries, and none of them matches any of the network's {of:,} parameters: nothing was "
        "loaded.",
        "zh": "checkpoint 的 {given:,} 个条目与网络的 {of:,} 个参数没有一个对应：什么也没有加载。",
    },
    "fits-partly": {
        "en": "{unused:,} of {given:,} entries of the checkpoint were not used, and {missing:,} of the network's {of:,} parameters not "
        "loaded, such as {names} here and {other} there.",
        "zh": "checkpoint 的 {given:,} 个条目中有 {unused:,} 个没有用上，网络的 {of:,} 个参数中有 {missing:,} 个没有加载，"
        "例如网络一侧的 {names} 和 checkpoint 一侧的 {other}。",
    },
    "left-out": {
        "en": "{count:,} {count:weight|weights} of the network {count:was|were} left out of what was loaded, although {path} has them "
        "with the same names and shapes: {names}. {count:It keeps its|They keep their} random initial values.",
        "zh": "网络中有 {count:,} 个权重没有加载，而 {path} 中有名称和形状都相同的条目：{names}。它们保持随机初始值。",
    },
    "overwritten": {
        "en": "{count:,} of {loaded:,} loaded parameters hold other values when training begins: {names}. The load had no effect.",
        "zh": "加载的 {loaded:,} 个参数中有 {count:,} 个在训练开始时已是其他值：{names}。加载没有起作用。",
    },
    "not-applied": {
        "en": "{path} was loaded with {count:,} entries, of which {named:,} are called as parameters of the network, but none of its "
        "values is in the network when training begins.",
        "zh": "已加载 {path} 的 {count:,} 个条目，其中 {named:,} 个与网络参数同名，但训练开始时网络中没有任何一个是它的值。",
    },
    "loaded": {
        "en": "{loaded:,} of {of:,} parameters were loaded; not loaded: {names}; not used of the checkpoint: {other}.",
        "zh": "{of:,} 个参数中加载了 {loaded:,} 个；未加载：{names}；checkpoint 中未使用：{other}。",
    },
    "read": {
        "en": "{path} was read, {count:,} entries.",
        "zh": "读取了 {path}，共 {count:,} 个条目。",
    },
    "declared-apart": {
        "en": "design.shared declares {names} to be one, but the network that was trained has them as {count:,} Parameters.",
        "zh": "design.shared 声明 {names} 共享权重，但所训练的网络中它们是 {count:,} 个不同的 Parameter。",
    },
    "declared-shared": {
        "en": "{names} are one Parameter, as design.shared declares.",
        "zh": "{names} 是同一个 Parameter，与 design.shared 的声明一致。",
    },
    "unmatched": {
        "en": "design.shared names what the watched network does not have: {names}.",
        "zh": "design.shared 中的 {names} 在所观察的网络中不存在。",
    },
    "shared": {
        "en": "{count:,} {count:Parameter is|Parameters are} used in several places: {names}.",
        "zh": "有 {count:,} 个 Parameter 出现在多处：{names}。",
    },
    "nothing-shared": {
        "en": "Each of the {count:,} parameters of the trained network is used in one place.",
        "zh": "所训练网络的 {count:,} 个参数都只出现在一处。",
    },
    "fix-initialise": {
        "en": "Give the weight a random initialiser (HeUniform, XavierUniform, Normal ...), through weight_init or "
        "parameter.set_data(initializer(...)).",
        "zh": "为该权重设置随机初始化（如 HeUniform、XavierUniform、Normal），可通过 weight_init 或 parameter.set_data(initializer(...))。",
    },
    "fix-names": {
        "en": "Compare the names on both sides, and rename the entries of the checkpoint before they are loaded.",
        "zh": "比较两侧的名称，在加载之前把 checkpoint 的条目改成网络中的名称。",
    },
    "fix-filter": {
        "en": "Check the condition that selects entries before load_param_into_net: only those of a new head should be left out.",
        "zh": "检查 load_param_into_net 之前筛选条目的条件，只去掉需要新建的输出层。",
    },
    "fix-order": {
        "en": "Load the weights after everything that initialises the network, right before training.",
        "zh": "在所有初始化之后、训练之前再加载权重。",
    },
    "fix-apply": {
        "en": "Load it into the network with load_param_into_net(net, load_checkpoint(path)), and check the return value.",
        "zh": "写入网络：load_param_into_net(net, load_checkpoint(path))，并检查其返回值。",
    },
    "fix-tie": {
        "en": "Use the same Parameter in both places: head.weight = embedding.embedding_table.",
        "zh": "让两处使用同一个 Parameter：head.weight = embedding.embedding_table。",
    },
}
_ALIKE = {
    "en": "Units that start alike and get like gradients stay alike: the layer is as good as one of a single unit.",
    "zh": "起点相同、梯度相同的单元会一直相同：整层的作用相当于只有一个单元。",
}
_SCRATCH = {
    "en": "Training starts from random values instead of trained ones: it takes more steps and reaches a lower accuracy.",
    "zh": "训练从随机值而不是预训练权重开始：需要更多步数，精度也更低。",
}
_APART = {
    "en": "Two copies drift apart from the first step, and the network has more parameters than its design.",
    "zh": "两份权重从第一步起就各自变化，网络的参数也比设计的多。",
}
WHY: Words = {
    **dict.fromkeys(("units-alike", "stays-constant", "blocks", "constant-layer"), _ALIKE),
    **dict.fromkeys(("fits-nothing", "fits-partly", "left-out", "overwritten", "not-applied"), _SCRATCH),
    "declared-apart": _APART,
    "unmatched": {
        "en": "What is declared of a name that is not there is not checked: the weights that were meant may be two.",
        "zh": "名称不存在，这条声明就没有得到核对：本应共享的权重可能并未共享。",
    },
}
_AGAIN = {
    "en": "Watch again after the fix: the same facts are checked again.",
    "zh": "修改后再次运行 accucheck watch 核对。",
}
PROOF: Words = dict.fromkeys(WHY, _AGAIN)
WORDS: Words = {
    **_watched_networks.WORDS,
    "given": {
        "en": "Standard deviation of each layer's output, by step; × is NaN or Inf",
        "zh": "各层各步输出的标准差；× 为 NaN 或 Inf",
    },
    "spread": {"en": "standard deviation", "zh": "标准差"},
    "weights": {"en": "Weights", "zh": "权重"},
    "entries": {"en": "Not loaded, and not used", "zh": "未加载与未使用的条目"},
    "network": {"en": "Not loaded into the network", "zh": "网络中未加载"},
    "checkpoint": {"en": "Not used of the checkpoint", "zh": "checkpoint 中未使用"},
    "places": {"en": "Places of one Parameter", "zh": "同一 Parameter 的出现位置"},
}


def suggest(findings: Iterable[Finding]) -> Verdict:
    """As usual, but not applicable where nothing was loaded, or nothing is shared and nothing was to be."""
    found = list(findings)
    verdict = usual(found)
    nothing = any(one.code in ("nothing-loaded", "nothing-shared") for one in found)
    return Verdict.NOT_APPLICABLE if verdict is Verdict.OK and nothing else verdict


def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    seen = _watched_networks.seen(case)
    if not isinstance(seen, WatchedNetworks):
        yield Finding("no-steps", Level.INFO, Where(seen.path), {"path": seen.path}, incomplete=True)
    elif params.about == "initial":
        yield from _Initial(seen, params).judge()
    elif params.about == "loading":
        yield from _Loading(seen, params).judge()
    else:
        yield from _sharing(seen, case.spec.design.shared)


def _told(
    seen: WatchedNetworks, code: str, level: Level, some: list[Parameter], fix: str | None = None, **data: Any
) -> Finding:
    data = {"count": len(some), "names": shown(one.path for one in some), "steps": seen.watch.steps} | data
    place = next((one.place for one in some if one.place), None)
    where = seen.watch.where(list(place or []), name=some[0].path)
    evidence: list[Evidence] = [_watched_networks.listed("weights", some)]
    return Finding(code, level, where, data, evidence, Fix(fix) if fix else None)


class _Initial:
    """Weights that are zero or constant before the first step."""

    def __init__(self, seen: WatchedNetworks, params: Params) -> None:
        self.seen, self.params = seen, params
        self.order: dict[tuple[int | None, str], int] = {}
        for one in seen.passes:
            if one.training:
                for place, call in enumerate(seen.calls(one)):
                    self.order.setdefault((call.network, call.name), place)
        self.weights = [one for one in seen.parameters.values() if one.matrix and one.network in seen.trained]

    def judge(self) -> Iterator[Finding]:
        flat = [one for one in self.weights if one.constant]
        groups: dict[str, list[Parameter]] = {}
        for one in flat:
            groups.setdefault(self._code(one), []).append(one)
        several = len(groups.get("stays-constant", ())) > 1
        for code, level in (
            ("set-later", Level.INFO),
            ("units-alike", Level.PROBLEM),
            ("stays-constant", Level.PROBLEM if several else Level.SUSPECT),
            ("starts-constant", Level.INFO),
        ):
            if some := groups.get(code):
                yield _told(self.seen, code, level, some, "fix-initialise" if level is not Level.INFO else None)
        for code in ("blocks", "constant-layer"):
            for one in groups.get(code, ()):
                data = {"name": one.path, "kind": one.kind.rpartition(".")[2], "before": len(self._before(one))}
                yield _told(self.seen, code, Level.SUSPECT, [one], "fix-initialise", **data)
        bad = {one.place for one in flat}
        lines = _watched_networks.lines(one for one in self.weights if one.place not in bad)
        refutes = [Refutes("zero_weights_script", CONSTANT, places=lines)] if lines else []
        data = {"count": len(self.weights)}
        yield Finding("varied", Level.INFO, self.seen.watch.where(), data, self._given(), refutes=refutes)

    def _given(self) -> list[Evidence]:
        """How far what the layers with weights give is spread, by layer and step."""
        layers = {(one.network, one.layer): one.path for one in self.weights if (one.network, one.layer) in self.order}
        spread: dict[tuple[int | None, str], dict[int, float | None]] = {key: {} for key in layers}
        for one in self.seen.passes:
            for call in self.seen.calls(one) if one.training else ():
                if (call.network, call.name) in spread and call.gave:
                    value = _watched_networks.number(call.gave[0].get("std"))
                    spread[call.network, call.name].setdefault(one.step, value)
        rows = [(key[1] or ".", spread[key]) for key in sorted(layers, key=lambda key: self.order[key])]
        known = any(value is not None for _, values in rows for value in values.values())
        return [_watched_networks.heat("given", "spread", rows)] if known else []

    def _code(self, one: Parameter) -> str:
        """What becomes of a weight that starts at zero or constant."""
        if one.start != one.built:
            return "set-later"
        if not one.optimizers or (one.network, one.layer) not in self.order:
            return "starts-constant"
        norms = self.seen.norms.get(one.id, [])
        if len(norms) >= self.params.steps and not any(norm for _, _, norm in norms):
            return "stays-constant"
        if one.alike and one.end and self.seen.watch.steps >= self.params.steps:
            return "units-alike"
        if one.zero:
            return "blocks" if self._blocks(one) else "starts-constant"
        own = not one.kind.startswith("mindspore.")
        return "starts-constant" if own else "constant-layer"

    def _before(self, one: Parameter) -> list[Parameter]:
        """The trained weights of layers that run before the one of this weight."""
        place = self.order[one.network, one.layer]
        return [
            other
            for other in self.weights
            if other.network == one.network and other.optimizers
            if self.order.get((other.network, other.layer), place) < place
        ]

    def _blocks(self, one: Parameter) -> bool:
        """Whether in step 1 no gradient reaches what runs before it, though others run after it: one that is last may start at zero."""
        place = self.order[one.network, one.layer]
        after = [
            other
            for other in self.weights
            if other.network == one.network and self.order.get((other.network, other.layer), 0) > place
        ]
        firsts = [
            norm for other in self._before(one) for step, _, norm in self.seen.norms.get(other.id, []) if step == 1
        ]
        return bool(after and firsts) and not any(firsts)


#: What reading the scripts says of checkpoints that have no effect, and that loaded values in a network that runs prove wrong.
UNLOADED = ["not-applied", "nothing-loaded", "names-changed", "another-object", "directory", "directory-possible"]
OVERWRITTEN = ["overwritten", "overwritten-possible"]


class _Loading:
    """What load_checkpoint read and load_param_into_net took."""

    def __init__(self, seen: WatchedNetworks, params: Params) -> None:
        self.seen, self.params = seen, params
        self.loaded = seen.watch.facts("loaded")
        self.taken = seen.watch.facts("taken")

    def judge(self) -> Iterator[Finding]:
        if not self.loaded and not self.taken:
            yield Finding("nothing-loaded", Level.INFO, self.seen.watch.where())
            return
        for fact in self.taken:
            yield from self._of_network(fact)
        for fact in self.loaded:
            if not any(other["at"] > fact["at"] for other in self.taken):
                yield self._read(fact)

    def _of_network(self, fact: dict[str, Any]) -> Iterator[Finding]:
        """What one load_param_into_net did."""
        lacking, unused, of, given = fact["not_loaded"], fact["not_used"], fact["of"] or 0, fact.get("given") or 0
        where = self.seen.watch.where(fact["place"])
        data: dict[str, Any] = {"of": of, "given": given, "missing": len(lacking), "unused": len(unused)}
        data |= {"loaded": of - len(lacking), "names": shown(lacking) or ["-"], "other": shown(unused) or ["-"]}
        rows: list[list[Plain]] = [
            [lacking[at] if at < len(lacking) else None, unused[at] if at < len(unused) else None]
            for at in range(max(len(lacking), len(unused)))
        ]
        evidence: list[Evidence] = [table("entries", ["network", "checkpoint"], rows)] if rows else []
        part = self.params.part
        if of and given and len(lacking) >= of:
            yield Finding("fits-nothing", Level.PROBLEM, where, data, evidence, Fix("fix-names"))
            return
        if len(unused) > part * given and len(lacking) > part * of:
            yield Finding("fits-partly", Level.SUSPECT, where, data, evidence, Fix("fix-names"))
        else:
            yield Finding("loaded", Level.INFO, where, data, evidence, refutes=self._refuted(fact))
            yield from self._left_out(fact, where)
        yield from self._overwritten(fact, where)

    def _left_out(self, fact: dict[str, Any], where: Where) -> Iterator[Finding]:
        """Weights that the checkpoint read last would have fitted and that were not loaded; one alone may be a head that is new."""
        read = [one for one in self.loaded if one["at"] < fact["at"]][-1:]
        for one in read:
            shapes = dict(zip(one.get("names", ()), one.get("shapes", ()), strict=False))
            lacking = {name for name in fact["not_loaded"] if name in shapes}
            some = [
                held
                for held in self.seen.parameters.values()
                if held.path in lacking
                and held.matrix
                and held.shape == shapes[held.path]
                and held.id not in fact["ids"]
            ]
            if len(some) > 1:
                told = _told(self.seen, "left-out", Level.SUSPECT, some, "fix-filter", path=one["path"])
                yield msgspec.structs.replace(told, where=where)

    def _refuted(self, fact: dict[str, Any]) -> list[Refutes]:
        """What is said of the lines that read and took values which the network has when it first runs."""
        compared = self._compared(fact)
        kept = {value for one, value in compared if one.built == value and not one.constant}
        if not kept:
            return []
        read = [one for one in self.loaded if kept & {*one.get("digests", ())}]
        places: dict[str, list[list[int]]] = {}
        for one in (fact, *read):
            if one.get("place"):
                path, line = one["place"]
                places.setdefault(path, []).append([line, line])
        codes = [*UNLOADED, *(OVERWRITTEN if all(one.built == value for one, value in compared) else [])]
        return [Refutes("pretrained_weights_script", codes, places=places)] if places else []

    def _compared(self, fact: dict[str, Any]) -> list[tuple[Parameter, str]]:
        """The parameters that one load_param_into_net filled and that may be compared, each with the digest of what it got."""
        known = zip(fact.get("ids", ()), fact.get("digests", ()), fact.get("types", ()), strict=False)
        return [(self.seen.parameters[key], value) for key, value, kind in known if self._same(key, kind, fact["at"])]

    def _overwritten(self, fact: dict[str, Any], where: Where) -> Iterator[Finding]:
        """Loaded parameters that hold other values when their network is first seen in training: weights, as initialising often leaves
        biases and scales alone."""
        compared = self._compared(fact)
        found = [(one, value) for one, value in compared if one.matrix] or compared
        other = [one for one, value in found if one.built != value]
        if len(other) > 1 and len(other) > self.params.part * len(found):
            told = _told(self.seen, "overwritten", Level.PROBLEM, other, "fix-order", loaded=len(found))
            yield msgspec.structs.replace(told, where=where)

    def _same(self, key: int, kind: str, at: int) -> bool:
        """Whether a parameter may be compared: trained, of a network first seen after the load, and of the type that it then had. One that
        takes no part in the training, as an average of the weights, is first seen when it may have changed."""
        one = self.seen.parameters.get(key)
        network = None if one is None else self.seen.networks.get(one.network)
        later = [fact for fact in self.taken if fact["at"] > at and key in fact.get("ids", ())]
        if one is None or network is None or later or network.number not in self.seen.trained:
            return False
        return network.at > at and one.type == kind and one.trained and bool(one.built)

    def _read(self, fact: dict[str, Any]) -> Finding:
        """A checkpoint that load_param_into_net was not given afterwards: its values may have been put into the network by hand."""
        where = self.seen.watch.where(fact["place"])
        ours = [one for one in self.seen.parameters.values() if self._later(one, fact["at"])]
        names = {*fact["names"]}
        named = [one for one in ours if one.path in names]
        data = {"path": fact["path"], "count": fact["count"], "named": len(named)}
        values = {*fact.get("digests", ())}
        inside = any(one.built in values for one in ours if not one.constant)
        if len(named) > 1 and len(named) > self.params.part * len(ours) and not inside:
            return Finding("not-applied", Level.SUSPECT, where, data, fix=Fix("fix-apply"))
        return Finding("read", Level.INFO, where, data)

    def _later(self, one: Parameter, at: int) -> bool:
        network = self.seen.networks.get(one.network)
        return network is not None and network.at > at


def _sharing(seen: WatchedNetworks, declared: list[list[str]]) -> Iterator[Finding]:
    """Parameters that stand in several places, against design.shared."""
    some = [one for one in seen.parameters.values() if one.network in seen.trained]
    groups = [names for number in sorted(seen.trained & seen.networks.keys()) for names in seen.networks[number].shared]
    owner = _owners(some, groups)
    for group in declared:
        yield from _declared(seen, group, owner)
    where = seen.watch.where()
    if groups:
        rows: list[list[Plain]] = [[", ".join(names)] for names in groups]
        data: dict[str, Any] = {"count": len(groups), "names": shown(" = ".join(names[:3]) for names in groups)}
        yield Finding("shared", Level.INFO, where, data, [table("places", ["places"], rows)])
    elif not declared:
        lines = _watched_networks.lines(some)
        refutes = [Refutes("weight_sharing_script", APART, places=lines)] if lines else []
        yield Finding("nothing-shared", Level.INFO, where, {"count": len(owner)}, refutes=refutes)


def _owners(some: list[Parameter], groups: list[list[str]]) -> dict[str, int]:
    """Which parameter stands in each place, by its id."""
    owner = {one.path: one.id for one in some}
    for names in groups:
        first = next((owner[name] for name in names if name in owner), None)
        if first is not None:
            owner |= dict.fromkeys(names, first)
    return owner


def _declared(seen: WatchedNetworks, group: list[str], owner: dict[str, int]) -> Iterator[Finding]:
    """One group of design.shared."""
    found = fitting(group, owner)
    lacking = [name for name, some in zip(group, found, strict=True) if not some]
    if lacking:
        yield Finding("unmatched", Level.SUSPECT, seen.watch.where(), {"names": lacking})
    ids = {owner[name] for some in found for name in some}
    data: dict[str, Any] = {"names": list(group), "count": len(ids)}
    if len(ids) > 1:
        some = [seen.parameters[key] for key in sorted(ids)]
        yield _told(seen, "declared-apart", Level.PROBLEM, some, "fix-tie", **data)
    elif ids and not lacking:
        yield Finding("declared-shared", Level.INFO, seen.watch.where(), data)


def _example(
    name: str, about: str, verdict: Verdict, *codes: str, shared_by_design: list[list[str]] | None = None, **args: Any
) -> Example:
    case: dict[str, Any] = {"watched": "watch"}
    if shared_by_design:
        case["design"] = {"shared": shared_by_design}
    files: dict[str, Any] = {"watch/pynative.jsonl": recording(**args)}
    return Example(name, files=files, case=case, verdict=verdict, codes=codes, params={"about": about})


_ZERO = {"zero": 1.0, "constant": True}
_LOADED = {"fact": "loaded", "at": 1, "path": "net.ckpt", "place": ["train.py", 9], "count": 3}
_LOADED |= {"names": ["first.weight", "first.bias", "head.weight"], "digests": ["a", "b", "c"]}
_TAKEN = {"fact": "taken", "at": 2, "place": ["train.py", 10], "not_loaded": [], "not_used": [], "of": 9, "given": 9}
_VALUES = {"ids": [1, 6, 8], "digests": ["start-first.weight", "start-second.weight", "start-head.weight"]}
_VALUES |= {"types": ["float32"] * 3}
_NONE = {
    **_TAKEN,
    "not_loaded": [f"p{number}" for number in range(9)],
    "not_used": [f"q{number}" for number in range(9)],
}
_PART = {
    **_TAKEN,
    "not_loaded": [f"p{number}" for number in range(6)],
    "not_used": [f"q{number}" for number in range(6)],
}
_UNUSED = {
    **_LOADED,
    "names": ["first.weight", "first.bias", "second.weight", "second.bias", "head.weight", "head.bias"],
}
_UNUSED |= {"count": 6, "digests": ["a", "b", "c", "d", "e", "f"]}
_TIE = [["first.weight", "second.weight"]]
EXAMPLES = [
    _example("random weights", "initial", Verdict.OK, "varied"),
    _example(
        *("a constant layer whose units stay alike", "initial", Verdict.PROBLEM, "units-alike"),
        weights={"second.weight": {"constant": True, "alike": True}},
    ),
    _example(
        *("two layers of zeros", "initial", Verdict.PROBLEM, "stays-constant"),
        weights={"first.weight": _ZERO, "second.weight": _ZERO},
        norms={"first": 0.0, "second": 0.0},
    ),
    _example("a last layer of zeros", "initial", Verdict.OK, "starts-constant", weights={"head.weight": _ZERO}),
    _example("a residual branch of zeros", "initial", Verdict.OK, "starts-constant", weights={"second.weight": _ZERO}),
    _example(
        *("zeros on the only way", "initial", Verdict.UNDECIDED, "blocks"),
        weights={"second.weight": _ZERO},
        norms={"first": 0.0},
    ),
    _example(
        *("a layer that starts as one constant", "initial", Verdict.UNDECIDED, "constant-layer"),
        weights={"second.weight": {"constant": True}},
    ),
    _example("no checkpoint", "loading", Verdict.NOT_APPLICABLE, "nothing-loaded"),
    _example("a checkpoint that fits", "loading", Verdict.OK, "loaded", more=[_LOADED, {**_TAKEN, **_VALUES}]),
    _example("one that fits nothing", "loading", Verdict.PROBLEM, "fits-nothing", more=[_LOADED, _NONE]),
    _example("one that fits in small part", "loading", Verdict.UNDECIDED, "fits-partly", more=[_LOADED, _PART]),
    _example(
        *("entries that would fit are left out", "loading", Verdict.UNDECIDED, "left-out"),
        more=[
            {
                **_LOADED,
                "names": ["second.weight", "head.weight"],
                "digests": ["b", "c"],
                "shapes": [[16, 16], [2, 16]],
            },
            {
                **_TAKEN,
                "not_loaded": ["second.weight", "head.weight"],
                "given": 7,
                "ids": [1],
                "digests": ["start-first.weight"],
            },
        ],
    ),
    _example(
        *("loaded, and initialised anew", "loading", Verdict.PROBLEM, "overwritten"),
        more=[_LOADED, {**_TAKEN, **_VALUES, "digests": ["a", "b", "c"]}],
    ),
    _example("one that is only read", "loading", Verdict.OK, "read", more=[_LOADED]),
    _example("one that is loaded and not applied", "loading", Verdict.UNDECIDED, "not-applied", more=[_UNUSED]),
    _example("nothing shared", "sharing", Verdict.NOT_APPLICABLE, "nothing-shared"),
    _example("shared, as declared", "sharing", Verdict.OK, "declared-shared", shared=_TIE, shared_by_design=_TIE),
    _example(
        *("declared of a layer that is not there", "sharing", Verdict.UNDECIDED, "unmatched"),
        shared_by_design=[["first.weight", "third.weight"]],
    ),
    _example("declared, but two", "sharing", Verdict.PROBLEM, "declared-apart", shared_by_design=_TIE),
]
