"""Noise that is drawn before a loop and given to a network that each turn of the loop trains: all steps train with the same numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .effects import differentiates, kept, name_of
from .losses import Losses, Observation
from .values import Call, Value, options

#: Values within values are looked into so far.
DEPTH = 24
_DRAWS = re.compile(r"(^|\.)(rand|randn|uniform|normal|StandardNormal|standard_normal|UniformReal|random_sample)$")
_MOVES = ("same", "order", "values", "factor")


def examine(losses: Losses) -> Iterator[Observation]:
    """Each such draw."""
    taken = [call for call in losses.trace.calls if call.name == "" and differentiates(call.base) and call.loops]
    reading = {id(call.node) for call in losses.trace.calls if call.name == ".each" and _is_of_data(call, losses)}
    told: set[int] = set()
    for call in taken:
        around = {id(loop) for loop in call.loops}
        if id(call.loops[-1]) not in reading:
            continue  # no data are read: the draw may be all that there is to train with
        for drawn in filter(None, map(_drawn, call.args)):
            outside = id(call.loops[-1]) not in {id(loop) for loop in drawn.loops}
            if outside and around >= {id(loop) for loop in drawn.loops} and id(drawn.node) not in told:
                told.add(id(drawn.node))
                data = {"function": name_of(drawn).rsplit(".", 1)[-1] + "()"}
                yield Observation("noise-once", drawn, data, call, certain=False)


def _is_of_data(each: Call, losses: Losses) -> bool:
    """Whether a loop goes through a data set, of which a step of it trains with something."""
    steps = (call for call in losses.trace.calls if call.name == "" and differentiates(call.base))
    return any(_comes_from(value, each) for call in steps for value in call.args)


def _comes_from(value: Value | None, each: Call) -> bool:
    for _ in range(DEPTH):
        if not isinstance(value, Call):
            return False
        if value.name == ".each":
            return value.node is each.node
        inner = kept(value, *_MOVES, "elements")
        value = inner[0] if inner is not None and len(inner) == 1 else value.base
    return False


def _drawn(value: Value | None) -> Call | None:
    """The draw of random numbers that a value is, but for its shape, type and scale; None where it may be anything else."""
    found = options(value)
    current = found[0] if len(found) == 1 else None
    for _ in range(DEPTH):
        if not isinstance(current, Call):
            return None
        if _DRAWS.search(name_of(current)):
            return current
        inner = kept(current, *_MOVES) or ([current.result] if current.result is not None else [])
        current = inner[0] if len(inner) == 1 else None
    return None
