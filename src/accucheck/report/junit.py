"""Report -> JUnit XML: a test case an item, as servers of continuous integration show it.

An item that stands as a problem is a failure; one with a probe that failed, or was cancelled, an error; one that does not apply,
that nothing decided or nothing checked is skipped, with the reason, and so is a conclusion that the reviewer returned. Only an item without
a problem has passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from ..language import visible
from ..model import Level, Status, Verdict
from . import machine
from .bilingual import joined, plain

if TYPE_CHECKING:
    from .parts import ItemPart, Report, ReviewPart


def render(report: Report, stem: str, *_: Any) -> dict[str, bytes]:
    """The .xml report: {file name: content}."""
    return {f"{stem}.xml": encode(report)}


def encode(report: Report) -> bytes:
    """The whole document."""
    stored = report.result["items"]
    seconds = iter([sum(result["seconds"] for result in item["results"]) for item in stored])
    root = ElementTree.Element("testsuites", name=f"{report.tool}: {report.case}")
    for checklist in report.checklists:
        suite = ElementTree.SubElement(root, "testsuite", name=checklist.name)
        properties = ElementTree.SubElement(suite, "properties")
        known = [("case", report.case), ("tool", report.tool), ("version", str(checklist.version))]
        if report.sign_off is not None:
            known.append(("sign-off", joined(" ", [*report.sign_off.lines, *report.sign_off.comment])))
        known += [(f"taken {key}", visible(value)) for key, value in report.result["taken"].items()]
        for name, value in known:
            ElementTree.SubElement(properties, "property", name=name, value=value)
        for section in checklist.sections:
            for item in section.items:
                case = ElementTree.SubElement(suite, "testcase", classname=f"{checklist.name}.{section.id}")
                _fill(report, case, item, next(seconds))
        suite.set("timestamp", report.moment.isoformat(timespec="seconds"))
        _count(suite)
    _count(root)
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, "utf-8", xml_declaration=True)
    return text + b"\n"


def _fill(report: Report, case: ElementTree.Element, item: ItemPart, seconds: float) -> None:
    case.set("name", f"{item.id} {plain(item.title)}")
    case.set("time", f"{seconds:.3f}")
    kind, message = _outcome(report, item)
    if kind:
        ElementTree.SubElement(case, kind, message=plain(message)).text = (
            "\n".join(item.remedy) if kind == "failure" else None
        )
    lines = [joined(" · ", [item.conclusion_text, item.by]) if item.by else item.conclusion_text, *item.note]
    if item.review is not None:
        lines += [_review(report, item.review), *item.review.comment]
    if item.agent is not None:
        said = joined(" · ", [item.agent.text, item.agent.by])
        lines += [report.say("labelled", label=report.say("agent"), text=said), *item.agent.note]
    for result in item.results:
        lines += [line[6:] for line in machine.result_text(report, result)]
    ElementTree.SubElement(case, "system-out").text = "\n".join(lines)


def _outcome(report: Report, item: ItemPart) -> tuple[str, str]:
    """What stands in a test case, and its message; nothing where it passed."""
    if item.state is Verdict.PROBLEM:
        found = [each for result in item.results for each in result.findings if each.level is Level.PROBLEM]
        return "failure", found[0].message if found else item.note_brief or item.conclusion_text
    if item.conclusion is None:
        for result in item.results:
            if result.status in (Status.FAILED, Status.CANCELLED):
                return "error", f"{result.probe}: {plain(result.reason or result.facts[1])}"
    if item.state is Verdict.OK:
        if item.review is None or item.review.state != "returned":
            return "", ""
        return "skipped", _review(report, item.review)
    return "skipped", item.conclusion_text


def _review(report: Report, review: ReviewPart) -> str:
    return report.say("labelled", label=report.say("review"), text=joined(" · ", [review.text, review.by]))


def _count(suite: ElementTree.Element) -> None:
    for name, kind in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(sum(1 for _ in suite.iter(kind))))
    suite.set("time", f"{sum(float(case.get('time', 0)) for case in suite.iter('testcase')):.3f}")
