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


@pytest.mark.part(40)
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


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (["train.csv", "test.csv"], ["train.csv"]),
        (["mnist_train.csv", "mnist_test.csv", "more.csv"], ["mnist_train.csv", "more.csv"]),
        (["train/a.csv", "val/a.csv", "val/b.csv"], ["train/a.csv"]),
        (["x/train2017/a.csv", "x/val2017/a.csv"], ["x/train2017/a.csv"]),
        (["data_batch_1.csv", "data_batch_2.csv", "test_batch.csv"], ["data_batch_1.csv", "data_batch_2.csv"]),
        (["train-labels.csv", "t10k-labels.csv"], ["train-labels.csv"]),
        # no part of training beside them, or names that only look like it
        (["test.csv", "other.csv"], ["test.csv", "other.csv"]),
        (["valid/a.csv", "invalid/a.csv"], ["valid/a.csv", "invalid/a.csv"]),
        (["trainer.csv", "tested.csv"], ["trainer.csv", "tested.csv"]),
        (["train/a.csv", "other/test/a.csv"], ["train/a.csv", "other/test/a.csv"]),
    ],
)
def test_files_of_another_part_of_the_data_set_are_left_out_and_named(
    names: list[str], kept: list[str], tmp_path: Path
) -> None:
    for number, name in enumerate(names):
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x,label\n" + f"1,{number}\n" * 10)
    _, said = examined(tmp_path, train={"path": "data"})
    assert said["classes"].data["classes"] == len(kept) if len(kept) > 1 else "one-class" in said
    assert said["classes"].data["samples"] == 10 * len(kept)
    assert ("other-part" in said) == (len(kept) < len(names))
    # named one by one, they are meant
    _, said = examined(tmp_path, train={"path": [f"data/{name}" for name in names]})
    assert said["classes"].data["samples"] == 10 * len(names)
    if len(kept) < len(names):
        _, said = examined(tmp_path, train={"path": f"data/{kept[0]}"}, eval={"path": "data"})
        assert said["other-part"].data["role"]["en"] == "Evaluation"


def test_pictures_of_training_are_counted_by_class_and_not_by_part(tmp_path: Path) -> None:
    for place in ("train/cat/1", "train/cat/2", "train/dog/3", "train/dog/4", "test/cat/5", "test/emu/6"):
        path = tmp_path / "data" / f"{place}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.radial_gradient("L").resize((8, 8)).save(path)
    verdict, said = examined(tmp_path, train={"path": "data"})
    assert verdict is Verdict.OK
    assert (said["classes"].data["samples"], said["classes"].data["where"]) == (4, "data/train/*")


def test_codes_with_leading_zeros_are_the_declared_classes(tmp_path: Path) -> None:
    rows = "".join(f"{n},{code}\n" for n in range(40) for code in ("0101", "0201"))
    (tmp_path / "train.csv").write_text("x,label\n" + rows)
    verdict, said = examined(tmp_path, train={"path": "train.csv", "classes": ["0101", "0201"]})
    assert verdict is Verdict.OK and set(said) == {"classes", "few-samples"}


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_a_target_of_numbers_is_no_class_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    values = [0.5, 1.5, 2.5, 3.5, 4.5] * 40 + [5.5] * 2
    rows = "".join(f"北京市{n},{value}\n" for n, value in enumerate(values))
    (tmp_path / "train.csv").write_bytes(f"城市,target\n{rows}".encode(encoding))
    verdict, said = examined(tmp_path, train={"path": "train.csv", "label": "target"})
    assert verdict is Verdict.UNDECIDED and set(said) == {"not-classes"}


def test_pixels_that_are_named_by_their_numbers_have_a_header(tmp_path: Path) -> None:
    head = "label," + ",".join(map(str, range(16)))
    rows = "".join(f"{n % 10}," + ",".join(str(n * m % 256) for m in range(16)) + "\n" for n in range(200))
    (tmp_path / "train.csv").write_text(f"{head}\n{rows}")
    verdict, said = examined(tmp_path, train={"path": "train.csv", "label": "label"})
    assert verdict is Verdict.OK and said["classes"].data["samples"] == 200


def test_one_class_is_told_in_the_singular(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("x,label\n" + "".join(f"{n},a\n" for n in range(40)) + "9,\n")
    _, said = examined(tmp_path, train={"path": "train.csv", "classes": ["a", "b"]})
    texts = [probe.message(class_balance, code, one.data, Language.EN) for code, one in said.items()]
    assert "1 declared class has no sample in the training data: b (0)." in texts
    assert "Training data: 1 of 41 samples has no label." in texts
    assert not any("(es)" in words["en"] for words in class_balance.MESSAGES.values())
