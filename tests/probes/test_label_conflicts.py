"""Labels that contradict each other, planted in real data sets of every format."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest
from PIL import Image
from sklearn.datasets import load_digits, load_wine

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.model import Finding, Language, Sure, Table, Verdict, suggest
from accucheck.probes import label_conflicts


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
