"""Compares two folders of .npy: `accucheck compare` against one process of numpy.load, numpy.allclose and the cosine.

Both answer which files agree and the cosine of each, in processes of their own, by turns; times include the start of Python. Memory is
the largest of any process. Processor time (user and system, of all processes) depends less on what else the machine does.

    python benchmarks/folder_comparison.py --files 2000 --size 2 --rounds 5
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _measuring import report, row

OURS = """
import json, sys
from pathlib import Path
from accucheck.readers.dump_comparison import Tolerance, compare_tensors
from accucheck.readers.dump_pairs import match
from accucheck.readers.dumps import open_dump
found = match(*(open_dump(Path(path)) for path in sys.argv[1:3])).found
pairs = [(one.left.tensor, one.right.tensor) for one in found]
outcomes = compare_tensors(pairs, Tolerance(1e-4, 1e-5), int(sys.argv[3]))
print(json.dumps({one.left.name: [not outcome.differs, outcome.found.cosine] for one, outcome in zip(found, outcomes)}))
"""

# What one writes in five minutes.
USER = """
import json, os, sys
import numpy as np
found = {}
for name in os.listdir(sys.argv[1]):
    a, b = (np.load(os.path.join(folder, name)) for folder in sys.argv[1:3])
    close = np.allclose(a, b, rtol=1e-4, atol=1e-5)
    a, b = a.ravel(), b.ravel()
    found[name[:-4]] = [bool(close), float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))]
print(json.dumps(found))
"""


def make(first: Path, second: Path, files: int, size: float) -> None:
    """Layers of equal size, `size` GB a folder: the first half agrees up to rounding, the others are off by 1 in 1,000."""
    import numpy as np

    generator = np.random.default_rng(0)
    count = max(1, int(size * 1e9 / files / 4))
    values = generator.standard_normal((8, count), np.float32)
    noise = generator.standard_normal((8, count), np.float32)
    for folder in (first, second):
        folder.mkdir()
    for at in range(files):
        layer = values[at % 8] * np.float32(1 + at / files)
        np.save(first / f"{at:05}_layer.npy", layer)
        off = np.float32(1e-7 if at < files // 2 else 1e-3)
        np.save(second / f"{at:05}_layer.npy", layer * (1 + off * noise[3 * at % 8]))


def measure(script: str, *arguments: str) -> tuple[float, float, float, dict[str, list[float]]]:
    """Seconds, seconds of processors, MB of the largest process, and the answer."""
    watched = f"{script}\nimport resource\nprint(max(resource.getrusage(who).ru_maxrss for who in (0, -1)) / 1024)"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    # Both keep their byte code, as after an install.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", watched, *arguments]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answer, memory = done.stdout.splitlines()
    return seconds, busy, float(memory), json.loads(answer)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--size", type=float, default=2.0, help="GB of each folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", default="2")
    parser.add_argument("--make", type=Path, nargs=2, help="only write the folders")
    options = parser.parse_args()
    if options.make:
        make(*options.make, options.files, options.size)
        return 0
    works = {"user": USER, "ours": OURS}
    runs: dict[str, list[tuple[float, float, float]]] = {name: [] for name in works}
    answers: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, name)) for name in "ab"]
        # In a child: a process counts the memory of the one it was forked from as its own.
        size = ["--files", str(options.files), "--size", str(options.size)]
        subprocess.run([sys.executable, __file__, "--make", *paths, *size], check=True)
        for _ in range(options.rounds):
            for name, script in works.items():
                *numbers, answers[name] = measure(script, *paths, options.processes)
                runs[name].append((numbers[0], numbers[1], numbers[2]))
    median = {name: statistics.median(seconds for seconds, _, _ in values) for name, values in runs.items()}
    busy = {name: statistics.median(seconds for _, seconds, _ in values) for name, values in runs.items()}
    peak = {name: max(memory for _, _, memory in values) for name, values in runs.items()}
    same = answers["user"].keys() == answers["ours"].keys() and all(
        close == answers["ours"][name][0] and abs(cosine - answers["ours"][name][1]) < 1e-5
        for name, (close, cosine) in answers["user"].items()
    )
    ratios = sorted(user[0] / ours[0] for user, ours in zip(runs["user"], runs["ours"], strict=True))
    print(
        f"{options.files:,} files of {options.size * 1e3 / options.files:.2f} MB in each folder, {options.rounds} rounds, medians"
    )
    print(
        f"  numpy.load, allclose, cosine   {median['user']:7.2f} s  processors {busy['user']:5.2f} s  peak {peak['user']:5.0f} MB"
    )
    print(
        f"  accucheck, {options.processes} processes         {median['ours']:7.2f} s  processors {busy['ours']:5.2f} s  "
        f"peak {peak['ours']:5.0f} MB a process"
    )
    print(
        f"  ratio {median['user'] / median['ours']:.1f}x (by turns {ratios[0]:.1f} to {ratios[-1]:.1f}); same answers: {same}"
    )
    print(f"  load of the machine {os.getloadavg()[0]:.1f}")
    if not same:
        raise SystemExit("the answers differ")
    walls, processors, _ = ({name: [run[at] for run in values] for name, values in runs.items()} for at in range(3))
    peer, note = (
        "numpy.load, allclose, cosine",
        f"{options.files:,} files of {options.size * 1e3 / options.files:.2f} MB",
    )
    return report(
        [
            row("time", walls["ours"], "s", peer, walls["user"], note=note),
            row("processor time", processors["ours"], "s", peer, processors["user"]),
            row("largest process", peak["ours"], "MB", peer, peak["user"], rounds=options.rounds),
        ]
    )


if __name__ == "__main__":
    raise SystemExit(main())
