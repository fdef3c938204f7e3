"""batch_size_live against noise scales that are known, and what sums of gradients mean."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import networks
from accucheck.case import load
from accucheck.model import Finding, Kind, Level, ProbeResult, Status, Verdict, combine
from accucheck.probes import batch_size_live
from accucheck.probes.batch_size_live import Params, judged, noise_scale, suggest
from findings import found_by, of_code, told

NET = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(20, 1, weight_init="zeros", has_bias=False)

    def construct(self, x):
        return self.fc(x)

def regression(batch, rows=6400, noise=1.0):
    random = np.random.default_rng(1)
    x = random.standard_normal((rows, 20))
    y = x[:, :1] + noise * random.standard_normal((rows, 1))
    return ds.NumpySlicesDataset({"x": x.astype(np.float32), "label": y.astype(np.float32)}, shuffle=False).batch(batch)
"""


def run(root: Path, params: dict[str, Any] | None = None, **data: Any) -> list[Finding]:
    calls = {"network": {"call": "net:Net"}, "loss": {"call": "mindspore.nn:MSELoss"}}
    pipelines = {"train": {"call": "net:regression", "args": data}}
    return networks.run("batch_size_live", root, NET, params=params, **calls, pipelines=pipelines)


@pytest.mark.mindspore
@pytest.mark.parametrize(("batch", "noise", "code"), [(16, 1.0, "near"), (64, 0.0, "near"), (4, 1.0, "far-below")])
def test_a_linear_regression(batch: int, noise: float, code: str, tmp_path: Path) -> None:
    """At w = 0 the gradient of a sample is -2yx: with |w*| = 1 its mean is -2w*, its variance 4(d + 1 + noise² d)."""
    true = 20 + 1 + noise**2 * 20
    found = run(tmp_path, {"groups": 100}, batch=batch, noise=noise)
    scale = of_code(found, code)
    assert scale.data["low"] < true < scale.data["high"], scale.data
    assert scale.data["scale"] == pytest.approx(true, rel=0.35)
    assert not told(found) and suggest(found) is Verdict.UNDECIDED


@pytest.mark.mindspore
def test_the_example_of_this_repository_with_its_checkpoint() -> None:
    found = found_by(batch_size_live, load(Path(__file__).parents[2] / "examples/digits"), Params())
    assert not told(found) and len(found) == 3
    assert [one.data["stage"]["en"] for one in found[:2]] == ["as built", "with checkpoints.current"]


def sums(scale: float, groups: int, size: int = 8, dim: int = 50, group: int = 4) -> list[list[float]]:
    """Of gradients whose samples have mean 1 in one direction, and a variance of `scale` in all together."""
    random = np.random.default_rng(0)
    grads = random.standard_normal((groups, group, dim)) * np.sqrt(scale / dim / size)
    grads[..., 0] += 1
    return [[float((g**2).sum(1).mean()), float((g.mean(0) ** 2).sum())] for g in grads]


def test_the_estimator_is_right_on_average() -> None:
    variance, square = noise_scale(8, 4, sums(100.0, 20_000))
    assert variance == pytest.approx(100, rel=0.02) and square == pytest.approx(1, rel=0.05)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    every = sums(100.0, 25 * 400)
    found = [
        judged(Params(), {"stage": "built", "size": 8, "groups": every[at : at + 25]})
        for at in range(0, len(every), 25)
    ]
    right = [one.data["low"] <= 100 <= one.data.get("high", np.inf) for one in found]
    assert np.mean(right) > 0.9


@pytest.mark.parametrize(
    ("groups", "size", "code"),
    [
        (sums(0.1, 25), 8, "far-above"),
        (sums(200.0, 400), 8, "far-below"),
        (sums(1e9, 25), 8, "at-least"),
        ([[0.0, 0.0]] * 25, 8, "no-noise"),
        ([[1.0, 1.0]] * 25, 8, "no-noise"),
        # batches of two classes that take turns: together their gradients are next to nothing
        ([[1.0, 1e-4 + 1e-5 * (number % 3)] for number in range(6)], 8, "cancelling"),
        ([[float("nan"), 1.0]] * 25, 8, "not-finite"),
        ([[1.0, 0.5]] * 3, 8, "too-few"),
        ([], 0, "too-few"),
    ],
)
def test_what_sums_mean(groups: list[list[float]], size: int, code: str) -> None:
    found = judged(Params(), {"stage": "built", "size": size, "groups": groups})
    assert (found.code, found.level) == (code, Level.INFO)


def test_advice_leaves_the_item_to_those_that_decide() -> None:
    def result(verdict: Verdict, kind: Kind, *findings: Finding) -> ProbeResult:
        return ProbeResult("x", kind, Status.DONE, verdict, list(findings))

    advice = result(Verdict.UNDECIDED, Kind.LIVE, Finding("near", Level.INFO))
    assert combine([advice]) is Verdict.UNDECIDED
    for verdict in Verdict:
        assert combine([result(verdict, Kind.FILE), advice]) is verdict
    suspect = Finding("x", Level.SUSPECT)
    assert combine([result(Verdict.OK, Kind.FILE), result(Verdict.UNDECIDED, Kind.LIVE, suspect)]) is Verdict.UNDECIDED
    gap = Finding("x", Level.INFO, incomplete=True)
    assert combine([result(Verdict.OK, Kind.FILE), result(Verdict.UNDECIDED, Kind.LIVE, gap)]) is Verdict.UNDECIDED
