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


@pytest.mark.mindspore
def test_the_same_training_in_order_is_not_accused(tmp_path: Path) -> None:
    case = watched(tmp_path, SCRIPT.replace("{ordered}", "False").replace("{by_epoch}", "False"), steps=20)
    for probe in (recorded_rates, recorded_order, label_fit):
        assert all(one.level is Level.INFO for one in judged(probe, case).values()), probe
    assert {"labels-mixed", "reshuffled"} <= judged(recorded_order, case).keys()
    assert judged(label_fit, case)["fits"].data["classes"] == 4


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
