"""The walkthrough by keys: items, runs, answers, evidence, report; in both languages and sizes."""

import gc
import json
import operator
import os
import re
import threading
import weakref

import msgspec
import pytest
from conftest_tui import text_of, until
from rich.style import Style
from textual.command import CommandList
from textual.events import Click
from textual.widgets import Checkbox, Input, TextArea

from accucheck import checklist, engine
from accucheck.errors import SaveError
from accucheck.language import Language
from accucheck.model import (
    Finding,
    Histogram,
    Kind,
    Level,
    Note,
    ProbeResult,
    Progress,
    Status,
    Table,
    Verdict,
    Where,
)
from accucheck.project import open_project
from accucheck.session import open_session
from accucheck.settings import Settings
from accucheck.tui.app import Walkthrough
from accucheck.tui.messages import EngineEvent, RunEnded, SaveEnded, StaleChecked
from accucheck.tui.note_editor import edit_note
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.dialogs import Choose, WriteNote
from accucheck.tui.screens.evidence import EvidenceScreen
from accucheck.tui.screens.export import ExportScreen
from accucheck.tui.screens.help import HelpScreen
from accucheck.tui.signs import Speech
from accucheck.tui.widgets import findings as findings_of
from accucheck.tui.widgets.findings import FindingList
from accucheck.tui.widgets.items import ItemList


def stored(app, item):
    return open_session(app.session.folder.parent, write=False).entry(item)


class Ring:
    """What only a look for garbage takes away."""

    def __init__(self):
        self.self = self


async def go(pilot, item):
    pilot.app.screen.query_one(ItemList).go(item)
    await pilot.pause()


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (100, 40), (200, 60)])
@pytest.mark.parametrize("language", list(Language))
async def test_it_opens_in_every_size(walkthrough, size, language):
    app = walkthrough(language)
    async with app.run_test(size=size, notifications=True) as pilot:
        method = "检查方法" if language is Language.ZH else "Method"
        await until(pilot, lambda: "xx.01" in text_of(app) and method in text_of(app))
        text = text_of(app)
        assert "0/7" in text
        assert all(len(line) <= size[0] for line in text.split("\n"))
        if size[0] >= 72:
            assert "xx.04" in text


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (140, 45)])
@pytest.mark.parametrize("language", list(Language))
async def test_each_item_of_the_list_can_be_recognised(tmp_path, language, size):
    """Where its title has no room, what it is about is shown, and that is never cut."""
    (tmp_path / "accucheck.yaml").write_text("name: demo\n")
    project = open_project(tmp_path, session="try")
    app = Walkthrough(project, language)
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            await until(pilot, lambda: app.screen.query("ItemList") and app.screen.query_one(ItemList).option_count)
            await until(pilot, lambda: "(3)" in text_of(app))
            assert ("不适用" if language is Language.ZH else "(3) n") in text_of(app), "the last conclusion is not cut"
            assert "…" not in text_of(app).split("(3)")[1].split("\n")[0]
            if size[0] < 78:
                await pilot.press("l")
            for reviewed in (False, True):
                for each in project.items:
                    review = "accepted" if reviewed else ""
                    app.screen.query_one(ItemList).set_state(app.speech, each, "problem", False, review)
                await pilot.pause()
                for option in app.screen.query_one(ItemList).options:
                    assert "…" not in str(option.prompt), "the item can be told by its line"
                assert len([option for option in app.screen.query_one(ItemList).options if option.id]) == 24
    finally:
        app.runner.close()
        app.session.close()


async def test_states_may_be_known_before_the_list_is_filled(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True):
        await app.screen.query_one(ItemList).remove()
        await app.screen.query_one("#left").mount(ItemList(id="items", markup=False))
        app.on_stale_checked(StaleChecked({("xx.01", "fake_clean")}))
        assert app.screen.query_one(ItemList).option_count == 0


