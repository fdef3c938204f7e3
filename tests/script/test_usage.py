"""Which names of a framework a file uses: what aliases and scopes make of them, and what a value is seen to be."""

import ast
from pathlib import Path

from accucheck.script import usage
from accucheck.script.source import Source


def used(text: str, star: usage.Star = lambda module: {}) -> usage.Usage:
    lines = tuple(text.split("\n"))
    return usage.read(Source("a.py", Path("a.py"), ast.parse(text), lines), star)


def names(text: str) -> list[str]:
    return [use.api for use in used(text).uses]


def test_aliases_of_every_kind() -> None:
    text = """
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim, cat as join
from torch.utils.data import DataLoader as Loader
torch.abs(1)
nn.Linear(1, 2)
F.relu(3)
optim.Adam([])
join([])
Loader([])
"""
    assert names(text) == [
        "torch.abs",
        "torch.nn.Linear",
        "torch.nn.functional.relu",
        "torch.optim.Adam",
        "torch.cat",
        "torch.utils.data.DataLoader",
    ]


def test_names_that_are_bound_otherwise_are_no_api() -> None:
    text = '''
import torch
from torch import nn
from models import torch_utils, F

def relu(x):
    """torch.relu(x)"""
    return x  # torch.relu

def one(torch):
    return torch.abs(1)

def two(nn=None):
    nn = object()
    return nn.Linear(1)

relu(torch_utils.load("torch.load"))
F.relu(1)
[nn.x for nn in ()]
lambda torch: torch.abs(1)
'''
    assert names(text) == []


def test_a_scope_inside_hides_nothing_outside() -> None:
    text = "import torch\ndef f(torch):\n    torch.a()\ntorch.b()\nclass C:\n    torch = 1\n    def g(self):\n        torch.c()\n"
    assert names(text) == ["torch.b", "torch.c"]


def test_an_import_within_a_function_counts_there_only() -> None:
    assert names("def f():\n    import torch as t\n    t.a()\nt.b()\n") == ["torch.a"]


def test_annotations_and_type_tests_are_no_use() -> None:
    text = """
import torch
from torch import nn, Tensor
def f(x: torch.Tensor, y: "torch.Size" = None) -> Tensor:
    z: torch.Tensor
    return isinstance(x, nn.Conv2d)
"""
    assert names(text) == []


def test_methods_count_where_the_object_is_seen() -> None:
    text = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(2, 2)
        self.register_buffer("b", torch.zeros(1))
    def helper(self):
        pass
    def forward(self, x, flag=None):
        y = self.fc(x).view(-1)
        self.helper()
        flag.view()
        return (y + 1).sum(), flag.mean()
net = Net()
net.eval()
opt = torch.optim.Adam(net.parameters())
opt.step()
data.view(1)
"""
    found = used(text)
    assert [use.api for use in found.uses if use.called] == [
        "torch.nn.Linear",
        "torch.zeros",
        "torch.nn.Module.register_buffer",
        "torch.Tensor.view",
        "torch.Tensor.sum",
        "torch.nn.Module.eval",
        "torch.nn.Module.parameters",
        "torch.optim.Adam",
        "torch.optim.Adam.step",
    ]
    assert found.unknown == {"view": 2, "mean": 1}
    assert [use.api for use in found.uses if use.network and use.called] == ["torch.Tensor.view", "torch.Tensor.sum"]


def test_star_imports_bring_what_the_module_has() -> None:
    def star(module: str) -> dict[str, str]:
        return {"nn": "torch.nn", "torch": "torch"} if module == ".common" else {}

    text = "from .common import *\nnn.Linear(1, 1)\ntorch.abs(2)\nother.x()\n"
    assert [use.api for use in used(text, star).uses] == ["torch.nn.Linear", "torch.abs"]
    handed = "from .common import nn\nnn.Linear(1, 1)\n"
    assert [use.api for use in used(handed, star).uses] == ["torch.nn.Linear"]


def test_what_depends_on_the_values_of_a_tensor() -> None:
    text = """
import torch
from torch import nn
class Net(nn.Module):
    def forward(self, x, y):
        if x.sum() > 0:
            x = x + 1
        if x.shape[0] > 2 and x.dim() == 2 and y is not None:
            x = x - 1
        keep = x > 0
        z = x[keep]
        x[keep] = 0
        n = x.max().item()
        w = x[:n]
        for i in range(n):
            pass
        while (x < 3).all():
            x = x * 2
        return torch.zeros(n), x[:, 0], x[1:2]
"""
    found = used(text)
    assert [(remark.kind, remark.line) for remark in found.remarks] == [
        ("branch", 6),
        ("mask-index", 11),
        ("slice", 14),
        ("loop", 15),
        ("loop", 17),
    ]
    assert all(remark.network for remark in found.remarks)
    assert [use.api for use in found.uses if use.varies] == ["torch.zeros"]


def test_deep_nesting_takes_no_longer_than_it_should() -> None:
    text = "import torch\nx = torch.ones(3)\nx" + "[x" * 80 + "]" * 80 + "\n"
    assert names(text) == ["torch.ones"]


def test_a_call_over_several_lines_is_told_where_its_name_stands() -> None:
    use = used("import torch\ny = (torch\n     .abs(\n  1))\n").uses[0]
    assert (use.api, use.line) == ("torch.abs", 3)
