"""accucheck run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from .frame import (
    FOUND,
    NOTHING_RAN,
    OK,
    PROBE_FAILED,
    WRONG_USE,
    Argument,
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
    show_json,
    show_lines,
    speak,
    talk,
    talk_of,
    talk_of_taken,
)

if TYPE_CHECKING:
    from pathlib import Path

    from ..checklist import Checklist
    from ..engine import Finished, Job
    from ..model import ProbeResult
    from ..project import Project
    from ..session import Record


#: What a run prints, and what it can write beside that.
FORMATS = ["text", "lines", "json", "sarif", "junit"]


def _also(_: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """FORMAT=FILE, apart."""
    found = tuple((form, file) for form, _, file in (text.partition("=") for text in given))
    for form, file in found:
        if form not in FORMATS[1:] or not file:
            raise click.BadParameter(say("also-form", given=f"{form}={file}" if file else form), param=parameter)
    return found


@command(
    "run",
    lambda: [
        project_argument(),
        Argument("command", words="run-command", nargs=-1, metavar="[-- COMMAND]", type=click.UNPROCESSED),
        option("--script", "scripts", words="script", multiple=True, metavar="PATH"),
        option("--kind", "kinds", words="kind", multiple=True, type=click.Choice(["static", "file", "live"])),
        option("--live", words="live", is_flag=True),
        option("--remote", words="remote", is_flag=True),
        checklists_option(),
        option("--only", words="only-items", multiple=True, metavar="ITEM"),
        option("--probe", "named", words="run-probe", multiple=True, metavar="NAME"),
        option("--fast", words="fast", is_flag=True),
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
            type=click.Choice(FORMATS),
            default="text",
        ),
        json_option(),
        option("--also", words="also", multiple=True, metavar="FORMAT=FILE", callback=_also),
        option("--baseline", words="baseline", default=None, metavar="FILE"),
        option("--write-baseline", "new_baseline", words="write-baseline", default=None, metavar="FILE"),
    ],
)
def run_(**given: Any) -> None:
    perform(RunOptions(**given))


def perform(asked: RunOptions) -> NoReturn:
    """Run what is asked for and print it; raises SystemExit with the exit code."""
    from ..errors import SaveError
    from .progress import stoppable

    _refuse(asked)
    opened, unsaved, before = None, None, None
    results: list[tuple[str, Any]] = []
    telling: _Telling | None = None
    stop = None
    chosen: list[str] = []
    try:
        opened = _open(asked)
        before = opened.session.record if opened.session is not None else None
        chosen, jobs = _chosen(opened, asked)
        telling = _Telling(opened, jobs, results, chosen) if asked.told else None
        with stoppable() as stop:
            run_with_progress(
                opened,
                jobs,
                results,
                tell=telling.finished if telling is not None else lambda _: (),
                live=asked.live,
                timeout=asked.timeout,
                cancel=stop.asked,
                parallel=asked.jobs,
                scheduler=asked.scheduler,
            )
    except SaveError as error:
        unsaved = error.text(language())
        unsaved = say("unwritable", text=unsaved) if asked.session_optional else unsaved
    finally:
        if opened is not None and opened.session is not None:
            opened.session.close()
    code = OK
    if opened is not None:
        if asked.new_baseline is not None:
            _write_baseline(opened, asked.new_baseline, results)
        code = _print_outcome(opened, asked, results, chosen, telling, before)
        _say_what_is_aside(opened, results, chosen)
        _say_how_to_go_on(opened, asked, code)
    if unsaved is not None:
        talk(unsaved)
        raise SystemExit(WRONG_USE)
    if stop is not None:
        stop.end()
    raise SystemExit(code)


class RunOptions(NamedTuple):
    """What the command line asks of a run: its options by name."""

    project: str = "."
    scripts: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    live: bool = False
    remote: bool = False
    checklists: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    fast: bool = False
    settings: tuple[str, ...] = ()
    jobs: int = 1
    scheduler: str | None = None
    timeout: float | None = None
    fail_on: str = "problem"
    exit_zero: bool = False
    no_session: bool = False
    #: Whether the command that asks has an option --no-session.
    session_optional: bool = True
    differing: bool = False
    stale: bool = False
    form: str = "text"
    as_json: bool = False
    command: tuple[str, ...] = ()
    also: tuple[tuple[str, str], ...] = ()
    baseline: str | None = None
    new_baseline: str | None = None

    @property
    def format(self) -> str:
        return "json" if self.as_json else self.form

    @property
    def told(self) -> bool:
        """Whether results are told while the run goes on."""
        return self.format == "text" and not (self.differing or self.stale)


def _refuse(asked: RunOptions) -> None:
    """Raise UsageError for options that do not go together."""
    if asked.differing and asked.no_session:
        raise click.UsageError(say("diff-needs-session"))
    if asked.stale and asked.no_session:
        raise click.UsageError(say("stale-needs-session"))
    if asked.differing and asked.form in ("lines", "sarif", "junit"):
        raise click.UsageError(say("diff-format"))


def _open(asked: RunOptions) -> Project:
    """The project, with what is to be said of it."""
    from pathlib import Path

    from ..case import redacted
    from ..project import open_project

    path = Path(asked.project)
    settings = (*_command_settings(path, asked), *asked.settings, *script_settings(path, asked.scripts))
    session = "none" if asked.no_session else "write"
    opened = open_project(path, asked.checklists, settings, session=session, take=True, anew=not asked.stale)
    speak(opened.case)
    if opened.session is not None and not asked.stale:
        # An address with a name, a password or a query is not written down: it has to be said again.
        kept = [setting for setting in settings if redacted(setting) == setting]
        opened.session.keep_settings(() if opened.case.file else kept)
    if asked.remote:
        opened.agree()
    if asked.baseline is not None:
        from ..suppressing import baseline

        opened.baseline = baseline(Path(asked.baseline))
    if opened.session is not None:
        talk_of(opened.session)
        if opened.session.read_only:
            talk(say("locked", holder=opened.session.holder))
    talk_of_taken(opened)
    return opened


def _command_settings(project: Path, asked: RunOptions) -> list[str]:
    """The command that the user starts the training with, and the script that it starts, as settings of the case.

    Raises UserError where it starts no Python script that is there.
    """
    import json
    import shlex

    from ..errors import UserError
    from ..script.command import read

    if not asked.command:
        return []
    text = shlex.join(asked.command)
    started = read(text, project if project.is_dir() else project.parent)
    if started is None:
        raise UserError("command-script", command=text)
    scripts = () if asked.scripts else (str(started.script),)
    return [f"runtime.command={json.dumps(text, ensure_ascii=False)}", *script_settings(project, scripts)]


def _chosen(opened: Project, asked: RunOptions) -> tuple[list[str], list[Job]]:
    """The items that are shown, none where all are, and the jobs to run."""
    from ..model import Kind

    again = opened.stale() if asked.stale else None
    only = opened.named(asked.only)
    jobs = opened.jobs(only, {Kind(kind) for kind in asked.kinds}, again)
    if asked.stale and not jobs:
        talk(say("stale-none"))
    if asked.named:
        _require_probes(opened, asked.named)
        jobs = [job for job in jobs if job.probe in asked.named]
        only = list(dict.fromkeys(job.item for job in jobs)) or only
    if asked.fast:
        jobs = _fast(opened, jobs, live=asked.live)
    return only, jobs


def _require_probes(opened: Project, names: tuple[str, ...]) -> None:
    """Raise UserError for a name that is no probe, or a probe that no item of these checklists has."""
    from ..errors import UserError
    from ..probe import load

    used = {use.name for item in opened.items for use in item.uses}
    for name in names:
        if name not in used:
            load(name)
            raise UserError("probe-unused", name=name, checklists=", ".join(each.name for each in opened.checklists))


def _fast(opened: Project, jobs: list[Job], *, live: bool) -> list[Job]:
    """The jobs that most likely end soon; what is left out is said."""
    from ..estimating import FAST, expected

    times = dict(zip(jobs_named(jobs), expected(opened, jobs, live=live), strict=True))
    slow = [name for name, each in times.items() if each is not None and not each.fast]
    if slow:
        probes = ", ".join(dict.fromkeys(probe for _, probe in slow))
        talk(say("fast-left", seconds=int(FAST), count=len(slow), probes=probes))
    return [job for job in jobs if (job.item, job.probe) not in slow]


def jobs_named(jobs: list[Job]) -> list[tuple[str, str]]:
    return [(job.item, job.probe) for job in jobs]


class _Telling:
    """Tells the results of a run while it goes on: what is wrong when all probes of a kind have looked at an item, the rest when it is
    done."""

    def __init__(self, project: Project, jobs: list[Job], results: list[tuple[str, Any]], only: list[str]) -> None:
        from collections import Counter

        from ..probe import loaded
        from ..report.telling import Telling

        self._project, self._results, self._only = project, results, only
        self._kinds = {job.probe: getattr(loaded(job.probe), "KIND", None) for job in jobs}
        self._left = Counter((job.item, self._kinds[job.probe]) for job in jobs)
        self._items = {item.id: item for item in project.items}
        self._waiting: dict[str, list[ProbeResult]] = {}
        record, checklists = project.outcome([], only)
        self._telling = Telling(record, checklists, project.case, language())

    def finished(self, event: Finished) -> list[str]:
        """The lines to print now."""
        from ..model import Level

        item, kind = event.job.item, self._kinds[event.job.probe]
        self._left[item, kind] -= 1
        waiting = self._waiting.setdefault(item, [])
        waiting.append(event.result)
        done = not any(count for (each, _), count in self._left.items() if each == item)
        wrong = any(finding.level is not Level.INFO for result in waiting for finding in result.findings)
        if not done and (self._left[item, kind] or not wrong):
            return []
        del self._waiting[item]
        record, _ = self._project.outcome(self._results, self._only)
        return self._telling.item(record, self._items[item], waiting, done=done)

    def end(self, record: Record, summary: dict[str, dict[str, int]]) -> list[str]:
        """What was left out, where each item stands, and the counts."""
        return self._telling.end(record, summary)

    def everything(self, record: Record) -> list[str]:
        """All that is recorded, in the order of the checklists."""
        return self._telling.everything(record)


def _print_outcome(
    project: Project,
    asked: RunOptions,
    results: list[tuple[str, Any]],
    only: list[str],
    telling: _Telling | None,
    before: Record | None,
) -> int:
    """Print what a run gave, as far as it was not told meanwhile; the exit code."""
    from pathlib import Path

    from ..report.machine import result_json

    record, checklists = project.outcome(project.recorded() if asked.stale else results, only)
    outcome = result_json(record, checklists, project.case, language())
    code = _exit_code(outcome, asked.fail_on, exit_zero=asked.exit_zero)
    if before is not None and asked.differing:
        _print_difference(project, results, before, as_json=asked.format == "json")
    elif asked.format == "text":
        telling = telling or _Telling(project, [], results, only)
        show_lines([*(telling.everything(record) if asked.stale else ()), *telling.end(record, outcome["summary"])])
    else:
        with heard():
            sys.stdout.buffer.write(_for_programs(record, checklists, project, outcome, asked.format, code))
    for form, file in asked.also:
        _write(Path(file), _for_programs(record, checklists, project, outcome, form, code))
    return code


def _for_programs(
    record: Record, checklists: list[Checklist], project: Project, outcome: dict[str, Any], form: str, code: int
) -> bytes:
    """What a run gave in one of FORMATS but text."""
    from ..report import junit, lines, sarif
    from ..report.build import build
    from ..report.machine import encode

    if form == "json":
        return encode(outcome)
    if form == "lines":
        return "".join(f"{line}\n" for line in lines.lines(outcome, project.case)).encode("utf-8", "backslashreplace")
    built = build(record, checklists, project.case, language(), None)
    return sarif.encode(built, code) if form == "sarif" else junit.encode(built)


def _write(file: Path, content: bytes) -> None:
    """Write a file that the person named, whole or not at all, and through no link that leads out of a project. Raises SaveError."""
    from ..store import require_outside_links, write_together

    require_outside_links(file)
    write_together(file.parent, {file.name: content}, replace=True)


def _write_baseline(project: Project, name: str, results: list[tuple[str, Any]]) -> None:
    """Write what was found as a baseline; from then on it is known, in this run too."""
    from pathlib import Path

    from ..suppressing import baseline, written

    file = Path(name)
    _write(file, written(project.case.name, results))
    project.baseline = baseline(file)


def _say_what_is_aside(project: Project, results: list[tuple[str, Any]], only: list[str]) -> None:
    """How many findings do not count as somebody has set them aside, and which comments set nothing aside for want of a reason."""
    record, _ = project.outcome(results, only)
    found = [
        finding.suppressed.kind
        for entry in record.entries.values()
        for result in entry.results.values()
        for finding in result.findings
        if finding.suppressed is not None
    ]
    if found:
        talk(say("set-aside", inline=found.count("inline"), baseline=found.count("baseline")))
    for path, line in project.inline.unfounded:
        talk(say("no-reason", place=f"{path}:{line}"))


def _say_how_to_go_on(project: Project, asked: RunOptions, code: int) -> None:
    """How to keep what was taken for the case, and what to give where nothing could run."""
    found = project.survey
    folder = "" if asked.project == "." else f" {asked.project}"
    if project.case.taken:
        talk(say("run-keep", command=f"accucheck init{folder}"))
    elif code == NOTHING_RAN and found is not None and not found.projects:
        talk(say("run-nothing", path=asked.project))


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


def _exit_code(outcome: dict[str, Any], fail_on: str, *, exit_zero: bool) -> int:
    """0 nothing, 1 what `fail_on` names or worse was found, 3 a probe failed, 4 no probe ran, which is no success however it is asked for.
    A skipped probe counts as one that did not run."""
    probes = outcome["summary"]["probes"]
    if exit_zero:
        return OK if probes["done"] or probes["failed"] else NOTHING_RAN
    if _found(outcome, fail_on):
        return FOUND
    if probes["failed"]:
        return PROBE_FAILED
    return OK if probes["done"] else NOTHING_RAN


def _found(outcome: dict[str, Any], fail_on: str) -> bool:
    """Whether there is what `fail_on` names, or worse."""
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
    return any(found for grade, found in grades.items() if list(grades).index(grade) <= list(grades).index(fail_on))
