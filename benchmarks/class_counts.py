"""Samples by class in MindRecord and TFRecord: the whole probe against iterating MindSpore's data set, as one would count.

usage: python benchmarks/class_counts.py [--rows 50000] [--rounds 5]
Each side runs in a process of its own, in turn, with the file in the page cache; imports are not counted on either side.
Prints medians and the ratio (above 1: the probe is faster). "label only" has the data set read no other column; "missing" is
the whole scan of ds.01, all columns and checksums included.
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


def generate(folder: Path, rows: int) -> dict[str, Path]:
    """Pictures of 3 kB with ten classes, the size of CIFAR's, in both formats."""
    import numpy as np
    from mindspore.mindrecord import FileWriter

    random = np.random.default_rng(0)
    labels, pictures = random.integers(0, 10, rows).tolist(), random.integers(0, 256, (1000, 3072)).astype(np.uint8)
    paths = {"MindRecord": folder / "train.mindrecord", "TFRecord": folder / "train.tfrecord"}
    writer = FileWriter(str(paths["MindRecord"]), 1)
    writer.add_schema({"label": {"type": "int32"}, "image": {"type": "bytes"}}, "pictures")
    with paths["TFRecord"].open("wb") as file:
        for start in range(0, rows, 1000):
            part = [(label, pictures[place].tobytes()) for place, label in enumerate(labels[start : start + 1000])]
            writer.write_raw_data([{"label": label, "image": image} for label, image in part])
            for label, image in part:
                file.write(framed(example(label, image)))
    writer.commit()
    return paths


def message(field: int, content: bytes) -> bytes:
    """A field of a protobuf message that holds bytes or another message."""
    length, digits = len(content), bytearray()
    while length > 0x7F:
        digits.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes([field << 3 | 2, *digits, length]) + content


def example(label: int, image: bytes) -> bytes:
    """A tf.train.Example."""
    kinds = {b"label": message(3, message(1, bytes([label]))), b"image": message(1, message(1, image))}
    return message(1, b"".join(message(1, message(1, name) + message(2, kind)) for name, kind in kinds.items()))


def framed(record: bytes) -> bytes:
    import struct

    import google_crc32c

    def masked(data: bytes) -> bytes:
        crc = google_crc32c.value(data)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    head = struct.pack("<Q", len(record))
    return head + masked(head) + record + masked(record)


def side(which: str, path: str) -> tuple[float, dict[str, int]]:
    """Seconds, and the samples by class."""
    from collections import Counter

    if which in ("probe", "missing"):
        import polars  # noqa: F401

        from accucheck.case import Case, CaseFile, Data, DataSet
        from accucheck.model import Finding, Table
        from accucheck.probes import class_balance, missing_values
        from accucheck.readers import labels, tfrecord  # noqa: F401

        probe = class_balance if which == "probe" else missing_values
        case = Case(root=".", spec=CaseFile(data=Data(train=DataSet(path=path, label="label"))))
        start = time.perf_counter()
        events = list(probe.run(case, probe.Params()))
        seconds = time.perf_counter() - start
        told = [event for event in events if isinstance(event, Finding) and event.code == "classes"]
        rows = [row for event in told for part in event.evidence if isinstance(part, Table) for row in part.rows]
        return seconds, {str(row[0]): int(row[1]) for row in rows}

    import mindspore.dataset as ds

    columns = ["label"] if which == "label only" else None
    start = time.perf_counter()
    if path.endswith(".mindrecord"):
        data = ds.MindDataset(path, columns_list=columns, shuffle=False)
    else:
        data = ds.TFRecordDataset(path, columns_list=columns, shuffle=False)
    counts = Counter(int(row["label"].item()) for row in data.create_dict_iterator(num_epochs=1, output_numpy=True))
    return time.perf_counter() - start, {str(label): count for label, count in counts.items()}


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=50_000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.side:
        print(json.dumps(side(*given.side)))
        return 0
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, path in generate(Path(folder), given.rows).items():
            print(f"{kind}: {given.rows:,} rows, {path.stat().st_size / 1e6:.0f} MB")
            runs: dict[str, list[float]] = {}
            found: dict[str, dict[str, int]] = {}
            for _ in range(given.rounds):
                for which in ("probe", "missing", "all columns", "label only"):
                    line = [sys.executable, __file__, "--side", which, str(path)]
                    ran = subprocess.run(line, check=True, capture_output=True, text=True)
                    seconds, found[which] = json.loads(ran.stdout.splitlines()[-1])
                    runs.setdefault(which, []).append(seconds)
            assert found["probe"] == found["all columns"] == found["label only"]
            median = {which: statistics.median(seconds) for which, seconds in runs.items()}
            for which, seconds in median.items():
                ratio = f"probe {seconds / median['probe']:6.1f}" if which != "probe" else ""
                scan = f"missing {seconds / median['missing']:6.1f}" if which in ("all columns", "label only") else ""
                print(f"  {which:12} {seconds:7.3f} s   {ratio}   {scan}")
            note, whole = (
                f"{given.rows:,} rows, {path.stat().st_size / 1e6:.0f} MB",
                "MindSpore's data set, all columns",
            )
            rows += [
                row(f"{kind}, samples by class", runs["probe"], "s", whole, runs["all columns"], note=note),
                row(f"{kind}, samples by class", runs["probe"], "s", "the label only", runs["label only"], note=note),
                row(f"{kind}, all of ds.01", runs["missing"], "s", whole, runs["all columns"], note=note),
            ]
    return report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
