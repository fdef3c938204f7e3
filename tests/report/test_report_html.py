"""The HTML report, as an HTML parser sees it; test_report_browser.py has a browser look at it."""

import base64
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from PIL import Image
from report_sample import DIFF, ENVIRONMENT, EPOCHS, HOSTILE, MOMENT, result

from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.language import visible
from accucheck.model import Curve, Finding, Histogram, Kind, Language, Level, Table, Where
from accucheck.report import DEFAULT, Options, charts, html, render
from accucheck.report.bilingual import both, one
from accucheck.report.build import build
from accucheck.report.parts import (
    ChangeRow,
    ChartPart,
    ChecklistPart,
    GradePart,
    ItemPart,
    Report,
    ReviewPart,
    SignOffPart,
    SincePart,
    StepToReproduce,
)
from accucheck.session import Entry, Record

pytestmark = pytest.mark.part(40)

VOID = {"meta", "img", "br", "link", "input", "hr"}
OF_CHARTS = {"svg", "g", "path", "defs", "clippath", "image", "rect", "use", "text", "tspan"}
ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "nav", "main", "header", "section", "div", "span", "p", "b", "small"),
    *("h1", "h2", "h3", "h4", "h5", "ul", "ol", "li", "dl", "dt", "dd", "a", "code", "pre", "blockquote", "details"),
    *("summary", "figure", "figcaption", "img", "table", "thead", "tbody", "tr", "th", "td", "br", *OF_CHARTS),
}  # fmt: skip


