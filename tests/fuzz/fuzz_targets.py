"""The table of everything that reads what somebody else wrote: one row a reader.

A row names the file that the bytes become, what lies beside it, whole files to begin from, made by the libraries whose formats these
are or taken from the examples of the probes, and the public functions that read it, all of its values too.
"""

import functools
import io
import json
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import google_crc32c
import msgspec
import numpy as np

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.errors import UserError
from accucheck.language import encodable
from accucheck.model import Finding, Kind, Language

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "digits_faulty"
#: Beside twice the input: what libraries for arrays and tables set aside for their blocks.
MEMORY = 96 << 20


class Target(NamedTuple):
    """`seeds` makes whole files in a folder that is thrown away; `real` more of them, which take too long for each run. `memory` is
    what may be taken beside twice the input. `fresh`: in a new folder each time. `executes`: filled templates are compiled code."""

    name: str
    file: str
    seeds: Callable[[Path], Iterable[bytes]]
    read: Callable[[Path], object]
    beside: Callable[[Path], object] = lambda folder: None
    wrap: Callable[[bytes], bytes] = lambda data: data
    real: Callable[[Path], Iterable[bytes]] = lambda folder: ()
    memory: int = MEMORY
    fresh: bool = False
    executes: bool = False
    allowed: tuple[type[BaseException], ...] = (UserError,)


# --- whole files ------------------------------------------------------------------------------------------------------


def given(*contents: bytes | str) -> Callable[[Path], list[bytes]]:
    """Seeds that are written here."""
    return lambda folder: [one.encode() if isinstance(one, str) else one for one in contents]


def of_examples(*names: str, ending: str, every: int = 1) -> Callable[[Path], Iterator[bytes]]:
    """The files with this ending of every so-manieth example of these probes."""

    def made(folder: Path) -> Iterator[bytes]:
        known = set()
        for name in names:
            for number, example in enumerate(probe.load(name).EXAMPLES[::every]):
                root = folder / f"{name}-{number}"
                root.mkdir()
                example.lay_out(root)
                for path in sorted(root.rglob(f"*{ending}")):
                    content = path.read_bytes()
                    if content not in known and len(content) < 1 << 16:
                        known.add(content)
                        yield content

    return made


def both(*parts: Callable[[Path], Iterable[bytes]]) -> Callable[[Path], Iterator[bytes]]:
    def made(folder: Path) -> Iterator[bytes]:
        for number, part in enumerate(parts):
            (folder / f"part-{number}").mkdir()
            yield from part(folder / f"part-{number}")

    return made


def found(write: Callable[[Path], object], pattern: str, most: int = 20) -> Callable[[Path], list[bytes]]:
    """The files of this pattern below a folder that `write` fills."""

    def made(folder: Path) -> list[bytes]:
        write(folder)
        return [path.read_bytes() for path in sorted(folder.rglob(pattern)) if path.is_file()][:most]

    return made


# --- reading ----------------------------------------------------------------------------------------------------------


def attempt(*calls: Callable[[], Any], allowed: tuple[type[BaseException], ...] = (UserError,)) -> None:
    """Make each call, to the end where it gives one thing after the other; an error that is allowed speaks."""
    from fuzz_guard import spoken

    for call in calls:
        try:
            result = call()
            if isinstance(result, Iterator):
                for _ in result:
                    pass
        except allowed as error:
            spoken(error)


def case_of(root: Path, **spec: Any) -> Case:
    return Case(root=str(root), spec=msgspec.convert(spec, CaseFile))


def probed(case: Case, *names: str, **params: Any) -> None:
    """Run probes, and have each finding speak, as a report does."""
    for name in names:
        module = probe.load(name)
        if probe.missing(module, case):
            continue
        try:
            for event in module.run(case, probe.params(module, params)):
                if isinstance(event, Finding):
                    told = msgspec.json.encode(encodable(msgspec.to_builtins(event)))  # as it leaves the process
                    msgspec.json.decode(told, type=Finding)
                    for language in Language:
                        assert probe.message(module, event.code, event.data, language)
                        probe.explanation(module, event, language)
        except probe.Skip as skip:
            for language in Language:
                assert probe.reason_text(name, skip.reason, language)
        except UserError as error:
            assert error.text(Language.EN) and error.text(Language.ZH)


# --- checkpoints ------------------------------------------------------------------------------------------------------

_WEIGHTS = {"fc.weight": np.arange(12, dtype=np.float32).reshape(3, 4), "fc.bias": np.zeros(3, np.float16)}
_STATE = {"moment1.fc.weight": np.ones((3, 4), np.float32), "global_step": np.array([3], np.int32)}


def checkpoint(path: Path) -> None:
    """All of a checkpoint: names, checksums, values, statistics, how it stands against another."""
    from accucheck.parameter_map import pair_parameters, renamed
    from accucheck.readers.checkpoints import chunks, open_checkpoint, verify
    from accucheck.readers.tensor_statistics import histogram, rows_equal, statistics

    opened = open_checkpoint(path)

    def values() -> None:
        for info in opened.tensors:
            if not info.obstacle:
                attempt(lambda info=info: chunks(info), lambda info=info: rows_equal(info))

    def numbers() -> None:
        for info, told in statistics([info for info in opened.weights if not info.obstacle], processes=1):
            histogram(info, told)

    attempt(
        lambda: verify(opened),
        values,
        numbers,
        lambda: [renamed(opened.tensors, to) for to in ("mindspore", "pytorch")],
    )
    attempt(lambda: pair_parameters(opened.tensors, opened.tensors))


def _ckpt(folder: Path) -> Iterator[bytes]:
    import mindspore as ms

    arrays = {**_WEIGHTS, **_STATE, "flag": np.array([True]), "scalar": np.float64(2)}
    saved = [{"name": name, "data": ms.Tensor(array)} for name, array in arrays.items()]
    saved.append({"name": "half", "data": ms.Tensor([1.5, 2], ms.bfloat16)})
    for name, more in (
        ("plain", {}),
        ("crc", {"crc_check": True}),
        ("texts", {"append_dict": {"epoch": 3, "lr": 0.1}}),
    ):
        ms.save_checkpoint(saved, str(folder / f"{name}.ckpt"), **more)
        yield (folder / f"{name}.ckpt").read_bytes()


def _safetensors(folder: Path) -> Iterator[bytes]:
    from safetensors.numpy import save

    yield save({**_WEIGHTS, **_STATE}, {"format": "pt", "crc_num": "12"})
    yield save({"x": np.zeros((0, 2), np.int8)})


