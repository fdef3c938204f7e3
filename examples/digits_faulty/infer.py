"""Prints, for each image in a folder of CSV files, the digit that checkpoints/digits.ckpt sees beside the one it is."""

import argparse

import mindspore as ms

from dataset import create_dataset
from network import DigitNet


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="data/val")
    parser.add_argument("--checkpoint", default="checkpoints/digits.ckpt")
    args = parser.parse_args()

    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_device("CPU")
    network = DigitNet()
    ms.load_checkpoint(args.checkpoint, network, strict_load=True)
    model = ms.Model(network)
    for batch in create_dataset(args.data, 32, training=False).create_dict_iterator():
        seen = model.predict(batch["image"]).asnumpy().argmax(axis=1)
        for digit, label in zip(seen, batch["label"].asnumpy()):
            print(f"{digit} (is {label})")


if __name__ == "__main__":
    main()
