"""Two voices in the walkthrough: a reviewer accepts, returns and signs off; the author sees what came back; opening read-only."""

import json
import shutil

import pytest
from conftest_tui import text_of, until
from textual.widgets import OptionList, TabbedContent

from accucheck.language import Language
from accucheck.model import Verdict
from accucheck.project import open_project
from accucheck.session import Judgement, Role, open_session
from accucheck.tui.app import Walkthrough
from accucheck.tui.screens.dialogs import Choose, WriteNote
from accucheck.tui.screens.next import NextScreen
from accucheck.tui.widgets.findings import FindingList
from accucheck.tui.widgets.items import ItemList


def answered(walkthrough, *items, **options) -> Walkthrough:
    """The walkthrough over a session in which Li concluded these items."""
    app = walkthrough(**options)
    app.session.autosave = True
    for item in items:
        app.session.answer(item, Verdict.OK, f"note on {item}", "Li")
    app.session.autosave = False
    return app


async def run(app, pilot, *items):
    """Run the probes of items one by one, after which no list of next steps opens."""
    await until(pilot, lambda: app.checklist is not None and app.checklist.pane is not None)
    for item in items:
        app.runner.start(app.project.jobs({item}), live=False)
        await until(pilot, lambda: not app.runner.busy)


async def test_a_reviewer_begins_with_the_first_answer_that_waits_and_its_evidence(walkthrough):
    app = answered(walkthrough, "xx.01", "xx.02", who="Wang", role=Role.REVIEWER)
    app.session.review("xx.01", Judgement.ACCEPTED, "", "Wang")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.pane is not None)
        await pilot.pause()
        assert app.screen.item.id == "xx.02"
        assert app.screen.query_one("#tabs", TabbedContent).active == "tab-evidence"
        assert app.screen.here() == ("help-items-review", "help-other", "help-review")


@pytest.mark.parametrize(("role", "last"), [(Role.REVIEWER, "word 12"), (Role.AUTHOR, "word 3")])
async def test_a_reviewer_reads_the_note_beside_the_answer(walkthrough, role, last):
    """Three lines of it, where it was cut at the first; an author knows what he wrote."""
    app = walkthrough(who="Wang", role=role)
    app.session.answer("xx.01", Verdict.OK, ", ".join(f"word {number}" for number in range(60)), "Li")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "word 0" in text_of(app))
        await until(pilot, lambda: last in text_of(app) and "…" in text_of(app))
        shown = [line for line in text_of(app).split("\n") if "word" in line]
        assert len(shown) == (3 if role is Role.REVIEWER else 1) and all(len(line) <= 80 for line in shown)


@pytest.mark.parametrize("language", list(Language))
async def test_a_reviewer_accepts_returns_and_takes_back(walkthrough, language):
    app = answered(walkthrough, "xx.01", "xx.02", language=language, who="Wang", role=Role.REVIEWER)
    say = app.speech.say
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: say("key-accept") in text_of(app) and "Li" in text_of(app))
        assert f"(2) {say('key-return')}" in text_of(app), "both judgements are in sight"
        assert say("role-reviewer", who="Wang") in text_of(app)
        assert all(len(line) <= 80 for line in text_of(app).split("\n"))
        await pilot.press("1")
        assert app.session.entry("xx.01").judgement is Judgement.ACCEPTED
        await until(pilot, lambda: "✓ xx.01" in text_of(app))
        assert f"{say('short-ok')} " in text_of(app) and "✓xx.01" not in text_of(app), (
            "the sign of the review stands apart"
        )
        assert f"{say('short-problem')}✓" not in text_of(app) and f"{say('short-ok')}✓" not in text_of(app)
        await pilot.press("right_square_bracket", "2")
        await until(pilot, lambda: isinstance(app.screen, WriteNote))
        await pilot.press(*"why?", "enter")
        await until(pilot, lambda: app.session.entry("xx.02").judgement is Judgement.RETURNED)
        await until(pilot, lambda: f"{say('returned')} Wang{say('colon')}why?" in text_of(app))
        assert app.session.entry("xx.02").review.comment == "why?"
        await pilot.press("u")
        assert app.session.entry("xx.02").review is None
        await pilot.press("left_square_bracket", "3")
        assert app.session.entry("xx.01").review is None
        await until(pilot, lambda: app.saved == "saved")
    what = [change.what for change in open_session(app.session.folder.parent, write=False).entry("xx.01").history]
    assert what == ["concluded", "accepted", "unreviewed"]


