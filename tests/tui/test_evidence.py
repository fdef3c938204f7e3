"""A finding in full: its evidence in every way to look at it, tables in pages, pictures, code with more around it, and the editor."""

import math
import sys
import threading

import pytest
from conftest_tui import text_of, until
from PIL import Image
from textual.events import AppFocus
from textual.widgets import Input

from accucheck.language import Language
from accucheck.model import (
    Branch,
    Code,
    Curve,
    Finding,
    Fix,
    Histogram,
    Images,
    Kind,
    Level,
    Note,
    ProbeResult,
    Status,
    Sure,
    Table,
    Tree,
    Verdict,
    Where,
)
from accucheck.tui.screens.dialogs import Choose
from accucheck.tui.screens.evidence import EvidenceScreen
from accucheck.tui.signs import Speech
from accucheck.tui.widgets import gallery
from accucheck.tui.widgets.code import LINES, CodeView
from accucheck.tui.widgets.evidence import text_of as text_of_evidence
from accucheck.tui.widgets.evidence import ways
from accucheck.tui.widgets.items import ItemList
from accucheck.tui.widgets.pages import PAGE, Pages
from accucheck.tui.widgets.plot import Plot

STEPS = [float(step) for step in range(400)]
CURVE = Curve(
    "curve",
    "step",
    "loss",
    STEPS,
    {"train": [2.3 * math.exp(-step / 60) if step != 200 else None for step in range(400)], "eval": [1.0] * 400},
    {"first-bad": 200.0},
)
BARS = Histogram("by-class", ["cat", "frog"], [5000.0, 144.0], "class", "samples")
ROWS = [
    [f"part-{place % 7}.csv", place, None if place % 11 == 0 else float(-place), "x" * 90] for place in range(10_000)
]
TABLE = Table("rows", ["file", "line", "value", "words"], ROWS, total=50_000)
SCRIPT = "".join(f"line_{number} = {number}\n" for number in range(1, 101))


async def opened(pilot, *findings, probe="fake_problem"):
    """The evidence screen on the first of the findings."""
    app = pilot.app
    result = ProbeResult(probe, Kind.FILE, Status.DONE, Verdict.PROBLEM, list(findings))
    app.session.record_result("xx.02", result)
    app.screen.query_one(ItemList).go("xx.02")
    await pilot.pause()
    await pilot.press("v")
    await until(pilot, lambda: isinstance(app.screen, EvidenceScreen) and app.screen.query("#shown"))
    await pilot.pause()


def bad(*evidence, **fields):
    return Finding("bad", Level.PROBLEM, data={"n": 1}, evidence=list(evidence), **fields)


@pytest.mark.parametrize("only_ascii", [False, True])
@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 40), (200, 50)])
async def test_charts_and_their_words_in_every_size(walkthrough, size, only_ascii):
    app = walkthrough(only_ascii=only_ascii)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, bad(CURVE, BARS))
        await until(pilot, lambda: "first-bad" in text_of(app))
        plot = app.screen.query_one(Plot)
        assert plot.size.height >= 6 and plot.size.width >= size[0] // 2
        assert "train: 399 points" in text_of(app) or app.screen.query_one("#body").max_scroll_y
        if only_ascii:
            assert text_of(app).replace("中文", "").isascii()
        await pilot.press("c")
        await until(pilot, lambda: "mark first-bad: step 200" in text_of(app))
        await pilot.press("c")
        await until(pilot, lambda: f"rows 1 to {PAGE} of 400" in text_of(app))
        await pilot.press("c")
        await until(pilot, lambda: app.screen.query(Plot))
        await pilot.press("n")
        await until(pilot, lambda: "5,000" in text_of(app) and "frog" in text_of(app))


async def test_the_explanation_stands_beside_the_chart_where_there_is_room(walkthrough):
    finding = bad(CURVE)
    for width, beside in ((200, True), (80, False)):
        app = walkthrough()
        async with app.run_test(size=(width, 50)) as pilot:
            await opened(pilot, finding)
            await until(pilot, lambda: "lowest" in text_of(app))
            shown, explained = app.screen.query_one("#shown").region, app.screen.query_one("#explained").region
            assert (explained.x > shown.x) is beside and (explained.y > shown.y) is not beside


async def test_chinese_labels_take_two_cells(walkthrough):
    app = walkthrough(Language.ZH)
    rates = [10.0 ** (n / 10 - 5) for n in range(51)]
    series = {"原始值": [float(n) for n in range(51)], "平滑": [float(n) for n in range(51)]}
    chart = Curve("学习率", "学习率", "准确率", rates, series, {"下限": 0.01, "zero": 0.0})
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, bad(chart))
        await until(pilot, lambda: "1e-05" in text_of(app))
        text = text_of(app)
        assert "0.01" in text and "原始值" in text and "平滑" in text and "▾下限" in text
        assert "原始值：共 51 个点" in text


