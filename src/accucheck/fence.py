"""Starts a command that must not write into a project: `python -I fence.py PROJECT SCRATCH BYTES COMMAND...`.

The kernel (Landlock, Linux 5.13) refuses the command and all that it starts to write, make, rename or remove anything below PROJECT, but
below SCRATCH, whichever way it goes there. A file may grow to BYTES. Where the kernel lacks that, live/inside/guard.py is what is left.
Imports the standard library alone: it becomes the command.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress

#: System calls, alike on all machines: landlock_create_ruleset, landlock_add_rule, landlock_restrict_self.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES, _DEATH_SIGNAL, _VERSION, _PATH_BENEATH = 38, 1, 1, 1
#: Rights by linux/landlock.h: to write a file; to remove and make what a folder holds; since version 2 to move it, since 3 to cut a file.
_WRITE, _CHANGE, _MOVE, _CUT = 1 << 1, sum(1 << bit for bit in (4, 5, 6, 7, 8, 9, 10, 11, 12)), 1 << 13, 1 << 14
#: Entries beside the way to the project that may be written.
_MOST = 65_536


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled", ctypes.c_uint64),)


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def keep_out(project: str, scratch: str) -> bool:
    """Refuse this process, for ever, to change anything below the project; whether the kernel does that."""
    call = ctypes.CDLL(None, use_errno=True).syscall
    version = call(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    if version < 1:
        return False
    of_files = _WRITE | (_CUT if version >= 3 else 0)
    rights = of_files | _CHANGE | (_MOVE if version >= 2 else 0)
    rules = call(_CREATE, ctypes.byref(_Ruleset(rights)), ctypes.c_size_t(ctypes.sizeof(_Ruleset)), ctypes.c_uint32(0))
    if rules < 0:
        return False
    for path in (scratch, *beside(project)):
        with suppress(OSError):
            at = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
            allowed = rights if stat.S_ISDIR(os.fstat(at).st_mode) else of_files
            call(_ADD, rules, _PATH_BENEATH, ctypes.byref(_Beneath(allowed, at)), ctypes.c_uint32(0))
            os.close(at)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    return bool(prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 and call(_RESTRICT, rules, ctypes.c_uint32(0)) == 0)


def beside(project: str) -> Iterator[str]:
    """All that lies beside the way from the root to the project: together everything but the project, and the folders on the way."""
    way, count = os.path.realpath(project), 0
    while way != os.path.dirname(way):
        above, name = os.path.split(way)
        with suppress(OSError), os.scandir(above) as entries:
            for entry in entries:
                count += 1
                if entry.name != name and not entry.is_symlink() and count <= _MOST:
                    yield entry.path
        way = above


def main() -> None:
    project, scratch, size, *command = sys.argv[1:]
    keep_out(project, scratch)
    ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)  # nobody would stop it any more
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    try:
        os.execvp(command[0], command)  # noqa: S606 (the command that the person agreed to)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        sys.exit(127)


if __name__ == "__main__":
    main()
