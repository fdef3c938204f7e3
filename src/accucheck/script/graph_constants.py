"""What Python computes within code that is compiled into a graph: once, as it is compiled, and not again in each step.

Run on MindSpore 2.10: what numpy, random and time give, and numbers that the code reads from an object, stay in the graph as they
were; attributes that the compiled code itself sets, what it prints, asnumpy() and what is computed of that run in each step.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..knowledge.random_numbers import GENERATORS
from . import flow, seeding
from .execution import mode
from .networks import in_callback, is_cell, is_parameter
from .remarks import Remark, merged, remark
from .source import Source
from .syntax import unparse, walk
from .trace import Store
from .training_steps import TrainingSteps
from .values import Call, Frame, Function, Instance, KnownValue, Value, options, unseen

#: What numbers are computed with, in the names of a trace.
_OPERATORS = frozenset(("+", "-", "*", "/", "//", "**", "%", "min", "max", "float", "int", "abs", "round", ".each"))
#: Methods of a Tensor that hand its values to Python.
_VALUES = frozenset((".asnumpy", ".item", ".tolist"))
#: Decorators that have a function compiled, and those of functions that are meant to be computed as a graph is compiled.
_COMPILES = frozenset(("jit", "ms_function"))
_MEANT = frozenset(("constexpr", "_primexpr"))


def constants(training: TrainingSteps, old: bool) -> list[Remark]:
    """What stays as it was when the graph was compiled. `old`: under MindSpore 1.x, which starts in graph mode."""
    if not training.judged_steps():
        return [training.no_step()]
    chosen = mode(training)
    unknown = chosen.place is not None and not chosen.value
    graph = unknown or chosen.value == "graph" or (chosen.place is None and old)
    compiled = {id(frame): frame for frame in training.frames if _is_compiled(frame, graph)}
    found = merged([*_computed(training, compiled), *_set_outside(training, compiled)])
    if found and unknown and chosen.place is not None:
        return [remark(chosen.place, "mode-unknown", also=[_Line(found[0].source, found[0].line)])]
    if found:
        return found
    steps = training.judged_steps()
    if not compiled:
        return [remark(steps[0].place, "not-compiled")]
    functions = {id(frame.function.node) for frame in compiled.values()}
    return [remark(steps[0].place, "computed", count=len(functions))]


def _is_compiled(frame: Frame, graph: bool) -> bool:
    """Whether a run of a function is part of what is compiled: that of a cell in graph mode, a function under jit, or within these."""
    inner: Frame | None = frame
    while inner is not None:
        words = _decorators(inner.function)
        if words & _MEANT:
            return False
        if words & _COMPILES or (graph and _is_construct(inner)):
            return True
        inner = inner.parent
    return False


def _is_construct(frame: Frame) -> bool:
    return frame.function.name == "construct" and isinstance(frame.owner, Instance) and is_cell(frame.owner.of)


def _decorators(function: Function) -> set[str]:
    given = getattr(function.node, "decorator_list", ())
    names = [unparse(one.func if isinstance(one, ast.Call) else one) for one in given]
    return {name.rpartition(".")[2] for name in names}


def _computed(training: TrainingSteps, compiled: dict[int, Frame]) -> Iterator[Remark]:
    """Random numbers and times that Python gives within compiled code."""
    for call in training.calls:
        frame = call.frame
        if frame is None or id(frame) not in compiled or call.discarded:
            continue
        if _draws(call) and not _of_a_tensor(call):
            likely = unseen(frame) or bool(call.under)  # a way that compiling may leave out
            yield remark(call, "frozen-random", likely=likely, name=_name(call), of=_of(frame))
        elif seeding.VARIES.match(call.api):
            used = frame.returned is not None and flow.derives(frame.returned, call)
            yield remark(call, "frozen-time" if used else "time-once", name=_name(call), of=_of(frame))


def _draws(call: Call) -> bool:
    if seeding.drawn(call) in ("numpy", "python"):
        return True
    generators = [one for one in options(call.base) if isinstance(one, Call) and one.api in GENERATORS]
    return call.name.startswith(".") and bool(generators)


def _of_a_tensor(call: Call) -> bool:
    """Whether it is given what Python takes out of a tensor: then it runs in each step."""
    given = (*call.args, *call.keywords.values())
    return any(flow.find(one, lambda made: made.name in _VALUES) is not None for one in given)


def _name(call: Call) -> str:
    return call.name.lstrip(".") if call.base is None else unparse(getattr(call.node, "func", call.node))


def _of(frame: Frame) -> str:
    owner = frame.owner
    return f"{owner.of.node.name}.{frame.function.name}" if isinstance(owner, Instance) else frame.function.name


# --- numbers that are set beside the graph ------------------------------------------------------------------------------


def _set_outside(training: TrainingSteps, compiled: dict[int, Frame]) -> Iterator[Remark]:
    """Numbers of a cell that compiled code reads, and that a loop or a callback sets to others between the steps."""
    for one in training.trace.sets:
        owner = one.owner
        if not isinstance(owner, Instance) or not is_cell(owner.of) or id(one.frame) in compiled:
            continue
        if not _is_between(one, owner) or not _changes(one) or _follows_mode(training, one):
            continue
        readers = [
            frame for frame in compiled.values() if frame.owner is owner and _reads(frame.function, one.attribute)
        ]
        if readers:
            names = {"name": one.attribute, "of": owner.of.node.name, "function": _of(readers[0])}
            found = remark(_Line(one.source, one.line), "set-outside", also=[readers[0]])
            yield replace(found, data=names)


class _Line:
    """A line of a script as a place."""

    def __init__(self, source: Source, line: int) -> None:
        self.source: Source | None = source
        self.node: ast.AST | None = ast.Pass(lineno=line, end_lineno=line, col_offset=0)


def _is_between(one: Store, cell: Instance) -> bool:
    """Whether it happens to the same cell again and again: in a loop that the cell is not made in, or in a callback."""
    if in_callback(one.frame):
        return True
    return any(loop not in cell.loops for loop in one.loops)


def _follows_mode(training: TrainingSteps, one: Store) -> bool:
    """Whether each mode of the cell has a number of its own: MindSpore compiles a graph for each mode, which keeps its own."""
    stores = [each for each in training.trace.sets if each.owner is one.owner and each.attribute == one.attribute]
    numbers: dict[bool | None, set[Any]] = {}
    for each in sorted(stores, key=lambda store: store.order):
        mode = True if each.before is None else _mode_beside(training, each)  # as it is made, it is for the training
        held = numbers.setdefault(mode, set())
        held.update(part.value if isinstance(part, KnownValue) else id(part) for part in options(each.value))
    alone = all(len(values) == 1 for values in numbers.values())
    return numbers.keys() == {True, False} and alone and numbers[True] != numbers[False]


def _mode_beside(training: TrainingSteps, one: Store) -> bool | None:
    """The mode that the same function switches the cell to, next to where it sets the number; None where it is not seen."""
    switches = [
        call
        for call in training.calls
        if call.name == ".set_train" and call.frame is one.frame and one.owner in options(call.base)
    ]
    nearest = min(switches, key=lambda call: abs(call.order - one.order), default=None)
    if nearest is None:
        return None
    given = nearest.argument(["mode"], "mode") or KnownValue(True)
    return given.value if isinstance(given, KnownValue) and isinstance(given.value, bool) else None


def _changes(one: Store) -> bool:
    """Whether a number of Python takes the place of another one. A Parameter stays, and takes what is assigned to it as its value."""
    found, before = options(one.value), options(one.before)
    if any(is_parameter(part) for part in before):
        return False
    if all(_is_number(part) for part in found):
        numbers = {part.value for part in (*found, *before) if isinstance(part, KnownValue) and _is_number(part)}
        return len(numbers) > 1
    made = [part for part in found if isinstance(part, Call) and part.name in _OPERATORS]
    return len(made) == len(found) and any(
        isinstance(part, (Call, KnownValue)) for value in made for part in flow.inputs(value)
    )


def _is_number(value: Value) -> bool:
    return isinstance(value, KnownValue) and isinstance(value.value, (bool, int, float))


def _reads(function: Function, name: str) -> bool:
    """Whether its text asks for self.name."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        for node in walk(function.node)
    )
