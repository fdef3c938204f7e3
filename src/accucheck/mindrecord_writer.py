"""Writes MindRecord files (version 3.0) row by row in bounded memory, without MindSpore.

The layout is that of readers/mindrecord.py: pages of one size behind the header, which is written last, and a database beside the file that
says where each row lies. A group of rows has one page of blobs and lies within one page of scalars.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import struct
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np

from .readers.mindrecord import VERSION
from .store import atomically, scratch

#: Bytes of the header and of a page, as MindSpore makes them; a row of more needs larger pages, up to what MindSpore takes.
HEADER, PAGE, LARGEST = 16 << 20, 32 << 20, 256 << 20
#: Fields that MindSpore keeps an index of, rows that are put into the database at once, and what a name may consist of.
INDEXED, TOGETHER, NAME = 10, 20_000, re.compile(r"[0-9A-Za-z_]+")
#: Types of a scalar field in the database.
_COLUMNS = {"int32": "INTEGER", "int64": "INTEGER", "float32": "REAL", "float64": "REAL", "string": "TEXT"}
_LENGTH, _BIG, _COUNT = struct.Struct("<Q"), struct.Struct(">Q"), struct.Struct(">I")
_FEW = 24


class RowTooLarge(Exception):
    """A row that no page of this size takes: its bytes."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size


@dataclass(frozen=True)
class Schema:
    """`scalars` are fields of one number or text by type, `arrays` of several numbers, of any count, by type; `binary` are fields of
    bytes."""

    scalars: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, str] = field(default_factory=dict)
    binary: tuple[str, ...] = ()

    @property
    def blobs(self) -> list[str]:
        """The fields of the page of blobs, in its order."""
        return sorted((*self.arrays, *self.binary))

    @property
    def indexed(self) -> list[str]:
        return sorted(self.scalars)[:INDEXED]

    def described(self) -> dict[str, Any]:
        found: dict[str, Any] = {name: {"type": kind} for name, kind in self.scalars.items()}
        found |= {name: {"shape": [-1], "type": kind} for name, kind in self.arrays.items()}
        return {**found, **{name: {"type": "bytes"} for name in self.binary}}


@dataclass
class _Page:
    """A page that is open: its number, how many of its kind came before, the bytes in it, and the rows and groups of rows that it has."""

    number: int
    of_kind: int
    first: int
    used: int = 0
    groups: list[dict[str, int]] = field(default_factory=list)


class Writer:
    """Takes rows one by one. `stream` is where the file is written; `name` what it will be called."""

    def __init__(self, stream: BinaryIO, database: sqlite3.Connection, schema: Schema, name: str, page: int) -> None:
        self.stream, self.database, self.schema, self.name, self.size = stream, database, schema, name, page
        self.encode = msgspec.msgpack.Encoder().encode
        self.names, self.blobs, self.indexed = sorted(schema.scalars), schema.blobs, schema.indexed
        self.rows, self.group, self.opened = 0, -1, {"blob": 0, "raw": 0}
        self.pages: list[dict[str, Any]] = []
        self.next = 0
        self.blob, self.raw = self._open("blob"), self._open("raw")
        self._begin_group()
        self.waiting: dict[str, bytearray] = {"blob": bytearray(), "raw": bytearray()}
        self.index: list[tuple[Any, ...]] = []
        _create(database, schema)

    def _open(self, kind: str) -> _Page:
        page = _Page(self.next, self.opened[kind], self.rows)
        self.next += 1
        self.opened[kind] += 1
        return page

    def _begin_group(self) -> None:
        self.group += 1
        self.blob.groups = [{"id": 0, "offset": 0}]
        self.raw.groups.append({"id": self.group, "offset": self.raw.used})

    def add(self, scalars: dict[str, Any], blobs: Sequence[bytes]) -> None:
        """A row: its scalars by name, and its blobs in the order of the schema. Raises RowTooLarge."""
        raw = self.encode({name: scalars[name] for name in self.names})
        blob = b"\0\0\0\0" if not blobs else blobs[0] if len(blobs) == 1 else _joined(blobs)
        largest = max(len(raw), len(blob)) + _LENGTH.size
        if largest > self.size:
            raise RowTooLarge(largest)
        if self.raw.used + len(raw) + _LENGTH.size > self.size:
            self._close("raw")
            self._close("blob")
            self.blob, self.raw = self._open("blob"), self._open("raw")
            self._begin_group()
        elif self.blob.used + len(blob) + _LENGTH.size > self.size:
            self._close("blob")
            self.blob = self._open("blob")
            self._begin_group()
        places = (*self._put("raw", self.raw, raw), self.group, *self._put("blob", self.blob, blob))
        values = [part for name in self.indexed for part in (0, scalars[name])]
        self.index.append((self.rows, *places, *values))
        self.rows += 1
        if len(self.index) >= TOGETHER:
            self._insert()

    def _put(self, kind: str, page: _Page, content: bytes) -> tuple[int, int, int]:
        held = self.waiting[kind]
        held += _LENGTH.pack(len(content))
        held += content
        start = page.used
        page.used += len(content) + _LENGTH.size
        if len(held) >= 1 << 20:
            self._flush(kind, page)
        return page.number, start, page.used

    def _flush(self, kind: str, page: _Page) -> None:
        held = self.waiting[kind]
        self.stream.seek(HEADER + page.number * self.size + page.used - len(held))
        self.stream.write(held)
        self.waiting[kind] = bytearray()

    def _close(self, kind: str) -> None:
        page = self.blob if kind == "blob" else self.raw
        self._flush(kind, page)
        last = self.rows if kind == "blob" else 0
        told = {"end_row_id": last, "page_id": page.number, "page_size": page.used, "page_type": f"{kind.upper()}_DATA"}
        told |= {"page_type_id": page.of_kind, "row_group_ids": page.groups, "shard_id": 0}
        self.pages.append({**told, "start_row_id": page.first if kind == "blob" else 0})

    def _insert(self) -> None:
        if not self.index:  # all rows were inserted when so many were together
            return
        marks = ", ".join("?" * len(self.index[0]))
        self.database.executemany(f"INSERT INTO INDEXES VALUES ({marks})", self.index)  # noqa: S608 question marks
        self.index.clear()

    def finish(self) -> None:
        """Write what is left, and the header."""
        self._close("blob")
        self._close("raw")
        self._insert()
        self.database.execute("INSERT INTO SHARD_NAME VALUES (?)", (self.name,))
        self.database.execute("COMMIT")
        schema = {"blob_fields": self.blobs, "desc": "", "schema": self.schema.described()}
        header = {
            "header_size": HEADER, "index_fields": [{"index_field": name, "schema_id": 0} for name in self.indexed],
            "page": sorted(self.pages, key=lambda page: int(page["page_id"])), "page_size": self.size, "compression_size": 0,
            "schema": [schema], "shard_addresses": [self.name], "shard_id": 0, "statistics": None, "version": VERSION,
        }  # fmt: skip
        text = json.dumps(header, separators=(",", ":")).encode()
        self.stream.seek(0)
        self.stream.write(_LENGTH.pack(len(text)) + text)


