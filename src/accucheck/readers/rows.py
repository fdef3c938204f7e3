"""The rows of any data file as they lie there, field by field, from any row on, with nothing held but those that are asked for.

Of a kind of detect.FORMATS, or "sound"; a picture or a sound is a file with one row.
Fields are numbers, texts, bytes, arrays of numpy, or None.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ReadError, from_os_error
from .detect import TABLES

if TYPE_CHECKING:
    import polars as pl

#: A row, or a picture file, of more bytes is not shown, nor are rows that are more together; an array whose rows lie all over the file is
#: read whole.
LARGEST, WHOLE = 256 << 20, 1 << 30
#: Kinds of files that are one sample each, and the field that holds them.
_SINGLE = {"image": "picture", "sound": "sound"}


@dataclass(frozen=True)
class Row:
    """`number` counts from 0 within its file; `alone`: the file is one sample, as a picture or a sound is."""

    path: Path
    number: int
    fields: dict[str, Any]
    alone: bool = False


def total(path: Path, kind: str) -> int | None:
    """How many rows a file has, where that stands in it. Raises ReadError."""
    if kind in _SINGLE:
        return 1
    if kind == "mindrecord":
        from .mindrecord import open_shard

        return open_shard(path).rows
    if kind in ("npy", "npz", "idx", "cifar"):
        from .arrays import arrays

        return max((one.shape[0] for one in arrays(path, kind) if one.shape), default=0)
    if kind == "parquet":
        from .tables import expected_rows

        return expected_rows(path, kind)
    return None


def rows(path: Path, kind: str, start: int, count: int) -> Iterator[Row]:
    """At most `count` rows of a file, from `start` on. Raises ReadError, row-bytes for a row of more than LARGEST, and rows-bytes after
    those that fit."""
    if kind in TABLES:
        found = _table(path, kind, start, count)
    elif kind in _SINGLE:
        found = iter([sample(path, _SINGLE[kind])] if start == 0 else [])
    elif kind in ("npy", "npz", "idx", "cifar"):
        found = _arrays(path, kind, start, count)
    else:
        found = islice(_streamed(path, kind), start, start + count)
    held = 0
    for number, fields in enumerate(islice(found, count), start):
        size = sum(map(_bytes_of, fields.values()))
        if size > LARGEST:
            raise ReadError("row-bytes", path=str(path), row=number, size=size, limit=LARGEST)
        held += size
        if held > LARGEST:
            raise _no_more(path, number - start)
        yield Row(path, number, fields, kind in _SINGLE)


def _no_more(path: Path, shown: int) -> ReadError:
    return ReadError("rows-bytes", path=str(path), rows=shown, limit=LARGEST)


def _bytes_of(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, list):
        return sum(map(_bytes_of, value))
    return len(value) if isinstance(value, (bytes, str)) else 8


def _streamed(path: Path, kind: str) -> Iterator[dict[str, Any]]:
    """The rows of a file that is read from its beginning."""
    if kind == "mindrecord":
        from . import mindrecord

        shard = mindrecord.open_shard(path)
        for scalars, blobs in mindrecord.rows(shard):
            arrays = {n: mindrecord.shaped(blob, shard.types[n], shard.shapes.get(n)) for n, blob in blobs.items()}
            yield {**scalars, **arrays}
    elif kind == "tfrecord":
        from . import tfrecord

        for features in tfrecord.examples(path):
            yield {name: _feature(*features[name]) for name in sorted(features)}
    elif kind == "tar":
        from .webdataset import samples

        for key, fields, _ in samples(path):
            yield {"__key__": key, **fields}


def _feature(kind: str, values: Any) -> Any:
    """One value, or all of a list."""
    if len(values) == 1:
        return values[0] if kind != "float" else np.float32(values[0])
    return list(values) if kind == "bytes" else np.asarray(values, np.float32 if kind == "float" else np.int64)


def _table(path: Path, kind: str, start: int, count: int) -> Iterator[dict[str, Any]]:
    from . import tables

    if kind == "parquet":
        with tables.columns(path) as frame:
            yield from map(_plain, frame.slice(start, count).collect().to_dicts())
        return
    passed = 0
    for batch in tables.batches(path, kind):
        part = batch.slice(max(0, start - passed), count)
        passed += batch.height
        count -= part.height
        yield from map(_plain, _with_numbers(part).to_dicts())
        if count <= 0:
            return


def _with_numbers(part: pl.DataFrame) -> pl.DataFrame:
    """Columns of a text file that hold nothing but numbers, as numbers; 007 is a name."""
    from .frames import pl

    for name in [name for name, kind in part.schema.items() if kind == pl.String]:
        column = part[name].replace("", None)
        if column.null_count() == len(column) or column.str.contains(r"^[+-]?0\d").any():
            continue
        for kind in (pl.Int64, pl.Float64):
            numbers = column.cast(kind, strict=False)
            if numbers.null_count() == column.null_count():
                part = part.with_columns(numbers.alias(name))
                break
    return part


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Lists of numbers as arrays."""
    found = {}
    for name, value in row.items():
        made = np.asarray(value) if isinstance(value, list) and value and _is_numbers(value) else value
        found[name] = made
    return found


