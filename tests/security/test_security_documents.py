"""A session whose every text is an attack, through every format of a report, each looked at as its readers do."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from PIL import Image

from accucheck.model import Verdict
from accucheck.session import open_session
from command_line import accucheck, write_checklist

pytestmark = pytest.mark.part(40)

EVIL = (
    "x\"'><script>alert(1)</script><img src=x onerror=alert(1)><svg/onload=alert(1)><style>*{background:url(http://evil.example)}</style>"
    "<iframe src=http://evil.example></iframe><a href='data:text/html,<script>alert(1)</script>'>d</a> [a](javascript:alert(1)) "
    "![p](http://evil.example/p.png) <javascript:alert(1)> `</code>` ]]><!ENTITY e SYSTEM 'file:///etc/passwd'>&e; {{7*7}} {%raw%} "
    "\x1b]0;title\x07\x1b[2J\x9b31m\u202egnp.exe\u2066\u200b\u115f\u3164\ufe01\x00\r\nlast"
)
#: What opens a formula in a spreadsheet, alone and behind what a program may strip.
FORMULAS = [
    "=cmd|'/c calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    " =1+1",
    "＝1+1",
    '=HYPERLINK("http://evil.example")',
]
#: What a terminal obeys, or what reorders or hides text.
OBEYED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u115f\u3164\ufe01]"
)
FORMATS = ("md", "html", "docx", "json", "sarif", "junit")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the reports on a project that came with such a session and case file."""
    root = tmp_path_factory.mktemp("cloned")
    picture = root.parent / "private.png"
    Image.new("RGB", (40, 40), (12, 34, 56)).save(picture)
    (root / "train.py").write_text(f"x = 1  # {EVIL.replace(chr(0), '')}\n")
    rows = [[text, EVIL, 1.5] for text in FORMULAS * 60]
    evidence = [
        {"type": "table", "title": EVIL, "columns": [*FORMULAS[:2], EVIL], "rows": rows, "total": len(rows)},
        {"type": "code", "path": EVIL, "line": 1, "text": EVIL, "marked": [1], "language": EVIL},
        {"type": "histogram", "title": EVIL, "labels": [EVIL, "=1"], "counts": [1, 2], "x_label": EVIL},
        {
            "type": "curve",
            "title": EVIL,
            "x_label": EVIL,
            "y_label": EVIL,
            "x": [1, 2],
            "series": {EVIL: [1, 2]},
            "marks": {EVIL: 1},
        },
        {
            **{"type": "heatmap", "title": EVIL, "x_label": EVIL, "y_label": EVIL, "value_label": EVIL},
            **{
                "rows": [EVIL, "=1"],
                "columns": [EVIL, "2"],
                "values": [[1, None], [2, 3, 4]],
                "marked": [[0, 1], [9, 9]],
            },
        },
        {"type": "images", "title": EVIL, "paths": [str(picture), "../private.png"], "captions": [EVIL, EVIL]},
    ]
    where = {"path": EVIL, "line": 1, "name": EVIL, "field": EVIL}
    finding = {
        "code": EVIL,
        "level": "problem",
        "where": where,
        "data": {EVIL: EVIL, "first": EVIL},
        "evidence": evidence,
    }
    finding["fix"] = {"message": EVIL, "diff": f"--- a/train.py\n+++ b/train.py\n@@ -1,1 +1,1 @@\n-x = 1\n+{EVIL!r}\n"}
    known = {**finding, "code": "shuffle-off", "where": {**where, "path": "train.py"}}
    result = {"kind": "static", "suggestion": "problem", "log": EVIL, "started": EVIL}
    results = {
        "shuffle_settings": {**result, "probe": "shuffle_settings", "status": "done", "findings": [finding, known]},
        EVIL: {**result, "probe": EVIL, "status": "failed", "reason": {"code": EVIL, "data": {EVIL: EVIL}}},
    }
    said = dict.fromkeys(("when", "who", "what", "note", "probe"), EVIL)
    entry = {
        "conclusion": "problem",
        **dict.fromkeys(("note", "who", "when"), EVIL),
        "results": results,
        "history": [said],
    }
    entry |= {
        "attachments": [EVIL, str(picture)],
        "review": {"judgement": "returned", **dict.fromkeys(("comment", "who", "when", "of"), EVIL)},
    }
    session = {
        "version": 2,
        "case": EVIL,
        "tool": EVIL,
        "checklists": {"accuracy": 1, EVIL: 1},
        "entries": {"dp.03": entry},
    }
    (root / ".accucheck").mkdir()
    (root / ".accucheck" / "session.json").write_text(json.dumps(session))
    case = {
        "name": EVIL.replace("\0", ""),
        "scripts": {"train": "train.py"},
        "runtime": {"command": EVIL.replace("\0", "")},
    }
    (root / "accucheck.yaml").write_text(json.dumps(case))
    out = root / "out"
    formats = [word for name in FORMATS for word in ("--format", name)]
    ran = accucheck(
        "report", str(root), "--output", str(out), "--full", "--samples", "--no-redact", *formats, timeout=300
    )
    assert ran.code == 0, ran
    assert not OBEYED.search(ran.out + ran.err)
    return out


