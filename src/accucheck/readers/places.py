"""Where data lie: in files of this machine, in compressed ones, at fsspec addresses. `plain` makes a plain file of any of them.

What is compressed or lies at an address is copied to a temporary file while it is read, one file at a time and in small
blocks, so memory stays flat and every reader works as on the spot. Tar archives are streams and are inflated as they are read.
"""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, overload

from .. import system
from ..case import networked, redacted, systems
from ..errors import ReadError, UserError, from_os_error
from ..lacking import requirement
from ..store import scratch, temporary_place

#: Bytes that settle the format of a file.
HEAD = 1 << 16
_BLOCK = 1 << 20
#: Of a file in a Listing: where its name begins, the bytes of its name, its size; and how many are read together.
_ENTRY, _ENTRIES = struct.Struct("<QIQ"), 1000
#: What inflates to more than this, and more than `_RATIO` times its size, is refused as a bomb.
_LARGE, _RATIO = 256 << 20, 200
#: File systems that are no place for data but take what a file tells them for orders: `reference` fills templates, and not always in a
#: sandbox; `dask` runs within a cluster's workers.
_REFUSED = frozenset({"reference", "dask"})
_GZIP, _ZLIB = b"\x1f\x8b\x08", (b"x\x01", b"x\x9c", b"x\xda")


@dataclass(frozen=True)
class RemotePath:
    """A file or folder at an address: `key` as its fsspec file system takes it, `shown` without credentials, `size` in bytes."""

    system: Any
    key: str
    shown: str
    size: int = 0

    @property
    def name(self) -> str:
        return PurePosixPath(self.shown).name

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.shown).suffix

    @property
    def parts(self) -> tuple[str, ...]:
        return PurePosixPath(self.shown).parts

    def __str__(self) -> str:
        return self.shown


File = Path | RemotePath


class Listing(Sequence[File]):
    """The files below `root` in the order they were added, with their bytes: kept in a temporary file, for there may be millions."""

    def __init__(self, root: File) -> None:
        self.root = root
        self._names, self._index = (tempfile.TemporaryFile() for _ in range(2))  # noqa: SIM115
        self._end = self._count = self.bytes = 0

    def __del__(self) -> None:
        self._names.close()
        self._index.close()

    def add(self, file: File, size: int) -> None:
        name = f"{file.key}\0{file.shown}".encode() if isinstance(file, RemotePath) else os.fsencode(file)
        self._names.write(name)
        self._index.write(_ENTRY.pack(self._end, len(name), size))
        self._end += len(name)
        self._count += 1
        self.bytes += size

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[File]:
        return (file for file, _ in self.sized())

    def sized(self) -> Iterator[tuple[File, int]]:
        """The files and their bytes."""
        for start in range(0, self._count, _ENTRIES):
            yield from self._read(start, min(start + _ENTRIES, self._count))

    @overload
    def __getitem__(self, at: int) -> File: ...

    @overload
    def __getitem__(self, at: slice) -> list[File]: ...

    def __getitem__(self, at: int | slice) -> File | list[File]:
        places = range(self._count)[at]
        return next(self._read(places, places + 1))[0] if isinstance(places, int) else [self[one] for one in places]

    def _read(self, start: int, stop: int) -> Iterator[tuple[File, int]]:
        self._names.flush()
        self._index.flush()
        raw = system.pread(self._index.fileno(), (stop - start) * _ENTRY.size, start * _ENTRY.size)
        entries = list(_ENTRY.iter_unpack(raw))
        first = entries[0][0]
        names = system.pread(self._names.fileno(), entries[-1][0] + entries[-1][1] - first, first)
        for place, length, size in entries:
            name = names[place - first : place - first + length]
            if isinstance(self.root, RemotePath):
                key, _, shown = name.decode().partition("\0")
                yield RemotePath(self.root.system, key, shown, size), size
            else:
                yield Path(os.fsdecode(name)), size