@pytest.mark.parametrize("role", list(Role))
async def test_a_conclusion_that_the_probes_speak_against_says_so(walkthrough, role):
    app = answered(walkthrough, "xx.02", who="Wang", role=role)
    async with app.run_test(size=(80, 24)) as pilot:
        await run(app, pilot, "xx.01", "xx.02")
        app.screen.query_one(ItemList).go("xx.02")
        await until(pilot, lambda: "probes suggest: problem  Note: note" in text_of(app))
        app.session.answer("xx.01", Verdict.OK, "looked at it", "Li")
        app.screen.query_one(ItemList).go("xx.01")
        await until(pilot, lambda: "looked at it" in text_of(app))
        assert "probes suggest" not in text_of(app), "both say that it is in order"


async def test_next_steps_of_a_reviewer_lead_to_the_conclusions_that_wait(walkthrough):
    app = answered(walkthrough, "xx.01", "xx.02", who="Wang", role=Role.REVIEWER)
    async with app.run_test(size=(80, 24)) as pilot:
        await run(app, pilot, "xx.01", "xx.02")
        await pilot.press("w")
        await until(pilot, lambda: "the probes suggest “problem found”" in " ".join(text_of(app).split()))
        await pilot.press("home", "enter")
        await until(pilot, lambda: app.screen is app.checklist and app.screen.item.id == "xx.02")
        await pilot.press("1", "escape")
        await until(pilot, lambda: isinstance(app.screen, NextScreen))
        await until(pilot, lambda: "Accept 1 conclusion that" in " ".join(text_of(app).split()))
        await pilot.press("home", "enter")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("home", "enter")
        await until(pilot, lambda: app.session.entry("xx.01").judgement is Judgement.ACCEPTED)


async def test_another_item_is_shown_from_its_first_finding(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(80, 24)) as pilot:
        await run(app, pilot, "xx.01", "xx.02")
        app.screen.query_one("#tabs", TabbedContent).active = "tab-evidence"
        findings = app.screen.query_one(FindingList)
        await until(pilot, lambda: findings.option_count > 1)
        findings.focus()
        await pilot.press("end")
        await until(pilot, lambda: findings.highlighted)
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "fake_problem" in str(findings.options[0].prompt))
        assert findings.highlighted is None and findings.scroll_offset.y == 0


async def test_a_return_without_a_word_is_none(walkthrough):
    app = answered(walkthrough, "xx.01", who="Wang", role=Role.REVIEWER)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: "(1) accept" in text_of(app))
        await pilot.press("2")
        await until(pilot, lambda: isinstance(app.screen, WriteNote))
        await pilot.press("escape")
        await until(pilot, lambda: "cannot be returned without a comment" in text_of(app))
        assert app.session.entry("xx.01").review is None and not app.undo


async def test_each_role_keeps_to_its_own_and_is_told(walkthrough):
    app = answered(walkthrough, "xx.01", who="Wang", role=Role.REVIEWER)
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await until(pilot, lambda: "(1) accept" in text_of(app))
        for key in ("n", "o", "a"):
            before = len(app._notifications)
            await pilot.press(key)
            await until(pilot, lambda before=before: len(app._notifications) > before)
        await pilot.press("right_square_bracket", "enter", "1")  # nothing is concluded there
        await until(pilot, lambda: "xx.02 has no conclusion yet" in text_of(app))
        assert app.session.entry("xx.02").history == []
        await pilot.press("question_mark")
        await until(pilot, lambda: "Sign the review off" in text_of(app))
        assert "Conclude: problem" not in text_of(app)
    app.session.close()
    app = answered(walkthrough, case=None)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: "(1) problem" in text_of(app))
        await pilot.press("S")
        await until(pilot, lambda: "--role" in text_of(app))


async def test_nobody_reviews_an_answer_of_his_own(walkthrough):
    app = answered(walkthrough, "xx.01", who="li", role=Role.REVIEWER)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: "(1) accept" in text_of(app))
        await pilot.press("1")
        await until(pilot, lambda: "--as" in text_of(app))
        assert app.session.entry("xx.01").review is None


@pytest.mark.parametrize("language", list(Language))
async def test_what_came_back_is_marked_and_filtered_for_its_author(walkthrough, language):
    app = answered(walkthrough, "xx.01", "xx.02", "xx.04", language=language, who="Li")
    app.session.review("xx.02", Judgement.RETURNED, "[red]show[/] it\x1b[2J", "Wang")
    app.session.review("xx.01", Judgement.ACCEPTED, "", "Wang")
    say = app.speech.say
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        items = app.screen.query_one(ItemList)
        await until(pilot, lambda: "◂ xx.02" in text_of(app) and "✓ xx.01" in text_of(app))
        await pilot.press("slash", *say("returned"))
        await until(pilot, lambda: [option.id for option in items.options if option.id] == ["xx.02"])
        await until(pilot, lambda: f"Wang{app.speech.say('colon')}[red]show[/] it\\x1b[2J" in text_of(app))
        await pilot.press("enter", "1")
        await pilot.pause()
        entry = app.session.entry("xx.02")
        assert entry.outdated and entry.conclusion is Verdict.PROBLEM and entry.who == "Li"
        await pilot.press("escape")
        await until(pilot, lambda: "◦ xx.02" in text_of(app))


