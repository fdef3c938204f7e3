"""Keys and themes of a person in the walkthrough."""

import re

import pytest
from conftest_tui import help_text, text_of, until
from textual.color import Color

from accucheck import settings
from accucheck.language import Language
from accucheck.settings import Settings
from accucheck.tui.keymap import SCREENS, checked, normal
from accucheck.tui.screens.theme import ThemeScreen
from accucheck.tui.themes import OWN
from accucheck.tui.verbs import key_name
from accucheck.tui.words import WORDS


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("r", "r"),
        ("R", "R"),
        ("F5", "f5"),
        ("Ctrl+R", "ctrl+r"),
        ("^r", "ctrl+r"),
        ("?", "question_mark"),
        ("question_mark", "question_mark"),
        ("Esc", "escape"),
        ("Space", "space"),
        ("shift+F3", "shift+f3"),
        (",", "comma"),
        ("alt+x", "alt+x"),
        ("hyper+x", None),
        ("nokey", None),
        ("F99", None),
        ("", None),
        ("\x1b", None),
        ("ctrl+", None),
    ],
)
def test_keys_as_people_write_them(written, key):
    assert normal(written) == key


def test_a_key_map_of_a_person():
    keymap, errors = checked({"run": "F5", "next": "m, ctrl+n", "note": "N"})
    assert keymap == {"run": "f5", "next": "m,ctrl+n", "note": "N"} and not errors
    keymap, errors = checked({"run": "R", "run-all": "r"})
    assert keymap == {"run": "R", "run-all": "r"} and not errors


@pytest.mark.parametrize(
    ("name", "key", "said"),
    [
        ("rum", "F5", "there is no verb rum, so this line has no effect. Did you mean run?"),
        ("run", "F99", "F99 is not a key, so run keeps its own"),
        ("run", "tab", "tab is needed for navigation"),
        ("run", "e", "e is the key of export already"),
        ("run", "ctrl+q", "ctrl+q is the key of quit-anywhere already"),
    ],
)
def test_what_cannot_be_is_told_with_file_and_line(name, key, said):
    settings.folder().mkdir(parents=True)
    settings.file().write_text(f"# keys of mine\nkeys:\n  note: N\n  {name}: {key}\n")
    keymap, errors = checked(settings.load()[0].keys)
    assert keymap == {"note": "N"}
    (error,) = errors
    assert f"settings.yaml:4: {said}" in error.text(Language.EN) and error.text(Language.ZH)


async def test_keys_in_force_are_those_shown(walkthrough):
    wanted = {"run": "F5", "note": "ctrl+n", "rum": "x", "palette": "F1"}
    app = walkthrough(Language.EN, preferences=Settings(keys=wanted))
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.pause()
        bar = text_of(app).split("\n")[-1]
        assert "F5 run" in bar and "^n note" in bar and " r run" not in bar
        await pilot.pause()
        assert any("no verb rum" in notification.message for notification in app._notifications)
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert type(app.screen).__name__ == "WriteNote"
        await pilot.press("escape")
        await pilot.press("question_mark")
        await pilot.pause()
        assert re.search(r"F5 +Run this item's probes", help_text(app))
        await pilot.press("escape", "ctrl+p")
        await pilot.pause()
        assert type(app.screen).__name__ == "ChecklistScreen"
        await pilot.press("f1")
        await pilot.pause()
        assert type(app.screen).__name__ == "Palette"


async def test_a_theme_is_seen_before_it_is_kept(walkthrough):
    app = walkthrough(Language.EN, preferences=Settings("light"))
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.pause()
        assert app.theme == "light"
        await pilot.press("t", "up")
        await pilot.pause()
        assert isinstance(app.screen, ThemeScreen) and app.theme == "dark"
        await pilot.press("escape")
        await pilot.pause()
        assert app.theme == "light" and not settings.file().exists()
        await pilot.press("t", "up", "enter")
        await pilot.pause()
        assert app.theme == "dark" and settings.load()[0].theme == "dark"


async def test_a_theme_that_is_not_there_is_told(walkthrough):
    app = walkthrough(Language.EN, preferences=Settings("drak"))
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.pause()
        assert app.theme in ("dark", "ansi-dark")
        assert any("no theme drak" in notification.message for notification in app._notifications)


