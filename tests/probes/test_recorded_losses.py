"""Losses by sample in a real training that accucheck.Recorder records: planted wrong labels are those that stay high."""

from pathlib import Path

import pytest

from accucheck import Recorder
from accucheck import case as cases
from accucheck.errors import UserError
from accucheck.model import Finding, Level
from accucheck.probe import Skip
from accucheck.probes import recorded_losses


def judged(root: Path) -> list[Finding]:
    case = cases.load(root, ["curves.train=run.jsonl"])
    return [one for one in recorded_losses.run(case, recorded_losses.Params()) if isinstance(one, Finding)]


def trained(path: Path, wrong: list[int]) -> None:
    """A classifier of two clouds of points; some labels are turned round."""
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn

    ms.set_seed(1)
    random = np.random.default_rng(0)
    truth = np.arange(200) % 2
    x = (random.standard_normal((200, 2)) * 0.3 + (truth * 2 - 1)[:, None]).astype(np.float32)
    labels = truth.copy()
    labels[wrong] = 1 - labels[wrong]
    columns = {"x": x, "label": labels.astype(np.int32), "number": np.arange(200)}
    data = ds.NumpySlicesDataset(columns, shuffle=True).batch(20)
    net, loss = nn.Dense(2, 2), nn.CrossEntropyLoss(reduction="none")

    def forward(x: ms.Tensor, y: ms.Tensor) -> tuple[ms.Tensor, ms.Tensor]:
        losses = loss(net(x), y)
        return losses.mean(), losses

    step = ms.value_and_grad(forward, None, net.trainable_params(), has_aux=True)
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    with Recorder(path) as recorder:
        for epoch in range(1, 9):
            for x, y, number in data:
                (mean, losses), grads = step(x, y)
                optimizer(grads)
                recorder.step(epoch=epoch, loss=mean, samples=number, losses=losses)


@pytest.mark.mindspore
def test_wrong_labels_are_the_samples_that_stay_high(tmp_path):
    wrong = [3, 50, 121, 198]
    trained(tmp_path / "run.jsonl", wrong)
    (found,) = judged(tmp_path)
    assert (found.code, found.level) == ("stays-high", Level.SUSPECT)
    assert sorted(int(row[0]) for row in found.evidence[0].rows) == wrong


@pytest.mark.mindspore
def test_right_labels_are_all_learned(tmp_path):
    trained(tmp_path / "run.jsonl", [])
    (found,) = judged(tmp_path)
    assert found.code == "none-apart" and found.data["samples"] == 200


def test_losses_that_are_not_one_a_sample_are_refused(tmp_path):
    with Recorder(tmp_path / "run.jsonl") as recorder:
        with pytest.raises(UserError):
            recorder.step(samples=[1, 2], losses=[0.5])
        recorder.step(samples=["a", "b"], losses=[0.5, float("nan")], epoch=1)
        recorder.step(samples=["c"], epoch=2)
    assert [one.code for one in judged(tmp_path)] == ["too-few-epochs"]
    (tmp_path / "run.jsonl").unlink()
    with Recorder(tmp_path / "run.jsonl") as recorder:
        recorder.step(samples=["a"], epoch=1)
    with pytest.raises(Skip):
        judged(tmp_path)
