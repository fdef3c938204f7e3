"""The watch of a command in the walkthrough: asked for, seen as it comes, stopped, and looked at by the probes."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from pathlib import Path

import pytest
from conftest_tui import text_of, until
from textual.widgets import Input, OptionList

from accucheck import consent, guidance
from accucheck.language import Language
from accucheck.tui.screens.checklist import ChecklistScreen
from accucheck.tui.screens.checklist_watching import STEPS
from accucheck.tui.screens.dialogs import AskLine, Choose
from accucheck.tui.screens.next import NextScreen
from accucheck.tui.screens.watch import WatchScreen

CASE = "name: demo\nscripts: {train: train.py}\nruntime: {command: sh run.sh}\n"
#: A command that brings a recording, as a training under watch would write it, prints a line and goes on.
RUN = 'cp recording.jsonl "$(dirname "$ACCUCHECK_WATCH")/pynative.rank0.7.jsonl"\necho "[red]printed[/red]"\nexec sleep 100\n'


def recording(losses: list[object], **last: object) -> str:
    names = ["conv1.weight", "层.bias", "fc.weight"]
    records: list[dict[str, object]] = [{"recording": 1, "accucheck": "0.1.0", "mindspore": "2.10.0", "rank": 0}]
    records.append({"fact": "optimizer", "number": 0, "parameters": names})
    for step, loss in enumerate(losses, 1):
        records.append({"fact": "gradients", "step": step, "optimizer": 0, "norms": [0.5, None, 0.0005]})
        calls = [["block.relu", "mindspore.nn.ReLU", True, [{"shape": [2], "bad": 0.5}]]] if loss == "nan" else []
        records.append({"fact": "pass", "step": step, "training": True, "calls": calls})
        records.append(
            {"step": step, "epoch": 1, "seconds": 0.5, "data_seconds": 0.1, "loss": loss, "lr": 0.01, **last}
        )
    return "".join(json.dumps(record) + "\n" for record in records)


def prepare(root: Path, losses: list[object], **last: object) -> None:
    (root / "train.py").write_text("import mindspore\n")
    (root / "run.sh").write_text(RUN)
    (root / "recording.jsonl").write_text(recording(losses, **last))


async def choose(pilot, app, answer: str) -> None:
    await until(pilot, lambda: isinstance(app.screen, Choose) and bool(app.screen.query(OptionList)))
    options = app.screen.query_one(OptionList)
    options.highlighted = next(n for n, option in enumerate(options.options) if option.id == answer)
    await pilot.press("enter")


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(("size", "only_ascii"), [((80, 24), False), ((100, 40), False), ((80, 24), True)])
async def test_a_running_training_is_seen_as_it_comes(walkthrough, tmp_path, language, size, only_ascii):
    prepare(tmp_path / "project", [2.5, 2.25, 2.0, "nan"], grad_norm=1.5, loss_scale=1024)
    app = walkthrough(language, CASE, only_ascii=only_ascii)
    async with app.run_test(size=size) as pilot:
        await pilot.press("W")
        await until(pilot, lambda: "sh run.sh" in text_of(app))
        await choose(pilot, app, "once")
        await until(pilot, lambda: isinstance(app.screen, WatchScreen) and "0.01" in text_of(app))
        shown = text_of(app)
        for told in ("sh run.sh", "nan", "1.5", "1024", "block.relu", "conv1.weight", "层.bias", "20%"):
            assert told in shown, f"{told} in\n{shown}"
        # A gradient a thousandth of the greatest has half a bar.
        bar = "#" * 12 + "." * 12 if only_ascii else "█" * 12 + "░" * 12
        assert any("fc.weight" in line and bar in line for line in shown.splitlines()) or size[1] == 24
        drawn = [letter for letter in shown if 0x2190 <= ord(letter) < 0x2900]  # arrows, boxes, blocks, dots
        assert bool(drawn) != only_ascii
        app.screen.query_one("VerticalScroll").scroll_end(animate=False)
        await until(pilot, lambda: "[red]printed[/red]" in text_of(app))
        await pilot.press("L")
        await until(pilot, lambda: app.speech.language is not language)
        await pilot.press("s")
        await until(pilot, lambda: not app.runner.watches and app.runner.watched is not None)
        assert app.runner.watched.code < 0
        await until(pilot, lambda: app.project.case.get("watched"))
        assert app.project.case.get("watched").startswith(".accucheck/watch/")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))


@pytest.mark.parametrize(("steps", "words"), [(STEPS, f"第 {STEPS}/{STEPS} 步"), (STEPS + 9, "等待首次评估")])
async def test_beyond_its_steps_an_evaluation_is_waited_for(walkthrough, tmp_path, steps, words):
    prepare(tmp_path / "project", [1.0] * steps)
    app = walkthrough(Language.ZH, CASE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("W")
        await choose(pilot, app, "once")
        await until(pilot, lambda: isinstance(app.screen, WatchScreen) and words in text_of(app))
        shown = text_of(app)
        assert ("等待首次评估" in shown) == (f"/{STEPS} 步" not in shown) == (steps > STEPS), shown
        await pilot.press("s")
        await until(pilot, lambda: not app.runner.watches)


@pytest.mark.parametrize("language", list(Language))
async def test_rates_of_groups_and_what_cannot_be_watched_are_named(walkthrough, tmp_path, language):
    root = tmp_path / "project"
    prepare(root, [2.5, 2.25], **{"lr.0": 0.25, "lr.1": 0.25, "opt1.lr": 0.125})
    facts = [
        {"fact": "missing", "hook": "Iterator.__next__"},
        {"fact": "failed", "hook": "gradients", "error": "ValueError('norm')", "place": "optimizers.py:17"},
    ]
    with (root / "recording.jsonl").open("a") as stream:
        stream.writelines(f"{json.dumps(one)}\n" for one in facts)
    app = walkthrough(language, CASE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("W")
        await choose(pilot, app, "once")
        await until(pilot, lambda: isinstance(app.screen, WatchScreen) and "0.01" in text_of(app))
        shown = text_of(app)
        for told in ("0.01, 0.25, 0.125 ", "Iterator.__next__", "gradients", "ValueError('norm')", "optimizers.py:17"):
            assert told in shown, f"{told} in\n{shown}"
        await pilot.press("s")
        await until(pilot, lambda: not app.runner.watches)


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(
    ("command", "words"), [("sh -c 'exit 7'", "no-python"), (f"{sys.executable} -c 'exit(7)'", "no-mindspore")]
)
async def test_a_command_of_which_nothing_is_seen_says_how_far_it_came(walkthrough, language, command, words):
    app = walkthrough(language, f"name: demo\nruntime:\n  command: {command}\n")
    async with app.run_test(size=(400, 30)) as pilot:
        await pilot.press("W")
        await choose(pilot, app, "once")
        wanted = app.speech.say(f"watch-over-{words}", code=7, python=sys.executable)
        await until(pilot, lambda: app.runner.watched is not None and wanted in text_of(app))


async def test_the_command_is_asked_for_changed_refused_and_remembered(walkthrough, tmp_path):
    prepare(tmp_path / "project", [1.0])
    app = walkthrough(case=CASE)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("W")
        await choose(pilot, app, "no")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        assert app.runner.watching is None
        await pilot.press("W")
        await choose(pilot, app, "edit")
        await until(pilot, lambda: isinstance(app.screen, AskLine))
        app.screen.query_one(Input).value = "sh -c 'exit 7'"
        await pilot.press("enter")
        await until(pilot, lambda: "exit 7" in text_of(app))
        await choose(pilot, app, "always")
        await until(pilot, lambda: app.runner.watched is not None)
        await until(pilot, lambda: "exit code 7" in text_of(app))
        assert consent.granted_command(app.project.case, ["sh", "-c", "exit 7"])
        assert not consent.granted_command(app.project.case, ["sh", "run.sh"])
        assert app.project.case.get("watched") is None  # nothing was seen
        await pilot.press("escape", "W")  # agreed to for good: at once
        await until(pilot, lambda: isinstance(app.screen, WatchScreen) and app.runner.watched is not None)
        await pilot.press("e")  # another one is asked for all the same
        await until(pilot, lambda: isinstance(app.screen, Choose))


NEEDS_CONFIGURATION = """
import argparse

