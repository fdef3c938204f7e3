"""Choosing a theme: the list changes the screen behind it; Enter keeps the theme, Esc goes back to the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ..early_keys import SteadyScreen
from ..themes import OWN
from ..widgets.filtered import FilteredList

if TYPE_CHECKING:
    from ..app import Walkthrough


class ThemeScreen(SteadyScreen, ModalScreen[bool]):
    """The result is whether the theme is to be kept."""

    CSS = """
    ThemeScreen { align: right middle; background: transparent; }
    ThemeScreen > Vertical { width: 34; max-width: 96%; height: 80%; border: round $primary; background: $surface; padding: 0 1; }
    ThemeScreen .title { text-style: bold; }
    ThemeScreen OptionList { height: 1fr; border: none; margin-top: 1; }
    """
    BINDINGS = [
        Binding("escape", "dismiss(False)", show=False),
        Binding("slash", "filter", show=False),
        Binding("L", "app.switch_language", show=False),
    ]

    app: Walkthrough

    def compose(self) -> ComposeResult:
        say = self.app.speech.say
        own = [theme.name for theme in OWN]
        ansi = [name for name in self.app.available_themes if name.startswith("ansi-")]
        others = sorted(name for name in self.app.available_themes if name not in (*own, *ansi))
        with Vertical():
            yield Static(say("theme-title"), classes="title", markup=False)
            options = [
                Option(Content(f"{name}  {self._what(name)}".rstrip()), id=name) for name in [*own, *ansi, *others]
            ]
            yield FilteredList(*options, markup=False)

    def _what(self, name: str) -> str:
        """What is said of our own themes and of those that use the colours of the terminal."""
        own = [theme.name for theme in OWN]
        words = "theme-own" if name in own else "theme-ansi" if name.startswith("ansi-") else ""
        return self.app.speech.say(words) if words else ""

    async def rebuild(self) -> None:
        await self.recompose()
        self.on_mount()

    def on_mount(self) -> None:
        options = self.query_one(OptionList)
        options.highlighted = options.get_option_index(self.app.theme)
        options.focus()

    async def action_filter(self) -> None:
        await self.query_one(FilteredList).ask()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option.id:
            self.app.theme = event.option.id

    def on_option_list_option_selected(self, _: OptionList.OptionSelected) -> None:
        self.dismiss(True)
