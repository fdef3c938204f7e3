"""What training leaves out: gradients of weights that nothing takes, weights that no optimizer is given, and losses that are
computed before the function that is differentiated runs."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, TypeGuard

from ..knowledge.methods import PARAMETERS
from . import flow
from .analysis import Reading, Scripts
from .effects import effect, gradient_maker, name_of, operands
from .factors import Gradient, gradient, operation
from .freezing import FreezeScan, Step, applies, learns, may_hold_weights, optimizers_of, reach, scan_of
from .networks import (
    Observation,
    Structure,
    first_of_place,
    is_layer,
    is_parameter,
    kind,
    kind_of,
    leaves,
    pure,
    structure_of,
    weights,
)
from .overflow_gate import CHECKS
from .parameter_lists import Weight, behind, is_cut, listed_weights, listing_of, matrices, takes
from .training_steps import is_optimizer, training
from .values import (
    Call,
    Frame,
    Function,
    Instance,
    Items,
    KnownValue,
    Many,
    Mapping,
    UnknownValue,
    Value,
    frames_around,
    is_known,
    is_slice,
    options,
)

#: Values that something is made of a gradient are looked at.
LIMIT = 2000
#: Lists within lists of parameters are followed so deep, and so many of each.
DEEP, WIDE = 12, 60
#: What lists all parameters of a network that are trained, and maybe moving statistics beside them.
_WHOLE = (".trainable_params", ".get_parameters")


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    """Gradients and weights that are left out."""
    for reading in scripts.training:
        unapplied = UnappliedLoad(reading)
        yield from (*unapplied.dropped(), *unapplied.left_out(), *unapplied.unheld(), *unapplied.vectors_unheld())
        yield from unapplied.outside()
        yield from unapplied.undecided()


#: Codes that leave open what is trained.
UNSEEN = ("optimizer-unseen",)


class UnappliedLoad:
    def __init__(self, reading: Reading) -> None:
        self.reading, self.trace = reading, reading.trace
        self.structure: Structure = structure_of(reading)

    @cached_property
    def look(self) -> FreezeScan:
        return scan_of(self.structure)

    def dropped(self) -> Iterator[Observation]:
        """A gradient function whose gradients nothing takes, wherever it is called. Certain where an optimizer is left without any."""
        places: dict[int, list[Gradient]] = defaultdict(list)
        for call in self.trace.calls:
            found = gradient(call)
            if found is not None and found.weights is not None:
                places[id(_maker(call).node)].append(found)
        taken = {key: any(self.is_taken(run.call) for run in runs) for key, runs in places.items()}
        for key, runs in places.items():
            call = runs[0].call
            nowhere = not self.optimizers and not any(taken.values())  # else it may be to evaluate, beside what trains
            if not taken[key] and (self.idle or nowhere or _has_optimizer(call)):
                certain = bool(self.idle) and not any(self.is_taken(run.call, remade=True) for run in runs)
                yield Observation("gradients-dropped", call.source, call.node, {}, certain)

    def left_out(self) -> Iterator[Observation]:
        """An optimizer that is given a slice of a network's parameters, where no other has the rest."""
        look = self.look
        if look.frozen or look.loaded():
            return  # what is not trained is chosen, or starts from what was learnt
        for optimizer, given in look.optimizers:
            part = _given_part(optimizer)
            if part is None or any(given & other for one, other in look.optimizers if one.node is not optimizer.node):
                continue
            count = sum(_parameters_of(leaf) for network in options(part.of) for _, leaf in leaves(network)) - part.kept
            if count > 0:
                data = {"text": ast.unparse(part.made.node)[:80], "count": count}
                place = part.made
                optional = look.loaded(perhaps=True)
                loaded = look.loaded(by_default=True)
                yield Observation("optimizer-part", place.source, place.node, data, not optional, possible=loaded)

    def unheld(self) -> Iterator[Observation]:
        """Layers that a loss is computed with beside those that are trained, and that no optimizer is given."""
        look = self.look
        if look.registers or not look.optimizers:
            return
        for step in look.steps:
            reached = reach(step.loss, stop=True)[0] & look.layers.keys()
            optimizer = _that_trains(look, step, reached)
            twice = optimizer is not None and self.has_what_another_has(look, optimizer)
            apart = frozenset[int]().union(*look.set_apart(by_default=twice))
            layers = self.never_held(look, reached - apart - look.frozen.keys())
            if not layers or not isinstance(optimizer, Call) or _given_part(optimizer) is not None:
                continue  # of a slice, `left_out` tells
            names = _names_of(look, layers)
            data = {"count": len(names), "names": names[:5], "line": layers[0].line, "path": layers[0].source.path}
            loaded = _may_be_loaded(look, layers, by_default=twice)
            yield Observation("layers-unheld", optimizer.source, optimizer.node, data, certain=False, possible=loaded)

    def has_what_another_has(self, look: FreezeScan, optimizer: Call | Instance) -> bool:
        """Whether the optimizer of another step is given the very same weights: one of the two is meant for others."""
        mine = next((given for one, given in look.optimizers if one is optimizer), set[int]())
        same = {id(one) for one, given in look.optimizers if mine and given == mine and one is not optimizer}
        using = [{id(one) for one in options(step.optimizer)} for step in training(self.reading).steps]
        return any(id(optimizer) in one for one in using) and any(
            same & one and id(optimizer) not in one for one in using
        )

    def vectors_unheld(self) -> Iterator[Observation]:
        """Biases, and weights of normalizations, that no optimizer is given, where the matrices of a network are chosen by their names."""
        look, layers = self.look, self.reached()
        made = [optimizer for optimizer, _ in look.optimizers if isinstance(optimizer, Call)]
        given = list(map(_listed, made))
        whole = len(made) == len(look.optimizers) and all(self.is_held(layer, given) for layer in layers)
        if look.registers or look.frozen or not whole:
            return  # `unheld` tells of whole layers
        chosen = next((optimizer for optimizer in made if any(map(_is_choice, behind(_listed(optimizer))))), None)
        if chosen is not None:
            yield from self.vectors_of(layers, given, chosen)

    def vectors_of(self, layers: list[Call], given: list[Value | None], chosen: Call) -> Iterator[Observation]:
        """The vectors of some layers that are in none of the lists that optimizers are given."""
        left = [(layer, name) for layer in layers for name in self.vectors_left(layer, given)]
        if left:
            names = list(dict.fromkeys(name for _, name in left))
            data = {"count": len(names), "names": names[:5], "line": left[0][0].line, "path": left[0][0].source.path}
            loaded = _may_be_loaded(self.look, [layer for layer, _ in left])
            yield Observation("vectors-unheld", chosen.source, chosen.node, data, certain=False, possible=loaded)

    def reached(self) -> list[Call]:
        """The layers that losses are computed with, in the order of their making."""
        leaves_ = {leaf for step in self.look.steps for leaf in reach(step.loss, stop=True)[0]}
        return sorted(
            map(self.look.layers.__getitem__, leaves_ & self.look.layers.keys()), key=lambda layer: layer.order
        )

    def is_held(self, layer: Call, given: list[Value | None]) -> bool:
        """Whether an optimizer has the matrices of a layer, or there are none."""
        without = not learns(layer) or kind_of(layer) == "normalization"
        return without or any(self.look.takes(listed, id(layer)) for listed in given)

    def vectors_left(self, layer: Call, given: list[Value | None]) -> Iterator[str]:
        """The names of a layer's biases, or of the weights of a normalization, that are in none of some lists of parameters."""
        called = self.look.names.get(id(layer), "")
        for name in _vectors(layer):
            weight = Weight(layer, name, f"{called}.{name}".strip("."))
            if all(takes(listed, weight) is False for listed in given):
                yield f"{called or layer.api}.{name}"

    def undecided(self) -> Iterator[Observation]:
        """An optimizer that is given a choice of a network's parameters which could not be worked out."""
        look = self.look
        if look.frozen or not look.optimizers or look.loaded(perhaps=True):
            return
        for optimizer, given in look.optimizers:
            chosen = [part for part in behind(_listed(optimizer)) if isinstance(part, Call) and _chooses(part)]
            if len({id(part.node) for part in chosen}) != 1:  # several may well be all parameters between them
                continue
            learning = [leaf for leaf in given if leaf in look.layers and learns(look.layers[leaf])]
            if any(look.takes(_listed(optimizer), leaf) is None for leaf in learning):
                data = {"text": ast.unparse(chosen[0].node).splitlines()[0][:80]}
                yield Observation("optimizer-unseen", chosen[0].source, chosen[0].node, data)

    def never_held(self, look: FreezeScan, leaves_: frozenset[int]) -> list[Call]:
        """Those of some layers that are sure to be in no optimizer, in the order of their making, and that stay at their first values."""
        left = sorted(leaves_, key=lambda leaf: look.layers[leaf].order)
        held = [(made, given, _held_behind(_listed(made))) for made, given in look.optimizers]
        free = (leaf for leaf in left if not any(_may_have(look, *each, leaf) for each in held))
        return [layer for layer in map(look.layers.__getitem__, free) if self.stays_random(look, layer)]

    def stays_random(self, look: FreezeScan, layer: Call) -> bool:
        """Whether a layer has weights to be trained, that nothing else writes."""
        return learns(layer) and kind_of(layer) != "normalization" and not look.is_written(layer)

    def outside(self) -> Iterator[Observation]:
        """A differentiated function that uses no weight to be trained, while what it works on was computed with these before it ran."""
        look = self.look
        told: set[int] = set()
        for call in self.trace.calls:
            found = gradient(call)
            if found is None or found.weights is None or found.loss is None:
                continue
            trained = look.of_parameters(found.weights) or look.trained
            before = self.given_to(found, trained)
            reached = {layer for value in before or () for layer in reach(value, stop=True)[0]}
            place = _maker(call)
            if reached & trained and id(place.node) not in told:
                told.add(id(place.node))
                yield Observation(
                    "computed-before", place.source, place.node, {"line": call.line, "path": call.source.path}
                )

    def given_to(self, found: Gradient, trained: set[int]) -> list[Value] | None:
        """What a differentiated function works on that was there before it ran, where all that it does with it is seen and none of
        the weights that are trained takes part."""
        call, loss = found.call, found.loss
        runs = (one for one in self.trace.frames if one.node is call.node and one.returned is call.result)
        run = next((one for one in runs if _is_run_of(found.function, one)), None)
        began = run.order if run is not None else _given_at(found)
        if began is None or loss is None:
            return None
        given = {id(value) for value in (*call.args, *call.keywords.values())}
        before = _there_before(loss, began, given, trained)
        return None if before is None or any(map(_has_weight_itself, before)) else before

    @cached_property
    def optimizers(self) -> set[int]:
        return {id(one) for one in optimizers_of(self.trace)}

    @cached_property
    def idle(self) -> set[int]:
        """The optimizers that no step is seen to apply."""
        steps = training(self.reading)
        running = (step for step in steps.steps if not steps.only_evaluates(step))
        return self.optimizers - {id(one) for step in running for one in options(step.optimizer)}

    @cached_property
    def users(self) -> dict[int, list[tuple[Call, str]]]:
        return flow.users(self.trace)

    def is_taken(self, call: Call, remade: bool = False) -> bool:
        """Whether anything may be done with the gradients that a call gives: all but making other values that are dropped too, and
        telling an overflow. With `remade`, also by code that was not followed and may make other gradients of them."""
        both = gradient_maker(call.base) == "value_and_grad"
        if both and _unpacks_otherwise(call):
            return True  # which of the names gets the gradients is not known, if any does
        queue: list[Call] = [call]
        seen = {id(call)}
        while queue and len(seen) < LIMIT:
            part = queue.pop()
            if id(part) in self.kept or self.asked_elsewhere(part, remade):
                return True
            for user, _ in self.users.get(id(part), ()):
                if part is call and both and _is_item(user, 0):
                    continue  # the loss
                if _takes_none(user, part):
                    continue
                if not _only_gives(user):
                    return True
                if id(user) not in seen:
                    seen.add(id(user))
                    queue.append(user)
        return bool(queue)

    @cached_property
    def kept(self) -> set[int]:
        """The ids of values that outlive what was followed, or decide something: held by objects, returned to nobody seen, tested."""
        trace = self.trace
        held: list[Value | None] = [store.value for store in trace.stores]
        held += [value for instance in trace.instances for value in instance.attributes.values()]
        for frame in trace.frames:
            held += [test.value for test in frame.tests]
            if frame.unseen or frame.parent is None:
                held.append(frame.returned)
        for call in trace.calls:
            held += [*(call.fed or ()), *(test.value for test in call.tests)]
            if call.name == "generator":
                held.append(call.result)
        return {id(part) for value in held for part in _flat(value)}

    def asked_elsewhere(self, made: Call, remade: bool) -> bool:
        """Whether code that was not followed asks for a value by its name; with `remade`, also to give that name another value."""
        scope: ast.AST = made.frame.function.node if made.frame is not None else made.source.tree
        return any(self.structure.unmet(scope, name, remade) for name in made.bound)


