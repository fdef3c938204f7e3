"""What probes took on one machine that was measured: durations.json, made by benchmarks/estimate.py --measure. A guess for any other."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import msgspec


class Durations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Seconds, and bytes a second.

    `child` is what starting the process of a probe takes. `probes` are those of examples/digits, next to no data: what is left is the
    time that a probe takes by itself, for a live one with starting MindSpore. `kinds` stands for a probe that is not among them.
    `reading` is how fast what a section of the case names is read. `scripts` are the bytes of the scripts of that example.
    """

    machine: str
    child: float
    kinds: dict[str, float]
    probes: dict[str, float]
    reading: dict[str, float]
    scripts: int

    def read(self, sizes: Mapping[str, int]) -> float:
        """The seconds to read so many bytes of each section of the case."""
        return sum(size / self.reading[section] for section, size in sizes.items() if section in self.reading)


@lru_cache(maxsize=1)
def load() -> Durations:
    return msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=Durations)
