"""What can be done here: the focused thing first, then all keys and signs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ..early_keys import SteadyScreen
from ..signs import SIGNS, plain, wrap
from ..verbs import VerbScreen
from ..widgets.filtered import FilteredList

if TYPE_CHECKING:
    from ..app import Walkthrough

#: In fewer lines than these only the first thing is said of where one is.
LOW = 20


class HelpScreen(SteadyScreen, ModalScreen[str]):
    """The result is the id of the verb that is to be done, if any."""

    CSS = """
    HelpScreen { align: center middle; }
    HelpScreen > Vertical { width: 90; max-width: 96%; height: 90%; border: round $primary; background: $surface; padding: 0 1; }
    HelpScreen .here { height: auto; max-height: 40%; }
    HelpScreen FilteredList { height: 1fr; border: none; padding: 0; background: $surface; }
    """
    BINDINGS = [
        Binding("escape,question_mark,q", "dismiss", show=False),
        Binding("slash", "filter", show=False),
        Binding("L", "app.switch_language", show=False),
    ]

    app: Walkthrough

    def __init__(self, screen: VerbScreen[Any]) -> None:
        super().__init__()
        self._of = screen

    def compose(self) -> ComposeResult:
        say = self._of.speech.say
        told = self._of.here()[: 1 if self.app.size.height < LOW else None]  # the keys need the room
        here = [Content(wrap(f"  {say(words)}", self._width, 2)) for words in told]
        with Vertical():
            with VerticalScroll(classes="here", can_focus=False):
                yield Static(Content("\n").join([Content.styled(say("help-here"), "bold"), *here]), markup=False)
            yield FilteredList(*self._lines(), markup=False)

    @property
    def _width(self) -> int:
        """Cells of a line within the frame."""
        return max(20, min(90, self.app.size.width * 96 // 100) - 8)

    async def rebuild(self) -> None:
        await self.recompose()
        self.query_one(FilteredList).focus()

    def on_mount(self) -> None:
        self.query_one(FilteredList).focus()

    def _lines(self) -> list[Option]:
        screen, speech = self._of, self._of.speech
        lines = [Option(Content.styled(speech.say("help-keys"), "bold"), disabled=True)]
        for verb in screen.verbs:
            if names := " ".join(screen.key_names(verb)):
                why = screen.why_not(verb.id)
                shown = f"  {names}" + " " * max(1, 10 - cell_len(names))
                text = speech.say(verb.words)
                text = text if why is None else speech.say("with-reason", words=text, why=why)
                words = wrap(" " * cell_len(shown) + text, self._width, cell_len(shown))[cell_len(shown) :]
                style = "bold $text-accent" if why is None else "dim"
                lines.append(Option(Content.assemble((shown, style), plain(words)), id=verb.id))
        lines.append(Option(Content.styled(speech.say("help-signs"), "bold"), disabled=True))
        for state in SIGNS:
            lines.append(Option(Content.assemble("  ", speech.sign(state), f"  {speech.say(state)}")))
        return lines

    async def action_filter(self) -> None:
        await self.query_one(FilteredList).ask()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option.id:
            self.dismiss(event.option.id)
