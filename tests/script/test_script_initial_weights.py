"""What the weights of networks start from, in the ways people write it."""

import textwrap
from pathlib import Path

import pytest

from accucheck.model import Sure
from accucheck.script.analysis import Reading, Scripts
from accucheck.script.initial_weights import Observation, examine, examined
from accucheck.script.project import Project
from accucheck.script.source import read
from accucheck.script.trace import follow
from accucheck.script.training import assumption

HEAD = """
import numpy as np
import mindspore as ms
import mindspore.numpy as mnp
from mindspore import nn, ops, Parameter, Tensor
from mindspore.ops import operations as P
from mindspore.common.initializer import initializer, Zero, One, Constant, Normal, XavierUniform
"""
NET = """
class Net(nn.Cell):
    def __init__(self, init):
        super().__init__()
        self.first = nn.Dense(8, 8)
{init}

    def construct(self, x):
{construct}

net = Net(load())
{after}
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
"""


def scripts(folder: Path, text: str) -> Scripts:
    (folder / "train.py").write_text(HEAD + text)
    source = read(folder / "train.py", "train.py")
    project = Project(folder, folder)
    trace = follow(source, assumption("train"), project.find, folder)
    return Scripts([Reading("train", "train", source, trace, project)])


def said(folder: Path, text: str, *meant: str) -> list[Observation]:
    return list(examine(scripts(folder, text), meant))


def network(init: str, construct: str = "return self.first(x)", after: str = "") -> str:
    indent = " " * 8
    return NET.format(init=textwrap.indent(init, indent), construct=textwrap.indent(construct, indent), after=after)


#: The first tensor of a weight -> the one number that all of it is, None where it is random or not seen.
TENSORS: dict[str, float | None] = {
    "'zeros'": 0,
    "'ones'": 1,
    "'normal'": None,
    "Zero()": 0,
    "One()": 1,
    "Constant(0.3)": 0.3,
    "Constant(value=0.3)": 0.3,
    "Normal(0.02)": None,
    "Normal(0.0, 0.02)": 0.02,
    "Normal(sigma=0)": 0,
    "Normal(0.02, 0.0)": None,
    "Normal(load())": None,
    "1" + "0" * 400: None,
    "Tensor(np.zeros((8, 8)), ms.float32)": 0,
    "Tensor(np.ones((8, 8)).astype(np.float32))": 1,
    "Tensor(np.full((8, 8), 0.3))": 0.3,
    "Tensor(np.full(shape=(8, 8), fill_value=np.random.rand()))": None,
    "Tensor([[0.5, 0.5], [0.5, 0.5]])": 0.5,
    "Tensor([[0.5, 0.5], [0.5, 0.4]])": None,
    "Tensor([" + "0, " * 100 + "1])": None,
    "Tensor(shape=(8, 8), dtype=ms.float32, init=Zero())": 0,
    "Tensor(np.random.rand(8, 8) * 0)": 0,
    "Tensor(np.random.rand(8, 8) * 0.1)": None,
    "Tensor(np.ones((8, 8)) * 0.1)": 0.1,
    "Tensor(np.ones((8, 8)) / 4)": 0.25,
    "Tensor(np.ones((8, 8)) / 0)": None,
    "Tensor(np.ones((8, 8)) + 1 - 0.5)": 1.5,
    "Tensor(-np.ones((8, 8)))": -1,
    "Tensor(-np.random.rand(8, 8))": None,
    "Tensor(np.array('zeros'))": None,
    "Tensor(np.load('w.npy'))": None,
    "ops.zeros((8, 8), ms.float32)": 0,
    "mnp.ones((8, 8))": 1,
    "P.Zeros()((8, 8), ms.float32)": 0,
    "P.Ones()((8, 8), ms.float32)": 1,
    "P.Fill()(ms.float32, (8, 8), 0.3)": 0.3,
    "P.Fill()(ms.float32)": None,
    "P.Cast()(np.zeros((8, 8)), ms.float32)": 0,
    "P.Transpose()(np.zeros((8, 8)), (1, 0))": 0,
    "ops.fill(ms.float32, (8, 8), 0)": 0,
    "ops.full((8, 8), 0.3)": 0.3,
    "initializer('zeros', [8, 8], ms.float32)": 0,
    "initializer(Normal(0.02), [8, 8])": None,
    "'zeros' if a else Zero()": 0,
    "Tensor(np.zeros((8, 8)) if a else Zero())": 0,
    "Tensor(np.zeros((8, 8)) if a else np.ones((8, 8)))": None,
    "Zero() if a else Normal()": 0,
    "XavierUniform() if a else Normal()": None,
}


@pytest.mark.parametrize("initial", TENSORS)
def test_the_one_number_of_a_matrix(tmp_path: Path, initial: str) -> None:
    init = f"self.second = nn.Dense(8, 8, weight_init={initial})"
    found = said(tmp_path, network(init, "return self.second(self.first(x))"))
    assert [one.data["value"] for one in found] == ([] if TENSORS[initial] is None else [TENSORS[initial]])


@pytest.mark.parametrize(("first", "value"), [("np.zeros((8, 8))", [0]), ("np.random.rand(8, 8)", [])])
def test_a_number_is_worked_out_once_for_each_array(tmp_path: Path, first: str, value: list[int]) -> None:
    """Four million ways lead from the last of these sums to the first."""
    init = "\n".join([f"w0 = {first}", *(f"w{at + 1} = w{at} + w{at}" for at in range(22))])
    found = said(
        tmp_path,
        network(f"{init}\nself.second = nn.Dense(8, 8, weight_init=Tensor(w22))", "return self.second(self.first(x))"),
    )
    assert [one.data["value"] for one in found] == value


