"""The terms that are added up in what is minimised, each with its sign: behind averages, sums, changes of shape and constant weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from . import flow
from .direction import DEEP, is_read_once, not_negative, product_of, unsigned
from .effects import MOVED, effect, kept, operands
from .factors import operation
from .freezing import reach
from .networks import kind_of
from .values import Call, Items, Many, Value, options


@dataclass(frozen=True)
class Term:
    """`negative`: it is taken off, and `turn` is where the sign was turned last; not `sure` where a weight of unknown sign is put on it,
    or it is there on some ways only."""

    value: Value
    negative: bool = False
    turn: Call | None = None
    sure: bool = True

    def of(self, value: Value, turned_by: Call | None = None, sure: bool = True) -> Term:
        """The same of a part of the term, whose sign a call may turn."""
        turn = turned_by or self.turn
        return Term(value, self.negative ^ (turned_by is not None), turn, self.sure and sure)


def terms(value: Value) -> Iterator[Term]:
    """The terms of a value that is minimised."""
    queue, looked = [Term(value)], 0
    while queue and looked < DEEP * DEEP:
        term, looked = queue.pop(), looked + 1
        inner = list(_inner(term))
        queue += inner
        if not inner:
            yield term


def _inner(term: Term) -> Iterator[Term]:
    """What a term is the sum of; nothing for one that is not a sum."""
    value = term.value
    if isinstance(value, Many):
        yield from (replace(term, value=option, sure=False) for option in options(value))
    elif isinstance(value, Items) and value.items:
        yield replace(term, value=value.items[0])  # what else a function gives is not minimised
    elif isinstance(value, Call):
        yield from _of_call(term, value)


def _of_call(term: Term, made: Call) -> Iterator[Term]:
    done = operation(made)
    if made.result is not None:
        yield term.of(made.result)
    elif done.does in ("add", "sub") and len(done.operands) == 2:
        yield term.of(done.operands[0])
        yield term.of(done.operands[1], made if done.does == "sub" else None)
    elif done.does == "negate" and done.operands:
        yield term.of(done.operands[0], made)
    elif done.does in ("mul", "div") and len(done.operands) == 2:
        yield from _of_product(term, made)
    else:
        yield from map(term.of, summed(made))


def _of_product(term: Term, made: Call) -> Iterator[Term]:
    """The one factor that is not a weight: the others have a sign, or are read once."""
    factors, divisors, negative = product_of(made)
    known = all(not_negative(divisor) and not reach(divisor, stop=True)[0] for divisor in divisors)
    left = _without_sign(factors) if known else []
    weights = [factor for factor in left if is_read_once(factor)] if len(left) > 1 else []
    rest = [factor for factor in left if factor not in weights]
    if len(rest) == 1:
        inner, turned = unsigned(rest[0])
        yield term.of(inner, made if negative ^ turned else None, sure=not weights)


def _without_sign(factors: list[Value]) -> list[Value]:
    """The factors that may be below 0; where none may, all."""
    return [factor for factor in factors if not not_negative(factor)] or factors


def summed(made: Call) -> list[Value]:
    """What a sum or an average over elements is of, and what is only moved or given another shape."""
    known = effect(made)
    if kind_of(made.base) == "scaler" or made.name == "sum":
        lists = made.args[:1]
        return [part for given in lists for part in flow.elements(given)]
    if known is not None and known.linear and known.reduces:
        return operands(made)
    moved = kept(made, *MOVED) or []
    return moved if len(moved) == 1 else []
