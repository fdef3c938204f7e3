"""What a guess is taken from that is compared with labels: scores that no mask has ruled out, or that samples have shares of; and which
scores an order of places is that of."""

from __future__ import annotations

from collections.abc import Iterator

from . import flow
from .analysis import Reading
from .axes import axis_of, place, rank, width
from .effects import MOVED, effect, kept, name_of, operands
from .factors import argument_of, comparison, operation
from .losses import Losses
from .networks import Observation
from .values import Call, Items, KnownValue, Value, is_known, is_slice, options

#: Values within values are looked into so far.
DEPTH = 24
#: What rules a score out is so low, at least.
LOW = -100.0
#: Operations after which a place still has the score of a class.
_PASSING = ("add", "mul", "div", "negate", "sum", "mean", "stack", "add_n")


def examine(reading: Reading, losses: Losses) -> Iterator[Observation]:
    """What is wrong with the guesses of one reading."""
    ruled = [one for application in losses.applications if (one := _ruled_out(application.prediction)) is not None]
    for call in reading.trace.calls:
        if comparison(call) != "==":
            continue
        for side in operands(call, (0, 1)):
            guess = _guess(side)
            if guess is not None:
                yield from _though_ruled_out(guess, ruled)
                yield from _of_shares(guess)


def _guess(side: Value) -> Call | None:
    """The call that takes the place of the largest score, where a side of a comparison is that."""
    made = _bare(side, "elements")
    known = effect(made) if made is not None else None
    return made if known is not None and known.operation == "argmax" and made is not None and operands(made) else None


def _bare(value: Value | None, *keeps: str) -> Call | None:
    """What a value is but for its type and arrangement."""
    for _ in range(DEPTH):
        if isinstance(value, Call) and value.result is not None:
            value = value.result
        inner = kept(value, "same", "order", *MOVED, *keeps) if isinstance(value, Call) else None
        if inner is None or len(inner) != 1:
            break
        value = inner[0]
    return value if isinstance(value, Call) else None


# --- masks ------------------------------------------------------------------------------------------------------------


def _ruled_out(prediction: Value | None) -> Call | None:
    """The call that gives scores of a network, at places that a mask of the batch tells, a value that none can reach; it is not the
    network itself that does so."""
    for option in options(prediction):
        made = _bare(option)
        known = effect(made) if made is not None else None
        if made is None or known is None or known.operation != "masked_fill" or "construct" in made.functions:
            continue
        given = operands(made, (0, 1, 2))
        if len(given) == 3 and _is_low(given[2]) and _layer(given[0]) is not None and _is_of_batch(given[1]):
            return made
    return None


def _is_low(value: Value) -> bool:
    """A number that rules out: -1e9, or float("-inf")."""
    if isinstance(value, Call) and value.name == "float" and value.args:
        value = value.args[0]
    told = value.value if isinstance(value, KnownValue) else None
    try:
        return told is not None and not isinstance(told, bool) and float(told) <= LOW
    except (TypeError, ValueError):
        return False


def _is_of_batch(mask: Value) -> bool:
    """Whether a mask comes from the data, and no network has part in it."""
    found = [part for part in flow.sources(mask) if isinstance(part, Call)]
    return any(part.name == ".each" for part in found) and not any(part.name == "" for part in found)


def _layer(scores: Value | None) -> Call | None:
    """The layer that gives these scores, moved about at most."""
    made = _bare(scores)
    return made.base if made is not None and made.name == "" and isinstance(made.base, Call) else None


def _though_ruled_out(guess: Call, ruled: list[Call]) -> Iterator[Observation]:
    """The largest of all scores is guessed, though the loss rules some of the places out."""
    layer = _layer(operands(guess)[0])
    for one in ruled:
        if layer is not None and _layer(operands(one)[0]) is layer:
            data = {"layer": layer.last, "line": layer.line, "at": f"{one.source.path}:{one.line}"}
            yield Observation("ruled-out-guessed", guess.source, guess.node, data)
            return


# --- shares of samples ------------------------------------------------------------------------------------------------


def _of_shares(guess: Call) -> Iterator[Observation]:
    """The largest of what a softmax over samples, and not over classes, gives: each class has another sum there."""
    axis = axis_of(guess)
    for part in flow.sources(operands(guess)[0], _is_no_passing):
        known = effect(part) if isinstance(part, Call) else None
        if not isinstance(part, Call) or known is None or known.operation != "softmax" or "construct" in part.functions:
            continue
        along, scores = axis_of(part), operands(part)[0]
        found = width(scores)
        if found is None or along is None or axis is None:
            continue
        of, classes = rank(scores), found[1].high
        if place(along, of).is_not(classes) and not place(axis, of).is_not(classes):
            data = {"layer": found[0].last, "line": found[0].line, "axis": along}
            yield Observation("shares-of-samples", part.source, part.node, data)
            return


