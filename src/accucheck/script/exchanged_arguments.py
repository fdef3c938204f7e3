"""Losses that are given labels in the place of the prediction and the prediction in that of the labels, and encoded labels in which
the numbers for the class and for all others have changed places.

The prediction is what weights compute; labels are data. A loss that treats its two arguments differently is used wrongly where the first
is seen to be data alone, and a gradient reaches weights through the second.
"""

from __future__ import annotations

from collections.abc import Iterator

from .effects import effect, kept
from .factors import argument_of, operation
from .freezing import may_hold_weights, reach
from .losses import Application, Losses, Observation, encoded, is_integer, known_name
from .values import Call, KnownValue, Value


def examine(losses: Losses) -> Iterator[Observation]:
    """Each such application of a loss."""
    for one in losses.applications:
        prediction, labels = one.prediction, one.labels
        if prediction is None or labels is None or not _tells_them_apart(one):
            continue
        since = _differentiated_at(losses, one)
        learns = reach(labels, stop=True)[0] or (since and may_hold_weights(labels, since=since))
        if learns and _is_data(prediction, since):
            names = [*one.known.inputs, *one.known.positional][:2]
            yield Observation("arguments-exchanged", one.place, {"loss": known_name(one), "first": names[0]})

    yield from _turned(losses)


def _is_data(prediction: Value, since: int) -> bool:
    """Whether no weights are in a prediction, or no gradient reaches them, as it is made of whole numbers."""
    if is_integer(prediction) or _is_constant(prediction):
        return True
    return not reach(prediction, stop=False)[0] and not may_hold_weights(prediction, stop=False, since=since)


def _is_constant(value: Value) -> bool:
    """Whether a value is the same number everywhere, whatever it is given, as ones_like gives."""
    known = effect(value) if isinstance(value, Call) else None
    return known is not None and known.constant is not None


def _turned(losses: Losses) -> Iterator[Observation]:
    """One-hot labels of a loss that are smaller for the class itself than for all others."""
    for one in losses.applications:
        made = encoded(one.labels) if one.labels is not None else None
        on, off = (number_given(made, place, name) for place, name in ((2, "on_value"), (3, "off_value")))
        if made is not None and on is not None and off is not None and on < off:
            yield Observation("one-hot-turned", made, {"on": f"{on:g}", "off": f"{off:g}"})


def number_given(made: Call | None, place: int, name: str) -> float | None:
    """The number that a call, or the object that it calls, is given at a place."""
    maker = made.base if made is not None and made.name == "" and isinstance(made.base, Call) else made
    value = operation(made).operand(place, name) if made is not None else None
    value = value if value is not None or maker is None else argument_of(maker, name)
    while isinstance(value, Call) and (inner := kept(value, "same")) is not None and len(inner) == 1:
        (value,) = inner
    return value.value if isinstance(value, KnownValue) and type(value.value) in (int, float) else None


def _tells_them_apart(application: Application) -> bool:
    """Whether a loss wants scores or probabilities and labels. A divergence is used both ways round."""
    known = application.known
    return known.expects in ("logits", "probabilities") or known.labels == "classes"


def _differentiated_at(losses: Losses, application: Application) -> int:
    """When the function began to run whose gradient is taken and that applies a loss; 0 where that is not seen. What was there before
    is data to it."""
    nodes = {id(call.node) for call, _ in losses.trained}
    time = application.place.order
    runs = (run for run in losses.trace.frames if id(run.node) in nodes and run.order <= time <= run.end)
    return max((run.order for run in runs), default=0)
