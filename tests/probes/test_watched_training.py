"""Rates in force and the order of samples of trainings that were watched."""

from pathlib import Path

import pytest

from accucheck import case as cases
from accucheck.errors import ReadError
from accucheck.model import Level
from accucheck.probes import label_fit, recorded_order, recorded_rates, watched_padding
from watched_runs import judged, watched

SCRIPT = """
    import math

    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    EPOCHS, ROWS, BATCH = 3, 192, 16
    SORTED, BY_EPOCH = {ordered}, {by_epoch}
    random = np.random.default_rng(0)
    labels = random.integers(0, 4, ROWS).astype(np.int32)
    rows = (np.eye(4)[labels] + random.normal(0, 0.1, (ROWS, 4))).astype(np.float32)


    class Source:
        def __iter__(self):
            order = np.argsort(labels, kind="stable") if SORTED else random.permutation(ROWS)
            return iter([(rows[at], labels[at]) for at in order])


    ms.set_seed(1)
    net = nn.Dense(4, 4)
    total = EPOCHS if BY_EPOCH else EPOCHS * ROWS // BATCH
    optimizer = nn.Momentum(net.trainable_params(), ms.Tensor(0.1), 0.9)
    step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
    data = ds.GeneratorDataset(Source(), ["row", "label"]).batch(BATCH)
    count = 0
    for epoch in range(EPOCHS):
        for row, label in data.create_tuple_iterator():
            rate = 0.05 * (1 + math.cos(math.pi * min(count, total) / total))
            ops.assign(optimizer.learning_rate, ms.Tensor(rate, ms.float32))
            loss, gradients = step(row, label)
            optimizer(gradients)
            count += 1
"""


@pytest.mark.mindspore
def test_a_schedule_by_epochs_that_each_step_asks_and_data_in_the_order_of_their_classes(tmp_path: Path) -> None:
    case = watched(tmp_path, SCRIPT.replace("{ordered}", "True").replace("{by_epoch}", "True"), steps=20)
    rates = judged(recorded_rates, case)
    assert rates["zero-from"].level is Level.PROBLEM
    assert rates["zero-from"].data["at"] == 4
    assert rates["zero-from"].where.path == "train.py"
    order = judged(recorded_order, case)
    assert order["by-class"].level is Level.PROBLEM
    assert order["by-class"].data["classes"] == 4
    assert order["fixed-order"].level is Level.PROBLEM
    line = (tmp_path / "train.py").read_text().splitlines()[order["by-class"].where.line - 1]
    assert "ds.GeneratorDataset(Source()" in line
    assert not any(one.refutes for one in order.values())


@pytest.mark.mindspore
def test_the_same_training_in_order_is_not_accused(tmp_path: Path) -> None:
    case = watched(tmp_path, SCRIPT.replace("{ordered}", "False").replace("{by_epoch}", "False"), steps=20)
    for probe in (recorded_rates, recorded_order, label_fit):
        assert all(one.level is Level.INFO for one in judged(probe, case).values()), probe
    order = judged(recorded_order, case)
    assert {"labels-mixed", "reshuffled"} <= order.keys()
    assert "generator-in-order" in order["reshuffled"].refutes[0].codes
    assert "schedule-ignored" in judged(recorded_rates, case)["in-force"].refutes[0].codes
    assert judged(label_fit, case)["fits"].data["classes"] == 4


