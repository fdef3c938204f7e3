"""The first operation of a dump of a watched run in graph mode that is not finite, as a fact of a recording: with its cell and its line.

The graphs that MindSpore wrote beside the dump tell of each operation where it stands in the code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ReadError

if TYPE_CHECKING:
    from ..readers.dumps import Tensor, Values
    from ._dump_origin import Dirty, Step

#: How an operation is named in a graph as text, and the places of the code behind it, outermost first.
_NAME = re.compile(r"\s*# Fullname with scope: \((.+)\)")
_PLACE = re.compile(r"\s*# In file (.+?):(\d+)(?:~\d+)?,")
#: Bytes of a graph, graphs, and tensors of an operation that are looked at.
_BYTES, _GRAPHS, _TENSORS = 256 << 20, 64, 4
_HOW = {"origin": "made", "alone": "made", "hidden": "hidden", "outside": "data"}


def first(dump: Path, graphs: Path, root: Path) -> dict[str, Any] | None:
    """The fact "not-finite" of the first step that holds one; None where everything is finite, or what is not was left out."""
    from ..readers import dumps
    from ._dump_origin import judge

    def look(tensor: Tensor) -> Values | None:
        try:
            return dumps.examine(tensor)
        except ReadError:
            return None

    try:
        found = dumps.open_dump(dump)
    except ReadError:
        return None
    for group in dumps.steps(found.operations):
        last: Step | None = None
        for told in judge(group, look):
            last = told or last
        if last is not None and last.origin is not None and not last.skipped:
            return _fact(last, last.origin, graphs, root)
    return None


def _fact(step: Step, origin: Dirty, graphs: Path, root: Path) -> dict[str, Any]:
    name = origin.operation.name
    full, place = placed(graphs, root).get(_plain(name), (name, None))
    phase = "update" if step.kind in ("update", "weight") else "backward" if origin.is_backward else "forward"
    output = origin.tensors[0][1]
    return {
        "fact": "not-finite",
        "step": (step.step or 0) + 1,
        "phase": phase,
        "operator": origin.operation.type,
        "cell": _cell(full),
        "place": place,
        "inputs": [_described(values) for _, values in origin.inputs[:_TENSORS] if "float" in values.dtype.lower()],
        "numbers": [],
        "weights": [],
        "how": _HOW.get(step.kind, "made"),
        "sure": True,
        "reaches": "loss" if phase == "forward" else "gradient",
        "output": {**_described(output), "nan": bool(output.nan)},
        "graph": True,
    }


def placed(graphs: Path, root: Path) -> dict[str, tuple[str, list[Any] | None]]:
    """Of operations by their names in a dump: the whole name, and [file, line] of the innermost line of the project behind it."""
    found: dict[str, tuple[str, list[Any] | None]] = {}
    own = os.path.join(os.path.realpath(root), "")
    for path in sorted(graphs.rglob("*.ir"))[-_GRAPHS:]:
        for name, places in _named(path):
            inner = [[file[len(own) :], line] for file, line in places if os.path.realpath(file).startswith(own)]
            if inner or _plain(name) not in found:
                found[_plain(name)] = name, inner[-1] if inner else None
    return found


def _named(path: Path) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Each operation of a graph as text, with the lines of code behind it."""
    if path.stat().st_size > _BYTES:
        return
    name, places = "", list[tuple[str, int]]()
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if told := _NAME.match(line):
                if name:
                    yield name, places
                name, places = told[1], []
            elif name and (place := _PLACE.match(line)):
                places.append((place[1], int(place[2])))
            elif not line.lstrip().startswith("#") and name:
                yield name, places
                name, places = "", []
    if name:
        yield name, places


def _plain(name: str) -> str:
    """As the name of a file has it."""
    return name.replace("/", "_")


def _cell(full: str) -> list[str] | None:
    """Name and class of the cell in a scope such as Default/network-Net/fc-Dense/MatMul-op0."""
    cells = [part.partition("-") for part in full.split("/")[:-1] if "-" in part]
    return [".".join(name for name, _, _ in cells), cells[-1][2]] if cells else None


def _described(values: Values) -> dict[str, Any]:
    """As in a recording."""
    bad = values.nan + values.positive + values.negative
    share = {"bad": float(f"{bad / values.count:.4g}")} if bad and values.count else {}
    return {
        "shape": list(values.shape or ()),
        "type": values.dtype.lower(),
        "low": values.minimum,
        "high": values.maximum,
        "zero": float(0.0 in (values.minimum, values.maximum)),
        **share,
    }
