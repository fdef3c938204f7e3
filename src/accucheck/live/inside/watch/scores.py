"""How much an evaluation gets right, counted apart from the metrics of the script: of each row whether the class with the largest score is
that of its label, over all rows, and as the mean of the shares of batches; and other usual numbers of it (see reference), of classes, of
pixels and of errors."""

from __future__ import annotations

from typing import Any

import numpy

from ..measures import Array, array, plain, tensors
from .reference import CLASSES, Errors, Numbers, Table

#: Evaluations that are told, and how many of the largest scores a label may be among.
TOLD, FIRST = 256, 5
#: Elements of an output, of each pixel or of a picture, that are looked at in a batch at most.
MOST = 1 << 26


class Counts:
    """Of one data set in one evaluation. `lost`: a batch whose scores or labels were not found."""

    def __init__(self) -> None:
        self.right = self.among = self.rows = self.batches = self.classes = 0
        self.shares = 0.0
        self.lost = False
        #: What the rows are: "classes" of samples, "places" (pixels, or places of a sequence), or samples with "errors".
        self.kind = "classes"
        #: What the usual numbers are taken from, and the sums of these numbers of each batch.
        self.whole: Table | Errors | None = None
        self.batch_sums: Numbers = {}

    def note(self, part: Table | Errors) -> None:
        """What is known of a batch."""
        if self.whole is None:
            self.whole = type(part)(len(part.counts)) if isinstance(part, Table) else Errors()
        if not self.joins(part):
            self.lost = True
            return
        self.whole.join(part)  # type: ignore[arg-type]
        for family, ways in part.numbers().items():
            sums = self.batch_sums.setdefault(family, {})
            for way, value in ways.items():
                sums[way] = sums.get(way, 0.0) + value

    def joins(self, part: Table | Errors) -> bool:
        """Whether a batch is of the same kind as those before."""
        if isinstance(self.whole, Table) and isinstance(part, Table):
            return len(self.whole.counts) == len(part.counts)
        return isinstance(self.whole, Errors) and isinstance(part, Errors)

    def note_classes(self, scores: Array, labels: Array) -> None:
        if scores.shape[1] <= CLASSES:
            table = Table(scores.shape[1])
            table.add(scores, labels)
            self.note(table)

    def numbers(self) -> dict[str, Any]:
        """The usual numbers: of all that was seen, and as the mean of the batches."""
        if self.whole is None:
            return {}
        means = {
            family: {way: total / self.batches for way, total in ways.items()}
            for family, ways in self.batch_sums.items()
        }
        return {"numbers": _plain(self.whole.numbers()), "of_batches": _plain(means)}

    def add(self, scores: Array, labels: Array) -> None:
        right = int((scores.argmax(axis=1) == labels).sum())
        own = scores[numpy.arange(len(labels)), labels]
        self.right += right
        self.among += int(((scores > own[:, None]).sum(axis=1) < FIRST).sum())
        self.rows += len(labels)
        self.batches += 1
        self.shares += right / len(labels)
        self.classes = scores.shape[1]


