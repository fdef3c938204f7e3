"""A disk that is full, a folder that takes nothing, two reports at once: nothing half is left, nothing of before is lost."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from accucheck.model import Finding, Kind, Level, Note, ProbeResult, Status, Verdict, Where
from accucheck.session import MAX_ALONE, open_session

pytestmark = pytest.mark.part(40)

LIMITED = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.argv = ["accucheck", *sys.argv[2:]]
runpy.run_module("accucheck", run_name="__main__")
"""


def started(*arguments: str | Path, limit: int | None = None) -> subprocess.Popen:
    """accucheck in a process of its own, which may write files of `limit` bytes at most."""
    program = ["-m", "accucheck"] if limit is None else ["-c", LIMITED, str(limit)]
    return subprocess.Popen(
        [sys.executable, *program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ran(*arguments: str | Path, limit: int | None = None) -> tuple[int, str, str]:
    process = started(*arguments, limit=limit)
    out, err = process.communicate(timeout=120)
    assert "Traceback" not in err and "an error inside accucheck" not in err, err
    return process.returncode, out, err


def content(folder: Path) -> dict[str, bytes]:
    """All files below a folder but locks, whose content is who held them."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"(folder)"
        for path in folder.rglob("*")
        if path.name != "lock"
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "accucheck.yaml").write_text("name: x\n")
    found = Finding("x", Level.PROBLEM, Where("a.py", 1), {"n": 1}, [Note("t", "line\n" * 150)])
    with open_session(folder) as session:
        session.record_result("ds.01", ProbeResult("p", Kind.FILE, Status.DONE, Verdict.PROBLEM, [found] * 20))
        session.answer("ds.01", Verdict.PROBLEM, "kept", "wang")
    return folder


WRITING = {
    "report": ("report", "--format", "json", "--format", "md", "--format", "html", "-o"),
    "template": ("report", "--template", "{template}", "-o"),
    "issue": ("issue", "-o"),
}


def told(name: str, project: Path, out: Path) -> list[str]:
    template = project / "mine.md"
    template.write_text("{{ report.case }}\n" * 2000)
    head, *rest = (word.replace("{template}", str(template)) for word in WRITING[name])
    return [head, str(project), *rest, str(out)]


@pytest.mark.parametrize("name", WRITING)
def test_no_room_for_a_report(name: str, project: Path, tmp_path: Path) -> None:
    arguments = told(name, project, tmp_path / "new/out")
    before = content(tmp_path)
    code, out, err = ran(*arguments, limit=3000)
    assert code == 2 and not out and err.count("\n") == 1 and "ulimit -f" in err, err
    assert content(tmp_path) == before
    code, out, err = ran(*arguments)
    assert code in (0, 1), err
    assert all(Path(line).is_file() for line in out.splitlines() if line.startswith(str(tmp_path)))


def test_no_room_for_an_answer_or_a_review(project: Path) -> None:
    before = content(project)
    for arguments in (
        ("review", "ds.01", "accept", "-p", project, "--as", "li"),
        ("answer", "ds.02", "ok", "-p", project),
    ):
        code, _, err = ran(*arguments, limit=1000)
        assert code == 2 and "ulimit -f" in err, err
        assert content(project) == before


def mount(place: Path, *options: str) -> None:
    place.mkdir(exist_ok=True)
    done = subprocess.run(["mount", *options, str(place)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"nothing may be mounted here: {done.stderr.strip()}")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 96 KiB that is nearly full."""
    place = tmp_path / "small"
    mount(place, "-t", "tmpfs", "-o", "size=96k", "tmpfs")
    try:
        (place / "other").write_bytes(b"x" * 60_000)
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("name", WRITING)
def test_a_full_disk(name: str, project: Path, small: Path) -> None:
    arguments = told(name, project, small / "new")
    if name == "template":
        (project / "mine.md").write_text("{{ report.case }}" + "x" * 90_000)
    kept = content(project)
    code, out, err = ran(*arguments)
    assert code == 2 and not out and "the disk or the quota is full" in err, err
    assert [path.name for path in small.iterdir()] == ["other"], "nothing half is left"
    assert content(project) == kept


@pytest.mark.parametrize("name", WRITING)
def test_a_folder_that_takes_nothing(name: str, project: Path, tmp_path: Path) -> None:
    place = tmp_path / "locked"
    mount(place, "-t", "tmpfs", "-o", "size=1m,ro", "tmpfs")
    try:
        kept = content(project)
        code, out, err = ran(*told(name, project, place / "out"))
        assert code == 2 and not out and "the file system is read-only" in err, err
        assert content(project).items() >= kept.items()
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("name", ["report", "issue"])
def test_two_at_once_lose_nothing(name: str, project: Path, tmp_path: Path) -> None:
    """Each has files of its own, whole, whichever was first."""
    out = tmp_path / "out"
    arguments = told(name, project, out)
    running = [started(*arguments) for _ in range(3)]
    said = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0] * 3, said
    paths = [[line for line in text.splitlines() if line.startswith(str(out))] for text, _ in said]
    every = [path for each in paths for path in each]
    assert len(set(every)) == len(every) == 3 * len(paths[0]) and all(Path(path).stat().st_size for path in every)
    for path in every:
        if path.endswith(".json"):
            assert json.loads(Path(path).read_bytes())["case"] == "x"
    assert not [path for path in out.rglob("*") if path.name.endswith("tmp")]
    again = content(out)
    assert ran(*arguments)[0] == 0
    assert content(out).items() >= again.items(), "a report that is there stays"


# --- files that a report reads ----------------------------------------------------------------------------------------


def huge(path: Path, size: int) -> Path:
    """A file of this size that takes no room."""
    with path.open("wb") as stream:
        stream.truncate(size)
    return path


def test_files_of_any_size_are_refused_or_left_out(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    template, round_ = huge(tmp_path / "t.md", 1 << 40), huge(tmp_path / "since.json", 1 << 40)
    for option, path in (("--template", template), ("--since", round_)):
        code, _, err = ran("report", project, option, path, "-o", out)
        assert code == 2 and str(path) in err and err.count("\n") == 1, err
        assert not out.exists()
    huge(project / "big.log", 1 << 40)
    huge(project / "big.png", 1 << 40)
    os.mkfifo(project / "pipe.log")
    with open_session(project) as session:
        for name in ("big.log", "big.png", "pipe.log", "/etc/passwd"):
            session.attach("ds.01", name)
    code, _, err = ran("report", project, "--format", "md", "-o", out)
    assert code == 0, err
    assert sum(path.stat().st_size for path in out.rglob("*")) < 1 << 20
    assert not list(out.rglob("attachment-*"))


def test_a_session_that_is_none(project: Path) -> None:
    """Of any size, a pipe, or nested without end: a clear error, and the file stays."""
    stored = project / ".accucheck/session.json"
    good = stored.read_bytes()
    huge(stored, MAX_ALONE + 1)
    code, _, err = ran("report", project, "-o", project / "out")
    assert code == 2 and "larger than 256 MB" in err, err
    assert stored.stat().st_size == MAX_ALONE + 1
    deep = good.replace(b'"n":1', b'"n":' + b'{"a": ' * 400 + b"1" + b"}" * 400)
    assert deep != good
    stored.write_bytes(deep)
    code, _, err = ran("report", project, "-o", project / "out")
    assert code == 2 and "nested too deep" in err, err
    assert stored.read_bytes() == deep
    stored.unlink()
    os.mkfifo(stored)
    code, _, err = ran("report", project, "-o", project / "out")
    assert code == 2 and "neither a regular file" in err, err
    assert not (project / "out").exists()