async def test_an_author_begins_with_what_came_back_and_what_is_said_of_it(walkthrough):
    app = answered(walkthrough, "xx.01", "xx.02", who="Li")
    app.session.review("xx.02", Judgement.RETURNED, "show it", "Wang")
    app.first_item = "xx.01"
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "show it" in text_of(app))
        assert app.screen.item.id == "xx.02"
        assert app.screen.query_one("#tabs", TabbedContent).active == "tab-conclusion"
        await pilot.press("w")
        await until(pilot, lambda: "Wang is waiting for it" in text_of(app))
        assert "problem: Wang" not in text_of(app)


@pytest.mark.parametrize("language", list(Language))
async def test_answers_without_a_review_are_filtered_by_the_word_for_them(walkthrough, language):
    app = answered(walkthrough, "xx.01", "xx.02", language=language, who="Wang", role=Role.REVIEWER)
    app.session.review("xx.01", Judgement.ACCEPTED, "", "Wang")
    async with app.run_test(size=(80, 24)) as pilot:
        items = app.screen.query_one(ItemList)
        await until(pilot, lambda: items.option_count)
        await pilot.press("slash", *app.speech.say("unreviewed"))
        await until(pilot, lambda: [option.id for option in items.options if option.id] == ["xx.02"])


async def test_a_refused_sign_off_leads_to_the_first_item_that_is_open(walkthrough):
    app = answered(walkthrough, "xx.01", "xx.02", language=Language.ZH, who="Wang", role=Role.REVIEWER)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.item is not None)
        await pilot.press("S")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "xx.03、xx.04" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, Choose))
        await until(pilot, lambda: app.screen.item.id == "xx.03")


async def test_a_reviewer_accepts_what_agrees_and_signs_off(walkthrough):
    app = answered(walkthrough, *(f"xx.0{n}" for n in range(1, 8)), who="Wang", role=Role.REVIEWER)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: "(1) accept" in text_of(app))
        await pilot.press("A")
        await until(pilot, lambda: "no answer without a review" in text_of(app))  # nothing ran, so nothing agrees
        await pilot.press("S")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "Not reviewed" in text_of(app))
        assert app.session.record.signed is None
        await pilot.press("escape", "r")
        await until(pilot, lambda: app.session.entry("xx.01").results and not app.runner.busy)
        await pilot.press("A")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        assert "xx.01" in text_of(app)
        app.screen.query_one(OptionList).focus()
        await pilot.press("enter")
        await until(pilot, lambda: app.session.entry("xx.01").judgement is Judgement.ACCEPTED)
        for number in range(2, 8):
            app.session.review(f"xx.0{number}", Judgement.ACCEPTED, "", "Wang")
        await pilot.press("S")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "Sign the review off?" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.saved == "saved" and app.session.record.signed is not None)
    stored = open_session(app.session.folder.parent, write=False).record
    assert stored.signed.who == "Wang" and stored.signed.checklists == {"fakes": 1} and stored.unsealed == []


async def test_a_comment_is_changed_and_no_is_an_answer(walkthrough):
    app = answered(walkthrough, *(f"xx.0{n}" for n in range(1, 8)), who="Wang", role=Role.REVIEWER)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: "(1) accept" in text_of(app))
        await pilot.press("1")
        assert app.session.entry("xx.01").review.comment == ""
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, WriteNote))
        await pilot.press(*"fine", "enter")
        await until(pilot, lambda: app.session.entry("xx.01").review.comment == "fine")
        assert app.session.entry("xx.01").judgement is Judgement.ACCEPTED
        for number in range(2, 8):
            app.session.review(f"xx.0{number}", Judgement.ACCEPTED, "", "Wang")
        await pilot.press("S")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "Sign the review off?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: not isinstance(app.screen, Choose))
        assert app.session.record.signed is None


