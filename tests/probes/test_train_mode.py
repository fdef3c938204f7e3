"""train_mode on projects of more than one module, and on networks that do without layers that depend on the mode."""

import subprocess
import textwrap
from pathlib import Path

import msgspec

from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Level
from accucheck.probes import train_mode
from findings import found_by

STEP = """
import mindspore as ms
from mindspore import nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.SequentialCell(nn.Dense(8, 8), {layer}, nn.Dense(8, 2))

    def construct(self, x):
        return self.fc(x)

class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__()
        self.network, self.optimizer = network, optimizer
        self.weights = optimizer.parameters

    def construct(self, x):
        grads = ms.grad(self.network, grad_position=None, weights=self.weights)(x)
        return self.optimizer(grads)
"""
TRAIN = """
from mindspore import nn
from network import Net, Step

net = Net()
step = Step(net, nn.SGD(net.trainable_params(), 0.1))
{before}# 1
# 2
# 3
# 4
# 5
# 6
# 7
# 8
# 9
for epoch in range(3):
    for x in data:
        step(x)
"""


def run(root: Path, layer: str, before: str = "") -> list[Finding]:
    (root / "network.py").write_text(textwrap.dedent(STEP.format(layer=layer)))
    (root / "train.py").write_text(textwrap.dedent(TRAIN.format(before=before)))
    spec = msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)
    return found_by(train_mode, Case(root=str(root), spec=spec), train_mode.Params())


def test_the_loop_may_stand_in_another_module_than_the_step(tmp_path: Path) -> None:
    (finding,) = (each for each in run(tmp_path, "nn.Dropout(p=0.5)") if each.level is not Level.INFO)
    assert finding.code == "no-set-train" and finding.where.path == "network.py"
    assert finding.fix and finding.fix.diff
    subprocess.run(["git", "apply", "-"], input=finding.fix.diff.encode(), cwd=tmp_path, check=True)
    assert "for epoch in range(3):\n    net.set_train()\n" in (tmp_path / "train.py").read_text()
    assert {each.level for each in run(tmp_path, "nn.Dropout(p=0.5)", "net.set_train()\n")} == {Level.INFO}


def test_a_mode_that_nothing_depends_on_is_no_problem(tmp_path: Path) -> None:
    for layer, level in (("nn.Dropout(p=0.5)", Level.PROBLEM), ("nn.ReLU()", Level.SUSPECT)):
        found = run(tmp_path, layer, "net.set_train(False)\n")
        assert [(each.code, each.level) for each in found if each.level is not Level.INFO] == [
            ("set-to-inference", level)
        ]
        (told,) = (each.data for each in found if each.code == "set-to-inference")
        assert told["path"] == "network.py" and told["line"] == 20


def test_train_and_eval_of_a_framework_laid_over_mindspore_switch_the_mode(tmp_path: Path) -> None:
    assert not [each for each in run(tmp_path, "nn.Dropout(p=0.5)", "net.train()\n") if each.level is not Level.INFO]
    found = run(tmp_path, "nn.Dropout(p=0.5)", "net.eval()\n")
    (told,) = (each for each in found if each.code == "set-to-inference")
    assert told.data["call"] == "eval()"
