"""What monitors keep of each layer: the CSV files of msprobe's monitor, and the norms that MindSpore dumps for MindFormers.

msprobe (gitcode.com/Ascend/msprobe, docs/zh/monitor_instruct.md) writes KIND_FIRST-LAST.csv, a row a tensor and step: vpp_stage, name
(earlier param_name or module_name), step, in some files micro_step, and the statistics that were asked for. MindSpore dumps the local
norms of gradients (dump_local_norm_path) by ops.TensorDump as local_norm__PARAMETER_TYPE_NUMBER.npy, before 2.5
NUMBER_local_norm__PARAMETER.npy, where the number counts all dumps, and finish_step_TYPE_NUMBER.npy closes a step.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ..errors import ReadError, from_os_error
from .runs import Rows

#: Layers and statistics of a file, and bytes of a norm's.
_NAMES, _BYTES = 1 << 16, 1 << 20
_COUNTED = re.compile(r"_\d+-\d+$")
_NOT_NUMBERS = frozenset({"vpp_stage", "step", "micro_step", "shape", "dtype"})
_CALLED = ("name", "param_name", "module_name")
_NORM = re.compile(
    r"(?:(?P<old>\d+)_)?(?P<kind>local_norm|device_local_norm|local_loss)(?:__(?P<name>.+?))?(?:_[a-z]+\d+_(?P<number>\d+))?"
)
_FINISHED = re.compile(r"(?:(?P<old>\d+)_)?finish_step(?:_[a-z]+\d+_(?P<number>\d+))?")
#: What a curve of layers is called: what was measured, how, and the layer. The families that a board draws as one map.
FAMILIES = re.compile(
    r"(?:(?:local_norm|adam_[mv]_norm)|(?:actv|actv_grad|grad_unreduced|grad_reduced|exp_avg(?:_sq)?|param(?:_[a-z]+)?)/[\w.]+)/"
)


def is_monitor(head: bytes) -> bool:
    """Whether a file that begins so is a CSV of msprobe's monitor."""
    columns = head.split(b"\n", 1)[0].decode("utf-8", "replace").strip().split(",")
    return columns[0].lstrip("\ufeff") == "vpp_stage" and "step" in columns and any(one in columns for one in _CALLED)


def rows(path: Path, first: int = 0) -> tuple[list[Rows], int]:
    """Of a CSV of msprobe's monitor a part for each layer and statistic, and the number of its rows with those before. Raises ReadError."""
    import polars as pl

    from . import tables

    parts = list(tables.batches(path, "csv"))
    table = pl.concat(parts, how="diagonal") if parts else pl.DataFrame()
    kind = _COUNTED.sub("", path.name.removesuffix(".gz").rpartition(".")[0])
    called = next((name for name in _CALLED if name in table.columns), None)
    if called is None or not {"step", "vpp_stage"} <= set(
        table.columns
    ):  # quotes may hold commas that is_monitor() takes for others
        raise ReadError("malformed", path=str(path), format="msprobe", offset=0, expected="vpp_stage, name, step")
    number = pl.col("step").cast(pl.Float64, strict=False).cast(pl.Int64, strict=False)
    table = table.with_columns(number.alias("step"), pl.Series(" row", np.arange(table.height) + first))
    found = []
    for (name,), part in table.filter(pl.col("step").is_between(0, 1 << 53)).group_by(called, maintain_order=True):
        stage = str(part["vpp_stage"][0])
        layer = f"{stage}/{name}" if stage not in ("", "0", "None") else str(name)
        for statistic in part.columns:
            if statistic in (*_NOT_NUMBERS, *_CALLED, " row"):
                continue
            values = part[statistic].cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
            there = values.is_not_null()
            if there.any():
                told = part.filter(there)
                columns = {f"{kind}/{statistic}/{layer}": values.filter(there).to_numpy()}
                found.append(Rows(told[" row"].to_numpy(), told["step"].to_numpy(), None, columns))
        if len(found) > _NAMES:
            raise ReadError("malformed", path=str(path), format="msprobe", offset=0, expected=f"<= {_NAMES:,} names")
    return found, first + table.height


def is_norm(name: str) -> bool:
    """Whether a file that is called so holds a local norm, or closes a step of them."""
    stem = name.removesuffix(".npy")
    return stem != name and any(_number(pattern.fullmatch(stem)) is not None for pattern in (_NORM, _FINISHED))


def _number(match: re.Match[str] | None) -> int | None:
    told = None if match is None else match["old"] or match["number"]
    return None if told is None else int(told[:15])


def norms(files: Iterable[Path]) -> tuple[list[Rows], list[ReadError]]:
    """The norms that lie in the files of one folder, each curve by its steps. Where nothing tells where a step ends, each layer is
    taken to be there once in each."""
    ends: list[int] = []
    kept: dict[str, list[tuple[int, Path]]] = {}
    problems: list[ReadError] = []
    for file in files:
        if (number := _number(_FINISHED.fullmatch(file.stem))) is not None:
            ends.append(number)
        elif (match := _NORM.fullmatch(file.stem)) and (number := _number(match)) is not None:
            kept.setdefault(f"{match['kind']}/{match['name']}" if match["name"] else match["kind"], []).append(
                (number, file)
            )
    ends.sort()
    found = []
    for name, places in kept.items():
        lines, steps, values = [], [], []
        for at, (number, file) in enumerate(sorted(places), 1):
            try:
                value = _scalar(file)
            except ReadError as error:
                problems.append(error)
                continue
            lines.append(number)
            steps.append(int(np.searchsorted(ends, number)) + 1 if ends else at)
            values.append(value)
        if lines:
            found.append(Rows(np.array(lines), np.array(steps), None, {name: np.array(values, np.float64)}))
    return found, problems


def _scalar(path: Path) -> float:
    """The number of an NPY file, or the mean of several. Raises ReadError."""
    from .arrays import of_bytes

    try:
        with path.open("rb") as file:
            content = file.read(_BYTES + 1)
    except OSError as error:
        raise from_os_error(error, path) from None
    if len(content) > _BYTES:
        raise ReadError("too-large", path=str(path), size=path.stat().st_size, limit=_BYTES)
    values = of_bytes(content, str(path))
    if values.dtype.kind not in "biuf" or not values.size:
        raise ReadError("malformed", path=str(path), format="NPY", offset=0, expected="number")
    return float(values.astype(np.float64).mean())
