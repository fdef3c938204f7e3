"""One small training in MindSpore and in PyTorch: equal weights and batches, faults in PyTorch's alone. Writes a line of JSON a step.

An MLP, and a CNN with BatchNorm; SGD, momentum and Adam. Each training in a log of its own, all of a framework in one process.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

COMMON = """
import json, sys
import numpy as np

folder, steps, names = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
SHAPES = {"mlp": (16,), "cnn": (1, 8, 8)}
RATES = {"sgd": 0.05, "momentum": 0.02, "adam": 0.001}

def data(kind):
    random = np.random.default_rng(3)
    centres = random.normal(size=(4, *SHAPES[kind]))
    labels = random.integers(0, 4, (steps + 1, 32))
    x = centres[labels] + 1.3 * random.normal(size=(steps + 1, 32, *SHAPES[kind]))
    return x.astype(np.float32), labels.astype(np.int32)

def weights(kind):
    random = np.random.default_rng(4)
    sizes = [(64, 16), (64,), (4, 64), (4,)] if kind == "mlp" else [(8, 1, 3, 3), (4, 512), (4,)]
    return [(random.uniform(-1, 1, size) / np.sqrt(max(1, np.prod(size[1:])))).astype(np.float32) for size in sizes]

def log(name, losses, evaluated):
    with open(f"{folder}/{name.replace(':', '-')}.jsonl", "w") as file:
        for step, loss in enumerate(losses, 1):
            file.write(json.dumps({"step": step, "loss": loss}) + "\\n")
            if step in evaluated:
                file.write(json.dumps({"step": step, "val_loss": evaluated[step]}) + "\\n")
"""
HERE = """
import mindspore as ms
from mindspore import Tensor, nn, ops

ms.set_context(pynative_synchronize=True)  # many small steps on few cores

ms.set_device("CPU")

class Network(nn.Cell):
    def __init__(self, kind):
        super().__init__()
        self.is_cnn = kind == "cnn"
        held = [Tensor(array) for array in weights(kind)]
        if self.is_cnn:
            self.conv = nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1, weight_init=held[0])
            self.norm = nn.BatchNorm2d(8)
        else:
            self.dense = nn.Dense(16, 64, weight_init=held[0], bias_init=held[1])
        self.head = nn.Dense(512 if self.is_cnn else 64, 4, weight_init=held[-2], bias_init=held[-1])

    def construct(self, x):
        if self.is_cnn:
            return self.head(ops.relu(self.norm(self.conv(x))).reshape(x.shape[0], -1))
        return self.head(ops.relu(self.dense(x)))

def train(name):
    kind, optimizer = name.split("-")
    x, y = data(kind)
    network, criterion = Network(kind), nn.CrossEntropyLoss()
    parameters = network.trainable_params()
    update = {
        "sgd": lambda: nn.SGD(parameters, RATES["sgd"]),
        "momentum": lambda: nn.Momentum(parameters, RATES["momentum"], 0.9),
        "adam": lambda: nn.Adam(parameters, RATES["adam"]),
    }[optimizer]()
    forward = lambda images, labels: criterion(network(images), labels)
    gradient = ms.value_and_grad(forward, None, update.parameters)
    losses, evaluated = [], {}
    for at in range(steps):
        network.set_train(True)
        loss, gradients = gradient(Tensor(x[at]), Tensor(y[at]))
        update(gradients)
        losses.append(float(loss.asnumpy()))
        if (at + 1) % 5 == 0:
            network.set_train(False)
            evaluated[at + 1] = float(forward(Tensor(x[-1]), Tensor(y[-1])).asnumpy())
    log(name, losses, evaluated)

for name in names:
    train(name)
"""
THERE = """
import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)

class Network(nn.Module):
    def __init__(self, kind, fault):
        super().__init__()
        self.is_cnn = kind == "cnn"
        if self.is_cnn:
            self.conv = nn.Conv2d(1, 8, 3, padding=1, bias=False)
            self.norm = nn.BatchNorm2d(8, momentum=0.9 if fault == "batchnorm" else 0.1)
        else:
            self.dense = nn.Linear(16, 64)
        self.head = nn.Linear(512 if self.is_cnn else 64, 4, bias=fault != "bias")
        held = [torch.from_numpy(array) for array in weights(kind)]
        with torch.no_grad():
            if self.is_cnn:
                self.conv.weight.copy_(held[0])
            else:
                self.dense.weight.copy_(held[0])
                self.dense.bias.copy_(held[1])
            self.head.weight.copy_(held[-2])
            if self.head.bias is not None:
                self.head.bias.copy_(held[-1])

    def forward(self, x):
        if self.is_cnn:
            return self.head(F.relu(self.norm(self.conv(x))).flatten(1))
        return self.head(F.relu(self.dense(x)))

def train(name):
    base, _, fault = name.partition(":")
    kind, optimizer = base.split("-")
    x, y = (torch.from_numpy(array) for array in data(kind))
    network, rate = Network(kind, fault), RATES[optimizer] * {"rate": 2, "faster": 20}.get(fault, 1)
    if optimizer == "adam":
        update = torch.optim.Adam(network.parameters(), rate, eps=1e-4 if fault == "eps" else 1e-8)
    else:
        momentum = 0.9 if optimizer == "momentum" and fault != "plain" else 0.0
        update = torch.optim.SGD(network.parameters(), rate, momentum=momentum)
    losses, evaluated = [], {}
    for at in range(steps):
        if fault == "schedule" and at == 20:
            update.param_groups[0]["lr"] /= 4
        batch = at + 1 if fault == "batches" and at >= 10 else at
        network.train()
        loss = F.cross_entropy(network(x[batch]), y[batch].long())
        update.zero_grad()
        loss.backward()
        if fault == "frozen":
            network.head.weight.grad.zero_()
        update.step()
        losses.append(float(loss))
        if (at + 1) % 5 == 0:
            network.eval()
            evaluated[at + 1] = float(F.cross_entropy(network(x[-1]), y[-1].long()))
    log(name, losses, evaluated)

for name in names:
    train(name)
"""


def train(folder: Path, script: str, names: list[str], steps: int = 32) -> None:
    """`names` are network-optimizer, with ":fault" in PyTorch; the logs are named so in `folder`."""
    file = folder / "training.py"
    file.write_text(COMMON + script)
    process = subprocess.run(
        [sys.executable, str(file), str(folder), str(steps), json.dumps(names)],
        env={**os.environ, "GLOG_v": "3"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert process.returncode == 0, process.stderr
