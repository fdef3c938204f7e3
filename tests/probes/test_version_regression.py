"""One script on two versions: what the end of a curve says, and what it cannot."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Level, Verdict, suggest
from accucheck.probes import version_regression as probe
from accucheck.probes.loss_comparison import _csv
from findings import found_by, of_code
from real_trainings import train


def judge(folder: Path, ending: str = "jsonl", **more: str) -> list[Finding]:
    spec: dict[str, Any] = {"curves": {"train": f"now.{ending}", "previous_version": f"before.{ending}", **more}}
    return found_by(probe, Case(root=str(folder), spec=msgspec.convert(spec, CaseFile)), probe.Params())


@pytest.mark.mindspore
def test_trainings_of_mindspore(tmp_path: Path) -> None:
    """Equal ones agree; where the optimizer's rate is another one the end is worse."""
    train(tmp_path, epochs=6, log="before.jsonl", noise=2.0)
    train(tmp_path, epochs=6, log="now.jsonl", noise=2.0)
    assert suggest(judge(tmp_path)) is Verdict.OK and of_code(judge(tmp_path), "agrees").data["largest"] < 1e-6
    (tmp_path / "now.jsonl").unlink()
    train(tmp_path, epochs=6, log="now.jsonl", noise=2.0, rate=1e-4)
    found = judge(tmp_path)
    worse = [finding for finding in found if finding.code == "ends-worse"]
    assert {finding.data["what"]["en"] for finding in worse} >= {"training loss", "validation loss"}
    assert of_code(found, "parts").data["step"] == 2 and all(finding.level is Level.PROBLEM for finding in worse)


@pytest.mark.part(40)
def test_versions_that_differ_by_their_batches_alone_are_no_problem(tmp_path: Path) -> None:
    """At most 1 in 100, of 300 pairs whose randomness is not fixed."""
    random = np.random.default_rng(5)
    alarms = 0
    for _ in range(300):
        count = int(random.integers(20, 400))
        trend = 0.3 + 2 * np.exp(-np.arange(count) / count / 0.2)
        for name in ("now.csv", "before.csv"):
            (tmp_path / name).write_text(_csv(loss=list(trend * (1 + 0.1 * random.normal(size=count)))))
        alarms += suggest(judge(tmp_path, "csv")) is Verdict.PROBLEM
    assert alarms <= 3


def test_an_evaluation_that_is_nan_on_one_side_is_no_end_alike(tmp_path: Path) -> None:
    good, nan = [1.0 - 0.01 * at for at in range(60)], float("nan")
    for ours, theirs, code, verdict in (
        ([nan] * 60, good, "ends-nan", Verdict.PROBLEM),
        (good, [nan] * 60, "ended-nan", Verdict.OK),
    ):
        (tmp_path / "now.csv").write_text(_csv(loss=good, val_loss=ours))
        (tmp_path / "before.csv").write_text(_csv(loss=good, val_loss=theirs))
        found = judge(tmp_path, "csv")
        assert {finding.code for finding in found} >= {"agrees", code} and suggest(found) is verdict
    (tmp_path / "before.csv").write_text(_csv(loss=good, val_loss=[1.0, nan] * 30))
    (tmp_path / "now.csv").write_text(_csv(loss=good, val_loss=[nan, 1.0] * 30))
    assert {finding.code for finding in judge(tmp_path, "csv")} == {"agrees"}  # no point that both have


def test_versions_may_be_evaluated_at_other_steps(tmp_path: Path) -> None:
    every = [1.2 + 0.001 * at for at in range(60)]
    some = [value if at % 10 == 0 else float("nan") for at, value in enumerate(every)]
    (tmp_path / "now.csv").write_text(_csv(loss=every, val_loss=some))
    (tmp_path / "before.csv").write_text(_csv(loss=every, val_loss=every))
    found = judge(tmp_path, "csv")
    assert {finding.code for finding in found} == {"agrees", "ends-alike"} and suggest(found) is Verdict.OK
