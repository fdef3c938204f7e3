"""The run configuration of a suite: a runner with its own data set, network described as a list of layers, optimizer and schedule."""

import argparse

import mindspore as ms
import yaml
from easydict import EasyDict
from mindspore import nn
from parts import images, train


class Described(nn.Cell):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.CellList([eval(name)(*given) for name, given in layers])

    def construct(self, x):
        for i in range(len(self.layers)):
            x = self.layers[i](x)
        return x


class Runner:
    def __init__(self, config):
        self.config = config
        if config.seed is not None:
            ms.set_seed(config.seed)

    def train(self):
        given = self.config.train_dataset
        data = images(given.folder, self.config.runner_config.batch_size, given.shuffle, given.mean, given.std)
        network = Described(self.config.model.layers)
        optimizer = nn.Momentum(network.trainable_params(), **self.config.optimizer)
        train(network, data, optimizer, self.config.runner_config.amp_level, self.config.runner_config.epochs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="run.yaml")
    with open(parser.parse_args().config) as stream:
        Runner(EasyDict(yaml.safe_load(stream))).train()
