"""loss_reference on real losses of MindSpore, and on losses of one's own with one fault each."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import networks
from accucheck.errors import UserError
from accucheck.model import Finding, Level, Verdict, suggest
from findings import of_code, told

pytestmark = pytest.mark.mindspore

BODY = """
class Net(nn.Cell):
    def __init__(self, outputs=2, end=None):
        super().__init__()
        self.fc, self.end = nn.Dense(8, outputs), end

    def construct(self, x):
        x = self.fc(x)
        if self.end == "sigmoid":
            return ops.sigmoid(x)
        if self.end == "half":
            return x.astype(ms.float16)
        if self.end == "pair":
            return x, x
        return x

def values(columns=1):
    random = np.random.default_rng(0)
    x = random.standard_normal((64, 8)).astype(np.float32)
    return ds.NumpySlicesDataset({"x": x, "label": np.abs(x[:, :columns]) % 1}, shuffle=False).batch(16)

def own():
    def loss(logits, labels):
        return {loss}
    return loss
"""


def run(
    root: Path,
    loss: str = "net:own",
    body: str = "logits.mean()",
    design: str | None = None,
    net: dict[str, Any] | None = None,
    data: str = "net:create",
    **args: Any,
) -> list[Finding]:
    spec: dict[str, Any] = {"loss": {"call": loss, "args": args}, "design": {"loss": design} if design else {}}
    spec |= {"network": {"call": "net:Net", "args": net or {}}, "pipelines": {"train": {"call": data}}}
    return networks.run("loss_reference", root, BODY.replace("{loss}", body), **spec)


@pytest.mark.parametrize(
    ("loss", "net", "data", "args"),
    [
        ("CrossEntropyLoss", {}, "net:create", {"reduction": "sum"}),
        ("SoftmaxCrossEntropyWithLogits", {}, "net:create", {"sparse": True}),
        ("CrossEntropyLoss", {"end": "half"}, "net:create", {}),
        ("SmoothL1Loss", {"outputs": 1}, "net:values", {"beta": 0.5}),
        ("HuberLoss", {"outputs": 1}, "net:values", {"delta": 0.3}),
        ("BCELoss", {"outputs": 1, "end": "sigmoid"}, "net:values", {}),
        ("L1Loss", {"outputs": 1}, "net:values", {"reduction": "sum"}),
    ],
)
def test_losses_of_mindspore(loss: str, net: dict[str, Any], data: str, args: dict[str, Any], tmp_path: Path) -> None:
    found = run(tmp_path, "mindspore.nn:" + loss, net=net, data=data, **args)
    assert not told(found) and suggest(found) is Verdict.OK
    for value, expected, error, gradient in of_code(found, "examined").evidence[0].rows:
        assert value == pytest.approx(expected, rel=2e-3) and error < 2e-3 and gradient < 2e-3


@pytest.mark.parametrize(
    ("body", "design", "code", "level"),
    [
        ("ops.cross_entropy(logits, labels) * 2", "cross_entropy", "value-differs", Level.PROBLEM),
        ("ops.cross_entropy(-logits, labels)", "cross_entropy", "value-differs", Level.PROBLEM),
        ("ops.cross_entropy(logits, labels, reduction='sum')", "cross_entropy", "value-differs", Level.PROBLEM),
        (
            "ops.cross_entropy(0.5 * (logits + ops.stop_gradient(logits)), labels)",
            "cross_entropy",
            "gradient-differs",
            Level.PROBLEM,
        ),
        ("ops.cross_entropy(ops.stop_gradient(logits), labels)", "cross_entropy", "gradient-differs", Level.PROBLEM),
        (
            "ops.cross_entropy(0.5 * (logits + ops.stop_gradient(logits)), labels)",
            None,
            "not-its-gradient",
            Level.SUSPECT,
        ),
        ("(labels * 1.0).mean()", None, "ignores-outputs", Level.PROBLEM),
        ("(logits ** 2).mean()", None, "ignores-labels", Level.PROBLEM),
        ("ops.log(logits - 100).mean() + 0 * labels.sum()", None, "not-finite", Level.SUSPECT),
    ],
)
def test_losses_of_ones_own(body: str, design: str | None, code: str, level: Level, tmp_path: Path) -> None:
    found = run(tmp_path, body=body, design=design)
    assert code in told(found) and of_code(found, code).level is level
    assert level is Level.SUSPECT or told(found) == {code}


@pytest.mark.parametrize(
    ("body", "design"),
    [
        ("ops.cross_entropy(logits, labels)", "cross_entropy"),
        ("ops.cross_entropy(logits, labels, reduction='none')", "cross_entropy"),
        ("ops.cross_entropy(logits, labels)", None),
        ("ops.relu(1 - (logits[:, 1] - logits[:, 0]) * (2 * labels - 1)).mean()", None),
        ("ops.abs(logits[:, 0] - labels).mean(), logits", None),
    ],
)
def test_right_losses_of_ones_own(body: str, design: str | None, tmp_path: Path) -> None:
    found = run(tmp_path, body=body, design=design)
    assert not told(found) and suggest(found) is (Verdict.OK if design else Verdict.UNDECIDED)


def test_what_cannot_be_examined_says_so(tmp_path: Path) -> None:
    found = run(tmp_path, body="(ops.dropout(logits, p=0.5) * labels[:, None]).mean()")
    assert {f.code for f in found} == {"random"}
    assert {f.code for f in run(tmp_path, body="logits[0].mean()", net={"end": "pair"})} == {"several-outputs"}
    found = run(tmp_path, body="ops.cross_entropy(logits, labels)", design="focal")
    assert {"unknown-reference", "no-reference"} <= {f.code for f in found}


def test_shapes_and_labels(tmp_path: Path) -> None:
    spread = of_code(run(tmp_path, "mindspore.nn:MSELoss", net={"outputs": 1}), "broadcast")
    assert spread.data == {"outputs": "16×1", "labels": "16"}
    wide = of_code(run(tmp_path, "mindspore.nn:CrossEntropyLoss", net={"outputs": 1}), "labels-out-of-range")
    assert (wide.data["high"], wide.data["last"]) == (1, 0)


@pytest.mark.parametrize("scale", [0, 1e-9])
def test_outputs_near_zero_do_not_hide_the_labels(scale: float, tmp_path: Path) -> None:
    small = f"\n_Net = Net\n\ndef Net():\n    net = _Net()\n    net.fc.weight.set_data(net.fc.weight * {scale})\n"
    small += "    net.fc.bias.set_data(ops.zeros_like(net.fc.bias))\n    return net\n"
    body = BODY.replace("{loss}", "ops.cross_entropy(logits, labels)") + small
    found = networks.run("loss_reference", tmp_path, body, loss={"call": "net:own"})
    assert not told(found)


def test_a_loss_that_fails(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        run(tmp_path, body="1 / 0")


AGREE = """
import itertools, sys
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn
from accucheck.live.inside.references import known, reference

