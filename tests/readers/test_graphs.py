"""Graphs as MindSpore writes them, against MindSpore's own protobuf classes; and as a broken disk or an attacker would."""

import random
import struct
import tracemalloc
from pathlib import Path

import google_crc32c
import pytest

from accucheck.errors import ReadError
from accucheck.probes.graph_connectivity import EXAMPLES
from accucheck.readers import graphs as reader
from accucheck.readers.graphs import Graph, files, format_of, graphs
from graph_files import CONNECTED, NOT_CONNECTED

IR: bytes = EXAMPLES[0].files["graphs/ms_output_optimize.pb"]


def varint(value: int) -> bytes:
    return (bytes([value & 127 | 128]) + varint(value >> 7)) if value > 127 else bytes([value])


def field(number: int, payload: bytes) -> bytes:
    return bytes([number << 3 | 2]) + varint(len(payload)) + payload


def only(path: Path) -> Graph:
    (graph,) = graphs(path)
    return graph


def outcome(path: Path) -> str:
    """The code of the ReadError, or "read"."""
    try:
        list(graphs(path))
    except ReadError as error:
        assert error.data["path"] == str(path) and "{" not in str(error)
        return error.code
    return "read"


def masked(data: bytes) -> bytes:
    crc = google_crc32c.value(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(event: bytes) -> bytes:
    length = struct.pack("<Q", len(event))
    return length + masked(length) + event + masked(event)


def summary(*events: bytes) -> bytes:
    return record(b"\x09" + b"\0" * 8 + field(3, b"MindSpore.Event:1")) + b"".join(map(record, events))


# against MindSpore


@pytest.mark.slow
@pytest.mark.mindspore
@pytest.mark.parametrize("name", [*CONNECTED, *NOT_CONNECTED, "loop"])
def test_ir_dumps_hold_what_mindspore_reads_from_them(name, real_graphs):
    from mindspore.train.anf_ir_pb2 import ModelProto

    paths = sorted((real_graphs[name] / "ir").glob("*.pb"))
    assert len(paths) >= 4
    for path in paths:
        model = ModelProto.FromString(path.read_bytes())
        graph = only(path)
        assert (graph.format, graph.name) == ("IR", model.graph.name)
        assert [(node.name, node.op, node.scope, list(node.inputs)) for node in graph.nodes] == [
            (node.name, node.op_type, node.scope, [end.name for end in node.input]) for node in model.graph.node
        ]
        assert [(entry.name, list(entry.shape)) for entry in graph.parameters] == [
            (entry.name, [dim.size for dim in entry.type.tensor_type.shape.dim]) for entry in model.graph.parameters
        ]
        assert graph.outputs == [end.name for end in model.graph.outputs]
        assert graph.whole or name == "loop"


@pytest.mark.slow
@pytest.mark.mindspore
@pytest.mark.parametrize("name", [*CONNECTED, *NOT_CONNECTED, "loop"])
def test_mindir_holds_what_mindspore_reads_from_it(name, real_graphs):
    from mindspore.train.mind_ir_pb2 import ModelProto

    path = real_graphs[name] / "net.mindir"
    model = ModelProto.FromString(path.read_bytes())
    operations = {primitive.name: primitive.op_type for primitive in model.primitives}
    nodes = [node for graph in (model.graph, *model.functions) for node in graph.node]
    graph = only(path)
    assert graph.whole and graph.format == "MindIR"
    assert [(node.name, node.op) for node in graph.nodes] == [
        (node.output[0], operations.get(node.op_type[5:], "call") if "::" in node.op_type else node.op_type)
        for node in nodes
    ]
    assert [(entry.name, entry.dtype, list(entry.shape)) for entry in graph.parameters] == [
        (entry.name.split(":")[1], "float32", list(entry.dims)) for entry in model.graph.parameter
    ]
    assert ("call" in {node.op for node in graph.nodes}) == (name == "loop") == bool(model.functions)
    known = {node.name for node in graph.nodes} | {entry.name for entry in graph.parameters}
    assert graph.outputs[0] in known


@pytest.mark.slow
@pytest.mark.mindspore
def test_a_weight_has_one_name_in_all_three_formats(real_graphs):
    from mindspore import load_checkpoint

    folder = real_graphs["residual"]
    names = set(load_checkpoint(str(folder / "initial.ckpt")))
    assert {entry.name for entry in only(folder / "net.mindir").parameters} == names
    (path,) = (folder / "summary").glob("*_MS")
    graph = only(path)
    assert graph.format == "Summary" and graph.whole
    assert names < {entry.name for entry in graph.parameters}
    dumped = only(folder / "ir" / "ms_output_optimize.pb")
    assert {node.op for node in graph.nodes} == {node.op for node in dumped.nodes}
    assert graph.parameters == dumped.parameters
    shapes = {entry.name: (entry.dtype, entry.shape) for entry in graph.parameters}
    assert shapes["block.conv1.weight"] == ("float32", (4, 1, 3, 3))
    assert shapes["inputs1"] == ("int32", (2,))


@pytest.mark.slow
@pytest.mark.mindspore
def test_real_files_cut_at_every_byte(real_graphs, tmp_path):
    (events,) = (real_graphs["residual"] / "summary").glob("*_MS")
    smallest = min((real_graphs["loop"] / "ir").glob("*.pb"), key=lambda path: path.stat().st_size)
    cut = tmp_path / "cut"
    for path, step in (
        (real_graphs["small"], 1),
        (smallest, 1),
        (events, 1),
        (real_graphs["loop"] / "net.mindir", 101),
    ):
        whole, content = list(graphs(path)), path.read_bytes()
        read = 0
        for length in range(0, len(content), step):
            cut.write_bytes(content[:length])
            found = []
            try:
                found += graphs(cut)
                read += 1
            except ReadError as error:
                assert error.code in ("empty", "truncated", "malformed", "unknown-format", "record-checksum"), (
                    error.code
                )
                assert format_of(path) == "Summary" or not found
            else:
                assert [graph.nodes for graph in found] in ([graph.nodes for graph in whole], []), length
                assert found or format_of(path) == "Summary", length  # a Summary file before its graph was written
        assert read < 700, "only what stands behind the graph may be missing"


@pytest.mark.slow
@pytest.mark.mindspore
def test_an_encrypted_mindir_is_named_as_such(real_graphs):
    assert outcome(real_graphs["secret"]) == "encrypted"


# files that no MindSpore wrote


def test_a_dump_cut_at_every_byte(tmp_path):
    path = tmp_path / "cut.pb"
    for length in range(len(IR)):
        path.write_bytes(IR[:length])
        assert outcome(path) in ("empty", "truncated", "unknown-format"), length
    path.write_bytes(IR)
    assert [node.op for node in only(path).nodes][:3] == ["MatMul", "MatMul", "ReduceMean"]


def test_hostile_messages_are_refused(tmp_path):
    cases = {
        "length of 2^63": b"\x08\x01\x22" + b"\xff" * 9 + b"\x01" + b"a" * 40,
        "varint without end": b"\x08\x01\x22\x0c\x08" + b"\xff" * 11,
        "node beyond its graph": b"\x08\x01\x22\x04\x0a\x7fab" + b"\x2a\x00",
        "name that is no text": b"\x08\x01" + field(4, field(2, b"\xff\xfe")) + b"\x2a\x00",
        "long name": b"\x08\x01" + field(4, field(2, b"a" * 100_000)) + b"\x2a\x00",
        "group": b"\x08\x01" + field(4, b"\x0b\x0c") + b"\x2a\x00",
        "no graph": b"\x08\x01\x22",
        "MindIR without its operators": b"\x0a\x03abc\x12\x09MindSpore" + field(7, field(1, field(4, b"REF::Add:1"))),
        "MindIR without a graph": b"\x0a\x03abc\x12\x09MindSpore",
    }
    path = tmp_path / "hostile.pb"
    for name, content in cases.items():
        path.write_bytes(content)
        assert outcome(path) in ("malformed", "truncated"), name


def test_other_files_are_not_recognised(tmp_path):
    path = tmp_path / "other.pb"
    tensorboard = record(b"\x09" + b"\0" * 8 + field(3, b"brain.Event:2"))
    for content in (b"# IR entry: @kernel_graph0\n", b"\x89PNG\r\n", b"\x08", b"\x80\x02}q\x00.", tensorboard):
        path.write_bytes(content)
        assert format_of(path) is None
        assert outcome(path) == "unknown-format"
    path.write_bytes(b"")
    assert outcome(path) == "empty"
    assert outcome(tmp_path / "none.pb") == "not-found"


def test_random_damage_never_raises_anything_but_readerror(tmp_path):
    generator = random.Random(5)
    path = tmp_path / "damaged.pb"
    codes = set()
    for _ in range(1500):
        damaged = bytearray(IR)
        for _ in range(generator.randint(1, 4)):
            damaged[generator.randrange(3, len(damaged))] = generator.randrange(256)
        path.write_bytes(damaged)
        codes.add(outcome(path))
    assert {"read", "malformed", "truncated"} <= codes <= {"read", "malformed", "truncated", "unknown-format"}


def test_values_of_weights_are_not_read(tmp_path):
    """A MindIR with 80 MB of weights takes no memory for them."""
    weight = field(7, b"net:w") + b"\x08\x05" + b"\x10\x01" + field(9, b"\0" * 80_000_000)
    node = field(1, b"net:w") + field(2, b"net:y") + field(4, b"ReLU") + field(7, b"Default/relu-ReLU/ReLU-op0")
    graph = field(1, node) + field(2, b"net") + field(3, weight) + field(6, field(1, b"net:y"))
    path = tmp_path / "large.mindir"
    path.write_bytes(b"\x0a\x031.1\x12\x09MindSpore" + field(7, graph))
    tracemalloc.start()
    found = only(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000
    assert [(entry.name, entry.dtype, entry.shape) for entry in found.parameters] == [("w", "float32", (5,))]
    assert found.nodes[0].inputs == ("w",) and found.nodes[0].scope == "Default/relu-ReLU"


def test_graphs_before_a_damaged_record_are_given(tmp_path):
    content = summary(field(4, IR[IR.index(b"\x22") :][3:]), b"\x10\x05")
    path = tmp_path / "events.out.events.summary.1.host_MS"
    path.write_bytes(content)
    assert len(list(graphs(path))) == 1
    path.write_bytes(content[:-3])
    reading = graphs(path)
    assert len(next(reading).nodes) == 8
    with pytest.raises(ReadError, match="truncated"):
        next(reading)


def test_the_files_of_a_folder(tmp_path):
    for name in ("b/2.pb", "a/1.pb", "rank_0/3.pb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "a" / "again").symlink_to(tmp_path)
    found = [str(path.relative_to(tmp_path)) for path in files(tmp_path, pytest.fail)]
    assert found == ["a/1.pb", "b/2.pb", "rank_0/3.pb"]
    assert list(files(tmp_path / "a" / "1.pb", pytest.fail)) == [tmp_path / "a" / "1.pb"]


@pytest.mark.parametrize("block", [21, 64, 1 << 20])
def test_a_graph_is_the_same_in_blocks_of_any_size(tmp_path, monkeypatch, block):
    """Names of one byte, of more than 127 and of more than 16,383, inputs that only settle an order, and types that are said again."""
    tensor = field(2, b"\x08\x0b" + field(2, field(1, b"\x08\x90\x03") + field(1, b"\x08\x04")))
    names = ["a", "b" * 200, "c" * 20_000, "d"]
    body = b"".join(field(3, field(1, name.encode()) + field(2, b"\x08\x0e" + tensor)) for name in ("x", "net.weight"))
    for at, name in enumerate(names):
        before = names[at - 1] if at else "x"
        ends = field(1, field(1, before.encode())) + field(1, field(1, b"net.weight") + b"\x10\x01")
        ends += field(1, field(1, b"net.weight") + b"\x10\x00")
        body += field(
            1, ends + field(2, name.encode()) + field(3, b"Add") + field(4, b"Default/net-Net") + field(6, tensor)
        )
    path = tmp_path / "ms_output_blocks.pb"
    path.write_bytes(b"\x08\x01" + field(4, body + field(4, field(1, b"d"))))
    monkeypatch.setattr(reader, "_WHOLE", 16)
    monkeypatch.setattr(reader, "_BLOCK", block)
    (graph,) = graphs(path, outputs=True)
    assert [node.name for node in graph.nodes] == names and graph.whole
    assert {(node.op, node.scope) for node in graph.nodes} == {("Add", "Default/net-Net")}
    assert [node.inputs for node in graph.nodes] == [(before, "net.weight") for before in ("x", *names[:-1])]
    assert {node.output for node in graph.nodes} == {reader.Parameter("", "float32", (400, 4))}
    assert graph.parameters == [reader.Parameter(name, "float32", (400, 4)) for name in ("x", "net.weight")]
