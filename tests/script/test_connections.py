"""How layers are connected: what is built and never used, what is thrown away, which inputs are ignored."""

import textwrap
from pathlib import Path

import pytest

from accucheck.script.analysis import Reading, Scripts
from accucheck.script.connections import examine
from accucheck.script.networks import Observation
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption

HEAD = "import mindspore as ms\nfrom mindspore import nn, ops, Parameter, Tensor\n"
TRAIN = "ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)\n"
NET = """
{more}
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.main = nn.Dense(8, 8)
{init}

    def construct(self, x, y):
{construct}

net = Net()
"""


def said(folder: Path, text: str) -> list[Observation]:
    (folder / "train.py").write_text(HEAD + text, encoding="utf-8")
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    trace = follow(source, assumption("train"), project.find, folder)
    return list(examine(Scripts([Reading("train", "train", source, trace, project)])))


def network(init: str, construct: str, more: str = "") -> str:
    indent = " " * 8
    return NET.format(more=more, init=textwrap.indent(init, indent), construct=textwrap.indent(construct, indent))


def told(found: list[Observation]) -> list[str]:
    return [f"{one.code} {one.data.get('name', '')}".strip() for one in found]


CELLS = """
class Act(nn.Cell):
    def construct(self, x):
        return ops.relu(x)

class Pool(nn.Cell):
    def __init__(self):
        super().__init__()
        self.act, self.pool = Act(), nn.MaxPool2d(2)

    def construct(self, x):
        return self.pool(self.act(x))

class Relu(Pool):
    pass

class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.act = Act()

    def construct(self, x):
        return self.act(x)

class Down(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale, self.pool = 2, nn.MaxPool2d(2)

    def construct(self, x):
        return self.pool(x)

class Cast(Down):
    def __init__(self):
        super().__init__()
        self.pool = ops.Cast()

class Empty(nn.Cell):
    pass

def make():
    return nn.Dense(8, 8)

outside = nn.Dense(8, 8)
"""
#: What __init__ builds, and construct never asks for -> what is said of it.
UNUSED: dict[str, list[str]] = {
    "self.extra = nn.Dense(8, 8)": ["unused-layer extra"],
    "self.extra = make()": ["unused-layer extra"],
    "self.extra = outside": [],
    "self.extra = load(8)": [],
    "self.extra = nn.CellList([nn.Dense(8, 8), nn.Dense(8, 8)])": ["unused-layer extra"],
    "self.extra = [nn.Dense(8, 8)] * 2": ["unused-layer extra"],
    "self.extra = nn.SequentialCell()\nself.extra = None": [],
    "self.extra = Parameter(Tensor(1.0), name='w')": [],
    "self.extra = Parameter(initializer('normal', (1, 8, 8)))": ["unused-parameter extra"],
    "self.extra = Parameter(ops.zeros((1, 8)))": ["unused-parameter extra"],
    "self.extra = Parameter(ops.randn(8, 8))": ["unused-parameter extra"],
    "self.extra = Parameter(initializer('normal', (1, 8, 8)), requires_grad=False)": [],
    "self.weight = Parameter(load())": [],
    "self.bias = Parameter(ops.zeros(8))": [],
    "self.scales = [Parameter(load())]": [],
    "self.extra = nn.Dropout(p=0.1)": ["unused-dropout extra"],
    "self.extra = nn.Dropout(p=0.0)": ["unused-operators"],
    "self.extra = nn.Dropout(keep_prob=1)": ["unused-operators"],
    "self.extra = nn.Dropout(rate)": ["unused-dropout extra"],
    "self.relu = nn.ReLU()\nself.cat = ops.Concat()": ["unused-operators"],
    "self.crit = nn.MSELoss()": ["unused-operators"],
    "self.extra = nn.Identity() if load() else nn.Dense(8, 8)": ["unused-layer extra"],
    "self.extra = Pool()": ["unused-cell extra"],
    "self.extra = Outer()": ["unused-cell extra"],
    "self.extra = Act()": ["unused-operators"],
    "self.extra = Down()": ["unused-cell extra"],
    "self.extra = Cast()": ["unused-operators"],
    "self.extra = [nn.Dense(8, 8)]": ["unused-layer extra"],
    "self.extra = Relu()": ["unused-operators"],
    "self.extra = Empty()": [],
    "self.extra = Pool()\nself.main = nn.SequentialCell(Pool(), self.main)": [],
}


@pytest.mark.parametrize(
    ("construct", "expected"),
    [
        ("return drop(self.main(x), self.rate) + y", ["unused-operators"]),
        ("return drop(self.main(x), rate=self.rate) + y", ["unused-operators"]),
        ("return self.main(x) + self.rate * y", ["unused-dropout extra"]),
    ],
)
def test_a_dropout_whose_rate_goes_elsewhere(construct: str, expected: list[str], tmp_path: Path) -> None:
    text = network(
        "self.rate = load(8)\nself.extra = nn.Dropout(p=self.rate)",
        construct,
        "def drop(x, rate):\n    return x * rate\n",
    )
    assert told(said(tmp_path, text + TRAIN)) == expected


