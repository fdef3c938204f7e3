"""Options alone, which a shell script with variables gives."""

import argparse

import mindspore as ms
from mindspore import nn
from parts import Net, images, train

parser = argparse.ArgumentParser()
parser.add_argument("--data", default="images")
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--no-shuffle", dest="shuffle", action="store_false")
parser.add_argument("--lr", type=float, default=0.05)
parser.add_argument("--epochs", type=int, default=90)
parser.add_argument("--amp", choices=["O0", "O2", "O3"], default="O0")
parser.add_argument("--seed", type=int)
parser.add_argument("--mean", type=float, nargs=3, default=[123.675, 116.28, 103.53])
parser.add_argument("--std", type=float, nargs=3, default=[58.395, 57.12, 57.375])
args = parser.parse_args()
if args.seed is not None:
    ms.set_seed(args.seed)
network = Net()
train(
    network,
    images(args.data, args.batch, args.shuffle, args.mean, args.std),
    nn.Momentum(network.trainable_params(), args.lr, 0.9),
    args.amp,
    args.epochs,
)
