"""The walkthrough: one app over one project. State lives in the session; the screens only show it."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.css.query import NoMatches
from textual.driver import Driver
from textual.events import Event, Key, MouseDown
from textual.screen import Screen
from textual.widget import Widget

from .. import settings
from ..case import Case
from ..checklist import Item
from ..drafts import Drafts
from ..errors import SaveError, UserError
from ..language import Language, detect, visible
from ..model import Finding, ProbeResult, Status, Verdict
from ..project import Project, last_watch, open_project
from ..session import Entry, Role, Session, Training, user
from ..settings import Settings
from . import opening
from .colourless import COLOURLESS, Colourless, ReadableOnGround
from .messages import (
    EngineEvent,
    RunEnded,
    SaveEnded,
    StaleChecked,
    SurveyEnded,
    TerminalGone,
    TryEnded,
    TuneEnded,
    WatchEnded,
)
from .runner import ProbeProgress, Runner
from .screens.checklist import ChecklistScreen
from .signs import Speech, plain
from .themes import DARK, OWN
from .verbs import ANYWHERE, VerbScreen, bindings, key_name, keys_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.actions import ActionParseResult
    from textual.command import Provider
    from textual.dom import DOMNode
    from textual.filter import LineFilter

    from ..mending import FileChange
    from ..proposal import Survey
    from .screens.dialogs import Told
    from .screens.progress import JobScreen
    from .settling import Sweeper


def _palette() -> type[Provider]:
    from .palette import Verbs

    return Verbs


#: Seconds from the start until what the next keys need is loaded.
SETTLED = 1.0
#: The verb of the checklist that leads to a draft, by its kind.
_CONTINUED_BY = {"note": "note", "comment": "comment", "sample": "samples"}
#: Seconds that a key waits for the widgets of a screen that is being opened.
FOR_WIDGETS = 1.0


class _Threads(ThreadPoolExecutor):
    """What screens do in threads. The end of the event loop does not wait for it: what was answered is stored first."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=cancel_futures)


