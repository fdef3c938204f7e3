"""One filter for every list: words narrow it, Enter goes to it, Esc shows all again."""

import pytest
from conftest_tui import text_of
from textual.app import App
from textual.content import Content
from textual.widgets.option_list import Option

from accucheck.language import Language
from accucheck.model import Finding, Kind, Level, ProbeResult, Status, Verdict
from accucheck.tui.screens.help import HelpScreen
from accucheck.tui.signs import Speech
from accucheck.tui.widgets.filtered import Filter, FilteredList
from accucheck.tui.widgets.findings import FindingList
from accucheck.tui.widgets.items import ItemList


class Alone(App[None]):
    speech = Speech(Language.EN)

    def compose(self):
        yield FilteredList(
            Option(Content("Fruit"), disabled=True),
            Option(Content("apple [red]"), id="apple"),
            Option(Content("pear"), id="pear"),
            Option(Content("Towns"), disabled=True),
            Option(Content("Aachen"), id="aachen"),
        )


def shown(items: FilteredList) -> list[str]:
    return [str(option.prompt) for option in items.options]


async def test_words_narrow_and_headings_stay_with_what_is_below_them():
    app = Alone()
    async with app.run_test() as pilot:
        items = app.query_one(FilteredList)
        items.narrow("AP")
        assert shown(items) == ["Fruit", "apple [red]"] and items.current == "apple"
        items.narrow("a [re")
        assert shown(items) == ["Fruit", "apple [red]"]
        items.narrow("zzz")
        assert shown(items) == ["Nothing matches"] and items.current is None
        items.narrow("aa")
        assert shown(items) == ["Towns", "Aachen"]
        items.add_option(Option(Content("Aarau"), id="aarau"))
        items.add_option(Option(Content("Bonn"), id="bonn"))
        assert shown(items) == ["Towns", "Aachen", "Aarau"]
        items.replace_option_prompt("bonn", Content("Aalen"))
        items.go("aarau")
        items.narrow("")
        assert len(shown(items)) == 7 and shown(items)[-1] == "Aalen" and items.current == "aarau"
        await pilot.pause()


async def test_the_field_opens_once_and_goes_away_with_its_words():
    app = Alone()
    async with app.run_test() as pilot:
        items = app.query_one(FilteredList)
        items.focus()
        await items.ask()
        await items.ask()
        await pilot.press("p", "e", "enter")
        assert len(app.query(Filter)) == 1 and app.focused is items and items.current == "pear"
        await pilot.press("escape")
        await pilot.pause()
        assert not app.query(Filter) and len(shown(items)) == 5 and items.current == "pear"
        await items.ask()
        await pilot.press("x", "escape")
        await pilot.pause()
        assert not app.query(Filter) and len(shown(items)) == 5 and app.focused is items


async def test_items_are_found_by_their_review_and_change_while_hidden(walkthrough):
    app = walkthrough(Language.EN)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        app.screen.query_one(ItemList).go("xx.02")
        await pilot.press("slash", *"xx.04", "enter")
        await pilot.pause()
        items = app.screen.query_one(ItemList)
        assert [option.id for option in items.options if option.id] == ["xx.04"]
        assert app.screen.item.id == "xx.04"
        app.session.answer("xx.02", Verdict.PROBLEM)
        app._refresh("xx.02")
        await pilot.press("escape")
        await pilot.pause()
        assert "✗ problem xx.02" in " ".join(text_of(app).split())


async def test_the_list_with_the_focus_is_filtered(walkthrough):
    app = walkthrough(Language.EN)
    async with app.run_test(size=(100, 30)) as pilot:
        found = [Finding("seen", Level.INFO, data={"n": n}) for n in range(20)]
        app.session.record_result("xx.01", ProbeResult("fake_clean", Kind.FILE, Status.DONE, Verdict.OK, found))
        app.screen._open_tab("tab-evidence")
        app._refresh()
        while not app.screen.query(FindingList) or app.screen.query_one(FindingList).option_count < 20:
            await pilot.pause()
        findings = app.screen.query_one(FindingList)
        findings.focus()
        await pilot.press("slash", "1", "7")
        await pilot.pause()
        assert [str(option.prompt).strip() for option in findings.options] == ["· seen 17"]
        assert len([option for option in app.screen.query_one(ItemList).options if option.id]) == 7
        await pilot.press("escape")
        await pilot.pause()
        assert len(findings.options) > 20


@pytest.mark.parametrize("language", list(Language))
async def test_help_is_filtered_and_does_what_is_chosen(walkthrough, language):
    app = walkthrough(language)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.press("question_mark", "slash", *("note" if language is Language.EN else "填写备注"), "enter")
        await pilot.pause()
        assert isinstance(app.screen, HelpScreen)
        ids = [option.id for option in app.screen.query_one(FilteredList).options if option.id]
        assert "note" in ids and len(ids) < 5
        await pilot.press("enter")
        await pilot.pause()
        assert type(app.screen).__name__ == "WriteNote"


async def test_a_click_looks_and_a_double_click_does(walkthrough):
    app = walkthrough(Language.EN)
    app.session.record_result("xx.02", ProbeResult("fake_problem", Kind.FILE, Status.DONE, Verdict.OK))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.click(ItemList, offset=(8, 2))
        await pilot.pause()
        assert app.screen.item.id == "xx.02" and app.session.entry("xx.02").conclusion is None
        await pilot.click(ItemList, offset=(8, 2), times=2)
        await pilot.pause()
        assert app.session.entry("xx.02").conclusion is Verdict.OK
