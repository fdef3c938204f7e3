"""Scalars in event files: MindSpore's summary files and TensorBoard's, without either; and their histograms.

Both are TFRecord files of Event{wall_time=1, step=2, version=3, summary=5}, Summary{repeated Value=1} with tag=1. A scalar is
simple_value=2 or a tensor=8 of one element (TensorBoard: tensorflow/core/framework/summary.proto), or scalar_value=3 (MindSpore:
summary.proto of its repository).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..errors import ReadError
from . import tfrecord
from .runs import Array, Rows
from .tfrecord import varint

Value = TypeVar("Value")
_FLOAT, _DOUBLE = struct.Struct("<f"), struct.Struct("<d")
_TENSORBOARD = b"brain.Event:"
#: The DataType of TensorFlow: of tensor_content, the type in numpy.
_CONTENT = {1: "<f4", 2: "<f8", 3: "<i4", 4: "u1", 5: "<i2", 6: "i1", 9: "<i8", 19: "<f2"}
#: The fields of a TensorProto that hold values of one type: packed fixed numbers in numpy, "" for varints.
_LISTS = {5: "<f4", 6: "<f8", 7: "", 10: ""}
_BFLOAT16, _HALF = 14, 19
_LONGEST_TAG = 1000
#: Steps and tags that a training really has.
LAST_STEP = 1 << 53


def rows(path: Path, first: int = 0) -> tuple[list[Rows], list[ReadError], int]:
    """The scalars by tag, what is damaged, and the number of events. `first` is the number of the first event.

    Raises ReadError as tfrecord.records() for a file of which nothing can be read.
    """
    found: dict[str, tuple[list[int], list[int], list[float]]] = {}
    problems: list[ReadError] = []
    tensorboard, number = False, first
    try:
        for data, at in tfrecord.records(path):
            try:
                step, version, scalars = _event(data, tensorboard)
            except (ValueError, IndexError, struct.error):
                problems.append(
                    ReadError("malformed", path=str(path), format="event file", offset=at, expected="Event")
                )
                break
            tensorboard |= version.startswith(_TENSORBOARD)
            for tag, value in scalars:
                lines, steps, values = found.setdefault(tag, ([], [], []))
                lines.append(number)
                steps.append(step)
                values.append(value)
            number += 1
    except ReadError as error:
        if number == first:
            raise
        problems.append(error)
    parts = [
        Rows(np.array(lines, np.int64), np.array(steps, np.int64), None, {tag: np.array(values, np.float64)})
        for tag, (lines, steps, values) in found.items()
    ]
    return parts, problems, number


@dataclass(frozen=True)
class Histogram:
    """Of a tensor at a step of a MindSpore summary: `count` numbers, of which NaN, +Inf and -Inf."""

    tag: str
    step: int
    count: int
    nan: int
    positive: int
    negative: int


def histograms(path: Path) -> Iterator[Histogram]:
    """The histograms in a summary file of MindSpore; those of TensorBoard do not count NaN, and are passed over.

    Raises ReadError for what is damaged, after those before it.
    """

    def counted(data: bytes, start: int, end: int, step: int, tensorboard: bool) -> Histogram | None:
        found = None if tensorboard else _counts(data, start, end)
        return None if found is None else Histogram(found[0], step, *(found[1].get(field, 0) for field in (8, 2, 3, 4)))

    return _values(path, counted)


def _values(path: Path, read: Callable[[bytes, int, int, int, bool], Value | None]) -> Iterator[Value]:
    """What is read of each value of an event file: from its bytes, their bounds, its step, and whether the file is TensorBoard's.

    Raises ReadError for what is damaged, after those before it.
    """
    tensorboard = False
    for data, at in tfrecord.records(path):
        try:
            step, found = 0, []
            for number, wire, start, end in fields(data, 0, len(data)):
                if (number, wire) == (2, 0):
                    step = start
                elif (number, wire) == (3, 2):
                    tensorboard |= data[start:end].startswith(_TENSORBOARD)
                elif (number, wire) == (5, 2):
                    values = fields(data, start, end)
                    found += [place for field, kind, *place in values if (field, kind) == (1, 2)]
            if step >= LAST_STEP:
                raise ValueError("step")
            told = [read(data, first, last, step, tensorboard) for first, last in found]
        except (ValueError, IndexError, struct.error):
            raise ReadError("malformed", path=str(path), format="event file", offset=at, expected="Event") from None
        yield from (one for one in told if one is not None)


@dataclass(frozen=True)
class Distribution:
    """How many numbers of a tensor lie where, at a step: `counts` of them between `low` and `high`, all of shape (bins,)."""

    tag: str
    step: int
    low: Array
    high: Array
    counts: Array


def distributions(path: Path) -> Iterator[Distribution]:
    """The histograms of an event file, of MindSpore or of TensorBoard. Raises ReadError for what is damaged, after those before it."""
    return _values(path, _distribution)


def _distribution(data: bytes, start: int, end: int, step: int, tensorboard: bool) -> Distribution | None:
    """That of a value: of MindSpore histogram=9, of TensorBoard histo=5, or since version 2 tensor=8 of rows (low, high, count)."""
    tag, bins = "", None
    for number, wire, first, last in fields(data, start, end):
        if wire != 2:
            continue
        if number == 1:
            tag = data[first : min(last, first + _LONGEST_TAG)].decode("utf-8", "replace")
        elif number == 9 and not tensorboard:
            bins = _buckets(data, first, last)
        elif number == 5 and tensorboard:
            bins = _limits(data, first, last)
        elif number == 8 and tensorboard:
            bins = _three_columns(data, first, last)
    if bins is None or not len(bins):
        return None
    low, high, counts = bins.T
    usable = np.isfinite(bins).all(axis=1) & (counts > 0) & (high >= low)
    return Distribution(tag, step, low[usable], high[usable], counts[usable]) if usable.any() else None


def _buckets(data: bytes, start: int, end: int) -> Array:
    """Rows of low, high and count of MindSpore's Histogram{buckets=1}, Bucket{left=1, width=2, count=3}."""
    rows = []
    for number, wire, first, last in fields(data, start, end):
        if (number, wire) == (1, 2):
            told = {field: (kind, at) for field, kind, at, _ in fields(data, first, last)}
            left, width = (
                _DOUBLE.unpack_from(data, told[field][1])[0] if told.get(field, (0, 0))[0] == 1 else 0.0
                for field in (1, 2)
            )
            rows.append((left, left + width, told[3][1] if told.get(3, (1, 0))[0] == 0 else 0))
    return np.array(rows, np.float64).reshape(-1, 3)


