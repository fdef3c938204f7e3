"""The path of a checklist: what each answer leads to, where a person stands, what is to be collected, where it ends."""

import json
from pathlib import Path

import msgspec
import pytest

from accucheck import case as cases
from accucheck import checklist
from accucheck.case import Case, CaseFile
from accucheck.errors import UserError
from accucheck.language import Language
from accucheck.model import Finding, Kind, Level, ProbeResult, Status, Verdict, suggest
from accucheck.path import PathPosition, frameworks, uncollected, walk, wanted
from accucheck.report.machine import input_text
from accucheck.session import Entry, Record
from command_line import accucheck
from path_checklist import ROUTE, write_route

pytestmark = pytest.mark.part(3)

CHECKLIST = checklist.read(ROUTE.encode(), "route.yaml")


def case_of(folder: Path | str = ".", **spec: object) -> Case:
    return Case(root=str(folder), spec=msgspec.convert(spec, CaseFile))


def found(*findings: tuple[str, Level]) -> dict[str, ProbeResult]:
    """The result of a probe that found these."""
    made = [Finding(code, level) for code, level in findings]
    return {"fake_problem": ProbeResult("fake_problem", Kind.FILE, Status.DONE, suggest(made), made)}


def walked(case: Case | None = None, **entries: Entry | str) -> PathPosition:
    """The path with these answers: pp01="ok" is a conclusion, an Entry is one."""
    given = {
        f"{name[:2]}.{name[2:]}": Entry(conclusion=Verdict(entry)) if isinstance(entry, str) else entry
        for name, entry in entries.items()
    }
    path = walk(CHECKLIST, Record(entries=given), case or case_of())
    assert path is not None
    return path


def behind(path: PathPosition) -> list[tuple[str, str]]:
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
    assert path.at_end is not None and path.at_end.title.en == "Fix the named items"
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


def test_a_suspicion_that_a_way_names_leads_on() -> None:
    path = walked(pp01="ok", pp02="ok", pp03=Entry(results=found(("bad", Level.SUSPECT))))
    assert (path.steps[2].answer, path.steps[2].to) == (Verdict.UNDECIDED, "pp.04")
    assert path.problems == []


def test_who_is_undecided_stays() -> None:
    path = walked(pp01="ok", pp02="ok", pp03=Entry(results=found(("seen", Level.SUSPECT))))
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


def test_what_the_code_wrote_is_seen_before_the_case_names_it(tmp_path: Path) -> None:
    (tmp_path / "collect").mkdir()
    (tmp_path / "collect/loss_torch.csv").write_text("step,loss\n")
    inputs = wanted(CHECKLIST, CHECKLIST.items[2], case_of(tmp_path))
    assert [(each.there, each.written) for each in inputs] == [(False, False), (False, True), (False, False)]
    assert [each.key for each in uncollected(inputs)] == ["curves.train", "scripts.train"]
    assert frameworks(uncollected(inputs)) == ["mindspore"]
    said = input_text(inputs[1], case_of(tmp_path), Language.EN)
    assert said == "curves.reference.path: collect/loss_torch.csv was written; name it in accucheck.yaml"
    named = wanted(CHECKLIST, CHECKLIST.items[2], case_of(tmp_path, curves={"reference": {"path": "gone"}}))
    assert (named[1].written, named[1].lacking) == (False, ["gone"])  # what the case says counts


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


# --- the path of the comparison ---------------------------------------------------------------------------------------


def _comparison(*answers: tuple[str, str, str], case: Case | None = None) -> PathPosition:
    """The shipped path: (item, verdict, code of a finding or nothing)."""
    shipped, entries = checklist.load("comparison"), {}
    for item, verdict, code in answers:
        level = {"problem": Level.PROBLEM, "undecided": Level.SUSPECT}.get(verdict, Level.INFO)
        findings = [Finding(code, level)] if code else []
        name = checklist.find([shipped], item).uses[0].name
        result = ProbeResult(name, Kind.FILE, Status.DONE, Verdict(verdict), findings)
        entries[item] = Entry(results={name: result}) if code else Entry(conclusion=Verdict(verdict))
    case = case or case_of(outputs={"path": "outputs"}, curves={"previous_version": "old.log"})
    path = walk(shipped, Record(entries=entries), case)
    assert path is not None
    return path


BEFORE = [(f"cmp.{number:02}", "ok", "") for number in range(1, 8)]
AGREES = [*BEFORE, ("cmp.08", "ok", "agrees"), ("cmp.09", "ok", "agree"), ("cmp.11", "ok", "")]


