"""Prints the loss and the accuracy of checkpoints/digits.ckpt on the validation data."""

import argparse

import mindspore as ms
from mindspore import nn

from dataset import create_dataset
from network import DigitNet


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", default="checkpoints/digits.ckpt")
    args = parser.parse_args()

    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_device("CPU")
    network = DigitNet()
    ms.load_checkpoint(args.checkpoint, network, strict_load=True)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(network, loss, metrics={"loss": nn.Loss(), "accuracy": nn.Accuracy()})
    metrics = model.eval(create_dataset("data/val", 32, training=False), dataset_sink_mode=False)
    print(f"loss {metrics['loss']:.4f}, accuracy {metrics['accuracy']:.4f}")


if __name__ == "__main__":
    main()