class Walkthrough(App[None]):
    """`written` are the reports of this visit, printed when it ends; `writing` is what is still being written, in threads, and `unwritten`
    why what was begun before the end could not be; `failed` is what nobody foresaw in such a thread."""

    CSS = """
    ToastRack { margin-bottom: 4; }  /* above the keys, the hint and the conclusion, which are never covered */
    Toast { max-width: 56%; }  /* not across the edge of two panes: a wide letter would be cut there when one of them is drawn */
    CommandPalette SearchIcon { display: none; }
    """
    CSS_PATH = "screens/checklist.tcss"
    TITLE = "accucheck"
    COMMANDS = {_palette}
    ENABLE_COMMAND_PALETTE = False  # ours is a verb like others

    def __init__(
        self,
        project: Project,
        language: Language,
        *,
        only_ascii: bool = False,
        who: str | None = None,
        role: Role = Role.AUTHOR,
        preferences: Settings | None = None,
    ) -> None:
        super().__init__()
        self.animation_level = "none"  # what slides is drawn many times, and a key waits for it; over SSH most of all
        self.who = who or user()
        self.preferences = preferences or Settings()
        self.notices: list[UserError] = []  # told once the screen stands
        self.keymap = self._checked_keys()  # verb id -> keys
        self._begin_theme()
        self._bindings = bindings(ANYWHERE, self.keymap, "{verb.action}")
        self.role = role
        assert project.session is not None
        self.project = project
        self.session = project.session
        self.session.autosave = False
        named = {f"@{verb}": key_name(keys.split(",")[0], only_ascii=only_ascii) for verb, keys in self.keymap.items()}
        self.speech = Speech(language, only_ascii=only_ascii, keys=named)
        self.drafts = Drafts(self.session.drafts)
        self._told: UserError | None = None  # the session's last notice that was shown
        self._ended_drafts: set[str] = set()  # drafts whose text is in the session, but not saved yet
        self.runner = Runner(project, self.post_message)
        self.running: dict[tuple[str, str], tuple[ProbeProgress, list[Finding]]] = {}
        self.stale: set[tuple[str, str]] = set()
        self.saved = "read-only" if self.session.read_only else "saved"
        self.undo: list[tuple[str, Entry | FileChange]] = []
        self.written: list[Path] = []
        self.writing: list[object] = []
        self.unwritten: list[UserError] = []
        self.failed: Exception | None = None
        self.mends: dict[str, FileChange] = {}  # what was written into files in this visit, by its diff
        self.before: dict[tuple[str, str], ProbeResult] = {}  # by item and probe what its last run replaced
        self._tell_stale = False
        self.proof = ""  # what came of the last run of what was out of date
        self.live: bool | None = None  # whether live probes run, where nobody is to be asked
        self.survey: Survey | None = None  # what the project holds, once that is known
        self.probes_known = False  # whether what each input is for can be told at once
        self.reopen: Path | None = None  # the project to open in the place of this one
        self.first_item = ""
        self.presses = 0  # of keys and of the mouse
        self._retelling = False  # in another language
        self._retold = True
        self._sweeper: Sweeper | None = None
        self.hung_up = False
        self.terminal_notice = ""
        self.report_folder = project.reports

    def _checked_keys(self) -> dict[str, str]:
        if not self.preferences.keys:
            return {}
        from .keymap import checked

        keymap, errors = checked(self.preferences.keys)
        self.notices += errors
        return keymap

    async def on_event(self, event: Event) -> None:
        if isinstance(event, (Key, MouseDown)) and not event.is_forwarded:
            self.presses += 1
            if self._sweeper is not None:
                self._sweeper.pressed()
        await super().on_event(event)

    def _begin_theme(self) -> None:
        """The theme of the settings; otherwise the dark one, or that of the terminal where it has 16 colours only."""
        for theme in OWN:
            self.register_theme(theme)
        if self.no_color:
            self.register_theme(COLOURLESS)
            self.theme = COLOURLESS.name
            self._filters = [Colourless()]
            return
        name = self.preferences.theme
        if name and name not in self.available_themes:
            from ..document import nearest

            place = {"path": str(settings.file()), "line": settings.line_of("theme")}
            hint = nearest(name, [*self.available_themes])
            self.notices.append(UserError("settings-theme", **place, theme=name, hint=hint))
            name = ""
        self.theme = name or ("ansi-dark" if self.console.color_system == "standard" else DARK.name)

    def get_line_filters(self) -> Sequence[LineFilter]:
        filters = super().get_line_filters()
        return [*filters, ReadableOnGround()] if self.current_theme.ansi else filters

    def get_css_variables(self) -> dict[str, str]:
        """The colours of the theme; the ground of heads is one on which its texts can be read, as textual's own is not in light themes."""
        variables = super().get_css_variables()
        if "primary-background" not in self.current_theme.variables:
            variables["primary-background"] = variables["surface"]
        return variables

    def get_driver_class(self) -> type[Driver]:
        from textual import constants

        if constants.DRIVER is None:
            from .terminal import Terminal

            return Terminal
        if constants.DRIVER.endswith(":WebDriver"):
            from .page import Page

            return Page
        return super().get_driver_class()

    def get_default_screen(self) -> Screen[None]:
        """The main screen; of a new project nothing, until its case is known."""
        return Screen() if opening.is_new(self) else ChecklistScreen()

    def on_mount(self) -> None:
        asyncio.get_running_loop().set_default_executor(_Threads())
        self.set_timer(SETTLED, self._settle)
        self.set_class(self.speech.only_ascii, "-ascii")
        if self.terminal_notice:
            self.notify(self.terminal_notice, severity="warning", timeout=15, markup=False)
        if opening.is_new(self):
            self.run_worker(opening.begin_new(self))
        else:
            self._begin()

    def _settle(self) -> None:
        from .settling import Sweeper, settle

        if not gc.isenabled():
            settle(self.project)
        self._sweeper = Sweeper()

    def tell_training(self, answer: Training) -> None:
        """Keep whether the training runs; of a session that cannot be written for this visit only."""
        if not self.session.read_only:
            self.session.tell_training(answer, self.who)
            self.save_soon()

    def adopt(self, values: dict[str, str]) -> None:
        """Write the chosen keys as accucheck.yaml, and begin with that case."""
        from .. import case as cases

        root = Path(self.project.case.root)
        try:
            if values:
                cases.write({"name": self.project.case.name, **values}, root / cases.FILE_NAME)
            case = cases.load(root)
            if added := last_watch(case):
                case = cases.load(root, added)
        except UserError as error:
            self.notify(
                self.speech.say("start-unwritable", why=error.text(self.speech.language)),
                severity="warning",
                markup=False,
            )
            case = cases.load(
                root,
                [f"{key}={json.dumps(cases.typed(key, value), ensure_ascii=False)}" for key, value in values.items()],
            )
        self.use_case(case)
        self.push_screen(ChecklistScreen())
        self._begin()

    def use_case(self, case: Case) -> None:
        self.project.case = case

    def _begin(self) -> None:
        for notice in self.notices:
            self.notify(notice.text(self.speech.language), severity="warning", timeout=15, markup=False)
        self._tell_notice()
        self._tell_drafts()
        if self.session.record.entries:
            self.runner.look_for_stale()
        self.call_later(opening.remember, self)

    def on_app_focus(self) -> None:
        """Whoever comes back from another window may have edited a script or made new data there."""
        if self.checklist is not None and self.session.record.entries and not self.runner.busy:
            self.look_for_stale(tell=not self.stale)

    def on_survey_ended(self, message: SurveyEnded) -> None:
        self.survey, self.probes_known = message.survey, message.probes
        for screen in self.screen_stack:
            if (take := getattr(screen, "surveyed", None)) is not None:
                take(message.survey)

    async def action_open_recent(self) -> None:
        """Choose another project, and open it in the place of this one."""
        self.run_worker(opening.open_recent(self), group="recent", exclusive=True)

    async def action_change_case(self) -> None:
        self.run_worker(opening.change_case(self), group="case", exclusive=True)

    def _tell_notice(self) -> None:
        notice = self.session.notice  # of a read-only session the banner says it
        if notice is not None and notice is not self._told and not self.session.read_only:
            self._told = notice
            self.notify(notice.text(self.speech.language), severity="warning", timeout=15, markup=False)

    @property
    def checklist(self) -> ChecklistScreen | None:
        return next((screen for screen in self.screen_stack if isinstance(screen, ChecklistScreen)), None)

    @property
    def _top(self) -> Screen[object] | None:
        """The screen that is seen; None where a message comes while the program ends."""
        return self.screen_stack[-1] if self.screen_stack else None

    # --- states -------------------------------------------------------------------------------------------------------

    def state(self, item: Item) -> tuple[str, bool]:
        """The state of an item (a key of SIGNS) and whether it is only suggested."""
        if any(key[0] == item.id for key in self.running):
            return "running", False
        entry = self.session.entry(item.id)
        if entry.conclusion is not None:
            return entry.conclusion.value, False
        suggestion = self.project.suggestion(item)
        if suggestion is Verdict.UNDECIDED:
            ran = [result for result in entry.results.values() if result.status is not Status.SKIPPED]
            if any(result.status is Status.FAILED for result in ran):
                return "failed", True
            return ("undecided", True) if ran else ("open", False)
        return suggestion.value, True

    def review_state(self, item: str) -> str:
        """accepted, returned, outdated, or empty where nobody has reviewed the item."""
        entry = self.session.entry(item)
        if entry.review is None:
            return ""
        return entry.judgement.value if entry.judgement is not None else "outdated"

    # --- changing answers ---------------------------------------------------------------------------------------------

    def why_not_change(self) -> str | None:
        """Why nothing can be changed here: the session belongs to somebody else. None where it can."""
        if not self.session.read_only:
            return None
        return self.speech.say("read-only-why", why=self.session.refusal.text(self.speech.language))

    def why_not_answer(self) -> str | None:
        """Why answers cannot be changed here: they are their author's."""
        return self.why_not_change() or (self.speech.say("authors-only") if self.role is not Role.AUTHOR else None)

    def why_not_review(self) -> str | None:
        """Why reviews cannot be changed here."""
        return self.why_not_change() or (self.speech.say("reviewers-only") if self.role is not Role.REVIEWER else None)

    def why_alone(self) -> str | None:
        """Why nothing can be run or looked at: the session came without its project."""
        try:
            self.project.need_project()
        except UserError as error:
            return error.text(self.speech.language)
        return None

    def why_not_run(self) -> str | None:
        """Why no probe can be run now."""
        return self.why_alone() or (self.speech.say("busy") if self.runner.busy else None)

    def change(self, item: str, apply: Callable[[], None]) -> None:
        """Change one item's answer or review: remembered for undo, saved in a thread, shown at once."""
        if (why := self.why_not_change()) is not None:
            self.notify(why, severity="warning", markup=False)
            return
        before = self.session.entry(item)
        try:
            apply()
        except UserError as error:
            self._ended_drafts.clear()  # what was typed for it is not in the session
            self.notify(error.text(self.speech.language), severity="warning", markup=False)
            return
        self.undo.append((item, before))
        self.save_soon()

    def save_soon(self) -> None:
        self.saved = "saving"
        self.runner.save()
        self._refresh()

    def on_save_ended(self, message: SaveEnded) -> None:
        if message.error is None:
            self.saved = "saving" if self.session.unsaved else "saved"
            self._tell_notice()
            if not self.session.unsaved:
                self.drop_drafts("note", "comment")
        else:
            self.saved = "unsaved"
            say = self.speech.say
            text = f"{message.error.text(self.speech.language)}\n{say('save-failed-next')}"
            self.show_error(text)
        self._refresh()

    # --- drafts -------------------------------------------------------------------------------------------------------

    def keep_draft(self, key: str, text: str, begun: str) -> None:
        """Keep what is being typed; `begun` is what the note was before, and needs no draft."""
        self._ended_drafts.discard(key)
        self.drafts.put(key, None if text == begun else text)
        if (error := self.drafts.error) is not None and error is not self._told:
            self._told = error
            text = self.speech.say("draft-unwritable", why=error.text(self.speech.language))
            self.notify(text, severity="warning", markup=False)

    async def write_note(self, title: Told, text: str, key: str) -> str:
        """Ask for a note, in a worker; its draft is needed until what became of it is saved."""
        from .screens.dialogs import WriteNote

        note: str = await self.push_screen_wait(WriteNote(title, text, key))
        self._ended_drafts.add(key)
        return note

    def drop_drafts(self, *kinds: str) -> None:
        """What became of the ended drafts of these kinds is saved."""
        for key in [key for key in self._ended_drafts if key.partition(" ")[0] in kinds]:
            self._ended_drafts.discard(key)
            self.drafts.put(key, None)

    def _tell_drafts(self) -> None:
        """A draft's key is its kind, its item, and for a sample which one."""
        left = [key.split(" ") for key in self.drafts.keys if " " in key]
        kept = [(kind, item) for kind, item, *_ in left if kind != "note" or self._unlike(item)]
        if kept and not self.session.read_only:
            text = ", ".join(dict.fromkeys(plain(item).plain for _, item in kept))
            ways = {_CONTINUED_BY.get(kind) for kind, _ in kept}
            keys = [keys_of(verb, self.keymap)[0] for verb in ChecklistScreen.VERBS if verb.id in ways]
            names = "/".join(key_name(key, only_ascii=self.speech.only_ascii) for key in dict.fromkeys(keys))
            self.notify(self.speech.say("drafts-left", items=text, key=names), timeout=15, markup=False)

    def _unlike(self, item: str) -> bool:
        return self.drafts.get(f"note {item}") != self.session.entry(item).note

    def show_error(self, text: str) -> None:
        from .screens.dialogs import Choose

        open_ones = [screen for screen in self.screen_stack if isinstance(screen, Choose)]
        if not open_ones:
            self.push_screen(Choose(self.speech.say("error-title"), text, [("close", self.speech.say("close"))]))
        elif all(screen.text != text for screen in open_ones):  # a question stays to be answered
            self.notify(text, severity="error", timeout=15, markup=False)

    def _refresh(self, item: str | None = None) -> None:
        if (screen := self.checklist) is not None:
            screen.refresh_states(item)

    # --- what the engine says -----------------------------------------------------------------------------------------

    def on_engine_event(self, message: EngineEvent) -> None:
        from .. import engine

        event = message.event
        key = (event.job.item, event.job.probe)
        if isinstance(event, engine.Started):
            self.running[key] = (ProbeProgress(), [])
            if message.before is not None and message.before.status is Status.DONE:
                self.before[key] = message.before
        elif isinstance(event, engine.ProgressEvent):
            if key in self.running:
                self.running[key][0].progress = event.progress
        elif isinstance(event, engine.FindingEvent):
            if key in self.running:
                self.running[key][1].append(event.finding)
        else:
            self.running.pop(key, None)
            if event.result.status is not Status.CANCELLED:
                self.stale.discard(key)
            elif (
                kept := self.session.entry(key[0]).results.get(key[1])
            ) is not None and kept.status is Status.CANCELLED:
                self.stale.add(key)
            self.saved = "saving" if self.session.unsaved and not self.session.read_only else self.saved
        if (screen := self.checklist) is not None:
            screen.engine_said(event)

    def on_run_ended(self, message: RunEnded) -> None:
        self.running.clear()
        if message.error is not None:
            self.show_error(message.error.text(self.speech.language))
        if (screen := self.checklist) is not None:
            screen.run_ended()
        self.show_proof()

    def show_proof(self) -> None:
        """Let the change that is looked at say what became of it."""
        from .screens.mend import MendScreen

        if isinstance(top := self._top, MendScreen):
            top.show_proof()

    def on_watch_ended(self, message: WatchEnded) -> None:
        if message.error is not None:
            self.show_error(message.error.text(self.speech.language))
        if (screen := self.checklist) is not None:
            screen.watch_ended(message.watched)

    def on_try_ended(self, message: TryEnded) -> None:
        from .screens.trial import TrialScreen

        self._job_ended(TrialScreen, message.error)

    def on_tune_ended(self, message: TuneEnded) -> None:
        from .screens.search import SearchScreen

        self._job_ended(SearchScreen, message.error)

    def _job_ended(self, kind: type[JobScreen], error: UserError | None) -> None:
        """Show how it ended where its screen is open, else say that it is ready."""
        if error is not None:
            self.show_error(error.text(self.speech.language))
        shown = [screen for screen in self.screen_stack if isinstance(screen, kind)]
        for screen in shown:
            screen.show_ended()
        if not shown and error is None:
            self.notify(self.speech.say(f"{kind.JOB}-ready"), timeout=8, markup=False)

    def on_stale_checked(self, message: StaleChecked) -> None:
        self.stale = message.stale
        if message.error is not None:
            self.notify(message.error.text(self.speech.language), severity="warning", markup=False)
        if self._tell_stale and self.stale and not self.runner.busy:
            self.notify(self.speech.say("stale-found", count=len(self.stale)), timeout=8, markup=False)
        self._tell_stale = False
        self._refresh()
        if isinstance(top := self._top, VerbScreen) and top is not self.checklist:
            top.show_keys()

    def write_mend(self, diffs: Sequence[str], mend: FileChange) -> Path:
        """Write a mend of these diffs into its file, remembered for undo; returns the copy of the file as it was. Raises UserError."""
        from ..mending import apply

        kept = apply(mend)
        item = self.checklist.item if self.checklist is not None else None
        self.mends |= dict.fromkeys(diffs, mend)
        self.undo.append((item.id if item is not None else "", mend))
        self.look_for_stale()
        return kept

    def take_back(self, mend: FileChange) -> None:
        """Put a file back as it was before its mend. Raises UserError."""
        from ..mending import undo

        undo(mend)
        self.mends = {diff: each for diff, each in self.mends.items() if each is not mend}
        self.undo = [(item, each) for item, each in self.undo if each is not mend]
        self.notify(plain(self.speech.say("mend-undone", path=mend.path)).plain, markup=False)
        self.look_for_stale()

    def look_for_stale(self, *, tell: bool = False) -> None:
        """Find out in a thread which results are out of date; `tell` says how many."""
        self._tell_stale = tell
        self.runner.look_for_stale()

    def run_stale(self) -> None:
        """Run what is out of date, on the main screen where there is any."""
        if (checklist := self.checklist) is not None:
            checklist.action_run_stale()

    def back_to(self, screen: Screen[None]) -> None:
        """Leave what lies above a screen."""
        while self.screen is not screen and len(self.screen_stack) > 1:
            self.pop_screen()

    # --- verbs that work anywhere -------------------------------------------------------------------------------------

    def action_toggle_checklist(self, name: str) -> None:
        """Show a shipped checklist beside those that are open, or put it away; its answers stay in the session."""
        from ..checklist import load

        left = [checklist for checklist in self.project.checklists if checklist.name != name]
        added = [] if len(left) < len(self.project.checklists) else [load(name)]
        try:
            self.project.use([*left, *added])
        except UserError as error:
            self.show_error(error.text(self.speech.language))
            return
        if (screen := self.checklist) is not None:
            screen.show_items(added[0].items[0].id if added else None)

    def action_command_palette(self) -> None:
        from .palette import Palette

        if not any(isinstance(screen, Palette) for screen in self.screen_stack):
            self.push_screen(Palette(placeholder=self.speech.say("command-search")))

    def do(self, action: str, screen: Screen[Any]) -> None:
        """Run an action of a screen once the palette over it is away; with another screen over it by then, it is not meant any more."""
        self.call_later(lambda: self.run_action(action, screen) if self.screen is screen else None)

    def action_choose_theme(self) -> None:
        from .screens.theme import ThemeScreen

        if self.no_color:
            self.notify(self.speech.say("theme-none"), severity="warning", markup=False)
            return
        before = self.theme

        def chosen(keep: bool | None) -> None:
            if not keep:
                self.theme = before
            elif self.theme != before:
                try:
                    settings.keep_theme(self.theme)
                except UserError as error:
                    why = error.text(self.speech.language)
                    self.notify(self.speech.say("theme-not-kept", why=why), severity="warning", markup=False)

        if not any(isinstance(screen, ThemeScreen) for screen in self.screen_stack):
            self.push_screen(ThemeScreen(), chosen)

    async def action_switch_language(self) -> None:
        language = Language.EN if self.speech.language is Language.ZH else Language.ZH
        self.speech = Speech(language, only_ascii=self.speech.only_ascii, keys=self.speech.keys)
        self._retold = False
        if self._retelling:
            return  # the screens are made again once more, after this time
        self._retelling = True
        try:
            while not self._retold:
                self._retold = True
                for screen in [*self.screen_stack]:
                    await self._retell(screen)
        finally:
            self._retelling = False

    async def _retell(self, screen: Screen[Any]) -> None:
        """Make a screen again in the language that is spoken now; one that is left meanwhile, or not made yet, needs it not."""
        rebuild = getattr(screen, "rebuild", None)
        try:
            if rebuild is not None and screen in self.screen_stack:
                await rebuild()
        except NoMatches:
            if screen in self.screen_stack and screen.children:
                raise

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """As textual's, but a key that comes while a screen is made, made again or left finds nothing to act on, and does nothing."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except NoMatches:
            nodes = default_namespace.ancestors_with_self if isinstance(default_namespace, Widget) else [self.screen]
            if any(node in self.screen_stack and node.children for node in nodes) and not self._retelling:
                raise
            return False

    def _handle_exception(self, error: Exception) -> None:
        """What fails in a screen that has been left meanwhile harms nobody: it looks for widgets that are gone."""
        from traceback import walk_tb

        from textual._context import active_message_pump
        from textual.worker import WorkerFailed, active_worker

        # A screen that a worker has opened has that worker in its context too; what is to be done after a paint is done by the screen in
        # sight, whoever asked for it.
        pump = active_worker.get().node if isinstance(error, WorkerFailed) else active_message_pump.get(None)
        selves = (frame.f_locals.get("self") for frame, _ in walk_tb(error.__traceback__))
        nodes = [pump, *(each for each in selves if isinstance(each, Widget) and each.is_mounted)]
        left = any(isinstance(each, Widget) and self._is_left(each) for each in nodes)
        if left or self._exit or (isinstance(error, NoMatches) and not self.is_running):
            self.log.error(error)
        else:
            super()._handle_exception(error)

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """A key with priority acts at once, where other keys wait until a screen has its widgets; so does this one then."""
        if priority and not self.screen.is_mounted:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.screen._mounted_event.wait(), FOR_WIDGETS)
        return await super()._check_bindings(key, priority)

    def _is_left(self, widget: Widget) -> bool:
        return not any(each in self.screen_stack for each in widget.ancestors_with_self)

    def _fatal_error(self) -> None:
        """An error of ours: close the screen without a traceback on it; run() raises what happened."""
        self._close_messages_no_wait()

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Leave, remembering how far the project is, where it is one."""
        if not opening.is_new(self):
            opening.remember(self, wait=True)
        super().exit(result, return_code, message)

    def on_terminal_gone(self, message: TerminalGone) -> None:
        """Nobody is there to ask: end as with q, and keep what is half typed."""
        self.hung_up = True
        self.exit(return_code=128 + message.number)

    def on_driver_signal_resume(self) -> None:
        """Back from the shell: all is to be drawn again."""
        self.refresh(layout=True)

    def action_suspend_process(self) -> None:
        """Give the terminal back to the shell, as Ctrl+Z does, and all of the job with it (`make` that started this)."""
        from .terminal import is_alone

        if self._driver is None or not self._driver.can_suspend or is_alone():
            self.notify(self.speech.say("suspend-nowhere"), severity="warning", markup=False)
        else:
            os.killpg(os.getpgrp(), signal.SIGTSTP)

    def action_leave(self) -> None:
        """Quit; asks first when probes are running."""
        if not self.runner.busy:
            self.exit()
            return

        def answer(choice: str | None) -> None:
            if choice == "yes":
                self.runner.cancel()
                self.exit()

        self.push_screen(opening.quit_question(self), answer)


