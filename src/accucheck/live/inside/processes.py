"""Finding and ending what a process has started, whatever became of it since, and whether it is one of several that train together.

Processes are found on Linux; elsewhere nothing is.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Collection
from pathlib import Path

#: The id of a process, and when it began: an id is given to another process some time.
Process = tuple[int, str]
#: Where launchers tell a process how many there are.
SIZES = ("RANK_SIZE", "MS_WORKER_NUM", "OMPI_COMM_WORLD_SIZE", "WORLD_SIZE")


def is_one_of_several() -> bool:
    """Whether a launcher says that several processes train together: these end at the same step, and compute nothing alone."""
    return any(os.environ.get(name, "") not in ("", "0", "1") for name in SIZES)


def adopt_orphans() -> None:
    """Have what this process starts, at any remove, become its own child when the parent between them ends, even in a session of its
    own: so that it can be found."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER
    except Exception:
        pass


def descendants(pid: int) -> set[Process]:
    """The children of a process and theirs."""
    found: set[Process] = set()
    waiting = [pid]
    while waiting:
        try:
            tasks = list(Path(f"/proc/{waiting.pop()}/task").iterdir())
        except OSError:
            continue
        for task in tasks:
            try:
                children = [int(child) for child in (task / "children").read_text().split()]
            except OSError:
                continue
            waiting += children
            found.update((child, _began(child)) for child in children)
    return found


def end_descendants(pid: int, spare: Collection[Process] = ()) -> None:
    """Kill the descendants of a process but those in `spare`, until no new one is found."""
    known = set(spare)
    while new := descendants(pid) - known:
        known |= new
        end(new)


def end(processes: Collection[Process]) -> None:
    for pid, began in processes:
        try:
            if began and _began(pid) == began:
                os.kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def _began(pid: int) -> str:
    """When a process was started, in ticks since the machine was; empty where it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
