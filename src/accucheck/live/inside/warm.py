"""Keeps a process that has imported MindSpore, and forks it for each task: the import takes longer than most tasks.

live/warm.py starts it and asks it. A request is one message on `inbox` with four descriptors: a connection, and the task's stdin, stdout
and stderr. Down the connection goes what of the environment took effect when Python started, then how the task's process ended; when the
one who asks closes it, that process is killed.
"""

from __future__ import annotations

import array
import json
import os
import selectors
import signal
import socket
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from .processes import adopt_orphans, descendants, end, end_descendants

#: Descriptors that come with a request.
GIVEN = 4
#: What may be open when MindSpore has been imported: where a driver of a device is, a fork would share the device.
HARMLESS = ("/dev/null", "/dev/pts/", "/dev/tty", "/dev/urandom", "/dev/random")
#: What MindSpore's import has changed of the environment.
_set_by_import: dict[str, str] = {}


def serve(inbox: socket.socket) -> None:
    """Import MindSpore and fork for each request. Returns in the forked processes only; where MindSpore cannot be imported or has opened
    a device, the process ends, and the one who asks starts its own."""
    before = dict(os.environ)
    try:
        import mindspore  # noqa: F401
    except BaseException:
        os._exit(0)  # the task's own process tells why
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # from now on tasks are to be ended first
    if _has_opened_a_device():
        os._exit(0)
    _set_by_import.update({name: value for name, value in os.environ.items() if before.get(name) != value})
    adopt_orphans()
    if not _Server(inbox, at_start(before)).forked():
        os._exit(0)


def _has_opened_a_device() -> bool:
    places = []
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            places.append(os.readlink(f"/proc/self/fd/{name}"))  # noqa: PTH115
    return any(place.startswith("/dev/") and not place.startswith(HARMLESS) for place in places)


class _Server:
    def __init__(self, inbox: socket.socket, started_with: dict[str, str]) -> None:
        self.inbox, self.started_with = inbox, started_with
        #: The connection of each process that runs.
        self.running: dict[int, socket.socket] = {}
        self.selector = selectors.DefaultSelector()
        self.woken, self.wakes = socket.socketpair()
        for end_of_pair in (self.woken, self.wakes):
            end_of_pair.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.wakes.fileno(), warn_on_full_buffer=False)
        self.selector.register(inbox, selectors.EVENT_READ, self._take)
        self.selector.register(self.woken, selectors.EVENT_READ, self._reap)

    def forked(self) -> bool:
        """Serve until nobody asks any more; True in each process that is forked meanwhile."""
        while self.running or self.selector.get_map().get(self.inbox.fileno()):
            for key, _ in self.selector.select():
                if key.data():
                    return True
        return False

    def _take(self) -> bool:
        message, ancillary, _, _ = self.inbox.recvmsg(1, socket.CMSG_SPACE(GIVEN * array.array("i").itemsize))
        descriptors = array.array("i")
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
        if not message:  # whoever could ask has ended
            self.selector.unregister(self.inbox)
            return False
        connection = socket.socket(fileno=descriptors[0])
        pid = os.fork()
        if pid == 0:
            self._forget()
            connection.close()
            os.setsid()
            for number, descriptor in enumerate(descriptors[1:]):
                os.dup2(descriptor, number)
                os.close(descriptor)
            return True
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        self.running[pid] = connection
        self.selector.register(connection, selectors.EVENT_READ, lambda: self._kill(pid))
        with suppress(OSError):
            connection.sendall(json.dumps(self.started_with).encode() + b"\n")
        return False

    def _forget(self) -> None:
        """In a forked process: leave the server's affairs to the server."""
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        self.selector.close()
        for each in (self.inbox, self.woken, self.wakes, *self.running.values()):
            each.close()

    def _kill(self, pid: int) -> bool:
        """The one who asked is gone, or wants the process to end."""
        self.selector.unregister(self.running[pid])
        started = descendants(pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        end(started)
        return False

    def _reap(self) -> bool:
        with suppress(BlockingIOError):
            self.woken.recv(1 << 10)
        with suppress(ChildProcessError):  # none is left
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:  # also what an ended task has left
                self._ended(*ended)
        return False

    def _ended(self, pid: int, status: int) -> None:
        connection = self.running.pop(pid, None)
        if connection is None:
            return
        with suppress(KeyError):  # killed: it is heard no more
            self.selector.unregister(connection)
        self._end_what_is_left()
        with suppress(OSError):
            connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
        connection.close()

    def _end_what_is_left(self) -> None:
        """Of processes that have ended: what they had started may hold their pipes, whose end would then never come."""
        spared = {process for process in descendants(os.getpid()) if process[0] in self.running}
        for pid in self.running:
            spared |= descendants(pid)
        end_descendants(os.getpid(), spared)


def at_start(environment: Mapping[str, str]) -> dict[str, str]:
    """What of an environment takes effect when Python starts, and not later."""
    return {name: value for name, value in environment.items() if name.startswith(("PYTHON", "LD_"))}


def become(words: dict[str, Any]) -> None:
    """Make of a forked process what it would be had it been started: its folder, environment, priority and random numbers."""
    os.chdir(words["folder"])
    os.environ.clear()
    os.environ.update({**words["environment"], **_set_by_import})
    tempfile.tempdir = None  # asked for again, in this environment
    os.nice(max(0, words["nice"] - os.nice(0)))
    for name, value in words["kernel"].items():
        with suppress(OSError), open(f"/proc/self/{name}", "w") as stream:
            stream.write(value)
    sys.modules["numpy"].random.seed()  # else all forked processes draw alike
