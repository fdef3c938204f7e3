"""The walkthrough: one app over one project. State lives in the session; the screens only show it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from textual.app import App, SystemCommand
from textual.binding import Binding
from textual.screen import Screen

from ..case import Case
from ..checklist import Item
from ..errors import UserError
from ..language import Language, detect, visible
from ..model import Finding, Status, Verdict
from ..project import Project, open_project
from ..session import Entry, Role, user
from .messages import EngineSaid, RunEnded, Saved, StaleKnown
from .runner import Runner, Running
from .screens.checklist import ChecklistScreen
from .signs import Speech


class Walkthrough(App[None]):
    """`written` are the reports of this visit, printed when it ends."""

    CSS = """
    Toast { max-width: 70%; }
    CommandPalette SearchIcon { display: none; }
    """
    CSS_PATH = "screens/checklist.tcss"
    TITLE = "accucheck"
    COMMAND_PALETTE_BINDING = "ctrl+p"
    BINDINGS = [Binding("ctrl+q", "leave", show=False, priority=True, id="quit-anywhere")]

    def __init__(
        self,
        project: Project,
        language: Language,
        *,
        only_ascii: bool = False,
        who: str | None = None,
        role: Role = Role.AUTHOR,
    ) -> None:
        super().__init__()
        self.who = who or user()
        self.role = role
        assert project.session is not None
        self.project = project
        self.session = project.session
        self.session.autosave = False
        self.speech = Speech(language, only_ascii=only_ascii)
        self.runner = Runner(project, self.post_message)
        self.running: dict[tuple[str, str], tuple[Running, list[Finding]]] = {}
        self.stale: set[tuple[str, str]] = set()
        self.saved = "read-only" if self.session.read_only else "saved"
        self.undo: list[tuple[str, Entry]] = []
        self.written: list[Path] = []
        self.report_folder = Path.cwd()
        self._facts = project.case.facts()

    def get_default_screen(self) -> Screen[None]:
        return ChecklistScreen()

    def on_mount(self) -> None:
        self.set_class(self.speech.only_ascii, "-ascii")
        case = self.project.case
        if case.file is None and not (self.session.record.entries or self.session.read_only or case.alone):
            self._begin_with_start()
        else:
            self._begin()

    def _begin_with_start(self) -> None:
        from ..case import propose
        from .screens.start import StartScreen

        def begin(values: dict[str, str] | None) -> None:
            self._adopt(values or {})
            self._refresh()
            self._begin()

        self.push_screen(StartScreen(propose(Path(self.project.case.root))), begin)

    def _adopt(self, values: dict[str, str]) -> None:
        """Write the chosen keys as accucheck.yaml and go on with that case."""
        from .. import case as cases

        root = Path(self.project.case.root)
        target = root / cases.FILE_NAME
        try:
            if values:
                cases.write({"name": self.project.case.name, **values}, target)
            case = cases.load(root)
        except UserError as error:
            self.notify(
                self.speech.say("start-unwritable", why=error.text(self.speech.language)),
                severity="warning",
                markup=False,
            )
            case = cases.load(root, [f"{key}={value}" for key, value in values.items()])
        self.use_case(case)

    def use_case(self, case: Case) -> None:
        self.project.case = case
        self._facts = case.facts()

    def _begin(self) -> None:
        if self.session.notice is not None:
            self.notify(self.session.notice.text(self.speech.language), severity="warning", timeout=15, markup=False)
        if self.session.record.entries:
            self.runner.look_for_stale()

    @property
    def checklist(self) -> ChecklistScreen | None:
        return next((screen for screen in self.screen_stack if isinstance(screen, ChecklistScreen)), None)

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

    def may_change(self) -> bool:
        """False, with the reason shown, when the session belongs to somebody else."""
        if not self.session.read_only:
            return True
        text = self.speech.say("read-only-why", why=self.session.refusal.text(self.speech.language))
        self.notify(text, severity="warning", markup=False)
        return False

    def may_answer(self) -> bool:
        """False, with the reason shown, when answers cannot be changed here: they are their author's."""
        return self.may_change() and self._is(Role.AUTHOR, "authors-only")

    def may_review(self) -> bool:
        """False, with the reason shown, when reviews cannot be changed here."""
        return self.may_change() and self._is(Role.REVIEWER, "reviewers-only")

    def _is(self, role: Role, otherwise: str) -> bool:
        if self.role is not role:
            self.notify(self.speech.say(otherwise), severity="warning", markup=False)
        return self.role is role

    def change(self, item: str, apply: Callable[[], None]) -> None:
        """Change one item's answer or review: remembered for undo, saved in a thread, shown at once."""
        if not self.may_change():
            return
        before = self.session.entry(item)
        try:
            apply()
        except UserError as error:
            self.notify(error.text(self.speech.language), severity="warning", markup=False)
            return
        self.undo.append((item, before))
        self.save_soon()

    def save_soon(self) -> None:
        self.saved = "saving"
        self.runner.save()
        self._refresh()

    def on_saved(self, message: Saved) -> None:
        if message.error is None:
            self.saved = "saving" if self.session.unsaved else "saved"
        else:
            self.saved = "unsaved"
            say = self.speech.say
            text = f"{message.error.text(self.speech.language)}\n{say('save-failed-next')}"
            self.show_error(text)
        self._refresh()

    def show_error(self, text: str) -> None:
        from .screens.dialogs import Choose

        if not any(isinstance(screen, Choose) for screen in self.screen_stack):
            self.push_screen(Choose(self.speech.say("error-title"), text, [("close", self.speech.say("close"))]))

    def _refresh(self, item: str | None = None) -> None:
        if (screen := self.checklist) is not None:
            screen.refresh_states(item)

    # --- what the engine says -----------------------------------------------------------------------------------------

    def on_engine_said(self, message: EngineSaid) -> None:
        from .. import engine

        event = message.event
        key = (event.job.item, event.job.probe)
        if isinstance(event, engine.Started):
            self.running[key] = (Running(), [])
        elif isinstance(event, engine.Progressed):
            if key in self.running:
                self.running[key][0].progress = event.progress
        elif isinstance(event, engine.Found):
            if key in self.running:
                self.running[key][1].append(event.finding)
        else:
            self.running.pop(key, None)
            self.stale.discard(key)
            self.saved = "saving" if self.session.unsaved and not self.session.read_only else self.saved
        if (screen := self.checklist) is not None:
            screen.engine_said(event)

    def on_run_ended(self, message: RunEnded) -> None:
        self.running.clear()
        if message.error is not None:
            self.show_error(message.error.text(self.speech.language))
        if (screen := self.checklist) is not None:
            screen.run_ended()

    def on_stale_known(self, message: StaleKnown) -> None:
        self.stale = message.stale
        self._refresh()

    # --- verbs that work anywhere -------------------------------------------------------------------------------------

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        checklist = self.checklist
        if checklist is not None and screen is checklist:
            for words, action in checklist.verbs():
                yield SystemCommand(self.speech.say(words), "", lambda action=action: self._do(action))
            yield from self._checklist_commands()
        elif (verbs := getattr(screen, "VERBS", None)) is not None:
            for _, words, action in verbs:
                yield SystemCommand(self.speech.say(words), "", lambda action=action: self._do(action))
        yield SystemCommand(self.speech.say("command-language"), "", lambda: self._do("app.switch_language"))
        yield SystemCommand(self.speech.say("command-quit"), "", lambda: self._do("app.leave"))

    def _checklist_commands(self) -> Iterable[SystemCommand]:
        """One command for each shipped checklist: show its items too, or no longer."""
        from ..checklist import load, shipped

        opened = [checklist.name for checklist in self.project.checklists]
        for name in shipped():
            if opened != [name]:
                words = "command-hide-checklist" if name in opened else "command-show-checklist"
                text = self.speech.say(words, title=load(name).title[self.speech.language])
                yield SystemCommand(text, "", lambda name=name: self.toggle_checklist(name))

    def toggle_checklist(self, name: str) -> None:
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
        from textual.command import CommandPalette

        if not any(isinstance(screen, CommandPalette) for screen in self.screen_stack):
            self.push_screen(CommandPalette(placeholder=self.speech.say("command-search")))

    def _do(self, action: str) -> None:
        self.call_later(self.run_action, action, self.screen)

    async def action_switch_language(self) -> None:
        language = Language.EN if self.speech.language is Language.ZH else Language.ZH
        self.speech = Speech(language, only_ascii=self.speech.only_ascii)
        if (screen := self.checklist) is not None:
            await screen.rebuild()

    def _fatal_error(self) -> None:
        """An error of ours: close the screen without a traceback on it; run() raises what happened."""
        self._close_messages_no_wait()

    def action_leave(self) -> None:
        """Quit; asks first when probes are running."""
        from .screens.dialogs import Choose

        if not self.runner.busy:
            self.exit()
            return

        def answer(choice: str | None) -> None:
            if choice == "yes":
                self.runner.cancel()
                self.exit()

        say = self.speech.say
        self.push_screen(Choose(say("quit-title"), "", [("no", say("no")), ("yes", say("yes"))]), answer)


def run(
    path: Path,
    checklists: Sequence[str],
    settings: Sequence[str],
    choice: str | None,
    *,
    only_ascii: bool = False,
    who: str | None = None,
    role: Role = Role.AUTHOR,
    read_only: bool = False,
) -> int:
    """Open the walkthrough and return the exit code. Raises UserError before the screen is touched.

    choice: the language asked for on the command line; who: the person's name, by default the user's.
    """
    project = open_project(path, checklists, settings, session="read" if read_only else "try")
    session = project.session
    assert session is not None
    language = detect(choice, project.case.spec.language)
    app = Walkthrough(project, language, only_ascii=only_ascii, who=who, role=role)
    sys.setswitchinterval(0.001)  # a thread that reads events must not hold a key up
    try:
        app.run()
    finally:
        try:
            app.runner.close()
        finally:
            session.close()
    if app._exception is not None:
        raise app._exception
    if app.written:
        print(app.speech.say("reports"))
        for report in app.written:
            print(f"  {visible(str(report))}")
    sys.stdout.flush()
    return app.return_code or 0
