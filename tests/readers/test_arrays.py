import io
import struct
import zipfile

import numpy as np
import pytest

from accucheck.errors import ReadError
from accucheck.readers.arrays import BLOCK, arrays, of_bytes, read


def whole(path, kind="npy"):
    return {a.name: np.concatenate([b.copy() for _, b in read(a, 0, a.size)]) for a in arrays(path, kind)}


def refused(path, kind="npy"):
    with pytest.raises(ReadError) as error:
        whole(path, kind)
    assert path.name in str(error.value)
    return error.value.code


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", "i4", "u1", "c8", "U3", "S3", "M8[ns]"])
def test_npy_block_by_block(tmp_path, dtype):
    values = np.arange(BLOCK // 2 + 5).astype(dtype)
    np.save(tmp_path / "a.npy", values)
    np.testing.assert_array_equal(whole(tmp_path / "a.npy")["a"], values)


def test_a_part_from_the_middle(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(100))
    [array] = arrays(tmp_path / "a.npy", "npy")
    assert [(start, block.tolist()) for start, block in read(array, 40, 43)] == [(40, [40, 41, 42])]


def test_rows_in_both_orders(tmp_path):
    values = np.arange(12).reshape(3, 4)
    np.save(tmp_path / "c.npy", values)
    np.save(tmp_path / "f.npy", np.asfortranarray(values))
    [c], [f] = arrays(tmp_path / "c.npy", "npy"), arrays(tmp_path / "f.npy", "npy")
    assert [c.row(5), f.row(5)] == [1, 2]


def test_objects_are_seen_and_not_loaded(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"x": 1}, None], dtype=object))
    [array] = arrays(tmp_path / "a.npy", "npy")
    assert array.dtype.hasobject


def test_truncated_and_foreign_npy(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.ones(1000))
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    assert refused(path) == "truncated"
    path.write_bytes(data[:40])
    assert refused(path) == "malformed"
    path.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': __import__('os')}".ljust(118))
    assert refused(path) == "malformed"
    path.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': (".ljust(118))
    assert refused(path) == "malformed"
    path.write_bytes(
        b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '|S0', 'fortran_order': False, 'shape': (10**18,)}".ljust(118)
    )
    assert refused(path) == "malformed"
    path.write_bytes(
        b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '|S0', 'fortran_order': False, 'shape': (999999999999,)}".ljust(118)
    )
    assert refused(path) == "malformed"
    path.write_bytes(b"hello")
    assert refused(path) == "malformed"
    assert refused(tmp_path / "none.npy") == "not-found"


def stored(values):
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


@pytest.mark.parametrize(
    "values",
    [np.arange(12.0).reshape(3, 4), np.asfortranarray(np.eye(3)[:2]), np.array(5), np.zeros((0, 3)), np.array(["a"])],
)
def test_a_file_in_memory(values):
    found = of_bytes(stored(values), "a.npy")
    np.testing.assert_array_equal(found, values)
    assert found.dtype == values.dtype


@pytest.mark.parametrize(
    "content, code",
    [
        (stored(np.ones(10))[:-1], "truncated"),
        (stored(np.array([None], dtype=object)), "malformed"),
        (stored(np.ones(10))[:60], "malformed"),
        (b"PK\x03\x04", "malformed"),
        (b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': (".ljust(118), "malformed"),
        (
            b"\x93NUMPY\x01\x00\x76\x00"
            + f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({10**30},)}}".encode().ljust(118),
            "truncated",
        ),
    ],
)
def test_a_file_in_memory_that_is_none(content, code):
    with pytest.raises(ReadError) as caught:
        of_bytes(content, "a.npy")
    assert caught.value.code == code and "a.npy" in str(caught.value)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(tmp_path, save):
    path = tmp_path / "a.npz"
    values = np.arange(BLOCK // 4 + 3, dtype=np.float32)
    save(path, x=values, y=np.array([1, 2]))
    found = whole(path, "npz")
    np.testing.assert_array_equal(found["x"], values)
    assert found["y"].tolist() == [1, 2]
    data = bytearray(path.read_bytes())
    path.write_bytes(data[: len(data) // 2])
    assert refused(path, "npz") == "truncated"
    data[len(data) // 3] ^= 0xFF
    path.write_bytes(data)
    assert refused(path, "npz") in ("checksum", "truncated")


def test_a_zip_bomb_is_refused_by_its_directory(tmp_path):
    path = tmp_path / "bomb.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.npy", "w", force_zip64=True) as file,
    ):
        np.lib.format.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": (5 << 30,)})
        file.write(bytes(1 << 20))
    data = bytearray(path.read_bytes())
    # the directory claims 5 GiB, as that of a real bomb does
    at = data.rindex(b"PK\x01\x02")
    size = struct.unpack_from("<I", data, at + 24)[0]
    assert size != 0xFFFFFFFF
    extra = struct.pack("<HHQ", 1, 8, 5 << 30)
    name, comment = struct.unpack_from("<H", data, at + 28)[0], at + 46
    struct.pack_into("<I", data, at + 24, 0xFFFFFFFF)
    struct.pack_into("<H", data, at + 30, len(extra))
    data[comment + name : comment + name] = extra
    end = data.rindex(b"PK\x05\x06")
    struct.pack_into("<I", data, end + 12, struct.unpack_from("<I", data, end + 12)[0] + len(extra))
    path.write_bytes(data)
    assert refused(path, "npz") == "too-large"


def test_idx_and_cifar(tmp_path):
    path = tmp_path / "train-images-idx3-ubyte"
    path.write_bytes(bytes([0, 0, 8, 3]) + struct.pack(">3I", 2, 2, 2) + bytes(range(8)))
    assert whole(path, "idx")[path.stem].tolist() == list(range(8))
    path.write_bytes(path.read_bytes()[:-1])
    assert refused(path, "idx") == "truncated"
    (tmp_path / "test_batch.bin").write_bytes(bytes(3073 * 2))
    assert arrays(tmp_path / "test_batch.bin", "cifar")[0].shape == (2, 3073)
    (tmp_path / "test_batch.bin").write_bytes(bytes(3073 * 2 - 1))
    assert refused(tmp_path / "test_batch.bin", "cifar") == "unknown-format"
