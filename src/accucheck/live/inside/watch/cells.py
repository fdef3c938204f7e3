"""The cells of a network: where each was made and with what, by which name it is known, and what each call was given and gave."""

from __future__ import annotations

import dis
import inspect
import math
import sys
import time
import weakref
from types import FrameType
from typing import Any

import numpy as np

from ..measures import SAMPLED, Array, array, described, digest, short, tensors
from .hooks import Hooks

Cell = Any  # a mindspore.nn.Cell
#: Calls of cells in one pass that are described, and arguments of one.
CALLS, ARGUMENTS = 4096, 16
#: Tensors that a call takes, or gives, and that are described.
TAKEN = 8
#: How deep within others a network lies at most: below a training cell, a cell that adds the loss, and one that adds precision.
OUTER = 4
#: Samples of a tensor whose means are compared, at least and at most, and values of each.
ROWS, VALUES = (8, 32), (16, 1 << 16)


def class_of(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


class CellOrigins:
    """The place and the arguments of each cell as it was made."""

    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        self.known: weakref.WeakKeyDictionary[Cell, tuple[list[Any] | None, dict[str, Any]]] = (
            weakref.WeakKeyDictionary()
        )

    def see(self, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """After Cell.__init__, which its subclasses call: their own frames are those whose self is this cell."""
        cell = args[0]
        given: dict[str, Any] = {}
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            held = frame.f_locals
            if held.get("self") is cell and frame.f_code.co_name == "__init__":
                given = {**given, **arguments(frame.f_code, held)}
            elif given and held.get("self") is not cell:
                break
            frame = frame.f_back
        self.known[cell] = self.hooks.place(skip=cell), dict(list(given.items())[:ARGUMENTS])

    def of(self, cell: Cell) -> tuple[list[Any] | None, dict[str, Any]]:
        return self.known.get(cell, (None, {}))


def arguments(code: Any, held: dict[str, Any]) -> dict[str, Any]:
    """The plain ones among the arguments of a function that runs."""
    count = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[1:count]
    kinds = (bool, int, float, str, type(None))
    return {name: held[name] for name in names if isinstance(held.get(name, held), kinds) and len(str(held[name])) < 80}


def network_of(top: Cell) -> Cell:
    """The cell at or below `top` by which its parameters are named: a wrapper, such as one that adds a loss, gives them no prefix."""
    cell = top
    while not names_fit(cell):
        held = {id(one) for one in cell.get_parameters()}
        inner = [one for one in cell.cells() if one is not None and {id(each) for each in one.get_parameters()} == held]
        if not held or len(inner) != 1:
            return top
        cell = inner[0]
    return cell


def names_fit(cell: Cell) -> bool:
    """Whether most parameters are called as the cells are that hold them."""
    pairs = [
        (held.name, f"{name}.{key}" if name else key)
        for name, one in cell.cells_and_names()
        for key, held in one._params.items()
        if held is not None
    ]
    fitting = sum(name == path for name, path in pairs)
    return bool(2 * fitting > len(pairs))


class Network:
    """A network that is trained, or run, with the names of its cells."""

    def __init__(self, number: int, top: Cell, made: CellOrigins) -> None:
        self.number, self.top, self.made = number, top, made
        self.cell = network_of(top)
        self.names = {id(cell): f"^{name}" for name, cell in top.cells_and_names()}
        self.names.update((id(cell), name) for name, cell in self.cell.cells_and_names())

    def around(self) -> list[Cell]:
        """The first cells below the top that do not belong to the network."""
        inner = {id(cell) for _, cell in self.cell.cells_and_names()}
        outer = [cell for _, cell in self.top.cells_and_names() if id(cell) not in inner]
        return [cell for cell in outer if cell is not self.top][:ARGUMENTS]

    def facts(self) -> dict[str, Any]:
        """Cells by name, and parameters with what they hold now; `ids` of cells, and `modes`: names of those that the mode changes."""
        cells, ids, modes = [], [], []
        for name, cell in self.cell.cells_and_names():
            place, given = self.made.of(cell)
            cells.append([name, class_of(cell), place, given])
            ids.append(id(cell))
            if reads_mode(type(cell)):
                modes.append(name)
        paths = held_as(self.cell)
        return {
            "number": self.number,
            "at": self.made.hooks.journal.lines,
            "class": class_of(self.cell),
            "defined": defined(self.cell, self.made.hooks),
            "cells": cells,
            "ids": ids,
            "modes": modes,
            "parameters": [
                {**parameter(one), "id": id(one), "path": paths.get(id(one), one.name)}
                for one in self.cell.get_parameters()
            ],
            "shared": shared(self.cell),
        }

    def end(self) -> dict[str, Any]:
        """Of each parameter, in the order of facts(): whether it is trained now, a digest, and whether all rows of a matrix are alike."""
        held = [(one, array(one)) for one in self.cell.get_parameters()]
        return {
            "trained": [bool(one.requires_grad) for one, _ in held],
            "digests": [digest(values) for _, values in held],
            "alike": [alike(values) for _, values in held],
        }


def defined(cell: Cell, hooks: Hooks) -> list[Any] | None:
    """[file, line] of the construct of its class, where that is the user's."""
    code = getattr(inspect.unwrap(type(cell).construct), "__code__", None)
    found = hooks.own_path(code.co_filename) if code is not None else None
    return None if code is None or found is None else [found, code.co_firstlineno]


def own_lines(value: Any, hooks: Hooks) -> list[list[Any]]:
    """[file, first line, last line] of each method of its class, and of the classes that it derives from, that is the user's."""
    found = []
    for held in (one for kind in type(value).__mro__ for one in vars(kind).values() if callable(one)):
        code = getattr(inspect.unwrap(held), "__code__", None)
        path = hooks.own_path(code.co_filename) if code is not None else None
        if code is not None and path is not None:
            lines = [line for _, line in dis.findlinestarts(code) if line]
            found.append([path, code.co_firstlineno, max([code.co_firstlineno, *lines])])
    return found


def parameter(held: Any) -> dict[str, Any]:
    """What is known of one as it stands: whether it is zero or constant, and a digest of all of its values."""
    values = array(held)
    found = {"name": held.name, **described(values), "trained": bool(held.requires_grad), "digest": digest(values)}
    if values.size > 1:
        found["constant"] = bool((values == values.reshape(-1)[0]).all())
    return found


def alike(values: Array) -> bool:
    """Whether a matrix, or what has more dimensions, has more than one row and all of them are equal."""
    return values.ndim > 1 and len(values) > 1 and bool((values == values[:1]).all())


def held_as(network: Cell) -> dict[int, str]:
    """Of each parameter by its id: the cell that holds it and the attribute, as "layers.0.weight"; the first place of several."""
    found: dict[int, str] = {}
    for name, cell in network.cells_and_names():
        for key, held in cell._params.items():
            if held is not None:
                found.setdefault(id(held), f"{name}.{key}" if name else key)
    return found


def reads_mode(kind: type) -> bool:
    """Whether a method of the class that may run in a pass, its own or one of a base below Cell, reads self.training."""
    for base in kind.__mro__:
        if base.__module__ == "mindspore.nn.cell":
            return False
        for name, function in vars(base).items():
            runs = callable(function) and not name.startswith("__") and name != "set_train"
            code = getattr(inspect.unwrap(function), "__code__", None) if runs else None
            if code is not None and "training" in code.co_names:
                return True
    return False


def shared(network: Cell) -> list[list[str]]:
    """The names of cells that hold one parameter object together."""
    holders: dict[int, list[str]] = {}
    for name, cell in network.cells_and_names():
        for key, held in cell._params.items():
            if held is not None:
                holders.setdefault(id(held), []).append(f"{name}.{key}" if name else key)
    return [names for names in holders.values() if len(names) > 1]


def as_input(values: Array) -> dict[str, Any]:
    """What is told of a tensor that goes into a cell: of pictures (N, 3, H, W) the mean of each channel, too."""
    found = described(values)
    if values.ndim == 4 and values.shape[1] == 3 and values.dtype.kind == "f" and values.size:
        by = max(1, math.isqrt(values.size // SAMPLED))
        found["channels"] = [short(one) for one in values[:, :, ::by, ::by].mean(axis=(0, 2, 3), dtype=np.float64)]
    return found


def spread(values: Array) -> list[Any] | None:
    """The standard deviation over samples of their means, and of their standard deviations, against that of all values; of pictures
    (N, C, H, W) those of the channel in which they differ most. None for what is not floating point, or has too few samples or values."""
    if values.dtype.kind != "f" or values.ndim < 2 or len(values) < ROWS[0] or values[0].size < VALUES[0]:
        return None
    rows = values[: ROWS[1]].reshape(min(len(values), ROWS[1]), values.shape[1] if values.ndim == 4 else 1, -1)
    rows = rows[:, :, :: max(1, rows[0].size // VALUES[1])]
    whole = float(rows.std(dtype=np.float64))
    if not whole or not math.isfinite(whole):
        return None
    means, deviations = rows.mean(axis=2, dtype=np.float64), rows.std(axis=2, dtype=np.float64)
    return [short(float(one.std(axis=0).max()) / whole) for one in (means, deviations)]


class Call:
    """One call of a cell in a pass that is looked at."""

    __slots__ = (
        "began",
        "came",
        "cell",
        "depth",
        "done",
        "gave",
        "given",
        "inputs",
        "left",
        "output",
        "place",
        "taken",
        "training",
    )

    def __init__(self, cell: Cell, depth: int, given: Any, inputs: bool = False) -> None:
        """`inputs`: whether it is told what it is given, whatever it is."""
        self.came = time.perf_counter()
        self.cell, self.depth, self.training = cell, depth, bool(cell.training)
        self.given = [id(one) for one in tensors(given)]
        self.place: list[Any] | None = None
        #: What a network is given, told of those that may be one.
        self.inputs = [as_input(array(one)) for one in list(tensors(given))[:TAKEN]] if inputs or depth <= OUTER else []
        self.taken = self.inputs if depth <= OUTER else []
        self.gave: list[dict[str, Any]] = []
        #: Kept of networks and not of their layers, whose outputs are many.
        self.output: Any = None
        #: Seconds of a clock: when it was entered and left, and within that, when it ran, without what describing it takes.
        self.began = self.done = self.left = time.perf_counter()

    def ended(self, output: Any) -> None:
        results = [array(one) for one in list(tensors(output))[:TAKEN]]  # waits for them
        self.done = time.perf_counter()
        self.gave = [described(one) for one in results]
        if self.depth <= OUTER:
            self.output = output
        self.left = time.perf_counter()


def own_seconds(calls: list[Call]) -> list[float]:
    """Of each call of a pass, in their order: the seconds that it took itself, without those of the cells that it called."""
    own = [call.done - call.began for call in calls]
    outer: list[int] = []  # the calls that the present one lies within
    for number, call in enumerate(calls):
        while outer and calls[outer[-1]].depth >= call.depth:
            outer.pop()
        if outer:
            own[outer[-1]] -= call.left - call.came
        outer.append(number)
    return [round(max(0.0, seconds), 6) for seconds in own]
