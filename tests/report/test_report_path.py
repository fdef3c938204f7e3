"""The path that was walked, in each kind of report."""

import io
import json
from pathlib import Path

import docx
import msgspec
import pytest
from markdown_it import MarkdownIt
from report_sample import HOSTILE, MOMENT

from accucheck import checklist
from accucheck.case import Case, CaseFile
from accucheck.language import visible
from accucheck.model import Finding, Kind, Language, Level, ProbeResult, Status, Verdict
from accucheck.report import docx as words
from accucheck.report import issue, machine, markdown
from accucheck.report.build import build
from accucheck.report.markdown import escape
from accucheck.report.parts import Report
from accucheck.report.trackers import known
from accucheck.session import Entry, Record
from path_checklist import ROUTE

CHECKLIST = checklist.read(ROUTE.encode(), "route.yaml")


def report_of(folder: Path, language: Language, more: dict[str, object] | None = None, /, **answers: str) -> Report:
    found = [Finding("seen", Level.INFO, data={"n": 1}), Finding("bad", Level.PROBLEM, data={"n": HOSTILE})]
    result = ProbeResult("fake_problem", Kind.FILE, Status.DONE, Verdict.PROBLEM, found)
    entries = {
        "pp.01": Entry(conclusion=Verdict.OK, note=HOSTILE, who="li", when=MOMENT),
        "pp.02": Entry(conclusion=Verdict.NOT_APPLICABLE),
        "pp.03": Entry(results={"fake_problem": result}),
        **{f"pp.0{name[1:]}": Entry(conclusion=Verdict(verdict)) for name, verdict in answers.items()},
    }
    spec = {"name": "demo", "curves": {"train": "gone.csv"}, **(more or {})}
    case = Case(root=str(folder), spec=msgspec.convert(spec, CaseFile))
    return build(Record(entries=entries), [CHECKLIST], case, language, None, set(), MOMENT)


@pytest.mark.parametrize("language", list(Language))
def test_steps_with_answers_evidence_and_where_they_led(tmp_path: Path, fakes: Path, language: Language) -> None:
    (path,) = report_of(tmp_path, language, n4="problem").paths
    zh = language is Language.ZH
    assert [(step.item, step.state) for step in path.steps] == [
        ("pp.01", Verdict.OK),
        ("pp.02", Verdict.NOT_APPLICABLE),
        ("pp.03", Verdict.PROBLEM),
        ("pp.04", Verdict.PROBLEM),
    ]
    third = path.steps[2]
    assert third.answer == ("发现问题（建议）" if zh else "problem found (suggested)")
    assert third.leads == (
        "首步不同：前向 → pp.04 检查 pp.04" if zh else "The first differs: forward → pp.04 Check pp.04"
    )
    assert len(third.evidence) == 1 and third.evidence[0].startswith("bad")  # information is left to the item
    assert path.steps[0].evidence and path.steps[0].evidence[0][:6] == visible(HOSTILE)[:6]
    assert path.steps[3].answer == ("发现问题" if zh else "problem found")
    assert path.end == ("终点：修正所列问题" if zh else "The end: Fix the named items")
    assert "pp.03, pp.04" in path.problems and path.advice and not path.stands


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("tracker", [tracker.name for tracker in known().trackers])
def test_an_issue_has_the_path_and_what_was_configured_anew(
    tmp_path: Path, fakes: Path, language: Language, tracker: str
) -> None:
    (tmp_path / "base.yaml").write_text("lr: 0.1\n")
    (tmp_path / "used.yaml").write_text("lr: 0.2\n")
    configs = {"used": "used.yaml", "base": "base.yaml"}
    report = report_of(tmp_path, language, {"configs": configs}, n4="problem")
    to = next(each for each in known().trackers if each.name == tracker)
    made = issue.describe(report, "demo", to, to.repo, attachments=[])
    text = "\n\n".join(block.text for block in made.blocks)
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    cells = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "td_open"]
    path, changes = report.paths[0], report.changes
    assert changes is not None and text.count(escape(changes.title)) == 1 and "lr" in cells
    first = cells.index("pp.01")
    assert cells[first : first + 16 : 4] == [step.item for step in path.steps]
    assert all(step.answer in cell for step, cell in zip(path.steps, cells[first + 2 :: 4], strict=False))
    assert escape(path.end) in text and "<script" not in text


def test_before_the_end_it_says_where_it_stands_and_what_is_lacking(tmp_path: Path) -> None:
    (path,) = report_of(tmp_path, Language.EN, n3="ok").paths
    assert (path.end, path.problems, path.advice) == ("", "", [])
    assert path.stands == "Not finished: the path is at pp.05 Check pp.05."
    case = Case(root=str(tmp_path), spec=msgspec.convert({"curves": {"train": "gone.csv"}}, CaseFile))
    entries = {name: Entry(conclusion=Verdict.OK) for name in ("pp.01", "pp.02")}
    (path,) = build(Record(entries=entries), [CHECKLIST], case, Language.EN, None, set(), MOMENT).paths
    assert path.wanted == [
        "curves.train: gone.csv does not exist yet",
        "curves.reference.path: not set in accucheck.yaml",
        "scripts.train: not set in accucheck.yaml",
    ]
    report = build(Record(entries=entries), [CHECKLIST], case, Language.EN, None, set(), MOMENT)
    text = markdown.render(report, "demo")["demo.md"].decode()
    assert "Not finished: the path is at pp.03" in text and "- curves.train: gone.csv" in text
    document = docx.Document(io.BytesIO(words.render(report, "demo")["demo.docx"]))
    assert any("curves.train: gone.csv" in paragraph.text for paragraph in document.paragraphs)


@pytest.mark.parametrize("language", list(Language))
def test_markdown_word_and_json(tmp_path: Path, fakes: Path, language: Language) -> None:
    report = report_of(tmp_path, language, n4="problem")
    title = "定位路径" if language is Language.ZH else "The path walked"
    text = markdown.render(report, "demo")["demo.md"].decode()
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    inline = [token.content for token in tokens if token.type == "inline"]
    assert title in inline and any(content.startswith("pp.03") for content in inline)
    start = next(n for n, token in enumerate(tokens) if token.content == title)
    table = tokens[start : next(n for n, token in enumerate(tokens) if n > start and token.type == "table_close")]
    assert sum(token.type == "td_open" for token in table) == 4 * 4 and "\x1b" not in text
    document = docx.Document(io.BytesIO(words.render(report, "demo")["demo.docx"]))
    headings = [paragraph.text for paragraph in document.paragraphs if paragraph.style.name.startswith("Heading")]
    assert title in headings
    steps = next(table for table in document.tables if table.cell(0, 0).text in ("步骤", "Step"))
    assert [row.cells[0].text[:5] for row in steps.rows[1:]] == ["pp.01", "pp.02", "pp.03", "pp.04"]
    assert steps.cell(3, 1).text.startswith("✗ ")
    stored = json.loads(machine.render(report, "demo")["demo.json"])
    assert [step["item"] for step in stored["paths"][0]["steps"]] == ["pp.01", "pp.02", "pp.03", "pp.04"]
    assert stored["paths"][0]["end"]["name"] == "mend"


def test_a_list_has_no_path(record: Record, checklists: list, case: Case) -> None:
    report = build(record, checklists, case, Language.EN, None, set(), MOMENT)
    assert report.paths == [] and "The path walked" not in markdown.render(report, "x")["x.md"].decode()
