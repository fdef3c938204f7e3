"""TFRecord files, written with Google's protobuf and CRC-32C and read by MindSpore too: what both find is the same."""

import gzip
import struct
import tempfile
import zlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding
from accucheck.probes import class_balance, label_conflicts, missing_values
from accucheck.readers import tfrecord
from accucheck.readers.detect import detect
from accucheck.readers.places import plain
from tfrecord_files import example, masked, write


@pytest.fixture
def digits(tmp_path: Path) -> Path:
    found = load_digits()
    rows = zip(found.data.astype(np.float32), found.target, strict=True)
    records = [example(x=x, label=y, name=b"n%d" % y, ids=np.arange(y)) for x, y in rows]
    return write(tmp_path / "digits.tfrecord", records)


@pytest.mark.mindspore
def test_what_mindspore_reads_is_what_is_read(digits: Path) -> None:
    from mindspore.dataset import Schema, TFRecordDataset

    schema = Schema()
    schema.add_column("x", "float32", [64])
    schema.add_column("label", "int64", [1])
    data = TFRecordDataset(str(digits), schema, shuffle=False)
    theirs = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    ours = list(tfrecord.examples(digits))
    assert len(theirs) == len(ours) == 1797
    for mine, row in zip(ours, theirs, strict=True):
        assert np.array_equal(mine["x"][1], row["x"]) and mine["label"][1] == row["label"].tolist()


def test_all_kinds_of_features(digits: Path) -> None:
    assert detect(digits) == "tfrecord"
    first = next(tfrecord.examples(digits, {"name", "label"}))
    assert first == {"name": ("bytes", [b"n0"]), "label": first["label"]} and tfrecord.plain(first["label"]) == [0]
    big = [-(2**63), -1, 0, 1, 2**63 - 1, *range(-100, 1000, 7)]
    read = tfrecord.example(example(big=big, none=[], pair=[b"", b"\xff"], nan=[float("nan"), 1.5]))
    assert tfrecord.plain(read["big"]) == big and tfrecord.plain(read["none"]) == []
    assert tfrecord.plain(read["pair"]) == [b"", b"\xff"] and np.isnan(read["nan"][1][0])
    assert abs(tfrecord.expected_records(digits) - 1797) < 200


def test_unpacked_numbers_and_unknown_fields() -> None:
    """As older writers leave them."""
    floats = b"\x0d" + struct.pack("<f", 1.5) + b"\x0d" + struct.pack("<f", -2)
    ints = b"\x08\x05\x08\x07"
    for tag, values, expected in ((0x12, floats, [1.5, -2.0]), (0x1A, ints, [5, 7])):
        feature = bytes([tag, len(values)]) + values
        entry = b"\x0a\x01a" + b"\x12" + bytes([len(feature)]) + feature
        features = b"\x0a" + bytes([len(entry)]) + entry + b"\x10\x01"
        record = b"\x0a" + bytes([len(features)]) + features + b"\x1d\0\0\0\0"
        assert tfrecord.plain(tfrecord.example(record)["a"]) == expected


@pytest.mark.parametrize(("place", "code"), [(3, "record-checksum"), (40, "record-checksum"), (-1, "record-checksum")])
def test_a_changed_byte_is_found(digits: Path, place: int, code: str) -> None:
    data = bytearray(digits.read_bytes())
    data[place] ^= 1
    digits.write_bytes(data)
    with pytest.raises(ReadError) as caught:
        list(tfrecord.records(digits))
    assert caught.value.code == code and detect(digits) == "tfrecord", "told by its name where the head is damaged"


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_file_cut_short(digits: Path, cut: int) -> None:
    digits.write_bytes(digits.read_bytes()[:-cut])
    with pytest.raises(ReadError) as caught:
        list(tfrecord.records(digits))
    assert caught.value.code == "truncated"


