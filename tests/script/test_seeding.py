"""Which random numbers a script draws, what it seeds, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from accucheck.script import seeding
from accucheck.script.seeding import Randomness
from case_scripts import scripts

HEAD = """import random, time
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
import mindspore.numpy as mnp
from mindspore import nn, ops, mint
from mindspore.common.initializer import initializer, Normal
from mindspore.dataset import vision
"""


def read(root: Path, text: str) -> Randomness:
    found = scripts(root, HEAD + text)
    (reading,) = found.training
    return seeding.read(reading.trace, found.sources)


#: A line -> the kinds of random numbers that it draws.
USES: dict[str, list[str]] = {
    "np.random.rand(3)": ["numpy"],
    "np.random.RandomState(1).rand(3)": [],
    "np.random.default_rng(1)": [],
    "random.shuffle(files)": ["python"],
    "random.Random(1)": [],
    "nn.Dense(2, 2)": ["weights"],
    "nn.ReLU()": [],
    "initializer('normal', (2, 2))": ["weights"],
    "initializer(init=Normal(0.1), shape=(2, 2))": ["weights"],
    "initializer('zeros', (2, 2))": [],
    "initializer(0.5, (2, 2))": [],
    "initializer('XavierUniform' if flag() else 'ones', (2, 2))": ["weights"],
    "nn.Dropout(p=0.5)": ["operators"],
    "nn.Dropout(p=0.0)": [],
    "mint.nn.Dropout(0.5)": ["mint"],
    "ops.dropout(x, 0.5)": ["operators"],
    "ops.standard_normal((2,))": ["operators"],
    "ops.StandardNormal()((2,))": ["operators"],
    "ops.StandardNormal(seed=1, seed2=2)((2,))": [],
    "ops.standard_normal((2,), seed=5)": [],
    "ops.UniformReal(seed=0)((2,))": ["operators"],
    "ops.zeros((2,))": [],
    "mint.randn(2)": ["mint"],
    "mint.zeros(2)": [],
    "vision.RandomCrop(32)": ["data"],
    "vision.c_transforms.RandomCrop(32)": ["data"],
    "vision.py_transforms.RandomCrop(32)": ["python"],
    "vision.py_transforms.ToTensor()": [],
    "nn.Embedding(4, 2)": ["weights"],
    "nn.Embedding(4, 2, embedding_table='normal')": ["weights"],
    "nn.Embedding(4, 2, embedding_table=ms.Tensor(np.load('words.npy')))": [],
    "vision.CenterCrop(32)": [],
    "ds.RandomSampler()": ["data"],
    "ds.SequentialSampler()": [],
    "ds.MnistDataset('d')": ["data"],
    "ds.MnistDataset('d', shuffle=False)": [],
    "ds.MnistDataset('d', None, None, None, False)": [],
    "ds.NumpySlicesDataset(rows, sampler=ds.SequentialSampler())": [],
    "ds.NumpySlicesDataset(rows, sampler=ds.RandomSampler())": ["data", "data"],
    "ds.GeneratorDataset(rows, ['x'])": ["data"],
    "def lines():\n    yield 1\nds.GeneratorDataset(lines, ['x'])": [],
    "def rows_of(n):\n    def lines():\n        yield n\n    return lines\nds.GeneratorDataset(rows_of(3), ['x'])": [],
    "x.normal(3)": [],
}


@pytest.mark.parametrize("line", USES)
def test_what_is_drawn(line: str, tmp_path: Path) -> None:
    assert [use.kind for use in read(tmp_path, line).uses] == USES[line]


#: A line -> how many kinds of random numbers it seeds, and with what.
SEEDS: dict[str, list[tuple[int, Any]]] = {
    "ms.set_seed(1)": [(5, 1)],
    "ms.common.set_seed(seed=2)": [(5, 2)],
    "ds.config.set_seed(3)": [(4, 3)],
    "np.random.seed(4)": [(2, 4)],
    "random.seed(5)": [(1, 5)],
    "ms.manual_seed(6)": [(1, 6)],
    "mint.manual_seed(6)": [(1, 6)],
    "np.random.seed()": [],
    "np.random.seed(None)": [],
    "ms.get_seed()": [],
}


@pytest.mark.parametrize("line", SEEDS)
def test_what_is_seeded(line: str, tmp_path: Path) -> None:
    assert [(len(seed.reaches), getattr(seed.value, "value", None)) for seed in read(tmp_path, line).seeds] == SEEDS[
        line
    ]


def test_what_else_decides(tmp_path: Path) -> None:
    """Generators without a seed, helpers out of sight, switches for deterministic operators."""
    found = read(
        tmp_path,
        """
from tools import seed_everything, set_random_seed, seed_of
seed_everything(1)
set_random_seed(2)
seed_of(3)
set_all_seeds(4)
np.random.default_rng()
np.random.default_rng(7)
np.random.RandomState(**options)
ms.set_deterministic(True)
ms.set_context(deterministic='ON')
ms.set_context(mode=0)
""",
    )
    assert [call.last for call in found.elsewhere] == ["seed_everything", "set_random_seed", "set_all_seeds"]
    assert [call.line for call in found.unseeded] == [15]
    assert [seeding.text_of(call) for call in found.deterministic] == [
        "ms.set_deterministic(True)",
        "ms.set_context(deterministic='ON')",
    ]


def test_seeds_that_the_script_does_not_come_to(tmp_path: Path) -> None:
    """A method that Python calls by itself may well be come to."""
    text = """
