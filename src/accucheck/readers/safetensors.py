"""safetensors: finds the tensors in the JSON header of a file, whoever wrote it, and trusts no number in it."""

from __future__ import annotations

import math
import os
import zlib
from typing import Any, BinaryIO

import msgspec

from .. import system
from ..errors import ReadError
from .tensors import DTYPES, TensorInfo, chunks

FORMAT = "safetensors"

#: The limit of the safetensors library itself.
HEADER_LIMIT = 100_000_000
#: What each tensor of a header has, and bytes of a header that are looked at at a time.
_OFFSETS, _PART = b'"data_offsets"', 1 << 20

#: {name in the header: dtype of a TensorInfo}.
TYPES = {
    **{"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "BOOL": "bool"},
    **{"F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu"},
    **{"F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2FNUZ": "float8_e5m2fnuz", "C64": "complex64", "C128": "complex128"},
    **{f"{short}{bits}": f"{name}{bits}" for short, name in (("I", "int"), ("U", "uint")) for bits in (8, 16, 32, 64)},
}


class _Entry(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def looks_like(head: bytes, size: int) -> bool:
    """Whether a file of `size` bytes that begins with `head` is safetensors, perhaps one cut short."""
    length = int.from_bytes(head[:8], "little")
    return len(head) > 8 and head[8:9] == b"{" and 2 <= length <= max(HEADER_LIMIT, size - 8)


def count(file: BinaryIO, most: int) -> int:
    """How many tensors the header names, by what each of them has to have, counted up to some more than `most`."""
    fd = file.fileno()
    end = 8 + min(int.from_bytes(system.pread(fd, 8, 0), "little"), HEADER_LIMIT)
    found, at, held = 0, 8, b""
    while at < end and found <= most:
        part = held + system.pread(fd, min(_PART, end - at), at)
        found += part.count(_OFFSETS)
        held, at = part[-len(_OFFSETS) + 1 :], at + _PART
    return found


def scan(file: BinaryIO, path: str) -> tuple[list[TensorInfo], dict[str, str]]:
    """The tensors in the order of their bytes, and the metadata. Raises ReadError: malformed, truncated, too-large."""

    def bad(offset: int, expected: str) -> ReadError:
        return ReadError("malformed", path=path, format=FORMAT, offset=offset, expected=expected)

    fd = file.fileno()
    size = os.fstat(fd).st_size
    length = int.from_bytes(system.pread(fd, 8, 0), "little")
    if length > HEADER_LIMIT:
        raise ReadError("too-large", path=path, size=length, limit=HEADER_LIMIT)
    begin = 8 + length
    if begin > size:
        raise ReadError("truncated", path=path, offset=size, expected=f"{begin - size:,} B (header)")
    try:
        header: dict[str, Any] = msgspec.json.decode(system.pread(fd, length, 8), type=dict[str, msgspec.Raw])
        metadata = msgspec.json.decode(header.pop("__metadata__", b"{}"), type=dict[str, str])
        entries = {name: msgspec.json.decode(raw, type=_Entry) for name, raw in header.items()}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise bad(8, "JSON {name: {dtype, shape, data_offsets}}")
    tensors, reached, missing = [], 0, 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1].data_offsets):
        start, stop = entry.data_offsets
        if not reached <= start <= stop:
            raise bad(begin + max(start, 0), f"{name}: data_offsets >= {reached:,}")
        if len(entry.shape) > 64 or any(not 0 <= dim < 1 << 48 for dim in entry.shape):
            raise bad(begin + start, f"{name}: 0 <= shape < 2^48")
        reached, missing = stop, max(missing, begin + stop - size)
        # MindSpore keeps 4-bit integers as bytes, and says so in the metadata.
        known = TYPES.get(entry.dtype) if metadata.get(name) != "Int4" else None
        dtype = known or metadata.get(name, entry.dtype)
        if known and math.prod(entry.shape) * DTYPES[dtype][0] != stop - start:
            raise bad(begin + start, f"{name}: {dtype} {entry.shape}: {math.prod(entry.shape) * DTYPES[dtype][0]:,} B")
        extents = ((begin + start, stop - start),) if stop > start else ()
        tensors.append(TensorInfo(name, dtype, tuple(entry.shape), path, extents, obstacle=None if known else "dtype"))
    if missing > 0:
        raise ReadError("truncated", path=path, offset=size, expected=f"{missing:,} B")
    return tensors, metadata


def checksum(tensors: list[TensorInfo]) -> int:
    """The CRC-32 MindSpore keeps as "crc_num" in the metadata: of names and bytes, in the order of the names."""
    value = 0
    for info in sorted(tensors, key=lambda info: info.name):
        value = zlib.crc32(info.name.encode(), value)
        raw = msgspec.structs.replace(
            info, dtype="uint8", shape=(sum(length for _, length in info.extents),), obstacle=None
        )
        for part in chunks(raw, elements=1 << 20):
            value = zlib.crc32(part.data, value)
    return value
