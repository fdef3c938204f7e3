"""Gradients of real trainings that ran under watch."""

from pathlib import Path

import pytest

from accucheck.model import Heatmap, Level, Verdict, suggest
from accucheck.probes import watched_gradients
from watched_runs import judged as of_run
from watched_runs import watched
from watched_trainings import judged


@pytest.mark.mindspore
def test_every_layer_of_a_healthy_training_is_reached(watched_runs):
    found = judged(watched_runs["healthy"], "watched_gradients")
    assert suggest(found.values()) is Verdict.OK
    assert {one.level for one in found.values()} == {Level.INFO}
    assert (found["reached"].data["count"], found["reached"].data["all"]) == (10, 10)
    assert found["reached"].data["steps"] == 10
    called = next(one for one in found["reached"].refutes if "unused-cell" in one.codes)
    text = (watched_runs["healthy"] / "train.py").read_text().splitlines()
    made = [text[first - 1].strip().split(" ")[0] for first, _ in called.places["train.py"]]
    assert {"self.first", "self.drop", "self.head"} <= {*made}


def refuted(root, code):
    """The lines for which a code is proven wrong, and names of what it is said of."""
    found = judged(root, "watched_gradients")
    entries = [one for one in found["reached"].refutes if code in one.codes]
    text = (root / "train.py").read_text().splitlines()
    lines = [text[first - 1].strip() for one in entries for first, _ in one.places["train.py"]]
    return lines, {one.data.get("name") for one in entries}


@pytest.mark.mindspore
def test_results_and_inputs_that_are_used_are_none_that_scripts_lose(watched_runs):
    used, _ = refuted(watched_runs["joined"], "result-unused")
    assert "x = self.join(ops.relu(self.second(x)), x)" in used
    heads, names = refuted(watched_runs["joined"], "input-ignored")
    assert ("def construct(self, x, residual):" in heads, names) == (True, {"x", "residual"})
    used, _ = refuted(watched_runs["lost"], "result-unused")
    assert "x = ops.relu(self.norm(self.first(x)))" in used
    assert "ops.relu(self.second(x))" not in used
    assert "residual" not in refuted(watched_runs["lost"], "input-ignored")[1]


@pytest.mark.mindspore
def test_layers_behind_asnumpy_are_named_with_the_line(watched_runs):
    root = watched_runs["asnumpy"]
    cut = judged(root, "watched_gradients")["cut-off"]
    line = (root / "train.py").read_text().splitlines()[cut.where.line - 1]
    assert (cut.level, cut.where.path, "asnumpy" in line) == (Level.PROBLEM, "train.py", True)
    assert cut.data["layers"] == 2
    assert cut.data["names"] == ["first", "norm"]
    assert cut.data["next"] == "second"


@pytest.mark.mindspore
def test_stop_gradient_may_be_meant(watched_runs):
    root = watched_runs["stopped"]
    assert judged(root, "watched_gradients")["cut-off"].level is Level.SUSPECT
    design = ("design.frozen=['first.*', 'norm.*']",)
    found = judged(root, "watched_gradients", settings=design)
    assert "cut-off" not in found
    assert found["meant"].data["layers"] == 2


@pytest.mark.mindspore
def test_the_first_step_with_nan_is_named(watched_runs):
    found = judged(watched_runs["nan"], "watched_gradients", about="norms")
    assert (found["not-finite"].level, found["not-finite"].data["step"]) == (Level.PROBLEM, 1)


@pytest.mark.mindspore
def test_layers_before_one_that_gives_nothing_but_zeros_are_named_with_it(watched_runs):
    found = judged(watched_runs["dead"], "watched_gradients")["behind-zeros"]
    assert (found.level, found.data["zeros"]) == (Level.SUSPECT, "third")
    assert found.data["names"] == ["first", "norm", "second", "third.0"]


@pytest.mark.mindspore
def test_gradients_that_grow_on_their_way_and_those_beyond_a_million_are_suspect(watched_runs):
    found = judged(watched_runs["steep-head"], "watched_gradients", about="norms")
    assert {*found} == {"exploding", "norms"}
    assert (found["exploding"].level, found["exploding"].data["first_name"]) == (Level.SUSPECT, "first.weight")
    found = judged(watched_runs["own-mode-and-large"], "watched_gradients", about="norms")
    assert (found["large"].level, "head.weight" in found["large"].data["names"]) == (Level.SUSPECT, True)


@pytest.mark.mindspore
def test_norms_are_shown_in_the_order_of_layers(watched_runs):
    found = judged(watched_runs["healthy"], "watched_gradients", about="norms")
    assert {*found} == {"norms"}
    heat, table = found["norms"].evidence
    names = ["first.weight", "second.weight", "third.weight", "head.weight"]
    assert [row[0] for row in table.rows] == names
    assert isinstance(heat, Heatmap)
    assert heat.rows == names
    assert all(value > 0 for values in heat.values for value in values)


TABLE = """
import mindspore as ms
import numpy as np
from mindspore import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.word, self.place, self.out = nn.Embedding(20, 8), nn.Embedding(12, 8), nn.Dense(8, 3)

    def construct(self, ids):
        return self.out(ops.tanh(self.word(ids) + self.place({places})).mean(1))


rng = np.random.default_rng(0)
ids = ms.Tensor(rng.integers(0, 20, (16, 12)), ms.int32)
labels = ms.Tensor(rng.integers(0, 3, 16), ms.int32)
net, loss = Net(), nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 1e-2, weight_decay=1e-3)
step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
for _ in range(8):
    optimizer(step(ids, labels)[1])
"""


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("places", "told"), [("ops.zeros_like(ids)", [("place.embedding_table", 0, 12)]), ("ops.arange(12)[None]", [])]
)
def test_a_table_of_which_one_row_is_used(tmp_path: Path, places: str, told: list[tuple[str, int, int]]) -> None:
    found = of_run(watched_gradients, watched(tmp_path, TABLE.replace("{places}", places)))
    rows = [(one.data["name"], one.data["row"], one.data["rows"]) for one in found.values() if one.code == "one-row"]
    assert rows == told
