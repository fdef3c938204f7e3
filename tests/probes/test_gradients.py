"""gradients and activations on real steps: their order, what is zero by design, and networks that are as they should be."""

from pathlib import Path
from typing import Any

import pytest

import networks
from accucheck.model import Finding, Level, Verdict, suggest
from accucheck.probes import gradients
from findings import of_code, told

pytestmark = pytest.mark.mindspore

NET = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.head, self.stem = nn.Dense(16, 2), nn.Dense(8, 16)
{init}
    def construct(self, x):
        return {output}

class Words(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words, self.lstm, self.head = nn.Embedding(50, 16), nn.LSTM(16, 16, batch_first=True, bidirectional=True), nn.Dense(32, 2)

    def construct(self, x):
        return self.head(self.lstm(self.words(x))[0][:, -1])

class Pictures(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu, self.stem, self.norm = nn.ReLU(), nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16)
        self.one, self.two = nn.Conv2d(16, 16, 3), nn.BatchNorm2d(16, gamma_init="zeros")
        self.gate, self.head = nn.SequentialCell([nn.Dense(16, 2), nn.ReLU(), nn.Dense(2, 16), nn.Sigmoid()]), nn.Dense(16, 2)

    def construct(self, x):
        x = self.relu(self.norm(self.stem(x)))
        x = self.relu(x + self.two(self.one(x)))
        return self.head(x.mean((2, 3)) * self.gate(x.mean((2, 3))))

class Tokens(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 3)
        self.head = nn.Dense(16, 2)

    def construct(self, x):
        return self.head(self.layers(self.words(x)).mean(1))

def words():
    random = np.random.default_rng(0)
    x = random.integers(0, 50, (64, 12)).astype(np.int32)
    return ds.NumpySlicesDataset({"x": x, "label": x[:, -1] % 2}, shuffle=False).batch(16)

def pictures():
    random = np.random.default_rng(0)
    x = random.standard_normal((32, 3, 8, 8)).astype(np.float32)
    return ds.NumpySlicesDataset({"x": x, "label": (x[:, 0, 0, 0] > 0).astype(np.int32)}, shuffle=False).batch(16)
"""
OUTPUT = "self.head(ops.relu(self.stem(x)))"
LOSS = {"call": "mindspore.nn:CrossEntropyLoss"}


def run(name: str, root: Path, init: str = "", output: str = OUTPUT, **spec: Any) -> list[Finding]:
    lines = "".join(f"        {line}\n" for line in init.splitlines())
    body = NET.replace("{init}", lines).replace("{output}", output)
    return networks.run(name, root, body, **{"loss": LOSS, **spec})


@pytest.mark.parametrize("name", ["gradients", "activations"])
@pytest.mark.parametrize(
    ("network", "data"), [("net:Words", "net:words"), ("net:Tokens", "net:words"), ("net:Pictures", "net:pictures")]
)
def test_healthy_networks_raise_no_alarm(name: str, network: str, data: str, tmp_path: Path) -> None:
    own = {"call": "mindspore.nn:Adam", "args": {"learning_rate": 1e-3}}
    found = run(name, tmp_path, network={"call": network}, pipelines={"train": {"call": data}}, optimizer=own)
    assert not told(found)


def test_layers_stand_in_the_order_in_which_they_are_called(tmp_path: Path) -> None:
    found = run("gradients", tmp_path)
    rows = of_code(found, "examined").evidence[0].rows
    assert [row[0] for row in rows] == ["stem.weight", "stem.bias", "head.weight", "head.bias"]
    assert all(row[2] > 0 for row in rows) and suggest(found) is Verdict.OK


def test_the_norm_is_that_of_the_gradient(tmp_path: Path) -> None:
    init = "self.own = Parameter(Tensor(np.zeros((4, 5)), ms.float32), name='own')"
    found = run("gradients", tmp_path, init, "3 * self.own.sum() + 0 * self.head(self.stem(x)).sum()", loss=None)
    (row,) = (row for row in of_code(found, "examined").evidence[0].rows if row[0] == "own")
    assert row[2:] == pytest.approx([3 * 20**0.5] * 3, rel=1e-6)


def test_large_gradients_without_nan(tmp_path: Path) -> None:
    found = run("gradients", tmp_path, "", "(1e9 * " + OUTPUT + ").sum()", loss=None)
    assert "large" in told(found) and suggest(found) is Verdict.UNDECIDED


def test_a_relu_that_is_called_twice_is_examined_twice(tmp_path: Path) -> None:
    init = "self.act = nn.ReLU()"
    found = run(
        "activations", tmp_path, init, "self.head(self.act(self.stem(x))) - 0 * self.act(self.stem(x) - 1e3)[:, :2]"
    )
    dead = of_code(found, "all-dead")
    assert dead.data["name"] == "act (2)" and dead.data["dead"] == 16
    assert [row[3] < 8 for row in dead.evidence[0].rows] == [True, False]


def test_dead_units_are_counted(tmp_path: Path) -> None:
    init = "self.act, self.shift = nn.ReLU(), Tensor([[-1e3] * 13 + [0.0] * 3], ms.float32)"
    dead = of_code(run("activations", tmp_path, init, "self.head(self.act(self.stem(x) + self.shift))"), "dead")
    assert dead.level is Level.SUSPECT and 13 <= dead.data["dead"] < 16


def test_an_output_may_be_sure_of_itself(tmp_path: Path) -> None:
    binary = {"call": "mindspore.nn:MSELoss"}
    init, output = "self.act = nn.Sigmoid()", "self.act(100 * self.head(self.stem(x)))"
    pipeline = {"train": {"call": "net:floats"}}
    more = "\n\ndef floats():\n    made = create()\n    return made.map(lambda y: np.stack([y, 1 - y], -1).astype(np.float32), ['label'])\n"
    assert not told(run("activations", tmp_path, init, output + more, loss=binary, pipelines=pipeline))
    found = run("activations", tmp_path, init, output + " * 0.5" + more, loss=binary, pipelines=pipeline)
    assert told(found) == {"saturated"}


def test_activations_that_are_not_finite(tmp_path: Path) -> None:
    found = run("activations", tmp_path, "self.act = nn.ReLU()", "self.head(self.act(ops.log(-1 - self.stem(x) ** 2)))")
    assert "not-finite" in told(found)


def test_when_time_is_over(tmp_path: Path) -> None:
    found = networks.run(
        "gradients",
        tmp_path,
        NET.replace("{init}", "").replace("{output}", OUTPUT),
        params={"seconds": 1e-6},
        loss=LOSS,
    )
    assert "few-steps" in {f.code for f in found} and suggest(found) is Verdict.UNDECIDED


def test_only_steps_before_nan_count_as_zero() -> None:
    weights = {"names": ["a", "b", "c"], "shapes": [[2, 2]] * 3, "called": [True] * 3}
    lost = [[0.0, 0.0, 1.0]] * 2 + [[None] * 3] * 3
    found = list(gradients._judge(gradients.Params(), weights, lost))
    assert of_code(found, "not-finite").data["step"] == 3
    assert of_code(found, "zero").data["steps"] == of_code(found, "examined").data["steps"] == 2
