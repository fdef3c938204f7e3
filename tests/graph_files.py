"""Graphs of real networks as MindSpore writes them: MindIR, IR dumps and Summary, of networks that are connected and that are not."""

import subprocess
import sys
from pathlib import Path

CONNECTED = ("residual", "recurrent", "transformer")
#: In the first a layer is never called; in the second the result of one is thrown away.
NOT_CONNECTED = ("left_out", "thrown_away")

SCRIPT = """
import os, shutil, sys
from pathlib import Path

root = Path(sys.argv[1])
os.environ.update(MS_DEV_SAVE_GRAPHS="2", MS_DEV_SAVE_GRAPHS_PATH=str(root / "saved"))

import numpy as np
import mindspore as ms
import mindspore.dataset
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE)

class Block(nn.Cell):
    def __init__(self, fault):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4)
        self.conv2, self.bn2 = nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4)
        self.shortcut = nn.Conv2d(1, 4, 1)
        self.fault = fault

    def construct(self, x):
        y = self.conv2(ops.relu(self.bn1(self.conv1(x))))
        if self.fault == "thrown_away":
            self.bn2(y)
        else:
            y = self.bn2(y)
        if self.fault == "left_out":
            return ops.relu(y)
        return ops.relu(y + self.shortcut(x))

class Residual(nn.Cell):
    def __init__(self, fault=""):
        super().__init__()
        self.block, self.fc = Block(fault), nn.Dense(4, 3)

    def construct(self, x):
        return self.fc(self.block(x).mean((2, 3)))

class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.lstm = nn.LSTM(8, 6, batch_first=True, bidirectional=True)
        self.fc = nn.Dense(12, 3)

    def construct(self, x):
        y, _ = self.lstm(self.embedding(x))
        return self.fc(y[:, -1])

class Transformer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer, self.fc = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.Dense(8, 3)

    def construct(self, x):
        return self.fc(self.layer(x).mean(1))

class Loop(nn.Cell):
    def __init__(self):
        super().__init__()
        self.again, self.unused, self.fc = nn.Dense(4, 4), nn.Dense(4, 4), nn.Dense(4, 3)

    def construct(self, x):
        i = ops.zeros_like(x.sum())
        while i < 2:
            x = self.again(x)
            i = i + 1
        return self.fc(x)

def like(*shape, dtype=np.float32):
    return Tensor(np.ones(shape, dtype))

def train(name, network, x):
    folder = root / name
    folder.mkdir()
    ms.save_checkpoint(network, str(folder / "initial.ckpt"))
    network.set_train(False)
    ms.export(network, x, file_name=str(folder / "net"), file_format="MINDIR")
    rows = [(x.asnumpy()[0], np.int32(i % 3)) for i in range(4)]
    data = ms.dataset.GeneratorDataset(rows, ["x", "y"]).batch(2)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.AdamWeightDecay(network.trainable_params(), 1e-3, weight_decay=0.1)
    shutil.rmtree(root / "saved")
    collector = ms.SummaryCollector(str(folder / "summary"), collect_freq=1)
    ms.Model(network, loss, optimizer).train(1, data, callbacks=[collector], dataset_sink_mode=False)
    (folder / "ir").mkdir()
    for path in (root / "saved").glob("*.pb"):
        shutil.move(path, folder / "ir")

networks = {
    "residual": (Residual, like(2, 1, 8, 8)),
    "left_out": (lambda: Residual("left_out"), like(2, 1, 8, 8)),
    "thrown_away": (lambda: Residual("thrown_away"), like(2, 1, 8, 8)),
    "recurrent": (Recurrent, like(2, 5, dtype=np.int32)),
    "transformer": (Transformer, like(2, 5, 8)),
    "loop": (Loop, like(2, 4)),
}
for name in sys.argv[2:]:
    if name == "small":
        ms.export(nn.Dense(2, 2), like(2, 2), file_name=str(root / "small"), file_format="MINDIR")
    elif name == "secret":
        ms.export(Loop(), like(2, 4), file_name=str(root / "secret"), file_format="MINDIR", enc_key=b"0" * 16)
    else:
        make, x = networks[name]
        train(name, make(), x)
"""
NAMES = (*CONNECTED, *NOT_CONNECTED, "loop", "small", "secret")


def write(folder: Path, *names: str) -> None:
    """For each network, by default all of NAMES, a folder with net.mindir, initial.ckpt, ir/*.pb and summary/; but small.mindir alone,
    and secret.mindir, which is encrypted."""
    script = folder / "networks.py"  # MindSpore looks for the source of what it compiles
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, str(script), str(folder), *(names or NAMES)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def write_one(folder: Path, name: str) -> Path:
    """That network alone, and where it lies."""
    write(folder, name)
    return folder / (f"{name}.mindir" if name in ("small", "secret") else name)