class Fix:
    def seed(self):
        np.random.seed(1)
    def __enter__(self):
        ms.set_seed(2)
def start():
    if False:
        ms.set_seed(3)
        self.seed(4)
"""
    assert sorted(node.lineno for _, node in read(tmp_path, text).unreached) == [17]
    assert not read(tmp_path, text + "ms.set_seed(1)\n").unreached


SAMPLER = """
class Sampler:
    def __init__(self, count):
        self.count = count
    def __iter__(self):
        np.random.seed(1)
        return iter(np.random.permutation(self.count))
"""


@pytest.mark.parametrize(
    ("made", "seen"),
    [("ds.GeneratorDataset(rows, ['x'], sampler=Sampler(8))", True), ("ds.TFRecordDataset('a')", False)],
)
def test_a_seed_in_what_the_framework_calls_of_an_object_that_is_made(tmp_path: Path, made: str, seen: bool) -> None:
    found = read(tmp_path, SAMPLER + made)
    assert [one.seen for one in found.seeds] == [seen]
    assert ("data" in {use.kind for use in found.uses}) is not seen  # the order is that of the sampler


def test_the_first_use_that_the_script_comes_to(tmp_path: Path) -> None:
    found = read(tmp_path, "def later():\n    nn.Dense(2, 2)\nnn.Conv2d(1, 1, 1)\nnp.random.seed(1)\n")
    first = found.first("weights")
    assert first is not None and first.call.last == "Conv2d" and found.first("mint") is None
    assert [seed.call.last for seed in found.reaching("weights")] == ["seed"] and not found.reaching("mint")


def test_a_network_from_elsewhere_draws_its_weights_where_it_is_trained(tmp_path: Path) -> None:
    found = read(tmp_path, "import zoo\nms.Model(zoo.net()).train(1, zoo.data())\n")
    assert [(use.kind, use.call.name) for use in found.uses] == [("weights", ".train")] and found.training is not None


@pytest.mark.parametrize(
    ("gradient", "learns"),
    {
        "ops.GradOperation()(net)(x)": False,
        "ops.GradOperation(get_by_list=True)(net, net.trainable_params())(x)": True,
        "ops.GradOperation(False, by_list)(net)(x)": True,
        "ms.grad(net)(x)": False,
        "ms.grad(net, 0)(x)": False,
        "ms.value_and_grad(net, None, net.trainable_params())(x)": True,
        "ms.value_and_grad(net, weights=net.trainable_params())(x)": True,
        "nn.TrainOneStepCell(net, opt)(x)": True,
    }.items(),
)
def test_gradients_of_inputs_alone_train_no_weights(gradient: str, learns: bool, tmp_path: Path) -> None:
    found = read(tmp_path, f"import zoo\nnet = zoo.net()\n{gradient}\n")
    assert [use.kind for use in found.uses] == ["weights"] * learns


@pytest.mark.parametrize(
    ("module", "order"),
    [
        ("net = nn.SequentialCell(nn.Dense(2, 2))", ["Dense", "set_seed"]),
        (
            "class Net(nn.Cell):\n    def __init__(self):\n        self.dense = nn.Dense(2, 2)\nnet = Net()",
            ["Dense", "set_seed"],
        ),
        ("def net():\n    return nn.Dense(2, 2)", ["set_seed", "Dense"]),
    ],
)
def test_a_module_that_makes_a_network_does_so_when_it_is_imported(
    module: str, order: list[str], tmp_path: Path
) -> None:
    found = scripts(
        tmp_path, HEAD + "from common import net\nms.set_seed(1)\nms.Model(net or net())\nnet()\n", common=HEAD + module
    )
    drawn = [call for call in found.training[0].trace.calls if call.last in ("Dense", "set_seed")]
    assert [call.last for call in sorted(drawn, key=lambda call: call.order)][:2] == order


@pytest.mark.parametrize(
    ("seed", "name"),
    [("int(time.time())", "time.time"), ("1 + 2", None), ("args.seed", None), ("cfg['seed']", None), ("7", None)],
)
def test_a_seed_that_varies(seed: str, name: str | None, tmp_path: Path) -> None:
    (found,) = read(tmp_path, f"ms.set_seed({seed})\n").seeds
    made = seeding.varies(found.value)
    assert (made.name if made is not None else None) == name


@pytest.mark.parametrize(("line", "expected"), [("nn.Dropout(p=0.0)", True), ("nn.Dense(2, 2)", False)])
def test_a_layer_that_drops(line: str, expected: bool, tmp_path: Path) -> None:
    (reading,) = scripts(tmp_path, HEAD + line).training
    assert [seeding.is_dropout(call) for call in reading.trace.calls] == [expected]


def test_a_seed_of_a_name_out_of_sight_runs(tmp_path: Path) -> None:
    found = scripts(tmp_path, "from missing import *\nnp.random.seed(1)\n")
    (reading,) = found.training
    seeds = seeding.read(reading.trace, found.sources)
    assert seeds.unreached == [] and [call.last for call in seeds.elsewhere] == ["seed"]
