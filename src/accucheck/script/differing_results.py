"""Uses of a result that is another one than in PyTorch: the largest value for its place, samples for moments."""

from __future__ import annotations

from collections.abc import Iterator

from ..knowledge import api
from . import flow
from .analysis import Reading
from .axes import Rank, axis_of, place, rank, width
from .differences import WrongUse
from .effects import MOVED, bound_arguments, effect, kept, name_of, operands
from .factors import argument_of, comparison, operation
from .networks import is_cell, is_layer, outputs
from .values import Call, Frame, Instance, Items, KnownValue, NamedValue, Value, integer_of, is_known, is_slice, options

#: So many changes of type are looked through.
CASTS = 8
_GATHERS = ("ops.gather", "mint.index_select")
_EXTREMES = ("ops.max", "ops.min")
_TO_WHOLE = ("int", ".int", ".long")
_CASTS = (".astype", ".to", ".type", "ops.cast", "Tensor", "tensor")
#: What takes places of elements: where they stand among the arguments, as "0", "1", ..., or by name.
_PLACES = {
    "[]": ("0",),
    "ops.gather": ("1", "input_indices"),
    "ops.gather_elements": ("2", "index"),
    "ops.one_hot": ("0", "indices"),
    "ops.equal": ("0", "1"),
    "==": ("0", "1"),
}


def wrong(reading: Reading) -> Iterator[WrongUse]:
    """What is wrong with how results are used in one reading, each place once."""
    told: set[tuple[str, int]] = set()
    for one in _wrong(reading):
        key = one.code, id(one.place.node)
        if key not in told:
            told.add(key)
            yield one


def _wrong(reading: Reading) -> Iterator[WrongUse]:
    trace = reading.trace
    for call in trace.calls:
        if call.api in _EXTREMES and _without_axis(call):
            yield from _extreme(call, flow.users(trace))
        elif _is_largest(call):
            yield from _as_class(call, operands(call)[0], call, flow.users(trace))
        elif call.name == "" and isinstance(call.base, Call) and _time_first(call.base):
            yield from _moments(call, call.base, flow.users(trace))
        elif comparison(call) == "==":
            yield from _guessed_elsewhere(call)
        elif _is_argmax(call):
            yield from _guessed_over_samples(call)
        elif call.api in _GATHERS:
            yield from _columns(call)


_Users = dict[int, list[tuple[Call, str]]]


def _item(user: Call, of: Call) -> int | None:
    """Which item of a result is taken; None where none is, or it is not seen which."""
    place = user.args[0] if user.name == "[]" and user.base is of and user.args else None
    return integer_of(place)


# --- columns for elements ---------------------------------------------------------------------------------------------


def _columns(call: Call) -> Iterator[WrongUse]:
    """Whole columns of scores are taken, by an index that each sample of the batch has for itself."""
    known = operation(call)
    scores, index, axis = (known.operand(n, name) for n, name in enumerate(("input_params", "input_indices", "axis")))
    found, along = width(scores), integer_of(axis)
    if (
        found is None
        or along is None
        or scores is None
        or call.frame is None
        or known.operand(3, "batch_dims") is not None
    ):
        return
    layer, classes = found
    at = place(along, rank(scores))
    of_samples = _is_given_with(call.frame, index, scores)
    if not at.is_not(classes.high) and along in (1, -1) and outputs(layer) != 1 and of_samples:
        yield WrongUse("columns-gathered", call, {"layer": layer.last, "at": layer.line})


def _is_given_with(frame: Frame, index: Value | None, scores: Value) -> bool:
    """Whether a function is given an index as it is beside what scores are computed of, as a batch has actions beside states."""
    given = [value for value in frame.parameters.values() if value is not frame.owner]
    beside = [one for one in given if one is not index]
    return len(beside) < len(given) and any(flow.derives(scores, one) for one in beside)


# --- the place of the largest score -----------------------------------------------------------------------------------


