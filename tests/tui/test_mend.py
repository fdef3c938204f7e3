"""From a finding to its mend, to the proof: written after one question, taken back, and only what it touches is run again."""

import msgspec
import pytest
from conftest_tui import text_of, until

from accucheck import engine
from accucheck.language import Language
from accucheck.model import Kind, Status, Verdict
from accucheck.project import open_project
from accucheck.tui.app import Walkthrough
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.dialogs import AskLine, Choose
from accucheck.tui.screens.evidence import EvidenceScreen
from accucheck.tui.screens.mend import MendScreen
from accucheck.tui.widgets.items import ItemList
from command_line import copy_example


@pytest.fixture
def faulty(tmp_path):
    """The example with planted faults, its code examined: make(language) opens the walkthrough on it."""
    root = copy_example("digits_faulty", tmp_path)
    opened = []

    def make(language=Language.EN, session="try", **options):
        project = open_project(root, session=session)
        if session == "try":
            for event in project.run(project.jobs({"dp.03", "wi.01"}, {Kind.STATIC})):
                assert not isinstance(event, engine.Finished) or event.result.status is Status.DONE
        app = Walkthrough(project, language, **options)
        opened.append(app)
        return app

    make.root = root
    yield make
    for app in opened:
        app.runner.close()
        app.session.close()


async def mend_of(pilot, item="dp.03"):
    pilot.app.screen.query_one(ItemList).go(item)
    await pilot.pause()
    await pilot.press("v")
    await until(pilot, lambda: isinstance(pilot.app.screen, EvidenceScreen))
    await pilot.press("f")
    await until(pilot, lambda: isinstance(pilot.app.screen, MendScreen) and "@@" in text_of(pilot.app))


async def write(pilot):
    await pilot.press("a")
    await until(pilot, lambda: isinstance(pilot.app.screen, Choose))
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, MendScreen) and pilot.app.mends)


async def test_a_mend_is_written_and_proven(faulty):
    app = faulty()
    dataset, network = faulty.root / "dataset.py", faulty.root / "network.py"
    before, untouched = dataset.read_text(), network.read_bytes()
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        assert app.state(next(item for item in app.project.items if item.id == "dp.03")) == ("problem", True)
        await mend_of(pilot)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        assert "shuffle=True" in text_of(app) and "dataset.py" in text_of(app)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MendScreen))
        assert dataset.read_text() == before
        await write(pilot)
        assert dataset.read_text() == before.replace("shuffle=False", "shuffle=True")
        await until(pilot, lambda: "the original is .accucheck/backups/" in text_of(app))
        [kept] = (faulty.root / ".accucheck" / "backups").rglob("dataset.py")
        assert kept.read_text() == before and network.read_bytes() == untouched
        await until(pilot, lambda: app.stale)
        started = {result.started for result in app.session.entry("dp.03").results.values()}
        await pilot.press("x")
        await until(pilot, lambda: not app.runner.busy and not app.stale)
        await until(
            pilot, lambda: isinstance(app.screen, MendScreen) and "1 gone (dp.03), 2 still there" in text_of(app)
        )
        assert not app._notifications, "what the screen says itself covers none of its lines"
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "problem → no problem, 1 gone" in text_of(app))
        result = app.session.entry("dp.03").results["shuffle_settings"]
        assert result.suggestion is Verdict.OK and app.before["dp.03", "shuffle_settings"].started in started
        assert app.session.entry("wi.01").results["zero_weights_script"].suggestion is Verdict.PROBLEM
        app.screen.pane.query_one("#tabs").active = "tab-history"
        await until(pilot, lambda: "ran shuffle_settings again" in text_of(app))
        await pilot.press("u")
        await until(pilot, lambda: "out of date" in text_of(app) or app.stale)
        assert dataset.read_text() == before


async def test_a_saved_script_is_examined_again_while_it_is_followed(faulty):
    app = faulty()
    dataset = faulty.root / "dataset.py"
    before = dataset.read_text()

    def verdict():
        return app.session.entry("dp.03").results["shuffle_settings"].suggestion

    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.press("F")
        await until(pilot, lambda: app.screen._saved)
        dataset.write_text(before.replace("shuffle=False", "shuffle=True"))
        await until(pilot, lambda: verdict() is Verdict.OK and not app.runner.busy)
        dataset.write_text(before + "\n")
        await until(pilot, lambda: verdict() is Verdict.PROBLEM and not app.runner.busy)
        started = app.session.entry("dp.03").results["shuffle_settings"].started
        await pilot.press("F")
        dataset.write_text(before.replace("shuffle=False", "shuffle=True"))
        await pilot.pause(1.5)
        assert app.session.entry("dp.03").results["shuffle_settings"].started == started


async def test_a_mend_is_taken_back_and_refused_where_the_file_is_another(faulty):
    app = faulty(Language.ZH)
    dataset = faulty.root / "dataset.py"
    before = dataset.read_text()
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await mend_of(pilot)
        await pilot.press("u")
        await until(pilot, lambda: "尚未写入" in text_of(app))
        await write(pilot)
        await pilot.press("a")
        await until(pilot, lambda: "已写入" in text_of(app))
        await pilot.press("u")
        await until(pilot, lambda: not app.mends)
        assert dataset.read_text() == before
        dataset.write_text("# mine\n" + before)  # since the screen has read it
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("enter")
        await until(pilot, lambda: "又有变动" in text_of(app))
        assert dataset.read_text() == "# mine\n" + before
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MendScreen) and "已没有该修改所替换的行" in text_of(app))