async def test_evidence_that_was_left_before_it_was_painted(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        finding = Finding("x", Level.PROBLEM, evidence=[Note("n", "x")])
        app.session.record_result("xx.01", ProbeResult("p", Kind.FILE, Status.DONE, Verdict.PROBLEM, [finding]))
        app._refresh()
        for _ in range(20):
            screen = EvidenceScreen([("p", finding, 0)], 0)
            await app.push_screen(screen)
            await app.pop_screen()
            app.screen._invoke_later(screen.rebuild, screen)  # as a paint does that came late
            await pilot.pause()
            assert isinstance(app.screen, ChecklistScreen)


async def test_garbage_is_looked_for_between_keys(walkthrough, monkeypatch):
    monkeypatch.setattr("accucheck.tui.settling.SWEEPS", 0)
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app._sweeper is not None)
        gc.disable()
        try:
            new, old = Ring(), Ring()
            gc.collect(0), gc.collect(1)  # `old` is no longer among the new ones
            gone = [weakref.ref(ring) for ring in (new, old)]
            del new, old
            await pilot.press("]")
            assert all(ring() is not None for ring in gone)
            await until(pilot, lambda: all(ring() is None for ring in gone))
        finally:
            gc.enable()


async def test_findings_that_are_shown_are_not_made_again(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await go(pilot, "xx.02")
        await pilot.press("r")
        await until(pilot, lambda: "bad 1" in text_of(app))
        await until(pilot, lambda: not app.runner.busy)
        pane, findings, item = app.screen.pane, app.screen.query_one(FindingList), app.screen.item
        pane.show_findings(item)
        shown = [*findings.options]
        pane.show_findings(item)
        assert all(map(operator.is_, findings.options, shown))
        await app.action_switch_language()
        pane.show_findings(item)
        translated = [*findings.options]
        assert not any(map(operator.is_, translated, shown))
        app.session.record_result(
            item.id, msgspec.structs.replace(next(iter(app.session.entry(item.id).results.values())))
        )
        pane.show_findings(item)
        assert not any(map(operator.is_, findings.options, translated))


async def test_untrusted_text_is_text(walkthrough):
    app = walkthrough(case='name: "[bold]x[/] \\e[31m\\u202e"\n')
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: "[red]data[/red]" in text_of(app))
        assert "[bold]x[/] \\x1b[31m\\u202e" in text_of(app)
        hostile = "[red]a\x1b[2Jb\u202ec\nd[/]"
        table = Table(hostile, [hostile], [[hostile], [1.5]])
        finding = Finding(
            hostile, Level.PROBLEM, Where(path=hostile, name=hostile), evidence=[table, Note("n", hostile)]
        )
        result = ProbeResult("gone_probe", Kind.FILE, Status.DONE, Verdict.PROBLEM, [finding], log=hostile)
        app.session.record_result("xx.01", result)
        app._refresh()
        await pilot.press("v")
        await pilot.pause()
        assert isinstance(app.screen, EvidenceScreen)
        for _ in range(4):
            text = text_of(app)
            assert "\x1b" not in text and "\u202e" not in text
            await pilot.press("right")
            await pilot.pause()


async def test_run_shows_progress_findings_and_a_greyed_suggestion(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await go(pilot, "xx.02")
        await pilot.press("r")
        await until(pilot, lambda: app.session.entry("xx.02").results)
        await until(pilot, lambda: "suggests: problem" in text_of(app))
        assert "bad 1" in text_of(app)
        assert app.state(app.project.items[1]) == ("problem", True)
        assert app.session.entry("xx.02").conclusion is None
        await pilot.press("enter")
        await until(pilot, lambda: app.saved == "saved")
        assert stored(app, "xx.02").conclusion is Verdict.PROBLEM


async def test_answers_notes_and_undo_are_saved_at_once(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await go(pilot, "xx.04")
        await pilot.press("2")
        await until(pilot, lambda: app.saved == "saved" and stored(app, "xx.04").conclusion is Verdict.OK)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, WriteNote))
        await pilot.press(*"why", "ctrl+j", *"not", "enter")
        await until(pilot, lambda: stored(app, "xx.04").note == "why\nnot")
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, WriteNote))
        await pilot.press(*"!", "escape")  # Esc keeps what was typed
        await until(pilot, lambda: stored(app, "xx.04").note == "why\nnot!")
        await pilot.press("u", "u", "u")
        await until(pilot, lambda: stored(app, "xx.04").conclusion is None)
        assert stored(app, "xx.04").note == ""
        assert [change.what for change in stored(app, "xx.04").history][:2] == ["concluded", "noted"]
        await pilot.press("u")
        await until(pilot, lambda: "nothing to undo" in text_of(app))


