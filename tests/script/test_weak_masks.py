"""Masks that are put to the scores of attention as ones and zeros, and those that do hide padding."""

from pathlib import Path

import pytest

from accucheck.script.padded_columns import examine
from accucheck.script.pipelines import Pipelines
from case_scripts import scripts

SCRIPT = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import Tensor, nn, ops

class Rows:
    def __init__(self, rows):
        self.rows = rows
    def __len__(self):
        return len(self.rows)
    def __getitem__(self, i):
        words, kind = self.rows[i]
        real = [1] * len(words) + [0] * (64 - len(words))
        return np.array(words + [0] * (64 - len(words)), np.int32), np.array(real, np.int32), np.int32(kind)

class Attention(nn.Cell):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Dense(32, 32), nn.Dense(32, 32), nn.Dense(32, 32)
        self.near = ms.Parameter(ops.zeros((64, 64)))
        self.past = Tensor(np.triu(np.full((64, 64), -1e9), 1))
    def construct(self, x, real):
        here = ops.expand_dims(real, 1).astype(ms.float32)
        s = ops.matmul(self.q(x), self.k(x).swapaxes(1, 2)) / 5.0
        {body}
        return ops.matmul(w, self.v(x))

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(500, 32)
        self.attention = Attention()
        self.out = nn.Dense(32, 2)
    def construct(self, ids, real):
        return self.out(self.attention(self.table(ids), {mask})[:, 0])

class Loss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.each = net, nn.CrossEntropyLoss()
    def construct(self, ids, real, kind):
        return self.each(self.net(ids, real), kind)

data = ds.GeneratorDataset(Rows(rows), ["ids", "real", "kind"], shuffle=True).batch(20)
net = Net()
step = nn.TrainOneStepCell(Loss(net), nn.Adam(net.trainable_params()))
for ids, real, kind in data.create_tuple_iterator():
    step(ids, real, kind)
"""
WEAK = {
    "ones are added": "w = ops.softmax(s + here, -1)",
    "the opposite is added": "w = ops.softmax(s + (1 - here), -1)",
    "a small penalty": "w = ops.softmax(s + (1 - here) * -1.0, -1)",
    "subtracted": "w = nn.Softmax(-1)(s - (1 - here))",
    "multiplied": "w = ops.softmax(s * here, -1)",
    "behind a dropout": "w = nn.Dropout(p=0.1)(ops.softmax(s + here, -1))",
    "beside a triangle": "w = ops.softmax(s + here + self.past, -1)",
}
STRONG = {
    "a large penalty": "w = ops.softmax(s + (1 - here) * -10000.0, -1)",
    "filled": "w = ops.softmax(ops.masked_fill(s, here == 0, -1e9), -1)",
    "multiplied, and the rest made small": "w = ops.softmax(s * here + (here - 1) * 1e9, -1)",
    "a penalty that is not seen": "w = ops.softmax(s * here + (1 - here) * float(PENALTY), -1)",
    "weights behind it": "w = ops.softmax(s * here, -1) * here\n        w = w / (w.sum(-1, keepdims=True) + 1e-9)",
    "weights behind a dropout": "w = nn.Dropout(p=0.1)(ops.softmax(s * here, -1)) * here",
    "learned places": "w = ops.softmax(s + self.near + (1 - here) * -1e9, -1)",
    "no mask at all": "w = ops.softmax(s + self.near, -1)",
    "no scores": "w = ops.softmax(self.near + here, -1)",
}


def codes(root: Path, body: str, mask: str) -> list[str]:
    found = scripts(root, SCRIPT.format(body=body, mask=mask))
    said = [said.code for reading in found.training for said in examine(Pipelines(reading)).said]
    return [code for code in said if code != "mask-unused"]  # of the column beside it


@pytest.mark.parametrize("mask", ["real", "(ids != 0)"])
@pytest.mark.parametrize("name", WEAK)
def test_a_mask_of_ones_hides_nothing(tmp_path: Path, name: str, mask: str) -> None:
    assert codes(tmp_path, WEAK[name], mask) == ["mask-weak"]


@pytest.mark.parametrize("mask", ["real", "(ids != 0)"])
@pytest.mark.parametrize("name", STRONG)
def test_masks_that_hide(tmp_path: Path, name: str, mask: str) -> None:
    assert codes(tmp_path, STRONG[name], mask) == []
