"""The bottom line: the keys that work here, in the language of the screen; a click does the same."""

from __future__ import annotations

from typing import NamedTuple

from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

#: The key of help.
_HELP = "?"


class KeyEntry(NamedTuple):
    """One entry: keys, each with the action of a click on it, and their words; `dim` for what cannot be done now."""

    keys: list[tuple[str, str]]
    words: str
    dim: bool = False


class KeyBar(Static):
    """Shows entries from left to right, as many as fit."""

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; background: $panel; color: $foreground; link-style: none; link-color: $foreground; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.entries: list[KeyEntry] = []

    def show(self, entries: list[KeyEntry]) -> None:
        if entries != self.entries:
            self.entries = entries
            self._draw()

    def on_resize(self, _: Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        """As many as fit; help, which names all the others, is among them wherever it is an entry."""
        room = (self.size.width or 80) + 2
        parts = [self._part(entry) for entry in self.entries]
        asked = next((place for place, entry in enumerate(self.entries) if entry.keys[0][0] == _HELP), None)
        shown = Content(" ")
        for place, part in enumerate(parts):
            kept = parts[asked].cell_length if asked is not None and asked > place else 0
            if shown.cell_length + part.cell_length + kept > room:
                shown = shown + parts[asked] if asked is not None and kept else shown
                break
            shown = shown + part
        self.update(shown, layout=False)

    def _part(self, entry: KeyEntry) -> Content:
        """One entry, its keys and words to be clicked."""
        keys, words, dim = entry
        faint = "dim " if dim else ""
        parts: list[str | tuple[str, str]] = []
        for number, (key, action) in enumerate(keys):
            parts += ["/"] if number else []
            parts.append((key, f"{faint or 'bold '}$text-accent @click={action}"))
        click = f"@click={keys[0][1]}" if len(keys) == 1 else ""
        return Content.assemble(*parts, " ", (words, f"{faint}{click}".strip()), "  ")
