"""How long a run will take: by what its probes took here before, else by what they read. The figures: knowledge/durations.json."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from . import engine
from . import probe as probes
from .case import Case
from .knowledge import durations
from .language import Language, Words, word
from .model import Kind, Status
from .project import Project

WORDS: Words = {
    "seconds": {"en": "{n:g} s", "zh": "{n:g} 秒"},
    "minutes": {"en": "{n:g} min", "zh": "{n:g} 分钟"},
    "hours": {"en": "{n:g} h", "zh": "{n:g} 小时"},
    "under": {"en": "less than {high}", "zh": "不到 {high}"},
    "range": {"en": "about {low} to {high}", "zh": "约 {low}至 {high}"},
    "at-least": {"en": "{low} or more", "zh": "{low}以上"},
    "estimate": {"en": "{jobs:,} {jobs:probe|probes}: {time}", "zh": "{jobs:,} 个探针，预计{time}"},
    "estimate-live": {
        "en": "{jobs:,} {jobs:probe|probes}, {live:,} of which {live:starts|start} MindSpore: {time}",
        "zh": "{jobs:,} 个探针（其中 {live:,} 个需启动 MindSpore），预计{time}",
    },
}

#: What is told as a time, in seconds: nobody needs it finer. Each step is at most twice the one before.
_LADDER = (5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1200, 1800, 2700, 3600, 7200, 14400, 28800, 86400)
#: Of a job that ran here before: how much faster or slower it was on the same inputs, on an idle and on a busy machine (measured).
_KNOWN = 0.6, 2.0
#: Of one that did not: machines, file systems and formats differ that much from durations.json (measured on three projects).
_GUESSED = 0.25, 3.0
#: What takes longer than this many seconds is not fast.
FAST = 30.0
#: How much faster or slower than expected a run may turn out; the seconds for which the expected pace counts beside that so far; the
#: share of the time that a job has taken which it will take at least from then on (by traces of runs on a quiet and on a busy machine).
_SLOWEST, _TELLING, _LATE = 30.0, 1.0, 0.35
#: Of each process that waits for a processor, how much slower a run becomes by it: some of them are modest (measured, 20 for each).
_WAITING = 0.5
#: Bytes of scripts whose reading is reckoned with: a large project is never followed as a whole.
_MOST_SCRIPTS = 400_000
#: The time of a static probe grows with the bytes of the scripts to this power: not all of them are followed (measured on projects of 3 to
#: 100 kB).
_GROWTH = 0.5
#: Rounds in which pace and progress are found by each other.
_ROUNDS = 3
#: Seconds to spend on finding out how large the inputs are, and files that are looked at however long that takes: a busy machine may
#: need that long for two.
_LOOK, _FEW = 0.3, 200


class Estimate(msgspec.Struct, frozen=True):
    """How long jobs take together, in seconds; `high` is None where the size of an input is not known.

    `jobs` counts those that will run, `live` those of them that start MindSpore.
    """

    low: float
    high: float | None
    jobs: int
    live: int

    def time(self, language: Language) -> str:
        """The time in words: a range of round numbers."""
        low = max((each for each in _LADDER if each <= self.low), default=0)
        high = None if self.high is None else min((each for each in _LADDER if each >= self.high), default=None)
        if high is None:  # not known, or above the ladder
            return word(WORDS, "at-least", language, low=_clock(low or _LADDER[0], language))
        if not low:
            return word(WORDS, "under", language, high=_clock(high, language))
        return word(WORDS, "range", language, low=_clock(low, language), high=_clock(high, language))

    def text(self, language: Language) -> str:
        """The time with what is run."""
        key = "estimate-live" if self.live else "estimate"
        return word(WORDS, key, language, jobs=self.jobs, live=self.live, time=self.time(language))


def _clock(seconds: float, language: Language) -> str:
    unit, size = ("seconds", 1) if seconds < 60 else ("minutes", 60) if seconds < 3600 else ("hours", 3600)
    return word(WORDS, unit, language, n=seconds / size)


class DurationEstimate(msgspec.Struct, frozen=True):
    """What one job will take, in seconds: `likely`, and between `low` and `high`. `sized`: how much it has to read is known; `earlier`: it
    has run here before, so that how busy the machine mostly is has a part in it."""

    kind: Kind
    likely: float
    low: float
    high: float
    sized: bool = True
    earlier: bool = False

    @property
    def fast(self) -> bool:
        """Whether it most likely ends within FAST seconds."""
        return self.sized and self.likely <= FAST


def expected(project: Project, jobs: Sequence[engine.Job], *, live: bool) -> list[DurationEstimate | None]:
    """What each of these jobs will take: by its last result, else by the size of what it reads; None for one that will be skipped.
    `live`: whether live probes may run."""
    sizes = _Sizes(project.case)
    known = durations.load()
    found: list[DurationEstimate | None] = []
    begun: set[Kind] = set()
    for job in jobs:
        kind = _runs(job.probe, project.case)
        if kind is None or (kind is Kind.LIVE and not live):
            found.append(None)
            continue
        seconds, spread, sized = _earlier(project, job), _KNOWN, True
        earlier = seconds is not None
        if seconds is None:
            seconds, spread = known.probes.get(job.probe, known.kinds[kind.value]), _GUESSED
            if kind is Kind.FILE:
                size = sizes.of(job.probe)
                sized = size is not None
                seconds += known.read(size or {})
        shared = engine.shared_child(job.probe)
        if shared is Kind.STATIC and not earlier:
            scripts = sizes.scripts()
            if shared not in begun:  # the first of them reads the scripts
                seconds += known.read({"scripts": scripts})
            else:
                seconds *= max(1.0, scripts / known.scripts) ** _GROWTH
        if shared is None or shared not in begun:
            seconds += known.child
            if shared is not None:
                begun.add(shared)
        found.append(DurationEstimate(kind, seconds, seconds * spread[0], seconds * spread[1], sized, earlier))
    return found


def estimate(project: Project, jobs: Sequence[engine.Job], *, live: bool, parallel: int = 1) -> Estimate:
    """How long these jobs take together. `live`: whether live probes may run."""
    return together([each for each in expected(project, jobs, live=live) if each is not None], parallel)


def slower(told: Path = Path("/proc/self/schedstat")) -> float:
    """How many times slower than by itself a run is as others have the processors: 1 where there is room for it.

    Linux tells in `told` how long this process ran and how long it waited to; elsewhere the number of those that wait has to do.
    """
    try:
        ran, waited = map(int, told.read_text().split()[:2])
        return 1 + waited / ran
    except (ArithmeticError, OSError, ValueError):
        pass
    try:
        processors = len(os.sched_getaffinity(0))
        return max(1.0, _WAITING * os.getloadavg()[0] / processors)
    except (AttributeError, OSError):
        return 1.0


class TimeLeft:
    """What is left of a run that does one job after the other, by what each most likely takes and how fast those before were.

    `likely`: what each job takes, None for one that will be skipped; `busy`: how many times slower the machine is than by itself, which
    what ran here before tells by itself.
    """

    def __init__(self, likely: Mapping[Any, DurationEstimate | None], busy: float) -> None:
        self._kinds = {job: each.kind for job, each in likely.items() if each is not None}
        self._likely = {
            job: each.likely * (1.0 if each.earlier else busy) for job, each in likely.items() if each is not None
        }
        usual = sum(each.likely for each in likely.values() if each is not None)
        self._telling = _TELLING * (sum(self._likely.values()) / usual if usual else 1.0)

    def __contains__(self, job: Any) -> bool:
        """Whether a job has something to do."""
        return job in self._likely

    def __len__(self) -> int:
        return len(self._likely)

    def seconds(self, took: Mapping[Any, float], current: Any, since: float) -> float:
        """The seconds that the rest takes, where the jobs of `took` have ended, and `current` has run `since` so many seconds.

        Each kind has its own pace, which begins with that of all; however long a job should take, a part of what it has taken is expected
        of it still: those that are late are mostly very late.
        """
        whole, left = self._pace(set(self._likely), took, current, since, 1.0), 0.0
        for kind in {*self._kinds.values()}:
            jobs = {job for job, its in self._kinds.items() if its is kind}
            pace = self._pace(jobs, took, current, since, whole)
            left += sum(self._likely[job] for job in jobs if job not in took and job != current) * pace
            if current in jobs:
                left += max(self._likely[current] * pace - since, _LATE * since)
        return left

    def _pace(
        self, jobs: Collection[Any], took: Mapping[Any, float], current: Any, since: float, usual: float
    ) -> float:
        """How many times longer than is likely these jobs take; `usual` where they tell nothing."""
        ended = [job for job in took if job in jobs]
        spent = sum(took[job] for job in ended) + (since if current in jobs else 0.0)
        worth, pace = sum(self._likely[job] for job in ended), usual
        for _ in range(_ROUNDS):  # how far a job is depends on the pace, and the pace on how far it is
            under_way = min(self._likely[current], since / pace) if current in jobs else 0.0
            pace = (spent + self._telling * usual) / (worth + under_way + self._telling)
            pace = min(_SLOWEST, max(1 / _SLOWEST, pace))
        return pace


def together(parts: Sequence[DurationEstimate], parallel: int = 1) -> Estimate:
    """How long so many jobs take, `parallel` at a time."""
    low = max(sum(each.low for each in parts) / parallel, max((each.low for each in parts), default=0.0))
    high = max(sum(each.high for each in parts) / parallel, max((each.high for each in parts), default=0.0))
    sized = all(each.sized for each in parts)
    return Estimate(low, high if sized else None, len(parts), sum(each.kind is Kind.LIVE for each in parts))


def _runs(name: str, case: Case) -> Kind | None:
    """The kind of a probe that would run, or None where it would be skipped or cannot be loaded."""
    module = probes.loaded(name)
    if module is None or probes.missing(module, case):
        return None
    kind: Kind = module.KIND
    return kind


def _earlier(project: Project, job: engine.Job) -> float | None:
    """The seconds that a job took when it last ran until it ended by itself; it may have found out soon that it cannot."""
    result = project.session.entry(job.item).results.get(job.probe) if project.session is not None else None
    return result.seconds if result is not None and result.status is not Status.CANCELLED and result.seconds else None


class _Sizes:
    """The bytes of the inputs of probes, by section of the case; None where one cannot be known in a moment."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._known: dict[str, int | None] = {}
        self._until = time.monotonic() + _LOOK
        self._looked = 0
        self._scripts: int | None = None

    def of(self, name: str) -> dict[str, int] | None:
        found: dict[str, int] = defaultdict(int)
        for need in probes.load(name).NEEDS:
            for key in [need] if isinstance(need, str) else need:
                if key not in self._known:
                    self._known[key] = self._size(key)
                if (size := self._known[key]) is None:
                    return None
                found[key.partition(".")[0]] += size
        return found

    def scripts(self) -> int:
        """The bytes of the project's scripts, as far as they are reckoned with."""
        if self._scripts is None:
            self._scripts = self._count_scripts()
        return self._scripts

    def _count_scripts(self) -> int:
        total = 0
        for path, size in _entries(Path(self._case.root)):
            total += size if path.endswith(".py") else 0
            self._looked += 1
            if total > _MOST_SCRIPTS or (self._looked > _FEW and time.monotonic() > self._until):
                break
        return min(total, _MOST_SCRIPTS)

    def _size(self, key: str) -> int | None:
        value = self._case.get(key)
        texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        total = 0
        for text in texts:
            if "://" in str(text):
                return None
            for _, size in _entries(self._case.path(str(text))):
                total += size
                self._looked += 1
                if self._looked > _FEW and time.monotonic() > self._until:
                    return None
        return total


def _entries(path: Path) -> Iterator[tuple[str, int]]:
    """A file, or each file below a folder, with its bytes."""
    try:
        if not path.is_dir():
            yield str(path), path.stat().st_size
            return
    except (OSError, ValueError):
        return
    for base, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            try:
                yield name, os.lstat(os.path.join(base, name)).st_size
            except OSError:
                continue
