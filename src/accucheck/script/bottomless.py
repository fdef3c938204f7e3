"""Terms of a loss that fall without end: a square or an exponential that is taken off in what is minimised.

Of what a layer gives, with nothing behind it that keeps it within limits, the optimizer makes such a term as large as it can, whatever
the samples are: the divergence of a latent distribution with its sign turned, a penalty that is subtracted. A term that grows with the
same results and is added may hold it, so nothing is told then, nor where another optimizer works against it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..knowledge.methods import PARAMETERS
from . import flow
from .direction import (
    DEEP,
    LossDirection,
    ascends,
    compete,
    is_even,
    minimised,
    product_of,
    set_by_hand,
    trained_layers,
)
from .effects import TAKEN, effect, kept, operands
from .factors import operation
from .freezing import applies, reach
from .losses import Losses, Observation, heads
from .networks import is_parameter, kind_of, trains
from .parameter_lists import behind
from .terms import Term, terms
from .training_steps import training
from .values import Call, Value


def examine(losses: Losses) -> Iterator[Observation]:
    """Each such term, once."""
    steps = training(losses.reading)
    if ascends(steps):
        return
    held, told = trained_layers(losses), set[int]()
    for value in minimised(losses, steps):
        every = list(terms(value))
        yield from _of_weights(every, told, held)
        for term in every:
            output = _grown(term.value) if term.negative and term.sure else None
            if (
                output is None
                or term.turn is None
                or id(term.turn) in told
                or not _is_trained(term.value, output, held)
            ):
                continue
            against = compete(losses, steps, LossDirection(True, output)) or set_by_hand(losses, steps)
            if not against and not any(_holds(other, output) for other in every if not other.negative):
                told.add(id(term.turn))
                yield Observation("no-bottom", term.turn, _data(term.value, output), output)


def _of_weights(every: list[Term], told: set[int], held: set[int] | None) -> Iterator[Observation]:
    """Squares of trained weights that are taken off: what the samples add grows with no such square of each weight. A parameter that no
    optimizer has, such as one of a loss beside the network, stays as it is."""
    added = [_squared_weight(term.value) for term in every if not term.negative]
    for term in every:
        weight = _squared_weight(term.value) if term.negative and term.sure else None
        if weight is None or term.turn is None or id(term.turn) in told or any(weight is other for other in added):
            continue
        if held is not None and is_parameter(weight) and id(weight) not in held:
            continue
        told.add(id(term.turn))
        yield Observation("weights-grow", term.turn, {"term": _text(term.value)}, weight)


def _squared_weight(term: Value) -> Call | None:
    """The parameter, or the parameters of a list in turn, that a term is the square of."""
    value = _squared(term)
    for _ in range(DEEP):
        if not isinstance(value, Call):
            return None
        if is_parameter(value):
            return value if trains(value) else None
        if value.name == ".each" and any(
            isinstance(part, Call) and part.name in PARAMETERS for part in behind(value.base)
        ):
            return value
        inner = [value.result] if value.result is not None else kept(value, *TAKEN) or []
        value = inner[0] if len(inner) == 1 else None
    return None


def _text(term: Value) -> str:
    return ast.unparse(term.node)[:60] if isinstance(term, Call) else ""


def _data(term: Value, output: Call) -> dict[str, str]:
    return {"term": _text(term), "layer": heads(output)[0].name}


def _is_trained(term: Value, output: Call, held: set[int] | None) -> bool:
    """Whether a gradient of the term reaches the layer behind it, which an optimizer has."""
    layer = id(output.base)
    return layer in reach(term, stop=True)[0] and (held is None or layer in held)


def _grown(term: Value) -> Call | None:
    """The output of a layer that a term is the square or the exponential of."""
    known = effect(term) if isinstance(term, Call) else None
    raised = isinstance(term, Call) and known is not None and known.operation == "exp" and not known.reduces
    given = next(iter(operands(term)), None) if isinstance(term, Call) and raised else _squared(term)
    return _output(given) if given is not None else None


def _squared(term: Value) -> Value | None:
    """What a term is the square of."""
    if not isinstance(term, Call):
        return None
    done, known = operation(term), effect(term)
    twice = done.does == "mul" and len(done.operands) == 2 and done.operands[0] is done.operands[1]
    even = done.does == "pow" and len(done.operands) == 2 and is_even(done.operands[1])
    if known is not None and known.power == 2 and not known.reduces:
        return next(iter(operands(term)), None)
    return done.operands[0] if twice or even else None


def _output(value: Value) -> Call | None:
    """The layer applied whose result a value has elements of, where that has no bounds."""
    for _ in range(DEEP):
        if not isinstance(value, Call):
            return None
        if applies(value):
            unbounded = kind_of(value.base) in ("dense", "convolution")
            return value if unbounded and [head.gives for head in heads(value)] == ["logits"] else None
        inner = [value.result] if value.result is not None else kept(value, *TAKEN) or []
        if len(inner) != 1:
            return None
        value = inner[0]
    return None


def _holds(term: Term, output: Call) -> bool:
    """Whether a term that is added may grow as fast with what a layer gives: it is computed from it otherwise than by a product with
    something else. What other layers make of it can be anything, and is not counted."""
    value = term.value
    if _output(value) is output or not flow.derives(value, output, applies):
        return False
    factors = product_of(value)[0] if isinstance(value, Call) and operation(value).does == "mul" else []
    with_it = [factor for factor in factors if flow.derives(factor, output, applies)]
    return len(with_it) != 1 or _output(with_it[0]) is not output
