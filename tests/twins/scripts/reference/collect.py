"""Keeps what is compared: losses, first batches, outputs of the layers in the first step, weights after it."""

import csv
import json
from pathlib import Path

import numpy as np
import torch


class Collector:
    def __init__(self, net, folder="."):
        self.net, self.folder, self.steps, self.rows = net, Path(folder), 0, []
        self.handles, self.kept = [], []
        for name, module in net.named_modules():
            if name:
                self.handles += [
                    module.register_forward_hook(self._hook(name)),
                    module.register_full_backward_hook(self._hook(f"{name}.grad")),
                ]

    def _hook(self, name):
        def keep(module, inputs, outputs):
            found = outputs
            while isinstance(found, (tuple, list)):
                found = found[0]
            self.kept.append((name, found.detach().numpy().copy()))

        return keep

    def batch(self, *arrays):
        if self.steps < 3:
            for name, array in zip(("x", "y"), arrays):
                _save(self.folder / f"batches/step{self.steps + 1}_{name}.npy", array.numpy())

    def step(self, loss, optimizer):
        self.steps += 1
        norm = sum(float((p.grad**2).sum()) for p in self.net.parameters() if p.grad is not None) ** 0.5
        self.rows.append({"step": self.steps, "loss": loss, "lr": optimizer.param_groups[0]["lr"], "grad_norm": norm})
        if self.steps == 1:
            for handle in self.handles:
                handle.remove()
            for number, (name, array) in enumerate(self.kept):
                _save(self.folder / f"layers/{number:03d}_{name}.npy", array)

    def updated(self):
        if self.steps == 1:
            torch.save(self.net.state_dict(), self.folder / "step1.pth")

    def evaluation(self, **values):
        self.rows[-1].update(values)

    def close(self):
        torch.save(self.net.state_dict(), self.folder / "final.pth")
        with open(self.folder / "train.csv", "w", newline="") as file:
            names = list(dict.fromkeys(name for row in self.rows for name in row))
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(self.rows)

    def outputs(self, output, **metrics):
        _save(self.folder / "outputs/output.npy", output.numpy())
        (self.folder / "outputs/metrics.json").write_text(json.dumps(metrics))


def _save(path, array):
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, array)
