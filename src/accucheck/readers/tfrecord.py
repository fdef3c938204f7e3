"""TFRecord files without TensorFlow or MindSpore: framed records whose checksums are verified, and tf.train.Example in them.

Layout (github.com/tensorflow/tensorflow, core/lib/io/record_writer.cc and core/example/*.proto): u64 length, masked CRC-32C of
these 8 bytes, the data, masked CRC-32C of the data; an Example is a protobuf map from names to lists of bytes, float or int64.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Collection, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ReadError, from_os_error

#: A longer record is refused.
LONGEST = 1 << 30
#: What a feature holds: the kind is "bytes" or "int64", with a list, or "float", with an array of float32.
Feature = tuple[str, "list[Any] | np.ndarray[Any, Any]"]

_HEAD, _TAIL = struct.Struct("<QI"), struct.Struct("<I")
#: Layouts that are remembered: of so many lengths, so many each, with no more regions than this.
_LENGTHS, _ALIKE, _REGIONS = 4096, 4, 256
_KINDS = {1: "bytes", 2: "float", 3: "int64"}


def starts(head: bytes, size: int) -> bool:
    """Whether a file of this size that begins so is one: the first length is possible, and its checksum right."""
    if len(head) < _HEAD.size:
        return False
    import google_crc32c

    length, crc = _HEAD.unpack_from(head)
    return bool(length + 16 <= size and google_crc32c.value(head[:8]) == _unmasked(crc))


def _unmasked(crc: int) -> int:
    """The CRC-32C that is stored so."""
    crc = crc - 0xA282EAD8 & 0xFFFFFFFF
    return crc >> 17 | crc << 15 & 0xFFFFFFFF


def records(path: Path) -> Generator[tuple[bytes, int], None, None]:
    """The records in their order, each with the offset of its data. Raises ReadError: truncated, checksum, record-too-large."""
    import google_crc32c

    value, following = google_crc32c.value, _TAIL.size + _HEAD.size
    try:
        with path.open("rb", buffering=1 << 20) as file:
            head, at, size = file.read(_HEAD.size), 0, os.fstat(file.fileno()).st_size
            while head:
                if len(head) < _HEAD.size:
                    raise ReadError("truncated", path=str(path), offset=at + len(head), expected="TFRecord")
                length, crc = _HEAD.unpack(head)
                if value(head[:8]) != _unmasked(crc):
                    raise ReadError("record-checksum", path=str(path), offset=at)
                if length > LONGEST:
                    raise ReadError("record-too-large", path=str(path), offset=at, size=length, limit=LONGEST)
                at += _HEAD.size
                if length > size - at:  # before so much is allocated
                    raise ReadError("truncated", path=str(path), offset=size, expected=f"record of {length:,} bytes")
                data, tail = file.read(length), file.read(following)  # with the head of the next record
                if len(data) < length or len(tail) < _TAIL.size:
                    end = at + len(data) + len(tail)
                    raise ReadError("truncated", path=str(path), offset=end, expected=f"record of {length:,} bytes")
                if value(data) != _unmasked(_TAIL.unpack_from(tail)[0]):
                    raise ReadError("record-checksum", path=str(path), offset=at)
                yield data, at
                at += length + _TAIL.size
                head = tail[_TAIL.size :]
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
    return (features for features, _ in sized(path, wanted))


def sized(path: Path, wanted: Collection[str] | None = None) -> Iterator[tuple[dict[str, Feature], int]]:
    """examples(), each with the bytes of its record."""
    layouts: dict[int, list[_Layout]] = {}  # by length: most records of a file are alike, and then need no parsing
    for data, at in records(path):
        known = layouts.setdefault(len(data), []) if len(layouts) < _LENGTHS else layouts.get(len(data), [])
        for layout in known:
            if layout.fits(data):
                break
        else:
            layout = None
        try:
            if layout is None:
                layout = _layout(data)
                if layout.again and len(known) < _ALIKE:
                    known.append(layout)
            yield _values(data, layout, wanted), len(data)
        except (ValueError, IndexError):
            raise ReadError(
                "malformed", path=str(path), format="TFRecord", offset=at, expected="tf.train.Example"
            ) from None


def example(data: bytes, wanted: Collection[str] | None = None) -> dict[str, Feature]:
    """The features of a tf.train.Example; the last one of a name counts. Raises ValueError or IndexError when it is none."""
    return _values(data, _layout(data), wanted)


@dataclass(frozen=True)
class _Layout:
    """Where the values of an Example lie: name, kind and the regions of its values, of packed ones a region together.

    All else is `fixed`: a record of the same length with the same bytes there has the same layout, unless its integers are not
    packed (`again` is false), as these end where they say themselves.
    """

    fields: list[tuple[str, str, list[tuple[int, int]]]]
    fixed: list[tuple[int, int, bytes]]
    again: bool

    def fits(self, data: bytes) -> bool:
        for start, end, content in self.fixed:  # noqa: SIM110 twice as fast as all()
            if data[start:end] != content:
                return False
        return True


def _layout(data: bytes) -> _Layout:
    fields, again = [], True
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
            kind, regions, packed = _feature(data, *value)
            fields.append((name, kind, regions))
            again &= packed
    fixed, at = [], 0
    for start, end in sorted(region for *_, regions in fields for region in regions):
        fixed.append((at, start, data[at:start]))
        at = end
    fixed.append((at, len(data), data[at:]))
    return _Layout(fields, fixed, again and len(fixed) <= _REGIONS)


def _values(data: bytes, layout: _Layout, wanted: Collection[str] | None) -> dict[str, Feature]:
    found: dict[str, Feature] = {}
    for name, kind, regions in layout.fields:
        if wanted is not None and name not in wanted:
            continue
        if kind == "bytes":
            found[name] = kind, [data[start:end] for start, end in regions]
        elif kind == "float":
            arrays = [np.frombuffer(data, "<f4", (end - start) // 4, start) for start, end in regions]
            found[name] = kind, arrays[0] if len(arrays) == 1 else np.concatenate(arrays or [np.empty(0, "<f4")])
        else:
            found[name] = kind, [value for start, end in regions for value in _integers(data, start, end)]
    return found


def plain(feature: Feature | None) -> list[Any]:
    """The values as Python has them; none of a feature that is not there."""
    if feature is None:
        return []
    values = feature[1]
    return values if isinstance(values, list) else values.tolist()


def varint(data: bytes, at: int) -> tuple[int, int]:
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
    """The fields of a message that have a length: number, start, end. All others are passed over.

    Apart from the walkers of events, checkpoints and graphs: those need the numbers too, which this one is quicker without, and the
    last two walk files that are not read into memory.
    """
    while at < end:
        tag, at = data[at], at + 1  # nearly always one byte: written out here, for speed
        if tag > 0x7F:
            tag, at = varint(data, at - 1)
        kind = tag & 7
        if kind == 2:
            length, at = data[at], at + 1
            if length > 0x7F:
                length, at = varint(data, at - 1)
            if length > end - at:
                raise ValueError("length")
            yield tag >> 3, at, at + length
            at += length
        elif kind == 0:
            _, at = varint(data, at)
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise ValueError("wire type")
    if at != end:
        raise ValueError("end")


def _feature(data: bytes, start: int, end: int) -> tuple[str, list[tuple[int, int]], bool]:
    """Kind and regions of a Feature, and whether its integers are packed."""
    kind, values = "bytes", (0, 0)
    for number, first, last in _parts(data, start, end):
        kind, values = _KINDS.get(number, ""), (first, last)
    if not kind:
        raise ValueError("feature")
    if kind == "bytes":
        return kind, [(first, last) for _, first, last in _parts(data, *values)], True
    regions, packed = [], True
    at, end = values
    while at < end:
        tag, at = varint(data, at)
        if tag == 0x0A:
            length, at = varint(data, at)
        elif kind == "float" and tag == 0x0D:  # each with a tag of its own
            length = 4
        elif kind == "int64" and tag == 0x08:
            length, packed = varint(data, at)[1] - at, False
        else:
            raise ValueError("list")
        if length > end - at or (kind == "float" and length % 4):
            raise ValueError("list")
        regions.append((at, at + length))
        at += length
    return kind, regions, packed


def _integers(data: bytes, at: int, stop: int) -> list[int]:
    """Varints, one behind another."""
    if stop - at == 1 and data[at] < 0x80:  # a label
        return [data[at]]
    if stop - at > 64:
        return _unpacked(np.frombuffer(data, np.uint8, stop - at, at))
    found = []
    while at < stop:
        value, at = varint(data, at)
        found.append(signed(value))
    if at != stop:
        raise ValueError("int64 list")
    return found


def signed(value: int) -> int:
    """A varint of 64 bits as the int64 that it stands for."""
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
