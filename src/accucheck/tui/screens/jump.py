"""Jump mode: a letter beside all that can be reached on a screen; pressing it goes there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

from textual.app import ComposeResult
from textual.events import Key, MouseDown, Resize
from textual.geometry import Size
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import OptionList, Static, Tab, Tabs

#: Letters of the labels, those under the fingers first.
LETTERS = "asdfghjklqwertyuiopzxcvbnm"


class Target(NamedTuple):
    """A place that can be reached: its cell on the screen, and what goes there."""

    column: int
    row: int
    go: Callable[[], object]


def targets(screen: Screen[object]) -> list[Target]:
    """All that can be reached on a screen and is in sight, from top to bottom."""
    found: list[Target] = []
    for tab in screen.query(Tab):
        if _in_sight(tab) and isinstance(tab.parent, Widget):
            found.append(Target(tab.region.x, tab.region.y, partial(_activate, tab)))
    for widget in screen.focus_chain:
        if isinstance(widget, OptionList):
            found += _lines(widget)
        elif not isinstance(widget, Tabs) and _in_sight(widget):
            found.append(Target(widget.region.x, widget.region.y, widget.focus))
    return sorted(found, key=lambda target: (target.row, target.column))


def labels(count: int) -> list[str]:
    """So many labels: a letter each, or two where letters alone are too few."""
    letters = [*LETTERS] if count <= len(LETTERS) else ["".join(pair) for pair in product(LETTERS, repeat=2)]
    return letters[:count]


def _in_sight(widget: Widget) -> bool:
    return widget.is_on_screen and widget.region.height > 0


def _activate(tab: Tab) -> None:
    for tabs in tab.ancestors:
        if isinstance(tabs, Tabs) and tab.id:
            tabs.active = tab.id
            tabs.focus()
            return


def _lines(options: OptionList) -> Iterator[Target]:
    """The options of a list that are in sight, each where it begins."""
    region, top = options.content_region, options.scroll_offset.y
    for place, option in enumerate(options.options):
        row = options._index_to_line[place] - top
        if not option.disabled and 0 <= row < region.height:
            yield Target(region.x, region.y + row, partial(_highlight, options, place))


def _highlight(options: OptionList, place: int) -> None:
    options.focus()
    options.highlighted = place


class JumpScreen(ModalScreen[Target]):
    """The result is where to go; any other key than those of the labels goes nowhere."""

    CSS = """
    JumpScreen { background: transparent; }
    JumpScreen Static { position: absolute; width: auto; height: 1; background: $accent; color: $background; text-style: bold; }
    """

    def __init__(self, found: list[Target]) -> None:
        super().__init__()
        self._targets = dict(zip(labels(len(found)), found, strict=False))
        self._typed = ""
        self._laid_for: Size | None = None

    def compose(self) -> ComposeResult:
        for label, target in self._targets.items():
            shown = Static(label, markup=False)
            shown.styles.offset = (target.column, target.row)
            yield shown

    def on_key(self, event: Key) -> None:
        event.stop()
        self._typed += event.character or " "
        if self._typed in self._targets:
            self.dismiss(self._targets[self._typed])
        elif not any(label.startswith(self._typed) for label in self._targets):
            self.dismiss(None)

    def on_mouse_down(self, _: MouseDown) -> None:
        self.dismiss(None)

    def on_resize(self, event: Resize) -> None:
        """What stood at these places stands elsewhere now."""
        if self._laid_for not in (None, event.size):
            self.dismiss(None)
        self._laid_for = event.size
