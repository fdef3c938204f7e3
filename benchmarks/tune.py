"""What a search for hyper-parameters is worth and costs: against a grid within the same trained epochs, beside the bare command, and after
kills.

The example is searched for its rate and its batch size. The search trains its own settings and repeats the best with another seed; the
grid does neither, and has all of its epochs for its points. Each repeat has another seed of the training and of the sampler; what counts is
the best accuracy that either found.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _measuring import ROOT, Row, report, row

from accucheck import case as cases
from accucheck import studies
from accucheck.metering import Meter
from accucheck.search_runs import Goal, StudyRunner
from accucheck.search_space import bind, parse
from accucheck.study_results import Trial
from accucheck.try_runs import TryRequest

#: Epochs of a training, and the grid: as many points of each setting as fit into the same epochs.
EPOCHS = 2
RATES, BATCHES = ("0.001", "0.0316", "1.0"), ("16", "32", "64")
SEARCH = ("learning-rate=1e-3..1:log", "batch-size=16,32,64")
COMMAND = (sys.executable, "train.py", "--epochs", str(EPOCHS))
#: All points of the grid, trained one after the other in one process: their accuracies as JSON.
GRID = """
import contextlib, io, itertools, json, sys
import train
found = []
for rate, batch in itertools.product({rates}, {batches}):
    sys.argv = ["train.py", "--epochs", "{epochs}", "--learning-rate", rate, "--batch-size", batch]
    with contextlib.redirect_stdout(io.StringIO()):
        train.main()
    found.append(float(open("logs/eval.csv").read().split()[-1].split(",")[-1]))
print(json.dumps(found))
"""


def example(folder: Path, seed: int) -> Path:
    """A copy of the example that trains with this seed."""
    root = Path(shutil.copytree(ROOT / "examples" / "digits", folder / f"digits{seed}"))
    shutil.rmtree(root / ".accucheck", ignore_errors=True)
    text = (root / "train.py").read_text()
    (root / "train.py").write_text(text.replace("ms.set_seed(1)", f"ms.set_seed({seed})"))
    return root


def tuning(root: Path, draw: int, command: tuple[str, ...] = COMMAND, **given: int | str) -> StudyRunner:
    case = cases.load(root, [])
    search = bind(case, command, [parse(text) for text in SEARCH], root)
    return StudyRunner(case, TryRequest(root, command, seconds=0.0), Goal(search, draw=draw, **given))  # type: ignore[arg-type]


def against_grid(repeats: int) -> list[Row]:
    ours: list[float] = []
    theirs: list[float] = []
    for seed in range(1, repeats + 1):
        with tempfile.TemporaryDirectory() as name:
            root = example(Path(name), seed)
            code = GRID.format(rates=RATES, batches=BATCHES, epochs=EPOCHS)
            ran = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
            theirs.append(max(json.loads(ran.stdout.splitlines()[-1])))
            root = example(Path(name), seed + 1000)
            (root / "train.py").write_text((root / "train.py").read_text().replace(f"({seed + 1000})", f"({seed})"))
            known = tuning(root, seed, trials=0, epochs=EPOCHS * len(RATES) * len(BATCHES)).run()
        epochs = sum(trial.epochs for trial in known.trials)
        assert epochs <= EPOCHS * len(RATES) * len(BATCHES), epochs
        ours.append(max(trial.value for trial in known.trials if trial.whole and trial.value is not None))
        print(
            f"seed {seed}: tune {ours[-1]:.4f} in {epochs} epochs, {len(known.trials)} trials; grid {theirs[-1]:.4f}",
            flush=True,
        )
    better = sum(mine > other for mine, other in zip(ours, theirs, strict=True))
    note = f"{repeats} repeats, {EPOCHS * len(RATES) * len(BATCHES)} epochs each; better in {better}"
    return [row("examples/digits, best accuracy", ours, "", "grid search", theirs, ratio_least=1.0, note=note)]


def cost(rounds: int) -> list[Row]:
    """A trial beside the bare command, in turn: what both take of the processor, whatever else the machine does, and of the clock."""
    used: dict[str, list[float]] = {"bare": [], "trial": []}
    taken: dict[str, list[float]] = {"bare": [], "trial": []}
    with tempfile.TemporaryDirectory() as name:
        root = example(Path(name), 1)
        command = (*COMMAND[:3], "12")
        one = tuning(root, 1, command)
        runs = {
            "bare": lambda: subprocess.run(command, cwd=root, capture_output=True, check=True),
            "trial": lambda: one.train(Trial(0, "own"), Meter(), None),
        }
        one.train(Trial(0, "own"), Meter(), None)  # what is imported once is no part of a trial
        for _ in range(rounds):
            for kind, run in runs.items():
                begun, before = time.monotonic(), processor()
                run()
                used[kind].append(processor() - before)
                taken[kind].append(time.monotonic() - begun)
    middle = {kind: (statistics.median(used[kind]), statistics.median(taken[kind])) for kind in runs}
    print("examples/digits, 12 epochs, s of processor and of clock:", middle)
    note = f"{middle['trial'][1]:.1f} s of the clock beside {middle['bare'][1]:.1f} s"
    name = "examples/digits, a trial of 12 epochs, processor"
    return [row(name, used["trial"], "s", "bare command", used["bare"], ratio_most=1.05, note=note)]


def processor() -> float:
    """Seconds of processor of this process and of those that it started and that ended."""
    mine, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime


#: A training without MindSpore, so that kills come at all moments of a study and not mostly while that is imported.
QUICK = """
import argparse, math, time
parser = argparse.ArgumentParser()
parser.add_argument("--learning-rate", type=float, default=0.01)
parser.add_argument("--batch-size", type=int, default=32)
args = parser.parse_args()
for epoch in range(1, 4):
    time.sleep(0.2)
    print(f"epoch: {epoch}, eval accuracy: {(1 - 0.2 * abs(math.log10(args.learning_rate) + 1)) * epoch / 3:.4f}", flush=True)
