"""Tells which weights of the network are one and the same: the project's own function builds it, and its Parameters are compared
as objects.

Catches: weights that design.shared declares to be one and that are two; a layer that stands several times in a list; siblings, such
as query and key, that are one; two Parameters of one name. Lists what is shared. Cannot tell: whether sharing is meant where
design.shared is silent, and weights that construct() alone ties together.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..case import Case
from ..language import Words
from ..model import Finding, Fix, Kind, Level, Plain, Progress, Refutes, Verdict, Where
from ..probe import Example
from . import _checkpoints, _live, weight_sharing
from ._checkpoints import shown, table
from .weight_sharing import fitting, suggest

KIND = Kind.LIVE
NEEDS = _live.needs("network")

__all__ = ["EXAMPLES", "KIND", "MESSAGES", "NEEDS", "PROOF", "WHY", "WORDS", "Params", "run", "suggest"]


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seconds: Annotated[
        float,
        Meta(gt=0, description="time for looking through the network", extra={"unit": "s", "source": "own choice"}),
    ] = 60.0


#: What the scripts seem to say of a network of which each Parameter stands in one place.
APART = ["siblings-are-one", "one-under-two-names", "replaced-by-another", "repeated"]
MESSAGES: Words = {
    "declared-apart": {
        "en": "design.shared declares {names} to be one, but the network has them as {count:,} Parameters.",
        "zh": "design.shared 声明 {names} 共享权重，但在网络中它们是 {count:,} 个不同的 Parameter。",
    },
    "declared-shared": {
        "en": "{names} are one Parameter ({name}), as design.shared declares.",
        "zh": "{names} 是同一个 Parameter（{name}），与 design.shared 的声明一致。",
    },
    "unmatched": {
        "en": "The network has no weight named {names}, as listed in design.shared.",
        "zh": "网络中没有名为 {names} 的权重，而 design.shared 中写了它。",
    },
    "same-name": {
        "en": "{count:,} names belong to several Parameters each: {names}. A checkpoint keeps only one of them, and optimizers reject "
        "them.",
        "zh": "有 {count:,} 个名称各对应多个 Parameter：{names}。checkpoint 中只会保留其中之一，优化器也会拒绝重名。",
    },
    "repeated": {
        "en": "One {what} is used {count:,} times in {where} ({names}): these layers have the same weights.",
        "zh": "{where} 中同一个 {what} 出现了 {count:,} 次（{names}）：这些层共用一组权重。",
    },
    "siblings-are-one": {
        "en": "In {where}, {names} are one and the same {what}.",
        "zh": "{where} 中的 {names} 是同一个 {what}。",
    },
    "shared": {
        "en": "{count:,} Parameters are used in several places: {names}.",
        "zh": "有 {count:,} 个 Parameter 出现在多处：{names}。",
    },
    "nothing-shared": {
        "en": "Each of the {count:,} Parameters of the network is used in one place.",
        "zh": "网络的 {count:,} 个 Parameter 各只出现在一处。",
    },
    "no-parameters": {"en": "The network has no Parameters.", "zh": "网络中没有 Parameter。"},
    "partial": {
        "en": "The network contains its cells in more than {count:,} places; the rest were not examined.",
        "zh": "网络中的单元出现超过 {count:,} 处，其余未检查。",
    },
    "fix-tie": weight_sharing.MESSAGES["fix-tie"],
    "fix-name": {
        "en": "Give each Parameter a unique name, and build cells with auto_prefix=True (the default).",
        "zh": "为每个 Parameter 指定不同的名称，并使用 Cell 默认的 auto_prefix=True。",
    },
    "fix-repeat": {
        "en": "Build one for each position ([Layer(...) for _ in range(n)]), or list the weights in design.shared if this is intended.",
        "zh": "为每个位置各创建一个（[Layer(...) for _ in range(n)]）；若属有意共享，请写入 design.shared。",
    },
}
_TOO_FEW = {
    "en": "Layers that should learn different things are one: the network has fewer weights than designed, and their gradients add up.",
    "zh": "本应各自学习的层成了同一个层：网络的权重少于设计，梯度相互叠加。",
}
WHY: Words = {
    "declared-apart": weight_sharing.WHY["declared-apart"],
    "same-name": {
        "en": "Weights of one name overwrite each other when a checkpoint is saved or loaded.",
        "zh": "保存或加载 checkpoint 时，重名的权重会互相覆盖。",
    },
    "repeated": _TOO_FEW,
    "siblings-are-one": _TOO_FEW,
}
PROOF: Words = {
    "declared-apart": weight_sharing.PROOF["declared-apart"],
    "same-name": {
        "en": "Count the names in a saved checkpoint, and those of net.get_parameters().",
        "zh": "比较保存的 checkpoint 与 net.get_parameters() 中的名称数量。",
    },
    "repeated": {
        "en": "Compare the number of net.get_parameters() with the design.",
        "zh": "将 net.get_parameters() 的数量与设计核对。",
    },
}
PROOF = {**PROOF, "siblings-are-one": PROOF["repeated"]}
_NETWORK = {"en": "the network", "zh": "网络"}
WORDS: Words = {
    "shared": {"en": "Parameters used in several places", "zh": "出现在多处的 Parameter"},
    "same-name": {"en": "Parameters of one name", "zh": "重名的 Parameter"},
    "apart": {"en": "Declared to be one", "zh": "声明共享的权重"},
    "name": _checkpoints.WORDS["name"],
    "shape": _checkpoints.WORDS["shape"],
    "places": {"en": "Places", "zh": "出现位置"},
}


@_live.by_phase(pipeline=False)
def run(case: Case, params: Params) -> Iterator[Finding | Progress]:
    from ..live.child import events

    found: dict[str, Any] = {"found": [], "twice": [], "whole": True}
    request = {**_live.network_of(case), "loss": None}
    for event in events(case, "built", request, params.seconds):
        if event["event"] == "parameters":
            found = event
    parameters: list[dict[str, Any]] = found["found"]
    if not found["whole"]:
        yield Finding(
            "partial", Level.INFO, data={"count": sum(len(one["places"]) for one in parameters)}, incomplete=True
        )
    if not parameters:
        yield Finding("no-parameters", Level.INFO, incomplete=True)
        return
    covered = yield from _declared(case.spec.design.shared, parameters)
    yield from _same_names(parameters)
    yield from _twice(found["twice"], covered)
    if several := [one for one in parameters if len(one["places"]) > 1]:
        data: dict[str, Any] = {
            "count": len(several),
            "names": shown(" = ".join(shown(one["places"])) for one in several),
        }
        yield Finding("shared", Level.INFO, data=data, evidence=[_places("shared", several)])
    elif not case.spec.design.shared:
        seen = found["lines"] if found["whole"] else {}
        refutes = [Refutes("weight_sharing_script", APART, places=seen)] if seen else []
        yield Finding("nothing-shared", Level.INFO, data={"count": len(parameters)}, refutes=refutes)


def _same_names(parameters: list[dict[str, Any]]) -> Iterator[Finding]:
    names: dict[str, list[dict[str, Any]]] = {}
    for one in parameters:
        names.setdefault(one["name"], []).append(one)
    if equal := {name: some for name, some in names.items() if len(some) > 1}:
        evidence = [_places("same-name", [one for some in equal.values() for one in some])]
        data: dict[str, Any] = {"count": len(equal), "names": shown(equal)}
        yield Finding("same-name", Level.PROBLEM, Where(name=next(iter(equal))), data, list(evidence), Fix("fix-name"))


def _declared(shared: list[list[str]], parameters: list[dict[str, Any]]) -> Generator[Finding, None, set[str]]:
    """Each group of design.shared against the network; returns the places that are declared."""
    owner = {one["name"]: one for one in parameters}
    owner |= {place: one for one in parameters for place in one["places"]}
    covered: set[str] = set()
    for group in shared:
        found = fitting(group, owner)
        covered.update(place for some in found for place in some)
        if lacking := [name for name, some in zip(group, found, strict=True) if not some]:
            yield Finding("unmatched", Level.SUSPECT, data={"names": lacking})
        things = {id(owner[place]): owner[place] for some in found for place in some}
        data: dict[str, Any] = {"names": list(group), "count": len(things)}
        if len(things) > 1:
            evidence = [_places("apart", list(things.values()))]
            place = Where(name=next(iter(found[0]), None))
            yield Finding("declared-apart", Level.PROBLEM, place, data, list(evidence), Fix("fix-tie"))
        elif things and not lacking:
            (only,) = things.values()
            yield Finding("declared-shared", Level.INFO, Where(name=only["name"]), data | {"name": only["name"]})
    return covered


def _twice(twice: list[dict[str, Any]], covered: set[str]) -> Iterator[Finding]:
    """Layers that stand several times in a list, and siblings that are one, unless design.shared says so."""
    from ..script.sharing import siblings

    for entry in twice[:100]:
        where, names = entry["where"], entry["names"]
        paths = [f"{where}.{name}" if where else name for name in names]
        if all(any(place == path or place.startswith(path + ".") for place in covered) for path in paths):
            continue
        data = {"where": where or _NETWORK, "names": shown(names), "what": entry["what"], "count": len(names)}
        if entry["listed"]:
            yield Finding("repeated", Level.SUSPECT, Where(name=paths[0]), data, fix=Fix("fix-repeat"))
        elif any(siblings(names[0], name) for name in names[1:]):
            yield Finding("siblings-are-one", Level.SUSPECT, Where(name=paths[0]), data, fix=Fix("fix-repeat"))


def _places(title: str, parameters: list[dict[str, Any]]) -> Any:
    rows: list[list[Plain]] = [
        [one["name"], "×".join(map(str, one["shape"])) or "-", ", ".join(one["places"][:20])] for one in parameters
    ]
    return table(title, ["name", "shape", "places"], rows)


_NET = """
from mindspore import nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 8)
        self.query, self.key = nn.Dense(8, 8), nn.Dense(8, 8)
        self.layers = nn.SequentialCell([nn.Dense(8, 8) for _ in range(3)])
        self.head = nn.Dense(8, 50, has_bias=False)
{more}
    def construct(self, x):
        x = self.embedding(x)
        return self.head(self.layers(self.query(x) + self.key(x)))
