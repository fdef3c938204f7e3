"""The list of next steps, what each of them opens, and the glossary."""

import re

import pytest
from conftest_tui import text_of, until
from textual.widgets import Input, OptionList, Static, TabbedContent

from accucheck.knowledge import glossary
from accucheck.language import Language
from accucheck.model import Finding, Fix, Kind, Level, ProbeResult, Status, Sure, Verdict, Where
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.dialogs import Choose
from accucheck.tui.screens.export import ExportScreen
from accucheck.tui.screens.glossary import GlossaryScreen
from accucheck.tui.screens.help import HelpScreen
from accucheck.tui.screens.next import NextScreen
from accucheck.tui.screens.path import PathScreen
from accucheck.tui.screens.picker import AskValue
from accucheck.tui.widgets.findings import FindingList
from accucheck.tui.widgets.items import ItemList

HOSTILE = "[red]a\x1b[2Jb\u202ec[/]"


async def shown(pilot, app, text):
    await until(pilot, lambda: text in text_of(app))


async def open_next(pilot, app):
    await pilot.press("w")
    await until(pilot, lambda: isinstance(app.screen, NextScreen) and app.screen._steps)


def highlight(app, kind):
    """The step of this kind, highlighted."""
    place = next(place for place, step in enumerate(app.screen._steps) if step.kind == kind)
    app.screen.query_one("#steps", OptionList).highlighted = place
    return app.screen._steps[place]


def give(app, item, probe, *findings, kind=Kind.FILE, **values):
    from accucheck.engine import fingerprint
    from accucheck.model import suggest

    job = next(job for job in app.project.jobs({item}) if job.probe == probe)
    inputs = fingerprint(app.project.case, job)
    known = {"status": Status.DONE, "suggestion": suggest(findings), "inputs": inputs}
    app.session.record_result(item, ProbeResult(probe, kind, findings=list(findings), **{**known, **values}))


def problem(n=1, **values):
    return Finding("bad", Level.PROBLEM, Where("train.py", line=3), {"n": n}, **values)


async def test_nothing_is_counted_before_it_is_known(walkthrough, monkeypatch):
    from accucheck.tui.runner import Runner

    monkeypatch.setattr(NextScreen, "_find", lambda *_: None)
    monkeypatch.setattr(Runner, "busy", property(lambda _: True))
    app = walkthrough(Language.EN)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(NextScreen())
        await until(pilot, lambda: isinstance(app.screen, NextScreen))
        app.screen._look()
        await pilot.pause()
        assert str(app.screen.query_one("#head", Static).content).strip() == "Next steps"


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 40), (200, 50)])
@pytest.mark.parametrize("language", list(Language))
async def test_it_fits_every_size_in_both_languages(walkthrough, size, language):
    app = walkthrough(language)
    give(app, "xx.02", "fake_problem", problem(HOSTILE * 20, sure=Sure.CERTAIN, fix=Fix("bad", "-a\n+b\n")))
    async with app.run_test(size=size) as pilot:
        await open_next(pilot, app)
        await shown(pilot, app, "1 ✗ xx.02")
        lines = text_of(app).split("\n")
        assert all(len(line) <= size[0] for line in lines) and len(lines) == size[1]
        assert "下一步" in lines[0] if language is Language.ZH else "Next steps" in lines[0]
        assert "[red]" in text_of(app) and "\x1b" not in text_of(app) and "\u202e" not in text_of(app)


async def test_ascii_draws_nothing_else(walkthrough):
    app = walkthrough(only_ascii=True)
    give(app, "xx.02", "fake_problem", problem("long " * 200))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_next(pilot, app)
        await shown(pilot, app, "1 x xx.02")
        assert text_of(app).replace("中文", "").isascii()  # the key that changes the language names it
        highlight(app, "run")
        await pilot.press("f")  # which a step without a finding refuses
        await shown(pilot, app, "No patch")
        assert text_of(app).replace("中文", "").isascii()


async def test_a_problem_leads_to_its_finding(walkthrough):
    app = walkthrough()
    give(app, "xx.02", "fake_problem", Finding("seen", Level.INFO, data={"n": 7}), problem(41), problem(42))
    async with app.run_test(size=(100, 30)) as pilot:
        await open_next(pilot, app)
        step = highlight(app, "problem")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen) and app.screen.item.id == "xx.02")
        findings = app.screen.query_one(FindingList)
        await until(pilot, lambda: app.screen.focused is findings)
        assert app.screen.query_one(TabbedContent).active == "tab-evidence"
        assert findings.target(findings.highlighted_option.id)[1] is step.finding


