"""One table of verbs a screen: keys, key bar, palette and help say the same."""

import pkgutil
import re
from importlib import import_module

import pytest
from conftest_tui import help_text, text_of
from textual.events import Key

from accucheck.language import Language
from accucheck.session import Role
from accucheck.tui import screens as package
from accucheck.tui.keymap import SCREENS
from accucheck.tui.palette import commands
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.dialogs import Choose, WriteNote
from accucheck.tui.screens.export import ExportScreen
from accucheck.tui.screens.help import HelpScreen
from accucheck.tui.screens.picker import AskValue, Picker
from accucheck.tui.verbs import ANYWHERE, Verb, VerbScreen, key_name
from accucheck.tui.widgets.items import ItemList
from accucheck.tui.widgets.keybar import KeyBar
from accucheck.tui.words import WORDS


@pytest.mark.parametrize("screen", SCREENS)
def test_verbs_have_words_actions_and_keys_of_their_own(screen):
    for role in Role:
        verbs = [verb for verb in screen.VERBS if verb.role in (None, role)]
        assert len({verb.id for verb in verbs}) == len(verbs)
        keys = [key for verb in verbs for key in verb.keys.split(",") if key]
        assert len(set(keys)) == len(keys)
    for verb in screen.VERBS:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", verb.id)
        assert set(WORDS[verb.words]) == {"zh", "en"}
        assert not verb.short or set(WORDS[verb.short]) == {"zh", "en"}
        name = verb.action.partition("(")[0]
        assert name.startswith("app.") or hasattr(screen, f"action_{name}"), verb
    for words in screen.HERE:
        assert words in WORDS


def test_an_id_is_one_verb():
    by_id: dict[str, Verb] = {}
    for verb in [verb for screen in SCREENS for verb in screen.VERBS] + ANYWHERE:
        assert by_id.setdefault(verb.id, verb).action == verb.action


@pytest.mark.parametrize(
    ("key", "name", "in_ascii"),
    [
        ("right_square_bracket", "]", "]"),
        ("question_mark", "?", "?"),
        ("escape", "Esc", "Esc"),
        ("ctrl+p", "^p", "^p"),
        ("f2", "F2", "F2"),
        ("R", "R", "R"),
        ("left", "←", "Left"),
        ("plus", "+", "+"),
    ],
)
def test_names_of_keys(key, name, in_ascii):
    assert key_name(key) == name and key_name(key, only_ascii=True) == in_ascii


@pytest.mark.parametrize("role", list(Role))
async def test_bar_help_and_palette_come_from_the_table(walkthrough, role):
    app = walkthrough(Language.EN, role=role)
    async with app.run_test(size=(100, 50), notifications=True) as pilot:
        await pilot.pause()
        bar = [key for entry in app.screen.query_one(KeyBar).entries for key, _ in entry.keys]
        assert bar[:5] == ["r", "R", "1", "2", *(["3"] if role is Role.AUTHOR else ["S"])]
        offered = [command.words for command in commands(app, app.screen)]
        assert ("Conclude: problem" in offered) == (role is Role.AUTHOR)
        assert ("Review: accept" in offered) == (role is Role.REVIEWER)
        verbs = app.screen.verbs
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        text = help_text(app)
        for verb in verbs:
            assert WORDS[verb.words]["en"] in text


async def test_a_click_on_the_bar_does_what_the_key_does(walkthrough):
    app = walkthrough(Language.EN)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.pause()
        at = text_of(app).split("\n")[-1].index("1/2/3")
        await pilot.click(KeyBar, offset=(at + 2, 0))
        await pilot.pause()
        assert app.session.entry("xx.01").conclusion.value == "ok"


async def test_a_verb_that_can_do_nothing_says_why(walkthrough, monkeypatch):
    app = walkthrough(Language.EN)
    monkeypatch.setattr(ChecklistScreen, "why_not", lambda self, verb: "because" if verb == "run" else None)
    async with app.run_test(size=(100, 50), notifications=True) as pilot:
        await pilot.press("r")
        await pilot.pause()
        assert [notification.message for notification in app._notifications] == ["because"]
        assert not app.runner.busy
        assert app.screen.query_one(KeyBar).entries[0].dim
        await pilot.press("question_mark")
        assert "(because)" in help_text(app)