def _guessed_elsewhere(compared: Call) -> Iterator[WrongUse]:
    """What is compared with labels is the place of the largest number along another axis than that of the scores."""
    sides = [_unmoved(side) for side in operands(compared, (0, 1))]
    guesses = [taken for side in sides if (taken := _largest_along(side)) is not None]
    if len(sides) != 2 or len(guesses) != 1:
        return
    guess, scores, axis = guesses[0]
    found = width(scores)
    count = outputs(found[0]) if found is not None else None
    if found is None or axis is None or (count is not None and count < 3):
        return
    layer, classes = found
    of = _rank_by_use(rank(scores), compared)
    if place(axis, of).is_not(classes.high):
        code = "argmax-elsewhere" if of.exact is not None and count is not None else "argmax-elsewhere-perhaps"
        yield WrongUse(code, guess, {"axis": axis, "layer": layer.last, "at": layer.line})


def _guessed_over_samples(guess: Call) -> Iterator[WrongUse]:
    """The place of the largest number is sought along the samples of a batch of pictures, of each of which a layer gives many scores."""
    scores = operands(guess)[:1]
    found, axis = (width(scores[0]) if scores else None), axis_of(guess)
    if found is None or axis is None:
        return
    (layer, classes), of = found, rank(scores[0])
    count, along = outputs(layer), place(axis, of)
    over_samples = along.exact and of.exact is not None and along.high == -of.exact and along.is_not(classes.high)
    if over_samples and (count is None or count > 2):
        code = "argmax-elsewhere" if count is not None else "argmax-elsewhere-perhaps"
        yield WrongUse(code, guess, {"axis": axis, "layer": layer.last, "at": layer.line})


def _largest_along(places: Value) -> tuple[Call, Value, int | None] | None:
    """What takes the places of the largest scores, of which scores, and along which axis."""
    if not isinstance(places, Call):
        return None
    if _is_argmax(places) and operands(places):
        return places, operands(places)[0], axis_of(places)
    if not _is_of_topk(places) or not isinstance(places.base, Call):
        return None
    dim = argument_of(places.base, "dim") or operation(places.base).operand(2, "dim")
    axis = integer_of(dim)
    return places.base, operands(places.base)[0], axis


def _is_of_topk(made: Call) -> bool:
    """Whether an item of what topk gives is the places."""
    if made.name != "[]" or not isinstance(made.base, Call) or _item(made, made.base) != 1:
        return False
    known = effect(made.base)
    return known is not None and known.operation == "topk" and bool(operands(made.base))


def _rank_by_use(told: Rank, compared: Call) -> Rank:
    """How many axes scores have, where an index into the places of the largest tells more than their making."""
    least = told.least
    for side in operands(compared, (0, 1)):
        if isinstance(side, Call) and side.name == "[]" and isinstance(side.base, Call) and _is_argmax(side.base):
            least = max(least, _indexed_axes(side) + (side.base.last != "argsort"))
    return Rank(least, told.exact)


def _indexed_axes(made: Call) -> int:
    """How many axes an index goes along."""
    key = made.args[0] if made.args else None
    parts = key.items if isinstance(key, Items) else [key]
    plain = all(is_slice(part) for part in parts)
    return len(parts) if plain else 0


def _unmoved(value: Value) -> Value:
    """What a value is but for its type and arrangement, or some elements of."""
    for _ in range(CASTS):
        moves = isinstance(value, Call) and not _is_of_topk(value)
        inner = kept(value, "same", *MOVED, "elements") if isinstance(value, Call) and moves else None
        if inner is None or len(inner) != 1:
            break
        value = inner[0]
    return value


def _is_argmax(made: Call) -> bool:
    known = effect(made)
    last = name_of(made).rsplit(".", 1)[-1].lower()
    return known is not None and known.operation == "argmax" and last in ("argmax", "argsort")


# --- the largest value, and where it is -------------------------------------------------------------------------------


def _without_axis(call: Call) -> bool:
    """True where the extreme of all elements is asked for; its place is then always 0."""
    axis = call.argument(["input", "axis"], "axis")
    return not call.unpacked and (axis is None or is_known(axis, None))


def _extreme(call: Call, users: _Users) -> Iterator[WrongUse]:
    data = {"api": call.api}
    for user, _ in users.get(id(call), ()):
        place = _item(user, call)
        if place in (1, -1) and users.get(id(user)):
            yield WrongUse("extreme-without-place", call, data)
        elif place == 0 and call.args:
            yield from _as_class(call, call.args[0], user, users)


