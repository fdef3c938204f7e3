"""The path of a checklist: what each answer leads to, where a person stands, what is to be collected, where it ends."""

from pathlib import Path

import msgspec
import pytest

from accucheck import case as cases
from accucheck import checklist
from accucheck.case import Case, CaseFile
from accucheck.errors import UserError
from accucheck.language import Language
from accucheck.model import Finding, Kind, Level, ProbeResult, Status, Verdict, suggest
from accucheck.path import Path as Walked
from accucheck.path import walk, wanted
from accucheck.session import Entry, Record
from path_checklist import ROUTE, write_route

CHECKLIST = checklist.read(ROUTE.encode(), "route.yaml")


def case_of(folder: Path | str = ".", **spec: object) -> Case:
    return Case(root=str(folder), spec=msgspec.convert(spec, CaseFile))


def found(*findings: tuple[str, Level]) -> dict[str, ProbeResult]:
    """The result of a probe that found these."""
    made = [Finding(code, level) for code, level in findings]
    return {"fake_problem": ProbeResult("fake_problem", Kind.FILE, Status.DONE, suggest(made), made)}


def walked(case: Case | None = None, **entries: Entry | str) -> Walked:
    """The path with these answers: pp01="ok" is a conclusion, an Entry is one."""
    given = {
        f"{name[:2]}.{name[2:]}": Entry(conclusion=Verdict(entry)) if isinstance(entry, str) else entry
        for name, entry in entries.items()
    }
    path = walk(CHECKLIST, Record(entries=given), case or case_of())
    assert path is not None
    return path


def behind(path: Walked) -> list[tuple[str, str]]:
    return [(step.item.id, step.to) for step in path.steps]


def test_a_checklist_without_ends_is_no_path() -> None:
    assert walk(checklist.load("accuracy"), Record(), case_of()) is None


def test_one_begins_at_the_first_item_and_sees_what_may_come() -> None:
    path = walked()
    assert (path.steps, path.here and path.here.id, path.end, path.at_end) == ([], "pp.01", None, None)
    assert [item.id for item in path.ahead] == ["pp.02", "pp.03", "pp.04", "pp.05"]


def test_an_answer_that_no_way_meets_leads_to_the_item_below() -> None:
    path = walked(pp01="ok", pp02="problem")
    assert behind(path) == [("pp.01", "pp.02"), ("pp.02", "pp.03")]
    assert [step.way for step in path.steps] == [None, None]
    assert path.here is not None and path.here.id == "pp.03"
    assert [item.id for item in path.ahead] == ["pp.04", "pp.05"]


def test_a_problem_ends_where_its_way_says() -> None:
    path = walked(pp01="problem", pp02="ok")
    assert behind(path) == [("pp.01", "mend")]
    assert path.here is None and path.ahead == []
    assert path.at_end is not None and path.at_end.title.en == "Mend the named items"
    assert [item.id for item in path.problems] == ["pp.01"]


def test_what_a_case_rules_out_is_passed_as_suggested() -> None:
    path = walked(case_of(runtime={"device": "CPU"}), pp01="ok")
    assert behind(path) == [("pp.01", "pp.02"), ("pp.02", "pp.03")]
    assert (path.steps[1].answer, path.steps[1].concluded) == (Verdict.NOT_APPLICABLE, False)


@pytest.mark.parametrize(
    ("entry", "to"),
    [
        (Entry(results=found(("bad", Level.PROBLEM))), "pp.04"),
        (Entry(results=found(("bad", Level.PROBLEM)), conclusion=Verdict.PROBLEM), "pp.04"),
        (Entry(results=found(("seen", Level.PROBLEM))), "mend"),
        (Entry(results=found(("seen", Level.INFO))), "pp.05"),
        (Entry(conclusion=Verdict.PROBLEM), "mend"),
        # overruled: what was found leads nowhere
        (Entry(results=found(("bad", Level.PROBLEM)), conclusion=Verdict.OK), "pp.05"),
        # undecided, and then concluded by a person: what was found tells which problem
        (Entry(results=found(("bad", Level.SUSPECT)), conclusion=Verdict.PROBLEM), "pp.04"),
    ],
)
def test_a_finding_leads_before_the_conclusion_does(entry: Entry, to: str) -> None:
    path = walked(pp01="ok", pp02="ok", pp03=entry)
    assert path.steps[2].to == to
    assert path.steps[2].way is not None


def test_who_is_undecided_stays() -> None:
    path = walked(pp01="ok", pp02="ok", pp03=Entry(results=found(("bad", Level.SUSPECT))))
    assert path.here is not None and path.here.id == "pp.03"
    failed = ProbeResult("fake_problem", Kind.FILE, Status.FAILED, Verdict.UNDECIDED)
    path = walked(pp01="ok", pp02="ok", pp03=Entry(results={"fake_problem": failed}))
    assert path.here is not None and path.here.id == "pp.03"


