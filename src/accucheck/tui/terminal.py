"""The terminal as it is met in the field: lines that drop, other encodings than UTF-8, jobs that are stopped and continued."""

from __future__ import annotations

import asyncio
import codecs
import os
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TextIO

from rich.cells import cell_len
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message

from .messages import TerminalGone

#: Name of the error handler of an encoding that lacks a character: as many question marks as the character has cells.
_CELLS = "accucheck-cells"
#: Columns and rows of the smallest screen that is laid out; of a terminal that is smaller, the upper left part shows.
SMALLEST = Size(20, 5)


def is_alone() -> bool:
    """Whether no shell could continue this program once it is stopped: it leads its session."""
    return os.getpgrp() == os.getsid(0)


class Terminal(LinuxDriver):
    """Textual's driver, but: the keyboard speaks the locale's encoding, and bytes that it lacks end nothing; what is written to
    a terminal that is gone is dropped; the end of input, SIGHUP and SIGTERM are told to the app as TerminalGone; SIGCONT
    without a stop before it starts nothing twice."""

    def __init__(self, app: Any, **settings: Any) -> None:
        super().__init__(app, **settings)
        assert sys.__stderr__ is not None
        self._file: Any = _Output(sys.__stderr__)
        self._encoding = getattr(sys.__stdin__, "encoding", None) or "utf-8"
        self._active = False
        loop = asyncio.get_running_loop()
        for number in (signal.SIGHUP, signal.SIGTERM):
            loop.add_signal_handler(number, self._hung_up, number)

    def _hung_up(self, number: int) -> None:
        self._app.post_message(TerminalGone(number))

    def start_application_mode(self) -> None:
        if self._active:
            self.suspend_application_mode()  # else a second thread would read keys, and raw mode count as how it was before
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._active = self._writer_thread is not None

    def stop_application_mode(self) -> None:
        if self._active:
            self._active = False
            super().stop_application_mode()

    def write(self, data: str) -> None:
        if self._writer_thread is not None and self._writer_thread.is_alive():
            super().write(data)

    # A signal may come while a lock of the terminal's queue is held, so that whoever writes within its handler waits for ever.

    def _sigtstp_application(self, *_: object) -> None:
        if is_alone():
            return
        if self._auto_restart:
            self._soon(super()._sigtstp_application)
        else:
            super()._sigtstp_application()  # an editor has the terminal: nothing is written

    def _sigcont_application(self, *_: object) -> None:
        self._soon(super()._sigcont_application)

    def _soon(self, act: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop is closed: the screen is gone, and its answers are being stored
            self._loop.call_soon_threadsafe(act)

    def _get_terminal_size(self) -> tuple[int, int]:
        return _at_least(Size(*super()._get_terminal_size()))

    def process_message(self, message: Message) -> None:
        if isinstance(message, Resize):
            message.size = _at_least(message.size)
        super().process_message(message)

    def run_input_thread(self) -> None:
        """Read keys until the app stops reading or the terminal is gone."""
        parser = XTermParser(self._debug)
        decode = codecs.getincrementaldecoder(self._encoding)("replace").decode
        while not self.exit_event.is_set():
            try:
                data = os.read(self.fileno, 4096) if select.select([self.fileno], [], [], 0.1)[0] else None
            except OSError:
                data = b""
            if data == b"":
                self._hung_up(signal.SIGHUP)
                return
            text = decode(data) if data else ""  # half a character is no text yet
            try:
                for event in parser.feed(text) if text else ():
                    self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)
            except Exception:  # a sequence that means nothing: what came with it is lost, and no more
                parser = XTermParser(self._debug)


def _at_least(size: Size) -> Size:
    return Size(max(size.width, SMALLEST.width), max(size.height, SMALLEST.height))


class _Output:
    """The terminal as a file. Once it is gone, nothing is written; what its encoding lacks is as wide as it should be."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._encoding = "" if "utf" in (file.encoding or "utf-8").lower() else file.encoding

    def write(self, text: str) -> int:
        if self._encoding:
            text = text.encode(self._encoding, _CELLS).decode(self._encoding)
        with suppress(OSError, ValueError):
            self._file.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._file.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _cells(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return "".join("?" * cell_len(character) for character in error.object[error.start : error.end]), error.end


codecs.register_error(_CELLS, _cells)
