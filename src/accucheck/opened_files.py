"""Records which files of a folder are opened while a command runs: by Linux's inotify, so whatever opens them, in any language.

Sees opens through this machine's file system, by every process, and not only by the command. Does not see files that were open
before, hard links opened under a name outside the folder, nor what another machine opens on shared storage. Opening is not reading.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import stat
import struct
import subprocess
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from .errors import ReadError, SaveError, UserError, from_os_error
from .language import Words, visible, word
from .manifest import escaped
from .model import Language
from .store import require_outside_links, write_atomically

_OPEN, _MOVED_TO, _CREATE, _OVERFLOW, _ONLYDIR, _ISDIR = 0x20, 0x80, 0x100, 0x4000, 0x1000000, 0x40000000
_MASK = _OPEN | _MOVED_TO | _CREATE
#: One folder is watched under so many names at most: links among folders could multiply without end.
_LINK_VISITS = 100
#: An event: watch, mask, cookie, length of the name that follows, NUL-padded.
_EVENT = struct.Struct("iIII")

WORDS: Words = {
    "opened": {
        "en": "{count:,} of the files of {folder} were opened; their names are in {path}",
        "zh": "{folder} 中有 {count:,} 个文件被打开过，文件名已写入 {path}",
    },
    "failed": {
        "en": "the command ended with exit code {code}; the list has the files opened until then",
        "zh": "命令的退出码为 {code}；列表只包含此前打开过的文件",
    },
    "lost": {
        "en": "the kernel dropped some events (fs.inotify.max_queued_events), so files may be missing from the list",
        "zh": "内核丢弃了部分事件（fs.inotify.max_queued_events），列表可能不完整",
    },
    "unlisted": {
        "en": "not in the list, as its name holds a line break: {name}",
        "zh": "文件名含换行符，未写入列表：{name}",
    },
    "unwatched": {"en": "not watched: {problem}", "zh": "未能监视：{problem}"},
}


class Recorder:
    """Watches a folder and all below it, links followed, from its creation until close().

    `opened` are paths below the folder; `lost` is true when the kernel dropped events; `unwatched` are folders that could not
    be watched. Raises ReadError for a folder that cannot be read, UserError where inotify cannot be used.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.base = os.path.abspath(folder)
        self.opened: set[str] = set()
        self.lost = False
        self.unwatched: list[ReadError] = []
        #: By watch: the prefixes under which its folder lies in the tree, and single files elsewhere that links lead to.
        self._folders: dict[int, set[str]] = defaultdict(set)
        self._files: dict[tuple[int, str], set[str]] = defaultdict(set)
        try:
            os.scandir(self.base).close()
        except OSError as error:
            raise from_os_error(error, folder) from None
        try:
            self._libc = ctypes.CDLL(None, use_errno=True)
            self._inotify = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        except (AttributeError, OSError):
            raise UserError("no-inotify", problem="inotify_init1") from None
        if self._inotify < 0:
            raise UserError("no-inotify", problem=os.strerror(ctypes.get_errno()))
        self._stop, self._wake = os.pipe()
        try:
            self._watch("", set())
        except BaseException:
            self._release()
            raise
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take what has happened until now, and stop."""
        os.write(self._wake, b".")
        self._thread.join()
        self._release()

    def _release(self) -> None:
        for descriptor in (self._inotify, self._stop, self._wake):
            os.close(descriptor)

    def _add(self, path: str) -> int:
        watch: int = self._libc.inotify_add_watch(self._inotify, os.fsencode(path), _MASK | _ONLYDIR)
        if watch < 0:
            number = ctypes.get_errno()
            if number == errno.ENOSPC:
                raise UserError("inotify-watches")
            raise OSError(number, os.strerror(number))
        return watch

    def _watch(self, prefix: str, above: set[tuple[int, int]]) -> None:
        """Watch the folder at `prefix` ("" or ending with "/") and those below; `above` are the identities of those above it."""
        folder = os.path.join(self.base, prefix)
        below = []
        try:
            info = os.stat(folder)  # noqa: PTH116
            identity = info.st_dev, info.st_ino
            if identity in above:
                return  # a loop of links
            prefixes = self._folders[self._add(folder)]
            if len(prefixes) >= _LINK_VISITS:
                return
            prefixes.add(prefix)
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir():
                        below.append(prefix + entry.name + "/")
                    elif entry.is_symlink() and entry.is_file():  # opened in another folder, under another name
                        place, name = os.path.split(os.path.realpath(entry.path))
                        self._files[self._add(place), name].add(prefix + entry.name)
        except OSError as error:
            problem = from_os_error(error, os.path.join(self.base, prefix))
            assert isinstance(problem, ReadError)
            self.unwatched.append(problem)
        for path in below:
            self._watch(path, above | {identity})

    def _read(self) -> None:
        poll = select.poll()
        poll.register(self._inotify, select.POLLIN)
        poll.register(self._stop, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll()}
            try:
                while data := os.read(self._inotify, 1 << 20):
                    self._take(data)
            except BlockingIOError:
                pass
            if self._stop in ready:
                return

    def _take(self, data: bytes) -> None:
        at = 0
        while at < len(data):
            watch, mask, _, length = _EVENT.unpack_from(data, at)
            at += _EVENT.size + length
            name = os.fsdecode(data[at - length : at].rstrip(b"\0"))
            self.lost |= bool(mask & _OVERFLOW)
            if mask & _ISDIR:
                if mask & (_CREATE | _MOVED_TO):
                    for prefix in list(self._folders.get(watch, ())):
                        try:
                            self._watch(prefix + name + "/", set())
                        except UserError:
                            self.lost = True
            elif mask & _OPEN and name:
                self.opened.update(prefix + name for prefix in self._folders.get(watch, ()))
                self.opened.update(self._files.get((watch, name), ()))


def command(folder: str, target: str, words: Sequence[str], *, language: Language, echo: Callable[..., object]) -> int:
    """Run the command `words`, and list the regular files of `folder` that were opened meanwhile in `target`, a line each.

    The exit code: 0; 3 when the command failed or the list may not be whole. Raises ReadError, SaveError and UserError.
    """
    if not words:
        raise UserError("no-command")
    path = Path(target)
    if path.exists() and not path.is_file():
        raise SaveError("is-directory" if path.is_dir() else "not-regular", path=target)
    require_outside_links(path)
    recorder = Recorder(folder)
    try:
        try:
            process = subprocess.Popen(list(words))
        except OSError as error:
            raise from_os_error(error, words[0]) from None
        while True:
            try:
                code = process.wait()
                break
            except KeyboardInterrupt:
                continue  # the terminal told the command too; it decides
    finally:
        recorder.close()
    own = os.path.realpath(target)
    names = sorted(name for name in recorder.opened if _is_file(recorder.base, name, own))
    listed = [name for name in names if "\n" not in name and "\r" not in name]
    write_atomically(path, b"".join([os.fsencode(name) + b"\n" for name in listed]))

    def say(key: str, /, **data: object) -> None:
        echo(visible(word(WORDS, key, language, **data)), err=True)

    say("opened", count=len(listed), folder=escaped(os.fspath(folder)), path=escaped(target))
    if code:
        say("failed", code=code)
    if recorder.lost:
        say("lost")
    for name in names:
        if "\n" in name or "\r" in name:
            say("unlisted", name=escaped(name).replace("\n", "\\n").replace("\r", "\\r"))
    for problem in recorder.unwatched:
        say("unwatched", problem=problem.text(language))
    return 3 if code or recorder.lost or recorder.unwatched or len(listed) < len(names) else 0


def _is_file(base: str, name: str, own: str) -> bool:
    """False for pipes, devices and the list itself; a file that is gone was one."""
    path = os.path.join(base, name)
    try:
        return stat.S_ISREG(os.stat(path).st_mode) and os.path.realpath(path) != own  # noqa: PTH116
    except OSError:
        return True
