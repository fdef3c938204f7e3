"""Masks that are the same for all keys of a query, and masks of the keys."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from accucheck.script.even_masks import examine
from case_scripts import scripts

_SCRIPT = """
import mindspore as ms
from mindspore import mint, nn, ops

def mask_of(ids, axis):
    b, n = ids.shape
    return ops.broadcast_to(ops.equal(ids, 0).expand_dims(axis), (b, n, n))


class Hide(nn.Cell):
    def construct(self, scores, mask):
        return ops.select(mask.astype(ms.bool_), ops.full(scores.shape, -1e9), scores)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.query, self.key, self.value = nn.Embedding(50, 8), nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8)
        self.hide, self.unsqueeze, self.over = Hide(), ops.ExpandDims(), nn.Softmax(axis=-1)

    def construct(self, ids, mask):
        b, n = ids.shape
        x = self.table(ids)
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.swapaxes(-1, -2) / 3
{body}
        return self.over(scores) @ v

net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(10, data)
"""
#: What is done to the scores -> whether that is the same for all keys.
_BODIES = {
    "scores = scores.masked_fill(mask_of(ids, 1), -1e9)": False,
    "scores = scores.masked_fill(mask_of(ids, 2), -1e9)": True,
    "scores = scores.masked_fill(mask_of(ids, -1), -1e9)": True,
    "scores = self.hide(scores, mask_of(ids, 1))": False,
    "scores = self.hide(scores, mask_of(ids, 2))": True,
    "scores = mint.where(mint.unsqueeze(ids == 0, 1), -1e9, scores)": False,
    "scores = mint.where(mint.unsqueeze(ids == 0, 2), -1e9, scores)": True,
    "scores = scores + (1.0 - self.unsqueeze((ids != 0).astype(ms.float32), 1)) * -10000.0": False,
    "scores = scores + (1.0 - self.unsqueeze((ids != 0).astype(ms.float32), -1)) * -10000.0": True,
    "scores = scores.masked_fill((ids == 0)[:, None, :], -1e9)": False,
    "scores = scores.masked_fill((ids == 0)[:, :, None], -1e9)": True,
    "scores = scores.masked_fill((ids == 0)[..., None].tile((1, 1, n)), -1e9)": True,
    "scores = scores.masked_fill((ids == 0)[:, None] | (ids == 0)[..., None], -1e9)": False,
    "scores = scores.masked_fill((ids == 0)[:, None], -1e9).masked_fill((ids == 0)[..., None], -1e9)": False,
    # of how many axes the mask is, is not seen, but no more than the scores
    "scores = scores.masked_fill(mask.expand_dims(2), -1e9)": True,
    "scores = scores.masked_fill(mask.expand_dims(1), -1e9)": False,
    "scores = q.reshape((b, 2, n, 4)) @ k.reshape((b, 2, 4, n)) + (1.0 - mask.expand_dims(1).expand_dims(3)) * -10000.0": True,
    "scores = q.reshape((b, 2, n, 4)) @ k.reshape((b, 2, 4, n)) + (1.0 - mask.expand_dims(1).expand_dims(2)) * -10000.0": False,
    "scores = (q.reshape((b, 2, n, 4)) @ k.reshape((b, 2, 4, n))).masked_fill(mask.expand_dims(3), -1e9)": True,
    "scores = (q.reshape((b, 2, n, 4)) @ k.reshape((b, 2, 4, n))).masked_fill(mask.expand_dims(1), -1e9)": False,
    "scores = scores.masked_fill(ops.triu(ops.ones((n, n)), 1).bool(), -1e9)": False,
    "scores = scores + self.key(x).mean(-1, keep_dims=True)": False,
}


@pytest.mark.parametrize("body", _BODIES)
def test_a_mask_that_is_the_same_for_all_keys(tmp_path: Path, body: str) -> None:
    made = scripts(tmp_path, _SCRIPT.format(body=indent(body, " " * 8)))
    assert [one.code for one in examine(made)] == ["mask-even"] * _BODIES[body]
