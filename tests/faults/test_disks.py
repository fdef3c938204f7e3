"""Disks that are full, quotas, places that take nothing, from the start or in the middle: one clear error, nothing half is left, nothing of
before is lost, and once there is room the same command succeeds."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from accucheck.session import open_session
from command_line import write_checklist
from left_behind import Command, half_written, run, wait_until

pytestmark = pytest.mark.part(40)

#: accucheck whose files may have so many bytes: what a quota on a file's size looks like to a program.
LIMITED = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.argv = ["accucheck", *sys.argv[2:]]
runpy.run_module("accucheck", run_name="__main__")
"""
#: What each writes, and where. The place is theirs to write to, or it is not.
WRITING = {
    "manifest": ("manifest", "{input}/tree", "-o", "{place}/tree.json"),
    "convert": ("convert", "{input}/weights.safetensors", "{place}/out.ckpt", "--to", "mindspore"),
    "convert to safetensors": (
        "convert", "{input}/weights.safetensors", "{place}/out.safetensors", "--to", "pytorch"
    ),
    "report": ("report", "{input}", "-o", "{place}/out", "--format", "md", "--format", "html"),
    "issue": ("issue", "{input}", "-o", "{place}/issue"),
    "plan": ("plan", "{input}", "-o", "{place}/plan.md"),
    "answer": ("answer", "ds.02", "ok", "-p", "{place}/project"),
    "init": ("init", "{place}/new"),
    "lr-range": ("lr-range", "{input}", "--live", "-o", "{place}/lr.csv", "--steps", "40"),
}  # fmt: skip


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """A folder to read from: files, a checkpoint, and a project with an answer."""
    folder = tmp_path / "given"
    (folder / "tree").mkdir(parents=True)
    for number in range(300):
        (folder / f"tree/{number:03}-{'x' * 100}.bin").write_bytes(bytes([number % 256]) * 10)
    save_file({"dense.weight": np.ones((300, 300), np.float32)}, folder / "weights.safetensors")
    (folder / "accucheck.yaml").write_text(
        "name: x\nnetwork: {call: 'net:Net'}\npipelines: {train: {call: 'net:data'}}\n"
    )
    with open_session(folder) as session:
        from accucheck.model import Verdict

        session.answer("ds.01", Verdict.PROBLEM, "kept", "wang")
    return folder


def prepare(place: Path, given: Path) -> None:
    """What the place itself holds from before: a project with an answer, and one to begin."""
    shutil.copytree(given / ".accucheck", place / "project/.accucheck")
    (place / "new").mkdir()
    (place / "new/train.py").write_text("import mindspore\n")


def contents(place: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in place.rglob("*")
        if path.is_file() and path.name not in ("lock", "full")
    }


def mount(place: Path, *options: str) -> None:
    """A file system of its own for the place, or skip: it takes root and the right to do so."""
    place.mkdir(exist_ok=True)
    ran = subprocess.run(["mount", *options, str(place)], capture_output=True, text=True)
    if ran.returncode:
        pytest.skip(f"cannot mount here: {ran.stderr.strip()}")


@pytest.fixture
def place(tmp_path: Path, given: Path) -> Iterator[Path]:
    """A file system of 300 KB that is to be filled."""
    folder = tmp_path / "small"
    mount(folder, "-t", "tmpfs", "-o", "size=300k", "tmpfs")
    try:
        prepare(folder, given)
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(place: Path) -> None:
    try:
        with (place / "full").open("wb", buffering=0) as stream:
            while True:
                stream.write(b"x" * 4096)
    except OSError:
        pass


def words(name: str, given: Path, place: Path) -> list[str]:
    return [word.format(input=given, place=place) for word in WRITING[name]]


def refused(ended: tuple[int, str, str], *says: str) -> None:
    code, _, err = ended
    assert code == 2 and "Traceback" not in err and "inside accucheck" not in err, err
    assert any(text in err for text in says), err


def kept(folder: Path) -> None:
    with open_session(folder, write=False) as session:
        assert session.entry("ds.01").note == "kept" and session.notice is None


@pytest.mark.parametrize("name", WRITING)
def test_a_full_disk(name: str, given: Path, place: Path, tmp_path: Path) -> None:
    before = contents(place)
    fill(place)
    refused(run(given, tmp_path / "temporary", *words(name, given, place)), "disk or the quota is full")
    assert contents(place) == before and not list(half_written(place))
    kept(given)
    (place / "full").unlink()
    if name in ("convert", "convert to safetensors"):
        subprocess.run(["mount", "-o", "remount,size=2m", str(place)], check=True)
    if name != "lr-range":  # tests/test_range_test.py
        assert run(given, tmp_path / "temporary", *words(name, given, place))[0] in (0, 1)
        assert contents(place) != before
    kept(place / "project")


