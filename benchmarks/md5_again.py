"""The second manifest of an unchanged tree against the first: 20,000 files, whole processes, interleaved pairs.

python benchmarks/md5_again.py [--rounds 5] [--folder DIR]. Before a first run the files are put out of the page cache, where a data set
that is hashed for the first time seldom is; how it is with all of them there is printed too. Also compares two manifests of
1,000,000 files each, and prints the seconds beyond reading them. Targets: the second run takes at most 5 % of the first (wall
time), the comparison less than 5 s.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import os
import statistics
import tempfile
import time
from pathlib import Path

from _measuring import Row, report, row
from md5_tree import COMMAND, filled, make, seconds

from accucheck import manifest, nodes
from accucheck.manifest import File, Manifest

SHARE, COMPARE = 0.05, 5.0


def evict(tree: Path) -> None:
    """Put the files of a tree out of the page cache."""
    os.sync()
    for path in tree.rglob("*.jpg"):
        with path.open("rb") as stream:
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def again(folder: Path, rounds: int) -> list[Row]:
    """The second run against a first that reads from the disk, and against one that reads from the page cache."""
    tree, kept, output = folder / "tree", folder / "kept.json", folder / "output"
    tree.mkdir()
    total = make(tree, big=False)
    command = [*filled(COMMAND, tree), "--output", str(kept)]
    print(f"20,000 files, {total / 1e9:.2f} GB")
    rows = []
    for where in ("disk", "page cache"):
        runs = []
        for _ in range(rounds):
            kept.unlink(missing_ok=True)
            if where == "disk":
                evict(tree)
            runs.append((*seconds(command, output), *seconds(command, output)))
        first, busy, second, still = (statistics.median(column) for column in zip(*runs, strict=True))
        print(
            f"from the {where}: first {first:.3f} s, second {second:.3f} s, {second / first:.1%}; of processor time {still / busy:.1%}; "
            f"load {os.getloadavg()[0]:.1f}"
        )
        bound = SHARE if where == "disk" else None
        first_runs, second_runs = [run[0] for run in runs], [run[2] for run in runs]
        name = f"second run, first from the {where}"
        rows.append(row(name, second_runs, "s", "the first run", first_runs, ratio_most=bound, note="20,000 files"))
    return rows


def million(folder: Path) -> float:
    """Seconds to compare two manifests of a million files, beyond reading them; 100 files differ in each way."""
    made = [hashlib.md5(b"%d" % number).hexdigest() for number in range(1_000_000)]
    files = [File(f"c{n % 1000:03}/{n:07}.jpg", md5, 50_000, 1, 1) for n, md5 in enumerate(made)]
    other = files[100:] + [File(f"new/{n}", f"{n:032x}", 1, 1, 1) for n in range(100)]
    other[5000:5100] = [File(file.path, "0" * 32, file.size, 1, 1) for file in other[5000:5100]]
    for name, listed in (("a", files), ("b", other)):
        manifest.write(Manifest(name, sorted(listed, key=lambda file: file.path)), folder / f"{name}.json")
    del files, other
    gc.disable()  # as the command does
    begin = time.perf_counter()
    one, two = (manifest.read(folder / f"{name}.json") for name in "ab")
    reading = time.perf_counter() - begin
    begin = time.process_time()  # one thread, nothing read: other programs disturb it less than the clock on the wall
    result = manifest.compare(two, one, root=folder)
    middle = time.process_time()
    several = nodes.compare([("a", one), ("b", two), ("c", one)])
    end = time.process_time()
    if (len(result.missing), len(result.extra), len(result.different)) != (100, 100, 100) or not several.differs:
        raise SystemExit("the comparison is wrong")
    print(
        f"1,000,000 files: reading both {reading:.2f} s, comparing {middle - begin:.2f} s, three machines {end - middle:.2f} s"
    )
    return max(middle - begin, end - middle)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where to make the files (default: the system's temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        rows = again(Path(folder), options.rounds)
        print(f"second run over first: {rows[0].ratio:.1%} (target at most {SHARE:.0%})")
        taken = million(Path(folder))
    print(f"comparison beyond reading: {taken:.2f} s (target below {COMPARE:.0f} s)")
    rows.append(row("comparing manifests of 1,000,000 files, beyond reading them", taken, "s", most=COMPARE))
    return report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
