"""Samples read back from files of every kind: what is shown as a picture, what as text, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image

from accucheck.errors import ReadError
from accucheck.readers import contents
from accucheck.readers.contents import Content, read
from accucheck.readers.labels import NoLabelField

GREY = np.arange(64, dtype=np.uint8).reshape(8, 8) * 3
COLOURS = np.stack([GREY, GREY[::-1], GREY.T])


def only(path: Path, kind: str, row: int = 0, label: str | None = None) -> Content:
    [(number, content)] = read(path, kind, label, [row])
    assert number == row
    return content


def columns(numbers: np.ndarray[Any, Any], name: str = "pixel{}") -> dict[str, list[float]]:
    return {name.format(place): [value] for place, value in enumerate(numbers.reshape(-1).tolist())}


@pytest.mark.parametrize(("pixels", "size"), [(GREY, (8, 8)), (COLOURS, (8, 8))], ids=["grey", "colours"])
def test_pixels_in_columns_of_their_own_are_a_picture(pixels: np.ndarray[Any, Any], size: Any, tmp_path: Path) -> None:
    path = tmp_path / "digits.csv"
    pl.DataFrame({"label": [4], **columns(pixels)}).write_csv(path)
    content = only(path, "csv")
    assert content.label == "4" and content.size == size and not content.fields


@pytest.mark.parametrize(
    "row",
    [
        columns(np.arange(50)),  # no square
        columns(GREY) | {"pixel3": ["dark"]},
        {**columns(GREY), **{name: [1.0] for name in "abcdefghij"}},  # too much that is no pixel
        columns(GREY[:4]),
    ],
    ids=["no square", "a word", "other columns", "few"],
)
def test_columns_that_are_no_picture_stay_fields(row: dict[str, list[Any]], tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    pl.DataFrame({"label": [4], **row}).write_csv(path)
    content = only(path, "csv")
    assert content.picture is None and len(content.fields) == len(row)


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (GREY.tolist(), (8, 8)),
        (GREY.reshape(-1).tolist(), (8, 8)),
        (COLOURS.tolist(), (8, 8)),
        (COLOURS.reshape(-1).tolist(), (8, 8)),
        (list(range(65)), None),
        ([[1, 2], [3]], None),
        (["a", "b"], None),
        ([], None),
    ],
    ids=["rows", "flat", "colours", "flat colours", "no square", "ragged", "words", "empty"],
)
def test_lists_in_a_row(value: list[Any], size: tuple[int, int] | None, tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_text(json.dumps({"label": "cat", "image": value}) + "\n", encoding="utf-8")
    content = only(path, "ndjson")
    assert content.label == "cat" and content.size == size
    assert [name for name, _ in content.fields] == ([] if size else ["image"])


@pytest.mark.parametrize(
    ("sides", "data", "size"),
    [
        ({"height": 8, "width": 8}, GREY.tobytes(), (8, 8)),
        ({"rows": 8, "cols": 8, "channels": 3}, np.moveaxis(COLOURS, 0, 2).tobytes(), (8, 8)),
        ({"height": 9, "width": 8}, GREY.tobytes(), None),
        ({"height": -8, "width": -8}, GREY.tobytes(), None),
        ({}, GREY.tobytes(), (8, 8)),
        ({}, COLOURS.tobytes(), (8, 8)),
        ({}, bytes(range(200, 251)), None),
    ],
)
def test_raw_bytes(sides: dict[str, int], data: bytes, size: tuple[int, int] | None, tmp_path: Path) -> None:
    path = tmp_path / "raw.parquet"
    pl.DataFrame({"label": [1], "image": [data], **{name: [side] for name, side in sides.items()}}).write_parquet(path)
    content = only(path, "parquet")
    assert content.size == size
    assert ("image" in dict(content.fields)) == (size is None)


def test_labels_and_plain_fields_without_pictures(tmp_path: Path) -> None:
    path = tmp_path / "raw.parquet"
    pl.DataFrame({"label": [1], "image": [GREY.tobytes()], "x": [2.5]}).write_parquet(path)
    [(_, content)] = read(path, "parquet", None, [0], pictures=False)
    assert content.label == "1" and content.picture is None and dict(content.fields)["x"] == "2.5"


def test_a_single_file_is_looked_for_at_least(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    with pytest.raises(ReadError) as raised:
        list(read(path, "image", None, [-1], pictures=False))
    assert raised.value.code == "not-found"
    Image.fromarray(GREY).save(path)
    assert [(row, content.picture) for row, content in read(path, "image", None, [-1], pictures=False)] == [(-1, None)]
    assert only(path, "image", -1).size == (8, 8)


def test_a_picture_of_too_many_pixels_is_not_decoded(tmp_path: Path) -> None:
    path = tmp_path / "large.png"
    Image.new("1", (20_000, 5_001)).save(path)
    content = only(path, "image", -1)
    assert content.picture is None and content.problem is not None
    assert content.problem.data["problem"] == "20,000 x 5,001"


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "compressed"])
@pytest.mark.parametrize("shape", [(8, 8), (64,), (3,)], ids=["pictures", "squares", "numbers"])
def test_rows_of_arrays(packed: bool, shape: tuple[int, ...], tmp_path: Path) -> None:
    values = np.random.default_rng(1).integers(0, 256, (5_000, *shape), dtype=np.uint8)
    save: Any = np.savez_compressed if packed else np.savez
    save(tmp_path / "train.npz", x=values, y=np.arange(5_000))
    found = dict(read(tmp_path / "train.npz", "npz", None, [4_999, 0, 17, 6_000]))
    assert [(row, content.label) for row, content in found.items()] == [(0, "0"), (17, "17"), (4_999, "4999")]
    for row, content in found.items():
        if shape == (3,):
            assert [name for name, _ in content.fields] == ["x"]
            assert all(str(number) in content.fields[0][1] for number in values[row].tolist())
        else:
            assert content.picture is not None
            grey = np.asarray(content.picture)[:, :, 0]
            assert np.abs(grey.astype(int) - values[row].reshape(8, 8)).max() <= 1


def test_labels_without_samples_say_so(tmp_path: Path) -> None:
    np.save(tmp_path / "labels.npy", np.array([3, 1]))
    content = only(tmp_path / "labels.npy", "npy", 1)
    assert content.label == "1" and content.problem is not None and content.problem.code == "sample-alone"


def test_labels_by_a_column_for_each_class(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.zeros((2, 3), np.float32), y=np.array([[0, 1, 0], [1, 0, 1]]))
    assert [content.label for _, content in read(tmp_path / "a.npz", "npz", "y", [0, 1])] == ["1", "0, 2"]
    np.savez(tmp_path / "b.npz", x=np.zeros((2, 3), np.float32), y=np.array([[0.1, 0.9], [0.5, 0.5]]))
    with pytest.raises(NoLabelField):
        list(read(tmp_path / "b.npz", "npz", "y", [0]))
    np.savez(tmp_path / "c.npz", x=np.zeros((2, 3), np.float32), y=np.zeros((2, 2, 2), int))
    with pytest.raises(NoLabelField):
        list(read(tmp_path / "c.npz", "npz", "y", [0]))


@pytest.mark.parametrize(
    ("box", "drawn"),
    [([2.0, 2.0, 20.0, 20.0], True), ([1e9, 0.0, 1.0, 1.0], False), ([1.0, 2.0, 3.0], False), (None, False)],
    ids=["inside", "far away", "no box", "none"],
)
def test_the_box_of_an_annotation_is_drawn(box: list[float] | None, drawn: bool, tmp_path: Path) -> None:
    Image.new("RGB", (32, 32), "white").save(tmp_path / "a.png")
    annotation = {"id": 1, "image_id": 1, "category_id": 7} | ({} if box is None else {"bbox": box})
    (tmp_path / "coco.json").write_text(
        json.dumps(
            {
                "images": [{"id": 1, "file_name": "a.png", "width": 32, "height": 32}],
                "annotations": [annotation],
                "categories": [{"id": 7, "name": "cat"}],
            }
        ),
        encoding="utf-8",
    )
    content = only(tmp_path / "coco.json", "json")
    assert content.label == "cat" and content.picture is not None
    red = (np.asarray(content.picture) == (255, 0, 0)).all(axis=2)
    assert red.any() == drawn


def test_a_name_finds_the_file_with_the_longest_common_end(tmp_path: Path) -> None:
    for place in ("a/cats/1.png", "b/dogs/1.png"):
        (tmp_path / place).parent.mkdir(parents=True)
        Image.fromarray(GREY).save(tmp_path / place)
    contents._below.cache_clear()
    assert contents.find_picture("elsewhere/dogs/1.png", tmp_path) == tmp_path / "b/dogs/1.png"
    assert contents.find_picture("2.png", tmp_path) == tmp_path / "2.png"


def test_an_annotation_that_names_no_picture_shows_none(tmp_path: Path) -> None:
    Image.fromarray(GREY).save(tmp_path / "first.png")
    images = [{"id": 0, "file_name": "first.png"}]
    annotations = [{"id": 1, "category_id": 1}, {"id": 2, "category_id": 1, "image_id": 0}]
    content = {"images": images, "categories": [{"id": 1, "name": "cat"}], "annotations": annotations}
    (tmp_path / "a.json").write_text(json.dumps(content))
    without, named = (only(tmp_path / "a.json", "json", row) for row in (0, 1))
    assert without.label == named.label == "cat"
    assert without.picture is None and not without.fields and named.picture is not None
