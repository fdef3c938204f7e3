"""Counts missing values in WebDataset shards, for the probe missing_values. No findings, no words."""

from __future__ import annotations

import io
import json
from array import array
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ReadError
from ..readers.arrays import of_bytes
from ..readers.frames import pl
from ..readers.images import check_stream
from ..readers.tables import frame
from ..readers.webdataset import IMAGES, TEXTS, VALUES, kind_of, samples
from ..scan import in_order
from ._missing_counts import SHOWN, Field, Table

#: A member that fewer samples than this share have is taken as optional.
_USUAL = 0.5


@dataclass
class Shard:
    """What was counted: `fields`, `broken` members as (state, name, why), `others` that could not be judged, `images` seen."""

    fields: list[Field] = field(default_factory=list)
    broken: list[tuple[str, str, str]] = field(default_factory=list)
    others: list[tuple[str, str]] = field(default_factory=list)
    images: int = 0


@dataclass
class _Part:
    """Samples that follow each other: the rows that `have` each field, `columns` of those that could be decoded, with their
    rows, and where the archive was read up to."""

    rows: int
    end: int
    have: dict[str, list[int]]
    columns: dict[str, tuple[list[int], pl.DataFrame]]
    broken: list[tuple[str, str, str]]


def count(path: Path, markers: dict[str, list[Any]], executor: Executor) -> Iterator[float | Shard]:
    """Yields the share that is done, and at the end the Shard. Raises ReadError for a damaged archive."""
    shard, rows, size = Shard(), 0, max(1, path.stat().st_size)
    tables: dict[str, Table] = {}
    having: dict[str, array[int]] = {}  # the rows that have a field
    read: dict[str, array[int]] = {}  # and those that are in its table
    damage: list[ReadError] = []
    for part in in_order(_parts(path, damage), _decoded, executor, ahead=3):
        for name, have in part.have.items():
            having.setdefault(name, array("q")).extend(rows + place for place in have)
            shard.images += len(have) * (kind_of(name) in IMAGES)
        for name, (decoded, columns) in part.columns.items():
            read.setdefault(name, array("q")).extend(rows + place for place in decoded)
            text = kind_of(name) in TEXTS | VALUES
            tables.setdefault(name, Table(markers, text, 20_000)).add(columns)
        shard.others += [(member, why) for state, member, why in part.broken if state == "unsupported"]
        shard.broken += [one for one in part.broken if one[0] != "unsupported"]
        rows += part.rows
        yield min(1.0, part.end / size)
    for name, places in having.items():
        known = list(tables[name].fields.values()) if name in tables else []
        for one in known:
            one.first = {kind: [read[name][row] for row in first] for kind, first in one.first.items()}
        absent = Field(name, cells=rows)
        if len(places) < rows and len(places) >= _USUAL * rows:
            there = set(places)
            absent.note("absent", rows - len(places), [row for row in range(rows) if row not in there][:SHOWN])
        # beside the values themselves, those that are not there; else each would count twice
        shard.fields += [*known, absent] if absent.counts or not known else known
    yield shard
    if damage:  # what comes before it was counted
        raise damage[0]


def _parts(path: Path, damage: list[ReadError]) -> Iterator[list[tuple[str, dict[str, bytes], int]]]:
    """Samples together, of which there are no more than 256, and 16 MB but for the last; up to damage, which is put aside."""
    part, held = [], 0
    try:
        for sample in samples(path):
            part.append(sample)
            held += sum(map(len, sample[1].values()))
            if len(part) == 256 or held > 16 << 20:
                yield part
                part, held = [], 0
    except ReadError as error:
        damage.append(error)
    if part:
        yield part


def _decoded(part: list[tuple[str, dict[str, bytes], int]]) -> _Part:
    made = _Part(len(part), part[-1][2], {}, {}, [])
    for name in dict.fromkeys(name for _, fields, _ in part for name in fields):
        made.have[name] = rows = [row for row, (_, fields, _) in enumerate(part) if name in fields]
        members = [(f"{part[row][0]}.{name}", part[row][1][name]) for row in rows]
        if kind_of(name) in IMAGES:
            made.broken += _broken_images(name, members)
            continue
        values, decoded = [], []
        for row, (member, content) in zip(rows, members, strict=True):
            try:
                values.append(_value(kind_of(name), content, member))
                decoded.append(row)
            except (ValueError, RecursionError, MemoryError, ReadError) as error:
                made.broken.append(("members", member, (str(error).splitlines() or ["?"])[0][:200]))
        columns = _columns(name, values)
        if columns.width:
            made.columns[name] = decoded, columns
    return made


def _broken_images(name: str, members: list[tuple[str, bytes]]) -> Iterator[tuple[str, str, str]]:
    for member, content in members:
        state, why = check_stream(io.BytesIO(content), f".{kind_of(name)}")
        if state != "ok":
            yield state, member, why


def _value(kind: str, content: bytes, shown: str) -> Any:
    """What a member holds; of bytes that are not known further only whether there are any."""
    if kind in TEXTS | VALUES:
        return content.decode("utf-8", "replace").strip() or None
    if kind == "json":
        value = json.loads(content)  # takes NaN as Python writes it
        return value if isinstance(value, dict) else {"": value}
    return of_bytes(content, shown) if kind == "npy" else content[:1]


def _columns(name: str, values: list[Any]) -> pl.DataFrame:
    kind = kind_of(name)
    if kind in TEXTS | VALUES:
        return pl.DataFrame({name: pl.Series(values, dtype=pl.String)})
    if kind == "json":
        found = frame(values, list(dict.fromkeys(key for value in values for key in value)))
        return found.rename(lambda key: f"{name}.{key}" if key else name)
    if kind == "npy":
        floats = all(value.dtype.kind == "f" for value in values)  # integers can hold neither NaN nor Inf
        lists = [pl.Series(value.ravel(), dtype=pl.Float64) for value in values]
        return pl.DataFrame({name: pl.Series(lists)}) if floats else pl.DataFrame()
    return pl.DataFrame({name: pl.Series(values, dtype=pl.Binary)})
