"""accucheck path."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from .frame import (
    checklists_option,
    command,
    json_option,
    language,
    option,
    project_argument,
    readable,
    say,
    set_option,
    show,
    show_json,
    speak,
    talk,
)

if TYPE_CHECKING:
    from pathlib import Path


@command(
    "path",
    lambda: [
        project_argument(),
        json_option(),
        option("--output", "-o", words="path-output", default=None, metavar="DIR"),
        option("--write", words="path-write", is_flag=True),
        checklists_option(),
        set_option(),
    ],
)
def path_(
    project: str,
    as_json: bool,
    output: str | None,
    write: bool,
    checklists: tuple[str, ...],
    settings: tuple[str, ...],
) -> None:
    from pathlib import Path

    from ..checklist import load, shipped
    from ..errors import UserError
    from ..path import walk
    from ..project import open_project
    from ..report.machine import path_json, path_text

    known = [name for name in shipped() if load(name).ends]
    opened = open_project(Path(project), checklists or known, settings, session="read")
    speak(opened.case)
    session = readable(opened)
    if write:
        opened.need_project()
        _name_collected(opened)
    paths = []
    for checklist in opened.checklists:
        path = walk(checklist, session.record, opened.case)
        if path is None:
            raise UserError("no-path", name=checklist.name, known=", ".join(known))
        paths.append(path)
    if as_json:
        walked = [path_json(path, opened.case, language()) for path in paths]
        show_json({"version": 1, "case": opened.case.name, "paths": walked})
    else:
        stale = {item for item, _ in opened.stale()}
        for line in (
            line for path in paths for line in path_text(path, session.record, opened.case, language(), stale)
        ):
            show(line)
    if output is not None:
        _write_code(paths, opened.case, Path(output))


def _name_collected(opened: Any) -> None:
    """Into accucheck.yaml with what the snippets wrote and it does not name."""
    from ..case import FILE_NAME, extend
    from ..path import collected

    values = {key: path for checklist in opened.checklists for key, path in collected(checklist, opened.case).items()}
    for key, path in values.items():
        talk(f"{key}: {path}")
    if not values:
        talk(say("path-write-none"))
    elif not sys.stdin.isatty() or click.confirm(say("path-write-sure", path=opened.case.file or FILE_NAME), err=True):
        opened.case = extend(opened.case, values)


def _write_code(paths: list[Any], case: Any, folder: Path) -> None:
    """The code that collects what is lacking where each path stands; existing files are refused."""
    from ..errors import SaveError, from_os_error
    from ..path import frameworks, script, uncollected, wanted
    from ..store import write_new

    written = 0
    for path in paths:
        lacking = uncollected(wanted(path.checklist, path.here, case)) if path.here else []
        for framework in frameworks(lacking):
            target = folder / f"collect_{path.here.id}_{framework}.py"
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise from_os_error(error, folder, SaveError) from None
            write_new(target, script(lacking, framework, language()).encode())
            talk(str(target))
            written += 1
    if not written:
        talk(say("path-nothing"))
