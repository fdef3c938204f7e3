"""Curves of a training: recordings, text logs, CSV, JSON Lines, MindSpore's summary files, TensorBoard's event files, runs that W&B and
SwanLab keep offline, and what msprobe's monitor and MindFormers keep of each layer.

`read` gives the runs in a file or folder, each with its columns over steps and epochs. What a column means is for the caller to judge.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ReadError, from_os_error
from . import monitors, trackers
from .places import head_of, plain, size_of
from .runs import UNKNOWN, Column, Rows, Run, named, split

if TYPE_CHECKING:
    import polars as pl

    from .recordings import Recording
    from .training_log import StepTimes

__all__ = ["Column", "Curves", "Run", "read", "step_times"]

#: Files of one folder that are read, of those of monitors, which may be one a step, and kinds of JSON objects in one file.
_FILES, _OF_MONITORS, _KINDS = 1000, 20_000, 1000
#: A larger CSV with rows of other lengths is refused.
_LARGEST_RAGGED = 64 << 20
#: A longer line of JSON is refused; none that describes a step is.
_LONGEST = 1 << 20
_EVENTS = re.compile(r"tfevents|\.events\.|\.out\.events")
_TEXTS = (".log", ".txt", ".out", ".csv", ".tsv", ".jsonl", ".ndjson")
#: Bytes that tell a CSV of a monitor; and numbers in names, by which its files follow each other.
_HEAD, _WORDS = 1 << 12, re.compile(r"(\d+)")
_CONTROL = re.compile(rb"[\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_STEP = re.compile(
    r"(?:(?:global|train|cur|current)[_ /]?)?(?:step|iter|iteration)(?:[_ ]?(?:num|id|no))?s?|_step", re.IGNORECASE
)
_EPOCH = re.compile(r"(?:(?:train|cur|current)[_ /]?)?epoch(?:[_ ]?(?:num|id|no))?s?", re.IGNORECASE)


@dataclass(frozen=True)
class Curves:
    """What `read` found. With `problems` it is a part of what the files hold: what was damaged or left out."""

    runs: list[Run]
    problems: list[ReadError]


def read(path: Path) -> Curves:
    """The runs in a file, or in all event files and logs below a folder; event files of one folder are one log.

    Raises ReadError where there is no curve at all: not-found, empty, no-curve, no-curve-files, or what the only file is damaged by.
    Formats are told by content. Memory: the numbers found and a block of the file.
    """
    try:
        is_folder = path.is_dir()
        if not is_folder:
            path.stat()
    except OSError as error:
        raise from_os_error(error, path) from None
    if not is_folder:
        runs, problems = _file(path, path.name)
        if not runs:
            damaged = (
                problem for problem in problems if problem.code != "curve-lines"
            )  # which tells of the other lines
            raise next(damaged, ReadError("no-curve", path=str(path)))
        return Curves(runs, problems)
    listed = _listed(path)
    problems = listed.problems
    runs = []
    for files_by_folder, gather in (
        (listed.events, _event_files),
        (listed.monitored, _monitored),
        (listed.norms, _norm_files),
    ):
        for folder, files in files_by_folder.items():
            found, wrong = gather(files, folder.relative_to(path).as_posix() if folder != path else path.name)
            runs += found
            problems += wrong
    for file in listed.others:
        try:
            found, wrong = _file(file, file.relative_to(path).as_posix())
        except ReadError as error:
            if error.code != "empty":
                problems.append(error)
            continue
        runs += found
        problems += wrong if found else []
    if not runs:
        raise problems[0] if problems else ReadError("no-curve-files", path=str(path))
    return Curves(runs, problems)


def event_files(path: Path) -> list[Path]:
    """The event files below a folder, or the one that is given; none where there is none."""
    if not path.is_dir():
        return [path] if _EVENTS.search(path.name) and path.is_file() else []
    return [file for files in _listed(path).events.values() for file in files]


def tracked_files(path: Path) -> list[Path]:
    """The runs of W&B and SwanLab below a folder, or the one that is given; none where there is none."""
    if not path.is_dir():
        return [path] if path.name.endswith(trackers.SUFFIXES) and path.is_file() else []
    return [file for file in _listed(path).others if file.name.endswith(trackers.SUFFIXES)]


@dataclass
class _Listed:
    """What lies below a folder: by their folder event files, files of msprobe's monitor and norms; logs and runs of trackers; and what
    was left out."""

    events: dict[Path, list[Path]] = field(default_factory=dict)
    monitored: dict[Path, list[Path]] = field(default_factory=dict)
    norms: dict[Path, list[Path]] = field(default_factory=dict)
    others: list[Path] = field(default_factory=list)
    problems: list[ReadError] = field(default_factory=list)


def _listed(root: Path) -> _Listed:
    found = _Listed()
    counts = {"few": 0, "many": 0}

    def refuse(error: OSError) -> None:
        problem = from_os_error(error, error.filename)
        assert isinstance(problem, ReadError)
        found.problems.append(problem)

    for folder, folders, names in os.walk(root, onerror=refuse):
        folders.sort()
        if any(name.endswith(trackers.SUFFIXES) for name in names):
            folders[:] = [each for each in folders if each not in trackers.BESIDE]
        for name in sorted(names):
            file = Path(folder, name)
            kind = _kind(file)
            if kind is None or not file.is_file() or (file.is_symlink() and root.resolve() in file.resolve().parents):
                continue  # a link to another of these files would tell the same run twice
            which, limit = ("many", _OF_MONITORS) if kind in ("monitored", "norms") else ("few", _FILES)
            counts[which] += 1
            if counts[which] > limit:
                continue
            if kind == "others":
                found.others.append(file)
            else:
                getattr(found, kind).setdefault(Path(folder), []).append(file)
    for which, limit in (("few", _FILES), ("many", _OF_MONITORS)):
        if counts[which] > limit:
            found.problems.append(ReadError("curve-files", path=str(root), count=counts[which], limit=limit))
    return found


def _kind(file: Path) -> str | None:
    """Where a file belongs in _Listed; None for what has no curves."""
    name = file.name
    if "_lineage" in name:
        return None
    if monitors.is_norm(name):
        return "norms"
    if _EVENTS.search(name) is not None:
        return "events"
    if name.endswith(trackers.SUFFIXES):
        return "others"
    if not name.lower().removesuffix(".gz").endswith(_TEXTS):
        return None
    return "monitored" if _of_monitor(file) else "others"


def _of_monitor(file: Path) -> bool:
    if not file.name.endswith(".csv"):
        return False
    try:
        with file.open("rb") as stream:
            return monitors.is_monitor(stream.read(_HEAD))
    except OSError:
        return False


def _monitored(files: list[Path], name: str) -> tuple[list[Run], list[ReadError]]:
    """The CSV files of msprobe's monitor in one folder, as one run."""
    parts: list[Rows] = []
    problems: list[ReadError] = []
    number = 0
    for file in sorted(
        files, key=lambda one: [int(word) if word.isdigit() else word for word in _WORDS.split(one.name)]
    ):
        try:
            found, number = monitors.rows(file, number)
        except ReadError as error:
            problems.append(error)
        else:
            parts += found
    return named([_columns(_joined(parts))] if parts else [], name, files[0].parent), problems


