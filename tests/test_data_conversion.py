"""accucheck convert of TFRecord: MindSpore and our own reader find the same values, bit by bit; bad input loses nothing."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accucheck import data_conversion, mindrecord_writer
from accucheck.errors import ReadError, UserError
from accucheck.mindrecord_writer import packed
from accucheck.readers import mindrecord
from command_line import accucheck
from tfrecord_files import example, write

WHOLE = [0, -1, 127, 128, -129, 32767, 32768, -(1 << 31), 1 << 31, (1 << 63) - 1, -(1 << 63)]


def made(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    return write(path, [example(**row) for row in rows])


def converted(source: Path, output: Path) -> mindrecord.Shard:
    data_conversion.convert(data_conversion.sources(source), output, lambda done, total: None)
    return mindrecord.open_shard(output)


def some(count: int, seed: int = 0) -> list[dict[str, Any]]:
    random = np.random.default_rng(seed)
    return [
        {
            "image": random.bytes(int(random.integers(0, 300))),
            "name": f"数{at}".encode(),
            "label": int(random.integers(-5, 5)),
            "score": float(np.float32(random.normal())),
            "box": random.normal(size=4).astype(np.float32),
            "ids": random.choice(WHOLE, int(random.integers(1, 60))).tolist(),
        }
        for at in range(count)
    ]


def test_our_reader_finds_every_value(tmp_path: Path) -> None:
    rows = some(300)
    shard = converted(made(tmp_path / "a.tfrecord", rows), tmp_path / "a.mindrecord")
    assert shard.rows == 300
    assert shard.types == {
        **dict.fromkeys(("image", "name"), "bytes"),
        **{"label": "int64", "score": "float32", "box": "float32", "ids": "int64"},
    }
    for row, (scalars, blobs) in zip(rows, mindrecord.rows(shard), strict=True):
        assert scalars == {"label": row["label"], "score": row["score"]}
        assert (blobs["image"], blobs["name"]) == (row["image"], row["name"])
        assert blobs["box"] == row["box"].tobytes()
        ids = mindrecord.integers(blobs["ids"], "int64")
        assert ids is not None and ids.tolist() == row["ids"]


@pytest.mark.parametrize("count", [1, 3, 4, 5, 24, 25, 100])
def test_packed_integers_are_read_back(count: int) -> None:
    values = (WHOLE * 10)[:count]
    for given in (values, np.array(values)):
        found = mindrecord.integers(packed(given), "int64")
        assert found is not None and found.tolist() == values


@pytest.mark.mindspore
def test_mindspore_finds_every_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over several pages of both kinds, in order, by shards and by classes."""
    import mindspore.dataset as ds
    from mindspore.mindrecord import FileWriter

    monkeypatch.setattr(mindrecord_writer, "PAGE", 1 << 15)
    monkeypatch.setattr(data_conversion, "PAGE", 1 << 15)
    rows = some(900)
    source = made(tmp_path / "a.tfrecord", rows)
    data_conversion.convert([source], tmp_path / "a.mindrecord", lambda done, total: None)
    data = ds.MindDataset(str(tmp_path / "a.mindrecord"), shuffle=False)
    for row, found in zip(rows, data.create_dict_iterator(num_epochs=1, output_numpy=True), strict=True):
        assert found["label"] == row["label"] and found["score"] == np.float32(row["score"])
        assert found["image"].tobytes() == (row["image"] or b"\0")  # MindSpore has no bytes of length 0
        assert found["name"].tobytes() == row["name"]
        assert found["box"].tobytes() == row["box"].tobytes()
        assert np.atleast_1d(found["ids"]).tolist() == row["ids"]
    shards = [ds.MindDataset(str(tmp_path / "a.mindrecord"), num_shards=3, shard_id=rank) for rank in range(3)]
    assert [one.get_dataset_size() for one in shards] == [300, 300, 300]
    labels = drawn_by_class(tmp_path / "a.mindrecord")
    assert len(labels) == 2 * len({row["label"] for row in rows})
    # MindSpore 2.10 draws two rows of each class on some runs of the machine and the first row again and again on others: what counts is
    # that it does the same with a file of its own.
    own = FileWriter(str(tmp_path / "own.mindrecord"))
    own.add_schema({"label": {"type": "int64"}}, "")
    own.add_index(["label"])
    own.write_raw_data([{"label": row["label"]} for row in rows])
    own.commit()
    assert labels == drawn_by_class(tmp_path / "own.mindrecord")


