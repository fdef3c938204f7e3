"""Histograms over time: of the event files of MindSpore and TensorBoard, and of the runs of W&B, by the tensor that they are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ..errors import ReadError
from . import curves, events, trackers
from .events import Distribution
from .runs import Array

__all__ = ["Distribution", "read", "shares", "span"]

#: Tensors, and steps of each, that are kept.
_TENSORS, _STEPS = 1000, 10_000


def read(path: Path, only: str = "") -> tuple[dict[str, list[Distribution]], list[ReadError]]:
    """The histograms of a file, or of all below a folder, by tensor, of which the name holds `only`; and what is damaged."""
    found: dict[str, list[Distribution]] = {}
    problems: list[ReadError] = []
    for file in [*curves.event_files(path), *curves.tracked_files(path)]:
        inner = file.parent.relative_to(path).as_posix() if path.is_dir() and file.parent != path else ""
        try:
            for one in _of(file):
                name = f"{inner}/{one.tag}" if inner else one.tag
                if only.lower() not in name.lower() or (name not in found and len(found) >= _TENSORS):
                    continue
                kept = found.setdefault(name, [])
                if len(kept) < _STEPS:
                    kept.append(one)
        except ReadError as error:
            if error.code != "empty":
                problems.append(error)
    return found, problems


def _of(file: Path) -> Iterator[Distribution]:
    if file.name.endswith(trackers.SUFFIXES):
        return iter(trackers.read(file).distributions)
    return events.distributions(file)


def span(told: Sequence[Distribution], tail: float) -> tuple[float, float]:
    """Between which values the numbers of all steps lie, but for a share `tail` at either end; never of no width."""
    low, high, counts = (np.concatenate([getattr(one, name) for one in told]) for name in ("low", "high", "counts"))
    total = counts.sum()
    order = np.argsort(low)
    first = float(low[order][np.searchsorted(np.cumsum(counts[order]), total * tail, "right").clip(max=len(low) - 1)])
    order = np.argsort(-high)
    last = float(high[order][np.searchsorted(np.cumsum(counts[order]), total * tail, "right").clip(max=len(low) - 1)])
    if last > first:
        return first, last
    width = max(abs(first), 1.0) * 1e-3
    return first - width, first + width


def shares(one: Distribution, edges: Array) -> Array:
    """What share of the numbers lies between each two edges, shape (edges - 1,); those beyond count with the outermost."""
    width = one.high - one.low
    least = np.where(width > 0, width, 1.0)
    # Of each bin the part that lies below an edge; a bin of no width lies below it wholly or not at all.
    below = np.where(width > 0, (edges[:, None] - one.low) / least, edges[:, None] > one.low).clip(0, 1) @ one.counts
    below[0], below[-1] = 0, one.counts.sum()
    found: Array = np.diff(below) / one.counts.sum()
    return found