async def test_overruling_a_suggestion_offers_a_note(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await go(pilot, "xx.05")  # not applicable by the case
        await pilot.press("2")
        await until(pilot, lambda: isinstance(app.screen, WriteNote))
        assert app.session.entry("xx.05").conclusion is Verdict.OK
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        assert app.session.entry("xx.05").note == ""


async def test_accept_all_takes_ok_and_not_applicable_after_one_question(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await go(pilot, "xx.01")
        await pilot.press("r")
        await until(pilot, lambda: app.session.entry("xx.01").results and not app.runner.busy)
        await pilot.press("A")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        assert "xx.01" in text_of(app) and "xx.05" in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.session.entry("xx.05").conclusion is Verdict.NOT_APPLICABLE)
        assert app.session.entry("xx.01").conclusion is Verdict.OK
        assert app.session.entry("xx.02").conclusion is None


async def test_what_a_probe_may_still_say_something_of_is_not_accepted(walkthrough, tmp_path, monkeypatch):
    text = (tmp_path / "fakes.yaml").read_text()
    (tmp_path / "fakes.yaml").write_text(text.replace("[fake_clean]", "[fake_clean, fake_problem]", 1))
    app = walkthrough()
    real, go_on = app.project.run, threading.Event()

    def halting(jobs, **options):
        yield from real(jobs[:1], **options)
        go_on.wait()
        yield from real(jobs[1:], **{**options, "cancel": None})  # the first run has set its own

    monkeypatch.setattr(app.project, "run", halting)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await go(pilot, "xx.01")
        await pilot.press("r")
        await until(pilot, lambda: app.session.entry("xx.01").results and not app.running)
        item = app.screen.item
        assert app.runner.busy and app.project.suggestion(item) is Verdict.OK
        assert "xx.01" not in [each.id for each, _ in app.screen._acceptable()]
        await pilot.press("enter")
        await until(pilot, lambda: "Probes of this item are still running" in text_of(app))
        assert app.session.entry("xx.01").conclusion is None
        go_on.set()
        await until(pilot, lambda: not app.runner.busy and len(app.session.entry("xx.01").results) == 2)
        await until(pilot, lambda: app.screen.why_not("accept") is None)
        await pilot.press("enter")
        await until(pilot, lambda: app.session.entry("xx.01").conclusion is Verdict.PROBLEM)


async def test_a_cancelled_run_takes_no_complete_result_away(walkthrough):
    app = walkthrough()
    before = ProbeResult("fake_slow", Kind.FILE, Status.DONE, Verdict.OK, started="2026-01-01T00:00:00Z")
    app.session.record_result("xx.03", before)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await go(pilot, "xx.03")
        await pilot.press("r")
        await until(pilot, lambda: app.running and next(iter(app.running.values()))[1])
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "Done and saved: 0 of 1" in text_of(app))
        await pilot.press("escape")  # a second one changes nothing: the run goes on
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        assert app.runner.busy
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("enter")
        await until(pilot, lambda: not app.runner.busy and "1 probe cancelled" in text_of(app))
        assert app.session.entry("xx.03").results == {"fake_slow": before}
        assert ("xx.03", "fake_slow") in app.project.stale(), "it was made of something else"


