"""Trains on the digits, with all that is random fixed."""

import random

import numpy as np
import torch
from collect import Collector
from data import load
from network import Net
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCH_SIZE = 32
EPOCHS = 1
LEARNING_RATE = 0.05


def tensors(part):
    x, y = (torch.from_numpy(array) for array in load(part))
    return x, y if y.is_floating_point() else y.long()


def main():
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True)
    net = Net()
    net.load_state_dict(torch.load("init.pth", weights_only=True))
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=LEARNING_RATE)
    loader = DataLoader(
        TensorDataset(*tensors("train")), batch_size=BATCH_SIZE, shuffle=False, num_workers=0, drop_last=True
    )
    held_out, expected = tensors("eval")
    collector = Collector(net)
    net.train()
    for _ in range(EPOCHS):
        for x, y in loader:
            collector.batch(x, y)
            optimizer.zero_grad()
            loss = loss_fn(net(x), y)
            loss.backward()
            collector.step(loss.item(), optimizer)
            optimizer.step()
            collector.updated()
            if collector.steps % 3 == 1:
                net.eval()
                with torch.no_grad():
                    collector.evaluation(val_loss=loss_fn(net(held_out), expected).item())
                net.train()
    collector.close()

    net.eval()
    with torch.no_grad():
        output = net(held_out)
        collector.outputs(output, loss=loss_fn(output, expected).item())


if __name__ == "__main__":
    main()
