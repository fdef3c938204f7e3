"""What a network and the user's own cells within it give with other values of one of their inputs: whether it changes anything, and whether
samples of a batch act on each other. One pass of training once more, in inference mode, in which each such cell is called again."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..measures import array, short, tensors
from .cells import class_of, defined
from .padding import LARGEST, differs, like, room, thinned
from .passes import Pass, Passes

#: Cells that are called again, of each class one, and inputs of each.
CELLS, INPUTS = 24, 8

Cell = Any  # a mindspore.nn.Cell


def of_inputs(passes: Passes, ended: Pass) -> dict[str, Any] | None:
    """`inputs`: of each cell its class, the place of its construct, and by the name of each input how far its outputs move with other
    values of it, against their largest value; `rows` of the network: how far outputs of other rows move with one row."""
    if any(one.size > LARGEST for one in ended.batch):
        return None
    with room(passes, ended) as found:
        if "reason" in found:
            return found
        network = found["trial"].network
        looks = InputObserver(network, passes)
        looks.run(found["trial"])
        return {"network": found["network"], "inputs": looks.told, "rows": looks.rows}


class InputObserver:
    def __init__(self, network: Cell, passes: Passes) -> None:
        self.network, self.hooks = network, passes.hooks
        self.told: list[dict[str, Any]] = []
        self.rows: Any = None
        self.seen: set[type] = set()
        self.busy = False

    def run(self, trial: Any) -> None:
        """One pass of the trial with the cells replaced by ones that look."""
        own = [cell for _, cell in self.network.cells_and_names() if cell is self.network or self.is_own(cell)]
        for cell in own:
            cell.__dict__["construct"] = self.looking(cell, cell.construct)
        try:
            top, given = trial.ended.top, trial.ended.given
            top(*given)
        finally:
            for cell in own:
                cell.__dict__.pop("construct", None)

    def is_own(self, cell: Cell) -> bool:
        return type(cell).__module__.partition(".")[0] != "mindspore" and defined(cell, self.hooks) is not None

    def looking(self, cell: Cell, construct: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            result = construct(*args, **kwargs)
            if not self.busy and type(cell) not in self.seen and len(self.seen) < CELLS:
                self.busy = True
                self.seen.add(type(cell))
                try:
                    self.look(cell, construct, args, kwargs, result)
                finally:
                    self.busy = False
            return result

        return called

    def look(self, cell: Cell, construct: Any, args: Any, kwargs: Any, result: Any) -> None:
        bound = signature(cell, args, kwargs)
        given = {} if bound is None else {key: one for key, one in bound.arguments.items() if hasattr(one, "asnumpy")}
        if cell is not self.network and len(given) < 2:
            return

        def other(name: str, value: Any) -> list[Any]:
            """Outputs with another value of one input alone, whichever others hold the same tensor."""
            again = signature(cell, args, kwargs)
            again.arguments[name] = value
            return outputs(construct(*again.args[1:], **again.kwargs))

        base = outputs(result)
        if differs(base, outputs(construct(*args, **kwargs))):
            return  # it draws numbers, or keeps something
        moved: dict[str, Any] = {}
        for name, value in list(given.items())[:INPUTS]:
            instead = changed(value)
            if instead is not None:
                moved[name] = far(base, other(name, instead))
        if cell is self.network and len(given) == 1:
            self.rows = mixed(base, *next(iter(given.items())), other)
        self.told.append({"class": class_of(cell), "place": defined(cell, self.hooks), "moved": moved})


def mixed(base: list[Any], name: str, value: Any, other: Callable[[str, Any], list[Any]]) -> Any:
    """How far outputs of the other rows move with the first row, where each output has one for each row of the input."""
    values = array(value)
    rows = len(values) if values.ndim else 0
    if rows < 3 or any(not one.ndim or len(one) != rows for one in base) or (values[0] == values[1]).all():
        return None
    turned = values.copy()
    turned[0] = values[1]
    again = other(name, like(turned, value))
    return far([one[1:] for one in base], [one[1:] for one in again])


def signature(cell: Cell, args: Any, kwargs: Any) -> Any:
    """What a cell is given, by the names of its construct; None where these do not fit."""
    function = inspect.unwrap(type(cell).construct)
    try:
        return inspect.signature(function).bind(cell, *args, **kwargs)
    except TypeError:
        return None


def outputs(result: Any) -> list[Any]:
    return [thinned(array(one)) for one in tensors(result)]


def changed(value: Any) -> Any:
    """Another value of an input: its rows moved on by one, the first of them twice and the last not at all, as a mean over rows does not
    depend on their order; or numbers one and a half times as large; None where neither differs."""
    values = array(value)
    if not values.size or values.dtype.kind not in "iuf":
        return None
    turned = np.roll(values, 1, axis=0) if values.ndim else values
    if values.ndim:
        turned[:1] = values[:1]
    if (turned == values).all():
        if values.dtype.kind != "f":
            return None
        turned = values * values.dtype.type(1.5) + values.dtype.type(0.5)
    return like(turned, value)


def far(base: list[Any], again: list[Any]) -> Any:
    """The largest change of an output, against its largest value."""
    found = 0.0
    for one, other in zip(base, again):  # noqa: B905  # Python 3.9
        if one.shape != other.shape:
            return 1.0
        if not one.size or one.dtype.kind not in "iufb":
            continue
        wide, next_one = one.astype(np.float64), other.astype(np.float64)
        change = np.abs(next_one - wide)
        if not np.isfinite(change).all():
            return None
        found = max(found, float(change.max()) / max(float(np.abs(wide).max()), 1e-12))
    return short(found)
