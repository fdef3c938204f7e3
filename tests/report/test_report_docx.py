"""The Word report, reopened."""

import io
import re
import zipfile
from pathlib import Path

import docx
import pytest
from docx.oxml.ns import qn
from report_sample import HOSTILE

from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.language import visible
from accucheck.model import Language
from accucheck.report import docx as writer
from accucheck.report.build import build
from accucheck.report.parts import Report
from accucheck.session import Entry, Record

pytestmark = pytest.mark.part(40)


@pytest.fixture
def content(report: Report) -> bytes:
    return writer.render(report, "case-accuracy")["case-accuracy.docx"]


@pytest.fixture
def document(content: bytes) -> docx.document.Document:
    return docx.Document(io.BytesIO(content))


def fill(cell: object) -> str | None:
    shade = cell._tc.tcPr.find(qn("w:shd"))
    return None if shade is None else shade.get(qn("w:fill"))


def test_text(report: Report, document: docx.document.Document) -> None:
    zh = report.language is Language.ZH
    paragraphs = [paragraph.text for paragraph in document.paragraphs]
    headings = [
        paragraph.text for paragraph in document.paragraphs if paragraph.style.name.startswith(("Title", "Heading"))
    ]
    assert headings[0] == ("精度检查报告" if zh else "Accuracy check report")
    assert ("dp.03  训练时没有混洗" if zh else "dp.03  Training data is not shuffled") in headings
    assert any("两轮的 50,000 个样本" in text if zh else "Both epochs bring the 50,000" in text for text in paragraphs)
    assert any(visible(HOSTILE) in text for text in paragraphs)
    assert any(text.startswith("图 1  各类别占比" if zh else "Figure 1  Share per class") for text in paragraphs)
    assert (
        "对精度的影响  50,000 个样本顺序固定，梯度有偏。" if zh else "How sure  certain from the code"
    ) in paragraphs
    assert ("验证方法  读取两个 epoch 比较。" if zh else "What would prove it  Read two epochs.") in paragraphs
    code = [paragraph.text for paragraph in document.paragraphs if paragraph.style.name == "Code"]
    assert "41      ds = Cifar10Dataset(path)" in code and "+    ds = Cifar10Dataset(path, shuffle=True)" in code


def test_summary_table(report: Report, document: docx.document.Document) -> None:
    zh = report.language is Language.ZH
    title = "检查项" if zh else "Title"
    summary = next(table for table in document.tables if len(table.columns) == 6 and table.cell(0, 1).text == title)
    rows = {row.cells[0].text: row for row in summary.rows}
    assert list(rows)[1:] == ["dp.03", "dp.05", "hp.02", "hp.03"]
    assert [cell.text for cell in rows["dp.03"].cells][2:5] == (
        ["✗ 发现问题", "发现问题", "wang 2026-03-04"] if zh else ["✗ problem found", "problem found", "wang 2026-03-04"]
    )
    assert rows["hp.02"].cells[2].text == ("未填写" if zh else "not filled in")
    assert fill(rows["dp.03"].cells[2]) == writer.SHADE["problem"]
    assert (
        fill(rows["dp.05"].cells[2]) == writer.SHADE["open"]
        and fill(rows["dp.05"].cells[3]) == writer.SHADE["not_applicable"]
    )
    assert summary.rows[0]._tr.trPr.find(qn("w:tblHeader")) is not None
    for column in summary.columns:
        assert column.width and {cell.width for cell in column.cells} == {column.width}
    assert sum(column.width for column in summary.columns) == pytest.approx(docx.shared.Cm(17), abs=2000)


def test_chinese_fonts_everywhere(document: docx.document.Document) -> None:
    used = {paragraph.style.name for paragraph in document.paragraphs} | {table.style.name for table in document.tables}
    for name in used | {"Normal", "Header", "Footer", "Heading 1", "Caption"}:
        fonts = document.styles[name].element.find(f".//{qn('w:rFonts')}")
        if name == "Normal Table":
            continue
        assert fonts is not None, name
        assert fonts.get(qn("w:eastAsia")) == "Microsoft YaHei", name
        assert not [key for key in fonts.attrib if "Theme" in key or "theme" in key], name
    defaults = document.styles.element.find(qn("w:docDefaults"))
    assert defaults.find(f".//{qn('w:rFonts')}").get(qn("w:eastAsia")) == "Microsoft YaHei"
    assert defaults.find(f".//{qn('w:lang')}").get(qn("w:eastAsia")) == "zh-CN"


def test_page_and_properties(report: Report, document: docx.document.Document) -> None:
    section = document.sections[0]
    assert (round(section.page_width.cm, 1), round(section.page_height.cm, 1)) == (21.0, 29.7)
    assert "PAGE" in section.footer._element.xml and "NUMPAGES" in section.footer._element.xml
    properties = document.core_properties
    assert (properties.author, properties.last_modified_by, properties.comments) == ("accucheck", "accucheck", "")
    assert properties.created.isoformat().startswith("2026-03-04T05:06:07")
    widths = [shape.width.cm for shape in document.inline_shapes]
    assert len(widths) == 3 and all(width == pytest.approx(16, abs=0.01) for width in widths)


def test_same_report_same_bytes(report: Report, content: bytes) -> None:
    assert writer.render(report, "case-accuracy")["case-accuracy.docx"] == content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        xml = archive.read("word/document.xml").decode()
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\u202a-\u202e]", xml)


