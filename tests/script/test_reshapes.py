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

def parts(net, x):
    return [split(x, net.heads) for _ in range(3)]


def split(x, heads):
    return mint.transpose(x.reshape(x.shape[0], x.shape[1], heads, 2), 1, 2)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.heads, self.reshape, self.product = nn.Dense(8, 8), 4, ops.Reshape(), ops.BatchMatMul()

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
    # heads that are put together again without a transpose, or with one too many
    "q, k, v = parts(self, x)\nreturn (ops.softmax(q @ k.swapaxes(2, 3), -1) @ v).reshape(x.shape)": True,
    "q, k, v = parts(self, x)\nb, t, d = x.shape\nreturn ops.softmax(q @ k.swapaxes(2, 3)).matmul(v).view(b, t, d)": True,
    "q, k, v = parts(self, x)\nreturn ops.reshape(self.product(ops.softmax(q @ k.swapaxes(2, 3)), v), (x.shape[0], -1, 8))": True,
    "q, k, v = parts(self, x)\nx = mint.reshape(q, (-1, x.shape[1], 2))\nreturn x.reshape(k.shape[0], k.shape[2], 8)": True,
    "b, t, d = x.shape\nx = x.swapaxes(1, 2)\nreturn x.reshape(b, t, d)": True,
    "q = x.view(x.shape[0], -1, 4, 2).transpose(1, 2)\nreturn q.reshape(x.shape[0], -1, 8)": True,
    "q = x.view(x.shape[0], -1, 4, 2).transpose(1, 2)\nreturn q.transpose(1, 2).reshape(x.shape[0], -1, 8)": False,
    "q, k, v = parts(self, x)\nq = (ops.softmax(q @ k.swapaxes(2, 3), -1) @ v).swapaxes(1, 2)\nreturn q.reshape(x.shape)": False,
    "b, t, _ = x.shape\nx = x.reshape(b, t, 3, 4, 2)\nq = x[:, :, 0, :, :].transpose(0, 2, 1, 3)\nreturn q.reshape(b, t, 8)": True,
    "b, t, _ = x.shape\nx = x.reshape(b, t, 3, 4, 2)\nq = x[:, :, 0, :, :]\nreturn q.reshape(b, t, 8)": False,
    "b, t, _ = x.shape\nx = x[:, :, None].swapaxes(1, 3)\nreturn x.reshape(b, t, -1)": True,
    "b, t, _ = x.shape\nx = x[:, 1:].swapaxes(1, 2)\nreturn x.reshape(b, 8, -1)": False,
    "q, k, v = parts(self, x)\nreturn q.permute(0, 2, 1, 3).view(x.shape[0], -1, 8)": False,
    "q, k, v = parts(self, x)\nreturn q.reshape(x.shape[0] * self.heads, x.shape[1], 2)": False,
    "b, t, d = x.shape\nx = self.dense(x).swapaxes(1, 2)\nreturn x.reshape(b, d, t, 1)": False,
    # as many steps as outputs: the size that stays where it is may be that of the steps
    "b = x.shape[0]\nx = self.dense(ops.rand(b, 64).reshape(b, 8, 8))\nreturn x.reshape(b, 8, self.heads, -1)": False,
    "b = x.shape[0]\nx = self.dense(ops.rand(b, 48).reshape(b, 6, 8))\nreturn x.reshape(b, 8, 6)": True,
    # the outputs of a layer, of which the number is known
    "return self.dense(x).reshape(8, -1).transpose()": True,
    "return ops.reshape(self.dense(x), (8, -1)).T": True,
    "b, t, _ = x.shape\nreturn mint.reshape(self.dense(x), (b, 8, t)).mean(-1)": True,
    "b = x.shape[0]\nx = x.swapaxes(1, 2)\nreturn self.dense(x).view(b, 8, -1).sum(2)": True,
    "return self.dense(x.view(3, 5, 8)).swapaxes(1, 2).reshape(-1, 8)": True,
    "return self.dense(x).swapaxes(1, 2).reshape(-1, 8)": False,  # of four axes the last may be another
    "x = mint.transpose(self.dense(x), -1, -2)\nreturn mint.reshape(ops.relu(x), (x.shape[0], -1, 8))": True,
    "return self.dense(x).swapaxes(1, 2).swapaxes(1, 2).reshape(-1, 8)": False,
    "return self.dense(x).swapaxes(0, 1).reshape(-1, 8)": False,
    "return self.dense(x).reshape(-1, 8)": False,
    "return self.dense(x).view(-1, 8, 1)": False,
    "return self.dense(x).reshape(x.shape[0], 8, -1)": False,  # which may be 1
    "return self.dense(x).swapaxes(-1, -2).reshape(8, -1)": False,
    "return self.dense(x).reshape(-1, self.heads, 2)": False,
    "return self.dense(x).flatten().reshape(-1)": False,
    # each axis is itself
    "b, t, d = x.shape\nreturn x.reshape(b, t, self.heads, d // self.heads)": False,
    "b, c, h, w = x.shape\nreturn x.view(b, c, h * w)": False,
    "b, c, h, w = x.shape\nreturn x.view(b, 2, c // 2, h, w)": False,
    "b, c, h, w = x.shape\nreturn x.reshape(b * c, h, w)": False,
    "b, c, h, w = x.shape\nreturn x.reshape(b, c, 1, h, w)": False,
    "b, c, h, w = x.shape\nreturn x.reshape(1, b * c, h, w)": False,
    "b, c = x.shape\nreturn x.reshape(b, c, 1, 1)": False,
    "b, m, _, h, w = x.shape\nreturn ops.reshape(x, (b * m, 1, h, w))": False,  # what is left out has one element
    "b, m, _, h, w = x.shape\nreturn ops.reshape(x, (b * m, 1, w, h))": True,
    "c, d = self.dense.weight.shape\nreturn x @ self.dense.weight.reshape(d, c)": False,  # trained as it is read
    "b, m, c, h, w = x.shape\nreturn ops.reshape(x, (b * m, h, c, w))": True,
    "bt, c = x.shape\nreturn x.reshape(bt // 3, 3, c)": False,
    # the sizes are those of another array, or are not seen
    "b, t, d = x.shape\nx = x.swapaxes(1, 2)\nreturn x.reshape(b, d, t)": False,
    "b, t, d = x.shape\nreturn x.reshape(b, -1, t)": True,
    "b, t = x.shape[0], x.shape[1]\nreturn x.reshape(b, -1, t)": False,
    "b, t, d = x.shape\nreturn x.reshape(b, parts(), t, -1)": False,
}

