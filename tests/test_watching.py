"""accucheck watch on commands that are unlike a plain `python train.py`: real processes, each of them run under watch."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from accucheck import case as cases
from accucheck.errors import UserError
from accucheck.probes._watched import of_case
from accucheck.readers import recordings
from accucheck.watching import OUTPUT, Plan, Watching, WatchResult, watch
from left_behind import wait_until

#: A training of two steps; `WHAT` is done between MindSpore's import and them.
TRAIN = """
import os, sys
{before}
import mindspore as ms
import numpy as np
from mindspore import nn

def train():
    net = nn.Dense(2, 2)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = ms.value_and_grad(lambda a: net(a).sum(), None, optimizer.parameters)
    for number in range({steps}):
        optimizer(step(ms.Tensor(np.ones((2, 2), np.float32)))[1])
        {within}
{after}
"""


def script(folder: Path, *, before: str = "", within: str = "pass", after: str = "train()", steps: int = 3) -> str:
    path = folder / "train.py"
    path.write_text(TRAIN.format(before=before, within=within, after=after, steps=steps))
    return str(path)


def watched(folder: Path, *command: str, steps: int = 0, **given: object) -> WatchResult:
    return watch(Plan(command, folder, steps, mode="pynative", cwd=folder, **given))  # type: ignore[arg-type]


def seen(found: WatchResult, rank: int = 0) -> recordings.Run:
    (one,) = found.passes
    return recordings.read(one.recordings[rank]).runs[-1]


# --- nothing to be seen -------------------------------------------------------------------------------------------------


def test_a_command_without_python_keeps_its_exit_code(tmp_path: Path) -> None:
    (one,) = watched(tmp_path, "sh", "-c", "exit 7").passes
    assert (one.code, one.started, one.imported, one.recordings) == (7, 0, 0, {})


def test_a_command_that_fails_before_mindspore_is_imported(tmp_path: Path) -> None:
    (one,) = watched(tmp_path, sys.executable, "-c", "raise SystemExit(3)").passes
    assert (one.code, one.started, one.imported, one.recordings) == (3, 1, 0, {})


def test_the_case_says_which_language_is_spoken(tmp_path: Path) -> None:
    (tmp_path / "accucheck.yaml").write_text("language: zh\n")
    command = [sys.executable, "-m", "accucheck", "watch", "--", sys.executable, "-c", "pass"]
    environment = {name: value for name, value in os.environ.items() if name != "ACCUCHECK_LANG"}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=True)
    lines = ran.stderr.splitlines()
    assert lines and all(any("\u4e00" <= letter <= "\u9fff" for letter in line) for line in lines), lines


def test_a_python_that_ignores_its_environment_is_run_all_the_same(tmp_path: Path) -> None:
    for command in (
        [sys.executable, "-I", "-c", "raise SystemExit(4)"],
        ["env", "-i", sys.executable, "-c", "exit(4)"],
    ):
        (one,) = watched(tmp_path, *command).passes
        assert (one.code, one.started) == (4, 0)


def test_what_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").touch()
    for command, code in (("no-such-command", "no-program"), ("with\0byte", "io"), ("./plain.txt", "not-executable")):
        with pytest.raises(UserError) as caught:
            watched(tmp_path, command)
        assert caught.value.code == code
    assert not list(tmp_path.glob(".accucheck/watch/*/*.settings.json"))


def test_a_sitecustomize_of_the_users_own_runs_too(tmp_path: Path) -> None:
    own = tmp_path / "lib"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import builtins\nbuiltins.OWN = 5\n")
    code = f"import subprocess, sys; sys.exit(OWN + subprocess.call([{sys.executable!r}, '-c', 'exit(OWN)']))"
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(own)
    try:
        (one,) = watched(tmp_path, sys.executable, "-c", code).passes
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before
    assert (one.code, one.started) == (10, 2)


def test_output_and_input_are_the_commands_own(tmp_path: Path) -> None:
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "accucheck",
            "watch",
            "--lang",
            "en",
            "--project",
            str(tmp_path),
            "--",
            "sh",
            "-c",
            "cat; exit 9",
        ],
        input="given\n",
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (ended.returncode, ended.stdout) == (9, "given\n")
    assert "no python of the command could be watched" in ended.stderr.lower()


def test_a_command_does_not_run_for_a_checklist_that_is_none(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "accucheck", "watch", "--checklist", "nothing", "--", "sh", "-c", "touch ran"]
    ended = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert ended.returncode == 2
    assert "nothing" in ended.stderr
    assert not (tmp_path / "ran").exists()


def test_a_project_that_cannot_be_written_is_watched_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, state = tmp_path / "project", tmp_path / "state"
    project.mkdir()
    (project / ".accucheck").write_text("no folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    found = watched(project, "sh", "-c", "exit 2")
    assert found.code == 2
    assert found.elsewhere is not None
    assert found.folder.is_relative_to(state)


def test_a_command_is_stopped_with_all_that_it_started(tmp_path: Path) -> None:
    import threading
    import time

    (tmp_path / "stubborn.sh").write_text("trap '' INT\necho begun\n(sleep 100; echo left) & wait\n")
    watching = Watching(Plan(["sh", "stubborn.sh"], tmp_path, mode="user", cwd=tmp_path, kept=True))
    found: list[WatchResult] = []
    thread = threading.Thread(target=lambda: found.append(watching.run()))
    thread.start()
    output = watching.folder / OUTPUT
    deadline = time.monotonic() + 60
    while not (output.exists() and output.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    watching.stop()
    thread.join(60)
    assert not thread.is_alive()
    assert found[0].code < 0
    assert output.read_text() == "begun\n"


# --- trainings ----------------------------------------------------------------------------------------------------------

mindspore = pytest.mark.mindspore


@mindspore
def test_folders_forks_streams_and_threads_of_a_training(tmp_path: Path) -> None:
    """It changes folder before the import, closes its standard streams, forks children that train, and ends with a code of its own."""
    elsewhere = tmp_path / "data"
    elsewhere.mkdir()
    script(
        tmp_path,
        before="os.chdir('data'); os.close(0); os.close(1)",
        after="child = os.fork()\nif not child:\n    os._exit(0)\nos.waitpid(child, 0)\ntrain()\nsys.stdout.close()\nsys.exit(6)",
    )
    found = watched(tmp_path, sys.executable, "train.py")
    assert found.code == 6
    run = seen(found)
    assert list(run.series["loss"].steps) == [1, 2, 3]
    assert "failed" not in run.facts
    assert run.facts["optimizer"][0]["place"] == ["train.py", 10]  # named as it was before the folder changed
    assert run.facts["start"][0]["folder"] == str(elsewhere)


@mindspore
def test_children_that_train_are_recorded_by_rank_and_those_that_do_not_are_not(tmp_path: Path) -> None:
    """As a script starts them that imports MindSpore first: each is a rank, one reads data alone."""
    child = "from multiprocessing import Process\nms.set_seed(3)\n\ndef child(rank):\n    os.environ['RANK_ID'] = str(rank)\n    train()\n"
    start = "children = [Process(target=child, args=(rank,)) for rank in range(2)] + [Process(target=print, args=('data',))]\n"
    wait = "for one in children:\n    one.start()\n    one.join()\nsys.exit(sum(one.exitcode for one in children) + 5)"
    script(tmp_path, after=child + start + wait)
    found = watched(tmp_path, sys.executable, "train.py")
    assert found.code == 5
    assert {*found.passes[0].recordings} == {0, 1}
    for rank in (0, 1):
        run = seen(found, rank)
        assert run.rank == rank
        assert list(run.series["loss"].steps) == [1, 2, 3]
        assert [one["value"] for one in run.facts["seed"]][:1] == [[3]]  # before the fork
        assert len(run.facts["start"]) == 1
    assert len([*found.folder.glob("*.jsonl")]) == 2


@mindspore
def test_a_training_that_is_started_anew_and_killed_keeps_what_was_seen(tmp_path: Path) -> None:
    again = "if 'AGAIN' not in os.environ:\n    os.environ['AGAIN'] = '1'\n    os.execv(sys.executable, [sys.executable, *sys.argv])"
    script(tmp_path, before=again, within="number == 3 and os.kill(os.getpid(), 9)", steps=9)
    (tmp_path / "run.sh").write_text(f"exec {sys.executable} -m train\n")
    found = watched(tmp_path, "bash", "run.sh")
    assert found.code == -9
    run = seen(found)
    assert max(run.series["loss"].steps) == 3  # the fourth was not over
    assert run.facts["gradients"][-1]["step"] == 4


@mindspore
def test_an_operation_of_the_script_that_fails_late_is_no_failure_of_a_hook(tmp_path: Path) -> None:
    late = "class Late(nn.Cell):\n    def construct(self, a):\n        return ms.mint.nn.functional.log_softmax(a, dim=-1)\n"
    after = f"{late}\ntrain()\nprint(Late()(ms.Tensor(np.ones((2, 2), np.float32))))  # which CPU has no kernel for"
    (one,) = (found := watched(tmp_path, sys.executable, script(tmp_path, after=after))).passes
    assert (one.code, one.steps, one.failed) == (1, 3, [])
    run = seen(found)
    assert "LogSoftmaxExt" in run.facts["raised"][0]["error"]
    assert [each["hook"] for each in run.facts["failed"]] == ["Cell.__call__"]


@pytest.mark.mindspore
def test_a_row_that_never_comes_does_not_hold_up_the_end(tmp_path: Path) -> None:
    """Rows are read once more when the training is over, from a source that waits for who fills it."""
    (tmp_path / "train.py").write_text(
        """
