"""From a Session to files that people and programs read. The writers, and the libraries they need, load when they are used."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from ..difference import Side, compare, of_record
from ..errors import SaveError, from_os_error, needs_library
from ..model import Language, now
from ..session import Record
from ..store import require_inside, sweep, write_together

if TYPE_CHECKING:
    from ..project import Project
    from .leftovers import Leftover
    from .parts import ChartPart, Report
    from .redact import RedactionPreview, Redactor

    class Draw(Protocol):
        """Draws a chart as png or svg; see charts.drawer."""

        def __call__(self, part: ChartPart, form: str = "png") -> bytes: ...


class Format(NamedTuple):
    """The ending of the report's file, and the module of this package that makes it: `render(report, stem, options, draw)`
    returns {name relative to the folder: content}, the report itself as `<stem>.<ending>`, what belongs to it in `<stem>_files`.
    `evidence`: whether it shows tables, and so names the files with all their rows.
    """

    ending: str
    module: str
    evidence: bool


FORMATS = {
    "md": Format("md", "markdown", evidence=True),
    "docx": Format("docx", "docx", evidence=True),
    "html": Format("html", "html", evidence=True),
    "json": Format("json", "machine", evidence=False),
    "sarif": Format("sarif", "sarif", evidence=False),
    "junit": Format("xml", "junit", evidence=False),
}


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How a report is to be written. `formats` are names of FORMATS; `stem` is the name of its files without ending, by default
    `<case>-accuracy`; `force` replaces a report of that name, else the new one gets a number; `reviews` says whether what reviewers
    wrote is in it; `since` is an earlier round, from which the changes are told;
    `full`: with methods, all findings, inputs and the steps to reproduce, else as brief.py shortens it, which a template of one's own
    never is."""

    formats: tuple[str, ...] = ("md", "docx")
    languages: tuple[Language, ...] = (Language.EN,)
    flavour: str = "plain"
    redact: bool = True
    allow: tuple[str, ...] = ()
    samples: bool = False
    template: Path | None = None
    force: bool = False
    stem: str = ""
    reviews: bool = True
    since: Side | None = None
    full: bool = True

    @property
    def chosen(self) -> list[str]:
        """The formats, each once, and the one that the template makes. Raises ReadError."""
        from .templating import kind

        made = [kind(self.template)] if self.template is not None else []
        return [*dict.fromkeys([*self.formats, *made])]


DEFAULT = Options()
#: Stands in the names of files in which the second pass of the redaction found something.
UNFINISHED = "-unfinished"


class WrittenReports(msgspec.Struct, frozen=True):
    """`paths` are the reports, one a format; `files` all that was written, what belongs to them too. `redacted` counts what was
    replaced, by its kind; `left` is what the second pass still found: the files are then named unfinished."""

    paths: list[Path]
    files: list[Path]
    redacted: dict[str, int] = {}
    left: list[Leftover] = []


def redactor(project: Project, options: Options) -> Redactor:
    """What replaces private data in a report of a project; it has learnt the secrets of the session."""
    from . import redact

    hide = redact.of(project.case, allow=options.allow, on=options.redact, samples=options.samples)
    if project.session:
        hide.learn(msgspec.to_builtins(project.session.record))
    return hide


def compose(project: Project, options: Options, hide: Redactor | None = None) -> Report:
    """The report of a project's session as it stands, with the environment. `hide` is by default `redactor(project, options)`."""
    from . import environment, inputs
    from .bilingual import both
    from .build import build

    record, case = project.session.record if project.session else Record(), project.case
    record = record if options.reviews else record.unreviewed
    stale, moment = project.stale(), now()
    hide = hide or redactor(project, options)
    # A session that came alone was not made on this machine, and its files are not here.
    found, examined = (None, None) if case.alone else (environment.collect(case), inputs.collect(case, record, stale))
    since = compare(options.since, of_record(case.name, record)) if options.since is not None else None
    built = [
        build(record, project.checklists, case, language, found, stale, moment, examined, hide, since)
        for language in sorted(set(options.languages), reverse=True)  # Chinese first
    ]
    return both(*built) if len(built) == 2 else built[0]


def preview(project: Project, options: Options) -> RedactionPreview:
    """What a report would replace. Writes nothing."""
    from .redact import RedactionPreview

    hide = redactor(project, options)
    compose(project, options, hide)
    return RedactionPreview(dict(hide.distinct), hide.examples)


def render(report: Report, stem: str, options: Options) -> dict[str, bytes]:
    """The report in each of the formats: {name relative to the folder: content}. Writes nothing."""
    from . import brief, charts, spreadsheet

    draw = charts.drawer()
    files: dict[str, bytes] = {}
    read = report if options.full or options.template is not None else brief.shorten(report)  # what people read
    for name in options.chosen:
        part = read if FORMATS[name].evidence else report
        files |= _writer(name).render(part, stem, options, draw)
    if any(FORMATS[name].evidence for name in options.chosen):
        for table in read.whole_tables:
            files[f"{stem}_files/{table.name}"] = spreadsheet.encode([table.columns], table.body)
    return files


