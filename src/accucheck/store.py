"""Where a project's own files lie, and writing a file whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .errors import SaveError, from_os_error

#: Where accucheck keeps what belongs to a project: session, lock, manifest, attachments.
FOLDER = ".accucheck"
#: Where copies of attached files lie that are not the project's own.
ATTACHMENTS = f"{FOLDER}/attachments"
#: Where copies of files lie as they were before a mend was written into them.
BACKUPS = f"{FOLDER}/backups"


def write_atomically(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Replace `path` by `content` whole or not at all, even across a power cut; `mode` as in `atomically`. Raises SaveError."""
    with atomically(path, mode) as stream:
        stream.write(content)


@contextmanager
def atomically(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A stream whose content replaces `path` when the block ends well; otherwise nothing is left of it. Who may read the file stays as
    it was; `mode`, less the umask, is of one that was not there. Raises SaveError."""
    temporary = _temporary(path)
    try:
        with _begun(temporary, path, mode) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        _sync(path.parent)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise from_os_error(error, path, SaveError) from None
        raise


def write_together(folder: Path, files: Mapping[str, bytes], *, replace: bool, mode: int = 0o666) -> None:
    """Write `files`, {name relative to `folder`: content}, all of them or none; folders that lack are made.

    Each is written in full beside its place before the first takes it. Raises SaveError, and FileExistsError when a file is
    there that may not be replaced.
    """
    made: list[Path] = []
    waiting: dict[Path, Path] = {}
    placed: list[Path] = []
    at = folder
    try:
        for name, content in files.items():
            path = at = folder / name
            _make(path.parent, made)
            waiting[path] = _temporary(path)
            with _begun(waiting[path], path, mode) as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        for path, temporary in waiting.items():
            at = path
            if replace:
                temporary.replace(path)
            else:
                _place(temporary, path)
                placed.append(path)
        for parent in {path.parent for path in waiting}:
            _sync(parent)
    except BaseException as error:
        with suppress(OSError):
            for path in (*waiting.values(), *placed):
                path.unlink(missing_ok=True)
            for path in reversed(made):
                path.rmdir()
        if isinstance(error, OSError) and not isinstance(error, FileExistsError):
            raise from_os_error(error, at, SaveError) from None
        raise


def private_folder(path: Path) -> None:
    """Make a folder that no other user may look into, where there is none. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)


def open_own(path: str | Path, flags: int, mode: int = 0o666) -> int:
    """An opener: a descriptor of a regular file at just this path. A link of that name, as a stranger's project may bring, would have
    what it leads to written. Raises OSError, and SaveError for what is no regular file."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise SaveError("not-regular", path=str(path))


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def _begun(temporary: Path, path: Path, mode: int) -> BinaryIO:
    """A new file that is to take the place of `path`: as open to others as that is, else of this mode."""
    known = None
    with suppress(OSError):
        status = path.lstat()
        known = stat.S_IMODE(status.st_mode) & 0o777 if stat.S_ISREG(status.st_mode) else None
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with suppress(FileNotFoundError):  # what a killed writer left, or a link that somebody laid there
        temporary.unlink()
    descriptor = open_own(temporary, flags, mode if known is None else 0o600)
    if known is not None:
        with suppress(OSError):  # a file system without modes
            os.fchmod(descriptor, known)
    return os.fdopen(descriptor, "wb")


def _make(folder: Path, made: list[Path]) -> None:
    """Make a folder and those above it, and note which were made. Raises SaveError when a file is in the way."""
    if folder.is_dir():
        return
    if folder.parent != folder:
        _make(folder.parent, made)
    try:
        folder.mkdir()
    except FileExistsError:
        if not folder.is_dir():
            raise SaveError("not-a-directory", path=str(folder)) from None
    else:
        made.append(folder)


def _place(temporary: Path, path: Path) -> None:
    """Give a file its name unless the name is taken, which raises FileExistsError."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links; what comes in between now would be lost
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        temporary.replace(path)
    else:
        temporary.unlink()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