@pytest.mark.parametrize("init", UNUSED)
def test_what_is_built_and_never_used(tmp_path: Path, init: str) -> None:
    text = network(init, "return self.main(x) + y", CELLS)
    assert told(said(tmp_path, text + TRAIN)) == UNUSED[init]


@pytest.mark.parametrize(
    ("head", "after", "expected"),
    [
        ("class Net(nn.Cell):", "", ["unused-layer extra"]),
        ("class Net(nn.SequentialCell):", "", []),
        ("from mixins import Mixin\nclass Net(nn.Cell, Mixin):", "", []),
        ("class Net(nn.Cell):", "print(net.extra)", []),
        ("class Net(nn.Cell):", "print(getattr(net, 'extra'))", []),
        ("class Net(nn.Cell):", "print(net.extra(1))", []),
        ("class Net(nn.Cell):", "net.extra.to_float(ms.float16)", ["unused-layer extra"]),
        ("class Net(nn.Cell):", "print(len(net.extra.trainable_params()))", ["unused-layer extra"]),
        ("class Net(nn.Cell):", "class Big(Net):\n    def construct(self, x, y):\n        return self.extra(x)", []),
        ("class Net(nn.Cell):", "class Big(Net):\n    pass\nclass Net(Big):\n    pass", ["unused-layer extra"]),
    ],
)
def test_what_may_ask_for_it(tmp_path: Path, head: str, after: str, expected: list[str]) -> None:
    text = network("self.extra = nn.Dense(8, 8)", "return self.main(x) + y").replace("class Net(nn.Cell):", head)
    assert told(said(tmp_path, text + TRAIN + after + "\n")) == expected


@pytest.mark.parametrize("made", ["nn.Dense(8, 8)", "Parameter(ops.zeros((8, 8)))"])
@pytest.mark.parametrize(
    "used", ["return self.main(x) + y  # + self.extra", "# y = y * self.extra\nreturn self.main(x) + y"]
)
def test_what_a_comment_used_is_only_told(tmp_path: Path, made: str, used: str) -> None:
    assert told(said(tmp_path, network(f"self.extra = {made}", used) + TRAIN)) == ["unused-commented extra"]


def test_without_training_an_unused_layer_is_only_told(tmp_path: Path) -> None:
    text = network("self.extra = nn.Dense(8, 8)", "return self.main(x) + y") + "net(x, y)\n"
    assert told(said(tmp_path, text)) == ["unused-untrained extra"]


#: What __init__ builds beside a Dense that is used, and what construct asks for -> whether the norm may be spare.
NORMS: dict[tuple[str, str], bool] = {
    ("self.norm = nn.LayerNorm([8])", "self.main(x)"): False,
    ("self.norm = nn.LayerNorm([8])\nself.last = nn.LayerNorm([8])", "self.last(self.main(x))"): True,
    (
        "self.norm, self.more, self.last = nn.BatchNorm1d(8), nn.Dense(8, 8), nn.BatchNorm1d(8)",
        "self.last(self.more(self.main(x)))",
    ): False,
    (
        "self.norm, self.more, self.last = nn.BatchNorm1d(8), nn.Dense(8, 8), nn.LayerNorm([8])",
        "self.last(self.more(self.main(x)))",
    ): True,
    ("self.norm = nn.LayerNorm([8], begin_norm_axis=-1) if load() else None", "self.main(x)"): False,
    ("if load():\n    self.norm = nn.LayerNorm([8])", "self.main(x)"): True,
    ("self.norm = nn.Conv1d(8, 8, 1)", "self.main(x)"): True,
    (
        "import blocks\nself.wide, self.norm = blocks.Wide(8), nn.LayerNorm([8])\nself.last = nn.LayerNorm([8])",
        "self.last(self.wide(self.main(x)))",
    ): False,
}


@pytest.mark.parametrize("init, used", NORMS)
def test_a_normalization_that_is_never_called(tmp_path: Path, init: str, used: str) -> None:
    (found,) = said(tmp_path, network(init, f"return {used} + y") + TRAIN)
    assert (found.code, found.data["name"], found.possible) == ("unused-layer", "norm", NORMS[init, used])


def test_a_cell_around_a_normalization_that_it_never_calls(tmp_path: Path) -> None:
    more = """
class Pre(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm([8])

    def construct(self, x):
        return ops.cast(x, ms.float32)
"""
    (found,) = said(tmp_path, network("self.pre = Pre()", "return self.main(self.pre(x)) + y", more) + TRAIN)
    assert (found.code, found.possible) == ("unused-layer", False)


BACKBONE = """
class Body(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, 8, 3), nn.Dense(8, 9)

    def construct(self, x):
        return self.conv(x)
"""