def _is_no_passing(value: Value) -> bool:
    """What is not looked behind: a network, a softmax, whatever else makes something new of scores."""
    if not isinstance(value, Call) or value.name in ("sum", "comprehension", "generator"):
        return False
    known = effect(value)
    return not (known is not None and (known.operation in _PASSING or kept(value, "same", "order", *MOVED) is not None))


# --- orders of scores -------------------------------------------------------------------------------------------------


def ranked_by(places: Value) -> Value | None:
    """The scores of which places are those of the k largest: some of their order, or what topk gives."""
    first: bool | None = None  # whether the first places of the order are taken, or the last
    made = _bare(places)
    while made is not None and made.name == "[]" and isinstance(made.base, Call) and made.args:
        key = made.args[0]
        if _of_topk(made.base, key):
            return operands(made.base)[0]
        if is_reversed(key):
            first = None if first is None else not first
        elif first_ones(key) or _last_ones(key):
            first = first_ones(key)
        else:
            return None
        made = _bare(made.base)
    if made is None or first is None or made.last not in ("argsort", "argpartition") or not operands(made):
        return None
    scores, down = _turned(operands(made)[0], not ascending(made))
    return scores if first is down else None


def _turned(scores: Value, down: bool) -> tuple[Value, bool]:
    """What is sorted without its signs, and whether the largest of it come first."""
    for _ in range(DEPTH):
        known = effect(scores) if isinstance(scores, Call) else None
        if not isinstance(scores, Call) or known is None or known.operation != "negate":
            break
        scores, down = operands(scores)[0], not down
    return scores, down


def ascending(order: Call) -> bool:
    """Whether a call sorts from the smallest, or puts the smallest first, and tells the places."""
    name = name_of(order).rsplit(".", 1)[-1].lower()
    if name not in ("argsort", "argpartition"):
        return False
    down = argument_of(order, "descending")
    down = (
        down
        if down is not None
        else operation(order).operand(2, "descending")
        if not order.name.startswith("numpy")
        else None
    )
    return down is None or is_known(down, False)


def first_ones(key: Value | None) -> bool:
    """An index that takes the first elements and leaves the others: `:k`."""
    if not isinstance(key, Call) or key.name != "slice" or len(key.args) < 2:
        return False
    start, stop = key.args[:2]
    step = key.args[2] if len(key.args) > 2 else None
    plain = step is None or (isinstance(step, KnownValue) and step.value in (None, 1))
    first = isinstance(start, KnownValue) and start.value in (None, 0)
    return plain and first and isinstance(stop, KnownValue) and type(stop.value) is int and stop.value > 0


def _last_ones(key: Value) -> bool:
    """An index that takes the last elements: `-k:`."""
    if not isinstance(key, Call) or key.name != "slice" or len(key.args) < 2 or not is_known(key.args[1], None):
        return False
    start = key.args[0]
    return isinstance(start, KnownValue) and type(start.value) is int and start.value < 0


def is_reversed(key: Value | None) -> bool:
    """`[::-1]`."""
    cut = key.args if is_slice(key) else []
    step = cut[2] if len(cut) > 2 else None
    return isinstance(step, KnownValue) and step.value == -1 and all(is_known(bound, None) for bound in cut[:2])


def _of_topk(made: Call, key: Value) -> bool:
    """Whether an item of what topk gives is the places of the largest."""
    return second_of(made, key, "topk") and not is_set(argument_of(made, "largest"), False)


def second_of(made: Call, key: Value, operation_name: str) -> bool:
    """Whether an item is the places, and not the values, of what topk or sort gives."""
    known, second = effect(made), isinstance(key, KnownValue) and key.value == 1
    return known is not None and known.operation == operation_name and second and bool(operands(made))


def is_set(value: Value | None, told: bool) -> bool:
    return isinstance(value, KnownValue) and value.value is told


def least_first(call: Call) -> tuple[int, Value] | None:
    """The line and the scores of an order, where the places that an item of it takes are those of the smallest scores: the first ones of an
    ascending order, of all rows or of one, or what topk gives of the smallest."""
    if call.name != "[]" or not isinstance(call.base, Call) or not call.args:
        return None
    if second_of(call.base, call.args[0], "topk"):
        up = is_set(argument_of(call.base, "largest"), False)
        return (call.base.line, operands(call.base)[0]) if up else None
    key = call.args[0].items[-1] if isinstance(call.args[0], Items) and call.args[0].items else call.args[0]
    order = _bare(call.base)
    while order is not None and order.name == ".each":
        order = _bare(order.base)
    scores = _sorted_upwards(order) if order is not None and first_ones(key) else None
    return (order.line, scores) if order is not None and scores is not None else None


def _sorted_upwards(order: Call) -> Value | None:
    """The scores of which an order of places is that from the smallest to the largest."""
    if (
        order.name == "[]"
        and isinstance(order.base, Call)
        and order.args
        and second_of(order.base, order.args[0], "sort")
    ):
        down = argument_of(order.base, "descending") or operation(order.base).operand(2, "descending")
        return operands(order.base)[0] if down is None or is_set(down, False) else None
    return operands(order)[0] if ascending(order) and operands(order) else None
