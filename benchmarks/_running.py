"""The benchmarks and experiments that there are, and running one: in a fresh process, keeping what it found."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from _measuring import RESULTS, STORE, Result, fail, read, stored, write
from _tables import duration

HERE = Path(__file__).resolve().parent
#: What else lies beside the benchmarks: what runs them, what writes the pages, and what quality.py runs.
OTHERS = {"run", "quality", "pages", "planted", "labelled", "seeded", "twins"}
#: Against a benchmark that hangs; seconds.
PATIENCE = 2 * 3600.0


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
