"""Passes forward: which cells ran in one, in which mode, and what each gave; whether a gradient was asked for afterwards.

MindSpore's executor is told when a function whose gradient may be asked for begins (new_graph) and ends (end_graph), and when it is
asked for (grad). A cell that is called from outside of all others, without these, is a pass too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..measures import Array, array, described, identities, short, tensors
from .cells import CALLS, Call, Cell, CellOrigins, Network, class_of, spread
from .hooks import RAISED, Hooks
from .losses import compared

#: Tensors of a batch and of an output that are described, and layers that take in what a network is given.
MANY, ENTRIES = 16, 4


def with_spread(call: Call, batch: list[Any]) -> list[dict[str, Any]]:
    """What a network was given; of tensors of the batch also how far their samples lie apart: to look at whole samples of what is between
    all layers would take long."""
    held = {id(one): one for one in batch}
    found = []
    for told, key in zip(call.taken, call.given):  # noqa: B905  # Python 3.9
        apart = spread(array(held[key])) if key in held else None
        found.append(told if apart is None else {**told, "spread": apart})
    return found


class Pass:
    """What ran between the beginning of a function or cell and its end."""

    def __init__(self, top: Any, given: Any, close: bool, place: list[Any] | None = None) -> None:
        """`place`: the line of the user's that runs it, where that is told."""
        self.top, self.close, self.place = top, close, place
        #: The arrays that the user's functions hold as it begins, of a cell that they call themselves, and the line that calls it.
        self.held: list[Any] = []
        self.called_at: list[Any] | None = None
        self.given = list(given)
        self.batch = list(tensors(given))[:MANY]
        self.calls: list[Call] = []
        #: Of each cell by its id: itself, and the mode in which it was called last.
        self.cells: dict[int, tuple[Cell, bool]] = {}
        #: The cells of these that no other holds, until a further one is called.
        self.outermost: list[Cell] | None = None
        self.output: Any = None
        #: Whether a gradient of it was asked for, and whether it counts as inference already.
        self.trained = self.counted = False
        #: What the gradient of the output begins with, where that is given and not 1.
        self.sens: float | None = None
        #: Passes within this one whose gradient was asked for, as a penalty on gradients and a differential equation do.
        self.inner: list[Pass] = []
        #: Of such a pass: what its output was multiplied with, the gradients and their parameters, the line that asked for them, and
        #: whether a scaler divided them.
        self.scale: float | None = None
        self.gradients: Any = None
        self.asked_for: list[Any] | None = None
        self.asked_at: list[Any] | None = None
        self.unscaled = False
        #: What the user's own lines drop by a function or an operator, which no mode reaches: which, the share, and the line.
        self.drops: list[list[Any]] = []
        #: What the first layers with a matrix of weights were given: where that is what the network was given, its range counts.
        self.entries: list[tuple[Cell, list[Any]]] = []

    def enter(
        self, cell: Cell, depth: int, given: Any, place: list[Any] | None = None, inputs: bool = False
    ) -> Call | None:
        """`place`: the line of the user's that calls it, where that is told; `inputs`: whether it is told what it is given."""
        if id(cell) not in self.cells:
            self.outermost = None
        self.cells[id(cell)] = cell, bool(cell.training)
        if not self.close or len(self.calls) >= CALLS:
            return None
        call = Call(cell, depth, given, inputs)
        call.place = place
        self.calls.append(call)
        if len(self.entries) < ENTRIES and mixes(cell):
            self.entries.append((cell, [described(array(one)) for one in list(tensors(given))[:2]]))
        return call

    def has_weights(self) -> bool:
        """Whether a cell that was called has a parameter."""
        return any(one is not None for cell, _ in self.cells.values() for one in cell._params.values())

    def take(self, ended: Pass) -> None:
        """A pass within this one is over, and its gradient was asked for: its cells ran in this one."""
        self.inner.append(ended)
        self.cells.update(ended.cells)
        self.calls += ended.calls[: CALLS - len(self.calls)]
        self.entries += ended.entries[: ENTRIES - len(self.entries)]
        self.outermost = None


