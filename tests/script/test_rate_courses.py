"""The course of learning rates over a training: over after a few updates, rising to the end, falling with each update."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from accucheck.script.rate_courses import examine
from accucheck.script.settings import of_scripts
from case_scripts import scripts

_HEAD = """
import math
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import mint, nn, ops
from mindspore.experimental import optim
from mindspore.nn.learning_rate_schedule import LearningRateSchedule

data = ds.MnistDataset("data/train").batch(32)
net, loss_fn = nn.Dense(784, 10), nn.MSELoss()
epochs = 40
steps = data.get_dataset_size()
"""
_MODEL = "ms.Model(net, loss_fn, nn.Momentum(net.trainable_params(), {rate}, 0.9)).train(epochs, data)\n"
_LOOP = """
opt = {optimizer}(net.trainable_params(), {rate})
{schedule}
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
rate = 0.1
for epoch in range(epochs):
    for place, (x, y) in enumerate(data.create_tuple_iterator()):
        loss, grads = grad(x, y)
        opt(grads)
        {inner}
    {outer}
"""
_FILLED = """
def filled(rate, total, steps):
    rates = []
    for i in range(total * steps):
        rates.append(rate * 0.9 ** {power})
    return rates
"""
_GROWN = """
def grown(rate):
    rates = []
    for i in range(4000):
        rates.append(rate {by})
    return np.array(rates)
"""
_ROOT = """
class Root(LearningRateSchedule):
    def __init__(self, width, ramp):
        super().__init__()
        self.amp, self.slope = ms.Tensor(width**-0.5, ms.float32), ms.Tensor(ramp**-1.5, ms.float32)

    def construct(self, global_step):
        t = ops.cast(global_step, ms.float32) + 1.0
        return self.amp * {joined}

"""
_WARM = """
def warmed(rate, warm, total, steps):
    rates = []
    for i in range(total * steps):
        if i < warm * steps:
            rates.append(rate * (i + 1) / (warm * steps))
        else:
            rates.append(rate * (1 + math.cos(math.pi * (i - warm * steps) / ((total - warm) * steps + 1))) / 2)
    return rates
