"""A search for hyper-parameters in the walkthrough: asked for, shown as it goes on, stopped, gone on with, and what cannot be searched."""

from __future__ import annotations

import sys

import pytest
from conftest_tui import text_of, until
from msgspec.structs import replace
from textual.widgets import Input, OptionList

from accucheck import consent
from accucheck.case import Curves
from accucheck.language import Language
from accucheck.model import Finding, Kind, Level, ProbeResult, Status, Verdict, Where
from accucheck.project import open_project
from accucheck.session import open_session
from accucheck.tui.app import Walkthrough
from accucheck.tui.screens import checklist_watching
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.dialogs import AskLine, Choose
from accucheck.tui.screens.search import SearchScreen

TRAIN = """
import argparse, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.01)
args = parser.parse_args()
time.sleep({wait})
for epoch in (1, 2, 3):
    print(f"epoch: {{epoch}}, eval accuracy: {{(0.5 + args.lr) * epoch / 3:.4f}}", flush=True)
"""


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """make(language) opens the walkthrough on a project whose command can be searched."""
    monkeypatch.setattr(checklist_watching, "TRIALS", 5)
    root, apps = tmp_path / "project", []
    root.mkdir()

    def make(language=Language.EN, wait: float = 0, **options):
        (root / "train.py").write_text(TRAIN.format(wait=wait))
        case = f"name: demo\nscripts: {{train: train.py}}\nruntime: {{command: {sys.executable} train.py}}\n"
        (root / "accucheck.yaml").write_text(case)
        app = Walkthrough(open_project(root, session="try"), language, **options)
        apps.append(app)
        return app

    yield make
    for app in apps:
        app.runner.close()
        app.session.close()


async def answer(pilot, app, name: str) -> None:
    await until(pilot, lambda: isinstance(app.screen, Choose))
    options = app.screen.query_one(OptionList)
    options.highlighted = next(n for n, option in enumerate(options.options) if option.id == name)
    await pilot.press("enter")


async def search(pilot, app, text: str) -> None:
    await until(pilot, lambda: isinstance(app.screen, AskLine))
    app.screen.query_one(Input).value = text
    await pilot.press("enter")


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(("size", "only_ascii"), [((80, 24), False), ((140, 50), False), ((60, 15), True)])
async def test_a_search_is_shown_and_kept(opened, tmp_path, language, size, only_ascii):
    app = opened(language, only_ascii=only_ascii)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        await pilot.press("H")
        await search(pilot, app, "lr=0.2,0.3,0.4")
        await answer(pilot, app, "once")
        await until(pilot, lambda: isinstance(app.screen, SearchScreen))
        await until(pilot, lambda: not app.runner.tunes and app.runner.tuned is not None)
        await until(pilot, lambda: ("5 trials" if language is Language.EN else "已有 5 次") in text_of(app))
        if size[1] > 20:
            words = "beyond the noise" if language is Language.EN else "超出波动"
            assert words in text_of(app) and "--lr=" in text_of(app)
        app.screen.query_one("VerticalScroll").scroll_end(animate=False)
        await pilot.pause()
        assert not only_ascii or not set("●├─█▁") & set(text_of(app))
        await pilot.press("L", "escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        await pilot.press("H")  # what was found is shown again
        await until(pilot, lambda: isinstance(app.screen, SearchScreen))
    kept = open_session(tmp_path / "project", write=False).record.tuned
    assert kept is not None and len(kept.trials) == 5 and kept.best_command[-1].startswith("--lr=")


async def test_it_is_stopped_and_goes_on(opened):
    app = opened(wait=1)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("H")
        await search(pilot, app, "lr=0.2,0.3,0.4")
        await answer(pilot, app, "always")
        await until(pilot, lambda: app.runner.tuned is not None)
        await pilot.press("s")
        await until(pilot, lambda: not app.runner.tunes)
        done = len(app.runner.tuned.trials)
        assert done < 5
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, AskLine))
        assert app.screen.query_one(Input).value == "lr=0.2,0.3,0.4"
        await pilot.press("enter")
        await until(pilot, lambda: not app.runner.tunes and len(app.runner.tuned.trials) == 5)


async def test_faults_come_first_and_bad_input_is_told(opened):
    app = opened()
    finding = Finding("all-zero", Level.PROBLEM, Where("train.py", 1))
    result = ProbeResult("zero_weights_script", Kind.STATIC, Status.DONE, Verdict.PROBLEM, [finding])
    app.session.record_result("wi.01", result)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("H")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "wi.01" in text_of(app))
        await answer(pilot, app, "no")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        await pilot.press("H")
        await answer(pilot, app, "yes")
        await search(pilot, app, "nope=1,2")
        await until(pilot, lambda: "nope is neither an option nor a key" in text_of(app))
        assert isinstance(app.screen, AskLine), "what was typed can be corrected"
        assert app.screen.query_one(Input).value == "nope=1,2" and app.screen.query_one("Vertical").size.width < 80
    assert app.runner.tuned is None and not consent.granted_command(app.project.case, [sys.executable, "train.py"])


@pytest.mark.parametrize(
    ("log", "said"), [("", "if it reports neither"), ("eval.log", "by eval.log it is eval_accuracy")]
)
async def test_the_metric_is_told_before_anything_runs(opened, tmp_path, log, said):
    app = opened()
    (tmp_path / "project" / "eval.log").write_text("epoch: 1, eval accuracy: 0.8\nepoch: 2, eval accuracy: 0.9\n")
    if log:
        case = app.project.case
        app.use_case(replace(case, spec=replace(case.spec, curves=Curves(eval=log))))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("H")
        await search(pilot, app, "lr=0.2,0.3")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        assert said in " ".join(app.screen.text.split())
        await pilot.press("escape")
    assert app.runner.tuned is None
