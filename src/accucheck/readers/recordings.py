"""Recordings of trainings, as accucheck.Recorder and accucheck watch write them: what was recorded by name, each over its steps; runs
told apart.

A line that is cut off or no record is passed over and counted: a training that crashed, or is still running, leaves one.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import ReadError, from_os_error
from ..store import FOLDER

if TYPE_CHECKING:
    from .runs import Column

    #: Steps, epochs and values of one name.
    _Points = tuple[array[int], array[int], array[float]]

FORMAT = "accucheck.Recorder"
VERSION = 1
#: How a recording begins, whichever version wrote it.
MAGIC = b'{"recording":'

#: Where the recordings of watched runs lie in a project, in a folder each.
WATCH = f"{FOLDER}/watch"
#: Bytes of a recording and of a line of it, and names in a run.
_BYTES, _LINE, _NAMES = 1 << 30, 16 << 20, 1 << 16
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_NOT_VALUES = frozenset({"step", "epoch", "samples", "metrics", "opened", "recording", "fit", "losses", "labels"})
#: Steps of a run whose outputs and labels are kept.
_FITS = 1 << 16
#: Facts of one kind that are kept of a run.
_FACTS = 1 << 16
#: What a watch says of itself, and so much of it is read.
ABOUT, _ABOUT_BYTES = "watch.json", 1 << 20
#: Groups of parameters in a line of learning rates.
_GROUPS = 64
#: How a watch calls a recording: its mode, and its rank where that is not 0; until its command has ended, one of each process.
_NAME = re.compile(r"(user|pynative|nan|dump)(?:\.rank(\d+)(\.\d+)?)?\.jsonl")


@dataclass
class Run:
    """One start of a training: what its head says, and what was recorded.

    `series` by name: "loss", "lr", "seconds" (a step took), ...; what evaluations gave as "metrics.accuracy". True is 1.
    `samples` are (step, identities of the batch), `sample_epochs` their epochs, -1 where not known,
    `sample_losses` their losses and `sample_labels` their classes, empty where they were not recorded; `fits` are (step, how outputs and
    labels go together: _Fit). `opened` are names of opened files below the folder that was watched; `opened_whole`: the watch lasted
    until close() and missed nothing. `facts` are those of a watched run (live/inside/watch), by kind, in their order.
    """

    accucheck: str
    time: str
    mindspore: str | None
    rank: int
    series: dict[str, Column] = field(default_factory=dict)
    samples: list[tuple[int, list[str | int]]] = field(default_factory=list)
    sample_epochs: list[int] = field(default_factory=list)
    sample_losses: list[list[float]] = field(default_factory=list)
    sample_labels: list[list[int]] = field(default_factory=list)
    fits: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    opened_whole: bool = False
    facts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Recording:
    """`passed_over` counts lines that are no record, `first` is the number of the first one, from 1; `torn`: the last is cut off."""

    runs: list[Run]
    passed_over: int
    first: int | None
    torn: bool


class _LabelFit(msgspec.Struct):
    """How the outputs of a step and its labels go together, as live/inside/fitting.py tells it. `against` is None where the loss took
    exactly these two."""

    outputs: list[int]
    labels: list[int]
    whole: bool
    classes: int
    low: int | None = None
    high: int | None = None
    beyond: list[int] = []
    against: str | None = None


class _Head(msgspec.Struct):
    recording: int
    accucheck: str = ""
    time: str = ""
    mindspore: str | None = None
    rank: int = 0


def latest(root: Path) -> Path | None:
    """The folder of the last watch of a project that recorded something."""
    try:
        found = sorted((root / WATCH).iterdir(), reverse=True)
    except OSError:
        return None
    return next((path for path in found if path.is_dir() and any(of_mode(file) for file in path.glob("*.jsonl"))), None)


def of_mode(path: Path) -> tuple[str, int, bool] | None:
    """The mode and rank of a recording of a watch, and whether it is that of one process while the watch lasts, by its name."""
    told = _NAME.fullmatch(path.name)
    return None if told is None else (told[1], int(told[2] or 0), told[3] is not None)


def watched(place: Path) -> list[tuple[str, int, Path]]:
    """Mode, rank and file of each recording of a watch, a folder or one of them. Of a watch that did not come to its end, the
    recording of each rank is that of the process that trained most; one that cannot be read counts as nothing yet."""
    kept: dict[tuple[str, int], Path] = {}
    lasting: dict[tuple[str, int], list[Path]] = {}
    for path in sorted(place.glob("*.jsonl")) if place.is_dir() else [place]:
        if (told := of_mode(path)) is not None:
            mode, rank, of_process = told
            if of_process:
                lasting.setdefault((mode, rank), []).append(path)
            else:
                kept[mode, rank] = path
    for key, found in lasting.items():
        seen = {path: _trained_in(path) for path in found}
        most = max(found, key=lambda path: seen[path])
        if seen[most] != (0, 0):  # nothing yet, where the watch has only begun
            kept.setdefault(key, most)
    return [(mode, rank, path) for (mode, rank), path in sorted(kept.items())]


def _trained_in(path: Path) -> tuple[int, int]:
    try:
        return max(map(trained, read(path).runs), default=(0, 0))
    except ReadError:  # nothing of it could be written before the end
        return 0, 0


def trained(run: Run) -> tuple[int, int]:
    """How many steps of training were recorded, and how many passes were looked at."""
    seconds = run.series.get("seconds")
    return 0 if seconds is None else len(seconds.values), len(run.facts.get("pass", ()))


def failures(run: Run) -> list[dict[str, Any]]:
    """The hooks that failed. What an operation of the script raises late, as PyNative does, reaches first who asks for its result: where
    the script then ended by the same error, that is no failure of a hook."""
    own = {one.get("error") for one in run.facts.get("raised", ())}
    return [one for one in run.facts.get("failed", ()) if one.get("error") not in own]


def command(folder: Path) -> str | None:
    """The command that was watched, as a shell takes it; None where the watch did not keep it."""
    try:
        text = shlex.join([str(word) for word in about(folder)["command"]])
    except (KeyError, TypeError):
        return None
    return text if text.isprintable() else None


def about(folder: Path) -> dict[str, Any]:
    """What a watch says of itself: its command, steps and role; empty where it did not keep it."""
    try:
        with (folder / ABOUT).open("rb") as stream:
            found = json.loads(stream.read(_ABOUT_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def looks_like(head: bytes) -> bool:
    return head.startswith(MAGIC)


def read(path: Path, *, samples: bool = False) -> Recording:
    """All runs of a recording; the identities of samples only when asked for, as they may be many.

    Raises ReadError: unknown-format for another file, recording-newer, too-large, malformed for too many names, and what the
    file system says.
    """
    runs: list[Run] = []
    columns: dict[str, _Points] = {}
    passed_over, first, torn = 0, None, False
    try:
        if path.is_dir():
            raise ReadError("is-directory", path=str(path))
        if path.exists() and not path.is_file():
            raise ReadError("not-regular", path=str(path))
        size = path.stat().st_size
        if size > _BYTES:
            raise ReadError("too-large", path=str(path), size=size, limit=_BYTES)
        if not size:
            raise ReadError("empty", path=str(path))
        with path.open("rb") as stream:
            number = 0
            while line := stream.readline(_LINE):
                number += 1
                whole = line.endswith(b"\n")
                absurd = False
                while not whole and len(line) == _LINE and (rest := stream.readline(_LINE)):
                    absurd, whole = True, rest.endswith(b"\n")
                if not line.strip():
                    continue
                torn = not whole
                try:
                    if absurd:
                        raise ValueError
                    record = _decoded(line)
                    if "recording" in record:
                        head = msgspec.convert(record, _Head)
                        if head.recording > VERSION:
                            raise ReadError("recording-newer", path=str(path), found=head.recording, limit=VERSION)
                        _finish(runs, columns)
                        runs.append(Run(head.accucheck, head.time, head.mindspore, head.rank))
                    elif runs:
                        _take(record, runs[-1], columns, samples)
                    else:
                        raise ValueError
                    torn = False
                except (ValueError, TypeError, OverflowError, RecursionError, msgspec.MsgspecError):
                    if not runs:
                        raise ReadError("unknown-format", path=str(path), expected=FORMAT) from None
                    passed_over, first = passed_over + 1, first or number
                if len(columns) > _NAMES:
                    raise ReadError(
                        "malformed",
                        path=str(path),
                        format=FORMAT,
                        offset=stream.tell() - len(line),
                        expected=f"<= {_NAMES:,} names",
                    )
    except OSError as error:
        raise from_os_error(error, path) from None
    _finish(runs, columns)
    return Recording(runs, passed_over, first, torn)


def _decoded(line: bytes) -> dict[str, Any]:
    # Names of files may hold lone surrogates, which msgspec refuses.
    record = json.loads(line) if b"\\ud" in line else msgspec.json.decode(line)
    if not isinstance(record, dict):
        raise ValueError
    return record


def _take(record: dict[str, Any], run: Run, columns: dict[str, _Points], samples: bool) -> None:
    """One record into the run, wholly or, when something in it is none, not at all: then it raises."""
    if "fact" in record:
        if not isinstance(record["fact"], str):
            raise ValueError
        known = run.facts.setdefault(record["fact"], [])
        if len(known) < _FACTS:
            known.append(record)
        return
    if "opened" in record:
        names = record["opened"]
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError
        run.opened.extend(names)
        run.opened_whole = record.get("whole") is True
        return
    if "rates" in record:
        _take_rates(record["rates"], columns)
        return
    step = record.get("step")
    epoch = record.get("epoch", -1)
    if type(step) is not int or not 0 <= step < 1 << 63 or type(epoch) is not int or not epoch < 1 << 63:
        raise ValueError
    found = {name: _number(value) for name, value in record.items() if name not in _NOT_VALUES}
    if "metrics" in record:
        if not isinstance(record["metrics"], dict):
            raise ValueError
        found = {f"metrics.{name}": _number(value) for name, value in record["metrics"].items()}
    fit = msgspec.convert(record["fit"], _LabelFit) if "fit" in record else None
    if "samples" in record:
        batch = record["samples"]
        if not isinstance(batch, list) or not all(isinstance(one, (str, int)) for one in batch):
            raise ValueError
        given = record.get("losses", [])
        losses = [_number(one) for one in given] if isinstance(given, list) and len(given) in (0, len(batch)) else []
        if samples:
            run.samples.append((step, batch))
            run.sample_epochs.append(max(epoch, -1))
            run.sample_losses.append(losses)
            run.sample_labels.append(_classes(record.get("labels"), len(batch)))
    if fit is not None and len(run.fits) < _FITS:
        run.fits.append((step, msgspec.to_builtins(fit)))
    for name, value in found.items():
        _add(columns, name, step, epoch, value)


def _classes(given: Any, count: int) -> list[int]:
    whole = (
        isinstance(given, list)
        and len(given) == count
        and all(type(one) is int and abs(one) < 1 << 62 for one in given)
    )
    return given if whole else []


def _add(columns: dict[str, _Points], name: str, step: int, epoch: int, value: float) -> None:
    if name not in columns:
        columns[name] = array("q"), array("q"), array("d")
    steps, epochs, values = columns[name]
    steps.append(step)
    epochs.append(max(epoch, -1))
    values.append(value)


def _take_rates(rates: Any, columns: dict[str, _Points]) -> None:
    """Learning rates of steps before; `_finish` puts them where they belong."""
    if not isinstance(rates, list):
        raise ValueError
    checked: list[tuple[int, int, list[float]]] = []
    for one in rates:
        if (
            not isinstance(one, list)
            or not 3 <= len(one) <= 2 + _GROUPS
            or type(one[0]) is not int
            or type(one[1]) is not int
        ):
            raise ValueError
        if not 0 <= one[0] < 1 << 63 or not one[1] < 1 << 63:
            raise ValueError
        checked.append((one[0], one[1], [_number(value) for value in one[2:]]))
    for step, epoch, values in checked:
        for number, value in enumerate(values):
            _add(columns, "lr" if len(values) == 1 else f"lr.{number}", step, epoch, value)


def _number(value: Any) -> float:
    if isinstance(value, str):
        value = _WORDS.get(value)
    if not isinstance(value, (int, float)):
        raise ValueError
    return float(value)


def _finish(runs: list[Run], columns: dict[str, _Points]) -> None:
    import numpy as np

    from .runs import Column

    for name, (steps, epochs, values) in columns.items():
        numbers = (np.frombuffer(steps, np.int64), np.frombuffer(epochs, np.int64), np.frombuffer(values, np.float64))
        if name == "lr" or name.startswith("lr."):  # of some steps it was computed later
            order = np.argsort(numbers[0], kind="stable")
            numbers = (numbers[0][order], numbers[1][order], numbers[2][order])
        runs[-1].series[name] = Column(*numbers)
    columns.clear()
