"""The beginning: the first question, the case with completion and file picker, changing it later, recent projects."""

import os
import stat

import pytest
from conftest_tui import text_of, until
from textual.widgets import Input, OptionList

from accucheck import recent
from accucheck.language import Language
from accucheck.project import open_project
from accucheck.proposal.keys import KEYS
from accucheck.session import Training, open_session
from accucheck.tui import app as apps
from accucheck.tui.app import Walkthrough
from accucheck.tui.palette import commands
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.dialogs import Choose
from accucheck.tui.screens.picker import AskValue, Picker
from accucheck.tui.screens.recent import RecentScreen
from accucheck.tui.screens.start import CaseScreen, StartScreen
from accucheck.tui.screens.training import ErrorScreen, TrainingScreen

LOG = "".join(f"epoch: {step} loss: {1 / step:.3f}\n" for step in range(1, 9))


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (root / "train.py").write_text("import mindspore\n")
    (root / "data").mkdir()
    (root / "data" / "x.csv").write_text("a,label\n1,2\n")
    return root


@pytest.fixture
def opened(project):
    """A walkthrough on the checklist accuracy, whose probes need inputs."""
    made = []

    def make(path=project, language=Language.EN, **options):
        app = Walkthrough(open_project(path, session="try"), language, **options)
        made.append(app)
        return app

    yield make
    for app in made:
        app.runner.close()
        app.session.close()


async def at(pilot, screen):
    await until(pilot, lambda: isinstance(pilot.app.screen, screen) and pilot.app.screen.is_mounted)
    await pilot.pause()


async def start(pilot):
    """To the start screen, all of it known."""
    await at(pilot, TrainingScreen)
    await pilot.press("1")
    await at(pilot, StartScreen)
    await until(pilot, lambda: "Looking" not in text_of(pilot.app))


async def go(pilot, key):
    listing = pilot.app.screen.query_one(OptionList)
    listing.highlighted = [option.id for option in listing.options].index(key)
    await pilot.pause()


async def test_the_first_question_is_asked_once_and_the_answer_kept(opened, project):
    app = opened()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await at(pilot, TrainingScreen)
        await until(pilot, lambda: "No training log" in text_of(app))
        await pilot.press("3")
        await at(pilot, StartScreen)
        await until(pilot, lambda: app.saved == "saved")
    stored = open_session(project, write=False).record
    assert stored.training is Training.UNSURE and stored.history[0].who
    app.session.close()
    app = opened()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await at(pilot, StartScreen)


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (200, 50)])
@pytest.mark.parametrize("language", list(Language))
async def test_a_log_that_ended_in_an_error_proposes_no_and_how_to_mend(opened, project, size, language):
    (project / "train.log").write_text(
        LOG + "Traceback (most recent call last):\n  x\nRuntimeError: [red]no\x1b[2J room\n"
    )
    app = opened(language=language)
    async with app.run_test(size=size, notifications=True) as pilot:
        await at(pilot, TrainingScreen)
        await until(pilot, lambda: "train.log:9" in text_of(app))
        assert "[red]no\\x1b[2J" in text_of(app) and "\x1b" not in text_of(app)
        await pilot.press("enter")  # as proposed
        await at(pilot, ErrorScreen)
        assert "train.log:9" in text_of(app)
        await pilot.press("escape")
        await at(pilot, TrainingScreen)
        assert app.session.record.training is None
        await pilot.press("2", "enter")
        await at(pilot, StartScreen)
        assert app.session.record.training is Training.FAILS
        assert all(len(line) <= size[0] for line in text_of(app).split("\n"))


