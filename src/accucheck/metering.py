"""The metric of a training that runs, or has run: as its evaluations gave it, as it printed it, or as it wrote it to a file."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from .case import Case, CaseFile, Curves
from .errors import ReadError
from .probes._curves import Logs, Series
from .readers import recordings

_TRAINED = re.compile(r"(?i)train")
#: Seconds between two looks at least, and how many times as long as a look takes: it shares the processor with the training.
_APART, _TIMES = 0.5, 50.0
#: What a recording tells of time by itself: the training reports no such number.
_CLOCKS = ("seconds", "data_seconds")
#: Names that are told of a training without the metric, and points that are kept of one.
_NAMES, POINTS = 12, 100


class Read(NamedTuple):
    """The metric so far: its name, what `points` lie over (epoch, step or point), and the points; `epochs` were begun, and `bad` tells
    that the loss is not finite at the end."""

    name: str
    unit: str
    points: list[tuple[float, float]]
    epochs: int
    bad: bool

    @property
    def last(self) -> float | None:
        return self.points[-1][1] if self.points else None


class Source(NamedTuple):
    """Where a training tells of itself: the folder of its recording and output, the file that holds the output, the folder of its copy with
    the curves that it writes there, and when it began."""

    folder: Path
    output: Path
    copy: Path
    curves: tuple[str, str]
    since: float
    evaluated: bool = False


@dataclass
class Meter:
    """Reads one metric: that of `name`, else the accuracy of the project's evaluation, else its loss, whose name it then is."""

    name: str = ""
    #: Names that were seen where the metric was not.
    seen: list[str] = field(default_factory=list)
    _next: float = 0.0
    _size: int = -1

    def now(self, source: Source) -> Read | None:
        """The metric of a training that runs; None where nothing new can be told, or it is too soon to look."""
        begun = time.monotonic()
        if begun < self._next:
            return None
        size = sum(_size(path) for path in [source.output, *source.folder.glob("*.jsonl")])
        if size == self._size:
            return None
        self._size = size
        found = self.read(source, running=True)
        taken = time.monotonic() - begun
        self._next = time.monotonic() + max(_APART, _TIMES * taken)
        return found

    def read(self, source: Source, *, running: bool = False) -> Read:
        """What a training tells; `running`: the last line of its output may be cut."""
        logs = [*_logs(source)]
        series = self._series(logs)
        names = dict.fromkeys(name for one in logs for name in one.names() if name not in _CLOCKS)
        self.seen = [] if series is not None else list(names)[:_NAMES]
        points: list[tuple[float, float]] = []
        if series is not None:
            self.name = self.name or shown(series.name)
            points = list(zip(map(float, series.x), map(float, series.values), strict=True))
            if running and points and (series.torn or not _whole(source.output)):
                points = points[:-1]
        loss = next((one for log in logs if (one := log.series("loss")) is not None), None)
        bad = loss is not None and len(loss.values) > 0 and not math.isfinite(float(loss.values[-1]))
        unit = series.unit if series is not None else "epoch"
        return Read(self.name, unit, points, _epochs(source, unit, points, loss), bad)

    def _series(self, logs: Sequence[Logs]) -> Series | None:
        if self.name:
            return next((one for log in logs if (one := log.named(self.name)) is not None), None)
        for meaning in ("accuracy", "loss"):
            for log in logs:
                if (one := log.series(meaning, evaluated=True)) is not None:
                    return one
        plain = (log.series("accuracy") for log in logs)  # which does not say of what
        return next((one for one in plain if one is not None and not _TRAINED.search(one.name)), None)


def foreseen(case: Case) -> dict[str, str]:
    """The "metric" that trials will be compared by, as the last watch of the project or its logs tell it, and the "place" of that; empty
    where neither does."""
    folder = recordings.latest(Path(case.root))
    watched = [path for _, rank, path in recordings.watched(folder) if rank == 0] if folder is not None else []
    cases = [*(Case(case.root, CaseFile(curves=Curves(train=str(path)))) for path in watched), case]
    for one in cases:
        try:
            series = Meter()._series([Logs(one, "curves.train", "curves.eval")])
        except (ReadError, IndexError):
            continue
        if series is not None:
            return {"metric": shown(series.name), "place": series.path}
    return {}


def shown(name: str) -> str:
    """The name of a metric without what says that it is one of an evaluation by Model."""
    return name.removeprefix("metrics.")


def _logs(source: Source) -> Iterator[Logs]:
    """What there is to be read: the recording, the output, the curves that were written since the training began."""
    recorded = [path for mode, rank, path in recordings.watched(source.folder) if rank == 0 and mode == "user"]
    written = tuple(_fresh(source.copy, name, source.since) for name in source.curves)
    output = str(source.output)
    of_output = Curves(eval=output) if source.evaluated else Curves(train=output)
    for curves in (
        *(Curves(train=str(path)) for path in recorded[:1]),
        of_output,
        Curves(train=written[0], eval=written[1]),
    ):
        if curves.train is None and curves.eval is None:
            continue
        try:
            yield Logs(Case(str(source.copy), CaseFile(curves=curves)), "curves.train", "curves.eval")
        except (ReadError, IndexError):
            continue


def _fresh(copy: Path, name: str, since: float) -> str | None:
    path = copy / name
    there = name and not path.is_symlink() and path.is_file() and path.stat().st_mtime >= since
    return name if there else None


def _epochs(source: Source, unit: str, points: Sequence[tuple[float, float]], loss: Series | None) -> int:
    """How many epochs were begun, as the recording tells it, else the log; 0 where nothing does."""
    found = 0
    for _, rank, path in recordings.watched(source.folder):
        if rank == 0:
            try:
                columns = recordings.read(path).runs[-1].series.values()
            except (ReadError, IndexError):
                continue
            found = max([found, *(int(column.epochs.max()) for column in columns if len(column.epochs))])
    if not found and unit == "epoch" and points:
        found = int(points[-1][0]) + (points[0][0] == 0)
    if not found and loss is not None and len(loss.epochs) and loss.epochs.min() >= 0:
        found = int(loss.epochs.max()) + int(loss.epochs.min() == 0)
    return found


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _whole(path: Path) -> bool:
    """Whether the last line of a file is whole."""
    try:
        with path.open("rb") as stream:
            if not stream.seek(0, 2):
                return True
            stream.seek(-1, 2)
            return stream.read(1) == b"\n"
    except OSError:
        return True


def thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most POINTS of them, the last among them; what is not finite is left out."""
    kept = [(x, value) for x, value in points if math.isfinite(value)]
    each = max(1, math.ceil(len(kept) / POINTS))
    return kept[::-1][::each][::-1]
