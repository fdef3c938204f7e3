"""Weights of attention that sum up to 1 along another axis than that along which they are summed up."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from accucheck.script.attention import examine
from case_scripts import scripts

_SCRIPT = """
import mindspore as ms
from mindspore import mint, nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8)
        self.score, self.slots, self.classes = nn.Dense(8, 1), ms.Parameter(first()), nn.Dense(8, 4)
        self.drop, self.over, self.over_first = nn.Dropout(p=0.1), nn.Softmax(), nn.Softmax(axis=-2)
        self.product = ops.BatchMatMul(transpose_b=True)

    def construct(self, x, mask):
        q, k, v = self.query(x), self.key(x), self.value(x)
{body}

net = Net()
opt = nn.Adam(net.trainable_params())
ms.Model(net, nn.MSELoss(), opt).train(10, data)
"""
#: The body of a network -> whether its softmax runs along another axis than the product after it sums up.
_BODIES = {
    "return ops.matmul(ops.softmax(q @ k.swapaxes(-1, -2), axis=-2), v)": True,
    "return ops.matmul(ops.softmax(q @ k.swapaxes(-1, -2), axis=-1), v)": False,
    "return ops.softmax(q @ k.swapaxes(-1, -2)) @ v": False,
    "return self.over(q @ k.swapaxes(-1, -2)) @ v": False,
    "return self.over_first(q @ k.swapaxes(-1, -2)) @ v": True,
    "return self.drop(ops.softmax(self.product(q, k) / 3, 1).astype(x.dtype)) @ v.transpose(0, 2, 1)": False,
    "return self.drop(ops.softmax(q @ k.transpose(0, 2, 1) / 3, 1).astype(x.dtype)) @ v": True,
    "return ops.softmax(q @ k.transpose(0, 2, 1) / 3, 2) @ v": False,
    "q, k = q.reshape(2, 5, 2, 4).transpose(0, 2, 1, 3), k.reshape(2, 5, 2, 4).transpose(0, 2, 3, 1)\n"
    "return ops.softmax(q @ k, 2) @ v.reshape(2, 5, 2, 4).transpose(0, 2, 1, 3)": True,
    "q, k = q.reshape(2, 5, 2, 4).transpose(0, 2, 1, 3), k.reshape(2, 5, 2, 4).transpose(0, 2, 3, 1)\n"
    "return ops.softmax(q @ k, 3) @ v.reshape(2, 5, 2, 4).transpose(0, 2, 1, 3)": False,
    "return mint.matmul(mint.nn.functional.softmax(mint.matmul(q, mint.transpose(k, 1, 2)), dim=1), v)": True,
    "return mint.matmul(mint.nn.functional.softmax(mint.matmul(q, mint.transpose(k, 1, 2)), dim=-1), v)": False,
    "scores = (q @ k.swapaxes(1, 2)).masked_fill(mask == 0, -1e9)\nreturn ops.softmax(scores, axis=1) @ v": True,
    "return ops.softmax(q @ k.transpose(1, 2), 1) @ v": True,
    "return ops.softmax(q @ k.transpose(-2, -1), 2) @ v": False,
    "return ops.softmax(q[:, None] @ k[:, None].transpose(-2, -1), 2) @ v[:, None]": False,
    "return ops.softmax(q[:, 0, :, :] @ k[:, 0, :, :].transpose(-2, -1), 1) @ v[:, 0, :, :]": True,
    # the other operand, and weights that are turned round after their softmax
    "return v.swapaxes(1, 2) @ ops.softmax(k @ q.swapaxes(1, 2), axis=-2)": False,
    "return v.swapaxes(1, 2) @ ops.softmax(k @ q.swapaxes(1, 2), axis=-1)": True,
    "return v.swapaxes(1, 2) @ ops.softmax(q @ k.swapaxes(1, 2), axis=-1).transpose(0, 2, 1)": False,
    # no attention: what each element belongs to, slots that are weights, what is averaged afterwards
    "return ops.softmax(self.classes(x), axis=-1).swapaxes(1, 2) @ x": False,
    "return ops.softmax(x @ self.slots, axis=-1).swapaxes(1, 2) @ x": False,
    "w = ops.softmax(q @ k.swapaxes(1, 2), axis=1)\nreturn (w / w.sum(-1, keepdims=True)) @ v": False,
}


def said(folder: Path, body: str) -> list[str]:
    made = scripts(folder, _SCRIPT.format(body=indent(body, " " * 8)))
    return [one.code for one in examine(made)]


@pytest.mark.parametrize("body", _BODIES)
def test_the_axis_of_a_softmax_is_the_one_that_is_summed_up(tmp_path: Path, body: str) -> None:
    assert said(tmp_path, body) == ["softmax-other-axis"] * _BODIES[body]


@pytest.mark.parametrize(
    ("body", "one"),
    {
        "return ops.softmax(self.score(x), -1) * v": True,
        "return self.over(ops.tanh(self.score(x)) / 2) * v": True,
        "return ops.softmax(self.score(x), 1) * v": False,
        "return ops.softmax(self.score(x).squeeze(-1), -1) @ v": False,
        "return ops.softmax(self.classes(x), -1) @ v": False,
        "return ops.softmax(self.score(x)) * v": True,
        "return ops.softmax(self.score(x), axis=which) * v": False,
        "return (ops.softmax(self.score(x), -1) * v).sum(1)": True,
        "return (ops.softmax(self.score(x), -1) * v[..., None]).sum(axis=-1)": False,  # a mixture of one scale
        "w = nn.Softmax(axis=-1)(self.score(x[..., None]))\nreturn ops.ReduceSum()(ops.mul(v, w), -1)": False,
    }.items(),
)
def test_a_softmax_over_one_score_is_told(tmp_path: Path, body: str, one: bool) -> None:
    assert said(tmp_path, body) == ["softmax-of-one"] * one


#: The body of a network, given q, k and v of two heads of four -> whether the scores are multiplied by the root of four.
_SCALES = {
    "scores = q @ k.swapaxes(2, 3) * 4 ** 0.5": True,
    "scores = ops.matmul(q, k.swapaxes(2, 3)) / (self.each ** -0.5)": True,
    "scores = mint.mul(self.product(q, k), self.each ** 0.5) + mask": True,
    "scores = (q * math.sqrt(q.shape[-1])) @ k.swapaxes(2, 3)": True,
    "scores = ops.mul(q @ k.swapaxes(2, 3), ops.sqrt(ms.Tensor(self.each, ms.float32)))": True,
    "scores = (q @ k.swapaxes(2, 3)).masked_fill(mask == 0, -1e9) * 2.0": True,
    "scores = q @ k.swapaxes(2, 3) / 4 ** 0.5": False,
    "scores = q @ k.swapaxes(2, 3) * self.each ** -0.5": False,
    "scores = (q / self.each ** 0.25) @ (k / self.each ** 0.25).swapaxes(2, 3)": False,
    "scores = q @ k.swapaxes(2, 3) * self.each ** 0.5 / self.each": False,
    "scores = q @ k.swapaxes(2, 3) * 10": False,
    "scores = q @ k.swapaxes(2, 3) * self.learnt * self.each ** 0.5": False,
    "q, k = ops.L2Normalize(-1)(q), ops.L2Normalize(-1)(k)\nscores = q @ k.swapaxes(2, 3) * self.each ** 0.5": False,
}


@pytest.mark.parametrize("scores", _SCALES)
def test_scores_are_divided_by_the_root_of_their_length(tmp_path: Path, scores: str) -> None:
    split = "q, k, v = (y.reshape(x.shape[0], x.shape[1], 2, self.each).transpose(0, 2, 1, 3) for y in (q, k, v))\n"
    more = "self.each, self.learnt = 4, ms.Parameter(first())\n"
    script = _SCRIPT.replace("        self.product", f"        {more}        self.product", 1)
    body = indent(f"{split}{scores}\nreturn ops.softmax(scores, -1) @ v", " " * 8)
    made = scripts(tmp_path, "import math\n" + script.format(body=body))
    assert [one.code for one in examine(made)] == ["scores-scaled-up"] * _SCALES[scores]


_FUSED = """b, n, c = x.shape
q, k, v = self.all(x).reshape(b, n, 3, 2, c // 2).transpose(2, 0, 3, 1, 4).unbind(0)
scores = ops.mul(ops.matmul(q, k.swapaxes(-1, -2)), self.scale)
return ops.softmax(scores, -1) @ v"""


@pytest.mark.parametrize(("power", "codes"), [("0.5", ["scores-scaled-up"]), ("-0.5", [])])
def test_the_length_of_heads_that_one_layer_gives_together(tmp_path: Path, power: str, codes: list[str]) -> None:
    more = f"self.all, self.scale = nn.Dense(8, 24), ms.Tensor(4 ** {power})\n"
    script = _SCRIPT.replace("        self.product", f"        {more}        self.product", 1)
    made = scripts(tmp_path, script.format(body=indent(_FUSED, " " * 8)))
    assert [one.code for one in examine(made)] == codes


@pytest.mark.parametrize(("scores", "codes"), [("* 8 ** 0.5", ["scores-scaled-up"]), ("/ 8 ** 0.5", []), ("* 3", [])])
def test_the_length_of_what_one_layer_gives(tmp_path: Path, scores: str, codes: list[str]) -> None:
    body = f"words = self.table(x)\nreturn ops.softmax(words @ self.key(words).swapaxes(-1, -2) {scores}, -1) @ words"
    script = _SCRIPT.replace(
        "        self.product", "        self.table = nn.Embedding(50, 8)\n        self.product", 1
    )
    made = scripts(tmp_path, script.format(body=indent(body, " " * 8)))
    assert [one.code for one in examine(made)] == codes


_CROSS = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import mint, nn, ops

class Attention(nn.Cell):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8)

    def split(self, x):
        return x.view(x.shape[0], -1, 2, 4).swapaxes(1, 2)

    def construct(self, q, k, v):
        q, k, v = self.split(self.query(q)), self.split(self.key(k)), self.split(self.value(v))
        weights = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) / 2, -1)
        return ops.matmul(weights, v).swapaxes(1, 2).reshape(q.shape[0], -1, 8)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.read, self.said, self.attend = nn.Embedding(50, 8), nn.Embedding(50, 8), Attention()
        self.key, self.value, self.norm = nn.Dense(8, 8), nn.Dense(8, 8), nn.LayerNorm((8,))

    def construct(self, text, answer):
        memory, x = self.read(text), self.said(answer)
{body}

net = Net()
opt = nn.Adam(net.trainable_params())
data = ds.MindDataset("train.mindrecord", ["text", "answer", "label"], shuffle=True).batch(8)
grad = ms.value_and_grad(lambda t, a, y: ops.mse_loss(net(t, a), y), None, opt.parameters)
for text, answer, label in data.create_tuple_iterator():
    loss, grads = grad(text, answer, label)
    opt(grads)
"""


@pytest.mark.parametrize(
    ("body", "found"),
    {
        "return self.attend(x, memory, memory)": False,
        "return self.attend(x, x, x)": False,
        "return self.attend(x, memory, x)": True,
        "return self.attend(x, x, memory)": True,
        "return self.attend(x + memory.mean(1, True), x, x)": False,
        "return self.attend(x, x, ops.relu(self.value(x)))": False,  # values that are made of the keys
        "y = self.norm(x)\nreturn mint.matmul(ops.softmax(y @ self.key(memory).swapaxes(1, 2), -1), self.value(memory))": False,
        "s = self.key(x) @ self.value(x).swapaxes(1, 2)\nreturn mint.matmul(ops.softmax(s, -1), self.key(memory))": True,
    }.items(),
)
def test_keys_and_values_of_different_sequences(tmp_path: Path, body: str, found: bool) -> None:
    made = scripts(tmp_path, _CROSS.format(body=indent(body, " " * 8)))
    assert [one.code for one in examine(made)] == ["keys-of-another"] * found
