"""What real trainings write, made once in a session: when a test first asks for it, and for all workers of pytest-xdist."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


class MadeOnce:
    """Folders by their names. `write` fills one and returns where in it the files are, by default the folder itself."""

    def __init__(self, factory: pytest.TempPathFactory, name: str, write: Callable[[Path, str], Path | None]) -> None:
        base = factory.getbasetemp()
        self._folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"once-{name}"
        self._folder.mkdir(exist_ok=True)
        self._write = write

    def __getitem__(self, kind: str) -> Path:
        folder, made = self._folder / kind, self._folder / f"{kind}.made"
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                folder.mkdir(exist_ok=True)  # one that a failure left half is written anew
                made.write_text(str(self._write(folder, kind) or folder))
        return Path(made.read_text())
