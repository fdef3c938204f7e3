"""How firm the road to a finding is: options, conditions, and what lies between cause and place."""

from pathlib import Path

import msgspec
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Level, Note, Sure
from accucheck.script.grading import Link, replacements, road
from accucheck.script.networks import is_layer
from case_scripts import scripts

OPTIONS = """
import argparse
import mindspore as ms
from mindspore import amp, nn, ops
parser = argparse.ArgumentParser()
parser.add_argument("--numbers", default="single")
parser.add_argument("--halve", action="store_true")
parser.add_argument("--whole", type=bool, default=True)
parser.add_argument("--level", type=int, default=2)
args = parser.parse_args()
net = nn.Dense(8, 2)
"""
FOUND = "    net = ops.relu(net)\n"

WAYS = {
    "ops.relu(net)\n": Link.CLEAR,
    "if args.halve:\n" + FOUND: Link.ELSEWHERE,
    "if not args.halve:\n" + FOUND: Link.DEFAULT,
    "if args.whole:\n" + FOUND: Link.DEFAULT,
    "if args.whole and args.halve:\n" + FOUND: Link.ELSEWHERE,
    "if args.whole or args.halve:\n" + FOUND: Link.DEFAULT,
    "if args.numbers == 'half':\n" + FOUND: Link.ELSEWHERE,
    "if args.numbers != 'half':\n" + FOUND: Link.DEFAULT,
    "if args.numbers in ('half', 'mixed'):\n" + FOUND: Link.ELSEWHERE,
    "if args.numbers not in ('half', 'mixed'):\n" + FOUND: Link.DEFAULT,
    "if args.numbers in chosen:\n" + FOUND: Link.CONDITION,
    "if asked():\n" + FOUND: Link.CONDITION,
    "try:\n    other()\nexcept ValueError:\n" + FOUND: Link.CONDITION,
    "for step in range(9):\n    if step % 3 == 0:\n    " + FOUND: Link.CLEAR,
    "if ops.isfinite(net).all():\n" + FOUND: Link.CLEAR,
    "if isinstance(net, nn.Cell):\n" + FOUND: Link.CLEAR,
    "if device_num > 1:\n" + FOUND: Link.CLEAR,
    "if args.numbers == 'half': net = ops.relu(net)\n": Link.ELSEWHERE,
    "def run(net):\n    return ops.relu(net)\n\nif args.halve:\n    run(net)\nrun(net)\n": Link.CLEAR,
    "def run(net):\n    return ops.relu(net)\n\nif args.halve:\n    run(net)\n": Link.ELSEWHERE,
    "def small(net):\n    return ops.relu(net)\n\ndef big(net):\n    return ops.abs(net)\n\n"
    "{'small': small, 'big': big}[chosen](net)\n": Link.CONDITION,
    "def small(net):\n    return ops.relu(net)\n\ndef big(net):\n    return ops.abs(net)\n\n"
    "{'small': small, 'big': big}['small'](net)\n": Link.CLEAR,
    "for name in vars(args):\n    if vars(args)[name] == 'True':\n        vars(args)[name] = True\n"
    "if args.numbers == 'half':\n" + FOUND: Link.ELSEWHERE,
}


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), start=1) if part in line)


@pytest.mark.parametrize("way", WAYS)
def test_the_weakest_link(way: str, tmp_path: Path) -> None:
    text = OPTIONS + way
    assert road(scripts(tmp_path, text), ("train.py", line_of(text, "ops.relu"))).link is WAYS[way]


BETWEEN = {
    "made = ops.abs(net)\nops.relu(made)\n": Link.CLEAR,
    "made = net\nif asked():\n    made = ops.abs(net)\nops.relu(made)\n": Link.CONDITION,
    "if asked():\n    made = ops.abs(net)\n    ops.relu(made)\n": Link.CONDITION,
    "made = net\nif args.halve:\n    made = ops.abs(net)\nops.relu(made)\n": Link.ELSEWHERE,
    "if args.halve:\n    made = ops.abs(net)\nelse:\n    made = ops.abs(x)\nops.relu(made)\n": Link.CONDITION,
    "if args.halve:\n    made = ops.abs(net)\nelse:\n    made = ops.neg(net)\nops.relu(made)\n": Link.ELSEWHERE,
    "made = ops.abs(net)\nif args.whole:\n    ops.relu(made)\n": Link.DEFAULT,
}


@pytest.mark.parametrize("way", BETWEEN)
def test_from_its_cause_to_its_place(way: str, tmp_path: Path) -> None:
    text = OPTIONS + way
    cause, place = (("train.py", line_of(text, name)) for name in ("ops.abs", "ops.relu"))
    assert road(scripts(tmp_path, text), place, [cause]).link is BETWEEN[way]


def problems(folder: Path, name: str, text: str) -> list[Finding]:
    (folder / "train.py").write_text(text)
    case = Case(root=str(folder), spec=msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile))
    module = probe.load(name)
    found = [one for one in module.run(case, probe.params(module, {})) if isinstance(one, Finding)]
    return [one for one in found if one.level is not Level.INFO]


HALF = (
    OPTIONS
    + "{line}\nopt = nn.SGD(net.trainable_params(), 0.1)\n"
    + "step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt)\nstep(x, y)\n"
)


