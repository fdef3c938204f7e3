"""Attention that hides nothing in a model that is trained to predict what comes next, and attention that may see everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script import triangles, unshifted
from accucheck.script.open_attention import examine
from case_scripts import scripts

_SCRIPT = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

class Lines:
    def __init__(self):
        self.rows = np.load("rows.npy")

    def __getitem__(self, place):
        return self.rows[place], self.rows[place][::-1].copy()

    def __len__(self):
        return len(self.rows)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.other = nn.Embedding(50, 8), nn.Embedding(50, 8)
        self.q, self.k, self.v, self.out = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 50)

    def construct(self, words, others):
        x = self.table(words)
        y = {keys}
        scores = ops.matmul(self.q(x), self.k(y).swapaxes(-1, -2)) / 8 ** 0.5
        {mask}
        return self.out(ops.matmul(ops.softmax(scores, -1), self.v(y)))

net, loss_fn = Net(), nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params())
data = ds.GeneratorDataset(Lines(), ["words", "others"], shuffle=True).batch(16)

def forward(words, others):
    scores = net({given}, others)
    return loss_fn(scores.reshape(-1, 50), {labels}.reshape(-1))

grad = ms.value_and_grad(forward, None, opt.parameters)
for words, others in data.create_tuple_iterator():
    loss, grads = grad(words, others)
    opt(grads)
"""
_NEXT = {"given": "words[:, :-1]", "labels": "words[:, 1:]", "keys": "x", "mask": "pass"}
_LATER = "later = ops.triu(ops.ones((15, 15)), 1)\n        "
#: What is changed -> whether the attention is told.
_CASES: dict[str, tuple[dict[str, str], bool]] = {
    "no mask": ({}, True),
    "a mask that hides nothing": ({"mask": "scores = scores.masked_fill(ops.zeros((15, 15)) == 1, -1e9)"}, True),
    "later places hidden": ({"mask": _LATER + "scores = scores.masked_fill(later == 1, -1e9)"}, False),
    "a mask of the padding alone": ({"mask": "scores = scores.masked_fill((words == 0).expand_dims(1), -1e9)"}, True),
    "a mask of the padding by other means": (
        {
            "mask": "real = ops.logical_not(words == 0).expand_dims(1)\n        scores = ops.where(real, scores, ms.Tensor(-1e9))"
        },
        True,
    ),
    "later places and the padding hidden": (
        {"mask": _LATER + "scores = scores.masked_fill(ops.logical_or(later == 1, (words == 0).expand_dims(1)), -1e9)"},
        False,
    ),
    "a mask of the padding and one out of sight": (
        {"mask": "scores = scores.masked_fill(ops.logical_or(hidden(words), (words == 0).expand_dims(1)), -1e9)"},
        False,
    ),
    "a mask out of sight": ({"mask": "scores = scores.masked_fill(hidden(words), -1e9)"}, False),
    "a mask that is added, out of sight": ({"mask": "scores = scores + hidden(words)"}, False),
    "keys of another sequence": ({"keys": "self.other(others)"}, False),
    "labels at the same places": ({"given": "words", "labels": "words"}, False),
    "labels of another sequence": ({"labels": "others[:, 1:]"}, False),
}


@pytest.mark.parametrize(("changes", "told"), _CASES.values(), ids=_CASES)
def test_attention_that_shows_what_is_to_be_predicted(changes: dict[str, str], told: bool, tmp_path: Path) -> None:
    made = scripts(tmp_path, _SCRIPT.format(**(_NEXT | changes)))
    assert [one.code for one in examine(made)] == ["future-open"] * told
    assert not list(unshifted.examine(made))


_PAST = "ops.tril(ops.ones((15, 15)){by}) == 1"
_REAL = "(words != 0).expand_dims(1)"


@pytest.mark.parametrize(
    ("keep", "shown", "codes"),
    [
        (f"ops.logical_and({_PAST.format(by='')}, {_REAL})", {}, []),
        (f"ops.logical_and({_PAST.format(by='')}, {_REAL})", {"labels": "words[:, :-1]"}, ["labels-not-shifted"]),
        (f"ops.logical_and({_PAST.format(by=', 1')}, {_REAL})", {}, ["future-seen"]),
        (f"ops.logical_and(ops.triu(ops.ones((15, 15))) == 1, {_REAL})", {}, ["future-seen"]),
        (f"(ops.tril(ops.ones((15, 15))) * {_REAL}.astype(ms.float32)) == 1", {}, []),
    ],
)
def test_a_triangle_beside_the_mask_of_the_padding(
    keep: str, shown: dict[str, str], codes: list[str], tmp_path: Path
) -> None:
    mask = {"mask": f"scores = scores.masked_fill(ops.logical_not({keep}), -1e9)"}
    made = scripts(tmp_path, _SCRIPT.format(**(_NEXT | mask | shown)))
    assert [one.code for rule in (unshifted, triangles) for one in rule.examine(made)] == codes
    assert not list(examine(made))
