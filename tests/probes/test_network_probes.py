"""The static probes about networks: graph_connectivity_script, weight_sharing_script, frozen_weights_script."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Language, Level, Sure, Table, Verdict
from accucheck.model import suggest as usual

PROBES = ("graph_connectivity_script", "weight_sharing_script", "frozen_weights_script")
HEAD = "import mindspore as ms\nfrom mindspore import nn, ops, Parameter, Tensor\n"
TRAIN = """
net = Net()
model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
model.train(10, data)
"""


def findings(name: str, root: Path, scripts: dict[str, Any] | None = None, **case: Any) -> list[Finding]:
    module = probe.load(name)
    spec = msgspec.convert({"scripts": scripts or {"train": "train.py"}, **case}, CaseFile)
    events = module.run(Case(root=str(root), spec=spec), probe.params(module, {}))
    return [event for event in events if isinstance(event, Finding)]


def verdict(name: str, found: list[Finding]) -> Verdict:
    module = probe.load(name)
    given: Verdict = getattr(module, "suggest", usual)(found)
    return given


def network(root: Path, init: str, construct: str, more: str = "", train: str = TRAIN) -> None:
    def indented(text: str) -> str:
        return "\n".join("        " + line for line in text.split("\n"))

    text = f"class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n{indented(init)}\n\n"
    text += f"    def construct(self, x):\n{indented(construct)}\n"
    (root / "train.py").write_text(HEAD + more + "\n" + text + train)


def told(found: list[Finding]) -> dict[str, Level]:
    return {finding.code: finding.level for finding in found}


# --- graph_connectivity_script ----------------------------------------------------------------------------------------


def test_the_layers_are_listed(tmp_path: Path) -> None:
    network(tmp_path, "self.conv = nn.Conv2d(3, 8, 3)\nself.act = nn.ReLU()", "return self.act(self.conv(x))")
    found = next(f for f in findings("graph_connectivity_script", tmp_path) if f.code == "connected")
    (table,) = found.evidence
    assert isinstance(table, Table)
    assert table.rows == [["Net", "conv", "nn.Conv2d", "train.py:7"]]


def test_a_finding_says_where_how_sure_and_why(tmp_path: Path) -> None:
    network(tmp_path, "self.in_proj = nn.Dense(8, 8)\nself.out_proj = nn.Conv2d(1, 1, 1)", "return self.in_proj(x)")
    found = next(f for f in findings("graph_connectivity_script", tmp_path) if f.level is Level.PROBLEM)
    assert (found.code, found.where.path, found.where.line, found.sure) == ("unused-layer", "train.py", 8, Sure.LIKELY)
    module = probe.load("graph_connectivity_script")
    for language in Language:
        assert "self.out_proj" in probe.message(module, found.code, found.data, language)
        explanation = probe.explanation(module, found, language)
        assert explanation.why and explanation.sure and explanation.proof


def test_a_layer_that_only_evaluation_uses(tmp_path: Path) -> None:
    network(
        tmp_path,
        "self.a = nn.Dense(8, 8)\nself.decode = nn.Dense(8, 8)",
        "x = self.a(x)\nif self.training:\n    return x\nreturn self.decode(x)",
    )
    assert verdict("graph_connectivity_script", findings("graph_connectivity_script", tmp_path)) is Verdict.OK


@pytest.mark.parametrize(
    ("construct", "expected"),
    [
        ("return self.a(x) + getattr(self, name)(x)", "connected"),
        ("for cell in self.cells():\n    x = cell(x)\nreturn x", "connected"),
        ("return self._cells['spare'](self.a(x))", "connected"),
        ("return self.a(x) + self.other(x)", "unused-layer"),
        ("return vars(self)['spare'](self.a(x))", "connected"),
    ],
)
def test_layers_that_are_asked_for_in_other_ways(construct: str, expected: str, tmp_path: Path) -> None:
    network(tmp_path, "self.a = nn.Dense(8, 8)\nself.spare = nn.Dense(8, 8)", construct)
    found = told(findings("graph_connectivity_script", tmp_path))
    assert expected in found
    assert ("unused-layer" in found) is (expected == "unused-layer")


def test_a_subclass_uses_what_its_base_builds(tmp_path: Path) -> None:
    more = """
