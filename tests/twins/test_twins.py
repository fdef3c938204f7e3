"""The twins themselves: two frameworks that agree until a fault is planted, and projects that the readers can read."""

import csv
from pathlib import Path

import pytest
from building import EVAL, TRAIN, Twin, build, write
from experiments import CLEAN, FAULTY

from accucheck import case
from accucheck.readers import checkpoints, curves, dumps

pytestmark = pytest.mark.filterwarnings(
    "ignore:Full backward hook"
)  # of the first layer, whose input needs no gradient


def losses(project: Path) -> tuple[list[float], list[float]]:
    """Of the training here, and of the benchmark."""
    (run,) = curves.read(project / "logs/run.jsonl").runs
    with (project / "ref/train.csv").open() as file:
        reference = [float(row["loss"]) for row in csv.DictReader(file)]
    return list(run.columns["loss"].values), reference


def named(twins: list[Twin], name: str) -> Twin:
    return next(twin for twin in twins if twin.name == name)


def test_there_are_enough_of_each() -> None:
    names = [twin.name for twin in (*CLEAN, *FAULTY)]
    assert len(set(names)) == len(names)
    assert len(FAULTY) >= 40
    assert len(CLEAN) >= 10
    assert all(twin.clean for twin in CLEAN)
    assert all(twin.item and twin.place for twin in FAULTY)
    assert len({twin.network for twin in CLEAN}) == 10


@pytest.mark.part(40)
@pytest.mark.parametrize("twin", [*CLEAN, *FAULTY], ids=lambda twin: twin.name)
def test_every_fault_is_an_edit_of_a_script_that_is_still_python(tmp_path: Path, twin: Twin) -> None:
    project = tmp_path / "twin"
    write(twin, project)
    for script in project.rglob("*.py"):
        compile(script.read_bytes(), str(script), "exec")
    given = case.load(project)
    assert given.get("benchmark.scripts.train")
    clean = tmp_path / "clean"
    write(Twin("clean", twin.network, twin.optimizer), clean)
    changed = [
        path for path in clean.rglob("*.py") if path.read_text() != (project / path.relative_to(clean)).read_text()
    ]
    assert bool(changed) is bool(twin.edits)


@pytest.mark.mindspore
@pytest.mark.slow
def test_a_clean_twin_agrees_and_everything_is_there(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    project = build(named(CLEAN, "clean_mlp_sgd"), tmp_path / "twin")
    ours, theirs = losses(project)
    assert len(ours) == len(theirs) == TRAIN // 32
    assert max(abs(a - b) / b for a, b in zip(ours, theirs, strict=True)) < 1e-5
    names = [
        [run.name.split("_", 1)[1] for run in dumps.open_dump(project / part).operations]
        for part in ("layers", "ref/layers")
    ]
    assert names[0] == names[1] and "fc2" in names[0] and "fc2.grad" in names[0]
    assert {tensor.name for tensor in checkpoints.open_checkpoint(project / "step1.ckpt").tensors} >= {"fc1.weight"}
    assert (project / "outputs/metrics.json").is_file() and EVAL


@pytest.mark.mindspore
@pytest.mark.slow
def test_a_fault_shows_where_it_was_planted(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    ours, theirs = losses(build(named(FAULTY, "own_adam_mlp"), tmp_path / "update"))
    assert abs(ours[0] - theirs[0]) < 1e-5 < 1e-3 < abs(ours[1] - theirs[1])
    ours, theirs = losses(build(named(FAULTY, "leaky_mlp"), tmp_path / "layer"))
    assert abs(ours[0] - theirs[0]) > 1e-4