def _norm_files(files: list[Path], name: str) -> tuple[list[Run], list[ReadError]]:
    parts, problems = monitors.norms(files)
    return named([_columns(parts)] if parts else [], name, files[0].parent), problems


def _columns(parts: list[Rows]) -> dict[str, Column]:
    """Curves that all belong to one run, by their steps."""
    found = {}
    for part in parts:
        assert part.steps is not None
        order = np.argsort(part.steps, kind="stable")
        for name, values in part.values.items():
            found[name] = Column(part.steps[order], np.full(len(order), UNKNOWN), values[order])
    return found


def _event_files(files: list[Path], name: str) -> tuple[list[Run], list[ReadError]]:
    from . import events

    parts: list[Rows] = []
    problems: list[ReadError] = []
    number = 0
    for file in files:
        try:
            if not size_of(file):
                raise ReadError("empty", path=str(file))
            found, wrong, number = events.rows(file, number)
        except ReadError as error:
            problems.append(error)
            continue
        parts += found
        problems += wrong
    return named(split(_joined(parts)), name, files[0].parent), problems


def _joined(parts: list[Rows]) -> list[Rows]:
    """Rows of the same columns, one behind the other, as one."""
    by_names: dict[tuple[str, ...], list[Rows]] = {}
    for part in parts:
        by_names.setdefault(tuple(part.values), []).append(part)
    return [
        Rows(
            np.concatenate([part.lines for part in same]),
            np.concatenate([part.steps for part in same if part.steps is not None]),
            None,
            {name: np.concatenate([part.values[name] for part in same]) for name in names},
        )
        for names, same in by_names.items()
    ]


