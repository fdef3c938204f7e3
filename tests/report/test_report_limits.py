"""What would break a report: every writer bears it, says what was left out, and stays small and quick."""

import io
import os
import time
import zipfile
from pathlib import Path

import docx
import pytest
from PIL import Image

from accucheck import report as reports
from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.language import Language
from accucheck.model import Code, Curve, Finding, Kind, Level, Note, ProbeResult, Status, Table, Verdict, Where
from accucheck.report import FORMATS, Options
from accucheck.report.build import build
from accucheck.report.context import MAX_ATTACHMENTS_IN_ALL, MAX_CHARTS_IN_ALL
from accucheck.report.parts import ChartPart, Report
from accucheck.session import Entry, Record

pytestmark = pytest.mark.part(40)

MEGABYTE = 1 << 20
NOTES = {
    "markdown": "# no heading\n\n- no list\n```\nno fence\n~~~\n<!-- -->\n| a | b |\n|---|---|\n[x]: http://evil\n***\n\\",
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)></td></table><!DOCTYPE html>&lt;&#0;&nbsp;]]>",
    "xml": "".join(map(chr, range(32))) + "\x7f\x85\ufffe\uffff]]><![CDATA[<?xml?>",
    "emoji": "👩‍👩‍👧‍👦 🇨🇳 ❤️ \U0001f9ea 𝒳 \U000e0001",
    "surrogates": "\ud800 \udfff \udcff",
    "bidi": "\u202e\u2066evil\u2069\u200f\u061c \u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "combining": "a" + "\u0301" * 500,
    "blank": " \u3000\u00a0\n\t\n",
    "long": "字" * 50_000 + "\n" + "x" * 50_000,
    "lines": "line\n" * 100_000,
}


def written(report: Report) -> dict[str, bytes]:
    """The report in all formats, each by its ending."""
    files = reports.render(report, "x", Options(formats=tuple(FORMATS)))
    assert not [name for name in files if ".." in name or name.startswith("/")]
    return {name: files[f"x.{form.ending}"] for name, form in FORMATS.items()}


def sound(files: dict[str, bytes]) -> None:
    """Each is what its format asks for."""
    from xml.etree import ElementTree

    import msgspec

    assert docx.Document(io.BytesIO(files["docx"])).paragraphs
    with zipfile.ZipFile(io.BytesIO(files["docx"])) as archive:
        assert archive.testzip() is None
    for name in ("json", "sarif"):
        assert msgspec.json.decode(files[name])
    assert ElementTree.fromstring(files["junit"]).tag == "testsuites"
    for name in ("md", "html"):
        text = files[name].decode()
        assert not [sign for sign in text if sign != "\n" and not (sign.isprintable() or sign in "\u00a0\u3000")]
    assert "<script>alert" not in files["html"].decode()


def made(checklists: list[Checklist], case: Case, language: Language = Language.EN, **entries: Entry) -> Report:
    return build(
        Record(entries={name.replace("_", "."): entry for name, entry in entries.items()}), checklists, case, language
    )


def found(*evidence: object, **data: object) -> dict[str, ProbeResult]:
    finding = Finding("odd-name", Level.PROBLEM, Where(), {"name": "x", **data}, list(evidence))
    return {"fake_order": ProbeResult("fake_order", Kind.FILE, Status.DONE, Verdict.PROBLEM, [finding])}


@pytest.mark.parametrize("kind", NOTES)
@pytest.mark.parametrize("language", list(Language), ids=lambda language: language.value)
def test_notes(kind: str, language: Language, checklists: list[Checklist], case: Case) -> None:
    note = NOTES[kind]
    entry = Entry(conclusion=Verdict.PROBLEM, note=note, who=note[:50], when=note[:50], results=found(Note("n", note)))
    begin = time.process_time()
    files = written(made(checklists, case, language, dp_03=entry))
    assert time.process_time() - begin < 10
    sound(files)
    assert all(len(content) < 3 * MEGABYTE for content in files.values())


def test_a_note_is_whole_up_to_its_limit(checklists: list[Checklist], case: Case) -> None:
    report = made(checklists, case, dp_03=Entry(note=NOTES["long"]), hp_02=Entry(note=NOTES["lines"]))
    whole, cut = report.items[0].note, report.items[2].note
    assert "".join(whole) == NOTES["long"].replace("\n", "")
    assert len(cut) == 1001 and cut[-1] == "(4,000 of 500,000 characters of the note)"


def test_a_table_of_100000_rows(checklists: list[Checklist], case: Case) -> None:
    table = Table("rows", ["a", "b"], [[number, f"=cell {number}"] for number in range(100_000)])
    report = made(checklists, case, dp_03=Entry(results=found(table)))
    begin = time.process_time()
    files = written(report)
    assert time.process_time() - begin < 10
    sound(files)
    assert b"first 50 of 100,000 rows" in files["md"] and b"first 50 of 100,000 rows" in files["html"]
    assert len(files["md"]) < 50_000 and len(files["docx"]) < MEGABYTE
    assert "cell 50" not in files["md"].decode()
    # Every row lies beside it, and each report names the file.
    beside = reports.render(report, "x", Options(formats=("md",)))
    assert sum(content.count(b"\n") for name, content in beside.items() if name.endswith(".csv")) == 100_001
    assert all(b"table-001.csv" in files[name] for name in ("md", "html"))


