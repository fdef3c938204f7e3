"""Which lines of a script fix its randomness or leave it, and what the objects of its training are called."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.script import benchmark, randomness, seeding
from accucheck.script.settings import of_scripts
from case_scripts import scripts

HEAD = """import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops, mint
from mindspore.dataset import vision
from zoo import build, read

net = build()
"""
DATA = "data = ds.MnistDataset('d', shuffle=False).batch(4)\n"
MODEL = "model = ms.Model(net, None, opt)\n"
OPT = "opt = nn.SGD(net.trainable_params(), 0.1)\n"


#: A line -> its subjects, and whether it fixes them.
SPOTS: dict[str, list[tuple[str, bool]]] = {
    "nn.Dropout(p=0.5)": [("network", False)],
    "nn.Dropout(p=0.0)": [("network", True)],
    "mint.randn(3)": [("network", False)],
    "vision.RandomCrop(32)": [("augmentation", False)],
    "ds.MnistDataset('d')": [("order", False)],
    "ds.MnistDataset('d', shuffle=True)": [("order", False)],
    "ds.MnistDataset('d', shuffle=False)": [("order", True)],
    "ds.MnistDataset('d', shuffle=False, num_parallel_workers=8)": [("order", True), ("workers", False)],
    "ds.MnistDataset('d', shuffle=False, num_parallel_workers=1)": [("order", True), ("workers", True)],
    "ds.MnistDataset('d', shuffle=False, num_parallel_workers=read())": [("order", True)],
    "ds.MnistDataset('d', shuffle=False).batch(2).shuffle(8)": [("order", False)],
    "read().shuffle(8)": [],
    "words = []\nwords.shuffle(8)": [],
    "nn.Dense(2, 2)": [("weights", False)],
    "ms.load_param_into_net(net, {})": [("weights", True)],
    "ms.load_checkpoint('a.ckpt', net)": [("weights", True)],
    "ms.load_checkpoint('a.ckpt', net=net)": [("weights", True)],
    "ms.load_checkpoint('a.ckpt')": [],
    "opt = nn.SGD(net.trainable_params(), 0.1)": [("hyperparameters", True)],
    "ms.set_seed(1)": [("seeds", True)],
    "def unused():\n    ms.set_seed(1)": [],
    "ms.set_deterministic(True)": [("deterministic", True)],
}


@pytest.mark.parametrize("line", SPOTS)
def test_lines_about_randomness(line: str, tmp_path: Path) -> None:
    found = scripts(tmp_path, HEAD + line)
    (one,) = of_scripts(found, None)
    spots = randomness.spots(one, seeding.read(one.reading.trace, found.sources))
    assert [(spot.subject, spot.fixed) for spot in spots] == SPOTS[line]
    assert all(spot.place == f"train.py:{HEAD.count(chr(10)) + 1 + line.count(chr(10))}" for spot in spots)


def test_weights_are_fixed_by_a_seed(tmp_path: Path) -> None:
    """Of loading what is loaded after training says nothing."""
    text = (
        HEAD
        + "ms.set_seed(1)\nnn.Dense(2, 2)\n"
        + OPT
        + DATA
        + MODEL
        + "model.train(1, data)\nms.load_param_into_net(net, {})\n"
    )
    found = scripts(tmp_path, text)
    (one,) = of_scripts(found, None)
    spots = randomness.spots(one, seeding.read(one.reading.trace, found.sources))
    assert [(spot.subject, spot.code) for spot in spots if spot.subject in ("weights", "seeds")] == [
        ("weights", "ms.set_seed(1)"),
        ("seeds", "ms.set_seed(1)"),
    ]


STEP = "grad_fn = ms.value_and_grad(net, None, opt.parameters)\n"

#: A script -> what its objects are called: the network, the optimizer, the data, the model.
NAMES: dict[str, tuple[str, str, str, str]] = {
    OPT + DATA + MODEL + "model.train(1, data)\n": ("net", "opt", "data", "model"),
    OPT + DATA + MODEL + "model.train(1, train_dataset=data)\n": ("net", "opt", "data", "model"),
    OPT + MODEL + "model.train(1, read())\n": ("net", "opt", "read()", "model"),
    OPT + MODEL + f"model.train(1, read({'1 + ' * 40}1))\n": ("net", "opt", "", "model"),
    OPT + DATA + "ms.Model(net, None, opt).train(1, data)\n": ("net", "opt", "data", "ms.Model(net, None, opt)"),
    OPT + DATA + MODEL + "run = model.train\nrun(1, data)\n": ("net", "opt", "", ""),
    DATA + "model = ms.Model(net, None, build())\nmodel.train(1, data)\n": ("", "", "data", "model"),
    OPT + STEP + "for x, y in data:\n    grad_fn(x, y)\n": ("net", "opt", "data", ""),
    OPT + STEP + "for e in range(3):\n    for i, x in enumerate(read().create_tuple_iterator()):\n        opt(grad_fn(x)[1])\n": (
        "net",
        "opt",
        "read()",
        "",
    ),
    OPT + STEP + "def step(x):\n    return grad_fn(x)\nfor x in data:\n    step(x)\n": ("net", "opt", "data", ""),
    OPT + STEP + "for x, y in zip(a, b):\n    grad_fn(x, y)\n": ("net", "opt", "", ""),
    OPT + STEP + "for i in read.trange(3):\n    grad_fn(i)\n": ("net", "opt", "", ""),
    OPT + "for x in data:\n    net(x)\n": ("net", "opt", "", ""),
    "opt = nn.SGD(build().parameters, 0.1)\n": ("", "opt", "", ""),
    "self.opt = nn.SGD(params=self.net.trainable_params())\n": ("self.net", "self.opt", "", ""),
    "def make():\n    return nn.SGD(net.trainable_params(), 0.1)\nopts = {}\nopts['a'] = opt = make()\n": ("net", "opt", "", ""),
    "print(net)\n": ("", "", "", ""),
}  # fmt: skip


@pytest.mark.parametrize("text", NAMES)
def test_what_things_are_called(text: str, tmp_path: Path) -> None:
    (one,) = of_scripts(scripts(tmp_path, HEAD + text), None)
    found = randomness.names(one)
    assert (found.network, found.optimizer, found.data, found.model) == NAMES[text]


TORCH = """import torch
from zoo import build, loader
net = build()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
"""
LOOP = "for epoch in range(3):\n    for x, y in loader:\n        net(x).sum().backward()\n        optimizer.step()\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TORCH + LOOP, ("net", "optimizer", "loader", "", "ref.py:6")),
        (
            TORCH + "plan = torch.optim.lr_scheduler.StepLR(optimizer, 3)\n" + LOOP,
            ("net", "optimizer", "loader", "plan", "ref.py:7"),
        ),
        (TORCH + "optimizer.step()\n", ("net", "optimizer", "", "", "")),
        ("import torch\nprint(torch.ones(3))\n", ("", "", "", "", "")),
    ],
)
def test_what_things_are_called_in_pytorch(text: str, expected: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "ref.py").write_text(text)
    (tmp_path / "train.py").write_text(HEAD)
    spec = {"scripts": {"train": "train.py"}, "benchmark": {"scripts": {"train": "ref.py"}}}
    (one,), _ = benchmark.training(Case(root=str(tmp_path), spec=msgspec.convert(spec, CaseFile)))
    told = asdict(randomness.names(one, torch=True))
    assert tuple(told[key] for key in ("network", "optimizer", "data", "scheduler", "place")) == expected
