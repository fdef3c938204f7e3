"""The only bridge between the screen and the engine: runs and saves in threads, and says so by messages."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from textual.message import Message

from .. import engine
from ..errors import SaveError, UserError
from ..model import ProbeResult, Progress
from ..project import Project
from ..watching import Plan, Watching, WatchResult
from .messages import EngineEvent, RunEnded, SaveEnded, StaleChecked, TryEnded, TuneEnded, WatchEnded

if TYPE_CHECKING:
    from ..search_runs import StudyProgress, StudyRunner
    from ..study_results import StudyResults
    from ..study_results import Trial as Searched
    from ..try_results import Trial, TryResults
    from ..try_runs import TryRunner

#: Findings of one probe that the screen follows while it runs; all are kept, the rest shows when it ends.
FINDINGS_SHOWN = 200


class ProbeProgress:
    """How far one probe is: since when (monotonic seconds), and its last progress."""

    def __init__(self) -> None:
        self.since = time.monotonic()
        self.progress: Progress | None = None


class Runner:
    """Runs jobs of one project, one run at a time. `post` may be called from any thread."""

    def __init__(self, project: Project, post: Callable[[Message], object]) -> None:
        self.project = project
        self._post = post
        self._cancel = threading.Event()
        self._thread: threading.Thread | None = None
        self._save_wanted = threading.Event()
        self._saver: threading.Thread | None = None
        self._closing = False
        #: The watch that was begun last, its plan being in it, and what came of it.
        self.watching: Watching | None = None
        self.watched: WatchResult | None = None
        self._watcher: threading.Thread | None = None
        #: The changes that are tried, and what came of them so far, or the last time; the training that runs with its number, of how
        #: many, and since when.
        self.trying: TryRunner | None = None
        self.try_error: UserError | None = None
        self.tried: TryResults | None = project.session.record.tried if project.session is not None else None
        self.trial: tuple[Trial, int, int, float] | None = None
        self._trier: threading.Thread | None = None
        #: The search that was begun last, what is known of it, and the trial that runs, with how far all is.
        self.tuning: StudyRunner | None = None
        self.tune_error: UserError | None = None
        self.tuned: StudyResults | None = project.session.record.tuned if project.session is not None else None
        self.searched: tuple[Searched | None, StudyProgress | None] = None, None
        self._tuner: threading.Thread | None = None

    @property
    def tunes(self) -> bool:
        """Whether a search runs."""
        return self._tuner is not None and self._tuner.is_alive()

    def tune(self, tuning: StudyRunner) -> None:
        """Search for hyper-parameters; the caller has made sure that no search runs."""
        self.tuning, self.tune_error, self.searched = tuning, None, (None, None)
        tuning.begins, tuning.far, tuning.tell = self._search_begins, self._search_goes_on, self._search_found
        self._tuner = threading.Thread(target=self._tune, args=(tuning,), daemon=True)
        self._tuner.start()

    def _search_begins(self, trial: Searched, far: StudyProgress) -> None:
        self.searched = trial, far

    def _search_goes_on(self, far: StudyProgress) -> None:
        self.searched = self.searched[0], far

    def _search_found(self, trial: Searched, known: StudyResults) -> None:
        self.tuned = known
        session = self.project.session
        if session is not None and not session.read_only:
            session.keep_tuned(known)
            self.save()

    def _tune(self, tuning: StudyRunner) -> None:
        error: UserError | None = None
        try:
            found = tuning.run()
            self.tuned = found if found.trials else self.tuned
        except Exception as problem:
            error = told(problem, self.project.case.root)
        self._tuner, self.tune_error = None, error
        self._post(TuneEnded(error))

    def stop_tuning(self) -> None:
        """End the training that runs; it is run again when the search goes on."""
        if self.tuning is not None:
            self.tuning.stop()

    @property
    def tries(self) -> bool:
        """Whether changes are tried."""
        return self._trier is not None and self._trier.is_alive()

    def try_fixes(self, trying: TryRunner) -> None:
        """Train copies with changes; the caller has made sure that none is tried."""
        self.trying, self.tried, self.trial, self.try_error = trying, None, None, None
        trying.begins, trying.tell = self._trial_begins, self._trial_ended
        self._trier = threading.Thread(target=self._try, args=(trying,), daemon=True)
        self._trier.start()

    def _trial_begins(self, trial: Trial, number: int, count: int, known: bool) -> None:
        self.trial = trial, number, count, time.monotonic()

    def _trial_ended(self, trial: Trial, tried: TryResults) -> None:
        self.tried = tried
        session = self.project.session
        if session is not None and not session.read_only:
            session.keep_tried(tried)
            self.save()

    def _try(self, trying: TryRunner) -> None:
        error: UserError | None = None
        try:
            trying.run()
        except Exception as problem:
            error = told(problem, self.project.case.root)
        self._trier, self.try_error = None, error
        self._post(TryEnded(error))

    def stop_trying(self) -> None:
        """End the training that runs; what was tried until then is kept."""
        if self.trying is not None:
            self.trying.stop()

    @property
    def watches(self) -> bool:
        """Whether a command runs under watch."""
        return self._watcher is not None and self._watcher.is_alive()

    def watch(self, plan: Plan) -> None:
        """Run a command under watch; the caller has made sure that none is. Raises SaveError."""
        self.watching, self.watched = Watching(plan), None
        self._watcher = threading.Thread(target=self._watch, args=(self.watching,), daemon=True)
        self._watcher.start()

    def _watch(self, watching: Watching) -> None:
        error: UserError | None = None
        try:
            self.watched = watching.run()
        except Exception as problem:
            error = told(problem, self.project.case.root)
        self._watcher = None
        self._post(WatchEnded(self.watched, error))

    def stop_watching(self) -> None:
        """End the command that is watched; that takes a moment, which is not waited for."""
        if self.watches and self.watching is not None:
            threading.Thread(target=self.watching.stop, daemon=True).start()

    @property
    def busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self, jobs: Sequence[engine.Job], *, live: bool) -> None:
        """Begin a run; the caller has made sure that none is on."""
        self._cancel = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(list(jobs), live, self._cancel), daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        self._cancel.set()

    def _run(self, jobs: list[engine.Job], live: bool, cancel: threading.Event) -> None:
        error: UserError | None = None
        seen: Counter[tuple[str, str]] = Counter()
        try:
            for event in self.project.run(jobs, live=live, cancel=cancel, modest=True):
                if isinstance(event, engine.FindingEvent):
                    seen[event.job.item, event.job.probe] += 1
                    if seen[event.job.item, event.job.probe] > FINDINGS_SHOWN:
                        continue
                before = self._result(event.job) if isinstance(event, engine.Started) else None
                self._post(EngineEvent(event, before))
                if isinstance(event, engine.Finished):
                    self.save()
        except Exception as problem:
            error = told(problem, self.project.case.root)
        self._thread = None
        self._post(RunEnded(error))

    def _result(self, job: engine.Job) -> ProbeResult | None:
        session = self.project.session
        return session.entry(job.item).results.get(job.probe) if session is not None else None

    def save(self) -> None:
        """Save soon, in a thread; several wishes become one save."""
        session = self.project.session
        if session is None or session.read_only:
            return
        if self._saver is None:
            self._saver = threading.Thread(target=self._save_when_wanted, daemon=True)
            self._saver.start()
        self._save_wanted.set()

    def _save_when_wanted(self) -> None:
        session = self.project.session
        assert session is not None
        while not self._closing:
            self._save_wanted.wait()
            self._save_wanted.clear()
            if self._closing:
                return
            try:
                session.save()
            except Exception as error:  # whatever it is: the next wish is to find this thread alive
                self._post(SaveEnded(told(error, self.project.case.root)))
            else:
                self._post(SaveEnded())

    def look_for_stale(self) -> None:
        """Find out in a thread which results are out of date."""
        threading.Thread(target=self._look_for_stale, daemon=True).start()

    def _look_for_stale(self) -> None:
        try:
            stale = self.project.stale()
        except Exception as error:
            self._post(StaleChecked(set(), told(error, self.project.case.root)))
        else:
            self._post(StaleChecked(stale))

    def close(self) -> None:
        """Store what is unsaved, stop the run, and store what that left. Raises SaveError."""
        session = self.project.session
        kept = session is not None and not session.read_only
        if session is not None and kept and session.unsaved:
            with suppress(SaveError):  # first of all: whoever hung up may end us soon
                session.save()
        self.cancel()
        if self.watches and self.watching is not None:
            self.watching.stop()
        trainers = self._trier, self._tuner
        self.stop_trying()
        self.stop_tuning()
        for trainer in trainers:
            if trainer is not None:
                trainer.join(timeout=20)
        thread = self._thread
        if thread is not None:
            thread.join(timeout=10)
        self._closing = True
        self._save_wanted.set()
        if session is not None and kept and session.unsaved:
            session.save()


def told(error: Exception, path: str) -> UserError:
    """An error of a thread, about a path, as one for people: a traceback would be written across the screen."""
    if isinstance(error, UserError):
        return error
    return UserError("io", path=path, problem=f"{type(error).__name__}: {error}"[:300])
