"""Gradients of inputs in a penalty: of each sample's own score, or of an average that divides them by the size of the batch."""

from __future__ import annotations

from collections.abc import Iterator

from .effects import effect, gradient_maker, kept, operands
from .factors import Gradient, gradient, operation
from .freezing import reach
from .losses import Losses, Observation
from .values import Call, Items, KnownValue, Value

#: Calls between a norm that is compared and the gradient, and between a gradient function and the average that it returns.
FAR = 40


def examine(losses: Losses) -> Iterator[Observation]:
    """Averages over the batch whose gradients are compared with a number, sample by sample; each place once."""
    gradients = {id(call): found for call in losses.trace.calls if (found := gradient(call)) is not None}
    told: set[int] = set()
    for call in losses.trace.calls if gradients else ():
        norm = _compared(call)
        found = _gradient_of(norm, gradients) if norm is not None else None
        average = _average(found) if found is not None else None
        if average is not None and id(average.node) not in told:
            told.add(id(average.node))
            yield Observation("penalty-of-mean", average, {}, call)


def _compared(call: Call) -> Value | None:
    """What a number other than 0 is taken off, as 1 of a norm."""
    done = operation(call)
    if done.does not in ("add", "sub") or len(done.operands) != 2:
        return None
    numbers = [part for part in done.operands if isinstance(part, KnownValue)]
    others = [part for part in done.operands if not isinstance(part, KnownValue)]
    off = len(numbers) == 1 and _is_large(numbers[0]) and (done.does != "add" or _is_below(numbers[0]))
    return others[0] if off else None


def _is_large(number: KnownValue) -> bool:
    """No guard against a division by zero."""
    return isinstance(number.value, (int, float)) and abs(number.value) > 1e-2


def _is_below(number: KnownValue) -> bool:
    return isinstance(number.value, (int, float)) and number.value < 0


def _gradient_of(norm: Value, gradients: dict[int, Gradient]) -> Gradient | None:
    """The gradient of which something is the norm of each sample: a root, or a size, of what was added up but for the first axis."""
    value, by_sample, bent = norm, False, False
    for _ in range(FAR):
        if not isinstance(value, Call):
            return None
        base = value.base if value.name == "[]" and isinstance(value.base, Call) else value
        if id(base) in gradients:
            return gradients[id(base)] if by_sample and bent and not _is_value(value, base) else None
        if (known := effect(value)) is not None:
            by_sample |= known.reduces and _spares_batch(value)
            bent |= known.power is not None or (known.low == 0 and known.reduces)
        inner = _within(value)
        if inner is None:
            return None
        value = inner
    return None


def _is_value(item: Call, call: Call) -> bool:
    """The first of what a function gives that gives its value and the gradient."""
    first = item is not call and isinstance(item.args[0], KnownValue) and item.args[0].value == 0
    return first and gradient_maker(call.base) == "value_and_grad"


def _within(made: Call) -> Value | None:
    """The one operand behind a root, square, sum, size or change of shape; beside it stand numbers."""
    if made.result is not None:
        return made.result
    done, known = operation(made), effect(made)
    if done.does in ("add", "pow") and len(done.operands) == 2 and isinstance(done.operands[1], KnownValue):
        return done.operands[0]
    if known is None:
        return None
    passed = kept(made, "same", "order", "values", "factor", "limited") or (operands(made) if known.power else None)
    return passed[0] if passed and len(passed) == 1 else None


def _axes(made: Call) -> set[object] | None:
    """The axes that a call is told to reduce; None where it is told none, which is all."""
    does = effect(made)
    ordered = does is not None and does.operation == "norm"  # the order of the norm comes first
    given = operation(made).operand(2 if ordered else 1, "axis", "dim")
    parts = given.items if isinstance(given, Items) else [] if given is None else [given]
    known = {part.value for part in parts if isinstance(part, KnownValue)} - {None, ()}
    return known or None


def _spares_batch(made: Call) -> bool:
    axes = _axes(made)
    return axes is not None and 0 not in axes


def _average(found: Gradient) -> Call | None:
    """The average over the batch that a gradient of inputs is taken of, where it is one of results of layers."""
    if found.loss is None or found.sens is not None or found.weights is not None:
        return None
    value: Value = found.loss
    for _ in range(FAR):
        if not isinstance(value, Call):
            return None
        known = effect(value)
        if known is not None and known.reduces:
            return value if _is_mean_of_layers(value) else None
        inner = value.result if value.result is not None else next(iter(kept(value, "same", "order") or ()), None)
        if inner is None:
            return None
        value = inner
    return None


def _is_mean_of_layers(made: Call) -> bool:
    known, axes = effect(made), _axes(made)
    averages = known is not None and known.keeps == "between" and known.linear
    over_batch = axes is None or 0 in axes
    return averages and over_batch and any(reach(value, stop=False)[0] for value in operands(made))
