"""Whether every parameter that takes part in the loss is in an optimizer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import TypeGuard

from ..knowledge import api
from ..knowledge.methods import LOADS, PARAMETERS
from .flow import sources
from .freezing import comes_after_training
from .loss_scaling import disagreements, title
from .networks import is_layer
from .parameter_groups import forgotten
from .parameter_lists import is_cut
from .remarks import Remark, merged, remark, span
from .syntax import kept
from .training_steps import Step, TrainingSteps, is_optimizer
from .values import (
    Call,
    Frame,
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
    unseen,
)

_LISTS = frozenset((*PARAMETERS, ".parameters"))
#: Names of networks that are there to be fixed, or to follow another one.
_FIXED = re.compile(
    r"target|ema|teacher|frozen|fixed|pretrain|vgg|perceptual|extract|momentum|old|lpips|clip|vae|stage1|eval", re.I
)
_RANDOM = re.compile(r"normal|uniform|xavier|kaiming|he_|orthogonal|randn|random|glorot|trunc", re.I)
#: What gives a network its weights from elsewhere, or keeps gradients from it; and what does so where it copies a network.
_LOADS = (*LOADS, "load", "stop_gradient")
_COPIES = frozenset({"deepcopy", "copy"})


def examine(training: TrainingSteps) -> list[Remark]:
    """What there is to say about parameters and optimizers in one reading."""
    return merged(_examine(training))


def _examine(training: TrainingSteps) -> Iterator[Remark]:
    steps = [step for step in training.judged_steps() if not training.only_evaluates(step)]
    if not steps:
        yield training.no_step()
        return
    yield from disagreements(training)
    optimizers = _optimizers(training)
    lost = list(_forgotten(optimizers))
    if not any(map(_gives_weights, training.calls)):  # what is loaded may well stay as it is
        lost += _parts_given(optimizers)
    yield from lost
    owners, complete = _owners(optimizers)
    if not owners or not complete:
        yield remark(steps[0], "parameters-unknown", step=title(steps[0]))
        return
    given = [value for optimizer in optimizers for value in _first(optimizer)]
    simple = all(_is_simple(value, 0) for value in given)
    covered = {id(part) for owner in owners for part in _parts(owner)}
    found = [*_left_out(training, steps, covered, simple), *_added_later(optimizers, owners)]
    yield from found
    if all(one.code == "left-by-name" for one in (*lost, *found)):
        yield _covered(training, steps, optimizers, covered, simple and _are_whole(given))


def _left_out(training: TrainingSteps, steps: list[Step], covered: set[int], simple: bool) -> Iterator[Remark]:
    """Layers that the steps train and no optimizer has. `simple`: the optimizers are given parameters of whole networks in plain sight."""
    for step, network in ((one, network) for one in steps for network in _trained(training, one)):
        left = [(layer, path) for layer, path in _left(network, covered) if not _excused(training, path, layer)]
        # one layer of a network tells enough, best one that nothing but its name could excuse
        for layer, path in sorted(left, key=lambda each: _is_called_fixed(each[1]))[:1]:
            code = "left-out" if simple and layer.api == "Parameter" else "left-out-maybe"
            code = "left-by-name" if _is_called_fixed(path) else code
            shown = {"network": _name(path[-1]), "layer": _name(layer), "step": title(step)}
            yield Remark(code, *span(layer), shown, also=(span(step),))


def _added_later(optimizers: list[Call | Instance], owners: list[Value]) -> Iterator[Remark]:
    for made in optimizers:
        for layer in _replaced(owners, made):
            yield remark(layer, "added-later", False, [made], layer=_name(layer), optimizer=_name(made))


def _gives_weights(call: Call) -> bool:
    """Whether a call may give a network weights from elsewhere, or keep gradients from it."""
    copied = (call.base, *call.args) if call.last in _COPIES else ()
    return call.last in _LOADS or any(
        isinstance(o, Instance) or is_layer(o) for value in copied for o in options(value)
    )


def _forgotten(optimizers: list[Call | Instance]) -> Iterator[Remark]:
    """Parameters that are put aside in a list which nothing reads, where the optimizer is given others of the same network."""
    for optimizer in optimizers:
        for given in _first(optimizer):
            for one in forgotten(given, _LISTS):
                line, last = one.node.lineno, one.node.end_lineno or one.node.lineno
                yield Remark(
                    "list-forgotten",
                    one.source,
                    line,
                    last,
                    {"name": one.name, "optimizer": _name(optimizer)},
                    likely=True,
                    also=(span(optimizer),),
                )


def _parts_given(optimizers: list[Call | Instance]) -> Iterator[Remark]:
    """A slice of the parameters of a network that an optimizer is given, where none is given any other part of them."""
    given = [(optimizer, value) for optimizer in optimizers for value in _first(optimizer)]
    parts = [
        (made, part) for made, value in given for part in sources(value) if isinstance(part, Call) and is_cut(part)
    ]
    cuts = {id(part): (made, part) for made, part in parts}
    if (
        len(cuts) == 1
        and all(_is_slice(part) for _, part in parts)
        and not any(_holds_whole(value) for _, value in given)
    ):
        (optimizer, cut) = next(iter(cuts.values()))
        yield remark(cut, "part-given", False, [optimizer], part=ast.unparse(cut.node), optimizer=_name(optimizer))


def _is_slice(part: Value) -> TypeGuard[Call]:
    """A slice of a list of parameters that is sure to leave some of them out."""
    key = part.args[0] if isinstance(part, Call) and is_cut(part) else None
    bounds = (
        [bound.value if isinstance(bound, KnownValue) else 0 for bound in key.args] if isinstance(key, Call) else []
    )
    return is_slice(key) and any(bounds[:2])


def _holds_whole(value: Value) -> bool:
    """Whether a list of parameters goes into a value otherwise than by a part of it."""
    if isinstance(value, Call) and is_cut(value):
        return False  # sources() passes the value itself
    within = sources(value, lambda part: isinstance(part, Call) and (is_cut(part) or part.name in _LISTS))
    return any(map(_is_list, within))


def _covered(
    training: TrainingSteps, steps: list[Step], optimizers: list[Call | Instance], covered: set[int], whole: bool
) -> Remark:
    """What was compared where no layer is left out. `whole`: the optimizers are given whole lists of parameters."""
    networks = [network for step in steps for network in _trained(training, step)]
    networks = [value for value in networks if _has_weights(value) or next(_left(value, set()), None)]
    layers = {id(layer) for network in networks for layer, _ in _left(network, set())}
    layers |= {id(network) for network in networks if _has_weights(network)}
    left = {id(layer) for network in networks for layer, _ in _left(network, covered)}
    code = "nothing-covered" if not layers - left else "covered" if whole else "covered-in-part"
    return remark(
        steps[0],
        code,
        step=title(steps[0]),
        networks=sorted({_name(network) for network in networks}),
        of=len(layers),
        layers=len(layers - left),
        optimizers=len(optimizers),
    )


def _picks(value: Value) -> bool:
    """Whether a filter leaves out parameters for something else than that they are not trained."""
    picked = (part for part in sources(value) if isinstance(part, Call) and part.last == "filter" and part.args)
    return any("requires_grad" not in ast.unparse(part.node) for part in picked)


def _are_whole(given: list[Value]) -> bool:
    """Whether nothing is left out of the lists that optimizers are given."""
    return not any(_picks(value) or any(map(_is_slice, sources(value))) for value in given)


def _optimizers(training: TrainingSteps) -> list[Call | Instance]:
    found: dict[int, Call | Instance] = {}
    for step in training.steps:
        for option in options(step.optimizer):
            if isinstance(option, (Call, Instance)):
                found[id(option)] = option
    for made in [*training.calls, *training.trace.instances]:
        if (
            isinstance(made, (Call, Instance))
            and is_optimizer(made)
            and (isinstance(made, Instance) or made.name.startswith("mindspore."))
        ):
            found[id(made)] = made
    return list(found.values())


def _owners(optimizers: list[Call | Instance]) -> tuple[list[Value], bool]:
    """The networks whose parameters the optimizers were given; and whether that is seen for each."""
    owners: dict[int, Value] = {}
    complete = True
    for optimizer in optimizers:
        lists = [part for value in _given(optimizer) for part in sources(value, _is_list) if _is_list(part)]
        bases = [option for part in lists for option in options(part.base)]
        if not bases or not all(isinstance(base, (Instance, Call)) for base in bases):
            nested = isinstance(optimizer, Call) and any(is_optimizer(arg) for arg in optimizer.args)
            complete = complete and nested
        for base in bases:
            owners[id(base)] = base
    return list(owners.values()), complete


def _given(optimizer: Call | Instance) -> list[Value]:
    """All that an optimizer is given: one of the project, by what it hands on to the framework's."""
    if isinstance(optimizer, Call):
        return [*optimizer.args, *optimizer.keywords.values()]
    return [value for _, args, keywords in optimizer.supers for value in (*args, *keywords.values())]


