"""Runs that W&B and SwanLab keep offline, without either: `run-*.wandb` and `run-*.swanlab`, or `backup.swanlab`.

Both are logs in the manner of LevelDB (github.com/google/leveldb, doc/log_format.md) behind a head of 7 bytes: blocks of 32 KiB, and in
them pieces of records, each with a CRC-32 of its type and bytes. A record is a protobuf message: of W&B (github.com/wandb/wandb,
wandb_internal.proto) Record{history=2, run=17}, History{item=1, step=2}, Item{key=1, nested_key=2, value_json=16}, whose numbers are
JSON; of SwanLab since 0.7 Record{scalar=13}, Scalar{key=1, step=2, value=5}. Earlier versions of SwanLab keep JSON.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import document
from ..errors import ReadError, UserError, from_os_error
from .events import LAST_STEP, Distribution, fields
from .runs import Rows

#: What the name of such a file ends with.
SUFFIXES = (".wandb", ".swanlab")
#: Folders that both keep beside a run: logs, which say the same again, and copies.
BESIDE = frozenset({"files", "logs", "tmp", "console", "media", "debug"})
_WANDB, _SWANLAB = b":W&B", b":SWL"
_HEAD, _PIECE, _BLOCK = 7, struct.Struct("<IHB"), 1 << 15
_FULL, _FIRST, _LAST = 1, 2, 4
#: How SwanLab calls what it measures of the machine, which is no curve of a training.
_HARDWARE = "__swanlab__"
#: Bytes of a record, characters of a name, curves of a run, keys of its settings, and bins of a histogram.
_LONGEST, _NAME, _NAMES, _SETTINGS, _BINS = 64 << 20, 1000, 1 << 16, 200, 4096


@dataclass
class Tracked:
    """A run: its curves, what it was started with by name, its histograms, and what is damaged."""

    parts: list[Rows] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    distributions: list[Distribution] = field(default_factory=list)
    problems: list[ReadError] = field(default_factory=list)


def starts(head: bytes) -> bool:
    """Whether a file that begins so is one."""
    return head.startswith((_WANDB, _SWANLAB))


def read(path: Path) -> Tracked:
    """All of a run; what comes after a damaged record is left out. Raises ReadError where nothing can be read."""
    found, columns = Tracked(), _Columns()
    number = 0
    try:
        for kind, data, at in _records(path):
            number += 1
            try:
                (_wandb if kind == _WANDB else _swanlab)(data, number, columns, found)
            except (ValueError, IndexError, KeyError, TypeError, AttributeError, RecursionError, struct.error):
                form = "W&B" if kind == _WANDB else "SwanLab"
                raise ReadError("malformed", path=str(path), format=form, offset=at, expected="Record") from None
    except ReadError as error:
        if not number:
            raise
        found.problems.append(error)
    found.parts = columns.rows()
    if path.suffix == SUFFIXES[1]:
        _beside(path.with_name("files") / "config.yaml", found.settings)
    return found


def _beside(path: Path, settings: dict[str, str]) -> None:
    """What SwanLab keeps of the configuration beside a run: {name: {value: ...}}."""
    try:
        told = document.parse(document.read_text(path), str(path)) if path.is_file() else {}
    except UserError:
        return
    if isinstance(told, dict):
        _configuration(
            {str(key): one["value"] for key, one in told.items() if isinstance(one, dict) and "value" in one}, settings
        )


def _records(path: Path) -> Iterator[tuple[bytes, bytes, int]]:
    """The kind of file, and each record with where it begins. Raises ReadError: unknown-format, truncated, record-checksum, too-large."""
    try:
        with path.open("rb", buffering=1 << 20) as file:
            kind, at = file.read(_HEAD)[:4], _HEAD
            if kind not in (_WANDB, _SWANLAB):
                raise ReadError("unknown-format", path=str(path), expected="W&B, SwanLab")
            pieces: list[bytes] = []
            begin = at
            while True:
                if (left := _BLOCK - at % _BLOCK) < _PIECE.size:
                    file.seek(left, 1)
                    at += left
                head = file.read(_PIECE.size)
                if not head.strip(b"\0"):  # the end, or room that was never filled
                    return
                checksum, length, piece = _PIECE.unpack(head.ljust(_PIECE.size, b"\0"))
                data = file.read(length)
                if len(head) < _PIECE.size or len(data) < length:
                    raise ReadError("truncated", path=str(path), offset=at + len(head) + len(data), expected="record")
                if zlib.crc32(data, zlib.crc32(bytes([piece]))) != checksum:
                    raise ReadError("record-checksum", path=str(path), offset=at)
                if piece in (_FULL, _FIRST):
                    pieces, begin = [], at
                pieces.append(data)
                at += _PIECE.size + length
                if sum(map(len, pieces)) > _LONGEST:
                    raise ReadError("too-large", path=str(path), size=sum(map(len, pieces)), limit=_LONGEST)
                if piece in (_FULL, _LAST):
                    yield kind, b"".join(pieces), begin
    except OSError as error:
        raise from_os_error(error, path) from None


class _Columns:
    """The points of each curve, with the numbers of their records."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[array[int], array[int], array[float]]] = {}

    def add(self, name: str, number: int, step: int, value: float) -> None:
        if not 0 <= step < LAST_STEP:
            raise ValueError("step")
        name = name[:_NAME]
        if name not in self._kept:
            if len(self._kept) >= _NAMES:
                raise ValueError("names")
            self._kept[name] = array("q"), array("q"), array("d")
        lines, steps, values = self._kept[name]
        lines.append(number)
        steps.append(step)
        values.append(value)

    def rows(self) -> list[Rows]:
        return [
            Rows(np.array(lines), np.array(steps), None, {name: np.array(values)})
            for name, (lines, steps, values) in self._kept.items()
        ]


