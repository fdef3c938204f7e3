"""The bottom line: the keys that work here, in the language of the screen; a click does the same."""

from __future__ import annotations

from textual.content import Content
from textual.events import Resize
from textual.widgets import Static


class KeyBar(Static):
    """Shows (key, words, action) from left to right, as many as fit."""

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; background: $panel; color: $foreground; link-style: none; link-color: $foreground; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.keys: list[tuple[str, str, str]] = []

    def set_keys(self, keys: list[tuple[str, str, str]]) -> None:
        self.keys = keys
        self._draw()

    def on_resize(self, _: Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        width = self.size.width or 80
        shown = Content(" ")
        for key, words, action in self.keys:
            style = f"@click={action}" if action else ""
            part = Content.assemble((key, "bold $accent"), " ", (words, style), "  ")
            if shown.cell_length + part.cell_length > width + 2:
                break
            shown = shown + part
        self.update(shown, layout=False)
