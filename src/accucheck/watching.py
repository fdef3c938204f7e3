"""accucheck watch: runs the user's own command, each Python that it starts watched from within, and keeps what they recorded.

What runs within lies in live/inside/watch; it is brought in by live/first, which comes first on PYTHONPATH. The command's input, output
and exit code are its own.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from . import __version__
from .errors import ReadError, SaveError, UserError, from_os_error
from .imports import users_environment
from .readers import recordings
from .readers.recordings import ABOUT, WATCH
from .settings import personal
from .store import require_own, stamped

#: How many recordings of a project are kept.
KEEP = 5
#: The folder whose sitecustomize brings the watching in.
FIRST = Path(__file__).with_name("live") / "first"
#: The file in a folder of recordings that holds what the command printed, where that is kept.
OUTPUT = "output.log"
#: What is looked for in a dump, with the graphs beside it: a fact of a recording, or nothing.
Look = Callable[[Path, Path, Path, recordings.Run], "dict[str, Any] | None"]
#: Seconds for a command to end that is stopped: by an interrupt, and then by a request to end.
PATIENCE = 5.0
#: Passes that follow where something is not finite; the folder of graphs beside the dump, and steps that are dumped.
NAN, DUMP, GRAPHS, DUMPED = "nan", "dump", "graphs", 3
#: A pass that is dumped because both modes part there, as `begins` is told of it.
APART = "apart"
#: Bytes that must have room where recordings go.
_ROOM = 1 << 14
#: What a process exits with that a signal ended, as shells say it.
_SIGNALLED = 128


@dataclass(frozen=True)
class Plan:
    """What is to be watched: `steps` of 0 to the end; `mode` "user", "pynative", "both", or "" for PyNative, and then the user's where
    that is another one."""

    command: Sequence[str]
    root: Path
    steps: int = 50
    role: str = "train"
    mode: str = ""
    nan: bool = False
    #: The folder that the command runs in, None for the current one; whether what it prints goes into OUTPUT beside the recordings.
    cwd: Path | None = None
    kept: bool = False
    #: What is put before the command, variables that are set for it, and a seed for what it leaves to chance: 1 leaves its own seeds
    #: as they are, a higher one shifts them.
    before: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    #: Whether further passes look for where something begins that is not finite.
    again: bool = True
    #: Whether only steps and what evaluations give are recorded, which costs next to nothing.
    light: bool = False
    #: Where the recordings go; None for those of the project, whose last one its probes and views then take.
    folder: Path | None = None


@dataclass
class Pass:
    """One run of the command: its exit code, the recordings of its ranks by rank, and what did not come about.

    `started`: how many Pythons began under watch, `imported` how many of them imported MindSpore. `graph`: whether the command asked
    for graph mode. `missing` are the hooks that this MindSpore has no place for; `unwatched`: why processes could not be watched. `full`:
    the recording ended before the command, for this reason.
    """

    mode: str
    code: int
    recordings: dict[int, Path] = field(default_factory=dict)
    started: int = 0
    imported: int = 0
    graph: bool = False
    steps: int = 0
    inferences: int = 0
    failed: list[dict[str, Any]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unwatched: list[str] = field(default_factory=list)
    full: UserError | None = None


@dataclass
class WatchResult:
    """`elsewhere`: why the recordings could not go into the project; `unfinished`: why no further pass could begin."""

    folder: Path
    passes: list[Pass]
    elsewhere: UserError | None = None
    unfinished: SaveError | None = None

    @property
    def code(self) -> int:
        """The exit code of the command as the user set it, which runs last."""
        return next(one.code for one in reversed(self.passes) if one.mode not in (NAN, DUMP))


class Watching:
    """Runs the command once for each mode. stop() ends it, from any thread; what was seen until then is kept.

    Raises SaveError where nothing can be written. `begins` is told the mode of each pass before it begins.
    """

    def __init__(self, plan: Plan, begins: Callable[[str], None] = lambda mode: None) -> None:
        self.plan, self._begins = plan, begins
        self.folder, self.elsewhere = (plan.folder, None) if plan.folder is not None else _folder(plan.root)
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = threading.Event()

    def run(self) -> WatchResult:
        """Raises UserError where the command cannot be started, SaveError where its settings cannot be written."""
        plan = self.plan
        modes = {"user": ["user"], "pynative": ["pynative"], "both": ["pynative", "user"], "": ["pynative"]}[plan.mode]
        passes: list[Pass] = []
        self._tell(passes)  # also for a watch that is killed
        unfinished = None
        try:
            for mode in modes:
                self._begins(mode)
                passes.append(self._pass(mode))
                if self._stopped.is_set():
                    break
                if not plan.mode and mode == "pynative" and passes[0].graph and not _interrupted(passes[0]):
                    modes.append("user")
            if plan.again and not self._stopped.is_set() and not any(_interrupted(one) for one in passes):
                passes += self._again(passes)
        except SaveError as error:
            if not passes:
                raise
            unfinished = error  # what was seen until then counts
        self._tell(passes)
        return WatchResult(self.folder, passes, self.elsewhere, unfinished)

    def _tell(self, passes: list[Pass]) -> None:
        """Write down what is watched, and how each pass ended."""
        plan = self.plan
        about = {
            "accucheck": __version__,
            "command": list(plan.command),
            "steps": plan.steps,
            "role": plan.role,
            "passes": [{"mode": one.mode, "code": one.code, "graph": one.graph} for one in passes],
        }
        with suppress(OSError):
            text = json.dumps(about, ensure_ascii=False, indent=1) + "\n"
            self.folder.joinpath(ABOUT).write_text(text, encoding="utf-8")

    def _again(self, passes: list[Pass]) -> list[Pass]:
        """Where a pass saw something that is not finite: one more up to that step that looks for the operator it begins at, in PyNative,
        or, where it shows in graph mode alone, in a dump of the step; where both modes differ, for the cell."""
        bad = [(one, step) for one in passes if (step := _first_bad(one)) is not None]
        if not bad:
            return self._apart(passes)
        found, step = bad[0]
        again = DUMP if found.mode == "user" and found.graph else NAN
        if again == NAN and self.plan.nan:
            return []
        self._begins(again)
        return [self._pass(NAN, step) if again == NAN else self._dumped(step, _first_not_finite)]

    def _apart(self, passes: list[Pass]) -> list[Pass]:
        """Where both modes give other losses of a step that began alike: one more up to it, with a dump of the graph."""
        from .probes.watched_both import first_apart

        runs = {
            one.mode: recordings.read(one.recordings[0], samples=True).runs[-1] for one in passes if 0 in one.recordings
        }
        if not {"pynative", "user"} <= runs.keys() or not any(one.graph for one in passes):
            return []
        step = first_apart(runs["pynative"], runs["user"])
        if step is None:
            return []
        self._begins(APART)
        return [self._dumped(step, _outputs_of(step))]

    def _dumped(self, step: int, look: Look) -> Pass:
        """The pass that is dumped up to a step, with what `look` finds in the dump added to its recording."""
        with tempfile.TemporaryDirectory(prefix="accucheck-") as folder:  # MindSpore takes no dot in its path
            dump = Path(folder)
            found = self._pass(DUMP, step, dump)
            if 0 in found.recordings:
                run = recordings.read(found.recordings[0]).runs[-1]
                fact = look(dump / DUMP, dump / GRAPHS, self.plan.root, run)
                if fact is not None:
                    with suppress(OSError), found.recordings[0].open("a", encoding="utf-8") as stream:
                        stream.write(json.dumps(fact) + "\n")
        return found

    def stop(self) -> None:
        """End the command, with all that it started, where it runs in a group of its own."""
        self._stopped.set()
        child = self._child
        if child is None:
            return
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with suppress(OSError):
                os.killpg(child.pid, sent)
            with suppress(subprocess.TimeoutExpired):
                child.wait(PATIENCE)
                return

    def _pass(self, mode: str, bad: int = 0, dump: Path | None = None) -> Pass:
        """Run the command; `bad`: up to the step at which something is not finite, with its operations in `dump`."""
        plan, folder = self.plan, self.folder
        settings = folder / f"{mode}.settings.json"
        told = {
            "folder": str(folder),
            "root": str(plan.root),
            "name": mode,
            "mode": {NAN: "pynative", DUMP: "user"}.get(mode, mode),
            "steps": bad + 1 if bad else plan.steps,
            "role": plan.role,
            "nan": plan.nan or mode == NAN,
            "seed": plan.seed or int(plan.mode == "both"),
            "light": plan.light,
            "version": __version__,
        }
        try:
            settings.write_text(json.dumps(told), encoding="utf-8")
        except OSError as error:
            raise from_os_error(error, settings, SaveError) from None
        environment = {**users_environment(), **plan.variables}
        users = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([str(FIRST), *([users] if users else [])])
        environment["ACCUCHECK_WATCH"] = str(settings)
        if dump is not None:
            environment |= _dumped(bad, dump)
        try:
            code = self._ran(environment)
        finally:
            settings.unlink(missing_ok=True)
        return _gathered(folder, mode, code)

    def _ran(self, environment: dict[str, str]) -> int:
        """The exit code of the command."""
        plan = self.plan
        with ExitStack() as open_:
            given: dict[str, Any] = {"env": environment, "cwd": plan.cwd}
            if plan.kept:
                output = open_.enter_context(self.folder.joinpath(OUTPUT).open("ab"))
                given |= {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output, "start_new_session": True}
            else:
                open_.enter_context(_signals_are_the_commands())
            try:
                self._child = subprocess.Popen([*plan.before, *plan.command], **given)
            except (OSError, ValueError) as error:
                raise _not_started(error, plan) from None
            if self._stopped.is_set():  # while it was started
                self.stop()
            return self._child.wait()


def _not_started(error: OSError | ValueError, plan: Plan) -> UserError:
    """Why the command does not begin: there is no such program, or its folder is gone, or what the system says."""
    named = plan.command[0]
    if isinstance(error, FileNotFoundError | PermissionError) and error.filename == named:
        return UserError("no-program" if isinstance(error, FileNotFoundError) else "not-executable", name=named)
    return (
        from_os_error(error, named) if isinstance(error, OSError) else UserError("io", path=named, problem=str(error))
    )


def watch(plan: Plan, begins: Callable[[str], None] = lambda mode: None) -> WatchResult:
    """Run the command once for each mode. Raises UserError where it cannot be started, SaveError where nothing can be written."""
    return Watching(plan, begins).run()


def run_unwatched(plan: Plan) -> int:
    """The exit code of the command, run as it is. Raises UserError where it cannot be started."""
    command, variables = [*plan.before, *plan.command], {**users_environment(), **plan.variables}
    with _signals_are_the_commands():
        try:
            return subprocess.run(command, env=variables, cwd=plan.cwd, check=False).returncode
        except (OSError, ValueError) as error:
            raise _not_started(error, plan) from None


def _dumped(step: int, folder: Path) -> dict[str, str]:
    """The variables that have MindSpore dump the operations of the steps up to this one in graph mode, and write its graphs."""
    from . import dumping  # brings numpy

    steps = tuple(range(max(0, step - DUMPED) + 1, step + 1))
    config = folder / "dump.json"
    with suppress(OSError):
        text = json.dumps(dumping.settings(str(folder / DUMP), dumping.DumpRequest(steps)))
        config.write_text(text, encoding="utf-8")
    return {
        dumping.VARIABLE: str(config),
        "MS_DEV_SAVE_GRAPHS": "1",
        "MS_DEV_SAVE_GRAPHS_PATH": str(folder / GRAPHS),
    }


def _first_not_finite(dump: Path, graphs: Path, root: Path, run: recordings.Run) -> dict[str, Any] | None:
    from .probes._watched_dump import first

    fact = first(dump, graphs, root, run)
    made = run.facts.get("optimizer", [])
    if fact is not None and fact["phase"] == "update" and made:  # the graph knows no line of the project's there
        fact["place"] = fact["place"] or made[0].get("place")
    return fact


def _outputs_of(step: int) -> Look:
    from .probes._watched_dump import outputs

    return lambda dump, graphs, root, run: outputs(dump, graphs, root, step)


def _first_bad(ended: Pass) -> int | None:
    """The first step whose loss, gradients or weights are not finite."""
    found: list[int] = []
    for path in ended.recordings.values():
        run = recordings.read(path).runs[-1]
        for name in ("loss", "grad_norm"):
            if (column := run.series.get(name)) is not None:
                points = zip(column.steps.tolist(), column.values.tolist(), strict=True)
                found += [step for step, value in points if not math.isfinite(value)]
        changed = [one for one in run.facts.get("changes", ()) if {"nan", "inf"} & {*map(str, one.get("ratios") or ())}]
        found += [one["step"] for one in changed if isinstance(one.get("step"), int)]
    return min(found, default=None)


def _interrupted(ended: Pass) -> bool:
    return ended.code in (-signal.SIGINT, -signal.SIGTERM, _SIGNALLED + signal.SIGINT, _SIGNALLED + signal.SIGTERM)


def _folder(root: Path) -> tuple[Path, UserError | None]:
    """A new folder for the recordings, of earlier ones the last few being kept; where the project lets nothing be written, one among the
    person's own, or else a temporary one, and why. Raises SaveError."""
    above = root / WATCH
    require_own(above, root)
    try:
        return _made(above), None
    except OSError as error:
        problem = from_os_error(error, above, SaveError)
    own = personal("XDG_STATE_HOME", "~/.local/state") / "watch" / blake2b(os.fsencode(root), digest_size=8).hexdigest()
    with suppress(OSError):
        return _made(own), problem
    with suppress(OSError):
        return _made(Path(tempfile.mkdtemp(prefix="accucheck-"))), problem
    raise problem


