"""By which lines of the user's the networks are called in training: a call by others, while the hooks rest, seems to be an evaluation.

Such a one is known before it runs, whatever it is of: batches of arrays of the script's own, in a network that stays in training mode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .hooks import Hooks

Cell = Any  # a mindspore.nn.Cell
#: Functions of the user's that a way goes through, from the innermost, and ways that are known.
DEEP, WAYS = 8, 256


class Ways:
    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        #: Of passes that trained, and of what was called since the last one.
        self.known: set[tuple[Any, ...]] = set()
        self.recent: list[tuple[Any, ...]] = []
        #: The cells that the user calls, by their id, and the classes that are listened to, with what they call else.
        self.cells: dict[int, Cell] = {}
        self.heard: dict[type, Any] = {}
        #: Calls by ways that are not known, for which the hooks were not put in.
        self.unseen = 0

    def way(self) -> tuple[Any, ...]:
        """The lines of the user's that run now."""
        found: list[Any] = []
        for frame in self.hooks.own_frames():
            found += [frame.f_code, frame.f_lasti]
            if len(found) >= 2 * DEEP:
                break
        return tuple(found)

    def take(self, cell: Cell) -> None:
        """A cell is called from outside of all others."""
        if len(self.known) < WAYS:
            self.cells[id(cell)] = cell
            self.recent.append(self.way())

    def learn(self) -> None:
        """What was called was trained with."""
        self.known.update(self.recent)
        self.recent.clear()

    def forget(self) -> None:
        """What was called was not trained with."""
        self.recent.clear()

    def listen(self, begins: Callable[[], None]) -> None:
        """While the hooks rest: `begins` is called before a call by a way that is not known."""
        if not self.known or len(self.known) >= WAYS:
            return
        for kind in {type(cell) for cell in self.cells.values()}:
            self.heard[kind] = vars(kind).get("__call__")
            setattr(kind, "__call__", self.listening(kind.__call__, begins))  # noqa: B010

    def listening(self, call: Any, begins: Callable[[], None]) -> Any:
        def heard(cell: Cell, *args: Any, **kwargs: Any) -> Any:
            if id(cell) in self.cells and self.hooks.asleep and self.way() not in self.known:
                self.hooks.safely("ways", begins)
                if not self.hooks.asleep:
                    return cell(*args, **kwargs)
                self.unseen += 1
            return call(cell, *args, **kwargs)

        return heard

    def rest(self) -> None:
        for kind, own in self.heard.items():
            if "heard" in getattr(vars(kind).get("__call__"), "__qualname__", ""):
                if own is None:
                    del kind.__call__
                else:
                    setattr(kind, "__call__", own)  # noqa: B010
        self.heard = {}
