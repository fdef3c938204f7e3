"""Samples drawn by label, and read back, from real files of every format."""

import os
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

from accucheck.errors import ReadError
from accucheck.readers import contents, drawing
from accucheck.readers.contents import Content, picture_of, read
from accucheck.readers.detect import detect
from accucheck.readers.drawing import Drawing, allotted, labels_of
from accucheck.readers.labels import NoLabelField
from labelled_data import COUNT, FORMATS, IMAGES, LABELS, mindrecord, photographs, png, tfrecord, write

COUNTS = Counter(str(label) for label in LABELS)


def one_file(folder: Path, kind: str) -> tuple[Path, str]:
    """The file that holds the labels, and its kind."""
    place = folder / write(folder, kind)
    if place.is_dir():
        names = {
            "npy": "labels.npy",
            "idx": "train-labels-idx1-ubyte",
            "listed": "labels.csv",
            "coco": "instances.json",
        }
        place = place / names[kind]
    return place, "json" if kind == "coco" else detect(place)


def in_order(path: Path, kind: str, label: str | None = None) -> list[str | None]:
    return [labels[code] for codes, labels in labels_of(path, kind, label) for code in codes]


TABULAR = [kind for kind in FORMATS if kind != "folders"] + [pytest.param("mindrecord", marks=pytest.mark.mindspore)]


@pytest.mark.parametrize("kind", TABULAR)
def test_labels_come_in_the_order_of_the_samples_and_are_read_back_with_the_picture(kind: str, tmp_path: Path) -> None:
    path, form = one_file(tmp_path, kind)
    assert in_order(path, form) == [str(label) for label in LABELS]
    rows = [0, 7, 131, COUNT - 1, COUNT]
    found = dict(read(path, form, None, rows))
    assert list(found) == rows[:-1], "a row beyond the end does not come"
    for row, content in found.items():
        assert content.label == str(LABELS[row]) and content.problem is None
        assert content.picture is not None and content.picture.mode == "RGB"
        if kind != "coco":
            levels = np.asarray(content.picture.resize((8, 8), Image.Resampling.BOX))[:, :, 0].astype(float)
            assert np.corrcoef(levels.ravel(), IMAGES[row].ravel())[0, 1] > 0.999
    without = dict(read(path, form, None, rows, pictures=False))
    assert {row: one.label for row, one in without.items()} == {row: one.label for row, one in found.items()}
    assert all(one.picture is None for one in without.values())


def draw(
    labels: list[str | None], seed: int = 0, count: int = 50, block: int = 1000, name: str = "a"
) -> drawing.StratifiedSample:
    drawing_ = Drawing(seed, count)
    for start in range(0, len(labels), block):
        drawing_.add(0, name, start, drawing.coded(labels[start : start + block]))
    return drawing_.drawn()


def test_every_label_once_and_the_rest_in_proportion() -> None:
    labels = ["common"] * 9000 + ["some"] * 900 + ["rare"] * 99 + ["one"]
    found = draw(labels)
    counts = Counter(label for _, _, label in found.samples)
    assert sum(counts.values()) == 50 and counts["one"] == 1
    # one each, then of 46: 41.4, 4.14 and 0.46, the largest remainder up
    assert (counts["common"], counts["some"], counts["rare"]) == (42, 5, 2)
    assert len({row for _, row, _ in found.samples}) == 50, "without replacement"
    assert all(labels[row] == label for _, row, label in found.samples)
    assert found.strata == {"common": 9000, "some": 900, "rare": 99, "one": 1} and found.labelled == 10_000


def test_the_same_seed_draws_the_same_whatever_the_blocks_and_another_does_not() -> None:
    labels = [str(number % 7) for number in range(5000)]
    first = draw(labels)
    assert draw(labels, block=37).samples == first.samples
    assert draw(labels, seed=1).samples != first.samples and draw(labels, name="b").samples != first.samples
    more = draw([*labels, *labels[:50]])
    assert len(set(more.samples) & set(first.samples)) >= 45, "a few more rows change the plan a little only"


def test_each_sample_is_drawn_equally_often() -> None:
    hits = Counter(row for seed in range(400) for _, row, _ in draw(["a"] * 100 + ["b"] * 100, seed, 20).samples)
    expected = 400 * 20 / 200
    assert (
        sum((hits[row] - expected) ** 2 / expected for row in range(200)) < 200 + 5 * 20
    )  # chi-square, mean 199, sd 20


