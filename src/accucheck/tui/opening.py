"""How the walkthrough begins: a project with a case goes on where it was left; a new one is asked about first."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from ..errors import SaveError, UserError
from ..model import now
from ..session import Training
from .messages import SurveyEnded

if TYPE_CHECKING:
    from .app import Walkthrough
    from .screens.dialogs import Choose


def is_new(app: Walkthrough) -> bool:
    """Whether nothing is known of the project, and a person may say it: somebody else's session is only looked at."""
    session, case = app.session, app.project.case
    unwritable = isinstance(session.notice, SaveError)  # what is said then holds for this visit
    return case.file is None and not (session.record.entries or case.alone or (session.read_only and not unwritable))


def look_around(app: Walkthrough) -> None:
    """Survey the project in a thread, and load the probes, which tell what each input is for."""

    def look() -> None:
        from ..proposal import survey

        found = survey(Path(app.project.case.root))
        app.post_message(SurveyEnded(found, probes=False))
        _ = app.project.needs  # loads the probes here, where nobody waits
        app.post_message(SurveyEnded(found, probes=True))

    Thread(target=look, daemon=True).start()


async def begin_new(app: Walkthrough) -> None:
    """The first question, what to mend first, then the case. Runs as a worker."""
    from .screens.start import StartScreen
    from .screens.training import ErrorScreen, TrainingScreen

    look_around(app)
    while app.session.record.training is None:
        answer = await app.push_screen_wait(TrainingScreen(app.survey))
        if answer is None:  # nothing is here: another project may be meant
            if await open_recent(app, here=app.project.case.root):
                return
            continue
        trained = app.survey.trained if app.survey is not None else None
        if answer is Training.FAILS and not await app.push_screen_wait(ErrorScreen(trained)):
            continue
        app.tell_training(answer)
        break
    values = await app.push_screen_wait(StartScreen(app.project.case, app.survey))
    app.adopt(values or {})


def why_not_change_case(app: Walkthrough) -> str | None:
    """Why the case file cannot be changed now."""
    words = "case-alone" if app.project.case.alone else "case-busy" if app.runner.busy else ""
    return app.speech.say(words) if words else app.why_not_change()


async def change_case(app: Walkthrough) -> None:
    """What the case says, to be filled in and changed; its file keeps what else stands in it. Runs as a worker."""
    from .. import case as cases
    from .screens.start import CaseScreen

    case = app.project.case
    if (why := why_not_change_case(app)) is not None:
        app.notify(why, severity="warning", markup=False)
        return
    look_around(app)
    values = await app.push_screen_wait(CaseScreen(case, None))
    if not values:
        return
    try:
        app.use_case(cases.extend(case, values, replace=True))
    except UserError as error:
        app.show_error(error.text(app.speech.language))
        return
    app.runner.look_for_stale()
    if (screen := app.checklist) is not None:
        screen.refresh_states()
    app.notify(app.speech.say("case-saved", keys=", ".join(values)), markup=False)


async def open_recent(app: Walkthrough, here: str = "") -> bool:
    """Open another project: this one is left as `quit` leaves it. False where none was chosen. Runs as a worker."""
    from .. import recent
    from .screens.recent import RecentScreen

    own = str(recent_path(app))
    entries = [entry for entry in recent.load() if entry.path != own]
    if here and not entries:
        return False
    path = await app.push_screen_wait(RecentScreen(entries, here))
    if path is None:
        return False
    if app.runner.busy and await app.push_screen_wait(quit_question(app)) != "yes":
        return False
    app.reopen = Path(path)
    app.exit()
    return True


def quit_question(app: Walkthrough) -> Choose:
    """Whether to leave while probes are running."""
    from .screens.dialogs import Choose

    say = app.speech.say
    return Choose(say("quit-title"), "", [("no", say("no")), ("yes", say("yes"))])


def recent_path(app: Walkthrough) -> Path:
    """What opens this project again: its folder, or the session file that came alone."""
    case = app.project.case
    return Path(app.session.path if case.alone else case.root).resolve()


def remember(app: Walkthrough, *, wait: bool = False) -> None:
    """Put the project into the list of recent ones, with how far it is; the list is written in a thread unless to `wait`."""
    from .. import recent

    items = app.project.items
    states = [app.state(item)[0] for item in items]
    done = sum(app.session.entry(item.id).conclusion is not None for item in items)
    screen = app.checklist
    item = screen.item if screen is not None and screen.is_mounted else None
    entry = recent.Recent(
        str(recent_path(app)),
        app.project.case.name,
        now(),
        done,
        len(items),
        states.count("problem"),
        item.id if item else app.first_item,
    )
    if wait:
        recent.note(entry)
    else:
        Thread(target=recent.note, args=(entry,), daemon=True).start()
