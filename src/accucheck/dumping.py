"""accucheck dump: the configuration of MindSpore's dump for the steps, ranks and operators that matter, and what the dump then holds.

On Ascend the same configuration is taken at jit_level O0 and O1; statistics and the search for overflows are of Ascend only.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import ReadError, SaveError, UserError, from_os_error
from .store import stamped

if TYPE_CHECKING:
    from .readers import dumps  # needs NumPy, and a watch needs the configuration alone: imported where a dump is read

#: What the configuration and the variable that names it are called, and the folder of a network in a dump. `dump.json` is msprobe's.
FILE, VARIABLE, _NET = "dump_settings.json", "MINDSPORE_DUMP_CONFIG", "net"
#: Steps of a dump, and characters of a list of them.
_MOST, _LETTERS = 1000, 2000
_PART = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
#: MindSpore takes no other characters in the path of a dump.
_PATH = re.compile(r"[\w/-]+", re.ASCII)


@dataclass(frozen=True)
class DumpRequest:
    """What is to be dumped: steps from 1, ranks, types of operators (none: all), and whether inputs or outputs alone. `statistics` in the
    place of values and `overflow`, which dumps only what overflowed, are of Ascend."""

    steps: tuple[int, ...]
    ranks: tuple[int, ...] = (0,)
    operators: tuple[str, ...] = ()
    part: str = "all"
    statistics: bool = False
    overflow: bool = False


def steps_of(text: str) -> tuple[int, ...]:
    """The steps of "1", "1-3" or "1,5-6", counted from 1. Raises UserError."""
    found: set[int] = set()
    for part in text.split(",") if len(text) <= _LETTERS else ():
        match = _PART.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 0 < first <= last or last - first >= _MOST:
            raise UserError("dump-steps", text=text)
        found |= set(range(first, last + 1))
    if not found or len(found) > _MOST:
        raise UserError("dump-steps", text=text[:_LETTERS])
    return tuple(sorted(found))


def settings(folder: str, wish: DumpRequest) -> dict[str, Any]:
    """The configuration as MindSpore reads it. Its iterations count from 0."""
    return {
        "common_dump_settings": {
            "op_debug_mode": 3 if wish.overflow else 0,
            "dump_mode": 1 if wish.operators else 0,
            "path": folder,
            "net_name": _NET,
            "iteration": "|".join(_ranges([step - 1 for step in wish.steps])),
            "saved_data": "statistic" if wish.statistics else "tensor",
            "input_output": {"all": 0, "input": 1, "output": 2}[wish.part],
            "kernels": list(wish.operators),
            "support_device": list(wish.ranks),
        },
        "e2e_dump_settings": {"enable": True, "trans_flag": True},
    }


def _ranges(numbers: Sequence[int]) -> Iterator[str]:
    """Runs of numbers that follow each other: 0-2, 5."""
    begin = at = numbers[0]
    for number in [*numbers[1:], None]:
        if number is None or number != at + 1:
            yield f"{begin}-{at}" if at > begin else str(begin)
            begin = number if number is not None else 0
        at = number if number is not None else at


def write(place: Path, wish: DumpRequest, *, below: bool = False) -> tuple[Path, dict[str, str]]:
    """Write the configuration into a new folder: `place` or, with `below`, one in it that is named by the time. That folder, and the
    variables that a command is to be run with. Raises UserError, SaveError."""
    place = place.absolute()
    if not _PATH.fullmatch(str(place)):
        raise UserError("dump-path", path=str(place))
    if not below and os.path.lexists(place):
        raise UserError("dump-exists", path=str(place))
    try:
        if below:
            place = stamped(place)
        else:
            place.mkdir(parents=True)
        (place / FILE).write_text(json.dumps(settings(str(place), wish), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise from_os_error(error, place, SaveError) from None
    return place, {VARIABLE: str(place / FILE)}


class Row(NamedTuple):
    """One operation of a dump, with what its first output holds; None where it has none that can be read."""

    rank: int | None
    step: int | None
    name: str
    kind: str
    values: dumps.Values | None


class DumpSummary(NamedTuple):
    """What a dump holds: its operations in their order, and the first of them with finite inputs whose outputs are not."""

    rows: list[Row]
    first: Row | None
    files: int


def holds_any(folder: Path) -> bool:
    """Whether anything was dumped."""
    from .readers import dumps

    try:
        return bool(dumps.open_dump(folder).operations)
    except ReadError:
        return False


def keep_only(folder: Path, layers: Sequence[str]) -> None:
    """Remove the tensors of operations whose names hold none of these texts. Raises UserError where nothing would be left."""
    from .readers import dumps

    found = dumps.open_dump(folder).operations
    kept = [one for one in found if any(layer in one.name for layer in layers)]
    if not kept:
        parts = {part for one in found for part in re.split(r"[/_]", one.name)}
        known = sorted(part for part in parts if "-" in part and not re.search(r"-op\d+$", part))
        raise UserError("dump-no-layer", layers=", ".join(layers), known=", ".join(known[:12]) or "-")
    paths = {tensor.path for one in kept for tensor in one.tensors}
    for one in found:
        for tensor in one.tensors:
            if tensor.path not in paths and tensor.path.endswith(".npy"):
                Path(tensor.path).unlink(missing_ok=True)


def opened(folder: Path, tell: Callable[[int, int], None] = lambda done, of: None) -> DumpSummary:
    """Read a dump. `tell` is told how many operations were read, of how many. Raises ReadError: no-dump and as the reader does."""
    from .readers import dumps

    dump = dumps.open_dump(folder)
    rows: list[Row] = []
    first: Row | None = None
    files = 0
    for number, operation in enumerate(dump.operations):
        tell(number, len(dump.operations))
        files += len(operation.tensors)
        outputs = [values for tensor in operation.outputs if (values := _examined(tensor)) is not None]
        row = Row(operation.rank, operation.step, operation.name, operation.type, outputs[0] if outputs else None)
        rows.append(row)
        wrong = first is None and any(not values.finite for values in outputs)
        if wrong and all(values.finite for tensor in operation.inputs if (values := _examined(tensor)) is not None):
            first = row
    return DumpSummary(rows, first, files)


def _examined(tensor: dumps.Tensor) -> dumps.Values | None:
    from .readers import dumps

    try:
        return tensor.told or dumps.examine(tensor, integers=True)
    except ReadError:
        return None
