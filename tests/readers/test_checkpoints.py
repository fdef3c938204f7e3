"""Checkpoints as the real libraries write them, and as an attacker or a broken disk would."""

import argparse
import collections
import json
import os
import pickle
import random
import re
import struct
import time
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from accucheck.errors import ReadError
from accucheck.probes._checkpoints import ckpt as written
from accucheck.readers import ckpt, safetensors, tensors, torch_file
from accucheck.readers.checkpoints import Checkpoint, TensorInfo, chunks, open_checkpoint, read, verify
from accucheck.readers.tensor_statistics import rows_equal, statistics


def varint(value: int) -> bytes:
    return (bytes([value & 127 | 128]) + varint(value >> 7)) if value > 127 else bytes([value])


def field(number: int, payload: bytes) -> bytes:
    return bytes([number << 3 | 2]) + varint(len(payload)) + payload


def tensor_proto(dims: list[int], kind: str, content: bytes) -> bytes:
    return b"".join(b"\x08" + varint(dim) for dim in dims) + field(2, kind.encode()) + field(3, content)


def value(name: str, dims: list[int], kind: str, content: bytes) -> bytes:
    return field(1, field(1, name.encode()) + field(2, tensor_proto(dims, kind, content)))


def named(checkpoint: Checkpoint) -> dict[str, TensorInfo]:
    return {info.name: info for info in checkpoint.tensors}


def code_of(path: Path) -> str:
    """The code of the ReadError that reading everything raises."""
    with pytest.raises(ReadError) as caught:
        for info in open_checkpoint(path).tensors:
            if not info.obstacle:
                read(info)
    assert caught.value.data["path"].startswith(str(path))
    assert "{" not in str(caught.value).replace('{"weight_map"', "").replace("{name", "").replace("{dtype", "")
    return caught.value.code


# MindSpore


@pytest.fixture(scope="module")
def ms():
    return pytest.importorskip("mindspore")


@pytest.mark.mindspore
def test_a_mindspore_checkpoint_holds_what_mindspore_reads_from_it(ms, tmp_path):
    generator = np.random.default_rng(1)
    arrays = {
        kind: generator.integers(0, 2 if kind == "bool" else 100, (3, 5)).astype(kind)
        for kind in (
            "float64",
            "float32",
            "float16",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "bool",
        )
    }
    arrays["complex64"] = (generator.standard_normal((2, 2)) + 1j).astype(np.complex64)
    parameters = [{"name": name, "data": ms.Tensor(array)} for name, array in arrays.items()]
    brain = generator.standard_normal((4, 4)).astype(np.float32)
    parameters.append({"name": "brain", "data": ms.Tensor(brain).astype(ms.bfloat16)})
    path = tmp_path / "net.ckpt"
    append = {"epoch_num": 3, "lr": 0.5, "note": "héllo 权重"}
    ms.save_checkpoint([p for p in parameters if p["name"] != "complex64"], str(path), append_dict=append)
    found = open_checkpoint(path)
    assert (found.format, found.texts, found.crc) == ("ckpt", {"note": "héllo 权重"}, {})
    infos = named(found)
    assert infos["epoch_num"].shape == () and read(infos["epoch_num"]) == 3
    assert infos["lr"].role == "state" and read(infos["lr"]) == np.float32(0.5)
    for name, array in arrays.items():
        if name != "complex64":
            assert infos[name].dtype == name and infos[name].shape == array.shape
            np.testing.assert_array_equal(read(infos[name]), array)
    assert infos["brain"].dtype == "bfloat16"
    np.testing.assert_array_equal(
        read(infos["brain"]), ms.Tensor(brain).astype(ms.bfloat16).astype(ms.float32).asnumpy()
    )


@pytest.mark.mindspore
def test_optimizer_state_is_told_apart(ms, tmp_path):
    net = ms.nn.SequentialCell(ms.nn.Dense(4, 3), ms.nn.BatchNorm1d(3))
    net.linear = ms.nn.Dense(3, 2)
    for optimizer in (
        ms.nn.Momentum(net.trainable_params(), 0.1, 0.9),
        ms.nn.Adam(net.trainable_params(), use_amsgrad=True),
        ms.nn.FTRL(net.trainable_params()),
        ms.nn.RMSProp(net.trainable_params(), 0.1, centered=True),
        ms.nn.Lamb(net.trainable_params(), 0.1),
        ms.mint.optim.AdamW(net.trainable_params()),
    ):
        cell = ms.nn.TrainOneStepWithLossScaleCell(ms.nn.WithLossCell(net, ms.nn.MSELoss()), optimizer, ms.Tensor(1.0))
        path = tmp_path / f"{type(optimizer).__name__}.ckpt"
        ms.save_checkpoint(cell, str(path))
        weights = {info.name for info in open_checkpoint(path).weights}
        assert weights == {parameter.name for parameter in net.get_parameters()}, type(optimizer).__name__