def test_an_empty_session_and_a_hostile_name(checklists: list[Checklist], tmp_path: Path) -> None:
    folder = tmp_path / "a\x01<b>\u202eé"
    folder.mkdir()
    for language in Language:
        report = build(Record(), checklists, Case(root=str(folder)), language)
        content = writer.render(report, "x")["x.docx"]
        assert "\\x01<b>\\u202e" in docx.Document(io.BytesIO(content)).core_properties.title
        assert len(report.gaps) == 2 and not report.verdict.highlights


def test_attached_pictures(checklists: list[Checklist], case: Case, tmp_path: Path) -> None:
    from PIL import Image

    Image.new("RGB", (400, 4000), "red").save(tmp_path / "tall.png")
    Image.new("RGBA", (96, 96), "blue").save(tmp_path / "small.png")
    (tmp_path / "broken.png").write_bytes(b"broken")
    entry = Entry(attachments=["tall.png", "small.png", "broken.png"])
    content = writer.render(build(Record(entries={"dp.03": entry}), checklists, case, Language.EN), "x")["x.docx"]
    shapes = docx.Document(io.BytesIO(content)).inline_shapes
    # 160 x 1600 pixels after scaling down: as high as a page allows; 96 pixels: an inch
    assert [(round(shape.width.cm, 1), round(shape.height.cm, 1)) for shape in shapes] == [(2.0, 20.0), (2.5, 2.5)]


#: The order of children that ECMA-376 part 1 fixes; Word refuses a file that has another.
ORDER = {
    "tblPr": "tblStyle tblpPr tblOverlap bidiVisual tblStyleRowBandSize tblStyleColBandSize tblW jc tblCellSpacing tblInd "
    "tblBorders shd tblLayout tblCellMar tblLook",
    "tcPr": "cnfStyle tcW gridSpan hMerge vMerge tcBorders shd noWrap tcMar textDirection tcFitText vAlign hideMark",
    "pPr": "pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs "
    "suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd snapToGrid "
    "spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl "
    "divId cnfStyle rPr sectPr pPrChange",
    "rPr": "rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish "
    "webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang eastAsianLayout",
}


def test_properties_stand_in_the_fixed_order(document: docx.document.Document) -> None:
    checked = 0
    for root in (document.element, document.styles.element, document.sections[0].footer._element):
        for name, order in ORDER.items():
            for properties in root.iter(qn(f"w:{name}")):
                places = [order.split().index(child.tag.partition("}")[2]) for child in properties]
                assert places == sorted(places), docx.oxml.xmlchemy.serialize_for_reading(properties)
                checked += 1
    assert checked > 500


def test_tables_are_numbered_kept_together_and_repeat_their_heads(
    report: Report, document: docx.document.Document
) -> None:
    captions = [paragraph for paragraph in document.paragraphs if paragraph.style.name == "Caption"]
    of_tables = [paragraph for paragraph in captions if paragraph.text.startswith(("表", "Table"))]
    labels = ["表 1  各类别占比", "表 2  各类别占比"]  # rows, and the pictures of the data
    if report.language is Language.EN:
        labels = ["Table 1  Share per class", "Table 2  Share per class"]
    assert [re.split(r" *[（(]", paragraph.text)[0] for paragraph in of_tables] == labels
    assert all(paragraph.paragraph_format.keep_with_next for paragraph in of_tables)
    for table in document.tables:
        rows = [row._tr for row in table.rows]
        if table.style.name == "Table Grid":
            assert all(row.trPr.find(qn("w:cantSplit")) is not None for row in rows)
            kept = [all(p.pPr.find(qn("w:keepNext")) is not None for p in row.iter(qn("w:p"))) for row in rows]
            told = sum(len(cell.text) for row in table.rows for cell in row.cells)
            whole = len(rows) <= writer.KEPT_ROWS and told <= writer.KEPT_TEXT
            assert kept == [number < (len(rows) - 1 if whole else 2) for number in range(len(rows))]


@pytest.mark.parametrize(
    ("columns", "rows", "parts"),
    [
        (["name", "mean"], [["conv1.weight", "0.25"]], [2]),
        (["file", "size", "here", "standard"], [["part-1.csv", "71410", "0" * 32, "1" * 32]], [4]),
        (
            [f"column {n}" for n in range(10)],
            [["-1.23457e-05"] * 10],
            [7, 4],
        ),  # the second begins with the first column too
        (["a", "b"], [["数据集" * 80, "x" * 200]], [2]),
        (["one"], [["x" * 5000]], [1]),
    ],
)
def test_columns_fit_the_page(columns: list[str], rows: list[list[str]], parts: list[int]) -> None:
    cells = [[writer.Cell(text, bold=n == 0) for text in row] for n, row in enumerate([columns, *rows])]
    laid = writer._laid_out(cells, [text[-1:].isdigit() for text in rows[0]])
    assert [len(chosen) for chosen, _, _ in laid] == parts
    assert sorted({column for chosen, _, _ in laid for column in chosen}) == list(range(len(columns)))
    for chosen, size, widths in laid:
        assert sum(widths) == pytest.approx(min(17, sum(widths))) and all(width > 0.5 for width in widths)
        for column, width in zip(chosen, widths, strict=True):
            words = [word for row in cells for word in row[column].text.split() if len(word) <= 14]
            assert all(len(word) * 0.5 * size / 72 * 2.54 < width for word in words), "short words stay whole"
