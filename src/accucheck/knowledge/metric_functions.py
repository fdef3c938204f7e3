"""Metrics of MindSpore that gather over batches, and functions that take the probability of the class labelled 1: metric_functions.json.

A test compares both with the signatures of MindSpore and scikit-learn.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec


class OfPositive(msgspec.Struct, frozen=True):
    """A function of labels and scores: what its first argument is called, and its second, in this version and in earlier ones."""

    truth: str
    scores: list[str]


class MetricFunctions(msgspec.Struct, frozen=True):
    """`gather`: classes of mindspore.train whose count goes on until clear(). `of_positive` by the full name of the function.

    Of labels and guesses: `of_samples` are means over the samples, each the "share" of right guesses or another "mean"; `of_all` are
    neither sums nor means over samples, so that their average over batches is another number; `counts` add up over batches.

    Of classes and functions alike, larger values of those in `rises` are better, smaller ones of those in `falls`. `named`: the classes
    by the names that Model takes for them.
    """

    gather: list[str]
    of_positive: dict[str, OfPositive]
    of_samples: dict[str, str]
    of_all: list[str]
    counts: list[str]
    rises: list[str]
    falls: list[str]
    named: dict[str, str]

    def sense(self, name: str) -> str:
        """Whether larger values are better ("rises") or smaller ones ("falls"); "" for what is neither."""
        return "rises" if name in self.rises else "falls" if name in self.falls else ""


@cache
def metric_functions() -> MetricFunctions:
    return msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=MetricFunctions)


@cache
def gathering() -> frozenset[str]:
    """The classes that gather, as names.canonical gives them."""
    return frozenset(f"{module}.{name}" for module in ("train", "nn") for name in metric_functions().gather)
