"""Trying fixes in the walkthrough: asked for, the table as it grows, stopped, kept, and what cannot be tried."""

from __future__ import annotations

import shutil
import sys

import msgspec
import pytest
from conftest_tui import text_of, until
from textual.widgets import OptionList

from accucheck import engine
from accucheck.language import Language
from accucheck.model import Kind, Status
from accucheck.project import open_project
from accucheck.session import open_session
from accucheck.tui.app import Walkthrough
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.dialogs import Choose
from accucheck.tui.screens.next import NextScreen
from accucheck.tui.screens.trial import TrialScreen

FAULTY = """
import mindspore.dataset as ds
import mindspore.nn as nn
import mindspore as ms

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(4, 8, weight_init="zeros", bias_init="zeros")
        self.second = nn.Dense(8, 2)

    def construct(self, x):
        return self.second(ms.ops.relu(self.first(x)))

net = Net()
data = ds.NumpySlicesDataset(([[0.0] * 4] * 8, [0] * 8), ["x", "y"], shuffle=True).batch(2)
model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params()))
model.train(1, data)
"""
#: Trains as far as the walkthrough sees: the better where no weight is zero.
TRAIN = """
import pathlib, time
time.sleep({wait})
good = "weight_init" not in pathlib.Path("train.py").read_text()
for step in range(1, 21):
    print(f"step: {{step}}, loss is {{2.0 if not good else 2.0 / step:.4f}}", flush=True)
print("eval accuracy:", 0.9 if good else 0.1)
"""
OTHER = "--- a/run.py\n+++ b/run.py\n@@ -1,1 +1,2 @@\n+# first\n \n"
CASE = f"name: demo\nscripts: {{train: train.py}}\nruntime: {{command: {sys.executable} run.py}}\n"


@pytest.fixture
def faulty(tmp_path):
    """make(language) opens the walkthrough on a project in whose weights a probe has found a fault; `seen` False: not yet."""
    root, opened = tmp_path / "project", []
    root.mkdir()

    def make(language=Language.EN, wait: float = 0, seen: bool = True, **options):
        (root / "train.py").write_text(FAULTY)
        (root / "run.py").write_text(TRAIN.format(wait=wait))
        (root / "accucheck.yaml").write_text(CASE)
        project = open_project(root, session="try")
        for event in project.run(project.jobs({"wi.01"}, {Kind.STATIC})) if seen else ():
            assert not isinstance(event, engine.Finished) or event.result.status is Status.DONE
        app = Walkthrough(project, language, **options)
        opened.append(app)
        return app

    yield make
    for app in opened:
        app.runner.close()
        app.session.close()


async def answer(pilot, app, name: str) -> None:
    await until(pilot, lambda: isinstance(app.screen, Choose))
    options = app.screen.query_one(OptionList)
    options.highlighted = next(n for n, option in enumerate(options.options) if option.id == name)
    await pilot.press("enter")


