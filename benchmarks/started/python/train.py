"""A configuration in Python, which is run for its names, as suites that train by configuration files of their own kind do."""

import argparse
import runpy

import mindspore as ms
from mindspore import nn
from parts import Net, images, train


class Config:
    def __init__(self, values):
        for name, value in values.items():
            setattr(self, name, Config(value) if isinstance(value, dict) else value)

    @classmethod
    def fromfile(cls, path):
        values = runpy.run_path(path)
        return cls({name: value for name, value in values.items() if not name.startswith("_")})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("config")
    config = Config.fromfile(parser.parse_args().config)
    if config.seed is not None:
        ms.set_seed(config.seed)
    data = images(config.data.folder, config.data.batch_size, config.data.shuffle, config.data.mean, config.data.std)
    network = Net()
    optimizer = nn.Momentum(network.trainable_params(), config.optimizer.lr, config.optimizer.momentum)
    train(network, data, optimizer, config.runner.amp_level, config.runner.epochs)


if __name__ == "__main__":
    main()
