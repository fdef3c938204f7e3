"""accucheck watch: runs the user's own command, each Python that it starts watched from within, and keeps what they recorded.

What runs within lies in live/inside/watch; it is brought in by live/first, which comes first on PYTHONPATH. The command's input, output
and exit code are its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import __version__
from .errors import SaveError, UserError, from_os_error
from .imports import users_environment
from .readers import recordings
from .readers.recordings import WATCH
from .store import require_own

#: How many recordings of a project are kept.
KEEP = 5
#: The folder whose sitecustomize brings the watching in.
FIRST = Path(__file__).with_name("live") / "first"
#: The file in a folder of recordings that says how they came about.
ABOUT = "watch.json"
#: How a process names its recording, and seconds for all to end once the command has.
_RAW = re.compile(r"(\w+)\.rank(\d+)\.\d+\.jsonl")
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


@dataclass
class Pass:
    """One run of the command: its exit code, the recordings of its ranks by rank, and what did not come about.

    `started`: how many Pythons began under watch. `graph`: whether the command asked for graph mode.
    """

    mode: str
    code: int
    recordings: dict[int, Path] = field(default_factory=dict)
    started: int = 0
    graph: bool = False
    steps: int = 0
    inferences: int = 0
    failed: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Watched:
    folder: Path
    passes: list[Pass]

    @property
    def code(self) -> int:
        """The exit code of the command as the user set it, which runs last."""
        return self.passes[-1].code


def watch(plan: Plan, begins: Callable[[str], None] = lambda mode: None) -> Watched:
    """Run the command once for each mode. Raises UserError where it cannot be started, SaveError where nothing can be written.

    `begins` is told the mode of each pass before it begins.
    """
    folder = _folder(plan.root)
    modes = {"user": ["user"], "pynative": ["pynative"], "both": ["pynative", "user"], "": ["pynative"]}[plan.mode]
    passes: list[Pass] = []
    for mode in modes:
        begins(mode)
        passes.append(_pass(plan, folder, mode))
        if not plan.mode and mode == "pynative" and passes[0].graph and not _interrupted(passes[0]):
            modes.append("user")
    about = {
        "accucheck": __version__,
        "command": list(plan.command),
        "steps": plan.steps,
        "role": plan.role,
        "passes": [{"mode": one.mode, "code": one.code, "graph": one.graph} for one in passes],
    }
    with suppress(OSError):
        folder.joinpath(ABOUT).write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return Watched(folder, passes)


def _interrupted(ended: Pass) -> bool:
    return ended.code in (-signal.SIGINT, -signal.SIGTERM, _SIGNALLED + signal.SIGINT, _SIGNALLED + signal.SIGTERM)


def _folder(root: Path) -> Path:
    """A new folder for the recordings; of earlier ones the last few are kept. Raises SaveError."""
    above = root / WATCH
    require_own(above, root)
    try:
        above.mkdir(parents=True, exist_ok=True)
        earlier = sorted(path for path in above.iterdir() if path.is_dir() and not path.is_symlink())
        for path in earlier[: max(0, len(earlier) - KEEP + 1)]:
            shutil.rmtree(path, ignore_errors=True)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        names = (stamp if not again else f"{stamp}-{again}" for again in range(1000))
        for name in names:
            with suppress(FileExistsError):
                (above / name).mkdir()
                return above / name
    except OSError as error:
        raise from_os_error(error, above, SaveError) from None
    raise SaveError("io", path=str(above), problem="1000 folders of this second")


def _pass(plan: Plan, folder: Path, mode: str) -> Pass:
    settings = folder / f"{mode}.settings.json"
    told = {
        "folder": str(folder),
        "root": str(plan.root),
        "mode": mode,
        "steps": plan.steps,
        "role": plan.role,
        "nan": plan.nan,
        "version": __version__,
    }
    try:
        settings.write_text(json.dumps(told), encoding="utf-8")
    except OSError as error:
        raise from_os_error(error, settings, SaveError) from None
    environment = users_environment()
    users = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = os.pathsep.join([str(FIRST), *([users] if users else [])])
    environment["ACCUCHECK_WATCH"] = str(settings)
    with _signals_are_the_commands():
        try:
            child = subprocess.Popen(list(plan.command), env=environment)
        except OSError as error:
            settings.unlink(missing_ok=True)
            raise UserError("io", path=plan.command[0], problem=error.strerror or str(error)) from None
        code = child.wait()
    found = _gathered(folder, mode, code)
    settings.unlink(missing_ok=True)
    return found


@contextmanager
def _signals_are_the_commands() -> Iterator[None]:
    """Ctrl-C reaches the command, which is in the same group; what it recorded until then is looked at."""
    before = {name: signal.signal(name, lambda *_: None) for name in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _gathered(folder: Path, mode: str, code: int) -> Pass:
    """The recordings of a pass, by rank that of the process that trained most, under their lasting names."""
    found = Pass(mode, code)
    started = folder / "started.jsonl"
    if started.exists():
        found.started = len(started.read_bytes().splitlines())
        started.unlink()
    best: dict[int, tuple[int, int, Path]] = {}
    for path in sorted(folder.glob(f"{mode}.rank*.jsonl")):
        told = _RAW.fullmatch(path.name)
        if told is None:
            continue
        run = recordings.read(path).runs[-1]
        found.graph |= any(one.get("graph") is True for one in run.facts.get("mode", ()))
        found.failed += run.facts.get("failed", [])
        steps = len(run.series["seconds"].values) if "seconds" in run.series else 0
        passes = len(run.facts.get("pass", ()))
        before = best.get(int(told[2]))
        if before is None or (steps, passes) > before[:2]:
            best[int(told[2])] = steps, passes, path
    for rank, (steps, passes, path) in sorted(best.items()):
        target = folder / (f"{mode}.rank{rank}.jsonl" if rank else f"{mode}.jsonl")
        path.replace(target)
        if steps or passes:
            found.recordings[rank] = target
        found.steps, found.inferences = max(found.steps, steps), max(found.inferences, passes)
    for path in folder.glob(f"{mode}.rank*.*.jsonl"):
        if _RAW.fullmatch(path.name):
            path.unlink()
    return found