def luminance(color: Color) -> float:
    """Relative luminance, https://www.w3.org/TR/WCAG21/#dfn-relative-luminance"""
    parts = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in color.normalized]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


GROUNDS = ("background", "surface", "panel", "primary-background", "block-cursor-background")
TEXTS = ("foreground", "accent", *(f"text-{name}" for name in ("muted", "success", "error", "warning", "accent")))


@pytest.mark.part(40)
@pytest.mark.parametrize("theme", OWN, ids=[theme.name for theme in OWN])
@pytest.mark.parametrize("ground", [*GROUNDS, "block-cursor-blurred-background"])
@pytest.mark.parametrize("text", [*TEXTS, "text-secondary", "block-cursor-foreground"])
def test_text_is_told_from_its_ground(theme, ground, text):
    colors = theme.to_color_system().generate()
    lights = sorted(luminance(Color.parse(colors[name])) for name in (ground, text))
    assert (lights[1] + 0.05) / (lights[0] + 0.05) >= 4.5


async def test_heads_can_be_read_in_every_theme(walkthrough):
    """textual's own ground of that name is dark in its light themes, whose text is dark too."""
    app = walkthrough()
    async with app.run_test() as pilot:
        for name in [name for name in app.available_themes if "ansi" not in name]:
            app.theme = name
            await pilot.pause()
            bar = app.screen.query_one("TopBar").styles
            lights = sorted(luminance(each) for each in (bar.background, bar.color))
            assert (lights[1] + 0.05) / (lights[0] + 0.05) >= 4, name


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (200, 60)])
async def test_without_colours_only_those_of_the_terminal_are_used(walkthrough, monkeypatch, size):
    monkeypatch.setenv("NO_COLOR", "1")
    app = walkthrough(preferences=Settings(theme="light"))
    async with app.run_test(size=size, notifications=True) as pilot:
        for keys in ((), ("question_mark",), ("escape", "t")):
            await pilot.press(*keys)
            await until(pilot, lambda: "xx.01" in text_of(app) or keys)
            await pilot.pause()
            segments = [each for line in app.screen._compositor.render_strips() for each in line if each.style]
            assert all(each.style.color is None and each.style.bgcolor is None for each in segments)
            lists = size[0] >= 72 or keys == ("question_mark",)  # what a narrow screen shows first has none
            assert not lists or any(each.style.reverse for each in segments), "what is chosen is told from the rest"
        await until(pilot, lambda: "NO_COLOR is set" in text_of(app))


async def test_what_is_said_names_the_keys_of_a_person(walkthrough):
    app = walkthrough(Language.EN, preferences=Settings(keys={"run-all": "F5", "run": "m"}))
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: "F5 runs all probes, m only those" in " ".join(text_of(app).split()))
        await pilot.press("L")
        await until(pilot, lambda: "按 F5 运行全部探针" in " ".join(text_of(app).split()))
    assert app.speech.say("next-ready") == "运行结束，按 w 查看下一步"


def test_texts_name_keys_by_their_verbs():
    """So that they are right with other keys too."""
    known = {verb.id: verb for screen in SCREENS for verb in screen.VERBS}
    for words, entry in WORDS.items():
        assert not re.search(r"按 [A-Za-z\]](?![A-Za-z+])", entry["zh"]), f"{words} names a key and no verb"
        named = [set(re.findall(r"\{@([a-z-]+):(.)\}", entry[language.value])) for language in Language]
        assert named[0] == named[1], f"{words} names other keys in each language"
        assert all(key == key_name(known[name].keys.split(",")[0]) for name, key in named[0]), words


@pytest.mark.parametrize("size", [(60, 15), (80, 24)])
async def test_what_is_chosen_can_be_read_with_16_colours(walkthrough, size):
    """The ground of the cursor is white there, and the terminal's own colour may be as light."""
    app = walkthrough(preferences=Settings(theme="ansi-dark"))
    async with app.run_test(size=size) as pilot:
        for keys in ((), ("question_mark",)):
            await pilot.press(*keys)
            await until(pilot, lambda: "xx.01" in text_of(app) or keys)
            await pilot.pause()
            styles = [each.style for line in app.screen._compositor.render_strips() for each in line if each.style]
            grounded = [each for each in styles if each.bgcolor and not each.bgcolor.is_default and not each.reverse]
            assert not [each for each in grounded if each.color is None or each.color.is_default]
        assert grounded
