"""The first operation of a dump of a watched run in graph mode that is not finite, as a fact of a recording: with its cell and its line.

The graphs that MindSpore wrote beside the dump tell of each operation where it stands in the code.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ReadError
from ._graphs import UPDATE

if TYPE_CHECKING:
    from ..readers.dumps import Operation, Tensor, Values
    from ..readers.recordings import Run
    from ._dump_origin import NonFiniteOperation, Step

    #: Of operations by their names in a dump: the whole name, and [file, line].
    Named = dict[str, tuple[str, list[Any] | None]]

#: How an operation is named in a graph as text, and the places of the code behind it, outermost first.
_NAME = re.compile(r"\s*# Fullname with scope: \((.+)\)")
_PLACE = re.compile(r"\s*# In file (.+?):(\d+)(?:~\d+)?,")
#: The scope of a derivative, which names the operation that it is of.
_DERIVED = re.compile(r"/Grad_([^/]+)/")
#: Operations of a pass that are told, and elements of a tensor that a recording's statistics are of (live/inside/measures).
_OPERATIONS, _SAMPLED = 1 << 14, 1 << 14
#: Bytes of a graph, graphs, and tensors of an operation that are looked at.
_BYTES, _GRAPHS, _TENSORS = 256 << 20, 64, 4
_HOW = {"origin": "made", "alone": "made", "hidden": "hidden", "outside": "data"}


def first(dump: Path, graphs: Path, root: Path, run: Run) -> dict[str, Any] | None:
    """The fact "not-finite" of the first step that holds one; None where everything is finite, or what is not was left out. `run` is what
    the pass recorded that was dumped."""
    from ..readers import dumps
    from ._dump_origin import judge

    named, finite = placed(graphs, root), _finite_losses(run)
    on_cpu = any(str(fact.get("target")) == "CPU" for fact in run.facts.get("device", ()))
    unclear: frozenset[str] = frozenset()

    def look(tensor: Tensor) -> Values | None:
        try:
            return dumps.examine(tensor) if tensor.path not in unclear else None
        except ReadError:
            return None

    try:
        found = dumps.open_dump(dump)
    except ReadError:
        return None
    for group in dumps.steps(found.operations):
        unclear = frozenset()
        unclear = _misread(group, look) if on_cpu else unclear
        # Where the loss is finite, what is not finite forward reaches nothing.
        reach = [one for one in group if _follows_loss(one, named)] if (group[0].step or 0) + 1 in finite else group
        last: Step | None = None
        for told in judge(reach, look) if reach else ():
            last = told or last
        if last is not None and last.origin is not None and not last.skipped:
            return _fact(last, last.origin, group, named)
    return None


def _finite_losses(run: Run) -> set[int]:
    """The steps whose loss is known to be finite."""
    losses = run.series.get("loss")
    if losses is None:
        return set()
    pairs = zip(losses.steps.tolist(), losses.values.tolist(), strict=True)
    return {step for step, value in pairs if math.isfinite(value)}


def _follows_loss(operation: Operation, named: Named) -> bool:
    """Whether it runs backward, updates, or stands in no cell and no line of the project, as what is added to updates does."""
    from ._dump_origin import BACKWARD, updates

    full, place = named.get(_plain(operation.name), (operation.name, None))
    outside = place is None and _cell(full) is None
    return outside or BACKWARD.search(operation.name) is not None or updates(operation)


def _misread(group: list[Operation], look: Callable[[Tensor], Values | None]) -> frozenset[str]:
    """Tensors of half precision that hold bytes of float32: a kernel of the CPU takes and gives one type, save in casts and updates, and
    where its dump says two, the memory behind the narrower one is of the wider. What is given such a tensor takes it so, too."""
    from ._dump_origin import updates

    found: set[str] = set()
    alike: set[object] = set()
    for operation in group:
        half = [tensor for tensor in operation.tensors if _type(tensor) in ("float16", "bfloat16")]
        if not half or updates(operation):
            continue
        seen = {tensor.path: _content(values) for tensor in half if alike and (values := look(tensor)) is not None}
        given = [tensor for tensor in half if tensor.io == "input" and seen.get(tensor.path) in alike]
        if operation.type == "Cast":
            found.update(tensor.path for tensor in given)
        elif given or "float32" in {_type(tensor) for tensor in operation.tensors}:
            found.update(tensor.path for tensor in half)
            made = [look(tensor) for tensor in half if tensor.io == "output"]
            alike.update(_content(values) for values in made if values is not None)
    return frozenset(found)


def _content(values: Values) -> object:
    """What tells apart what tensors hold, as far as their statistics do."""
    return values.shape, values.nan, values.positive, values.negative, values.minimum, values.maximum


def _type(tensor: Tensor) -> str:
    return tensor.dtype.lower()


def _update_before(operation: Operation, group: list[Operation]) -> Operation | None:
    before = group[: next(at for at, one in enumerate(group) if one is operation)]
    return next((one for one in reversed(before) if UPDATE.fullmatch(one.type)), None)


def _fact(step: Step, origin: NonFiniteOperation, group: list[Operation], named: Named) -> dict[str, Any]:
    operation = origin.operation
    full, place = named.get(_plain(operation.name), (operation.name, None))
    update = _update_before(operation, group)
    derived = _DERIVED.search(full)
    kind = operation.type if derived is None else derived[1]
    if step.kind in ("update", "weight"):
        phase = "update"
    elif origin.is_backward:
        phase = "backward"
    elif (
        update is not None and place is None and _cell(full) is None
    ):  # what an update gave is cast to the weight's own type
        phase, kind = "update", update.type
    else:
        phase = "forward"
    output = origin.tensors[0][1]
    return {
        "fact": "not-finite",
        "step": (step.step or 0) + 1,
        "phase": phase,
        "operator": kind,
        "cell": _cell(full),
        "place": place,
        "inputs": [_described(values) for _, values in origin.inputs[:_TENSORS] if "float" in values.dtype.lower()],
        "numbers": [],
        "weights": [],
        "how": "made" if phase != "forward" else _HOW.get(step.kind, "made"),
        "sure": True,
        "reaches": "loss" if phase == "forward" else "gradient",
        "output": {**_described(output), "nan": bool(output.nan)},
        "graph": True,
    }


def outputs(dump: Path, graphs: Path, root: Path, step: int) -> dict[str, Any] | None:
    """The fact "graph-outputs" of a step: the operations of the forward pass in their order, [cell, [file, line]], and of each cell the
    places of its first and its last one among them, with statistics of what that one gives."""
    from ..readers import dumps
    from ._dump_origin import BACKWARD

    try:
        found = dumps.open_dump(dump)
    except ReadError:
        return None
    named = placed(graphs, root)
    group = next((one for one in dumps.steps(found.operations) if one[0].step == step - 1), [])
    forward = [one for one in group if not BACKWARD.search(one.name) and one.outputs][:_OPERATIONS]
    operations: list[list[Any]] = []
    reach: dict[str, list[int]] = {}
    for at, one in enumerate(forward):
        full, place = named.get(_plain(one.name), (one.name, None))
        parts = (_cell(full) or [""])[0].split(".")
        operations.append([".".join(parts), place])
        for end in range(1, len(parts) + 1):
            reach.setdefault(".".join(parts[:end]), [at, at])[1] = at
    cells = [[name, *ends, _sampled(forward[ends[1]].outputs[0])] for name, ends in reach.items() if name]
    return {"fact": "graph-outputs", "step": step, "operations": operations, "cells": cells}


def _sampled(tensor: Tensor) -> dict[str, Any]:
    """Shape and range, of a sample of large ones, drawn as a recording draws it; without a range where it cannot be read."""
    import numpy as np

    try:
        values = np.load(tensor.path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return {}
    flat = values.reshape(-1)
    some = np.asarray(flat[:: max(1, -(-flat.size // _SAMPLED))], np.float64)
    some = some[np.isfinite(some)]
    told = {"low": float(some.min()), "high": float(some.max()), "mean": float(some.mean())} if some.size else {}
    return {"shape": list(values.shape), **told}


def placed(graphs: Path, root: Path) -> Named:
    """Of operations by their names in a dump: the whole name, and [file, line] of the innermost line of the project behind it."""
    from ..readers.tensors import natural

    found: Named = {}
    own = os.path.join(os.path.realpath(root), "")
    # Those that MindSpore wrote last tell what is executed, under the names of the dump.
    for path in sorted(graphs.rglob("*.ir"), key=lambda path: natural(path.stem.rpartition("_")[2]))[-_GRAPHS:]:
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