def _may_be_loaded(look: FreezeScan, layers: list[Call], by_default: bool = False) -> bool:
    """Whether weights may be loaded into some of these layers; `by_default`: where options are left as they are."""
    return any(look.loaded(not by_default, id(layer), by_default) for layer in layers)


def _unpacks_otherwise(call: Call) -> bool:
    """Whether what value_and_grad gives, a pair, is unpacked into another number of parts."""
    assigned = (node for node in call.source.nodes_of(ast.Assign) if node.value is call.node)
    targets = (target for node in assigned for target in node.targets)
    return any(isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) != 2 for target in targets)


def _has_optimizer(call: Call) -> bool:
    """Whether a gradient is taken in a cell that has an optimizer, which is there to apply it."""
    cells = (one.owner for one in frames_around(call.frame) if isinstance(one.owner, Instance))
    return any(is_optimizer(held) for cell in cells for value in cell.attributes.values() for held in options(value))


def _is_run_of(function: Value | None, run: Frame) -> bool:
    """Whether a frame is that of a function or cell of the project itself, not of what a cell of the framework runs last."""
    return any(
        option is run.owner or (isinstance(option, Function) and option.node is run.function.node)
        for option in options(function)
    )


def _given_at(found: Gradient) -> int | None:
    """When a lambda, which leaves no frame of its own, was given to be differentiated; None for any other function."""
    function, maker = found.function, found.call.base
    unnamed = isinstance(function, Function) and isinstance(function.node, ast.Lambda)
    return maker.order if unnamed and isinstance(maker, Call) else None