# --- W&B --------------------------------------------------------------------------------------------------------------


def _wandb(data: bytes, number: int, columns: _Columns, found: Tracked) -> None:
    for key, wire, start, end in fields(data, 0, len(data)):
        if (key, wire) == (2, 2):
            _history(data, start, end, number, columns, found)
        elif (key, wire) == (17, 2):
            for inner, kind, first, last in fields(data, start, end):
                if (inner, kind) == (4, 2):  # its configuration
                    _configuration(_items(data, first, last), found.settings)


def _history(data: bytes, start: int, end: int, number: int, columns: _Columns, found: Tracked) -> None:
    """What was logged at one step."""
    items = _items(data, start, end)
    step = next(
        (
            one[2]
            for key, wire, first, last in fields(data, start, end)
            if (key, wire) == (2, 2)
            for one in fields(data, first, last)
            if one[:2] == (1, 0)
        ),
        items.get("_step", number),
    )
    if not isinstance(step, int | float) or not math.isfinite(step):
        raise ValueError("step")
    for name, value in _flat(items):
        if name.endswith("._type") and value == "histogram":
            found.distributions += _histogram(name.removesuffix("._type"), int(step), items)
        elif isinstance(value, int | float) and not name.startswith("_"):
            columns.add(name, number, int(step), float(value))


def _items(data: bytes, start: int, end: int) -> dict[str, Any]:
    """The values of a history or configuration by name; those of keys within keys, with a dot between them."""
    found = {}
    for key, wire, start_, end_ in fields(data, start, end):
        if (key, wire) != (1, 2):
            continue
        names, text = [], b""
        for inner, kind, first, last in fields(data, start_, end_):
            if kind == 2 and inner in (1, 2):
                names.append(data[first : min(last, first + _NAME)].decode("utf-8", "replace"))
            elif (inner, kind) == (16, 2):
                text = data[first:last]
        if names and text:
            found[".".join(names)] = json.loads(text)
    return found


def _flat(items: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Also the values of objects, by both keys; words that stand for numbers as these."""
    words = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    for name, value in items.items():
        inner = value.items() if isinstance(value, dict) else (("", value),)
        for key, one in inner:
            yield f"{name}.{key}" if key else name, words.get(one, one) if isinstance(one, str) else one


def _histogram(name: str, step: int, items: dict[str, Any]) -> Iterator[Distribution]:
    held = items.get(name, {})
    counts = held.get("values", items.get(f"{name}.values"))
    edges = held.get("bins", items.get(f"{name}.bins"))
    packed = held.get("packedBins", items.get(f"{name}.packedBins"))
    if edges is None and packed is not None:
        edges = [packed["min"] + packed["size"] * at for at in range(min(int(packed["count"]), _BINS) + 1)]
    if isinstance(counts, list) and isinstance(edges, list) and 0 < len(counts) == len(edges) - 1 <= _BINS:
        places = np.array(edges, np.float64)
        yield Distribution(name, step, places[:-1], places[1:], np.array(counts, np.float64))


def _configuration(items: dict[str, Any], settings: dict[str, str]) -> None:
    for name, value in items.items():
        if len(settings) < _SETTINGS and not name.startswith("_"):
            settings[name] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


# --- SwanLab ----------------------------------------------------------------------------------------------------------


def _swanlab(data: bytes, number: int, columns: _Columns, found: Tracked) -> None:
    if data.startswith(b"{"):
        _of_json(json.loads(data), number, columns, found)
        return
    for key, wire, start, end in fields(data, 0, len(data)):
        if (key, wire) != (13, 2):
            continue
        name, step, value = "", 0, None
        for inner, kind, first, last in fields(data, start, end):
            if (inner, kind) == (1, 2):
                name = data[first : min(last, first + _NAME)].decode("utf-8", "replace")
            elif (inner, kind) == (2, 0):
                step = first
            elif (inner, kind) == (5, 2):
                told = [at for one, form, at, _ in fields(data, first, last) if (one, form) == (1, 1)]
                value = struct.unpack_from("<d", data, told[0])[0] if told else 0.0  # 0 is not written
        if name and value is not None and not name.startswith(_HARDWARE):
            columns.add(name, number, step, value)


def _of_json(record: dict[str, Any], number: int, columns: _Columns, found: Tracked) -> None:
    """A record of a version before 0.7."""
    if record["model_type"] != "Scalar":
        return
    told = record["data"]
    value = told["metric"]["data"]
    value = {"NaN": math.nan, "INF": math.inf, "-INF": -math.inf}.get(value, value) if isinstance(value, str) else value
    if isinstance(value, int | float) and not told["key"].startswith(_HARDWARE):
        columns.add(told["key"], number, int(told["step"]), float(value))