"""


def _example(name: str, more: str, verdict: Verdict, *codes: str, shared: list[list[str]] | None = None) -> Example:
    case: dict[str, Any] = {"network": {"call": "net:Net"}}
    if shared:
        case["design"] = {"shared": shared}
    lines = "".join(f"        {line}\n" for line in more.splitlines())
    return Example(name, files={"net.py": _NET.replace("{more}", lines)}, case=case, verdict=verdict, codes=codes)


_TIE = "self.head.weight = self.embedding.embedding_table"
_TIED = [["embedding.embedding_table", "head.weight"]]

EXAMPLES = [
    _example("nothing shared", "", Verdict.NOT_APPLICABLE, "nothing-shared"),
    _example("output layer and embedding tied", _TIE, Verdict.OK, "shared"),
    _example("tied, as declared", _TIE, Verdict.OK, "declared-shared", shared=_TIED),
    _example(
        *("declared, but the values are copied", "self.head.weight.set_data(self.embedding.embedding_table)"),
        *(Verdict.PROBLEM, "declared-apart"),
        shared=_TIED,
    ),
    _example(
        "one layer three times",
        "self.layers = nn.SequentialCell([nn.Dense(8, 8)] * 3)",
        Verdict.UNDECIDED,
        "repeated",
    ),
    _example(
        *("one layer three times, as declared", "self.layers = nn.SequentialCell([nn.Dense(8, 8)] * 3)", Verdict.OK),
        "declared-shared",
        shared=[["layers.*.weight"], ["layers.*.bias"]],
    ),
    _example("key is query", "self.key = self.query", Verdict.UNDECIDED, "siblings-are-one"),
    _example(
        "a name that nothing has", "", Verdict.UNDECIDED, "unmatched", shared=[["encoder.weight", "decoder.weight"]]
    ),
]
