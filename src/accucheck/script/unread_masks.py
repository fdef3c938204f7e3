"""Masks that are made by a comparison and handed to a cell that never reads them, while nothing else computes with them either.

Whatever is done to the mask on its way may only bring it into another form: as soon as one result of it is computed with, returned or kept,
nothing is said.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from . import flow
from .analysis import Scripts
from .effects import TAKEN, describes, kept
from .factors import comparison
from .models import FORWARD
from .networks import is_loss
from .padding_facts import Observation
from .syntax import walk
from .trace import Trace
from .values import Call, Frame, Instance, KnownValue, Value, options

#: So many values that are made of one comparison are looked at.
STEPS = 400
_SHOWS = ("print", "str", "repr", "f-string")


def examine(scripts: Scripts) -> Iterator[Observation]:
    told: set[int] = set()
    for reading in scripts.training:
        handed = _unread(reading.trace)
        kept_ = _kept(reading.trace) if handed else set()
        for mask in reading.trace.calls if handed else ():
            forms = _forms(mask, reading.trace, kept_) if _is_mask(mask) else None
            frame = next((handed[form] for form in forms or () if form in handed), None)
            if frame is not None and id(frame[0].function.node) not in told:
                told.add(id(frame[0].function.node))
                owner = frame[0].owner
                of = owner.of.node.name if isinstance(owner, Instance) else ""
                data = {"mask": frame[1], "function": of, "line": mask.line, "path": mask.source.path}
                yield Observation("mask-unread", frame[0].function.source, frame[0].function.node, data, likely=True)


def _unread(trace: Trace) -> dict[int, tuple[Frame, str]]:
    """What cells are given for parameters that their construct never mentions, by id."""
    found: dict[int, tuple[Frame, str]] = {}
    for frame in trace.frames:
        if frame.unseen or frame.function.name not in FORWARD or frame.owner is None or is_loss(frame.owner):
            continue
        names = {part.id for part in walk(frame.function.node) if isinstance(part, ast.Name)}
        for name, value in frame.parameters.items():
            if name not in names and value is not frame.owner:
                found |= {id(option): (frame, name) for option in options(value) if isinstance(option, Call)}
    return found


def _kept(trace: Trace) -> set[int]:
    """What objects keep, and what is returned to where nothing is seen, by id."""
    attributes = (value for made in trace.instances for value in made.attributes.values())
    returned = (frame.returned for frame in trace.frames if frame.parent is None)
    return {id(part) for value in (*attributes, *returned) for part in flow.sources(value, _is_call)}


def _is_call(value: Value) -> bool:
    return isinstance(value, Call)


def _is_mask(call: Call) -> bool:
    """Whether this compares an array with a constant."""
    sides = call.args if call.base is None else [call.base, *call.args]
    return comparison(call) in ("==", "!=") and any(isinstance(side, KnownValue) for side in sides)


def _forms(mask: Call, trace: Trace, kept_: set[int]) -> list[int] | None:
    """A mask and its other forms, by id; None where one of them is computed with or kept."""
    users, queue = flow.users(trace), [mask]
    seen = {id(mask)}
    while queue:
        part = queue.pop()
        if id(part) in kept_ or len(seen) > STEPS:
            return None
        for user, _ in users.get(id(part), ()):
            if user.name in _SHOWS or describes(user):
                continue
            if kept(user, *TAKEN, "truth") is None:
                return None
            if id(user) not in seen:
                seen.add(id(user))
                queue.append(user)
    return list(seen)
