"""Reading the screen in tests, and waiting for what it shows."""

import time
from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.widgets import OptionList


def text_of(app: App[None]) -> str:
    """What stands on the screen, as text."""
    return "\n".join("".join(segment.text for segment in line) for line in app.screen._compositor.render_strips())


def help_text(app: App[None]) -> str:
    """All that the open help says, in sight or not; lines broken for the width are whole."""
    options = app.screen.query_one(OptionList).options
    return "\n".join(" ".join(str(option.prompt).split()) for option in options)


async def until(pilot: Pilot[Any], holds: Callable[[], object]) -> None:
    """Wait for something that comes about while the app goes on: a minute at most, as the machine may be busy."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, f"it did not happen in time:\n{text_of(pilot.app)}"
        await pilot.pause(0.05)
