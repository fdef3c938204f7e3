"""accucheck report."""

from __future__ import annotations

import click

from .frame import checklists_option, command, language, notice_of, option, project_argument, set_option, show, speak


def _parameters() -> list[click.Parameter]:
    from ..report import FORMATS

    return [
        project_argument(),
        option("--format", "formats", words="report-format", multiple=True, type=click.Choice(list(FORMATS))),
        option("--output", "-o", words="output", default=".", metavar="DIR"),
        option("--language", "spoken", words="report-language", type=click.Choice(["zh", "en", "both"])),
        option("--force", words="report-force", is_flag=True),
        option("--since", words="report-since", default=None, metavar="A"),
        checklists_option(),
        set_option(),
    ]


@command("report", _parameters)
def report_(
    project: str,
    formats: tuple[str, ...],
    output: str,
    spoken: str | None,
    force: bool,
    since: str | None,
    checklists: tuple[str, ...],
    settings: tuple[str, ...],
) -> None:
    from pathlib import Path

    from .. import report
    from ..model import Language
    from ..project import open_project
    from .difference import side

    opened = open_project(Path(project), checklists, settings, session="read")
    speak(opened)
    if opened.session is not None and opened.session.notice is not None:
        raise notice_of(opened.session)
    options = report.Options(
        formats=formats or report.DEFAULT.formats,
        languages=tuple(Language) if spoken == "both" else (Language(spoken) if spoken else language(),),
        force=force,
        since=side(since) if since is not None else None,
    )
    for path in report.write_project(opened, Path(output), options).paths:
        show(str(path))
