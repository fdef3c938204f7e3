"""Where a project's own files lie, and writing a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import SaveError, from_os_error

#: Where accucheck keeps what belongs to a project: session, lock, manifest.
FOLDER = ".accucheck"


def write_atomically(path: Path, content: bytes) -> None:
    """Replace `path` by `content` whole or not at all, even across a power cut. Raises SaveError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        try:
            temporary.unlink(missing_ok=True)
        except OSError:
            pass
        raise from_os_error(error, path, SaveError) from None
