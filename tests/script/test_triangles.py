"""What a mask is for three places, however it is made: cut, compared, widened, chosen by."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script import open_attention, triangles
from case_scripts import scripts

_SCRIPT = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops, mint

def columns(count):
    return mint.arange(count).unsqueeze(0)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(50, 8)
        self.q, self.k, self.v, self.out = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 50)

    def construct(self, words):
        x = self.table(words)
        scores = ops.matmul(self.q(x), self.k(x).swapaxes(-1, -2)) / 8 ** 0.5
        place = ops.arange(words.shape[1])
        {mask}
        return self.out(ops.matmul(ops.softmax(scores, -1), self.v(x)))

net, loss_fn = Net(), nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params())
data = ds.NumpySlicesDataset(np.load("rows.npy"), ["words"], shuffle=True).batch(16)

def forward(words):
    scores = net(words[:, :-1])
    return loss_fn(scores.reshape(-1, 50), words[:, 1:].reshape(-1))

grad = ms.value_and_grad(forward, None, opt.parameters)
for words, in data.create_tuple_iterator():
    loss, grads = grad(words)
    opt(grads)
"""
_SEEN, _HIDDEN, _OPEN = ["future-seen"], ["itself-hidden"], ["future-open"]
_FILL = "scores = scores.masked_fill({mask}, {number})"
#: What is done to the scores -> what is told of it.
_CASES: dict[str, list[str]] = {
    _FILL.format(mask="place.expand_dims(0) > place.expand_dims(1)", number=-1e9): [],
    _FILL.format(mask="place.expand_dims(0) < place.expand_dims(1)", number=-1e9): _SEEN,
    _FILL.format(mask="place.expand_dims(0) >= place.expand_dims(1)", number=-1e9): _HIDDEN,
    _FILL.format(mask="place.expand_dims(0) > place.expand_dims(1)", number=1e-9): _OPEN,
    _FILL.format(mask="place.expand_dims(0) > place.expand_dims(1)", number="self.least"): [],
    _FILL.format(mask="place[None] > place[:, None]", number=-1e9): [],
    _FILL.format(mask="place[None] < place[:, None]", number=-1e9): _SEEN,
    _FILL.format(mask="(place + 1)[None] > (place + 1)[:, None]", number=-1e9): [],
    _FILL.format(mask="(place + 1)[None] > place[:, None]", number=-1e9): _HIDDEN,
    _FILL.format(mask="place > place.reshape(-1, 1)", number=-1e9): [],
    _FILL.format(mask="place.reshape(1, -1) < place.view(-1, 1)", number=-1e9): _SEEN,
    _FILL.format(mask="~(columns(15) <= place[:, None])", number="float('-inf')"): [],
    _FILL.format(mask="~(columns(15) >= place[:, None])", number="float('-inf')"): _SEEN,
    _FILL.format(mask="columns(15) > place", number=-1e9): [],  # no square
    _FILL.format(mask="(place[None] > place[:, None]) | (words == 0).expand_dims(1)", number=-1e9): [],
    _FILL.format(mask="ops.zeros((15, 15)) == 1", number="self.least"): _OPEN,
    "scores = scores + ops.triu(ops.full((15, 15), -1e9), 1)": [],
    "scores = scores + ops.tril(ops.full((15, 15), -1e9), 1)": _SEEN,
    "scores = scores + ops.tril(ops.full((15, 15), -1e9), -1)": _SEEN,
    "scores = mint.where(mint.tril(mint.ones((15, 15))) == 0, mint.full_like(scores, -1e9), scores)": [],
    "scores = mint.where(mint.tril(mint.ones((15, 15))) == 1, mint.full_like(scores, -1e9), scores)": _SEEN,
    "scores = mint.where(mint.tril(mint.ones((15, 15))) == 0, mint.full_like(scores, 0), scores)": _OPEN,
    "scores = ops.select(ops.tril(ops.ones((15, 15))).bool().broadcast_to(scores.shape), scores, ops.ones_like(scores) * -1e9)": [],
    "scores = ops.select(ops.triu(ops.ones((15, 15))).bool().broadcast_to(scores.shape), scores, ops.ones_like(scores) * -1e9)": _SEEN,
    "scores = ops.select(ops.tril(ops.ones((15, 15))).bool().broadcast_to(scores.shape), scores, ops.ones_like(scores) * -1)": _OPEN,
    "scores = scores.where(place[:, None] >= place[None], ms.Tensor(-1e9))": [],
    "scores = scores.where(place[:, None] <= place[None], ms.Tensor(-1e9))": _SEEN,
    "scores = ops.where(ops.abs(place[:, None] - place[None]) < 3, scores, -1e9)": [],
}


@pytest.mark.parametrize(("mask", "codes"), _CASES.items(), ids=_CASES)
def test_what_a_mask_lets_each_place_see(mask: str, codes: list[str], tmp_path: Path) -> None:
    made = scripts(tmp_path, _SCRIPT.format(mask=mask))
    assert [one.code for rule in (triangles, open_attention) for one in rule.examine(made)] == codes
