"""Features that are compared with a number, and numbers that are."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from accucheck.script.exact_comparisons import examine
from case_scripts import scripts

_SCRIPT = """
import mindspore as ms
from mindspore import mint, nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.padded, self.dense = nn.Embedding(50, 8), nn.Embedding(50, 8, padding_idx=0), nn.Dense(8, 8)
        self.norm, self.same = nn.LayerNorm((8,)), ops.Equal()

    def construct(self, ids):
{body}

net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(10, data)
"""
#: A body -> whether features are compared in it.
_BODIES = {
    "x = self.table(ids)\nreturn x.masked_fill(x == 0, -1e9)": True,
    "x = self.norm(self.table(ids))\nreturn x * (x[:, :, 0] != 0).expand_dims(-1)": True,
    "x = self.dense(self.table(ids)).swapaxes(1, 2)\nreturn x.masked_fill(self.same(x, 0), -1e9)": True,
    "x = self.dense(self.table(ids))\nreturn mint.where(mint.eq(x, 1), 0.0, x)": True,
    "x = self.table(ids)\nreturn x.masked_fill((ids == 0).expand_dims(-1), -1e9)": False,
    "x = self.padded(ids)\nreturn x.masked_fill(x == 0, -1e9)": False,
    "x = ops.relu(self.dense(self.table(ids)))\nreturn x.masked_fill(x == 0, -1e9)": False,
    "x = self.dense(self.table(ids))\nreturn x.masked_fill(x.argmax(-1, keepdims=True) == 0, -1e9)": False,
    "x = self.dense(self.table(ids))\nreturn x.masked_fill(x > 0, -1e9)": False,
    "x = self.dense(self.table(ids))\nwhile x.asnumpy().item(0) != 3:\n    x = x.argmax(-1)\nreturn x": False,
}


@pytest.mark.parametrize("body", _BODIES)
def test_features_that_are_compared_with_a_number(tmp_path: Path, body: str) -> None:
    made = scripts(tmp_path, _SCRIPT.format(body=indent(body, " " * 8)))
    assert [one.code for one in examine(made)] == ["features-compared"] * _BODIES[body]
