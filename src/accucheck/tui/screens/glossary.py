"""What terms mean: those of the item looked at first, then all; words filter."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.content import Content
from textual.events import Resize
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from ...checklist import Item
from ...knowledge.glossary import Term, find, load, occurring
from ..signs import plain, wrap
from ..verbs import HELP, PALETTE, Verb, VerbScreen
from ..widgets.items import ItemList
from ..widgets.keybar import KeyBar


class _Terms(OptionList):
    BINDINGS = ItemList.BINDINGS


class GlossaryScreen(VerbScreen[None]):
    """`item`: whose terms come first; `told` is what was found there."""

    CSS = """
    GlossaryScreen #head { dock: top; height: 1; padding: 0 1; background: $primary-background; text-wrap: nowrap;
        text-overflow: ellipsis; }
    GlossaryScreen #filter { border: none; height: 1; padding: 0 1; }
    GlossaryScreen #terms { height: 1fr; border: none; padding: 0 1; background: $background; }
    """
    VERBS: ClassVar[list[Verb]] = [
        Verb("filter", "slash", "filter", "command-glossary-filter", "key-filter"),
        Verb("back", "escape", "back", "command-back", "key-back"),
        Verb("glossary-close", "q,g", "close", "command-back"),
        HELP,
        PALETTE,
    ]
    HERE = ("help-glossary",)

    def __init__(self, item: Item | None, told: str = "") -> None:
        super().__init__()
        self._item, self._told = item, told
        self._terms: list[Term] = []
        self._here: list[Term] = []
        self._words = ""

    def compose(self) -> ComposeResult:
        yield Static(plain(self.speech.say("glossary-title")), id="head", markup=False)
        yield _Terms(id="terms", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#terms").focus()
        self._read()

    async def rebuild(self) -> None:
        self._read()
        await super().rebuild()

    @work(thread=True)
    def _read(self) -> None:
        """Read the terms, which takes a moment, and look for those of the item."""
        item, language = self._item, self.speech.language
        here: list[Term] = []
        if item is not None:
            meanings = item.conclusions
            parts = (item.title, item.method, meanings.problem, meanings.ok, meanings.not_applicable, item.remedy)
            here = occurring("\n".join([*(part[language] for part in parts), self._told]))
        self.call_later(self._show, load(), here)

    def _show(self, terms: list[Term], here: list[Term]) -> None:
        if self.is_mounted:
            self._terms, self._here = terms, here
            self._fill()

    def on_resize(self, _: Resize) -> None:
        if self._terms:
            self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        options, say, language = self.query_one("#terms", OptionList), self.speech.say, self.speech.language
        width = max(30, options.size.width - 3)
        here, others = self._here, [term for term in self._terms if term not in self._here]
        if self._words:
            here, others = [], find(self._words, self._terms, language)
        options.clear_options()
        for title, terms in ((say("glossary-here", item=self._item.id if self._item else ""), here), ("", others)):
            if title and terms:
                options.add_option(Option(plain(title, "bold $text-muted"), disabled=True))
            if not title and here and terms:
                options.add_option(Option(plain(say("glossary-others"), "bold $text-muted"), disabled=True))
            options.add_options([Option(self._line(term, width)) for term in terms])
        if not here and not others:
            options.add_option(Option(plain(wrap(say("glossary-none"), width)), disabled=True))
        options.highlighted = next((n for n, option in enumerate(options.options) if not option.disabled), None)
        self.query_one("#head", Static).update(plain(say("glossary-head", count=len(here) + len(others))))

    def _line(self, term: Term, width: int) -> Content:
        language = self.speech.language
        text = wrap(f"  {term.text[language]}", width, 2)
        return Content.assemble(plain(term.term[language], "bold $accent"), "\n", plain(text))

    async def action_filter(self) -> None:
        if not self.query("#filter"):
            field = Input(self._words, placeholder=self.speech.say("filter"), id="filter")
            await self.mount(field, before="#terms")
        self.query_one("#filter").focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._words = event.value.strip()
        self._fill()

    def on_input_submitted(self, _: Input.Submitted) -> None:
        self.query_one("#terms").focus()

    def action_back(self) -> None:
        """Back out of the filter, then of the screen."""
        if self.query("#filter"):
            self.query_one("#filter").remove()
            self._words = ""
            self._fill()
            self.query_one("#terms").focus()
        else:
            self.dismiss(None)

    def action_close(self) -> None:
        self.dismiss(None)