@pytest.mark.mindspore
def test_the_checksum_of_mindspore_is_verified(ms, tmp_path):
    net = ms.nn.Dense(4, 3)
    for name in ("net.ckpt", "net.safetensors"):
        path = tmp_path / name
        ms.save_checkpoint(net, str(path), crc_check=True, format=path.suffix[1:])
        found = open_checkpoint(path)
        assert list(found.crc) == [str(path)] and verify(found) == []
        assert {info.shape for info in found.tensors} == {(3, 4), (3,)}
        path.chmod(0o600)
        with path.open("r+b") as file:
            offset = named(found)["weight"].extents[0][0]
            file.seek(offset)
            byte = file.read(1)
            file.seek(offset)
            file.write(bytes([byte[0] ^ 1]))
        assert verify(open_checkpoint(path)) == [str(path)]


@pytest.mark.mindspore
def test_encrypted_checkpoints_are_named_as_such(ms, tmp_path):
    for mode in ("AES-GCM", "AES-CBC", "SM4-CBC"):
        path = tmp_path / f"{mode}.ckpt"
        ms.save_checkpoint(ms.nn.Dense(2, 2), str(path), enc_key=b"0123456789abcdef", enc_mode=mode)
        assert code_of(path) == "encrypted"


@pytest.mark.mindspore
def test_a_parameter_saved_in_slices_is_one_tensor(ms, tmp_path, monkeypatch):
    import mindspore.train.serialization as serialization

    monkeypatch.setattr(serialization, "SLICE_SIZE", 64)  # KiB instead of 512 MiB
    array = np.random.default_rng(2).standard_normal((300, 401)).astype(np.float32)
    path = tmp_path / "large.ckpt"
    ms.save_checkpoint(
        [{"name": "w", "data": ms.Tensor(array)}, {"name": "b", "data": ms.Tensor(np.ones(3))}], str(path)
    )
    infos = named(open_checkpoint(path))
    assert len(infos["w"].extents) > 5 and set(infos) == {"w", "b"}
    np.testing.assert_array_equal(read(infos["w"]), array)
    np.testing.assert_array_equal(
        np.concatenate([part.copy() for part in chunks(infos["w"], 7, 90_001, 1000)]), array.ravel()[7:90_001]
    )
    # The same through numpy's array_split, as with async_save.
    whole = b"".join(value("w", [300, 401], "Float32", part.tobytes()) for part in np.array_split(array, 7))
    path = tmp_path / "split.ckpt"
    path.write_bytes(whole)
    np.testing.assert_array_equal(read(named(open_checkpoint(path))["w"]), array)


@pytest.mark.mindspore
def test_mindspores_own_protobuf_accepts_the_files_made_here(ms, tmp_path):
    path = tmp_path / "made.ckpt"
    path.write_bytes(
        value("w", [2, 3], "Float32", np.arange(6, dtype="f4").tobytes()) + value("s", [], "Int64", b"\5" + b"\0" * 7)
    )
    loaded = ms.load_checkpoint(str(path))
    np.testing.assert_array_equal(loaded["w"].asnumpy(), read(named(open_checkpoint(path))["w"]))


def test_map_parameters_are_three_tensors_even_in_slices(tmp_path):
    def table(start: int) -> bytes:
        parts = [
            tensor_proto([2], "int32", np.arange(start, start + 2, dtype="i4").tobytes()),
            tensor_proto([2, 3], "float32", np.full((2, 3), start, "f4").tobytes()),
            tensor_proto([2], "int32", b"\0" * 8),
        ]
        return field(1, field(1, b"m") + field(3, b"".join(field(1, part) for part in parts)))

    path = tmp_path / "map.ckpt"
    path.write_bytes(table(0) + table(2))
    infos = named(open_checkpoint(path))
    assert {name: info.shape for name, info in infos.items()} == {"m.key": (4,), "m.value": (4, 3), "m.status": (4,)}
    np.testing.assert_array_equal(read(infos["m.value"])[:, 0], [0, 0, 2, 2])


def test_old_scalars_and_quantised_types(tmp_path):
    path = tmp_path / "old.ckpt"
    path.write_bytes(
        value("global_step", [0], "Int32", b"\7\0\0\0")
        + value("w", [4, 2], "Int4", b"\1" * 4)
        + value("none", [0], "Float32", b"")
    )
    infos = named(open_checkpoint(path))
    assert infos["global_step"].shape == () and read(infos["global_step"]) == 7 and infos["global_step"].role == "state"
    assert (infos["w"].obstacle, infos["w"].dtype, infos["w"].nbytes) == ("dtype", "Int4", 4)
    assert read(infos["none"]).shape == (0,)
    with pytest.raises(ValueError, match="dtype"):
        read(infos["w"])


def test_a_truncated_ckpt_never_reads_as_a_whole_one(tmp_path):
    whole = value("conv.weight", [4, 100], "Float32", b"\1" * 1600) + value("b", [4], "Float32", b"\2" * 16)
    boundary = len(value("conv.weight", [4, 100], "Float32", b"\1" * 1600))
    path = tmp_path / "cut.ckpt"
    for length in [*range(1, 60), *range(60, len(whole), 97), *range(len(whole) - 40, len(whole))]:
        path.write_bytes(whole[:length])
        if length == boundary:
            assert len(open_checkpoint(path).tensors) == 1  # a whole file of one parameter: nothing in it tells
        else:
            assert code_of(path) in ("truncated", "malformed"), length
    path.write_bytes(b"")
    assert code_of(path) == "empty"


