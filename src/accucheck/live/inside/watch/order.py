"""Rows of the training data as they lie in their source, and whether labels of other rows would fit their inputs better.

Rows whose inputs are alike mostly have the same label. How often that is so is counted for the label of the row itself, and for the
labels of the rows so many places before and after it. Read when the training is over, so that it changes nothing of it.
"""

from __future__ import annotations

import io
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, NamedTuple

import numpy as np

from ..measures import Array, array, short

#: Rows that are read in a stretch, stretches, and seconds after which no further row is read.
STRETCH, STRETCHES, SECONDS = 128, 16, 2.0
#: Seconds after which a row that is still being read is given up.
LONGEST = 5.0
#: Rows of batches that are kept.
BATCHED = 1024
#: Places before and after a row whose labels are tried.
SHIFTS = 8
#: Rows with the most similar inputs, whose labels are counted.
NEIGHBOURS = 5
#: Numbers that stand for the input of a row, numbers along each axis of pictures, and classes at most.
NUMBERS, ALONG, CLASSES = 1024, 16, 256


class Rows(NamedTuple):
    """Rows of a source: their places, what stands for their inputs, and their labels."""

    places: Array
    inputs: Array
    labels: Array


def examined(dataset: Any) -> Iterator[dict[str, Any]]:
    """What was counted of each source of a data set; sources whose rows cannot be had by their place are left out."""
    for sources in parts(dataset):
        rows = read([node.source for node in sources])
        if rows is not None:
            yield {"node": sources[-1], "rows": len(sources[-1].source), **counted(rows)}


class BatchRows:
    """The first rows that passes are given, each once: of a training whose data come from no source that can be read by places."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, list[Array]]] = []
        self.seen: set[Any] = set()
        self.place: list[Any] | None = None

    @property
    def full(self) -> bool:
        return len(self.rows) >= BATCHED

    def add(self, batch: list[Any], identities: list[Any], place: list[Any] | None) -> None:
        """The tensors of a batch, what tells its rows apart, and the line of the user's that trains with it."""
        self.place = self.place or place
        held = [array(one) for one in batch]
        if not all(one.ndim and len(one) == len(identities) for one in held):
            return
        for number, one in enumerate(identities):
            if one not in self.seen:
                self.seen.add(one)
                self.rows.append((len(self.rows), [_kept(column[number]) for column in held]))

    def examined(self) -> dict[str, Any] | None:
        """What was counted of them; None where they are too few, or have no input and one label each."""
        count = len(self.rows) // STRETCH * STRETCH
        rows = told(self.rows[:count]) if count else None
        return None if rows is None else {"rows": count, "place": self.place, **counted(rows)}


def _kept(values: Array) -> Array:
    return np.array(values) if values.size <= CLASSES else reduced(values)


def parts(node: Any) -> list[list[Any]]:
    """The sources below a node: in each part those whose rows are put together into one."""
    if not node.children:
        source = getattr(node, "source", None)
        return [[node]] if hasattr(source, "__getitem__") and hasattr(source, "__len__") else []
    below = [parts(child) for child in node.children]
    if type(node).__name__ != "ZipDataset":
        return [part for child in below for part in child]
    plain = all(len(child) == 1 and getattr(child[0][0], "shuffle_flag", None) != 1 for child in below)
    return [[one for child in below for one in child[0]]] if plain else []


def read(sources: list[Any]) -> Rows | None:
    """Stretches of rows, evenly drawn; None where they have no input and one label each, or cannot be read."""
    try:
        return told(stretches(sources))
    except Exception:  # the user's own code, which may need what is gone by now
        return None