#: A second layer -> what is said of it, and how sure.
LAYERS: dict[str, list[tuple[str, str]]] = {
    "self.fc2 = nn.Dense(8, 8)": [],
    "self.fc2 = nn.Dense(8, 8, bias_init='zeros')": [],
    "self.fc2 = nn.Dense(8, 8, 'zeros')": [("zero-weights", "likely")],  # the layer nearest to the loss
    "self.fc2 = nn.Dense(8, 8, weight_init='ones')": [("constant-scores", "certain")],  # labels tell its units apart
    "self.fc2 = nn.SequentialCell(nn.Dense(8, 8, weight_init='ones'), nn.ReLU(), nn.Dense(8, 8))": [
        ("constant-weights", "certain")
    ],
    "self.fc2 = nn.Dense(8, 1, weight_init='ones')": [("constant-possible", "certain")],
    "self.fc2 = nn.Conv2d(8, 8, 3, group=8, weight_init='ones')": [("constant-possible", "certain")],
    "self.fc2 = nn.Dense(8, 8, False)": [("flag-as-initial", "certain")],
    "self.offset = nn.Dense(8, 8, 'zeros')": [("meant-constant", "certain")],
    "self.offset = nn.Dense(8, 8, 'ones')": [("constant-scores", "certain")],
    "self.fc2 = nn.Dense(8, 8, 'zeros')  # identity at the start": [("meant-constant", "certain")],
    "self.fc2 = nn.Dense(8, 8, 'zeros')  # for the residual block": [("meant-constant", "certain")],
    "self.blur = nn.Conv2d(8, 8, 3, group=8, weight_init='ones')": [("fixed-weights", "certain")],
    "self.blur = nn.Conv2d(8, 1, 3, weight_init='ones')": [("fixed-weights", "certain")],
    "self.blur = nn.Conv2d(8, 8, 3, weight_init='ones')": [("constant-scores", "certain")],  # eight outputs alike
    "self.pooling = nn.Dense(8, 8, weight_init='ones')": [("constant-weights", "certain")],
    "self.fc2 = nn.Dense(8, 8, 'zeros')\nself.fc2.weight.requires_grad = False": [("fixed-weights", "certain")],
    "self.fc2 = nn.Dense(8, 8, 'zeros', bias_init=Normal())": [("zero-possible", "certain")],
    "if init == 'zeros':\n    self.fc2 = nn.Dense(8, 8, 'zeros')\nelse:\n    self.fc2 = nn.Dense(8, 8)": [
        ("zero-possible", "certain")
    ],
    "self.fc2 = nn.Dense(8, 8, init)": [],
    "self.fc2 = nn.Dense(8, 8, kaiming)": [("unresolved", "certain")],
    "self.fc2 = nn.Dense(8, 8, '%s' % 'zeros')": [("unresolved", "certain")],
    "self.fc2 = nn.Dense(8, 8, init.weight)": [("unresolved", "certain")],
    "self.fc2 = nn.Dense(1, 2, 'zeros', 4, 5, 6, 7, 8, 9, 10)": [],
    "self.fc2 = nn.BatchNorm2d(8)": [],
    "self.fc2 = nn.LSTM(8, 8)": [],
    "self.fc2 = nn.BatchNorm2d(8, gamma_init='zeros')": [("zero-gamma", "possible")],
    "self.fc2 = nn.Dense(8, 8)\nself.fc2.weight.set_data = initializer('normal', [8, 8])": [
        ("set-data-assigned", "likely")
    ],
    "self.fc2 = nn.Dense(8, 8)\ninitializer('normal', [8, 8])": [("initializer-discarded", "likely")],
    "self.fc2 = nn.Dense(8, 8)\nself.fc2.weight.set_data(initializer('normal', [8, 8]))": [],
    "self.fc2 = nn.Dense(8, 8)\nself.fc2.weight.set_data(initializer('zeros', [8, 8]))": [
        ("zero-set-possible", "possible")
    ],
    "self.offset = nn.Dense(8, 8)\nself.offset.weight.set_data(initializer('zeros', [8, 8]))": [],
    "self.fc2 = nn.BatchNorm2d(8)\nself.fc2.weight.set_data(initializer('zeros', [8]))": [],
    "self.fc2 = nn.Dense(8, 8)\nself.fc2.weight.default_input = initializer('ones', [8, 8])": [
        ("constant-set-possible", "possible")
    ],
    "self.fc2 = nn.Dense(8, 8)\nself.fc2.bias.set_data(initializer('zeros', [8]))": [],
}


@pytest.mark.parametrize("init", LAYERS)
def test_what_is_said_of_a_layer(tmp_path: Path, init: str) -> None:
    name = "offset" if "offset" in init else "blur" if "blur" in init else "fc2"
    found = said(tmp_path, network(init, f"return self.{name}(self.first(x))"))
    assert [(one.code, one.sure.value) for one in found] == LAYERS[init]