random = np.random.default_rng(0)
x, t = (3 * random.standard_normal((2, 6, 5))).astype(np.float32)
y, b = random.integers(0, 5, 6).astype(np.int32), (random.random((6, 5)) > 0.5).astype(np.float32)
soft = random.dirichlet(np.ones(5), 6).astype(np.float32)
map_x, map_y = random.standard_normal((2, 5, 3, 4)).astype(np.float32), random.integers(0, 5, (2, 3, 4)).astype(np.int32)
weight, each = Tensor(random.random(5).astype(np.float32)), Tensor(random.random((6, 5)).astype(np.float32))
logs, shares = x - np.log(np.exp(x).sum(1, keepdims=True)), 1 / (1 + np.exp(-x))
count = 0
for how in ("mean", "sum", "none"):
    cases = [(nn.SoftmaxCrossEntropyWithLogits(True, how), x, y), (nn.SoftmaxCrossEntropyWithLogits(False, how), x, soft)]
    for smooth, w in itertools.product((0.0, 0.1), (None, weight)):
        loss = nn.CrossEntropyLoss(w, 2, how, smooth)
        cases += [(loss, x, y), (loss, x, soft), (loss, map_x, map_y)]
    cases += [(nn.NLLLoss(weight, reduction=how), logs, y), (nn.MSELoss(how), x, t), (nn.L1Loss(how), x, t), (nn.MAELoss(how), x, t)]
    cases += [(nn.SmoothL1Loss(0.5, how), x, t), (nn.HuberLoss(how, 0.7), x, t), (nn.BCELoss(each, how), shares, b)]
    cases += [(nn.BCEWithLogitsLoss(how, each, weight), x, b), (nn.KLDivLoss(how), logs, soft)]
    for loss, outputs, labels in cases:
        name, settings = known(loss)
        got, expected = loss(Tensor(outputs), Tensor(labels)).asnumpy(), reference(name, outputs, labels, settings)
        assert np.shape(got) == np.shape(expected) and np.allclose(got, expected, 1e-4, 1e-6), (name, settings, got, expected)
        count += 1
print(count)
"""


def test_the_references_are_what_mindspore_computes(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", AGREE], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split()[-1] == "69"


def test_it_says_what_the_loss_was_compared_with(tmp_path: Path) -> None:
    for name in ("known", "own"):
        (tmp_path / name).mkdir()
    known = of_code(run(tmp_path / "known", "mindspore.nn:CrossEntropyLoss"), "examined")
    own = of_code(run(tmp_path / "own", body="ops.log_softmax(logits).mean() * labels.sum()"), "examined")

    assert known.data["compared"]["en"] == "its value and gradient compared with cross_entropy in float64"
    assert "finite differences" in own.data["compared"]["en"] and "有限差分" in own.data["compared"]["zh"]