class Base(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(8, 8)
        self.b = nn.Dense(8, 8)

    def construct(self, x):
        return self.a(x)

class Both(Base):
    def construct(self, x):
        return self.b(self.a(x))
"""
    network(tmp_path, "self.one = Base()\nself.two = Both()", "return self.two(self.one(x))", more)
    assert set(told(findings("graph_connectivity_script", tmp_path))) == {"connected", "network-seen"}


def test_a_network_in_a_module_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "net.py").write_text(
        "import mindspore.nn as nn\n\nclass Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = nn.Dense(2, 2)\n        self.b = nn.Dense(2, 2)\n\n"
        "    def construct(self, x):\n        return self.a(x)\n"
    )
    (tmp_path / "train.py").write_text(
        "import mindspore as ms\nfrom mindspore import nn\nfrom src.net import Net\n" + TRAIN
    )
    found = next(f for f in findings("graph_connectivity_script", tmp_path) if f.code == "unused-layer")
    assert (found.where.path, found.where.line) == ("src/net.py", 7)


# --- weight_sharing_script ----------------------------------------------------------------------------------------------


LANGUAGE = "self.embedding = nn.Embedding(100, 8)\nself.head = nn.Dense(8, 100, has_bias=False)"


@pytest.mark.parametrize(
    ("tie", "code"),
    [
        ("self.head.weight = self.embedding.embedding_table", "tied"),
        ("self.head.weight = Parameter(self.embedding.embedding_table)", "tied-by-copy"),
        ("self.head.weight.set_data(self.embedding.embedding_table)", "tied-by-copy"),
        ("self.head.weight = self.embedding.embedding_table.clone()", "tied-by-copy"),
        ("self.head = nn.Dense(8, 100, weight_init=self.embedding.embedding_table)", "tied-by-copy"),
        ("self.head.weight = Parameter(Tensor(self.embedding.embedding_table.asnumpy()))", "tied-by-copy"),
    ],
)
def test_ties(tie: str, code: str, tmp_path: Path) -> None:
    network(tmp_path, f"{LANGUAGE}\n{tie}", "return self.head(self.embedding(x))")
    assert code in told(findings("weight_sharing_script", tmp_path))


@pytest.mark.parametrize(
    ("comment", "wrong"),
    [
        ("# the output weights are the same as the input embeddings", True),
        ("# tie the weights with the embedding", True),
        ("# 与词嵌入共享权重", True),
        ("# not tied to the embedding", False),
        ("# maps to the vocabulary", False),
    ],
)
def test_ties_that_a_comment_announces(comment: str, wrong: bool, tmp_path: Path) -> None:
    init = LANGUAGE.replace("self.head", f"{comment}\nself.head")
    network(tmp_path, init, "return self.head(self.embedding(x))")
    assert ("announced-not-tied" in told(findings("weight_sharing_script", tmp_path))) is wrong


def test_declared_names_that_do_not_exist_are_passed_over(tmp_path: Path) -> None:
    network(tmp_path, LANGUAGE, "return self.head(self.embedding(x))")
    found = findings("weight_sharing_script", tmp_path, design={"shared": [["no.such", "head.weight"]]})
    assert verdict("weight_sharing_script", found) is Verdict.NOT_APPLICABLE


def test_one_network_in_several_wrappers_is_not_shared(tmp_path: Path) -> None:
    more = """
class WithLoss(nn.Cell):
    def __init__(self, net, loss):
        super().__init__()
        self.net = net
        self.loss = loss

    def construct(self, x, y):
        return self.loss(self.net(x), y)

class Evaluated(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x):
        return ops.softmax(self.net(x))
"""
    train = "\nnet = Net()\ntrained, evaluated = WithLoss(net, nn.MSELoss()), Evaluated(net)\n"
    train += "step = nn.TrainOneStepCell(trained, nn.Adam(net.trainable_params()))\nms.Model(step).train(1, data)\n"
    network(tmp_path, "self.a = nn.Dense(2, 2)", "return self.a(x)", more, train)
    assert verdict("weight_sharing_script", findings("weight_sharing_script", tmp_path)) is Verdict.NOT_APPLICABLE


# --- frozen_weights_script ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step",
    [
        "def forward(x, y):\n    return loss(ops.stop_gradient(net(x)), y)\n"
        "step = ms.value_and_grad(forward, None, opt.parameters)\nvalue, grads = step(x, y)\nopt(grads)",
        "def forward(x, y):\n    return loss(ops.stop_gradient(net(x)), y)\n"
        "grads = ops.GradOperation(get_by_list=True)(forward, opt.parameters)(x, y)\nopt(grads)",
        "def forward(x, y):\n    return loss(ops.stop_gradient(net(x)), y)\n"
        "grads = ms.grad(forward, None, net.trainable_params())(x, y)\nopt(grads)",
        "class Cut(nn.Cell):\n    def __init__(self, net):\n        super().__init__()\n        self.net = net\n\n"
        "    def construct(self, x, y):\n        return loss(ops.stop_gradient(self.net(x)), y)\n\n"
        "step = nn.TrainOneStepCell(Cut(net), opt)\nvalue = step(x, y)",
        "class Cut(nn.Cell):\n    def __init__(self, net):\n        super().__init__()\n        self.net = net\n\n"
        "    def construct(self, x):\n        return ops.stop_gradient(self.net(x))\n\n"
        "ms.Model(Cut(net), loss, opt).train(1, data)",
    ],
)
def test_a_loss_behind_stop_gradient_in_every_way_to_train(step: str, tmp_path: Path) -> None:
    train = f"\nnet = Net()\nloss = nn.MSELoss()\nopt = nn.Adam(net.trainable_params())\n{step}\n"
    network(tmp_path, "self.a = nn.Dense(2, 2)", "return self.a(x)", train=train)
    assert told(findings("frozen_weights_script", tmp_path)).get("nothing-trained") is Level.PROBLEM


def test_an_own_teacher_is_no_fault(tmp_path: Path) -> None:
    train = """
student, teacher = Net(), Net()
ms.load_checkpoint("teacher.ckpt", teacher)
for p in teacher.get_parameters():
    p.requires_grad = False
opt = nn.Adam(student.trainable_params())

def forward(x):
    return ((student(x) - ops.stop_gradient(teacher(x))) ** 2).mean()

step = ms.value_and_grad(forward, None, opt.parameters)
loss, grads = step(x)
opt(grads)
"""
    network(tmp_path, "self.a = nn.Dense(2, 2)", "return self.a(x)", train=train)
    assert verdict("frozen_weights_script", findings("frozen_weights_script", tmp_path)) is Verdict.OK


_LATE = """
import numpy as np
import mindspore as ms
from mindspore import nn, Tensor

{mode}

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 4)
        self.head = nn.Dense(4, 1)

    def construct(self, x):
        return self.head(self.dense(x))

