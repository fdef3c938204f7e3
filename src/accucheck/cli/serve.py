"""accucheck serve."""

from __future__ import annotations

import os
import sys

import click

from .frame import (
    checklists_option,
    command,
    language,
    language_of,
    option,
    project_option,
    say,
    set_option,
    show,
    speak,
    talk,
)

#: Starts a walkthrough by its path: with -m or -c the current folder would stand on the import path.
_START = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "__main__.py")


@command(
    "serve",
    lambda: [
        project_option(),
        option("--port", words="port", type=click.IntRange(0, 65535), default=8000, metavar="N"),
        option("--host", words="host", default="127.0.0.1", metavar="ADDRESS"),
        checklists_option(),
        set_option(),
        option("--as", "who", words="who", default=None, metavar="NAME"),
        option("--role", words="start-role", type=click.Choice(["author", "reviewer"]), default="author"),
        option("--read-only", "read_only", words="read-only", is_flag=True),
    ],
)
def serve(
    project: str,
    port: int,
    host: str,
    checklists: tuple[str, ...],
    settings: tuple[str, ...],
    who: str | None,
    role: str,
    read_only: bool,
) -> None:
    from pathlib import Path

    from ..case import require_utf8
    from ..errors import UserError
    from ..lacking import requirement
    from ..project import open_project

    require_utf8(who or "")
    opened = open_project(Path(project), checklists, settings, session="none")  # what is wrong with it is told here
    speak(opened.case)
    try:
        from .. import serving
    except ImportError as error:
        raise UserError("serve-missing", problem=str(error), install=requirement("serve")) from None
    arguments = ["--project", str(Path(project).absolute()), "--role", role]
    arguments += [word for name in checklists for word in ("--checklist", name)]
    arguments += [word for setting in settings for word in ("--set", setting)]
    arguments += ["--as", who] if who else []
    arguments += ["--lang", spoken] if (spoken := language_of(sys.argv[1:])) else []
    arguments += ["--read-only"] if read_only else []

    def ready(address: str) -> None:
        import socket

        from ..session import user

        at, used = listening.getsockname()[:2]
        show(address)
        show(say("serve-open"))
        show(say("serve-tunnel", host=at, port=used, user=user(), machine=socket.gethostname()))
        show(say("serve-end"))
        sys.stdout.flush()

    def tell(text: str) -> None:
        for line in text.splitlines():
            talk(line.removeprefix("accucheck: ").removeprefix("accucheck：")) if line.strip() else None

    with serving.listen(serving.loopback(host), port) as listening:
        serving.serve(
            [sys.executable, _START, *arguments],
            listening,
            title=opened.case.name,
            language=language(),
            ready=ready,
            tell=tell,
        )
