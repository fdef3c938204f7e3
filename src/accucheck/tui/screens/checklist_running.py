"""The main screen: starting probes, and following what the engine says of them."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

from textual import on, work
from textual.events import Mount
from textual.timer import Timer

from ... import engine
from ...case import redacted
from ...checklist import Item
from ...errors import SaveError
from ...language import visible
from ...model import Kind, Status, Verdict
from ..widgets.topbar import Run
from .checklist_showing import Showing

if TYPE_CHECKING:
    from ...estimating import TimeLeft
    from .dialogs import Choose

#: Seconds between two redraws of findings while a probe runs, however fast it finds.
REDRAW_EVERY = 0.25
#: Seconds between two looks at the scripts, while these are followed.
FOLLOW_EVERY = 1.0
#: How long more than so many jobs take is told, where it may be more than so many seconds.
_FEW, _LONG = 3, 10
#: Items that are named where findings went or came.
_NAMED = 4


class Running(Showing):
    """Runs the probes of one item, or all."""

    #: (item, probe) of the results that this run makes anew because they were out of date.
    _again: list[tuple[str, str]] = []
    #: (item, probe) of the jobs of this run that have no result yet, or were cancelled.
    _awaited: set[tuple[str, str]] = set()
    #: Since when it runs, the seconds that each of its jobs took, when the last of them ended, and what tells how long the rest takes.
    _since = 0.0
    _took: dict[tuple[str, str], float] = {}
    _last_end = 0.0
    _left: TimeLeft | None = None
    #: How many times slower than by itself the machine was when it began.
    _busy = 1.0
    #: Looks whether scripts were saved, whose probes then run again; what they were when that was last looked at.
    _following: Timer | None = None
    _saved: tuple[tuple[str, int], ...] = ()
    #: Whether to stop the run, where that was asked.
    _question: Choose | None = None
    #: How many probes of this run were cancelled.
    _cancelled_jobs = 0

    @on(Mount)
    def _redraw_at_times(self) -> None:
        self.set_interval(REDRAW_EVERY, self._redraw_if_dirty)
        self.set_interval(1.0, self._tell_time)

    @property
    def awaited(self) -> int:
        """How many probes of this run are still to end."""
        return len(self._awaited) if self.app.runner.busy else 0

    @property
    def proves(self) -> bool:
        """Whether what runs are results that were out of date."""
        return bool(self._again)

    def _how_far(self) -> Run:
        """What is done of what has something to do, and how long the rest takes, once that is known."""
        now = time.monotonic()
        if (left := self._left) is None:
            return Run(0, 0, now - self._since, None)
        if not len(left):
            return Run(self._done_jobs, self._all_jobs, now - self._since, None)
        current = next(iter(self.app.running), None)
        rest = left.seconds(self._took, current, now - self._last_end)
        return Run(sum(job in left for job in self._took), len(left), now - self._since, rest)

    def _tell_time(self) -> None:
        """The top line says how long a run goes on, each second."""
        if self.app.runner.busy:
            self._show_top()

    def why_not(self, verb: str) -> str | None:
        if verb not in ("run", "run-all", "run-stale"):
            return super().why_not(verb)
        if verb == "run" and (item := self.item) is not None and not item.probes:
            return self.speech.say("no-probe")
        return self.app.why_not_run()

    def engine_said(self, event: engine.Event) -> None:
        """One event of the run; the app has taken it into its state already."""
        item = event.job.item
        if isinstance(event, engine.Finished):
            self._done_jobs += 1
            now = time.monotonic()
            self._took[item, event.job.probe], self._last_end = now - self._last_end, now
            if event.result.status is Status.CANCELLED:
                self._cancelled_jobs += 1
            else:
                self._awaited.discard((item, event.job.probe))
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

    def run_ended(self, *, told: bool = False) -> None:
        """`told`: what came of it is shown in another way."""
        app = self.app
        if self._question is not None and app.screen is self._question:
            self._question.dismiss(None)  # there is nothing left to stop
        self._question = None
        results = [result for item in app.project.items for result in app.session.entry(item.id).results.values()]
        problems = sum(app.project.suggestion(item) is Verdict.PROBLEM for item in app.project.items)
        failed = sum(result.status is Status.FAILED for result in results)
        if self._cancelled_jobs:
            self._again = []
            said = self.speech.say("run-cancelled", count=self._cancelled_jobs)
            self.notify(said, timeout=8, markup=False)
        elif self._again:
            self._tell_proof()
        elif self._all_jobs > 1 and not told:
            self.notify(self.speech.say("all-finished", problem=problems, failed=failed), timeout=8, markup=False)
        self._awaited = set()
        self.refresh_states()

    def _tell_proof(self) -> None:
        """What became of the findings whose probes were run again."""
        from ...mending import FixCheck
        from ..widgets.findings import proof_of

        say, proofs, others = self.speech.say, [], Counter[str]()
        named: dict[str, list[str]] = {"gone": [], "new": []}
        again = [key for key in self._again if key not in self._awaited]  # all, unless the run broke off
        for key in again:
            result, before = self.app.session.entry(key[0]).results[key[1]], self.app.before.get(key)
            found = proof_of(key[0], before, result) if before is not None else None
            if found is not None:
                proofs.append(found)
                for name, items in named.items():
                    if getattr(found, name) and key[0] not in items:
                        items.append(key[0])
            else:  # of a probe that is done, what it found is not told apart
                others["unlike" if result.status is Status.DONE else result.status.value] += 1
        counts = FixCheck(*map(sum, zip(*proofs, strict=True)))._asdict() if proofs else {}
        told, separator = [], say("list-separator")
        for name, number in [*counts.items(), *others.items()]:
            if not number and name != "gone":
                continue
            where = separator.join(named.get(name, [])[:_NAMED])
            told.append(say(f"proof-{name}-items" if where else f"proof-{name}", **{name: number}, items=where))
        text = self.app.proof = say("stale-ended", count=len(again), counts=separator.join(told))
        if not self._is_told_on_screen:
            self.notify(text, timeout=8, markup=False)
        self._again = []

    def action_run_item(self) -> None:
        item = self.item
        if item is not None:
            self._open_tab("tab-evidence")
            self._run({item.id})

    def action_run_all(self) -> None:
        self._open_tab("tab-evidence")
        self._run(set())

    @property
    def _is_told_on_screen(self) -> bool:
        """Whether the screen on top says by itself what comes of a change."""
        from .mend import MendScreen

        return isinstance(self.app.screen, MendScreen)

    @work
    async def action_run_stale(self) -> None:
        """Run again what is out of date, of all items, and nothing else."""
        app, say = self.app, self.speech.say
        app.stale = await asyncio.to_thread(app.project.stale)
        jobs = app.project.jobs(again=app.stale)
        if not jobs:
            self.notify(say("stale-none"), markup=False)
            self.refresh_states()
            return
        if not self._is_told_on_screen:
            app.back_to(self)
        seconds = sum(app.session.entry(job.item).results[job.probe].seconds for job in jobs)
        self._open_tab("tab-evidence")
        if await self._start(jobs):
            self._again, app.proof = [(job.item, job.probe) for job in jobs], ""
            app.show_proof()
            if not self._is_told_on_screen:
                self.notify(say("stale-running", count=len(jobs), seconds=seconds), timeout=4, markup=False)

    @work
    async def action_follow(self) -> None:
        """Run what is out of date whenever a script was saved, or no longer."""
        from ...proposal.tree import stamps

        say, key = self.speech.say, self.key_of("follow")
        if self._following is not None:
            self._following.stop()
            self._following = None
            self.notify(say("follow-off"), timeout=8, markup=False)
            return
        self._following = timer = self.set_interval(FOLLOW_EVERY, self._follow_saved, pause=True)
        self.notify(say("follow-on", key=key), timeout=8, markup=False)
        self._saved = await asyncio.to_thread(stamps, self.app.project.case.root)
        timer.resume()

    @work(exclusive=True, group="follow")
    async def _follow_saved(self) -> None:
        """Where a script was saved since: its stale results are made anew, but for those of live probes, which take long."""
        from ...proposal.tree import stamps

        if self._following is None or self.app.why_not_run() is not None:
            return
        now = await asyncio.to_thread(stamps, self.app.project.case.root)
        if now == self._saved:
            return
        self._saved, app = now, self.app
        app.stale = await asyncio.to_thread(app.project.stale)
        jobs = app.project.jobs(kinds=(Kind.STATIC, Kind.FILE), again=app.stale)
        if jobs and not app.runner.busy:
            self._begin(jobs, live=False)
            self._again, app.proof = [(job.item, job.probe) for job in jobs], ""
        self.refresh_states()

    @work
    async def _run(self, only: set[str]) -> None:
        if jobs := self.app.project.jobs(only):
            await self._start(jobs)
        else:
            self.notify(self.speech.say("nothing-to-run"), severity="warning", markup=False)

    async def _start(self, jobs: list[engine.Job]) -> bool:
        """Ask for consent where it is needed, say how long it will take where that is long, then start; returns whether it has begun."""
        live = await self._consent(jobs)
        await self._agree(jobs)
        if len(jobs) > _FEW and (time := await self._time(jobs, live=live)):
            self.notify(self.speech.say("run-time", time=time), timeout=6, markup=False)
        if self.app.runner.busy:  # another run was begun meanwhile
            self.notify(self.speech.say("busy"), severity="warning", markup=False)
            return False
        self._begin(jobs, live=live)
        self._look_ahead(jobs, live)
        return True

    @work
    async def _look_ahead(self, jobs: list[engine.Job], live: bool) -> None:
        """Find out what each of these jobs most likely takes; the run has begun meanwhile."""
        from ...estimating import TimeLeft, expected

        since = self._since
        found = await asyncio.to_thread(expected, self.app.project, jobs, live=live)
        if since == self._since:  # no other run has begun meanwhile
            names = [(job.item, job.probe) for job in jobs]
            self._left = TimeLeft(dict(zip(names, found, strict=True)), self._busy)

    def _begin(self, jobs: list[engine.Job], *, live: bool) -> None:
        from ...estimating import slower

        self._done_jobs, self._all_jobs, self._cancelled_jobs = 0, len(jobs), 0
        self._awaited = {(job.item, job.probe) for job in jobs}
        self._since = self._last_end = time.monotonic()
        self._took, self._left, self._busy = {}, None, slower()
        self.app.runner.start(jobs, live=live)
        self._show_top()

    def _is_awaited(self, item: Item) -> bool:
        """Whether a probe of an item is still to end, so that what the others say is not all that will be said."""
        return any(name == item.id for name, _ in self._awaited)

    async def _time(self, jobs: list[engine.Job], *, live: bool) -> str:
        """How long these jobs will take, or nothing where that is not long."""
        from ...estimating import estimate

        found = await asyncio.to_thread(estimate, self.app.project, jobs, live=live)
        return found.text(self.speech.language) if found.high is None or found.high > _LONG else ""

    async def _agree(self, jobs: list[engine.Job]) -> None:
        """Let data be read from the network where the person says so; the project may be somebody else's."""
        from ... import consent
        from .dialogs import Choose

        project, say = self.app.project, self.speech.say
        if not (addresses := await asyncio.to_thread(engine.unagreed, project.case, jobs)):
            return
        text = say("consent-address-text", addresses="\n".join(visible(redacted(address)) for address in addresses))
        answers = [("no", say("consent-address-no")), ("once", say("consent-once")), ("always", say("consent-always"))]
        answer = await self.app.push_screen_wait(Choose(say("consent-address-title"), text, answers))
        if answer == "always":
            try:
                consent.grant_addresses(project.case)
            except SaveError as error:
                self.notify(error.text(self.speech.language), severity="warning", markup=False)
        if answer in ("once", "always"):
            project.agree()

    async def _consent(self, jobs: list[engine.Job]) -> bool:
        """Whether live probes may run: as remembered, or as the person says now."""
        from ... import consent
        from .dialogs import Choose

        case = self.app.project.case
        if self.app.live is not None:
            return self.app.live
        if not await asyncio.to_thread(self.app.project.would_run_code, jobs):  # loads the probes
            return False
        if consent.granted(case):
            return True
        say, spec = self.speech.say, case.spec
        # A line each, whatever they hold: what a stranger's file names must not look like words of ours.
        python, called = visible(spec.runtime.python or sys.executable), visible(", ".join(consent.calls(case)))
        text = say("consent-text", python=python, calls=called)
        if time := await self._time(jobs, live=True):
            text += f"\n\n{time}"
        answers = [("no", say("consent-no")), ("once", say("consent-once")), ("always", say("consent-always"))]
        answer = await self.app.push_screen_wait(Choose(say("consent-title"), text, answers))
        if answer == "always":
            try:
                consent.grant(case)
            except SaveError as error:
                self.notify(error.text(self.speech.language), severity="warning", markup=False)
        return answer in ("once", "always")