def _is_numbers(value: Any) -> bool:
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except (ValueError, TypeError, OverflowError):  # lists of different lengths
        return False


def sample(path: Path, name: str) -> dict[str, Any]:
    """A file that is one sample, as a field of this name. Raises ReadError."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise ReadError("too-large", path=str(path), size=size, limit=LARGEST)
        return {name: path.read_bytes(), "folder": path.parent.name}
    except OSError as error:
        raise from_os_error(error, path) from None


def _arrays(path: Path, kind: str, start: int, count: int) -> Iterator[dict[str, Any]]:
    """Rows along the first axis of the arrays that have the most of them; others are shown with the first row."""
    from .arrays import arrays

    found = arrays(path, kind)
    length = max((one.shape[0] for one in found if one.shape), default=0)
    long = [one for one in found if one.shape and one.shape[0] == length]
    each = sum(one.size // length * one.dtype.itemsize for one in long) if length else 0
    if start < length and each > LARGEST:
        raise ReadError("row-bytes", path=str(path), row=start, size=each, limit=LARGEST)
    fit = LARGEST // max(each, 1)
    stop = min(length, start + min(count, fit))
    columns = {one.name: _part(one, start, stop) for one in long}
    for at in range(max(0, stop - start)):
        row = {name: values[at] for name, values in columns.items()}
        if kind == "cifar":
            (content,) = row.values()
            row = {"label": content[: len(content) - 3072], "picture": content[-3072:].reshape(3, 32, 32)}
        yield row
    if fit < min(count, length - start):
        raise _no_more(path, fit)


def _part(array: Any, start: int, stop: int) -> np.ndarray[Any, Any]:
    """Rows of an array. Raises ReadError."""
    from .arrays import read

    if array.dtype.hasobject:
        raise ReadError("unknown-format", path=str(array.path))
    if array.fortran and len(array.shape) > 1:  # each row lies all over the file
        size = array.size * array.dtype.itemsize
        if size > WHOLE:
            raise ReadError("too-large", path=str(array.path), size=size, limit=WHOLE)
        whole: np.ndarray[Any, Any] = np.concatenate([block.copy() for _, block in read(array, 0, array.size)])
        return whole.reshape(array.shape, order="F")[start:stop]
    each = array.size // array.shape[0] if array.shape[0] else 0
    first, last = start * each, max(start, stop) * each
    parts = []
    for at, block in read(array, first, last):  # of a compressed archive, all blocks from its beginning
        low, high = max(first - at, 0), min(last - at, len(block))
        if low < high:
            parts.append(block[low:high].copy())
        if at + len(block) >= last:
            break
    joined: np.ndarray[Any, Any] = np.concatenate(parts) if parts else np.empty(0, array.dtype)
    return joined.reshape(-1, *array.shape[1:])
