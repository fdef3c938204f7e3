"""What would break a report: every format bears it, shows it as it is, in bounded time; or there is a clear error."""

import io
import json
import re
import time
import zipfile
from html.parser import HTMLParser
from xml.etree import ElementTree

import docx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report_sample import ENVIRONMENT, MOMENT, result

from accucheck import report as reports
from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.language import visible
from accucheck.model import (
    Branch,
    Code,
    Curve,
    Evidence,
    Finding,
    Fix,
    Histogram,
    Images,
    Kind,
    Language,
    Level,
    Note,
    Reason,
    Status,
    Table,
    Tree,
    Verdict,
    Where,
)
from accucheck.report import FORMATS, Options, charts
from accucheck.report.bilingual import both
from accucheck.report.build import build
from accucheck.report.parts import ChartPart, Report
from accucheck.session import Entry, Judgement, Record, Review, SignOff

pytestmark = pytest.mark.part(40)

HOME = "/" + "home/someone"  # of nobody here
SPOKEN = ("zh", "en", "both")
#: What a terminal obeys or what reorders text.
DANGEROUS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")

TEXTS = {
    "markdown": "# head\n- item\n1. one\n```\n~~~\n***\n___\n===\n| a | b |\n|---|---|\n[x]: http://evil.com\n<!-- -->\n\\\n    code",
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)></td></table></pre><!DOCTYPE html>&lt;&#0;&nbsp;]]>",
    "xml": "".join(map(chr, range(32))) + "\x7f\x85\ufffe\uffff]]><![CDATA[<?xml version='1.0'?><!ENTITY a 'b'>&a;",
    "terminal": "\x1b[31mred\x1b[0m\x1b]0;title\x07\x9b2J\x1b[2J\x1bc\r\b",
    "emoji": "👩‍👩‍👧‍👦 🇨🇳 ❤️ \U0001f9ea 𝒳 \U000e0001",
    "surrogates": "\ud800 x \udfff y \udcff",
    "bidi": "\u202e\u2066evil\u2069\u200f\u061c \u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "combining": "a" + "\u0301" * 100,
    "template": "{{ 7*7 }} {% for x in y %} {# c #} {name} %s $x^2$ ${HOME}",
    "spreadsheet": "=cmd|' /C calc'!A0",
}


def evidence_of(text: str) -> list[Evidence]:
    return [
        Table(text, ["a", text], [[1, text], [2.5, text]]),
        Code(text, 3, text, [3]),
        Note(text, text),
        Images(text, [text], [text]),
        Tree(text, text, [Branch(0, text, text, True), Branch(1, text)]),
    ]


def charts_of(text: str) -> list[Evidence]:
    return [
        Curve(text, text, text, [1.0, 2.0], {text: [1.0, 2.0], text + "2": [2.0, 1.0]}, {text: 1.5}),
        Histogram(text, [text, "b"], [1.0, 2.0], text, text),
    ]


def record_of(text: str, evidence: list[Evidence]) -> Record:
    """A session that holds a text wherever a person, a probe or a file may have put one."""
    place = Where(text, 3, 1, text, text, 7)
    found = Finding("odd-name", Level.PROBLEM, place, {"name": text}, evidence, Fix("add-shuffle", text))
    gone = Finding(text, Level.SUSPECT, place, {text: text, "more": {text: [text]}}, [], Fix(text))
    failed = {"status": Status.FAILED, "suggestion": Verdict.UNDECIDED, "log": text}
    return Record(
        case=text,
        entries={
            "dp.03": Entry(
                conclusion=Verdict.PROBLEM,
                note=text,
                who=text,
                when=text,
                attachments=[text],
                results={
                    "fake_order": result("fake_order", Kind.LIVE, [found, gone], tool=text),
                    "removed": result(text, Kind.FILE, [gone]),
                },
                review=Review(Judgement.RETURNED, text, text, text, text),
            ),
            "hp.02": Entry(
                results={"fake_curve": result("fake_curve", Kind.FILE, [], reason=Reason(text, {text: text}), **failed)}
            ),
        },
        signed=SignOff(text, text, text, {text: 1}, {text: text}),
    )


def built(record: Record, checklists: list[Checklist], case: Case, spoken: str) -> Report:
    languages = [Language.ZH, Language.EN] if spoken == "both" else [Language(spoken)]
    made = [build(record, checklists, case, language, ENVIRONMENT, frozenset(), MOMENT) for language in languages]
    return both(*made) if len(made) == 2 else made[0]


def written(report: Report, *formats: str) -> dict[str, bytes]:
    return reports.render(report, "x", Options(formats=formats or tuple(FORMATS)))


# --- the readers ------------------------------------------------------------------------------------------------------

PARSER = MarkdownIt("gfm-like", {"linkify": False})


