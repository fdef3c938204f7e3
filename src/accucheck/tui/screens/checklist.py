"""The main screen: items on the left; method, evidence, conclusion and history of one item on the right."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static

from ... import engine
from ...checklist import Checklist, Item
from ...errors import SaveError, UserError
from ...model import CONCLUSIONS, Status, Verdict
from ...session import Judgement, Role
from ..signs import Speech, plain
from ..widgets.items import ItemList
from ..widgets.keybar import KeyBar
from ..widgets.topbar import TopBar

if TYPE_CHECKING:
    from ..app import Walkthrough
    from ..widgets.itempane import ItemPane

#: Seconds between two redraws of findings while a probe runs, however fast it finds.
REDRAW_EVERY = 0.25
#: What only an author does, by the words of the palette.
AUTHORS = {
    "command-accept",
    "command-accept-all",
    "command-conclude-problem",
    "command-conclude-ok",
    "command-conclude-not_applicable",
    "command-note",
    "command-editor",
    "command-attach",
    "command-undo",
}
#: What the keys of the conclusions are to a reviewer: a Judgement, or nothing to take it back.
REVIEW_KEYS = {"problem": "accepted", "ok": "returned", "not_applicable": ""}
#: The probe whose samples a person marks.
SAMPLED = "label_sample"


class ChecklistScreen(Screen[None]):
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-normal"), (160, "-wide")]
    BINDINGS = [
        Binding("r", "run_item", show=False, id="run"),
        Binding("R", "run_all", show=False, id="run-all"),
        Binding("1", "conclude('problem')", show=False, id="conclude-problem"),
        Binding("2", "conclude('ok')", show=False, id="conclude-ok"),
        Binding("3", "conclude('not_applicable')", show=False, id="conclude-not-applicable"),
        Binding("A", "accept_all", show=False, id="accept-all"),
        Binding("S", "sign_off", show=False, id="sign-off"),
        Binding("n", "note", show=False, id="note"),
        Binding("o", "editor", show=False, id="editor"),
        Binding("a", "attach", show=False, id="attach"),
        Binding("s", "samples", show=False, id="samples"),
        Binding("p", "path", show=False, id="path"),
        Binding("u", "undo", show=False, id="undo"),
        Binding("right_square_bracket", "go(1)", show=False, id="next"),
        Binding("left_square_bracket", "go(-1)", show=False, id="previous"),
        Binding("slash", "filter", show=False, id="filter"),
        Binding("e", "export", show=False, id="export"),
        Binding("v", "view", show=False, id="view"),
        Binding("y", "copy", show=False, id="copy"),
        Binding("l", "toggle_list", show=False, id="list"),
        Binding("L", "app.switch_language", show=False, id="language"),
        Binding("question_mark", "help", show=False, id="help"),
        Binding("escape", "back", show=False, id="back"),
        Binding("q", "app.leave", show=False, id="quit"),
    ]
    #: What the command palette offers here.
    VERBS: ClassVar[list[tuple[str, str]]] = [
        ("command-run", "screen.run_item"),
        ("command-run-all", "screen.run_all"),
        ("command-cancel", "screen.back"),
        ("command-accept", "screen.accept"),
        ("command-accept-all", "screen.accept_all"),
        ("command-conclude-problem", "screen.conclude('problem')"),
        ("command-conclude-ok", "screen.conclude('ok')"),
        ("command-conclude-not_applicable", "screen.conclude('not_applicable')"),
        ("command-note", "screen.note"),
        ("command-editor", "screen.editor"),
        ("command-attach", "screen.attach"),
        ("command-samples", "screen.samples"),
        ("command-path", "screen.path"),
        ("command-undo", "screen.undo"),
        ("command-next", "screen.go(1)"),
        ("command-previous", "screen.go(-1)"),
        ("command-filter", "screen.filter"),
        ("command-export", "screen.export"),
        ("command-view", "screen.view"),
        ("command-copy", "screen.copy"),
        ("command-help", "screen.help"),
    ]

    #: What a reviewer does instead of AUTHORS, with the keys for the help.
    REVIEW_VERBS: ClassVar[list[tuple[str, str, str]]] = [
        ("1", "command-review-accept", "screen.review('accepted')"),
        ("2", "command-review-return", "screen.review('returned')"),
        ("3", "command-review-withdraw", "screen.review('')"),
        ("A", "command-review-all", "screen.accept_all"),
        ("n", "command-comment", "screen.note"),
        ("u", "command-undo-review", "screen.undo"),
        ("S", "command-sign-off", "screen.sign_off"),
    ]

    app: Walkthrough

    def __init__(self) -> None:
        super().__init__()
        self.pane: ItemPane | None = None
        self._shown = ""
        self._first_tab = ""
        self._words = ""
        self._dirty = False
        self._done_jobs = 0
        self._all_jobs = 0

    def verbs(self) -> list[tuple[str, str]]:
        """What the command palette offers to whoever is at the keyboard."""
        if self.app.role is Role.AUTHOR:
            return self.VERBS
        own = [(words, action) for _, words, action in self.REVIEW_VERBS]
        return own + [verb for verb in self.VERBS if verb[0] not in AUTHORS]

    # --- layout -------------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield TopBar()
        with Horizontal(id="panes"):
            with Vertical(id="left"):
                yield ItemList(id="items", markup=False)
            yield Vertical(id="right")
        yield KeyBar()

    def on_mount(self) -> None:
        self._fill_items()
        self.query_one(ItemList).focus()
        self._show_keys()
        self._show_top()
        self.call_after_refresh(self._mount_pane)  # the list is painted first: it is there at once
        self.set_interval(REDRAW_EVERY, self._redraw_if_dirty)

    async def _mount_pane(self, tab: str = "") -> None:
        from textual.widgets import TabbedContent

        from ..widgets.itempane import ItemPane

        pane = ItemPane()
        aside = VerticalScroll(Static(id="method-aside", markup=False), id="aside")
        await self.query_one("#right").mount(pane)
        await self.query_one("#panes").mount(aside)
        self.pane = pane
        if tab := tab or self._first_tab:
            pane.query_one(TabbedContent).active = tab
        self.call_after_refresh(self._show_item)

    def on_resize(self, _: Resize) -> None:
        self.call_after_refresh(self._show_item)

    def _show_item(self) -> None:
        if self.pane is None or (item := self.item) is None:
            return
        self._shown = item.id
        self._show_keys()
        self.pane.show(item)
        if self.has_class("-wide"):
            self.query_one("#method-aside", Static).update(self.pane.method(item, 55))

    @property
    def speech(self) -> Speech:
        return self.app.speech

    @property
    def item(self) -> Item | None:
        """The item looked at."""
        current = self.query_one(ItemList).current
        return next((item for item in self.app.project.items if item.id == current), None)

    async def rebuild(self) -> None:
        """Everything again, in another language."""
        from textual.widgets import TabbedContent

        current = self.query_one(ItemList).current
        tab = self.pane.query_one(TabbedContent).active if self.pane is not None else ""
        self.pane, self._words = None, ""
        await self.recompose()
        self._fill_items()
        self.query_one(ItemList).go(current)
        self.query_one(ItemList).focus()
        self._show_keys()
        await self._mount_pane(tab)
        self.refresh_states()

    def show_items(self, item: str | None) -> None:
        """The items of the checklists as they are now, with one of them looked at."""
        self._words = ""
        self._fill_items()
        if item is not None:
            self.query_one(ItemList).go(item)
        self._show_top()
        self._show_item()

    def _fill_items(self) -> None:
        states = {item.id: self.app.state(item) for item in self.app.project.items}
        reviews = {item.id: self.app.review_state(item.id) for item in self.app.project.items}
        self.query_one(ItemList).fill(self.speech, self.app.project.checklists, states, self._words, reviews)

    def _show_keys(self) -> None:
        say = self.speech.say
        self.query_one(KeyBar).set_keys(
            [
                ("r", say("key-run"), "screen.run_item"),
                ("R", say("key-run-all"), "screen.run_all"),
                *self._answer_keys(),
                *([("s", say("key-samples"), "screen.samples")] if self._has_samples(self.item) else []),
                *([("p", say("key-path"), "screen.path")] if self._path_of(self.item) else []),
                ("]", say("key-next"), "screen.go(1)"),
                ("e", say("key-export"), "screen.export"),
                ("?", say("key-help"), "screen.help"),
                ("/", say("key-filter"), "screen.filter"),
                ("L", say("key-language"), "app.switch_language"),
                ("q", say("key-quit"), "app.leave"),
                ("u", say("key-undo"), "screen.undo"),
                ("^p", say("key-palette"), "app.command_palette"),
            ]
        )

    def _answer_keys(self) -> list[tuple[str, str, str]]:
        say = self.speech.say
        if self.app.role is Role.AUTHOR:
            return [("1/2/3", say("key-conclude"), ""), ("n", say("key-note"), "screen.note")]
        keys = [("1", "key-accept", "screen.review('accepted')"), ("2", "key-return", "screen.review('returned')")]
        return [(key, say(words), action) for key, words, action in [*keys, ("S", "key-sign-off", "screen.sign_off")]]

    # --- showing ------------------------------------------------------------------------------------------------------

    def refresh_states(self, item: str | None = None) -> None:
        """Redraw signs, the top line and the item looked at (`item`: only when it is this one)."""
        if not self.query(ItemList):
            return
        items = self.query_one(ItemList)
        for each in self.app.project.items:
            if item is None or each.id == item:
                title, review = each.title[self.speech.language], self.app.review_state(each.id)
                items.set_state(self.speech, each.id, title, *self.app.state(each), review)
        self._show_top()
        if item is None or (self.item is not None and item == self.item.id):
            self._show_item()

    def _show_top(self) -> None:
        app = self.app
        runtime = app.project.case.spec.runtime
        named = app.speech.say(f"role-{app.role.value}", who=app.who)
        voice = [named] if app.role is Role.REVIEWER else []  # an author is nothing to be told of
        facts = [
            *voice,
            app.project.case.name,
            " + ".join(c.title[self.speech.language] for c in app.project.checklists),
        ]
        if runtime.mindspore:
            facts.append(f"MindSpore {runtime.mindspore}")
        facts += [fact for fact in (runtime.device, runtime.amp) if fact]
        entries = [app.session.entry(item.id) for item in app.project.items]
        done = sum(entry.conclusion is not None for entry in entries)
        problems = sum(app.state(item)[0] == "problem" for item in app.project.items)
        running = ""
        if app.running or app.runner.busy:
            running = f"{self.speech.shape('running')} {self._done_jobs}/{self._all_jobs}"
        self.query_one(TopBar).show(
            self.speech, facts, done=done, total=len(entries), problems=problems, saved=app.saved, running=running
        )

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_list.id == "items" and event.option.id != self._shown:
            self._show_item()

    # --- a run --------------------------------------------------------------------------------------------------------

    def engine_said(self, event: engine.Event) -> None:
        """One event of the run; the app has taken it into its state already."""
        item = event.job.item
        if isinstance(event, engine.Finished):
            self._done_jobs += 1
            if self._all_jobs == 1 and (self.item is None or self.item.id != item):
                result = event.result
                outcome = self.speech.outcome(result).plain
                text = self.speech.say("run-finished", item=item, probe=result.probe, outcome=outcome)
                self.notify(text, timeout=4, markup=False)
            self.refresh_states(item)
        elif isinstance(event, engine.Started):
            self.refresh_states(item)
        elif self.item is not None and self.item.id == item:
            self._dirty = True

    def _redraw_if_dirty(self) -> None:
        if self.pane is None or (item := self.item) is None:
            return
        if self._dirty:
            self._dirty = False
            self.pane.show_findings(item)
        elif self.app.running:
            self.pane.show_progress()

    def run_ended(self) -> None:
        app = self.app
        results = [result for item in app.project.items for result in app.session.entry(item.id).results.values()]
        problems = sum(app.project.suggestion(item) is Verdict.PROBLEM for item in app.project.items)
        failed = sum(result.status is Status.FAILED for result in results)
        if self._all_jobs > 1:
            self.notify(self.speech.say("all-finished", problem=problems, failed=failed), timeout=8, markup=False)
        self.refresh_states()

    def action_run_item(self) -> None:
        item = self.item
        if item is None:
            return
        if not item.probes:
            self.notify(self.speech.say("no-probe"), severity="warning", markup=False)
            return
        self._open_tab("tab-evidence")
        self._run({item.id})

    def action_run_all(self) -> None:
        self._open_tab("tab-evidence")
        self._run(set())

    def _open_tab(self, tab: str) -> None:
        from textual.widgets import TabbedContent

        if self.pane is None:
            self._first_tab = tab  # a key may come before the pane
        else:
            self.pane.query_one("#tabs", TabbedContent).active = tab

    @work
    async def _run(self, only: set[str]) -> None:
        """Ask for consent where it is needed, then start."""
        app = self.app
        if app.runner.busy:
            self.notify(self.speech.say("busy"), severity="warning", markup=False)
            return
        try:
            jobs = app.project.jobs(only)
        except UserError as error:  # there is no project, only a session
            self.notify(error.text(self.speech.language), severity="warning", markup=False)
            return
        if not jobs:
            self.notify(self.speech.say("nothing-to-run"), severity="warning", markup=False)
            return
        live = await self._consent(jobs)
        self._done_jobs, self._all_jobs = 0, len(jobs)
        app.runner.start(jobs, live=live)
        self._show_top()

    async def _consent(self, jobs: list[engine.Job]) -> bool:
        """Whether live probes may run: as remembered, or as the person says now."""
        from ... import consent
        from .dialogs import Choose

        case = self.app.project.case
        if not self.app.project.would_run_code(jobs):
            return False
        if consent.granted(case):
            return True
        say, spec = self.speech.say, case.spec
        pipelines = (spec.pipelines.train, spec.pipelines.eval, spec.pipelines.infer)
        calls = [call.call for call in (*pipelines, spec.network, spec.loss, spec.optimizer) if call]
        text = say("consent-text", python=spec.runtime.python or sys.executable, calls=", ".join(dict.fromkeys(calls)))
        answers = [("no", say("consent-no")), ("once", say("consent-once")), ("always", say("consent-always"))]
        answer = await self.app.push_screen_wait(Choose(say("consent-title"), text, answers))
        if answer == "always":
            try:
                consent.grant(case)
            except SaveError as error:
                self.notify(error.text(self.speech.language), severity="warning", markup=False)
        return answer in ("once", "always")

    # --- answering ----------------------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option_list.id == "items":
            if self.has_class("-narrow"):
                self.action_toggle_list()
            else:
                self.action_accept()
        elif event.option_list.id == "findings":
            self._open_evidence(event.option.id)

    def _open_evidence(self, option: str | None) -> None:
        from ..widgets.findings import FindingList
        from .evidence import EvidenceScreen

        findings = self.query_one(FindingList)
        target = findings.target(option)
        if target is not None:
            targets = findings.targets
            self.app.push_screen(EvidenceScreen(targets, next(i for i, t in enumerate(targets) if t is target)))

    def action_view(self) -> None:
        """Open the evidence highlighted, or the first."""
        from ..widgets.findings import FindingList

        if self.pane is None or (item := self.item) is None:
            return
        self.pane.show_findings(item)
        findings = self.query_one(FindingList)
        option = findings.highlighted_option
        targets = findings.targets
        if option is not None and findings.target(option.id) is not None:
            self._open_evidence(option.id)
        elif targets:
            self._open_evidence("t0")
        else:
            self.notify(self.speech.say("nothing-found"), timeout=3, markup=False)

    def action_accept(self) -> None:
        """Make the suggestion the conclusion."""
        item = self.item
        if item is None or self.app.session.entry(item.id).conclusion is not None or not self.app.may_answer():
            return
        suggestion = self.app.project.suggestion(item)
        if suggestion in CONCLUSIONS:
            self._conclude(item, suggestion)
        else:
            self.notify(self.speech.say("nothing-to-accept"), severity="warning", markup=False)

    def action_conclude(self, name: str) -> None:
        """Conclude the item; to a reviewer the same keys are accepting, returning and taking that back."""
        item = self.item
        if self.app.role is Role.REVIEWER:
            self.action_review(REVIEW_KEYS[name])
            return
        if item is None or not self.app.may_answer():
            return
        verdict, suggestion = Verdict(name), self.app.project.suggestion(item)
        self._conclude(item, verdict)
        if suggestion in CONCLUSIONS and suggestion is not verdict:
            self._explain(item, suggestion)

    def _conclude(self, item: Item, verdict: Verdict) -> None:
        """Answer, and say where that leads on the path."""
        from ...path import walk

        self._answer(item, verdict)
        checklist = self._path_of(item)
        path = walk(checklist, self.app.session.record, self.app.project.case) if checklist is not None else None
        step = next((step for step in path.steps if step.item.id == item.id), None) if path is not None else None
        if checklist is not None and step is not None:
            from ...report.machine import way_text

            language = self.speech.language
            why = step.way.text[language] if step.way is not None else ""
            way = way_text(checklist, step.to, why, language).removeprefix("→ ")
            self.notify(plain(self.speech.say("path-next", way=way)).plain, timeout=6, markup=False)

    def _answer(self, item: Item, verdict: Verdict) -> None:
        self.app.change(item.id, lambda: self.app.session.answer(item.id, verdict, who=self.app.who))

    @work
    async def _explain(self, item: Item, suggestion: Verdict) -> None:
        from .dialogs import WriteNote

        say = self.speech.say
        title = say("overrule-title", item=item.id, verdict=say(suggestion.value))
        await self._write_note(item, WriteNote(title, self.app.session.entry(item.id).note))

    @work
    async def action_note(self) -> None:
        from .dialogs import WriteNote

        item = self.item
        review = self.app.session.entry(item.id).review if item is not None else None
        if self.app.role is Role.REVIEWER and review is not None:
            self.action_review(review.judgement.value, ask=True)
        elif item is not None and self.app.may_answer():
            title = self.speech.say("note-title", item=item.id)
            await self._write_note(item, WriteNote(title, self.app.session.entry(item.id).note))

    async def _write_note(self, item: Item, dialog: Screen[str]) -> None:
        note = await self.app.push_screen_wait(dialog)
        if note is not None and note != self.app.session.entry(item.id).note:
            self.app.change(item.id, lambda: self.app.session.annotate(item.id, note, self.app.who))

    def action_editor(self) -> None:
        """The note in $EDITOR, with the terminal given away meanwhile."""
        import shlex
        import shutil
        import subprocess
        import tempfile

        item = self.item
        if item is None or not self.app.may_answer():
            return
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or shutil.which("nano") or shutil.which("vi")
        if not editor:
            self.notify(self.speech.say("no-editor"), severity="warning", markup=False)
            return
        old = self.app.session.entry(item.id).note
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, f"{item.id}.txt")
            file.write_text(old, encoding="utf-8")
            try:
                with self.app.suspend():
                    subprocess.run([*shlex.split(editor), str(file)], check=False)
                note = file.read_text(encoding="utf-8", errors="replace").strip()
            except (OSError, ValueError) as error:
                self.app.show_error(str(error))
                return
        if note != old:
            self.app.change(item.id, lambda: self.app.session.annotate(item.id, note, self.app.who))

    @work
    async def action_attach(self) -> None:
        from ...errors import ReadError
        from .dialogs import Ask

        item = self.item
        if item is None or not self.app.may_answer():
            return
        answer = await self.app.push_screen_wait(Ask(self.speech.say("attach-title")))
        if answer is None:
            return
        path = Path(answer).expanduser()
        if not path.is_file():
            code = "is-directory" if path.is_dir() else "not-found"
            self.app.show_error(ReadError(code, path=answer).text(self.speech.language))
            return
        self.app.change(item.id, lambda: self.app.project.attach(item.id, path, self.app.who))

    @work
    async def action_accept_all(self) -> None:
        """Accept the ok and not-applicable suggestions of finished probes, after one look at them; as a reviewer, the answers."""
        from .dialogs import Choose

        app, say = self.app, self.speech.say
        if app.role is Role.REVIEWER:
            await self._accept_answers()
            return
        found: list[tuple[Item, Verdict]] = []
        for item in app.project.items:
            suggestion = app.project.suggestion(item)
            open_item = app.session.entry(item.id).conclusion is None
            if open_item and suggestion in (Verdict.OK, Verdict.NOT_APPLICABLE) and app.state(item)[0] != "running":
                found.append((item, suggestion))
        if not found:
            self.notify(say("accept-all-none"), severity="warning", markup=False)
            return
        if not app.may_change():
            return
        lines = [
            Content.assemble(self.speech.sign(verdict.value), f" {item.id} ", plain(item.title[self.speech.language]))
            for item, verdict in found
        ]
        dialog = Choose(
            say("accept-all-title", count=len(found)),
            Content("\n").join(lines),
            [("yes", say("yes")), ("no", say("no"))],
        )
        if await app.push_screen_wait(dialog) == "yes":
            for item, verdict in found:
                self._answer(item, verdict)

    def action_undo(self) -> None:
        app = self.app
        if not app.may_change():
            return
        if not app.undo:
            self.notify(self.speech.say("nothing-to-undo"), markup=False)
            return
        item, entry = app.undo.pop()
        app.session.restore(item, entry, app.who)
        app.save_soon()
        self.query_one(ItemList).go(item)
        self.notify(self.speech.say("undone", item=item), timeout=3, markup=False)

    # --- reviewing ----------------------------------------------------------------------------------------------------

    @work
    async def action_review(self, name: str, *, ask: bool = False) -> None:
        """Accept or return the item's answer, or take the review back; a return asks for its reason, and so does `ask`."""
        from .dialogs import WriteNote

        app, item = self.app, self.item
        if item is None or not app.may_review():
            return
        entry, say = app.session.entry(item.id), self.speech.say
        if not name:
            app.change(item.id, lambda: app.session.withdraw_review(item.id, app.who))
            return
        judgement = Judgement(name)
        same = entry.review is not None and entry.review.judgement is judgement
        comment = entry.review.comment if entry.review is not None and same else ""
        if (judgement is Judgement.RETURNED and entry.conclusion is not None) or ask:
            title = say(f"comment-title-{judgement.value}", item=item.id)
            comment = await app.push_screen_wait(WriteNote(title, comment))
        app.change(item.id, lambda: app.session.review(item.id, judgement, comment, app.who))

    async def _accept_answers(self) -> None:
        """Accept the answers that nobody has reviewed as they stand and that the probes agree with, after one look at them."""
        from .dialogs import Choose

        app, say = self.app, self.speech.say
        if not app.may_review():
            return
        found = [
            (item, entry)
            for item in app.project.items
            for entry in (app.session.entry(item.id),)
            if entry.conclusion is not None
            and entry.review is None
            and app.project.suggestion(item) is entry.conclusion
        ]
        if not found:
            self.notify(say("review-all-none"), severity="warning", markup=False)
            return
        lines = [
            Content.assemble(
                self.speech.sign(str(entry.conclusion and entry.conclusion.value)),
                f" {item.id} ",
                plain(f"{item.title[self.speech.language]}  {entry.who}"),
            )
            for item, entry in found
        ]
        answers = [("yes", say("yes")), ("no", say("no"))]
        dialog = Choose(say("review-all-title", count=len(found)), Content("\n").join(lines), answers)
        if await app.push_screen_wait(dialog) == "yes":
            for item, _ in found:
                app.change(item.id, partial(app.session.review, item.id, Judgement.ACCEPTED, "", app.who))

    @work
    async def action_sign_off(self) -> None:
        """Sign the open checklists off, or say what is still open."""
        from ...reviewing import obstacles, sign_off
        from .dialogs import Choose

        app, say = self.app, self.speech.say
        if not app.may_review():
            return
        checklists = app.project.checklists
        titles = " + ".join(checklist.title[self.speech.language] for checklist in checklists)
        text = say("sign-off-text", titles=titles, count=len(app.project.items), who=app.who)
        ready = not obstacles(app.session.record, checklists)
        answers = [("yes", say("yes")), ("no", say("no"))]
        if ready and await app.push_screen_wait(Choose(say("sign-off-title"), text, answers)) != "yes":
            return
        try:
            sign_off(app.session, checklists, "", app.who)
        except UserError as error:
            text = error.text(self.speech.language)
            app.push_screen(Choose(say("sign-off-refused"), text, [("close", say("close"))]))
            return
        app.save_soon()
        self.notify(say("signed", who=app.who), markup=False)

    # --- samples ------------------------------------------------------------------------------------------------------

    @staticmethod
    def _has_samples(item: Item | None) -> bool:
        return item is not None and any(use.name == SAMPLED for use in item.uses)

    def action_samples(self) -> None:
        """Samples of the labels; when marks have changed, what the probe says of them is brought up to date."""
        from .samples import SamplesScreen

        item = self.item
        if self.app.project.case.alone:
            self.action_run_item()  # says why there is nothing to look at
            return
        if item is None or not self._has_samples(item):
            self.notify(self.speech.say("no-samples-here"), severity="warning", markup=False)
            return

        def left(changed: bool | None) -> None:
            if changed:
                self._marks_changed(item)

        self.app.push_screen(SamplesScreen(), left)

    def _marks_changed(self, item: Item) -> None:
        app = self.app
        jobs = [job for job in app.project.jobs({item.id}) if job.probe == SAMPLED]
        if app.runner.busy:
            app.stale.add((item.id, SAMPLED))
            self.refresh_states(item.id)
            return
        self._open_tab("tab-evidence")
        self._done_jobs, self._all_jobs = 0, len(jobs)
        app.runner.start(jobs, live=False)
        self._show_top()

    # --- the path -----------------------------------------------------------------------------------------------------

    def _path_of(self, item: Item | None) -> Checklist | None:
        """The open checklist of an item, when it is a path."""
        return next((each for each in self.app.project.checklists if each.ends and item in each.items), None)

    def action_path(self) -> None:
        """The path of this item's checklist, or of the first open one that is a path."""
        from .path import PathScreen

        checklist = self._path_of(self.item) or next((each for each in self.app.project.checklists if each.ends), None)
        if checklist is None:
            self.notify(self.speech.say("no-path-here"), severity="warning", markup=False)
            return

        def left(chosen: tuple[str, bool] | None) -> None:
            if chosen is not None:
                self.show_items(chosen[0])
                if chosen[1]:
                    self.action_run_item()

        self.app.clear_notifications()  # what they said stands there
        self.app.push_screen(PathScreen(checklist), left)

    # --- moving -------------------------------------------------------------------------------------------------------

    def action_go(self, by: int) -> None:
        ids = [option.id for option in self.query_one(ItemList).options if option.id]
        current = self.query_one(ItemList).current
        if ids:
            index = ids.index(current) + by if current in ids else 0
            self.query_one(ItemList).go(ids[index % len(ids)])
            self._show_item()  # in the same frame as the list

    async def action_filter(self) -> None:
        self.add_class("-list")
        if not self.query("#filter"):
            field = Input(self._words, placeholder=self.speech.say("filter"), id="filter")
            await self.query_one("#left").mount(field, before=0)
        self.query_one("#filter").focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.input.id == "filter":
            self._words = event.value
            self._fill_items()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.input.id == "filter":
            self.query_one(ItemList).focus()

    def action_back(self) -> None:
        """Back out: of the filter, then of a run."""
        if self.query("#filter"):
            self.query_one("#filter").remove()
            self._words = ""
            self._fill_items()
            self.query_one(ItemList).focus()
        elif self.app.runner.busy:
            self.app.runner.cancel()
            self.notify(self.speech.say("cancelling"), timeout=2, markup=False)
        else:
            self.query_one(ItemList).focus()

    def action_toggle_list(self) -> None:
        """In a narrow terminal: the list or the item."""
        self.toggle_class("-list")
        target: Callable[[], object] = (
            self.query_one(ItemList).focus if self.has_class("-list") else self.query_one("#right Tabs").focus
        )
        target()

    def action_copy(self) -> None:
        from ..widgets.findings import message_of

        item = self.item
        if item is None:
            return
        say, entry = self.speech.say, self.app.session.entry(item.id)
        lines = [f"{item.id} {item.title[self.speech.language]}"]
        lines.append(
            f"{say('tab-conclusion')}: {say(entry.conclusion.value) if entry.conclusion else say('not-concluded')}"
        )
        if entry.note:
            lines.append(f"{say('note')}: {entry.note}")
        for result in entry.results.values():
            lines.append(f"{result.probe}: {self.speech.outcome(result).plain}")
            lines += [
                f"- {plain(message_of(result.probe, f.code, f.data, self.speech)).plain}" for f in result.findings
            ]
        self.app.copy_to_clipboard("\n".join(lines))
        self.notify(say("copied"), timeout=2)

    def action_export(self) -> None:
        from .export import ExportScreen

        self.app.push_screen(ExportScreen())

    def action_help(self) -> None:
        from .help import KEYS, HelpScreen

        focused = self.focused
        words = {"items": "help-items", "findings": "help-findings"}.get(
            focused.id or "" if focused else "", "help-tabs"
        )
        keys = KEYS[1:]
        if self.app.role is Role.REVIEWER:
            own = [(key, verb) for key, verb, _ in self.REVIEW_VERBS]
            keys = own + [each for each in keys if each[1] not in AUTHORS and each not in own]
        self.app.push_screen(HelpScreen(self.speech, words, keys, general=True))
