"""Networks, data and optimizers that enter themselves in registries, built from a file that names them; -o changes keys of it."""

import argparse

import mindspore as ms
import yaml
from addict import Dict
from builders import build
from parts import train


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("-c", "--config", required=True)
    parser.add_argument("-o", "--opt", nargs="+")
    return parser.parse_args()


def load(args):
    with open(args.config) as stream:
        config = yaml.safe_load(stream)
    for option in args.opt or []:
        key, value = option.split("=")
        part, _, last = key.rpartition(".")
        held = config[part] if part else config
        held[last] = yaml.safe_load(value)
    return Dict(config)


def main():
    config = load(parse())
    if config.seed is not None:
        ms.set_seed(config.seed)
    network = build("network", config.network)
    data = build("data", config.data)
    optimizer = build("optimizer", config.optimizer, params=network.trainable_params())
    train(network, data, optimizer, config.amp_level, config.epochs)


if __name__ == "__main__":
    main()
