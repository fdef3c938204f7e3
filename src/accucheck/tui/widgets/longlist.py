"""A list that opens as fast with a thousand options as with ten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from textual.content import Content
from textual.widgets.option_list import Option

from .filtered import FilteredList

#: Options at once of a list whose height is not known yet.
AT_ONCE = 40


class LazyOption:
    """The words of an option, made when the list takes it in or words are looked for."""

    def __init__(self, make: Callable[[], Content]) -> None:
        self._make = make

    @cached_property
    def content(self) -> Content:
        return self._make()

    def visualize(self, *_: object) -> Content:
        return self.content

    def __str__(self) -> str:
        return self.content.plain


class LongList(FilteredList):
    """Takes its options in as the highlight or the view comes near to the last that it has."""

    _rest: Sequence[Option] = ()

    def on_mount(self) -> None:
        self.watch(self, "scroll_y", self._near_the_last, init=False)

    def _clear(self) -> None:
        self._rest = ()
        super()._clear()

    def _put(self, options: list[Option]) -> None:
        self._rest = [*self._rest, *options]
        if self.option_count < self._in_sight:
            self._go_on(self._in_sight)

    @property
    def _in_sight(self) -> int:
        """No fewer options than are in sight, with some to come."""
        return self.size.height + 4 if self.size.height else AT_ONCE

    def validate_highlighted(self, highlighted: int | None) -> int | None:
        if highlighted is not None and highlighted + self._in_sight > self.option_count:
            self._go_on(highlighted + 2 * self._in_sight - self.option_count)
        return super().validate_highlighted(highlighted)

    def go(self, option: str | None) -> None:
        if option is not None and any(each.id == option for each in self._rest):
            self._go_on(len(self._rest))
        super().go(option)

    def action_last(self) -> None:
        self._go_on(len(self._rest))
        super().action_last()

    def on_resize(self) -> None:
        self._near_the_last()

    def _near_the_last(self) -> None:
        if self.scroll_offset.y + 2 * self.size.height > self.virtual_size.height:
            self._go_on(self._in_sight)

    def _go_on(self, count: int) -> None:
        added, self._rest = self._rest[:count], self._rest[count:]
        if added:
            super()._put(list(added))