@pytest.mark.parametrize(
    ("load", "construct", "expected"),
    [
        ("ms.load_checkpoint('a.ckpt', net)\n", "return self.main(self.body(x)) + y", ["unused-tail fc"]),
        ("", "return self.main(self.body(x)) + y", ["unused-tail fc"]),
        ("ms.load_checkpoint('a.ckpt', net)\n", "return self.body(x) + self.main(y)", ["unused-layer fc"]),
    ],
)
def test_the_last_layers_of_a_loaded_backbone(tmp_path: Path, load: str, construct: str, expected: list[str]) -> None:
    text = network("self.body = Body()", construct, BACKBONE) + load + TRAIN
    assert told(said(tmp_path, text)) == expected


#: Two layers and a use of one of them twice -> what is said, and the line that is offered.
TWINS: dict[tuple[str, str], tuple[str, str | None]] = {
    (
        "self.query, self.key = nn.Dense(8, 8), nn.Dense(8, 8)",
        "q = self.query(x)\nkey = self.query(y)\nreturn q + key",
    ): (
        "twin-used-twice key",
        "key = self.key(y)",
    ),
    ("self.query, self.key = nn.Dense(8, 8), nn.Dense(8, 8)", "a = self.query(x)\nb = self.query(y)\nreturn a + b"): (
        "twin-used-twice key",
        None,
    ),
    ("self.fc1, self.fc2 = nn.Dense(8, 8), nn.Dense(8, 8)", "return self.fc1(self.fc1(x)) + y"): (
        "twin-used-twice fc2",
        None,
    ),
    (  # once, on a way that ends before the other
        "self.fc1, self.fc2 = nn.Dense(8, 8), nn.Dense(8, 8)",
        "if y is None:\n    return self.fc1(x)\nreturn self.fc1(x) + y",
    ): ("unused-layer fc2", None),
    (
        "self.fc1, self.fc2 = nn.Dense(8, 8), nn.Dense(8, 8)",
        "if y is None:\n    x = self.fc1(x)\nreturn self.fc1(x) + y",
    ): ("twin-used-twice fc2", None),
    ("self.fc1, self.fc9 = nn.Dense(8, 8), nn.Dense(8, 8)", "return self.fc1(self.fc1(x)) + y"): (
        "twin-used-twice? fc9",
        None,
    ),
    ("self.fc1, self.fc2 = nn.Dense(8, 8), nn.Conv2d(8, 8, 1)", "return self.fc1(self.fc1(x)) + y"): (
        "unused-layer fc2",
        None,
    ),
    ("self.W_Q, self.W_K = nn.Dense(8, 8), nn.Dense(8, 8)", "return self.W_Q(x) @ self.W_Q(y)"): (
        "twin-used-twice W_K",
        None,
    ),
    (
        "self.a, self.b, self.c, self.d = nn.Dense(8, 4), nn.Dense(8, 4), nn.Dense(8, 4), nn.Dense(8, 4)",
        "return self.a(self.b(x) + self.c(y)) @ self.a(x)",
    ): ("twin-used-twice d", None),
    (
        "self.a, self.b, self.c, self.d = nn.Dense(8, 4), nn.Dense(8, 4), nn.Dense(8, 4), nn.Dense(8, 4)",
        "return self.a(self.b(x) + self.c(y)) @ self.a(x) + self.b(y)",
    ): ("twin-used-twice? d", None),
    (
        "self.a, self.b, self.c, self.d = nn.Dense(8, 4), nn.Dense(8, 4), nn.Dense(8, 4), nn.Dense(8, 4)",
        "if y is None:\n    k, v = self.b(x), self.c(x)\nelse:\n    k, v = self.b(y), self.c(y)\nreturn self.a(k + v) @ self.a(x)",
    ): ("twin-used-twice d", None),
    (
        "self.a, self.b, self.c, self.d = nn.Dense(8, 4), nn.Dense(8, 4), nn.Dense(8, 4), nn.Dense(8, 4)",
        "k = self.b(x)\nif y is not None:\n    k = self.b(y)\nreturn self.a(k + self.c(x)) @ self.a(x)",
    ): ("twin-used-twice? d", None),
    # what is given at the two calls is called as the two layers are, or is not
    (
        "self.left_map, self.right_map = nn.Dense(8, 4), nn.Dense(8, 4)",
        "h_left, h_right = x * 2, y * 2\nreturn self.left_map(h_left) @ self.left_map(h_right)",
    ): ("twin-used-twice right_map", None),
    (
        "self.left_map, self.right_map = nn.Dense(8, 4), nn.Dense(8, 4)",
        "h_left, h_below = x * 2, y * 2\nreturn self.left_map(h_left) @ self.left_map(h_below)",
    ): ("twin-used-twice? right_map", None),
    ("self.main2 = nn.Dense(8, 8)\nself.extra = nn.Dense(8, 8)", "return self.main2(self.main2(x)) + y"): (
        "twin-used-twice? extra",
        None,
    ),
    ("self.main2 = nn.Dense(8, 8)\nself.extra = nn.Dense(8, 4)", "return self.main2(self.main2(x)) + y"): (
        "unused-layer extra",
        None,
    ),
}


