"""The child process of hashing.py: takes names of files, gives back their MD5s. It ends when its parent does.

Run as a script, with nothing but the standard library, so that it starts in 10 ms. Processes, not threads: on files of
100 KB two hashlib threads spend half their time handing the interpreter lock to each other.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import struct
import sys
import time

TYPE_CHECKING = False  # as in typing, whose import would double the start-up
if TYPE_CHECKING:
    from collections.abc import Callable

#: A request: its length in bytes, then names joined by NUL.
LENGTH = struct.Struct("<I")
#: An answer: status, MD5, size in bytes, mtime and ctime in ns. A status above 0 is an errno.
ANSWER = struct.Struct("<i4x16sqqq")
OK, FRESH, NOT_REGULAR, CHANGED, UNDER_WAY = 0, -1, -2, -3, -4

_FLAGS = os.O_RDONLY
for _name in ("O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"):  # which another system may lack
    _FLAGS |= getattr(os, _name, 0)
_BUFFER = 1 << 18  # stays in a core's own cache between read and hash
_TELL_EVERY = 1 << 25
#: A file is FRESH, and may be written again without a new ctime, when it was written this short a time before: the clock
#: of a local file system ticks every 10 ms at worst, one that stores whole seconds (Lustre, FAT) every 2 s.
_TICK, _COARSE_TICK = 10_000_000, 2_000_000_000


def answer(name: bytes | str, view: memoryview, tell: Callable[[bytes], object]) -> bytes:
    """The ANSWER for one file, with its size and times after it was read: when they are what they were before, the
    content was stable. Never blocks on a pipe or device; `tell` gets an UNDER_WAY answer now and then.
    """
    try:
        descriptor = os.open(name, _FLAGS)
    except OSError as error:
        return ANSWER.pack(error.errno or errno.EIO, b"", 0, 0, 0)
    try:
        now, done, told, info = time.time_ns(), 0, 0, None
        digest, buffers = hashlib.md5(usedforsecurity=False), [view]
        while count := os.readv(descriptor, buffers):
            digest.update(view[:count])
            done += count
            if count < _BUFFER:  # the end, almost always
                info = os.fstat(descriptor)
                if done >= info.st_size:
                    break
            if done - told >= _TELL_EVERY:
                told = done
                tell(ANSWER.pack(UNDER_WAY, b"", done, 0, 0))
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    break
        info = info or os.fstat(descriptor)
    except OSError as error:
        return ANSWER.pack(error.errno or errno.EIO, b"", 0, 0, 0)
    finally:
        os.close(descriptor)
    if not stat.S_ISREG(info.st_mode):
        return ANSWER.pack(NOT_REGULAR, b"", 0, 0, 0)
    ctime = info.st_ctime_ns
    if info.st_size != done:
        return ANSWER.pack(CHANGED, b"", done, 0, 0)
    return ANSWER.pack(FRESH if is_fresh(now, ctime) else OK, digest.digest(), done, info.st_mtime_ns, ctime)


def is_fresh(now: int, ctime: int) -> bool:
    """Whether what was written at `ctime` may be written again later than `now` (both in ns) without a new ctime."""
    return abs(now - ctime) < (_TICK if ctime % 1_000_000_000 else _COARSE_TICK)


def record(name: bytes, found: bytes) -> bytes:
    """The line of the journal for an answer that is OK, else nothing. It holds the name's length and ends with the MD5, so
    that a line cut off anywhere is seen to be; a NUL ends it, which no name holds.
    """
    status, md5, size, mtime, ctime = ANSWER.unpack(found)
    if status != OK:
        return b""
    return b"%d %d %d %d %s %s\0" % (size, mtime, ctime, len(name), name, md5.hex().encode())


def _exactly(length: int) -> bytes:
    """That many bytes of stdin, or fewer at its end."""
    data = os.read(0, length)
    while 0 < len(data) < length and (more := os.read(0, length - len(data))):
        data += more
    return data


def main() -> None:
    view = memoryview(bytearray(_BUFFER))
    journal = -1
    if len(sys.argv) > 1:
        try:
            journal = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            pass  # an aid only

    def one(name: bytes) -> bytes:
        found = answer(name, view, tell)
        if journal >= 0 and (line := record(name, found)):
            try:
                os.write(journal, line)  # at once: what is killed after this file is not hashed again
            except OSError:
                pass
        return found

    def tell(data: bytes) -> None:
        while data:
            data = data[os.write(1, data) :]

    try:
        while len(head := _exactly(LENGTH.size)) == LENGTH.size:
            names = _exactly(LENGTH.unpack(head)[0]).split(b"\0")
            tell(b"".join([one(name) for name in names]))
    except (BrokenPipeError, KeyboardInterrupt):
        pass  # the parent is gone, or going
    os._exit(0)


if __name__ == "__main__":
    if sys.flags.isolated:
        main()
