"""accucheck demo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .frame import command, drawing, language, no_terminal, option, run_with_progress, say, show, show_lines

if TYPE_CHECKING:
    from pathlib import Path


@command(
    "demo",
    lambda: [
        option("--folder", words="demo-folder", default=None, metavar="FOLDER"),
        option("--ascii", "only_ascii", words="ascii", is_flag=True),
    ],
)
def demo(folder: str | None, only_ascii: bool) -> None:
    from pathlib import Path

    from ..case import require_utf8
    from ..demo import copy

    require_utf8(folder or "")
    project = copy(Path(folder) if folder is not None else None)
    try:
        if no_terminal() is not None:
            _without_screen(project)
            return
        from ..tui.app import run
        from ..tui.demo import Demo

        choice, only_ascii, notice = drawing(only_ascii)
        code = run(project, (), (), choice, only_ascii=only_ascii, notice=notice, kind=Demo)
    finally:
        click.echo(say("demo-copy", path=project.absolute()), err=True)
    show(say("demo-own"))
    raise SystemExit(code)


def _without_screen(project: Path) -> None:
    """Run all probes and write the report, and say what came of it."""
    from .. import report
    from ..demo import REPORTS, runs_code
    from ..project import open_project
    from ..report.machine import result_json
    from ..report.telling import Telling

    opened = open_project(project)
    session = opened.session
    assert session is not None
    try:
        run_with_progress(opened, opened.jobs(), [], live=runs_code())
        record, checklists = opened.outcome(opened.recorded())
        telling = Telling(record, checklists, opened.case, language())
        summary = result_json(record, checklists, opened.case, language())["summary"]
        show_lines([*telling.everything(record), *telling.end(record, summary)])
        options = report.Options(formats=report.DEFAULT.formats, languages=(language(),), full=False)
        for path in report.write_project(opened, project / REPORTS, options).paths:
            show(say("demo-report", path=path))
    finally:
        session.close()
