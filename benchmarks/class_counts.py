"""Samples by class in a MindRecord file: the whole probe against iterating MindDataset, as MindSpore itself would count.

usage: python benchmarks/class_counts.py [--rows 50000] [--rounds 5]
Each side runs in a process of its own, in turn, with the file in the page cache; imports are not counted on either side.
Prints medians and the ratio (above 1: the probe is faster). "label only" has MindDataset read no other column.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def generate(path: Path, rows: int) -> None:
    """Pictures of 3 kB with ten classes, the size of CIFAR's."""
    import numpy as np
    from mindspore.mindrecord import FileWriter

    random = np.random.default_rng(0)
    labels, pictures = random.integers(0, 10, rows), random.integers(0, 256, (1000, 3072)).astype(np.uint8)
    writer = FileWriter(str(path), 1)
    writer.add_schema({"label": {"type": "int32"}, "image": {"type": "bytes"}}, "pictures")
    for start in range(0, rows, 1000):
        part = labels[start : start + 1000]
        writer.write_raw_data(
            [{"label": int(label), "image": pictures[place].tobytes()} for place, label in enumerate(part)]
        )
    writer.commit()


def side(which: str, path: str) -> tuple[float, dict[str, int]]:
    """Seconds, and the samples by class."""
    if which == "probe":
        from accucheck.case import Case, CaseFile, Data, DataSet
        from accucheck.model import Finding, Table
        from accucheck.probes import class_balance
        from accucheck.readers import labels  # noqa: F401

        case = Case(root=".", spec=CaseFile(data=Data(train=DataSet(path=path, label="label"))))
        start = time.perf_counter()
        events = list(class_balance.run(case, class_balance.Params()))
        seconds = time.perf_counter() - start
        (told,) = (event for event in events if isinstance(event, Finding) and event.code == "classes")
        (table,) = (part for part in told.evidence if isinstance(part, Table))
        return seconds, {str(row[0]): int(row[1]) for row in table.rows}

    from collections import Counter

    from mindspore.dataset import MindDataset

    columns = ["label"] if which == "label only" else None
    start = time.perf_counter()
    data = MindDataset(path, columns_list=columns, shuffle=False)
    counts = Counter(int(row["label"]) for row in data.create_dict_iterator(num_epochs=1, output_numpy=True))
    return time.perf_counter() - start, {str(label): count for label, count in counts.items()}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=50_000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.side:
        print(json.dumps(side(*given.side)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.mindrecord")
        generate(path, given.rows)
        print(f"{given.rows:,} rows, {path.stat().st_size / 1e6:.0f} MB")
        runs: dict[str, list[float]] = {}
        found: dict[str, dict[str, int]] = {}
        for _ in range(given.rounds):
            for which in ("probe", "all columns", "label only"):
                line = [sys.executable, __file__, "--side", which, str(path)]
                ran = subprocess.run(line, check=True, capture_output=True, text=True)
                seconds, found[which] = json.loads(ran.stdout.splitlines()[-1])
                runs.setdefault(which, []).append(seconds)
        assert found["probe"] == found["all columns"] == found["label only"]
        median = {which: statistics.median(seconds) for which, seconds in runs.items()}
        for which, seconds in median.items():
            print(f"{which:12} {seconds:7.3f} s   ratio {seconds / median['probe']:6.1f}")


if __name__ == "__main__":
    main()
