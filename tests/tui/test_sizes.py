"""Every screen and dialog in every size, language and character set: drawn whole, with its keys."""

import importlib
import re
from pathlib import Path

import pytest
from conftest_tui import text_of, until
from rich.cells import cell_len
from textual.widget import Widget
from textual.widgets import OptionList, Static

from accucheck import tui
from accucheck.language import Language
from accucheck.model import (
    Code,
    Curve,
    Finding,
    Fix,
    Heatmap,
    Histogram,
    Kind,
    Level,
    Note,
    ProbeResult,
    Status,
    Sure,
    Table,
    Verdict,
    Where,
)
from accucheck.project import open_project
from accucheck.tui.app import Walkthrough
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.dialogs import Choose
from accucheck.tui.screens.start import StartScreen
from accucheck.tui.screens.training import TrainingScreen
from accucheck.tui.signs import Speech, cut_to
from accucheck.tui.verbs import VerbScreen
from accucheck.tui.widgets.findings import _preview
from accucheck.tui.widgets.keybar import KeyBar

SIZES = [(60, 15), (80, 24), (120, 40), (250, 70)]
#: Keys that lead to a screen or dialog, and how often Esc leads back.
SCREENS = {
    "ChecklistScreen": ("",),
    "EvidenceScreen": ("v",),
    "ExportScreen": ("e",),
    "HelpScreen": ("question_mark",),
    "NextScreen": ("w",),
    "GlossaryScreen": ("g",),
    "ThemeScreen": ("t",),
    "WriteNote": ("n",),
    "AskLine": ("a",),
    "Choose": ("A",),
    "Palette": ("ctrl+p",),
}
#: What a Chinese text is made of.
CHINESE = re.compile("[\u2014\u2018-\u201d\u2026\u3000-\u303f\u4e00-\u9fff\uff00-\uffef\u00d7]")


def told(app):
    """Give an item findings with evidence of all sorts, and another a suggestion to accept."""
    evidence = [
        Table("a table", ["name", "count"], [[f"row {n}", n] for n in range(30)]),
        Curve("a curve", "x", "y", [1.0, 2.0, 3.0], {"loss": [3.0, 2.0, 1.0]}, {}),
        Histogram("bars", ["a", "b"], [1, 2]),
        Heatmap("a map", "step", "layer", "norm", ["a", "b"], ["1", "2"], [[1.0, 2.0], [None, 3.0]], [[1, 0]]),
        Code("t.py", 3, "a = 1\nb = 2", [4]),
        Note("note", "words " * 40),
    ]
    finding = Finding("seen", Level.PROBLEM, Where(path="a/long/path/" * 8, line=3), {"n": 1}, evidence)
    finding = Finding(
        finding.code, finding.level, finding.where, finding.data, evidence, Fix("seen", ""), sure=Sure.LIKELY
    )
    app.session.record_result(
        "xx.01", ProbeResult("fake_clean", Kind.FILE, Status.DONE, Verdict.PROBLEM, [finding, *[finding] * 4])
    )
    app.session.record_result("xx.02", ProbeResult("fake_problem", Kind.FILE, Status.DONE, Verdict.OK))


def drawn_whole(app, size, *, only_ascii):
    lines = text_of(app).split("\n")
    assert len(lines) == size[1]
    assert all(cell_len(line) <= size[0] for line in lines)
    if isinstance(app.screen, VerbScreen):
        first = app.screen.query_one(KeyBar).entries[0]
        assert lines[-1].strip().startswith(first.keys[0][0]), lines[-1]
    if only_ascii:
        left = CHINESE.sub("", text_of(app))
        assert left.isascii(), (app.screen, sorted({sign for sign in left if not sign.isascii()}))


@pytest.mark.part(40)
@pytest.mark.parametrize("only_ascii", [False, True], ids=["unicode", "ascii"])
@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_screen_in_every_size(walkthrough, size, language, only_ascii):
    app = walkthrough(language, only_ascii=only_ascii)
    told(app)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.screen.pane is not None)
        for name, keys in SCREENS.items():
            await pilot.press(*[key for key in keys if key])
            await until(pilot, lambda name=name: type(app.screen).__name__ == name)
            await pilot.pause()
            drawn_whole(app, size, only_ascii=only_ascii)
            if name == "EvidenceScreen":
                for _ in range(5):
                    await pilot.press("right")
                    await pilot.pause()
                    drawn_whole(app, size, only_ascii=only_ascii)
            while type(app.screen).__name__ != "ChecklistScreen":
                await pilot.press("escape")
                await pilot.pause()
        for tab in ("tab-evidence", "tab-conclusion", "tab-history"):
            app.screen._open_tab(tab)
            await pilot.pause()
            drawn_whole(app, size, only_ascii=only_ascii)


