"""Numbers of an evaluation by their usual definitions, those of scikit-learn, from a table of guesses by classes or from sums of errors.

A number is known by its family, as "f1", and by the way in which it is taken over the classes, as "macro", in words that both languages
have. Where papers use several ways, all of them are given.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from ..measures import Array

Numbers = dict[str, dict[str, float]]
#: Classes of a table at most: each evaluation keeps one.
CLASSES = 256
#: Scores of a batch whose cross entropy is computed at most; that of larger ones is not told.
SCORES = 1 << 22
#: The largest value of a picture, by what it is stored as.
PEAKS = {"peak=1": 1.0, "peak=255": 255.0}


class Table:
    """How often each class was taken for each: a row is a class, a column a guess. `loss`: the sum of the cross entropy."""

    def __init__(self, classes: int) -> None:
        self.counts = numpy.zeros((classes, classes), numpy.int64)
        self.loss = 0.0

    def add(self, scores: Array, labels: Array) -> None:
        """Scores of (rows, classes), and the class of each row."""
        classes = len(self.counts)
        places = labels.astype(numpy.int64) * classes + scores.argmax(axis=1)
        self.counts += numpy.bincount(places, minlength=classes**2).reshape(classes, classes)
        if scores.size > SCORES:
            self.loss = math.nan
            return
        wide = scores.astype(numpy.float64)
        wide -= wide.max(axis=1, keepdims=True)
        own = wide[numpy.arange(len(labels)), labels]
        self.loss += float((numpy.log(numpy.exp(wide).sum(axis=1)) - own).sum())

    def join(self, other: Table) -> None:
        self.counts, self.loss = self.counts + other.counts, self.loss + other.loss

    def numbers(self) -> Numbers:
        loss = self.loss / max(int(self.counts.sum()), 1)
        found = of_table(self.counts)
        found["loss"] = {"mean": loss}
        found["perplexity"] = {"exp(loss)": loss if math.isnan(loss) else math.exp(min(loss, 700.0))}
        return found


class Errors:
    """The differences between what was given and what was wanted."""

    def __init__(self) -> None:
        self.squares = self.absolute = self.sum = self.sum_squares = 0.0
        self.count = self.rows = 0
        self.decibels = dict.fromkeys(PEAKS, 0.0)

    def add(self, given: Array, wanted: Array) -> None:
        """Arrays of one shape, a row for each sample."""
        wide = wanted.astype(numpy.float64)
        squares = (given.astype(numpy.float64) - wide) ** 2
        self.squares += float(squares.sum())
        self.absolute += float(numpy.sqrt(squares).sum())
        self.sum, self.sum_squares = self.sum + float(wide.sum()), self.sum_squares + float((wide**2).sum())
        self.count, self.rows = self.count + wanted.size, self.rows + len(wanted)
        each = squares.reshape(len(wanted), -1).mean(axis=1)
        for name, peak in PEAKS.items():
            self.decibels[name] += float(_decibels(each, peak).sum())

    def join(self, other: Errors) -> None:
        for name in ("squares", "absolute", "sum", "sum_squares", "count", "rows"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.decibels = {name: value + other.decibels[name] for name, value in self.decibels.items()}

    def numbers(self) -> Numbers:
        mean = self.squares / self.count
        spread = self.sum_squares - self.sum**2 / self.count
        found: Numbers = {
            "mse": {"mean": mean},
            "rmse": {"mean": float(numpy.sqrt(mean))},
            "mae": {"mean": self.absolute / self.count},
            "psnr": {f"{name}": float(_decibels(mean, peak)) for name, peak in PEAKS.items()},
        }
        found["psnr"] |= {f"{name}, mean(psnr_i)": value / self.rows for name, value in self.decibels.items()}
        if spread > 0:
            found["r2"] = {"mean": 1 - self.squares / spread}
        return found


def _decibels(errors: Any, peak: float) -> Any:
    return 10 * numpy.log10(peak**2 / numpy.maximum(errors, 1e-12))


def of_table(counts: Array) -> Numbers:
    """What a table of guesses tells: precision, recall, F1, overlap (IoU) and kappa."""
    own, by_class, by_guess = numpy.diag(counts).astype(float), counts.sum(axis=1), counts.sum(axis=0)
    shown = (by_class + by_guess) > 0
    below = {
        "precision": by_guess,
        "recall": by_class,
        "f1": (by_class + by_guess) / 2,
        "iou": by_class + by_guess - own,
    }
    found = {
        family: _over_classes(own / numpy.maximum(under, 0.5), own, under, by_class, shown)
        for family, under in below.items()
    }
    total = counts.sum()
    chance = float((by_class * by_guess).sum()) / float(total**2)
    if chance < 1:
        found["kappa"] = {"Cohen": (float(own.sum() / total) - chance) / (1 - chance)}
    return found


def _over_classes(each: Array, above: Array, below: Array, by_class: Array, shown: Array) -> dict[str, float]:
    """A number of each class, taken over the classes in the usual ways, the first one left out as well: it may stand for nothing."""
    found = {
        "macro": each[shown].mean(),
        "macro, labels=all": each.mean(),
        "weighted": (each * by_class).sum() / by_class.sum(),
        "micro": above.sum() / max(below.sum(), 1),
    }
    if len(each) > 1 and shown[1:].any():
        found["macro, labels=1.."] = each[1:][shown[1:]].mean()
        found["micro, labels=1.."] = above[1:].sum() / max(below[1:].sum(), 1)
    found |= {f"labels=[{place}]": each[place] for place in range(min(len(each), 8))}
    return {name: float(value) for name, value in found.items()}