#: What runs after the network is made -> what is then said of a layer of zeros in it, and of what runs.
AFTER: dict[str, list[str]] = {
    "": ["zero-weights"],
    "ms.load_param_into_net(net, ms.load_checkpoint('a.ckpt'))": ["loaded-later"],
    "ms.load_checkpoint('a.ckpt', net)": ["loaded-later"],
    "if a:\n    ms.load_checkpoint('a.ckpt', net)": ["zero-weights"],
    "for _, cell in net.cells_and_names():\n    if isinstance(cell, nn.Dense):\n"
    "        cell.weight.set_data(initializer(Normal(), cell.weight.shape))": ["set-later"],
    "for _, cell in net.cells_and_names():\n    if isinstance(cell, nn.Conv2d):\n"
    "        cell.weight.set_data(initializer(Normal(), cell.weight.shape))": ["zero-weights"],
    "for cell in net.cells():\n    cell.bias.set_data(initializer(Normal(), cell.bias.shape))": ["zero-weights"],
    "net.first.weight.set_data(initializer(Normal(), [8, 8]))": ["zero-weights"],
    "net.second.weight.set_data(initializer(Normal(), [8, 8]))": ["set-later"],
    "net.second.weight = Parameter(initializer(Normal(), [8, 8]))": ["set-later"],
    "net.second.weight.data = initializer(Normal(), [8, 8])": ["set-later"],
    "net.second.bias.data = initializer(Normal(), [8])": ["zero-weights"],
    "net.second.weight.copy_(ops.randn(8, 8))": ["set-later"],
    "ops.assign(net.second.weight, initializer(Normal(), [8, 8]))": ["set-later"],
    "ops.Assign()(net.second.weight, ops.zeros((8, 8)))": ["zero-weights"],
    "net.second.weight = Parameter(initializer('zeros', [8, 8]))": ["zero-weights"],
    "net.second.bias = Parameter(initializer(Normal(), [8]))": ["zero-weights"],
    "if a:\n    net.second.weight = Parameter(initializer(Normal(), [8, 8]))": ["zero-possible"],
    "for cell in net.cells():\n    if isinstance(cell, nn.Conv2d):\n        cell.weight = initializer('zeros', cell.weight.shape)\n"
    "    elif isinstance(cell, nn.Dense):\n        cell.weight = initializer(Normal(), cell.weight.shape)": [
        "set-later"
    ],
    "def start(part):\n    for cell in part.cells():\n        cell.weight = initializer(Normal(), cell.weight.shape)\n"
    "start(net)": ["set-later"],
    "def start(part):\n    for cell in part.cells():\n        cell.weight = initializer(Normal(), cell.weight.shape)\n"
    "start(net.first)": ["zero-weights"],
    "for p in net.get_parameters():\n    p.set_data(initializer(Normal(), p.shape))": ["set-later"],
    "for p in net.get_parameters():\n    if 'weight' in p.name:\n        p.set_data(initializer(Normal(), p.shape))": [
        "set-later"
    ],
    "for p in net.get_parameters():\n    if 'bias' not in p.name:\n        p.set_data(initializer(Normal(), p.shape))": [
        "set-later"
    ],
    "for p in net.get_parameters():\n    if 'bias' in p.name:\n        p.set_data(initializer(Normal(), p.shape))": [
        "zero-weights"
    ],
    "for p in net.get_parameters():\n    if 'head' in p.name:\n        p.set_data(initializer(Normal(), p.shape))": [
        "zero-possible"
    ],
    "for _, cell in net.cells_and_names():\n    cell.weight.set_data(initializer('zeros', cell.weight.shape))": [
        "zero-weights",
        "zero-set",
    ],
    "for _, cell in net.cells_and_names():\n"
    "    cell.weight.set_data(initializer('zeros', cell.weight.shape))  # of residual blocks": [
        "zero-weights",
        "zero-set-possible",
    ],
    "for _, cell in net.cells_and_names():\n    if isinstance(cell, nn.BatchNorm2d):\n"
    "        cell.weight.set_data(initializer('zeros', cell.weight.shape))": ["zero-weights"],
    "for p in net.trainable_params():\n    p.set_data(initializer('zeros', p.shape))": ["zero-weights", "zero-set"],
    "for _, p in net.parameters_and_names():\n    p.set_data(initializer('ones', p.shape))": [
        "zero-weights",
        "constant-set",
    ],
    "for p in net.get_parameters():\n    if 'weight' in p.name:\n        p.set_data(Tensor(np.zeros(p.shape)))": [
        "zero-weights",
        "zero-set-possible",
    ],
    "for p in net.get_parameters():\n    if 'bias' in p.name:\n        p.set_data(Tensor(np.zeros(p.shape)))": [
        "zero-weights"
    ],
    "for p in others:\n    p.set_data(Tensor(np.zeros(p.shape)))": ["zero-weights"],
    # all matrices, told by their axes
    "for p in net.get_parameters():\n    if p.ndim > 1:\n        p.set_data(initializer(0.5, p.shape))": [
        "zero-weights",
        "constant-set",
    ],
    "for p in net.get_parameters():\n    if 2 <= len(p.shape):\n        p.set_data(initializer('zeros', p.shape))": [
        "zero-weights",
        "zero-set",
    ],
    "for p in net.get_parameters():\n    if p.ndim == 1:\n        p.set_data(initializer('zeros', p.shape))\n"
    "    else:\n        p.set_data(initializer(Normal(), p.shape))": ["set-later", "zero-set-possible"],
    "for p in net.get_parameters():\n    if len(p.shape) != 4:\n        p.set_data(initializer('zeros', p.shape))": [
        "zero-weights",
        "zero-set-possible",
    ],
    "for p in net.get_parameters():\n    if p.size > 1:\n        p.set_data(initializer('zeros', p.shape))": [
        "zero-weights",
        "zero-set-possible",
    ],
    # a function that the network runs on its cells
    "def start(cell):\n    if isinstance(cell, nn.Conv2d):\n        cell.weight.set_data(initializer('zeros', cell.weight.shape))\n"
    "net.apply(start)": ["zero-weights", "zero-set"],
    "net = net.apply(lambda cell: cell.weight.set_data(initializer(Normal(), cell.weight.shape)))": ["set-later"],
    # layers with a certain name
    "def begin(cell, name):\n    if name.startswith('head'):\n        fill(cell.weight)\n"
    "def fill(weight):\n    weight.set_data(initializer('zeros', weight.shape))\n"
    "for name, cell in net.cells_and_names():\n    begin(cell, name)": ["zero-weights", "zero-set-possible"],
    "def begin(cell, name):\n    if isinstance(cell, nn.Dense):\n        fill(cell.weight)\n"
    "def fill(weight):\n    weight.set_data(initializer('zeros', weight.shape))\n"
    "for name, cell in net.cells_and_names():\n    begin(cell, name)": ["zero-weights", "zero-set"],
    # one part that somebody chose
    "for p in net.first.get_parameters():\n    p.set_data(Tensor(np.zeros(p.shape)))": [
        "zero-weights",
        "zero-set-possible",
    ],
    "layers = nn.CellList([nn.Dense(8, 8), nn.Dense(8, 8)])\n"
    "for p in layers[-1].get_parameters():\n    p.set_data(Tensor(np.zeros(p.shape)))": [
        "zero-weights",
        "zero-set-possible",
    ],
    **{
        "def start(cell, way='normal'):\n    if way == 'normal':\n"
        "        cell.weight.set_data(initializer(Normal(), cell.weight.shape))\n    elif way == '2':\n"
        f"        cell.weight.set_data(initializer('zeros', cell.weight.shape))\nfor cell in net.cells():\n    start(cell{way})": code
        for way, code in {
            "": ["set-later"],
            ", '2'": ["zero-weights", "zero-set-possible"],
            ", way='2'": ["zero-weights", "zero-set-possible"],
        }.items()
    },
    "def start(cell, way):\n    if isinstance(cell, nn.Dense) and way in ('2',):\n"
    "        cell.weight.set_data(initializer('zeros', cell.weight.shape))\n"
    "for cell in net.cells():\n    start(cell, settings.way)": ["zero-weights", "zero-set-possible"],
    "def start(cell):\n    if isinstance(cell, nn.Dense):\n"
    "        cell.weight.set_data(initializer('zeros', cell.weight.shape))\n"
    "for cell in net.cells():\n    start(cell)": ["zero-weights", "zero-set"],
    "def start(cell, way='2'):\n    if way == '2':\n        cell.weight.set_data(initializer('zeros', cell.weight.shape))\n"
    "for cell in net.cells():\n    start(cell)": ["zero-weights", "zero-set"],
}


