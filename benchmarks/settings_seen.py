"""Settings that scripts and their command tell, against those that the same run is seen to use.

    python benchmarks/settings_seen.py [PROJECT ...]   PROJECT: only these, of benchmarks/started, or digits

Each project of benchmarks/started is run twice under `accucheck watch`, with its settings and with others, on a few pictures that are
drawn here; examples/digits is run with options of its own. What static probes say of rate and schedule, epochs, batch size, shuffling,
seeds, half precision and loss scale is then compared with what was recorded. A setting that is left undecided is counted apart.
Target: none is told wrongly.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _experiments import ACCUCHECK, Count, done, examine
from _measuring import ROOT, Wrong, report, row
from PIL import Image
from started import HERE, STYLES, put

from accucheck.knowledge.suites import packages
from accucheck.readers import recordings
from accucheck.script.settings import SCHEDULED

SETTINGS = ("rate", "schedule", "epochs", "batch size", "shuffle", "seed", "half precision", "loss scale")
#: What the projects of benchmarks/started are run with, by the names of started.py; they shuffle and set a seed unless that is changed.
#: Not all have a loss scale.
RUNS: tuple[dict[str, str], ...] = (
    {"epochs": "2", "batch": "4"},
    {"epochs": "3", "batch": "8", "lr": "0.02", "shuffle": "false", "seed": "null", "level": "O3", "scale": "256.0"},
)
#: How a recording calls a tensor of half precision that a cell is given.
HALF = '"float16"'
#: The parts of the data that lie in a folder each.
PARTS = {"mindcv": ("train", "val")}
#: What loss_scale_script says of a step: whether it computes in half precision (None: not told), and whether it scales the loss.
STEPS: dict[str, tuple[bool | None, bool]] = {
    "no-half": (False, False),
    **dict.fromkeys(("no-scale", "no-scale-partly", "level-decides"), (True, False)),
    **dict.fromkeys(("scaled-dynamic", "scaled-fixed", "scaled-own"), (None, True)),
}


class Run(NamedTuple):
    project: str
    values: dict[str, str]


def runs(projects: Sequence[str]) -> Iterator[Run]:
    for project in projects:
        for values in [{}] if project == "digits" else RUNS:
            yield Run(project, values)


def prepare(run: Run, folder: Path) -> tuple[Path, list[str]]:
    """A copy of a project with the settings of a run: its folder and command."""
    project = folder / run.project
    if run.project == "digits":
        shutil.copytree(ROOT / "examples" / "digits", project)
        (project / "accucheck.yaml").unlink()
        return project, ["python", "train.py", "--epochs", "2", "--batch-size", "64", "--learning-rate", "0.02"]
    shutil.copytree(HERE / run.project, project)
    shutil.copy(HERE / "parts.py", project)
    dice = np.random.default_rng(0)
    for name in ("cat", "dog"):
        for part in PARTS.get(run.project, ("",)):
            folder_ = project / "images" / part / name
            folder_.mkdir(parents=True)
            for number in range(16):
                Image.fromarray(dice.integers(0, 256, (32, 32, 3), np.uint8)).save(folder_ / f"{number}.png")
    for setting, value in run.values.items():
        if setting != "scale" or setting in STYLES[run.project].keys:
            put(project, run.project, setting, value)
    return project, shlex.split(STYLES[run.project].command)


def told(project: Path, command: list[str]) -> dict[str, Any]:
    """What static probes say of the settings; those that they leave open are not in it."""
    items = examine(
        project,
        "--no-session",
        "--kind",
        "static",
        "--checklist",
        "accuracy",
        "--checklist",
        "comparison",
        "--",
        *command,
    )
    found: dict[str, set[Any]] = {name: set() for name in SETTINGS}
    for item in (items or {}).values():
        for probe, findings in done(item).items():
            for one in findings:
                for name, value in of_finding(probe, one):
                    found[name].add(value)
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def of_finding(probe: str, finding: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    code, data = finding["code"], finding["data"]
    if probe == "training_settings" and code in ("rate", "epochs", "batch"):
        name = {"rate": "rate", "epochs": "epochs", "batch": "batch size"}[code]
        yield name, float(data[code])
    if probe == "training_settings" and code in ("rate", *SCHEDULED):
        yield "schedule", code in SCHEDULED
    if probe == "shuffle_settings" and code in ("shuffled", "shuffle-off"):
        yield "shuffle", code == "shuffled"
    if probe == "randomness_fixed" and code in ("seeded", "no-seed", "seed-not-reached"):
        yield "seed", code == "seeded"
    if probe == "loss_scale_script" and code in STEPS:
        half, scaled = STEPS[code]
        if half is not None:
            yield "half precision", half
        yield "loss scale", scaled


def seen(project: Path, command: list[str]) -> dict[str, Any]:
    """What the run used, as it was recorded in its own mode."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        [ACCUCHECK, "watch", "--steps", "0", "--mode", "user", "--", *command],
        cwd=project, env={**os.environ, "PATH": path}, check=True, capture_output=True, timeout=600,
    )  # fmt: skip
    folder = recordings.latest(project)
    assert folder is not None
    run = recordings.read(folder / "user.jsonl").runs[-1]
    passes = [fact for fact in run.facts["pass"] if fact["training"] is True]
    trained = {fact["data"] for fact in passes}
    nodes = [node for fact in run.facts["dataset"] if fact["number"] in trained for node in fact["nodes"]]
    rates = set(run.series["lr"].values.tolist())
    scales = run.series.get("loss_scale")
    return {
        "rate": round(next(iter(rates)), 6) if len(rates) == 1 else "a schedule",
        "schedule": len(rates) > 1,
        "epochs": float(len({*run.series["seconds"].epochs.tolist()})),
        "batch size": float(next(fact["batch"][0]["shape"][0] for fact in passes if fact.get("batch"))),
        "shuffle": any(node["node"] in ("RandomSampler", "ShuffleDataset") for node in nodes),
        "seed": "seed" in run.facts,
        "half precision": any(HALF in json.dumps(fact) for fact in [*passes, *run.facts.get("given", [])]),
        "loss scale": scales is not None and any(scale != 1 for scale in scales.values.tolist()),
    }


