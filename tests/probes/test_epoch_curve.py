"""Validation curves of real trainings, of simulated healthy ones, and of logs as they come."""

import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from accucheck.case import Case, CaseFile, load
from accucheck.errors import ReadError
from accucheck.model import Curve, Finding, Language, Level, Verdict, suggest
from accucheck.probe import message
from accucheck.probes import _curves, epoch_curve
from accucheck.recorder import Recorder
from findings import found_by, of_code, told
from real_trainings import train

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import epoch_curve_alarms as drawn

ROOT = Path(__file__).parents[2]


def case_of(folder: Path, train: str = "run.jsonl", evaluation: str | None = None, **more: Any) -> Case:
    spec = {"curves": {"train": train, "eval": evaluation}, **more}
    return Case(root=str(folder), spec=msgspec.convert(spec, CaseFile))


def judge(case: Case) -> list[Finding]:
    return found_by(epoch_curve, case, epoch_curve.Params())


@pytest.mark.mindspore
@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"samples": 100, "wrong": 0.2, "batch": 20, "width": 128, "noise": 1.5, "epochs": 40}, "too-many"),
        ({"rate": 3e-5}, "too-few"),
        ({"rate": 0.05, "adam": False, "epochs": 30}, "fits"),
    ],
)
def test_real_trainings(settings: dict[str, Any], code: str, tmp_path: Path) -> None:
    train(tmp_path, **settings)
    found = judge(case_of(tmp_path))
    finding = of_code(found, code)
    assert suggest(found) is (Verdict.OK if code == "fits" else Verdict.PROBLEM)
    (chart,) = finding.evidence
    assert isinstance(chart, Curve)
    assert {"training-loss", "validation-loss"} <= set(chart.series) and chart.x[-1] == finding.data["last"]
    losses = chart.series["validation-loss"]
    if code == "too-many":
        assert finding.data["best"] < 10 and chart.marks == {"best": finding.data["best"]}
        assert losses[chart.x.index(finding.data["best"])] == min(loss for loss in losses if loss is not None)


def test_the_examples_of_this_repository() -> None:
    assert of_code(judge(load(ROOT / "examples/digits")), "fits").data["last"] == 12
    assert told(judge(load(ROOT / "examples/digits_faulty"))) == {"never-better"}


def test_healthy_curves_raise_no_alarm() -> None:
    """At most 1 in 100, of 300 curves of each kind; the benchmark draws more."""
    for shape in (drawn.decayed, drawn.stepped, drawn.cosine):
        for noise in (drawn.white, drawn.neighbours):
            assert drawn.alarms(shape, noise, 300, 7, False)[""] >= 297
    assert drawn.alarms(drawn.stopped, drawn.white, 100, 7, True)["too-few"] >= 80
    assert drawn.alarms(drawn.overfitted, drawn.white, 100, 7, True)["too-many"] >= 95


def test_of_several_trainings_the_last_long_one_is_examined(tmp_path: Path) -> None:
    for losses in ([9.0] * 20, [1 + 2 * 0.6**epoch for epoch in range(25)], [5.0] * 3):
        with Recorder(tmp_path / "run.jsonl") as recorder:
            for epoch, loss in enumerate(losses, 1):
                recorder.step(loss=loss, epoch=epoch)
                recorder.metrics(loss=loss)
    found = judge(case_of(tmp_path))
    assert of_code(found, "several-runs").data == {"path": "run.jsonl", "count": 3, "run": "run.jsonl #2"}
    finding = of_code(found, "fits")
    assert finding.data["points"] == 25 and finding.where.name == "run.jsonl #2"


def test_one_file_that_cannot_be_read_leaves_the_other(tmp_path: Path) -> None:
    (tmp_path / "eval.csv").write_text(epoch_curve._table(loss=epoch_curve._decay(30, 4)))
    found = judge(case_of(tmp_path, "none.log", "eval.csv"))
    assert of_code(found, "unreadable").incomplete and of_code(found, "fits").level is Level.INFO
    assert suggest(found) is Verdict.UNDECIDED
    with pytest.raises(ReadError) as error:
        judge(case_of(tmp_path, "none.log", "also-none.csv"))
    assert error.value.code == "not-found"