def _writer(name: str) -> ModuleType:
    """The module that writes a format. Raises UserError where it needs a library that is not installed."""
    try:
        return import_module(f".{FORMATS[name].module}", __name__)
    except ImportError as error:
        raise needs_library(error) or error from None


def write(report: Report, folder: Path, options: Options, hide: Redactor | None = None) -> WrittenReports:
    """Write the report in each of the formats into `folder`: all of it or, when something fails, nothing.

    A report that is there stays: the new one is `<stem>-2` and so on, one number for all its files. `hide` is the redactor that the report
    was made with: where it still finds something in the finished files, they are named `<stem>-unfinished`. Raises SaveError.
    """
    name = file_stem(options.stem or f"{report.case}-accuracy")
    stem, files, left = write_checked(folder, name, lambda stem: render(report, stem, options), options, hide)
    paths = [folder / f"{stem}.{FORMATS[name].ending}" for name in options.chosen]
    redacted = dict(hide.distinct) if hide is not None else {}
    return WrittenReports(paths=paths, files=[folder / name for name in files], redacted=redacted, left=left)


def write_checked(
    folder: Path, stem: str, make: Callable[[str], dict[str, bytes]], options: Options, hide: Redactor | None
) -> tuple[str, dict[str, bytes], list[Leftover]]:
    """As `write_numbered`, and what the second pass of `hide` finds in the files, which are then named `<stem>-unfinished`."""
    left: list[Leftover] = []
    made: dict[str, dict[str, bytes]] = {}
    if hide is not None and options.redact:
        likely = stem if options.force else _free(folder, stem, set())
        made[likely] = make(likely)
        left = check(made[likely], hide)
        stem += UNFINISHED if left else ""
    chosen, files = write_numbered(folder, stem, lambda stem: made.pop(stem, None) or make(stem), force=options.force)
    return chosen, files, left


def check(files: dict[str, bytes], hide: Redactor) -> list[Leftover]:
    """The second pass: what the rules still find in finished files."""
    from .leftovers import leftovers

    return [left for name, content in files.items() for left in leftovers(name, content, hide)]


def write_numbered(
    folder: Path, stem: str, make: Callable[[str], dict[str, bytes]], *, force: bool
) -> tuple[str, dict[str, bytes]]:
    """Write the files that `make` gives for a stem, under the stem or, where files of that stem are there, with a number, unless `force`
    replaces them. Returns the stem taken, and the files. Raises SaveError."""
    tried: set[str] = set()
    sweep(folder.glob("*_files"))  # of a report under another number, whose writer was killed
    while True:
        chosen = stem if force else _free(folder, stem, tried)
        files = make(chosen)
        old = [path for path in _beside(folder, chosen) if f"{chosen}_files/{path.name}" not in files]
        try:
            write_together(folder, files, replace=force)
        except FileExistsError:  # another process has just taken the name
            continue
        for path in old:  # of the report that was replaced
            path.unlink(missing_ok=True)
        return chosen, files


def write_project(project: Project, folder: Path, options: Options) -> WrittenReports:
    """The report of a project's session as it stands, written by `write`. Raises SaveError."""
    require_inside(folder, Path(project.case.root))
    hide = redactor(project, options)
    return write(compose(project, options, hide), folder, options, hide)


def _free(folder: Path, stem: str, tried: set[str]) -> str:
    """The stem itself, or with the first number from 2 under which nothing is in the folder."""
    try:
        names = [path.name.casefold() for path in folder.iterdir()]
    except FileNotFoundError:
        names = []
    except OSError as error:
        raise from_os_error(error, folder, SaveError) from None
    chosen = stem
    for number in count(2):
        own = chosen.casefold()
        if chosen not in tried and not any(name.startswith(f"{own}.") or name == f"{own}_files" for name in names):
            break
        chosen = f"{stem}-{number}"
    tried.add(chosen)
    return chosen


def _beside(folder: Path, stem: str) -> list[Path]:
    """The files of our own in the folder beside a report."""
    made = re.compile(r"(chart|attachment|table)-\d{3,}(\.\w+)?")
    try:
        return [path for path in (folder / f"{stem}_files").iterdir() if made.fullmatch(path.name)]
    except OSError:
        return []


def file_stem(text: str) -> str:
    """A file name, without ending, that stays within its folder: letters (of any script), digits, `.`, `_` and `-`."""
    safe = re.sub(r"[^\w.-]+", "-", text).strip(".-")
    return safe.encode()[:120].decode(errors="ignore").rstrip(".-") or "report"


class _CallableModule(ModuleType):
    """This package as a notebook calls it: accucheck.report()."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        return import_module("accucheck.notebooks").report(*given, **named)


sys.modules[__name__].__class__ = _CallableModule
