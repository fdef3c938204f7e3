"""What is taken of recurrent layers, and in which order their states go back."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from accucheck.script.recurrent_results import examine
from case_scripts import scripts

_SCRIPT = """
import mindspore as ms
from mindspore import nn, ops

def last(layer, x, lengths):
    out, _ = layer(x, seq_length=lengths)
    return out[:, -1]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.deep, self.gru = nn.LSTM(8, 8, num_layers=2, batch_first=True), nn.GRU(8, 8, 3, batch_first=True)
        self.flat, self.both = nn.GRU(8, 8, batch_first=True), nn.LSTM(8, 8, bidirectional=True, batch_first=True)
        self.late, self.cell, self.head = nn.GRU(8, 8), nn.LSTMCell(8, 8), nn.Dense(8, 2)

    def construct(self, x, lengths, h, c):
{body}

net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(10, data)
"""
#: A body -> what is said of it.
_BODIES = {
    "_, (h, c) = self.deep(x)\nreturn self.head(h[0])": ["first-layer-state"],
    "return self.head(self.deep(x)[1][0][0])": ["first-layer-state"],
    "_, (h, c) = self.deep(x)\nreturn self.head(h[-1])": [],
    "_, state = self.deep(x)\nreturn self.head(state[0])": [],
    "out, (h, c) = self.deep(x)\nreturn self.head(h[0]) + out.mean(1)": [],
    "_, h = self.gru(x)\nreturn self.head(h[0])": ["first-layer-state"],
    "_, h = self.flat(x)\nreturn self.head(h[0])": [],
    "_, (h, c) = self.both(x)\nreturn self.head(h[0])": [],
    "return self.head(last(self.flat, x, lengths))": ["last-step-padded"],
    "out = self.flat(x, h, lengths)[0]\nreturn self.head(out[:, -1, :])": ["last-step-padded"],
    "out = self.late(x, h, lengths)[0]\nreturn self.head(out[-1])": ["last-step-padded"],
    "out = self.late(x, h, lengths)[0]\nreturn self.head(out[:, -1])": [],  # the last sample
    "out, _ = self.flat(x)\nreturn self.head(out[:, -1])": [],
    "out, h = self.flat(x, seq_length=lengths)\nreturn self.head(h[-1]) + out.mean(1)": [],
    "for t in range(5):\n    h, c = self.cell(x[:, t], (c, h))\nreturn h": ["state-exchanged"],
    "for t in range(5):\n    h, c = self.cell(x[:, t], (h, c))\nreturn h": [],
    "out, (h, c) = self.deep(x, (c, h))\nreturn out + c": ["state-exchanged"],
    "out, (h, c) = self.deep(x, (h, c))\nreturn out + c": [],
    "out, (a, b) = self.deep(x, (c, h))\nreturn out + a + b": [],
}


@pytest.mark.parametrize("body", _BODIES)
def test_what_is_taken_of_a_recurrent_layer(tmp_path: Path, body: str) -> None:
    made = scripts(tmp_path, _SCRIPT.format(body=indent(body, " " * 8)))
    assert [one.code for one in examine(made)] == _BODIES[body]
