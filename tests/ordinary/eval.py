import argparse
import glob
import os

import mindspore as ms
from mindspore import nn
from mindspore.train import Model
from src.dataset import create_dataset
from src.lenet import LeNet


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="data/digits.npz")
    parser.add_argument("--ckpt", default="")
    args = parser.parse_args()

    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    ckpt = args.ckpt or max(glob.glob("ckpt/*.ckpt"), key=os.path.getmtime)
    net = LeNet()
    ms.load_checkpoint(ckpt, net)
    dataset = create_dataset(args.data, "test", 32, train=False)
    model = Model(net, nn.CrossEntropyLoss(), metrics={"accuracy": nn.Accuracy()})
    print("accuracy:", model.eval(dataset, dataset_sink_mode=False)["accuracy"])


if __name__ == "__main__":
    main()