def _that_trains(look: FreezeScan, step: Step, reached: frozenset[int]) -> Call | Instance | None:
    """The optimizer that has some of what a gradient is taken of, and of what the loss is computed with where all of that is seen."""
    own = [(one, given) for one, given in look.optimizers if given & step.trained]
    found = next((one for one, given in own if given & reached), None)
    others = own[0][0] if len(look.optimizers) == len(own) == 1 else None
    return found if found is not None or may_hold_weights(step.loss) else others


def _names_of(look: FreezeScan, layers: list[Call]) -> list[str]:
    """The names of layers, one for two ways to make the same."""
    named = {(id(layer.node), look.names.get(id(layer)) or layer.api): None for layer in layers}
    return [name for _, name in named]


def _may_have(look: FreezeScan, optimizer: Call | Instance, given: set[int], held_behind: set[int], leaf: int) -> bool:
    """Whether an optimizer has a layer, or is given anything out of sight."""
    listed = _listed(optimizer)
    if listed is None:
        return True
    if leaf in held_behind:
        return leaf not in given or look.takes(listed, leaf) is not False
    return look.takes(listed, leaf) is not False and (leaf in given or not _is_whole(listed))


def _held_behind(listed: Value | None) -> set[int]:
    """The ids of what anything that a network holds, whose parameters are listed, is made of, and of the layers of cells among that: of a
    list that was cut, or otherwise worked on, of the cells of another network."""
    networks = (part.base for part in behind(listed) if isinstance(part, Call) and part.name in PARAMETERS)
    cells = {id(cell): cell for base in networks for cell in options(base) if isinstance(cell, Instance)}
    made = [v for cell in cells.values() for v in cell.attributes.values() if isinstance(v, (Call, Items, Many))]
    parts = {id(part): part for value in made for part in flow.sources(value)}
    inside = (id(leaf) for part in parts.values() if isinstance(part, Instance) for _, leaf in leaves(part))
    return parts.keys() | set(inside)


