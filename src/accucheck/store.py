"""Where a project's own files lie, and writing a file whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, count
from pathlib import Path
from typing import IO, Any, BinaryIO

from . import system
from .errors import SaveError, from_os_error

#: Where accucheck keeps what belongs to a project: session, lock, manifest, attachments.
FOLDER = ".accucheck"
#: What tells the folder of a project: its case file (case.FILE_NAME), a session, or that it was cloned.
_OF_A_PROJECT = ("accucheck.yaml", FOLDER, ".git")
#: Where copies of attached files lie that are not the project's own.
ATTACHMENTS = f"{FOLDER}/attachments"
#: Where copies of files lie as they were before a mend was written into them.
BACKUPS = f"{FOLDER}/backups"
#: How the name of a file ends that is not finished. Before that stands what those have in common that one writer is at; it holds one of
#: them locked in each folder.
UNFINISHED = ".accucheck-tmp"


def stamped(above: Path) -> Path:
    """A new folder below `above`, named by the time; several of one second are numbered. Raises OSError."""
    above.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    names = chain([stamp], (f"{stamp}-{again}" for again in count(1)))
    while True:
        made = above / next(names)
        with suppress(FileExistsError):
            made.mkdir()
            return made


def write_atomically(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Replace `path` by `content` whole or not at all, even across a power cut; `mode` as in `atomically`. Raises SaveError."""
    with atomically(path, mode) as stream:
        stream.write(content)


@contextmanager
def atomically(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A stream whose content replaces `path` when the block ends well; otherwise nothing is left of it. Who may read the file stays as
    it was; `mode`, less the umask, is of one that was not there. Raises SaveError."""
    temporary: Path | None = None
    try:
        sweep([path.parent])
        writer = _writer()
        with _locked(path, writer, mode) as stream:
            temporary = _unfinished(path, writer)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            if not system.MOVES_OPEN:
                stream.close()
            temporary.replace(path)
        _sync(path.parent)
    except BaseException as error:
        with suppress(OSError):
            if temporary is not None:
                temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise from_os_error(error, path, SaveError) from None
        raise


def write_together(folder: Path, files: Mapping[str, bytes], *, replace: bool, mode: int = 0o666) -> None:
    """Write `files`, {name relative to `folder`: content}; folders that lack are made.

    Each is written in full beside its place before the first takes it: all are there or none, but where others were replaced before
    one could not be. What lies deeper comes first, so that a file is never there without those beside it that it names. Raises
    SaveError, and FileExistsError when a file is there that may not be replaced.
    """
    made: list[Path] = []
    waiting: dict[Path, Path] = {}
    placed: list[Path] = []
    locks: dict[Path, Path] = {}
    at = folder
    try:
        with ExitStack() as streams:
            sweep({path.parent for path in (folder / name for name in files) if path.parent.is_dir()})
            writer = _writer()
            for name in sorted(files, key=lambda name: -len(Path(name).parts)):
                path = at = folder / name
                _make(path.parent, made)
                if path.parent not in locks:
                    lock = path.parent / writer  # no file's name
                    streams.enter_context(_locked(lock, writer))
                    locks[path.parent] = _unfinished(lock, writer)
                waiting[path] = _unfinished(path, writer)
                with _begun(path, writer, mode) as stream:
                    stream.write(files[name])
                    stream.flush()
                    os.fsync(stream.fileno())
            for path, temporary in waiting.items():
                at = path
                if replace:
                    temporary.replace(path)
                else:
                    _place(temporary, path)
                    placed.append(path)
            if not system.MOVES_OPEN:
                streams.close()
            for lock in locks.values():
                lock.unlink(missing_ok=True)
        for parent in locks:
            _sync(parent)
    except BaseException as error:
        with suppress(OSError):
            for path in (*waiting.values(), *placed, *locks.values()):
                path.unlink(missing_ok=True)
            for path in reversed(made):
                path.rmdir()
        if isinstance(error, OSError) and not isinstance(error, FileExistsError):
            raise from_os_error(error, at, SaveError) from None
        raise


def private_folder(path: Path) -> None:
    """Make a folder that no other user may look into, where there is none. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)


def open_own(path: str | Path, flags: int, mode: int = 0o666) -> int:
    """An opener: a descriptor of a regular file at just this path. A link of that name, as a stranger's project may bring, would have
    what it leads to written. Raises OSError, and SaveError for what is no regular file."""
    descriptor = os.open(path, flags | system.NOFOLLOW | system.NONBLOCK | system.CLOEXEC | system.BINARY, mode)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise SaveError("not-regular", path=str(path))


def require_own(folder: Path, project: Path) -> None:
    """Refuse a folder of ours that a link leads out of the project, as a stranger's may do. Raises SaveError."""
    if not folder.resolve().is_relative_to(project.resolve()):
        raise SaveError("own-link", path=str(folder))


def require_inside(target: Path, project: Path) -> None:
    """Refuse a place that is named within the project and that a link of the project leads out of it. A link of the person's own,
    elsewhere, is followed. Raises SaveError."""
    root, leads = os.path.realpath(project), Path(os.path.realpath(target))
    named = Path(os.path.abspath(target))
    within = named.is_relative_to(root) or named.is_relative_to(os.path.abspath(project))
    if within and not leads.is_relative_to(root):
        raise SaveError("output-link", path=str(target), leads=str(leads))


