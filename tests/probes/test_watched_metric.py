"""What Model reports of evaluations that were really watched, beside what was counted anew, healthy and each with a planted fault."""

from pathlib import Path

import pytest

from accucheck import case as cases
from accucheck.model import Finding, Level, ProbeResult, Status, suggest, weigh
from accucheck.probe import Skip
from accucheck.probes import metric_script, watched_metric
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


OVERLAP = """
    class Overlap(Metric):
        def __init__(self):
            super().__init__()
            self.clear()

        def clear(self):
            self.guesses, self.truths, self.each = [], [], []

        def update(self, scores, labels):
            guess, truth = scores.asnumpy().argmax(1), labels.asnumpy()
            self.guesses.append(guess)
            self.truths.append(truth)
            self.each.append(f1_score(truth, guess, average="macro", zero_division=0))

        def eval(self):
            return f1_score(np.concatenate(self.truths), np.concatenate(self.guesses), average="macro")

    def drawn(count, seed):"""
WHOLE = 'return f1_score(np.concatenate(self.truths), np.concatenate(self.guesses), average="macro")'
WRONG_F1 = {
    "number-of-batches": (WHOLE, "return float(np.mean(self.each))"),
    "number-counts-on": ("self.guesses, self.truths, self.each = [], [], []", "self.guesses = getattr(self, 'guesses', [])\n"
        "            self.truths, self.each = getattr(self, 'truths', []), []"),
    "number-differs": (WHOLE, f"{WHOLE} * 0.9"),
    "number-of-another": (WHOLE, WHOLE.replace("f1_score", "recall_score")),
}  # fmt: skip


def with_f1(code: str | None) -> str:
    script = SCRIPT.replace("\n    def drawn(count, seed):", OVERLAP)
    script = script.replace(
        "    from mindspore import nn\n",
        "    from mindspore import nn\n    from sklearn.metrics import f1_score, recall_score\n",
    )
    script = script.replace('"hits": Hits()', '"hits": Hits(), "macro_f1": Overlap()')
    return script.replace(*WRONG_F1[code]) if code is not None else script


@pytest.mark.mindspore
@pytest.mark.parametrize("code", [None, *WRONG_F1])
def test_an_f1_is_computed_anew(tmp_path: Path, code: str | None) -> None:
    case = watched(tmp_path / "f1", with_f1(code))
    told = [one for one in watched_metric.run(case, watched_metric.Params()) if hasattr(one, "code")]
    (found,) = [one for one in told if one.data["name"] == "macro_f1"]
    assert found.code == (code or "number-agrees") and found.data["family"] == "f1"
    level = (
        Level.INFO
        if code is None
        else Level.SUSPECT
        if code in ("number-differs", "number-of-another")
        else Level.PROBLEM
    )
    assert found.level is level
    assert all(one.level is Level.INFO for one in told if one is not found)


ERRORS = """
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn
    from mindspore.train import MAE, Metric, Model

    class Distance(Metric):
        def __init__(self):
            super().__init__()
            self.clear()

        def clear(self):
            self.squares, self.count, self.roots = 0.0, 0, []

        def update(self, given, wanted):
            squares = (given.asnumpy() - wanted.asnumpy()) ** 2
            self.squares += squares.sum()
            self.count += squares.size
            self.roots.append(np.sqrt(squares.mean()))

        def eval(self):
            return float(np.sqrt(self.squares / self.count))

    def drawn(count, seed):
        dice = np.random.default_rng(seed)
        x = dice.normal(0, 1, (count, 5)).astype(np.float32)
        return x, (x[:, :2] * np.linspace(0.1, 4, count)[:, None]).astype(np.float32)

    ms.set_seed(1)
    net = nn.Dense(5, 2)
    train = ds.NumpySlicesDataset(drawn(96, 1), ["row", "target"], shuffle=True).batch(16)
    held_out = ds.NumpySlicesDataset(drawn(41, 2), ["row", "target"], shuffle=False).batch(16)
    model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.01), metrics={"rmse": Distance(), "mae": MAE()})
    for epoch in range(2):
        model.train(1, train, dataset_sink_mode=False)
        print(model.eval(held_out, dataset_sink_mode=False))
"""


@pytest.mark.mindspore
@pytest.mark.parametrize("code", ["number-agrees", "number-of-batches"])
def test_errors_are_computed_anew(tmp_path: Path, code: str) -> None:
    script = ERRORS
    if code == "number-of-batches":
        script = script.replace("float(np.sqrt(self.squares / self.count))", "float(np.mean(self.roots))")
    told = list(watched_metric.run(watched(tmp_path / "errors", script), watched_metric.Params()))
    found = {one.data["name"]: one for one in told if hasattr(one, "code")}
    assert found["rmse"].code == code and found["rmse"].data["rows"] == 41
    assert found["rmse"].level is (Level.INFO if code == "number-agrees" else Level.PROBLEM)
    assert found["mae"].level is Level.INFO


#: The mean of the shares of batches, of one size or not, and a count that eval() clears after reading it, or nobody.
SAID = {
    "mean-of-batches": (FAULTS["metric-mean"], [("drawn(41, 2)", "drawn(48, 2)")]),
    "left-in-state": (
        ("def clear(self):\n            self.hits, self.seen = 0.0, 0", "def clear(self):\n            self.seen = 0"),
        [("return float(self.hits / self.seen)", "share, self.hits = self.hits / self.seen, 0.0\n            return share")],
    ),
}  # fmt: skip


@pytest.mark.mindspore
@pytest.mark.parametrize("harmless", [True, False])
@pytest.mark.parametrize("code", SAID)
def test_a_number_that_is_right_refutes_what_the_script_is_said_to_do(
    tmp_path: Path, code: str, harmless: bool
) -> None:
    change, mended = SAID[code]
    script = SCRIPT
    for old, new in [change, *(mended if harmless else [])]:
        assert old in script
        script = script.replace(old, new)
    watch = watched(tmp_path, script).paths("watched")[0].relative_to(tmp_path)
    case = cases.load(tmp_path, ["scripts.train=train.py", f"watched={watch}"])
    said, seen = (
        ProbeResult(name, probe.KIND, Status.DONE, suggest(found), found)
        for name, probe in (("metric_script", metric_script), ("watched_metric", watched_metric))
        if (found := [one for one in probe.run(case, probe.Params()) if isinstance(one, Finding)])
    )
    assert code in [one.code for one in said.findings if one.level is not Level.INFO]
    contradicted = [one.code for one in weigh([said, seen])[0].findings if one.contradicted is not None]
    assert contradicted == ([code] if harmless else [])
