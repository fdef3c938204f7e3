"""The list of items by section, each with the sign of its state."""

from __future__ import annotations

from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from ...checklist import Checklist
from ..signs import Speech, plain


class ItemList(OptionList):
    BINDINGS = [
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
    ]

    def fill(
        self,
        speech: Speech,
        checklists: list[Checklist],
        states: dict[str, tuple[str, bool]],
        words: str,
        reviews: dict[str, str],
    ) -> None:
        """states: item id -> (state, whether it is only suggested); reviews: item id -> what the review says, or nothing.

        `words` filters by id, title and review.
        """
        current = self.current
        wanted = words.lower().split()
        options: list[Option] = []
        for checklist in checklists:
            for section in checklist.sections:
                lines = []
                for item in section.items:
                    title = item.title[speech.language]
                    review = reviews[item.id]
                    said = speech.say(review) if review else ""
                    if all(part in f"{item.id} {title} {said}".lower() for part in wanted):
                        lines.append(Option(self._line(speech, item.id, title, *states[item.id], review), id=item.id))
                if lines:
                    heading = Content.styled(section.title[speech.language], "bold $text-muted")
                    options += [Option(heading, disabled=True), *lines]
        self.clear_options()
        self.add_options(options)
        self.go(current)

    @property
    def current(self) -> str | None:
        """The id of the highlighted item."""
        option = self.highlighted_option
        return option.id if option is not None else None

    def go(self, item: str | None) -> None:
        """Highlight an item, or the first one."""
        ids = [option.id for option in self.options]
        if item is not None and item in ids:
            self.highlighted = ids.index(item)
        else:
            self.highlighted = next((index for index, name in enumerate(ids) if name), None)

    def set_state(self, speech: Speech, item: str, title: str, state: str, suggested: bool, review: str) -> None:
        if item in [option.id for option in self.options]:
            self.replace_option_prompt(item, self._line(speech, item, title, state, suggested, review))

    @staticmethod
    def _line(speech: Speech, item: str, title: str, state: str, suggested: bool, review: str) -> Content:
        """The sign of the state, and beside it that of the review."""
        second = speech.sign(review) if review else Content(" ")
        return Content.assemble(" ", speech.sign(state, faint=suggested), second, f"{item} ", plain(title))
