"""The path of the checklist comparison, walked over a twin by somebody who goes by what the probes say."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from accucheck import case, checklist, path, probe
from accucheck.checklist import ProbeUse
from accucheck.model import Finding, Kind, Level, ProbeResult, Status, Verdict, suggest
from accucheck.session import Entry, Record


@dataclass(frozen=True)
class Walk:
    """`results` of each item, by probe; its `findings` above info; the items that were `problems` on the way, and its `end`."""

    results: dict[str, dict[str, ProbeResult]]
    findings: dict[str, list[Finding]]
    problems: list[str]
    end: str | None


def walk(project: Path) -> Walk:
    """Runs each probe in this process. A person takes what is suspected for a problem, and what is only told for none."""
    given, comparison = case.load(project), checklist.load("comparison")
    results = {item.id: {use.name: _run(use, given) for use in item.uses} for item in comparison.items}
    findings = {
        item: [found for result in of_item.values() for found in result.findings if found.level is not Level.INFO]
        for item, of_item in results.items()
    }
    entries = {}
    for item, of_item in results.items():
        entry = Entry(results=of_item)
        if entry.suggestion is Verdict.UNDECIDED:
            entry = Entry(conclusion=Verdict.PROBLEM if findings[item] else Verdict.OK, results=of_item)
        entries[item] = entry
    walked = path.walk(comparison, Record(entries=entries), given)
    assert walked is not None
    return Walk(results, findings, [item.id for item in walked.problems], walked.end)


def _run(use: ProbeUse, given: case.Case) -> ProbeResult:
    module = probe.load(use.name)
    skipped = ProbeResult(use.name, module.KIND, Status.SKIPPED, Verdict.UNDECIDED)
    if module.KIND is Kind.LIVE or probe.missing(module, given):
        return skipped
    try:
        found = [event for event in module.run(given, probe.params(module, use.params)) if isinstance(event, Finding)]
    except probe.Skip:
        return skipped
    return ProbeResult(use.name, module.KIND, Status.DONE, getattr(module, "suggest", suggest)(found), found)


def located(walk: Walk, item: str, place: str) -> bool:
    """Whether the item is where the path first says what is wrong, and a finding of it names the place.

    A loss that differs (cmp.08) says only where to go on, unless it is all there is to find.
    """
    on_the_way = [problem for problem in walk.problems if problem in (item, "cmp.09") or problem != "cmp.08"]
    return on_the_way[:1] == [item] and any(_names(found, place) for found in walk.findings[item])


def _names(finding: Finding, place: str) -> bool:
    """Its own place, where that is a layer, a parameter or a tensor; a word of what it says otherwise."""
    name = finding.where.name
    if name is not None:
        return name == place or name.startswith(place + ".")
    return re.search(rf"(?<!\w){re.escape(place)}(?!\w)", json.dumps(finding.data, ensure_ascii=False)) is not None