@pytest.mark.parametrize(
    ("line", "level", "sure"),
    [
        ("net.to_float(ms.float16)", Level.PROBLEM, Sure.CERTAIN),
        ("if args.numbers != 'single': net.to_float(ms.float16)", Level.SUSPECT, Sure.POSSIBLE),
        ("if args.whole: net.to_float(ms.float16)", Level.PROBLEM, Sure.LIKELY),
        ("if asked(): net.to_float(ms.float16)", Level.PROBLEM, Sure.LIKELY),
    ],
)
def test_half_precision_behind_an_option(line: str, level: Level, sure: Sure, tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "loss_scale_script", HALF.format(line=line))
    assert (found.code.removesuffix("-sometimes"), found.level, found.sure) == ("no-scale", level, sure)
    assert any(isinstance(part, Note) for part in found.evidence) is (sure is Sure.LIKELY)


PICTURES = """
import argparse
import mindspore.dataset as ds
from mindspore import nn
from mindspore.dataset import vision
from mindspore.train import Model
parser = argparse.ArgumentParser()
parser.add_argument("--scaled", action="store_true")
args = parser.parse_args()
steps = [vision.Decode(), vision.Resize(32)]
{condition}
    steps.append(vision.Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2]))
steps.append(vision.HWC2CHW())
data = ds.ImageFolderDataset("train").map(steps, "image").batch(8)
net = nn.Dense(8, 2)
Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.1)).train(1, data)
"""


@pytest.mark.parametrize(("condition", "level"), [("if True:", Level.PROBLEM), ("if args.scaled:", Level.SUSPECT)])
def test_statistics_behind_an_option(condition: str, level: Level, tmp_path: Path) -> None:
    found = problems(tmp_path, "input_normalization", PICTURES.format(condition=condition))
    assert {one.level for one in found} == {level}


WALK = """import mindspore as ms
from mindspore import nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words, self.dense, self.memory = nn.Embedding(9, 8), nn.Dense(8, 8), nn.LSTM(8, 8)

net = Net()
for name, each in net.{walk}():
    {body}
"""


@pytest.mark.parametrize(
    ("walk", "body", "reached"),
    [
        ("cells_and_names", "each.weight.set_data(value())", {"Dense"}),
        ("cells_and_names", "each.embedding_table.set_data(value())", {"Embedding"}),
        ("cells_and_names", "each.weight = value()", {"Dense"}),
        ("parameters_and_names", "each.set_data(value())", {"Dense", "Embedding", "LSTM"}),
        ("parameters_and_names", "if 'weight' in name:\n        each.set_data(value())", {"Dense", "LSTM"}),
        ("parameters_and_names", "if 'weight_ih' in name:\n        each.set_data(value())", {"LSTM"}),
        ("parameters_and_names", "if 'bias' in name:\n        each.set_data(value())", set()),
        (
            "parameters_and_names",
            "if 'bias' not in name:\n        each.set_data(value())",
            {"Dense", "Embedding", "LSTM"},
        ),
        ("parameters_and_names", "if name.endswith('table'):\n        each.set_data(value())", {"Embedding"}),
    ],
)
def test_whose_weights_are_replaced_is_told_by_what_layers_call_them(
    walk: str, body: str, reached: set[str], tmp_path: Path
) -> None:
    (reading,) = scripts(tmp_path, WALK.format(walk=walk, body=body)).training
    layers = [call for call in reading.trace.calls if call.api in ("nn.Embedding", "nn.Dense", "nn.LSTM")]
    found = replacements(reading.trace)
    sure = {layer.last for one in found for layer in layers if one.reaches(layer) and one.link(layer) is Link.CLEAR}
    assert sure == reached


@pytest.mark.parametrize(
    ("asked", "link"), [("config.size != config.width", Link.CONDITION), ("layer.has_bias", Link.CLEAR)]
)
def test_a_setting_that_was_filled_in_by_a_loop_is_the_same_in_each_turn(
    asked: str, link: Link, tmp_path: Path
) -> None:
    text = f"""
import os
import yaml
from mindspore import nn, ops

class Config:
    def __init__(self, read):
        for key, each in read.items():
            setattr(self, key, each)

config = Config(yaml.safe_load(open(os.environ["SETTINGS"])))
net = nn.SequentialCell(nn.Dense(8, 8), nn.Dense(8, 8, has_bias=False))
for layer in net.cells():
    if {asked}:
        layer = ops.relu(layer)  # here
"""
    case = scripts(tmp_path, text)
    path = case.readings[0].source.path
    assert road(case, (path, line_of(text, "# here"))).link is link


def test_a_network_that_keeps_a_list_of_its_own_parameters(tmp_path: Path) -> None:
    text = """
import mindspore as ms
from mindspore import nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(8, 8), nn.Embedding(20, 8)
        self.kept = [each for _, each in self.parameters_and_names()]

    def construct(self, x):
        return self.first(self.second(x))

net = Net()
for name, each in net.parameters_and_names():
    each.set_data(value())
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
"""
    (reading,) = scripts(tmp_path, text).training
    layers = {id(call): call.last for call in reading.trace.calls if is_layer(call)}
    assert {layers[one] for each in replacements(reading.trace) for one in each.layers} == {"Dense", "Embedding"}
