"""accucheck tune: a search for hyper-parameters, each trial the user's own unmodified command in a copy of the project.

What a training tells of its metric decides whether it is given up; a study that was killed goes on where it was. Seeds are repeated for
the command's own settings and for the best, so that what is no more than noise is said to be so.
"""

from __future__ import annotations

import math
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from . import copies, studies, study_results
from .case import Case
from .errors import UserError
from .knowledge.metric_names import is_least
from .metering import Meter, Read, Source, thinned
from .model import Finding, Level, ProbeResult, Status
from .readers.following import Following
from .search_space import Search
from .store import scratch
from .studies import PendingTrial, RequestedTrial, Study, StudyIdentity
from .study_results import StudyResults, Trial
from .try_runs import FREE, SIGNALLED, CommandResult, TrainingLimits, TrialFolder, TryRequest, last_line, run, state_of
from .watching import OUTPUT

#: Seconds that are waited for trials of a process that was killed just now, before the study is taken for finished.
_WAIT = 6.0
#: How items begin that are about what a search looks for.
_SETTINGS = "hp."
#: Trials in a row that fail before the search is ended, as nothing but failures is to be expected (own choice).
_FAILURES = 6


def faults(results: Iterable[tuple[str, ProbeResult]], settled: Collection[str]) -> list[tuple[str, str, Finding]]:
    """The problems that no setting can remove, each with its item and probe: those of other items than the hyper-parameters themselves,
    which nobody concluded to be in order."""
    found: list[tuple[str, str, Finding]] = []
    for item, result in results:
        if item in settled or item.startswith(_SETTINGS) or result.status is not Status.DONE:
            continue
        for finding in result.findings:
            if finding.level is Level.PROBLEM and all(finding != known for _, _, known in found):
                found.append((item, result.probe, finding))
    return found


@dataclass(frozen=True)
class Goal:
    """What is looked for, and how much of it: `trials`, `epochs` in all and `seconds` of this run, 0 for any number. `metric` is empty for
    the project's own; `least`: the lower the better, None by its name. `seeds`: trainings of the command's own settings, and of the
    best."""

    search: Search
    trials: int = 20
    epochs: int = 0
    seconds: float = 0.0
    metric: str = ""
    least: bool | None = None
    seeds: int = 2
    pruner: str = "median"
    storage: str = ""
    study: str = ""
    #: Of the sampler, so that a search can be repeated.
    draw: int | None = None


class StudyProgress(NamedTuple):
    """How far a study is: trials that are over, of how many, 0 where that is not fixed; the epoch and the metric of the one that runs,
    and seconds that are left, None where that is not known yet."""

    done: int
    of: int
    epoch: int
    value: float | None
    left: float | None


