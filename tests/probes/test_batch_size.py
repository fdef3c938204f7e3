"""Real trainings with large and small batches, and logs as they come."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Curve, Finding, Level, Verdict, suggest
from accucheck.probes import batch_size
from accucheck.recorder import Recorder
from findings import found_by, of_code, told
from real_trainings import train


def judge(folder: Path, **curves: str) -> list[Finding]:
    case = Case(root=str(folder), spec=msgspec.convert({"curves": curves}, CaseFile))
    return found_by(batch_size, case, batch_size.Params())


@pytest.mark.mindspore
def test_real_trainings(tmp_path: Path) -> None:
    """The same epochs and learning rate with 50 times the batch learn less; with twice the batch as much."""
    same: dict[str, Any] = {"adam": False, "rate": 0.02, "epochs": 10}
    train(tmp_path, batch=10, log="small.jsonl", **same)
    train(tmp_path, batch=500, log="large.jsonl", **same)
    train(tmp_path, batch=20, log="twice.jsonl", **same)
    found = judge(tmp_path, train="large.jsonl", baseline="small.jsonl")
    assert told(found) == {"below-baseline", "rate-same"}
    finding = of_code(found, "below-baseline")
    assert finding.data["value"] < 0.8 < finding.data["baseline"] and finding.data["at"] == 10
    (chart,) = finding.evidence
    assert isinstance(chart, Curve) and set(chart.series) == {"this", "baseline"} and len(chart.x) == 10
    assert of_code(found, "rate-same").data["ratio"] == 50
    found = judge(tmp_path, train="twice.jsonl", baseline="small.jsonl")
    assert suggest(found) is Verdict.OK and of_code(found, "rate-same").level is Level.INFO


def test_noise_raises_few_alarms(tmp_path: Path) -> None:
    """Two noisy trainings of one script, 200 times: at most 1 in 100 pairs is called worse."""
    generator = np.random.default_rng(3)
    alarms = 0
    for _ in range(200):
        for name in ("run.csv", "base.csv"):
            epochs = np.arange(1, 31)
            values = 0.9 * (1 - np.exp(-epochs / 4)) + 0.003 * generator.normal() + 0.02 * generator.normal(size=30)
            rows = (f"{epoch},{value:.5f}\n" for epoch, value in zip(epochs, values, strict=True))
            (tmp_path / name).write_text("epoch,val_acc\n" + "".join(rows))
        alarms += bool(told(judge(tmp_path, eval="run.csv", baseline="base.csv")))
    assert alarms <= 2


def test_what_a_rerun_differs_by_is_noise(tmp_path: Path) -> None:
    (tmp_path / "base.csv").write_text(batch_size._table(30, 0.92))
    (tmp_path / "run.csv").write_text(batch_size._table(30, 0.89))
    (tmp_path / "again.csv").write_text(batch_size._table(30, 0.91))
    assert told(judge(tmp_path, eval="run.csv", baseline="base.csv")) == {"below-baseline"}
    found = judge(tmp_path, eval="run.csv", baseline="base.csv", rerun="again.csv")
    assert of_code(found, "within-noise").data["least"] == pytest.approx(0.04, rel=0.05)


def test_without_epochs_each_is_judged_at_its_end(tmp_path: Path) -> None:
    for name, steps, best in (("run.jsonl", 10, 0.8), ("base.jsonl", 80, 0.9)):
        with Recorder(tmp_path / name) as recorder:
            for step in range(1, 20 * steps + 1):
                recorder.step(loss=1.0)
                if step % steps == 0:
                    recorder.metrics(acc=best * (1 - 0.5 ** (step / steps)))
    found = judge(tmp_path, train="run.jsonl", baseline="base.jsonl")
    finding = of_code(found, "below-baseline")
    assert "no-epochs" in {one.code for one in found}
    assert finding.data["baseline"] == pytest.approx(0.9, abs=0.001)
    chart = finding.evidence[0]
    assert isinstance(chart, Curve)
    assert chart.series["baseline"][-1] == pytest.approx(0.9, abs=0.001), "drawn over the same share of the training"


def test_a_baseline_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text(batch_size._table(30, 0.9))
    with pytest.raises(ReadError) as error:
        judge(tmp_path, eval="run.csv", baseline="none.csv")
    assert error.value.code == "not-found"


def test_a_rerun_that_is_shorter_is_compared_where_it_ends(tmp_path: Path) -> None:
    (tmp_path / "base.csv").write_text(batch_size._table(30, 0.92))
    (tmp_path / "run.csv").write_text(batch_size._table(30, 0.80))
    (tmp_path / "again.csv").write_text(batch_size._table(5, 0.801))
    found = judge(tmp_path, eval="run.csv", baseline="base.csv", rerun="again.csv")
    assert of_code(found, "below-baseline").data["least"] < 0.03


def rated(epochs: range, steps: int, every: int = 1) -> str:
    """A log of losses and rates with the steps counted from the beginning of the whole training."""
    rows = (
        f"{epoch},{step},{0.2 + 2 / step:.4f},0.1\n"
        for epoch in epochs
        for step in range((epoch - 1) * steps + 1, epoch * steps + 1)
        if step % every == 0
    )
    return "epoch,step,loss,lr\n" + "".join(rows)


@pytest.mark.parametrize(
    ("baseline", "ratio"),
    [
        (rated(range(51, 101), 10), None),
        (rated(range(1, 101), 10, every=5), None),
        (rated(range(1, 101), 10, every=10), None),
        (rated(range(51, 101), 40), 4),
        (rated(range(51, 101), 40, every=20), 4),
    ],
)
def test_steps_of_an_epoch_are_counted_in_resumed_and_sparse_logs(
    tmp_path: Path, baseline: str, ratio: float | None
) -> None:
    (tmp_path / "base.csv").write_text(baseline)
    (tmp_path / "run.csv").write_text(rated(range(1, 101), 10))
    found = [one for one in judge(tmp_path, train="run.csv", baseline="base.csv") if one.code == "rate-same"]
    assert [one.data["ratio"] for one in found] == ([pytest.approx(ratio)] if ratio else [])
