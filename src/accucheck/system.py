"""What operating systems have and others lack: locks, reading at a place, flags of files, the end of a child. Imports only the standard
library, and what another system lacks only where it is there.

Linux has all of it. macOS lacks waitid before Python 3.13. Windows lacks fcntl, reading at a place, process groups and signals but its
own; there a lock is one of a byte far behind the end of the file.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]
try:
    import msvcrt
except ImportError:  # everywhere else
    msvcrt = None  # type: ignore[assignment]

CLOEXEC, NOFOLLOW, NONBLOCK = (getattr(os, f"O_{name}", 0) for name in ("CLOEXEC", "NOFOLLOW", "NONBLOCK"))
DIRECTORY = getattr(os, "O_DIRECTORY", 0)
BINARY = getattr(os, "O_BINARY", 0)
#: To read a file of any kind without being held up by a pipe.
READ = os.O_RDONLY | CLOEXEC | BINARY
#: Whether a folder can be opened as a file is, to be locked or to have its entries looked up.
FOLDERS_OPEN = bool(DIRECTORY)
#: Whether children have groups of their own, and pipes that can be waited for together.
GROUPS = hasattr(os, "killpg")
#: Whether a file can be given another name, or be removed, while it is open.
MOVES_OPEN = os.name != "nt"
#: The byte that stands for a file, behind what any of ours has.
_FAR = 1 << 40

_reading = threading.Lock()


def lock(file: int | IO[Any], *, wait: bool = False) -> None:
    """Lock an open file for this process, until it is closed. Raises OSError where another holds it, or where there are no locks.

    `wait`: until it is free.
    """
    descriptor = file if isinstance(file, int) else file.fileno()
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    elif msvcrt is not None:
        with _reading:
            at = os.lseek(descriptor, 0, os.SEEK_CUR)
            os.lseek(descriptor, _FAR, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(descriptor, at, os.SEEK_SET)


def pread(descriptor: int, length: int, at: int) -> bytes:
    """Bytes of a file from a place, wherever it stands."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, length, at)
    with _reading:
        before = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, at, os.SEEK_SET)
        try:
            return os.read(descriptor, length)
        finally:
            os.lseek(descriptor, before, os.SEEK_SET)


def preadv(descriptor: int, buffers: Sequence[memoryview[Any]], at: int) -> int:
    """The same into buffers; how many bytes there were."""
    if hasattr(os, "preadv"):
        return os.preadv(descriptor, buffers, at)
    count = 0
    for buffer in buffers:
        view = memoryview(buffer).cast("B")
        data = pread(descriptor, len(view), at + count)
        view[: len(data)] = data
        count += len(data)
        if len(data) < len(view):
            break
    return count


def set_mode(descriptor: int, path: Path, mode: int) -> None:
    """Who may read and write an open file that lies at `path`."""
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)
    else:
        path.chmod(mode)


def has_exited(process: subprocess.Popen[bytes]) -> bool:
    """Whether a child has ended. Where the system can tell that, the child stays to be waited for, so that its id is nobody else's."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return process.poll() is not None


def end_group(process: subprocess.Popen[bytes], *, gently: bool) -> None:
    """Ask the group of a child to end, or end it; the child alone where there are no groups."""
    with suppress(ProcessLookupError, PermissionError):
        if GROUPS:
            os.killpg(process.pid, signal.SIGTERM if gently else signal.SIGKILL)
        elif gently:
            process.terminate()
        else:
            process.kill()


def end_self() -> None:
    """End this process and its group at once."""
    if GROUPS:
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def give_way() -> None:
    """Let other programs have the processor first."""
    if hasattr(os, "nice"):
        os.nice(10)


def ending_signals() -> tuple[signal.Signals, ...]:
    """The signals that ask a program to end, beside that of Ctrl+C."""
    return tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
