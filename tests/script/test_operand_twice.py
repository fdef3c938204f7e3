"""Operands that are one thing, against those that stand for several."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script.operand_twice import examine
from case_scripts import scripts

_SCRIPT = """
import numpy as np
import mindspore as ms
from mindspore import nn, ops

class Critic(nn.Cell):
    def __init__(self):
        super().__init__()
        self.state, self.action, self.head = nn.Dense(3, 8), nn.Dense(3, 8), nn.Dense(16, 1)
    def construct(self, s, a):
        s, a = self.state(s), {other}
        return self.head(ops.cat((s, a), 1))

class Plain(nn.Cell):
    def __init__(self):
        super().__init__()
        self.head = nn.Dense(6, 1)
    def construct(self, s, a):
        return self.head(ops.cat((s, {plain}), 1))

class Agent:
    def __init__(self, critic):
        self.critic = critic
        self.opt = nn.Adam(critic.trainable_params())
        self.grad = ms.value_and_grad(self.loss, None, self.opt.parameters)
    def loss(self, s, a, y):
        return ((self.critic(s, a) - y) ** 2).mean()
    def update(self, s, a, y):
        loss, grads = self.grad(s, a, y)
        self.opt(grads)

agent = Agent({net}())
for rows in replay():
    batch = [ms.Tensor(np.stack(column)) for column in zip(*rows)]
    agent.update(*batch)
"""


@pytest.mark.parametrize(
    ("net", "other", "plain", "codes"),
    [
        ("Plain", "a", "a", []),  # the elements of a batch are not one thing
        ("Critic", "self.action(a)", "a", []),
        ("Critic", "self.state(a)", "a", []),  # one layer for both
        ("Critic", "self.state(t)", "a", ["joined-with-itself"]),
        ("Critic", "s", "a", ["joined-with-itself"]),
        ("Critic", "self.state(s) if False else s", "a", ["joined-with-itself"]),
    ],
)
def test_what_is_joined(tmp_path: Path, net: str, other: str, plain: str, codes: list[str]) -> None:
    text = _SCRIPT.format(net=net, other=other, plain=plain)
    text = text.replace(
        "s, a = self.state(s), self.state(t)", "t = ops.tanh(s)\n        s, a = self.state(t), self.state(t)"
    )
    text = text.replace("s, a = self.state(s), s\n", "s = self.state(s)\n        a = s\n")
    text = text.replace("s, a = self.state(s), self.state(s) if False else s\n", "s = a = self.state(s)\n")
    assert [one.code for one in examine(scripts(tmp_path, text))] == codes


_SHORTCUT = """
import mindspore as ms
from mindspore import nn, ops

class Block(nn.Cell):
    def __init__(self, before, after):
        super().__init__()
        self.body = nn.Dense(before, after)
        self.change = {change}
    def construct(self, x):
        out = ops.relu(self.body(x))
        {lines}
        return out + short

net = Block(*widths)
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(10, data)
"""
_CHANGE = "nn.Dense(before, after) if before != after else None"


@pytest.mark.parametrize(
    ("change", "lines", "codes"),
    [
        (_CHANGE, "short = out if self.change is None else self.change(out)", ["added-to-itself-once"]),
        (_CHANGE, "short = x if self.change is None else self.change(x)", []),
        (_CHANGE, "short = x if self.change is None else self.change(out)", []),
        (
            _CHANGE,
            "short = out\n        if self.change is not None:\n            short = self.change(short)",
            ["added-to-itself-once"],
        ),
        ("nn.Dense(after, after)", "short = self.change(out)", []),  # a second layer with a shortcut around it
        ("nn.ReLU() if before else None", "short = out if self.change is None else self.change(out)", []),
    ],
)
def test_a_shortcut_of_the_result_itself(tmp_path: Path, change: str, lines: str, codes: list[str]) -> None:
    assert [one.code for one in examine(scripts(tmp_path, _SHORTCUT.format(change=change, lines=lines)))] == codes
