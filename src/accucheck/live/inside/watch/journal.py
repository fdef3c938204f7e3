"""The recording of one process: a JSON line for each thing that happened, each of them one write."""

from __future__ import annotations

import fcntl
import json
import os
import sys
import threading
from contextlib import suppress
from typing import Any

#: Bytes of a recording; what comes later is left out, and said so.
MOST = 256 << 20
#: The last of the numbers of standard input, output and error.
_STANDARD = 2


class Journal:
    """Appends to `path` in the format of readers/recordings.py; a full disk ends it, never the training.

    A process that was forked off writes nothing.
    """

    def __init__(self, path: str, head: dict[str, Any]) -> None:
        self.path, self.written, self.owner = path, 0, os.getpid()
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
        if self.problem or os.getpid() != self.owner:
            return
        line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            self.written += len(line)
            self.lines += 1
            if self.written > MOST:
                self.problem = f"more than {MOST >> 20} MB"
                line = b'{"fact":"full"}\n'
            try:
                while line:
                    line = line[os.write(self._file, line) :]
            except OSError as error:
                self.problem = str(error)
        if self.problem:
            with suppress(OSError, ValueError):  # standard error may be closed
                print(f"accucheck: the recording ends here, the training goes on: {self.problem}", file=sys.stderr)


def _above(file: int) -> int:
    """The same file under a number that is none of standard input, output and error, which the script may have closed."""
    if file > _STANDARD:
        return file
    found = fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _STANDARD + 1)
    os.close(file)
    return found
