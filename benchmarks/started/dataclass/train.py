"""A configuration of nested dataclasses, filled from a YAML file; the command changes keys with dots."""

import sys
from dataclasses import dataclass, field

import mindspore as ms
import yaml
from mindspore import nn
from parts import Net, images, train


@dataclass
class Data:
    folder: str = "images"
    batch_size: int = 64
    shuffle: bool = True
    mean: list[float] = field(default_factory=lambda: [123.675, 116.28, 103.53])
    std: list[float] = field(default_factory=lambda: [58.395, 57.12, 57.375])


@dataclass
class Optim:
    lr: float = 0.05
    epochs: int = 90
    amp_level: str = "O0"


@dataclass
class Config:
    seed: int | None = 1
    data: Data = field(default_factory=Data)
    optim: Optim = field(default_factory=Optim)


def load(path):
    with open(path) as stream:
        given = yaml.safe_load(stream)
    return Config(seed=given["seed"], data=Data(**given["data"]), optim=Optim(**given["optim"]))


def main():
    config = load(sys.argv[1])
    if config.seed is not None:
        ms.set_seed(config.seed)
    data = images(config.data.folder, config.data.batch_size, config.data.shuffle, config.data.mean, config.data.std)
    network = Net()
    optimizer = nn.Momentum(network.trainable_params(), config.optim.lr, 0.9)
    train(network, data, optimizer, config.optim.amp_level, config.optim.epochs)


if __name__ == "__main__":
    main()
