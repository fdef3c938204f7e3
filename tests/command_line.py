"""Runs the real command line in a process of its own, as a user does."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


class Ran:
    """How a command ended: exit code, standard output and error as bytes and as text."""

    def __init__(self, code: int, stdout: bytes, stderr: bytes) -> None:
        self.code, self.stdout, self.stderr = code, stdout, stderr
        self.out, self.err = stdout.decode("utf-8", "replace"), stderr.decode("utf-8", "replace")

    def __repr__(self) -> str:
        return f"exit code {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def accucheck(*arguments: str | bytes | Path, cwd: Path | None = None, timeout: float = 120, **environment: str) -> Ran:
    """`python -m accucheck ARGUMENTS` with no terminal; a command that hangs fails the test."""
    process = subprocess.run(
        [sys.executable, "-m", "accucheck", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout,
        cwd=cwd,
        env={**os.environ, **environment},
    )
    return Ran(process.returncode, process.stdout, process.stderr)


def copy_example(name: str, folder: Path) -> Path:
    """An example, copied to where it may be changed."""
    target = folder / name
    shutil.copytree(EXAMPLES / name, target, ignore=shutil.ignore_patterns(".accucheck", "__pycache__"))
    return target


def write_checklist(path: Path, *probes: str, each: bool = False) -> Path:
    """A checklist `mine` whose item a.1 names these probes; with `each`, items a.1, a.2 ... name one each."""
    groups = [[name] for name in probes] if each else [list(probes)]
    text = "name: mine\nversion: 1\ntitle: {zh: 我的清单, en: My checklist}\n"
    text += "sections:\n  - id: a\n    title: {zh: 第一部分, en: Part one}\n    items:\n"
    for number, names in enumerate(groups, 1):
        text += f"""      - id: a.{number}
        title: {{zh: 第{number}项, en: Item {number}}}
        method: {{zh: 打开看, en: Look}}
        conclusions:
          problem: {{zh: 有, en: Bad}}
          ok: {{zh: 无, en: Good}}
          not_applicable: {{zh: 不适用, en: None}}
        remedy: {{zh: 改, en: Mend}}
        applies: {{zh: 都适用, en: All}}
        probes: [{", ".join(names)}]
"""
    path.write_text(text)
    return path
