"""Curves told apart by run: from what lines or records say, in their order, to columns over steps and epochs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

#: Int64 or float64, one entry a point.
Array = np.ndarray[Any, Any]
#: Where a line says no epoch or step.
UNKNOWN = -1
#: Runs told apart in one log; what goes back after so many belongs to the last.
_RUNS = 1000


@dataclass(frozen=True)
class Column:
    """One curve, its points in the order of the file; all three of shape (points,).

    `steps`, int64: counted over the whole run, also where the file begins again in every epoch; 1, 2, 3, ... where it says neither
    step nor epoch. `epochs`, int64: as in the file. Both are -1 where they are not known. `values`, float64: NaN and Inf as they are.
    """

    steps: Array
    epochs: Array
    values: Array


@dataclass(frozen=True)
class Run:
    """One training. `columns` by name; `torn`: the file ends within a line, so that its last number may lack digits."""

    name: str
    source: str
    columns: dict[str, Column]
    torn: bool = False


@dataclass(frozen=True)
class Rows:
    """What all lines of one kind say: an entry a line, `lines` rising. `steps` and `epochs` are None where such lines have none.

    `per_epoch` is the number of steps in an epoch, where it is said; 0 where not.
    """

    lines: Array
    steps: Array | None
    epochs: Array | None
    values: dict[str, Array] = field(default_factory=dict)
    per_epoch: int = 0


@dataclass(frozen=True)
class _NumberedRows:
    """Rows with their steps and epochs: own ones, else those said last before each line."""

    rows: Rows
    steps: Array
    epochs: Array

    def fallbacks(self) -> Array:
        """Where a line is before the one above it; a step that begins again in a later epoch is not."""
        steps, epochs = self.steps, self.epochs
        if self.rows.steps is None and self.rows.epochs is None:
            return np.empty(0, np.int64)
        if self.rows.steps is None:
            back = epochs[1:] < epochs[:-1]
        elif self.rows.epochs is None:  # an epoch told by other lines may still be the last one of the run before
            back = (steps[1:] < steps[:-1]) & (epochs[1:] <= epochs[:-1])
        else:
            back = (epochs[1:] < epochs[:-1]) | ((epochs[1:] == epochs[:-1]) & (steps[1:] < steps[:-1]))
        return np.flatnonzero(back) + 1

    def is_start(self, at: int, first: int) -> bool:
        """Whether entry `at` is no later than the first one of its run."""
        if self.rows.steps is None:
            return bool(self.epochs[at] <= self.epochs[first])
        if self.rows.epochs is None:
            return bool(self.steps[at] <= self.steps[first])
        return (self.epochs[at], self.steps[at]) <= (self.epochs[first], self.steps[first])


def named(found: list[dict[str, Column]], name: str, path: Path) -> list[Run]:
    """The runs of one file by the name of what they were found in, with their numbers where there are several."""
    return [
        Run(name if len(found) == 1 else f"{name} #{number}", str(path), columns)
        for number, columns in enumerate(found, 1)
    ]


def split(parts: list[Rows]) -> list[dict[str, Column]]:
    """The columns of each run in the lines of one log: a new one begins where steps or epochs go back to its start.

    A step that begins again with no epoch told anywhere counts as a new run too.
    """
    parts = [part for part in parts if len(part.lines)]
    placed = [_NumberedRows(part, _told(part, parts, "steps"), _told(part, parts, "epochs")) for part in parts]
    starts = _starts(placed)
    found = []
    for index, start in enumerate(starts):
        end = starts[index + 1] if index + 1 < len(starts) else np.iinfo(np.int64).max
        columns = _columns(placed, start, end)
        if columns:
            found.append(columns)
    return found


def _told(part: Rows, parts: list[Rows], what: str) -> Array:
    """Steps or epochs of each line of a part: its own, else the last that a line above says, else -1."""
    own: Array | None = getattr(part, what)
    if own is not None:
        return own
    told = np.full(len(part.lines), UNKNOWN, np.int64)
    since = np.full(len(part.lines), UNKNOWN, np.int64)  # the line that says it
    for other in parts:
        numbers = getattr(other, what)
        if numbers is not None:
            at = np.searchsorted(other.lines, part.lines, "right") - 1
            later = (at >= 0) & (other.lines[at] > since)
            told[later], since[later] = numbers[at[later]], other.lines[at[later]]
    return told


def _starts(placed: list[_NumberedRows]) -> list[int]:
    """The first line of each run; what goes back, but not to the start, goes on with it."""
    events = sorted(
        (int(part.rows.lines[at]), which, int(at)) for which, part in enumerate(placed) for at in part.fallbacks()
    )
    starts, firsts = [0], [0] * len(placed)
    for line, which, at in events:
        if at <= firsts[which]:
            continue  # the first of its kind in a run that another kind of line began
        if len(starts) < _RUNS and placed[which].is_start(at, firsts[which]):
            starts.append(line)
            firsts = [int(np.searchsorted(part.rows.lines, line)) for part in placed]
    return starts


def _columns(placed: list[_NumberedRows], start: int, end: int) -> dict[str, Column]:
    here = []
    for part in placed:
        rows = part.rows
        within = slice(*np.searchsorted(rows.lines, (start, end)))
        if within.start < within.stop:
            steps, epochs = (None if own is None else own[within] for own in (rows.steps, rows.epochs))
            curves = {name: curve[within] for name, curve in rows.values.items()}
            here.append(Rows(rows.lines[within], steps, epochs, curves, rows.per_epoch))
    epochs_here = [_told(rows, here, "epochs") for rows in here]
    here = [
        rows if rows.steps is None else replace(rows, steps=_counted_on(rows.steps, epochs, rows.per_epoch))
        for rows, epochs in zip(here, epochs_here, strict=True)
    ]
    pieces: dict[str, list[tuple[Array, ...]]] = {}
    for rows, epochs in zip(here, epochs_here, strict=True):
        steps = _told(rows, here, "steps")
        for name, curve in rows.values.items():
            pieces.setdefault(name, []).append((rows.lines, steps, epochs, curve))
    columns = {}
    for name, found in pieces.items():
        lines, steps, epochs, values = found[0]
        if len(found) > 1:
            lines, steps, epochs, values = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
            order = np.argsort(lines, kind="stable")
            steps, epochs, values = steps[order], epochs[order], values[order]
        if steps.max() == epochs.max() == UNKNOWN:
            steps = np.arange(1, len(values) + 1)
        columns[name] = Column(steps, epochs, values)
    return columns


def _counted_on(steps: Array, epochs: Array, per_epoch: int) -> Array:
    """Steps over the whole run, where they begin again in later epochs."""
    later = epochs[1:] > epochs[:-1]
    again = (later & (steps[1:] < steps[:-1])).any()
    # One point an epoch, each at the same step: that too is a step within its epoch.
    if not again and not (per_epoch and later.any() and (steps[1:] == steps[:-1])[later].all()):
        return steps
    # Epochs count from 0 or from 1, and so do steps: the largest one tells how many there are.
    length = max(per_epoch, int(steps.max()) + int(steps.min() == 0))
    passed: Array = epochs - int(epochs.min(where=epochs != UNKNOWN, initial=1))
    np.maximum(passed, 0, out=passed)
    if length * (int(passed.max()) + 1) >= 1 << 62:
        return steps  # no training is so long: the numbers are no steps
    passed *= length
    passed += steps
    return passed
