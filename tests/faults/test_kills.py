"""SIGKILL at random moments: nothing that was confirmed is lost, nothing half-written is taken for whole, nothing runs on, and the same
command then succeeds and clears up.

Half of the moments are drawn from the command's own acts on files and starts of processes, half from its duration. How many there
are: `pytest tests/faults/test_kills.py --kills=200`; from 50 on, commands that train are killed too.
"""

import csv
import gzip
import hashlib
import json
import os
import random
import shutil
import signal
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from accucheck import manifest
from accucheck.errors import UserError
from accucheck.model import Verdict
from accucheck.session import open_session
from left_behind import COUNTED, Command, half_written, run

CASE = """
name: kept
runtime: {device: CPU}
scripts: {train: train.py}
data:
  train: {path: data/train.csv.gz, label: label}
  eval: {path: data/eval.csv.gz, label: label}
pipelines: {train: {call: "points:data"}}
network: {call: "points:Net"}
loss: {call: "mindspore.nn:CrossEntropyLoss"}
curves: {train: logs/train.csv}
"""
POINTS = """
import os
import subprocess
import sys

import numpy as np
import mindspore.dataset as ds
from mindspore import nn


def data(batch=20):
    # one that is in a session of its own and one that is not, as servers and loaders of data are
    for own in (True, False):
        subprocess.Popen(["sleep", "300"], start_new_session=own)
    random = np.random.default_rng(0)
    label = np.arange(200) % 2
    point = random.standard_normal((200, 4)).astype(np.float32) * 0.3 + label[:, None].astype(np.float32)
    columns = {"point": point, "label": label.astype(np.int32)}
    return ds.NumpySlicesDataset(columns, shuffle=True).batch(batch)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 2)

    def construct(self, point):
        return self.dense(point)
"""


def write_project(root: Path) -> None:
    """A project of each kind of probe, with compressed data, a checkpoint, and a session that holds answers and results."""
    import numpy as np
    from safetensors.numpy import save_file

    for name in ("data", "logs", "tree"):
        (root / name).mkdir(parents=True)
    (root / "accucheck.yaml").write_text(CASE)
    (root / "points.py").write_text(POINTS)
    (root / "train.py").write_text("import mindspore as ms\nms.set_seed(1)\n")
    (root / "notes.txt").write_text("seen\n" * 1000)
    steps = "".join(f"{step},{1 / step:.4f}\n" for step in range(1, 400))
    (root / "logs/train.csv").write_text("step,loss\n" + steps)
    dice = random.Random(1)
    for name in ("train", "eval"):
        rows = "".join(f"{dice.random()},{dice.random()},{dice.randrange(2)}\n" for _ in range(3_000))
        (root / f"data/{name}.csv.gz").write_bytes(gzip.compress(b"a,b,label\n" + rows.encode()))
    for number in range(200):
        (root / f"tree/{number:03}.bin").write_bytes(dice.randbytes(20_000))
    numbers = np.random.default_rng(0)
    tensors = {f"layer{n}.weight": numbers.standard_normal((256, 256)).astype(np.float32) for n in range(8)}
    save_file(tensors, root / "weights.safetensors")