async def test_the_language_changes_on_each_of_these_screens(opened):
    app = opened()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await at(pilot, TrainingScreen)
        await app.screen.rebuild()
        app.speech.language = Language.ZH
        await app.screen.rebuild()
        await until(pilot, lambda: "训练能否跑完" in text_of(app))
        await pilot.press("2")
        await at(pilot, ErrorScreen)
        assert "请先解决报错" in text_of(app)
        await pilot.press("c")
        await at(pilot, StartScreen)
        await until(pilot, lambda: "训练脚本" in text_of(app) and "正在查看" not in text_of(app))
        app.speech.language = Language.EN
        await app.screen.rebuild()
        await pilot.pause()
        assert "training script" in text_of(app) and "The symptom: what was reached" in text_of(app)


async def test_the_last_watch_belongs_to_the_case_that_is_begun_with(opened, project):
    """As the command line has it: with the new accucheck.yaml, G and C showed a checkpoint instead of the run that was watched."""
    watch = project / ".accucheck" / "watch" / "20260101-000000"
    watch.mkdir(parents=True)
    (watch / "user.jsonl").write_text("")
    app = opened()
    async with app.run_test(size=(110, 40)) as pilot:
        await start(pilot)
        await pilot.press("b")
        await at(pilot, ChecklistScreen)
    assert (project / "accucheck.yaml").is_file() and "watched" not in (project / "accucheck.yaml").read_text()
    assert app.project.case.spec.watched == ".accucheck/watch/20260101-000000"


async def test_what_is_found_is_taken_changed_and_left_out(opened, project):
    (project / "other.py").write_text("import mindspore\n")
    app = opened()
    async with app.run_test(size=(110, 40), notifications=True) as pilot:
        await start(pilot)
        text = text_of(app)
        assert "train.py  (named like a script of this role)" in text and "files looked into" not in text
        assert "not given (would enable" in text, "what is missing says what it is good for"
        assert "goal.metric" in text, "the symptom comes first"
        await go(pilot, "scripts.train")
        text = text_of(app)
        assert "scripts.train" in text and "For: ds.01" in text, "and the one looked at names items and probes"
        await go(pilot, "data.train.path")
        await pilot.press("space")
        assert "data.train.path" not in app.screen._news()
        await go(pilot, "runtime.device")
        await pilot.press("enter")
        await at(pilot, Choose)
        await pilot.press("enter")
        await at(pilot, StartScreen)
        await go(pilot, "scripts.train")
        await pilot.press("enter")
        await at(pilot, AskValue)
        app.screen.query_one(Input).value = ""
        await pilot.press("o", "tab")
        assert app.screen.query_one(Input).value == "other.py"
        await pilot.press("enter")
        await at(pilot, StartScreen)
        await pilot.press("b")
        await at(pilot, ChecklistScreen)
    written = (project / "accucheck.yaml").read_text()
    assert "train: other.py" in written and "device: Ascend" in written and "path: data" not in written
    assert app.project.case.get("scripts.train") == "other.py"


async def test_a_value_that_will_not_do_is_told_and_not_taken(opened, project):
    (project / "[red]x\x1b.py").write_text("")
    app = opened()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await start(pilot)
        await go(pilot, "scripts.train")
        await pilot.press("enter")
        await at(pilot, AskValue)
        field = app.screen.query_one(Input)
        for value, said in (("none.py", "there is nothing at"), ("data", "not a file"), ("", "give a value")):
            field.value = value
            await pilot.pause()
            assert (said in text_of(app)) is bool(value)  # nothing typed is no mistake yet
            await pilot.press("enter")
            await until(pilot, lambda said=said: said in text_of(app))
            assert isinstance(app.screen, AskValue)
        field.value = "data/x.csv"
        await pilot.pause()
        assert "usually this ends in .py" in text_of(app)
        await pilot.press("enter")
        await at(pilot, StartScreen)
        (project / "data/x.csv").unlink()
        await pilot.press("b")
        await pilot.pause()
        assert isinstance(app.screen, StartScreen)
        await until(pilot, lambda: "Invalid values" in text_of(app))


