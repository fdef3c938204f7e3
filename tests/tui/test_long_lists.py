"""A list of many findings: what is looked at is there at once, the rest when one comes near to it."""

from conftest_tui import text_of
from test_walkthrough import go, until
from textual.widgets import TabbedContent, Tabs

from accucheck.model import Finding, Kind, Level, Note, ProbeResult, Status, Verdict, Where
from accucheck.tui.widgets import findings as lists
from accucheck.tui.widgets.findings import FINDINGS_SHOWN, FindingList
from accucheck.tui.widgets.longlist import AT_ONCE

WHOLE = 2 * FINDINGS_SHOWN + 1  # the probe, and a line for each finding and its evidence


def results(count):
    found = [
        Finding("bad", Level.PROBLEM, Where(path=f"file{number}.py"), {"n": number}, [Note("log", str(number))])
        for number in range(count)
    ]
    return ProbeResult("gone_probe", Kind.FILE, Status.DONE, Verdict.PROBLEM, found)


async def opened(pilot):
    """The evidence of xx.01."""
    app = pilot.app
    await go(pilot, "xx.01")
    await until(pilot, lambda: app.screen.pane is not None)
    app.screen._open_tab("tab-evidence")
    findings = app.screen.query_one(FindingList)
    await until(pilot, lambda: findings.option_count >= AT_ONCE)
    findings.focus()
    return findings


def found_again(app):
    """A new run finds the same: the list is made anew."""
    app.session.record_result("xx.01", results(FINDINGS_SHOWN))
    app.screen.pane.show_findings(app.screen.item)


async def test_only_what_is_near_is_made(walkthrough, monkeypatch):
    made = []
    line = lists._line
    monkeypatch.setattr(lists, "_line", lambda *given: made.append(given) or line(*given))
    app = walkthrough()
    app.session.record_result("xx.01", results(FINDINGS_SHOWN))
    async with app.run_test(size=(100, 30)) as pilot:
        findings = await opened(pilot)
        assert findings.size.height < findings.option_count <= 2 * AT_ONCE
        assert len(findings.targets) == FINDINGS_SHOWN  # what can be opened does not wait
        await until(pilot, lambda: "file0.py" in text_of(app))
        assert 0 < len(made) <= 2 * AT_ONCE
        made.clear()
        app.screen.pane.show_findings(app.screen.item)
        assert not made  # all of it is shown already
        found_again(app)
        assert 0 < len(made) <= 2 * AT_ONCE


async def test_every_way_down_leads_to_the_last(walkthrough):
    app = walkthrough()
    app.session.record_result("xx.01", results(FINDINGS_SHOWN))
    async with app.run_test(size=(100, 30)) as pilot:
        findings = await opened(pilot)
        whole = findings.option_count + len(findings._rest)
        for way in ("pagedown", "down"):
            found_again(app)
            for _ in range(2 * whole):
                if findings.highlighted == whole - 1:
                    break
                await pilot.press(way)
            assert findings.highlighted == whole - 1
            findings.highlighted = None
        found_again(app)
        await pilot.press("end")
        assert findings.highlighted == whole - 1
        findings.highlighted = None
        found_again(app)
        assert findings.size.height < findings.option_count <= 2 * AT_ONCE
        while findings._rest:
            before = findings.option_count
            findings.scroll_end(animate=False, immediate=True)
            await until(pilot, lambda before=before: findings.option_count > before)
        assert findings.option_count == whole
        await until(pilot, lambda: f"file{FINDINGS_SHOWN - 1}.py" in text_of(app) or findings.scroll_end(animate=False))


async def test_the_highlight_stays_where_it_was(walkthrough):
    app = walkthrough()
    app.session.record_result("xx.01", results(FINDINGS_SHOWN))
    async with app.run_test(size=(100, 30)) as pilot:
        findings = await opened(pilot)
        await pilot.press("end")
        findings.highlighted = 150
        app.screen.pane.show_findings(app.screen.item)
        assert findings.highlighted == 150
        app.session.record_result("xx.01", results(2))
        app.screen.pane.show_findings(app.screen.item)
        assert len(findings.targets) == 2
        assert not findings._rest
        assert findings.highlighted == findings.option_count - 1


async def test_words_find_what_is_not_yet_taken_in(walkthrough):
    app = walkthrough()
    app.session.record_result("xx.01", results(FINDINGS_SHOWN))
    async with app.run_test(size=(100, 30)) as pilot:
        findings = await opened(pilot)
        assert findings.option_count == AT_ONCE
        findings.narrow(f"file{FINDINGS_SHOWN - 1}.py")
        assert [option.id for option in findings.options] == [f"t{WHOLE - 3}"]
        findings.narrow("")
        await pilot.press("end")
        assert findings.option_count >= WHOLE


async def test_a_tab_is_filled_in_the_frame_that_opens_it(walkthrough):
    app = walkthrough()
    app.session.record_result("xx.01", results(3))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.screen.pane is not None and app.screen.pane._item is not None)
        pane = app.screen.pane
        pane.query_one(Tabs).action_next_tab()  # nothing is awaited: one frame shows all of it
        assert pane.query_one(TabbedContent).active == "tab-evidence"
        assert pane.query_one(FindingList).option_count > 3
