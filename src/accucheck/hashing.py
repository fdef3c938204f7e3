"""Walks a tree and has child processes hash its files. Knows nothing of manifests: see manifest.py."""

from __future__ import annotations

import errno
import os
import select
import stat
import sys
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from . import hasher, system
from .errors import ReadError, from_os_error

if TYPE_CHECKING:
    from pathlib import Path

#: A batch for one child: files, bytes of their content, bytes of their names (a pipe takes 64 KiB without a reader).
_BATCH_FILES, _BATCH_CONTENT, _BATCH_NAMES = 64, 4 << 20, 32 << 10
#: One real folder is entered through links at most so often; links among folders could multiply without end.
_LINK_VISITS = 1000

#: Reasons of Unread that leave no gap: what they name is no file a loader could read.
NO_FILES = ("not-regular", "link-loop")

#: A file as the walk saw it: path, size in bytes, mtime and ctime in ns.
Seen = tuple[str, int, int, int]
#: What became of it: the file as seen, status (see hasher), MD5.
Answer = tuple[Seen, int, bytes]


class UnreadEntry(msgspec.Struct, frozen=True, gc=False):
    """What could not be hashed: `reason` is a code of errors.WORDS. A folder's path ends with "/"."""

    path: str
    reason: str
    problem: str = ""


def unread(path: str, error: OSError) -> UnreadEntry:
    """The Unread that says what an OSError on `path` means."""
    if error.errno == errno.ELOOP:
        return UnreadEntry(path, "link-loop")
    reason = from_os_error(error, path)
    return UnreadEntry(path, reason.code, str(reason.data["problem"]) if reason.code == "io" else "")


class FileWalk:
    """The regular files of a tree as Seen, links followed; what is not one is put into `unread`.

    `starts` are paths below `base` ("" for all of it), `skip` paths of files to leave out, `skip_folder` a folder's name.
    Files that lie there as `known` (with size, mtime_ns and ctime_ns) has them are put into `unchanged` instead.
    """

    def __init__(
        self, base: str, starts: Sequence[str], skip: set[str], skip_folder: str, known: Mapping[str, Any] | None = None
    ) -> None:
        self.base, self.starts, self.skip, self.skip_folder = base, starts, skip, skip_folder
        self.known = {} if known is None else known
        self.unread: list[UnreadEntry] = []
        self.unchanged: list[Any] = []
        self._visits: dict[tuple[int, int], int] = defaultdict(int)

    def __iter__(self) -> Iterator[Seen]:
        folders = []
        for start in self.starts:
            if not start:
                folders.append("")
            elif os.path.lexists(os.path.join(self.base, start)) and (info := self._followed(start)):
                if stat.S_ISREG(info.st_mode):
                    if not self._same(start, info):
                        yield start, info.st_size, info.st_mtime_ns, info.st_ctime_ns
                else:
                    folders.append(start + "/")
        while folders:
            prefix = folders.pop()
            try:
                place = self._opened(os.path.join(self.base, prefix))
            except OSError as error:
                self.unread.append(unread(prefix, error))
                continue
            try:
                with os.scandir(place) as entries:
                    for entry in entries:
                        path = prefix + entry.name
                        try:
                            if entry.is_file(follow_symlinks=False):
                                if path not in self.skip:
                                    info = entry.stat(follow_symlinks=False)
                                    if not self._same(path, info):
                                        yield path, info.st_size, info.st_mtime_ns, info.st_ctime_ns
                            elif entry.is_dir(follow_symlinks=False):
                                if entry.name != self.skip_folder:
                                    folders.append(path + "/")
                            elif path not in self.skip and (info := self._followed(path)):
                                if stat.S_ISREG(info.st_mode):
                                    if not self._same(path, info):
                                        yield path, info.st_size, info.st_mtime_ns, info.st_ctime_ns
                                else:
                                    folders.append(path + "/")
                        except OSError as error:
                            self.unread.append(unread(path, error))
            except OSError as error:
                self.unread.append(unread(prefix, error))
            finally:
                if isinstance(place, int):
                    os.close(place)

    @staticmethod
    def _opened(folder: str) -> int | str:
        """A folder to be looked through: a descriptor where there can be one, so that each stat looks up one name and not the whole path
        again."""
        return os.open(folder, system.READ | system.DIRECTORY) if system.FOLDERS_OPEN else folder

    def _same(self, path: str, info: os.stat_result) -> bool:
        known = self.known.get(path)
        same = (
            known is not None
            and known.ctime_ns == info.st_ctime_ns
            and known.size == info.st_size
            and known.mtime_ns == info.st_mtime_ns
        )
        if same:
            self.unchanged.append(known)
        return same

    def _followed(self, path: str) -> os.stat_result | None:
        """The stat of the file, or of the folder to enter, that `path` leads to; None when it is neither."""
        full = os.path.join(self.base, path)
        try:
            info = os.stat(full)  # noqa: PTH116
            if stat.S_ISREG(info.st_mode):
                return info
            if not stat.S_ISDIR(info.st_mode):
                self.unread.append(UnreadEntry(path, "not-regular"))
                return None
            if os.path.islink(full):  # noqa: PTH114
                identity = info.st_dev, info.st_ino
                self._visits[identity] += 1
                if self._visits[identity] > _LINK_VISITS or identity in self._ancestors(path):
                    self.unread.append(UnreadEntry(path, "link-loop"))
                    return None
        except OSError as error:
            self.unread.append(unread(path, error))
            return None
        return info

    def _ancestors(self, path: str) -> Iterator[tuple[int, int]]:
        """The identities of the folders above `path`, up to the base."""
        while path:
            path = os.path.dirname(path)
            info = os.stat(os.path.join(self.base, path))  # noqa: PTH116
            yield info.st_dev, info.st_ino


