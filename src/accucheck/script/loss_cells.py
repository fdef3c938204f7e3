"""Which cells compute a loss: by what they give, whatever they are called."""

from __future__ import annotations

from .axes import axes_given
from .effects import effect, kept
from .factors import ARITHMETIC, operation
from .networks import FORWARD, is_loss, kind_of
from .values import Call, Frame, KnownValue, Value, frames_around, is_known, options

#: How deep an expression is looked into for a sum or mean.
_DEPTH = 12


def computes_loss(frame: Frame) -> bool:
    """Whether a run is that of a loss, or of a method that a loss calls: of a cell that is one by its kind or name, or that gives one
    number for a whole batch."""
    owner = frame.owner
    if owner is None:
        return False
    runs = (one for one in frames_around(frame) if one.owner is owner and one.function.name in FORWARD)
    return is_loss(owner) or any(_gives_number(run.returned) for run in runs)


def _gives_number(returned: Value | None) -> bool:
    found = options(returned)
    return bool(found) and all(map(_is_number_of_batch, found))


def _is_number_of_batch(value: Value, depth: int = 0) -> bool:
    """Whether a value is a loss of the framework's, a sum or mean over all axes, or computed of such with constants."""
    if not isinstance(value, Call) or depth > _DEPTH:
        return False
    if kind_of(value) == "loss" or (value.base is not None and kind_of(value.base) == "loss"):
        return True
    known = effect(value)
    if known is not None and known.reduces:
        return _over_all_axes(value)
    done, passed = operation(value), kept(value, "same")
    if done.does == "div":  # by a number of samples, or a sum of their weights
        terms = done.operands[:1]
    elif done.does in ARITHMETIC:
        terms = [part for part in done.operands if not isinstance(part, KnownValue)]
    else:
        terms = passed or []
    return bool(terms) and all(_is_number_of_batch(part, depth + 1) for part in terms)


def _over_all_axes(made: Call) -> bool:
    given = axes_given(made)
    return given is None or is_known(given, None) or is_known(given, ())