def _limits(data: bytes, start: int, end: int) -> Array:
    """Rows of low, high and count of TensorBoard's HistogramProto{min=1, max=2, bucket_limit=6, bucket=7}."""
    ends: dict[int, float] = {}
    lists: dict[int, list[Array]] = {6: [], 7: []}
    for number, wire, first, last in fields(data, start, end):
        if wire == 1 and number in (1, 2):
            ends[number] = _DOUBLE.unpack_from(data, first)[0]
        elif number in lists and wire in (1, 2):
            lists[number].append(np.frombuffer(data[first : last - (last - first) % 8], "<f8"))
    high, counts = (np.concatenate([*lists[number], np.empty(0)]) for number in (6, 7))
    if len(high) != len(counts) or not len(high):
        return np.empty((0, 3))
    low = np.concatenate([[-np.inf], high[:-1]])
    least, most = ends.get(1, 0.0), ends.get(2, 0.0)
    return np.stack([np.maximum(low, least), np.minimum(high, max(most, least)), counts], axis=1)


def _three_columns(data: bytes, start: int, end: int) -> Array | None:
    """A TensorProto of float64 whose rows are low, high and count; None for another one."""
    kind, content = 0, b""
    for number, wire, first, last in fields(data, start, end):
        if (number, wire) == (1, 0):
            kind = first
        elif (number, wire) == (4, 2):
            content = data[first:last]
    if kind != 2 or not content or len(content) % 24:
        return None
    return np.frombuffer(content, "<f8").reshape(-1, 3)