class Scene:
    """The project, what was confirmed in it so far, and what whole files of each command look like."""

    def __init__(self, folder: Path) -> None:
        self.root, self.temporary = folder / "project", folder / "temporary"
        write_project(self.root)
        self.answers: dict[str, tuple[str, str]] = {}
        self.results: dict[str, set[str]] = {}
        self.count = 0
        for item in ("ds.01", "hp.01"):
            self.answered(item, self.run("answer", item, "problem", "--note", f"as seen in {item}"))
        self.run("run", "--only", "ds.01")
        self.know()

    def run(self, *arguments: object) -> tuple[int, str, str]:
        return run(self.root, self.temporary, *arguments)

    def answered(self, item: str, ended: tuple[int, str, str]) -> None:
        assert ended[0] == 0, ended
        self.answers[item] = ("problem", f"as seen in {item}")

    def know(self) -> None:
        """All that the session says now is confirmed."""
        with open_session(self.root, write=False) as session:
            self.results = {item: set(entry.results) for item, entry in session.record.entries.items()}

    def check_session(self) -> None:
        """What was confirmed is there; what was not is there whole or not at all."""
        with open_session(self.root, write=False) as session:
            assert session.notice is None, session.notice
            for item, (conclusion, note) in self.answers.items():
                entry = session.entry(item)
                assert (entry.conclusion, entry.note) == (Verdict(conclusion), note), item
            for item, probes in self.results.items():
                assert set(session.entry(item).results) >= probes, item
            for item, entry in session.record.entries.items():
                ran = [step.probe for step in entry.history if step.what == "ran"]
                assert set(entry.results) == set(ran), item
                if entry.conclusion is not None:
                    assert entry.note == f"as seen in {item}", "an answer without its note"


Check = Callable[[Scene], None]


def check_reports(scene: Scene) -> None:
    for path in scene.root.joinpath("out").rglob("*"):
        if path.name.startswith(".") or path.is_dir():
            continue
        content = path.read_bytes()
        if path.suffix in (".json", ".sarif"):
            assert json.loads(content)
        elif path.suffix == ".html":
            assert content.rstrip().endswith(b"</html>"), path
        elif path.suffix == ".docx":
            assert zipfile.ZipFile(path).testzip() is None
        elif path.suffix == ".md":
            assert content.endswith(b"\n") and len(content.splitlines()) > 50, path
            beside = path.with_name(f"{path.stem}_files")
            for word in content.decode().replace("(", " ").replace(")", " ").split():
                if word.startswith(beside.name + "/"):
                    assert (path.parent / word).exists(), f"{path} shows {word}, which is not there"


def check_manifest(scene: Scene) -> None:
    target = scene.root / "tree.manifest.json"
    if target.exists():
        found = {file.path: file.md5 for file in manifest.read(target).files}
        assert found == {
            path.name: hashlib.md5(path.read_bytes()).hexdigest() for path in (scene.root / "tree").iterdir()
        }


def check_curve(scene: Scene) -> None:
    target = scene.root / "logs/lr.csv"
    if target.exists():
        with target.open() as stream:
            rows = list(csv.DictReader(stream))
        assert [int(row["step"]) for row in rows] == list(range(1, 61))
        assert all(float(row["loss"]) > 0 and row["accuracy"] for row in rows)


def check_converted(scene: Scene) -> None:
    from accucheck.readers.checkpoints import open_checkpoint

    target = scene.root / "out.ckpt"
    if target.exists():
        assert [tensor.shape for tensor in open_checkpoint(target).tensors] == [(256, 256)] * 8
        assert target.stat().st_size > 8 * 256 * 256 * 4


def next_item(scene: Scene) -> tuple[str, ...]:
    items = ("ds.02", "ds.03", "ds.04", "dp.01", "hp.02", "hp.03", "dp.02", "wi.01", "wi.02", "mp.01", "mp.02", "mp.03")
    scene.count += 1
    item = items[scene.count % len(items)]
    return ("answer", item, "problem", "--note", f"as seen in {item}", "--attach", "notes.txt")


def nothing(scene: Scene) -> None:
    pass


#: name: (weight, arguments, exit codes that are right, what to check beside the session).
COMMANDS: dict[str, tuple[int, Callable[[Scene], tuple[str, ...]], tuple[int, ...], Check]] = {
    "run": (
        3,
        lambda _: ("run", "--only", "ds.03", "--only", "ds.04", "--only", "hp.01", "--jobs", "2"),
        (0, 1),
        nothing,
    ),
    "run --live": (1, lambda _: ("run", "--only", "ds.03", "--live"), (0, 1, 3), nothing),
    "answer": (4, next_item, (0,), nothing),
    "report": (
        3,
        lambda _: ("report", "-o", "out", *(f"--format={name}" for name in ("md", "docx", "html", "json", "sarif"))),
        (0,),
        check_reports,
    ),
    "manifest": (4, lambda _: ("manifest", "tree", "-o", "tree.manifest.json"), (0,), check_manifest),
    "convert": (
        3,
        lambda _: ("convert", "weights.safetensors", "out.ckpt", "--to", "mindspore", "--force"),
        (0, 1),
        check_converted,
    ),
    "lr-range": (
        2,
        lambda _: ("lr-range", "--live", "--steps", "60", "-o", "logs/lr.csv", "--force"),
        (0, 1),
        check_curve,
    ),
}