async def test_a_step_leads_to_its_finding_however_far_down(walkthrough, tmp_path):
    text = (tmp_path / "fakes.yaml").read_text()
    (tmp_path / "fakes.yaml").write_text(text.replace("[fake_problem]", "[fake_clean, fake_problem]", 1))
    app = walkthrough()
    give(app, "xx.02", "fake_clean", *(Finding("seen", Level.SUSPECT, data={"n": n}) for n in range(80)))
    give(app, "xx.02", "fake_problem", problem(41))
    async with app.run_test(size=(100, 30)) as pilot:
        await open_next(pilot, app)
        step = highlight(app, "problem")
        assert step.probe == "fake_problem"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        findings = app.screen.query_one(FindingList)
        await until(pilot, lambda: app.screen.focused is findings)
        assert findings.target(findings.highlighted_option.id)[1] is step.finding
        await shown(pilot, app, "bad 41")


@pytest.fixture
def brisk(walkthrough, tmp_path):
    """The same, without the probe that never ends."""
    text = (tmp_path / "fakes.yaml").read_text()
    (tmp_path / "fakes.yaml").write_text(text.replace("fake_slow", "fake_clean"))
    return walkthrough


async def test_all_that_was_not_run_is_run_and_the_list_opens_by_itself(brisk):
    app = brisk()
    async with app.run_test(size=(100, 30)) as pilot:
        await open_next(pilot, app)
        assert highlight(app, "run").items == ["xx.01", "xx.02", "xx.03", "xx.06", "xx.07"]
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose))  # the live probe asks first
        await pilot.press("enter")  # no
        await until(pilot, lambda: isinstance(app.screen, NextScreen))
        await until(pilot, lambda: app.screen._steps)
        assert app.screen._steps[0].item == "xx.02" and {"live", "failed"} <= {s.kind for s in app.screen._steps}
        assert not app._notifications


async def test_the_list_opens_before_live_probes_end_and_grows(brisk, tmp_path):
    text = (tmp_path / "fakes.yaml").read_text()
    (tmp_path / "fakes.yaml").write_text(text.replace("fake_live", "fake_live_waits"))
    app = brisk()
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("R")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("down", "enter")  # for once
        await until(pilot, lambda: isinstance(app.screen, NextScreen) and app.screen._steps)
        assert app.runner.busy and [step.item for step in app.screen._steps] == ["xx.02"]
        await shown(pilot, app, "1 probe still to run")
        assert "problem: " in text_of(app)
        (tmp_path / "project" / "go").touch()
        await until(pilot, lambda: not app.runner.busy and len(app.screen._steps) > 2)
        assert {step.item for step in app.screen._steps if step.kind == "problem"} == {"xx.02", "xx.07"}
        assert "still to run" not in text_of(app) and not app._notifications
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))  # one list, not two


async def test_the_list_opens_as_soon_as_scripts_tell_a_problem(walkthrough, tmp_path):
    text = (tmp_path / "fakes.yaml").read_text()
    (tmp_path / "fakes.yaml").write_text(text.replace("[fake_clean]", "[fake_static_one]", 1))
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("R")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("enter")  # no live ones
        await until(pilot, lambda: isinstance(app.screen, NextScreen) and app.screen._steps)
        assert app.runner.busy and app.screen._steps[0].item == "xx.02", "the probe that never ends runs still"
        app.runner.cancel()
        await until(pilot, lambda: not app.runner.busy)


@pytest.mark.parametrize(("keys", "item"), [("]", "xx.02"), ("][", "xx.01"), ("/", "xx.01")])
async def test_whoever_has_gone_on_is_told_and_not_interrupted(brisk, tmp_path, keys, item):
    text = (tmp_path / "fakes.yaml").read_text()
    (tmp_path / "fakes.yaml").write_text(text.replace("fake_problem", "fake_static_waits"))
    app = brisk()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("R")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("enter")
        await until(pilot, lambda: app.running)
        await pilot.press(*keys)
        (tmp_path / "project" / "go").touch()  # the run ends after the keys, however busy the machine
        await until(pilot, lambda: not app.runner.busy and not app.running)
        await shown(pilot, app, "w shows the next steps")
        assert isinstance(app.screen, ChecklistScreen) and app.screen.item.id == item


async def test_a_run_of_one_item_opens_nothing(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: app.session.entry("xx.01").results and not app.runner.busy)
        await pilot.pause(0.2)
        assert isinstance(app.screen, ChecklistScreen)


