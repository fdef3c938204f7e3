"""Evaluations, each from its first pass until the training goes on: how many rows were read, and how many of them the one before read too;
and whether the rows of an evaluation lie among those that were trained with, as they lie in their sources."""

from __future__ import annotations

import hashlib
import io
import math
import time
from contextlib import redirect_stdout
from typing import Any

import numpy as np

from ..measures import Array, array, tensors
from .order import LONGEST, bounded, columns_at
from .passes import classes_of

#: Rows of an evaluation that are remembered, and evaluations that are told.
ROWS, TOLD = 1 << 16, 256
#: Classes of an evaluation that are told.
CLASSES = 1 << 12
#: Rows of sources that are compared at most, of an evaluation and of a training, and seconds for each source.
SOME, MOST, SECONDS = 256, 1 << 13, 1.0
#: Rows of a first batch, at least, that are compared with those that a second reading gives, and seconds that reading it may take.
READ, WAIT = 8, 1.0
#: Rows that were changed lie closer to what they were than others do: their squared distance is a smaller part of that of others.
OWN = 0.8
#: Nodes that leave every row of their source what it is, and none out.
PLAIN = ("BatchDataset", "MapDataset", "ShuffleDataset", "ProjectDataset", "RenameDataset", "RepeatDataset")


class Evaluations:
    """Data sets by their number."""

    def __init__(self) -> None:
        self.rows: dict[int, set[Any]] = {}
        self.count: dict[int, int] = {}
        #: What the evaluation before read.
        self.before: dict[int, set[Any]] = {}
        self.told = 0
        #: Which tensor of a batch holds the class of each row, and of how many, as batches of the training have it.
        self.column: tuple[int, int] | None = None
        self.classes: dict[int, set[int]] = {}

    def learn(self, batch: list[Any], labels: Any) -> None:
        """A batch of training, and the tensor of it that holds classes."""
        found = [at for at, one in enumerate(batch) if one is labels]
        if found:
            self.column = found[0], len(batch)

    def add(self, number: int | None, rows: list[Any] | None, batch: list[Any]) -> None:
        """A pass of inference, with what tells its rows apart and the batch that was read last."""
        if number is None or rows is None:
            return
        labels = classes_of(batch, self.column[0]) if self.column and len(batch) == self.column[1] else None
        if labels is not None and len(labels) == len(rows):
            self.classes.setdefault(number, set()).update(labels)
        self.count[number] = self.count.get(number, 0) + len(rows)
        held = self.rows.setdefault(number, set())
        if len(held) < ROWS:
            held.update(rows)

    def over(self) -> list[dict[str, Any]]:
        """What is to be told of the evaluation that is over: of each data set its rows, those that differ, and how many of these were
        among those of the evaluation before (None for the first)."""
        found = []
        for number, held in self.rows.items():
            before = self.before.get(number)
            common = None if before is None else len(held & before)
            told = {"data": number, "rows": self.count[number], "distinct": len(held), "common": common}
            found.append({**told, "classes": sorted(self.classes.get(number, ()))[:CLASSES]})
        self.before.update(self.rows)
        self.rows, self.count, self.classes = {}, {}, {}
        self.told += len(found)
        return found if self.told <= TOLD else []


def among(evaluated: Any, learned: list[Any]) -> dict[str, int] | None:
    """Of some rows of the source of one data set, how many lie in the sources of others; None where that cannot be told."""
    mine = digests(evaluated, SOME)
    theirs: set[bytes] = set()
    for dataset in learned:
        found = digests(dataset, MOST)
        if found is None:
            return None
        theirs |= found
    if not mine or not theirs:
        return None
    return {"rows": len(mine), "known": len(mine & theirs)}


def digests(dataset: Any, most: int) -> set[bytes] | None:
    """What tells rows of the one source of a data set apart, evenly drawn, where its nodes leave none out."""
    node = dataset
    while node.children:
        if type(node).__name__ not in PLAIN or len(node.children) > 1:
            return None
        node = node.children[0]
    source = getattr(node, "source", None)
    sampler = getattr(node, "sampler", None)
    chosen = sampler is not None and type(sampler).__name__ not in ("RandomSampler", "SequentialSampler")
    if chosen or not (hasattr(source, "__getitem__") and hasattr(source, "__len__")):
        return None
    try:
        return read(source, most)
    except Exception:  # the user's own code, which may need what is gone by now
        return None


def read(source: Any, most: int) -> set[bytes] | None:
    """Digests of rows, at most so many; None where they hold what has no bytes of its own."""
    found: set[bytes] = set()
    until = time.perf_counter() + SECONDS
    for at in range(0, len(source), max(1, -(-len(source) // most))):
        if time.perf_counter() > until:
            break
        row = columns_at(source, at)
        if any(one.dtype.kind == "O" for one in row):
            return None
        found.add(hashlib.blake2b(b"".join(one.tobytes() for one in row), digest_size=8).digest())
    return found


def changes_at_random(dataset: Any) -> dict[str, int] | None:
    """Reads the first batch of a data set twice: its rows, and how many of them have other values in the second reading although the
    rows are the same, as a column that stays shows. None where no column tells that, or the data set cannot be read again: without
    processes of its own, which would outlive this one, and without what the user's code prints."""
    if has_processes(dataset):
        return None
    try:
        with bounded(LONGEST), redirect_stdout(io.StringIO()):
            return compared(first_batch(dataset), first_batch(dataset))
    except Exception:  # the user's own code, which may need what is gone by now
        return None


def compared(one: list[Array], other: list[Array]) -> dict[str, int] | None:
    """Two readings of a batch, by their columns."""
    rows = len(one[0]) if one and one[0].ndim else 0
    columns = list(zip(one, other))  # noqa: B905  # Python 3.9
    whole = all(first.shape == second.shape and first.ndim and len(first) == rows for first, second in columns)
    if rows < READ or not whole or not any(tells_rows(first) and (first == second).all() for first, second in columns):
        return None
    changed = [other_values(first, second) for first, second in columns if first.dtype.kind in "iuf"]
    return {"rows": rows, "changed": int(np.any(changed, axis=0).sum()) if changed else 0}


def has_processes(node: Any) -> bool:
    own = getattr(node, "python_multiprocessing", False) and (getattr(node, "num_parallel_workers", None) or 1) > 1
    return own or any(has_processes(child) for child in node.children)


def first_batch(dataset: Any) -> list[Array]:
    return [array(one) for one in tensors(next(dataset.create_tuple_iterator(num_epochs=1)))]


def tells_rows(column: Array) -> bool:
    """Whether the values of a column, such as labels, would hardly be the same in another order of the rows."""
    counts = np.unique(column.reshape(len(column), -1), axis=0, return_counts=True)[1]
    return bool(counts.max() <= len(column) // 2 and len(column) - counts.max() >= READ // 2)


def other_values(column: Array, again: Array) -> Array:
    """Of each row whether it was changed, and still lies closer to what it was than to the next row: what is drawn anew does not."""
    flat, turned = (one.reshape(len(one), -1).astype(np.float64) for one in (column, again))
    own = ((flat - turned) ** 2).mean(axis=1)
    others = ((flat - np.roll(turned, 1, axis=0)) ** 2).mean(axis=1)
    by_chance = 4 * math.sqrt(2 / flat.size)  # four standard deviations of a mean of so many squares
    if not own.mean() < min(OWN, 1 - by_chance) * others.mean():
        return np.zeros(len(column), bool)
    return own > 1e-6 * others.mean()
