"""The recordings of a watched run while they grow: what of them is shown as it comes."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

#: Bytes that are taken in at once, bytes of a line, points of a curve, and layers whose gradients are kept.
_AT_ONCE, _LINE, _POINTS, _LAYERS = 4 << 20, 16 << 20, 1024, 4096
#: How a recording is called, while it is written and afterwards: its mode, and its rank where that is not 0.
_NAME = re.compile(r"(user|pynative)(?:\.rank(\d+))?(?:\.\d+)?\.jsonl")
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


@dataclass
class ProcessState:
    """One process of the run so far. `values` are those of the last step, with NaN and infinities as such; `layers` are the gradient
    norms of parameters by name at step `looked`, None where there is no gradient; all norms are without the loss scale by which an
    optimizer divides. `bad` is the first tensor that was not finite: its step, name, and class. `failed` are the hooks that failed,
    each with its error and the line that raised it; `lacking` those that this MindSpore has no place for. `full`: what tells that the
    recording ends here, before the run does."""

    mode: str
    rank: int
    steps: int = 0
    losses: list[tuple[int, float]] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)
    layers: dict[str, float | None] = field(default_factory=dict)
    looked: int = 0
    bad: tuple[int, str, str] | None = None
    failed: list[tuple[str, str, str]] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)
    full: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    waited: float = 0.0
    _names: dict[int, list[str]] = field(default_factory=dict)
    _scales: dict[int, float] = field(default_factory=dict)
    _apart: int = 1

    def take(self, record: dict[str, Any]) -> None:
        """One record; what is not as expected is left out."""
        kind, step = record.get("fact"), record.get("step")
        if kind == "optimizer" and isinstance(record.get("parameters"), list):
            self._names[record.get("number", 0)] = [str(name) for name in record["parameters"][:_LAYERS]]
            self._scales[record.get("number", 0)] = number(record.get("loss_scale")) or 1.0
        elif kind == "failed":
            hook, error, place = (str(record.get(key, "")) for key in ("hook", "error", "place"))
            self.failed.append((hook, error, place))
        elif kind == "raised":  # by an operation of the script, whose result a hook asked for first
            self.failed = [one for one in self.failed if one[1] != str(record.get("error", ""))]
        elif kind == "full":
            self.full.append(record)
        elif kind == "missing":
            self.lacking.append(str(record.get("hook", "")))
        elif not isinstance(step, int):
            return
        elif kind == "gradients":
            self._take_gradients(step, record)
        elif kind == "pass":
            self._take_pass(step, record)
        elif kind is None:
            self._take_step(step, record)

    def _take_step(self, step: int, record: dict[str, Any]) -> None:
        self.steps = step
        numbers = {name: value for name in record if (value := number(record[name])) is not None}
        for optimizer, scale in self._scales.items():
            name = f"opt{optimizer}.grad_norm" if optimizer else "grad_norm"
            if name in numbers:
                numbers[name] /= scale
        self.values.update(numbers)
        self.seconds += numbers.get("seconds", 0.0)
        self.waited += numbers.get("data_seconds", 0.0)
        if "loss" in numbers and step % self._apart == 0:
            self.losses.append((step, numbers["loss"]))
            if len(self.losses) > _POINTS:
                self._apart *= 2
                self.losses = [point for point in self.losses if point[0] % self._apart == 0]

    def _take_gradients(self, step: int, record: dict[str, Any]) -> None:
        optimizer, norms = record.get("optimizer", 0), record.get("norms")
        names, scale = self._names.get(optimizer, []), self._scales.get(optimizer, 1.0)
        if not isinstance(norms, list):
            return
        if step != self.looked:
            self.layers, self.looked = {}, step
        for name, norm in zip(names, norms, strict=False):
            value = number(norm)
            self.layers[name] = None if value is None else value / scale
            if value is not None and not math.isfinite(value):
                self._found(step, name, "gradient")

    def _take_pass(self, step: int, record: dict[str, Any]) -> None:
        calls = record.get("calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, list) and len(call) >= 4 and isinstance(call[3], list):
                for one in call[3]:
                    if isinstance(one, dict) and one.get("bad"):
                        self._found(step, str(call[0]), str(call[1]).rpartition(".")[2])

    def _found(self, step: int, name: str, kind: str) -> None:
        if self.bad is None:
            self.bad = step, name, kind


def number(value: Any) -> float | None:
    """A number of a recording, whose words stand for what is not finite; None for anything else."""
    if isinstance(value, str):
        return _WORDS.get(value)
    return float(value) if isinstance(value, (int, float)) else None


class Following:
    """The recordings in a folder, read on as they grow."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[Path, tuple[int, bytes, ProcessState]] = {}

    @property
    def seen(self) -> ProcessState | None:
        """The process to be shown: of the last pass that of the lowest rank, and of these the one with most steps."""
        found = [seen for _, _, seen in self._known.values()]
        return max(found, key=lambda one: (one.mode == "user", -one.rank, one.steps)) if found else None

    def read(self) -> bool:
        """Take in what was written since; whether that was anything."""
        found = False
        for path in sorted(self.folder.glob("*.jsonl")):
            told = _NAME.fullmatch(path.name)
            if told is None:
                continue
            at, rest, seen = self._known.get(path, (0, b"", ProcessState(told[1], int(told[2] or 0))))
            try:
                with path.open("rb") as stream:
                    stream.seek(at)
                    read = stream.read(_AT_ONCE)
            except OSError:  # it has its lasting name by now
                continue
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                try:
                    record = msgspec.json.decode(line)
                except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
                    continue
                if isinstance(record, dict):
                    seen.take(record)
            self._known[path] = at + len(read), rest if len(rest) < _LINE else b"", seen
            found |= bool(read)
        return found
