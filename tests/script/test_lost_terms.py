"""Terms of a loss that are computed and left out, and numbers that are no terms."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from accucheck.script.losses import Losses
from accucheck.script.lost_terms import examine
from case_scripts import scripts

_SCRIPT = """
import mindspore as ms
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.mean, self.spread = nn.Dense(8, 4), nn.Dense(8, 4)

    def construct(self, x):
        return self.mean(x), self.spread(x)

net, each = Net(), nn.MSELoss()
opt = nn.Adam(net.trainable_params())
weight = 0.0
{body}
grad = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = grad(x, y)
    opt(grads)
"""
_FUNCTION = """
def loss_of(mean, spread, y):
{terms}

def forward(x, y):
    return loss_of(*net(x), y)
"""
_CELL = """
class Loss(nn.Cell):
    def construct(self, mean, spread, y):
{terms}

loss_of = Loss()
def forward(x, y):
    return loss_of(*net(x), y)
"""
_DIVERGENCE = "divergence = -0.5 * (1 + spread - mean ** 2 - spread.exp()).sum()\n"
#: What is computed and returned -> the term that is left out.
_TERMS = {
    _DIVERGENCE + "return each(mean, y)": "divergence",
    "error = each(mean, y)\nspread_error = each(spread, y)\nreturn error": "spread_error",
    _DIVERGENCE + "return each(mean, y) + divergence": None,
    _DIVERGENCE + "total = each(mean, y)\nif weight > 0:\n    total = total + weight * divergence\nreturn total": None,
    "right = (mean.argmax(1) == y).sum()\nreturn each(mean, y)": None,
    "size = y.sum()\nreturn each(mean, y)": None,
    "shown = ops.stop_gradient(mean).sum()\nreturn each(mean, y)": None,
    "_ = each(spread, y)\nreturn each(mean, y)": None,
    "loss = each(spread, y)\nloss = 0.1 * each(mean, y)\nreturn loss": "loss",
    "loss = each(spread, y)\nloss += 0.1 * each(mean, y)\nreturn loss": None,
    "loss = each(spread, y)\nprint(loss)\nloss = each(mean, y)\nreturn loss": None,
    "kept = mean.reshape(-1)\nreturn each(mean, y)": None,
    "size = spread ** 2\nsize = size.mean()\nreturn each(mean, y)": "size",
    "late = lambda: size\nsize = (spread ** 2).mean()\nreturn each(mean, y) + late()": None,
    "for _ in range(2):\n    size = spread ** 2\n    size = size.mean()\nreturn each(mean, y)": None,
}


_WITH_SCORES = """
def forward(x, y):
    mean, spread = net(x)
    loss = each(mean, y)
    loss {sign} 0.1 * (spread ** 2).mean()
    return loss, mean
"""


@pytest.mark.parametrize(("sign", "found"), [("=", ["loss"]), ("+=", [])])
def test_a_term_is_lost_beside_other_results(tmp_path: Path, sign: str, found: list[str]) -> None:
    text = _SCRIPT.format(body=_WITH_SCORES.format(sign=sign)).replace("parameters)", "parameters, has_aux=True)")
    (reading,) = scripts(tmp_path, text.replace("loss, grads", "(loss, _), grads")).training
    assert [one.data["name"] for one in examine(Losses(reading))] == found


@pytest.mark.parametrize(("body", "deep"), [(_FUNCTION, 4), (_CELL, 8)])
@pytest.mark.parametrize("terms", _TERMS)
def test_a_term_that_nothing_reads_is_told(tmp_path: Path, terms: str, body: str, deep: int) -> None:
    text = _SCRIPT.format(body=body.format(terms=indent(terms, " " * deep)))
    (reading,) = scripts(tmp_path, text).training
    found = [one.data["name"] for one in examine(Losses(reading))]
    assert found == [name for name in [_TERMS[terms]] if name is not None]


_WEIGHED = """
def forward(x, y, mask):
    mean, spread = net(x)
    {line}
    return {loss}
"""
#: What is computed and returned -> the argument that has no effect.
_ARGUMENTS = {
    ("weight = mask / mask.mean()", "each(mean, y)"): "mask",
    ("weight = mask / mask.mean()", "(weight * ops.square(mean - y)).mean()"): None,
    ("weight = mask / mask.mean()", "(mask * ops.square(mean - y)).mean()"): None,
    ("width = mask.shape[0]", "each(mean, y)"): None,
}


@pytest.mark.parametrize("written", _ARGUMENTS)
def test_an_argument_without_effect_is_told(tmp_path: Path, written: tuple[str, str]) -> None:
    line, loss = written
    text = _SCRIPT.format(body=_WEIGHED.format(line=line, loss=loss)).replace("x, y in data", "x, y, mask in data")
    (reading,) = scripts(tmp_path, text.replace("grad(x, y)", "grad(x, y, mask)")).training
    found = [one.data["argument"] for one in examine(Losses(reading)) if one.code == "argument-unused"]
    assert found == [name for name in [_ARGUMENTS[written]] if name is not None]
