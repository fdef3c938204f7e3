import argparse

import mindspore as ms
from mindspore import nn
from mindspore.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint
from src.dataset import create_dataset
from src.lenet import LeNet


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="data/digits.npz")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.01)
    args = parser.parse_args()

    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    dataset = create_dataset(args.data, "train", args.batch_size, train=True)
    net = LeNet()
    loss = nn.CrossEntropyLoss()
    opt = nn.Momentum(net.trainable_params(), learning_rate=args.lr, momentum=0.9)
    model = Model(net, loss, opt)
    steps = dataset.get_dataset_size()
    config = CheckpointConfig(save_checkpoint_steps=steps, keep_checkpoint_max=1)
    saver = ModelCheckpoint(prefix="lenet", directory="ckpt", config=config)
    model.train(args.epochs, dataset, callbacks=[LossMonitor(steps), saver], dataset_sink_mode=False)


if __name__ == "__main__":
    main()
