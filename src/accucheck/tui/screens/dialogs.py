"""Small questions on top of a screen. Esc always backs out of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from ..early_keys import SteadyScreen
from ..signs import plain, wrap

if TYPE_CHECKING:
    from ..app import Walkthrough

#: Cells of a dialog, and those of them that its frame and a scroll bar take.
_WIDTH, _FRAME = 76, 6

_CSS = """
{name} {{ align: center middle; }}
{name} > Vertical {{ width: 76; max-width: 96%; height: auto; max-height: 90%; border: round $primary;
    background: $surface; padding: 0 1; }}
{name} ToastRack {{ display: none; }}  /* it would cover the answers */
{name} .title {{ text-style: bold; width: 1fr; max-height: 3; }}
{name} VerticalScroll {{ height: auto; max-height: 35vh; }}
{name} OptionList {{ height: auto; max-height: 8; border: none; margin-top: 1; }}
{name} TextArea {{ height: 5; border: tall $border; }}
"""


#: Words, or what says them in the language of the moment.
Told = str | Callable[[], str]


def _said(words: Told) -> str:
    return words if isinstance(words, str) else words()


class _TitledDialog(SteadyScreen, ModalScreen[ScreenResultType]):
    """A dialog whose title is said again when the language changes; what was typed stays."""

    title_words: Told

    async def rebuild(self) -> None:
        self.query_one(".title", Static).update(plain(_said(self.title_words)))


class Choose(_TitledDialog[str | None]):
    """A question with named answers; the result is the id of the answer, or None."""

    CSS = _CSS.format(name="Choose")
    BINDINGS = [
        Binding("escape", "dismiss(None)", show=False),
        Binding("pagedown", "turn(1)", show=False, priority=True),
        Binding("pageup", "turn(-1)", show=False, priority=True),
    ]

    def __init__(self, title: Told, text: str | Content, answers: list[tuple[str, str]]) -> None:
        super().__init__()
        self.title_words, self.text, self._answers = title, text, answers

    def compose(self) -> ComposeResult:
        width = min(_WIDTH, self.app.size.width * 96 // 100) - _FRAME
        with Vertical():
            yield Static(plain(_said(self.title_words)), classes="title", markup=False)
            with VerticalScroll():
                text = plain(wrap(self.text, width)) if isinstance(self.text, str) else self.text
                yield Static(text, markup=False)
            yield OptionList(*[Option(Content(words), id=key) for key, words in self._answers], markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).can_focus = False
        self.query_one(OptionList).focus()

    def action_turn(self, by: int) -> None:
        """The next page of a long text, or the one before."""
        text = self.query_one(VerticalScroll)
        if by > 0:
            text.scroll_page_down(animate=False)
        else:
            text.scroll_page_up(animate=False)

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

    def _recompute_cursor_offset(self) -> None:
        """What is undone may take the scroll bar away while the cursor is still in a line that is gone."""
        with suppress(ValueError):
            super()._recompute_cursor_offset()  # type: ignore[no-untyped-call]


class WriteNote(_TitledDialog[str]):
    """A note of one or more lines. Whatever was typed is the result: Esc keeps it too.

    What is typed is also kept as the draft `key`, until the app has saved what became of it; a draft that was not ended the last
    time is what the note begins with.
    """

    CSS = _CSS.format(name="WriteNote")
    BINDINGS = [Binding("escape", "done", show=False, priority=True)]

    app: Walkthrough

    def __init__(self, title: Told, text: str, key: str) -> None:
        super().__init__()
        self.title_words, self._text, self._key = title, text, key
        self._ended = False

    @property
    def _begun(self) -> str:
        draft = self.app.drafts.get(self._key)
        return self._text if draft is None else draft

    def compose(self) -> ComposeResult:
        restored = self._begun != self._text
        with Vertical():
            yield Static(plain(_said(self.title_words)), classes="title", markup=False)
            if restored:
                yield Static(Content.styled(self.app.speech.say("draft-restored"), "$text-warning"), markup=False)
            yield _NoteArea(self._begun, soft_wrap=True, tab_behavior="focus")

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.focus()
        area.move_cursor(area.document.end)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        if not self._ended:
            self.app.keep_draft(self._key, event.text_area.text, self._text)

    def action_done(self) -> None:
        self._ended = True
        text = self.query_one(TextArea).text
        self.app.keep_draft(self._key, text, self._text)  # a key ends the note before its last changes are told
        self.dismiss(text.strip())


class AskLine(_TitledDialog[str | None]):
    """One line of text, or None; `problem` is why the text that is there would not do."""

    CSS = _CSS.format(name="AskLine")
    BINDINGS = [Binding("escape", "dismiss(None)", show=False)]

    def __init__(self, title: Told, text: str = "", problem: str = "") -> None:
        super().__init__()
        self.title_words, self._text, self._problem = title, text, problem

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(plain(_said(self.title_words)), classes="title", markup=False)
            yield Input(self._text, select_on_focus=False)  # what is proposed is mostly added to
            if self._problem:
                yield Static(plain(self._problem, "$text-error"), classes="problem", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip() or None)
