"""Schedules whose length is counted in epochs while each update moves them: the ways in which steps and loops are written."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from accucheck.script.schedules import miscounted
from accucheck.script.settings import of_scripts
from case_scripts import scripts

_HEAD = """
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.experimental import optim

data = ds.MnistDataset("data/train").batch(32)
net = nn.Dense(784, 10)
loss_fn = nn.MSELoss()
epochs = {epochs}
"""
_CELL = """
rate = {rate}
cell = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), nn.Adam(net.trainable_params(), learning_rate=rate))
cell.set_train()
for epoch in range(epochs):
    {inner}
"""
_FUNCTION = """
opt = nn.Momentum(net.trainable_params(), {rate}, 0.9)
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)

def step(x, y):
    loss, grads = grad(x, y)
    opt(grads)
    return loss

def epoch_of(batches):
    for x, y in batches:
        step(x, y)

for epoch in range(epochs):
    epoch_of(data.create_tuple_iterator())
"""
_MODEL = "\nms.Model(net, loss_fn, nn.SGD(net.trainable_params(), {rate})).train({times}, data)\n"
_FILLED = """
def falling(top, turns):
    held = []
    for turn in range(turns):
        if turn < 2:
            held.append(top * (turn + 1) / 2)
        else:
            held.append(top * (1 - turn / turns))
    return held
"""
_STEPPED = """
opt = optim.SGD(net.trainable_params(), lr=0.1)
schedule = optim.lr_scheduler.{schedule}
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
for epoch in range(epochs):
    for x, y in data.create_tuple_iterator():
        loss, grads = grad(x, y)
        opt(grads)
{deeper}    schedule.step()
"""
_BATCHES = "for x, y in data.create_tuple_iterator(): cell(x, y)"
_COSINE = "nn.CosineDecayLR(1e-5, 0.1, {length})"

#: How a training is written -> whether its schedule ends after as many updates as there are epochs.
WAYS: dict[str, tuple[str, bool]] = {
    "a training cell": (_CELL.format(rate=_COSINE.format(length="epochs"), inner=_BATCHES), True),
    "a training cell, once an epoch": (
        _CELL.format(rate=_COSINE.format(length="epochs"), inner="cell(*next(iter(data)))"),
        False,
    ),
    "a training cell, and a length in updates": (
        _CELL.format(rate=_COSINE.format(length="epochs * data.get_dataset_size()"), inner=_BATCHES),
        False,
    ),
    "a rate that halves every so many updates": (
        _CELL.format(rate="nn.ExponentialDecayLR(0.1, 0.5, epochs)", inner=_BATCHES),
        False,
    ),
    "functions": (_FUNCTION.format(rate=_COSINE.format(length="epochs")), True),
    "functions, and another setting of the same value": (_FUNCTION.format(rate=_COSINE.format(length="30")), False),
    "a Model": (_MODEL.format(rate=_COSINE.format(length="epochs"), times="epochs"), True),
    "a Model that trains once for each": (_MODEL.format(rate=_COSINE.format(length="epochs"), times="1"), False),
    "a list of the framework": (
        _MODEL.format(rate="nn.cosine_decay_lr(0.0, 0.1, epochs, 1, epochs)", times="epochs"),
        True,
    ),
    "a comprehension": (_MODEL.format(rate="[0.1 * 0.9 ** epoch for epoch in range(epochs)]", times="epochs"), True),
    "a comprehension over all updates": (
        _MODEL.format(
            rate="[0.1 * 0.9 ** (one // data.get_dataset_size()) for one in range(epochs * data.get_dataset_size())]",
            times="epochs",
        ),
        False,
    ),
    "a comprehension over the updates of each epoch": (
        _MODEL.format(
            rate="[0.1 * 0.9 ** epoch for epoch in range(epochs) for _ in range(data.get_dataset_size())]",
            times="epochs",
        ),
        False,
    ),
    "an array": (_MODEL.format(rate="(np.linspace(1, 0, epochs) * 0.1).tolist()", times="epochs"), True),
    "an array for all updates": (
        _MODEL.format(rate="np.linspace(0.1, 0, data.get_dataset_size() * epochs).tolist()", times="epochs"),
        False,
    ),
    "a list that a function fills": (_FILLED + _FUNCTION.format(rate="falling(0.1, epochs)"), True),
    "a list that a function fills for all updates": (
        _FILLED + _FUNCTION.format(rate="falling(0.1, epochs * data.get_dataset_size())"),
        False,
    ),
    "a scheduler that each update moves": (
        _STEPPED.format(schedule="LinearLR(opt, 1.0, 0.1, epochs)", deeper="    "),
        True,
    ),
    "a wave that each update moves": (_STEPPED.format(schedule="CosineAnnealingLR(opt, epochs)", deeper="    "), True),
    "a scheduler that each epoch moves": (
        _STEPPED.format(schedule="LinearLR(opt, 1.0, 0.1, epochs)", deeper=""),
        False,
    ),
}


@pytest.mark.parametrize("epochs", ["30", "parse_options().epochs"])
@pytest.mark.parametrize("way", WAYS)
def test_a_schedule_is_counted_in_what_moves_it(tmp_path: Path, way: str, epochs: str) -> None:
    text, wrong = WAYS[way]
    (settings,) = of_scripts(scripts(tmp_path, textwrap.dedent(_HEAD.format(epochs=epochs) + text)), None)
    assert [told.likely for told in miscounted(settings)] == [True] * wrong


def test_an_update_under_a_condition_is_only_suspect(tmp_path: Path) -> None:
    text = _FUNCTION.format(rate=_COSINE.format(length="epochs")).replace(
        "    opt(grads)", "    if ready(x): opt(grads)"
    )
    (settings,) = of_scripts(scripts(tmp_path, _HEAD.format(epochs=30) + text), None)
    assert [told.likely for told in miscounted(settings)] == [False]
