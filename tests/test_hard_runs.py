"""What a run leaves behind, hard on the probes that read it: cut at every byte, forged, hostile, mixed up, or nearly nothing.

Of each there is one clear error or a result that says what is missing, in both languages: never a traceback, never "ok".
"""

import gzip
import io
import json
import os
import pickle
import re
import struct
import threading
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import google_crc32c
import msgspec
import numpy as np
import pytest

from accucheck import probe
from accucheck.case import Case, CaseFile
from accucheck.errors import ReadError
from accucheck.model import Finding, Language, Verdict, suggest
from accucheck.probes.graph_connectivity import EXAMPLES as GRAPHS
from accucheck.readers import curves
from accucheck.readers.checkpoints import open_checkpoint
from command_line import accucheck, write_checklist
from made_once import MadeOnce

#: What a terminal obeys or what reorders text: control characters but line feeds, and bidirectional and zero-width ones.
DANGEROUS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
NASTY = "../../a\n\x1b[31m[red]\u202e/etc/passwd"

#: The keys that name a file to each probe; {} stands for it, and `good` for a whole one beside it.
CHECKPOINT_PROBES: dict[str, dict[str, Any]] = {
    "zero_weights": {"checkpoints": {"initial": "{}"}},
    "pretrained_weights": {"checkpoints": {"pretrained": "{}", "initial": "good.ckpt"}},
    "frozen_weights": {"checkpoints": {"previous": "good.ckpt", "current": "{}"}},
    "rank_weights": {"checkpoints": {"ranks": ["good.ckpt", "{}"]}},
    "weight_sharing": {"checkpoints": {"current": "{}"}, "design": {"shared": [["a.weight", "b.weight"]]}},
    "overflow": {"checkpoints": {"current": "{}"}},
}
CURVE_PROBES: dict[str, dict[str, Any]] = {
    "lr_range": {"curves": {"lr_test": "{}"}},
    "epoch_curve": {"curves": {"train": "{}"}},
    "batch_size": {"curves": {"train": "{}", "baseline": "good.log"}},
    "first_loss": {"curves": {"train": "{}"}, "data": {"train": {"path": ".", "classes": ["a", "b"]}}},
    "overflow": {"curves": {"train": "{}"}},
    "loss_scale": {"curves": {"train": "{}"}},
}
GRAPH_PROBES: dict[str, dict[str, Any]] = {
    "graph_connectivity": {"graphs": {"path": "{}"}},
    "weight_sharing": {"graphs": {"path": "{}"}},
    "overflow": {"graphs": {"path": "{}"}},
}
DUMP_PROBES: dict[str, dict[str, Any]] = {"overflow": {"dumps": {"path": "{}"}}}


class Outcome(NamedTuple):
    """How a probe ended: its suggestion, and all that it said in both languages."""

    verdict: Verdict
    said: str
    failed: str | None = None


def ask(name: str, root: Path, spec: dict[str, Any]) -> Outcome:
    """A probe on a case, as the worker runs it; anything raised but ReadError and Skip fails the test."""
    module = probe.load(name)
    case = Case(root=str(root), spec=msgspec.convert(spec, CaseFile))
    assert not probe.missing(module, case), name
    found: list[Finding] = []
    try:
        found += (event for event in module.run(case, probe.params(module, {})) if isinstance(event, Finding))
    except ReadError as error:
        texts = [error.text(language) for language in Language]
        assert all(str(root) in text for text in texts), texts
        return Outcome(Verdict.UNDECIDED, "\n".join(texts), error.code)
    except probe.Skip as skip:
        return Outcome(Verdict.UNDECIDED, skip.reason.code, "skipped")
    msgspec.json.encode(found)
    texts = [probe.message(module, one.code, one.data, language) for one in found for language in Language]
    return Outcome(getattr(module, "suggest", suggest)(found), "\n".join(texts))


def filled(spec: Any, name: str) -> Any:
    """The case with the name of the file in it."""
    if isinstance(spec, dict):
        return {key: filled(value, name) for key, value in spec.items()}
    return [filled(one, name) for one in spec] if isinstance(spec, list) else spec.replace("{}", name)


def varint(value: int) -> bytes:
    return (bytes([value & 127 | 128]) + varint(value >> 7)) if value > 127 else bytes([value])


def field(number: int, payload: bytes) -> bytes:
    return bytes([number << 3 | 2]) + varint(len(payload)) + payload


def parameter(name: bytes, dims: list[int], content: bytes, kind: bytes = b"Float32") -> bytes:
    sizes = b"".join(b"\x08" + varint(dim) for dim in dims)
    return field(1, field(1, name) + field(2, sizes + field(2, kind) + field(3, content)))


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.1, shape).astype(np.float32)


