"""What a benchmark leaves beside what it prints: rows of figures with machine, versions and date, and a digest of what they depend on.

A script ends with `raise SystemExit(report(rows))`. Run by hand it stores nothing; benchmarks/run.py says where to in STORE.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import platform
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
#: The environment variable that names the file a script writes its result to.
STORE = "ACCUCHECK_BENCHMARK_RESULT"
#: What any figure may depend on, beside the modules of benchmarks/ and tests/ that the script has loaded. As a whole: which module a
#: command or a probe loads shows only when it runs.
TREES = ("src/accucheck", "checklists", "examples", "reports/session")
#: What running them leaves there, beside hidden folders.
LEFT = {"__pycache__", "rank_0"}
PACKAGES = ("numpy", "mindspore", "textual", "polars")


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """One figure: `ours` in `unit`, a median where there were several rounds, and `theirs` of `peer`, in the same unit.

    `ratio` is ours over theirs, of the medians. Targets are bounds of ours (`most`, `least`) or of the ratio (`ratio_most`, `ratio_least`).
    """

    name: str
    ours: float
    unit: str
    peer: str = ""
    theirs: float | None = None
    ratio: float | None = None
    most: float | None = None
    least: float | None = None
    ratio_most: float | None = None
    ratio_least: float | None = None
    rounds: int = 1
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether every target is met; None without one."""
        upper = ((self.ours, self.most), (self.ratio, self.ratio_most))
        lower = ((self.ours, self.least), (self.ratio, self.ratio_least))
        held = [value is not None and value <= bound for value, bound in upper if bound is not None]
        held += [value is not None and value >= bound for value, bound in lower if bound is not None]
        return all(held) if held else None


class Tally(msgspec.Struct, frozen=True):
    """How many of `count` cases of one kind came out right, of one item or of one probe."""

    kind: str
    name: str
    right: int
    count: int


class Wrong(msgspec.Struct, frozen=True):
    """A case that did not come out right: where (path:line), what is there, what was expected of the item, and what it said."""

    kind: str
    project: str
    item: str
    place: str
    what: str
    expected: str
    got: str


class Machine(msgspec.Struct, frozen=True):
    """Where something was measured; memory in GiB."""

    processor: str
    cores: int
    memory: float
    system: str


class Result(msgspec.Struct, omit_defaults=True):
    """What one script found: a benchmark its rows, an experiment its tallies.

    `files`: what it had loaded of benchmarks/ and tests/; `digest`: of these and of TREES. `load`: the load average of the machine as it
    ended. `failed`: why the newest run of it gave nothing, and when; the rest is then of an earlier one.
    """

    name: str
    arguments: list[str] = msgspec.field(default_factory=list)
    rows: list[Row] = msgspec.field(default_factory=list)
    tallies: list[Tally] = msgspec.field(default_factory=list)
    wrong: list[Wrong] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)
    date: str = ""
    seconds: float = 0.0
    load: float = 0.0
    machine: Machine | None = None
    versions: dict[str, str] = msgspec.field(default_factory=dict)
    files: list[str] = msgspec.field(default_factory=list)
    digest: str = ""
    failed: str = ""

    def stale(self, root: Path = ROOT) -> bool:
        """Whether something it depends on is not what it was."""
        return bool(self.digest) and self.digest != digest(self.files, root)


def row(
    name: str,
    ours: float | Sequence[float],
    unit: str,
    peer: str = "",
    theirs: float | Sequence[float] | None = None,
    *,
    most: float | None = None,
    least: float | None = None,
    ratio_most: float | None = None,
    ratio_least: float | None = None,
    note: str = "",
    rounds: int = 0,
) -> Row:
    """A row of what every round measured, or of one figure (of so many `rounds`)."""
    own, middle = _median(ours), None if theirs is None else _median(theirs)
    ratio, count = own / middle if middle else None, rounds or (len(ours) if isinstance(ours, Sequence) else 1)
    return Row(name, own, unit, peer, middle, ratio, most, least, ratio_most, ratio_least, count, note)