async def test_a_missing_key_is_asked_for_written_and_run(walkthrough, tmp_path):
    text = (tmp_path / "fakes.yaml").read_text().replace("fake_clean", "fake_needy")
    (tmp_path / "fakes.yaml").write_text(text)
    (tmp_path / "project" / "loss.csv").write_text("step,loss\n1,2\n")
    app = walkthrough(case="# mine\ndata: {train: {path: loss.csv}}\n")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await open_next(pilot, app)
        assert highlight(app, "unlock").key == "curves.train"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, AskValue))
        told = app.screen.query_one("#told", Static)
        assert not str(told.content)  # nothing typed is no mistake yet
        app.screen.query_one(Input).value = "nowhere.csv"
        await until(pilot, lambda: "nowhere.csv" in str(told.content))
        await pilot.press("enter")
        assert isinstance(app.screen, AskValue)  # is not taken
        app.screen.query_one(Input).value = "lo"
        await pilot.press("tab", "enter")
        await until(pilot, lambda: "fake_needy" in app.session.entry("xx.01").results)
        assert app.session.entry("xx.01").results["fake_needy"].status is Status.DONE
    written = (tmp_path / "project" / "accucheck.yaml").read_text()
    assert written.startswith("# mine") and "curves:" in written and "nowhere" not in written


async def test_what_is_to_be_checked_by_hand_shows_its_method_and_the_end_the_report(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await open_next(pilot, app)
        highlight(app, "check")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen) and app.screen.item.id == "xx.04")
        await until(pilot, lambda: app.screen.query_one(TabbedContent).active == "tab-method")
        for item in app.project.items:
            app.session.answer(item.id, Verdict.OK)
        await open_next(pilot, app)
        highlight(app, "export")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExportScreen))


async def test_suggestions_that_wait_are_accepted(walkthrough):
    app = walkthrough()
    give(app, "xx.01", "fake_clean")
    async with app.run_test(size=(100, 30)) as pilot:
        await open_next(pilot, app)
        assert highlight(app, "accept").items == ["xx.01"]
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "xx.01" in text_of(app))


async def test_where_nothing_is_wrong_an_experiment_or_the_comparison_comes_next(walkthrough):
    app = walkthrough()
    give(app, "xx.01", "fake_clean")
    for item in app.project.items:
        app.session.answer(item.id, Verdict.OK)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await open_next(pilot, app)
        highlight(app, "plan")
        await pilot.press("enter")
        await until(pilot, lambda: app.clipboard.startswith("accucheck plan"))
        await shown(pilot, app, "accucheck plan")
        await open_next(pilot, app)
        highlight(app, "compare")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PathScreen))
        assert [checklist.name for checklist in app.project.checklists] == ["fakes", "comparison"]
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        await open_next(pilot, app)  # now the path is under way, and its place a step
        item = highlight(app, "path").item
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PathScreen))
        assert app.checklist.item.id == item


async def test_a_key_that_cannot_be_given_is_told(walkthrough, tmp_path, monkeypatch):
    text = (tmp_path / "fakes.yaml").read_text().replace("fake_clean", "fake_needy")
    (tmp_path / "fakes.yaml").write_text(text)
    (tmp_path / "project" / "loss.csv").write_text("step,loss\n1,2\n")
    app = walkthrough(case="data: {train: {path: loss.csv}}\n")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await open_next(pilot, app)
        highlight(app, "unlock")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, AskValue))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        await open_next(pilot, app)
        highlight(app, "unlock")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, AskValue))
        app.screen.query_one(Input).value = "loss.csv"
        await pilot.pause()
        (tmp_path / "project" / "accucheck.yaml").write_text("data: [\n")  # an edit in the meantime
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "accucheck.yaml" in text_of(app))
    assert (tmp_path / "project" / "accucheck.yaml").read_text() == "data: [\n"


async def test_more_than_ten_are_counted_and_shown_on_request(walkthrough, tmp_path):
    text = (tmp_path / "fakes.yaml").read_text()
    item = text[text.index("      - id: xx.04") : text.index("      - id: xx.05")]
    more = "".join(item.replace("xx.04", f"yy.{number:02}") for number in range(12))
    (tmp_path / "fakes.yaml").write_text(text + more)
    app = walkthrough()
    async with app.run_test(size=(100, 60)) as pilot:
        await open_next(pilot, app)
        await shown(pilot, app, "more (Enter shows all)")
        assert "yy.11" not in text_of(app)
        await pilot.press("end", "enter")
        await shown(pilot, app, "yy.11")
        assert isinstance(app.screen, NextScreen)


async def test_the_command_is_copied_and_an_answer_changes_the_list(walkthrough):
    app = walkthrough()
    give(app, "xx.02", "fake_problem", problem())
    async with app.run_test(size=(100, 30)) as pilot:
        await open_next(pilot, app)
        highlight(app, "problem")
        await pilot.press("Y")
        assert app.clipboard == f"accucheck explain xx.02 --project {app.project.case.root} --checklist fakes"
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard.startswith("✗ xx.02 "))
        assert "items decided with accucheck" in app.clipboard.splitlines()[-1]
        app.session.answer("xx.02", Verdict.OK)
        await until(pilot, lambda: not any(step.kind == "problem" for step in app.screen._steps))
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))