async def test_scripts_that_are_alike_are_a_choice(opened, project):
    (project / "train.py").unlink()
    for name in ("vgg_a.py", "vgg_b.py"):
        (project / name).write_text("import mindspore\nmodel.train(1)\n")
    app = opened()
    async with app.run_test(size=(110, 40), notifications=True) as pilot:
        await start(pilot)
        assert "□   training script" in text_of(app) and "so are vgg_b.py" in text_of(app)
        await go(pilot, "scripts.train")
        await pilot.press("enter")
        await at(pilot, Choose)
        await pilot.press("down", "enter")
        await at(pilot, StartScreen)
        assert app.screen._news()["scripts.train"] == "vgg_b.py"


# --- the file picker --------------------------------------------------------------------------------------------------


async def pick(pilot, key):
    await start(pilot)
    await go(pilot, key)
    await pilot.press("enter")
    await at(pilot, AskValue)
    pilot.app.screen.query_one(Input).value = ""
    await pilot.press("f2")
    await at(pilot, Picker)
    await until(pilot, lambda: "listing" not in text_of(pilot.app))


async def test_the_picker_walks_filters_and_takes_folders(opened, project):
    (project / "data/sub").mkdir()
    (project / "notes.md").write_text("")
    app = opened()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pick(pilot, "data.train.path")
        lines = text_of(app)
        assert lines.index("data/") < lines.index("notes.md") and lines.index("../") < lines.index("data/")
        await pilot.press("right")  # into data, which is highlighted
        await until(pilot, lambda: "x.csv" in text_of(app))
        await pilot.press("backspace")
        await until(pilot, lambda: "notes.md" in text_of(app))
        await pilot.press("slash", *"trai", "enter")
        await until(pilot, lambda: "notes.md" not in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "notes.md" in text_of(app))
        listing = app.screen.query_one(OptionList)
        listing.highlighted = 1
        await pilot.press("space")
        await at(pilot, AskValue)
        assert app.screen.query_one(Input).value == "data"


async def test_the_picker_beside_hostile_and_broken_names(opened, project):
    (project / "dead").symlink_to("nowhere")
    os.mkfifo(project / "pipe")
    (project / "[red]\x1b[2J\n.py").write_text("")
    with open(os.fsencode(project) + b"/\xff.py", "w"):
        pass
    app = opened()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pick(pilot, "scripts.train")
        text = text_of(app)
        assert "[red]\\x1b[2J" in text and "\x1b" not in text
        assert "1 name that is not UTF-8 left out" in text
        assert "2 dead links or special files left out" in text


async def test_the_picker_opens_beside_a_path_that_cannot_be(opened, project):
    app = opened()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await start(pilot)
        app.push_screen(AskValue(app.speech, app.project.case, "checkpoints.current", "t", "a" * 300))
        await at(pilot, AskValue)
        await pilot.press("f2")
        await at(pilot, Picker)
        assert str(project) in text_of(app)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into every folder")
async def test_a_folder_that_is_closed_says_so_in_the_picker(opened, project):
    (project / "data").chmod(0)
    app = opened()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pick(pilot, "scripts.train")
        await pilot.press("right")
        await until(pilot, lambda: "may not be read" in text_of(app) or "permission" in text_of(app).lower())
    (project / "data").chmod(0o700)


async def test_a_folder_of_many_files_comes_in_pages(opened, project):
    many = project / "data/many"
    many.mkdir()
    for number in range(1200):
        (many / f"{number:05}.csv").touch()
    app = opened()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await start(pilot)
        await go(pilot, "data.eval.path")
        await pilot.press("enter")
        await at(pilot, AskValue)
        app.screen.query_one(Input).value = "data/many"
        await pilot.press("f2")
        await at(pilot, Picker)
        listing = app.screen.query_one(OptionList)
        await until(pilot, lambda: listing.option_count == 502)  # up, a page, and more
        await pilot.press("end", "enter")
        await until(pilot, lambda: listing.option_count == 1002)
        await pilot.press("slash", *"0119", "enter")
        await until(pilot, lambda: listing.option_count == 12)
        await pilot.press("end", "enter")
        await at(pilot, AskValue)
        assert app.screen.query_one(Input).value == "data/many/01199.csv"


