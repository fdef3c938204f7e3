"""The recording of one process: a JSON line for each thing that happened, each of them one write."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

VERSION = 1
#: Where launchers tell a process its rank.
RANKS = ("RANK_ID", "OMPI_COMM_WORLD_RANK", "RANK")
#: Bytes of a recording; what comes later is left out, and said so.
MOST = 256 << 20
#: Facts of a process that runs a network, and how many are kept of a forked one until then.
_RUNS, _WAITING = ("network", "pass"), 256
#: The last of the numbers of standard input, output and error.
_STANDARD = 2


def opened(settings: dict[str, Any]) -> Journal:
    """The recording of this process, begun: its head, and what the process is."""
    import mindspore
    import numpy

    def named() -> tuple[str, dict[str, Any]]:
        """The recording of this process and its first line."""
        rank = next((os.environ[name] for name in RANKS if os.environ.get(name, "").isdecimal()), "0")
        head = {
            "recording": VERSION,
            "accucheck": settings["version"],
            "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "mindspore": mindspore.__version__,
            "rank": int(rank),
        }
        label = settings.get("name", settings["mode"])
        own = f"{label}.rank{rank}.jsonl" if int(rank) else f"{label}.jsonl"
        name = f"{label}.rank{rank}.{os.getpid()}.jsonl" if "every" not in settings else own
        return os.path.join(settings["folder"], name), head

    journal = Journal(*named(), again=named if "every" not in settings else None)
    variables = {key: value for key, value in os.environ.items() if key.startswith(("MS_", "ASCEND_", "RANK"))}
    journal.fact(
        "start",
        arguments=list(getattr(sys, "orig_argv", sys.argv)),
        folder=str(Path.cwd()),
        interpreter=sys.executable,
        versions={"python": platform.python_version(), "numpy": numpy.__version__},
        machine=platform.machine(),
        mode=settings["mode"],
        variables=dict(list(variables.items())[:64]),
    )
    return journal


class Journal:
    """Appends to `path` in the format of readers/recordings.py; a full disk ends it, never the training.

    A process that was forked off writes nothing, as a worker of a data set; where its parent ran no network before, and it runs one, it
    gets a recording of its own, which begins as that of its parent did. `again` gives the path and head of that. Where it is given, whoever
    started the command says that a recording ends early: its last line, {"fact": "full"}, tells so, with the number of the error.
    """

    def __init__(self, path: str, head: dict[str, Any], again: Callable[[], tuple[str, dict[str, Any]]] | None = None):
        self.path, self.written, self.owner, self.again = path, 0, os.getpid(), again
        #: Whether the owner ran a network; what a forked process told before it runs one.
        self.runs = False
        self.waiting: list[dict[str, Any]] = []
        #: What a forked process does when it has become the owner.
        self.taken_over: Callable[[], None] = lambda: None
        #: Bytes of the last line.
        self._last = 0
        #: Lines so far: which of two facts came first.
        self.lines = 0
        self.problem: str | None = None
        self._lock = threading.Lock()
        self._file = _above(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666))
        self.write(head)

    def close(self) -> None:
        """What is written from now on is left out."""
        if not self.problem:
            self.problem = "closed"
        os.close(self._file)

    def fact(self, kind: str, **values: Any) -> None:
        self.write({"fact": kind, **values})

    def write(self, record: dict[str, Any]) -> None:
        if self.problem:
            return
        if os.getpid() != self.owner:
            self._forked(record)
            return
        self.runs = self.runs or record.get("fact") in _RUNS
        line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            told = False
            self.lines += 1
            if self.written + len(line) > MOST:
                self.problem = f"more than {MOST >> 20} MB"
                line, told = b'{"fact":"full"}\n', True
            try:
                self._append(line)
                self.written, self._last = self.written + len(line), len(line)
            except OSError as error:
                self.problem = str(error)
                told = self._ended(error.errno)
        if self.problem and not (told and self.again is not None):
            with suppress(OSError, ValueError):  # standard error may be closed
                print(f"accucheck: the recording ends here, training continues: {self.problem}", file=sys.stderr)

    def _forked(self, record: dict[str, Any]) -> None:
        """A record of a forked process, which becomes the owner of a recording of its own where it is the one that runs a network."""
        if self.again is None or self.runs:
            return
        self.waiting = [*self.waiting, record][-_WAITING:]
        if record.get("fact") not in _RUNS:
            return
        try:
            begun = Path(self.path).read_bytes()[: self.written]
            path, head = self.again()
            file = _above(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666))
        except OSError:
            self.runs = True  # not tried again
            return
        lines = self.lines
        self.path, self.written, self.owner, self._file, self._lock = path, 0, os.getpid(), file, threading.Lock()
        for told in [head, *map(json.loads, begun.splitlines()[1:])]:
            self.write(told)
        self.lines = lines
        for told in self.waiting:
            self.write(told)
        self.taken_over()

    def _append(self, line: bytes) -> None:
        while line:
            line = line[os.write(self._file, line) :]

    def _ended(self, number: int | None) -> bool:
        """Whether a last line could be written in place of the one that found no room, or of that and the one before."""
        end = json.dumps({"fact": "full", "errno": number}).encode() + b"\n"
        for kept in (self.written, self.written - self._last):
            with suppress(OSError):
                os.ftruncate(self._file, kept)
                self._append(end)
                return True
        return False


def _above(file: int) -> int:
    """The same file under a number that is none of standard input, output and error, which the script may have closed."""
    if file > _STANDARD:
        return file
    found = fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _STANDARD + 1)
    os.close(file)
    return found
