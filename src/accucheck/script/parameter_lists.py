"""Which parameters of a network a list holds: whole networks, copies and sums of lists, parts by place, and what a comprehension, a filter
or a loop takes by the names of parameters.

The names are those that the network's own attributes give. A condition that asks for more than a name leaves the answer open, and so does
what could not be followed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..knowledge import api
from ..knowledge.methods import PARAMETERS
from . import flow
from .effects import bound_arguments
from .networks import inside, is_layer, is_parameter, leaves, weights
from .syntax import walk
from .values import (
    Call,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    Partial,
    Test,
    UnknownValue,
    Value,
    Write,
    options,
    string_of,
)

#: What gives a list of the same parameters: in the same order, or in any.
_SAME_ORDER = ("list", "tuple", "ParameterTuple")
_COPIES = (*_SAME_ORDER, "reversed", "sorted", "iter")


def matrices(layer: Call) -> list[str]:
    """The weights of a layer other than biases and statistics."""
    return [name for name in weights(layer.api) if not re.search(r"bias|beta|moving|running", name)]


def behind(value: Value | None, depth: int = 0, seen: dict[int, tuple[int, Value]] | None = None) -> Iterator[Value]:
    """What a list of parameters is put together from: filters, groups and copies of the list; copies of the parameters are others. With
    `seen`, each value once, or once more where a shorter way leads to it: for values that are no lists of parameters, and may be large."""
    if value is None or depth > 12:
        return
    if seen is not None:
        if id(value) in seen and seen[id(value)][0] <= depth:
            return
        seen[id(value)] = depth, value
    yield value
    if isinstance(value, Call) and value.name in (*PARAMETERS, "@parameters", ".clone"):
        return
    if isinstance(value, (Call, Many, Items, Mapping, Partial)):
        for inner in _parts(value)[:60]:
            yield from behind(inner, depth + 1, seen)


def _parts(value: Value) -> list[Value]:
    """What a value is put together from: an element of a list is that whatever is written into it."""
    is_element = isinstance(value, Call) and value.name in (".each", "[]") and value.base is not None
    return [value.base, *value.args] if is_element and isinstance(value, Call) and value.base else flow.inputs(value)


def listed_weights(layer: Call, bare: bool) -> list[str]:
    """The weights of a layer as a list of parameters has them; `bare`: without a bias where it is not seen whether there is one."""
    held = [*weights(layer.api)]
    has = _has_bias(layer)
    if has is False or (has is None and bare):
        held = matrices(layer)
    return held or [""]


def _has_bias(layer: Call) -> bool | None:
    """Whether a layer has a bias; None where that is not seen. True for one that has no such argument."""
    known = api.find(layer.api)
    name = next((name for name in ("has_bias", "bias") if known is not None and name in known.parameters), None)
    if known is None or name is None:
        return None if known is None else True
    given = None if layer.unpacked else bound_arguments(layer)
    if given is None:
        return None
    value = given.get(name, KnownValue(known.defaults.get(name)))
    return bool(value.value) if isinstance(value, KnownValue) and not value.assumed else None


def takes_part(made: Call) -> bool:
    """True for an item, or a part, of something that holds parameters; not for a part of what a loop yields, as of name and parameter."""
    of_turn = isinstance(made.base, Call) and made.base.name == ".each"
    return made.name == "[]" and bool(made.args) and not of_turn


def is_cut(made: Call) -> bool:
    """True for an item, or a part, of a list of parameters, or of a copy of it."""
    return takes_part(made) and listing_of(made) is not None


def listing_of(cut: Call) -> Call | None:
    """The list of parameters that an item, or a part, is taken of, or of a copy of which; None where it is none."""
    listed = cut.base
    while isinstance(listed, Call) and listed.api in _SAME_ORDER and len(listed.args) == 1:
        listed = listed.args[0]
    return listed if isinstance(listed, Call) and listed.name in PARAMETERS else None


def part_of(key: Value) -> slice | None:
    """The places that a key of a list stands for; None where they are not seen."""
    if isinstance(key, KnownValue) and type(key.value) is int:
        return slice(key.value, key.value + 1 or None)
    bounds = [bound.value for bound in key.args if isinstance(bound, KnownValue)] if isinstance(key, Call) else []
    plain = all(bound is None or type(bound) is int for bound in bounds)
    return slice(*bounds) if len(bounds) == 3 and plain and bounds[2] != 0 else None


def ends_off(chosen: slice) -> bool:
    """True when a part leaves out so many at the ends of a list: more of them in between change nothing."""
    return (chosen.start or 0) >= 0 and (chosen.stop is None or chosen.stop < 0) and chosen.step in (None, 1)


def left_out_of(places: list[tuple[int, bool]], chosen: slice) -> list[tuple[int, bool]]:
    within = set(range(len(places))[chosen])
    return [place for number, place in enumerate(places) if number not in within]


_COMPARES: dict[str, Callable[[str, str], bool]] = {
    "in": lambda part, text: part in text,
    "not in": lambda part, text: part not in text,
    "==": str.__eq__,
    "!=": str.__ne__,
    ".startswith": str.startswith,
    ".endswith": str.endswith,
}


_JOINS: dict[str, Callable[[Iterable[bool]], bool]] = {"any": any, "all": all}


def _is_among(made: Call, listed: Items, name: str) -> bool | None:
    """Whether a part of the name of a parameter is, or is not, one of several texts."""
    said = _text_of(made.args[0], name)
    texts = [item.value for item in listed.items if isinstance(item, KnownValue)]
    if said is None or listed.open or len(texts) != len(listed.items):
        return None
    return (said in texts) is (made.name == "in")


def _of_all(join: Callable[[Iterable[bool]], bool], among: Items, name: str, depth: int) -> bool | None:
    """any() or all() of conditions on the name of a parameter."""
    each = [holds(item, name, depth - 1) for item in among.items]
    return None if None in each or among.open else join(map(bool, each))


def holds(value: Value, name: str, depth: int = 8) -> bool | None:
    """A condition on the name of a parameter, for a name."""
    if isinstance(value, Many) and depth:
        return _several(value, name, depth)
    if not isinstance(value, Call) or not depth:
        return None
    first = value.args[0] if value.args else None
    if value.name == "not" and first is not None:
        inner = holds(first, name, depth - 1)
        return None if inner is None else not inner
    if value.name in _JOINS and isinstance(first, Items):
        return _of_all(_JOINS[value.name], first, name, depth)
    if value.name in ("in", "not in") and isinstance(value.args[1], Items):
        return _is_among(value, value.args[1], name)
    return _compares(value, name)


def _several(value: Many, name: str, depth: int) -> bool | None:
    """Conditions that `and` or `or` joins."""
    each = [holds(one, name, depth - 1) for one in value.options]
    if value.by is None or None in each or len(each) != len(value.by.values):
        return None
    return all(each) if isinstance(value.by.op, ast.And) else any(each)


def _compares(made: Call, name: str) -> bool | None:
    """A comparison of two texts, one of which may be made of the name."""
    sides = [_text_of(side, name) for side in ((made.base, *made.args) if made.name[:1] == "." else made.args)]
    if made.name not in _COMPARES or len(sides) != 2 or sides[0] is None or sides[1] is None:
        return None
    return _COMPARES[made.name](sides[0], sides[1])


def _piece(split: Call, place: int, name: str, depth: int) -> str | None:
    """One part of a text that is divided: name.split(".")[0]."""
    whole, mark = (_text_of(part, name, depth - 1) for part in (split.base, next(iter(split.args), None)))
    parts = whole.split(mark) if whole and mark else []
    return parts[place] if -len(parts) <= place < len(parts) else None


def _text_of(value: Value | None, name: str, depth: int = 8) -> str | None:
    """The text that a value is where a parameter has this name; None when it is not seen."""
    if not isinstance(value, Call):
        return string_of(value)
    if value.name == "@name":
        return name
    place = value.args[0] if value.name == "[]" else None
    if not (depth and isinstance(value.base, Call) and isinstance(place, KnownValue) and type(place.value) is int):
        return None
    if value.base.name == ".split":
        return _piece(value.base, place.value, name, depth)
    pairs = value.base.name == ".each" and place.value == 0
    return name if pairs and any(_pairs(part) for part in behind(value.base)) else None


def _pairs(value: Value) -> bool:
    if not isinstance(value, Call):
        return False
    of = value.base if value.name == ".items" else None
    return value.name == ".parameters_and_names" or (isinstance(of, Call) and of.name == ".parameters_dict")


# --- what a list takes ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Weight:
    """A weight of a layer, or a parameter (whose `name` is empty), and the name that it goes by in the outermost cell that holds it."""

    layer: Call
    name: str
    full: str


def taken(given: Value | None, layer: Call, full: str) -> bool | None:
    """Whether a list of parameters has a matrix of a layer; None where that cannot be told. `full`: the name of the layer in the outermost
    cell that holds it."""
    return any_of(takes(given, Weight(layer, name, _joined(full, name))) for name in matrices(layer) or [""])


def _joined(layer: str, weight: str) -> str:
    return f"{layer}.{weight}".strip(".")


def any_of(found: Iterable[bool | None]) -> bool | None:
    """Whether one of several is true; None where none is, and one is not known."""
    known = list(found)
    return True if True in known else None if None in known else False


def takes(given: Value | None, weight: Weight, depth: int = 12) -> bool | None:
    """Whether a list of parameters has a weight; None where that cannot be told."""
    if not depth:
        return None
    if given is None or isinstance(given, KnownValue):
        return False
    if isinstance(given, Mapping):
        return takes(given.items.get("params"), weight, depth - 1)
    if isinstance(given, Many):
        found = {takes(option, weight, depth - 1) for option in given.options}
        return found.pop() if len(found) == 1 else None
    if isinstance(given, Items):
        return (
            _added(given, weight, depth) if given.open else any_of(takes(one, weight, depth - 1) for one in given.items)
        )
    return _of_call(given, weight, depth) if isinstance(given, Call) else None


def _of_call(given: Call, weight: Weight, depth: int) -> bool | None:
    if is_parameter(given):
        return given is weight.layer
    if given.name in PARAMETERS:
        return _is_listed(given, weight)
    if given.name == "+" or given.last == "chain" or given.api in _COPIES:
        return any_of(takes(one, weight, depth - 1) for one in given.args)
    if given.name == "[]":
        return _in_part(given, weight)
    if given.name in ("comprehension", "filter"):
        return _picked(_gone_over(given), given.picks, weight, depth)
    return None


def _is_listed(listing: Call, weight: Weight) -> bool | None:
    """Whether the network, or each of those that it may be, whose parameters are listed has a layer; None also for one that is out of
    sight, as what a function that is not followed makes of a network."""
    held = {_has(network, weight) for network in options(listing.base)}
    return held.pop() if len(held) == 1 else None


def _has(network: Value, weight: Weight) -> bool | None:
    if id(weight.layer) in _paths(network):
        return True
    if isinstance(network, Instance) or is_layer(network) or inside(network) is not None:
        return False
    return False if _is_plain(network) else None


def _is_plain(network: Value) -> bool:
    """True for a cell of the framework that is made of no other: a loss, an activation."""
    if not isinstance(network, Call) or api.find(network.api) is None:
        return False
    return not any(True for given in (*network.args, *network.keywords.values()) for _ in leaves(given))


@lru_cache(maxsize=8)
def _paths(network: Value) -> dict[int, list[tuple[str, ...]]]:
    """The layers and parameters of a network by their ids, each with the names of attributes on the ways to it. Kept for the last
    networks, as each weight is asked for in turn."""
    found: dict[int, list[tuple[str, ...]]] = {}
    for path, leaf in leaves(network):
        found.setdefault(id(leaf), []).append(path)
    return found


def _turn(made: Value) -> Call | None:
    """The turn of a loop that gives a parameter itself, or a pair of its name and it."""
    turn = made.base if isinstance(made, Call) and made.name == "[]" else made
    return turn if isinstance(turn, Call) and turn.name == ".each" else None


def _gone_over(made: Call) -> Value | None:
    """What a comprehension, or a filter, takes parameters from as they are."""
    if made.name == "filter":
        return made.args[1] if made.picks else UnknownValue()
    turn = _turn(made.args[0])
    if turn is None or len(made.args) != 2:
        return UnknownValue()
    return made.args[1] if len(getattr(made.node, "generators", ())) == 1 else turn.base


def _picked(over: Value | None, conditions: tuple[Value, ...], weight: Weight, depth: int) -> bool | None:
    """Whether a weight is in a list, and meets the conditions on what is taken of it."""
    within = takes(over, weight, depth - 1)
    names = _names(over, weight)
    answers = [_meets(condition, weight, names) for condition in conditions]
    if within is False or False in answers:
        return False
    return None if None in answers else within


def _names(listed: Value | None, weight: Weight) -> set[str]:
    """The names that a weight may go by in a list: in the network of which that is, or in one around it."""
    listing = next((part for part in behind(listed) if isinstance(part, Call) and part.name in PARAMETERS), None)
    networks = options(listing.base) if listing is not None else ()
    paths = (path for network in networks for path in _paths(network).get(id(weight.layer), ()))
    return {weight.full, *(_joined(".".join(path), weight.name) for path in paths)}


def _meets(condition: Value, weight: Weight, names: set[str]) -> bool | None:
    """Whether a condition holds for each of the names that a weight may go by; what is frozen is asked elsewhere."""
    if isinstance(condition, Call) and condition.name == "@requires_grad":
        return True
    if weight.layer.loops and _asks_number(condition):
        return None  # it stands for several layers, and a number may choose one
    answers = {holds(condition, name) for name in names}
    return answers.pop() if len(answers) == 1 else None


def _asks_number(condition: Value) -> bool:
    texts = (part.value for part in flow.sources(condition) if isinstance(part, KnownValue))
    return any(isinstance(text, str) and re.search(r"\d", text) for text in texts)


def _added(listed: Items, weight: Weight, depth: int) -> bool | None:
    """Whether a loop adds a weight to a list that was empty before."""
    added = {id(write.value) for write in listed.writes}
    if any(id(item) not in added for item in listed.items):
        return None
    return any_of(_adds(write, weight, depth) for write in listed.writes)


def _adds(write: Write, weight: Weight, depth: int) -> bool | None:
    turn = _turn(write.value)
    if turn is None or any(isinstance(node, ast.Break) for loop in write.loops for node in walk(loop)):
        return None
    within = takes(turn.base, weight, depth - 1)
    conditions = [test for test in write.under if not any(test is outer for outer in turn.under)]
    names = _names(turn.base, weight)
    answers = [_agrees(test, weight, names) for test in conditions]
    if within is False or False in answers:
        return False
    return None if None in answers else within


def _agrees(test: Test, weight: Weight, names: set[str]) -> bool | None:
    answer = _meets(test.value, weight, names)
    return None if answer is None else answer is test.taken


def _in_part(cut: Call, weight: Weight) -> bool | None:
    """Whether a weight lies in a slice of the list of a network's parameters, whether or not layers have biases; a single item may well be
    one of many."""
    chosen = part_of(cut.args[0]) if cut.args and isinstance(cut.args[0], Call) else None
    listing = next((part for part in behind(cut) if isinstance(part, Call) and part.name in PARAMETERS), None)
    if listing is None or chosen is None or not is_cut(cut) or isinstance(listing.base, Many):
        return None
    held = _layers(listing.base)
    repeated = any(leaf.loops for leaf in held)
    found = {_lies_in(_places(listing, held, bare), chosen, weight) for bare in (True, False)}
    return found.pop() if len(found) == 1 and (ends_off(chosen) or not repeated) else None


def _layers(network: Value | None) -> list[Call]:
    return [leaf for _, leaf in leaves(network) if isinstance(leaf, Call)] if network is not None else []


def _places(listing: Call, held: list[Call], bare: bool) -> list[tuple[Call, str]]:
    """The layer and name of each weight in the list of a network's parameters."""
    every = [(leaf, name) for leaf in held for name in listed_weights(leaf, bare)]
    trained = listing.name == ".trainable_params"
    return [(leaf, name) for leaf, name in every if not trained or not name.startswith(("moving", "running"))]


def _lies_in(places: list[tuple[Call, str]], chosen: slice, weight: Weight) -> bool:
    return any(leaf is weight.layer and name == weight.name for leaf, name in places[chosen])
