"""How firm the road from the cause of a finding to its place is: what lies on it that a run may decide otherwise.

Every static probe that calls a finding certain asks here, so that one rule says what makes it less: an option whose default
leads elsewhere, a condition, a value that is given another one later, or one that is only printed.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from ..knowledge import api, names
from ..knowledge.methods import CELLS, PARAMETERS
from . import flow
from .analysis import Scripts
from .factors import operation
from .networks import is_cell, is_layer, is_parameter, leaves, trains, weights
from .syntax import kept, unparse
from .trace import Store, Trace
from .training import MANY_DEVICES
from .values import (
    Call,
    Frame,
    Instance,
    Items,
    KnownValue,
    Many,
    NamedValue,
    Test,
    Value,
    frames_around,
    options,
    strings_of,
    unseen_run,
)


class Link(IntEnum):
    """The weakest link of a road, weakest first.

    ELSEWHERE: options and configuration files, left as they are, lead past it. CONDITION: something that is not seen decides.
    DEFAULT: options as they are lead there. CLEAR: nothing decides.
    """

    ELSEWHERE = 0
    CONDITION = 1
    DEFAULT = 2
    CLEAR = 3


class CertaintyPath(NamedTuple):
    """The weakest link, and the conditions that make it so, each with the file that it stands in."""

    link: Link
    tests: tuple[RunCondition, ...] = ()


class RunCondition(NamedTuple):
    """A condition that a run stands under, and the file that runs there."""

    test: Test
    path: str


#: (path as it is shown, line).
Spot = tuple[str, int]
#: The conditions that something runs under.
Run = tuple[RunCondition, ...]
_CLEAR = CertaintyPath(Link.CLEAR)
#: The modules of what computes with tensors; so many values that flow into a condition are looked at.
_COMPUTES, FAR = ("ops.", "mint.", "amp.", "nn.", "Tensor"), 60


def road(scripts: Scripts, place: Spot, causes: Iterable[Spot] = ()) -> CertaintyPath:
    """The road to a place that a finding is about, from the places that cause it. A condition of both, whichever way it goes,
    counts once. What runs several times is taken on its best way; what no script is seen to run is as firm as it stands there."""
    others = [spot for spot in dict.fromkeys(causes) if spot != place]
    found = []
    for reading in scripts.readings:
        at = runs(reading.trace)
        shared = frozenset(id(asked.test.node) for ways in at.get(place, ()) for way in ways for asked in way)
        parts = [_best(ways, frozenset()) for ways in at.get(place, ())]
        if parts:
            parts += [
                _of_cause(_best(ways, shared), reading.trace, spot) for spot in others for ways in at.get(spot, ())
            ]
            found.append(min(parts, key=_link))
    return max(found, key=_link, default=_CLEAR)


def _of_cause(found: CertaintyPath, trace: Trace, cause: Spot) -> CertaintyPath:
    """The road from a cause. Where options, left as they are, lead past it to a call of the same API, that call may be a cause as well,
    and the finding is no less than likely."""
    past = found.link is Link.ELSEWHERE
    return found._replace(link=Link.CONDITION) if past and _has_twin(trace, cause, found.tests) else found


def _has_twin(trace: Trace, cause: Spot, tests: tuple[RunCondition, ...]) -> bool:
    """Whether the other way of one of these conditions calls what the line of the cause calls."""
    called = {call.api or call.name for call in trace.calls if (call.source.path, call.line) == cause}
    ways = {(id(asked.test.node), not asked.test.taken) for asked in tests}
    twins = (call for call in trace.calls if (call.api or call.name) in called)
    return any((id(test.node), test.taken) in ways for call in twins for test in call.tests)


def _link(one: CertaintyPath) -> Link:
    return one.link


def _best(ways: list[Run], shared: frozenset[int]) -> CertaintyPath:
    return max((_way(way, shared) for way in ways), key=_link)


@kept
def runs(trace: Trace) -> dict[Spot, list[list[Run]]]:
    """What begins at each line of a trace and is not part of something else that does: for each, the conditions that it runs
    under, each time. How many devices there are is told by who starts the script, and is no condition here."""
    found: dict[Spot, dict[ast.AST, list[Run]]] = {}
    things: list[Call | Instance | Frame | Store] = [*trace.calls, *trace.instances, *trace.frames, *trace.stores]
    for thing in things:
        if thing.source is not None and thing.node is not None:
            asked = tuple(RunCondition(t, thing.source.path) for t in thing.tests if not _counts_devices(t))
            here = found.setdefault((thing.source.path, getattr(thing.node, "lineno", 1)), {})
            here.setdefault(thing.node, []).append(asked)
    return {
        spot: [ways for node, ways in here.items() if not any(_within(node, other) for other in here)]
        for spot, here in found.items()
    }


@kept
def _counts_devices(test: Test) -> bool:
    """Whether a condition asks how many devices there are."""
    return MANY_DEVICES.search(test.text) is not None


def _within(node: ast.AST, other: ast.AST) -> bool:
    """True for a node that is a part of another one that begins on its line."""
    if node is other or not (isinstance(node, (ast.expr, ast.stmt)) and isinstance(other, (ast.expr, ast.stmt))):
        return False
    return _range(other)[0] <= _range(node)[0] and _range(node)[1] <= _range(other)[1] and _range(node) != _range(other)


def _range(node: ast.expr | ast.stmt) -> tuple[int, tuple[int, int]]:
    """The column that a node begins at, and where it ends."""
    return node.col_offset, (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)


def _way(run: Run, shared: frozenset[int]) -> CertaintyPath:
    counted = []
    for asked in run:
        link = _graded(asked.test)
        if link is not Link.CONDITION or not (id(asked.test.node) in shared or _of_the_run(asked.test)):
            counted.append((link, asked))
    weakest = min((link for link, _ in counted), default=Link.CLEAR)
    return CertaintyPath(weakest, tuple(asked for link, asked in counted if link is weakest))


def _of_the_run(test: Test) -> bool:
    """True for a condition that each run meets now one way, now the other: about the kind of a thing, the turn of a loop, or what
    a network computed."""
    if isinstance(test.node, ast.Call) and unparse(test.node.func) == "isinstance":
        return True
    looked = islice(flow.sources(test.value, stop=_is_kept_setting), FAR)
    return any(isinstance(v, Call) and (v.name == ".each" or v.api.startswith(_COMPUTES)) for v in looked)


def _is_kept_setting(value: Value) -> bool:
    """True for a setting that an object of the project keeps, one that is no network: how the others beside it came about, such as in a
    loop over a file, does not make it change from turn to turn."""
    owner = value.base if isinstance(value, Call) and flow.setting(value) else None
    return isinstance(owner, Instance) and not is_cell(owner.of)


# --- weights that are given other values later ------------------------------------------------------------------------


class Replaced(NamedTuple):
    """A place that gives the weights of these layers, by id, another value; `asked` is what kind of layer it asks for, and `run` the run
    of a function that nobody is seen to call, where it is part of one: it reaches only what is made in the same. `anew`: the
    Parameter that takes the place of the weight, where it is one that is trained."""

    order: int
    layers: frozenset[int]
    value: Value
    tests: tuple[Test, ...]
    asked: str
    run: Frame | None = None
    anew: Call | None = None

    def link(self, layer: Call) -> Link:
        """How surely it reaches a layer that is in its reach."""
        shared = frozenset(id(test.node) for test in layer.tests)
        known = under(tuple(test for test in self.tests if id(test.node) not in shared))
        return min((known, *(_by_name(test, layer) for test in self.tests)))

    def reaches(self, layer: Call) -> bool:
        within = id(layer) in self.layers and self.order > layer.order
        within = within and (self.run is None or self.run is unseen_run(layer.frame))
        return within and (not self.asked or any(re.search(rf"\b{name}\b", self.asked) for name in _kinds(layer)))


def _kinds(layer: Call) -> list[str]:
    """What a layer is, by name; of a parameter of its own, what the cell that makes it is."""
    makers = (frame.owner for frame in frames_around(layer.frame)) if is_parameter(layer) else ()
    return [layer.last, *(maker.of.node.name for maker in makers if isinstance(maker, Instance))]


def _by_name(test: Test, layer: Call) -> Link:
    """Whether a condition about the name of a parameter lets the weight of a layer through: "weight" in name."""
    value, way = test.value, test.taken
    while isinstance(value, Call) and value.name == "not":
        value, way = value.args[0], not way
    if not isinstance(value, Call) or value.name not in ("in", "not in", ".endswith", ".startswith", "=="):
        return Link.CLEAR
    texts = strings_of(value.args)
    if not texts or not _of_the_run(test):
        return Link.CLEAR
    fits = any(text in (_weight_of(layer) or "") for text in texts)
    if fits or texts[0] in _parameters_of_layers():
        return Link.CLEAR if (fits is way) is (value.name != "not in") else Link.ELSEWHERE
    return Link.CONDITION


def _weight_of(layer: Value) -> str | None:
    """What a layer of the framework calls its weight, as MindSpore does: the first of its parameters. What a cell calls one of its own."""
    if is_parameter(layer) and isinstance(layer, Call):
        return next(iter(layer.bound), "").rpartition(".")[2]
    known = [layer.api] if isinstance(layer, Call) else []
    if isinstance(layer, Instance):
        known = [names.canonical(name) for name in layer.of.beyond()]
    return next((name for one in known for name in weights(one)), None)


@cache
def _parameters_of_layers() -> frozenset[str]:
    """What layers of the framework call their parameters."""
    return frozenset(name.rpartition(".")[2] for known in api.load().apis.values() for name in known.weights)


#: Methods that set a parameter; loops over all layers or parameters of a network.
_SETS = (".set_data", ".assign_value", ".copy_")
_WALKS = (*CELLS, *PARAMETERS)


class _Given(NamedTuple):
    """A parameter, or what is taken from a loop over some, that gets a value."""

    order: int
    target: Call
    value: Value
    tests: tuple[Test, ...]
    frame: Frame | None


def _given(trace: Trace) -> Iterator[_Given]:
    for store in trace.stores:
        if store.attribute in ("data", "default_input") and isinstance(store.owner, Call):
            yield _Given(store.order, store.owner, store.value, store.tests, store.frame)
    for call in trace.calls:
        done = operation(call)
        if call.name in _SETS:
            operands = [call.base, *call.args[:1]]
        else:
            operands = [done.operand(0), done.operand(1)] if done.name == "assign" else []
        if len(operands) == 2 and isinstance(operands[0], Call) and operands[1] is not None:
            yield _Given(call.order, operands[0], operands[1], call.tests, call.frame)


@kept
def replacements(trace: Trace) -> list[Replaced]:
    """All places that give weights of layers another value, in the order of running."""
    found = []
    for store in trace.stores:
        if store.attribute in _parameters_of_layers():
            one = _replaced(store.order, store.owner, store.value, store.tests, store.attribute)
            made = (part for part in options(store.value) if isinstance(part, Call) and is_parameter(part))
            anew = next((part for part in made if trains(part)), None)
            found.append(one._replace(run=unseen_run(store.frame), anew=anew))
    for given in _given(trace):
        target = given.target
        named = target.name[:1] == "@" and target.name != "@data" and target.base is not None
        owner, name = (target.base, target.name[1:]) if named else (target, None)
        one = _replaced(given.order, owner or target, given.value, given.tests, name)
        found.append(one._replace(run=unseen_run(given.frame)))
    return sorted((one for one in found if one.layers), key=lambda one: one.order)


def _replaced(order: int, owner: Value, value: Value, tests: tuple[Test, ...], name: str | None) -> Replaced:
    """`name`: what the parameter is called that gets the value; None for any."""
    held = (option for option in options(owner) if is_layer(option) or is_parameter(option))
    layers = {id(option) for option in held if _is_weight(name, option)}
    walked = _outermost_walk(owner)
    if walked is not None and walked.base is not None:
        layers |= {id(leaf) for _, leaf in leaves(walked.base) if _is_weight(name, leaf)}
    return Replaced(order, frozenset(layers), value, tests, _classes_asked(tests))


def _classes_asked(tests: tuple[Test, ...]) -> str:
    """What conditions ask about classes: as it is written, and each class by its own name too, whatever the script calls it."""
    kinds = [test for test in tests if test.taken and "isinstance" in test.text]
    classes = [part.name for test in kinds for part in flow.sources(test.value) if isinstance(part, NamedValue)]
    return " ".join([*(test.text for test in kinds), *classes])


def _walk(value: Value | None) -> Call | None:
    """The loop over layers or parameters that something is taken from."""
    return flow.find(value, lambda made: made.name in _WALKS, stop=lambda one: isinstance(one, Instance))


def _outermost_walk(owner: Value) -> Call | None:
    """The loop that begins with a whole network: one over the parameters of each cell stands within it."""
    walked, seen = _walk(owner), set[int]()
    while walked is not None and id(walked) not in seen and (outer := _walk(walked.base)) is not None:
        seen.add(id(walked))  # a loop may hand on what it walks over
        walked = outer
    return walked


def _is_weight(name: str | None, layer: Value) -> bool:
    return name is None or name == (_weight_of(layer) or name)


def under(tests: tuple[Test, ...]) -> Link:
    """The weakest of the conditions that something stands under."""
    return _way(tuple(RunCondition(test, "") for test in tests), frozenset()).link


# --- conditions -------------------------------------------------------------------------------------------------------


def _graded(test: Test) -> Link:
    default = None if test.taken is None else by_default(test.value)
    if default is None:
        return Link.CONDITION
    return Link.DEFAULT if default is test.taken else Link.ELSEWHERE


def by_default(value: Value) -> bool | None:
    """What a condition comes to where options and configuration files are left as they are; None where that is not seen."""
    if isinstance(value, KnownValue):
        return bool(value.value)
    if isinstance(value, Many):
        return _any_by_default(value)
    if not isinstance(value, Call):
        return None
    if value.name == "not":
        inner = by_default(value.args[0])
        return None if inner is None else not inner
    if value.name in _COMPARES and len(value.args) == 2:
        ways = {_compared(value.name, one, other) for one in options(value.args[0]) for other in options(value.args[1])}
        return ways.pop() if len(ways) == 1 else None
    return None


def _any_by_default(value: Many) -> bool | None:
    """The same of several values: of the operands of and, or or, what they come to together."""
    each = {by_default(option) for option in value.options}
    if value.by is None:
        return each.pop() if len(each) == 1 else None
    stops = isinstance(value.by.op, ast.Or)
    return stops if stops in each else None if None in each else not stops


_COMPARES: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "in": lambda one, other: one in other,
    "not in": lambda one, other: one not in other,
}


def _compared(symbol: str, one: Value, other: Value) -> bool | None:
    """How two constants compare, or one with a list of constants; None where they are none."""
    among = symbol in ("in", "not in")
    if not isinstance(one, KnownValue) or not isinstance(other, Items if among else KnownValue):
        return None
    if isinstance(other, KnownValue):
        return bool(_COMPARES[symbol](one.value, other.value))
    assert isinstance(other, Items)
    held = [item.value for item in other.items if isinstance(item, KnownValue)]
    if other.open or len(held) != len(other.items):
        return None
    return bool(_COMPARES[symbol](one.value, held))
