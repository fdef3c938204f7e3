"""Starts a task of inside/ under the user's interpreter and reads its events. Knows nothing of MindSpore.

Where several tasks share an import of MindSpore (warm.py), the child is a fork. Else it stays in the process group of the caller, so that
whoever ends the group ends it too. It also ends when its stdin closes. What it has started ends with it, even in a session of its own.
What the user's code prints is kept aside and never reaches the screen.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

from ..case import Case
from ..errors import UserError
from ..probe import Skip
from .inside.processes import Process, adopt_orphans, descendants, end_descendants
from .warm import PROGRAM, ForkedTask, fork, task_environment

#: A line of the event channel is at most this long; two epochs of 100,000 ids fit.
LINE_LIMIT = 16 << 20
#: Seconds that a task has beyond its own and half of them, before its child is killed.
GRACE = 10.0
#: Seconds that a child has to end by itself, with what it has started, once it has told all.
TO_END = 1.0
#: Bytes of the child's talk that are kept for an error.
LOG_TAIL = 4000


def interpreter(case: Case) -> str:
    """The Python of the training environment, or accucheck's own. Raises UserError when it is not there."""
    named: str | None = case.get("runtime.python")
    if named is None:
        return sys.executable
    if os.sep not in named:
        import shutil

        found = shutil.which(named)
        if found is None:
            raise UserError("not-found", path=named)
        return found
    path = case.path(named)
    if path.is_dir():
        raise UserError("is-directory", path=str(path))
    if not path.exists():
        raise UserError("not-found", path=str(path))
    return str(path)


def events(case: Case, task: str, request: dict[str, Any], seconds: float) -> Iterator[dict[str, Any]]:
    """Run `task` (a module of inside/) in the project's folder and yield its events until it ends.

    `seconds` count from the event "built" on: what comes before is the user's own loading. When they are over by half and GRACE,
    the child is killed and the last event is {"event": "timeout"}. Raises Skip without MindSpore, UserError for what the user's
    code did wrong or when the child dies.
    """
    python = interpreter(case)
    token = secrets.token_hex(8)
    with tempfile.TemporaryFile() as log:
        try:
            child = fork(python, log) or _Started(python, case.root, log)
        except OSError as error:
            raise UserError("io", path=python, problem=error.strerror or str(error)) from None
        begin = child.begin(case.root) if isinstance(child, ForkedTask) else {}
        named = [path for role in ("train", "eval", "infer") for path in case.paths(f"scripts.{role}")]
        scripts = [os.path.realpath(path) for path in named]
        try:
            yield from _events(
                child,
                {**request, **begin, "task": task, "root": case.root, "token": token, "scripts": scripts},
                token,
                seconds,
                python,
                log,
            )
        finally:
            child.end()
            for pipe in (child.stdin, child.stdout):
                with suppress(BrokenPipeError):
                    pipe.close()


class _Started:
    """A process started for one task."""

    def __init__(self, python: str, folder: str, log: IO[bytes]) -> None:
        """Raises OSError where it cannot be started."""
        adopt_orphans()
        others = descendants(os.getpid())
        self._process = subprocess.Popen(
            [python, "-X", "faulthandler", str(PROGRAM)],
            cwd=folder,
            env=task_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self.stdin, self.stdout = self._process.stdin, self._process.stdout
        self._ending = threading.Thread(target=self._end_what_it_left, args=(others,), daemon=True)
        self._ending.start()

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, negative for a signal. Raises subprocess.TimeoutExpired."""
        return self._process.wait(timeout)

    def end(self) -> None:
        """Kill it if it still runs, with all that it has started."""
        self._process.kill()
        self._ending.join()
        self._process.wait()

    def _end_what_it_left(self, others: set[Process]) -> None:
        """When the child ends, end the processes that it leaves: they may hold its pipes, whose end would then never come."""
        with suppress(ChildProcessError):  # it was waited for meanwhile
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        end_descendants(os.getpid(), others)


def _events(
    child: _Started | ForkedTask, request: dict[str, Any], token: str, seconds: float, python: str, log: IO[bytes]
) -> Iterator[dict[str, Any]]:
    lines: queue.Queue[bytes] = queue.Queue(maxsize=100)
    threading.Thread(target=_read, args=(child.stdout, lines), daemon=True).start()
    try:
        child.stdin.write(json.dumps(request).encode() + b"\n")
        child.stdin.flush()
    except BrokenPipeError:
        pass  # it died at once: told below
    call, version, deadline, mark = "", "", None, token.encode()
    while True:
        try:
            line = lines.get(timeout=None if deadline is None else max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            yield {"event": "timeout"}
            return
        if not line:
            break
        if not line.startswith(mark):
            continue  # something spoke before the child took stdout away
        event: dict[str, Any] = json.loads(line[len(mark) :])
        kind, call = event["event"], event.get("call", call)
        if kind == "calling":
            continue
        if kind == "runtime":
            version = event["mindspore"]
        if kind == "no-mindspore":
            raise Skip("no-mindspore", python=python)
        if kind == "no-import":
            raise UserError("live-no-import", python=python, error=event["error"])
        if kind in ("raised", "failed"):
            raise UserError("live-raised", call=call, error=event["error"], lines="\n".join(event["lines"]))
        if kind == "own-failure":
            raise UserError(
                "live-own", task=request["task"], place=event["place"], version=version, error=event["error"]
            )
        if kind in ("columns", "no-column"):
            raise UserError(f"live-{kind}", **{key: value for key, value in event.items() if key != "event"})
        if kind == "no-tensor":
            raise UserError("live-no-tensor", call=event["call"], found=event["found"])
        if kind == "died":  # a process that the child itself had started
            raise UserError("live-crashed", call=call, status=event["status"], log=tail(log))
        if kind == "no-dataset":
            code = "live-several" if event["count"] > 1 else "live-no-dataset"
            raise UserError(code, call=call, found=event["found"], count=event["count"])
        if kind in ("no-network", "no-loss", "no-optimizer", "no-rate", "no-batch"):
            raise UserError(f"live-{kind}", call=call, found=event.get("found"))
        if kind == "built":
            deadline = time.monotonic() + 1.5 * seconds + GRACE
        yield event
        if kind == "end":
            with suppress(subprocess.TimeoutExpired):
                child.wait(TO_END)
            return
    raise UserError("live-crashed", call=call, status=child.wait(), log=tail(log))


def _read(pipe: IO[bytes], lines: queue.Queue[bytes]) -> None:
    try:
        while line := pipe.readline(LINE_LIMIT):
            lines.put(line)
    except (OSError, ValueError):
        pass  # closed under us: the caller has ended
    lines.put(b"")


def tail(log: IO[bytes]) -> str:
    """The end of what the child said."""
    size = log.seek(0, os.SEEK_END)
    log.seek(max(0, size - LOG_TAIL))
    return log.read(LOG_TAIL).decode("utf-8", "replace").strip()
