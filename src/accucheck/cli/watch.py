"""accucheck watch."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from .frame import Argument, checklists_option, command, language, option, project_option, say, speak, talk

if TYPE_CHECKING:
    from ..watching import WatchResult

#: What a watched run is judged by: `sanity` asks what only a run shows, such as a first loss or a metric counted anew. `performance` is
#: not among them, as most of it is advice about the device that a healthy training may leave alone.
CHECKLISTS = ("accuracy", "sanity")


@command(
    "watch",
    lambda: [
        project_option(),
        option("--steps", words="watch-steps", type=click.IntRange(0), default=50, metavar="N"),
        option("--role", words="watch-role", type=click.Choice(["train", "eval", "infer"]), default="train"),
        option("--mode", words="watch-mode", type=click.Choice(["user", "pynative", "both"]), default=None),
        option("--nan", words="watch-nan", is_flag=True),
        checklists_option(),
        Argument(
            "command", words="watch-command", nargs=-1, required=True, metavar="-- COMMAND", type=click.UNPROCESSED
        ),
    ],
)
def watch_(
    project: str,
    steps: int,
    role: str,
    mode: str | None,
    nan: bool,
    checklists: tuple[str, ...],
    command: tuple[str, ...],
) -> None:
    from pathlib import Path

    from .. import case as cases
    from ..checklist import load_all
    from ..errors import SaveError
    from ..watching import Plan, run_unwatched, watch

    case = cases.load(Path(project), [])
    speak(case)
    load_all(checklists)  # before the command runs for a name that is none
    plan = Plan(command, Path(case.root), steps, role, mode or "", nan)
    try:
        watched = watch(plan, lambda each: talk(say(f"watch-begins-{each}")))
    except SaveError as error:
        talk(say("watch-nowhere", problem=error.text(language())))
        raise SystemExit(shown_code(run_unwatched(plan))) from None
    sys.stdout.flush()
    if watched.elsewhere:
        talk(say("watch-elsewhere", folder=watched.folder, problem=watched.elsewhere.text(language())))
    if watched.unfinished:
        talk(watched.unfinished.text(language()))
    if _told(watched):
        _findings(project, watched, case.relative(watched.folder), checklists or CHECKLISTS)
    raise SystemExit(shown_code(watched.code))


def shown_code(code: int) -> int:
    """An exit code as shells give it: that of a signal above 128."""
    return 128 - code if code < 0 else code


def _told(watched: WatchResult) -> bool:
    """Say what was seen of each pass; whether there is something to look at."""
    seen, said = False, ""
    for one in watched.passes:
        if one.recordings:
            seen = True
            talk(say("watch-seen", mode=one.mode, steps=one.steps, passes=one.inferences, ranks=len(one.recordings)))
        elif one.unwatched:
            pass  # told below
        elif not one.started:
            talk(say("watch-no-python"))
        else:
            nothing = say(
                "watch-no-step" if one.imported else "watch-no-mindspore",
                code=shown_code(one.code),
                python=sys.executable,
            )
            if nothing != said:  # both modes may end alike
                talk(nothing)
            said = nothing
        if one.code < 0:
            talk(say("watch-killed", signal=signal.Signals(-one.code).name))
        if one.full:
            talk(say("watch-full", problem=one.full.text(language()), steps=one.steps))
        for problem in one.unwatched:
            talk(say("watch-unwatched", problem=problem))
        if one.missing:
            talk(say("watch-missing", hooks=", ".join(one.missing)))
        for failed in one.failed:
            talk(say("watch-failed", hook=failed.get("hook"), error=failed.get("error"), place=failed.get("place")))
    return seen


def _findings(project: str, watched: WatchResult, folder: str, checklists: tuple[str, ...]) -> None:
    """What the probes say of the recording, of the scripts and of files; nothing of the project's code is run for it. Where nothing can
    be written, nothing is kept of it."""
    from .run import RunOptions, perform

    lost = watched.elsewhere or watched.unfinished or any(one.full for one in watched.passes)
    given: dict[str, Any] = {"kinds": ("static", "file"), "settings": (f"watched={folder}",)}
    asked = RunOptions(project=project, checklists=checklists, **given, no_session=bool(lost), session_optional=False)
    with suppress(SystemExit):  # the exit code is the command's own
        perform(asked)
