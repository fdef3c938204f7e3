"""Gradients taken within the loss of trainings that were really watched: a penalty, healthy and with a planted fault."""

from pathlib import Path

import pytest

from accucheck.model import Level
from accucheck.probes import watched_penalty, watched_scaling, watched_settings
from watched_runs import judged, watched

SCRIPT = """
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor, amp, nn

    ms.set_seed(1)
    critic = nn.SequentialCell(nn.Dense(6, 16), nn.LeakyReLU(), nn.Dense(16, 1))
    optimizer = nn.Adam(critic.trainable_params(), 1e-3)
    scaler = amp.DynamicLossScaler(1024.0, 2, 1000)

    def score(x):
        return critic(x).sum()

    def forward(real, fake):
        gradients = ms.grad(score)((real + fake) / 2)
        penalty = ((gradients.norm(dim=1) - 1.0) ** 2).mean()
        return scaler.scale(critic(fake).mean() - critic(real).mean() + 10.0 * penalty)

    step = ms.value_and_grad(forward, None, optimizer.parameters)
    dice = np.random.default_rng(0)
    for _ in range(8):
        real, fake = (Tensor(dice.standard_normal((16, 6)).astype(np.float32)) for _ in range(2))
        value, grads = step(real, fake)
        grads = scaler.unscale(grads)
        optimizer(grads)
"""
SCALED = {"return critic(x).sum()": "return scaler.scale(critic(x).sum())"}
TAKEN = "gradients = ms.grad(score)((real + fake) / 2)"


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, "penalty-clean"),
        (SCALED, "penalty-scaled"),
        ({**SCALED, TAKEN: f"{TAKEN}; gradients = scaler.unscale((gradients,))[0]"}, "penalty-unscaled"),
        ({**SCALED, TAKEN: f"{TAKEN} / scaler.scale_value"}, "penalty-open"),
        ({TAKEN: "gradients = real"}, "no-inner"),
    ],
    ids=["healthy", "scaled", "divided by the scaler", "divided by hand", "none"],
)
def test_what_scales_the_gradients_of_a_penalty(changes: dict[str, str], code: str, tmp_path: Path) -> None:
    script = SCRIPT
    for old, new in changes.items():
        assert old in script
        script = script.replace(old, new)
    case = watched(tmp_path / "project", script)
    found = judged(watched_penalty, case)
    assert [*found] == [code]
    assert (found[code].level is Level.PROBLEM) == (code == "penalty-scaled")
    if code != "no-inner":
        assert (found[code].where.path, found[code].where.line) == ("train.py", 15)
    # Such gradients are no update's: each step is one pass, whose scale is taken off once.
    assert [*judged(watched_scaling, case)] == ["scaled"]
    assert not {"added-up", "summed", "not-cleared"} & judged(watched_settings, case).keys()
