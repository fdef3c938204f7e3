"""Lengths that are given for the sequence that they are of, and for another one."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from accucheck.script.shared_lengths import examine
from case_scripts import scripts

_SCRIPT = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

class Reader(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.rnn = nn.Embedding(50, 8), nn.GRU(8, 8, batch_first=True)

    def construct(self, words, length):
        return self.rnn(self.table(words), seq_length=length)[1]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table, self.rnn, self.head, self.reader = nn.Embedding(50, 8), nn.GRU(8, 8, batch_first=True), nn.Dense(8, 2), Reader()

    def construct(self, text, query, text_length, query_length):
{body}

net = Net()
opt = nn.Adam(net.trainable_params())
loss_fn = nn.CrossEntropyLoss()
data = ds.MindDataset("train.mindrecord", ["text", "query", "text_length", "query_length", "label"], shuffle=True).batch(8)
grad = ms.value_and_grad(lambda t, q, n, m, label: loss_fn(net(t, q, n, m), label), None, opt.parameters)
for t, q, n, m, label in data.create_tuple_iterator():
    loss, grads = grad(t, q, n, m, label)
    opt(grads)
"""
_RUNS = """_, a = self.rnn(self.table(text), seq_length=text_length)
_, b = self.rnn(self.table(query), seq_length={})
return self.head(a[-1] + b[-1])"""
#: A body -> whether a length is given for another sequence.
_BODIES = {
    _RUNS.format("query_length"): False,
    _RUNS.format("text_length"): True,
    "return self.head((self.reader(text, text_length) + self.reader(query, query_length))[-1])": False,
    "return self.head((self.reader(text, text_length) + self.reader(query, text_length))[-1])": True,
    "out, _ = self.rnn(self.table(text), seq_length=text_length)\n"
    "return self.head(self.rnn(out, seq_length=text_length)[1][-1])": False,
    _RUNS.format("text_length") + " + query_length.mean()": False,
}


@pytest.mark.parametrize("body", _BODIES)
def test_a_length_that_is_given_for_another_sequence(tmp_path: Path, body: str) -> None:
    made = scripts(tmp_path, _SCRIPT.format(body=indent(body, " " * 8)))
    assert [one.code for one in examine(made)] == ["length-of-another"] * _BODIES[body]
