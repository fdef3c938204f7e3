"""Losses against those of a benchmark: trainings of MindSpore and of PyTorch, and logs as they come."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

import curve_twins
from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Curve, Finding, Level, Verdict, suggest
from accucheck.probes import loss_comparison as probe
from findings import found_by, of_code, told

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import loss_comparison_alarms as drawn

BASES = ["mlp-sgd", "mlp-momentum", "mlp-adam", "cnn-momentum"]
#: What each fault of the benchmark is told as, and at which step.
FAULTS = {
    "mlp-sgd:bias": ("forward", 1),
    "mlp-sgd:rate": ("backward", 2),
    "mlp-sgd:frozen": ("backward", 2),
    "mlp-sgd:schedule": ("fork", 22),
    "mlp-sgd:batches": ("fork", 11),
    "mlp-momentum:plain": ("fork", 3),
    "mlp-momentum:schedule": ("fork", 22),
    "mlp-momentum:faster": ("backward", 2),
    "mlp-adam:rate": ("backward", 2),
    "mlp-adam:faster": ("backward", 2),
    "mlp-adam:eps": ("backward", 2),
    "cnn-momentum:bias": ("forward", 1),
    "cnn-momentum:rate": ("backward", 2),
    "cnn-momentum:batches": ("fork", 11),
}


def case_of(folder: Path, train: str, reference: str, **more: Any) -> Case:
    runtime = more.pop("runtime", {})
    rerun = more.pop("reference_rerun", None)
    curves = {"train": train, "reference": {"path": reference, "rerun": rerun}, **more}
    return Case(root=str(folder), spec=msgspec.convert({"curves": curves, "runtime": runtime}, CaseFile))


def judge(case: Case) -> list[Finding]:
    return found_by(probe, case, probe.Params())


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of all trainings: here/NAME.jsonl of MindSpore, there/NAME.jsonl of PyTorch."""
    pytest.importorskip("torch")
    root = tmp_path_factory.mktemp("twins")
    for side, script, names in (
        ("here", curve_twins.HERE, BASES),
        ("there", curve_twins.THERE, [*BASES, *FAULTS, "cnn-momentum:batchnorm"]),
    ):
        (root / side).mkdir()
        curve_twins.train(root / side, script, names)
    return root


@pytest.mark.mindspore
@pytest.mark.parametrize("base", BASES)
def test_clean_twins_agree(twins: Path, base: str) -> None:
    found = judge(case_of(twins, f"here/{base}.jsonl", f"there/{base}.jsonl"))
    assert suggest(found) is Verdict.OK and not told(found)
    assert of_code(found, "agrees").data["largest"] < 1e-5
    assert of_code(found, "evaluation-same").data["points"] == 6
    curves, difference = of_code(found, "agrees").evidence
    assert isinstance(curves, Curve) and set(curves.series) == {"this", "benchmark"} and not curves.marks
    assert isinstance(difference, Curve) and max(difference.series["differs"]) < -5  # type: ignore[type-var]


@pytest.mark.mindspore
@pytest.mark.parametrize(("name", "code", "step"), [(name, *expected) for name, expected in FAULTS.items()])
def test_a_fault_is_told_at_its_step(twins: Path, name: str, code: str, step: int) -> None:
    base = name.partition(":")[0]
    found = judge(case_of(twins, f"here/{base}.jsonl", f"there/{name.replace(':', '-')}.jsonl"))
    main = next(finding for finding in found if finding.code.removesuffix("-slight") == code)
    assert main.data["step"] == step and main.level is not Level.INFO
    assert main.evidence[0].marks["fork"] == step  # type: ignore[union-attr]
    assert not {"agrees", "drift", "other-batches"} & {finding.code for finding in found}


@pytest.mark.mindspore
def test_what_only_an_evaluation_shows(twins: Path) -> None:
    found = judge(case_of(twins, "here/cnn-momentum.jsonl", "there/cnn-momentum-batchnorm.jsonl"))
    assert of_code(found, "agrees") and of_code(found, "evaluation").data["step"] == 5
    assert suggest(found) is Verdict.PROBLEM


