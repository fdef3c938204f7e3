"""The report as people read it first: what is wrong and how to change it, on a few pages; of every other item one line.

The same parts as the whole report, fewer of them, so that each writer needs to know no more than what is absent.
"""

from __future__ import annotations

import msgspec

from ..language import word
from ..model import Curve, Level, Sure, Verdict
from ..probe import SURE
from .bilingual import joined, said
from .parts import ChartPart, CodePart, EvidencePart, FindingPart, Highlight, ItemPart, Report, ResultPart, SectionPart
from .ranking import GRADES

#: Findings of an item that are shown in full, and of each its pieces of evidence and its lines of a diff; those that are told at all.
MAX_FINDINGS, MAX_EVIDENCE, MAX_DIFF, MAX_LINES = 2, 1, 30, 4
#: Points of a curve that a sentence tells as well.
FEW_POINTS = 3


def shorten(report: Report) -> Report:
    """The short report; the items that have only a line are in `others`, which a whole report does not have."""
    shown = {item.id: _shown(report, item) for item in report.items}
    told = [item for item in report.items if _is_told(item)]
    order = {item: number for number, item in enumerate(report.order)}
    last = len(order)
    checklists = []
    for checklist in report.checklists:
        own = [item for section in checklist.sections for item in section.items if _is_told(item)]
        own.sort(key=lambda item: order.get(item.id, last))
        section = SectionPart(checklist.name, checklist.title, [shown[item.id] for item in own])
        checklists.append(msgspec.structs.replace(checklist, sections=[section] if own else []))
    wrong = [item for item in told if _findings(item) or item.state is Verdict.PROBLEM]
    wrong.sort(key=lambda item: order.get(item.id, last))
    rows = [row for item in wrong for row in _rows(report, item)]
    return msgspec.structs.replace(
        report,
        checklists=checklists,
        overview=[],
        verdict=msgspec.structs.replace(report.verdict, highlights=rows, more_highlights=0),
        grade=msgspec.structs.replace(report.grade, why=[], lacking=[]),
        environment=_environment(report),
        asked=[],
        changes=None,
        inputs=None,
        reproduce=[],
        versions=[],
        gaps=[],
        more_gaps=0,
        others=[_line(report, item) for item in report.items if not _is_told(item)],
    )


def _environment(report: Report) -> list[tuple[str, str]]:
    """What it ran on, in one row."""
    told = [report.say("labelled", label=label, text=value) for label, value in report.environment]
    return [(report.say("environment"), joined("; ", told))] if told else []


def _line(report: Report, item: ItemPart) -> ItemPart:
    """An item of which there is just a line: where it stands in a word, and who says so."""
    if item.conclusion is not None or not item.checked:
        return item
    said = report.say("brief-by-probes", verdict=item.suggestion_text)
    return msgspec.structs.replace(item, conclusion_text=said)


def _findings(item: ItemPart) -> list[tuple[ResultPart, FindingPart]]:
    """What was found of an item that is not just information, the worst first, and what somebody has set aside; nothing where a person
    or the case says that it is in order."""
    if item.state in (Verdict.OK, Verdict.NOT_APPLICABLE):
        return []
    found = [(result, finding) for result in item.results for finding in result.findings]
    worth = [pair for pair in found if pair[1].level is not Level.INFO or pair[1].suppressed]
    return sorted(worth, key=lambda pair: list(Level).index(pair[1].level))


def _rejected(item: ItemPart) -> list[tuple[ResultPart, FindingPart]]:
    """The problems that probes found where a person concluded that there is none, for a reader to judge the conclusion by."""
    found = [(result, finding) for result in item.results for finding in result.findings]
    return [pair for pair in found if pair[1].level is Level.PROBLEM]


def _is_told(item: ItemPart) -> bool:
    """Whether an item has more to say than a line: something wrong or suspected, or the words of a person or an
    agent."""
    return (
        item.state is Verdict.PROBLEM
        or bool(_findings(item))
        or bool(item.note or item.attachments or item.overruled)
        or (item.review is not None and bool(item.review.comment))
        or item.agent is not None
    )


def _rows(report: Report, item: ItemPart) -> list[Highlight]:
    """What is wrong with an item in one row, or in two where another thing has a change of its own: what there is the best reason to
    believe in, at how many places there is more, the fix and how sure it is."""
    known = next((each for each in report.verdict.highlights if each.item == item.id), None)
    worst = _worst(item)
    if not worst:  # a person said so
        return [known or Highlight(item.id, "", item.note_brief or item.title, item.conclusion_text, "")]
    first = worst[0]
    second = next((each for each in worst if each.diff and each.fix and each.fix != first.fix), None)
    if second is None:
        return [_row(report, item, known, worst)]
    apart = [each for each in worst if each.message == second.message]
    rest = [each for each in worst if each not in apart]
    return [_row(report, item, known, rest), _row(report, item, None, apart)]


