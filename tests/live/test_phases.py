"""Trainings that take turns, as of a generator and a discriminator: what is frozen is judged in each of them."""

from pathlib import Path
from typing import Any

import pytest

import networks
from accucheck.model import Finding, Level, Verdict, suggest

pytestmark = pytest.mark.mindspore

BODY = """
class Generator(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = nn.Dense(4, 6)

    def construct(self, z):
        return ops.tanh(self.net(z))


class Critic(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = nn.Dense(6, 1)

    def construct(self, x):
        return self.net(x)


class GeneratorLoss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.g, self.d = Generator(), Critic()

    def construct(self, z):
        return ops.softplus(-self.d(self.g(z))).mean()


class CriticLoss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.g, self.d = Generator(), Critic()

    def construct(self, x, z):
        fake = ops.stop_gradient(self.g(z))
        return (ops.softplus(-self.d(x)) + ops.softplus(self.d(fake))).mean()


class Stuck(CriticLoss):
    def construct(self, x, z):
        return ops.softplus(ops.stop_gradient(self.d(x)) + self.g(z).mean()).mean()


def create():
    random = np.random.RandomState(0)
    columns = {"x": random.randn(64, 6).astype(np.float32), "z": random.randn(64, 4).astype(np.float32)}
    return ds.NumpySlicesDataset(columns, shuffle=False).batch(16)
"""
ADAM = {"call": "mindspore.nn:Adam", "args": {"learning_rate": 0.001}}


def run(root: Path, critic: str = "CriticLoss", **more: Any) -> list[Finding]:
    phases = {
        "generator": {"network": {"call": "net:GeneratorLoss", "inputs": ["z"]}, "optimizer": ADAM, "frozen": ["d.*"]},
        "critic": {"network": {"call": f"net:{critic}", "inputs": ["x", "z"]}, "optimizer": ADAM, "frozen": ["g.*"]},
    }
    return networks.run("frozen_weights_live", root, BODY, phases=phases, **more)


def test_weights_that_stay_in_one_phase_and_move_in_the_other_are_in_order(tmp_path: Path) -> None:
    findings = run(tmp_path)
    assert suggest(findings) is Verdict.OK and all(finding.level is Level.INFO for finding in findings), findings
    examined = {f.where.field: (f.data["moved"], f.data["frozen"]) for f in findings if f.code == "examined"}
    assert examined == {"generator": (2, 2), "critic": (2, 2)}


def test_weights_that_no_phase_moves_are_suspected(tmp_path: Path) -> None:
    findings = run(tmp_path, "Stuck")
    never = next(finding for finding in findings if finding.code == "in-no-phase")
    assert never.level is Level.SUSPECT and never.data["names"] == ["d.net.weight", "d.net.bias"]
    assert next(f for f in findings if f.code == "no-gradient").where.field == "critic"


def test_several_optimizers_of_a_script_leave_open_what_each_of_them_is_given(tmp_path: Path) -> None:
    """Without phases the list of parameters that the script gives to each optimizer is not seen: no fault, and no ok."""
    (tmp_path / "train.py").write_text(
        "import net\nfrom mindspore import nn\nlosses = net.GeneratorLoss()\n"
        "one = nn.Adam(losses.g.trainable_params())\nother = nn.Adam(losses.d.trainable_params())\n"
    )
    more = {
        "network": {"call": "net:GeneratorLoss", "inputs": ["z"]},
        "scripts": {"train": "train.py"},
        "optimizer": ADAM,
        "design": {"frozen": ["d.*"]},
    }
    findings = networks.run("frozen_weights_live", tmp_path, BODY, **more)
    assert {finding.code: finding.level for finding in findings}["phases-unknown"] is Level.INFO
    assert suggest(findings) is Verdict.UNDECIDED and not any(f.level is Level.PROBLEM for f in findings)
