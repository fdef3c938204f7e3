"""The bottom line: the keys that work here, in the language of the screen; a click does the same."""

from __future__ import annotations

from typing import NamedTuple

from textual.content import Content
from textual.events import Resize
from textual.widgets import Static


class Shown(NamedTuple):
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
        self.entries: list[Shown] = []

    def show(self, entries: list[Shown]) -> None:
        if entries != self.entries:
            self.entries = entries
            self._draw()

    def on_resize(self, _: Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        width = self.size.width or 80
        shown = Content(" ")
        for keys, words, dim in self.entries:
            faint = "dim " if dim else ""
            parts: list[str | tuple[str, str]] = []
            for number, (key, action) in enumerate(keys):
                parts += ["/"] if number else []
                parts.append((key, f"{faint or 'bold '}$text-accent @click={action}"))
            click = f"@click={keys[0][1]}" if len(keys) == 1 else ""
            part = Content.assemble(*parts, " ", (words, f"{faint}{click}".strip()), "  ")
            if shown.cell_length + part.cell_length > width + 2:
                break
            shown = shown + part
        self.update(shown, layout=False)
