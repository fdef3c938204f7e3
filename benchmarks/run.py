"""Runs the benchmarks one after another, each in a fresh process, and writes docs/benchmarks.md from what they found.

    python benchmarks/run.py                  all of them; make bench
    python benchmarks/run.py start_up estimate    these; the page keeps the others, and says which are stale
    python benchmarks/run.py --stale          those that are stale, failed, or were never measured
    python benchmarks/run.py --pages-only     only the page

A benchmark that fails is named in the page, and the next one runs. Exit code 1: one failed, or a target is missed.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from _measuring import RESULTS, ROOT, STORE, Result, fail, read, stored, write
from _pages import Places, duration, figures, save

HERE = Path(__file__).resolve().parent
PAGE = ROOT / "docs" / "benchmarks.md"
#: What else lies beside the benchmarks: this, and what quality.py runs.
OTHERS = {"run", "quality", "planted", "labelled", "twins"}
#: Against a benchmark that hangs; seconds.
PATIENCE = 2 * 3600.0
INTRODUCTION = """\
# Benchmarks

`make bench` runs every script of [benchmarks/](../benchmarks) and writes this page from what they found
(`benchmarks/results/`). A figure is the median of its rounds, in which both sides run by turns. The ratio is ours over the peer's: of
times and memory, below 1 is better than the peer. *Stale* is what was measured with other sources than those of today.
What is right and what is wrong of the findings: [quality](quality.md).
"""


def scripts(folder: Path = HERE) -> list[Path]:
    """The benchmarks; names with an underscore are helpers."""
    return [path for path in sorted(folder.glob("*.py")) if path.stem not in OTHERS and path.stem[0] != "_"]


def measure(script: Path, results: Path, arguments: Sequence[str] = ()) -> Result:
    """Run one and keep what it found; of a failure why, beside what an earlier run found."""
    print(f"\n=== {script.stem}", flush=True)
    kept = results / f"{script.stem}.json"
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "result.json")
        environment = {**os.environ, STORE: str(found)}
        with Path(folder, "errors").open("w+", encoding="utf-8", errors="replace") as errors:
            try:
                code = subprocess.run(
                    [sys.executable, str(script), *arguments],
                    env=environment, stdin=subprocess.DEVNULL, stderr=errors, timeout=PATIENCE,
                ).returncode  # fmt: skip
                reason = f"exit code {code}"
            except subprocess.TimeoutExpired:
                reason = f"stopped after {duration(PATIENCE)}"
            errors.seek(0)
            said = [line for line in errors.read().splitlines() if line.strip()]
        sys.stderr.write("".join(f"{line}\n" for line in said[-40:]))
        if not found.is_file():
            return fail(script.stem, ", ".join([reason, *said[-1:]]), kept)
        result = read(found)
    write(result, kept)
    return result


def page(results: Mapping[str, Result], titles: Mapping[str, str], root: Path = ROOT) -> list[str]:
    """The lines of docs/benchmarks.md. `titles`: every benchmark there is, with what it measures."""
    held = {name: results[name] for name in titles if name in results}
    stale = {name for name, result in held.items() if result.stale(root)}
    missed = [f"{name} ({one.name})" for name, result in held.items() for one in result.rows if one.met is False]
    targets = sum(one.met is not None for result in held.values() for one in result.rows)
    places = Places(held.values())
    lines = [INTRODUCTION, *places.lines()]
    lines += [f"- Targets: {targets - len(missed)} of {targets} met.", *listed("Missed", missed)]
    lines += listed("Failed", [f"{name} ({result.failed})" for name, result in held.items() if result.failed])
    lines += listed("Stale", sorted(stale))
    lines += listed("Not measured yet", [name for name in titles if name not in held])
    for name, what in titles.items():
        if name in held:
            lines += ["", f"## {name}", "", what, "", *told(held[name], places, root)]
    return lines


def told(result: Result | None, places: Places, root: Path = ROOT) -> list[str]:
    """Of one result: when and where, what was wrong with the run, its notes and its rows."""
    if result is None:
        return ["Not measured yet.", ""]
    lines = [f"**The newest run failed**, {result.failed}.", ""] if result.failed else []
    if result.machine is None:
        return lines
    stale = result.stale(root)
    lines += [". ".join([places.of(result), *result.notes]) + "." + (" **Stale.**" if stale else ""), ""]
    return [*lines, *(figures(result.rows, stale) if result.rows else [])]


def listed(what: str, names: Sequence[str]) -> list[str]:
    return [f"- **{what}**: {'; '.join(names)}."] if names else []


def title(script: Path) -> str:
    """The first sentence of a script's docstring, on one line."""
    doc = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    return " ".join(doc.split("\n\n")[0].split())


def titles() -> dict[str, str]:
    """Every benchmark there is, with what it measures."""
    return {script.stem: title(script) for script in scripts()}


def wanted(name: str, folder: Path = RESULTS) -> bool:
    """Whether there is no result that holds today."""
    result = stored(folder).get(name)
    return result is None or bool(result.failed) or result.stale()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--stale", action="store_true")
    parser.add_argument("--pages-only", action="store_true")
    options = parser.parse_args()
    known = {script.stem: script for script in scripts()}
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = [] if options.pages_only else options.names or [*known]
    if options.stale:
        chosen = [name for name in chosen if wanted(name)]
    ran = []
    for name in chosen:
        ran.append(measure(known[name], RESULTS))
        save(PAGE, page(stored(), titles()))  # after each: nothing is lost when the next one is stopped
    if not chosen:
        save(PAGE, page(stored(), titles()))
    wrong = [result.name for result in ran if result.failed or any(one.met is False for one in result.rows)]
    if wrong:
        print(f"failed, or a target missed: {', '.join(wrong)}")
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
