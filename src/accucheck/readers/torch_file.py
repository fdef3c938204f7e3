"""PyTorch's .pth, .pt and .bin: finds the tensors without torch.

torch.save writes a pickle of records (see torch_pickle.py) and the numbers beside it: as members of a zip archive (since
1.6) or behind the pickle (before).
"""

from __future__ import annotations

import io
import math
import os
import struct
import zipfile
from typing import Any, BinaryIO

from ..errors import ReadError
from ..language import visible
from ..system import pread
from .tensors import DTYPES, SPAN_LIMIT, TensorInfo
from .torch_pickle import FORMAT, QUANTIZED, Storage, Tensor, unpickle

#: The first pickle of the format before 1.6: the number 0x1950a86a20f9469cfc6c.
LEGACY = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e"
ZIP = b"PK\x03\x04"

PICKLE_LIMIT = 64 << 20
DIRECTORY_LIMIT = 16 << 20
MAX_ENTRIES = 500_000


class _Bounded(io.FileIO):
    """A file that refuses to read more at once than the directory of an archive may have."""

    def read(self, size: int | None = -1, /) -> bytes:
        left = os.fstat(self.fileno()).st_size - self.tell()
        wanted = left if size is None or size < 0 else min(size, left)
        if wanted > DIRECTORY_LIMIT:
            raise ReadError("too-large", path=str(self.name), size=wanted, limit=DIRECTORY_LIMIT)
        return super().read(size) or b""


def scan(file: BinaryIO, path: str) -> list[TensorInfo]:
    """The tensors of a file, in the order of the pickle. Raises ReadError: unsafe-pickle, malformed, truncated, too-large."""
    root, places = _zip(file, path) if pread(file.fileno(), 4, 0) == ZIP else _legacy(file, path)
    tensors = []
    for name, record in _named(root, path):
        tensors.append(_locate(name, record, places, path))
    return tensors


#: {storage key: (byte offset, byte length)}
_Places = dict[str, tuple[int, int]]


def _zip(file: BinaryIO, path: str) -> tuple[Any, _Places]:
    def bad(offset: int, expected: str) -> ReadError:
        return ReadError("malformed", path=path, format=FORMAT, offset=offset, expected=expected)

    fd = file.fileno()
    size = os.fstat(fd).st_size
    try:
        with _Bounded(path) as bounded, zipfile.ZipFile(bounded) as archive:
            members = archive.infolist()
    except zipfile.BadZipFile:
        raise ReadError("truncated", path=path, offset=size, expected="zip directory")
    except (OSError, ValueError, NotImplementedError, struct.error, UnicodeDecodeError):
        raise bad(max(0, size - 22), "zip directory")
    places: _Places = {}
    pickled: tuple[int, int] | None = None
    prefix = ""
    for member in members:
        if member.filename.endswith("/data.pkl") or member.filename == "data.pkl":
            prefix = member.filename[: -len("data.pkl")]
            pickled = _member(fd, size, member, path)
    if pickled is None:
        raise ReadError("unknown-format", path=path, expected="zip: */data.pkl")
    if pickled[1] > PICKLE_LIMIT:
        raise ReadError("too-large", path=f"{path}:{prefix}data.pkl", size=pickled[1], limit=PICKLE_LIMIT)
    for member in members:
        if member.filename.startswith(f"{prefix}data/"):
            places[member.filename[len(prefix) + 5 :]] = _member(fd, size, member, path)
        elif member.filename == f"{prefix}byteorder":
            at, length = _member(fd, size, member, path)
            if pread(fd, min(length, 16), at).strip() != b"little":
                raise bad(at, "byteorder: little")
    return unpickle(pread(fd, pickled[1], pickled[0]), path, pickled[0])[0], places


def _member(fd: int, size: int, member: zipfile.ZipInfo, path: str) -> tuple[int, int]:
    """Where the bytes of a member stand. torch stores them as they are; another writer's compressed ones are refused."""
    head = pread(fd, 30, member.header_offset) if 0 <= member.header_offset < size else b""
    if len(head) < 30 or head[:4] != ZIP:
        raise ReadError(
            "malformed", path=path, format=FORMAT, offset=max(0, member.header_offset), expected="zip: PK 03 04"
        )
    name, extra = struct.unpack("<HH", head[26:30])
    at = member.header_offset + 30 + name + extra
    if member.compress_type != zipfile.ZIP_STORED or member.compress_size != member.file_size or member.flag_bits & 1:
        raise ReadError("malformed", path=path, format=FORMAT, offset=member.header_offset, expected="zip: stored")
    if at + member.file_size > size:
        raise ReadError("truncated", path=path, offset=size, expected=f"{member.filename}: {member.file_size:,} B")
    return at, member.file_size


