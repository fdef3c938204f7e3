"""mode_switch on trained networks: what training and inference mode give on the same batches, and why they differ."""

from pathlib import Path
from typing import Any

import pytest

import networks
from accucheck.errors import UserError
from accucheck.model import Finding, Level, Verdict, suggest
from findings import of_code, told

pytestmark = pytest.mark.mindspore

NET = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Dense(8, 16), nn.Dense(16, 2)
{init}
    def construct(self, x):
        x = ops.relu(self.first(x))
        return {output}

def save():
    net = Net()
    ms.save_checkpoint(net, "net.ckpt"{choice})
    return net
"""


def run(root: Path, init: str = "", output: str = "self.last(x)", choice: str = "", **spec: Any) -> list[Finding]:
    """With the checkpoint that the network's own function has just saved, so that nothing was gained by training."""
    lines = "".join(f"        {line}\n" for line in init.splitlines())
    body = NET.replace("{init}", lines).replace("{output}", output).replace("{choice}", choice)
    spec = {"loss": {"call": "mindspore.nn:CrossEntropyLoss"}, **spec}
    return networks.run("mode_switch", root, body, **spec)


def saved(root: Path, *args: str, **more: Any) -> list[Finding]:
    (root / "net.ckpt").write_bytes(b"")  # the network's function writes it
    return run(root, *args, network={"call": "net:save"}, checkpoints={"current": "net.ckpt"}, **more)


def test_dropout_that_is_worse_in_training_is_told_only(tmp_path: Path) -> None:
    found = saved(tmp_path, "self.drop = nn.Dropout(p=0.5)", "self.last(self.drop(x))")
    assert not told(found) and suggest(found) is Verdict.OK


def test_a_branch_of_the_networks_own_that_spoils_inference(tmp_path: Path) -> None:
    found = saved(tmp_path, "", "self.last(x) if self.training else self.last(x) + 20 * x[:, :2]")
    worse = of_code(found, "inference-worse")  # nothing was gained before, so that it is no problem
    assert worse.level is Level.SUSPECT and worse.data["cause"] == "Net" and worse.where.path == "net.ckpt"
    assert [row[0] for row in worse.evidence[0].rows] == ["set_train(True)", "set_train(False)", "Net"]


def test_a_branch_that_gives_something_else_is_not_compared(tmp_path: Path) -> None:
    found = run(tmp_path, "", "self.last(x) if self.training else (self.last(x), x)")
    assert not told(found) and suggest(found) is Verdict.UNDECIDED and "inference-fails" in {f.code for f in found}


def test_inference_that_is_not_finite(tmp_path: Path) -> None:
    found = saved(tmp_path, "", "self.last(x) if self.training else self.last(x) / 0")
    assert told(found) == {"inference-not-finite"} and suggest(found) is Verdict.PROBLEM


def test_something_else_than_the_mode_of_a_layer(tmp_path: Path) -> None:
    init = "self.factor = 1.0"
    more = "\n    def set_train(self, mode=True):\n        self.factor = 1.0 if mode else 2.0\n        return super().set_train(mode)\n"
    found = run(tmp_path, init, "self.factor * self.last(x)\n" + more)
    assert told(found) == {"unexplained"} and of_code(found, "unexplained").data["difference"] == pytest.approx(0.5)


def test_statistics_that_the_checkpoint_lacks(tmp_path: Path) -> None:
    choice = ", choice_func=lambda name: 'moving' not in name"
    found = saved(tmp_path, "self.norm = nn.BatchNorm1d(16)", "self.last(self.norm(x))", choice)
    lacking = of_code(found, "statistics-not-loaded")
    assert lacking.level is Level.SUSPECT and lacking.data["names"] == ["norm.moving_mean", "norm.moving_variance"]


def test_a_checkpoint_of_another_network_is_not_judged(tmp_path: Path) -> None:
    choice = ", choice_func=lambda name: 'last' not in name"
    found = saved(tmp_path, "self.drop = nn.Dropout(p=0.5)", "self.last(self.drop(x))", choice)
    assert not told(found) and suggest(found) is Verdict.UNDECIDED and "not-loaded" in {f.code for f in found}


def test_a_checkpoint_that_is_no_file_or_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        run(tmp_path, checkpoints={"current": "net.ckpt"})
    (tmp_path / "net.ckpt").write_bytes(b"no checkpoint")
    with pytest.raises(UserError):
        run(tmp_path, checkpoints={"current": "net.ckpt"})


def test_half_precision_and_losses_within_the_network(tmp_path: Path) -> None:
    output = "self.last(x).astype(ms.float16).astype(ms.float32)"
    assert {f.code for f in run(tmp_path, "self.to_float(ms.float16)", output)} == {"same"}
    found = run(tmp_path, "self.drop = nn.Dropout(p=0.5)", "(self.last(self.drop(x)) ** 2).mean()", loss=None)
    assert not told(found) and "not-trained" in {f.code for f in found}


def test_a_loss_that_is_not_finite_is_no_difference_of_the_modes(tmp_path: Path) -> None:
    found = run(tmp_path, "", "ops.log(-ops.abs(self.last(x)) - 1)")
    assert not told(found) and of_code(found, "training-not-finite").incomplete and suggest(found) is Verdict.UNDECIDED