@pytest.mark.parametrize(
    ("answers", "stands"),
    [
        ([], "cmp.01"),
        ([("cmp.01", "problem", "")], "mend"),
        ([("cmp.01", "ok", ""), ("cmp.02", "problem", "")], "mend"),
        ([*BEFORE[:3], ("cmp.04", "problem", ""), *BEFORE[4:6]], "cmp.07"),  # all that differs is gathered first
        ([*BEFORE[:3], ("cmp.04", "problem", ""), *BEFORE[4:]], "mend"),
        (BEFORE, "cmp.08"),
        ([*BEFORE, ("cmp.08", "problem", "forward")], "cmp.09"),
        ([*BEFORE, ("cmp.08", "problem", "backward")], "cmp.09"),
        ([*BEFORE, ("cmp.08", "problem", "fork")], "fork"),
        ([*BEFORE, ("cmp.08", "problem", "scaled")], "mend"),
        ([*BEFORE, ("cmp.08", "undecided", "forward-slight")], "cmp.09"),
        ([*BEFORE, ("cmp.08", "undecided", "follows"), ("cmp.09", "problem", "origin")], "mend"),
        ([*BEFORE, ("cmp.08", "undecided", "drift")], "cmp.08"),
        ([*BEFORE, ("cmp.08", "undecided", "gradient-first")], "cmp.09"),
        ([*BEFORE, ("cmp.08", "undecided", "slight-later")], "fork"),
        ([*BEFORE, ("cmp.08", "problem", "updates-differ"), ("cmp.09", "ok", "")], "mend"),
        ([*BEFORE, ("cmp.08", "problem", "evaluation")], "cmp.11"),
        ([*BEFORE, ("cmp.08", "problem", "")], "cmp.09"),
        ([*BEFORE, ("cmp.08", "ok", "agrees")], "cmp.09"),
        ([*BEFORE, ("cmp.08", "ok", "agrees"), ("cmp.09", "ok", "agree")], "cmp.11"),
        ([*BEFORE, ("cmp.08", "ok", "agrees"), ("cmp.09", "problem", "origin")], "mend"),
        (
            [*BEFORE, ("cmp.08", "problem", "evaluation"), ("cmp.11", "ok", ""), ("cmp.10", "not_applicable", "")],
            "file",
        ),
        ([*BEFORE, ("cmp.08", "problem", "forward"), ("cmp.09", "problem", "")], "mend"),
        ([*BEFORE, ("cmp.08", "problem", "forward"), ("cmp.09", "ok", "")], "cmp.10"),
        ([*BEFORE, ("cmp.08", "problem", "forward"), ("cmp.09", "ok", ""), ("cmp.10", "problem", "")], "upgrade"),
        ([*BEFORE, ("cmp.08", "problem", "forward"), ("cmp.09", "ok", ""), ("cmp.10", "not_applicable", "")], "file"),
        ([*BEFORE, ("cmp.08", "ok", "agrees"), ("cmp.09", "ok", ""), ("cmp.11", "problem", "")], "mend"),
        ([*BEFORE, ("cmp.08", "ok", "agrees"), ("cmp.09", "ok", ""), ("cmp.11", "ok", "")], "cmp.10"),
        ([*AGREES, ("cmp.10", "not_applicable", "")], "tuning"),
        ([*AGREES, ("cmp.10", "problem", "")], "upgrade"),
    ],
)
def test_the_path_of_the_comparison(answers: list[tuple[str, str, str]], stands: str) -> None:
    path = _comparison(*answers)
    assert (path.here.id if path.here is not None else path.end) == stands


@pytest.mark.parametrize(("losses", "end"), [(("ok", "agrees"), "tuning"), (("problem", "forward"), "file")])
def test_nobody_is_asked_of_versions_and_inference_that_the_case_does_not_have(
    losses: tuple[str, str], end: str
) -> None:
    path = _comparison(*BEFORE, ("cmp.08", *losses), ("cmp.09", "ok", ""), case=case_of())
    assert path.end == end
    passed = [step for step in path.steps if step.answer is Verdict.NOT_APPLICABLE]
    assert passed and not any(step.concluded for step in passed)


# --- the command line --------------------------------------------------------------------------------------------------


@pytest.fixture
def project(fakes: Path, tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "accucheck.yaml").write_text("name: demo\nruntime: {device: CPU}\ncurves: {train: loss.csv}\n")
    (root / "loss.csv").write_text("step,loss\n1,2.3\n")
    return root


def test_path_shows_where_one_stands_in_both_languages(project: Path, tmp_path: Path) -> None:
    route = str(write_route(tmp_path))
    english = accucheck("path", project, "--checklist", route)
    assert (english.code, english.err) == (0, "")
    assert "  ▸ pp.01  Check pp.01  (you are here)\n" in english.out
    assert "Mend this first → Fix the named items" in english.out and "otherwise → pp.02" in english.out
    for item in ("pp.01", "pp.02"):
        assert accucheck("answer", item, "ok", "--project", project, "--checklist", route).code == 0
    chinese = accucheck("path", project, "--checklist", route, "--lang", "zh")
    lines = chinese.out.splitlines()
    assert lines[:3] == ["定位清单  (route 3)", "  ✓ pp.01  检查 pp.01  无问题", "  ✓ pp.02  检查 pp.02  无问题"]
    assert "        ✓ curves.train：loss.csv" in lines
    assert "        ○ curves.reference.path：accucheck.yaml 中未给出" in lines
    assert any("标杆每步的 loss（PyTorch，写入 collect/loss_torch.csv）" in line for line in lines)
    assert "首步不同：前向 → pp.04 检查 pp.04" in chinese.out
    assert not list(project.glob("collect*"))  # it shows, and writes nothing


