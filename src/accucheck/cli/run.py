"""accucheck run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from .frame import (
    FOUND,
    OK,
    PROBE_FAILED,
    WRONG_USE,
    checklists_option,
    command,
    echo,
    heard,
    json_option,
    language,
    no_nan,
    option,
    project_argument,
    run_with_progress,
    say,
    script_settings,
    set_option,
    show,
    show_json,
    speak,
    talk,
    talk_of,
)

if TYPE_CHECKING:
    from ..checklist import Checklist
    from ..engine import Job
    from ..project import Project
    from ..session import Record


@command(
    "run",
    lambda: [
        project_argument(),
        option("--script", "scripts", words="script", multiple=True, metavar="PATH"),
        option("--kind", "kinds", words="kind", multiple=True, type=click.Choice(["static", "file", "live"])),
        option("--live", words="live", is_flag=True),
        option("--remote", words="remote", is_flag=True),
        checklists_option(),
        option("--only", words="only", multiple=True, metavar="ITEM"),
        set_option(),
        option("--jobs", words="jobs", type=click.IntRange(1, 64), default=1, metavar="N"),
        option("--scheduler", words="scheduler", default=None, metavar="ADDRESS"),
        option(
            "--timeout",
            words="timeout",
            type=click.FloatRange(min=0.1),
            default=None,
            metavar="N",
            callback=no_nan,
        ),
        option(
            "--fail-on",
            words="fail-on",
            type=click.Choice(["problem", "suspect", "undecided", "unanswered"]),
            default="problem",
        ),
        option("--exit-zero", words="exit-zero", is_flag=True),
        option("--no-session", words="no-session", is_flag=True),
        option("--diff", "differing", words="run-diff", is_flag=True),
        option("--stale", words="run-stale", is_flag=True),
        option(
            "--format",
            "form",
            words="format",
            type=click.Choice(["text", "json", "sarif", "junit"]),
            default="text",
        ),
        json_option(),
    ],
)
def run_(
    project: str,
    scripts: tuple[str, ...],
    kinds: tuple[str, ...],
    live: bool,
    remote: bool,
    checklists: tuple[str, ...],
    only: tuple[str, ...],
    settings: tuple[str, ...],
    jobs: int,
    scheduler: str | None,
    timeout: float | None,
    fail_on: str,
    exit_zero: bool,
    no_session: bool,
    differing: bool,
    stale: bool,
    form: str,
    as_json: bool,
) -> None:
    from pathlib import Path

    from ..errors import SaveError
    from ..model import Kind
    from ..project import open_project
    from ..report.machine import result_json

    if differing and no_session:
        raise click.UsageError(say("diff-needs-session"))
    if stale and no_session:
        raise click.UsageError(say("stale-needs-session"))
    if differing and form in ("sarif", "junit"):
        raise click.UsageError(say("diff-format"))
    opened, unsaved, before = None, None, None
    results: list[tuple[str, Any]] = []
    try:
        settings = (*settings, *script_settings(Path(project), scripts))
        opened = open_project(Path(project), checklists, settings, session="none" if no_session else "write")
        speak(opened)
        if remote:
            opened.agree()
        if opened.session is not None:
            talk_of(opened.session)
            if opened.session.read_only:
                talk(say("locked", holder=opened.session.holder))
            before = opened.session.record
        again = opened.stale() if stale else None
        todo = opened.jobs(only, {Kind(kind) for kind in kinds}, again)
        if stale and not todo:
            talk(say("stale-none"))
        _tell_time(opened, todo, live=live, parallel=jobs)
        run_with_progress(opened, todo, results, live=live, timeout=timeout, parallel=jobs, scheduler=scheduler)
    except SaveError as error:
        unsaved = say("unwritable", text=error.text(language()))
    finally:
        if opened is not None and opened.session is not None:
            opened.session.close()
    if opened is not None:
        shown = opened.recorded() if stale else results
        record, chosen = opened.outcome(shown, only)
        outcome = result_json(record, chosen, opened.case, language())
        code = OK if exit_zero else _exit_code(outcome, fail_on)
        if before is not None and differing:
            _print_difference(opened, results, before, as_json=as_json or form == "json")
        else:
            _print_outcome(opened, record, chosen, outcome, "json" if as_json else form, code)
    if unsaved is not None:
        talk(unsaved)
        raise SystemExit(WRONG_USE)
    raise SystemExit(code)


#: A run that may take longer than this many seconds is announced.
_LONG = 30


def _tell_time(project: Project, jobs: list[Job], *, live: bool, parallel: int) -> None:
    """Say on a terminal how long the run will most likely take, where that is long."""
    if not sys.stderr.isatty():
        return
    from ..estimating import estimate

    found = estimate(project, jobs, live=live, parallel=parallel)
    if found.high is None or found.high > _LONG:
        talk(say("run-estimate", estimate=found.text(language())))


def _print_outcome(
    project: Project, record: Record, checklists: list[Checklist], outcome: dict[str, Any], form: str, code: int
) -> None:
    """Print what a run gave, as text for people or as others read it."""
    from ..report import junit, machine, sarif
    from ..report.build import build

    if form == "json":
        show_json(outcome)
        return
    built = build(record, checklists, project.case, language(), None)
    if form == "text":
        for line in machine.summary_text(built):
            show(line)
    else:
        with heard():
            sys.stdout.buffer.write(sarif.encode(built, code) if form == "sarif" else junit.encode(built))


def _print_difference(project: Project, results: list[tuple[str, Any]], before: Record, *, as_json: bool) -> None:
    """What the probes of this run say now that they, or others, did not say before."""
    from ..difference import compare, of_record, taken_by
    from ..report import since

    assert project.session is not None
    jobs = {(item, result.probe) for item, result in results}
    named = {"diff-recorded": before, "diff-this-run": project.session.record}
    difference = compare(*(of_record(say(name), taken_by(record, jobs)) for name, record in named.items()))
    if as_json:
        show_json(since.as_json(difference, language()))
    else:
        for line in since.text(difference, project.checklists, language()):
            echo(line)


def _exit_code(outcome: dict[str, Any], fail_on: str) -> int:
    """0 nothing, 1 what `fail_on` names or worse was found, 3 a probe failed. A skipped probe never counts."""
    findings = [f for item in outcome["items"] for result in item["results"] for f in result["findings"]]
    suggestions = [item["suggestion"] for item in outcome["items"] if item["results"]]
    grades = {
        "problem": any(finding["level"] == "problem" for finding in findings) or "problem" in suggestions,
        "suspect": any(finding["level"] == "suspect" for finding in findings),
        "undecided": any(
            item["suggestion"] == "undecided" and any(r["status"] != "skipped" for r in item["results"])
            for item in outcome["items"]
        ),
        "unanswered": any(item["conclusion"] is None for item in outcome["items"]),
    }
    for grade, found in grades.items():
        if found:
            return FOUND
        if grade == fail_on:
            break
    return PROBE_FAILED if outcome["summary"]["probes"]["failed"] else OK
