"""Labels that contradict each other, planted in real data sets of every format."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest
from PIL import Image
from sklearn.datasets import load_digits, load_wine

import labelled_data
from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Language, Sure, Table, Verdict, suggest
from accucheck.probes import label_conflicts
from labelled_data import tfrecord


def examined(root: Path, params: Any = None, **data: Any) -> tuple[Verdict, dict[str, Finding]]:
    case = Case(str(root), msgspec.convert({"data": data}, CaseFile))
    events = label_conflicts.run(case, params or label_conflicts.Params())
    found = [event for event in events if isinstance(event, Finding)]
    for finding in found:
        for language in Language:
            assert probe.message(label_conflicts, finding.code, finding.data, language)
    return suggest(found), {finding.code: finding for finding in found}


def planted(wrong: bool) -> tuple[np.ndarray, np.ndarray]:
    """The digits, with number 7 once more at the end: under another label, or under its own."""
    found = load_digits()
    images = np.concatenate((found.images, found.images[7:8])).astype(np.uint8)
    labels = np.concatenate((found.target, [found.target[7] + wrong]))
    return images, labels


def write(folder: Path, kind: str, images: np.ndarray, labels: np.ndarray) -> str:
    if kind == "npz":
        np.savez_compressed(folder / "train.npz", x=images, y=labels)
        return "train.npz"
    if kind == "cifar":
        pixels = np.zeros((len(images), 3072), np.uint8)
        pixels[:, :64] = images.reshape(-1, 64)
        np.column_stack((labels.astype(np.uint8), pixels)).tofile(folder / "data_batch_1.bin")
        return "data_batch_1.bin"
    if kind == "folders":
        for number, (image, label) in enumerate(zip(images[-400:], labels[-400:], strict=True)):
            place = folder / "train" / str(label)
            place.mkdir(parents=True, exist_ok=True)
            Image.fromarray(image * 15).save(place / f"{number}.png")
        Image.fromarray(images[-1] * 15).save(folder / "train" / str(labels[7]) / "seven.png")
        return "train"
    if kind == "mindrecord":
        from mindspore.mindrecord import FileWriter

        writer = FileWriter(str(folder / "train.mindrecord"), 1)
        writer.add_schema({"label": {"type": "int32"}, "image": {"type": "bytes"}, "width": {"type": "int32"}})
        rows = zip(images, labels, strict=True)
        writer.write_raw_data([{"label": int(y), "image": x.tobytes(), "width": 8} for x, y in rows])
        writer.commit()
        return "train.mindrecord"
    columns = {f"p{place}": images.reshape(-1, 64)[:, place] for place in range(64)}
    getattr(pl.DataFrame({**columns, "label": labels}), f"write_{kind}")(folder / f"train.{kind}")
    return f"train.{kind}"


@pytest.mark.parametrize(
    "kind",
    ["npz", "cifar", "folders", "csv", "parquet", "ndjson", pytest.param("mindrecord", marks=pytest.mark.mindspore)],
)
def test_a_sample_under_two_labels_in_a_real_data_set(kind: str, tmp_path: Path) -> None:
    table = kind in ("csv", "parquet", "ndjson")
    path = write(tmp_path, kind, *planted(wrong=True))
    verdict, said = examined(tmp_path, train={"path": path})
    finding = said["rows-conflict" if table else "conflict"]
    assert verdict is (Verdict.UNDECIDED if table else Verdict.PROBLEM)
    assert (finding.data["groups"], finding.data["count"]) == (1, 2)
    assert finding.sure is (Sure.POSSIBLE if table else Sure.CERTAIN)
    (rows,) = finding.evidence
    assert isinstance(rows, Table)
    labels, places = {row[1] for row in rows.rows}, {row[2] for row in rows.rows}
    assert labels == {"7", "8"}
    expected = {"train/8/399.png", "train/7/seven.png"} if kind == "folders" else {f"{path} [7]", f"{path} [1797]"}
    assert places == expected


@pytest.mark.parametrize("kind", ["npz", "cifar", "parquet"])
def test_a_sample_twice_under_its_own_label_is_no_conflict(kind: str, tmp_path: Path) -> None:
    verdict, said = examined(tmp_path, train={"path": write(tmp_path, kind, *planted(wrong=False))})
    assert verdict is Verdict.OK and set(said) == {"repeated", "compared"}
    assert said["repeated"].data["count"] == 1 and said["compared"].data["samples"] == 1798


def test_a_conflict_between_two_files_and_rows_without_a_label(tmp_path: Path) -> None:
    found = load_wine()
    columns = {name: found.data[:, place] for place, name in enumerate(found.feature_names)}
    table = pl.DataFrame({**columns, "target": [str(label) for label in found.target]})
    (tmp_path / "train").mkdir()
    table[:100].write_csv(tmp_path / "train" / "a.csv")
    other = pl.concat((table[100:], table[3:5].with_columns(target=pl.Series(["2", None]))))
    other.write_csv(tmp_path / "train" / "b.csv")
    _, said = examined(tmp_path, train={"path": "train"})
    (rows,) = said["rows-conflict"].evidence
    assert isinstance(rows, Table) and rows.rows == [[1, "0", "train/a.csv [3]"], [1, "2", "train/b.csv [78]"]]
    assert said["compared"].data["samples"] == 179, "a row without a label contradicts nothing"


def test_no_more_samples_than_allowed_are_compared_and_that_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, "parquet", *planted(wrong=True))
    verdict, said = examined(tmp_path, label_conflicts.Params(samples=1000), train={"path": path})
    assert verdict is Verdict.UNDECIDED and said["not-compared"].incomplete
    assert "rows-conflict" not in said and said["compared"].data["samples"] == 1000


def test_damaged_files_are_named_and_the_rest_is_compared(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    images, labels = planted(wrong=True)
    np.savez(tmp_path / "train" / "a.npz", x=images, y=labels)
    np.savez(tmp_path / "train" / "b.npz", x=images, y=labels)
    whole = (tmp_path / "train" / "b.npz").read_bytes()
    (tmp_path / "train" / "b.npz").write_bytes(whole[: len(whole) // 2])
    verdict, said = examined(tmp_path, train={"path": "train"})
    assert verdict is Verdict.PROBLEM and said["unreadable"].where.path.endswith("b.npz")
    assert said["conflict"].data["groups"] == 1


def test_evaluation_is_compared_with_itself(tmp_path: Path) -> None:
    clean, faulty = planted(wrong=False), planted(wrong=True)
    np.savez(tmp_path / "train.npz", x=clean[0], y=clean[1])
    np.savez(tmp_path / "eval.npz", x=faulty[0], y=faulty[1])
    verdict, said = examined(tmp_path, train={"path": "train.npz"}, eval={"path": "eval.npz"})
    assert verdict is Verdict.PROBLEM and said["conflict"].data["role"]["en"] == "Evaluation"


def test_names_in_another_form_than_the_files_are_not_called_missing(tmp_path: Path) -> None:
    folder = tmp_path / "train"
    (folder / "img").mkdir(parents=True)
    for number in range(4):
        Image.radial_gradient("L").resize((8, 8 + number)).save(folder / "img" / f"{number}.png")
    for prefix in ("", "img/", "./img/", "train/img/"):
        rows = "".join(f"{prefix}{number}.png,{number % 2}\n" for number in range(4))
        (folder / "labels.csv").write_text("file,label\n" + rows)
        _, said = examined(tmp_path, train={"path": "train"})
        assert not {"sample-missing", "sample-unnamed"} & set(said), prefix
    (folder / "labels.csv").write_text("file,label\n" + rows + "train/img/9.png,1\n")
    verdict, said = examined(tmp_path, train={"path": "train"})
    assert verdict is Verdict.PROBLEM and said["sample-missing"].data["first"] == "train/img/9.png"


def test_annotations_and_their_pictures(tmp_path: Path) -> None:
    folder = tmp_path / "train"
    folder.mkdir()
    for number in range(3):
        Image.radial_gradient("L").resize((8, 8 + number)).save(folder / f"{number}.png")
    coco = {
        "images": [{"id": n, "file_name": f"{n}.png"} for n in range(4)],
        "annotations": [{"id": n, "image_id": n, "category_id": 1} for n in range(4)],
        "categories": [{"id": 1, "name": "cat"}],
    }
    (folder / "instances.json").write_bytes(msgspec.json.encode(coco))
    verdict, said = examined(tmp_path, train={"path": "train"})
    assert verdict is Verdict.PROBLEM and said["sample-missing"].data["first"] == "3.png"


def test_a_sample_without_a_label_contradicts_nothing(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"text": f"sample {n}".encode(), "label": b"cat" if n % 2 else b"dog"} for n in range(40)
    ]
    tfrecord(tmp_path / "train.tfrecord", [*rows, {"text": b"sample 1", "label": b""}])
    verdict, said = examined(tmp_path, train={"path": "train.tfrecord", "label": "label"})
    assert verdict is Verdict.OK and set(said) == {"compared"} and said["compared"].data["samples"] == 40


@pytest.mark.parametrize("listing", ["filelist.txt", "files.csv"])
def test_a_list_of_names_without_labels_hides_no_conflict_of_folders(tmp_path: Path, listing: str) -> None:
    images, labels = planted(True)
    path = write(tmp_path, "folders", images, labels)
    Image.fromarray(images[-1] * 15).save(tmp_path / path / str(labels[7]) / "again.png")
    names = sorted(str(one.relative_to(tmp_path / path)) for one in (tmp_path / path).rglob("*.png"))
    (tmp_path / path / listing).write_text("file\n" * listing.endswith("csv") + "\n".join(names) + "\n")
    verdict, said = examined(tmp_path, train={"path": path})
    assert verdict is Verdict.PROBLEM and said["conflict"].data["groups"] == 1


def test_nothing_compared_is_not_in_order(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("x,label\n" + "".join(f"{n},\n" for n in range(40)))
    verdict, said = examined(tmp_path, train={"path": "train.csv"})
    assert verdict is Verdict.UNDECIDED and said["compared"].data["samples"] == 0


@pytest.mark.parametrize("tail", [{"a": 5, "b": -5.0}, {"b": -5.0, "a": 5}])
def test_equal_rows_are_found_across_batches_whatever_the_order_and_type_of_their_columns(
    tmp_path: Path, tail: dict[str, float]
) -> None:
    rows: list[dict[str, Any]] = [{"a": n, "b": -n, "label": "x"} for n in range(10_000)]
    rows += [{"a": n, "b": -n} for n in range(10_000, 20_000)]  # a batch without labels
    rows.append({**tail, "label": "y"})
    (tmp_path / "train.json").write_text(json.dumps(rows))
    verdict, said = examined(tmp_path, train={"path": "train.json", "label": "label"})
    assert verdict is Verdict.UNDECIDED and said["rows-conflict"].data["groups"] == 1
    assert said["compared"].data["samples"] == 10_001

    rows[100] = {"a": 100, "b": float("nan"), "label": "x"}  # makes numbers of its batch floating
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    verdict, said = examined(tmp_path, train={"path": "train.jsonl", "label": "label"})
    assert said["rows-conflict"].data["groups"] == 1


@pytest.mark.parametrize("kind", ["idx", "npy"])
def test_samples_and_labels_in_files_of_their_own_are_told_as_not_examined(tmp_path: Path, kind: str) -> None:
    path = labelled_data.write(tmp_path, kind)
    verdict, said = examined(tmp_path, train={"path": path if (tmp_path / path).is_dir() else "."})
    assert verdict is Verdict.UNDECIDED and set(said) == {"not-examined"}
    assert said["not-examined"].data["kinds"] == kind


def test_one_of_a_thing_is_told_in_the_singular(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n},x\n" for n in range(40))
    (tmp_path / "train.csv").write_text(f"a,b,label\n{rows}3,3,y\n4,4,x\n")
    _, said = examined(tmp_path, train={"path": "train.csv"})
    texts = {code: probe.message(label_conflicts, code, one.data, Language.EN) for code, one in said.items()}
    assert "1 row occurs, otherwise equal, with more than one label" in texts["rows-conflict"]
    assert "1 of 42 samples duplicates another one" in texts["repeated"]
