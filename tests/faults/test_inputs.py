"""Inputs that change while they are read: cut short, removed, replaced, grown, taken away with their folder. What comes of it is a
result or one clear error, never a dead process, a wait without end or a file of ours that is half."""

import ctypes
import gzip
import json
import os
import random
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from accucheck import manifest
from command_line import write_checklist
from left_behind import Command, half_written, wait_until

pytestmark = pytest.mark.part(40)

_OPEN, _ACCESS = 0x20, 0x1


class OnRead:
    """Calls `act` once, in a thread, when a file has been opened or read `after` times. Events that are the same one after the other
    come as one: all that is sure of a file that was read is that there are two."""

    def __init__(self, path: Path, after: int, act: Callable[[Path], None]) -> None:
        self.path, self.after, self.act, self.acted = path, after, act, False
        self._file = ctypes.CDLL(None, use_errno=True).inotify_init1(os.O_CLOEXEC)
        assert ctypes.CDLL(None).inotify_add_watch(self._file, os.fsencode(path), _OPEN | _ACCESS) >= 0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        seen = 0
        while seen < self.after:
            seen += len(os.read(self._file, 4096)) // 16  # of a file there is no name in an event
        os.close(self._file)
        self.acted = True
        self.act(self.path)

    def require(self) -> None:
        wait_until(lambda: self.acted, lambda: f"{self.path} was not read {self.after} times")


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 3)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(bytes(reversed(path.read_bytes())))
    other.replace(path)


def grow(path: Path) -> None:
    with path.open("ab") as stream:
        for _ in range(50):
            stream.write(path.read_bytes()[-1000:])
            stream.flush()


def folder_in_its_place(path: Path) -> None:
    path.unlink()
    path.mkdir()


def with_its_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


CHANGES = {
    "cut": truncate,
    "emptied": empty,
    "removed": Path.unlink,
    "replaced": replace,
    "grown": grow,
    "a folder": folder_in_its_place,
    "the folder removed": with_its_folder,
}
CASE = """
name: x
data: {train: {path: IN/DATA, label: label}}
checkpoints: {current: IN/weights.safetensors, initial: IN/weights.safetensors}
curves: {train: IN/train.log}
"""


def write_inputs(folder: Path, table: str) -> None:
    folder.mkdir()
    dice = random.Random(1)
    rows = "".join(f"{dice.random()},{dice.random()},{dice.randrange(3)}\n" for _ in range(60_000))
    text = b"a,b,label\n" + rows.encode()
    (folder / table).write_bytes(gzip.compress(text, 1) if table.endswith(".gz") else text)
    numbers = np.random.default_rng(0)
    tensors = {f"layer{n}.weight": numbers.standard_normal((500, 500)).astype(np.float32) for n in range(12)}
    save_file(tensors, folder / "weights.safetensors")
    (folder / "train.log").write_text(
        "".join(f"epoch: {n // 100 + 1} step: {n % 100 + 1}, loss is {5 / (n + 1):.6f}\n" for n in range(40_000))
    )


#: What is read: the file, and the probes that do.
READ = {
    "data.csv": ("class_balance", "missing_values", "label_conflicts", "dataset_digest"),
    "data.csv.gz": ("class_balance", "missing_values"),
    "weights.safetensors": ("zero_weights", "overflow", "updated_weights"),
    "train.log": ("epoch_curve", "overflow"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", READ)
def test_probes(name: str, change: str, tmp_path: Path) -> None:
    place = tmp_path / "in"
    write_inputs(place, name if name.startswith("data") else "data.csv")
    case = CASE.replace("DATA", name if name.startswith("data") else "data.csv").replace("IN", str(place))
    project = tmp_path / "project"
    project.mkdir()
    (project / "accucheck.yaml").write_text(case)
    write_checklist(project / "mine.yaml", *READ[name], each=True)
    watch = OnRead(place / name, random.Random(name + change).choice([1, 2]), CHANGES[change])
    command = Command(project, tmp_path / "temporary", "run", ".", "--checklist", "mine.yaml", "--json")
    code, out, err = command.ended()
    assert code in (0, 1, 3) and "Traceback" not in err and "inside accucheck" not in err, err
    watch.require()
    results = [result for item in json.loads(out)["items"] for result in item["results"]]
    assert len(results) == len(READ[name])
    for result in results:
        reason = result.get("reason")
        assert result["status"] == "done" or (reason and reason["message"]), result
        assert not reason or reason["code"] not in ("raised", "crashed", "timeout"), result
    command.require_no_process()
    command.require_no_temporary()
    assert not list(half_written(project))


#: Commands that read in their own process: what they read, how, and what they write.
COMMANDS = {
    "convert": ("weights.safetensors", ("convert", "{in}/weights.safetensors", "{out}/made.ckpt", "--to", "mindspore")),
    "compare": ("weights.safetensors", ("compare", "{in}/weights.safetensors", "{in}/again.safetensors")),
    "compare logs": ("train.log", ("compare", "{in}/train.log", "{in}/again.log")),
    "labels": ("data.csv", ("labels", ".")),
    "manifest": ("weights.safetensors", ("manifest", "{in}", "-o", "{out}/in.json")),
    "init": ("train.log", ("init", "{in}")),
    "validate": ("weights.safetensors", ("validate", ".")),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", COMMANDS)
def test_commands(name: str, change: str, tmp_path: Path) -> None:
    read, words = COMMANDS[name]
    place, out = tmp_path / "in", tmp_path / "out"
    write_inputs(place, "data.csv")
    shutil.copy(place / "weights.safetensors", place / "again.safetensors")
    shutil.copy(place / "train.log", place / "again.log")
    out.mkdir()
    project = tmp_path / "project"
    project.mkdir()
    (project / "accucheck.yaml").write_text(CASE.replace("DATA", "data.csv").replace("IN", str(place)))
    watch = OnRead(place / read, random.Random(name + change).choice([1, 2]), CHANGES[change])
    given = [word.replace("{in}", str(place)).replace("{out}", str(out)) for word in words]
    command = Command(project, tmp_path / "temporary", *given)
    code, said, err = command.ended()
    assert code in (0, 1, 2, 3) and "Traceback" not in err and "inside accucheck" not in err, err
    assert code != 2 or err.strip(), said
    command.require_no_process()
    command.require_no_temporary()
    assert not list(half_written(project, out))
    if (out / "made.ckpt").exists():
        from accucheck.readers.checkpoints import open_checkpoint

        assert code in (0, 1) and len(open_checkpoint(out / "made.ckpt").tensors) == 12
    if (out / "in.json").exists():
        manifest.read(out / "in.json")
    if name not in ("validate", "init"):  # which may leave a file unread
        watch.require()
