"""MindSpore's .ckpt: finds the tensors by walking the protobuf, without protobuf or MindSpore, and without their bytes.

The file is one serialized Checkpoint a parameter, one after the other: {1: Value{1: tag, 2: TensorProto, 3: MapTensorProto}},
TensorProto{1: dims, 2: type, 3: content}. A parameter over 512 MiB is several with the same tag and the full dims.
save_checkpoint(crc_check=True) appends b"crc_num" and the CRC-32 of all before it in 10 big-endian bytes.
"""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import msgspec

from .. import system
from ..errors import ReadError
from .tensors import DTYPES, TensorInfo

FORMAT = "MindSpore checkpoint"

#: First bytes of a file saved with enc_key: AES-GCM, AES-CBC, SM4-CBC.
ENCRYPTED = (b"\xd8\x5e\x3a\x7f", b"\xd9\x5e\x3a\x7f", b"\xda\x5e\x3a\x7f")

#: More than any model has; bounds the memory a hostile file can ask for.
MAX_TENSORS = 500_000
_MAX_NAME = 4096
_TRAILER = 17
_WINDOW = 4096

#: Names that differ from numpy's in more than their capitals.
_TYPES = {"float8e4m3fn": "float8_e4m3fn", "float8e5m2": "float8_e5m2"}


class CheckpointContent(NamedTuple):
    """What a file holds: its tensors, the texts of append_dict, and the CRC-32 it should have."""

    tensors: list[TensorInfo]
    texts: dict[str, str]
    crc: int | None


class _Part(msgspec.Struct):
    """One TensorProto; of a sliced parameter one of several."""

    at: int
    dims: list[int]
    type: str = ""
    content: tuple[int, int] | None = None


class _FieldReader:
    """Fields of a protobuf message in a file, read through a small window."""

    def __init__(self, file: BinaryIO, path: str, end: int) -> None:
        self.fd, self.path, self.end = file.fileno(), path, end
        self._window, self._start = b"", 0

    def bad(self, at: int, expected: str) -> ReadError:
        return ReadError("malformed", path=self.path, format=FORMAT, offset=at, expected=expected)

    def bytes(self, at: int, length: int) -> bytes:
        """`length` bytes, at most a few thousand; fewer at the end of the file."""
        first = at - self._start
        if first < 0 or first + length > len(self._window):
            self._window, self._start, first = system.pread(self.fd, max(_WINDOW, length), at), at, 0
        return self._window[first : first + length]

    def varint(self, at: int, end: int) -> tuple[int, int]:
        """An unsigned number and the position after it."""
        value = 0
        for index, byte in enumerate(self.bytes(at, min(10, end - at))):
            value |= (byte & 127) << (7 * index)
            if byte < 128:
                return value, at + index + 1
        if end - at < 10 and end == self.end:
            raise ReadError("truncated", path=self.path, offset=end, expected="varint")
        raise self.bad(at, "varint")

    def fields(self, at: int, end: int, known: dict[tuple[int, int], str]) -> Iterator[tuple[int, int, int, int]]:
        """(number, value or start, end, position) of each field; `known` is what may occur, by (number, wire type)."""
        while at < end:
            key, value_at = self.varint(at, end)
            number, wire = key >> 3, key & 7
            if (number, wire) not in known:
                raise self.bad(at, " | ".join(known.values()))
            value, after = self.varint(value_at, end)
            if wire == 0:
                yield number, value, after, at
                at = after
                continue
            if value > end - after:
                if end < self.end:  # within a message whose length is known, so it is not the file that ends
                    raise self.bad(value_at, f"length <= {end - after:,}")
                raise ReadError(
                    "truncated", path=self.path, offset=self.end, expected=f"{after + value - self.end:,} B"
                )
            yield number, after, after + value, at
            at = after + value

    def text(self, start: int, end: int) -> str:
        if end - start > _MAX_NAME:
            raise self.bad(start, f"<= {_MAX_NAME:,} B")
        try:
            return self.bytes(start, end - start).decode()
        except UnicodeDecodeError:
            raise self.bad(start, "UTF-8")


_CHECKPOINT = {(1, 2): "value"}
_VALUE = {(1, 2): "tag", (2, 2): "tensor", (3, 2): "maptensor"}
_TENSOR = {(1, 0): "dims", (1, 2): "dims", (2, 2): "tensor_type", (3, 2): "tensor_content"}
_MAP = {(1, 2): "tensor"}


def count(file: BinaryIO, path: str, most: int) -> int:
    """How many tensors a .ckpt holds at least, counted up to one more than `most`: by the lengths of its parameters alone."""
    walk = _FieldReader(file, path, os.fstat(file.fileno()).st_size)
    found = 0
    try:
        for _ in walk.fields(0, walk.end, _CHECKPOINT):
            found += 1
            if found > most:
                break
    except ReadError:  # what is wrong, or a sum at the end, is told where it is read
        pass
    return found