ZEROED = """
def silent(cell):
    cell.weight.set_data(initializer("zeros", cell.weight.shape))
    return cell

class Block(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.inner, self.outer = nn.Dense(width, width), silent(nn.Dense(width, width))

    def construct(self, x):
        return {result}

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = nn.CellList([Block(width) for width in (8, 8)])

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return x

net = Net()
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
"""


@pytest.mark.parametrize(
    ("result", "codes"),
    [("x + self.outer(self.inner(x))", []), ("self.outer(self.inner(x))", ["zero-set-possible"])],
)
def test_zeros_that_a_function_writes_into_one_layer(tmp_path: Path, result: str, codes: list[str]) -> None:
    assert [one.code for one in said(tmp_path, ZEROED.format(result=result))] == codes


@pytest.mark.parametrize(
    ("layer", "code"),
    [
        ("nn.Embedding(8, 8, embedding_table='zeros')", "zero-possible"),
        ("nn.Embedding(8, 8, embedding_table='ones')", "constant-possible"),  # as a factor for each class
        ("nn.Dense(8, 8, weight_init='ones')", "constant-weights"),
    ],
)
def test_a_table_of_one_number_is_a_suspect(tmp_path: Path, layer: str, code: str) -> None:
    init = f"self.second = {layer}"
    (found,) = said(
        tmp_path, network(init, "return self.first(self.second(x))", "ms.Model(net, None, opt).train(1, x)")
    )
    assert found.code == code


def test_a_layer_of_zeros_that_nothing_applies_is_a_suspect(tmp_path: Path) -> None:
    init = "self.second = nn.Dense(8, 8, weight_init='zeros')"
    run = "for x in batches:\n    nn.TrainOneStepCell(net, nn.Adam(net.trainable_params()))(x)"
    (idle,) = said(tmp_path, network(init, "return self.first(x)", run))
    (applied,) = said(tmp_path, network(init, "return self.first(self.second(x))", run))
    assert (idle.code, idle.sure, applied.code, applied.sure) == (
        "zero-possible",
        Sure.LIKELY,
        "zero-weights",
        Sure.CERTAIN,
    )


@pytest.mark.parametrize("after", AFTER)
def test_what_becomes_of_zeros(tmp_path: Path, after: str) -> None:
    init = "self.second = nn.Dense(8, 8, weight_init='zeros')"
    found = said(tmp_path, network(init, "return self.second(self.first(x))", after))
    assert [one.code for one in found] == AFTER[after]