def _is_list(value: Value) -> TypeGuard[Call]:
    """Whether a value is the list of a network's parameters."""
    return isinstance(value, Call) and value.name in _LISTS


def _parts(value: Value, depth: int = 0, seen: set[int] | None = None) -> Iterator[Value]:
    """A network and all that it holds."""
    seen = set() if seen is None else seen
    if id(value) in seen or depth > 24 or len(seen) > 5000:
        return
    seen.add(id(value))
    yield value
    for part in _held(value):
        yield from _parts(part, depth + 1, seen)


def _held(value: Value) -> list[Value]:
    inner: list[Value] = []
    if isinstance(value, Instance):
        inner = [*value.attributes.values()]
        inner += [arg for _, args, keywords in value.supers for arg in (*args, *keywords.values())]
    elif isinstance(value, (Many, Items)):
        inner = list(value.options if isinstance(value, Many) else value.items)
    elif isinstance(value, Mapping):
        inner = list(value.items.values())
    elif isinstance(value, Call):
        inner = [*value.args, *value.keywords.values(), *(value.fed or ())]
    return [part for part in inner if not is_optimizer(part)]


def _left(network: Value, covered: set[int]) -> Iterator[tuple[Call, list[Instance | Call]]]:
    """Layers with weights that no optimizer has, each with the objects that hold it, outermost first."""
    seen: set[int] = set()

    def below(value: Value, path: list[Instance | Call]) -> Iterator[tuple[Call, list[Instance | Call]]]:
        if id(value) in seen or id(value) in covered or len(path) > 24 or len(seen) > 5000:
            return
        seen.add(id(value))
        if _has_weights(value) and path:
            yield value, path
            return
        inner = path
        if isinstance(value, Instance) or (isinstance(value, Call) and value is network):
            inner = [*path, value]
        for part in _held(value):
            yield from below(part, inner)

    yield from below(network, [])


