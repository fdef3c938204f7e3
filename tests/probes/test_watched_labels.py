"""Labels that were joined to the inputs of other rows, in trainings that were watched."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accucheck.live.inside.watch import order
from accucheck.model import Finding, Level
from accucheck.probes import watched_labels
from watched_runs import judged, watched

SCRIPT = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    random = np.random.default_rng(0)
    labels = random.integers(0, 4, 512).astype(np.int32)
    images = (np.eye(4)[labels][:, :, None] + random.normal(0, 0.3, (512, 4, 6))).astype(np.float32)
    labels[256:] = {labels}


    class Rows:
        def __len__(self):
            return len(labels)

        def __getitem__(self, at):
            return {row}


    def data():
        source = ds.GeneratorDataset(Rows(), {columns}, shuffle=True)
        return source.batch(32)


    ms.set_seed(1)
    net = nn.SequentialCell(nn.Flatten(), nn.Dense(24, 4))
    optimizer = nn.SGD(net.trainable_params(), 1e-2)
    step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
    for image, label in data().create_tuple_iterator(num_epochs=1):
        loss, gradients = step(image, label)
        optimizer(gradients)
"""


def found(root: Path, labels: str, row: str = "images[at], labels[at]", columns: str = '["image", "label"]') -> Finding:
    script = SCRIPT.replace("{labels}", labels).replace("{row}", row).replace("{columns}", columns)
    finding: Finding
    (finding,) = judged(watched_labels, watched(root, script, steps=6)).values()
    return finding


@pytest.mark.mindspore
@pytest.mark.parametrize(("row", "code"), [("labels[at]", "unrelated"), ("labels[order[at]]", "in-step")])
def test_arrays_that_are_shuffled_apart_in_a_loop_of_the_script(tmp_path: Path, row: str, code: str) -> None:
    begin, end = SCRIPT.index("    class Rows"), SCRIPT.index("    ms.set_seed")
    script = SCRIPT[:begin] + "    order = random.permutation(512)\n" + SCRIPT[end:]
    loop = f"for at in np.split(np.arange(512), 16) * 4:\n        image, label = ms.Tensor(images[order[at]]), ms.Tensor({row})"
    script = script.replace("for image, label in data().create_tuple_iterator(num_epochs=1):", loop)
    (told,) = judged(watched_labels, watched(tmp_path, script.replace("{labels}", "labels[256:]"), steps=0)).values()
    assert (told.code, told.data["rows"], told.where.path) == (code, 512, "train.py")


@pytest.mark.mindspore
@pytest.mark.parametrize(("row", "code"), [("labels[at * 7 % 512]", "unrelated"), ("labels[at]", "in-step")])
def test_labels_that_inputs_tell_nothing_of(tmp_path: Path, row: str, code: str) -> None:
    script = SCRIPT.replace("{labels}", "labels[256:]").replace("{row}", f"images[at], {row}")
    case = watched(tmp_path, script.replace("{columns}", '["image", "label"]'))
    (told,) = judged(watched_labels, case, steps=10).values()
    assert (told.code, told.level is Level.SUSPECT) == (code, code == "unrelated")
    assert (told.where.path, told.where.line) == ("train.py", 22)


@pytest.mark.mindspore
def test_labels_of_half_of_the_rows_are_rolled(tmp_path: Path) -> None:
    rolled = found(tmp_path, "np.roll(labels[256:], 3)")
    assert (rolled.code, rolled.level) == ("shifted", Level.PROBLEM)
    assert (rolled.where.path, rolled.where.line) == ("train.py", 22)
    assert (rolled.data["first"], rolled.data["last"], rolled.data["distance"]) == (256, 511, 3)
    assert rolled.data["way"] == watched_labels._LATER
    assert rolled.data["told"] > 0.8 > 0.5 > rolled.data["own"]


@pytest.mark.mindspore
def test_labels_of_half_of_the_rows_stand_in_another_order(tmp_path: Path) -> None:
    shuffled = found(tmp_path, "random.permutation(labels[256:])")
    assert (shuffled.code, shuffled.level) == ("no-relation", Level.SUSPECT)
    assert (shuffled.data["first"], shuffled.data["last"]) == (256, 511)


@pytest.mark.mindspore
def test_labels_in_step(tmp_path: Path) -> None:
    assert found(tmp_path, "labels[256:]").code == "in-step"


def test_few_rows_are_out_of_step() -> None:
    """Most rows that are like them are in step, and tell which label they should have."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 4, 2048)
    images = np.eye(4)[labels][:, :, None] + random.normal(0, 0.3, (2048, 4, 6))
    labels[1280:1536] = np.roll(labels[1280:1536], 1)
    read = order.read([source(images, labels)])
    assert read is not None
    out = [one[0] for one in order.counted(read)["stretches"] if max(one[2]) == one[2][order.SHIFTS + 1]]
    assert out == [1280, 1408]


def source(values: Any, labels: Any) -> list[tuple[Any, Any]]:
    return list(zip(values, labels, strict=True))


def test_rows_are_those_of_the_source_whatever_else_they_hold() -> None:
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 300)
    images = random.normal(size=(300, 40, 40, 3)) + labels[:, None, None, None]
    rows = [
        {"name": np.array("x"), "id": np.array(at), "label": np.eye(3)[labels[at]], "image": images[at]}
        for at in range(300)
    ]
    read = order.read([rows])
    assert read is not None
    assert read.inputs.shape == (256, 16 * 16 * 3)
    assert np.array_equal(read.labels, labels[read.places])
    assert order.read([source(images[:100], labels[:100])]) is None
    assert order.read([source(images, random.normal(size=300))]) is None


def test_windows_of_a_series_are_not_out_of_step() -> None:
    """What comes next is harder to tell than what was last: a label a row before fits better, and is in order."""
    steps = np.random.default_rng(0).normal(size=800).cumsum()
    windows = np.stack([steps[at : at + 20] for at in range(700)])
    coming = (steps[20:720] > steps[19:719]).astype(np.int32)
    read = order.read([source(windows, coming)])
    assert read is not None and order.counted(read)["near"] < watched_labels.Params().near