GOOD = b"".join(
    parameter(name, list(values.shape), values.tobytes())
    for name, values in ((b"a.weight", numbers(4, 3)), (b"b.weight", numbers(3, 2, seed=1)))
)
LOG = "".join(
    f"epoch: {epoch} step: {step}, loss is {2.3 / (epoch * 5 + step)}, lr: {1e-5 * 1.2 ** (5 * epoch + step):.3g}\n"
    for epoch in range(1, 13)
    for step in range(1, 6)
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a whole checkpoint and a whole log beside what is examined."""
    (tmp_path / "good.ckpt").write_bytes(GOOD)
    (tmp_path / "good.log").write_text(LOG)
    return tmp_path


# --- cut at every byte ------------------------------------------------------------------------------------------------


def of_mindspore(path: Path, **more: Any) -> None:
    ms = pytest.importorskip("mindspore")
    whole = [
        {"name": "a.weight", "data": ms.Tensor(numbers(4, 3))},
        {"name": "b.weight", "data": ms.Tensor(numbers(3, 2))},
    ]
    ms.save_checkpoint(whole, str(path), **more)
    path.chmod(0o600)


def of_safetensors(path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"a.weight": numbers(4, 3), "b.weight": numbers(3, 2)}, str(path))


def of_torch(path: Path, legacy: bool = False) -> None:
    torch = pytest.importorskip("torch")
    whole = {"a.weight": torch.from_numpy(numbers(4, 3)), "b.weight": torch.from_numpy(numbers(3, 2))}
    torch.save(whole, path, _use_new_zipfile_serialization=not legacy)


CHECKPOINTS: dict[str, Callable[[Path], None]] = {
    "cut.ckpt": of_mindspore,
    "crc.ckpt": lambda path: of_mindspore(path, crc_check=True),
    "cut.safetensors": of_safetensors,
    "zip.pth": of_torch,
    "legacy.pth": lambda path: of_torch(path, legacy=True),
}


@pytest.mark.mindspore
@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_checkpoint_cut_at_every_byte(name: str, project: Path) -> None:
    """Where it is cut between two parameters, what is left of a .ckpt is a whole file of those before: nothing in it tells."""
    path = project / name
    CHECKPOINTS[name](path)
    whole = path.read_bytes()
    between = set()
    if name.endswith(".ckpt"):
        first = 1 + 1 + whole[1]
        ends = [len(whole) - 17] if name == "crc.ckpt" else []
        between = {first, *ends}
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        outcome = ask("zero_weights", project, filled(CHECKPOINT_PROBES["zero_weights"], name))
        if length in between:
            assert outcome.failed is None and len(open_checkpoint(path).tensors) == 1 + (length != first)
        else:
            assert outcome.failed in ("empty", "truncated", "malformed", "unknown-format"), (length, outcome)
        assert length in between or outcome.verdict is Verdict.UNDECIDED
        if length % 13 == 0 and length not in between:
            for other, spec in CHECKPOINT_PROBES.items():
                outcome = ask(other, project, filled(spec, name))
                assert outcome.verdict is Verdict.UNDECIDED and name in outcome.said, (other, length, outcome)


def test_a_folder_of_parts_cut_at_every_byte(project: Path) -> None:
    """The parts that an index lists, each cut and missing, and the index itself."""
    folder = project / "parts"
    folder.mkdir()
    from safetensors.numpy import save_file

    for number, name in enumerate(("a.weight", "b.weight"), 1):
        save_file({name: numbers(3, 2, seed=number)}, str(folder / f"model-{number}.safetensors"))
    index = {name: f"model-{number}.safetensors" for number, name in enumerate(("a.weight", "b.weight"), 1)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
    assert ask("zero_weights", project, filled(CHECKPOINT_PROBES["zero_weights"], "parts")).verdict is Verdict.OK
    for path in sorted(folder.iterdir()):
        whole = path.read_bytes()
        for length in range(len(whole)):
            path.write_bytes(whole[:length])
            outcome = ask("zero_weights", project, filled(CHECKPOINT_PROBES["zero_weights"], "parts"))
            assert outcome.failed and path.name in outcome.said, (path.name, length, outcome)
        path.unlink()
        if path.suffix == ".safetensors":
            for name, spec in CHECKPOINT_PROBES.items():
                outcome = ask(name, project, filled(spec, "parts"))
                assert outcome.verdict is Verdict.UNDECIDED and path.name in outcome.said, (name, outcome)
        path.write_bytes(whole)


def recorded(path: Path) -> None:
    from accucheck.recorder import Recorder

    with Recorder(path) as recorder:
        for step in range(1, 9):
            recorder.step(step=step, epoch=1 + step // 5, loss=2.3 / step, lr=0.1)


def events_of_tensorboard(path: Path) -> None:
    from tensorboardX import SummaryWriter

    with SummaryWriter(str(path.parent / "board")) as writer:
        for step in range(1, 7):
            writer.add_scalar("loss", 2.3 / step, step, walltime=1.0)
    (made,) = (path.parent / "board").iterdir()
    path.write_bytes(made.read_bytes())


CURVES: dict[str, Callable[[Path], object]] = {
    "train.log": lambda path: path.write_text(LOG[:300]),
    "train.csv": lambda path: path.write_text(
        "step,epoch,loss\n" + "".join(f"{n},1,{2.3 / n:.6f}\n" for n in range(1, 9))
    ),
    "train.jsonl": lambda path: path.write_text(
        "".join(json.dumps({"step": n, "loss": 2.3 / n}) + "\n" for n in range(1, 9))
    ),
    "run.jsonl": recorded,
    "events.out.tfevents.1.host": events_of_tensorboard,
}
#: How many points are told from a whole file only where it is cut between two of them. The end of a log or of a table may be half a
#: number; a recording may always end within a line, for so it does when a training is killed.
TELLS = {"train.jsonl", "events.out.tfevents.1.host"}


@pytest.mark.part(40)
@pytest.mark.parametrize("name", CURVES)
def test_curves_cut_at_every_byte(name: str, project: Path) -> None:
    path = project / name
    CURVES[name](path)
    whole = path.read_bytes()
    loss = curves.read(path).runs[0].columns["loss"].values.tolist()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        outcome = ask("overflow", project, filled(CURVE_PROBES["overflow"], name))
        if outcome.failed:
            expected = ("empty", "no-curve", "ragged", "truncated", "unknown-format")
            assert outcome.failed in expected, (length, outcome)
            continue
        found = curves.read(path)
        values = found.runs[0].columns["loss"].values.tolist() if found.runs and "loss" in found.runs[0].columns else []
        assert values[:-1] == loss[: len(values)][:-1]
        if found.problems or (name in TELLS and values != loss[: len(values)]):
            assert outcome.verdict is Verdict.UNDECIDED and name in outcome.said, (length, outcome)
        if length % 17 == 0:
            for other, spec in CURVE_PROBES.items():
                outcome = ask(other, project, filled(spec, name))
                assert outcome.verdict in (Verdict.UNDECIDED, Verdict.OK), (other, length, outcome)
                assert not found.problems or outcome.verdict is Verdict.UNDECIDED, (other, length, outcome)


IR: bytes = GRAPHS[0].files["graphs/ms_output_optimize.pb"]


def test_graphs_cut_at_every_byte(project: Path) -> None:
    for length in range(len(IR)):
        (project / "cut.pb").write_bytes(IR[:length])
        for name in ("graph_connectivity", "weight_sharing"):
            outcome = ask(name, project, filled(GRAPH_PROBES[name], "cut.pb"))
            assert outcome.failed in ("empty", "truncated", "unknown-format") and "cut.pb" in outcome.said, (
                length,
                name,
            )


@pytest.mark.slow
@pytest.mark.mindspore
def test_graphs_of_mindspore_cut_at_every_byte(project: Path, real_graphs: MadeOnce) -> None:
    whole = real_graphs["small"].read_bytes()
    (project / "cut.mindir").write_bytes(whole)
    complete = ask("graph_connectivity", project, filled(GRAPH_PROBES["graph_connectivity"], "cut.mindir"))
    for length in range(0, len(whole), 3):
        (project / "cut.mindir").write_bytes(whole[:length])
        outcome = ask("graph_connectivity", project, filled(GRAPH_PROBES["graph_connectivity"], "cut.mindir"))
        # Without its last field it is a file as good as the whole one, and is spoken of as that one is.
        told = "cut.mindir" in outcome.said or (length > 0.99 * len(whole) and outcome == complete)
        assert outcome.verdict is Verdict.UNDECIDED and told, (length, outcome)


STATISTICS = """Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value,Avg Value,Count
Conv2D,Default/net/Conv2D-op1,3,7,1700000000000001,output,0,64,float32,"(4,4)",2.5,-1,0.5,16
Log,Default/net/Log-op1,4,7,1700000000000002,output,0,64,float32,"(4,4)",1.5,-inf,-inf,16
"""
TENSOR = {
    "type": "mindspore.Tensor",
    "dtype": "Float32",
    "shape": [2, 3],
    "Max": 1.0,
    "Min": -1.0,
    "Mean": 0.0,
    "Norm": 1.0,
}
MSPROBE = {
    "task": "statistics",
    "level": "L1",
    "framework": "mindspore",
    "data": {
        "Cell.fc.Dense.forward.0": {"input_args": [TENSOR], "input_kwargs": {}, "output": [TENSOR]},
        "Functional.log.0.forward": {"input_args": [TENSOR], "input_kwargs": {}, "output": [TENSOR | {"Min": "-inf"}]},
    },
}
OVERFLOW = {"AI Core": {"model_id": 0, "stream_id": 7, "task_id": 3, "status": 32}}


def npy(values: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


DUMPS = {
    "statistic.csv": STATISTICS.encode(),
    "dump.json": json.dumps(MSPROBE).encode(),
    "Opdebug.Node_OpDebug.1.5.1700000000000001.output.0.json": json.dumps(OVERFLOW).encode(),
    "Log.Default_net_Log-op1.0.0.1700000000000001.output.0.DefaultFormat.Float32.npy": npy(
        np.array([1, -np.inf], np.float32)
    ),
}


@pytest.mark.parametrize("name", DUMPS)
def test_dumps_cut_at_every_byte(name: str, project: Path) -> None:
    """Each holds an overflow, which what is cut may have lost: then it is not called clean, but where a whole row ends."""
    folder, whole = project / "dump", DUMPS[name]
    folder.mkdir()
    spec = filled(DUMP_PROBES["overflow"], "dump")
    (folder / name).write_bytes(whole)
    assert ask("overflow", project, spec).verdict is not Verdict.OK
    end = whole.index(b"16\n") + 3 if name == "statistic.csv" else 0
    for length in range(len(whole)):
        (folder / name).write_bytes(whole[:length])
        outcome = ask("overflow", project, spec)
        assert outcome.verdict is not Verdict.OK or end - 3 <= length <= end, (length, outcome)
        assert outcome.failed or outcome.said.strip(), (length, outcome)


# --- forged and hostile -----------------------------------------------------------------------------------------------


@contextmanager
def little(size: int) -> Iterator[None]:
    """What is done here takes a moment, and memory in proportion to the file's size at most."""
    begin = time.process_time()
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * size + (24 << 20), peak
    assert time.process_time() - begin < 20


class _Call:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch hacked",)


def zipped(*members: tuple[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def safetensors(header: dict[str, Any] | bytes, length: int | None = None, data: bytes = b"\0" * 64) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(start: int, stop: int, *shape: int) -> dict[str, Any]:
    return {"dtype": "F32", "shape": list(shape), "data_offsets": [start, stop]}


def huge_storage() -> bytes:
    """A pickle that names a storage of 2^60 numbers, of which the archive holds eight."""
    size = b"\x8a\x08" + (1 << 60).to_bytes(8, "little")
    storage = b"(U\x07storagectorch\nFloatStorage\nU\x010U\x03cpu" + size + b"tQ"
    arguments = b"(" + storage + b"K\x00" + size + b"\x85K\x01\x85\x89ccollections\nOrderedDict\n)Rt"
    return b"\x80\x02}U\x01wctorch._utils\n_rebuild_tensor_v2\n" + arguments + b"Rs."


def masked(data: bytes) -> bytes:
    crc = google_crc32c.value(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(event: bytes, length: int | None = None) -> bytes:
    size = struct.pack("<Q", len(event) if length is None else length)
    return size + masked(size) + event + masked(event)


BAD_CHECKPOINTS: dict[str, bytes] = {
    "empty.ckpt": b"",
    "text.ckpt": b"epoch: 1 step: 1, loss is 2.3\n",
    "page.pth": b"<!DOCTYPE html><html>404</html>",
    "pointer.safetensors": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n",
    "random.ckpt": np.random.default_rng(0).bytes(4096),
    "length.ckpt": b"\n" + b"\xff" * 8 + b"\x7f" + b"\0" * 64,
    "dims.ckpt": parameter(b"a.weight", [1 << 40, 1 << 20], b"\0" * 48),
    "negative.ckpt": parameter(b"a.weight", [(1 << 64) - 1, 4], b"\0" * 16),
    "slices.ckpt": GOOD + parameter(b"a.weight", [4, 3], b"\0" * 48, b"Float16"),
    "twice.ckpt": GOOD + GOOD,
    "long_name.ckpt": parameter(b"a" * 1_000_000, [2], b"\0" * 8),
    "encrypted.ckpt": b"\xd8\x5e\x3a\x7f" + b"\0" * 64,
    "header.safetensors": safetensors({}, length=1 << 62),
    "header_of_one_gb.safetensors": safetensors({}, length=1 << 30),
    "deep.safetensors": safetensors(b"[" * 100_000),
    "overlap.safetensors": safetensors({"a.weight": entry(0, 16, 4), "b.weight": entry(8, 24, 4)}),
    "backwards.safetensors": safetensors({"a.weight": entry(16, 8, 2)}),
    "beyond.safetensors": safetensors({"a.weight": entry(0, 1 << 50, 1 << 48)}),
    "shape.safetensors": safetensors({"a.weight": entry(0, 64, 1 << 40, 1 << 40)}),
    "call.pth": zipped(("archive/data.pkl", pickle.dumps({"w": _Call()}, protocol=2)), ("archive/version", b"3\n")),
    "call.bin": pickle.dumps({"w": _Call()}),
    "storage.pth": zipped(("archive/data.pkl", huge_storage()), ("archive/data/0", b"\0" * 32)),
    "bomb.pth": zipped(("archive/data.pkl", b"\x80\x02" + b"\0" * (64 << 20)), compression=zipfile.ZIP_DEFLATED),
    "arrays.npz": zipped(("a.npy", npy(numbers(4, 3)))),
}


@pytest.mark.parametrize("kind", BAD_CHECKPOINTS)
def test_a_forged_checkpoint_is_refused_by_every_probe(
    kind: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a moment, with next to nothing allocated, and nothing called."""
    monkeypatch.chdir(project)
    (project / kind).write_bytes(BAD_CHECKPOINTS[kind])
    for name, spec in CHECKPOINT_PROBES.items():
        with little(len(BAD_CHECKPOINTS[kind])):
            outcome = ask(name, project, filled(spec, kind))
        assert outcome.verdict is Verdict.UNDECIDED and kind in outcome.said, (name, outcome)
    assert not list(project.rglob("hacked"))


def lines(*losses: object) -> str:
    return "".join(f"epoch: 1 step: {step}, loss is {loss}\n" for step, loss in enumerate(losses, 1))


def without_scalars() -> bytes:
    return record(b"\x09" + b"\0" * 8 + field(3, b"brain.Event:2"))


#: What is no curve at all, or a damaged one.
BAD_CURVES: dict[str, bytes] = {
    "empty.log": b"",
    "blank.log": b"\n" * 1000,
    "words.log": b"Traceback (most recent call last):\n  File 'train.py', line 3\nValueError: no such file\n",
    "random.log": np.random.default_rng(0).bytes(1 << 20),
    "zeros.log": b"\0" * (1 << 20),
    "one_line.log": b"x" * (20 << 20),
    "picture.csv": b"\x89PNG\r\n\x1a\n" + b"\0" * 100,
    "ragged.csv": b"step,loss\n1,2\n2,1,5,6\n3,0.5\n",
    "words.csv": b"name,city\nAnn,Rome\n",
    "list.jsonl": b"[1, 2]\n[3, 4]\n",
    "deep.jsonl": b'{"loss": ' + b"[" * 100_000 + b"\n",
    "call.log": pickle.dumps({"loss": _Call()}),
    "events.out.tfevents.1.empty": b"",
    "events.out.tfevents.1.none": without_scalars(),
    "events.out.tfevents.1.length": record(b"\0" * 64, length=(1 << 30) - 1),
    "events.out.tfevents.1.absurd": record(b"\0" * 64, length=(1 << 64) - 1),
    "events.out.tfevents.1.checksum": without_scalars()[:-1] + b"\x00" + record(b"\x2a\xff\xff\xff\xff\x0f"),
    "events.out.tfevents.1.field": without_scalars() + record(b"\x2a\xff\xff\xff\xff\x0f"),
    "bomb.log.gz": gzip.compress(b"\0" * (256 << 20), 1),
    "cut.log.gz": gzip.compress(LOG.encode())[:-20],
}
#: Curves that can be read, and of which nothing follows: none of these probes clears them, but where the data says so.
POOR_CURVES: dict[str, tuple[str, set[str]]] = {
    "one_point.log": (lines(0.69), {"overflow", "first_loss"}),
    "nan_only.log": (lines(*["nan"] * 50), set()),
    "inf_only.log": (lines(*["inf"] * 50), set()),
    "two_points.csv": ("step,loss\n1,0.69\n2,0.5\n", {"overflow", "first_loss"}),
    "constant.log": (lines(*[0.69] * 50), {"overflow", "first_loss"}),
    "no_loss.log": ("".join(f"step: {n}, accuracy: 0.5\n" for n in range(50)), {"overflow"}),
}


@pytest.mark.part(40)
@pytest.mark.parametrize("kind", BAD_CURVES)
def test_what_is_no_curve_is_refused_by_every_probe(kind: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    (project / kind).write_bytes(BAD_CURVES[kind])
    for name, spec in CURVE_PROBES.items():
        with little(len(BAD_CURVES[kind])):
            outcome = ask(name, project, filled(spec, kind))
        assert outcome.verdict is Verdict.UNDECIDED and kind in outcome.said, (name, outcome)
    assert not list(project.rglob("hacked"))


@pytest.mark.parametrize("kind", POOR_CURVES)
def test_a_poor_curve_is_cleared_by_no_probe_that_needs_more(kind: str, project: Path) -> None:
    text, enough = POOR_CURVES[kind]
    (project / kind).write_text(text)
    for name, spec in CURVE_PROBES.items():
        outcome = ask(name, project, filled(spec, kind))
        assert outcome.verdict is not Verdict.OK or name in enough, (name, outcome)
        if kind != "nan_only.log" and kind != "inf_only.log":
            assert outcome.verdict is not Verdict.PROBLEM, (name, outcome)
        assert outcome.said.strip(), name


def test_a_log_that_mixes_runs_and_steps_that_go_back(project: Path) -> None:
    """Trainings one behind the other, one that was taken up again, and two whose lines lie between each other."""
    again = LOG + LOG[: LOG.index("epoch: 7 ")] + LOG
    resumed = LOG + LOG[LOG.index("epoch: 9 ") :]
    mixed = "".join(one + other for one, other in zip(LOG.splitlines(True), LOG.splitlines(True), strict=True))
    back = "".join(reversed(LOG.splitlines(True)))
    trainings = {"again.log": (again, 3), "resumed.log": (resumed, 1), "mixed.log": (mixed, 1), "back.log": (back, 60)}
    for kind, (text, runs) in trainings.items():
        (project / kind).write_text(text)
        found = curves.read(project / kind)
        assert (
            sum(len(run.columns["loss"].values) for run in found.runs) == text.count("\n") and len(found.runs) == runs
        ), kind
        for name, spec in CURVE_PROBES.items():
            outcome = ask(name, project, filled(spec, kind))
            assert outcome.verdict is not Verdict.PROBLEM and outcome.said, (kind, name)
            assert outcome.verdict is Verdict.UNDECIDED or name in ("overflow", "first_loss"), (kind, name, outcome)
            if name in ("epoch_curve", "batch_size") and runs > 1:
                assert f"{kind} #" in outcome.said, (kind, name)  # which training was examined


@pytest.mark.parametrize("key", ["train", "lr_test", "baseline", "eval"])
def test_an_empty_folder_holds_no_curve(key: str, project: Path) -> None:
    (project / "summary" / "deeper").mkdir(parents=True)
    (project / "summary" / "config.yaml").write_text("lr: 0.1\n")
    for name, spec in CURVE_PROBES.items():
        if key in spec["curves"]:
            outcome = ask(
                name, project, spec | {"curves": {"train": "good.log", "baseline": "good.log"} | {key: "summary"}}
            )
            assert outcome.verdict is Verdict.UNDECIDED and "summary" in outcome.said, (name, outcome)


BAD_GRAPHS: dict[str, bytes] = {
    "empty.pb": b"",
    "text.pb": b"# IR entry: @kernel_graph0\n",
    "random.pb": np.random.default_rng(0).bytes(4096),
    "length.pb": b"\x08\x01\x22" + b"\xff" * 9 + b"\x01" + b"a" * 40,
    "node.pb": b"\x08\x01\x22\x04\x0a\x7fab" + b"\x2a\x00",
    "name.pb": b"\x08\x01" + field(4, field(2, b"\xff\xfe")) + b"\x2a\x00",
    "long.pb": b"\x08\x01" + field(4, field(2, b"a" * 1_000_000)) + b"\x2a\x00",
    "no_graph.mindir": b"\x0a\x03abc\x12\x09MindSpore",
    "no_operators.mindir": b"\x0a\x03abc\x12\x09MindSpore" + field(7, field(1, field(4, b"REF::Add:1"))),
    "encrypted.mindir": b"\xd8\x5e\x3a\x7f" + b"\0" * 64,
    "call.mindir": pickle.dumps({"w": _Call()}),
    "events.out.events.summary.1.0.h_MS": record(b"\x09" + b"\0" * 8 + field(3, b"MindSpore.Event:1"), length=1 << 40),
}


@pytest.mark.parametrize("kind", BAD_GRAPHS)
def test_a_forged_graph_is_refused_by_every_probe(kind: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the file that is named, and as one of a folder beside a whole one, of which the rest is examined."""
    monkeypatch.chdir(project)
    (project / "graphs").mkdir()
    (project / "graphs" / kind).write_bytes(BAD_GRAPHS[kind])
    for name, spec in GRAPH_PROBES.items():
        with little(len(BAD_GRAPHS[kind])):
            alone = ask(name, project, filled(spec, f"graphs/{kind}"))
        assert alone.verdict is Verdict.UNDECIDED and (kind in alone.said or name == "overflow"), (name, alone)
    (project / "graphs" / "whole.pb").write_bytes(IR)
    beside = ask("graph_connectivity", project, filled(GRAPH_PROBES["graph_connectivity"], "graphs"))
    assert beside.failed is None and (beside.verdict is Verdict.UNDECIDED) == (kind in beside.said), beside
    assert not list(project.rglob("hacked"))


def forged_npy(shape: str, descr: str = "'<f4'") -> bytes:
    head = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + b"\0" * 64


def called() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.array([_Call()], object), allow_pickle=True)
    return stream.getvalue()


BAD_DUMPS: dict[str, bytes] = {
    "huge.npy": forged_npy("(1 << 60,)"),
    "absurd.npy": forged_npy("(4611686018427387904, 4)"),
    "negative.npy": forged_npy("(-1,)"),
    "code.npy": forged_npy("(__import__('os').system('touch hacked'),)"),
    "head.npy": b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b"\0" * 64,
    "object.npy": called(),
    "text.npy": b"not an array",
    "statistic.csv": b"Op Type,Op Name,Max Value\nLog,a,1\n",
    "dump.json": b'{"data": ' + b"[" * 100_000,
    "Opdebug.Node_OpDebug.1.5.1700000000000001.output.0.json": b'{"AI Core": {"status": 1e300}}',
    "Conv2D.Conv2D-op1.3.7.1700000000000001": b"\x08",
}


@pytest.mark.parametrize("kind", BAD_DUMPS)
def test_a_forged_dump_is_never_clean(kind: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alone, and beside a tensor without NaN or Inf."""
    monkeypatch.chdir(project)
    (project / "dump").mkdir()
    (project / "dump" / kind).write_bytes(BAD_DUMPS[kind])
    for beside in (False, True):
        if beside:
            (project / "dump" / "1").mkdir()
            (project / "dump" / "1" / "whole.npy").write_bytes(npy(numbers(4, 3)))
        with little(len(BAD_DUMPS[kind])):
            outcome = ask("overflow", project, filled(DUMP_PROBES["overflow"], "dump"))
        assert outcome.verdict is Verdict.UNDECIDED and "dump" in outcome.said, outcome
    assert not list(project.rglob("hacked"))


def test_an_empty_folder_is_nothing_to_go_by(project: Path) -> None:
    (project / "none").mkdir()
    for probes in (CHECKPOINT_PROBES, GRAPH_PROBES, DUMP_PROBES):
        for name, spec in probes.items():
            for place in ("none", "missing"):
                outcome = ask(name, project, filled(spec, place))
                assert outcome.verdict is Verdict.UNDECIDED, (name, place, outcome)
                assert place in outcome.said or outcome.failed == "skipped", (name, place, outcome)


# --- what is still being written --------------------------------------------------------------------------------------


def test_a_checkpoint_that_is_being_written(project: Path) -> None:
    """Each look at it says that it is not whole, or examines whole parameters; at its end it is examined."""
    whole = b"".join(parameter(b"layer%d.weight" % n, [64, 64], numbers(64, 64, seed=n).tobytes()) for n in range(40))
    path = project / "now.ckpt"
    path.write_bytes(whole[:1])

    def write() -> None:
        with path.open("ab", buffering=0) as stream:
            for at in range(1, len(whole), 4000):
                stream.write(whole[at : at + 4000])
                time.sleep(0.005)

    thread = threading.Thread(target=write)
    thread.start()
    seen = set()
    try:
        while thread.is_alive():
            outcome = ask("zero_weights", project, filled(CHECKPOINT_PROBES["zero_weights"], "now.ckpt"))
            seen.add(outcome.failed)
            assert outcome.failed in ("truncated", None), outcome
    finally:
        thread.join()
    assert "truncated" in seen
    assert ask("zero_weights", project, filled(CHECKPOINT_PROBES["zero_weights"], "now.ckpt")).verdict is Verdict.OK


def test_a_checkpoint_that_is_written_anew_while_it_is_read(project: Path) -> None:
    """A training that saves to one name: cut to nothing and filled again, over and over."""
    whole = b"".join(parameter(b"layer%d.weight" % n, [64, 64], numbers(64, 64, seed=n).tobytes()) for n in range(40))
    path = project / "now.ckpt"
    path.write_bytes(whole)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            with path.open("wb", buffering=0) as stream:
                for at in range(0, len(whole), 40_000):
                    stream.write(whole[at : at + 40_000])
                    time.sleep(0.001)
            time.sleep(0.01)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(60):
            for name, spec in CHECKPOINT_PROBES.items():
                outcome = ask(name, project, filled(spec, "now.ckpt"))
                allowed = ("empty", "truncated", "malformed", "unknown-format", "changed", None)
                assert outcome.failed in allowed, (name, outcome)
    finally:
        stop.set()
        thread.join()


# --- by the command line ----------------------------------------------------------------------------------------------

PROBES = sorted({*CHECKPOINT_PROBES, *CURVE_PROBES, *GRAPH_PROBES, *DUMP_PROBES})


def named_badly() -> bytes:
    """Names that climb out of a folder, are absolute, hold orders to a terminal, markup, or marks that turn text around."""
    names = (NASTY, "../../x", "/etc/passwd", "a\x1b[2J\x07b", "[red]c[/red]", "\u202efd\u200f", "d\x00e")
    return b"".join(parameter(name.encode(), [4, 3], np.zeros((4, 3), np.float32).tobytes()) for name in names)


#: What each run finds in place of its checkpoint, curve, graph and dump.
HARD: dict[str, dict[str, bytes]] = {
    "cut": {
        "w.ckpt": GOOD[:-5],
        "c.jsonl": b'{"step": 1, "los',
        "g.pb": IR[:-40],
        "dump/a.npy": npy(numbers(4, 3))[:-5],
    },
    "no-magic": {
        "w.ckpt": b"\x89HDF\r\n\x1a\n" + b"\0" * 100,
        "c.jsonl": np.random.default_rng(0).bytes(10_000),
        "g.pb": b"\x89PNG\r\n",
        "dump/a.npy": b"\x89PNG\r\n",
    },
    "absurd": {
        "w.ckpt": BAD_CHECKPOINTS["dims.ckpt"],
        "c.jsonl": BAD_CURVES["events.out.tfevents.1.length"],
        "g.pb": BAD_GRAPHS["length.pb"],
        "dump/a.npy": BAD_DUMPS["head.npy"],
    },
    "pickles": {
        "w.ckpt": BAD_CHECKPOINTS["call.pth"],
        "c.jsonl": BAD_CURVES["call.log"],
        "g.pb": BAD_GRAPHS["call.mindir"],
        "dump/a.npy": BAD_DUMPS["object.npy"],
    },
    "bombs": {
        "w.ckpt": BAD_CHECKPOINTS["bomb.pth"],
        "c.jsonl": BAD_CURVES["bomb.log.gz"],
        "g.pb": BAD_GRAPHS["long.pb"],
        "dump/dump.json": BAD_DUMPS["dump.json"],
    },
    "poor": {
        "w.ckpt": b"",
        "c.jsonl": json.dumps({"step": 1, "loss": float("nan")}).encode(),
        "g.pb": b"",
        "dump/notes.txt": b"nothing here",
    },
    "names": {
        "w.ckpt": named_badly(),
        "c.jsonl": (json.dumps({"step": 1, "loss": 1.0, NASTY: float("nan")}) + "\n").encode() * 30,
        "g.pb": IR.replace(b"fc1", b"\x1b[2"),
        "dump/a\x1b[2J\u202e.npy": npy(np.array([np.nan, 1.0])),
    },
}


@pytest.mark.part(40)
@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", HARD)
def test_every_probe_by_the_command_line(kind: str, language: str, project: Path) -> None:
    """Each ends with words, and none says "ok"; nothing is called, and nothing is left outside."""
    for name, content in HARD[kind].items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_bytes(content)
    checklist = write_checklist(project / "all.yaml", *PROBES, each=True)
    before = {path.name for path in project.parent.iterdir()}
    spec = {
        "checkpoints": dict.fromkeys(("initial", "pretrained", "previous", "current"), "w.ckpt")
        | {"ranks": ["w.ckpt", "good.ckpt"]},
        "curves": {"train": "c.jsonl", "lr_test": "c.jsonl", "baseline": "good.log"},
        "graphs": {"path": "g.pb"},
        "dumps": {"path": "dump"},
        "design": {"shared": [["a.weight", "b.weight"]]},
        "data": {"train": {"path": ".", "classes": ["a", "b"]}},
    }
    (project / "copy.ckpt").write_bytes(HARD[kind]["w.ckpt"])  # two roles, two files
    spec["checkpoints"]["current"] = "copy.ckpt"
    (project / "accucheck.yaml").write_text(json.dumps(spec))
    for form in ("json", "text"):
        ran = accucheck(
            *(
                "run",
                project,
                "--checklist",
                checklist,
                "--no-session",
                "--exit-zero",
                "--format",
                form,
                "--lang",
                language,
            ),
            timeout=300,
        )
        assert ran.code in (0, 3) and "Traceback" not in ran.out + ran.err, ran
        assert not DANGEROUS.search(ran.out + ran.err), ran
        if form == "json":
            items = json.loads(ran.stdout)["items"]
    assert {path.name for path in project.parent.iterdir()} == before and not list(project.rglob("hacked"))
    assert len(items) == len(PROBES)
    for item in items:
        (result,) = item["results"]
        said = [one["message"] for one in result["findings"]] + (
            [result["reason"]["message"]] if result["reason"] else []
        )
        assert all(said) and said, result
        assert item["suggestion"] != "ok" or kind == "names", (result["probe"], said)
        assert item["suggestion"] == "problem" or kind != "names" or result["probe"] not in ("zero_weights", "overflow")
