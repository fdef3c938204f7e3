"""A contact sheet of the samples of labels: up to twenty at a time, each marked by one key where the cursor is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click, Resize
from textual.widgets import Static

from ... import marks
from ...errors import UserError
from ..signs import plain, wrap
from ..verbs import BACK, HELP, PALETTE, Verb, VerbScreen
from ..widgets.chart import cut
from ..widgets.keybar import KeyBar
from ..widgets.picture import ascii_lines, block_lines, cells, environment_way

if TYPE_CHECKING:
    from ...readers.contents import Content as Sample
    from .samples import SamplesScreen

#: Columns and rows of a sheet at most, and the cells that one sample needs.
COLUMNS, ROWS, WIDTH, HEIGHT = 5, 4, 14, 5
#: Seconds between two looks at which samples have been read.
_LOOK_EVERY = 0.3


class SheetScreen(VerbScreen[None]):
    """The samples of the screen below it, which keeps the marks; it goes on where the cursor of the sheet was."""

    CSS = """
    SheetScreen #head, SheetScreen #rate { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    SheetScreen #head { dock: top; background: $primary-background; }
    SheetScreen #rate { background: $surface; }
    SheetScreen #cells { height: 1fr; padding: 0 1; }
    """
    VERBS: ClassVar[list[Verb]] = [
        Verb("mark-right", "r", "mark('right')", "command-mark-right", "key-right"),
        Verb("mark-wrong", "w", "mark('wrong')", "command-mark-wrong", "key-wrong"),
        Verb("mark-unsure", "d", "mark('unsure')", "command-mark-unsure", "key-unsure"),
        Verb("mark-none", "delete,backspace", "mark('')", "command-mark-none"),
        Verb("undo", "u", "undo", "command-undo-mark", "key-undo"),
        Verb("sheet-left", "left", "step(-1)", "command-sample-previous", "key-sheet-move"),
        Verb("sheet-right", "right", "step(1)", "command-sample-next", "key-sheet-move"),
        Verb("sheet-up", "up", "row(-1)", "command-sheet-up"),
        Verb("sheet-down", "down", "row(1)", "command-sheet-down"),
        Verb("sheet-next", "pagedown,right_square_bracket", "page(1)", "command-sheet-next", "key-sheet-next"),
        Verb("sheet-previous", "pageup,left_square_bracket", "page(-1)", "command-sheet-previous"),
        Verb("sheet-one", "enter,g", "back", "command-sheet-one", "key-sheet-one"),
        BACK,
        HELP,
        PALETTE,
    ]
    HERE = ("help-sheet",)

    def __init__(self, samples: SamplesScreen) -> None:
        super().__init__()
        self._of = samples
        self._shown: object = None

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield Vertical(Static(id="drawn", markup=False), id="cells")
        yield Static(id="rate", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self._draw()
        self.set_interval(_LOOK_EVERY, self._look)

    async def rebuild(self) -> None:
        self._draw()
        await super().rebuild()

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self._draw)

    # --- what is on the sheet -----------------------------------------------------------------------------------------

    @property
    def _grid(self) -> tuple[int, int]:
        """Columns and rows that have room."""
        body = self.query_one("#cells").size
        return max(1, min(COLUMNS, body.width // WIDTH)), max(1, min(ROWS, body.height // HEIGHT))

    @property
    def _places(self) -> list[int]:
        """The places of all samples that are gone through."""
        plan = self._of.plan
        return self._of.fitting(plan) if plan is not None else []

    @property
    def _page(self) -> list[int]:
        """The places of the samples on the sheet that has the cursor."""
        places, (columns, rows) = self._places, self._grid
        size = columns * rows
        at = places.index(self._of.place) if self._of.place in places else 0
        return places[at // size * size : at // size * size + size]

    def _look(self) -> None:
        """Draw again where more samples have been read."""
        page = self._page
        self._of.want(page)
        if [place in self._of.samples for place in page] != self._shown:
            self._draw()

    def _draw(self) -> None:
        plan = self._of.plan
        if not self.is_mounted or plan is None:
            return
        page, (columns, _), body = self._page, self._grid, self.query_one("#cells").size
        self._of.want(page)
        self._shown = [place in self._of.samples for place in page]
        width, height = max(4, body.width // columns), max(2, body.height // self._grid[1])
        lines: list[Content] = []
        for first in range(0, len(page), columns):
            row = [self._cell(plan, place, width - 1, height - 1) for place in page[first : first + columns]]
            lines += [Content(" ").join(each) for each in zip(*row, strict=True)]
        places = self._places
        ends = [places.index(page[end]) + 1 for end in (0, -1)] if page else [0, 0]
        say = self.speech.say
        head = say("sheet-head", first=ends[0], last=ends[1], total=len(places), role=say(f"role-{self._of.role}"))
        here = plan.samples[self._of.place]
        head += f"  {marks.class_name(self.app.project.case, here.label)}  {here.id}"
        self.query_one("#head", Static).update(plain(head))
        self.query_one("#drawn", Static).update(Content("\n").join(lines))
        self.query_one("#rate", Static).update(self._of.rate_line(plan))
        self.show_keys()

    def _cell(self, plan: marks.Plan, place: int, width: int, height: int) -> list[Content]:
        """One sample: its mark and label, and below it its picture or text; `height` lines for that."""
        sample, speech = plan.samples[place], self.speech
        state = self._of.sign_of(sample)
        label = cut(marks.class_name(self.app.project.case, sample.label), width - 3, only_ascii=speech.only_ascii)
        name = Content.assemble(speech.sign(state) if state else Content(" "), " ", plain(label))
        here = place == self._of.place
        name = _filled(Content.assemble(speech.pointer().strip() if here else " ", name), width)
        if here:
            name = name.stylize("reverse")
        return [name, *(_filled(line, width) for line in self._inside(place, width, height))]

    def _inside(self, place: int, width: int, height: int) -> list[Content]:
        """The picture or the first words of a sample, in just so many lines."""
        content = self._of.samples.get(place)
        lines: list[Content]
        if content is None:
            lines = [Content.styled(cut(self.speech.say("sample-loading"), width), "$text-muted")]
        elif isinstance(content, UserError):
            lines = [plain(line, "$text-warning") for line in _text(content.text(self.speech.language), width)]
        else:
            lines = self._drawn(content, width, height)
        return [*lines[:height], *[Content("")] * (height - len(lines))]

    def _drawn(self, content: Sample, width: int, height: int) -> list[Content]:
        if content.picture is None:
            return [plain(line) for line in _text("  ".join(value for _, value in content.fields), width)]
        size = cells(content.picture, width, height)
        if environment_way(only_ascii=self.speech.only_ascii) == "ascii":
            return [Content(line) for line in ascii_lines(content.picture, *size)]
        return block_lines(content.picture, *size)

    # --- keys ---------------------------------------------------------------------------------------------------------

    def why_not(self, verb: str) -> str | None:
        return self._of.why_not(verb) if verb.startswith("mark-") or verb == "undo" else super().why_not(verb)

    def action_mark(self, judgement: str) -> None:
        """Mark the sample under the cursor; where it is judged, the cursor goes on to the next one."""
        at = self._of.place
        self._of.judge(judgement)
        if judgement and (later := [place for place in self._places if place > at]):
            self._of.place = later[0]
        self._draw()

    def action_undo(self) -> None:
        self._of.action_undo()
        self._draw()

    def action_step(self, by: int) -> None:
        places = self._places
        if self._of.place in places:
            self._of.place = places[min(len(places) - 1, max(0, places.index(self._of.place) + by))]
        self._draw()

    def action_row(self, by: int) -> None:
        self.action_step(by * self._grid[0])

    def action_page(self, by: int) -> None:
        columns, rows = self._grid
        self.action_step(by * columns * rows)

    def action_back(self) -> None:
        self._of.show()
        self.dismiss(None)

    def on_click(self, event: Click) -> None:
        """The cursor goes to the sample that is clicked on."""
        body, (columns, rows) = self.query_one("#cells"), self._grid
        if not body.region.contains(event.screen_x, event.screen_y):
            return
        column = (event.screen_x - body.content_region.x) // max(1, body.size.width // columns)
        row = (event.screen_y - body.content_region.y) // max(1, body.size.height // rows)
        page, at = self._page, int(row * columns + column)
        if 0 <= column < columns and 0 <= at < len(page):
            self._of.place = page[at]
            self._draw()


def _text(text: str, width: int) -> list[str]:
    return wrap(text.replace("\t", " "), width).split("\n")


def _filled(line: Content, width: int) -> Content:
    """A line of just so many cells."""
    return line + Content(" " * max(0, width - cell_len(line.plain)))
