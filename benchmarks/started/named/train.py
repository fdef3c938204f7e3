"""Classes that a file names, taken from their modules by getattr; an object of a class gives keys as attributes."""

import argparse
import json

import mindspore as ms
import parts
from mindspore import nn


class Settings:
    def __init__(self, given):
        for key, value in given.items():
            setattr(self, key, Settings(value) if isinstance(value, dict) else value)


def load(path):
    with open(path) as stream:
        return Settings(json.load(stream))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("config")
    settings = load(parser.parse_args().config)
    if settings.seed is not None:
        ms.set_seed(settings.seed)
    data = settings.data
    loader = getattr(parts, data.loader)(data.folder, data.batch_size, data.shuffle, data.mean, data.std)
    network = getattr(parts, settings.network)()
    optimizer = getattr(nn, settings.optimizer.name)(network.trainable_params(), **vars(settings.optimizer.arguments))
    parts.train(network, loader, optimizer, settings.amp_level, settings.epochs)


if __name__ == "__main__":
    main()
