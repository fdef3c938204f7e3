"""Lines of a file with their numbers, those meant marked; more of the file around them as long as it is the one that was read."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.content import Content
from textual.widgets import Static

from ...language import visible
from ...model import Code

if TYPE_CHECKING:
    from ..app import Walkthrough

#: A larger file is not read for a few lines of it.
MOST = 4 << 20
#: Lines that one key shows more of on each side, and the most that are drawn.
BY, LINES = 10, 600
#: Longer lines are cut.
WIDEST = 400


def lines_of(file: Path) -> list[str]:
    """The lines of a script in whatever encoding it is; none for what is too large, no file, or a notebook. Raises OSError."""
    from ...script.encoding import candidates, decode

    if file.suffix == ".ipynb" or not file.is_file() or file.stat().st_size > MOST:
        return []
    data = file.read_bytes()
    texts = (decode(data, encoding) for encoding in candidates(data))
    return next((text.split("\n") for text in texts if text is not None), [])


class CodeView(Static):
    """`file` is where the lines come from, or None when it may not be opened. `room`: lines to fill from the start."""

    DEFAULT_CSS = "CodeView { height: auto; width: auto; min-width: 100%; }"
    app: Walkthrough

    def __init__(self, code: Code, file: Path | None, room: int = 0) -> None:
        super().__init__(markup=False)
        self._code, self._file, self._room = code, file, room
        self._around = 0
        self._whole: list[str] | None = None

    def on_mount(self) -> None:
        around = (self._room - len(self._mine)) // 2
        if around <= 0 or self.widen(around) is not None:
            self._draw()

    @property
    def text(self) -> str:
        """The lines shown."""
        return "\n".join(self._lines()[1])

    def widen(self, by: int) -> str | None:
        """Show more of the file, or less; returns why that is not possible as a key of WORDS."""
        if by > 0 and self._whole is None:
            try:
                self._whole = lines_of(self._file) if self._file is not None else []
            except OSError:
                self._whole = []
            if self._whole and not self._same(self._whole):
                self._whole = []
        if by > 0 and not self._whole:
            return "code-other"
        most = max(0, (LINES - len(self._mine)) // 2)  # more would leave no room for the lines meant
        self._around = min(max(0, self._around + by), most)
        self._draw()
        return None

    @property
    def _mine(self) -> list[str]:
        """The lines as they were read."""
        return self._code.text.replace("\r\n", "\n").split("\n")

    def _same(self, whole: list[str]) -> bool:
        """Whether the lines stand in the file as they were when they were read."""
        mine = self._mine
        here = whole[self._code.line - 1 : self._code.line - 1 + len(mine)]
        return [line.rstrip() for line in here] == [line.rstrip() for line in mine]

    def _lines(self) -> tuple[int, list[str]]:
        """The number of the first line shown, and the lines."""
        code, mine = self._code, self._mine
        if not self._around or not self._whole:
            return code.line, mine[:LINES]
        first = max(1, code.line - self._around)
        return first, self._whole[first - 1 : code.line - 1 + len(mine) + self._around][:LINES]

    @work(exclusive=True)
    async def _draw(self) -> None:
        """The plain lines at once, in colours when these are there."""
        first, lines = self._lines()
        shown = [visible(line.expandtabs(4))[:WIDEST] for line in lines]
        self.update(self._numbered(first, [Content(line) for line in shown]))
        if self._code.language == "python":
            coloured = await asyncio.to_thread(_coloured, shown)
            if len(coloured) == len(shown):
                self.update(self._numbered(first, coloured))

    def _numbered(self, first: int, lines: list[Content]) -> Content:
        pointer, marked = self.app.speech.pointer(), set(self._code.marked)
        drawn = []
        for number, line in enumerate(lines, start=first):
            if number in marked:
                head = (f"{pointer}{number:>5} ", "bold $text-error")
                drawn.append(Content.assemble(head, line.stylize("bold on $error-muted")))
            else:
                drawn.append(Content.assemble((f"  {number:>5} ", "$text-muted"), line))
        return Content("\n").join(drawn)


def _coloured(lines: list[str]) -> list[Content]:
    from textual.highlight import highlight

    return highlight("\n".join(lines), language="python").split("\n", allow_blank=True)
