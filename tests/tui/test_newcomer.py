"""What a person meets who has never seen the walkthrough, at the edges of screens and of runs."""

import pytest
from conftest_tui import help_text, text_of, until
from textual.widgets import Static, TabbedContent

from accucheck import engine
from accucheck.language import Language
from accucheck.model import Code, Finding, Kind, Level, ProbeResult, Status, Verdict, Where
from accucheck.project import open_project
from accucheck.tui.app import Walkthrough
from accucheck.tui.messages import EngineEvent
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.help import HelpScreen
from accucheck.tui.screens.start import CaseScreen, StartScreen
from accucheck.tui.screens.training import TrainingScreen
from accucheck.tui.widgets.findings import FindingList


def answer_line(app):
    return app.screen.query_one("#answer", Static).content.plain.split("\n")[0]


async def test_what_a_run_replaces_is_known_however_fast_it_is(walkthrough, monkeypatch):
    app = walkthrough()
    old = ProbeResult("fake_clean", Kind.FILE, Status.DONE, Verdict.PROBLEM, [Finding("seen", Level.PROBLEM)])
    app.session.record_result("xx.01", old)
    posted = []
    monkeypatch.setattr(app.runner, "_post", posted.append)  # nothing is told before all is over
    app.runner.start(app.project.jobs({"xx.01"}), live=False)
    app.runner._thread.join(60)
    assert app.session.entry("xx.01").results["fake_clean"].suggestion is Verdict.OK
    async with app.run_test(size=(100, 30)) as pilot:
        assert any(isinstance(each, EngineEvent) and isinstance(each.event, engine.Started) for each in posted)
        for message in posted:
            app.post_message(message)
        await until(pilot, lambda: ("xx.01", "fake_clean") in app.before)
        assert app.before["xx.01", "fake_clean"].suggestion is Verdict.PROBLEM


@pytest.mark.parametrize("language", list(Language))
async def test_all_conclusions_are_in_sight_on_small_screens(walkthrough, language):
    app = walkthrough(language)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.pane is not None and answer_line(app))
        last = "(3) " + app.speech.say("not_applicable")
        assert last in text_of(app) and ("Conclusion  (1)" in answer_line(app)) is False
        await pilot.resize_terminal(140, 24)
        await until(pilot, lambda: answer_line(app).startswith(app.speech.say("tab-conclusion")))


async def test_a_narrow_screen_names_the_key_of_its_list(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(60, 15)) as pilot:
        await until(pilot, lambda: "l list" in text_of(app))
        await pilot.press("l")
        await until(pilot, lambda: "xx.02" in text_of(app))
        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: "l list" not in text_of(app))


async def test_a_wide_screen_shows_no_text_twice(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(200, 40)) as pilot:
        await until(pilot, lambda: "it is wrong" in text_of(app) and "1. Open the" in text_of(app))
        assert text_of(app).count("1. Open the") == 1
        app.screen.query_one(TabbedContent).active = "tab-conclusion"
        await until(pilot, lambda: "1. Open the" in text_of(app) and text_of(app).count("it is wrong") == 1)


async def test_ascii_means_ascii_where_text_is_cut_too(tmp_path):
    (tmp_path / "accucheck.yaml").write_text(
        "name: a name that is much too long for the line at the top of the screen\n"
    )
    project = open_project(tmp_path, session="try")
    app = Walkthrough(project, Language.EN, only_ascii=True)
    try:
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: "Too many missing" in text_of(app) and "How to check" in text_of(app))
            assert text_of(app).isascii()
    finally:
        app.runner.close()
        project.session.close()


async def test_help_on_a_small_screen_has_room_for_the_keys(walkthrough):
    app = walkthrough(Language.ZH)
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        assert "运行本项的探针" in text_of(app) and "运行本项的探针" in help_text(app)
        assert "探针只给出建议" not in text_of(app)  # or its end would be cut


async def test_a_probe_that_waits_for_its_turn_is_not_offered(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.screen.pane is not None)
        app.screen._open_tab("tab-evidence")
        await until(pilot, lambda: "fake_clean: not run yet, r runs it" in text_of(app))
        app.runner.start(app.project.jobs({"xx.03"}), live=False)
        await until(pilot, lambda: app.running)
        app.screen.pane.show_findings(app.screen.item)
        await until(pilot, lambda: "fake_clean: not run yet" in text_of(app) and "r runs it" not in text_of(app))
        app.runner.cancel()
        await until(pilot, lambda: not app.runner.busy)


async def test_code_is_named_by_the_line_meant(walkthrough):
    app = walkthrough()
    code = Code("train.py", 17, "one\ntwo\nthree", [19])
    found = Finding("seen", Level.PROBLEM, where=Where("train.py", 19), evidence=[code], data={"n": 1})
    app.session.record_result("xx.01", ProbeResult("fake_clean", Kind.FILE, Status.DONE, Verdict.PROBLEM, [found]))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.screen.pane is not None)
        app.screen._open_tab("tab-evidence")
        await until(pilot, lambda: "train.py:19" in text_of(app))
        assert "train.py:17" not in text_of(app)
        await until(pilot, lambda: app.screen.query_one(FindingList).option_count > 1)
        await pilot.press("v")
        await until(pilot, lambda: not isinstance(app.screen, ChecklistScreen))
        await until(pilot, lambda: text_of(app).count("train.py:19") == 1)


@pytest.mark.parametrize("language", list(Language))
async def test_a_case_without_a_file_names_the_key_that_saves_it(walkthrough, language):
    app = walkthrough(language, case=None)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, TrainingScreen))
        await pilot.press("1")
        await until(pilot, lambda: isinstance(app.screen, StartScreen))
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, CaseScreen))
        wanted = {"zh": "s 保存", "en": "s saves"}[language.value]
        await until(pilot, lambda: wanted in text_of(app) and " b " not in text_of(app))


async def test_nothing_out_of_date_leaves_one_where_one_is(walkthrough):
    app = walkthrough()
    found = Finding("seen", Level.PROBLEM, data={"n": 1})
    app.session.record_result("xx.01", ProbeResult("fake_clean", Kind.FILE, Status.DONE, Verdict.PROBLEM, [found]))
    app.project.stale = set  # as of results that are up to date
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: app.screen.pane is not None)
        await pilot.press("v")
        await until(pilot, lambda: not isinstance(app.screen, ChecklistScreen))
        screen = app.screen
        await pilot.press("x")
        await until(pilot, lambda: app.speech.say("stale-none") in text_of(app))
        assert app.screen is screen


async def test_a_session_without_its_project_says_so_and_offers_no_case(tmp_path, walkthrough):
    app = walkthrough()
    app.session.answer("xx.01", Verdict.OK)
    app.session.save()
    alone = tmp_path / "alone.json"
    alone.write_bytes(app.session.path.read_bytes())
    other = Walkthrough(open_project(alone, [str(tmp_path / "fakes.yaml")], session="try"), Language.ZH)
    try:
        async with other.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: "alone.json" in text_of(other))
            assert other.screen.why_not("case") and other.screen.why_not("run")
            await pilot.press("L")
            await until(pilot, lambda: "a session without its project" in " ".join(text_of(other).split()))
    finally:
        other.runner.close()
        other.session.close()