def columns_at(source: Any, place: int) -> list[Array]:
    """The columns of a row, read without what the user's code prints.

    Raises what the user's code raises, and TimeoutError for a row that takes longer than LONGEST seconds.
    """
    with bounded(LONGEST), redirect_stdout(io.StringIO()):
        return columns(source[place])


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Raise TimeoutError within what runs longer, such as a row that waits for a queue which nobody fills any more. Signals reach the
    main thread alone: elsewhere, and where the user's code has an alarm of its own, nothing is bounded."""

    def over(*_: Any) -> None:
        raise TimeoutError

    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or not hasattr(signal, "setitimer") or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return
    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def stretches(sources: list[Any]) -> list[tuple[int, list[Array]]]:
    """The place and the columns of each row that is read, in their order."""
    count = min(len(source) for source in sources)
    number = min(STRETCHES, count // STRETCH)
    begins = np.linspace(0, count - STRETCH, number).astype(int)
    found: list[tuple[int, list[Array]]] = []
    until = time.perf_counter() + SECONDS
    # Every second stretch first, so that those that time allows lie apart.
    for begin in [*begins[::2], *begins[1::2]]:
        stretch = []
        for at in range(begin, begin + STRETCH):
            if time.perf_counter() > until:
                break
            stretch.append((at, [one for source in sources for one in columns_at(source, at)]))
        if len(stretch) == STRETCH:
            found += stretch
    return sorted(found, key=lambda one: one[0])


def columns(row: Any) -> list[Array]:
    values = list(row.values()) if isinstance(row, dict) else row
    return [array(one) for one in values] if isinstance(values, (tuple, list)) else [array(values)]


def told(rows: list[tuple[int, list[Array]]]) -> Rows | None:
    """Inputs and labels of rows: the one column of classes holds the labels, the largest of the others the inputs."""
    by_column = list(zip(*(row for _, row in rows)))  # noqa: B905  # Python 3.9
    labels = {at: found for at, one in enumerate(by_column) if (found := classes(one)) is not None}
    inputs = [
        at for at, one in enumerate(by_column) if one[0].size > 1 and one[0].dtype.kind in "uif" and at not in labels
    ]
    if len(labels) != 1 or not inputs:
        return None
    some = [reduced(one) for one in by_column[max(inputs, key=lambda at: by_column[at][0].size)]]
    if len({one.shape for one in some}) > 1 or not all(np.isfinite(one).all() for one in some):
        return None
    return Rows(np.array([at for at, _ in rows]), np.stack(some), *labels.values())


def classes(column: tuple[Array, ...]) -> Array | None:
    """The class of each row, counted from 0, where a column holds whole numbers of few kinds, or vectors of zeros and a 1."""
    if column[0].size == 1 and column[0].dtype.kind in "iu":
        values = [int(one.reshape(-1)[0]) for one in column]
    elif 1 < column[0].size <= CLASSES and all(one.sum() == one.max() == 1 and one.min() == 0 for one in column):
        values = [int(one.argmax()) for one in column]
    else:
        return None
    kinds, found = np.unique(values, return_inverse=True)
    return found.reshape(-1) if 1 < len(kinds) <= min(CLASSES, len(values) // 4) else None


def reduced(values: Array) -> Array:
    """At most NUMBERS of its elements, evenly drawn along each axis."""
    if values.ndim > 1:
        for axis, size in enumerate(values.shape):
            if size > ALONG:
                values = np.take(values, np.linspace(0, size - 1, ALONG).astype(int), axis=axis)
    flat = values.reshape(-1).astype(np.float32)
    return flat[:: max(1, -(-flat.size // NUMBERS))]


def counted(rows: Rows) -> dict[str, Any]:
    """By stretch: its first row, the share of its most frequent label, and how often similar rows tell the label that stands so many
    places on, from -SHIFTS to SHIFTS. `near`: the distance of a row to the next against that of any two."""
    distances = squared_distances(rows.inputs)
    places, count = rows.places, len(rows.places)
    following = np.flatnonzero(np.diff(places) == 1)
    near = float(np.sqrt(distances[following, following + 1]).mean() / max(1e-12, float(np.sqrt(distances).mean())))
    # A row tells nothing of itself, nor do those beside it, which may show the same.
    distances[np.abs(places[:, None] - places[None, :]) <= SHIFTS] = np.inf
    neighbours = np.argpartition(distances, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
    kinds = int(rows.labels.max()) + 1
    told = {shift: at(rows, shift) for shift in range(-SHIFTS, SHIFTS + 1)}
    said = {shift: most_frequent(labels[neighbours], kinds) for shift, labels in told.items()}
    seen = []
    for begin in range(0, count, STRETCH):
        part = slice(begin, begin + STRETCH)
        most = np.bincount(rows.labels[part]).max() / STRETCH
        # Where few rows are out of step, those like them tell the label by their own ones; where most are, by those a shift away.
        shares = [
            short(max(share(said[0][part], labels[part]), share(said[shift][part], labels[part])))
            for shift, labels in told.items()
        ]
        seen.append([int(places[begin]), short(float(most)), shares])
    return {"classes": kinds, "near": short(near), "length": STRETCH, "stretches": seen}


def squared_distances(inputs: Array) -> Array:
    """Between all rows, each number of them scaled by how much it varies."""
    spread = inputs.std(axis=0)
    scaled = (inputs - inputs.mean(axis=0)) / (spread + 0.25 * max(1e-12, float(spread.mean())))
    squares = (scaled * scaled).sum(axis=1)
    return np.maximum(squares[:, None] + squares[None, :] - 2 * scaled @ scaled.T, 0)


def at(rows: Rows, shift: int) -> Array:
    """By row: the label `shift` places on, -1 where that was not read."""
    count = len(rows.places)
    place = np.arange(count) + shift
    inside = np.clip(place, 0, count - 1)
    read = (place == inside) & (rows.places[inside] - rows.places == shift)
    return np.where(read, rows.labels[inside], -1)


def most_frequent(labels: Array, kinds: int) -> Array:
    """By row: the label that most of its neighbours have."""
    votes = np.zeros((len(labels), kinds + 1), np.int32)
    for one in labels.T:
        votes[np.arange(len(labels)), one] += 1
    return votes[:, :kinds].argmax(axis=1)


def share(said: Array, labels: Array) -> float:
    """Of the labels that were read."""
    return float((said == labels)[labels >= 0].mean())
