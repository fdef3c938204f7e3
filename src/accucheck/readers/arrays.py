"""NPY, NPZ, IDX and CIFAR files as blocks of values in flat memory. Object arrays (pickles) are never loaded."""

from __future__ import annotations

import io
import math
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.lib import format as npy

from .. import system
from ..errors import ReadError, from_os_error
from .tensors import open_regular

#: Bytes of one block: small enough for a core's cache, large enough that Python's share of the work is small (measured on
#: 2 GB of float32 with 2 threads: 512 kB 0.11 s, 1 MB 0.092 s, 2 MB 0.083 s, 4 MB 0.081 s).
BLOCK = 2 << 20
#: A compressed member of an NPZ larger than this, and expanding more than `_RATIO` times, is refused as a zip bomb.
_LARGE, _RATIO = 4 << 30, 500
#: Of an NPY file, which numpy limits to 10,000 characters and pads.
_LONGEST_HEAD = 1 << 17
#: Of an NPY file as numpy writes it, but for types with many fields.
_SHORT_HEAD = 128
_IDX_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


@dataclass(frozen=True)
class Array:
    """One array in a file: `offset` is where its values begin, or None inside a compressed archive (`member`)."""

    path: Path
    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool = False
    offset: int | None = None
    member: str | None = None

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def row(self, position: int) -> int:
        """The index along the first axis of the element at a position in the file."""
        if not self.shape or not self.size:
            return 0
        return position % self.shape[0] if self.fortran else position // (self.size // self.shape[0])


def arrays(path: Path, kind: str) -> list[Array]:
    """The arrays of a file of kind "npy", "npz", "idx" or "cifar", from their headers.

    Raises ReadError: truncated, malformed, too-large (a zip bomb).
    """
    try:
        return {"npy": _npy, "npz": _npz, "idx": _idx, "cifar": _cifar}[kind](path)
    except OSError as error:
        raise from_os_error(error, path) from None


