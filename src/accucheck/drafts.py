"""Text that a person is typing and has not ended yet: kept beside the session, so that a line that drops loses none of it."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec

from .errors import SaveError
from .store import write_atomically

#: Seconds between two writes while somebody types.
WRITE_EVERY = 0.5
#: Bytes of a file of drafts that is read.
MAX_FILE = 4 << 20


class Drafts:
    """{key: text} in one file, which is there only while there is a draft. `error` is why the last write failed.

    The methods may be called from any thread and never wait for the disk, except `close`.
    """

    def __init__(self, path: Path) -> None:
        """A file that is no such thing counts as none."""
        self.path = path
        self.error: SaveError | None = None
        self._texts = _read(path)
        self._stored = dict(self._texts)
        self._changing, self._writing = threading.Lock(), threading.Lock()
        self._timer: threading.Timer | None = None

    @property
    def keys(self) -> list[str]:
        return list(self._texts)

    def get(self, key: str) -> str | None:
        return self._texts.get(key)

    def put(self, key: str, text: str | None) -> None:
        """Keep a text from now on, or no longer; on disk within WRITE_EVERY."""
        with self._changing:
            if self._texts.get(key) == text:
                return
            self._texts = {name: known for name, known in self._texts.items() if name != key}
            if text is not None:
                self._texts[key] = text
            if self._timer is None:
                self._timer = threading.Timer(WRITE_EVERY, self._write)
                self._timer.daemon = True
                self._timer.start()

    def close(self) -> None:
        """Write what is not on disk yet. Errors are in `error`; the drafts may be used on."""
        with self._changing:
            timer = self._timer
        if timer is not None:
            timer.cancel()
        self._write()

    def _write(self) -> None:
        with self._writing:
            with self._changing:
                texts, self._timer = self._texts, None
            if texts == self._stored:
                return
            try:
                if texts:
                    write_atomically(self.path, msgspec.json.encode(texts))
                else:
                    self.path.unlink(missing_ok=True)
            except SaveError as error:
                self.error = error
            except OSError:
                pass  # an old draft that cannot be removed is offered once more
            else:
                self._stored, self.error = texts, None


def _read(path: Path) -> dict[str, str]:
    try:
        if path.is_file() and path.stat().st_size <= MAX_FILE:
            return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    return {}
