"""From a Session to files that people and programs read. The writers, and the libraries they need, load when they are used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SaveError, from_os_error
from ..model import Language
from ..session import Record
from ..store import write_atomically

if TYPE_CHECKING:
    from ..project import Project
    from .build import ChartPart, Report

FORMATS = ("md", "docx", "json")


def write(report: Report, formats: Sequence[str], folder: Path, stem: str = "") -> list[Path]:
    """Write the report in each of FORMATS into `folder`, each file whole or not at all; return the reports' paths.

    The files are named `<stem>.<format>`, by default `<case>-accuracy`; Markdown keeps its pictures in `<stem>_files`.
    Raises SaveError when the folder cannot be made or a file cannot be written.
    """
    stem = file_stem(stem or f"{report.case}-accuracy")
    drawn: dict[int, bytes] = {}

    def draw(part: ChartPart) -> bytes:
        from . import charts

        if id(part) not in drawn:  # Word and Markdown show the same charts
            drawn[id(part)] = charts.draw(part)
        return drawn[id(part)]

    files: dict[str, bytes] = {}
    for name in dict.fromkeys(formats):  # all are rendered before any is written
        if name == "json":
            from . import machine

            files |= machine.render(report, stem)
        elif name == "md":
            from . import markdown

            files |= markdown.render(report, stem, draw)
        elif name == "docx":
            from . import docx

            files |= docx.render(report, stem, draw)
        else:
            raise ValueError(name)
    for relative, content in files.items():
        path = folder / relative
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise SaveError("not-a-directory", path=str(path.parent)) from None
        except OSError as error:
            raise from_os_error(error, path.parent, SaveError) from None
        write_atomically(path, content)
    return [folder / f"{stem}.{name}" for name in dict.fromkeys(formats)]


def write_project(project: Project, formats: Sequence[str], folder: Path, language: Language) -> list[Path]:
    """The report of a project's session as it stands, with the environment, written by `write`."""
    from . import environment
    from .build import build

    record = project.session.record if project.session else Record()
    case = project.case
    here = None if case.alone else environment.collect(case)  # a session that came alone was not made on this machine
    built = build(record, project.checklists, case, language, here, project.stale())
    return write(built, formats, folder)


def file_stem(text: str) -> str:
    """A file name, without ending, that stays within its folder: letters (of any script), digits, `.`, `_` and `-`."""
    safe = re.sub(r"[^\w.-]+", "-", text).strip(".-")
    return safe.encode()[:120].decode(errors="ignore").rstrip(".-") or "report"
