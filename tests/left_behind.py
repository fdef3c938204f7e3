"""The real command as a process of its own, killed on demand; and what it has left: processes and files."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

#: accucheck that kills itself with SIGKILL before the n-th of its own acts on files (opening to write, renaming, linking, removing,
#: making) or starts of a process; with 0 it writes how many there were. What it starts is not counted.
COUNTED = """
import os, signal, sys
n, tally, counted = int(sys.argv[1]), sys.argv[2], 0
ACTS = {"os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "subprocess.Popen", "os.fork"}
def watch(event, args, own=os.getpid()):
    global counted
    writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR) and args[0] != tally
    if (writes or event in ACTS) and os.getpid() == own:
        counted += 1
        if counted == n:
            os.kill(own, signal.SIGKILL)
def tell(code, end=os._exit):
    with open(tally, "w") as stream:
        stream.write(str(counted))
    end(code)
if not n:
    os._exit = tell
sys.addaudithook(watch)
sys.argv = ["accucheck", *sys.argv[3:]]
from accucheck.cli import console
console()
"""


def _obeys_a_hang_up() -> None:
    """Undo what nohup does to the tests: a command that inherits SIGHUP ignored ignores it too."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Command:
    """`accucheck ARGUMENTS` in `cwd`, with a temporary folder of its own and a mark that all that it starts inherits."""

    def __init__(self, cwd: Path, temporary: Path, *arguments: object, program: Sequence[str] = ("-m", "accucheck")):
        self.mark = f"FAULTS={uuid.uuid4()}"
        name, _, value = self.mark.partition("=")
        temporary.mkdir(exist_ok=True)
        self.temporary = temporary
        self.process = subprocess.Popen(
            [sys.executable, *program, *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, name: value, "TMPDIR": str(temporary)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=_obeys_a_hang_up,
        )
        self.begin = time.monotonic()

    def ended(self, timeout: float = 600) -> tuple[int, str, str]:
        """Exit code, standard output and error; one that hangs is killed, and the test fails."""
        try:
            out, err = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            for pid in self.living():
                os.kill(pid, signal.SIGKILL)
            self.process.communicate()
            raise
        self.seconds = time.monotonic() - self.begin
        return self.process.returncode, out.decode(), err.decode()

    def killed(self, after: float | None = None) -> bool:
        """Kill it, after so many seconds where it does not do so itself; whether it was still at work."""
        try:
            self.process.wait(300 if after is None else after)
        except subprocess.TimeoutExpired:
            self.process.kill()
        code, _, _ = self.ended()
        return code == -signal.SIGKILL

    def living(self) -> list[int]:
        return living(self.mark)

    def require_no_process(self) -> None:
        """Fail if a process that it started outlives it for long."""
        wait_until(lambda: not self.living(), lambda: f"these live on: {[shown(pid) for pid in self.living()]}")

    def require_no_temporary(self) -> None:
        """Fail if it has left something in its temporary folder, but for the file with which Python itself tries whether it can write
        there, of four bytes."""

        def left() -> list[Path]:
            return [
                path for path in self.temporary.iterdir() if path.is_dir() or path.read_bytes() not in (b"", b"blat")
            ]

        wait_until(lambda: not left(), lambda: f"left: {left()}")


def run(cwd: Path, temporary: Path, *arguments: object) -> tuple[int, str, str]:
    """A command to its end, which leaves no process and nothing temporary."""
    command = Command(cwd, temporary, *arguments)
    code, out, err = command.ended()
    assert "Traceback" not in err and "inside accucheck" not in err, err
    command.require_no_process()
    command.require_no_temporary()
    return code, out, err


def living(mark: str) -> list[int]:
    """The processes with this NAME=VALUE in their environment, whosever children they are now; zombies do not count."""

    def has_it(pid: int) -> bool:
        try:
            return mark.encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False

    return [pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if has_it(pid)]


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has waited for yet counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def shown(pid: int) -> str:
    try:
        return f"{pid} {Path(f'/proc/{pid}/cmdline').read_bytes().decode('utf-8', 'replace')}"
    except OSError:
        return str(pid)


def wait_until(
    holds: Callable[[], object], why: Callable[[], object] = lambda: "it did not come about", seconds: float = 120
) -> None:
    """Wait for something that other processes bring about, or end: with patience, as the machine may be busy."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, why()
        time.sleep(0.02)


def half_written(*folders: Path) -> Iterator[Path]:
    """Files of ours that were not finished."""
    for folder in folders:
        yield from (path for path in folder.rglob("*") if path.name.endswith(("tmp", ".partial", ".journal")))
