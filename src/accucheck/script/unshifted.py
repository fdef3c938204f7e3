"""Models that predict what comes next, and whose labels are what they are given at the same places: to copy is all that they learn.

The labels of the loss and the numbers that the network looks up are followed back through the columns of the data to the sequence that both
are cut out of, with the place at which each begins. That the network sees no later place is told by a triangle in its attention; a
recurrent layer whose states are used, or one before another, may as well be part of an autoencoder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from . import effects, triangles
from .analysis import Scripts
from .lengths import alike, plus
from .losses import Application, Observation, applied, losses_of
from .networks import kind_of
from .padded_columns import Rules, inputs
from .pipelines import Pipelines, of_scripts
from .syntax import kept
from .values import Call, Items, KnownValue, UnknownValue, Value, is_known

#: Values within values are looked into so far.
DEPTH = 60


class Origin(NamedTuple):
    """What a sequence is cut out of, and where it begins there: at `after`, where that is seen, and so many places on."""

    root: Value
    after: tuple[Value, ...] = ()
    start: int = 0

    def is_at(self, other: Origin, moved: int) -> bool:
        """Whether both begin at one place of one sequence, this one `moved` places earlier by what is cut off later."""
        same = len(self.after) == len(other.after) and all(map(alike, self.after, other.after))
        return alike(self.root, other.root) and same and self.start + moved == other.start


def examine(scripts: Scripts) -> Iterator[Observation]:
    told: set[int] = set()
    for one in chain(predictions(scripts), _of_own_loops(scripts)):
        if one.ahead < 1 and id(one.loss.node) not in told and (said := _copied(one)) is not None:
            told.add(id(one.loss.node))
            yield said


@dataclass(frozen=True, eq=False)
class Prediction:
    """A loss whose labels are cut out of a sequence that is looked up, too, so many places `ahead` of what is looked up, behind it where
    that is negative. `onward`: all calls between the two."""

    loss: Call
    application: Application
    looked_up: list[Call]
    onward: list[Call]
    ahead: int


@kept
def predictions(scripts: Scripts) -> list[Prediction]:
    """The losses of what trains, found once for all who ask."""
    found: list[Prediction] = []
    training = {id(reading) for reading in scripts.training}
    for pipelines in of_scripts(scripts):
        if id(pipelines.reading) not in training:
            continue
        for pipeline in pipelines.found:
            columns = pipelines.columns.get(id(pipeline.leaf)) if pipeline.leaf is not None else None
            graphs = Rules(pipelines, pipeline, columns).graphs() if columns is not None else []
            for graph in graphs:
                found += _among(pipelines, graph.made)
    return found


def _of_own_loops(scripts: Scripts) -> Iterator[Prediction]:
    """The losses of loops that cut their batches out of an array, without a data set."""
    training = {id(reading) for reading in scripts.training}
    for pipelines in of_scripts(scripts):
        if id(pipelines.reading) in training:
            contributing = losses_of(pipelines.reading).contributing.values()
            yield from _among(pipelines, [part for part in contributing if isinstance(part, Call)])


def _among(pipelines: Pipelines, calls: Iterable[Call]) -> Iterator[Prediction]:
    for made in calls:
        application = applied(made)
        if application is None or application.known.expects not in ("logits", "log-probabilities"):
            continue
        looked_up, onward = _looked_up(application.prediction)
        for ahead in (-1, 0, 1):
            if of_labels := _cut_from_labels(pipelines, application, looked_up, ahead):
                yield Prediction(made, application, of_labels, onward, ahead)


def _copied(one: Prediction) -> Observation | None:
    causal = any(triangles.seen(call) == triangles.PAST for call in one.onward)
    recurrent = [call for call in one.onward if kind_of(call.base) == "recurrent"]
    stepwise = any(map(_is_one_place, one.looked_up))
    if not (causal or recurrent or stepwise):
        return None
    sees_itself = causal or stepwise or (len(recurrent) == 1 and _gives_places(recurrent[0], one.onward))
    if one.ahead and not sees_itself:
        return None
    code = "labels-behind" if one.ahead else "labels-not-shifted" if sees_itself else "labels-not-shifted-perhaps"
    loss = one.application.loss.rpartition(".")[2]
    return Observation(code, one.loss, {"loss": loss}, one.looked_up[0], certain=False)


def _is_one_place(looked_up: Call) -> bool:
    """Whether one place of each sequence is looked up, turn by turn of a loop. Along the first axis, a loop goes from sample to sample."""
    given = looked_up.args[0]
    key = given.args[0] if isinstance(given, Call) and given.name == "[]" else None
    return isinstance(key, Items) and any(_turn(part) is not None for part in key.items[1:])


def _gives_places(recurrent: Call, onward: list[Call]) -> bool:
    """Whether only what a recurrent layer gives at each place is used, and not its last state, as an autoencoder does."""
    taken = [call.args[0] for call in onward if call.base is recurrent and call.args]
    return bool(taken) and all(is_known(key, 0) for key in taken)


def _cut_from_labels(pipelines: Pipelines, application: Application, looked_up: list[Call], ahead: int) -> list[Call]:
    """What is looked up of the sequence of the labels, where the labels are so many places ahead of all of it: of a decoder that is given
    other places as well, nothing."""
    moved, wanted = _begins(application.prediction), _origin(pipelines, application.labels)
    if moved is None or wanted is None:
        return []
    origins = ((call, _origin(pipelines, call.args[0])) for call in looked_up)
    alike_ = [(call, each) for call, each in origins if each is not None and alike(each.root, wanted.root)]
    return [call for call, _ in alike_] if all(each.is_at(wanted, moved + ahead) for _, each in alike_) else []


def _looked_up(prediction: Value | None) -> tuple[list[Call], list[Call]]:
    """The embeddings that a prediction is computed of, and all calls on the way."""
    queue: list[Value] = [prediction] if prediction is not None else []
    seen: dict[int, Value] = {}
    found: list[Call] = []
    while queue:
        value = queue.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, Call) and value.name == "" and kind_of(value.base) == "embedding" and value.args:
            found.append(value)
        else:
            queue += inputs(value)
    return found, [value for value in seen.values() if isinstance(value, Call)]


def _begins(prediction: Value | None) -> int | None:
    """How many of the first places are cut off of a prediction behind the network; None where that is not seen."""
    moved = 0
    value = prediction
    for _ in range(DEPTH):
        if isinstance(value, Call) and value.name == "[]":
            cut = _cut(value)
            if cut is None or cut[0] is not None:
                return None
            moved, value = moved + cut[1], value.base
        elif (inner := _within(value)) is not None:
            value = inner
        else:
            break
    return moved


def _within(value: Value | None) -> Value | None:
    """What a value is but for its type and the form of its array; None for what is something else."""
    if not isinstance(value, Call):
        return None
    same = effects.kept(value, "same", "order", "whole") if value.result is None else [value.result]
    return same[0] if same is not None and len(same) == 1 else None


def _origin(pipelines: Pipelines, value: Value | None) -> Origin | None:
    """Where a sequence comes from, back to before it was read from the data set."""
    after: list[Value] = []
    start = 0
    for _ in range(DEPTH):
        if isinstance(value, Call) and (held := pipelines.read(value)) is not None and len(held) == 1:
            value = held[0]
        elif isinstance(value, Call) and value.name == "[]" and (cut := _cut(value)) is not None:
            after += [cut[0]] if cut[0] is not None else []
            start, value = start + cut[1], value.base
        elif (inner := _within(value)) is not None:
            value = inner
        else:
            break
    return Origin(value, tuple(after), start) if value is not None and not _is_nameless(value) else None


def _is_nameless(value: Value) -> bool:
    return isinstance(value, (KnownValue, Items)) or (isinstance(value, UnknownValue) and not value.name)


def _cut(made: Call) -> tuple[Value | None, int] | None:
    """Where the one slice of an index begins, as a value and so many places more; None for an index that picks, or takes places in
    another order, as [::-1] does. What the turns of a loop pick, one place after the other, is such a slice as well."""
    key = made.args[0] if made.args else None
    parts = [part for part in (key.items if isinstance(key, Items) else [key]) if not _takes_all(part)]
    later = [each for each in map(_begin, parts) if each != (None, 0)]
    return None if len(later) > 1 else later[0] if later else (None, 0)


def _begin(part: Value | None) -> tuple[Value | None, int] | None:
    if isinstance(part, Call) and _goes_on(part):
        return _first(part.args[0])
    turn = _turn(part)
    return None if turn is None else (None, turn)


def _turn(part: Value | None) -> int | None:
    """The number that a loop over range() begins with, and what is added to it, where an index is that of the loop."""
    each, more = plus(part) if part is not None else (None, 0)
    over = each.base if isinstance(each, Call) and each.name == ".each" else None
    if not isinstance(over, Call) or over.name != "range" or len(over.args) > 2:
        return None
    begin = over.args[0] if len(over.args) == 2 else KnownValue(0)
    return begin.value + more if isinstance(begin, KnownValue) and type(begin.value) is int else None


def _goes_on(part: Call) -> bool:
    """Whether it is a slice that takes one place after the other."""
    step = part.args[2] if len(part.args) > 2 else None
    return part.name == "slice" and (step is None or (isinstance(step, KnownValue) and step.value in (None, 1)))


def _takes_all(part: Value | None) -> bool:
    return isinstance(part, KnownValue) and (part.value is None or part.value is ...)


def _first(begin: Value) -> tuple[Value | None, int] | None:
    """Where a slice begins; None for a place that is counted from the end."""
    if not isinstance(begin, KnownValue):
        return plus(begin)
    place = 0 if begin.value is None else begin.value
    return (None, place) if type(place) is int and place >= 0 else None