#: How a parameter of zeros is made and used -> what is said of it.
PARAMETERS: dict[tuple[str, str], list[str]] = {
    ("self.w = Parameter(Tensor(np.zeros((8, 8))))", "ops.matmul(x, self.w)"): ["zero-parameter"],
    ("self.step = Parameter(Tensor(np.zeros((8, 8))))", "ops.matmul(x, self.step)"): ["zero-parameter-possible"],
    ("self.step = Parameter(Tensor(np.zeros((8, 8))))", "x + self.step"): [],
    ("self.w = Parameter(Tensor(np.zeros((8, 8))), name='w')", "x @ self.w.swapaxes(0, 1)"): ["zero-parameter"],
    ("self.w = Parameter(initializer('zeros', [8, 8]))", "P.MatMul()(x, P.Cast()(self.w, ms.float16))"): [
        "zero-parameter"
    ],
    ("self.w = Parameter(ops.zeros((4, 8, 8)))", "ops.matmul(x, self.w[0])"): ["zero-parameter"],
    ("self.w = Parameter(Tensor(shape=(8, 8), init=Zero()))", "ops.dense(x, self.w)"): ["zero-parameter"],
    ("self.w = Parameter(np.zeros(64).reshape(8, 8))", "ops.matmul(x, self.w)"): ["zero-parameter"],
    ("self.w = Parameter(np.zeros(64).reshape((8, 8)).astype(np.float32))", "ops.matmul(x, self.w)"): [
        "zero-parameter"
    ],
    ("self.w = Parameter(P.Zeros()((8, 8), ms.float32))", "ops.matmul(x, self.w)"): ["zero-parameter"],
    ("self.w = Parameter(ops.fill(ms.float32, (8, 8), 0))", "ops.matmul(x, self.w)"): ["zero-parameter"],
    ("self.w = Parameter(np.random.rand(8, 8) * np.zeros((8, 8)))", "ops.matmul(x, self.w)"): ["zero-parameter"],
    ("self.w = Parameter(np.ones((8, 8)))", "ops.matmul(x, self.w)"): ["constant-parameter"],
    ("self.w = Parameter(np.zeros((8, 8)))\nself.w.data = rand()", "ops.matmul(x, self.w)"): [],
    ("self.w = Parameter(np.zeros((8, 8)))\nself.w.copy_(rand())", "ops.matmul(x, self.w)"): [],
    ("self.w = Parameter(np.zeros((8, 8)))\nops.assign(self.w, rand())", "ops.matmul(x, self.w)"): [],
    ("self.w = Parameter(np.zeros((8, 8)))\nops.assign(self.first.bias, rand())", "ops.matmul(x, self.w)"): [
        "zero-parameter"
    ],
    ("self.w = Parameter(np.zeros((8, 8)))", "x + ops.matmul(self.first(x), self.w)"): ["zero-parameter-possible"],
    ("self.w = Parameter(np.zeros((8, 8)))", "self.first(x) + ops.matmul(x, self.w.T)"): ["zero-parameter-possible"],
    ("self.w = Parameter(np.zeros((8, 8)))", "self.first(ops.matmul(x, self.w)) * x"): ["zero-parameter"],
    ("self.w = Parameter(np.ones((8, 8)))", "x + self.w"): ["constant-parameter-possible"],
    ("self.w = Parameter(np.zeros((8, 8)) if a else rand())", "ops.matmul(x, self.w)"): ["zero-parameter-possible"],
    ("self.w = Parameter(np.zeros((8, 8)))  # all zeros", "ops.matmul(x, self.w)"): ["zero-parameter-possible"],
    ("self.w = Parameter(np.zeros(8))", "ops.matmul(x, self.w)"): [],
    ("self.w = Parameter(Tensor(-0.8, ms.float32))", "x * ops.sigmoid(self.w)"): [],
    ("self.w = Parameter(0.5, name='w')", "x * self.w"): [],
    ("self.w = Parameter(0.5 * np.ones((8, 8)))", "ops.matmul(x, self.w)"): ["constant-parameter"],
    ("self.w = Parameter(0.5 * np.ones(load()))", "ops.matmul(x, self.w)"): ["constant-parameter"],
    ("self.w = Parameter(initializer('zeros', 8))", "ops.matmul(x, self.w)"): [],
    ("self.w = Parameter(np.zeros((8, 8)), requires_grad=False)", "ops.matmul(x, self.w)"): [],
    ("self.w = Parameter(np.zeros((8, 8)), name='cls.bias')", "ops.matmul(x, self.w)"): ["zero-parameter-possible"],
    ("self.w = Parameter(np.zeros((8, 8)), name='fc%d.bias' % init)", "ops.matmul(x, self.w)"): [
        "zero-parameter-possible"
    ],
    ("self.w = Parameter(np.zeros((8, 8)), name=make())", "ops.matmul(x, self.w)"): ["zero-parameter"],
    ("self.h0 = Parameter(np.zeros((8, 8)))", "x @ self.h0"): ["zero-parameter-possible"],
    ("self.memory_w = Parameter(np.zeros((8, 8)))", "x @ self.memory_w"): ["zero-parameter-possible"],
    ("self.w = Parameter(np.zeros((8, 8)))", "ops.assign(self.w, x)"): [],
    ("self.w = Parameter(np.zeros((8, 8)))", "P.LSTM(8, 8, 1, True, False, 0.0)(x, h, c, self.w)"): ["zero-parameter"],
    ("self.w = Parameter(np.zeros(64))", "P.LSTM(8, 8, 1, True, False, 0.0)(x, h, c, self.w)"): ["zero-parameter"],
    ("self.a = Parameter(np.zeros((8, 8)))\nself.weights = ms.ParameterTuple([self.a])", "run(self.weights)"): [
        "zero-parameter"
    ],
    ("self.a = Parameter(np.zeros((8, 8)))", "x + self.a"): [],
    ("self.w = Parameter(np.zeros((8, 8)))\nself.w = Tensor(init.asnumpy(), ms.float32)", "ops.matmul(x, self.w)"): [],
    ("self.w = Parameter(np.zeros((8, 8)))\nif a:\n    self.w = Tensor(init)", "ops.matmul(x, self.w)"): [
        "zero-parameter-possible"
    ],
    ("self.w = Parameter(np.zeros((8, 8)))\nself.w = Tensor(np.zeros((8, 8)))", "ops.matmul(x, self.w)"): [
        "zero-parameter-possible"
    ],
}


DRAWN = """
def draw(self):
    for cell in self.cells():
        for p in cell.get_parameters():
            if len(p.shape) > 1:
                p.set_data(initializer(XavierUniform(), p.shape))
"""
WEIGHTED = """
class Weighted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(np.ones((8, 8)))
{}
    def construct(self, x):
        return ops.matmul(x, self.weight)
class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Weighted()
{}
    def construct(self, x):
        return self.inner(x)
{}
"""
TRAINED = "net = Outer()\nstep = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))\nstep(x, y)"
APART = f"def work():\n{textwrap.indent(TRAINED, ' ' * 4)}"  # which nothing calls


@pytest.mark.parametrize(
    ("own", "outer", "codes"),
    [
        ("", "", ["constant-parameter"]),
        ("        self.weight.set_data(initializer(XavierUniform(), (8, 8)))", "", []),
        ("", "        self.draw()" + textwrap.indent(DRAWN, "    "), []),
        ("", textwrap.indent(DRAWN, "    "), ["constant-parameter"]),  # nothing calls it
        ("", "        self.draw()" + textwrap.indent(DRAWN.replace("> 1", "== 1"), "    "), ["constant-parameter"]),
        (
            "",
            "        if a:\n            self.draw()" + textwrap.indent(DRAWN, "    "),
            ["constant-parameter-possible"],
        ),
    ],
)
def test_parameters_that_are_drawn_anew(own: str, outer: str, codes: list[str], tmp_path: Path) -> None:
    head = network("").split("class ")[0]
    assert [one.code for one in said(tmp_path, head + WEIGHTED.format(own, outer, TRAINED))] == codes
    apart = [one.code for one in said(tmp_path, head + WEIGHTED.format(own, outer, APART))]
    assert ("constant-parameter" in apart) is ("constant-parameter" in codes)


@pytest.mark.parametrize("init, use", PARAMETERS)
def test_what_is_said_of_a_parameter(tmp_path: Path, init: str, use: str) -> None:
    found = said(tmp_path, network(init, f"return {use}"))
    assert [one.code for one in found] == PARAMETERS[init, use]


@pytest.mark.parametrize(
    ("before", "after", "sure"),
    [
        ("Model(net", "Model(net", [("zero-weights", Sure.CERTAIN)]),
        ("Model(net", "Model(build()", [("zero-weights", Sure.LIKELY)]),  # what is trained may be another network
    ],
)
def test_which_network_is_trained(tmp_path: Path, before: str, after: str, sure: list[tuple[str, Sure]]) -> None:
    text = network("self.second = nn.Dense(8, 8, weight_init='zeros')", "return self.first(self.second(x))")
    found = said(tmp_path, text.replace(before, after, 1))
    assert [(one.code, one.sure) for one in found] == sure