async def test_the_question_whether_to_stop_goes_with_the_run(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await go(pilot, "xx.03")
        await pilot.press("r")
        await until(pilot, lambda: app.running and next(iter(app.running.values()))[1])
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        app.runner.cancel()  # as if it had ended by itself
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        assert not app.runner.busy


async def test_escape_cancels_a_run_and_keeps_what_was_found(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await go(pilot, "xx.03")
        await pilot.press("r")
        await until(pilot, lambda: app.running and next(iter(app.running.values()))[1])
        await pilot.press("r")  # busy: said, not done
        await until(pilot, lambda: "Probes are running" in text_of(app))
        await go(pilot, "xx.04")
        await pilot.press("1")  # other items stay usable
        assert app.session.entry("xx.04").conclusion is Verdict.PROBLEM
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("enter")
        await until(pilot, lambda: not app.runner.busy and app.session.entry("xx.03").results)
        await until(pilot, lambda: ("xx.03", "fake_slow") in app.stale)
        assert app.project.stale() == {("xx.03", "fake_slow")}, "what was cancelled is out of date"
        result = app.session.entry("xx.03").results["fake_slow"]
        assert result.status is Status.CANCELLED and len(result.findings) == 1


async def test_a_crash_is_shown_as_failed_never_as_ok(walkthrough):
    app = walkthrough(Language.ZH)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await go(pilot, "xx.06")
        await pilot.press("r")
        await until(pilot, lambda: app.session.entry("xx.06").results and not app.runner.busy)
        await until(pilot, lambda: "探针失败" in text_of(app))
        await until(pilot, lambda: "SIGSEGV" in text_of(app))
        assert app.state(app.project.items[5]) == ("failed", True)
        await pilot.press("enter")
        await pilot.pause()
        assert app.session.entry("xx.06").conclusion is None


@pytest.mark.parametrize("answer", ["consent-no", "consent-once", "consent-always"])
async def test_live_probes_ask_first(walkthrough, answer):
    app = walkthrough(case="pipelines: {train: {call: 'a:b'}}\n")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        for visit in range(2):
            await go(pilot, "xx.07")
            await pilot.press("r")
            if visit and answer == "consent-always":
                break
            await until(pilot, lambda: isinstance(app.screen, Choose))
            assert "a:b" in text_of(app)
            await pilot.press(*["down"] * ["consent-no", "consent-once", "consent-always"].index(answer), "enter")
            await until(pilot, lambda: app.session.entry("xx.07").results and not app.runner.busy)
            status = app.session.entry("xx.07").results["fake_live"].status
            assert status is (Status.SKIPPED if answer == "consent-no" else Status.DONE)
        await until(pilot, lambda: not app.runner.busy and isinstance(app.screen, ChecklistScreen))


async def test_engine_messages_alone_drive_the_screen(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await go(pilot, "xx.01")
        job = engine.Job("xx.01", "fake_clean")
        app.screen._open_tab("tab-evidence")
        app.post_message(EngineEvent(engine.Started(job)))
        app.post_message(EngineEvent(engine.ProgressEvent(job, Progress(50, 200, "rows"))))
        app.post_message(EngineEvent(engine.FindingEvent(job, Finding("seen", Level.SUSPECT, data={"n": 42}))))
        await until(pilot, lambda: "seen 42" in text_of(app) and "50/200 rows" in text_of(app))
        assert "50/200 rows  " in text_of(app) and "/s" in text_of(app)
        app.running[job.item, job.probe][0].since -= 100  # one row in two seconds
        app.post_message(EngineEvent(engine.ProgressEvent(job, Progress(51, 200, "rows"))))
        await until(pilot, lambda: "51/200 rows" in text_of(app))
        assert "/s" not in text_of(app) and "left  Esc cancels" in text_of(app)
        result = ProbeResult("fake_clean", Kind.FILE, Status.DONE, Verdict.OK)
        app.session.record_result("xx.01", result)
        app.post_message(EngineEvent(engine.Finished(job, result)))
        app.post_message(RunEnded())
        await until(pilot, lambda: "suggests: no problem" in text_of(app))


async def test_of_ten_thousand_findings_only_those_in_sight_are_put_into_words(walkthrough, monkeypatch):
    told = []
    message = findings_of.message_of
    monkeypatch.setattr(findings_of, "message_of", lambda *data: told.append(data[1]) or message(*data))
    app = walkthrough()
    found = [Finding("seen", Level.INFO, data={"n": n}) for n in range(10_000)]
    app.session.record_result("xx.01", ProbeResult("fake_clean", Kind.FILE, Status.DONE, Verdict.OK, found))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: app.screen.pane is not None)
        app.screen._open_tab("tab-evidence")
        await until(pilot, lambda: "seen 10" in text_of(app))
        assert len(told) < 200
        assert app.screen.query_one(FindingList).option_count < 300


async def test_a_failed_save_is_said_and_tried_again(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        app.post_message(SaveEnded(SaveError("disk-full", path="/x")))
        await until(pilot, lambda: isinstance(app.screen, Choose))
        assert "disk or the quota is full" in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: "not saved" in text_of(app))
        await pilot.press("1")
        await until(pilot, lambda: app.saved == "saved")


async def test_an_error_is_said_beside_a_question_that_is_open(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.pause()
        app.push_screen(Choose("Go on?", "", [("yes", "Yes")]))
        await until(pilot, lambda: isinstance(app.screen, Choose))
        app.post_message(RunEnded(SaveError("disk-full", path="/x")))
        await until(pilot, lambda: "the disk or the quota" in text_of(app))
        assert "Go on?" in text_of(app)


async def test_an_error_that_is_open_is_said_once(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.pause()
        for _ in range(3):
            app.post_message(SaveEnded(SaveError("disk-full", path="/x")))
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.pause()
        assert not app._notifications and sum(isinstance(screen, Choose) for screen in app.screen_stack) == 1


async def test_a_second_opener_can_look_but_not_change(walkthrough):
    first, second = walkthrough(), walkthrough()
    assert not first.session.read_only
    async with second.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("1")
        await until(pilot, lambda: "read-only:" in text_of(second))
        text = text_of(second)
        assert "read-only" in text and f"pid {os.getpid()}" in text.replace("\n", "")
        assert second.session.entry("xx.01").conclusion is None
        await pilot.press("r")  # probes may be run and looked at, but nothing is written
        await until(pilot, lambda: second.session.entry("xx.01").results and not second.runner.busy)
        await until(pilot, lambda: "suggests: no problem" in text_of(second))
        assert second.saved == "read-only" and not stored(second, "xx.01").results


async def test_a_changed_input_marks_the_result_as_out_of_date(walkthrough):
    app = walkthrough(case="name: demo\n")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: app.session.entry("xx.01").results and not app.runner.busy)
        app.runner.look_for_stale()
        await pilot.pause(0.3)
        assert app.stale == set()
        result = app.session.entry("xx.01").results["fake_clean"]
        app.session.record_result("xx.01", msgspec.structs.replace(result, inputs="of another time"))
        app.runner.look_for_stale()
        await until(pilot, lambda: app.stale == {("xx.01", "fake_clean")})
        await until(pilot, lambda: "out of date" in text_of(app))


async def test_filter_finds_by_id_and_title(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("slash", *"xx.0", "4", "enter")
        items = app.screen.query_one(ItemList)
        assert [option.id for option in items.options if option.id] == ["xx.04"]
        assert app.screen.item.id == "xx.04"
        await pilot.press("escape")
        await pilot.pause()
        assert len([option for option in items.options if option.id]) == 7


async def test_language_changes_at_run_time_and_keeps_the_place(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await go(pilot, "xx.04")
        await pilot.press("L")
        await until(pilot, lambda: "检查 xx.04" in text_of(app) and "结论" in text_of(app))
        assert app.screen.item.id == "xx.04"
        await pilot.press("L")
        await until(pilot, lambda: "Check xx.04" in text_of(app))


async def test_help_and_palette(walkthrough):
    app = walkthrough(Language.ZH)
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        assert "检查项列表" in text_of(app)
        await pilot.press("escape", "ctrl+p")
        await until(pilot, lambda: "搜索命令" in text_of(app))
        await pilot.press(*"生成", "enter")
        await until(pilot, lambda: isinstance(app.screen, ExportScreen))


async def test_a_click_beside_all_widgets_leaves_the_palette_as_it_is(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "Search the commands" in text_of(app))
        palette = app.screen
        palette.post_message(Click(palette, 0, 0, 0, 0, 1, False, False, False, 300, 300))
        await pilot.pause()
        assert app.screen is palette
        palette.post_message(Click(palette, 0, 0, 0, 0, 1, False, False, False, 0, 0))
        await until(pilot, lambda: app.screen is not palette)


async def test_a_click_on_a_line_that_is_gone_does_nothing(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "Search the commands" in text_of(app))
        lines = app.screen.query_one(CommandList)
        await until(pilot, lambda: lines.option_count)
        for place in (lines.option_count, 1000):
            style = Style(meta={"option": place})
            lines.post_message(Click(lines, 0, 0, 0, 0, 1, False, False, False, 1, 5, style))
        await pilot.pause()
        assert lines.is_attached


@pytest.mark.parametrize("size", [(100, 40), (60, 15), (20, 5)])
async def test_many_lines_of_a_note_are_undone_and_done_again(walkthrough, size):
    app = walkthrough()
    async with app.run_test(size=size, notifications=True) as pilot:
        app.push_screen(WriteNote("Note", "", "note:xx.01"))
        await pilot.pause()
        area = app.screen.query_one(TextArea)
        for count in (3, 12, 60):
            area.insert("word\n" * count)
            area.history.checkpoint()
            await pilot.pause()
            assert area.text == "word\n" * count
            for key, text in (("ctrl+z", ""), ("ctrl+y", "word\n" * count), ("ctrl+z", "")):
                await pilot.press(key)
                await pilot.pause()
                assert area.text == text
        await pilot.press(*"ok")
        assert area.text == "ok" and area.cursor_location == (0, 2)


async def test_the_palette_opens_and_puts_away_the_other_checklists(walkthrough):
    app = walkthrough()
    items = [item.id for item in app.project.items]
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "Search the commands" in text_of(app))
        await pilot.press(*"Open checklist: Sanity", "enter")
        await until(pilot, lambda: "Gradients not reduced across devices" in text_of(app))
        sanity = [item.id for item in checklist.load("sanity").items]
        assert [item.id for item in app.project.items] == [*items, *sanity]
        await until(pilot, lambda: app.screen.item.id == "san.01")
        await pilot.press("2")
        await until(pilot, lambda: stored(app, "san.01"))
        app.action_toggle_checklist("sanity")
        await until(pilot, lambda: "san.01" not in text_of(app))
        assert [item.id for item in app.project.items] == items
        assert app.session.entry("san.01").conclusion is not None


async def test_export_writes_what_was_asked_and_names_the_paths(walkthrough, tmp_path):
    app = walkthrough()
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.press("1", "e")
        await until(pilot, lambda: isinstance(app.screen, ExportScreen))
        app.screen.query_one("#format-json", Checkbox).value = True
        app.screen.query_one("#folder", Input).value = str(tmp_path / "out")
        await pilot.press("w")
        await until(pilot, lambda: len(app.written) == 4)
        assert {path.suffix for path in app.written} == {".md", ".docx", ".html", ".json"}
        assert all(path.is_file() for path in app.written)
        await until(pilot, lambda: "demo-accuracy.docx" in text_of(app))
        report = json.loads(next(path for path in app.written if path.suffix == ".json").read_text())
        assert report["items"][0]["conclusion"] == "problem"


async def test_export_into_a_file_says_so(walkthrough, tmp_path):
    app = walkthrough()
    (tmp_path / "taken").write_text("")
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, ExportScreen))
        app.screen.query_one("#folder", Input).value = str(tmp_path / "taken")
        await pilot.press("w")
        await until(pilot, lambda: "taken" in str(app.screen.query_one("#paths").content))
        await until(pilot, lambda: "Writing" not in text_of(app))
        assert not app.written


async def test_evidence_is_saved_without_formulas_and_never_over_a_file(walkthrough, tmp_path):
    app = walkthrough()
    table = Table("t", ["name", "n"], [["=cmd()", 1], ["plain", 2]])
    chart = Histogram("h", ["a", "b"], [1, 3])
    finding = Finding("bad", Level.PROBLEM, data={"n": 1}, evidence=[table, chart])
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        app.session.record_result(
            "xx.02", ProbeResult("fake_problem", Kind.FILE, Status.DONE, Verdict.PROBLEM, [finding])
        )
        await go(pilot, "xx.02")
        await pilot.press("v", "right")
        await until(pilot, lambda: "=cmd()" in text_of(app))
        for expected in ("saved", "refused"):
            await pilot.press("s")
            await until(pilot, lambda: app.screen.query("AskLine Input") or type(app.screen).__name__ == "AskLine")
            app.screen.query_one(Input).value = str(tmp_path / "out.csv")
            await pilot.press("enter")
            if expected == "refused":
                await until(pilot, lambda: isinstance(app.screen, Choose))
                await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, EvidenceScreen))
        assert (tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines() == [
            "name,n",
            "'=cmd(),1".replace("(),", "(),"),
            "plain,2",
        ]
        await pilot.press("right")
        await until(pilot, lambda: "1/3" not in text_of(app))


async def test_quitting_while_probes_run_asks(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await go(pilot, "xx.03")
        await pilot.press("r")
        await until(pilot, lambda: app.running)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("enter")
        await until(pilot, lambda: not app.runner.busy)


async def test_attach_and_editor(walkthrough, tmp_path, monkeypatch):
    app = walkthrough()
    (tmp_path / "project" / "shot.png").write_bytes(b"x")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: type(app.screen).__name__ == "AskLine")
        app.screen.query_one(Input).value = str(tmp_path / "project" / "shot.png")
        await pilot.press("enter")
        await until(pilot, lambda: app.session.entry("xx.01").attachments == ["shot.png"])
        await pilot.press("a")
        await until(pilot, lambda: type(app.screen).__name__ == "AskLine")
        app.screen.query_one(Input).value = "nowhere.png"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "does not exist" in text_of(app))


