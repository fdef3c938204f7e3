"""A bounded copy of a project, to train it in: sources are copied, data and all that is large are linked.

The copy lies in a scratch folder beside links to what lies beside the project, so that "../data" is found. A link is no way to the
project for a training that writes: live/inside/guard.py puts a copy in its place, and fence.py refuses the rest.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .errors import SaveError, from_os_error
from .store import FOLDER

#: What makes up a project's code and configuration.
SOURCES = (".py", ".ipynb", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".sh", ".json", ".txt")
#: Those of them that decide what a training computes; what tools write, as reports, is not.
_DECIDING = (".py", ".ipynb", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".sh")
#: Bytes of a source and of any other file that is copied, and of all copied ones.
_SOURCE, _OTHER, _ALL = 8 << 20, 256 << 10, 64 << 20
#: Entries of a folder that is gone through, of all folders, and beside the project.
_ENTRIES, _IN_ALL, _BESIDE = 2_000, 20_000, 256
#: Folders that no training reads: our own, and what can be made anew.
_LEFT_OUT = frozenset((FOLDER, ".git", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"))


class Copy(NamedTuple):
    """`root` is the project's counterpart; `links` are the files of the project that links lead to, with what tells a change."""

    root: Path
    links: dict[str, tuple[int, int]]

    def changed(self) -> list[str]:
        """The linked files that are no longer as they were."""
        return [path for path, known in self.links.items() if _state(path) != known]


def make(project: Path, scratch: Path, patched: Mapping[str, bytes]) -> Copy:
    """A copy of the project in the folder `scratch`, with these files as patched. Raises SaveError where it cannot be written."""
    project = project.resolve()
    root = scratch / "copy" / (project.name or "project")
    links: dict[str, tuple[int, int]] = {}
    try:
        root.mkdir(parents=True)
        _link_neighbours(project, root.parent)
        copied = 0
        for source, into in _walked(project):
            target = root / source.relative_to(project)
            if into:
                target.mkdir()
            elif source.is_symlink() or not source.is_file():
                if source.exists():
                    target.symlink_to(source.resolve())
            elif (size := _size_to_copy(source, _ALL - copied)) is not None:
                shutil.copy2(source, target)
                target.chmod(target.stat().st_mode | 0o200)
                copied += size
            else:
                links[str(source)] = _state(str(source))
                target.symlink_to(source)
        for path, content in patched.items():
            target = root / path
            if target.is_symlink():
                target.unlink()
            target.write_bytes(content)
    except OSError as error:
        raise from_os_error(error, scratch, SaveError) from None
    return Copy(root, links)


def _size_to_copy(source: Path, left: int) -> int | None:
    """The bytes of a file that is copied; None for one that is linked: large, beyond what is left for all, or not to be read."""
    size = source.stat().st_size
    most = _SOURCE if source.suffix in SOURCES else _OTHER
    return size if size <= min(most, left) and os.access(source, os.R_OK) else None


def _link_neighbours(project: Path, beside: Path) -> None:
    with suppress(OSError), os.scandir(project.parent) as entries:
        for entry, _ in zip(entries, range(_BESIDE), strict=False):
            if entry.name != project.name:
                beside.joinpath(entry.name).symlink_to(entry.path)


def _walked(project: Path) -> Iterator[tuple[Path, bool]]:
    """What the project holds, what lies above first, and whether it is to be gone into: a folder of not too many entries."""
    waiting, seen = deque([project]), 0
    while waiting:
        folder = waiting.popleft()
        with os.scandir(folder) as scanned:
            entries = sorted(scanned, key=lambda entry: entry.name)
        for entry in entries:
            if entry.name in _LEFT_OUT:
                continue
            seen += 1
            path = Path(entry.path)
            into = entry.is_dir(follow_symlinks=False) and not _is_whole(path) and seen < _IN_ALL
            if into:
                waiting.append(path)
            yield path, into


def _is_whole(folder: Path) -> bool:
    """Whether a folder is linked as it is: a hidden one, an environment of Python, one with too many entries or that cannot be read."""
    if folder.name.startswith(".") or (folder / "pyvenv.cfg").exists():
        return True
    try:
        with os.scandir(folder) as entries:
            return sum(1 for _ in zip(entries, range(_ENTRIES + 1), strict=False)) > _ENTRIES
    except OSError:
        return True


def _state(path: str) -> tuple[int, int]:
    try:
        status = Path(path).stat()
    except OSError:
        return (-1, 0)
    return status.st_size, status.st_mtime_ns


def sources(project: Path) -> Iterator[Path]:
    """The code and configuration of a project, in a lasting order."""
    for path, _ in _walked(project.resolve()):
        if path.suffix in _DECIDING and path.is_file():
            yield path
