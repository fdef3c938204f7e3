"""The curves of all runs that the project names, laid over each other, and gradient norms by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ...errors import UserError
from ..signs import plain, wrap
from ..verbs import BACK, FILTER, HELP, PALETTE, VerbScreen
from ..widgets.filtered import FilteredList
from ..widgets.keybar import KeyBar
from ..widgets.plot import Plot

if TYPE_CHECKING:
    from ...board import Board
    from ...model import Chart
    from ..verbs import Verb


class CurvesScreen(VerbScreen[None]):
    HORIZONTAL_BREAKPOINTS = [(0, "-normal"), (110, "-broad")]
    CSS = """
    CurvesScreen #head { dock: top; height: auto; max-height: 3; padding: 0 1; background: $primary-background; }
    CurvesScreen #body { height: 1fr; }
    CurvesScreen #listed { height: 6; }
    CurvesScreen FilteredList { height: 1fr; border: none; background: $background; text-wrap: nowrap; text-overflow: ellipsis; }
    CurvesScreen #drawn { height: 1fr; padding: 0 1; border-top: solid $accent; }
    CurvesScreen.-broad #body { layout: horizontal; }
    CurvesScreen.-broad #listed { width: 33%; min-width: 30; max-width: 56; height: 100%; border-right: solid $accent; }
    CurvesScreen.-broad #drawn { height: 100%; border-top: none; }
    """
    VERBS: ClassVar[list[Verb]] = [BACK, FILTER, HELP, PALETTE]
    HERE = ("help-curves",)

    def __init__(self) -> None:
        super().__init__()
        self._board: Board | None = None
        self._error: UserError | None = None
        self._charts: list[Chart] = []

    def compose(self) -> ComposeResult:
        yield Static(self.speech.say("curves-loading"), id="head", markup=False)
        with Container(id="body"):
            with Vertical(id="listed"):
                yield FilteredList(markup=False)
            yield VerticalScroll(id="drawn")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(FilteredList).focus()
        self._read()

    async def rebuild(self) -> None:
        """Everything again, in another language."""
        self._fill()
        self.show_keys()

    @work(thread=True, exclusive=True)
    def _read(self) -> None:
        """Read what the project names; in a thread, as logs may be long."""
        from ... import board as boards

        case = self.app.project.case
        try:
            found = boards.gather([(path, case.relative(path)) for path in boards.of_case(case)])
        except UserError as error:
            self.app.call_from_thread(self._take, None, error)
        else:
            self.app.call_from_thread(self._take, found, None)

    def _take(self, found: Board | None, error: UserError | None) -> None:
        if self.is_attached:
            self._board, self._error = found, error
            self._fill()
            self.show_keys()

    def _fill(self) -> None:
        """The head, and a line for each curve and heat map."""
        from ... import board as boards

        language, width = self.speech.language, max(20, self.size.width - 2)
        head = self.query_one("#head", Static)
        if self._board is None:
            if self._error is not None:
                head.update(plain(wrap(self._error.text(language), width), "$text-warning"))
            return
        notes = boards.notes(self._board, language)
        told = [boards.say("title", language, count=len(self._board.runs)), *notes]
        head.update(plain("\n".join(wrap(line, width) for line in told)))
        charts = boards.charts(self._board, language)
        self._charts = [chart for _, chart in charts]
        listing = self.query_one(FilteredList)
        at = listing.highlighted or 0
        listing.clear_options()
        listing.add_options(Option(plain(title), id=str(number)) for number, (title, _) in enumerate(charts))
        listing.highlighted = min(at, listing.option_count - 1)

    async def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        from ... import board as boards

        chart = self._charts[int(event.option.id or 0)]
        drawn, language = self.query_one("#drawn", VerticalScroll), self.speech.language
        await drawn.remove_children()
        await drawn.mount(Plot(chart, lambda key: boards.label(key, language), None))

    def why_not(self, verb: str) -> str | None:
        return self.speech.say("curves-none") if verb == "filter" and self._board is None else None

    def action_back(self) -> None:
        self.dismiss()