async def test_ascii_only_draws_ascii(walkthrough):
    app = walkthrough(only_ascii=True)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await go(pilot, "xx.02")
        await pilot.press("r")
        await until(pilot, lambda: app.session.entry("xx.02").results and not app.runner.busy)
        for keys, screen in (("", ChecklistScreen), ("v", EvidenceScreen), ("e", ExportScreen), ("n", WriteNote)):
            await pilot.press(*keys)
            await until(pilot, lambda kind=screen: isinstance(app.screen, kind))
            await pilot.pause(0.3)
            text = text_of(app).replace("中文", "")
            assert text.isascii(), sorted(set(re.findall(r"[^\x00-\x7f]", text)))
            if keys:
                await pilot.press("escape")
                await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))


@pytest.mark.parametrize(
    ("path", "said"), [("~nobody_here.png", "does not exist"), ("/" + "a" * 300, "name too long"), ("/tmp", "folder")]
)
async def test_a_path_that_cannot_be_attached_is_told(walkthrough, path, said):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: type(app.screen).__name__ == "AskLine")
        app.screen.query_one(Input).value = path
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose) and said in text_of(app).lower())
        assert not app.session.entry("xx.01").attachments


async def test_evidence_may_be_saved_under_a_name_with_a_tilde(walkthrough, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = walkthrough()
    finding = Finding("bad", Level.PROBLEM, data={"n": 1}, evidence=[Table("t", ["n"], [[1]])])
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        result = ProbeResult("fake_problem", Kind.FILE, Status.DONE, Verdict.PROBLEM, [finding])
        app.session.record_result("xx.02", result)
        await go(pilot, "xx.02")
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen))
        await pilot.press("s")
        await until(pilot, lambda: type(app.screen).__name__ == "AskLine")
        app.screen.query_one(Input).value = "~nobody_here.csv"
        await pilot.press("enter")
        await until(pilot, (tmp_path / "~nobody_here.csv").exists)
        assert isinstance(app.screen, EvidenceScreen)


