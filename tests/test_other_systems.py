"""What Windows and macOS lack is taken away here, for the program and for every process that it starts: all but live probes and serve work.

Not tried on these systems themselves: the names of their paths, their consoles, and their own locks are not what is tested.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import copy_example

ROOT = Path(__file__).parents[1]

#: What a process without these modules and functions runs first. A site of one's own reaches the children too.
WITHOUT = """
import sys
for name in {modules}:
    sys.modules[name] = None
import os, signal, select
for name in {functions}:
    if hasattr(os, name):
        delattr(os, name)
for name in {signals}:
    if hasattr(signal, name):
        delattr(signal, name)
"""
WINDOWS = {
    "modules": ["fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"],
    "functions": [
        *(
            "fork",
            "killpg",
            "waitid",
            "pread",
            "preadv",
            "pwrite",
            "set_blocking",
            "fchmod",
            "fchown",
            "nice",
            "getuid",
            "geteuid",
        ),
        *(
            "sysconf",
            "getloadavg",
            "sched_getaffinity",
            "O_DIRECTORY",
            "O_NOFOLLOW",
            "O_NONBLOCK",
            "O_CLOEXEC",
            "O_NOCTTY",
            "O_PATH",
        ),
    ],
    "signals": ["SIGHUP"],
}
MACOS = {"modules": [], "functions": ["waitid", "sched_getaffinity", "O_PATH"], "signals": []}


@pytest.fixture(params=[WINDOWS, MACOS], ids=["windows", "macos"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(WITHOUT.format(**request.param))
    return folder


def run(site: Path, *words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), str(ROOT / "src")])
    command = [sys.executable, "-m", "accucheck", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": path, "ACCUCHECK_LANG": "en"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=cwd, env=environment)


def test_the_site_takes_them_away(site: Path) -> None:
    code = "import os; print(hasattr(os, 'waitid'))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(site)}
    )
    assert done.stdout == "False\n", done


@pytest.mark.slow
def test_static_and_file_probes_sessions_and_reports(site: Path, tmp_path: Path) -> None:
    project = copy_example("digits_faulty", tmp_path)
    here = json.loads(
        subprocess.run(
            [sys.executable, "-m", "accucheck", "run", str(project), "--json", "--no-session"],
            capture_output=True,
            timeout=300,
        ).stdout
    )
    ran = run(site, "run", project, "--json")
    assert ran.returncode == 1 and not ran.stderr.strip().startswith("Traceback"), ran.stderr
    there = json.loads(ran.stdout)
    assert [(item["id"], item["suggestion"]) for item in there["items"]] == [
        (item["id"], item["suggestion"]) for item in here["items"]
    ]
    assert there["summary"] == here["summary"] and not there["summary"]["probes"]["failed"]
    assert run(site, "answer", "wi.01", "problem", "--project", project).returncode == 0
    assert "wi.01" in run(site, "status", project).stdout
    report = run(
        site, "report", project, "-o", "out", "--format", "json", "--format", "sarif", "--format", "junit", cwd=project
    )
    assert report.returncode == 0, report.stderr
    assert run(site, "fix", project).stdout.startswith("--- a/")
    assert run(site, "compare", project / "checkpoints/init.ckpt", project / "checkpoints/init.ckpt").returncode == 0
    assert run(site, "manifest", project / "data", "-o", tmp_path / "m.json").returncode == 0
    assert run(site, "run", project, "--only", "hp", "--jobs", "2").returncode in (0, 1)


def test_every_module_is_imported_but_what_runs_code_or_serves(site: Path) -> None:
    """Nothing is asked of the system where a module is imported."""
    left_out = (
        "agents/server.py",
        "editor.py",
        "live/inside",
        "live/first",
        "live/warm.py",
        "serving.py",
        "fence.py",
        "tui",
    )
    names = [
        ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        for path in sorted((ROOT / "src/accucheck").rglob("*.py"))
        if not path.relative_to(ROOT / "src/accucheck").as_posix().startswith(left_out) and path.name != "__main__.py"
    ]
    code = f"import importlib\nfor name in {names!r}:\n    importlib.import_module(name.removesuffix('.__init__'))\n"
    path = os.pathsep.join([str(site), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr[-2000:]
