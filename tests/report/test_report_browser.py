"""The HTML report in a browser: at the widths of a desk and of a telephone, dark, by keyboard, and printed."""

import base64
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from report_sample import ENVIRONMENT, HOSTILE, MOMENT

from accucheck import checklist
from accucheck.case import Case
from accucheck.checklist import Checklist
from accucheck.difference import compare, of_record
from accucheck.model import Code, Finding, Language, Level, Table, Verdict, Where
from accucheck.report import DEFAULT, charts, html, spreadsheet
from accucheck.report.bilingual import both
from accucheck.report.build import build
from accucheck.report.parts import Report
from accucheck.session import Entry, Judgement, Record, Review
from browser import CHROMIUM, Browser, browser
from path_checklist import ROUTE

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.slow,
]


ARABIC = "ملاحظة: 3 من 4 (train.py)"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


def wide(record: Record) -> Record:
    """The sample with what could push a page wide: long words, long lines, a table of many columns; reviewed, and a path walked."""
    long = "a_name_without_a_place_to_break." * 12
    columns = Table("share", [f"column_{n}" for n in range(12)], [[long, *range(11)]] * 60)
    code = Code("src/" + long, 7, f"call({long * 3})\n", [7])
    odd = Finding("odd-name", Level.PROBLEM, Where(path=long, line=3), {"name": long + HOSTILE}, [columns, code])
    entry = record.entries["dp.03"]
    results = {
        name: msgspec.structs.replace(each, findings=[odd, *each.findings]) for name, each in entry.results.items()
    }
    note = f"{entry.note}\n{long}\n{ARABIC}\n{'很长的备注' * 200}"
    review = Review(Judgement.RETURNED, f"{long}\n{ARABIC}", "Zhao", MOMENT, "of another answer")
    changed = msgspec.structs.replace(entry, note=note, results=results, review=review)
    walked = {f"pp.0{n}": Entry(conclusion=Verdict.OK, note=f"{long} {ARABIC}", who="li", when=MOMENT) for n in (1, 2)}
    return msgspec.structs.replace(record, entries=record.entries | {"dp.03": changed} | walked)


@pytest.fixture(params=["zh", "en", "both"])
def report(request: pytest.FixtureRequest, record: Record, checklists: list[Checklist], case: Case) -> Report:
    earlier, record = of_record("earlier.json", record), wide(record)
    since = compare(earlier, of_record("now", record))
    checklists = [*checklists, checklist.read(ROUTE.encode(), "route.yaml")]
    zh, en = (build(record, checklists, case, language, ENVIRONMENT, (), MOMENT, since=since) for language in Language)
    made: Report = {"zh": zh, "en": en}[request.param] if request.param != "both" else both(zh, en)
    return made


@pytest.fixture
def page(report: Report, tmp_path: Path) -> Path:
    path = tmp_path / "报告 #1 50%.html"
    path.write_bytes(html.render(report, "r", DEFAULT, charts.draw)["r.html"])
    return path


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_fits_its_window(chromium: Browser, page: Path, width: int, dark: bool) -> None:
    chromium.open(page, width, dark=dark)
    for unfold in (False, True):
        if unfold:
            chromium.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert chromium.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
        out = """[...document.querySelectorAll('main *')]
            .filter(each => !each.closest('.scroll, pre, svg, details:not([open]) > :not(summary)'))
            .filter(each => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
            .map(each => each.outerHTML.slice(0, 99))"""
        assert chromium.evaluate(out) == []
    assert chromium.complaints == []
    assert chromium.requests == [page.resolve().as_uri()]
    paper = chromium.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is not dark


def test_what_is_shown(chromium: Browser, page: Path, report: Report) -> None:
    chromium.open(page)
    text = " ".join(str(chromium.evaluate("document.body.textContent")).split())
    for item in report.items:
        assert item.title.split("\n")[0].split(" / ")[0] in text
    assert chromium.evaluate("document.querySelectorAll('svg').length") == 3
    titles = ("sign-off", "since", "path1", "summary", "reproduce", "environment", "details", "not-checked")
    assert chromium.evaluate(f"{list(titles)}.filter(name => !document.getElementById(name))") == []
    assert chromium.evaluate("document.querySelectorAll('.review').length") == 1
    assert report.title.split(" / ")[0] in chromium.evaluate("document.title")
    heights = chromium.evaluate("[...document.querySelectorAll('svg')].map(each => each.viewBox.baseVal.height)")
    assert all(height > 50 for height in heights)
    assert chromium.evaluate("document.documentElement.lang") == ("zh-CN" if report.language is Language.ZH else "en")
    if report.language is Language.ZH:
        fonts = chromium.fonts("h1")
        assert any(re.search("CJK|Source Han|YaHei|PingFang|WenQuanYi|SimHei|Noto Sans SC", name) for name in fonts), (
            fonts
        )


