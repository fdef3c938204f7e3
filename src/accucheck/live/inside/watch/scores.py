"""How much an evaluation gets right, counted apart from the metrics of the script: of each row whether the class with the largest score is
that of its label, over all rows, and as the mean of the shares of batches."""

from __future__ import annotations

from typing import Any

import numpy

from ..measures import Array, array, tensors

#: Evaluations that are told, and how many of the largest scores a label may be among.
TOLD, FIRST = 256, 5


class Counts:
    """Of one data set in one evaluation. `lost`: a batch whose scores or labels were not found."""

    def __init__(self) -> None:
        self.right = self.among = self.rows = self.batches = self.classes = 0
        self.shares = 0.0
        self.lost = False

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
        self.told = 0

    def add(self, number: int | None, output: Any, batch: list[Any], column: int | None) -> None:
        """What a pass of inference gave for a batch. `column` says which tensor of it holds the classes, where that is known."""
        counts = self.counts.setdefault(number, Counts())
        if counts.lost:
            return
        found = scored(output, batch, column)
        if found is None:
            counts.lost = True
        else:
            counts.add(*found)

    def over(self) -> dict[str, Any] | None:
        """What is to be told of the evaluation that is over; None where it was not of one data set, or not all of it was seen."""
        counts, self.counts = self.counts, {}
        self.told += 1
        if len(counts) != 1 or self.told > TOLD:
            return None
        ((number, one),) = counts.items()
        if one.lost or not one.rows:
            return None
        right, rows = self.before.get(number, (0, 0))
        self.before[number] = right + one.right, rows + one.rows
        told = {
            "right": one.right,
            "among": one.among,
            "rows": one.rows,
            "batches": one.batches,
            "classes": one.classes,
        }
        return {"data": number, **told, "shares": one.shares, "before": [right, rows]}

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
