"""The child process of the engine: runs the probes of one request, and says what they find as JSON lines.

Nothing but the standard library is imported before fd 1 has been given away: a library's chatter must not reach the
event channel, nor the screen.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .engine import ChannelLine, Request

#: Seconds between two progress events of one probe; findings are never held back.
PROGRESS_EVERY = 0.1
#: Seconds that one without a parent has to be ended.
LEFT_ALONE = 60.0


def _guard() -> int:
    """Take the event channel from fd 1, let fd 1 follow fd 2 (the log), and be the first to go when memory runs out."""
    channel = os.dup(1)
    os.dup2(2, 1)
    _tell_kernel("oom_score_adj", "1000")
    return channel


def _give_way() -> None:
    from . import system

    system.give_way()
    # A session of its own is a group of its own for Linux's scheduler: there nice counts within the group alone (sched(7)).
    _tell_kernel("autogroup", "10")


def _tell_kernel(name: str, value: str) -> None:
    try:
        with open(f"/proc/self/{name}", "w") as stream:
            stream.write(value)
    except OSError:  # another system, or a kernel without it
        pass


def _die_with_parent(lifeline: int, folder: str | None) -> None:
    """End this process group and all that it started when the other end of `lifeline` closes, which it does even when the parent is
    killed; and remove the temporary `folder` that the parent made for it."""

    def watch() -> None:
        while os.read(lifeline, 4096):
            pass
        import shutil

        from . import system
        from .live.inside.processes import end_descendants

        end_descendants(os.getpid())
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        system.end_self()

    threading.Thread(target=watch, daemon=True).start()


class _Channel:
    """Writes Lines to the event channel, whole."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def send(self, line: ChannelLine) -> None:
        import msgspec

        try:
            text = msgspec.json.encode(line)
        except UnicodeEncodeError:  # a file name that is not UTF-8
            from .language import encodable

            text = msgspec.json.encode(encodable(msgspec.to_builtins(line)))
        data = memoryview(text + b"\n")
        try:
            while data:
                data = data[os.write(self.descriptor, data) :]
        except BrokenPipeError:
            time.sleep(LEFT_ALONE)  # the parent is gone: _die_with_parent() clears up and ends this
            raise


def _run(request: Request, index: int, channel: _Channel) -> None:
    """Run one job of the request and send its events and its end."""

    import msgspec

    from . import probe as probes
    from .engine import ChannelLine, JobEnd, localised, localised_reason, reason_of
    from .errors import UserError, needs_library
    from .model import Finding, Kind, Progress, Reason, Status, Verdict, suggest
    from .probes import _views

    job = request.jobs[index]
    begin = time.monotonic()
    findings: list[Finding] = []
    last_progress = 0.0

    def end(status: Status, verdict: Verdict, reason: Reason | None = None, log: str = "") -> None:
        told = localised_reason(request.case, reason) if reason is not None else None
        channel.send(ChannelLine(index, end=JobEnd(status, verdict, time.monotonic() - begin, told, log)))

    try:
        module = probes.load(job.probe)
        try:
            params = probes.params(module, job.params)
        except msgspec.ValidationError as error:
            end(Status.FAILED, Verdict.UNDECIDED, Reason("bad-params", {"error": str(error)}))
            return
        if module.KIND is Kind.FILE:
            from . import scan

            scan.use(request.scheduler)
        if module.KIND is Kind.LIVE:
            from .live import warm

            warm.inherit()
        for event in _views.run(module, request.case, params):
            if isinstance(event, Finding):
                findings.append(event)
                channel.send(ChannelLine(index, finding=localised(request.case, event)))
            elif isinstance(event, Progress) and time.monotonic() - last_progress >= PROGRESS_EVERY:
                last_progress = time.monotonic()
                channel.send(ChannelLine(index, progress=event))
        end(Status.DONE, getattr(module, "suggest", suggest)(findings))
    except probes.Skip as skip:
        end(Status.SKIPPED, Verdict.UNDECIDED, skip.reason)
    except UserError as error:
        end(Status.FAILED, Verdict.UNDECIDED, reason_of(error))
    except ImportError as error:
        if told := needs_library(error):
            end(Status.SKIPPED, Verdict.UNDECIDED, reason_of(told))
        else:
            end(Status.FAILED, Verdict.UNDECIDED, reason_of(error), _end_of_trace())
    except BaseException as error:  # a probe may raise anything, even SystemExit from a library
        end(Status.FAILED, Verdict.UNDECIDED, reason_of(error), _end_of_trace())


def _end_of_trace() -> str:
    import traceback

    return "\n".join(traceback.format_exc().strip().splitlines()[-20:])


def main() -> None:
    channel = _Channel(_guard())
    length = int.from_bytes(sys.stdin.buffer.read(8), "big")
    text = sys.stdin.buffer.read(length)
    lifeline = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    _die_with_parent(lifeline, sys.argv[1] if len(sys.argv) > 1 else None)

    import msgspec

    from .engine import Request

    request = msgspec.json.decode(text, type=Request)
    if request.modest:
        _give_way()
    for index in range(len(request.jobs)):
        _run(request, index, channel)
    sys.stderr.flush()
    os._exit(0)  # a library's exit handlers or threads must not turn an answer into a crash


if __name__ == "__main__":
    main()
