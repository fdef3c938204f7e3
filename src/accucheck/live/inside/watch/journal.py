"""The recording of one process: a JSON line for each thing that happened, each of them one write."""

from __future__ import annotations

import json
import os
import threading
from typing import Any

#: Bytes of a recording; what comes later is left out, and said so.
MOST = 256 << 20


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
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        self.write(head)

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
                self.problem = "too-large"
                line = b'{"fact":"full"}\n'
            try:
                while line:
                    line = line[os.write(self._file, line) :]
            except OSError as error:
                self.problem = str(error)
