"""Samples by rank, as recordings hold them; what real trainings record: test_recorded_order.py."""

from pathlib import Path
from typing import Any

import pytest

from accucheck import Recorder
from accucheck import case as cases
from accucheck.model import Finding, Level
from accucheck.probes import recorded_shards


def test_words_of_two_ranks_are_compared_as_they_are(tmp_path):
    names = [f"{n}.jpg" for n in range(40)]
    for rank, part in enumerate((names[:24], names[16:])):
        with Recorder(tmp_path / "run[1].jsonl", rank=rank) as recorder:
            recorder.step(loss=1.0, epoch=1, samples=part)
    case = cases.load(tmp_path, ["curves.train=run[1].rank1.jsonl"])
    found = [one for one in recorded_shards.run(case, recorded_shards.Params()) if isinstance(one, Finding)]
    assert [(one.code, one.level) for one in found] == [("overlap", Level.PROBLEM)]
    assert (found[0].data["repeated"], found[0].data["samples"]) == (8, 40)
    assert found[0].evidence[0].rows == [[0, 1, 8]]


def test_parts_of_a_whole_epoch_contradict_scripts_that_seem_to_divide_nothing(tmp_path):
    for epochs in (1, 2):
        for rank, part in enumerate((ROWS[:40], ROWS[40:])):
            with Recorder(tmp_path / f"run{epochs}.jsonl", rank=rank) as recorder:
                for epoch in range(1, epochs + 1):
                    recorder.step(loss=1.0, epoch=epoch, samples=part)
        case = cases.load(tmp_path, [f"curves.train=run{epochs}.jsonl"])
        (apart,) = [one for one in recorded_shards.run(case, recorded_shards.Params()) if isinstance(one, Finding)]
        assert apart.code == "apart"
        # One epoch may not be over: parts of it lie apart by chance.
        assert [one.codes[0] for one in apart.refutes] == (["no-shards"] if epochs == 2 else [])


def recorded(root: Path, *ranks: list[Any], settings: list[str]) -> list[Finding]:
    for rank, part in enumerate(ranks):
        with Recorder(root / "run.jsonl", rank=rank) as recorder:
            recorder.step(loss=1.0, epoch=1, samples=part)
    case = cases.load(root, ["curves.train=run.jsonl", *settings])
    return [one for one in recorded_shards.run(case, recorded_shards.Params()) if isinstance(one, Finding)]


ROWS = list(range(80))


@pytest.mark.parametrize(
    ("ranks", "labels", "codes"),
    [
        ((ROWS[:40], ROWS[40:]), [row // 20 for row in ROWS], ["classes-apart", "apart"]),
        ((ROWS[0::2], ROWS[1::2]), [row // 20 for row in ROWS], ["apart"]),
        # What the loss leaves out is no class: the others are dealt out evenly.
        ((ROWS[:40], ROWS[40:]), [-100 if row < 20 else row % 4 for row in ROWS], ["apart"]),
        # Numbers of something else than the rows of the data.
        (
            ([row + 1000 for row in ROWS[:40]], [row + 1000 for row in ROWS[40:]]),
            [row // 20 for row in ROWS],
            ["apart"],
        ),
    ],
)
def test_classes_by_row(ranks: Any, labels: list[int], codes: list[str], tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("x,label\n" + "".join(f"{row},{label}\n" for row, label in enumerate(labels)))
    found = recorded(tmp_path, *ranks, settings=["data.train.path=data.csv"])
    assert [one.code for one in found] == codes
    seen = found[-1].data["alike"]["en"]
    assert ("was not seen" in seen) == (ranks[0][0] == 1000)
    if codes == ["classes-apart", "apart"]:
        assert found[0].level is Level.SUSPECT and found[0].data["distance"] == pytest.approx(0.5)
        assert found[0].evidence[0].rows == [[0, 20, 20, 0, 0], [1, 0, 0, 20, 20]]


def test_classes_by_the_folder_of_a_file(tmp_path: Path) -> None:
    for name in ("cat", "dog"):
        (tmp_path / "data" / name).mkdir(parents=True)
        for number in range(20):
            (tmp_path / "data" / name / f"{number}.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    cats, dogs = ([f"{name}/{number}.png" for number in range(20)] for name in ("cat", "dog"))

    apart = recorded(tmp_path, cats, dogs, settings=["data.train.path=data"])
    assert [one.code for one in apart] == ["classes-apart", "apart"]
    (tmp_path / "run.jsonl").unlink()
    (tmp_path / "run.rank1.jsonl").unlink()
    mixed = recorded(tmp_path, cats[:10] + dogs[:10], cats[10:] + dogs[10:], settings=["data.train.path=data"])
    assert [one.code for one in mixed] == ["apart"] and "0.0% apart" in mixed[0].data["alike"]["en"]
