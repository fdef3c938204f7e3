"""The main screen as it is seen: items on the left; method, evidence, conclusion and history of one item on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import OptionList, Static

from ...checklist import Checklist, Item
from ...session import Role
from ..signs import plain, wrap
from ..verbs import VerbScreen
from ..widgets.items import ItemList
from ..widgets.keybar import KeyBar
from ..widgets.topbar import Run, TopBar

if TYPE_CHECKING:
    from ..widgets.itempane import ItemPane


class Showing(VerbScreen[None]):
    """The panes and what they show."""

    #: Whether a first session begins with a hint.
    GREETS = True
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (78, "-normal"), (160, "-wide")]

    def __init__(self) -> None:
        super().__init__()
        self.pane: ItemPane | None = None
        self._shown = ""
        self._first_tab = ""
        self._dirty = False
        self._done_jobs = 0
        self._all_jobs = 0

    def compose(self) -> ComposeResult:
        yield TopBar()
        if banner := self._banner():
            yield Static(banner, id="banner", markup=False)
        with Horizontal(id="panes"):
            with Vertical(id="left"):
                yield ItemList(id="items", markup=False)
            yield Vertical(id="right")
        yield Static(id="first-hint", classes="hidden", markup=False)
        yield KeyBar()

    def _banner(self) -> Content:
        """What cannot be done here at all, and why; empty where all can."""
        if self.app.session.read_only:
            why = self.app.session.refusal.text(self.speech.language)
            return plain(self.speech.say("read-only-banner", why=why))
        return plain(self.app.why_alone() or "")

    def on_mount(self) -> None:
        self._fill_items()
        if first := self._first_item():
            self.query_one(ItemList).go(first)
        self.query_one(ItemList).focus()
        self.show_keys()
        self._show_top()
        self.call_after_refresh(self._mount_pane)  # the list is painted first: it is there at once

    def _first_item(self) -> str:
        """Where to begin: where the person was the last time."""
        return self.app.first_item

    async def _mount_pane(self) -> None:
        from textual.widgets import TabbedContent

        from ..widgets.itempane import ItemPane

        pane, language = ItemPane(), self.speech.language
        aside = VerticalScroll(Static(id="beside", markup=False), id="aside")
        await self.query_one("#right").mount(pane)
        await self.query_one("#panes").mount(aside)
        self.pane = pane
        if self.speech.language is not language:
            pane.say_again()
        if self._first_tab:
            pane.query_one(TabbedContent).active = self._first_tab
        self.call_after_refresh(self._show_item)

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self._show_item)

    def _show_item(self) -> None:
        if self.pane is None or (item := self.item) is None:
            return
        self._shown = item.id
        self.show_keys()
        self.pane.show(item)
        self._show_aside()

    def _show_aside(self) -> None:
        if self.has_class("-wide") and self.pane is not None and (item := self.item) is not None:
            self.query_one("#beside", Static).update(self.pane.beside(item, 55))

    def on_tabbed_content_tab_activated(self) -> None:
        self._show_aside()

    @property
    def item(self) -> Item | None:
        """The item looked at."""
        items = self.there(ItemList)
        return (
            None if items is None else next((item for item in self.app.project.items if item.id == items.current), None)
        )

    async def rebuild(self) -> None:
        """Everything again, in another language: in its place, which takes a tenth of building it anew."""
        for banner in self.query("#banner").results(Static):
            banner.update(self._banner())
        items = self.query_one(ItemList)
        self._fill_items()
        items.say_again()
        if self.pane is not None:
            self.pane.say_again()
        self._show_top()
        self._show_item()

    def show_items(self, item: str | None) -> None:
        """The items of the checklists as they are now, with one of them looked at."""
        self.query_one(ItemList).unfilter()
        self._fill_items()
        if item is not None:
            self.query_one(ItemList).go(item)
        self._show_top()
        self._show_item()

    def _fill_items(self) -> None:
        states = {item.id: self.app.state(item) for item in self.app.project.items}
        reviews = {item.id: self.app.review_state(item.id) for item in self.app.project.items}
        apart = self.app.project.ruled_out()
        self.query_one(ItemList).fill(self.speech, self.app.project.checklists, states, reviews, apart)

    def refresh_states(self, item: str | None = None) -> None:
        """Redraw signs, the top line and the item looked at (`item`: only when it is this one)."""
        items = self.there(ItemList)
        if items is None or not items.option_count:  # not filled yet: it will be with what is known then
            return
        for each in self.app.project.items:
            if item is None or each.id == item:
                state, review = self.app.state(each), self.app.review_state(each.id)
                items.set_state(self.speech, each, *state, review)
        self._show_top()
        if item is None or (self.item is not None and item == self.item.id):
            self._show_item()
        else:
            self.show_keys()

    def _how_far(self) -> Run:
        """How far the run is."""
        return Run(self._done_jobs, self._all_jobs, 0.0, None)

    def _show_top(self) -> None:
        app = self.app
        runtime = app.project.case.spec.runtime
        reviewer = app.role is Role.REVIEWER  # an author is nothing to be told of
        facts = [
            *([app.speech.say("role-reviewer", who=app.who)] if reviewer else []),
            app.project.case.name,
            " + ".join(c.title[self.speech.language] for c in app.project.checklists),
        ]
        if runtime.mindspore:
            facts.append(f"MindSpore {runtime.mindspore}")
        facts += [fact for fact in (runtime.device, runtime.amp) if fact]
        entries = [app.session.entry(item.id) for item in app.project.items]
        done = sum(entry.conclusion is not None for entry in entries)
        problems = sum(app.state(item)[0] == "problem" for item in app.project.items)
        running = self._how_far() if app.running or app.runner.busy else None
        self._show_hint(begun=running is not None or any(entry.results or entry.conclusion for entry in entries))
        if (bar := self.there(TopBar)) is not None:
            bar.show(
                self.speech, facts, done=done, total=len(entries), problems=problems, saved=app.saved, running=running
            )

    def _show_hint(self, *, begun: bool) -> None:
        """What a newcomer does first; gone once anything has run or is concluded."""
        from ...guidance import watchable

        for hint in self.query("#first-hint").results(Static):
            hidden = begun or not self.GREETS or bool(self._banner())
            if hidden is not hint.has_class("hidden"):
                hint.set_class(hidden, "hidden")
            if not hidden:
                watches = bool(watchable(self.app.project)) and self.why_not("watch") is None
                said = self.speech.say("first-hint-watch" if watches else "first-hint")
                hint.update(plain(wrap(said, (self.size.width or 80) - 2)))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_list.id == "items" and event.option.id != self._shown:
            self._show_item()

    def _open_tab(self, tab: str) -> None:
        from textual.widgets import TabbedContent

        if self.pane is None:
            self._first_tab = tab  # a key may come before the pane
        else:
            self.pane.query_one("#tabs", TabbedContent).active = tab

    def _path_of(self, item: Item | None) -> Checklist | None:
        """The open checklist of an item, when it is a path."""
        return next((each for each in self.app.project.checklists if each.ends and item in each.items), None)
