"""The export screen: what is chosen is written, what is private is told and left out, and what may still be is accepted one by one."""

import asyncio
import json
import threading
import time
import zipfile

import pytest
from conftest_tui import text_of, until
from textual.widgets import Checkbox, Input, OptionList, RadioButton

from accucheck import report
from accucheck.language import Language
from accucheck.model import Verdict
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.dialogs import Choose
from accucheck.tui.screens.export import ExportScreen
from accucheck.tui.screens.help import HelpScreen

ADDRESS, MAIL = "10.20." + "30.40", "li" + "@corp-mail.cn"


async def opened(pilot, folder, *formats, **fields):
    """The export screen with these formats ticked and these inputs filled in, after the preview has come."""
    await pilot.press("e")
    await until(pilot, lambda: isinstance(pilot.app.screen, ExportScreen))
    screen = pilot.app.screen
    for name in report.FORMATS:
        screen.query_one(f"#format-{name}", Checkbox).value = name in formats
    for name, value in {"folder": folder, **fields}.items():
        screen.query_one(f"#{name}", Input).value = str(value)
    await until(pilot, lambda: said(screen, "preview") not in ("", pilot.app.speech.say("export-looking")))
    return screen


async def written(pilot, screen):
    await pilot.press("w")
    await until(pilot, lambda: screen.results)


def said(screen, part):
    """What a part of the screen says, in one line: where it breaks depends on the width."""
    return " ".join(str(screen.query_one(f"#{part}").content).split())


def noted(walkthrough, note, *files, **options):
    """The walkthrough over a session with a conclusion that has this note, and these files attached."""
    app = walkthrough(**options)
    app.session.answer("xx.01", Verdict.OK, note, "Li")
    for path in files:
        app.session.attach("xx.01", str(path))
    return app


@pytest.fixture
def dump(tmp_path):
    """An archive with two addresses in it, which the redaction does not look into and the second pass does."""
    path = tmp_path / "project" / "dump.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("host.txt", f"scheduler at {ADDRESS}")
        archive.writestr("mail.txt", f"ask {MAIL}")
    return "dump.zip"


async def test_every_format_that_is_ticked_is_written_and_nothing_is_overwritten(walkthrough, tmp_path):
    app, out = noted(walkthrough, "fine"), tmp_path / "out"
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await opened(pilot, out, *report.FORMATS)
        await written(pilot, screen)
        endings = {form.ending for form in report.FORMATS.values()}
        assert {path.name for path in app.written} == {f"demo-accuracy.{ending}" for ending in endings}
        assert all(path.stat().st_size for path in app.written)
        await until(pilot, lambda: "demo-accuracy.sarif" in said(screen, "paths"))
        before = {path: path.read_bytes() for path in app.written}
        screen.query_one("#format-json", Checkbox).value = False
        await written(pilot, screen)
        assert (out / "demo-accuracy-2.md").is_file() and not (out / "demo-accuracy-2.json").exists()
        assert before == {path: path.read_bytes() for path in before}


@pytest.mark.parametrize(
    "chosen, words", [("zh", ["无问题"]), ("en", ["no problem"]), ("both", ["无问题", "no problem"])]
)
async def test_the_report_speaks_the_language_that_was_chosen(walkthrough, tmp_path, chosen, words):
    app = noted(walkthrough, "fine")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await opened(pilot, tmp_path / "out", "md")
        screen.query_one(f"#{chosen}", RadioButton).value = True
        await written(pilot, screen)
        text = app.written[0].read_text().lower()
        assert [word for word in ("无问题", "no problem") if word in text] == words


@pytest.mark.parametrize("language, kind", [(Language.ZH, "IP 地址：1"), (Language.EN, "IP addresses: 1")])
async def test_the_preview_counts_what_is_hidden(walkthrough, tmp_path, language, kind):
    app = noted(walkthrough, f"seen at {ADDRESS}", language=language)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await opened(pilot, tmp_path / "out", "json")
        assert kind in text_of(app) and ADDRESS not in text_of(app)
        await written(pilot, screen)
        assert ADDRESS not in app.written[0].read_text()


async def test_private_data_stays_in_only_when_that_is_confirmed(walkthrough, tmp_path):
    app = noted(walkthrough, f"seen at {ADDRESS}")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await opened(pilot, tmp_path / "out", "json")
        hidden = screen.query_one("#redact", Checkbox)
        hidden.focus()
        for answer, stays in (("escape", True), ("enter", True), ("down,enter", False)):
            await pilot.press("space")
            await until(pilot, lambda: isinstance(app.screen, Choose))
            assert "secrets stay" in text_of(app)
            await pilot.press(*answer.split(","))
            await until(pilot, lambda: app.screen is screen)
            assert hidden.value is stays
            await until(pilot, lambda stays=stays: ("IP addresses" in said(screen, "preview")) is stays)
        assert "secrets stay" in said(screen, "preview")
        await written(pilot, screen)
        assert ADDRESS in app.written[0].read_text()


