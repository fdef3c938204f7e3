"""The Markdown report, as a Markdown parser sees it."""

import struct
from html import escape
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from report_sample import DIFF, HOSTILE

from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.language import visible
from accucheck.model import Language
from accucheck.report import Options, markdown
from accucheck.report.parts import Report

PARSER = MarkdownIt("gfm-like", {"linkify": False})


def parse(text: str) -> list:
    return PARSER.parse(text)


def texts(tokens: list) -> list[str]:
    """The shown text of every inline token."""
    shown = []
    for token in tokens:
        if token.type == "inline":
            shown.append(
                "".join(
                    child.content for child in token.children if child.type in ("text", "code_inline", "text_special")
                )
            )
    return shown


@pytest.fixture
def files(report: Report) -> dict[str, bytes]:
    return markdown.render(report, "case-accuracy")


@pytest.mark.parametrize(
    "text",
    [HOSTILE, "# head", "- item", "1. one", "12) two", "+ x", "---", "===", "> quote", "a_b_c _d_", "`" * 9, "\\", "|", "![a](b)",
     "<!-- x -->",     "~~~", "    code", "&amp;", "[a]: http://b", "http://x_y_z", "*" * 5, "$$x$$", "a\nb"],
)  # fmt: skip
def test_escaped_text_is_shown_as_it_is(text: str) -> None:
    plain = visible(text).strip()
    tokens = parse(markdown.escape(plain))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert texts(tokens) == [plain.replace("\n", " ")]
    rows = parse("| a | b |\n| --- | --- |\n" + markdown.row([plain, "second"]))
    assert texts(rows)[2:] == [plain, "second"]
    assert texts(parse("see " + markdown.code(plain))) == ["see " + plain]
    fenced = parse(markdown.fence([plain, "next"]))
    assert [token.type for token in fenced] == ["fence"] and fenced[0].content == f"{plain}\nnext\n"


def test_structure(report: Report, files: dict[str, bytes]) -> None:
    text = files["case-accuracy.md"].decode()
    tokens = parse(text)
    assert not [token for token in tokens if token.type in ("html_block", "html_inline")]
    assert not [
        child
        for token in tokens
        for child in token.children or []
        if child.type in ("html_inline", "link_open", "s_open")
    ]
    headings = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open"]
    zh = report.language is Language.ZH
    assert headings[0] == ("精度检查报告：resnet50-cifar10" if zh else "Accuracy check report: resnet50-cifar10")
    assert any(heading.startswith("dp.03 ") for heading in headings)
    assert not any("no heading" in heading or "second" in heading for heading in headings)
    # front, verdict, summary, environment, what is always asked, versions, share, the map, gaps; rows of pictures are samples of data
    assert sum(token.type == "table_open" for token in tokens) == 9
    for start in (i for i, token in enumerate(tokens) if token.type == "table_open"):
        end = next(i for i in range(start, len(tokens)) if tokens[i].type == "table_close")
        widths, width = [], 0
        for token in tokens[start:end]:
            width = 0 if token.type == "tr_open" else width + (token.type in ("th_open", "td_open"))
            if token.type == "tr_close":
                widths.append(width)
        assert len(set(widths)) == 1, "every row has as many cells as the head"
    shown = texts(tokens)
    assert visible(HOSTILE) in shown, "a hostile cell is shown as it is"
    diff = next(token for token in tokens if token.type == "fence" and token.info == "diff")
    assert diff.content == DIFF
    said = (
        ["对精度的影响", "把握程度", "验证方法"] if zh else ["Why it hurts accuracy", "How sure", "What would prove it"]
    )
    assert all(f"**{label}**{report.colon}" in text for label in said)
    code = next(token for token in tokens if token.type == "fence" and "Cifar10Dataset(path)" in token.content)
    assert code.content.splitlines()[1] == "> 41 |     ds = Cifar10Dataset(path)"
    assert len(code.content.splitlines()) == 5, "empty lines of code stay"
    assert "\n\n\n" not in text and all(character.isprintable() or character == "\n" for character in text)


def test_evidence_folds_away_on_github(report: Report, files: dict[str, bytes]) -> None:
    folded = markdown.render(report, "case-accuracy", Options(flavour="gfm"))["case-accuracy.md"].decode()
    tokens = parse(folded)
    blocks = [token.content.strip() for token in tokens if token.type == "html_block"]
    evidence = [
        part for item in report.items for result in item.results for found in result.findings for part in found.evidence
    ]
    titles = [f"<details><summary>{escape(part.title)}</summary>" for part in evidence]
    assert len(evidence) == 7 and blocks == [line for title in titles for line in (title, "</details>")]
    plain = [line for line in files["case-accuracy.md"].decode().split("\n") if line]
    assert [line for line in folded.split("\n") if line and line not in blocks] == plain, "the same is said in both"


def test_pictures_lie_beside_it(files: dict[str, bytes]) -> None:
    pictures = {name: content for name, content in files.items() if name.endswith(".png")}
    assert list(pictures) == [f"case-accuracy_files/chart-00{number}.png" for number in (1, 2, 3)]
    text = files["case-accuracy.md"].decode()
    for name, content in pictures.items():
        assert content.startswith(b"\x89PNG") and f"({name})" in text
        assert struct.unpack(">II", content[16:24])[0] == 819  # 6.3 inches at 130 dpi


def test_attachments_go_with_it(checklists: list[Checklist], case: Case, tmp_path: Path) -> None:
    from PIL import Image

    from accucheck.report.build import build
    from accucheck.session import Entry, Record

    exif = Image.Exif()
    exif[0x013B] = "Author Name"
    Image.new("RGB", (3000, 30), "red").save(tmp_path / "my shot.jpg", exif=exif)
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    (tmp_path / "train.log").write_text("epoch 1")
    entry = Entry(attachments=["my shot.jpg", "broken.png", "train.log"])
    files = markdown.render(build(Record(entries={"dp.03": entry}), checklists, case, Language.EN), "x")
    assert list(files) == ["x_files/attachment-001.png", "x_files/attachment-002.log", "x.md"]
    assert b"Author Name" not in files["x_files/attachment-001.png"]
    assert struct.unpack(">II", files["x_files/attachment-001.png"][16:24]) == (1600, 16)
    assert files["x_files/attachment-002.log"] == b"epoch 1"
