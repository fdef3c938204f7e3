"""Many writers at one place: each writes whole, none takes what another is writing for something left behind."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import pytest

from accucheck.errors import SaveError
from accucheck.store import UNFINISHED, atomically, scratch, sweep, write_atomically, write_new, write_together

WRITER = """
import sys
from pathlib import Path
from accucheck.store import scratch, write_atomically, write_together
folder, own = Path(sys.argv[1]), sys.argv[2].encode()
for number in range(150):
    write_atomically(folder / "shared", own * 5000)
    write_together(folder, {f"{sys.argv[2]}-{number}": own, f"below/{sys.argv[2]}-{number}": own}, replace=False)
    with scratch() as place:
        (place / "copy").write_bytes(own)
        assert (place / "copy").read_bytes() == own
"""


def test_writers_do_not_sweep_each_other_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    folder = tmp_path / "folder"
    folder.mkdir()
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, folder, name]) for name in "abcd"]
    assert [writer.wait(300) for writer in writers] == [0, 0, 0, 0]
    shared = (folder / "shared").read_bytes()
    assert len(shared) == 5000 and len(set(shared)) == 1
    assert len(list(folder.iterdir())) == 2 + 4 * 150 and len(list((folder / "below").iterdir())) == 4 * 150
    assert not list((tmp_path / "temporary").iterdir())


def test_only_what_nobody_holds_is_swept(tmp_path: Path) -> None:
    left = [tmp_path / f".report.md.{writer}{UNFINISHED}" for writer in ("11111111", "22222222")]
    for path in left:
        path.write_bytes(b"half")
    other = tmp_path / ".report.md.33333333.tmp"  # another program's
    other.write_bytes(b"theirs")
    with atomically(tmp_path / "kept") as stream:
        stream.write(b"whole")
        sweep([tmp_path, tmp_path / "missing"])
        assert not any(path.exists() for path in left)
    assert (tmp_path / "kept").read_bytes() == b"whole"
    assert sorted(os.listdir(tmp_path)) == [other.name, "kept"]


def test_what_was_begun_anew_under_the_same_name_is_not_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = tmp_path / f".report.md.11111111{UNFINISHED}"
    left.write_bytes(b"half")
    lock = fcntl.flock

    def flock(stream: BinaryIO, how: int) -> None:
        """Another has swept it first, and its writer is at it again."""
        lock(stream, how)
        left.unlink()
        left.write_bytes(b"again")

    monkeypatch.setattr(fcntl, "flock", flock)
    sweep([tmp_path])
    assert left.read_bytes() == b"again"
    monkeypatch.undo()
    sweep([tmp_path])
    assert not left.exists()


def test_a_failure_in_the_middle_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"old")
    with pytest.raises(RuntimeError), atomically(tmp_path / "old") as stream:
        stream.write(b"new")
        raise RuntimeError
    with pytest.raises(FileExistsError):
        write_together(tmp_path, {"a": b"a", "below/b": b"b", "old": b"new"}, replace=False)
    with pytest.raises(SaveError) as caught:
        write_new(tmp_path / "old", b"new")
    assert caught.value.code == "exists"
    with pytest.raises(SaveError) as caught:
        write_new(tmp_path / "nowhere/new", b"new")
    assert caught.value.code == "not-found"
    assert os.listdir(tmp_path) == ["old"] and (tmp_path / "old").read_bytes() == b"old"


@pytest.mark.parametrize("name", [b"x" * 255, "精".encode() * 85, b"\xff\xfe", b"a.b.c"])
def test_any_name_that_the_system_takes(tmp_path: Path, name: bytes) -> None:
    path = tmp_path / os.fsdecode(name)
    write_atomically(path, b"one")
    write_together(tmp_path, {path.name: b"two"}, replace=True)
    assert path.read_bytes() == b"two" and len(os.listdir(tmp_path)) == 1


def test_a_temporary_folder_that_a_kill_left_goes_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code = "import os, signal\nfrom accucheck.store import scratch\nwith scratch() as place:\n"
    code += "    (place / 'copy').touch()\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)})
    (left,) = tmp_path.iterdir()
    with scratch() as first, scratch() as second:
        assert not left.exists() and first.exists() and second.exists() and first != second
    assert not list(tmp_path.iterdir())
