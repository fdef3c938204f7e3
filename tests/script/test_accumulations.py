"""Gradients that are added up over several steps: ways to write it, whether the totals start anew, and whether their mean is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script.accumulations import examine
from accucheck.script.settings import of_scripts
from case_scripts import scripts

_OBJECT = """
import mindspore as ms
from mindspore import nn, ops, Parameter, Tensor

net, loss_fn = nn.Dense(8, 2), nn.CrossEntropyLoss()
opt = nn.{optimizer}(net.trainable_params(), 0.01)
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y){share}, None, opt.parameters)

class Totals:
    def __init__(self, optimizer, every):
        self.optimizer, self.every, self.map = optimizer, every, ops.HyperMap()
        self.totals = optimizer.parameters.clone(prefix="totals", init="zeros")
        self.zeros = optimizer.parameters.clone(prefix="zeros", init="zeros")
        self.turn = {turn}

    def empty(self):
        self.map(ops.partial(ops.assign), self.totals, self.zeros)

    def __call__(self, grads):
        self.map(ops.partial(ops.assign_add), self.totals, grads)
        self.turn += 1
        if {asked}:
            self.optimizer(self.totals)
            {clear}

update = Totals(opt, 4)
for x, y in data:
    loss, grads = grad(x, y)
    update(grads)
"""
_CELL = """
import mindspore as ms
from mindspore import nn, ops, Parameter, Tensor

add = ops.MultitypeFuncGraph("add")
clear = ops.MultitypeFuncGraph("clear")

@add.register("Tensor", "Tensor")
def _add(total, gradient):
    return ops.depend(total, ops.AssignAdd()(total, gradient))

@clear.register("Tensor")
def _clear(total):
    return ops.Assign()(total, ops.ZerosLike()(total))

class Step(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.totals = self.weights.clone(prefix="totals", init="zeros")
        self.grad, self.map = ops.GradOperation(get_by_list=True), ops.HyperMap()
        self.turn = Parameter(Tensor(0, ms.int32))

    def construct(self, x, y):
        grads = self.grad(self.network, self.weights)(x, y)
        self.map(add, self.totals, grads)
        self.turn = self.turn + 1
        if self.turn % 8 == 0:
            self.optimizer(self.map(ops.partial({shared}), self.totals))
            {clear}
        return x

net = nn.Dense(8, 2)
step = Step(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.01))
for x, y in data:
    step(x, y)
"""
_EMPTY = "self.map(ops.partial(ops.assign), self.totals, self.zeros)"
_GIVEN = {"optimizer": "SGD", "share": " / 4", "turn": "0", "asked": "self.turn % self.every == 0", "clear": _EMPTY}
#: What is changed of an object that adds up -> what is told.
OBJECTS: dict[str, tuple[dict[str, str], list[str]]] = {
    "as it should be": ({}, []),
    "cleared by a method": ({"clear": "self.empty()"}, []),
    "cleared one by one": ({"clear": "for one in self.totals: one.set_data(ops.zeros_like(one))"}, []),
    "given new totals": ({"clear": 'self.totals = self.zeros.clone(prefix="more", init="zeros")'}, []),
    "cleared out of sight": ({"clear": "emptied(self.totals)"}, []),
    "never cleared": ({"clear": "pass"}, ["totals-kept"]),
    "never cleared, counted by a parameter": (
        {"clear": "pass", "turn": "Parameter(Tensor(0, ms.int32))"},
        ["totals-kept"],
    ),
    "only printed": ({"clear": "print(self.totals)"}, ["totals-kept"]),
    "the sum": ({"share": ""}, ["gradients-summed"]),
    "the sum, asked otherwise": ({"share": "", "asked": "not self.turn % self.every"}, ["gradients-summed"]),
    "the sum, which this optimizer scales": ({"share": "", "optimizer": "Adam"}, []),
    "the sum, of another number": ({"share": " * 0.5"}, []),
}


_PARAMETERS = """
import mindspore as ms
from mindspore import nn, ops, Parameter

net, loss_fn = nn.Dense(8, 2), nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), 0.01)
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y){share}, None, opt.parameters)

def train():
    totals = [Parameter({begin}, requires_grad=False) for p in opt.parameters]
    for turn, (x, y) in enumerate(data):
        loss, grads = grad(x, y)
        for total, one in zip(totals, grads):
            {add}
        if (turn + 1) % 4 == 0:
            opt(tuple(totals))
            {clear}

