"""What networks answer in inference, row by row: so that what one script gives for a row can be set beside what another gave for it.

Rows are told apart by the first tensor of the batch (see measures.identities), and by a thumbnail of it, which stays much the same where
the row is scaled, or resized, in another way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..measures import Array, array, digest, plain, sample, tensors
from .cells import class_of
from .passes import Pass

#: Rows of a part, and values of all their outputs, and parts of a run that are told before its end.
ROWS, VALUES, PARTS = 1 << 9, 1 << 15, 16
#: Outputs of a pass, and values of a row of one: of larger ones as many are drawn evenly.
OUTPUTS, DRAWN = 4, 128
#: Small parameters by which it is seen that a network has other weights than before; parameters, and classes of layers, that are told.
FEW, MANY, KINDS = 8, 4096, 16
#: Values of a thumbnail: of each channel of a picture a grid of so many by so many, else so many in all; channels that a picture has.
GRID, MEANS, CHANNELS = 4, 16, (1, 3, 4)
#: Digits that are kept.
_DIGITS = 6


class Answers:
    """A part is what one network answers with the same weights, until something is trained."""

    def __init__(self, journal: Any) -> None:
        self.journal = journal
        self.key: Any = None
        self.part: dict[str, Any] = {}
        self.rows: dict[Any, list[Any]] = {}
        self.seen = self.passes = self.values = self.told = 0

    def add(self, ended: Pass, rows: list[Any], tops: list[Any], about: dict[str, Any]) -> None:
        """A pass of inference: its rows, the cells that no other holds, and what else is to be told of it."""
        key = (tuple(map(id, tops)), of_few(tops))
        if key != self.key:
            self.over()
            self.key, self.part = key, {**about, "weights": of_all(tops), "graph": any(map(is_loaded, tops))}
            self.part["awake"] = sorted({class_of(cell) for cell, training in ended.cells.values() if training})[:KINDS]
        self.seen, self.passes = self.seen + len(rows), self.passes + 1
        if len(self.rows) >= ROWS or self.values >= VALUES:
            return
        given = array(ended.batch[0])
        found = [array(one) for one in outputs(ended, len(rows))]
        for at, row in enumerate(rows):
            if row not in self.rows and len(self.rows) < ROWS and self.values < VALUES:
                told = [answer(one[at]) for one in found]
                self.values += sum(len(one[0]) for one in told)
                self.rows[row] = [row, self.passes, thumbnail(given[at]), told]

    def over(self, last: bool = False) -> None:
        """Something is trained, or another network answers: tell the part; of a run with very many, the first and the last."""
        if self.rows and (last or self.told < PARTS):
            self.told += 1
            self.journal.fact("answers", **self.part, seen=self.seen, rows=list(self.rows.values()))
        self.key, self.part, self.rows = None, {}, {}
        self.seen = self.passes = self.values = 0


def outputs(ended: Pass, rows: int) -> list[Any]:
    """The tensors that a pass gives with a row for each of its batch; not what it was given, as an evaluation by Model gives labels."""
    given = {id(one) for one in ended.batch}
    found = [one for one in tensors(ended.output) if id(one) not in given and one.ndim and one.shape[0] == rows]
    same = [array(one) for one in ended.batch if one.ndim == 1]
    return [one for one in found if one.ndim > 1 or not any(np.array_equal(array(one), each) for each in same)][
        :OUTPUTS
    ]


def answer(row: Array) -> list[Any]:
    """[values, the logarithm of the sum of their exponentials, the place of the largest]; the latter two of one line of numbers."""
    flat = row.reshape(-1)
    drawn = flat[:: max(1, -(-flat.size // DRAWN))]
    values = [value if isinstance(value, int) else rounded(value) for value in drawn.tolist()]
    if row.ndim != 1 or row.dtype.kind != "f" or row.size < 2 or not np.isfinite(row).all():
        return [values, None, None]
    wide = row.astype(np.float64)
    most = float(wide.max())
    return [values, rounded(most + float(np.log(np.exp(wide - most).sum()))), int(wide.argmax())]


def rounded(value: float) -> Any:
    return plain(float(f"{value:.{_DIGITS}g}"))


def thumbnail(row: Array) -> list[Any] | None:
    """Of each channel of a picture, or else of the whole row, means of its parts, in order; None of what is too small, or no number."""
    if row.dtype.kind not in "iuf" or row.size < MEANS:
        return None
    channels = of_channels(row)
    wide = (row.reshape(1, -1) if channels is None else channels).astype(np.float64)
    for axis in range(1, wide.ndim):
        size = wide.shape[axis]
        parts = MEANS if channels is None else GRID
        edges = np.array([size * at // parts for at in range(parts + 1)])
        counts = np.diff(edges).reshape([-1 if each == axis else 1 for each in range(wide.ndim)])
        wide = np.add.reduceat(wide, edges[:-1], axis=axis) / counts
    if not np.isfinite(wide).all():
        return None
    return [[float(f"{one:.{_DIGITS}g}") for one in part.reshape(-1)] for part in wide]


def of_channels(row: Array) -> Array | None:
    """A picture as (channels, height, width); None for what is none."""
    if row.ndim == 2 and min(row.shape) >= GRID:
        return row[None]
    if row.ndim != 3:
        return None
    if row.shape[0] not in CHANNELS and row.shape[2] in CHANNELS:
        row = row.transpose(2, 0, 1)
    return row if row.shape[0] in CHANNELS and min(row.shape[1:]) >= GRID else None


def parameters(tops: list[Any]) -> dict[str, Any]:
    found = {str(one.name): one for top in tops for one in top.get_parameters()}
    return found or {str(name): one for top in tops for name, one in top._params.items()}


def of_few(tops: list[Any]) -> list[str]:
    """What tells weights from those before; averages that layers move themselves are none."""
    held = sorted(parameters(tops).values(), key=lambda one: int(one.size))
    held = [one for one in held if getattr(one, "requires_grad", False)] or held
    return [digest(sample(array(one))) for one in held[:FEW]]


def of_all(tops: list[Any]) -> dict[str, str]:
    return {name: digest(sample(array(one))) for name, one in list(parameters(tops).items())[:MANY]}


def is_loaded(cell: Any) -> bool:
    """Whether it is a graph that was exported."""
    return type(cell).__name__ == "GraphCell"
