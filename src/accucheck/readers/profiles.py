"""What mindspore.profiler wrote: time by operator, time by step, how full the queues of the data pipeline were, and waiting for data.

Of a CPU run these are FRAMEWORK/cpu_op_type_info_*.csv; of an Ascend run op_statistic_*.csv, kernel_details.csv and step_trace_time.csv
in ASCEND_PROFILER_OUTPUT; of profiled data pipelines pipeline_profiling_*.json and dataset_iterator_profiling_*.txt or, where batches are
sunk, device_queue_profiling_*.txt. Columns are those of MindSpore 2.10 and CANN 8; the Ascend files are read by their description, no
such device was at hand. Timelines (trace_view.json) are left alone: the tables sum them up.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import msgspec

from ..errors import ReadError, from_os_error
from .tensors import open_regular

READABLE = (
    "cpu_op_type_info_*.csv, op_statistic_*.csv, kernel_details.csv, step_trace_time.csv, pipeline_profiling_*.json, "
    "dataset_iterator_profiling_*.txt, device_queue_profiling_*.txt"
)
#: Entries that are looked at below a folder, levels, and runs that are told apart.
_ENTRIES, _DEPTH, _RUNS = 20_000, 6, 64
#: Bytes of a table, which is read by lines, and of JSON, which is not; lines, different operators, stages.
_TABLE, _JSON = 1 << 30, 64 << 20
_LINES, _TYPES, _STAGES = 5_000_000, 10_000, 1000
_DETAILS = "kernel_details.csv"
#: Folders within that of a run.
_INNER = frozenset({"FRAMEWORK", "ASCEND_PROFILER_OUTPUT"})


class Operator(msgspec.Struct, frozen=True):
    """All calls of one type of operator: `ms` in all; `core` is the unit that it ran on, empty where that is not told."""

    name: str
    calls: int
    ms: float
    core: str = ""


class Step(msgspec.Struct, frozen=True):
    """One training step on the device, in ms: computing, communication that no computing hides, and nothing to do."""

    number: str
    computing: float
    communication: float
    free: float

    @property
    def ms(self) -> float:
        return self.computing + self.communication + self.free


class PipelineStage(msgspec.Struct, frozen=True):
    """One operation of the data pipeline. `filled` is how full the queue behind it was on average, `empty` how often it was
    empty, both of 1; None where it has no queue of its own."""

    id: int
    name: str
    workers: int
    children: tuple[int, ...]
    filled: float | None
    empty: float | None


class DataWaits(msgspec.Struct, frozen=True):
    """How training got its batches once it was under way. `waits` are the ms until each batch was there;
    `ms` is the time of all these steps, `empty` the share of them that found the queue empty. `sunk`: a thread of its own sends batches
    to the device, and the waits are its own."""

    waits: list[float]
    ms: float
    empty: float
    sunk: bool


class Profile(msgspec.Struct):
    """What one run (or one device of it) wrote. `problems` could not be read; the rest still counts."""

    path: str
    operators: list[Operator] = []
    steps: list[Step] = []
    stages: list[PipelineStage] = []
    waiting: DataWaits | None = None
    problems: list[ReadError] = []

    @property
    def bottleneck(self) -> PipelineStage | None:
        """The stage that gets most and gives least: the largest fall from the fullness before it to that behind it.

        A source counts as if it always had something to read.
        """
        known = {stage.id: stage for stage in self.stages}

        def before(stage: PipelineStage) -> float:
            below = [stage]
            for _ in self.stages:  # a damaged profile may go round in circles
                below = [known[child] for one in below for child in one.children if child in known][:_STAGES]
                if any(one.filled is not None for one in below):
                    break
            return min((one.filled for one in below if one.filled is not None), default=1.0)

        falls = [(before(stage) - stage.filled, stage.id) for stage in self.stages if stage.filled is not None]
        return known[max(falls)[1]] if falls and max(falls)[0] > 0 else None


def read(place: Path) -> list[Profile]:
    """The runs below a folder, or the one that a file belongs to, by their paths; where a folder holds the files of several devices,
    each has a run of its own, under the path of its first file.

    Raises ReadError: unknown-format where nothing of this kind is there, and what the file system says of `place` itself.
    """
    problems: list[ReadError] = []
    try:
        # The statistic says the same as the details, summed up.
        files = [place] if place.is_file() else sorted(_walk(place, problems), key=lambda path: path.name == _DETAILS)
    except OSError as error:
        raise from_os_error(error, place) from None
    runs: dict[tuple[Path, str], Profile] = {}
    first: dict[Path, str] = {}  # the device of a folder that came first; what tells no device counts as its own
    for path in files:
        match, take = next(
            ((match, take) for pattern, take in _READERS if (match := pattern.fullmatch(path.name))), (None, None)
        )
        if match is None or take is None:
            continue
        root = path.parent.parent if path.parent.name in _INNER else path.parent
        device = "".join(match.groups())
        run = root, device if device and device != first.setdefault(root, device) else ""
        if run not in runs and len(runs) == _RUNS:
            problems.append(ReadError("profile-limit", path=str(place), limit=_RUNS))
            break
        profile = runs.setdefault(run, Profile(str(path if run[1] else root)))
        try:
            take(path, profile)
        except ReadError as error:
            profile.problems.append(error)
    if not runs:
        raise problems[0] if problems else ReadError("unknown-format", path=str(place), expected=READABLE)
    found = sorted(runs.values(), key=lambda profile: profile.path)
    found[0].problems += problems
    return found


def _walk(root: Path, problems: list[ReadError]) -> Iterator[Path]:
    """The files below a folder in a stable order; links to folders are not followed."""
    waiting, seen = [(root, 0)], 0
    while waiting:
        folder, depth = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            if folder == root:
                raise
            problem = from_os_error(error, folder)
            assert isinstance(problem, ReadError)
            problems.append(problem)
            continue
        seen += len(entries)
        if seen > _ENTRIES:
            problems.append(ReadError("profile-limit", path=str(root), limit=_ENTRIES))
            return
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if depth < _DEPTH:
                    waiting.append((Path(entry.path), depth + 1))
            elif entry.is_file():
                yield Path(entry.path)


# --- tables -----------------------------------------------------------------------------------------------------------


def _lines(path: Path) -> Iterator[str]:
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > _TABLE:
            raise ReadError("too-large", path=str(path), size=size, limit=_TABLE)
        text = io.TextIOWrapper(io.BufferedReader(cast(io.FileIO, file)), "utf-8-sig", "replace", newline="")
        for number, line in enumerate(iter(lambda: text.readline(1 << 16), "")):
            if number == _LINES:
                raise ReadError("too-large", path=str(path), size=size, limit=_TABLE)
            yield line.replace("\0", "\ufffd")  # the csv module of Python 3.10 refuses the first


def _rows(
    path: Path, wanted: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Iterator[tuple[list[str], list[float]]]:
    """Each row of a table with a header: the texts of the columns in `optional`, the numbers of those in `wanted`.

    Raises ReadError for another header, and for a row that is cut off or holds no number there.
    """
    reader = csv.reader(_lines(path))
    try:
        header = [name.strip() for name in next(reader, [])]
        places = {name: place for place, name in enumerate(header)}
        lacking = [name for name in wanted if name not in places]
        if lacking:
            raise ReadError("profile-columns", path=str(path), columns=lacking)
        for row in reader:
            if not row:
                continue
            try:
                numbers = [float(row[places[name]]) for name in wanted]
                if any(number < 0 or number == float("inf") or number != number for number in numbers):
                    raise ValueError
                yield [row[places[name]].strip() if name in places else "" for name in optional], numbers
            except (ValueError, IndexError):
                raise ReadError("profile-row", path=str(path), line=reader.line_num) from None
    except csv.Error:
        raise ReadError("profile-row", path=str(path), line=reader.line_num) from None
    except OSError as error:
        raise from_os_error(error, path) from None


def _operators(path: Path, rows: Iterator[tuple[list[str], list[float]]], profile: Profile) -> None:
    """Rows of (type, core), (calls, ms) summed up; what a damaged row cuts off is lost, the rest counts."""
    totals: dict[tuple[str, str], list[float]] = {}
    try:
        for (name, core), (calls, ms) in rows:
            if (name, core) not in totals and len(totals) == _TYPES:
                raise ReadError("profile-limit", path=str(path), limit=_TYPES)
            total = totals.setdefault((name, core), [0, 0.0])
            total[0] += calls
            total[1] += ms
    finally:
        found = [Operator(name, int(calls), ms, core) for (name, core), (calls, ms) in totals.items()]
        profile.operators = sorted(found, key=lambda one: -one.ms)


def _cpu_types(path: Path, profile: Profile) -> None:
    rows = _rows(path, ("type_occurrences", "total_compute_time"), ("op_type", "core"))
    _operators(path, rows, profile)


def _statistic(path: Path, profile: Profile) -> None:
    rows = _rows(path, ("Count", "Total Time(us)"), ("OP Type", "Core Type"))
    _operators(path, (((texts), [calls, us / 1000]) for texts, (calls, us) in rows), profile)


def _kernels(path: Path, profile: Profile) -> None:
    if profile.operators:
        return
    rows = _rows(path, ("Duration(us)",), ("Type", "Accelerator Core"))
    _operators(path, (((texts), [1.0, us / 1000]) for texts, (us,) in rows), profile)


def _steps(path: Path, profile: Profile) -> None:
    wanted = ("Computing", "Communication(Not Overlapped)", "Free")
    for (number,), (computing, communication, free) in _rows(path, wanted, ("Step",)):
        profile.steps.append(Step(number, computing / 1000, communication / 1000, free / 1000))


# --- the data pipeline ------------------------------------------------------------------------------------------------


class _Queue(msgspec.Struct):
    length: int = 0
    size: list[int] = []


class _Metrics(msgspec.Struct):
    output_queue: _Queue | None = None


class _Operation(msgspec.Struct):
    op_id: int
    op_type: str
    num_workers: int = 1
    children: list[int] | None = None
    metrics: _Metrics | None = None


class _Pipeline(msgspec.Struct):
    op_info: list[_Operation]


def _pipeline(path: Path, profile: Profile) -> None:
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > _JSON:
            raise ReadError("too-large", path=str(path), size=size, limit=_JSON)
        data = file.read(_JSON + 1)
    try:
        found = msgspec.json.decode(data, type=_Pipeline)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ReadError("profile-json", path=str(path), problem=str(error)) from None
    for operation in found.op_info[:_STAGES]:
        queue = operation.metrics.output_queue if operation.metrics else None
        filled = empty = None
        if queue is not None and queue.size and queue.length > 0:
            filled = min(1.0, fmean(queue.size) / queue.length)
            empty = queue.size.count(0) / len(queue.size)
        name = operation.op_type.removesuffix("Op")
        children = tuple(operation.children or ())
        profile.stages.append(PipelineStage(operation.op_id, name, operation.num_workers, children, filled, empty))


def _iterator(path: Path, profile: Profile) -> None:
    profile.waiting = _waiting(path, False)


def _device_queue(path: Path, profile: Profile) -> None:
    profile.waiting = _waiting(path, True)


def _waiting(path: Path, sunk: bool) -> DataWaits | None:
    """Lines of: kind (0 a time, 1 the queue), which time (0 fetching) or the queue's length, number of the batch, value, time stamp in ms.

    Batches that lay in the queue before the first step ended, which compiles the graph, are left out where that leaves half of them. None
    where it holds no more than the first batch.
    """
    fetched: dict[int, int] = {}
    queue: list[tuple[int, int, int]] = []  # batch, depth, stamp
    length = 0
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            kind, which, batch, value, stamp = numbers = [int(part) for part in line.split()[:5]]
            if any(abs(number) >= 1 << 63 for number in numbers):
                raise ValueError
        except ValueError:
            raise ReadError("profile-row", path=str(path), line=number) from None
        if kind == 1:
            queue.append((batch, value, stamp))
            length = which
        elif which == 0:
            fetched[batch] = value
    skipped = 1 + length if len(queue) >= 2 * (1 + length) else 1
    counted = [one for one in queue[skipped:] if one[0] in fetched]
    if not counted:
        return None
    waits = [float(fetched[batch]) for batch, _, _ in counted]
    empty = sum(depth == 0 for _, depth, _ in counted) / len(counted)
    return DataWaits(waits, float(queue[-1][2] - queue[skipped - 1][2]), empty, sunk)


_READERS: list[tuple[re.Pattern[str], Callable[[Path, Profile], Any]]] = [
    (re.compile(r"cpu_op_type_info_(\d+)\.csv"), _cpu_types),
    (re.compile(r"op_statistic(?:_\d+)*\.csv"), _statistic),
    (re.compile(r"kernel_details\.csv"), _kernels),
    (re.compile(r"step_trace_time\.csv"), _steps),
    (re.compile(r"pipeline_profiling_(\d+)\.json"), _pipeline),
    (re.compile(r"dataset_iterator_profiling_(\d+)\.txt"), _iterator),
    (re.compile(r"device_queue_profiling_(\d+)\.txt"), _device_queue),
]