@pytest.mark.parametrize(
    ("item", "verb", "why"),
    [
        ("xx.04", "run", "There is no probe for this item yet"),
        ("xx.01", "undo", "There is nothing to undo"),
        ("xx.01", "accept", "There is no suggestion to accept"),
        ("xx.01", "accept-all", None),  # xx.05 does not apply
        ("xx.01", "samples", "This item has no samples"),
        ("xx.01", "path", None),
        ("xx.01", "view", "Nothing found"),
        ("xx.01", "list", "wide enough"),
        ("xx.01", "sign-off", "Reviews are made as a reviewer"),
        ("xx.01", "note", None),
    ],
)
async def test_reasons_of_the_checklist(walkthrough, item, verb, why):
    app = walkthrough(Language.EN)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        app.screen.query_one(ItemList).go(item)
        said = app.screen.why_not(verb)
        assert said is None if why is None else said is not None and why in said


async def test_a_read_only_session_offers_looking_and_copying_only(walkthrough):
    mine = walkthrough(Language.EN)
    assert not mine.session.read_only
    app = walkthrough(Language.EN)  # the second on the same project
    assert app.session.read_only
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        changing = {"conclude-problem", "conclude-ok", "conclude-not-applicable", "note", "editor", "attach", "undo"}
        changing |= {"accept", "accept-all", "case"}
        refused = {verb.id for verb in app.screen.verbs if "read-only" in (app.screen.why_not(verb.id) or "")}
        assert refused == changing | {"sign-off"}
        assert "Read-only; looking, running, copying and reports work." in text_of(app)
        await pilot.press("1")
        await pilot.pause()
        assert app.session.entry("xx.01").conclusion is None
        for verb in ("run", "copy", "export", "help", "filter"):
            assert app.screen.why_not(verb) is None, verb


def test_every_screen_with_verbs_is_in_the_reference_and_in_key_maps():
    """Key maps are checked against SCREENS, and so is all above."""
    screens = {screen.__name__ for screen in SCREENS}
    for module in pkgutil.iter_modules(package.__path__):
        found = import_module(f"{package.__name__}.{module.name}")
        for name, value in vars(found).items():
            if isinstance(value, type) and issubclass(value, VerbScreen) and value.__module__ == found.__name__:
                assert not value.VERBS or name in screens, name


@pytest.mark.parametrize("size", [(60, 15), (100, 30)])
async def test_a_key_may_come_before_the_item_is_shown(walkthrough, monkeypatch, size):
    async def never(screen):
        pass

    monkeypatch.setattr(ChecklistScreen, "_mount_pane", never)
    app = walkthrough()
    async with app.run_test(size=size, notifications=True) as pilot:
        first = app.screen
        away = {"quit", "suspend", "editor"}
        keys = [key for verb in first.verbs if verb.id not in away for key in verb.keys.split(",") if key]
        assert len(keys) > 20
        for key in [*keys, "enter", "enter", "enter", "tab", "shift+tab", "slash", "escape"]:
            await pilot.press(key)
            while app.screen is not first:
                app.pop_screen()
                await pilot.pause()
        assert first.pane is None and app.is_running


async def test_a_key_may_come_before_a_dialog_has_its_widgets(walkthrough, tmp_path):
    app = walkthrough()
    case = app.project.case
    ended = []
    dialogs = [
        ("pagedown", Choose("Which?", "long", [("a", "A")])),
        ("pageup", Choose("Which?", "long", [("a", "A")])),
        ("escape", WriteNote("Note", "as it was", "note:xx.01")),
        ("tab", AskValue(app.speech, case, "runtime.device", "Device")),
        ("f2", AskValue(app.speech, case, "data.train.path", "Data")),
        ("escape", Picker(app.speech, case, "data.train.path", tmp_path)),
    ]
    async with app.run_test(notifications=True) as pilot:
        first = app.screen
        for key, dialog in dialogs:
            app.push_screen(dialog, ended.append)
            assert not dialog.is_mounted
            await app.on_event(Key(key, None))
            await pilot.pause()
            while app.screen is not first:
                app.pop_screen()
                await pilot.pause()
    assert ended == ["as it was", None]


async def test_a_command_is_for_the_screen_that_it_was_chosen_on(walkthrough):
    app = walkthrough()
    async with app.run_test(notifications=True) as pilot:
        first, other = app.screen, HelpScreen(app.screen)
        app.do("screen.do('accept')", first)
        app.do("screen.do('write')", ExportScreen())
        app.push_screen(other)
        await pilot.pause()
        await first.action_do("accept")
        await pilot.pause()
        assert app.screen is other and app.session.entry(first.item.id).conclusion is None
        app.do("screen.dismiss(None)", other)
        await pilot.pause()
        assert app.screen is first