def test_hostile_protobuf_is_refused_quickly(tmp_path):
    good = value("w", [2], "Float32", b"\0" * 8)
    cases = {
        "varint without end": b"\n" + b"\xff" * 40,
        "length of 2^63": b"\n" + b"\xff" * 9 + b"\x01" + b"a" * 40,
        "inner length beyond the message": b"\n\x04\n\x7fab" + good,
        "negative dim": field(1, field(1, b"w") + field(2, b"\x08" + b"\xff" * 9 + b"\x01" + field(2, b"Float32"))),
        "huge dim": value("w", [1 << 60], "Float32", b""),
        "dims that multiply to more than the content": value("w", [1 << 40, 1 << 40], "Float32", b"\0" * 8),
        "many dims": value("w", [1] * 100, "Float32", b"\0" * 4),
        "slices of different types": good + value("w", [2], "Float16", b"\0" * 4),
        "no name": field(1, field(2, tensor_proto([], "Float32", b"\0" * 4))),
        "no tensor": field(1, field(1, b"w")),
        "name that is no text": field(1, field(1, b"\xff\xfe") + field(2, tensor_proto([], "Float32", b"\0" * 4))),
        "long name": field(1, field(1, b"a" * 100_000) + field(2, tensor_proto([], "Float32", b"\0" * 4))),
        "text that is no UTF-32": value("s", [0], "str", b"\xff" * 8),
        "unknown field": good + b"\x2a\x01a",
        "line of text": b"\nThis is no checkpoint, but a text.\n",
    }
    path = tmp_path / "hostile.ckpt"
    for name, content in cases.items():
        path.write_bytes(content)
        assert code_of(path) in ("malformed", "truncated"), name


def test_random_damage_never_raises_anything_but_readerror(tmp_path):
    generator = random.Random(3)
    whole = value("conv.weight", [4, 3], "Float32", b"\1" * 48) + value("note", [0], "str", "ab".encode("utf-32-le"))
    path = tmp_path / "damaged.ckpt"
    outcomes = collections.Counter()
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(generator.randint(1, 4)):
            damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        path.write_bytes(damaged)
        try:
            for info in open_checkpoint(path).tensors:
                if not info.obstacle:
                    read(info)
            outcomes["read"] += 1
        except ReadError as error:
            outcomes[error.code] += 1
    assert outcomes["malformed"] > 20 and outcomes["read"] > 20


@pytest.mark.parametrize("many", [1000, 1001])
def test_too_many_tiny_parameters_are_refused_before_they_are_read(tmp_path, monkeypatch, many):
    """A million weights took a minute and a gigabyte to be refused."""
    monkeypatch.setattr(ckpt, "MAX_TENSORS", 1000)
    path, header = tmp_path / "many.ckpt", tmp_path / "many.safetensors"
    path.write_bytes(b"".join(value(str(index), [], "Int8", b"\0") for index in range(many)))
    names = {f"w{at}": {"dtype": "U8", "shape": [1], "data_offsets": [at, at + 1]} for at in range(many)}
    text = json.dumps(names).encode()
    header.write_bytes(struct.pack("<Q", len(text)) + text + b"\0" * many)
    if many > 1000:
        for module in (ckpt, safetensors):
            monkeypatch.delattr(module, "scan")
    for found in (path, header):
        if many > 1000:
            assert code_of(found) == "checkpoint-tensors"
        else:
            assert len(open_checkpoint(found).tensors) == many
    assert code_of(tmp_path) == "checkpoint-tensors", "the files of a folder count together"
    with pytest.raises(ReadError) as error:
        open_checkpoint(path, most=many - 1)
    assert error.value.code == "checkpoint-tensors"


# safetensors