async def test_read_only_shows_everything_and_says_why_nothing_changes(walkthrough, checklist):
    app = answered(walkthrough, "xx.01", who="Li")
    app.session.close()
    root = app.session.folder.parent
    before = app.session.path.read_bytes()
    project = open_project(root, [str(checklist)], session="read")
    app = Walkthrough(project, Language.EN)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: "note on xx.01" in text_of(app) and "read-only" in text_of(app))
        for key in ("1", "n", "u", "a", "A"):
            await pilot.press(key)
            await pilot.pause()
        await until(pilot, lambda: "without" in text_of(app) and "--read-only" in text_of(app))
        await pilot.press("r")  # looks, and records nothing
        await until(pilot, lambda: app.session.entry("xx.01").results)
    app.runner.close()
    assert app.session.path.read_bytes() == before


async def test_a_session_alone_is_read_and_runs_nothing(walkthrough, checklist, tmp_path):
    app = answered(walkthrough, "xx.01", who="Li")
    sent = tmp_path / "from-li.json"
    shutil.copy(app.session.path, sent)
    project = open_project(sent, [str(checklist)], session="try")
    app = Walkthrough(project, Language.EN, who="Wang", role=Role.REVIEWER)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: "note on xx.01" in text_of(app))
        for key in ("r", "R", "s"):
            await pilot.press(key)
            await pilot.pause()
        # Asked of the notices themselves: on the screen the length of the path decides where the words break.
        told = [notice.message for notice in app._notifications]
        assert len(told) == 3 and all("a session without its project" in each for each in told)
        assert not app.runner.busy and not app.session.entry("xx.01").results
        await pilot.press("1")
        await until(pilot, lambda: app.saved == "saved" and app.session.entry("xx.01").judgement is Judgement.ACCEPTED)
    app.runner.close()
    app.session.close()
    assert open_project(sent, [str(checklist)], session="read").session.entry("xx.01").review.who == "Wang"


NASTY = "[red]x[/] [@click=app.leave]y[/]\x1b[2J\u202e{who.__class__}\n# <b>|"


def assert_harmless(shown: str) -> None:
    assert "\x1b" not in shown and "\u202e" not in shown and "root:" not in shown


@pytest.mark.parametrize("nasty", [NASTY, "", "9999-12-31T23:59:59-14:00", "x" * 20_000])
async def test_a_session_of_a_stranger_is_only_text(checklist, tmp_path, nasty):
    """All that a session can hold, in every tab, dialog and list that shows it."""
    deep: list = []
    for _ in range(90):  # a deeper one is refused
        deep = [deep]
    finding = {"code": nasty, "level": "problem", "where": {"path": "/etc/passwd", "name": nasty}}
    finding |= {"data": {nasty: nasty, "deep": deep}, "fix": {"message": nasty, "diff": nasty}}
    result = {"probe": nasty, "kind": "static", "status": "failed", "suggestion": "problem", "findings": [finding]}
    entry = {
        "conclusion": "problem",
        **dict.fromkeys(("note", "who", "when"), nasty),
        "attachments": [nasty, "/etc/passwd", "~/.ssh/id_rsa"],
        "results": {nasty: {**result, "log": nasty}, "../../probe": {**result, "status": "done"}},
        "history": [{**dict.fromkeys(("when", "who", "what", "note", "probe"), nasty)}],
        "review": {"judgement": "returned", **dict.fromkeys(("comment", "who", "when", "of"), nasty)},
    }
    signed = {**dict.fromkeys(("who", "when", "comment"), nasty), "checklists": {nasty: 1}, "items": {nasty: nasty}}
    whole = {"version": 2, "case": nasty, "checklists": {nasty: 3, "fakes": 1}, "signed": signed}
    sent = tmp_path / "stranger.json"
    sent.write_text(json.dumps({**whole, "entries": {"xx.01": entry, nasty: entry}}))
    before = sent.read_bytes()
    app = Walkthrough(open_project(sent, [str(checklist)], session="read"), Language.EN, who="Wang")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: "Check xx.01" in text_of(app) and "Open the" in text_of(app))
        tabs = app.screen.query_one(TabbedContent)
        for name in ("evidence", "conclusion", "history", "method"):
            tabs.active = f"tab-{name}"
            await pilot.pause(0.1)
            assert_harmless(text_of(app))
        tabs.active = "tab-evidence"
        app.screen.query_one(FindingList).focus()
        for key in (
            "down",
            "enter",
            "v",
            "escape",
            "escape",
            "escape",
            "u",
            "A",
            "S",
            "p",
            "escape",
            "s",
            "e",
            "escape",
        ):
            await pilot.press(key)
            await pilot.pause(0.05)
            assert_harmless(text_of(app))
    assert app.return_code in (0, None) and app._exception is None
    assert sent.read_bytes() == before and [path.name for path in tmp_path.glob(".*")] == []
