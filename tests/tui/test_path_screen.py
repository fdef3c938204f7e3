"""The path in the walkthrough: where one stands, the code to collect, and going to a step."""

import pytest
from conftest_tui import text_of, until
from textual.widgets import Input, OptionList

from accucheck.language import Language
from accucheck.model import Finding, Kind, Level, ProbeResult, Status, Verdict
from accucheck.project import open_project
from accucheck.tui.app import Walkthrough
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.dialogs import AskLine, Choose
from accucheck.tui.screens.help import HelpScreen
from accucheck.tui.screens.path import PathScreen
from accucheck.tui.widgets.items import ItemList
from path_checklist import ROUTE

HOSTILE = "[red]a\x1b[2Jb\u202ec[/]"


@pytest.fixture
def route(tmp_path, fakes):
    """route(language, case=..., checklists=[...]) opens a project on the path; sessions are closed when the test ends."""
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "route.yaml").write_text(ROUTE, encoding="utf-8")
    opened = []

    def make(language=Language.EN, case="name: demo\nruntime: {device: CPU}\n", names=("route.yaml",), **options):
        (root / "accucheck.yaml").write_text(case)
        paths = [str(tmp_path / name) if name.endswith(".yaml") else name for name in names]
        app = Walkthrough(open_project(root, paths, session="try"), language, **options)
        opened.append(app)
        return app

    yield make
    for app in opened:
        app.runner.close()
        app.session.close()


async def shown(pilot, app, text):
    await until(pilot, lambda: text in text_of(app))


async def open_path(pilot, app):
    await pilot.press("p")
    await until(
        pilot, lambda: isinstance(app.screen, PathScreen) and app.screen.query_one("#steps", OptionList).option_count
    )


def answered(app, **conclusions):
    for name, verdict in conclusions.items():
        app.session.answer(f"{name[:2]}.{name[2:]}", Verdict(verdict))


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (100, 40), (200, 60)])
@pytest.mark.parametrize("language", list(Language))
async def test_it_shows_where_one_stands_in_every_size(route, size, language):
    app = route(language)
    answered(app, pp01="ok", pp02="ok")
    async with app.run_test(size=size, notifications=True) as pilot:
        await open_path(pilot, app)
        here = "（当前位置）" if language is Language.ZH else "(you are here)"
        await shown(pilot, app, here)
        text = text_of(app)
        lines = text.split("\n")
        assert all(len(line) <= size[0] for line in lines)
        assert next(line for line in lines if here in line).lstrip().startswith("▸ ○ pp.03")
        assert lines.index(next(line for line in lines if "✓ pp.01" in line)) < lines.index(
            next(line for line in lines if here in line)
        )
        if size[1] >= 24:
            assert "├ " in text and "└ " in text and "○ pp.05" in text
            assert "curves.reference.path" in text


async def test_ascii_only(route):
    app = route(only_ascii=True)
    answered(app, pp01="ok", pp02="ok")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_path(pilot, app)
        await shown(pilot, app, "(you are here)")
        assert {sign for sign in text_of(app) if not sign.isascii()} == set()
        assert "+ The first differs: forward -> pp.04" in text_of(app)


async def test_without_a_path_it_offers_the_comparison(route):
    app = route(names=("accuracy",))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("p")
        await shown(pilot, app, "Open “Comparison with a benchmark”?")
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, ChecklistScreen) and not any(each.ends for each in app.project.checklists)
    app = route(names=("accuracy", "route.yaml"))  # the item looked at is of the other: the one path is shown
    async with app.run_test(size=(100, 30)) as pilot:
        await open_path(pilot, app)
        await shown(pilot, app, "The route")


async def test_concluding_says_where_that_leads(route):
    app = route()
    answered(app, pp01="ok", pp02="ok")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        app.screen.query_one(ItemList).go("pp.03")
        await pilot.pause()
        await pilot.press("2")
        await shown(pilot, app, "Next: Both agree → pp.05 Check pp.05")
        await open_path(pilot, app)
        await shown(pilot, app, "│ Both agree → pp.05")
        assert "Next:" not in text_of(app)  # the path says it
        assert "▸ ○ pp.05" in text_of(app)


