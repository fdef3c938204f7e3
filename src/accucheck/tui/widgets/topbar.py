"""The top line: what is examined, how far the person is, and whether everything is saved."""

from __future__ import annotations

from typing import NamedTuple

from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from ..signs import Speech, plain


class Run(NamedTuple):
    """How far a run is: probes that are done, of how many (0 where that is not known yet), for how many seconds, and how many are left
    where that is known."""

    done: int
    total: int
    seconds: float
    left: float | None


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class TopBar(Static):
    DEFAULT_CSS = """
    TopBar { dock: top; height: 1; background: $primary-background; color: $foreground; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._left: list[str] = []
        self._between = " · "
        self._right = Content("")
        self._only_ascii = False

    def show(
        self, speech: Speech, facts: list[str], *, done: int, total: int, problems: int, saved: str, running: Run | None
    ) -> None:
        """facts: from the most to the least important; those that do not fit are left out. A run has the place of how far the person
        is."""
        self._left, self._only_ascii = facts, speech.only_ascii
        self._between = " | " if speech.only_ascii else " · "
        colour = {"saved": "$text-success", "saving": "$text-muted"}.get(saved, "$text-error")
        dot = "*" if speech.only_ascii else "●"
        parts: list[Content | str | tuple[str, str]] = []
        if running is not None:
            counted = f"{running.done}/{running.total} " if running.total else ""
            share = running.done / running.total if running.total else 0
            parts += [(f"{speech.shape('running')} {counted}", "$text-accent")]
            parts += [(speech.bar(share, 10), "$text-accent"), f" {clock(running.seconds)}"]
            parts += [f" {speech.say('run-left', time=clock(running.left))}"] if running.left is not None else []
            parts += ["  "]
        else:
            parts += [f"{done}/{total} ", (speech.bar(done / total if total else 0, 10), "$text-success"), "  "]
        parts += [f"{problems} ", speech.sign("problem"), "  ", (f"{dot} {speech.say(saved)}", colour), " "]
        self._right = Content.assemble(*parts)
        self._draw()

    def on_resize(self, _: Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        width = self.size.width or 80
        room = width - self._right.cell_length - 1
        left = Content.styled(" accucheck ", "bold")
        for index, fact in enumerate(self._left):
            part = plain(("  " if index == 0 else self._between) + fact)
            if left.cell_length + part.cell_length > room:
                if index == 0:
                    left = left + part.truncate(max(0, room - left.cell_length), ellipsis=not self._only_ascii)
                break
            left = left + part
        self.update(
            left + Content(" " * max(1, width - left.cell_length - self._right.cell_length)) + self._right, layout=False
        )