#: What takes long, and is killed in test_children.py too.
TRAINING, MANY = ("run --live", "lr-range"), 50


def measured(scene: Scene, name: str) -> tuple[float, int]:
    """Seconds that a command takes, and how many acts there are to kill it before."""
    _, arguments, codes, _ = COMMANDS[name]
    tally = scene.temporary.with_name("tally")
    command = Command(scene.root, scene.temporary, 0, tally, *arguments(scene), program=("-c", COUNTED))
    ended = command.ended()
    assert ended[0] in codes, ended
    return command.seconds, int(tally.read_text())


def after_kill(scene: Scene, name: str, command: Command) -> None:
    """What must hold once a command was killed, and that the same one then succeeds and clears up."""
    _, arguments, codes, check = COMMANDS[name]
    command.require_no_process()
    scene.check_session()
    check(scene)
    again = ("answer", *command.process.args[command.process.args.index("answer") + 1 :]) if name == "answer" else None
    ended = scene.run(*(again or arguments(scene)))
    assert ended[0] in codes, ended
    if again is not None:
        scene.answered(again[1], ended)
    scene.check_session()
    scene.know()
    check(scene)
    assert not list(half_written(scene.root))
    if name in ("manifest", "convert"):  # the next one must have something to do
        scene.root.joinpath({"manifest": "tree.manifest.json", "convert": "out.ckpt"}[name]).unlink()


@pytest.mark.slow
@pytest.mark.part(1)  # it takes turns itself
def test_kill_9_at_random_moments(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    options = pytestconfig.option
    kills, first = options.kills or (19 if options.whole else 6), 0 if options.whole else options.part % 10
    dice = random.Random(20260131 + first)
    scene = Scene(tmp_path)
    chosen = {name: weight for name, (weight, *_) in COMMANDS.items() if kills >= MANY or name not in TRAINING}
    names = [name for name, weight in chosen.items() for _ in range(weight)]
    plan = [names[number * 7 % len(names)] for number in range(first, first + kills)]  # so that all come in turn
    known = {name: measured(scene, name) for name in dict.fromkeys(plan)}
    late, failures = 0, []
    for number, name in enumerate(plan):
        seconds, acts = known[name]
        arguments = COMMANDS[name][1](scene)
        if number % 2:
            before = dice.randint(1, acts)
            how = f"before act {before} of {acts}"
            command = Command(scene.root, scene.temporary, before, "-", *arguments, program=("-c", COUNTED))
            killed = command.killed()
        else:
            after = dice.uniform(0, 0.9 * seconds)  # without what counting its acts takes
            how = f"after {after:.2f} of {seconds:.2f} s"
            command = Command(scene.root, scene.temporary, *arguments)
            killed = command.killed(after)
        late += not killed
        try:
            after_kill(scene, name, command)
        except (AssertionError, UserError) as error:  # and on to the next: a long run is to tell all that it found
            failures.append(f"kill {number}, {name} {how}: {error}")
            tidy(scene, command)
    print(f"{kills} kills, {late} of them too late:", {name: plan.count(name) for name in known})
    assert not failures, "\n".join(failures)
    assert late <= kills // 2  # else the moments were drawn badly; a machine in a hurry makes one in six late


def tidy(scene: Scene, command: Command) -> None:
    """Take away what a kill has left, so that it is told once."""
    for pid in command.living():
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(scene.temporary)
    scene.temporary.mkdir()
    for path in half_written(scene.root):
        path.unlink()