def test_safetensors_hold_what_the_library_wrote(tmp_path):
    save = pytest.importorskip("safetensors.numpy")
    generator = np.random.default_rng(4)
    arrays = {"a.weight": generator.standard_normal((5, 7)).astype(np.float32), "half": np.arange(4, dtype=np.float16)}
    arrays |= {
        "i": np.arange(3),
        "flag": np.array([True, False]),
        "scalar": np.array(2.5),
        "empty": np.zeros((0, 3), np.float32),
    }
    path = tmp_path / "m.safetensors"
    save.save_file(arrays, str(path), metadata={"format": "np"})
    found = open_checkpoint(path)
    assert found.format == "safetensors" and found.texts == {"format": "np"}
    for info in found.tensors:
        assert info.shape == arrays[info.name].shape
        np.testing.assert_array_equal(read(info), arrays[info.name])
    whole = path.read_bytes()
    for length in [9, 50, len(whole) // 2, len(whole) - 1]:
        path.write_bytes(whole[:length])
        assert code_of(path) == "truncated"


@pytest.mark.mindspore
def test_safetensors_of_mindspore(ms, tmp_path):
    array = np.random.default_rng(5).standard_normal((3, 4)).astype(np.float32)
    path = tmp_path / "m.safetensors"
    parameters = [{"name": "w", "data": ms.Tensor(array)}, {"name": "moments.w", "data": ms.Tensor(array * 0)}]
    ms.save_checkpoint(parameters, str(path), format="safetensors")
    infos = named(open_checkpoint(path))
    np.testing.assert_array_equal(read(infos["w"]), array)
    assert infos["moments.w"].role == "state"


def safetensors_file(header: object, data: bytes = b"\0" * 64) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def test_hostile_safetensors_headers(tmp_path):
    def entry(start: int, stop: int, shape: list[int], dtype: str = "F32") -> dict:
        return {"dtype": dtype, "shape": shape, "data_offsets": [start, stop]}

    path = tmp_path / "x.safetensors"
    for header, code in (
        ({"a": entry(0, 16, [4]), "b": entry(8, 24, [4])}, "malformed"),  # overlap
        ({"a": entry(16, 8, [2])}, "malformed"),
        ({"a": entry(-8, 8, [4])}, "malformed"),
        ({"a": entry(0, 16, [5])}, "malformed"),
        ({"a": entry(0, 16, [-4])}, "malformed"),
        ({"a": entry(0, 0, [0, 1 << 62])}, "malformed"),
        ({"a": entry(0, 1 << 62, [1 << 60])}, "malformed"),
        ({"a": entry(0, 1 << 40, [1 << 38])}, "truncated"),
        ({"a": entry(0, 80, [20])}, "truncated"),
        ({"a": {"dtype": "F32"}}, "malformed"),
        ({"a": [1]}, "malformed"),
        (b"{" + b'"a":{' * 20_000, "malformed"),
        (b'{"a": nonsense}', "malformed"),
        (b"{\xff\xfe}", "malformed"),
    ):
        path.write_bytes(safetensors_file(header))
        assert code_of(path) == code, header
    path.write_bytes((1 << 40).to_bytes(8, "little") + b"{" + b" " * 100)
    assert code_of(path) == "unknown-format"
    path.write_bytes(safetensors_file({"a": entry(0, 16, [8, 4], "F4"), "ok": entry(16, 32, [4])}))
    infos = named(open_checkpoint(path))
    assert infos["a"].obstacle == "dtype" and infos["ok"].obstacle is None


# torch


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(params=["zip", "legacy"])
def save(request, torch):
    return lambda value, path: torch.save(value, path, _use_new_zipfile_serialization=request.param == "zip")


def test_a_torch_checkpoint_holds_what_torch_wrote(torch, save, tmp_path):
    base = torch.randn(6, 8)
    state = collections.OrderedDict()
    for name in (
        "float64",
        "float32",
        "float16",
        "bfloat16",
        "complex64",
        "complex128",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
    ):
        state[name] = torch.arange(12).reshape(3, 4).to(getattr(torch, name))
    for name in ("uint16", "uint32", "uint64", "bool", "float8_e4m3fn", "float8_e5m2"):
        state[name] = torch.arange(12).reshape(3, 4).to(getattr(torch, name))
    state |= {"transposed": base.t(), "part": base[1:3, 2:5], "shared": base, "column": base[:, 3]}
    state |= {"expanded": torch.ones(1, 3).expand(4, 3), "scalar": torch.tensor(3.0), "empty": torch.empty(0, 3)}
    state |= {"parameter": torch.nn.Parameter(torch.ones(2, 2)), "permuted": torch.randn(2, 3, 4).permute(2, 0, 1)}
    state["buffer"] = torch.ones(2)
    state._metadata = {"": {"version": 1}}
    path = tmp_path / "x.pth"
    save(state, path)
    infos = named(open_checkpoint(path))
    assert set(infos) == set(state)
    for name, tensor in state.items():
        tensor = tensor.detach()
        wanted = tensor.float() if name.startswith(("bfloat", "float8", "float16")) else tensor
        np.testing.assert_array_equal(read(infos[name]), wanted.contiguous().numpy(), err_msg=name)
        assert infos[name].shape == tuple(tensor.shape)


def test_a_training_checkpoint_of_torch(torch, save, tmp_path):
    net = torch.nn.DataParallel(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)))
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.randn(5, 3)).sum().backward()
    optimizer.step()
    path = tmp_path / "train.pt"
    extras = {
        "args": argparse.Namespace(a=1, b=[2]),
        "best": np.float64(0.3),
        "log": np.arange(3),
        "device": torch.device("cpu"),
    }
    extras |= {"size": torch.Size([1, 2]), "counts": collections.Counter("abc"), "where": Path("x")}
    save({"state_dict": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, **extras}, path)
    found = open_checkpoint(path)
    assert {info.name for info in found.weights} == {
        *("0.weight", "0.bias", "1.weight", "1.bias", "1.running_mean", "1.running_var")
    }
    assert {info.role for info in found.tensors if "exp_avg" in info.name} == {"state"}
    # A model and its average keep the same names: then each keeps its holder's.
    save({"model": {"w": torch.ones(1)}, "net": {"w": torch.zeros(1)}}, path)
    assert sorted(named(open_checkpoint(path))) == ["model.w", "net.w"]