@pytest.mark.parametrize(
    ("write", "codes"),
    {
        "self.w.data.uniform_(-0.1, 0.1)": [],
        "self.w.normal_(0, 0.1)": [],
        "ops.uniform_(self.w, -0.1, 0.1)": [],
        "if given:\n    self.w.normal_(0, 0.1)": ["zero-parameter-possible"],
        "self.w.data.sum()": ["zero-parameter"],
    }.items(),
)
def test_what_is_written_into_a_parameter_in_place_is_where_it_starts(
    tmp_path: Path, write: str, codes: list[str]
) -> None:
    init = f"self.w = Parameter(np.zeros((8, 8)))\n{write}"
    assert [one.code for one in said(tmp_path, network(init, "return ops.matmul(x, self.w)"))] == codes


def test_what_a_network_makes_while_it_runs_is_no_weight(tmp_path: Path) -> None:
    state = "Parameter(np.zeros((8, 8)))"
    assert said(tmp_path, network("pass", f"w = {state}\nreturn ops.matmul(x, w)")) == []
    (found,) = said(tmp_path, network(f"self.w = {state}", "return ops.matmul(x, self.w)"))
    assert found.code == "zero-parameter"


#: What a layer of zeros gives, and what becomes of it -> (layer, what is said).
BRANCHES: dict[str, tuple[str, list[str]]] = {
    "return x + self.second(self.first(x))": ("nn.Dense(8, 8, 'zeros')", ["zero-possible"]),
    "return ops.add(self.second(self.first(x)), x)": ("nn.Dense(8, 8, 'zeros')", ["zero-possible"]),
    "return self.second(self.first(x)).add(x)": ("nn.Dense(8, 8, 'zeros')", ["zero-possible"]),
    "return x.add(self.second(self.first(x)))": ("nn.Dense(8, 8, 'zeros')", ["zero-possible"]),
    "return mint.add(x, self.second(self.first(x)))": ("nn.Dense(8, 8, 'zeros')", ["zero-possible"]),
    "return x + ops.mul(self.second(self.first(x)), 0.1)": ("nn.Dense(8, 8, 'zeros')", ["zero-possible"]),
    "return x + nn.Dropout()(self.second(x))": ("nn.Dense(8, 8, 'zeros')", ["zero-possible"]),
    "return x + ops.dropout(self.second(x)).reshape(8, 8)": ("nn.Dense(8, 8, 'zeros')", ["zero-possible"]),
    "return x + 0.1 * self.second(self.first(x))": ("nn.Dense(8, 8, 'zeros')", ["zero-possible"]),
    "return self.first(y) + self.second(x)": ("nn.Dense(8, 8, 'zeros')", ["zero-weights"]),
    "return self.first(x) + self.second(x)": ("nn.Dense(8, 8, 'zeros')", ["zero-possible"]),
    "return self.first(x) + self.second(ops.relu(x)) * 2": ("nn.Dense(8, 8, 'zeros')", ["zero-possible"]),
    "a, b = self.second(x).chunk(2, axis=1)\nreturn self.first(x) * (1 + a) + b": (
        "nn.Dense(8, 8, 'zeros')",
        ["zero-possible"],
    ),
    "a, b = ops.split(x, 4, 1)\nreturn a, b * ops.exp(ops.tanh(self.second(self.first(x))))": (
        "nn.Dense(8, 8, 'zeros')",
        ["zero-possible"],
    ),
    "return x * ops.tanh(self.second(self.first(x)))": ("nn.Dense(8, 8, 'zeros')", ["zero-weights"]),
    "return self.first(x) * self.second(x)": ("nn.Dense(8, 8, 'zeros')", ["zero-weights"]),
    "p = ops.sigmoid(self.second(self.first(x)))\nreturn ops.log(p) + ops.log(1 - p)": (
        "nn.Dense(8, 8, 'zeros')",
        ["zero-weights"],
    ),
    "return ops.matmul(self.second(self.first(x)).view(2, 2) + ops.eye(2), x)": (
        "nn.Dense(8, 8, 'zeros')",
        ["zero-possible"],
    ),
    "return ops.matmul(self.second(self.first(x)).view(2, 2) + ops.zeros((2, 2)), x)": (
        "nn.Dense(8, 8, 'zeros')",
        ["zero-weights"],
    ),
    "return 0 + self.second(self.first(x))": ("nn.Dense(8, 8, 'zeros')", ["zero-weights"]),
    "return self.second(self.first(x)) + x": ("nn.BatchNorm1d(8, gamma_init='zeros')", ["zero-gamma-added"]),
    "return P.Add()(self.second(x), x)": ("nn.BatchNorm1d(8, gamma_init='zeros')", ["zero-gamma-added"]),
    "return ops.relu(self.second(x)) + x": ("nn.BatchNorm1d(8, gamma_init='zeros')", ["zero-gamma-added"]),
    "return ops.relu(self.second(self.first(x)))": ("nn.BatchNorm1d(8, gamma_init='zeros')", ["zero-gamma"]),
}


@pytest.mark.parametrize("construct", BRANCHES)
def test_a_branch_may_begin_as_nothing(tmp_path: Path, construct: str) -> None:
    layer, codes = BRANCHES[construct]
    assert [one.code for one in said(tmp_path, network(f"self.second = {layer}", construct))] == codes


