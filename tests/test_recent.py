"""The list of recent projects: order, what is kept of it, and what may be wrong with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from accucheck import recent
from accucheck.recent import Recent


def entry(path: object, **more) -> Recent:
    return Recent(os.fspath(path), "name", "2026-01-01T00:00:00+00:00", **more)


def test_the_last_one_comes_first_and_stands_once(tmp_path):
    for name in ("a", "b", "a"):
        recent.note(entry(tmp_path / name, item=name))
    assert [Path(known.path).name for known in recent.load()] == ["a", "b"]
    assert recent.find(tmp_path / "b").item == "b" and recent.find(tmp_path / "c") is None
    recent.forget(str(tmp_path / "a"))
    assert [Path(known.path).name for known in recent.load()] == ["b"]


def test_it_does_not_grow_for_ever(tmp_path):
    for number in range(recent.MOST + 5):
        recent.note(entry(tmp_path / str(number)))
    known = recent.load()
    assert len(known) == recent.MOST and known[0].path == str(tmp_path / str(recent.MOST + 4))


def test_a_project_that_is_gone_is_known_as_such(tmp_path):
    assert entry(tmp_path).there
    assert not entry(tmp_path / "none").there and not entry("x" * 5000).there and not entry("a\0b").there


@pytest.mark.parametrize("content", [b"", b"{", b"[1, {}]", b"\xff", b"[" * 5000, b'{"a": 1}', b"null"])
def test_a_damaged_list_is_an_empty_one(home, tmp_path, content):
    file = home / ".local/state/accucheck/recent.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    assert recent.load() == []
    recent.note(entry(tmp_path))
    assert [known.path for known in recent.load()] == [str(tmp_path)]


def test_a_good_entry_beside_a_damaged_one_is_kept(home):
    file = home / ".local/state/accucheck/recent.json"
    file.parent.mkdir(parents=True)
    file.write_text('[{"path": 1}, {"path": "/x", "name": "n", "when": "", "more": 1}]')
    assert [known.path for known in recent.load()] == ["/x"]


def test_no_place_to_write_is_no_error(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    recent.note(entry(tmp_path))
    assert recent.load() == []
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("HOME")
    assert isinstance(recent.load(), list)


def test_programs_that_write_at_once_lose_nothing(tmp_path):
    code = "import sys; from accucheck import recent; recent.note(recent.Recent(sys.argv[1], 'n', ''))"
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path / str(n))]) for n in range(6)]
    assert [process.wait(30) for process in running] == [0] * 6
    assert {Path(known.path).name for known in recent.load()} == set("012345")
