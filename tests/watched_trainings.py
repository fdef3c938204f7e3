"""Small trainings that are really run under watch, healthy and each with one planted fault, and what a probe says of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from accucheck import case as cases
from accucheck import probe
from accucheck.model import Finding
from accucheck.watching import Plan, watch

#: In each kind of training lines are replaced by others.
TRAINING = """
from pathlib import Path

import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(8, 16)
        self.norm = nn.BatchNorm1d(16)
        self.drop = nn.Dropout(p=0.1)
        self.second = nn.Dense(16, 16)
        self.third = nn.Dense(16, 16)
        self.head = nn.Dense(16, 2)

    def construct(self, x):
        x = ops.relu(self.norm(self.first(x)))
        x = self.drop(x)
        x = x + ops.relu(self.second(x))
        return self.head(ops.relu(self.third(x)))


def data(seed):
    x = np.random.default_rng(seed).standard_normal((64, 8)).astype(np.float32)
    return ds.NumpySlicesDataset((x, (x[:, 0] > 0).astype(np.int32)), ["x", "y"], shuffle=False).batch(16)


def evaluate():
    net.set_train(False)
    right = sum(int((net(x).argmax(1) == y).sum()) for x, y in held_out.create_tuple_iterator(num_epochs=1))
    print("right", right)


ms.set_seed(1)
net, loss = Net(), nn.CrossEntropyLoss()
train, held_out = data(0), data(1)
chosen = list(net.trainable_params())
weights = [one for one in chosen if one.ndim > 1]
others = [one for one in chosen if one.ndim == 1]
optimizer = nn.Momentum(
    [{"params": weights, "weight_decay": 1e-3}, {"params": others, "weight_decay": 0.0}], 0.05, 0.9
)
step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
for epoch in range(3):
    net.set_train()
    for x, y in train.create_tuple_iterator(num_epochs=1):
        value, gradients = step(x, y)
        optimizer(gradients)
    evaluate()
"""
_LOAD = """saved = str(Path(__file__).with_name("saved.ckpt"))
ms.save_checkpoint(Net(), saved)
values = ms.load_checkpoint(saved)
"""
_ANEW = """for one in net.trainable_params():
    one.ndim > 1 and one.set_data(initializer("normal", one.shape))
"""
_COPY = """average = Net()
for held, one in zip(average.get_parameters(), net.get_parameters()):
    held.set_data(one.value().copy())
"""
_JOIN = """class Join(nn.Cell):
    def construct(self, x, residual):
        return x + residual


class Net(nn.Cell):"""
_JOINED = [
    ("class Net(nn.Cell):", _JOIN),
    ("        self.head =", "        self.join = Join()\n        self.head ="),
]
_ONE_BATCH = [
    (
        "train, held_out = data(0), data(1)",
        "train, held_out = data(0), data(1)\nbatch = next(train.create_tuple_iterator())",
    ),
    ("in train.create_tuple_iterator(num_epochs=1)", "in [batch] * 40"),
]
_EVALUATED = ("int((net(x).argmax", "int((average(x).argmax")
_FOLLOW = """        optimizer(gradients)
        for held, one in zip(average.get_parameters(), net.get_parameters()):
            """
#: Forty steps in an epoch.
_LONG = [("in train.create_tuple_iterator(num_epochs=1)", "in [*train.create_tuple_iterator(num_epochs=1)] * 10")]
#: A rate at which nothing is learned.
_STILL = [("0.05, 0.9", "1e-15, 0.9")]
_OWN = """class Own(nn.Cell):
    def construct(self, x):
        return x - x.mean(0) if self.training else x