@pytest.mark.filterwarnings("ignore")
def test_quantised_and_sparse_tensors_are_named_not_examined(torch, save, tmp_path):
    path = tmp_path / "q.pth"
    quantised = torch.quantize_per_tensor(torch.ones(2, 2), 0.1, 0, torch.qint8)
    save(
        {"q": quantised, "s": torch.eye(3).to_sparse(), "h": torch.zeros(2, dtype=torch.complex32), "w": torch.ones(2)},
        path,
    )
    infos = named(open_checkpoint(path))
    assert {name: info.obstacle for name, info in infos.items()} == {
        "q": "quantized",
        "s": "sparse",
        "h": "dtype",
        "w": None,
    }
    np.testing.assert_array_equal(read(infos["w"]), [1, 1])


def test_float8_tables_agree_with_torch(torch):
    codes = torch.arange(256, dtype=torch.uint8)
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"):
        np.testing.assert_array_equal(tensors._float8(name), codes.view(getattr(torch, name)).float().numpy())


class Evil:
    def __init__(self, function, *args):
        self.call = (function, args)

    def __reduce__(self):
        return self.call


def test_a_pickle_runs_nothing(torch, save, tmp_path):
    marker = tmp_path / "marker"
    path = tmp_path / "evil.pth"
    for evil in (
        Evil(os.system, f"touch {marker}"),
        Evil(eval, f"open({str(marker)!r}, 'w')"),
        Evil(os.mkdir, str(marker)),
    ):
        save({"w": torch.ones(2), "x": evil}, path)
        assert code_of(path) == "unsafe-pickle"
        assert not marker.exists()
    save(torch.nn.Linear(2, 2), path)  # a whole model asks for its class
    with pytest.raises(ReadError, match=re.escape("torch.nn.modules.linear.Linear")):
        open_checkpoint(path)


