"""SARIF: valid by the standard's schema, with what GitHub and review bots ask for on top."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from report_sample import MOMENT, result

from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.language import visible
from accucheck.model import Code, Finding, Fix, Kind, Language, Level, ProbeResult, Reason, Status, Sure, Verdict, Where
from accucheck.report import Options, render, sarif
from accucheck.report.bilingual import both
from accucheck.report.build import build
from accucheck.report.parts import Report
from accucheck.script import patch
from accucheck.session import Entry, Judgement, Record, Review


def errors_of(log: dict[str, Any]) -> list[str]:
    found: list[str] = pytest.importorskip("sarif_kit.validate").validation_errors(log)
    return found


def run_of(report: Report) -> dict[str, Any]:
    log = json.loads(render(report, "x", Options(formats=("sarif",)))["x.sarif"])
    assert log["version"] == "2.1.0"
    run: dict[str, Any] = log["runs"][0]
    return run


def of(checklists: list[Checklist], case: Case, *found: ProbeResult, **entry: Any) -> dict[str, Any]:
    record = Record(entries={"dp.03": Entry(results={each.probe: each for each in found}, **entry)})
    return run_of(build(record, checklists, case, Language.EN, None, frozenset(), MOMENT))


def odd(where: Where, level: Level = Level.PROBLEM, **more: Any) -> Finding:
    return Finding("odd-name", level, where, {"name": "n"}, **more)


def test_the_schema_of_the_standard(report: Report) -> None:
    log = json.loads(sarif.encode(report, 1))
    assert errors_of(log) == []
    assert log["runs"][0]["invocations"][0]["exitCode"] == 1
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert errors_of(log), "the validator would see a fault"


def test_what_github_asks_for(report: Report) -> None:
    run = run_of(report)
    rules = run["tool"]["driver"]["rules"]
    assert run["results"] and run["tool"]["driver"]["name"] == "accucheck"
    for each in run["results"]:
        assert each["message"]["text"] and each["partialFingerprints"]
        assert rules[each["ruleIndex"]]["id"] == each["ruleId"]
        assert each["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1
        assert not each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith(("/", "file:"))
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in rules)
    assert run["language"] in ("zh-CN", "en-US")


def test_nothing_that_a_screen_obeys(report: Report) -> None:
    def texts(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [text for below in value.values() for text in texts(below)]
        return [text for below in value for text in texts(below)] if isinstance(value, list) else [str(value)]

    assert all(text.replace("\n", "") == visible(text.replace("\n", "")) for text in texts(run_of(report)))


@pytest.fixture
def anchored(case: Case) -> Case:
    Path(case.root, "accucheck.yaml").write_text("name: x\n")
    return case


def test_levels_and_places(checklists: list[Checklist], anchored: Case) -> None:
    code = Code("src/模型 a.py", 10, "import a\n名 = net(x)  # 乘\nreturn 名\n", [11])
    found = result(
        "fake_order",
        Kind.FILE,
        [
            odd(Where(path="src/模型 a.py", line=11, column=6), evidence=[code], sure=Sure.LIKELY),
            odd(Where(path="model.ckpt", name="conv1.weight"), Level.SUSPECT),
            odd(Where(path="/elsewhere/x.csv", line=4), Level.SUSPECT),
            odd(Where(), Level.PROBLEM),
            odd(Where(path="a.py", line=3), Level.INFO),
            odd(Where(path="a.py"), Level.INFO),
        ],
    )
    run = of(checklists, anchored, found)
    results = {
        (each["level"], unquote(place["artifactLocation"]["uri"]), place["region"]["startLine"]): each
        for each in run["results"]
        for place in [each["locations"][0]["physicalLocation"]]
    }
    assert list(results) == [
        ("error", "src/模型 a.py", 11),
        ("error", "accucheck.yaml", 1),
        ("warning", "model.ckpt", 1),
        ("warning", "accucheck.yaml", 1),
        ("note", "a.py", 3),
    ]
    region = results["error", "src/模型 a.py", 11]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 11, "startColumn": 5, "snippet": {"text": "名 = net(x)  # 乘"}}, (
        "bytes to characters"
    )
    assert results["error", "src/模型 a.py", 11]["properties"]["sure"] == "likely"
    assert results["warning", "model.ckpt", 1]["locations"][0]["logicalLocations"] == [
        {"fullyQualifiedName": "conv1.weight"}
    ]
    assert results["warning", "accucheck.yaml", 1]["message"]["text"].startswith("<path-1>/x.csv: ")
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert [(note["level"], note["descriptor"]["id"]) for note in notes] == [("note", "dp.03/fake_order/odd-name")]


def test_places_within_a_repository(checklists: list[Checklist], anchored: Case, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "models/res net"
    folder.mkdir(parents=True)
    (folder / "accucheck.yaml").write_text("")
    inner = Case(root=str(folder), spec=anchored.spec)
    run = of(checklists, inner, result("fake_order", Kind.FILE, [odd(Where(path="a.py", line=1))]))
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "models/res%20net/a.py",
        "uriBaseId": "%SRCROOT%",
    }


def test_without_a_case_file(checklists: list[Checklist], case: Case) -> None:
    """What has no place is told all the same."""
    run = of(checklists, case, result("fake_order", Kind.FILE, [odd(Where())]))
    assert run["results"] == []
    assert run["invocations"][0]["toolExecutionNotifications"][0]["level"] == "error"


def test_a_failed_probe_is_no_success(checklists: list[Checklist], case: Case) -> None:
    failed = result("fake_failing", Kind.FILE, [], status=Status.FAILED, reason=Reason("raised", {"error": "X: y"}))
    skipped = result("fake_skipped", Kind.FILE, [], status=Status.SKIPPED)
    invocation = of(checklists, case, failed, skipped)["invocations"][0]
    assert invocation["executionSuccessful"] is False
    told = {note["descriptor"]["id"]: note for note in invocation["toolExecutionNotifications"]}
    assert told["dp.03/fake_failing"]["level"] == "error" and "X: y" in told["dp.03/fake_failing"]["message"]["text"]
    assert told["dp.03/fake_skipped"]["level"] == "note"
    assert of(checklists, case, skipped)["invocations"][0]["executionSuccessful"] is True


def test_what_a_person_judged_otherwise_is_suppressed(checklists: list[Checklist], anchored: Case) -> None:
    found = result("fake_order", Kind.FILE, [odd(Where(path="a.py", line=1))])
    run = of(checklists, anchored, found, conclusion=Verdict.OK, note="meant so", who="wang", when=MOMENT)
    (suppression,) = run["results"][0]["suppressions"]
    assert suppression["status"] == "accepted"
    assert all(text in suppression["justification"] for text in ("meant so", "wang"))
    assert "suppressions" not in of(checklists, anchored, found, conclusion=Verdict.PROBLEM)["results"][0]
    assert "suppressions" not in of(checklists, anchored, found)["results"][0]
    two = {
        "dp.03": Entry(results={"p": found}),
        "dp.05": Entry(results={"p": found}, conclusion=Verdict.NOT_APPLICABLE),
    }
    log = json.loads(sarif.encode(build(Record(entries=two), checklists, anchored, Language.EN, None)))
    assert [len(each["suppressions"]) for each in log["runs"][0]["results"]] == [0, 1]
    assert errors_of(log) == []


@pytest.mark.parametrize(
    ("judgement", "of_another", "status"),
    [
        (Judgement.ACCEPTED, False, "accepted"),
        (Judgement.RETURNED, False, "rejected"),
        (Judgement.ACCEPTED, True, "underReview"),
    ],
)
def test_what_the_reviewer_says_of_it(
    checklists: list[Checklist], anchored: Case, judgement: Judgement, of_another: bool, status: str
) -> None:
    found = result("fake_order", Kind.FILE, [odd(Where(path="a.py", line=1))])
    entry = Entry(results={"fake_order": found}, conclusion=Verdict.OK, note="n" * 9000, who="wang", when=MOMENT)
    review = Review(judgement, "which sampler?", "Zhao", MOMENT, "another" if of_another else entry.mark)
    record = Record(entries={"dp.03": msgspec.structs.replace(entry, review=review)})
    log = json.loads(sarif.encode(both(*(build(record, checklists, anchored, each, None) for each in Language))))
    assert errors_of(log) == []
    (suppression,) = log["runs"][0]["results"][0]["suppressions"]
    assert suppression["status"] == status
    for text in ("Zhao", "which sampler?", "退回" if status == "rejected" else "通过", judgement.value):
        assert text in suppression["justification"]
    assert len(suppression["justification"]) < 6000, "a long note is not repeated for each finding"


def test_a_problem_that_only_a_person_saw(checklists: list[Checklist], anchored: Case, case: Case) -> None:
    said = result("fake_order", Kind.FILE, [odd(Where(path="a.py", line=1), Level.INFO)])
    run = of(
        checklists, anchored, said, conclusion=Verdict.PROBLEM, note="labels are\nshifted", who="wang", when=MOMENT
    )
    (shown,) = [each for each in run["results"] if each["ruleId"] == "dp.03"]
    assert shown["level"] == "error" and "labels are shifted" in shown["message"]["text"]
    assert shown["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "accucheck.yaml"
    Path(case.root, "accucheck.yaml").unlink()
    run = of(checklists, case, said, conclusion=Verdict.PROBLEM, note="labels are\nshifted")
    (note,) = [each for each in run["invocations"][0]["toolExecutionNotifications"] if each["level"] == "error"]
    assert note["descriptor"]["id"] == "dp.03" and "labels are shifted" in note["message"]["text"]


def test_fingerprints_outlive_lines_added_above(checklists: list[Checklist], anchored: Case) -> None:
    def prints(line: int, *names: str) -> list[str]:
        found = []
        for place, name in enumerate(names):
            evidence = [Code("a.py", line + place, f"    {name} = 1\n", [line + place])]
            found.append(odd(Where(path="a.py", line=line + place), evidence=evidence))
        run = of(checklists, anchored, result("fake_order", Kind.FILE, found))
        return [each["partialFingerprints"]["accucheckFinding/v1"] for each in run["results"]]

    before = prints(10, "a", "b", "b")
    assert len(set(before)) == 3
    assert prints(17, "a", "b", "b") == before
    assert prints(10, "c", "b", "b") == [prints(10, "c")[0], *before[1:]]


LINES = ["import a\n", "x = 1\n", "y = 2\n", "z = 3\n", "end = 4\n"]


def applied(lines: list[str], replacements: list[dict[str, Any]]) -> list[str]:
    """A reader of SARIF: replaces regions of a text, the last first."""
    text = "".join(lines)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(line: int, column: int | None) -> int:
        if column is None:  # the end of the line, without the character that ends it
            return starts[line] - lines[line - 1].endswith("\n")
        return starts[line - 1] + column - 1

    for each in sorted(replacements, key=lambda each: -each["deletedRegion"]["startLine"]):
        region = each["deletedRegion"]
        start = offset(region["startLine"], region.get("startColumn", 1))
        end = offset(region["endLine"], region.get("endColumn"))
        text = text[:start] + each["insertedContent"]["text"] + text[end:]
    return patch.split(text)


@pytest.mark.parametrize(
    "edits",
    [
        [patch.Edit(2, ("x = 1\n",), ("x = 10\n", "x += 1\n"))],
        [patch.Edit(1, (), ("first\n",)), patch.Edit(4, (), ("between\n",))],
        [patch.Edit(2, ("x = 1\n", "y = 2\n"), ())],
        [patch.Edit(1, ("import a\n",), ()), patch.Edit(5, ("end = 4\n",), ("end = 5\n",))],
    ],
)
def test_a_diff_becomes_replacements(checklists: list[Checklist], anchored: Case, edits: list[patch.Edit]) -> None:
    diff = patch.unified("a b.py", LINES, edits)
    found = odd(Where(path="a b.py", line=2), fix=Fix("fix-order", diff))
    run = of(checklists, anchored, result("fake_order", Kind.FILE, [found]))
    (change,) = run["results"][0]["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "a%20b.py"
    expected = list(LINES)
    for edit in sorted(edits, reverse=True):
        expected[edit.first - 1 : edit.after - 1] = edit.new
    assert applied(LINES, change["replacements"]) == expected


def test_a_diff_that_is_not_sure_is_left_out(checklists: list[Checklist], anchored: Case) -> None:
    hidden = patch.unified("a.py", LINES, [patch.Edit(2, ("x = 1\n",), (f"x = '{anchored.root}/data'\n",))])
    for diff in (hidden, "--- a/a.py\n+++ b/a.py\n@@ nonsense\n", "just words"):
        found = odd(Where(path="a.py", line=2), fix=Fix("fix-order", diff))
        assert "fixes" not in of(checklists, anchored, result("fake_order", Kind.FILE, [found]))["results"][0]
    fits = patch.unified("a.py", LINES, [patch.Edit(2, ("x = 1\n",), ("x = 2\n",))])
    found = result("fake_order", Kind.FILE, [odd(Where(path="a.py", line=2), fix=Fix("fix-order", fits))])
    record = Record(entries={"dp.03": Entry(results={"fake_order": found})})
    for stale, expected in ((frozenset(), True), (frozenset({("dp.03", "fake_order")}), False)):
        built = build(record, checklists, anchored, Language.EN, None, stale, MOMENT)
        assert ("fixes" in run_of(built)["results"][0]) is expected, "a file that has changed since"


def test_very_many_findings(checklists: list[Checklist], anchored: Case) -> None:
    found = [odd(Where(path="a.py", line=n), Level.SUSPECT) for n in range(1, 6001)]
    run = of(checklists, anchored, result("fake_order", Kind.FILE, [*found, odd(Where(path="b.py", line=1))]))
    assert len(run["results"]) == 5000 and run["results"][0]["level"] == "error"
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "1,001 more findings are in the JSON report."
