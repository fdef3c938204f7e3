"""Trainings that are watched in both modes: noise that numpy draws in construct is frozen by the graph, a clean twin agrees."""

import sys
from pathlib import Path

import pytest

from accucheck import case as cases
from accucheck import probe
from accucheck.model import Finding, Level
from accucheck.watching import Plan, watch

pytestmark = pytest.mark.mindspore

SCRIPT = """
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_context(mode=ms.GRAPH_MODE)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc, self.head = nn.Dense(8, 8), nn.Dense(8, 4)

    def construct(self, x):
        x = self.fc(x)
        {line}
        return self.head(x)

net = Net()
net.set_train()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Momentum(net.trainable_params(), 0.05, 0.9))
generator = np.random.default_rng(0)
for _ in range(6):
    x = Tensor(generator.normal(size=(16, 8)).astype(np.float32))
    print(float(step(x, Tensor(np.arange(16, dtype=np.int32) % 4))))
"""


def judged(folder: Path, line: str) -> dict[str, Finding]:
    """What the probe finds of a training with this line, by code."""
    (folder / "train.py").write_text(SCRIPT.format(line=line))
    watched = watch(Plan([sys.executable, str(folder / "train.py")], folder, steps=6, mode="both"))
    case = cases.load(folder, [f"watched={watched.folder.relative_to(folder)}"])
    module = probe.load("watched_both")
    events = module.run(case, probe.params(module, {}))
    return {event.code: event for event in events if isinstance(event, Finding)}


def test_noise_that_a_graph_freezes_is_found(tmp_path: Path) -> None:
    found = judged(tmp_path, "x = x * float(np.random.rand())")
    told = next(one for code, one in found.items() if code in ("differs-later", "differs-at-once"))
    assert (told.level, told.fix and told.fix.message) == (Level.SUSPECT, "fix-frozen")
    assert {one.code for one in found.values() if one.level is not Level.INFO} == {told.code, "first-cell"}
    cell = found["first-cell"]
    assert (cell.data["cell"], cell.data["before"], cell.data["step"]) == ("head (Dense)", "fc", told.data["step"])
    assert (cell.where.path, cell.where.line) == ("train.py", 15)


def test_a_network_that_no_graph_can_be_made_of(tmp_path: Path) -> None:
    found = judged(tmp_path, "with open(__file__): x = x * 0.5")
    assert [*found] == ["fails-in-graph"]
    assert (found["fails-in-graph"].level, found["fails-in-graph"].data["steps"]) == (Level.PROBLEM, 6)


def test_a_training_without_it_agrees(tmp_path: Path) -> None:
    found = judged(tmp_path, "x = x * 0.5")
    assert [*found] == ["agree"]
    assert found["agree"].data["steps"] >= 6
    assert found["agree"].data["most"] < 1e-4
