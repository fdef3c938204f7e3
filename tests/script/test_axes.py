"""How many axes an array has behind what puts several axes into one, as MindSpore itself says."""

from __future__ import annotations

from pathlib import Path

import pytest

from accucheck.script.axes import UNKNOWN, Rank, rank
from case_scripts import scripts

HEAD = "import mindspore as ms\nfrom mindspore import nn, ops, mint\n"
#: Expressions of an array `x` of four axes, and how many axes are seen behind them; None where that is not told.
FLATTENED = {
    "nn.Flatten()(x)": 2,
    "nn.Flatten(2)(x)": 3,
    "nn.Flatten(start_dim=1)(x)": 2,
    "ops.Flatten()(x)": 2,
    "ops.flatten(x)": 2,
    "ops.flatten(x, 'C', start_dim=2)": 3,
    "ops.flatten(x, start_dim=1, end_dim=2)": None,
    "mint.flatten(x)": 1,
    "mint.flatten(x, 1)": 2,
    "mint.flatten(x, 1, 2)": None,
    "mint.nn.Flatten()(x)": 2,
    "x.flatten()": 1,
    "x.flatten(start_dim=1)": 2,
    "x.ravel()": 1,
    "ops.ravel(x)": 1,
}


@pytest.mark.parametrize("code", FLATTENED)
def test_axes_put_into_one(tmp_path: Path, code: str) -> None:
    (reading,) = scripts(tmp_path, f"{HEAD}x = ms.Tensor(load())\nshow({code})\n").training
    (shown,) = (call.args[0] for call in reading.trace.calls if call.last == "show")
    axes = FLATTENED[code]
    assert rank(shown) == (UNKNOWN if axes is None else Rank(axes, axes))


@pytest.mark.mindspore
@pytest.mark.part(1)
def test_mindspore_says_the_same() -> None:
    import mindspore as ms
    from mindspore import mint, nn, ops

    given = {"nn": nn, "ops": ops, "mint": mint, "x": ms.Tensor([[[[1.0, 2.0]] * 3] * 4] * 5)}
    for code, axes in FLATTENED.items():
        if axes is not None:
            assert eval(code, given).ndim == axes, code