class Passes:
    """Follows cells and functions as they begin and end.

    `looks` tells whether a pass that begins with a cell or function is looked at closely, `between` is called when one begins that lies
    within no other, `trained` is given a pass when its gradient is asked for, `nested` one that lies within another.
    """

    def __init__(
        self,
        hooks: Hooks,
        looks: Callable[[Any], bool],
        between: Callable[[Pass | None], None],
        trained: Callable[[Pass], None],
        nested: Callable[[Pass], None],
    ) -> None:
        self.hooks, self.looks, self.between, self.trained, self.nested = hooks, looks, between, trained, nested
        self.made = CellOrigins(hooks)
        #: Is told each network, and the cells around it, by kind, number and cell.
        self.tell: Callable[[str, int, Any], None] = lambda *_: None
        #: Gives the arrays that the user's functions hold now.
        self.held: Callable[[], list[Any]] = list
        self.networks: dict[int, Network] = {}
        self.stack: list[Cell] = []
        #: Whether it is told which line calls each cell: once.
        self.lines = True
        #: Of which passes it is still to be told what each cell is given, once of each: those of training, and the others.
        self.inputs = {True, False}
        self.open: list[Pass] = []
        self.last: Pass | None = None

    # --- hooks ----------------------------------------------------------------------------------------------------------

    def entered(self, cell: Cell, given: Any) -> Any:
        """A cell that is no optimizer is called; the result goes to left()."""
        if not self.stack and not self.open:
            self.begin()
            close = self.looks(cell)
            called_at = self.hooks.place()
            self.last = Pass(cell, given, close, called_at if close else None)
            self.last.held, self.last.called_at = self.held(), called_at
        self.stack.append(cell)
        current = self.open[-1] if self.open else self.last
        if current is None:
            return None
        place = self.hooks.place(skip=cell) if self.lines and current.close else None
        return current.enter(cell, len(self.stack), given, place, bool(self.open) in self.inputs)

    def left(self, call: Call | None, cell: Cell, result: Any) -> None:
        if self.stack:
            self.stack.pop()
        if result is RAISED:
            return
        if call is not None:
            call.ended(result)
        if self.last is not None and self.last.top is cell:
            self.last.output = result

    def drops(self, name: str, share: float) -> None:
        """Values are dropped, in a pass that no gradient has been asked for yet."""
        inside = self.stack and not self.open and self.last is not None and self.last.close
        place = self.hooks.place(deep=1) if inside else None  # layers of MindSpore, which ask for the mode, call it too
        if place is not None and self.last is not None and [name, share, place] not in self.last.drops[:CALLS]:
            self.last.drops.append([name, share, place])

    def opened(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """new_graph(executor, function or cell, *its arguments)."""
        if not self.stack and not self.open:
            self.begin()
        new = Pass(args[1], list(args[2:]), self.looks(args[1]))
        if self.stack and self.stack[-1] is new.top:
            new.enter(new.top, len(self.stack), list(args[2:]), inputs=True in self.inputs)
        self.open.append(new)

    def closed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """end_graph(executor, function or cell, its output, *its arguments)."""
        while self.open:
            ended = self.open.pop()
            if ended.top is args[1]:
                ended.output = args[2]
                if ended.calls and ended.calls[0].cell is ended.top:
                    ended.calls[0].ended(args[2])
                self.last = ended
                return

    def asked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """grad(executor, ...): the pass that ended last was one of training, or belongs to the one that it lies within."""
        ended = self.last
        if ended is None or ended.trained:
            return
        ended.trained = True
        ended.sens = sens_of(args[-1], ended)
        if self.open:
            self.open[-1].take(ended)
            self.nested(ended)
        else:
            self.trained(ended)

    def unclaimed(self) -> list[Pass]:
        """The passes within those that are open, whose gradients an optimizer is given already: those within are what trains."""
        found = [one for outer in self.open for one in outer.inner]
        for outer in self.open:
            outer.inner = []
        return found

    def fresh(self) -> None:
        """Nothing is known of what runs now."""
        self.stack, self.open, self.last = [], [], None

    def begin(self) -> None:
        last, self.last = self.last, None
        self.between(last)

    # --- names and facts ------------------------------------------------------------------------------------------------

    def network(self, top: Cell) -> Network:
        """The network below a cell, told when it is seen for the first time."""
        if id(top) not in self.networks:
            found = self.networks[id(top)] = Network(len(self.networks), top, self.made)
            self.hooks.journal.fact("network", **found.facts())
            self.tell("network", found.number, found.cell)
            for cell in found.around():
                self.tell("around", found.number, cell)
        return self.networks[id(top)]

    def tops(self, ended: Pass) -> list[Cell]:
        """The cells that no other of the pass holds, those with the most parameters first."""
        if ended.outermost is None:
            inner: set[int] = set()
            tops: list[Cell] = []
            for cell, _ in ended.cells.values():
                if id(cell) not in inner:
                    tops.append(cell)
                    inner.update(id(one) for name, one in cell.cells_and_names() if name)
            tops = [cell for cell in tops if id(cell) not in inner]
            ended.outermost = sorted(tops, key=lambda cell: -sum(one.size for one in cell.get_parameters()))
        return ended.outermost

    def names(self, ended: Pass) -> dict[int, str]:
        """Of each cell by its id: its name in the network; of further cells that a function calls, behind their class."""
        names: dict[int, str] = {}
        for number, top in enumerate(self.tops(ended)):
            for key, name in self.network(top).names.items():
                names.setdefault(key, name if not number else f"{type(top).__name__}:{name}")
        return names

    def modes(self, ended: Pass) -> dict[str, Any]:
        """Which cells were called in inference mode, of how many, and which networks took part."""
        names = self.names(ended)
        networks = [self.network(top).number for top in self.tops(ended)]
        asleep = [names.get(key, class_of(cell)) for key, (cell, training) in ended.cells.items() if not training]
        return {"networks": networks, "inference": asleep[:CALLS], "cells": len(ended.cells)}

    def facts(self, ended: Pass) -> dict[str, Any]:
        """What went in, what each cell gave, and what came out."""
        names = self.names(ended)
        call = self.network_call(ended)
        return {
            **self.owners(ended),
            "networks": [self.network(top).number for top in self.tops(ended)],
            "given": [] if call is None else with_spread(call, ended.batch),
            "entries": [[names.get(id(cell), class_of(cell)), class_of(cell), given] for cell, given in ended.entries],
            "batch": [described(array(one)) for one in ended.batch],
            "output": [described(array(one)) for one in list(tensors(ended.output))[:MANY]],
            "calls": [
                [names.get(id(one.cell), class_of(one.cell)), class_of(one.cell), one.training, one.gave]
                for one in ended.calls
            ],
        }

    def owners(self, ended: Pass) -> dict[str, Any]:
        """The network of each call, where further networks are of one class, which their names do not tell apart; {} where they do."""
        further = [type(top) for top in self.tops(ended)[1:]]
        if len(set(further)) == len(further):
            return {}
        found: dict[int, int] = {}
        for network in map(self.network, self.tops(ended)):
            for key in network.names:
                found.setdefault(key, network.number)
        return {"of": [found.get(id(one.cell)) for one in ended.calls]}

    def given(self, ended: Pass) -> dict[str, Any]:
        """What each cell of a pass was given, once of those of training and once of the others; {} afterwards."""
        if not (ended.close and ended.calls and ended.trained in self.inputs):
            return {}
        self.inputs.discard(ended.trained)
        return {"training": ended.trained, "calls": [one.inputs for one in ended.calls]}

    def network_call(self, ended: Pass) -> Call | None:
        """The call of the network in a pass that was looked at."""
        cells = [self.network(top).cell for top in self.tops(ended)[:1]]
        return next((one for one in ended.calls if any(one.cell is cell for cell in cells)), None)

    def against_labels(self, ended: Pass, scale: float) -> dict[str, Any]:
        """The outputs of the network against the labels: what the pass was given and the network was not.

        `labels`: which tensor of the batch has the class of each row, None where none has.
        """
        call = self.network_call(ended)
        if call is None or call.output is None:
            return {}
        labels = [one for one in ended.batch if id(one) not in call.given]
        outputs = list(tensors(call.output))
        if len(labels) != 1 or not outputs or call.cell is ended.top:
            return {}
        loss = loss_of(ended.output)
        unchanged = any(id(labels[0]) in one.given and of_mindspore(one.cell) for one in ended.calls)
        scaled = None if loss is None else loss / scale
        found = compared(array(outputs[0]), array(labels[0]), scaled, unchanged=unchanged)
        alike = [one for one in ended.batch if id(one) in call.given and one.shape == labels[0].shape]
        if "own" in found and len(alike) == 1:
            found["copied"] = short(float((array(alike[0]) == array(labels[0])).mean()))
        told = found["fit"]["classes"] > 1 and labels[0].ndim == 1
        found["labels"] = next(at for at, one in enumerate(ended.batch) if one is labels[0]) if told else None
        return found


def of_mindspore(cell: Cell) -> bool:
    """Whether it is a layer or loss of MindSpore's own that holds no other."""
    return not cell._cells and class_of(cell).startswith("mindspore.")


def mixes(cell: Cell) -> bool:
    """Whether it is a layer with a matrix of weights, or more dimensions, as those of norms are not. It may hold cells without weights,
    such as its activation or the kernel of a recurrent layer."""
    mine = any(one is not None and len(one.shape) > 1 for one in cell._params.values())
    return mine and not any(held.parameters_dict() for held in cell._cells.values() if held is not None)


def sens_of(last: Any, ended: Pass) -> float | None:
    """The last argument of a gradient where it is no input of the pass: a number, filled into the shape of its output."""
    output = next(tensors(ended.output), None)
    mine = [id(one) for one in tensors(ended.given)]
    if output is None or not hasattr(last, "asnumpy") or id(last) in mine or tuple(last.shape) != tuple(output.shape):
        return None
    values = array(last).reshape(-1)
    found = float(values[0]) if values.size and (values == values[0]).all() else 1.0
    return None if found == 1 else found


def loss_of(output: Any) -> float | None:
    """The first tensor of one element."""
    first = next(tensors(output), None)
    if first is None or first.size != 1:
        return None
    return float(array(first).reshape(-1)[0])


def rows_of(batch: list[Any]) -> list[Any] | None:
    """What tells the samples of a batch apart: the rows of its first tensor."""
    values: Array = array(batch[0]) if batch else None
    if values is None or not values.ndim:
        return None
    return identities(values)


def classes_of(batch: list[Any], place: int | None) -> list[int] | None:
    """The class of each row, from the tensor of the batch that holds them; None where it does not."""
    if place is None or place >= len(batch):
        return None
    values = array(batch[place])
    return [int(one) for one in values] if values.ndim == 1 and values.dtype.kind in "iu" else None
