"""Keeps what is compared with the benchmark: losses, first batches, outputs of the layers in the first step, weights after it."""

import json
from pathlib import Path

import mindspore as ms
import numpy as np

from accucheck import Recorder


class Collector:
    def __init__(self, net, folder="."):
        self.net, self.folder, self.steps = net, Path(folder), 0
        self.recorder = Recorder(self.folder / "logs/run.jsonl")
        self.handles, self.kept = [], []
        for name, cell in net.cells_and_names():
            if name:
                self.handles += [
                    cell.register_forward_hook(self._hook(name)),
                    cell.register_backward_hook(self._hook(f"{name}.grad")),
                ]

    def _hook(self, name):
        def keep(cell, inputs, outputs):
            found = outputs
            while isinstance(found, (tuple, list)):
                found = found[0]
            self.kept.append((name, found.asnumpy()))

        return keep

    def batch(self, *arrays):
        if self.steps < 3:
            for name, array in zip(("x", "y"), arrays):
                _save(self.folder / f"batches/step{self.steps + 1}_{name}.npy", array.asnumpy())

    def step(self, loss, grads, optimizer):
        self.steps += 1
        rate = optimizer.get_lr() if hasattr(optimizer, "get_lr") else optimizer.param_groups[0]["lr"]
        self.recorder.step(loss=loss, lr=rate, grads=grads)
        if self.steps == 1:
            for handle in self.handles:
                handle.remove()
            for number, (name, array) in enumerate(self.kept):
                _save(self.folder / f"layers/{number:03d}_{name}.npy", array)
            ms.save_checkpoint(self.net, str(self.folder / "step1.ckpt"))

    def evaluation(self, **values):
        self.recorder.metrics(values)

    def close(self):
        self.recorder.close()
        ms.save_checkpoint(self.net, str(self.folder / "final.ckpt"))

    def outputs(self, output, **metrics):
        _save(self.folder / "outputs/output.npy", output.asnumpy())
        (self.folder / "outputs/metrics.json").write_text(json.dumps(metrics))


def _save(path, array):
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, array)