@pytest.mark.parametrize("init, construct", TWINS)
def test_a_layer_beside_one_that_is_used_twice(tmp_path: Path, init: str, construct: str) -> None:
    code, line = TWINS[init, construct]
    found = said(tmp_path, network(init, "x = self.main(x)\n" + construct) + TRAIN)
    codes = [f"{one.code}{'?' * (one.possible and one.code != 'unused-layer')}" for one in found]
    told = [(code, one.data["name"], one.edit and one.edit[1].strip()) for code, one in zip(codes, found, strict=True)]
    assert told == [(*code.split(), line)]
    lines = (tmp_path / "train.py").read_text().splitlines()
    assert all(
        "self." in lines[one.line - 1] and "nn." not in lines[one.line - 1] for one in found if "twin" in one.code
    )


PART = """
class Part(nn.Cell):
    def __init__(self, aux=False):
        super().__init__()
        self.a, self.b = nn.Dense(8, 8), nn.Dense(8, 8)
        self.relu = nn.ReLU()
        if aux:
            self.aux = nn.Dense(8, 8)

    def construct(self, x):
        return self.a(x), self.b(x)

    def ignoring(self, x, z):
        return x

class Aux(Part):
    def construct(self, x):
        return self.a(self.b(x)), self.aux(x)
"""
P, W = "self.part = Part()", "self.w = Parameter(load())"
#: __init__, construct -> what is said of results that are thrown away.
RESULTS: dict[tuple[str, str], list[str]] = {
    (P, "a, b = self.part(x)\nreturn self.main(a) + b + y"): [],
    (P, "a, b = self.part(x)\nreturn self.main(a) + y"): ["caller-unread self.b"],
    (P, "a = self.part(x)[0]\nreturn self.main(a) + y"): ["caller-drops self.b"],
    ("self.part = Aux(aux=True)", "a, _ = self.part(x)\nreturn self.main(a) + y"): ["asked-and-dropped self.aux"],
    ("self.part = Aux(True)", "a, _ = self.part(x)\nreturn self.main(a) + y"): ["asked-and-dropped self.aux"],
    ("flag = load()\nself.part = Aux(aux=flag)", "a, _ = self.part(x)\nreturn self.main(a) + y"): [
        "caller-drops self.aux"
    ],
    (P, "z = self.part(x)\nreturn self.main(x) + y"): ["result-unused self.part"],
    (P, "self.part(x)\nreturn self.main(x) + y"): ["result-discarded self.part"],
    (P, "_ = self.part(x)\nreturn self.main(x) + y"): ["result-underscore self.part"],
    ("pass", "z = self.main(x)\nz = ops.relu(y)\nreturn z + x"): ["result-overwritten self.main"],
    ("self.fc = nn.Dense(8, 8)", "z = self.main(x)\nz = self.fc(x)\nreturn z + y"): ["result-overwritten self.main"],
    ("self.relu = nn.ReLU()", "z = self.relu(x)\nreturn self.main(x) + y"): ["result-unused self.relu"],
    ("self.relu = nn.ReLU()", "self.relu(x)\nreturn self.main(x) + y"): ["call-discarded self.relu"],
    ("self.fill = ops.MaskedFill()", "x = self.main(x)\nself.fill(x, y, 0.0)\nreturn x"): ["call-discarded self.fill"],
    (W, "a = ops.matmul(x, self.w)\nb = y @ self.w\nreturn self.main(a)"): ["result-unused y @ self.w"],
    (W, "a = ops.matmul(x, self.w)\nb = ops.matmul(y, self.w)\nreturn self.main(a)"): ["result-unused ops.matmul"],
    (W, "a = ops.matmul(x, self.w)\nb = ops.matmul(y, self.w)\nreturn self.main(a * b)"): [],
    (P, "x = self.main(x)\nx.masked_fill(y == 0, -1e9)\nreturn x"): ["call-discarded x.masked_fill"],
    (P, "x = self.main(x)\nops.masked_fill(x, y == 0, -1e9)\nreturn x"): ["call-discarded ops.masked_fill"],
    (P, "x = self.main(x)\nx = x.masked_fill(y == 0, -1e9)\nx.asnumpy()\nprint(x.shape)\nreturn x"): [],
    ("self.bn = nn.BatchNorm1d(8)", "self.bn(x)\nreturn self.main(x) + y"): ["result-discarded self.bn"],
    ("self.bn = nn.BatchNorm1d(8)", "self.bn(x)\nreturn self.main(x - self.bn.moving_mean) + y"): [],
    (
        "self.bn = nn.BatchNorm1d(8)\nself.bn.moving_mean = ms.Parameter(ms.ops.zeros(8))",
        "self.bn(x)\nreturn self.main(x - self.bn.moving_mean) + y",
    ): [],
    (
        "self.write = ms.ops.operations._tensor_array.TensorArrayWrite()\nself.at = ms.Parameter(ms.ops.zeros(1))",
        "self.write(y, self.at, x)\nreturn self.main(x) + y",
    ): [],
    ("self.bn = nn.BatchNorm1d(8)", "self.bn(x)\nreturn self.main(self.bn(y))"): [],
    ("self.bn = nn.BatchNorm1d(8)", "self.bn(x)\nreturn self.main(x), self.bn.moving_variance"): [],
    ("self.bn = nn.SequentialCell(nn.BatchNorm1d(8))", "self.bn(x)\nreturn self.main(x) + y"): [
        "result-discarded self.bn"
    ],
    ("pass", "z = ops.relu(x)\nreturn self.main(x) + y"): ["result-unused ops.relu"],
    ("pass", "z = ops.relu(x)\nz = ops.tanh(y)\nreturn self.main(x) + z"): ["result-perhaps-replaced ops.relu"],
    ("self.relu = ops.ReLU()", "z = self.relu(x)\nreturn self.main(x) + y"): ["result-unused self.relu"],
    ("pass", "size = ops.relu(x)\nreturn self.main(x) + y"): [],
    ("pass", "z = ops.shape(x)\nreturn self.main(x) + y"): [],
    ("pass", "z = x * 2\nreturn self.main(x) + y"): ["result-unused x * 2"],
    ("pass", "z = x * x.shape[0]\nreturn self.main(x) + y"): ["result-unused x * x.shape[0]"],
    ("pass", "n = 4 * (x.shape[0] - 1)\nz = ops.arange(0, n // 2).view(-1)\nreturn self.main(x) + y"): [],
    ("pass", "z = ops.Concat(-1)((ops.arange(len(x)), ops.arange(len(y))))\nreturn self.main(x) + y"): [],
    ("pass", "z = helper.rank(x) * 2\nreturn self.main(x) + y"): ["result-unused helper.rank(x) * 2"],
    ("pass", "z = ops.randn(x.shape) * 2\nreturn self.main(x) + y"): ["result-unused ops.randn(x.shape) * 2"],
    ("pass", "z = x + y\nreturn self.main(x) + y"): ["result-unused x + y"],
    ("pass", "z = 'part_' + str(x)\nreturn self.main(x) + y"): [],
    ("pass", "z = ()\nif y is not None:\n    z = z + (x,)\nreturn self.main(x) + y"): [],
    ("pass", "z = 3 * 2\nreturn self.main(x) + y"): [],
    (W, "z = self.w[x]\nreturn self.main(x) + y"): ["result-unused self.w"],
    (W, "z = self.w.matmul(x)\nreturn self.main(x) + y"): ["result-unused self.w.matmul"],
    (W, "z = self.w.astype(ms.float16)\nreturn self.main(x) + y"): [],
    ("self.mul = ops.MatMul()\n" + W, "z = self.mul(x, self.w)\nreturn self.main(x) + y"): ["result-unused self.mul"],
    (P, "z = self.part.ignoring(x, self.main(x))\nreturn z + y"): ["result-ignored self.main"],
    (f"{P}\n{W}", "z = self.part.ignoring(x, self.w[0])\nreturn self.main(z) + y"): [],
    ("pass", "z = self.main(x)\nif False:\n    x = x + z\nreturn self.main(x) + y"): ["result-unused self.main"],
    ("pass", "z = ops.relu(x)\nif False:\n    x = x + z\nreturn self.main(x) + y"): [],
}


