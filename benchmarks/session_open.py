"""How long a stored session of 5,000 findings (and one of 10,000) takes to open: the file alone, and the walkthrough on it.

The findings are those of the probes' own examples, laid over all items of the checklist `accuracy` and repeated, each with evidence of
one kind in turn, tables and curves at their bound. `painted` is from the start of a fresh process, in a pseudo terminal of 100x30, to
the first item on the screen; `evidence` to a finding of that item on it; `loaded` and `saved` are session.open_session and Session.save
in a warm process. Medians; sizes of the files beside them.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import msgspec
from _measuring import report, row
from first_paint import ACCUCHECK, PROJECT, clean_environment, seconds

from accucheck import checklist, probe
from accucheck.model import (
    Branch,
    Code,
    Curve,
    Evidence,
    Finding,
    Histogram,
    Images,
    Kind,
    Note,
    ProbeResult,
    Status,
    Table,
    Tree,
    Verdict,
)
from accucheck.session import open_session

#: Seconds, from the start of the process to the painted screen, on a session of FINDINGS.
TARGET, FINDINGS = 1.0, 5_000
ROWS, POINTS = 200, 500  # the bounds of the probes


def examples() -> dict[tuple[str, str], tuple[Kind, list[Finding]]]:
    """What a faulty example of each probe finds, by item and probe; nothing of the user's code is run."""
    found: dict[tuple[str, str], tuple[Kind, list[Finding]]] = {}
    for item in checklist.load("accuracy").items:
        for use in item.uses:
            module = probe.load(use.name)
            if module.KIND is Kind.LIVE:
                continue
            faulty = (each for each in module.EXAMPLES if each.verdict is Verdict.PROBLEM)
            if findings := next(filter(None, (told(module, use.params, example) for example in faulty)), []):
                found[item.id, use.name] = (module.KIND, findings)
    return found


def told(module: Any, given: dict[str, Any], example: probe.Example) -> list[Finding]:
    """What a probe finds in one of its examples, used as the checklist uses it. Empty where the example is of another use."""
    with tempfile.TemporaryDirectory() as folder:
        events = module.run(example.lay_out(Path(folder)), probe.params(module, {**given, **example.params}))
        try:
            return [event for event in events if isinstance(event, Finding)]
        except probe.Skip:
            return []


def evidence() -> list[Evidence]:
    """One of every kind, at the bounds of the probes."""
    steps = [float(step) for step in range(POINTS)]
    rows = [[f"class {row}", row, row / 7, f"data/rows/{row:05}.png"] for row in range(ROWS)]
    branches = [Branch(0, "network"), *(Branch(1 + row % 3, f"layer{row}", row / 7, row == 150) for row in range(ROWS))]
    return [
        Table("rows", ["class", "count", "share", "file"], rows, total=45_000),
        Tree("layers", "norm", branches),
        Curve("loss", "step", "loss", steps, {"train": [1 / (1 + step) for step in steps]}, {"best": 400.0}),
        Histogram("classes", [f"class {row}" for row in range(100)], [float(row) for row in range(100)]),
        Code("train.py", 10, "\n".join(f"dataset = dataset.map(operation_{line})" for line in range(12)), [14]),
        Images("samples", [f"data/train/{row:05}.png" for row in range(20)], [str(row) for row in range(20)]),
        Note("log", "step 10 loss 0.7\n" * 40),
    ]


def make(project: Path, count: int) -> Path:
    """The session file of a project with `count` findings."""
    found = examples()
    kinds = cycle(evidence())
    with open_session(project) as session:
        session.autosave = False
        for number, ((item, name), (kind, findings)) in enumerate(found.items()):
            share = count * (number + 1) // len(found) - count * number // len(found)
            laid = [
                msgspec.structs.replace(
                    finding,
                    where=msgspec.structs.replace(finding.where, path=f"src/part{line % 40}.py", line=line + 1),
                    evidence=[next(kinds)],
                )
                for line, finding in zip(range(share), cycle(findings), strict=False)
            ]
            result = ProbeResult(name, kind, Status.DONE, Verdict.PROBLEM, laid, seconds=1.0, inputs="0" * 32)
            session.record_result(item, result)
        session.save()
        return session.path


def several(rounds: int, measured: Callable[[], float]) -> list[float]:
    return [measured() for _ in range(rounds)]


def loaded(project: Path) -> float:
    gc.collect()
    begin = time.perf_counter()
    session = open_session(project)
    taken = time.perf_counter() - begin
    session.close()
    return taken


def saved(project: Path) -> float:
    with open_session(project) as session:
        begin = time.perf_counter()
        session.save()
        return time.perf_counter() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    print(f"medians of {rounds}, 100x30")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        environment = clean_environment(Path(folder, "home"))
        for count in (0, FINDINGS, 2 * FINDINGS):
            project = Path(folder, f"digits{count}")
            shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("__pycache__", ".accucheck"))
            size = make(project, count).stat().st_size if count else 0
            command = [ACCUCHECK, "--project", str(project)]
            seconds(command, environment, b"ds.01")  # byte code and the cache of checklists
            painted = several(rounds, lambda: seconds(command, environment, b"ds.01"))
            aim = f" (target: at most {TARGET:g} s)" if count == FINDINGS else ""
            print(
                f"{count:6,} findings, {size / 1e6:5.1f} MB: painted in {statistics.median(painted):5.3f} s{aim}",
                end="",
            )
            what, bound = f"{count:,} findings", TARGET if count == FINDINGS else None
            rows.append(row(f"{what}: first screen", painted, "s", most=bound, note=f"{size / 1e6:.1f} MB"))
            if count:
                for name, measured in (("loaded", loaded), ("saved", saved)):
                    taken = several(rounds, lambda measured=measured: measured(project))
                    print(f"; {name} in {statistics.median(taken):5.3f} s", end="")
                    rows.append(row(f"{what}: {name}", taken, "s"))
            print()
    return report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