"""
KINDS: dict[str, list[tuple[str, str]]] = {
    "healthy": [],
    "asnumpy": [("        x = self.drop(x)\n", "        x = Tensor(self.drop(x).asnumpy())\n")],
    "stopped": [("        x = self.drop(x)\n", "        x = ops.stop_gradient(self.drop(x))\n")],
    "nan": [("self.head(ops.relu(self.third(x)))", "self.head(ops.sqrt(0 * self.third(x)))")],
    "part": [("list(net.trainable_params())", "[*net.second.trainable_params(), *net.third.trainable_params()]")],
    "frozen": [("chosen = ", "for one in net.first.trainable_params():\n    one.requires_grad = False\nchosen = ")],
    "undone": [
        ("for epoch in range(3):\n", "before = [one.asnumpy().copy() for one in chosen]\nfor epoch in range(3):\n"),
        (
            "        optimizer(gradients)\n",
            "        optimizer(gradients)\n        for one, old in zip(chosen, before):\n            one.set_data(Tensor(old))\n",
        ),
    ],
    "uphill": [("optimizer(gradients)", "optimizer(tuple(-one for one in gradients))")],
    "reversed": [
        (
            '"params": weights, "weight_decay": 1e-3}, {"params": others, "weight_decay": 0.0}',
            '"params": weights, "weight_decay": 0.0}, {"params": others, "weight_decay": 1e-3}',
        )
    ],
    "longer": [("range(3)", "range(6)")],
    "rate-too-high": [("range(3)", "range(6)"), ("0.05, 0.9", "5.0, 0.9")],
    "joined": [*_JOINED, ("x = x + ops.relu(self.second(x))", "x = self.join(ops.relu(self.second(x)), x)")],
    "lost": [
        (_JOINED[0][0], _JOIN.replace("x + residual", "x")),
        _JOINED[1],
        ("x = x + ops.relu(self.second(x))", "ops.relu(self.second(x))\n        x = self.join(x, x)"),
        ("ops.relu(self.third(x))", "ops.softmax(self.third(x), 0)"),
        (".batch(16)", ".batch(16).repeat(2)"),
    ],
    "one-batch": _ONE_BATCH,
    "one-batch-stuck": [
        *_ONE_BATCH,
        ("0.05, 0.9", "1e-9, 0.9"),
        ("self.head = nn.Dense(16, 2)", "self.head = nn.Dense(16, 2, weight_init=initializer(Normal(300.0), (2, 16)))"),
    ],
    "rate-tiny": [("0.05, 0.9", "1e-9, 0.9")],
    "never-switched": [("    net.set_train()\n", ""), ("    net.set_train(False)\n", "")],
    "left": [("    net.set_train()\n", ""), ("for epoch in range(3):\n", "net.set_train()\nfor epoch in range(3):\n")],
    "evaluated-in-training": [("    net.set_train(False)\n", "")],
    "part-kept": [
        ("self.second = nn.Dense(16, 16)", "self.second = nn.SequentialCell(nn.Dense(16, 16), nn.BatchNorm1d(16))"),
        ("    net.set_train()\n", "    net.set_train()\n    net.second.set_train(False)\n"),
    ],
    "residual-zeros": [("self.second = nn.Dense(16, 16)", "self.second = nn.Dense(16, 16, weight_init='zeros')")],
    "zeros-between": [("self.third = nn.Dense(16, 16)", "self.third = nn.Dense(16, 16, weight_init='zeros')")],
    "alike": [
        ("self.third = nn.Dense(16, 16)", "self.third = nn.Dense(16, 16, weight_init='ones', bias_init='zeros')"),
        ("self.head = nn.Dense(16, 2)", "self.head = nn.Dense(16, 2, weight_init='ones')"),
    ],
    "dead": [
        (
            "self.third = nn.Dense(16, 16)",
            "self.third = nn.SequentialCell(nn.Dense(16, 16, bias_init=-1000), nn.ReLU())",
        )
    ],
    "steep-head": [
        *_STILL,
        ("p=0.1", "p=0.0"),
        ("nn.Dense(16, 2)", "nn.Dense(16, 2, weight_init=initializer(Normal(300.0), (2, 16)))"),
    ],
    "own-mode-and-large": [
        *_STILL,
        ("class Net", f"{_OWN}class Net"),
        ("nn.BatchNorm1d(16)", "Own()"),
        ("nn.Dropout(p=0.1)", "nn.Identity()"),
        ("    net.set_train()\n", ""),
        ("loss(net(x), y)", "1e9 * loss(net(x), y)"),
    ],
    "constant-and-partly-loaded": [
        ("self.third = nn.Dense(16, 16)", "self.third = nn.Dense(16, 16, weight_init=0.1)"),
        (
            "chosen = ",
            f"{_LOAD}values = {{f'{{name}}.of_old' * ('first' not in name) or name: value for name, value in values.items()}}\n"
            "ms.load_param_into_net(net, values)\nchosen = ",
        ),
    ],
    "loaded": [("chosen = ", f"{_LOAD}ms.load_param_into_net(net, values)\nchosen = ")],
    "left-out": [
        (
            "chosen = ",
            f"{_LOAD}values = {{name: value for name, value in values.items() if not name.endswith('d.weight')}}\n"
            "ms.load_param_into_net(net, values)\nchosen = ",
        )
    ],
    "initialised-after-loading": [("chosen = ", f"{_LOAD}ms.load_param_into_net(net, values)\n{_ANEW}chosen = ")],
    "other-names": [
        (
            "chosen = ",
            f"{_LOAD}values = {{f'{{name}}.of_old': value for name, value in values.items()}}\n"
            "ms.load_param_into_net(net, values)\nchosen = ",
        )
    ],
    "never-applied": [("chosen = ", f"{_LOAD}chosen = ")],
    "norm-kept": [("    net.set_train()\n", "    net.set_train()\n    net.norm.set_train(False)\n")],
    "norm-kept-loaded": [
        ("    net.set_train()\n", "    net.set_train()\n    net.norm.set_train(False)\n"),
        ("chosen = ", f"{_LOAD}ms.load_param_into_net(net, values)\nchosen = "),
    ],
    "long-epochs": _LONG,
    "averages-slow": [*_LONG, ("nn.BatchNorm1d(16)", "nn.BatchNorm1d(16, momentum=0.9999)")],
    "averages-still": [*_LONG, ("nn.BatchNorm1d(16)", "nn.BatchNorm1d(16, momentum=1.0)")],
    "statistics-off": [("nn.BatchNorm1d(16)", "nn.BatchNorm1d(16, use_batch_statistics=False)")],
    "drops-by-function": [("x = self.drop(x)", "x = ops.dropout(x, 0.1)")],
    "drops-by-operator": [("nn.Dropout(p=0.1)", "ops.Dropout(0.9)"), ("x = self.drop(x)", "x, _ = self.drop(x)")],
    "drops-by-mode": [("x = self.drop(x)", "x = ops.dropout(x, p=0.1, training=self.training)")],
    "average-lost": [
        *(("chosen = ", f"{_COPY}chosen = "), _EVALUATED),
        ("        optimizer(gradients)\n", f"{_FOLLOW}held = 0.9 * held + 0.1 * one\n"),
    ],
    "average": [
        *(("chosen = ", f"{_COPY}chosen = "), _EVALUATED),
        ("        optimizer(gradients)\n", f"{_FOLLOW}held.set_data(0.9 * held + 0.1 * one)\n"),
    ],
    # Its head is one with another layer, one layer is never called, one is frozen.
    "remarkable": [
        ("        self.head =", "        self.spare = nn.Dense(16, 16)\n        self.head ="),
        (
            "        self.third = nn.Dense(16, 16)\n",
            "        self.third = nn.Dense(16, 16)\n        self.third.weight = self.second.weight\n",
        ),
        ("chosen = ", "net.first.weight.requires_grad = net.first.bias.requires_grad = False\nchosen = "),
    ],
    "gradients-of-others": [
        ("None, optimizer.parameters)", "None, [optimizer.parameters[at] for at in (0, 2, 1, *range(3, 10))])"),
        ("optimizer(gradients)", "optimizer(ops.clip_by_global_norm(gradients, 1.0))"),
    ],
    "negated": [("lambda x, y: loss(net(x), y)", "lambda x, y: -loss(net(x), y)")],
}


def write(folder: Path, kind: str) -> None:
    """Run a training of a kind under watch to its end, in a folder of its own."""
    script = TRAINING
    for old, new in KINDS[kind]:
        assert script.count(old) == 1, (kind, old)
        script = script.replace(old, new)
    (folder / "train.py").write_text(script, encoding="utf-8")
    done = watch(Plan([sys.executable, str(folder / "train.py")], folder, steps=0, mode="pynative"))
    assert done.code == 0, kind


def judged(root: Path, name: str, settings: tuple[str, ...] = (), **params: Any) -> dict[str, Finding]:
    """What a probe says of the last watched run of a project, by code."""
    module = probe.load(name)
    case = cases.load(root, [f"watched={_last(root)}", *settings])
    found = module.run(case, msgspec.convert(params, module.Params))
    return {one.code: one for one in found if isinstance(one, Finding)}


def _last(root: Path) -> str:
    from accucheck.readers import recordings

    found = recordings.latest(root)
    assert found is not None
    return str(found.relative_to(root))