def _torch(zipped: bool) -> Callable[[Path], Iterator[bytes]]:
    def made(folder: Path) -> Iterator[bytes]:
        import torch

        layer = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
        optimizer = torch.optim.Adam(layer.parameters())
        layer(torch.ones(2, 3)).sum().backward()
        optimizer.step()
        shared = torch.arange(12, dtype=torch.bfloat16).reshape(3, 4)
        for content in (
            layer.state_dict(),
            {"model": layer.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3},
            {"a": shared, "b": shared.t()[1:], "c": torch.nn.Parameter(torch.zeros(2)), "d": torch.tensor(3)},
        ):
            stream = io.BytesIO()
            torch.save(content, stream, _use_new_zipfile_serialization=zipped)
            yield stream.getvalue()

    return made


def _pickles(folder: Path) -> Iterator[bytes]:
    for content in _torch(True)(folder):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield archive.read(next(name for name in archive.namelist() if name.endswith("data.pkl")))


def _archive(pickled: bytes) -> bytes:
    """A pickle as torch.save would store it, with numbers beside it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
        archive.writestr("archive/byteorder", "little")
        for key in range(12):
            archive.writestr(f"archive/data/{key}", bytes(range(64)))
        archive.writestr("archive/version", "3\n")
    return stream.getvalue()


def _parts(folder: Path) -> None:
    for number, content in enumerate(_safetensors(folder)):
        (folder / f"model-{number}.safetensors").write_bytes(content)


_INDEX = json.dumps({"metadata": {}, "weight_map": {"x": "model-0.safetensors", "y": "model-1.safetensors"}})


def mapping(path: Path) -> None:
    from accucheck.parameter_map import read_map
    from accucheck.readers.checkpoints import open_checkpoint
    from accucheck.readers.dump_pairs import read_names

    tensors = open_checkpoint(path.parent / "model-0.safetensors").tensors
    attempt(lambda: read_map(path, tensors, tensors), lambda: read_names(path))


_MAP = """version: 1
parameters:
  fc.weight: fc.weight
  fc.bias: {name: fc.bias, rows: [0, 3]}
  moment1.fc.weight: [{name: moment1.fc.weight, transpose: true, own_rows: [0, 1]}]