@dataclass
class StudyRunner:
    """Runs the study. `begins` is told each trial before it runs, `far` how far it is, `tell` what came of each, with all that is known.

    stop() ends it, from any thread: what was done is kept, and the trial that ran is run again when the study goes on.
    """

    case: Case
    wanted: TryRequest
    goal: Goal
    begins: Callable[[Trial, StudyProgress], None] = lambda trial, far: None
    far: Callable[[StudyProgress], None] = lambda far: None
    tell: Callable[[Trial, StudyResults], None] = lambda trial, known: None
    _stopped: threading.Event = field(default_factory=threading.Event)
    _begun: float = field(default_factory=time.monotonic)
    #: Seconds that the trial which runs has taken so far, and of whole trials.
    _since: float = 0.0
    study: Study | None = None

    def stop(self) -> None:
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    @property
    def is_for_metric(self) -> bool:
        """Whether the training that begins now is there to show the metric, which nobody named."""
        return self.study is None and not self.goal.metric

    # --- the study ----------------------------------------------------------------------------------------------------

    def run(self) -> StudyResults:
        """Raises UserError where nothing can be trained or kept, or where the command tells no metric."""
        study = self._opened()
        if study is None:
            return StudyResults()
        self.study = study
        while not self.stopped:
            study.recover()
            if self._has_next(study):
                self._run_next(study)
            elif any(not one.waits and not one.owned for one in study.due()):
                self._stopped.wait(_WAIT)  # a process was killed just now, before it said that it is at that trial
            else:
                break
        return self.tuned()

    def tuned(self) -> StudyResults:
        """What is known of the study by now."""
        if self.study is None:
            return StudyResults()
        known = self.study.tuned()
        best = study_results.judge(known).best
        if best is None or best.own:
            return known
        values = best.trials[0].values
        command, _ = self.goal.search.put(values)
        return msgspec.structs.replace(known, best_command=command, best_keys=self.goal.search.keys(values))

    def _opened(self) -> Study | None:
        """The study; a new one begins with a training of the command as it is, which tells the metric."""
        goal = self.goal
        search = {knob.space.name: knob.space.text for knob in goal.search.knobs}
        about = StudyIdentity([*self.wanted.command], search, state_of(self.wanted.root), goal.metric)
        store = studies.open_store(studies.address(self.wanted.root, goal.storage))
        name = goal.study or studies.name_of(self.case.name, about)
        given = {"pruner": goal.pruner, "seed": goal.draw}
        if store.find(name):
            return store.make(name, about, goal.search, metric="", **given)  # type: ignore[arg-type]
        meter = Meter(goal.metric)
        trial = Trial(0, "own", values=goal.search.own or {})
        self.begins(trial, StudyProgress(0, goal.trials, 0, None, None))
        found, read = self.train(trial, meter, None)
        if self.stopped:
            return None
        self._require_metric(found, meter)
        least = is_least(meter.name) if goal.least is None else goal.least
        study = store.make(name, about, goal.search, metric=meter.name, least=least, **given)  # type: ignore[arg-type]
        study.add(found, _steps(read))
        self.study = study
        self.tell(study.records()[-1], self.tuned())
        return study

    def _require_metric(self, found: Trial, meter: Meter) -> None:
        """Refuse a command that fails as it is, or that tells no metric. Raises UserError."""
        if found.ended == "failed":
            raise UserError("tune-own-failed", exit=found.code, note=found.note or "-")
        if not meter.name or found.ended == "nothing":
            code = "tune-tells-nothing" if not meter.seen else "tune-not-told" if self.goal.metric else "tune-no-metric"
            raise UserError(code, name=self.goal.metric, seen=", ".join(meter.seen))

    def _has_next(self, study: Study) -> bool:
        """Whether a trial is to be run; those that are due by themselves are enqueued."""
        records, due = study.records(), study.due()
        if self._has_own(study, records, due) or any(one.waits for one in due):
            return True
        _require_hope(records)
        repeats = max(0, self.goal.seeds - 1 - sum(one.kind == "repeat" for one in records))
        if self._has_room(records, len(due), repeats):
            return True
        if due:  # another process is at the last ones, and goes on
            return False
        return self._has_repeats(study, records) or self._has_room(records, 0, 0)

    def _has_own(self, study: Study, records: Sequence[Trial], due: Sequence[PendingTrial]) -> bool:
        """Whether the command's own settings are to be trained with a further seed, which is then enqueued."""
        own = self.goal.search.own
        for seed in range(1, self.goal.seeds + 1):
            if not _is_there(records, due, "own", seed):
                study.enqueue(own or {}, kind="own", seed=seed, **({} if own else {"unseen": True}))
                return True
        return False

    def _has_room(self, records: Sequence[Trial], running: int, due: int) -> bool:
        """Whether one more trial of the search fits, beside those that run and `due` repeats after it."""
        goal, known = self.goal, [one for one in records if one.whole]
        whole = max((one.epochs for one in known), default=1)
        seconds = max((one.seconds for one in known if one.kind == "own"), default=0.0)
        if goal.trials and len(records) + running + due >= goal.trials:
            return False
        if goal.epochs and sum(one.epochs for one in records) + whole * (running + due + 1) > goal.epochs:
            return False
        return not goal.seconds or time.monotonic() - self._begun + seconds * (due + 1) <= goal.seconds

    def _has_repeats(self, study: Study, records: Sequence[Trial]) -> bool:
        """Whether repeats of the best are due, which are then enqueued."""
        if self.goal.seeds < 2 or any(one.kind == "repeat" for one in records):
            return False
        if not self._has_room(records, 0, self.goal.seeds - 2):
            return False
        best = study_results.candidate(study.tuned())
        if best is None:
            return False
        first = best.trials[0]
        for seed in range(2, self.goal.seeds + 1):
            study.enqueue(first.values, kind="repeat", of=first.number, seed=seed)
        return True

    def _run_next(self, study: Study) -> None:
        asked = study.ask()
        trial = Trial(asked.number, asked.kind, asked.of, asked.seed, asked.values)
        self.begins(trial, self._far(study, None))
        reported = _ReportedPoints(asked)
        try:
            found, read = self.train(trial, Meter(study.metric), reported)
        except UserError:
            study.give_back(asked)
            raise
        if self.stopped:
            study.give_back(asked)
            return
        reported.take(read)
        study.keep(asked, found)
        self.tell(found, self.tuned())

    def _far(self, study: Study, read: Read | None) -> StudyProgress:
        """How far it is, and what is left by what trials took so far."""
        records, goal = study.records(), self.goal
        mean = sum(one.seconds for one in records) / len(records) if records else None
        left: list[float] = []
        if mean is not None and goal.trials:
            left.append(max(0.0, (goal.trials - len(records)) * mean - self._running))
        if goal.epochs and mean is not None and (epochs := sum(one.epochs for one in records)):
            rate = sum(one.seconds for one in records) / epochs
            left.append(max(0.0, (goal.epochs - epochs) * rate - self._running))
        if goal.seconds:
            left.append(max(0.0, goal.seconds - (time.monotonic() - self._begun)))
        value = read.last if read is not None else None
        return StudyProgress(
            len(records), goal.trials, read.epochs if read is not None else 0, value, min(left, default=None)
        )

    @property
    def _running(self) -> float:
        return time.monotonic() - self._since if self._since else 0.0

    # --- one training -------------------------------------------------------------------------------------------------

    def train(self, trial: Trial, meter: Meter, reported: _ReportedPoints | None) -> tuple[Trial, Read]:
        """Train once in a fresh copy, which is gone afterwards. Raises UserError, SaveError."""
        wanted, begun = self.wanted, time.monotonic()
        self._since = begun
        # The command as it is runs for its own settings, so that nothing of the search can change what it does.
        values = {} if trial.kind == "own" else trial.values
        command, files = self.goal.search.put(values)
        try:
            with scratch() as folder:
                free = shutil.disk_usage(folder).free
                if free < FREE:
                    raise UserError("try-disk", path=str(folder), free=free >> 20, needed=FREE >> 20)
                copy = copies.make(wanted.root, folder, files)
                (folder / "tmp").mkdir()
                place = TrialFolder(replace(wanted, command=command), folder, copy.root)
                ran, source = self._ran(place, command, trial, meter, reported, begun)
                read = meter.read(source)
                if ran.ended == "end" and not read.points and wanted.evaluation and not self.stopped:
                    read = self._evaluated(place, trial, meter, read, begun)
                found = _result(trial, ran, read, begun)
                if changed := copy.changed():
                    raise UserError("try-changed", paths=", ".join(changed[:5]))
        finally:
            self._since = 0.0
        return found, read

    def _ran(
        self,
        place: TrialFolder,
        command: Sequence[str],
        trial: Trial,
        meter: Meter,
        reported: _ReportedPoints | None,
        begun: float,
    ) -> tuple[CommandResult, Source]:
        """Run the command until it ends, is hopeless, or may take no more."""
        bounds, since = TrainingLimits(place, begun, self.wanted.seconds), time.time()
        prunes = trial.kind == "search" and self.goal.pruner != "none"
        # What has trained as long as the command's own settings has nothing left to be saved.
        whole = max((one.epochs for one in self.study.records() if one.kind == "own"), default=0) if self.study else 0

        def source(folder: Path) -> Source:
            return Source(folder, folder / OUTPUT, place.copy, self.wanted.curves, since)

        def look(folder: Path, _: Following) -> str:
            if self.stopped:
                return "stopped"
            read = meter.now(source(folder))
            if self.study is None or reported is None:
                return bounds.over()
            self.study.alive(reported.asked)
            if read is not None:
                self.far(self._far(self.study, read))
                if reported.take(read) and prunes and read.epochs != whole and reported.asked.hopeless():
                    return "pruned"
            return bounds.over()

        ran = run(place, command, look, seed=trial.seed, light=True)
        return ran, source(ran.folder)

    def _evaluated(self, place: TrialFolder, trial: Trial, meter: Meter, read: Read, begun: float) -> Read:
        """What the project's own evaluation tells after a training that told no metric."""
        bounds, since = TrainingLimits(place, begun, self.wanted.seconds), time.time()

        def look(folder: Path, _: Following) -> str:
            return "stopped" if self.stopped else bounds.over()

        ran = run(place, self.wanted.evaluation, look, seed=trial.seed, role="eval", light=True)
        if ran.ended != "end" or ran.done.code:
            return read
        source = Source(ran.folder, ran.folder / OUTPUT, place.copy, ("", ""), since, evaluated=True)
        return meter.read(source)._replace(epochs=read.epochs, bad=read.bad)