def _counts(data: bytes, start: int, end: int) -> tuple[str, dict[int, int]] | None:
    """Tag and whole numbers by field of a value that is a histogram (Summary.Value.histogram=9)."""
    tag, counts = "", None
    for number, wire, first, last in fields(data, start, end):
        if (number, wire) == (1, 2):
            tag = data[first : min(last, first + _LONGEST_TAG)].decode("utf-8", "replace")
        elif (number, wire) == (9, 2):
            counts = {field: value for field, kind, value, _ in fields(data, first, last) if kind == 0}
    return None if counts is None else (tag, counts)


def fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """The fields of a protobuf message: number, wire type, start and end; of a varint its value and 0."""
    while at < end:
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
            yield number, wire, value, 0
            continue
        if wire == 2:
            length, at = varint(data, at)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise ValueError("wire type")
        if length > end - at:
            raise ValueError("length")
        yield number, wire, at, at + length
        at += length


def _event(data: bytes, tensorboard: bool) -> tuple[int, bytes, list[tuple[str, float]]]:
    """Step, version and scalars of an event."""
    step, version, scalars = 0, b"", []
    for number, wire, start, end in fields(data, 0, len(data)):
        if (number, wire) == (2, 0):
            step = start
        elif (number, wire) == (3, 2):
            version = data[start : min(end, start + 64)]
        elif (number, wire) == (5, 2):
            for field, kind, first, last in fields(data, start, end):
                if (field, kind) == (1, 2):
                    scalar = _scalar(data, first, last, tensorboard)
                    if scalar is not None:
                        scalars.append(scalar)
    if step >= LAST_STEP:
        raise ValueError("step")
    return step, version, scalars


def _scalar(data: bytes, start: int, end: int, tensorboard: bool) -> tuple[str, float] | None:
    """Tag and value; None for what is no scalar."""
    tag, value = "", None
    for number, wire, first, last in fields(data, start, end):
        if (number, wire) == (1, 2):
            tag = data[first : min(last, first + _LONGEST_TAG)].decode("utf-8", "replace")
        elif wire == 5 and number in (2, 3):
            value = _FLOAT.unpack_from(data, first)[0]
        elif (number, wire) == (8, 2) and tensorboard:
            value = _tensor(data, first, last)
    return None if value is None else (tag, value)


def _tensor(data: bytes, start: int, end: int) -> float | None:
    """The value of a TensorProto of one element; None for a larger one and for text."""
    kind, content, values = 0, b"", []
    for number, wire, first, last in fields(data, start, end):
        if (number, wire) == (1, 0):
            kind = first
        elif (number, wire) == (4, 2) and last - first <= 8:
            content = data[first:last]
        elif number in (*_LISTS, 13):
            if wire == 0:
                values.append((number, first))
            elif wire == 2 and last - first <= 10:
                dtype = _LISTS.get(number, "")
                if dtype:
                    values += [(number, number_) for number_ in np.frombuffer(data[first:last], dtype).tolist()]
                elif last > first:
                    values.append((number, varint(data, first)[0]))
            elif wire in (1, 5) and _LISTS.get(number):
                values.append((number, np.frombuffer(data[first:last], _LISTS[number])[0]))
            else:
                return None
    if content and kind in _CONTENT and len(content) == np.dtype(_CONTENT[kind]).itemsize:
        return float(np.frombuffer(content, _CONTENT[kind])[0])
    if len(values) != 1:
        return None
    field, value = values[0]
    if field == 13:  # the bits of a float16 or bfloat16
        bits = np.array([int(value) & 0xFFFF])
        if kind == _BFLOAT16:
            return float((bits << 16).astype(np.uint32).view(np.float32)[0])
        return float(bits.astype(np.uint16).view(np.float16)[0]) if kind == _HALF else None
    if field in (7, 10) and int(value) >> 63:
        value = int(value) - (1 << 64)
    return float(value)