net = Net()
ms.load_checkpoint("base.ckpt", net)
opt = nn.SGD(net.trainable_params(), 0.1)
loss_fn = nn.MSELoss()
for p in net.dense.get_parameters():
    p.requires_grad = False

def forward(x, y):
    return loss_fn(net(x), y)

grad_fn = ms.value_and_grad(forward, None, opt.parameters)
{decorator}
def step(x, y):
    loss, grads = grad_fn(x, y)
    opt(grads)
    return loss

def train():
    one = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)
    x, y = Tensor(np.ones((8, 4), np.float32)), Tensor(np.ones((8, 1), np.float32))
    before = net.dense.weight.asnumpy().copy()
    {call}
    print("moved", bool((before != net.dense.weight.asnumpy()).any()))

train()
"""


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("mode", "decorator", "call", "moves"),
    [
        ("", "", "step(x, y)", False),
        ("ms.set_context(mode=ms.PYNATIVE_MODE)", "", "one(x, y)", False),
        ("ms.set_context(mode=ms.GRAPH_MODE)", "", "one(x, y)", True),
        ("", "@ms.jit", "step(x, y)", True),
    ],
)
def test_a_graph_trains_what_was_frozen_after_the_optimizer(
    mode: str, decorator: str, call: str, moves: bool, tmp_path: Path
) -> None:
    text = _LATE.format(mode=mode, decorator=decorator, call=call)
    (tmp_path / "train.py").write_text(text)
    made = text.replace('ms.load_checkpoint("base.ckpt", net)', 'ms.save_checkpoint(net, "base.ckpt")')
    (tmp_path / "make.py").write_text(made)
    for script in ("make.py", "train.py"):
        done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-2:] == ["moved", str(moves)]
    (tmp_path / "make.py").unlink()
    assert ("frozen-late" in told(findings("frozen_weights_script", tmp_path))) is moves


def test_when_a_function_freezes_that_nobody_is_seen_to_call_is_not_told(tmp_path: Path) -> None:
    text = _LATE.format(mode="ms.set_context(mode=ms.GRAPH_MODE)", decorator="", call="one(x, y)")
    frozen = "for p in net.dense.get_parameters():\n    p.requires_grad = False\n"
    assert frozen in text
    (tmp_path / "train.py").write_text(text.replace(frozen, "def freeze():\n    " + frozen.replace("    ", " " * 8)))
    assert "frozen-late" not in told(findings("frozen_weights_script", tmp_path))


def test_frozen_by_an_option_of_the_command_line_is_told_only(tmp_path: Path) -> None:
    train = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--freeze", action="store_true")
args = parser.parse_args()
net = Net()
if args.freeze:
    net.a.weight.requires_grad = False
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
"""
    network(tmp_path, "self.a = nn.Dense(2, 2)\nself.b = nn.Dense(2, 2)", "return self.b(self.a(x))", train=train)
    assert verdict("frozen_weights_script", findings("frozen_weights_script", tmp_path)) is not Verdict.PROBLEM


