"""The steps of optimizers, by those of the installed MindSpore on gradients that differ by a factor."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from accucheck.knowledge.optimizers import normalized, step_of

ms = pytest.importorskip("mindspore")

RATE = 0.001
OTHERS = ("nn.SGD", "nn.Momentum", "experimental.optim.SGD")


def step(name: str, factor: float) -> Any:
    """The update of weights of 2 after many steps with gradients of 0.1 to 0.3 times a factor."""
    module, _, last = f"mindspore.{name}".rpartition(".")
    weight = ms.Parameter(np.full(3, 2.0, np.float32), name="weight")
    if last == "AdaFactor":
        optimizer = ms.nn.AdaFactor([weight], RATE, scale_parameter=True, relative_step=False)
    else:
        more = {"momentum": 0.9} if last == "Momentum" else {}
        optimizer = getattr(import_module(module), last)([weight], RATE, **more)
    gradient = ms.Tensor(np.array([0.1, -0.2, 0.3]) * factor, ms.float32)
    for _ in range(150):
        before = weight.asnumpy().copy()
        optimizer((gradient,))
    return weight.asnumpy() - before


@pytest.mark.parametrize("name", normalized())
def test_steps_that_do_not_grow_with_the_gradients(name: str) -> None:
    try:
        small, large = step(name, 1.0), step(name, 100.0)
    except (RuntimeError, TypeError, ValueError) as error:
        pytest.skip(f"does not run on this device: {str(error)[:80]}")
    if not small.any():
        pytest.skip("updates nothing on this device")
    np.testing.assert_allclose(large, small, rtol=0.3)
    if step_of(name) == "rate":
        assert np.all(np.abs(small) < 5 * RATE) and np.all(np.abs(small) > RATE / 5)


@pytest.mark.parametrize("name", OTHERS)
def test_steps_that_grow_with_the_gradients(name: str) -> None:
    assert step_of(name) is None
    assert np.abs(step(name, 100.0) / step(name, 1.0)).min() > 1.5
