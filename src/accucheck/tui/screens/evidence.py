"""A finding in full: what is wrong and where, one piece of its evidence, why it hurts, how sure that is, what proves it, how to mend it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from ... import store
from ...errors import SaveError
from ...model import CHARTS, Code, Evidence, Finding
from ..places import open_place, why_not_open
from ..signs import Speech, plain, wrap
from ..verbs import BACK, FILTER, HELP, PALETTE, Verb, VerbScreen
from ..widgets.code import BY, CodeView
from ..widgets.evidence import file_of, text_of, told, ways, widgets
from ..widgets.findings import explanation_of, message_of, place, title_of
from ..widgets.keybar import KeyBar
from ..widgets.pages import Pages, cell_text
from .dialogs import AskLine, Choose

#: More of a diff would only slow the screen down; the mend shows all of it.
LINES, WIDEST = 60, 400
#: Lines of the head.
HEAD = 5


class EvidenceScreen(VerbScreen[None]):
    HORIZONTAL_BREAKPOINTS = [(0, "-normal"), (130, "-broad")]
    CSS = """
    EvidenceScreen #head { dock: top; height: auto; max-height: 5; padding: 0 1; background: $primary-background; }
    EvidenceScreen #body { height: 1fr; padding: 0 1; }
    EvidenceScreen #shown { height: auto; }
    EvidenceScreen #explained { height: auto; margin-top: 1; }
    EvidenceScreen.-broad #body { layout: horizontal; }
    EvidenceScreen.-broad #shown { width: 3fr; }
    EvidenceScreen.-broad #explained { width: 2fr; margin: 0 0 0 2; }
    EvidenceScreen Plot { height: auto; }
    EvidenceScreen #shown Tree { height: auto; background: $background; }
    """
    VERBS: ClassVar[list[Verb]] = [
        BACK,
        Verb(
            "evidence-previous", "left_square_bracket,left,p", "step(-1)", "command-evidence-previous", "key-previous"
        ),
        Verb("evidence-next", "right_square_bracket,right,n", "step(1)", "command-evidence-next", "key-following"),
        Verb("evidence-way", "c", "change_way", "command-evidence-way", "key-way"),
        Verb("open-place", "o", "open_place", "command-open-place", "key-open-place"),
        Verb("mend", "f", "mend", "command-mend", "key-mend"),
        Verb("run-stale", "x", "run_stale", "command-run-stale", "key-run-stale"),
        Verb("graph", "G", "graph", "command-graph"),
        Verb("evidence-save", "s", "save", "command-evidence-save", "key-save-as"),
        Verb("evidence-copy", "y", "copy", "command-evidence-copy", "key-copy"),
        FILTER,
        Verb("table-sort", "S", "sort", "command-table-sort", "key-sort"),
        Verb("table-copy-row", "Y", "copy_row", "command-table-copy-row"),
        Verb("code-more", "plus,equals_sign", "widen(1)", "command-code-more", "key-more"),
        Verb("code-less", "minus", "widen(-1)", "command-code-less", "key-less"),
        HELP,
        PALETTE,
    ]
    HERE = ("help-evidence",)

    def __init__(self, targets: list[tuple[str, Finding, int]], index: int) -> None:
        super().__init__()
        self._targets, self._index = targets, index
        self._way = self._head_rows = 0
        self._wanted: tuple[int, int, Speech] | None = None

    @property
    def _finding(self) -> tuple[str, Finding]:
        name, finding, _ = self._targets[self._index]
        return name, finding

    @property
    def _evidence(self) -> Evidence | None:
        _, finding, index = self._targets[self._index]
        return finding.evidence[index] if index < len(finding.evidence) else None

    @property
    def _ways(self) -> tuple[str, ...]:
        return ways(self._evidence)

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        with VerticalScroll(id="body"):
            yield Vertical(id="shown")
            yield Static(id="explained", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self._show()

    async def rebuild(self) -> None:
        self._show()

    def _show(self) -> None:
        """The words at once; the evidence a frame later, so that holding a key down never lags."""
        self._wanted = self._index, self._way, self.speech
        self.query_one("#shown").visible = False
        self._show_words()
        # twice: the first comes when the head asks to be painted, the second when it is
        self.call_after_refresh(self.call_after_refresh, self._show_evidence, self._wanted)

    async def _show_evidence(self, wanted: tuple[int, int, Speech]) -> None:
        """The evidence in the way that is chosen, unless another one is wanted by now."""
        if wanted != self._wanted:
            return
        name, _ = self._finding
        evidence, shown = self._evidence, self.query_one("#shown", Vertical)
        with self.app.batch_update():
            await shown.remove_children()
            if evidence is not None:
                way = self._ways[self._way % len(self._ways)]
                room = self.size.height - 1 - self._head_rows
                if isinstance(evidence, Code) and not self.has_class("-broad"):
                    room = 0  # what explains it stands below, and is to be seen
                await shown.mount(*widgets(name, evidence, way, self.speech, self.app.project.case, room))
            shown.display, shown.visible = evidence is not None, True
            body = self.query_one("#body", VerticalScroll)
            body.scroll_home(animate=False)
            pages = self.query(Pages)
            (pages.first().grid if pages else body).focus(scroll_visible=False)
        self.show_keys()

    def on_resize(self, _: Resize) -> None:
        if self.query("#head"):
            self.call_after_refresh(self._show_words)

    def _show_words(self) -> None:
        """What is wrong and where above; below or beside, what explains it."""
        name, finding = self._finding
        speech, evidence, width = self.speech, self._evidence, max(20, self.size.width - 2)
        lines = [Content.assemble(speech.level(finding.level), " ", plain(wrap(self._message(), width - 2, 2)))]
        count = f"{self._index + 1}/{len(self._targets)}" if len(self._targets) > 1 else ""
        sure = speech.say(f"sure-{finding.sure.value}") if finding.sure is not None else ""
        title = title_of(speech, name, evidence) if evidence is not None else ""
        where = place(finding.where)
        parts = [(where, "$text-accent"), (sure, "$text-muted"), (title if title != where else "", "")]
        line = Content.styled(count, "$text-muted")
        for text, style in parts:
            line += Content.assemble("  " if line.plain else "", plain(text, style)) if text else Content("")
        lines.append(line)
        head = Content("\n").join(lines)
        self._head_rows = min(HEAD, head.plain.count("\n") + 1)
        self.query_one("#head", Static).update(head)
        beside = self.has_class("-broad") and evidence is not None
        explained = self._explained(name, finding, (width - 4) * 2 // 5 if beside else width - 2)
        self.query_one("#explained", Static).update(explained)
        self.query_one("#explained").display = bool(explained.plain)

    def _message(self) -> str:
        name, finding = self._finding
        return (
            self.speech.say("log")
            if finding.code == "log"
            else message_of(name, finding.code, finding.data, self.speech)
        )

    def _explained(self, name: str, finding: Finding, width: int) -> Content:
        """Why it hurts, how sure the probe is, what would prove it, and how to mend it, with the lines to change."""
        say = self.speech.say
        explained, fix = explanation_of(name, finding, self.speech), finding.fix
        texts = {"why": explained.why, "sure": explained.sure, "proof": explained.proof}
        texts["fix"] = message_of(name, fix.message, finding.data, self.speech) if fix is not None else ""
        lines: list[Content] = []
        for key, text in texts.items():
            if text:
                words = plain(wrap(f"{say(key)}  {text}", width, 2))
                lines += [words.stylize("bold $accent", 0, len(say(key))), Content("")]
        if fix is not None and fix.diff:
            changes = fix.diff.rstrip("\n").split("\n")
            lines += [plain(line.rstrip("\r")[:WIDEST], diff_style(line)) for line in changes[:LINES]]
            if len(changes) > LINES:
                lines.append(Content.styled(say("text-more", count=len(changes) - LINES), "$text-muted"))
            lines += [Content(""), Content.styled(say("mend-hint", key=self.key_of("mend")), "$text-muted")]
        if self._ways[self._way % len(self._ways)] == "chart" and isinstance(self._evidence, CHARTS):
            lines += [Content("")] if lines and lines[-1].plain else []
            lines += [plain(wrap(line, width, 2), "$text-muted") for line in told(name, self._evidence, self.speech)]
        return Content("\n").join(lines)

    # --- what can be done ---------------------------------------------------------------------------------------------

    def why_not(self, verb: str) -> str | None:
        say, evidence, (_, finding) = self.speech.say, self._evidence, self._finding
        if verb in ("evidence-previous", "evidence-next") and len(self._targets) == 1:
            return say("evidence-only")
        if verb == "evidence-way" and len(self._ways) == 1:
            return say("evidence-one-way")
        if verb == "open-place":
            return why_not_open(self.app, finding, evidence)
        if verb == "run-stale":
            return self.app.why_not_run()
        if verb == "graph":
            return self.app.why_alone()
        if verb == "mend" and (finding.fix is None or not finding.fix.diff):
            return say("mend-by-hand")
        if (verb == "filter" or verb.startswith("table-")) and not self.query(Pages):
            return say("evidence-no-table")
        if verb.startswith("code-") and not isinstance(evidence, Code):
            return say("evidence-no-code")
        if verb == "evidence-save" and evidence is None:
            return say("evidence-none")
        return None

    def in_bar(self, verb: str) -> bool:
        if verb in ("filter", "table-sort", "code-more", "code-less", "mend", "open-place", "evidence-way"):
            return self.why_not(verb) is None
        return verb != "run-stale" or bool(self.app.stale)

    def action_step(self, by: int) -> None:
        self._index = (self._index + by) % len(self._targets)
        self._way = 0
        self._show()

    def action_change_way(self) -> None:
        self._way += 1
        self._show()
        way = self._ways[self._way % len(self._ways)]
        self.notify(self.speech.say("way-now", way=self.speech.say(f"way-{way}")), timeout=2, markup=False)

    def action_open_place(self) -> None:
        name, finding = self._finding
        open_place(self.app, name, finding, self._evidence)

    def action_mend(self) -> None:
        from .mend import MendScreen

        self.app.push_screen(MendScreen(*self._finding))

    def action_graph(self) -> None:
        """The network, at the place that the finding speaks of."""
        from .network import NetworkScreen

        self.app.push_screen(NetworkScreen(self._finding[1]))

    def action_run_stale(self) -> None:
        self.app.run_stale()

    def action_widen(self, by: int) -> None:
        why = self.query_one(CodeView).widen(by * BY)
        if why is not None:
            self.notify(self.speech.say(why), severity="warning", markup=False)

    def action_sort(self) -> None:
        self.query_one(Pages).sort()

    async def action_filter(self) -> None:
        self.query_one(Pages).ask_filter()

    def action_copy_row(self) -> None:
        pages, evidence = self.query_one(Pages), self._evidence
        line = pages.line
        if line is not None and evidence is not None:
            self.app.copy_to_clipboard("\t".join(map(cell_text, pages.table.rows[line])))
            self.notify(self.speech.say("copied"), timeout=2)

    def on_pages_asked(self, message: Pages.Asked) -> None:
        text = cell_text(message.value) if not isinstance(message.value, float) else repr(message.value)
        self.app.push_screen(Choose(message.column, text, [("close", self.speech.say("close"))]))

    def action_back(self) -> None:
        """Back out: of the filter of a table, then of the screen."""
        if not any(pages.clear_filter() for pages in self.query(Pages)):
            self.dismiss()

    def action_copy(self) -> None:
        (name, _), evidence = self._finding, self._evidence
        code = self.query(CodeView)
        text = code.first().text if code else text_of(name, evidence, self.speech) if evidence else self._message()
        self.app.copy_to_clipboard(text)
        self.notify(self.speech.say("copied"), timeout=2)

    @work
    async def action_save(self) -> None:
        """Write the evidence to a file: tables and charts as CSV, the rest as text."""
        (name, finding), evidence = self._finding, self._evidence
        if evidence is None:
            return
        content, ending = file_of(name, evidence, self.speech)
        proposed = str(Path(self.app.project.case.root, f"{finding.code}{ending}"))
        target = await self.app.push_screen_wait(AskLine(self.speech.say("save-as-title"), proposed))
        if target is not None:
            write_new(self, target, content)


def write_new(screen: VerbScreen[Any], target: str, content: bytes) -> None:
    """Write a file that is not there yet, and say so, or why not. A ~ before a name that nobody has here is part of the name."""
    path = Path(os.path.expanduser(target))
    try:
        store.write_new(path, content)
    except SaveError as error:
        screen.app.show_error(error.text(screen.speech.language))
    else:
        screen.notify(plain(screen.speech.say("written", path=path)).plain, markup=False)


def diff_style(line: str) -> str:
    if line.startswith(("+++", "---", "@@", "\\")):
        return "$text-muted"
    return {"+": "$text-success", "-": "$text-error"}.get(line[:1], "")
