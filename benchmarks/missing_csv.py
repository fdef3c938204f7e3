"""Missing values in a CSV: the whole probe against polars' own null count over the same words.

usage: python benchmarks/missing_csv.py [--rows 8500000] [--rounds 5] [--keep FILE]
Each side runs in a process of its own, in turn; prints medians, the ratio (above 1: the probe is faster) and peak memory.
The probe does more: kinds of missing, rows, sentinels.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = ["", "NA", "N/A", "n/a", "na", "NULL", "null", "None", "none", "nan", "NaN", "NAN", "?", "-"]


def generate(path: Path, rows: int) -> None:
    """20 columns: 7 of integers, 8 of floats, 5 of text, four of them with markers of missing values."""
    import numpy as np
    import polars as pl

    random = np.random.default_rng(0)
    words = np.array(["red", "green", "blue", "Shanghai", "Shenzhen", "New York", "user", "item", "click", "view"])
    holes = {"i3": ("NA", 0.001), "f2": ("", 0.01), "f5": ("nan", 0.001), "t1": ("?", 0.001)}
    with path.open("wb") as file:
        for start in range(0, rows, 500_000):
            count = min(500_000, rows - start)
            columns = {
                f"i{i}": pl.Series(random.integers(0, 10 ** (i % 5 + 1), count)).cast(pl.String) for i in range(7)
            }
            columns |= {f"f{i}": pl.Series(random.normal(size=count).round(5)).cast(pl.String) for i in range(8)}
            columns |= {f"t{i}": pl.Series(words[random.integers(0, len(words), count)]) for i in range(5)}
            frame = pl.DataFrame(columns).with_columns(
                pl.when(pl.Series(random.random(count) < share)).then(pl.lit(word)).otherwise(pl.col(name)).alias(name)
                for name, (word, share) in holes.items()
            )
            frame.write_csv(file, include_header=start == 0, quote_style="never")


def probe(path: str) -> dict[str, int]:
    from accucheck.case import Case, CaseFile, Data, DataSet
    from accucheck.model import Finding
    from accucheck.probes import missing_values

    case = Case(root=".", spec=CaseFile(data=Data(train=DataSet(path=path))))
    events = missing_values.run(case, missing_values.Params())
    return {event.code: event.data.get("count", 0) for event in events if isinstance(event, Finding)}


def polars(path: str, engine: str) -> dict[str, int]:
    import polars as pl

    counts = pl.scan_csv(path, infer_schema=False, null_values=WORDS).null_count().collect(engine=engine)
    return {"nulls": counts.sum_horizontal().item()}


def peak_megabytes() -> float:
    """Peak memory of this process since its start (ru_maxrss would include that of the parent before exec)."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=8_500_000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--keep", type=Path, help="use this file, made when absent")
    arguments.add_argument("--side", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.side:
        start = time.perf_counter()
        path = str(given.keep)
        found = probe(path) if given.side == "probe" else polars(path, given.side.removeprefix("polars-"))
        seconds = time.perf_counter() - start
        usage = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps([seconds, peak_megabytes(), usage.ru_utime + usage.ru_stime, found]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = (given.keep or Path(folder, "train.csv")).resolve()
        if not path.exists():
            generate(path, given.rows)
        print(f"{path.stat().st_size / 1e9:.2f} GB, 20 columns")
        times: dict[str, list[list]] = {}
        for _ in range(given.rounds):
            for side in ("probe", "polars-streaming", "polars-in-memory"):
                line = [sys.executable, __file__, "--side", side, "--keep", str(path)]
                times.setdefault(side, []).append(
                    json.loads(subprocess.run(line, check=True, capture_output=True).stdout)
                )
        medians = {side: statistics.median(run[0] for run in runs) for side, runs in times.items()}
        for side, runs in times.items():
            processor = statistics.median(run[2] for run in runs)
            memory = max(run[1] for run in runs)
            print(f"{side:17} {medians[side]:6.2f} s   {processor:6.2f} CPU s   peak {memory:5.0f} MB   {runs[0][3]}")
        print(
            f"ratio {min(v for s, v in medians.items() if s != 'probe') / medians['probe']:.2f} (faster polars / probe)"
        )


if __name__ == "__main__":
    main()
