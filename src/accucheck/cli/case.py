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
    option,
    project_argument,
    say,
    show,
    show_json,
    talk,
)

if TYPE_CHECKING:
    from pathlib import Path


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

    folder = Path(project)
    if not folder.is_dir():
        raise ReadError("not-a-directory" if folder.exists() else "not-found", path=project)
    target = folder / case.FILE_NAME
    if target.exists() and not only_print:
        talk(say("init-exists", path=target))
        raise SystemExit(WRONG_USE)
    proposals = case.propose(folder.resolve())
    if not proposals:
        talk(say("init-nothing", path=folder))
        raise SystemExit(WRONG_USE)
    for proposal in proposals:
        click.echo(visible(f"{proposal.key}: {proposal.value}  ({word(case.WHY, proposal.why, language())})"), err=True)
    name = folder.resolve().name
    values = {
        **({"name": name} if name.isprintable() else {}),
        **{proposal.key: proposal.value for proposal in proposals},
    }
    if only_print:
        click.echo(case.document_of(values).decode(), nl=False)
    else:
        case.write(values, target)
        show(str(target))


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

    from .. import case
    from ..report import environment

    loaded = case.load(Path(project))
    facts = environment.collect(loaded)
    if as_json:
        show_json(facts)
        return
    for line in environment.lines(facts, language()):
        show(line)
