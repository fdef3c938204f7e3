"""mindspore.train.Model with a schedule that is computed for all of its steps; a YAML file becomes the attributes of a namespace."""

import argparse
import math
from types import SimpleNamespace

import mindspore as ms
import yaml
from mindspore import nn
from mindspore.train import LossMonitor, Model
from parts import Net, images


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="run.yaml")
    given, rest = parser.parse_known_args()
    with open(given.config) as stream:
        config = yaml.safe_load(stream)
    for name, default in config.items():
        kind = type(default)
        if kind is list:
            parser.add_argument(f"--{name}", type=float, nargs=len(default), default=default)
        elif kind is bool:
            parser.add_argument(f"--{name}", type=lambda text: text.lower() == "true", default=default)
        else:
            parser.add_argument(f"--{name}", type=str if default is None else kind, default=default)
    return SimpleNamespace(**vars(parser.parse_args(rest)))


def schedule(rate, warmup, epochs, steps):
    rates = []
    for step in range(epochs * steps):
        if step < warmup * steps:
            rates.append(rate * (step + 1) / (warmup * steps))
        else:
            done = (step - warmup * steps) / ((epochs - warmup) * steps)
            rates.append(rate * (1 + math.cos(math.pi * done)) / 2)
    return ms.Tensor(rates, ms.float32)


def main():
    args = parse()
    if args.seed is not None:
        ms.set_seed(args.seed)
    data = images(args.data_dir, args.batch_size, args.shuffle, args.mean, args.std)
    network = Net()
    rates = schedule(args.lr, args.warmup, args.epochs, data.get_dataset_size())
    optimizer = nn.Momentum(network.trainable_params(), rates, 0.9)
    model = Model(network, nn.CrossEntropyLoss(), optimizer, amp_level=args.amp_level)
    model.train(args.epochs, data, callbacks=[LossMonitor()], dataset_sink_mode=False)


if __name__ == "__main__":
    main()