async def test_enter_goes_to_the_item_and_r_runs_it(route):
    app = route()
    answered(app, pp01="ok", pp02="ok")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await open_path(pilot, app)
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        assert app.screen.item.id == "pp.04"
        await open_path(pilot, app)
        await pilot.press("r")
        await until(pilot, lambda: app.session.entry("pp.03").results)
        assert isinstance(app.screen, ChecklistScreen) and app.screen.item.id == "pp.03"
        await until(pilot, lambda: not app.runner.busy)
        await open_path(pilot, app)
        await shown(pilot, app, "│ The first differs: forward → pp.04")
        await pilot.press("k")
        await shown(pilot, app, "✗ bad 1")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))


async def test_a_run_moves_the_person_on_while_the_path_is_open(route):
    app = route()
    answered(app, pp01="ok", pp02="ok")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await open_path(pilot, app)
        await shown(pilot, app, "▸ ○ pp.03")
        finding = Finding("bad", Level.PROBLEM, data={"n": 1})
        result = ProbeResult("fake_problem", Kind.FILE, Status.DONE, Verdict.PROBLEM, [finding])
        app.session.record_result("pp.03", result)
        await shown(pilot, app, "▸ ○ pp.04")


async def test_the_code_is_shown_copied_and_saved_by_framework(route, tmp_path):
    app = route(Language.ZH)
    answered(app, pp01="ok", pp02="ok")
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await open_path(pilot, app)
        await shown(pilot, app, "采集代码（MindSpore）")
        assert "○ curves.train：accucheck.yaml 中未给出" in text_of(app)
        await pilot.press("y")
        assert app.clipboard.startswith("# 每步的 loss\n# curves.train: collect/loss.csv\nwith open(")
        assert "torch" not in app.clipboard
        await pilot.press("f")
        await shown(pilot, app, "采集代码（PyTorch）")
        await pilot.press("y")
        assert app.clipboard.startswith("# 标杆每步的 loss\n# curves.reference.path: collect/loss_torch.csv\n")
        copied = app.clipboard
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, AskLine))
        assert app.screen.query_one(Input).value.endswith("collect_pp.03_pytorch.py")
        target = tmp_path / "mine.py"
        app.screen.query_one(Input).value = str(target)
        await pilot.press("enter")
        await until(pilot, target.exists)
        assert target.read_text(encoding="utf-8") == copied
        await until(pilot, lambda: isinstance(app.screen, PathScreen))
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, AskLine))
        app.screen.query_one(Input).value = str(target)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose))  # it exists: refused, and left as it is
        assert target.read_text(encoding="utf-8") == copied


async def test_a_step_over_the_whole_screen_and_back(route):
    app = route()
    answered(app, pp01="ok", pp02="ok")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_path(pilot, app)
        await shown(pilot, app, "(you are here)")
        await pilot.press("v")
        await shown(pilot, app, 'with open("collect/loss.csv", "a") as stream:')
        assert "(you are here)" not in text_of(app)
        await pilot.press("escape")
        await shown(pilot, app, "(you are here)")
        assert isinstance(app.screen, PathScreen) and app.screen.focused.id == "steps"


async def test_what_is_there_is_not_collected_again(route, tmp_path):
    app = route(case="name: demo\ncurves: {train: loss.csv, reference: {path: gone.csv}}\n")
    (tmp_path / "project/loss.csv").write_text("step,loss\n")
    answered(app, pp01="ok", pp02="ok")
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await open_path(pilot, app)
        await shown(pilot, app, "✓ curves.train: loss.csv")
        assert "○ curves.reference.path: gone.csv does not exist yet" in text_of(app)
        assert "(PyTorch)" in text_of(app) and "(MindSpore)" not in text_of(app)
        await pilot.press("up")
        await shown(pilot, app, "Nothing is collected for this step")
        await pilot.press("y")
        await shown(pilot, app, "There is no code for this step")