def _listed(optimizer: Call | Instance) -> Value | None:
    """The parameters that an optimizer of MindSpore is given."""
    if not isinstance(optimizer, Call):
        return None
    return optimizer.args[0] if optimizer.args else optimizer.keywords.get("params")


def _chooses(part: Call) -> bool:
    """Whether a list takes some of the parameters of another, or may."""
    return bool(part.picks) or part.name == "generator"


def _is_choice(part: Value) -> bool:
    return isinstance(part, Call) and _chooses(part)


def _vectors(layer: Call) -> list[str]:
    """The biases of a layer, and the trained weights of a normalization."""
    held = listed_weights(layer, bare=True) if learns(layer) and not is_parameter(layer) else []
    others = [] if kind_of(layer) == "normalization" else matrices(layer)
    return [name for name in held if name not in others and not name.startswith(("moving", "running"))]


def _is_whole(given: Value | None) -> bool:
    """Whether all that an optimizer is given is seen: the parameters of networks, and lists of them."""
    parts = list(behind(given))
    lists = (*PARAMETERS, "@parameters", "+", "list", "tuple", "filter")
    return len(parts) > 0 and all(
        isinstance(part, (Items, Mapping, KnownValue))
        or is_parameter(part)
        or (isinstance(part, Call) and part.name in lists and (part.name not in PARAMETERS or _followed(part)))
        for part in parts
    )


