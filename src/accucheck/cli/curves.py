"""accucheck curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .frame import (
    OK,
    Argument,
    columns_of,
    command,
    echo,
    json_option,
    language,
    option,
    project_option,
    say,
    show_json,
    speak,
    talk,
)

if TYPE_CHECKING:
    from pathlib import Path


@command(
    "curves",
    lambda: [
        Argument("sources", words="curves-sources", metavar="[SOURCE]...", nargs=-1),
        project_option(),
        option("--only", words="curves-only", default="", metavar="NAME"),
        option("--output", "-o", words="curves-output", default=None, metavar="FILE.html"),
        option("--force", words="force", is_flag=True),
        json_option(),
    ],
)
def curves(sources: tuple[str, ...], project: str, only: str, output: str | None, force: bool, as_json: bool) -> None:
    import sys
    from pathlib import Path

    from .. import board as boards
    from ..language import aligned
    from ..store import write_atomically, write_new

    board = boards.gather(_paths(sources, project), only)
    for note in boards.notes(board, language()):
        talk(note)
    if output is not None:
        (write_atomically if force else write_new)(Path(output), boards.write(board, language()))
        talk(say("graph-written", path=output))
    elif as_json:
        show_json(boards.plain(board))
    else:
        for line in aligned(boards.rows(board, language()), columns_of(sys.stdout), gives=boards.GIVE_WAY):
            echo(line)
        if (told := boards.drawn_elsewhere(board, language())) is not None:
            talk(told)
    raise SystemExit(OK)


def _paths(sources: tuple[str, ...], project: str) -> list[tuple[Path, str]]:
    """Files and folders with what they are called: those given, else those that the project names. Raises UserError."""
    from pathlib import Path

    from .. import board as boards
    from ..project import open_project

    if sources:
        return [(Path(source), source) for source in sources]
    opened = open_project(Path(project), session="none", take=True)
    speak(opened.case)
    opened.need_project()
    case = opened.case
    return [(path, case.relative(path)) for path in boards.of_case(case)]
