"""The page of a browser as a terminal: `accucheck serve` stands between."""

from __future__ import annotations

import os
import signal
from functools import partial
from typing import Any

from textual.drivers.web_driver import WebDriver

from .messages import TerminalGone


class Page(WebDriver):
    """Textual's driver, but a server that is gone is told to the app as TerminalGone, and what is written to it is dropped."""

    def __init__(self, app: Any, **settings: Any) -> None:
        super().__init__(app, **settings)
        self._write = partial(self._send)

    def _send(self, data: bytes) -> int:
        try:
            return os.write(self.fileno, data)
        except OSError:
            self._app.post_message(TerminalGone(signal.SIGHUP))
            return len(data)