def _is_largest(call: Call) -> bool:
    """True for the largest or smallest of all elements, where that is all that a call gives."""
    known = effect(call)
    return known is not None and known.operation == "max" and bool(operands(call)) and axis_of(call) is None


def _as_class(call: Call, scores: Value, extreme: Call, users: _Users) -> Iterator[WrongUse]:
    """The largest or smallest of what a network puts out, taken for a class, an index or a whole number."""
    used = _as_place(extreme, users) if _of_network(scores) else None
    if used is not None:
        yield WrongUse("extreme-for-place" if used else "extreme-as-whole", call, {"api": call.api.lstrip(".")})


def _of_network(value: Value) -> bool:
    """True for what a cell with weights gives, moved about at most."""
    for option in options(value):
        depth = 0
        while isinstance(option, Call) and option.name != "" and depth < 20:
            passed = kept(option, "same", *MOVED)
            option, depth = (passed[0] if passed else KnownValue(None)), depth + 1
        maker = option.base if isinstance(option, Call) else None
        if isinstance(maker, Call) and is_layer(maker):
            return True
        if isinstance(maker, Instance) and is_cell(maker.of):
            return True
    return False


def _as_place(value: Call, users: _Users) -> bool | None:
    """True when a value is made whole and then taken for a place or class; False when it is only made whole, None when not."""
    whole = False
    queue: list[tuple[Call, bool]] = [(value, False)]
    seen = {id(value)}
    while queue and len(seen) < 200:
        part, cut = queue.pop()
        for user, how in users.get(id(part), ()):
            if cut and _takes_place(user, how):
                return True
            cuts = not cut and _cuts(user)
            whole = whole or cuts
            passed = user.name in _ARITHMETIC if cut else cuts or _keeps(user)
            if passed and id(user) not in seen:
                seen.add(id(user))
                queue.append((user, cut or cuts))
    return False if whole else None


def _cuts(user: Call) -> bool:
    """True for what makes a whole number of another."""
    return user.name in _TO_WHOLE or (user.api in _CASTS and _whole(user))


def _takes_place(user: Call, how: str) -> bool:
    """True for what takes a whole number for a place or a class."""
    return how in _PLACES.get(user.api, ()) or (user.api in ("Tensor", "tensor") and _whole(user))


def _keeps(user: Call) -> bool:
    return user.name in (".item", "float", ".numpy") or kept(user, "same", *MOVED) is not None


#: What keeps a whole number whole.
_ARITHMETIC = ("+", "-", "*", "//", "%", "int", ".item", ".asnumpy")


def _whole(cast: Call) -> bool:
    """True for a cast to whole numbers."""
    given = (*cast.args[0 if cast.name[:1] == "." else 1 :], *cast.keywords.values())
    return any(
        isinstance(kind, NamedValue) and kind.name.rpartition(".")[2].startswith(("int", "uint")) for kind in given
    )


# --- samples and moments ----------------------------------------------------------------------------------------------


def _time_first(layer: Call) -> bool:
    """True for a recurrent layer that reads moments along the first axis, as it does by default."""
    known = api.find(layer.api)
    if known is None or known.kind != "recurrent" or "batch_first" not in known.parameters or layer.unpacked:
        return False
    given = (bound_arguments(layer) or {}).get("batch_first")
    return given is None or (isinstance(given, KnownValue) and given.assumed is None and given.value is False)


def _moments(call: Call, layer: Call, users: _Users) -> Iterator[WrongUse]:
    """The last along the second axis of the outputs, which are the samples."""
    for states, _ in users.get(id(call), ()):
        if _item(states, call) != 0:
            continue
        for user, how in users.get(id(states), ()):
            if how == "base" and user.name == "[]" and _last_of_second(user.args):
                yield WrongUse(
                    "last-sample", layer, {"api": layer.api, "at": f"{user.source.path}:{user.line}"}, also=user
                )
                return


def _last_of_second(index: list[Value]) -> bool:
    """True for [:, -1], with whatever follows."""
    parts = index[0].items if index and isinstance(index[0], Items) else []
    if len(parts) < 2 or not isinstance(parts[0], Call) or parts[0].name != "slice":
        return False
    bounds = parts[0].args
    return all(is_known(one, None) for one in bounds) and (isinstance(parts[1], KnownValue) and parts[1].value == -1)