def _followed(listing: Call) -> bool:
    """Whether the network whose parameters are listed is one of the project."""
    return all(isinstance(option, Instance) or is_layer(option) for option in options(listing.base))


def _there_before(value: Value, order: int, given: set[int], trained: set[int]) -> list[Value] | None:
    """What a value is computed from that was made before a time, or is given; None where not all that is done with it is seen, or
    a layer that is trained takes part."""
    before: list[Value] = []
    queue, seen = [value], {id(value)}
    while queue:
        part = queue.pop()
        if id(part) in given or (isinstance(part, Call) and part.order < order):
            before.append(part)
            continue
        inner = _computed_from(part, trained)
        if inner is None or len(seen) > LIMIT:
            return None
        queue += [one for one in inner if id(one) not in seen]
        seen.update(map(id, inner))
    return before


def _computed_from(value: Value, trained: set[int]) -> list[Value] | None:
    """What a value is computed from, by operations without trained weights; None where that is not seen."""
    if isinstance(value, KnownValue):
        return []
    if isinstance(value, (Many, Items)):
        return flow.inputs(value)
    if isinstance(value, Call) and applies(value):
        return value.args if id(value.base) not in trained else None
    if not isinstance(value, Call) or (effect(value) is None and kind(name_of(value)) != "loss"):
        return None
    given = [*value.args, *value.keywords.values()]
    return [value.base, *given] if value.name and value.base is not None else given


def _has_weight_itself(value: Value) -> bool:
    """Whether a value holds weights other than by what layers computed with them: lists of parameters, one parameter."""
    return any(
        isinstance(part, Instance)
        or is_parameter(part)
        or (isinstance(part, Call) and (part.name in (*PARAMETERS, "@parameters") or _reads_weight(part)))
        for part in flow.sources(value, applies)
        if not applies(part)
    )


def _reads_weight(made: Call) -> bool:
    return made.name[:1] == "@" and made.base is not None and is_layer(made.base)


class _Part(NamedTuple):
    """A slice of the parameters of a network: at most so many are `kept`."""

    made: Call
    of: Value
    kept: int