def one(folder: Path, ending: str) -> bytes:
    (path,) = folder.glob(f"*.{ending}")
    return path.read_bytes()


class Page(HTMLParser):
    """What a browser would run or fetch of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.bad: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in ("script", "iframe", "object", "embed", "base", "form", "link", "foreignobject"):
            self.bad.append(tag)
        for name, value in attrs:
            text = re.sub(r"[\x00-\x20]", "", value or "").lower()
            if name.startswith("on") or (name in ("src", "srcset", "poster") and not text.startswith("data:image/")):
                self.bad.append(f"{tag} {name}={text[:80]}")
            beside = re.fullmatch(r"[\w-][\w.-]*(/[\w-][\w.-]*)*", text)  # a file of the report itself
            if name in ("href", "xlink:href", "action", "formaction") and not (
                beside or text.startswith(("#", "https://"))
            ):
                self.bad.append(f"{tag} {name}={text[:80]}")
            if "//evil.example" in text and name in ("href", "src", "style"):
                self.bad.append(f"{tag} {name}={text[:80]}")


def test_html_runs_and_fetches_nothing(written: Path) -> None:
    text = one(written, "html").decode()
    page = Page(text)
    assert page.bad == [] and "table" in page.tags
    assert "url(" not in "".join(re.findall(r"<style.*?</style>", text, re.S)).replace("url(#", "")
    assert not OBEYED.search(text) and "&lt;script&gt;alert(1)" in text and "{{7*7}}" in text


def test_markdown_is_text_where_it_is_shown(written: Path) -> None:
    """As CommonMark with tables and raw HTML, which is the most that a viewer takes."""
    from markdown_it import MarkdownIt

    source = one(written, "md").decode()
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(source)
    local = re.compile(r'<img src="[\w.-]+_files/chart-\d+\.(?:png|svg)"')  # the report's own
    page = Page(local.sub("<b ", shown))
    assert page.bad == [] and "table" in page.tags
    assert not OBEYED.search(source)


def test_word_holds_no_field_macro_or_foreign_relation(written: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(one(written, "docx"))) as archive:
        names = archive.namelist()
        assert not [
            name
            for name in names
            if name.startswith("/") or ".." in name or "vba" in name.lower() or name.endswith(".bin")
        ]
        for name in names:
            content = archive.read(name)
            if name.endswith((".xml", ".rels")):
                assert b"<!DOCTYPE" not in content and b"<!ENTITY" not in content
                tree = ET.fromstring(content)
                assert not OBEYED.search("".join(tree.itertext()))
                for element in tree.iter():
                    if element.tag.endswith("instrText"):
                        assert re.fullmatch(
                            r"\s*(PAGE|NUMPAGES|TOC|SEQ|REF|PAGEREF|STYLEREF)\b[^\n]*", element.text or ""
                        ), element.text
                    if element.get("TargetMode") == "External":
                        assert (element.get("Target") or "").startswith("https://") and "evil" not in (
                            element.get("Target") or ""
                        )


def test_junit_is_xml_without_entities(written: Path) -> None:
    content = one(written, "xml")
    assert b"<!DOCTYPE" not in content and b"<!ENTITY" not in content
    tree = ET.fromstring(content)
    assert tree.iter("testcase") and not OBEYED.search(
        "".join(text for each in tree.iter() for text in (*each.itertext(), *each.attrib.values()))
    )


@pytest.mark.parametrize("ending", ["sarif", "json"])
def test_json_holds_nothing_that_a_terminal_obeys(written: Path, ending: str) -> None:
    paths = list(written.glob(f"*.{ending}"))
    content = b"".join(path.read_bytes() for path in paths)
    assert paths and not OBEYED.search(content.decode())
    for path in paths:
        data = json.loads(path.read_bytes())
        for result in data["runs"][0]["results"] if ending == "sarif" else []:
            for place in result.get("locations", []):
                uri = place.get("physicalLocation", {}).get("artifactLocation", {}).get("uri", "")
                assert ":" not in uri and not uri.startswith("/") and ".." not in uri.split("/"), uri


def test_spreadsheets_calculate_nothing(written: Path) -> None:
    files = list(written.rglob("*.csv"))
    assert files, "the long table lies whole beside the report"
    for file in files:
        content = file.read_bytes()
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
        assert len(rows) > 500
        for cell in (cell for row in rows for cell in row):
            number = re.fullmatch(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", cell)
            assert number or not cell.startswith(tuple("=+-@\t\r\n＝＋－＠")), cell
            assert not cell.lstrip().startswith("=") or cell.startswith("'"), cell


def test_no_picture_is_taken_from_outside_the_project(written: Path) -> None:
    import base64

    found = [path.read_bytes() for path in written.rglob("*.png")]
    found += [
        base64.b64decode(data) for data in re.findall(rb"data:image/png;base64,([A-Za-z0-9+/=]+)", one(written, "html"))
    ]
    with zipfile.ZipFile(io.BytesIO(one(written, "docx"))) as archive:
        found += [archive.read(name) for name in archive.namelist() if name.endswith(".png")]
    for content in found:
        colours = Image.open(io.BytesIO(content)).convert("RGB").getcolors(1 << 24) or []
        assert (12, 34, 56) not in [colour for _, colour in colours]


def test_what_commands_print_moves_no_terminal(written: Path) -> None:
    root = written.parent
    for call in (
        ["status", str(root)],
        ["status", str(root), "--json"],
        ["fix", str(root)],
        ["path", str(root)],
        ["plan", str(root)],
    ):
        ran = accucheck(*call, timeout=120)
        assert not OBEYED.search(ran.out + ran.err), (call, ran)
    for form in ("text", "json", "sarif", "junit"):
        ran = accucheck("run", str(root), "--only", "dp.03", "--no-session", "--format", form, timeout=120)
        assert not OBEYED.search(ran.out + ran.err), (form, ran)


def test_links_of_a_checklist_lead_to_the_web_alone(tmp_path: Path) -> None:
    """A checklist of a stranger gives titles and addresses that become links."""
    checklist = write_checklist(tmp_path / "mine.yaml", "shuffle_settings")
    data = yaml.safe_load(checklist.read_text())
    (item,) = data["sections"][0]["items"]
    evil = EVIL.replace("\0", "")
    addresses = [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//x.example/y",
        "JaVaScRiPt:alert(1)",
        "vbscript:x",
    ]
    addresses += [
        "https://x.example/' onmouseover='alert(1)",
        'https://x.example/" onmouseover="alert(1)',
        "https://x.example/)[a](javascript:1)",
    ]
    item["references"] = [{"title": {"zh": evil, "en": evil}, "url": url} for url in addresses]
    for key in ("title", "method", "remedy", "applies"):
        item[key] = {"zh": evil, "en": evil}
    checklist.write_text(json.dumps(data))
    with open_session(tmp_path) as session:
        session.answer("a.1", Verdict.PROBLEM, "so that all is shown")
    formats = [word for name in ("md", "html", "docx") for word in ("--format", name)]
    ran = accucheck(
        "report", str(tmp_path), "--checklist", str(checklist), "--output", str(tmp_path / "out"), *formats, timeout=120
    )
    assert ran.code == 0, ran
    for call in (["list"], ["explain", "a.1"], ["status", str(tmp_path)]):
        ran = accucheck(*call, "--checklist", str(checklist))
        assert ran.code in (0, 1) and not OBEYED.search(ran.out + ran.err), ran
    from markdown_it import MarkdownIt

    source = one(tmp_path / "out", "md").decode()
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(source)
    for text in (one(tmp_path / "out", "html").decode(), shown):
        page = Page(text)
        assert [bad for bad in page.bad if "x.example/" not in bad] == [] and not OBEYED.search(text)
    with zipfile.ZipFile(io.BytesIO(one(tmp_path / "out", "docx"))) as archive:
        for name in archive.namelist():
            if name.endswith(".rels"):
                for relation in ET.fromstring(archive.read(name)):
                    assert relation.get("TargetMode") != "External" or (relation.get("Target") or "").startswith(
                        "https://x.example/"
                    )
