"""Trains DigitNet: writes checkpoints/init.ckpt before and checkpoints/digits.ckpt after, logs/train.log and logs/eval.csv."""

import argparse
from pathlib import Path

import mindspore as ms
from mindspore import nn

from dataset import create_dataset
from network import DigitNet


class Log(ms.Callback):
    """One line a step into logs/train.log, one row an epoch into logs/eval.csv."""

    def __init__(self, folder):
        folder.mkdir(exist_ok=True)
        self.train = (folder / "train.log").open("w")
        self.eval = (folder / "eval.csv").open("w")
        self.eval.write("epoch,loss,accuracy\n")

    def on_train_step_end(self, run_context):
        now = run_context.original_args()
        step = (now.cur_step_num - 1) % now.batch_num + 1
        line = f"epoch: {now.cur_epoch_num} step: {step}, loss is {float(now.net_outputs.asnumpy()):.6f}"
        print(line)
        self.train.write(line + "\n")

    def on_eval_end(self, run_context):
        now = run_context.original_args()
        self.eval.write(f"{now.cur_epoch_num},{now.metrics['loss']:.6f},{now.metrics['accuracy']:.6f}\n")

    def on_train_end(self, run_context):
        self.train.close()
        self.eval.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, default=0.05)
    args = parser.parse_args()

    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_device("CPU")
    train_set = create_dataset("data/train", args.batch_size, training=True)
    val_set = create_dataset("data/val", args.batch_size, training=False)

    network = DigitNet()
    Path("checkpoints").mkdir(exist_ok=True)
    ms.save_checkpoint(network, "checkpoints/init.ckpt")
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    steps = train_set.get_dataset_size()
    rates = nn.cosine_decay_lr(0.0, args.learning_rate, args.epochs * steps, steps, args.epochs)
    optimizer = nn.Momentum(network.trainable_params(), rates, momentum=0.9)
    model = ms.Model(network, loss, optimizer, metrics={"loss": nn.Loss(), "accuracy": nn.Accuracy()}, amp_level="O0")
    model.fit(args.epochs, train_set, val_set, callbacks=[Log(Path("logs"))], dataset_sink_mode=False)
    ms.save_checkpoint(network, "checkpoints/digits.ckpt")


if __name__ == "__main__":
    main()
