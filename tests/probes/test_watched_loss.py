"""The loss of trainings that were watched against what its outputs and labels amount to."""

from pathlib import Path

import pytest

from accucheck.model import Level
from accucheck.probes import watched_loss
from watched_runs import judged, watched

SCRIPT = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 96).astype(np.int32)
    rows = (np.eye(3)[labels] * 3 + random.normal(0, 0.3, (96, 3))).astype(np.float32)


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.head = nn.Dense(3, 3)

        def construct(self, x):
            x = self.head(x)
            return {output}


    ms.set_seed(1)
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.5)
    step = ms.value_and_grad(lambda x, y: {loss}, None, optimizer.parameters)
    for row, label in ds.NumpySlicesDataset((rows, labels), shuffle=True).batch(16).create_tuple_iterator(num_epochs=1):
        loss, gradients = step(row, label)
        optimizer(gradients)
"""
ENTROPY = "ops.cross_entropy(net(x), y)"


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("output", "loss", "code", "level"),
    [
        ("x", f"-{ENTROPY}", "negated", Level.PROBLEM),
        ("ops.softmax(x, -1)", ENTROPY, "softmax-twice", Level.PROBLEM),
        ("x", "ops.nll_loss(net(x), y)", "not-logarithms", Level.PROBLEM),
        ("x", ENTROPY, "cross-entropy", Level.INFO),
        ("x", "ops.cross_entropy(net(x), y, reduction='sum')", "summed", Level.SUSPECT),
        ("ops.softmax(x, -1)", "ops.nll_loss(ops.log(net(x)), y)", "of-probabilities", Level.INFO),
    ],
)
def test_the_form_that_was_computed(tmp_path: Path, output: str, loss: str, code: str, level: Level) -> None:
    script = SCRIPT.replace("{output}", output).replace("{loss}", loss)
    found = judged(watched_loss, watched(tmp_path, script))
    assert {one.code: one.level for one in found.values()} == {code: level}
    refuted = [code for one in found.values() for entry in one.refutes for code in entry.codes]
    assert ("double-softmax" in refuted) is (level is Level.INFO)
    assert ("sum-reduction" in refuted) is (level is Level.INFO)
    assert ("arguments-exchanged" in refuted) is (code == "cross-entropy")


@pytest.mark.mindspore
def test_a_loss_of_another_form_that_drives_outputs_away_from_their_labels(tmp_path: Path) -> None:
    """It falls all the time, as one does that is learned from."""
    script = SCRIPT.replace("{output}", "x").replace(".batch(16)", ".batch(8)")
    smoothed = "ops.cross_entropy(net(x), y, label_smoothing=0.1)"
    found = judged(watched_loss, watched(tmp_path / "faulty", script.replace("{loss}", f"-{smoothed}")))
    assert found["against-labels"].level is Level.SUSPECT
    found = judged(watched_loss, watched(tmp_path / "healthy", script.replace("{loss}", smoothed)))
    assert {*found} == {"other-form"}


TOKENS = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    rows = np.random.default_rng(0).integers(0, 9, (64, 7)).astype(np.int32)
    pairs = ds.NumpySlicesDataset((rows[:, :-1], {labels}), ["ids", "labels"], shuffle=True).batch(16)
    net = nn.SequentialCell(nn.Embedding(9, 8), nn.Dense(8, 9))
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    step = ms.value_and_grad(
        lambda ids, labels: ops.cross_entropy(net(ids).reshape(-1, 9), labels.reshape(-1)), None, optimizer.parameters
    )
    for ids, labels in pairs.create_tuple_iterator(num_epochs=1):
        loss, gradients = step(ids, labels)
        optimizer(gradients)
"""


@pytest.mark.mindspore
@pytest.mark.parametrize(("labels", "copied"), [("rows[:, :-1]", True), ("rows[:, 1:]", False)])
def test_a_language_model_whose_labels_are_not_shifted_need_only_copy(
    tmp_path: Path, labels: str, copied: bool
) -> None:
    found = judged(watched_loss, watched(tmp_path, TOKENS.replace("{labels}", labels)))
    assert {*found} == {"cross-entropy", *(["labels-copied"] if copied else [])}
    assert not copied or found["labels-copied"].level is Level.SUSPECT
