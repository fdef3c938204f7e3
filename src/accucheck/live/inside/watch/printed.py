"""What the script prints and logs after an evaluation: lines with a number, until the training goes on. They pass through unchanged."""

from __future__ import annotations

import logging
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from .hooks import Hooks

#: Characters of a line, lines that are kept between two evaluations (the last ones), and of a run.
LETTERS, LINES, MOST = 400, 64, 8192


class Printed:
    """`where` gives the number of the evaluation that a line comes after, and how many of its passes; None where there was none since
    the training went on."""

    def __init__(self, hooks: Hooks, where: Callable[[], tuple[int, int] | None]) -> None:
        self.hooks, self.where = hooks, where
        self.lines: deque[list[Any]] = deque(maxlen=LINES)
        self.told = 0
        #: What was written of a line so far, by stream; whether a logger writes it.
        self.begun: dict[int, str] = {}
        self.logging = False
        self.thread = threading.get_ident()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and hasattr(stream, "__dict__"):
                self.listen(stream)
        hooks.around(logging.Logger, "callHandlers", self.logs, self.logged, steps=True)

    def listen(self, stream: Any) -> None:
        original, hooks, number = stream.write, self.hooks, id(stream)

        def write(text: Any, *further: Any) -> Any:
            if not (hooks.busy or self.logging) and threading.get_ident() == self.thread:
                hooks.safely("write", self.wrote, number, text)
            return original(text, *further)

        hooks.replace(stream, "write", original, write, steps=True)

    def logs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """callHandlers(logger, record): the message without what handlers put before it."""
        if threading.get_ident() == self.thread:
            self.says(args[1].getMessage())
            self.logging = True

    def logged(self, *_: Any) -> None:
        if threading.get_ident() == self.thread:
            self.logging = False

    def wrote(self, number: int, text: str) -> None:
        *whole, rest = (self.begun.get(number, "") + text).replace("\r", "\n").split("\n")
        self.begun[number] = rest[-LETTERS:]
        for line in whole:
            self.says(line)

    def says(self, line: str) -> None:
        if not any("0" <= letter <= "9" for letter in line[:LETTERS]):
            return
        where = self.where()
        if where is not None:
            self.lines.append([line.strip()[:LETTERS], self.hooks.place(), *where])

    def forget(self, passes: int) -> None:
        """Lines that came after more passes than these: what ran then was no evaluation."""
        self.lines = deque((line for line in self.lines if line[3] <= passes), maxlen=LINES)

    def over(self, step: int) -> None:
        """Tell the lines so far: a further evaluation begins, the training goes on, or all is over."""
        lines, self.lines = list(self.lines), deque(maxlen=LINES)
        if lines and self.told < MOST:
            self.told += len(lines)
            self.hooks.journal.fact("printed", step=step, lines=lines)
