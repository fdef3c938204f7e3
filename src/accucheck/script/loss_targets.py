"""What the labels and the averages of losses leave of them: one output that is held against the labels of another, which no loss reads;
labels that are smoothed until most of their weight lies on wrong classes; a mean that is divided by the number of samples again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from . import flow
from .effects import describes, kept, named_arguments, operands
from .exchanged_arguments import number_given
from .factors import operation
from .losses import Application, Losses, Observation, encoded, heads, known_name
from .values import Call, Items, KnownValue, UnknownValue, Value, options

#: Labels that keep less than this of their weight on the class itself are of no use.
LEAST = 0.5
#: Values within values are looked into so far.
DEEP = 12


def examine(losses: Losses) -> Iterator[Observation]:
    yield from _outputs_left(losses)
    yield from _smoothed(losses)
    yield from _divided_again(losses)


# --- one output for the labels of two ---------------------------------------------------------------------------------


def _outputs_left(losses: Losses) -> Iterator[Observation]:
    """Two losses of one kind, on one output and different labels, while another output of the same network is read by none."""
    minimised = {id(part) for _, value in losses.trained for part in flow.sources(value)}
    trained = [each for each in losses.applications if id(each.place) in minimised]
    told: set[int] = set()
    for one, other in combinations(trained, 2):
        if id(other.place.node) in told or not _holds_one_output_twice(one, other):
            continue
        left = next((each for each in _beside(losses, one.prediction) if id(each) not in minimised), None)
        if left is not None and _is_alike(left, one.prediction):
            told.add(id(other.place.node))
            yield Observation("output-left", other.place, {"loss": known_name(other)}, one.place, certain=False)


def _holds_one_output_twice(one: Application, other: Application) -> bool:
    """Whether two applications of one loss take the same prediction and labels that have nothing in common, as those of a mixture of
    samples have."""
    if one.loss != other.loss or one.prediction is not other.prediction or one.prediction is None:
        return False
    first, second = _read(one.labels), _read(other.labels)
    if first is None or second is None:
        return False
    return not flow.derives(first, second) and not flow.derives(second, first)


def _read(labels: Value | None) -> Value | None:
    """What labels are read from, behind changes of type and shape; None where they are computed otherwise."""
    for _ in range(DEEP):
        inner = kept(labels, "same", "order", "whole") if isinstance(labels, Call) and labels.name != "[]" else None
        if not inner or len(inner) != 1:
            break
        labels = inner[0]
    if isinstance(labels, Call) and labels.name in (".item", "[]"):
        return labels if all(isinstance(place, KnownValue) for place in labels.args) else None
    return labels if isinstance(labels, UnknownValue) else None


def _beside(losses: Losses, output: Value | None) -> Iterator[Value]:
    """The other outputs of the networks that give this one."""
    for frame in losses.trace.frames:
        for returned in options(frame.returned):
            if isinstance(returned, Items) and any(part is output for part in returned.items):
                yield from (part for part in returned.items if part is not output)


def _is_alike(left: Value, output: Value | None) -> bool:
    """Whether two outputs are both scores, and neither is made of the other, as scores are of features."""
    if output is None or flow.derives(output, left) or flow.derives(left, output):
        return False
    return all({head.gives for head in heads(part)} == {"logits"} for part in (left, output))


# --- smoothed labels --------------------------------------------------------------------------------------------------


def _smoothed(losses: Losses) -> Iterator[Observation]:
    for one in losses.applications:
        given = _arguments(one).get("label_smoothing")
        share = given.value if isinstance(given, KnownValue) else None
        if isinstance(share, (int, float)) and share > 1 - LEAST:
            yield Observation("smoothed-away", one.cell or one.place, {"share": f"{share:g}"}, certain=False)
        made = encoded(one.labels) if one.labels is not None else None
        on, off = (number_given(made, place, name) for place, name in ((2, "on_value"), (3, "off_value")))
        if made is not None and on is not None and off is not None and 0 < off <= on < LEAST:
            yield Observation("smoothed-away", made, {"share": f"{1 - on:g}"}, certain=False)


def _arguments(one: Application) -> dict[str, Value]:
    """What a loss is made with, or a function of a loss is given."""
    return one.arguments if one.cell is None else named_arguments(one.cell)


# --- means that are divided again -------------------------------------------------------------------------------------


def _divided_again(losses: Losses) -> Iterator[Observation]:
    """The mean over a batch that is divided by the number of its samples."""
    told: set[int] = set()
    for one in losses.applications:
        if losses.reduction_of(one) != "mean":
            continue
        for user, how in losses.users.get(id(one.place), ()):
            done = operation(user)
            divides = done.does == "div" and how in ("0", "base") and id(user.node) not in told
            if divides and _counts_samples(done.operands[-1], one):
                told.add(id(user.node))
                yield Observation("mean-divided", user, {"loss": known_name(one)}, one.place, certain=False)


def _counts_samples(divisor: Value, one: Application) -> bool:
    """Whether a divisor is the length of the predictions or labels of a loss, or of what these are computed of."""
    for _ in range(DEEP):
        inner = kept(divisor, "same", "order", "whole") if isinstance(divisor, Call) and divisor.name != "[]" else None
        if not inner or len(inner) != 1:
            break
        divisor = inner[0]
    counted = _counted(divisor)
    given = (one.prediction, one.labels)
    return counted is not None and any(flow.derives(value, _origin(counted), describes) for value in given if value)


def _counted(divisor: Value) -> Value | None:
    """x of len(x), x.shape[0] and the like."""
    if not isinstance(divisor, Call):
        return None
    if divisor.name == "len":
        return divisor.args[0] if divisor.args else None
    first = isinstance(divisor.args[0], KnownValue) and divisor.args[0].value == 0 if divisor.args else False
    if divisor.name == "[]" and first and isinstance(divisor.base, Call) and describes(divisor.base):
        return next(iter(operands(divisor.base)), None)
    return None


def _origin(value: Value) -> Value:
    """What an array is but for its type and form."""
    for _ in range(DEEP):
        inner = kept(value, "same", "order", "whole") if isinstance(value, Call) else None
        if not inner or len(inner) != 1:
            break
        value = inner[0]
    return value
