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


@pytest.mark.parametrize(
    "compare", ["((one - {noise}) ** 2).mean()", "nn.MSELoss()(one, {noise})", "ops.l1_loss(one, {noise})"]
)
@pytest.mark.parametrize(
    ("noise", "found"),
    [
        ("ops.randn_like(x)", ["target-random"]),
        ("ops.StandardNormal()(x.shape).astype(ms.float32)", ["target-random"]),
        ("start", []),
        ("shown", []),
        ("ops.randn(8, 30).expand_dims(1)", []),  # samples of a prior
    ],
)
def test_random_numbers_that_the_network_never_sees(tmp_path: Path, compare: str, noise: str, found: list[str]) -> None:
    loop = _LOOP.replace("one, two = net(x)", "shown = ops.randn_like(x)\n    one, two = net(x + shown)")
    assert codes(tmp_path, _NET.format(other="hidden") + loop.format(loss=compare.format(noise=noise))) == found


@pytest.mark.parametrize(
    ("student", "teacher", "found"),
    [
        ("one / 4", "start", ["temperature-missing"]),
        ("one * 0.25", "ops.stop_gradient(start)", ["temperature-missing"]),
        ("one / 4", "start / 4", []),
        ("one", "start", []),
        ("one / 0.1", "start / 0.04", []),  # sharper on purpose
    ],
)
@pytest.mark.parametrize("style", ["ops", "nn", "mint"])
def test_a_temperature_for_the_student_alone(
    tmp_path: Path, student: str, teacher: str, found: list[str], style: str
) -> None:
    loss = {
        "ops": "ops.kl_div(ops.log_softmax({}, -1), ops.softmax({}, -1))",
        "nn": "nn.KLDivLoss()(nn.LogSoftmax(-1)({}), nn.Softmax(-1)({}))",
        "mint": "ops.kl_div(mint.nn.functional.log_softmax({}, -1), mint.nn.functional.softmax({}, -1))",
    }[style]
    assert codes(tmp_path, _NET.format(other="hidden") + _LOOP.format(loss=loss.format(student, teacher))) == found


@pytest.mark.parametrize(
    ("loss", "found"),
    [
        ("-(p ** 2 * ops.log(p + 1e-6)).mean()", ["focus-turned"]),
        ("-(start * ops.pow(p, 1.5) * p.clip(1e-6, 1).log()).sum()", ["focus-turned"]),
        ("-((1 - p) ** 2 * ops.log(p + 1e-6)).mean()", []),
        ("-(start * (1 - p) ** 2 * ops.log(p) + (1 - start) * p ** 2 * ops.log(1 - p)).mean()", []),
        ("-(p * ops.log(p)).mean()", []),  # an entropy
        ("-(ops.stop_gradient(p) ** 2 * ops.log(p)).mean()", []),
    ],
)
def test_a_focus_on_what_is_right_already(tmp_path: Path, loss: str, found: list[str]) -> None:
    loop = _LOOP.replace("one, two = net(x)", "one, two = net(x)\n    p = ops.sigmoid(one)")
    assert codes(tmp_path, _NET.format(other="hidden") + loop.format(loss=loss)) == found
