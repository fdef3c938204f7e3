"""Where a missing seed is told: at what happens in any case, however much else an option decides about."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Level, Sure

_HEAD = """import argparse
import random
import mindspore.dataset as ds
from mindspore import nn

parser = argparse.ArgumentParser()
parser.add_argument("--net", default="none")
args = parser.parse_args()
{seed}
if args.net == "large":
    net = nn.Dense(64, 2)
elif args.net == "small":
    net = nn.Dense(4, 2)
{rest}
"""


def told(root: Path, seed: str, rest: str) -> Finding:
    module = probe.load("randomness_fixed")
    (root / "train.py").write_text(_HEAD.format(seed=seed, rest=rest))
    spec = msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)
    events = module.run(Case(root=str(root), spec=spec), module.Params())
    (found,) = [e for e in events if isinstance(e, Finding) and e.level is not Level.INFO]
    return found


@pytest.mark.parametrize(
    ("seed", "rest", "code", "level", "line"),
    [
        ("", "data = ds.MnistDataset('d', shuffle=True)", "no-seed", Level.PROBLEM, 14),
        ("", "", "no-seed", Level.SUSPECT, 11),
        ("random.seed(1)", "net = nn.Dense(2, 2)", "unseeded", Level.PROBLEM, 14),
    ],
)
def test_a_missing_seed_is_told_where_no_option_leads_past(
    tmp_path: Path, seed: str, rest: str, code: str, level: Level, line: int
) -> None:
    found = told(tmp_path, seed, rest)
    assert (found.code, found.level, found.where.line) == (code, level, line)


_BESIDE = """import numpy as np
import mindspore as ms
from mindspore import nn

shown = nn.Dense(4, 4)
{before}
np.random.seed(1)
{after}
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, data)
"""


@pytest.mark.parametrize("before", [True, False])
def test_a_seed_is_late_for_the_network_that_is_trained_and_for_no_other(tmp_path: Path, before: bool) -> None:
    net = "net = nn.Dense(4, 2)"
    (tmp_path / "train.py").write_text(_BESIDE.format(before=net if before else "", after="" if before else net))
    spec = msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)
    module = probe.load("randomness_fixed")
    found = [e for e in module.run(Case(root=str(tmp_path), spec=spec), module.Params()) if isinstance(e, Finding)]
    assert [(one.code, one.where.line) for one in found] == [("late", 6) if before else ("seeded", 7)]


@pytest.mark.parametrize(("net", "incomplete"), [("zoo.net()", True), ("nn.Dense(4, 2)", False)])
def test_a_seed_of_numpy_says_nothing_of_a_network_out_of_sight(tmp_path: Path, net: str, incomplete: bool) -> None:
    text = _BESIDE.format(before="np.random.seed(1)\nfirst = np.random.rand(4)", after=f"net = {net}")
    (tmp_path / "train.py").write_text(text.replace("shown = nn.Dense(4, 4)\n", "import zoo\n"))
    spec = msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)
    module = probe.load("randomness_fixed")
    found = [e for e in module.run(Case(root=str(tmp_path), spec=spec), module.Params()) if isinstance(e, Finding)]
    assert [one.incomplete for one in found if one.code == "seeded"] == [incomplete]


@pytest.mark.parametrize(("net", "sure"), [("zoo.net()", Sure.LIKELY), ("nn.Dense(4, 2)", Sure.CERTAIN)])
def test_whether_a_network_from_elsewhere_has_random_weights_is_not_certain(
    tmp_path: Path, net: str, sure: Sure
) -> None:
    text = f"import zoo\nimport mindspore as ms\nfrom mindspore import nn\nms.Model({net}).train(1, zoo.data())\n"
    (tmp_path / "train.py").write_text(text)
    spec = msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)
    module = probe.load("randomness_fixed")
    events = module.run(Case(root=str(tmp_path), spec=spec), module.Params())
    (found,) = [e for e in events if isinstance(e, Finding) and e.level is not Level.INFO]
    assert (found.code, found.sure) == ("no-seed", sure)


@pytest.mark.parametrize(
    ("before", "expected"), [("crop = py.RandomCrop(32)", []), ("first = random.random()", [("late", 7)])]
)
def test_transforms_of_python_draw_when_the_data_are_read(tmp_path: Path, before: str, expected: list[object]) -> None:
    text = f"""import random
import mindspore.dataset as ds
import mindspore.dataset.vision.py_transforms as py
from mindspore import nn, set_seed

data = ds.ImageFolderDataset("train")
{before}
set_seed(1)
data = data.map([py.Decode(), py.RandomCrop(32), py.ToTensor()], "image")
net = nn.Dense(8, 2)
"""
    (tmp_path / "train.py").write_text(text)
    spec = msgspec.convert({"scripts": {"train": "train.py"}}, CaseFile)
    module = probe.load("randomness_fixed")
    found = [e for e in module.run(Case(root=str(tmp_path), spec=spec), module.Params()) if isinstance(e, Finding)]
    assert [(one.code, one.where.line) for one in found if one.level is Level.PROBLEM] == expected