def _file(path: Path, name: str) -> tuple[list[Run], list[ReadError]]:
    """The runs of one file. Raises ReadError."""
    from . import events, recordings, tfrecord, training_log

    if not path.is_file():
        raise ReadError("not-regular", path=str(path))
    if not size_of(path):
        raise ReadError("empty", path=str(path))
    with plain(path, "text") as file:
        head = head_of(file)
        if trackers.starts(head):
            tracked = trackers.read(path)
            return named([_columns(tracked.parts)] if tracked.parts else [], name, path), tracked.problems
        if monitors.is_monitor(head):
            return _monitored([path], name)
        if tfrecord.starts(head, 1 << 62):
            parts, problems, _ = events.rows(file)
        elif recordings.looks_like(head):
            return _recorded(recordings.read(file), path, name)
        elif _is_json(head):
            parts, problems = _json_lines(file)
        elif _is_csv(head, name):
            parts, problems = _csv(file)
        elif _is_binary(head):
            raise ReadError("no-curve", path=str(path))
        else:
            parts, problems = training_log.rows(file)
        ends = _tail(file)
    for problem in problems:
        problem.data["path"] = str(path)
    runs = named(split(parts), name, path)
    if runs and not (ends.endswith((b"\n", b"\r", b"\n\0", b"\r\0")) or tfrecord.starts(head, 1 << 62)):
        runs[-1] = replace(runs[-1], torn=True)
    return runs, problems


def _tail(path: Path) -> bytes:
    """The last bytes of a plain file."""
    with path.open("rb") as file:
        file.seek(-min(4, size_of(path)), os.SEEK_END)
        return file.read()


def step_times(path: Path) -> StepTimes | None:
    """The times of steps that a training log tells; None for what is no log of text. Raises ReadError."""
    from . import recordings, tfrecord, training_log

    if not path.is_file():
        return None
    with plain(path, "text") as file:
        head = head_of(file)
        if tfrecord.starts(head, 1 << 62) or _is_binary(head) or recordings.looks_like(head):
            return None
        if _is_json(head) or _is_csv(head, path.name):
            return None
        return training_log.step_times(file)


def _recorded(recording: Recording, path: Path, name: str) -> tuple[list[Run], list[ReadError]]:
    """The runs of a recording, which says itself where each begins. A last line that is cut off is no problem."""
    damaged = recording.passed_over - recording.torn
    problems = (
        [ReadError("recording-lines", path=str(path), count=damaged, line=recording.first)] if damaged > 0 else []
    )
    kept = [run.series for run in recording.runs if run.series]
    return named(kept, name, path), problems


def _is_binary(head: bytes) -> bool:
    """Whether more than a few bytes are control characters, of which text in UTF-16 is full too."""
    return (
        not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and len(_CONTROL.findall(head)) > len(head) / 20
    )


def _first_line(head: bytes) -> tuple[str, str]:
    """The first two lines that are not blank."""
    lines = [line for line in head.decode("utf-8-sig", "replace").splitlines() if line.strip()]
    return (lines[0], lines[1]) if len(lines) > 1 else ("".join(lines), "")


def _is_json(head: bytes) -> bool:
    first, second = _first_line(head)
    if not first.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return first.lstrip().startswith('{"') and not second  # the only line, of which the end is not written yet


def _is_csv(head: bytes, name: str) -> bool:
    """Names without a number in the first line, as many cells in the second, of which one is a number."""
    first, second = _first_line(head)
    for separator in ",\t;":
        names, cells = first.split(separator), second.split(separator)
        if len(names) == len(cells) and (len(names) > 1 or name.lower().endswith(".csv")):
            return not any(_number(text) for text in names) and any(_number(text) for text in cells)
    return False


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _csv(path: Path) -> tuple[list[Rows], list[ReadError]]:
    """A part for each column, without its empty cells."""
    from . import tables
    from .frames import pl

    numbers = pl.all().cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    frames: list[pl.DataFrame] = []
    problems: list[ReadError] = []
    try:
        for batch in tables.batches(path, "csv"):
            frames.append(batch.select(numbers))
    except ReadError as error:
        if error.code == "ragged" and size_of(path) <= _LARGEST_RAGGED:
            frames = [_regular(path, error).select(numbers)]
        elif not frames:
            raise
        problems.append(error)
    if not frames:
        return [], problems
    table = pl.concat(frames, how="diagonal")
    columns = {name: (table[name].is_not_null().to_numpy(), table[name].to_numpy()) for name in table.columns}
    return _by_column(columns, np.arange(table.height)), problems


