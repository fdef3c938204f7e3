"""Direct connections that one part of a block has and another lacks: x + f(norm(x)) here and g(norm(x)) there, or norm(x + f(x)) here
and norm(g(x)) there.

Judged in blocks that follow upon each other in a network: the last part of one that stands alone may be a head. What could be added must
go nowhere else: what is handed on by another way may well be added there.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from . import flow
from .effects import describes, effect, operands
from .factors import argument_of
from .networks import FORWARD, Observation, Structure, has_weights, is_cell, kind_of
from .syntax import kept, walk
from .trace import Trace
from .values import Call, Frame, Instance, KnownValue, Value, frames_around, options

#: What normalisations call the number of features that they take.
_WIDTHS = ("normalized_shape", "num_features", "num_channels")


def examine(structures: list[Structure]) -> Iterator[Observation]:
    """Each normalisation whose input is dropped, once a run."""
    for structure in structures:
        calls: dict[int, list[Call]] = defaultdict(list)
        for call in structure.reading.trace.calls:
            calls[id(call.frame)].append(call)
        for frame in structure.reading.trace.frames:
            if _is_block(frame):
                given = frame, calls[id(frame)], structure
                found = (*_lacking(*given), *_lacking_behind(*given))
                yield from (said for said in found if _is_followed(frame, structure))


@kept
def _weighed(structure: Structure) -> dict[int, list[Call]]:
    """id of a run -> the layers with weights that are called in it, and in what it calls."""
    found: dict[int, list[Call]] = defaultdict(list)
    for call in structure.reading.trace.calls:
        if call.name == "" and call.base is not None and has_weights(call.base):
            for frame in frames_around(call.frame):
                found[id(frame)].append(call)
    return found


def _is_block(frame: Frame) -> bool:
    """Whether a run is that of a cell."""
    cell = frame.owner
    return isinstance(cell, Instance) and is_cell(cell.of) and frame.function.name in FORWARD and not frame.unseen


def _is_in_sequence(cell: Value | None, trace: Trace) -> bool:
    sequences = (call for call in trace.calls if call.api == "nn.SequentialCell")
    return any(part is cell for call in sequences for arg in call.args for part in flow.sources(arg))


def _is_followed(frame: Frame, structure: Structure) -> bool:
    """Whether another cell of the class goes on with what a run gives: the next of a sequence, of a loop that hands on what it is given, or
    one that is seen to be given it."""
    trace = structure.reading.trace
    if _is_in_sequence(frame.owner, trace):
        return isinstance(frame.owner, Instance) and bool(frame.owner.loops)
    if frame.loops and _is_handed_on(frame):
        return True
    result = frame.returned
    twins = [run for run in trace.frames if run.function.node is frame.function.node and run is not frame]
    given = [value for run in twins for value in run.parameters.values() if value is not run.owner]
    return result is not None and any(flow.derives(value, result) for value in given)


def _is_handed_on(frame: Frame) -> bool:
    """Whether the result of a call gets the name of what the call is given: x = block(x)."""
    within = frame.parent.function.node if frame.parent is not None else frame.source.tree
    given = {arg.id for arg in getattr(frame.node, "args", ()) if isinstance(arg, ast.Name)}
    assigned = (node for node in walk(within) if isinstance(node, ast.Assign) and node.value is frame.node)
    return any(isinstance(target, ast.Name) and target.id in given for node in assigned for target in node.targets)


def _lacking(frame: Frame, calls: list[Call], structure: Structure) -> Iterator[Observation]:
    norms = list(filter(_is_norm, calls))
    sums = [terms for call in calls if (terms := added(call)) is not None]
    joined = [norm for norm in norms if any(_joins(terms, norm) for terms in sums)]
    for norm in norms if joined else ():
        ends_in = frame.returned is not None and flow.derives(frame.returned, norm)
        lost = norm not in joined and ends_in and not _is_met(norm, sums, joined)
        if lost and _works_on(norm, _weighed(structure)[id(frame)]) and _goes_only_into_itself(norm, structure):
            yield _missing(norm, joined[0], frame)


def _missing(norm: Call, joined: Call, frame: Frame) -> Observation:
    of = frame.owner.of.node.name if isinstance(frame.owner, Instance) else ""
    return Observation("skip-missing", norm.source, norm.node, {"of": of, "line": joined.line}, certain=False)


def _lacking_behind(frame: Frame, calls: list[Call], structure: Structure) -> Iterator[Observation]:
    """Normalisations behind a part, of which one takes the sum with its input and another does not."""
    norms = _alone(calls)
    joined = next((norm for norm in norms if _takes_sum_with_input(norm, structure)), None)
    if joined is None:
        return
    terms = {id(term) for call in calls for term in added(call) or ()}
    for place, norm in enumerate(norms):
        given = _given_to_part(norm, norms[:place], frame)
        if given is None or id(given) in terms or added(norm.args[0]) is not None:
            continue
        if _is_part(given, norm, _weighed(structure)[id(frame)]) and _goes_only_into(given, norm, structure):
            yield _missing(norm, joined, frame)


def _alone(calls: list[Call]) -> list[Call]:
    """The normalisations that are called by themselves, and not within a sequence."""
    nodes = Counter(id(call.node) for call in calls)
    return [call for call in calls if _is_norm(call) and nodes[id(call.node)] == 1]


def _takes_sum_with_input(norm: Call, structure: Structure) -> bool:
    """Whether a normalisation alone takes the sum of an input and of what a part makes of it in the same run: a sum that goes on as well is
    normalised for the next part."""
    value, terms = norm.args[0], added(norm.args[0])
    if terms is None or not isinstance(value, Call) or value.frame is not norm.frame:
        return False
    made = any(flow.derives(one, other) for one, other in (terms, terms[::-1]))
    return made and _goes_only_into_itself(norm, structure)


def _given_to_part(norm: Call, earlier: list[Call], frame: Frame) -> Value | None:
    """What the part before a normalisation works on: the result of an earlier one, or what the block is given."""
    parameters = [value for value in frame.parameters.values() if value is not frame.owner]
    return next((value for value in (*earlier[::-1], *parameters) if flow.derives(norm.args[0], value)), None)


def _is_part(given: Value, norm: Call, weighed: list[Call]) -> bool:
    """Whether something with weights works on what is given and keeps its size, as far as that is seen, before a normalisation."""
    behind = [call for call in weighed if call is not given and flow.derives(call, given)]
    return _keep_size([call for call in behind if flow.derives(norm.args[0], call)], norm)


def _goes_only_into(given: Value, norm: Call, structure: Structure) -> bool:
    """Whether a value is used for nothing but what a normalisation takes, and its shape, as far as that is seen."""
    users = (user for user, _ in structure.users.get(id(given), ()))
    return _only_describe(user for user in users if not flow.derives(norm.args[0], user))


def _goes_only_into_itself(norm: Call, structure: Structure) -> bool:
    """Whether the input of a normalisation is used for nothing else but its shape, as far as that is seen."""
    users = (user for user, _ in structure.users.get(id(norm.args[0]), ()))
    return _only_describe(user for user in users if user is not norm)


def _only_describe(users: Iterable[Call]) -> bool:
    return all(map(describes, users))


def _is_met(norm: Call, sums: list[tuple[Value, Value]], joined: list[Call]) -> bool:
    """Whether something is added to what is made of a normalised input, but for the direct connections of later parts."""
    later = [one for one in joined if flow.derives(one.args[0], norm)]
    others = (terms for terms in sums if not any(_joins(terms, one) for one in later))
    return any(flow.derives(term, norm) for terms in others for term in terms)


def _is_norm(call: Call) -> bool:
    layer = call.base
    return call.name == "" and kind_of(layer) == "normalization" and len(call.args) == 1


def added(made: Value) -> tuple[Value, Value] | None:
    """The two addends of a sum, however it is written; none of a sum with a number."""
    if not isinstance(made, Call):
        return None
    known, given = effect(made), operands(made, (0, 1))
    sums = known is not None and known.operation == "add" and len(given) == 2
    return (given[0], given[1]) if sums and not any(isinstance(one, KnownValue) for one in given) else None


def _joins(terms: tuple[Value, Value], norm: Call) -> bool:
    """Whether a sum adds the input of a normalisation to what is made of its result."""
    return any(one is norm.args[0] and flow.derives(other, norm) for one, other in (terms, terms[::-1]))


def _works_on(norm: Call, weighed: list[Call]) -> bool:
    """Whether a part with weights, and not only the end of the block, works on a normalised input and keeps its size, as far as that is
    seen."""
    return _keep_size([call for call in weighed if call is not norm and flow.derives(call, norm)], norm)


def _keep_size(layers: list[Call], norm: Call) -> bool:
    """Whether there are layers, and the last one gives as many features as a normalisation takes, as far as that is seen."""
    return bool(layers) and not _changes_size(layers[-1].base, _width(norm))


def _width(norm: Call) -> Value | None:
    """The number of features that a normalisation takes."""
    given = (argument_of(norm.base, name) for name in _WIDTHS) if isinstance(norm.base, Call) else ()
    return next((value for value in given if value is not None), None)


def _changes_size(layer: Value | None, of: Value | None) -> bool:
    """Whether a dense layer gives another number of features than a normalisation takes."""
    sizes = [part for option in options(of) for part in getattr(option, "items", [option])]
    if not isinstance(layer, Call) or not layer.api.endswith(("Dense", "Linear")) or not sizes:
        return False
    out = layer.argument(["in_channels", "out_channels"], "out_channels")
    last = sizes[-1]
    if isinstance(out, KnownValue) and isinstance(last, KnownValue):
        return bool(out.value != last.value)
    return out is not last