def _given_part(optimizer: Call | Instance) -> _Part | None:
    """What an optimizer of MindSpore is given, where that is nothing but a slice of a list of parameters, cut at a number; it may have
    been filtered or put into groups afterwards."""
    given = _listed(optimizer)
    slices: dict[int, Call] = {}
    others = False
    for part in _until_cut(given):
        if isinstance(part, Call) and is_cut(part):
            slices[id(part)] = part
        else:
            others |= _is_listing(part) or is_parameter(part) or isinstance(part, UnknownValue)
    places = {id(part.node) for part in slices.values()}  # of networks that an option chooses from, one slice each
    return _cut(next(iter(slices.values()))) if len(places) == 1 and not others else None


def _until_cut(value: Value | None, depth: int = 0) -> Iterator[Value]:
    """What a list of parameters is put together from, as far as the first slice of a network's."""
    if value is None or depth > DEEP:
        return
    yield value
    if _is_listing(value) or (isinstance(value, Call) and is_cut(value)):
        return
    if isinstance(value, (Call, Many, Items, Mapping)):
        for inner in flow.inputs(value)[:WIDE]:
            yield from _until_cut(inner, depth + 1)


def _is_listing(value: Value | None) -> bool:
    return isinstance(value, Call) and value.name in PARAMETERS


def _cut(given: Call) -> _Part | None:
    key, listed = given.args[0] if given.args else None, listing_of(given)
    if not (is_slice(key) and isinstance(listed, Call)):
        return None
    first, last, step = (part.value if isinstance(part, KnownValue) else "" for part in key.args)
    kept = -first if _is_number(first, below=True) and last is None else last if first in (None, 0) else None
    if listed.name not in _WHOLE or listed.base is None or step is not None or not _is_number(kept):
        return None
    return _Part(given, listed.base, kept)


def _is_number(value: object, below: bool = False) -> TypeGuard[int]:
    return type(value) is int and (value < 0 if below else value > 0)


def _parameters_of(leaf: Value) -> int:
    """How many parameters a layer has that are trained, at least: biases count where they are there by default."""
    if not isinstance(leaf, Call) or not learns(leaf):
        return 0
    if is_parameter(leaf):
        return 1
    biased = kind_of(leaf) == "dense" and "has_bias" not in leaf.keywords and len(leaf.args) < 5
    return sum(biased if "bias" in name else "moving" not in name for name in weights(leaf.api))


def _only_gives(user: Call) -> bool:
    """Whether a call does nothing but give a result: one of an object of an unknown class may well be a step."""
    of = user.base if user.name == "" else None
    if isinstance(of, Call) and (of.api == "nn.DistributedGradReducer" or kind_of(of) == "communication"):
        return True
    if isinstance(of, Call) and of.name and not kind_of(of) and not of.api.startswith(("ops.", "mint.")):
        return False
    return pure(user)


def _takes_none(user: Call, part: Value) -> bool:
    """Whether a call does nothing with a gradient: it only tells an overflow, or awaits that the gradient is computed."""
    return _calls_nothing(user) or operation(user).name in CHECKS or _awaits(user, part)


def _awaits(user: Call, part: Value) -> bool:
    """Whether a call gives something else, once a value is computed."""
    known = effect(user)
    return known is not None and known.operation == "depend" and not any(one is part for one in operands(user, (0,)))


def _calls_nothing(user: Call) -> bool:
    """A call of None: of an attribute that another way sets."""
    return user.name == "" and user.base is not None and is_known(user.base, None)


def _maker(call: Call) -> Call:
    """What was called to give gradients: the function that value_and_grad gives, or the place where a GradOperation is applied."""
    base = call.base
    return base if isinstance(base, Call) and base.last[:1].islower() else call


def _is_item(made: Call, place: int) -> bool:
    key = made.args[0] if made.name == "[]" and made.args else None
    return isinstance(key, KnownValue) and type(key.value) is int and key.value == place


def _flat(value: Value | None, depth: int = 0) -> Iterator[Value]:
    if value is None:
        return
    yield value
    if isinstance(value, (Many, Items, Mapping)) and depth < 6:
        for part in flow.inputs(value)[:200]:
            yield from _flat(part, depth + 1)
