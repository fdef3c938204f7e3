"""Data sets of training and evaluation that number the same classes otherwise, by the dicts that they are made with: a class that was
learnt under one number is asked for under another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..knowledge import dataset_classes
from .consistency import Observation
from .normalization import pipelines_of
from .pipelines import Pipeline, Pipelines
from .values import Call, KnownValue, Mapping, options

#: What the data set classes of MindSpore call the dict from the names of classes to their numbers.
_NUMBERS = "class_indexing"


def examine(readings: list[Pipelines]) -> Iterator[Observation]:
    """Each data set for evaluation in which a class has another number than in every data set for training."""
    training = [
        (made, numbers) for pipeline in pipelines_of(readings, "train") for made, numbers in _numbered(pipeline)
    ]
    for pipeline in pipelines_of(readings, "eval"):
        for made, numbers in _numbered(pipeline):
            apart = [(other, _first_apart(numbers, theirs)) for other, theirs in training]
            if not apart or any(name is None for _, name in apart):
                continue
            other, name = apart[0]
            theirs = dict(_numbered_at(other))
            at = f"{other.source.path}:{other.line}"
            data = {"name": name, "ours": numbers[str(name)], "theirs": theirs[str(name)], "at": at}
            yield Observation("classes-apart", made, data, certain=True)


def _first_apart(ours: dict[str, int], theirs: dict[str, int]) -> str | None:
    """The first name that has another number there."""
    return next((name for name, number in ours.items() if theirs.get(name, number) != number), None)


def _numbered(pipeline: Pipeline) -> Iterator[tuple[Call, dict[str, int]]]:
    """The data sets that a pipeline is made of, each with the numbers that it gives to the names of classes."""
    for made in pipeline.chain:
        if numbers := _numbered_at(made):
            yield made, numbers


def _numbered_at(made: Call) -> dict[str, int]:
    of = dataset_classes.load().sources.get(made.last) if made.name.startswith("mindspore.") else None
    ways = [_plain(option) for option in options(made.argument(of.parameters, _NUMBERS))] if of is not None else []
    return ways[0] if len(ways) == 1 else {}


def _plain(value: Any) -> dict[str, int]:
    """A dict from texts to numbers, where all of it is written down."""
    items = value.items if isinstance(value, Mapping) and not value.fed else {}
    found = {
        name: number.value
        for name, number in items.items()
        if isinstance(name, str) and isinstance(number, KnownValue) and number.assumed is None
    }
    whole = all(type(number) is int for number in found.values())
    return found if len(found) == len(items) and whole else {}