@pytest.mark.mindspore
def test_few_digits_hide_what_they_do_not_show(twins: Path, tmp_path: Path) -> None:
    """The rounding of a log is no difference; and a second loss that differs by little more clears no forward pass."""
    for side, name in (("here", "mlp-sgd"), ("there", "mlp-sgd"), ("there", "mlp-sgd-rate")):
        losses = [json.loads(line) for line in (twins / side / f"{name}.jsonl").read_text().splitlines()]
        text = "".join(f"step: {one['step']} loss: {one['loss']:.3f}\n" for one in losses if "loss" in one)
        (tmp_path / f"{side}-{name}.log").write_text(text)
    found = judge(case_of(tmp_path, "here-mlp-sgd.log", "there-mlp-sgd.log"))
    assert suggest(found) is Verdict.OK and of_code(found, "agrees")
    found = judge(case_of(tmp_path, "here-mlp-sgd.log", "there-mlp-sgd-rate.log"))
    assert of_code(found, "coarse").data["printed"] > 1e-4
    assert not any(finding.code == "backward" and finding.level is Level.PROBLEM for finding in found)


@pytest.mark.mindspore
def test_a_log_that_was_cut_off(twins: Path, tmp_path: Path) -> None:
    shutil.copytree(twins, tmp_path, dirs_exist_ok=True)
    whole = (tmp_path / "there/mlp-sgd.jsonl").read_text()
    (tmp_path / "there/mlp-sgd.jsonl").write_text(whole[: len(whole) // 2 - 7])
    found = judge(case_of(tmp_path, "here/mlp-sgd.jsonl", "there/mlp-sgd.jsonl"))
    assert of_code(found, "agrees") and of_code(found, "partial").data["ours_alone"] > 10


@pytest.mark.part(40)
def test_healthy_pairs_raise_no_alarm() -> None:
    """At most 1 in 100, of 200 pairs of each kind; the benchmark draws more."""
    for kind in (drawn.rounding, drawn.devices, drawn.growing, drawn.unfixed):
        found = drawn.alarms(kind, 200, 7)
        assert sum(count for code, count in found.items() if code.endswith("!")) <= 2, (kind, found)
    assert drawn.located("full", 100, 7)["there"] >= 95
    assert drawn.located("decimals", 100, 7)["there"] >= 90
    assert drawn.located("devices", 100, 7)["there"] >= 90


def logs(folder: Path, **tables: str) -> None:
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text)


OURS, THEIRS = probe._rounded(probe._losses()), probe._losses()


def test_precision_of_the_case(tmp_path: Path) -> None:
    """On Ascend or in mixed precision half a per cent is usual."""
    logs(tmp_path, a=probe._csv(loss=probe._rounded(probe._losses(), 3e-3)), b=probe._csv(loss=THEIRS))
    assert told(judge(case_of(tmp_path, "a.csv", "b.csv", runtime={"device": "CPU"})))
    for runtime in ({"device": "Ascend"}, {"device": "GPU", "amp": "O2"}):
        assert suggest(judge(case_of(tmp_path, "a.csv", "b.csv", runtime=runtime))) is Verdict.OK


def test_one_log_among_several_runs(tmp_path: Path) -> None:
    """Of two trainings in one file the last is compared, and that is said."""
    text = "".join(f"step: {at + 1} loss: {loss:.9g}\n" for at, loss in enumerate([9.0] * 50))
    text += "".join(f"step: {at + 1} loss: {loss:.9g}\n" for at, loss in enumerate(OURS))
    (tmp_path / "a.log").write_text(text)
    logs(tmp_path, b=probe._csv(loss=THEIRS))
    found = judge(case_of(tmp_path, "a.log", "b.csv"))
    assert of_code(found, "several-runs").data["count"] == 2 and of_code(found, "agrees")


def test_gradient_norms_tell_backward_from_update(tmp_path: Path) -> None:
    norms = [1 + at % 7 for at in range(60)]
    logs(tmp_path, b=probe._csv(loss=THEIRS, grad_norm=norms))
    for factor, part in ((1.0, "optimizer"), (1.5, "backward pass")):
        logs(tmp_path, a=probe._csv(loss=probe._changed(1), grad_norm=[norm * factor for norm in norms]))
        found = judge(case_of(tmp_path, "a.csv", "b.csv"))
        assert part in of_code(found, "backward").data["part"]["en"]


def test_a_rerun_that_cannot_be_read_leaves_the_rest(tmp_path: Path) -> None:
    logs(tmp_path, a=probe._csv(loss=OURS), b=probe._csv(loss=THEIRS), c=probe._csv(loss=OURS))
    found = judge(case_of(tmp_path, "a.csv", "b.csv", reference_rerun=["none.csv", "c.csv"]))
    assert of_code(found, "unreadable").where.path == "none.csv" and of_code(found, "agrees")
    assert suggest(found) is Verdict.UNDECIDED
    with pytest.raises(ReadError):
        judge(case_of(tmp_path, "none.csv", "b.csv"))
    with pytest.raises(ReadError):
        judge(case_of(tmp_path, "a.csv", "none.csv"))


def test_logs_that_tell_other_places(tmp_path: Path) -> None:
    """An epoch's mean against its steps, and a log that tells neither."""
    (tmp_path / "a.log").write_text(probe._log(OURS))
    means = [sum(THEIRS[start : start + 20]) / 20 for start in (0, 20, 40)]
    rows = "".join(f"{epoch},{loss}\n" for epoch, loss in enumerate(means, 1))
    (tmp_path / "b.csv").write_text("epoch,loss\n" + rows)
    found = judge(case_of(tmp_path, "a.log", "b.csv"))
    assert of_code(found, "agrees").data["points"] == 3 and of_code(found, "agrees").data["unit"]["en"] == "epoch"
    (tmp_path / "b.csv").write_text("epoch,loss\n" + rows.replace("1,", "1,9", 1))
    assert not {"forward", "backward"} & {finding.code for finding in judge(case_of(tmp_path, "a.log", "b.csv"))}
    (tmp_path / "c.log").write_text("".join(f"loss: {loss:.9g}\n" for loss in THEIRS))
    found = judge(case_of(tmp_path, "a.log", "c.log"))
    assert of_code(found, "agrees").data["points"] == 60


def test_names_of_runs_are_shown_as_they_are(tmp_path: Path) -> None:
    logs(tmp_path, **{"[red]x": probe._csv(loss=OURS), "b": probe._csv(loss=THEIRS)})
    assert of_code(judge(case_of(tmp_path, "[red]x.csv", "b.csv")), "agrees").where.path == "[red]x.csv"


def test_nan_that_comes_after_the_fork_is_no_beginning(tmp_path: Path) -> None:
    ours = [*probe._changed(10)[:40], *[float("nan")] * 20]
    logs(tmp_path, a=probe._csv(loss=ours), b=probe._csv(loss=THEIRS))
    found = judge(case_of(tmp_path, "a.csv", "b.csv"))
    assert of_code(found, "fork").data["step"] == 11 and of_code(found, "nan-after").data["step"] == 41


def test_each_evaluation_is_compared(tmp_path: Path) -> None:
    """Equal validation losses do not hide other accuracies, and NaN on both sides is no agreement."""
    losses = probe._losses()
    for name, accuracy in (("ours.csv", 0.5), ("theirs.csv", 0.9)):
        text = probe._csv(loss=losses, val_loss=[1.2, 1.3] * 30, val_accuracy=[accuracy] * 60)
        (tmp_path / name).write_text(text)
    found = judge(case_of(tmp_path, "ours.csv", "theirs.csv"))
    assert of_code(found, "evaluation-same").data["name"] == "val_loss"
    assert of_code(found, "evaluation").data["name"] == "val_accuracy" and suggest(found) is Verdict.PROBLEM
    for name in ("ours.csv", "theirs.csv"):
        (tmp_path / name).write_text(probe._csv(loss=losses, val_loss=[float("nan")] * 60))
    assert not {"evaluation", "evaluation-same"} & {
        one.code for one in judge(case_of(tmp_path, "ours.csv", "theirs.csv"))
    }


def test_steps_without_an_evaluation_are_no_difference(tmp_path: Path) -> None:
    """One side evaluates every tenth step, the other every step; NaN stands for the others, also at the end."""
    every = [1.2 + 0.001 * at for at in range(60)]
    some = [value if at % 10 == 0 else float("nan") for at, value in enumerate(every)]
    for name, values in (("ours.csv", some), ("theirs.csv", every)):
        (tmp_path / name).write_text(probe._csv(loss=probe._losses(), val_loss=values))
    for names in (("ours.csv", "theirs.csv"), ("theirs.csv", "ours.csv")):
        found = judge(case_of(tmp_path, *names))
        assert of_code(found, "evaluation-same").data["points"] == 6 and suggest(found) is Verdict.OK


def test_an_evaluation_that_becomes_nan_is_told_as_nan(tmp_path: Path) -> None:
    for name, values in (("ours.csv", [0.5] * 30 + [float("inf")] * 30), ("theirs.csv", [0.5] * 60)):
        (tmp_path / name).write_text(probe._csv(loss=probe._losses(), val_loss=values))
    data = of_code(judge(case_of(tmp_path, "ours.csv", "theirs.csv")), "evaluation").data
    assert (data["step"], data["value"], data["other"]) == (31, "Inf", 0.5)
