"""The configurations that a run may load, where no command says which: each is a view of the same scripts.

A file is one of them where the training script, started with it, is seen to load it. Nothing is run.
"""

from __future__ import annotations

import ast
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..case import IGNORED, Case
from . import configs, flow
from .analysis import Reading, Scripts, UnreadPlace, read_scripts
from .command_options import options_of
from .values import KnownValue, UnknownValue

#: So many configurations are taken in turn; files below the project that are looked at for them.
MOST, FILES = 3, 2000
#: A configuration gives a value to at least so many names that the scripts ask for.
LEAST = 3


class View(NamedTuple):
    """A configuration as a path from the project, and the case with the command that loads it."""

    file: str
    case: Case


_LAST: list[tuple[Scripts, list[View]]] = []


def of(case: Case) -> list[View]:
    """The configurations among which a run of the case may choose: none where a command, or a default, says which one is loaded."""
    if case.spec.runtime.command:
        return []
    scripts = read_scripts(case)
    if not _LAST or _LAST[0][0] is not scripts:
        _LAST[:] = [(scripts, _found(case, scripts))]
    return _LAST[0][1]


def _found(case: Case, scripts: Scripts) -> list[View]:
    readings = {reading.source.path: reading for reading in scripts.training}
    if len(readings) != 1 or scripts.configurations:
        return []
    reading = next(iter(readings.values()))
    asked = list(dict.fromkeys(_asked(reading)))
    if not asked:
        return []
    files = _candidates(case, scripts)
    loaded: dict[str, tuple[Case, set[str]]] = {}
    for file in files[: 2 * MOST]:
        started = next(filter(None, (_started(case, reading, name, file) for name in asked[:2])), None)
        if started is not None:
            loaded[file] = started, {*read_scripts(started).configurations}
    included = {file for one, (_, files_) in loaded.items() for file in files_ if file != one}
    views = [View(file, started) for file, (started, _) in loaded.items() if file not in included][:MOST]
    others = len(set(files) - included) - len(views)
    for view in views:
        data = {"path": reading.source.path, "files": [one.file for one in views], "count": others}
        read_scripts(view.case).gaps.append(UnreadPlace("configurations-taken", reading.source.path, None, data))
    return views


def _asked(reading: Reading) -> Iterator[str]:
    """The names of what a run is given, by which it opens a file."""
    for call in reading.trace.calls:
        for value in flow.sources(call.args[0]) if call.name == "open" and call.args else ():
            if isinstance(value, UnknownValue) or (isinstance(value, KnownValue) and _is_left_out(value)):
                yield value.name or ""


def _is_left_out(value: KnownValue) -> bool:
    return value.origin == "argparse" and value.value in (None, "")


def _candidates(case: Case, scripts: Scripts) -> list[str]:
    """The files below the project that give values to names that the scripts ask for, those that give the most first."""
    sources = (*scripts.sources, *scripts.described)
    asked = {name for source in sources for node in source.nodes for name in _names(node)}
    asked |= {option.name for reading in scripts.training for option in options_of(reading)}
    given = {path: asked & configs.keys(path).keys() for path in _files(case)}
    whole = {path: own.union(*_of_included(path, given)) for path, own in given.items()}
    found = [(len(names), path.relative_to(case.root).as_posix()) for path, names in whole.items()]
    return [file for count, file in sorted(found, key=lambda one: (-one[0], one[1])) if count >= LEAST]


def _of_included(path: Path, given: dict[Path, set[str]]) -> list[set[str]]:
    """What the other files give that a file names."""
    try:
        text = path.read_bytes()[: configs.LIMIT]
    except OSError:
        return []
    return [names for other, names in given.items() if names and other != path and other.name.encode() in text]


def _names(node: ast.AST) -> Iterator[str]:
    """What a piece of a script may ask a configuration for."""
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, (ast.arg, ast.keyword)):
        yield node.arg or ""
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def _files(case: Case) -> Iterator[Path]:
    if case.spec.configs.used and "configs.used" not in case.taken:
        yield from (path for path in case.paths("configs.used") if path.suffix in configs.ENDINGS)
        return
    left = FILES
    for folder, folders, names in os.walk(case.root):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in IGNORED)
        left -= len(names)
        yield from (Path(folder, name) for name in names if name.endswith(configs.ENDINGS))
        if left < 0:
            return


def _started(case: Case, reading: Reading, name: str, file: str) -> Case | None:
    """The case with a command that gives a file by an option of this name, or as a word; None where that is not seen to load it."""
    flags = [option.flags for option in options_of(reading) if option.name == name]
    words = [max(flags[0], key=len), file] if flags else [file]
    command = shlex.join(["python", reading.source.path, *words])
    runtime = msgspec.structs.replace(case.spec.runtime, command=command)
    started = msgspec.structs.replace(case, spec=msgspec.structs.replace(case.spec, runtime=runtime))
    return started if file in read_scripts(started).configurations else None
