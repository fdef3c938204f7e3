"""Data that lie in another range than what a network can give, where both are compared: by a loss, or by a network that judges both.

What a network gives is bounded by its last activation, through sums and products with constants; the range of data is followed from
their files. Where either is not seen, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .effects import MOVED, effect, kept, operands
from .factors import operation
from .freezing import learnable
from .losses import Application, losses_of
from .models import FORWARD
from .normalization import Observation
from .pipelines import Pipelines
from .samples import SamplePath
from .values import Call, KnownValue, Value, unseen

#: Values within values are looked into so far.
DEPTH = 24
#: Ranges whose ends lie nearer than this share of their width are one.
NEAR = 0.1
#: The labels of losses that compare element by element, and where the data come from of which the range is known.
_COMPARED, _DATA = "same-shape", "pixels"


class OutputRange(NamedTuple):
    """What an activation bounds: from where to where, and what bounds it."""

    low: float
    high: float
    by: Call


class DataRange(NamedTuple):
    low: float
    high: float
    way: SamplePath


def examine(readings: Iterable[Pipelines]) -> Iterator[Observation]:
    """Data that a loss asks for beyond what the network can give, and those that tell generated samples apart by their range."""
    for pipelines in readings:
        if pipelines.reading.role == "train" and pipelines.reading.view == "train":
            yield from _out_of_reach(pipelines)
            yield from _told_apart(pipelines)


def _out_of_reach(pipelines: Pipelines) -> Iterator[Observation]:
    """Losses whose labels lie beyond what the prediction can be."""
    for one in losses_of(pipelines.reading).applications:
        given = bounds(one.prediction) if one.known.labels == _COMPARED and one.known.expects != "logits" else None
        data = data_range(pipelines, one.labels) if given is not None else None
        if given is None or data is None:
            continue
        slack = NEAR * (given.high - given.low)
        if data.low < given.low - slack or data.high > given.high + slack:
            yield _observation("beyond-outputs", one, given, data)


def _observation(code: str, one: Application, given: OutputRange, data: DataRange) -> Observation:
    told = {**_told(given, data), "loss": one.loss.rsplit(".", 1)[-1]}
    return Observation(code, one.place, told, data.way)


def _told(given: OutputRange, data: DataRange) -> dict[str, object]:
    """What a message tells of both ranges."""
    return {
        **{"by": given.by.last, "at": f"{given.by.source.path}:{given.by.line}"},
        **{"least": given.low, "most": given.high, "low": data.low, "high": data.high, "steps": data.way.texts},
    }


def _told_apart(pipelines: Pipelines) -> Iterator[Observation]:
    """Networks that are given data, and what another network gives, which lie in different ranges."""
    made: dict[int, OutputRange] = {}
    read: dict[int, DataRange] = {}
    for frame in pipelines.trace.frames:
        given = next((value for value in frame.parameters.values() if value is not frame.owner), None)
        if frame.owner is None or frame.function.name not in FORWARD or unseen(frame) or given is None:
            continue
        if (own := bounds(given)) is not None:
            made.setdefault(id(frame.owner), own)
        elif (data := data_range(pipelines, given)) is not None:
            read.setdefault(id(frame.owner), data)
    for judge in made.keys() & read.keys():
        generated, data = made[judge], read[judge]
        slack = NEAR * (generated.high - generated.low)
        if abs(data.low - generated.low) > slack or abs(data.high - generated.high) > slack:
            yield Observation("ranges-apart", generated.by, _told(generated, data), data.way)


def data_range(pipelines: Pipelines, value: Value | None) -> DataRange | None:
    """The range of data that were followed from their files on each way."""
    ways = [way for way in pipelines.samples.ways(value) if way.data]
    low, high = ([end for way in ways if (end := getattr(way, name)) is not None] for name in ("low", "high"))
    followed = all(way.origin == _DATA and not way.unclear for way in ways)
    if not ways or not followed or len(low) < len(ways) or len(high) < len(ways):
        return None
    return DataRange(min(low), max(high), ways[0])


def bounds(value: Value | None, depth: int = 0) -> OutputRange | None:
    """Between which numbers all that a network gives lies."""
    if not isinstance(value, Call) or depth > DEPTH:
        return None
    if value.result is not None:
        return bounds(value.result, depth + 1)
    known = effect(value)
    if known is not None and known.rises and known.low is not None and known.high is not None:
        return OutputRange(known.low, known.high, value) if learnable(value) else None
    pair, does = operands(value, (0, 1)), operation(value).does
    if len(pair) == 2 and does in ("add", "sub", "mul", "div"):
        return _moved(does, pair[0], pair[1], depth)
    inner = kept(value, "same", "order", *MOVED)
    return bounds(inner[0], depth + 1) if inner is not None and len(inner) == 1 else None


def _moved(does: str, left: Value, right: Value, depth: int) -> OutputRange | None:
    """The bounds of what has a constant added, or is multiplied by one above zero."""
    constant, other = (right, left) if isinstance(right, KnownValue) else (left, right)
    by = constant.value if isinstance(constant, KnownValue) else None
    turned = constant is left and does in ("sub", "div")
    inner = bounds(other, depth + 1) if isinstance(by, (int, float)) and not turned else None
    if inner is None or not isinstance(by, (int, float)):
        return None
    if does in ("add", "sub"):
        by = by if does == "add" else -by
        return inner._replace(low=inner.low + by, high=inner.high + by)
    if by <= 0:
        return None
    by = by if does == "mul" else 1 / by
    return inner._replace(low=inner.low * by, high=inner.high * by)