def _worst(item: ItemPart) -> list[FindingPart]:
    """The findings of the worst level that an item has, first what there is the best reason to believe in."""
    found = [finding for _, finding in _findings(item)]
    level = next((level for level in Level if any(finding.level is level for finding in found)), None)
    return sorted((each for each in found if each.level is level), key=lambda each: GRADES.index(each.grade))


def _row(report: Report, item: ItemPart, known: Highlight | None, found: list[FindingPart]) -> Highlight:
    """The row of what was found first of a kind; `known`: what the whole verdict says of it."""
    first = found[0]
    others = {finding.where for finding in found} - {first.where, ""}
    where = report.say("brief-places", where=first.where, count=len(others)) if others else first.where
    sure = _briefly(report, first.sure) or report.say("sure-measured")
    if item.conclusion is not None and known is not None:
        sure = known.sure
    elif first.level is Level.SUSPECT:
        sure = report.say("brief-suspect", sure=_briefly(report, first.sure) or report.say("sure-open"))
    return Highlight(item.id, where, known.message if known is not None else first.message, sure, first.fix)


def _briefly(report: Report, sure: str) -> str:
    """How sure a finding is in a word, as a table has little room."""
    whole = said(report.languages, lambda language, _: word(SURE, Sure.LIKELY.value, language), {})
    return report.say("sure-likely") if sure == whole else sure


def _shown(report: Report, item: ItemPart) -> ItemPart:
    """An item with what is wrong, its code and its change; without its method, and without what is just information."""
    found, in_full = _findings(item), MAX_FINDINGS
    if not found and item.overruled:
        found, in_full = _rejected(item), 0
    full = found[:in_full]
    said = {finding.message for _, finding in full}
    rest = sorted(found[in_full:], key=lambda pair: pair[1].message in said)  # what is not said yet comes first
    kept = [*full, *rest][:MAX_LINES]
    told: set[str] = set()
    results = []
    for result in item.results:
        own = []
        for place, (each, finding) in enumerate(kept):
            if each is result:
                part = _finding(report, finding) if place < in_full else _bare(finding)
                own.append(_said_once(report, part, told))
        if own:
            results.append(msgspec.structs.replace(result, findings=own, more_findings=0, facts=[], reason="", log=[]))
    if results:
        more = len(found) - len(kept) + sum(result.more_findings for result in item.results)
        results[-1] = msgspec.structs.replace(results[-1], more_findings=more)
    fixed = any(finding.fix for _, finding in found)
    return msgspec.structs.replace(
        item, method=[], references=[], meaning="", remedy=[] if fixed else item.remedy, results=results, not_run=[]
    )


def _said_once(report: Report, part: FindingPart, told: set[str]) -> FindingPart:
    """A finding whose message and advice are said where they were not before."""
    said = {part.message, part.why, part.proof, part.fix} - {""}
    repeated = {name: "" for name in ("why", "proof", "fix") if getattr(part, name) in told}
    part = msgspec.structs.replace(part, **repeated)
    if part.message in told and part.where:
        part = msgspec.structs.replace(part, message=report.say("brief-same"))
    told |= said
    return part


def _bare(finding: FindingPart) -> FindingPart:
    """A finding in a line: what and where."""
    return msgspec.structs.replace(finding, evidence=[], more_evidence=0, why="", sure="", proof="", fix="", diff=[])


def _finding(report: Report, finding: FindingPart) -> FindingPart:
    """A finding with the piece of evidence that shows most, and its change; what a row of the verdict says is not said again."""
    kept = sorted(
        (part for part in finding.evidence if _carries(part)), key=lambda part: not isinstance(part, CodePart)
    )
    evidence = kept[:MAX_EVIDENCE]
    diff = finding.diff
    if diff and any(isinstance(part, CodePart) for part in evidence):
        evidence = []  # the change shows these lines
    if len(diff) > MAX_DIFF:
        diff = [*diff[:MAX_DIFF], f"({report.say('lines', shown=MAX_DIFF, total=len(diff))})"]
    return msgspec.structs.replace(
        finding,
        evidence=evidence,
        more_evidence=0,
        sure="",
        proof="" if diff else finding.proof,
        diff=diff,
        fix=finding.fix if diff else "",
    )


def _carries(part: EvidencePart) -> bool:
    """Whether a piece of evidence shows something at a look: code, and a curve of more than a few points."""
    if isinstance(part, ChartPart):
        return isinstance(part.chart, Curve) and len(part.chart.x) > FEW_POINTS
    return isinstance(part, CodePart)