class Page(HTMLParser):
    """What stands in a page. Raises where elements are not closed as they were opened."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[str] = []
        self.pieces: list[str] = []
        self.feed(content.decode())
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.pieces.append(data)

    def all(self, name: str) -> list[str]:
        return [value for _, known, value in self.attributes if known == name]

    @property
    def text(self) -> str:
        return flat("".join(self.pieces))


def flat(text: str) -> str:
    return " ".join(text.split())


def page(report: Report) -> Page:
    files = html.render(report, "r", DEFAULT, charts.draw)
    assert list(files) == ["r.html"]
    return Page(files["r.html"])


#: Fields of a report that hold no text to show.
NO_TEXT = {
    "languages",
    "result",
    "path",
    "kind",
    "conclusion",
    "state",
    "status",
    "suggestion",
    "level",
    "not_run",
}

#: Of the same names as others that do: of programs, and of files.
ELSEWHERE = {
    (ChecklistPart, "name"),
    (ItemPart, "review_brief"),  # where anything was reviewed
    (GradePart, "grade"),
    (StepToReproduce, "language"),
    (Report, "within"),
    (Report, "anchor"),
}


def said(report: Report) -> list[str]:
    """Every text that a report shows outside of charts."""

    def within(value: object) -> list[str]:
        if isinstance(value, str):
            return [value]
        if isinstance(value, ChartPart):
            return [value.title, value.bound]
        if isinstance(value, msgspec.Struct):
            names = [name for name in value.__struct_fields__ if name not in NO_TEXT]
            names = [name for name in names if (type(value), name) not in ELSEWHERE]
            return [text for name in names for text in within(getattr(value, name))]
        return [text for each in value for text in within(each)] if isinstance(value, (list, tuple)) else []

    return [text for text in within(report) if text.strip()]


@pytest.fixture
def bilingual(record: Record, checklists: list[Checklist], case: Case) -> Report:
    zh, en = (build(record, checklists, case, language, ENVIRONMENT, (), MOMENT) for language in Language)
    return both(zh, en)


def test_every_text_of_the_report_is_in_the_page(report: Report) -> None:
    text = page(report).text
    missing = [each for each in said(report) if flat(each.replace("`", "")) not in text.replace("`", "")]
    assert not missing


def test_both_languages_are_in_the_page(bilingual: Report) -> None:
    shown = page(bilingual)
    for text in said(bilingual):
        for language in Language:
            assert flat(one(text, language).replace("`", "")) in shown.text.replace("`", "")
    assert {"zh-CN", "en"} == set(shown.all("lang"))
    assert not any("\n" in value for name in ("title", "aria-label", "alt") for value in shown.all(name))


def test_the_page_is_whole_and_alone(report: Report) -> None:
    shown = page(report)
    assert set(shown.tags) <= ALLOWED
    assert shown.all("lang")[0] == ("zh-CN" if report.language is Language.ZH else "en")
    names = shown.all("id")
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) for name in names)
    own = [address for address in shown.all("href") if address.startswith("#")]
    assert own and {address[1:] for address in own} <= set(names)
    others = [
        (tag, address) for tag, name, address in shown.attributes if name in ("href", "src") and address[0] != "#"
    ]
    beginnings = {"a": "https://www.mindspore.cn/", "image": "data:image/png;base64,"}
    assert {tag for tag, _ in others} <= set(beginnings)
    assert all(address.startswith(beginnings[tag]) for tag, address in others)
    assert not [name for _, name, _ in shown.attributes if name.startswith("on")]
    policy = next(value for value in shown.all("content") if "default-src" in value)
    assert policy.startswith("default-src 'none'") and "script" not in policy


def test_problems_are_unfolded(report: Report) -> None:
    text = html.render(report, "r", DEFAULT, charts.draw)["r.html"].decode()
    items = re.findall(r'<details class="item (\w+)"( open)?>', text)
    assert [(item.state.value, item.state.value == "problem") for item in report.items] == [
        (state, bool(unfolded)) for state, unfolded in items
    ]


def test_code_and_diffs(report: Report) -> None:
    text = html.render(report, "r", DEFAULT, charts.draw)["r.html"].decode()
    assert re.findall(r'<span class="line marked"><span class="at">▸(\d+)</span>(.*)\n', text) == [
        ("41", "    ds = Cifar10Dataset(path)")
    ]
    lines = re.findall(r'<span class="line (\w+)">(.*)\n</span>', text.partition('<pre class="diff"')[2])
    assert [line for _, line in lines] == DIFF.strip().split("\n")
    assert [kind for kind, _ in lines] == ["file", "file", "place", "removed", "added"]


def test_both_voices_and_what_changed(report: Report) -> None:
    review = ReviewPart("returned", "退回", "li，2026-03-05 01:02", ["为什么 <b>?", "second line"])
    checklist = report.checklists[0]
    section = checklist.sections[0]
    item = msgspec.structs.replace(section.items[0], review=review, review_brief="退回 li")
    sections = [msgspec.structs.replace(section, items=[item, *section.items[1:]]), *checklist.sections[1:]]
    since = SincePart(
        "a.json → session", ["Findings: gone 1"], [ChangeRow("dp.03", "gone", "gone", "Same <order>", "x.py:3")], 7
    )
    reviewed = msgspec.structs.replace(
        report,
        checklists=[msgspec.structs.replace(checklist, sections=sections)],
        sign_off=SignOffPart("void", ["Signed off by li", "void: dp.03"], ["All <i>well</i>"]),
        since=since,
    )
    text = page(reviewed).text
    shown = [review.text, review.by, *review.comment, "退回 li", "Signed off by li", "void: dp.03", "All <i>well</i>"]
    shown += [since.sides, *since.lines, "Same <order>", "x.py:3", reviewed.say("more-rows", count=7)]
    assert not [each for each in shown if each not in text]
    assert "sign-off" not in page(report).all("id") and "sign-off" in page(reviewed).all("id")


def test_anchors_are_made_of_safe_text_and_stand_once(report: Report) -> None:
    section = report.checklists[0].sections[0]
    odd = [msgspec.structs.replace(section.items[0], id=name) for name in ('"><b id=x>', "a b", "a\tb", "标签", "a b")]
    sections = [msgspec.structs.replace(section, items=odd)]
    strange = msgspec.structs.replace(
        report, checklists=[msgspec.structs.replace(report.checklists[0], sections=sections)]
    )
    shown = page(strange)
    assert len(shown.all("id")) == len(set(shown.all("id")))
    assert [name for name in shown.all("id") if name.startswith("item-")] == [
        "item-b-id-x", "item-a-b", "item-a-b-2", "item-x", "item-a-b-4"
    ]  # fmt: skip


NOTES = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(1)></details></main><!-- ]]> --> &lt;b&gt; <style>*{display:none}",
    "markdown": "# no\n| a | b |\n```\n[x](javascript:alert(1)) ![y](z)",
    "characters": "\x00\x1b[31m\u202egnp\ufffe\ud800 👩‍👩‍👧 🏳️‍🌈 \u2028 \x85 {{ 7*7 }} {% raw %}",
    "long": "很长 " * 25_000 + "x" * 20_000,
}


@pytest.mark.parametrize("name", NOTES)
def test_notes_show_just_their_text(name: str, record: Record, checklists: list[Checklist], case: Case) -> None:
    entries = record.entries | {"dp.03": msgspec.structs.replace(record.entries["dp.03"], note=NOTES[name])}
    report = build(msgspec.structs.replace(record, entries=entries), checklists, case, Language.ZH, None, (), MOMENT)
    shown = page(report)
    assert set(shown.tags) <= ALLOWED
    note = next(item for item in report.items if item.id == "dp.03").note
    assert all(flat(line) in shown.text for line in note)


def test_attachments_are_within_the_page(record: Record, checklists: list[Checklist], case: Case) -> None:
    name = 'a "quoted"\nname <b>.png'
    Image.new("RGB", (40, 30), "red").save(Path(case.root) / name, "PNG")
    (Path(case.root) / "broken.png").write_bytes(b"\x89PNG no picture")
    (Path(case.root) / "run.log").write_text("by zhang.wei@huaxin-lab.com: <b>loss</b>\n")
    (Path(case.root) / "large.log").write_text("loss 1.5\n" * 40_000)
    given = [name, "broken.png", "run.log", "large.log", "gone.log"]
    changed = msgspec.structs.replace(record.entries["dp.03"], attachments=given)
    entries = record.entries | {"dp.03": changed}
    report = build(msgspec.structs.replace(record, entries=entries), checklists, case, Language.EN, None, (), MOMENT)
    shown = page(report)
    assert shown.tags["img"] == 1
    assert shown.all("src")[0].startswith("data:image/png;base64,")
    assert shown.all("alt") == ['a "quoted"⏎name <b>.png']
    assert all(each in shown.text for each in given[1:])
    assert report.say("attachment-unreadable", name="broken.png") in shown.text
    assert report.say("attachment-large", name="large.log") in shown.text
    assert shown.all("download") == ["attachment-001.log"]
    address = next(value for value in shown.all("href") if value.startswith("data:"))
    carried = base64.b64decode(address.removeprefix("data:application/octet-stream;base64,")).decode()
    assert "<b>loss</b>" in carried and "zhang" not in carried


def drawn(chart: Curve | Histogram, prefix: str = "c1-") -> str:
    return charts.within_a_page(charts.draw(ChartPart("title", chart, chart), "svg"), prefix, '"a" <b>')


def test_charts_are_the_same_each_time_and_share_no_ids() -> None:
    curve = next(evidence for evidence in EPOCHS.evidence if isinstance(evidence, Curve))
    first, second = drawn(curve), drawn(curve, "c2-")
    assert Page(first.encode()).all("aria-label") == ['"a" <b>']
    assert first == drawn(curve) and first != second
    one, two = Page(first.encode()), Page(second.encode())
    assert one.all("id") and not set(one.all("id")) & set(two.all("id"))
    for shown, prefix in ((one, "c1-"), (two, "c2-")):
        used = [address[1:] for address in shown.all("href")] + [v[5:-1] for v in shown.all("clip-path")]
        assert set(used) == set(shown.all("id")) and all(name.startswith(prefix) for name in used)


def test_a_chart_is_the_same_whatever_else_was_made_of_it() -> None:
    curve = next(evidence for evidence in EPOCHS.evidence if isinstance(evidence, Curve))
    part, draw = ChartPart("title", curve, curve), charts.drawer()
    made = [draw(part), draw(part, "svg"), draw(part)]
    assert made == [charts.draw(part), charts.draw(part, "svg"), made[0]]


def test_charts_show_hostile_words_as_they_are() -> None:
    labels = ["</svg><script>alert(1)</script>", "--> ]]> &amp;", '"quoted" \'', "飞机 $x$_{1}"]
    shown = Page(drawn(Histogram("t", labels, [1.0, 2.0, 3.0, 4.0], visible(HOSTILE), "y")).encode())
    assert set(shown.tags) <= OF_CHARTS
    assert all(label[:29] in "".join(shown.pieces) for label in labels[:3])


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG 2.1, contrast ratio."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_words_stand_out_from_what_is_behind_them() -> None:
    style = (Path(html.__file__).parent / "templates" / "report.css").read_text()
    palettes = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S)
    ]
    assert len(palettes) == 3  # light, dark, printed
    states = ("problem", "ok", "undecided", "not_applicable")
    pairs = [(ink, paper) for ink in ("ink", "faint", "link", *states) for paper in ("paper", "soft")]
    pairs += [(state, f"{state}-shade") for state in states]
    pairs += [("ink", "marked"), ("ink", "head")]
    for palette in palettes:
        weak = {(ink, paper): contrast(palette[ink], palette[paper]) for ink, paper in pairs}
        assert not {pair: ratio for pair, ratio in weak.items() if ratio < 4.5}


@pytest.mark.parametrize("rows", [60, 40_000])
def test_whole_tables_go_with_the_page_while_they_are_small(
    rows: int, record: Record, checklists: list[Checklist], case: Case
) -> None:
    table = Table("share", ["class", "count"], [["<b>标签</b>", number] for number in range(rows)])
    finding = Finding("unread", Level.INFO, Where(), {"path": "x"}, [table])
    entries = record.entries | {"hp.03": Entry(results={"fake_order": result("fake_order", Kind.FILE, [finding])})}
    report = build(msgspec.structs.replace(record, entries=entries), checklists, case, Language.EN, None, (), MOMENT)
    files = render(report, "r", Options(formats=("html",)))
    shown = Page(files["r.html"])
    (address,) = (value for value in shown.all("href") if value[0] != "#" and not value.startswith("https://"))
    assert shown.all("download") == ["table-001.csv"]
    if rows == 60:
        assert base64.b64decode(address.removeprefix("data:text/csv;charset=utf-8;base64,")) in files.values()
    else:
        assert address == "r_files/table-001.csv" and address in files
    assert len(files["r.html"]) < 100_000