@pytest.mark.parametrize("name", [name for name in WRITING if name != "lr-range"])
def test_a_quota_that_is_reached_in_the_middle(name: str, given: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    prepare(place, given)
    before = contents(place)
    command = Command(given, tmp_path / "temporary", 100, *words(name, given, place), program=("-c", LIMITED))
    refused(command.ended(), "ulimit -f", "disk or the quota is full")
    command.require_no_temporary()
    left = {path: content for path, content in contents(place).items() if not path.endswith(".json.journal")}
    assert left == before  # but for what a manifest goes on from
    assert run(given, tmp_path / "temporary", *words(name, given, place))[0] in (0, 1)
    assert contents(place) != before and not list(half_written(place))
    kept(place / "project")


@pytest.mark.parametrize("name", WRITING)
def test_a_place_that_takes_nothing(name: str, given: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    prepare(place, given)
    before = contents(place)
    mount(place, "--bind", str(place))
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(place)], check=True)
        refused(run(given, tmp_path / "temporary", *words(name, given, place)), "file system is read-only")
        assert contents(place) == before
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.fixture
def frozen() -> Iterator:
    """frozen(folder) takes the right to add and remove files in a folder, even from root; given back when the test ends."""
    folders: list[Path] = []

    def freeze(folder: Path) -> None:
        if os.geteuid():
            folder.chmod(0o555)
        else:
            ran = subprocess.run(["chattr", "+i", str(folder)], capture_output=True, text=True)
            if ran.returncode:
                pytest.skip(f"no such right to be taken here: {ran.stderr.strip()}")
        folders.append(folder)

    yield freeze
    for folder in folders:
        if os.geteuid():
            folder.chmod(0o755)
        else:
            subprocess.run(["chattr", "-i", str(folder)], check=True)


def test_a_right_that_is_lost_in_the_middle_of_a_run(given: Path, fakes: Path, tmp_path: Path, frozen) -> None:
    """What was found is printed, what was confirmed is there, and the exit code says that it was not recorded."""
    write_checklist(given / "mine.yaml", "fake_slow", "fake_problem", each=True)
    own = given / ".accucheck"
    before = (own / "session.json").read_bytes()
    command = Command(
        given, tmp_path / "temporary", "run", ".", "--checklist", "mine.yaml", "--timeout", "15", "--json"
    )
    wait_until(lambda: len(command.living()) > 1, lambda: f"it does not begin: {command.process.poll()}", 120)
    frozen(own)
    code, out, err = command.ended()
    assert (code == 2 and "accucheck cannot write" in err) or "permission" in err.lower(), err
    assert '"fake_slow"' in out and "Traceback" not in err
    command.require_no_process()
    assert (own / "session.json").read_bytes() == before and not list(half_written(given))


def test_a_project_that_is_removed_in_the_middle_of_a_run(given: Path, fakes: Path, tmp_path: Path) -> None:
    checklist = write_checklist(tmp_path / "mine.yaml", "fake_slow", "fake_problem", each=True)
    command = Command(
        tmp_path, tmp_path / "temporary", "run", given, "--checklist", checklist, "--timeout", "15", "--json"
    )
    wait_until(lambda: len(command.living()) > 1, lambda: f"it does not begin: {command.process.poll()}", 120)
    shutil.rmtree(given)
    code, out, err = command.ended()
    assert code in (1, 2, 3) and "Traceback" not in err and "inside accucheck" not in err, err
    assert '"fake_slow"' in out
    command.require_no_process()
    command.require_no_temporary()


@pytest.mark.parametrize("temporary", ["full", "read-only", "missing"])
def test_without_a_temporary_folder_what_needs_none_runs(
    temporary: str, given: Path, tmp_path: Path, fakes: Path
) -> None:
    checklist = write_checklist(tmp_path / "mine.yaml", "fake_problem")
    folder = tmp_path / "temporary"
    if temporary == "missing":
        variable = str(folder / "none")
    else:
        mount(folder, "-t", "tmpfs", "-o", "size=8k", "tmpfs")
        variable = str(folder)
    try:
        if temporary == "full":
            fill(folder)
        elif temporary == "read-only":
            subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        ran = subprocess.run(
            [sys.executable, "-m", "accucheck", "run", str(given), "--checklist", str(checklist)],
            env={**os.environ, "TMPDIR": variable},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert ran.returncode == 1 and "fake_problem" in ran.stdout, ran
    finally:
        if temporary != "missing":
            subprocess.run(["umount", str(folder)], check=True)


def test_a_lock_whose_holder_is_stopped_holds_only_writers_up(given: Path, fakes: Path, tmp_path: Path) -> None:
    write_checklist(given / "mine.yaml", "fake_slow")
    command = Command(given, tmp_path / "temporary", "run", ".", "--checklist", "mine.yaml")
    wait_until(lambda: len(command.living()) > 1, lambda: f"it does not begin: {command.process.poll()}", 120)
    command.process.send_signal(signal.SIGSTOP)
    try:
        code, _, err = run(given, tmp_path / "other", "answer", "ds.02", "ok")
        assert code == 2 and str(command.process.pid) in err, err
        assert run(given, tmp_path / "other", "status")[0] == 0
    finally:
        command.process.send_signal(signal.SIGCONT)
        command.process.send_signal(signal.SIGTERM)
    assert command.ended()[0] == 143
    assert run(given, tmp_path / "other", "answer", "ds.02", "ok")[0] == 0
