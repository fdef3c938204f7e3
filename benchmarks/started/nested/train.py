"""A file that names a list of bases, merged into a dict with attributes, which then are the defaults of options."""

import argparse
import os
from copy import deepcopy

import mindspore as ms
import yaml
from mindspore import nn
from parts import Net, images, train


class Config(dict):
    def __init__(self, given):
        super().__init__()
        for key, value in given.items():
            setattr(self, key, Config(value) if isinstance(value, dict) else value)

    def __setattr__(self, name, value):
        self[name] = value
        self.__dict__.update({name: value})


def merge(over, base):
    merged = deepcopy(base)
    for key, value in over.items():
        if key in merged and isinstance(merged[key], dict) and isinstance(value, dict):
            merged[key] = merge(value, merged[key])
        else:
            merged[key] = value
    return merged


def load(path):
    with open(path) as stream:
        given = yaml.safe_load(stream)
    base = {}
    for name in given.pop("_base_", []):
        base = merge(load(os.path.join(os.path.dirname(path), name)), base)
    return merge(given, base)


def parse():
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("--config", required=True)
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--amp_level", default="O0")
    parser.add_argument("--seed", type=int, default=None)
    known, rest = first.parse_known_args()
    parser.set_defaults(**Config(load(known.config)))
    return Config(vars(parser.parse_args(rest)))


def main():
    args = parse()
    if args.seed is not None:
        ms.set_seed(args.seed)
    data = images(args.data.folder, args.data.batch_size, args.data.shuffle, args.data.mean, args.data.std)
    network = Net()
    optimizer = nn.Momentum(network.trainable_params(), args.optimizer.lr, 0.9)
    train(network, data, optimizer, args.amp_level, args.epochs)


if __name__ == "__main__":
    main()
