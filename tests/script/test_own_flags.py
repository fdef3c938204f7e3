"""Dropout that an attribute of the project's own switches: left on in an evaluation, or turned off there."""

from pathlib import Path

import pytest

from accucheck.script.modes import Replay
from accucheck.script.own_flags import examine
from case_scripts import scripts

NET = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

class Net(nn.Cell):
    def __init__(self, drops={default}):
        super().__init__()
        self.dense, self.drops = nn.Dense(8, 2), drops
    def construct(self, x):
        x = self.dense(x)
        {body}
        return x

def build(drops={default}):
    return Net(drops)
"""
DATA = 'data = ds.MindDataset("{file}", ["x", "y"]).batch(8)\n'
TRAIN = """
from net import *
net = {made}
ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(3, data)
"""
EVAL = """
from net import *
net = {made}
{change}
print(ms.Model(net, nn.MSELoss(), metrics={{"mse"}}).eval(data))
"""
GUARDED = "if self.drops:\n            x = ops.dropout(x, p=0.5)"
GIVEN = "x = ops.dropout(x, p=0.5, training=self.drops)"


def said(
    root: Path, body: str, made: str, change: str = "", default: str = "True", train: str = "build(True)"
) -> list[str]:
    net = NET.format(body=body, default=default) + DATA.format(file="rows.mindrecord")
    found = scripts(root, TRAIN.format(made=train), EVAL.format(made=made, change=change), net=net)
    accounts = [(r, Replay(r.trace, r.role != "train", r.view).run()) for r in found.readings]
    return [one.dropout.flag for one in examine(found, accounts, ["ops.dropout"])]


@pytest.mark.parametrize("body", [GUARDED, GIVEN])
@pytest.mark.parametrize("made", ["Net()", "build()", "Net(drops=True)", "nn.SequentialCell(Net())"])
def test_a_flag_that_stays_on(tmp_path: Path, body: str, made: str) -> None:
    assert said(tmp_path, body, made) == ["drops"]


@pytest.mark.parametrize("body", [GUARDED, GIVEN])
@pytest.mark.parametrize(
    ("made", "change"),
    [
        ("Net(False)", ""),
        ("build(drops=False)", ""),
        ("Net()", "net.drops = False"),
        ("Net(OPTIONS.drops)", ""),
    ],
)
def test_a_flag_that_is_turned_off_or_not_seen(tmp_path: Path, body: str, made: str, change: str) -> None:
    assert said(tmp_path, body, made, change) == []


@pytest.mark.parametrize(
    "body",
    [
        "x = ops.dropout(x, p=0.5, training=self.training)",
        "if self.training and self.drops:\n            x = ops.dropout(x, p=0.5)",
        "if self.drops:\n            x = ops.dropout(x, p=0.5, training=self.training)",
        "if self.drops:\n            x = x * 2",
    ],
)
def test_what_the_mode_switches_too(tmp_path: Path, body: str) -> None:
    assert said(tmp_path, body, "Net()") == []


def test_a_flag_that_is_off_unless_it_is_asked_for(tmp_path: Path) -> None:
    assert said(tmp_path, GUARDED, "Net()", default="False") == []
