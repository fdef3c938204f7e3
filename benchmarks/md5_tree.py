"""MD5 of a tree: accucheck manifest against the faster of hashdeep and find | xargs md5sum, whole processes, interleaved.

python benchmarks/md5_tree.py [--big] [--rounds 5] [--folder DIR]. The files are in the page cache. Target: 0.95 of the
faster peer, and less than 150 MB for all processes together. The same MD5s are checked, not assumed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _measuring import report, row

#: What a user types.
COMMAND = [str(Path(sys.executable).with_name("accucheck")), "manifest", "{tree}"]
HASHDEEP = ["hashdeep", "-r", "-c", "md5", "{tree}"]
#: -n is chosen for the peer by runs of each before the race: what takes the least processor time.
XARGS = "find {tree} -type f -print0 | xargs -0 -n {n} -P2 md5sum"
#: An installed package has its bytecode; without this a checkout would be compiled anew in every round.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
TARGET, MEMORY = 0.95, 150_000_000


def make(root: Path, big: bool) -> int:
    """20,000 files of 10-150 KB in 100 folders, or 4 files of 1 GiB; returns their bytes."""
    numbers = random.Random(1)
    pool = numbers.randbytes(4 << 20)
    total = 0
    for index in range(4 if big else 20_000):
        path = root / f"c{index % 100:03}" / f"{index:05}.jpg"
        path.parent.mkdir(exist_ok=True)
        with path.open("wb") as stream:
            if big:
                for _ in range(256):
                    stream.write(pool)
            else:
                size = numbers.randint(10_000, 150_000)
                start = numbers.randint(0, len(pool) - size)
                stream.write(index.to_bytes(8, "big") + pool[start : start + size - 8])
            total += stream.tell()
    return total


def filled(command: list[str] | str, tree: Path, n: int = 64) -> list[str]:
    if isinstance(command, str):
        return ["sh", "-c", command.format(tree=tree, n=n)]
    return [word.format(tree=tree) for word in command]


def seconds(command: list[str], output: Path) -> tuple[float, float]:
    """Wall and processor seconds of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with output.open("wb") as stream:
        begin = time.perf_counter()
        subprocess.run(command, stdout=stream, stderr=subprocess.DEVNULL, check=True, env=ENVIRONMENT)
        wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def digests(output: Path) -> list[str]:
    """The MD5s in an output, in order: every peer prints each once."""
    lines = output.read_bytes().splitlines()
    return sorted(
        m[0].decode() for line in lines if not line.startswith(b"#") and (m := re.search(rb"\b[0-9a-f]{32}\b", line))
    )


def memory(command: list[str], kinds: tuple[str, ...] = ("Pss:",)) -> int:
    """The greatest sum of the memory of the processes of a command, in bytes, looked at every 20 ms; `kinds` are lines of the
    kernel's smaps_rollup.
    """
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        total = 0
        for pid in [process.pid, *children(process.pid)]:
            try:
                text = Path(f"/proc/{pid}/smaps_rollup").read_text()
            except OSError:
                continue
            total += 1024 * sum(int(line.split()[1]) for line in text.splitlines() if line.startswith(kinds))
        most = max(most, total)
        time.sleep(0.02)
    return most


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):  # a thread has children of its own
        try:
            found += [int(word) for word in task.read_text().split()]
        except OSError:
            continue
    return found + [grandchild for child in found for grandchild in children(child)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--big", action="store_true", help="4 files of 1 GiB instead of 20,000 small ones")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where to make the files (default: the system's temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        tree, output = Path(folder, "tree"), Path(folder, "output")
        tree.mkdir()
        total = make(tree, options.big)
        sides = {"accucheck": filled(COMMAND, tree)}
        if shutil.which("hashdeep"):
            sides["hashdeep"] = filled(HASHDEEP, tree)
        else:
            print("hashdeep is not installed: left out")
        if shutil.which("xargs") and shutil.which("md5sum"):
            sizes = (1,) if options.big else (64, 256, 1024)
            best = min(sizes, key=lambda n: min(seconds(filled(XARGS, tree, n), output)[1] for _ in range(2)))
            sides[f"xargs -n {best} -P2 md5sum"] = filled(XARGS, tree, best)
        else:
            print("xargs or md5sum is not installed: left out")
        if len(sides) == 1:
            raise SystemExit("no peer to compare with")
        expected = None
        for name, command in sides.items():  # also warms the page cache
            seconds(command, output)
            found = digests(output)
            if expected is not None and found != expected:
                raise SystemExit(f"{name}: other MD5s than accucheck")
            expected = found
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
        load = os.getloadavg()[0]
        for _ in range(options.rounds):
            for name, command in sides.items():
                times[name].append(seconds(command, output))
        walls = {name: statistics.median(wall for wall, _ in values) for name, values in times.items()}
        cpus = {name: statistics.median(cpu for _, cpu in values) for name, values in times.items()}
        print(
            f"{len(expected or [])} files, {total / 1e9:.2f} GB, median of {options.rounds}, load average before {load:.1f}"
        )
        for name, wall in walls.items():
            spread = f"{min(times[name])[0]:.2f}-{max(times[name])[0]:.2f}"
            print(f"  {name:28} {wall:6.2f} s ({spread})  {total / wall / 1e9:.2f} GB/s  processors {cpus[name]:.2f} s")
        peer = min((name for name in walls if name != "accucheck"), key=walls.__getitem__)
        ratio = walls[peer] / walls["accucheck"]
        used = memory(sides["accucheck"])
        print(f"ratio to the faster peer ({peer}): {ratio:.2f} (target {TARGET})")
        thriftiest = min((name for name in cpus if name != "accucheck"), key=cpus.__getitem__)
        share = cpus[thriftiest] / cpus["accucheck"]
        print(f"  in processor time, which other programs disturb less: {share:.2f} to {thriftiest}")
        print(f"memory of all processes: {used / 1e6:.0f} MB (target below {MEMORY / 1e6:.0f} MB)")
        mine, theirs = ([wall for wall, _ in times[name]] for name in ("accucheck", peer))
        busy, other = ([cpu for _, cpu in times[name]] for name in ("accucheck", thriftiest))
        note = f"{len(expected or [])} files, {total / 1e9:.2f} GB"
        return report(
            [
                row("time", mine, "s", peer, theirs, ratio_most=1 / TARGET, note=note),
                row("processor time", busy, "s", thriftiest, other),
                row("memory of all processes", used / 1e6, "MB", most=MEMORY / 1e6),
            ]
        )


if __name__ == "__main__":
    raise SystemExit(main())
