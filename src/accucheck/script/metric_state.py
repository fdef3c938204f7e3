"""What a class gathers over calls and does not clear with the rest: counts of one evaluation that are still there in the next.

A method clears where it takes nothing and only gives attributes their first values again. What it leaves out is a fault where
the class computes one number of it and of something that is cleared; and always in a metric of the framework, which is cleared
before each evaluation.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ..knowledge import names
from .analysis import Reading
from .networks import Observation
from .syntax import walk
from .tallies import added
from .values import Class, Frame, Function, frames_around

#: The classes of the framework that Model clears before an evaluation, and the methods it calls.
_METRICS = ("train.Metric", "nn.Metric", "train.EvaluationBase", "nn.EvaluationBase")
#: Base classes without accumulated state.
_PLAIN = ("object", "abc.ABC", "train.Callback", *_METRICS)
#: Methods of a Callback that Model calls in each epoch or step.
_REPEATED = (
    *("epoch_begin", "epoch_end", "step_begin", "step_end", "on_train_epoch_begin", "on_train_epoch_end"),
    *("on_train_step_begin", "on_train_step_end", "on_eval_begin", "on_eval_end"),
)
#: So deep are methods that methods call looked into.
DEPTH = 4


def is_metric(of: Class) -> bool:
    """Whether a class is a metric of the framework, which its user clears before each evaluation."""
    return any(names.canonical(base) in _METRICS for base in of.beyond())


def is_repeated(frame: Frame | None) -> bool:
    """Whether Model calls again in each epoch what a run is part of: a method of a Callback."""
    around = [*frames_around(frame)]
    function = around[-1].function if around else None
    if function is None or function.of is None or function.name not in _REPEATED:
        return False
    return any(names.canonical(base) == "train.Callback" for base in function.of.beyond())


def setting(of: Class, name: str) -> set[str] | None:
    """The methods that set an attribute beside adding to it, those that only the making of an object runs left out; None where it may be
    set in a way that is not seen."""
    if not all(names.canonical(base) in _PLAIN for base in of.beyond()):
        return None
    found: set[str] = set()
    for method in _State(of).methods.values():
        if method.name == "__init__":
            continue
        for node in walk(method.node):
            plain = isinstance(node, (ast.Assign, ast.AnnAssign)) and not list(added(node))
            if plain and name in _attributes(node):
                found.add(method.name)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("setattr", "vars"):
                return None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "__init__":
                return None
    return found


@dataclass
class _ResetState:
    """What a method sets, and whether it may set more than is seen."""

    attributes: set[str] = field(default_factory=set)
    more: bool = False


def examine(reading: Reading) -> Iterator[Observation]:
    seen: set[int] = set()
    made = [instance.of for instance in reading.trace.instances]
    run = [frame.function.of for frame in reading.trace.frames if frame.function.of is not None]
    for of in (*made, *run):
        if id(of.node) not in seen:
            seen.add(id(of.node))
            yield from _State(of).examine()


class _State:
    """The attributes of one class."""

    def __init__(self, of: Class) -> None:
        self.of = of
        self.methods = {method.name: method for method in of.methods()}

    @cached_property
    def is_metric(self) -> bool:
        return is_metric(self.of)

    def gathered(self) -> dict[str, tuple[Function, ast.AST]]:
        """The attributes that methods add to, each with the first place."""
        found: dict[str, tuple[Function, ast.AST]] = {}
        for name, method in self.methods.items():
            if name == "__init__":
                continue
            for node in walk(method.node):
                for key, _, _ in added(node):
                    held = key.partition("[")[0]  # the list, dict or array that an item of is added to
                    if held.startswith("self.") and held.count(".") == 1:
                        found.setdefault(held[5:], (method, node))
        return found

    def examine(self) -> Iterator[Observation]:
        gathered = self.gathered() if all(names.canonical(base) in _PLAIN for base in self.of.beyond()) else None
        if not gathered:
            return
        for name, method in self.methods.items():
            if not self.clears(name, method, gathered):
                continue
            cleared = self.set_by(method, 0)
            for left in () if cleared.more else sorted(gathered.keys() - cleared.attributes):
                if (place := self.together(left, cleared.attributes & gathered.keys(), name)) is not None:
                    function, node = gathered[left]
                    data = {"name": left, "method": name, "of": self.of.node.name, "used": place}
                    data["added"] = f"{function.source.path}:{getattr(node, 'lineno', 1)}"
                    yield Observation("left-in-state", method.source, method.node, data)

    def clears(self, name: str, method: Function, gathered: dict[str, tuple[Function, ast.AST]]) -> bool:
        """Whether a method is there to clear: the framework's own, or what takes nothing and sets some of what is gathered."""
        if name == "__init__" or isinstance(method.node, ast.Lambda):
            return False
        if self.is_metric and name == "clear":
            return True
        kept = {name for node in _emptying(method.node) for name in _attributes(node)} & gathered.keys()
        adds = any(function is method for function, _ in gathered.values())
        return _takes_nothing(method.node) and bool(kept) and not adds

    def set_by(self, method: Function, depth: int) -> _ResetState:
        """What a method, and those of the class that it calls, sets or changes."""
        found = _ResetState()
        for node in walk(method.node):
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                found.attributes.update(_attributes(node))
            elif isinstance(node, ast.Call):
                self._called(node, found, depth)
            elif isinstance(node, ast.Attribute) and node.attr in ("__dict__",):
                found.more = True
        return found

    def _called(self, node: ast.Call, found: _ResetState, depth: int) -> None:
        called = node.func
        if isinstance(called, ast.Name):
            found.more |= called.id in ("setattr", "vars")
            return
        if not isinstance(called, ast.Attribute):
            return
        if _is_self(called.value):
            inner = self.methods.get(called.attr)
            below = self.set_by(inner, depth + 1) if inner is not None and depth < DEPTH else _ResetState(more=True)
        elif (
            isinstance(called.value, ast.Call)
            and isinstance(called.value.func, ast.Name)
            and called.value.func.id == "super"
        ):
            above = self.of.above(called.attr)
            known = isinstance(above, Function) and depth < DEPTH
            below = (
                self.set_by(above, depth + 1)
                if isinstance(above, Function) and known
                else _ResetState(more=not self.is_metric)
            )
        else:
            below = _ResetState({part.attr for part in walk(called.value) if isinstance(part, ast.Attribute)})
        found.attributes |= below.attributes
        found.more |= below.more

    def together(self, left: str, cleared: set[str], clearing: str) -> str | None:
        """Where a number is computed of what is left and of something that is cleared; of a metric, where eval reads it."""
        for name, method in self.methods.items():
            if name in ("__init__", clearing):
                continue
            for node in walk(method.node):
                read = (
                    _read(node)
                    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.FloorDiv))
                    else set()
                )
                if left in read and read & cleared:
                    return f"{method.source.path}:{getattr(node, 'lineno', 1)}"
            if self.is_metric and name == "eval" and left in _read(method.node):
                return f"{method.source.path}:{method.node.lineno}"
        return None


