"""Labels counted from real files of every format, made by the libraries that make them."""

import json
import os
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_digits, load_wine

from accucheck.errors import ReadError
from accucheck.readers import labels
from accucheck.readers.detect import detect
from accucheck.readers.labels import Counts, NoLabelField, by_folder, said

WINE = {"0": 59, "1": 71, "2": 48}
DIGITS = {str(digit): int(number) for digit, number in enumerate(np.bincount(load_digits().target))}


def counted(path: Path, label: str | None = None, kind: str | None = None) -> Counts:
    *shares, counts = labels.count(path, kind or detect(path), label)
    assert all(isinstance(share, float) and 0 <= share <= 1 for share in shares)
    assert isinstance(counts, Counts)
    return counts


@pytest.fixture(scope="module")
def wine() -> pl.DataFrame:
    found = load_wine()
    columns = {name: found.data[:, place] for place, name in enumerate(found.feature_names)}
    return pl.DataFrame({**columns, "target": found.target})


@pytest.mark.parametrize("kind", ["csv", "parquet", "ndjson"])
def test_a_column_of_a_table(wine: pl.DataFrame, kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"wine.{kind}"
    getattr(wine, f"write_{kind}")(path)
    for label in ("target", None):
        counts = counted(path, label)
        assert (counts.classes, counts.samples, counts.missing, counts.column) == (WINE, 178, 0, "target")
    with pytest.raises(NoLabelField) as caught:
        counted(path, "kind")
    assert caught.value.fields == wine.columns


def test_numbers_and_texts_of_one_value_are_one_class(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,label\n" + "1,3\n" * 20 + "1,3.0\n" * 20 + "1, 3 \n" * 2 + "1,\n" * 3)
    counts = counted(path)
    assert (counts.classes, counts.samples, counts.missing) == ({"3": 42}, 45, 3)
    assert [said(value) for value in (3, 3.0, "3", b"3", "3.00", float("nan"), None, " ", 0.5, True)] == [
        *["3"] * 5,
        *[None] * 3,
        "0.5",
        "True",
    ]


def test_rows_with_several_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"labels": row}) + "\n" for row in (["a", "b"], ["a"], [], None, ["c"])))
    counts = counted(path)
    assert counts.many and counts.classes == {"a": 2, "b": 1, "c": 1} and counts.samples == 5 and counts.missing == 2


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_an_array_of_an_archive(save, tmp_path: Path) -> None:
    found = load_digits()
    save(tmp_path / "a.npz", x=found.data, y=found.target)
    assert counted(tmp_path / "a.npz").classes == DIGITS
    save(tmp_path / "b.npz", x=found.data, y=np.eye(12)[found.target])
    counts = counted(tmp_path / "b.npz", "y")
    assert counts.classes == DIGITS and not counts.many and counts.names == tuple(map(str, range(12)))
    with pytest.raises(NoLabelField):  # these are features
        counted(tmp_path / "a.npz", "x")


def test_an_array_larger_than_a_block(tmp_path: Path) -> None:
    target = np.tile(load_digits().target, 400)
    np.save(tmp_path / "labels.npy", target)
    assert counted(tmp_path / "labels.npy").classes == {name: 400 * count for name, count in DIGITS.items()}
    np.save(tmp_path / "train_labels.npy", np.eye(10, dtype=np.int8)[target])
    counts = counted(tmp_path / "train_labels.npy")
    assert counts.classes == {name: 400 * count for name, count in DIGITS.items()} and counts.samples == len(target)
    np.save(tmp_path / "x.npy", target)
    with pytest.raises(NoLabelField):
        counted(tmp_path / "x.npy")


