"""Small questions on top of a screen. Esc always backs out of them."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from ..signs import plain

_CSS = """
{name} {{ align: center middle; }}
{name} > Vertical {{ width: 76; max-width: 96%; height: auto; max-height: 90%; border: round $primary;
    background: $surface; padding: 0 1; }}
{name} .title {{ text-style: bold; width: 1fr; }}
{name} VerticalScroll {{ height: auto; max-height: 14; }}
{name} OptionList {{ height: auto; max-height: 8; border: none; margin-top: 1; }}
{name} TextArea {{ height: 5; border: tall $border; }}
"""


class Choose(ModalScreen[str | None]):
    """A question with named answers; the result is the id of the answer, or None."""

    CSS = _CSS.format(name="Choose")
    BINDINGS = [Binding("escape", "dismiss(None)", show=False)]

    def __init__(self, title: str, text: str | Content, answers: list[tuple[str, str]]) -> None:
        super().__init__()
        self._title, self._text, self._answers = title, text, answers

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(plain(self._title), classes="title", markup=False)
            with VerticalScroll():
                yield Static(plain(self._text) if isinstance(self._text, str) else self._text, markup=False)
            yield OptionList(*[Option(Content(words), id=key) for key, words in self._answers], markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).can_focus = False
        self.query_one(OptionList).focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id)


class _NoteArea(TextArea):
    """Enter ends; Ctrl+J makes a new line."""

    async def _on_key(self, event: Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            screen = self.screen
            if isinstance(screen, WriteNote):
                screen.action_done()
            return
        if event.key == "ctrl+j":
            event.stop()
            event.prevent_default()
            self.insert("\n")
            return
        await super()._on_key(event)


class WriteNote(ModalScreen[str]):
    """A note of one or more lines. Whatever was typed is the result: Esc keeps it too."""

    CSS = _CSS.format(name="WriteNote")
    BINDINGS = [Binding("escape", "done", show=False, priority=True)]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(plain(self._title), classes="title", markup=False)
            yield _NoteArea(self._text, soft_wrap=True, tab_behavior="focus")

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.focus()
        area.move_cursor(area.document.end)

    def action_done(self) -> None:
        self.dismiss(self.query_one(TextArea).text.strip())


class Ask(ModalScreen[str | None]):
    """One line of text, or None."""

    CSS = _CSS.format(name="Ask")
    BINDINGS = [Binding("escape", "dismiss(None)", show=False)]

    def __init__(self, title: str, text: str = "") -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(plain(self._title), classes="title", markup=False)
            yield Input(self._text)

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip() or None)
