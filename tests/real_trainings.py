"""Short real trainings with MindSpore, each in a process of its own and recorded with accucheck.Recorder, for the probes of curves."""

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import json, sys
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from accucheck import Recorder

given = json.loads(sys.argv[1])
ms.set_device("CPU")
ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(given["seed"])
random = np.random.default_rng(given["seed"])
classes, size = given["classes"], 16
centres = random.normal(size=(classes, size))

def part(count, wrong, batch, shuffle):
    labels = random.integers(0, classes, count)
    x = given["scale"] * (centres[labels] + given["noise"] * random.normal(size=(count, size))).astype(np.float32)
    changed = random.random(count) < wrong
    labels = np.where(changed, random.integers(0, classes, count), labels).astype(np.int32)
    return ds.NumpySlicesDataset((x, labels), ["x", "y"], shuffle=shuffle).batch(batch)

train = part(given["samples"], given["wrong"], given["batch"], True)
val = part(1000, 0.0, 250, False)
net = nn.SequentialCell(nn.Dense(size, given["width"]), nn.ReLU(), nn.Dense(given["width"], classes))
optimizer = nn.Adam(net.trainable_params(), given["rate"]) if given["adam"] else nn.SGD(net.trainable_params(), given["rate"])
model = ms.Model(net, nn.CrossEntropyLoss(), optimizer, metrics={"loss", "accuracy"})
with Recorder(given["log"]) as recorder:
    model.fit(given["epochs"], train, val, callbacks=[recorder.callback()], dataset_sink_mode=False)
"""
DEFAULTS = {
    "seed": 1,
    "classes": 4,
    "noise": 1.0,
    "scale": 1.0,
    "samples": 1000,
    "wrong": 0.0,
    "batch": 50,
    "width": 32,
    "rate": 0.01,
    "adam": True,
    "epochs": 20,
    "log": "run.jsonl",
}


def train(folder: Path, **given: object) -> Path:
    """Trains a small classifier on `samples` points around the centres of `classes`, `wrong` of them mislabelled; the recording."""
    script = folder / "training.py"
    script.write_text(SCRIPT)
    settings = {**DEFAULTS, **given}
    process = subprocess.run(
        [sys.executable, str(script), json.dumps(settings)],
        cwd=folder,
        env={**os.environ, "GLOG_v": "3"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert process.returncode == 0, process.stderr
    return folder / str(settings["log"])