async def test_a_patch_is_saved_and_copied(faulty, monkeypatch):
    app = faulty()
    copied = []
    monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
    async with app.run_test(size=(60, 15), notifications=True) as pilot:
        await mend_of(pilot)
        await pilot.press("y", "s")
        await until(pilot, lambda: isinstance(app.screen, AskLine))
        await pilot.press("enter")
        [patch] = [path async for path in waited(pilot, faulty.root)]
        assert patch.read_text() == copied[0] and "+    dataset = " in copied[0]


async def waited(pilot, root):
    await until(pilot, lambda: list(root.glob("*.patch")))
    for path in root.glob("*.patch"):
        yield path


async def test_who_only_reads_changes_no_file(faulty):
    faulty()
    app = faulty(session="read")
    dataset = faulty.root / "dataset.py"
    before = dataset.read_text()
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await mend_of(pilot)
        await pilot.press("a")
        await until(pilot, lambda: "read-only" in text_of(app))
        assert isinstance(app.screen, MendScreen) and dataset.read_text() == before


async def test_from_the_checklist_by_two_keys(faulty):
    app = faulty()
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        app.screen.query_one(ItemList).go("ds.01")
        await pilot.pause()
        await pilot.press("f")
        await until(pilot, lambda: "Choose a finding first" in text_of(app))
        app.screen.query_one(ItemList).go("dp.03")
        await pilot.pause()
        await pilot.press("f")  # the item has one mend
        await until(pilot, lambda: isinstance(app.screen, MendScreen))
        await pilot.press("escape", "x")
        await until(pilot, lambda: "No result is out of date" in text_of(app))


async def test_while_probes_run_what_is_stale_waits(faulty, monkeypatch):
    app = faulty()
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await mend_of(pilot)
        await write(pilot)
        await until(pilot, lambda: app.stale)
        monkeypatch.setattr(type(app.runner), "busy", True)
        for screen in (MendScreen, EvidenceScreen, ChecklistScreen):
            await until(pilot, lambda kind=screen: isinstance(app.screen, kind))
            app.clear_notifications()
            await pilot.press("x")
            await until(pilot, lambda: any("Probes are running" in each.message for each in app._notifications))
            assert isinstance(app.screen, screen)
            app.pop_screen() if screen is not ChecklistScreen else None
        app.clear_notifications()
        app.run_stale()  # another run has begun since the key was pressed
        await until(pilot, lambda: any("Probes are running" in each.message for each in app._notifications))
        assert len(app._notifications) == 1 and not app.checklist._again


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (Language.EN, "2 probes run again: 1 gone (dp.03), 1 failed"),
        (Language.ZH, "已重新运行 2 个探针：已消除 1 条（dp.03）、1 个探针失败"),
    ],
)
async def test_a_probe_that_fails_again_proves_nothing(faulty, monkeypatch, language, said):
    app = faulty(language)
    real = app.project.run

    def failing(jobs, **options):
        for event in real(jobs, **options):
            if isinstance(event, engine.Finished) and event.job.probe == "zero_weights_script":
                result = msgspec.structs.replace(event.result, status=Status.FAILED, findings=[])
                app.session.record_result(event.job.item, result)
                event = engine.Finished(event.job, result)
            yield event

    monkeypatch.setattr(app.project, "run", failing)
    dataset, network = faulty.root / "dataset.py", faulty.root / "network.py"
    dataset.write_text(dataset.read_text().replace("shuffle=False", "shuffle=True"))
    network.write_text(network.read_text() + "\n")
    stale = {("dp.03", "shuffle_settings"), ("wi.01", "zero_weights_script")}
    monkeypatch.setattr(app.project, "stale", lambda: stale)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.pause()
        app.run_stale()
        await until(pilot, lambda: said in [each.message for each in app._notifications])


async def test_results_that_cannot_be_told_apart_are_counted_apart(faulty, monkeypatch):
    app = faulty()
    monkeypatch.setattr("accucheck.tui.widgets.findings.TOLD_APART", 0)
    monkeypatch.setattr(app.project, "stale", lambda: {("dp.03", "shuffle_settings")})
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.pause()
        app.run_stale()
        said = "1 probe run again: 1 not to be compared with the last run"
        await until(pilot, lambda: said in [each.message for each in app._notifications])


async def test_all_changes_of_a_rule_are_written_after_one_question(faulty):
    app = faulty()
    network = faulty.root / "network.py"
    before = network.read_text()
    assert before.count("weight_init") == 2
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await mend_of(pilot, "wi.01")
        assert "all of this rule" in text_of(app)
        await pilot.press("A")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        assert "the 2 changes of this rule into 1 file?" in text_of(app) and text_of(app).count("@@ -") == 2
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MendScreen))
        assert network.read_text() == before
        await pilot.press("A")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MendScreen) and len(app.mends) == 2)
        assert "weight_init" not in network.read_text()
        assert "all of this rule" not in text_of(app)
        assert "2 changes written into 1 file." in text_of(app) and not app._notifications
        await until(pilot, lambda: app.stale)
        await pilot.press("u")
        await until(pilot, lambda: not app.mends)
        assert network.read_text() == before


async def test_one_change_alone_has_no_others_of_its_rule(faulty):
    app = faulty()
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await mend_of(pilot)
        assert "all of this rule" not in text_of(app)
        await pilot.press("A")
        await until(pilot, lambda: "No other change of this rule" in text_of(app))
