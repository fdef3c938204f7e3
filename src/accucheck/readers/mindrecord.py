"""MindRecord files (version 3.0) without MindSpore: rows by the companion database, values straight from the pages.

Layout, seen in files written by MindSpore 2.10: u64 header length, a JSON header, pages of `page_size` from `header_size`.
The table INDEXES of `<file>.db` says where each row lies in a page of scalars (u64 length, MessagePack map) and in a page of
blobs (u64 length, then the blob fields: one alone as it is, several each after a big-endian u64 length). Arrays of integers are
packed: a big-endian u32 number of values, two bits for each (1, 2, 4 or 8 bytes, the first in the highest bits), the values signed.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import struct
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from .. import system
from ..errors import ReadError, from_os_error

if TYPE_CHECKING:
    import numpy as np

#: The version that is read here; others take MindSpore.
VERSION = "3.0"
_HEADER_LIMIT = 64 << 20
_ROW_LIMIT = 1 << 30
#: Types of fields that hold one value a row.
_SCALARS = ("int32", "int64", "float32", "float64", "string")
_COLUMNS = "PAGE_ID_RAW, PAGE_OFFSET_RAW, PAGE_OFFSET_RAW_END, PAGE_ID_BLOB, PAGE_OFFSET_BLOB, PAGE_OFFSET_BLOB_END"


@dataclass(frozen=True)
class Shard:
    """One file. `types` maps a field to its type; `blobs` are the fields in the blob page, in order; `rows` as counted;
    `shapes` are those of the fields of arrays, -1 for a side that the size decides."""

    path: Path
    header_size: int
    page_size: int
    types: dict[str, str]
    blobs: list[str]
    rows: int
    shapes: dict[str, list[int]] = field(default_factory=dict)


def version_of(path: Path) -> str:
    """The version that the header tells, VERSION where it tells none. Raises ReadError as open_shard does."""
    try:
        version = json.loads(_header(path)[0])["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return VERSION
    return str(version)[:20]


def _header(path: Path) -> tuple[bytes, int]:
    """The text of the header, and the bytes of the file."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(8)
            length = int.from_bytes(head, "little")
            if len(head) < 8 or length > min(size, _HEADER_LIMIT):
                raise ReadError("truncated", path=str(path), offset=size, expected="MindRecord header")
            return file.read(length), size
    except OSError as error:
        raise from_os_error(error, path) from None


def open_shard(path: Path) -> Shard:
    """Read header and row count.

    Raises ReadError: truncated, malformed (also another version), not-found (the .db, or another shard of the set).
    """
    text, size = _header(path)
    try:
        header = json.loads(text)
        version = header["version"]
        schema = header["schema"][0]
        types = {name: str(one["type"]) for name, one in schema["schema"].items()}
        shapes = {
            name: [int(side) for side in one["shape"]] for name, one in schema["schema"].items() if "shape" in one
        }
        blobs = [str(name) for name in schema["blob_fields"]]
        pages = [(int(page["page_id"]), int(page["page_size"])) for page in header["page"] or []]
        header_size, page_size = int(header["header_size"]), int(header["page_size"])
        siblings = [Path(str(name)).name for name in header["shard_addresses"]]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, RecursionError):
        raise ReadError("malformed", path=str(path), format="MindRecord", offset=8, expected="JSON header") from None
    if version != VERSION:
        raise ReadError("malformed", path=str(path), format="MindRecord 3.0", offset=8, expected='"version": "3.0"')
    for page_id, used in pages:
        end = header_size + page_id * page_size + used
        if end > size:
            raise ReadError("truncated", path=str(path), offset=size, expected=f"page {page_id} (to byte {end:,})")
    # a renamed set keeps its old names in the headers, so only siblings of a name still in use are asked for
    if path.name in siblings:
        for name in siblings:
            if not os.path.exists(path.parent / name):  # noqa: PTH110 - a name too long is not there either
                raise ReadError("not-found", path=str(path.parent / name))
    shard = Shard(path, header_size, page_size, types, blobs, 0, shapes)
    with _index(shard) as database:
        rows = next(_ask(shard, database, "SELECT COUNT(*) FROM INDEXES"))[0]
    return replace(shard, rows=int(rows))


