"""Missing values in a CSV, a Parquet and an NDJSON file: the whole probe against DuckDB and polars counting the same.

usage: python benchmarks/missing_tables.py [--rows 8500000] [--rounds 3] [--kind csv] [--keep FOLDER]
About 1 GB each. Counted by column, in one query: null and empty, NaN, +Inf, -Inf, each of the usual words for missing, and the
declared markers. The counts are compared. `duckdb` and `polars` take words without case and outer spaces, as the probe does; the
-list ones ask for a list of all spellings, which is faster and knows no spaces. Each side runs in a process of its own, in turn.
Prints medians, ratios (above 1: the probe is faster), peak memory and processor time, which tells more than the clock on a busy
machine. The probe does more: it finds rows, numbers among text and sentinels.
"""

import argparse
import itertools
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

from _measuring import Row, report, row

WORDS = ("na", "n/a", "#n/a", "nan", "null", "none", "nil", "?", "-", "--", "<na>")
#: In columns of numbers that are read as text.
INFINITE = {"inf": "+inf", "+inf": "+inf", "infinity": "+inf", "-inf": "-inf", "-infinity": "-inf"}
MARKER = "-999"
NUMBERS = [*(f"i{n}" for n in range(7)), *(f"f{n}" for n in range(8))]
TEXTS = [f"t{n}" for n in range(5)]
HOLES = {
    "i3": ("NA", 0.001),
    "i5": (MARKER, 0.001),
    "f2": ("", 0.01),
    "f5": ("nan", 0.001),
    "f6": ("inf", 0.0005),
    "t1": ("?", 0.001),
}
Counts = dict[str, int]


def generate(path: Path, kind: str, rows: int) -> None:
    """20 columns: 7 of integers, 8 of floats, 5 of text; six of them have gaps (nulls where a number cannot hold the word)."""
    import numpy as np
    import polars as pl

    random = np.random.default_rng(0)
    words = np.array(["red", "green", "blue", "Shanghai", "Shenzhen", "New York", "user", "item", "click", "view"])
    frames = []
    with path.open("wb") as file:
        for start in range(0, rows, 500_000):
            count = min(500_000, rows - start)
            columns = {f"i{i}": pl.Series(random.integers(0, 10 ** (i % 5 + 1), count)) for i in range(7)}
            columns |= {f"f{i}": pl.Series(random.normal(size=count).round(5)) for i in range(8)}
            columns |= {f"t{i}": pl.Series(words[random.integers(0, len(words), count)]) for i in range(5)}
            frame = pl.DataFrame(columns)
            if kind == "csv":
                frame = frame.cast(pl.String)
            for name, (word, share) in HOLES.items():
                dtype = frame.schema[name]
                value = pl.lit(word).cast(dtype, strict=False) if kind == "csv" or word != "" else pl.lit(None, dtype)
                if kind == "ndjson" and word in ("nan", "inf"):  # which JSON does not have
                    value = pl.lit(None, dtype)
                hole = pl.Series(random.random(count) < share)
                frame = frame.with_columns(pl.when(hole).then(value).otherwise(pl.col(name)).alias(name))
            if kind == "csv":
                frame.write_csv(file, include_header=start == 0, quote_style="never")
            elif kind == "ndjson":
                frame.write_ndjson(file)
            else:
                frames.append(frame)
        if frames:
            pl.concat(frames).write_parquet(file)


def spellings() -> list[str]:
    return sorted({"".join(s) for word in WORDS for s in itertools.product(*({c.lower(), c.upper()} for c in word))})


