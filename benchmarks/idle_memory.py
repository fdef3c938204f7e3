"""The memory of the walkthrough that waits for a key: before and after a run of the example, and with 5,000 findings stored.

Resident and proportional size (of shared libraries, its share) of the real program in a pseudo terminal of 100x30, on
examples/digits_faulty, some seconds after its last paint. The run is of everything but live probes.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from _measuring import Row, report, row
from first_paint import ACCUCHECK, PROJECT, clean_environment
from latency import Terminal
from session_open import FINDINGS, make

TARGET = 150  # MB
PLACE = Path(__file__).parents[1] / "examples" / "digits_faulty"


def megabytes(process: int) -> dict[str, float]:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines[1:]}
    return {"resident": sizes["Rss"], "proportional": sizes["Pss"]}


def told(state: str, process: int) -> list[Row]:
    taken = megabytes(process)
    sizes = ", ".join(f"{name} {size:6.1f} MB" for name, size in taken.items())
    print(f"{state:32} {sizes}  (target: below {TARGET})", flush=True)
    # Of the two the resident size is the larger.
    bounds = {"resident": TARGET}
    return [row(f"{state}, {name}", size, "MB", most=bounds.get(name)) for name, size in taken.items()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=90, help="until the run has ended")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = clean_environment(Path(folder, "home"))
        fresh, large = Path(folder, "fresh"), Path(folder, "large")
        for project, example in ((fresh, PLACE), (large, PROJECT)):
            shutil.copytree(example, project, ignore=shutil.ignore_patterns("__pycache__", ".accucheck"))
        make(large, FINDINGS)
        terminal = Terminal([ACCUCHECK, "--project", str(fresh)], environment)
        try:
            terminal.settle(4)
            rows = told("idle", terminal.process.pid)
            terminal.press(b"R", 1)
            terminal.press(b"\r", 1)  # consent: no
            terminal.settle(options.seconds)
            rows += told("after a run", terminal.process.pid)
        finally:
            terminal.close()
        terminal = Terminal([ACCUCHECK, "--project", str(large)], environment)
        try:
            terminal.settle(6)
            rows += told(f"idle with {FINDINGS:,} findings", terminal.process.pid)
        finally:
            terminal.close()
    return report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
