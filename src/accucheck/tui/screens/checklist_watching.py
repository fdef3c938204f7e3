"""The main screen: watching the training itself."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from textual import work

from ...errors import SaveError, UserError
from ...language import visible
from ...model import Kind, ProbeResult
from ...project import Project
from .checklist_reviewing import Reviewing

if TYPE_CHECKING:
    from ...search_runs import StudyRunner
    from ...watching import WatchResult

#: Training steps that are watched.
STEPS = 50
#: Changes that are tried at most, seeds of the unchanged project, and seconds of a training.
PATCHES, SEEDS, SECONDS = 8, 2, 300
#: Trainings of a search, and faults that are named before it.
TRIALS, _NAMED = 20, 5


#: Seconds that reading the scripts may take before a command is proposed.
_READ = 3.0


class Watching(Reviewing):
    """Asks for the command, runs it under watch, and lets the probes look at what was recorded."""

    #: The command that was asked for last.
    _command: list[str] = []

    def why_not(self, verb: str) -> str | None:
        return self.app.why_alone() if verb in ("watch", "try", "tune") else super().why_not(verb)

    def action_watch(self) -> None:
        """The running watch, or a new one."""
        if self.app.runner.watches:
            self._show_watch()
        else:
            self.watch_anew()

    def action_try_fixes(self) -> None:
        """The changes that are or were tried in this visit, or a new try."""
        if self.app.runner.tries or self.app.runner.tried is not None:
            self._show_trials()
        else:
            self.try_anew()

    @work
    async def try_anew(self, *, ask: bool = False) -> None:
        """Ask for the command, and train copies of the project with the changes of findings; `ask` also where it was agreed to."""
        from ... import try_runs

        app, say = self.app, self.speech.say
        if (why := app.why_alone()) is not None:
            self.notify(why, severity="warning", markup=False)
            return
        root = Path(app.project.case.root)
        try:
            found = await asyncio.to_thread(try_runs.patches, root, _tryable(app.project))
            patches = try_runs.chosen(found, PATCHES)
            command = self._command or await self._proposed()
            kept = app.session.record.tried
            state = await asyncio.to_thread(try_runs.state_of, root)

            def trying(command: list[str]) -> try_runs.TryRunner:
                wanted = try_runs.want(app.project.case, command, seconds=float(SECONDS), seeds=SEEDS)
                return try_runs.TryRunner(wanted, patches, kept.known if kept is not None else ())

            def question(command: str) -> str:
                count, left = len(patches) + SEEDS, trying(shlex.split(command)).left(state)
                words = "try-text-rest" if left < count else "try-text"
                return say(words, command=command, count=count, known=count - left, seconds=SECONDS)

            chosen = await self._allowed(command, ask=ask, title="try-title", question=question)
            if not chosen:
                return
            if app.runner.tries:  # begun meanwhile
                self.notify(say("try-on"), severity="warning", markup=False)
                return
            self._command = chosen
            app.runner.try_fixes(trying(chosen))
        except UserError as error:
            app.show_error(error.text(self.speech.language))
            return
        self._show_trials()

    def _show_trials(self) -> None:
        from .trial import TrialScreen

        if not isinstance(self.app.screen, TrialScreen):
            self.app.push_screen(TrialScreen())

    def action_tune(self) -> None:
        """The search that runs or was made, or a new one."""
        if self.app.runner.tunes or self.app.runner.tuned is not None:
            self._show_search()
        else:
            self.tune_anew()

    @work
    async def tune_anew(self) -> None:
        """Ask what is to be searched and with which command, and search; where faults are known, only if the person insists."""
        app, say = self.app, self.speech.say
        if (why := app.why_alone()) is not None:
            self.notify(why, severity="warning", markup=False)
            return
        if not await self._insists():
            return
        kept = app.runner.tuned
        before = shlex.join(axis.text for axis in kept.axes) if kept is not None else _searched(app.project)
        command = self._command or (kept.command if kept is not None else []) or await self._proposed()
        texts = await self._asked_search(command, before)
        if not texts:
            return
        chosen = await self._allowed(command, ask=False, title="tune-title", question=self._tuning_question)
        if not chosen:
            return
        if app.runner.tunes:  # begun meanwhile
            self.notify(say("tune-on"), severity="warning", markup=False)
            return
        self._command = chosen
        tuning = await self._searchable(chosen, texts)
        if tuning is not None:
            app.runner.tune(tuning)
            self._show_search()

    async def _asked_search(self, command: list[str], text: str) -> list[str]:
        """What a person wants to search, empty for nothing. What stands nowhere in the command, or is written wrongly, is told beside what
        was typed, before anybody is asked to agree."""
        from .dialogs import AskLine

        problem = ""
        while True:
            typed = await self.app.push_screen_wait(AskLine(lambda: self.speech.say("tune-search"), text, problem))
            texts = self._split(typed or "")
            if not texts or not command:
                return texts
            try:
                await asyncio.to_thread(_searching, self.app.project, command, texts)
            except UserError as error:
                text, problem = typed or "", error.text(self.speech.language)
            else:
                return texts

    def _tuning_question(self, command: str) -> str:
        """What a person is asked before a search, with the metric that it will go by."""
        from ... import metering

        say, case = self.speech.say, self.app.project.case
        if named := case.spec.tune.metric:
            metric = say("tune-by", metric=named)
        elif known := metering.foreseen(case):
            metric = say("tune-foreseen", **known)
        else:
            metric = say("tune-unforeseen")
        return say("tune-text", command=command, trials=TRIALS, metric=metric)

    async def _searchable(self, command: list[str], texts: list[str]) -> StudyRunner | None:
        """The search that was asked for; None, and a person is told why, where there is none."""
        try:
            return await asyncio.to_thread(_searching, self.app.project, command, texts)
        except UserError as error:
            self.app.show_error(error.text(self.speech.language))
            return None

    async def _insists(self) -> bool:
        """Whether a search is to be made: at once where no fault is known, else if the person says so."""
        from ...report.machine import Speech
        from ...search_runs import faults
        from .dialogs import Choose

        app, say = self.app, self.speech.say
        known = faults(_tryable(app.project), app.project.settled())
        if not known:
            return True
        speech = Speech(self.speech.language)
        told = [f"{item}  {speech.message(probe, one.code, one.data)}" for item, probe, one in known[:_NAMED]]
        text = say("tune-faults", count=len(known), faults="\n".join(map(visible, told)))
        answers = [("no", say("tune-fix-first")), ("yes", say("tune-all-the-same"))]
        answer: str | None = await app.push_screen_wait(Choose(say("tune-faults-title"), text, answers))
        return answer == "yes"

    def _show_search(self) -> None:
        from .search import SearchScreen

        if not isinstance(self.app.screen, SearchScreen):
            self.app.push_screen(SearchScreen())

    @work
    async def watch_anew(self, *, ask: bool = False) -> None:
        """Ask for the command and run it; one that was agreed to for good runs at once, unless `ask`."""
        from ...watching import Plan

        app = self.app
        command = self._command or await self._proposed()
        chosen = await self._allowed(command, ask=ask)
        if not chosen:
            return
        if app.runner.watches:  # another one was begun meanwhile
            self.notify(self.speech.say("watch-on"), severity="warning", markup=False)
            return
        self._command = chosen
        root = Path(app.project.case.root)
        try:
            app.runner.watch(Plan(chosen, root, STEPS, cwd=root, kept=True))
        except SaveError as error:
            app.show_error(error.text(self.speech.language))
            return
        self._show_watch()

    async def _allowed(
        self, command: list[str], *, ask: bool, title: str = "watch-title", question: Callable[..., str] | None = None
    ) -> list[str]:
        """The command as the person wants it; empty where it is not to run. It may come from a stranger's case file: so it is asked."""
        from ... import consent
        from .dialogs import AskLine, Choose

        say, case = self.speech.say, self.app.project.case
        while True:
            if not command:
                typed = await self.app.push_screen_wait(AskLine(say("watch-script")))
                command = self._split(typed or "")
                if not command:
                    return []
            elif not ask and consent.granted_command(case, command):
                return command
            question = question or partial(say, "watch-text", steps=STEPS)
            text = question(command=visible(shlex.join(command)))
            names = ("once", "always", "edit", "no")
            answers = [(name, say(f"watch-{name}")) for name in names]
            answer = await self.app.push_screen_wait(Choose(say(title), text, answers))
            if answer == "edit":
                typed = await self.app.push_screen_wait(AskLine(say("watch-command"), shlex.join(command)))
                command = self._split(typed or "") or command
                continue
            if answer == "always":
                try:
                    consent.grant_command(case, command)
                except SaveError as error:
                    self.notify(error.text(self.speech.language), severity="warning", markup=False)
            return command if answer in ("once", "always") else []

    async def _proposed(self) -> list[str]:
        """The command that trains, with the configuration that it needs where reading the scripts tells that soon, and a Python that has
        MindSpore."""
        from ... import try_runs
        from ...guidance import startable, watchable

        project = self.app.project
        command = watchable(project)
        with suppress(TimeoutError, asyncio.TimeoutError):  # one class from Python 3.11 on
            command = await asyncio.wait_for(asyncio.to_thread(startable, project), _READ)
        return try_runs.startable(command, project.case)

    def _split(self, text: str) -> list[str]:
        try:
            return shlex.split(text)
        except ValueError:
            self.notify(self.speech.say("watch-quotes", command=visible(text)), severity="warning", markup=False)
            return []

    def _show_watch(self) -> None:
        from .watch import WatchScreen

        if not isinstance(self.app.screen, WatchScreen):
            self.app.push_screen(WatchScreen())

    def watch_ended(self, watched: WatchResult | None) -> None:
        """What was recorded becomes part of the case, and the probes look at it."""
        if watched is None or not any(one.recordings for one in watched.passes):
            return
        app = self.app
        case = app.project.case
        spec = msgspec.structs.replace(case.spec, watched=case.relative(watched.folder))
        app.use_case(msgspec.structs.replace(case, spec=spec))
        app.runner.look_for_stale()
        self.refresh_states()
        self._look_at_recording()

    @work
    async def _look_at_recording(self) -> None:
        project = self.app.project
        own = {name for name, needs in project.needs.items() if any("watched" in _keys(need) for need in needs)}
        jobs = [job for job in project.jobs(kinds=[Kind.FILE]) if job.probe in own]
        if jobs and not self.app.runner.busy:
            await self._start(jobs)


def _keys(need: str | tuple[str, ...]) -> tuple[str, ...]:
    return (need,) if isinstance(need, str) else need


def _tryable(project: Project) -> list[tuple[str, ProbeResult]]:
    """What was found of items that nobody concluded to be in order."""
    settled = project.settled()
    return [(item, result) for item, result in project.recorded() if item not in settled]


def _searching(project: Project, command: list[str], texts: list[str]) -> StudyRunner:
    """The search that a person asks for. Raises UserError for what cannot be searched."""
    from ... import search_space, try_runs
    from ...search_runs import Goal, StudyRunner

    wanted = try_runs.want(project.case, command, seconds=0.0)
    spaces = [search_space.parse(text) for text in texts]
    search = search_space.bind(project.case, [*wanted.command], spaces, Path(project.case.root))
    goal = Goal(search, trials=TRIALS, metric=project.case.spec.tune.metric or "")
    return StudyRunner(project.case, wanted, goal)


def _searched(project: Project) -> str:
    """What the case file says is to be searched, as a person would type it; nothing where it says that wrongly."""
    from ... import search_space

    try:
        return shlex.join(space.text for space in search_space.of_case(project.case))
    except UserError:
        return ""