def below(root: File, file: File) -> tuple[str, ...]:
    """The folders from the root of a data set to a file in it, and its name; the name alone when the file is the root."""
    if isinstance(root, Path) and isinstance(file, Path):
        return file.relative_to(root).parts or (file.name,)
    return PurePosixPath(str(file)).relative_to(str(root)).parts or (file.name,)


def under(root: File, shown: str) -> RemotePath | None:
    """The file of this shown address, when it is the root or lies below it."""
    if not isinstance(root, RemotePath):
        return None
    head = root.shown.rstrip("/")
    if shown == root.shown:
        return root
    return (
        RemotePath(root.system, root.key.rstrip("/") + shown[len(head) :], shown)
        if shown.startswith(head + "/")
        else None
    )


def at(address: str, agreed: Collection[str] = ()) -> File:
    """What lies at an fsspec address, as yet unseen. Raises ReadError when its file system is not to be had here, or the address leads
    into the network and is not one of `agreed`."""
    shown = redacted(address)
    if refused := sorted(_REFUSED.intersection(systems(address))):
        raise ReadError("address-refused", path=shown, system=refused[0])
    if networked(address) and address not in agreed:
        raise ReadError("address-consent", path=shown)
    try:
        import fsspec
    except ImportError:
        raise ReadError("needs-fsspec", path=shown, install=requirement("remote")) from None
    with _told(shown):
        system, key = fsspec.core.url_to_fs(address)
    if "file" in (system.protocol if isinstance(system.protocol, (tuple, list)) else (system.protocol,)):
        return Path(key)
    return RemotePath(system, key, shown)


@contextmanager
def _told(shown: str) -> Iterator[None]:
    """Whatever a file system raises, as a ReadError without credentials."""
    try:
        yield
    except UserError:
        raise
    except ImportError as error:
        raise ReadError("needs-package", path=shown, problem=_said(error)) from None
    except Exception as error:  # every file system has errors of its own
        if isinstance(error, OSError) and error.errno:
            raise from_os_error(error, shown) from None
        lost, closed = isinstance(error, FileNotFoundError), isinstance(error, PermissionError)
        code = "not-found" if lost else "no-permission" if closed else "io"
        raise ReadError(code, path=shown, problem=_said(error)) from None


def _said(error: Exception) -> str:
    return redacted((str(error).splitlines() or [""])[0][:300]) or type(error).__name__


def listed(root: RemotePath) -> Iterator[RemotePath]:
    """The file itself, or all files below a folder by name. Raises ReadError when nothing is there, or it cannot be listed."""
    with _told(root.shown):
        if not root.key.endswith("/") and root.system.isfile(root.key):
            yield RemotePath(root.system, root.key, root.shown, _size(root.system.info(root.key)))
            return
        found = root.system.find(root.key, detail=True)
        if not found and not root.system.exists(root.key):
            raise ReadError("not-found", path=root.shown)
    for key in sorted(found):
        below = key[len(root.key) :] if key.startswith(root.key) else "/" + key.rsplit("/", 1)[-1]
        yield RemotePath(root.system, key, f"{root.shown.rstrip('/')}/{redacted(below).lstrip('/')}", _size(found[key]))


def _size(info: dict[str, Any]) -> int:
    return int(info.get("size") or 0)


@contextmanager
def opened(file: File) -> Iterator[IO[bytes]]:
    """The bytes of a file, compressed or not, as they lie there. Raises ReadError."""
    if isinstance(file, RemotePath):
        with _told(file.shown), file.system.open(file.key, "rb") as stream:
            yield stream
        return
    try:
        with file.open("rb") as stream:
            yield stream
    except OSError as error:
        raise from_os_error(error, file) from None


def size_of(file: File) -> int:
    try:
        return file.size if isinstance(file, RemotePath) else file.stat().st_size
    except OSError as error:
        raise from_os_error(error, file) from None


def head_of(file: File) -> bytes:
    """The first bytes, up to HEAD."""
    with opened(file) as stream:
        return stream.read(HEAD)