def test_a_session_of_a_stranger_does_not_make_it_endless(checklists: list[Checklist], case: Case) -> None:
    table = Table("rows", [f"column {n}" for n in range(3)], [["x" * 6] * 3] * 51, total=10**9)
    curve = Curve("loss-curve", "epoch", "loss", [1.0, 2.0], {"train": [1.0, None]})
    code = Code("a.py", 1, ("y" * 8 + "\n") * 201, [1])
    findings = [Finding("odd-name", Level.PROBLEM, Where(), {"name": "z" * 100}, [table, code, *[curve] * 20])] * 31
    results = {f"p{n}": ProbeResult(f"p{n}", Kind.FILE, Status.DONE, Verdict.PROBLEM, findings) for n in range(17)}
    report = made(checklists, case, dp_03=Entry(results=results), hp_02=Entry(results=results))
    parts = [finding for item in report.items for part in item.results for finding in part.findings]
    charts = [part for finding in parts for part in finding.evidence if isinstance(part, ChartPart)]
    assert len(parts) == 1000 and 0 < len(charts) <= MAX_CHARTS_IN_ALL
    # What is not shown is counted.
    assert len(parts) + sum(part.more_findings for item in report.items for part in item.results) == 31 * 17 * 2
    assert sum(len(finding.evidence) + finding.more_evidence for finding in parts) == 22 * len(parts)
    begin = time.process_time()
    files = reports.render(report, "x", Options(formats=("md", "docx")))
    assert time.process_time() - begin < 60
    assert len(files["x.md"]) < 8 * MEGABYTE and len(files["x.docx"]) < 2 * MEGABYTE


ODD_NAMES = [
    'quote"s.log',
    "it's.log",
    "new\nline.log",
    "tab\t.log",
    "back\\slash.log",
    "<b>.log",
    "a](b).log",
    "训练.log",
    "%41.log",
    "-rf.log",
]


def test_names_of_files(checklists: list[Checklist], case: Case, tmp_path: Path) -> None:
    for name in ODD_NAMES:
        (tmp_path / name).write_text("log")
    odd = Finding("odd-name", Level.PROBLEM, Where(path=ODD_NAMES[2], line=3), {"name": "".join(ODD_NAMES)})
    result = {"fake_order": ProbeResult("fake_order", Kind.FILE, Status.DONE, Verdict.PROBLEM, [odd])}
    report = made(checklists, case, dp_03=Entry(attachments=ODD_NAMES, results=result))
    sound(written(report))
    files = reports.render(report, "x", Options(formats=("md",)))
    assert sum(name.startswith("x_files/attachment-") for name in files) == len(ODD_NAMES)
    assert all(name.isascii() and name.isprintable() for name in files)


def test_a_name_that_is_not_utf8(checklists: list[Checklist], case: Case, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.log")
    (tmp_path / name).write_text("log")
    report = made(checklists, case, dp_03=Entry(attachments=[name], results=found(name=name)))
    sound(written(report))


def test_pictures(checklists: list[Checklist], case: Case, tmp_path: Path) -> None:
    red = Image.new("RGB", (40, 30), "red")
    red.save(tmp_path / "good.png")
    red.save(tmp_path / "renamed.png", format="JPEG")
    red.save(tmp_path / "moving.gif", save_all=True, append_images=[Image.new("RGB", (40, 30), "blue")] * 20)
    Image.new("1", (9000, 9000)).save(tmp_path / "huge.png")  # 81 million pixels in a few kilobytes
    (tmp_path / "cut.png").write_bytes((tmp_path / "good.png").read_bytes()[:60])
    (tmp_path / "text.png").write_text("<svg onload=alert(1)>")
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "vector.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    (tmp_path / "vanishes.png").write_bytes((tmp_path / "good.png").read_bytes())
    (tmp_path / "vanishes.log").write_text("log")
    os.mkfifo(tmp_path / "pipe.png")
    names = sorted(path.name for path in tmp_path.iterdir())
    report = made(checklists, case, dp_03=Entry(attachments=[*names, "never.png", "/etc/passwd", ".", "../"]))
    for name in ("vanishes.png", "vanishes.log"):
        (tmp_path / name).unlink()
    files = written(report)
    sound(files)
    pictures = [name for name in reports.render(report, "x", Options(formats=("md",))) if name.endswith(".png")]
    assert len(pictures) == 3, "good, renamed, moving"
    assert len(docx.Document(io.BytesIO(files["docx"])).inline_shapes) == 3
    text = files["md"].decode()
    for name in ("huge.png", "cut.png", "text.png", "empty.png", "vanishes.png"):
        assert f"{name} (not shown: no picture that can be read, or too large)" in text
    for name in ("never.png", "pipe.png"):
        assert f"{name} (not found when the report was made)" in text
    assert "[vanishes.log](" in text, "it was read when the report was made"
    assert "root:" not in text


def test_more_attachments_than_a_report_takes(checklists: list[Checklist], case: Case, tmp_path: Path) -> None:
    names = [f"{number}.log" for number in range(MAX_ATTACHMENTS_IN_ALL + 5)]
    for name in names:
        (tmp_path / name).write_text(name)
    report = made(checklists, case, dp_03=Entry(attachments=names))
    assert [part.kind for part in report.items[0].attachments].count("file") == MAX_ATTACHMENTS_IN_ALL
    assert b"54.log (not copied: a report takes 50 files)" in written(report)["md"]
