"""What is said of gradient penalties: made of gradients with a loss scale, without, or not seen."""

from pathlib import Path

import pytest
from training_scripts import codes, training

from accucheck.script import penalties

STEP = """
scaler = amp.StaticLossScaler(1024)
critic = nn.Dense(2, 1)

def of_input(x):
    return {inner}

def forward(x, y):
    grads = ms.grad(of_input)(x)
    {penalty}
    return scaler.scale(loss_fn(net(x), y) + penalty)

grad_fn = ms.value_and_grad(forward, None, opt.parameters)

def step(x, y):
    loss, grads = grad_fn(x, y)
    opt(scaler.unscale(grads))
"""
SCALED, CLEAN = "scaler.scale(critic(x))", "critic(x)"
NORM = "penalty = (ops.norm(grads) - 1) ** 2"
#: The penalty, when `grads` are of the critic with a scale.
WRONG = [
    NORM,
    "penalty = ops.square(ops.norm(grads, dim=1) - 1.0).mean()",
    "penalty = ops.pow(ops.sqrt(ops.sum(ops.square(grads), 1)) - 1.0, 2).mean()",
    "penalty = (ops.sqrt((grads * grads).sum()) - 1) ** 2",
    "squares = grads * grads\n    penalty = (squares.sum() - 1.0) ** 2",
    "norms = [ops.norm(g) for g in grads]\n    penalty = (norms[0] - 1.0) ** 2",
    "penalty = (1 - ops.norm(grads)) ** 2",
    "penalty = (ops.norm(grads, dim=1)[0] - 1.0) ** 2",
    "penalty = ops.norm(grads)",
]


@pytest.mark.parametrize("penalty", WRONG)
def test_a_penalty_of_scaled_gradients(penalty: str, tmp_path: Path) -> None:
    assert set(codes(penalties.examine(training(tmp_path, STEP.format(inner=SCALED, penalty=penalty))))) == {
        "penalty-scaled"
    }
    assert set(codes(penalties.examine(training(tmp_path, STEP.format(inner=CLEAN, penalty=penalty))))) == {
        "penalty-clean"
    }


@pytest.mark.parametrize(
    ("penalty", "expected"),
    [
        ("grads = scaler.unscale(grads)\n    " + NORM, "penalty-clean"),
        ("grads = [g / 1024 for g in grads]\n    " + NORM, "penalty-scaled"),
        ("penalty = (ops.norm(scaler.unscale(grads) + 1e-8) - 1) ** 2", "penalty-clean"),
        ("penalty = (scaler.unscale(ops.norm(grads)) - 1) ** 2", "penalty-clean"),
        ("penalty = (scaler.unscale(grads * grads).sum() - 1) ** 2", "penalty-scaled"),
        ("penalty = (ops.norm(other(grads)) - 1) ** 2", "penalty-unknown"),
        ("norm = ops.norm(grads) if y else 1.0\n    penalty = (norm - 1) ** 2", "penalty-scaled"),
        ("penalty = 0.0", "no-penalty"),
        ("penalty = (x * grads).sum()", "no-penalty"),
    ],
)
def test_a_scale_on_the_way(penalty: str, expected: str, tmp_path: Path) -> None:
    assert set(codes(penalties.examine(training(tmp_path, STEP.format(inner=SCALED, penalty=penalty))))) == {expected}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("scaler.scale(loss_fn(net(x), y) + penalty)", "loss_fn(net(x), y) + penalty", "penalty-without-scale"),
        ("scaler.scale(loss_fn(net(x), y) + penalty)", "loss_fn(net(x), y) * 1024 + penalty", "penalty-clean"),
        ("critic(x)\n", "1024.0 * critic(x)\n", "penalty-scaled"),
        ("critic(x)\n", "10.0 * critic(x)\n", "penalty-clean"),
    ],
)
def test_with_and_without_a_scale(old: str, new: str, expected: str, tmp_path: Path) -> None:
    text = STEP.format(inner=CLEAN, penalty=NORM).replace(old, new)
    if expected == "penalty-without-scale":
        text = text.replace("scaler.unscale(grads)", "grads")
    assert set(codes(penalties.examine(training(tmp_path, text)))) == {expected}


def test_without_a_step(tmp_path: Path) -> None:
    assert codes(penalties.examine(training(tmp_path, "x = 1\n"))) == ["no-step"]