@contextmanager
def _index(shard: Shard) -> Iterator[sqlite3.Connection]:
    """The companion database, opened without writing anything beside it. Raises ReadError where INDEXES is no plain table: a view, or
    a column that is computed, is a program of a stranger's, which need not end."""
    companion = shard.path.with_name(shard.path.name + ".db")
    if not companion.exists():
        raise ReadError("not-found", path=str(companion))
    with closing(
        sqlite3.connect(f"file:{quote(os.fsencode(companion.resolve()))}?mode=ro&immutable=1", uri=True)
    ) as database:
        database.execute("PRAGMA trusted_schema=OFF")
        plain = "SELECT 1 FROM sqlite_master WHERE name = 'INDEXES' AND type = 'table' AND rootpage > 0"
        computed = "SELECT 1 FROM pragma_table_xinfo('INDEXES') WHERE hidden"
        if not any(_ask(shard, database, plain)) or any(_ask(shard, database, computed)):
            raise ReadError("malformed", path=str(companion), format="SQLite", offset=0, expected="table INDEXES")
        yield database


def _ask(shard: Shard, database: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    """The rows that answer a query. Raises ReadError, for a damaged database also between rows."""
    try:
        # Not the cursor itself: a reader that stops half way would close it, after its database maybe, which is an error.
        yield from map(tuple, database.execute(query))
    except (sqlite3.Error, UnicodeDecodeError) as error:  # also a message of SQLite quotes bytes of the file
        raise ReadError(
            "malformed", path=f"{shard.path}.db", format="SQLite", offset=0, expected=str(error)[:120]
        ) from None


def rows(shard: Shard, wanted: Collection[int] | None = None) -> Iterator[tuple[dict[str, Any], dict[str, bytes]]]:
    """The scalars and the blobs of every row, or of the wanted ones (from 0), in the order of the index.

    Raises ReadError on damage.
    """
    decode = msgspec.msgpack.Decoder(dict[str, Any]).decode
    try:
        descriptor = os.open(shard.path, os.O_RDONLY)
    except OSError as error:
        raise from_os_error(error, shard.path) from None
    try:
        with _index(shard) as database:
            places = _ask(shard, database, f"SELECT {_COLUMNS} FROM INDEXES ORDER BY ROW_ID")  # noqa: S608 constant
            for number, place in enumerate(places):
                if wanted is not None and number not in wanted:
                    continue
                raw = _part(shard, descriptor, *place[:3])
                blob = _part(shard, descriptor, *place[3:])
                try:
                    scalars = decode(raw)
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    raise _wrong(shard, place[0], place[1], "MessagePack: a map") from None
                yield scalars, _split(shard, blob, place[3], place[4])
    finally:
        os.close(descriptor)


def integers(data: bytes, kind: str) -> np.ndarray[Any, Any] | None:
    """The values (count,) of a packed array of integers; None for what is not one."""
    import numpy as np

    count = int.from_bytes(data[:4], "big")
    start = 4 + -(-count // 4)
    if len(data) < start:
        return None
    bits = np.unpackbits(np.frombuffer(data, np.uint8, start - 4, 4))
    sizes = 1 << (bits[0::2] * 2 + bits[1::2])[:count].astype(np.int64)
    places = start + np.cumsum(sizes) - sizes
    if len(data) != start + int(sizes.sum()):
        return None
    content, found = np.frombuffer(data, np.uint8), np.zeros(count, np.int64)
    for size in (1, 2, 4, 8):
        here = np.flatnonzero(sizes == size)
        taken = content[places[here][:, None] + np.arange(size)]
        found[here] = np.ascontiguousarray(taken).view(f"<i{size}")[:, 0] if len(here) else 0
    return found.astype(kind, copy=False)


def shaped(data: bytes, kind: str, shape: list[int] | None) -> Any:
    """A field of arrays in its shape; bytes as they are."""
    if kind == "bytes":
        return data
    import numpy as np

    try:
        packed = integers(data, kind) if kind in ("int32", "int64") else None
        values = np.frombuffer(data, np.dtype(kind)) if packed is None else packed
        return values.reshape(shape) if shape else values
    except (TypeError, ValueError):
        return data


def whole(shard: Shard, name: str) -> bool:
    """Whether a field holds arrays of integers."""
    return name in shard.blobs and shard.types.get(name) in ("int32", "int64")


def _listed(shard: Shard, name: str) -> Iterator[Any]:
    """The values of a field of arrays of integers, row by row: of one alone that, of several a list."""
    for _, blobs in rows(shard):
        found = integers(blobs[name], shard.types[name])
        if found is None:
            raise _wrong(shard, 0, 0, f"{name}: integers")
        yield found.item() if found.size == 1 else found.tolist()


def values(shard: Shard, name: str) -> Iterator[tuple[Any, int]]:
    """The values of a field of scalars with how often each occurs: from the index, where the writer put it, else row by row.

    A value may come several times; of an array of several integers it is a list. Raises ReadError on damage, and for a field of other
    arrays or bytes.
    """
    if whole(shard, name):
        yield from ((value, 1) for value in _listed(shard, name))
        return
    with _index(shard) as database:
        quoted = _indexed(shard, database, name)
        if quoted is not None:
            yield from _ask(shard, database, f"SELECT {quoted}, COUNT(*) FROM INDEXES GROUP BY 1")  # noqa: S608 quoted
            return
    for scalars, _ in rows(shard):
        yield scalars.get(name), 1


def column(shard: Shard, name: str) -> Iterator[Any]:
    """The values of a field of scalars, row by row in the order of the index, as values() tells them. Raises ReadError as it does."""
    if whole(shard, name):
        yield from _listed(shard, name)
        return
    with _index(shard) as database:
        quoted = _indexed(shard, database, name)
        if quoted is not None:
            for (value,) in _ask(shard, database, f"SELECT {quoted} FROM INDEXES ORDER BY ROW_ID"):  # noqa: S608 quoted
                yield value
            return
    for scalars, _ in rows(shard):
        yield scalars.get(name)


def _indexed(shard: Shard, database: sqlite3.Connection, name: str) -> str | None:
    """The column of the index that holds a field of scalars, quoted, where the writer made one."""
    if shard.types[name] not in _SCALARS or name in shard.blobs:
        raise ReadError("not-scalar", path=str(shard.path), field=name, type=shard.types[name])
    columns = [row[1] for row in _ask(shard, database, "PRAGMA table_info(INDEXES)")]
    found = next((column for column in columns if re.fullmatch(re.escape(name) + r"_\d+", column)), None)
    return None if found is None else '"' + found.replace('"', '""') + '"'


def _wrong(shard: Shard, page: int, offset: int, expected: str) -> ReadError:
    at = shard.header_size + page * shard.page_size + offset
    return ReadError("malformed", path=str(shard.path), format="MindRecord", offset=at, expected=expected)


def _part(shard: Shard, descriptor: int, page: Any, start: Any, end: Any) -> bytes:
    """The bytes of one row in one page, after its length."""
    try:
        possible = 0 <= end - start - 8 <= _ROW_LIMIT
        at = shard.header_size + page * shard.page_size + start
        data = system.pread(descriptor, end - start, at) if possible else b""
    except TypeError:  # the index is SQLite, where any column may hold anything
        possible = False
    except (OSError, OverflowError):
        data = b""
    if not possible:
        raise ReadError("malformed", path=f"{shard.path}.db", format="MindRecord", offset=0, expected="row offsets")
    if len(data) != end - start:
        raise ReadError(
            "truncated", path=str(shard.path), offset=at + len(data), expected=f"row of {end - start} bytes"
        )
    if struct.unpack_from("<Q", data)[0] != end - start - 8:
        raise _wrong(shard, page, start, f"length {end - start - 8}")
    return data[8:]


def _split(shard: Shard, blob: bytes, page: int, offset: int) -> dict[str, bytes]:
    if not shard.blobs:
        return {}
    if len(shard.blobs) == 1:
        return {shard.blobs[0]: blob}
    parts, at = {}, 0
    for name in shard.blobs:
        length = int.from_bytes(blob[at : at + 8], "big")
        parts[name] = blob[at + 8 : at + 8 + length]
        if len(parts[name]) != length or len(blob) < at + 8:
            raise _wrong(shard, page, offset + at, f"{name}: {length} bytes")
        at += 8 + length
    return parts
