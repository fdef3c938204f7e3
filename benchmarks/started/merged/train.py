"""Options of argparse, whose defaults a YAML file replaces before the command does."""

import argparse

import mindspore as ms
import yaml
from mindspore import nn
from parts import Net, images, train


def parse():
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("-c", "--config", default="")
    parser = argparse.ArgumentParser(parents=[first])
    parser.add_argument("--data_dir", default="images")
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--shuffle", type=lambda text: text.lower() == "true", default=True)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--amp_level", default="O0")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--mean", type=float, nargs=3, default=[123.675, 116.28, 103.53])
    parser.add_argument("--std", type=float, nargs=3, default=[58.395, 57.12, 57.375])
    known, rest = first.parse_known_args()
    if known.config:
        with open(known.config) as stream:
            parser.set_defaults(**yaml.safe_load(stream))
            parser.set_defaults(config=known.config)
    return parser.parse_args(rest)


def main():
    args = parse()
    if args.seed is not None:
        ms.set_seed(args.seed)
    data = images(args.data_dir, args.batch_size, args.shuffle, args.mean, args.std)
    network = Net()
    optimizer = nn.Momentum(network.trainable_params(), args.lr, 0.9)
    train(network, data, optimizer, args.amp_level, args.epochs)


if __name__ == "__main__":
    main()