ignore: [global_step]
"""

# --- curves -----------------------------------------------------------------------------------------------------------


def curve(path: Path) -> None:
    from accucheck.proposal.logs import examine
    from accucheck.readers import curves

    attempt(lambda: curves.read(path), lambda: curves.step_times(path), lambda: examine(path))
    case = case_of(path.parent, curves={"train": path.name, "eval": path.name, "lr_test": path.name})
    probed(case, "epoch_curve", "loss_scale", "step_waits", "lr_range", "first_loss")


def framed(*payloads: bytes) -> bytes:
    """Records with the checksums of TFRecord, which damage to a whole file seldom passes."""

    def masked(data: bytes) -> bytes:
        crc = google_crc32c.value(data)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    made = b""
    for data in payloads:
        length = struct.pack("<Q", len(data))
        made += length + masked(length) + data + masked(data)
    return made


def lengthwise(data: bytes) -> bytes:
    """Payloads, each after its length in two bytes, as records with right checksums."""
    payloads, at = [], 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 2], "little")
        payloads.append(data[at + 2 : at + 2 + size])
        at += 2 + size
    return framed(*payloads)


def _payloads(file: bytes) -> bytes:
    """The inverse of lengthwise()."""
    made, at = b"", 0
    while at + 12 <= len(file):
        (size,) = struct.unpack_from("<Q", file, at)
        made += struct.pack("<H", min(size, 0xFFFF)) + file[at + 12 : at + 12 + min(size, 0xFFFF)]
        at += 16 + size
    return made


def _board(folder: Path) -> None:
    from tensorboardX import SummaryWriter

    with SummaryWriter(str(folder)) as writer:
        for step, value in enumerate([1.0, float("nan"), float("inf"), 0.5]):
            writer.add_scalar("loss", value, step)
        writer.add_histogram("weights", np.ones(5), 1)
        writer.add_text("note", "text", 2)


def _summary(folder: Path) -> None:
    """A short training, told by SummaryCollector: scalars, histograms, the graph."""
    import mindspore as ms
    from mindspore import nn

    network = nn.Dense(2, 2)
    rows = [(np.ones(2, np.float32), np.int32(0))] * 4
    data = ms.dataset.GeneratorDataset(rows, ["x", "y"]).batch(2)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(network, loss, nn.SGD(network.trainable_params()))
    collector = ms.SummaryCollector(str(folder / "summary"), collect_freq=1, keep_default_action=True)
    model.train(2, data, callbacks=[collector], dataset_sink_mode=False)


def events(path: Path) -> None:
    from accucheck.readers import events as reader
    from accucheck.readers import graphs

    attempt(lambda: reader.histograms(path), lambda: reader.rows(path), lambda: graphs.graphs(path))
    board(path)
    curve(path)


def board(path: Path) -> None:
    """All curves of a file, its maps and histograms, drawn."""
    from accucheck import board as boards
    from accucheck.language import Language

    attempt(lambda: boards.write(boards.gather([(path, path.name)]), Language.EN))


def _tracked(*names: str) -> Callable[[Path], list[bytes]]:
    """The records of runs of W&B or SwanLab, each after its length in two bytes."""
    return lambda folder: [_records_of((ROOT / "tests/trackers" / name).read_bytes()) for name in names]


def _records_of(file: bytes) -> bytes:
    made, at = b"", 7
    while at + 7 <= len(file):  # the files that are kept are shorter than a block
        (size,) = struct.unpack_from("<H", file, at + 4)
        made += struct.pack("<H", size) + file[at + 7 : at + 7 + size]
        at += 7 + size
    return made


def _tracker(head: bytes) -> Callable[[bytes], bytes]:
    """The inverse of _records_of(), with right checksums; what does not fit into one block is left out."""

    def wrapped(data: bytes) -> bytes:
        made, at = head, 0
        while at < len(data):
            size = min(int.from_bytes(data[at : at + 2], "little"), (1 << 15) - 14)
            payload = data[at + 2 : at + 2 + size]
            piece = struct.pack("<IHB", zlib.crc32(b"\1" + payload), len(payload), 1) + payload
            left = -len(made) % (1 << 15)
            made += (b"\0" * left if left < len(piece) else b"") + piece
            at += 2 + size
        return made

    return wrapped


_MONITORED = """vpp_stage,name,step,micro_step,norm,min,nans,shape,dtype
0,layers.0.weight,0,0,1.0,-1.0,0.0,"[2, 2]",Float32
0,layers.1.weight,0,0,nan,-1.0,1.0,"[2, 2]",Float32
1,layers.0.weight,1,0,1.0,-1.0,0.0,"[2, 2]",Float32
"""


def _recording(folder: Path) -> Iterator[bytes]:
    from accucheck.recorder import Recorder

    with Recorder(folder / "run.jsonl") as recorder:
        for step in range(1, 4):
            recorder.step(epoch=step, loss=1 / step, overflow=step == 2, samples=[step, "a"])
        recorder.metrics(accuracy=0.5)
    whole = (folder / "run.jsonl").read_bytes()
    yield whole
    yield whole + whole


def recording(path: Path) -> None:
    from accucheck.readers.recordings import read

    attempt(lambda: read(path, samples=True))
    curve(path)


# --- graphs, dumps, profiles ------------------------------------------------------------------------------------------


def graph(path: Path) -> None:
    from accucheck.readers import graphs

    attempt(lambda: graphs.graphs(path))
    probed(case_of(path.parent, graphs={"path": path.name}), "graph_connectivity", "weight_sharing")


def _mindir(folder: Path) -> Iterator[bytes]:
    import mindspore as ms
    from mindspore import nn

    network = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 2))
    ms.export(network, ms.Tensor(np.ones((2, 2), np.float32)), file_name=str(folder / "net"), file_format="MINDIR")
    yield (folder / "net.mindir").read_bytes()


def _real_graphs(pattern: str) -> Callable[[Path], Iterable[bytes]]:
    from graph_files import write

    return lambda folder: [one for one in found(write, pattern, 60)(folder) if len(one) < 1 << 17][:20]


def dump(path: Path) -> None:
    from accucheck.readers import dump_pairs, dumps

    def values(place: Path) -> None:
        opened = dumps.open_dump(place)
        for problem in opened.problems:
            assert problem.text(Language.EN) and problem.text(Language.ZH)
        for operation in opened.operations[:200]:
            for tensor in operation.tensors[:50]:
                attempt(lambda tensor=tensor: dumps.examine(tensor))
        dump_pairs.match(opened, opened)

    root = path.parent
    while root.name != "work":
        root = root.parent
    attempt(lambda: values(root), lambda: values(path))
    probed(case_of(root, dumps={"path": "."}), "overflow")


_STATISTIC = (
    "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value,Avg Value,Count,Nan Count,"
    "Negative Inf Count,Positive Inf Count\n"
    'Log,Default/net/Log-op1,3,7,1700000000000001,input,0,64,float32,"(4,4)",2.5,-1,0.5,16,0,0,0\n'
    'Log,Default/net/Log-op1,3,7,1700000000000001,output,0,64,float32,"(4,4)",nan,-inf,0.5,16,3,1,0\n'
)
_TENSOR = {
    "type": "mindspore.Tensor",
    "dtype": "Float32",
    "shape": [2, 3],
    "Max": 1.0,
    "Min": -1.0,
    "Mean": 0.0,
    "Norm": 1.0,
}
_MSPROBE = {
    "task": "statistics",
    "level": "L1",
    "framework": "mindspore",
    "data": {
        "Cell.fc.Dense.forward.0": {
            "input_args": [_TENSOR, None, 3],
            "input_kwargs": {"x": [_TENSOR]},
            "output": [_TENSOR | {"data_name": "Cell.fc.Dense.forward.0.output.0.npy"}],
        },
        "Functional.log.0.backward": {"input": [_TENSOR], "output": [_TENSOR | {"Max": "nan"}]},
        "Cell.fc.Dense.parameters_grad.0": {"weight": [_TENSOR]},
    },
}
_OVERFLOW = {
    "DHA Atomic Add": {"model_id": 0, "stream_id": 0, "task_id": 0, "status": 0},
    "L2 Atomic Add": {"model_id": 0, "stream_id": 0, "task_id": 0, "status": 0},
    "AI Core": {"model_id": 0, "stream_id": 7, "task_id": 3, "status": 32},
}
_DUMPED = "rank_0/net/0/2"
_TENSOR_FILE = f"{_DUMPED}/Exp.Default_Exp-op1.3.7.1700000000000001.output.0.DefaultFormat.Float32.npy"


def _dumped(folder: Path) -> None:
    path = folder / _TENSOR_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.array([1, np.nan, np.inf], np.float32))


def _real_dump(pattern: str) -> Callable[[Path], Iterable[bytes]]:
    from dump_files import write

    return found(lambda folder: write(folder, "log"), pattern)


def profile(path: Path) -> None:
    from accucheck.readers import profiles

    def read(place: Path) -> None:
        for one in profiles.read(place):
            assert one.bottleneck is None or one.bottleneck.name is not None
            for problem in one.problems:
                assert problem.text(Language.EN) and problem.text(Language.ZH)

    root = path.parents[2]
    attempt(lambda: read(path), lambda: read(root))
    probed(case_of(root, profiler={"path": "."}), "profile_data", "profile_operators", "profile_steps")


def _real_profile(pattern: str) -> Callable[[Path], Iterable[bytes]]:
    from profiled_runs import write

    return found(lambda folder: write(folder, map_seconds=0, step_seconds=0, samples=64), pattern)


_DETAILS = (
    "Step ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us)\n"
    "0,a,MatMulV2,AI_CORE,1.5\t,100.5,1\n0,b,Cast,AI_VECTOR_CORE,2,49.5,1\n1,a,MatMulV2,AI_CORE,9,99.5,1\n"
)
_STEPS = "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n3,1000,200,10,210,300\n"
_QUEUE = "".join(f"0 0 {n} 7 {1000 + 10 * n}\n1 16 {n} {n % 2} {1000 + 10 * n}\n" for n in range(1, 6))

# --- data sets --------------------------------------------------------------------------------------------------------


def data_set(path: Path) -> None:
    """All that is done with a file of a data set: its kind, values, labels, samples, pictures, and the probes that look at all values."""
    from accucheck.readers import arrays, contents, detect, drawing, images, labels, mindrecord, samples, tables
    from accucheck.readers.places import plain

    def ours(path: Path) -> bool:
        try:
            return detect.detect(path) != "mindrecord" or mindrecord.version_of(path) == mindrecord.VERSION
        except UserError:
            return True

    allowed = (UserError, labels.NoLabelField, tables.RereadNeeded)
    case = case_of(path.parent, data={"train": {"path": path.name}})
    if not ours(path):
        return  # read by MindSpore in a process of its own
    probed(case, "missing_values", "class_balance", "label_conflicts", "input_statistics")
    kind = detect.detect(path)
    if kind in ("", "other"):
        kind = "json" if path.suffix == ".json" else ""

    def copied() -> None:
        with plain(path, kind) as copy:
            read(copy)

    def read(copy: Path) -> None:
        for label in (None, "label"):
            attempt(
                lambda label=label: labels.count(copy, kind, label),
                lambda label=label: drawing.labels_of(copy, kind, label),
                lambda label=label: contents.read(copy, kind, label, [0, 1, 5, 100]),
                lambda label=label: samples.batches(copy, kind, label),
                allowed=allowed,
            )
        if kind in detect.TABLES:
            calls = [lambda mode=mode: tables.batches(copy, kind, mode) for mode in tables.MODES]
            attempt(*calls, lambda: tables.expected_rows(copy, kind), allowed=allowed)
        if kind in ("npy", "npz", "idx", "cifar"):
            for array in arrays.arrays(copy, kind)[:20]:
                if not array.dtype.hasobject:
                    attempt(lambda array=array: arrays.read(array, 0, array.size))

    if kind == "image":
        attempt(lambda: images.check(path), lambda: contents.read(path, kind, None, [-1]))
    elif kind:
        attempt(copied)


def _labelled(kind: str, pattern: str) -> Callable[[Path], list[bytes]]:
    def write(folder: Path) -> None:
        from labelled_data import IMAGES, LABELS
        from labelled_data import write as write_data

        write_data(folder, kind, IMAGES[:4], LABELS[:4])

    return found(write, pattern, 4)


def _tables(folder: Path) -> Iterator[bytes]:
    yield b"id,value,label\n1,2.5,a\n2,,b\n3,nan,a\n"
    yield "名;值\r\n甲;1\r\n".encode("gbk")
    yield "a\tb\n1\t2\n".encode("utf-16")
    yield b'"a","b"\n"x ""y"" z","1\n2"\n'


def _parquet(folder: Path) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "id": [1, 2, None],
            "value": [0.5, float("nan"), None],
            "label": ["a", "b", None],
            "many": [[1, 2], None, []],
            "part": [{"x": 1}, None, {"x": None}],
            "picture": [b"\x89PNG", None, b""],
        }
    )
    for number, compression in enumerate(("none", "snappy", "zstd", "gzip")):
        pq.write_table(table, folder / f"{number}.parquet", compression=compression)
        yield (folder / f"{number}.parquet").read_bytes()


def _npz(folder: Path) -> Iterator[bytes]:
    for save in (np.savez, np.savez_compressed):
        stream = io.BytesIO()
        save(stream, images=np.zeros((3, 2, 2), np.uint8), labels=np.array([0, 1, 1]))
        yield stream.getvalue()


def _npy(folder: Path) -> Iterator[bytes]:
    arrays = (
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.ones((2, 3), np.int16)),
        np.array([b"a", b"bc"]),
        np.array(3),
    )
    for array in (*arrays, np.array(["x", "yz"]), np.array([{1: 2}], object), np.array([1 + 2j]), np.array([True])):
        stream = io.BytesIO()
        np.save(stream, array, allow_pickle=True)
        yield stream.getvalue()


def _idx(folder: Path) -> Iterator[bytes]:
    yield b"\0\0\x08\x01" + (4).to_bytes(4, "big") + bytes([0, 1, 2, 1])
    yield b"\0\0\x0d\x02" + (2).to_bytes(4, "big") * 2 + np.arange(4, dtype=">f4").tobytes()


def _records(folder: Path) -> bytes:
    from labelled_data import png, tfrecord

    picture = png(np.full((3, 3), 90, np.uint8))
    tfrecord(
        folder / "x", [{"image": picture, "label": 3, "name": b"n"}, {"image": picture, "label": 1 << 63, "name": b""}]
    )
    return (folder / "x").read_bytes()


def browsed(path: Path) -> None:
    """The rows of a data file as they are shown, as text and as a page."""
    from accucheck import browsing, browsing_pages

    found = browsing.page(path, 0, 20)
    list(browsing.lines(found, None, True, Language.EN))
    browsing_pages.web_page(found, None, Language.ZH)


def vocabulary(path: Path) -> None:
    from accucheck.readers import vocabulary as vocabularies

    assert all(isinstance(token, str) for token in vocabularies.read(path).tokens.values())


def _mindrecord(folder: Path) -> None:
    from mindspore.mindrecord import FileWriter

    writer = FileWriter(str(folder / "train.mindrecord"), 1)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    fields = {"label": "int32", "file": "string", "image": "bytes"}
    array = {"type": "float32", "shape": [-1, 2]}
    writer.add_schema({name: {"type": kind} for name, kind in fields.items()} | {"box": array})
    rows = [{"label": n, "file": f"{n}.x", "image": bytes(n), "box": np.ones((n, 2), np.float32)} for n in range(3)]
    writer.write_raw_data(rows)
    writer.commit()


@functools.cache
def _mindrecord_files() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        _mindrecord(Path(folder))
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def _beside_mindrecord(folder: Path) -> None:
    for name, content in _mindrecord_files().items():
        (folder / name).write_bytes(content)


def mindrecord_database(path: Path) -> None:
    data_set(path.with_name("train.mindrecord"))


def _tar(folder: Path) -> Iterator[bytes]:
    from labelled_data import png

    for form in (tarfile.USTAR_FORMAT, tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w", format=form) as archive:
            for name, content in (
                ("a.png", png(np.full((3, 3), 9, np.uint8))),
                ("a.cls", b"3"),
                ("a.json", b'{"label": 1}'),
                ("ordner/ä.txt", b"x"),
                ("b.npy", next(_npy(folder))),
                ("b.cls", b"1"),
            ):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        yield stream.getvalue()


def _pictures(folder: Path) -> Iterator[bytes]:
    from PIL import Image

    picture = Image.fromarray(np.arange(192, dtype=np.uint8).reshape(8, 8, 3))
    for form in ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "PPM"):
        stream = io.BytesIO()
        picture.save(stream, form)
        yield stream.getvalue()
    for mode in ("I;16", "1", "P", "RGBA", "F"):
        stream = io.BytesIO()
        picture.convert("L" if mode == "I;16" else mode).convert(mode).save(
            stream, "TIFF" if mode in ("F", "I;16") else "PNG"
        )
        yield stream.getvalue()


_COCO = {
    "images": [{"id": 0, "file_name": "0.png", "width": 3, "height": 3}, {"id": 1, "file_name": "../1.png"}],
    "annotations": [
        {"id": 1, "image_id": 0, "category_id": 2, "bbox": [0, 1, 2, 2]},
        {"id": 2, "image_id": 1, "category_id": 3, "bbox": [0, 1, 2.5, 2], "caption": "x"},
    ],
    "categories": [{"id": 2, "name": "cat"}, {"id": 3, "name": "dog"}],
}


def _beside_coco(folder: Path) -> None:
    from labelled_data import png

    for number in range(2):
        (folder / f"{number}.png").write_bytes(png(np.full((3, 3), 9, np.uint8)))


def _gzip(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data, mtime=0)


def digests(path: Path) -> None:
    """A list of MD5s, or a manifest, against the data beside it."""
    from accucheck import manifest
    from accucheck.readers import md5_lists

    attempt(lambda: md5_lists.parse(path.read_bytes(), path), lambda: manifest.read(path))
    case = case_of(path.parent, data={"train": {"path": "data"}, "reference": {"manifest": path.name}})
    probed(case, "dataset_digest", "dataset_nodes")


def _beside_digests(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "part-0.csv").write_bytes(b"a,b\n1,2\n")


def _manifest(folder: Path) -> Iterator[bytes]:
    from accucheck import manifest

    _beside_digests(folder)
    made = manifest.build(folder / "data")
    yield manifest.encode(made)
    for form in ("md5sum", "csv"):
        try:
            yield manifest.listing(made, form)
        except (UserError, KeyError, ValueError):
            continue


def names(path: Path) -> None:
    """Names of files and folders that nobody chose: what a project is found to hold. The content is a name a line."""
    from accucheck import manifest, proposal
    from accucheck.proposal import keys
    from accucheck.readers import detect

    root = path.parent / "project"
    root.mkdir()
    for line in path.read_bytes().split(b"\n")[:30]:
        parts = [part[:200] for part in line.replace(b"\0", b"").split(b"/")[:6] if part not in (b"", b".", b"..")]
        place = root
        try:
            for part in parts[:-1]:
                place = place / part.decode("utf-8", "surrogateescape")
                place.mkdir(exist_ok=True)
            if parts:
                (place / parts[-1].decode("utf-8", "surrogateescape")).write_bytes(b"import mindspore\nloss: 1.0\n")
        except OSError:
            continue
    problems: list[Exception] = []
    attempt(lambda: iter([*map(detect.detect, detect.files(root, problems.append))]))
    attempt(lambda: manifest.build(root))

    def proposed() -> None:
        survey = proposal.survey(root)
        for one in survey.proposals:
            for language in Language:
                one.reason(language)
            keys.check(case_of(root), one.key, str(one.value))

    attempt(proposed)


# --- scripts ----------------------------------------------------------------------------------------------------------


@functools.cache
def _static() -> tuple[str, ...]:
    return tuple(name for name in probe.names() if probe.load(name).KIND is Kind.STATIC)


def script(path: Path) -> None:
    """Every static probe on a script, as each of its roles."""
    from accucheck.proposal import scripts

    name = path.name
    roles = {"train": name, "eval": name, "infer": name}
    case = case_of(path.parent, scripts=roles, benchmark={"scripts": {"train": name}})
    probed(case, *_static())
    attempt(lambda: scripts.script_role(path), lambda: scripts.settings(path))


def _scripts(folder: Path) -> Iterator[bytes]:
    yield from of_examples(*_static(), ending=".py", every=6)(folder)
    yield from (path.read_bytes() for path in sorted(EXAMPLES.glob("*.py")))
    yield "# -*- coding: gbk -*-\nimport mindspore as ms\nname = '数据'\n".encode("gbk")
    yield b"\xef\xbb\xbfimport mindspore.nn as nn\r\nnet = nn.Dense(1, 2)\r\n"
    yield b"x = " + b"(" * 90 + b"1" + b")" * 90 + b"\n"
    yield b"x = 1\n" + b"".join(b" " * n + b"if x:\n" for n in range(90)) + b" " * 91 + b"pass\n"
    yield b"x = " + b"-" * 500 + b"1\ny = 'a' + " * 1 + b"'b' + " * 400 + b"'c'\n"
    yield b"x = a" + b".b" * 500 + b"\ny = f" + b"()" * 300 + b"\n"


def notebook(path: Path) -> None:
    case = case_of(path.parent, scripts={"train": path.name})
    probed(case, *_static())
    from accucheck.proposal import scripts

    attempt(lambda: scripts.script_role(path), lambda: scripts.settings(path))


_CODE = "import mindspore as ms\n%matplotlib inline\n!pip install x\nnet = ms.nn.Dense(1, 2)\n"
_NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Title"]},
        {
            "cell_type": "code",
            "source": _CODE.splitlines(keepends=True),
            "outputs": [],
            "execution_count": 1,
            "metadata": {},
        },
        {"cell_type": "code", "source": "%%bash\nls", "outputs": [], "execution_count": None, "metadata": {}},
    ],
    "metadata": {"kernelspec": {"name": "python3", "language": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def configuration(path: Path) -> None:
    case = case_of(
        path.parent, scripts={"train": f"train-{path.suffix[1:]}.py"}, configs={"used": path.name, "base": "base.yaml"}
    )
    probed(case, *_static())
    from accucheck.report import changes

    attempt(lambda: changes.changes(case))


def _beside_configuration(folder: Path) -> None:
    (folder / "base.yaml").write_text("lr: 0.1\nnet: {classes: [3]}\n")
    for ending, load in (("yaml", "yaml.safe_load(open('config.yaml'))"), ("json", "json.load(open('config.json'))")):
        (folder / f"train-{ending}.py").write_text(
            "import json, yaml\nimport mindspore as ms\nfrom mindspore import nn\n"
            f"config = {load}\n"
            "net = nn.Dense(config['width'], config['net']['classes'][0])\n"
            "opt = nn.Momentum(net.trainable_params(), config['lr'], config.get('momentum', 0.9))\n"
            "data = ms.dataset.GeneratorDataset([1], ['x'], shuffle=config['shuffle']).batch(config['batch'])\n"
            "ms.Model(net, nn.MSELoss(), opt).train(config['epochs'], data)\n"
        )


_CONFIG = {
    "width": 3,
    "net": {"classes": [10, 2]},
    "lr": 0.1,
    "momentum": None,
    "shuffle": True,
    "batch": 32,
    "epochs": 9,
}

# --- the product's own files ------------------------------------------------------------------------------------------


def case_file(path: Path) -> None:
    from accucheck import case

    def load() -> None:
        loaded = case.load(path.parent)
        assert loaded.facts is not None and loaded.name
        for key in case.path_keys():
            attempt(lambda key=key: loaded.paths(key), lambda key=key: probe.missing(probe.load("overflow"), loaded))
        text = path.read_bytes()
        attempt(
            lambda: case.with_keys(text, {"data.train.path": "new: path", "scripts.train": "a.py"}, "x", replace=True)
        )

    attempt(load, lambda: case.load(path.parent, ["data.train.path=a b", "name=x"]))


_CASE = """# a comment
name: digits
scripts: {train: train.py, eval: [eval.py, more.py]}
data:
  train: {path: data/train, label: label, fields: {x: {missing: [-1, "?"]}}}
  reference: {md5: data.md5}
