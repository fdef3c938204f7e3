"""What no input may make the product do, watched while a target reads one; for the short run and the long one alike.

Allowed is to read it, or to refuse it with an error of the product that speaks both languages. Not allowed are any other exception, a
hang, memory beyond the bound of the target, running code, a connection, a change outside the folder of the run, and temporary files
left behind.
"""

import contextlib
import faulthandler
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fuzz_targets import Target

import accucheck
from accucheck.errors import UserError
from accucheck.language import Language

#: Address space that may be set aside beyond the bound and never be touched: stacks and arenas of threads.
_RESERVED = 4 << 30
#: Starting a program, or reaching another.
_STARTS = {"os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "pty.spawn", "socket.connect", "socket.bind"}
#: Changes to files by the position of each path among the arguments of the event, and of its folder's descriptor (-1: none).
_CHANGES = {
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.link": ((1, 3),),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.rmdir": ((0, 1),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.utime": ((0, 3),),
}
#: The product's own process that digests files: it opens what is there and imports nothing.
_HASHER = [sys.executable, "-I", "-S", str(Path(accucheck.__file__).with_name("hasher.py"))]
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: Modules whose own records are sent between processes of the product as pickles.
_OURS = ("accucheck.", "numpy")

_active: "list[Guard]" = []


class Violation(BaseException):
    """Not an Exception, so that no reader takes it for a fault of its input."""


class Guard:
    """Reads inputs of one target in a folder of its own, which is the only place where files may change.

    `seconds` is when a reader hangs: 10 by what is promised, more where the machine may be loaded. Without `watched` inputs are read
    and nothing more is looked at than which error refuses them.
    """

    def __init__(self, target: Target, folder: Path, seconds: int = 10, watched: bool = True) -> None:
        self.target, self.seconds, self.watched = target, seconds, watched
        self.root = Path(os.path.realpath(folder))
        self.work, self.temporary = self.root / "work", self.root / "tmp"
        self.temporary.mkdir(parents=True, exist_ok=True)
        #: A home of its own, whose settings, state and cache lie in the folder of the target.
        self.home = {name: str(self.work) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        self.home["HOME"] = str(self.root)
        self.told = self.root / "violation"  # a file, for what a copy of this process does counts too
        self.armed, self.began = float("-inf"), 0.0
        self._prepare()

    def __enter__(self) -> "Guard":
        return self

    def __exit__(self, *_: object) -> None:
        faulthandler.cancel_dump_traceback_later()

    def run(self, data: bytes, bounded: bool = True) -> None:
        """Have the target read `data`. Raises what is not allowed. Without `bounded` neither memory nor time is looked
        at: what is imported on the first call counts as little as what a cache keeps."""
        if self.target.fresh:
            self._prepare()
        path = self.work / self.target.file
        path.write_bytes(self.target.wrap(data))
        limit = self.target.memory + 2 * max(len(data), path.stat().st_size)
        with self._watched(limit if bounded else None) if self.watched else contextlib.nullcontext():
            try:
                self.target.read(path)
            except self.target.allowed as error:
                spoken(error)
        if self.told.exists():
            what = self.told.read_text(errors="replace")
            self.told.unlink()
            raise Violation(what)
        if left := os.listdir(self.temporary):
            shutil.rmtree(self.temporary)
            self.temporary.mkdir()
            raise Violation(f"temporary files are left behind: {left[:3]}")

    def _prepare(self) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        (self.work / self.target.file).parent.mkdir(parents=True)
        self.target.beside(self.work)

    @contextlib.contextmanager
    def _watched(self, limit: int | None) -> Iterator[None]:
        before, soft = _memory(), resource.getrlimit(resource.RLIMIT_AS)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, (before["VmSize"] + limit + _RESERVED, soft[1]))
            with contextlib.suppress(OSError):  # where it cannot be set back, the peak only grows
                Path("/proc/self/clear_refs").write_text("5")
        old_handler = signal.signal(signal.SIGALRM, self._alarm)
        old_folder, tempfile.tempdir = tempfile.tempdir, str(self.temporary)
        old_home = {name: os.environ.get(name) for name in self.home}
        os.environ.update(self.home)
        if limit is None:
            faulthandler.cancel_dump_traceback_later()
        elif time.monotonic() > self.armed + self.seconds:  # not each time: that is a thread
            self.armed = time.monotonic()
            faulthandler.dump_traceback_later(4 * self.seconds, exit=True)  # what is stuck in C hears no alarm
        self.began = time.process_time()
        signal.setitimer(signal.ITIMER_REAL, self.seconds if limit is not None else 0)
        _active.append(self)
        try:
            yield
        finally:
            _active.clear()
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old_handler)
            tempfile.tempdir = old_folder
            for name, value in old_home.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value
            resource.setrlimit(resource.RLIMIT_AS, soft)
        after = _memory()
        taken = after["VmHWM"] - before["VmRSS"]
        if limit is not None and after["VmHWM"] > before["VmHWM"] and taken > limit:
            raise Violation(f"memory: {taken >> 20} MiB for an input whose bound is {limit >> 20} MiB")

    def _alarm(self, number: int, frame: Any) -> None:
        if time.process_time() < self.began + self.seconds and time.monotonic() < self.armed + 2.5 * self.seconds:
            signal.setitimer(signal.ITIMER_REAL, 1)  # the machine is busy with something else
            return
        where = "".join(traceback.format_stack(frame, 3)) if frame else ""
        raise Violation(f"hangs for over {self.seconds} s\n{where}")

    def report(self, what: str) -> None:
        """Called by the audit hook, within the product."""
        stack = "".join(traceback.format_stack(sys._getframe(2), 4))
        if not self.told.exists():
            self.told.write_text(f"{what}\n{stack}", errors="replace")
        raise Violation(what)

    def owns(self, path: Any, folder: Any = -1) -> bool:
        if isinstance(path, int):  # a descriptor: its file was opened before
            return True
        name = os.fsdecode(path)
        if isinstance(folder, int) and folder >= 0:
            name = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), name)
        parent = os.path.realpath(
            os.path.dirname(os.path.abspath(name))
        )  # a link is changed itself, not what it leads to
        return parent == str(self.root) or parent.startswith(f"{self.root}/")


