"""accucheck issue."""

from __future__ import annotations

import re

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
    say,
    set_option,
    show,
    show_json,
    speak,
    talk,
)
from .report import language_option, languages, near, redaction_options, tell_left

#: An attachment holds at least its list of files.
LEAST = 100_000
MAX_TOLD = 10  # of what was left out


def _size(context: click.Context, parameter: click.Parameter, value: str | None) -> int:
    """Bytes, from a number with or without kB, MB or GB (1000 each) or KiB, MiB, GiB (1024); 0 where nothing is given."""
    if value is None:
        return 0
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,6})?)\s*(?:([kmg])(i?)b?|b)?", value.strip(), re.I)
    if match:
        unit = (1024 if match[3] else 1000) ** " kmg".index((match[2] or " ").lower())
        if (size := int(float(match[1]) * unit)) >= LEAST:
            return size
    raise click.BadParameter(say("size", least="100kB"), context, parameter)


def _parameters() -> list[click.Parameter]:
    from ..report import FORMATS
    from ..report.trackers import known

    trackers = [tracker.name for tracker in known().trackers]
    return [
        project_argument(),
        option("--tracker", words="tracker", type=click.Choice(trackers), default=trackers[0]),
        option("--repo", words="issue-repo", default="", metavar="OWNER/NAME"),
        option("--base-url", words="base-url", default="", metavar="URL"),
        language_option(),
        option("--title", words="issue-title", default="", metavar="TEXT"),
        option("--field", words="issue-field", default=None, metavar="NAME"),
        option("--print-form", "form", words="print-form", is_flag=True),
        option("--format", "formats", words="issue-format", multiple=True, type=click.Choice(list(FORMATS))),
        option("--include", words="include", multiple=True, metavar="PATH"),
        option("--limit", words="limit", default="1MB", callback=_size, metavar="SIZE"),
        option("--zip-limit", words="zip-limit", default=None, callback=_size, metavar="SIZE"),
        option("--output", "-o", words="report-output", default=None, metavar="DIR"),
        option("--reviews", words="issue-reviews", is_flag=True),
        option("--force", words="issue-force", is_flag=True),
        *redaction_options(),
        json_option(),
        checklists_option(),
        set_option(),
    ]


@command("issue", _parameters)
def issue_(
    project: str,
    tracker: str,
    repo: str,
    base_url: str,
    spoken: str | None,
    title: str,
    field: str | None,
    form: bool,
    formats: tuple[str, ...],
    include: tuple[str, ...],
    limit: int,
    zip_limit: int,
    output: str | None,
    reviews: bool,
    force: bool,
    allow: tuple[str, ...],
    no_redact: bool,
    samples: bool,
    as_json: bool,
    checklists: tuple[str, ...],
    settings: tuple[str, ...],
) -> None:
    from pathlib import Path

    from ..project import open_project
    from ..report import Options, issue, trackers
    from ..report.bilingual import one

    if form:
        to = trackers.tracker(tracker)
        click.echo(issue.form_for_maintainers(to, issue.repository(to, repo)), nl=False)
        return
    opened = open_project(Path(project), checklists, settings, session="read")
    speak(opened.case)
    readable(opened)
    options = issue.IssueOptions(
        report=Options(
            formats=formats or issue.FORMATS,
            languages=languages(spoken),
            redact=not no_redact,
            allow=allow,
            samples=samples,
            reviews=reviews,
            force=force,
        ),
        tracker=tracker,
        repo=repo,
        base_url=base_url,
        title=title,
        include=tuple(Path(path) for path in include),
        limit=limit,
        zip_limit=zip_limit,
    )
    if field is not None:
        click.echo(issue.field_of(issue.compose_issue(opened, options), field))
        return
    talk(say("issue-begins"))  # charts take seconds
    written = issue.write_issue(opened, near(opened.reports) if output is None else Path(output), options)
    if as_json:
        show_json(issue.issue_json(written, language()))
    else:
        show(say("issue-said-title", title=written.issue.title))
        show(say("issue-said-address", address=written.address))
        for path in (written.body, written.fields, *written.attachments):
            show(str(path))
    talk(one(written.grade, language()))
    if written.issue.blanks and not as_json:
        talk(say("issue-blanks", fields=", ".join(written.issue.blanks)))
    for each in written.left_out[:MAX_TOLD]:
        talk(say("issue-left-out", path=each.path, why=issue.why(each, language())))
    if len(written.left_out) > MAX_TOLD:
        talk(say("issue-left-more", count=len(written.left_out) - MAX_TOLD))
    if written.left:
        tell_left(written.left)
    if written.left_out or written.left:
        raise SystemExit(FOUND)