@pytest.mark.parametrize("name", ["validate", "compute"])
@pytest.mark.parametrize("construct", ["return self.main(x) + y", "return self.{}(x, y)"])
def test_what_is_left_over_in_an_evaluation(tmp_path: Path, name: str, construct: str) -> None:
    method = f"    def {name}(self, x, y):\n        z = self.main(x)\n        return self.main(y)\n"
    text = network("pass", construct.format(name)).replace("    def construct", f"{method}\n    def construct", 1)
    found = told(said(tmp_path, text + TRAIN + f"print(net.{name}(x, y))\n"))
    assert found == ([] if name == "validate" and "main" in construct else ["result-unused self.main"])


@pytest.mark.parametrize(
    ("construct", "outer"),
    [
        ("z = self.part(x)\nreturn self.main(x) + y", ["result-unused self.part"]),
        ("return self.main(self.part(x)) + y", []),
    ],
)
def test_a_call_by_itself_is_told_whatever_becomes_of_its_cell(
    tmp_path: Path, construct: str, outer: list[str]
) -> None:
    more = """
class Part(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(8, 8), nn.Dense(8, 8)

    def construct(self, x):
        self.b(x)
        return self.a(x)
"""
    found = told(said(tmp_path, network("self.part = Part()", construct, more) + TRAIN))
    assert sorted(found) == ["result-discarded self.b", *outer]