def drawn_by_class(path: Path) -> list[int]:
    """The labels of two rows of each class, as MindSpore draws them."""
    import mindspore.dataset as ds

    data = ds.MindDataset(str(path), ["label"], sampler=ds.PKSampler(2, class_column="label"))
    return [int(one["label"]) for one in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize("count", [3, 4])
def test_as_many_rows_as_are_indexed_together_are_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(mindrecord_writer, "TOGETHER", 2)
    shard = converted(made(tmp_path / "a.tfrecord", some(count)), tmp_path / "a.mindrecord")
    assert shard.rows == count and len(list(mindrecord.rows(shard))) == count


def test_what_later_records_show_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_conversion, "FIRST", 2)
    rows = [{"a": 1}, {"a": 2}, {"a": [3, 4]}, {"a": 5, "b": b"x"}]
    shard = converted(made(tmp_path / "a.tfrecord", rows), tmp_path / "a.mindrecord")
    found = [(mindrecord.integers(blobs["a"], "int64"), blobs["b"]) for _, blobs in mindrecord.rows(shard)]
    assert [(one.tolist(), other) for one, other in found if one is not None] == [
        ([1], b""), ([2], b""), ([3, 4], b""), ([5], b"x"),
    ]  # fmt: skip


def test_a_row_beyond_a_page_takes_larger_pages(tmp_path: Path) -> None:
    rows = [{"a": b"x" * 40_000_000, "b": 1}, {"a": b"y", "b": 2}]
    shard = converted(made(tmp_path / "a.tfrecord", rows), tmp_path / "a.mindrecord")
    assert shard.page_size == 64 << 20
    assert [blobs["a"] for _, blobs in mindrecord.rows(shard)] == [row["a"] for row in rows]


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([{"a": [b"x", b"y"]}], "field-of-several-bytes"),
        ([{"a": 1}, {"a": 1.5}], "field-kinds"),
        ([{"a": [1, 2]}, {"a": []}], "field-empty"),
        ([{"a": 1}, {"b": 1}], "field-empty"),
        ([{"a/b": 1, "a_b": 2}], "field-names"),
        ([], "no-records"),
    ],
)
def test_what_mindrecord_cannot_hold_is_refused(tmp_path: Path, rows: list[dict[str, Any]], code: str) -> None:
    source, output = made(tmp_path / "a.tfrecord", rows), tmp_path / "a.mindrecord"
    with pytest.raises(UserError) as caught:
        data_conversion.convert([source], output, lambda done, total: None)
    assert caught.value.code == code
    assert [path.name for path in tmp_path.iterdir()] == ["a.tfrecord"]


def test_a_file_cut_short_leaves_what_was_there(tmp_path: Path) -> None:
    source = made(tmp_path / "a.tfrecord", some(50))
    source.write_bytes(source.read_bytes()[:-7])
    (tmp_path / "a.mindrecord").write_text("mine")
    with pytest.raises(ReadError, match="truncated"):
        data_conversion.convert([source], tmp_path / "a.mindrecord", lambda done, total: None)
    assert (tmp_path / "a.mindrecord").read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"a.tfrecord", "a.mindrecord"}


def test_the_command_says_what_it_wrote(tmp_path: Path) -> None:
    folder = tmp_path / "shards"
    folder.mkdir()
    for name, rows in (("b.tfrecord-2", some(3, 1)), ("a.tfrecord-1", some(2))):
        made(folder / name, [{"image/encoded": row["image"], "label": row["label"]} for row in rows])
    output = tmp_path / "out.mindrecord"
    ran = accucheck("convert", folder, output, "--lang", "en")
    assert ran.code == 0, ran.err
    assert "5 rows with image_encoded (bytes), label (int64)" in ran.out
    assert "image/encoded → image_encoded" in ran.out
    again = accucheck("convert", folder, output, "--lang", "zh")
    assert again.code == 2 and "已存在" in again.err
    forced = accucheck("convert", folder, output, "--force", "--json")
    assert json.loads(forced.out)["rows"] == 5
    assert accucheck("convert", folder, output, "--force", "--to", "pytorch").code == 2
    wrong = accucheck("convert", tmp_path / "none", tmp_path / "b.mindrecord", "--lang", "en")
    assert wrong.code == 2 and "none" in wrong.err
