"""Where a project's own files lie, and writing a file whole or not at all."""

from __future__ import annotations

import os
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


def write_atomically(path: Path, content: bytes) -> None:
    """Replace `path` by `content` whole or not at all, even across a power cut. Raises SaveError."""
    with atomically(path) as stream:
        stream.write(content)


@contextmanager
def atomically(path: Path) -> Iterator[BinaryIO]:
    """A stream whose content replaces `path` when the block ends well; otherwise nothing is left of it. Raises SaveError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as stream:
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


def write_together(folder: Path, files: Mapping[str, bytes], *, replace: bool) -> None:
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
            waiting[path] = path.with_name(f".{path.name}.{os.getpid()}.tmp")
            with waiting[path].open("wb") as stream:
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
