"""A softmax over the samples of a batch, and along other axes."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from accucheck.script.sample_axis import examine
from case_scripts import scripts

_SCRIPT = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import mint, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.score, self.key = nn.Embedding(50, 8, padding_idx=0), nn.Dense(8, 1), nn.Dense(8, 8)
        self.memory, self.over_first = nn.LSTM(8, 8, batch_first={first}), nn.Softmax(axis=0)

    def construct(self, ids):
        words = self.table(ids)
{body}

net = Net()
opt = nn.Adam(net.trainable_params())
loss_fn = nn.CrossEntropyLoss()
data = ds.MindDataset("train.mindrecord", ["ids", "label"], shuffle=True).batch({batch})
{train}
"""
_MODEL = "ms.Model(net, loss_fn, opt).train(3, data)"
_LOOP = """
grad = ms.value_and_grad(lambda ids, label: loss_fn(net(ids), label), None, opt.parameters)
for ids, label in data.create_tuple_iterator():
    loss, grads = grad(ids, label)
    opt(grads)
"""
#: The body of a network -> whether its softmax runs over the samples.
_BODIES = {
    "return ops.softmax(self.score(words).squeeze(-1), axis=0)": True,
    "return self.over_first(ops.tanh(self.score(words)))": True,
    "scores = self.score(words).squeeze(-1).masked_fill(ids == 0, -1e9)\nreturn mint.softmax(scores, 0)": True,
    "return ops.softmax(self.score(self.memory(words)[0]).squeeze(-1), axis=0)": True,
    "return ops.softmax(self.key(words).mean(axis=1), axis=0)": True,
    "return ops.softmax(self.score(words).squeeze(-1), axis=-1)": False,
    "return ops.softmax(self.score(words), axis=1)": False,
    "return ops.softmax(self.score(words.swapaxes(0, 1)), axis=0)": False,
    "return ops.softmax(self.key(words).mean(axis=0), axis=0)": False,
    # pieces, slices, joins and exchanges of axes
    "return ops.softmax(self.key(words).mean(axis=1)[:, :4], axis=0)": True,
    "return ops.softmax(self.key(words)[:, 0], axis=0)": True,
    "return ops.softmax(self.key(words)[..., 0], axis=0)": True,
    "return ops.softmax(self.memory(words)[0][:, 0], axis=-2)": True,
    "return ops.softmax(ops.stack([self.key(words)[:, i] for i in range(2)], 1), axis=0)": True,
    "return ops.softmax(ops.stack([self.key(words), self.key(words)]), axis=1)": True,
    "return ops.softmax(ops.concat((self.score(words), self.key(words)), -1), axis=0)": True,
    "return ops.softmax(ops.concat((words, self.memory(words)[1][0].swapaxes(0, 1)), -1), axis=0)": True,
    "return ops.softmax(ops.concat((words, self.memory(words)[1][0]), 0), axis=0)": False,
    "return ops.softmax(self.key(words[:, 0]).expand_dims(1).tile((1, words.shape[1], 1)), axis=0)": True,
    "return ops.softmax(words[:, 0].tile((2, 1, 1)), axis=0)": False,
    "a, b = ops.split(self.key(words), 4, 2)\nreturn ops.softmax(a, axis=0)": True,
    "return ops.softmax(self.memory(words)[0].mean(axis=1).T, axis=1).T": True,
    "return ops.softmax(ops.transpose(self.key(words), (1, 0, 2)), axis=1)": True,
    "return ops.softmax(self.key(words).swapaxes(0, 2), axis=2)": True,
    "return ops.softmax(self.key(words).expand_dims(0), axis=1)": True,
    "return ops.softmax(self.key(words)[:, :, None].mean((1, 2)), axis=0)": True,
    "return ops.softmax(self.key(words).mean(axis=1)[:, :4], axis=1)": False,
    "return ops.softmax(self.key(words)[0], axis=0)": False,
    "return ops.softmax(self.key(words)[:, 0, :], axis=-1)": False,
    "return ops.softmax(self.memory(words)[0][:, 0, 0], axis=-1)": False,  # a weight of each sample may be meant
    "return ops.softmax(ops.stack([self.key(words)[:, i] for i in range(2)], 1), axis=1)": False,
    "return ops.softmax(ops.stack([self.key(words), self.key(words)]), axis=0)": False,
    "return ops.softmax(self.memory(words)[0].mean(axis=1).T, axis=0).T": False,
    "return ops.softmax(ops.transpose(self.key(words), (1, 0, 2)), axis=0)": False,
    "return ops.softmax(self.key(words).swapaxes(0, 2), axis=0)": False,
    "return ops.softmax(self.key(words).expand_dims(0), axis=0)": False,
    "return ops.softmax(self.key(words).mean((0, 1)), axis=0)": False,
    "return ops.softmax(self.key(words).squeeze(0), axis=0)": False,
    "b, n = words.shape[0], words.shape[1]\nreturn ops.softmax(self.score(words).reshape(b, n), axis=1)": False,
    "return ops.softmax(self.score(words).view(words.shape[0], -1), axis=1)": False,
    "s = self.key(words).mean(axis=2)\nreturn ops.softmax(s.view(s.shape[0], -1), axis=0)": True,
    "return ops.softmax(self.score(words).broadcast_to((-1, -1, 4)), axis=0)": False,  # of how many axes is not seen
    "return ops.softmax(self.score(self.memory(words)[0]).broadcast_to((-1, -1, 4)), axis=0)": True,
    # samples that are compared with each other
    "pooled = self.key(words).mean(axis=1)\nreturn ops.softmax(pooled @ pooled.T, axis=0)": False,
    "return ops.softmax(self.table.embedding_table, axis=0)": False,
}


