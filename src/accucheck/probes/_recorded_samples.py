"""The identities of samples that a training recorded, by rank and epoch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..case import Case
from ..language import Words
from . import _watched

if TYPE_CHECKING:
    import numpy as np

    from ..readers.recordings import Run

    Array = np.ndarray[Any, Any]

T = TypeVar("T")

MESSAGES: Words = {
    "not-recorded": {
        "en": "{path} does not record which samples each step got: record them with Recorder.step(samples=...) or callback(samples=0), "
        "or run the training under accucheck watch.",
        "zh": "{path} 没有记录每步用到的样本，请用 Recorder.step(samples=...) 或 callback(samples=0) 记录，"
        "或用 accucheck watch 运行训练。",
    },
    "not-identities": {
        "en": "What {path} records of the samples repeats within an epoch ({different:,} different of {samples:,}), as labels do: it "
        "does not identify samples.",
        "zh": "{path} 中记录的样本标识在一个 epoch 内重复（{samples:,} 个中只有 {different:,} 种），更像是标签，无法用来识别样本。",
    },
}
_RANK = re.compile(r"\.rank(\d+)$")
#: Batches of an epoch, and the share of samples that were in the first one, without which epochs that nobody counts are not told apart.
_LEAST, _AGAIN = 4, 0.9


@dataclass(frozen=True)
class RecordedSamples:
    """The samples of the last run of one rank: by epoch, in their order. Identities are numbers that are the same in all ranks; `whole`
    tells that they are whole numbers as they were recorded, `names` what they were recorded as. `losses` are those of the samples, by
    epoch, of epochs in which all have one; `batch` is the size of the first batch;
    `labels` are the classes of the samples, by epoch, of epochs in which all have one; `classes` is how many numbers the network gives
    for each sample, 0 where labels are no classes."""

    path: Path
    rank: int
    epochs: dict[int, Array]
    whole: bool
    losses: dict[int, Array] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    batch: int = 0
    labels: dict[int, Array] = field(default_factory=dict)
    classes: int = 0


def of_case(case: Case) -> list[RecordedSamples]:
    """What the ranks of one training recorded, by rank; those without samples are left out.

    Of the watched run and of the recordings that curves.train names: that with the more epochs, the watched one where both have as many.
    """
    sources = [[path] for path in _watched.paths(case)] if case.get("watched") else []
    if case.get("curves.train"):
        sources.append(case.paths("curves.train"))
    found = [_of_ranks(paths) for paths in sources]
    return max(found, key=lambda ranks: len(ranks[0].epochs) if ranks else 0, default=[])


def shown(case: Case) -> list[str]:
    """The paths of what is read, relative to the project."""
    return [case.relative(path) for key in ("watched", "curves.train") if case.get(key) for path in case.paths(key)]


def _of_ranks(given: list[Path]) -> list[RecordedSamples]:
    """The recordings of these paths, and those of other ranks beside them."""
    from ..readers import recordings
    from ..readers.places import head_of

    paths: dict[Path, None] = {}
    for path in given:
        stem = _RANK.sub("", path.stem)
        beside = sorted(path.parent.glob(f"{_escaped(stem)}.rank*{path.suffix}")) if path.is_file() else []
        own = path.with_name(stem + path.suffix)
        paths |= dict.fromkeys(
            [one for one in (own, path, *beside) if one.is_file() and recordings.looks_like(head_of(one))]
        )
    numbers: dict[str | int, int] = {}
    found = []
    for path in paths:
        runs = [run for run in recordings.read(path, samples=True).runs if run.samples]
        if runs:
            found.append(_recorded(path, runs[-1], numbers))
    return sorted(found, key=lambda one: one.rank)


def _escaped(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)


def _epochs(run: Run) -> list[int]:
    """The epoch of each step. Where the recording knows of none, as of batches that no data set of MindSpore gave, an epoch begins with the
    first batch that has a sample again, if that parts all of the training into epochs of the same samples."""
    if any(epoch >= 0 for epoch in run.sample_epochs):
        return run.sample_epochs
    found: list[int] = []
    epochs: list[set[str | int]] = [set()]
    for _, batch in run.samples:
        if not epochs[-1].isdisjoint(batch):
            epochs.append(set())
        epochs[-1].update(batch)
        found.append(len(epochs))
    lengths = [found.count(number) for number in range(1, len(epochs) + 1)]
    whole, first = lengths[:-1], epochs[0]
    alike = all(abs(one - lengths[0]) <= 1 for one in whole) and lengths[-1] <= lengths[0] + 1
    again = all(len(one & first) >= _AGAIN * len(one) for one in epochs)
    return found if whole and lengths[0] >= _LEAST and alike and again else run.sample_epochs


def _by_epoch(epochs: Sequence[int], steps: Sequence[Sequence[T]]) -> dict[int, list[T]]:
    """What was recorded of each step, joined by the epochs of the steps."""
    found: dict[int, list[T]] = {}
    for epoch, told in zip(epochs, steps, strict=True):
        found.setdefault(epoch, []).extend(told)
    return found


def _recorded(path: Path, run: Run, numbers: dict[str | int, int]) -> RecordedSamples:
    import numpy as np

    told_epochs = _epochs(run)
    by_epoch = _by_epoch(told_epochs, [batch for _, batch in run.samples])
    whole = all(isinstance(one, int) and abs(one) < 1 << 53 for batch in by_epoch.values() for one in batch)
    epochs = {
        epoch: np.array([one if whole else numbers.setdefault(one, len(numbers)) for one in batch], np.int64)
        for epoch, batch in by_epoch.items()
    }
    losses, classes = (
        {
            epoch: np.array(given)
            for epoch, given in _by_epoch(told_epochs, told).items()
            if len(given) == len(epochs[epoch])
        }
        for told in (run.sample_losses, run.sample_labels)
    )
    names = {} if whole else {number: str(name) for name, number in numbers.items()}
    outputs = max((fit["classes"] for _, fit in run.fits), default=0)
    return RecordedSamples(path, run.rank, epochs, whole, losses, names, len(run.samples[0][1]), classes, outputs)