def _has_weights(value: Value) -> TypeGuard[Call]:
    """A layer of the framework with weights, or a parameter, that is made and trained."""
    if not isinstance(value, Call) or not value.name.startswith("mindspore."):
        return False
    if value.api == "Parameter":
        return "requires_grad" not in value.keywords and any(_is_random(part) for part in sources(value))
    known = api.find(value.api)
    return known is not None and bool(known.weights)


def _is_random(value: Value) -> bool:
    """What weights to be trained start from; a constant may as well be a buffer."""
    if isinstance(value, KnownValue):
        return isinstance(value.value, str) and bool(_RANDOM.search(value.value))
    return isinstance(value, Call) and value.name[:1] not in ("@", "[") and bool(_RANDOM.search(value.name))


def _trained(training: TrainingSteps, step: Step) -> list[Value]:
    """The networks, and losses with weights, that a step trains."""
    if step.kind != "own":
        found = [*options(step.network)]
        if isinstance(step.place, Call):
            found += options(
                step.place.argument(["network", "loss_fn", "optimizer"], "loss_fn") if step.kind == "model" else None
            )
        return [value for value in found if isinstance(value, (Instance, Call))]
    keys = {key for term in training.carried(step) for key in term.gradients}
    differentiated = [training.factors.gradients[key].call for key in keys]
    owners: dict[int, Value] = {}
    for call in differentiated:
        owners.update({id(owner): owner for owner in _cells_run(training, call)})
        owners.update({id(layer): layer for layer in _layers_run(training, call)})
    return list(owners.values())


def _cells_run(training: TrainingSteps, gradient: Call) -> Iterator[Instance]:
    """The project's cells that are run by differentiating."""
    for frame in training.frames:
        if isinstance(frame.owner, Instance) and _is_construct(frame) and _below(frame, gradient):
            yield frame.owner


def _layers_run(training: TrainingSteps, gradient: Call) -> list[Call]:
    """The framework's cells that are run by differentiating, but for those within other cells."""
    found: dict[int, Call] = {}
    for made in training.calls:
        if made.name != "" or made.frame is None or not _below(made.frame, gradient):
            continue
        around = takewhile(lambda frame: frame is not gradient.frame, frames_around(made.frame))
        if not isinstance(made.base, Call) or any(map(_is_construct, around)):
            continue
        first = next(filter(_is_cell_made, _parts(made.base)), None)  # what wraps one comes before it
        if first is not None:
            found[id(first)] = first
    return _outermost(training, found) if found else []


def _outermost(training: TrainingSteps, found: dict[int, Call]) -> list[Call]:
    """The cells of the framework that hold these, by id: what a list of cells runs is seen for each alone, and the list made last stands
    for all of them."""
    cells = [call for call in training.calls if _is_cell_made(call)]
    held = [(cell, {id(part) for part in _parts(cell)}) for cell in cells]
    outer = [max((cell for cell, parts in held if key in parts), key=_order, default=one) for key, one in found.items()]
    return list({id(cell): cell for cell in outer}.values())


def _order(call: Call) -> int:
    return call.order