class _Child:
    """One hashing process and the files it has been given."""

    def __init__(self, base: str, journal: Path | None) -> None:
        import subprocess  # not where all files are known: a second run is short

        command = [
            sys.executable,
            "-I",
            "-S",
            hasher.__file__,
            *([] if journal is None else [os.path.abspath(journal)]),
        ]
        self.process = subprocess.Popen(command, cwd=base, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.requests, self.answers = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.files: deque[Seen] = deque()
        self.under_way = 0
        self._rest = b""

    def give(self, files: list[Seen]) -> None:
        data = b"\0".join([os.fsencode(file[0]) for file in files])
        data = hasher.LENGTH.pack(len(data)) + data
        self.files.extend(files)
        try:
            while data:
                data = data[os.write(self.requests, data) :]
        except BrokenPipeError:
            self._ended()

    def take(self) -> list[Answer]:
        """The answers that came since the last call. Raises ReadError when the process has ended."""
        data = os.read(self.answers, 1 << 16)
        if not data:
            self._ended()
        data = self._rest + data
        whole = len(data) - len(data) % hasher.ANSWER.size
        self._rest = data[whole:]
        answers, files = [], self.files
        for status, md5, size, mtime, ctime in hasher.ANSWER.iter_unpack(data[:whole]):
            if status == hasher.UNDER_WAY:
                self.under_way = size
                continue
            file = files.popleft()
            if (size, mtime, ctime) != file[1:] and status in (hasher.OK, hasher.FRESH):
                status = hasher.CHANGED
            answers.append((file, status, md5))
        if answers:
            self.under_way = 0
        return answers

    def _ended(self) -> None:
        code = self.process.wait()
        name = self.files[0][0] if self.files else "-"
        raise ReadError("io", path=name, problem=f"the hashing process ended with {code}")

    def end(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        self.process.kill()
        self.process.wait()


class Pool:
    """Hands batches of small files and single big ones to child processes, the biggest first once all are known.

    The processes are started when there is something to do, and append what they have hashed to `journal`; end() must be
    called.
    """

    def __init__(self, base: str, workers: int, journal: Path | None = None) -> None:
        self.base, self.workers, self.journal = base, max(1, workers), journal
        self._children: dict[int, _Child] = {}
        self._batches: deque[list[Seen]] = deque()
        self._big: list[Seen] = []
        self._poll = select.poll()
        self._new_batch()

    def _new_batch(self) -> None:
        self._batch: list[Seen] = []
        self._content = self._name_bytes = 0

    def add(self, file: Seen) -> bool:
        """Queue one file; True when a batch became full."""
        size = file[1]
        if size >= _BATCH_CONTENT:
            self._big.append(file)
            return False
        self._batch.append(file)
        self._content += size
        self._name_bytes += 4 * len(file[0])
        if len(self._batch) < _BATCH_FILES and self._content < _BATCH_CONTENT and self._name_bytes < _BATCH_NAMES:
            return False
        self._batches.append(self._batch)
        self._new_batch()
        return True

    def all_known(self) -> None:
        """No more files will be added."""
        if self._batch:
            self._batches.append(self._batch)
            self._new_batch()
        self._batches.extendleft([file] for file in sorted(self._big, key=lambda file: file[1]))

    @property
    def busy(self) -> bool:
        return bool(self._batches) or any(child.files for child in self._children.values())

    @property
    def under_way(self) -> int:
        """Bytes read of files not yet finished."""
        return sum(child.under_way for child in self._children.values())

    def turn(self, milliseconds: int) -> list[Answer]:
        """Give what there is to give, wait for answers at most so long, and return them."""
        if self._batches and len(self._children) < self.workers:
            child = _Child(self.base, self.journal)
            self._children[child.answers] = child
            self._poll.register(child.answers, select.POLLIN)
        for child in self._children.values():
            # A second batch waits in the pipe, so that a child never idles; a big file goes to a child that is free.
            while self._batches and (
                not child.files or (len(self._batches[0]) > 1 and len(child.files) <= _BATCH_FILES)
            ):
                child.give(self._batches.popleft())
        answers: list[Answer] = []
        for descriptor, _ in self._poll.poll(milliseconds):
            answers += self._children[descriptor].take()
        return answers

    def end(self) -> None:
        for child in self._children.values():
            child.end()
