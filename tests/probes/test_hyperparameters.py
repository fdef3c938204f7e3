"""hyperparameters: two scripts side by side, in PyTorch's words."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Code, Finding, Language, Level, Sure, Table, suggest
from findings import found_by

HEAD = """import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops
from mindspore.experimental import optim

net = nn.SequentialCell(nn.Dense(4, 4), nn.BatchNorm1d(4), nn.Dense(4, 2))
"""
TORCH = """import torch
from torch import nn
from torch.utils.data import DataLoader

net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
"""


def compare(root: Path, here: str, there: str, **files: str) -> list[Finding]:
    (root / "ref").mkdir(exist_ok=True)
    (root / "train.py").write_text(HEAD + here)
    (root / "ref/train.py").write_text(TORCH + there)
    for name, text in files.items():
        (root / name.replace("__", "/")).with_suffix(".py").write_text(text)
    given: dict[str, Any] = {
        "scripts": {"train": "train.py"},
        "benchmark": {"scripts": {"train": "ref/train.py"}},
    }
    module = probe.load("hyperparameters")
    case = Case(root=str(root), spec=msgspec.convert(given, CaseFile))
    return found_by(module, case, probe.params(module, {}))


def told(found: list[Finding], *codes: str) -> list[tuple[Any, ...]]:
    """(setting, here, there) of each finding of these codes."""

    def called(name: Any) -> Any:
        return name["en"] if isinstance(name, dict) else name

    return [(called(f.data.get("setting")), f.data.get("here"), f.data.get("there")) for f in found if f.code in codes]


def rows(found: list[Finding]) -> dict[str, list[Any]]:
    table = next(evidence for f in found for evidence in f.evidence if isinstance(evidence, Table))
    return {str(row[0]): list(row[1:]) for row in table.rows}


SGD = "nn.SGD(net.trainable_params(), learning_rate=0.1"


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("nn.Momentum(net.trainable_params(), 0.1, 0.9)", "torch.optim.SGD(net.parameters(), 0.1, 0.9)"),
        ("nn.SGD(net.trainable_params(), 0.001)", "torch.optim.SGD(net.parameters())"),
        ("nn.Adam(net.trainable_params(), 1e-3, 0.9, 0.999)", "torch.optim.Adam(net.parameters(), betas=(0.9, 0.999))"),
        ("optim.AdamW(net.trainable_params(), lr=1e-3)", "torch.optim.AdamW(net.parameters())"),
        (
            "nn.SGD([{'params': net.trainable_params(), 'weight_decay': 1e-4}], learning_rate=0.1)",
            "torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=1e-4)",
        ),
    ],
)
def test_the_same_optimizer_in_other_words(tmp_path: Path, here: str, there: str) -> None:
    found = compare(tmp_path, f"opt = {here}\n", f"opt = {there}\n")
    assert [f.code for f in found] == ["compared"]
    assert {row[-1] for row in rows(found).values()} == {"same"}


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        ("nn.SGD(net.trainable_params())", "torch.optim.SGD(net.parameters())", ("the learning rate", "0.1", "0.001")),
        (
            "nn.Adam(net.trainable_params(), beta2=0.99)",
            "torch.optim.Adam(net.parameters())",
            ("betas", "(0.9, 0.99)", "[0.9, 0.999]"),
        ),
        (
            "nn.Adam(net.trainable_params(), weight_decay=0.01)",
            "torch.optim.AdamW(net.parameters())",
            ("the optimizer", "Adam", "AdamW"),
        ),
        (
            "nn.RMSProp(net.trainable_params(), learning_rate=0.01, epsilon=1e-8)",
            "torch.optim.RMSprop(net.parameters())",
            ("alpha", "0.9", "0.99"),
        ),
    ],
)
def test_what_differs_is_told_with_both_values(
    tmp_path: Path, here: str, there: str, expected: tuple[str, str, str]
) -> None:
    found = compare(tmp_path, f"opt = {here}\n", f"opt = {there}\n")
    assert told(found, "differs") == [expected]
    (problem,) = [f for f in found if f.code == "differs"]
    assert problem.level is Level.PROBLEM
    assert (problem.where.path, problem.where.line) == ("train.py", 7)
    assert problem.data["place"] == "ref/train.py:6"
    quoted = [evidence for evidence in problem.evidence if isinstance(evidence, Code)]
    assert [(code.path, code.marked) for code in quoted] == [("train.py", [7]), ("ref/train.py", [6])]


def test_gamma_and_beta_decay_in_pytorch_only(tmp_path: Path) -> None:
    found = compare(
        tmp_path,
        f"opt = {SGD}, weight_decay=1e-4)\n",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=1e-4)\n",
    )
    assert [(f.code, f.level) for f in found] == [("decay-filtered", Level.SUSPECT), ("compared", Level.INFO)]


def test_a_module_of_the_benchmark_is_named_from_the_project(tmp_path: Path) -> None:
    found = compare(
        tmp_path,
        f"opt = {SGD})\ndrop = nn.Dropout(p=0.5)\n",
        "from parts import drop\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n",
        ref__parts="import torch\ndrop = torch.nn.Dropout(0.1)\n",
        parts="import mindspore\n",
    )
    assert told(found, "differs") == [("Dropout", "0.5", "0.1")]
    assert rows(found)["dropout"][3] == "ref/parts.py:2"


def test_what_is_used_to_evaluate_does_not_count(tmp_path: Path) -> None:
    there = """
