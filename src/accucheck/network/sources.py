"""What a path holds that a network can be seen in, and which path of a project is looked at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ReadError, UserError, from_os_error
from ..readers import checkpoints, graphs, recordings
from ..readers.tensors import open_regular

if TYPE_CHECKING:
    from ..case import Case
    from .tree import Network

#: Where a project may name a network, best first, and its benchmark's.
OWN = ("watched", "graphs.path", "checkpoints.current", "checkpoints.initial", "checkpoints.pretrained")
BENCHMARK = ("graphs.reference", "checkpoints.reference")
READABLE = f"accucheck watch, {graphs.READABLE}, {checkpoints.READABLE}"


def read(path: Path, name: str, *, values: bool = True) -> Network:
    """The network that a recording, a dumped graph or a checkpoint holds, or a folder of one of them; `values`: of a checkpoint the
    ranges too. Raises ReadError."""
    kind = kind_of(path)
    if kind == "recording":
        from . import recorded

        return recorded.read(path, name)
    if kind == "graph":
        from . import dumped

        return dumped.read(path, name)
    from . import stored

    return stored.read(path, name, values=values)


def kind_of(path: Path) -> str:
    """recording, graph, or checkpoint for all else. Raises ReadError where it cannot be read."""
    if not path.is_dir():
        with open_regular(path) as file:
            if recordings.looks_like(file.read(len(recordings.MAGIC))):
                return "recording"
        return "graph" if graphs.format_of(path) else "checkpoint"
    if any(recordings.of_mode(file) for file in path.glob("*.jsonl")):
        return "recording"
    refused: list[ReadError] = []
    try:
        for within in graphs.files(path, refused.append):
            if within.suffix in (".pb", ".mindir") or ".summary." in within.name:
                return "graph"
    except OSError as error:
        raise from_os_error(error, path) from None
    return "checkpoint"


def of_case(case: Case, *, benchmark: bool = False) -> list[Path]:
    """What a project names that a network can be seen in, the best first. Raises UserError where it names nothing."""
    keys = BENCHMARK if benchmark else OWN
    found = [path for key in keys for path in case.paths(key)]
    there = [path for path in found if path.exists()]
    if not found:
        raise UserError("graph-no-benchmark" if benchmark else "graph-nothing", path=case.root)
    return there or found[:1]
