"""Reshapes that put the size of an axis at another place, and those that keep each axis."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from accucheck.script.reshapes import examine
from case_scripts import scripts

_SCRIPT = """
import mindspore as ms
from mindspore import mint, nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.heads, self.reshape = nn.Dense(8, 8), 4, ops.Reshape()

    def construct(self, x):
        x = self.dense(x)
{body}

net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(10, data)
"""
#: A body -> whether its reshape tears an axis apart.
_BODIES = {
    "b, t, _ = x.shape\nreturn x.reshape(b, self.heads, t, 2)": True,
    "b, t, d = x.shape\nreturn ops.reshape(x, (b, self.heads, t, d // self.heads))": True,
    "b, t, d = ops.shape(x)\nreturn self.reshape(x.astype(ms.float32), (b, self.heads, t, -1))": True,
    "b, t, d = x.shape\nreturn mint.reshape(x, (t, b, d))": True,
    "b, c, h, w = x.shape\nreturn x.view(b, h * w, c)": True,
    "return x.reshape(x.shape[0], x.shape[2], x.shape[1])": True,
    # each axis is itself
    "b, t, d = x.shape\nreturn x.reshape(b, t, self.heads, d // self.heads)": False,
    "b, c, h, w = x.shape\nreturn x.view(b, c, h * w)": False,
    "b, c, h, w = x.shape\nreturn x.view(b, 2, c // 2, h, w)": False,
    "b, c, h, w = x.shape\nreturn x.reshape(b * c, h, w)": False,
    "b, c, h, w = x.shape\nreturn x.reshape(b, c, 1, h, w)": False,
    "b, c, h, w = x.shape\nreturn x.reshape(1, b * c, h, w)": False,
    "b, c = x.shape\nreturn x.reshape(b, c, 1, 1)": False,
    "bt, c = x.shape\nreturn x.reshape(bt // 3, 3, c)": False,
    # the sizes are those of another array, or are not seen
    "b, t, d = x.shape\nx = x.swapaxes(1, 2)\nreturn x.reshape(b, d, t)": False,
    "b, t, d = x.shape\nreturn x.reshape(b, -1, t)": False,
    "b, t, d = x.shape\nreturn x.reshape(b, parts(), t, -1)": False,
}


@pytest.mark.parametrize("body", _BODIES)
def test_a_reshape_that_tears_an_axis_apart(tmp_path: Path, body: str) -> None:
    made = scripts(tmp_path, _SCRIPT.format(body=indent(body, " " * 8)))
    assert [one.code for one in examine(made)] == ["axis-torn"] * _BODIES[body]
