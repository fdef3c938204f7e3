"""Which data feed the training of a script: the data sets that its steps read, and where following them stopped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..knowledge import dataset_classes
from ..knowledge.methods import MODEL_RUNS
from . import flow
from .analysis import Reading
from .modes import training_events
from .networks import is_cell
from .shuffling import data_sets
from .syntax import kept
from .training_seen import FollowingStop, is_foreign
from .values import Call, Instance, KnownValue, Value, trains_model


@dataclass(eq=False)
class TrainingData:
    """The constructor calls of the data sets that feed the training; whether anything was seen that is fed at all (a program may
    make its data itself); and where following stopped before a data set was reached."""

    sets: list[Call] = field(default_factory=list)
    fed: bool = False
    stops: list[FollowingStop] = field(default_factory=list)


@kept
def fed(reading: Reading) -> TrainingData:
    """The data of the training in a reading, made once for all who ask."""
    found = TrainingData()
    for place, values in given(reading):
        found.fed = True
        _follow(found, place, values)
    if not found.sets:  # a trainer that is not seen is given a data set
        data = data_sets(reading.trace)
        chains = [chain for leaf, chain in data.sets() if data.uses.trained(leaf)]
        found.sets = _distinct([part for chain in chains for part in chain if _is_set(part)])
        found.fed |= bool(found.sets)
    if found.sets:
        found.stops.clear()
    return found


def made(reading: Reading) -> list[Call]:
    """The constructor calls of the data sets that a script makes, those for evaluation left out where others are seen."""
    return _distinct([part for _, chain in data_sets(reading.trace).sets() for part in chain if _is_set(part)])


def given(reading: Reading) -> Iterator[tuple[Call, list[Value]]]:
    """What the steps of a script are given, with the call that gives it."""
    for call in reading.trace.calls:
        trains = trains_model(call)
        data = call.argument(MODEL_RUNS[call.name], "train_dataset") if trains else None
        if data is not None:
            yield call, [data]
    for event in training_events(reading.trace):
        if isinstance(event.place, Call):
            yield event.place, [*event.place.args, *event.place.keywords.values()]


def _follow(found: TrainingData, place: Call, values: list[Value]) -> None:
    """Add the data sets that values come from, or else where following them stopped."""
    parts = [part for value in values for part in flow.sources(value, _ends)]
    sets = [part for part in parts if isinstance(part, Call) and _is_set(part)]
    found.sets = _distinct([*found.sets, *sets])
    foreign = [part for part in parts if isinstance(part, Call) and is_foreign(part)]
    if not sets and foreign:
        found.stops.append(FollowingStop(foreign[0].source, foreign[0].node))
    elif not sets and values and not any(isinstance(part, (Call, KnownValue)) for part in parts):
        found.stops.append(FollowingStop(place.source, place.node))


def _ends(value: Value) -> bool:
    """A data set, or a network: what a network computes is not training data."""
    return (isinstance(value, Call) and _is_set(value)) or (isinstance(value, Instance) and is_cell(value.of))


def _is_set(made: Call) -> bool:
    return made.name.startswith("mindspore.") and made.last in dataset_classes.load().sources


def _distinct(made: list[Call]) -> list[Call]:
    return list({id(call.node): call for call in made}.values())