class Scores:
    """By the number of the data set."""

    def __init__(self) -> None:
        self.counts: dict[int | None, Counts] = {}
        #: Right guesses and rows of all evaluations before, of each data set.
        self.before: dict[int | None, tuple[int, int]] = {}
        self.sums: dict[int | None, Table | Errors] = {}
        self.told = 0

    def add(self, number: int | None, output: Any, batch: list[Any], column: int | None) -> None:
        """What a pass of inference gave for a batch. `column` says which tensor of it holds the classes, where that is known."""
        counts = self.counts.setdefault(number, Counts())
        if counts.lost:
            return
        found = scored(output, batch, column)
        if found is not None:
            counts.add(*found)
            counts.note_classes(*found)
        elif (pixels := scored_places(output, batch)) is not None:
            counts.kind = "places"
            counts.add(*pixels)
            counts.note_classes(*pixels)
        elif (pair := given_and_wanted(output, batch)) is not None:
            errors = Errors()
            errors.add(*pair)
            counts.kind = "errors"
            counts.note(errors)
            counts.rows, counts.batches = counts.rows + errors.rows, counts.batches + 1
        else:
            counts.lost = True

    def over(self) -> dict[str, Any] | None:
        """What is to be told of the evaluation that is over; None where it was not of one data set, or not all of it was seen."""
        counts, self.counts = self.counts, {}
        self.told += 1
        if len(counts) != 1 or self.told > TOLD:
            return None
        ((number, one),) = counts.items()
        if one.lost or not one.batches:
            return None
        right, rows = self.before.get(number, (0, 0))
        self.before[number] = right + one.right, rows + one.rows
        told: dict[str, Any] = {
            "right": one.right,
            "among": one.among,
            "rows": one.rows,
            "batches": one.batches,
            "classes": one.classes,
        }
        told |= {"rows_are": one.kind, **one.numbers(), "so_far": _plain(self.so_far(number, one))}
        return {"data": number, **told, "shares": one.shares, "before": [right, rows]}

    def so_far(self, number: int | None, one: Counts) -> Numbers:
        """The usual numbers of this evaluation and those before it."""
        if one.whole is None:
            return {}
        sums = self.sums.get(number)
        if sums is not None and one.joins(sums):
            sums.join(one.whole)  # type: ignore[arg-type]
        else:
            sums = self.sums[number] = one.whole
        return sums.numbers()

    def forget(self) -> None:
        """The training goes on: what was counted belongs to no metric."""
        self.counts = {}


def scored(output: Any, batch: list[Any], column: int | None) -> tuple[Array, Array] | None:
    """The scores of a batch (rows, classes) and the class of each row, where there is one tensor of either that can be it."""
    labels = [array(batch[column])] if column is not None and column < len(batch) else [array(one) for one in batch]
    labels = [one for one in labels if one.ndim == 1 and one.dtype.kind in "iu" and one.size]
    if len(labels) != 1:
        return None
    (label,) = labels
    given = [array(one) for one in tensors(output)]
    scores = [
        one for one in given if one.ndim == 2 and one.dtype.kind == "f" and len(one) == len(label) and one.shape[1] > 1
    ]
    if len(scores) != 1 or label.min() < 0 or label.max() >= scores[0].shape[1]:
        return None
    return scores[0], label


def scored_places(output: Any, batch: list[Any]) -> tuple[Array, Array] | None:
    """The same of pixels, or places of a sequence, in one line: those whose label is no class are left out."""
    labels = [one for one in map(array, batch) if one.ndim > 1 and one.dtype.kind in "iu" and one.size]
    if len(labels) != 1:
        return None
    (label,) = labels
    found = []
    for one in map(array, tensors(output)):
        if one.ndim == label.ndim + 1 and one.dtype.kind == "f" and one.size <= MOST:
            axes = [axis for axis in {1, one.ndim - 1} if one.shape[:axis] + one.shape[axis + 1 :] == label.shape]
            found += [(one, axis) for axis in axes if one.shape[axis] > 1]
    if len(found) != 1:
        return None
    ((scores, axis),) = found
    flat, classes = label.reshape(-1), scores.shape[axis]
    counts = (flat >= 0) & (flat < classes)
    return (numpy.moveaxis(scores, axis, -1).reshape(-1, classes)[counts], flat[counts]) if counts.any() else None


def given_and_wanted(output: Any, batch: list[Any]) -> tuple[Array, Array] | None:
    """What a network gives and the column of the batch that it is to give, where one pair of numbers alone can be it."""
    given = [one for one in map(array, tensors(output)) if one.dtype.kind == "f" and one.ndim and 0 < one.size <= MOST]
    wanted = [one for one in map(array, batch) if one.dtype.kind == "f" and one.ndim and one.size]
    pairs = [(one, other) for one in given for other in wanted if _flat(one) == _flat(other)]
    pairs = [(one, other) for one, other in pairs if not numpy.array_equal(one.reshape(-1), other.reshape(-1))]
    if len(pairs) != 1:  # an evaluation by Model gives the column that was wanted, too
        return None
    ((one, other),) = pairs
    return one.reshape(other.shape), other


def _plain(numbers: Numbers) -> Numbers:
    return {family: {way: plain(value) for way, value in ways.items()} for family, ways in numbers.items()}


def _flat(values: Array) -> tuple[int, ...]:
    """A shape without a last axis of one element."""
    shape: tuple[int, ...] = values.shape
    return shape[:-1] if len(shape) > 1 and shape[-1] == 1 else shape