def probe(path: str, kind: str) -> Counts:
    from accucheck.case import Case, CaseFile, Data, DataSet, Field
    from accucheck.model import Finding, Table
    from accucheck.probes import missing_values

    data = DataSet(path=path, fields={"i5": Field(missing=[int(MARKER)])})
    events = missing_values.run(Case(root=".", spec=CaseFile(data=Data(train=data))), missing_values.Params())
    found: Counts = Counter()
    kinds = {"null-values": "null", "empty-values": "null", "empty-text": "null", "nan-values": "nan"}
    kinds |= {"words-in-numbers": "word", "words-in-text": "word", "declared-markers": "marker"}
    for event in events:
        if isinstance(event, Finding) and event.evidence:
            for row in next(part for part in event.evidence if isinstance(part, Table)).rows:
                kind = row[2] if event.code == "infinite-values" else kinds[event.code]
                found[f"{row[1]} {kind}"] += row[3]
    return found


def duckdb(path: str, kind: str, listed: bool) -> Counts:
    import duckdb

    connection = duckdb.connect()
    read = {
        "csv": f"read_csv('{path}', all_varchar=true, header=true, nullstr='')",
        "parquet": f"read_parquet('{path}')",
        "ndjson": f"read_json('{path}', format='newline_delimited')",
    }[kind]
    types = dict(connection.execute(f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {read})").fetchall())
    asked: list[tuple[str, str]] = []
    for name, dtype in types.items():
        asked.append((f"{name} null", f"count(*) - count({name})"))
        if dtype == "VARCHAR":
            cell = name if listed else f"lower(trim({name}))"
            wanted = [*(spellings() if listed else WORDS)]
            if name in NUMBERS:
                wanted += [*INFINITE, MARKER] if name == "i5" else INFINITE
            words = ", ".join(f"'{word}'" for word in wanted)
            asked.append((f"{name} words", f"histogram({cell}) FILTER (WHERE {cell} IN ({words}))"))
            if kind != "csv":
                asked.append((f"{name} empty", f"count(*) FILTER (WHERE {name} = '')"))
        elif dtype in ("DOUBLE", "FLOAT"):
            asked.append((f"{name} nan", f"count(*) FILTER (WHERE isnan({name}))"))
            asked += [
                (f"{name} {sign}inf", f"count(*) FILTER (WHERE {name} = '{sign}Infinity'::DOUBLE)") for sign in "+-"
            ]
        if name == "i5" and dtype != "VARCHAR":
            asked.append((f"{name} marker", f"count(*) FILTER (WHERE {name} = {MARKER})"))
    answer = connection.execute(f"SELECT {', '.join(query for _, query in asked)} FROM {read}").fetchone()
    return _merged(zip((name for name, _ in asked), answer, strict=True))


def _merged(answers: Any) -> Counts:
    """Counts by column and kind; words by what they mean in a column of numbers."""
    found: Counts = Counter()
    for name, value in answers:
        column = name.partition(" ")[0]
        if not isinstance(value, dict):
            found[name.replace(" empty", " null")] += value or 0  # a histogram of nothing is NULL
            continue
        for word, count in value.items():
            kind = INFINITE.get(word.lower(), "marker" if word == MARKER else "word")
            found[f"{column} {'nan' if word.lower() == 'nan' and column in NUMBERS else kind}"] += count
    return found


def polars(path: str, kind: str, listed: bool) -> Counts:
    import polars as pl

    scan = {"csv": lambda: pl.scan_csv(path, infer_schema=False), "parquet": lambda: pl.scan_parquet(path)}
    frame = scan.get(kind, lambda: pl.scan_ndjson(path, infer_schema_length=None))()
    asked = []
    for name, dtype in frame.collect_schema().items():
        column = pl.col(name)
        asked.append(column.null_count().alias(f"{name} null"))
        if dtype == pl.String:
            cell = column if listed else column.str.strip_chars(" ").str.to_lowercase()
            wanted = [*(spellings() if listed else WORDS)]
            wanted += [*INFINITE, MARKER] if name == "i5" else [*INFINITE] if name in NUMBERS else []
            asked.append(cell.filter(cell.is_in(wanted)).value_counts().implode().alias(f"{name} words"))
            if kind != "csv":
                asked.append((column == "").sum().alias(f"{name} empty"))
        elif dtype.is_float():
            asked.append(column.is_nan().sum().alias(f"{name} nan"))
            asked += [(column == float(sign + "inf")).sum().alias(f"{name} {sign}inf") for sign in "+-"]
        if name == "i5" and dtype != pl.String:
            asked.append((column == int(MARKER)).sum().alias(f"{name} marker"))
    row = frame.select(asked).collect(engine="streaming").row(0, named=True)
    given = {
        name: value if isinstance(value, int) else {one[name.partition(" ")[0]]: one["count"] for one in value}
        for name, value in row.items()
    }
    return _merged(given.items())


def peak_megabytes() -> float:
    """Peak memory of this process since its start (ru_maxrss would include that of the parent before exec)."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


SIDES = {
    "probe": probe,
    "duckdb": lambda path, kind: duckdb(path, kind, listed=False),
    "duckdb-list": lambda path, kind: duckdb(path, kind, listed=True),
    "polars": lambda path, kind: polars(path, kind, listed=False),
    "polars-list": lambda path, kind: polars(path, kind, listed=True),
}


def compare(kind: str, path: Path, rounds: int) -> list[Row]:
    rows = []
    print(f"{kind}: {path.stat().st_size / 1e6:,.0f} MB, 20 columns")
    runs: dict[str, list[list]] = {}
    for _ in range(rounds):
        for side in SIDES:
            line = [sys.executable, __file__, "--side", side, "--kind", kind, "--keep", str(path)]
            ran = subprocess.run(line, check=True, stdout=subprocess.PIPE)
            runs.setdefault(side, []).append(json.loads(ran.stdout))
    counts = {side: {key: count for key, count in ran[0][3].items() if count} for side, ran in runs.items()}
    assert all(found == counts["probe"] for found in counts.values()), counts
    for side, ran in runs.items():
        seconds, processor = (statistics.median(one[place] for one in ran) for place in (0, 2))
        own = [statistics.median(mine[place] for mine in runs["probe"]) for place in (0, 2)]
        ratios = [seconds / own[0], processor / own[1]]
        told = "" if side == "probe" else f"   ratio {ratios[0]:5.2f}, of processor time {ratios[1]:5.2f}"
        memory = max(one[1] for one in ran)
        print(f"  {side:12} {seconds:6.2f} s   {processor:6.2f} CPU s   peak {memory:5.0f} MB{told}", flush=True)
        if side != "probe":
            most = max(one[1] for one in runs["probe"])
            note = f"ratio of processor time {1 / ratios[1]:.2f}; peak {most:,.0f} MB, peer {memory:,.0f} MB"
            rows.append(row(kind, [one[0] for one in runs["probe"]], "s", side, [one[0] for one in ran], note=note))
    return rows


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument(
        "--rows", type=int, default=8_500_000, help="of the CSV; the other files get as many as make the same size"
    )
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--kind", choices=("csv", "parquet", "ndjson"), help="only this one")
    arguments.add_argument("--keep", type=Path, help="use the files in this folder, made when absent")
    arguments.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.side:
        start = time.perf_counter()
        found = SIDES[given.side](str(given.keep), given.kind)
        seconds = time.perf_counter() - start
        usage = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps([seconds, peak_megabytes(), usage.ru_utime + usage.ru_stime, found]))
        return 0
    rows = []
    print(", ".join(f"{name} {version(name)}" for name in ("accucheck", "duckdb", "polars")))
    with tempfile.TemporaryDirectory() as folder:
        for kind, share in {"csv": 1.0, "parquet": 2.4, "ndjson": 0.43}.items():
            if given.kind in (None, kind):
                path = (given.keep or Path(folder)).resolve() / f"train.{kind}"
                if not path.exists():
                    generate(path, kind, int(given.rows * share))
                rows += compare(kind, path, given.rounds)
    return report(rows, ["duckdb"])


if __name__ == "__main__":
    raise SystemExit(main())
