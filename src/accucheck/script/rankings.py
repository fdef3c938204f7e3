"""Orders of places that a script makes of scores, and whether it begins with the largest: where the first of an order are taken for the
best, as the k nearest are, or a precision among the first is computed at each place, an ascending order of scores begins at the wrong end.

Which end is the right one is told by what the scores are: what a network gives for a class, probabilities of it, and inner products of what
networks give are the larger, the better. Of anything else, as of distances, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from . import flow
from .effects import MOVED, effect, kept, operands
from .factors import argument_of, comparison
from .guessed_classes import ascending, is_reversed, is_set, second_of
from .losses import heads
from .networks import outputs
from .syntax import THROUGH
from .values import Call, Items, KnownValue, Value, is_slice

#: Values within values are looked into so far.
DEPTH = 40
#: Operations by which an array is arranged as an order of places tells.
_ARRANGES = ("gather", "take", "take_along_axis", "index_select", "gather_elements", "gather_d")
#: What is true or false of each element, or counts it, in the order of the elements.
_EACH = ("logical_and", "logical_or", "logical_not", "check", "close", "where", "mul", "add", "sub", "negate")
#: Probabilities of classes; and those of each element, which are of classes of their own.
OF_CLASSES = ("probabilities", "log-probabilities")
PROBABILITIES = (*OF_CLASSES, "element probabilities")
_PRODUCTS = ("matmul", "dot", "inner")


class Ranking(NamedTuple):
    """An order by scores, the call that makes it, and whether the smallest come first."""

    order: Call
    scores: Value
    up: bool


def ranking_of(value: Value | None, depth: int = 0) -> Ranking | None:
    """The order in which the elements of a value, or those of its rows, stand: one of places, or what was arranged or counted by one."""
    if not isinstance(value, Call) or depth > DEPTH:
        return None
    if value.result is not None:
        return ranking_of(value.result, depth + 1)
    if (made := _made(value)) is not None:
        return made
    if value.name == "[]":
        return _of_item(value, depth + 1)
    if value.name == ".each":
        return ranking_of(value.base, depth + 1)
    if value.name == "comprehension":  # in the order of what it goes through
        return None if value.picks else _of_gone_through(value.args[-1], depth + 1)
    if value.last in THROUGH and value.name != "reversed" and value.args:
        return ranking_of(value.args[0], depth + 1)
    return _of_writes(value, depth + 1) or _of_elements(value, depth + 1)


def _made(value: Call) -> Ranking | None:
    """An order that a call makes: argsort, or the places that sort gives."""
    if (
        value.name == "[]"
        and isinstance(value.base, Call)
        and value.args
        and second_of(value.base, value.args[0], "sort")
    ):
        down, sorted_ = argument_of(value.base, "descending"), operands(value.base)[0]
        return (
            _unsigned(value.base, sorted_, not is_set(down, True))
            if down is None or isinstance(down, KnownValue)
            else None
        )
    if value.last != "argsort" or not operands(value):
        return None
    down = argument_of(value, "descending")
    return (
        _unsigned(value, operands(value)[0], ascending(value)) if down is None or isinstance(down, KnownValue) else None
    )


def _unsigned(order: Call, scores: Value, up: bool) -> Ranking:
    """An order by scores without their signs: that of -x from the smallest is that of x from the largest."""
    for _ in range(DEPTH):
        step = _step_back(scores) if isinstance(scores, Call) else None
        if step is None:
            break
        scores, turned = step
        up = up is not turned
    return Ranking(order, scores, up)


def _step_back(made: Call) -> tuple[Value, bool] | None:
    """What something has the order of, or, where the second is true, the contrary order: -x, 1 - x."""
    if made.result is not None:
        return made.result, False
    known, pair = effect(made), operands(made, (0, 1))
    does = known.operation if known is not None else ""
    if does == "negate" and pair:
        return pair[0], True
    if does == "sub" and len(pair) == 2 and isinstance(pair[0], KnownValue):
        return pair[1], True
    inner = kept(made, "same", *MOVED)
    return (inner[0], False) if inner is not None and len(inner) == 1 else None


def _of_item(item: Call, depth: int) -> Ranking | None:
    """Part of what is ordered, the same from its other end, or what an order arranges."""
    key = item.args[0] if item.args else None
    parts = key.items if isinstance(key, Items) else [key]
    by = [found for part in parts if (found := ranking_of(part, depth)) is not None]
    if by:
        return by[0] if len(by) == 1 else None
    found = ranking_of(item.base, depth)
    if found is None or any(map(is_reversed, parts)):
        return None if found is None else found._replace(up=not found.up)
    return found


def _of_writes(value: Call, depth: int) -> Ranking | None:
    """An array that a loop fills, place by place, as it goes through what is ordered."""
    found = [_of_gone_through(write.head, depth) for write in value.writes]
    orders = {(id(one.order), one.up): one for one in found if one is not None}
    return next(iter(orders.values())) if len(orders) == 1 and None not in found else None


def _of_gone_through(head: Value | None, depth: int) -> Ranking | None:
    while isinstance(head, Call) and head.last in THROUGH and head.args:
        head = head.args[0]
    if not isinstance(head, Call) or head.last != "zip":
        return ranking_of(head, depth)
    return next((found for part in head.args if (found := ranking_of(part, depth)) is not None), None)


def _of_elements(value: Call, depth: int) -> Ranking | None:
    """The elements of what is ordered, each compared, counted or changed where it stands."""
    known = effect(value)
    if known is not None and known.operation in _ARRANGES:
        return next((found for part in operands(value, (1, 2)) if (found := ranking_of(part, depth)) is not None), None)
    inner = kept(value, "same", *MOVED, "whole", "truth")
    if inner is None and (comparison(value) or (known is not None and known.operation in _EACH)):
        inner = operands(value, (0, 1))
    return next((found for part in inner or () if (found := ranking_of(part, depth)) is not None), None)


# --- which end is the best --------------------------------------------------------------------------------------------


def best_is_largest(scores: Value) -> bool:
    """Whether the larger of scores are seen to be the better ones."""
    made = scores if isinstance(scores, Call) else None
    return bool(scored_by(scores)) or (made is not None and _is_likeness(made))


def scored_by(value: Value | None, forms: tuple[str, ...] = PROBABILITIES, depth: int = 0) -> list[Call]:
    """The layers whose scores, or probabilities of these forms, a value holds, all of them; nothing where it may hold anything else."""
    found: list[Call] = []
    for head in heads(value) if depth < DEPTH else ():
        made = head.made
        if head.gives in forms and isinstance(made, Call):
            inner = scored_by(next(iter(operands(made)), None), forms, depth + 1)
        else:
            layer = made.base if head.gives == "logits" and isinstance(made, Call) else None
            inner = [layer] if isinstance(layer, Call) and outputs(layer) else []
        if not inner:
            return []
        found += inner
    return found


def _is_likeness(made: Call) -> bool:
    """Whether a value is inner products of two things that networks give."""
    for _ in range(DEPTH):
        known, inner = effect(made), kept(made, "same", "elements", *MOVED) or []
        if known is not None and known.operation in _PRODUCTS:
            pair = operands(made, (0, 1))
            return len(pair) == 2 and all(map(_is_of_network, pair))
        if len(inner) != 1 or not isinstance(inner[0], Call):
            return False
        made = inner[0]
    return False


def _is_of_network(value: Value) -> bool:
    """Whether a network has part in a value."""
    return flow.find(value, lambda part: part.name == "" and isinstance(part.base, Call)) is not None


# --- a precision among the first --------------------------------------------------------------------------------------


def precision_at_places(call: Call) -> Ranking | None:
    """The order in which hits are summed up, where a call divides the sum up to each place by how many stand up to it."""
    known = effect(call)
    pair = operands(call, (0, 1)) if known is not None and known.operation == "div" else []
    above = _sum_up_to(pair[0]) if len(pair) == 2 else None
    if above is None or not _counts_places(pair[1], above):
        return None
    return ranking_of(operands(above)[0])


def _sum_up_to(value: Value | None) -> Call | None:
    made = _plain(value)
    known = effect(made) if made is not None else None
    return made if known is not None and known.operation == "cumsum" and made is not None and operands(made) else None


def _counts_places(value: Value, above: Call) -> bool:
    """1, 2, 3, ..., or the sum up to each place of what is a hit and of what is none."""
    made = _plain(value)
    known = effect(made) if made is not None else None
    if made is not None and made.last in ("arange", "range"):
        return True
    if known is not None and known.operation == "add" and made is not None:
        pair = operands(made, (0, 1))
        sums = [_sum_up_to(part) for part in pair]
        return (above in sums and None not in sums) or any(
            isinstance(other, KnownValue) and _counts_places(one, above) for one, other in (pair, pair[::-1])
        )
    return False


def _plain(value: Value | None) -> Call | None:
    """A value without what bounds it, changes its type or picks some of it."""
    made = value
    for _ in range(DEPTH):
        if not isinstance(made, Call):
            return None
        if made.result is not None:
            made = made.result
            continue
        known = effect(made)
        if known is not None and known.operation == "extreme":
            inner = [part for part in operands(made, (0, 1)) if not _is_small(part)]
        else:
            inner = kept(made, "same", *MOVED, "whole", "elements") or []
        if len(inner) != 1:
            return made
        made = inner[0]
    return None


def _is_small(value: Value) -> bool:
    """A number against division by zero: 1e-12, or what numpy tells of a type."""
    made = value.base if isinstance(value, Call) and value.name.startswith("@") else value
    return isinstance(made, KnownValue) or (isinstance(made, Call) and made.last == "finfo")


def takes_first(key: Value | None) -> bool:
    """An index that takes the first elements, however many: `:k`, also of each row."""
    last = key.items[-1] if isinstance(key, Items) and key.items else key
    if not is_slice(last) or len(last.args) < 2:
        return False
    start, stop = last.args[:2]
    step = last.args[2] if len(last.args) > 2 else None
    plain = step is None or (isinstance(step, KnownValue) and step.value in (None, 1))
    first = isinstance(start, KnownValue) and start.value in (None, 0)
    below = isinstance(stop, KnownValue) and not (type(stop.value) is int and stop.value > 0)
    return plain and first and not below and not (isinstance(stop, Call) and stop.name in ("neg", "-"))


def wrong_end(call: Call, compared: Callable[[Call], bool]) -> Ranking | None:
    """An order of scores that begins with the smallest, though the larger are better, where a call takes the first of it and these are
    `compared`, or where it computes a precision among the first."""
    takes = call.name == "[]" and call.args and takes_first(call.args[0])
    found = ranking_of(call.base) if takes else precision_at_places(call)
    if found is None or not found.up or not best_is_largest(found.scores):
        return None
    return found if not takes or compared(call) else None
