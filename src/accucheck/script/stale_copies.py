"""Copies of a network that is trained which take part in its loss and are never written again: targets that stay at first values.

A copy is a cell of the same class and layers, copied from the trained one, or made equal to it, before the first step. It is stale where
nothing that runs writes into it afterwards. Cannot tell copies of weights that may have been loaded, which may be meant to stay, nor those
that are handed to something that is not followed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache

from ..knowledge.methods import PARAMETERS
from .analysis import Scripts
from .effects import effect
from .freezing import FreezeScan, Step, assigns, reach, scan_of
from .networks import FORWARD, Observation, first_of_place, is_cell, leaves, structure_of
from .parameter_lists import behind
from .syntax import kept
from .values import Call, Instance, Value, options, unseen, unseen_run

#: Finds what is given to calls that may write into it, once.
Handed = Callable[[], list[tuple[Call, set[int]]]]
#: What goes through networks or their parameters and writes nothing.
_PLAIN = (
    "zip",
    "list",
    "tuple",
    "len",
    "enumerate",
    "iter",
    "print",
    "comprehension",
    "dict",
    "save_checkpoint",
    ".each",
    *PARAMETERS,
)


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    """Each such copy."""
    for reading in scripts.training or scripts.readings:
        yield from _stale(scan_of(structure_of(reading)))


def _stale(look: FreezeScan) -> Iterator[Observation]:
    trained = look.trained | {leaf for step in look.steps for leaf in step.trained}
    held = [(cell, {id(leaf) for _, leaf in leaves(cell)}) for cell in look.structure.cells]
    learning = [(cell, parts) for cell, parts in held if parts and parts <= trained]
    handed = cache(lambda: _handed(look))
    for copy, parts in held:
        alike = _alike(copy, parts, learning)
        step = _using(look, parts) if alike and not parts & trained else None
        if step is not None:
            for other in alike:
                yield from _judged(look, copy, other, step, handed)


def _alike(copy: Instance, parts: set[int], learning: list[tuple[Instance, set[int]]]) -> list[Instance]:
    """The trained cells of the same class and with as many layers."""
    return [cell for cell, learnt in learning if cell.of is copy.of and len(learnt) == len(parts)]


def _using(look: FreezeScan, parts: set[int]) -> Step | None:
    """The first step whose loss is computed with all of these layers."""
    return next((step for step in look.steps if parts <= reach(step.loss, stop=False)[0]), None)


def _judged(look: FreezeScan, copy: Instance, other: Instance, step: Step, handed: Handed) -> Iterator[Observation]:
    starts = _set_at_first(look, copy, other, step, handed)
    if not starts or _may_be_loaded(look, other):
        return
    back = next((call for call in _pulled(look, copy, other) if call.order > step.order), None)
    place = back or starts[-1]
    code = "copied-back" if back else "copy-stale"
    yield Observation(code, place.source, place.node, {"what": copy.of.node.name}, certain=False)


def _set_at_first(look: FreezeScan, copy: Instance, other: Instance, step: Step, handed: Handed) -> list[Call]:
    """What makes a copy equal to a network before the first step; nothing where anything else that runs may write into it."""
    writes = [call for call in look.trace.calls if copy in _written(call)]
    equal = [call for call in writes if other in _taken(call)] + [
        call for call in look.trace.calls if _copies(call, other, copy)
    ]
    starts = [call for call in equal if _starts(look, call, step)]
    idle = bool(starts) and all(call in starts or _is_idle(look, call) for call in writes)
    return starts if idle and not _replaced(look, copy) and not _handed_on(look, copy, writes, handed()) else []


def _replaced(look: FreezeScan, copy: Instance) -> bool:
    """Whether another object of the class takes the place of a copy, under its name or in the attribute that is called so."""
    others = (one for one in look.trace.instances if one.of is copy.of and one is not copy)
    return any(set(one.bound) & set(copy.bound) for one in others)


def _copies(call: Call, network: Instance, copy: Instance) -> bool:
    """Whether a call copies a network, with weights of its own for the copy."""
    return call.name == "copy.deepcopy" and call.result is copy and network in call.args


def _starts(look: FreezeScan, call: Call, step: Step) -> bool:
    """Whether a call runs before the first step alone."""
    again = {id(loop) for one in look.trace.calls if one.order == step.order for loop in one.loops}
    return call.order < step.order and not unseen(call.frame) and not again & set(map(id, call.loops))


def _may_be_loaded(look: FreezeScan, network: Instance) -> bool:
    return any(look.loaded(perhaps=True, into=id(leaf)) for _, leaf in leaves(network))


def _pulled(look: FreezeScan, copy: Instance, other: Instance) -> Iterator[Call]:
    """What writes a copy into the network that it was made of."""
    for call in look.trace.calls:
        written = _written(call)
        if other in written and copy not in written and copy in _taken(call):
            yield call


def _is_idle(look: FreezeScan, call: Call) -> bool:
    """Whether a call lies in a function of the project that no line of it names: nothing calls that."""
    run = unseen_run(call.frame)
    if run is None or isinstance(run.function.node, ast.Lambda):
        return False
    of, name = run.function.of, run.function.node.name
    if name.startswith("__") or name in FORWARD or (of is not None and of.bases and not is_cell(of)):
        return False
    reading = look.structure.reading
    sources = {reading.source.file: reading.source}
    sources.update({each.file: each for each in reading.project.sources.values() if each is not None})
    text = "\n".join("\n".join(each.lines) for each in sources.values())
    return len(re.findall(rf"\b{name}\b", text)) == 1


def _handed_on(look: FreezeScan, copy: Instance, known: list[Call], handed: list[tuple[Call, set[int]]]) -> bool:
    """Whether the copy or a list of its parameters is given to something that may write into it."""
    stores = (store for store in look.trace.stores if store.attribute not in ("requires_grad", "name"))
    given = any(id(copy) in networks and call not in known for call, networks in handed)
    return given or any(copy in _networks(store.owner) for store in stores)


def _handed(look: FreezeScan) -> list[tuple[Call, set[int]]]:
    """The calls that may write into what they are given, with the networks that this is, by their ids."""
    return [(call, {id(net) for net in _given(call)}) for call in look.trace.calls if _may_write(call)]


def _may_write(call: Call) -> bool:
    """Whether a call is not followed, nor known to write nothing into networks that it is not seen to write into."""
    plain = call.name in _PLAIN or call.name[:1] in ("@", "[") or call.result is not None
    return not plain and effect(call) is None and not _written(call)


def _given(call: Call) -> list[Value]:
    """The networks that a call is given, or whose parameters."""
    parts = (*call.args, *call.keywords.values())
    return [net for part in parts for net in (*options(part), *_networks(part))]


@kept
def _written(call: Call) -> list[Value]:
    """The networks that a call writes into."""
    into: Value | None = None
    if call.name == ".set_data":
        into = call.base
    elif assigns(call):
        into = call.argument(["variable", "value"], "variable")
    elif call.api == "load_param_into_net":
        return list(options(call.argument(["net"], "net")))
    return _networks(into)


@kept
def _taken(call: Call) -> list[Value]:
    """The networks whose parameters a call writes somewhere."""
    return [
        net
        for given in (*call.args[0 if call.name == ".set_data" else 1 :], *call.keywords.values())
        for net in _networks(given)
    ]


@kept
def _networks(value: Value | None) -> list[Value]:
    """The networks whose parameters a value lists."""
    lists = (part for part in behind(value, seen={}) if isinstance(part, Call) and part.name in PARAMETERS)
    return [net for part in lists for net in options(part.base)]