"""
_WAVE = """
def waved(rate, total, period, steps):
    rates = []
    for i in range(total * steps):
        rates.append(0.0001 + rate * (1 + math.cos(math.pi * (i // steps) / period)) / 2)
    return rates
"""
_OWN = """
class Linear(LearningRateSchedule):
    def __init__(self, rate, total, steps):
        super().__init__()
        self.rate, self.total, self.steps = rate, total, steps

    def construct(self, step):
        done = {done}
        return self.rate * (1 - max(0, done - self.total // 2) / (self.total - self.total // 2))
"""
_ASSIGN = "rate {by}\n        ops.assign(opt.learning_rate, ms.Tensor(rate))"


def _loop(
    rate: str = "0.1", schedule: str = "pass", inner: str = "pass", outer: str = "pass", optimizer: str = "nn.SGD"
) -> str:
    return _LOOP.format(rate=rate, schedule=schedule, inner=inner, outer=outer, optimizer=optimizer)


def _moved(schedule: str, inner: bool) -> str:
    made = f"schedule = optim.lr_scheduler.{schedule}"
    return _loop(schedule=made, optimizer="optim.SGD", **{"inner" if inner else "outer": "schedule.step()"})


_COSINE_LIST = "nn.cosine_decay_lr(0.0001, 0.1, steps * epochs, {steps}, epochs)"
#: How a training is written -> what is told of its rates, and whether it counts as sure.
WAYS: dict[str, tuple[str, list[tuple[str, bool]]]] = {
    "a list whose epochs have one step": (_MODEL.format(rate=_COSINE_LIST.format(steps="1")), [("rate-over", True)]),
    "a list of the framework": (_MODEL.format(rate=_COSINE_LIST.format(steps="steps")), []),
    "a power of the update": (
        _FILLED.format(power="i") + _loop("filled(0.1, epochs, steps)"),
        [("rate-over", True)],
    ),
    "a power of the epoch": (_FILLED.format(power="(i // steps)") + _loop("filled(0.1, epochs, steps)"), []),
    "a warm-up as long as the training": (
        _WARM + _MODEL.format(rate="warmed(0.1, 40, 40, steps)"),
        [("rate-rises", True)],
    ),
    "a warm-up of some epochs": (_WARM + _MODEL.format(rate="warmed(0.1, 4, 40, steps)"), []),
    "a cosine of epochs that turns again": (
        _WAVE + _MODEL.format(rate="waved(0.1, 40, 20, steps)"),
        [("rate-returns", True)],
    ),
    "a cosine of epochs over the whole training": (_WAVE + _MODEL.format(rate="waved(0.1, 40, 40, steps)"), []),
    "restarts that end low": (_WAVE + _MODEL.format(rate="waved(0.1, 39, 13, steps)"), []),
    "a root that the warm-up never lets come down": (
        _ROOT.format(joined="ops.maximum(ops.rsqrt(t), t * self.slope)") + _loop("Root(512, 4000)"),
        [("rate-rises", True)],
    ),
    "a root behind a warm-up": (
        _ROOT.format(joined="ops.minimum(ops.rsqrt(t), t * self.slope)") + _loop("Root(512, 4000)"),
        [],
    ),
    "a rate that stays behind a warm-up": (
        _ROOT.format(joined="ops.clamp(t * self.slope, 0.0, 0.01)") + _loop("Root(512, 4000)"),
        [],
    ),
    "rates that grow": (_GROWN.format(by="* (1 + 0.01 * i)") + _loop("ms.Tensor(grown(0.1))"), [("rate-rises", True)]),
    "rates that shrink": (_GROWN.format(by="/ (1 + 0.01 * i)") + _loop("ms.Tensor(grown(0.1))"), []),
    "an own schedule that counts updates": (
        _OWN.format(done="step") + _loop("Linear(0.1, epochs, steps)"),
        [("schedule-by-epochs", True)],
    ),
    "an own schedule that counts epochs": (
        _OWN.format(done="step // self.steps") + _loop("Linear(0.1, epochs, steps)"),
        [],
    ),
    "a factor of the framework with each update": (
        _MODEL.format(rate="nn.ExponentialDecayLR(0.1, 0.9, 1, is_stair=True)"),
        [("rate-over", True)],
    ),
    "a factor of the framework with each epoch": (_MODEL.format(rate="nn.ExponentialDecayLR(0.1, 0.9, steps)"), []),
    "a factor of the framework every so many updates": (_MODEL.format(rate="nn.ExponentialDecayLR(0.1, 0.9, 100)"), []),
    "a factor with each update": (_moved("ExponentialLR(opt, 0.9)", inner=True), [("rate-fades", True)]),
    "a factor with each epoch": (_moved("ExponentialLR(opt, 0.9)", inner=False), []),
    "a small factor with each update": (_moved("ExponentialLR(opt, 0.9999)", inner=True), []),
    "steps of updates": (_moved("StepLR(opt, 10, 0.1)", inner=True), [("rate-fades", True)]),
    "steps of epochs": (_moved("StepLR(opt, 10, 0.1)", inner=False), []),
    "milestones of updates": (_moved("MultiStepLR(opt, [10, 20, 30])", inner=True), [("rate-fades", True)]),
    "milestones of epochs": (_moved("MultiStepLR(opt, [10, 20, 30])", inner=False), []),
    "divided by hand with each batch": (_loop(inner=_ASSIGN.format(by="/= 1.2")), [("rate-fades", True)]),
    "divided by hand every so many batches": (
        _loop(
            inner="if (place + 1) % 20 == 0:\n            " + _ASSIGN.format(by="= rate * 0.3").replace("\n", "\n    ")
        ),
        [("rate-fades", True)],
    ),
    "a smaller factor with each update": (_moved("ExponentialLR(opt, 0.98)", inner=True), [("rate-fades", False)]),
    "divided by hand every so many epochs": (
        _loop(outer="if (epoch + 1) % 20 == 0:\n        " + _ASSIGN.format(by="/= 3")),
        [],
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_course_of_rates_is_told(tmp_path: Path, way: str) -> None:
    text, expected = WAYS[way]
    (settings,) = of_scripts(scripts(tmp_path, textwrap.dedent(_HEAD) + text), None)
    assert [(told.code, told.likely) for told in examine(settings)] == expected
