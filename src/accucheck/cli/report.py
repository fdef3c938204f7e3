"""accucheck report."""

from __future__ import annotations

import click

from .frame import checklists_option, command, language, notice_of, option, project_argument, set_option, show, speak


@command(
    "report",
    lambda: [
        project_argument(),
        option("--format", "formats", words="report-format", multiple=True, type=click.Choice(["md", "docx", "json"])),
        option("--output", "-o", words="output", default=".", metavar="DIR"),
        checklists_option(),
        set_option(),
    ],
)
def report_(
    project: str, formats: tuple[str, ...], output: str, checklists: tuple[str, ...], settings: tuple[str, ...]
) -> None:
    from pathlib import Path

    from .. import report
    from ..project import open_project

    opened = open_project(Path(project), checklists, settings, session="read")
    speak(opened)
    if opened.session is not None and opened.session.notice is not None:
        raise notice_of(opened.session)
    for path in report.write_project(opened, list(formats) or ["md", "docx"], Path(output), language()):
        show(str(path))