def require_outside_links(target: Path) -> None:
    """require_inside() for each project that a place is named within: what holds a case file, a session, or was cloned."""
    for folder in Path(os.path.abspath(target)).parents:
        if any(os.path.lexists(folder / name) for name in _OF_A_PROJECT):
            require_inside(target, folder)


def is_at(stream: IO[Any], path: Path) -> bool:
    """Whether what is open is still the file of that name, and no link to it."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.lstat())
    except OSError:
        return False


def write_new(path: Path, content: bytes) -> None:
    """Write a file that is not there yet, whole or not at all; its folder must be there. Raises SaveError."""
    try:
        path.parent.stat()
        write_together(path.parent, {path.name: content}, replace=False)
    except FileExistsError:
        raise SaveError("exists", path=str(path)) from None
    except OSError as error:
        raise from_os_error(error, path, SaveError) from None
    except ValueError as error:  # a NUL byte in the name
        raise from_os_error(OSError(22, str(error)), path, SaveError) from None


def sweep(folders: Iterable[Path]) -> None:
    """Remove from these folders what writers have left that were killed: of whom no file is locked any more."""
    for folder in folders:
        left: dict[str, list[str]] = {}
        with suppress(OSError):
            for name in os.listdir(folder):
                if name.endswith(UNFINISHED):
                    left.setdefault(name.removesuffix(UNFINISHED).rpartition(".")[2], []).append(name)
        for names in left.values():
            with suppress(OSError, SaveError), ExitStack() as streams:
                for name in names:
                    stream = streams.enter_context(open(open_own(folder / name, os.O_RDONLY), "rb"))
                    system.lock(stream)
                    # Another may have swept it since it was opened, and its writer begun anew under the same name.
                    if not is_at(stream, folder / name):
                        raise BlockingIOError
                for name in names:
                    (folder / name).unlink()


def _writer() -> str:
    return os.urandom(4).hex()


def _unfinished(path: Path, writer: str) -> Path:
    """What a file is called while it is written, however long its own name is."""
    return path.parent / ("." + os.fsdecode(os.fsencode(path.name)[:200]) + f".{writer}{UNFINISHED}")


def _begun(path: Path, writer: str, mode: int) -> BinaryIO:
    """A new file under the unfinished name of `path`: as open to others as what it is to replace, else of this mode."""
    known = None
    with suppress(OSError):
        status = path.lstat()
        known = stat.S_IMODE(status.st_mode) & 0o777 if stat.S_ISREG(status.st_mode) else None
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    temporary = _unfinished(path, writer)
    descriptor = open_own(temporary, flags, mode if known is None else 0o600)
    if known is not None:
        with suppress(OSError):  # a file system without modes
            system.set_mode(descriptor, temporary, known)
    return os.fdopen(descriptor, "wb")


def _locked(path: Path, writer: str, mode: int = 0o666) -> BinaryIO:
    """A new locked file as of `_begun`. The lock goes with the process, however that ends."""
    while True:
        stream = _begun(path, writer, mode)
        with suppress(OSError):  # a file system without locks, where sweep() therefore finds nothing free
            system.lock(stream, wait=True)
        if _unfinished(path, writer).exists():  # else it was swept away before it was locked
            return stream
        stream.close()


#: How temporary folders of ours begin that are locked while they are in use.
_SCRATCH = "accucheck-run-"


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder that is gone when the block ends. What a kill has left of earlier ones goes too. Raises OSError."""
    import shutil
    import tempfile

    if not system.FOLDERS_OPEN:  # nor can one be locked
        with tempfile.TemporaryDirectory(prefix=_SCRATCH, ignore_cleanup_errors=True) as name:
            yield Path(name)
        return
    base = Path(tempfile.gettempdir())
    for name in os.listdir(base):
        if name.startswith(_SCRATCH):
            with suppress(OSError), _opened(base / name) as descriptor:
                system.lock(descriptor)
                shutil.rmtree(base / name)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_SCRATCH))
        with ExitStack() as stack:
            try:
                descriptor = stack.enter_context(_opened(folder))
            except FileNotFoundError:  # swept away before it was locked
                continue
            with suppress(OSError):  # a file system without locks, where nothing is free
                system.lock(descriptor, wait=True)
            if not folder.exists():
                continue
            try:
                yield folder
                return
            finally:
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, system.READ | system.DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def temporary_place() -> str:
    """The folder that temporary files lie in, as a person knows it."""
    import tempfile

    folder = Path(tempfile.gettempdir())
    return str(folder.parent if folder.name.startswith(_SCRATCH) else folder)


def _make(folder: Path, made: list[Path]) -> None:
    """Make a folder and those above it, and note which were made. Raises SaveError when a file is in the way."""
    if folder.is_dir():
        return
    if folder.parent != folder:
        _make(folder.parent, made)
    try:
        folder.mkdir()
    except FileExistsError:
        if not folder.is_dir():
            raise SaveError("not-a-directory", path=str(folder)) from None
    else:
        made.append(folder)


def _place(temporary: Path, path: Path) -> None:
    """Give a file its name unless the name is taken, which raises FileExistsError."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links; what comes in between now would be lost
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        temporary.replace(path)
    else:
        temporary.unlink()


def _sync(folder: Path) -> None:
    if not system.FOLDERS_OPEN:
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