def _made(above: Path) -> Path:
    """Raises OSError."""
    above.mkdir(parents=True, exist_ok=True)
    earlier = sorted(path for path in above.iterdir() if path.is_dir() and not path.is_symlink())
    for path in earlier[: max(0, len(earlier) - KEEP + 1)]:
        shutil.rmtree(path, ignore_errors=True)
    made = stamped(above)
    try:
        made.joinpath(ABOUT).write_bytes(b" " * _ROOM)  # a folder may be made where no file has room
    except OSError:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return made


@contextmanager
def _signals_are_the_commands() -> Iterator[None]:
    """Ctrl-C reaches the command, which is in the same group; what it recorded until then is looked at."""
    before = {name: signal.signal(name, lambda *_: None) for name in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _told(line: bytes) -> dict[str, Any]:
    """A line of JSON; nothing where it is torn."""
    with suppress(ValueError):
        found = json.loads(line)
        return found if isinstance(found, dict) else {}
    return {}


def ended_early(facts: Sequence[Mapping[str, Any]], path: Path) -> UserError | None:
    """Why a recording ends before its command, as its facts "full" tell."""
    if not facts:
        return None
    number = facts[0].get("errno")
    if not isinstance(number, int):
        return SaveError("recording-full", path=str(path))
    return from_os_error(OSError(number, os.strerror(number)), path, SaveError)


def _gathered(folder: Path, mode: str, code: int) -> Pass:
    """The recordings of a pass, by rank that of the process that trained most, under their lasting names."""
    found = Pass(mode, code)
    started = folder / "started.jsonl"
    if started.exists():
        lines = [_told(line) for line in started.read_bytes().splitlines()]
        found.unwatched = [str(one["problem"]) for one in lines if "problem" in one]
        found.started = len(lines) - len(found.unwatched)
        started.unlink()
    best: dict[int, tuple[int, int, Path]] = {}
    for path in sorted(folder.glob(f"{mode}.rank*.jsonl")):
        told = recordings.of_mode(path)
        if told is None or not told[2]:
            continue
        try:
            run = recordings.read(path).runs[-1]
        except (ReadError, IndexError):  # nothing of it could be written
            continue
        found.imported += 1
        found.missing += [str(one.get("hook")) for one in run.facts.get("missing", ()) if found.imported == 1]
        found.graph |= any(one.get("graph") is True for one in run.facts.get("mode", ()))
        found.failed += recordings.failures(run)
        found.full = found.full or ended_early(run.facts.get("full", []), folder)
        steps, passes = recordings.trained(run)
        before = best.get(told[1])
        if before is None or (steps, passes) > before[:2]:
            best[told[1]] = steps, passes, path
    for rank, (steps, passes, path) in sorted(best.items()):
        target = folder / (f"{mode}.rank{rank}.jsonl" if rank else f"{mode}.jsonl")
        path.replace(target)
        if steps or passes:
            found.recordings[rank] = target
        found.steps, found.inferences = max(found.steps, steps), max(found.inferences, passes)
    for path in folder.glob(f"{mode}.rank*.*.jsonl"):
        if (told := recordings.of_mode(path)) is not None and told[2] and path.is_file():
            path.unlink()
    return found