async def next_steps(pilot, app) -> None:
    await pilot.press("w")
    await until(pilot, lambda: isinstance(app.screen, NextScreen) and "wi.01" in text_of(app))


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(("size", "only_ascii"), [((80, 24), False), ((140, 45), False), ((60, 15), True)])
async def test_the_table_grows_and_is_kept(faulty, tmp_path, language, size, only_ascii):
    app = faulty(language, only_ascii=only_ascii)
    async with app.run_test(size=size) as pilot:
        await next_steps(pilot, app)
        await pilot.press("T")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "run.py" in text_of(app))
        await answer(pilot, app, "once")
        await until(pilot, lambda: isinstance(app.screen, TrialScreen))
        assert app.screen.query_one("#head").styles.dock == "top", "the style of progress screens is that of this one"
        await until(pilot, lambda: not app.runner.tries and app.runner.tried is not None)
        await until(pilot, lambda: len(app.runner.tried.trials) >= 3)
        app.screen.query_one("VerticalScroll").scroll_end(animate=False)
        await pilot.pause()
        rows = app.runner.tried.trials
        assert {trial.metric for trial in rows} == {0.1, 0.9}
        if size[1] > 20:
            words = "better, beyond the noise" if language is Language.EN else "变好，超出波动范围"
            assert words in text_of(app) and "+0.8" in text_of(app)
        await pilot.press("L", "escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        await pilot.press("T")  # what was tried is shown again
        await until(pilot, lambda: isinstance(app.screen, TrialScreen))
    kept = open_session(tmp_path / "project", write=False).record.tried
    assert kept is not None and kept.trials == rows


@pytest.mark.parametrize("language", list(Language))
async def test_why_nothing_could_be_trained_stands_above_what_was_not(faulty, tmp_path, language):
    app = faulty(language)
    (tmp_path / "project" / "run.py").write_text("import mindspore_of_nobody\n")
    async with app.run_test(size=(100, 40)) as pilot:
        await next_steps(pilot, app)
        await pilot.press("T")
        await answer(pilot, app, "once")
        await until(pilot, lambda: not app.runner.tries and app.runner.tried is not None)
        await until(pilot, lambda: "mindspore_of_nobody" in text_of(app) and "wi.01" in text_of(app))
        assert text_of(app).index("mindspore_of_nobody") < text_of(app).index("wi.01")


async def test_it_can_be_stopped_and_goes_on_where_it_was(faulty):
    app = faulty(wait=2)
    async with app.run_test(size=(100, 30)) as pilot:
        await next_steps(pilot, app)
        await pilot.press("T")
        await answer(pilot, app, "always")
        await until(pilot, lambda: app.runner.tried is not None)
        await pilot.press("s")
        await until(pilot, lambda: not app.runner.tries)
        done = len(app.runner.tried.trials)
        assert done < 4
        await until(pilot, lambda: "Stopped after" in text_of(app))
        await pilot.press("e")
        await answer(pilot, app, "once")
        await until(pilot, lambda: app.runner.tried is not None and len(app.runner.tried.trials) > done)
        assert app.runner.tried.trials[0].seconds >= 2
    app.runner.close()
    assert not app.runner.tries, "leaving ends it"


async def test_stopped_at_once_it_says_that_nothing_was_tried(faulty):
    app = faulty(wait=30)
    async with app.run_test(size=(100, 30)) as pilot:
        await next_steps(pilot, app)
        await pilot.press("T")
        await answer(pilot, app, "once")
        await until(pilot, lambda: app.runner.trial is not None)
        await pilot.press("s")
        await until(pilot, lambda: "Nothing was tried: it was stopped" in text_of(app))
        assert "kept in the session" not in text_of(app) and app.runner.tried is None


async def test_without_a_change_there_is_nothing_to_try(faulty):
    app = faulty(seen=False)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("T")
        await until(pilot, lambda: "No finding has a patch" in text_of(app))


async def test_it_is_refused_and_what_cannot_be_tried_is_told(faulty, tmp_path):
    app = faulty()
    async with app.run_test(size=(100, 30)) as pilot:
        await next_steps(pilot, app)
        await pilot.press("T")
        await answer(pilot, app, "no")
        await until(pilot, lambda: isinstance(app.screen, NextScreen))
        assert app.runner.trying is None
        (tmp_path / "project" / "train.py").write_text("pass\n")
        await pilot.press("T")
        await until(pilot, lambda: "None of the changes fits" in text_of(app))


async def test_a_fault_of_the_copy_is_told(faulty, monkeypatch):
    app = faulty()
    usage = type(shutil.disk_usage("/"))(1, 1, 0)
    async with app.run_test(size=(100, 30)) as pilot:
        await next_steps(pilot, app)
        monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
        await pilot.press("T")
        await answer(pilot, app, "once")
        await until(pilot, lambda: "MB are free" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "Nothing was tried: " in text_of(app) and "MB are free" in text_of(app))


async def test_after_a_kill_the_table_is_there_and_e_goes_on_with_the_rest(faulty, tmp_path):
    app = faulty(wait=2)
    async with app.run_test(size=(100, 30)) as pilot:
        await next_steps(pilot, app)
        await pilot.press("T")
        await answer(pilot, app, "once")
        await until(pilot, lambda: "evaluating" in text_of(app) or "training 2 of" in text_of(app))
        await until(pilot, lambda: " left" in text_of(app))
        app.runner.stop_trying()
        await until(pilot, lambda: not app.runner.tries)
        count, planned = len(app.runner.tried.trials), app.runner.tried.planned
        assert 0 < count < planned
        app.session.save()
    app.runner.close()
    app.session.close()
    again = Walkthrough(open_project(tmp_path / "project", session="try"), Language.EN)
    try:
        async with again.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: isinstance(again.screen, ChecklistScreen))
            await pilot.press("T")
            await until(pilot, lambda: f"Stopped after {count} of {planned}" in text_of(again))
            await pilot.press("e")
            await until(pilot, lambda: isinstance(again.screen, Choose))
            assert f"{count} of them" in " ".join(text_of(again).split())
    finally:
        again.runner.close()
        again.session.close()


async def test_figures_stand_beside_their_bars_in_a_narrow_terminal(faulty):
    from accucheck.try_results import Trial, TryResults

    app = faulty(Language.ZH)
    name = {"metric_name": "accuracy", "losses": [(20, 2.0412)]}
    trials = [Trial(f"b{seed}", "base", seed, metric=0.6845 - seed / 100, **name) for seed in (1, 2)]
    trials.append(Trial("p", "patch", item="wi.01", metric=0.5944, **name))
    app.runner.tried = TryResults(["python", "train.py"], trials=trials, planned=3)
    async with app.run_test(size=(60, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        await pilot.press("T")
        await until(pilot, lambda: "accuracy 0.5944" in text_of(app))
        (line,) = [line for line in text_of(app).split("\n") if "0.5944" in line]
        assert "-0.0" in line and "█" in line, "nothing of it is on a line of its own"


async def test_changes_that_helped_together_are_written_from_the_list(faulty, tmp_path):
    from accucheck.try_results import Trial, TryResults

    app = faulty()
    root = tmp_path / "project"
    (kept,) = [(item, result) for item, result in app.project.recorded() if result.findings]
    found = [each for each in kept[1].findings if each.fix is not None and each.fix.diff]
    other = msgspec.structs.replace(found[0], code="other", fix=msgspec.structs.replace(found[0].fix, diff=OTHER))
    app.session.record_result(kept[0], msgspec.structs.replace(kept[1], findings=[*kept[1].findings, other]))
    base = [Trial(f"b{seed}", "base", seed, metric=0.1, metric_name="accuracy") for seed in (1, 2)]
    app.session.keep_tried(TryResults(["x"], trials=[*base, Trial("a", "all", metric=0.9, metric_name="accuracy")]))
    async with app.run_test(size=(120, 40)) as pilot:
        await next_steps(pilot, app)
        await until(pilot, lambda: "accuracy 0.1 → 0.9" in " ".join(text_of(app).split()))
        options = app.screen.query_one("#steps", OptionList)
        options.highlighted = next(n for n, step in enumerate(app.screen._steps) if step.kind == "together")
        await pilot.press("enter")
        await answer(pilot, app, "yes")
        await until(pilot, lambda: "weight_init" not in (root / "train.py").read_text())
        assert (root / "run.py").read_text().startswith("# first")