def test_frozen_and_not_declared(tmp_path: Path) -> None:
    train = "\nnet = Net()\nms.load_checkpoint('a.ckpt', net)\nnet.a.weight.requires_grad = False\n"
    train += "ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)\n"
    network(tmp_path, "self.a = nn.Dense(2, 2)\nself.b = nn.Dense(2, 2)", "return self.b(self.a(x))", train=train)
    found = findings("frozen_weights_script", tmp_path, design={"frozen": ["no.such"]})
    assert told(found)["frozen-not-declared"] is Level.PROBLEM


# --- whatever a file holds ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROBES)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "print 'python 2'\n",
        "x = " + "[" * 300 + "]" * 300 + "\n",
        HEAD + "class Net(nn.Cell):\n    def construct(self):\n        return self\n\nnet = Net()\nnet()()\n",
        HEAD
        + "class Net(nn.Cell):\n    def __init__(self):\n        self.me = self\n        self.all = [self]\n\nnet = Net()\n",
        HEAD + "class A(B): pass\nclass B(A): pass\nclass C(nn.Cell, C): pass\nc = C()\n",
        HEAD
        + "class Net(nn.Cell):\n    def __init__():\n        pass\n    def construct():\n        pass\n\nnet = Net()\nnet(1)\n",
        HEAD + "class Net(nn.Cell):\n    construct = lambda self, x: x\n\nnet = Net()\nnet(1)\n",
        HEAD + "p = Parameter()\np.requires_grad = False\nfor q in p: q.requires_grad = not True\n",
        HEAD + "a = nn.Dense(1, 1)\na.weight = a.weight\na.weight.set_data(a.weight)\nops.stop_gradient()\n",
        HEAD + "x = nn.CellList([nn.Dense(1, 1)] * n) * n\nnn.SequentialCell(*x)(1)\n",
    ],
    ids=range(11),
)
def test_odd_files(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(text)
    found = findings(name, tmp_path)
    assert not any(finding.level is Level.PROBLEM for finding in found)


@pytest.mark.parametrize("name", PROBES)
def test_a_very_long_network_is_looked_at_in_time(name: str, tmp_path: Path) -> None:
    count = 3000
    init = "\n".join(f"self.layer{i} = nn.Dense(8, 8)" for i in range(count))
    construct = "\n".join(f"y{i} = self.layer{i}(x)" for i in range(count)) + "\nreturn x"
    network(tmp_path, init, construct)
    start = time.process_time()
    findings(name, tmp_path)
    assert time.process_time() - start < 20