async def test_the_command_is_copied_where_the_folder_of_the_start_is_gone(walkthrough, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    app = walkthrough()
    give(app, "xx.02", "fake_problem", problem())
    async with app.run_test(size=(100, 30)) as pilot:
        await open_next(pilot, app)
        highlight(app, "problem")
        (tmp_path / "gone").rmdir()
        await pilot.press("Y")
        await until(pilot, lambda: app.clipboard.startswith("accucheck explain xx.02"))


async def test_without_an_item_there_are_still_next_steps_and_terms(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash", *"zzzz", "enter")
        await until(pilot, lambda: app.screen.item is None)
        for key, screen in (("w", NextScreen), ("g", GlossaryScreen)):
            await pilot.press(key)
            await until(pilot, lambda kind=screen: isinstance(app.screen, kind))
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))


async def test_what_the_case_rules_out_comes_last_and_the_filter_finds_it(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(100, 30)) as pilot:
        await shown(pilot, app, "Not applicable (1)")
        assert [option.id for option in app.screen.query_one(ItemList).options if option.id][-1] == "xx.05"
        await pilot.press("slash", *"xx.05")
        await until(pilot, lambda: [o.id for o in app.screen.query_one(ItemList).options if o.id] == ["xx.05"])
    assert app.project.ruled_out() == {"xx.05"}


# --- the glossary -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (200, 50)])
@pytest.mark.parametrize("language", list(Language))
async def test_the_terms_of_the_item_come_first(walkthrough, size, language, tmp_path):
    text = (tmp_path / "fakes.yaml").read_text()
    text = text.replace("修复它", "调小学习率", 1).replace("mend it", "lower the learning rate", 1)
    (tmp_path / "fakes.yaml").write_text(text)
    app = walkthrough(language)
    async with app.run_test(size=size) as pilot:
        await pilot.press("g")
        await shown(pilot, app, "xx.01 中出现的术语" if language is Language.ZH else "Used in xx.01")
        terms = app.screen.query_one("#terms", OptionList)
        first = next(option for option in terms.options if not option.disabled)
        head = "学习率" if language is Language.ZH else "learning rate"
        assert first.prompt.plain.split("\n")[0] == head
        assert sum(not option.disabled for option in terms.options) == len(glossary.load())
        assert all(len(line) <= size[0] for line in text_of(app).split("\n"))


async def test_words_filter_the_terms_and_esc_backs_out_of_it_first(walkthrough):
    app = walkthrough()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, GlossaryScreen) and app.screen._terms)
        await pilot.press("slash", *"overflow")
        terms = app.screen.query_one("#terms", OptionList)
        await until(pilot, lambda: 0 < terms.option_count < 10)
        assert re.match("overflow", terms.options[0].prompt.plain)
        app.screen.query_one("#filter", Input).value = HOSTILE
        await shown(pilot, app, "There is no such term")
        await pilot.press("escape")
        await until(pilot, lambda: terms.option_count >= len(glossary.load()))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))


async def test_esc_leads_back_to_the_list_that_an_item_was_opened_from(walkthrough):
    app = walkthrough(Language.EN)
    give(app, "xx.01", "fake_clean")
    give(app, "xx.02", "fake_problem", problem())
    async with app.run_test(size=(80, 24)) as pilot:
        await open_next(pilot, app)
        step = highlight(app, "problem")
        await pilot.press("enter")
        await until(pilot, lambda: app.checklist.item is not None and app.checklist.item.id == "xx.02")
        await until(pilot, lambda: isinstance(app.focused, FindingList))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, NextScreen) and app.screen._step is not None)
        assert app.screen._step.finding == step.finding, "the step is highlighted that was done"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.focused, ItemList), "only once"


async def test_y_copies_the_summary_and_says_so_in_the_key_bar(walkthrough):
    app = walkthrough(Language.EN)
    give(app, "xx.02", "fake_problem", problem(sure=Sure.CERTAIN, fix=Fix("bad", "-a\n+b\n")))
    async with app.run_test(size=(120, 24), notifications=True) as pilot:
        await open_next(pilot, app)
        await shown(pilot, app, "y copy summary")
        await pilot.press("y")
        await shown(pilot, app, "Copied the summary, 2 lines")
        assert "xx.02" in app.clipboard and len(app.clipboard.splitlines()) == 2
        await pilot.press("Y")
        await until(pilot, lambda: app.clipboard.startswith("accucheck "))
