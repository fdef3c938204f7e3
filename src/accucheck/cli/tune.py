"""accucheck tune."""

from __future__ import annotations

import re
import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from ..language import visible
from .frame import (
    OK,
    PROBE_FAILED,
    Argument,
    checklists_option,
    columns_of,
    command,
    json_option,
    language,
    no_nan,
    option,
    project_option,
    run_with_progress,
    say,
    set_option,
    show,
    show_json,
    show_lines,
    status_line,
    talk,
)
from .try_ import folder_in, opened_to_train, split_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import ProbeResult
    from ..project import Project
    from ..search_runs import Goal, StudyProgress, StudyRunner
    from ..study_results import StudyResults, Trial

#: Bytes; trials where nothing bounds the search; faults that are named.
_MEGABYTE, _TRIALS, _NAMED = 1 << 20, 20, 5
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def _duration(context: click.Context, parameter: click.Parameter, value: str | None) -> float:
    """Seconds of a text such as 90, 30m or 2h."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", (value or "0").strip().lower())
    if found is None or found[2] not in _UNITS or (value is not None and not float(found[1])):
        raise click.BadParameter(say("tune-time-wrong", text=value), context, parameter)
    return float(found[1]) * _UNITS[found[2]]


@command(
    "tune",
    lambda: [
        project_option(),
        Argument("command", words="tune-command", nargs=-1, metavar="[-- COMMAND]", type=click.UNPROCESSED),
        option("--search", "searches", words="tune-search", multiple=True, metavar="NAME=VALUES"),
        option("--metric", words="tune-metric", default="", metavar="NAME"),
        option("--direction", words="tune-direction", type=click.Choice(["max", "min"]), default=None),
        option("--trials", words="tune-trials", type=click.IntRange(1, 100_000), default=None, metavar="N"),
        option("--epochs", words="tune-epochs", type=click.IntRange(0), default=0, metavar="N"),
        option("--time", "seconds_in_all", words="tune-time", default=None, metavar="TIME", callback=_duration),
        option("--seeds", words="tune-seeds", type=click.IntRange(1, 9), default=2, metavar="N"),
        option("--pruner", words="tune-pruner", type=click.Choice(["median", "hyperband", "none"]), default="median"),
        option("--storage", words="tune-storage", default="", metavar="URL"),
        option("--study", words="tune-study", default="", metavar="NAME"),
        option("--evaluate", words="try-evaluate", default=None, metavar="CMD"),
        option(
            "--seconds", words="tune-seconds", type=click.FloatRange(0, 1e7), default=0, metavar="N", callback=no_nan
        ),
        option("--disk", words="try-disk", type=click.IntRange(1, 1 << 20), default=2048, metavar="MB"),
        option("--live", words="try-live", is_flag=True),
        option("--force", words="tune-force", is_flag=True),
        option("--show", "only_show", words="tune-show", is_flag=True),
        checklists_option(),
        set_option(),
        json_option(),
    ],
)
def tune(**given: Any) -> None:
    from ..study_results import judge
    from .progress import stoppable

    opened = opened_to_train({**given, "scripts": ()})
    session = opened.session
    assert session is not None
    try:
        if given["only_show"]:
            _show_kept(opened, as_json=given["as_json"])
            return
        tuning = _tuning(opened, given)
        if not given["force"]:
            _require_sound(opened)
        with stoppable() as stop:
            found = _run(opened, tuning, stop.asked)
    finally:
        session.close()
    _print(found, as_json=given["as_json"])
    if found.study:
        talk(say("tune-study-is", study=found.study, storage=found.storage))
    stop.end()
    raise SystemExit(OK if judge(found).verdict != "none" else PROBE_FAILED)


def _show_kept(opened: Project, *, as_json: bool) -> None:
    from ..errors import UserError

    session = opened.session
    assert session is not None
    if session.record.tuned is None:
        raise UserError("tune-none")
    _print(session.record.tuned, as_json=as_json)


# --- what is to be done -------------------------------------------------------------------------------------------------


def _tuning(opened: Project, given: dict[str, Any]) -> StudyRunner:
    """The search as it is asked for. Raises UserError where nobody has agreed to the command, or where what is searched stands "
    "nowhere."""
    from pathlib import Path

    from .. import consent
    from ..errors import UserError
    from ..guidance import startable
    from ..search_runs import StudyRunner
    from ..try_runs import want

    command = given["command"] or startable(opened)
    evaluation = None if given["evaluate"] is None else split_command(given["evaluate"])
    folder = folder_in(opened)
    bounds = {"seconds": given["seconds"], "disk": given["disk"] * _MEGABYTE, "folder": folder}
    wanted = want(opened.case, command, evaluation, **bounds)
    goal = _goal(opened, list(wanted.command), Path(opened.case.root, folder), given)
    if not (given["live"] or given["command"] or consent.granted_command(opened.case, [*command])):
        raise UserError("try-consent", command=shlex.join(command))
    return StudyRunner(opened.case, wanted, goal)


