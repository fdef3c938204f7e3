"""Two Dask workers on one machine against one: manifest --scheduler, and missing_values and class_balance on the cluster.

python benchmarks/cluster_scan.py [--rounds 5]. Whole commands, interleaved, on real `dask worker` processes of one thread each; the
files are in the page cache. Both clusters stand throughout. A command's own second or so (start, connection) is in both. Target: 1.6
times as fast, or as fast as two plain processes are on this machine at that time, which is printed too.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _measuring import report, row
from md5_tree import COMMAND, make

TARGET = 1.6
#: Enough that a command's own second does not decide.
TREES, PICTURES, TABLES = 3, 9000, 500
RUN = [COMMAND[0], "run", "--no-session", "--exit-zero", "--json"]
#: What two processes gain over one here and now: the same sum of squares once, or in two processes half of it each.
SPIN = "sum(i * i for i in range({count}))"


def cluster(folder: Path, workers: int, started: list[subprocess.Popen[bytes]]) -> str:
    """A scheduler and so many workers; returns its address."""
    folder.mkdir()
    file = folder / "scheduler.json"
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), "POLARS_MAX_THREADS": "1"}

    def start(*words: str) -> None:
        command = [sys.executable, "-m", *words]
        with (folder / "log").open("ab") as log:
            started.append(
                subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder, start_new_session=True)
            )

    start(
        "distributed.cli.dask_scheduler",
        *["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file"],
        str(file),
    )
    while not file.exists() or not file.read_text().endswith("}"):
        time.sleep(0.05)
    address = str(json.loads(file.read_text())["address"])
    for _ in range(workers):
        start(
            "distributed.cli.dask_worker",
            address,
            *["--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard"],
        )
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=60)
    return address


def seconds(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def plain(count: int) -> float:
    """How much faster two processes do what one does alone."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", SPIN.format(count=count)], check=True)
    middle = time.perf_counter()
    both = [subprocess.Popen([sys.executable, "-c", SPIN.format(count=count // 2)]) for _ in range(2)]
    for process in both:
        process.wait()
    return (middle - begin) / (time.perf_counter() - middle)


def data(root: Path) -> None:
    """A tree to hash, pictures for missing_values, tables for class_balance."""
    import numpy as np
    from PIL import Image

    for number in range(TREES):
        (root / "tree" / str(number)).mkdir(parents=True)
        make(root / "tree" / str(number), big=False)
    random = np.random.default_rng(1)
    (root / "pictures").mkdir()
    for number in range(PICTURES):
        picture = Image.fromarray(random.integers(0, 255, (300, 300, 3), np.uint8))
        picture.save(root / "pictures" / f"{number}.png")
    (root / "tables").mkdir()
    rows = "".join(
        f"{x:.5f},{y:.5f},{z}\n" for x, y, z in zip(*random.normal(size=(2, 400_000)), random.integers(0, 9, 400_000))
    )
    first = root / "tables" / "0.csv"
    first.write_text("a,b,label\n" + rows)
    for number in range(1, TABLES):
        (root / "tables" / f"{number}.csv").hardlink_to(first)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    started: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data(folder)
        try:
            addresses = [cluster(folder / f"cluster{workers}", workers, started) for workers in (1, 2)]
            probes = {
                f"manifest ({TREES * 20_000:,} files)": [
                    COMMAND[0],
                    "manifest",
                    str(folder / "tree"),
                    "--full",
                    "--check",
                    str(folder / "tree.json"),
                ],
                f"missing_values ({PICTURES:,} pictures)": [
                    *RUN,
                    str(folder),
                    "--only",
                    "ds.01",
                    "--set",
                    "data.train.path=pictures",
                ],
                f"class_balance ({TABLES} tables)": [
                    *RUN,
                    str(folder),
                    "--only",
                    "ds.03",
                    "--set",
                    "data.train.path=tables",
                    "--set",
                    "data.train.label=label",
                ],
            }
            seconds([COMMAND[0], "manifest", str(folder / "tree"), "-o", str(folder / "tree.json")])
            times: dict[str, tuple[list[float], list[float]]] = {key: ([], []) for key in probes}
            gains = []
            for _ in range(options.rounds):
                gains.append(plain(20_000_000))
                for key, command in probes.items():
                    for at, address in enumerate(addresses):
                        times[key][at].append(seconds([*command, "--scheduler", address]))
        finally:
            for process in started:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        possible = statistics.median(gains)
        print(f"two plain processes over one: {possible:.2f}, load average {os.getloadavg()[0]:.1f}")
        rows = []
        for key, (one, two) in times.items():
            bound = 1 / min(TARGET, possible)
            note = f"two plain processes: {possible:.2f} times as fast as one"
            rows.append(row(f"{key}, two workers", two, "s", "one worker", one, ratio_most=bound, note=note))
            faster = statistics.median(one) / statistics.median(two)
            print(
                f"{key}: one {statistics.median(one):.2f} s, two {statistics.median(two):.2f} s, {faster:.2f} times (target {TARGET})"
            )
    return report(rows, ["distributed"])


if __name__ == "__main__":
    raise SystemExit(main())
