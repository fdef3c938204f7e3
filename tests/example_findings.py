"""What the examples of each probe find, as example_findings.json keeps it: `python tests/example_findings.py` writes it again.

Verdict and codes alone leave open where a threshold lies; the levels and numbers of the findings tell. Live probes are left out: their
numbers differ from one machine to another.
"""

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from accucheck import probe
from accucheck.model import Finding, Kind

KEPT = Path(__file__).with_suffix(".json")


def number(value: Any) -> Any:
    """A number of a finding, to four digits, for the last ones differ between releases of NumPy; of a list its length; else None."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, (list, tuple)):
        return len(value)
    return value if isinstance(value, int) else None


def as_kept(findings: Iterable[Finding]) -> list[str]:
    """A line for each finding: its code, its level, how sure and how whole it is, and its numbers."""
    lines = []
    for finding in findings:
        words = [finding.code, finding.level.value]
        words += ["incomplete"] * finding.incomplete + ([finding.sure.value] if finding.sure else [])
        words += [f"{key}={said}" for key in sorted(finding.data) if (said := number(finding.data[key])) is not None]
        lines.append(" ".join(words))
    return lines


def write() -> None:
    kept: dict[str, dict[str, list[str]]] = {}
    for name in probe.names():
        module = probe.load(name)
        if module.KIND is Kind.LIVE:
            continue
        kept[name] = {}
        for example in module.EXAMPLES:
            with tempfile.TemporaryDirectory() as folder:
                events = list(module.run(example.lay_out(Path(folder)), probe.params(module, example.params)))
            kept[name][example.name] = as_kept(event for event in events if isinstance(event, Finding))
    KEPT.write_text(json.dumps(kept, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
