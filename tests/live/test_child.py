"""The child process under the user's interpreter: its channel, its end, and what is said when there is no MindSpore."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from accucheck.case import Case, CaseFile
from accucheck.errors import UserError
from accucheck.live import child, warm
from accucheck.model import Language
from accucheck.probe import Skip

SCRIPT = warm.PROGRAM
REQUEST = {"pipeline": {"call": "pipe:create", "args": {}}, "samples": 100, "seconds": 5, "label": None}


def case(root: Path, **runtime: str) -> Case:
    return Case(root=str(root), spec=msgspec.convert({"runtime": runtime}, CaseFile))


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """An interpreter without MindSpore."""
    folder = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return str(folder / "bin" / "python")


def test_an_interpreter_without_mindspore_is_a_skip(tmp_path: Path, bare: str) -> None:
    with pytest.raises(Skip) as caught:
        list(child.events(case(tmp_path, python=bare), "order", REQUEST, 5))
    assert caught.value.reason.code == "no-mindspore" and caught.value.reason.data == {"python": bare}


@pytest.mark.parametrize(
    ("python", "code"), [("/no/such/python", "not-found"), ("no-such-python", "not-found"), (".", "not-found")]
)
def test_an_interpreter_that_is_not_there(tmp_path: Path, python: str, code: str) -> None:
    with pytest.raises(UserError) as caught:
        list(child.events(case(tmp_path, python=python), "order", REQUEST, 5))
    assert caught.value.code == code


def test_something_that_is_no_interpreter(tmp_path: Path) -> None:
    (tmp_path / "python").write_text("not a program")
    with pytest.raises(UserError) as caught:
        list(child.events(case(tmp_path, python="./python"), "order", REQUEST, 5))
    assert caught.value.code == "io" and caught.value.text(Language.ZH)

    (tmp_path / "python").write_text("#!/bin/sh\necho loud\necho why >&2\nexit 7\n")
    (tmp_path / "python").chmod(0o755)
    with pytest.raises(UserError) as caught:
        list(child.events(case(tmp_path, python="./python"), "order", REQUEST, 5))
    assert caught.value.code == "live-crashed" and "why" in str(caught.value) and "7" in str(caught.value)


@pytest.mark.parametrize("path", sorted(warm.PROGRAM.parent.glob("*.py")), ids=lambda path: path.stem)
def test_what_runs_there_is_python_3_9_and_imports_little(path: Path) -> None:
    import ast

    tree = ast.parse(path.read_text("utf8"), feature_version=(3, 9))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named = [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            named = [str(node.module).split(".")[0]]
        else:
            continue
        assert all(name in sys.stdlib_module_names or name in ("numpy", "mindspore") for name in named), named


def test_the_child_ends_when_its_stdin_closes(tmp_path: Path) -> None:
    (tmp_path / "mindspore.py").write_text("import time\ntime.sleep(60)\n")
    request = {**REQUEST, "root": str(tmp_path), "token": "t"}
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    time.sleep(0.5)
    assert process.poll() is None
    process.stdin.close()
    assert process.wait(timeout=10) == 3


def test_a_broken_mindspore_is_said(tmp_path: Path, bare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mindspore.py").write_text("raise ImportError('libascend.so: cannot open shared object')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(UserError) as caught:
        list(child.events(case(tmp_path, python=bare), "order", REQUEST, 5))
    assert caught.value.code == "live-no-import" and "libascend.so" in str(caught.value)


def test_leaving_the_events_early_ends_the_child(tmp_path: Path, bare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mindspore.py").write_text("__version__ = '0'\n")
    (tmp_path / "pipe.py").write_text(
        "import os, time\ndef create():\n    open('pid', 'w').write(str(os.getpid()))\n    time.sleep(60)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    events = child.events(case(tmp_path, python=bare), "order", REQUEST, 5)
    assert next(events)["event"] == "runtime"
    for _ in range(100):
        if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
            break
        time.sleep(0.05)
    events.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
