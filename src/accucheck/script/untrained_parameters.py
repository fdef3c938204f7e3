"""Parameters of one's own cells that are made with requires_grad=False: buffers, and weights that stay at their random first values.

A buffer holds numbers that are given, or is written to. What is drawn by an initialiser, takes part in the loss and is never written is a
weight; only a projection into sine and cosine is left random on purpose. What is 0 everywhere and added, or 1 and multiplied, changes
nothing as long as it stays so: a bias or a factor that was to be learnt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from . import flow
from .analysis import Scripts
from .effects import describes, kept
from .factors import operation
from .freezing import FreezeScan, learns, reach, scan_of
from .initial_weights import number
from .networks import Observation, first_of_place, is_parameter, structure_of, trains
from .trace import Trace
from .values import Call, KnownValue, NamedValue, Value, options

#: Changes of type and shape are looked through so far.
STEPS = 12


@first_of_place
def examine(scripts: Scripts) -> Iterator[Observation]:
    """Each such parameter of a network that is trained."""
    for reading in scripts.training or scripts.readings:
        yield from _judged(scan_of(structure_of(reading)))


def _judged(look: FreezeScan) -> Iterator[Observation]:
    made = {leaf: layer for leaf, layer in look.layers.items() if is_parameter(layer) and not trains(layer)}
    staying = _staying(look) if made else set()
    for leaf, parameter in made.items():
        name = look.names.get(leaf) or "Parameter"
        stays = leaf in staying and not look.is_written(parameter)
        if stays and is_drawn(parameter) and not _waves(look.trace, parameter):
            meant = _may_be_filled(look, leaf, parameter)
            code = "made-frozen-loaded" if meant else "random-frozen"
            data = {"name": name, "what": "Parameter"}
            yield Observation(code, parameter.source, parameter.node, data, certain=False, possible=meant)
        elif stays and (value := _idle(look.trace, parameter)) is not None:
            code = _of_idle(look, leaf, parameter)
            data = {"name": name, "value": str(value)}
            yield Observation(code, parameter.source, parameter.node, data, certain=code == "made-frozen")
        else:
            yield Observation("made-frozen", parameter.source, parameter.node, {"name": name})


def _staying(look: FreezeScan) -> set[int]:
    """The ids of what takes part in a loss and is not told to be trained later."""
    used = {leaf for step in look.steps for leaf in reach(step.loss, stop=True)[0]}
    return used - {leaf for store, on in look.switches if on for leaf in look.meant(store)}


def _may_be_filled(look: FreezeScan, leaf: int, parameter: Call) -> bool:
    """Whether weights are loaded that may be meant for a frozen parameter."""
    if not (look.loaded(perhaps=True, into=leaf) and look.loaded(into=leaf, by_default=True)):
        return False
    return look.loaded(into=leaf) or not _leaves_bias_alone(look, parameter)


def _of_idle(look: FreezeScan, leaf: int, parameter: Call) -> str:
    """What is to say about a parameter that changes nothing as long as it stays as it was made."""
    if not _may_be_filled(look, leaf, parameter):
        return "constant-frozen"
    weighs = any(not is_parameter(held) or is_drawn(held) for held in _beside(look, parameter))
    return "bias-frozen" if weighs else "made-frozen"


def _beside(look: FreezeScan, parameter: Call) -> list[Call]:
    """What is trained in the cells that hold a parameter."""
    cells = [cell for cell in look.structure.cells if any(held is parameter for held in cell.attributes.values())]
    return [held for cell in cells for held in cell.attributes.values() if _is_trained(held, look)]


def _leaves_bias_alone(look: FreezeScan, parameter: Call) -> bool:
    """Whether all that is trained beside a weight in its own cell starts from numbers that are the same, as a bias does: a layer of
    which one half is frozen. Trained matrices beside it, as of an adapter, tell that it is frozen on purpose."""
    beside = _beside(look, parameter)
    return bool(beside) and not any(not is_parameter(held) or is_drawn(held) for held in beside)


def _is_trained(held: Value, look: FreezeScan) -> TypeGuard[Call]:
    return isinstance(held, Call) and id(held) in look.trained and id(held) not in look.frozen and learns(held)


def is_drawn(parameter: Call) -> bool:
    """Whether an initialiser of MindSpore draws the first values of a parameter."""
    given = parameter.argument(["default_input", "name", "requires_grad"], "default_input")
    return any(_draws(option) for option in options(given))


def _idle(trace: Trace, parameter: Call) -> int | None:
    """The number that all elements of a parameter are, where it changes nothing: 0 where it is added, 1 where it is multiplied."""
    given = parameter.argument(["default_input", "name", "requires_grad"], "default_input")
    value = number(given)
    if value not in (0, 1) or _is_single(given):
        return None
    used = ("mul",) if value else ("add", "sub")
    uses = (operation(call) for call in trace.calls)
    idle = any(done.does in used and any(_holds(operand, parameter) for operand in done.operands) for done in uses)
    return int(value) if idle else None


def _is_single(given: Value | None) -> bool:
    """Whether an array is made of one number that is written down."""
    inner = kept(given, "same") if isinstance(given, Call) and given.api != "initializer" else None
    return isinstance(given, KnownValue) or (inner is not None and all(map(_is_single, inner)))


def _holds(value: Value, parameter: Call) -> bool:
    """Whether an operand is a parameter, but for its type and shape."""
    for _ in range(STEPS):
        if value is parameter or not isinstance(value, Call):
            break
        inner = kept(value, "same", "order")
        if not inner or len(inner) != 1:
            break
        value = inner[0]
    return value is parameter


def _draws(value: Value) -> bool:
    if not isinstance(value, Call):
        return False
    if value.api != "initializer":
        inner = kept(value, "same", "order", "elements")  # its tensor is made at once: initializer(...).init_data()
        return inner is not None and len(inner) == 1 and all(map(_draws, options(inner[0])))
    ways = list(options(value.argument(["init", "shape", "dtype"], "init")))
    known = [
        isinstance(way, (NamedValue, Call)) or (isinstance(way, KnownValue) and isinstance(way.value, str))
        for way in ways
    ]
    return bool(ways) and all(known) and all(number(way) is None for way in ways)


def _waves(trace: Trace, parameter: Call) -> bool:
    """Whether a sine or cosine of what is computed with a parameter is taken, as random features are made; not of an angle between things,
    which an arc cosine gives."""
    return any(
        operation(call).name in ("sin", "cos")
        and any(part is parameter for operand in operation(call).operands for part in flow.sources(operand, _is_angle))
        for call in trace.calls
    )


def _is_angle(value: Value) -> bool:
    """True for an angle, and for what is told of an array whatever its numbers are."""
    return isinstance(value, Call) and (describes(value) or operation(value).name in ("acos", "arccos"))