@pytest.mark.parametrize(
    ("last", "third", "end"),
    [("problem", "ok", "upgrade"), ("ok", "ok", "tuning"), ("not_applicable", "ok", "tuning"), ("ok", None, "file")],
)
def test_an_earlier_problem_decides_the_end(last: str, third: str | None, end: str) -> None:
    entry = third or Entry(results=found(("bad", Level.PROBLEM)))
    path = walked(pp01="ok", pp02="ok", pp03=entry, pp04="ok", pp05=last)
    assert path.end == end and path.here is None
    assert ("pp.04" in [name for name, _ in behind(path)]) is (third is None)


def test_what_is_wanted_and_what_of_it_is_there(tmp_path: Path) -> None:
    (tmp_path / "loss.csv").write_text("step,loss\n")
    case = case_of(
        tmp_path, curves={"train": "loss.csv", "reference": {"path": "gone.csv"}}, scripts={"train": ["a.py", "b.py"]}
    )
    (tmp_path / "a.py").write_text("")
    train, reference, script = wanted(CHECKLIST, CHECKLIST.items[2], case)
    assert train.there and train.snippet is not None and train.snippet.framework == "mindspore"
    assert (reference.there, reference.given, reference.lacking) == (False, ["gone.csv"], ["gone.csv"])
    assert (script.there, script.lacking, script.snippet) == (False, ["b.py"], None)
    nothing = wanted(CHECKLIST, CHECKLIST.items[2], case_of(tmp_path))
    assert [each.given for each in nothing] == [[], [], []] and not any(each.there for each in nothing)


# --- what is wrong with a path, and where ------------------------------------------------------------------------------


def line_with(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ("to: pp.04,", "to: pp.4,", "path-nowhere", "Did you mean pp.04?"),
        ("to: tuning,", "to: tunning,", "path-nowhere", "Did you mean tuning?"),
        ("when: [problem], to: upgrade", "when: [bad], to: upgrade", "path-no-end", "says nothing of: problem"),
        ("[ok, not_applicable], to: tuning", "[ok], to: tuning", "path-no-end", "not_applicable"),
        ("to: upgrade,", "to: pp.03,", "path-circle", "pp.03 > "),
        ("  mend: {title", "  pp.02: {title", "path-end-item", "the end pp.02 has the name of an item"),
        ("collect: [curves.train", "collect: [curve.train", "yaml-unknown-key", "Did you mean curves.train?"),
        ("  curves.train:", "  curves.trian:", "yaml-unknown-key", "Did you mean curves.train?"),
        ("framework: pytorch", "framework: torch", "yaml-value", "torch"),
        ("code: stream", "cod: stream", "yaml-unknown-key", "Did you mean code?"),
    ],
)
def test_a_broken_path_is_refused_with_its_line(old: str, new: str, code: str, words: str) -> None:
    assert old in ROUTE
    text = ROUTE.replace(old, new)
    with pytest.raises(UserError) as caught:
        checklist.read(text.encode(), "route.yaml")
    error = caught.value
    assert error.code == code and words in error.text(Language.EN), error.text(Language.EN)
    assert f"route.yaml:{error.data['line']}" in error.text(Language.ZH)
    if code not in ("path-no-end", "path-circle", "yaml-value"):  # those name the item or the snippet
        assert error.data["line"] == line_with(text, new)


def test_ways_without_ends_lead_nowhere() -> None:
    text = ROUTE[: ROUTE.index("ends:")] + ROUTE[ROUTE.index("sections:") :]
    with pytest.raises(UserError, match="neither an item nor one of ends"):
        checklist.read(text.encode(), "route.yaml")
    alone = checklist.read(
        ROUTE.replace(
            "        next:\n          - {when: [problem], to: mend, text: {zh: 修正该层, en: Mend that layer}}\n", ""
        ).encode(),
        "r",
    )
    assert checklist.ways_ahead(alone)["pp.04"] == ["pp.05"]


def test_a_long_circle_and_a_long_path_are_no_trouble() -> None:
    """As many items as a document may hold: nothing here recurses or takes the square of their number."""
    items = [
        msgspec.structs.replace(CHECKLIST.items[1], id=f"i{number}", next=[], applies_when=[])
        for number in range(20_000)
    ]
    last = msgspec.structs.replace(CHECKLIST.items[4], id="last")
    section = msgspec.structs.replace(CHECKLIST.sections[0], items=[*items, last])
    long = msgspec.structs.replace(CHECKLIST, sections=[section])
    record = Record(entries={item.id: Entry(conclusion=Verdict.OK) for item in long.items})
    path = walk(long, record, case_of())
    assert path is not None and path.end == "tuning" and len(path.steps) == 20_001


def test_validate_knows_the_findings_of_the_probes(fakes: Path, tmp_path: Path) -> None:
    path = write_route(tmp_path)
    checklist.validate(path.read_bytes(), str(path))
    text = ROUTE.replace("when: [bad]", "when: [baad]")
    checklist.read(text.encode(), "route.yaml")
    with pytest.raises(UserError) as caught:
        checklist.validate(text.encode(), "route.yaml")
    assert caught.value.code == "path-answer" and "Did you mean bad?" in str(caught.value)
    assert caught.value.data["line"] == line_with(text, "when: [baad]")


def test_the_keys_of_a_benchmark_can_be_collected() -> None:
    assert "benchmark.scripts.train" in cases.path_keys()
