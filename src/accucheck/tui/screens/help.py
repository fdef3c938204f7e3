"""What can be done here: the focused thing first, then all keys and signs."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..signs import SIGNS, Speech

#: key as shown -> command word; the order is that of the help screen.
KEYS = [
    ("↑ ↓ j k", "help-items"),
    ("r", "command-run"),
    ("R", "command-run-all"),
    ("Esc", "command-cancel"),
    ("1", "command-conclude-problem"),
    ("2", "command-conclude-ok"),
    ("3", "command-conclude-not_applicable"),
    ("Enter", "command-accept"),
    ("A", "command-accept-all"),
    ("n", "command-note"),
    ("o", "command-editor"),
    ("a", "command-attach"),
    ("s", "command-samples"),
    ("p", "command-path"),
    ("u", "command-undo"),
    ("] [", "command-next"),
    ("/", "command-filter"),
    ("e", "command-export"),
    ("v", "command-view"),
    ("y", "command-copy"),
    ("l", "command-list"),
    ("L", "command-language"),
    ("^p", "command-palette"),
    ("?", "command-help"),
    ("S", "command-sign-off"),
    ("q", "command-quit"),
]


class HelpScreen(ModalScreen[None]):
    CSS = """
    HelpScreen { align: center middle; }
    HelpScreen > VerticalScroll { width: 90; max-width: 96%; height: 90%; border: round $primary; background: $surface;
        padding: 0 1; }
    """
    BINDINGS = [Binding("escape,question_mark,q,enter", "dismiss(None)", show=False)]

    def __init__(self, speech: Speech, focus: str, keys: list[tuple[str, str]], *, general: bool = False) -> None:
        """focus: what is said of the place; general: say how to move and what a suggestion is, too."""
        super().__init__()
        self._speech, self._focus, self._keys, self._general = speech, focus, keys, general

    def compose(self) -> ComposeResult:
        say = self._speech.say
        general = ["help-other", "help-suggestion"] if self._general else []
        lines = [
            Content.styled(f"{say('help-here')}", "bold"),
            Content(f"  {say(self._focus)}"),
            *(Content(f"  {say(words)}") for words in general),
            Content(""),
            Content.styled(say("help-keys"), "bold"),
        ]
        lines += [Content.assemble("  ", (f"{key:<9}", "bold $accent"), say(words)) for key, words in self._keys]
        lines += [Content(""), Content.styled(say("help-signs"), "bold")]
        lines += [Content.assemble("  ", self._speech.sign(state), f"  {say(state)}") for state in SIGNS]
        with VerticalScroll():
            yield Static(Content("\n").join(lines), markup=False)
