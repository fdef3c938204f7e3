"""The numbers that come out of a pipeline, by column and channel; for the probe input_statistics.

A column of shape (C, H, W) or (H, W, C) with 1, 3 or 4 channels is a picture, one of shape (F,) a row of features; all else is
one channel. Range, mean and deviation are of all values read, percentiles and histogram of an even part of them.
"""

from __future__ import annotations

import time
from typing import Any

from .columns import layout_of
from .pipeline import Node, Tell, blamed, called, described, kinds

#: Values of a column that are kept for percentiles.
KEPT = 2_000_000
BINS = 12
#: Columns that are told apart.
COLUMNS = 64


def batched(node: Node) -> bool:
    """Whether the first dimension of what comes out counts samples."""
    names = kinds(node)
    if any("Batch" in name for name in names):
        return True
    return any(batched(child) for child in node.children)


class Column:
    """Running statistics of one column, by channel."""

    def __init__(self, name: str, first: Any) -> None:
        self.name, self.dtype, self.shape = name, str(first.dtype), list(first.shape[1:])
        self.layout = layout_of(tuple(self.shape))
        self.varies = False
        self.totals: Any = None  # rows: count, mean, sum of squared deviations, low, high, NaN, infinities
        self.kept: list[Any] = []
        self.every = 1

    def channels(self, values: Any) -> Any:
        """(channels, values) of a batch of shape (N, ...)."""
        import numpy

        if self.layout == "chw":
            return numpy.moveaxis(values, -3, 0).reshape(values.shape[-3], -1)
        if self.layout == "hwc":
            return numpy.moveaxis(values, -1, 0).reshape(values.shape[-1], -1)
        if self.layout == "features":
            return values.reshape(len(values), -1).T
        return values.reshape(1, -1)

    def add(self, values: Any) -> None:
        import numpy

        self.varies |= list(values.shape[1:]) != self.shape
        if self.varies and (self.layout == "features" or values.ndim != len(self.shape) + 1):
            self.one_channel()
        numbers = self.channels(values).astype(numpy.float64)
        if self.totals is not None and len(numbers) != self.totals.shape[1]:
            self.one_channel()
            numbers = numbers.reshape(1, -1)
        finite = numpy.isfinite(numbers)
        count = finite.sum(axis=1)
        safe = numpy.where(finite, numbers, 0.0)
        mean = safe.sum(axis=1) / numpy.maximum(1, count)
        squares = (numpy.where(finite, numbers - mean[:, None], 0.0) ** 2).sum(axis=1)
        low = numpy.where(finite, numbers, numpy.inf).min(axis=1, initial=numpy.inf)
        high = numpy.where(finite, numbers, -numpy.inf).max(axis=1, initial=-numpy.inf)
        new = numpy.stack(
            [count, mean, squares, low, high, numpy.isnan(numbers).sum(axis=1), numpy.isinf(numbers).sum(axis=1)]
        )
        self.totals = new if self.totals is None else merged(self.totals, new)
        self.keep(numbers)

    def keep(self, numbers: Any) -> None:
        """An even part of the values: every so many-th, and every second of those again when they become too many."""
        import numpy

        self.kept.append(numbers[:, :: self.every].astype(numpy.float32))
        while sum(part.size for part in self.kept) > KEPT and max(part.shape[1] for part in self.kept) > 1:
            self.every *= 2
            self.kept = [part[:, ::2] for part in self.kept]
        if len(self.kept) > 1000:
            self.kept = [numpy.concatenate(self.kept, axis=1)]

    def one_channel(self) -> None:
        """From here on all values are of one channel, since the shapes do not agree."""
        self.layout = "values"
        self.kept = [part.reshape(1, -1) for part in self.kept]
        if self.totals is not None:
            whole = self.totals[:, :1]
            for channel in range(1, self.totals.shape[1]):
                whole = merged(whole, self.totals[:, channel : channel + 1])
            self.totals = whole

    def told(self) -> dict[str, Any]:
        """The statistics as plain data; None where there is no finite value."""
        import numpy

        kept = numpy.concatenate(self.kept, axis=1)
        rows = []
        for values, (count, mean, squares, low, high, nan, inf) in zip(kept, self.totals.T):  # noqa: B905  (Python 3.9)
            row: dict[str, Any] = {"count": int(count), "nan": int(nan), "inf": int(inf)}
            values = values[numpy.isfinite(values)]
            if count and len(values):
                _, often = numpy.unique(values, return_counts=True)
                row.update(low=float(low), high=float(high), mean=float(mean), std=float((squares / count) ** 0.5))
                row.update(top=float(numpy.quantile(numpy.abs(values), 0.99)), same=float(often.max()) / len(values))
            rows.append(row)
        told = {
            "name": self.name,
            "dtype": self.dtype,
            "shape": self.shape,
            "layout": self.layout,
            "varies": self.varies,
        }
        flat = kept[numpy.isfinite(kept)]
        if len(flat):
            counts, edges = numpy.histogram(flat.astype(numpy.float64), bins=BINS)
            told["histogram"] = {"counts": counts.tolist(), "edges": edges.tolist()}
        return {**told, "channels": rows}


def merged(one: Any, other: Any) -> Any:
    """The totals of two parts as those of the whole (Chan et al. 1979)."""
    import numpy

    count = one[0] + other[0]
    step = other[1] - one[1]
    part = other[0] / numpy.maximum(1, count)
    return numpy.stack(
        [
            count,
            one[1] + step * part,
            one[2] + other[2] + step * step * one[0] * part,
            numpy.minimum(one[3], other[3]),
            numpy.maximum(one[4], other[4]),
            one[5] + other[5],
            one[6] + other[6],
        ]
    )


def examine(request: dict[str, Any], tell: Tell) -> None:
    pipeline, samples = request["pipeline"], request["samples"]
    dataset = called(pipeline, request["root"], tell)
    tell(event="pipeline", nodes=described(dataset))
    with blamed(pipeline["call"], request["root"]):
        whole = batched(dataset)
        names = dataset.get_col_names()
        tell(event="built")
        deadline = time.monotonic() + request["seconds"]
        columns: dict[str, Column] = {}
        others: dict[str, str] = {}
        done, told = 0, 0.0
        complete = True
        for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
            for name in names[:COLUMNS]:
                values = row[name]
                if values.dtype.kind not in "fiub" or not values.size:
                    others[name] = str(values.dtype)
                    continue
                values = values if whole and values.ndim else values[None]
                if name not in columns:
                    columns[name] = Column(name, values)
                columns[name].add(values)
            first = row[names[0]]
            done += len(first) if whole and first.ndim else 1
            now = time.monotonic()
            if now - told > 0.2:
                told = now
                tell(event="progress", done=done, total=samples)
            if done >= samples or now > deadline:
                complete = False
                break
        found = [columns[name].told() for name in names if name in columns]
        tell(event="values", samples=done, complete=complete, order=list(names), columns=found, others=others)
