"""accucheck dump: the configuration that is written, a real dump of a training in graph mode, and what is said where there is none."""

import fcntl
import json
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from accucheck import dumping
from accucheck.dumping import FILE, DumpRequest, settings, steps_of, write
from accucheck.errors import UserError
from accucheck.live.inside.rates import Rates
from command_line import accucheck, copy_example


@pytest.mark.parametrize(
    ("text", "steps", "iterations"),
    [("1", (1,), "0"), ("1-3", (1, 2, 3), "0-2"), ("5, 1,7-8,2", (1, 2, 5, 7, 8), "0-1|4|6-7"), ("3,3", (3,), "2")],
)
def test_steps_count_from_one_and_iterations_from_zero(text: str, steps: tuple[int, ...], iterations: str) -> None:
    assert steps_of(text) == steps
    assert settings("/d", DumpRequest(steps))["common_dump_settings"]["iteration"] == iterations


@pytest.mark.parametrize("text", ["", "0", "0-1", "3-1", "x", "1-", "-1", "1-5000", "1," * 2000])
def test_what_are_no_steps_is_refused(text: str) -> None:
    with pytest.raises(UserError) as error:
        steps_of(text)
    assert error.value.code == "dump-steps"


def test_what_is_asked_for_stands_in_the_configuration() -> None:
    common = settings("/d", DumpRequest((1,), (0, 3), ("MatMul",), "output", True, True))["common_dump_settings"]
    assert (common["support_device"], common["kernels"], common["dump_mode"]) == ([0, 3], ["MatMul"], 1)
    assert (common["input_output"], common["saved_data"], common["op_debug_mode"]) == (2, "statistic", 3)
    plain = settings("/d", DumpRequest((1,)))["common_dump_settings"]
    assert (plain["kernels"], plain["dump_mode"], plain["op_debug_mode"], plain["saved_data"]) == ([], 0, 0, "tensor")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--", sys.executable, "-c", "pass"], 2, "graph mode"),
        (["--", sys.executable, "-c", "raise SystemExit(7)"], 7, "exit code 7"),
        (["--steps", "0", "--", "true"], 2, "counted from 1"),
        (["-o", "with.dot/x", "--", "true"], 2, "--output"),
        (["-o", ".", "--", "true"], 2, "exists"),
        (["--", "no-such-command"], 2, "no-such-command"),
    ],
)
def test_where_nothing_is_dumped_it_says_why(tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    ran = accucheck("dump", "--lang", "en", *arguments, cwd=root)
    assert ran.code == code and said in ran.err and "Traceback" not in ran.err, ran
    assert accucheck("dump", "--lang", "zh", *arguments, cwd=root).code == code


def test_dumps_of_one_second_have_folders_of_their_own(tmp_path: Path) -> None:
    made = [write(tmp_path / "dump", DumpRequest((1,)), below=True)[0] for _ in range(3)]
    assert len({*made}) == 3 and all((one / FILE).is_file() for one in made)


SHOWING = """
import pathlib
from accucheck.cli import dump
from accucheck.dumping import DumpSummary, Row
names = [f"Default_network-WithLossCell__backbone-Network_layer{at}-Dense_Grad_MatMul-op{at}" for at in range(3)]
dump._show(DumpSummary([Row(0, 0, name, "MatMul", None) for name in names], None, 3), pathlib.Path("d"), every=True)
"""


def test_long_names_keep_their_ends_in_a_terminal() -> None:
    """Each took two lines of 80 columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**os.environ, "ACCUCHECK_LANG": "en"}
    subprocess.run([sys.executable, "-c", SHOWING], stdout=theirs, stderr=theirs, env=environment, check=True)
    told = os.read(ours, 1 << 16).decode()
    lines = [line for line in told.splitlines() if "MatMul" in line]
    assert len(lines) == 3 and all(len(line) <= 80 and "…" in line for line in lines)
    assert lines[1].endswith("layer1-Dense_Grad_MatMul-op1")
    plain = subprocess.run([sys.executable, "-c", SHOWING], capture_output=True, text=True, env=environment, check=True)
    assert plain.stdout.count("Default_network-WithLossCell") == 3


@pytest.mark.mindspore
@pytest.mark.slow
@pytest.mark.parametrize(
    ("ends", "span"), [((0.0, 9.0), "0 .. 9"), ((-0.25, 3.5), "-0.25 .. 3.5"), ((0.0, 2e9), "0 .. 2e+09")]
)
def test_a_range_of_whole_numbers_has_no_exponent(ends: tuple[float, float], span: str) -> None:
    from accucheck.cli.dump import _cells
    from accucheck.dumping import Row
    from accucheck.readers.dumps import Values

    row = Row(0, 0, "Cast-op1", "Cast", Values("int32", (8,), 8, minimum=ends[0], maximum=ends[1]))
    assert _cells(row)[1] == span


def test_the_example_is_dumped_and_the_first_bad_operation_named(tmp_path: Path) -> None:
    root = copy_example("digits", tmp_path)
    # A rate so high that the first update leaves nothing finite in the second step.
    command = (sys.executable, "train.py", "--epochs", "1", "--learning-rate", "1e30")
    ran = accucheck("dump", "--lang", "en", "--steps", "1-3", "-o", "dumped", "--", *command, cwd=root, timeout=300)
    assert ran.code == 0 and "of 3 steps and 1 rank" in ran.out, ran
    assert "First with finite inputs and an output that is NaN or Inf" in ran.out and "conv1" in ran.out
    told = json.loads((root / "dumped" / dumping.FILE).read_text())
    assert told["common_dump_settings"]["iteration"] == "0-2"
    assert not (root / ".accucheck" / "watch").exists(), "a few dumped steps are not what the project's probes look at"
    judged = accucheck(
        "run", "--only", "mp.01", "--set", "dumps.path=dumped", "--json", "--no-session", cwd=root, timeout=300
    )
    assert any(
        result["probe"] == "overflow" and result["findings"]
        for item in json.loads(judged.out)["items"]
        for result in item["results"]
    ), judged
    shutil.copytree(root / "dumped", tmp_path / "copied")
    with pytest.raises(UserError) as error:
        dumping.keep_only(tmp_path / "copied", ["nothing"])
    assert error.value.code == "dump-no-layer" and "Dense" in str(error.value.data["known"])
    dumping.keep_only(tmp_path / "copied", ["fc1"])
    names = {row.name for row in dumping.opened(tmp_path / "copied").rows}
    assert names and all("fc1" in name for name in names)
    again = accucheck("dump", "--lang", "en", "-o", "dumped", "--", *command, cwd=root)
    assert again.code == 2 and "dumped" in again.err, "what is there is not written over"


@pytest.mark.parametrize("dumps", [True, False])
def test_a_schedule_is_not_computed_while_mindspore_dumps(monkeypatch: pytest.MonkeyPatch, dumps: bool) -> None:
    """MindSpore's dump counts what it runs: a schedule that the recording computes would be taken for a step of the training."""
    if dumps:
        monkeypatch.setenv(dumping.VARIABLE, "settings.json")
    else:
        monkeypatch.delenv(dumping.VARIABLE, raising=False)
    computed: list[int] = []

    def schedule(step: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        computed.append(int(step))
        return np.array(0.1, np.float32)

    optimizer = SimpleNamespace(learning_rate=schedule, dynamic_lr=True, global_step=np.array(3))
    rates = Rates()
    assert (rates.read(optimizer) is None) is dumps
    assert computed == ([] if dumps else [3])
    rates.pass_over(optimizer, 1, 1)
    if dumps:  # without MindSpore, nothing else may be computed either
        monkeypatch.setitem(sys.modules, "mindspore", SimpleNamespace())
        assert rates.between(optimizer) == [] and not computed
