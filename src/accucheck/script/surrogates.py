"""The larger of two surrogate objectives, where a limited ratio is to hold a policy back: what is maximised has to be the smaller of both.

A policy is improved by the product of a ratio of probabilities and an advantage. Beside it stands the product of the same advantage with
the ratio within limits; the smaller of both is a lower bound. Taken off in what is minimised that is the minimum, added the maximum of
the negated products.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from .direction import ascends, minimised, product_of, unsigned
from .effects import effect
from .factors import Operation, operation
from .losses import Losses, Observation
from .terms import terms
from .training_steps import training
from .values import Call, Value


def examine(losses: Losses) -> Iterator[Observation]:
    """Each such choice."""
    steps = training(losses.reading)
    if ascends(steps):
        return
    for value in minimised(losses, steps):
        for term in terms(value):
            made = term.value
            done = operation(made) if isinstance(made, Call) else None
            if done is None or not isinstance(made, Call) or not term.sure or not _is_of_surrogates(done):
                continue
            if done.name == ("maximum" if term.negative else "minimum"):
                yield Observation("larger-of-surrogates", made)


def _is_of_surrogates(done: Operation) -> bool:
    """Whether it chooses between a product and that with a factor within limits."""
    if done.name not in ("maximum", "minimum") or len(done.operands) != 2:
        return False
    return any(_is_limit_of(*pair) for pair in permutations(map(_factors, done.operands)))


def _is_limit_of(limited: list[Value], product: list[Value]) -> bool:
    """Whether one product has a factor of the other within limits, and all others in common."""
    for factor in limited:
        inner = next(iter(_within_limits(factor)), None)
        others = {id(part) for part in limited if part is not factor}
        if any(part is inner for part in product) and others == {id(part) for part in product if part is not inner}:
            return True
    return False


def _factors(value: Value) -> list[Value]:
    """The factors of a product, whatever its sign."""
    value = unsigned(value)[0]
    return product_of(value)[0] if isinstance(value, Call) and operation(value).does == "mul" else []


def _within_limits(factor: Value) -> list[Value]:
    """What a factor holds within limits."""
    if not isinstance(factor, Call):
        return []
    known = effect(factor)
    return operation(factor).operands[:1] if known is not None and known.operation == "clip" else []
