"""One piece of evidence, full size: a table in pages, a curve or bars as a chart with a text alternative, code, text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from ...errors import SaveError, from_os_error
from ...language import visible, word
from ...model import Code, Curve, Evidence, Finding, Histogram, Images, Note, Table, Tree, line_of, tree_text
from ..signs import Speech, plain, wrap
from ..widgets.findings import bars, explanation_of, message_of, place, title_of, words_of
from ..widgets.keybar import KeyBar
from .dialogs import Ask, Choose

if TYPE_CHECKING:
    from ..app import Walkthrough

#: Longer cells are cut on screen; saving keeps them.
CELL = 60
#: More of a diff would only slow the screen down.
LINES, WIDEST = 400, 400


class EvidenceScreen(Screen[None]):
    CSS = """
    EvidenceScreen #head { dock: top; height: auto; max-height: 4; padding: 0 1; background: $primary-background; }
    EvidenceScreen #body { height: 1fr; padding: 0 1; }
    EvidenceScreen DataTable { height: auto; max-height: 100%; }
    EvidenceScreen Tree { height: auto; max-height: 100%; background: $background; }
    EvidenceScreen PlotextPlot { height: 20; max-height: 70vh; }
    """
    BINDINGS = [
        Binding("escape,q", "back", show=False, id="back"),
        Binding("left_square_bracket,left,p", "step(-1)", show=False, id="previous"),
        Binding("right_square_bracket,right,n", "step(1)", show=False, id="next"),
        Binding("s", "save", show=False, id="save-as"),
        Binding("y", "copy", show=False, id="copy"),
    ]

    app: Walkthrough

    def __init__(self, targets: list[tuple[str, Finding, int]], index: int) -> None:
        super().__init__()
        self._targets, self._index = targets, index

    @property
    def _speech(self) -> Speech:
        return self.app.speech

    @property
    def _evidence(self) -> Evidence | None:
        _, finding, index = self._targets[self._index]
        return finding.evidence[index] if index < len(finding.evidence) else None

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield VerticalScroll(id="body")
        yield KeyBar()

    async def on_mount(self) -> None:
        await self._show()

    async def _show(self) -> None:
        name, finding, _ = self._targets[self._index]
        speech, evidence = self._speech, self._evidence
        lines = [Content.assemble(speech.level(finding.level), " ", plain(self._message(name, finding)))]
        where = place(finding.where)
        title = title_of(speech, name, evidence) if evidence is not None else ""
        count = f"{self._index + 1}/{len(self._targets)}"
        lines.append(Content.assemble((f"{count}  ", "$text-muted"), plain(title), "  ", plain(where, "$text-accent")))
        self.query_one("#head", Static).update(Content("\n").join(lines))
        body = self.query_one("#body", VerticalScroll)
        await body.remove_children()
        await body.mount(*self._widgets(name, finding, evidence))
        body.focus()
        say = speech.say
        self.query_one(KeyBar).set_keys(
            [
                ("Esc", say("key-back"), "screen.back"),
                ("<" if speech.only_ascii else "←", say("key-previous"), "screen.step(-1)"),
                (">" if speech.only_ascii else "→", say("key-following"), "screen.step(1)"),
                ("s", say("key-save-as"), "screen.save"),
                ("y", say("key-copy"), "screen.copy"),
            ]
        )

    def _message(self, name: str, finding: Finding) -> str:
        return (
            self._speech.say("log")
            if finding.code == "log"
            else message_of(name, finding.code, finding.data, self._speech)
        )

    def _widgets(self, name: str, finding: Finding, evidence: Evidence | None) -> list[Widget]:
        shown = [*self._shown(name, evidence)] if evidence is not None else []
        return [*shown, Static(self._explained(name, finding, first=not shown), markup=False)]

    def _explained(self, name: str, finding: Finding, *, first: bool) -> Content:
        """Why it hurts, how sure the probe is, what would prove it, and how to mend it, with the lines to change."""
        say, width = self._speech.say, max(20, self.size.width - 4)
        explained, fix = explanation_of(name, finding, self._speech), finding.fix
        texts = {"why": explained.why, "sure": explained.sure, "proof": explained.proof}
        texts["fix"] = message_of(name, fix.message, finding.data, self._speech) if fix is not None else ""
        lines: list[Content] = []
        for key, text in texts.items():
            if text:
                words = plain(wrap(f"{say(key)}  {text}", width, 2))
                lines += [words.stylize("bold $accent", 0, len(say(key))), Content("")]
        if fix is not None and fix.diff:
            changes = fix.diff.rstrip("\n").split("\n")[:LINES]
            lines += [plain(line.rstrip("\r")[:WIDEST], _diff_style(line)) for line in changes]
            lines += [Content(""), Content.styled(say("fix-command"), "$text-muted")]
        return Content("\n").join(lines if first else [Content(""), *lines])

    def _shown(self, name: str, evidence: Evidence) -> list[Widget]:
        if isinstance(evidence, Table):
            return [self._table(name, evidence)]
        if isinstance(evidence, Tree):
            return [self._tree(name, evidence)]
        if isinstance(evidence, (Curve, Histogram)):
            return [*self._plot(name, evidence), Static(plain(self._text(evidence)), markup=False)]
        if isinstance(evidence, Code):
            lines = []
            for index, line in enumerate(evidence.text.split("\n")):
                number = evidence.line + index
                style = "bold $text-error" if number in evidence.marked else ""
                lines.append(Content.assemble((f"{number:>6} ", "$text-muted"), plain(visible(line), style)))
            return [Static(Content("\n").join(lines), markup=False)]
        return [Static(plain(self._text(evidence)), markup=False)]

    def _table(self, name: str, table: Table) -> Widget:
        from rich.text import Text
        from textual.widgets import DataTable

        words = words_of(name)
        widget: DataTable[Text] = DataTable(zebra_stripes=True, cursor_type="row")
        for column in table.columns:
            widget.add_column(Text(visible(word(words, column, self._speech.language))))
        for row in table.rows:
            widget.add_row(*[Text(visible(_cell(value)[:CELL])) for value in row])
        return widget

    def _tree(self, name: str, tree: Tree) -> Widget:
        """Branches that lead to something marked are open."""
        from rich.text import Text
        from textual.widgets import Tree as TreeWidget

        words, language = words_of(name), self._speech.language
        widget: TreeWidget[None] = TreeWidget(Text(word(words, tree.value, language)))
        widget.root.expand()
        above = [widget.root]
        for branch in tree.branches:
            del above[branch.depth + 1 :]
            label = Text(visible(line_of(branch)[:CELL]), style="bold" if branch.marked else "")
            above.append(above[-1].add(label, expand=branch.marked))
        for node in [node for parent in _nodes(widget.root) for node in parent.children]:
            node.allow_expand = bool(node.children)
        return widget

    def _plot(self, name: str, chart: Curve | Histogram) -> list[Widget]:
        if self._speech.only_ascii:
            return []
        from textual_plotext import PlotextPlot

        words, language = words_of(name), self._speech.language
        widget = PlotextPlot()
        plot = widget.plt
        if isinstance(chart, Histogram):
            plot.bar([visible(label)[:12] for label in chart.labels], chart.counts)
            plot.xlabel(_celled(word(words, chart.x_label, language)))
            plot.ylabel(_celled(word(words, chart.y_label, language)))
        else:
            log = _over_decades(chart.x)
            place = math.log10 if log else float
            for number, (label, values) in enumerate(chart.series.items()):
                points = [(place(x), y) for x, y in zip(chart.x, values, strict=False) if y is not None]
                if points:
                    plot.plot(
                        [x for x, _ in points],
                        [y for _, y in points],
                        label=_celled(visible(word(words, label, language))),
                        marker=_MARKERS[number % len(_MARKERS)],
                    )
            for x in chart.marks.values():
                if not log or x > 0:
                    plot.vline(place(x))
            if log:
                decades = range(math.ceil(place(min(chart.x))), math.floor(place(max(chart.x))) + 1)
                plot.xticks([*decades], [f"{10.0**decade:g}" for decade in decades])
            plot.xlabel(_celled(word(words, chart.x_label, language)))
            plot.ylabel(_celled(word(words, chart.y_label, language)))
        plot.title(_celled(word(words, chart.title, language)))
        return [widget]

    def _text(self, evidence: Evidence) -> str:
        """The text alternative, which is also what is copied."""
        if isinstance(evidence, Table):
            rows = ["\t".join(evidence.columns), *("\t".join(_cell(value) for value in row) for row in evidence.rows)]
            return "\n".join(rows)
        if isinstance(evidence, Tree):
            return tree_text(evidence)
        if isinstance(evidence, Histogram):
            return "\n".join(
                bars(self._speech, evidence.labels, evidence.counts, self.size.width, len(evidence.labels))
            )
        if isinstance(evidence, Curve):
            words, language = words_of(self._targets[self._index][0]), self._speech.language
            lines = []
            for key, values in evidence.series.items():
                known = [value for value in values if value is not None]
                if known:
                    label = word(words, key, language)
                    lines.append(
                        f"{label}: {known[0]:g} .. {known[-1]:g}, min {min(known):g}, max {max(known):g}, n {len(known)}"
                    )
            return "\n".join([*lines, *(f"{word(words, key, language)}: {x:g}" for key, x in evidence.marks.items())])
        if isinstance(evidence, Code):
            return evidence.text
        if isinstance(evidence, Images):
            return "\n".join(
                f"{path}  {caption}" for path, caption in zip(evidence.paths, evidence.captions, strict=False)
            )
        return evidence.text if isinstance(evidence, Note) else ""

    async def action_step(self, by: int) -> None:
        self._index = (self._index + by) % len(self._targets)
        await self._show()

    def action_back(self) -> None:
        self.dismiss()

    def action_copy(self) -> None:
        name, finding, _ = self._targets[self._index]
        evidence = self._evidence
        self.app.copy_to_clipboard(self._text(evidence) if evidence else self._message(name, finding))
        self.notify(self._speech.say("copied"), timeout=2)

    @work
    async def action_save(self) -> None:
        """Write the evidence to a file: tables and charts as CSV, the rest as text."""
        evidence = self._evidence
        if evidence is None:
            return
        content, ending = _file(evidence, self._text(evidence))
        proposed = str(Path(self.app.project.case.root, f"{self._targets[self._index][1].code}{ending}"))
        target = await self.app.push_screen_wait(Ask(self._speech.say("save-as-title"), proposed))
        if target is None:
            return
        path = Path(target).expanduser()
        try:
            with path.open("xb") as stream:
                stream.write(content)
        except OSError as error:
            text = from_os_error(error, path, SaveError).text(self._speech.language)
            self.app.push_screen(Choose(self._speech.say("error-title"), text, [("close", self._speech.say("close"))]))
        else:
            self.notify(plain(self._speech.say("written", path=path)).plain, markup=False)


#: Of plotext: what the curves of a chart are drawn with, so that they differ on a terminal without colours.
_MARKERS = ("hd", "•", "+", "braille")


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children:
        yield from _nodes(child)


def _over_decades(x: list[float]) -> bool:
    """Whether an axis is a logarithmic one, as in the reports: over more than three decades, and not of even steps."""
    return bool(x) and 0 < 1e3 * min(x) <= max(x) < 1e100 and sorted(x)[len(x) // 2] < 0.1 * max(x)


def _celled(text: str) -> str:
    """A text with as many characters as it takes cells: plotext counts a Chinese one, two cells wide, for one."""
    return "".join(sign + "\u200b" if east_asian_width(sign) in "WF" else sign for sign in text)


def _diff_style(line: str) -> str:
    if line.startswith(("+++", "---", "@@", "\\")):
        return "$text-muted"
    return {"+": "$text-success", "-": "$text-error"}.get(line[:1], "")


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.6g}"
    return (
        "" if value is None else f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    )


def _file(evidence: Evidence, text: str) -> tuple[bytes, str]:
    """What saving writes, and the ending of the file."""
    from ...report import spreadsheet

    if isinstance(evidence, Table):
        rows: list[list[object]] = [[*evidence.columns]]
        rows += [[*row] for row in evidence.rows]
    elif isinstance(evidence, Histogram):
        rows = [list(pair) for pair in zip(evidence.labels, evidence.counts, strict=True)]
    elif isinstance(evidence, Curve):
        rows = [["x", *evidence.series]]
        for i, x in enumerate(evidence.x):
            rows.append([x, *[values[i] for values in evidence.series.values()]])
    else:
        return text.encode("utf-8", "backslashreplace"), ".txt"
    return spreadsheet.encode(rows), ".csv"
