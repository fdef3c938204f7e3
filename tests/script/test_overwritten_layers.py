"""Loops over layers, and what becomes of the result of each turn."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from accucheck.script.overwritten_layers import examine
from case_scripts import scripts

_SCRIPT = """
import mindspore as ms
from mindspore import nn, ops

class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 8)

    def construct(self, x, mask=None):
        return self.dense(x)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = nn.CellList([Block() for _ in range(3)])
        self.layers = nn.CellList([nn.Dense(8, 8), nn.Dense(8, 8)])
        self.acts = nn.CellList([nn.ReLU(), nn.ReLU()])

    def construct(self, x, mask):
{body}

net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(10, data)
"""
#: A body -> whether each turn of its loop overwrites what the one before gave.
_BODIES = {
    "for block in self.blocks:\n    y = block(x, mask)\nreturn y": True,
    "for block in self.blocks:\n    y = block(x, mask)\nx = y\nreturn x": True,
    "for i in range(2):\n    y = self.layers[i](x)\nreturn y": True,
    "for i, layer in enumerate(self.layers):\n    out = layer(x)\nreturn ops.relu(out)": True,
    "for block in self.blocks:\n    x = block(x, mask)\nreturn x": False,
    "y = x\nfor block in self.blocks:\n    y = block(y)\nreturn y": False,
    "total = 0\nfor layer in self.layers:\n    y = layer(x)\n    total = total + y\nreturn total": False,
    "out = []\nfor layer in self.layers:\n    y = layer(x)\n    out.append(y)\nreturn ops.concat(out)": False,
    "for i, layer in enumerate(self.layers):\n    if i == 1:\n        y = layer(x)\nreturn y": False,
    "for layer in self.layers:\n    y = layer(x)\n    break\nreturn y": False,
    "for act in self.acts:\n    y = act(self.layers[0](x))\nreturn y": False,
}


@pytest.mark.parametrize("body", _BODIES)
def test_a_loop_whose_turns_overwrite_each_other(tmp_path: Path, body: str) -> None:
    made = scripts(tmp_path, _SCRIPT.format(body=indent(body, " " * 8)))
    assert [one.code for one in examine(made)] == ["loop-overwrites"] * _BODIES[body]
