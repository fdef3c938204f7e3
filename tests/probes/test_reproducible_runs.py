"""Runs of one script against each other: real ones of MindSpore, with and without their seed, and logs as they come."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Level, Table, Verdict, suggest
from accucheck.probes import loss_comparison
from accucheck.probes import reproducible_runs as probe
from findings import found_by, of_code
from real_trainings import train


def judge(folder: Path, *reruns: str, first: str = "run.jsonl") -> list[Finding]:
    spec: dict[str, Any] = {"curves": {"train": first, "rerun": list(reruns)}}
    return found_by(probe, Case(root=str(folder), spec=msgspec.convert(spec, CaseFile)), probe.Params())


@pytest.mark.mindspore
def test_runs_of_mindspore(tmp_path: Path) -> None:
    for log, seed in (("run.jsonl", 1), ("again.jsonl", 1), ("other.jsonl", 2)):
        train(tmp_path, seed=seed, epochs=2, log=log)
    found = judge(tmp_path, "again.jsonl")
    assert suggest(found) is Verdict.OK and of_code(found, "reproducible").data["largest"] < 1e-6
    found = judge(tmp_path, "again.jsonl", "other.jsonl")
    finding = of_code(found, "first-steps")
    assert finding.level is Level.PROBLEM and finding.where.path == "other.jsonl"
    (table,) = (one for one in finding.evidence if isinstance(one, Table))
    assert [row[:2] for row in table.rows] == [["again.jsonl", None], ["other.jsonl", 1.0]]


def test_one_run_that_cannot_be_read_leaves_the_others(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text(loss_comparison._csv(loss=loss_comparison._losses()))
    (tmp_path / "again.csv").write_text(loss_comparison._csv(loss=loss_comparison._losses()))
    found = judge(tmp_path, "none.csv", "again.csv", first="run.csv")
    assert of_code(found, "unreadable").incomplete and of_code(found, "reproducible").data["runs"] == 1
    assert suggest(found) is Verdict.UNDECIDED


def test_epochs_alone(tmp_path: Path) -> None:
    for name, seed in (("run.csv", 1), ("again.csv", 4)):
        losses = loss_comparison._losses(seed=seed)
        rows = "".join(f"{epoch},{loss}\n" for epoch, loss in enumerate(losses, 1))
        (tmp_path / name).write_text("epoch,loss\n" + rows)
    finding = of_code(judge(tmp_path, "again.csv", first="run.csv"), "first-steps")
    assert finding.data["unit"]["en"] == "epoch" and finding.data["step"] == 1


def test_a_run_that_ended_early(tmp_path: Path) -> None:
    losses = loss_comparison._losses()
    (tmp_path / "run.csv").write_text(loss_comparison._csv(loss=losses))
    (tmp_path / "again.csv").write_text(loss_comparison._csv(loss=losses[:9]))
    found = judge(tmp_path, "again.csv", first="run.csv")
    assert of_code(found, "reproducible").data["points"] == 9 and of_code(found, "partial").data["ours_alone"] == 51


def test_a_run_without_a_loss_is_named_alone(tmp_path: Path) -> None:
    whole = loss_comparison._csv(loss=loss_comparison._losses())
    for name, text in (("run.csv", whole), ("again.csv", whole), ("other.csv", "step,a\n1,2\n2,3\n")):
        (tmp_path / name).write_text(text)
    found = judge(tmp_path, "again.csv", "other.csv", first="run.csv")
    assert of_code(found, "no-curve-known").data["path"] == ["other.csv"]
