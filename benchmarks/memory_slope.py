"""Peak memory of whole commands, child processes included, as rows and files grow 4 and 16 times.

python benchmarks/memory_slope.py. Tables begin at 16,000,000 rows (220 MB): below that the reader's buffers are not full yet. Prints
the slope from the first size to the last against its bound: a scan keeps neither rows nor files (but the names in one folder, to
take them in order). What answers for a whole has to hold a record of each: a manifest of every file, label_conflicts a digest, a
label and their order for every sample, up to its parameter `samples`. Pages of files that are mapped are left out: they are the
system's cache, and given back.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from _measuring import report, row
from md5_tree import COMMAND, memory

RUN = [COMMAND[0], "run", "--no-session", "--exit-zero", "--json"]
TIMES = (1, 4, 16)
OWN = ("Pss_Anon:", "Pss_Shmem:")
#: Bytes that one more row, file, or one of which a record is kept, may cost.
A_ROW, A_FILE, A_SAMPLE, A_RECORD = 0.5, 100, 100, 2000


def table(folder: Path, count: int) -> None:
    """One CSV of three columns; the first million rows differ from each other, and come again."""
    distinct = min(count, 1_000_000)
    block = "".join([f"{n},{n * 7919 % 1009},{n % 9}\n" for n in range(1_000_000, 1_000_000 + distinct)])
    with (folder / "a.csv").open("w") as stream:
        stream.write("x,y,label\n")
        for _ in range(count // distinct):
            stream.write(block)


def files(folder: Path, count: int) -> None:
    """Small pictures in folders by class, every one another."""
    from io import BytesIO

    from PIL import Image

    held = BytesIO()
    Image.new("L", (4, 4), 7).save(held, "PNG")
    for number in range(count):
        path = folder / f"c{number % 10}" / f"{number:06}.png"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(held.getvalue() + number.to_bytes(4, "big"))


#: name, what makes the data, their count at first, the command's words, the bound.
CASES: list[tuple[str, Callable[[Path, int], None], int, list[str], float]] = [
    ("ds.01 rows", table, 16_000_000, [*RUN, "--only", "ds.01"], A_ROW),
    ("ds.03 rows", table, 16_000_000, [*RUN, "--only", "ds.03"], A_ROW),
    ("label_conflicts rows", table, 250_000, [*RUN, "--only", "ds.02"], A_SAMPLE),
    ("ds.01 files", files, 1000, [*RUN, "--only", "ds.01"], A_FILE),
    ("ds.03 files", files, 1000, [*RUN, "--only", "ds.03"], A_FILE),
    ("label_conflicts files", files, 1000, [*RUN, "--only", "ds.02"], A_RECORD),
    ("ds.04 files", files, 1000, [*RUN, "--only", "ds.04"], A_RECORD),
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    rows = []
    for name, make, count, command, bound in CASES:
        peaks = []
        for times in TIMES:
            with tempfile.TemporaryDirectory() as project:
                folder = Path(project, "data")
                folder.mkdir()
                make(folder, count * times)
                peaks.append(memory([*command, "--set", "data.train.path=data", project], OWN))
        slope = (peaks[-1] - peaks[0]) / (count * (TIMES[-1] - TIMES[0]))
        shown = ", ".join(f"{peak / 1e6:.0f}" for peak in peaks)
        unit = name.rpartition(" ")[2].rstrip("s")
        print(f"{name:24} {count:,} x {TIMES}: {shown} MB; {slope:,.1f} bytes a {unit} (bound {bound:g})", flush=True)
        note = f"{shown} MB at {', '.join(f'{count * times:,}' for times in TIMES)}"
        rows.append(row(f"{name}: each one more", slope, "bytes", most=bound, note=note))
    return report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
