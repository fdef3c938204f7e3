"""Steps that are compiled into a graph are watched as steps: losses, rates and changes of weights; sink mode is off meanwhile."""

import sys
from pathlib import Path

import pytest

from accucheck.readers import recordings
from accucheck.watching import Plan, watch
from test_watch_styles import said, written
from watch_styles import HEAD, STEPS

pytestmark = pytest.mark.mindspore

JIT = """
net, loss_fn = Net(), nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 0.01)


def forward(point, label):
    return loss_fn(net(point), label)


gradients = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(point, label):
    loss, grads = gradients(point, label)
    optimizer(grads)
    return loss


net.set_train()
told(net, *[train_step(*batch) for batch in data(MANY).create_tuple_iterator()])
"""
#: More than are watched.
MANY = 100_000


def seen(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *options: str, steps: int = 0
) -> tuple[recordings.Run, list[float]]:
    """The recording of the training in its own mode, and the losses that it printed."""
    monkeypatch.chdir(folder)
    (found,) = watch(Plan([sys.executable, "train.py", *options], folder, steps=steps, mode="user")).passes
    out, err = capfd.readouterr()
    assert not found.code and not found.failed, (found, err[-2000:])
    losses = [float(line.split()[1]) for line in said(out) if line.startswith("loss")]
    return recordings.read(found.recordings[0]).runs[-1], losses


@pytest.mark.parametrize("style", ["one step cell", "own step cell with a scale", "model.train", "value_and_grad"])
def test_steps_in_graph_mode_are_counted_with_their_losses(
    style: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, losses = seen(written(tmp_path, style), capfd, monkeypatch, "graph")
    assert len(losses) == STEPS
    assert run.series["loss"].values == pytest.approx(losses, rel=1e-6)
    assert len(run.series["lr"].values) == STEPS
    assert any(ratio for ratio in run.facts["changes"][0]["ratios"])
    assert run.facts["end"][0]["steps"] == STEPS


def test_a_step_under_jit_is_counted_and_ends_after_the_steps_that_were_asked_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.py").write_text(HEAD + f"MANY = {MANY}\n" + JIT)
    run, losses = seen(tmp_path, capfd, monkeypatch, steps=4)
    assert losses == []  # the script did not come to its end
    assert run.facts["end"][0]["why"] == "enough"
    assert 4 <= len(run.series["loss"].values) <= 6  # and two that waited for an evaluation
    assert run.facts["pass"][0]["compiled"]
    assert run.facts["pass"][0]["batch"][0]["shape"] == [8, 6]


def test_sink_mode_is_off_while_watching(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, losses = seen(written(tmp_path, "sink mode"), capfd, monkeypatch, "graph")
    assert run.facts["sink"][0]["of"] == "train"
    assert run.facts["sink"][0]["place"][0] == "train.py"
    assert len(losses) == STEPS == run.facts["end"][0]["steps"]
    assert run.series["loss"].values == pytest.approx(losses, rel=1e-6)
