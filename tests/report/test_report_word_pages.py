"""The Word report as LibreOffice lays it out: fonts, pages, and everything within them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from report_sample import CHECKLIST, FAKE, HOSTILE, result

from accucheck import checklist, probe
from accucheck.case import Case, CaseFile
from accucheck.language import Language, visible
from accucheck.model import Code, Curve, Finding, Kind, Level, Table, Where
from accucheck.report import docx as writer
from accucheck.report.build import build
from accucheck.report.parts import Report
from accucheck.session import Entry, Record

lacking = [name for name in ("soffice", "pdfinfo", "pdffonts", "pdftotext") if not shutil.which(name)]
pytestmark = [
    pytest.mark.skipif(bool(lacking), reason=f"not installed: {', '.join(lacking)}"),
    pytest.mark.part(40),
]

PAGE = (595.3, 841.9)  # points: A4
MARGIN = 2 / 2.54 * 72 - 5  # points: two centimetres, and a little for the frames of tables

DIGEST = "0123456789abcdef0123456789abcdef"
COLUMNS = ["name", "shape", "type", "lowest", "highest", "mean", "std", "99 %", "NaN", "Inf"]
WIDE = [
    [f"conv{n}.weight", "(64, 3, 7, 7)", "Float32", -1.234567e-05, 1.5625, n / 7, 0.3764158, n, 0, 0] for n in range(70)
]
TABLES = [
    Table("nine and ten", COLUMNS, WIDE[:40]),
    Table("digests", ["file", "size", "here", "standard"], [["part-1.csv", 71410, DIGEST, DIGEST[::-1]]]),
    Table("floats", [f"column {n}" for n in range(10)], [[(-1) ** n * 1.2345678e-05 * n for n in range(10)]] * 3),
    Table("words", ["a", "b"], [["数据集" * 60, "x" * 190], [HOSTILE, "data/" + "folder/" * 25 + "file.bin"]]),
    Table("short", ["place", "是否"], [[n, n % 2 == 0] for n in range(30)]),
    Table("nothing in it", ["epoch", "loss"], []),
]
LONG_LINE = "x = [" + ", ".join(map(str, range(120))) + "]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module", params=list(Language), ids=lambda language: language.value)
def laid_out(request: pytest.FixtureRequest, folder: Path) -> tuple[Report, Path, str]:
    """A report full of what is hard to lay out, its PDF, and the text of the PDF, pages apart."""
    language = request.param
    curve = Curve("loss-curve", "epoch", "loss", [float(n) for n in range(30)], {"train": [0.9**n for n in range(30)]})
    code = Code("train.py", 1, "\n".join(["import os", LONG_LINE, *(f"y{n} = {n}" for n in range(60))]), [2])
    findings = [
        Finding("fixed-order", Level.PROBLEM, Where(path="src/" + "deep/" * 30 + "x.py", line=4), {"count": 5}, [table])
        for table in TABLES
    ]
    findings += [Finding("best-epoch", Level.SUSPECT, Where(), {"epoch": 3}, [code, curve])]
    entries = {
        name: Entry(results={"fake_order": result("fake_order", Kind.FILE, findings)}, note=HOSTILE)
        for name in ("dp.03", "hp.02")
    }
    load = probe.load
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probe, "load", lambda name: FAKE if name.startswith("fake_") else load(name))
        case = Case(root=str(folder), spec=CaseFile(name="resnet50-cifar10"))
        report = build(Record(entries=entries), [checklist.read(CHECKLIST.encode(), "sample.yaml")], case, language)
    path = folder / f"{language.value}.docx"
    path.write_bytes(writer.render(report, "x")["x.docx"])
    home = f"-env:UserInstallation=file://{folder}/office"
    command = ["soffice", home, "--headless", "--convert-to", "pdf", "--outdir", str(folder), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    pdf = path.with_suffix(".pdf")
    return report, pdf, read("pdftotext", "-layout", str(pdf), "-")


def read(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def test_fonts_are_embedded(laid_out: tuple[Report, Path, str]) -> None:
    _, pdf, _ = laid_out
    rows = [line.split() for line in read("pdffonts", str(pdf)).splitlines()[2:]]
    assert rows and all(row[-5] == "yes" for row in rows), "each font is embedded"
    if not read("fc-list", ":lang=zh-cn"):
        pytest.skip("no Chinese font is installed")
    assert any("CJK" in row[0] or "Hei" in row[0] or "Song" in row[0] for row in rows)


def test_pages_are_numbered_below_the_name_of_the_case(laid_out: tuple[Report, Path, str]) -> None:
    report, pdf, text = laid_out
    pages = text.split("\f")[:-1]
    count = int(re.search(r"Pages:\s+(\d+)", read("pdfinfo", str(pdf)))[1])
    assert count == len(pages) and 10 < count < 40
    for number, page in enumerate(pages, start=1):
        lines = [line.strip() for line in page.strip().splitlines()]
        assert lines[0].startswith(report.title) and lines[0].endswith("resnet50-cifar10")
        assert lines[-1] == report.say("page", page=number, pages=count)
        assert len(lines) > 3, "no page is empty"


def test_nothing_stands_outside_of_the_margins(laid_out: tuple[Report, Path, str]) -> None:
    _, pdf, _ = laid_out
    boxes = re.findall(
        r'<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)</word>',
        read("pdftotext", "-bbox", str(pdf), "-"),
    )
    assert len(boxes) > 1000
    outside = [
        box
        for box in boxes
        if float(box[0]) < MARGIN or float(box[2]) > PAGE[0] - MARGIN or float(box[3]) > PAGE[1] - 20
    ]
    assert outside == []


def test_what_the_report_says_stands_on_the_pages(laid_out: tuple[Report, Path, str]) -> None:
    report, pdf, _ = laid_out
    flat = re.sub(r"\s+", "", read("pdftotext", str(pdf), "-"))
    for item in report.items:
        assert re.sub(r"\s+", "", f"{item.id} {item.title}") in flat
        for part in item.results:
            assert all(re.sub(r"\s+", "", finding.message) in flat for finding in part.findings)
    for number in range(1, 13):
        assert re.sub(r"\s+", "", report.say("table", number=number)) in flat
    assert re.sub(r"\s+", "", report.say("figure", number=2)) in flat
    assert DIGEST in flat and DIGEST[::-1] in flat


def test_short_cells_are_not_broken(laid_out: tuple[Report, Path, str]) -> None:
    """Words and numbers of tables stand whole on a line: in the text with its layout none of them is cut."""
    _, _, text = laid_out
    words = set(text.split())
    for row in WIDE[:40]:
        assert {row[0], "Float32", "-1.23457e-05", "1.5625", f"{row[5]:.6g}", "0.376416"} <= words
    assert {"lowest", "highest", "NaN", "Inf", "std", DIGEST} <= words
    assert {f"{(-1) ** n * 1.2345678e-05 * n:.6g}" for n in range(10)} <= words


def test_captions_stand_with_what_they_name(laid_out: tuple[Report, Path, str]) -> None:
    """No page ends with a heading or the caption of a table."""
    report, _, text = laid_out
    table = re.escape(report.say("table", number=0)).replace("0", r"\d+")
    headings = {re.sub(r"\s+", "", f"{item.id} {item.title}") for item in report.items}
    headings |= {section.title for part in report.checklists for section in part.sections}
    for page in text.split("\f")[:-1]:
        lines = [line.strip() for line in page.strip().splitlines() if line.strip()]
        assert not re.match(table + r"\s", lines[-2]), lines[-2]
        assert re.sub(r"\s+", "", lines[-2]) not in headings


def test_the_head_of_a_table_stands_on_each_of_its_pages(laid_out: tuple[Report, Path, str]) -> None:
    """The 30 short rows, once for each of two items, on more than one page."""
    _, _, text = laid_out
    with_rows = [page for page in text.split("\f") if re.search(r"^\s*(2[0-9])\s+(yes|no|是|否)\s*$", page, re.M)]
    assert with_rows and all(re.search(r"^\s*place\s+是否\s*$", page, re.M) for page in with_rows)


def test_hostile_text_is_text(laid_out: tuple[Report, Path, str]) -> None:
    _, pdf, _ = laid_out
    flat = re.sub(r"\s+", "", read("pdftotext", str(pdf), "-"))
    assert re.sub(r"\s+", "", visible("<b>bold</b> | a|b \x1b[31mred")) in flat
