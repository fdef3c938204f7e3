"""The list of items by section, each with the sign of its state."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rich.cells import cell_len
from textual.content import Content
from textual.widgets.option_list import Option

from ...checklist import Checklist
from ...language import Language
from ..signs import SIGNS, Speech, plain
from .filtered import FilteredList

#: Cells of the longest word of a state.
_WORD = {Language.EN: 7, Language.ZH: 6}


class ItemList(FilteredList):
    """`searched` is by id, title and review."""

    PLACEHOLDER = "filter"

    def __init__(self, **settings: Any) -> None:
        self._said: dict[str, str] = {}  # by item id, what the review says
        super().__init__(**settings)

    def fill(
        self,
        speech: Speech,
        checklists: list[Checklist],
        states: dict[str, tuple[str, bool]],
        reviews: dict[str, str],
        apart: Collection[str] = (),
    ) -> None:
        """states: item id -> (state, whether it is only suggested); reviews: item id -> what the review says, or nothing.

        `apart` are the items that the case rules out: they come last.
        """
        current = self.current
        self._said = {item: speech.say(review) if review else "" for item, review in reviews.items()}
        options: list[Option] = []
        last: list[Option] = []
        for checklist in checklists:
            for section in checklist.sections:
                lines: list[Option] = []
                for item in section.items:
                    title = item.named(states[item.id][0])[speech.language]
                    review = reviews[item.id]
                    line = Option(self._line(speech, item.id, title, *states[item.id], review), id=item.id)
                    (last if item.id in apart else lines).append(line)
                if lines:
                    heading = Content.styled(section.title[speech.language], "bold $text-muted")
                    options += [Option(heading, disabled=True), *lines]
        if last:
            heading = Content.styled(speech.say("not-applicable-apart", count=len(last)), "bold $text-muted")
            options += [Option(heading, disabled=True), *last]
        self.clear_options()
        self.add_options(options)
        self.go(current)

    def searched(self, option: Option) -> str:
        return f"{option.prompt} {self._said.get(option.id or '', '')}"

    def set_state(self, speech: Speech, item: str, title: str, state: str, suggested: bool, review: str) -> None:
        self._said[item] = speech.say(review) if review else ""
        self.replace_option_prompt(item, self._line(speech, item, title, state, suggested, review))

    @staticmethod
    def _line(speech: Speech, item: str, title: str, state: str, suggested: bool, review: str) -> Content:
        """The sign of the state and its word, the sign of the review, and the item."""
        second = speech.sign(review) if review else Content(" ")
        word = speech.say(f"short-{state}")
        word += " " * (_WORD[speech.language] - cell_len(word))
        return Content.assemble(
            " ",
            speech.sign(state, faint=suggested),
            " ",
            (word, SIGNS[state][2] + (" dim" if suggested else "")),
            second,
            f"{item} ",
            plain(title),
        )
