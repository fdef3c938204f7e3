"""Trains on the digits, with all that is random fixed."""

import mindspore as ms
import mindspore.dataset as ds
from collect import Collector
from data import load
from mindspore import nn
from network import Net

BATCH_SIZE = 32
EPOCHS = 1
LEARNING_RATE = 0.05


def create_dataset(part):
    data = ds.NumpySlicesDataset(load(part), ["x", "y"], shuffle=False, num_parallel_workers=1)
    return data.batch(BATCH_SIZE, drop_remainder=True)


def main():
    ms.set_seed(1)
    ms.set_context(mode=ms.PYNATIVE_MODE, pynative_synchronize=True)
    net = Net()
    ms.load_param_into_net(net, ms.load_checkpoint("init.ckpt"), strict_load=True)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.SGD(net.trainable_params(), learning_rate=LEARNING_RATE)

    def forward(x, y):
        return loss_fn(net(x), y)

    step = ms.value_and_grad(forward, None, optimizer.parameters)
    held_out, expected = (ms.Tensor(part) for part in load("eval"))
    collector = Collector(net)
    net.set_train()
    for _ in range(EPOCHS):
        for x, y in create_dataset("train").create_tuple_iterator():
            collector.batch(x, y)
            loss, grads = step(x, y)
            optimizer(grads)
            collector.step(loss, grads, optimizer)
            if collector.steps % 3 == 1:
                net.set_train(False)
                collector.evaluation(val_loss=loss_fn(net(held_out), expected))
                net.set_train()
    collector.close()

    # Inference: the weights that the benchmark has trained, on the data held out.
    ms.load_param_into_net(net, ms.load_checkpoint("converted.ckpt"))
    net.set_train(False)
    output = net(held_out)
    collector.outputs(output, loss=float(loss_fn(output, expected)))


if __name__ == "__main__":
    main()