"""


#: A kill comes so many seconds after 0, 1 or 2 trials more have ended than when the study went on, or after PATIENCE.
PAUSES, PATIENCE = (0.0, 0.1, 0.25, 0.4, 0.6, 0.8, 1.2), 120.0


def killed(kills: int) -> list[Row]:
    """Results that a study of 60 trials has lost after so many kills."""
    lost, results = 0, dict[int, object]()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "train.py").write_text(QUICK)
        command = [sys.executable, "-m", "accucheck", "tune", "--force", "--trials", "60"]
        command += [part for text in SEARCH for part in ("--search", text)] + ["--", sys.executable, "train.py"]
        for number, pause in zip(range(kills), itertools.cycle(PAUSES), strict=False):
            child = subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            until = time.monotonic() + PATIENCE
            while len(kept(root)) < len(results) + number % 3 and time.monotonic() < until:
                time.sleep(0.05)
            time.sleep(pause)
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            now = kept(root)
            lost += sum(now.get(at) != result for at, result in results.items())
            results = now
            print(f"kill {number + 1}: {len(results)} results", flush=True)
        known = tuning(root, 1, (sys.executable, "train.py"), trials=60).run()
        final = kept(root)
        lost += sum(final.get(at) != result for at, result in results.items())
    note = f"{kills} kills, the last after {len(results)} results, then {len(known.trials)} of 60 trials"
    print(f"{note}: {lost} lost")
    return [row("trials lost after kills", [lost + (60 - len(known.trials))], "", most=0, note=note)]


def kept(root: Path) -> dict[int, object]:
    """The results of the one study of a project, by trial."""
    import optuna

    url = f"sqlite:///{root / studies.FILE}"
    names = optuna.get_all_study_names(url) if (root / studies.FILE).exists() else []
    trials = optuna.load_study(study_name=names[0], storage=url).get_trials() if names else []
    return {trial.number: trial.user_attrs["result"] for trial in trials if "result" in trial.user_attrs}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    return report([*cost(options.rounds), *killed(options.kills), *against_grid(options.repeats)])


if __name__ == "__main__":
    raise SystemExit(main())