async def test_w_names_what_was_collected_once_the_person_agrees(route, tmp_path):
    before = "# mine\nname: demo\nruntime: {device: CPU}\n"
    app = route(case=before)
    answered(app, pp01="ok", pp02="ok")
    file = tmp_path / "project/accucheck.yaml"
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await open_path(pilot, app)
        await pilot.press("w")
        await shown(pilot, app, "No snippet has written anything")
        (tmp_path / "project/collect").mkdir()
        (tmp_path / "project/collect/loss.csv").write_text("step,loss\n1,2.0\n")
        await shown(pilot, app, "into yaml")  # seen without a key
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, PathScreen))
        assert file.read_text() == before
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await shown(pilot, app, "curves.train: collect/loss.csv")
        await pilot.press("enter")
        await shown(pilot, app, "✓ curves.train: collect/loss.csv")
        assert file.read_text() == before + "curves:\n  train: collect/loss.csv\n"
        assert app.project.case.get("curves.train") == "collect/loss.csv" and "into yaml" not in text_of(app)
        (tmp_path / "project/collect/loss_torch.csv").write_text("step,loss\n1,2.0\n")
        file.write_text("curves: {train: a.csv, reference: 3}\n")
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("enter")
        await shown(pilot, app, "was left as it is")
        assert file.read_text() == "curves: {train: a.csv, reference: 3}\n"


async def test_results_that_are_out_of_date_and_answers_that_are_ahead_are_shown(route):
    app = route(case="name: demo\nruntime: {device: Ascend}\n")
    finding = Finding("bad", Level.PROBLEM, data={"n": 1})
    clean = ProbeResult("fake_clean", Kind.FILE, Status.DONE, Verdict.OK, inputs="before")
    app.session.record_result("pp.01", clean)
    app.session.record_result("pp.03", ProbeResult("fake_problem", Kind.FILE, Status.DONE, Verdict.PROBLEM, [finding]))
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await open_path(pilot, app)
        await shown(pilot, app, "✓ pp.01 Check pp.01  no problem (suggested)  (out of date)")
        await shown(pilot, app, "▸ ○ pp.02")
        await shown(pilot, app, "✗ pp.03 Check pp.03  (out of date)")


async def test_the_end_names_the_problems_and_what_to_do(route):
    app = route()
    finding = Finding("bad", Level.PROBLEM, data={"n": 7})
    app.session.record_result("pp.01", ProbeResult("fake_problem", Kind.FILE, Status.DONE, Verdict.PROBLEM, [finding]))
    answered(app, pp01="problem")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_path(pilot, app)
        await shown(pilot, app, "■ The end: Fix the named items")
        text = text_of(app)
        assert "✗ pp.01 Check pp.01" in text and "Fix them and run again." in text and "✗ bad 7" in text
        assert "pp.02" not in text
        await pilot.press("enter", "r", "y")  # there is no item to go to
        assert isinstance(app.screen, PathScreen)


async def test_untrusted_text_is_text_and_the_keys_are_explained(route):
    app = route(case=f"name: demo\ncurves: {{train: '{HOSTILE[:6]}b[/]'}}\n")
    answered(app, pp01="ok", pp02="ok")
    app.session.annotate("pp.03", HOSTILE)
    finding = Finding(HOSTILE, Level.SUSPECT, data={"n": HOSTILE})
    app.session.record_result("pp.03", ProbeResult("gone", Kind.FILE, Status.DONE, Verdict.UNDECIDED, [finding]))
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await open_path(pilot, app)
        await shown(pilot, app, "[red]ab[/]" if "[red]ab" in HOSTILE else "[red]a")
        assert "\x1b" not in text_of(app) and "\u202e" not in text_of(app)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await shown(pilot, app, "Copy the code")


async def test_ways_not_taken_are_folded_and_shown_with_what_was_found_there(route):
    app = route()
    answered(app, pp01="ok", pp02="ok", pp03="ok", pp04="problem")
    async with app.run_test(size=(100, 40)) as pilot:
        await open_path(pilot, app)
        await shown(pilot, app, "▸2")  # pp.03 led to pp.05, which leaves two ways
        steps = app.screen.query_one("#steps", OptionList)
        assert "forward" not in text_of(app)
        assert [option.id for option in steps.options][-1] == "pp.04"  # looked at, and off the path
        await shown(pilot, app, "no longer on the path")
        steps.highlighted = [option.id for option in steps.options].index("pp.03")
        await pilot.press("space")
        await shown(pilot, app, "├ ✗ The first differs: forward → pp.04")
        await pilot.press("space")
        await until(pilot, lambda: "forward" not in text_of(app))
        steps.highlighted = [option.id for option in steps.options].index("pp.02")
        await pilot.pause()
        await pilot.press("space")  # no fork: nothing changes, and it is said
        await until(pilot, lambda: any("No other way" in notice.message for notice in app._notifications))
