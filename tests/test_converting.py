"""accucheck convert: the real libraries read what it wrote, bit by bit; what it cannot decide is told; bad input loses nothing."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accucheck.converting import by_kind
from accucheck.knowledge import parameter_names as facts
from accucheck.parameter_map import renamed
from accucheck.probes._checkpoints import ckpt, drawn
from accucheck.readers.checkpoints import Checkpoint, TensorInfo, open_checkpoint, read
from accucheck.writers import Output, write_ckpt, write_safetensors
from command_line import accucheck

torch = pytest.importorskip("torch")
safetensors = pytest.importorskip("safetensors.torch")

TYPES = {
    "float16": torch.float16, "float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16,
    "int8": torch.int8, "int16": torch.int16, "int32": torch.int32, "int64": torch.int64,
    "uint8": torch.uint8, "bool": torch.bool,
}  # fmt: skip


def bits(tensor: Any) -> bytes:
    """The bytes of a tensor of torch."""
    return bytes(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())


def network() -> Any:
    torch.manual_seed(5)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3),
        torch.nn.BatchNorm2d(8),
        torch.nn.Conv1d(8, 4, 5),
        torch.nn.Embedding(10, 6),
        torch.nn.Linear(6, 6, bias=False),
        torch.nn.LayerNorm(6),
        torch.nn.LSTM(6, 5),
        torch.nn.Linear(6, 3),
    )


@pytest.mark.parametrize("options", [(), ("--to", "pytorch"), ("--like", "like.safetensors")])
def test_a_file_for_pytorch_says_so_to_who_loads_it(tmp_path: Path, options: tuple[str, ...]) -> None:
    """transformers refuses a .safetensors file without this word."""
    (tmp_path / "net.ckpt").write_bytes(ckpt({"bn.moving_mean": ([2], [1.0, 2.0]), "bn.gamma": ([2], [3.0, 4.0])}))
    safetensors.save_file(
        {"bn.running_mean": torch.zeros(2), "bn.weight": torch.zeros(2)}, tmp_path / "like.safetensors"
    )
    ran = accucheck("convert", "net.ckpt", "out.safetensors", *options, cwd=tmp_path)
    assert ran.code == 0 and "no weight was left out" in ran.out, ran
    content = (tmp_path / "out.safetensors").read_bytes()
    head = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    assert head["__metadata__"] == {"format": "pt"}
    assert sorted(safetensors.load_file(tmp_path / "out.safetensors")) == ["bn.running_mean", "bn.weight"]


@pytest.mark.mindspore
def test_mindspore_loads_a_network_of_torch(tmp_path: Path) -> None:
    import mindspore as ms
    from mindspore import nn

    reference = network()
    state = reference.state_dict()
    torch.save(state, tmp_path / "ref.pth")
    own = nn.SequentialCell(
        nn.Conv2d(3, 8, 3, has_bias=True),
        nn.BatchNorm2d(8),
        nn.Conv1d(8, 4, 5, has_bias=True),
        nn.Embedding(10, 6),
        nn.Dense(6, 6, has_bias=False),
        nn.LayerNorm((6,)),
        nn.LSTM(6, 5),
        nn.Dense(6, 3),
    )
    ms.save_checkpoint(own, str(tmp_path / "own.ckpt"))
    for suffix in ("ckpt", "safetensors"):
        target = tmp_path / f"out.{suffix}"
        ran = accucheck("convert", tmp_path / "ref.pth", target, "--like", tmp_path / "own.ckpt")
        assert ran.code == 0, ran
        loaded = ms.load_checkpoint(str(target), format=suffix)
        missing, unused = ms.load_param_into_net(own, loaded)
        assert (missing, unused) == ([], [])
        values = {parameter.name: parameter.asnumpy() for parameter in own.get_parameters()}
        assert values["1.moving_variance"].tobytes() == bits(state["1.running_var"])
        assert values["2.weight"].shape == (4, 8, 1, 5) and values["2.weight"].tobytes() == bits(state["2.weight"])
        assert values["3.embedding_table"].tobytes() == bits(state["3.weight"])
        assert values["5.gamma"].tobytes() == bits(state["5.weight"])
        assert len(values) == len([name for name in state if not name.endswith("num_batches_tracked")])
        # And back: torch loads it as it was.
        again = tmp_path / f"again_{suffix}.safetensors"
        assert accucheck("convert", target, again, "--like", tmp_path / "ref.pth").code == 0
        from safetensors.torch import load_file

        back = load_file(again)
        fresh = network()
        assert fresh.load_state_dict(back, strict=True).missing_keys == []
        assert {name: bits(value) for name, value in fresh.state_dict().items()} == {
            name: bits(value) for name, value in state.items()
        }


@pytest.mark.mindspore
def test_every_type_keeps_its_bits(tmp_path: Path) -> None:
    import mindspore as ms
    from safetensors.torch import load_file

    generator = torch.Generator().manual_seed(1)
    state = {}
    for name, dtype in TYPES.items():
        raw = torch.randint(0, 256, (3, 5, 16), dtype=torch.uint8, generator=generator)  # NaN with a payload among them
        state[f"{name}.table"] = raw.view(dtype) if name != "bool" else raw > 100
    state["scalar.table"] = torch.tensor(3.25)
    state["turned.table"] = torch.arange(12.0).reshape(3, 4).T
    state["sliced.table"] = torch.arange(24.0).reshape(4, 6)[1:3, ::2]
    torch.save(state, tmp_path / "ref.pth")
    ran = accucheck("convert", tmp_path / "ref.pth", tmp_path / "out.safetensors")
    assert ran.code == 0, ran
    loaded = load_file(tmp_path / "out.safetensors")
    assert {name: (value.dtype, tuple(value.shape), bits(value)) for name, value in loaded.items()} == {
        name: (value.dtype, tuple(value.shape), bits(value)) for name, value in state.items()
    }
    assert accucheck("convert", tmp_path / "out.safetensors", tmp_path / "out.ckpt", "--to", "mindspore").code == 0
    own = ms.load_checkpoint(str(tmp_path / "out.ckpt"))
    assert set(own) == set(state)
    for name, value in state.items():
        parameter = own[name]
        assert tuple(parameter.shape) == tuple(value.shape)
        assert str(parameter.dtype).lower() == str(value.dtype).removeprefix("torch.")
        assert parameter.get_bytes() == bits(value), name


@pytest.mark.mindspore
def test_parameters_over_the_limit_become_slices_that_mindspore_joins(tmp_path: Path) -> None:
    import mindspore as ms

    whole = tmp_path / "whole.safetensors"
    from safetensors.numpy import save_file

    values = {
        "a.weight": np.arange(35, dtype=np.float32).reshape(5, 7),
        "b.weight": np.arange(9, dtype=np.float16),
        "c.weight": np.float64([1.5]),
    }
    save_file(values, whole)
    infos = {info.name: info for info in open_checkpoint(whole).tensors}
    outputs = [Output(name, info.dtype, info.shape, (info,)) for name, info in infos.items()]
    stream = io.BytesIO()
    written: list[int] = []
    write_ckpt(stream, outputs, written.append, limit=48)
    assert stream.getvalue().count(b"a.weight") == 3
    assert sum(written) == sum(array.nbytes for array in values.values())
    (tmp_path / "sliced.ckpt").write_bytes(stream.getvalue())
    loaded = ms.load_checkpoint(str(tmp_path / "sliced.ckpt"))
    assert {name: parameter.asnumpy().tobytes() for name, parameter in loaded.items()} == {
        name: array.tobytes() for name, array in values.items()
    }
    ours = {info.name: read(info) for info in open_checkpoint(tmp_path / "sliced.ckpt").tensors}
    assert all(np.array_equal(ours[name], array) for name, array in values.items())


def test_a_parameter_of_over_512_mib_in_bounded_memory(tmp_path: Path) -> None:
    import tracemalloc

    source = tmp_path / "big.bin"
    size = (600 << 20) // 2
    with source.open("wb") as stream:
        stream.truncate(size * 2)  # sparse
        stream.seek(2 * (size - 1))
        stream.write(b"\x80\x3f")
    info = TensorInfo("big.weight", "bfloat16", (size // 16, 16), str(source), ((0, size * 2),))

    class Sink(io.RawIOBase):
        heads: list[bytes] = []
        length = 0
        last = b""

        def write(self, data: Any) -> int:
            piece = memoryview(data).cast("B")
            if len(piece) < 100:
                self.heads.append(bytes(piece))
            self.length, self.last = self.length + len(piece), bytes(piece[-2:])
            return len(piece)

    sink = Sink()
    tracemalloc.start()
    write_ckpt(sink, [Output(info.name, info.dtype, info.shape, (info,))])  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 << 20
    assert len(sink.heads) == 2 and sink.length == size * 2 + sum(map(len, sink.heads)) and sink.last == b"\x80\x3f"


def test_joined_parts_rows_and_a_transposed_matrix_through_a_map(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    generator = torch.Generator().manual_seed(2)
    joined = torch.randn(12, 4, generator=generator)
    square = torch.randn(5, 5, generator=generator)
    save_file({"attn.in_proj_weight": joined, "fc.weight": square}, tmp_path / "ref.safetensors")
    own = {f"attn.{name}.weight": torch.zeros(4, 4) for name in ("query", "key", "value")}
    save_file(own | {"fc.weight": torch.zeros(5, 5)}, tmp_path / "own.safetensors")
    given = tmp_path / "map.yaml"
    ran = accucheck(
        *("convert", tmp_path / "ref.safetensors", tmp_path / "first.safetensors"),
        *("--like", tmp_path / "own.safetensors", "--write-map", given),
    )
    assert ran.code == 0, ran
    found = load_file(tmp_path / "first.safetensors")
    assert "paired by the order" not in ran.out
    assert all(
        torch.equal(found[f"attn.{name}.weight"], joined[4 * at : 4 * at + 4])
        for at, name in enumerate(("query", "key", "value"))
    )
    given.write_text(given.read_text().replace("fc.weight: fc.weight", "fc.weight: {name: fc.weight, transpose: true}"))
    ran = accucheck(
        *("convert", tmp_path / "ref.safetensors", tmp_path / "second.ckpt", "--json"),
        *("--like", tmp_path / "own.safetensors", "--map", given),
    )
    told = json.loads(ran.out)
    assert ran.code == 0 and told["complete"] and told["left_out"] == {}
    assert {row["name"]: row["change"] for row in told["parameters"]}["fc.weight"] == "transpose"
    turned = {info.name: read(info) for info in open_checkpoint(tmp_path / "second.ckpt").tensors}["fc.weight"]
    assert np.array_equal(turned, square.numpy().T)
    # The other way: three become one.
    ran = accucheck(
        *("convert", tmp_path / "first.safetensors", tmp_path / "back.safetensors"),
        *("--like", tmp_path / "ref.safetensors"),
    )
    assert ran.code == 0, ran
    assert torch.equal(load_file(tmp_path / "back.safetensors")["attn.in_proj_weight"], joined)


def test_without_a_network_the_kinds_of_layers_decide_and_what_does_not_is_told(tmp_path: Path) -> None:
    state = network().state_dict() | {"10.weight": torch.ones(7)}
    torch.save({"state_dict": state}, tmp_path / "ref.pth")
    ran = accucheck("convert", tmp_path / "ref.pth", tmp_path / "out.ckpt", "--json")
    told = json.loads(ran.out)
    assert ran.code == 1 and not told["complete"]
    names = {row["name"].removeprefix("state_dict."): row for row in told["parameters"]}
    assert {"1.gamma", "1.moving_mean", "5.beta", "6.weight_ih_l0", "7.bias", "0.weight"} <= set(names)
    assert names["2.weight"]["shape"] == [4, 8, 1, 5]
    # The names "3" and "4" do not tell an Embedding from a Dense without a bias.
    assert [name.removeprefix("state_dict.") for name in told["unsure"]] == ["3.weight", "4.weight", "10.weight"]
    assert list(told["left_out"]) == ["unneeded"]
    chinese = accucheck("convert", tmp_path / "ref.pth", tmp_path / "zh.ckpt", "--lang", "zh")
    assert chinese.code == 1 and "--like" in chinese.out and "不完整" in chinese.out


LISTS = Path(__file__).with_name("parameter_maps")


@pytest.mark.part(3)
@pytest.mark.parametrize("name", sorted(path.name.removesuffix(".json.gz") for path in LISTS.glob("*.json.gz")))
def test_no_kind_of_layer_is_taken_for_another_in_real_networks(name: str) -> None:
    lists = json.loads(gzip.decompress((LISTS / f"{name}.json.gz").read_bytes()))
    sides = {
        side: [TensorInfo(*row[:1], row[2], tuple(row[1]), "") for row in lists[side]]
        for side in ("mindspore", "pytorch")
    }
    whole = [(own, other) for own, other, _, rows in lists["pairs"] if rows is None]
    checked = 0
    for to, pairs in (("mindspore", {other: own for own, other in whole}), ("pytorch", dict(whole))):
        for one in renamed(sides["pytorch" if to == "mindspore" else "mindspore"], to):
            leaf = pairs.get(one.info.name, "").rpartition(".")[2]
            # torch.nn.MultiheadAttention is that of mindspore.nn; here it stands against two Dense.
            own = one.info.name.rpartition(".")[2] in facts.PROJECTIONS or leaf in facts.PROJECTIONS
            if one.sure and facts.LEAF.match(leaf) and not own:
                assert one.name.rpartition(".")[2] == leaf, one.info.name
                checked += 1
    assert checked > 10


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    (tmp_path / "own.ckpt").write_bytes(
        ckpt(
            {
                "conv.weight": drawn(4, 4, 3, 3),
                "norm.gamma": drawn(4),
                "head.weight": drawn(9, 4),
                "new.weight": drawn(2, 2),
            }
        )
    )
    state = {"conv.weight": torch.ones(4, 4, 3, 3), "norm.weight": torch.ones(4), "head.weight": torch.ones(5, 4)}
    state |= {"gone.weight": torch.ones(3, 3, 7, 7)}
    torch.save(
        {"model": state, "optimizer": {"state": {0: {"exp_avg": torch.ones(4, 4, 3, 3)}}, "param_groups": []}},
        tmp_path / "ref.pth",
    )
    ran = accucheck("convert", tmp_path / "ref.pth", tmp_path / "out.ckpt", "--like", tmp_path / "own.ckpt", "--json")
    told = json.loads(ran.out)
    assert ran.code == 1 and not told["complete"]
    assert [row["name"] for row in told["parameters"]] == ["conv.weight", "norm.gamma"]
    assert told["left_out"]["missing"] == ["new.weight"] and "gone.weight" in told["left_out"]["unused"][0]
    assert told["left_out"]["shapes"][0].startswith("head.weight [9, 4]")
    assert told["left_out"]["state"]
    assert [info.name for info in open_checkpoint(tmp_path / "out.ckpt").tensors] == ["conv.weight", "norm.gamma"]


@pytest.mark.part(3)
def test_types_that_a_ckpt_cannot_hold_are_told(tmp_path: Path) -> None:
    state = {"a.table": torch.ones(3, dtype=torch.complex64), "b.table": torch.ones(3), "c.table": torch.ones(0, 3)}
    state["d.table"] = torch.ones(4).to(torch.float8_e4m3fn)
    torch.save(state, tmp_path / "ref.pth")
    ran = accucheck("convert", tmp_path / "ref.pth", tmp_path / "out.ckpt", "--json")
    told = json.loads(ran.out)
    assert ran.code == 1 and [row["name"] for row in told["parameters"]] == ["b.table"]
    assert told["left_out"]["type"] == ["a.table (complex64)", "d.table (float8_e4m3fn)"]
    assert told["left_out"]["empty"] == ["c.table"]
    ran = accucheck("convert", tmp_path / "ref.pth", tmp_path / "out.safetensors")
    assert ran.code == 0, ran


@pytest.mark.part(40)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ref.pth", "out.pth"), "must end in .ckpt or .safetensors"),
        (("ref.pth", "there.ckpt"), "exists and was left as it is"),
        (("ref.pth", "ref.ckpt", "--like", "ref.ckpt", "--force"), "is read here"),
        (("no.pth", "out.ckpt"), "does not exist"),
        (("noise.pth", "out.ckpt"), "noise.pth"),
        (("cut.pth", "out.ckpt"), "cut.pth"),
        (("ref.pth", "out.ckpt", "--map", "map.yaml"), "--map needs --like"),
        (("ref.pth", "out.ckpt", "--to", "pytorch", "--like", "ref.ckpt"), "--to is not needed"),
        (("plain.safetensors", "out.ckpt"), "--to mindspore or --to pytorch"),
        (("ranks", "out.ckpt"), "more than once"),
        (("twice.ckpt", "out.ckpt", "--to", "pytorch"), "would both be called"),
        (("ref.pth", "out.ckpt", "--like", "other.ckpt"), "Not one parameter"),
        (("ref.pth", "out.ckpt", "--like", "ref.ckpt", "--map", "wrong.yaml"), "wrong.yaml:2"),
        (("ref.pth", "missing/out.ckpt"), "missing"),
    ],
)
def test_wrong_use_is_told_and_nothing_is_touched(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    torch.save({"fc.weight": torch.ones(3, 2), "fc.bias": torch.ones(3)}, tmp_path / "ref.pth")
    (tmp_path / "cut.pth").write_bytes((tmp_path / "ref.pth").read_bytes()[:-200])
    (tmp_path / "noise.pth").write_bytes(b"\xff\x00noise" * 50)
    (tmp_path / "there.ckpt").write_bytes(b"mine")
    (tmp_path / "ref.ckpt").write_bytes(ckpt({"fc.weight": drawn(3, 2), "fc.bias": drawn(3)}))
    (tmp_path / "other.ckpt").write_bytes(ckpt({"conv.weight": drawn(3, 2, 5, 5)}))
    (tmp_path / "twice.ckpt").write_bytes(ckpt({"n.gamma": drawn(3), "n.beta": drawn(3), "n.bn2d.gamma": drawn(3)}))
    (tmp_path / "wrong.yaml").write_text("parameters:\n  no.such: fc.weight\n")
    (tmp_path / "map.yaml").write_text("parameters: {}\n")
    for rank in ("0", "1"):
        (tmp_path / "ranks" / f"rank_{rank}").mkdir(parents=True)
        (tmp_path / "ranks" / f"rank_{rank}" / "net.ckpt").write_bytes(ckpt({"fc.weight": drawn(3, 2)}))
    header = b'{"fc.weight":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    (tmp_path / "plain.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    ran = accucheck("convert", *arguments, cwd=tmp_path)
    assert ran.code == 2 and words in ran.err and "Traceback" not in ran.err, ran
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_file_that_shrinks_meanwhile_leaves_no_output(tmp_path: Path) -> None:
    torch.save({"fc.weight": torch.ones(300, 200)}, tmp_path / "ref.pth")
    source = open_checkpoint(tmp_path / "ref.pth")
    plan = by_kind(source, "mindspore")
    os.truncate(tmp_path / "ref.pth", 1000)
    from accucheck.errors import ReadError
    from accucheck.store import atomically

    (tmp_path / "out.safetensors").write_bytes(b"before")
    with pytest.raises(ReadError), atomically(tmp_path / "out.safetensors") as stream:
        write_safetensors(stream, [row.output for row in plan.rows])
    assert (tmp_path / "out.safetensors").read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.safetensors", "ref.pth"]


def test_hostile_names_are_written_or_told() -> None:
    names = ["\x1b[31mred", "ü.weight", "weight", ".weight", "__metadata__", "\ud800.weight", "n" * 5000]
    source = Checkpoint("x", "torch", ["x"], [TensorInfo(name, "float32", (), "x") for name in names])
    from accucheck.converting import _drop_unwritable

    plan = by_kind(source, "mindspore")
    _drop_unwritable(plan, ".safetensors")
    assert [row.output.name for row in plan.rows] == names[:4]
    assert plan.left["bad-name"] == names[4:]
