"""The order of samples in real trainings that accucheck.Recorder records: between epochs, and between ranks."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from accucheck import case as cases
from accucheck.model import Finding, Level, Verdict
from accucheck.probe import Skip
from accucheck.probes import recorded_order, recorded_shards
from watched_runs import judged as judged_in
from watched_runs import watched

COUNT = 96


def judged(probe: ModuleType, root: Path, *settings: str) -> dict[str, Finding]:
    case = cases.load(root, ["curves.train=run.jsonl", *settings])
    return {one.code: one for one in probe.run(case, probe.Params()) if isinstance(one, Finding)}


def trained(path: Path, rank: int = 0, *, shuffle: bool | int = True, content: bool = False, **shards: Any) -> None:
    """Two epochs of a training on numbered samples, recorded; `shuffle` may be a buffer."""
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn

    from accucheck import Recorder

    ms.set_seed(3)
    rows = np.random.default_rng(0).standard_normal((COUNT, 4)).astype(np.float32)
    columns = {"x": rows, "number": np.arange(COUNT)}
    data = ds.NumpySlicesDataset(columns, shuffle=shuffle is True, **shards)
    if shuffle is not True and shuffle:
        data = data.shuffle(shuffle)
    net = nn.Dense(4, 1)
    step = ms.value_and_grad(lambda x: net(x).mean(), None, net.trainable_params())
    optimizer = nn.SGD(net.trainable_params(), 0.01)
    data = data.batch(8)
    iterator = data.create_tuple_iterator(num_epochs=2)
    with Recorder(path, rank=rank) as recorder:
        for epoch in (1, 2):
            for x, number in iterator:
                loss, grads = step(x)
                optimizer(grads)
                recorder.step(epoch=epoch, loss=loss, samples=x if content else number)


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("shuffle", "content", "code", "verdict"),
    [
        (True, False, "reshuffled", Verdict.OK),
        (True, True, "reshuffled", Verdict.UNDECIDED),
        (False, False, "fixed-order", Verdict.PROBLEM),
        (False, True, "fixed-order", Verdict.PROBLEM),
        (4, False, "small-buffer", Verdict.UNDECIDED),
    ],
)
def test_the_order_of_two_epochs(tmp_path, shuffle, content, code, verdict):
    trained(tmp_path / "run.jsonl", shuffle=shuffle, content=content)
    found = judged(recorded_order, tmp_path)
    assert code in found and recorded_order.suggest(found.values()) is verdict
    assert {one.code for one in found.values() if one.level is not Level.INFO} == ({code} - {"reshuffled"})
    if code == "small-buffer":
        assert 2 <= found[code].data["buffer"] <= 4


#: Samples that come with other noise each time, in runs of one class.
NOISY = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn

    labels = np.repeat(np.arange(18) % 3, np.resize([5, 3, 7, 4, 6], 18)).astype(np.int32)[:88]
    points = np.eye(4, dtype=np.float32)[labels]
    data = ds.NumpySlicesDataset((points, labels), ["point", "label"], shuffle=SHUFFLE)
    dice = np.random.default_rng(0)
    data = data.map(lambda point: point + dice.standard_normal(4).astype(np.float32), "point").batch(8)
    ms.set_seed(1)
    net = nn.Dense(4, 3)
    model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.1))
    model.train(2, data, dataset_sink_mode=False)
"""


@pytest.mark.mindspore
def test_classes_that_come_in_one_order_again_and_again(tmp_path):
    found = judged_in(recorded_order, watched(tmp_path / "faulty", NOISY.replace("SHUFFLE", "False")))
    assert {one.code for one in found.values() if one.level is not Level.INFO} == {"label-runs", "labels-fixed"}
    assert (found["labels-fixed"].level, found["labels-fixed"].data["samples"]) == (Level.PROBLEM, 88)
    found = judged_in(recorded_order, watched(tmp_path / "healthy", NOISY.replace("SHUFFLE", "True")))
    assert {one.code for one in found.values() if one.level is not Level.INFO} == set()


@pytest.mark.mindspore
def test_ranks_that_read_parts_and_ranks_that_read_the_same(tmp_path):
    for rank in (0, 1):
        trained(tmp_path / "run.jsonl", rank, num_shards=2, shard_id=rank)
    found = judged(recorded_shards, tmp_path)
    assert {*found} == {"apart"} and found["apart"].data["samples"] == COUNT
    assert recorded_shards.suggest(found.values()) is Verdict.UNDECIDED, "that the whole was read is not seen"
    for file in tmp_path.glob("*.jsonl"):
        file.unlink()
    for rank in (0, 1):
        trained(tmp_path / "run.jsonl", rank)
    found = judged(recorded_shards, tmp_path)
    assert found["not-sharded"].level is Level.PROBLEM and found["not-sharded"].data["each"] == COUNT
    (tmp_path / "train.py").write_text("import mindspore as ms\nms.set_auto_parallel_context(full_batch=True)\n")
    assert judged(recorded_shards, tmp_path, "scripts.train=train.py")["not-sharded"].level is Level.SUSPECT


def test_where_nothing_was_recorded_nothing_is_said(tmp_path):
    from accucheck import Recorder

    with Recorder(tmp_path / "run.jsonl") as recorder:
        recorder.step(loss=1.0)
    for probe in (recorded_order, recorded_shards):
        with pytest.raises(Skip):
            judged(probe, tmp_path)
    with Recorder(tmp_path / "run.jsonl") as recorder:
        recorder.step(loss=1.0, samples=[1, 2], epoch=1)
    assert {*judged(recorded_order, tmp_path)} == {"one-epoch"}
    with pytest.raises(Skip):
        judged(recorded_shards, tmp_path)