def test_one_log_under_both_keys(tmp_path: Path) -> None:
    """Names without a word of evaluation are then those of the training."""
    (tmp_path / "log.csv").write_text(
        epoch_curve._table(loss=epoch_curve._decay(30, 4), val_loss=epoch_curve._overfitted())
    )
    for train_key, eval_key in (("log.csv", "log.csv"), ("log.csv", None)):
        finding = of_code(judge(case_of(tmp_path, train_key, eval_key)), "too-many")
        assert finding.where.field == "val_loss" and "training-loss" in finding.evidence[0].series  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("columns", "meaning", "evaluated", "name"),
    [
        (["loss", "val_loss"], "loss", True, "val_loss"),
        (["train_loss", "eval_loss"], "loss", False, "train_loss"),
        (["Train/Loss", "Val/Loss"], "loss", True, "Val/Loss"),
        (["loss", "metrics.loss", "metrics.accuracy"], "accuracy", True, "metrics.accuracy"),
        (["eval_top_1_accuracy", "eval_top_5_accuracy"], "accuracy", True, "eval_top_1_accuracy"),
        (["loss", "lbox", "lcls"], "loss", False, "loss"),
        (["loss_box", "loss_cls"], "loss", False, None),
        (["box_loss", "cls_loss"], "loss", False, None),
        (["seg_loss", "loss_scale"], "loss", False, "seg_loss"),
        (["loss_scale", "overflow_cond"], "scale", False, "loss_scale"),
        (["overflow cond"], "overflow", False, "overflow cond"),
        (["lr.0", "lr.1"], "lr", False, "lr.0"),
        (["损失", "val 准确率"], "loss", False, "损失"),
        (["val 准确率"], "accuracy", True, "val 准确率"),
        (["a\x1b[31m"], "loss", False, None),
    ],
)
def test_what_columns_mean(columns: list[str], meaning: str, evaluated: bool, name: str | None) -> None:
    assert _curves._named(columns, meaning, evaluated, own=False) == name


def test_charts_are_thinned_and_keep_extremes() -> None:
    values = np.sin(np.arange(100_000) / 1000)
    values[77_777], values[5] = 100, np.nan
    chart = _curves.chart("curves", "step", "loss", np.arange(100_000.0), {"loss": values, "training-loss": -values})
    assert len(chart.x) <= 500 and chart.x == sorted(set(chart.x))
    assert max(value for value in chart.series["loss"] if value is not None) == 100


def test_training_loss_is_averaged_between_evaluations(tmp_path: Path) -> None:
    with Recorder(tmp_path / "run.jsonl") as recorder:
        for step in range(1, 7):
            recorder.step(loss=step)
            if step % 2 == 0:
                recorder.metrics(loss=step)
    logs = _curves.Logs(case_of(tmp_path), "curves.train")
    loss, validation = logs.series("loss"), logs.series("loss", evaluated=True)
    assert loss is not None and validation is not None
    assert _curves.means_at(loss, validation).tolist() == [1.5, 3.5, 5.5]  # type: ignore[union-attr]


@pytest.mark.parametrize(("every", "points"), [(1, 120), (5, 24), (10, 12)])
def test_an_accuracy_that_is_recorded_less_often_than_the_loss_is_looked_at(
    tmp_path: Path, every: int, points: int
) -> None:
    loss = epoch_curve._overfitted(120, 20)
    rising = [1 - value / 4 for value in epoch_curve._decay(120, 8)]
    falling = [1 - value / 4 for value in loss]
    for accuracy, code in ((rising, "accuracy-holds"), (falling, "too-many")):
        rows = [
            f"{at + 1},{loss[at]:g},{accuracy[at]:g}" if (at + 1) % every == 0 else f"{at + 1},{loss[at]:g},"
            for at in range(120)
        ]
        assert sum(not row.endswith(",") for row in rows) == points
        (tmp_path / "eval.csv").write_text("\n".join(["epoch,val_loss,val_acc", *rows]) + "\n")
        assert told(judge(case_of(tmp_path, "eval.csv"))) == {code}


def test_a_step_beyond_a_million_is_told_in_full(tmp_path: Path) -> None:
    rows = "".join(f"{(at + 1) * 123457},{loss:g}\n" for at, loss in enumerate(epoch_curve._overfitted()))
    (tmp_path / "eval.csv").write_text("step,val_loss\n" + rows)
    finding = of_code(judge(case_of(tmp_path, "eval.csv", "eval.csv")), "too-many")
    text = message(epoch_curve, "too-many", finding.data, Language.EN)
    assert f"of {30 * 123457:,} (" in text and "e+" not in text
