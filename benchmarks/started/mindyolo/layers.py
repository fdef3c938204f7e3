"""A network that is described line by line, and the modules that a line names."""

import math

from mindspore import nn


class ConvNormAct(nn.Cell):
    def __init__(self, inputs, outputs, kernel=1, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, pad_mode="same", has_bias=False)
        self.norm = nn.BatchNorm2d(outputs, momentum=0.97, eps=0.001)
        self.act = nn.SiLU()

    def construct(self, x):
        return self.act(self.norm(self.conv(x)))


class Classify(nn.Cell):
    def __init__(self, width, classes):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense = nn.Dense(width, classes)

    def construct(self, x):
        return self.dense(self.flatten(x))


def parse_model(described, channels):
    nc = described.nc  # noqa: F841 - arguments of the modules name it
    depth = described.depth_multiple
    layers = []
    for _, repeats, module, args in described.backbone + described.head:
        kind = eval(module) if isinstance(module, str) else module
        args = list(args)
        for place, given in enumerate(args):
            args[place] = eval(given) if isinstance(given, str) else given
        repeats = max(round(repeats * depth), 1) if repeats > 1 else repeats
        if kind is ConvNormAct:
            args = [channels, *args]
            channels = args[1]
        layers.append(nn.SequentialCell([kind(*args) for _ in range(repeats)]) if repeats > 1 else kind(*args))
    return nn.SequentialCell(layers)


class Model(nn.Cell):
    def __init__(self, described):
        super().__init__()
        self.model = parse_model(described, 3)

    def construct(self, x):
        return self.model(x)


def linear(first, last, epochs, steps):
    rates = []
    for step in range(epochs * steps):
        done = math.floor(step / steps) / max(epochs - 1, 1)
        rates.append(first * (1 - done) + first * last * done)
    return rates
