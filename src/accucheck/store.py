"""Where a project's own files lie, and writing a file whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .errors import SaveError, from_os_error

#: Where accucheck keeps what belongs to a project: session, lock, manifest.
FOLDER = ".accucheck"


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
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise from_os_error(error, path, SaveError) from None
        raise
