"""Dense layers with nothing between them, and what makes two of them more than one."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from accucheck.script.linear_chains import examine
from case_scripts import scripts

_SCRIPT = """
import json
import mindspore as ms
from mindspore import mint, nn, ops

actions = json.load(open("game.json"))["actions"]


class Own(nn.Dense):
    def __init__(self, ins, outs):
        super().__init__(ins, outs, weight_init="normal")


class Body(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(8, 16)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Dense(8, 16), nn.Dense(16, 16), nn.Dense(16, 4)
        self.own, self.also, self.low, self.high = Own(8, 16), Own(16, 4), nn.Dense(8, 2), nn.Dense(2, 8)
        self.bent, self.norm, self.drop = nn.Dense(8, 16, activation="relu"), nn.LayerNorm((16,)), nn.Dropout(p=0.1)
        self.body, self.head = Body().layer, nn.Dense(16, 4)
        self.judge = nn.SequentialCell(nn.Dense(actions + 3, 32), nn.Dense(32, 1))
        self.choose = nn.SequentialCell([nn.Dense(8, 32), nn.Tanh(), nn.Dense(32, actions)])
        self.usual = nn.SequentialCell(nn.Dense(8, 8), {act}nn.Dense(8, 8), nn.LayerNorm((8,)))
        self.first, self.last = mint.nn.Linear(8, 16), mint.nn.Linear(16, 4)

    def construct(self, x):
        x = self.usual(x)
{body}

net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(10, data)
"""
#: A body -> how many pairs of layers in it are one.
_BODIES = {
    "return self.c(self.a(x))": 1,
    "return self.c(self.b(self.a(x)))": 2,
    "return self.c(ops.relu(self.b(ops.relu(self.a(x)))))": 0,
    "return self.c(self.drop(self.b(ops.relu(self.a(x)))))": 1,
    "return self.c(self.b(ops.relu(self.a(x))).astype(ms.float32))": 1,
    "return self.last(self.first(x))": 1,
    "return self.last(mint.tanh(self.first(x)))": 0,
    "return self.also(self.own(x))": 1,
    "return self.head(self.body(x))": 0,  # the body may come with its weights
    "return self.high(self.low(x))": 0,
    "return self.c(self.bent(x))": 0,
    "return self.c(self.norm(self.a(x)))": 0,
    "return self.judge(x)": 1,
    "return self.choose(x)": 0,
    "h = self.a(x)\nreturn self.c(h) + h.mean()": 0,
    "return self.c(self.a(x).mean(1) * x)": 0,
}


@pytest.mark.parametrize("body", _BODIES)
def test_layers_that_compute_no_more_than_one(tmp_path: Path, body: str) -> None:
    text = _SCRIPT.format(body=indent(body, " " * 8), act="nn.ReLU(), ")
    assert [one.code for one in examine(scripts(tmp_path, text))] == ["linear-twice"] * min(_BODIES[body], 1)


def test_a_script_that_bends_nothing_is_no_outlier(tmp_path: Path) -> None:
    text = _SCRIPT.format(body="        return self.c(self.a(x))", act="")
    assert not [*examine(scripts(tmp_path, text))]


def test_an_activation_that_nothing_applies_tells_as_well(tmp_path: Path) -> None:
    text = _SCRIPT.format(body="        return self.c(self.a(x))", act="").replace(
        "self.first,", "self.act = nn.GELU()\n        self.first,"
    )
    assert {one.code for one in examine(scripts(tmp_path, text))} == {"linear-twice"}