import yaml
from mindspore import nn

parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
with open(parser.parse_args().config) as file:
    settings = yaml.safe_load(file)
net = nn.Dense(4, settings["classes"])
optimizer = nn.SGD(net.trainable_params(), settings["lr"], momentum=settings["momentum"])
"""


async def test_the_command_brings_the_configuration_that_the_script_needs_and_is_added_to(walkthrough, tmp_path):
    root = tmp_path / "project"
    (root / "train.py").write_text(NEEDS_CONFIGURATION)
    (root / "small.yaml").write_text("classes: 3\nlr: 0.1\nmomentum: 0.9\n")
    app = walkthrough(case="name: demo\nscripts: {train: train.py}\n")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("W")
        await until(pilot, lambda: "python train.py --config small.yaml" in text_of(app))
        await choose(pilot, app, "edit")
        await until(pilot, lambda: isinstance(app.screen, AskLine))
        await pilot.press(*" -v", "enter")
        await until(pilot, lambda: "python train.py --config small.yaml -v" in text_of(app))


async def test_a_command_that_cannot_be_started_is_told(walkthrough, tmp_path):
    app = walkthrough(case="name: demo\nruntime: {command: no-such-command}\n")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("W")
        await choose(pilot, app, "once")
        await until(pilot, lambda: "no program called no-such-command" in text_of(app))


async def test_the_screen_may_be_left_while_the_command_runs_and_leaving_the_app_ends_it(walkthrough, tmp_path):
    prepare(tmp_path / "project", [1.0, 0.5])
    app = walkthrough(case=CASE)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("W")
        await choose(pilot, app, "once")
        await until(pilot, lambda: isinstance(app.screen, WatchScreen) and "rate 0.01" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ChecklistScreen))
        assert app.runner.watches
        await pilot.press("W")
        await until(pilot, lambda: isinstance(app.screen, WatchScreen) and "rate 0.01" in text_of(app))
    app.runner.close()
    for _ in range(400):  # the app has no screen any more that a pilot could wait for
        if not app.runner.watches:
            break
        await asyncio.sleep(0.05)
    assert not app.runner.watches


async def test_the_watch_is_the_first_thing_proposed_for_a_training_script(walkthrough, tmp_path):
    prepare(tmp_path / "project", [1.0])
    app = walkthrough(case="name: demo\nscripts: {train: train.py}\n")
    first = guidance.steps(app.project)[0]
    assert (first.kind, first.command()) == ("watch", "accucheck watch -- python train.py")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "W watches a real training" in text_of(app))
        await pilot.press("w")
        await until(pilot, lambda: "python train.py" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose) and "python train.py" in text_of(app))
    app = walkthrough(case="name: demo\nscripts: {train: train.py}\nwatched: somewhere\n")
    assert all(step.kind != "watch" for step in guidance.steps(app.project))


TRAIN = """
import mindspore as ms, numpy as np
from mindspore import nn
net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 2))
optimizer = nn.SGD(net.trainable_params(), 0.125)
step = ms.value_and_grad(lambda a: net(a).sum(), None, optimizer.parameters)
for _ in range(4):
    optimizer(step(ms.Tensor(np.ones((2, 2), np.float32)))[1])
print("trained")
"""


@pytest.mark.mindspore
@pytest.mark.slow
async def test_a_real_training_is_watched_and_its_recording_becomes_part_of_the_case(walkthrough, tmp_path):
    (tmp_path / "project/train.py").write_text(TRAIN)
    command = shlex.join([sys.executable, "train.py"])
    app = walkthrough(case=f"name: demo\nscripts: {{train: train.py}}\nruntime: {{command: {command}}}\n")
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("W")
        await choose(pilot, app, "once")
        for _ in range(5):  # each waits for a minute
            try:
                await until(pilot, lambda: app.runner.watched is not None)
                break
            except AssertionError:
                continue
        assert app.runner.watched.code == 0
        await until(pilot, lambda: "4 steps were watched" in text_of(app) and "trained" in text_of(app))
        shown = text_of(app)
        assert "rate 0.125" in shown and "0.weight" in shown
        assert app.project.case.get("watched")
        await until(pilot, lambda: not app.runner.busy and "Probes have examined the recording" in text_of(app))
        assert not app._notifications  # what they would say stands on the screen
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, NextScreen))