async def test_what_a_killed_editor_had_saved_outlives_one_that_cannot_be_opened(walkthrough, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "no-such-editor")
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.pause()
        saved = app.session.drafts.with_name("note.xx.01.txt")
        assert edit_note(app, "xx.01") is None and not saved.exists()
        saved.write_text("half an hour of typing")
        assert edit_note(app, "xx.01") is None
        assert saved.read_text() == "half an hour of typing"


async def test_drafts_are_told_with_the_keys_in_force(walkthrough):
    before = walkthrough()
    before.drafts.put("note xx.01", "half a sen")
    before.drafts.put("sample xx.02 train 3", "half a word")
    before.drafts.close()
    before.session.close()
    app = walkthrough(preferences=Settings(keys={"note": "m"}))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: app._notifications)
        [told] = [each.message for each in app._notifications]
        assert told.endswith("xx.01, xx.02. Go there and press m/s to continue.")


async def test_chinese_has_colons_of_its_own(walkthrough):
    app = walkthrough(Language.ZH)
    app.session.answer("xx.01", Verdict.OK, note="看过了")
    app.session.record_result("xx.01", ProbeResult("fake_clean", Kind.FILE, Status.DONE, Verdict.OK))
    async with app.run_test(size=(100, 30)) as pilot:
        await go(pilot, "xx.01")
        await pilot.press("y")
        assert app.clipboard.split("\n")[1:] == ["结论：无问题", "备注：看过了", "fake_clean：✓ 建议：无问题"]


