"""A list that words filter: `/` opens a field above it, Enter goes back to the list, Esc shows everything again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from textual.binding import Binding
from textual.content import Content
from textual.events import Click
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

if TYPE_CHECKING:
    from ..app import Walkthrough


class Filter(Input):
    """The field above a list."""

    DEFAULT_CSS = """
    Filter { height: 1; border: none; padding: 0 1; background: $boost; }
    Filter:focus { border: none; }
    """
    BINDINGS = [
        Binding("escape", "clear", show=False),
        Binding("enter,down", "leave", show=False),
    ]

    def __init__(self, of: FilteredList, placeholder: str) -> None:
        super().__init__(of.words, placeholder=placeholder, classes="filter")
        self._of = of

    def on_mount(self) -> None:
        self.watch(self, "value", self._of.narrow, init=False)  # in the frame that shows the letter

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()

    def action_leave(self) -> None:
        self._of.focus()

    def action_clear(self) -> None:
        self._of.action_clear_filter()


class FilteredList(OptionList):
    """An OptionList of options with texts. Disabled options are headings: one is shown with an option below it that fits."""

    BINDINGS = [
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
        Binding("escape", "clear_filter", show=False),
    ]
    #: What the empty field says, as a key of WORDS.
    PLACEHOLDER = "filter-lines"

    app: Walkthrough

    def __init__(self, *content: Option, **settings: Any) -> None:
        self._all: list[Option] = []
        self._field: Filter | None = None
        self.words = ""
        super().__init__(*content, **settings)

    def on_click(self, event: Click) -> None:
        """A click only looks at a line: Enter and a second click do what it stands for."""
        event.prevent_default()
        place = event.style.meta.get("option")
        if (
            place is not None and place < len(self.options) and not self.options[place].disabled
        ):  # the list may be a shorter one by now
            self.highlighted = place
            if event.chain > 1:
                self.action_select()

    def searched(self, option: Option) -> str:
        """The text that words are looked for in."""
        return str(option.prompt)

    def _clear(self) -> None:
        super().clear_options()

    def _put(self, options: list[Option]) -> None:
        """Show further options, which the words do not leave out."""
        super().add_options(options)

    def clear_options(self) -> FilteredList:
        self._all = []
        self._clear()
        return self

    def add_options(self, new_options: Iterable[Any]) -> FilteredList:
        new = list(new_options)
        self._all += new
        if self.words:
            self._fill()
        else:
            self._put(new)
        return self

    def narrow(self, words: str) -> None:
        """Show the options that have all these words; none shows all."""
        if words == self.words:
            return
        self.words = words
        self._fill()

    def _fill(self) -> None:
        before = self.highlighted_option
        self._clear()
        options = self._fitting()
        if self.words and not options:
            options = [Option(Content.styled(self.app.speech.say("filter-none"), "$text-muted"), disabled=True)]
        self._put(options)
        kept = next((place for place, option in enumerate(options) if option is before), None)
        self.highlighted = kept
        if kept is None:
            self.go(None)

    def _fitting(self) -> list[Option]:
        wanted = self.words.casefold().split()
        if not wanted:
            return self._all
        fitting: list[Option] = []
        heading: Option | None = None
        for option in self._all:
            if option.disabled:
                heading = option
                continue
            text = self.searched(option).casefold()
            if all(word in text for word in wanted):
                fitting += [option] if heading is None else [heading, option]
                heading = None
        return fitting

    @property
    def current(self) -> str | None:
        """The id of the option highlighted."""
        option = self.highlighted_option
        return option.id if option is not None else None

    def go(self, option: str | None) -> None:
        """Highlight the option of this id, or the first one that is no heading."""
        found = [place for place, each in enumerate(self.options) if option is not None and each.id == option]
        first = (place for place, each in enumerate(self.options) if not each.disabled)
        self.highlighted = found[0] if found else next(first, None)

    async def ask(self) -> None:
        """Open the field, or go back to it."""
        if self._field is None:
            self._field = Filter(self, self.app.speech.say(self.PLACEHOLDER))
            assert self.parent is not None
            await self.screen.mount(self._field, before=self)
        self._field.focus()

    def say_again(self) -> None:
        """The field in another language."""
        if self._field is not None:
            self._field.placeholder = self.app.speech.say(self.PLACEHOLDER)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._field is not None if action == "clear_filter" else super().check_action(action, parameters)

    def action_clear_filter(self) -> None:
        self.unfilter()
        self.focus()

    def unfilter(self) -> None:
        """Show everything again, wherever the focus is."""
        if self._field is not None:
            self._field.remove()
            self._field = None
        self.narrow("")

    def replace_option_prompt(self, option_id: str, prompt: Any) -> FilteredList:
        """The same for an option that the words leave out."""
        if any(option.id == option_id for option in self.options):
            super().replace_option_prompt(option_id, prompt)
        else:
            for option in self._all:
                if option.id == option_id:
                    option._set_prompt(prompt)
        return self