@pytest.mark.parametrize("language", list(Language))
async def test_what_may_still_be_private_is_listed_and_accepted_one_by_one(walkthrough, tmp_path, dump, language):
    app, out = noted(walkthrough, "see the dump", dump, language=language), tmp_path / "out"
    say = app.speech.say
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await opened(pilot, out, "md")
        await pilot.press("a")
        await until(pilot, lambda: any(say("export-none-left") in one.message for one in app._notifications))
        await written(pilot, screen)
        await until(pilot, lambda: len(screen.query_one("#left", OptionList).options) == 2)
        told = ["".join(str(each.prompt).split()) for each in screen.query_one("#left", OptionList).options]
        assert "!host.txt" in told[0] and "!mail.txt" in told[1]
        assert not any(private in text_of(app) + "".join(told) for private in (ADDRESS, MAIL))
        assert f" a {say('key-allow')}" in text_of(app).split("\n")[-1]
        assert (out / "demo-accuracy-unfinished.md").is_file()
        await pilot.press("down", "a")  # the mail
        await until(pilot, lambda: screen.results and len(screen.left) == 1)
        assert screen.left[0].kind == "ip"
        await until(pilot, lambda: len(screen.query_one("#left", OptionList).options) == 1)
        await pilot.press("a")
        await until(pilot, lambda: screen.results and not screen.left)
        await until(pilot, lambda: not screen.query_one("#left").display)
    names = {path.name for path in out.iterdir()}
    assert not [name for name in names if "unfinished" in name]
    assert [path.suffix for path in app.written] == [".md"] and app.written[0].name in names


async def test_an_unfinished_report_that_somebody_changed_stays(walkthrough, tmp_path, dump):
    app, out = noted(walkthrough, "see the dump", dump), tmp_path / "out"
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await opened(pilot, out, "md")
        await written(pilot, screen)
        changed = out / "demo-accuracy-unfinished.md"
        state = screen._write

        def meanwhile(job, replaced):
            changed.write_text("mine")
            return state(job, replaced)

        screen._write = meanwhile
        await pilot.press("a")
        await until(pilot, lambda: screen.results and len(screen.left) == 1)
        assert changed.read_text() == "mine"


@pytest.mark.parametrize("language", list(Language))
async def test_the_issue_is_written_and_its_blanks_are_named(walkthrough, tmp_path, language):
    app = noted(walkthrough, "fine", language=language)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await opened(pilot, tmp_path / "out")
        await pilot.press("y")
        await until(pilot, lambda: any(app.speech.say("export-no-address") in n.message for n in app._notifications))
        screen.query_one("#to-github", RadioButton).value = True
        await written(pilot, screen)
        names = {"demo-issue.md", "demo-issue.fields.txt", "demo-issue.zip"}
        assert {path.name for path in app.written} == names == {path.name for path in (tmp_path / "out").iterdir()}
        told = said(screen, "paths").replace(" ", "")
        assert all(name in told for name in names)
        label = {Language.ZH: "预期结果", Language.EN: "Describetheexpectedbehavior"}[language]
        assert label in told and "https://github.com/mindspore-ai/mindspore/issues/new" in told
        await pilot.press("y")
        assert app.clipboard == screen.address and "title=" in app.clipboard


async def test_a_report_that_fails_says_why_and_writes_nothing(walkthrough, tmp_path):
    app = noted(walkthrough, "fine")
    (tmp_path / "taken").write_text("")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await opened(pilot, tmp_path / "taken", "md")
        screen.query_one("#to-gitee", RadioButton).value = True
        await written(pilot, screen)
        assert said(screen, "paths").count("taken") == 1  # the report and the issue fail alike
        for folder, template, words in (
            ("~nobody-of-this-name\0/x", "", "~nobody-of-this-name"),
            (tmp_path / "out", tmp_path / "none.md.j2", "none.md.j2"),
            (tmp_path / "out", tmp_path / "own.txt", ".md.j2"),
        ):
            screen.query_one("#to-none", RadioButton).value = True
            screen.query_one("#folder", Input).value = str(folder)
            screen.query_one("#template", Input).value = str(template)
            screen.results = {}
            if "\0" not in str(folder):
                await written(pilot, screen)
                await until(pilot, lambda words=words: words in said(screen, "paths").replace(" ", ""))
            else:
                assert str(screen._path("folder")) == "~nobody-of-this-name/x"
        assert not app.written and not (tmp_path / "out").exists()


