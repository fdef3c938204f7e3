"""Whether a problem is worth filing: the rules, on the checklists as they are shipped."""

from pathlib import Path

import msgspec
import pytest
from report_sample import MOMENT

from accucheck import checklist
from accucheck.case import Case, CaseFile
from accucheck.language import fill
from accucheck.model import Finding, Kind, Language, Level, ProbeResult, Reason, Status, Verdict, suggest
from accucheck.report import grading
from accucheck.report.build import build
from accucheck.report.grading import Grade, ItemGrade
from accucheck.session import Entry, Record

ACCURACY, COMPARISON, PERFORMANCE = checklist.load_all(["accuracy", "comparison", "performance"])
OWN = [f"cmp.0{number}" for number in range(1, 8)]
CASE = msgspec.convert(
    {"curves": {"train": "a.log", "previous_version": "b.log"}, "outputs": {"path": "outputs"}}, CaseFile
)


def found(probe: str, *codes: str, level: Level = Level.INFO, status: Status = Status.DONE) -> Entry:
    findings = [Finding(code, level) for code in codes]
    verdict = suggest(findings) if status is Status.DONE else Verdict.UNDECIDED
    reason = None if status is Status.DONE else Reason("raised", {"error": "x"})
    return Entry(results={probe: ProbeResult(probe, Kind.FILE, status, verdict, findings, reason=reason)})


def graded(
    entries: dict[str, Entry], *checklists: checklist.Checklist, stale: set[tuple[str, str]] | None = None
) -> ItemGrade:
    return grading.grade(Record(entries=entries), checklists or [COMPARISON], Case("/nowhere", CASE), stale or set())


def ok(*items: str) -> dict[str, Entry]:
    return {item: Entry(conclusion=Verdict.OK) for item in items}


def named(found: ItemGrade, key: str) -> list[str]:
    return [
        item.id for part in (found.why, found.lacking) for ground in part if ground.key == key for item in ground.items
    ]


WORSE = {"cmp.10": found("version_regression", "ends-worse", level=Level.PROBLEM)}
APART = {"cmp.08": found("loss_comparison", "forward", level=Level.PROBLEM)}
SAME_LAYERS = {"cmp.09": found("layer_outputs", "agree")}


def test_a_problem_of_ones_own_goes_before_all() -> None:
    result = graded({**ok(*OWN[:-1]), OWN[-1]: Entry(conclusion=Verdict.PROBLEM), **APART, **WORSE})
    assert result.grade is Grade.OWN and named(result, "own-concluded") == ["cmp.07"]
    zero = found("zero_weights_script", "zero-weights", level=Level.PROBLEM)
    result = graded({"wi.01": zero}, ACCURACY, COMPARISON)
    assert result.grade is Grade.OWN and named(result, "own-suggested") == ["wi.01"]
    assert "ds.01" in named(result, "lack-items")


def test_an_overruled_suggestion_is_no_problem() -> None:
    zero = found("zero_weights_script", "zero-weights", level=Level.PROBLEM)
    overruled = msgspec.structs.replace(zero, conclusion=Verdict.OK)
    assert graded({"wi.01": overruled}, ACCURACY).grade is Grade.UNKNOWN


@pytest.mark.parametrize(
    ("measured", "key"),
    [
        ({**APART, **SAME_LAYERS, "cmp.10": Entry(conclusion=Verdict.OK)}, "path-file"),
        ({**APART, **WORSE, **SAME_LAYERS}, "regression"),
    ],
)
def test_the_framework_when_nothing_else_is_left(measured: dict[str, Entry], key: str) -> None:
    result = graded({**ok(*OWN), **measured})
    assert result.grade is Grade.FRAMEWORK and named(result, key)
    for item in OWN[:2]:  # two of seven open: not enough
        result = graded({**{other: entry for other, entry in ok(*OWN).items() if other not in OWN[:2]}, **measured})
        assert result.grade is Grade.UNKNOWN and item in named(result, "lack-items")


def test_what_rests_on_old_results_is_not_graded() -> None:
    entries = {**ok(*OWN), **APART, **WORSE}
    assert graded(entries).grade is Grade.FRAMEWORK
    result = graded(entries, stale={("cmp.10", "version_regression")})
    assert result.grade is Grade.UNKNOWN and named(result, "lack-stale") == ["cmp.10"]


def test_a_layer_that_differs_is_not_yet_the_framework() -> None:
    layer = {"cmp.09": found("layer_outputs", "origin", level=Level.PROBLEM)}
    result = graded({**ok(*OWN), **APART, **layer})
    assert result.grade is Grade.UNKNOWN and named(result, "lack-cause") == ["cmp.08", "cmp.09"]


@pytest.mark.parametrize("code", ["agrees", "within-noise", "drift"])
def test_within_the_tolerance(code: str) -> None:
    same = {"cmp.08": found("loss_comparison", code)}
    result = graded({**ok(*OWN), **same, **SAME_LAYERS})
    assert result.grade is Grade.TOLERANCE and named(result, "alike") == ["cmp.08", "cmp.09"]
    result = graded({**ok(*OWN), **same, "cmp.09": found("layer_outputs", "jump", level=Level.SUSPECT)})
    assert result.grade is Grade.UNKNOWN and named(result, "difference") == ["cmp.09"]


def test_conclusions_without_a_measurement_are_no_tolerance() -> None:
    result = graded(ok(*OWN, "cmp.08", "cmp.09", "cmp.10", "cmp.11"))
    assert result.grade is Grade.UNKNOWN and [ground.key for ground in result.lacking] == ["lack-comparison"]


def test_nothing_checked_and_what_failed() -> None:
    result = graded({}, ACCURACY)
    assert result.grade is Grade.UNKNOWN and [ground.key for ground in result.why] == ["nothing"]
    assert {ground.key for ground in result.lacking} == {"lack-items", "lack-comparison"}
    result = graded({"cmp.04": found("first_batches", status=Status.FAILED)})
    assert named(result, "lack-failed") == ["cmp.04"]


def test_another_subject_is_not_graded() -> None:
    slow = {item.id: Entry(conclusion=Verdict.PROBLEM) for item in PERFORMANCE.items}
    result = graded(slow, PERFORMANCE)
    assert result.grade is Grade.UNKNOWN and result.lacking[-1].key == "lack-comparison"


def test_rules_name_what_there_is() -> None:
    from accucheck import probe

    for name in grading.DIFFERENCES | grading.VERSIONS | set(grading.ALIKE):
        assert grading.ALIKE.get(name, set()) <= set(probe.load(name).MESSAGES)
    assert set(COMPARISON.ends) > grading.FRAMEWORK_ENDS
    assert PERFORMANCE.name in grading.OTHER_SUBJECTS


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(
    "entries", [{}, {**ok(*OWN), **APART, **WORSE}, {**ok(*OWN), **APART}], ids=["none", "worse", "apart"]
)
def test_all_grounds_have_words(entries: dict[str, Entry], language: Language, tmp_path: Path) -> None:
    case = Case(str(tmp_path), CASE)
    part = build(Record(entries=entries), [COMPARISON], case, language, None, set(), MOMENT).grade
    assert part.title and part.advice and part.why
    for text in [part.title, part.advice, *part.why, *part.lacking]:
        assert text not in grading.WORDS and "{" not in text and text == fill(text, {})
