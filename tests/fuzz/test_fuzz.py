"""The short run of every target: its whole files, what was found once, and the same few hundred changes each time.

The long run is fuzz.py, which finds its way by coverage; the guard and the table of targets are the same.
"""

import os
import pickle
import random
import socket
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fuzz_guard import Guard
from fuzz_mutations import mutated
from fuzz_targets import TARGETS, Target

FOUND = Path(__file__).parent / "found"
#: Changed inputs a target; fewer where one takes long.
COUNT = 60
SLOW = {
    "script": 30,
    "notebook": 20,
    "config-yaml": 15,
    "config-json": 15,
    "template": 12,
    "session-report": 12,
    "parquet": 30,
}


#: Whose whole files MindSpore makes.
MINDSPORE = ("ckpt", "mindir", "mindrecord", "mindrecord-index")


class _Hostile:
    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("true",)


def _forks(path: Path) -> None:
    """As templates are filled: what a copy of the process does counts too."""
    child = os.fork()
    if not child:
        try:
            Path("/tmp/outside").write_text("")
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def _swallows(path: Path) -> None:
    try:
        os.system("true")
    except BaseException:
        pass


def _waits(path: Path) -> None:
    while True:
        pass


@pytest.mark.part(40)
@pytest.mark.parametrize(
    ("what", "read"),
    [
        ("for writing", lambda path: Path("/tmp/outside").write_text("")),
        ("for writing", _forks),
        ("os.system", _swallows),
        ("os.mkdir outside", lambda path: os.mkdir("/tmp/outside")),
        ("os.rename outside", lambda path: path.rename("/tmp/outside")),
        ("left behind", lambda path: tempfile.mkstemp()),
        ("subprocess.Popen", lambda path: subprocess.run(["true"])),
        ("unpickles", lambda path: pickle.loads(pickle.dumps(_Hostile()))),
        ("runs the code", lambda path: exec(compile("1", str(path), "exec"))),
        ("socket.connect", lambda path: socket.socket().connect(("127.0.0.1", 9))),
        ("memory", lambda path: np.ones(40 << 20)),
        ("MemoryError", lambda path: np.empty(1 << 40)),
        ("hangs", _waits),
        ("KeyError", lambda path: {}["x"]),
    ],
)
def test_the_guard_sees_what_is_not_allowed(what: str, read: Callable[[Path], object], tmp_path: Path) -> None:
    with (
        Guard(Target("x", "x", lambda folder: [], read), tmp_path, seconds=3) as guard,
        pytest.raises(BaseException) as raised,
    ):
        guard.run(b"x")
    assert what in repr(raised.value)


@pytest.mark.part(40)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.mindspore] if name in MINDSPORE else []) for name in TARGETS]
)
def test_no_input_harms(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    target = TARGETS[name]
    if name.startswith("pth"):
        pytest.importorskip("torch")
    (tmp_path / "seeds").mkdir()
    seeds = list(target.seeds(tmp_path / "seeds"))
    assert seeds
    chance = random.Random(name)
    inputs = [path.read_bytes() for path in sorted((FOUND / name).glob("*"))] + [b""]
    inputs += [mutated(chance.choice(seeds), seeds, chance) for _ in range(SLOW.get(name, COUNT))]
    watched = not request.config.getoption("--unwatched")
    with Guard(target, tmp_path / "guarded", seconds=60, watched=watched) as guard:
        for data in seeds[:10]:
            guard.run(data, bounded=False)
        for number, data in enumerate(inputs):
            try:
                guard.run(data)
            except BaseException:
                (tmp_path / "input").write_bytes(data)
                print(f"{name}, input {number}: {tmp_path / 'input'}")
                raise