@pytest.mark.parametrize("init, construct", RESULTS)
def test_results_that_are_thrown_away(tmp_path: Path, init: str, construct: str) -> None:
    found = said(tmp_path, network(init, construct, PART) + TRAIN)
    assert [one for one in told(found) if not one.startswith("unused")] == RESULTS[init, construct]


def in_training_and_evaluation(folder: Path, init: dict[str, str], construct: dict[str, str]) -> list[str]:
    """What is told of a network that the training builds one way and the evaluation another."""
    ends = {"train": TRAIN, "eval": "ms.Model(net, nn.MSELoss(), metrics={'mae'}).eval(data)\n"}
    readings = []
    for role, end in ends.items():
        text = network(init[role], construct[role] + "\nreturn self.main(x) + y")
        (folder / f"{role}.py").write_text(HEAD + text + end, encoding="utf-8")
        source, project = read(folder / f"{role}.py", f"{role}.py"), Project(folder, folder)
        readings.append(Reading(role, role, source, follow(source, assumption(role), project.find, folder), project))
    return told(list(examine(Scripts(readings))))


@pytest.mark.parametrize(("line", "codes"), [("x = self.relu(x)", []), ("self.relu(x)", ["call-discarded self.relu"])])
def test_the_network_of_the_evaluation_alone(tmp_path: Path, line: str, codes: list[str]) -> None:
    init = dict.fromkeys(("train", "eval"), "self.relu = nn.ReLU()")
    assert in_training_and_evaluation(tmp_path, init, {"train": "x = self.relu(x)", "eval": line}) == codes


@pytest.mark.parametrize(("role", "codes"), [("train", ["unused-dropout drop"]), ("eval", ["unused-operators"])])
def test_a_dropout_that_only_the_evaluation_leaves_out(tmp_path: Path, role: str, codes: list[str]) -> None:
    init = {"train": "pass", "eval": "pass", role: "self.drop = nn.Dropout(p=0.5)"}
    assert in_training_and_evaluation(tmp_path, init, dict.fromkeys(("train", "eval"), "pass")) == codes


@pytest.mark.parametrize(
    ("line", "edit"),
    [
        ("self.relu(x)", "x = self.relu(x)"),
        ("self.relu(x); y = y + x", "x = self.relu(x); y = y + x"),
        ("self.relu(self.main(x))", None),
        ("self.relu(\n    x)", None),
        ("if load(): self.relu(x)", None),
    ],
)
def test_the_edit_that_keeps_a_result(tmp_path: Path, line: str, edit: str | None) -> None:
    found = said(tmp_path, network("self.relu = nn.ReLU()", line + "\nreturn self.main(x) + y") + TRAIN)
    (one,) = [one for one in found if one.code == "call-discarded"]
    assert (one.edit and one.edit[1].strip()) == edit


SIBLING = """
class Part(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 8)

    def construct(self, {given}):
        return {part}

class Twin(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 8)

    def construct(self, {given}):
        return {twin}
"""


@pytest.mark.parametrize(
    ("given", "part", "twin", "construct", "expected"),
    [
        ("a, feat", "self.fc(a)", "a", "self.part(h, self.main(h))", []),
        ("a, skip", "self.fc(a)", "a", "self.part(self.main(h), h)", ["input-ignored skip"]),
        ("a, feat", "self.fc(a)", "a", "self.part(self.main(h), h)", ["input-perhaps-ignored feat"]),
        ("a, feat", "self.fc(a)", "a + feat", "self.part(self.main(h), h)", ["input-ignored feat"]),
        ("a, feat", "self.fc(ops.cat((a, a)))", "a", "self.part(self.main(h), h)", ["input-ignored feat"]),
        ("a, feat", "self.fc(a) + feat", "a", "self.part(self.main(h), h)", []),
        ("a, _b", "self.fc(a)", "a", "self.part(self.main(h), h)", []),
        ("a, mask", "self.fc(a)", "a", "self.part(self.main(h), h)", []),
        ("a, feat", "self.fc(a)", "a", "self.part(self.main(h), y)", []),
        ("a, feat", "self.fc(a)", "a", "self.part(x, x)", []),
    ],
)
def test_inputs_that_are_ignored(
    tmp_path: Path, given: str, part: str, twin: str, construct: str, expected: list[str]
) -> None:
    more = SIBLING.format(given=given, part=part, twin=twin)
    text = network("self.part, self.twin = Part(), Twin()", f"h = self.main(x)\nreturn self.twin({construct}, y)", more)
    found = [one for one in told(said(tmp_path, text + TRAIN)) if one.startswith("input")]
    assert found == expected


INTERFACE = """
class Grow(nn.Cell):
    def construct(self, value, style):
        return ops.relu(value)

class Shrink(nn.Cell):
    def construct(self, value, style):
        {shrink}

class Mix(nn.Cell):
    def __init__(self):
        super().__init__()
        self.to_scale = nn.Dense(8, 8)

    def construct(self, value, style):
        return value * self.to_scale(style)
"""