def test_of_many_labels_twenty_are_drawn_first_and_what_is_no_class_is_one_stratum() -> None:
    found = draw([str(number % 1000) for number in range(50_000)])
    assert found.labels == 1000 and len(found.strata) == 20 and len(found.samples) == 50
    assert {label for _, _, label in found.samples} == set(found.strata)
    found = draw([f"{number / 7:.3f}" for number in range(5000)])
    assert not found.strata and len(found.samples) == 50 and found.labels == 5000


def test_samples_without_a_label_are_counted_and_not_drawn() -> None:
    found = draw([*["a", None, "", float("nan")] * 30, "b"])
    assert found.missing == 90 and found.labelled == 31 and Counter(one[2] for one in found.samples)["b"] == 1
    assert not draw([None] * 10).samples and not draw([]).samples


def test_fewer_samples_than_asked_for() -> None:
    found = draw(["a", "b", "b"], count=50)
    assert [(row, label) for _, row, label in found.samples] == [(0, "a"), (1, "b"), (2, "b")]
    assert len(draw([str(n) for n in range(15)] * 2, count=3).samples) == 15, "every label once all the same"


def test_allotting() -> None:
    assert allotted([100, 100, 100], 9) == [3, 3, 3]
    assert allotted([1, 1, 1000], 10) == [1, 1, 8]
    assert allotted([3, 3], 50) == [3, 3]
    for seed in range(50):
        generator = np.random.default_rng(seed)
        sizes = generator.integers(1, 200, generator.integers(1, 20)).tolist()
        parts = allotted(sizes, 50)
        assert sum(parts) == min(50, sum(sizes)) and all(
            1 <= part <= size for part, size in zip(parts, sizes, strict=True)
        )


def test_pictures_in_folders(tmp_path: Path) -> None:
    names = [f"train/{'ab'[n % 2]}/{n}.png" for n in range(100)]
    one, other = Drawing(0, 10), Drawing(0, 10)
    one.add_files(names, 0, [name.split("/")[1] for name in names])
    backwards = names[::-1]
    other.add_files(backwards, 0, [name.split("/")[1] for name in backwards])
    first = {names[file] for file, _, _ in one.drawn().samples}
    assert first == {backwards[file] for file, _, _ in other.drawn().samples} and len(first) == 10


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "1", "I;16", "CMYK", "LA"])
def test_pictures_of_every_mode(mode: str, tmp_path: Path) -> None:
    photograph = photographs()[0]
    made = (
        photograph.convert("L").point(lambda level: level * 250, "I").convert("I;16")
        if mode == "I;16"
        else photograph.convert(mode)
    )
    path = tmp_path / ("a.jpg" if mode == "CMYK" else "a.png")
    made.save(path)
    ((_, content),) = read(path, "image", None, [-1])
    assert content.problem is None and content.size == (640, 427) and content.picture.mode == "RGB"
    likeness = np.corrcoef(
        np.asarray(content.picture.convert("L")).ravel(), np.asarray(photograph.convert("L")).ravel()
    )[0, 1]
    assert likeness > (0.5 if mode == "1" else 0.95)


def test_a_large_picture_is_made_small_and_a_bomb_is_refused(tmp_path: Path) -> None:
    Image.new("RGB", (4000, 3000), "red").save(tmp_path / "a.jpg")
    ((_, content),) = read(tmp_path / "a.jpg", "image", None, [-1])
    assert content.size == (4000, 3000) and max(content.picture.size) == contents.SIDE
    Image.new("1", (20_000, 20_000)).save(tmp_path / "bomb.png")
    ((_, content),) = read(tmp_path / "bomb.png", "image", None, [-1])
    assert content.picture is None and content.problem.code == "picture" and "400000000" in str(content.problem)


