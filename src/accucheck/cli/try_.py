"""accucheck try."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from .frame import (
    OK,
    PROBE_FAILED,
    Argument,
    checklists_option,
    command,
    json_option,
    language,
    no_nan,
    option,
    project_option,
    run_with_progress,
    say,
    script_settings,
    set_option,
    show,
    show_json,
    speak,
    talk,
    talk_of,
    talk_of_taken,
)

if TYPE_CHECKING:
    from ..model import ProbeResult
    from ..project import Project
    from ..try_results import Trial, TryResults
    from ..try_runs import Patch, TryRequest, TryRunner

#: Bytes.
_MEGABYTE = 1 << 20


@command(
    "try",
    lambda: [
        project_option(),
        Argument("command", words="try-command", nargs=-1, metavar="[-- COMMAND]", type=click.UNPROCESSED),
        option("--live", words="try-live", is_flag=True),
        option("--evaluate", words="try-evaluate", default=None, metavar="CMD"),
        option("--script", "scripts", words="script", multiple=True, metavar="PATH"),
        checklists_option(),
        option("--item", "--only", "items", words="only", multiple=True, metavar="ITEM"),
        option("--steps", words="try-steps", type=click.IntRange(0), default=0, metavar="N"),
        option(
            "--seconds", words="try-seconds", type=click.FloatRange(1, 1e6), default=300, metavar="N", callback=no_nan
        ),
        option("--disk", words="try-disk", type=click.IntRange(1, 1 << 20), default=2048, metavar="MB"),
        option("--seeds", words="try-seeds", type=click.IntRange(1, 9), default=2, metavar="N"),
        option("--most", words="try-most", type=click.IntRange(1, 99), default=8, metavar="N"),
        option("--again", words="try-again", is_flag=True),
        set_option(),
        json_option(),
    ],
)
def try_(**given: Any) -> None:
    from ..guidance import startable
    from ..try_runs import TryRunner, chosen
    from .progress import stoppable

    opened = opened_to_train(given)
    session = opened.session
    assert session is not None
    try:
        patches = _patches(opened, given["items"])
        _talk_of_left(patches)
        trying = TryRunner(
            _wanted(opened, given, given["command"] or startable(opened)),
            chosen(patches, given["most"]),
            session.record.tried.known if session.record.tried is not None else (),
        )
        with stoppable() as stop:
            tried = _run(opened, trying, stop.asked)
    finally:
        session.close()
    _print(tried, as_json=given["as_json"])
    stop.end()
    raise SystemExit(OK if any(trial.whole for trial in tried.trials) else PROBE_FAILED)


def opened_to_train(given: dict[str, Any]) -> Project:
    from pathlib import Path

    from ..project import open_project

    path = Path(given["project"])
    settings = (*given["settings"], *script_settings(path, given["scripts"]))
    opened = open_project(path, given["checklists"], settings, take=True)
    speak(opened.case)
    opened.need_project()
    talk_of_taken(opened)
    assert opened.session is not None
    talk_of(opened.session)
    if opened.session.read_only:
        talk(say("locked", holder=opened.session.holder))
    return opened


def _patches(opened: Project, items: tuple[str, ...]) -> list[Patch]:
    """The changes that findings carry: of the static probes, run now, and of what is recorded of others; what a person concluded to be
    in order is left out, unless it is named."""
    from pathlib import Path

    from ..model import Kind
    from ..try_runs import patches

    named, session = opened.named(items), opened.session
    assert session is not None
    fresh: list[tuple[str, ProbeResult]] = []
    run_with_progress(opened, opened.jobs(items, {Kind.STATIC}), fresh)
    recorded = [(item, result) for item, result in opened.recorded() if result.kind is not Kind.STATIC]
    found = [(item, session.entry(item).weighed.get(result.probe, result)) for item, result in fresh]
    found += [(item, result) for item, result in recorded if not named or item in named]
    settled = opened.settled() - {*named}
    return patches(Path(opened.case.root), [(item, result) for item, result in found if item not in settled])


def _talk_of_left(patches: list[Patch]) -> None:
    """The findings whose changes no longer fit, or clash with others."""
    for patch in patches:
        if patch.kind == "patch" and patch.left:
            talk(say(f"try-left-{patch.left[0].why}", item=patch.item, place=", ".join(patch.places[:3])))


def _wanted(opened: Project, given: dict[str, Any], command: list[str] | tuple[str, ...]) -> TryRequest:
    """What is to be tried. Raises UserError where nobody has agreed to the command."""
    from .. import consent
    from ..errors import UserError
    from ..try_runs import want

    evaluation = None if given["evaluate"] is None else split_command(given["evaluate"])
    bounds = {name: given[name] for name in ("steps", "seconds", "seeds", "again")}
    wanted = want(opened.case, command, evaluation, folder=folder_in(opened), disk=given["disk"] * _MEGABYTE, **bounds)
    agreed = given["live"] or given["command"] or consent.granted_command(opened.case, [*command])
    if not agreed:
        raise UserError("try-consent", command=shlex.join(command))
    return wanted


def split_command(text: str) -> list[str]:
    from ..errors import UserError

    try:
        return shlex.split(text)
    except ValueError:
        raise UserError("try-quotes", command=text) from None


def folder_in(opened: Project) -> str:
    """Where the command runs: the current folder where that lies in the project, else the project's own."""
    from pathlib import Path

    try:
        return str(Path.cwd().relative_to(Path(opened.case.root).resolve()))
    except (ValueError, FileNotFoundError):
        return "."


def _run(opened: Project, trying: TryRunner, asked: Any) -> TryResults:
    """Train all, saying on stderr what is going on; each result is kept at once."""
    from threading import Thread

    from ..try_results import cells, compare, label
    from ..try_results import say as words

    session, shown = opened.session, language()
    assert session is not None

    def begins(trial: Trial, number: int, count: int, known: bool) -> None:
        what = label(trial, shown)
        talk(say("try-begins", number=number, count=count, what=words("known", shown, what=what) if known else what))

    def stop() -> None:
        asked.wait()
        trying.stop()

    def tell(trial: Trial, tried: TryResults) -> None:
        if not session.read_only:
            session.keep_tried(tried)
        found = compare(tried.trials)
        row = cells(found.rows[-1], found.by, shown)
        talk(say("try-done", seconds=trial.seconds, loss=row[0] or "-", metric=row[1] or "-", result=row[3]))

    trying.begins, trying.tell = begins, tell
    talk(say("try-command-is", command=shlex.join(trying.wanted.command)))
    Thread(target=stop, daemon=True).start()
    return trying.run()


def _print(tried: TryResults, *, as_json: bool) -> None:
    from ..language import aligned
    from ..try_results import as_json as plain
    from ..try_results import cells, compare, head, notes

    if as_json:
        show_json(plain(tried, language()))
        return
    found = compare(tried.trials)
    if not found.rows:
        return
    for line in aligned([head(language()), *(cells(row, found.by, language()) for row in found.rows)]):
        show(line)
    sys.stdout.flush()
    for note in notes(found, language()):
        talk(note)