# --- a project that cannot be written ---------------------------------------------------------------------------------


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_read_only_project_is_begun_in_memory(opened, project):
    project.chmod(stat.S_IRUSR | stat.S_IXUSR)
    app = opened()
    try:
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            await start(pilot)
            await pilot.press("b")
            await at(pilot, ChecklistScreen)
            assert app.project.case.get("scripts.train") == "train.py"
            assert not (project / "accucheck.yaml").exists()
    finally:
        project.chmod(0o700)


async def test_somebody_elses_session_is_not_asked_about(opened, project):
    holder = open_session(project)
    app = opened()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await at(pilot, ChecklistScreen)
    holder.close()


# --- changing the case ------------------------------------------------------------------------------------------------


async def test_the_case_is_filled_in_later_and_keeps_its_comments(opened, project):
    (project / "accucheck.yaml").write_text("# mine\nscripts:\n  train: train.py  # the one\n  eval: [a.py, b.py]\n")
    (project / "other.py").write_text("import mindspore\n")
    app = opened()
    async with app.run_test(size=(110, 40), notifications=True) as pilot:
        await at(pilot, ChecklistScreen)
        app.session.tell_training(Training.RUNS)
        await app.run_action("app.change_case")
        await at(pilot, CaseScreen)
        await until(pilot, lambda: "Looking" not in text_of(app))
        assert "a.py, b.py" in text_of(app) and "What accucheck.yaml sets" in text_of(app)
        await pilot.press("s")
        await until(pilot, lambda: "Nothing has changed" in text_of(app))
        await go(pilot, "scripts.eval")
        await pilot.press("enter")
        await until(pilot, lambda: "The value is a list" in text_of(app))
        assert isinstance(app.screen, CaseScreen)
        await go(pilot, "data.train.path")  # found, but not taken unasked
        await pilot.press("space")
        await go(pilot, "scripts.train")
        await pilot.press("enter")
        await at(pilot, AskValue)
        app.screen.query_one(Input).value = "other.py"
        await pilot.press("enter")
        await at(pilot, CaseScreen)
        await pilot.press("s")
        await at(pilot, ChecklistScreen)
        await until(pilot, lambda: app.project.case.get("data.train.path") == "data")
    text = (project / "accucheck.yaml").read_text()
    assert text.startswith("# mine\nscripts:\n  train: other.py  # the one\n  eval: [a.py, b.py]\n")
    assert "data:\n  train:\n    path: data\n" in text


async def test_a_case_that_cannot_be_changed_says_so_and_stays(opened, project):
    (project / "accucheck.yaml").write_text("scripts: &a {train: train.py}\nname: x\n")
    app = opened()
    async with app.run_test(size=(110, 40), notifications=True) as pilot:
        await at(pilot, ChecklistScreen)
        await app.run_action("app.change_case")
        await at(pilot, CaseScreen)
        await until(pilot, lambda: "Looking" not in text_of(app))
        (project / "accucheck.yaml").write_text("scripts: [\n")
        await go(pilot, "data.train.path")
        await pilot.press("space", "s")
        await at(pilot, Choose)
        await until(pilot, lambda: "accucheck.yaml" in text_of(app))  # it is drawn a moment after it is there
    assert (project / "accucheck.yaml").read_text() == "scripts: [\n"


async def test_whoever_only_looks_does_not_change_the_case(opened, project):
    (project / "accucheck.yaml").write_text("name: x\n")
    app = Walkthrough(open_project(project, session="read"), Language.EN)
    async with app.run_test(size=(110, 40), notifications=True) as pilot:
        await at(pilot, ChecklistScreen)
        for ask in (lambda: pilot.press("c"), lambda: app.run_action("app.change_case")):
            app.clear_notifications()
            await ask()
            await until(pilot, lambda: any("read-only" in each.message for each in app._notifications))
            assert isinstance(app.screen, ChecklistScreen)
    app.runner.close()
    app.session.close()


