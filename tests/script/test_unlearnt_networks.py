"""Networks beside a training that nothing trains or loads: random targets, what is evaluated or saved untrained, loads without use."""

from pathlib import Path

import pytest

from accucheck.script import unlearnt_networks
from case_scripts import scripts

HEAD = """
import mindspore as ms
import numpy as np
from mindspore import nn, ops, load_checkpoint, load_param_into_net, save_checkpoint

class Wide(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(8, 64), nn.Dense(64, 4)

    def construct(self, x):
        return self.b(ops.relu(self.a(x)))

class Narrow(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(8, 8), nn.Dense(8, 4)

    def construct(self, x):
        return self.b(ops.relu(self.a(x)))

wide, net = Wide(), Narrow()
{before}
opt = nn.Adam(net.trainable_params(), 1e-3)

def cost(x, y):
    {loss}

grad = ms.value_and_grad(cost, None, opt.parameters)
for epoch in range(5):
    for x, y in data:
        loss, grads = grad(x, y)
        opt(grads)
        {step}
    {epoch}
{after}
"""
DISTIL = "return nn.MSELoss()(net(x), ops.stop_gradient(wide(x)))"
PLAIN = "return nn.CrossEntropyLoss()(net(x), y)"
LOADED = "load_param_into_net(wide, load_checkpoint('wide.ckpt'))"
COPY = "load_param_into_net(wide, net.parameters_dict())"
AVERAGE = "for old, new in zip(wide.get_parameters(), net.get_parameters()): old.set_data(0.99 * old + 0.01 * new)"
FREEZE = "for p in wide.get_parameters(): p.requires_grad = False"
CASES = {
    "a random teacher": ({"loss": DISTIL}, ["random-target"]),
    "a random teacher, frozen": ({"loss": DISTIL, "before": FREEZE}, ["random-target"]),
    "a teacher": ({"loss": DISTIL, "before": LOADED}, []),
    "the student gets the weights": ({"loss": DISTIL, "before": LOADED.replace("(wide", "(net")}, ["random-target"]),
    "a target that follows": ({"loss": DISTIL, "step": AVERAGE}, []),
    "a target that is copied": ({"loss": DISTIL, "before": COPY, "step": COPY}, []),
    "a target that is copied once": ({"loss": DISTIL, "before": COPY}, ["random-target"]),
    "a target of loaded weights": ({"loss": DISTIL, "before": LOADED.replace("(wide", "(net") + "\n" + COPY}, []),
    "a target that something unseen fills": ({"loss": DISTIL, "before": "restore(wide)"}, []),
    "two that are trained": ({"loss": DISTIL, "after": "other = nn.Adam(wide.trainable_params(), 1e-3)"}, []),
    "the average": ({"loss": PLAIN, "step": AVERAGE, "epoch": "print(wide(x))", "after": "save_checkpoint(wide, 'a.ckpt')"}, []),
    "an average that stands still": ({"loss": PLAIN, "before": COPY, "epoch": "print(wide(x))"}, ["evaluated-untrained"]),
    "a baseline": ({"loss": PLAIN, "before": LOADED, "epoch": "print(wide(x))"}, []),
    "the trained one": ({"loss": PLAIN, "epoch": "print(net(x))", "after": "save_checkpoint(net, 'a.ckpt')"}, []),
    "the teacher is saved": ({"loss": DISTIL, "before": LOADED, "after": "save_checkpoint(wide, 'a.ckpt')"}, ["saved-untrained"]),
    "the converted teacher is saved first": ({"loss": DISTIL, "before": LOADED + "\nsave_checkpoint(wide, 'a.ckpt')"}, []),
    "the teacher never runs": ({"loss": "return nn.MSELoss()(net(x), ops.stop_gradient(net(x)))", "before": LOADED}, ["loaded-idle"]),
    "it runs in a method of its own": ({"loss": "return nn.MSELoss()(net(x), wide.construct(x))", "before": LOADED}, []),
    "it is exported": ({"loss": PLAIN, "before": LOADED, "after": "ms.export(wide, x, file_name='wide')"}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_networks_beside_the_trained_one(tmp_path: Path, name: str) -> None:
    parts, expected = CASES[name]
    text = HEAD.format(**{"before": "", "step": "pass", "epoch": "pass", "after": "", **parts})
    found = unlearnt_networks.examine(scripts(tmp_path, text))
    assert [said.code for said in found] == expected
