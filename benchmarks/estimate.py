"""How long a run was said to take against how long it took: a first run of examples/digits_faulty and of a larger one, and each again.

python benchmarks/estimate.py [FOLDER ...]   FOLDER: further projects, which are copied
python benchmarks/estimate.py --measure      writes src/accucheck/knowledge/durations.json: what the estimate of a first run stands on
python benchmarks/estimate.py --new          adds to it the probes that have no figure yet, and leaves the others

The larger project is examples/digits with a table of 60 MB, weights of 80 MB and a log of 20 MB. Target: the run takes as long as the
estimate says, from its low end to its high one.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import numpy as np
from _measuring import Row, report, row

from accucheck import Recorder, checklist, engine, probe
from accucheck.estimating import estimate
from accucheck.knowledge import durations
from accucheck.language import Language
from accucheck.project import open_project

EXAMPLES = Path(__file__).parents[1] / "examples"
CHECKLISTS = ("accuracy", "sanity")
TARGET = Path(durations.__file__).with_suffix(".json")


def run(project: Path, *more: str) -> float:
    """Run everything, or what `more` options say, and record it; the seconds of the whole process."""
    command = [str(Path(sys.executable).with_name("accucheck")), "run", str(project), "--live", "--exit-zero", *more]
    command += [part for name in CHECKLISTS for part in ("--checklist", name)]
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begin


def said(project: Path) -> tuple[str, float, float | None]:
    opened = open_project(project, CHECKLISTS, session="read")
    found = estimate(opened, opened.jobs(), live=True)
    return found.text(Language.EN), found.low, found.high


def compare(project: Path, name: str) -> list[Row]:
    """A first run and a second one, each with what was said before."""
    rows = []
    for which in ("first", "again"):
        text, low, high = said(project)
        took = run(project)
        held = low <= took and (high is None or took <= high)
        rows.append(row(f"{name}, {which}", took, "s", least=low, most=high, note=f"said: {text}"))
        print(
            f"{name}, {which}: said {text} ({low:.0f} to {high and round(high)} s); took {took:.0f} s; {'held' if held else 'MISSED'}"
        )
    return rows


def table(path: Path, megabytes: int) -> None:
    rng = np.random.default_rng(0)
    rows = "\n".join(",".join(f"{value:.4f}" for value in row) for row in rng.normal(size=(20_000, 20))) + "\n"
    with path.open("w") as stream:
        stream.write(",".join(f"c{i}" for i in range(19)) + ",label\n")
        for _ in range(max(1, (megabytes << 20) // len(rows))):
            stream.write(rows)


def weights(path: Path, megabytes: int) -> None:
    from safetensors.numpy import save_file

    rng = np.random.default_rng(0)
    layers = {f"layer{i}.weight": rng.normal(size=(1024, 1024)).astype(np.float32) for i in range(megabytes // 4)}
    save_file(layers, path)


def log(path: Path, megabytes: int) -> None:
    with path.open("w") as stream:
        for step in range(megabytes * 20_000):
            stream.write(f"epoch: {step // 1000} step: {step % 1000}, loss is {2 / (1 + step / 1000):.6f}\n")


def larger(root: Path) -> Path:
    project = root / "larger"
    shutil.copytree(EXAMPLES / "digits", project, ignore=shutil.ignore_patterns(".accucheck"))
    table(project / "big.csv", 60)
    weights(project / "big.safetensors", 80)
    log(project / "big.log", 20)
    case = project / "accucheck.yaml"
    text = case.read_text()
    for old, new in (
        ("path: data/train", "path: big.csv"),
        ("current: checkpoints/digits.ckpt", "current: checkpoints/digits.ckpt, previous: big.safetensors"),
        ("train: logs/train.log", "train: big.log"),
    ):
        assert old in text, old
        text = text.replace(old, new)
    case.write_text(text)
    return project


def measure(folder: Path, rounds: int) -> None:
    """Write durations.json: the shortest of some runs, as whatever else the machine does only makes a run longer."""
    project = folder / "digits"
    shutil.copytree(EXAMPLES / "digits", project, ignore=shutil.ignore_patterns(".accucheck"))
    best: dict[str, float] = {}
    kinds: dict[str, list[float]] = {"static": [], "file": [], "live": []}
    child = []
    for number in range(rounds):
        took = run(project)
        results = done(project)
        keep(best, results)
        for result in results if not number else []:
            kinds[result["kind"]].append(result["seconds"])
        shared = [engine.shared_child(result["probe"]) for result in results]
        children = shared.count(None) + len({*shared} - {None})
        child.append((took - sum(result["seconds"] for result in results)) / children)
    best |= further(folder, set(best), rounds)
    reading = {section: rate(folder, section) for section in ("data", "checkpoints", "curves", "outputs")}
    reading["dumps"] = reading["batches"] = reading["outputs"]  # all of these are folders of .npy
    reading["profiler"] = reading["graphs"] = reading["curves"]  # text, or messages that are as slow to read
    found = durations.Durations(
        machine=f"{platform.machine()}, {len(os_cpus())} processors, Python {platform.python_version()}, MindSpore 2.10 on CPU",
        child=round(min(child), 2),
        kinds={kind: round(float(np.median(values)), 2) for kind, values in kinds.items()},
        probes=rounded(best),
        reading={section: round(value, -6) for section, value in sorted(reading.items())},
        scripts=sum(path.stat().st_size for path in (EXAMPLES / "digits").rglob("*.py")),
    )
    write(found)


#: A probe of each kind that has a figure: how much longer it takes tells how much slower the machine is than the one of the others.
KNOWN = {"static": "padding_script", "file": "missing_values", "live": "loss_reference"}


def add(folder: Path, rounds: int) -> None:
    """Measure the probes that have no figure yet, as they would be on the machine that the other figures are of."""
    known = durations.load()
    shutil.copytree(EXAMPLES / "digits", folder / "digits", ignore=shutil.ignore_patterns(".accucheck"))
    named = {use.name for name in CHECKLISTS for item in checklist.load(name).items for use in item.uses}
    options = [part for name in (*KNOWN.values(), *sorted(named - set(known.probes))) for part in ("--probe", name)]
    best: dict[str, float] = {}
    for _ in range(rounds):
        run(folder / "digits", *options)
        keep(best, done(folder / "digits"))
    best |= further(folder, {*known.probes, *best}, rounds)
    for kind, name in KNOWN.items():
        slower = best.pop(name) / known.probes[name]
        print(f"{kind}: {name} takes {slower:.2f} times as long as is known")
        best |= {other: took / slower for other, took in best.items() if probe.load(other).KIND.value == kind}
    probes = dict(sorted((rounded(best) | known.probes).items()))
    reading = {section: round(value) for section, value in known.reading.items()}
    write(msgspec.structs.replace(known, probes=probes, reading=reading))


def further(folder: Path, known: set[str], rounds: int) -> dict[str, float]:
    """What probes take that read what the digits do not have: recordings of two ranks, and shards for two devices."""
    project, best = folder / "recorded", {}
    shutil.copytree(EXAMPLES / "digits", project, ignore=shutil.ignore_patterns(".accucheck"))
    recordings(project)
    names = ("label_fit", "recorded_losses", "recorded_order", "recorded_rates", "recorded_shards", "shard_overlap")
    options = [part for name in names if name not in known for part in ("--probe", name)]
    for _ in range(rounds if options else 0):
        run(project, *options, "--set", "curves.train=run.jsonl", "--set", "runtime.distributed.devices=2")
        keep(best, done(project))
    return best


def recordings(project: Path) -> None:
    """Four epochs of a training on two devices, as each of them records it."""
    for rank in range(2):
        random = np.random.default_rng(rank)
        with Recorder(project / "run.jsonl", rank=rank) as recorder:
            for step in range(200):
                part = 2 * np.arange(step % 50 * 16, step % 50 * 16 + 16) + rank
                losses = 2.3 * 0.4 ** (step // 50) * (1 + random.random(16))
                more = {"outputs": np.zeros((16, 10)), "labels": part % 10} if step < 10 else {}
                recorder.step(epoch=1 + step // 50, loss=losses.mean(), lr=0.1, samples=part, losses=losses, **more)


def keep(best: dict[str, float], results: list[dict]) -> None:
    for result in results:
        best[result["probe"]] = min(best.get(result["probe"], 1e9), result["seconds"])


def rounded(best: dict[str, float]) -> dict[str, float]:
    return {name: round(seconds, 2) for name, seconds in sorted(best.items()) if seconds >= 0.005}


def write(found: durations.Durations) -> None:
    TARGET.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    print(TARGET.read_text())


def done(project: Path) -> list[dict]:
    """The results of the probes that came to their end."""
    return [r for entry in sessions(project).values() for r in entry["results"].values() if r["status"] == "done"]


def os_cpus() -> set[int]:
    import os

    return os.sched_getaffinity(0)


def sessions(project: Path) -> dict[str, dict]:
    return json.loads((project / ".accucheck" / "session.json").read_text())["entries"]


def rate(folder: Path, section: str) -> int:
    """Bytes a second at which a probe of a section reads it, on average."""
    project = folder / section
    project.mkdir()
    if section == "data":
        table(project / "in.csv", 60)
        case = "data: {train: {path: in.csv, label: label}}"
    elif section == "checkpoints":
        weights(project / "in.safetensors", 200)
        weights(project / "before.safetensors", 200)
        case = "checkpoints: {initial: before.safetensors, current: in.safetensors}"
    elif section == "curves":
        log(project / "in.log", 20)
        case = "curves: {train: in.log}"
    else:
        for name in ("outputs", "reference"):
            (project / name).mkdir()
            for number in range(25):
                values = np.random.default_rng(number).normal(size=(1 << 20,)).astype(np.float32)
                np.save(project / name / f"logits_{number}.npy", values)
        case = "outputs: {path: outputs, reference: reference}"
    (project / "accucheck.yaml").write_text(case + "\n")
    checklist = ("--checklist", "comparison") if section == "outputs" else ()
    command = [str(Path(sys.executable).with_name("accucheck")), "run", str(project), "--exit-zero", *checklist]
    subprocess.run(command, check=True, capture_output=True)
    seconds = [result["seconds"] for result in done(project) if result["kind"] == "file"]
    size = sum(
        path.stat().st_size for path in project.rglob("*") if path.suffix in (".csv", ".safetensors", ".log", ".npy")
    )
    return int(size * len(seconds) / sum(seconds))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--new", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.measure:
            measure(folder, options.rounds)
            return 0
        if options.new:
            add(folder, options.rounds)
            return 0
        faulty = folder / "digits_faulty"
        shutil.copytree(EXAMPLES / "digits_faulty", faulty, ignore=shutil.ignore_patterns(".accucheck"))
        rows = compare(faulty, "digits_faulty") + compare(larger(folder), "a larger project")
        for number, given in enumerate(options.folders):
            copy = folder / str(number)
            shutil.copytree(given, copy, ignore=shutil.ignore_patterns(".accucheck"))
            rows += compare(copy, given.name)
    return report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
