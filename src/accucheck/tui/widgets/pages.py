"""A table of any length, a page at a time: sorted by a column, filtered, and every cell within reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widgets import DataTable, Input, Static

from ...language import visible
from ...model import Plain, Table
from .chart import cut

if TYPE_CHECKING:
    from ..app import Walkthrough

#: Rows of a page: a tenth of a second, where ten thousand take more than three.
PAGE = 100
#: Longer cells are cut on the page; Enter shows all of one, and saving keeps them.
CELL = 60


def cell_text(value: object) -> str:
    """A value as it is shown in a table."""
    if isinstance(value, float):
        return f"{value:,.6g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)


class _Page(DataTable[Text]):
    """Moving beyond the last row or the first turns the page."""

    _painted: Style | None = None

    def render_lines(self, crop: Region) -> list[Strip]:
        """As DataTable's, which asks for the style three times a line; that goes through all ancestors."""
        self._painted = super().rich_style
        try:
            return super().render_lines(crop)
        finally:
            self._painted = None

    @property
    def rich_style(self) -> Style:
        return super().rich_style if self._painted is None else self._painted

    class Turned(Message):
        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def action_cursor_down(self) -> None:
        if self.cursor_row >= self.row_count - 1:
            self.post_message(self.Turned(1))
        else:
            super().action_cursor_down()

    def action_cursor_up(self) -> None:
        if self.cursor_row <= 0:
            self.post_message(self.Turned(-1))
        else:
            super().action_cursor_up()

    def action_page_down(self) -> None:
        if self.cursor_row >= self.row_count - 1:
            self.post_message(self.Turned(1))
        else:
            super().action_page_down()

    def action_page_up(self) -> None:
        if self.cursor_row <= 0:
            self.post_message(self.Turned(-1))
        else:
            super().action_page_up()


