"""One item, on the right: method, evidence, conclusion and history in tabs, and the line where it is concluded."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static, TabbedContent, TabPane, Tabs

from ...checklist import Item
from ...model import CONCLUSIONS, Verdict, local_time
from ...session import Change, Entry, Judgement, Role
from ..signs import Speech, plain, prose, wrap
from ..words import WORDS
from .findings import FindingList

if TYPE_CHECKING:
    from ..app import Walkthrough


#: Seconds until the open tab follows the head of a new item.
SETTLE = 0.05
#: A slower probe tells no rate: its count and the time left say more than 1/s.
_PACE = 10
#: Lines of a note beside the conclusion, for a reviewer, in a pane of so many lines at least.
_NOTE, _TALL = 3, 18


class ItemPane(Vertical):
    """Shows the item it is given; changes nothing."""

    app: Walkthrough
    _item: Item | None = None
    _soon: Timer | None = None

    def compose(self) -> ComposeResult:
        say = self.speech.say
        yield Static(id="title", markup=False)
        with TabbedContent(id="tabs"):
            with TabPane(say("tab-method"), id="tab-method"), VerticalScroll():
                yield Static(id="method", markup=False)
            with TabPane(say("tab-evidence", count=0), id="tab-evidence"):
                yield Static(id="progress", classes="hidden", markup=False)
                yield FindingList(id="findings")
            with TabPane(say("tab-conclusion"), id="tab-conclusion"), VerticalScroll():
                yield Static(id="conclusion", markup=False)
            with TabPane(say("tab-history"), id="tab-history"), VerticalScroll():
                yield Static(id="history", markup=False)
        yield Static(id="answer", markup=False)

    @property
    def speech(self) -> Speech:
        return self.app.speech

    @property
    def _width(self) -> int:
        """Cells of a line of text."""
        return max(20, (self.query_one("#tabs").size.width or 52) - 4)

    def show(self, item: Item) -> None:
        """The head and the answer at once; the open tab a moment later, so that holding a key down never lags.

        Layout is what costs: the tabs that are not open are filled when they are opened.
        """
        self._show_title(item)
        self._show_answer(item)
        self._item = item
        if self._soon is not None:
            self._soon.stop()
        self._soon = self.set_timer(SETTLE, self._show_tab)

    def _show_title(self, item: Item) -> None:
        """Sign, title and conclusion in one line; where there is no room for all, the end of the title is left out."""
        state, suggested = self.app.state(item)
        head = Content.assemble(self.speech.sign(state, faint=suggested), " ", (item.id, "bold"), "  ")
        end = Content.assemble("  ", (self.speech.say(state), "$text-muted"))
        named, pane = Content.styled(item.named(state)[self.speech.language], "bold"), self.query_one("#title", Static)
        if (room := pane.content_size.width - head.cell_length - end.cell_length) > 0:
            named = named.truncate(room, ellipsis=not self.speech.only_ascii)
        pane.update(head + named + end, layout=False)

    def on_resize(self) -> None:
        if self._item is not None:
            self.call_after_refresh(self._show_title, self._item)

    def say_again(self) -> None:
        """The names of the tabs, in another language."""
        tabs = self.query_one(TabbedContent)
        for pane in tabs.query(TabPane):
            if pane.id != "tab-evidence":  # which counts what it has when the item is shown
                tabs.get_tab(pane).label = Content(self.speech.say(str(pane.id)))

    def on_mount(self) -> None:
        self.watch(self.query_one(TabbedContent), "active", self._show_tab, init=False)
        self.watch(self.query_one(Tabs), "active", self._follow, init=False)

    def _follow(self, active: str) -> None:
        """Open the tab, and fill it, in the frame that marks it: Textual would take three."""
        tabs = self.query_one(TabbedContent)
        for pane in tabs.query(TabPane):
            if pane.id is not None and tabs.get_tab(pane).id == active:
                tabs.active = pane.id

    def _show_tab(self) -> None:
        item = self._item
        if item is None:
            return
        self._count_evidence(item)
        tab = self.query_one(TabbedContent).active
        if tab == "tab-evidence":
            self.show_findings(item)
        elif tab == "tab-conclusion":
            self.query_one("#conclusion", Static).update(self._conclusion(item, self._width))
        elif tab == "tab-history":
            self.query_one("#history", Static).update(self._history(self.app.session.entry(item.id).history))
        else:
            self.query_one("#method", Static).update(self.method(item, self._width))

    def _count_evidence(self, item: Item) -> None:
        results = self.app.session.entry(item.id).results
        running = {probe: found for (name, probe), (_, found) in self.app.running.items() if name == item.id}
        count = sum(len(result.findings) for name, result in results.items() if name not in running)
        words = self.speech.say("tab-evidence", count=count + sum(len(found) for found in running.values()))
        tab = self.query_one(TabbedContent).get_tab("tab-evidence")
        if str(tab.label) != words:
            tab.label = Content(words)

    def method(self, item: Item, width: int) -> Content:
        say, language = self.speech.say, self.speech.language
        parts = [Content.styled(say("how"), "bold $accent"), prose(item.method[language], width, 3), Content("")]
        parts += [Content.styled(say("applies"), "bold $accent"), prose(item.applies[language], width)]
        if ways := self._ways(item):
            parts += [Content(""), Content.styled(say("ways"), "bold $accent"), plain(wrap("\n".join(ways), width, 2))]
        if item.references:
            parts += [Content(""), Content.styled(say("references"), "bold $accent")]
            parts += [plain(f"{link.title[language]}: {link.url}") for link in item.references]
        return Content("\n").join(parts)

    def _ways(self, item: Item) -> list[str]:
        """Where the answers of an item lead, when its checklist is a path."""
        checklist = next((each for each in self.app.project.checklists if each.ends and item in each.items), None)
        if checklist is None:
            return []
        from ...report.machine import ways_text

        lines = [line.strip() for line in ways_text(checklist, item, self.speech.language)[1:]]
        return [line.replace("→", "->") for line in lines] if self.speech.only_ascii else lines

    def beside(self, item: Item, width: int) -> Content:
        """What stands beside the open tab where there is room: the method, beside the method the conclusion."""
        shows_method = self.query_one(TabbedContent).active == "tab-method"
        return self._conclusion(item, width) if shows_method else self.method(item, width)

    def _conclusion(self, item: Item, width: int) -> Content:
        say, language, entry = self.speech.say, self.speech.language, self.app.session.entry(item.id)
        lines: list[Content] = []
        if entry.conclusion is not None:
            by = say("concluded-by", who=entry.who, when=local_time(entry.when))
            verdict = entry.conclusion.value
            lines.append(Content.assemble(self.speech.sign(verdict), f" {say(verdict)}  ", plain(by, "$text-muted")))
        else:
            lines.append(Content.assemble(say("not-concluded"), "  ", self._suggestion(item)))
        if entry.note:
            lines += [Content(""), Content.styled(say("note"), "bold $accent"), plain(wrap(entry.note, width))]
        lines += self._agent(entry, width)
        lines += self._review(entry, width)
        if entry.attachments:
            lines += [Content(""), Content.styled(say("attachments"), "bold $accent")]
            lines += [plain(path) for path in entry.attachments]
        lines += [Content(""), Content.styled(say("meaning"), "bold $accent")]
        for verdict in CONCLUSIONS:
            text = getattr(item.conclusions, verdict.value)[language]
            lines.append(
                Content.assemble(
                    self.speech.sign(verdict.value),
                    (f" {say(verdict.value)}  ", "bold"),
                    prose(" " * (before := cell_len(say(verdict.value)) + 4) + text, width, 2)[before:],
                )
            )
        lines += [Content(""), Content.styled(say("remedy"), "bold $accent"), prose(item.remedy[language], width)]
        return Content("\n").join(lines)

    def _agent(self, entry: Entry, width: int) -> list[Content]:
        """What a program concluded, which waits for a person."""
        say, told = self.speech.say, entry.agent
        if told is None:
            return []
        by = say("reviewed-by", who=told.who, when=local_time(told.when))
        text = say("agent-said", conclusion=say(told.conclusion.value))
        head = Content.assemble(plain(text), "  ", plain(by, "$text-muted"))
        noted = [plain(wrap(told.note, width))] if told.note else []
        return [Content(""), Content.styled(say("agent"), "bold $accent"), head, *noted]

    def _review(self, entry: Entry, width: int) -> list[Content]:
        """What the reviewer says, and whether the whole is signed off."""
        say, record, review = self.speech.say, self.app.session.record, entry.review
        lines: list[Content] = []
        if review is not None:
            judged = say(review.judgement.value)
            state = "outdated" if entry.outdated else review.judgement.value
            text = say("review-was", judgement=judged) if entry.outdated else judged
            by = say("reviewed-by", who=review.who, when=local_time(review.when))
            head = Content.assemble(self.speech.sign(state), f" {text}  ", plain(by, "$text-muted"))
            lines += [Content(""), Content.styled(say("review"), "bold $accent"), head]
            lines += [plain(wrap(review.comment, width))] if review.comment else []
        if record.signed is not None:
            who, when, changed = record.signed.who, local_time(record.signed.when), record.unsealed
            words = say("sign-off-void" if changed else "signed-by", who=who, when=when, items=", ".join(changed))
            style = "$text-error" if changed else "$text-success"
            lines += [Content(""), plain(wrap(words, width), style)]
        return lines

    def _suggestion(self, item: Item) -> Content:
        """The greyed suggestion, or nothing while no probe has run."""
        say, suggestion = self.speech.say, self.app.project.suggestion(item)
        ran = self.app.session.entry(item.id).results
        if suggestion is Verdict.NOT_APPLICABLE and not ran:
            return Content.styled(
                f"{say('suggestion-accept', verdict=say(suggestion.value))} {say('not-applicable-why')}", "$text-muted"
            )
        if not ran:
            return Content("")
        takes = (
            suggestion is not Verdict.UNDECIDED and self.app.role is Role.AUTHOR
        )  # reviewers accept answers, no suggestions
        key = "suggestion-accept" if takes else "suggestion"
        return Content.styled(say(key, verdict=say(suggestion.value)), "$text-muted")

    def _history(self, changes: list[Change]) -> Content:
        say = self.speech.say
        if not changes:
            return Content.styled(say("no-history"), "$text-muted")
        lines = []
        ran: dict[str, Verdict | None] = {}  # by probe, what it suggested before
        before = []
        for change in changes:
            before.append(ran.get(change.probe) if change.what == "ran" else None)
            ran[change.probe] = change.suggestion
        for change, was in zip(reversed(changes), reversed(before), strict=True):
            data = {
                "before": say(was.value) if was else "",
                "conclusion": say(change.conclusion.value) if change.conclusion else "",
                "suggestion": say(change.suggestion.value) if change.suggestion else "",
                "note": change.note,
                "probe": change.probe,
            }
            key = "history-reran" if was not in (None, change.suggestion) else f"history-{change.what}"
            text = say(key, **data) if key in WORDS else change.what  # a session may come from a stranger
            moment = plain(f"{local_time(change.when)}  {change.who}  ", "$text-muted")
            lines.append(Content.assemble(moment, plain(text.replace("→", "->") if self.speech.only_ascii else text)))
        return Content("\n").join(lines)

    def _show_answer(self, item: Item) -> None:
        say, entry = self.speech.say, self.app.session.entry(item.id)
        line = self._judging(item) if self.app.role is Role.REVIEWER else self._concluding(item)
        parts: list[Content | str | tuple[str, str]] = [line, "\n"]
        review = entry.review
        if review is not None:
            state = "outdated" if entry.outdated else review.judgement.value
            comment = plain(f" {review.who}{say('colon')}{review.comment}".replace("\n", " ").rstrip(": ："))
            parts += [self.speech.sign(state), f" {say(state)}", comment, "  "]
        parts.append(self._against(item) if entry.conclusion is not None else Content(""))
        if entry.note:
            parts += [(say("note") + say("colon"), "$text-muted"), plain(entry.note.replace("\n", " "))]
        elif entry.conclusion is None:
            parts.append(self._suggestion(item))
        answer = self.query_one("#answer", Static)
        lines = Content.assemble(*parts[2:]).wrap(max(1, answer.size.width)) if self._reads_notes else []
        if len(lines) > _NOTE:
            lines[_NOTE - 1] = lines[_NOTE - 1].truncate(answer.size.width - 1) + (
                "." if self.speech.only_ascii else "…"
            )
        answer.styles.height = 1 + min(_NOTE, max(1, len(lines)))
        answer.update(Content("\n").join([line, *lines[:_NOTE]]) if lines else Content.assemble(*parts), layout=False)

    def _against(self, item: Item) -> Content:
        """What the probes suggest where the conclusion is another; nothing where they agree or cannot decide."""
        entry, suggestion = self.app.session.entry(item.id), self.app.project.suggestion(item)
        if not entry.results or suggestion in (entry.conclusion, Verdict.UNDECIDED):
            return Content("")
        said = self.speech.say("suggestion-against", verdict=self.speech.say(suggestion.value))
        return Content.styled(f"{said}  ", "$text-warning")

    @property
    def _reads_notes(self) -> bool:
        """Whether a note is shown in several lines: to a reviewer, who judges by it, where there is room."""
        return self.app.role is Role.REVIEWER and self.size.height >= _TALL

    def _concluding(self, item: Item) -> Content:
        """The conclusions to choose from, as an author does: in the words of the list where the whole ones have no room."""
        room = self.query_one("#answer").size.width
        head, ways = Content.styled(self.speech.say("tab-conclusion") + "  ", "bold"), self._conclusions(item, "")
        if room and ways.cell_length > room:
            return self._conclusions(item, "short-")
        return ways if room and head.cell_length + ways.cell_length > room else head + ways

    def _conclusions(self, item: Item, form: str) -> Content:
        """The conclusions with their keys, that of the person and that of the probes marked; `form` comes before the key of each word."""
        say, entry = self.speech.say, self.app.session.entry(item.id)
        suggestion = self.app.project.suggestion(item)
        parts: list[Content | str | tuple[str, str]] = []
        for number, verdict in enumerate(CONCLUSIONS, start=1):
            chosen = entry.conclusion is verdict
            wished = entry.conclusion is None and suggestion is verdict
            style = "bold reverse" if chosen else "$text-muted underline" if wished else ""
            parts += [
                (
                    f"({number}) {say(f'{form}{verdict.value}')}",
                    f"{style} @click=screen.do('conclude-{verdict.value.replace('_', '-')}')".strip(),
                ),
                "  ",
            ]
        return Content.assemble(*parts[:-1])

    def _judging(self, item: Item) -> Content:
        """The conclusion, and the judgements to choose from, as a reviewer does."""
        say, entry = self.speech.say, self.app.session.entry(item.id)
        parts: list[Content | str | tuple[str, str]] = [(say("tab-conclusion"), "bold"), "  "]
        if entry.conclusion is None:
            return Content.assemble(*parts, (say("not-concluded"), "$text-muted"))
        verdict = entry.conclusion.value
        stands: list[Content | str | tuple[str, str]] = [self.speech.sign(verdict), f" {say(verdict)} "]
        who = plain(entry.who, "$text-muted")
        parts += [*stands, who, "   ", (say("review"), "bold"), "  "]
        ways = ((Judgement.ACCEPTED, "accept"), (Judgement.RETURNED, "return"))
        judging: list[Content | str | tuple[str, str]] = []
        for number, (judgement, verb) in enumerate(ways, start=1):
            chosen = entry.judgement is judgement
            style = "bold reverse" if chosen else ""
            judging += [
                (f"({number}) {say(f'key-{verb}')}", f"{style} @click=screen.do('review-{verb}')".strip()),
                "  ",
            ]
        whole, room = Content.assemble(*parts, *judging[:-1]), self.query_one("#answer").size.width
        return whole if not room or whole.cell_length <= room else Content.assemble(*stands, " ", *judging, who)

    def show_findings(self, item: Item) -> None:
        """The evidence tab: results, and what running probes have found so far."""
        app, entry = self.app, self.app.session.entry(item.id)
        running = {probe: state for (name, probe), state in app.running.items() if name == item.id}
        stale = {probe for name, probe in app.stale if name == item.id}
        findings = self.query_one(FindingList)
        before = {probe: result for (name, probe), result in app.before.items() if name == item.id}
        findings.fill(self.speech, item, entry.weighed, running, stale, self._width, before, app.runner.busy)
        self._count_evidence(item)
        self.show_progress()

    def show_progress(self) -> None:
        """The line of the probe that runs, with bar, rate and time left."""
        line = self.query_one("#progress", Static)
        if not self.app.running:
            line.add_class("hidden")
            return
        (_, probe), (running, _) = next(iter(self.app.running.items()))
        line.remove_class("hidden")
        progress = running.progress
        if progress is None:
            line.update(plain(self.speech.say("progress-start", probe=probe), "$text-accent"))
            return
        seconds = max(0.001, time.monotonic() - running.since)
        rate = progress.done / seconds
        of = left = ""
        pace = self.speech.say("pace", rate=rate) if rate >= _PACE else ""
        text = Content("")
        if progress.total:
            of = f"/{progress.total:,}"
            if rate > 0:
                left = self.speech.say("left", time=_duration((progress.total - progress.done) / rate))
            text = Content.styled(self.speech.bar(progress.done / progress.total, 12) + " ", "$text-accent")
        unit = self.speech.say(f"unit-{progress.unit}")
        words = self.speech.say("progress", probe=probe, done=progress.done, of=of, unit=unit, left=left, pace=pace)
        line.update(text + plain(words, "$text-accent"))


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
