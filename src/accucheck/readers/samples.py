"""Samples told apart by content: a digest of 64 bits of all but the label, and the label, sample by sample.

By the birthday bound, two of ten million different samples share a digest with a probability of 3 in a million.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .detect import TABLES
from .drawing import joined
from .labels import NoLabelField, field_of, labels_in, member_of, said

if TYPE_CHECKING:
    import polars as pl

    from .arrays import Array

#: Digests (uint64), and the label of each.
Batch = tuple["np.ndarray[Any, np.dtype[np.uint64]]", "list[str | None]"]


def digest(*parts: bytes) -> int:
    """64 bits of BLAKE2b; the parts are told apart from their concatenation by their lengths."""
    made = hashlib.blake2b(digest_size=8)
    for part in parts:
        made.update(len(part).to_bytes(8, "little"))
        made.update(part)
    return int.from_bytes(made.digest(), "little")


def batches(path: Path, kind: str, label: str | None) -> Iterator[Batch]:
    """The samples of one file of a kind of detect.FORMATS other than "image", in their order.

    Raises NoLabel, also for a file that holds labels and nothing else, and ReadError for one that is damaged.
    """
    if kind in TABLES:
        yield from _table(path, kind, label)
    elif kind == "tar":
        yield from _shard(path, label)
    elif kind == "mindrecord":
        yield from _mindrecord(path, label)
    elif kind == "tfrecord":
        yield from _tfrecord(path, label)
    elif kind in ("npz", "cifar"):
        yield from _arrays(path, kind, label)
    else:
        raise NoLabelField([])


def _table(path: Path, kind: str, label: str | None) -> Iterator[Batch]:
    from . import tables

    done = 0
    name = None
    for mode in tables.MODES[1:]:  # cells of a CSV as text in all of them, so that rows compare
        rows = 0
        try:
            for batch in tables.batches(path, kind, mode):
                name = name or field_of(batch.columns, label)
                rows += batch.height
                if rows > done:  # not given already, before the second look
                    yield _frame(batch.tail(rows - done), name)
                    done = rows
        except tables.RereadNeeded:
            continue
        return


def _frame(batch: pl.DataFrame, name: str) -> Batch:
    from .frames import cs, pl

    features = batch.select(sorted(column for column in batch.columns if column != name))
    if not features.columns:
        raise NoLabelField(batch.columns)
    # as text and in one order, so that a row is told in the same way in every file and batch
    if _plain(features):
        features = features.with_columns(pl.all().cast(pl.String, strict=False))
        whole = batch.select(cs.float()).columns  # 3.0 where the batch before had 3
        features = features.with_columns(cs.by_name(whole, require_all=False).str.strip_suffix(".0"))
    if name not in batch.columns:  # a field that these rows of JSON do not have
        return features.hash_rows().to_numpy(), [None] * batch.height
    labels = batch[name].list.join(", ") if batch[name].dtype == pl.List(pl.String) else batch[name]
    return features.hash_rows().to_numpy(), [said(value) for value in labels.to_list()]


def _plain(frame: pl.DataFrame) -> bool:
    from .frames import pl

    return not any(dtype.is_nested() or dtype == pl.Binary for dtype in frame.dtypes)


def _mindrecord(path: Path, label: str | None) -> Iterator[Batch]:
    from itertools import islice

    from . import mindrecord

    shard = mindrecord.open_shard(path)
    name = field_of(list(shard.types), label)
    if len(shard.types) < 2:
        raise NoLabelField(list(shard.types))
    rows = mindrecord.rows(shard)
    while part := list(islice(rows, 1024)):
        digests = [
            digest(
                *(repr((key, value)).encode() for key, value in sorted(scalars.items()) if key != name),
                *(value for key, value in sorted(blobs.items()) if key != name),
            )
            for scalars, blobs in part
        ]
        if not mindrecord.whole(shard, name):
            yield np.array(digests, np.uint64), [said(scalars.get(name)) for scalars, _ in part]
            continue
        arrays = (mindrecord.integers(blobs[name], shard.types[name]) for _, blobs in part)
        yield np.array(digests, np.uint64), [None if one is None else joined(one.tolist()) for one in arrays]


def _tfrecord(path: Path, label: str | None) -> Iterator[Batch]:
    from itertools import islice

    from . import tfrecord

    found = tfrecord.examples(path)
    name = None
    while part := list(islice(found, 1024)):
        name = name or field_of(list(part[0]), label)
        if len(part[0]) < 2:
            raise NoLabelField(list(part[0]))
        digests, labels = [], []
        for features in part:
            labels.append(joined(tfrecord.plain(features.pop(name, None))))
            digests.append(digest(*(piece for key in sorted(features) for piece in _pieces(key, *features[key]))))
        yield np.array(digests, np.uint64), labels


def _shard(path: Path, label: str | None) -> Iterator[Batch]:
    """Images alone tell samples apart where there are any: what else belongs to one is written about it, often with a number."""
    from itertools import islice

    from .webdataset import IMAGES, kind_of, samples

    found = samples(path)
    name = None
    while part := list(islice(found, 256)):
        name = name or member_of(part[0][1], label)
        digests, labels = [], []
        for _, fields, _ in part:
            labels.append(joined(labels_in(fields, name)))
            images = [key for key in sorted(fields) if kind_of(key) in IMAGES]
            kept = images or [key for key in sorted(fields) if key != name]
            if not kept:
                raise NoLabelField(list(fields))
            digests.append(digest(*(piece for key in kept for piece in (key.encode(), fields[key]))))
        yield np.array(digests, np.uint64), labels


def _pieces(key: str, kind: str, values: Any) -> list[bytes]:
    if kind == "bytes":
        return [key.encode(), *values]
    return [key.encode(), values.tobytes() if kind == "float" else repr(values).encode()]


def _arrays(path: Path, kind: str, label: str | None) -> Iterator[Batch]:
    from .arrays import arrays
    from .labels import rows_of

    found = arrays(path, kind)
    if kind == "cifar":
        at = found[0].shape[1] - 3072
        for block, _ in rows_of(found[0]):
            yield _rows(block[:, at:]), [str(value) for value in block[:, at - 1].tolist()]
        return
    by_name = {array.name: array for array in found}
    target = by_name.pop(field_of(list(by_name), label))
    samples = [array for array in by_name.values() if len(array.shape) > 1 and array.shape[0] == target.shape[0]]
    if len(samples) != 1 or len(target.shape) != 1 or samples[0].dtype.hasobject or target.dtype.hasobject:
        raise NoLabelField([array.name for array in found])
    labels = [said(value) for block, _ in rows_of(target) for value in block[:, 0].tolist()]
    place = 0
    for block, _ in rows_of(_flat(samples[0])):
        yield _rows(block), labels[place : place + len(block)]
        place += len(block)


def _flat(array: Array) -> Array:
    """The same with all axes but the first as one."""
    from dataclasses import replace

    if array.fortran:
        raise NoLabelField([array.name])
    return replace(array, shape=(array.shape[0], array.size // max(1, array.shape[0])))


def _rows(block: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    return np.array([digest(row.tobytes()) for row in block], np.uint64)