def _goal(opened: Project, command: list[str], folder: Any, given: dict[str, Any]) -> Goal:
    from .. import search_space, studies
    from ..search_runs import Goal

    studies.require_known(given["storage"])
    spaces = [search_space.parse(text) for text in given["searches"]] or search_space.of_case(opened.case)
    search = search_space.bind(opened.case, command, spaces, folder)
    bounded = given["epochs"] or given["seconds_in_all"]
    return Goal(
        search,
        trials=given["trials"] or (0 if bounded else _TRIALS),
        epochs=given["epochs"],
        seconds=given["seconds_in_all"],
        metric=given["metric"] or opened.case.spec.tune.metric or "",
        least=None if given["direction"] is None else given["direction"] == "min",
        seeds=given["seeds"],
        pruner=given["pruner"],
        storage=given["storage"],
        study=given["study"],
    )


def _require_sound(opened: Project) -> None:
    """Refuse to search while faults are known that no setting mends: of the static probes, run now, and of what is recorded of others.
    Raises UserError."""
    from ..errors import UserError
    from ..model import Kind
    from ..report.machine import Speech
    from ..search_runs import faults

    session = opened.session
    assert session is not None
    fresh: list[tuple[str, ProbeResult]] = []
    run_with_progress(opened, opened.jobs((), {Kind.STATIC}), fresh)
    recorded = [(item, result) for item, result in opened.recorded() if result.kind is not Kind.STATIC]
    found = [(item, session.entry(item).weighed.get(result.probe, result)) for item, result in fresh]
    known = faults([*found, *recorded], opened.settled())
    if not known:
        return
    for item, probe, finding in known[:_NAMED]:
        where, text = finding.where, Speech(language()).message(probe, finding.code, finding.data)
        place = f"{where.path}:{where.line}" if where.path and where.line else where.path or ""
        click.echo(visible(" ".join(filter(None, ["-", item, place, text]))), err=True)
    if len(known) > _NAMED:
        click.echo(f"... (+{len(known) - _NAMED})", err=True)
    raise UserError("tune-faults", count=len(known))


# --- running and showing ------------------------------------------------------------------------------------------------


def _run(opened: Project, tuning: StudyRunner, asked: Any) -> StudyResults:
    """Run the study, saying on stderr how far it is; each result is kept at once."""
    from threading import Thread

    session = opened.session
    assert session is not None

    def stop() -> None:
        asked.wait()
        tuning.stop()

    with status_line() as line:
        tuning.begins, tuning.far, tuning.tell = _tellers(opened, tuning, line)
        talk(say("tune-command-is", command=shlex.join(tuning.wanted.command)))
        Thread(target=stop, daemon=True).start()
        found = tuning.run()
    if found.trials and not session.read_only:
        session.keep_tuned(found)
    return found


def _tellers(opened: Project, tuning: StudyRunner, line: Callable[[str], None]) -> tuple[Any, Any, Any]:
    from .. import metering, study_results

    session, shown = opened.session, language()
    assert session is not None

    def begins(trial: Trial, far: StudyProgress) -> None:
        line("")
        if tuning.is_for_metric:
            foreseen = metering.foreseen(opened.case)
            talk(say("tune-foreseen" if foreseen else "tune-unforeseen", **foreseen))
        what = study_results.label(trial, shown)
        count = f"{far.done + 1}/{far.of}" if far.of else f"{far.done + 1}"
        talk(say("tune-begins", count=count, what=what, left=_left(far.left)))

    def far(now: StudyProgress) -> None:
        line(say("tune-far", epoch=now.epoch, value=study_results.number(now.value) or "-", left=_left(now.left)))

    def tell(trial: Trial, known: StudyResults) -> None:
        line("")
        if not session.read_only:
            session.keep_tuned(known)
        best = next((one for one in study_results.ranked(known) if one.whole), None)
        data = {
            "value": study_results.number(trial.value) or "-",
            "result": study_results.say(trial.ended, shown, code=trial.code, metric=known.metric),
        }
        told = say("tune-done", seconds=trial.seconds, epochs=trial.epochs, metric=known.metric, **data)
        if best is not None and best.number != trial.number:
            told = say("tune-done-best", told=told, best=study_results.number(best.value), number=best.number)
        talk(told)

    return begins, far, tell


def _left(seconds: float | None) -> str:
    if seconds is None:
        return say("tune-left-unknown")
    if seconds < 90:
        return say("tune-left-seconds", count=int(seconds))
    if seconds < 5400:
        return say("tune-left-minutes", count=round(seconds / 60))
    return say("tune-left-hours", count=f"{seconds / 3600:.1f}")


def _print(found: StudyResults, *, as_json: bool) -> None:
    from .. import study_results
    from ..language import aligned

    shown = language()
    if as_json:
        show_json(study_results.as_json(found, shown))
        return
    if not found.trials:
        return
    only_ascii = "utf" not in (sys.stdout.encoding or "ascii").lower()
    lines = study_results.lines(found, shown)
    what_came = len(lines[0]) - 1  # the last column gives way where the terminal is narrow
    for line in aligned(lines, columns_of(sys.stdout), gives=[what_came]):
        show(line)
    left = len(found.trials) - study_results.SHOWN
    if left > 0:
        show(study_results.say("more", shown, count=left))
    for part in (
        study_results.parallel(found, shown, only_ascii=only_ascii),
        study_results.weights(found, shown, only_ascii=only_ascii),
    ):
        if part:
            show("")
            for line in part:
                show(line)
    show("")
    show_lines([study_results.verdict(found, shown)])
    for line in study_results.advice(found, shown):
        show(line)
    sys.stdout.flush()
    for note in study_results.notes(found, shown):
        talk(note)
