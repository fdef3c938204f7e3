"""State that is carried from step to step, and state that each step starts from anew."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from accucheck.script.recurrence import examine
from case_scripts import scripts

_SCRIPT = """
import mindspore as ms
from mindspore import mint, nn, ops

class Gated(nn.Cell):
    def __init__(self):
        super().__init__()
        self.forget, self.take, self.new = nn.Dense(16, 8), nn.Dense(16, 8), nn.Dense(16, 8)

    def construct(self, x, state):
        h, c = state
        z = ops.cat((x, h), 1)
        c = ops.sigmoid(self.forget(z)) * c + ops.sigmoid(self.take(z)) * ops.tanh(self.new(z))
        return ops.tanh(c), c


class Update(nn.Cell):
    def __init__(self):
        super().__init__()
        self.gate, self.new = nn.Dense(16, 8), nn.Dense(16, 8)

    def construct(self, x, h):
        z = mint.sigmoid(self.gate(mint.cat((x, h), 1)))
        return mint.add(mint.mul(1 - z, ops.tanh(self.new(mint.cat((x, h), 1)))), mint.mul(z, h))


def start(x):
    return ops.zeros((x.shape[0], 8)), ops.zeros((x.shape[0], 8))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cell, self.gru, self.init = nn.LSTMCell(8, 8), nn.GRUCell(8, 8), nn.Dense(8, 8)
        self.cells = nn.CellList([nn.LSTMCell(8, 8) for _ in range(2)])
        self.layer, self.late = nn.GRU(8, 8, batch_first=True), nn.GRU(8, 8)
        self.gated, self.update, self.a, self.b, self.c = Gated(), Update(), nn.Dense(16, 8), nn.Dense(16, 8), nn.Dense(16, 8)

    def step(self, x, h):
        return self.gru(self.init(x), h)

    def construct(self, x, steps):
        h, c = start(x)
        outputs = []
{body}

net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(10, data)
"""
_BY_HAND = """for t in range(steps):
    z = ops.cat((x[:, t], h), 1)
    new = ops.sigmoid(self.a(z)) * c + ops.sigmoid(self.b(z)) * ops.tanh(self.c(z))
    h = ops.tanh(new){}
return h"""
_STACKED = """hs, cs = [h, h], [c, c]
for t in range(steps):
    y = x[:, t]
    for i in range(2):
        {}, _ = self.cells[i](y, (hs[i], cs[i])){}
return y"""
#: A body -> how many parts of a state are lost in it.
_BODIES = {
    "for t in range(steps):\n    h, c = self.cell(x[:, t], (h, c))\nreturn h": 0,
    "for t in range(steps):\n    out, _ = self.cell(x[:, t], (h, c))\nreturn out": 1,
    "for t in range(steps):\n    h, _ = self.cell(x[:, t], (h, c))\nreturn h": 1,
    "for t in range(steps):\n    h, c = start(x)\n    h, c = self.cell(x[:, t], hx=(h, c))\nreturn h": 1,
    "for t in range(steps):\n    n = steps - t\n    h, c = self.cell(x[:n, t], (h[:n], c[:n]))\nreturn h": 0,
    "for t in range(steps):\n    n, (h, c) = steps - t, start(x)\n    h, c = self.cell(x[:n, t], (h[:n], c[:n]))\nreturn h": 0,
    "for t in range(steps):\n    h, c = start(x)\n    n = steps - t\n    h, c = self.cell(x[:n, t], (h[:n], c[:n]))\nreturn h": 1,
    "t = 0\nwhile t < steps:\n    h = self.gru(x[:, t], h)\n    t += 1\nreturn h": 0,
    "t = 0\nwhile t < steps:\n    y = self.gru(x[:, t], h)\n    t += 1\nreturn y": 1,
    "for part in x.unbind(1):\n    outputs.append(self.gru(part, h))\nreturn ops.stack(outputs)": 1,
    "outputs.append(h)\nfor part in x.unbind(1):\n    outputs.append(self.gru(part, outputs[-1]))\nreturn ops.stack(outputs)": 0,
    # by a method, a cell of the project, or written out
    "for t in range(steps):\n    h = self.step(x[:, t], h)\nreturn h": 0,
    "for t in range(steps):\n    y = self.step(x[:, t], h)\nreturn y": 1,
    "for t in range(steps):\n    h, c = self.gated(x[:, t], (h, c))\nreturn h": 0,
    "for t in range(steps):\n    h, last = self.gated(x[:, t], (h, c))\nreturn h + last": 1,
    "for t in range(steps):\n    h = self.update(x[:, t], h)\nreturn h": 0,
    "for t in range(steps):\n    y = self.update(x[:, t], h)\nreturn y": 1,
    _BY_HAND.format("\n    c = new"): 0,
    _BY_HAND.format(""): 1,
    # a whole layer that is given one step
    "for t in range(steps):\n    out, h = self.layer(x[:, t:t + 1], h)\nreturn out": 0,
    "for t in range(steps):\n    out, _ = self.layer(x[:, t:t + 1], h)\nreturn out": 1,
    "for t in range(steps):\n    out, _ = self.layer(x[:, t].expand_dims(1), h)\nreturn out": 1,
    "for t in range(steps):\n    out, _ = self.late(x[:, t].expand_dims(0), h)\nreturn out": 1,
    "for t in range(steps):\n    out, _ = self.layer(x[t].expand_dims(0), h)\nreturn out": 0,  # a sequence by itself
    "for t in range(steps):\n    out, _ = self.layer(x[:, t], h)\nreturn out": 0,
    # several cells: each has a state of its own
    "for cell in self.cells:\n    h, _ = cell(h, start(x))\nreturn h": 0,
    _STACKED.format("y", ""): 1,
    _STACKED.format("y", "\n        hs[i], cs[i] = _, y"): 0,
    # layers that each mix the same input in
    "for cell in self.cells:\n    z = ops.sigmoid(self.a(x))\n    h = z * x + (1 - z) * self.b(h)\nreturn h": 0,
    # a gate that mixes what is always there into each step
    "m = x.mean(1)\nfor t in range(steps):\n    b = ops.sigmoid(self.init(h))\n    h = self.gru(b * m + (1 - b) * x[:, t], h)\nreturn h": 0,
}


@pytest.mark.parametrize("body", _BODIES)
def test_a_state_that_no_turn_hands_to_the_next(tmp_path: Path, body: str) -> None:
    made = scripts(tmp_path, _SCRIPT.format(body=indent(body, " " * 8)))
    assert [one.code for one in examine(made)] == ["state-not-carried"] * _BODIES[body]


def test_each_batch_starts_anew(tmp_path: Path) -> None:
    text = _SCRIPT.format(body="        return self.gru(x, steps)") + "\nfor x in data:\n    net(x, zeros)\n"
    assert not [*examine(scripts(tmp_path, text))]