class Crashed(Exception):
    """An error of ours ended the walkthrough, its cause; what was answered is saved in `session`."""

    def __init__(self, session: Path) -> None:
        super().__init__(str(session))
        self.session = session


def _rescued(session: Session, error: SaveError) -> UserError:
    """Store in another place what could not be saved at the end, and say where."""
    try:
        kept = session.rescue()
    except SaveError:
        return error
    return SaveError("session-rescued", why=error, path=str(kept), target=str(session.path))


def run(
    path: Path,
    checklists: Sequence[str],
    assignments: Sequence[str],
    choice: str | None,
    *,
    only_ascii: bool = False,
    who: str | None = None,
    role: Role = Role.AUTHOR,
    read_only: bool = False,
    notice: str = "",
    kind: type[Walkthrough] = Walkthrough,
) -> int:
    """Open the walkthrough and return the exit code. Raises UserError before the screen is touched.

    choice: the language asked for on the command line; who: the person's name, by default the user's; kind: the demo is another;
    notice: what is to be said of the terminal.
    """
    if "TEXTUAL_DRIVER" not in os.environ:  # a page gives its size so
        for name in ("COLUMNS", "LINES"):  # would be taken for the size of the terminal, which they do not follow
            os.environ.pop(name, None)
    preferences, wrong = settings.load()
    sys.setswitchinterval(0.0001)  # a thread that saves must not hold up a key, which asks for its turn some 30 times
    how = "read" if read_only else "try"
    project = open_project(path, checklists, assignments, session=how)
    told = [wrong] if wrong is not None else []
    while True:
        language = detect(choice, project.case.spec.language)
        app = kind(project, language, only_ascii=only_ascii, who=who, role=role, preferences=preferences)
        app.notices += told
        app.terminal_notice, notice = notice, ""
        _visit(app)
        if app.reopen is None:
            return app.return_code or 0
        choice, only_ascii, preferences = app.speech.language.value, app.speech.only_ascii, app.preferences
        try:
            project, told = open_project(app.reopen, checklists, session=how), []
            path, assignments, kind = app.reopen, (), Walkthrough  # it is no demo
        except UserError as error:  # then this one is opened again, and says why
            project, told = open_project(path, checklists, assignments, session=how), [error]


