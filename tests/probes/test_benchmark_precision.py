"""benchmark_precision: how each framework is asked for half precision, and by which of both scripts."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Level
from findings import found_by

HERE = """import mindspore as ms
from mindspore import nn, amp

net = nn.Dense(4, 2)
opt = nn.SGD(net.trainable_params(), 0.1)
"""
THERE = """import torch
import apex
import lightning
import transformers
net = torch.nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
"""
FULL_HERE = "ms.Model(net, nn.MSELoss(), opt).train(1, data)\n"
HALF_HERE = HERE + "ms.Model(net, nn.MSELoss(), opt, amp_level='O2').train(1, data)\n"
FULL_THERE = "for x, y in data:\n    net(x).sum().backward()\n    opt.step()\n"


def compare(root: Path, here: str, there: str, head: bool = True) -> list[Finding]:
    (root / "train.py").write_text(HERE + here if head else here)
    (root / "reference.py").write_text(THERE + there if head else there)
    given: dict[str, Any] = {
        "scripts": {"train": "train.py"},
        "benchmark": {"scripts": {"train": "reference.py"}},
    }
    module = probe.load("benchmark_precision")
    return found_by(module, Case(root=str(root), spec=msgspec.convert(given, CaseFile)), probe.params(module, {}))


@pytest.mark.parametrize(
    ("there", "level"),
    [
        ("with torch.autocast('cuda'):\n    net(x)\n", Level.PROBLEM),
        ("scaler = torch.cuda.amp.GradScaler()\n", Level.PROBLEM),
        ("net.half()\n", Level.PROBLEM),
        ("net.to(torch.bfloat16)\n", Level.PROBLEM),
        ("net, opt = apex.amp.initialize(net, opt, opt_level='O1')\n", Level.PROBLEM),
        ("trainer = lightning.Trainer(precision='16-mixed')\n", Level.PROBLEM),
        ("args = transformers.TrainingArguments('out', bf16=True)\n", Level.PROBLEM),
        ("if torch.cuda.is_available():\n    net.half()\n", Level.SUSPECT),
    ],
)
def test_half_precision_of_the_benchmark_only(tmp_path: Path, there: str, level: Level) -> None:
    (found,) = compare(tmp_path, FULL_HERE, there + FULL_THERE)
    assert (found.code, found.level) == ("only-there", level)
    assert found.data["place"].startswith("reference.py:")


@pytest.mark.parametrize(
    "there",
    [
        "",
        "scaler = torch.cuda.amp.GradScaler(enabled=False)\n",
        "net, opt = apex.amp.initialize(net, opt, opt_level='O0')\n",
        "trainer = lightning.Trainer(precision=32)\n",
        "def evaluate():\n    net.half()\n\nevaluate()\n",
        "import copy\ntorch.save(copy.deepcopy(net).half(), 'last.pt')\n",
        "import copy\nclass Own(torch.nn.Module):\n    pass\ntorch.save(copy.deepcopy(Own()).half(), 'last.pt')\n",
        "net.to('cuda')\nnet.to(torch.float32)\n",
    ],
)
def test_full_precision_on_both_sides(tmp_path: Path, there: str) -> None:
    assert [f.code for f in compare(tmp_path, FULL_HERE, there + FULL_THERE)] == ["both-full"]


@pytest.mark.parametrize(
    ("here", "text"),
    [
        ("net.to_float(ms.float16)\n" + FULL_HERE, ".to_float(float16)"),
        ("ms.Model(net, nn.MSELoss(), opt, amp_level='O2').train(1, data)\n", 'Model(amp_level="O2")'),
        ("net = amp.auto_mixed_precision(net, 'O2')\n" + FULL_HERE, 'auto_mixed_precision(..., "O2")'),
        ("net.to_float(ms.bfloat16)\n" + FULL_HERE, "to_float(bfloat16)"),
    ],
)
def test_half_precision_here_only(tmp_path: Path, here: str, text: str) -> None:
    (found,) = compare(tmp_path, here, FULL_THERE)
    assert (found.code, found.level, found.data["text"]) == ("only-here", Level.PROBLEM, text)


def test_both_in_the_same_type_are_fine(tmp_path: Path) -> None:
    (found,) = compare(tmp_path, "net.to_float(ms.float16)\n" + FULL_HERE, "net.half()\n" + FULL_THERE)
    assert found.code == "both-half"
    (found,) = compare(tmp_path, "net.to_float(ms.float16)\n" + FULL_HERE, "net.bfloat16()\n" + FULL_THERE)
    assert (found.code, found.level) == ("other-type", Level.SUSPECT)
    assert (found.data["here"], found.data["there"]) == (["float16"], ["bfloat16"])


def test_what_is_said_of_the_training_is_named_before_what_is_done_to_a_network(tmp_path: Path) -> None:
    there = "if torch.cuda.is_available():\n    net.half()\nwith torch.autocast('cuda'):\n    net(x)\n"
    (found,) = compare(tmp_path, FULL_HERE, there + FULL_THERE)
    assert (found.data["text"], found.level) == ("autocast", Level.PROBLEM)


@pytest.mark.parametrize(
    ("here", "there", "unseen"),
    [
        (HALF_HERE, "print(1)\n", ["reference.py"]),
        (
            HALF_HERE,
            "from llamafactory.train.tuner import run_exp\nrun_exp()\n",
            ["reference.py"],
        ),
        ("print(1)\n", "print(1)\n", ["train.py", "reference.py"]),
    ],
)
def test_a_training_out_of_sight_is_not_called_one_in_full_precision(
    tmp_path: Path, here: str, there: str, unseen: list[str]
) -> None:
    found = compare(tmp_path, here, there, head=False)
    assert [(f.code, f.where.path, f.level, f.incomplete) for f in found] == [
        ("no-training", path, Level.INFO, True) for path in unseen
    ]


def test_a_configuration_that_is_not_there_leaves_the_precision_open(tmp_path: Path) -> None:
    here = "from mindformers import Trainer\nTrainer(args='run.yaml').train()\n"
    found = compare(tmp_path, here, "import torch\nwith torch.autocast('cuda'):\n    net(x)\n", head=False)
    assert [(f.code, f.incomplete) for f in found] == [("no-config", False), ("both-half", True)]


def test_the_arguments_of_a_trainer_say_its_precision(tmp_path: Path) -> None:
    given = (
        "import transformers\nargs = transformers.TrainingArguments('out')\ntransformers.Trainer(args=args).train()\n"
    )
    asked = (
        "import transformers\nparser = transformers.HfArgumentParser(transformers.TrainingArguments)\n"
        "transformers.Trainer(args=parser.parse_args_into_dataclasses()[0]).train()\n"
    )
    assert [f.code for f in compare(tmp_path, HALF_HERE, given, head=False)] == ["only-here"]
    assert [f.code for f in compare(tmp_path, HALF_HERE, asked, head=False)] == ["no-training"]