def test_records_that_are_no_examples(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tfrecord", [b"\x0a\x05hello", b"x" * 50])
    with pytest.raises(ReadError) as caught:
        list(tfrecord.examples(path))
    assert caught.value.code == "malformed"


def test_a_length_that_no_record_has_is_refused_before_it_is_read(tmp_path: Path) -> None:
    head = struct.pack("<Q", 1 << 60)
    (tmp_path / "a.tfrecord").write_bytes(head + masked(head) + b"x" * 100)
    with pytest.raises(ReadError) as caught:
        list(tfrecord.records(tmp_path / "a.tfrecord"))
    assert caught.value.code == "record-too-large" and caught.value.data["offset"] == 0


@given(st.binary(max_size=200))
def test_any_bytes_are_an_example_or_refused(data: bytes) -> None:
    try:
        tfrecord.example(data)
    except (ValueError, IndexError):
        pass


@given(st.data())
def test_a_changed_example_is_read_or_refused(data: st.DataObject) -> None:
    record = bytearray(example(x=[1.0, 2.0, 3.0], y=list(range(-5, 90)), z=[b"abc", b""]))
    for _ in range(data.draw(st.integers(1, 4))):
        record[data.draw(st.integers(0, len(record) - 1))] = data.draw(st.integers(0, 255))
    try:
        tfrecord.example(bytes(record))
    except (ValueError, IndexError):
        pass


def found(probe: Any, root: Path, path: str) -> dict[str, Finding]:
    case = Case(str(root), msgspec.convert({"data": {"train": {"path": path, "label": "label"}}}, CaseFile))
    events = probe.run(case, probe.Params())
    return {event.code: event for event in events if isinstance(event, Finding)}


def test_the_probes_of_the_data_set_read_it(digits: Path, tmp_path: Path) -> None:
    assert set(found(missing_values, tmp_path, "digits.tfrecord")) == {"examined"}
    said = found(class_balance, tmp_path, "digits.tfrecord")
    assert said["classes"].data["samples"] == 1797 and said["classes"].data["classes"] == 10
    assert set(found(label_conflicts, tmp_path, "digits.tfrecord")) == {"compared"}

    faulty = load_digits().data.astype(np.float32)
    faulty[5, 3] = np.nan
    rows = [example(x=x, label=y % 3, age=20.0 + y) for y, x in enumerate(faulty[:600])]
    rows += [
        example(x=faulty[0], label=1, age=20.0),
        example(x=faulty[1], label=2, age=float("nan")),
        example(x=[], label=[]),
    ]
    write(tmp_path / "bad.tfrecord", rows)
    said = found(missing_values, tmp_path, "bad.tfrecord")
    assert said["nan-values"].data["count"] == 2 and said["nan-values"].data["fields"] == 2
    assert "null-values" in said, "the last has neither age nor label"
    assert found(class_balance, tmp_path, "bad.tfrecord")["unlabelled"].data["count"] == 1
    conflict = found(label_conflicts, tmp_path, "bad.tfrecord")["conflict"]
    assert conflict.data["groups"] == 1 and conflict.data["count"] == 2


def test_compressed_files_are_read(digits: Path, tmp_path: Path) -> None:
    """As TFRecordDataset does with compression_type GZIP and ZLIB."""
    content = digits.read_bytes()
    for name, packed in (("a.tfrecord", gzip.compress(content)), ("b.tfrecord", zlib.compress(content))):
        (tmp_path / name).write_bytes(packed)
        assert detect(tmp_path / name) == "tfrecord"
        assert set(found(missing_values, tmp_path, name)) == {"examined"}
        assert found(class_balance, tmp_path, name)["classes"].data["samples"] == 1797
        assert set(found(label_conflicts, tmp_path, name)) == {"compared"}


def test_a_record_whose_length_reads_like_gzip_is_not_inflated(tmp_path: Path) -> None:
    size = 0x088B1F
    path = write(tmp_path / "a.tfrecord", [example(x=bytes(2 * size - len(example(x=bytes(size)))))])
    assert path.read_bytes()[:3] == b"\x1f\x8b\x08"
    assert detect(path) == "tfrecord"
    with plain(path, "tfrecord") as same:
        assert same == path


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 3), st.integers(0, 300)), min_size=1, max_size=30)
)
def test_records_that_look_alike_are_each_read_as_they_are(chosen: list[tuple[str, int, int]]) -> None:
    """Of one length and different layouts, or the other way round: the layouts that are remembered change nothing."""
    made = []
    for name, size, number in chosen:
        first = {name: b"x" * size, name * 2: b"y" * (3 - size)}
        made.append(example(**first, n=number, many=[number, 5], x=[float(number)] * (1 + size % 2)))
        unpacked = b"\x1a\x04\x08" + bytes([0x80 | number & 0x7F, 1]) + (b"\x08" if size else b"\x18")
        entry = b"\x0a\x01a\x12" + bytes([len(unpacked)]) + unpacked
        inner = b"\x0a" + bytes([len(entry)]) + entry
        made.append(b"\x0a" + bytes([len(inner)]) + inner)
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder, "a.tfrecord"), made)
        for record, (data, _) in zip(made, tfrecord.records(path), strict=True):
            assert record == data
        expected = []
        for record in made:
            try:
                expected.append(tfrecord.example(record))
            except (ValueError, IndexError):
                break
        read = []
        try:
            for one in tfrecord.examples(path):
                read.append(one)
        except ReadError:
            assert len(expected) < len(made)
        assert len(read) == len(expected)
        for mine, theirs in zip(read, expected, strict=True):
            assert {k: tfrecord.plain(v) for k, v in mine.items()} == {k: tfrecord.plain(v) for k, v in theirs.items()}


@pytest.mark.parametrize("data", [b"\xff" * 10 + b"\x01", b"\x80" * 10])
def test_a_number_of_more_than_ten_bytes_is_damage(data: bytes) -> None:
    with pytest.raises(ValueError, match="varint"):
        tfrecord.varint(data, 0)


def _lengthy(number: int, content: bytes) -> bytes:
    """A field of a message."""
    low, high = len(content) & 0x7F, len(content) >> 7
    return bytes([number << 3 | 2, low | 0x80, high]) + content


LONG = b"\x80" * 9  # the beginning of a number


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        (_lengthy(4, b""), "feature"),  # a kind that is not known
        (_lengthy(2, b"\x15\x00\x00\x00\x00"), "list"),  # a field that is not known in a list
        (_lengthy(2, b"\x0a\x03abc"), "list"),  # three bytes are no floats
        (_lengthy(3, b"\x0a\x7f"), "list"),  # longer than what holds it
        (_lengthy(3, _lengthy(1, b"\x80" * 70)), "varint"),  # no end
        (_lengthy(3, _lengthy(1, LONG + b"\x80\x80\x01" + b"\x01" * 60)), "varint"),  # more than ten bytes
    ],
)
def test_a_damaged_feature_is_refused(feature: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tfrecord.example(_lengthy(1, _lengthy(1, _lengthy(1, b"x") + _lengthy(2, feature))))


def test_a_feature_that_is_not_there_has_no_values() -> None:
    assert tfrecord.plain(None) == []
    assert tfrecord.plain(("float", np.float32([1, 2]))) == [1.0, 2.0]