def _regular(path: Path, error: ReadError) -> pl.DataFrame:
    """The rows of a CSV that have as many cells as its header: the last one may be cut while a training writes it.

    Raises the error that its other rows are, where that cannot be read either.
    """
    from .frames import pl

    lines = [line for line in path.read_bytes().splitlines() if line.strip()]
    separator = max(b",", b"\t", b";", key=lines[0].count)
    rows = [line for line in lines if line.count(separator) == lines[0].count(separator)]
    try:
        return pl.read_csv(b"\n".join(rows), separator=separator.decode(), infer_schema=False, encoding="utf8-lossy")
    except pl.exceptions.PolarsError:
        raise error from None


def _by_column(columns: dict[str, tuple[Any, Any]], lines: np.ndarray[Any, Any]) -> list[Rows]:
    """A part for each column of numbers but the step and the epoch; `columns` by name: where there is one, and the numbers."""
    places: dict[str, np.ndarray[Any, Any] | None] = {}
    for what, pattern in (("steps", _STEP), ("epochs", _EPOCH)):
        name = next((name for name in columns if pattern.fullmatch(name.strip()) and columns[name][0].any()), None)
        places[what] = None
        if name is not None:
            given, numbers = columns.pop(name)
            usable = given & np.isfinite(np.where(given, numbers, 0)) & (np.abs(np.where(given, numbers, 0)) < 1 << 53)
            places[what] = np.where(usable, np.where(usable, numbers, UNKNOWN), UNKNOWN).astype(np.int64)
    steps, epochs = places["steps"], places["epochs"]
    return [
        Rows(
            lines[given],
            None if steps is None else steps[given],
            None if epochs is None else epochs[given],
            {name: np.asarray(numbers, np.float64)[given]},
        )
        for name, (given, numbers) in columns.items()
        if given.any()
    ]


def _json_lines(path: Path) -> tuple[list[Rows], list[ReadError]]:
    """A part for each set of keys. Numbers within objects are named by both keys: "eval.accuracy"."""
    kinds: dict[tuple[str, ...], tuple[list[int], list[list[float]]]] = {}
    bad = first_bad = left = number = 0
    for number, line in _lines(path):
        if not line.strip():
            continue
        record = _record(line)
        if record is None:
            bad, first_bad = bad + 1, first_bad or number
            continue
        names = tuple(record)
        if names not in kinds and len(kinds) >= _KINDS:
            left += 1
            continue
        lines, values = kinds.setdefault(names, ([], []))
        lines.append(number)
        values.append(list(record.values()))
    problems = []
    if bad:
        problems.append(ReadError("curve-lines", path=str(path), count=bad, line=first_bad))
    if left:
        problems.append(ReadError("curve-kinds", path=str(path), count=left, limit=_KINDS))
    parts = []
    for names, (lines, values) in kinds.items():
        table = np.array(values, np.float64).reshape(len(lines), len(names))
        everywhere = np.ones(len(lines), bool)
        parts += _by_column({name: (everywhere, table[:, at]) for at, name in enumerate(names)}, np.array(lines))
    return parts, problems


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines with their numbers from 1; of one that is too long, its beginning."""
    try:
        with path.open("rb") as file:
            number, is_rest = 1, False
            while line := file.readline(_LONGEST):
                if not is_rest:
                    yield number, line
                is_rest = not line.endswith(b"\n")
                number += not is_rest
    except OSError as error:
        raise from_os_error(error, path) from None


def _record(line: bytes) -> dict[str, float] | None:
    """The numbers of a JSON object; None for what is none."""
    import msgspec

    try:
        found = msgspec.json.decode(line.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        try:
            found = json.loads(line)  # which knows NaN and Infinity, as Python writes them
        except (ValueError, RecursionError):
            return None
    if not isinstance(found, dict):
        return None
    numbers: dict[str, float] = {}
    for name, value in found.items():
        inner = value.items() if isinstance(value, dict) else (("", value),)
        for key, number in inner:
            if isinstance(number, str) and number.strip().lower().lstrip("+-") in ("nan", "inf", "infinity"):
                number = float(number)
            if isinstance(number, int | float):
                try:
                    numbers[f"{name}.{key}" if key else name] = float(number)
                except OverflowError:
                    continue
    return numbers