async def test_the_palette_offers_each_command_once(opened):
    app = opened()
    async with app.run_test(size=(110, 40)) as pilot:
        await at(pilot, TrainingScreen)
        for screen in (TrainingScreen, StartScreen):
            offered = [command.words for command in commands(app, app.screen)]
            assert isinstance(app.screen, screen) and len(set(offered)) == len(offered)
            if screen is TrainingScreen:
                await start(pilot)


# --- recent projects --------------------------------------------------------------------------------------------------


def entry(path, **more):
    return recent.Recent(str(path), "demo", "2026-01-01T00:00:00+00:00", **more)


async def test_a_folder_without_a_project_shows_the_recent_ones(opened, project, tmp_path):
    recent.note(entry(tmp_path / "gone"))
    recent.note(entry(project, done=7, total=24, problems=2))
    (tmp_path / "empty").mkdir()
    app = opened(tmp_path / "empty")
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await at(pilot, RecentScreen)
        text = text_of(app)
        assert "No project was recognised" in text and "7/24" in text and "gone" in text
        await pilot.press("down", "enter")
        await until(pilot, lambda: "no longer exists" in text_of(app))
        listing = app.screen.query_one(OptionList)
        await pilot.press("slash", *"7/24")
        await until(pilot, lambda: listing.option_count == 1)
        await pilot.press("escape")
        await until(pilot, lambda: listing.option_count == 2 and listing.has_focus)
        listing.highlighted = 0
        await pilot.press("down", "delete")
        assert [known.path for known in recent.load()] == [str(project)]
        await pilot.press("up", "enter")
        await until(pilot, lambda: app.reopen == project)


async def test_one_may_go_on_where_nothing_is(opened, project, tmp_path):
    recent.note(entry(project))
    (tmp_path / "empty").mkdir()
    app = opened(tmp_path / "empty")
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await at(pilot, RecentScreen)
        await pilot.press("escape")
        await at(pilot, TrainingScreen)
        await pilot.press("1")
        await at(pilot, StartScreen)
        await until(pilot, lambda: "No inputs were found" in text_of(app))


async def test_the_walkthrough_remembers_how_far_a_project_is(walkthrough, tmp_path):
    app = walkthrough()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await at(pilot, ChecklistScreen)
        await pilot.press("down", "2")
        await pilot.press("q")
    await_entry = recent.find(tmp_path / "project")
    assert (await_entry.name, await_entry.done, await_entry.total) == ("demo", 1, 7)
    assert await_entry.item == "xx.02"
    app.session.close()
    app = walkthrough()
    app.first_item = "xx.03"
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await at(pilot, ChecklistScreen)
        assert app.screen.item.id == "xx.03"


def test_run_opens_one_project_after_the_other(project, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    (other / "accucheck.yaml").write_text("name: [\n")
    third = tmp_path / "third"
    third.mkdir()
    visited, kinds = [], []

    class Demo(Walkthrough):
        pass

    def visit(app):
        kinds.append(type(app))
        visited.append((app.project.case.root, [notice.code for notice in app.notices]))
        app.reopen = {1: other, 2: third}.get(len(visited))
        app.session.close()

    monkeypatch.setattr(apps, "_visit", visit)
    assert apps.run(project, [], [], "en", kind=Demo) == 0
    assert kinds == [Demo, Demo, Walkthrough]
    assert [root for root, _ in visited] == [str(project), str(project), str(third)]
    assert [told for _, told in visited] == [[], ["yaml-syntax"], []]


def test_every_key_offered_is_shown_once():
    assert len(set(KEYS)) == len(KEYS)