def compressed(name: str, head: bytes, size: int) -> bool:
    """Whether a file that begins so is gzip, or zlib as TFRecord's writers make it."""
    from .tfrecord import starts

    if head.startswith(_GZIP):
        return not starts(head, size)
    return ".tfrecord" in name and head.startswith(_ZLIB) and not starts(head, size)


def inflated(head: bytes) -> bytes:
    """What the beginning of a compressed file holds, up to HEAD; nothing when it is damaged from the start."""
    machine = zlib.decompressobj(47)  # gzip or zlib
    try:
        return machine.decompress(head, HEAD)
    except zlib.error:
        return b""


@contextmanager
def plain(file: File, kind: str) -> Iterator[Path]:
    """A plain local file of this kind of detect.FORMATS: the file itself where it is one, else a copy that is removed afterwards.

    Raises ReadError, also for what does not fit into the temporary folder; an error names the file, not the copy.
    """
    head = b"" if kind in ("image", "tar") else head_of(file)
    inflate = compressed(file.name, head, size_of(file))
    if isinstance(file, Path) and not inflate:
        yield file
        return
    with scratch() as folder:
        name = file.name.removesuffix(".gz").removesuffix(".GZ") if inflate else file.name
        copy = Path(folder, name[-100:] or "data")
        try:
            _copy(file, copy, inflate)
            if isinstance(file, RemotePath) and kind == "mindrecord":
                _companions(file, copy)
            yield copy
        except ReadError as error:
            error.data["path"] = str(error.data["path"]).replace(str(copy), str(file)).replace(str(folder), "")
            raise


def _copy(file: File, target: Path, inflate: bool) -> None:
    size = size_of(file)
    room = shutil.disk_usage(target.parent).free
    done = 0
    with opened(file) as source:
        try:
            with target.open("wb") as sink:
                for block in _inflate(source, str(file)) if inflate else iter(lambda: source.read(_BLOCK), b""):
                    done += len(block)
                    if inflate and done > max(_LARGE, _RATIO * size):
                        raise ReadError("inflates", path=str(file), size=size, limit=max(_LARGE, _RATIO * size))
                    if done > room:
                        raise ReadError("no-room", path=str(file), size=done, folder=temporary_place())
                    sink.write(block)
        except OSError as error:
            if error.filename is not None or error.errno == 28:  # of the copy, or the disk is full
                raise ReadError("no-room", path=str(file), size=done, folder=temporary_place()) from None
            raise


def _inflate(source: IO[bytes], shown: str) -> Iterator[bytes]:
    """All members of a gzip file, or one zlib stream."""
    machine, read, done = zlib.decompressobj(47), 0, False
    while block := source.read(_BLOCK):
        read += len(block)
        while block:
            if done:  # another member, or the zeros that some tools fill up with
                block = block.lstrip(b"\0")
                machine, done = zlib.decompressobj(47), not block
                continue
            try:
                out = machine.decompress(block, _BLOCK)
            except zlib.error:
                raise ReadError("checksum", path=shown) from None
            if out:
                yield out
            done = machine.eof
            block = machine.unused_data if done else machine.unconsumed_tail
    while not done and (out := machine.decompress(machine.unconsumed_tail, _BLOCK)):
        yield out
        done = machine.eof
    if not done and not machine.eof:
        raise ReadError("truncated", path=shown, offset=read, expected="gzip")


def _companions(file: RemotePath, copy: Path) -> None:
    """A MindRecord file's index; and in place of the other files of its set, which only have to be there, empty ones."""
    with _told(file.shown):
        folder = file.key.rpartition("/")[0]
        names = {str(entry).rstrip("/").rsplit("/", 1)[-1] for entry in file.system.ls(folder, detail=False)}
    if file.name + ".db" in names:
        index = RemotePath(file.system, file.key + ".db", file.shown + ".db")
        _copy(index, copy.with_name(copy.name + ".db"), inflate=False)
    for name in names - {file.name, file.name + ".db"}:
        if ".mindrecord" in name and "/" not in name:
            copy.with_name(name).touch()