def _takes_nothing(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method takes nothing but self, and returns nothing."""
    spec = function.args
    alone = len(spec.args) == 1 and not (spec.vararg or spec.kwarg or spec.kwonlyargs)
    return alone and not any(isinstance(node, ast.Return) and node.value is not None for node in walk(function))


def _emptying(function: ast.AST) -> list[ast.Assign]:
    """The statements that give a first value again."""
    return [node for node in walk(function) if isinstance(node, ast.Assign) and _is_empty(node.value)]


def _read(node: ast.AST) -> set[str]:
    """The attributes of the object that are read within."""
    return {part.attr for part in walk(node) if isinstance(part, ast.Attribute) and _is_self(part.value)}


def _attributes(node: ast.AST) -> Iterator[str]:
    """The attributes of the object that a statement sets, or sets items of."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    for target in targets:
        for part in walk(target) if target is not None else ():
            if isinstance(part, ast.Attribute) and _is_self(part.value):
                yield part.attr


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _is_empty(node: ast.expr) -> bool:
    """A constant, an empty list or dict, or several of these."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(map(_is_empty, node.elts))
    if isinstance(node, ast.Dict):
        return not node.keys
    if isinstance(node, ast.Call):
        return not node.args or all(
            isinstance(part, (ast.Constant, ast.Tuple, ast.Attribute, ast.Name)) for part in node.args
        )
    return isinstance(node, ast.Constant)
