"""A loss that has a softmax of its own, on a network that ends in one."""

from pathlib import Path

import pytest

import networks
from accucheck.model import Level

pytestmark = pytest.mark.mindspore

BODY = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one, self.act = nn.Dense(8, 3), ACT

    def construct(self, x):
        return self.act(self.one(x))


def likelihood():
    return lambda output, label: -ops.log(output[ops.arange(len(label)), label]).mean()
"""
CE = "mindspore.nn:CrossEntropyLoss"


@pytest.mark.parametrize(
    ("act", "loss", "twice"),
    [
        ("nn.Softmax()", CE, True),
        ("nn.Identity()", CE, False),
        ("nn.Softmax()", "net:likelihood", False),
        ("nn.Sigmoid()", CE, False),
    ],
)
def test_a_softmax_before_one(tmp_path: Path, act: str, loss: str, twice: bool) -> None:
    findings = networks.run("loss_reference", tmp_path, BODY.replace("ACT", act), loss={"call": loss})
    levels = {finding.code: finding.level for finding in findings}
    assert (levels.get("softmax-twice") is Level.PROBLEM) is twice, levels
    assert twice or Level.PROBLEM not in levels.values()
