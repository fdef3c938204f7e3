"""A watched training prints what the unwatched one prints, to the last bit, in every style; and its recording holds each step of it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from accucheck.readers import recordings
from accucheck.watching import Pass, Plan, watch
from watch_styles import HEAD, STEPS, STYLES, UPDATES

pytestmark = pytest.mark.mindspore


def written(folder: Path, style: str) -> Path:
    folder.joinpath("train.py").write_text(HEAD + STYLES[style])
    return folder


def printed(folder: Path, *options: str) -> list[str]:
    """What the training prints of its losses and weights without accucheck."""
    ran = subprocess.run(
        [sys.executable, "train.py", *options], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    return said(ran.stdout)


def said(text: str) -> list[str]:
    return re.findall(r"^(?:loss|weights|right) .*$", text, re.M)


def watched(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, mode: str = "", steps: int = 0
) -> tuple[Pass, list[str], recordings.Run]:
    """The first pass of a watch, what the last one printed, and the recording of the first."""
    monkeypatch.chdir(folder)
    options = ["graph"] if mode == "user" else []
    capfd.readouterr()
    passes = watch(Plan([sys.executable, "train.py", *options], folder, steps=steps, mode=mode)).passes
    out, err = capfd.readouterr()
    assert not any(one.code or one.failed for one in passes), (passes, err[-2000:])
    lines = said(out)
    return (
        passes[0],
        lines[-(len(lines) // len(passes)) :] if lines else [],
        recordings.read(passes[0].recordings[0], samples=True).runs[-1],
    )


@pytest.mark.parametrize("style", STYLES)
def test_a_watched_training_is_the_same_training(
    style: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path, style)
    alone = printed(folder)
    found, lines, run = watched(folder, capfd, monkeypatch)
    assert lines == alone
    assert found.steps == UPDATES.get(style, STEPS)
    losses = [float(line.split()[1]) for line in alone if line.startswith("loss")]
    assert run.series["loss"].values == pytest.approx(losses, rel=1e-3)
    assert run.facts["end"][0]["steps"] == found.steps
    assert len(run.facts["gradients"]) >= min(found.steps, 10) and len(run.facts["changes"]) == len(
        run.facts["gradients"]
    )
    network = run.facts["network"][0]
    assert {one["name"] for one in network["parameters"]} and network["cells"][1][2][0] == "train.py"


def test_it_ends_after_the_steps_that_were_asked_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path, "value_and_grad")
    found, lines, run = watched(folder, capfd, monkeypatch, steps=4)
    assert 4 <= found.steps < STEPS and run.facts["end"][0]["why"] == "enough"
    assert lines == []  # the script did not come so far


def test_a_callback_and_an_evaluation_are_told_from_training(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path, "callback that evaluates")
    _, _, run = watched(folder, capfd, monkeypatch)
    inference = [one for one in run.facts["pass"] if not one["training"]]
    assert inference and {one["data"] for one in inference}
    assert all({"norm", "drop"} <= set(one["inference"]) for one in inference)
    assert [one["inference"] for one in run.facts["modes"]] == [[]]


def test_two_optimizers_make_one_step(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path, "two optimizers")
    _, _, run = watched(folder, capfd, monkeypatch)
    assert [one["number"] for one in run.facts["optimizer"]] == [0, 1]
    assert len(run.series["opt1.loss"].values) == len(run.series["loss"].values) == STEPS


def test_rates_samples_and_rows_are_recorded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path, "mint")
    _, _, run = watched(folder, capfd, monkeypatch)
    rates = run.series["lr"].values
    assert len(rates) == STEPS and rates[0] > 0.009 and rates[-1] < 0.001
    assert all(len(batch) == 8 for _, batch in run.samples) and len(run.samples) == STEPS
    assert len({one for _, batch in run.samples for one in batch}) == 8 * STEPS
    assert {fit["classes"] for _, fit in run.fits} == {3}


def test_what_is_accumulated_is_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path, "accumulation")
    _, _, run = watched(folder, capfd, monkeypatch)
    assert [one["finite"] for one in run.facts["not-taken"]] == [True] * 8
    assert os.environ.get("ACCUCHECK_WATCH") is None


_DECAYED = """
net = Net()
groups = [{"params": net.trainable_params(), "weight_decay": 0.01}]
optimizer = nn.Momentum(groups, 0.1, 0.9)
step = ms.value_and_grad(lambda point, label: ops.cross_entropy(net(point), label), None, optimizer.parameters)
for batch in data(2).create_tuple_iterator():
    optimizer(step(*batch)[1])
ms.pytype_to_dtype(float)
"""


@pytest.mark.parametrize("options", [[], ["graph"]])
def test_what_the_users_own_run_does_not_warn_of_is_not_warned_of(
    options: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Functions of MindSpore's own that are not compiled in this pass call deprecated ones; the script does so once itself."""
    tmp_path.joinpath("train.py").write_text(HEAD + _DECAYED)
    plan = Plan([sys.executable, "train.py", *options], tmp_path, mode="pynative", cwd=tmp_path)
    (found,) = watch(plan).passes
    out, err = capfd.readouterr()
    assert (found.code, found.steps, found.failed) == (0, 2, [])
    assert (out + err).count("'mindspore.pytype_to_dtype' is deprecated") == 1