pipelines:
  train: {call: "dataset:create", args: {rank: 0, path: data}}
checkpoints: {initial: a.ckpt, current: b.ckpt}
curves: {train: logs/train.log}
runtime: {device: CPU, mindspore: "2.10", distributed: {ranks: 8}}
"""


def checklist(path: Path) -> None:
    from accucheck import checklist as checklists
    from accucheck.document import read_text

    attempt(lambda: checklists.validate(read_text(path), str(path)))


def _checklists(folder: Path) -> Iterator[bytes]:
    whole = (ROOT / "checklists" / "accuracy.yaml").read_bytes()
    from path_checklist import __dict__ as known

    yield from (
        text.encode()
        for text in known.values()
        if isinstance(text, str) and text.lstrip().startswith(("version", "id", "name"))
    )
    yield whole[: whole.index(b"\n  - id:", whole.index(b"- id: ds.02") + 1)] if b"\n  - id:" in whole else whole[:9000]


def session(path: Path) -> None:
    """Open, ask and change a session; whatever its file was is still there."""
    from accucheck import difference, reviewing
    from accucheck.model import Verdict
    from accucheck.session import open_alone, open_session

    content, project = path.read_bytes(), path.parents[1]

    def opened() -> None:
        with open_session(project) as one:
            difference.of_record("x", one.record)
            for item in list(one.record.entries)[:5]:
                _ = one.entry(item).mark, one.entry(item).judgement, one.entry(item).outdated
            one.answer("ds.01", Verdict.PROBLEM, "kept")
        with open_session(project, write=False) as again:
            assert again.entry("ds.01").note == "kept"

    def alone() -> None:
        copy = project / "copy.json"
        copy.write_bytes(content)
        with open_alone(copy, write=False) as one:
            difference.of_record("x", one.record)
        with open_session(project) as mine:
            reviewing.take(mine, copy)

    attempt(alone)
    before = {each.read_bytes() for each in path.parent.iterdir() if each.is_file()}
    attempt(opened)
    kept = {each.read_bytes() for each in path.parent.iterdir() if each.is_file()}
    read = msgspec_reads(content)
    assert read or content in kept or content not in before, "a session that could not be read is lost"


def msgspec_reads(content: bytes) -> bool:
    """Whether a session can be read: then it is carried on, and need not be kept as it was."""
    from accucheck.session import decode

    try:
        decode(content, Path("x"))
    except UserError:
        return False
    return True


def _sessions(folder: Path) -> Iterator[bytes]:
    yield (ROOT / "tests" / "sessions" / "version_1.json").read_bytes()
    stored = json.loads((ROOT / "reports" / "session" / "session.json").read_bytes())
    few = dict(list(stored["entries"].items())[:3])
    yield json.dumps({**stored, "entries": few}).encode()
    from accucheck.model import Verdict
    from accucheck.session import Judgement, open_session

    with open_session(folder) as one:
        one.answer("ds.01", Verdict.PROBLEM, "a note", "me")
        one.review("ds.01", Judgement.RETURNED, "why", "you")
    yield (folder / ".accucheck" / "session.json").read_bytes()


def session_report(path: Path) -> None:
    """A session that somebody sent, as a report of every format."""
    from accucheck import report
    from accucheck.project import open_project

    opened = open_project(path, session="read")
    try:
        options = report.Options(formats=("md", "html", "json", "sarif", "junit"), languages=(Language.EN, Language.ZH))
        hide = report.redactor(opened, options)
        report.render(report.compose(opened, options, hide), "x", options)
    finally:
        if opened.session:
            opened.session.close()


def json_report(path: Path) -> None:
    from accucheck import difference

    content = path.read_bytes()
    if difference.is_report(content):
        side = difference.of_report("x", content)
        difference.compare(side, side)
    else:
        attempt(lambda: difference.of_report("x", content))


def _json_reports(folder: Path) -> Iterator[bytes]:
    stored = json.loads((ROOT / "reports" / "en" / "digits_faulty-accuracy.json").read_bytes())
    stored["items"] = stored["items"][:3]
    yield json.dumps(stored, ensure_ascii=False).encode()


@functools.cache
def _sample_report() -> Any:
    from accucheck import report
    from accucheck.project import open_project

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "session.json"
        shutil.copy(ROOT / "reports" / "session" / "session.json", copy)
        opened = open_project(copy, session="read")
        return report.compose(opened, report.Options(redact=False))


def _fonts(folder: Path) -> None:
    """The first chart of a user starts fc-list, whatever it is drawn of."""
    import matplotlib.font_manager  # noqa: F401


def template(path: Path) -> None:
    from accucheck import report

    options = report.Options(formats=(), template=path, redact=False)
    report.render(_sample_report(), "x", options)


def _templates(folder: Path) -> Iterator[bytes]:
    from accucheck.report.templating import SHIPPED

    yield b"# {{ title }}\n{% for section in sections %}{{ section }}{% endfor %}\n"
    yield b"{% macro f(x) %}{{ x|upper }}{% endmacro %}{{ f('a') }}{{ ''.__class__.__mro__ }}{% include 'other.md' %}"
    yield b"{% set x = namespace(n=0) %}{% for i in range(9) %}{% set x.n = x.n + i %}{% endfor %}{{ x.n }}{{ report|tojson }}"
    yield (SHIPPED / "report.md.j2").read_bytes()


def settings_file(path: Path) -> None:
    from accucheck import settings

    content = path.read_bytes()
    known, problem = settings.load()
    if problem is None and known.keys:
        from accucheck.tui.keymap import checked

        for error in checked(known.keys)[1]:
            assert error.text(Language.EN) and error.text(Language.ZH)
    settings.line_of("keys", "x")
    try:
        settings.keep_theme("nord")
        assert settings.load()[0].theme == "nord"
    except UserError:
        assert path.read_bytes() == content, "settings that cannot be changed are left as they are"
        raise


def own_state(path: Path) -> None:
    """The small files beside a session and in the home folder, all of the same content: a damaged one counts as none."""
    from accucheck import consent, marks, recent
    from accucheck.drafts import Drafts

    content = path.read_bytes()
    for name in ("consent.json", "drafts.json"):
        path.with_name(name).write_bytes(content)
    project = path.parents[1] / "project"
    (project / ".accucheck").mkdir(parents=True)
    (project / ".accucheck" / "labels.json").write_bytes(content)
    case = case_of(project, network={"call": "a:b"})
    for entry in recent.load():
        assert entry.there in (True, False)
    recent.forget("/nowhere")
    Drafts(path.with_name("drafts.json")).get("x")
    consent.granted(case)
    consent.grant(case)
    assert consent.granted(case)

    def plans() -> None:
        for plan in marks.load(case).plans.values():
            marks.rate(plan)
            marks.by_label(plan)
            marks.changes(case, plan)

    attempt(plans)


def _states(folder: Path) -> Iterator[bytes]:
    yield json.dumps(
        [{"path": "/x", "name": "x", "when": "2026-01-01T00:00:00Z", "done": 1, "total": 2, "item": "ds.01"}]
    ).encode()
    yield json.dumps({"ds.01": "a note\n", "ds.02": ""}).encode()
    yield json.dumps(["/x#12", "/y#34"]).encode()
    yield from of_examples("label_sample", ending=".json")(folder)


def patch(path: Path) -> None:
    """The diff of a finding in a session that somebody sent: told as a patch, written into its file, and taken back."""
    from accucheck import fixes, mending
    from accucheck.model import Fix, Level, ProbeResult, Status, Verdict

    diff, project = path.read_bytes().decode("utf-8", "replace"), path.parent / "project"
    finding = Finding("x", Level.PROBLEM, fix=Fix("x", diff))
    fixes.collect(project, [ProbeResult("x", Kind.STATIC, Status.DONE, Verdict.PROBLEM, [finding])])
    mend = mending.prepare(project, finding)
    mending.apply(mend)
    mending.undo(mend)
    assert mend.file.read_bytes() == mend.before


def _beside_patch(folder: Path) -> None:
    (folder / "project").mkdir()
    (folder / "project" / "train.py").write_text("import x\nlr = 1\ny = 2\n3\n4\n5\n6\n7\nz\n")


_DIFF = (
    "--- a/train.py\n+++ b/train.py\n@@ -1,3 +1,3 @@\n import x\n-lr = 1\n+lr = 0.1\n y = 2\n@@ -9,1 +9,2 @@\n z\n+w\n"
)

# --- the table --------------------------------------------------------------------------------------------------------

_OUTPUT, _FRAMEWORK = "run_ascend_ms/ASCEND_PROFILER_OUTPUT", "run_ascend_ms/FRAMEWORK"
_LOGS = ("loss_scale", "first_loss", "overflow", "step_waits", "batch_size")
_CURVES = ("epoch_curve", "lr_range", "version_regression", "batch_size")

TARGETS = {
    target.name: target
    for target in (
        Target(
            "ckpt", "net.ckpt", _ckpt, checkpoint, real=of_examples("updated_weights", "weight_sharing", ending=".ckpt")
        ),
        Target("pth", "net.pth", both(_torch(True), given(_archive(b"\x80\x02}."))), checkpoint),
        Target("pth-legacy", "net.pth", _torch(False), checkpoint),
        Target("pth-pickle", "net.pth", _pickles, checkpoint, wrap=_archive),
        Target("safetensors", "net.safetensors", _safetensors, checkpoint),
        Target(
            "checkpoint-index",
            "model.safetensors.index.json",
            given(_INDEX),
            lambda path: checkpoint(path.parent),
            _parts,
        ),
        Target("mapping", "map.yaml", both(given(_MAP), of_examples("parameter_map", ending=".yaml")), mapping, _parts),
        Target(
            "log",
            "train.log",
            both(of_examples(*_LOGS, ending=".log"), given((EXAMPLES / "logs/train.log").read_bytes())),
            curve,
        ),
        Target("curve-csv", "eval.csv", of_examples(*_CURVES, ending=".csv"), curve),
        Target(
            "curve-jsonl",
            "eval.jsonl",
            both(given('{"step": 1, "loss": 0.5}\n{"epoch": 2, "acc": NaN}\n'), _recording),
            curve,
        ),
        Target("recording", "run.jsonl", _recording, recording),
        Target("wandb", "run.wandb", _tracked("run.wandb"), board, wrap=_tracker(b":W&B\xe1\xbe\0")),
        Target(
            "swanlab",
            "run.swanlab",
            _tracked("run.swanlab", "backup.swanlab"),
            board,
            wrap=_tracker(b":SWL\xd6\xe1\2"),
        ),
        Target("monitor", "grad_reduced_0-1.csv", given(_MONITORED), board),
        Target(
            "events",
            "events.out.tfevents.1.host",
            found(_board, "*tfevents*"),
            events,
            real=found(_summary, "*.events.*"),
        ),
        Target(
            "events-payload",
            "events.out.tfevents.1.host",
            lambda folder: map(_payloads, found(_board, "*tfevents*")(folder)),
            events,
            wrap=lengthwise,
            real=lambda folder: map(_payloads, found(_summary, "*.events.*")(folder)),
        ),
        Target("mindir", "net.mindir", _mindir, graph, real=_real_graphs("*.mindir")),
        Target(
            "anf-ir",
            "net.pb",
            of_examples("graph_connectivity", "weight_sharing", ending=".pb"),
            graph,
            real=_real_graphs("*.pb"),
        ),
        Target(
            "graph-summary",
            "net.summary",
            given(_payloads(framed(b"\x09" + b"\0" * 8 + b"\x1a\x11MindSpore.Event:1", b"\x22\x04\x0a\x02\x0a\0"))),
            graph,
            wrap=lengthwise,
            real=lambda folder: map(_payloads, _real_graphs("*summary*")(folder)),
        ),
        Target("dump-npy", _TENSOR_FILE, _npy, dump, real=_real_dump("*.npy")),
        Target("dump-statistic", f"{_DUMPED}/statistic.csv", given(_STATISTIC), dump),
        Target(
            "dump-overflow",
            f"{_DUMPED}/Opdebug.Node_OpDebug.1.5.1700000000000001.output.0.json",
            given(json.dumps(_OVERFLOW)),
            dump,
            _dumped,
        ),
        Target("dump-msprobe", "step1/rank0/dump.json", given(json.dumps(_MSPROBE)), dump),
        Target(
            "dump-order",
            "rank_0/execution_order/ms_execution_order_graph_0.csv",
            given("Default/Exp-op1\nDefault/Log-op2\n"),
            dump,
            _dumped,
            real=_real_dump("ms_execution_order*.csv"),
        ),
        Target(
            "dump-mapping", f"{_DUMPED}/mapping.csv", given("0,Exp.Default_Exp-op1.3.7.1.output.0.npy\n"), dump, _dumped
        ),
        Target(
            "profile-operators",
            f"{_OUTPUT}/op_statistic.csv",
            both(of_examples("profile_operators", ending=".csv"), given(_DETAILS)),
            profile,
        ),
        Target("profile-details", f"{_OUTPUT}/kernel_details.csv", given(_DETAILS), profile),
        Target("profile-steps", f"{_OUTPUT}/step_trace_time.csv", given(_STEPS), profile),
        Target(
            "profile-pipeline",
            f"{_FRAMEWORK}/pipeline_profiling_0.json",
            of_examples("profile_data", ending=".json"),
            profile,
            real=_real_profile("pipeline_profiling*.json"),
        ),
        Target("profile-queue", f"{_FRAMEWORK}/device_queue_profiling_0.txt", given(_QUEUE), profile),
        Target(
            "profile-iterator",
            f"{_FRAMEWORK}/dataset_iterator_profiling_0.txt",
            of_examples("profile_data", ending=".txt"),
            profile,
            real=_real_profile("dataset_iterator*.txt"),
        ),
        Target(
            "profile-cpu",
            f"{_FRAMEWORK}/cpu_op_type_info_0.csv",
            of_examples("profile_operators", ending=".csv"),
            profile,
            real=_real_profile("cpu_op_type*.csv"),
        ),
        Target(
            "csv", "train.csv", both(_tables, of_examples("missing_values", "class_balance", ending=".csv")), data_set
        ),
        Target("parquet", "train.parquet", _parquet, data_set),
        Target(
            "ndjson",
            "train.jsonl",
            both(
                _labelled("ndjson", "*.ndjson"), given('{"a": 1, "label": [1, "x"]}\n{"a": null, "b": {"c": [{}]}}\n')
            ),
            data_set,
        ),
        Target("json-array", "train.json", given('[{"a": 1, "label": "x"},\n {"a": null, "label": "y"}]'), data_set),
        Target(
            "text",
            "train.txt",
            given("a sentence\nanother\n", "good movie\t1\nbad\t0\n", "__label__1 x\n", "a.png 1\nb.png 2\n"),
            data_set,
        ),
        Target("csv-gzip", "train.csv.gz", _tables, data_set, wrap=_gzip),
        Target("gzip", "train.csv.gz", lambda folder: map(_gzip, _tables(folder)), data_set),
        Target("npy", "train.npy", _npy, data_set),
        Target("npz", "train.npz", _npz, data_set),
        Target("idx", "train-labels-idx1-ubyte", _idx, data_set),
        Target("cifar", "data_batch_1.bin", given(bytes(3073) * 2, b"\x01" * 3074), data_set),
        Target("tfrecord", "train.tfrecord", lambda folder: [_records(folder)], data_set),
        Target("tfrecord-shown", "train.tfrecord", lambda folder: [_records(folder)], browsed),
        Target(
            "vocabulary",
            "tokenizer.json",
            given(
                '{"model": {"vocab": {"a": 0, "b": 1}}, "added_tokens": [{"id": 2, "content": "c"}]}',
                '[["a", 1.0], "b"]',
                "a\nb\tc\n",
            ),
            vocabulary,
        ),
        Target(
            "tfrecord-example",
            "train.tfrecord",
            lambda folder: [_payloads(_records(folder))],
            data_set,
            wrap=lengthwise,
        ),
        Target(
            "mindrecord",
            "train.mindrecord",
            lambda folder: [_mindrecord_files()["train.mindrecord"]],
            data_set,
            _beside_mindrecord,
        ),
        Target(
            "mindrecord-index",
            "train.mindrecord.db",
            lambda folder: [_mindrecord_files()["train.mindrecord.db"]],
            mindrecord_database,
            _beside_mindrecord,
        ),
        Target("tar", "train.tar", _tar, data_set),
        Target("image", "picture.png", _pictures, data_set, memory=512 << 20),
        Target("coco", "instances.json", given(json.dumps(_COCO)), data_set, _beside_coco),
        Target(
            "md5-list",
            "data.md5",
            of_examples("dataset_digest", "dataset_nodes", ending=".md5"),
            digests,
            _beside_digests,
        ),
        Target("manifest", "manifest.json", _manifest, digests, _beside_digests),
        Target(
            "names",
            "names.txt",
            given(
                "train.py\ndata/train/0.csv\nlogs/train.log\nckpt/a-1_2.ckpt\nrank_0/b.npy\n",
                b"\xff\xfe.py\n\x1b[31m/a.csv\n",
            ),
            names,
            fresh=True,
        ),
        Target("script", "train.py", _scripts, script),
        Target("notebook", "train.ipynb", given(json.dumps(_NOTEBOOK)), notebook),
        Target(
            "config-yaml",
            "config.yaml",
            given(json.dumps(_CONFIG), "width: 3\nnet:\n  classes: [1]\nlr: 1e-3\n"),
            configuration,
            _beside_configuration,
        ),
        Target("config-json", "config.json", given(json.dumps(_CONFIG)), configuration, _beside_configuration),
        Target("case", "accucheck.yaml", given(_CASE, (EXAMPLES / "accucheck.yaml").read_bytes()), case_file),
        Target("checklist", "own.yaml", _checklists, checklist),
        Target("session", ".accucheck/session.json", _sessions, session, fresh=True),
        Target("session-report", "session.json", _sessions, session_report, _fonts, memory=256 << 20),
        Target("json-report", "report.json", _json_reports, json_report),
        Target("template", "own.md", _templates, template, _fonts, executes=True),
        Target(
            "settings",
            "accucheck/settings.yaml",
            given("# mine\ntheme: nord\nkeys: {checklist.run: 'r,R'}\n"),
            settings_file,
        ),
        Target("state", "accucheck/recent.json", _states, own_state, fresh=True),
        Target("patch", "fix.diff", given(_DIFF), patch, _beside_patch),
    )
}
