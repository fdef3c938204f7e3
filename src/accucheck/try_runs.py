"""accucheck try: the patches of findings, one by one and together, each trained in a copy of the project by its own command.

Nothing of the project is changed: copies.py makes the copy, fence.py and live/inside/guard.py keep the training in it. The unchanged
project is trained with several seeds, which tells the noise. A training that fails is a result.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from . import copies, symptoms
from .case import Case, CaseFile, Curves
from .errors import ReadError, UserError
from .fixes import UnfixedFinding, gather
from .imports import KEPT
from .model import Finding, Language, Level, ProbeResult, Sure, now
from .readers import recordings
from .readers.following import Following
from .report.environment import lacks
from .report.machine import Speech
from .store import scratch
from .try_results import NO_MINDSPORE, WHOLE, Trial, TryResults
from .watching import OUTPUT, Pass, Plan, Watching

if TYPE_CHECKING:
    from .probes._curves import Series

#: What starts the command outside of the project's reach.
_FENCE = Path(__file__).with_name("fence.py")
#: Seconds between two looks at a training, and between two at what it has written.
_LOOK, _WEIGH = 0.3, 3.0
#: Points of a loss that are kept, characters of a note and of a title, bytes of the output that are looked through for it.
_POINTS, _NOTE, _TITLE, _TAIL = 200, 200, 300, 1 << 14
#: Earlier trials that are kept beside those that are shown.
_KEPT = 64
#: What a process exits with that a signal ended, as shells say it.
SIGNALLED = 128
#: Bytes that must be free before a training begins, beside what the copy takes.
FREE = 64 << 20


@dataclass(frozen=True)
class TryRequest:
    """What is to be tried. `evaluation` is run after a training that came to its end; `steps` of 0 train to the end; `seconds` for each
    training, `disk` bytes for what each may write, `seeds` runs of the unchanged project."""

    root: Path
    command: Sequence[str]
    evaluation: Sequence[str] = ()
    steps: int = 0
    seconds: float = 300.0
    disk: int = 2 << 30
    seeds: int = 2
    #: The folder that the command runs in, relative to the project.
    folder: str = "."
    #: Curves that the training writes, as the case names them: (curves.train, curves.eval), relative to the project.
    curves: tuple[str, str] = ("", "")
    again: bool = False


class Patch(NamedTuple):
    """What is tried at once: all fixes of one rule, or of all. `files` are as they will be; `left` what could not be taken in."""

    kind: str
    files: dict[str, bytes]
    item: str = ""
    probe: str = ""
    fault: str = ""
    title: dict[str, str] = {}
    places: tuple[str, ...] = ()
    left: tuple[UnfixedFinding, ...] = ()


@dataclass
class TryRunner:
    """Trains one after the other; `tell` is told of each trial when it is done, with all that is known then; `begins` of each before,
    with its number, how many there are and whether it is known. `known` are earlier trials.

    stop() ends it, from any thread: what was done is kept. `steps` of the training that runs is in `seen`, and `judging` whether it is
    over and evaluated.
    """

    wanted: TryRequest
    patches: Sequence[Patch]
    known: Sequence[Trial] = ()
    tell: Callable[[Trial, TryResults], None] = lambda trial, tried: None
    begins: Callable[[Trial, int, int, bool], None] = lambda trial, number, count, known: None
    seen: int = 0
    judging: bool = False
    _planned: int = 0
    _stopped: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def run(self) -> TryResults:
        """Raises UserError where the copy or the command cannot be made or started, or where the project changed all the same."""
        wanted, done = self.wanted, list[Trial]()
        state = state_of(wanted.root)
        planned, usable = self.planned(state), self._usable
        self._planned = len(planned)
        steps = wanted.steps
        for number, (trial, patch) in enumerate(planned, 1):
            if self.stopped:
                break
            found = usable.get(trial.key)
            self.seen, self.judging = 0, False
            self.begins(trial, number, len(planned), found is not None)
            if found is None:
                found = self._train(trial, patch, steps)
                if self.stopped:
                    break
            else:  # what it is called may be said in other words by now
                found = msgspec.structs.replace(found, title=trial.title, places=trial.places)
            if found.kind == "base" and found.ended == "time" and not wanted.steps:
                steps = min(steps or found.steps, found.steps)  # the others are given no more
            done.append(found)
            self.tell(found, self.tried(done))
            if found.kind == "base" and NO_MINDSPORE in found.note:  # no patch mends that
                break
        return self.tried(done)

    def tried(self, done: Sequence[Trial]) -> TryResults:
        """What is to be kept: what was done, and of what was known before the rest, so that it is not trained again."""
        keys = {trial.key for trial in done}
        left = [trial for trial in self.known if trial.key not in keys]
        return TryResults(
            [*self.wanted.command], [*self.wanted.evaluation], now(), [*done], left[-_KEPT:], self._planned
        )

    def left(self, state: str) -> int:
        """How many trainings are still to be made, where the project is in this state: see state_of."""
        usable = self._usable
        return sum(trial.key not in usable for trial, _ in self.planned(state))

    @property
    def _usable(self) -> dict[str, Trial]:
        """The earlier trials that need not be made again."""
        return {trial.key: trial for trial in self.known if not self.wanted.again and self._is_usable(trial)}

    def planned(self, state: str) -> list[tuple[Trial, Patch]]:
        """The trainings in their order, with nothing known of them yet."""
        unchanged = [(Patch("base", {}), seed) for seed in range(1, self.wanted.seeds + 1)]
        return [
            (
                Trial(
                    _key(self.wanted, state, patch, seed),
                    patch.kind,
                    seed,
                    patch.item,
                    patch.probe,
                    patch.fault,
                    patch.title,
                    [*patch.places],
                ),
                patch,
            )
            for patch, seed in (*unchanged, *((patch, 1) for patch in self.patches))
        ]

    def _is_usable(self, trial: Trial) -> bool:
        """Whether what is known of a trial need not be found out again: one that failed before its first step may have lacked anything."""
        if trial.ended == "time":
            return trial.limit >= self.wanted.seconds
        return trial.whole or (trial.ended in (*WHOLE, "failed") and trial.steps > 0)

    # --- one training -------------------------------------------------------------------------------------------------

    def _train(self, trial: Trial, patch: Patch, steps: int) -> Trial:
        """Train once in a fresh copy, which is gone afterwards."""
        wanted, begun = self.wanted, time.monotonic()
        with scratch() as folder:
            free = shutil.disk_usage(folder).free
            if free < FREE:
                raise UserError("try-disk", path=str(folder), free=free >> 20, needed=FREE >> 20)
            copy = copies.make(wanted.root, folder, patch.files)
            (folder / "tmp").mkdir()
            place = TrialFolder(wanted, folder, copy.root)
            ran = self._run(place, wanted.command, trial.seed, steps, begun)
            found = _of_training(place, ran, trial)
            if ran.ended == "end" and found.metric is None and wanted.evaluation and not self.stopped:
                self.judging = True
                judged = self._run(place, wanted.evaluation, trial.seed, 0, begun, role="eval")
                found = _of_evaluation(place, judged, found)
            if changed := copy.changed():
                raise UserError("try-changed", paths=", ".join(changed[:5]))
        seconds = round(time.monotonic() - begun, 1)
        return msgspec.structs.replace(found, seconds=seconds, limit=wanted.seconds)

    def _run(
        self, place: TrialFolder, command: Sequence[str], seed: int, steps: int, begun: float, role: str = "train"
    ) -> CommandResult:
        """Run a command in the copy until it ends, its time is over, it has written too much, or all is stopped."""
        bounds = TrainingLimits(place, begun, self.wanted.seconds)

        def look(folder: Path, following: Following) -> str:
            following.read()
            self.seen = following.seen.steps if following.seen is not None else 0
            return "time" if self.stopped else bounds.over()

        return run(place, command, look, seed=seed, steps=steps, role=role)


def run(
    place: TrialFolder,
    command: Sequence[str],
    look: Callable[[Path, Following], str],
    *,
    seed: int,
    steps: int = 0,
    role: str = "train",
    light: bool = False,
) -> CommandResult:
    """Run a command in a copy, under watch. `look` is called now and then, with the folder that holds recording and output; what it
    gives ends the command, and says why. Raises UserError, SaveError as Watching."""
    plan = Plan(
        place.moved(command),
        place.copy,
        steps,
        role,
        "user",
        cwd=place.copy / place.wanted.folder,
        kept=True,
        before=place.before,
        variables=place.variables,
        seed=seed,
        again=False,
        light=light,
    )
    since = time.time()
    watching = Watching(plan)
    following = Following(watching.folder)
    over, ended = threading.Event(), "end"

    def watch() -> None:
        nonlocal ended
        while not over.wait(_LOOK):
            if why := look(watching.folder, following):
                ended = why
                watching.stop()
                return

    looking = threading.Thread(target=watch, daemon=True)
    looking.start()
    try:
        done = watching.run().passes[0]
    finally:
        over.set()
        looking.join()
    return CommandResult(watching.folder, done, ended, since)


@dataclass
class TrainingLimits:
    """What a training may take: seconds since it `begun`, 0 for any number, and the bytes that its place allows it to write."""

    place: TrialFolder
    begun: float
    seconds: float
    _weighed: float = field(default_factory=time.monotonic)

    def over(self) -> str:
        """Which of them is over: time or disk; empty where none is."""
        now = time.monotonic()
        if self.seconds and now - self.begun > self.seconds:
            return "time"
        if now - self._weighed > _WEIGH:
            self._weighed = now
            if _written(self.place.folder) > self.place.wanted.disk:
                return "disk"
        return ""


class CommandResult(NamedTuple):
    """A command that was run: the folder of its recordings and output, and whether it came to its end by itself."""

    folder: Path
    done: Pass
    ended: str
    since: float


class TrialFolder(NamedTuple):
    """Where a training runs: the scratch folder, and the copy in it."""

    wanted: TryRequest
    folder: Path
    copy: Path

    @property
    def before(self) -> list[str]:
        most = str(self.wanted.disk)
        return [sys.executable, "-I", str(_FENCE), os.path.realpath(self.wanted.root), str(self.folder), most]

    @property
    def variables(self) -> dict[str, str]:
        """What its environment says of places: temporary files, and where imports come from."""
        told = {
            "project": os.path.realpath(self.wanted.root),
            "copy": str(self.copy),
            "scratch": str(self.folder),
            "escaped": str(self.escaped),
        }
        guard = self.folder / "guard.json"
        guard.write_text(json.dumps(told), encoding="utf-8")
        given = {"ACCUCHECK_GUARD": str(guard), "TMPDIR": str(self.folder / "tmp")}
        users = os.environ.get(KEPT, os.environ.get("PYTHONPATH"))
        if users is not None:
            given["PYTHONPATH"] = os.pathsep.join(self.moved(users.split(os.pathsep)))
        return given

    @property
    def escaped(self) -> Path:
        return self.folder / "escaped.txt"

    def moved(self, words: Iterable[str]) -> list[str]:
        """Words of a command, with the places that they name within the project as those of the copy."""
        roots = {os.path.realpath(self.wanted.root), os.path.abspath(self.wanted.root)}
        moved = []
        for word in words:
            option, sign, value = word.rpartition("=") if word.startswith("-") else ("", "", word)
            for root in roots:
                if value == root or value.startswith(root + os.sep):
                    value = str(self.copy) + value[len(root) :]
                    break
            moved.append(f"{option}{sign}{value}")
        return moved


# --- what a training gave ---------------------------------------------------------------------------------------------


def _of_training(place: TrialFolder, ran: CommandResult, trial: Trial) -> Trial:
    """The trial with its losses, and the metric where the training tells one."""
    points = losses_of(ran.done)
    log, shown = _told(place, ran)
    if not points and shown is not None:
        points = list(zip(map(int, shown.x), map(float, shown.values), strict=True))
    code = SIGNALLED - ran.done.code if ran.done.code < 0 else ran.done.code
    ended = ran.ended
    if ended == "end" and code:
        ended = "failed"
    elif ended == "end" and not points and log is None:
        ended = "nothing"
    elif ended == "end" and place.wanted.steps and points and points[-1][0] >= place.wanted.steps:
        ended = "steps"
    note = last_line(ran.folder) if ended in ("failed", "nothing") else ""
    if place.escaped.exists() and trial.kind != "base":
        note, ended = "", "escaped"
    return msgspec.structs.replace(
        trial,
        ended=ended,
        code=code,
        note=note,
        steps=points[-1][0] if points else 0,
        losses=thinned(points),
        bad=bad_from(points),
        metric=log[1] if log is not None else None,
        metric_name=log[0] if log is not None else "",
        source="training" if log is not None else "",
    )


def _of_evaluation(place: TrialFolder, ran: CommandResult, trial: Trial) -> Trial:
    """The trial with the metric that its evaluation tells."""
    log, _ = _told(place, ran, evaluated=True)
    if log is None or ran.done.code or ran.ended != "end":
        return trial
    return msgspec.structs.replace(trial, metric=log[1], metric_name=log[0], source="evaluation")


def losses_of(ended: Pass) -> list[tuple[int, float]]:
    """The loss of each step as it was recorded, of rank 0."""
    if 0 not in ended.recordings:
        return []
    try:
        column = recordings.read(ended.recordings[0]).runs[-1].series.get("loss")
    except (ReadError, IndexError):
        return []
    return [] if column is None else list(zip(column.steps.tolist(), column.values.tolist(), strict=True))


def _told(
    place: TrialFolder, ran: CommandResult, *, evaluated: bool = False
) -> tuple[tuple[str, float] | None, Series | None]:
    """The metric that was told last, by name, and the loss: as the output tells them, else the curves that the training wrote."""
    from .probes._curves import Logs

    def fresh(name: str) -> str | None:
        path = place.copy / name
        return name if name and not path.is_symlink() and path.is_file() and path.stat().st_mtime >= ran.since else None

    written = Curves(train=fresh(place.wanted.curves[0]), eval=fresh(place.wanted.curves[1]))
    output = Curves(eval=str(ran.folder / OUTPUT)) if evaluated else Curves(train=str(ran.folder / OUTPUT))
    loss = None
    for curves in (output, written):
        try:
            logs = Logs(Case(str(place.copy), CaseFile(curves=curves)), "curves.train", "curves.eval")
        except (ReadError, IndexError):
            continue
        loss = loss or logs.series("loss")
        for series in (logs.series("accuracy", evaluated=True), logs.series("accuracy")):
            last = series.finite().values if series is not None else None
            if series is not None and last is not None and len(last):
                return (series.name[:_NOTE], float(last[-1])), loss
    return None, loss


def thinned(points: Sequence[tuple[int, float]]) -> list[tuple[int, float | None]]:
    """At most _POINTS points: each the last step of several, and their mean; None where one of them is not finite."""
    each = max(1, math.ceil(len(points) / _POINTS))
    groups = [points[at : at + each] for at in range(0, len(points), each)]
    means = [(group[-1][0], sum(value for _, value in group) / len(group)) for group in groups]
    return [(step, mean if math.isfinite(mean) else None) for step, mean in means]


def bad_from(points: Sequence[tuple[int, float]]) -> int | None:
    """The step from which on to the end no loss is finite."""
    bad = None
    for step, value in reversed(points):
        if math.isfinite(value):
            break
        bad = step
    return bad


def last_line(folder: Path) -> str:
    """The last line that the command printed."""
    try:
        with folder.joinpath(OUTPUT).open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - _TAIL))
            lines = stream.read(_TAIL).decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return next((line.strip()[:_NOTE] for line in reversed(lines) if line.strip()), "")


def _written(folder: Path) -> int:
    """The bytes of all files below a folder."""
    total = 0
    for above, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(above, name)).st_blocks * 512
    return total


# --- what is tried ----------------------------------------------------------------------------------------------------


def patches(root: Path, results: Iterable[tuple[str, ProbeResult]]) -> list[Patch]:
    """The changes to be tried: those of each rule, what may be expected to matter most first, then all that `accucheck fix` would make
    at once. `results` are pairs of an item and what a probe found of it. A rule whose changes do not fit the files has no `files`."""
    rules: dict[tuple[str, str], _Rule] = {}
    for item, result in results:
        for finding in result.findings:
            if finding.level is not Level.INFO and finding.fix is not None and finding.fix.diff:
                rule = rules.setdefault((result.probe, finding.code), _Rule(item, result, []))
                if finding not in rule.findings:
                    rule.findings.append(finding)
    ordered = sorted(rules.values(), key=_Rule.rank)
    made = [rule.patch(root) for rule in ordered]
    certain = [rule.result_of_all() for rule in ordered if rule.rank()[0] < len(Sure) - 1]
    together = gather(root, certain)
    if sum(bool(patch.files) for patch in made) > 1 and len(certain) > 1 and together.edits:
        made.append(Patch("all", together.after(), left=tuple(together.left)))
    return made


class _Rule(NamedTuple):
    """The findings of one rule that carry a change, of an item."""

    item: str
    result: ProbeResult
    findings: list[Finding]

    def result_of_all(self) -> ProbeResult:
        return msgspec.structs.replace(self.result, findings=self.findings)

    def rank(self) -> tuple[int, int]:
        """How sure its surest finding is, and what its change may be expected to give: the least comes first."""
        sure = min(list(Sure).index(finding.sure or Sure.CERTAIN) for finding in self.findings)
        effect = symptoms.effect(self.item, self.result.probe, self.findings[0].code)
        return sure, symptoms.EFFECTS.index(effect)

    def patch(self, root: Path) -> Patch:
        gathered = gather(root, [self.result_of_all()], possible=True)
        first, probe = self.findings[0], self.result.probe
        assert first.fix is not None
        wheres = [finding.where for finding in self.findings]
        title = {
            language.value: Speech(language).message(probe, first.fix.message, first.data)[:_TITLE]
            for language in Language
        }
        return Patch(
            "patch",
            gathered.after(),
            self.item,
            probe,
            first.code,
            title,
            tuple(f"{where.path}:{where.line}" if where.line else f"{where.path}" for where in wheres),
            tuple(gathered.left),
        )


def chosen(patches: Sequence[Patch], most: int) -> list[Patch]:
    """The patches that are tried: those that fit, the first `most`, and all together. Raises UserError where there is none, or none
    fits the files as they are."""
    fitting = [patch for patch in patches if patch.files]
    if not fitting:
        raise UserError("try-misfit" if patches else "try-none")
    alone = [patch for patch in fitting if patch.kind == "patch"][:most]
    return [*alone, *(patch for patch in fitting if patch.kind == "all")]


def want(case: Case, command: Sequence[str], evaluation: Sequence[str] | None = None, **bounds: Any) -> TryRequest:
    """What is to be tried with a project: its own evaluation where `evaluation` is None and it has one script for that; `bounds` are
    fields of Wanted. Raises UserError where there is no command."""
    if not command:
        raise UserError("try-no-command")
    if evaluation is None:
        scripts = case.get("scripts.eval")
        script = scripts[0] if isinstance(scripts, list) and len(scripts) == 1 else scripts
        evaluation = ["python", script] if isinstance(script, str) and script.endswith(".py") else []
    names = [case.get(f"curves.{side}") for side in ("train", "eval")]
    train, evaluated = (name if isinstance(name, str) else "" for name in names)
    return TryRequest(
        Path(case.root), startable(command, case), startable(evaluation, case), curves=(train, evaluated), **bounds
    )


def startable(command: Sequence[str], case: Case) -> list[str]:
    """The command, with the Python that the case names, or this one where `python` is not on the PATH or has no MindSpore and this has."""
    if not command or command[0] != "python":
        return [*command]
    found, named = shutil.which("python"), case.get("runtime.python")
    if isinstance(named, str):
        return [str(case.path(named)) if os.sep in named else named, *command[1:]]
    if found is None or (lacks(found, "mindspore") and not lacks(sys.executable, "mindspore")):
        return [sys.executable, *command[1:]]
    return [*command]


def state_of(root: Path) -> str:
    """A digest of what decides what the project's training computes: its code and configuration."""
    found = blake2b(digest_size=16)
    for path in copies.sources(root):
        if path.name != "accucheck.yaml":
            with suppress(OSError):
                found.update(os.fsencode(path.relative_to(root.resolve())) + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def _key(wanted: TryRequest, state: str, patch: Patch, seed: int) -> str:
    files = {path: blake2b(content, digest_size=16).hexdigest() for path, content in sorted(patch.files.items())}
    told = [[*wanted.command], [*wanted.evaluation], wanted.steps, wanted.folder, state, files, seed]
    return blake2b(json.dumps(told).encode(), digest_size=16).hexdigest()
