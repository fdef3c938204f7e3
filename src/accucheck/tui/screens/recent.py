"""The projects that were walked through last: to open one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static
from textual.widgets.option_list import Option

from ... import recent
from ...model import local_time
from ...recent import Recent
from ...settings import from_home
from ..signs import plain, wrap
from ..verbs import BACK, FILTER, HELP, LANGUAGE, PALETTE, QUIT, Verb, VerbScreen
from ..widgets.filtered import FilteredList
from ..widgets.keybar import KeyBar

#: Cells of a name at most; a longer one is cut.
_NAME = 28


class RecentScreen(VerbScreen[str | None]):
    """The result: the path of the project to open, or None to go on here."""

    CSS = """
    RecentScreen #text { padding: 0 1 1 1; height: auto; }
    RecentScreen OptionList { height: 1fr; border: none; background: $background; text-wrap: nowrap; text-overflow: ellipsis; }
    """
    VERBS: ClassVar[list[Verb]] = [
        Verb("open-recent", "enter", "open", "command-open-recent", "key-open-recent"),
        Verb("forget-recent", "delete", "forget", "command-forget-recent", "key-forget"),
        FILTER,
        replace(BACK, keys="escape,b"),
        HELP,
        LANGUAGE,
        QUIT,
        PALETTE,
    ]
    HERE = ("help-recent",)

    def __init__(self, entries: Sequence[Recent], here: str = "") -> None:
        """here: the folder that holds no project, where that is why these are shown."""
        super().__init__()
        self._here = here
        self._entries = {str(number): (entry, entry.there) for number, entry in enumerate(entries)}

    def compose(self) -> ComposeResult:
        yield Static(id="text", markup=False)
        yield FilteredList(markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self._fill()
        self.query_one(FilteredList).focus()

    async def rebuild(self) -> None:
        """Everything again, in another language."""
        self._fill()
        self.show_keys()

    def _fill(self) -> None:
        say = self.speech.say
        text = say("recent-none-here", path=self._here) if self._here else say("recent-text")
        text = wrap(text, (self.size.width or 80) - 2)
        self.query_one("#text", Static).update(Content.assemble((say("recent-title"), "bold"), "\n", plain(text)))
        listing = self.query_one(FilteredList)
        at = listing.highlighted or 0
        options = [Option(self._line(entry, there), id=number) for number, (entry, there) in self._entries.items()]
        listing.clear_options()
        listing.add_options(options)
        listing.highlighted = min(at, len(options) - 1) if options else None

    def on_resize(self, _: Resize) -> None:
        self._fill()

    def _line(self, entry: Recent, there: bool) -> Content:
        say = self.speech.say
        room = min(_NAME, max(plain(known.name).cell_length for known, _ in self._entries.values()))
        name = plain(entry.name).truncate(room, ellipsis=not self.speech.only_ascii)
        name = name + Content(" " * (room + 2 - name.cell_length))
        if not there:
            return Content.assemble(name, (say("recent-gone"), "$text-warning"), "  ", plain(entry.path)).stylize("dim")
        sign = self.speech.sign("problem") if entry.problems else Content("")
        found = Content.assemble(f"{entry.problems} ", sign) if entry.problems else Content("   ")
        when = plain(local_time(entry.when), "$text-muted")
        path = plain(from_home(entry.path), "$text-muted")
        return Content.assemble(name, f"{entry.done:>3}/{entry.total:<3} ", found, "  ", when, "  ", path)

    @property
    def _current(self) -> tuple[Recent, bool] | None:
        option = self.query_one(FilteredList).highlighted_option
        return self._entries[option.id] if option is not None and option.id else None

    def on_option_list_option_highlighted(self) -> None:
        self.show_keys()

    def on_option_list_option_selected(self) -> None:
        self.call_later(self.action_do, "open-recent")

    def why_not(self, verb: str) -> str | None:
        if verb not in ("open-recent", "forget-recent") or not self.is_mounted:
            return None
        if self._current is None:
            return self.speech.say("recent-none")
        if verb == "open-recent" and not self._current[1]:
            return self.speech.say("recent-gone-why", path=self._current[0].path)
        return None

    def action_open(self) -> None:
        if self._current is not None:
            self.dismiss(self._current[0].path)

    def action_forget(self) -> None:
        if self._current is not None:
            entry, _ = self._current
            recent.forget(entry.path)
            self._entries = {number: pair for number, pair in self._entries.items() if pair[0] is not entry}
            self._fill()
            self.show_keys()

    def action_back(self) -> None:
        self.dismiss(None)