@pytest.mark.parametrize(
    ("shrink", "expected"), [("return ops.tanh(value)", []), ("return value - style", ["input-ignored style"])]
)
def test_an_input_that_several_cells_of_one_interface_ignore(tmp_path: Path, shrink: str, expected: list[str]) -> None:
    construct = "s = self.main(x)\nv = self.mix(s + 1, s)\nreturn self.shrink(self.grow(v, s), s) + y"
    made = "self.grow, self.shrink, self.mix = Grow(), Shrink(), Mix()"
    text = network(made, construct, INTERFACE.format(shrink=shrink))
    assert [one for one in told(said(tmp_path, text + TRAIN)) if one.startswith("input")] == expected


CHOSEN = """
class Part(nn.Cell):
    def __init__(self, boxes=False):
        super().__init__()
        self.boxes = boxes
        self.low, self.high = nn.Dense(8, 8), nn.Dense(8, 8)

    def construct(self, x):
        return self.with_boxes(x) if self.boxes else self.plain(x)

    def plain(self, x):
        return self.low(x) + self.high(x)

    def with_boxes(self, x):
        coarse = self.low(x)
        return self.high(x)
"""


@pytest.mark.parametrize(("made", "certain"), [("Part()", False), ("Part(boxes=True)", True)])
def test_a_result_that_is_dropped_on_a_way_that_is_not_taken(tmp_path: Path, made: str, certain: bool) -> None:
    found = said(tmp_path, network(f"self.part = {made}", "return self.main(self.part(x)) + y", CHOSEN) + TRAIN)
    assert [(one.code, one.certain) for one in found if one.code == "result-unused"] == [("result-unused", certain)]


@pytest.mark.parametrize(
    ("construct", "expected"),
    [
        ("residual = x\nx = self.main(x)\nreturn x + y", ["residual-left-out residual"]),
        ("residual = x\nx = self.main(x)\nreturn x + residual + y", []),
        ("identity = None\nreturn self.main(x) + y", []),
        ("skip = x\nskip = skip * 2\nreturn self.main(x) + y", ["residual-left-out skip"]),
        ("h = x\nx = self.main(x)\nh = x\nreturn self.main(x) + h + y", ["residual-left-out h"]),
        ("h = x\nx = self.main(x) + h\nh = x\nreturn self.main(x) + h + y", []),
        ("h = x\nz = self.main(x)\nreturn self.main(x) * z + y", []),  # two branches, neither of which needs it
        ("h = x\nif y is None:\n    h = y\nreturn self.main(x) + h", []),
        ("h = x\nx = self.main(x) + x\nreturn x + y", []),  # the first name is added in its place
        ("h = x\nx = self.main(ops.cat((x, y)))\nreturn x", []),
        ("h0 = x\nx = self.main(x)\nh1 = x\nreturn h1 * self.main(h1) + y", []),  # a feature of each stage
        ("h0 = x\nx = self.main(x)\nh1 = x\nreturn self.main(x) + h1 + y", ["residual-left-out h0"]),
        ("h0 = x\nx = self.main(x)\nh1 = x\nz = self.main(x)\nh2 = z\nreturn [h1, h2], z + y", []),  # one is left out
        ("h0 = x\nx = self.main(x)\nz = self.main(x)\nh1 = z\nreturn [h1, y], z", ["residual-left-out h0"]),
        ("h = x\nx += self.main(x)\nreturn x + y", []),
        ("h = x\nreturn self.main(y)", []),
        ("x, h = y, x\nreturn self.main(x)", []),
        ("h = x\nfor _ in range(2):\n    x = self.main(x) + h\n    h = x\nreturn x + y", []),
    ],
)
def test_a_residual_that_is_put_aside(tmp_path: Path, construct: str, expected: list[str]) -> None:
    found = told(said(tmp_path, network("pass", construct) + TRAIN))
    assert [one for one in found if one.startswith("residual")] == expected


ADDED = """
class Add(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm, self.add = nn.LayerNorm([8]), ops.Add()

    def construct(self, x, y):
        return self.norm({sum})
"""


@pytest.mark.parametrize("total", ["x + y", "self.add(x, y)", "ops.add(x, y)"])
@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("self.add2(h, self.fc(z))", "skips-a-sum: return self.add2(h, self.fc(z))"),
        ("self.add2(z, self.fc(z))", None),
    ],
)
def test_a_sum_that_is_skipped(tmp_path: Path, total: str, use: str, expected: str | None) -> None:
    text = network(
        "self.fc = nn.Dense(8, 8)\nself.add1, self.add2 = Add(), Add()",
        f"h = self.main(x)\nz = self.add1(h, self.fc(y))\nreturn {use}",
        ADDED.format(sum=total),
    )
    found = said(tmp_path, text + TRAIN)
    lines = [f"{one.code}: {one.source.lines[one.line - 1].strip()}" for one in found if one.code == "skips-a-sum"]
    assert lines == ([] if expected is None else [expected])


