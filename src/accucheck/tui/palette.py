"""The command palette: the verbs of the screen with their keys, those that can do nothing now with the reason; then what works anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.errors import NoWidget
from textual.events import Click

from ..checklist import load, shipped
from .early_keys import SteadyScreen
from .signs import plain
from .verbs import LANGUAGE, PALETTE, QUIT, RECENT, THEME, VerbScreen

if TYPE_CHECKING:
    from .app import Walkthrough


class Command(NamedTuple):
    """words, keys as shown, the action of the app, and why it can do nothing now."""

    words: str
    keys: str
    action: str
    why_not: str | None = None


def commands(app: Walkthrough, screen: object) -> Iterator[Command]:
    """What can be done on a screen, in the order of its table."""
    say = app.speech.say
    anywhere = [RECENT, LANGUAGE, THEME, QUIT]
    apart = {verb.id for verb in (*anywhere, PALETTE)}  # a screen may have one of them under keys of its own
    if isinstance(screen, VerbScreen):
        for verb in screen.verbs:
            if verb.id not in apart:
                keys = " ".join(screen.key_names(verb))
                yield Command(say(verb.words), keys, f"screen.do('{verb.id}')", screen.why_not(verb.id))
    if screen is app.checklist:
        yield from _checklists(app)
    for verb in anywhere:
        yield Command(say(verb.words), "", verb.action)


def _checklists(app: Walkthrough) -> Iterator[Command]:
    """One command for each shipped checklist: show its items too, or no longer."""
    opened = [checklist.name for checklist in app.project.checklists]
    for name in shipped():
        if opened != [name]:
            words = "command-hide-checklist" if name in opened else "command-show-checklist"
            text = app.speech.say(words, title=load(name).title[app.speech.language])
            yield Command(text, "", f"app.toggle_checklist('{name}')")


class Palette(SteadyScreen, CommandPalette):
    """Textual's, which would fail when two keys in quick succession leave it, and on a click where the terminal has just ended."""

    def on_click(self, event: Click) -> None:
        try:
            self.get_widget_at(event.screen_x, event.screen_y)
        except NoWidget:
            event.prevent_default()


class Verbs(Provider):
    """What the palette asks."""

    def _commands(self) -> Iterator[Command]:
        return commands(cast("Walkthrough", self.app), self.screen)

    async def discover(self) -> Hits:
        for command in self._commands():
            yield DiscoveryHit(_line(command), self._act(command), command.words)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        found = False
        for command in self._commands():
            score, places = matcher.fuzzy_search.match(query, command.words)
            if score:
                found = True
                yield Hit(score, _line(command, places), self._act(command), command.words)

        if not found:
            words = cast("Walkthrough", self.app).speech.say("filter-none")
            yield Hit(1, Content.styled(words, "$text-muted"), lambda: None, words)

    def _act(self, command: Command) -> Callable[[], None]:
        app = cast("Walkthrough", self.app)
        return lambda: app.do(command.action, self.screen)


def _line(command: Command, marked: Sequence[int] = ()) -> Content:
    words = plain(command.words, "dim" if command.why_not else "")
    for place in marked:
        words = words.stylize("underline", place, place + 1)
    line = Content.assemble(words, "  ", (command.keys, "$text-muted"))
    return Content.assemble(line, "\n  ", plain(command.why_not, "$text-muted")) if command.why_not else line
