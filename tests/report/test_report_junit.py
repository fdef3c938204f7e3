"""JUnit XML: read by a consumer of it, with each item's state as what it is."""

import re

import msgspec
import pytest
from junitparser import Error, Failure, JUnitXml, Skipped
from report_sample import MOMENT, result

from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.model import Finding, Kind, Language, Level, Reason, Status, Verdict
from accucheck.report import Options, junit, render
from accucheck.report.bilingual import both
from accucheck.report.build import build
from accucheck.report.parts import Report
from accucheck.session import Entry, Judgement, Record, Review


def read(report: Report) -> JUnitXml:
    return JUnitXml.fromstring(render(report, "x", Options(formats=("junit",)))["x.xml"])


def test_items_of_the_sample(report: Report) -> None:
    (suite,) = read(report)
    cases = {case.name.split()[0]: case for case in suite}
    assert (suite.name, suite.tests, suite.failures, suite.errors, suite.skipped) == ("sample", 4, 1, 1, 2)
    assert [case.classname for case in suite] == ["sample.dp", "sample.dp", "sample.hp", "sample.hp"]
    kinds = {name: [type(each) for each in case.result] for name, case in cases.items()}
    assert kinds == {"dp.03": [Failure], "dp.05": [Skipped], "hp.02": [Error], "hp.03": [Skipped]}
    assert cases["dp.03"].time > 0 and suite.timestamp == MOMENT
    (failure,) = cases["dp.03"].result
    assert failure.message and failure.message in cases["dp.03"].system_out
    assert cases["hp.02"].result[0].message.startswith("fake_failing: ")
    words = "确认：没有混洗。" if report.language is Language.ZH else "problem found"
    assert words in cases["dp.03"].system_out, "the note of a person, the words of the report"


def test_xml_holds_only_what_xml_may(report: Report) -> None:
    text = junit.encode(report).decode()
    assert not re.search("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    assert not re.search("[\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]", text)
    assert "<b>" not in text and "&lt;b&gt;" in text


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        (Entry(), Skipped),
        (Entry(results={"p": result("p", Kind.FILE, [])}), None),
        (Entry(results={"p": result("p", Kind.FILE, [Finding("x", Level.SUSPECT)])}), Skipped),
        (Entry(results={"p": result("p", Kind.FILE, [Finding("x", Level.PROBLEM)])}), Failure),
        (Entry(results={"p": result("p", Kind.FILE, [], status=Status.CANCELLED)}), Error),
        (Entry(conclusion=Verdict.PROBLEM), Failure),
        (Entry(conclusion=Verdict.NOT_APPLICABLE), Skipped),
        (Entry(conclusion=Verdict.OK, results={"p": result("p", Kind.FILE, [Finding("x", Level.PROBLEM)])}), None),
        (Entry(conclusion=Verdict.OK, results={"p": result("p", Kind.FILE, [], status=Status.FAILED)}), None),
    ],
)
def test_what_passes(checklists: list[Checklist], case: Case, entry: Entry, kind: type | None) -> None:
    """Only an item without a problem passes: undecided is not passed, and neither is a probe that failed."""
    found = next(iter(next(iter(read(build(Record(entries={"dp.03": entry}), checklists, case, Language.EN))))))
    assert [type(each) for each in found.result] == ([kind] if kind else [])


def test_a_problem_beside_a_failed_probe_is_a_failure(checklists: list[Checklist], case: Case) -> None:
    failed = result("q", Kind.FILE, [], status=Status.FAILED, reason=Reason("raised", {"error": "E"}))
    entry = Entry(results={"p": result("p", Kind.FILE, [Finding("x", Level.PROBLEM)]), "q": failed})
    (suite,) = read(build(Record(entries={"dp.03": entry}), checklists, case, Language.EN))
    assert (suite.failures, suite.errors) == (1, 0) and "E" in next(iter(suite)).system_out


def test_reviews(checklists: list[Checklist], case: Case) -> None:
    """What the reviewer returned has not passed; both voices and the sign-off are told."""
    entry = Entry(conclusion=Verdict.OK, note="seen by eye", who="wang", when=MOMENT)
    for judgement, kinds in ((Judgement.ACCEPTED, []), (Judgement.RETURNED, [Skipped])):
        review = Review(judgement, "which sampler?", "Zhao", MOMENT, entry.mark)
        record = Record(entries={"dp.03": msgspec.structs.replace(entry, review=review)})
        (suite,) = read(build(record, checklists, case, Language.EN))
        first = next(iter(suite))
        assert [type(each) for each in first.result] == kinds
        assert all(judgement.value in each.message and "Zhao" in each.message for each in first.result)
        for text in ("seen by eye", "wang", judgement.value, "Zhao", "which sampler?"):
            assert text in first.system_out
        properties = {each.name: each.value for each in suite.properties()}
        assert f"{judgement.value} 1" in properties["sign-off"]


def test_both_languages(record: Record, checklists: list[Checklist], case: Case) -> None:
    """What a server shows on one line is one line."""
    (suite,) = read(both(*(build(record, checklists, case, each) for each in Language)))
    for each in suite:
        assert " / " in each.name and "\n" not in each.name
        assert all("\n" not in outcome.message for outcome in each.result)
