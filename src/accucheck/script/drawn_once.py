"""Noise that is drawn before a loop and given to a network that each turn of the loop trains: all steps train with the same numbers."""

from __future__ import annotations

import ast
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
    steps = [call for call in losses.trace.calls if call.name == "" and differentiates(call.base)]
    reading = [call for call in losses.trace.calls if call.name == ".each"]
    told: set[int] = set()
    for step in steps:
        loop = step.loops[-1] if step.loops else None
        if loop is None or not _reads_data(loop, reading, steps):
            continue  # the draw may be all that there is to train with
        for drawn in filter(None, map(_drawn, step.args)):
            if id(drawn.node) not in told and _is_drawn_before(drawn, step):
                told.add(id(drawn.node))
                data = {"function": name_of(drawn).rsplit(".", 1)[-1] + "()"}
                yield Observation("noise-once", drawn, data, step, certain=False)


def _is_drawn_before(drawn: Call, step: Call) -> bool:
    """Whether a draw stands outside the innermost loop around a step, and in no other loop than those around it."""
    around, own = [id(loop) for loop in step.loops], {id(loop) for loop in drawn.loops}
    return around[-1] not in own and own <= set(around)


def _reads_data(loop: ast.AST, reading: list[Call], steps: list[Call]) -> bool:
    """Whether a loop goes through data that some step trains with."""
    each = next((call for call in reading if call.node is loop), None)
    return each is not None and any(_comes_from(value, each) for step in steps for value in step.args)


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
