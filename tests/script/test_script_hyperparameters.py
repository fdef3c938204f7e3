"""What two scripts train with, setting by setting in PyTorch's words, in the ways people write them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.script import benchmark, settings
from accucheck.script.analysis import read_scripts
from accucheck.script.hyperparameters import SideSetting, rows, sheet

HERE = """import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops
net = nn.SequentialCell(nn.Dense(4, 4), nn.Dense(4, 2))
weights = net.trainable_params()
"""
THERE = """import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader
net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
weights = net.parameters()
opt = torch.optim.SGD(net.parameters(), 0.1)
"""


def compared(root: Path, here: str, there: str) -> dict[str, str]:
    """Name -> "here : verdict : there"; - for none, ... behind what is not known."""
    (root / "train.py").write_text(HERE + here)
    (root / "torch").mkdir(exist_ok=True)
    (root / "torch/train.py").write_text(THERE + there)
    given = {"scripts": {"train": "train.py"}, "benchmark": {"scripts": {"train": "torch/train.py"}}}
    case = Case(root=str(root), spec=msgspec.convert(given, CaseFile))
    (ours,), (theirs,) = settings.of_scripts(read_scripts(case), None), benchmark.training(case)[0]

    def told(entries: list[SideSetting]) -> str:
        texts = (f"{one.text}..." if one.value is ... else f"{one.value} ({one.text})" for one in entries)
        return ", ".join(texts) or "-"

    made = rows(sheet(ours, "2.6"), sheet(theirs, None))
    return {row.name: f"{told(row.here)} : {row.verdict} : {told(row.there)}" for row in made}


SCHEDULES = {
    ("nn.cosine_decay_lr(0.0, 0.1, 100, 10, 10)", "lr_scheduler.CosineAnnealingLR(opt, 10)"): (
        "cosine (cosine_decay_lr) : same : cosine (CosineAnnealingLR)"
    ),
    ("nn.CosineDecayLR(0.0, 0.1, 100)", "lr_scheduler.StepLR(optimizer=opt, step_size=10)"): (
        "cosine (CosineDecayLR) : unknown : step (StepLR)"
    ),
    ("nn.piecewise_constant_lr([1, 2], [0.1, 0.2])", "lr_scheduler.MultiStepLR(opt, [3])"): (
        "step (piecewise_constant_lr) : same : step (MultiStepLR)"
    ),
    ("nn.ExponentialDecayLR(0.1, 0.9, 4)", "lr_scheduler.ExponentialLR(opt, 0.9)"): (
        "exponential (ExponentialDecayLR) : same : exponential (ExponentialLR)"
    ),
    ("0.1", "lr_scheduler.ReduceLROnPlateau(opt)"): "- : one-side : plateau (ReduceLROnPlateau)",
    ("0.1", "lr_scheduler.LambdaLR(opt, f)"): "- : unknown : LambdaLR...",
    ("0.1", "lr_scheduler.SequentialLR(opt, [lr_scheduler.LinearLR(opt), lr_scheduler.CosineAnnealingLR(opt, 9)], [3])"): (
        "- : one-side : linear (LinearLR), cosine (CosineAnnealingLR)"
    ),
    ("0.1", "lr_scheduler.StepLR(other, 10)"): None,
    ("own_schedule(3)", "lr_scheduler.CosineAnnealingLR(opt, 9)"): "…... : unknown : cosine (CosineAnnealingLR)",
}  # fmt: skip


@pytest.mark.parametrize(("rate", "schedule"), SCHEDULES)
def test_schedules(rate: str, schedule: str, tmp_path: Path) -> None:
    found = compared(tmp_path, f"opt = nn.SGD(weights, {rate})\n", f"schedule = {schedule}\n")
    assert found.get("schedule") == SCHEDULES[rate, schedule]


SGD = "opt = nn.SGD({})"
MODEL = "ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(weights, 0.1)).train(3, ds.MnistDataset('a').batch(32))"
LOOP = "\nfor epoch in range(5):\n    for x, y in DataLoader(rows, 64):\n        F.cross_entropy(net(x), y).backward()\n        opt.step()"
OPTION = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float, default=0.1)\n"
#: here, there -> a setting and how it stands
PAIRS = {
    (SGD.format("weights, 0.1"), ""): ("lr", "0.1 (0.1) : same : 0.1 (0.1)"),
    (SGD.format("weights, 0.1 if a else 0.2"), ""): ("lr", "0.1 | 0.2... : unknown : 0.1 (0.1)"),
    (SGD.format("[{'params': weights, 'lr': 0.2}], 0.1"), ""): ("lr", "0.2 (0.2) : differs : 0.1 (0.1)"),
    (SGD.format("[{'params': weights, 'weight_decay': 0.1}, {'params': weights}], 0.1"), ""): (
        "weight_decay", "…... : unknown : 0 (0)"
    ),
    (OPTION + SGD.format("weights, p.parse_args().lr"), ""): ("lr", "0.1 (0.1) : same : 0.1 (0.1)"),
    ("class Own(nn.Optimizer):\n    pass\nopt = Own(0.1, weights)", ""): ("optimizer", "Own... : unknown : SGD (SGD)"),
    ("drop = nn.Dropout(keep_prob=0.9)", "drop = nn.Dropout(0.1)"): ("dropout", "0.1 (1 - 0.9) : same : 0.1 (0.1)"),
    ("drop = nn.Dropout(keep_prob=rate)", "drop = nn.Dropout(0.1)"): ("dropout", "1 - rate... : unknown : 0.1 (0.1)"),
    ("drop = nn.Dropout(p=0.0)", "drop = nn.Dropout(0.1)"): ("dropout", "- : one-side : 0.1 (0.1)"),
    ("drop = ops.dropout(x, 0.2)", "y = F.dropout(x, 0.1)"): ("dropout", "0.2 (0.2) : differs : 0.1 (0.1)"),
    ("opt = nn.SGD(build().trainable_params(), 0.1)", "drop = nn.Dropout(0.1)"): ("dropout", "?... : unknown : 0.1 (0.1)"),
    (MODEL, LOOP): ("batch_size", "32 (32) : differs : 64 (64)"),
    (MODEL, LOOP + "\n"): ("epochs", "3 (3) : differs : 5 (5)"),
    (MODEL, "DataLoader(rows, batch_sampler=own)"): ("batch_size", "32 (32) : unknown : …..."),
    (MODEL, "DataLoader(rows, **options)"): ("batch_size", "32 (32) : unknown : …..."),
    (MODEL, "DataLoader(rows)"): ("batch_size", "32 (32) : differs : 1 (1)"),
    (MODEL, "train_loader, test_loader = DataLoader(rows, 32), None\ntest_loader = DataLoader(rows, 1)"): (
        "batch_size", "32 (32) : same : 32 (32)"
    ),
    ("def train(accumulation_steps):\n    pass\ntrain(4)", ""): ("accumulation", "4 (4) : one-side : -"),
    ("def train(accumulation_steps):\n    pass\ntrain(1)", ""): ("accumulation", None),
    ("loss = nn.MSELoss()", "loss = nn.MSELoss(reduction='none')"): ("reduction", "mean ('mean') : unknown : 'none'..."),
    ("loss = nn.MSELoss()", "loss = nn.MSELoss(reduction='sum')"): ("reduction", "mean ('mean') : differs : sum ('sum')"),
    ("loss = nn.SoftmaxCrossEntropyWithLogits()", "loss = nn.CrossEntropyLoss()"): (
        "loss", "crossentropy (SoftmaxCrossEntropyWithLogits) : same : crossentropy (CrossEntropyLoss)"
    ),
    ("loss = nn.DiceLoss()", "loss = nn.HuberLoss()"): ("loss", "dice (DiceLoss) : differs : huber (HuberLoss)"),
    ("def step(grads):\n    return ops.clip_by_global_norm(grads)", "torch.nn.utils.clip_grad_norm_(weights, 1.0)"): (
        "clipping", "1.0 (1.0) : same : 1.0 (1.0)"
    ),
    ("ops.clip_by_value(image, 0, 1)", "torch.nn.utils.clip_grad_norm_(weights, 1.0)"): (
        "clipping", "- : one-side : 1.0 (1.0)"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("here", "there"), PAIRS)
def test_settings_side_by_side(here: str, there: str, tmp_path: Path) -> None:
    name, expected = PAIRS[here, there]
    assert compared(tmp_path, here + "\n", there + "\n").get(name) == expected
