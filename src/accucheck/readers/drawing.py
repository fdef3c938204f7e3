"""Draws samples of a data set, stratified by label and without replacement, in one pass and in bounded memory.

Every sample has a random number that depends on the seed, the name of its file and its row alone; of each label the smallest
ones are drawn. So the same seed draws the same samples on every machine, in whatever order the files are read.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .detect import TABLES
from .labels import MOST, NoLabelField, field_of, labels_in, member_of, said

if TYPE_CHECKING:
    import polars as pl

#: More labels than this are not all looked at: as many are drawn first.
STRATA = 20
#: What takes more different values than this share of the labelled samples holds no classes.
CONTINUOUS = 0.5
#: Labels of successive samples: for each sample the index of its label in the list; None there is no label.
Block = tuple["np.ndarray[Any, Any]", "list[str | None]"]

_ENTRY = np.dtype([("key", np.uint64), ("label", np.int64), ("file", np.int64), ("row", np.int64)])


@dataclass(frozen=True)
class StratifiedSample:
    """`strata` maps each label that was drawn from to its number of samples, or is empty where labels are no classes;
    `samples` are (file, row, label), row -1 where the file is the sample; `labels` is how many different ones there are."""

    samples: list[tuple[int, int, str]]
    strata: dict[str, int]
    labels: int
    labelled: int
    missing: int


def number_of(*parts: object) -> int:
    """A number of 64 bits that these parts alone decide."""
    text = "\0".join(str(part) for part in parts).encode("utf-8", "surrogateescape")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def _mixed(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): successive numbers become independent ones."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(values ^ (values >> np.uint64(31)))


class Drawing:
    """Takes labels block by block, and draws `count` samples at the end."""

    def __init__(self, seed: int, count: int) -> None:
        self.seed, self.count = seed, count
        self.counts: Counter[str] = Counter()
        self.missing = 0
        self._others = 0  # with labels beyond MOST
        self._names: dict[str, int] = {}
        self._first: list[tuple[int, str]] = []  # the labels with the smallest numbers, largest of them on top
        self._pools: dict[str, np.ndarray[Any, Any]] = {}
        self._all = np.empty(0, _ENTRY)

    def add(self, file: int, name: str, first: int, block: Block) -> None:
        """Successive rows of a file, from `first` on. `name` is the file's name on every machine."""
        codes, labels = block
        rows = np.arange(first, first + len(codes), dtype=np.int64)
        start = np.uint64(number_of(self.seed, name))
        keys = _mixed(rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + start)
        self._add(keys, codes, labels, np.full(len(codes), file), rows)

    def add_files(self, names: list[str], first: int, labels: list[str]) -> None:
        """Files each of which is a sample, the first of them with the number `first`."""
        kinds = list(dict.fromkeys(labels))
        index = {label: place for place, label in enumerate(kinds)}
        keys = np.array([number_of(self.seed, name) for name in names], np.uint64)
        files = np.arange(first, first + len(names), dtype=np.int64)
        self._add(
            keys, np.array([index[label] for label in labels], np.int64), [*kinds], files, np.full(len(names), -1)
        )

    def _add(self, keys: Any, codes: Any, labels: list[str | None], files: Any, rows: Any) -> None:
        numbers = np.bincount(codes, minlength=len(labels)).tolist()
        ids = np.full(len(labels), -1, np.int64)
        for code, label in enumerate(labels):
            if not numbers[code]:
                continue
            if label is None:
                self.missing += numbers[code]
            elif label in self._names or len(self._names) < MOST:
                ids[code] = self._names.setdefault(label, len(self._names))
                if label not in self.counts:
                    self._enter(label)
                self.counts[label] += numbers[code]
            else:
                self._others += numbers[code]
        # what comes after all that is drawn so far is passed over at once
        every = self._limit(self._all)
        limits = np.array(
            [
                0 if ids[code] < 0 else max(every, self._limit(self._pools[label]) if label in self._pools else 0)
                for code, label in enumerate(labels)
            ],
            np.uint64,
        )
        low = np.flatnonzero(keys < limits[codes])
        codes = codes[low]
        entries = np.empty(len(low), _ENTRY)
        entries["key"], entries["label"], entries["file"], entries["row"] = keys[low], ids[codes], files[low], rows[low]
        self._all = self._kept(self._all, entries)
        for code in np.unique(codes).tolist():
            label = labels[code]
            if label in self._pools:
                self._pools[label] = self._kept(self._pools[label], entries[codes == code])

    def _limit(self, pool: np.ndarray[Any, Any]) -> int:
        """Entries with a key below this may still be drawn."""
        return int(pool["key"].max()) if len(pool) >= self.count else 2**64 - 1

    def _enter(self, label: str) -> None:
        """A label seen for the first time takes the place of another when its number is smaller."""
        entry = (-number_of(self.seed, "label", label), label)
        if len(self._first) < STRATA:
            heapq.heappush(self._first, entry)
        else:
            gone = heapq.heappushpop(self._first, entry)
            self._pools.pop(gone[1], None)
            if gone == entry:
                return
        self._pools[label] = np.empty(0, _ENTRY)

    def _kept(self, pool: np.ndarray[Any, Any], more: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The entries with the smallest keys of both, as many as may be drawn."""
        more = more[more["key"] < np.uint64(self._limit(pool))]
        if not len(more):
            return pool
        both: np.ndarray[Any, Any] = np.concatenate((pool, more))
        if len(both) > self.count:
            both = both[np.argpartition(both["key"], self.count - 1)[: self.count]]
        return both

    def drawn(self) -> StratifiedSample:
        """The samples, by label and then by place."""
        names = list(self._names)
        labelled = sum(self.counts.values()) + self._others
        continuous = self._others > 0 or (len(names) > STRATA and len(names) > CONTINUOUS * labelled)
        if continuous:
            entries, strata = self._all, {}
        else:
            strata = {label: self.counts[label] for label in sorted(self._pools, key=_order)}
            parts = [self._all[:0]]
            for label, part in zip(strata, allotted(list(strata.values()), self.count), strict=True):
                pool = self._pools[label]
                parts.append(pool[np.argsort(pool["key"])[:part]])
            entries = np.concatenate(parts)
        samples = [(int(one["file"]), int(one["row"]), names[one["label"]]) for one in entries]
        samples.sort(key=lambda one: (*_order(one[2]), one[0], one[1]))
        return StratifiedSample(samples, strata, len(names), labelled, self.missing)


def _order(label: str) -> tuple[float, str]:
    """Numbers by value, before other labels."""
    try:
        return int(label), label
    except ValueError:
        return float("inf"), label


def allotted(sizes: list[int], count: int) -> list[int]:
    """How many of `count` samples fall to strata of these sizes: one each, the rest in proportion by largest remainder."""
    parts = [1] * len(sizes)
    rest = min(count, sum(sizes)) - len(sizes)
    while rest > 0:
        open_ = [place for place, size in enumerate(sizes) if parts[place] < size]
        total = sum(sizes[place] for place in open_)
        shares = {place: rest * sizes[place] / total for place in open_}
        given = {place: min(int(shares[place]), sizes[place] - parts[place]) for place in open_}
        left = rest - sum(given.values())
        for place in sorted(open_, key=lambda place: int(shares[place]) - shares[place]):
            if left and parts[place] + given[place] < sizes[place]:
                given[place] += 1
                left -= 1
        for place, number in given.items():
            parts[place] += number
        rest = left
    return parts


# --- labels in the order of their samples -----------------------------------------------------------------------------


def labels_of(path: Path, kind: str, label: str | None) -> Iterator[Block]:
    """The labels of one file, row by row, of a kind of detect.FORMATS other than "image", or "json" for COCO's annotations.

    A sample with several labels has them as one, joined by commas. Raises NoLabel and ReadError.
    """
    if kind in TABLES:
        yield from _table(path, kind, label)
    elif kind == "tar":
        yield from _shard(path, label)
    elif kind == "mindrecord":
        yield from _mindrecord(path, label)
    elif kind == "tfrecord":
        yield from _tfrecord(path, label)
    elif kind == "json":
        from .coco import read

        content = read(path)
        yield coded([annotation.name(content) for annotation in content.annotations])
    elif kind in ("npy", "npz", "idx", "cifar"):
        yield from _arrays(path, kind, label)
    else:
        raise NoLabelField([])


def rows_of(path: Path, kind: str) -> Iterator[int]:
    """The rows of one file whatever its fields are, part by part; nothing for kinds whose rows cannot be read back without a label.

    Raises ReadError.
    """
    if kind in TABLES:
        from . import tables

        yield from (batch.height for batch in tables.batches(path, kind, tables.MODES[-1]))
    elif kind == "mindrecord":
        from . import mindrecord

        yield mindrecord.open_shard(path).rows
    elif kind == "tfrecord":
        from . import tfrecord

        yield from (1 for _ in tfrecord.records(path))
    elif kind == "tar":
        from .webdataset import samples

        yield from (1 for _ in samples(path))


def coded(values: list[Any]) -> Block:
    """Any values as a block; a list of them is one label."""
    labels: dict[str | None, int] = {}
    codes = [labels.setdefault(joined(value), len(labels)) for value in values]
    return np.array(codes, np.int64), list(labels)


def joined(value: Any) -> str | None:
    """One label or a list of them as text."""
    if isinstance(value, (list, tuple)):
        return ", ".join(text for one in value if (text := said(one)) is not None)[:200] or None
    return said(value)


def _table(path: Path, kind: str, label: str | None) -> Iterator[Block]:
    from . import tables

    done = 0
    name = None
    for mode in tables.MODES[1:]:  # cells of a CSV as text in all of them, so that labels compare
        rows = 0
        try:
            for batch in tables.batches(path, kind, mode):
                name = name or field_of(batch.columns, label)
                rows += batch.height
                if rows <= done:  # given already, before the second look
                    continue
                if name in batch.columns:
                    yield _column(batch[name].tail(rows - done))
                else:  # a field that these rows of NDJSON do not have
                    yield np.zeros(rows - done, np.int64), [None]
                done = rows
        except tables.RereadNeeded:
            continue
        return


def _column(column: pl.Series) -> Block:
    from .frames import pl

    if isinstance(column.dtype, pl.Struct):
        raise NoLabelField([f"{column.name}.{part.name}" for part in column.dtype.fields])
    if column.dtype != pl.String:
        return coded(column.to_list())
    # as coded() would, but a hundred times faster
    known = column.unique()
    codes = column.replace_strict(known, pl.Series(range(len(known)), dtype=pl.Int64)).to_numpy()
    labels: dict[str | None, int] = {}
    index = np.array([labels.setdefault(said(text), len(labels)) for text in known.to_list()], np.int64)
    return index[codes], list(labels)


def _mindrecord(path: Path, label: str | None) -> Iterator[Block]:
    from itertools import islice

    from . import mindrecord

    shard = mindrecord.open_shard(path)
    values = mindrecord.column(shard, field_of(list(shard.types), label))
    while part := list(islice(values, 50_000)):
        yield coded(part)


def _tfrecord(path: Path, label: str | None) -> Iterator[Block]:
    from itertools import islice

    from . import tfrecord

    first = next(tfrecord.examples(path), None)
    if first is None:
        raise NoLabelField([])
    name = field_of(list(first), label)
    found = tfrecord.examples(path, {name})
    while part := list(islice(found, 5000)):
        yield coded([tfrecord.plain(features.get(name)) for features in part])


def _shard(path: Path, label: str | None) -> Iterator[Block]:
    from itertools import islice

    from .webdataset import samples

    found = samples(path)
    name = None
    while part := list(islice(found, 256)):
        name = name or member_of(part[0][1], label)
        yield coded([labels_in(fields, name) for _, fields, _ in part])


def _arrays(path: Path, kind: str, label: str | None) -> Iterator[Block]:
    from .contents import label_of_row
    from .labels import label_array, rows_of

    array, place = label_array(path, kind, label)
    for block, _ in rows_of(array):
        if place is None and block.shape[1] > 1:
            yield coded([label_of_row(row) for row in block])
            continue
        values, codes = np.unique(block[:, place or 0], return_inverse=True)
        names = [said(value) for value in values.tolist()]
        index, labels = coded(names) if len(set(names)) < len(names) else (np.arange(len(names)), names)
        yield index[codes.reshape(-1)], labels