async def test_a_long_table_comes_in_pages_is_sorted_filtered_and_copied(walkthrough, monkeypatch):
    app = walkthrough()
    copied = []
    monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await opened(pilot, bad(TABLE))
        await until(pilot, lambda: f"rows 1 to {PAGE} of 10,000" in text_of(app))
        pages = app.screen.query_one(Pages)
        assert "the first of 50,000" in text_of(app) and pages.grid.row_count == PAGE
        pages.grid.move_cursor(row=PAGE - 1)
        await pilot.press("down")
        await until(pilot, lambda: f"rows {PAGE + 1} to {2 * PAGE}" in text_of(app))
        assert pages.line == PAGE
        await pilot.press("up")
        await until(pilot, lambda: pages.line == PAGE - 1)
        await pilot.press("right", "right", "S")  # by value: the lowest first, what is not known last
        await until(pilot, lambda: "by value" in text_of(app))
        assert pages.line == 9998
        await pilot.press("S")
        await until(pilot, lambda: pages.line == 1)
        assert "▼" in text_of(app)
        await pilot.press("Y")
        assert copied[-1] == "part-1.csv\t1\t-1\t" + "x" * 90
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press(*"PART-3.csv")
        await until(pilot, lambda: pages.shown == 1429)
        await pilot.press("enter", "right", "enter")  # the cell of the cursor in full
        await until(pilot, lambda: isinstance(app.screen, Choose) and "x" * 60 in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen))
        await pilot.press("escape")  # of the filter first
        await until(pilot, lambda: pages.shown == 10_000)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, EvidenceScreen))


async def test_pages_of_a_table_are_turned_at_their_ends(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(pilot, bad(TABLE))
        await until(pilot, lambda: f"rows 1 to {PAGE} of 10,000" in text_of(app))
        pages = app.screen.query_one(Pages)
        await pilot.press("pagedown")
        assert 0 < pages.line < PAGE - 1
        await pilot.press("pageup")
        assert pages.line == 0
        pages.grid.move_cursor(row=PAGE - 1)
        await pilot.press("pagedown")
        await until(pilot, lambda: f"rows {PAGE + 1} to {2 * PAGE}" in text_of(app))
        pages.grid.move_cursor(row=0)
        await pilot.press("pageup")
        await until(pilot, lambda: f"rows 1 to {PAGE} of" in text_of(app))


@pytest.mark.parametrize("language", list(Language))
def test_every_kind_of_evidence_is_text(language):
    """What is copied, and what a screen reader reads."""
    words = {
        "bars": text_of_evidence("fake_problem", BARS, Speech(language)),
        "pictures": text_of_evidence("fake_problem", Images("some", ["a.png", "b.png"], ["a frog"]), Speech(language)),
        "table": text_of_evidence("fake_problem", Table("rows", ["a", "b"], [["x", None]]), Speech(language)),
        "note": text_of_evidence("fake_problem", Note("title", "as it is"), Speech(language)),
    }
    assert words["bars"].split("\n")[-2:] == ["cat\t5,000", "frog\t144"]
    assert words["pictures"] == "a.png  a frog\nb.png"
    assert words["table"].split("\n")[1].startswith("x\t") and words["note"] == "as it is"


async def test_ten_thousand_rows_are_there_at_once(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(pilot, bad(BARS, TABLE))
        await pilot.press("n")
        await until(pilot, lambda: "of 10,000" in text_of(app))
        assert app.screen.query_one(Pages).grid.row_count == PAGE  # all of them at once take more than three seconds


async def test_pictures_come_with_captions_and_what_is_wrong_is_said(walkthrough, tmp_path):
    from PIL import Image

    root = tmp_path / "project"
    app = walkthrough(only_ascii=True)
    Image.new("L", (32, 32), 255).save(root / "white.png")
    Image.new("1", (60_000, 60_000)).save(root / "bomb.png")
    (root / "torn.png").write_bytes((root / "white.png").read_bytes()[:40])
    names = ["white.png", "bomb.png", "torn.png", "gone.png"]
    captions = ["a [red]frog[/]", "too large", "torn"]
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, bad(Images("pictures", names, captions)))
        await until(pilot, lambda: "@@@@@@" in text_of(app) and "gone.png does not exist" in text_of(app))
        text = text_of(app)
        assert "a [red]frog[/]" in text
        assert "bomb.png: the picture" in text and "torn.png: the picture" in text
        await pilot.press("c")
        await until(pilot, lambda: "white.png  a [red]frog[/]" in text_of(app))


async def test_branches_that_lead_to_something_marked_are_open(walkthrough):
    branches = [Branch(0, "top", 1.0), Branch(1, "middle", 1.0), Branch(2, "meant", 0.5, True), Branch(0, "other", 0.0)]
    branches.append(Branch(1, "hidden", 0.0))
    app = walkthrough()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, bad(Tree("tree", "value", branches)))
        await until(pilot, lambda: "meant" in text_of(app))
        assert "hidden" not in text_of(app)


