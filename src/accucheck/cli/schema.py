"""accucheck schema."""

from __future__ import annotations

import click

from .frame import Argument, command, echo


def _names() -> list[click.Parameter]:
    choice = click.Choice(["case", "checklist", "run", "session", "settings"])
    return [Argument("name", words="schema-name", metavar="NAME", type=choice)]


@command("schema", _names)
def schema(name: str) -> None:
    from ..schemas import text

    echo(text(name), nl=False)
