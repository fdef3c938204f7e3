"""What the examples of each probe find, as example_findings.json keeps it: `python tests/example_findings.py` writes it again.

Verdict and codes alone leave open where a threshold lies; the levels and numbers of the findings tell. Live probes are left out: their
numbers differ from one machine to another.
"""

import json
import math
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from accucheck import probe
from accucheck.errors import UserError
from accucheck.model import Finding, Kind
from accucheck.probe import Example, Skip

KEPT = Path(__file__).with_suffix(".json")
#: Measured numbers, the nearest to a threshold, that it is set to.
NEAR = 6
#: Lines of a script that are left out, one at a time, and numbers of lines of a log or table.
LEFT_OUT = 8
LENGTHS = (2, 3, 5, 6, 10, 11, 12, 20, 21, 31)
#: Probes that take seconds for an example.
SLOW = {"label_issues"}


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


def run(module: Any, example: Example, **params: Any) -> list[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        case = example.lay_out(Path(folder))
        events = module.run(case, probe.params(module, {**example.params, **params}))
        return [event for event in events if isinstance(event, Finding)]


def at_thresholds(module: Any, example: Example) -> dict[str, str]:
    """What is found, where it is otherwise, when a threshold is just what the findings measured, or half or twice the default."""
    found = run(module, example)
    usual, kept = _codes(found), {}
    measured = {value for finding in found for value in finding.data.values() if type(value) in (int, float)}
    for field in msgspec.structs.fields(module.Params):
        default = example.params.get(field.name, field.default)
        if type(default) not in (int, float) or not default:
            continue
        near = sorted((value for value in measured if value > 0), key=lambda value: abs(math.log(value / default)))[
            :NEAR
        ]
        for value in dict.fromkeys([default / 2, default * 2, *near]):
            value = round(value) if type(default) is int else float(value)
            try:
                told = _codes(run(module, example, **{field.name: value}))
            except msgspec.ValidationError:  # out of its bounds
                continue
            except (UserError, Skip) as error:
                told = type(error).__name__
            if told != usual:
                kept[f"{field.name}={value:.4g}"] = told
    return kept


def of_variants(module: Any, example: Example) -> dict[str, str]:
    """What is found, where it is otherwise, when a line of a script is left out, or a log or table is shorter."""
    if any(callable(content) for content in example.files.values()):  # it may be made of the others
        return {}
    usual, kept = _said(module, example), {}
    for path, content in example.files.items():
        if not isinstance(content, str):
            continue
        lines = content.splitlines(keepends=True)
        if path.endswith(".py"):
            full = [at for at, line in enumerate(lines) if line.strip()]
            places = full[:: max(1, -(-len(full) // LEFT_OUT))]
            variants = {f"without line {at + 1}": lines[:at] + lines[at + 1 :] for at in places}
        elif path.endswith((".csv", ".log", ".jsonl", ".txt")):
            variants = {f"{count} lines": lines[:count] for count in LENGTHS if count < len(lines)}
            variants |= {"without the first half": lines[:1] + lines[len(lines) // 2 :], "without the last": lines[:-1]}
            variants |= {"each other line": lines[:1] + lines[1::2], "twice": lines + lines[1:]}
        else:
            continue
        for name, left in variants.items():
            files = {**example.files, path: "".join(left)}
            variant = Example(name, files=files, case=example.case, verdict=example.verdict, params=example.params)
            said = _said(module, variant)
            if said != usual:
                kept[f"{path} {name}"] = said
    return kept


def _said(module: Any, example: Example) -> str:
    """The codes and levels, and a digest of the numbers."""
    try:
        found = run(module, example)
    except (UserError, Skip) as error:
        return type(error).__name__
    return f"{_codes(found)} #{zlib.crc32(repr(as_kept(found)).encode()) & 0xFFFFFF:06x}"


def _codes(findings: Iterable[Finding]) -> str:
    return ", ".join(
        f"{finding.code} {finding.level.value}{' incomplete' * finding.incomplete}" for finding in findings
    )


def write() -> None:
    kept: dict[str, dict[str, Any]] = {}
    for name in probe.names():
        module = probe.load(name)
        if module.KIND is not Kind.LIVE:
            kept[name] = {example.name: as_kept(run(module, example)) for example in module.EXAMPLES}
            if name not in SLOW:
                at = {example.name: at_thresholds(module, example) for example in module.EXAMPLES}
                kept[name]["at thresholds"] = {key: value for key, value in at.items() if value}
                of = {example.name: of_variants(module, example) for example in module.EXAMPLES}
                kept[name]["of variants"] = {key: value for key, value in of.items() if value}
    KEPT.write_text(json.dumps(kept, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
