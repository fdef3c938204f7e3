"""Finds the first tensor with NaN or Inf in a dump of 20,000 files: the reader of dumps against np.load of each file.

The dump has names as MindSpore writes them, an operation of three inputs and an output each; NaN arise half-way and are carried on.
The peer loads each file with np.load in the order of the listing and keeps the dirty one with the smallest time stamp. Both in
processes of their own, by turns; the time is that of the work, without the start of Python and imports. A clean dump, of which
each output has to be read, is shown too.

    python benchmarks/dump_listing.py --files 20000 --rounds 5
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from _measuring import report, row

OURS = """
import json, sys, time
from pathlib import Path
from accucheck.readers import dumps
begin = time.perf_counter()
dump = dumps.open_dump(Path(sys.argv[1]))
listed = time.perf_counter() - begin
read, first = 0, None
for operation in dump.operations:
    for tensor in operation.outputs:
        read += 1
        if first is None and not dumps.examine(tensor).finite:
            first = tensor.time
    if first is not None:
        break
print(json.dumps([time.perf_counter() - begin, listed, first, read]))
"""

# What one writes in five minutes.
USER = """
import json, os, sys, time
import numpy as np
begin = time.perf_counter()
names, first, read = os.listdir(sys.argv[1]), None, 0
listed = time.perf_counter() - begin
for name in names:
    if name.endswith(".npy"):
        read += 1
        if not np.isfinite(np.load(os.path.join(sys.argv[1], name))).all():
            stamp = int(name.split(".")[4])
            first = stamp if first is None or stamp < first else first
print(json.dumps([time.perf_counter() - begin, listed, first, read]))
"""


def make(folder: Path, files: int, dirty: bool) -> None:
    import numpy as np

    folder.mkdir(parents=True)
    generator = np.random.default_rng(0)
    clean = generator.standard_normal((64, 64)).astype(np.float32)
    broken = clean.copy()
    broken[3, 5] = np.nan
    stamp = 1_700_000_000_000_000
    for number in range(files // 4):
        name = f"MatMul.Default_network-Net_layer{number}-Dense_MatMul-op{number}.0.0"
        for io, slot in (("input", 0), ("input", 1), ("input", 2), ("output", 0)):
            stamp += 30
            carried = dirty and (number > files // 8 and (io, slot) != ("input", 1))
            values = broken if carried or (dirty and number == files // 8 and io == "output") else clean
            np.save(folder / f"{name}.{stamp}.{io}.{slot}.DefaultFormat.Float32.npy", values)


def measure(script: str, folder: Path) -> list[float]:
    done = subprocess.run([sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE, check=True)
    result: list[float] = json.loads(done.stdout)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rows = []
    for what in ("dirty", "clean"):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary, "rank_0", "net", "0", "0")
            make(folder, options.files, what == "dirty")
            runs: dict[str, list[list[float]]] = {"np.load": [], "ours": []}
            for _ in range(options.rounds):
                runs["np.load"].append(measure(USER, folder))
                runs["ours"].append(measure(OURS, folder))
        print(f"{what}: {options.files:,} files, {options.rounds} rounds, medians")
        seconds = {name: statistics.median(run[0] for run in found) for name, found in runs.items()}
        for name, found in runs.items():
            listed = statistics.median(run[1] for run in found)
            print(f"  {name:8}  {seconds[name]:6.3f} s  of which listing {listed:6.3f} s  {found[0][3]:,} files read")
        same = {run[2] for found in runs.values() for run in found}
        print(f"  ratio {seconds['np.load'] / seconds['ours']:.1f}x; same answer: {len(same) == 1}")
        if len(same) != 1:
            raise SystemExit("the answers differ")
        ours, loads = ([run[0] for run in runs[name]] for name in ("ours", "np.load"))
        rows.append(row(f"{what} dump", ours, "s", "np.load of each file", loads, note=f"{options.files:,} files"))
    return report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