def test_path_follows_what_probes_suggest_up_to_an_end(project: Path, tmp_path: Path) -> None:
    route = str(write_route(tmp_path))
    assert accucheck("run", project, "--checklist", route).code == 1
    walked = json.loads(accucheck("path", project, "--checklist", route, "--json").stdout)["paths"][0]
    assert [(step["item"], step["answer"], step["concluded"], step["next"]) for step in walked["steps"]] == [
        ("pp.01", "ok", False, "pp.02"),
        ("pp.02", "not_applicable", False, "pp.03"),
        ("pp.03", "problem", False, "pp.04"),
    ]
    assert walked["steps"][2]["why"] == "The first differs: forward"
    assert (walked["here"]["item"], walked["end"], walked["ahead"]) == ("pp.04", None, ["pp.05"])
    accucheck("answer", "pp.04", "problem", "--project", project, "--checklist", route)
    ran = accucheck("path", project, "--checklist", route)
    assert "✗ pp.03  Check pp.03  problem found (suggested)\n      ✗ bad 1\n" in ran.out
    assert "■ The end: Fix the named items" in ran.out and "Problems: pp.03, pp.04" in ran.out
    walked = json.loads(accucheck("path", project, "--checklist", route, "--json").stdout)["paths"][0]
    assert walked["here"] is None and walked["end"]["problems"] == ["pp.03", "pp.04"]


def test_path_writes_the_code_and_never_over_a_file(project: Path, tmp_path: Path) -> None:
    route, code = str(write_route(tmp_path)), tmp_path / "code"
    arguments = ("path", project, "--checklist", route, "--output", code)
    nothing = accucheck(*arguments)
    assert nothing.code == 0 and "nothing to collect" in nothing.err and not code.exists()
    for item in ("pp.01", "pp.02"):
        accucheck("answer", item, "ok", "--project", project, "--checklist", route)
    ran = accucheck(*arguments, "--lang", "zh")
    assert ran.code == 0 and [path.name for path in code.iterdir()] == ["collect_pp.03_pytorch.py"]
    text = (code / "collect_pp.03_pytorch.py").read_text()
    assert text.startswith("# 标杆每步的 loss\n# curves.reference.path: collect/loss_torch.csv\nstream.write(")
    again = accucheck(*arguments)
    assert again.code == 2 and "collect_pp.03_pytorch.py" in again.err
    assert (code / "collect_pp.03_pytorch.py").read_text() == text


def test_what_was_collected_is_named_in_the_case_with_one_command(project: Path, tmp_path: Path) -> None:
    route = str(write_route(tmp_path))
    arguments = ("path", project, "--checklist", route, "--write")
    before = "name: demo\nruntime: {device: CPU}  # mine\ncurves: {train: loss.csv}\n# the end\n"
    (project / "accucheck.yaml").write_text(before)
    nothing = accucheck(*arguments)
    assert nothing.code == 0 and "nothing to name" in nothing.err
    (project / "collect").mkdir()
    for name in ("loss.csv", "loss_torch.csv"):
        (project / "collect" / name).write_text("step,loss\n1,2.0\n")
    for item in ("pp.01", "pp.02"):
        accucheck("answer", item, "ok", "--project", project, "--checklist", route)
    ran = accucheck(*arguments)
    assert ran.code == 0 and ran.err == "accucheck: curves.reference.path: collect/loss_torch.csv\n"
    assert "✓ curves.reference.path: collect/loss_torch.csv" in ran.out
    after = (project / "accucheck.yaml").read_text()
    assert after == before.replace("loss.csv}", "loss.csv, reference: {path: collect/loss_torch.csv}}")
    assert "nothing to name" in accucheck(*arguments).err


def test_one_item_of_a_path_can_be_run_alone(project: Path, tmp_path: Path) -> None:
    ran = accucheck("run", project, "--checklist", str(write_route(tmp_path)), "--only", "pp.03", "--json")
    result = json.loads(ran.stdout)
    assert [item["id"] for item in result["items"]] == ["pp.03"] and result["paths"] == []


def test_a_list_is_no_path(project: Path) -> None:
    ran = accucheck("path", project, "--checklist", "accuracy")
    assert ran.code == 2 and "accuracy is a list" in ran.err


def test_explain_shows_the_code_and_where_answers_lead(project: Path, tmp_path: Path) -> None:
    ran = accucheck("explain", "pp.03", "--checklist", str(write_route(tmp_path)))
    assert ran.code == 0
    assert "The benchmark's loss of each step (PyTorch; writes collect/loss_torch.csv)" in ran.out
    assert 'stream.write(f"{step},{loss.item()!r}\\n")' in ran.out
    assert "Both agree → pp.05 Check pp.05" in ran.out
    plain = accucheck("explain", "ds.01")
    assert "What to collect" not in plain.out and "Where it leads" not in plain.out
