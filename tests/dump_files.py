"""Dumps of real trainings as MindSpore writes them on a CPU in graph mode: two steps, some with NaN or Inf planted in the middle."""

import json
import os
import subprocess
import sys
from pathlib import Path

#: What is planted: the operation that makes the first NaN or Inf, None where there is none.
ORIGINS = {
    "clean": None,
    "masked": None,  # scores filled with -Inf before a softmax
    "unwritten": None,  # clean, in memory full of NaN: what operations leave unwritten shows
    "log": "Log",
    "exp": "Exp",
    "backward": "SqrtGrad",
    "rows": "Sub",  # a row masked everywhere, in a softmax of one's own
    "data": None,  # NaN in the data
    "scaled": None,  # gradients overflow by a loss scale, and the update is dropped
}

SCRIPT = """
import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

kind = sys.argv[1]
ms.set_seed(1)
ms.set_context(mode=ms.GRAPH_MODE)
if kind == "unwritten":
    held = [ops.full((size,), float("nan"), dtype=ms.float32) + Tensor(1.0) for size in (16, 256, 4096, 65536) for _ in range(40)]
    for one in held:
        one.asnumpy()
    del held, one

class Middle(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = Parameter(Tensor(np.ones(8, np.float32)), name="scale")
        self.log, self.exp, self.sqrt, self.softmax = ops.Log(), ops.Exp(), ops.Sqrt(), nn.Softmax()

    def construct(self, x):
        if kind == "log":
            return self.log(ops.relu(x) * self.scale)
        if kind == "exp":
            return self.exp(ops.relu(x) * 1e4 * self.scale)
        if kind == "backward":
            return self.sqrt(ops.relu(x)) * self.scale
        if kind in ("masked", "rows"):
            hidden = x < (0.0 if kind == "masked" else 1e9)
            x = ops.masked_fill(x * self.scale, hidden, float("-inf"))
            if kind == "rows":
                x = ops.exp(x - x.max(1, keepdims=True))
                return x / x.sum(1, keepdims=True)
            x = ops.concat((x, ops.zeros((4, 1))), 1)
            return self.softmax(x)[:, :8]
        return x * self.scale

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.flat = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Flatten()
        self.fc1, self.middle, self.drop, self.fc2 = nn.Dense(256, 8), Middle(), nn.Dropout(p=0.2), nn.Dense(8, 3)
        self.lstm = nn.LSTM(8, 8, batch_first=True)

    def construct(self, x):
        x = self.middle(self.fc1(self.flat(ops.relu(self.norm(self.conv(x))))))
        if kind == "unwritten":
            x = self.lstm(x.expand_dims(1))[0][:, 0]
        return self.fc2(self.drop(x))

net = Net()
net.set_train()
update = nn.Adam(net.trainable_params(), 0.01) if kind in ("clean", "unwritten") else nn.Momentum(net.trainable_params(), 0.01, 0.9)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

class Scaled(nn.Cell):
    def __init__(self):
        super().__init__(auto_prefix=False)
        self.net, self.update, self.finite = net, update, ops.IsFinite()
        self.weights = ms.ParameterTuple(net.trainable_params())
        self.scale = Parameter(Tensor(2.0**126, ms.float32), name="scale", requires_grad=False)
        self.gradients = ops.value_and_grad(self.scaled, None, self.weights)

    def scaled(self, x, y):
        return loss(self.net(x), y) * self.scale

    def construct(self, x, y):
        value, gradients = self.gradients(x, y)
        good = Tensor(True)
        for one in gradients:
            good = ops.logical_and(good, self.finite(one).all())
        if good:
            value = ops.depend(value, self.update(gradients))
        return value / self.scale

cell = Scaled() if kind == "scaled" else nn.TrainOneStepCell(nn.WithLossCell(net, loss), update)
generator = np.random.default_rng(0)
for _ in range(2):
    x = generator.normal(size=(4, 1, 8, 8)).astype(np.float32)
    if kind == "data":
        x[2, 0, 3, 3] = np.nan
    if kind == "scaled":
        x *= 100
    print(float(cell(Tensor(x), Tensor(np.array([0, 1, 2, 0], np.int32)))))
"""


def write(folder: Path, kind: str, content: str = SCRIPT) -> Path:
    """The dump of a training of this kind: a folder with rank_0."""
    dump = folder / kind
    settings = {
        "common_dump_settings": {
            "op_debug_mode": 0,
            "dump_mode": 0,
            "path": str(dump),
            "net_name": "net",
            "iteration": "0-1",
            "saved_data": "tensor",
            "input_output": 0,
            "kernels": [],
            "support_device": [0],
        },
        "e2e_dump_settings": {"enable": True, "trans_flag": True},
    }
    config = folder / f"{kind}.json"
    config.write_text(json.dumps(settings))
    script = folder / "train.py"
    script.write_text(content)
    environment = os.environ | {"MINDSPORE_DUMP_CONFIG": str(config), "GLOG_v": "3"}
    command = [sys.executable, str(script), kind]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return dump
