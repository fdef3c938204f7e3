"""How far a run is, on stderr: one line that is kept up to date on a terminal, a line now and then elsewhere; and stopping it in order."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import click

from ..engine import Event, FindingEvent, Finished, Job, ProgressEvent
from ..language import visible, wrapped
from ..system import ending_signals
from .frame import amount, language, say, talk

if TYPE_CHECKING:
    from ..project import Project

#: Seconds between two looks of a terminal's line, and between two lines elsewhere.
_REDRAWN, _TOLD = 1.0, 60.0


class ProgressDisplay:
    """A context that says how far a run of `jobs` is."""

    def __init__(self, project: Project, jobs: Sequence[Job], *, live: bool, parallel: int) -> None:
        from ..estimating import TimeLeft, expected, slower, together

        self._terminal = sys.stderr.isatty()
        self._parallel = parallel
        likely = dict(zip(map(_named, jobs), expected(project, jobs, live=live), strict=True))
        self._whole = together([each for each in likely.values() if each is not None], parallel)
        self._left = TimeLeft(likely, slower())
        self._jobs, self._done = len(jobs), 0
        self._begun: dict[tuple[str, str], float] = {}  # when each job that runs began
        self._took: dict[tuple[str, str], float] = {}
        self._now = ""
        self._begin = time.monotonic()
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> ProgressDisplay:
        from ..estimating import FAST

        if self._terminal and (self._whole.high is None or self._whole.high > FAST):
            talk(say("run-estimate", estimate=self._whole.text(language())))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._erase()

    def heed(self, event: Event) -> None:
        """Take note of an event."""
        name, now = _named(event.job), time.monotonic()
        with self._lock:
            if isinstance(event, Finished):
                self._done += 1
                self._took[name] = now - self._begun.pop(name, now)
            elif not isinstance(event, FindingEvent):
                self._begun.setdefault(name, now)
                done = amount(event.progress) if isinstance(event, ProgressEvent) else ""
                self._now = f"{event.job.item} {event.job.probe} {done}".rstrip()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """While something else is printed, the line is not."""
        with self._lock:
            self._erase()
            yield

    def line(self) -> str:
        """What is done, what is going on, for how long, and how long the rest will take."""
        with self._lock:
            return say(
                "run-progress",
                done=self._done,
                total=self._jobs,
                now=self._now,
                clock=_clock(time.monotonic() - self._begin),
                rest=_clock(self._rest()),
            )

    def _rest(self) -> float:
        """The seconds that are left, by the pace of what has ended."""
        current, since = next(iter(self._begun.items()), (None, time.monotonic()))
        return self._left.seconds(self._took, current, time.monotonic() - since) / self._parallel

    def _tick(self) -> None:
        while not self._over.wait(_REDRAWN if self._terminal else _TOLD):
            with self._lock:
                if not self._terminal:
                    talk(self.line())
                elif not self._over.is_set():
                    click.echo(f"\r\x1b[2K{next(wrapped(visible(self.line()), 78))}", nl=False, err=True)

    def _erase(self) -> None:
        if self._terminal:
            click.echo("\r\x1b[2K", nl=False, err=True)


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _named(job: Job) -> tuple[str, str]:
    return job.item, job.probe


class StopSignal:
    """What stopped a run: `asked` is set by the first signal, whose number is kept."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.number: int | None = None

    def end(self) -> None:
        """Let the signal that came do now what it does elsewhere: end the command."""
        if self.number is not None:
            signal.raise_signal(self.number)


@contextmanager
def stoppable() -> Iterator[StopSignal]:
    """Let the first Ctrl-C, SIGTERM or SIGHUP, as when a connection drops, only ask the run within to stop, so that what it found is kept
    and told; the next ends it."""
    numbers = (signal.SIGINT, *ending_signals())
    stop, before = StopSignal(), {number: signal.getsignal(number) for number in numbers}

    def ask(number: int, _: FrameType | None) -> None:
        stop.number = number
        stop.asked.set()
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    for number, handler in before.items():
        if callable(handler):  # neither ignored nor left to the system
            signal.signal(number, ask)
    try:
        yield stop
    finally:
        restore()