def test_a_link_unfolds_what_it_leads_to(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    folded = chromium.evaluate("document.querySelector('#summary tr:last-child a').hash")
    within = f"document.querySelector({folded!r}.replaceAll('.', '\\\\.'))"
    assert not chromium.evaluate(f"{within}.closest('details').open")
    chromium.evaluate("document.querySelector('#summary tr:last-child a').click()")
    chromium.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert chromium.evaluate(f"{within}.closest('details').open")
    top = chromium.evaluate(f"{within}.closest('details').querySelector('summary').getBoundingClientRect().top")
    assert 0 <= top < 900


def test_the_keyboard_reaches_everything(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    chromium.evaluate("document.querySelector('.item:not([open]) > summary').focus()")
    for kind in ("rawKeyDown", "char", "keyUp"):
        chromium.call(
            "Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13
        )
    assert chromium.evaluate("document.activeElement.parentElement.open")
    unreachable = "[...document.querySelectorAll('.scroll, pre')].filter(each => each.tabIndex != 0).length"
    assert chromium.evaluate(unreachable) == 0
    unnamed = "[...document.querySelectorAll('[role=region]')].filter(each => !each.ariaLabel).length"
    assert chromium.evaluate(unnamed) == 0


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no pdftotext on this machine")
def test_the_printed_page_holds_what_is_folded(chromium: Browser, page: Path, report: Report, tmp_path: Path) -> None:
    chromium.open(page, dark=True)
    printed = tmp_path / "r.pdf"
    printed.write_bytes(chromium.pdf())
    shown = subprocess.run(["pdftotext", "-layout", printed, "-"], capture_output=True, text=True, check=True).stdout
    solid = re.sub(r"\s+", "", shown)

    def there(text: str) -> bool:
        return re.sub(r"\s+", "", text.replace("`", ""))[:30] in solid

    for item in report.items:
        assert item.checked is False or there(item.method[0].split("\n")[0][:20])
        for result in item.results:
            assert there(result.probe)
            for finding in result.findings:
                assert there(finding.message.split("\n")[0][:15])
                for part in finding.evidence:
                    assert there(part.title.split("\n")[0].split(" / ")[0])
    boxes = subprocess.run(["pdftotext", "-bbox", printed, "-"], capture_output=True, text=True, check=True).stdout
    width = float(re.findall(r'<page width="([\d.]+)"', boxes)[0])
    assert 594 < width < 597  # A4
    right = [float(edge) for edge in re.findall(r'xMax="([\d.]+)"', boxes)]
    assert max(right) <= width
    fonts = subprocess.run(["pdffonts", printed], capture_output=True, text=True, check=True).stdout
    assert all(line.split()[-5] == "yes" for line in fonts.splitlines()[2:])


def test_rows_are_read_without_scrolling_on_a_telephone(chromium: Browser, page: Path) -> None:
    chromium.open(page, 390)
    wide = "[...document.querySelectorAll('.rows')].filter(each => each.scrollWidth > each.clientWidth).length"
    assert chromium.evaluate("document.querySelectorAll('.rows').length") >= 6
    assert chromium.evaluate(wide) == 0
    lost = (
        """[...document.querySelectorAll('.rows td')].filter(each => each.textContent && !each.clientHeight).length"""
    )
    assert chromium.evaluate(lost) == 0
    # a table whose cells are shown as blocks is a table still, to those who hear it
    tree = chromium.call("Accessibility.getFullAXTree")["nodes"]
    roles = Counter(node.get("role", {}).get("value") for node in tree)
    assert roles["row"] > 20 and roles["rowheader"] > 5 and roles["columnheader"] > 5


#: Text that stands out too little from what is behind it (WCAG 2.1, 1.4.3, AA), with its ratio.
WEAK = """(() => {
    const parts = colour => colour.match(/[\\d.]+/g).map(Number);
    const linear = part => (part /= 255) <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4;
    const light = ([red, green, blue]) => .2126 * linear(red) + .7152 * linear(green) + .0722 * linear(blue);
    const behind = each => {
        for (; each; each = each.parentElement) {
            const colour = parts(getComputedStyle(each).backgroundColor);
            if (colour.length < 4 || colour[3] > 0) return colour;
        }
        return [255, 255, 255];
    };
    const weak = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const each = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || each.closest('svg')) continue;
        const [low, high] = [light(parts(getComputedStyle(each).color)), light(behind(each))].sort((a, b) => a - b);
        const ratio = (high + .05) / (low + .05);
        if (ratio < 4.5) weak.push([ratio.toFixed(2), each.className, texts.currentNode.data.trim().slice(0, 40)]);
    }
    return weak;
})()"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_can_be_read_by_everybody(chromium: Browser, page: Path, dark: bool) -> None:
    chromium.open(page, dark=dark)
    chromium.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert chromium.evaluate(WEAK) == []
    levels = chromium.evaluate("[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(each => +each.tagName[1])")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(level <= before + 1 for before, level in pairwise(levels))
    assert chromium.evaluate("[...document.querySelectorAll('th')].filter(each => !each.scope).length") == 0
    chromium.evaluate("document.querySelector('#summary a').focus({focusVisible: true})")
    outline = chromium.evaluate("getComputedStyle(document.activeElement).outline")
    assert "solid 3px" in outline or ("3px" in outline and "solid" in outline)


def test_writing_from_right_to_left_moves_nothing_beside_it(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    quoted = f"[...document.querySelectorAll('blockquote p')].filter(each => each.textContent == {ARABIC!r})"
    assert chromium.evaluate(f"{quoted}.length") == 2
    assert set(chromium.evaluate(f"{quoted}.map(each => getComputedStyle(each).direction)")) == {"rtl"}
    assert chromium.evaluate("getComputedStyle(document.body).direction") == "ltr"
    loose = "[...document.querySelectorAll('.message, code, b, small')].map(each => getComputedStyle(each).unicodeBidi)"
    assert set(chromium.evaluate(loose)) == {"isolate"}


def test_the_rows_of_a_cut_table_go_with_the_page(chromium: Browser, page: Path, report: Report) -> None:
    chromium.open(page)
    table = report.whole_tables[0]
    link = "document.querySelector('a[download]')"
    assert chromium.evaluate(f"{link}.download") == table.name
    text = chromium.evaluate(f"fetch({link}.href).then(answer => answer.text(), String)")
    assert "Failed to fetch" in text  # nothing is fetched, not even from the page itself
    content = base64.b64decode(chromium.evaluate(f"{link}.href").partition("base64,")[2])
    assert content == spreadsheet.encode([table.columns], table.body)
