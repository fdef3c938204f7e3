"""All scripts of a case, read once for all static probes: by role, followed through the project's own modules."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ..case import Case
from ..errors import ReadError
from ..knowledge import api
from ..model import Language
from . import partial_parse
from .command import Command
from .command import read as read_command
from .described import Described
from .project import Project
from .source import Source, read
from .syntax import forget, kept, uncollected
from .trace import Trace, follow
from .training import assumption
from .training import role as spoken
from .values import Call, unseen

#: Lines of earlier cases that may stay in memory, about 150 MB, when one process reads case after case.
GARBAGE = 100_000
#: So many readings of one project are kept: as it lies there, and with each of the configurations that it may load.
KEPT = 8
#: What the scripts of each role are read as: with flags such as is_training on or off.
VIEWS = {"train": "train", "eval": "eval", "infer": "eval", "export": "eval"}


@dataclass(frozen=True, eq=False)
class Reading:
    """One entry script followed under one view: `role` is the case's word for it, `view` "train" or "eval" what undecided
    flags were taken for."""

    role: str
    view: str
    source: Source
    trace: Trace
    project: Project


@dataclass(frozen=True)
class UnreadPlace:
    """Something that could not be read: a finding's code, its place, and what fills the message."""

    code: str
    path: str
    line: int | None
    data: dict[str, object]


@dataclass(frozen=True, eq=False)
class Scripts:
    readings: list[Reading] = field(default_factory=list)
    gaps: list[UnreadPlace] = field(default_factory=list)
    root: str = ""

    @cached_property
    def training(self) -> list[Reading]:
        """The scripts that train, as when they do so: those that are called training scripts and, where one of these is seen to
        train, are not seen to do something else."""
        given = [reading for reading in self.readings if reading.role == "train" and reading.view == "train"]
        return [reading for reading in given if trains(reading.trace)] or given

    @property
    def sources(self) -> list[Source]:
        """Every file that was read, once."""
        found = {r.source.file: r.source for r in self.readings}
        for reading in self.readings:
            found.update({s.file: s for s in reading.project.sources.values() if s is not None})
        return list(found.values())

    @cached_property
    def described(self) -> list[Described]:
        """What stands for packages that are known by their description, at each place where it was called."""
        known = [source for reading in self.readings for source in reading.project.descriptions.values()]
        return [*known, *(site for source in known for site in source.sites.values())]

    @cached_property
    def configurations(self) -> dict[str, Path]:
        """The configuration files that the scripts load, by their path as it is shown."""
        loaded = [path for reading in self.readings for path in reading.trace.loaded]
        return {os.path.relpath(path, os.path.realpath(self.root)): path for path in loaded}

    def mentions(self, *words: str) -> bool:
        """Whether any of these (in lower case) stands in a file that was read: cheap, to leave a subject alone that the scripts
        never touch."""
        return any(_mentions(self, word) for word in words)

    @cached_property
    def _texts(self) -> list[str]:
        return [
            source.text.lower() for source in (*self.sources, *self.described) if not getattr(source, "called", False)
        ]


@kept
def _mentions(scripts: Scripts, word: str) -> bool:
    return any(word in text for text in scripts._texts)


@dataclass
class _Read:
    """What was read, of which files, and how these were."""

    case: Case
    entries: list[tuple[str, Path]]
    stamps: list[tuple[int, int]]
    scripts: Scripts


_LAST: list[_Read] = []
_WAITING: list[int] = []


@kept
def trains(trace: Trace) -> bool:
    """Whether a script makes an optimizer, takes a gradient, or hands something to what may train it, seen or not."""
    return any(_trains(call) for call in trace.calls)


def _trains(call: Call) -> bool:
    known = api.find(call.api)
    if known is not None:
        return known.kind in ("optimizer", "step", "gradient") and call.api != "ops.stop_gradient"
    if call.name.startswith("."):
        return call.name in (".train", ".fit")
    return call.name[:1].isalpha() and spoken([call.last]) == "train"


def read_scripts(case: Case) -> Scripts:
    """The readings of a case; kept for the next probe in the same process while the files stay as they are."""
    last = next((one for one in _LAST if one.case == case), None)
    if last is None or last.stamps != _stamps(last.entries):
        if last is not None or len(_LAST) == KEPT or any(one.case.root != case.root for one in _LAST):
            _LAST.clear()
        entries = [(role, path) for role in VIEWS for path in case.paths(f"scripts.{role}")]
        stamps = _stamps(entries)
        last = _Read(case, entries, stamps, _read(case, entries))
        _LAST.append(last)
    return last.scripts


def read_whole(case: Case) -> dict[str, Source]:
    """The files of a case that were read whole for its scripts, if these were read, by the path as it is shown."""
    last = next((one for one in _LAST if one.case == case), None)
    if last is None:
        return {}
    broken = {one.path for one in last.scripts.gaps}
    return {source.path: source for source in last.scripts.sources if source.path not in broken}