async def test_code_shows_more_of_a_file_that_is_still_the_same(walkthrough, tmp_path):
    script = tmp_path / "project" / "train.py"
    app = walkthrough()
    script.write_text(SCRIPT)
    code = Code("train.py", 50, "line_50 = 50\nline_51 = 51", [51])
    async with app.run_test(size=(80, 40), notifications=True) as pilot:
        await opened(pilot, bad(code))
        await until(pilot, lambda: "line_51" in text_of(app))
        assert "line_49" not in text_of(app) and "▸    51 " in text_of(app)
        await pilot.press("plus")
        await until(pilot, lambda: "line_40" in text_of(app) and "line_61" in text_of(app))
        assert app.screen.query_one(CodeView).text.startswith("line_40 = 40\n")
        await pilot.press("minus")
        await until(pilot, lambda: "line_49" not in text_of(app))
        script.write_text("# new\n" + SCRIPT)
        await pilot.press("escape", "v")
        await until(pilot, lambda: app.screen.query(CodeView) and "line_51" in text_of(app))
        await pilot.press("plus")
        await until(pilot, lambda: "no more of the code" in text_of(app))
        assert "line_49" not in text_of(app)


async def test_the_lines_meant_stay_in_sight_however_much_is_shown(walkthrough, tmp_path):
    app = walkthrough()
    (tmp_path / "project" / "train.py").write_text("".join(f"line_{number} = {number}\n" for number in range(1, 3001)))
    async with app.run_test(size=(80, 40), notifications=True) as pilot:
        await opened(pilot, bad(Code("train.py", 1500, "line_1500 = 1500\nline_1501 = 1501", [1501])))
        await until(pilot, lambda: app.screen.query(CodeView))
        view = app.screen.query_one(CodeView)
        for _ in range(50):
            view.widen(20)
        lines = view.text.split("\n")
        assert len(lines) == LINES and "line_1501 = 1501" in lines
        view.widen(-20)
        assert len(view.text.split("\n")) == LINES - 40, "less is shown at the first key"


async def test_a_picture_whose_name_cannot_be_a_files_is_told(walkthrough):
    app = walkthrough(only_ascii=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, bad(Images("pictures", ["a" * 300], ["long"])))
        await until(pilot, lambda: "name too long" in text_of(app).lower())


@pytest.fixture
def editor(tmp_path, monkeypatch):
    """An editor that notes its words and adds a line; Textual gives the terminal of a test away as it does a real one."""
    from contextlib import contextmanager

    from textual.app import App

    @contextmanager
    def suspend(self):
        yield

    script = tmp_path / "vim"
    script.write_text(
        f"#!{sys.executable}\nimport sys\nopen({str(tmp_path / 'words')!r}, 'w').write(repr(sys.argv[1:]))\n"
        "open(sys.argv[-1], 'a').write('# edited\\n')\n"
    )
    script.chmod(0o755)
    monkeypatch.setattr(App, "suspend", suspend)
    monkeypatch.setenv("VISUAL", str(script))
    return tmp_path / "words"


async def test_the_editor_opens_at_the_line_and_what_is_out_of_date_is_told(walkthrough, tmp_path, editor):
    root = tmp_path / "project"
    app = walkthrough()
    (root / "train.py").write_text(SCRIPT)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await opened(pilot, bad(Code("train.py", 50, "line_50 = 50\nline_51 = 51", [51])), probe="shuffle_settings")
        await pilot.press("o")
        await until(pilot, editor.exists)
        assert eval(editor.read_text()) == ["+51", str(root / "train.py")]
        assert (root / "train.py").read_text().endswith("# edited\n")
        await until(pilot, lambda: "out of date; x runs it again" in text_of(app))


async def test_a_script_that_was_edited_in_another_window_is_told_on_coming_back(walkthrough, tmp_path):
    script = tmp_path / "project" / "train.py"
    app = walkthrough()
    script.write_text(SCRIPT)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await opened(pilot, bad(Code("train.py", 50, "line_50 = 50\nline_51 = 51", [51])), probe="shuffle_settings")
        script.write_text(SCRIPT + "# edited\n")
        app.post_message(AppFocus())
        await until(pilot, lambda: "out of date; x runs it again" in text_of(app))
        assert len(app._notifications) == 1
        app.post_message(AppFocus())
        await pilot.pause(0.5)
        assert len(app._notifications) == 1, "once is enough"