def _median(measured: float | Sequence[float]) -> float:
    return float(statistics.median(measured) if isinstance(measured, Sequence) else measured)  # not one of numpy


def report(
    rows: Sequence[Row],
    packages: Iterable[str] = (),
    *,
    tallies: Sequence[Tally] = (),
    wrong: Sequence[Wrong] = (),
    notes: Sequence[str] = (),
) -> int:
    """Keep what was measured where STORE says; `packages`: the peers'. Returns the exit code: 1 when a target is missed."""
    for one in rows:
        if one.met is False:
            print(f"target missed: {one.name}")
    for tally in tallies:
        print(f"{tally.kind:20} {tally.name:28} {tally.right} of {tally.count}")
    for case in wrong:
        print(
            f"wrong: {case.project}, {case.item}, {case.place}: {case.expected} expected, {case.got} said ({case.what})"
        )
    if os.environ.get(STORE):
        script = Path(str(sys.modules["__main__"].__file__))
        files = loaded()
        result = Result(
            name=script.stem,
            arguments=sys.argv[1:],
            rows=list(rows),
            tallies=list(tallies),
            wrong=list(wrong),
            notes=list(notes),
            date=_today(),
            seconds=round(time.time() - _BEGUN, 1),
            load=round(os.getloadavg()[0], 1),
            machine=machine(),
            versions={"Python": platform.python_version(), **versions([*PACKAGES, *packages])},
            files=files,
            # What was measured is not known when a source changed meanwhile.
            digest="changed" if changed_since(files, _BEGUN) else digest(files),
        )
        write(result, Path(os.environ[STORE]))
    return int(any(one.met is False for one in rows))


def write(result: Result, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    temporary.replace(path)


def read(path: Path) -> Result:
    return msgspec.json.decode(path.read_bytes(), type=Result)


def fail(name: str, reason: str, path: Path) -> Result:
    """Write that a run gave nothing and why, beside what an earlier one found."""
    result = read(path) if path.is_file() else Result(name)
    result.failed = f"{_today()}: {reason}"
    write(result, path)
    return result


def stored(folder: Path = RESULTS) -> dict[str, Result]:
    """All results there are, by name."""
    return {path.stem: read(path) for path in sorted(folder.glob("*.json"))}


def versions(names: Iterable[str]) -> dict[str, str]:
    """Of the packages that are installed."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> Machine:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = named[0] if named else platform.processor() or platform.machine()
    return Machine(processor, os.cpu_count() or 1, round(memory, 1), f"{platform.system()} {platform.machine()}")


def loaded() -> list[str]:
    """The files of benchmarks/ and tests/ that this process runs, relative to the repository."""
    files = {
        Path(file).resolve() for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))
    }
    places = [ROOT / "benchmarks", ROOT / "tests"]
    return sorted(
        path.relative_to(ROOT).as_posix() for path in files if any(path.is_relative_to(place) for place in places)
    )


def sources(files: Iterable[str], root: Path = ROOT) -> list[Path]:
    """These files, and all below TREES."""
    found = {root / name for name in files}
    for tree in TREES:
        for path in (root / tree).rglob("*"):
            parts = path.relative_to(root).parts
            if path.is_file() and not any(part in LEFT or part.startswith(".") for part in parts):
                found.add(path)
    return sorted(found)


def digest(files: Iterable[str], root: Path = ROOT) -> str:
    """SHA-256 over names and contents of the sources; a file that is gone counts as empty."""
    total = hashlib.sha256()
    for path in sources(files, root):
        content = path.read_bytes() if path.is_file() else b""
        total.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def changed_since(files: Iterable[str], begun: float, root: Path = ROOT) -> bool:
    return any(path.stat().st_mtime > begun for path in sources(files, root) if path.is_file())


def _today() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")


_BEGUN = time.time()
