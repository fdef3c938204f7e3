"""Every file of a project that uses PyTorch or MindSpore, and which APIs: a walk through folders, without following any script.

What is read is the project's folder and that of the benchmark scripts; each file is read once for all probes of a run.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..case import IGNORED, Case
from ..errors import ReadError
from ..model import Code, Progress
from . import partial_parse, syntax, usage
from .analysis import UnreadPlace, gap, read_whole
from .project import Project
from .source import LIMIT, Source, read
from .syntax import uncollected
from .usage import FRAMEWORKS, ApiUse, Usage, UsageRemark

#: A text and its path as it is shown -> its tree.
Parse = Callable[[str, str], ast.Module]
#: Files that are read of a project, and entries that are looked at; the rest is told as not examined.
FILES, ENTRIES = 10_000, 200_000
_SCREEN = re.compile(rb"\b(?:" + "|".join(sorted(FRAMEWORKS)).encode() + rb")\b|\bimport\s*(?:\(\s*)?\*")


@dataclass(frozen=True)
class File:
    """A file that uses a framework. `benchmark`: below the folder of a benchmark script. `lines` are those that something stands in."""

    path: str
    benchmark: bool
    usage: Usage
    lines: dict[int, str]

    def uses(self, *frameworks: str) -> Iterator[ApiUse]:
        return (use for use in self.usage.uses if use.api.partition(".")[0] in frameworks)

    def code(self, at: ApiUse | UsageRemark) -> Code:
        """The line as it stands."""
        return Code(self.path, at.line, self.lines.get(at.line, ""), [at.line])


@dataclass(frozen=True)
class Folder:
    """`seen` Python files were there; `files` are those that use a framework, by path."""

    seen: int = 0
    files: list[File] = field(default_factory=list)
    gaps: list[UnreadPlace] = field(default_factory=list)

    def torch(self) -> list[File]:
        """Files that use PyTorch: the benchmark's where the case names one, else all."""
        using = [file for file in self.files if any(True for _ in file.uses(*TORCH))]
        return [file for file in using if file.benchmark] or using

    def mindspore(self) -> list[File]:
        return [file for file in self.files if any(True for _ in file.uses("mindspore"))]


#: PyTorch and what belongs to it.
TORCH = tuple(sorted(FRAMEWORKS - {"mindspore"}))

_LAST: list[tuple[object, Folder]] = []


def read_folder(case: Case) -> Generator[Progress, None, Folder]:
    """All files of a case that use a framework; kept for the next probe in the same process while they stay as they are."""
    root = Path(case.root)
    named = [path for role in ROLES for path in case.paths(f"benchmark.scripts.{role}")]
    benchmarks = [path if path.is_dir() else path.parent for path in named]
    places, more = _places([root, *benchmarks])
    key = case, more, [(path, *_stamp(path)) for path in places]
    if _LAST and _LAST[0][0] == key:
        return _LAST[0][1]
    folder = Folder(len(places))
    if more:
        folder.gaps.append(UnreadPlace("too-many-files", case.relative(root), None, {"limit": FILES}))
    around, parse = _SiblingModules(root), _parse_once(read_whole(case))
    for done, path in enumerate(places, start=1):
        benchmark = any(path.is_relative_to(place) for place in benchmarks)
        with uncollected():
            _add(folder, path, case.relative(path), benchmark, around, parse)
        if done % 50 == 0 or done == len(places):
            yield Progress(done, len(places), "files")
    _LAST[:] = [(key, folder)]
    return folder


ROLES = ("train", "eval", "infer")


def _places(roots: list[Path]) -> tuple[list[Path], bool]:
    """The Python files and notebooks below folders, in a stable order; whether there are more than are read."""
    found: dict[Path, None] = {}
    waiting, looked = list(dict.fromkeys(roots)), 0
    for folder in waiting:  # grows meanwhile
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        if any(entry.name == "pyvenv.cfg" for entry in entries):
            continue  # an environment, whatever it is called
        looked += len(entries)
        if looked > ENTRIES:
            return list(found), True
        for entry in entries:
            if entry.name in IGNORED or entry.name.startswith(".") or not entry.name.isprintable():
                continue
            if entry.name.endswith((".py", ".ipynb")):
                if entry.is_file():
                    found[Path(entry.path)] = None
            elif entry.is_dir(follow_symlinks=False) and entry.name != "site-packages":
                waiting.append(Path(entry.path))
        if len(found) > FILES:
            return list(found)[:FILES], True
    return list(found), False


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _parse_once(known: dict[str, Source]) -> Parse:
    """Parses a text, unless that was done for the scripts of the case."""

    def parse(text: str, shown: str) -> ast.Module:
        source = known.get(shown)
        return source.tree if source is not None and source.text == text else syntax.parse(text, shown)

    return parse


def _add(folder: Folder, path: Path, shown: str, benchmark: bool, around: _SiblingModules, parse: Parse) -> None:
    try:
        with open(path, "rb") as stream:
            if not _SCREEN.search(stream.read(LIMIT)) and path.suffix == ".py":
                return
    except OSError:
        pass  # read() says what is wrong
    source: Source | None
    try:
        source = read(path, shown, parse)
    except ReadError as error:
        if error.code in ("empty", "script-empty"):
            return
        folder.gaps.append(gap(error, shown))
        source = partial_parse.rest(path, shown) if error.code == "script-syntax" else None
    if source is None:
        return
    if (local := around.shadow(path)) is not None:
        folder.gaps.append(gap(ReadError("script-shadow", path=shown, name="torch", local=local), shown))
        return
    try:
        found = usage.read(source, around.names_of(path))
    except RecursionError:
        folder.gaps.append(UnreadPlace("too-complex", shown, None, {"path": shown}))
        return
    if found.uses:
        told = {use.line for use in found.uses} | {remark.line for remark in found.remarks}
        lines = {line: source.lines[line - 1][:400] for line in told if line <= len(source.lines)}
        folder.files.append(File(shown, benchmark, found, lines))


class _SiblingModules:
    """The modules of the project beside a file: what they hand on."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.names: dict[Path, dict[str, str]] = {}
        self.project = Project(root, root)

    def shadow(self, path: Path) -> str | None:
        """A file or folder beside a script that it gets instead of PyTorch."""
        if self.project.locate(path.parent, ["__init__"]):
            return None
        found = self.project.locate(path.parent, ["torch"])
        if found is None or found == path:
            return None
        return found.parent.name if found.name == "__init__.py" else found.name

    def names_of(self, importer: Path) -> Callable[[str], dict[str, str]]:
        def star(module: str) -> dict[str, str]:
            path = Project(self.root, importer.parent, self.project).search(module, importer.parent)
            return {} if path is None else self.of(path)

        return star

    def of(self, path: Path) -> dict[str, str]:
        """What a module imports at its top, what its own star imports bring too."""
        if path not in self.names:
            self.names[path] = {}  # of modules that import each other
            try:
                found = usage.module_names(read(path, path.name).tree)
            except ReadError:
                found = {}
            star = self.names_of(path)
            for name in [name for name in found if name.startswith("*")]:
                module = name[1:]
                found = {**(usage.offered(module) or star(module)), **found}
            self.names[path] = found
        return self.names[path]