def said(folder: Path, body: str, train: str = _MODEL, batch: str = "32", first: bool = True) -> list[str]:
    text = _SCRIPT.format(body=indent(body, " " * 8), train=train, batch=batch, first=first)
    return [one.code for one in examine(scripts(folder, text))]


@pytest.mark.parametrize("train", [_MODEL, _LOOP])
@pytest.mark.parametrize("body", _BODIES)
def test_a_softmax_over_the_samples_is_told(tmp_path: Path, body: str, train: str) -> None:
    assert said(tmp_path, body, train) == ["softmax-over-samples"] * _BODIES[body]


@pytest.mark.parametrize(("axis", "codes"), [(0, ["norm-over-samples"]), (1, []), (-1, [])])
def test_vectors_that_are_brought_to_a_length_over_the_samples_are_told(
    tmp_path: Path, axis: int, codes: list[str]
) -> None:
    assert said(tmp_path, f"return ops.L2Normalize(axis={axis})(self.key(words.mean(1)))", _LOOP) == codes


def test_batches_that_the_project_puts_together_may_have_the_samples_elsewhere(tmp_path: Path) -> None:
    for train in (_MODEL, _LOOP):
        assert said(tmp_path, next(iter(_BODIES)), train, "32, per_batch_map=put_together") == []


def test_a_recurrent_layer_may_have_the_samples_along_the_second_axis(tmp_path: Path) -> None:
    body = "words = words.swapaxes(0, 1)\nreturn ops.softmax(self.score(self.memory(words)[0]), axis={})"
    assert said(tmp_path, body.format(0), first=False) == []


_STEPS = """
import mindspore as ms
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.step, self.score, self.key = nn.LSTMCell(8, 8), nn.Dense(8, 1), nn.Dense(8, 8)

    def construct(self, memory, h, c):
        for t in range(3):
            scores = self.score(ops.relu(self.key(memory) + self.key(h).expand_dims(1))).squeeze(2)
            {weights}
            h, c = self.step(seen, (h, c))
        return h

net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(10, data)
"""


@pytest.mark.parametrize(
    ("weights", "found"),
    {
        "seen = (memory * ops.softmax(scores, axis=0).expand_dims(2)).sum(axis=1)": True,
        "seen = (ops.softmax(scores, axis=0).expand_dims(1) @ memory).squeeze(1)": True,
        "seen = (memory * ops.softmax(scores, axis=1).expand_dims(2)).sum(axis=1)": False,
        "seen = (memory * ops.softmax(scores, axis=0).expand_dims(2)).sum(axis=0)": False,  # rows of one bag
    }.items(),
)
def test_what_a_recurrent_cell_is_given_has_samples_first(tmp_path: Path, weights: str, found: bool) -> None:
    made = scripts(tmp_path, _STEPS.format(weights=weights))
    assert [one.code for one in examine(made)] == ["softmax-over-samples"] * found


@pytest.mark.parametrize(
    ("layer", "given", "found"),
    [
        ("nn.LSTM(8, 8)", "words", True),
        ("nn.GRU(8, 8, batch_first=False)", "self.key(words)", True),
        ("nn.LSTM(8, 8)", "words.swapaxes(0, 1)", False),
        ("nn.LSTM(8, 8, batch_first=True)", "words", False),
        ("nn.GRU(8, 8)", "ops.transpose(words, (1, 0, 2))", False),
        ("nn.GRU(8, 8, **settings)", "words", False),
        ("nn.GRU(8, 8)", "self.key(words).mean(1).expand_dims(0)", False),
    ],
)
def test_a_recurrent_layer_that_steps_through_the_samples(tmp_path: Path, layer: str, given: str, found: bool) -> None:
    text = _SCRIPT.format(first=True, body=f"        return self.other({given})[0]", batch=8, train=_LOOP)
    text = text.replace("        self.memory", f"        self.other = {layer}\n        self.memory", 1)
    made = scripts(tmp_path, text)
    assert [one.code for one in examine(made)] == ["samples-as-steps"] * found


_TAGGED = """
grad = ms.value_and_grad(lambda ids, label: loss_fn({given}, {labels}), None, opt.parameters)
for ids, label in data.create_tuple_iterator():
    loss, grads = grad(ids, label)
    opt(grads)
"""


@pytest.mark.parametrize(
    ("given", "labels", "codes"),
    [
        ("net(ids).reshape(-1, 8)", "label[:, 1:].reshape(-1)", []),
        ("net(ids).swapaxes(0, 1).reshape(-1, 8)", "label[:, 1:].reshape(-1)", ["rows-paired-otherwise"]),
        (
            "net(ids).swapaxes(0, 1).reshape(-1, 8).astype(ms.float32)",
            "label[:, 1:].reshape((-1,))",
            ["rows-paired-otherwise"],
        ),
        ("net(ids).reshape(-1, 8)", "label[:, 1:].swapaxes(0, 1).reshape(-1)", ["rows-paired-otherwise"]),
        ("net(ids).swapaxes(0, 1).reshape(-1, 8)", "label[:, 1:].swapaxes(0, 1).reshape(-1)", []),
        ("net(ids).swapaxes(1, 2)", "label", []),
    ],
)
def test_predictions_and_labels_that_are_joined_in_other_orders(
    tmp_path: Path, given: str, labels: str, codes: list[str]
) -> None:
    body = "return self.key(self.memory(words)[0])"
    assert said(tmp_path, body, _TAGGED.format(given=given, labels=labels)) == codes
