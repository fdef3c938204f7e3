"""A chart that fills the cells it is given, and is drawn again when these change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from ...model import Chart, Curve, Heatmap
from . import chart as drawing

if TYPE_CHECKING:
    from ..app import Walkthrough

#: Of the screen below the head, and at least and at most these lines: the words are to be seen beside the chart.
SHARE, LEAST, MOST = 0.6, 7, 34


class Plot(Static):
    app: Walkthrough

    def __init__(self, chart: Chart, label: Callable[[str], str], room: int | None) -> None:
        """room: lines of the screen that chart and words share; None: a curve has all lines of its pane."""
        super().__init__(markup=False)
        self._chart, self._label = chart, label
        self._rows = max(LEAST, min(MOST, int(room * SHARE))) if room is not None else 0
        self._fills = room is None and isinstance(chart, Curve)
        if self._fills:
            self.styles.height, self.styles.min_height = "1fr", LEAST
        self._drawn = 0  # cells

    def on_resize(self, event: Resize) -> None:
        if self._fills:
            self._rows = event.size.height
        if self._fills or event.size.width != self._drawn:  # not for what its own lines change: its height
            self._drawn = event.size.width
            self._draw(event.size.width)

    def _draw(self, width: int) -> None:
        chart, only_ascii = self._chart, self.app.speech.only_ascii
        if isinstance(chart, Curve):
            lines = drawing.curve(chart, self._label, width, self._rows, only_ascii=only_ascii)
        elif isinstance(chart, Heatmap):
            lines = drawing.heat(chart, self._label, width, only_ascii=only_ascii)
        else:
            lines = drawing.bars(chart, self._label, width, self._rows, only_ascii=only_ascii)
        self.update(Content("\n").join(lines))
