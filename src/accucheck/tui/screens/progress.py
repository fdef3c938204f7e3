"""What the screens have in common that show how far something in the background is: a head, and lines that are drawn anew."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.events import Resize
from textual.widgets import Static

from ..verbs import VerbScreen
from ..widgets.keybar import KeyBar

#: Seconds between two looks at how far it is.
LOOK_EVERY = 0.5


class ProgressScreen(VerbScreen[None]):
    """`_look` draws where there is something new, `_draw` draws anew. The style names no class: it is that of each screen made of this."""

    CSS: ClassVar[str] = """
    #head { dock: top; height: 1; padding: 0 1; background: $primary-background; text-wrap: nowrap; text-overflow: ellipsis; }
    VerticalScroll { height: 1fr; padding: 0 1; }
    #seen { height: auto; }
    """

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield VerticalScroll(Static(id="seen", markup=False))
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self._look()
        self.set_interval(LOOK_EVERY, self._look)

    async def rebuild(self) -> None:
        """Everything again, in another language."""
        self._draw()
        await super().rebuild()

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self._draw)

    def action_back(self) -> None:
        self.dismiss(None)

    def _look(self) -> None:
        raise NotImplementedError

    def _draw(self) -> None:
        raise NotImplementedError


class JobScreen(ProgressScreen):
    """Of what a person stops and starts again. `JOB` begins the names of its verbs and texts: "try" those of try-stop and try-none."""

    JOB: ClassVar[str]

    def on_mount(self) -> None:
        super().on_mount()
        self._draw()  # what was found before, too

    @property
    def is_on(self) -> bool:
        """Whether it runs."""
        raise NotImplementedError

    def why_not(self, verb: str) -> str | None:
        if verb == f"{self.JOB}-stop" and not self.is_on:
            return self.speech.say(f"{self.JOB}-none")
        if verb == f"{self.JOB}-again" and self.is_on:
            return self.speech.say(f"{self.JOB}-on")
        return super().why_not(verb)

    def show_ended(self) -> None:
        """It has ended."""
        self._draw()

    def _look(self) -> None:
        if self.is_on:
            self._draw()