import threading
import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.dataset import GeneratorDataset

class Rows:
    filled = True

    def __len__(self):
        return 256

    def __getitem__(self, at):
        while not self.filled:
            threading.Event().wait()
        return np.full(2, at, np.float32), np.int32(at % 2)

rows, net = Rows(), nn.Dense(2, 2)
optimizer = nn.SGD(net.trainable_params(), 0.1)
step = ms.value_and_grad(lambda a, b: nn.CrossEntropyLoss()(net(a), b), None, optimizer.parameters)
for image, label in GeneratorDataset(rows, ["image", "label"], shuffle=False).batch(64):
    optimizer(step(image, label)[1])
rows.filled = False
"""
    )
    found = watched(tmp_path, sys.executable, "train.py")
    assert found.code == 0
    run = seen(found)
    assert run.facts["end"][0]["why"] == "exit"
    assert "failed" not in run.facts
    assert [one["dataset"] for one in run.facts["order"]] == [None]  # of the batches that were read, not of the source


@mindspore
def test_a_watch_that_is_killed_leaves_recordings_that_are_read(tmp_path: Path) -> None:
    """Neither accucheck nor the command comes to its end; a process that did not train left a recording as well."""
    child = "    import subprocess\n    subprocess.run([sys.executable, '-c', 'import mindspore'])\n"
    held = "if number == 4:\n            open('ready', 'w').write(str(os.getpid()))\n            import time\n            time.sleep(600)"
    script(tmp_path, within=held, after=f"if __name__ == '__main__':\n{child}    train()", steps=9)
    program = [sys.executable, "-m", "accucheck", "watch", "--steps", "0", "--", sys.executable, "train.py"]
    watch_ = subprocess.Popen(program, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until((tmp_path / "ready").exists, lambda: f"no fifth step; ended with {watch_.poll()}")
        watch_.kill()
        watch_.wait(60)
        wait_until(lambda: (tmp_path / "ready").read_text(), lambda: "no process id")
    finally:
        watch_.kill()
        with suppress(OSError, ValueError):
            os.kill(int((tmp_path / "ready").read_text()), signal.SIGKILL)
    folder = recordings.latest(tmp_path)
    assert folder is not None and len(list(folder.glob("pynative.rank0.*.jsonl"))) == 2
    assert recordings.command(folder) == f"{sys.executable} train.py"
    (folder / "pynative.rank0.1.jsonl").touch()  # of a process that ended before it wrote anything
    ((mode, rank, path),) = recordings.watched(folder)
    assert (mode, rank, recordings.trained(recordings.read(path).runs[-1])[0]) == ("pynative", 0, 4)
    found = of_case(cases.load(tmp_path, [f"watched={folder.relative_to(tmp_path)}"]))
    assert [(one.mode, one.rank, one.steps) for one in found] == [("pynative", 0, 4)]
    (folder / "pynative.jsonl").write_bytes(path.read_bytes())  # a pass that ended before another began
    assert [told[2].name for told in recordings.watched(folder)] == ["pynative.jsonl"]


@mindspore
def test_a_full_disk_ends_the_recording_and_not_the_training(tmp_path: Path) -> None:
    script(tmp_path, steps=6, after="train()\nprint('trained')")
    command = ["bash", "-c", f"ulimit -f 2; exec {sys.executable} train.py"]
    found = watched(tmp_path, *command, kept=True)
    assert found.code == 0
    output = (found.folder / OUTPUT).read_text()
    assert "trained" in output
    assert "accucheck" not in output  # accucheck says it itself, and not amid what the command prints
    (one,) = found.passes
    assert one.full is not None
    assert (one.full.code, one.imported) == ("file-limit", 1)


#: Puts a file system of its own in the place of the project: one that is full after 32 KiB, or one that cannot be written.
FULL = 'mount -t tmpfs -o size=32k tmpfs "$0" && cp "$1" "$0"'
READ_ONLY = 'cp "$1" "$0" && mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"'


@mindspore
@pytest.mark.parametrize(("kind", "language"), [("full", "zh"), ("full-before", "en"), ("read-only", "en")])
def test_a_full_disk_and_one_that_cannot_be_written_are_told_once(tmp_path: Path, kind: str, language: str) -> None:
    project, state = tmp_path / "project", tmp_path / "state"
    project.mkdir()
    program = script(tmp_path, steps=100, after="train()\nprint('trained')\nsys.exit(4)")
    mount = READ_ONLY if kind == "read-only" else FULL
    if subprocess.run(
        ["unshare", "-rm", "sh", "-c", mount, project, program], capture_output=True, check=False
    ).returncode:
        pytest.skip("no file systems of one's own here")
    if kind == "full-before":
        mount += ' && (head -c 100000 /dev/zero > "$0/filler" || true) 2>/dev/null'
    watch_ = f'{mount} && cd "$0" && exec {sys.executable} -m accucheck watch --lang {language} --steps 0 -- {sys.executable} train.py'
    ended = subprocess.run(
        ["unshare", "-rm", "sh", "-c", watch_, project, program],
        env={**os.environ, "XDG_STATE_HOME": str(state), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (ended.returncode, ended.stdout.splitlines()[0]) == (4, "trained")
    assert "watched_updates" in ended.stdout  # what was seen is judged all the same
    assert "san.03" in ended.stdout  # and by the checklist of what a run shows, too
    said = [line for line in ended.stderr.splitlines() if line.startswith("accucheck")]
    problem = {"full": ("is full", "已满"), "full-before": ("is full", "已满"), "read-only": ("read-only", "只读")}[
        kind
    ]
    assert len([line for line in said if problem[language == "zh"] in line]) == 1, said
    assert "--no-session" not in ended.stderr
    assert ("记录到第" in ended.stderr) == (kind == "full")
    kept = list(state.glob("accucheck/watch/*/*/pynative.jsonl"))
    assert len(kept) == (kind != "full")


def test_where_nothing_can_be_written_the_command_runs_unwatched(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "accucheck", "watch", "--lang", "en", "--", "sh", "-c", "cat; exit 3"]
    line = ["bash", "-c", 'ulimit -f 0; exec "$@"', "bash", *command]
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    given: dict[str, Any] = {"env": variables, "cwd": tmp_path, "input": "as given", "text": True, "timeout": 600}
    ended = subprocess.run(line, capture_output=True, check=False, **given)
    assert (ended.returncode, ended.stdout) == (3, "as given")
    (said,) = ended.stderr.splitlines()
    assert "ulimit -f" in said
    assert said.endswith("Nothing can be recorded, so the command runs unwatched.")


@mindspore
def test_a_process_that_cannot_be_watched_says_why(tmp_path: Path) -> None:
    taken = "import glob\nos.mkdir(f\"{glob.glob('.accucheck/watch/*')[0]}/pynative.rank0.{os.getpid()}.jsonl\")"
    script(tmp_path, before=taken, after="train()\nprint('trained')")
    ended = told(tmp_path, sys.executable, "train.py")
    assert (ended.returncode, ended.stdout) == (0, "trained\n")
    said = [line for line in ended.stderr.splitlines() if line.startswith("accucheck: ")]
    assert len(said) == 2
    assert said[1].startswith("accucheck: a Python of the command ran unwatched: IsADirectoryError")


def told(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """What the program itself says of a command."""
    program = [sys.executable, "-m", "accucheck", "watch", "--lang", "en", "--steps", "0", "--", *command]
    return subprocess.run(program, cwd=folder, capture_output=True, text=True, timeout=600)


@mindspore
@pytest.mark.parametrize("runs", [1, 2])
def test_a_command_that_ends_without_a_step_is_told_so_once(tmp_path: Path, runs: int) -> None:
    graph = "import mindspore\nmindspore.set_context(mode=mindspore.GRAPH_MODE)\n" if runs == 2 else ""
    script(tmp_path, after=f"{graph}print('nothing to do')\nsys.exit(5)")
    ended = told(tmp_path, sys.executable, "train.py")
    assert (ended.returncode, ended.stdout) == (5, "nothing to do\n" * runs)
    said = [line for line in ended.stderr.splitlines() if line.startswith("accucheck: ")]
    assert (
        said[-1:]
        == [line for line in said if "exit code" in line]
        == ["accucheck: the command ended with exit code 5 and ran no network of MindSpore that could be seen."]
    )


def test_a_command_without_mindspore_is_told_so_once(tmp_path: Path) -> None:
    ended = told(tmp_path, sys.executable, "-c", "raise SystemExit(3)")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr.count("no Python that it started imported MindSpore") == 1


@mindspore
def test_a_training_under_an_environment_of_its_own_runs_unwatched_and_is_told_so(tmp_path: Path) -> None:
    script(tmp_path, after="train()\nprint('trained')")
    (tmp_path / "run.sh").write_text(f'exec env -i HOME="$HOME" PATH="$PATH" {sys.executable} train.py\n')
    ended = told(tmp_path, "bash", "run.sh")
    assert (ended.returncode, ended.stdout) == (0, "trained\n")
    assert "no Python of the command could be watched" in ended.stderr


#: Takes something out of MindSpore as soon as it is imported, as a version has it that lacks it.
LACKING = """
import importlib.util
import sys


class Lacking:
    def find_spec(self, name, path, target=None):
        if name != "mindspore":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def without(module):
            load(module)
            del sys.modules["mindspore.dataset.engine.iterators"].Iterator

        spec.loader.exec_module = without
        return spec


sys.meta_path.insert(1, Lacking())
"""


@mindspore
def test_a_mindspore_without_something_to_watch_is_watched_for_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "lib"
    own.mkdir()
    (own / "sitecustomize.py").write_text(LACKING)
    monkeypatch.setenv("PYTHONPATH", str(own))
    script(tmp_path)
    ended = told(tmp_path, sys.executable, "train.py")
    assert ended.returncode == 0
    assert ended.stderr.count("this MindSpore has no Iterator.__init__, Iterator.__next__ to hook into") == 1
    folder = recordings.latest(tmp_path)
    assert folder is not None
    assert recordings.trained(recordings.read(folder / "pynative.jsonl").runs[-1])[0] == 3
