"""The ways to look at a piece of evidence, each as widgets; its words, which are also what is copied; and it as a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from ... import chart_texts
from ...language import visible
from ...model import (
    CHARTS,
    Chart,
    Code,
    Curve,
    Evidence,
    Heatmap,
    Histogram,
    Images,
    Note,
    Plain,
    Table,
    Tree,
    line_of,
    tree_text,
)
from ..signs import Speech, plain
from .findings import label_of
from .pages import CELL, cell_text

if TYPE_CHECKING:
    from ...case import Case

#: Lines of a text that are drawn; copying and saving take all.
LINES = 2000


def ways(evidence: Evidence | None) -> tuple[str, ...]:
    """How a piece of evidence can be looked at, the usual way first."""
    if isinstance(evidence, CHARTS):
        return "chart", "text", "values"
    if isinstance(evidence, Images):
        return "images", "text"
    if isinstance(evidence, Table):
        return "table", "text"
    if isinstance(evidence, Tree):
        return "tree", "text"
    return ("code",) if isinstance(evidence, Code) else ("text",)


def widgets(name: str, evidence: Evidence, way: str, speech: Speech, case: Case, room: int) -> list[Widget]:
    """Evidence looked at in one of its ways. room: lines of the screen that it may fill."""
    label = label_of(name, speech)
    if way == "chart" and isinstance(evidence, CHARTS):
        from .plot import Plot

        return [Plot(evidence, label, room)]
    if way == "values" or way == "table":
        from .pages import Pages

        table = evidence if isinstance(evidence, Table) else values(evidence, label)
        return [Pages(table, [label(column) for column in table.columns], room)]
    if way == "tree" and isinstance(evidence, Tree):
        return [_tree(evidence, label)]
    if way == "images" and isinstance(evidence, Images):
        from .gallery import Gallery

        return [Gallery(evidence)]
    if isinstance(evidence, Code):
        from .code import CodeView

        return [CodeView(evidence, None if case.alone else case.path(evidence.path), room)]
    lines = text_of(name, evidence, speech).split("\n")
    more = [Content.styled(speech.say("text-more", count=len(lines) - LINES), "$text-muted")]
    shown = Content("\n").join([plain("\n".join(lines[:LINES])), *(more if len(lines) > LINES else [])])
    return [Static(shown, classes="text", markup=False)]


def told(name: str, chart: Chart, speech: Speech) -> list[str]:
    """A chart in words."""
    return chart_texts.words(chart, label_of(name, speech), speech.language)


def text_of(name: str, evidence: Evidence, speech: Speech) -> str:
    """Evidence as text: what is copied, and what a screen reader reads."""
    label = label_of(name, speech)
    if isinstance(evidence, Table):
        rows = [map(label, evidence.columns), *(map(cell_text, row) for row in evidence.rows)]
        return "\n".join("\t".join(row) for row in rows)
    if isinstance(evidence, Tree):
        return tree_text(evidence)
    if isinstance(evidence, (Curve, Heatmap)):
        return "\n".join([label(evidence.title), *told(name, evidence, speech)])
    if isinstance(evidence, Histogram):
        bars = [
            f"{label(each)}\t{cell_text(count)}" for each, count in zip(evidence.labels, evidence.counts, strict=False)
        ]
        return "\n".join([label(evidence.title), *told(name, evidence, speech), *bars])
    if isinstance(evidence, Images):
        captions = [*evidence.captions, *[""] * len(evidence.paths)]
        return "\n".join(f"{path}  {caption}".rstrip() for path, caption in zip(evidence.paths, captions, strict=False))
    return evidence.text if isinstance(evidence, (Code, Note)) else ""


def values(evidence: Evidence, label: Callable[[str], str]) -> Table:
    """The numbers of a chart as a table."""
    if isinstance(evidence, Histogram):
        pairs = zip(evidence.labels, evidence.counts, strict=False)
        return Table(evidence.title, [evidence.x_label, evidence.y_label], [list(pair) for pair in pairs])
    if isinstance(evidence, Heatmap):
        held = zip(evidence.rows, evidence.values, strict=False)
        return Table(evidence.title, [evidence.y_label, *evidence.columns], [[name, *row] for name, row in held])
    if not isinstance(evidence, Curve):
        return Table("", [], [])
    columns: list[list[Any]] = [list(evidence.x), *[list(series) for series in evidence.series.values()]]
    rows: list[list[Plain]] = [
        [column[place] if place < len(column) else None for column in columns] for place in range(len(evidence.x))
    ]
    return Table(evidence.title, [evidence.x_label or "x", *evidence.series], rows)


def _tree(tree: Tree, label: Callable[[str], str]) -> Widget:
    """Branches that lead to something marked are open."""
    from rich.text import Text
    from textual.widgets import Tree as TreeWidget

    widget: TreeWidget[None] = TreeWidget(Text(visible(label(tree.value))))
    widget.root.expand()
    above = [widget.root]
    for branch in tree.branches:
        del above[branch.depth + 1 :]
        text = Text(visible(line_of(branch)[:CELL]), style="bold" if branch.marked else "")
        above.append(above[-1].add(text, expand=branch.marked))
        for node in above[:-1] if branch.marked else ():
            node.expand()
    for node in [node for parent in _nodes(widget.root) for node in parent.children]:
        node.allow_expand = bool(node.children)
    return widget


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children:
        yield from _nodes(child)


def file_of(name: str, evidence: Evidence, speech: Speech) -> tuple[bytes, str]:
    """What saving writes, and the ending of the file."""
    from ...report import spreadsheet

    if isinstance(evidence, (Table, *CHARTS)):
        table = evidence if isinstance(evidence, Table) else values(evidence, label_of(name, speech))
        return spreadsheet.encode([[*table.columns], *[[*row] for row in table.rows]]), ".csv"
    return text_of(name, evidence, speech).encode("utf-8", "backslashreplace"), ".txt"
