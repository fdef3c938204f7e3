"""What is left of the input of a network at first, by the spread of its weights."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script.signals import examine
from case_scripts import scripts

_SCRIPT = """
import mindspore as ms
from mindspore import mint, nn, ops
from mindspore.common.initializer import HeNormal, Normal, TruncatedNormal, Uniform, initializer

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        narrow, wide = Normal(0.002), HeNormal()
        self.first, self.second = nn.Dense(64, 64, weight_init=FIRST), nn.Dense(64, 64, weight_init=narrow)
        self.third, self.fourth = nn.Dense(64, 64, weight_init=narrow), nn.Dense(64, 8, weight_init=narrow)
        self.norm = nn.BatchNorm1d(64)

    def construct(self, x):
        x = ops.tanh(self.first(x))
        BETWEEN
        return self.fourth(ops.tanh(self.third(x)))

net, opt = Net(), build()
LATER
loss = nn.CrossEntropyLoss()
ms.value_and_grad(lambda x, y: loss(net(x), y), None, opt.parameters)(x, y)
"""
#: What the first layer starts from, what comes between, what happens later -> whether nearly nothing of the input is left.
_NETS = {
    ("narrow", "x = ops.tanh(self.second(x))", ""): True,
    ("TruncatedNormal(sigma=0.002)", "x = mint.nn.functional.relu(self.second(x))", ""): True,
    ("Uniform(0.004)", "x = ops.sigmoid(self.second(x))", ""): True,
    ("initializer(Normal(0.002), [64, 64])", "x = ops.dropout(ops.tanh(self.second(x)), 0.1)", ""): True,
    ("wide", "x = ops.tanh(self.second(x))", ""): False,  # three narrow layers may be meant to start small
    ("Normal(0.1)", "x = ops.tanh(self.second(x))", ""): False,
    ("narrow", "x = self.norm(self.second(x))", ""): False,
    ("narrow", "x = x + self.second(x)", ""): False,
    ("narrow", "x = ops.tanh(self.second(x))", "net.first.weight.set_data(initializer(HeNormal(), [64, 64]))"): False,
    ("narrow", "x = ops.tanh(self.second(x))", "ms.load_checkpoint('a.ckpt', net)"): False,
}


@pytest.mark.parametrize(("first", "between", "later"), _NETS)
def test_what_is_left_of_the_input(tmp_path: Path, first: str, between: str, later: str) -> None:
    text = _SCRIPT.replace("FIRST", first).replace("BETWEEN", between).replace("LATER", later)
    found = [one.code for one in examine(scripts(tmp_path, text))]
    assert found == ["signal-vanishes"] * _NETS[first, between, later]