@dataclass
class _ReportedPoints:
    """The points of a trial that the pruner was told; Optuna takes each step once."""

    asked: RequestedTrial
    known: set[int] = field(default_factory=set)

    def take(self, read: Read) -> bool:
        """Whether there is anything new in it."""
        new = {step: value for step, value in _steps(read).items() if step not in self.known and math.isfinite(value)}
        for step, value in new.items():
            self.asked.report(value, step)
        self.known |= new.keys()
        return bool(new)


def _steps(read: Read) -> dict[int, float]:
    """The metric by what the pruner counts: epochs where the points lie over these, else how many there were."""
    if read.unit == "epoch":
        return {int(x): value for x, value in read.points}
    return {at: value for at, (_, value) in enumerate(read.points, 1)}


def _require_hope(records: Sequence[Trial]) -> None:
    """Raises UserError where nothing but failures is to be expected."""
    last = records[-_FAILURES:]
    if len(last) == _FAILURES and all(not one.whole and one.ended != "pruned" for one in last):
        note = next((one.note for one in last[::-1] if one.note), "-")
        raise UserError("tune-all-failed", count=_FAILURES, note=note)


def _is_there(records: Sequence[Trial], due: Sequence[PendingTrial], kind: str, seed: int) -> bool:
    """Whether a trial that is due is over, runs, or waits."""
    known = [*((one.kind, one.seed) for one in records), *((one.kind, one.seed) for one in due)]
    return (kind, seed) in known


def _result(trial: Trial, ran: CommandResult, read: Read, begun: float) -> Trial:
    """The trial with what came of it."""
    code = SIGNALLED - ran.done.code if ran.done.code < 0 else ran.done.code
    ended, value = ran.ended, read.last
    if ended == "end" and code:
        ended = "failed"
    elif ended in ("end", "time") and (read.bad or (value is not None and not math.isfinite(value))):
        ended = "nan"
    elif ended in ("end", "time") and value is None:
        ended = "nothing"
    return msgspec.structs.replace(
        trial,
        ended=ended,
        code=code if ended == "failed" else 0,
        note=last_line(ran.folder) if ended == "failed" else "",
        value=value if value is not None and math.isfinite(value) else None,
        points=thinned(read.points),
        unit=read.unit,
        epochs=read.epochs,
        seconds=round(time.monotonic() - begun, 1),
    )
