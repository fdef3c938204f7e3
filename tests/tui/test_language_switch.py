"""The language changes on every screen, at any time, and nothing chosen or typed is lost."""

import re

import pytest
from conftest_tui import text_of, until
from textual.widgets import Checkbox, Input, RadioSet, TextArea

from accucheck.language import Language
from accucheck.model import Finding, Kind, Level, Note, ProbeResult, Status, Verdict
from accucheck.tui.screens.dialogs import WriteNote
from accucheck.tui.screens.evidence import EvidenceScreen
from accucheck.tui.screens.export import ExportScreen
from accucheck.tui.screens.glossary import GlossaryScreen
from accucheck.tui.screens.help import HelpScreen
from accucheck.tui.screens.next import NextScreen
from accucheck.tui.screens.theme import ThemeScreen


def chinese(app) -> bool:
    """Whether the line of keys, or the whole of a dialog, is Chinese."""
    return bool(re.search("[一-鿿]", text_of(app).replace("L 中文", "")))


@pytest.mark.parametrize(
    ("key", "screen"),
    [
        ("v", EvidenceScreen),
        ("e", ExportScreen),
        ("question_mark", HelpScreen),
        ("w", NextScreen),
        ("g", GlossaryScreen),
        ("t", ThemeScreen),
    ],
)
async def test_every_screen_speaks_the_other_language(walkthrough, key, screen):
    app = walkthrough(Language.ZH)
    found = [Finding("seen", Level.PROBLEM, data={"n": 1}, evidence=[Note("note", "text")])]
    app.session.record_result("xx.01", ProbeResult("fake_problem", Kind.FILE, Status.DONE, Verdict.PROBLEM, found))
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: app.screen.pane is not None)
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, screen) and chinese(app))
        if screen is ExportScreen:
            app.screen.query_one("#write").focus()
        before = text_of(app)
        await pilot.press("L")
        await until(pilot, lambda: text_of(app) != before)
        last = text_of(app).split("\n")[-1]
        await until(pilot, lambda: not re.search("[一-鿿]", text_of(app).split("\n")[-1].replace("L 中文", "")))
        assert isinstance(app.screen, screen), last


async def test_what_was_typed_and_chosen_for_a_report_stays(walkthrough):
    app = walkthrough(Language.ZH)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, ExportScreen))
        screen = app.screen
        screen.query_one("#folder", Input).value = "/tmp/x"
        screen.query_one("#format-json", Checkbox).value = True
        screen.query_one("#format-md", Checkbox).value = False
        screen.query_one("#both").value = True
        screen.query_one("#to-gitee").value = True
        await pilot.pause()
        screen.query_one("#write").focus()
        await pilot.press("L")
        await until(pilot, lambda: "Folder" in text_of(app))
        assert screen.query_one("#folder", Input).value == "/tmp/x"
        assert screen.query_one("#format-json", Checkbox).value and not screen.query_one("#format-md", Checkbox).value
        assert screen.query_one("#language", RadioSet).pressed_button.id == "both"
        assert screen.query_one("#tracker", RadioSet).pressed_button.id == "to-gitee"
        await until(pilot, lambda: "Looking for private" not in text_of(app))


async def test_a_note_that_is_being_written_is_kept(walkthrough):
    app = walkthrough(Language.ZH)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("n", *"half a no")
        await until(pilot, lambda: isinstance(app.screen, WriteNote) and "的备注" in text_of(app))
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "切换到英文" in text_of(app))
        await pilot.press(*"切换到英文", "enter")
        await until(pilot, lambda: isinstance(app.screen, WriteNote) and "Note for xx.01" in text_of(app))
        await pilot.press(*"te")
        assert app.screen.query_one(TextArea).text == "half a note"
        await pilot.press("enter")
        await until(pilot, lambda: app.session.entry("xx.01").note == "half a note")
        await until(pilot, lambda: "Check xx.01" in text_of(app))