#: A line -> what stands there instead, None where no edit is offered.
EDITS: dict[str, str | None] = {
    "self.fc = nn.Dense(8, 8, weight_init='zeros')": "self.fc = nn.Dense(8, 8)",
    "self.fc = nn.Dense(8, 8, weight_init='zeros', has_bias=False)": "self.fc = nn.Dense(8, 8, has_bias=False)",
    "self.fc = nn.Dense(8, 8, 'zeros')": None,
    "self.fc = nn.Dense(8, (8), weight_init='zeros')": None,
    "self.fc = nn.Dense(weight_init='zeros', in_channels=8, out_channels=8)": None,
    "self.fc = nn.Dense(8, 8, weight_init=Zero())": None,
    "self.fc = nn.Dense(8, 8, has_bias='无', weight_init='zeros')": None,
    "self.fc = nn.Dense(8,\n    8, weight_init=\n    'zeros')": None,
    "self.fc = nn.Dense(8, 8, False)": "self.fc = nn.Dense(8, 8, has_bias=False)",
    "self.fc = nn.Dense(8, 8, weight_init=False)": None,
    "self.fc = nn.Dense(8, 8, False, has_bias=True)": None,
    "self.fc = nn.Dense(8, 8, not True)": None,
    "self.fc = nn.Dense(8, 8, False)  # 偏置": None,
    "self.first.weight.set_data = load(8)": "self.first.weight.set_data(load(8))",
    "self.first.weight.set_data = load(8)  # again": "self.first.weight.set_data(load(8))  # again",
    "self.first.weight.set_data = load(\n    8)": "self.first.weight.set_data(load(\n    8))",
    "self.first.weight.set_data = other = load(8)": None,
    "self.first.weight.set_data = load('无')": None,
}


@pytest.mark.parametrize("line", EDITS)
def test_the_edit_that_is_offered(tmp_path: Path, line: str) -> None:
    (one,) = said(tmp_path, network(line, "return self.fc(self.first(x))"))
    assert [textwrap.dedent("\n".join(text)) for _, _, text in one.edits] == (
        [] if EDITS[line] is None else [EDITS[line]]
    )


def test_one_place_is_said_once_however_many_it_makes(tmp_path: Path) -> None:
    text = "def make():\n    return nn.Dense(8, 8, weight_init='zeros')\n"
    (one,) = said(tmp_path, text + network("self.many = [make(), make(), make()]"))
    assert (one.line, one.last) == (9, 9)


@pytest.mark.parametrize("init, count", [("self.w = Parameter(load())", 2), ("self.act = nn.ReLU()", 1)])
def test_what_was_looked_at_is_counted(tmp_path: Path, init: str, count: int) -> None:
    assert examined(scripts(tmp_path, network(init))) == count


def test_names_that_are_meant_to_be_zero(tmp_path: Path) -> None:
    text = network(
        "self.fc2 = nn.Dense(8, 8, 'zeros')\nself.w = Parameter(np.zeros((8, 8)))", "return self.fc2(x @ self.w)"
    )
    assert [one.code for one in said(tmp_path, text)] == ["zero-weights", "zero-parameter"]
    assert [one.code for one in said(tmp_path, text, "fc*", "w")] == ["meant-constant"]


#: The class of a layer of the project -> what is said of its objects, and the line.
DERIVED = {
    "def __init__(self, *given, **rest):\n    rest['weight_init'] = 'zeros'\n    super().__init__(*given, **rest)": (
        "zero-weights",
        11,
    ),
    "def __init__(self, *given, **rest):\n    super().__init__(*given, **{**rest, 'weight_init': 'zeros'})": (
        "zero-weights",
        10,
    ),
    "def __init__(self, many, out, start='zeros'):\n    super().__init__(many, out, start)": ("zero-weights", 10),
    "def __init__(self, *given):\n    super().__init__(*given, weight_init='zeros')  # zeros are meant": (
        "meant-constant",
        10,
    ),
    "def __init__(self, *given):\n    super().__init__(*given, weight_init='zeros')\n"
    "    self.weight.set_data(initializer('normal', self.weight.shape))": ("set-later", 10),
    "def __init__(self, *given):\n    super().__init__(*given, weight_init='zeros')\n"
    "def construct(self, x):\n    return ops.relu(super().construct(x))": ("zero-possible", 10),
    "def __init__(self, *given):\n    super().__init__(*given, weight_init='zeros')\n"
    "    self.weight = Parameter(initializer('normal', (8, 8)))": None,
    "def __init__(self, *given, **rest):\n    rest['weight_init'] = 'he_uniform'\n"
    "    super().__init__(*given, **rest)": None,
}


@pytest.mark.parametrize("body", DERIVED)
def test_a_layer_class_of_the_project(tmp_path: Path, body: str) -> None:
    text = f"class Own(nn.Dense):\n{textwrap.indent(body, ' ' * 4)}\n" + network(
        "self.fc = Own(8, 8)\nself.last = Own(8, 8)", "return self.last(self.fc(self.first(x)))"
    )
    found = [(one.code, one.line) for one in said(tmp_path, text)]
    assert found == ([] if DERIVED[body] is None else [DERIVED[body]])


def test_a_derived_layer_is_told_where_it_gets_its_initialiser(tmp_path: Path) -> None:
    text = "class Own(nn.Dense):\n    pass\n" + network(
        "self.fc = Own(8, 8, weight_init='zeros')", "return self.fc(self.first(x))"
    )
    assert [(one.code, one.line) for one in said(tmp_path, text)] == [("zero-weights", 15)]


def test_layers_of_the_project_are_counted(tmp_path: Path) -> None:
    text = "class Own(nn.Dense):\n    pass\n" + network("self.fc = Own(8, 8)", "return self.fc(self.first(x))")
    assert examined(scripts(tmp_path, text)) == 2


#: How the layers beside one of ones begin, and how a checkpoint is loaded over them -> what is said of the one.
STOPGAPS = [
    (
        "",
        "if args.start != '':\n    load_param_into_net(net, load_checkpoint(args.start))",
        "constant-weights",
        Sure.LIKELY,
    ),
    (
        ", weight_init='ones'",
        "if args.start != '':\n    load_param_into_net(net, load_checkpoint(args.start))",
        "constant-possible",
        None,
    ),
    (", weight_init='ones'", "", "constant-weights", Sure.CERTAIN),
    ("", "load_param_into_net(net, load_checkpoint('a.ckpt'))", "loaded-later", None),
]