opt = torch.optim.SGD(net.parameters(), lr=0.1)
train_loader = DataLoader(data, batch_size=32)
test_loader = DataLoader(held_out, batch_size=1000)

def test():
    return nn.functional.cross_entropy(net(x), y, reduction="sum")

for x, y in train_loader:
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
test()
"""
    here = f"opt = {SGD})\nloss = nn.CrossEntropyLoss()\ndata = ds.Cifar10Dataset('d', usage='train').batch(32)\n"
    here += "model = ms.Model(net, loss, opt)\nmodel.train(1, data)\n"
    found = compare(tmp_path, here, there)
    assert rows(found)["reduction"][-1] == rows(found)["batch_size"][-1] == "same"
    assert not told(found, "differs")


def test_several_optimizers_are_listed_and_not_guessed(tmp_path: Path) -> None:
    two = "a = torch.optim.Adam(net.parameters(), lr=2e-4)\nb = torch.optim.Adam(other.parameters(), lr=4e-4)\n"
    mine = "a = nn.Adam(net.trainable_params(), 2e-4)\nb = nn.Adam(other.trainable_params(), 4e-4)\n"
    found = compare(tmp_path, mine, two)
    assert "several" in {f.code for f in found} and not told(found, "differs")
    assert suggest(found).value == "undecided"


def test_only_gradients_that_are_clipped_count(tmp_path: Path) -> None:
    here = f"opt = {SGD})\npicture = ops.clip_by_value(net(x), 0, 1)\n"
    there = "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    assert "clipping" not in rows(compare(tmp_path, here, there))
    step = "step = ms.value_and_grad(net, None, opt.parameters)\nloss, grads = step(x)\n"
    step += "opt(tuple(ops.clip_by_norm(g, 1.0) for g in grads))\n"
    found = compare(tmp_path, f"opt = {SGD})\n" + step, there)
    assert [(f.data["value"], f.sure) for f in found if f.code == "only-here"] == [("1.0", Sure.LIKELY)]
    step = step.replace("opt(", "if step_fn(x):\n    opt(")
    found = compare(tmp_path, f"opt = {SGD})\n" + step, there)
    assert [f.sure for f in found if f.code == "only-here"] == [Sure.POSSIBLE]


@pytest.mark.parametrize("wrapped", ["backbone()", "nn.DataParallel(backbone()).to(0)"])
def test_a_network_whose_code_was_not_read_is_not_said_to_lack_dropout(tmp_path: Path, wrapped: str) -> None:
    here = f"drop = nn.Dropout(p=0.1)\noptimizer = {SGD})\n"
    there = "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    assert told(compare(tmp_path, here, there), "only-here") == [("Dropout", None, None)]
    found = compare(tmp_path, here, f"from zoo import backbone\nnet = {wrapped}\n{there}")
    assert told(found, "only-here", "differs") == []
    assert rows(found)["dropout"][-1] == "unknown"
    (unknown,) = (finding for finding in found if finding.code == "unknown")
    assert unknown.data["settings"] == ["dropout"] and unknown.incomplete


def test_nothing_to_compare_is_said(tmp_path: Path) -> None:
    found = compare(tmp_path, f"opt = {SGD})\n", "import timm.optim\nopt = timm.optim.create(net)\n")
    assert [(f.code, f.where.path, f.incomplete) for f in found] == [("no-optimizer", "ref/train.py", True)]
    (tmp_path / "ref/train.py").write_text("def broken(:\n")
    found = compare(tmp_path, f"opt = {SGD})\n", "def broken(:\n")
    assert {f.code for f in found} == {"unreadable"}
    assert suggest(found).value == "undecided"


def test_training_scripts_that_are_passed_over_are_named(tmp_path: Path) -> None:
    one, two = f"opt = {SGD})\n", f"opt = {SGD.replace('0.1', '5.0')})\n"
    compare(tmp_path, one, "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n", other=HEAD + two, helper="x = 1\n")
    spec = {
        "scripts": {"train": ["train.py", "other.py", "helper.py"]},
        "benchmark": {"scripts": {"train": "ref/train.py"}},
    }
    module = probe.load("hyperparameters")
    found = found_by(module, Case(root=str(tmp_path), spec=msgspec.convert(spec, CaseFile)), module.Params())
    (passed,) = (finding for finding in found if finding.code == "passed-over")
    assert passed.data["path"] == "train.py" and passed.data["names"] == ["other.py"]
    assert not told(found, "differs") and suggest(found).value == "undecided"


def test_a_sentence_does_not_begin_with_a_small_letter(tmp_path: Path) -> None:
    data = "data = ds.Cifar10Dataset('d', usage='train').batch({})\nms.Model(net, nn.MSELoss(), opt).train(1, data)\n"
    there = "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    there += "for x, y in DataLoader(data, batch_size=64):\n    nn.functional.mse_loss(net(x), y).backward()\n    opt.step()\n"
    found = compare(tmp_path, f"opt = {SGD})\n" + data.format(32), there)
    (batch,) = (f for f in found if f.code == "differs" and f.data["here"] == "32")
    text = probe.message(probe.load("hyperparameters"), "differs", batch.data, Language.EN)
    assert text.startswith("Here the batch size is 32, and 64 in the benchmark (ref/train.py:")
