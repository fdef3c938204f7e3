"""frozen_weights_live on real steps of training: what moves, what cannot, and what gets no gradient."""

from pathlib import Path
from typing import Any

import pytest

import networks
from accucheck.errors import UserError
from accucheck.model import Finding, Level, Verdict, suggest
from findings import of_code, told

pytestmark = pytest.mark.mindspore

NET = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Dense(8, 16), nn.BatchNorm1d(16)
        self.head = nn.Dense(16, 2)
{init}
    def construct(self, x):
        return {output}

def grouped(params, learning_rate):
    heads = [p for p in params if "head" in p.name]
    others = [p for p in params if "head" not in p.name]
    return nn.Momentum([{"params": others, "lr": learning_rate / 10}, {"params": heads}], learning_rate, 0.9)
"""
OUTPUT = "self.head(ops.relu(self.norm(self.stem(x))))"


def run(
    root: Path, init: str = "", output: str = OUTPUT, frozen: list[str] | None = None, more: str = "", **spec: Any
) -> list[Finding]:
    lines = "".join(f"        {line}\n" for line in init.splitlines())
    body = NET.replace("{init}", lines).replace("{output}", output) + more
    spec = {"loss": {"call": "mindspore.nn:CrossEntropyLoss"}, "design": {"frozen": frozen or []}, **spec}
    return networks.run("frozen_weights_live", root, body, **spec)


def row(found: list[Finding], name: str) -> list[Any]:
    (one,) = (one for one in of_code(found, "examined").evidence[0].rows if one[0] == name)
    return list(one[2:])


def test_all_that_is_trained_moves(tmp_path: Path) -> None:
    found = run(tmp_path)
    assert not told(found) and suggest(found) is Verdict.OK
    data = of_code(found, "examined").data
    assert (data["steps"], data["count"], data["statistics"]) == (6, 6, 2)
    trainable, held, gradient, change = row(found, "head.weight")
    assert trainable and held and gradient > 1e-3 and change > 1e-4
    assert of_code(found, "rounding-only").data["names"] == ["stem.bias"]  # BatchNorm takes its mean away


def test_gradients_go_to_the_parameters_of_a_grouped_optimizer(tmp_path: Path) -> None:
    own = {"call": "net:grouped", "args": {"learning_rate": 0.1}}
    found = run(tmp_path, "self.stem.weight.requires_grad = False", frozen=["stem.weight"], optimizer=own)
    assert not told(found) and row(found, "stem.weight") == [False, False, None, 0.0]
    assert of_code(found, "examined").data["moved"] >= 4


def test_layers_that_start_at_zero_pass_a_gradient_on_later(tmp_path: Path) -> None:
    init = "self.low, self.up = nn.Dense(8, 4), nn.Dense(4, 2, weight_init='zeros')"
    assert not told(run(tmp_path, init, OUTPUT + " + self.up(self.low(x))"))


def test_weight_decay_does_not_hide_a_dead_layer(tmp_path: Path) -> None:
    decay = {"call": "mindspore.nn:SGD", "args": {"learning_rate": 0.1, "weight_decay": 0.1}}
    found = run(tmp_path, "self.unused = nn.Dense(8, 2)", optimizer=decay)
    dead = of_code(found, "dead")
    assert dead.level is Level.SUSPECT and dead.data["names"] == ["unused.weight", "unused.bias"]
    assert row(found, "unused.weight")[3] > 0
    assert not told(run(tmp_path, "self.unused = nn.Dense(8, 2)", optimizer=decay, frozen=["none"])) - {
        "dead",
        "unmatched",
    }


@pytest.mark.parametrize(
    ("script", "code", "level"),
    [
        ("x = 1\n", "frozen-moves", Level.PROBLEM),
        ("for p in net.get_parameters():\n    p.requires_grad = False\n", "not-frozen-yet", Level.SUSPECT),
        (None, "not-frozen-yet", Level.SUSPECT),
    ],
)
def test_nothing_is_frozen_by_the_function(script: str | None, code: str, level: Level, tmp_path: Path) -> None:
    scripts = {}
    if script is not None:
        (tmp_path / "train.py").write_text(script)
        scripts = {"scripts": {"train": "train.py"}}
    found = run(tmp_path, frozen=["stem.*"], **scripts)
    assert told(found) == {code} and of_code(found, code).level is level


def test_frozen_by_stop_gradient(tmp_path: Path) -> None:
    output = "self.head(ops.stop_gradient(ops.relu(self.norm(self.stem(x)))))"
    found = run(tmp_path, output=output, frozen=["stem.*", "norm.*"])
    assert not told(found) and of_code(found, "frozen-otherwise").data["count"] == 4
    assert told(run(tmp_path, output=output)) == {"dead"}


def test_a_learning_rate_of_zero_is_no_freezing(tmp_path: Path) -> None:
    found = run(tmp_path, optimizer={"call": "mindspore.nn:SGD", "args": {"learning_rate": 0.0}})
    assert not told(found) and "nothing-moved" in {f.code for f in found} and suggest(found) is Verdict.UNDECIDED


def test_tables_and_buffers_are_no_weights(tmp_path: Path) -> None:
    init = "self.table = Parameter(Tensor(np.ones((2,), np.float32)), name='pos_table', requires_grad=False)\n"
    init += "self.index = Parameter(Tensor(np.arange(2)), name='index', requires_grad=False)"
    found = run(tmp_path, init, OUTPUT + " + self.table")
    assert not told(found) and of_code(found, "constants").data["names"] == ["pos_table"]


def test_gradients_that_are_not_finite(tmp_path: Path) -> None:
    found = run(tmp_path, output=OUTPUT + " + ops.sqrt(x[:, :2] * 0 - 1)")
    assert "not-finite" in told(found)


def test_a_network_with_half_precision(tmp_path: Path) -> None:
    init = "self.half = nn.Dense(8, 2).to_float(ms.float16)\nself.scale = Parameter(Tensor(np.ones((2,)), ms.float16), name='scale')"
    found = run(tmp_path, init, OUTPUT + " + (self.half(x) * self.scale).astype(ms.float32)")
    assert not told(found) and row(found, "scale")[2] > 0


def test_when_time_is_over(tmp_path: Path) -> None:
    body = NET.replace("{init}", "").replace("{output}", OUTPUT)
    loss = {"call": "mindspore.nn:CrossEntropyLoss"}
    found = networks.run("frozen_weights_live", tmp_path, body, params={"seconds": 1e-6}, loss=loss)
    assert {"few-steps"} <= {f.code for f in found} and suggest(found) is Verdict.UNDECIDED


def test_a_loss_that_fails_is_told_as_the_users(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        run(tmp_path, loss={"call": "mindspore.nn:BCELoss"})
