"""The list of items by section, each with the sign of its state."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from rich.cells import cell_len
from textual.content import Content
from textual.events import Resize
from textual.widgets.option_list import Option

from ...checklist import Checklist, Item
from ...language import Language
from ...model import CONCLUSIONS
from ..signs import SIGNS, Speech, plain
from .chart import cut
from .filtered import FilteredList

#: Cells of the longest word of a state.
_WORD = {Language.EN: 7, Language.ZH: 6}


class _ItemLine(NamedTuple):
    """What the line of an item says: its title, or what it is about where there is no room for that, its state and whether that is only
    suggested, and what the review says."""

    title: str
    topic: str
    state: str
    suggested: bool
    review: str


class ItemList(FilteredList):
    """`searched` is by id, state, title and review, or that there is none of an answer."""

    PLACEHOLDER = "filter"

    def __init__(self, **settings: Any) -> None:
        self._told: dict[str, _ItemLine] = {}
        self._speech: Speech | None = None
        self._room = 0
        self._reviewed = False  # some item: the sign of its review then stands apart from its id
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
        current, self._speech, self._told = self.current, speech, {}
        self._reviewed = any(reviews.values())
        options: list[Option] = []
        last: list[Option] = []
        for checklist in checklists:
            for section in checklist.sections:
                lines: list[Option] = []
                for item in section.items:
                    self._told[item.id] = _told(speech, item, *states[item.id], reviews[item.id])
                    (last if item.id in apart else lines).append(Option(self._line(item.id), id=item.id))
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
        told, speech = self._told.get(option.id or ""), self._speech
        if told is None or speech is None:
            return str(option.prompt)
        answered = told.state in CONCLUSIONS and not told.suggested
        review = speech.say(told.review) if told.review else speech.say("unreviewed") if answered else ""
        return f"{option.id} {speech.say(told.state)} {speech.say(f'short-{told.state}')} {told.title} {review}"

    def set_state(self, speech: Speech, item: Item, state: str, suggested: bool, review: str) -> None:
        self._speech, self._told[item.id] = speech, _told(speech, item, state, suggested, review)
        before, self._reviewed = self._reviewed, any(told.review for told in self._told.values())
        for each in self._told if self._reviewed is not before else [item.id]:
            self.replace_option_prompt(each, self._line(each))

    def on_resize(self, _: Resize) -> None:
        """Titles are cut here: by whole characters, where the terminal library would leave half the room of a wide one."""
        room = self.scrollable_content_region.width
        if room != self._room:
            self._room = room
            for item in self._told:
                self.replace_option_prompt(item, self._line(item))

    def _line(self, item: str) -> Content:
        """The sign of the state and its word, the sign of the review, and the item."""
        speech, told = self._speech, self._told[item]
        assert speech is not None
        word = speech.say(f"short-{told.state}")
        word += " " * (_WORD[speech.language] - cell_len(word))
        line = Content.assemble(
            "" if self._reviewed else " ",  # the sign of the review needs the room
            speech.sign(told.state, faint=told.suggested),
            " ",
            (word, SIGNS[told.state][2] + (" dim" if told.suggested else "")),
            " " if self._reviewed else "",
            speech.sign(told.review) if told.review else Content(" "),
            " " if self._reviewed else "",
            f"{item} ",
        )
        left = self._room - line.cell_length
        shown = told.title if left <= 0 or cell_len(told.title) <= left else told.topic
        return line + plain(cut(shown, left, only_ascii=speech.only_ascii) if left > 0 else shown)


def _told(speech: Speech, item: Item, state: str, suggested: bool, review: str) -> _ItemLine:
    title = item.named(state)[speech.language]
    topic = item.topic[speech.language] if item.topic is not None else title
    return _ItemLine(title, topic, state, suggested, review)