def scan(file: BinaryIO, path: str) -> CheckpointContent:
    """The tensors of a .ckpt, in their order. Raises ReadError: malformed, truncated, encrypted.

    The key, value and status tables of a MapParameter are tensors of their own: NAME.key, NAME.value, NAME.status.
    """
    size = os.fstat(file.fileno()).st_size
    trailer = system.pread(file.fileno(), _TRAILER, max(0, size - _TRAILER))
    crc = int.from_bytes(trailer[7:], "big") if size > _TRAILER and trailer.startswith(b"crc_num") else None
    end = size if crc is None else size - _TRAILER
    walk = _FieldReader(file, path, end)
    parameters: dict[str, list[_Part]] = {}
    mapped: set[str] = set()
    parts = 0
    for _, start, stop, at in walk.fields(0, end, _CHECKPOINT):
        tag, tensors, is_map = "", [], False
        for number, first, last, _ in walk.fields(start, stop, _VALUE):
            if number == 1:
                tag = walk.text(first, last)
            elif number == 2:
                tensors.append(_tensor(walk, first, last))
            else:
                is_map = True
                tensors += [_tensor(walk, f, e) for _, f, e, _ in walk.fields(first, last, _MAP)]
        if not tag or not tensors or (is_map and len(tensors) != 3) or (not is_map and len(tensors) != 1):
            raise walk.bad(at, "tag, tensor")
        parts += len(tensors)
        if parts > MAX_TENSORS:
            raise ReadError("checkpoint-tensors", path=path, limit=MAX_TENSORS)
        if is_map:
            mapped.add(tag)
        for name, part in zip(
            (f"{tag}.key", f"{tag}.value", f"{tag}.status") if is_map else (tag,), tensors, strict=True
        ):
            parameters.setdefault(name, []).append(part)
    if mapped:
        crc = None  # MindSpore leaves map parameters out of its sum, so that it never fits
    found = CheckpointContent([], {}, crc)
    for name, pieces in parameters.items():
        if pieces[0].type == "str":
            found.texts[name] = _string(walk, pieces[0])
        else:
            table = name.rpartition(".")[0] in mapped
            found.tensors.append(_join(walk, name, pieces, table))
    return found


def _tensor(walk: _FieldReader, start: int, end: int) -> _Part:
    part = _Part(start, [])
    for number, first, last, at in walk.fields(start, end, _TENSOR):
        if number == 2:
            part.type = walk.text(first, last)
        elif number == 3:
            part.content = (first, last - first)
        elif walk.bytes(at, 1) == b"\x08":
            part.dims.append(first)
        else:  # packed, as newer protobuf compilers may write it
            while first < last and len(part.dims) <= 64:
                value, first = walk.varint(first, last)
                part.dims.append(value)
        if len(part.dims) > 64 or any(dim >= 1 << 48 for dim in part.dims):
            raise walk.bad(at, "0 <= dims < 2^48")
    if not part.type:
        raise walk.bad(start, "tensor_type")
    return part


def _join(walk: _FieldReader, name: str, parts: list[_Part], table: bool) -> TensorInfo:
    """The tensor of all the parts with its name. Slices carry the full dims, slices of a map table their own."""
    first = parts[0]
    dims = list(first.dims)
    for part in parts[1:]:
        same = part.dims[1:] == dims[1:] and part.dims if table else part.dims == dims
        if not same or part.type != first.type:
            raise walk.bad(part.at, f"{name}: {first.type} {first.dims}")
        if table:
            dims[0] += part.dims[0]
    extents = tuple(part.content for part in parts if part.content and part.content[1])
    held = sum(length for _, length in extents)
    dtype = first.type.lower()
    dtype = _TYPES.get(dtype, dtype)
    if dtype not in DTYPES:
        return TensorInfo(name, first.type, tuple(dims), walk.path, extents, obstacle="dtype")
    itemsize = DTYPES[dtype][0]
    if dims == [0] and held == itemsize:
        dims = []  # how MindSpore before 2.0 wrote a scalar
    due = math.prod(dims) * itemsize
    if held != due:
        raise walk.bad(first.content[0] if first.content else first.at, f"{name}: {dtype} {dims}: {due:,} B")
    return TensorInfo(name, dtype, tuple(dims), walk.path, extents)


def _string(walk: _FieldReader, part: _Part) -> str:
    """A text as numpy holds it: four bytes a character."""
    start, length = part.content or (0, 0)
    try:
        return system.pread(walk.fd, min(length, 1 << 16) & ~3, start).decode("utf-32-le")
    except UnicodeDecodeError:
        raise walk.bad(start, "UTF-32")


def checksum(file: BinaryIO) -> int:
    """The CRC-32 of all but the trailer. Reads the whole file."""
    left, value, buffer = os.fstat(file.fileno()).st_size - _TRAILER, 0, bytearray(1 << 20)
    file.seek(0)
    while left > 0 and (count := file.readinto(memoryview(buffer)[: min(left, len(buffer))])):  # type: ignore[attr-defined]
        value = zlib.crc32(memoryview(buffer)[:count], value)
        left -= count
    return value
