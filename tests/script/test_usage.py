"""Which names of a framework a file uses: what aliases and scopes make of them, and what a value is seen to be."""

import ast
import textwrap
from pathlib import Path

import pytest

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


NET = """
import torch
from torch import nn, relu
class Net(nn.Module):
    def forward(self, x, y, flag=None):
{body}
"""
#: Lines of forward(x, y, flag) -> what is used, and "?" for a method of something that is not seen.
FORWARD = {
    "with torch.no_grad():\n    x.view(1)": ["torch.no_grad", "torch.Tensor.view"],
    "with open('a') as f, torch.autocast('cpu'):\n    f.view(1)": ["torch.autocast", "?"],
    "with flag:\n    pass": [],
    "match flag:\n    case 1:\n        x.view(1)": ["torch.Tensor.view"],
    "try:\n    x.view(1)\nexcept ValueError as e:\n    x.sum()\nexcept KeyError:\n    e.view()": [
        "torch.Tensor.view",
        "torch.Tensor.sum",
        "?",
    ],
    "try:\n    pass\nexcept ValueError as torch:\n    torch.abs(x)": ["?"],
    "a, b = x.chunk(2)\na.view(1)": ["torch.Tensor.chunk", "torch.Tensor.view"],
    "a, *b = x, y\na.view(1)\nb.view(1)": ["torch.Tensor.view", "?"],
    "a, b = flag\na.view(1)": ["?"],
    "x.chunk(2)[0].view(1)": ["torch.Tensor.chunk", "torch.Tensor.view"],
    "flag.items[x.view(1)] = 1": ["torch.Tensor.view"],
    "x += 1\nx.view(1)": ["torch.Tensor.view"],
    "n = 3\nn += x\nn.view(1)": ["torch.Tensor.view"],
    "n = 3\nn += flag\nn.view(1)": ["?"],
    "flag.n += x.view(1)": ["torch.Tensor.view"],
    "act = relu": ["torch.relu"],
    "v, i = x.max(1)\nv.view(1)": ["torch.Tensor.max", "torch.Tensor.view"],
    "x.max().view(1)": ["torch.Tensor.max", "torch.Tensor.view"],
    "torch.max(x, 1)[0].view(1)": ["torch.max", "torch.Tensor.view"],
    "torch.max(x, y).view(1)": ["torch.max", "torch.Tensor.view"],
    "Net()(x).view(1)": ["?"],
    "for a in list(x.chunk(2)):\n    a.view(1)": ["torch.Tensor.chunk", "torch.Tensor.view"],
    "for i, a in enumerate(x.chunk(2)):\n    a.view(1)": ["torch.Tensor.chunk", "?"],
    "x.item().view(1)": ["torch.Tensor.item"],
    "nn.ModuleList()(x).view(1)": ["torch.nn.ModuleList", "?"],
    "torch.optim.SGD(flag)(x).view(1)": ["torch.optim.SGD", "?"],
    "nn.LSTM(2, 2)(x)[0].view(1)": ["torch.nn.LSTM", "torch.Tensor.view"],
    "(x if flag is None else y).view(1)": ["torch.Tensor.view"],
    "(x if flag is None else 3).view(1)": ["?"],
    "[a.view(1) for a in x.chunk(2) if a.sum()]": ["torch.Tensor.chunk", "torch.Tensor.sum", "torch.Tensor.view"],
    "print(f'{x.view(1)}', {'a': x.sum()}, *[x.mean()])": ["torch.Tensor.view", "torch.Tensor.sum", "torch.Tensor.mean"],
    "@torch.jit.script\ndef g(x):\n    pass": ["torch.jit.script"],
}  # fmt: skip


@pytest.mark.parametrize("lines", FORWARD)
def test_what_forward_uses(lines: str) -> None:
    found = used(NET.format(body=textwrap.indent(lines, " " * 8)))
    told = [use.api for use in found.uses if use.network]
    assert [*told, *["?"] * sum(found.unknown.values())] == FORWARD[lines]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("keep = x.isnan()\nx[keep]", ["mask-index"]),
        ("keep = torch.isnan(x)\nx[keep]", ["mask-index"]),
        ("keep = x > 0 and y\nx[keep]", ["mask-index"]),
        ("x[x > 0, 1]", ["mask-index"]),
        ("x[torch.argmax(x)]", []),
        ("n = int(x.sum())\nx[:n]", ["slice"]),
        ("n = max(x.item(), 3)\nx[0, 1:n]", ["slice"]),
        ("n = int(flag)\nx[:n]", []),
        ("if x.is_cuda or x.size(0) > 2:\n    pass", []),
        ("if -x.sum() > 0:\n    pass", ["branch"]),
        ("if not x.any():\n    pass", ["branch"]),
        ("if x is None or x in flag:\n    pass", []),
        ("if x == 'mean':\n    pass", []),
        ("if 'mean' != x:\n    pass", []),
        ("if x == 0:\n    pass", ["branch"]),
        ("for i in range(x.sum()):\n    pass", ["loop"]),
        ("for i in range(len(x)):\n    pass", []),
        ("while flag:\n    pass\nelse:\n    y = x[y > 0]", ["mask-index"]),
    ],
)
def test_what_depends_on_values(lines: str, expected: list[str]) -> None:
    found = used(NET.format(body=textwrap.indent(lines, " " * 8)))
    assert [remark.kind for remark in found.remarks] == expected


@pytest.mark.parametrize(
    ("stars", "line", "expected"),
    [
        (["torch.nn"], "Linear(1, 1)", ["torch.nn.Linear"]),
        (["torch.nn"], "NoSuchLayer(1)", ["torch.nn.NoSuchLayer"]),  # nothing else can bring it
        (["torch.nn"], "print(1)\nValueError(1)\nget_ipython()", []),
        (["torch.nn"], "def Linear():\n    pass\nLinear()", []),
        (["torch.nn", "torch.nn.functional"], "grid_sample(GroupNorm(2, 4), 1)", ["torch.nn.functional.grid_sample", "torch.nn.GroupNorm"]),
        (["torch.nn", "mine"], "Linear(1, 1)", ["torch.nn.Linear"]),
        (["torch.nn", "mine"], "NoSuchLayer(1)", []),
        (["mindspore.nn"], "Dense(1, 1)", ["mindspore.nn.Dense"]),
    ],
)  # fmt: skip
def test_a_star_of_a_framework(stars: list[str], line: str, expected: list[str]) -> None:
    text = "".join(f"from {star} import *\n" for star in stars) + line
    assert sorted(names(text)) == sorted(expected)


def test_the_arguments_of_a_use() -> None:
    (use,) = used("import torch\ntorch.zeros(1, size, *rest, dtype=None, device=d, **more)\n").uses
    assert use.given == {"0": 1, "dtype": None} and use.names == ("0", "1", "2", "dtype", "device")