def _create(database: sqlite3.Connection, schema: Schema) -> None:
    whole = "ROW_ID PAGE_ID_RAW PAGE_OFFSET_RAW PAGE_OFFSET_RAW_END ROW_GROUP_ID PAGE_ID_BLOB PAGE_OFFSET_BLOB PAGE_OFFSET_BLOB_END"
    columns = [f"{name} INT NOT NULL" for name in whole.split()]
    keys = ["ROW_ID"]
    for number, name in enumerate(schema.indexed):
        columns += [f"INC_{number} INT", f"{name}_0 {_COLUMNS[schema.scalars[name]]}"]
        keys.append(f"INC_{number}")
    database.execute(f"CREATE TABLE INDEXES({', '.join(columns)}, PRIMARY KEY({', '.join(keys)}))")
    database.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")


def _joined(blobs: Sequence[bytes]) -> bytes:
    return b"".join(part for blob in blobs for part in (_BIG.pack(len(blob)), blob))


def packed(values: Sequence[int] | np.ndarray[Any, Any]) -> bytes:
    """Integers as MindRecord has an array of them: see readers/mindrecord.py."""
    count = len(values)
    if count <= _FEW:
        return _packed_few([int(value) for value in values])
    numbers = np.asarray(values, np.int64)
    codes = np.zeros(count, np.uint8)
    for code in (1, 2, 3):  # of what half the bytes do not hold
        limit = 1 << 8 * (1 << code - 1) - 1
        codes[(numbers < -limit) | (numbers >= limit)] = code
    padded = np.zeros(-(-count // 4) * 4, np.uint8)
    padded[:count] = codes
    marks = padded.reshape(-1, 4) @ np.array([64, 16, 4, 1], np.uint8)
    sizes = (1 << codes).astype(np.int64)
    places = np.cumsum(sizes) - sizes
    content = np.empty(int(sizes.sum()), np.uint8)
    for code, kind in enumerate(("<i1", "<i2", "<i4", "<i8")):
        here = np.flatnonzero(codes == code)
        size = 1 << code
        content[places[here][:, None] + np.arange(size)] = numbers[here].astype(kind).view(np.uint8).reshape(-1, size)
    return _COUNT.pack(count) + marks.astype(np.uint8).tobytes() + content.tobytes()


def _packed_few(values: list[int]) -> bytes:
    marks, content = 0, b""
    for value in values:
        code = (not -128 <= value < 128) + (not -(1 << 15) <= value < 1 << 15) + (not -(1 << 31) <= value < 1 << 31)
        marks = marks << 2 | code
        content += value.to_bytes(1 << code, "little", signed=True)
    bits = -(-len(values) // 4)
    marks <<= 8 * bits - 2 * len(values)
    return _COUNT.pack(len(values)) + marks.to_bytes(bits, "big") + content


@contextmanager
def writing(path: Path, schema: Schema, page: int = PAGE) -> Iterator[Writer]:
    """A writer of a file and of the database beside it: both are there when the block ends well, and neither is changed otherwise.

    Raises SaveError.
    """
    beside = path.with_name(f"{path.name}.db")
    with scratch() as folder, atomically(path) as stream, atomically(beside) as copy:
        with closing(sqlite3.connect(folder / "index.db", isolation_level=None)) as database:
            database.execute("PRAGMA journal_mode=OFF")
            database.execute("PRAGMA synchronous=OFF")
            database.execute("BEGIN")
            writer = Writer(stream, database, schema, path.name, page)
            yield writer
            writer.finish()
        with (folder / "index.db").open("rb") as made:
            shutil.copyfileobj(made, copy, 1 << 20)
