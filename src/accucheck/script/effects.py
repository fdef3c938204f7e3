"""What the calls of a trace do to the numbers that they are given, as knowledge/effects.json says of the operation behind each.

A rule asks what a call keeps ("same", "order", "values", "elements", ...) instead of what it is called, so that each spelling
of an operation counts: a function, the object of a class, a method, an operator.
"""

from __future__ import annotations

from ..knowledge import api, effects, names, signatures
from ..knowledge.effects import Effect
from .syntax import kept as kept_with_code
from .values import Call, Instance, Items, KnownValue, Value, is_known, is_slice

#: The elements and nothing else, each as often as before.
MOVED = ("same", "order", "values")
#: Elements of the operands and nothing else: some may be missing, some be there several times.
TAKEN = (*MOVED, "elements")


def name_of(made: Call) -> str:
    """The canonical name of what a call runs: of the layer or operator object where one is called."""
    if made.name == "" and isinstance(made.base, Call):
        return made.base.api
    return made.api


@kept_with_code  # every rule asks about every call
def effect(made: Call) -> Effect | None:
    return effects.find(name_of(made))


def describes(value: Value) -> bool:
    """Whether a value only describes what it is made of, such as by its shape or type: none of the operand's numbers is left."""
    known = effect(value) if isinstance(value, Call) else None
    return known is not None and known.kind == "description"


#: Kinds of results, and what is kept of an operand, that do not move with small changes of it.
_STEPS = ("index", "truth", "whole")


def stops_gradient(made: Call) -> bool:
    """Whether no gradient goes through a call: stop_gradient, what leaves MindSpore for numpy, what numpy itself computes, places as
    argmax gives them, comparisons and whole numbers."""
    known = effect(made)
    applied = made.name == "" or made.api != "ops.StopGradient"  # the operator is made, or called
    computes = made.name.startswith("numpy.") and (known is None or made.name not in known.asks)
    steps = known is not None and (known.kind in _STEPS or known.keeps in _STEPS)
    return (known is not None and (known.stops or steps) and applied) or computes


@kept_with_code
def gradient_maker(value: Value | None) -> str:
    """The name of what gives gradients where a value is called, applied or not; "" where calling it gives none."""
    if isinstance(value, Instance):
        given = effects.differentiating()
        return next((name for base in value.of.beyond() if (name := names.canonical(base)) in given), "")
    calls = 1
    while isinstance(value, Call):
        known = effects.find(value.api)
        if known is not None and known.kind == "gradient":
            return value.api if known.calls == calls else ""
        calls += value.name == ""
        value = value.base if value.name in ("", "[]") else None  # an item: of what vjp gives, the function
    return ""


def differentiates(value: Value | None) -> bool:
    """Whether calling a value gives gradients, which are the caller's to apply."""
    return gradient_maker(value) in effects.differentiating(updates=False)


def updates(value: Value | None) -> bool:
    """Whether calling a value takes gradients and has them applied."""
    return gradient_maker(value) in effects.differentiating(updates=True)


def operands(made: Call, places: tuple[int, ...] = (0,)) -> list[Value]:
    """What a call works on, by place: the tensor of a method is the first."""
    given = dict(enumerate(made.args))
    if made.name[:1] in (".", "@", "[") and made.base is not None:
        given = {0: made.base, **{place + 1: value for place, value in given.items()}}
    elif made.name:
        known = signatures.load().signature(made.api)
        names = known.positional if known is not None else ()
        given.update({names.index(name): value for name, value in made.keywords.items() if name in names})
    if not given and places == (0,):
        return list(made.keywords.values())[:1]
    return [given[place] for place in places if place in given]


def bound_arguments(made: Call) -> dict[str, Value] | None:
    """The arguments of a call of MindSpore by the names of its parameters; None where the call is of something else, or fits no signature
    of any version."""
    known = api.find(made.api)
    return known.bind_any(made.args, made.keywords) if known is not None else None


def named_arguments(made: Call) -> dict[str, Value]:
    """The same; where they are not bound, what the call gives by name."""
    return bound_arguments(made) or made.keywords


def kept(made: Call, *keeps: str) -> list[Value] | None:
    """The operands of which a call keeps one of these; None when it keeps less, or is not known."""
    if made.name == "[]":
        return _indexed(made, keeps)
    known = effect(made)
    if known is None:
        return None
    if known.neutral is not None:
        return _untouched(made, known) if "same" in keeps else None
    if known.keeps not in keeps:
        return None
    named = made.keywords.get(known.keyword)
    return [named] if named is not None else operands(made, known.of) or None


def _indexed(made: Call, keeps: tuple[str, ...]) -> list[Value] | None:
    """x[...] and x[:, None] keep all elements, other items some. Of an operation with further results, only one is meant."""
    base, key = made.base, made.args[0] if made.args else None
    if base is None:
        return None
    of = effect(base) if isinstance(base, Call) else None
    if of is not None and of.several and isinstance(key, KnownValue) and key.value in (0, 1) and key.value != of.value:
        return None
    parts = key.items if isinstance(key, Items) else [key]
    return [base] if "elements" in keeps or ("order" in keeps and all(map(_everything, parts))) else None


def _everything(key: Value | None) -> bool:
    """An index that leaves nothing out: `:`, `...`, None."""
    if is_slice(key):
        return all(is_known(part, None) for part in key.args)
    return isinstance(key, KnownValue) and (key.value is None or key.value is ...)


def _untouched(made: Call, known: Effect) -> list[Value] | None:
    """The other operand of an operator with its neutral number: x + 0, 1 * x."""
    pair = operands(made, (0, 1))
    if len(pair) != 2:
        return None
    left, right = pair
    if _is(right, known.neutral):
        return [left]
    return [right] if _is(left, known.neutral) and not known.right else None


def _is(value: Value, number: float | None) -> bool:
    return isinstance(value, KnownValue) and type(value.value) in (int, float) and value.value == number
