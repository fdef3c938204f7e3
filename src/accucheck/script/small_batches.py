"""Whether no step of a training takes more than so many samples: every data set that feeds it is seen with the size of its batches, one
device runs it or a number of devices that is known, and no gradients are added up over several steps.

How many devices there are and what options say is taken from their defaults, as everywhere. A source of the project's own that may give
whole batches itself is not judged where its rows are then batched one by one.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..knowledge.methods import BATCHES
from .accumulations import may_add_up
from .grading import Link, under
from .ranks import deployment, tests_of
from .settings import Settings, number
from .shuffling import data_sets
from .training_data import fed
from .values import Call, KnownValue, options


def largest(settings: Settings) -> tuple[Call, int] | None:
    """The call that makes the largest batches of a training, with the samples of a step on all devices; None where that is not seen."""
    data = fed(settings.reading)
    devices = _devices(settings)
    if data.stops or not data.sets or devices is None or may_add_up(settings):
        return None
    made = [_batch(chain) for chain in _ways(settings, data.sets)]
    found = [one for one in made if one is not None]
    if not found or len(found) < len(made):
        return None
    call, size = max(found, key=lambda one: one[1])
    return call, size * devices


def _ways(settings: Settings, sets: list[Call]) -> Iterator[list[Call]]:
    """What becomes of each data set until it feeds the training; nothing for one that is not followed so far."""
    chains = [chain for _, chain in data_sets(settings.trace).sets()]
    for made in sets:
        ways = [chain for chain in chains if any(part.node is made.node for part in chain)]
        yield from ways or [[]]


def _batch(chain: list[Call]) -> tuple[Call, int] | None:
    """The one call that puts the samples of a data set into batches, with how many each has."""
    calls = [call for call in chain if call.name in BATCHES]
    if len(calls) != 1 or calls[0].name == ".bucket_batch_by_length":
        return None
    sizes = [
        number(option.value) if isinstance(option, KnownValue) else None
        for option in options(calls[0].argument(BATCHES[calls[0].name], "batch_size"))
    ]
    known = [int(size) for size in sizes if size is not None]
    own = any(call.last == "GeneratorDataset" for call in chain)
    return (calls[0], max(known)) if known and len(known) == len(sizes) and min(known) > own else None


def _devices(settings: Settings) -> int | None:
    """How many devices train: as the case or the script says, else one where nothing is made for several as long as options stay as they
    are."""
    said = settings.devices or settings.device_number()
    found = deployment(settings.trace)
    several = [*found.starts, *found.contexts, *found.asked]
    return said or (1 if all(under(tests_of(call)) is Link.ELSEWHERE for call in several) else None)
