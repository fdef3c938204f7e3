"""How many planted faults of metrics are found in scripts, and how many healthy evaluations are left alone; those that the rules were
written with, and those that were kept aside, apart.

    python benchmarks/metric_faults.py

The scripts are the twins of tests/script/metric_cases: each healthy, and with one fault in how it computes its metric. A fault counts as
found where something is said of the faulty script, by `metric_script` or of an argmax along another axis, and nothing of its twin.
At least 20 of each part, and all of them, must come out right.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from _measuring import ROOT, report, row

from accucheck import case
from accucheck.script import differing_results, metrics
from accucheck.script.analysis import read_scripts

sys.path.append(str(ROOT / "tests" / "script"))
import metric_twins

#: How the names of the files of a part begin, and what the part is.
PARTS = {"tuned": "the rules were written with them", "held": "kept aside, and only measured"}
LEAST = 20


def said(script: str, root: Path) -> list[str]:
    """The codes of what is said of a training script."""
    (root / "train.py").write_text(script, encoding="utf-8")
    (root / "accucheck.yaml").write_text("scripts: {train: train.py}\n", encoding="utf-8")
    scripts = read_scripts(case.load(root))
    axes = [one.code for reading in scripts.readings for one in differing_results.wrong(reading)]
    return [one.code for one in metrics.examine(scripts)] + axes


def main() -> int:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for part, what in PARTS.items():
            cases = [path for path in metric_twins.CASES if path.name.startswith(part)]
            told = [tuple(said(script, Path(folder)) for script in metric_twins.twins(path)) for path in cases]
            found = sum(bool(faulty) and faulty != healthy for healthy, faulty in told)
            clean = sum(not healthy for healthy, _ in told)
            for name, right in (("planted faults found", found), ("healthy evaluations clean", clean)):
                count = max(len(cases), LEAST)
                rows.append(row(f"{name}: {part}", right, "scripts", least=count, note=f"of {len(cases)}; {what}"))
                print(f"{name}, {part} ({what}): {right} of {len(cases)}")
    return report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