def _visit(app: Walkthrough) -> None:
    """Run the app to its end, and give its project back."""
    from ..recent import find

    known = find(opening.recent_path(app))
    app.first_item = known.item if known is not None else ""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)}
    try:
        app.run()
    finally:
        for number in handlers:  # who hangs up often says so twice, and a person may press Ctrl+C: it is stored first
            signal.signal(number, signal.SIG_IGN)
        try:
            _store(app)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    if app._exception is not None:
        raise Crashed(app.session.path) from app._exception
    if app.hung_up:  # nobody is there to read what follows
        return
    if app.writing:
        print(app.speech.say("export-finishing"), flush=True)
    while app.writing:
        time.sleep(0.05)
    for error in app.unwritten:
        print(visible(error.text(app.speech.language)), file=sys.stderr)
    if app.written:
        print(app.speech.say("reports"))
        for report in app.written:
            print(f"  {visible(str(report))}")
    sys.stdout.flush()
    if app.failed is not None:
        raise Crashed(app.session.path) from app.failed


def _store(app: Walkthrough) -> None:
    """Store all that was answered, and end what runs."""
    app.drafts.close()
    try:
        app.runner.close()
        app.drop_drafts("note", "comment")
        app.drafts.close()
    except SaveError as error:
        raise _rescued(app.session, error) from None
    finally:
        app.session.close()