class Page(HTMLParser):
    """The tags and the text of a page, and whether every tag was closed in its turn."""

    VOID = ("meta", "img", "br", "link")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not [name for name, _ in attrs if name.startswith("on")]
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def shown(files: dict[str, bytes], name: str) -> tuple[list[str], str]:
    """Of a format the structure and the text, as its own reader sees them."""
    content = files[f"x.{FORMATS[name].ending}"]
    if name == "docx":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert archive.testzip() is None
        document = docx.Document(io.BytesIO(content))
        nodes = list(document.element.body.iter())
        space = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
        text = "".join(
            " " if node.tag in (f"{space}br", f"{space}p", f"{space}tab") else node.text or "" for node in nodes
        )
        return [node.tag for node in nodes if node.tag in (f"{space}p", f"{space}tbl", f"{space}drawing")], text
    if name == "md":
        tokens = PARSER.parse(content.decode())
        kinds = [token.type for token in tokens]
        children = [child for token in tokens for child in token.children or []]
        assert not [each.type for each in (*tokens, *children) if each.type.startswith(("html", "link"))]
        texts = []
        for token in tokens:
            if token.type == "inline":
                breaks = ("softbreak", "hardbreak")
                texts.append("".join(" " if each.type in breaks else each.content for each in token.children or []))
            else:
                texts.append(token.content)
        return kinds, "\n".join(texts)
    if name == "html":
        page = Page(content.decode())
        assert "script" not in page.tags
        return [tag for tag in page.tags if tag != "span"], "".join(page.text)  # two languages stand in spans
    if name == "junit":
        root = ElementTree.fromstring(content)
        texts = [text for node in root.iter() for text in (*node.attrib.values(), node.text or "")]
        return [node.tag for node in root.iter()], "\n".join(texts)
    plain = json.loads(content)
    found: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, dict):
            for key, below in value.items():
                walk(key)
                walk(below)
        elif isinstance(value, list):
            for below in value:
                walk(below)
        elif isinstance(value, str):
            found.append(value)

    walk(plain)
    return [], "\n".join(found)


def close(text: str) -> str:
    return " ".join(text.split())


def safe(files: dict[str, bytes]) -> None:
    """Nothing that a terminal would obey is in a file that is read as text, and no name leads out of the folder."""
    for name, content in files.items():
        assert not name.startswith("/") and ".." not in name.split("/")
        if name.endswith((".md", ".html", ".json", ".sarif", ".xml", ".csv")):
            text = content.decode("utf-8-sig")
            assert not DANGEROUS.search(text.replace("\r\n", "\n") if name.endswith(".csv") else text), name


def said(text: str) -> list[str]:
    """How a text of several lines is to be seen, where its lines are kept."""
    plain = text.replace("\u3000", " ").replace("\xa0", " ").replace("\r\n", "\n").strip()
    return [close(visible(line.expandtabs(4))) for line in plain.split("\n") if line.strip()]


def harmless(text: str) -> str:
    """A text of as many lines, as long, in which there is nothing."""
    return "\n".join("x" * len(visible(line.strip())) for line in text.split("\n"))


# --- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spoken", SPOKEN)
@pytest.mark.parametrize("kind", TEXTS)
def test_texts_are_shown_as_they_are(kind: str, spoken: str, checklists: list[Checklist], case: Case) -> None:
    text = TEXTS[kind]
    files = written(built(record_of(text, evidence_of(text)), checklists, case, spoken))
    safe(files)
    plain = harmless(text)
    expected = written(built(record_of(plain, evidence_of(plain)), checklists, case, spoken))
    for name in ("md", "html", "docx"):
        structure, seen = shown(files, name)
        assert structure == shown(expected, name)[0], name
        for line in said(text):
            assert line in close(seen), (name, line)
        one_line = close(visible(text.strip()))[:150]
        assert close(seen).count(one_line) >= 5, name
    assert close(visible(text.strip())) in close(visible(shown(files, "sarif")[1]))
    for line in said(text):
        assert line in close(shown(files, "junit")[1])
    assert json.loads(files["x.json"])["items"][0]["note"].encode("utf-8", "backslashreplace") == text.encode(
        "utf-8", "backslashreplace"
    )


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(), min_size=1, max_size=15), spoken=st.sampled_from(SPOKEN))
def test_any_text_is_borne(text: str, spoken: str, checklists: list[Checklist], case: Case) -> None:
    """Whatever characters: each format is sound, and has the structure that it has with letters only."""
    files = written(built(record_of(text, evidence_of(text)), checklists, case, spoken))
    safe(files)
    for name in FORMATS:
        shown(files, name)
    if text.strip() == text and "\n" not in text:
        plain = "x" * len(visible(text))
        expected = written(built(record_of(plain, evidence_of(plain)), checklists, case, spoken), "md", "html")
        for name in ("md", "html"):
            assert shown(files, name)[0] == shown(expected, name)[0], name


