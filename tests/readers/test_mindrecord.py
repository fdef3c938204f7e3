import gc
import sqlite3
import struct

import msgspec
import numpy as np
import pytest

from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding
from accucheck.probes import class_balance, label_conflicts, missing_values
from accucheck.readers.detect import detect
from accucheck.readers.mindrecord import open_shard, rows

pytestmark = pytest.mark.mindspore

SCHEMA = {
    "label": {"type": "int32"},
    "score": {"type": "float32"},
    "name": {"type": "string"},
    "feat": {"type": "float32", "shape": [-1]},
    "image": {"type": "bytes"},
    "ids": {"type": "int64", "shape": [-1]},
}


def sample(i):
    return {
        "label": i % 3,
        "score": i / 2,
        "name": f"n{i}",
        "feat": np.arange(i + 1, dtype=np.float32),
        "image": bytes(i),
        "ids": np.arange(3),
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    from mindspore.mindrecord import FileWriter

    folder = tmp_path_factory.mktemp("mindrecord")
    for name, shards, schema in (
        ("one.mindrecord", 1, SCHEMA),
        ("many.mindrecord", 3, SCHEMA),
        ("blob.mindrecord", 1, {"x": {"type": "float32", "shape": [-1]}, "y": {"type": "int64"}}),
        ("plain.mindrecord", 1, {"y": {"type": "float32"}, "s": {"type": "string"}}),
    ):
        writer = FileWriter(str(folder / name), shard_num=shards, overwrite=True)
        writer.add_schema(schema, "test")
        if schema is SCHEMA:
            writer.write_raw_data([sample(i) for i in range(10)])
        elif "x" in schema:
            writer.write_raw_data([{"x": np.array([i, np.nan], np.float32), "y": i} for i in range(3)])
        else:
            writer.write_raw_data([{"y": float(i), "s": "q"} for i in range(3)])
        writer.commit()
    return folder


def copy(made, tmp_path, name="one.mindrecord"):
    for ending in ("", ".db"):
        (tmp_path / (name + ending)).write_bytes((made / (name + ending)).read_bytes())
    return tmp_path / name


def refused(path):
    with pytest.raises(ReadError) as error:
        list(rows(open_shard(path)))
    assert path.name in str(error.value)
    return error.value.code


def test_rows_as_written(made):
    shard = open_shard(made / "one.mindrecord")
    assert detect(shard.path) == "mindrecord"
    assert shard.rows == 10
    for i, (scalars, blobs) in enumerate(rows(shard)):
        expected = sample(i)
        assert (scalars["label"], scalars["score"], scalars["name"]) == (i % 3, i / 2, f"n{i}")
        assert np.frombuffer(blobs["feat"], np.float32).tolist() == expected["feat"].tolist()
        assert blobs["image"] == expected["image"]


@pytest.mark.filterwarnings("error")
def test_stopping_half_way_is_no_fault(made):
    read = rows(open_shard(made / "one.mindrecord"))
    assert next(read)
    read.close()
    del read
    gc.collect()


def test_all_shards_together_hold_every_row(made):
    shards = [open_shard(made / f"many.mindrecord{i}") for i in range(3)]
    assert sum(shard.rows for shard in shards) == 10
    names = {scalars["name"] for shard in shards for scalars, _ in rows(shard)}
    assert names == {f"n{i}" for i in range(10)}


def test_one_blob_field_and_none(made):
    blobs = [np.frombuffer(blob["x"], np.float32)[0] for _, blob in rows(open_shard(made / "blob.mindrecord"))]
    assert blobs == [0, 1, 2]
    assert [s["y"] for s, _ in rows(open_shard(made / "plain.mindrecord"))] == [0, 1, 2]


def test_truncated_within_pages_and_header(made, tmp_path):
    path = copy(made, tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[:-10])
    assert refused(path) == "truncated"
    path.write_bytes(data[:300])
    assert refused(path) == "truncated"
    path.write_bytes(data[:3])
    assert refused(path) == "truncated"


def test_companions_that_are_missing_or_damaged(made, tmp_path):
    path = copy(made, tmp_path)
    database = path.with_name("one.mindrecord.db")
    database.write_bytes(b"not a database" * 100)
    assert refused(path) == "malformed"
    database.unlink()
    assert refused(path) == "not-found"


def test_a_set_that_lacks_a_shard(made, tmp_path):
    path = copy(made, tmp_path, "many.mindrecord0")
    with pytest.raises(ReadError) as error:
        open_shard(path)
    assert error.value.code == "not-found"
    assert "many.mindrecord1" in str(error.value)


@pytest.mark.parametrize("offsets", ["-5, 3", "0, 999999999999", "'a', 'b'", "0, 9"])
def test_hostile_offsets(made, tmp_path, offsets):
    path = copy(made, tmp_path)
    start, end = offsets.split(", ")
    with sqlite3.connect(path.with_name(path.name + ".db")) as database:
        database.execute(f"UPDATE INDEXES SET PAGE_OFFSET_BLOB={start}, PAGE_OFFSET_BLOB_END={end} WHERE ROW_ID=2")
    assert refused(path) in ("malformed", "truncated")


def test_another_version_and_a_foreign_header(made, tmp_path):
    path = copy(made, tmp_path)
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"version":"3.0"', b'"version":"9.9"'))
    assert refused(path) == "malformed"
    path.write_bytes(struct.pack("<Q", 4) + b"null" + data[12:])
    assert refused(path) == "malformed"


def of_version(made, tmp_path, version):
    """A real file that says it is of another version; MindSpore 2.10 reads 2.0 and 3.0 alike."""
    path = copy(made, tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"version":"3.0"', b'"version":"' + version + b'"'))
    return path


def found(module, path):
    spec = msgspec.convert({"data": {"train": {"path": path.name, "label": "label"}}}, CaseFile)
    events = module.run(Case(str(path.parent), spec), module.Params())
    return {event.code: event for event in events if isinstance(event, Finding)}


def test_another_version_is_read_by_mindspore(made, tmp_path):
    path = of_version(made, tmp_path, b"2.0")
    with pytest.raises(ReadError, match="version"):
        open_shard(path)
    assert found(class_balance, path)["classes"].data["samples"] == 10
    said = found(missing_values, path)
    assert said["examined"].data["cells"] >= 40
    assert said["empty-text"].where.field == "image", "the first image has no bytes"
    assert found(label_conflicts, path)["compared"].data["samples"] == 10


def test_a_version_that_mindspore_does_not_know_either_is_not_examined(made, tmp_path):
    said = found(missing_values, of_version(made, tmp_path, b"9.9"))
    assert set(said) == {"unreadable"} and said["unreadable"].incomplete
    assert said["unreadable"].data["error"] == "not-by-mindspore"


def test_without_mindspore_another_version_is_not_examined(made, tmp_path, monkeypatch):
    (tmp_path / "path").mkdir()
    (tmp_path / "path/mindspore.py").write_text("raise ImportError('none here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "path"))
    said = found(missing_values, of_version(made, tmp_path, b"2.0"))
    assert said["unreadable"].data["error"] == "needs-mindspore" and said["unreadable"].incomplete
    assert "accucheck[mindspore]" in said["unreadable"].data["problem"]["en"]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW INDEXES AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS ROW_ID FROM c",
        "CREATE TABLE INDEXES (ROW_ID INT, PAGE_ID_RAW INT AS (length(hex(zeroblob(400000000)))))",
        "CREATE TABLE OTHER (ROW_ID INT)",
    ],
)
def test_an_index_that_is_a_program_is_not_run(made, tmp_path, statement):
    path = copy(made, tmp_path)
    with sqlite3.connect(path.with_name(path.name + ".db")) as database:
        database.execute("ALTER TABLE INDEXES RENAME TO KEPT")
        database.execute(statement)
    assert refused(path) == "malformed"


def test_an_index_whose_names_are_no_text(made, tmp_path):
    path = copy(made, tmp_path)
    database = path.with_name(path.name + ".db")
    database.write_bytes(database.read_bytes().replace(b"CREATE TABLE INDEXES", b"CREATE \xffABLE INDEXES"))
    assert refused(path) == "malformed"
