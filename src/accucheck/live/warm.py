"""Asks a process that has imported MindSpore already to run tasks of inside/: each runs in a fork of it, as inside/warm.py says.

On Linux, where a device's driver is not opened by the import. Elsewhere, and when anything goes wrong, child.py starts a process of its
own for each task.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from ..imports import users_environment
from .inside.warm import at_start

#: Where a worker is told of the process that it inherits.
VARIABLE = "ACCUCHECK_WARM"
#: The program that runs under the user's interpreter.
PROGRAM = Path(__file__).with_name("inside") / "__main__.py"
#: The descriptor and the interpreter of the process that fork() asks.
_asked: tuple[int, str] | None = None


class WarmProcess:
    """One such process. It ends when this is closed, and all that have inherited its descriptor have ended."""

    def __init__(self, python: str) -> None:
        """Raises OSError where it cannot be started."""
        self.python = python
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                [python, "-X", "faulthandler", str(PROGRAM), str(theirs.fileno())],
                cwd="/",
                env=task_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl+C is for those who ask
            )

    def variables(self) -> dict[str, str]:
        """What tells a process that inherits the descriptor of it."""
        return {VARIABLE: f"{self.socket.fileno()}:{self.python}"}

    def close(self) -> None:
        self.socket.close()
        self.process.terminate()  # which it heeds while it imports
        self.process.wait()


class ForkedTask:
    """The process of one task."""

    def __init__(self, connection: socket.socket, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.connection, self.stdin, self.stdout = connection, stdin, stdout
        self.status: int | None = None

    def begin(self, folder: str) -> dict[str, Any]:
        """What its request must tell it, as it was not started for it."""
        kernel = {name: words for name in ("oom_score_adj", "autogroup") if (words := _of_this_process(name))}
        return {
            "forked": {
                "folder": folder,
                "environment": task_environment(),
                "nice": os.nice(0),
                "kernel": kernel,
            }
        }

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, negative for a signal. Raises subprocess.TimeoutExpired."""
        if self.status is None:
            if not select.select([self.connection], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a task", timeout or 0.0)
            with suppress(OSError):
                self.status = int(self.connection.recv(20) or -signal.SIGKILL)  # killed with the process that forks
        return -signal.SIGKILL if self.status is None else self.status

    def end(self) -> None:
        """Kill it if it still runs, with all that it has started."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
        self.wait()
        self.connection.close()


def task_environment() -> dict[str, str]:
    """The environment of a task: that of the user's own code."""
    settings = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
    return {**users_environment(), **settings}


def inherit() -> None:
    """Have fork() ask the process of which the environment tells. For a worker."""
    number, _, python = os.environ.pop(VARIABLE, "").partition(":")
    if number.isdecimal():
        ask(int(number), python)


def ask(descriptor: int | None, python: str) -> None:
    """Have fork() ask the process at the other end of `descriptor`, a Warm's socket; None for no process."""
    global _asked
    _asked = None if descriptor is None else (descriptor, python)


def available() -> bool:
    """Whether tasks may be run by forking here. Entries of PYTHONPATH that are relative mean another folder
    for each task."""
    entries = users_environment().get("PYTHONPATH", "")
    return sys.platform == "linux" and (not entries or all(map(os.path.isabs, entries.split(os.pathsep))))


def fork(python: str, log: IO[bytes]) -> ForkedTask | None:
    """A process for one task, whose talk goes to `log`; None where none can be had by forking."""
    if _asked is None or _asked[1] != python or not available():
        return None
    ours, theirs = socket.socketpair()
    stdin, to_child = os.pipe()
    from_child, stdout = os.pipe()
    try:
        with socket.socket(fileno=os.dup(_asked[0])) as inbox:
            socket.send_fds(inbox, [b"!"], [theirs.fileno(), stdin, stdout, log.fileno()])
    except OSError:  # it has ended: MindSpore could not be imported, or must not be forked
        pass
    finally:
        for descriptor in (stdin, stdout):
            os.close(descriptor)
        theirs.close()
    child = ForkedTask(ours, os.fdopen(to_child, "wb", buffering=0), os.fdopen(from_child, "rb"))
    if (started_with := _line(ours)) and json.loads(started_with) == at_start(task_environment()):
        return child
    child.end()
    child.stdin.close()
    child.stdout.close()
    return None


def _line(connection: socket.socket) -> bytes:
    """Up to its end and no further; what comes next is read later. Empty where the other side has ended."""
    line = bytearray()
    with suppress(OSError):
        while byte := connection.recv(1):
            if byte == b"\n":
                return bytes(line)
            line += byte
    return b""


def _of_this_process(name: str) -> str:
    """What the kernel keeps of this process under a name, in words that it takes back; empty where it keeps nothing."""
    try:
        words = Path(f"/proc/self/{name}").read_text().split()
    except OSError:
        return ""
    return words[-1] if words else ""
