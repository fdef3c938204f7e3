"""accucheck init, validate and doctor."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from ..language import visible, word
from .frame import (
    WRONG_USE,
    checklists_option,
    command,
    json_option,
    language,
    listed,
    option,
    project_argument,
    say,
    show,
    show_json,
    talk,
)

if TYPE_CHECKING:
    from pathlib import Path

    from ..proposal import Survey


#: Values that may be meant instead, which a case file names.
_MOST_OTHERS = 10


@command(
    "init",
    lambda: [
        project_argument(),
        option("--print", "only_print", words="print", is_flag=True),
    ],
)
def init(project: str, only_print: bool) -> None:
    from pathlib import Path

    from .. import case
    from ..errors import ReadError
    from ..proposal import survey

    folder = Path(project)
    if not folder.is_dir():
        raise ReadError("not-a-directory" if folder.exists() else "not-found", path=project)
    target = folder / case.FILE_NAME
    if target.exists() and not only_print:
        talk(say("init-exists", path=target))
        raise SystemExit(WRONG_USE)
    found = survey(folder.resolve())
    for proposal in found.proposals:
        line = f"{proposal.key}: {proposal.value}  ({proposal.reason(language())})"
        click.echo(visible(say("init-choose", line=line) if proposal.others else line), err=True)
    _say_more(found)
    if not found.proposals:
        talk(say("init-nothing", path=folder))
        raise SystemExit(WRONG_USE)
    _say_missing(folder, list(found.taken))
    name = folder.resolve().name
    values = {**({"name": name} if name.isprintable() else {}), **found.taken}
    others = {proposal.key: proposal.others[:_MOST_OTHERS] for proposal in found.proposals if proposal.others}
    if only_print:
        click.echo(case.document_of(values, others).decode(), nl=False)
    else:
        case.write(values, target, others)
        show(str(target))


def _say_more(found: Survey) -> None:
    """What a survey tells beside its proposals."""
    if found.trained is not None:
        talk(say(f"init-{found.trained.answer}", reason=found.trained.reason(language())))
    if found.projects:
        talk(say("init-projects", count=len(found.projects), names=listed(found.projects)))
    if found.turns:
        talk(say("init-turns", count=len(found.turns), names=listed(found.turns)))
    for problem in found.problems[:5]:
        talk(problem.text(language()))
    if found.partial:
        talk(say("init-partial"))


def _say_missing(folder: Path, given: list[str]) -> None:
    """What was not found, and the items that it would let examine."""
    from ..errors import UserError
    from ..project import open_project
    from ..proposal.keys import KEYS, TITLES

    try:
        project = open_project(folder, session="none")
    except UserError:  # a case file that is wrong: whoever asks for --print looks for a better one
        return
    for key in KEYS:
        known = key in given or project.case.get(key)  # the last watched run is found without a key
        items = {} if known else project.unlocks(key, given)
        if items:
            title = word(TITLES, key, language())
            click.echo(say("init-missing", key=key, title=title, items=", ".join(items)), err=True)


@command(
    "validate",
    lambda: [
        project_argument(),
        checklists_option(),
    ],
)
def validate(project: str, checklists: tuple[str, ...]) -> None:
    from pathlib import Path

    from .. import case
    from ..checklist import validate as validate_checklist
    from ..document import read_text

    for name in checklists:
        path = _checklist_path(name)
        validate_checklist(read_text(path), str(path))
        show(say("valid", path=path))
    if checklists and project == ".":
        return
    loaded = case.load(Path(project))
    if loaded.file is None:
        talk(say("no-case-file", path=project))
        raise SystemExit(WRONG_USE)
    paths = [(key, path) for key in case.path_keys() if "://" not in str(loaded.get(key)) for path in loaded.paths(key)]
    lacking = [(key, path) for key, path in paths if not case.mode_of(path)]
    for key, path in lacking:
        talk(say("valid-missing", key=key, path=path))
    if lacking:
        raise SystemExit(WRONG_USE)
    show(say("valid", path=loaded.file))


def _checklist_path(name: str) -> Path:
    from pathlib import Path

    from ..checklist import folder

    shipped = folder() / f"{name}.yaml"
    return shipped if os.sep not in name and shipped.is_file() else Path(name)


@command(
    "doctor",
    lambda: [
        project_argument(),
        json_option(),
    ],
)
def doctor(project: str, as_json: bool) -> None:
    from pathlib import Path

    from .. import case, consent, imports, recent, settings, store
    from ..report import environment

    loaded = case.load(Path(project))
    facts = environment.collect(loaded)
    own = {"session": f"{store.FOLDER}/session.json", "backups": store.BACKUPS, "attachments": store.ATTACHMENTS}
    files = own | {
        name: settings.from_home(str(module.place())) for name, module in (("consent", consent), ("recent", recent))
    }
    files["cache"] = settings.from_home(str(settings.personal("XDG_CACHE_HOME", "~/.cache")))
    terminal = _terminal()
    _, wrong = settings.load()
    file = settings.from_home(str(settings.file()))
    path = imports.current_folder()
    if as_json:
        told = wrong.text(language()) if wrong is not None else None
        show_json(
            {
                **facts,
                "settings": file,
                "settings_wrong": told,
                "pythonpath_open": path is not None,
                "files": files,
                "terminal": terminal,
            }
        )
        return
    for line in environment.lines(facts, language()):
        show(line)
    there = "" if os.path.lexists(settings.file()) else say("settings-none")
    show(say("settings", path=file, there=there))
    show(say("files-where", **files))
    show(say("terminal", **terminal) if terminal["size"] else say("terminal-none", **terminal))
    if wrong is not None:
        show(wrong.text(language()))
    if path is not None:
        show(say("path-open", value=visible(path)))


def _terminal() -> dict[str, str]:
    """What the walkthrough would be drawn on: its name, columns and lines where there is one, colours, and the encoding."""
    import sys

    there = sys.stdin.isatty() and sys.__stderr__ is not None and sys.__stderr__.isatty()
    size = os.get_terminal_size(sys.stdin.fileno()) if there else None
    colours = "NO_COLOR" if "NO_COLOR" in os.environ else os.environ.get("COLORTERM", "")
    return {
        "term": visible(os.environ.get("TERM", "")) or "-",
        "size": f"{size.columns}x{size.lines}" if size is not None else "",
        "colours": visible(colours) or "-",
        "encoding": (sys.stdout.encoding or "-").lower(),
    }
