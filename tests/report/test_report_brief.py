"""The short report: what is wrong with its change on a few pages, a line for every other item, nothing that a person wrote is lost."""

import io
import re
from pathlib import Path

import docx
import pytest
from report_sample import MOMENT, ORDER, result

from accucheck.checklist import load_all
from accucheck.guidance import steps
from accucheck.language import Language
from accucheck.model import Kind, Verdict
from accucheck.project import open_project
from accucheck.report import Options, compose, render
from accucheck.report.brief import MAX_FINDINGS, MAX_LINES, shorten
from accucheck.report.build import build
from accucheck.session import Entry, Record
from command_line import accucheck, copy_example

ALL = [item.id for item in load_all(["accuracy"])[0].items]


@pytest.fixture(scope="module")
def faulty(tmp_path_factory) -> Path:
    """The example with planted faults, all that needs no consent examined, one item concluded by a person."""
    root = copy_example("digits_faulty", tmp_path_factory.mktemp("brief"))
    with (project := open_project(root)).session:
        for _ in project.run(project.jobs((), {Kind.STATIC, Kind.FILE})):
            pass
        project.session.answer("ds.02", Verdict.OK, "looked at fifty samples")
    return root


def files(root: Path, *languages: Language, **options: object) -> dict[str, bytes]:
    chosen = Options(languages=languages, formats=("md", "docx", "html", "json"), **options)
    with (project := open_project(root, session="read")).session:
        return render(compose(project, chosen), "r", chosen)


@pytest.mark.parametrize(
    ("languages", "others", "fix"),
    [
        ((Language.EN,), "## Other items", "| Item | What | Where | Fix | How sure |"),
        ((Language.ZH,), "## 其他检查项", "| 编号 | 问题 | 位置 | 修改 | 把握程度 |"),
        ((Language.ZH, Language.EN), "## 其他检查项 / Other items", "Fix"),
    ],
)
def test_every_item_stands_in_it_once(faulty, languages, others, fix):
    text = files(faulty, *languages, full=False)["r.md"].decode()
    assert fix in text and others in text
    told, lines = text.split(others)
    headed = re.findall(r"^#### (\S+)", told, re.M)
    lined = re.findall(r"^\| ([a-z]+\.\d\d) \|", lines, re.M)
    assert sorted([*headed, *lined]) == sorted(ALL)
    assert headed[0] == "wi.01", "what goes with a loss that stays at guessing comes first"
    assert {"wi.01", "dp.03", "ds.01", "ds.04", "ds.02"} <= set(headed), "problems, and what a person wrote"
    verdict = told.split("\n### ")[0]
    rows = re.findall(r"^\| ([a-z]+\.\d\d) \|", verdict, re.M)
    assert len(rows) == len(set(rows)), "a row an item, as none has another change"
    assert "network.py:14" in verdict and "bias_init" in told, "place and change"


def test_its_order_is_that_of_the_next_steps(faulty):
    text = files(faulty, Language.EN, full=False)["r.md"].decode()
    rows = re.findall(r"^\| ([a-z]+\.\d\d) \| (.+?) \|", text.split("## Details")[0], re.M)
    headed = re.findall(r"^#### (\S+)", text, re.M)
    with (project := open_project(faulty, session="read")).session:
        found = [step for step in steps(project) if step.kind in ("problem", "suspect")]
    assert [item for item, _ in rows] == [step.item for step in found]
    assert [message for _, message in rows] == [step.what(Language.EN) for step in found]
    assert headed[: len(found)] == [step.item for step in found]


def test_it_is_short_in_each_format_and_the_whole_one_is_as_before(faulty):
    short, whole = files(faulty, Language.EN, full=False), files(faulty, Language.EN)
    assert len(short["r.md"].splitlines()) * 4 < len(whole["r.md"].splitlines())
    assert short["r.json"] == whole["r.json"], "what programs read is whole"
    for said in ("How to check", "Methods"):
        assert (said in whole["r.md"].decode()) is (said == "How to check")
        assert (said in short["r.md"].decode()) is (said == "Methods")
    document = docx.Document(io.BytesIO(short["r.docx"]))
    heads = [each.text for each in document.paragraphs if each.style.name == "Heading 1"]
    assert heads == ["Verdict", "Details", "Other items", "Environment"]
    page = short["r.html"].decode()
    assert 'id="others"' in page and 'id="summary"' not in page and "bias_init" in page
    assert 'href="#summary"' not in page and 'href="#others"' in page
    assert 'id="summary"' in whole["r.html"].decode() and "looked at fifty samples" in page


def test_findings_beyond_the_first_are_counted(faulty):
    with (project := open_project(faulty, session="read")).session:
        report = shorten(compose(project, Options()))
    (item,) = [item for item in report.items if item.id == "wi.01"]
    told = [finding for result in item.results for finding in result.findings]
    assert len(told) == MAX_LINES and sum(bool(each.diff or each.evidence) for each in told) <= MAX_FINDINGS
    assert all(each.message and each.where for each in told[MAX_FINDINGS:]), "what and where of each"
    assert sum(result.more_findings for result in item.results) == 2 and not item.method and not item.references
    assert shorten(report).others == [], "shortened twice it has nothing more to leave out"


def test_the_command_writes_the_short_one_unless_asked(faulty, tmp_path):
    for arguments in ((), ("--full",)):
        ran = accucheck("report", str(faulty), "--format", "md", "-o", str(tmp_path / "out"), "--force", *arguments)
        assert ran.code == 0, ran
        text = Path(ran.out.strip()).read_text()
        assert ("## Other items" in text) is (not arguments) and ("## Summary" in text) is bool(arguments)


def test_what_a_conclusion_speaks_against_is_told_in_a_line(checklists, case):
    ran = {"fake_order": result("fake_order", Kind.LIVE, [ORDER])}
    entry = Entry(conclusion=Verdict.OK, who="li", when=MOMENT, note="shuffled before", results=ran)
    report = build(Record(entries={"dp.03": entry}), checklists, case, Language.EN, None, set(), MOMENT)
    item = next(item for item in shorten(report).items if item.id == "dp.03")
    (finding,) = (finding for each in item.results for finding in each.findings)
    assert finding.where == "src/dataset.py:41" and finding.message
    assert not finding.evidence and not finding.fix, "no change is proposed where a person says that there is no need"


def test_where_to_find_more_stands_on_the_first_page_in_word(faulty):
    document = docx.Document(io.BytesIO(files(faulty, Language.EN, full=False)["r.docx"]))
    texts = [paragraph.text for paragraph in document.paragraphs]
    (more,) = (place for place, text in enumerate(texts) if "accucheck report --full" in text)
    assert more < texts.index("Details")
