"""Layers here beside PyTorch's layers: which belong together, and which of their settings differ, in PyTorch's terms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.script.benchmark import Comparison, compare, training
from case_scripts import scripts

HERE = "from mindspore import nn, mint\n"
THERE = "import torch\nfrom torch import nn\n"


def compared(root: Path, here: str, there: str) -> Comparison | None:
    (reading,) = scripts(root, HERE + here).training
    (root / "reference.py").write_text(THERE + there)
    return compare(reading.trace.calls, [(root / "reference.py", "reference.py")], "2.7.0")


#: A layer here and there -> (setting, here, there) of what differs.
LAYERS: dict[tuple[str, str], list[tuple[str, Any, Any]]] = {
    ("nn.Dense(3, 4)", "nn.Linear(3, 4)"): [],
    ("nn.Dense(3, 5)", "nn.Linear(3, 4)"): [("out_features", 5, 4)],
    ("nn.Dense(3, 4, has_bias=False)", "nn.Linear(3, 4)"): [("bias", False, True)],
    ("nn.Dense(3, n)", "nn.Linear(3, 4)"): [],
    ("nn.Dense(*sizes)", "nn.Linear(3, 4)"): [],
    ("mint.nn.Linear(3, 4, bias=False)", "nn.Linear(3, 4)"): [("bias", False, True)],
    ("nn.Conv2d(3, 8, 3, has_bias=True)", "nn.Conv2d(3, 8, (3, 3), padding=1)"): [],
    ("nn.Conv2d(3, 8, 3, has_bias=True)", "nn.Conv2d(3, 8, (3, 3))"): [("padding", 1, 0)],
    ("nn.Conv2d(3, 8, 3)", "nn.Conv2d(3, 8, 3)"): [("bias", False, True), ("padding", 1, 0)],
    ("nn.Conv2d(3, 8, (3, 3), pad_mode='valid', has_bias=True)", "nn.Conv2d(3, 8, (3, 5))"): [
        ("kernel_size", (3, 3), (3, 5))
    ],
    ("nn.Conv2d(3, 8, (3, 3, 3), pad_mode='valid', has_bias=True)", "nn.Conv2d(3, 8, (3, 3))"): [
        ("kernel_size", (3, 3, 3), (3, 3))
    ],
    ("nn.Conv2d(3, 8, 3, stride=2, has_bias=True)", "torch.nn.modules.conv.Conv2d(3, 8, 3)"): [("stride", 2, 1)],
    ("nn.Dropout(p=0.1)", "nn.Dropout(0.1)"): [],
    ("nn.Dropout(keep_prob=0.9)", "nn.Dropout(0.1)"): [],
    ("nn.Dropout(keep_prob=0.1)", "nn.Dropout(0.1)"): [("p", 0.9, 0.1)],
    ("nn.Dropout(keep_prob=kept)", "nn.Dropout(0.1)"): [],
    ("nn.Dropout()", "nn.Dropout()"): [],
    ("nn.BatchNorm2d(8)", "nn.BatchNorm2d(8)"): [],
    ("nn.BatchNorm2d(8, momentum=0.1)", "nn.BatchNorm2d(8)"): [("momentum", 0.9, 0.1)],
    ("nn.BatchNorm2d(8, eps=1e-3)", "nn.BatchNorm2d(8)"): [("eps", 1e-3, 1e-5)],
    ("mint.nn.BatchNorm2d(8, momentum=0.1)", "nn.BatchNorm2d(8)"): [],
    ("nn.MaxPool2d(2, 2)", "nn.MaxPool2d(2)"): [],
    ("nn.MaxPool2d(2)", "nn.MaxPool2d(2)"): [("stride", 1, 2)],
    ("nn.LeakyReLU(0.2)", "nn.LeakyReLU()"): [("negative_slope", 0.2, 0.01)],
}


@pytest.mark.parametrize(("here", "there"), LAYERS)
def test_settings_in_terms_of_pytorch(here: str, there: str, tmp_path: Path) -> None:
    found = compared(tmp_path, f"layer = {here}\n", f"layer = {there}\n")
    assert found is not None and found.share == 1.0
    (pair,) = found.pairs
    assert pair.differs == LAYERS[here, there]


def test_settings_that_come_to_the_same(tmp_path: Path) -> None:
    found = compared(tmp_path, "nn.Dense(3, 4, has_bias=True)", "nn.Linear(3, 4)")
    assert found is not None and found.pairs[0].same == {"in_channels", "out_channels", "has_bias"}


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        # the same layers, made in another order
        ("nn.Dense(3, 4)\nnn.Dense(9, 8)\n", "nn.Linear(9, 8)\nnn.Linear(3, 4)\n", [[], []]),
        ("nn.Dense(3, 5)\nnn.Dense(9, 8)\n", "nn.Linear(9, 8)\nnn.Linear(3, 4)\n", [[], [("out_features", 5, 4)]]),
        ("nn.Dense(3, 4)\nnn.Dense(9, 7)\n", "nn.Linear(3, 4)\nnn.Linear(6, 5)\n", [[]]),  # other layers
    ],
)
def test_a_layer_is_matched_by_its_sizes(here: str, there: str, expected: list[list[Any]], tmp_path: Path) -> None:
    found = compared(tmp_path, here, there)
    assert found is not None and sorted(pair.differs for pair in found.pairs) == expected


def test_layers_are_matched_in_their_order(tmp_path: Path) -> None:
    found = compared(
        tmp_path,
        "nn.Conv2d(3, 8, 3)\nnn.ReLU()\nnn.Dense(8, 4)\nnn.Dropout(p=0.5)\nnn.Dense(4, 2)\n",
        "nn.Conv2d(3, 8, 3)\nnn.ReLU()\nnn.Linear(8, 4)\nnn.Linear(4, 2)\nnn.AdaptiveAvgPool2d(1)\n",
    )
    assert found is not None and (found.share, found.here, found.there) == (0.75, 4, 3)
    assert [(pair.here.line, pair.there.line) for pair in found.pairs] == [(2, 3), (4, 5), (6, 6)]


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("nn.ReLU()", "nn.Linear(3, 4)"),
        ("nn.Dense(3, 4)", "nn.ReLU()"),
        ("nn.Dense(3, 4)", "nn.Linear(3, 4"),
        ("x.Dense()", ""),
    ],
)
def test_nothing_to_match(here: str, there: str, tmp_path: Path) -> None:
    assert compared(tmp_path, here, there) is None


@pytest.mark.usefixtures("usual_recursion")
def test_what_of_the_benchmark_could_not_be_read(tmp_path: Path) -> None:
    files = {"good": THERE, "broken": "import (\n", "long": "x = 1\ny = " + "+".join(["x"] * 900) + "\n"}
    for name, text in {**files, "train": HERE}.items():
        (tmp_path / f"{name}.py").write_text(text)
    spec = {"scripts": {"train": "train.py"}, "benchmark": {"scripts": {"train": [f"{name}.py" for name in files]}}}
    case = Case(root=str(tmp_path), spec=msgspec.convert(spec, CaseFile))
    found, gaps = training(case)
    assert [one.reading.source.path for one in found] == ["good.py", "long.py"]
    assert [(gap.code, gap.path) for gap in gaps] == [("unreadable", "broken.py"), ("too-complex", "long.py")]
    assert training(case)[0] is found


def test_more_layers_than_are_matched_in_time_are_left_out(tmp_path: Path) -> None:
    found = compared(tmp_path, "nn.Dense(3, 4)\n" * 1_100, "nn.Linear(3, 4)\n" * 1_050)
    assert found is not None
    assert (found.here, found.there, found.share) == (1_000, 1_000, 1.0)
