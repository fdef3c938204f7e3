"""Class counts judged on real data sets, and on data that are hardly any."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest
from PIL import Image
from sklearn.datasets import load_breast_cancer, load_digits

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Histogram, Language, Level, Table, Verdict, suggest
from accucheck.probes import class_balance


def examined(root: Path, **data: Any) -> tuple[Verdict, dict[str, Finding]]:
    case = Case(str(root), msgspec.convert({"data": data}, CaseFile))
    found = [event for event in class_balance.run(case, class_balance.Params()) if isinstance(event, Finding)]
    for finding in found:
        for language in Language:
            assert probe.message(class_balance, finding.code, finding.data, language)
    return suggest(found), {finding.code: finding for finding in found}


def test_a_real_data_set_and_what_is_left_of_it_without_most_of_a_class(tmp_path: Path) -> None:
    found = load_breast_cancer()
    table = pl.DataFrame({"radius": found.data[:, 0], "diagnosis": found.target_names[found.target].tolist()})
    table.write_parquet(tmp_path / "train.parquet")
    train = {"path": "train.parquet", "label": "diagnosis", "classes": ["malignant", "benign"]}
    verdict, said = examined(tmp_path, train=train)
    assert verdict is Verdict.OK and set(said) == {"classes", "few-samples"}
    figures = said["classes"].data
    assert (figures["samples"], figures["classes"], figures["mean"]) == (569, 2, 284.5)
    assert figures["ratio"] == 357 / 212 and figures["deviation"] == np.std([357, 212])
    histogram, rows = said["classes"].evidence
    assert isinstance(histogram, Histogram) and histogram.counts == [357, 212]
    assert isinstance(rows, Table) and rows.rows[0] == ["benign", 357, round(357 / 569, 6)]

    few = pl.concat((table.filter(pl.col("diagnosis") == "benign"), table.filter(pl.col("diagnosis") != "benign")[:9]))
    few.write_parquet(tmp_path / "train.parquet")
    verdict, said = examined(tmp_path, train=train)
    assert verdict is Verdict.PROBLEM and said["rare-class"].data["names"] == "malignant (9)"


@pytest.mark.parametrize("left", [0, 1, 5, 60])
def test_rare_is_told_from_uneven_by_the_even_share(left: int, tmp_path: Path) -> None:
    target = load_digits().target
    keep = np.concatenate((np.flatnonzero(target != 7), np.flatnonzero(target == 7)[:left]))
    np.savez(tmp_path / "train.npz", y=target[keep])
    verdict, said = examined(tmp_path, train={"path": "train.npz", "label": "y", "classes": list(range(10))})
    expected = {0: "empty-class", 1: "rare-class", 5: "rare-class", 60: "classes"}[left]
    assert expected in said and verdict is (Verdict.OK if left == 60 else Verdict.PROBLEM)
    assert ("rare-class" in said) == (left in (1, 5)), "an empty class is no rare one"


def test_many_classes_and_none(tmp_path: Path) -> None:
    pl.DataFrame({"label": np.arange(500_000) % 100_000}).write_parquet(tmp_path / "many.parquet")
    verdict, said = examined(tmp_path, train={"path": "many.parquet"})
    assert verdict is Verdict.OK and said["classes"].data["classes"] == 100_000
    _, rows = said["classes"].evidence
    assert isinstance(rows, Table) and rows.total == 100_000 and len(rows.rows) < 1000
    assert len(msgspec.json.encode(list(said.values()))) < 200_000
    pl.DataFrame({"label": np.arange(500_000)}).write_parquet(tmp_path / "ids.parquet")
    verdict, said = examined(tmp_path, train={"path": "ids.parquet"})
    assert verdict is Verdict.UNDECIDED and "not-classes" in said
    (tmp_path / "none.csv").write_text("x,label\n")
    verdict, said = examined(tmp_path, train={"path": "none.csv"})
    assert verdict is Verdict.UNDECIDED and set(said) == {"no-labels"}


def test_what_cannot_be_read_is_said_and_the_rest_is_counted(tmp_path: Path) -> None:
    folder = tmp_path / "train"
    folder.mkdir()
    for part in range(3):
        pl.DataFrame({"label": [0, 1] * 20}).write_parquet(folder / f"{part}.parquet")
    (folder / "1.parquet").write_bytes((folder / "1.parquet").read_bytes()[:-30])
    verdict, said = examined(tmp_path, train={"path": "train"})
    assert verdict is Verdict.UNDECIDED and said["unreadable"].incomplete
    assert said["classes"].data["samples"] == 80
    (tmp_path / "notes.bin").write_bytes(bytes(99))
    verdict, said = examined(tmp_path, train={"path": ["notes.bin"]})
    assert verdict is Verdict.UNDECIDED and said["not-examined"].data["count"] == 1


def test_pictures_beside_a_table_take_their_labels_from_it(tmp_path: Path) -> None:
    folder = tmp_path / "train"
    (folder / "images").mkdir(parents=True)
    for number in range(4):
        Image.radial_gradient("L").resize((8, 8)).save(folder / "images" / f"{number}.png")
    (folder / "labels.csv").write_text("file,label\n" + "".join(f"{n}.png,{'ab'[n % 2]}\n" for n in range(4)))
    verdict, said = examined(tmp_path, train={"path": "train"})
    assert verdict is Verdict.OK and said["classes"].data["where"] == "label"


def test_evaluation_beside_training(tmp_path: Path) -> None:
    pl.DataFrame({"label": ["a", "b"] * 30}).write_csv(tmp_path / "train.csv")
    for labels, expected in ((["a", "b"], False), (["a", "c"], True), (["0", "1"], False)):
        pl.DataFrame({"label": labels * 5}).write_csv(tmp_path / "eval.csv")
        _, said = examined(tmp_path, train={"path": "train.csv"}, eval={"path": "eval.csv"})
        assert ("only-in-evaluation" in said) == expected, "labels named in another way altogether are not compared"


def test_hostile_names_are_cut_and_kept_as_text(tmp_path: Path) -> None:
    hostile = "[bold]\x1b[31m" + "x" * 5000
    pl.DataFrame({"label": [hostile] * 30 + ["b"] * 30}).write_csv(tmp_path / "train.csv")
    _, said = examined(tmp_path, train={"path": "train.csv"})
    histogram = said["classes"].evidence[0]
    assert isinstance(histogram, Histogram) and max(map(len, histogram.labels)) == 200
    assert said["classes"].level is Level.INFO
