"""Reads a long training log: the reader of curves against a loop with one compiled regex a line.

Both give loss, epoch and step of every line of LossMonitor as arrays, in processes of their own, by turns; the time is that of the
reading, without the start of Python and imports, and the whole process is shown too.

    python benchmarks/curves_log.py --lines 2000000 --rounds 5
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _measuring import report, row

TIMES = 2.5
OURS = """
import json, sys, time
from pathlib import Path
import numpy, polars
from accucheck.readers import curves
begin = time.perf_counter()
(run,) = curves.read(Path(sys.argv[1])).runs
loss = run.columns["loss"]
seconds = time.perf_counter() - begin
print(json.dumps([seconds, len(loss.values), float(loss.values.sum()), int(loss.epochs.sum())]))
"""

# What one writes in five minutes, knowing the wording.
USER = """
import json, re, sys, time
import numpy as np
begin = time.perf_counter()
line_of_loss = re.compile(r"epoch: (\\d+) step: (\\d+), loss is (\\S+)")
epochs, steps, losses = [], [], []
with open(sys.argv[1]) as file:
    for line in file:
        if match := line_of_loss.search(line):
            epochs.append(int(match[1]))
            steps.append(int(match[2]))
            losses.append(float(match[3]))
epochs, steps, losses = np.array(epochs), np.array(steps), np.array(losses)
seconds = time.perf_counter() - begin
print(json.dumps([seconds, len(losses), float(losses.sum()), int(epochs.sum())]))
"""


def make(path: Path, lines: int, per_epoch: int = 1000) -> None:
    """What LossMonitor, TimeMonitor and an evaluation print, with an unrelated line now and then."""
    generator = random.Random(0)
    with path.open("w") as file:
        for line in range(lines):
            epoch, step = divmod(line, per_epoch)
            if step == 0 and epoch:
                file.write(f"Train epoch time: {generator.uniform(9e3, 1e4):.3f} ms, per step time: 9.871 ms\n")
            elif step == 1 and epoch:
                file.write(f"Eval result: epoch {epoch}, metrics: {{'accuracy': {generator.random()}}}\n")
            elif step % 250 == 2:
                file.write(f"[WARNING] DEVICE({generator.randrange(99999)}): the cache {generator.random()} is full\n")
            else:
                file.write(f"epoch: {epoch + 1} step: {step + 1}, loss is {generator.random() * 3}\n")


def measure(script: str, path: Path) -> tuple[float, float, float, list[float]]:
    """Seconds of the reading and of the process, its peak memory in MB, and the answer."""
    begin = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE)
    assert child.stdout
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"a measured process failed ({status})")
    seconds, *answer = json.loads(output)
    return seconds, time.perf_counter() - begin, usage.ru_maxrss / 1024, answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.log")
        make(path, options.lines)
        size = path.stat().st_size
        runs: dict[str, list[tuple[float, float, float]]] = {"loop": [], "curves": []}
        answers = {}
        for _ in range(options.rounds):
            for name, script in (("loop", USER), ("curves", OURS)):
                *measured, answers[name] = measure(script, path)
                runs[name].append((measured[0], measured[1], measured[2]))
    if answers["loop"] != answers["curves"]:
        raise SystemExit(f"the answers differ: {answers}")
    print(f"{options.lines:,} lines, {size / 1e6:.0f} MB, {options.rounds} rounds, medians; same answers")
    medians = {}
    for name, title in (("loop", "loop with a regex"), ("curves", "readers.curves")):
        reading, process = (statistics.median(run[at] for run in runs[name]) for at in (0, 1))
        medians[name] = reading
        peak = max(run[2] for run in runs[name])
        print(f"  {title:<18} {reading:6.2f} s  (process {process:5.2f} s, peak {peak:4.0f} MB)")
    print(f"  ratio {medians['loop'] / medians['curves']:.1f}x (at least {TIMES}x)")
    peer = "a loop with a regex"
    reading = {name: [run[0] for run in found] for name, found in runs.items()}
    process = {name: [run[1] for run in found] for name, found in runs.items()}
    peaks = {name: max(run[2] for run in found) for name, found in runs.items()}
    note = f"{options.lines:,} lines, {size / 1e6:.0f} MB"
    return report(
        [
            row("reading a log", reading["curves"], "s", peer, reading["loop"], ratio_most=1 / TIMES, note=note),
            row("the whole process", process["curves"], "s", peer, process["loop"]),
            row("peak memory", peaks["curves"], "MB", peer, peaks["loop"], rounds=options.rounds),
        ]
    )


if __name__ == "__main__":
    raise SystemExit(main())
