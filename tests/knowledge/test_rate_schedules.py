"""MindSpore's schedules, with those of the installed one."""

from typing import Any

import pytest

from accucheck.knowledge.rate_schedules import find

nn = pytest.importorskip("mindspore.nn")

LISTS = {
    "cosine_decay_lr": (0.01, 0.1, 20, 3, 4),
    "exponential_decay_lr": (0.1, 0.9, 20, 3, 2),
    "exponential_decay_lr, stairs": (0.1, 0.9, 20, 3, 2, True),
    "inverse_decay_lr": (0.1, 0.5, 20, 3, 2),
    "inverse_decay_lr, stairs": (0.1, 0.5, 20, 3, 2, True),
    "natural_exp_decay_lr": (0.1, 0.9, 20, 3, 2),
    "natural_exp_decay_lr, stairs": (0.1, 0.9, 20, 3, 2, True),
    "polynomial_decay_lr": (0.1, 0.01, 20, 3, 4, 0.5),
    "polynomial_decay_lr, moving": (0.1, 0.01, 20, 3, 2, 0.5, True),
    "warmup_lr": (0.1, 20, 3, 2),
    "piecewise_constant_lr": ([2, 5, 10], [0.1, 0.05, 0.01]),
}
FUNCTIONS: dict[str, dict[str, Any]] = {
    "CosineDecayLR": {"min_lr": 0.01, "max_lr": 0.1, "decay_steps": 4},
    "ExponentialDecayLR": {"learning_rate": 0.1, "decay_rate": 0.9, "decay_steps": 4},
    "ExponentialDecayLR, stairs": {"learning_rate": 0.1, "decay_rate": 0.9, "decay_steps": 4, "is_stair": True},
    "InverseDecayLR": {"learning_rate": 0.1, "decay_rate": 0.9, "decay_steps": 4},
    "InverseDecayLR, stairs": {"learning_rate": 0.1, "decay_rate": 0.9, "decay_steps": 4, "is_stair": True},
    "NaturalExpDecayLR": {"learning_rate": 0.1, "decay_rate": 0.9, "decay_steps": 4},
    "NaturalExpDecayLR, stairs": {"learning_rate": 0.1, "decay_rate": 0.9, "decay_steps": 4, "is_stair": True},
    "PolynomialDecayLR": {"learning_rate": 0.1, "end_learning_rate": 0.01, "decay_steps": 4, "power": 0.5},
    "PolynomialDecayLR, moving": {
        "learning_rate": 0.1,
        "end_learning_rate": 0.01,
        "decay_steps": 4,
        "power": 0.5,
        "update_decay_steps": True,
    },
    "WarmUpLR": {"learning_rate": 0.1, "warmup_steps": 4},
}


@pytest.mark.parametrize("name", LISTS)
def test_lists(name: str) -> None:
    called, given = name.partition(",")[0], LISTS[name]
    own = find(f"nn.{called}")
    assert own is not None
    assert own(*given) == pytest.approx(getattr(nn, called)(*given))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_the_step(name: str) -> None:
    import mindspore as ms

    called, given = name.partition(",")[0], FUNCTIONS[name]
    own = find(f"nn.{called}")
    assert own is not None
    real = getattr(nn, called)(**given)
    steps = range(10)
    expected = [float(real(ms.Tensor(step, ms.int32)).asnumpy()) for step in steps]
    assert [own(**given)(step) for step in steps] == pytest.approx(expected, rel=1e-5)
    assert [own(*given.values())(step) for step in steps] == pytest.approx(expected, rel=1e-5)


def test_every_schedule_of_the_framework_is_known() -> None:
    every = [name for name in dir(nn) if name.endswith(("_lr", "LR")) and callable(getattr(nn, name))]
    assert [name for name in every if find(f"nn.{name}") is None] == []


def test_what_is_no_schedule() -> None:
    assert find("nn.Dense") is None