_HEADS = """
import json
import mindspore as ms
from mindspore import nn, ops

settings = json.load(open("settings.json"))


class Attention(nn.Cell):
    def __init__(self, features, heads):
        super().__init__()
        self.heads = heads
        self.part = features // heads
        self.query, self.key, self.value = nn.Dense(features, features), nn.Dense(features, features), nn.Dense(features, features)

    def split(self, x):
        {split}

    def construct(self, x):
        b, n, _ = x.shape
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        made = ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)), axis=-1), v)
        {join}


net = Attention({sizes})
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(10, data)
"""
_EXCHANGED = "return made.transpose(0, 2, 1, 3).reshape(x.shape)"
#: How heads are split, how they are joined, and what is said of that.
_SPLITS = {
    ("return x.view(x.shape[0], x.shape[1], self.heads, self.part).swapaxes(1, 2)", _EXCHANGED): [],
    ("return ops.reshape(x, (x.shape[0], -1, self.heads, self.part)).swapaxes(1, 2)", _EXCHANGED): [],
    ("b, n, _ = x.shape\n        return x.view(b, self.heads, n, self.part)", _EXCHANGED): ["axis-torn"],
    ("b, n, _ = x.shape\n        return x.reshape(b * self.heads, n, self.part)", "return made.sum(-1)"): ["axis-torn"],
    ("return x.view(x.shape[0], self.heads, -1, self.part)", _EXCHANGED): ["axis-torn"],
    ("return ops.reshape(x, (x.shape[0], self.heads, -1, self.part))", _EXCHANGED): ["axis-torn"],
    ("return x.view(x.shape[0], x.shape[1], self.heads, self.part).swapaxes(1, 2)", "return made.reshape(x.shape)"): [
        "axis-torn"
    ],
    (
        "return x.view(x.shape[0], x.shape[1], self.heads, self.part).swapaxes(1, 2)",
        "return made.view(b, n, self.heads * self.part)",
    ): ["axis-torn"],
}


@pytest.mark.parametrize("sizes", ["64, 4", "settings['features'], settings['heads']"])
@pytest.mark.parametrize(("split", "join"), _SPLITS)
def test_heads_that_are_cut_out_of_several_positions(tmp_path: Path, split: str, join: str, sizes: str) -> None:
    made = scripts(tmp_path, _HEADS.format(split=split, join=join, sizes=sizes))
    assert [one.code for one in examine(made)] == _SPLITS[split, join]


@pytest.mark.parametrize(("axes", "codes"), [("x.shape[2]", ["parts-torn"]), ("x.shape[1]", [])])
def test_parts_before_the_positions_that_are_left_over(tmp_path: Path, axes: str, codes: list[str]) -> None:
    body = f"x = self.dense(x)\nreturn x.view(x.shape[0], self.heads, -1, 2) * {axes}"
    made = scripts(tmp_path, _SCRIPT.format(body=indent(body, " " * 8)))
    assert [one.code for one in examine(made)] == codes


def test_one_step_has_no_other_positions(tmp_path: Path) -> None:
    body = "x = self.dense(x)\nreturn x.view(x.shape[0], self.heads, -1, 2)"
    assert not [*examine(scripts(tmp_path, _SCRIPT.format(body=indent(body, " " * 8))))]


@pytest.mark.parametrize("body", _BODIES)
def test_a_reshape_that_tears_an_axis_apart(tmp_path: Path, body: str) -> None:
    made = scripts(tmp_path, _SCRIPT.format(body=indent(body, " " * 8)))
    assert [one.code for one in examine(made)] == ["axis-torn"] * _BODIES[body]
