"""Layers against those of a PyTorch benchmark: padding is among the settings, and the settings that were compared are named."""

from pathlib import Path

import pytest

from accucheck import probe
from accucheck.language import Language
from accucheck.model import Verdict
from accucheck.probe import script_example
from findings import found_by

NET = """
from {module} import nn

class Net(nn.{base}):
    def __init__(self):
        super().__init__()
        self.first = nn.{linear}(3, 4)
        self.conv = nn.Conv2d({conv})
        self.last = nn.{linear}(4, 5)

net = Net()
"""


@pytest.mark.parametrize(
    ("here", "there", "differs", "compared"),
    [
        ("3, 8, 3, has_bias=True", "3, 8, 3", [(1, 0)], True),  # pad_mode is "same" by default
        ("3, 8, 3, has_bias=True", "3, 8, 3, padding=1", [], True),
        ("3, 8, 5, dilation=2, has_bias=True", "3, 8, 5, dilation=2, padding=2", [(4, 2)], True),
        ("3, 8, 3, pad_mode='pad', padding=1, has_bias=True", "3, 8, 3, padding=(1, 1)", [], True),
        ("3, 8, 3, pad_mode='valid', has_bias=True", "3, 8, 3, padding=1", [(0, 1)], True),
        ("3, 8, 3, stride=2, has_bias=True", "3, 8, 3, stride=2, padding=1", [], False),  # one side gets more
        ("3, 8, 4, has_bias=True", "3, 8, 4, padding='same'", [], False),
    ],
)
def test_padding_is_compared(tmp_path: Path, here: str, there: str, differs: list[object], compared: bool) -> None:
    mine = NET.format(module="mindspore", base="Cell", linear="Dense", conv=here)
    theirs = NET.format(module="torch", base="Module", linear="Linear", conv=there)
    example = script_example(
        "",
        "",
        mine,
        Verdict.OK,
        files={"ref.py": theirs},
        benchmark={"framework": "pytorch", "scripts": {"train": "ref.py"}},
    )
    module = probe.load("api_differences")
    findings = found_by(module, example.lay_out(tmp_path), module.Params())
    found = [f.data for f in findings if f.code == "unlike-benchmark" and f.data["setting"] == "padding"]
    assert [(int(data["here"]), int(data["there"])) for data in found] == differs
    matched = next(finding for finding in findings if finding.code == "benchmark-matched")
    assert ("padding" in matched.data["settings"]) is compared
    assert "kernel_size" in probe.message(module, matched.code, matched.data, Language.EN)