async def test_a_template_of_ones_own_makes_its_format_and_its_fault_is_told(walkthrough, tmp_path):
    app = noted(walkthrough, "fine")
    own = tmp_path / "own.md.j2"
    own.write_text("OWN {{ report.case }}\n")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await opened(pilot, tmp_path / "out", template=own)
        await written(pilot, screen)
        assert [path.read_text().strip() for path in app.written] == ["OWN demo"]
        own.write_text("one\n{{ broken\n")
        await written(pilot, screen)
        await until(pilot, lambda: "own.md.j2:2" in said(screen, "paths"))


async def test_nothing_chosen_is_said(walkthrough, tmp_path):
    app = walkthrough()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await opened(pilot, tmp_path / "out")
        await pilot.press("w")
        await until(pilot, lambda: "Choose a format" in text_of(app))
        assert not (tmp_path / "out").exists()


async def test_the_screen_goes_on_while_it_is_written_and_may_be_left(walkthrough, tmp_path, monkeypatch):
    app = noted(walkthrough, "fine")
    go, real = threading.Event(), report.write_project

    def slowly(*given):
        assert go.wait(60)
        return real(*given)

    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await opened(pilot, tmp_path / "out", "json")
        monkeypatch.setattr(report, "write_project", slowly)
        await pilot.press("w")
        await until(pilot, lambda: "Writing the report" in text_of(app))
        await pilot.press("w")
        await until(pilot, lambda: any("please wait" in one.message for one in app._notifications))
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and "space ticks" in text_of(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        go.set()
        await until(pilot, lambda: any("demo-accuracy.json" in one.message for one in app._notifications))
        assert json.loads(app.written[0].read_text())["items"]


async def test_what_is_being_written_when_the_app_ends_is_written_and_known(walkthrough, tmp_path, monkeypatch):
    app = noted(walkthrough, "fine")
    go, real = threading.Event(), report.write_project
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await opened(pilot, tmp_path / "out", "json")
        monkeypatch.setattr(report, "write_project", lambda *given: go.wait(60) and real(*given))
        await pilot.press("w")
        await until(pilot, lambda: "Writing the report" in said(screen, "paths"))
        await pilot.press("ctrl+q")
    go.set()
    deadline = time.monotonic() + 60
    while not app.written and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [path.name for path in app.written] == ["demo-accuracy.json"] and app.written[0].is_file()


async def test_what_a_thread_tells_while_the_language_changes_harms_nothing(walkthrough, tmp_path):
    app = noted(walkthrough, f"see {ADDRESS}")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await opened(pilot, tmp_path / "out", "md")
        await written(pilot, screen)
        found, results = list(screen._found), screen.results
        remade = asyncio.create_task(screen.rebuild())
        states = set()
        while not remade.done():
            screen._show_preview(*found)
            screen._show(("export-working-report", ""))
            screen._done(results)
            states.add(bool(screen.query("#redact")))
            await asyncio.sleep(0)
        await remade
        assert states == {True, False}  # there was a moment without widgets
        assert "demo-accuracy.md" in said(screen, "paths")
        await until(pilot, lambda: said(screen, "preview") not in ("", app.speech.say("export-looking")))


@pytest.mark.parametrize("language", list(Language))
async def test_a_usual_terminal_shows_all_and_a_small_one_scrolls(walkthrough, tmp_path, language):
    app = noted(walkthrough, f"seen at {ADDRESS}", language=language)
    say = app.speech.say
    names = ["Markdown", "Word", "HTML", "JSON", "SARIF", "JUnit", "AtomGit", "GitCode", "Gitee", "GitHub", "English"]
    names += [say("export-both"), say("export-no-issue"), say("export-write"), say("key-write"), say("key-back")]
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await opened(pilot, tmp_path / "out", "md")
        assert not [name for name in names if name not in text_of(app)]
        assert app.screen.query_one("#all").max_scroll_y == 0
        await pilot.resize_terminal(60, 15)
        await until(pilot, lambda: app.screen.has_class("-narrow"))
        seen = text_of(app)
        for _ in range(14):
            await pilot.press("tab")
            await pilot.pause(0.05)
            seen += text_of(app)
        assert not [name for name in names if name not in seen]
        assert app.screen.query_one("#all").max_scroll_x == 0
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