def spoken(error: BaseException) -> None:
    """An error of the product says what it has to say in each language."""
    if isinstance(error, UserError):
        for language in Language:
            text = error.text(language)
            assert text and "{" not in error.code and len(text) < 100_000, error.code


def _memory() -> dict[str, int]:
    """VmSize, VmHWM (the peak of what is resident) and VmRSS of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return {line.split(":")[0]: int(line.split()[1]) << 10 for line in lines if line.startswith("Vm")}


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if not _active:
        return
    guard = _active[0]
    if event == "open":
        path, mode, flags = arguments
        writing = any(letter in mode for letter in "wax+") if isinstance(mode, str) else (flags or 0) & _WRITING
        if writing and path != os.devnull and not guard.owns(path):
            guard.report(f"opens a file outside its folder for writing: {path!r}")
    elif event in _STARTS and not (event == "subprocess.Popen" and arguments[1][:4] == _HASHER):
        guard.report(f"{event} {arguments!r:.200}")
    elif event in _CHANGES:
        for place, folder in _CHANGES[event]:
            if not guard.owns(arguments[place], -1 if folder is None else arguments[folder]):
                guard.report(f"{event} outside its folder: {arguments!r:.200}")
    elif event == "pickle.find_class":
        if not arguments[0].startswith(_OURS):
            guard.report(f"unpickles {arguments!r:.200}")
    elif event == "exec" and not guard.target.executes:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if guard.owns(arguments[0].co_filename) or caller.startswith("accucheck"):
            guard.report(f"runs the code {arguments[0]!r:.200}")


sys.addaudithook(_audit)