def archive(path: Path, pickled: bytes, compress: int = zipfile.ZIP_STORED, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", compress) as file:
        file.writestr("archive/data.pkl", pickled)
        for name, content in members.items():
            file.writestr(f"archive/data/{name[1:]}", content)
    return path


PID = b"(U\x07storagectorch\nFloatStorage\nU\x010U\x03cpuK\x08tQ"


def rebuild(offset: bytes = b"K\x00", shape: bytes = b"K\x02K\x04\x86", strides: bytes = b"K\x04K\x01\x86") -> bytes:
    arguments = b"(" + PID + offset + shape + strides + b"\x89ccollections\nOrderedDict\n)Rt"
    return b"\x80\x02}U\x01wctorch._utils\n_rebuild_tensor_v2\n" + arguments + b"Rs."


def test_hostile_records_of_torch(tmp_path):
    path = tmp_path / "x.pth"
    storage = np.arange(8, dtype="f4").tobytes()
    infos = named(open_checkpoint(archive(path, rebuild(), _0=storage)))
    np.testing.assert_array_equal(read(infos["w"]), np.arange(8).reshape(2, 4))
    big = b"\x8a\x08" + (1 << 60).to_bytes(8, "little")
    for name, pickled, members in (
        ("offset beyond the storage", rebuild(offset=b"K\x07"), {"_0": storage}),
        ("negative offset", rebuild(offset=b"J\xff\xff\xff\xff"), {"_0": storage}),
        ("negative stride", rebuild(strides=b"J\xff\xff\xff\xffK\x01\x86"), {"_0": storage}),
        ("shape too large", rebuild(shape=b"K\x09K\x04\x86"), {"_0": storage}),
        ("absurd shape", rebuild(shape=big + big + b"\x86"), {"_0": storage}),
        ("missing stride", rebuild(strides=b"K\x01\x85"), {"_0": storage}),
        ("short storage", rebuild(), {"_0": storage[:-4]}),
        ("no storage", rebuild(), {}),
        ("cut pickle", rebuild()[:-5], {"_0": storage}),
        ("no pickle", b"not a pickle", {"_0": storage}),
        ("empty stack", b"\x80\x02.", {}),
        ("memo bomb", b"\x80\x02]r\xff\xff\xff\x7f.", {}),
        ("a number as a function", b"\x80\x02K\x01)R.", {}),
        ("a stack global of numbers", b"\x80\x04K\x01K\x02\x93.", {}),
        ("altering a class", b"\x80\x02cargparse\nNamespace\nN}U\x06append]s\x86b.", {}),
        ("altering a function", b"\x80\x02ctorch\nSize\nN}U\x01aK\x01s\x86b.", {}),
    ):
        start = time.process_time()
        code = code_of(archive(path, pickled, **members))
        assert code in ("malformed", "truncated", "unsafe-pickle"), (name, code)
        assert time.process_time() - start < 2, name
    # A view with a stride of zero may claim any size; it is named, and never walked.
    infos = named(
        open_checkpoint(
            archive(path, rebuild(shape=b"J\x00\x00\x00\x40K\x04\x86", strides=b"K\x00K\x01\x86"), _0=storage)
        )
    )
    assert infos["w"].obstacle == "view"


@pytest.mark.part(40)
def test_containers_that_multiply_are_bounded(tmp_path):
    layers = b"\x80\x02]" + b"".join(b"q%c](h%ch%ch%ce" % (i, i, i, i) for i in range(40)) + b"."
    assert code_of(archive(tmp_path / "laugh.pth", layers)) == "malformed"
    deep = b"\x80\x02" + b"(" * 100_000 + b"]" + b"l" * 100_000 + b"."
    assert open_checkpoint(archive(tmp_path / "deep.pth", deep)).tensors == []


def test_keys_that_would_print_without_end_are_not_printed(torch, tmp_path):
    key: tuple = ()
    for _ in range(18):
        key = (key, key)
    path = tmp_path / "key.pth"
    for unfit in (key, 10**5000):
        torch.save({unfit: torch.ones(1)}, path)
        with pytest.raises(ReadError, match="keys: text or numbers"):
            open_checkpoint(path)
    torch.save({("a", 1): torch.ones(1)}, path)
    assert [info.name for info in open_checkpoint(path).tensors] == ["?"]


def test_texts_that_are_no_unicode_do_not_spread(torch, tmp_path):
    path = tmp_path / "surrogate.pth"
    torch.save({"a\ud800\x1b[2Jb": torch.ones(1)}, path)
    assert [info.name for info in open_checkpoint(path).tensors] == ["a\\ud800\\x1b[2Jb"]
    pickled = b"\x80\x04\x8c\x05o\xed\xa0\x80s\x8c\x06system\x93."
    with pytest.raises(ReadError) as caught:
        open_checkpoint(archive(path, pickled))
    assert str(caught.value).encode()


def test_absurd_archives(torch, tmp_path, monkeypatch):
    path = tmp_path / "x.pth"
    torch.save({"w": torch.ones(100, 100)}, path)
    whole = path.read_bytes()
    for length in (10, 200, len(whole) // 2, len(whole) - 30, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert code_of(path) in ("truncated", "malformed"), length
    # sizes in the directory that are beyond the file, or a directory that is
    place = whole.rindex(
        b"PK\x01\x02", 0, whole.index(b"archive/data/0" if b"archive/data/0" in whole else b"x/data/0", 40_000)
    )
    for at, size in ((20, 4), (24, 4), (42, 4)):
        damaged = bytearray(whole)
        damaged[place + at : place + at + size] = b"\xfe\xff\xff\x7f"
        path.write_bytes(damaged)
        assert code_of(path) in ("truncated", "malformed"), at
    assert code_of(archive(path, b"\x80\x02" + b"0" * 1000 + b".", zipfile.ZIP_DEFLATED)) == "malformed"
    monkeypatch.setattr(torch_file, "PICKLE_LIMIT", 100)
    assert code_of(archive(path, rebuild() + b"0" * 100)) == "too-large"
    monkeypatch.setattr(torch_file, "DIRECTORY_LIMIT", 100)
    assert code_of(archive(path, rebuild())) == "too-large"
    path = tmp_path / "y.npz"
    np.savez(path, a=np.ones(3))
    assert code_of(path) == "unknown-format"


def test_a_truncated_legacy_file_never_reads_as_a_whole_one(torch, tmp_path):
    path = tmp_path / "x.pth"
    torch.save({"w": torch.ones(10, 10), "b": torch.ones(3)}, path, _use_new_zipfile_serialization=False)
    whole = path.read_bytes()
    for length in [*range(15, len(whole), 23), *range(len(whole) - 20, len(whole))]:
        path.write_bytes(whole[:length])
        assert code_of(path) in ("truncated", "malformed"), length


def test_damaged_torch_files_raise_readerror_only(torch, tmp_path):
    generator = random.Random(5)
    path = tmp_path / "x.pth"
    codes = collections.Counter()
    for legacy in (False, True):
        torch.save({"w": torch.ones(2, 3), "o": [torch.zeros(2)]}, path, _use_new_zipfile_serialization=not legacy)
        whole = path.read_bytes()
        for _ in range(300):
            damaged = bytearray(whole)
            for _ in range(generator.randint(1, 5)):
                damaged[generator.randrange(len(damaged))] = generator.randrange(256)
            path.write_bytes(damaged)
            try:
                for info in open_checkpoint(path).tensors:
                    if not info.obstacle:
                        read(info)
                codes["read"] += 1
            except ReadError as error:
                codes[error.code] += 1
    assert codes["malformed"] > 20 and codes["read"] > 20


# Anything


def test_what_is_no_checkpoint(tmp_path):
    path = tmp_path / "x"
    for content in (
        b"\x80\x04" + pickle.dumps([1])[2:],
        b"\x89HDF\r\n\x1a\n" + b"\0" * 100,
        b"\x93NUMPY\x01\0",
        b"a,b\n1,2\n",
        b"\0" * 100,
    ):
        path.write_bytes(content)
        assert code_of(path) == "unknown-format"
    assert code_of(tmp_path / "missing.ckpt") == "not-found"
    os.mkfifo(tmp_path / "pipe.ckpt")
    assert code_of(tmp_path / "pipe.ckpt") == "not-regular"
    (tmp_path / "folder").mkdir()
    assert code_of(tmp_path / "folder") == "unknown-format"


def test_a_file_cut_while_it_is_read_is_an_error_not_a_crash(tmp_path):
    path = tmp_path / "w.ckpt"
    path.write_bytes(value("w", [1 << 20], "Float32", b"\1" * (4 << 20)))
    info = open_checkpoint(path).tensors[0]
    parts = chunks(info)
    next(parts)
    os.truncate(path, 1 << 20)
    with pytest.raises(ReadError) as caught:
        list(parts)
    assert caught.value.code == "changed"
    with pytest.raises(ReadError):
        list(statistics([info]))


def test_folders_of_parts(tmp_path):
    def part(name: str, number: float) -> bytes:
        return value(name, [2], "Float32", np.full(2, number, "f4").tobytes())

    for rank in (0, 2, 10):
        (tmp_path / f"rank_{rank}").mkdir()
        (tmp_path / f"rank_{rank}" / "net.ckpt").write_bytes(part("w", rank))
    (tmp_path / "train_metadata.json").write_text("{}")
    found = open_checkpoint(tmp_path)
    assert [float(read(info)[0]) for info in found.tensors] == [0, 2, 10]
    assert [info.name for info in found.tensors] == ["w"] * 3 and len({info.path for info in found.tensors}) == 3
    for number in (1, 2):
        (tmp_path / f"model-{number}.safetensors").write_bytes(
            safetensors_file({f"t{number}": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})
        )
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(
        json.dumps({"metadata": {}, "weight_map": {"t1": "model-1.safetensors", "t2": "model-2.safetensors"}})
    )
    found = open_checkpoint(tmp_path)
    assert [info.name for info in found.tensors] == ["t1", "t2"] and found.format == "safetensors"
    for bad, code in (
        ("../x.safetensors", "malformed"),
        ("/etc/passwd", "malformed"),
        ("none.safetensors", "not-found"),
    ):
        index.write_text(json.dumps({"weight_map": {"t1": bad}}))
        assert code_of(tmp_path) == code
    index.write_text("[" * 100_000)
    assert code_of(tmp_path) == "malformed"


def test_memory_stays_bounded(tmp_path):
    path = tmp_path / "w.ckpt"
    array = np.random.default_rng(6).standard_normal((64, 1 << 17)).astype("f4")  # 32 MB
    path.write_bytes(value("w", list(array.shape), "Float32", array.tobytes()))
    del array
    tracemalloc.start()
    list(statistics(open_checkpoint(path).tensors))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 << 20


# Statistics


def info_of(tmp_path: Path, array: np.ndarray, kind: str) -> TensorInfo:
    path = tmp_path / "s.ckpt"
    path.write_bytes(value("w", list(array.shape), kind, array.tobytes()))
    return open_checkpoint(path).tensors[0]


@pytest.mark.parametrize("share", [1000, 4 << 20])
def test_statistics_agree_with_numpy(tmp_path, monkeypatch, share):
    monkeypatch.setattr("accucheck.readers.tensor_statistics._SHARE", share)
    generator = np.random.default_rng(7)
    for kind, array in (
        ("Float32", generator.standard_normal((300, 501)).astype("f4")),
        ("Float64", generator.standard_normal((300, 501)) + 3),
        ("Float16", generator.standard_normal((300, 501)).astype("f2")),
        ("Int32", generator.integers(-5, 5, (300, 501)).astype("i4")),
        ("UInt8", generator.integers(0, 2, (300, 501)).astype("u1")),
        ("Float32", np.full((300, 501), 1e30, "f4") * generator.standard_normal((300, 501)).astype("f4")),
        ("Float32", np.full((300, 501), 1e-30, "f4") * generator.standard_normal((300, 501)).astype("f4")),
        ("Float64", np.full((300, 501), 1e200) * generator.standard_normal((300, 501))),
    ):
        array[0, :7] = 0
        ((_, found),) = statistics([info_of(tmp_path, array, kind)])
        wide = array.astype(np.longdouble)
        assert (found.count, found.zeros, found.nan, found.inf) == (array.size, int((array == 0).sum()), 0, 0)
        assert (found.minimum, found.maximum) == (float(array.min()), float(array.max()))
        assert found.mean == pytest.approx(float(wide.mean()), abs=1e-5 * float(np.abs(wide).max()))
        assert found.std == pytest.approx(float(wide.std()), rel=1e-4)


@pytest.mark.parametrize("share", [1000, 4 << 20])
def test_planted_nan_and_infinity_are_counted_and_placed(tmp_path, monkeypatch, share):
    monkeypatch.setattr("accucheck.readers.tensor_statistics._SHARE", share)
    array = np.random.default_rng(8).standard_normal((700, 501)).astype("f4")
    array[600, 3], array[650, 1], array[651, 1] = np.nan, np.inf, -np.inf
    ((_, found),) = statistics([info_of(tmp_path, array, "Float32")])
    assert (found.nan, found.inf, found.first_bad) == (1, 2, 600 * 501 + 3)
    rest = array[np.isfinite(array)]
    assert (found.minimum, found.maximum) == (rest.min(), rest.max())
    assert found.std == pytest.approx(rest.std(), rel=1e-4)
    ((_, found),) = statistics([info_of(tmp_path, np.full(9, np.nan, "f4"), "Float32")])
    assert (found.nan, found.minimum, found.mean, found.constant) == (9, None, None, False)
    complex_ = np.ones((50, 501), "c8")
    complex_[40, 2] = complex(1, np.nan)
    ((_, found),) = statistics([info_of(tmp_path, complex_, "Complex64")])
    assert (found.count, found.nan, found.first_bad) == (2 * complex_.size, 1, 40 * 501 + 2)


def test_small_numbers_are_not_zero(tmp_path):
    ((_, found),) = statistics([info_of(tmp_path, np.full((40, 40), 1e-42, "f4"), "Float32")])  # a denormal
    assert (found.zeros, found.constant) == (0, True) and found.minimum > 0
    ((_, found),) = statistics([info_of(tmp_path, np.array([0.0, -0.0, 1e-45], "f4"), "Float32")])
    assert found.zeros == 2


def test_rows_are_compared_exactly(tmp_path):
    row = np.random.default_rng(9).standard_normal(3000).astype("f4")
    for rows, width in ((2, 3000), (500, 3000), (3, 300_000)):
        array = np.tile(np.resize(row, width), (rows, 1))
        assert rows_equal(info_of(tmp_path, array, "Float32"))
        array[-1, -1] += 1
        assert not rows_equal(info_of(tmp_path, array, "Float32"))
    assert not rows_equal(info_of(tmp_path, row[None], "Float32"))
    assert not rows_equal(info_of(tmp_path, np.full((3, 3), np.nan, "f4"), "Float32"))
    assert not rows_equal(info_of(tmp_path, np.zeros((3, 0), "f4"), "Float32"))


@pytest.mark.part(40)
@pytest.mark.parametrize(("rows", "columns"), [(1, 5), (7, 3), (300, 40), (64, 900)])
@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8", "complex128"])
def test_a_transposed_matrix_in_parts(rows, columns, dtype, tmp_path, monkeypatch):
    from accucheck.parameter_map import turned
    from accucheck.readers import tensors

    values = np.random.default_rng(1).integers(0, 200, (rows, columns)).astype(dtype)
    (tmp_path / "raw").write_bytes(b"abc" + values.tobytes())
    half = values.nbytes // 2
    extents = ((3, half), (3 + half, values.nbytes - half))
    info = turned(TensorInfo("w", dtype, (rows, columns), str(tmp_path / "raw"), extents))
    expected = values.T.reshape(-1)
    for block, piece in ((1 << 22, 1024), (50, 16), (50, 1 << 20), (1, 1)):
        monkeypatch.setattr(tensors, "_BLOCK", block)
        monkeypatch.setattr(tensors, "_PIECE", piece)
        for start, stop, elements in ((0, None, 1 << 20), (0, None, 17), (3, rows * columns - 1, 29)):
            found = [part.copy() for part in chunks(info, start, stop, elements)]
            assert all(len(part) == elements for part in found[:-1])
            assert np.array_equal(np.concatenate(found), expected[start:stop])


def test_a_large_transposed_matrix_is_read_once(tmp_path, monkeypatch):
    from accucheck.parameter_map import turned
    from accucheck.readers import tensor_comparison, tensors

    values = np.random.default_rng(1).standard_normal((2500, 3000)).astype("f4")
    (tmp_path / "one").write_bytes(values.tobytes())
    (tmp_path / "two").write_bytes(np.ascontiguousarray(values.T).tobytes())
    one = turned(TensorInfo("w", "float32", values.shape, str(tmp_path / "one"), ((0, values.nbytes),)))
    two = TensorInfo("w", "float32", values.T.shape, str(tmp_path / "two"), ((0, values.nbytes),))
    sizes = []
    fill = tensors._fill
    monkeypatch.setattr(tensors, "_fill", lambda f, i, s, target: (sizes.append(len(target)), fill(f, i, s, target)))
    ((_, _, found),) = tensor_comparison.compare([(one, two)])
    assert found.identical and found.count == values.size
    assert sum(sizes) < 2.2 * values.nbytes  # both sides, and rows that two shares have in common


def test_a_folder_with_too_many_files_is_refused_and_not_cut(tmp_path, monkeypatch):
    for number in range(3):
        (tmp_path / f"rank_{number}.ckpt").write_bytes(written({f"w{number}": ([1], [1.0])}))
    assert len(open_checkpoint(tmp_path).files) == 3
    monkeypatch.setattr("accucheck.readers.checkpoints.MAX_FILES", 2)
    with pytest.raises(ReadError) as refused:
        open_checkpoint(tmp_path)
    assert refused.value.code == "checkpoint-files" and "3" in str(refused.value) and "2" in str(refused.value)
