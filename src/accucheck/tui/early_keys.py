"""Screens and lists on which keys and clicks that come too soon or too late do nothing; textual's own would fail."""

from __future__ import annotations

from asyncio import InvalidStateError
from typing import TYPE_CHECKING, Any

from textual.await_complete import AwaitComplete
from textual.events import Click, Event, MouseDown, Resize
from textual.widgets import OptionList

if TYPE_CHECKING:
    from textual.screen import Screen

    _Screen = Screen[Any]
else:
    _Screen = object  # textual looks for styles and bindings in the first base only


class SteadyScreen(_Screen):
    """`dismiss` does nothing unless this screen is the one on top, however many keys that leave it have come; a click on what was
    removed since it was drawn does nothing; only the newest of several sizes counts, for a screen tells itself each size that it takes,
    so that two on their way at once would take turns for ever."""

    def dismiss(self, result: Any = None) -> AwaitComplete:
        if not self.is_current:
            return AwaitComplete()
        try:
            return super().dismiss(result)
        except InvalidStateError:  # who waited for the result has been ended
            return self.app.pop_screen()

    def on_resize(self, event: Resize) -> None:
        if event.size != self.app.size:
            event.prevent_default().stop()

    def _forward_event(self, event: Event) -> None:
        if isinstance(event, MouseDown):
            widget, _ = self.get_widget_and_offset_at(event.x, event.y)
            if widget is not None and widget.parent is None:
                return
        super()._forward_event(event)


_move_page, _on_click = OptionList._move_page, OptionList._on_click


def _move_page_if_drawn(self: OptionList, direction: Any) -> None:
    """A list that has had no room yet knows no lines."""
    if (self.highlighted or 0) in self._index_to_line:
        _move_page(self, direction)


async def _on_click_if_there(self: OptionList, event: Click) -> None:
    """A list may have become shorter since it was drawn."""
    if event.style.meta.get("option", 0) < self.option_count:
        await _on_click(self, event)


OptionList._on_click = _on_click_if_there  # type: ignore[method-assign]
OptionList._move_page = _move_page_if_drawn  # type: ignore[method-assign]
