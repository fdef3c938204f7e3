"""The names of parameters are those of the installed frameworks: layer by layer, every parameter finds its counterpart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from accucheck.parameter_map import pair_parameters, unneeded
from accucheck.readers.checkpoints import open_checkpoint

pytestmark = [pytest.mark.mindspore, pytest.mark.part(1)]


def layers(nn: Any, dense: Any, group: dict[str, int], lists: bool) -> dict[str, Any]:
    shape = (4,) if lists else 4
    return {
        "batch2": nn.BatchNorm2d(3),
        "layer": nn.LayerNorm(shape),
        "group": nn.GroupNorm(1, 5),
        "table": nn.Embedding(7, 4),
        "conv2": nn.Conv2d(2, 4, 3, **group),
        "linear": dense(4, 6),
        "prelu": nn.PReLU(9),
    }


def more_layers(nn: Any, dense: Any, group: dict[str, int], bias: dict[str, bool]) -> dict[str, Any]:
    return {
        "batch1": nn.BatchNorm1d(3),
        "batch3": nn.BatchNorm3d(3),
        "instance": nn.InstanceNorm2d(6, affine=True),
        "conv1": nn.Conv1d(2, 4, 5, **bias),
        "conv3": nn.Conv3d(2, 4, 5, **bias),
        "up1": nn.ConvTranspose1d(4, 8, 5) if bias == {} else nn.Conv1dTranspose(4, 8, 5, **bias),
        "up2": nn.ConvTranspose2d(4, 8, 5, **group) if bias == {} else nn.Conv2dTranspose(4, 8, 5, **group, **bias),
        "lstm": nn.LSTM(4, 5, 2, bidirectional=True),
        "gru": nn.GRU(4, 5),
        "rnn": nn.RNN(4, 5),
        "cell": nn.LSTMCell(4, 5),
        "attention": nn.MultiheadAttention(8, 2),
    }


def saved(tmp_path: Path, ours: Any, theirs: Any) -> tuple[Any, Any]:
    import mindspore
    import torch

    mindspore.save_checkpoint(ours, str(tmp_path / "net.ckpt"))
    torch.save(theirs, tmp_path / "ref.pth")
    return open_checkpoint(tmp_path / "net.ckpt").tensors, open_checkpoint(tmp_path / "ref.pth").tensors


def test_layers_of_nn(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from mindspore import nn

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            own = layers(nn, nn.Dense, {"group": 2}, True) | more_layers(nn, nn.Dense, {"group": 2}, {"has_bias": True})
            for name, layer in own.items():
                setattr(self, name, layer)

    theirs = torch.nn.ModuleDict(
        layers(torch.nn, torch.nn.Linear, {"groups": 2, "bias": False}, False)
        | more_layers(torch.nn, torch.nn.Linear, {"groups": 2}, {})
    )
    left, right = saved(tmp_path, Net(), theirs.state_dict())
    found = pair_parameters(left, right)
    assert {pair.left.name.split(".")[0] for pair in found.pairs} == set(theirs.keys())
    assert all(pair.left.name.split(".")[0] == pair.right.name.split(".")[0] for pair in found.pairs)
    assert (found.ambiguous, found.shapes) == ([], [])
    assert [info.name for info in found.right if not unneeded(info)] == []
    # InstanceNorm of MindSpore keeps statistics; PyTorch's does not unless told to.
    assert {info.name for info in found.left} == {"instance.moving_mean", "instance.moving_variance"}


def test_layers_of_mint(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from mindspore import mint
    from mindspore import nn as ms_nn

    class Net(ms_nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            for name, layer in layers(mint.nn, mint.nn.Linear, {"groups": 2}, True).items():
                setattr(self, name, layer)

    theirs = torch.nn.ModuleDict(layers(torch.nn, torch.nn.Linear, {"groups": 2}, False))
    left, right = saved(tmp_path, Net(), theirs.state_dict())
    found = pair_parameters(left, right)
    assert [(pair.left.name, pair.transform) for pair in found.pairs] == [(pair.right.name, "") for pair in found.pairs]
    assert (found.left, found.right, found.ambiguous, found.shapes) == ([], [], [], [])


@pytest.mark.parametrize("kind", ["Adam", "SGD", "Momentum", "RMSProp", "AdamWeightDecay", "mint.AdamW"])
def test_state_of_optimizers(kind: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    import mindspore
    from mindspore import mint, nn

    net = nn.SequentialCell(nn.Conv2d(2, 4, 3, has_bias=True), nn.BatchNorm2d(4), nn.Dense(4, 3))
    weights = net.trainable_params()
    own = {
        "Adam": lambda: nn.Adam(weights),
        "SGD": lambda: nn.SGD(weights, 0.1, 0.9),
        "Momentum": lambda: nn.Momentum(weights, 0.1, 0.9),
        "RMSProp": lambda: nn.RMSProp(weights, 0.1, momentum=0.9),
        "AdamWeightDecay": lambda: nn.AdamWeightDecay(weights),
        "mint.AdamW": lambda: mint.optim.AdamW(weights),
    }[kind]()
    reference = torch.nn.Sequential(torch.nn.Conv2d(2, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Linear(4, 3))
    optimizer = {
        "SGD": lambda parameters: torch.optim.SGD(parameters, 0.1, 0.9),
        "Momentum": lambda parameters: torch.optim.SGD(parameters, 0.1, 0.9),
        "RMSProp": lambda parameters: torch.optim.RMSprop(parameters, momentum=0.9),
    }.get(kind, torch.optim.AdamW)(reference.parameters())
    for parameter in reference.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    whole = [
        {"name": parameter.name, "data": mindspore.Tensor(parameter.asnumpy())}
        for parameter in {p.name: p for p in (*net.get_parameters(), *own.get_parameters())}.values()
    ]
    left, right = saved(tmp_path, whole, {"model": reference.state_dict(), "optimizer": optimizer.state_dict()})
    found = pair_parameters(left, right)
    state = {pair.left.name: pair.right.name for pair in found.pairs if pair.how == "state"}
    slots = {pair.left.name.split(".")[0] for pair in found.pairs if pair.how == "state"}
    assert len(state) == 6 * len(slots)
    assert (
        slots
        == {
            "Adam": {"moment1", "moment2"},
            "SGD": {"accum"},
            "Momentum": {"moments"},
            "RMSProp": {"mean_square", "moment"},
            "AdamWeightDecay": {"adam_m", "adam_v"},
            "mint.AdamW": {"exp_avg", "exp_avg_sq"},
        }[kind]
    )
    assert next(iter(state.items()))[1].startswith("optimizer.state.0.")
