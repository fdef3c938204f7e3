"""Outputs of trainings that were watched against labels of the same shape."""

from pathlib import Path

import pytest

from accucheck.model import Level
from accucheck.probes import watched_loss, watched_targets
from watched_runs import judged, watched

SCRIPT = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    random = np.random.default_rng(0)
    rows = random.normal(0, 1, (96, 4)).astype(np.float32)
    targets = {targets}


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.head = nn.Dense(4, targets.shape[1])

        def construct(self, x):
            x = self.head(x)
            return {output}


    ms.set_seed(1)
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.5)
    step = ms.value_and_grad(lambda x, y: {loss}, None, optimizer.parameters)
    for row, label in ds.NumpySlicesDataset((rows, targets), shuffle=True).batch(16).create_tuple_iterator(num_epochs=1):
        loss, gradients = step(row, label)
        optimizer(gradients)
"""
SIGNS = "(rows[:, :2] > 0).astype(np.float32)"
NUMBERS = "(rows @ random.normal(0, 1, (4, 2))).astype(np.float32)"
COLUMN = "rows[:, :1] + 2"
BINARY = "ops.binary_cross_entropy_with_logits(net(x), y, ops.ones_like(y), ops.ones_like(y))"


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("targets", "output", "loss", "code", "level"),
    [
        (SIGNS, "ops.sigmoid(x)", BINARY, "sigmoid-twice", Level.PROBLEM),
        (SIGNS, "x", BINARY, "fits", Level.INFO),
        (SIGNS, "ops.sigmoid(x)", "ops.binary_cross_entropy(net(x), y)", "fits", Level.INFO),
        (f"255 * {SIGNS}", "x", BINARY, "labels-beyond", Level.PROBLEM),
        (NUMBERS, "x", "-0.01 * ops.mse_loss(net(x), y)", "other-form", Level.INFO),
        (NUMBERS, "x", "-ops.l1_loss(net(x), y)", "negated", Level.PROBLEM),
        (COLUMN, "x", "ops.square(net(x) - y.reshape(-1)).mean()", "all-with-all", Level.PROBLEM),
        (COLUMN, "x", "ops.square(net(x) - y).mean()", "fits", Level.INFO),
        (NUMBERS, "ops.relu(x)", "ops.mse_loss(net(x), y)", "no-negatives", Level.PROBLEM),
        (NUMBERS, "ops.tanh(x)", "ops.mse_loss(net(x), y)", "out-of-reach", Level.SUSPECT),
        (NUMBERS, "x", "ops.mse_loss(net(x), y)", "fits", Level.INFO),
        (f"np.abs({NUMBERS})", "ops.relu(x)", "ops.mse_loss(net(x), y)", "fits", Level.INFO),
    ],
)
def test_what_outputs_and_labels_of_one_shape_amount_to(
    tmp_path: Path, targets: str, output: str, loss: str, code: str, level: Level
) -> None:
    script = SCRIPT.replace("{targets}", targets).replace("{output}", output).replace("{loss}", loss)
    found = judged(watched_targets, watched(tmp_path, script))
    assert {one.code: one.level for one in found.values()} == {code: level}


@pytest.mark.mindspore
@pytest.mark.parametrize(("output", "code"), [("ops.softmax(x, -1)", "softmax-twice"), ("x", "cross-entropy")])
def test_one_hot_labels_are_classes_to_a_cross_entropy(tmp_path: Path, output: str, code: str) -> None:
    targets = "np.eye(3, dtype=np.float32)[rows[:, :3].argmax(axis=1)]"
    script = SCRIPT.replace("{targets}", targets).replace("{output}", output)
    found = judged(watched_loss, watched(tmp_path, script.replace("{loss}", "ops.cross_entropy(net(x), y)")))
    assert {*found} == {code}


@pytest.mark.mindspore
def test_a_network_of_the_library_has_the_place_where_it_is_made(tmp_path: Path) -> None:
    script = SCRIPT.replace("{targets}", NUMBERS).replace("{loss}", "ops.mse_loss(net(x), y)").replace("{output}", "x")
    script = script.replace("net = Net()", "net = nn.SequentialCell(nn.Dense(4, 2), nn.ReLU())")
    found = judged(watched_targets, watched(tmp_path, script))
    where = found["no-negatives"].where
    assert where is not None and where.line is not None
    lines = (tmp_path / str(where.path)).read_text(encoding="utf-8").splitlines()
    assert "SequentialCell" in lines[where.line - 1]
