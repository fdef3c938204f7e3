"""accucheck diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .frame import FOUND, OK, Argument, command, echo, json_option, language, option, readable, say, show_json, talk

if TYPE_CHECKING:
    from ..difference import Side


@command(
    "diff",
    lambda: [
        Argument("before", words="diff-before", metavar="[A]", default=""),
        Argument("after", words="diff-after", metavar="[B]", default="."),
        option("--all", "everything", words="diff-all", is_flag=True),
        option("--format", "form", words="format", type=click.Choice(["text", "md", "json"]), default="text"),
        json_option(),
    ],
)
def diff(before: str, after: str, everything: bool, form: str, as_json: bool) -> None:
    from ..checklist import load, shipped
    from ..difference import compare
    from ..report import since

    difference = compare(side(before or last_report(after)), side(after))
    if as_json or form == "json":
        show_json(since.as_json(difference, language()))
    else:
        checklists = [load(name) for name in shipped()]
        writer = since.markdown if form == "md" else since.text
        for line in writer(difference, checklists, language(), everything=everything):
            echo(line)
    raise SystemExit(OK if difference.same else FOUND)


def last_report(name: str) -> str:
    """The newest JSON report among those of a project. Raises UserError where there is none."""
    from contextlib import suppress
    from pathlib import Path

    from ..errors import UserError
    from ..project import open_project

    folder = open_project(Path(name), session="read").reports
    found: list[tuple[float, str]] = []
    for path in folder.glob("*.json"):
        with suppress(OSError):  # removed meanwhile
            found.append((path.stat().st_mtime, str(path)))
    if not found:
        raise UserError("diff-nothing", folder=str(folder))
    newest = max(found)[1]
    talk(say("diff-with", path=newest))
    return newest


def side(name: str) -> Side:
    """A project, a session file or a JSON report by its path; says on stderr what of a project is out of date."""
    from pathlib import Path

    from ..difference import is_report, of_record, of_report
    from ..errors import UserError
    from ..project import open_project
    from ..session import decode, read_alone

    path = Path(name)
    if path.suffix == ".json" or (path.is_file() and path.suffix not in (".yaml", ".yml")):
        content = read_alone(path)
        return of_report(name, content) if is_report(content) else of_record(name, decode(content, path))
    opened = open_project(path, session="read")
    session = readable(opened)
    if not session.record.entries:
        raise UserError("no-session", path=name)
    if late := sorted({item for item, _ in opened.stale()}):
        talk(say("diff-stale", name=name, items=", ".join(late)))
    return of_record(name, session.record)