def test_a_sum_is_skipped_within_one_construct(tmp_path: Path) -> None:
    init = "self.fc = nn.Dense(8, 8)\nself.norm1, self.norm2 = nn.LayerNorm([8]), nn.LayerNorm([8])"
    construct = "h = self.main(x)\nz = self.norm1(h + self.fc(y))\nreturn self.norm2(h + self.fc(z))"
    found = said(tmp_path, network(init, construct) + TRAIN)
    assert [(one.code, one.source.lines[one.line - 1].strip()) for one in found] == [
        ("skips-a-sum", "return self.norm2(h + self.fc(z))")
    ]


@pytest.mark.parametrize(("result", "possible"), [("ops.concat((x, y), 0)", True), ("ops.relu(x)", False)])
def test_a_result_that_only_arranges_elements_is_a_suspect(tmp_path: Path, result: str, possible: bool) -> None:
    found = said(tmp_path, network("pass", f"z = {result}\nreturn self.main(x) + y") + TRAIN)
    assert [one.possible for one in found if one.code == "result-unused"] == [possible]


#: Loops of the script that use a name of the network.
LOOPS = {
    "of the data": "for x, z in data:\n    step(x, z)\n",
    "of the epochs": "def run():\n    for x, z in data:\n        step(x, z)\n\nfor z in range(3):\n    run()\n    print(z)\n",
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(
    ("construct", "expected"),
    [
        ("z = self.main(x)\nreturn self.part(y)", ["result-unused self.main"]),
        ("z = x\nfor _ in range(3):\n    w = self.main(z)\n    z = w\nreturn self.part(y)", []),
        ("z = self.main(x)\nreturn self.part(z)", []),
    ],
)
def test_a_name_in_a_loop_of_the_script_is_not_that_of_the_network(
    tmp_path: Path, construct: str, expected: list[str], loop: str
) -> None:
    train = "step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))\n"
    text = network("self.part = nn.Dense(8, 8)", construct).replace("x, y):", "x, y=None):") + train + LOOPS[loop]
    assert told(said(tmp_path, text)) == expected


STAGES = """
class Part(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.bn = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)

    def construct(self, x):
        x = self.conv(x)
        return self.bn(x)
"""


@pytest.mark.parametrize(
    ("again", "expected"), [("x", ["result-again self.stage"]), ("2 * x", ["result-unused self.stage"])]
)
def test_a_stage_of_cells_that_is_asked_again_for_the_same_input_loses_nothing(
    again: str, expected: list[str], tmp_path: Path
) -> None:
    init = "self.stage = nn.SequentialCell(Part(), nn.ReLU())"
    construct = f"probe = self.stage(x)\nreturn self.main(self.stage({again}))"
    assert told(said(tmp_path, network(init, construct, STAGES) + TRAIN)) == expected


@pytest.mark.parametrize(("stored", "expected"), [(True, []), (False, ["result-unused ops.BatchMatMul"])])
def test_a_measure_that_is_put_under_a_key_which_this_training_does_not_read_is_no_loss(
    stored: bool, expected: list[str], tmp_path: Path
) -> None:
    construct = f"""
out = self.main(x)
if len(ops.nonzero(y)) > 0:
    error = ops.BatchMatMul()(out, y)
told = {{}}
if len(ops.nonzero(y)) > 0:
    told["error"] = {"error" if stored else "None"}
told["loss"] = ((out - y) ** 2).mean()
return told
"""
    step = """
opt = nn.Adam(net.trainable_params())
grad = ms.value_and_grad(lambda x, y: net(x, y)["loss"], None, opt.parameters)
for x, y in data:
    loss, grads = grad(x, y)
    opt(grads)
"""
    assert told(said(tmp_path, network("", construct) + step)) == expected


@pytest.mark.parametrize(("asked", "expected"), [("self.one(x)", []), ("x", ["unused-layer"])])
def test_a_layer_of_two_names_is_told_once_and_used_by_either(tmp_path: Path, asked: str, expected: list[str]) -> None:
    text = "import mindspore as ms\nfrom mindspore import nn\nclass Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
    text += "        self.first = self.one = nn.Dense(8, 8)\n        self.head = nn.Dense(8, 3)\n"
    text += f"    def construct(self, x):\n        return self.head({asked})\nnet = Net()\n"
    text += "ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params())).train(1, data)\n"
    assert [one.code for one in said(tmp_path, text) if one.code.startswith("unused")] == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [("nn.MSELoss()(out, y) / 2", []), ("((out - y) ** 2).sum() / y.sum()", []), ("ops.exp(out)", ["result-unused"])],
)
def test_what_a_cell_that_gives_the_loss_leaves_unused(tmp_path: Path, result: str, expected: list[str]) -> None:
    construct = f"out = self.main(x)\nother = ops.exp(x) * out\nreturn {result}"
    text = network("", construct) + TRAIN.replace("nn.MSELoss()", "None")
    assert [one.code for one in said(tmp_path, text) if one.code.startswith("result")] == expected