def _legacy(file: BinaryIO, path: str) -> tuple[Any, _Places]:
    """Five pickles (magic number, version, system, object, storage keys), then each storage: its size and its bytes."""
    fd = file.fileno()
    size = os.fstat(fd).st_size
    data = pread(fd, min(size, PICKLE_LIMIT), 0)
    at, parts = 0, []
    storages: dict[str, Storage] = {}
    for _ in range(5):
        if at >= size:
            raise ReadError("truncated", path=path, offset=size, expected="pickle")
        part, length, named = unpickle(data[at:], path, at)
        storages |= named
        parts.append(part)
        at += length
    _, _, system, root, keys = parts
    if not isinstance(keys, list) or (isinstance(system, dict) and system.get("little_endian") is False):
        raise ReadError("malformed", path=path, format=FORMAT, offset=at, expected="storage keys, little endian")
    places: _Places = {}
    for key in keys:
        head = pread(fd, 8, at)
        key = key if isinstance(key, str) else ""
        storage = storages.get(key)
        if len(head) < 8:
            raise ReadError("truncated", path=path, offset=size, expected="storage")
        if storage is None or int.from_bytes(head, "little") != storage.size:
            raise ReadError("malformed", path=path, format=FORMAT, offset=at, expected=f"storage {visible(key)}")
        length = storage.size * (QUANTIZED.get(storage.dtype) or DTYPES[storage.dtype][0])
        if at + 8 + length > size:
            raise ReadError("truncated", path=path, offset=size, expected=f"storage {visible(key)}: {length:,} B")
        places[storage.key] = (at + 8, length)
        at += 8 + length
    return root, places


#: Keys under which training scripts keep the weights; left out of the names.
_HOLDERS = ("state_dict", "model_state_dict", "model_state", "model", "net", "network", "params", "weights", "module")


def _named(root: Any, path: str) -> list[tuple[str, Tensor]]:
    """All tensors below `root` with their names: dotted keys, less a holder's key and the "module." of DataParallel."""
    found: list[tuple[str, str, Tensor]] = []
    stack: list[tuple[str, str, Any, int]] = [("", "", root, 0)]
    visited = 0
    while stack:
        whole, name, value, depth = stack.pop()
        visited += 1
        if visited > MAX_ENTRIES:  # a few lists that contain each other can mean billions of entries
            raise ReadError("malformed", path=path, format=FORMAT, offset=0, expected=f"<= {MAX_ENTRIES:,} entries")
        if isinstance(value, Tensor):
            found.append((whole or "tensor", name or "tensor", value))
        elif isinstance(value, (dict, list, tuple)) and not isinstance(value, Storage) and depth < 32:
            items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
            for key, entry in reversed(items):
                # Only plain keys are written out: that of nested tuples could be any length.
                plain = isinstance(key, str) or (isinstance(key, int) and abs(key) < 1 << 63)
                word = visible(str(key)[:1024]) if plain else "?"  # a pickled text may be no valid Unicode
                holder = not name and word in _HOLDERS and isinstance(entry, dict)
                below = "" if holder else f"{name}.{word}" if name else word
                stack.append((f"{whole}.{word}" if whole else word, below, entry, depth + 1))
    names = [short for _, short, _ in found]
    weights = [name for name in names if not name.startswith(("optim", "opt_state", "scheduler", "lr_sched"))]
    if weights and all(name.startswith("module.") for name in weights):
        names = [name.removeprefix("module.") for name in names]
    if len(set(names)) < len(names):  # two holders with the same names, as of a model and its moving average
        names = [whole for whole, _, _ in found]
    return [(name, record) for name, (_, _, record) in zip(names, found, strict=True)]


def _locate(name: str, record: Tensor, places: _Places, path: str) -> TensorInfo:
    storage = record.storage
    if storage is None or record.obstacle or record.dtype not in DTYPES:
        return TensorInfo(name, record.dtype, record.shape, path, obstacle=record.obstacle or "dtype")

    def bad(expected: str) -> ReadError:
        return ReadError(
            "malformed", path=path, format=FORMAT, offset=place[0], expected=visible(f"{name}: {expected}")
        )

    itemsize = DTYPES[record.dtype][0]
    place = places.get(storage.key, (0, 0))
    if storage.key not in places and storage.size:
        raise bad(f"data/{storage.key}")
    if storage.size * itemsize > place[1]:
        raise bad(f"data/{storage.key}: {storage.size * itemsize:,} B")
    if len(record.shape) != len(record.strides):
        raise bad(f"{len(record.shape)} strides")
    size = math.prod(record.shape)
    if not size:
        return TensorInfo(name, record.dtype, record.shape, path)
    span = 1 + sum((dim - 1) * stride for dim, stride in zip(record.shape, record.strides, strict=True))
    if record.offset + span > storage.size:
        raise bad(f"offset + span <= {storage.size:,}")
    extents = ((place[0] + record.offset * itemsize, span * itemsize),)
    dense, contiguous = 1, True
    for dim, stride in zip(reversed(record.shape), reversed(record.strides), strict=True):
        contiguous &= dim == 1 or stride == dense
        dense *= dim
    if contiguous:
        return TensorInfo(name, record.dtype, record.shape, path, extents)
    # An expanded view repeats elements; walked like any other up to a bound, for its shape may be any number.
    large = span * itemsize > SPAN_LIMIT or size * itemsize > 4 * SPAN_LIMIT
    return TensorInfo(
        name, record.dtype, record.shape, path, extents, record.strides, obstacle="view" if large else None
    )
