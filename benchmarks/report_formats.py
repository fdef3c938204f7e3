"""How long `accucheck report` takes for a report of 24 items with 60 findings and 12 charts in all formats, and how large the .docx is.

The whole command, from the start of a fresh process; medians. The session is that of reports/session, what it lacks in charts
made up by copies of its own. Then, in one process, what each part of it takes. Prints what it measured.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from _measuring import report, row

from accucheck.model import Curve, Evidence, Finding, Histogram
from accucheck.report import FORMATS
from accucheck.session import Record

ROOT = Path(__file__).parents[1]
ACCUCHECK = str(Path(sys.executable).with_name("accucheck"))
FINDINGS, CHARTS = 60, 12
SECONDS, BYTES = 5.0, 1 << 20


def is_chart(evidence: Evidence) -> bool:
    return isinstance(evidence, (Curve, Histogram))


def sized(record: Record) -> Record:
    """The record with just so many findings and charts: without the first findings that show nothing, with charts once more."""
    findings = [
        finding for entry in record.entries.values() for result in entry.results.values() for finding in result.findings
    ]
    charts = [evidence for finding in findings for evidence in finding.evidence if is_chart(evidence)]
    surplus, lacking = len(findings) - FINDINGS, CHARTS - len(charts)
    if surplus > sum(not finding.evidence for finding in findings) or surplus < 0 or not 0 <= lacking <= len(charts):
        raise SystemExit(
            f"reports/session holds {len(findings)} findings and {len(charts)} charts: not enough to go by"
        )

    def kept(finding: Finding) -> bool:
        nonlocal surplus
        surplus -= not finding.evidence
        return bool(finding.evidence) or surplus < 0

    def more(finding: Finding) -> Finding:
        nonlocal lacking
        again = [evidence for evidence in finding.evidence if is_chart(evidence)][: max(0, lacking)]
        lacking -= len(again)
        return msgspec.structs.replace(finding, evidence=[*finding.evidence, *again])

    entries = {}
    for name, entry in record.entries.items():
        results = {
            probe: msgspec.structs.replace(result, findings=[more(each) for each in result.findings if kept(each)])
            for probe, result in entry.results.items()
        }
        entries[name] = msgspec.structs.replace(entry, results=results)
    return msgspec.structs.replace(record, entries=entries)


def project(folder: Path) -> Path:
    """The example with that session."""
    copy = folder / "digits_faulty"
    shutil.copytree(
        ROOT / "examples" / "digits_faulty", copy, ignore=shutil.ignore_patterns("__pycache__", ".accucheck")
    )
    record = msgspec.json.decode((ROOT / "reports" / "session" / "session.json").read_bytes(), type=Record)
    (copy / ".accucheck").mkdir()
    (copy / ".accucheck" / "session.json").write_bytes(msgspec.json.encode(sized(record)))
    return copy


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    print(f"24 items, {FINDINGS} findings, {CHARTS} charts; {', '.join(FORMATS)}; {os.cpu_count()} processors")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        copy = project(Path(name))
        environment = {**os.environ, "HOME": name}
        chosen = [argument for form in FORMATS for argument in ("--format", form)]
        for language in ("zh", "en"):
            taken: list[float] = []
            for number in range(options.times + 1):
                out = Path(name, f"{language}-{number}")
                command = [ACCUCHECK, "report", str(copy), *chosen, "--output", str(out), "--lang", language]
                begin = time.perf_counter()
                subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
                taken.append(time.perf_counter() - begin)
            first, median = taken[0], statistics.median(taken[1:])  # the first also lists the machine's fonts
            size = next(out.glob("*.docx")).stat().st_size
            print(
                f"{language}  median {median:5.2f} s  {median / SECONDS:4.2f} x of {SECONDS:.0f} s  (the very first {first:.2f} s)"
                f"   .docx {size / 1024:4.0f} KiB  {size / BYTES:4.2f} x of {BYTES >> 10} KiB"
            )
            note = f"{len(FORMATS)} formats; the very first {first:.2f} s"
            rows.append(row(f"a report in {language}", taken[1:], "s", most=SECONDS, note=note))
            rows.append(row(f".docx in {language}", size / 1024, "KiB", most=BYTES / 1024))
    return report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
