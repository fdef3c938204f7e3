"""TFRecord to MindRecord: accucheck convert, file to file, against the part of MindSpore's converter that needs no TensorFlow.

usage: python benchmarks/convert_data.py [--records 20000] [--rounds 5]
MindSpore's TFRecordToMR parses with TensorFlow and gives lists of rows to FileWriter.write_raw_data. The peer here is FileWriter
alone, with the rows in memory already, so that the time to read and parse the records counts on our side only. Each side runs in a
process of its own, in turn; imports are not counted. The results are read by MindDataset and must agree.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _measuring import report, row

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

#: Rows that TFRecordToMR gives to the writer at a time.
TOGETHER = 256


def generate(path: Path, records: int) -> None:
    import numpy as np

    from tfrecord_files import example, write

    random = np.random.default_rng(0)
    rows = (
        {
            "image": random.bytes(12_000),
            "label": at % 1000,
            "box": random.normal(size=4).astype(np.float32),
            "ids": [at, 7, at % 9],
        }
        for at in range(records)
    )
    write(path, [example(**one) for one in rows])


def ours(source: Path, output: Path) -> float:
    from accucheck import data_conversion

    start = time.perf_counter()
    data_conversion.convert([source], output, lambda done, total: None)
    return time.perf_counter() - start


def theirs(source: Path, output: Path) -> float:
    import numpy as np
    from mindspore.mindrecord import FileWriter

    from accucheck.readers import tfrecord

    rows = [
        {
            "image": one["image"][1][0], "label": one["label"][1][0], "box": np.asarray(one["box"][1], np.float32),
            "ids": np.asarray(one["ids"][1], np.int64),
        }
        for one in tfrecord.examples(source)
    ]  # fmt: skip
    start = time.perf_counter()
    writer = FileWriter(str(output), 1, overwrite=True)
    numbers = {"box": {"type": "float32", "shape": [-1]}, "ids": {"type": "int64", "shape": [-1]}}
    writer.add_schema({"image": {"type": "bytes"}, "label": {"type": "int64"}, **numbers})
    for at in range(0, len(rows), TOGETHER):
        writer.write_raw_data(rows[at : at + TOGETHER])
    writer.commit()
    return time.perf_counter() - start


def digest(output: Path) -> str:
    """Of all values, as MindSpore reads them."""
    import hashlib

    import mindspore.dataset as ds

    made = hashlib.blake2b()
    for one in ds.MindDataset(str(output), shuffle=False).create_tuple_iterator(num_epochs=1, output_numpy=True):
        for value in one:
            made.update(value.tobytes())
    return made.hexdigest()


def side(which: str, source: Path, output: Path) -> dict[str, object]:
    seconds = (ours if which == "ours" else theirs)(source, output)
    return {"seconds": seconds, "digest": digest(output)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--side", nargs=3, metavar=("WHICH", "SOURCE", "OUTPUT"))
    asked = parser.parse_args()
    if asked.side:
        print(json.dumps(side(asked.side[0], *map(Path, asked.side[1:]))))
        return 0
    seconds: dict[str, list[float]] = {"ours": [], "theirs": []}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "data.tfrecord")
        generate(source, asked.records)
        found = set()
        for number in range(asked.rounds):
            for which in seconds:
                output = Path(folder, f"{which}{number}.mindrecord")
                command = [sys.executable, __file__, "--side", which, str(source), str(output)]
                ran = subprocess.run(command, capture_output=True, text=True, check=True)
                told = json.loads(ran.stdout.splitlines()[-1])
                seconds[which].append(told["seconds"])
                found.add(told["digest"])
                output.unlink()
                output.with_name(f"{output.name}.db").unlink()
        size = source.stat().st_size / 1e6
    assert len(found) == 1, "MindSpore reads other values from one of the two"
    print(
        f"{asked.records:,} records, {size:,.0f} MB: "
        + ", ".join(f"{k} {sorted(v)[len(v) // 2]:.2f} s" for k, v in seconds.items())
    )
    peer = "FileWriter of MindSpore, from memory"
    return report(
        [row("TFRecord to MindRecord", seconds["ours"], "s", peer, seconds["theirs"], ratio_most=1.0)], ["mindspore"]
    )


if __name__ == "__main__":
    raise SystemExit(main())
