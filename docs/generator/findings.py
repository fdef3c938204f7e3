"""What probes find in their own examples, and how a page shows it.

The examples of static and file probes are run each time, which takes seconds. Those that train networks, or need a package that not
every machine has, are run by --live, which keeps what they found in live_findings.json. Words are never kept.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from accucheck import probe as probes
from accucheck.checklist import ProbeUse, load, shipped
from accucheck.language import Language, visible, word
from accucheck.model import Code, Finding, Kind, Level, Plain, Table, Tree, tree_text
from accucheck.probe import Example
from accucheck.report.machine import Speech
from accucheck.report.markdown import code as span
from accucheck.report.markdown import escape, fence, numbered, row
from accucheck.report.words import LEVELS, MARKS
from accucheck.report.words import WORDS as REPORT_WORDS

from .words import say

STORE = Path(__file__).with_name("live_findings.json")
MARK = {Level.PROBLEM: MARKS["problem"], Level.SUSPECT: MARKS["undecided"], Level.INFO: "·"}
ORDER = list(Level)
#: Of one piece of evidence: lines around those meant, lines at most, rows and columns.
AROUND, MAX_LINES, MAX_ROWS, MAX_COLUMNS = 2, 16, 5, 6


class Told(msgspec.Struct, frozen=True):
    """What a probe said: one finding of each code above info, problems first; and the information about an example without fault."""

    findings: list[Finding] = []
    clean: list[Finding] = []


class Stored(msgspec.Struct, frozen=True):
    """What a probe told with these parameters, when its examples expected these codes."""

    probe: str
    params: dict[str, Any]
    codes: list[str]
    told: Told


def told(use: ProbeUse) -> Told:
    """What a probe finds in its examples, with the parameters that an item gives it."""
    if not _is_stored(use.name):
        return _run(use.name, msgspec.json.encode(use.params))
    for stored in _stored():
        if (stored.probe, stored.params, stored.codes) == (use.name, use.params, _codes(use)):
            return stored.told
    raise SystemExit(f"docs/generator/{STORE.name} lacks {use.name} as it is; run: python docs/generate.py --live")


def _is_stored(name: str) -> bool:
    return probes.load(name).KIND is Kind.LIVE or name == "label_issues"


def _codes(use: ProbeUse) -> list[str]:
    return sorted({code for example in _fitting(use) for code in example.codes})


@cache
def _stored() -> list[Stored]:
    return msgspec.json.decode(STORE.read_bytes(), type=list[Stored])


def store() -> None:
    """Run these examples of all probes that the checklists name."""
    uses = [use for name in shipped() for item in load(name).items for use in item.uses if _is_stored(use.name)]
    keyed = {(use.name, msgspec.json.encode(use.params)): use for use in uses}
    made = [Stored(use.name, use.params, _codes(use), _run(*key)) for key, use in sorted(keyed.items())]
    STORE.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")


def _fitting(use: ProbeUse) -> list[Example]:
    """The examples that do not ask for other parameters than the item."""
    examples = probes.load(use.name).EXAMPLES
    return [e for e in examples if all(e.params.get(key, value) == value for key, value in use.params.items())]


@cache
def _run(name: str, given: bytes) -> Told:
    module, use = probes.load(name), ProbeUse(name, msgspec.json.decode(given))
    found: dict[str, Finding] = {}
    clean: dict[str, Finding] = {}
    for example in _fitting(use):
        if clean and found.keys() >= set(example.codes):
            continue
        with tempfile.TemporaryDirectory() as folder:
            case = example.lay_out(Path(folder))
            try:
                events = list(module.run(case, probes.params(module, {**use.params, **example.params})))
            except probes.Skip:  # the parameters of an item may ask for what this example does not hold
                continue
        encoded = msgspec.json.encode([event for event in events if isinstance(event, Finding)])
        # The words of an error may name its file in full, and this folder has another name each time.
        findings = msgspec.json.decode(encoded.replace(f"{folder}/".encode(), b""), type=list[Finding])
        for finding in findings:
            if finding.level is not Level.INFO:
                found.setdefault(finding.code, finding)
        if not clean and all(finding.level is Level.INFO for finding in findings):
            clean = {finding.code: finding for finding in findings}
    inorder = sorted(found.values(), key=lambda finding: ORDER.index(finding.level))
    return Told([_without_more(finding) for finding in inorder], [_without_more(one, 0) for one in clean.values()])


def _without_more(finding: Finding, most: int = 1) -> Finding:
    """A finding with no more evidence than a page shows, and no longer table."""
    kept = [
        msgspec.structs.replace(one, rows=one.rows[:MAX_ROWS], total=max(len(one.rows), one.total or 0))
        if isinstance(one, Table)
        else one
        for one in finding.evidence
        if isinstance(one, (Code, Table, Tree))
    ]
    return msgspec.structs.replace(finding, evidence=kept[:most])


# --- as Markdown ----------------------------------------------------------------------------------------------------------


def shown(use: ProbeUse, language: Language) -> list[str]:
    """The findings of a probe, each under its code, and what it says of an example without fault."""
    speech, all_told = Speech(language), told(use)
    lines: list[str] = []
    for finding in all_told.findings:
        lines += [f"#### `{finding.code}`", "", *_finding(use.name, finding, speech)]
    if all_told.clean:
        messages = [escape(speech.message(use.name, finding.code, finding.data)) for finding in all_told.clean]
        lines += [say("clean", language), "", *(f"- {message}" for message in messages), ""]
    return lines


def _finding(name: str, finding: Finding, speech: Speech) -> list[str]:
    language = speech.language
    level = word(LEVELS, finding.level.value, language)
    where = finding.where
    place = [f"{where.path}:{where.line}" if where.path and where.line else where.path, where.name, where.field]
    places = " · ".join(span(visible(text)) for text in place if text)
    head = f"{MARK[finding.level]} **{level}** {escape(speech.message(name, finding.code, finding.data))}"
    lines = [
        f"{head} ({places})" if places and language is Language.EN else f"{head}（{places}）" if places else head,
        "",
    ]
    fix = finding.fix
    for evidence in finding.evidence if fix is None or fix.diff is None else []:
        lines += _evidence(name, evidence, speech)
    explained = speech.explanation(name, finding)
    advice = speech.message(name, fix.message, finding.data) if fix else ""
    told_here = {"why": explained.why, "sure": explained.sure, "proof": explained.proof, "fix": advice}
    points = [
        f"- **{word(REPORT_WORDS, key, language)}**{say('colon', language)}{escape(text)}"
        for key, text in told_here.items()
        if text
    ]
    lines += [*points, ""] if points else []
    if fix is not None and fix.diff is not None:
        lines += [*fence(fix.diff.rstrip("\n").split("\n"), "diff").split("\n"), ""]
    return lines


def _evidence(name: str, evidence: Any, speech: Speech) -> list[str]:
    if isinstance(evidence, Code):
        text = evidence.text.rstrip("\n").split("\n")
        meant = [number - evidence.line for number in evidence.marked] or [0]
        first = max(0, min(meant) - AROUND)
        kept = text[first : min(max(meant) + AROUND + 1, first + MAX_LINES)]
        lines = numbered(_Lines(evidence.line + first, kept, evidence.marked))
        return [*fence([visible(line) for line in lines]).split("\n"), ""]
    if isinstance(evidence, Table) and evidence.rows and evidence.columns:
        columns = [speech.word(name, column) for column in evidence.columns[:MAX_COLUMNS]]
        rows = [[_cell(value) for value in values[:MAX_COLUMNS]] for values in evidence.rows[:MAX_ROWS]]
        left = max(len(evidence.rows), evidence.total or 0) - len(rows)
        more = [say("more-rows", speech.language, count=left), ""] if left else []
        return [row(columns), f"|{'|'.join(' --- ' for _ in columns)}|", *(row(cells) for cells in rows), "", *more]
    if isinstance(evidence, Tree):
        return [*fence([visible(line) for line in tree_text(evidence).split("\n")[:MAX_LINES]]).split("\n"), ""]
    return []


class _Lines(msgspec.Struct, frozen=True):
    line: int
    lines: list[str]
    marked: list[int]


def _cell(value: Plain) -> str:
    return "–" if value is None else f"{value:.6g}" if isinstance(value, float) else visible(str(value))
