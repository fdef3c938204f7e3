"""Dumps of a training as operations in the order they ran, each with its inputs and outputs; without MindSpore.

Reads folders of MINDSPORE_DUMP_CONFIG (.npy, statistic.csv, Opdebug.*.json; layouts as in MindSpore's tutorial "Dump"), dump.json of
msprobe, and plain folders of .npy. `open_dump` lists only; `examine` reads one tensor, so that who looks for the first of its
kind opens no later file. Whether a value is wrong is for the caller to judge.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..errors import ReadError, from_os_error
from . import arrays
from .tensors import natural

#: Files that are listed, folders above each other, bytes of a JSON file, rows of all statistic.csv, values within a value of dump.json.
_FILES, _DEPTH, _JSON, _ROWS, _NESTED = 1_000_000, 16, 256 << 20, 2_000_000, 8
#: Of a tensor in a device's own format, which has no ending: type, name, task, stream, time.
_BINARY = re.compile(r"[^.]+\..+\.\d+\.\d+\.\d{10,}(\.bin)?|.+\.bin")
_RANK = re.compile(r"rank_?(\d{1,9})")
_STEP = re.compile(r"step_?(\d{1,15})")
_GRAPH = re.compile(r"ms_execution_order_graph_(\d{1,9})\.csv")
_OPDEBUG = re.compile(r"Opdebug\..+\.(\d+)\.(\d+)\.(\d+)(\.output\.\d+)?\.json", re.IGNORECASE)
#: The sections of an overflow file, and what tells an operation in them.
_SECTIONS = ("AI Core", "DHA Atomic Add", "L2 Atomic Add")


class Values(msgspec.Struct, frozen=True):
    """What a tensor holds: `count` numbers (a complex one is two), of which NaN, +Inf and -Inf; the range of the finite ones.

    `counted` is False where statistics tell that there are some, but not how many; they are 1 then. Of integers, only the count.
    `mean` and `norm` (the Euclidean one) are known where statistics tell them.
    """

    dtype: str
    shape: tuple[int, ...] | None
    count: int | None = None
    nan: int = 0
    positive: int = 0
    negative: int = 0
    minimum: float | None = None
    maximum: float | None = None
    counted: bool = True
    mean: float | None = None
    norm: float | None = None

    @property
    def finite(self) -> bool:
        return not (self.nan or self.positive or self.negative)


class Tensor(msgspec.Struct, frozen=True):
    """One input or output. `io` is "input" or "output"; `time` the stamp in its name; `told` what statistics say, without a file.

    `task` and `stream` are those of the device, which an Overflow names.
    """

    path: str
    type: str
    op: str
    io: str
    slot: int
    time: int | None = None
    dtype: str = ""
    told: Values | None = None
    task: int | None = None
    stream: int | None = None


class Operation(msgspec.Struct):
    """One run of an operation, with its tensors in the order of io and slot. `rank` and `step` are None where the place tells none."""

    type: str
    name: str
    rank: int | None
    step: int | None
    tensors: list[Tensor]

    @property
    def inputs(self) -> list[Tensor]:
        return [tensor for tensor in self.tensors if tensor.io == "input"]

    @property
    def outputs(self) -> list[Tensor]:
        return [tensor for tensor in self.tensors if tensor.io == "output"]


class Overflow(msgspec.Struct, frozen=True):
    """An overflow that the device told (Opdebug.*.json): the section that tells it, and the operation by task and stream.

    `operation` is its name, where a tensor of the same task and stream was dumped beside it.
    """

    path: str
    time: int
    section: str
    task: int
    stream: int
    status: int
    rank: int | None = None
    step: int | None = None
    operation: str | None = None


class Dump(msgspec.Struct, frozen=True):
    """`operations` by rank and step in their order within; `orders` tells what that is known from: "execution", "time", "file" or "names".

    With `problems` it is a part of what the folder holds. `overflows` come in the order of time; of the `overflow_files` one may tell none.
    """

    path: str
    operations: list[Operation]
    orders: list[str]
    overflows: list[Overflow]
    problems: list[ReadError]
    overflow_files: int = 0


class _Folder(msgspec.Struct):
    """What stands in one folder, or in one file of statistics."""

    place: str
    rank: int | None
    step: int | None
    graph: int | None
    tensors: list[Tensor] = []
    by_file: bool = False  # their order is that of a file


def open_dump(path: Path) -> Dump:
    """List a dump: a folder, or a dump.json or statistic.csv. No .npy is opened.

    Raises ReadError: not-found, no-dump, dump-binary where all is in a device's own format, or what the only file is damaged by.
    """
    problems: list[ReadError] = []
    found = _DumpListing(problems)
    try:
        if path.is_dir():
            found.walk(path)
        elif not path.is_file():
            path.stat()
            raise ReadError("not-regular", path=str(path))
        elif path.name.endswith(".npy"):
            found.take_folder(str(path.parent), (), [path.name])
        else:
            found.take_file(str(path), ())
    except OSError as error:
        raise from_os_error(error, path) from None
    if not found.folders and not found.overflow_files:
        raise problems[0] if problems else ReadError("no-dump", path=str(path))
    operations, orders = found.operations()
    overflows = sorted(found.overflows, key=lambda overflow: overflow.time)
    return Dump(str(path), operations, orders, overflows, problems, found.overflow_files)


class _DumpListing:
    """What a walk through a dump gathers."""

    def __init__(self, problems: list[ReadError]) -> None:
        self.problems = problems
        self.folders: list[_Folder] = []
        self.overflows: list[Overflow] = []
        self.execution: dict[tuple[int | None, int], dict[str, int]] = {}
        self.files = self.rows = self.overflow_files = 0

    def walk(self, root: Path) -> None:
        waiting: list[tuple[str, tuple[str, ...]]] = [(str(root), (root.resolve().name,))]
        while waiting:
            folder, parts = waiting.pop()
            names, below = [], []
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            below.append(entry.name)
                        elif entry.is_file():
                            names.append(entry.name)
                        elif entry.name.endswith((".npy", ".json", ".csv")) and not entry.is_dir():
                            there = Path(entry.path).exists()  # a pipe would hang; a link may lead nowhere
                            self.refuse(ReadError("not-regular" if there else "not-found", path=entry.path))
            except OSError as error:
                self.refuse(from_os_error(error, folder))
                continue
            self.files += len(names)
            if self.files > _FILES:
                self.refuse(ReadError("dump-files", path=str(root), limit=_FILES))
                return
            if len(parts) < _DEPTH:
                # dump_tensor_data holds what dump.json beside it names; what is in graphs is no tensor.
                skipped = {"dump_tensor_data"} if "dump.json" in names else set()
                waiting += [
                    (os.path.join(folder, name), (*parts, name)) for name in sorted(below) if name not in skipped
                ]
            self.take_folder(folder, parts, names)

    def refuse(self, error: Exception) -> None:
        assert isinstance(error, ReadError)
        self.problems.append(error)

    def take_folder(self, folder: str, parts: tuple[str, ...], names: list[str]) -> None:
        tensors = [name for name in names if name.endswith(".npy")]
        if tensors:
            self.take_tensors(folder, parts, tensors, "mapping.csv" in names)
        for name in sorted(names):
            listed = name == "dump.json" or (name == "statistic.csv" and not tensors)
            if listed or _OPDEBUG.fullmatch(name) or _GRAPH.fullmatch(name):
                self.take_file(os.path.join(folder, name), parts)
        binary = [name for name in names if _BINARY.fullmatch(name)]
        if binary:
            self.refuse(ReadError("dump-binary", path=folder, count=len(binary), name=min(binary)))

    def take_file(self, path: str, parts: tuple[str, ...]) -> None:
        name = Path(path).name
        try:
            if match := _OPDEBUG.fullmatch(name):
                self.overflows += _overflows(path, int(match[3]), *_place(parts)[:2])
                self.overflow_files += 1
            elif match := _GRAPH.fullmatch(name):
                self.execution[_place(parts)[0], int(match[1])] = _execution_order(path)
            elif name.endswith(".csv"):
                tensors = list(_statistics(path, _ROWS - self.rows, self.refuse))
                self.rows += len(tensors)
                self.add(path, parts, tensors)
            elif name.endswith(".json"):
                self.add(path, parts, _msprobe(path, self.refuse), by_file=True)
            else:
                raise ReadError("unknown-format", path=path, expected="MindSpore dump, dump.json, .npy")
        except ReadError as error:
            self.problems.append(error)

    def take_tensors(self, folder: str, parts: tuple[str, ...], names: list[str], mapped: bool) -> None:
        originals: dict[str, str] = {}
        if mapped:
            try:
                originals = _mapping(os.path.join(folder, "mapping.csv"))
            except ReadError as error:
                self.problems.append(error)
        start = folder + os.sep
        self.add(folder, parts, [_named(start + name, originals.get(name, name)) for name in names])

    def add(self, place: str, parts: tuple[str, ...], tensors: list[Tensor], by_file: bool = False) -> None:
        if tensors:
            self.folders.append(_Folder(place, *_place(parts), tensors, by_file))

    def operations(self) -> tuple[list[Operation], list[str]]:
        groups: dict[tuple[int, int], list[_Folder]] = {}
        for folder in self.folders:
            groups.setdefault((_first(folder.rank), _first(folder.step)), []).append(folder)
        operations: list[Operation] = []
        orders: set[str] = set()
        for _, folders in sorted(groups.items()):
            found, order = self.ordered(sorted(folders, key=lambda folder: (_first(folder.graph), folder.place)))
            operations += found
            orders.add(order)
        self.match_overflows()
        return operations, sorted(orders)

    def ordered(self, folders: list[_Folder]) -> tuple[list[Operation], str]:
        """The operations of one step, and what their order is known from."""
        rank, step = folders[0].rank, folders[0].step
        tensors = [tensor for folder in folders for tensor in folder.tensors]
        if any(folder.by_file for folder in folders):
            return _runs(tensors, rank, step), "file"
        if any(tensor.time is None for tensor in tensors):
            tensors.sort(key=lambda tensor: natural(tensor.path))
            return _runs(tensors, rank, step), "names"
        tensors.sort(key=lambda tensor: tensor.time or 0)
        runs = _runs(tensors, rank, step)
        order = self.execution.get((rank, _first(folders[0].graph))) if len(folders) == 1 else None
        names = [run.name for run in runs if run.type != "Parameter"]
        # MindSpore numbers some operations anew between writing this file and running: then time stamps tell the order.
        if order and len(names) == len(set(names)) and all(name in order for name in names):
            return sorted(runs, key=lambda run: order.get(run.name, len(order))), "execution"
        return runs, "time"

    def match_overflows(self) -> None:
        names: dict[tuple[int | None, int | None, int | None], str] = {}
        for folder in self.folders if self.overflows else ():
            for tensor in folder.tensors:
                names.setdefault((folder.rank, tensor.task, tensor.stream), tensor.op)
        self.overflows = [
            msgspec.structs.replace(one, operation=names.get((one.rank, one.task, one.stream)))
            for one in self.overflows
        ]


def _first(number: int | None) -> int:
    """For sorting: what is not known comes first."""
    return -1 if number is None else number


def _place(parts: tuple[str, ...]) -> tuple[int | None, int | None, int | None]:
    """Rank, step and graph from the names of the folders: rank_0/net/GRAPH/STEP of MindSpore, stepN/rankN of msprobe."""
    rank = next((int(match[1]) for part in reversed(parts) if (match := _RANK.fullmatch(part))), None)
    step = next((int(match[1]) for part in reversed(parts) if (match := _STEP.fullmatch(part))), None)
    graph = None
    if parts and _is_number(parts[-1]):
        step = int(parts[-1])
        if len(parts) > 1 and _is_number(parts[-2]):
            graph = int(parts[-2])
    return rank, step, graph


def tells_step(folder: str) -> bool:
    """Whether the name of a folder tells a rank or a step in a word."""
    return bool(_RANK.fullmatch(folder) or _STEP.fullmatch(folder))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 16


def _named(path: str, name: str) -> Tensor:
    """A tensor from the name of its file, parsed from the right; older names lack the dtype, some the format.

    {type}.{name}.{task}.{stream}.{time}.{input|output}.{slot}[.{format}[.{dtype}]].npy, or {input|output}_{index} before the slot.
    """
    words = name[:-4].split(".")
    for at in range(len(words) - 2, max(4, len(words) - 5), -1):
        io, _, index = words[at].partition("_")
        if io in ("input", "output") and words[at + 1].isdecimal() and words[at - 1].isdecimal():
            slot = int(index if index.isdecimal() else words[at + 1][:9])
            op = ".".join(words[1 : at - 3])
            dtype = words[-1] if at + 3 < len(words) else ""
            task, stream = (int(word[:18]) if word.isdecimal() else None for word in words[at - 3 : at - 1])
            return Tensor(path, words[0], op, io, slot, int(words[at - 1][:18]), dtype, None, task, stream)
    return Tensor(path, "", name[:-4], "output", 0)


def _runs(tensors: list[Tensor], rank: int | None, step: int | None) -> list[Operation]:
    """Tensors as operations in the order of their first ones; a tensor that comes again is of another run of its operation."""
    runs: list[Operation] = []
    latest: dict[tuple[str, str], tuple[Operation, set[tuple[str, int]]]] = {}
    for tensor in tensors:
        which, what = (tensor.type, tensor.op), (tensor.io, tensor.slot)
        if which not in latest or what in latest[which][1]:
            latest[which] = Operation(tensor.type, tensor.op, rank, step, []), set()
            runs.append(latest[which][0])
        latest[which][0].tensors.append(tensor)
        latest[which][1].add(what)
    for run in runs:
        run.tensors.sort(key=lambda tensor: (tensor.io, tensor.slot))
    return runs


# --- values ------------------------------------------------------------------------------------------------------------------


def shape_of(tensor: Tensor) -> tuple[int, ...] | None:
    """The shape of a tensor, None where statistics do not tell it. Raises ReadError."""
    if tensor.told is not None:
        return tensor.told.shape
    (array,) = arrays.arrays(Path(tensor.path), "npy")
    return array.shape


def examine(tensor: Tensor, *, integers: bool = False) -> Values:
    """What a tensor holds: as statistics tell it, else from its file; of whole numbers their range where `integers` asks for it.

    Raises ReadError. Memory: a block of the file.
    """
    if tensor.told is not None:
        return tensor.told
    (array,) = arrays.arrays(Path(tensor.path), "npy")
    dtype, shape = array.dtype, array.shape
    bits16 = dtype.itemsize == 2 and dtype.kind in "uV" and tensor.dtype.lower() in ("bfloat16", "bf16")
    if dtype.hasobject or dtype.names or (dtype.kind not in "biufc" and not bits16):
        raise ReadError("dump-type", path=tensor.path, dtype=str(dtype)[:100])
    if dtype.kind not in "fc" and not bits16:
        ends = _ends(array) if integers and array.size else (None, None)
        return Values(tensor.dtype or str(dtype), shape, array.size, minimum=ends[0], maximum=ends[1])
    nan = positive = negative = 0
    lowest, highest = np.inf, -np.inf
    for _, block in arrays.read(array, 0, array.size):
        values = block
        if bits16:
            values = (block.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        elif dtype.kind == "c":
            values = block.view(block.real.dtype)
        low, high = float(values.min()), float(values.max())
        if not (np.isfinite(low) and np.isfinite(high)):  # NaN passes through min and max
            good = np.isfinite(values)
            here = int(np.count_nonzero(np.isnan(values)))
            up = int(np.count_nonzero(values == np.inf))
            nan, positive, negative = nan + here, positive + up, negative + len(values) - int(good.sum()) - here - up
            if not good.any():
                continue
            values = values[good]
            low, high = float(values.min()), float(values.max())
        lowest, highest = min(lowest, low), max(highest, high)
    count = array.size * (2 if dtype.kind == "c" else 1)
    least, most = (lowest, highest) if lowest <= highest else (None, None)
    return Values(tensor.dtype or str(dtype), shape, count, nan, positive, negative, least, most)


def _ends(array: Any) -> tuple[float, float]:
    """The least and the largest number of an array without NaN."""
    blocks = [(block.min(), block.max()) for _, block in arrays.read(array, 0, array.size)]
    return float(min(low for low, _ in blocks)), float(max(high for _, high in blocks))


def _told(dtype: str, shape: tuple[int, ...] | None, numbers: dict[str, float | None]) -> Values | None:
    """Values from statistics by name: minimum, maximum, others; and nan, positive, negative and count where they were counted."""
    counts = [numbers.get(name) for name in ("nan", "positive", "negative")]
    limits = [numbers.get(name) for name in ("minimum", "maximum")]
    others = [numbers.get(name) for name in ("mean", "norm")]
    if all(number is None for number in (*counts, *limits, *others)):
        return None
    counted = all(number is not None and np.isfinite(number) for number in counts)
    if counted:
        nan, positive, negative = (int(number or 0) for number in counts)
    else:
        said = [number for number in (*limits, *others) if number is not None]
        nan = int(any(np.isnan(number) for number in said) and not any(np.isinf(number) for number in limits if number))
        positive, negative = int(np.inf in limits), int(-np.inf in limits)
    least, most = (number if number is not None and np.isfinite(number) else None for number in limits)
    total = numbers.get("count")
    count = int(total) if total is not None and np.isfinite(total) else None
    return Values(dtype, shape, count, nan, positive, negative, least, most, counted, *others)


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


# --- files beside the tensors --------------------------------------------------------------------------------------------------


def _lines(path: str) -> Iterator[list[str]]:
    """The rows of a CSV. Raises ReadError."""
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            yield from csv.reader(file)
    except csv.Error as error:
        raise ReadError("malformed", path=path, format="CSV", offset=0, expected=str(error)[:120]) from None
    except OSError as error:
        raise from_os_error(error, path) from None


def _mapping(path: str) -> dict[str, str]:
    """Names of files that were too long for the file system: the short one of each, and the real one."""
    return {row[0].strip(): row[1].strip() for row in _lines(path) if len(row) >= 2 and row[1].strip().endswith(".npy")}


def _execution_order(path: str) -> dict[str, int]:
    """The place of each operation, named as files are: with _ for /."""
    order: dict[str, int] = {}
    for row in _lines(path):
        if row:
            order.setdefault(row[0].strip().replace("/", "_"), len(order))
    return order


#: Columns of statistic.csv, and as what they are read; letters and blanks aside.
_COLUMNS = {
    **{
        "optype": "type",
        "opname": "op",
        "timestamp": "time",
        "io": "io",
        "slot": "slot",
        "datatype": "dtype",
        "shape": "shape",
    },
    **{
        "maxvalue": "maximum",
        "max": "maximum",
        "minvalue": "minimum",
        "min": "minimum",
        "avgvalue": "mean",
        "avg": "mean",
    },
    **{"l2normvalue": "norm", "l2norm": "norm", "count": "count", "nancount": "nan"},
    **{"positiveinfcount": "positive", "negativeinfcount": "negative"},
}


def _statistics(path: str, limit: int, refuse: Callable[[ReadError], None]) -> Iterator[Tensor]:
    """The tensors that a statistic.csv tells of. A row that is no such is passed over and told. Raises ReadError."""
    rows = _lines(path)
    head = next(rows, None)
    if not head:
        raise ReadError("empty", path=path)
    columns: dict[str, int] = {}
    for at, name in enumerate(head):
        columns.setdefault(_COLUMNS.get(re.sub(r"[^a-z0-9]", "", name.lower()), ""), at)
    if lacking := [name for name in ("type", "op", "io", "slot") if name not in columns]:
        named = {"type": "Op Type", "op": "Op Name", "io": "IO", "slot": "Slot"}
        raise ReadError("dump-columns", path=path, columns=", ".join(named[name] for name in lacking))
    if not {"minimum", "maximum", "nan", "mean", "norm"} & set(columns):
        raise ReadError("dump-columns", path=path, columns="Max Value, Min Value, Nan Count")
    bad = first = taken = 0
    for number, row in enumerate(rows, start=2):
        if not row:
            continue
        if taken >= limit:
            refuse(ReadError("dump-rows", path=path, limit=_ROWS))
            break
        said = {name: row[at].strip() for name, at in columns.items() if name and at < len(row)}
        told = None
        if len(row) == len(head) and said["io"].lower() in ("input", "output") and _is_number(said["slot"]):
            numbers = {name: _number(value) for name, value in said.items() if value}
            told = _told(said.get("dtype", ""), _shape(said.get("shape", "")), numbers)
        if told is None:
            bad, first = bad + 1, first or number
            continue
        taken += 1
        stamp = said.get("time", "")
        time = int(stamp) if stamp.isascii() and stamp.isdecimal() and len(stamp) < 20 else None
        op = said["op"].replace("/", "_")
        yield Tensor(path, said["type"], op, said["io"].lower(), int(said["slot"]), time, told.dtype, told)
    if bad:
        refuse(ReadError("dump-lines", path=path, count=bad, line=first))


def _shape(text: str) -> tuple[int, ...] | None:
    numbers = re.findall(r"\d{1,15}", text[:1000])
    return tuple(map(int, numbers)) if numbers or text.strip() in ("()", "[]", "") else None


def _overflows(path: str, time: int, rank: int | None, step: int | None) -> list[Overflow]:
    """What an Opdebug.*.json tells: each section whose status is not 0. Raises ReadError."""
    content = _json(path, 1 << 20)
    found = []
    for section in _SECTIONS:
        said = content.get(section)
        if isinstance(said, dict):
            status, task, stream = (_number(said.get(name)) for name in ("status", "task_id", "stream_id"))
            if any(number is not None and not abs(number) < 1 << 53 for number in (status, task, stream)):
                raise ReadError(
                    "malformed", path=path, format="JSON", offset=0, expected=f"{section}: status, task_id, stream_id"
                )
            if status:
                ids = [-1 if number is None else int(number) for number in (task, stream)]
                found.append(Overflow(path, time, section, ids[0], ids[1], int(status), rank, step))
    return found


def _json(path: str, limit: int) -> dict[str, Any]:
    try:
        size = Path(path).stat().st_size
        if size > limit:
            raise ReadError("too-large", path=path, size=size, limit=limit)
        if not size:
            raise ReadError("empty", path=path)
        with open(path, "rb") as file:
            content = json.loads(file.read(size))  # not the limit: that much would be set aside first
    except OSError as error:
        raise from_os_error(error, path) from None
    except (ValueError, RecursionError) as error:
        offset = getattr(error, "pos", 0)
        raise ReadError("malformed", path=path, format="JSON", offset=offset, expected="JSON") from None
    if not isinstance(content, dict):
        raise ReadError("malformed", path=path, format="JSON", offset=0, expected="object")
    return content


#: The parts of an entry of dump.json that come in and go out.
_ENTRY = {
    **{"input_args": "input", "input_kwargs": "input", "input": "input", "parameters": "input"},
    **{"output": "output", "parameters_grad": "output"},
}
_DIRECTION = re.compile(r"\.(forward|backward|parameters_grad)(\.|$)")


def _msprobe(path: str, refuse: Callable[[ReadError], None]) -> list[Tensor]:
    """The tensors of a dump.json of msprobe, in its order. Raises ReadError."""
    data = _json(path, _JSON).get("data")
    if not isinstance(data, dict):
        raise ReadError("dump-json", path=path)
    folder = os.path.join(os.path.dirname(path), "dump_tensor_data")
    tensors: list[Tensor] = []
    bad = 0
    for key, entry in data.items():
        if not isinstance(entry, dict):
            bad += 1
            continue
        words = _DIRECTION.split(key)[0].split(".")
        # Cell.fc.Dense.forward.0 and Functional.relu.0.forward
        kind = next((word for word in reversed(words) if not word.isdecimal()), "")
        slots = {"input": 0, "output": 0}
        parts = entry if set(entry) & set(_ENTRY) else {"output": entry}  # parameters_grad.0 holds them by name
        for name, value in parts.items():
            io = _ENTRY.get(name, "")
            for said in _dicts(value, _NESTED) if io else ():
                tensor = _of_entry(said, path, folder, kind, key, io, slots[io])
                slots[io] += 1
                if tensor is not None:
                    tensors.append(tensor)
    if bad:
        refuse(ReadError("dump-entries", path=path, count=bad))
    return tensors


def _dicts(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """The descriptions of tensors within a value of lists and objects."""
    if isinstance(value, dict):
        if "dtype" in value or "data_name" in value:
            yield value
            return
        value = list(value.values())
    if isinstance(value, list) and depth:
        for one in value:
            yield from _dicts(one, depth - 1)


def _of_entry(said: dict[str, Any], path: str, folder: str, kind: str, key: str, io: str, slot: int) -> Tensor | None:
    dtype, shape = str(said.get("dtype", ""))[:100], said.get("shape")
    sides = tuple(side for side in shape if isinstance(side, int)) if isinstance(shape, list) else None
    names = {"Max": "maximum", "Min": "minimum", "Mean": "mean", "Norm": "norm"}
    told = _told(dtype, sides, {ours: _number(said.get(theirs)) for theirs, ours in names.items()})
    file = said.get("data_name")
    if told is None and isinstance(file, str) and file.endswith(".npy"):
        # By its name only: a dump must not lead out of its folder.
        return Tensor(os.path.join(folder, Path(file).name), kind, key, io, slot, None, dtype)
    return Tensor(path, kind, key, io, slot, None, dtype, told) if told is not None else None


def steps(operations: Iterable[Operation]) -> Iterator[list[Operation]]:
    """The operations of each rank and step, in order."""
    held: list[Operation] = []
    for operation in operations:
        if held and (held[0].rank, held[0].step) != (operation.rank, operation.step):
            yield held
            held = []
        held.append(operation)
    if held:
        yield held
