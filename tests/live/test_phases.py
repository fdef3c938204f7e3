"""Trainings that take turns, as of a generator and a discriminator: what is frozen is judged in each of them."""

from pathlib import Path
from typing import Any

import pytest

import networks
from accucheck.model import Finding, Level, Table, Verdict, suggest

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


def run(root: Path, critic: str = "CriticLoss", probe: str = "frozen_weights_live", **more: Any) -> list[Finding]:
    phases = {
        "generator": {"network": {"call": "net:GeneratorLoss", "inputs": ["z"]}, "optimizer": ADAM, "frozen": ["d.*"]},
        "critic": {"network": {"call": f"net:{critic}", "inputs": ["x", "z"]}, "optimizer": ADAM, "frozen": ["g.*"]},
    }
    return networks.run(probe, root, BODY, phases=phases, **more)


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


@pytest.mark.parametrize(
    "probe",
    [
        *("activations", "batch_size_live", "first_loss_live", "gradients", "input_dependence", "label_fit_live"),
        *("loss_reference", "mode_switch", "overfit_batch", "update_ratio", "weight_sharing_live", "zero_weights_live"),
    ],
)
def test_each_live_probe_examines_each_phase(probe: str, tmp_path: Path) -> None:
    """Without a network of the whole case; a training in order is shown no problem."""
    findings = run(tmp_path, probe=probe)
    assert {finding.where.field for finding in findings} == {"generator", "critic"}
    assert not [finding for finding in findings if finding.level is Level.PROBLEM], findings


@pytest.mark.parametrize(("probe", "title"), [("update_ratio", "ratios"), ("gradients", "gradients")])
def test_what_a_phase_keeps_is_not_trained_in_it(probe: str, title: str, tmp_path: Path) -> None:
    rows: dict[str | None, set[str]] = {}
    for finding in run(tmp_path, probe=probe):
        for evidence in finding.evidence:
            if isinstance(evidence, Table):
                rows.setdefault(finding.where.field, set()).update(str(row[0]) for row in evidence.rows)
    assert {name[0] for name in rows["generator"]} == {"g"} and {name[0] for name in rows["critic"]} == {"d"}


def test_phases_that_are_alike_are_examined_once(tmp_path: Path) -> None:
    network = {"call": "net:GeneratorLoss", "inputs": ["z"]}
    phases = {"first": {"optimizer": ADAM}, "second": {"optimizer": ADAM, "frozen": ["d.*"]}}
    findings = networks.run("weight_sharing_live", tmp_path, BODY, network=network, phases=phases)
    assert {finding.where.field for finding in findings} == {"first, second"}


def test_a_phase_without_a_loss_is_not_compared_with_its_definition(tmp_path: Path) -> None:
    findings = run(tmp_path, probe="loss_reference")
    assert [(f.code, f.data["keys"]) for f in findings] == [
        ("phase-lacks", ["phases.generator.loss"]),
        ("phase-lacks", ["phases.critic.loss"]),
    ]
    assert suggest(findings) is Verdict.UNDECIDED
