"""How the columns of a pipeline are padded: side, value and share, and the masks beside them; for the probe padding_live.

Padding that a map or a batch adds is found by comparing each row before and after the step. What a source of the user's own has
padded already is told by rows that end, or begin, in runs of one value.
"""

from __future__ import annotations

import re
import time
from typing import Any

from .columns import labels_of
from .pipeline import NotReplayed, Tell, blamed, called, described
from .replay import Chain, Row

MASK = re.compile(r"mask|(^|_)(pad|valid)(_|$)", re.I)
#: A mask that may leave out real positions too: those that count for a loss, or that a model is to guess.
PARTIAL = re.compile(r"loss|label|lm|mlm|target|masked|answer", re.I)
#: Runs say padding when so many rows end in them, with one value, and so much of the column is in them.
RUN_ROWS, RUN_AGREE, RUN_SHARE = 3, 0.9, 0.02
#: Runs at the other end must be so much rarer: pictures in a row are dark at both ends.
RUN_SIDES = 0.2
#: The column that numbers the rows where a step arranges them.
NUMBER = "accucheck_row"
#: A sequence of fewer elements says nothing.
SHORT = 4


def flattened(rows: list[Row], batches: bool) -> list[Row]:
    """One entry a sample, whatever the batches."""
    if not batches:
        return rows
    return [
        {name: values[place] for name, values in row.items()}
        for row in rows
        for place in range(len(next(iter(row.values()))))
    ]


def change(before: Any, after: Any) -> tuple[str, Any]:
    """What a step did to one array: same, right, left, cut-right, cut-left or other; and what it filled in."""
    import numpy

    if before.shape == after.shape:
        return ("same" if numpy.array_equal(before, after) else "other"), None
    if before.ndim != after.ndim or not before.ndim:
        return "other", None
    grows = [new >= old for old, new in zip(before.shape, after.shape)]  # noqa: B905  (Python 3.9)
    if not (all(grows) or all(new <= old for old, new in zip(before.shape, after.shape))):  # noqa: B905
        return "other", None
    small, large = (before, after) if all(grows) else (after, before)
    for side, place in (
        ("right", tuple(slice(0, size) for size in small.shape)),
        ("left", tuple(slice(whole - size, whole) for size, whole in zip(small.shape, large.shape))),  # noqa: B905
    ):
        if numpy.array_equal(large[place], small):
            if large is before:
                return f"cut-{side}", None
            rest = numpy.ones(large.shape, bool)
            rest[place] = False
            return side, large[rest]
    return "other", None


