"""Data sets as they are read: what they are made of, how long each batch was waited for, and epochs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..measures import tensors
from ..pipeline import described, sampler_of
from ..replay import operation_text, unfolded
from .cells import class_of
from .hooks import RAISED, Hooks


class Reading(NamedTuple):
    """A batch: its data set, its tensors, how many batches were read with it, of all data sets and of its own from the beginning."""

    number: int | None
    batch: list[Any]
    read: int
    at: int


class Data:
    """`current` is the number of the data set that gave the last batch; `epoch` counts, from 1, how often that of training began."""

    def __init__(self, hooks: Hooks, batch: Callable[[], None]) -> None:
        self.hooks, self.batch = hooks, batch
        self.known: dict[int, dict[str, Any]] = {}
        self.iterators: dict[int, int] = {}
        self.current: int | None = None
        self.waited = 0.0
        #: The columns of the last batch: tensors, or arrays where the script asked for these.
        self.last: list[Any] = []
        #: Batches that were read: of all data sets, and of each since it was read from its beginning.
        self.given = 0
        self.places: dict[int, int] = {}
        #: Is told each data set: "dataset", its number and itself.
        self.tell: Callable[[str, int, Any], None] = lambda *_: None
        #: Is told the number of a data set that is read from its beginning.
        self.opens: Callable[[int], None] = lambda _: None
        self.epochs: dict[int, int] = {}
        #: Seconds that the longest wait for a batch took, by the data set.
        self.longest: dict[int, float] = {}
        #: Data sets whose iterator came to an end, and may go on with the next epoch.
        self.over: set[int] = set()
        module = sys.modules.get("mindspore.dataset.engine.iterators")
        kind = getattr(module, "Iterator", None)
        hooks.around(kind, "__init__", after=self.opened, hook="Iterator.__init__")
        hooks.around(kind, "__next__", self.asked, self.gave, hook="Iterator.__next__", steps=True)

    @property
    def epoch(self) -> int:
        return self.epochs.get(self.current, 1) if self.current is not None else -1

    def reading(self) -> Reading:
        """The batch that was read last."""
        at = 0 if self.current is None else self.places[self.current]
        return Reading(self.current, self.last, self.given, at)

    def numbered(self, number: int) -> Any:
        """The data set of a number."""
        return next(one["dataset"] for one in self.known.values() if one["number"] == number)

    def running(self) -> dict[int, Any]:
        """The data set that gave the last batch, by its number."""
        return {one["number"]: one["dataset"] for one in self.known.values() if one["number"] == self.current}

    def columns(self, given: list[Any]) -> list[str] | None:
        """The columns of the last batch that a pass was given, in order; None where it was given something else, too."""
        places = [next((at for at, one in enumerate(self.last) if one is tensor), None) for tensor in given]
        if not given or self.current is None or any(at is None for at in places):
            return None
        names = list(self.numbered(self.current).get_col_names())
        return [str(names[at]) for at in places if at is not None] if len(names) == len(self.last) else None

    def opened(self, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """Iterator.__init__(iterator, data set, ...): one more pass over it begins."""
        if result is RAISED:
            return
        dataset = args[1] if len(args) > 1 else kwargs["dataset"]
        if id(dataset) not in self.known:
            number = len(self.known)
            #: The data set is held, so that its id stays its own.
            self.known[id(dataset)] = {"number": number, "dataset": dataset}
            self.tell("dataset", number, dataset)
            self.hooks.journal.fact("dataset", number=number, place=self.hooks.place(), nodes=nodes(dataset))
        number = self.known[id(dataset)]["number"]
        self.iterators[id(args[0])] = number
        self.over.discard(number)
        self.places[number] = 0
        self.epochs[number] = self.epochs.get(number, 0) + 1
        self.opens(number)

    def asked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
        return time.perf_counter()

    def gave(self, begin: float | None, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        held = getattr(args[0], "dataset", None)
        if id(args[0]) not in self.iterators and held is not None:  # it was opened before the watch began
            self.opened(None, (args[0], held), {}, None)
        number = self.iterators.get(id(args[0]))
        if number is None or begin is None:
            return
        if result is RAISED:  # the end of an epoch, where the iterator is used for the next one too
            self.over.add(number)
            return
        if number in self.over:
            self.over.discard(number)
            self.places[number] = 0
            self.epochs[number] += 1
        self.current = number
        self.places[number] += 1
        self.last = columns_of(result)
        self.given += 1
        waited = time.perf_counter() - begin
        self.waited += waited
        self.longest[number] = max(waited, self.longest.get(number, 0.0))


def columns_of(result: Any) -> list[Any]:
    """What an iterator gave: its tensors, or the arrays of numbers of one that gives arrays (output_numpy=True)."""
    if found := list(tensors(result)):
        return found
    given = result.values() if isinstance(result, dict) else result
    return [one for one in given if isinstance(one, np.ndarray) and one.dtype.kind in "biuf"]


def nodes(dataset: Any) -> list[dict[str, Any]]:
    """The pipeline from its end to its sources, with the operations of each map."""
    found = described(dataset)
    for entry, node in zip(found, _walked(dataset)):  # noqa: B905  # Python 3.9
        if node is None:
            continue
        operations = getattr(node, "operations", None)
        if operations is not None and entry["node"] == type(node).__name__:
            given = operations if isinstance(operations, (list, tuple)) else [operations]
            entry["operations"] = [operation_text(one) for one in unfolded(given)][:32]
            entry["columns"] = [str(name) for name in getattr(node, "input_columns", None) or ()]
        source = getattr(node, "source", None)
        if not node.children and source is not None:
            entry["source"] = class_of(source)
            entry["rows"] = len(source) if hasattr(source, "__len__") else None
    return found


def _walked(node: Any) -> list[Any]:
    """The nodes in the order of described(), with None for samplers."""
    found = [node]
    if not node.children:
        sampler = sampler_of(node)
        while sampler is not None:
            found.append(None)
            sampler = getattr(sampler, "child_sampler", None)
    for child in node.children:
        found += _walked(child)
    return found