@pytest.mark.parametrize(("beside", "load", "code", "sure"), STOPGAPS)
def test_one_number_that_a_checkpoint_may_replace(
    tmp_path: Path, beside: str, load: str, code: str, sure: Sure | None
) -> None:
    """Layers that all begin alike wait for a checkpoint; one among random ones does not."""
    made = (
        f"self.body = nn.SequentialCell(nn.Conv2d(3, 8, 3{beside}), nn.ReLU(), nn.Conv2d(8, 8, 3, weight_init='ones'))"
    )
    text = f"""
import argparse
from mindspore import load_checkpoint, load_param_into_net
p = argparse.ArgumentParser()
p.add_argument("--start", default="")
args = p.parse_args()

class Body(nn.Cell):
    def __init__(self):
        super().__init__()
        {made}

    def construct(self, x):
        return self.body(x)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.head = Body(), nn.Dense(8, 4)

    def construct(self, x):
        return self.head(self.body(x))

net = Net()
{load}
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
"""
    found = said(tmp_path, text)
    assert {one.code for one in found} == {code}
    assert sure is None or {one.sure for one in found} == {sure}


def test_one_number_among_random_ones_is_told_though_the_evaluation_loads(tmp_path: Path) -> None:
    """What the evaluation loads was trained from there."""
    text = network("self.second = nn.Dense(8, 8, weight_init='ones')", "return self.first(self.second(x))")
    trained = scripts(tmp_path, text)
    (tmp_path / "eval").mkdir()
    load = "ms.load_param_into_net(net, ms.load_checkpoint('a.ckpt'))"
    evaluated = scripts(tmp_path / "eval", text.replace("ms.Model", f"{load}\nms.Model"))
    found = examine(Scripts([*trained.readings, *evaluated.readings]), ())
    assert [one.code for one in found] == ["constant-weights"]


#: What else a network of one weight learns -> what is said of the weight's zeros.
BESIDE: dict[str, str] = {
    "self.b = Parameter(np.zeros((1, 8)))": "zero-parameter-possible",
    "self.norm = nn.BatchNorm1d(8)": "zero-parameter-possible",
    "self.b = Parameter(np.zeros(load()))": "zero-parameter",
    "self.v = Parameter(np.random.randn(8, 8))": "zero-parameter",
    "self.first = nn.Dense(8, 8)": "zero-parameter",
}


@pytest.mark.parametrize("beside", BESIDE)
def test_a_regression_of_one_weight_may_start_at_zero(tmp_path: Path, beside: str) -> None:
    init = f"self.w = Parameter(np.zeros((8, 8)))\n{beside}"
    text = network(init, "return ops.matmul(x, self.w)").replace("        self.first = nn.Dense(8, 8)\n", "", 1)
    if "first" in beside:
        text = network(init, "return ops.matmul(self.first(x), self.w)")
    assert [one.code for one in said(tmp_path, text)] == [BESIDE[beside]]


#: A network whose last layer begins at zero; what trains it.
ZERO_HEAD = """
class Net(nn.Cell):
    def __init__(self, size=2):
        super().__init__()
        self.first = nn.Dense(8, 8)
        self.head = nn.Dense(8, size, weight_init='zeros')

    def construct(self, x):
        return self.head(ops.relu(self.first(x)))

"""
BY_MODEL = "ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params())).train(1, data)\n"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (
            "for p in net.get_parameters():\n    p.set_data(initializer(XavierUniform(), p.shape, p.dtype))\n",
            "set-later",
        ),
        ("", "zero-weights"),
    ],
)
def test_what_is_only_evaluated_says_nothing_of_the_first_weights(tmp_path: Path, before: str, expected: str) -> None:
    net = HEAD + ZERO_HEAD + "net = Net()\n"
    evaluated = "if found:\n    ms.load_checkpoint('a.ckpt', net)\nprint(ms.Model(net, metrics={'acc'}).eval(data))\n"
    readings = []
    for name, text in (("train", before + BY_MODEL), ("eval", evaluated)):
        (tmp_path / f"{name}.py").write_text(net + text)
        source, project = read(tmp_path / f"{name}.py", f"{name}.py"), Project(tmp_path, tmp_path)
        trace = follow(source, assumption(name), project.find, tmp_path)
        readings.append(Reading(name, name, source, trace, project))
    assert [one.code for one in examine(Scripts(readings))] == [expected]


@pytest.mark.parametrize(
    ("before", "expected"), [("ms.load_checkpoint('a.ckpt', net)\n", "loaded-later"), ("", "zero-weights")]
)
def test_a_network_that_is_made_beside_the_trained_one(tmp_path: Path, before: str, expected: str) -> None:
    found = said(tmp_path, ZERO_HEAD + "example = Net(9)\nnet = Net(3)\n" + before + BY_MODEL)
    assert [one.code for one in found] == [expected]


@pytest.mark.parametrize(
    ("load", "expected"), [("ms.load_checkpoint('a.ckpt', net)", ["loaded-later"]), ("", ["zero-weights"])]
)
def test_functions_that_nothing_calls_each_train_by_themselves(tmp_path: Path, load: str, expected: list[str]) -> None:
    """What the second loads comes before its own training, not after that of the first, which makes another network."""
    other = textwrap.indent("net = nn.Dense(8, 2)\n" + BY_MODEL, "    ")
    own = textwrap.indent("net = Net()\n" + load + "\n" + BY_MODEL, "    ")
    found = said(tmp_path, f"{ZERO_HEAD}def first():\n{other}\ndef second():\n{own}\n")
    assert [one.code for one in found] == expected


@pytest.mark.parametrize(("weights", "expected"), [(", weight_init='ones'", ["constant-weights"]), ("", [])])
def test_copies_of_a_layer_start_as_it_does(tmp_path: Path, weights: str, expected: list[str]) -> None:
    text = f"""
import copy

class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.wide = nn.Dense(8, 32)
        self.narrow = nn.Dense(32, 8{weights})

    def construct(self, x):
        return self.narrow(ops.relu(self.wide(x)))

class Stack(nn.Cell):
    def __init__(self, block, depth):
        super().__init__()
        self.blocks = nn.CellList([copy.deepcopy(block) for _ in range(depth)])
        self.head = nn.Dense(8, 2)

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)

net = Stack(Block(), 3)
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
"""
    assert [one.code for one in said(tmp_path, text)] == expected