@pytest.mark.parametrize("damage", ["cut", "noise", "empty", "gone"])
def test_a_damaged_picture_says_what_is_wrong(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    whole = png(IMAGES[0] * 15)
    path.write_bytes({"cut": whole[:60], "noise": os.urandom(500), "empty": b"", "gone": b""}[damage])
    if damage == "gone":
        path.unlink()
    ((_, content),) = read(path, "image", None, [-1])
    assert content.picture is None and isinstance(content.problem, ReadError)
    assert content.problem.code == ("not-found" if damage == "gone" else "picture")


def test_shapes_of_arrays() -> None:
    photograph = np.asarray(photographs()[1])
    for array in (
        photograph,
        photograph.transpose(2, 0, 1),
        photograph[:, :, 0],
        photograph[:, :, :1],
        photograph[None, :, :, 1],
    ):
        image = picture_of(array)
        assert image is not None and image.size == (640, 427), array.shape
    normalized = (photograph / 255 - 0.5) / 0.25
    assert np.corrcoef(np.asarray(picture_of(normalized)).ravel(), photograph.ravel())[0, 1] > 0.999
    assert picture_of(np.full((9, 9), np.nan)) is not None
    for array in (np.zeros((2, 2)), np.zeros(64), np.zeros((4, 9, 9)), np.zeros((0, 9)), np.array([["a"] * 9] * 9)):
        assert picture_of(array) is None


def test_rows_and_texts(tmp_path: Path) -> None:
    pl.DataFrame(
        {"text": ["[red]good[/] \x1b[31m film", "bad " * 5000], "stars": [5, None], "label": ["pos", "neg"]}
    ).write_parquet(tmp_path / "a.parquet")
    found = dict(read(tmp_path / "a.parquet", "parquet", None, [0, 1]))
    assert found[0] == Content("pos", [("text", "[red]good[/] \x1b[31m film"), ("stars", "5")])
    assert len(found[1].fields[0][1]) == contents.CHARACTERS and found[1].fields[1] == ("stars", "")


def test_pictures_in_parquet_as_hugging_face_writes_them(tmp_path: Path) -> None:
    rows = [{"bytes": png(x * 15), "path": f"{n}.png"} for n, x in enumerate(IMAGES[:30])]
    pl.DataFrame({"image": rows, "label": LABELS[:30]}).write_parquet(tmp_path / "a.parquet")
    ((_, content),) = read(tmp_path / "a.parquet", "parquet", None, [11])
    assert content.size == (8, 8) and content.label == str(LABELS[11])


def test_raw_pixels_of_a_record_take_its_sides(tmp_path: Path) -> None:
    photograph = np.asarray(photographs()[0].resize((60, 40)))
    row = {"image_raw": photograph.tobytes(), "height": 40, "width": 60, "depth": 3, "label": 1}
    tfrecord(tmp_path / "a.tfrecord", [row, {**row, "height": 7}])
    found = dict(read(tmp_path / "a.tfrecord", "tfrecord", None, [0, 1]))
    assert np.array_equal(np.asarray(found[0].picture), photograph)
    assert found[1].picture is None and ("image_raw", "(7,200 bytes)") in found[1].fields


def test_a_picture_that_is_named_and_not_there(tmp_path: Path) -> None:
    place = tmp_path / write(tmp_path, "listed")
    (place / "img" / "3.png").unlink()
    found = dict(read(place / "labels.csv", "csv", None, [2, 3]))
    assert found[2].picture is not None and found[3].problem.code == "not-found" and "3.png" in str(found[3].problem)


def test_several_labels_are_one(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"labels": ["b", "a"]}\n{"labels": []}\n{"x": 1}\n{"labels": ["c"]}\n')
    assert in_order(tmp_path / "a.jsonl", "ndjson") == ["b, a", None, None, "c"]
    np.save(tmp_path / "labels.npy", np.array([[1, 1, 0], [0, 0, 0], [0, 0, 1]]))
    assert in_order(tmp_path / "labels.npy", "npy") == ["0, 1", None, "2"]


def test_texts_of_one_value_are_one_label(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,label\n" + "".join(f"1,{cell}\n" for cell in ("3", "3.0", " 3 ", "", "4", "")))
    assert in_order(tmp_path / "a.csv", "csv") == ["3", "3", "3", None, "4", None]


def test_labels_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / write(tmp_path, "csv")
    for act in (lambda: in_order(path, "csv", "kind"), lambda: dict(read(path, "csv", "kind", [0]))):
        with pytest.raises(NoLabelField):
            act()


@pytest.mark.mindspore
def test_a_field_of_mindrecord_that_is_not_in_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from accucheck.readers import mindrecord as reader

    mindrecord(tmp_path / "a.mindrecord")
    monkeypatch.setattr(reader, "_indexed", lambda *_: None)
    assert in_order(tmp_path / "a.mindrecord", "mindrecord") == [str(label) for label in LABELS]
    ((_, content),) = read(tmp_path / "a.mindrecord", "mindrecord", None, [5])
    assert ("box", "5 5 5 5") in content.fields or any(name == "box" for name, _ in content.fields)