def _stamps(entries: Iterable[tuple[str, Path]]) -> list[tuple[int, int]]:
    found = []
    for _, path in entries:
        try:
            stat = path.stat()
            found.append((stat.st_mtime_ns, stat.st_size))
        except OSError:
            found.append((0, 0))
    return found


def _read(case: Case, entries: Iterable[tuple[str, Path]]) -> Scripts:
    """What was read stays for all probes, so the garbage collector need not look through it meanwhile."""
    forget()
    gc.unfreeze()
    if sum(_WAITING) > GARBAGE:  # earlier cases are released together now and then
        _WAITING.clear()
        gc.collect()
    with uncollected():
        scripts = _followed(case, entries)
        gc.freeze()
    _WAITING.append(sum(len(source.lines) for source in scripts.sources))
    return scripts


def _unread(trace: Trace, shown: str) -> Iterator[UnreadPlace]:
    """What was not read in following a script."""
    if trace.gave_up:
        yield UnreadPlace("too-complex", shown, None, {"path": shown})
    for name, loader, line in dict.fromkeys(trace.unread):
        yield UnreadPlace("no-config", loader, line, {"name": name})
    for name, line, problem in dict.fromkeys(trace.broken):
        yield UnreadPlace("broken-config", name, line, {"problem": problem})
    for code, text, parser, line in dict.fromkeys(trace.unbound):
        yield UnreadPlace(code, parser, line, {"words": text})


def _source(path: Path, shown: str, scripts: Scripts) -> Source | None:
    """A script, or what of it can be read; None where nothing can."""
    try:
        return read(path, shown)
    except ReadError as error:
        scripts.gaps.append(gap(error, shown))
        return partial_parse.rest(path, shown) if error.code == "script-syntax" else None


def _starts_one(command: Command | None, paths: Iterable[Path]) -> bool:
    """Whether the command of the run starts one of these scripts."""
    return command is not None and command.script in {path.resolve() for path in paths}


def _each_once(gaps: list[UnreadPlace]) -> list[UnreadPlace]:
    return [each for place, each in enumerate(gaps) if each not in gaps[:place]]


def _followed(case: Case, entries: Iterable[tuple[str, Path]]) -> Scripts:
    scripts, root = Scripts(root=case.root), Path(case.root)
    project: Project | None = None
    command = read_command(case.spec.runtime.command or "", root)
    for role, path in entries:
        shown = case.relative(path)
        source = _source(path, shown, scripts)
        if source is None:
            continue
        project = Project(root, path.parent, project)
        if local := project.shadow("mindspore", source):
            scripts.gaps.append(gap(ReadError("script-shadow", path=shown, name="mindspore", local=local), shown))
            continue
        started = command if _starts_one(command, [path]) else None
        for view in (VIEWS[role], "eval"):
            project = Project(root, path.parent, project)
            trace = follow(source, assumption(view), project.find, root, project.acts, started)
            scripts.readings.append(Reading(role, view, source, trace, project))
            if view == "eval" or not trace.assumed:
                break
        scripts.gaps.extend(_unread(trace, shown))
    asked = case.spec.runtime.command
    if asked and not _starts_one(command, [path for _, path in entries]):
        scripts.gaps.append(UnreadPlace("command-elsewhere", "", None, {"command": asked[:200]}))
    if project is not None:
        scripts.gaps.extend(gap(problem, name) for name, problem in project.unreadable.items())
    scripts.readings[:] = _by_deed(scripts.readings)
    # Two scripts may load the same configuration.
    scripts.gaps[:] = _each_once(scripts.gaps)
    return scripts


def _by_deed(readings: list[Reading]) -> list[Reading]:
    """The readings with the role of each script by what it does: one that runs a network and does not train it, beside one that
    trains, is a script for inference, whatever it was given as."""
    given = [reading for reading in readings if reading.role == "train"]
    training = {id(reading.source) for reading in given if trains(reading.trace)}
    if not training:
        return readings
    infers = {id(r.source): r for r in given if id(r.source) not in training and _runs(r.trace)}
    found = []
    for reading in readings:
        last = infers.get(id(reading.source))  # the one with flags set for inference, where there are two
        if last is None:
            found.append(reading)
        elif reading is last:
            found.append(replace(reading, role="infer", view="eval"))
    return found


def _runs(trace: Trace) -> bool:
    """Whether a script is seen to run a network: to call a cell, or to evaluate or predict with a Model."""
    applied = (f for f in trace.frames if f.function.name == "construct" and not unseen(f))
    return any(applied) or any(call.name in (".eval", ".predict") for call in trace.calls)


def gap(error: ReadError, shown: str) -> UnreadPlace:
    problem = {language.value: error.text(language) for language in Language}
    line = error.data.get("line")
    return UnreadPlace("unreadable", shown, line if isinstance(line, int) else None, {"problem": problem})