#: Where axes, ticks and scales lose their way.
NUMBERS = st.one_of(
    st.none(),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0.0, 1e308, -1e308, 5e-324, 1e-300, 9.9e99, -9.9e99, 1e100, 1.0, 1.0 + 2**-52]),
    st.integers(-(10**40), 10**40),
)


@settings(max_examples=15, deadline=None)
@given(
    x=st.lists(NUMBERS.filter(lambda value: value is not None), max_size=6),
    y=st.lists(NUMBERS, max_size=6),
    mark=NUMBERS.filter(lambda value: value is not None),
)
def test_any_numbers_are_drawn(x: list[float], y: list[float | None], mark: float) -> None:
    curve = Curve("t", "x", "y", x, {"a": y, "b": list(reversed(y))}, {"m": mark, "n": 1.0})
    bars = Histogram("t", [str(number) for number in range(len(x))], x, "x", "y")
    for chart in (curve, bars):
        part = ChartPart("t", chart, chart)
        ElementTree.fromstring(charts.draw(part, "svg"))
        assert charts.draw(part).startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", ["xml", "html", "surrogates", "bidi", "emoji"])
def test_labels_of_charts(kind: str, checklists: list[Checklist], case: Case) -> None:
    text = TEXTS[kind]
    files = written(built(record_of(text, charts_of(text)), checklists, case, "both"), "md", "html", "docx")
    safe(files)
    assert shown(files, "html")[0].count("svg") == 2
    assert sum(name.endswith(".png") for name in files) == 2


def test_a_chart_without_measure(checklists: list[Checklist], case: Case) -> None:
    """Curves, points and marks are counted, not drawn without end; two of one name stay two."""
    crowd = Curve(
        "t", "x", "y", [1.0, 2.0], {f"s{n}": [1.0, 2.0] for n in range(3000)}, {f"m{n}": n for n in range(9999)}
    )
    long = Curve("t", "x", "y", [float(n) for n in range(200_000)], {"a": [1.0, None] * 100_000})
    alike = Curve("t", "x", "y", [1.0, 2.0], {"train": [1.0, 2.0], "训练集": [2.0, 3.0], "training": [3.0, 4.0]}, {})
    began = time.process_time()
    report = built(record_of("x", [crowd, long, alike]), checklists, case, "both")
    files = written(report, "md", "html", "docx")
    assert time.process_time() - began < 30
    assert sum(map(len, files.values())) < 8 << 20
    text = files["x.md"].decode()
    assert "first 20 of 3,000 curves; first 100 of 9,999 marks" in text and "first 20,000 of 200,000 points" in text
    parts = [part for part in report.items[0].results[0].findings[0].evidence if isinstance(part, ChartPart)]
    assert [len(part.chart.series) for part in parts] == [20, 1, 3]


def test_numbers_that_no_file_has(checklists: list[Checklist], case: Case) -> None:
    """Lines and columns beyond all files, also before the first one, stay within what readers of SARIF take."""
    for number in (-7, 0, 10**30):
        where, code = Where("a.py", number, number), Code("a.py", number, "x = 1\ny = 2", [number])
        found = Finding("odd-name", Level.PROBLEM, where, {"name": number}, [code, Table("t", ["a"], [[number]])])
        entry = Entry(results={"fake_order": result("fake_order", Kind.FILE, [found], seconds=1e300)})
        files = written(built(Record(entries={"dp.03": entry}), checklists, case, "en"))
        region = json.loads(files["x.sarif"])["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
        assert 1 <= region["startLine"] < 2**31 and 1 <= region.get("startColumn", 1) < 2**31


def test_a_tree_without_end(checklists: list[Checklist], case: Case) -> None:
    tree = Tree("t", "v", [Branch(10**9, "far"), Branch(-5, "near")])
    assert len(written(built(record_of("x", [tree]), checklists, case, "en"), "md")["x.md"]) < 100_000


def test_texts_of_megabytes(checklists: list[Checklist], case: Case) -> None:
    """What is not shown is not looked through either: the time does not grow with it."""
    text = f"字 in {HOME}/x a=b " * 200_000
    found = [Finding("odd-name", Level.PROBLEM, Where(), {"name": "x"}, [Note("n", text), Code("a.py", 1, text, [1])])]
    failed = {"status": Status.FAILED, "suggestion": Verdict.UNDECIDED, "log": text}
    results = {"fake_order": result("fake_order", Kind.FILE, found), "p": result("p", Kind.FILE, [], **failed)}
    report = built(Record(entries={"dp.03": Entry(results=results)}), checklists, case, "en")
    files = written(report)
    assert sum(map(len, files.values())) < 1 << 20
    assert HOME.encode() not in b"".join(files.values())
