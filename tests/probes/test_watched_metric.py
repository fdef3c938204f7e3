"""What Model reports of evaluations that were really watched, beside what was counted anew, healthy and each with a planted fault."""

from pathlib import Path

import pytest

from accucheck.model import Level
from accucheck.probe import Skip
from accucheck.probes import watched_metric
from watched_runs import judged, watched

SCRIPT = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn
    from mindspore.train import Accuracy, Loss, Metric, Model, Top5CategoricalAccuracy

    class Hits(Metric):
        def __init__(self):
            super().__init__()
            self.hits, self.seen = 0.0, 0

        def clear(self):
            self.hits, self.seen = 0.0, 0

        def update(self, scores, labels):
            right = scores.asnumpy().argmax(1) == labels.asnumpy()
            self.hits += right.sum()
            self.seen += len(right)

        def eval(self):
            return float(self.hits / self.seen)

    def drawn(count, seed):
        dice = np.random.default_rng(seed)
        label = np.sort(dice.integers(0, 7, count)).astype(np.int32)
        return (np.eye(7)[label] + dice.normal(0, 0.6, (count, 7))).astype(np.float32), label

    ms.set_seed(1)
    net, loss = nn.SequentialCell(nn.Dense(7, 8), nn.ReLU(), nn.Dense(8, 7)), nn.CrossEntropyLoss()
    train = ds.NumpySlicesDataset(drawn(96, 1), ["row", "label"], shuffle=True).batch(16)
    held_out = ds.NumpySlicesDataset(drawn(41, 2), ["row", "label"], shuffle=False).batch(16)
    metrics = {"hits": Hits(), "accuracy": Accuracy(), "top5": Top5CategoricalAccuracy(), "loss": Loss()}
    model = Model(net, loss, nn.Adam(net.trainable_params(), 0.01), metrics=metrics)
    for epoch in range(2):
        model.train(1, train, dataset_sink_mode=False)
        print(model.eval(held_out, dataset_sink_mode=False))
"""
FAULTS = {
    "metric-mean": ("right.sum()\n            self.seen += len(right)", "right.mean()\n            self.seen += 1"),
    "metric-counts-on": (
        "def clear(self):\n            self.hits, self.seen = 0.0, 0",
        "def clear(self):\n            pass",
    ),
    "metric-by-batches": ("self.seen += len(right)", "self.seen += 1"),
}


def faulty(code: str | None) -> str:
    if code is None:
        return SCRIPT
    old, new = FAULTS[code]
    assert old in SCRIPT
    return SCRIPT.replace(old, new)


@pytest.mark.mindspore
def test_what_is_counted_anew_agrees(tmp_path: Path) -> None:
    case = watched(tmp_path / "healthy", SCRIPT)
    told = [one for one in watched_metric.run(case, watched_metric.Params()) if hasattr(one, "code")]
    assert {(one.data["name"], one.code) for one in told} == {
        ("hits", "metric-agrees"), ("accuracy", "metric-agrees"), ("top5", "metric-agrees"), ("loss", "metric-other"),
    }  # fmt: skip
    agrees = next(one for one in told if one.data["name"] == "hits")
    assert agrees.data["rows"] == 41 and agrees.data["evaluations"] == 2


@pytest.mark.mindspore
@pytest.mark.parametrize("code", FAULTS)
def test_a_metric_that_is_computed_wrongly_is_found(tmp_path: Path, code: str) -> None:
    found = judged(watched_metric, watched(tmp_path / "faulty", faulty(code)))
    assert found[code].level is Level.PROBLEM and found[code].data["name"] == "hits"
    assert found[code].where.path == "train.py"
    assert {one.level for name, one in found.items() if name != code} == {Level.INFO}


@pytest.mark.mindspore
def test_an_evaluation_without_classes_tells_nothing(tmp_path: Path) -> None:
    head, _, tail = SCRIPT.partition("    metrics = {")
    script = f'{head}    metrics = {{"loss": Loss()}}\n{tail.partition(chr(10))[2]}'
    script = script.replace("np.float32), label\n", "np.float32), np.eye(7, dtype=np.float32)[label]\n")
    script = script.replace("nn.CrossEntropyLoss()", "nn.MSELoss()")
    with pytest.raises(Skip):
        list(watched_metric.run(watched(tmp_path / "other", script), watched_metric.Params()))