class Padded:
    """What is known about the padding of one column."""

    def __init__(self, column: str, step: str, integer: bool, inferred: bool) -> None:
        self.column, self.step, self.integer, self.inferred = column, step, integer, inferred
        self.sides: dict[str, int] = {}
        self.values: dict[float, int] = {}
        self.lengths: list[int | None] = []
        self.rows = self.cut = self.filled = self.size = self.real = 0
        self.cut_side: str | None = None

    @property
    def side(self) -> str:
        return max(self.sides, key=self.sides.__getitem__)

    @property
    def value(self) -> float:
        return max(self.values, key=self.values.__getitem__)

    def fill(self, values: Any) -> None:
        import numpy

        self.filled += int(values.size)
        found, counts = numpy.unique(values[: 1 << 16], return_counts=True)
        for value, count in zip(found.tolist(), counts.tolist()):  # noqa: B905  (Python 3.9)
            if len(self.values) < 100 or value in self.values:
                self.values[value] = self.values.get(value, 0) + count

    def told(self) -> dict[str, Any]:
        often = sorted(self.values, key=self.values.__getitem__, reverse=True)[:5]
        lengths = sorted(length for length in self.lengths if length is not None)
        return {
            "column": self.column,
            "step": self.step,
            "integer": self.integer,
            "inferred": self.inferred,
            "sides": sorted(self.sides, key=self.sides.__getitem__, reverse=True),
            "values": [float(value) for value in often],
            "rows": self.rows,
            "padded": sum(self.sides.values()),
            "cut": self.cut,
            "cut_side": self.cut_side,
            "share": self.filled / max(1, self.size),
            "real": self.real,
            "lengths": [lengths[len(lengths) * part // 10] for part in range(10)] + lengths[-1:] if lengths else [],
        }


def numeric(values: Any) -> bool:
    return bool(values.dtype.kind in "fiu")


def stepped(before: list[Row], after: list[Row], name: str, step: str) -> Padded | None:
    """The padding that one step adds to a column, if that and cutting is all that it does."""
    import numpy

    if len(before) != len(after) or not numeric(after[0][name]) or not numeric(before[0][name]):
        return None
    found = Padded(name, step, after[0][name].dtype.kind in "iu", inferred=False)
    for old, new in zip(before, after):  # noqa: B905  (Python 3.9)
        a, b = old[name], new[name]
        what, rest = change(a, b)
        if what == "other":
            return None
        found.rows += 1
        found.size += int(b.size)
        length = len(a) if a.ndim else None
        if what in ("right", "left"):
            if a.size or not found.sides:
                found.sides[what] = found.sides.get(what, 0) + 1
            found.fill(rest)
        elif what.startswith("cut"):
            found.cut, found.cut_side, length = found.cut + 1, what[4:], len(b)
        found.lengths.append(length)
    if not found.values and not found.cut:
        return None
    if found.values and found.integer:
        found.real = sum(int(numpy.count_nonzero(row[name] == found.value)) for row in before)
    return found


def inferred(rows: list[Row], name: str) -> Padded | None:
    """Padding that rows show by runs of one value at one end; None where they show none."""
    import numpy

    arrays = [row[name] for row in rows]
    first = arrays[0]
    if not numeric(first) or first.ndim not in (1, 2) or (first.ndim == 1 and first.dtype.kind == "f"):
        return None
    if (
        len({array.shape for array in arrays}) != 1
        or len(first) < SHORT
        or (first.ndim == 2 and first.dtype.kind != "f")
    ):
        return None
    stack = numpy.stack(arrays)
    flat = stack.reshape(len(stack), len(first), -1)
    if numpy.isin(stack, (0, 1)).all():
        return None  # a mask, flags or a class
    # an element of a sequence that equals all of it that follows
    ends = {}
    for side, turned in (("right", flat[:, ::-1]), ("left", flat)):
        constant = (turned == turned[:, :1, :1]).all(axis=2)
        ends[side] = numpy.where(constant.all(axis=1), len(first), constant.argmin(axis=1)), turned[:, 0, 0]
    side = max(ends, key=lambda name: int(ends[name][0].sum()))
    other = "left" if side == "right" else "right"
    runs, values = ends[side]
    long = runs >= 2
    if (
        int(long.sum()) < RUN_ROWS
        or len(set(runs.tolist())) < 2
        or (ends[other][0] - 1).sum() > RUN_SIDES * (runs - 1).sum()
    ):
        return None
    often, counts = numpy.unique(values[long], return_counts=True)
    value = often[counts.argmax()]
    if counts.max() < RUN_AGREE * long.sum():
        return None
    runs = numpy.where(values == value, runs, 0)
    if runs.sum() < RUN_SHARE * runs.size * len(first):
        return None
    found = Padded(name, "", first.dtype.kind in "iu", inferred=True)
    found.rows, found.size, found.filled = len(rows), int(stack.size), int(runs.sum()) * flat.shape[2]
    found.sides, found.values = {side: int((runs > 0).sum())}, {value.item(): found.filled}
    found.lengths = (len(first) - runs).tolist()
    if found.integer:  # besides the run itself
        found.real = int((flat == value).sum()) - found.filled
    return found


def masks(rows: list[Row], padded: list[Padded], named: str | None) -> list[dict[str, Any]]:
    """Each mask against the first padded column of its length: positions of padding that it counts, and the other way."""
    import numpy

    found = []
    for name, first in rows[0].items():
        if not (name == named or MASK.search(name)) or first.ndim != 1:
            continue
        for entry in padded:
            column = entry.column
            if column == name or MASK.search(column) or len(entry.lengths) != len(rows) or not entry.values:
                continue
            if any(len(row[name]) != len(row[column]) or not numpy.isin(row[name], (0, 1)).all() for row in rows):
                continue
            counted = [0, 0]  # as it is, and turned around
            left_out = [0, 0]
            padding = 0
            for row, length in zip(rows, entry.lengths):  # noqa: B905  (Python 3.9)
                mask = row[name].astype(bool)
                real = numpy.zeros(len(mask), bool)
                size = len(mask) if length is None else min(length, len(mask))
                real[slice(0, size) if entry.side == "right" else slice(len(mask) - size, None)] = True
                padding += len(mask) - size
                for turned in (0, 1):
                    kept = ~mask if turned else mask
                    counted[turned] += int((kept & ~real).sum())
                    left_out[turned] += int((~kept & real).sum())
            turned = int(counted[1] + left_out[1] < counted[0] + left_out[0])
            found.append(
                {
                    "mask": name,
                    "column": column,
                    "turned": bool(turned),
                    "counted": counted[turned],
                    "left_out": left_out[turned],
                    "padding": padding,
                    "partial": bool(PARTIAL.search(name)),
                }
            )
            break
    return found


def examine(request: dict[str, Any], tell: Tell) -> None:
    pipeline, root = request["pipeline"], request["root"]
    dataset = called(pipeline, root, tell)
    tell(event="pipeline", nodes=described(dataset))
    tell(event="built")
    deadline = time.monotonic() + request["seconds"]
    try:
        with blamed(pipeline["call"], root):
            chain = Chain(dataset, batch=None)
            rows = chain.rows(request["samples"])
            if not rows:
                tell(event="padding", samples=0)
                return
            final, padded, complete = walked(chain, rows, deadline, tell)
    except NotReplayed as cause:
        tell(event="cannot", what=str(cause))
        return
    known = {entry.column for entry in padded}
    for name in final[0]:
        if name not in known and (entry := inferred(final, name)) is not None:
            padded.append(entry)
    labels = labels_of(list(final[0]), request["label"])
    tell(
        event="padding",
        samples=len(final),
        complete=complete,
        columns=[entry.told() for entry in padded],
        masks=masks(final, [entry for entry in padded if entry.column in final[0]], request["mask"]),
        names=list(final[0]),
        labels=sorted(labels),
    )


def walked(chain: Chain, rows: list[Row], deadline: float, tell: Tell) -> tuple[list[Row], list[Padded], bool]:
    """The samples at the end of the pipeline, the padding that its steps add, and whether every step was looked at."""
    import numpy

    if any(step.text.startswith("bucket") for step in chain.steps):  # which arranges the rows by length
        rows = [{**row, NUMBER: numpy.int64(place)} for place, row in enumerate(rows)]
    before, complete = rows, True
    found: dict[str, Padded] = {}
    for number in range(1, len(chain.steps) + 1):
        tell(event="progress", done=number, total=len(chain.steps))
        if time.monotonic() > deadline:
            complete = False
            break
        try:
            after = chain.run(rows, number)
        except Exception:
            if number == len(chain.steps):
                raise
            continue  # what is between two operations of a map may be no array
        batched = any("batch" in step.text.partition("(")[0] for step in chain.steps[:number])
        try:
            after = flattened(after, batched)
        except (IndexError, TypeError):  # a step after the batch that takes its first dimension away
            complete = False
            break
        if NUMBER in after[0]:
            after.sort(key=lambda row: int(row[NUMBER]))
        complete = complete and (NUMBER in after[0]) == (NUMBER in before[0])
        for name in after[0]:
            if name in before[0] and (entry := stepped(before, after, name, chain.steps[number - 1].text)) is not None:
                kept = found.get(name)
                if kept is not None and not entry.values:  # cut after it was padded, or cut twice
                    kept.cut, kept.cut_side = kept.cut + entry.cut, entry.cut_side
                else:
                    if kept is not None:
                        entry.cut, entry.cut_side = entry.cut + kept.cut, entry.cut_side or kept.cut_side
                        if kept.values:
                            entry.lengths = kept.lengths
                            entry.filled += kept.filled
                    found[name] = entry
        before = after
    for row in before:
        row.pop(NUMBER, None)
    return before, list(found.values()), complete
