"""TFRecord files without TensorFlow or MindSpore: framed records whose checksums are verified, and tf.train.Example in them.

Layout (github.com/tensorflow/tensorflow, core/lib/io/record_writer.cc and core/example/*.proto): u64 length, masked CRC-32C of
these 8 bytes, the data, masked CRC-32C of the data; an Example is a protobuf map from names to lists of bytes, float or int64.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ReadError, from_os_error

#: A longer record is refused.
LONGEST = 1 << 30
#: What a feature holds: the kind is "bytes" or "int64", with a list, or "float", with an array of float32.
Feature = tuple[str, "list[Any] | np.ndarray[Any, Any]"]

_HEAD, _TAIL = struct.Struct("<QI"), struct.Struct("<I")
_KINDS = {1: "bytes", 2: "float", 3: "int64"}


def _masked(data: bytes) -> int:
    import google_crc32c

    crc: int = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def starts(head: bytes, size: int) -> bool:
    """Whether a file of this size that begins so is one: the first length is possible, and its checksum right."""
    if len(head) < _HEAD.size:
        return False
    length, crc = _HEAD.unpack_from(head)
    return bool(length + 16 <= size and _masked(head[:8]) == crc)


def records(path: Path) -> Generator[tuple[bytes, int], None, None]:
    """The records in their order, each with the offset of its data. Raises ReadError: truncated, checksum, too-large."""
    try:
        with path.open("rb", buffering=1 << 20) as file:
            at = 0
            while head := file.read(_HEAD.size):
                if len(head) < _HEAD.size:
                    raise ReadError("truncated", path=str(path), offset=at + len(head), expected="TFRecord")
                length, crc = _HEAD.unpack(head)
                if _masked(head[:8]) != crc:
                    raise ReadError("record-checksum", path=str(path), offset=at)
                at += _HEAD.size
                if length > LONGEST:
                    raise ReadError("too-large", path=str(path), size=length, limit=LONGEST)
                data, tail = file.read(length), file.read(_TAIL.size)
                if len(tail) < _TAIL.size:
                    end = at + len(data) + len(tail)
                    raise ReadError("truncated", path=str(path), offset=end, expected=f"record of {length:,} bytes")
                if _masked(data) != _TAIL.unpack(tail)[0]:
                    raise ReadError("record-checksum", path=str(path), offset=at)
                yield data, at
                at += length + _TAIL.size
    except OSError as error:
        raise from_os_error(error, path) from None


def expected_records(path: Path) -> int:
    """About how many records a file has, at least 1: from the length of its first."""
    found = records(path)
    first = next(found, None)
    found.close()
    return 1 if first is None else max(1, path.stat().st_size // (len(first[0]) + 16))


def examples(path: Path, wanted: Collection[str] | None = None) -> Iterator[dict[str, Feature]]:
    """The features of every record, all or the wanted ones. Raises ReadError as records(), and "malformed" for a record that is
    no tf.train.Example."""
    for data, at in records(path):
        try:
            yield example(data, wanted)
        except (ValueError, IndexError):
            raise ReadError(
                "malformed", path=str(path), format="TFRecord", offset=at, expected="tf.train.Example"
            ) from None


def example(data: bytes, wanted: Collection[str] | None = None) -> dict[str, Feature]:
    """The features of a tf.train.Example; the last one of a name counts. Raises ValueError or IndexError when it is none."""
    found: dict[str, Feature] = {}
    for number, start, end in _parts(data, 0, len(data)):
        if number != 1:
            continue
        for entry, first, last in _parts(data, start, end):
            if entry != 1:
                continue
            name, value = "", (0, 0)
            for field, begin, stop in _parts(data, first, last):
                if field == 1:
                    name = data[begin:stop].decode()
                elif field == 2:
                    value = begin, stop
            if wanted is None or name in wanted:
                found[name] = _feature(data, *value)
    return found


def plain(feature: Feature | None) -> list[Any]:
    """The values as Python has them; none of a feature that is not there."""
    if feature is None:
        return []
    values = feature[1]
    return values if isinstance(values, list) else values.tolist()


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins there, and where it ends."""
    value = data[at]
    at += 1
    if value < 0x80:
        return value, at
    value &= 0x7F
    for shift in range(7, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("varint")


def _parts(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a message that have a length: number, start, end. All others are passed over."""
    while at < end:
        tag, at = data[at], at + 1  # nearly always one byte: written out here, for speed
        if tag > 0x7F:
            tag, at = _varint(data, at - 1)
        kind = tag & 7
        if kind == 2:
            length, at = data[at], at + 1
            if length > 0x7F:
                length, at = _varint(data, at - 1)
            if length > end - at:
                raise ValueError("length")
            yield tag >> 3, at, at + length
            at += length
        elif kind == 0:
            _, at = _varint(data, at)
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise ValueError("wire type")
    if at != end:
        raise ValueError("end")


def _feature(data: bytes, start: int, end: int) -> Feature:
    kind, values = "bytes", (0, 0)
    for number, first, last in _parts(data, start, end):
        kind, values = _KINDS.get(number, ""), (first, last)
    if not kind:
        raise ValueError("feature")
    if kind == "bytes":
        return kind, [data[first:last] for _, first, last in _parts(data, *values)]
    if kind == "float":
        return kind, _floats(data, *values)
    return kind, _integers(data, *values)


def _floats(data: bytes, at: int, end: int) -> np.ndarray[Any, Any]:
    """Packed, or each with a tag of its own."""
    found = []
    while at < end:
        tag, at = _varint(data, at)
        if tag == 0x0A:
            length, at = _varint(data, at)
        elif tag == 0x0D:
            length = 4
        else:
            raise ValueError("float list")
        if length % 4 or length > end - at:
            raise ValueError("float list")
        found.append(np.frombuffer(data, "<f4", length // 4, at))
        at += length
    return found[0] if len(found) == 1 else np.concatenate(found) if found else np.empty(0, "<f4")


def _integers(data: bytes, at: int, end: int) -> list[int]:
    found: list[int] = []
    while at < end:
        tag, at = _varint(data, at)
        if tag == 0x08:
            value, at = _varint(data, at)
            found.append(_signed(value))
            continue
        if tag != 0x0A:
            raise ValueError("int64 list")
        length, at = _varint(data, at)
        stop = at + length
        if length > end - at:
            raise ValueError("int64 list")
        if length > 64:
            found += _unpacked(np.frombuffer(data, np.uint8, length, at))
            at = stop
        while at < stop:
            value, at = _varint(data, at)
            found.append(_signed(value))
        if at != stop:
            raise ValueError("int64 list")
    return found


def _signed(value: int) -> int:
    value &= 0xFFFFFFFFFFFFFFFF
    return value - (1 << 64) if value >> 63 else value


def _unpacked(packed: np.ndarray[Any, Any]) -> list[int]:
    """Many varints at once: each ends at a byte below 128."""
    ends = np.flatnonzero(packed < 0x80)
    if not len(ends) or ends[-1] != len(packed) - 1:
        raise ValueError("varint")
    first = np.concatenate(([0], ends[:-1] + 1))
    if (ends - first).max() > 9:
        raise ValueError("varint")
    place = np.arange(len(packed)) - np.repeat(first, ends - first + 1)
    parts = (packed & 0x7F).astype(np.uint64) << (7 * place).astype(np.uint64)
    values: list[int] = np.add.reduceat(parts, first).view(np.int64).tolist()
    return values
