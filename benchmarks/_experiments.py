"""What the experiments of quality.py have in common: running accucheck on a project, and counting what came out right."""

from __future__ import annotations

import collections
import concurrent.futures
import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from _measuring import Tally, Wrong

ACCUCHECK = str(Path(sys.executable).with_name("accucheck"))
#: Against a run that hangs; seconds.
PATIENCE = 900.0


class Count:
    """Right and wrong of each kind, item and probe."""

    def __init__(self) -> None:
        self.of: dict[tuple[str, str], list[int]] = collections.defaultdict(lambda: [0, 0])
        self.wrong: list[Wrong] = []

    def add(self, kind: str, name: str, right: bool) -> None:
        self.of[kind, name][0] += right
        self.of[kind, name][1] += 1

    def tallies(self) -> list[Tally]:
        return [Tally(kind, name, right, count) for (kind, name), (right, count) in sorted(self.of.items())]


def examine(project: Path, *more: str) -> dict[str, dict[str, Any]] | None:
    """The items of `accucheck run --json`, by id; None when there is no answer, which is told."""
    command = [ACCUCHECK, "run", str(project), "--json", "--exit-zero", *more]
    try:
        ran = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE, cwd=project)
        return {item["id"]: item for item in json.loads(ran.stdout)["items"]}
    except (subprocess.SubprocessError, ValueError) as error:
        print(f"{project.name}: no answer: {error} {getattr(error, 'stderr', '')}", file=sys.stderr, flush=True)
        return None


def done(item: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """What each probe of an item that came to its end found."""
    return {one["probe"]: one["findings"] for one in item["results"] if one["status"] == "done"}


def each(work: Callable[[Any], Any], cases: Iterable[Any], jobs: int) -> Iterable[Any]:
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(work, cases)
