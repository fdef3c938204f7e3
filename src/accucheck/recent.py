"""The projects that a person walked through last, in their state folder: to find one again. Nothing depends on it.

A list that cannot be read is an empty one, and one that cannot be written stays as it is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from . import system
from .errors import UserError
from .settings import personal
from .store import private_folder, write_atomically

#: Projects that are remembered, and bytes of the file that are read.
MOST, _BYTES = 30, 1 << 20
#: Seconds to wait for another program that writes the list; then it is written all the same.
_WAIT = 2.0


class Recent(msgspec.Struct, frozen=True):
    """One project: where it lies (a folder, or a session file by itself), when it was left (ISO 8601, UTC), how far it was:
    `done` of `total` items concluded, `problems` among what is concluded or suggested; `item` was looked at last."""

    path: str
    name: str
    when: str
    done: int = 0
    total: int = 0
    problems: int = 0
    item: str = ""

    @property
    def there(self) -> bool:
        with suppress(OSError, ValueError):
            return Path(self.path).exists()
        return False


def place() -> Path:
    """The file that this is kept in, in the person's own folder."""
    return personal("XDG_STATE_HOME", "~/.local/state") / "recent.json"


def load() -> list[Recent]:
    """The projects, the last one first. What is damaged is left out."""
    try:
        with place().open("rb") as stream:
            entries = msgspec.json.decode(stream.read(_BYTES), type=list[msgspec.Raw])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return []
    found = []
    for entry in entries[:MOST]:
        with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            found.append(msgspec.json.decode(entry, type=Recent))
    return found


def find(path: Path) -> Recent | None:
    """What is known of a project."""
    text = os.path.realpath(path)
    return next((entry for entry in load() if entry.path == text), None)


def note(entry: Recent) -> None:
    """Put a project in front of the list, with what is known of it now."""
    _change(lambda known: [entry, *(other for other in known if other.path != entry.path)])


def forget(path: str) -> None:
    """Take a project out of the list."""
    _change(lambda known: [other for other in known if other.path != path])


def _change(apply: Callable[[list[Recent]], list[Recent]]) -> None:
    file = place()
    with suppress(OSError, UserError, UnicodeEncodeError):
        private_folder(file.parent)
        with _locked(file.with_name("recent.lock")):
            write_atomically(file, msgspec.json.format(msgspec.json.encode(apply(load())[:MOST]), indent=1), 0o600)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """The lock, or nothing when another holds it too long: the list is not worth waiting for."""
    with path.open("a") as stream:
        end = time.monotonic() + _WAIT
        while True:
            try:
                system.lock(stream)
                break
            except OSError:
                if time.monotonic() > end:
                    break
                time.sleep(0.01)
        yield
