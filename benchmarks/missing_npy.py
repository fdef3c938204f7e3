"""NaN and Inf in a float32 NPY: the whole probe against np.load and (np.isnan(x) | np.isinf(x)).sum().

usage: python benchmarks/missing_npy.py [--megabytes 2000] [--rounds 5]
Each side runs in a process of its own, in turn, with the file in the page cache; imports are not counted on either side.
Prints medians, the ratio (above 1: the probe is faster) and peak memory. "values only" leaves np.load out of the naive side.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _measuring import report, row


def generate(path: Path, megabytes: int) -> None:
    import numpy as np

    random = np.random.default_rng(0)
    block = random.standard_normal(1 << 20, dtype=np.float32)
    blocks = max(1, megabytes * 1_000_000 // block.nbytes)
    values = np.lib.format.open_memmap(path, "w+", np.float32, (blocks * 1024, 1024))
    for index in range(blocks):
        values[index * 1024 : index * 1024 + 1024] = block.reshape(1024, 1024)
    values[5, 7] = np.nan
    values[-1, -1] = np.inf
    values.flush()


def side(which: str, path: str) -> tuple[list[float], int]:
    """Seconds (with np.load, without) and what was found."""
    import numpy as np

    if which == "naive":
        start = time.perf_counter()
        values = np.load(path)
        loaded = time.perf_counter()
        found = int((np.isnan(values) | np.isinf(values)).sum())
        end = time.perf_counter()
        return [end - start, end - loaded], found
    import polars  # noqa: F401

    from accucheck.case import Case, CaseFile, Data, DataSet
    from accucheck.model import Finding, Level
    from accucheck.probes import missing_values

    case = Case(root=".", spec=CaseFile(data=Data(train=DataSet(path=path))))
    start = time.perf_counter()
    events = list(missing_values.run(case, missing_values.Params()))
    seconds = time.perf_counter() - start
    found = sum(e.data["count"] for e in events if isinstance(e, Finding) and e.level is Level.PROBLEM)
    return [seconds, seconds], found


def peak_megabytes() -> float:
    """Peak memory of this process since its start (ru_maxrss would include that of the parent before exec)."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--megabytes", type=int, default=2000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.side:
        seconds, found = side(*given.side)
        print(json.dumps([seconds, peak_megabytes(), found]))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.npy")
        generate(path, given.megabytes)
        print(f"{path.stat().st_size / 1e9:.2f} GB of float32")
        runs: dict[str, list[list]] = {}
        for _ in range(given.rounds):
            for which in ("probe", "naive"):
                line = [sys.executable, __file__, "--side", which, str(path)]
                runs.setdefault(which, []).append(
                    json.loads(subprocess.run(line, check=True, capture_output=True).stdout)
                )
        whole, values = ({w: statistics.median(run[0][i] for run in r) for w, r in runs.items()} for i in (0, 1))
        for which, each in runs.items():
            print(f"{which:6} {whole[which]:6.3f} s   peak {max(run[1] for run in each):6.0f} MB   found {each[0][2]}")
        print(f"ratio {whole['naive'] / whole['probe']:.1f}; values only {values['naive'] / whole['probe']:.1f}")
        if runs["probe"][0][2] != runs["naive"][0][2]:
            raise SystemExit("the answers differ")
        times = {name: list(zip(*(run[0] for run in each), strict=True)) for name, each in runs.items()}
        peaks = {name: max(run[1] for run in each) for name, each in runs.items()}
        note = f"{path.stat().st_size / 1e9:.2f} GB"
        return report(
            [
                row("the whole probe", times["probe"][0], "s", "np.load and numpy", times["naive"][0], note=note),
                row("the whole probe", times["probe"][0], "s", "numpy, without np.load", times["naive"][1]),
                row("peak memory", peaks["probe"], "MB", "np.load and numpy", peaks["naive"], rounds=given.rounds),
            ]
        )


if __name__ == "__main__":
    raise SystemExit(main())