train()
"""
_PARAMETERS_GIVEN = {
    "share": " / 4",
    "begin": "ops.zeros_like(p)",
    "add": "ops.assign_add(total, one)",
    "clear": "for total in totals: ops.assign(total, ops.zeros_like(total))",
}
#: What is changed of a list of parameters that adds up -> what is told.
PARAMETERS: dict[str, tuple[dict[str, str], list[str]]] = {
    "as it should be": ({}, []),
    "cleared by a method": ({"clear": "for total in totals: total.set_data(ops.zeros_like(total))"}, []),
    "made anew": ({"clear": "totals = [Parameter(ops.zeros_like(p)) for p in opt.parameters]"}, []),
    "never cleared": ({"clear": "print(turn)"}, ["totals-kept"]),
    "the sum": ({"share": ""}, ["gradients-summed"]),
    "no constant at first": ({"begin": "p.copy()", "clear": "print(turn)"}, []),
}


def told(root: Path, text: str) -> list[str]:
    (settings,) = of_scripts(scripts(root, text), None)
    return [one.code for one in examine(settings)]


@pytest.mark.parametrize(("changes", "codes"), PARAMETERS.values(), ids=PARAMETERS)
def test_a_list_of_parameters_that_adds_up(changes: dict[str, str], codes: list[str], tmp_path: Path) -> None:
    assert told(tmp_path, _PARAMETERS.format(**(_PARAMETERS_GIVEN | changes))) == codes


@pytest.mark.parametrize(("changes", "codes"), OBJECTS.values(), ids=OBJECTS)
def test_an_object_that_adds_up(changes: dict[str, str], codes: list[str], tmp_path: Path) -> None:
    assert told(tmp_path, _OBJECT.format(**(_GIVEN | changes))) == codes


@pytest.mark.parametrize(
    ("shared", "clear", "codes"),
    [
        ("ops.mul, 1 / 8", "self.map(clear, self.totals)", []),
        ("ops.mul, 1 / 8", "pass", ["totals-kept"]),
        ("ops.mul, 1", "self.map(clear, self.totals)", ["gradients-summed"]),
    ],
)
def test_a_cell_that_adds_up(shared: str, clear: str, codes: list[str], tmp_path: Path) -> None:
    assert told(tmp_path, _CELL.format(shared=shared, clear=clear)) == codes


_VARIABLE = """
import mindspore as ms
from mindspore import nn, ops

net, loss_fn = nn.Dense(8, 2), nn.CrossEntropyLoss()
opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)
grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
totals = [ops.zeros_like(one) for one in opt.parameters]

def add(totals, grads):
    return [total + grad for total, grad in zip(totals, grads)]

for turn, (x, y) in enumerate(data):
    loss, grads = grad(x, y)
    {add}
    if (turn + 1) % 4 == 0:
        opt(tuple(totals))
        {clear}
"""
_ATTRIBUTE = """
import mindspore as ms
from mindspore import nn, ops

class Trainer:
    def __init__(self, net):
        self.opt, self.loss_fn, self.net = nn.Momentum(net.trainable_params(), 0.01, 0.9), nn.CrossEntropyLoss(), net
        self.grad = ms.value_and_grad(lambda x, y: self.loss_fn(self.net(x), y), None, self.opt.parameters)
        self.totals = self.empty()

    def empty(self):
        return [ops.zeros_like(one) for one in self.opt.parameters]

    def step(self, turn, x, y):
        loss, grads = self.grad(x, y)
        {add}
        if turn % 4 == 3:
            self.opt(tuple(self.totals))
            {clear}

trainer = Trainer(nn.Dense(8, 2))
for turn, (x, y) in enumerate(data):
    trainer.step(turn, x, y)
"""
_NEW = "[ops.zeros_like(one) for one in opt.parameters]"


@pytest.mark.parametrize(
    ("add", "clear", "codes"),
    [
        ("totals = [total + grad / 4 for total, grad in zip(totals, grads)]", f"totals = {_NEW}", []),
        ("totals = [total + grad / 4 for total, grad in zip(totals, grads)]", "pass", ["totals-kept"]),
        ("totals = [total + grad for total, grad in zip(totals, grads)]", f"totals = {_NEW}", ["gradients-summed"]),
        ("totals = add(totals, [grad / 4 for grad in grads])", f"totals = {_NEW}", []),
        ("totals = add(totals, [grad / 4 for grad in grads])", "print(totals)", ["totals-kept"]),
        ("totals = add(totals, grads)", f"totals = {_NEW}", ["gradients-summed"]),
        ("totals = add(totals, [grad / 4 for grad in grads])", "emptied(totals)", []),
        # a running mean starts from nothing once only
        ("totals = [0.9 * total + 0.1 * grad for total, grad in zip(totals, grads)]", "pass", []),
    ],
)
def test_a_variable_that_holds_the_sum(add: str, clear: str, codes: list[str], tmp_path: Path) -> None:
    assert told(tmp_path, _VARIABLE.format(add=add, clear=clear)) == codes


@pytest.mark.parametrize(
    ("add", "clear", "codes"),
    [
        (
            "self.totals = [total + grad / 4 for total, grad in zip(self.totals, grads)]",
            "self.totals = self.empty()",
            [],
        ),
        ("self.totals = [total + grad / 4 for total, grad in zip(self.totals, grads)]", "pass", ["totals-kept"]),
        (
            "self.totals = [total + grad for total, grad in zip(self.totals, grads)]",
            "self.totals = self.empty()",
            ["gradients-summed"],
        ),
    ],
)
def test_an_attribute_that_holds_the_sum(add: str, clear: str, codes: list[str], tmp_path: Path) -> None:
    assert told(tmp_path, _ATTRIBUTE.format(add=add, clear=clear)) == codes
