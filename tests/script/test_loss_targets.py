"""Outputs that no loss reads, labels that are smoothed away, and means that are divided again, as they are written in public code."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script.loss_targets import examine
from accucheck.script.losses import Losses
from case_scripts import scripts

_NET = """
import mindspore as ms
from mindspore import nn, ops, mint

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.first, self.last = nn.Dense(8, 16), nn.Dense(16, 30), mint.nn.Linear(16, 30)

    def construct(self, x):
        hidden = ops.relu(self.body(x))
        return self.first(hidden), {other}

net = Net()
"""
_LOOP = """
opt = nn.Adam(net.trainable_params())

def forward(x, start, end):
    one, two = net(x)
    return {loss}

step = ms.value_and_grad(forward, None, opt.parameters)
for x, start, end in data.create_tuple_iterator():
    loss, grads = step(x, start, end)
    opt(grads)
"""
_CELL = """
class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.each = net, nn.CrossEntropyLoss()

    def construct(self, x, start, end):
        one, two = self.net(x)
        return {loss}

train = nn.TrainOneStepCell(WithLoss(net), nn.Adam(net.trainable_params()))
for x, start, end in data.create_tuple_iterator():
    train(x, start, end)
"""


def codes(folder: Path, text: str) -> list[str]:
    (reading,) = scripts(folder, text).training
    return [one.code for one in examine(Losses(reading))]


@pytest.mark.parametrize("style", [_LOOP, _CELL])
@pytest.mark.parametrize(
    ("outputs", "labels", "other", "found"),
    [
        (("one", "one"), ("start", "end"), "self.last(hidden)", ["output-left"]),
        (("one", "two"), ("start", "end"), "self.last(hidden)", []),
        (("one", "one"), ("start", "start[::-1]"), "self.last(hidden)", []),  # mixed samples
        (("one", "one"), ("start", "end"), "hidden", []),
    ],
)
def test_one_output_for_the_labels_of_two(
    tmp_path: Path, style: str, outputs: tuple[str, str], labels: tuple[str, str], other: str, found: list[str]
) -> None:
    loss = "self.each({}, {})" if style is _CELL else "ops.cross_entropy({}, {})"
    both = " + ".join(loss.format(*pair) for pair in zip(outputs, labels, strict=True))
    assert codes(tmp_path, _NET.format(other=other) + style.format(loss=both)) == found


@pytest.mark.parametrize(("share", "found"), [(0.9, ["smoothed-away"]), (0.1, [])])
@pytest.mark.parametrize("style", ["model", "loop", "mint"])
def test_labels_that_are_smoothed_away(tmp_path: Path, share: float, found: list[str], style: str) -> None:
    loss = f"nn.CrossEntropyLoss(label_smoothing={share})"
    run = f"ms.Model(nn.Dense(8, 4), {loss}, nn.SGD(w)).train(3, data)\n"
    if style != "model":
        loss = (
            f"mint.nn.functional.cross_entropy(one, start, label_smoothing={share})"
            if style == "mint"
            else f"{loss}(one, start)"
        )
        run = _LOOP.format(loss=loss)
    assert codes(tmp_path, _NET.format(other="hidden") + run) == found


@pytest.mark.parametrize(
    ("loss", "found"),
    [
        ("ops.mse_loss(one, start) / start.shape[0]", ["mean-divided"]),
        ("nn.MSELoss()(one, start) / len(x)", ["mean-divided"]),
        ("ops.div(nn.MSELoss()(one, start), ops.shape(x)[0])", ["mean-divided"]),
        ("nn.MSELoss(reduction='sum')(one, start) / len(x)", []),
        ("ops.mse_loss(one, start) / start.shape[1]", []),
        ("ops.mse_loss(one, start) / 4", []),
        ("ops.mse_loss(one, start) / len(names)", []),
    ],
)
def test_a_mean_that_is_divided_again(tmp_path: Path, loss: str, found: list[str]) -> None:
    assert codes(tmp_path, _NET.format(other="hidden") + _LOOP.format(loss=loss)) == found
