"""How much an evaluation gets right, counted apart from the metrics of the script: of each row whether the class with the largest score is
that of its label, over all rows, and as the mean of the shares of batches; and other usual numbers of it (see reference), of classes, of
pixels and of errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy

from ..measures import Array, array, plain, tensors
from .data import Reading
from .reference import CLASSES, Errors, Numbers, Table

#: Evaluations that are told, how many of the largest scores a label may be among, and ranks of labels that are told apart.
TOLD, FIRST, RANKS = 256, 5, 10
#: Elements of an output, of each pixel or of a picture, that are looked at in a batch at most.
MOST = 1 << 26


class Counts:
    """Of one data set in one evaluation. `lost`: a batch whose scores or labels were not found, or found twice."""

    def __init__(self) -> None:
        self.right = self.among = self.rows = self.batches = self.classes = 0
        self.shares = 0.0
        self.lost = False
        #: Batches that were read for it.
        self.read = 0
        #: What the rows are: "classes" of samples, "two" classes by one score, "places" (pixels, or places of a sequence), or samples
        #: with "errors".
        self.kind = "classes"
        #: What the usual numbers are taken from, and the sums of these numbers of each batch.
        self.whole: Table | Errors | None = None
        self.batch_sums: Numbers = {}
        #: Rows of the first batch; right guesses and rows of the batches as large as it, and of the last one.
        self.size = self.full_right = self.full_rows = 0
        self.last = (0, 0)
        #: How many labels have so many larger, and so many smaller scores beside theirs; none further than RANKS is counted.
        self.ahead = numpy.zeros(RANKS, numpy.int64)
        self.behind = numpy.zeros(RANKS, numpy.int64)
        #: Equal pairs of a guess and the label of any row of its batch, and the sum of their shares in batches.
        self.pairs, self.pair_shares = 0, 0.0
        #: All places, those without a class too; what fills the ends of rows of labels.
        self.places = 0
        self.ends: Ends | None = None
        #: Of two classes by one score: the same where it is a probability; None once one is seen that is none.
        self.probable: Counts | None = None

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

    def take(self, found: Batch) -> None:
        """What was found of a batch."""
        self.kind = found.kind
        if found.wanted is not None:
            errors = Errors()
            errors.add(found.scores, found.wanted)
            self.note(errors)
            self.rows, self.batches = self.rows + errors.rows, self.batches + 1
            return
        if found.kind == "two":
            self.probable = (self.probable or Counts()) if self.batches == 0 else self.probable
            self.probable = probable(self.probable, found)
            found = found.of_logits()
        self.places += found.places or len(found.labels)
        if found.table is not None:
            self.ends = Ends(found.table) if self.ends is None else self.ends
            self.ends.add(found.table)
        self.add(found.scores, found.labels)
        self.note_classes(found.scores, found.labels)

    def add(self, scores: Array, labels: Array) -> None:
        guesses = scores.argmax(axis=1)
        right = int((guesses == labels).sum())
        own = scores[numpy.arange(len(labels)), labels]
        larger = (scores > own[:, None]).sum(axis=1)
        self.right += right
        self.among += int((larger < FIRST).sum())
        self.rows += len(labels)
        self.batches += 1
        self.shares += right / len(labels)
        self.classes = scores.shape[1]
        self.size = self.size or len(labels)
        self.last = right, len(labels)
        if len(labels) == self.size:
            self.full_right, self.full_rows = self.full_right + right, self.full_rows + len(labels)
        self.ahead += ranks(larger)
        if self.kind != "places":
            self.behind += ranks((scores < own[:, None]).sum(axis=1))
            by_guess, by_label = (numpy.bincount(one, minlength=self.classes) for one in (guesses, labels))
            pairs = int((by_guess * by_label).sum())
            self.pairs, self.pair_shares = self.pairs + pairs, self.pair_shares + pairs / len(labels) ** 2

    def told(self) -> dict[str, Any]:
        """What the counts say, as JSON has it."""
        told: dict[str, Any] = {
            "right": self.right,
            "among": self.among,
            "rows": self.rows,
            "batches": self.batches,
            "classes": self.classes,
            "rows_are": self.kind,
            "shares": self.shares,
            **self.numbers(),
        }
        if self.kind == "errors":
            return told
        told |= {"size": self.size, "full": [self.full_right, self.full_rows], "last": list(self.last)}
        told |= {"ahead": self.ahead.tolist(), "behind": self.behind.tolist(), "places": self.places}
        told |= {"pairs": self.pairs, "pair_shares": self.pair_shares}
        if self.ends is not None and isinstance(self.whole, Table) and (label := self.ends.filling()) is not None:
            of_label = [int(self.whole.counts[label, label]), int(self.whole.counts[label].sum())]
            told["ends"] = {"label": label, "right": of_label[0], "rows": of_label[1]}
        return told


class Ends:
    """Whether one label of sequences stands at the ends of rows alone, in runs of several lengths, as padding does."""

    def __init__(self, labels: Array) -> None:
        """Takes the label that most rows end with."""
        values, counts = numpy.unique(labels[:, -1], return_counts=True)
        self.label = int(values[counts.argmax()])
        self.alone, self.rows, self.ended, self.lengths = True, 0, 0, set[int]()

    def add(self, labels: Array) -> None:
        is_it = labels == self.label
        lengths = numpy.where(is_it.all(axis=1), labels.shape[1], (~is_it[:, ::-1]).argmax(axis=1))
        self.alone = self.alone and int(lengths.sum()) == int(is_it.sum())
        self.rows, self.ended = self.rows + len(labels), self.ended + int((lengths > 0).sum())
        self.lengths.update(int(one) for one in numpy.unique(lengths))

    def filling(self) -> int | None:
        """The label, where it fills the ends of at least a third of the rows in runs of three or more lengths, the longest above 2."""
        runs = {one for one in self.lengths if one}
        enough = self.ended * 3 >= self.rows and len(runs) > 2 and max(runs) > 2
        return self.label if self.alone and enough and self.label >= 0 else None


class Batch(NamedTuple):
    """What a network gave for a batch, and what it was to give: scores of (rows, classes) and the class of each row, or, where `wanted` is
    given, numbers of one shape. `table`: the labels as (sequences, places)."""

    kind: str
    scores: Array
    labels: Array
    places: int = 0
    wanted: Array = None
    table: Array = None

    def of_logits(self) -> Batch:
        """One score a row as the scores of two classes: the second is taken above 0."""
        return self._replace(scores=numpy.stack([numpy.zeros_like(self.scores), self.scores], axis=1))


def probable(counts: Counts | None, found: Batch) -> Counts | None:
    """The counts with one score a row taken as a probability: the second class is taken above 0.5."""
    if counts is None or found.scores.min() < 0 or found.scores.max() > 1:
        return None
    counts.kind = found.kind
    wide = numpy.clip(found.scores.astype(numpy.float64), 1e-12, 1 - 1e-12)
    scores = numpy.log(numpy.stack([1 - wide, wide], axis=1))
    counts.places += len(found.labels)
    counts.add(scores, found.labels)
    counts.note_classes(scores, found.labels)
    return counts


def ranks(places: Array) -> Array:
    """How many are 0, 1, ... below RANKS."""
    return numpy.bincount(places[places < RANKS], minlength=RANKS)


class Scores:
    """By the number of the data set."""

    def __init__(self) -> None:
        self.counts: dict[int | None, Counts] = {}
        #: Right guesses and rows of all evaluations before, of each data set.
        self.before: dict[int | None, tuple[int, int]] = {}
        self.sums: dict[int | None, Table | Errors] = {}
        self.told = 0
        #: Evaluations that are over, and passes of the one that is not.
        self.number = self.passes = 0
        #: The batch that a pass took last, and whether what it is to give was found.
        self.at, self.found = 0, True
        #: The data set of the pass before, and the batch that was trained with last.
        self.last: int | None = None
        self.learned = 0

    def add(self, reading: Reading, output: Any, wanted: list[Any]) -> None:
        """What a pass of inference gave for the batch that was read last; `wanted` are the tensors of it that may be its labels."""
        self.passes += 1
        self.last = reading.number
        counts = self.counts.setdefault(reading.number, Counts())
        known, self.at = self.at, reading.read
        if counts.lost:
            return
        found = batch_of(output, wanted)
        again = reading.read == known
        if again and self.found:  # of the training before, or given to two networks, of which either may be meant
            counts.lost = found is not None or self.passes == 1
            return
        counts.read += not again
        counts.lost = not (again or self.found) or reading.at != counts.read  # or batches are read in advance
        self.found = found is not None
        if found is not None and not counts.lost:
            counts.take(found)

    def over(self) -> dict[str, Any] | None:
        """What is to be told of the evaluation that is over; None where it was not of one data set, or not all of it was seen."""
        counts, self.counts = self.counts, {}
        number_of_it, passes, found = self.number, self.passes, self.found
        self.passes, self.found = 0, True
        if not counts:
            return None
        self.number += 1
        if len(counts) != 1 or self.told >= TOLD:
            return None
        ((number, one),) = counts.items()
        if one.lost or not found or not one.batches:
            return None
        self.told += 1
        logits, one = one, one.probable or one
        right, rows = self.before.get(number, (0, 0))
        self.before[number] = right + one.right, rows + one.rows
        told = one.told() | {"so_far": _plain(self.so_far(number, one))}
        if one is not logits:
            told["above_zero"] = logits.right
        return {"data": number, **told, "before": [right, rows], "number": number_of_it, "passes": passes}

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

    def read(self, number: int | None) -> int:
        """How many batches of a data set the evaluation has read so far."""
        return self.counts[number].read if number in self.counts else 0

    def is_of_training(self) -> bool:
        """Whether the one pass so far took the batch that was trained with, so that it belongs to no evaluation of others."""
        return self.passes == 1 and self.at == self.learned

    def trains(self, read: int) -> bool:
        """A pass trains with the `read`-th batch: whether it is the one of the pass before, which was then none of an evaluation."""
        same, self.at, self.learned = read == self.at, read, read
        if same:
            alone = len(self.counts) < 2 or self.read(self.last) > 1
            self.counts = {} if alone else {number: one for number, one in self.counts.items() if number != self.last}
            self.passes, self.found = 0 if alone else self.passes - 1, True
        return same


def batch_of(output: Any, batch: list[Any]) -> Batch | None:
    """What a network gave for a batch, beside what it was to give, where there is one reading of them."""
    found = scored(output, batch)
    if found is not None:
        return Batch("classes", *found)
    if (two := one_score(output, batch)) is not None:
        return Batch("two", *two)
    if (places := scored_places(output, batch)) is not None:
        return places
    if (pair := given_and_wanted(output, batch)) is not None:
        return Batch("errors", pair[0], pair[1], wanted=pair[1])
    return None


def scored(output: Any, batch: list[Any]) -> tuple[Array, Array] | None:
    """The scores of a batch (rows, classes) and the class of each row, where there is one tensor of either that can be it."""
    labels = [one for one in map(array, batch) if one.ndim == 1 and one.dtype.kind in "iu" and one.size]
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


def one_score(output: Any, batch: list[Any]) -> tuple[Array, Array] | None:
    """One score for each row, and a label of 0 or 1, where one pair alone can be it."""
    given, labels = _columns(tensors(output), "f"), _columns(batch, "iuf")
    labels = [one for one in labels if numpy.isin(one, (0, 1)).all()]
    pairs = [(one, other) for one in given for other in labels if one.size == other.size]
    pairs = [(one, other) for one, other in pairs if not numpy.array_equal(one, other) and numpy.isfinite(one).all()]
    return (pairs[0][0], pairs[0][1].astype(numpy.int64)) if len(pairs) == 1 else None


def scored_places(output: Any, batch: list[Any]) -> Batch | None:
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
    if not counts.any():
        return None
    chosen = numpy.moveaxis(scores, axis, -1).reshape(-1, classes)[counts], flat[counts]
    return Batch("places", *chosen, places=flat.size, table=label if label.ndim == 2 else None)


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


def _columns(values: Iterable[Any], kinds: str) -> list[Array]:
    """Those of these kinds that have one element for each row, in one line."""
    found = [one for one in map(array, values) if one.dtype.kind in kinds and one.ndim in (1, 2) and one.size]
    return [one.reshape(-1) for one in found if one.size == len(one)]


def _flat(values: Array) -> tuple[int, ...]:
    """A shape without a last axis of one element."""
    shape: tuple[int, ...] = values.shape
    return shape[:-1] if len(shape) > 1 and shape[-1] == 1 else shape
