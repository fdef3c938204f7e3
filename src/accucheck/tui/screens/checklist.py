"""The main screen: its verbs, and where they lead."""

from __future__ import annotations

from typing import ClassVar

from textual.widgets import OptionList

from ...checklist import Checklist, Item
from ...model import Finding
from ...session import Role
from ..opening import why_not_change_case
from ..signs import plain
from ..verbs import FILTER, HELP, LANGUAGE, PALETTE, QUIT, THEME, Verb
from ..widgets.items import ItemList
from .checklist_guiding import Guiding

#: The verbs that work without an item.
_WITHOUT_ITEM = {
    "run-all",
    "run-stale",
    "follow",
    "case",
    "back",
    "accept-all",
    "review-all",
    "sign-off",
    "path",
    "export",
    "help",
    "filter",
    "list",
    "next-steps",
    "glossary",
    "watch",
    "tune",
    "graph",
    "curves",
}
_WITHOUT_ITEM |= {"language", "theme", "jump", "quit", "undo", "undo-review", "palette"}
#: The probe whose samples a person marks.
SAMPLED = "label_sample"


class ChecklistScreen(Guiding):
    WITHOUT_ITEM: ClassVar[set[str]] = _WITHOUT_ITEM
    VERBS: ClassVar[list[Verb]] = [
        Verb("run", "r", "run_item", "command-run", "key-run"),
        Verb("run-all", "R", "run_all", "command-run-all", "key-run-all"),
        Verb("watch", "W", "watch", "command-watch"),
        Verb("try", "T", "try_fixes", "command-try"),
        Verb("tune", "H", "tune", "command-tune"),
        Verb("follow", "F", "follow", "command-follow"),
        Verb("back", "escape", "back", "command-cancel"),
        Verb("list", "l", "toggle_list", "command-list", "key-list"),
        Verb("accept", "enter", "accept", "command-accept"),
        Verb("conclude-problem", "1", "conclude('problem')", "command-conclude-problem", "key-conclude", Role.AUTHOR),
        Verb("conclude-ok", "2", "conclude('ok')", "command-conclude-ok", "key-conclude", Role.AUTHOR),
        Verb(
            "conclude-not-applicable",
            "3",
            "conclude('not_applicable')",
            "command-conclude-not_applicable",
            "key-conclude",
            Role.AUTHOR,
        ),
        Verb("accept-all", "A", "accept_all", "command-accept-all", role=Role.AUTHOR),
        Verb("note", "n", "note", "command-note", "key-note", Role.AUTHOR),
        Verb("review-accept", "1", "review('accepted')", "command-review-accept", "key-accept", Role.REVIEWER),
        Verb("review-return", "2", "review('returned')", "command-review-return", "key-return", Role.REVIEWER),
        Verb("review-withdraw", "3", "review('')", "command-review-withdraw", role=Role.REVIEWER),
        Verb("review-all", "A", "accept_answers", "command-review-all", role=Role.REVIEWER),
        Verb("comment", "n", "comment", "command-comment", role=Role.REVIEWER),
        Verb("sign-off", "S", "sign_off", "command-sign-off", "key-sign-off"),
        Verb("editor", "o", "editor", "command-editor"),
        Verb("attach", "a", "attach", "command-attach"),
        Verb("samples", "s", "samples", "command-samples", "key-samples"),
        Verb("path", "p", "path", "command-path", "key-path"),
        Verb("next-steps", "w", "next_steps", "command-next-steps", "key-next-steps"),
        Verb("next", "right_square_bracket", "go(1)", "command-next", "key-next"),
        Verb("previous", "left_square_bracket", "go(-1)", "command-previous"),
        Verb("view", "v", "view", "command-view"),
        Verb("mend", "f", "mend", "command-mend"),
        Verb("run-stale", "x", "run_stale", "command-run-stale", "key-run-stale"),
        Verb("copy", "y", "copy", "command-copy"),
        Verb("export", "e", "export", "command-export", "key-export"),
        Verb("case", "c", "app.change_case", "command-case"),
        HELP,
        Verb("glossary", "g", "glossary", "command-glossary"),
        Verb("graph", "G", "graph", "command-graph"),
        Verb("curves", "C", "curves", "command-curves"),
        FILTER,
        LANGUAGE,
        THEME,
        QUIT,
        Verb("undo", "u", "undo", "command-undo", "key-undo", Role.AUTHOR),
        Verb("undo-review", "u", "undo", "command-undo-review", "key-undo", Role.REVIEWER),
        PALETTE,
    ]

    def here(self) -> tuple[str, ...]:
        focused = self.focused.id or "" if self.focused else ""
        reviews = self.app.role is Role.REVIEWER
        items = "help-items-review" if reviews else "help-items"
        return (
            {"items": items, "findings": "help-findings"}.get(focused, "help-tabs"),
            "help-other",
            "help-review" if reviews else "help-suggestion",
        )

    def in_bar(self, verb: str) -> bool:
        if verb == "samples":
            return self._has_samples(self.item)
        if verb == "path":
            return self._path_of(self.item) is not None
        if verb == "run-stale":
            return bool(self.app.stale)
        if verb == "list":
            return self.has_class("-narrow")
        return verb != "sign-off" or self.app.role is Role.REVIEWER

    def why_not(self, verb: str) -> str | None:
        app, item, words = self.app, self.item, ""
        if item is None and verb not in self.WITHOUT_ITEM:
            return self.speech.say("no-item")
        if verb == "samples":
            words = "" if self._has_samples(item) else "no-samples-here"
            return app.why_alone() or (self.speech.say(words) if words else None)
        if verb == "case":
            return why_not_change_case(app)
        if verb in ("graph", "curves"):
            return app.why_alone()
        if verb == "path":
            return app.why_alone() if self._a_path() is None else None
        elif verb == "editor" and self._place_looked_at is not None:
            return None
        elif verb == "mend":
            found = self._mend_looked_at
            mends = found is not None and found[1].fix is not None and found[1].fix.diff
            words = "" if mends else "mend-by-hand" if found is not None else "mend-no-finding"
        elif verb == "list":
            words = "" if self.has_class("-narrow") else "list-stands"
        elif verb == "view" and item is not None:
            results = app.session.entry(item.id).results.values()
            running = any(found for (name, _), (_, found) in app.running.items() if name == item.id)
            words = "" if running or any(result.findings or result.log for result in results) else "nothing-found"
        return self.speech.say(words) if words else super().why_not(verb)

    def _a_path(self) -> Checklist | None:
        """The path of this item's checklist, or of the first open one that is a path."""
        return self._path_of(self.item) or next((each for each in self.app.project.checklists if each.ends), None)

    @property
    def _finding_looked_at(self) -> tuple[str, Finding, int] | None:
        """The finding that is highlighted, with its probe, while the list of findings has the focus."""
        focused = self.focused
        if focused is None or focused.id != "findings":
            return None
        from ..widgets.findings import FindingList

        findings = self.query_one(FindingList)
        option = findings.highlighted_option
        return findings.target(option.id) if option is not None else None

    @property
    def _place_looked_at(self) -> tuple[str, Finding] | None:
        """The finding that is highlighted, where there is a place to open."""
        from ..places import why_not_open

        found = self._finding_looked_at
        return found[:2] if found is not None and why_not_open(self.app, found[1]) is None else None

    @property
    def _mend_looked_at(self) -> tuple[str, Finding] | None:
        """The finding that is highlighted, else the only one of the item that has a mend."""
        if (found := self._finding_looked_at) is not None or self.item is None:
            return found[:2] if found is not None else None
        results = self.app.session.entry(self.item.id).results.values()
        mends = [(result.probe, each) for result in results for each in result.findings if each.fix and each.fix.diff]
        return mends[0] if len(mends) == 1 else None

    def action_graph(self) -> None:
        """The network, at the place of the finding that is highlighted, else of the item's first that has a place there."""
        from .network import NetworkScreen

        if (found := self._finding_looked_at) is not None:
            self.app.push_screen(NetworkScreen(found[1]))
            return
        results = self.app.session.entry(self.item.id).results.values() if self.item is not None else []
        self.app.push_screen(NetworkScreen(of_item=[each for result in results for each in result.findings]))

    def action_curves(self) -> None:
        """The curves of all runs."""
        from .curves import CurvesScreen

        self.app.push_screen(CurvesScreen())

    def action_editor(self) -> None:
        """The place of the finding looked at, or the item's note, in $EDITOR."""
        from ..places import open_place

        if (found := self._place_looked_at) is not None:
            open_place(self.app, *found)
        else:
            super().action_editor()

    def action_mend(self) -> None:
        from .mend import MendScreen

        if (found := self._mend_looked_at) is not None:
            self.app.push_screen(MendScreen(*found))

    @staticmethod
    def _has_samples(item: Item | None) -> bool:
        return item is not None and any(use.name == SAMPLED for use in item.uses)

    def action_samples(self) -> None:
        """Samples of the labels; when marks have changed, what the probe says of them is brought up to date."""
        from .samples import SamplesScreen

        item = self.item
        if item is None:
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
        self._begin(jobs, live=False)

    def action_path(self) -> None:
        from .path import PathScreen

        checklist = self._a_path()
        if checklist is None:
            self._offer_comparison()
            return

        def left(chosen: tuple[str, bool] | None) -> None:
            if chosen is not None:
                self.show_items(chosen[0])
                if chosen[1]:
                    self.call_later(self.action_do, "run")

        self.app.clear_notifications()  # what they said stands there
        self.app.push_screen(PathScreen(checklist), left)

    def _offer_comparison(self) -> None:
        """No open checklist is a path: whether to open the one that compares with a benchmark."""
        from ...checklist import load
        from .dialogs import Choose

        say = self.speech.say

        def answered(choice: str | None) -> None:
            if choice == "yes":
                self.app.action_toggle_checklist("comparison")
                self.call_later(self.action_do, "path")

        title = load("comparison").title[self.speech.language]
        answers = [("yes", say("path-offer-yes")), ("no", say("no"))]
        self.app.push_screen(Choose(say("path-offer", title=title), say("path-offer-text"), answers), answered)

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option_list.id == "items":
            if self.has_class("-narrow"):
                self.action_toggle_list()
            else:
                await self.action_do("accept")
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

    def action_go(self, by: int) -> None:
        ids = [option.id for option in self.query_one(ItemList).options if option.id]
        current = self.query_one(ItemList).current
        if ids:
            index = ids.index(current) + by if current in ids else 0
            self.query_one(ItemList).go(ids[index % len(ids)])
            self._show_item()  # in the same frame as the list

    async def action_filter(self) -> None:
        from ..widgets.findings import FindingList

        if not isinstance(self.focused, FindingList):
            self.add_class("-list")
            self.query_one(ItemList).focus()
        await super().action_filter()

    def action_back(self) -> None:
        """Go back to the list of next steps where that led here; else stop a run, after one question, or go to the list of items."""
        from .dialogs import Choose

        if self.back_to_next_steps():
            return
        if not self.app.runner.busy:
            self.query_one(ItemList).focus()
            return
        say = self.speech.say

        def answered(choice: str | None) -> None:
            if choice == "yes" and self.app.runner.busy:
                self.app.runner.cancel()
                self.notify(say("cancelling"), timeout=2, markup=False)

        answers = [("yes", say("cancel-yes")), ("no", say("cancel-no"))]
        far = self._how_far()
        text = say("cancel-text", done=far.done, total=far.total or self._all_jobs)
        self._question = Choose(say("cancel-title"), text, answers)
        self.app.push_screen(self._question, answered)

    def action_toggle_list(self) -> None:
        """In a narrow terminal: the list or the item."""
        self.toggle_class("-list")
        if self.has_class("-list"):
            self.query_one(ItemList).focus()
        elif self.pane is not None:  # a key may come before it
            self.pane.query_one("Tabs").focus()

    def action_copy(self) -> None:
        from ..widgets.findings import message_of

        item = self.item
        if item is None:
            return
        say, entry = self.speech.say, self.app.session.entry(item.id)
        lines = [f"{item.id} {item.named(self.app.state(item)[0])[self.speech.language]}"]
        said = [("tab-conclusion", say(entry.conclusion.value if entry.conclusion else "not-concluded"))]
        said += [("note", entry.note)] if entry.note else []
        lines += [f"{say(key)}{say('colon')}{text}" for key, text in said]
        for result in entry.weighed.values():
            lines.append(f"{result.probe}{say('colon')}{self.speech.outcome(result).plain}")
            lines += [
                f"- {plain(message_of(result.probe, f.code, f.data, self.speech)).plain}" for f in result.findings
            ]
        self.app.copy_to_clipboard("\n".join(lines))
        self.notify(say("copied"), timeout=2)

    def action_export(self) -> None:
        from .export import ExportScreen

        self.app.push_screen(ExportScreen())
