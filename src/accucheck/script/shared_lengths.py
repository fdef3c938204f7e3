"""Lengths of one sequence that a network also gives for another one, whose own it is handed and never reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from . import flow
from .analysis import Scripts
from .models import FORWARD
from .networks import Structure, is_loss, kind_of, structure_of
from .padding_facts import Observation
from .syntax import mentioned
from .values import Call, Frame, Instance, UnknownValue, Value, frames_around, is_none


def examine(scripts: Scripts) -> Iterator[Observation]:
    told: set[int] = set()
    for reading in scripts.training:
        structure = structure_of(reading)
        for frame in reading.trace.frames:
            cell = frame.owner
            if id(frame.function.node) in told or frame.unseen or not isinstance(cell, Instance) or is_loss(cell):
                continue
            unread = _unread(frame) if frame.function.name in FORWARD else {}
            found = _shared(frame, structure, unread) if unread else None
            if found is not None:
                told.add(id(frame.function.node))
                length, first, second, own = found
                data = {
                    "length": length,
                    "unread": own,
                    "of": cell.of.node.name,
                    "path": first.source.path,
                    "line": first.line,
                }
                yield Observation("length-of-another", second.source, second.node, data, likely=True)


def _unread(frame: Frame) -> dict[str, Value]:
    """What a cell is given for parameters that it never reads."""
    read = set(mentioned(frame.function.node))
    return {name: value for name, value in frame.parameters.items() if name not in read and value is not frame.owner}


def _shared(frame: Frame, structure: Structure, unread: dict[str, Value]) -> tuple[str, Call, Call, str] | None:
    """The name of a length, two runs of recurrent layers on different sequences that it is given to, and what is not read."""
    by_length: dict[int, list[Call]] = defaultdict(list)
    for call in structure.reading.trace.calls:
        length = _length(call)
        if length is not None and any(one is frame for one in frames_around(call.frame)):
            by_length[id(length)].append(call)
    for name, value in frame.parameters.items():
        runs = by_length.get(id(value), [])
        own = next((other for other, given in unread.items() if _are_columns(value, given)), None)
        pair = next(((one, other) for one in runs for other in runs if _are_apart(one, other, frame, value)), None)
        if own is not None and pair is not None:
            return name, *pair, own
    return None


def _length(call: Call) -> Value | None:
    """How long the sequences are that a recurrent layer is run on, as it is told."""
    if call.applied is None or kind_of(call.applied) != "recurrent":
        return None
    length = call.keywords.get("seq_length") or next(iter(call.args[2:3]), None)
    return None if is_none(length) else length


def _are_columns(one: Value, other: Value) -> bool:
    """Whether two values come beside each other: columns of one batch, or what a network is handed."""
    if isinstance(one, UnknownValue) and isinstance(other, UnknownValue):
        return True
    if not (isinstance(one, Call) and isinstance(other, Call)):
        return False
    return one.name == other.name == "[]" and one.base is not None and one.base is other.base


def _are_apart(one: Call, other: Call, frame: Frame, length: Value) -> bool:
    """Whether two runs are on sequences that are made of different things that a cell is given."""
    given = [value for value in frame.parameters.values() if value is not frame.owner and value is not length]
    made_of = [
        {id(value) for value in given if call.args and flow.derives(call.args[0], value)} for call in (one, other)
    ]
    return one.order < other.order and all(made_of) and made_of[0].isdisjoint(made_of[1])
