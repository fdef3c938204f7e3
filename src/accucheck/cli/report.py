"""accucheck report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .frame import (
    FOUND,
    checklists_option,
    command,
    json_option,
    language,
    option,
    project_argument,
    readable,
    set_option,
    show,
    show_json,
    speak,
    talk,
)

if TYPE_CHECKING:
    from ..model import Language
    from ..report.leftovers import Leftover


def language_option() -> click.Option:
    return option("--language", "spoken", words="report-language", type=click.Choice(["zh", "en", "both"]))


def languages(spoken: str | None) -> tuple[Language, ...]:
    """The languages of a report: by default the one that the tool speaks."""
    from ..model import Language

    return tuple(Language) if spoken == "both" else (Language(spoken) if spoken else language(),)


def redaction_options() -> list[click.Parameter]:
    return [
        option("--allow", words="report-allow", multiple=True, metavar="TEXT"),
        option("--no-redact", words="report-no-redact", is_flag=True),
        option("--samples", words="report-samples", is_flag=True),
    ]


def _parameters() -> list[click.Parameter]:
    from ..report import FORMATS

    return [
        project_argument(),
        option("--format", "formats", words="report-format", multiple=True, type=click.Choice(list(FORMATS))),
        option("--output", "-o", words="report-output", default=None, metavar="DIR"),
        language_option(),
        option("--template", words="report-template", default=None, metavar="PATH"),
        option("--print-template", words="print-template", type=click.Choice(["md", "html"]), default=None),
        option("--full", words="report-full", is_flag=True),
        option("--force", words="report-force", is_flag=True),
        option("--since", words="report-since", default=None, metavar="A"),
        json_option(),
        *redaction_options(),
        option("--preview", words="report-preview", is_flag=True),
        checklists_option(),
        set_option(),
    ]


@command("report", _parameters)
def report_(
    project: str,
    formats: tuple[str, ...],
    output: str | None,
    spoken: str | None,
    template: str | None,
    print_template: str | None,
    full: bool,
    force: bool,
    since: str | None,
    as_json: bool,
    allow: tuple[str, ...],
    no_redact: bool,
    samples: bool,
    preview: bool,
    checklists: tuple[str, ...],
    settings: tuple[str, ...],
) -> None:
    from .. import report
    from ..project import open_project
    from .difference import side

    if print_template is not None:
        from ..report.templating import SHIPPED

        print((SHIPPED / f"report.{print_template}.j2").read_text("utf-8"), end="")
        return
    own = Path(template) if template is not None else None
    opened = open_project(Path(project), checklists, settings, session="read")
    speak(opened.case)
    readable(opened)
    options = report.Options(
        formats=formats or (report.DEFAULT.formats if own is None else ()),
        languages=languages(spoken),
        template=own,
        force=force,
        since=side(since) if since is not None else None,
        redact=not no_redact,
        allow=allow,
        samples=samples,
        full=full,
    )
    if preview:
        found = report.preview(opened, options)
        if as_json:
            show_json(found._asdict())
            return
        for line in found.lines(language()):
            show(line)
        return
    written = report.write_project(opened, near(opened.reports) if output is None else Path(output), options)
    if as_json:
        paths = {"reports": written.paths, "files": written.files}
        told = {name: [str(path) for path in each] for name, each in paths.items()}
        show_json({**told, "redacted": written.redacted, "left": written.left})
    else:
        for path in written.paths:
            show(str(path))
    if written.left:
        tell_left(written.left)
        raise SystemExit(FOUND)


def near(folder: Path) -> Path:
    """A folder as it is named from here, where it lies below."""
    from contextlib import suppress

    with suppress(
        ValueError, FileNotFoundError
    ):  # it lies elsewhere, or somebody has removed the folder that this was started in
        return folder.relative_to(folder.cwd())
    return folder


def tell_left(left: list[Leftover]) -> None:
    """What the second pass of the redaction found."""
    from ..report.leftovers import unfinished

    for line in unfinished(left, language()):
        talk(line)