def compared(run: Run, count: Count) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project, command = prepare(run, Path(folder))
        said, used = told(project, command), seen(project, command)
    for name in SETTINGS:
        state = "undecided" if name not in said else "equal" if said[name] == used[name] else "WRONG"
        print(f"{run.project:10} {name:10} seen {used[name]!s:12} told {said.get(name, '-')!s:10} {state}", flush=True)
        if state == "undecided":
            continue
        count.add("setting", name, state == "equal")
        if state == "WRONG":
            count.wrong.append(Wrong("setting", run.project, name, "", "", str(used[name]), str(said[name])))


def main() -> int:
    # The others need a package to be trained.
    trained = [style for style in STYLES if style not in packages() or importlib.util.find_spec(style)]
    projects = [*trained, "digits"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="*", metavar="PROJECT")
    given = parser.parse_args().projects or projects
    if unknown := set(given) - set(projects):
        parser.error(f"no project {', '.join(sorted(unknown))}; there are {', '.join(projects)}")
    count, wanted = Count(), list(runs(given))
    for run in wanted:
        compared(run, count)
    decided = sum(of for _, of in count.of.values())
    undecided = len(SETTINGS) * len(wanted) - decided
    note = f"of {decided} that are told, {undecided} left undecided, {len(wanted)} runs of {len(given)} projects"
    print(f"{len(count.wrong)} settings told wrongly {note}")
    return report(
        [row("settings that are told otherwise than they were used", len(count.wrong), "settings", most=0, note=note)],
        tallies=count.tallies(),
        wrong=count.wrong,
    )


if __name__ == "__main__":
    raise SystemExit(main())