@pytest.mark.parametrize(
    ("key", "data", "one"),
    [
        ("all-finished", {"problem": 1, "failed": 1}, "Done: 1 item with problems, 1 probe failed"),
        ("export-open", {"count": 1}, "Note: 1 item is not concluded; the report will say so."),
        ("accept-all-title", {"count": 1}, "Accept this suggestion?"),
        ("review-all-title", {"count": 1}, "Accept this answer that the probes agree with?"),
        ("sign-off-text", {"count": 1}, "{titles}: the only item is concluded and accepted. "),
    ],
)
def test_one_is_spoken_of_as_one(key, data, one):
    assert Speech(Language.EN).say(key, **data).startswith(one)
    many = Speech(Language.EN).say(key, **dict.fromkeys(data, 1200))
    assert "1,200" in many and re.search(r"items|suggestions|answers", many)


async def test_the_top_line_says_how_far_a_run_is(walkthrough):
    from accucheck.tui.widgets.topbar import Run, TopBar

    app = walkthrough()
    async with app.run_test(size=(80, 24)) as pilot:
        bar = app.screen.query_one(TopBar)
        for language, told in ((Language.EN, "17/43 ████░░░░░░ 1:05 ~1:20 left"), (Language.ZH, "约剩 1:20")):
            speech = type(app.speech)(language, only_ascii=False)
            bar.show(speech, ["demo"], done=0, total=7, problems=2, saved="saved", running=Run(17, 43, 65.0, 80.9))
            await pilot.pause()
            assert told in text_of(app).splitlines()[0]
        bar.show(app.speech, ["demo"], done=0, total=7, problems=2, saved="saved", running=None)
        await pilot.pause()
        assert "0/7" in text_of(app).splitlines()[0] and "left" not in text_of(app).splitlines()[0]
