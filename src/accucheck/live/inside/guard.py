"""Keeps a training that runs in a copy of its project from changing the project: what is linked is copied before it is written.

Put in before the user's code runs, as an audit hook of Python. Where the kernel refuses writes too (fence.py) this only makes links
writable; elsewhere it is what refuses. Standard library only.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: Events that change what a file holds or its mode, and such that change entries of folders: where among their arguments the paths are,
#: and the folders that these are relative to.
_FILES = {
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.utime": ((0, 3),),
    "os.truncate": ((0, None),),
    "os.setxattr": ((0, None),),
    "os.removexattr": ((0, None),),
}
_ENTRIES = {
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.mkdir": ((0, 2),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((0, 2), (1, 3)),
    "os.symlink": ((1, 2),),
    "shutil.rmtree": ((0, 1),),
}
#: Code of the project itself that is told where it was read in the place of the copy's.
_CODE = (".py", ".pyc")
#: How often that is told.
_TOLD = 8


class Guard:
    def __init__(self, told: dict[str, str]) -> None:
        self.project, self.copy, self.scratch = (
            os.path.realpath(told[name]) for name in ("project", "copy", "scratch")
        )
        self.escaped = told["escaped"]
        self.busy = False
        self.count = 0

    def heed(self, event: str, args: tuple[Any, ...]) -> None:
        """Raises PermissionError for what would change the project."""
        if self.busy or not (event == "open" or event in _FILES or event in _ENTRIES):
            return
        self.busy = True
        try:
            if event == "open":
                self.opened(*args)
                return
            for at, beside in _FILES.get(event) or _ENTRIES[event]:
                full = whole(args[at], args[beside] if beside is not None and beside < len(args) else None)
                if full and event in _FILES:
                    self.change(full, 0)
                elif full:
                    self.refuse(str(entry(full)), full)
        finally:
            self.busy = False

    def opened(self, path: Any, _: Any, flags: int | None) -> None:
        changes = bool((flags or 0) & _WRITES)
        if not changes and not (isinstance(path, str) and path.endswith(_CODE)):
            return
        full = whole(path)
        if full and changes:
            self.change(full, flags or 0)
        elif full:
            self.read(full)

    def change(self, full: str, flags: int) -> None:
        """A file is about to be changed: a link within the copy gives way to a copy of what it leads to."""
        place = entry(full)
        if not within(str(place), self.copy) or not place.is_symlink():
            self.refuse(os.path.realpath(place), full)
            return
        leads = Path(os.path.realpath(place))
        if leads.is_dir():
            return
        if leads.is_file() and not flags & os.O_TRUNC:
            new = place.with_name(f"{place.name}.accucheck-{os.getpid()}")
            shutil.copy2(leads, new)
            new.chmod(new.stat().st_mode | 0o200)
            new.replace(place)
        else:
            place.unlink()

    def refuse(self, leads: str, shown: str) -> None:
        if within(leads, self.project) and not within(leads, self.scratch):
            raise PermissionError(errno.EACCES, "the project itself is not written to while its fixes are tried", shown)

    def read(self, full: str) -> None:
        """Code is about to be read: tell where it is the project's own, which has no patch."""
        if not within(full, self.project) or within(full, self.scratch) or self.count >= _TOLD:
            return
        self.count += 1
        with open(self.escaped, "a", encoding="utf-8", errors="surrogateescape") as stream:
            stream.write(full + "\n")


def whole(path: Any, folder: Any = None) -> str:
    """A path of an event as an absolute one; empty for what is open already. `folder`: what it is relative to, where that is open."""
    if path is None or isinstance(path, int):
        return ""
    text = os.fsdecode(path)
    if isinstance(folder, int) and folder >= 0:
        text = os.path.join(os.path.realpath(f"/proc/self/fd/{folder}"), text)
    return os.path.abspath(text)


def entry(full: str) -> Path:
    """Where an entry of a folder really lies, not followed itself."""
    path = Path(full)
    return Path(os.path.realpath(path.parent), path.name)


def within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


def install(place: str) -> None:
    """Guard this process as the file `place` asks; imports come from the copy where they would from the project."""
    told = json.loads(Path(place).read_text(encoding="utf-8"))
    guard = Guard(told)
    sys.path[:] = [in_copy(entry, told["project"], told["copy"]) for entry in sys.path]
    sys.addaudithook(guard.heed)


def in_copy(path: str, project: str, copy: str) -> str:
    """The place in the copy of what lies in the project; any other path as it is."""
    real = os.path.realpath(path) if path.startswith(os.sep) else path
    if within(real, copy) or not within(real, os.path.realpath(project)):
        return path
    return os.path.normpath(os.path.join(copy, os.path.relpath(real, os.path.realpath(project))))
