"""The first rows of a MindRecord of 10 GB with a million rows, as accucheck data shows them: the whole command, from start to exit.

usage: python benchmarks/data_first.py [--rounds 7]
The file is sparse: its first rows alone hold anything. Targets: 1 s, and 200 MB at the peak.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from _measuring import report, row

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))


#: Starts the command: the peak of a process counts that of the one that it came from, so that this one must be small.
_STARTS = """
import os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen([sys.executable, "-m", "accucheck", "data", sys.argv[1]], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(time.perf_counter() - start, usage.ru_maxrss / 1000)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def measured(path: Path) -> tuple[float, float]:
    """Seconds, and megabytes at the peak."""
    ran = subprocess.run([sys.executable, "-c", _STARTS, str(path)], capture_output=True, text=True, check=True)
    seconds, megabytes = map(float, ran.stdout.split())
    return seconds, megabytes


def main() -> int:
    from test_browsing import sparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = sparse(Path(folder, "large.mindrecord"), 10 << 30, 1_000_000)
        measured(path)
        rounds = [measured(path) for _ in range(asked.rounds)]
    seconds, megabytes = [one for one, _ in rounds], [one for _, one in rounds]
    print(f"first rows of 10 GB: {sorted(seconds)[len(seconds) // 2]:.2f} s, {max(megabytes):.0f} MB")
    return report(
        [
            row("first 20 rows of a MindRecord of 10 GB", seconds, "s", most=1.0),
            row("memory at the peak", megabytes, "MB", most=200.0),
        ]
    )


if __name__ == "__main__":
    raise SystemExit(main())