def _is_construct(frame: Frame) -> bool:
    """Whether a run is that of a cell's construct."""
    return isinstance(frame.owner, Instance) and frame.function.name == "construct"


def _is_cell_made(value: Value) -> TypeGuard[Call]:
    """Whether a cell of the framework is made here."""
    return isinstance(value, Call) and value.name != "" and value.api.startswith(("nn.", "mint.nn."))


def _below(frame: Frame, call: Call) -> bool:
    """Whether a function was run by differentiating."""
    start = call.base.order if isinstance(call.base, Call) else 0
    if not start < frame.order < call.order or call.order - frame.order > 20_000:
        return False
    while frame.parent is not None and frame.parent is not call.frame:
        frame = frame.parent
    return frame.parent is call.frame and frame.node is call.node


def _first(optimizer: Call | Instance) -> list[Value]:
    """What an optimizer is given as parameters."""
    if isinstance(optimizer, Call):
        given = optimizer.keywords.get("params") or next(iter(optimizer.args), None)
        return [given] if given is not None else []
    return [arg for arg in _given(optimizer) if any(map(_is_list, sources(arg)))]


def _is_simple(value: Value, depth: int) -> bool:
    """Lists of parameters of whole networks, put together in plain sight."""
    if depth > 8:
        return False
    if is_optimizer(value):
        return True  # judged by itself
    if isinstance(value, Call):
        if value.name in (".trainable_params", ".get_parameters"):
            return True
        inner = (
            value.args[-1:]
            if value.last in ("filter", "list", "tuple", "ParameterTuple")
            else value.args
            if value.name == "+"
            else []
        )
        return bool(inner) and all(_is_simple(part, depth + 1) for part in inner)
    parts = _held(value) if isinstance(value, (Many, Items, Mapping)) else []
    parts = [part for part in parts if not isinstance(part, (KnownValue, UnknownValue))]
    return bool(parts) and all(_is_simple(part, depth + 1) for part in parts)


def _excused(training: TrainingSteps, path: list[Instance | Call], layer: Call) -> bool:
    """Networks that are there to be fixed: by what is loaded into them, or as gradients are switched off."""
    held = {id(layer), *(id(holder) for holder in path)}

    def of_these(*values: Value | None) -> bool:
        return any(id(option) in held for value in values for option in options(value))

    given, fixed = _excuses(training)
    if not fixed.isdisjoint(held):
        return True
    for_these = (
        call for call in given if of_these(*call.args, call.result)
    )  # a copy has the weights of what it is a copy of
    return any(not comes_after_training(training.trace, call, layer) for call in for_these)


@kept
def _excuses(training: TrainingSteps) -> tuple[list[Call], set[int]]:
    """The calls that give weights, whatever decides; and the ids of what is told to be fixed."""
    told = (call for call in training.calls if call.name in _LISTS or _switches_off(training, call))
    fixed = {id(option) for call in told for option in options(call.base)}
    frozen = (store.owner for store in training.trace.stores if store.attribute == "requires_grad")
    fixed |= {id(option) for owner in frozen for part in sources(owner) for option in options(part)}
    return [call for call in training.calls if _gives_weights(call) and not call.tests], fixed


def _is_called_fixed(path: list[Instance | Call]) -> bool:
    """Whether the names of a network tell that it is there to be fixed, or to follow another one."""
    return any(_FIXED.search(name) for holder in path for name in (_name(holder), *holder.bound))


def _switches_off(training: TrainingSteps, call: Call) -> bool:
    """Whether a call keeps a network from training: not to evaluate it in between, when it is set to training elsewhere."""
    told = call.args[0] if call.args else None
    if call.name not in (".set_train", ".set_grad") or not is_known(told, False):
        return False
    others = (one for one in training.calls if one.name == ".set_train" and one is not call)
    back = (one for one in others if not is_known(next(iter(one.args), None), False))
    return call.name == ".set_grad" or not any(
        option in options(call.base) for one in back for option in options(one.base)
    )


def _replaced(owners: list[Value], optimizer: Call | Instance) -> Iterator[Call]:
    """Layers that are put into a network after its parameters were given away."""
    given = [*optimizer.args, *optimizer.keywords.values()] if isinstance(optimizer, Call) else []
    lists = (part for value in given for part in filter(_is_list, sources(value)))
    mine = {id(option) for part in lists for option in options(part.base)}
    networks = (owner for owner in owners if id(owner) in mine and isinstance(owner, Instance))
    held = (layer for network in networks for value in network.attributes.values() for layer in options(value))
    for layer in filter(_has_weights, held):
        if layer.order > optimizer.order and not unseen(layer.frame):
            yield layer


def _name(value: Value) -> str:
    return value.of.node.name if isinstance(value, Instance) else value.last if isinstance(value, Call) else "?"