def test_the_bytes_of_cifar(tmp_path: Path) -> None:
    chosen = np.random.default_rng(0).integers(0, 10, 1500).astype(np.uint8)
    pixels = np.random.default_rng(1).integers(0, 256, (1500, 3072)).astype(np.uint8)
    np.column_stack((chosen, pixels)).tofile(tmp_path / "data_batch_1.bin")
    assert counted(tmp_path / "data_batch_1.bin").classes == Counter(map(str, chosen.tolist()))
    np.column_stack((chosen // 5, chosen * 9, pixels)).tofile(tmp_path / "train.bin")
    counts = counted(tmp_path / "train.bin")
    assert counts.column == "fine label" and counts.classes == Counter(str(one * 9) for one in chosen.tolist())


def test_the_labels_of_mnist(tmp_path: Path) -> None:
    target = load_digits().target.astype(np.uint8)
    path = tmp_path / "train-labels-idx1-ubyte"
    path.write_bytes(b"\0\0\x08\x01" + len(target).to_bytes(4, "big") + target.tobytes())
    assert counted(path).classes == DIGITS


def test_annotations(tmp_path: Path) -> None:
    path = tmp_path / "instances.json"
    boxes = [{"id": n, "image_id": n % 5, "category_id": 7 * (n % 3 > 0), "bbox": [0, 0, 1, 1]} for n in range(30)]
    categories = [{"id": 0, "name": "cat"}, {"id": 7, "name": "dog"}, {"id": 9, "name": "emu"}]
    path.write_text(json.dumps({"info": {}, "images": [], "annotations": boxes, "categories": categories}))
    counts = counted(path, kind="json")
    assert counts.many and counts.classes == {"cat": 10, "dog": 20} and counts.names == ("cat", "dog", "emu")
    path.write_text('{"a": 1}')
    with pytest.raises(NoLabelField):
        counted(path, kind="json")
    path.write_text('{"annotations": [')
    with pytest.raises(ReadError):
        counted(path, kind="json")


@pytest.mark.mindspore
def test_a_field_of_mindrecord(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mindspore.mindrecord import FileWriter

    from accucheck.readers import mindrecord

    path = tmp_path / "digits.mindrecord"
    writer = FileWriter(str(path), 1)
    writer.add_schema(
        {"label": {"type": "int32"}, "kind": {"type": "string"}, "data": {"type": "float32", "shape": [-1]}}
    )
    found = load_digits()
    rows = zip(found.data.astype(np.float32), found.target, strict=True)
    writer.write_raw_data([{"label": int(y), "kind": "ab"[y % 2], "data": x} for x, y in rows])
    writer.commit()
    assert counted(path).classes == DIGITS
    assert counted(path, "kind").classes == Counter("ab"[y % 2] for y in found.target)
    with pytest.raises(ReadError, match="single value"):
        counted(path, "data")
    with pytest.raises(NoLabelField):
        counted(path, "nothing")
    # a field that is not in the index is read row by row
    monkeypatch.setattr(mindrecord.re, "fullmatch", lambda *_: None)
    assert list(next(labels._mindrecord(path, "label")).classes.elements()).count("3") == DIGITS["3"]


def test_folders_by_class(tmp_path: Path) -> None:
    def images(*names: str) -> list[Path]:
        return [tmp_path / name for name in names]

    found = by_folder(tmp_path, images("cat/1.png", "cat/2.png", "dog/a/1.png"))
    assert found is not None and found.classes == {"cat": 2, "dog": 1}
    found = by_folder(tmp_path, images("images/cat/1.png", "images/dog/1.png"))
    assert found is not None and found.classes == {"cat": 1, "dog": 1} and found.column == "images/*"
    assert by_folder(tmp_path, images("1.png", "2.png")) is None
    assert by_folder(tmp_path, images("1.png", "cat/2.png")) is None
    assert by_folder(tmp_path, []) is None


def test_a_hundred_thousand_classes_and_more_than_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "many.csv"
    pl.DataFrame({"label": np.arange(300_000) % 100_000}).write_csv(path)
    counts = counted(path)
    assert len(counts.classes) == 100_000 and set(counts.classes.values()) == {3} and not counts.over
    monkeypatch.setattr(labels, "MOST", 1000)
    counts = counted(path)
    assert len(counts.classes) == 1000 and counts.over and counts.samples == 300_000


@pytest.mark.parametrize("name", ["wine.parquet", "wine.npz"])
def test_a_file_cut_short(name: str, wine: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / name
    wine.write_parquet(path) if name.endswith("parquet") else np.savez(path, y=wine["target"].to_numpy())
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ReadError):
        counted(path)


def test_a_name_that_is_no_utf_8(wine: pl.DataFrame, tmp_path: Path) -> None:
    wine.write_csv(tmp_path / "wine.csv")
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv"))
    (tmp_path / "wine.csv").rename(path)
    assert counted(path).classes == WINE


def test_tables_without_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,label\n")
    counts = counted(tmp_path / "a.csv")
    assert counts.samples == 0 and not counts.classes


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_labels_of_a_csv_are_its_text_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "train.csv"
    codes = ["0101", "0201", "3.0", "1.000000000000000000e+00"]  # the last as numpy.savetxt writes 1
    path.write_bytes(("城市,label\n" + "".join(f"北京{n},{codes[n % 4]}\n" for n in range(40))).encode(encoding))
    counts = counted(path)
    assert counts.classes == {"0101": 10, "0201": 10, "3": 10, "1": 10} and not counts.numbers


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_numbers_that_are_no_whole_ones_are_told_by_their_text(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "train.csv"
    path.write_bytes(
        ("城市,target\n" + "".join(f"北京{n},{n % 5}.5\n" for n in range(40)) + "上海,nan\n").encode(encoding)
    )
    counts = counted(path)
    assert counts.numbers and not counts.words and counts.missing == 1 and len(counts.classes) == 5
    path.write_text("x,target\n" + "".join(f"{n},{['0.5', 'none'][n % 2]}\n" for n in range(40)))
    assert counted(path).words


def test_folders_with_numbers_for_names_are_classes(tmp_path: Path) -> None:
    counts = by_folder(tmp_path, [tmp_path / f"{n % 3}.5" / f"{n}.png" for n in range(9)])
    assert counts is not None and counts.classes == {"0.5": 3, "1.5": 3, "2.5": 3} and not counts.numbers