def read(array: Array, start: int, stop: int) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
    """Blocks of the elements from `start` to `stop` in the order of the file, each with the position of its first.

    The buffer is used again for the next block. Raises ReadError when the file ends early or its checksum does not match.
    """
    itemsize = array.dtype.itemsize
    buffer = np.empty(max(1, min(BLOCK // itemsize, stop - start)), array.dtype)
    raw = buffer.view(np.uint8).data
    try:
        if array.offset is None:
            yield from _from_archive(array, buffer, raw)
            return
        descriptor = os.open(array.path, os.O_RDONLY)
        try:
            while start < stop:
                count = min(len(buffer), stop - start)
                at = array.offset + start * itemsize
                if system.preadv(descriptor, [raw[: count * itemsize]], at) != count * itemsize:
                    raise ReadError("changed", path=str(array.path))
                yield start, buffer[:count]
                start += count
        finally:
            os.close(descriptor)
    except OSError as error:
        raise from_os_error(error, array.path) from None


def _from_archive(
    array: Array, buffer: np.ndarray[Any, Any], raw: memoryview
) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
    """All elements of an NPZ member; the archive's CRC is verified at its end."""
    shown = f"{array.path}:{array.member}"
    itemsize = array.dtype.itemsize
    start = 0
    try:
        with zipfile.ZipFile(array.path) as archive, archive.open(array.member or "") as file:
            _header(file, shown)
            while start < array.size:
                wanted = min(len(buffer), array.size - start) * itemsize
                got = _fill(file, raw[:wanted])
                if got < wanted:
                    raise ReadError("truncated", path=shown, offset=start * itemsize + got, expected=str(array.dtype))
                yield start, buffer[: wanted // itemsize]
                start += wanted // itemsize
            file.read(1)  # reaches the end, where zipfile compares the CRC
    except zipfile.BadZipFile:
        raise ReadError("checksum", path=shown) from None
    except (EOFError, zlib.error):
        raise ReadError("truncated", path=shown, offset=start * itemsize, expected=str(array.dtype)) from None


def _fill(file: IO[bytes], raw: memoryview) -> int:
    done = 0
    while done < len(raw) and (got := file.readinto(raw[done:])):  # type: ignore[attr-defined]
        done += got
    return done


class _Head:
    """The beginning of a file: numpy asks for as many bytes as a header claims to have, and only then looks at its own limit."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._left = file, _LONGEST_HEAD

    def read(self, size: int) -> bytes:
        data = self._file.read(min(size, self._left))
        self._left -= len(data)
        return data


def _header(file: IO[bytes], shown: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and dtype of an NPY header; numpy parses it with literal_eval and a limit on its length."""
    try:
        head = _Head(file)
        version = npy.read_magic(head)  # type: ignore[no-untyped-call]
        readers: dict[tuple[int, int], Any] = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        # version 3 differs from 2 only in the encoding of field names
        shape, fortran, dtype = readers.get(version, npy.read_array_header_2_0)(head)
    except (
        ValueError,
        SyntaxError,
        TypeError,
        KeyError,
        RecursionError,
        MemoryError,
        EOFError,
        tokenize.TokenError,
    ) as error:
        cause = (str(error).splitlines() or ["?"])[0][:120]
        raise ReadError("malformed", path=shown, format="NPY", offset=0, expected=f"\\x93NUMPY ({cause})") from None
    if dtype.itemsize <= 0:  # claims any number of values without a byte; numpy takes |S-1 for a type
        raise ReadError("malformed", path=shown, format="NPY", offset=0, expected="itemsize > 0")
    if any(side < 0 for side in shape):
        raise ReadError("malformed", path=shown, format="NPY", offset=0, expected="shape >= 0")
    return shape, fortran, dtype


def of_bytes(content: bytes, shown: str) -> np.ndarray[Any, Any]:
    """The array of an NPY file in memory, where it lies. Raises ReadError: malformed, truncated."""
    array = _open(io.BytesIO(content), len(content), Path(shown))
    if array.dtype.hasobject:
        raise ReadError("malformed", path=shown, format="NPY", offset=0, expected="no objects")
    values = np.frombuffer(content, array.dtype, array.size, array.offset or 0)
    return values.reshape(array.shape, order="F" if array.fortran else "C")


@lru_cache(256)
def known_head(head: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """What the header of an NPY file of version 1 says: many files have the same, and numpy takes 0.1 ms for each."""
    return _header(io.BytesIO(head), "")


def _npy(path: Path) -> list[Array]:
    with open_regular(path) as raw:
        return [_open(raw, os.fstat(raw.fileno()).st_size, path)]


def _open(raw: IO[bytes], size: int, path: Path) -> Array:
    """The array of an NPY file that is read from its beginning and has so many bytes."""
    head = raw.read(_SHORT_HEAD)
    offset = 10 + int.from_bytes(head[8:10], "little")
    if head.startswith(b"\x93NUMPY\x01\x00") and offset <= len(head):
        try:
            shape, fortran, dtype = known_head(head[:offset])
        except ReadError as error:
            raise ReadError(error.code, **{**error.data, "path": str(path)}) from None
    else:
        raw.seek(0)
        with io.BufferedReader(cast(io.RawIOBase, raw)) as file:
            shape, fortran, dtype = _header(file, str(path))
            offset = file.tell()
    array = Array(path, path.stem, dtype, shape, fortran, offset)
    _refuse_short(array, size)
    return array


def _refuse_short(array: Array, size: int) -> None:
    if (array.offset or 0) + _least(array) > size:
        expected = f"{array.dtype}{list(array.shape)}"
        raise ReadError("truncated", path=str(array.path), offset=size, expected=expected)


def _least(array: Array) -> int:
    """The bytes that its values take at least; of objects, which are pickled, one for each."""
    return array.size * (1 if array.dtype.hasobject else array.dtype.itemsize)


def _npz(path: Path) -> list[Array]:
    found = []
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.filename.endswith(".npy"):
                    continue
                shown = f"{path}:{info.filename}"
                if info.file_size > _LARGE and info.file_size > _RATIO * info.compress_size:
                    raise ReadError("too-large", path=shown, size=info.file_size, limit=_LARGE)
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # numpy writes no other
                    raise ReadError(
                        "malformed", path=shown, format="NPZ", offset=info.header_offset, expected="deflate"
                    )
                if info.flag_bits & 1:
                    raise ReadError("encrypted", path=shown, format="NPZ")
                with archive.open(info) as file:
                    shape, fortran, dtype = _header(file, shown)
                    array = Array(path, info.filename[:-4], dtype, shape, fortran, None, info.filename)
                    if _least(array) + file.tell() > info.file_size:
                        raise ReadError(
                            "truncated", path=shown, offset=info.file_size, expected=f"{dtype}{list(shape)}"
                        )
                found.append(array)
    except zipfile.BadZipFile:
        size = path.stat().st_size
        raise ReadError("truncated", path=str(path), offset=size, expected="ZIP central directory") from None
    except (EOFError, ValueError, struct.error, zlib.error, NotImplementedError) as error:
        raise ReadError(
            "malformed", path=str(path), format="NPZ", offset=0, expected=str(error)[:120] or "ZIP"
        ) from None
    return found


def _idx(path: Path) -> list[Array]:
    """The format of MNIST: 0, 0, type, number of axes, then each side as a big-endian u32."""
    with path.open("rb") as file:
        head = file.read(4 + 4 * 4)
        size = os.fstat(file.fileno()).st_size
    axes = head[3]
    if len(head) < 4 + 4 * axes:
        raise ReadError("truncated", path=str(path), offset=len(head), expected=f"{axes} x u32")
    shape = struct.unpack(f">{axes}I", head[4 : 4 + 4 * axes])
    array = Array(path, path.stem, np.dtype(_IDX_TYPES[head[2]]), shape, False, 4 + 4 * axes)
    _refuse_short(array, size)
    return [array]


def _cifar(path: Path) -> list[Array]:
    """Rows of 3073 (CIFAR-10) or 3074 (CIFAR-100) bytes. Raises ReadError when the size is a multiple of neither."""
    size = path.stat().st_size
    row = next((row for row in (3073, 3074) if size and size % row == 0), 0)
    if not row:
        raise ReadError("unknown-format", path=str(path), expected="CIFAR-10, CIFAR-100")
    return [Array(path, path.stem, np.dtype(np.uint8), (size // row, row), False, 0)]