class Pages(Vertical):
    """Rows of a Table. `words` are its columns as they are shown; `line` is the row of the Table under the cursor."""

    DEFAULT_CSS = """
    Pages { height: auto; }
    Pages DataTable { height: auto; }
    Pages #place { height: 1; color: $text-muted; }
    Pages .hidden { display: none; }
    """
    app: Walkthrough

    class Asked(Message):
        """Enter on a cell: all of it, with the words of its column."""

        def __init__(self, column: str, value: Plain) -> None:
            super().__init__()
            self.column, self.value = column, value

    def __init__(self, table: Table, words: Sequence[str], room: int) -> None:
        """room: lines that it may take."""
        super().__init__()
        self.table, self._words, self._room = table, list(words), max(5, room - 1)
        self._order = list(range(len(table.rows)))
        self._page = 0
        self._sorted: tuple[int, bool] | None = None  # a column, and whether the highest comes first
        self._wanted = ""
        self._texts: list[str] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="place", markup=False)
        yield Input(compact=True, classes="hidden", placeholder=self.app.speech.say("table-filter"))
        yield _Page(zebra_stripes=True, cursor_type="cell")

    def on_mount(self) -> None:
        self.grid.styles.max_height = self._room
        self._fill()

    @property
    def grid(self) -> DataTable[Text]:
        return self.query_one(_Page)

    @property
    def line(self) -> int | None:
        """The row looked at, as it lies in the table."""
        at = self._page * PAGE + self.grid.cursor_row
        return self._order[at] if self._order and at < len(self._order) else None

    @property
    def shown(self) -> int:
        """Rows that the filter leaves."""
        return len(self._order)

    def _fill(self, at: int = 0) -> None:
        grid, column = self.grid, self.grid.cursor_column
        grid.clear(columns=True)
        rows = [self.table.rows[line] for line in self._order[self._page * PAGE : (self._page + 1) * PAGE]]
        missing, only_ascii = [None] * len(self._words), self.app.speech.only_ascii
        cells = [[_cell(value, only_ascii) for value in [*row, *missing][: len(missing)]] for row in rows]
        for number, words in enumerate(self._words):
            mark = ""
            if self._sorted is not None and self._sorted[0] == number:
                mark = self.app.speech.order(down=self._sorted[1])
            head = Text(cut(words, CELL, only_ascii=self.app.speech.only_ascii) + mark)
            grid.add_column(
                head, width=max([head.cell_len, *(line[number].cell_len for line in cells)]), key=str(number)
            )
        for line in cells:
            grid.add_row(*line)
        if rows:
            grid.move_cursor(row=min(at, len(rows) - 1), column=column)
        self._tell()

    def _tell(self) -> None:
        """Which rows these are, of how many, in what order."""
        say, total = self.app.speech.say, self.table.total or 0
        first, last = self._page * PAGE, min((self._page + 1) * PAGE, len(self._order))
        parts = [say("table-rows", first=min(first + 1, last), last=last, count=len(self._order))]
        if total > len(self.table.rows):
            parts.append(say("table-total", total=total))
        if self._wanted:
            parts.append(say("table-filtered", words=visible(self._wanted)))
        if self._sorted is not None:
            parts.append(say("table-sorted", column=visible(self._words[self._sorted[0]])))
        self.query_one("#place", Static).update(Content("  ".join(parts)))

    def on__page_turned(self, message: _Page.Turned) -> None:
        message.stop()
        last = max(0, (len(self._order) - 1) // PAGE)
        if 0 <= self._page + message.by <= last:
            self._page += message.by
            self._fill(0 if message.by > 0 else PAGE - 1)

    def on_data_table_cell_selected(self, message: DataTable.CellSelected) -> None:
        message.stop()
        line, column = self.line, message.coordinate.column
        if line is not None:
            row = self.table.rows[line]
            self.post_message(self.Asked(self._words[column], row[column] if column < len(row) else None))

    def on_data_table_header_selected(self, message: DataTable.HeaderSelected) -> None:
        message.stop()
        self.sort(message.column_index)

    def sort(self, column: int | None = None) -> None:
        """By the column under the cursor or by this one: the lowest first, then the highest, then as it was."""
        column = self.grid.cursor_column if column is None else column
        if self._sorted is None or self._sorted[0] != column:
            self._sorted = column, False
        else:
            self._sorted = None if self._sorted[1] else (column, True)
        self._arrange()

    def _arrange(self) -> None:
        rows, wanted = self.table.rows, self._wanted.casefold()
        if wanted and self._texts is None:
            self._texts = ["\t".join(map(cell_text, row)).casefold() for row in rows]
        texts = self._texts or []
        self._order = [line for line in range(len(rows)) if not wanted or wanted in texts[line]]
        if self._sorted is not None:
            column, down = self._sorted
            known = [line for line in self._order if column < len(rows[line]) and rows[line][column] is not None]
            known.sort(key=lambda line: _rank(rows[line][column]), reverse=down)
            there = set(known)
            self._order = known + [line for line in self._order if line not in there]  # what is not known comes last
        self._page = 0
        self._fill()

    def ask_filter(self) -> None:
        field = self.query_one(Input)
        field.remove_class("hidden")
        field.focus()

    def clear_filter(self) -> bool:
        """Take the filter away; False where there was none."""
        field = self.query_one(Input)
        if field.has_class("hidden"):
            return False
        field.add_class("hidden")
        field.value = ""
        self.grid.focus()
        return True

    def on_input_changed(self, message: Input.Changed) -> None:
        message.stop()
        if message.value != self._wanted:
            self._wanted = message.value
            self._arrange()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.grid.focus()


def _cell(value: Plain, only_ascii: bool) -> Text:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return Text(cut(cell_text(value)[: CELL + 1], CELL, only_ascii=only_ascii), justify="right" if number else "left")


def _rank(value: Plain) -> tuple[int, float, str]:
    """Numbers before texts, each among themselves."""
    return (0, float(value), "") if isinstance(value, (int, float)) else (1, 0.0, str(value))