@pytest.mark.parametrize("name", list(SCREENS))
async def test_a_terminal_made_tiny_and_large_again(walkthrough, name):
    app = walkthrough(Language.ZH)
    told(app)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.pane is not None)
        await pilot.press(*[key for key in SCREENS[name] if key])
        await until(pilot, lambda: type(app.screen).__name__ == name)
        for size in ((20, 5), (1, 1), (300, 3), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        drawn_whole(app, (80, 24), only_ascii=False)
        assert type(app.screen).__name__ == name


async def test_a_question_breaks_its_lines_beside_wide_letters(walkthrough):
    """The terminal library breaks at spaces only, which left a line half empty before each number."""
    app = walkthrough(Language.ZH)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(
            Choose("标题", "在副本中用这条命令训练 7 次：" + "未修改的项目和全部修改都训练" * 4, [("a", "甲")])
        )
        await until(pilot, lambda: "未修改" in text_of(app))
        line = next(line for line in text_of(app).splitlines() if "在副本中" in line)
        assert "训练 7 次：未修改的项目" in line


async def test_a_long_question_can_be_read_and_answered_in_a_small_terminal(walkthrough):
    app = walkthrough(Language.ZH)
    async with app.run_test(size=(60, 15)) as pilot:
        answers = [("yes", "是"), ("no", "否")]
        chosen = []
        app.push_screen(Choose("标题" * 40, "\n".join(f"第 {n} 行" for n in range(60)), answers), chosen.append)
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.pause()
        text = text_of(app)
        assert "是" in text and "否" in text and "第 0 行" in text
        await pilot.press("down", "enter")
        await until(pilot, lambda: chosen == ["no"])


async def test_three_panes_use_a_wide_terminal(walkthrough):
    app = walkthrough(Language.EN)
    told(app)
    async with app.run_test(size=(250, 70)) as pilot:
        await until(pilot, lambda: app.screen.pane is not None)
        app.screen._open_tab("tab-evidence")
        await until(pilot, lambda: "How to check" in text_of(app) and "a table" in text_of(app))
        aside = app.screen.query_one("#aside").region
        assert aside.width >= 60 and aside.right == 250


def test_every_style_sheet_names_classes_that_there_are():
    """A screen or dialog that is renamed without its styles is drawn without a frame at the top of the terminal."""
    for path in Path(tui.__path__[0]).rglob("*.py"):
        importlib.import_module(".".join(("accucheck.tui", *path.relative_to(tui.__path__[0]).with_suffix("").parts)))
    kinds, waiting = set[type[Widget]](), [Widget]
    while waiting:
        kind = waiting.pop()
        kinds.add(kind)
        waiting += kind.__subclasses__()
    names = {kind.__name__ for kind in kinds}
    strange = {}
    for kind in kinds:
        for sheet in ("CSS", "DEFAULT_CSS") if kind.__module__.startswith("accucheck.") else ():
            selectors = re.sub(r"\{.*?\}", "", vars(kind).get(sheet, ""), flags=re.DOTALL)
            strange |= {
                name: kind.__name__ for name in re.findall(r"(?<![\w#.-])[A-Z]\w+", selectors) if name not in names
            }
    assert not strange


def clipped(screen):
    """The texts above and below the lists of a screen that need more lines than they have."""
    texts = [each for each in screen.query(Static) if each.id in ("about", "state", "first-hint") and each.region]
    needed = [(each, each.get_content_height(screen.size, screen.size, each.content_size.width)) for each in texts]
    return [str(each.visual) for each, lines in needed if lines > each.content_size.height]


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("size", SIZES[:2])
async def test_purpose_of_each_input_fits_below_the_list(tmp_path, size, language):
    (tmp_path / "train.py").write_text("import mindspore\n")
    app = Walkthrough(open_project(tmp_path, session="try"), language)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, TrainingScreen))
        await pilot.press("3")
        await until(pilot, lambda: isinstance(app.screen, StartScreen) and app.probes_known)
        listing = app.screen.query_one(OptionList)
        for place, option in enumerate(listing.options):
            if not option.disabled:
                listing.highlighted = place
                await pilot.pause()
                assert clipped(app.screen) == [], option.id
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        await pilot.pause()
        assert clipped(app.screen) == []


def test_cut_text_ends_in_an_ellipsis():
    assert cut_to("one\ntwo", 2, only_ascii=False) == "one\ntwo"
    assert cut_to("one\ntwo words\nthree", 2, only_ascii=False) == "one\ntwo wo…"
    assert cut_to("one\ntwo words\nthree", 2, only_ascii=True) == "one\ntwo wo..."


@pytest.mark.parametrize(
    ("shown", "total", "said"), [(1, 1, "1 row"), (5, 5, "5 rows"), (5, 1200, "5 of 1,200 rows"), (1, None, "1 row")]
)
def test_preview_of_a_whole_table_gives_one_number_of_rows(shown, total, said):
    table = Table("a table", ["name"], [[str(row)] for row in range(shown)], total)
    assert _preview(Speech(Language.EN), "fake_clean", table, 60).plain.split("\n")[0].endswith("  " + said)
