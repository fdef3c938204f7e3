"""Jump mode: a letter beside all that can be reached, on every screen and at every size."""

import pytest
from conftest_tui import help_text, text_of, until
from rich.cells import cell_len
from textual.widgets import TabbedContent

from accucheck.language import Language
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.help import HelpScreen
from accucheck.tui.screens.jump import LETTERS, JumpScreen, labels
from accucheck.tui.screens.next import NextScreen
from accucheck.tui.widgets.items import ItemList


def test_labels_are_a_letter_each_or_two_each():
    assert labels(3) == [*LETTERS[:3]] and len(set(LETTERS)) == 26
    many = labels(60)
    assert len(set(many)) == 60 and {len(each) for each in many} == {2}


async def jump(pilot, app):
    await pilot.press("J")
    await until(pilot, lambda: isinstance(app.screen, JumpScreen) and app.screen.query("Static"))
    return {label: (target.column, target.row) for label, target in app.screen._targets.items()}


def from_cell(line: str, column: int) -> str:
    """What of a line begins at a cell: Chinese letters have two."""
    return next((line[at:] for at in range(len(line) + 1) if cell_len(line[:at]) >= column), "")


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_an_item_and_a_tab_are_reached(walkthrough, language, size):
    app = walkthrough(language)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.screen.pane is not None and app.screen.query("Tab"))
        await pilot.pause()
        places = await jump(pilot, app)
        lines = text_of(app).split("\n")
        assert all(from_cell(lines[row], column).startswith(label) for label, (column, row) in places.items())
        label = next(label for label, (_, row) in places.items() if "xx.04" in lines[row])
        await pilot.press(label)
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen) and app.screen.item.id == "xx.04")
        assert isinstance(app.screen.focused, ItemList)
        places = await jump(pilot, app)
        lines = text_of(app).split("\n")
        word = app.speech.say("tab-conclusion")
        label = next(
            label for label, (column, row) in places.items() if from_cell(lines[row], column).startswith(label + word)
        )
        await pilot.press(label)
        await until(pilot, lambda: app.screen.query_one(TabbedContent).active == "tab-conclusion")


@pytest.mark.parametrize("key", ["escape", "1", "J"])
async def test_any_other_key_goes_nowhere(walkthrough, key):
    app = walkthrough()
    async with app.run_test(size=(60, 15)) as pilot:
        await until(pilot, lambda: app.screen.pane is not None)
        await jump(pilot, app)
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        assert app.screen.item.id == "xx.01" and app.session.entry("xx.01").conclusion is None


async def test_it_works_above_other_screens_and_ends_with_their_size(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, NextScreen) and app.screen._steps)
        places = await jump(pilot, app)
        last = max(places, key=lambda label: places[label][1])
        await pilot.press(last)
        await until(pilot, lambda: isinstance(app.screen, NextScreen))
        assert app.screen._step is app.screen._steps[len(places) - 1] and len(places) > 1
        await jump(pilot, app)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: isinstance(app.screen, NextScreen))
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and "Jump" in help_text(app))
