"""first_loss_live on networks that are built: losses, shapes of outputs and labels, and weights that are loaded."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import networks
from accucheck.case import load
from accucheck.live.inside import targets
from accucheck.model import Finding, Level, Verdict, suggest
from accucheck.probes import first_loss_live
from findings import found_by, of_code, told

NET = """
def create(rows=64, classes=2, form="classes"):
    random = np.random.default_rng(0)
    x = random.standard_normal((rows, 8)).astype(np.float32)
    y = (np.arange(rows) % classes).astype(np.int32)
    y = {"classes": y, "column": y[:, None], "hot": np.eye(classes, dtype=np.float32)[y], "tokens": np.stack([y] * 5, 1)}[form]
    return ds.NumpySlicesDataset({"x": x, "label": y}, shuffle=False).batch(16)

class Net(nn.Cell):
    def __init__(self, width=2, how="", scale=1):
        super().__init__()
        self.fc, self.how, self.scale = nn.Dense(8, width), how, scale
        if how == "loads":
            ms.load_param_into_net(self, {"fc.weight": Parameter(Tensor(np.eye(2, 8) * 50, ms.float32), name="fc.weight")})

    def construct(self, x):
        out = self.fc(x) * self.scale
        if self.how == "tokens":
            out = ops.stack([out] * 5, 2)
        return {"": out, "loads": out, "several": (out, x), "half": out.astype(ms.float16), "tokens": out}[self.how]

def squeezed(output, label):
    return nn.CrossEntropyLoss()(output, label[:, 0])

def own():
    return squeezed

def custom(log=False):
    def loss(output, label):
        output = output[0] if isinstance(output, tuple) else output
        return ops.relu(1 - output[:, :1]).mean() + (np.nan if log else 0)

    return loss
"""
CE = {"call": "mindspore.nn:CrossEntropyLoss"}


def run(
    root: Path, net: dict[str, Any] | None = None, create: dict[str, Any] | None = None, **spec: Any
) -> list[Finding]:
    calls = {
        "network": {"call": "net:Net", "args": net or {}},
        "pipelines": {"train": {"call": "net:create", "args": create or {}}},
    }
    return networks.run("first_loss_live", root, NET, **{**calls, "loss": CE, **spec})


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("net", "data", "spec"),
    [
        ({}, {}, {}),
        ({"width": 50}, {"classes": 50}, {}),
        ({"how": "several", "width": 3}, {"classes": 3}, {"loss": {"call": "net:custom"}}),
        ({}, {"form": "column"}, {"loss": {"call": "net:own"}}),
        ({"width": 10}, {"classes": 10, "form": "hot"}, {}),
        ({"width": 10, "how": "tokens"}, {"classes": 10, "form": "tokens"}, {}),
        ({"width": 10}, {"classes": 10}, {"loss": {"call": CE["call"], "args": {"label_smoothing": 0.2}}}),
    ],
)
def test_fresh_weights_guess(net: dict[str, Any], data: dict[str, Any], spec: dict[str, Any], tmp_path: Path) -> None:
    found = run(tmp_path, net, data, **spec)
    if spec.get("loss") == {"call": "net:custom"}:
        assert {"other-loss", "answers"} == {one.code for one in found} and suggest(found) is Verdict.UNDECIDED
        return
    fits = of_code(found, "first-fits")
    assert not told(found) and suggest(found) is Verdict.OK
    assert fits.data["expected"] == math.log(net.get("width", 2)) and abs(fits.data["ratio"] - 1) < 0.5
    assert len(fits.evidence[0].rows) == 4  # type: ignore[union-attr]
    assert of_code(found, "answers").data["rows"] == 64 * (5 if net.get("how") == "tokens" else 1)


@pytest.mark.mindspore
def test_what_is_loaded_explains_a_low_loss(tmp_path: Path) -> None:
    found = run(tmp_path, {"how": "loads"})
    assert of_code(found, "loaded").data["count"] == 1
    low = run(tmp_path, {"scale": 0.0}, data={"train": {"classes": list(range(9))}})
    assert told(low) == {"first-low"}  # ln(2) where ln(9) is said to be right
    pretrained = run(
        tmp_path, {"scale": 0.0}, data={"train": {"classes": list(range(9))}}, checkpoints={"pretrained": "x.ckpt"}
    )
    assert of_code(pretrained, "pretrained").level is Level.INFO and suggest(pretrained) is Verdict.UNDECIDED


@pytest.mark.mindspore
def test_what_is_wrong(tmp_path: Path) -> None:
    high = run(tmp_path, {"scale": 300.0, "width": 10}, {"classes": 10})
    assert told(high) == {"first-high"}
    assert of_code(high, "first-high").data["loss"] > 8
    summed = of_code(run(tmp_path, loss={"call": CE["call"], "args": {"reduction": "sum"}}), "summed")
    assert summed.data["rows"] == 16 and summed.data["loss"] == pytest.approx(16 * summed.data["entropy"], rel=1e-3)
    assert told(run(tmp_path, loss={"call": "net:custom", "args": {"log": True}})) == {"first-not-finite"}


@pytest.mark.mindspore
def test_a_network_that_gives_its_loss_needs_the_classes(tmp_path: Path) -> None:
    body = (
        NET
        + "\nclass WithLoss(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.net = Net()\n"
    )
    body += "    def construct(self, x, label):\n        return nn.CrossEntropyLoss()(self.net(x), label)\n"
    calls: dict[str, Any] = {"network": {"call": "net:WithLoss"}}
    found = networks.run("first_loss_live", tmp_path, body, **calls)
    assert {one.code for one in found} == {"no-classes"} and suggest(found) is Verdict.UNDECIDED
    found = networks.run("first_loss_live", tmp_path, body, **calls, data={"train": {"classes": ["a", "b"]}})
    assert {one.code for one in found} == {"first-fits"}


@pytest.mark.mindspore
def test_the_example_of_this_repository() -> None:
    found = found_by(first_loss_live, load(Path(__file__).parents[2] / "examples/digits"), first_loss_live.Params())
    assert of_code(found, "first-fits").data["ratio"] == pytest.approx(1, abs=0.1) and suggest(found) is Verdict.OK


def test_how_much_is_learnt() -> None:
    eye, truth = np.eye(4), np.arange(4)
    assert targets.learnt("classes", eye, truth) == (1, 1) and targets.learnt("classes", eye[[0] * 4], truth) == (
        0,
        0.25,
    )
    assert targets.learnt("classes", eye, np.zeros(4, int)) == (None, 0.25)
    scores, yes = np.array([0.1, 0.7, 0.2, 0.9]), np.array([False, True, False, True])
    assert targets.learnt("binary", scores, yes) == (1, 1) and targets.learnt("binary", -scores, yes) == (0, 0.5)
    assert targets.learnt("binary", np.zeros(4), yes) == (0, 0.5)
    values = np.array([[1.0], [3.0]])
    assert targets.learnt("values", values, values) == (1, None) and targets.learnt(
        "values", values * 0 + 2, values
    ) == (0, None)
    assert targets.cross_entropy(np.zeros((4, 10)), truth) == pytest.approx(math.log(10))