async def test_without_an_editor_the_place_is_shown(walkthrough, tmp_path, monkeypatch):
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("shutil.which", lambda *_: None)
    app = walkthrough()
    (tmp_path / "project" / "train.py").write_text(SCRIPT)
    finding = bad(where=Where("train.py", 70))
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await opened(pilot, finding, bad(where=Where("gone.py", 3)), bad(where=Where(name="conv1")))
        await pilot.press("o")
        await until(pilot, lambda: "▸    70 line_70" in text_of(app) and "Set one, for instance" in text_of(app))
        await pilot.press("escape", "n", "o")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "gone.py does not exist" in text_of(app))
        await pilot.press("escape", "n", "o")
        await until(pilot, lambda: "names no file" in text_of(app))


async def test_a_session_alone_opens_no_file(walkthrough, tmp_path, editor, monkeypatch):
    root = tmp_path / "project"
    app = walkthrough()
    monkeypatch.setattr(type(app), "NOTIFICATION_TIMEOUT", 60)  # three keys take longer than 5 s on a busy machine
    (root / "train.py").write_text(SCRIPT)
    app.project.case = type(app.project.case)(root=str(root), spec=app.project.case.spec, alone=True)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await opened(pilot, bad(Code("train.py", 50, "line_50 = 50", [50])))
        await pilot.press("o", "plus", "f")
        await until(pilot, lambda: "without its project" in text_of(app))
        assert not editor.exists() and "line_51" not in text_of(app)


@pytest.mark.parametrize("language", list(Language))
async def test_a_finding_is_explained_with_the_lines_to_change(walkthrough, language):
    app = walkthrough(language)
    diff = "--- a/t.py\n+++ b/t.py\n@@ -1 +1 @@\n-d = D(shuffle=False)\r\n+d = D(shuffle=True)\x1b[2J\r\n"
    finding = Finding(
        "shuffle-off",
        Level.PROBLEM,
        Where(path="t.py", line=1),
        {"dataset": "D"},
        [Code("t.py", 1, "d = D(shuffle=False)", [1])],
        Fix("fix-shuffle", diff),
        sure=Sure.LIKELY,
    )
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await opened(pilot, finding, probe="shuffle_settings")
        said = ["Why it hurts accuracy", "How sure  likely;", "What would prove it", "Fix  Pass shuffle=True"]
        if language is Language.ZH:
            said = ["对精度的影响", "把握程度  很可能", "验证方法", "修改建议  设置 shuffle=True"]
        text = text_of(app)
        assert all(label in text for label in said), text
        assert [text.index(label) for label in said] == sorted(text.index(label) for label in said)
        app.screen.query_one("#body").scroll_end(animate=False)
        await until(pilot, lambda: "accucheck fix" in text_of(app))
        assert "-d = D(shuffle=False)" in text_of(app)
        assert "+d = D(shuffle=True)\\x1b[2J" in text_of(app) and "\\x0d" not in text_of(app)


def test_every_kind_of_evidence_can_be_looked_at():
    assert ways(None) == ("text",) and ways(Note("n", "")) == ("text",)
    assert ways(CURVE) == ways(BARS) == ("chart", "text", "values")


async def test_pictures_that_are_left_while_they_are_read(walkthrough, monkeypatch):
    read = threading.Event()
    monkeypatch.setattr(gallery, "_decoded", lambda *_: read.wait() and Image.new("RGB", (4, 4)))
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        pictures = gallery.Gallery(Images("samples", ["1.png", "2.png"], ["", ""]))
        await app.screen.mount(pictures)
        await pilot.pause()
        await pictures.query(".picture").remove()  # leaving a screen takes it away from the inside out
        worker = next(worker for worker in app.workers if worker.node is pictures)
        read.set()
        await worker.wait()  # raises what the worker raised


async def test_pictures_come_as_they_come_into_sight(walkthrough, tmp_path):
    Image.new("RGB", (8, 8), "red").save(tmp_path / "red.png")
    names = [str(tmp_path / "red.png")] * gallery.MOST
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(pilot, bad(Images("pictures", names, [f"picture {number}" for number in range(len(names))])))
        pictures = app.screen.query_one(gallery.Gallery)
        await until(pilot, lambda: pictures.children)
        for _ in range(20):
            await pilot.pause(0.05)
        assert gallery.AT_ONCE <= len(pictures.children) < gallery.MOST
        body = app.screen.query_one("#body")
        for _ in range(100):
            body.scroll_end(animate=False)
            await pilot.pause(0.05)
            if len(pictures.children) == gallery.MOST:
                break
        assert "picture 0" not in text_of(app)
        await until(pilot, lambda: f"picture {gallery.MOST - 1}" in text_of(app) or body.scroll_end(animate=False))