FROM_ONE = """
    import mindspore as ms
    import numpy as np
    from mindspore import nn, ops

    random = np.random.default_rng(0)
    labels = (np.arange(64) % 4 + 1).astype(np.int32)
    rows = (np.eye(5)[labels] + random.normal(0, 0.1, (64, 5))).astype(np.float32)
    ms.set_seed(1)
    net, loss_fn = nn.Dense(5, 4), nn.SoftmaxCrossEntropyWithLogits(reduction="mean")
    optimizer = nn.SGD(net.trainable_params(), 0.1)


    def hot(y):
        return ops.one_hot(y, 4, ms.Tensor(1.0, ms.float32), ms.Tensor(0.0, ms.float32))


    step = ms.value_and_grad(lambda x, y: {loss}, None, optimizer.parameters)
    for at in range(0, 64, 8):
        optimizer(step(ms.Tensor(rows[at : at + 8]), ms.Tensor(labels[at : at + 8]))[1])
"""


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("loss", "code", "level"),
    [
        ("loss_fn(net(x), hot(y))", "from-one", Level.PROBLEM),
        ("loss_fn(net(x), hot(y - 1))", "less-one", Level.INFO),
        ("(net(x) - hot(y - 1)).abs().sum()", "from-one-perhaps", Level.SUSPECT),
    ],
)
def test_labels_from_one_count_as_the_loss_takes_them(tmp_path: Path, loss: str, code: str, level: Level) -> None:
    (told,) = judged(label_fit, watched(tmp_path, FROM_ONE.replace("{loss}", loss))).values()
    assert (told.code, told.level) == (code, level)


def test_a_watch_that_has_only_begun_has_no_recording_yet(tmp_path: Path) -> None:
    folder = tmp_path / "watch"
    folder.mkdir()
    (folder / "started.jsonl").write_text('{"pid": 1}\n', encoding="utf-8")
    (folder / "pynative.rank0.17.jsonl").write_text('{"recording": 1}\n', encoding="utf-8")
    case = cases.load(tmp_path, ["watched=watch"])
    for probe in (recorded_rates, recorded_order, watched_padding):
        with pytest.raises(ReadError) as raised:
            list(probe.run(case, probe.Params()))
        assert raised.value.code == "no-recordings"


AGAIN = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    rows = np.random.default_rng(0).standard_normal((64, 4)).astype(np.float32)
    ms.set_seed(1)
    net = nn.Dense(4, 2)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
    data = ds.NumpySlicesDataset((rows, (rows[:, 0] > 0).astype(np.int32)), ["row", "label"], shuffle={shuffle}).batch({batch})
    for _ in range(12):
        loss, gradients = step(*next(data.create_tuple_iterator()))
        optimizer(gradients)
"""


@pytest.mark.mindspore
def test_steps_that_all_take_one_batch_are_suspect_unless_it_is_all_of_the_data(tmp_path: Path) -> None:
    """An iterator that is made anew in each step shuffles as the one before did, by the seed that is set."""
    for shuffle in ("False", "True"):
        script = AGAIN.replace("{shuffle}", shuffle)
        found = judged(recorded_order, watched(tmp_path / shuffle, script.replace("{batch}", "16")))
        data = found["same-batch"].data
        assert (found["same-batch"].level, data["count"], data["rows"], data["steps"]) == (Level.SUSPECT, 16, 64, 12)
    whole = judged(recorded_order, watched(tmp_path / "whole", script.replace("{batch}", "64")))
    assert "same-batch" not in whole


EVALUATED = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    rows = np.random.default_rng(0).standard_normal((96, 4)).astype(np.float32)
    labels = (rows[:, 0] > 0).astype(np.int32)
    ms.set_seed(1)
    net = nn.Dense(4, 2)
    net.set_train()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
    train = ds.NumpySlicesDataset((rows[:64], labels[:64]), ["row", "label"], shuffle=True).batch(16)
    held_out = ds.NumpySlicesDataset((rows[64:], labels[64:]), ["row", "label"], shuffle=False).batch(16)
    for _ in range(3):
        for row, label in train.create_tuple_iterator(num_epochs=1):
            loss, gradients = step(row, label)
            optimizer(gradients)
        net.set_train(False)
        for row, _ in held_out.create_tuple_iterator(num_epochs=1):
            net(row)
        net.set_train()
"""


@pytest.mark.mindspore
def test_the_order_of_data_for_evaluation_says_nothing_of_the_training(tmp_path: Path) -> None:
    found = judged(recorded_order, watched(tmp_path, EVALUATED))
    assert found["for-evaluation"].refutes[0].places == {"train.py": [[15, 15]]}
    assert "shuffle-off" in found["for-evaluation"].refutes[0].codes
    assert "same-shuffle" in found  # an iterator that is made anew for each epoch shuffles by the seed that is set
