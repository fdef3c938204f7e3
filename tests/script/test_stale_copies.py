"""Copies of a trained network that nothing updates: an update that is never called, or is not the only thing that may write."""

from pathlib import Path

import pytest

from accucheck.probes.frozen_weights_script import _SYNC, _TARGET
from accucheck.script.analysis import Reading, Scripts
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.stale_copies import examine
from accucheck.script.trace import follow
from accucheck.script.training import assumption

UPDATE = f"def follow():\n{_SYNC}"
UNCALLED = _TARGET.replace(_SYNC, "").replace("step = ms", UPDATE + "\nstep = ms", 1)


def codes(folder: Path, text: str) -> list[str]:
    (folder / "train.py").write_text(text)
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    trace = follow(source, assumption("train"), project.find, folder)
    return [one.code for one in examine(Scripts([Reading("train", "train", source, trace, project)]))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (UNCALLED, ["copy-stale"]),
        (UNCALLED + "    follow()\n", []),
        (_TARGET.replace(_SYNC, "    unknown.update(slow, critic)\n"), []),
        (
            _TARGET.replace(
                _SYNC, "    for p, s in zip(critic.get_parameters(), slow.get_parameters()):\n        s.value = p\n"
            ),
            [],
        ),
        (_TARGET.replace("    s.set_data(p.data)", "    pass").replace(_SYNC, ""), []),  # a random target may be meant
    ],
    ids=["uncalled", "called", "handed-on", "stored", "random"],
)
def test_an_update_counts_where_something_runs_it(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert codes(tmp_path, text) == expected


LEARNER = """
import copy
import mindspore as ms
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(16, 32), nn.Dense(32, 8)
    def construct(self, x):
        return self.b(ops.relu(self.a(x)))

class Learner(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.target = net, {copy}
    def construct(self, x, y):
        return ((self.net(x) - ops.stop_gradient(self.target(y))) ** 2).mean()
    def follow(self):
        for p, q in zip(self.target.get_parameters(), self.net.get_parameters()):
            p.set_data(0.99 * p + 0.01 * q)
    def follow_mapped(self):
        ops.HyperMap()(closer, self.target.trainable_params(), self.net.trainable_params())

def closer(old, new):
    return ops.assign(old, 0.99 * old + 0.01 * new)

net = Net()
{before}
learner = Learner(net)
step = nn.TrainOneStepCell(learner, nn.Adam(net.trainable_params()))
for x, y in data:
    step(x, y)
    {after}
"""
DEEP = "copy.deepcopy(net)"


@pytest.mark.parametrize(
    ("made", "before", "after", "expected"),
    [
        (DEEP, "", "", ["copy-stale"]),
        ("nn.CellList([copy.deepcopy(net)])[0]", "", "", ["copy-stale"]),
        (DEEP, "", "learner.follow()", []),
        (DEEP, "", "learner.follow_mapped()", []),
        (DEEP, "", "ms.load_param_into_net(learner.target, net.parameters_dict())", []),
        (DEEP, 'ms.load_checkpoint("teacher.ckpt", net)', "", []),  # a teacher stays what it is
        ("net", "", "", []),
        ("Net()", "", "", []),  # a random target may be meant
    ],
)
def test_a_deep_copy_is_a_copy(tmp_path: Path, made: str, before: str, after: str, expected: list[str]) -> None:
    assert codes(tmp_path, LEARNER.format(copy=made, before=before, after=after)) == expected


NAMED = """
slow = copy.deepcopy(net)
grad = ms.value_and_grad(lambda x, y: ((net(x) - slow(y)) ** 2).mean(), None, opt.parameters)
for x, y in data:
    opt(grad(x, y)[1])
    {after}
"""


@pytest.mark.parametrize(("after", "expected"), [("", ["copy-stale"]), ("slow = copy.deepcopy(net)", [])])
def test_a_copy_of_a_name_that_is_made_for_each_round(tmp_path: Path, after: str, expected: list[str]) -> None:
    start = LEARNER.split("learner =")[0].format(copy=DEEP, before="opt = nn.Adam(net.trainable_params())")
    assert codes(tmp_path, start + NAMED.format(after=after)) == expected


def test_a_copy_of_an_attribute_that_is_made_for_each_round(tmp_path: Path) -> None:
    assert codes(tmp_path, LEARNER.format(copy=DEEP, before="", after="learner.target = copy.deepcopy(net)")) == []
