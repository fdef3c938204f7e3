"""First steps of real twins: the same network in torch and in MindSpore, from the same weights, on the same batch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accucheck import probe
from accucheck.case import load
from accucheck.model import Finding, Level, suggest
from accucheck.parameter_map import pair_parameters, views
from accucheck.readers.checkpoints import open_checkpoint, read

pytestmark = pytest.mark.mindspore
CASE = """checkpoints: {initial: w0.ckpt, after_step: w1.ckpt, reference: r0.pth, reference_after_step: r1.pth}
"""


def transfer(network: Any, pth: Path, folder: Path) -> None:
    """Load the weights of a .pth into a MindSpore network as the map says."""
    import mindspore as ms

    ms.save_checkpoint(network, str(folder / "fresh.ckpt"))
    found = pair_parameters(open_checkpoint(folder / "fresh.ckpt").tensors, open_checkpoint(pth).tensors)
    parameters = {parameter.name: parameter for parameter in network.get_parameters()}
    assert {pair.left.name for pair in found.pairs} == set(parameters)
    for pair in found.pairs:
        parameters[pair.left.name].set_data(ms.Tensor(read(views(pair)[1])))


OPTIMIZERS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "SGD": (
        lambda nn, weights, rate: nn.SGD(weights, rate),
        lambda optim, weights: optim.SGD(weights, 0.1),
    ),
    "Momentum": (
        lambda nn, weights, rate: nn.Momentum(weights, rate, 0.9),
        lambda optim, weights: optim.SGD(weights, 0.1, 0.9),
    ),
    "Adam": (
        lambda nn, weights, rate: nn.Adam(weights, rate / 100),
        lambda optim, weights: optim.Adam(weights, 0.001),
    ),
}


def twins(
    folder: Path,
    optimizer: str,
    rate: float = 0.1,
    reduction: str = "mean",
    frozen: str = "-",
    eps: float = 1e-5,
    momentum: float = 0.9,
) -> None:
    torch = pytest.importorskip("torch")
    import mindspore as ms
    from mindspore import nn

    torch.manual_seed(3)
    generator = np.random.default_rng(3)
    x, y = generator.standard_normal((16, 3, 8, 8)).astype("f4"), generator.integers(0, 5, 16)
    reference = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1),
        torch.nn.BatchNorm2d(8),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(512, 32),
        torch.nn.LayerNorm(32),
        torch.nn.ReLU(),
        torch.nn.Linear(32, 5),
    )
    torch.save(reference.state_dict(), folder / "r0.pth")
    network = nn.SequentialCell(
        nn.Conv2d(3, 8, 3, pad_mode="pad", padding=1, has_bias=True),
        nn.BatchNorm2d(8, momentum=momentum),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dense(512, 32),
        nn.LayerNorm((32,), epsilon=eps),
        nn.ReLU(),
        nn.Dense(32, 5),
    )
    transfer(network, folder / "r0.pth", folder)
    ms.save_checkpoint(network, str(folder / "w0.ckpt"))
    make_own, make_other = OPTIMIZERS[optimizer]
    reference.train()
    other = make_other(torch.optim, reference.parameters())
    other_loss = torch.nn.functional.cross_entropy(reference(torch.from_numpy(x)), torch.from_numpy(y))
    other_loss.backward()
    other.step()
    torch.save(reference.state_dict(), folder / "r1.pth")
    network.set_train()
    own = make_own(nn, [p for p in network.trainable_params() if not p.name.startswith(frozen)], rate)
    loss = nn.CrossEntropyLoss(reduction=reduction)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, loss), own)
    step.set_train()
    own_loss = step(ms.Tensor(x), ms.Tensor(y, ms.int32))
    for name, first in (("ours", own_loss), ("theirs", other_loss)):
        (folder / f"{name}.csv").write_text(f"step,loss\n1,{float(first.item())!r}\n2,1.5\n", "utf-8")
    ms.save_checkpoint(network, str(folder / "w1.ckpt"))
    (folder / "accucheck.yaml").write_text(CASE, "utf-8")


def findings(folder: Path, name: str = "updated_weights") -> list[Finding]:
    module = probe.load(name)
    return [event for event in module.run(load(folder), probe.params(module, {})) if isinstance(event, Finding)]


def told(found: list[Finding]) -> dict[str, Finding]:
    return {finding.code: finding for finding in found if finding.level is not Level.INFO}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_clean_twins(optimizer: str, tmp_path: Path) -> None:
    twins(tmp_path, optimizer)
    for name in ("parameter_map", "initial_weights", "updated_weights"):
        found = findings(tmp_path, name)
        assert told(found) == {}, name
        assert suggest(found).value == "ok", name


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_twice_the_learning_rate(optimizer: str, tmp_path: Path) -> None:
    twins(tmp_path, optimizer, rate=0.2)
    found = told(findings(tmp_path))
    assert set(found) == {"scaled"}
    assert found["scaled"].data["factor"] == pytest.approx(2, rel=1e-3)


def test_a_loss_that_is_summed(tmp_path: Path) -> None:
    twins(tmp_path, "SGD", reduction="sum")
    found = told(findings(tmp_path))
    assert found["scaled"].data["factor"] == pytest.approx(16, rel=1e-3)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_layer_that_the_optimizer_was_not_given(optimizer: str, tmp_path: Path) -> None:
    twins(tmp_path, optimizer, frozen="4.")
    found = told(findings(tmp_path))
    assert set(found) == {"unmoved"}
    assert found["unmoved"].data["names"] == ["4.weight", "4.bias"]


def test_an_epsilon_of_layernorm_changes_the_gradients_in_front_of_it(tmp_path: Path) -> None:
    twins(tmp_path, "SGD", eps=0.5)
    found = told(findings(tmp_path))
    assert set(found) == {"updates-differ"}
    assert "0.weight" in found["updates-differ"].data["names"]


def test_a_checkpoint_after_the_step_that_lacks_a_layer(tmp_path: Path) -> None:
    import mindspore as ms

    twins(tmp_path, "SGD")
    left = ms.load_checkpoint(str(tmp_path / "w1.ckpt"))
    ms.save_checkpoint(
        [{"name": name, "data": value} for name, value in left.items() if not name.startswith("7.")],
        str(tmp_path / "w1.ckpt"),
    )
    found = findings(tmp_path)
    lost = next(finding for finding in found if finding.code == "not-compared")
    assert lost.incomplete
    assert lost.data["names"] == ["7.weight", "7.bias"]
    assert suggest(found).value == "undecided"


def test_a_momentum_of_batchnorm_that_the_losses_do_not_show(tmp_path: Path) -> None:
    twins(tmp_path, "Adam", momentum=0.1)
    found = told(findings(tmp_path))
    assert set(found) == {"statistics-factor"}
    assert found["statistics-factor"].data["factor"] == pytest.approx(9, rel=1e-3)
    assert found["statistics-factor"].data["layers"] == 1
    assert set(found["statistics-factor"].data["names"]) == {"1.moving_mean", "1.moving_variance"}


@pytest.mark.parametrize(("fault", "codes"), [({"eps": 0.5}, set()), ({"rate": 0.2}, {"scaled"})])
def test_what_follows_from_another_first_loss_is_told_apart(
    fault: dict[str, Any], codes: set[str], tmp_path: Path
) -> None:
    twins(tmp_path, "SGD", **fault)
    (tmp_path / "accucheck.yaml").write_text(
        CASE + "curves: {train: ours.csv, reference: {path: theirs.csv}}\n", "utf-8"
    )
    found = findings(tmp_path)
    assert set(told(found)) == codes
    follows = [finding for finding in found if finding.code == "follows"]
    assert bool(follows) is not bool(codes)
    if follows:
        assert suggest(found).value == "undecided"
        assert abs(follows[0].data["relative"]) > 1e-3
