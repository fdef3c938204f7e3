"""Formats are told by content: names that lie, lack or are missing change nothing."""

import gzip
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

from accucheck.errors import ReadError
from accucheck.readers import tables
from accucheck.readers.detect import detect
from accucheck.readers.places import plain

TABLE = pl.DataFrame({"x": list(range(30)), "name": [f"n{n}" for n in range(30)], "label": [n % 3 for n in range(30)]})


def made(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_tables_under_other_names(tmp_path: Path) -> None:
    csv = TABLE.write_csv()
    for name in ("a.txt", "a.data", "a"):
        assert detect(made(tmp_path, name, csv)) == "csv"
    TABLE.write_parquet(tmp_path / "part-0")
    TABLE.write_parquet(tmp_path / "b.csv")
    assert detect(tmp_path / "part-0") == detect(tmp_path / "b.csv") == "parquet"
    lines = "".join(json.dumps(row) + "\n" for row in TABLE.to_dicts())
    for name in ("a.json", "b.txt", "b"):
        assert detect(made(tmp_path, name, lines)) == "ndjson"
    array = json.dumps(TABLE.to_dicts(), indent=1)
    path = made(tmp_path, "array.json", array)
    assert detect(path) == "jsonarray"
    assert pl.concat(list(tables.batches(path, "jsonarray"))).equals(TABLE)
    assert detect(made(tmp_path, "one.json", '{"a": [{"b": 1}]}')) == "other"


def test_arrays_and_images_under_other_names(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.eye(3))
    assert detect((tmp_path / "a.npz").rename(tmp_path / "a.dat")) == "npz"
    np.save(tmp_path / "a.npy", np.eye(3))
    assert detect((tmp_path / "a.npy").rename(tmp_path / "a")) == "npy"
    idx = b"\0\0\x08\x03" + b"".join(side.to_bytes(4, "big") for side in (5, 28, 28)) + bytes(5 * 28 * 28)
    assert detect(made(tmp_path, "mnist.dat", idx)) == "idx"
    assert detect(made(tmp_path, "longer.dat", idx + b"\0")) == "other"
    for form in ("PNG", "JPEG", "BMP", "GIF", "WEBP", "TIFF"):
        Image.radial_gradient("L").save(tmp_path / "picture", form)
        assert detect(tmp_path / "picture") == "image", form


@pytest.mark.parametrize("kind", ["csv", "ndjson", "idx", "text", "jsonarray"])
def test_compressed_files_are_what_they_hold(kind: str, tmp_path: Path) -> None:
    contents = {
        "csv": TABLE.write_csv().encode(),
        "ndjson": TABLE.write_ndjson().encode(),
        "jsonarray": json.dumps(TABLE.to_dicts()).encode(),
        "text": b"a sentence\nanother one\n" * 20_000,
        "idx": b"\0\0\x08\x01" + (90).to_bytes(4, "big") + bytes(90),
    }
    name = {"idx": "train-labels-idx1-ubyte.gz", "text": "a.txt.gz", "jsonarray": "a.json.gz"}.get(kind, f"a.{kind}.gz")
    half = len(contents[kind]) // 2
    members = gzip.compress(contents[kind][:half]) + gzip.compress(contents[kind][half:]) + bytes(512)
    path = made(tmp_path, name, members)
    assert detect(path) == kind
    with plain(path, kind) as copy:
        assert copy.read_bytes() == contents[kind]
    assert not copy.exists()


def test_compressed_files_that_are_damaged(tmp_path: Path) -> None:
    packed = gzip.compress(np.random.default_rng(0).integers(32, 127, 300_000).astype(np.uint8).tobytes())
    for content, code in ((packed[:-9], "truncated"), (packed[:200_000] + b"x" + packed[200_001:], "checksum")):
        path = made(tmp_path, "a.txt.gz", content)
        with pytest.raises(ReadError) as caught, plain(path, "text"):
            pass
        assert caught.value.code == code and caught.value.data["path"] == str(path)


def test_a_bomb_is_refused_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from accucheck.readers import places

    monkeypatch.setattr(places, "_LARGE", 1 << 20)
    path = made(tmp_path, "a.csv.gz", gzip.compress(bytes(200 << 20)))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(places.tempfile, "tempdir", str(tmp_path))
    with pytest.raises(ReadError) as caught, plain(path, "csv"):
        pass
    assert caught.value.code == "inflates"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.csv.gz"]


def test_an_error_within_a_copy_names_the_file(tmp_path: Path) -> None:
    path = made(tmp_path, "a.csv.gz", gzip.compress(b"a,b\n1,2\n3\n"))
    with pytest.raises(ReadError) as caught, plain(path, detect(path)) as copy:
        list(tables.batches(copy, "csv"))
    assert caught.value.data["path"] == str(path) and caught.value.data["line"] == 3
